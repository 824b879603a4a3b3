#pragma once

#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "support/parallel_sort.hpp"

namespace quickshiftpp {

/// The positions i for which is_wanted(i) holds, in the order that settles every tie
/// (Index::comes_first): by coordinates, equal rows by row number. Equal rows end up side by side.
template <class T, class IsWanted>
Buffer<std::int32_t> positions_in_tie_order(const Index<T>& index, IsWanted&& is_wanted,
                                            const Run& run) {
  const auto samples = static_cast<std::int32_t>(index.samples());
  std::size_t count = 0;
  for (std::int32_t i = 0; i < samples; ++i) count += is_wanted(i);
  Buffer<std::int32_t> positions(count);
  count = 0;
  for (std::int32_t i = 0; i < samples; ++i)
    if (is_wanted(i)) positions[count++] = i;
  parallel_sort(
      positions.data(), positions.data() + count,
      [&](std::int32_t a, std::int32_t b) { return index.comes_first(a, b); }, run);
  return positions;
}

/// Calls visit(first, last) for each run of equal rows, as places in `positions`, which are in tie
/// order.
template <class T, class Visit>
void for_each_site(const Index<T>& index, const Buffer<std::int32_t>& positions, Visit&& visit) {
  for (std::size_t first = 0, last; first < positions.size(); first = last) {
    for (last = first + 1; last < positions.size() &&
                           index.compare_coordinates(positions[first], positions[last]) == 0;)
      ++last;
    visit(first, last);
  }
}

}  // namespace quickshiftpp
