#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/index.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// The samples of one basin in one block.
struct BasinShare {
  std::int32_t basin;
  std::uint32_t lanes;  ///< a bit for each of them
  double least;         ///< of their radii, squared
};

/// For every block the basins that its samples belong to: with thousands of samples in a basin and
/// a few dozen in a block these are few, and most of what two blocks could have to do with each
/// other is settled by them alone.
class BasinShares {
 public:
  /// `basin` and `radius` (squared) by position.
  template <class T>
  BasinShares(const Index<T>& index, const std::int32_t* basin, const double* radius,
              const Run& run)
      : first_(static_cast<std::size_t>(index.blocks()) + 1) {
    const auto blocks = static_cast<std::size_t>(index.blocks());
    const std::size_t pieces = (blocks + kPiece - 1) / kPiece;
    std::vector<std::vector<BasinShare>> part(pieces);
    parallel_for(run, pieces, 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t p = begin; p < end; ++p)
        for (std::size_t b = p * kPiece; b < std::min(blocks, (p + 1) * kPiece); ++b) {
          const std::size_t before = part[p].size();
          append(index, static_cast<std::int32_t>(b), basin, radius, part[p]);
          first_[b + 1] = part[p].size() - before;
        }
    });
    first_[0] = 0;
    for (std::size_t b = 0; b < blocks; ++b) first_[b + 1] += first_[b];
    shares_ = Buffer<BasinShare>(first_[blocks]);
    parallel_for(run, pieces, 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t p = begin; p < end; ++p)
        std::copy(part[p].begin(), part[p].end(), shares_.data() + first_[p * kPiece]);
    });
  }

  const BasinShare* begin(std::int32_t block) const { return shares_.data() + first_[block]; }
  const BasinShare* end(std::int32_t block) const { return shares_.data() + first_[block + 1]; }

 private:
  static constexpr std::size_t kPiece = tuning::kGrain / tuning::kBlock;

  template <class T>
  static void append(const Index<T>& index, std::int32_t block, const std::int32_t* basin,
                     const double* radius, std::vector<BasinShare>& out) {
    const std::size_t start = out.size();
    const std::int32_t begin = index.block_begin(block);
    std::size_t s = start;
    for (std::int32_t i = begin; i < index.block_end(block); ++i) {
      // Mostly that of the sample before.
      if (s == out.size() || out[s].basin != basin[i]) {
        s = start;
        while (s < out.size() && out[s].basin != basin[i]) ++s;
        if (s == out.size()) out.push_back({basin[i], 0, std::numeric_limits<double>::infinity()});
      }
      out[s].lanes |= std::uint32_t{1} << (i - begin);
      out[s].least = std::min(out[s].least, radius[i]);
    }
  }

  Buffer<std::size_t> first_;  // of each block's shares
  Buffer<BasinShare> shares_;
};

}  // namespace quickshiftpp
