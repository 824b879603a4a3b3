#include <doctest/doctest.h>

#include <limits>

#include "quickshiftpp/tree/ascent.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

TEST_CASE("parents are the nearest samples of smaller radius") {
  testing::Bench bench;
  const std::size_t samples = 400;
  for (int grid : {0, 4}) {
    const auto rows = testing::random_rows<double>(samples, 2, grid, 21);
    for (bool tree : {true, false}) {
      const Index<double> index(rows.data(), samples, 2, tree, bench.run);
      const NeighborLists lists = neighbor_lists(index, 5, bench.run);
      const Parents listed = denser_parents<double>(index, lists, nullptr, bench.run);
      const Buffer<std::int32_t>& parent = listed.parent;
      const double* radius = lists.squared_radii();
      if (tree) {
        const NeighborLists radii = neighbor_lists(index, 5, bench.run, true);
        const Parents searched = denser_parents<double>(index, radii, nullptr, bench.run);
        CHECK(std::equal(parent.data(), parent.data() + samples, searched.parent.data()));
      }
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i) {
        double best = std::numeric_limits<double>::infinity();
        auto distance = [&](std::int32_t j) {
          return testing::squared_distance(rows, 2, index.row_at(i), index.row_at(j));
        };
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(samples); ++j)
          if (radius[j] < radius[i]) best = std::min(best, distance(j));
        if (parent[i] < 0) {
          CHECK(best == std::numeric_limits<double>::infinity());
        } else {
          CHECK(radius[parent[i]] < radius[i]);
          CHECK(distance(parent[i]) == best);
        }
        if (listed.next[i] < 0) continue;  // left to others
        double nearest = std::numeric_limits<double>::infinity();
        int peers = 0;
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(samples); ++j) {
          if (j == i || distance(j) > std::min(radius[i], radius[j])) continue;
          if (radius[j] < radius[i]) nearest = std::min(nearest, distance(j));
          peers += radius[j] == radius[i];
        }
        if (listed.next[i] == i) {
          CHECK(nearest == std::numeric_limits<double>::infinity());
          if (radius[i] > 0) CHECK(peers == 0);
        } else {
          CHECK(radius[listed.next[i]] < radius[i]);
          CHECK(distance(listed.next[i]) == nearest);
          CHECK(nearest <= radius[listed.next[i]]);
        }
      }
    }
  }
}

TEST_CASE("parents from the beginnings of longer lists are those from lists of that length") {
  testing::Bench bench;
  const std::size_t samples = 3000;
  for (int grid : {0, 9, 60}) {
    const auto rows = testing::random_rows<double>(samples, 2, grid, 33);
    const Index<double> index(rows.data(), samples, 2, true, bench.run);
    const NeighborLists longer = neighbor_lists(index, 12, bench.run);
    for (const NeighborLists& beginning : longer.first(index, {11, 8, 5, 2}, bench.run)) {
      const NeighborLists lists = neighbor_lists(index, beginning.k(), bench.run);
      REQUIRE(beginning.stride() > lists.stride());
      const Parents expected = denser_parents<double>(index, lists, nullptr, bench.run);
      const Parents found = denser_parents<double>(index, beginning, nullptr, bench.run);
      CHECK(std::equal(found.parent.data(), found.parent.data() + samples, expected.parent.data()));
    }
  }
}
