#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/cascade.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/tuning.hpp"
#include "search/stored_coordinates.hpp"
#include "support/error_bounds.hpp"
#include "support/rounding.hpp"

namespace quickshiftpp {

/// The samples along the axes of a projection, stored for comparisons of many pairs at once.
///
/// The axes of the screen are stored in blocks. Where these are not all axes, or have fewer bits,
/// all axes are stored again, in rows. Where the samples lie within a ball that is not much larger
/// than the distances between neighbors, coordinates are rounded to integers of 16 bits, in the
/// screen even of 8: the processor multiplies two or four times as many of them, and fewer bytes
/// come from memory. Otherwise they stay float32.
///
/// A query looks for samples within a search radius. It is squared, along the axes, in their units,
/// and allows for all their errors; it is negative where the query needs no more samples.
class ProjectedSamples {
 public:
  using Word = ScreenKernels::Word;
  /// The most pairs that are refined together: those of two blocks.
  static constexpr int kMostPairs = tuning::kBlock * tuning::kBlock;

  /// In the order of the tree's positions; the tree must outlive the object. Distances are those of
  /// samples with so many columns.
  ProjectedSamples(const CascadePlan& plan, std::size_t columns, const Index<float>& tree,
                   const Run& run);
  ProjectedSamples(const ProjectedSamples&) = delete;

  WordFormat screen_format() const { return screened_.format; }
  bool has_integers() const { return refined_.has_integers(); }
  int screen_axes() const { return screen_axes_; }

  /// No sample within a computed distance lies beyond this radius.
  double squared_search_radius(double squared_distance) const {
    if (squared_distance < 0) return -1;
    const double radius = std::sqrt(squared_distance) * scale_ + error_;
    return radius * radius;
  }
  /// The threshold by which the sample at `position` finds all within its search radius.
  float screen_threshold(std::int32_t position, double squared_radius) const;

  /// The words that so many queries take.
  std::size_t query_words(int queries) const {
    return static_cast<std::size_t>(screen_words_) * static_cast<std::size_t>(queries);
  }
  /// Writes samples one after the other in a block as queries of a group of tuning::kQueryGroup,
  /// from number q on.
  void copy_queries(std::int32_t first, int count, int q, Word* queries) const {
    const Word* from = coordinate_words(first / tuning::kBlock) + first % tuning::kBlock;
    const Word offset = is_in_bytes() ? 0x80808080 : 0;  // adds 128 to each of four bytes
    for (int w = 0; w < screen_words_; ++w)
      for (int i = 0; i < count; ++i)
        queries[w * tuning::kQueryGroup + q + i] = from[w * tuning::kBlock + i] ^ offset;
  }
  /// Which samples of a block may lie within the search radii of a group of queries, along the
  /// axes of the screen: see ScreenKernels.
  void screen(std::int32_t block, const Word* queries, const float* threshold, std::uint32_t* mask,
              float* product) const {
    screen_kernel_.screen(block_words(block), screen_words_, queries, half_norms(block), threshold,
                          mask, product);
  }
  /// The same for the search radii of both sides; the queries are the samples from `own` on.
  void screen_both(std::int32_t block, const Word* queries, const float* threshold,
                   std::int32_t own, const float* other_threshold, std::uint32_t* mask,
                   std::uint32_t* other_mask, float* product) const {
    screen_kernel_.screen_both(block_words(block), screen_words_, queries, half_norms(block),
                               threshold, half_norm_.data() + own, other_threshold, mask,
                               other_mask, product);
  }
  /// Half of the squared lengths of a block's samples.
  const float* half_norms(std::int32_t block) const {
    return half_norm_.data() + tree_.block_begin(block);
  }
  /// What a product with the sample at `position` leaves of half of its squared length: the
  /// smaller, the nearer it is to the other sample.
  float remainder(std::int32_t position, float product) const {
    return half_norm_[static_cast<std::size_t>(position)] - product;
  }

  /// Compares pairs along all axes, and keeps those, in order, that may be within
  /// squared_radius(pair). Writes lower bounds of their squared distances; returns their number.
  template <class SquaredRadius>
  int refine(SamplePair* pairs, int count, double* lower_bound,
             SquaredRadius&& squared_radius) const;

  /// Whether refine discards more than the screen: not where that sees all axes in the same bits.
  bool refines() const { return is_in_bytes() || screen_axes_ < axes_; }

  /// One number that tells how far a sample may be from the one at `position`, the smaller the
  /// nearer: where refine discards more than the screen, their squared distance in the numbers that
  /// are stored, otherwise the remainder in the screen.
  using Key = float;
  /// Writes the squared distances of pairs, as keys.
  void compare(const SamplePair* pairs, int count, Key* squared) const {
    row_kernel_.pair_distances(rows_.data(), row_words_, pairs, count, squared);
  }
  /// At most the squared distance along the axes.
  double lower_bound(std::int32_t position, Key key) const {
    if (refines()) return refined_bound(key);
    const double half_norm = half_norm_[static_cast<std::size_t>(position)];
    return 2 * (half_norm + key - screen_error(half_norm)) * screened_.step * screened_.step;
  }
  /// Samples with larger keys are beyond a search radius.
  Key largest_key(std::int32_t position, double squared_radius) const {
    return refines() ? rounded_up(squared_radius / refined_bound(1) * error_bounds::kFewRoundings)
                     : -screen_threshold(position, squared_radius);
  }
  /// Whether the axes leave out so little that the distance has an upper bound, too.
  bool settles() const { return upper_scale_ > 0; }
  /// No sample as near as one with this key lies beyond this search radius.
  double settled_squared_radius(std::int32_t position, Key key) const;

 private:
  bool is_in_bytes() const { return screened_.format == WordFormat::kInteger8; }
  /// In bytes each sample has a word more: see ScreenKernels.
  int start_words() const { return is_in_bytes() ? 1 : 0; }
  const Word* block_words(std::int32_t block) const {
    return blocks_.data() + static_cast<std::size_t>(block) * tuning::kBlock *
                                static_cast<std::size_t>(start_words() + screen_words_);
  }
  const Word* coordinate_words(std::int32_t block) const {
    return block_words(block) + start_words() * tuning::kBlock;
  }
  /// At most the squared distance, where this is the sum of squares that was computed.
  double refined_bound(float squared) const {
    return refined_.step * refined_.step * square_sum_factor_ * squared;
  }
  /// What rounding may add to a remainder, in the numbers that are stored.
  double screen_error(double half_norm) const;
  /// By how much rounding moved a sample, squared, at most.
  struct Moved {
    double in_rows = 0, in_block = 0;
    void include(const Moved& other) {
      in_rows = std::max(in_rows, other.in_rows);
      in_block = std::max(in_block, other.in_block);
    }
  };
  /// The coordinates of one sample, padded (see StoredCoordinates), and the words of a block of
  /// samples, row by row.
  struct Scratch {
    std::vector<float> coordinates;
    std::size_t row_words;
    std::vector<Word> words;

    Scratch(int padded, int per_word)
        : coordinates(static_cast<std::size_t>(padded)),
          row_words(static_cast<std::size_t>(padded / per_word)),
          words(tuning::kBlock * row_words) {}
  };
  /// Writes the samples of a block, in rows as well, and their norms.
  Moved write_block(const Axes& axes, std::int32_t block, Scratch& scratch);

  const Index<float>& tree_;
  StoredCoordinates refined_, screened_;
  double scale_;              // of the axes, times the error of a computed distance
  double error_;              // of the axes, and what rounding adds in rows
  double screen_error_;       // what rounding adds in blocks, beyond that
  double upper_scale_ = 0;    // from distances along the axes to computed ones; 0 for no bound
  double square_sum_factor_;  // for the error of a sum of squares
  int axes_, screen_axes_, screen_words_, row_words_;
  Buffer<Word> rows_;        // all axes of a sample, by position, where there is more to refine
  Buffer<Word> blocks_;      // the axes of the screen, word by word
  Buffer<float> half_norm_;  // along these, by position; NaN beyond the last sample
  double longest_ = 0;       // the greatest norm
  const ScreenKernels& screen_kernel_;
  const ScreenKernels& row_kernel_;
};

template <class SquaredRadius>
int ProjectedSamples::refine(SamplePair* pairs, int count, double* lower_bound,
                             SquaredRadius&& squared_radius) const {
  float squared[kMostPairs];
  compare(pairs, count, squared);
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    pairs[kept] = pairs[i];
    lower_bound[kept] = refined_bound(squared[i]);
    kept += lower_bound[kept] <= squared_radius(pairs[i]);
  }
  return kept;
}

}  // namespace quickshiftpp
