// The last filter of the cascade: exact distances, of a few pairs at a time.

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "search/cascade_data.hpp"

namespace quickshiftpp {

/// The samples whose exact distance from one sample is still to be computed.
class CandidateQueue {
 public:
  struct Entry {
    double lower_bound;  ///< squared distance along the axes, at most the true one
    std::int32_t position;
    std::uint32_t user_data;
  };

  void clear() { count_ = 0; }
  /// Once the queue is full, it has to be emptied.
  void add(const Entry& entry) { entries_[count_++] = entry; }
  bool is_full() const { return count_ == tuning::kQueueLength; }

  /// Empties the queue: computes distances from the sample at `own`, the most promising first,
  /// since each may make the next ones superfluous. Of the entries for which is_needed(entry) still
  /// holds a few at a time are handed to take(entry, squared distance), followed by one call of
  /// update().
  template <class T, class IsNeeded, class Take, class Update>
  void measure(const CascadeData<T>& data, std::int32_t own, IsNeeded&& is_needed, Take&& take,
               Update&& update) {
    Entry* next = entries_;
    Entry* const end = next + std::exchange(count_, 0);
    std::sort(next, end,
              [](const Entry& a, const Entry& b) { return a.lower_bound < b.lower_bound; });
    while (next != end) {
      const T* rows[kRowsTogether];
      const Entry* chosen[kRowsTogether];
      double squared[kRowsTogether];
      int count = 0;
      for (; count < kRowsTogether && next != end; ++next) {
        chosen[count] = next;
        rows[count] = data.sample(next->position);
        count += is_needed(*next);
      }
      if (count == 0) return;
      std::fill(rows + count, rows + kRowsTogether, rows[0]);
      data.kernel.row_distances(data.sample(own), rows, data.columns, squared);
      for (int i = 0; i < count; ++i) take(*chosen[i], squared[i]);
      update();
    }
  }

 private:
  Entry entries_[tuning::kQueueLength];
  int count_ = 0;
};

}  // namespace quickshiftpp
