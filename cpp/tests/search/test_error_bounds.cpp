// Inputs for which a faster computation errs nearly as much as it may: each bound holds, and a part
// of it would not do. docs/exactness.md lists how close they come.

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/search/pixels.hpp"
#include "quickshiftpp/tree/density.hpp"
#include "samples.hpp"
#include "search/projected_samples.hpp"
#include "support/error_bounds.hpp"

using namespace quickshiftpp;
using tuning::kBlock;
using tuning::kQueryGroup;

namespace {

/// Added to 1 in float32, its square is lost, or counts twice.
const float kLost = 0x1p-12f * (1 - 0x1p-12f), kDoubled = 0x1p-12f * (1 + 0x1p-12f);
/// The same in float64.
const double kLost64 = std::sqrt(0x1p-53) * (1 - 0x1p-30);

/// Two float32 numbers whose difference, and its square, are rounded up by nearly half a unit each.
constexpr float kMinuend = 1 + 0x1p-12f, kSubtrahend = -(0x1p-24f + 0x1p-40f);

/// The float32 sums that the kernels in force keep side by side.
int sums_in_parallel() {
  const std::string level = simd_level();
  return level.starts_with("avx512") ? 16 : level == "avx2" ? 8 : 4;
}

/// Samples along axes. The tree, over the first of them, orders the samples as it likes.
struct Scene {
  testing::TwoThreads two_threads;
  std::vector<float> rows;
  int axes;
  Index<float> tree;
  ProjectedSamples projected;

  Scene(std::vector<float> coordinates, int axes, testing::Precision precision)
      : rows(std::move(coordinates)),
        axes(axes),
        tree(rows.data(), rows.size() / static_cast<std::size_t>(axes), axes, true,
             two_threads.run),
        projected({.axes = projected_axes(rows.data(), tree.samples(), axes, 1.0, 0x1p-48,
                                          two_threads.run),
                   .screen_axes = std::min(axes, tuning::kScreenAxes),
                   .order = nullptr,  // the tree has it
                   .order_axes = 0,
                   .in_integers = precision.in_integers,
                   .in_bytes = precision.in_bytes},
                  static_cast<std::size_t>(axes), tree, two_threads.run) {}

  std::int32_t position(std::int32_t row) const {
    std::int32_t i = 0;
    while (tree.row_at(i) != row) ++i;
    return i;
  }
  /// Whether row b passes the screen of row a.
  bool passes(std::int32_t a, std::int32_t b, float threshold) const {
    std::vector<ProjectedSamples::Word> queries(projected.query_words(kQueryGroup));
    projected.copy_queries(position(a), 1, 0, queries.data());
    float thresholds[kQueryGroup];
    std::fill_n(thresholds, kQueryGroup, std::numeric_limits<float>::infinity());
    thresholds[0] = threshold;
    std::uint32_t mask[kQueryGroup];
    std::vector<float> product(kQueryGroup * tuning::kBlock);
    projected.screen(0, queries.data(), thresholds, mask, product.data());
    return (mask[0] >> position(b) & 1) != 0;
  }
};

/// The product of two integer vectors.
template <std::size_t n>
double product(const std::array<int, n>& a, const std::array<int, n>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

/// Whether windows find what the tree finds.
template <class T>
bool agrees_with_tree(const std::vector<T>& rows, const Grid& grid, int k) {
  testing::TwoThreads two_threads;
  const auto columns = static_cast<int>(rows.size() / grid.pixels());
  const Index<T> index(rows.data(), grid.pixels(), columns, true, two_threads.run);
  const NeighborLists found =
      Pixels<T>(index, grid, two_threads.run).neighbor_lists(k, two_threads.run);
  const NeighborLists expected = neighbor_lists(index, k, two_threads.run);
  bool same = true;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(grid.pixels()); ++i) {
    same &= std::equal(found.positions(i), found.positions(i) + k, expected.positions(i));
    same &= found.squared_radii()[i] == expected.squared_radii()[i];
    same &= found.tied_beyond(i) == expected.tied_beyond(i);
  }
  return same;
}

}  // namespace

TEST_CASE("true_distance_factor: 91% of it for a large difference and many small ones") {
  for (int columns : {8, 200, 5000}) {
    std::vector<double> rows(2 * static_cast<std::size_t>(columns), 0.0);
    rows[0] = 1;
    int lost = 0;  // in the sum of the large one, and one in each other sum
    for (int c = 1; c < columns; ++c)
      if (c < kColumnSums || c % kColumnSums == 0) {
        rows[static_cast<std::size_t>(c)] = kLost64;
        ++lost;
      }
    CHECK(testing::squared_distance(rows, columns, 0, 1) == 1);
    const double excess = std::expm1(0.5 * std::log1p(lost * kLost64 * kLost64));
    const double bound =
        error_bounds::gamma(error_bounds::distance_roundings(columns), error_bounds::kUnit64) / 2;
    CHECK(excess <= bound);
    CHECK(excess > (columns == 8 ? 0.69 : 0.91) * bound);
  }
}

TEST_CASE("triangle_factor: 82% of it for three points on a line") {
  // From the second point to the others small differences are lost; from the first to the last, at
  // three times the distance, they are rounded up.
  const int channels = 2000, columns = channels + 1;
  std::vector<double> rows;
  for (int pixel = 0; pixel < 3; ++pixel) {
    const double place = std::array{0.0, 2.0, 3.0}[static_cast<std::size_t>(pixel)];
    rows.push_back(pixel * 0x1p-60);
    for (int c = 1; c <= channels; ++c)
      rows.push_back(place * (c == 1 ? 1 : c <= kColumnSums || c % kColumnSums == 1 ? kLost64 : 0));
  }
  const double sum = std::sqrt(testing::squared_distance(rows, columns, 0, 1)) +
                     std::sqrt(testing::squared_distance(rows, columns, 1, 2));
  const double excess = testing::squared_distance(rows, columns, 0, 2) / (sum * sum) - 1;
  const double bound = error_bounds::triangle_factor(columns) - 1;
  CHECK(excess <= bound);
  CHECK(excess > 0.82 * bound);
  // The last pixel's radius is bounded by that of the one before.
  CHECK(agrees_with_tree(rows, Grid{{3}, {0x1p-60}}, 3));
}

TEST_CASE("float32_limit: 95% of it where each sum is rounded up") {
  for (int channels : {1, 3, 60, 300}) {
    const std::size_t stride = 1 + kRunOverhang;
    std::vector<float> colors(static_cast<std::size_t>(channels) * stride,
                              std::numeric_limits<float>::quiet_NaN());
    std::vector<float> query(static_cast<std::size_t>(channels), 0.0f), zeros(stride, 0.0f);
    std::vector<double> query_exact(query.size()), zeros_exact(stride, 0.0);
    query[0] = kSubtrahend;
    query_exact[0] = kSubtrahend;
    std::vector<double> squares{0.0};  // by column: along the line, and then the colors
    for (int c = 0; c < channels; ++c) {
      const float color = c == 0 ? kMinuend : kDoubled;
      colors[static_cast<std::size_t>(c) * stride] = color;
      const double difference = color - query_exact[static_cast<std::size_t>(c)];
      squares.push_back(difference * difference);
    }
    const double squared = sum_over_columns(
        channels + 1, [&](int column) { return squares[static_cast<std::size_t>(column)]; });
    Line<float> line{};
    line.colors = colors.data();
    line.stride = stride;
    line.channels = channels;
    line.query_color = query_exact.data();
    line.along = zeros_exact.data();
    line.query_color_single = query.data();
    line.along_single = zeros.data();
    line.limit = squared;
    double found[kRunOverhang + 8];
    std::int32_t pixel[kRunOverhang + 8];
    line.limit_single = error_bounds::float32_limit(squared, channels);
    CHECK(kernels<float>().run_within(line, 0, 1, found, pixel) == 1);
    // In few channels the limit itself is rounded by more than that.
    const double bound = error_bounds::gamma(channels + 3, error_bounds::kUnit32);
    line.limit_single = rounded_down(squared * (1 + 0.95 * bound));
    if (channels >= 60) CHECK(kernels<float>().run_within(line, 0, 1, found, pixel) == 0);
  }
}

TEST_CASE("float32_limit: squares below the smallest float32") {
  const int channels = 60;
  const std::size_t stride = 1 + kRunOverhang;
  const float color = 1.1f * 0x1p-75f;  // its square is rounded up to 2^-149
  std::vector<float> colors(channels * stride, color), query(channels, 0.0f), zeros(stride, 0.0f);
  std::vector<double> query_exact(channels, 0.0), zeros_exact(stride, 0.0);
  Line<float> line{};
  line.colors = colors.data();
  line.stride = stride;
  line.channels = channels;
  line.query_color = query_exact.data();
  line.along = zeros_exact.data();
  line.query_color_single = query.data();
  line.along_single = zeros.data();
  for (int c = 0; c < channels; ++c) line.limit += static_cast<double>(color) * color;
  line.limit_single = error_bounds::float32_limit(line.limit, channels);
  double found[kRunOverhang + 8];
  std::int32_t pixel[kRunOverhang + 8];
  CHECK(kernels<float>().run_within(line, 0, 1, found, pixel) >= 1);
  line.limit_single = rounded_up(1.1 * line.limit);
  CHECK(kernels<float>().run_within(line, 0, 1, found, pixel) == 0);
}

TEST_CASE("line_margin: 90% of it where adjacent coordinates are rounded toward each other") {
  const std::size_t pixels = 2700;
  double most = 0, worst_step = 0;
  for (int i = 0; i < 400; ++i) {
    const double step = 0.1 + 1e-6 * i;
    double margin = 0;
    for (std::size_t p = 1; p < pixels; ++p) {
      const double gap = static_cast<double>(static_cast<float>(static_cast<double>(p) * step)) -
                         static_cast<float>(static_cast<double>(p - 1) * step);
      margin = std::max(margin, 1 - gap / step);
    }
    if (margin <= most) continue;
    most = margin;
    worst_step = step;
  }
  CHECK(most <= error_bounds::line_margin(pixels));
  CHECK(most > 0.9 * error_bounds::line_margin(pixels));
  std::vector<float> rows;
  for (std::size_t p = 0; p < pixels; ++p) {
    rows.push_back(static_cast<float>(static_cast<double>(p) * worst_step));
    rows.push_back(0);
  }
  CHECK(agrees_with_tree(rows, Grid{{static_cast<int>(pixels)}, {worst_step}}, 2));
}

TEST_CASE("squared_remainder: a whole line at a distance that hides its own") {
  // The squared distance between the two lines leaves no bits for 11 pixels to each side, and these
  // tie.
  const double apart = 0x1p30;
  CHECK(apart * apart + 121 == apart * apart);
  CHECK(121 <= error_bounds::squared_remainder(apart * apart, apart * apart));
  const int length = 50;
  std::vector<double> rows;
  for (int line = 0; line < 2; ++line)
    for (int i = 0; i < length; ++i) rows.insert(rows.end(), {line * apart, 1.0 * i, 0.0});
  CHECK(agrees_with_tree(rows, Grid{{2, length}, {apart, 1}}, length + 1));
}

TEST_CASE("squared_remainder: 44% of it, where other axes are added to the same sum") {
  // The first axis goes along the line. Without it, each small square raises its sum by two units;
  // with it, that sum has reached 2, to which they add nothing.
  constexpr double unit = error_bounds::kUnit64, small = unit * (1 + 0x1p-20);
  const auto distance = [](double along) {
    return sum_over_columns(64, [along](int c) {
      return c == 0 ? along : c == 8 ? 2 - 26 * unit : c < 8 || c % 8 == 0 ? small : 0;
    });
  };
  const double across = distance(0), along = 28 * unit;
  CHECK(distance(along) == across);
  CHECK(along <= error_bounds::squared_remainder(across, across));
  CHECK(along > 0.43 * error_bounds::squared_remainder(across, across));
}

TEST_CASE("kWholeLimit: whole numbers that float32 cannot tell apart") {
  // Squared distances of 2^24 + 1 and 2^24 from the pixel in the middle.
  const int step = 2048, a = 3540, b = 92, c = 207;
  REQUIRE(a * a + b * b + c * c == 3 * step * step + 1);
  const auto whole = [](int value) { return static_cast<float>(value); };
  const std::vector<float> rows{0.0f,        whole(a),   whole(b), whole(c),        whole(step),
                                0.0f,        0.0f,       0.0f,     whole(2 * step), whole(step),
                                whole(step), whole(step)};
  CHECK(agrees_with_tree(rows, Grid{{3}, {static_cast<double>(step)}}, 2));
}

TEST_CASE("screen_error: 88% of it in float32, for a sample and its copy") {
  const int axes = tuning::kScreenAxes;
  std::vector<float> rows(2 * static_cast<std::size_t>(axes), kLost);
  rows[0] = rows[static_cast<std::size_t>(axes)] = 1;
  const Scene scene(rows, axes, testing::kInFloat32);
  const double squared = 1 + (axes - 1.0) * kLost * kLost;
  const auto half_norm = static_cast<double>(static_cast<float>(0.5 * squared));
  const double error = error_bounds::screen_error(axes, std::sqrt(squared), std::sqrt(squared));
  CHECK(scene.passes(0, 1, scene.projected.screen_threshold(scene.position(0), 0)));
  CHECK(scene.passes(0, 1, static_cast<float>(half_norm - error)));
  CHECK_FALSE(scene.passes(0, 1, static_cast<float>(half_norm - 0.88 * error)));
}

TEST_CASE("screen_error: products below the smallest float32") {
  const int axes = tuning::kScreenAxes;
  const Scene scene(std::vector<float>(2 * static_cast<std::size_t>(axes), 0x1.ep-76f), axes,
                    testing::kInFloat32);
  CHECK(scene.passes(0, 1, scene.projected.screen_threshold(scene.position(0), 0)));
}

TEST_CASE("screen_error: a short query and a long sample, whose norm is rounded most") {
  // Half the squared norm of the sample is 2^24 + 3, which float32 rounds to 2^24 + 4. Less the
  // product of 4.5 that is 2^24 - 0.5, which it rounds to 2^24: 1.5 more than the true number.
  const std::vector<float> rows{0, 0, 0, 1.5f, 0, 5792, 84, 10, 3, 3};
  const int axes = 5;
  const Scene scene(rows, axes, testing::kInFloat32);
  const double squared_distance = 0x1p25 + 6 - 9 + 2.25;
  CHECK(scene.passes(0, 1, scene.projected.screen_threshold(scene.position(0), squared_distance)));
  CHECK_FALSE(scene.passes(0, 1, rounded_down(1.5 - 0x1p24)));  // the true number
}

TEST_CASE("screen_error: 30% of it in integers") {
  // Two samples near the length at which float32 is coarsest, with half norms that are rounded up
  // and a product that is rounded down. Here the threshold itself is rounded by 15% of the bound.
  constexpr std::size_t used = 6;
  constexpr double unit = 0x1p-14, share = 0.3;
  std::mt19937 engine(1);
  std::array<int, used> q{11586}, t{11586};
  double squared_radius = 0, error = 0;
  float threshold = 0, product_less_norm = 0;
  for (int round = 0; round < 100000 && product_less_norm >= threshold; ++round) {
    for (std::size_t i = 1; i < used; ++i) {
      q[i] = static_cast<int>(engine() % 141) - 70;
      t[i] = static_cast<int>(engine() % 141) - 70;
    }
    const auto half_norm = static_cast<float>(0.5 * product(q, q));
    const double length = std::sqrt(std::max(product(q, q), product(t, t)));
    squared_radius = product(q, q) + product(t, t) - 2 * product(q, t);
    error = error_bounds::screen_error(1, length, length);
    threshold = rounded_down(half_norm - 0.5 * squared_radius - share * error);
    product_less_norm = static_cast<float>(product(q, t)) - static_cast<float>(0.5 * product(t, t));
  }
  const int axes = tuning::kScreenAxes + 2;
  std::vector<float> rows(3 * static_cast<std::size_t>(axes), 0.0f);
  for (std::size_t i = 0; i < used; ++i) {
    rows[i] = static_cast<float>(q[i] * unit);
    rows[static_cast<std::size_t>(axes) + i] = static_cast<float>(t[i] * unit);
  }
  // The longest sample, along axes that the screen does not see.
  rows.back() = static_cast<float>(error_bounds::kLongestInteger * unit);
  const Scene scene(rows, axes, testing::kIn16Bits);
  REQUIRE(scene.projected.has_integers());
  CHECK(scene.passes(
      0, 1, scene.projected.screen_threshold(scene.position(0), squared_radius * unit * unit)));
  CHECK_FALSE(scene.passes(0, 1, threshold));
}

TEST_CASE("square_sum_roundings: all of them where the kernel keeps four sums, in float32") {
  const int words = tuning::kRefineAxes, sums = sums_in_parallel();
  std::vector<float> rows(2 * static_cast<std::size_t>(words), 0.0f);
  rows[0] = kMinuend;
  rows[static_cast<std::size_t>(words)] = kSubtrahend;
  for (int w = sums; w < words; w += sums) rows[static_cast<std::size_t>(w)] = kDoubled;
  for (int w = 1; w < sums; w *= 2) rows[static_cast<std::size_t>(w)] = kDoubled;
  double squared = 0;
  for (std::size_t w = 0; w < static_cast<std::size_t>(words); ++w) {
    const double difference = static_cast<double>(rows[w]) - rows[w + words];
    squared += difference * difference;
  }
  const Scene scene(rows, words, testing::kInFloat32);
  SamplePair pair{scene.position(0), scene.position(1), 0};
  double lower_bound;
  CHECK(scene.projected.refine(&pair, 1, &lower_bound, [&](auto&) { return squared; }) == 1);
  float computed;
  const SamplePair two{0, 1, 0};
  screen_kernels(WordFormat::kFloat32)
      ->pair_distances(reinterpret_cast<const std::uint32_t*>(rows.data()), words, &two, 1,
                       &computed);
  const double roundings = (computed / squared - 1) / error_bounds::kUnit32;
  // Two for the difference, one for the square, and one for each sum.
  CHECK(roundings > 0.99 * (3 + words / sums - 1 + std::log2(sums)));
  CHECK(computed * error_bounds::square_sum_factor(roundings + 1) <= squared);
  const double bound = error_bounds::square_sum_roundings(words);
  CHECK(roundings <= bound);
  CHECK(roundings > (sums == 4 ? 0.99 : 0.33) * bound);
}

TEST_CASE("kIntegerSumRoundings: 93% of them where the kernel keeps sixteen sums") {
  const int words = tuning::kRefineAxes / 2, sums = sums_in_parallel();
  const std::uint32_t seventeen = 4 << 16 | 1;  // by its squares
  std::vector<std::uint32_t> rows(2 * static_cast<std::size_t>(words), 0);
  rows[0] = 8192;  // twice as far from the other sample
  rows[static_cast<std::size_t>(words)] = static_cast<std::uint32_t>(-8192) & 0xFFFF;
  rows[static_cast<std::size_t>(sums)] = seventeen;
  for (int w = 1; w < sums; w *= 2) rows[static_cast<std::size_t>(w)] = seventeen;
  const double squared = 0x1p28 + 17 * (1 + std::log2(sums));
  float computed;
  const SamplePair pair{0, 1, 0};
  screen_kernels(WordFormat::kInteger16)->pair_distances(rows.data(), words, &pair, 1, &computed);
  const double roundings = (computed / squared - 1) / error_bounds::kUnit32;
  CHECK(roundings <= error_bounds::kIntegerSumRoundings);
  CHECK(roundings > (sums == 16 ? 0.93 : 0.5) * error_bounds::kIntegerSumRoundings);
}

TEST_CASE("kLongestInteger: differences and sums of squares of the longest samples") {
  // All of the length along one axis, and spread over all.
  const int axes = tuning::kRefineAxes;
  std::vector<float> rows(4 * static_cast<std::size_t>(axes), 0.0f);
  rows[0] = 1;
  rows[static_cast<std::size_t>(axes)] = -1;
  const auto share = static_cast<float>(std::sqrt(1.0 / axes));
  std::fill_n(rows.begin() + 2 * axes, axes, share);
  std::fill_n(rows.begin() + 3 * axes, axes, -share);
  const Scene scene(rows, axes, testing::kIn16Bits);
  REQUIRE(scene.projected.has_integers());
  for (auto [a, b] : {std::pair{0, 1}, {2, 3}}) {
    SamplePair pair{scene.position(a), scene.position(b), 0};
    double lower_bound;
    scene.projected.refine(&pair, 1, &lower_bound, [](auto&) { return 5.0; });
    CHECK(lower_bound == doctest::Approx(4).epsilon(1e-3));
    CHECK(lower_bound <= scene.projected.squared_search_radius(4));
  }
}

TEST_CASE("rounding to integers: 99% of what it adds to the error") {
  // Rounding moves the samples away from each other: 1.02 steps become 2.
  const double step = rounded_up(1 / error_bounds::kLongestInteger);
  const auto low = static_cast<float>(0.49 * step), high = static_cast<float>(1.51 * step);
  const Scene scene({1, low, high}, 1, testing::kIn16Bits);
  REQUIRE(scene.projected.has_integers());
  const double distance = static_cast<double>(high) - low;
  const double radius = std::sqrt(scene.projected.squared_search_radius(distance * distance));
  CHECK(radius >= 2 * step);
  CHECK(2 * step - distance > 0.99 * (radius - distance));
}

TEST_CASE("kLargestExponent: terms that round to one unit are counted, to none are not") {
  testing::TwoThreads two_threads;
  for (auto [exponent, expected] : {std::pair{36.04, 1 + 0x1p-51}, {36.06, 1.0}}) {
    const std::vector<double> rows{0.0, std::sqrt(exponent)};
    const Index<double> index(rows.data(), 2, 1, false, two_threads.run);
    const auto sums = gaussian_sums(index, 1.0, two_threads.run);
    CHECK(sums[0] == expected);
    CHECK(sums[1] == expected);
  }
}

TEST_CASE("column_error: 86% of it, where coordinates are just above a power of two") {
  testing::TwoThreads two_threads;
  constexpr double value = 0.5 + 0x1p-25 + 0x1p-40;  // half way to the next float32, and more
  constexpr int columns = 3;
  const std::vector<double> rows{value, value, value, -value, -value, -value};
  const Axes axes = column_axes(rows.data(), 2, columns, two_threads.run);
  float a[columns], b[columns];
  axes.copy_row(0, a);
  axes.copy_row(1, b);
  double along = 0;
  for (int c = 0; c < columns; ++c) along += (double{a[c]} - b[c]) * (double{a[c]} - b[c]);
  const double error = std::sqrt(along) - axes.scale * 2 * value * std::sqrt(double{columns});
  CHECK(error <= axes.error);
  CHECK(error > 0.86 * axes.error);
}
