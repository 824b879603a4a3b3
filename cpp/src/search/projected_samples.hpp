#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/kernels.hpp"
#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/cascade.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// The samples along the axes of a projection, stored for comparisons of many pairs at once.
///
/// Where the samples lie within a ball that is not much larger than the distances between
/// neighbors, coordinates are rounded to 16-bit integers: the processor multiplies twice as many of
/// them, and half as many bytes come from memory. Otherwise they stay float32.
///
/// A query looks for samples within a search radius. It is squared, along the axes, in the units of
/// Projection::coordinates, and allows for all errors of the projection; it is negative where the
/// query needs no more samples.
class ProjectedSamples {
 public:
  using Word = ScreenKernels::Word;
  /// The most pairs that are refined together: those of two blocks.
  static constexpr int kMostPairs = tuning::kBlock * tuning::kBlock;

  /// In the order of the tree's positions; the tree must outlive the object. Distances are those of
  /// samples with so many columns.
  ProjectedSamples(const Projection& projection, std::size_t columns, const Index<float>& tree,
                   const Run& run);
  ProjectedSamples(const ProjectedSamples&) = delete;

  bool has_integers() const { return step_ > 0; }

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
  /// Writes a sample as query q of a group of tuning::kQueryGroup.
  void copy_query(std::int32_t position, int q, Word* queries) const {
    const Word* from = row(position);
    for (int w = 0; w < screen_words_; ++w) queries[w * tuning::kQueryGroup + q] = from[w];
  }
  /// Which samples of a block may lie within the search radii of a group of queries, along the
  /// first axes: see ScreenKernels.
  void screen(std::int32_t block, const Word* queries, const float* threshold,
              std::uint32_t* mask) const {
    kernel_.screen(block_words(block), screen_words_, queries,
                   half_norm_.data() + tree_.block_begin(block), threshold, mask);
  }
  /// The same for the search radii of both sides; the queries are the samples from `own` on.
  void screen_both(std::int32_t block, const Word* queries, const float* threshold,
                   std::int32_t own, const float* other_threshold, std::uint32_t* mask,
                   std::uint32_t* other_mask) const {
    kernel_.screen_both(block_words(block), screen_words_, queries,
                        half_norm_.data() + tree_.block_begin(block), threshold,
                        half_norm_.data() + own, other_threshold, mask, other_mask);
  }

  /// Compares pairs along all axes, and keeps those, in order, that may be within
  /// squared_radius(pair). Writes lower bounds of their squared distances; returns their number.
  template <class SquaredRadius>
  int refine(SamplePair* pairs, int count, double* lower_bound,
             SquaredRadius&& squared_radius) const;

 private:
  /// From squared stored numbers to squared coordinates.
  double squared_step() const { return has_integers() ? step_ * step_ : 1; }
  /// The words that so many coordinates take.
  int words(int axes) const { return has_integers() ? (axes + 1) / 2 : axes; }
  const Word* row(std::int32_t position) const {
    return rows_.data() + static_cast<std::size_t>(position) * static_cast<std::size_t>(row_words_);
  }
  const Word* block_words(std::int32_t block) const {
    return blocks_.data() + static_cast<std::size_t>(block) * query_words(tuning::kBlock);
  }
  /// Writes one sample's coordinates; returns by how much rounding moved it, squared.
  double write_row(const float* from, int axes, Word* to) const;
  /// Writes the first axes of a block's samples, from their rows, and their norms.
  void write_block(std::int32_t block);
  /// Along the first axes, of the stored numbers.
  double squared_norm(std::int32_t position) const;

  const Index<float>& tree_;
  double scale_;               // of Projection, times the error of a computed distance
  double error_;               // of Projection, and what rounding to integers adds
  double step_;                // a coordinate is an integer times this; 0 for float32
  double squared_step_bound_;  // squared_step(), less the error of a sum of squares
  int screen_words_, row_words_;
  Buffer<Word> rows_;        // all axes of a sample, by position
  Buffer<Word> blocks_;      // the first axes of a block's samples, word by word
  Buffer<float> half_norm_;  // along the first axes, by position; NaN beyond the last sample
  double longest_ = 0;       // the greatest norm
  const ScreenKernels& kernel_;
};

template <class SquaredRadius>
int ProjectedSamples::refine(SamplePair* pairs, int count, double* lower_bound,
                             SquaredRadius&& squared_radius) const {
  float squared[kMostPairs];
  kernel_.pair_distances(rows_.data(), row_words_, pairs, count, squared);
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    pairs[kept] = pairs[i];
    lower_bound[kept] = squared_step_bound_ * squared[i];
    kept += lower_bound[kept] <= squared_radius(pairs[i]);
  }
  return kept;
}

}  // namespace quickshiftpp
