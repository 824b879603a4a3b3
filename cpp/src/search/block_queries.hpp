// The samples of a block as queries of the cascade.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "quickshiftpp/buffer.hpp"
#include "search/cascade_data.hpp"

namespace quickshiftpp {

/// What the screen says about the pairs of two blocks: for each sample of the one its products with
/// the other's, and masks of those near enough for the one's list and for the other's.
struct ScreenedPairs {
  alignas(64) float product[tuning::kBlock * tuning::kBlock];
  std::uint32_t here[tuning::kBlock], there[tuning::kBlock];
};

/// One block of samples, to be compared with others for the lists of both sides.
template <class T>
class BlockQueries {
 public:
  explicit BlockQueries(const CascadeData<T>& data)
      : data_(data), words_(data.projected.query_words(kBlock)) {}

  void load(std::int32_t block) {
    block_ = block;
    std::fill_n(words_.data(), words_.size(), ProjectedSamples::Word{0});
    for (int first = 0; first < lanes(); first += kQueryGroup)
      data_.projected.copy_queries(begin() + first, std::min(kQueryGroup, lanes() - first), 0,
                                   words_.data() + group_begin(first));
  }
  std::int32_t block() const { return block_; }
  /// The position of its first sample, and their number.
  std::int32_t begin() const { return data_.tree.block_begin(block_); }
  int lanes() const { return data_.tree.block_end(block_) - begin(); }

  /// Compares all samples with those of another block, by the thresholds of both.
  void screen(std::int32_t other, const float* threshold, const float* other_threshold,
              ScreenedPairs& pairs) const {
    for (int first = 0; first < lanes(); first += kQueryGroup)
      data_.projected.screen_both(other, words_.data() + group_begin(first), threshold + first,
                                  begin() + first, other_threshold, pairs.here + first,
                                  pairs.there + first, pairs.product + first * kBlock);
  }

  /// Writes the products of all samples with those of another block, sample by sample.
  void multiply(std::int32_t other, float* product) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    float threshold[kQueryGroup];
    std::fill_n(threshold, kQueryGroup, infinity);
    std::uint32_t mask[kQueryGroup];
    for (int first = 0; first < kBlock; first += kQueryGroup)
      data_.projected.screen(other, words_.data() + group_begin(first), threshold, mask,
                             product + first * kBlock);
  }

 private:
  static constexpr int kQueryGroup = tuning::kQueryGroup, kBlock = tuning::kBlock;

  /// Where the words of a group begin, that of the sample number `first`.
  std::size_t group_begin(int first) const { return data_.projected.query_words(first); }

  const CascadeData<T>& data_;
  Buffer<ProjectedSamples::Word> words_;  // in groups of kQueryGroup
  std::int32_t block_ = 0;
};

}  // namespace quickshiftpp
