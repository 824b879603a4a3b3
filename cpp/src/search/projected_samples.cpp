#include "search/projected_samples.hpp"

#include <bit>
#include <limits>
#include <vector>

#include "support/error_bounds.hpp"
#include "support/rounding.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;

/// Integers with a step, or float32.
StoredCoordinates stored_in_rows(const Axes& axes, bool in_integers) {
  const double step = rounded_up(axes.longest / error_bounds::kLongestInteger);
  if (in_integers && step > 0 && error_bounds::fits_integers(axes.count))
    return {WordFormat::kInteger16, step};
  return {};
}

bool can_be_bytes(const CascadePlan& plan) {
  return screen_kernels(WordFormat::kInteger8) != nullptr && plan.axes.largest > 0 &&
         error_bounds::fits_bytes(plan.screen_axes);
}

int padded(int words) {
  return (words + ScreenKernels::kRowWords - 1) / ScreenKernels::kRowWords *
         ScreenKernels::kRowWords;
}

/// By how much two samples move at most, where none moves by more than the root of `squared`.
double pair_error(double squared, int axes) {
  return 2 * std::sqrt(squared) * error_bounds::any_order_factor(static_cast<std::size_t>(axes)) *
         error_bounds::kFewRoundings;
}

}  // namespace

ProjectedSamples::ProjectedSamples(const CascadePlan& plan, std::size_t columns,
                                   const Index<float>& tree, const Run& run)
    : tree_(tree),
      refined_(stored_in_rows(plan.axes, plan.in_integers)),
      screened_(plan.in_bytes && can_be_bytes(plan)
                    ? StoredCoordinates{WordFormat::kInteger8,
                                        rounded_up(plan.axes.largest / error_bounds::kLargestByte)}
                    : refined_),
      scale_(plan.axes.scale * error_bounds::true_distance_factor(columns) *
             error_bounds::kFewRoundings),
      axes_(plan.axes.count),
      screen_axes_(plan.screen_axes),
      screen_words_(screened_.words(screen_axes_)),
      row_words_(padded(refined_.words(axes_))),
      rows_(refines() ? tree.samples() * static_cast<std::size_t>(row_words_) : 0),
      blocks_(static_cast<std::size_t>(tree.blocks()) * kBlock *
              static_cast<std::size_t>(start_words() + screen_words_)),
      half_norm_(tree.padded_samples()),
      screen_kernel_(*screen_kernels(screened_.format)),
      row_kernel_(*screen_kernels(refined_.format)) {
  square_sum_factor_ = error_bounds::square_sum_factor(
      refined_.has_integers() ? error_bounds::kIntegerSumRoundings
                              : error_bounds::square_sum_roundings(row_words_));
  std::vector<Moved> moved(static_cast<std::size_t>(run.threads));
  const std::size_t grain = tuning::row_grain(static_cast<std::size_t>(axes_) * kBlock);
  parallel_for(run, static_cast<std::size_t>(tree.blocks()), grain,
               [&](std::size_t begin, std::size_t end, int thread) {
                 Scratch scratch(StoredCoordinates::padded(axes_), refined_.per_word());
                 for (std::size_t b = begin; b < end; ++b)
                   moved[static_cast<std::size_t>(thread)].include(
                       write_block(plan.axes, static_cast<std::int32_t>(b), scratch));
               });
  Moved most;
  for (const Moved& part : moved) most.include(part);
  error_ = (plan.axes.error + pair_error(most.in_rows, axes_)) *
           error_bounds::any_order_factor(static_cast<std::size_t>(axes_)) *
           error_bounds::kFewRoundings;
  screen_error_ = is_in_bytes() ? pair_error(most.in_block, screen_axes_) : 0;
  if (plan.axes.least_scale > 0)
    upper_scale_ = error_bounds::true_distance_factor(columns) * error_bounds::kFewRoundings /
                   plan.axes.least_scale;
  const float* norms = half_norm_.data();
  longest_ = std::sqrt(2.0 * *std::max_element(norms, norms + tree.samples()));
}

ProjectedSamples::Moved ProjectedSamples::write_block(const Axes& axes, std::int32_t block,
                                                      Scratch& scratch) {
  const std::int32_t begin = tree_.block_begin(block), end = tree_.block_end(block);
  Word* start = blocks_.data() + (block_words(block) - blocks_.data());
  std::fill_n(start, start_words() * kBlock, Word{0});
  std::fill_n(half_norm_.data() + begin, kBlock, std::numeric_limits<float>::quiet_NaN());
  float* coordinates = scratch.coordinates.data();
  const auto store = [&](const ScreenKernels& kernel, const StoredCoordinates& format, int count,
                         Word* to) {
    return kernel.store(coordinates, StoredCoordinates::padded(count), format.step, to);
  };
  Moved moved;
  const Word* rows[kBlock];
  for (int lane = 0; lane < kBlock; ++lane) {
    Word* words = scratch.words.data() + static_cast<std::size_t>(lane) * scratch.row_words;
    rows[lane] = words;
    const std::int32_t position = begin + lane;
    if (position >= end) {
      std::fill_n(words, screen_words_, Word{0});
      continue;
    }
    axes.copy_row(static_cast<std::size_t>(tree_.row_at(position)), coordinates);
    StoredSample stored = store(row_kernel_, refined_, axes_, words);
    moved.in_rows = std::max(moved.in_rows, stored.squared_move);
    if (refines()) {
      std::copy_n(
          words, row_words_,
          rows_.data() + static_cast<std::size_t>(position) * static_cast<std::size_t>(row_words_));
      std::fill_n(coordinates + screen_axes_, axes_ - screen_axes_, 0.0f);
      stored = store(screen_kernel_, screened_, screen_axes_, words);
    }
    moved.in_block = std::max(moved.in_block, stored.squared_move);
    half_norm_[static_cast<std::size_t>(position)] =
        static_cast<float>(0.5 * stored.squared_length);
    if (is_in_bytes()) start[lane] = static_cast<Word>(-128 * stored.sum);
  }
  screen_kernel_.fill_block(rows, static_cast<std::size_t>(screen_words_),
                            start + start_words() * kBlock);
  return moved;
}

double ProjectedSamples::settled_squared_radius(std::int32_t position, Key key) const {
  // At least the squared distance that is stored: by as much as the lower bound is below it.
  double squared = lower_bound(position, key);
  if (refines()) {
    squared /= square_sum_factor_ * square_sum_factor_;
  } else {
    const double half_norm = half_norm_[static_cast<std::size_t>(position)];
    squared += 4 * screen_error(half_norm) * screened_.step * screened_.step;
  }
  const double along = std::sqrt(std::max(squared, 0.0)) + error_bounds::kLostSquares;
  const double distance = (along + error_) * upper_scale_;
  return squared_search_radius(distance * distance);
}

float ProjectedSamples::screen_threshold(std::int32_t position, double squared_radius) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (squared_radius < 0) return infinity;
  if (squared_radius == std::numeric_limits<double>::infinity()) return -infinity;
  const double radius =
      (std::sqrt(squared_radius) + screen_error_) / screened_.step * error_bounds::kFewRoundings;
  // |q - t|^2 <= radius^2, solved for the product of q and t less half of |t|^2.
  const double half_norm = half_norm_[static_cast<std::size_t>(position)];
  return rounded_down(half_norm - 0.5 * radius * radius - screen_error(half_norm));
}

double ProjectedSamples::screen_error(double half_norm) const {
  return error_bounds::screen_error(screened_.has_integers() ? 1 : screen_words_,
                                    std::sqrt(2 * half_norm), longest_);
}

}  // namespace quickshiftpp
