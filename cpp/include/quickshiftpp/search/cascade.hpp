#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/nearest_below.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"
#include "quickshiftpp/tuning.hpp"
#include "search/projected_samples.hpp"

namespace quickshiftpp {

/// Exact searches for many columns, where a k-d tree prunes little.
///
/// An orthogonal projection never lengthens a difference, and what is nearly one does so by little
/// that is known. So most pairs are discarded by their distance along the first axes, roughly and
/// many at a time; most of the others by their distance along some more; and what is left is
/// computed exactly, from the samples themselves.
/// A k-d tree over the very first axes gives the order, and skips what it can. A sample looks by
/// itself through the blocks around it; once its list is nearly final, every two blocks meet, for
/// both.
template <class T>
class Cascade {
 public:
  /// `rows`, which must outlive the object, are those of `index`, an index without a tree.
  Cascade(const Index<T>& index, const T* rows, const Projection& projection, const Run& run);

  std::size_t samples() const { return index_.samples(); }

  /// `home`: how many blocks samples look through by themselves, at least, before every two blocks
  /// meet for both sides.
  NeighborLists neighbor_lists(int k, const Run& run, std::size_t home) const;
  NeighborLists neighbor_lists(int k, const Run& run) const {
    return neighbor_lists(k, run, tuning::home_blocks(static_cast<std::size_t>(tree_.blocks())));
  }

  /// As NearestBelow from samples of the index, for several at once: fills in found[i] for
  /// samples[i]. `key` and `limit` by row.
  void nearest_below(const double* key, const double* limit,
                     const std::vector<std::int32_t>& samples, Found* found, const Run& run) const;

 private:
  class CandidateQueue;
  class QueryGroup;
  class BlockSearch;
  class SharedLists;
  class PairSide;
  class PairSearch;
  class BelowSearch;

  /// Completes lists that were found among the blocks of the tree that each has `seen`.
  void meet_pairs(NeighborLists& lists, const std::vector<std::vector<std::int32_t>>& seen,
                  const Run& run) const;

  const T* row(std::int32_t position) const {
    return rows_ + static_cast<std::size_t>(tree_.row_at(position)) * columns_;
  }

  /// From a box to that of a node, along the few axes that matter most.
  double box_distance(const double* box, std::size_t node) const {
    return box_box_distance(box, tree_.box(node), tree_.columns(),
                            std::min(tree_.columns(), tuning::kBoxAxes));
  }

  const Index<T>& index_;
  const T* rows_;
  std::size_t columns_;
  Index<float> tree_;  // the samples along the very first axes; "position" is one of its own
  ProjectedSamples projected_;
  const Kernels<T>& kernel_;
};

}  // namespace quickshiftpp
