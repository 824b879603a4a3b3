#include "quickshiftpp/search/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/kernels.hpp"

namespace quickshiftpp {

namespace {

/// Rows of the product that are computed together: they stay in the cache while the other matrix
/// passes by.
constexpr std::size_t kTileRows = 8 * kProductRows;

/// A copy of a matrix whose rows are padded with zeros.
template <class T>
Buffer<T> padded_copy(const T* matrix, std::size_t rows, std::size_t width, std::size_t padded) {
  Buffer<T> copy(rows * padded);
  for (std::size_t r = 0; r < rows; ++r) {
    T* to = std::copy_n(matrix + r * width, width, copy.data() + r * padded);
    std::fill_n(to, padded - width, T{0});
  }
  return copy;
}

double product(const double* a, const double* b, std::size_t columns) {
  return std::inner_product(a, a + columns, b, 0.0);
}

/// Subtracts from a row its parts along the orthonormal rows before it.
void subtract_parts(double* rows, std::size_t row, std::size_t columns) {
  double* own = rows + row * columns;
  for (std::size_t r = 0; r < row; ++r) {
    const double* other = rows + r * columns;
    const double part = product(own, other, columns);
    for (std::size_t c = 0; c < columns; ++c) own[c] -= part * other[c];
  }
}

}  // namespace

template <class T>
Buffer<T> matrix_product(const T* a, std::size_t rows, std::size_t columns, const T* b,
                         std::size_t width, const Run& run) {
  const std::size_t padded = (width + kProductWidth - 1) / kProductWidth * kProductWidth;
  const Buffer<T> copy = padded == width ? Buffer<T>() : padded_copy(b, columns, width, padded);
  const T* matrix = padded == width ? b : copy.data();
  const Kernels<T>& kernel = kernels<T>();
  Buffer<T> out(rows * width);
  parallel_for(run, rows, kTileRows, [&](std::size_t begin, std::size_t end, int thread) {
    WorkMeter meter(run, thread);
    const std::size_t whole = (end - begin) / kProductRows * kProductRows;
    std::vector<T> tile(kTileRows * padded), last(kProductRows * columns);
    std::copy(a + (begin + whole) * columns, a + end * columns, last.data());
    for (std::size_t c = 0; c < columns; c += kSummedColumns) {
      const std::size_t summed = std::min(kSummedColumns, columns - c);
      for (std::size_t r = 0; r < end - begin; r += kProductRows)
        kernel.add_product(r < whole ? a + (begin + r) * columns + c : last.data() + c, columns,
                           summed, matrix + c * padded, padded, tile.data() + r * padded);
      meter.spend(kTileRows * summed * padded);
    }
    for (std::size_t r = begin; r < end; ++r)
      std::copy_n(tile.data() + (r - begin) * padded, width, out.data() + r * width);
  });
  return out;
}

void orthonormalize(double* rows, std::size_t count, std::size_t columns, const Run& run) {
  std::size_t next_column = 0;  // of a row to replace one with
  parallel_for(run, 1, 1, [&](std::size_t, std::size_t, int thread) {
    WorkMeter meter(run, thread);
    for (std::size_t r = 0; r < count; ++r) {
      double* own = rows + r * columns;
      double before = std::sqrt(product(own, own, columns));
      subtract_parts(rows, r, columns);
      double length = std::sqrt(product(own, own, columns));
      // Of `columns` unit vectors some are far enough from the span of fewer rows.
      while (!(length > 1e-6 * before)) {
        std::fill_n(own, columns, 0.0);
        own[next_column++ % columns] = before = 1;
        for (int pass = 0; pass < 2; ++pass) subtract_parts(rows, r, columns);
        length = std::sqrt(product(own, own, columns));
      }
      for (std::size_t c = 0; c < columns; ++c) own[c] /= length;
      meter.spend(2 * r * columns);
    }
  });
}

template Buffer<float> matrix_product<float>(const float*, std::size_t, std::size_t, const float*,
                                             std::size_t, const Run&);
template Buffer<double> matrix_product<double>(const double*, std::size_t, std::size_t,
                                               const double*, std::size_t, const Run&);

}  // namespace quickshiftpp
