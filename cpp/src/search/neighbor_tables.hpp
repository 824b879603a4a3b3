// Neighbors as tables, by row.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"
#include "search/tie_order.hpp"

namespace quickshiftpp {

inline NeighborTable allocate_table(std::size_t samples, std::size_t width) {
  return {Buffer<double>(samples * width), Buffer<std::int64_t>(samples * width)};
}

/// Replaces the neighbors of samples with radius zero by the equal rows with the lowest numbers.
/// The search stops at any k equal rows. The samples are an Index or SamplesByRow.
template <class Samples>
void fill_zero_radii(const Samples& samples, std::size_t width, NeighborTable& table,
                     const Run& run) {
  if (width == 1) {  // each sample is its own only neighbor
    std::iota(table.row.data(), table.row.data() + table.row.size(), std::int64_t{0});
    return;
  }
  auto has_zero_radius = [&](std::int32_t i) {
    return table.distance[(static_cast<std::size_t>(samples.row_at(i)) + 1) * width - 1] == 0;
  };
  const Buffer<std::int32_t> sites = positions_in_tie_order(samples, has_zero_radius, run);
  for_each_site(samples, sites, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::int64_t self = samples.row_at(sites[i]);
      std::int64_t* list = table.row.data() + static_cast<std::size_t>(self) * width;
      list[0] = self;
      for (std::size_t other = first, c = 1; c < width && other < last; ++other)
        if (other != i) list[c++] = samples.row_at(sites[other]);
    }
  });
}

/// The lists as a table. The samples tell equal rows, as in fill_zero_radii.
template <class T, class Samples>
NeighborTable table_of_lists(const Index<T>& index, const NeighborLists& lists,
                             const Samples& samples, const Run& run) {
  const auto width = static_cast<std::size_t>(lists.k());
  NeighborTable table = allocate_table(index.samples(), width);
  parallel_for(run, lists.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
      const std::size_t out = static_cast<std::size_t>(index.row_at(i)) * width;
      for (std::size_t c = 0; c < width; ++c) {
        table.distance[out + c] = std::sqrt(lists.squared_distance(index, i, static_cast<int>(c)));
        table.row[out + c] = index.row_at(lists.positions(i)[c]);
      }
    }
  });
  if (lists.have_zero_radii()) fill_zero_radii(samples, width, table, run);
  return table;
}

}  // namespace quickshiftpp
