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

  ProjectedSamples projected(testing::Precision precision) const {
    return ProjectedSamples(
        {.axes = projected_axes(rows.data(), samples, axes, 1.0, 1e-7, two_threads.run),
         .screen_axes = std::min(axes, tuning::kScreenAxes),
         .order = nullptr,  // the tree has it
         .order_axes = 0,
         .in_integers = precision.in_integers,
         .in_bytes = precision.in_bytes},
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
  projected.copy_queries(a, 1, q, queries.data());
  float threshold[tuning::kQueryGroup], other[tuning::kBlock];
  std::fill_n(threshold, tuning::kQueryGroup, infinity);
  std::fill_n(other, tuning::kBlock, infinity);
  const std::int32_t block = b / tuning::kBlock;
  const std::int32_t lane = b - tree.block_begin(block);
  threshold[q] = projected.screen_threshold(a, squared_radius);
  other[lane] = projected.screen_threshold(b, squared_radius);
  std::uint32_t alone[tuning::kQueryGroup], mask[tuning::kQueryGroup],
      other_mask[tuning::kQueryGroup];
  std::vector<float> product(tuning::kQueryGroup * tuning::kBlock);
  projected.screen(block, queries.data(), threshold, alone, product.data());
  projected.screen_both(block, queries.data(), threshold, a - q, other, mask, other_mask,
                        product.data());
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
  for (auto precision : {testing::kInFloat32, testing::kIn16Bits, testing::kIn8Bits}) {
    const ProjectedSamples projected = scene.projected(precision);
    CHECK(projected.has_integers() == precision.in_integers);
    const bool has_bytes = precision.in_bytes && screen_kernels(WordFormat::kInteger8) != nullptr;
    CHECK((projected.screen_format() == WordFormat::kInteger8) == has_bytes);
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
        const double share = has_bytes ? 0.7 : 0.95;
        discards &=
            passes(projected, scene.tree, a, b, projected.squared_search_radius(share * first)) ==
            std::pair(false, false);
      }
    CHECK(keeps);
    CHECK(discards);
  }
}

TEST_CASE("rounding to integers may move two samples apart") {
  const double step = 1.0 / 16000;
  const int axes = tuning::kScreenAxes + 1;  // so that there is more to refine
  std::vector<float> rows(static_cast<std::size_t>(3 * axes));
  rows[0] = 1;
  rows[axes] = static_cast<float>(0.49 * step);
  rows[2 * axes] = static_cast<float>(1.51 * step);
  const Scene scene(rows, axes);
  const ProjectedSamples projected = scene.projected(testing::kIn16Bits);
  CHECK(projected.has_integers());
  for (std::int32_t a = 0; a < 3; ++a)
    for (std::int32_t b = 0; b < 3; ++b) {
      const double squared_radius = projected.squared_search_radius(scene.squared_distance(a, b));
      CHECK(passes(projected, scene.tree, a, b, squared_radius) == std::pair(true, true));
      CHECK(refined(projected, a, b, squared_radius) >= 0);
    }
}

TEST_CASE("coordinates become integers where there are steps to count") {
  const int axes = 40;
  const auto rows = testing::random_rows<float>(100, axes, 0, 6);
  CHECK(Scene(rows, axes).projected(testing::kIn16Bits).has_integers());
  CHECK_FALSE(Scene(rows, axes).projected(testing::kInFloat32).has_integers());
  const std::vector<float> equal(100 * axes, 0.0f);
  CHECK_FALSE(Scene(equal, axes).projected(testing::kIn16Bits).has_integers());
}

namespace {

/// Samples along their columns.
struct Columns {
  testing::TwoThreads two_threads;
  std::vector<double> rows;
  std::size_t columns, samples;
  Axes axes;
  WidestAxes order;
  Index<float> tree;
  ProjectedSamples projected;

  Columns(std::vector<double> coordinates, int columns, testing::Precision precision)
      : rows(std::move(coordinates)),
        columns(static_cast<std::size_t>(columns)),
        samples(rows.size() / this->columns),
        axes(column_axes(rows.data(), samples, columns, two_threads.run)),
        order(widest_axes(axes, samples, tuning::kOrderAxes, two_threads.run)),
        tree(order.coordinates.data(), samples, order.count, true, two_threads.run),
        projected({.axes = axes,
                   .screen_axes = columns,
                   .order = nullptr,  // the tree has it
                   .order_axes = 0,
                   .in_integers = precision.in_integers,
                   .in_bytes = precision.in_bytes},
                  this->columns, tree, two_threads.run) {}

  double squared_distance(std::int32_t a, std::int32_t b) const {
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double difference = value(a, c) - value(b, c);
      sum += difference * difference;
    }
    return sum;
  }
  double value(std::int32_t position, std::size_t column) const {
    return rows[static_cast<std::size_t>(tree.row_at(position)) * columns + column];
  }
  ProjectedSamples::Key key(std::int32_t a, std::int32_t b) const {
    if (projected.refines()) {
      const SamplePair pair{a, b, 0};
      ProjectedSamples::Key squared;
      projected.compare(&pair, 1, &squared);
      return squared;
    }
    return screen(a, b, 0).second;
  }
  /// Whether a pair passes the screen, and its remainder there.
  std::pair<bool, float> screen(std::int32_t a, std::int32_t b, float limit) const {
    std::vector<ProjectedSamples::Word> queries(projected.query_words(tuning::kQueryGroup));
    projected.copy_queries(a, 1, 0, queries.data());
    const std::vector<float> threshold(tuning::kQueryGroup, limit);
    std::uint32_t mask[tuning::kQueryGroup];
    std::vector<float> product(tuning::kQueryGroup * tuning::kBlock);
    const std::int32_t block = b / tuning::kBlock;
    projected.screen(block, queries.data(), threshold.data(), mask, product.data());
    const std::int32_t lane = b - tree.block_begin(block);
    return {(mask[0] >> lane & 1) != 0,
            projected.remainder(b, product[static_cast<std::size_t>(lane)])};
  }
};

constexpr testing::Precision kIn8BitsAndFloat32{false, true};

}  // namespace

TEST_CASE("columns: the screen and a settled radius reach all samples as near") {
  for (double scale : {1.0, 1e-30, 1e12})
    for (auto precision :
         {testing::kInFloat32, testing::kIn16Bits, testing::kIn8Bits, kIn8BitsAndFloat32}) {
      std::vector<double> rows = testing::random_rows<double>(70, 30, 0, 9);
      for (std::size_t c = 0; c < 30; ++c) {
        rows[30 + c] = rows[c];                       // two equal samples
        rows[60 + c] = std::nextafter(rows[c], 9.0);  // and one next to them
        // Some that are about as near to it as rounding lets the screen see.
        for (std::size_t i = 3; i < 30; ++i)
          rows[i * 30 + c] = rows[c] + 1e-5 * static_cast<double>(i) * rows[(i + 35) * 30 + c];
      }
      for (double& value : rows) value *= scale;
      const Columns scene(rows, 30, precision);
      REQUIRE(scene.projected.settles());
      bool passes = true, reaches = true, is_sharp = true;
      for (std::int32_t a = 0; a < 70; ++a)
        for (std::int32_t b = 0; b < 70; ++b) {
          const double exact = scene.projected.squared_search_radius(scene.squared_distance(a, b));
          passes &= scene.screen(a, b, scene.projected.screen_threshold(a, exact)).first;
          const auto key = scene.key(a, b);
          const double settled = scene.projected.settled_squared_radius(a, key);
          reaches &= settled >= exact && scene.projected.lower_bound(a, key) <= settled &&
                     key <= scene.projected.largest_key(a, settled);
          is_sharp &= std::sqrt(settled) <= std::sqrt(exact) + 0.01;
        }
      CHECK(passes);
      CHECK(reaches);
      CHECK(is_sharp);
    }
}

TEST_CASE("settled radii: rounding that moves two samples toward each other") {
  // The samples are symmetric, so that their center is zero. Those at 1000.49 and -2000.49 steps
  // are rounded to 1000 and -2000: their distance is 3000 steps instead of 3000.98.
  const double step = 1.0 / 16000;
  std::vector<double> rows;
  for (double steps : {16000.0, 1000.49, 2000.49})
    for (double sign : {1.0, -1.0}) rows.push_back(sign * steps * step);
  const Columns scene(rows, 1, testing::kIn16Bits);
  const auto position = [&](std::int32_t row) {
    std::int32_t found = 0;
    while (scene.tree.row_at(found) != row) ++found;
    return found;
  };
  const std::int32_t a = position(2), b = position(5);
  const double settled = scene.projected.settled_squared_radius(a, scene.key(a, b));
  const double exact = scene.projected.squared_search_radius(scene.squared_distance(a, b));
  CHECK(settled >= exact);
  const double along = 3000 * 0.5 * step;  // along the axes, a step is half as long
  CHECK(std::sqrt(settled) - along <= (std::sqrt(exact) - along) / 0.98);
}
