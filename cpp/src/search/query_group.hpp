// Queries of the cascade that search blocks together.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "search/cascade_data.hpp"
#include "search/cascade_queue.hpp"
#include "search/query_queues.hpp"

namespace quickshiftpp {

/// For searches among all samples.
struct AllWanted {};

/// Up to tuning::kQueryGroup queries, each within its own radius. What passes the screen waits in a
/// queue for each.
template <class T>
class QueryGroup {
 public:
  /// For queries that look for their k nearest.
  QueryGroup(const CascadeData<T>& data, int k)
      : data_(data),
        words_(data.projected.query_words(kQueryGroup)),
        queues_(data, k, kQueryGroup) {}

  /// Begins anew with no queries.
  void clear() {
    queries_ = 0;
    std::fill_n(words_.data(), words_.size(), ProjectedSamples::Word{0});
    for (int q = 0; q < kQueryGroup; ++q) queues_.end(q);
  }
  void add(std::int32_t position) {
    data_.projected.copy_queries(position, 1, queries_, words_.data());
    queues_.begin(queries_++, position);
  }
  /// Begins anew with samples one after the other in a block.
  void assign(std::int32_t first, int count) {
    clear();
    data_.projected.copy_queries(first, count, 0, words_.data());
    while (queries_ < count) {
      queues_.begin(queries_, first + queries_);
      ++queries_;
    }
  }
  int queries() const { return queries_; }
  std::int32_t position(int q) const { return queues_.position(q); }

  /// Query q ignores samples beyond this squared distance; all of them where it is negative.
  void set_bound(int q, double squared_distance) {
    queues_.shrink(q, data_.projected.squared_search_radius(squared_distance));
  }
  /// The largest search radius of a query.
  double squared_radius() const {
    double largest = -1;
    for (int q = 0; q < queries_; ++q) largest = std::max(largest, queues_.squared_radius(q));
    return largest;
  }

  /// Hands the samples of a block that may be within the bound of query q, and for which
  /// is_wanted(q, row) holds (all for AllWanted), to take(q, row, squared distance): some at a
  /// time. After a few, take.update_bound(q) is called.
  template <class IsWanted, class Take>
  void search_block(std::int32_t block, const IsWanted& is_wanted, Take&& take) {
    std::uint32_t mask[kQueryGroup];
    alignas(64) float product[kQueryGroup * tuning::kBlock];
    data_.projected.screen(block, words_.data(), queues_.thresholds(), mask, product);
    for (int q = 0; q < queries_; ++q) {
      if constexpr (!std::is_same_v<IsWanted, AllWanted>)
        for (std::uint32_t bits = mask[q]; bits != 0; bits &= bits - 1) {
          const int lane = std::countr_zero(bits);
          if (!is_wanted(q, data_.tree.row_at(data_.tree.block_begin(block) + lane)))
            mask[q] ^= std::uint32_t{1} << lane;
        }
      if (mask[q] == 0) continue;
      queues_.add_block(q, mask[q], product + q * tuning::kBlock, block);
      if (queues_.is_full(q)) make_room(q, take);
    }
  }

  /// Hands over what is still in the queues.
  template <class Take>
  void finish(Take&& take, WorkMeter& meter) {
    for (int q = 0; q < queries_; ++q) {
      queues_.tighten(q);
      meter.spend(static_cast<std::size_t>(queues_.size(q)) * data_.columns);
      measure(q, take);
    }
    data_.exact_distances += static_cast<std::uint64_t>(std::exchange(measured_, 0));
  }

 private:
  static constexpr int kQueryGroup = tuning::kQueryGroup;

  template <class Take>
  void make_room(int q, Take&& take) {
    queues_.tighten(q);
    if (!data_.projected.settles() || queues_.is_half_full(q)) measure(q, take);
  }

  template <class Take>
  void measure(int q, Take&& take) {
    const int count = queues_.size(q);
    if (count == 0) return;
    entries_.clear();
    for (int i = 0; i < count; ++i)
      entries_.push_back({data_.projected.lower_bound(position(q), queues_.keys(q)[i]),
                          queues_.candidates(q)[i], 0});
    measured_ += measure_queue(
        data_, data_.widened(position(q), sample_), entries_.data(),
        entries_.data() + entries_.size(),
        [&](const QueueEntry& entry) { return entry.lower_bound <= queues_.squared_radius(q); },
        [&](const QueueEntry& entry, double squared) {
          take(q, data_.tree.row_at(entry.position), squared);
        },
        [&] { take.update_bound(q); });
    queues_.clear(q);
  }

  const CascadeData<T>& data_;
  int queries_ = 0;
  Buffer<ProjectedSamples::Word> words_;
  QueryQueues<T> queues_;
  std::vector<QueueEntry> entries_;  // of one query, to be measured
  std::int64_t measured_ = 0;        // exact distances since the last call of finish()
  std::vector<double> sample_;       // that query
};

}  // namespace quickshiftpp
