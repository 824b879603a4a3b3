// The second half of the cascade's search: every pair of blocks meets once, for both sides.

#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "quickshiftpp/cascade.hpp"

namespace quickshiftpp {

/// The lists of all samples, which several threads add to at once.
///
/// A bound only ever falls. Whoever reads an old one looks at more than needed, and misses nothing.
template <class T>
class Cascade<T>::SharedLists {
 public:
  /// Full lists, by row; they must outlive the object. `home`: for every block of the screen the
  /// blocks that its samples have looked through already, in order.
  SharedLists(const Cascade& cascade, NeighborLists& lists,
              const std::vector<std::vector<std::int32_t>>& home)
      : cascade_(cascade),
        lists_(lists),
        home_(home),
        norm_(cascade.screen_.samples()),
        reach_(cascade.screen_.room()),
        threshold_(cascade.screen_.room()),
        lock_(std::make_unique<std::mutex[]>(home.size())) {
    const auto samples = static_cast<std::int32_t>(cascade.screen_.samples());
    std::fill_n(reach_.data(), cascade.screen_.room(), -1.0);
    std::fill_n(threshold_.data(), cascade.screen_.room(), std::numeric_limits<float>::infinity());
    for (std::int32_t i = 0; i < samples; ++i) {
      norm_[static_cast<std::size_t>(i)] =
          Cascade::squared_norm(cascade.refined(i), cascade.screen_.columns());
      set_bound(i, lists.squared_radii()[cascade.screen_.original(i)]);
    }
  }

  /// How far a sample looks: squared, along the axes; negative where it is done.
  double reach(std::int32_t position) const { return load(reach_.data() + position); }
  /// Of all samples, by position, with room for whole blocks; while nobody adds to the lists.
  const double* reaches() const { return reach_.data(); }
  double widest_reach(std::int32_t block) const {
    double widest = -1;
    for (std::int32_t i = cascade_.screen_.block_begin(block);
         i < cascade_.screen_.block_end(block); ++i)
      widest = std::max(widest, reach(i));
    return widest;
  }
  /// The thresholds of a block's samples, as ScreenKernels need them.
  void copy_thresholds(std::int32_t block, float* out) const {
    const float* from = threshold_.data() + cascade_.screen_.block_begin(block);
    for (int lane = 0; lane < tuning::kBlock; ++lane) out[lane] = load(from + lane);
  }
  bool has_seen(std::int32_t block, std::int32_t other) const {
    const std::vector<std::int32_t>& seen = home_[static_cast<std::size_t>(block)];
    return std::binary_search(seen.begin(), seen.end(), other);
  }

  /// Tells a sample of another, at an exact distance.
  void offer(std::int32_t position, std::int32_t other, double squared) {
    const auto i = static_cast<std::size_t>(cascade_.screen_.original(position));
    const std::lock_guard guard(lock_[static_cast<std::size_t>(position / tuning::kBlock)]);
    if (lists_.insert(i, squared, cascade_.screen_.original(other)))
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
    const double reach = squared == 0 ? -1 : cascade_.reach_of(squared);
    std::atomic_ref(reach_[i]).store(reach, std::memory_order_relaxed);
    std::atomic_ref(threshold_[i])
        .store(cascade_.threshold_of(norm_[i], reach), std::memory_order_relaxed);
  }

  const Cascade& cascade_;
  NeighborLists& lists_;
  const std::vector<std::vector<std::int32_t>>& home_;
  Buffer<double> norm_;  // squared, along the first axes; all by position
  Buffer<double> reach_;
  Buffer<float> threshold_;
  std::unique_ptr<std::mutex[]> lock_;  // one for each block
};

/// The samples of one block, which meet those of later blocks.
template <class T>
class Cascade<T>::PairSide {
 public:
  PairSide(const Cascade& cascade, SharedLists& lists)
      : cascade_(cascade),
        lists_(lists),
        points_(static_cast<std::size_t>(cascade.screen_.columns()) * kBlock) {}

  /// Takes another block. `enough` as of visit_outward.
  void begin(std::int32_t block, std::int32_t enough) {
    const Index<float>& screen = cascade_.screen_;
    block_ = block;
    lanes_ = screen.block_end(block) - screen.block_begin(block);
    reach_ = lists_.widest_reach(block);
    is_spare_ = is_one_too_many(enough);
    std::fill_n(points_.data(), points_.size(), 0.0f);
    for (int lane = 0; lane < lanes_; ++lane) {
      waiting_[lane] = 0;
      // Probe by probe, in each axis by axis.
      float* point = points_.data() + static_cast<std::size_t>(lane / kProbe * kProbe) *
                                          static_cast<std::size_t>(screen.columns());
      for (int axis = 0; axis < screen.columns(); ++axis)
        point[axis * kProbe + lane % kProbe] =
            screen.coordinate(screen.block_begin(block) + lane, axis);
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
    const Index<float>& screen = cascade_.screen_;
    const bool looks = !lists_.has_seen(block_, other),
               is_looked_at = !lists_.has_seen(other, block_);
    if (!looks && !is_looked_at) return;
    alignas(64) float threshold[kBlock], other_threshold[kBlock];
    copy_thresholds(looks, block_, threshold);
    copy_thresholds(is_looked_at, other, other_threshold);
    const std::int32_t first = screen.block_begin(other);
    const float* half_norm = cascade_.half_norm_.data();
    for (int probe = 0; probe < lanes_; probe += kProbe) {
      std::uint32_t wanted[kProbe], wants[kProbe];
      cascade_.screen_kernel_.screen_both(
          screen.block(other), screen.columns(),
          points_.data() +
              static_cast<std::size_t>(probe) * static_cast<std::size_t>(screen.columns()),
          half_norm + first, threshold + probe, half_norm + screen.block_begin(block_) + probe,
          other_threshold, wanted, wants);
      for (int q = 0; q < std::min(kProbe, lanes_ - probe); ++q)
        for (std::uint32_t bits = wanted[q] | wants[q]; bits != 0; bits &= bits - 1) {
          const int lane = std::countr_zero(bits);
          look(probe + q, first + lane, (wanted[q] >> lane & 1) != 0, (wants[q] >> lane & 1) != 0);
        }
    }
  }

  /// Computes what still waits.
  void finish() {
    for (int lane = 0; lane < lanes_; ++lane) measure(lane);
  }

 private:
  static constexpr int kProbe = tuning::kProbe, kBlock = tuning::kBlock;

  /// A sample of a later block whose exact distance is still to be computed.
  struct Waiting {
    double apart;  ///< at least
    std::int32_t position;
    bool is_wanted, wants;  ///< by the sample of the block at hand, or that one
  };

  /// Whether as many equal samples as anyone can use lie before this block.
  bool is_one_too_many(std::int32_t enough) const {
    const Index<float>& screen = cascade_.screen_;
    std::size_t node = 0;
    while (!screen.node(node).is_leaf() && !screen.is_point(node))
      node = block_ < screen.node(node).middle() ? screen.left(node) : screen.right(node);
    return screen.is_point(node) && block_ - screen.node(node).first >= enough;
  }

  void copy_thresholds(bool is_of_interest, std::int32_t block, float* out) const {
    if (is_of_interest)
      lists_.copy_thresholds(block, out);
    else
      std::fill_n(out, kBlock, std::numeric_limits<float>::infinity());
  }

  /// The second look at a pair that may be in reach of one or the other.
  void look(int lane, std::int32_t position, bool is_wanted, bool wants) {
    const std::int32_t own = cascade_.screen_.block_begin(block_) + lane;
    const double reach =
        std::max(is_wanted ? lists_.reach(own) : -1, wants ? lists_.reach(position) : -1);
    const double apart = cascade_.apart(own, position, reach);
    if (apart > reach) return;
    wait_[lane][waiting_[lane]++] = {apart, position, is_wanted, wants};
    if (waiting_[lane] == tuning::kWait) measure(lane);
  }

  /// Computes exact distances, the most promising first, since each may spare the next ones.
  void measure(int lane) {
    const std::int32_t own = cascade_.screen_.block_begin(block_) + lane;
    Waiting* next = wait_[lane];
    Waiting* const end = next + std::exchange(waiting_[lane], 0);
    std::sort(next, end, [](const Waiting& a, const Waiting& b) { return a.apart < b.apart; });
    while (next != end) {
      const T* rows[kRowsTogether];
      Waiting* chosen[kRowsTogether];
      double squared[kRowsTogether];
      int count = 0;
      const double reach = lists_.reach(own);
      for (; count < kRowsTogether && next != end; ++next) {
        next->is_wanted = next->is_wanted && next->apart <= reach;
        next->wants = next->wants && next->apart <= lists_.reach(next->position);
        chosen[count] = next;
        rows[count] = cascade_.row(next->position);
        count += next->is_wanted || next->wants;
      }
      if (count == 0) break;
      cascade_.row_distances(own, rows, count, squared);
      for (int i = 0; i < count; ++i) {
        if (chosen[i]->is_wanted) lists_.offer(own, chosen[i]->position, squared[i]);
        if (chosen[i]->wants) lists_.offer(chosen[i]->position, own, squared[i]);
      }
    }
    reach_ = lists_.widest_reach(block_);
  }

  const Cascade& cascade_;
  SharedLists& lists_;
  Buffer<float> points_;
  std::int32_t block_ = 0;
  int lanes_ = 0;
  double reach_ = -1;
  bool is_spare_ = false;
  Waiting wait_[kBlock][tuning::kWait];
  int waiting_[kBlock];
};

/// Has a few neighbouring blocks at a time meet all later ones, which come from memory once for all
/// of them; one thread's work.
template <class T>
class Cascade<T>::PairSearch {
 public:
  /// `reach`: of the samples below each node, the greatest.
  PairSearch(const Cascade& cascade, SharedLists& lists, const std::vector<Extremes>& reach)
      : cascade_(cascade),
        node_reach_(reach),
        box_(2 * static_cast<std::size_t>(cascade.screen_.columns())) {
    for (int i = 0; i < tuning::kPairBlocks; ++i)
      sides_.push_back(std::make_unique<PairSide>(cascade, lists));
  }

  /// For the blocks [begin, end), at most tuning::kPairBlocks. `enough` as of visit_outward.
  void run(std::int32_t begin, std::int32_t end, std::int32_t enough) {
    const Index<float>& screen = cascade_.screen_;
    sides_in_use_ = 0;
    for (std::int32_t block = begin; block < end; ++block) {
      sides_[sides_in_use_]->begin(block, enough);
      sides_in_use_ += !sides_[sides_in_use_]->is_spare();
    }
    if (sides_in_use_ == 0) return;
    unite_boxes();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    visit_outward(
        screen, begin, enough,
        [&](std::size_t node) {
          if (screen.node(node).last <= begin) return infinity;
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
    const Index<float>& screen = cascade_.screen_;
    const auto axes = static_cast<std::size_t>(screen.columns());
    for (std::size_t s = 0; s < sides_in_use_; ++s) {
      const double* box = screen.box(screen.leaf(sides_[s]->block()));
      for (std::size_t a = 0; a < axes; ++a) {
        box_[a] = s == 0 ? box[a] : std::min(box_[a], box[a]);
        box_[axes + a] = s == 0 ? box[axes + a] : std::max(box_[axes + a], box[axes + a]);
      }
    }
  }

  const Cascade& cascade_;
  const std::vector<Extremes>& node_reach_;
  std::vector<double> box_;  // of all blocks at hand
  std::vector<std::unique_ptr<PairSide>> sides_;
  std::size_t sides_in_use_ = 0;
};

}  // namespace quickshiftpp
