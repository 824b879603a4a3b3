// The cascade's search among few samples: all of them search at the same time.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"
#include "search/block_queries.hpp"
#include "search/cascade_data.hpp"
#include "search/query_queues.hpp"
#include "search/top_k.hpp"

namespace quickshiftpp {

/// Finds the lists of few samples: every sample has a queue, so that each pair of blocks is
/// screened once for both, and the distance of two samples that are in each other's queue is
/// computed once.
template <class T>
class JointSearch {
 public:
  JointSearch(const CascadeData<T>& data, int k)
      : data_(data),
        k_(k),
        queues_(data, k, data.tree.samples()),
        lock_(std::make_unique<std::mutex[]>(static_cast<std::size_t>(data.tree.blocks()))) {}

  /// Fills in the lists. Returns false where a queue would not hold all that may be neighbors,
  /// since too many samples are about equally near.
  bool run(NeighborLists& lists, const Run& run) {
    for (std::int32_t i = 0; i < samples(); ++i) queues_.begin(i, i);
    screen(run);
    if (has_overflowed_) return false;
    for_each_block(run, [&](std::int32_t begin, std::int32_t end, WorkMeter&) {
      for (std::int32_t i = begin; i < end; ++i) queues_.tighten(i);
    });
    measure(run);
    store(lists, run);
    return true;
  }

 private:
  static constexpr int kBlock = tuning::kBlock;

  /// What a thread needs for the screen: a block of queries, and their products with another block.
  struct Screening {
    BlockQueries<T> queries;
    alignas(64) float product[kBlock * kBlock], transposed[kBlock * kBlock];

    explicit Screening(const CascadeData<T>& data) : queries(data) {}
  };

  std::int32_t samples() const { return static_cast<std::int32_t>(data_.tree.samples()); }

  /// Calls work(begin, end, meter) for the positions of each block, on all threads.
  template <class Work>
  void for_each_block(const Run& run, Work&& work) {
    parallel_for(run, static_cast<std::size_t>(data_.tree.blocks()), 1,
                 [&](std::size_t block, std::size_t, int thread) {
                   WorkMeter meter(run, thread);
                   const auto number = static_cast<std::int32_t>(block);
                   work(data_.tree.block_begin(number), data_.tree.block_end(number), meter);
                 });
  }

  /// Locks the queues of a block. Others mostly hold them for about a microsecond, less than it
  /// takes to fall asleep and to be woken.
  std::unique_lock<std::mutex> lock(std::int32_t block) {
    std::unique_lock guard(lock_[static_cast<std::size_t>(block)], std::try_to_lock);
    while (!guard.owns_lock()) {
      std::this_thread::yield();
      (void)guard.try_lock();
    }
    return guard;
  }

  /// Puts into the queues what may be near enough.
  void screen(const Run& run) {
    const std::int32_t blocks = data_.tree.blocks();
    std::vector<std::unique_ptr<Screening>> screenings;
    for (int t = 0; t < run.threads; ++t) screenings.push_back(std::make_unique<Screening>(data_));
    parallel_for(run, static_cast<std::size_t>(blocks), 1,
                 [&](std::size_t number, std::size_t, int thread) {
                   WorkMeter meter(run, thread);
                   Screening& screening = *screenings[static_cast<std::size_t>(thread)];
                   const auto block = static_cast<std::int32_t>(number);
                   screening.queries.load(block);
                   for (std::int32_t other = block; other < blocks && !has_overflowed_; ++other) {
                     compare_with(other, screening);
                     meter.spend(data_.screen_operations() * kBlock);
                   }
                 });
  }

  void compare_with(std::int32_t other, Screening& screening) {
    const std::int32_t block = screening.queries.block();
    const Index<float>& tree = data_.tree;
    if (data_.box_distance(tree.box(tree.leaf(block)), tree.leaf(other)) >
        std::max(squared_radius(block), squared_radius(other)))
      return;
    screening.queries.multiply(other, screening.product);
    add_near(block, screening.product, other);
    if (other == block) return;  // all were compared with all
    const float* rows[kBlock];
    for (int q = 0; q < kBlock; ++q) rows[q] = screening.product + q * kBlock;
    transpose_.fill_block(rows, kBlock, screening.transposed);
    add_near(other, screening.transposed, block);
  }

  /// The largest search radius of a block's samples.
  double squared_radius(std::int32_t block) {
    const auto guard = lock(block);
    double largest = -1;
    for (std::int32_t i = data_.tree.block_begin(block); i < data_.tree.block_end(block); ++i)
      largest = std::max(largest, queues_.squared_radius(i));
    return largest;
  }

  /// Adds samples of another block to the queues of a block, by the products of each of its samples
  /// with that block.
  void add_near(std::int32_t block, const float* product, std::int32_t other) {
    const auto guard = lock(block);
    if (has_overflowed_) return;  // perhaps a queue of this block, which has no more room
    const std::int32_t end = data_.tree.block_end(block);
    for (std::int32_t i = data_.tree.block_begin(block); i < end; ++i, product += kBlock) {
      queues_.add_near(i, product, other);
      if (!queues_.is_full(i)) continue;
      queues_.tighten(i);
      if (queues_.is_full(i)) has_overflowed_ = true;
    }
  }

  /// Computes the distances of all candidates.
  void measure(const Run& run) {
    first_.assign(data_.tree.samples() + 1, 0);
    for (std::int32_t i = 0; i < samples(); ++i)
      first_[place(i) + 1] = first_[place(i)] + place(queues_.size(i));
    squared_ = Buffer<double>(first_.back());
    for_each_block(run, [&](std::int32_t begin, std::int32_t end, WorkMeter& meter) {
      std::vector<double> sample;
      std::int64_t measured = 0;
      for (std::int32_t i = begin; i < end; ++i) {
        measured += measure_candidates(i, data_.widened(i, sample), meter);
      }
      data_.exact_distances += static_cast<std::uint64_t>(measured);
    });
  }

  /// Returns how many distances were computed: of two samples that are candidates of each other,
  /// the first one computes their distance.
  int measure_candidates(std::int32_t own, const double* sample, WorkMeter& meter) {
    const T* rows[kRowsTogether];
    std::pair<std::size_t, std::size_t> places[kRowsTogether];
    int measured = 0, count = 0;
    const auto compute = [&] {
      if (count == 0) return;
      double squared[kRowsTogether];
      std::fill(rows + count, rows + kRowsTogether, rows[0]);
      data_.kernel.row_distances(sample, rows, data_.columns, squared);
      for (int i = 0; i < count; ++i)
        squared_[places[i].first] = squared_[places[i].second] = squared[i];
      meter.spend(place(count) * data_.columns);
      measured += std::exchange(count, 0);
    };
    const std::int32_t* candidates = queues_.candidates(own);
    for (int c = 0; c < queues_.size(own); ++c) {
      const std::int32_t other = candidates[c];
      const std::size_t here = first_[place(own)] + place(c);
      if (other == own) {
        squared_[here] = 0;
        continue;
      }
      meter.spend(place(queues_.size(other)));
      const int there = find(queues_.candidates(other), queues_.size(other), own);
      if (there >= 0 && other < own) continue;
      places[count] = {here, there < 0 ? here : first_[place(other)] + place(there)};
      rows[count++] = data_.sample(other);
      if (count == kRowsTogether) compute();
    }
    compute();
    return measured;
  }

  /// Where a position is in a list that holds it once; -1 if it is not there. Without a branch,
  /// since processors do not foresee where it is.
  static int find(const std::int32_t* positions, int count, std::int32_t wanted) {
    int found = -1;
    for (int i = 0; i < count; ++i) found = positions[i] == wanted ? i : found;
    return found;
  }

  /// Sorts the candidates.
  void store(NeighborLists& lists, const Run& run) {
    for_each_block(run, [&](std::int32_t begin, std::int32_t end, WorkMeter&) {
      Buffer<Candidate> storage(TopK<T>::storage_size(k_));
      TopK<T> nearest;
      for (std::int32_t i = begin; i < end; ++i) {
        const std::int32_t row = data_.tree.row_at(i);
        nearest.reset(data_.kernel, storage.data(), k_, row);
        for (int c = 0; c < queues_.size(i); ++c)
          nearest.add(data_.index, data_.kernel, squared_[first_[place(i)] + place(c)],
                      data_.tree.row_at(queues_.candidates(i)[c]));
        nearest.merge_pending(data_.index, data_.kernel);
        lists.store(static_cast<std::size_t>(row), nearest, nearest.tied_beyond());
      }
    });
  }

  static std::size_t place(int i) { return static_cast<std::size_t>(i); }

  const CascadeData<T>& data_;
  int k_;
  QueryQueues<T> queues_;               // of all samples, by position
  std::unique_ptr<std::mutex[]> lock_;  // one for each block
  const Kernels<float>& transpose_ = kernels<float>();
  std::atomic<bool> has_overflowed_{false};
  std::vector<std::size_t> first_;  // where the candidates of each sample begin in `squared_`
  Buffer<double> squared_;
};

}  // namespace quickshiftpp
