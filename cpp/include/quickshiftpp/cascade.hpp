#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/ascent.hpp"
#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/index.hpp"
#include "quickshiftpp/kernels.hpp"
#include "quickshiftpp/neighbors.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// The samples along a few nearly orthogonal axes: what makes most of them differ, in few numbers.
struct LeadingAxes {
  const float* coordinates;  ///< samples by axes, row-major
  int axes;
  double scale;  ///< a length times this is at least the length along the axes, but for `error`
  /// The most that the length of a difference between two samples may be overestimated by, in the
  /// units of `coordinates`, by rounding on the way there.
  double error;
};

/// Exact searches for many columns, where a k-d tree prunes little.
///
/// An orthogonal projection never lengthens a difference, and what is nearly one does so by little
/// that is known. So most pairs are discarded by their distance along the first axes, in float32
/// and many at a time; most of the others by their distance along some more; and what is left is
/// computed exactly, from the samples themselves.
/// A k-d tree over the first axes gives the order, and skips what it can. A sample looks by itself
/// through the blocks around it; once its list is nearly final, every two blocks meet, for both.
template <class T>
class Cascade {
 public:
  /// `rows`, which must outlive the object, are those of `index`, an index without a tree.
  Cascade(const Index<T>& index, const T* rows, const LeadingAxes& leading, const Run& run);

  std::size_t samples() const { return index_.samples(); }

  /// `home`: how many blocks samples look through by themselves, at least, before every two blocks
  /// meet for both sides.
  NeighborLists neighbor_lists(int k, const Run& run, std::size_t home) const;
  NeighborLists neighbor_lists(int k, const Run& run) const {
    return neighbor_lists(k, run, tuning::home_blocks(static_cast<std::size_t>(screen_.blocks())));
  }

  /// As NearestBelow from samples of the index, for several at once: fills in found[i] for
  /// samples[i]. `key` and `limit` by row.
  void nearest_below(const double* key, const double* limit,
                     const std::vector<std::int32_t>& samples, Found* found, const Run& run) const;

 private:
  class Probe;
  class BlockSearch;
  class SharedLists;
  class PairSide;
  class PairSearch;
  class BelowSearch;

  /// Completes lists that were found among the blocks of the screen that each has `seen`.
  void meet_pairs(NeighborLists& lists, const std::vector<std::vector<std::int32_t>>& seen,
                  const Run& run) const;

  static double squared_norm(const float* point, int axes) {
    double sum = 0;
    for (int a = 0; a < axes; ++a) sum += static_cast<double>(point[a]) * point[a];
    return sum;
  }
  const T* row(std::int32_t position) const {
    return rows_ + static_cast<std::size_t>(screen_.original(position)) * columns_;
  }
  const float* refined(std::int32_t position) const {
    return refined_.data() + static_cast<std::size_t>(position) * refined_axes_;
  }

  /// How far samples within a squared distance, in the units of the rows, may be apart along the
  /// axes: squared, and negative where that is.
  double reach_of(double squared) const {
    if (squared < 0) return -1;
    const double length = std::sqrt(squared) * scale_ * (1 + 1e-12) + error_;
    return length * length;
  }
  /// The least product with a sample, less half of that one's squared norm, that a sample of the
  /// given squared norm must look at: both as ScreenKernels compute them.
  float threshold_of(double squared_norm, double reach) const;

  /// From a box along the first axes to that of a node, by the few that matter most.
  double box_distance(const double* box, std::size_t node) const {
    return box_box_distance(box, screen_.box(node), screen_.columns(),
                            std::min(screen_.columns(), tuning::kBoxAxes));
  }
  /// Exact squared distances from a sample to 1 to kRowsTogether rows; those beyond `count` are
  /// filled in.
  void row_distances(std::int32_t position, const T** rows, int count, double* squared) const {
    std::fill(rows + count, rows + kRowsTogether, rows[0]);
    kernel_.row_distances(row(position), rows, columns_, squared);
  }

  /// At most the squared distance along all axes; once it exceeds `reach`, less will do.
  double apart(std::int32_t a, std::int32_t b, double reach) const;

  const Index<T>& index_;
  const T* rows_;
  std::size_t columns_;
  double scale_;
  double error_;
  std::size_t refined_axes_;  // a multiple of 16, the last ones zero
  Index<float> screen_;       // the samples along the first axes; "position" is one of its own
  Buffer<float> refined_;     // by position, along all axes
  Buffer<float> half_norm_;   // by position, of the first axes, and as many as fill the last block
  double largest_norm_ = 0;   // of the first axes
  const ScreenKernels& screen_kernel_;
  const Kernels<T>& kernel_;
};

}  // namespace quickshiftpp
