#include <doctest/doctest.h>

#include <limits>

#include "quickshiftpp/ascent.hpp"
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
          return testing::squared_distance(rows, 2, index.original(i), index.original(j));
        };
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(samples); ++j)
          if (radius[j] < radius[i]) best = std::min(best, distance(j));
        if (parent[i] < 0) {
          CHECK(best == std::numeric_limits<double>::infinity());
        } else {
          CHECK(radius[parent[i]] < radius[i]);
          CHECK(distance(parent[i]) == best);
        }
      }
    }
  }
}

TEST_CASE("cut_labels: a core, a climber, and a cluster that dissolves") {
  testing::Bench bench;
  // Four samples: mode 0 (radius 1) with a climber (radius 9) in its basin; mode 1 (radius 4)
  // alone.
  const std::int32_t basin[] = {0, 0, 1, 0}, parent[] = {-1, 0, 1, 0};
  const double radius[] = {1, 9, 4, 2}, saddle[] = {std::numeric_limits<double>::infinity(), 16};
  const std::int64_t mode_sample[] = {0, 2};
  const std::int32_t mode_parent[] = {-1, 0};
  const Cut cut{basin, radius, parent, 4, mode_sample, saddle, mode_parent, 2};
  std::int32_t label[4], core[4];
  CHECK(cut_labels(cut, 2.0, 1, label, core, bench.run).size() == 2);
  CHECK(std::vector(label, label + 4) == std::vector{0, 0, 1, 0});
  CHECK(std::vector(core, core + 4) == std::vector{0, -1, 1, 0});
  CHECK(cut_labels(cut, 4.0, 1, label, core, bench.run).size() == 1);  // the saddle is in reach
  CHECK(cut_labels(cut, 2.0, 2, label, core, bench.run).size() == 1);  // one sample is too few
  CHECK(std::vector(label, label + 4) == std::vector{0, 0, 0, 0});
  CHECK(std::vector(core, core + 4) == std::vector{0, -1, -1, 0});
}
