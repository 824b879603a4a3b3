#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// For every block the basins that its samples belong to: with thousands of samples in a basin and
/// a few dozen in a block these are few, and most of what two blocks could have to do with each
/// other is settled by them alone.
class BlockBasins {
 public:
  /// `basin` and `radius` (squared) by position, with room for whole blocks.
  template <class T>
  BlockBasins(const Index<T>& index, const std::int32_t* basin, const double* radius,
              const Run& run)
      : of_block_(static_cast<std::size_t>(index.blocks())),
        pieces_((of_block_.size() + kPiece - 1) / kPiece) {
    const Kernels<T>& kernel = kernels<T>();
    parallel_for(run, pieces_.size(), 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t p = begin; p < end; ++p) {
        const std::size_t first = p * kPiece, last = std::min(of_block_.size(), first + kPiece);
        std::vector<BlockBasin>& shares = pieces_[p];
        std::size_t before[kPiece + 1] = {0};
        for (std::size_t b = first; b < last; ++b) {
          const std::int32_t i = index.block_begin(static_cast<std::int32_t>(b));
          const std::int32_t samples = index.block_end(static_cast<std::int32_t>(b)) - i;
          shares.resize(before[b - first] + tuning::kBlock);  // the most that there can be
          const int found =
              kernel.shares(basin + i, radius + i, samples, shares.data() + before[b - first]);
          before[b - first + 1] = before[b - first] + static_cast<std::size_t>(found);
        }
        for (std::size_t b = first; b < last; ++b)
          of_block_[b] = {shares.data() + before[b - first], shares.data() + before[b - first + 1]};
      }
    });
  }

  BlockBasins(const BlockBasins&) = delete;  // a copy would refer to the original
  BlockBasins(BlockBasins&&) = default;

  std::span<const BlockBasin> of_block(std::int32_t block) const {
    return of_block_[static_cast<std::size_t>(block)];
  }

 private:
  static constexpr std::size_t kPiece = tuning::kGrain / tuning::kBlock;

  std::vector<std::span<const BlockBasin>> of_block_;
  std::vector<std::vector<BlockBasin>> pieces_;  // what these refer to
};

}  // namespace quickshiftpp
