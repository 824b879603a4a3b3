#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

/// What of the neighbour lists is kept.
enum class Keep {
  nothing,    ///< but the radii
  positions,  ///< distances are computed again
  all
};

/// The k nearest samples of every sample, itself first, by position. O(n k) and nothing else.
///
/// Each list is sorted by squared distance, equal distances by row number. The lists for a smaller
/// k are the beginnings of these. Where columns are few, distances are not kept but computed again;
/// where they are fewer still and the stages after the join search again, the lists themselves need
/// not be kept either.
class NeighborLists {
 public:
  /// Empty lists, to be stored into.
  template <class T>
  NeighborLists(const Index<T>& index, int k, bool only_radii = false)
      : NeighborLists(index.samples(), index.padded_samples(), k,
                      only_radii                                    ? Keep::nothing
                      : index.columns() > tuning::kRecomputeColumns ? Keep::all
                                                                    : Keep::positions) {}

  std::size_t samples() const { return samples_; }
  int k() const { return k_; }
  /// What a list takes in memory, in entries: k, or more where it is the beginning of another.
  std::size_t stride() const { return stride_; }
  bool keeps_lists() const { return keep_ != Keep::nothing; }
  bool keeps_distances() const { return keep_ == Keep::all; }
  const std::int32_t* positions(std::int32_t i) const {
    return entries_->position.data() + static_cast<std::size_t>(i) * stride_;
  }
  /// The beginning of the list of i, as of positions(i), and how many of it lie there. Where lists
  /// for several k share long ones, what each k reads of all of them lies together once more.
  const std::int32_t* head(std::int32_t i) const {
    return has_heads() ? heads_->position.data() + static_cast<std::size_t>(i) * tuning::kHeadPlaces
                       : positions(i);
  }
  int head_places() const { return has_heads() ? std::min(k_, tuning::kHeadPlaces) : k_; }
  bool has_heads() const { return heads_ != nullptr; }
  /// What the squared distance to all of the head of i does not exceed; infinity without heads.
  float head_squared_radius(std::int32_t i) const {
    return has_heads() ? heads_->squared_radius[static_cast<std::size_t>(i)]
                       : std::numeric_limits<float>::infinity();
  }
  ListBlock block(std::int32_t begin, std::int32_t end) const {
    return {positions(begin), stride_, k_, begin, end};
  }
  /// Has the c-th of a list that will be read soon, a few samples after i, brought from memory: the
  /// lists lie too far apart for the processor to foresee it.
  void prefetch_after(std::int32_t i, int c) const {
    const std::size_t soon = std::min(static_cast<std::size_t>(i) + 16, samples_ - 1);
    __builtin_prefetch(entries_->position.data() + soon * stride_ + c);
  }
  /// From sample i to j, the c-th of its list.
  template <class T>
  double squared_distance(const Index<T>& index, std::int32_t i, int c, std::int32_t j) const {
    return keeps_distances() ? entries_->squared_distance[static_cast<std::size_t>(i) * stride_ +
                                                          static_cast<std::size_t>(c)]
                             : index.squared_distance(i, j);
  }
  template <class T>
  double squared_distance(const Index<T>& index, std::int32_t i, int c) const {
    return squared_distance(index, i, c, positions(i)[c]);
  }
  /// The squared distance to the last of each list, by position.
  const double* squared_radii() const { return squared_radius_->data(); }
  /// The same, to be kept longer than the lists.
  std::shared_ptr<const Buffer<double>> share_squared_radii() const { return squared_radius_; }
  /// Whether samples left out of the list are as near as its last. Not reliable at radius zero.
  bool tied_beyond(std::int32_t i) const {
    return (ties_[static_cast<std::size_t>(i)] & kBeyond) != 0;
  }
  /// Whether two of the list, itself left out, may be at the same distance. Mostly they are not,
  /// and distances need not be compared to know.
  bool may_tie(std::int32_t i) const { return (ties_[static_cast<std::size_t>(i)] & kWithin) != 0; }

  /// Stores one list; different samples may be stored at once.
  template <class List>
  void store(std::size_t i, const List& list, bool tied_beyond, bool may_tie = true) {
    if (keeps_lists()) {
      std::int32_t* position = entries_->position.data() + i * stride_;
      for (int c = 0; c < k_; ++c) position[c] = list[c].position;
    }
    if (keeps_distances()) {
      double* squared = entries_->squared_distance.data() + i * stride_;
      for (int c = 0; c < k_; ++c) squared[c] = list[c].squared;
    }
    (*squared_radius_)[i] = list[k_ - 1].squared;
    ties_[i] = ties(tied_beyond, may_tie);
  }

  /// Takes another sample into a full list, at a distance that is kept, if it is near enough.
  /// Returns whether the radius may have changed. For an index without a tree, where positions are
  /// row numbers; a sample may be offered once, and one list changed by one thread at a time.
  bool insert(std::size_t i, double squared, std::int32_t position);

  /// Frees the lists, unless others share them, and keeps the radii.
  void drop_lists(const Run& run);

  /// The lists of the k nearest for several k, the largest first and no larger than this one's: in
  /// the same memory, or copied where reading around what is left out would cost more.
  template <class T>
  std::vector<NeighborLists> first(const Index<T>& index, const std::vector<int>& ks,
                                   const Run& run) const;

 private:
  struct Entries {
    Buffer<std::int32_t> position;
    Buffer<double> squared_distance;
  };
  struct Heads {
    Buffer<std::int32_t> position;
    Buffer<float> squared_radius;  // rounded up
  };
  static constexpr std::uint8_t kBeyond = 1, kWithin = 2;
  static std::uint8_t ties(bool beyond, bool within) {
    return static_cast<std::uint8_t>((beyond ? kBeyond : 0) | (within ? kWithin : 0));
  }
  NeighborLists(std::size_t samples, std::size_t room, int k, Keep keep);
  NeighborLists(const NeighborLists& longer, int k);

  std::size_t samples_;
  std::size_t room_;  // what arrays by position take
  int k_;
  Keep keep_;
  std::size_t stride_;
  std::shared_ptr<Entries> entries_;
  std::shared_ptr<const Heads> heads_;  // null where lists are short, alone or copied
  std::shared_ptr<Buffer<double>> squared_radius_;
  Buffer<std::uint8_t> ties_;
};

/// Whether the stages after the join can do with radii, and search again for what is near.
template <class T>
bool can_search_again(const Index<T>& index) {
  return index.has_tree() && index.columns() <= tuning::kRecomputeColumns;
}

/// The exact self-join. 1 <= k <= samples. With `only_radii` no list is kept, which must do for
/// the stages that follow: see can_search_again.
template <class T>
NeighborLists neighbor_lists(const Index<T>& index, int k, const Run& run, bool only_radii = false);

/// The share of all pairs of blocks that the join for k neighbours looks at, from some of them.
template <class T>
double visited_share(const Index<T>& index, int k, const Run& run);

/// For each query (by position in `queries`) its squared distance to the k-th nearest target.
template <class T>
Buffer<double> kth_squared_distances(const Index<T>& queries, const Index<T>& targets, int k,
                                     const Run& run);

/// All positions in the order that settles ties: by coordinates, equal rows by row number.
template <class T>
Buffer<std::int32_t> coordinate_order(const Index<T>& index);

/// The positions with radius zero (k or more equal rows), equal rows side by side, lowest row
/// number first within each.
template <class T>
Buffer<std::int32_t> zero_radius_sites(const Index<T>& index, const double* squared_radius);

/// The neighbours of every sample by row: distances (not squared) and row numbers, samples x k.
struct NeighborTable {
  Buffer<double> distance;
  Buffer<std::int64_t> row;
};

/// The self-join, straight into a table: lists take no memory of their own. Where the radius is
/// zero, a sample's neighbours are the lowest row numbers among the equal rows, so that the output
/// depends on nothing but the input.
template <class T>
NeighborTable neighbor_table(const Index<T>& index, int k, const Run& run);

/// The same from lists.
template <class T>
NeighborTable neighbor_table(const Index<T>& index, const NeighborLists& lists, const Run& run);

}  // namespace quickshiftpp
