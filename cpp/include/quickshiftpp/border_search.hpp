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

namespace quickshiftpp {

/// Finds edges between basins by looking into space, one block of samples against those after it;
/// one thread's work.
///
/// A sample i looks for neighbours j that are denser: r_j <= r_i, at a distance of at most r_j.
/// Most distances need not be computed: where two blocks meet, their shares of basins are compared
/// first, and an edge that cannot be higher than one known between two basins is not looked for.
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
        point_(static_cast<std::size_t>(index.columns())) {}

  /// Calls touch(i, j) for samples i and denser neighbours j in other basins, one of them in this
  /// block and the other in this or a later one. touch.known_radius(a, b) is the squared radius of
  /// the highest edge known between two basins.
  template <class Touch>
  void run(std::int32_t block, Touch&& touch) {
    const double* box = index_.box(index_.leaf(block));
    const double widest =
        *std::max_element(radius_ + index_.block_begin(block), radius_ + index_.block_end(block));
    constexpr std::int32_t every = std::numeric_limits<std::int32_t>::max();
    visit_outward(
        index_, block, every,
        [&](std::size_t node) {
          if (index_.node(node).last <= block) return std::numeric_limits<double>::infinity();
          const double distance = box_box_distance(box, index_.box(node), index_.columns());
          return distance <= extremes_[node].greatest ? distance
                                                      : std::numeric_limits<double>::infinity();
        },
        [&] { return widest; },
        [&](std::int32_t other, std::size_t node) {
          if (other >= block) meet({block, box}, {other, index_.box(node)}, touch);
        });
  }

 private:
  /// One of two blocks that meet.
  struct Side {
    std::int32_t block;
    const double* box;
    std::uint32_t near = 0;  ///< the samples that reach the other block's box
    bool is_near_known = false;
  };

  template <class Touch>
  void meet(Side one, Side other, Touch&& touch) {
    for (const BasinShare* a = shares_.begin(one.block); a != shares_.end(one.block); ++a)
      for (const BasinShare* b = shares_.begin(other.block); b != shares_.end(other.block); ++b) {
        if (a->basin == b->basin) continue;
        const double known = touch.known_radius(a->basin, b->basin);
        if (known < std::max(a->least, b->least)) continue;
        climb(one, *a, other, *b, known, touch);
        if (one.block != other.block) climb(other, *b, one, *a, known, touch);
      }
  }

  /// From the samples of one share to denser ones of another.
  template <class Touch>
  void climb(Side& from, const BasinShare& low, const Side& to, const BasinShare& high,
             double known, Touch&& touch) {
    const std::int32_t begin = index_.block_begin(from.block), first = index_.block_begin(to.block);
    const double* own = radius_ + begin;
    std::uint32_t lanes = low.lanes & kernel_.between(own, high.least, known);
    if (lanes == 0) return;
    if (!from.is_near_known) {
      from.near = kernel_.near_box(index_.block(from.block), index_.columns(), to.box, own);
      from.is_near_known = true;
    }
    for (lanes &= from.near; lanes != 0; lanes &= lanes - 1) {
      const std::int32_t i = begin + std::countr_zero(lanes);
      index_.gather(i, point_.data());
      std::uint32_t found =
          high.lanes & kernel_.reaching(index_.block(to.block), index_.columns(), point_.data(),
                                        radius_[i], radius_ + first);
      while (found != 0 && !touch(i, first + std::countr_zero(found))) found &= found - 1;
      if (found == 0) continue;
      // Samples that are less dense have nothing to add.
      const double higher = touch.known_radius(low.basin, high.basin);
      lanes &= kernel_.between(own, high.least, higher) | (lanes & -lanes);
    }
  }

  const Index<T>& index_;
  const double* radius_;
  const std::vector<Extremes>& extremes_;
  const BasinShares& shares_;
  const Kernels<T>& kernel_;
  std::vector<double> point_;
};

}  // namespace quickshiftpp
