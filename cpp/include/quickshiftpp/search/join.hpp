#pragma once

#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"

namespace quickshiftpp {

/// The exact self-join: the k nearest samples of every sample, 1 <= k <= samples. With `only_radii`
/// the lists are not stored; see can_skip_lists.
template <class T>
NeighborLists neighbor_lists(const Index<T>& index, int k, const Run& run, bool only_radii = false);

/// The share of all pairs of blocks that the join for k neighbors visits, estimated from some of
/// the blocks: near 1 where the tree prunes nothing.
template <class T>
double visited_share(const Index<T>& index, int k, const Run& run);

/// For each query (by position in `queries`) its squared distance to the k-th nearest target.
template <class T>
Buffer<double> kth_squared_distances(const Index<T>& queries, const Index<T>& targets, int k,
                                     const Run& run);

/// The neighbors of every sample by row: distances (not squared) and row numbers, samples x k.
struct NeighborTable {
  Buffer<double> distance;
  Buffer<std::int64_t> row;
};

/// The self-join, written straight into a table. Where the radius is zero, a sample's neighbors are
/// the lowest row numbers among the equal rows, so that the table depends on nothing but the input.
template <class T>
NeighborTable neighbor_table(const Index<T>& index, int k, const Run& run);

/// The same table from lists. Where some have a radius of zero, the index must have coordinates.
template <class T>
NeighborTable neighbor_table(const Index<T>& index, const NeighborLists& lists, const Run& run);

}  // namespace quickshiftpp
