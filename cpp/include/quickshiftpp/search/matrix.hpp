#pragma once

#include <cstddef>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"

namespace quickshiftpp {

/// Products of a matrix sum over so many columns at a time, and then over the sums: short sums have
/// small errors. docs/exactness.md relies on it.
inline constexpr std::size_t kSummedColumns = 256;

/// The product of a matrix with `rows` rows and `columns` columns, and one with `columns` rows and
/// `width` columns, all row-major. Rounded; the bits depend on the instruction set.
template <class T>
Buffer<T> matrix_product(const T* a, std::size_t rows, std::size_t columns, const T* b,
                         std::size_t width, const Run& run);

/// Makes `count` <= `columns` rows orthonormal, in place, by the method of Gram and Schmidt. A row
/// that depends on those before it is replaced by one that does not.
void orthonormalize(double* rows, std::size_t count, std::size_t columns, const Run& run);

}  // namespace quickshiftpp
