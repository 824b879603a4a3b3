// The second phase of the cascade's search: every pair of blocks is compared once, for both sides.

#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "quickshiftpp/search/neighbor_lists.hpp"
#include "search/block_queries.hpp"
#include "search/cascade_data.hpp"
#include "search/cascade_queue.hpp"
#include "support/relaxed.hpp"

namespace quickshiftpp {

/// The lists of all samples, to which several threads add at once.
///
/// A search radius only ever shrinks. A thread that reads an old one compares more samples than
/// needed, and misses none.
template <class T>
class SharedLists {
 public:
  /// Full lists, by row, which must outlive the object. `visited`: for every block the blocks that
  /// its lists know already, sorted.
  SharedLists(const CascadeData<T>& data, NeighborLists& lists,
              const std::vector<std::vector<std::int32_t>>& visited)
      : data_(data),
        lists_(lists),
        visited_(visited),
        squared_radius_(data.tree.padded_samples()),
        threshold_(data.tree.padded_samples()),
        lock_(std::make_unique<std::mutex[]>(visited.size())) {
    std::fill_n(squared_radius_.data(), squared_radius_.size(), -1.0);
    std::fill_n(threshold_.data(), threshold_.size(), std::numeric_limits<float>::infinity());
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(data.tree.samples()); ++i)
      set_bound(i, lists.squared_radii()[data.tree.row_at(i)]);
  }

  /// The search radius of a sample.
  double squared_radius(std::int32_t position) const {
    return load_relaxed(squared_radius_.data()[position]);
  }
  /// Of all samples, by position, in whole blocks; while no thread adds to the lists.
  const double* squared_radii() const { return squared_radius_.data(); }
  /// The largest search radius of a block's samples.
  double block_squared_radius(std::int32_t block) const {
    double largest = -1;
    for (std::int32_t i = data_.tree.block_begin(block); i < data_.tree.block_end(block); ++i)
      largest = std::max(largest, squared_radius(i));
    return largest;
  }
  /// The thresholds of a block's samples, as ScreenKernels need them.
  void copy_thresholds(std::int32_t block, float* out) const {
    const float* from = threshold_.data() + data_.tree.block_begin(block);
    for (int lane = 0; lane < tuning::kBlock; ++lane) out[lane] = load_relaxed(from[lane]);
  }
  bool has_visited(std::int32_t block, std::int32_t other) const {
    const std::vector<std::int32_t>& visited = visited_[static_cast<std::size_t>(block)];
    return std::binary_search(visited.begin(), visited.end(), other);
  }

  /// Adds a neighbor to the list of the sample at `position`, where it is near enough.
  void insert(std::int32_t position, std::int32_t neighbor, double squared) {
    const auto i = static_cast<std::size_t>(data_.tree.row_at(position));
    const std::lock_guard guard(lock_[static_cast<std::size_t>(position / tuning::kBlock)]);
    if (lists_.insert(i, squared, data_.tree.row_at(neighbor)))
      set_bound(position, lists_.squared_radii()[i]);
  }

 private:
  void set_bound(std::int32_t position, double squared_distance) {
    const auto i = static_cast<std::size_t>(position);
    // A bound of zero cannot fall: no other sample changes the radius.
    const double squared_radius =
        squared_distance == 0 ? -1 : data_.projected.squared_search_radius(squared_distance);
    store_relaxed(squared_radius_[i], squared_radius);
    store_relaxed(threshold_[i], data_.projected.screen_threshold(position, squared_radius));
  }

  const CascadeData<T>& data_;
  NeighborLists& lists_;
  const std::vector<std::vector<std::int32_t>>& visited_;
  Buffer<double> squared_radius_;  // by position, as the thresholds
  Buffer<float> threshold_;
  std::unique_ptr<std::mutex[]> lock_;  // one for each block
};

/// One block of samples, compared with one later block after another.
template <class T>
class PairedBlock {
 public:
  PairedBlock(const CascadeData<T>& data, SharedLists<T>& lists)
      : data_(data), lists_(lists), queries_(data) {}

  void load(std::int32_t block) {
    queries_.load(block);
    squared_radius_ = lists_.block_squared_radius(block);
    std::fill_n(queued_, kBlock, 0);
  }

  std::int32_t block() const { return queries_.block(); }
  /// The largest search radius of its samples.
  double squared_radius() const { return squared_radius_; }

  /// Offers the samples of both blocks to the lists of the other, unless those know them already.
  void compare_with(std::int32_t other) {
    const bool is_new_here = !lists_.has_visited(block(), other);
    const bool is_new_there = !lists_.has_visited(other, block());
    if (!is_new_here && !is_new_there) return;
    float threshold[kBlock], other_threshold[kBlock];
    copy_thresholds(is_new_here, block(), threshold);
    copy_thresholds(is_new_there, other, other_threshold);
    queries_.screen(other, threshold, other_threshold, screened_);
    const std::int32_t own = queries_.begin(), others = data_.tree.block_begin(other);
    int count = 0;
    for (int q = 0; q < queries_.lanes(); ++q) {
      const std::uint32_t here = screened_.here[q], there = screened_.there[q];
      for (std::uint32_t bits = here | there; bits != 0; bits &= bits - 1) {
        const int lane = std::countr_zero(bits);
        pairs_[count] = {own + q, others + lane,
                         (here >> lane & 1) * kHere + (there >> lane & 1) * kThere};
        remainder_[count++] =
            data_.projected.remainder(others + lane, screened_.product[q * kBlock + lane]);
      }
    }
    queue_pairs(count);
  }

  /// Computes what is still in the queues.
  void finish() {
    for (int lane = 0; lane < queries_.lanes(); ++lane) measure(lane);
    data_.exact_distances += static_cast<std::uint64_t>(std::exchange(measured_, 0));
  }

 private:
  static constexpr int kBlock = tuning::kBlock;

  /// Which list may take a pair: that of this block's sample, or of the other's.
  static constexpr std::uint32_t kHere = 1, kThere = 2;

  void copy_thresholds(bool is_new, std::int32_t block, float* out) const {
    if (is_new)
      lists_.copy_thresholds(block, out);
    else
      std::fill_n(out, kBlock, std::numeric_limits<float>::infinity());
  }

  /// Puts the pairs that may be near enough into the queues.
  void queue_pairs(int count) {
    const ProjectedSamples& projected = data_.projected;
    if (projected.refines()) {
      count = projected.refine(pairs_, count, lower_bound_, [&](const SamplePair& pair) {
        return std::max((pair.user_data & kHere) != 0 ? lists_.squared_radius(pair.a) : -1,
                        (pair.user_data & kThere) != 0 ? lists_.squared_radius(pair.b) : -1);
      });
    } else {
      for (int i = 0; i < count; ++i)
        lower_bound_[i] = projected.lower_bound(pairs_[i].a, remainder_[i]);
    }
    for (int i = 0; i < count; ++i) {
      const int lane = pairs_[i].a - queries_.begin();
      queue_[lane][queued_[lane]++] = {lower_bound_[i], pairs_[i].b, pairs_[i].user_data};
      if (queued_[lane] == tuning::kQueueLength) measure(lane);
    }
  }

  void measure(int lane) {
    if (queued_[lane] == 0) return;
    const std::int32_t own = queries_.begin() + lane;
    measured_ += measure_queue(
        data_, data_.widened(own, sample_), queue_[lane],
        queue_[lane] + std::exchange(queued_[lane], 0),
        [&](QueueEntry& entry) {
          if (entry.lower_bound > lists_.squared_radius(own)) entry.user_data &= ~kHere;
          if (entry.lower_bound > lists_.squared_radius(entry.position)) entry.user_data &= ~kThere;
          return entry.user_data != 0;
        },
        [&](const QueueEntry& entry, double squared) {
          if ((entry.user_data & kHere) != 0) lists_.insert(own, entry.position, squared);
          if ((entry.user_data & kThere) != 0) lists_.insert(entry.position, own, squared);
        },
        [] {});
    squared_radius_ = lists_.block_squared_radius(block());
  }

  const CascadeData<T>& data_;
  SharedLists<T>& lists_;
  BlockQueries<T> queries_;
  ScreenedPairs screened_;
  double squared_radius_ = -1;
  SamplePair pairs_[ProjectedSamples::kMostPairs];
  float remainder_[ProjectedSamples::kMostPairs];
  double lower_bound_[ProjectedSamples::kMostPairs];
  QueueEntry queue_[kBlock][tuning::kQueueLength];
  int queued_[kBlock];
  std::int64_t measured_ = 0;   // exact distances since the last call of finish()
  std::vector<double> sample_;  // the one whose queue is emptied
};

/// Compares a few neighboring blocks at a time with all later ones, which are fetched from memory
/// once for all of them; one thread's work.
template <class T>
class BlockPairSearch {
 public:
  /// `node_radii`: of the search radii below each node.
  BlockPairSearch(const CascadeData<T>& data, SharedLists<T>& lists,
                  const std::vector<ValueRange>& node_radii)
      : data_(data),
        node_radii_(node_radii),
        box_(2 * static_cast<std::size_t>(data.tree.columns())) {
    for (int i = 0; i < tuning::kPairBlocks; ++i)
      blocks_.push_back(std::make_unique<PairedBlock<T>>(data, lists));
  }

  /// For the blocks [begin, end), at most tuning::kPairBlocks. `max_equal_blocks`: see
  /// visit_outward.
  void run(std::int32_t begin, std::int32_t end, std::int32_t max_equal_blocks, WorkMeter& meter) {
    const Index<float>& tree = data_.tree;
    in_use_ = 0;
    for (std::int32_t block = begin; block < end; ++block)
      if (!is_superfluous(block, max_equal_blocks)) blocks_[in_use_++]->load(block);
    if (in_use_ == 0) return;
    unite_boxes();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    visit_outward(
        tree, begin, max_equal_blocks,
        [&](std::size_t node) {
          if (tree.node(node).last <= begin) return infinity;
          const double squared_radius = std::max(largest_radius(), node_radii_[node].greatest);
          const double distance = data_.box_distance(box_.data(), node);
          return distance <= squared_radius ? distance : infinity;
        },
        [] { return std::numeric_limits<double>::max(); },
        [&](std::int32_t other, std::size_t) {
          for_each_block([&](PairedBlock<T>& block) {
            if (other > block.block()) block.compare_with(other);
          });
          meter.spend(data_.screen_operations() * tuning::kBlock * in_use_);
        });
    for_each_block([](PairedBlock<T>& block) { block.finish(); });
  }

 private:
  /// Whether a block holds copies of a sample of which the blocks before it hold enough. Its own
  /// lists are complete, since their radius is zero.
  bool is_superfluous(std::int32_t block, std::int32_t max_equal_blocks) const {
    const Index<float>& tree = data_.tree;
    std::size_t node = 0;
    while (!tree.node(node).is_leaf() && !tree.holds_equal_samples(node))
      node = block < tree.node(node).middle() ? tree.left(node) : tree.right(node);
    return tree.holds_equal_samples(node) && block - tree.node(node).first >= max_equal_blocks;
  }

  template <class Work>
  void for_each_block(Work&& work) {
    for (std::size_t i = 0; i < in_use_; ++i) work(*blocks_[i]);
  }
  double largest_radius() {
    double largest = -1;
    for_each_block(
        [&](const PairedBlock<T>& block) { largest = std::max(largest, block.squared_radius()); });
    return largest;
  }
  void unite_boxes() {
    const Index<float>& tree = data_.tree;
    const auto axes = static_cast<std::size_t>(tree.columns());
    for (std::size_t i = 0; i < in_use_; ++i) {
      const double* box = tree.box(tree.leaf(blocks_[i]->block()));
      for (std::size_t a = 0; a < axes; ++a) {
        box_[a] = i == 0 ? box[a] : std::min(box_[a], box[a]);
        box_[axes + a] = i == 0 ? box[axes + a] : std::max(box_[axes + a], box[axes + a]);
      }
    }
  }

  const CascadeData<T>& data_;
  const std::vector<ValueRange>& node_radii_;
  std::vector<double> box_;  // of all blocks in use
  std::vector<std::unique_ptr<PairedBlock<T>>> blocks_;
  std::size_t in_use_ = 0;
};

}  // namespace quickshiftpp
