#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"

namespace quickshiftpp {

/// A hash of a sample's coordinates, value(c) being that of column c. Equal samples have equal
/// hashes, so a choice by hash does not depend on the order of the rows.
template <class Value>
std::uint64_t coordinate_hash(int columns, Value&& value) {
  std::uint64_t mixed = 0;
  for (int c = 0; c < columns; ++c) {
    const double coordinate = static_cast<double>(value(c)) + 0.0;  // -0.0 is 0.0
    mixed = (mixed ^ std::bit_cast<std::uint64_t>(coordinate)) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
  }
  mixed *= 0xBF58476D1CE4E5B9u;
  return mixed ^ mixed >> 32;
}

/// The hashes of `samples` rows, row-major.
template <class T>
Buffer<std::uint64_t> coordinate_hashes(const T* rows, std::size_t samples, int columns,
                                        const Run& run);

}  // namespace quickshiftpp
