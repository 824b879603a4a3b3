#include <doctest/doctest.h>

#include <vector>

#include "quickshiftpp/tree/cut.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

namespace {

template <class T>
Buffer<T> to_buffer(const std::vector<T>& values) {
  Buffer<T> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

std::vector<std::int32_t> labels(const Clustering& clustering) {
  return {clustering.label.data(), clustering.label.data() + clustering.label.size()};
}

}  // namespace

TEST_CASE("cut: cores, a sample outside the cores, and a cluster below min_cluster_size") {
  testing::TwoThreads two_threads;
  // Five samples with these squared radii: mode 0 (1) with two more samples (9, 2) in its basin;
  // mode 1 (4), alone in its basin; and the saddle between them (16), in the basin of mode 0.
  const std::vector<double> squared_radius{1, 9, 4, 2, 16};
  ModeTree tree{.row_at_position =
                    std::make_shared<const RowAtPosition>(to_buffer<std::int32_t>({0, 1, 2, 3, 4})),
                .squared_radius = std::make_shared<const Buffer<double>>(to_buffer(squared_radius)),
                .parent = to_buffer<std::int32_t>({-1, 0, 1, 0, 1}),
                .basin = to_buffer<std::int32_t>({0, 0, 1, 0, 0}),
                .mode_position = {0, 2},
                .saddle_position = {-1, 4},
                .parent_mode = {-1, 0},
                .size = {5, 1}};
  auto cores = [&](const Clustering& clustering) {
    std::vector<std::int32_t> core;
    for (std::size_t i = 0; i < 5; ++i)
      core.push_back(clustering.basin_core[static_cast<std::size_t>(tree.basin[i])].core_label(
          squared_radius[i]));
    return core;
  };
  CHECK(tree.saddle_ratio(1) == 4);
  const Clustering both = cut(tree, 2.0, 1, two_threads.run);
  CHECK(both.size == std::vector<std::int64_t>{4, 1});
  CHECK(labels(both) == std::vector{0, 0, 1, 0, 0});
  CHECK(cores(both) == std::vector{0, -1, 1, 0, -1});
  // The ratio at the saddle is equal to the limit, so the cores merge.
  const Clustering joined = cut(tree, 4.0, 1, two_threads.run);
  CHECK(joined.mode.size() == 1);
  CHECK(cores(joined) == std::vector{0, -1, -1, 0, -1});
  CHECK(cores(cut(tree, 16.0, 1, two_threads.run)) == std::vector{0, 0, 0, 0, 0});
  // The cluster of one sample is too small and joins the other one.
  const Clustering one = cut(tree, 2.0, 2, two_threads.run);
  CHECK(one.size == std::vector<std::int64_t>{5});
  CHECK(labels(one) == std::vector{0, 0, 0, 0, 0});
  CHECK(cores(one) == std::vector{0, -1, -1, 0, -1});
  // The cluster of all samples is too small as well, but there is no other one to join.
  CHECK(cut(tree, 2.0, 6, two_threads.run).size == std::vector<std::int64_t>{5});
}
