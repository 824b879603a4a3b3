#include "search/projected_samples.hpp"

#include <bit>
#include <limits>
#include <vector>

#include "support/error_bounds.hpp"
#include "support/rounding.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;

static_assert(error_bounds::fits_integers(tuning::kRefineAxes));

/// The greatest of value(i) for each of some samples.
template <class Value>
double greatest(std::size_t samples, const Run& run, Value&& value) {
  std::vector<double> most(static_cast<std::size_t>(run.threads), 0.0);
  parallel_for(run, samples, 1024, [&](std::size_t begin, std::size_t end, int thread) {
    double& here = most[static_cast<std::size_t>(thread)];
    for (std::size_t i = begin; i < end; ++i) here = std::max(here, value(i));
  });
  return *std::max_element(most.begin(), most.end());
}

double squared_length(const float* point, int axes) {
  double sum = 0;
  for (int a = 0; a < axes; ++a) sum += static_cast<double>(point[a]) * point[a];
  return sum;
}

/// The step between the integers that coordinates may be rounded to, 0 where they had better not.
double integer_step(const Projection& projection, std::size_t samples, const Run& run) {
  const auto axes = static_cast<std::size_t>(projection.axes);
  const double longest = std::sqrt(greatest(samples, run, [&](std::size_t i) {
    return squared_length(projection.coordinates + i * axes, projection.axes);
  }));
  // A step of 24 bits, so that its multiples are exact.
  const double step = rounded_up(longest / error_bounds::kLongestInteger);
  // Half a step along each axis, for both samples of a pair.
  return std::sqrt(static_cast<double>(axes)) * step <= projection.tolerance ? step : 0;
}

int padded(int words) {
  return (words + ScreenKernels::kRowWords - 1) / ScreenKernels::kRowWords *
         ScreenKernels::kRowWords;
}

}  // namespace

ProjectedSamples::ProjectedSamples(const Projection& projection, std::size_t columns,
                                   const Index<float>& tree, const Run& run)
    : tree_(tree),
      scale_(projection.scale * error_bounds::true_distance_factor(columns) *
             error_bounds::kFewRoundings),
      step_(integer_step(projection, tree.samples(), run)),
      screen_words_(words(std::min(projection.axes, tuning::kScreenAxes))),
      row_words_(padded(words(projection.axes))),
      rows_(tree.samples() * static_cast<std::size_t>(row_words_)),
      blocks_(static_cast<std::size_t>(tree.blocks()) * query_words(kBlock)),
      half_norm_(tree.padded_samples()),
      kernel_(screen_kernels(has_integers())) {
  squared_step_bound_ =
      squared_step() * error_bounds::square_sum_factor(
                           has_integers() ? error_bounds::kIntegerSumRoundings
                                          : error_bounds::square_sum_roundings(row_words_));
  // Writes all rows, and finds the largest error of rounding.
  const double moved = greatest(tree.samples(), run, [&](std::size_t i) {
    const auto source = static_cast<std::size_t>(tree.row_at(static_cast<std::int32_t>(i)));
    return write_row(projection.coordinates + source * static_cast<std::size_t>(projection.axes),
                     projection.axes, rows_.data() + i * static_cast<std::size_t>(row_words_));
  });
  error_ = (projection.error + 2 * std::sqrt(moved)) *
           error_bounds::true_distance_factor(static_cast<std::size_t>(projection.axes)) *
           error_bounds::kFewRoundings;
  parallel_for(run, static_cast<std::size_t>(tree.blocks()), 32,
               [&](std::size_t begin, std::size_t end, int) {
                 for (std::size_t b = begin; b < end; ++b)
                   write_block(static_cast<std::int32_t>(b));
               });
  const float* norms = half_norm_.data();
  longest_ = std::sqrt(2.0 * *std::max_element(norms, norms + tree.samples()));
}

double ProjectedSamples::write_row(const float* from, int axes, Word* to) const {
  std::fill_n(to, row_words_, Word{0});
  if (!has_integers()) {
    for (int a = 0; a < axes; ++a) to[a] = std::bit_cast<Word>(from[a]);
    return 0;
  }
  double moved = 0;
  for (int a = 0; a < axes; ++a) {
    // To the nearest, by truncating what is positive: a call to round takes ten times as long.
    const auto integer = static_cast<std::int32_t>(from[a] / step_ + 16384.5) - 16384;
    const double error = from[a] - integer * step_;  // exact: docs/exactness.md
    moved += error * error;
    to[a / 2] |= static_cast<Word>(integer & 0xFFFF) << (a % 2 * 16);
  }
  return moved;
}

double ProjectedSamples::squared_norm(std::int32_t position) const {
  double sum = 0;
  for (int w = 0; w < screen_words_; ++w) {
    const Word word = row(position)[w];
    if (has_integers()) {
      const double low = static_cast<std::int16_t>(word & 0xFFFF);
      const double high = static_cast<std::int16_t>(word >> 16);
      sum += low * low + high * high;
    } else {
      const double value = std::bit_cast<float>(word);
      sum += value * value;
    }
  }
  return sum;
}

void ProjectedSamples::write_block(std::int32_t block) {
  const std::int32_t begin = tree_.block_begin(block), end = tree_.block_end(block);
  Word* words = blocks_.data() + static_cast<std::size_t>(block) * query_words(kBlock);
  std::fill_n(words, query_words(kBlock), Word{0});
  std::fill_n(half_norm_.data() + begin, kBlock, std::numeric_limits<float>::quiet_NaN());
  for (std::int32_t i = begin; i < end; ++i) {
    for (int w = 0; w < screen_words_; ++w) words[w * kBlock + i - begin] = row(i)[w];
    half_norm_[static_cast<std::size_t>(i)] = static_cast<float>(0.5 * squared_norm(i));
  }
}

float ProjectedSamples::screen_threshold(std::int32_t position, double squared_radius) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (squared_radius < 0) return infinity;
  if (squared_radius == std::numeric_limits<double>::infinity()) return -infinity;
  // |q - t|^2 <= squared_radius, solved for the product of q and t less half of |t|^2.
  const double half_norm = half_norm_[static_cast<std::size_t>(position)];
  const double error = error_bounds::screen_error(has_integers() ? 1 : screen_words_,
                                                  std::sqrt(2 * half_norm), longest_);
  return rounded_down(half_norm - 0.5 * squared_radius / squared_step() - error);
}

}  // namespace quickshiftpp
