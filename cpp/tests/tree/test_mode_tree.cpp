#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "quickshiftpp/tree/ascent.hpp"
#include "quickshiftpp/tree/mode_tree.hpp"
#include "samples.hpp"
#include "support/paths.hpp"

using namespace quickshiftpp;

namespace {

template <class T>
ModeTree tree_of(const Index<T>& index, const NeighborLists& lists, const Run& run,
                 NearBlocks* near = nullptr) {
  Parents parents = denser_parents<T>(index, lists, nullptr, run);
  return mode_tree(index, lists, parents, near, run);
}

Buffer<std::int32_t> buffered(const std::vector<std::int32_t>& values) {
  Buffer<std::int32_t> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

}  // namespace

TEST_CASE("two groups on a line meet at the sparse sample between them") {
  testing::Bench bench;
  // A dense group, a bridge at 6, a looser group.
  const std::vector<double> rows{0, 1, 2, 3, 4, 6, 8.5, 9.625, 10.75, 11.875, 13};
  const Index<double> index(rows.data(), rows.size(), 1, true, bench.run);
  const NeighborLists lists = neighbor_lists(index, 4, bench.run);
  const ModeTree tree = tree_of(index, lists, bench.run);
  REQUIRE(tree.modes() == 2);
  CHECK(index.row_at(tree.position[0]) == 1);  // r = 2, like samples 2 to 4, and comes first
  CHECK(tree.parent == std::vector<std::int32_t>{-1, 0});
  CHECK(tree.saddle[0] == -1);
  CHECK(index.row_at(tree.saddle[1]) == 5);
  CHECK(tree.size[0] == static_cast<std::int64_t>(rows.size()));
}

TEST_CASE("equal rows make one mode, however many lists hold them") {
  testing::Bench bench;
  std::vector<double> rows(1000, 3.0);
  rows.resize(2000, 4.0);
  const Index<double> index(rows.data(), rows.size(), 1, true, bench.run);
  const NeighborLists lists = neighbor_lists(index, 5, bench.run);
  const ModeTree tree = tree_of(index, lists, bench.run);
  REQUIRE(tree.modes() == 2);
  CHECK(tree.size == std::vector<std::int64_t>{1000, 1000});
  CHECK(tree.parent == std::vector<std::int32_t>{-1, -1});
}

TEST_CASE("equal rows with radius zero are no work for the search of borders") {
  testing::Bench bench;
  // There are half a billion pairs of blocks, none of which matters.
  std::vector<double> rows(2 * std::size_t{1} << 20, 3.0);
  const Index<double> index(rows.data(), rows.size() / 2, 2, true, bench.run);
  const ModeTree tree = tree_of(index, neighbor_lists(index, 40, bench.run), bench.run);
  REQUIRE(tree.modes() == 1);
  CHECK(tree.size[0] == static_cast<std::int64_t>(rows.size() / 2));
}

TEST_CASE_TEMPLATE("the graph searched again is the graph of the lists", T, float, double) {
  testing::Bench bench;
  const std::size_t samples = 1500;
  for (int columns : {1, 2, 3}) {
    for (int grid : {0, 7, 40}) {
      const auto rows = testing::random_rows<T>(samples, columns, grid, 5 + columns);
      const Index<T> plain(rows.data(), samples, columns, false, bench.run);
      const Index<T> tree(rows.data(), samples, columns, true, bench.run);
      for (int k : {2, 6, 40}) {
        const NeighborLists lists = neighbor_lists(plain, k, bench.run);
        const NeighborLists radii = neighbor_lists(tree, k, bench.run, true);
        const ModeTree a = tree_of(plain, lists, bench.run);
        const ModeTree b = tree_of(tree, radii, bench.run);
        CHECK(a.parent == b.parent);
        CHECK(a.size == b.size);
        bool same = a.modes() == b.modes();
        auto row = [](const Index<T>& index, std::int32_t position) {
          return position < 0 ? -1 : index.row_at(position);
        };
        for (std::size_t m = 0; same && m < a.modes(); ++m)
          same = row(plain, a.position[m]) == row(tree, b.position[m]) &&
                 row(plain, a.saddle[m]) == row(tree, b.saddle[m]);
        for (std::int32_t i = 0; same && i < static_cast<std::int32_t>(samples); ++i)
          same = b.basin[static_cast<std::size_t>(i)] ==
                 a.basin[static_cast<std::size_t>(tree.row_at(i))];
        CHECK(same);
      }
    }
  }
}

TEST_CASE("near blocks found for one k serve the smaller ones, and no larger one") {
  testing::Bench bench;
  const std::size_t samples = 5000;
  for (int grid : {0, 50}) {
    auto rows = testing::random_rows<double>(samples, 2, grid, 8);
    std::fill_n(rows.begin(), 80, 0.5);  // of radius zero up to k = 40
    const Index<double> index(rows.data(), samples, 2, true, bench.run);
    NearBlocks near;
    for (int k : {60, 45, 33, 5, 90}) {
      CHECK(near.serve(index, k) == (k == 45 || k == 33 || k == 5));
      const NeighborLists radii = neighbor_lists(index, k, bench.run, true);
      const ModeTree expected = tree_of(index, radii, bench.run);
      const ModeTree found = tree_of(index, radii, bench.run, &near);
      CHECK(near.serve(index, k));
      CHECK(found.position == expected.position);
      CHECK(found.saddle == expected.saddle);
      CHECK(found.parent == expected.parent);
      CHECK(found.size == expected.size);
    }
  }
}

TEST_CASE("find_roots follows paths of any length, in any direction") {
  testing::Bench bench;
  const std::size_t count = 100000;
  std::mt19937 engine(3);
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < 3; ++round) {
    // A chain over all of them: upward, downward, and back and forth.
    if (round == 1) std::reverse(order.begin(), order.end());
    if (round == 2) std::shuffle(order.begin(), order.end(), engine);
    std::vector<std::int32_t> up(count);
    for (std::size_t i = 0; i < count; ++i)
      up[static_cast<std::size_t>(order[i])] = order[i == 0 ? 0 : i - 1];
    const Buffer<std::int32_t> root = find_roots(buffered(up), bench.run);
    CHECK(std::all_of(root.data(), root.data() + count,
                      [&](std::int32_t found) { return found == order[0]; }));
  }
  // Many trees.
  std::vector<std::int32_t> up(count);
  for (std::size_t i = 0; i < count; ++i)
    up[i] = static_cast<std::int32_t>(i % 5 == 0 ? i : engine() % i);
  const Buffer<std::int32_t> root = find_roots(buffered(up), bench.run);
  bool all_right = true;
  for (std::size_t i = 0; i < count; ++i) {
    auto expected = static_cast<std::int32_t>(i);
    while (up[static_cast<std::size_t>(expected)] != expected)
      expected = up[static_cast<std::size_t>(expected)];
    all_right &= root[i] == expected;
  }
  CHECK(all_right);
}

TEST_CASE("a counter counts labels that share a place in its memory") {
  std::vector<std::int64_t> size(1000, 0);
  {
    LabelCounter counter(size);
    for (int round = 0; round < 3; ++round)
      for (std::int32_t label = 0; label < 1000; ++label)
        for (std::int32_t i = 0; i <= label % 5; ++i) counter.add(label);
  }
  bool all_right = true;
  for (std::size_t label = 0; label < size.size(); ++label)
    all_right &= size[label] == static_cast<std::int64_t>(3 * (label % 5 + 1));
  CHECK(all_right);
}
