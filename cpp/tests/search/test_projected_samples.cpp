#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "samples.hpp"
#include "search/projected_samples.hpp"

using namespace quickshiftpp;

namespace {

/// Samples along axes, and the tree that orders them.
struct Scene {
  testing::TwoThreads two_threads;
  std::vector<float> rows;
  int axes;
  std::size_t samples;
  Index<float> tree;

  Scene(std::vector<float> coordinates, int axes)
      : rows(std::move(coordinates)),
        axes(axes),
        samples(rows.size() / static_cast<std::size_t>(axes)),
        tree(rows.data(), samples, axes, true, two_threads.run) {}

  ProjectedSamples projected(double tolerance) const {
    return ProjectedSamples({rows.data(), axes, 1.0, 1e-7, tolerance},
                            static_cast<std::size_t>(axes), tree, two_threads.run);
  }
  double squared_distance(std::int32_t a, std::int32_t b) const {
    return squared_distance(a, b, axes);
  }
  /// Along the first `some` axes.
  double squared_distance(std::int32_t a, std::int32_t b, int some) const {
    double sum = 0;
    for (int axis = 0; axis < some; ++axis) {
      const double difference =
          static_cast<double>(tree.coordinate(a, axis)) - tree.coordinate(b, axis);
      sum += difference * difference;
    }
    return sum;
  }
};

/// Whether a pair passes the screen for the first of the two, and for the second.
std::pair<bool, bool> passes(const ProjectedSamples& projected, const Index<float>& tree,
                             std::int32_t a, std::int32_t b, double squared_radius) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<ProjectedSamples::Word> queries(projected.query_words(tuning::kQueryGroup));
  const int q = a % tuning::kQueryGroup;
  projected.copy_query(a, q, queries.data());
  float threshold[tuning::kQueryGroup], other[tuning::kBlock];
  std::fill_n(threshold, tuning::kQueryGroup, infinity);
  std::fill_n(other, tuning::kBlock, infinity);
  const std::int32_t block = b / tuning::kBlock;
  const std::int32_t lane = b - tree.block_begin(block);
  threshold[q] = projected.screen_threshold(a, squared_radius);
  other[lane] = projected.screen_threshold(b, squared_radius);
  std::uint32_t alone[tuning::kQueryGroup], mask[tuning::kQueryGroup],
      other_mask[tuning::kQueryGroup];
  projected.screen(block, queries.data(), threshold, alone);
  projected.screen_both(block, queries.data(), threshold, a - q, other, mask, other_mask);
  CHECK(alone[q] == mask[q]);
  return {(mask[q] >> lane & 1) != 0, (other_mask[q] >> lane & 1) != 0};
}

/// The lower bound of a pair's squared distance along all axes, negative where that discards it.
double refined(const ProjectedSamples& projected, std::int32_t a, std::int32_t b,
               double squared_radius) {
  SamplePair pair{a, b, 0};
  double lower_bound;
  const int kept =
      projected.refine(&pair, 1, &lower_bound, [&](const SamplePair&) { return squared_radius; });
  return kept == 1 ? lower_bound : -1;
}

}  // namespace

TEST_CASE("projected samples discard what is beyond the search radius, and nothing else") {
  const int axes = 150;  // more than the screen takes
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
    CHECK(projected.has_integers() == (tolerance > 0));
    bool keeps = true, discards = true;
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(scene.samples); ++a)
      for (std::int32_t b = 0; b < static_cast<std::int32_t>(scene.samples); ++b) {
        const double squared = scene.squared_distance(a, b);
        const double squared_radius = projected.squared_search_radius(squared);
        keeps &= passes(projected, scene.tree, a, b, squared_radius) == std::pair(true, true);
        const double lower_bound = refined(projected, a, b, squared_radius);
        keeps &= lower_bound >= 0 && lower_bound <= squared_radius;
        if (squared < 1) continue;
        keeps &= lower_bound > 0.95 * squared;  // so that the nearest come first
        discards &= refined(projected, a, b, projected.squared_search_radius(0.95 * squared)) < 0;
        // By the first axes alone.
        const double first = scene.squared_distance(a, b, tuning::kScreenAxes);
        discards &=
            passes(projected, scene.tree, a, b, projected.squared_search_radius(0.95 * first)) ==
            std::pair(false, false);
      }
    CHECK(keeps);
    CHECK(discards);
  }
}

TEST_CASE("rounding to integers may move two samples apart") {
  const double step = 1.0 / 16000;
  const Scene scene({1.0f, static_cast<float>(0.49 * step), static_cast<float>(1.51 * step)}, 1);
  const ProjectedSamples projected = scene.projected(0.01);
  CHECK(projected.has_integers());
  for (std::int32_t a = 0; a < 3; ++a)
    for (std::int32_t b = 0; b < 3; ++b) {
      const double squared_radius = projected.squared_search_radius(scene.squared_distance(a, b));
      CHECK(passes(projected, scene.tree, a, b, squared_radius) == std::pair(true, true));
      CHECK(refined(projected, a, b, squared_radius) >= 0);
    }
}

TEST_CASE("coordinates become integers where that hides little") {
  const int axes = 40;
  auto rows = testing::random_rows<float>(100, axes, 0, 6);
  CHECK(Scene(rows, axes).projected(0.01).has_integers());
  CHECK_FALSE(Scene(rows, axes).projected(0.0001).has_integers());
  rows[7] = 1000;  // one sample far out
  CHECK_FALSE(Scene(rows, axes).projected(0.01).has_integers());
  CHECK_FALSE(Scene(std::vector<float>(100 * axes, 0.0f), axes).projected(0.01).has_integers());
}
