#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/axes.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/search/nearest_below.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"

namespace quickshiftpp {

/// How a cascade compares samples. None of it changes a result.
struct CascadePlan {
  Axes axes;
  int screen_axes;  ///< all pairs are compared along so many of the axes, the first ones
  /// Samples by a few axes of large variance, which order them; scale and error of `axes` hold for
  /// these as well.
  const float* order;
  int order_axes;
  bool in_integers;  ///< whether coordinates are rounded to 16 bits
  bool in_bytes;     ///< whether those of the screen have 8 bits, where the processor can
};

template <class T>
struct CascadeData;

/// Exact searches for many columns, where a k-d tree prunes little.
///
/// Three filters, each slower and sharper than the one before: all pairs of samples are compared
/// along all columns or the first axes, in low precision and many at a time; the remaining pairs
/// along all axes, where the first filter has seen less; what still remains by the exact distance,
/// from the samples themselves. docs/exactness.md shows why the filters lose no neighbor.
///
/// A k-d tree over a few columns or axes orders the samples into blocks and skips distant ones. The
/// search has two phases. First each block searches the blocks around it, until its lists are
/// nearly final. Then every remaining pair of blocks is compared once, for the lists of both. A few
/// samples with many columns all search at the same time instead, and every pair is compared once.
template <class T>
class Cascade {
 public:
  /// `rows`, which must outlive the object, are those of `index`, an index without a tree.
  Cascade(const Index<T>& index, const T* rows, const CascadePlan& plan, const Run& run);
  /// Without a copy of the rows: its index has no coordinates.
  Cascade(const T* rows, std::size_t samples, int columns, const CascadePlan& plan, const Run& run);
  ~Cascade();

  const Index<T>& index() const;
  /// The exact distances that all searches so far have computed.
  std::uint64_t exact_distances() const;

  NeighborLists neighbor_lists(int k, const Run& run) const;
  /// In two phases, with another number of blocks that each block searches in the first one, at
  /// least.
  NeighborLists neighbor_lists(int k, const Run& run, std::size_t first_phase_blocks) const;
  /// All samples at the same time. Nothing where the low precision does not settle which samples to
  /// keep: along principal axes, or if too many are about equally near.
  std::optional<NeighborLists> joint_neighbor_lists(int k, const Run& run) const;

  NeighborTable neighbor_table(int k, const Run& run) const;

  /// Same as NearestBelow from samples of the index, for several at once: fills in found[i] for
  /// rows[i]. `key` and `limit` by row.
  void nearest_below(const double* key, const double* limit, const std::vector<std::int32_t>& rows,
                     NearestSample* found, const Run& run) const;

  /// From each of the rows after the first `first_rows`, the squared distance to the k-th nearest
  /// of those.
  Buffer<double> kth_squared_distances(std::int32_t first_rows, int k, const Run& run) const;

 private:
  std::unique_ptr<const Index<T>> positions_;  // where no index was given
  std::unique_ptr<const CascadeData<T>> data_;
};

}  // namespace quickshiftpp
