#pragma once

#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/index.hpp"
#include "quickshiftpp/parallel.hpp"

namespace quickshiftpp {

/// The k nearest samples of every sample, itself first, by position. O(n k) and nothing else.
///
/// Each list is sorted by squared distance, equal distances by row number.
struct NeighborLists {
  std::size_t samples;
  int k;
  Buffer<std::int32_t> position;     ///< samples x k
  Buffer<double> squared_distance;   ///< samples x k
  Buffer<double> squared_radius;     ///< samples: the last entry of each list
  Buffer<std::uint8_t> tied_beyond;  ///< samples: others, left out of the list, are as near as its
                                     ///< last. Not kept up to date where the radius is zero.

  const std::int32_t* positions(std::int32_t i) const {
    return position.data() + static_cast<std::size_t>(i) * k;
  }
  const double* distances(std::int32_t i) const {
    return squared_distance.data() + static_cast<std::size_t>(i) * k;
  }
};

/// The exact self-join. 1 <= k <= samples.
template <class T>
NeighborLists neighbor_lists(const Index<T>& index, int k, const Run& run);

/// For each query (by position in `queries`) its squared distance to the k-th nearest target.
template <class T>
Buffer<double> kth_squared_distances(const Index<T>& queries, const Index<T>& targets, int k,
                                     const Run& run);

/// The positions with radius zero (k or more equal rows), equal rows side by side, lowest row
/// number first within each. All positions where `squared_radius` is null.
template <class T>
Buffer<std::int32_t> zero_radius_sites(const Index<T>& index, const double* squared_radius);

/// Lists by row: distances (not squared) and row numbers, samples x k. Where the radius is zero,
/// the lists are completed to the lowest row numbers among the equal rows, so that the output
/// depends on nothing but the input.
template <class T>
void export_lists(const Index<T>& index, const NeighborLists& lists, double* distance,
                  std::int64_t* row, const Run& run);

}  // namespace quickshiftpp
