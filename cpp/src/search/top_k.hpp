#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

/// The k nearest candidates of one query so far: by squared distance, ties by row number.
///
/// Consists of a sorted list and of pending candidates, which are sorted and merged into the list
/// in batches. A list of up to kShortListSize candidates is stored in the same arrays as the
/// pending ones and merged by the kernel `merge_top_k`, where the instruction set has one.
template <class T>
class TopK {
 public:
  /// The number of candidates that `storage` must hold for reset().
  static std::size_t storage_size(int k) { return 2 * (static_cast<std::size_t>(k) + 1); }

  /// Starts a new query. `self` is the position of the query itself, -1 if it is not a target.
  void reset(const Kernels<T>& kernel, Candidate* storage, int k, std::int32_t self) {
    sorted_ = storage;
    merged_ = storage + k + 1;
    k_ = k;
    self_ = self;
    is_short_ = k <= kShortListSize && kernel.merge_top_k != nullptr;
    filled_ = pending_ = 0;
    has_close_ = false;
    bound_ = least_discarded_ = std::numeric_limits<double>::infinity();
  }

  bool is_full() const { return filled_ == k_; }
  /// Candidates at a greater squared distance cannot enter the list.
  double bound() const { return bound_; }

  /// Adds the samples of a block that are within the bound.
  void add_block(const Index<T>& targets, const Kernels<T>& kernel, std::int32_t block,
                 const double* point) {
    const int next = kShortListSize + pending_;
    pending_ += kernel.within(targets.block(block), targets.block_begin(block), targets.columns(),
                              point, bound_, squared_ + next, position_ + next);
    merge_if_due(targets, kernel);
  }
  /// Adds one sample at a known squared distance, unless it is beyond the bound.
  void add(const Index<T>& targets, const Kernels<T>& kernel, double squared,
           std::int32_t position) {
    if (squared > bound_) return;
    squared_[kShortListSize + pending_] = squared;
    position_[kShortListSize + pending_++] = position;
    merge_if_due(targets, kernel);
  }

  /// For a sample exactly at the bound: whether it loses the tie with the last entry of a full
  /// list. If so, tied_beyond() takes note of it, and the caller need not add it.
  bool rejects_tie(const Index<T>& targets, std::int32_t position) {
    if (filled_ < k_ || row(targets, position) < row(targets, (*this)[k_ - 1].position))
      return false;
    least_discarded_ = bound_;
    return true;
  }

  /// Merges all pending candidates. Only then is the list complete.
  void merge_pending(const Index<T>& targets, const Kernels<T>& kernel) {
    while (pending_ > 0) merge_batch(targets, kernel);
    sort_close_in_short_list(targets);
  }

  Candidate operator[](int i) const {
    return is_short_ ? Candidate{squared_[i], position_[i]} : sorted_[i];
  }
  /// Whether a candidate at the same distance as the last entry was discarded.
  bool tied_beyond() const { return least_discarded_ == bound_; }

 private:
  /// Sorts after every candidate; ends the lists that are merged.
  static constexpr Candidate kSentinel{std::numeric_limits<double>::infinity(), -1};

  /// Keeps the number of pending candidates below tuning::kFlush, so that those of another block
  /// always fit. Merges earlier where this fills the list, which gives it a finite bound.
  void merge_if_due(const Index<T>& targets, const Kernels<T>& kernel) {
    const int missing = k_ - filled_;
    if (pending_ >= (missing > 0 ? std::min(missing, tuning::kFlush) : tuning::kFlush))
      merge_batch(targets, kernel);
  }

  /// Merges all pending candidates into the list, but no more than kShortListSize into a short one.
  void merge_batch(const Index<T>& targets, const Kernels<T>& kernel) {
    if (is_short_)
      merge_short(targets, kernel);
    else
      merge_long(targets, kernel);
  }

  /// Merges the first pending candidates into a short list. Of the others, keeps those within the
  /// new bound.
  void merge_short(const Index<T>& targets, const Kernels<T>& kernel) {
    const int count = std::min(pending_, kShortListSize);
    const TopKMerge merge =
        kernel.merge_top_k(squared_, position_, filled_, count, k_, {targets.rows_at(), self_});
    has_close_ |= merge.has_close;
    least_discarded_ = std::min(least_discarded_, merge.least_discarded);
    filled_ = std::min(k_, filled_ + count);
    if (filled_ == k_) bound_ = squared_[k_ - 1];
    int kept = 0;
    for (int i = count; i < pending_; ++i) {
      squared_[kShortListSize + kept] = squared_[kShortListSize + i];
      position_[kShortListSize + kept] = position_[kShortListSize + i];
      kept += squared_[kShortListSize + i] <= bound_;
    }
    pending_ = kept;
  }

  /// Completes the order of a short list.
  void sort_close_in_short_list(const Index<T>& targets) {
    if (!has_close_) return;
    has_close_ = false;
    Candidate list[kShortListSize];
    for (int i = 0; i < filled_; ++i) list[i] = {squared_[i], position_[i]};
    sort_close(targets, list, filled_);
    for (int i = 0; i < filled_; ++i) {
      squared_[i] = list[i].squared;
      position_[i] = list[i].position;
    }
  }

  /// Merges all pending candidates into a list of any length.
  void merge_long(const Index<T>& targets, const Kernels<T>& kernel) {
    Candidate fresh[tuning::kPending + 1];
    if (!kernel.sort(squared_ + kShortListSize, position_ + kShortListSize, pending_, fresh))
      sort_close(targets, fresh, pending_);
    fresh[pending_] = kSentinel;
    sorted_[filled_] = kSentinel;
    const int total = std::min(k_, filled_ + pending_);
    const Candidate *a = sorted_, *b = fresh;
    for (int out = 0; out < total; ++out) {
      bool take_fresh = b->squared < a->squared;
      if (b->squared == a->squared) [[unlikely]]
        take_fresh = row(targets, b->position) < row(targets, a->position);
      merged_[out] = *(take_fresh ? b : a);
      b += take_fresh;
      a += !take_fresh;
    }
    least_discarded_ = std::min({least_discarded_, a->squared, b->squared});
    std::swap(sorted_, merged_);
    filled_ = total;
    pending_ = 0;
    if (filled_ == k_) bound_ = sorted_[k_ - 1].squared;
  }

  /// Completes the order of up to tuning::kPending candidates that are sorted by their sort keys.
  void sort_close(const Index<T>& targets, Candidate* sorted, int count) const {
    const CloseOrder order{targets.rows_at(), self_};
    for (int begin = 0, end; begin < count; begin = end) {
      for (end = begin + 1;
           end < count && has_same_sort_key(sorted[begin].squared, sorted[end].squared);)
        ++end;
      const int close = end - begin;
      if (close == 1) continue;
      std::int64_t keys[tuning::kPending];
      Candidate copies[tuning::kPending];
      for (int i = 0; i < close; ++i) {
        copies[i] = sorted[begin + i];
        keys[i] = order.key(copies[i].squared, copies[i].position, i);
      }
      std::sort(keys, keys + close);
      for (int i = 0; i < close; ++i) sorted[begin + i] = copies[CloseOrder::slot(keys[i])];
    }
  }

  /// The row number that breaks ties. The query itself precedes all samples equal to it; kSentinel
  /// follows all samples at infinite distance.
  std::int32_t row(const Index<T>& targets, std::int32_t position) const {
    if (position < 0) return std::numeric_limits<std::int32_t>::max();
    return position == self_ ? -1 : targets.row_at(position);
  }

  Candidate* sorted_ = nullptr;  // the list, unless it is short
  Candidate* merged_ = nullptr;  // where the next merge writes the list
  int k_ = 0;
  int filled_ = 0;   // candidates in the list
  int pending_ = 0;  // candidates that are not merged yet
  std::int32_t self_ = -1;
  bool is_short_ = false;
  bool has_close_ = false;  // whether a short list has unsorted candidates with the same sort key
  double bound_ = std::numeric_limits<double>::infinity();
  double least_discarded_ = std::numeric_limits<double>::infinity();  // a squared distance
  // The short list, followed from kShortListSize on by the pending candidates. `within` may write a
  // whole vector after its last result.
  double squared_[kShortListSize + tuning::kPending + 8];
  std::int32_t position_[kShortListSize + tuning::kPending + 8];
};

}  // namespace quickshiftpp
