// The last filter of the cascade: exact distances, of a few pairs at a time.

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "search/cascade_data.hpp"

namespace quickshiftpp {

/// A sample whose exact distance from another is still to be computed.
struct QueueEntry {
  double lower_bound;  ///< squared distance along the axes, at most the true one
  std::int32_t position;
  std::uint32_t user_data;
};

/// Empties a queue: computes distances from the sample `own`, in float64. In a long queue the most
/// promising come first, since each may make the next ones superfluous. Of the entries for which
/// is_needed(entry) still holds, a few at a time are handed to take(entry, squared distance),
/// followed by one call of update(). Returns how many distances were computed.
template <class T, class IsNeeded, class Take, class Update>
int measure_queue(const CascadeData<T>& data, const double* own, QueueEntry* next,
                  QueueEntry* const end, IsNeeded&& is_needed, Take&& take, Update&& update) {
  if (end - next > tuning::kQueueLength)
    std::sort(next, end, [](const QueueEntry& a, const QueueEntry& b) {
      return a.lower_bound < b.lower_bound;
    });
  int measured = 0;
  while (next != end) {
    const T* rows[kRowsTogether];
    const QueueEntry* chosen[kRowsTogether];
    double squared[kRowsTogether];
    int count = 0;
    for (; count < kRowsTogether && next != end; ++next) {
      chosen[count] = next;
      rows[count] = data.sample(next->position);
      count += is_needed(*next);
    }
    if (count == 0) break;
    measured += count;
    std::fill(rows + count, rows + kRowsTogether, rows[0]);
    data.kernel.row_distances(own, rows, data.columns, squared);
    for (int i = 0; i < count; ++i) take(*chosen[i], squared[i]);
    update();
  }
  return measured;
}

}  // namespace quickshiftpp
