#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// Follows links to their ends: afterwards link[i] is the entry at which the path from i ends. An
/// entry that links to itself is an end; there must be no other cycle.
///
/// Pointer jumping: each round replaces a link by the link's own, which halves all paths. So a
/// chain of n entries takes about log2(n) rounds. Whatever a thread reads while another writes, it
/// leads to the same end.
inline void follow_links(Buffer<std::int32_t>& link, const Run& run) {
  using Entry = std::atomic_ref<std::int32_t>;
  constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic<bool> has_changed{true};
  while (has_changed.exchange(false)) {
    parallel_for(run, link.size(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
      bool has_moved = false;
      for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t next = Entry(link[i]).load(relaxed);
        const std::int32_t after = Entry(link[static_cast<std::size_t>(next)]).load(relaxed);
        Entry(link[i]).store(after, relaxed);
        has_moved |= after != next;
      }
      if (has_moved) has_changed.store(true, relaxed);
    });
  }
}

}  // namespace quickshiftpp
