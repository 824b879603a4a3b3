#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "quickshiftpp/index.hpp"
#include "quickshiftpp/kernels.hpp"

namespace quickshiftpp {

/// The k nearest that one query has met so far.
///
/// A sorted list, and a few candidates that wait: they are sorted among themselves and merged into
/// the list when enough have come together, for k = 5 as for k = 500.
template <class T>
class Shortlist {
 public:
  /// Candidates that `reset` needs room for.
  static std::size_t room(int k) { return 2 * (static_cast<std::size_t>(k) + 1); }

  /// `storage` has room for room(k) candidates; `self` is the query's own position, -1 for none.
  void reset(Candidate* storage, int k, std::int32_t self) {
    sorted_ = storage;
    merged_ = storage + k + 1;
    k_ = k;
    self_ = self;
    filled_ = pending_ = 0;
    bound_ = discarded_ = std::numeric_limits<double>::infinity();
  }

  bool is_full() const { return filled_ == k_; }
  /// Every candidate beyond it can be ignored.
  double bound() const { return bound_; }

  /// Looks through a block. There is always room for one more.
  void meet(const Index<T>& targets, const Kernels<T>& kernel, std::int32_t block,
            const double* point) {
    pending_ += kernel.within(targets.block(block), targets.block_begin(block), targets.columns(),
                              point, bound_, squared_ + pending_, position_ + pending_);
    flush_when_due(targets, kernel);
  }
  /// Takes one sample at a known distance.
  void take(const Index<T>& targets, const Kernels<T>& kernel, double squared,
            std::int32_t position) {
    if (squared > bound_) return;
    squared_[pending_] = squared;
    position_[pending_++] = position;
    flush_when_due(targets, kernel);
  }

  /// Whether a sample at the bound comes after the last of a full list; it is a tie beyond it then.
  bool turns_away(const Index<T>& targets, std::int32_t position) {
    if (filled_ < k_ || row(targets, position) < row(targets, sorted_[k_ - 1].position))
      return false;
    discarded_ = bound_;
    return true;
  }

  void flush(const Index<T>& targets, const Kernels<T>& kernel) {
    if (pending_ == 0) return;
    auto comes_first = [&](const Candidate& a, const Candidate& b) {
      return a.squared != b.squared ? a.squared < b.squared
                                    : row(targets, a.position) < row(targets, b.position);
    };
    Candidate fresh[tuning::kPending + 1];
    if (!kernel.sort(squared_, position_, pending_, fresh))
      std::sort(fresh, fresh + pending_, comes_first);  // ties: by row number
    const int total = std::min(k_, filled_ + pending_);
    int a = 0, b = 0;
    if (filled_ == 0) {
      std::copy_n(fresh, total, merged_);
      b = total;
    } else {
      fresh[pending_] = kLast;
      for (int out = 0; out < total; ++out) {
        bool take_fresh = fresh[b].squared < sorted_[a].squared;
        if (fresh[b].squared == sorted_[a].squared) take_fresh = comes_first(fresh[b], sorted_[a]);
        const Candidate* next = take_fresh ? fresh + b : sorted_ + a;
        merged_[out] = *next;
        b += take_fresh;
        a += !take_fresh;
      }
    }
    merged_[total] = kLast;
    if (a < filled_) discarded_ = std::min(discarded_, sorted_[a].squared);
    if (b < pending_) discarded_ = std::min(discarded_, fresh[b].squared);
    std::swap(sorted_, merged_);
    filled_ = total;
    pending_ = 0;
    if (filled_ == k_) bound_ = sorted_[k_ - 1].squared;
  }

  const Candidate& operator[](int i) const { return sorted_[i]; }
  /// Something as near as the last of the list was left out.
  bool tied_beyond() const { return discarded_ == bound_; }

 private:
  static constexpr Candidate kLast{std::numeric_limits<double>::infinity(), -1};

  void flush_when_due(const Index<T>& targets, const Kernels<T>& kernel) {
    const int missing = k_ - filled_;
    if (pending_ >= (missing > 0 ? std::min(missing, tuning::kFlush) : tuning::kFlush))
      flush(targets, kernel);
  }

  /// The sample itself comes before all that coincide with it.
  std::int32_t row(const Index<T>& targets, std::int32_t position) const {
    return position == self_ ? -1 : targets.original(position);
  }

  Candidate* sorted_ = nullptr;
  Candidate* merged_ = nullptr;  // where the next merge goes
  int k_ = 0;
  int filled_ = 0;
  int pending_ = 0;
  std::int32_t self_ = -1;
  double bound_ = std::numeric_limits<double>::infinity();
  double discarded_ =
      std::numeric_limits<double>::infinity();  // least squared distance among those left out
  double squared_[tuning::kPending + 8];
  std::int32_t position_[tuning::kPending + 8];
};

}  // namespace quickshiftpp
