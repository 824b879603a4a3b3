#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"
#include "support/relaxed.hpp"

namespace quickshiftpp {

/// Follows links to their ends: afterwards link[i] is the entry at which the path from i ends. An
/// entry that links to itself is an end. Throws std::invalid_argument where links form a longer
/// cycle that does not collapse.
///
/// Pointer jumping: each round replaces a link by the link's own, which halves all paths. So a
/// chain of n entries takes about log2(n) rounds. Whatever a thread reads while another writes, it
/// leads to the same end.
inline void follow_links(Buffer<std::int32_t>& link, const Run& run) {
  std::atomic<bool> has_changed{true};
  for (int round = 0; has_changed.exchange(false); ++round) {
    if (round > 40) throw std::invalid_argument("the links form a cycle");
    parallel_for(run, link.size(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
      bool has_moved = false;
      for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t next = load_relaxed(link[i]);
        const std::int32_t after = load_relaxed(link[static_cast<std::size_t>(next)]);
        store_relaxed(link[i], after);
        has_moved |= after != next;
      }
      if (has_moved) has_changed.store(true, std::memory_order_relaxed);
    });
  }
}

}  // namespace quickshiftpp
