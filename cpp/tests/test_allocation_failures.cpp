// Every allocation of every stage fails once: each failure ends in std::bad_alloc, in any thread,
// and leaves nothing behind.

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "quickshiftpp/search/cascade.hpp"
#include "quickshiftpp/search/coordinates.hpp"
#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/search/matrix.hpp"
#include "quickshiftpp/search/nearest_below.hpp"
#include "quickshiftpp/search/pixels.hpp"
#include "quickshiftpp/tree/cut.hpp"
#include "quickshiftpp/tree/density.hpp"
#include "quickshiftpp/tree/links.hpp"
#include "quickshiftpp/tree/mode_tree.hpp"
#include "samples.hpp"

namespace {

std::atomic<long> until_failure{-1};  // allocations before the one that fails; negative for none
std::atomic<long> live{0};            // blocks that are allocated now

void* allocate(std::size_t size, std::size_t alignment) {
  if (until_failure.load() >= 0 && until_failure.fetch_sub(1) == 0) throw std::bad_alloc();
  // Not std::aligned_alloc: it rounds sizes up, which hides reads past an end from the sanitizers.
  void* block = nullptr;
  if (posix_memalign(&block, alignment, size) != 0) throw std::bad_alloc();
  ++live;
  return block;
}
void release(void* block) noexcept {
  if (block == nullptr) return;
  --live;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// std::inplace_merge does without memory where there is none.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }

using namespace quickshiftpp;

namespace {

constexpr long kStep = testing::kSanitized ? 7 : 1;  // sanitizers are slow: every seventh fails

/// Runs stage(run) with its first allocation failing, then its second, and so on, until none fails.
/// The stage returns a sum over its result. Returns the number of failures.
template <class Stage>
long fail_each_allocation(int threads, Stage&& stage) {
  auto sum = [&] {
    Monitor monitor;
    const Run run(threads, monitor);
    return static_cast<double>(stage(run));
  };
  const double expected = sum();
  for (long failing = 0;; failing += kStep) {
    const long before = live;
    bool has_failed = false;
    double found = expected;
    until_failure = failing;
    try {
      found = sum();
    } catch (const std::bad_alloc&) {
      has_failed = true;
    }
    const bool was_reached = until_failure.exchange(-1) < 0;
    CHECK(live == before);
    if (!was_reached) return failing / kStep;
    // A thread that cannot be started is done without; the result is the same.
    CHECK((has_failed || threads > 1));
    CHECK(found == expected);
  }
}

template <class Values>
double sum_of(const Values& values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<double>(values[i]) * static_cast<double>(i % 97 + 1);
  return sum;
}
template <class T>
double sum_of(const Buffer<T>& values) {
  return sum_of(values, values.size());
}

template <class T>
struct Data {
  std::vector<T> rows;
  std::size_t samples;
  int columns;
};

template <class T>
Data<T> some_data(std::size_t samples, int columns, int grid) {
  return {testing::random_rows<T>(samples, columns, grid, 3), samples, columns};
}

template <class T>
Index<T> index_of(const Data<T>& data, bool tree, const Run& run) {
  return Index<T>(data.rows.data(), data.samples, data.columns, tree, run);
}

long total = 0;  // over all test cases of this file

}  // namespace

TEST_CASE_TEMPLATE("a failed allocation in a search or a tree is an exception", T, float, double) {
  for (int threads : {1, 3})
    for (const Data<T>& data :
         {some_data<T>(1200, 2, 0), some_data<T>(1200, 2, 9), some_data<T>(700, 12, 0)}) {
      testing::TwoThreads two;
      for (bool has_tree : {true, false})
        total += fail_each_allocation(threads, [&](const Run& run) {
          const Index<T> index = index_of(data, has_tree, run);
          const NeighborLists lists = neighbor_lists(index, 10, run);
          const NeighborLists shorter = lists.prefix(index, 4, run);
          const ModeTree tree = build_mode_tree<T>(index, lists, nullptr, run);
          const Clustering clustering = cut(tree, 1.5, 5, run);
          return sum_of(clustering.label) + sum_of(tree.parent) +
                 sum_of(shorter.squared_radii(), shorter.samples()) +
                 sum_of(neighbor_table(index, lists, run).row);
        });
      const Index<T> index = index_of(data, true, two.run);
      const std::vector<double> key(data.samples, 1.0), limit(data.samples, 2.0);
      total += fail_each_allocation(threads, [&](const Run& run) {
        return sum_of(kth_squared_distances(index, index, 5, run)) +
               sum_of(nearest_below(index, index, key.data(), limit.data(), run).row) +
               sum_of(gaussian_sums(index, 1.0, run)) +
               sum_of(coordinate_hashes(data.rows.data(), data.samples, data.columns, run));
      });
      if (can_skip_lists(index))
        total += fail_each_allocation(threads, [&](const Run& run) {
          const NeighborLists radii = neighbor_lists(index, 10, run, true);
          return sum_of(build_mode_tree<T>(index, radii, nullptr, run).parent);
        });
    }
}

TEST_CASE_TEMPLATE("a failed allocation in the cascade is an exception", T, float, double) {
  const Data<T> data = some_data<T>(900, 20, 0);
  const testing::FirstColumns along(data.rows, 20, 8);
  const CascadePlan plan = along.plan(testing::kIn8Bits);
  for (int threads : {1, 3})
    total += fail_each_allocation(threads, [&](const Run& run) {
      const Index<T> index = index_of(data, false, run);
      const Cascade<T> cascade(index, data.rows.data(), plan, run);
      const NeighborLists lists = cascade.neighbor_lists(10, run, 8);
      return sum_of(build_mode_tree<T>(index, lists, &cascade, run).parent) +
             sum_of(cascade.kth_squared_distances(700, 5, run));
    });
  for (int threads : {1, 3})
    total += fail_each_allocation(threads, [&](const Run& run) {
      const Cascade<T> cascade(data.rows.data(), data.samples, 20, plan, run);
      return sum_of(cascade.neighbor_table(10, run).distance);
    });
  const testing::AllColumns along_all(data.rows, 20);
  for (int threads : {1, 3})
    total += fail_each_allocation(threads, [&](const Run& run) {
      const Index<T> index = index_of(data, false, run);
      const Cascade<T> cascade(index, data.rows.data(), along_all.plan(testing::kIn16Bits), run);
      return sum_of(cascade.joint_neighbor_lists(5, run).value().squared_radii(), data.samples);
    });
}

TEST_CASE_TEMPLATE("a failed allocation in images and matrices is an exception", T, float, double) {
  testing::TwoThreads two;
  Data<T> data = some_data<T>(30 * 20, 3, 5);
  for (std::size_t i = 0; i < data.samples; ++i) {
    data.rows[3 * i] = static_cast<T>(i / 20);
    data.rows[3 * i + 1] = static_cast<T>(i % 20);
  }
  const Index<T> index = index_of(data, true, two.run);
  const Grid grid{{30, 20}, {1, 1}};
  for (int threads : {1, 3}) {
    total += fail_each_allocation(threads, [&](const Run& run) {
      const Pixels<T> pixels(index, grid, run);
      const NeighborLists lists = pixels.neighbor_lists(25, run);
      return sum_of(lists.squared_radii(), lists.samples()) + pixels.window_size(25, 1e9, run);
    });
    total += fail_each_allocation(threads, [&](const Run& run) {
      std::vector<double> vectors{1, 2, 3, 4, 5, 7};
      orthonormalize(vectors.data(), 2, 3, run);
      const std::vector<std::int32_t> link(1000, 0);
      return sum_of(matrix_product(data.rows.data(), data.samples, 3, data.rows.data(), 50, run)) +
             sum_of(link_roots(link.data(), link.size(), run)) + sum_of(vectors, vectors.size());
    });
  }
}

TEST_CASE("more than a thousand allocations have failed, where all cases above ran") {
  MESSAGE("failed allocations: " << total);
  CHECK((total == 0 || total > 1000 / kStep));
}
