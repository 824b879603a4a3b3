#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/tree/links.hpp"
#include "quickshiftpp/tree/mode_tree.hpp"
#include "samples.hpp"
#include "support/count_labels.hpp"
#include "support/parallel_sort.hpp"

using namespace quickshiftpp;

namespace {

template <class T>
ModeTree tree_of(const Index<T>& index, const NeighborLists& lists, const Run& run) {
  return build_mode_tree<T>(index, lists, nullptr, run);
}

}  // namespace

TEST_CASE("the saddle of two groups on a line is the sparse sample between them") {
  testing::TwoThreads two_threads;
  // A dense group, a single sample at 6, and a sparser group.
  const std::vector<double> rows{0, 1, 2, 3, 4, 6, 8.5, 9.625, 10.75, 11.875, 13};
  const Index<double> index(rows.data(), rows.size(), 1, true, two_threads.run);
  const NeighborLists lists = neighbor_lists(index, 4, two_threads.run);
  const ModeTree tree = tree_of(index, lists, two_threads.run);
  REQUIRE(tree.modes() == 2);
  CHECK(index.row_at(tree.mode_position[0]) == 1);  // r = 2, like samples 2 to 4, and comes first
  CHECK(tree.parent_mode == std::vector<std::int32_t>{-1, 0});
  CHECK(tree.saddle_position[0] == -1);
  CHECK(index.row_at(tree.saddle_position[1]) == 5);
  CHECK(tree.size[0] == static_cast<std::int64_t>(rows.size()));
}

TEST_CASE("a mode merges into the densest mode of the component that it meets") {
  testing::TwoThreads two_threads;
  // From the left a dense group, the sparsest and another; single samples at 7 and 17. The sparsest
  // merges into the group on its right first, and that one into the first, through the sparsest.
  const std::vector<double> rows{0,     1,  2,  3,  4,      7,     10,     11.25, 12.5,
                                 13.75, 15, 17, 19, 20.125, 21.25, 22.375, 23.5};
  const Index<double> index(rows.data(), rows.size(), 1, true, two_threads.run);
  const NeighborLists lists = neighbor_lists(index, 4, two_threads.run);
  const ModeTree tree = tree_of(index, lists, two_threads.run);
  REQUIRE(tree.modes() == 3);
  CHECK(tree.parent_mode == std::vector<std::int32_t>{-1, 0, 1});
  CHECK(tree.size == std::vector<std::int64_t>{17, 11, 5});
  CHECK(index.row_at(tree.saddle_position[1]) == 5);
  CHECK(index.row_at(tree.saddle_position[2]) == 11);
}

TEST_CASE("equal rows form one mode, even if there are many more than k") {
  testing::TwoThreads two_threads;
  std::vector<double> rows(1000, 3.0);
  rows.resize(2000, 4.0);
  const Index<double> index(rows.data(), rows.size(), 1, true, two_threads.run);
  const NeighborLists lists = neighbor_lists(index, 5, two_threads.run);
  const ModeTree tree = tree_of(index, lists, two_threads.run);
  REQUIRE(tree.modes() == 2);
  CHECK(tree.size == std::vector<std::int64_t>{1000, 1000});
  CHECK(tree.parent_mode == std::vector<std::int32_t>{-1, -1});
}

TEST_CASE("the search for basin edges skips equal rows with radius zero") {
  testing::TwoThreads two_threads;
  // There are half a billion pairs of blocks, none of which has to be compared.
  std::vector<double> rows(2 * std::size_t{1} << 20, 3.0);
  const Index<double> index(rows.data(), rows.size() / 2, 2, true, two_threads.run);
  const ModeTree tree = tree_of(index, neighbor_lists(index, 40, two_threads.run), two_threads.run);
  REQUIRE(tree.modes() == 1);
  CHECK(tree.size[0] == static_cast<std::int64_t>(rows.size() / 2));
}

TEST_CASE_TEMPLATE("the tree from radii alone equals the tree from neighbor lists", T, float,
                   double) {
  testing::TwoThreads two_threads;
  const std::size_t samples = 1500;
  for (int columns : {1, 2, 3}) {
    for (int grid : {0, 7, 40}) {
      const auto rows = testing::random_rows<T>(samples, columns, grid, 5 + columns);
      const Index<T> plain(rows.data(), samples, columns, false, two_threads.run);
      const Index<T> tree(rows.data(), samples, columns, true, two_threads.run);
      for (int k : {2, 6, 40}) {
        const NeighborLists lists = neighbor_lists(plain, k, two_threads.run);
        const NeighborLists radii = neighbor_lists(tree, k, two_threads.run, true);
        const ModeTree a = tree_of(plain, lists, two_threads.run);
        const ModeTree b = tree_of(tree, radii, two_threads.run);
        CHECK(a.parent_mode == b.parent_mode);
        CHECK(a.size == b.size);
        bool same = a.modes() == b.modes();
        auto row = [](const Index<T>& index, std::int32_t position) {
          return position < 0 ? -1 : index.row_at(position);
        };
        for (std::size_t m = 0; same && m < a.modes(); ++m)
          same = row(plain, a.mode_position[m]) == row(tree, b.mode_position[m]) &&
                 row(plain, a.saddle_position[m]) == row(tree, b.saddle_position[m]);
        for (std::int32_t i = 0; same && i < static_cast<std::int32_t>(samples); ++i)
          same = b.basin[static_cast<std::size_t>(i)] ==
                 a.basin[static_cast<std::size_t>(tree.row_at(i))];
        CHECK(same);
      }
    }
  }
}

TEST_CASE("link_roots follows paths of any length, in any direction") {
  testing::TwoThreads two_threads;
  const std::size_t count = 100000;
  std::mt19937 engine(3);
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < 3; ++round) {
    // One chain of all entries: to lower indices, to higher ones, and in random order.
    if (round == 1) std::reverse(order.begin(), order.end());
    if (round == 2) std::shuffle(order.begin(), order.end(), engine);
    std::vector<std::int32_t> up(count);
    for (std::size_t i = 0; i < count; ++i)
      up[static_cast<std::size_t>(order[i])] = order[i == 0 ? 0 : i - 1];
    const Buffer<std::int32_t> root = link_roots(up.data(), count, two_threads.run);
    CHECK(std::all_of(root.data(), root.data() + count,
                      [&](std::int32_t found) { return found == order[0]; }));
  }
  // Many trees with random links.
  std::vector<std::int32_t> up(count);
  for (std::size_t i = 0; i < count; ++i)
    up[i] = static_cast<std::int32_t>(i % 5 == 0 ? i : engine() % i);
  const Buffer<std::int32_t> root = link_roots(up.data(), count, two_threads.run);
  bool all_right = true;
  for (std::size_t i = 0; i < count; ++i) {
    auto expected = static_cast<std::int32_t>(i);
    while (up[static_cast<std::size_t>(expected)] != expected)
      expected = up[static_cast<std::size_t>(expected)];
    all_right &= root[i] == expected;
  }
  CHECK(all_right);
}

TEST_CASE("link_roots rejects links out of range") {
  testing::TwoThreads two_threads;
  for (std::int32_t bad : {-1, 2}) {
    const std::int32_t link[] = {0, bad};
    CHECK_THROWS_AS(link_roots(link, 2, two_threads.run), std::invalid_argument);
  }
}

TEST_CASE("count_labels agrees with a plain loop") {
  testing::TwoThreads two_threads;
  const std::size_t count = 50000, labels = 700;
  std::mt19937 engine(4);
  std::vector<std::int32_t> label(count);
  for (std::size_t i = 0; i < count; ++i)
    label[i] =
        i > 0 && engine() % 4 != 0 ? label[i - 1] : static_cast<std::int32_t>(engine() % labels);
  std::vector<std::int64_t> expected(labels, 0);
  for (const std::int32_t l : label) ++expected[static_cast<std::size_t>(l)];
  CHECK(count_labels(label.data(), count, labels, two_threads.run) == expected);
}

TEST_CASE("parallel_sort agrees with std::sort") {
  testing::TwoThreads two_threads;
  std::mt19937 engine(5);
  for (std::size_t count :
       {std::size_t{0}, std::size_t{1}, tuning::kSortPiece, std::size_t{300001}}) {
    std::vector<unsigned> values(count), expected;
    for (unsigned& value : values) value = engine() % 1000;
    expected = values;
    std::sort(expected.begin(), expected.end());
    parallel_sort(values.begin(), values.end(), std::less<>(), two_threads.run);
    CHECK(values == expected);
  }
}
