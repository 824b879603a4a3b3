// The last step of the cascade: exact distances, of a few pairs at a time.

#pragma once

#include <algorithm>
#include <utility>

#include "quickshiftpp/search/cascade.hpp"

namespace quickshiftpp {

/// The samples whose exact distance from one sample is still to be computed.
template <class T>
class Cascade<T>::CandidateQueue {
 public:
  struct Entry {
    double apart;  ///< at least, squared and along the axes
    std::int32_t position;
    std::uint32_t tag;  ///< what the caller wants to know of it
  };

  void clear() { count_ = 0; }
  /// Once the last place is taken, the distances have to be computed.
  void add(const Entry& entry) { entries_[count_++] = entry; }
  bool is_full() const { return count_ == tuning::kQueueLength; }

  /// Computes distances from the sample at `own`, the most promising first, since each may spare
  /// the next ones: of the entries for which is_worth(entry) still holds, some at a time, followed
  /// by take(entry, squared distance) for each and settle() for all of them.
  template <class IsWorth, class Take, class Settle>
  void measure(const Cascade& cascade, std::int32_t own, IsWorth&& is_worth, Take&& take,
               Settle&& settle) {
    Entry* next = entries_;
    Entry* const end = next + std::exchange(count_, 0);
    std::sort(next, end, [](const Entry& a, const Entry& b) { return a.apart < b.apart; });
    while (next != end) {
      const T* rows[kRowsTogether];
      const Entry* chosen[kRowsTogether];
      double squared[kRowsTogether];
      int count = 0;
      for (; count < kRowsTogether && next != end; ++next) {
        chosen[count] = next;
        rows[count] = cascade.row(next->position);
        count += is_worth(*next);
      }
      if (count == 0) return;
      std::fill(rows + count, rows + kRowsTogether, rows[0]);
      cascade.kernel_.row_distances(cascade.row(own), rows, cascade.columns_, squared);
      for (int i = 0; i < count; ++i) take(*chosen[i], squared[i]);
      settle();
    }
  }

 private:
  Entry entries_[tuning::kQueueLength];
  int count_ = 0;
};

}  // namespace quickshiftpp
