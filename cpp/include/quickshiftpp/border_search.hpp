#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "quickshiftpp/basins.hpp"
#include "quickshiftpp/index.hpp"
#include "quickshiftpp/kernels.hpp"
#include "quickshiftpp/query_block.hpp"

namespace quickshiftpp {

/// Finds edges between basins by looking into space, for blocks of samples; one thread's work.
///
/// A sample i looks for neighbours j that are denser: r_j <= r_i, at a distance of at most r_j.
/// Most distances need not be computed: of two blocks that meet, their shares of basins are
/// compared first, and an edge that cannot be higher than one known between two basins is not
/// looked for.
template <class T>
class BorderSearch {
 public:
  /// `radius` (squared) by position, its extremes by node. All must outlive the object.
  BorderSearch(const Index<T>& index, const double* radius, const std::vector<Extremes>& extremes,
               const BasinShares& shares)
      : index_(index),
        radius_(radius),
        extremes_(extremes),
        shares_(shares),
        kernel_(kernels<T>()),
        queries_(index) {}

  /// Calls touch(i, j) for samples i of a block and their denser neighbours j in other basins.
  /// Where it returns true, the basin of j needs no further look from i. touch.known_radius(a, b)
  /// is the squared radius of the highest edge known between two basins.
  template <class Touch>
  void run(std::int32_t block, Touch&& touch) {
    queries_.load(block);
    settled_.clear();
    // Equal rows of radius zero are linked apart.
    std::fill(own_, own_ + tuning::kBlock, -1.0);
    for (int lane = 0; lane < queries_.lanes(); ++lane)
      if (radius_[queries_.begin() + lane] > 0) own_[lane] = radius_[queries_.begin() + lane];
    const double widest = *std::max_element(own_, own_ + tuning::kBlock);
    constexpr std::int32_t every = std::numeric_limits<std::int32_t>::max();
    visit_outward(
        index_, block, every,
        [&](std::size_t node) {
          const double distance = queries_.distance(index_.box(node));
          const Extremes& radii = extremes_[node];
          return radii.least <= widest && distance <= radii.greatest
                     ? distance
                     : std::numeric_limits<double>::infinity();
        },
        [&] { return widest; },
        [&](std::int32_t target, std::size_t node) { meet(block, target, node, touch); });
  }

 private:
  /// The lanes that have nothing to add to what joins their basins to another one.
  template <class Touch>
  std::uint32_t settled_at_first(std::int32_t block, std::int32_t basin, const Touch& touch) const {
    std::uint32_t settled = 0;
    for (const BasinShare* own = shares_.begin(block); own != shares_.end(block); ++own)
      settled |= own->basin == basin
                     ? own->lanes
                     : own->lanes & kernel_.above(own_, touch.known_radius(own->basin, basin));
    return settled;
  }

  template <class Touch>
  void meet(std::int32_t block, std::int32_t target, std::size_t node, Touch&& touch) {
    struct Open {
      const BasinShare* share;
      std::uint32_t lanes;
    };
    Open open[tuning::kBlock];
    int count = 0;
    std::uint32_t concerned = 0;
    for (const BasinShare* share = shares_.begin(target); share != shares_.end(target); ++share) {
      const std::uint32_t settled =
          settled_(share->basin, [&] { return settled_at_first(block, share->basin, touch); });
      const std::uint32_t lanes = ~settled & kernel_.above(own_, share->below);
      if (lanes == 0) continue;
      open[count++] = {share, lanes};
      concerned |= lanes;
    }
    if (concerned == 0) return;
    concerned &= kernel_.near_box(queries_.data(), index_.columns(), index_.box(node), own_);
    const std::int32_t first = index_.block_begin(target);
    for (; concerned != 0; concerned &= concerned - 1) {
      const int lane = std::countr_zero(concerned);
      const std::uint32_t reaching =
          kernel_.reaching(index_.block(target), index_.columns(), queries_.point(lane), own_[lane],
                           radius_ + first);
      if (reaching == 0) continue;
      for (Open* o = open; o != open + count; ++o) {
        if ((o->lanes >> lane & 1) == 0) continue;
        for (std::uint32_t found = reaching & o->share->lanes; found != 0; found &= found - 1) {
          if (!touch(queries_.begin() + lane, first + std::countr_zero(found))) continue;
          o->lanes &= ~settle(block, lane, o->share->basin, touch);
          break;
        }
      }
    }
  }

  /// After an edge from a lane to a basin was found: it needs no further look, nor do the lanes of
  /// the same basin that are less dense. Returns all that are settled.
  template <class Touch>
  std::uint32_t settle(std::int32_t block, int lane, std::int32_t basin, const Touch& touch) {
    const BasinShare* own = shares_.begin(block);
    while ((own->lanes >> lane & 1) == 0) ++own;
    std::uint32_t& settled = settled_(basin, [] { return 0u; });
    settled |= std::uint32_t{1} << lane |
               (own->lanes & kernel_.above(own_, touch.known_radius(own->basin, basin)));
    return settled;
  }

  const Index<T>& index_;
  const double* radius_;
  const std::vector<Extremes>& extremes_;
  const BasinShares& shares_;
  const Kernels<T>& kernel_;
  QueryBlock<T> queries_;
  alignas(64) double own_[tuning::kBlock];  // squared radii; -1 for those that do not search
  SettledLanes settled_;
};

}  // namespace quickshiftpp
