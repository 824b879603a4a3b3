#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/positions.hpp"
#include "quickshiftpp/search/cascade.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"

namespace quickshiftpp {

/// All that a clustering at any beta is made from, for one k.
///
/// As the density level falls, components of the mutual k-nearest-neighbor graph are born at modes
/// and merge at saddles. A mode's parent is the denser mode whose component it merges into. Modes
/// are numbered from the densest down, so that a parent has a lower number.
struct ModeTree {
  // For each sample, by position:
  std::shared_ptr<const RowAtPosition> row_at_position;
  std::shared_ptr<const Buffer<double>> squared_radius;  ///< squared distance to the k-th nearest
  Buffer<std::int32_t> parent;  ///< the nearest sample of smaller radius, -1 for none
  Buffer<std::int32_t> basin;   ///< the mode that its links in the graph lead to

  // For each mode:
  std::vector<std::int32_t> mode_position;
  std::vector<std::int32_t> saddle_position;  ///< the sample at which it merges; -1 for never
  std::vector<std::int32_t> parent_mode;      ///< -1 for a mode that never merges
  std::vector<std::int64_t> size;             ///< samples in its basin and in those merged into it

  std::size_t samples() const { return basin.size(); }
  std::size_t modes() const { return mode_position.size(); }

  /// squared radius at the saddle / squared radius at the mode: the quotient that is compared with
  /// the limit for a beta. Infinity for a mode that never merges.
  double saddle_ratio(std::size_t mode) const;
  std::vector<double> saddle_ratios() const;
};

/// The quotient of two squared radii; 1 where both are zero.
double radius_ratio(double squared_radius, double mode_squared_radius);

/// Throws std::invalid_argument unless the tree has the structure that cuts rely on: numbers in
/// range, parents of smaller radius, modes in order. For trees that come from outside, such as a
/// damaged file. Whether they are the right modes and parents is not checked.
void check_structure(const ModeTree& tree);

/// Builds the tree from neighbor lists, or from radii alone (see can_skip_lists). `cascade`, where
/// there is one, finds the parents that no list holds.
///
/// 1. Each sample finds its parent, and its mutual parent: its nearest denser neighbor in the
///    mutual graph. The links to mutual parents form basins, one for each mode.
/// 2. Only an edge between two basins can be a saddle; it is as high as its lower end. Each thread
///    collects such edges and keeps a spanning forest of the highest.
/// 3. Kruskal's algorithm over these edges, highest first, gives the tree.
///
/// docs/theory.md proves that this is the merge tree of the whole graph.
template <class T>
ModeTree build_mode_tree(const Index<T>& index, const NeighborLists& lists,
                         const Cascade<T>* cascade, const Run& run);

}  // namespace quickshiftpp
