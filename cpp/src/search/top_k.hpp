#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

/// The k nearest that one query has met so far.
///
/// A sorted list, and a few candidates that wait: they are sorted among themselves and merged into
/// the list when enough have come together, for k = 5 as for k = 500. A list of up to kShort lies
/// with those that wait, in arrays that vector instructions sort and merge in one go.
template <class T>
class TopK {
 public:
  /// Candidates that `reset` needs room for.
  static std::size_t room(int k) { return 2 * (static_cast<std::size_t>(k) + 1); }

  /// `storage` has room for room(k) candidates; `self` is the query's own position, -1 for none.
  void reset(const Kernels<T>& kernel, Candidate* storage, int k, std::int32_t self) {
    sorted_ = storage;
    merged_ = storage + k + 1;
    k_ = k;
    self_ = self;
    is_short_ = k <= kShort && kernel.select != nullptr;
    filled_ = pending_ = 0;
    bound_ = discarded_ = std::numeric_limits<double>::infinity();
  }

  bool is_full() const { return filled_ == k_; }
  /// Every candidate beyond it can be ignored.
  double bound() const { return bound_; }

  /// Looks through a block. There is always room for one more.
  void meet(const Index<T>& targets, const Kernels<T>& kernel, std::int32_t block,
            const double* point) {
    const int next = kShort + pending_;
    pending_ += kernel.within(targets.block(block), targets.block_begin(block), targets.columns(),
                              point, bound_, squared_ + next, position_ + next);
    flush_when_due(targets, kernel);
  }
  /// Takes one sample at a known distance.
  void take(const Index<T>& targets, const Kernels<T>& kernel, double squared,
            std::int32_t position) {
    if (squared > bound_) return;
    squared_[kShort + pending_] = squared;
    position_[kShort + pending_++] = position;
    flush_when_due(targets, kernel);
  }

  /// Whether a sample at the bound comes after the last of a full list; it is a tie beyond it then.
  bool turns_away(const Index<T>& targets, std::int32_t position) {
    if (filled_ < k_ || row(targets, position) < row(targets, (*this)[k_ - 1].position))
      return false;
    discarded_ = bound_;
    return true;
  }

  void flush(const Index<T>& targets, const Kernels<T>& kernel) {
    while (pending_ > 0) absorb(targets, kernel);
  }

  Candidate operator[](int i) const {
    return is_short_ ? Candidate{squared_[i], position_[i]} : sorted_[i];
  }
  /// Something as near as the last of the list was left out.
  bool tied_beyond() const { return discarded_ == bound_; }

 private:
  static constexpr Candidate kLast{std::numeric_limits<double>::infinity(), -1};

  void flush_when_due(const Index<T>& targets, const Kernels<T>& kernel) {
    const int missing = k_ - filled_;
    if (pending_ >= (missing > 0 ? std::min(missing, tuning::kFlush) : tuning::kFlush))
      absorb(targets, kernel);
  }

  /// Takes those that wait into the list, or the first of them.
  void absorb(const Index<T>& targets, const Kernels<T>& kernel) {
    if (is_short_)
      select(targets, kernel);
    else
      merge(targets, kernel);
  }

  /// Takes the first of those that wait into a short list, and turns away what is now too far.
  void select(const Index<T>& targets, const Kernels<T>& kernel) {
    const int count = std::min(pending_, kShort);
    Selection selection{false, 0};
    if (!is_tied_) selection = kernel.select(squared_, position_, filled_, count, k_);
    if (!selection.is_sure) selection.next = select_by_row(targets, kernel, count);
    discarded_ = std::min(discarded_, selection.next);
    filled_ = std::min(k_, filled_ + count);
    if (filled_ == k_) bound_ = squared_[k_ - 1];
    int left = 0;
    for (int i = count; i < pending_; ++i) {
      squared_[kShort + left] = squared_[kShort + i];
      position_[kShort + left] = position_[kShort + i];
      left += squared_[kShort + i] <= bound_;
    }
    pending_ = left;
  }

  /// The same where ties must be settled. Returns the least squared distance among those left out.
  double select_by_row(const Index<T>& targets, const Kernels<T>& kernel, int count) {
    Candidate old[kShort + 1], fresh[kShort + 1];
    for (int i = 0; i < filled_; ++i) old[i] = {squared_[i], position_[i]};
    old[filled_] = kLast;
    // Where some tie, others will: the next query need not try without.
    is_tied_ = !sort(targets, kernel, squared_ + kShort, position_ + kShort, count, fresh);
    fresh[count] = kLast;
    const Candidate *a = old, *b = fresh;
    const int total = std::min(k_, filled_ + count);
    for (int out = 0; out < total; ++out) {
      const Candidate next = ByRow{*this, targets}(*b, *a) ? *b++ : *a++;
      squared_[out] = next.squared;
      position_[out] = next.position;
    }
    return std::min(a->squared, b->squared);
  }

  /// Takes all that wait into a list of any length.
  void merge(const Index<T>& targets, const Kernels<T>& kernel) {
    const ByRow comes_first{*this, targets};
    Candidate fresh[tuning::kPending + 1];
    sort(targets, kernel, squared_ + kShort, position_ + kShort, pending_, fresh);
    fresh[pending_] = kLast;
    sorted_[filled_] = kLast;
    const int total = std::min(k_, filled_ + pending_);
    const Candidate *a = sorted_, *b = fresh;
    for (int out = 0; out < total; ++out) {
      bool take_fresh = b->squared < a->squared;
      if (b->squared == a->squared) [[unlikely]]
        take_fresh = comes_first(*b, *a);
      merged_[out] = *(take_fresh ? b : a);
      b += take_fresh;
      a += !take_fresh;
    }
    discarded_ = std::min({discarded_, a->squared, b->squared});
    std::swap(sorted_, merged_);
    filled_ = total;
    pending_ = 0;
    if (filled_ == k_) bound_ = sorted_[k_ - 1].squared;
  }

  /// Sorts by distance, ties by row number. Returns whether there was none to settle.
  bool sort(const Index<T>& targets, const Kernels<T>& kernel, double* squared,
            const std::int32_t* position, int count, Candidate* out) const {
    if (kernel.sort(squared, position, count, out)) return true;
    for (int begin = 0, end; begin < count; begin = end) {
      for (end = begin + 1; end < count && is_too_close(out[begin].squared, out[end].squared);)
        ++end;
      if (end - begin > 1) std::sort(out + begin, out + end, ByRow{*this, targets});
    }
    return false;
  }

  /// The sample itself comes before all that coincide with it, kLast after all that are infinitely
  /// far.
  std::int32_t row(const Index<T>& targets, std::int32_t position) const {
    if (position < 0) return std::numeric_limits<std::int32_t>::max();
    return position == self_ ? -1 : targets.row_at(position);
  }

  /// By distance; ties by row number.
  struct ByRow {
    const TopK& list;
    const Index<T>& targets;
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.squared != b.squared ? a.squared < b.squared
                                    : list.row(targets, a.position) < list.row(targets, b.position);
    }
  };

  Candidate* sorted_ = nullptr;  // a list that is not short
  Candidate* merged_ = nullptr;  // where its next merge goes
  int k_ = 0;
  int filled_ = 0;
  int pending_ = 0;
  std::int32_t self_ = -1;
  bool is_short_ = false;
  bool is_tied_ = false;  // what came last held ties
  double bound_ = std::numeric_limits<double>::infinity();
  double discarded_ =
      std::numeric_limits<double>::infinity();  // least squared distance among those left out
  // The short list, from kShort on those that wait.
  double squared_[kShort + tuning::kPending + 8];
  std::int32_t position_[kShort + tuning::kPending + 8];
};

}  // namespace quickshiftpp
