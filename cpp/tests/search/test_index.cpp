#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "samples.hpp"

using namespace quickshiftpp;

TEST_CASE_TEMPLATE("the tree contains every sample once, inside its bounding boxes", T, float,
                   double) {
  testing::TwoThreads two_threads;
  for (std::size_t samples : {1u, 31u, 32u, 33u, 1000u, 40000u}) {
    const int columns = 3;
    const auto rows = testing::random_rows<T>(samples, columns, samples % 2 ? 0 : 4, 11);
    const Index<T> index(rows.data(), samples, columns, true, two_threads.run);
    std::set<std::int32_t> seen;
    for (std::size_t n = 0; n < index.nodes(); ++n) {
      const Node& node = index.node(n);
      if (!node.is_leaf()) {
        CHECK(index.node(index.left(n)).first == node.first);
        CHECK(index.node(index.left(n)).last == index.node(index.right(n)).first);
        CHECK(index.node(index.right(n)).last == node.last);
        continue;
      }
      for (auto i = index.block_begin(node.first); i < index.block_end(node.first); ++i) {
        seen.insert(index.row_at(i));
        for (int c = 0; c < columns; ++c) {
          const T value = index.coordinate(i, c);
          CHECK(value == rows[static_cast<std::size_t>(index.row_at(i)) * columns + c]);
          CHECK(index.box(n)[c] <= value);
          CHECK(value <= index.box(n)[columns + c]);
        }
      }
    }
    CHECK(seen.size() == samples);
  }
}

TEST_CASE("visit_outward visits every block within the bound once, the start block first") {
  testing::TwoThreads two_threads;
  const std::size_t samples = 3000;
  const auto rows = testing::random_rows<double>(samples, 2, 0, 5);
  for (bool tree : {true, false}) {
    const Index<double> index(rows.data(), samples, 2, tree, two_threads.run);
    for (std::int32_t start_block : {-1, 0, 17, index.blocks() - 1}) {
      std::vector<std::int32_t> visited;
      visit_outward(
          index, start_block, 1, [](std::size_t) { return 0.0; }, [] { return 1.0; },
          [&](std::int32_t block, std::size_t node) {
            CHECK(index.node(node).first == block);
            visited.push_back(block);
          });
      if (start_block >= 0) CHECK(visited.front() == start_block);
      std::sort(visited.begin(), visited.end());
      REQUIRE(visited.size() == static_cast<std::size_t>(index.blocks()));
      for (std::int32_t b = 0; b < index.blocks(); ++b) CHECK(visited[b] == b);
    }
  }
}

TEST_CASE("point_box_distance and box_box_distance: known values") {
  const double box[] = {0, 0, 1, 2}, other[] = {3, 5, 4, 6};
  const double inside[] = {0.5, 1}, outside[] = {4, 6};
  CHECK(point_box_distance(inside, box, 2) == 0);
  CHECK(point_box_distance(outside, box, 2) == 25);
  CHECK(box_box_distance(box, other, 2) == 13);
  CHECK(box_box_distance(other, box, 2) == 13);
  CHECK(box_box_distance(box, box, 2) == 0);
}

TEST_CASE("visit_outward visits at most max_equal_blocks of equal samples, the lowest rows first") {
  testing::TwoThreads two_threads;
  std::vector<double> rows = testing::random_rows<double>(500, 2, 0, 9);
  rows.resize(2 * 5000, 0.25);
  const Index<double> index(rows.data(), 5000, 2, true, two_threads.run);
  std::size_t copies = 0;
  std::set<std::int32_t> seen;
  visit_outward(
      index, -1, 2, [](std::size_t) { return 0.0; }, [] { return 1.0; },
      [&](std::int32_t block, std::size_t node) {
        if (index.holds_equal_samples(node) && !index.node(node).is_leaf()) {
          copies += index.block_end(block) - index.block_begin(block);
          CHECK(block - index.node(node).first < 2);
          for (auto i = index.block_begin(block) + 1; i < index.block_end(block); ++i)
            CHECK(index.row_at(i - 1) < index.row_at(i));
        }
        for (auto i = index.block_begin(block); i < index.block_end(block); ++i)
          seen.insert(index.row_at(i));
      });
  CHECK(copies > 0);
  CHECK(seen.size() < 2500);
  for (std::int32_t row = 0; row < 500; ++row) CHECK(seen.count(row) == 1);
}

TEST_CASE("visit_pairs visits every pair of near leaves once") {
  testing::TwoThreads two_threads;
  for (std::size_t samples : {5, 33, 700, 3000}) {
    const auto rows = testing::random_rows<double>(samples, 2, 0, 4);
    const Index<double> index(rows.data(), samples, 2, true, two_threads.run);
    for (double limit : {-1.0, 0.0, 0.01, 100.0}) {
      auto is_near = [&](std::size_t a, std::size_t b) {
        return box_box_distance(index.box(a), index.box(b), 2) <= limit;
      };
      std::vector<std::pair<std::int32_t, std::int32_t>> found, expected;
      const std::int32_t middle = index.blocks() / 3;
      for (auto [begin, end] : {std::pair{0, middle}, std::pair{middle, index.blocks()}})
        visit_pairs(index, begin, end, is_near, [&](std::size_t a, std::size_t b) {
          found.emplace_back(index.node(a).first, index.node(b).first);
        });
      for (std::int32_t a = 0; a < index.blocks(); ++a)
        for (std::int32_t b = a; b < index.blocks(); ++b)
          if (is_near(index.leaf(a), index.leaf(b))) expected.emplace_back(a, b);
      std::sort(found.begin(), found.end());
      CHECK(found == expected);
    }
  }
}

TEST_CASE("equal samples are in the order of their rows, in blocks and across them") {
  testing::TwoThreads two_threads;
  for (int columns : {1, 2, 3, 4, 5, 9}) {
    const std::size_t samples = 2000;
    const auto width = static_cast<std::size_t>(columns);
    auto rows = testing::random_rows<double>(samples, columns, 0, 7);
    for (std::size_t i = 0; i < samples; ++i)  // one site among other samples
      if (i % 100 != 0) std::fill_n(rows.begin() + i * width, width, 0.25);
    const Index<double> index(rows.data(), samples, columns, true, two_threads.run);
    int nodes = 0;
    for (std::size_t n = 0; n < index.nodes(); ++n) {
      if (!index.holds_equal_samples(n)) continue;
      nodes += !index.node(n).is_leaf();
      bool is_sorted = true;
      for (auto i = index.block_begin(index.node(n).first) + 1;
           i < index.block_end(index.node(n).last - 1); ++i)
        is_sorted &= index.row_at(i - 1) < index.row_at(i);
      CHECK(is_sorted);
    }
    CHECK(nodes > 2);
  }
}

TEST_CASE("value_ranges: the least and the greatest value below each node") {
  testing::TwoThreads two_threads;
  for (std::size_t samples : {1u, 33u, 2000u})
    for (bool tree : {true, false}) {
      const auto rows = testing::random_rows<double>(samples, 2, 0, 3);
      const Index<double> index(rows.data(), samples, 2, tree, two_threads.run);
      const auto value = testing::random_rows<double>(samples, 1, 0, 8);
      const std::vector<ValueRange> ranges = index.value_ranges(value.data(), two_threads.run);
      REQUIRE(ranges.size() == index.nodes());
      for (std::size_t n = 0; n < index.nodes(); ++n) {
        const auto [least, greatest] =
            std::minmax_element(value.begin() + index.block_begin(index.node(n).first),
                                value.begin() + index.block_end(index.node(n).last - 1));
        CHECK(ranges[n].least == *least);
        CHECK(ranges[n].greatest == *greatest);
      }
    }
}
