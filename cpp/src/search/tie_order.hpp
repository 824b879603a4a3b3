#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "support/parallel_sort.hpp"

namespace quickshiftpp {

/// Samples stored row by row, with those members of Index that settle ties. A position is a row.
template <class T>
class SamplesByRow {
 public:
  SamplesByRow(const T* rows, std::size_t samples, std::size_t columns)
      : rows_(rows), samples_(samples), columns_(columns) {}

  std::size_t samples() const { return samples_; }
  /// The coordinates of a sample.
  const T* row(std::int32_t i) const { return rows_ + static_cast<std::size_t>(i) * columns_; }
  std::int32_t row_at(std::int32_t position) const { return position; }
  /// As in Index.
  int compare_coordinates(std::int32_t a, std::int32_t b) const {
    const T *x = row(a), *y = row(b);
    const auto [in_x, in_y] = std::mismatch(x, x + columns_, y);
    return in_x == x + columns_ ? 0 : *in_x < *in_y ? -1 : 1;
  }
  bool comes_first(std::int32_t a, std::int32_t b) const {
    const int order = compare_coordinates(a, b);
    return order != 0 ? order < 0 : a < b;
  }

 private:
  const T* rows_;
  std::size_t samples_, columns_;
};

/// The positions i for which is_wanted(i) holds, in the order that settles every tie
/// (Index::comes_first): by coordinates, equal rows by row number. Equal rows end up side by side.
/// The samples are an Index or SamplesByRow.
template <class Samples, class IsWanted>
Buffer<std::int32_t> positions_in_tie_order(const Samples& samples, IsWanted&& is_wanted,
                                            const Run& run) {
  const auto end = static_cast<std::int32_t>(samples.samples());
  std::size_t count = 0;
  for (std::int32_t i = 0; i < end; ++i) count += is_wanted(i);
  Buffer<std::int32_t> positions(count);
  count = 0;
  for (std::int32_t i = 0; i < end; ++i)
    if (is_wanted(i)) positions[count++] = i;
  parallel_sort(
      positions.data(), positions.data() + count,
      [&](std::int32_t a, std::int32_t b) { return samples.comes_first(a, b); }, run);
  return positions;
}

/// Calls visit(first, last) for each run of equal rows, as places in `positions`, which are in tie
/// order.
template <class Samples, class Visit>
void for_each_site(const Samples& samples, const Buffer<std::int32_t>& positions, Visit&& visit) {
  for (std::size_t first = 0, last; first < positions.size(); first = last) {
    for (last = first + 1; last < positions.size() &&
                           samples.compare_coordinates(positions[first], positions[last]) == 0;)
      ++last;
    visit(first, last);
  }
}

}  // namespace quickshiftpp
