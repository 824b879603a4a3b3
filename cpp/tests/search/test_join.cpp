#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "quickshiftpp/search/join.hpp"
#include "samples.hpp"
#include "search/sites.hpp"
#include "search/tie_order.hpp"

using namespace quickshiftpp;

TEST_CASE_TEMPLATE("neighbor lists and tables equal those from sorting all distances", T, float,
                   double) {
  testing::TwoThreads two_threads;
  const std::size_t samples = 300;
  for (int columns : {1, 2, 5, 9, 40}) {
    for (int grid : {0, 3}) {
      const auto rows = testing::random_rows<T>(samples, columns, grid, 1 + columns);
      for (bool tree : {true, false}) {
        const Index<T> index(rows.data(), samples, columns, tree, two_threads.run);
        for (int k : {1, 7, 300}) {
          const NeighborLists lists = neighbor_lists(index, k, two_threads.run);
          const NeighborTable table = neighbor_table(index, lists, two_threads.run);
          const NeighborTable direct = neighbor_table(index, k, two_threads.run);
          for (std::size_t i = 0; i < samples; ++i) {
            std::vector<std::pair<double, std::int64_t>> all;
            for (std::size_t j = 0; j < samples; ++j)
              all.emplace_back(testing::squared_distance(rows, columns, i, j),
                               i == j ? -1 : static_cast<std::int64_t>(j));
            std::sort(all.begin(), all.end());
            bool same = true;
            for (int c = 0; c < k; ++c) {
              const std::int64_t expected = all[c].second < 0 ? i : all[c].second;
              for (const NeighborTable* each : {&table, &direct})
                same &= each->row[i * k + c] == expected &&
                        each->distance[i * k + c] == std::sqrt(all[c].first);
            }
            CHECK(same);
          }
        }
      }
    }
  }
}

TEST_CASE("equal samples have the lists of a plain sort, each of them first in its own") {
  testing::TwoThreads two_threads;
  constexpr std::size_t samples = 300;
  std::mt19937 engine(5);
  for (int distinct : {1, 4, 12, 90, 0}) {  // 0: a fifth of them are equal, the others differ
    std::vector<double> rows;
    for (std::size_t i = 0; i < samples; ++i) {
      auto value = static_cast<double>(distinct > 0 ? engine() % static_cast<unsigned>(distinct)
                                       : engine() % 5 == 0 ? 150
                                                           : i);
      if (value == 0 && i % 2 == 0) value = -0.0;
      rows.insert(rows.end(), {value, value * value});
    }
    const Index<double> index(rows.data(), samples, 2, true, two_threads.run);
    CHECK(Sites<double>::are_few(index) == (distinct > 0));
    for (int k : {1, 2, 5, 20, 45, 299, 300}) {
      const NeighborLists lists = neighbor_lists(index, k, two_threads.run);
      const NeighborTable table = neighbor_table(index, k, two_threads.run);
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i) {
        const auto row = static_cast<std::size_t>(index.row_at(i));
        std::vector<std::pair<double, std::int32_t>> all;
        for (std::size_t j = 0; j < samples; ++j)
          all.emplace_back(testing::squared_distance(rows, 2, row, j),
                           j == row ? -1 : static_cast<std::int32_t>(j));
        std::sort(all.begin(), all.end());
        all[0].second = static_cast<std::int32_t>(row);
        const double radius = all[static_cast<std::size_t>(k - 1)].first;
        CHECK(lists.squared_radii()[i] == radius);
        if (radius > 0 && k < static_cast<int>(samples))
          CHECK(lists.tied_beyond(i) == (all[static_cast<std::size_t>(k)].first == radius));
        CHECK(index.row_at(lists.positions(i)[0]) == static_cast<std::int32_t>(row));
        bool same = true;
        for (int c = 0; c < k; ++c) {
          const auto [squared, neighbor] = all[static_cast<std::size_t>(c)];
          const std::size_t entry = row * static_cast<std::size_t>(k) + static_cast<std::size_t>(c);
          same &= table.row[entry] == neighbor && table.distance[entry] == std::sqrt(squared);
          // Of more than k equal samples, any may be in the list.
          if (radius > 0) same &= index.row_at(lists.positions(i)[c]) == neighbor;
        }
        CHECK(same);
      }
    }
  }
}

TEST_CASE("tied_beyond is set for ties beyond the list only") {
  testing::TwoThreads two_threads;
  // On a line: the middle sample has two neighbors at distance 1, the others have one.
  const std::vector<double> rows{0, 1, 2};
  const Index<double> index(rows.data(), 3, 1, false, two_threads.run);
  const NeighborLists lists = neighbor_lists(index, 2, two_threads.run);
  CHECK(!lists.tied_beyond(0));
  CHECK(lists.tied_beyond(1));
  CHECK(!lists.tied_beyond(2));
}

TEST_CASE(
    "neighbor lists and tied_beyond agree with a plain sort, for nearly equal distances too") {
  testing::TwoThreads two_threads;
  constexpr int samples = 150;
  for (int values : {0, 4, 9, 30})  // 0: real coordinates
    for (bool nearly : {false, true}) {
      auto rows = testing::random_rows<double>(samples, 2, values, 8);
      std::mt19937 engine(6);
      if (nearly)  // coordinates that differ in the last bit
        for (double& x : rows) x = std::nextafter(x, engine() % 2 == 0 ? -100 : 100);
      const Index<double> index(rows.data(), samples, 2, true, two_threads.run);
      for (int k : {1, 2, 5, 31, 32, 33, 64, 149, 150}) {
        const NeighborLists lists = neighbor_lists(index, k, two_threads.run);
        bool same = true;
        for (std::int32_t i = 0; i < samples; ++i) {
          std::vector<std::tuple<double, std::int32_t, std::int32_t>> all;
          for (std::int32_t j = 0; j < samples; ++j)
            all.emplace_back(index.squared_distance(i, j), j == i ? -1 : index.row_at(j), j);
          std::sort(all.begin(), all.end());
          const double squared_radius = std::get<0>(all[k - 1]);
          same &= lists.squared_radii()[i] == squared_radius;
          if (squared_radius == 0) continue;  // the list may hold any of the equal rows
          for (int c = 0; c < k; ++c) same &= lists.positions(i)[c] == std::get<2>(all[c]);
          same &= lists.tied_beyond(i) == (k < samples && std::get<0>(all[k]) == squared_radius);
        }
        CHECK(same);
      }
    }
}

TEST_CASE("of hundreds of copies as many are found as a list needs, the lowest rows first") {
  testing::TwoThreads two_threads;
  const std::size_t copies = 200, samples = 300;
  std::vector<double> rows(samples, 0.0);
  for (std::size_t i = copies; i < samples; ++i) rows[i] = 1000 + static_cast<double>(i);
  rows[copies] = 1;
  const Index<double> index(rows.data(), samples, 1, true, two_threads.run);
  std::int32_t query = 0;
  while (index.row_at(query) != static_cast<std::int32_t>(copies)) ++query;
  for (int k : {2, 31, 32, 33, 40, 63, 64, 65, 97, 200, 201}) {
    const NeighborLists lists = neighbor_lists(index, k, two_threads.run);
    CHECK(lists.squared_radii()[query] == 1);
    CHECK(lists.tied_beyond(query) == (k < 201));
    for (int c = 1; c < k; ++c) CHECK(index.row_at(lists.positions(query)[c]) == c - 1);
  }
}

TEST_CASE("a prefix equals the list for a smaller k and outlives the longer list") {
  testing::TwoThreads two_threads;
  constexpr std::size_t samples = 700;
  for (int values : {0, 12, 40})  // 0: real coordinates
    for (bool tree : {false, true}) {
      const auto rows = testing::random_rows<double>(samples, 2, values, 5);
      const Index<double> index(rows.data(), samples, 2, tree, two_threads.run);
      auto longest = std::make_unique<NeighborLists>(neighbor_lists(index, 120, two_threads.run));
      std::vector<NeighborLists> prefixes;
      for (int k : {2, 3, 20, 32, 33, 90, 120})
        prefixes.push_back(longest->prefix(index, k, two_threads.run));
      longest.reset();
      for (const NeighborLists& prefix : prefixes) {
        const NeighborLists lists = neighbor_lists(index, prefix.k(), two_threads.run);
        bool is_same = true;
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i) {
          is_same &= prefix.squared_radii()[i] == lists.squared_radii()[i];
          if (lists.squared_radii()[i] == 0) continue;  // the list may hold any of the equal rows
          is_same &= prefix.tied_beyond(i) == lists.tied_beyond(i);
          is_same &=
              std::equal(prefix.positions(i), prefix.positions(i) + prefix.k(), lists.positions(i));
        }
        CHECK(is_same);
      }
    }
}

TEST_CASE("positions_in_tie_order: equal rows are adjacent, the lowest row first") {
  testing::TwoThreads two_threads;
  const std::vector<double> rows{5, 1, 5, 1, 7, 5};
  const Index<double> index(rows.data(), 6, 1, true, two_threads.run);
  const Buffer<std::int32_t> positions = positions_in_tie_order(
      index, [&](std::int32_t i) { return index.coordinate(i, 0) < 6; }, two_threads.run);
  std::vector<std::int32_t> row;
  for (std::size_t p = 0; p < positions.size(); ++p) row.push_back(index.row_at(positions[p]));
  CHECK(row == std::vector<std::int32_t>{1, 3, 0, 2, 5});
  std::vector<std::size_t> sites;
  for_each_site(index, positions, [&](std::size_t first, std::size_t last) {
    sites.push_back(first);
    sites.push_back(last);
  });
  CHECK(sites == std::vector<std::size_t>{0, 2, 2, 5});
}
