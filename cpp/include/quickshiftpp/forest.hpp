#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// Calls found(i, root) for every entry of `up` with the root that it leads to. A root points to
/// itself.
///
/// Each walk shortens the path that it took, so that a chain of n samples costs O(n) and not
/// O(n^2). Threads may shorten the same path at once: whatever they write leads to the same root.
template <class Found>
void walk_to_roots(std::int32_t* up, std::size_t count, const Run& run, Found&& found) {
  using Entry = std::atomic_ref<std::int32_t>;
  constexpr auto relaxed = std::memory_order_relaxed;
  parallel_for(run, count, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      auto root = static_cast<std::int32_t>(i);
      for (std::int32_t next; (next = Entry(up[root]).load(relaxed)) != root;) root = next;
      auto at = static_cast<std::int32_t>(i);
      for (std::int32_t next; (next = Entry(up[at]).load(relaxed)) != root; at = next)
        Entry(up[at]).store(root, relaxed);
      found(i, root);
    }
  });
}

/// Replaces each entry of `up` by the root that it leads to.
inline void resolve_roots(std::int32_t* up, std::size_t count, const Run& run) {
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
  walk_to_roots(up, count, run, [](std::size_t, std::int32_t) {});
}

/// Sorts what threads have gathered into one: each part by itself, then merged.
template <class Value, class Less>
std::vector<Value> sort_parts(std::vector<std::vector<Value>>& parts, Less&& less, const Run& run) {
  parallel_for(run, parts.size(), 1, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t p = begin; p < end; ++p) std::sort(parts[p].begin(), parts[p].end(), less);
  });
  std::vector<Value> all;
  for (std::vector<Value>& part : parts) {
    const auto middle = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), part.begin(), part.end());
    part = {};
    std::inplace_merge(all.begin(), all.begin() + middle, all.end(), less);
  }
  return all;
}

/// Counts the samples of each label, for one thread. Neighbours in memory mostly share theirs: they
/// are counted together.
class LabelCounter {
 public:
  /// Adds to `size`, which counters of other threads may share.
  explicit LabelCounter(std::vector<std::int64_t>& size) : size_(size) {}
  LabelCounter(const LabelCounter&) = delete;
  ~LabelCounter() { flush(); }

  void add(std::int32_t label) {
    if (label != label_) {
      flush();
      label_ = label;
    }
    ++count_;
  }

 private:
  void flush() {
    if (count_ > 0)
      std::atomic_ref<std::int64_t>(size_[static_cast<std::size_t>(label_)])
          .fetch_add(std::exchange(count_, 0), std::memory_order_relaxed);
  }

  std::vector<std::int64_t>& size_;
  std::int32_t label_ = -1;
  std::int64_t count_ = 0;
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
