#pragma once

#include <cmath>
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
  double below;         ///< the radii (squared) of all of them are above it, by next to nothing
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
    for (std::int32_t i = begin; i < index.block_end(block); ++i) {
      std::size_t s = start;
      while (s < out.size() && out[s].basin != basin[i]) ++s;
      if (s == out.size()) out.push_back({basin[i], 0, std::numeric_limits<double>::infinity()});
      out[s].lanes |= std::uint32_t{1} << (i - begin);
      out[s].below = std::min(out[s].below, radius[i]);
    }
    for (std::size_t s = start; s < out.size(); ++s)
      out[s].below = std::nextafter(out[s].below, -std::numeric_limits<double>::infinity());
  }

  Buffer<std::size_t> first_;  // of each block's shares
  Buffer<BasinShare> shares_;
};

/// For one block of queries, which of them need no further look at which basins.
class SettledLanes {
 public:
  SettledLanes() : slots_(64) {}

  void clear() {
    for (const std::uint32_t slot : used_) slots_[slot].basin = kNone;
    used_.clear();
  }

  /// The lanes settled for a basin; `first_seen()` gives them when it is asked for first.
  template <class FirstSeen>
  std::uint32_t& operator()(std::int32_t basin, FirstSeen&& first_seen) {
    std::uint32_t slot = find(basin);
    if (slots_[slot].basin == kNone) {
      const std::uint32_t lanes = first_seen();
      if (2 * used_.size() >= slots_.size()) {
        grow();
        slot = find(basin);
      }
      slots_[slot] = {basin, lanes};
      used_.push_back(slot);
    }
    return slots_[slot].lanes;
  }

 private:
  static constexpr std::int32_t kNone = -1;
  struct Slot {
    std::int32_t basin = kNone;
    std::uint32_t lanes = 0;
  };

  std::uint32_t find(std::int32_t basin) const {
    const auto mask = static_cast<std::uint32_t>(slots_.size() - 1);
    std::uint32_t slot = (static_cast<std::uint32_t>(basin) * 0x9E3779B1u >> 16) & mask;
    while (slots_[slot].basin != kNone && slots_[slot].basin != basin) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    used_.clear();
    for (const Slot& entry : before) {
      if (entry.basin == kNone) continue;
      used_.push_back(find(entry.basin));
      slots_[used_.back()] = entry;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::vector<std::uint32_t> used_;
};

}  // namespace quickshiftpp
