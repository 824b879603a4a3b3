#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/index.hpp"
#include "tree/block_basins.hpp"
#include "tree/near_blocks.hpp"

namespace quickshiftpp {

/// Finds edges between basins by looking into space, blocks of samples against those after them;
/// one thread's work.
///
/// A sample i looks for neighbours j that are denser: r_j <= r_i, at a distance of at most r_j.
/// Most distances need not be computed: where two blocks meet, samples that do not reach the
/// other's box drop out, then shares of basins are compared, and an edge that cannot be higher than
/// one known between two basins is not looked for.
template <class T>
class BasinEdgeSearch {
 public:
  /// `radius` (squared) by position, its extremes by node. All must outlive the object.
  BasinEdgeSearch(const Index<T>& index, const double* radius,
                  const std::vector<ValueRange>& extremes, const BlockBasins& shares)
      : index_(index),
        radius_(radius),
        extremes_(extremes),
        shares_(shares),
        kernel_(kernels<T>()),
        point_(static_cast<std::size_t>(index.columns())) {}

  /// Calls touch(i, j) for samples i and denser neighbours j in other basins, one of them in the
  /// blocks [begin, end) and the other there or later. touch.known_radius(a, b) is the squared
  /// radius of the highest edge known between two basins. `near` where the pairs of blocks are
  /// known.
  template <class Touch>
  void run(std::int32_t begin, std::int32_t end, const NearBlocks* near, Touch&& touch) {
    auto visit = [&](std::size_t a, std::size_t b) { meet(a, b, touch); };
    if (near != nullptr)
      near->visit(extremes_, begin, end, visit);
    else
      visit_near_blocks(index_, extremes_, begin, end, visit);
  }

 private:
  /// One of two blocks that meet.
  struct Side {
    std::int32_t block;
    std::uint32_t near;                          ///< the samples that reach the other block's box
    std::uint32_t asked = 0;                     ///< those for which `reached` is known
    std::uint32_t reached[tuning::kBlock] = {};  ///< the denser neighbours in the other block
  };

  /// What two leaves have to do with each other.
  template <class Touch>
  void meet(std::size_t a, std::size_t b, Touch&& touch) {
    Side& one = side_[0];
    Side& other = side_[1];
    place(one, a, b);
    place(other, b, a);
    if (one.near == 0 || other.near == 0) return;
    for (const BlockBasin& s : shares_.of_block(one.block)) {
      if ((s.lanes & one.near) == 0) continue;
      for (const BlockBasin& t : shares_.of_block(other.block)) {
        if (s.basin == t.basin || (t.lanes & other.near) == 0) continue;
        const double known = touch.known_radius(s.basin, t.basin);
        if (known < std::max(s.least, t.least)) continue;
        climb(one, s, other, t, known, touch);
        if (a != b) climb(other, t, one, s, known, touch);
      }
    }
  }

  void place(Side& side, std::size_t leaf, std::size_t opposite) const {
    side.block = index_.node(leaf).first;
    side.asked = 0;
    side.near = kernel_.near_box(index_.block(side.block), index_.columns(), index_.box(opposite),
                                 radius_ + index_.block_begin(side.block));
  }

  /// From the samples of one share to denser ones of another.
  template <class Touch>
  void climb(Side& from, const BlockBasin& low, const Side& to, const BlockBasin& high,
             double known, Touch&& touch) {
    const double* own = radius_ + index_.block_begin(from.block);
    const std::int32_t first = index_.block_begin(to.block);
    std::uint32_t lanes = low.lanes & from.near & kernel_.between(own, high.least, known);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      std::uint32_t found = high.lanes & reached(from, lane, to);
      const std::int32_t i = index_.block_begin(from.block) + lane;
      while (found != 0 && !touch(i, first + std::countr_zero(found))) found &= found - 1;
      if (found == 0) continue;
      // Samples that are less dense have nothing to add.
      const double higher = touch.known_radius(low.basin, high.basin);
      lanes &= kernel_.between(own, high.least, higher) | (lanes & -lanes);
    }
  }

  /// The neighbours of one sample in the other block that are as dense or denser: the same for all
  /// shares, so that they are looked for once.
  std::uint32_t reached(Side& from, int lane, const Side& to) {
    if ((from.asked >> lane & 1) == 0) {
      const std::int32_t i = index_.block_begin(from.block) + lane;
      index_.gather(i, point_.data());
      from.reached[lane] = kernel_.reaching(index_.block(to.block), index_.columns(), point_.data(),
                                            radius_[i], radius_ + index_.block_begin(to.block));
      from.asked |= std::uint32_t{1} << lane;
    }
    return from.reached[lane];
  }

  const Index<T>& index_;
  const double* radius_;
  const std::vector<ValueRange>& extremes_;
  const BlockBasins& shares_;
  const Kernels<T>& kernel_;
  std::vector<double> point_;
  Side side_[2];  // of the pair at hand
};

}  // namespace quickshiftpp
