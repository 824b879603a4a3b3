// The candidates of the cascade's queries, which wait for their exact distances.

#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "search/cascade_data.hpp"

namespace quickshiftpp {

/// For each of some queries the samples that may be among its nearest, and how near those must be.
///
/// Where bounds from both sides are known, tighten() keeps what may be among the k nearest, and the
/// search radius shrinks without an exact distance: docs/exactness.md, "The cascade: settled
/// radii".
template <class T>
class QueryQueues {
 public:
  using Key = ProjectedSamples::Key;

  /// For up to so many queries that look for their k nearest.
  QueryQueues(const CascadeData<T>& data, int k, std::size_t most)
      : data_(data),
        k_(k),
        capacity_(std::max(tuning::kLongQueueLength, 2 * k)),
        stride_(capacity_ + tuning::kBlock + QueueKernels::kOverhang),
        queries_(most),
        threshold_(most, std::numeric_limits<float>::infinity()),
        key_(most * static_cast<std::size_t>(stride_)),
        candidate_(most * static_cast<std::size_t>(stride_)),
        kernel_(queue_kernels()) {}

  /// Begins anew with the sample at `position` as query q.
  void begin(int q, std::int32_t position) {
    query(q) = {position, 0, 0, std::numeric_limits<double>::infinity()};
    update_threshold(q);
  }
  /// Query q finds nothing.
  void end(int q) {
    threshold_[static_cast<std::size_t>(q)] = std::numeric_limits<float>::infinity();
  }

  std::int32_t position(int q) const { return query(q).position; }
  double squared_radius(int q) const { return query(q).squared_radius; }
  /// Of all queries, as ScreenKernels need them.
  const float* thresholds() const { return threshold_.data(); }

  /// The candidates of query q, by position, and their keys: see ProjectedSamples.
  int size(int q) const { return query(q).size; }
  Key* keys(int q) { return key_.data() + q * stride_; }
  std::int32_t* candidates(int q) { return candidate_.data() + q * stride_; }
  const std::int32_t* candidates(int q) const { return candidate_.data() + q * stride_; }
  /// Only a queue that is not full may be added to: it has room for one more block.
  bool is_full(int q) const { return query(q).size >= capacity_; }
  bool is_half_full(int q) const { return query(q).size > capacity_ / 2; }

  /// Adds the samples of a block that are in the mask, by their products with query q.
  void add_block(int q, std::uint32_t mask, const float* product, std::int32_t block) {
    assert(!is_full(q));
    Query& own = query(q);
    own.size +=
        kernel_.append(mask, data_.projected.half_norms(block), product,
                       data_.tree.block_begin(block), keys(q) + own.size, candidates(q) + own.size);
  }
  /// The same for those that are near enough.
  void add_near(int q, const float* product, std::int32_t block) {
    assert(!is_full(q));
    Query& own = query(q);
    own.size += kernel_.append_at_most(
        -threshold_[static_cast<std::size_t>(q)], data_.projected.half_norms(block), product,
        data_.tree.block_begin(block), keys(q) + own.size, candidates(q) + own.size);
  }
  void clear(int q) { query(q).size = query(q).refined = 0; }

  /// Query q ignores what lies beyond a search radius.
  void shrink(int q, double squared_radius) {
    query(q).squared_radius = std::min(query(q).squared_radius, squared_radius);
    update_threshold(q);
  }

  /// Sharpens the bounds of what is in a queue, and drops what they exclude.
  void tighten(int q) {
    const ProjectedSamples& projected = data_.projected;
    Query& own = query(q);
    if (projected.refines()) refine(q);
    if (projected.settles() && own.size >= k_) {
      const float kth = kernel_.about_kth_smallest(keys(q), own.size, k_);
      shrink(q, projected.settled_squared_radius(own.position, kth));
    }
    const float largest = projected.largest_key(own.position, own.squared_radius);
    own.size = own.refined = kernel_.keep_at_most(largest, own.size, keys(q), candidates(q));
  }

 private:
  struct Query {
    std::int32_t position = 0;
    int size = 0;
    int refined = 0;  // so many candidates, the first ones, were compared along all axes
    double squared_radius = -1;
  };

  Query& query(int q) { return queries_[static_cast<std::size_t>(q)]; }
  const Query& query(int q) const { return queries_[static_cast<std::size_t>(q)]; }

  void update_threshold(int q) {
    threshold_[static_cast<std::size_t>(q)] =
        data_.projected.screen_threshold(query(q).position, query(q).squared_radius);
  }

  /// Compares the candidates that were added last along all axes.
  void refine(int q) {
    constexpr int together = 64;
    SamplePair pairs[together];
    const Query& own = query(q);
    for (int begin = own.refined; begin < own.size; begin += together) {
      const int count = std::min(together, own.size - begin);
      for (int i = 0; i < count; ++i) pairs[i] = {own.position, candidates(q)[begin + i], 0};
      data_.projected.compare(pairs, count, keys(q) + begin);
    }
  }

  const CascadeData<T>& data_;
  int k_;
  int capacity_;           // so many candidates make a queue full; those of one more block fit
  std::ptrdiff_t stride_;  // from one queue to the next
  std::vector<Query> queries_;
  std::vector<float> threshold_;
  Buffer<Key> key_;  // of the screen, until they are refined
  Buffer<std::int32_t> candidate_;
  const QueueKernels& kernel_;
};

}  // namespace quickshiftpp
