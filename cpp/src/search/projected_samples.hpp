#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/kernels.hpp"
#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// The samples along a few nearly orthogonal axes: what makes most of them differ, in few numbers.
struct Projection {
  const float* coordinates;  ///< samples by axes, row-major
  int axes;
  double scale;  ///< a length times this is at least the length along the axes, but for `error`
  /// The most that the length of a difference between two samples may be overestimated by, in the
  /// units of `coordinates`, by rounding on the way there.
  double error;
  /// How much more of that is worth coordinates of half the size.
  double tolerance;
};

/// The samples along projection axes, written down for comparisons of many pairs at once.
///
/// Where the samples lie within a ball that is not much larger than the distances between
/// neighbours, coordinates are rounded to integers of 16 bits: the processor multiplies twice as
/// many of them, and half as many bytes come from memory. Otherwise they stay float32.
/// A "reach" is a squared length in the units of Projection::coordinates.
class ProjectedSamples {
 public:
  using Word = ScreenKernels::Word;
  /// The most pairs that are looked at again together: those of two blocks.
  static constexpr int kMostPairs = tuning::kBlock * tuning::kBlock;

  /// By the positions of `order`, which must outlive the object.
  ProjectedSamples(const Projection& projection, const Index<float>& order, const Run& run);
  ProjectedSamples(const ProjectedSamples&) = delete;

  /// Whether coordinates are integers.
  bool is_rounded() const { return step_ > 0; }

  /// How far samples within a squared distance, in the units of the rows, may be apart along the
  /// axes: squared, and negative where that is.
  double reach_of(double squared) const {
    if (squared < 0) return -1;
    const double length = std::sqrt(squared) * scale_ * (1 + 1e-12) + error_;
    return length * length;
  }
  /// The least product with a sample, less half of that one's squared norm, that the sample at
  /// `position` must look at: both as ScreenKernels compute them.
  float threshold_of(std::int32_t position, double reach) const;

  /// Words that `points` of so many queries take in a comparison.
  std::size_t point_words(int queries) const {
    return static_cast<std::size_t>(screen_words_) * static_cast<std::size_t>(queries);
  }
  /// Writes a sample as query q of a group of tuning::kQueryGroup.
  void copy_point(std::int32_t position, int q, Word* points) const {
    const Word* from = row(position);
    for (int w = 0; w < screen_words_; ++w) points[w * tuning::kQueryGroup + q] = from[w];
  }
  /// As of ScreenKernels, for a group of queries and a block of samples.
  void screen(std::int32_t block, const Word* points, const float* threshold,
              std::uint32_t* mask) const {
    kernel_.screen(block_words(block), screen_words_, points,
                   half_norm_.data() + order_.block_begin(block), threshold, mask);
  }
  /// The same for both sides; the queries are the samples from `own` on.
  void screen_both(std::int32_t block, const Word* points, const float* threshold, std::int32_t own,
                   const float* other_threshold, std::uint32_t* mask,
                   std::uint32_t* other_mask) const {
    kernel_.screen_both(block_words(block), screen_words_, points,
                        half_norm_.data() + order_.block_begin(block), threshold,
                        half_norm_.data() + own, other_threshold, mask, other_mask);
  }

  /// Looks at pairs along all axes, and leaves those, in order, whose squared distance there is at
  /// most reach(pair): `apart` is at most that. Returns how many.
  template <class Reach>
  int refine(SamplePair* pairs, int count, double* apart, Reach&& reach) const;

 private:
  /// From squared lengths as written down to those in the units of the axes.
  double squared_step() const { return is_rounded() ? step_ * step_ : 1; }
  /// What so many coordinates take.
  int words(int axes) const { return is_rounded() ? (axes + 1) / 2 : axes; }
  const Word* row(std::int32_t position) const {
    return rows_.data() + static_cast<std::size_t>(position) * static_cast<std::size_t>(row_words_);
  }
  const Word* block_words(std::int32_t block) const {
    return blocks_.data() + static_cast<std::size_t>(block) * point_words(tuning::kBlock);
  }
  /// Writes one sample's coordinates; returns how far rounding moved it, squared.
  double write_row(const float* from, int axes, Word* to) const;
  /// Writes the first axes of a block's samples, whose rows are there, and their norms.
  void write_block(std::int32_t block);
  /// Along the first axes, as written down.
  double squared_norm(std::int32_t position) const;

  const Index<float>& order_;
  double scale_;
  double error_;         // as of Projection, and what rounding to integers adds
  double step_;          // what is written down, times this, is in the units of the axes; or 0
  double squared_unit_;  // the same for squared distances, less what rounding may add to them
  int screen_words_, row_words_, first_look_;
  Buffer<Word> rows_;        // all axes of a sample, by position
  Buffer<Word> blocks_;      // the first axes of a block's samples, word by word
  Buffer<float> half_norm_;  // along the first axes, by position; NaN beyond the last sample
  double longest_ = 0;       // along the first axes
  const ScreenKernels& kernel_;
};

template <class Reach>
int ProjectedSamples::refine(SamplePair* pairs, int count, double* apart, Reach&& reach) const {
  float squared[kMostPairs];
  std::fill_n(apart, count, 0.0);
  // A part of the axes tells most that are out of reach.
  for (int begin = 0, end = first_look_; begin < row_words_ && count > 0;
       begin = end, end = row_words_) {
    kernel_.apart(rows_.data() + begin, static_cast<std::size_t>(row_words_), end - begin, pairs,
                  count, squared);
    int left = 0;
    for (int i = 0; i < count; ++i) {
      const double sum = apart[i] + squared_unit_ * squared[i];
      pairs[left] = pairs[i];
      apart[left] = sum;
      left += sum <= reach(pairs[i]);
    }
    count = left;
  }
  return count;
}

}  // namespace quickshiftpp
