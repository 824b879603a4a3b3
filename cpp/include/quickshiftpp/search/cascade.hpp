#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/nearest_below.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"

namespace quickshiftpp {

/// The samples projected on a few nearly orthogonal axes, those along which they vary most.
///
/// For any two samples, (distance along the axes) <= scale * (true distance) + error.
struct Projection {
  const float* coordinates;  ///< samples by axes, row-major
  int axes;
  double scale;
  double error;  ///< at least 2^-48, with coordinates of at most about 1
  /// How much may be added to `error` to store the coordinates as 16-bit integers.
  double tolerance;
};

template <class T>
struct CascadeData;

/// Exact searches for many columns, where a k-d tree prunes little.
///
/// Three filters, each slower and sharper than the one before: all pairs of samples are compared
/// along the first axes, in low precision and many at a time; the remaining pairs along all axes;
/// what still remains by the exact distance, from the samples themselves. docs/exactness.md shows
/// why the filters lose no neighbor.
///
/// A k-d tree over the very first axes orders the samples into blocks and skips distant ones. The
/// search has two phases. First each block searches the blocks around it, until its lists are
/// nearly final. Then every remaining pair of blocks is compared once, for the lists of both.
template <class T>
class Cascade {
 public:
  /// `rows`, which must outlive the object, are those of `index`, an index without a tree.
  Cascade(const Index<T>& index, const T* rows, const Projection& projection, const Run& run);
  ~Cascade();

  const Index<T>& index() const;

  NeighborLists neighbor_lists(int k, const Run& run) const;
  /// With another number of blocks that each block searches in the first phase, at least.
  NeighborLists neighbor_lists(int k, const Run& run, std::size_t first_phase_blocks) const;

  /// Same as NearestBelow from samples of the index, for several at once: fills in found[i] for
  /// rows[i]. `key` and `limit` by row.
  void nearest_below(const double* key, const double* limit, const std::vector<std::int32_t>& rows,
                     NearestSample* found, const Run& run) const;

  /// From each of the rows after the first `first_rows`, the squared distance to the k-th nearest
  /// of those.
  Buffer<double> kth_squared_distances(std::int32_t first_rows, int k, const Run& run) const;

 private:
  std::unique_ptr<const CascadeData<T>> data_;
};

}  // namespace quickshiftpp
