#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// The samples of one basin in one block.
struct BlockBasin {
  std::int32_t basin;
  std::uint32_t lanes;          ///< one bit for each of them
  double least_squared_radius;  ///< the least among them
};

/// For every block the basins that its samples belong to. A basin holds thousands of samples and a
/// block a few dozen, so these are few: most comparisons of two blocks are settled by them alone.
class BlockBasins {
 public:
  /// `basin` and `squared_radius` by position.
  template <class T>
  BlockBasins(const Index<T>& index, const std::int32_t* basin, const double* squared_radius,
              const Run& run)
      : of_block_(static_cast<std::size_t>(index.blocks())),
        pieces_((of_block_.size() + kPiece - 1) / kPiece) {
    parallel_for(run, pieces_.size(), 1, [&](std::size_t p, std::size_t, int) {
      const std::size_t first = p * kPiece, last = std::min(of_block_.size(), first + kPiece);
      std::vector<std::size_t> end;
      for (std::size_t b = first; b < last; ++b) {
        const std::size_t begin = pieces_[p].size();
        for (std::int32_t i = index.block_begin(static_cast<std::int32_t>(b));
             i < index.block_end(static_cast<std::int32_t>(b)); ++i)
          add(pieces_[p], begin, basin[i], i % tuning::kBlock, squared_radius[i]);
        end.push_back(pieces_[p].size());
      }
      for (std::size_t b = first, begin = 0; b < last; begin = end[b - first], ++b)
        of_block_[b] = std::span(pieces_[p]).subspan(begin, end[b - first] - begin);
    });
  }

  BlockBasins(const BlockBasins&) = delete;  // of_block_ refers to pieces_

  std::span<const BlockBasin> of_block(std::int32_t block) const {
    return of_block_[static_cast<std::size_t>(block)];
  }

 private:
  static constexpr std::size_t kPiece = tuning::kGrain / tuning::kBlock;

  /// Adds a sample to its basin among those from `begin` on.
  static void add(std::vector<BlockBasin>& basins, std::size_t begin, std::int32_t basin, int lane,
                  double squared_radius) {
    const std::uint32_t bit = std::uint32_t{1} << lane;
    for (std::size_t b = begin; b < basins.size(); ++b)
      if (basins[b].basin == basin) {
        basins[b].lanes |= bit;
        basins[b].least_squared_radius = std::min(basins[b].least_squared_radius, squared_radius);
        return;
      }
    basins.push_back({basin, bit, squared_radius});
  }

  std::vector<std::span<const BlockBasin>> of_block_;
  std::vector<std::vector<BlockBasin>> pieces_;  // what of_block_ refers to
};

}  // namespace quickshiftpp
