#pragma once

#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

/// Position against row. Inside the core a sample is known by its position in the index, where
/// samples that are near in space are near in memory. Users know it by its row in the input.
/// row_at_position leads from the one to the other.
namespace quickshiftpp {

using RowAtPosition = Buffer<std::int32_t>;

/// Values by position into values by row. `value(i)` is that of position i.
template <class Out, class Value>
Buffer<Out> by_row(const RowAtPosition& row_at_position, Value&& value, const Run& run) {
  Buffer<Out> out(row_at_position.size());
  parallel_for(run, out.size(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i)
      out[static_cast<std::size_t>(row_at_position[i])] = value(i);
  });
  return out;
}

/// Positions of other samples (-1 for none), by position, into their rows, by row.
inline Buffer<std::int32_t> links_by_row(const RowAtPosition& row_at_position,
                                         const std::int32_t* link, const Run& run) {
  return by_row<std::int32_t>(
      row_at_position,
      [&](std::size_t i) {
        return link[i] < 0 ? -1 : row_at_position[static_cast<std::size_t>(link[i])];
      },
      run);
}

/// Values by row into values by position, padded to `padded_samples`.
template <class Value>
Buffer<Value> by_position(const RowAtPosition& row_at_position, const Value* value_by_row,
                          std::size_t padded_samples, const Run& run) {
  Buffer<Value> out(row_at_position.size(), padded_samples);
  parallel_for(run, out.size(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) out[i] = value_by_row[row_at_position[i]];
  });
  return out;
}

}  // namespace quickshiftpp
