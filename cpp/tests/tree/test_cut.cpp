#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "quickshiftpp/tree/cut.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

TEST_CASE("cut_labels: a core, a climber, and a cluster that dissolves") {
  testing::Bench bench;
  // Four samples: mode 0 (radius 1) with a climber (radius 9) in its basin; mode 1 (radius 4)
  // alone.
  const std::int32_t basin[] = {0, 0, 1, 0}, parent[] = {-1, 0, 1, 0};
  const double radius[] = {1, 9, 4, 2}, saddle[] = {std::numeric_limits<double>::infinity(), 16};
  const std::int32_t mode_sample[] = {0, 2};
  const std::int32_t mode_parent[] = {-1, 0};
  const Cut cut{basin, radius, parent, nullptr, 4, mode_sample, saddle, mode_parent, 2};
  std::int32_t label[4];
  auto cores = [&](const Clusters& clusters) {
    std::vector<std::int32_t> core;
    for (std::size_t i = 0; i < 4; ++i)
      core.push_back(clusters.basins[static_cast<std::size_t>(basin[i])].core_label(radius[i]));
    return core;
  };
  const Clusters both = cut_labels(cut, 2.0, 1, label, bench.run);
  CHECK(both.size == std::vector<std::int64_t>{3, 1});
  CHECK(std::vector(label, label + 4) == std::vector{0, 0, 1, 0});
  CHECK(cores(both) == std::vector{0, -1, 1, 0});
  // The saddle is in reach.
  CHECK(cut_labels(cut, 4.0, 1, label, bench.run).mode.size() == 1);
  // One sample is too few.
  const Clusters one = cut_labels(cut, 2.0, 2, label, bench.run);
  CHECK(one.size == std::vector<std::int64_t>{4});
  CHECK(std::vector(label, label + 4) == std::vector{0, 0, 0, 0});
  CHECK(cores(one) == std::vector{0, -1, -1, 0});
  // Rows say where the labels go.
  const std::int32_t row[] = {2, 3, 0, 1};
  const Cut by_row{basin, radius, parent, row, 4, mode_sample, saddle, mode_parent, 2};
  for (const std::int64_t least : {1, 2}) {
    CAPTURE(least);
    std::int32_t permuted[4];
    const Clusters same = cut_labels(by_row, 2.0, least, permuted, bench.run);
    CHECK(cut_labels(cut, 2.0, least, label, bench.run).size == same.size);
    for (std::size_t i = 0; i < 4; ++i) CHECK(permuted[row[i]] == label[i]);
  }
}
