#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "samples.hpp"
#include "search/projected_samples.hpp"

using namespace quickshiftpp;

namespace {

/// Samples along axes, the tree that orders them, and both kinds of projected.
struct Scene {
  testing::Bench bench;
  std::vector<float> rows;
  int axes;
  std::size_t samples;
  Index<float> tree;

  Scene(std::vector<float> coordinates, int axes)
      : rows(std::move(coordinates)),
        axes(axes),
        samples(rows.size() / static_cast<std::size_t>(axes)),
        tree(rows.data(), samples, axes, true, bench.run) {}

  ProjectedSamples projected(double tolerance) const {
    return ProjectedSamples({rows.data(), axes, 1.0, 1e-7, tolerance}, tree, bench.run);
  }
  double squared_distance(std::int32_t a, std::int32_t b) const {
    return squared_distance(a, b, axes);
  }
  /// Along the first `some` axes.
  double squared_distance(std::int32_t a, std::int32_t b, int some) const {
    double sum = 0;
    for (int axis = 0; axis < some; ++axis) {
      const double apart = static_cast<double>(tree.coordinate(a, axis)) - tree.coordinate(b, axis);
      sum += apart * apart;
    }
    return sum;
  }
};

/// Whether the screen lets a pair through for the first of the two, and for the second.
std::pair<bool, bool> passes(const ProjectedSamples& projected, const Index<float>& tree,
                             std::int32_t a, std::int32_t b, double reach) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<ProjectedSamples::Word> points(projected.point_words(tuning::kQueryGroup));
  const int q = a % tuning::kQueryGroup;
  projected.copy_point(a, q, points.data());
  float threshold[tuning::kQueryGroup], other[tuning::kBlock];
  std::fill_n(threshold, tuning::kQueryGroup, infinity);
  std::fill_n(other, tuning::kBlock, infinity);
  const std::int32_t block = b / tuning::kBlock;
  const std::int32_t lane = b - tree.block_begin(block);
  threshold[q] = projected.threshold_of(a, reach);
  other[lane] = projected.threshold_of(b, reach);
  std::uint32_t alone[tuning::kQueryGroup], mask[tuning::kQueryGroup],
      other_mask[tuning::kQueryGroup];
  projected.screen(block, points.data(), threshold, alone);
  projected.screen_both(block, points.data(), threshold, a - q, other, mask, other_mask);
  CHECK(alone[q] == mask[q]);
  return {(mask[q] >> lane & 1) != 0, (other_mask[q] >> lane & 1) != 0};
}

/// How far a look at all axes says that a pair is apart, negative where it is out of reach.
double looked_at(const ProjectedSamples& projected, std::int32_t a, std::int32_t b, double reach) {
  SamplePair pair{a, b, 0};
  double apart;
  const int left = projected.refine(&pair, 1, &apart, [&](const SamplePair&) { return reach; });
  return left == 1 ? apart : -1;
}

}  // namespace

TEST_CASE("a projected discards what is out of reach, and nothing else") {
  const int axes = 150;  // more than the first look takes
  auto rows = testing::random_rows<float>(45, axes, 0, 5);
  // The two ends of the longest sample's axis, and samples that nearly coincide.
  for (int a = 0; a < axes; ++a) {
    rows[a] = a == 3 ? 12.0f : 0.0f;
    rows[axes + a] = -rows[a];
    rows[3 * axes + a] = std::nextafter(rows[2 * axes + a], 1.0f);
    rows[5 * axes + a] = rows[4 * axes + a];
  }
  const Scene scene(rows, axes);
  for (double tolerance : {0.0, 1.0}) {
    const ProjectedSamples projected = scene.projected(tolerance);
    CHECK(projected.is_rounded() == (tolerance > 0));
    bool keeps = true, discards = true;
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(scene.samples); ++a)
      for (std::int32_t b = 0; b < static_cast<std::int32_t>(scene.samples); ++b) {
        const double squared = scene.squared_distance(a, b);
        const double reach = projected.reach_of(squared);
        keeps &= passes(projected, scene.tree, a, b, reach) == std::pair(true, true);
        const double apart = looked_at(projected, a, b, reach);
        keeps &= apart >= 0 && apart <= reach;
        if (squared < 1) continue;
        keeps &= apart > 0.95 * squared;  // so that the nearest come first
        discards &= looked_at(projected, a, b, projected.reach_of(0.95 * squared)) < 0;
        // By the first axes alone.
        const double first = scene.squared_distance(a, b, tuning::kScreenAxes);
        discards &= passes(projected, scene.tree, a, b, projected.reach_of(0.95 * first)) ==
                    std::pair(false, false);
      }
    CHECK(keeps);
    CHECK(discards);
  }
}

TEST_CASE("rounding may move two samples away from each other") {
  const double step = 1.0 / 16000;
  const Scene scene({1.0f, static_cast<float>(0.49 * step), static_cast<float>(1.51 * step)}, 1);
  const ProjectedSamples projected = scene.projected(0.01);
  CHECK(projected.is_rounded());
  for (std::int32_t a = 0; a < 3; ++a)
    for (std::int32_t b = 0; b < 3; ++b) {
      const double reach = projected.reach_of(scene.squared_distance(a, b));
      CHECK(passes(projected, scene.tree, a, b, reach) == std::pair(true, true));
      CHECK(looked_at(projected, a, b, reach) >= 0);
    }
}

TEST_CASE("a projected is rounded where that hides little") {
  const int axes = 40;
  auto rows = testing::random_rows<float>(100, axes, 0, 6);
  CHECK(Scene(rows, axes).projected(0.01).is_rounded());
  CHECK_FALSE(Scene(rows, axes).projected(0.0001).is_rounded());
  rows[7] = 1000;  // one sample far out
  CHECK_FALSE(Scene(rows, axes).projected(0.01).is_rounded());
  CHECK_FALSE(Scene(std::vector<float>(100 * axes, 0.0f), axes).projected(0.01).is_rounded());
}
