#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// Calls found(i, root) for the entries of `up` from `begin` to `end`, with the root that each
/// leads to. A root points to itself.
///
/// Each walk shortens the path that it took, so that a chain of n samples costs O(n) and not
/// O(n^2). Threads may shorten the same path at once: whatever they write leads to the same root.
template <class Found>
void walk_to_roots(std::int32_t* up, std::size_t begin, std::size_t end, Found&& found) {
  using Entry = std::atomic_ref<std::int32_t>;
  constexpr auto relaxed = std::memory_order_relaxed;
  for (std::size_t i = begin; i < end; ++i) {
    auto root = static_cast<std::int32_t>(i);
    for (std::int32_t next; (next = Entry(up[root]).load(relaxed)) != root;) root = next;
    auto at = static_cast<std::int32_t>(i);
    for (std::int32_t next; (next = Entry(up[at]).load(relaxed)) != root; at = next)
      Entry(up[at]).store(root, relaxed);
    found(i, root);
  }
}

/// Replaces each entry of `up` by the root that it leads to. Calls found(i, root, thread) for each.
template <class Found>
void resolve_roots(std::int32_t* up, std::size_t count, const Run& run, Found&& found) {
  using Entry = std::atomic_ref<std::int32_t>;
  constexpr auto relaxed = std::memory_order_relaxed;
  // Most paths are short. Shortening all of them a few times first, without a branch that the
  // processor would have to guess, leaves walks of a step or two.
  for (int round = 0; round < tuning::kShortenings; ++round)
    parallel_for(run, count, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t above = Entry(up[i]).load(relaxed);
        Entry(up[i]).store(Entry(up[above]).load(relaxed), relaxed);
      }
    });
  parallel_for(run, count, tuning::kGrain, [&](std::size_t begin, std::size_t end, int thread) {
    walk_to_roots(up, begin, end,
                  [&](std::size_t i, std::int32_t root) { found(i, root, thread); });
  });
}

inline void resolve_roots(std::int32_t* up, std::size_t count, const Run& run) {
  resolve_roots(up, count, run, [](std::size_t, std::int32_t, int) {});
}

/// What threads have gathered, one after the other.
template <class Value>
std::vector<Value> concatenate(std::vector<std::vector<Value>>& parts) {
  std::vector<Value> all = std::move(parts.front());
  for (std::size_t p = 1; p < parts.size(); ++p)
    all.insert(all.end(), parts[p].begin(), parts[p].end());
  parts.clear();
  return all;
}

/// Counts the samples of each label, for one thread. Neighbours in memory share a few labels: these
/// are counted together.
class LabelCounter {
 public:
  /// Adds to `size`, which counters of other threads may share.
  explicit LabelCounter(std::vector<std::int64_t>& size) : size_(size) {}
  LabelCounter(const LabelCounter&) = delete;
  ~LabelCounter() {
    for (const Count& count : recent_) flush(count);
  }

  void add(std::int32_t label) {
    Count& count = recent_[static_cast<std::size_t>(label) % recent_.size()];
    if (count.label != label) {
      flush(count);
      count = {label, 0};
    }
    ++count.samples;
  }

 private:
  struct Count {
    std::int32_t label = 0;
    std::int32_t samples = 0;
  };

  void flush(const Count& count) {
    if (count.samples > 0)
      std::atomic_ref<std::int64_t>(size_[static_cast<std::size_t>(count.label)])
          .fetch_add(count.samples, std::memory_order_relaxed);
  }

  std::vector<std::int64_t>& size_;
  std::array<Count, 64> recent_;
};

/// Disjoint sets of modes; the lowest number (the densest mode) represents its set.
class EldestSets {
 public:
  explicit EldestSets(std::size_t count) : up_(count) {
    for (std::size_t i = 0; i < count; ++i) up_[i] = static_cast<std::int32_t>(i);
  }
  std::int32_t find(std::int32_t i) {
    while (up_[static_cast<std::size_t>(i)] != i) {
      std::int32_t& above = up_[static_cast<std::size_t>(i)];
      above = up_[static_cast<std::size_t>(above)];
      i = above;
    }
    return i;
  }
  /// Joins two representatives, the lower number on top.
  void join(std::int32_t elder, std::int32_t younger) {
    up_[static_cast<std::size_t>(younger)] = elder;
  }

 private:
  std::vector<std::int32_t> up_;
};

}  // namespace quickshiftpp
