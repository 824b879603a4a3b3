#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/index.hpp"
#include "tree/basin_edges.hpp"
#include "tree/block_basins.hpp"

namespace quickshiftpp {

/// Finds the edges between basins with the k-d tree, from radii alone; one thread's work.
///
/// An edge joins a sample i to a denser sample j at a distance of at most r_j <= r_i. Pairs of
/// nearby blocks are compared. Most distances need not be computed: samples that do not reach the
/// other block's box drop out, and so do pairs of basins between which a higher edge is known.
template <class T>
class SpatialEdges {
 public:
  /// `radius_ranges` are those of the squared radii below each node.
  SpatialEdges(const DensityOrder<T>& order, const std::vector<ValueRange>& radius_ranges,
               const BlockBasins& basins)
      : index_(order.index()),
        squared_radius_(order.squared_radius()),
        radius_ranges_(radius_ranges),
        basins_(basins),
        kernel_(kernels<T>()),
        point_(static_cast<std::size_t>(index_.columns())) {}

  /// Offers the edges between the blocks [begin, end) and those there or later.
  void find(std::int32_t begin, std::int32_t end, BasinEdges<T>& edges) {
    visit_pairs(
        index_, begin, end,
        [&](std::size_t a, std::size_t b) {
          // Neighbors lie within the radius of both. Samples of radius zero are linked separately.
          const double reach = std::min(radius_ranges_[a].greatest, radius_ranges_[b].greatest);
          return reach > 0 &&
                 box_box_distance(index_.box(a), index_.box(b), index_.columns()) <= reach;
        },
        [&](std::size_t a, std::size_t b) { compare(a, b, edges); });
  }

 private:
  /// One block of a pair.
  struct Side {
    std::int32_t block;
    std::uint32_t near;                         ///< the samples that reach the other's box
    std::uint32_t is_searched = 0;              ///< those for which `denser` is known
    std::uint32_t denser[tuning::kBlock] = {};  ///< their denser neighbors in the other block
  };

  /// All edges between two leaves.
  void compare(std::size_t a, std::size_t b, BasinEdges<T>& edges) {
    Side& one = side_[0];
    Side& other = side_[1];
    load(one, a, b);
    load(other, b, a);
    if (one.near == 0 || other.near == 0) return;
    for (const BlockBasin& s : basins_.of_block(one.block)) {
      if ((s.lanes & one.near) == 0) continue;
      for (const BlockBasin& t : basins_.of_block(other.block)) {
        if (s.basin == t.basin || (t.lanes & other.near) == 0) continue;
        const double known = edges.known_squared_radius(s.basin, t.basin);
        if (known < std::max(s.least_squared_radius, t.least_squared_radius)) continue;
        climb(one, s, other, t, edges);
        if (a != b) climb(other, t, one, s, edges);
      }
    }
  }

  void load(Side& side, std::size_t leaf, std::size_t opposite) const {
    side.block = index_.node(leaf).first;
    side.is_searched = 0;
    side.near = kernel_.near_box(index_.block(side.block), index_.columns(), index_.box(opposite),
                                 squared_radius_ + index_.block_begin(side.block));
  }

  /// From the samples of one basin to denser ones of another.
  void climb(Side& from, const BlockBasin& low, const Side& to, const BlockBasin& high,
             BasinEdges<T>& edges) {
    const std::int32_t first = index_.block_begin(to.block);
    double known = edges.known_squared_radius(low.basin, high.basin);
    for (std::uint32_t lanes = low.lanes & from.near; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      const std::int32_t i = index_.block_begin(from.block) + lane;
      if (squared_radius_[i] < high.least_squared_radius || squared_radius_[i] > known) continue;
      std::uint32_t found = high.lanes & denser_neighbors(from, lane, to);
      for (; found != 0; found &= found - 1)
        if (edges.offer(i, first + std::countr_zero(found), [] { return 0.0; })) {
          known = edges.known_squared_radius(low.basin, high.basin);
          break;
        }
    }
  }

  /// The neighbors of one sample in the other block that are as dense or denser. They are the same
  /// for all pairs of basins, so they are searched for once.
  std::uint32_t denser_neighbors(Side& from, int lane, const Side& to) {
    if ((from.is_searched >> lane & 1) == 0) {
      const std::int32_t i = index_.block_begin(from.block) + lane;
      index_.gather(i, point_.data());
      from.denser[lane] =
          kernel_.reaching(index_.block(to.block), index_.columns(), point_.data(),
                           squared_radius_[i], squared_radius_ + index_.block_begin(to.block));
      from.is_searched |= std::uint32_t{1} << lane;
    }
    return from.denser[lane];
  }

  const Index<T>& index_;
  const double* squared_radius_;
  const std::vector<ValueRange>& radius_ranges_;
  const BlockBasins& basins_;
  const Kernels<T>& kernel_;
  std::vector<double> point_;
  Side side_[2];  // of the pair being compared
};

}  // namespace quickshiftpp
