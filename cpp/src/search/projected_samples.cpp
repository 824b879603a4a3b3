#include "search/projected_samples.hpp"

#include <bit>
#include <limits>
#include <vector>

#include "support/rounding.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;

constexpr double kFloatUnit = 0x1p-24;  // the relative error of one operation in float32

// The length of the longest sample in integers. Differences fit into 16 bits, and their squares and
// products, summed over all axes, into 31, whatever rounding adds to a sample.
constexpr double kLongest = 16000;
static_assert(tuning::kFirstLook % (2 * ScreenKernels::kRowWords) == 0);
static_assert(tuning::kRefineAxes < 4 * (16383 - kLongest) * (16383 - kLongest));

/// The greatest of what value(i) is for each of some samples.
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

/// The step between integers that coordinates may be rounded to, 0 where they had better not.
double rounding_step(const Projection& projection, std::size_t samples, const Run& run) {
  const auto axes = static_cast<std::size_t>(projection.axes);
  const double longest = std::sqrt(greatest(samples, run, [&](std::size_t i) {
    return squared_length(projection.coordinates + i * axes, projection.axes);
  }));
  const double step = longest / kLongest;
  // Half a step along each axis, for both samples of a pair.
  return std::sqrt(static_cast<double>(axes)) * step <= projection.tolerance ? step : 0;
}

int padded(int words) {
  return (words + ScreenKernels::kRowWords - 1) / ScreenKernels::kRowWords *
         ScreenKernels::kRowWords;
}

}  // namespace

ProjectedSamples::ProjectedSamples(const Projection& projection, const Index<float>& order,
                                   const Run& run)
    : order_(order),
      scale_(projection.scale),
      error_(projection.error),
      step_(rounding_step(projection, order.samples(), run)),
      screen_words_(words(std::min(projection.axes, tuning::kScreenAxes))),
      row_words_(padded(words(projection.axes))),
      first_look_(std::min(words(tuning::kFirstLook), row_words_)),
      rows_(order.samples() * static_cast<std::size_t>(row_words_)),
      blocks_(static_cast<std::size_t>(order.blocks()) * point_words(kBlock)),
      half_norm_(order.padded_samples()),
      kernel_(screen_kernels(is_rounded())) {
  // A sum of squares errs by a share of itself.
  squared_unit_ = squared_step() * (1 - (projection.axes + 24) * kFloatUnit);
  // Writes all rows, and tells how far the one that rounding moved farthest is moved.
  const double moved = greatest(order.samples(), run, [&](std::size_t i) {
    const auto source = static_cast<std::size_t>(order.row_at(static_cast<std::int32_t>(i)));
    return write_row(projection.coordinates + source * static_cast<std::size_t>(projection.axes),
                     projection.axes, rows_.data() + i * static_cast<std::size_t>(row_words_));
  });
  error_ += 2 * (1 + 1e-12) * std::sqrt(moved);
  parallel_for(run, static_cast<std::size_t>(order.blocks()), 32,
               [&](std::size_t begin, std::size_t end, int) {
                 for (std::size_t b = begin; b < end; ++b)
                   write_block(static_cast<std::int32_t>(b));
               });
  const float* norms = half_norm_.data();
  longest_ = std::sqrt(2.0 * *std::max_element(norms, norms + order.samples()));
}

double ProjectedSamples::write_row(const float* from, int axes, Word* to) const {
  std::fill_n(to, row_words_, Word{0});
  if (!is_rounded()) {
    for (int a = 0; a < axes; ++a) to[a] = std::bit_cast<Word>(from[a]);
    return 0;
  }
  double moved = 0;
  for (int a = 0; a < axes; ++a) {
    // To the nearest, by cutting off what is positive: a call to round takes ten times as long.
    const auto integer = static_cast<std::int32_t>(from[a] / step_ + 16384.5) - 16384;
    const double error = from[a] - integer * step_;
    moved += error * error;
    to[a / 2] |= static_cast<Word>(integer & 0xFFFF) << (a % 2 * 16);
  }
  return moved;
}

double ProjectedSamples::squared_norm(std::int32_t position) const {
  double sum = 0;
  for (int w = 0; w < screen_words_; ++w) {
    const Word word = row(position)[w];
    if (is_rounded()) {
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
  const std::int32_t begin = order_.block_begin(block), end = order_.block_end(block);
  Word* words = blocks_.data() + static_cast<std::size_t>(block) * point_words(kBlock);
  std::fill_n(words, point_words(kBlock), Word{0});
  std::fill_n(half_norm_.data() + begin, kBlock, std::numeric_limits<float>::quiet_NaN());
  for (std::int32_t i = begin; i < end; ++i) {
    for (int w = 0; w < screen_words_; ++w) words[w * kBlock + i - begin] = row(i)[w];
    half_norm_[static_cast<std::size_t>(i)] = static_cast<float>(0.5 * squared_norm(i));
  }
}

float ProjectedSamples::threshold_of(std::int32_t position, double reach) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (reach < 0) return infinity;
  if (reach == std::numeric_limits<double>::infinity()) return -infinity;
  // |q - t|^2 <= reach, solved for the product of q and t, less what rounding may add to it: a
  // chain of sums, both half norms, a conversion and a difference.
  const double half_norm = half_norm_[static_cast<std::size_t>(position)];
  const double rounding =
      (tuning::kScreenAxes + 8) * kFloatUnit * longest_ * (std::sqrt(2 * half_norm) + longest_);
  const double threshold = half_norm - 0.5 * reach / squared_step() - rounding;
  return rounded_down(threshold);
}

}  // namespace quickshiftpp
