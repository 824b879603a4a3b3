#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "quickshiftpp/search/cascade.hpp"
#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/tree/mode_tree.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

namespace {

/// Whether lists hold the same neighbors, and the same ties.
template <class T>
bool are_same(const NeighborLists& lists, const NeighborLists& expected, const Index<T>& index) {
  bool same = true;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(index.samples()); ++i) {
    same &= lists.squared_radii()[i] == expected.squared_radii()[i];
    if (lists.squared_radii()[i] == 0) continue;  // any of the equal rows will do
    same &= lists.tied_beyond(i) == expected.tied_beyond(i);
    for (int c = 0; c < lists.k(); ++c) same &= lists.positions(i)[c] == expected.positions(i)[c];
    for (int c = 0; c < lists.k(); ++c)
      same &=
          lists.squared_distance(index, i, c) == index.squared_distance(i, lists.positions(i)[c]);
  }
  return same;
}

}  // namespace

TEST_CASE("thousands of equal rows at the radius of others are not looked at one by one") {
  testing::TwoThreads two_threads;
  const std::size_t samples = 40000, equal = 30000;
  const int columns = 12, k = 20;
  auto rows = testing::random_rows<double>(samples, columns, 0, 5);
  std::fill_n(rows.begin(), equal * columns, 0.5);
  const Index<double> index(rows.data(), samples, columns, false, two_threads.run);
  const testing::FirstColumns axes(rows, columns, columns);
  const Cascade<double> cascade(index, rows.data(), axes.plan(testing::kIn16Bits), two_threads.run);
  const NeighborLists alone = cascade.neighbor_lists(k, two_threads.run, samples);
  const NeighborLists pairs = cascade.neighbor_lists(k, two_threads.run);
  bool same = true;
  for (auto i = static_cast<std::int32_t>(equal); i < static_cast<std::int32_t>(samples); ++i)
    same &= std::equal(pairs.positions(i), pairs.positions(i) + k, alone.positions(i)) &&
            pairs.tied_beyond(i) == alone.tied_beyond(i);
  CHECK(same);
}

TEST_CASE_TEMPLATE("a cascade finds what brute force finds", T, float, double) {
  testing::TwoThreads two_threads;
  const std::size_t samples = 675;  // a last block of three
  // Sanitizers are slow, and look for other things than every k.
  const std::vector<int> grids = testing::kSanitized ? std::vector{2} : std::vector{0, 2, 5};
  const std::vector<int> ks =
      testing::kSanitized ? std::vector{6, 70} : std::vector{1, 6, 32, 70, 150, 499};
  for (int grid : grids)
    for (int columns : {1, 9, 60}) {
      const auto rows = testing::random_rows<T>(samples, columns, grid, 11 + columns);
      const Index<T> index(rows.data(), samples, columns, false, two_threads.run);
      for (int k : ks) {
        const NeighborLists expected = neighbor_lists(index, k, two_threads.run);
        const ModeTree tree = build_mode_tree<T>(index, expected, nullptr, two_threads.run);
        for (int axes : {1, columns / 2 + 1, columns})
          for (auto precision : {testing::kInFloat32, testing::kIn16Bits, testing::kIn8Bits}) {
            const testing::FirstColumns along(rows, columns, axes);
            const CascadePlan plan = along.plan(precision, axes);
            const Cascade<T> cascade(index, rows.data(), plan, two_threads.run);
            // The first phase alone, and pairs of blocks as soon as lists are full.
            for (std::size_t first_phase : {samples, std::size_t{1}})
              CHECK(are_same(cascade.neighbor_lists(k, two_threads.run, first_phase), expected,
                             index));
            const ModeTree found = build_mode_tree<T>(index, expected, &cascade, two_threads.run);
            CHECK(
                std::equal(tree.parent.data(), tree.parent.data() + samples, found.parent.data()));
          }
      }
    }
}

TEST_CASE_TEMPLATE("samples that search at the same time find what brute force finds", T, float,
                   double) {
  testing::TwoThreads two_threads;
  const std::vector<int> ks = testing::kSanitized ? std::vector{6} : std::vector{1, 6, 70, 150};
  for (std::size_t samples : {2, 33, 675})  // a last block of one or three
    for (int columns : {1, 9, 60})
      for (int grid : {0, 2, 40}) {  // with ties, and many equal rows
        const auto rows = testing::random_rows<T>(samples, columns, grid, 17);
        const Index<T> index(rows.data(), samples, columns, false, two_threads.run);
        const testing::AllColumns along(rows, columns);
        for (auto precision : {testing::kInFloat32, testing::kIn16Bits, testing::kIn8Bits}) {
          const Cascade<T> cascade(index, rows.data(), along.plan(precision), two_threads.run);
          for (int k : ks) {
            if (k > static_cast<int>(samples)) continue;
            const std::optional<NeighborLists> lists =
                cascade.joint_neighbor_lists(k, two_threads.run);
            // With 60 columns, few samples are about equally near.
            if (columns == 60 && grid == 0) CHECK(lists.has_value());
            if (lists) CHECK(are_same(*lists, neighbor_lists(index, k, two_threads.run), index));
          }
        }
      }
}

TEST_CASE("the distance of samples that are candidates of each other is computed once") {
  testing::TwoThreads two_threads;
  const std::size_t samples = 320;
  const int columns = 60, k = 319;
  const auto rows = testing::random_rows<float>(samples, columns, 0, 5);
  const testing::AllColumns along(rows, columns);
  const Cascade<float> cascade(rows.data(), samples, columns, along.plan(testing::kIn16Bits),
                               two_threads.run);
  REQUIRE(cascade.joint_neighbor_lists(k, two_threads.run).has_value());
  CHECK(cascade.exact_distances() <= samples * (samples - 1) / 2);
}

TEST_CASE("where too many samples are equally near, the search goes on in two phases") {
  testing::TwoThreads two_threads;
  const std::size_t samples = 700;
  const int columns = tuning::kJointColumns, k = 5;
  auto rows = testing::random_rows<float>(samples, columns, 0, 5);
  for (std::size_t i = 1; i < 600; ++i)  // equal rows
    std::copy_n(rows.begin(), columns, rows.begin() + static_cast<std::ptrdiff_t>(i) * columns);
  const Index<float> index(rows.data(), samples, columns, false, two_threads.run);
  const testing::AllColumns along(rows, columns);
  const Cascade<float> cascade(index, rows.data(), along.plan(testing::kIn16Bits), two_threads.run);
  CHECK_FALSE(cascade.joint_neighbor_lists(k, two_threads.run).has_value());
  CHECK(are_same(cascade.neighbor_lists(k, two_threads.run),
                 neighbor_lists(index, k, two_threads.run), index));
}

TEST_CASE("threads that add to the same queue while it overflows stay within its room") {
  Monitor monitor;
  const Run many_threads{16, monitor};
  // Equal rows. In the last block one is missing, so that a queue may have room for one more row
  // when two blocks come at the same time.
  const std::size_t samples = 8 * tuning::kBlock - 1;
  const int columns = 4 * tuning::kJointColumns, k = 5;
  const std::vector<float> rows(samples * columns, 0.5f);
  const testing::AllColumns along(rows, columns);
  const Cascade<float> cascade(rows.data(), samples, columns, along.plan(testing::kIn16Bits),
                               many_threads);
  for (int round = 0; round < 100; ++round)
    CHECK_FALSE(cascade.joint_neighbor_lists(k, many_threads).has_value());
}

TEST_CASE("dense and sparse samples find each other in pairs of blocks") {
  testing::TwoThreads two_threads;
  const std::size_t samples = 2000;
  const int columns = 10;
  auto rows = testing::random_rows<double>(samples, columns, 0, 3);
  // Many dense samples in the middle of sparse ones: those of a few blocks side by side have small
  // radii, and sparse samples in blocks before and after have them in their lists.
  for (std::size_t i = 0; i < samples; ++i)
    if (i % 4 != 0)
      for (int c = 0; c < columns; ++c) rows[i * columns + c] /= 1000;
  const Index<double> index(rows.data(), samples, columns, false, two_threads.run);
  for (int axes : {1, columns}) {
    const testing::FirstColumns along(rows, columns, axes);
    const Cascade<double> cascade(index, rows.data(), along.plan(testing::kInFloat32),
                                  two_threads.run);
    for (int k : {2, 6, 20}) {
      const NeighborLists expected = neighbor_lists(index, k, two_threads.run);
      CHECK(are_same(cascade.neighbor_lists(k, two_threads.run, 1), expected, index));
    }
  }
}

TEST_CASE_TEMPLATE("a cascade needs no copy of the rows", T, float, double) {
  testing::TwoThreads two_threads;
  const std::size_t samples = 675;
  for (int columns : {3, 9})
    for (int grid : {0, 2}) {  // 2: many equal rows, with zero radii, and ties that rows settle
      const auto rows = testing::random_rows<T>(samples, columns, grid, 5);
      const Index<T> index(rows.data(), samples, columns, false, two_threads.run);
      const testing::FirstColumns along(rows, columns, columns);
      const CascadePlan plan = along.plan(testing::kIn16Bits);
      const Cascade<T> cascade(rows.data(), samples, columns, plan, two_threads.run);
      CHECK_FALSE(cascade.index().has_coordinates());
      for (int k : {1, 9, 150}) {
        const NeighborTable expected = neighbor_table(index, k, two_threads.run);
        const NeighborTable found = cascade.neighbor_table(k, two_threads.run);
        CHECK(std::equal(found.distance.data(), found.distance.data() + found.distance.size(),
                         expected.distance.data()));
        CHECK(
            std::equal(found.row.data(), found.row.data() + found.row.size(), expected.row.data()));
      }
    }
}
