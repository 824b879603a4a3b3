// Queries of the cascade that search blocks together.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "search/cascade_data.hpp"
#include "search/cascade_queue.hpp"

namespace quickshiftpp {

/// For searches among all samples.
struct AllWanted {};

/// Up to tuning::kQueryGroup queries, each within its own radius.
///
/// What passes the screen waits in a queue. Where bounds from both sides are known, a full queue
/// keeps what may be among the k nearest, and its radius shrinks without an exact distance:
/// docs/exactness.md, "The cascade: settled radii".
template <class T>
class QueryGroup {
 public:
  /// For queries that look for their k nearest.
  QueryGroup(const CascadeData<T>& data, int k)
      : data_(data),
        k_(k),
        capacity_(std::max(tuning::kLongQueueLength, 2 * k)),
        stride_(capacity_ + tuning::kBlock + QueueKernels::kOverhang),
        words_(data.projected.query_words(kQueryGroup)),
        key_(static_cast<std::size_t>(kQueryGroup * stride_)),
        candidate_(static_cast<std::size_t>(kQueryGroup * stride_)),
        kernel_(queue_kernels()) {}

  /// Begins anew with no queries.
  void clear() {
    queries_ = 0;
    std::fill_n(words_.data(), words_.size(), ProjectedSamples::Word{0});
    std::fill_n(threshold_, kQueryGroup, std::numeric_limits<float>::infinity());
  }
  void add(std::int32_t position) {
    data_.projected.copy_queries(position, 1, queries_, words_.data());
    begin_search(position);
  }
  /// Begins anew with samples one after the other in a block.
  void assign(std::int32_t first, int count) {
    clear();
    data_.projected.copy_queries(first, count, 0, words_.data());
    for (int i = 0; i < count; ++i) begin_search(first + i);
  }
  int queries() const { return queries_; }
  std::int32_t position(int q) const { return position_[q]; }

  /// Query q ignores samples beyond this squared distance; all of them where it is negative.
  void set_bound(int q, double squared_distance) {
    shrink(q, data_.projected.squared_search_radius(squared_distance));
  }
  /// The largest search radius of a query.
  double squared_radius() const {
    return *std::max_element(squared_radius_, squared_radius_ + queries_);
  }

  /// Hands the samples of a block that may be within the bound of query q, and for which
  /// is_wanted(q, row) holds (all for AllWanted), to take(q, row, squared distance): some at a
  /// time. After a few, take.update_bound(q) is called.
  template <class IsWanted, class Take>
  void search_block(std::int32_t block, const IsWanted& is_wanted, Take&& take) {
    std::uint32_t mask[kQueryGroup];
    alignas(64) float remainder[kQueryGroup * tuning::kBlock];
    const std::int32_t first = data_.tree.block_begin(block);
    data_.projected.screen(block, words_.data(), threshold_, mask, remainder);
    for (int q = 0; q < queries_; ++q) {
      if constexpr (!std::is_same_v<IsWanted, AllWanted>)
        for (std::uint32_t bits = mask[q]; bits != 0; bits &= bits - 1) {
          const int lane = std::countr_zero(bits);
          if (!is_wanted(q, data_.tree.row_at(first + lane))) mask[q] ^= std::uint32_t{1} << lane;
        }
      if (mask[q] == 0) continue;
      queued_[q] += kernel_.append(mask[q], remainder + q * tuning::kBlock, first,
                                   keys(q) + queued_[q], candidates(q) + queued_[q]);
      if (queued_[q] >= capacity_) make_room(q, take);
    }
  }

  /// Hands over what is still in the queues.
  template <class Take>
  void finish(Take&& take, WorkMeter& meter) {
    for (int q = 0; q < queries_; ++q) {
      tighten(q);
      meter.spend(static_cast<std::size_t>(queued_[q]) * data_.columns);
      measure(q, take);
    }
    data_.exact_distances += static_cast<std::uint64_t>(std::exchange(measured_, 0));
  }

 private:
  static constexpr int kQueryGroup = tuning::kQueryGroup;

  ProjectedSamples::Key* keys(int q) { return key_.data() + q * stride_; }
  std::int32_t* candidates(int q) { return candidate_.data() + q * stride_; }

  void begin_search(std::int32_t position) {
    const int q = queries_++;
    position_[q] = position;
    queued_[q] = refined_[q] = 0;
    squared_radius_[q] = std::numeric_limits<double>::infinity();
    update_threshold(q);
  }
  void shrink(int q, double squared_radius) {
    squared_radius_[q] = std::min(squared_radius_[q], squared_radius);
    update_threshold(q);
  }
  void update_threshold(int q) {
    threshold_[q] = data_.projected.screen_threshold(position_[q], squared_radius_[q]);
  }

  template <class Take>
  void make_room(int q, Take&& take) {
    tighten(q);
    if (!data_.projected.settles() || queued_[q] > capacity_ / 2) measure(q, take);
  }

  /// Sharpens the bounds of what is in a queue, and drops what they exclude.
  void tighten(int q) {
    const ProjectedSamples& projected = data_.projected;
    if (projected.refines()) refine(q);
    if (projected.settles() && queued_[q] >= k_) {
      const float kth = kernel_.about_kth_smallest(keys(q), queued_[q], k_);
      shrink(q, projected.settled_squared_radius(position_[q], kth));
    }
    const float largest = projected.largest_key(position_[q], squared_radius_[q]);
    queued_[q] = refined_[q] = kernel_.keep_at_most(largest, queued_[q], keys(q), candidates(q));
  }

  /// Compares the candidates that were added last along all axes.
  void refine(int q) {
    constexpr int together = 64;
    SamplePair pairs[together];
    for (int begin = refined_[q]; begin < queued_[q]; begin += together) {
      const int count = std::min(together, queued_[q] - begin);
      for (int i = 0; i < count; ++i) pairs[i] = {position_[q], candidates(q)[begin + i], 0};
      data_.projected.compare(pairs, count, keys(q) + begin);
    }
  }

  template <class Take>
  void measure(int q, Take&& take) {
    if (queued_[q] == 0) return;
    entries_.clear();
    for (int i = 0; i < queued_[q]; ++i)
      entries_.push_back(
          {data_.projected.lower_bound(position_[q], keys(q)[i]), candidates(q)[i], 0});
    measured_ += measure_queue(
        data_, data_.widened(position_[q], sample_), entries_.data(),
        entries_.data() + entries_.size(),
        [&](const QueueEntry& entry) { return entry.lower_bound <= squared_radius_[q]; },
        [&](const QueueEntry& entry, double squared) {
          take(q, data_.tree.row_at(entry.position), squared);
        },
        [&] { take.update_bound(q); });
    queued_[q] = refined_[q] = 0;
  }

  const CascadeData<T>& data_;
  int k_;
  int capacity_;  // so many candidates make a queue full; those of one more block fit
  int stride_;    // from one queue to the next
  int queries_ = 0;
  Buffer<ProjectedSamples::Word> words_;
  std::int32_t position_[kQueryGroup];
  double squared_radius_[kQueryGroup];
  alignas(64) float threshold_[kQueryGroup];
  Buffer<ProjectedSamples::Key> key_;  // the queues; of the screen, until they are refined
  Buffer<std::int32_t> candidate_;     // positions
  int queued_[kQueryGroup];
  int refined_[kQueryGroup];  // so many of them, the first ones, were compared along all axes
  std::vector<QueueEntry> entries_;  // of one query, to be measured
  std::int64_t measured_ = 0;        // exact distances since the last call of finish()
  std::vector<double> sample_;       // that query
  const QueueKernels& kernel_;
};

}  // namespace quickshiftpp
