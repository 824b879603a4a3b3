#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "quickshiftpp/tuning.hpp"
#include "support/parallel_sort.hpp"
#include "support/union_find.hpp"
#include "tree/density_order.hpp"

namespace quickshiftpp {

/// An edge of the mutual graph between two basins: sample `lower` of basin `own` has a denser
/// neighbor in basin `other`. It is as high as its lower end.
struct BasinEdge {
  double squared_radius;  ///< of `lower`: the smaller, the higher the edge
  std::int32_t lower;
  std::int32_t own;
  std::int32_t other;

  bool joins(std::int32_t a, std::int32_t b) const {
    return (own == a && other == b) || (own == b && other == a);
  }
};

/// Whether one edge is higher than another: a total order, so that the tree does not depend on the
/// order in which edges are found.
template <class T>
struct IsHigher {
  const DensityOrder<T>& order;

  bool operator()(const BasinEdge& a, const BasinEdge& b) const {
    if (a.squared_radius != b.squared_radius) return a.squared_radius < b.squared_radius;
    if (a.lower != b.lower) return order.comes_first(a.lower, b.lower);
    return a.other < b.other;
  }
};

/// Kruskal's algorithm over edges that come highest first: calls take(edge, parent, child) for
/// those that join two sets of modes, named by their densest modes, of which `parent` is the
/// denser.
template <class Take>
void join_highest_first(const std::vector<BasinEdge>& edges, std::size_t modes, Take&& take) {
  UnionFind sets(modes);
  for (const BasinEdge& edge : edges) {
    const std::int32_t a = sets.find(edge.own), b = sets.find(edge.other);
    if (a == b) continue;
    take(edge, std::min(a, b), std::max(a, b));
    sets.join(a, b);
  }
}

/// The edges between basins that one thread has found: mostly only the highest for each pair.
///
/// Neighboring samples touch the same few pairs of basins, so a direct-mapped cache of pairs finds
/// most of them again. An edge that another one displaces is kept as well; when many have come
/// together, they are reduced to a spanning forest of the highest.
template <class T>
class BasinEdges {
 public:
  /// `basin` by position.
  BasinEdges(const DensityOrder<T>& order, const std::int32_t* basin, std::size_t modes)
      : order_(order),
        basin_(basin),
        modes_(modes),
        bits_(std::min(tuning::kEdgeCacheBits, 2 + static_cast<int>(std::bit_width(modes)))),
        cache_(std::size_t{1} << bits_, kNone) {}

  /// The squared radius of the highest edge known between two basins, infinity for none.
  double known_squared_radius(std::int32_t a, std::int32_t b) const {
    const BasinEdge& known = cache_[place(a, b)];
    return known.joins(a, b) ? known.squared_radius : std::numeric_limits<double>::infinity();
  }

  /// Adds the edge from i to j, a sample of another basin, if j is a denser neighbor and no edge as
  /// high is known. `squared_distance()` is called only where it decides. Returns whether an edge
  /// as high is known afterwards.
  template <class Distance>
  bool offer(std::int32_t i, std::int32_t j, Distance&& squared_distance) {
    const double* squared_radius = order_.squared_radius();
    const BasinEdge edge{squared_radius[i], i, basin_[i], basin_[j]};
    BasinEdge& known = cache_[place(edge.own, edge.other)];
    const bool is_known = known.joins(edge.own, edge.other);
    if (is_known && !IsHigher<T>{order_}(edge, known)) return true;
    if (!order_.is_denser(j, i) || squared_distance() > squared_radius[j]) return false;
    if (!is_known && known.own >= 0) displaced_.push_back(known);
    known = edge;
    return true;
  }

  /// To be called now and then: keeps the memory within a few times the number of modes.
  void reduce_when_full() {
    if (displaced_.size() < limit_) return;
    std::vector<BasinEdge> edges = take();
    std::sort(edges.begin(), edges.end(), IsHigher<T>{order_});
    join_highest_first(edges, modes_,
                       [&](const BasinEdge& edge, auto, auto) { displaced_.push_back(edge); });
    limit_ = std::max(tuning::kForestEdges, 2 * displaced_.size());
  }

  /// Moves all edges out.
  std::vector<BasinEdge> take() {
    for (BasinEdge& edge : cache_)
      if (edge.own >= 0) displaced_.push_back(std::exchange(edge, kNone));
    return std::exchange(displaced_, {});
  }

 private:
  static constexpr BasinEdge kNone{std::numeric_limits<double>::infinity(), -1, -1, -1};

  std::size_t place(std::int32_t a, std::int32_t b) const {
    const auto low = static_cast<std::uint32_t>(std::min(a, b));
    const auto high = static_cast<std::uint32_t>(std::max(a, b));
    return (low * 0x9E3779B1u ^ high * 0x85EBCA77u) >> (32 - bits_);
  }

  const DensityOrder<T>& order_;
  const std::int32_t* basin_;
  std::size_t modes_;
  int bits_;
  std::vector<BasinEdge> cache_;
  std::vector<BasinEdge> displaced_;
  std::size_t limit_ = tuning::kForestEdges;
};

}  // namespace quickshiftpp
