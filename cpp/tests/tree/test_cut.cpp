#include <doctest/doctest.h>

#include <vector>

#include "quickshiftpp/tree/cut.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

namespace {

template <class T>
Buffer<T> buffered(const std::vector<T>& values) {
  Buffer<T> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

std::vector<std::int32_t> labels(const Clustering& clustering) {
  return {clustering.label.data(), clustering.label.data() + clustering.label.size()};
}

}  // namespace

TEST_CASE("cut: a core, a sample that climbs, and a cluster that dissolves") {
  testing::Bench bench;
  // Five samples: mode 0 (squared radius 1) with a climber (9) in its basin; mode 1 (4), which is
  // too small alone; and the saddle between them (16).
  const std::vector<double> radius{1, 9, 4, 2, 16};
  ModeTree tree{.row_at_position =
                    std::make_shared<const RowAtPosition>(buffered<std::int32_t>({0, 1, 2, 3, 4})),
                .squared_radius = std::make_shared<const Buffer<double>>(buffered(radius)),
                .parent = buffered<std::int32_t>({-1, 0, 1, 0, 1}),
                .basin = buffered<std::int32_t>({0, 0, 1, 0, 0}),
                .mode_position = {0, 2},
                .saddle_position = {-1, 4},
                .parent_mode = {-1, 0},
                .size = {5, 1}};
  auto cores = [&](const Clustering& clustering) {
    std::vector<std::int32_t> core;
    for (std::size_t i = 0; i < 5; ++i)
      core.push_back(
          clustering.basin_core[static_cast<std::size_t>(tree.basin[i])].core_label(radius[i]));
    return core;
  };
  CHECK(tree.saddle_ratio(1) == 4);
  const Clustering both = cut(tree, 2.0, 1, bench.run);
  CHECK(both.size == std::vector<std::int64_t>{4, 1});
  CHECK(labels(both) == std::vector{0, 0, 1, 0, 0});
  CHECK(cores(both) == std::vector{0, -1, 1, 0, -1});
  // The quotient at the saddle is just within the limit.
  const Clustering joined = cut(tree, 4.0, 1, bench.run);
  CHECK(joined.mode.size() == 1);
  CHECK(cores(joined) == std::vector{0, -1, -1, 0, -1});
  CHECK(cores(cut(tree, 16.0, 1, bench.run)) == std::vector{0, 0, 0, 0, 0});
  // One sample is too few.
  const Clustering one = cut(tree, 2.0, 2, bench.run);
  CHECK(one.size == std::vector<std::int64_t>{5});
  CHECK(labels(one) == std::vector{0, 0, 0, 0, 0});
  CHECK(cores(one) == std::vector{0, -1, -1, 0, -1});
  // Five are too few as well, but there is nowhere to climb.
  CHECK(cut(tree, 2.0, 6, bench.run).size == std::vector<std::int64_t>{5});
}
