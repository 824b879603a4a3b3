#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/neighbors.hpp"
#include "quickshiftpp/tree/ascent.hpp"
#include "tree/near_blocks.hpp"

namespace quickshiftpp {

/// The tree of modes: every component of the graph that is born when the level falls, and where it
/// meets an elder one. Modes are numbered from the densest down.
struct ModeTree {
  std::vector<std::int32_t> position;  ///< the mode's sample
  std::vector<std::int32_t> saddle;    ///< the sample where it meets its parent; -1 for never
  std::vector<std::int32_t> parent;    ///< the elder mode that it meets there; -1 for none
  std::vector<std::int64_t> size;      ///< samples in its basin and in those that merged into it
  Buffer<std::int32_t> basin;          ///< by position: the mode that the sample's links lead to

  std::size_t modes() const { return position.size(); }
};

/// Builds the tree of the mutual k-nearest-neighbour graph. `parents` are the nearest denser
/// samples; parents.next is taken from there, its memory becomes that of the basins. `near`, null
/// for none, is for those who build trees for several k, the largest first.
///
/// 1. Every sample links to its nearest denser mutual neighbour; the links form basins, one per
/// mode.
/// 2. Only an edge between two basins can be a saddle, as high as its lower end. Threads gather
///    them and keep a spanning forest of the highest.
/// 3. Kruskal's algorithm over what is left, highest first, is the tree.
///
/// "Denser" means a smaller radius, then smaller coordinates, then a lower row number: a total
/// order, so that a plateau has one mode.
template <class T>
ModeTree mode_tree(const Index<T>& index, const NeighborLists& lists, Parents& parents,
                   NearBlocks* near, const Run& run);

}  // namespace quickshiftpp
