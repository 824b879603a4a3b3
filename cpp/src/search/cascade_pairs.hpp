// The second half of the cascade's search: every pair of blocks meets once, for both sides.

#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "quickshiftpp/search/cascade.hpp"
#include "search/cascade_queue.hpp"

namespace quickshiftpp {

/// The lists of all samples, which several threads add to at once.
///
/// A bound only ever falls. Whoever reads an old one looks at more than needed, and misses nothing.
template <class T>
class Cascade<T>::SharedLists {
 public:
  /// Full lists, by row; they must outlive the object. `home`: for every block of the tree the
  /// blocks that its samples have looked through already, in order.
  SharedLists(const Cascade& cascade, NeighborLists& lists,
              const std::vector<std::vector<std::int32_t>>& home)
      : cascade_(cascade),
        lists_(lists),
        home_(home),
        reach_(cascade.tree_.padded_samples()),
        threshold_(cascade.tree_.padded_samples()),
        lock_(std::make_unique<std::mutex[]>(home.size())) {
    const auto samples = static_cast<std::int32_t>(cascade.tree_.samples());
    std::fill_n(reach_.data(), cascade.tree_.padded_samples(), -1.0);
    std::fill_n(threshold_.data(), cascade.tree_.padded_samples(),
                std::numeric_limits<float>::infinity());
    for (std::int32_t i = 0; i < samples; ++i)
      set_bound(i, lists.squared_radii()[cascade.tree_.row_at(i)]);
  }

  /// How far a sample looks: squared, along the axes; negative where it is done.
  double reach(std::int32_t position) const { return load(reach_.data() + position); }
  /// Of all samples, by position, with room for whole blocks; while nobody adds to the lists.
  const double* reaches() const { return reach_.data(); }
  double widest_reach(std::int32_t block) const {
    double widest = -1;
    for (std::int32_t i = cascade_.tree_.block_begin(block); i < cascade_.tree_.block_end(block);
         ++i)
      widest = std::max(widest, reach(i));
    return widest;
  }
  /// The thresholds of a block's samples, as ScreenKernels need them.
  void copy_thresholds(std::int32_t block, float* out) const {
    const float* from = threshold_.data() + cascade_.tree_.block_begin(block);
    for (int lane = 0; lane < tuning::kBlock; ++lane) out[lane] = load(from + lane);
  }
  bool has_seen(std::int32_t block, std::int32_t other) const {
    const std::vector<std::int32_t>& seen = home_[static_cast<std::size_t>(block)];
    return std::binary_search(seen.begin(), seen.end(), other);
  }

  /// Tells a sample of another, at an exact distance.
  void offer(std::int32_t position, std::int32_t other, double squared) {
    const auto i = static_cast<std::size_t>(cascade_.tree_.row_at(position));
    const std::lock_guard guard(lock_[static_cast<std::size_t>(position / tuning::kBlock)]);
    if (lists_.insert(i, squared, cascade_.tree_.row_at(other)))
      set_bound(position, lists_.squared_radii()[i]);
  }

 private:
  template <class Value>
  static Value load(const Value* from) {
    return std::atomic_ref<Value>(*const_cast<Value*>(from)).load(std::memory_order_relaxed);
  }
  void set_bound(std::int32_t position, double squared) {
    const auto i = static_cast<std::size_t>(position);
    // A bound of zero cannot fall: nothing that remains to be seen changes a radius.
    const double reach = squared == 0 ? -1 : cascade_.projected_.reach_of(squared);
    std::atomic_ref(reach_[i]).store(reach, std::memory_order_relaxed);
    std::atomic_ref(threshold_[i])
        .store(cascade_.projected_.threshold_of(position, reach), std::memory_order_relaxed);
  }

  const Cascade& cascade_;
  NeighborLists& lists_;
  const std::vector<std::vector<std::int32_t>>& home_;
  Buffer<double> reach_;  // by position, as what follows
  Buffer<float> threshold_;
  std::unique_ptr<std::mutex[]> lock_;  // one for each block
};

/// The samples of one block, which meet those of later blocks.
template <class T>
class Cascade<T>::PairSide {
 public:
  PairSide(const Cascade& cascade, SharedLists& lists)
      : cascade_(cascade), lists_(lists), points_(cascade.projected_.point_words(kBlock)) {}

  /// Takes another block. `enough` as of visit_outward.
  void begin(std::int32_t block, std::int32_t enough) {
    const Index<float>& tree = cascade_.tree_;
    block_ = block;
    lanes_ = tree.block_end(block) - tree.block_begin(block);
    reach_ = lists_.widest_reach(block);
    is_spare_ = is_one_too_many(enough);
    std::fill_n(points_.data(), points_.size(), ProjectedSamples::Word{0});
    for (int lane = 0; lane < lanes_; ++lane) {
      queue_[lane].clear();
      cascade_.projected_.copy_point(tree.block_begin(block) + lane, lane % kQueryGroup,
                                     group_points(lane / kQueryGroup));
    }
  }

  std::int32_t block() const { return block_; }
  /// How far its samples look, the one that looks farthest.
  double reach() const { return reach_; }
  /// Whether nobody needs to look at its samples: there are enough that are equal. They need not
  /// look either, since their radius is zero.
  bool is_spare() const { return is_spare_; }

  /// Both look at each other, as far as they have not by themselves.
  void meet(std::int32_t other) {
    const Index<float>& tree = cascade_.tree_;
    const bool looks = !lists_.has_seen(block_, other),
               is_looked_at = !lists_.has_seen(other, block_);
    if (!looks && !is_looked_at) return;
    alignas(64) float threshold[kBlock], other_threshold[kBlock];
    copy_thresholds(looks, block_, threshold);
    copy_thresholds(is_looked_at, other, other_threshold);
    const std::int32_t first = tree.block_begin(other);
    int count = 0;
    for (int group = 0; group < lanes_; group += kQueryGroup) {
      const std::int32_t own = tree.block_begin(block_) + group;
      std::uint32_t wanted[kQueryGroup], wants[kQueryGroup];
      cascade_.projected_.screen_both(other, group_points(group / kQueryGroup), threshold + group,
                                      own, other_threshold, wanted, wants);
      for (int q = 0; q < std::min(kQueryGroup, lanes_ - group); ++q)
        for (std::uint32_t bits = wanted[q] | wants[q]; bits != 0; bits &= bits - 1) {
          const int lane = std::countr_zero(bits);
          pairs_[count++] = {own + q, first + lane,
                             (wanted[q] >> lane & 1) * kIsWanted + (wants[q] >> lane & 1) * kWants};
        }
    }
    refine(count);
  }

  /// Computes what still waits.
  void finish() {
    for (int lane = 0; lane < lanes_; ++lane) measure(lane);
  }

 private:
  static constexpr int kQueryGroup = tuning::kQueryGroup, kBlock = tuning::kBlock;

  /// By the sample of the block at hand, or by the other one.
  static constexpr std::uint32_t kIsWanted = 1, kWants = 2;

  ProjectedSamples::Word* group_points(int group) {
    return points_.data() +
           static_cast<std::size_t>(group) * cascade_.projected_.point_words(kQueryGroup);
  }

  /// Whether as many equal samples as anyone can use lie before this block.
  bool is_one_too_many(std::int32_t enough) const {
    const Index<float>& tree = cascade_.tree_;
    std::size_t node = 0;
    while (!tree.node(node).is_leaf() && !tree.is_point(node))
      node = block_ < tree.node(node).middle() ? tree.left(node) : tree.right(node);
    return tree.is_point(node) && block_ - tree.node(node).first >= enough;
  }

  void copy_thresholds(bool is_of_interest, std::int32_t block, float* out) const {
    if (is_of_interest)
      lists_.copy_thresholds(block, out);
    else
      std::fill_n(out, kBlock, std::numeric_limits<float>::infinity());
  }

  /// The second look at pairs that may be in reach of one or the other.
  void refine(int count) {
    count = cascade_.projected_.refine(pairs_, count, apart_, [&](const SamplePair& pair) {
      return std::max((pair.tag & kIsWanted) != 0 ? lists_.reach(pair.a) : -1,
                      (pair.tag & kWants) != 0 ? lists_.reach(pair.b) : -1);
    });
    for (int i = 0; i < count; ++i) {
      const int lane = pairs_[i].a - cascade_.tree_.block_begin(block_);
      queue_[lane].add({apart_[i], pairs_[i].b, pairs_[i].tag});
      if (queue_[lane].is_full()) measure(lane);
    }
  }

  void measure(int lane) {
    using Entry = typename CandidateQueue::Entry;
    const std::int32_t own = cascade_.tree_.block_begin(block_) + lane;
    queue_[lane].measure(
        cascade_, own,
        [&](Entry& entry) {
          if (entry.apart > lists_.reach(own)) entry.tag &= ~kIsWanted;
          if (entry.apart > lists_.reach(entry.position)) entry.tag &= ~kWants;
          return entry.tag != 0;
        },
        [&](const Entry& entry, double squared) {
          if ((entry.tag & kIsWanted) != 0) lists_.offer(own, entry.position, squared);
          if ((entry.tag & kWants) != 0) lists_.offer(entry.position, own, squared);
        },
        [] {});
    reach_ = lists_.widest_reach(block_);
  }

  const Cascade& cascade_;
  SharedLists& lists_;
  Buffer<ProjectedSamples::Word> points_;  // kQueryGroup samples at a time
  std::int32_t block_ = 0;
  int lanes_ = 0;
  double reach_ = -1;
  bool is_spare_ = false;
  SamplePair pairs_[ProjectedSamples::kMostPairs];
  double apart_[ProjectedSamples::kMostPairs];
  CandidateQueue queue_[kBlock];
};

/// Has a few neighbouring blocks at a time meet all later ones, which come from memory once for all
/// of them; one thread's work.
template <class T>
class Cascade<T>::PairSearch {
 public:
  /// `reach`: of the samples below each node, the greatest.
  PairSearch(const Cascade& cascade, SharedLists& lists, const std::vector<ValueRange>& reach)
      : cascade_(cascade),
        node_reach_(reach),
        box_(2 * static_cast<std::size_t>(cascade.tree_.columns())) {
    for (int i = 0; i < tuning::kPairBlocks; ++i)
      sides_.push_back(std::make_unique<PairSide>(cascade, lists));
  }

  /// For the blocks [begin, end), at most tuning::kPairBlocks. `enough` as of visit_outward.
  void run(std::int32_t begin, std::int32_t end, std::int32_t enough) {
    const Index<float>& tree = cascade_.tree_;
    sides_in_use_ = 0;
    for (std::int32_t block = begin; block < end; ++block) {
      sides_[sides_in_use_]->begin(block, enough);
      sides_in_use_ += !sides_[sides_in_use_]->is_spare();
    }
    if (sides_in_use_ == 0) return;
    unite_boxes();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    visit_outward(
        tree, begin, enough,
        [&](std::size_t node) {
          if (tree.node(node).last <= begin) return infinity;
          const double reach = std::max(widest_reach(), node_reach_[node].greatest);
          const double distance = cascade_.box_distance(box_.data(), node);
          return distance <= reach ? distance : infinity;
        },
        [] { return std::numeric_limits<double>::max(); },
        [&](std::int32_t other, std::size_t) {
          for_each_side([&](PairSide& side) {
            if (other > side.block()) side.meet(other);
          });
        });
    for_each_side([](PairSide& side) { side.finish(); });
  }

 private:
  template <class Work>
  void for_each_side(Work&& work) {
    for (std::size_t s = 0; s < sides_in_use_; ++s) work(*sides_[s]);
  }
  double widest_reach() {
    double widest = -1;
    for_each_side([&](const PairSide& side) { widest = std::max(widest, side.reach()); });
    return widest;
  }
  void unite_boxes() {
    const Index<float>& tree = cascade_.tree_;
    const auto axes = static_cast<std::size_t>(tree.columns());
    for (std::size_t s = 0; s < sides_in_use_; ++s) {
      const double* box = tree.box(tree.leaf(sides_[s]->block()));
      for (std::size_t a = 0; a < axes; ++a) {
        box_[a] = s == 0 ? box[a] : std::min(box_[a], box[a]);
        box_[axes + a] = s == 0 ? box[axes + a] : std::max(box_[axes + a], box[axes + a]);
      }
    }
  }

  const Cascade& cascade_;
  const std::vector<ValueRange>& node_reach_;
  std::vector<double> box_;  // of all blocks at hand
  std::vector<std::unique_ptr<PairSide>> sides_;
  std::size_t sides_in_use_ = 0;
};

}  // namespace quickshiftpp
