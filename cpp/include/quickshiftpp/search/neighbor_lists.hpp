#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/positions.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

/// What is stored of the neighbor lists.
enum class Stored {
  radii,      ///< no list, only the radius of each sample: see can_skip_lists
  positions,  ///< lists without distances, which are computed again when needed
  distances   ///< lists with distances
};

/// The k nearest samples of every sample, the sample itself first, by position. O(n k) memory.
///
/// Each list is sorted by squared distance, equal distances by row number. A list's first entries
/// are therefore the list for a smaller k (see prefix). Where columns are few, distances are not
/// stored: computing one again from coordinates in the cache is faster than reading it from memory.
/// They are where the index has no coordinates.
class NeighborLists {
 public:
  /// Empty lists, to be filled with store().
  template <class T>
  NeighborLists(const Index<T>& index, int k, bool only_radii = false)
      : NeighborLists(index.samples(), index.padded_samples(), k,
                      only_radii                     ? Stored::radii
                      : can_recompute_quickly(index) ? Stored::positions
                                                     : Stored::distances) {
    order_ = index.share_row_at_position();
  }

  /// Whether these are lists of the samples of this index, by its positions.
  template <class T>
  bool belong_to(const Index<T>& index) const {
    return order_ == index.share_row_at_position();
  }

  std::size_t samples() const { return samples_; }
  int k() const { return k_; }
  bool has_lists() const { return stored_ != Stored::radii; }
  bool has_distances() const { return stored_ == Stored::distances; }

  const std::int32_t* positions(std::int32_t i) const {
    return entries_->position.data() + static_cast<std::size_t>(i) * stride_;
  }
  /// From sample i to entry c of its list.
  template <class T>
  double squared_distance(const Index<T>& index, std::int32_t i, int c) const {
    return has_distances() ? entries_->squared_distance[static_cast<std::size_t>(i) * stride_ +
                                                        static_cast<std::size_t>(c)]
                           : index.squared_distance(i, positions(i)[c]);
  }
  /// The squared distance to the last entry of each list, by position, padded to whole blocks.
  const double* squared_radii() const { return squared_radius_->data(); }
  /// Whether some lists hold nothing but equal samples.
  bool have_zero_radii() const {
    const double* radii = squared_radii();
    return std::any_of(radii, radii + samples_, [](double squared) { return squared == 0; });
  }
  /// The same array, for those who outlive the lists.
  std::shared_ptr<const Buffer<double>> share_squared_radii() const { return squared_radius_; }
  /// Whether samples that are not in the list are exactly as near as its last entry. Unreliable
  /// where the radius is zero: a search stops at k equal samples.
  bool tied_beyond(std::int32_t i) const { return tied_beyond_[static_cast<std::size_t>(i)] != 0; }

  /// Stores one list. Several threads may store different samples at the same time.
  template <class List>
  void store(std::size_t i, const List& list, bool tied_beyond) {
    if (has_lists()) {
      std::int32_t* position = entries_->position.data() + i * stride_;
      for (int c = 0; c < k_; ++c) position[c] = list[c].position;
    }
    if (has_distances()) {
      double* squared = entries_->squared_distance.data() + i * stride_;
      for (int c = 0; c < k_; ++c) squared[c] = list[c].squared;
    }
    (*squared_radius_)[i] = list[k_ - 1].squared;
    tied_beyond_[i] = tied_beyond;
  }

  /// Inserts a sample into a full list with distances if it is near enough; returns whether it is.
  /// Only for an index without a tree, where positions are row numbers. A sample must be offered at
  /// most once, and one list changed by one thread at a time.
  bool insert(std::size_t i, double squared, std::int32_t position);

  /// The lists for a smaller k: the first entries of these, in the same memory or copied.
  template <class T>
  NeighborLists prefix(const Index<T>& index, int k, const Run& run) const;

 private:
  struct Entries {
    Buffer<std::int32_t> position;
    Buffer<double> squared_distance;
  };
  NeighborLists(std::size_t samples, std::size_t padded_samples, int k, Stored stored);
  template <class T>
  static bool can_recompute_quickly(const Index<T>& index) {
    return index.has_coordinates() && index.columns() <= tuning::kRecomputeColumns;
  }

  std::shared_ptr<const RowAtPosition> order_;  // of the index
  std::size_t samples_;
  std::size_t padded_samples_;
  int k_;
  Stored stored_;
  std::size_t stride_;  // entries from one list to the next: the k of the search
  std::shared_ptr<Entries> entries_;
  std::shared_ptr<Buffer<double>> squared_radius_;
  Buffer<std::uint8_t> tied_beyond_;
};

/// Whether the tree can be built from radii alone: a k-d tree over few columns finds the neighbors
/// of a sample again faster than large lists come from memory.
template <class T>
bool can_skip_lists(const Index<T>& index) {
  return index.has_tree() && index.columns() <= tuning::kRecomputeColumns;
}

}  // namespace quickshiftpp
