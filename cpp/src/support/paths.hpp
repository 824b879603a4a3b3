#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// Paths through an array: an entry that is not negative names the next entry, the complement of
/// one that is negative is where the path ends, a label or a number of a root.
///
/// Shortens the paths that entries from `begin` to `end` take among themselves. Neighbours in space
/// lie near each other, so that most paths stay within; a few rounds, without a branch that the
/// processor would have to guess, leave walks of a step or two.
inline void shorten_paths(std::int32_t* path, std::size_t begin, std::size_t end, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = begin; i < end; ++i) {
      const auto next = static_cast<std::size_t>(path[i]);  // of a negative one: far beyond
      const std::size_t is_within = next - begin < end - begin;
      path[i] = path[i ^ ((i ^ next) & (0 - is_within))];
    }
}

/// Starts `count` paths, each with first(i), for walks by any thread; `rounds` as above.
template <class First>
void start_paths(std::int32_t* path, std::size_t count, const Run& run, First&& first,
                 int rounds = tuning::kShortenings) {
  parallel_for(run, count, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) path[i] = first(i);
    shorten_paths(path, begin, end, rounds);
  });
}

/// Starts paths from links, in the same array: a root points to itself, and is where paths end.
inline void start_paths(std::int32_t* link, std::size_t count, const Run& run) {
  start_paths(link, count, run, [&](std::size_t i) {
    return link[i] == static_cast<std::int32_t>(i) ? ~link[i] : link[i];
  });
}

/// Calls found(i, goal) for the entries from `begin` to `end`, with what their paths end with,
/// which they hold themselves from then on.
///
/// Each walk shortens the path that it took, so that a chain of n samples costs O(n) and not
/// O(n^2). Threads may shorten the same path at once: whatever they write leads to the same goal.
template <class Found>
void walk_paths(std::int32_t* path, std::size_t begin, std::size_t end, Found&& found) {
  using Entry = std::atomic_ref<std::int32_t>;
  constexpr auto relaxed = std::memory_order_relaxed;
  for (std::size_t i = begin; i < end; ++i) {
    std::int32_t last = Entry(path[i]).load(relaxed);
    while (last >= 0) last = Entry(path[last]).load(relaxed);
    auto at = static_cast<std::int32_t>(i);
    for (std::int32_t next; (next = Entry(path[at]).load(relaxed)) >= 0; at = next)
      Entry(path[at]).store(last, relaxed);
    found(i, ~last);
  }
}

/// The root that each entry leads to. A root points to itself.
inline Buffer<std::int32_t> find_roots(Buffer<std::int32_t> path, const Run& run) {
  Buffer<std::int32_t> root(path.size());
  start_paths(path.data(), path.size(), run);
  parallel_for(run, path.size(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    walk_paths(path.data(), begin, end, [&](std::size_t i, std::int32_t goal) { root[i] = goal; });
  });
  return root;
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
  std::array<Count, tuning::kRecentLabels> recent_;
};

/// Disjoint sets of modes; the lowest number (the densest mode) represents its set.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : up_(count) {
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
