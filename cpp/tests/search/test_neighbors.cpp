#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "quickshiftpp/search/neighbors.hpp"
#include "quickshiftpp/tree/ascent.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

TEST_CASE_TEMPLATE("lists equal those of sorting all distances", T, float, double) {
  testing::Bench bench;
  const std::size_t samples = 300;
  for (int columns : {1, 2, 5, 9, 40}) {
    for (int grid : {0, 3}) {
      const auto rows = testing::random_rows<T>(samples, columns, grid, 1 + columns);
      for (bool tree : {true, false}) {
        const Index<T> index(rows.data(), samples, columns, tree, bench.run);
        for (int k : {1, 7, 300}) {
          const NeighborLists lists = neighbor_lists(index, k, bench.run);
          const NeighborTable table = neighbor_table(index, lists, bench.run);
          const NeighborTable direct = neighbor_table(index, k, bench.run);
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

TEST_CASE("ties beyond the list are flagged, and only those") {
  testing::Bench bench;
  // On a line: the middle sample has two at distance 1, the ends have one.
  const std::vector<double> rows{0, 1, 2};
  const Index<double> index(rows.data(), 3, 1, false, bench.run);
  const NeighborLists lists = neighbor_lists(index, 2, bench.run);
  CHECK(!lists.tied_beyond(0));
  CHECK(lists.tied_beyond(1));
  CHECK(!lists.tied_beyond(2));
}

TEST_CASE("lists and ties beyond them are those of a plain sort") {
  testing::Bench bench;
  constexpr int samples = 150;
  for (int values : {0, 4, 9, 30})  // 0: any number
    for (bool nearly : {false, true}) {
      auto rows = testing::random_rows<double>(samples, 2, values, 8);
      std::mt19937 engine(6);
      if (nearly)  // moved by a bit or two
        for (double& x : rows) x = std::nextafter(x, engine() % 2 == 0 ? -100 : 100);
      const Index<double> index(rows.data(), samples, 2, true, bench.run);
      for (int k : {1, 2, 5, 31, 32, 33, 64, 149, 150}) {
        const NeighborLists lists = neighbor_lists(index, k, bench.run);
        bool same = true;
        for (std::int32_t i = 0; i < samples; ++i) {
          std::vector<std::tuple<double, std::int32_t, std::int32_t>> all;
          for (std::int32_t j = 0; j < samples; ++j)
            all.emplace_back(index.squared_distance(i, j), j == i ? -1 : index.row_at(j), j);
          std::sort(all.begin(), all.end());
          const double radius = std::get<0>(all[k - 1]);
          same &= lists.squared_radii()[i] == radius;
          if (radius == 0) continue;  // any of the equal rows will do
          for (int c = 0; c < k; ++c) same &= lists.positions(i)[c] == std::get<2>(all[c]);
          same &= lists.tied_beyond(i) == (k < samples && std::get<0>(all[k]) == radius);
        }
        CHECK(same);
      }
    }
}

TEST_CASE("lists that hold ties say so, those of distinct distances do not") {
  testing::Bench bench;
  constexpr std::size_t samples = 700;
  for (int values : {0, 12, 40})  // 0: any number
    for (bool tree : {false, true}) {
      const auto rows = testing::random_rows<double>(samples, 2, values, 5);
      const Index<double> index(rows.data(), samples, 2, tree, bench.run);
      const NeighborLists longest = neighbor_lists(index, 120, bench.run);
      for (int k : {2, 3, 20, 32, 33, 90}) {
        const auto shorter = longest.first(index, {k}, bench.run);
        const NeighborLists lists = neighbor_lists(index, k, bench.run);
        bool is_told = true, is_quiet = true;
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i) {
          bool ties = false;
          for (int c = 2; c < k; ++c)
            ties |= lists.squared_distance(index, i, c) == lists.squared_distance(index, i, c - 1);
          is_told &= !ties || (lists.may_tie(i) && shorter[0].may_tie(i));
          is_quiet &= !lists.may_tie(i) && !shorter[0].may_tie(i);
          if (lists.squared_radii()[i] > 0)
            is_told &= lists.tied_beyond(i) == shorter[0].tied_beyond(i);
        }
        CHECK(is_told);
        if (values == 0) CHECK(is_quiet);
      }
    }
}

TEST_CASE("zero_radius_sites: equal rows side by side, lowest row first") {
  testing::Bench bench;
  const std::vector<double> rows{5, 1, 5, 1, 7, 5};
  const Index<double> index(rows.data(), 6, 1, true, bench.run);
  const NeighborLists lists = neighbor_lists(index, 2, bench.run);
  const Buffer<std::int32_t> sites = zero_radius_sites(index, lists.squared_radii());
  std::vector<std::int32_t> original;
  for (std::size_t s = 0; s < sites.size(); ++s) original.push_back(index.row_at(sites[s]));
  CHECK(original == std::vector<std::int32_t>{1, 3, 0, 2, 5});
}

TEST_CASE("lists that are dropped leave radii, and shorter ones in the same memory, as they were") {
  testing::Bench bench;
  const std::size_t samples = 200000;  // lists of 16 MB, so that pages are given back
  const auto rows = testing::random_rows<double>(samples, 2, 0, 1 << 20);
  const Index<double> index(rows.data(), samples, 2, true, bench.run);
  NeighborLists lists = neighbor_lists(index, 20, bench.run);
  const std::vector<double> radii(lists.squared_radii(), lists.squared_radii() + samples);
  NeighborLists shorter = std::move(lists.first(index, {15}, bench.run)[0]);
  std::vector<std::int32_t> expected;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i)
    expected.insert(expected.end(), shorter.positions(i), shorter.positions(i) + 15);
  lists.drop_lists(bench.run);
  CHECK_FALSE(lists.keeps_lists());
  bool is_same = std::equal(radii.begin(), radii.end(), lists.squared_radii());
  for (std::size_t i = 0; i < samples; ++i)
    is_same &= std::equal(expected.begin() + static_cast<std::ptrdiff_t>(15 * i),
                          expected.begin() + static_cast<std::ptrdiff_t>(15 * (i + 1)),
                          shorter.positions(static_cast<std::int32_t>(i)));
  CHECK(is_same);
  shorter.drop_lists(bench.run);
  CHECK_FALSE(shorter.keeps_lists());
}

TEST_CASE("heads are the beginnings of lists") {
  testing::Bench bench;
  const std::size_t samples = 2000;
  const auto rows = testing::random_rows<double>(samples, 2, 0, 1 << 20);
  const Index<double> index(rows.data(), samples, 2, true, bench.run);
  const NeighborLists lists = neighbor_lists(index, 60, bench.run);
  CHECK_FALSE(lists.has_heads());
  for (const NeighborLists& shorter : lists.first(index, {60, 30, 10}, bench.run)) {
    CHECK(shorter.has_heads());
    CHECK(shorter.head_places() <= shorter.k());
    bool is_same = true;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i)
      is_same &=
          std::equal(shorter.head(i), shorter.head(i) + shorter.head_places(), lists.positions(i));
    CHECK(is_same);
    // What is found from them is what is found without.
    const Parents found = denser_parents<double>(index, shorter, nullptr, bench.run);
    const NeighborLists alone = neighbor_lists(index, shorter.k(), bench.run);
    const Parents expected = denser_parents<double>(index, alone, nullptr, bench.run);
    CHECK(std::equal(found.parent.data(), found.parent.data() + samples, expected.parent.data()));
    CHECK(std::equal(found.next.data(), found.next.data() + samples, expected.next.data()));
  }
}
