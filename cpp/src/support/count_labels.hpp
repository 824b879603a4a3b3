#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"
#include "support/relaxed.hpp"

namespace quickshiftpp {

/// Counts how often each label from 0 to labels - 1 occurs among label[0], ..., label[count - 1].
///
/// Samples that are near in memory mostly share a label: each run of equal labels is added at once,
/// so that threads seldom write to the same counter.
inline std::vector<std::int64_t> count_labels(const std::int32_t* label, std::size_t count,
                                              std::size_t labels, const Run& run) {
  std::vector<std::int64_t> size(labels, 0);
  parallel_for(run, count, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t first = begin, last; first < end; first = last) {
      for (last = first + 1; last < end && label[last] == label[first];) ++last;
      add_relaxed(size[static_cast<std::size_t>(label[first])],
                  static_cast<std::int64_t>(last - first));
    }
  });
  return size;
}

}  // namespace quickshiftpp
