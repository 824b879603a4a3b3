#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/search/neighbor_lists.hpp"
#include "tree/basin_edges.hpp"
#include "tree/tied_neighbors.hpp"

namespace quickshiftpp {

/// Finds the edges between basins in the neighbor lists. What a list leaves out at distance exactly
/// r is searched for.
template <class T>
class ListEdges {
 public:
  /// `basin` by position.
  ListEdges(const DensityOrder<T>& order, const NeighborLists& lists, const std::int32_t* basin)
      : order_(order), lists_(lists), basin_(basin) {}

  /// Offers the edges that lead upward from the samples [begin, end).
  void find(std::int32_t begin, std::int32_t end, BasinEdges<T>& edges, WorkMeter& meter) const {
    const double* squared_radius = order_.squared_radius();
    const int k = lists_.k();
    std::vector<int> places(static_cast<std::size_t>(k));
    for (std::int32_t i = begin; i < end; ++i) {
      const std::int32_t* neighbor = lists_.positions(i);
      const std::int32_t own_basin = basin_[i];
      const double own_radius = squared_radius[i];
      // Gathered without a branch: about every other neighbor is in another basin, and about every
      // other one is denser, which no processor can predict.
      std::size_t count = 0;
      for (int c = 1; c < k; ++c) {
        const std::int32_t j = neighbor[c];
        places[count] = c;
        count +=
            static_cast<std::size_t>((basin_[j] != own_basin) & (squared_radius[j] <= own_radius));
      }
      std::int32_t joined = -1;  // the basin just joined, as high as an edge from i can be
      for (std::size_t p = 0; p < count; ++p) {
        const int c = places[p];
        const std::int32_t j = neighbor[c];
        if (basin_[j] == joined) continue;
        if (edges.offer(i, j, [&] { return lists_.squared_distance(order_.index(), i, c); }))
          joined = basin_[j];
      }
      if (has_tied_neighbors(order_, lists_, i))
        visit_tied_neighbors(
            order_, i,
            [&](std::int32_t j) {
              if (basin_[j] != basin_[i]) edges.offer(i, j, [&] { return squared_radius[j]; });
            },
            meter);
    }
  }

 private:
  const DensityOrder<T>& order_;
  const NeighborLists& lists_;
  const std::int32_t* basin_;
};

}  // namespace quickshiftpp
