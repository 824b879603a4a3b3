#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/neighbors.hpp"
#include "quickshiftpp/tree/ascent.hpp"
#include "tree/basin_edge_search.hpp"
#include "tree/block_basins.hpp"
#include "tree/near_blocks.hpp"

/// The mutual k-nearest-neighbour graph, as the mode tree needs it: each sample's nearest denser
/// neighbour, and its denser neighbours in other basins.
///
/// Two classes find them, and find the same: ListedGraph looks into neighbour lists; SearchedGraph
/// looks into space again, where a few blocks of samples hold all that is near. It needs no lists,
/// only radii. ClimbedGraph takes from each what it does faster: for two or three columns and long
/// lists.
namespace quickshiftpp {

/// Which of two samples is the denser: the smaller radius, then the order that settles every tie.
template <class T>
class DensityOrder {
 public:
  /// `radius` (squared) by position.
  DensityOrder(const Index<T>& index, const double* radius) : index_(index), radius_(radius) {}

  /// Where ties are the rule, comparing coordinates each time would be most of the work.
  void rank_coordinates() {
    const Buffer<std::int32_t> order = coordinate_order(index_);
    rank_ = Buffer<std::int32_t>(index_.samples());
    for (std::size_t r = 0; r < order.size(); ++r)
      rank_[static_cast<std::size_t>(order[r])] = static_cast<std::int32_t>(r);
  }

  const Index<T>& index() const { return index_; }
  const double* radius() const { return radius_; }
  bool is_denser(std::int32_t a, std::int32_t b) const {
    if (radius_[a] != radius_[b]) return radius_[a] < radius_[b];
    return rank_.size() > 0
               ? rank_[static_cast<std::size_t>(a)] < rank_[static_cast<std::size_t>(b)]
               : index_.comes_first(a, b);
  }

 private:
  const Index<T>& index_;
  const double* radius_;
  Buffer<std::int32_t> rank_;  // by position, in the order that settles ties; empty where few tie
};

/// Calls visit(block, node) for the blocks within `limit` of a sample, in nodes for which
/// admits(node) holds.
template <class T, class Admits, class Visit>
void visit_around(const Index<T>& index, std::int32_t i, const double* point, double limit,
                  Admits&& admits, Visit&& visit) {
  constexpr std::int32_t all = std::numeric_limits<std::int32_t>::max();
  visit_outward(
      index, i / tuning::kBlock, all,
      [&](std::size_t node) {
        return admits(node) ? node_distance(index, node, point)
                            : std::numeric_limits<double>::infinity();
      },
      [&] { return limit; }, visit);
}

/// The graph from lists. What a list leaves out at distance exactly r is searched for.
template <class T>
class ListedGraph {
 public:
  /// `has_ties`: for some samples neighbours are missing from the list.
  ListedGraph(const DensityOrder<T>& order, const NeighborLists& lists, bool has_ties)
      : order_(order),
        index_(order.index()),
        lists_(lists),
        has_ties_(has_ties),
        radius_(order.radius()),
        kernel_(kernels<T>()) {}

  /// The nearest denser neighbour of i, given its nearest denser sample (-1 for none); i itself
  /// where it has none. Among equally near ones the densest.
  std::int32_t next_upward(std::int32_t i, std::int32_t parent) const {
    if (parent < 0) return next_on_plateau(i);
    const std::int32_t* neighbor = lists_.positions(i);
    // All of smaller radius are in the list, at a distance of at most r_j < r_i.
    std::int32_t next = i;
    double distance = std::numeric_limits<double>::infinity();
    for (int c = 1; c < lists_.k(); ++c) {
      const std::int32_t j = neighbor[c];
      if (next == i && !(radius_[j] < radius_[i])) continue;
      const double squared = lists_.squared_distance(index_, i, c);
      if (squared > distance) break;
      if (radius_[j] < radius_[i] && squared <= radius_[j] && order_.is_denser(j, next)) {
        next = j;
        distance = squared;
      }
    }
    return next == i ? next_on_plateau(i) : next;
  }

  /// To be told before touch_other_basins is called.
  void take_basins(const std::int32_t* basin, const Run& run) {
    dweller_ = Buffer<Dweller>(index_.samples());
    parallel_for(run, index_.samples(), tuning::kGrain,
                 [&](std::size_t begin, std::size_t end, int) {
                   for (std::size_t i = begin; i < end; ++i)
                     dweller_[i] = {basin[i], static_cast<float>(radius_[i])};
                 });
    const std::size_t most = static_cast<std::size_t>(tuning::kBlock) * lists_.k();
    for (int t = 0; t < run.threads; ++t) room_.emplace_back(2 * (most + Crossings::kSpare));
  }

  /// How many blocks to ask for at a time.
  std::size_t border_blocks() const {
    return has_ties_ ? tuning::kTiedBorderBlocks : tuning::kBorderBlocks;
  }

  /// Calls touch(i, j, squared_distance) for the samples i of some blocks and neighbours j in other
  /// basins that may be denser: `squared_distance()` must be at most the squared radius of j. Where
  /// it returns true, the basin of j needs no further look from i; touch.is_settled says the same
  /// of two basins and a squared radius in advance, as far as that is known.
  template <class Touch>
  void touch_other_basins(std::int32_t begin, std::int32_t end, int thread, Touch&& touch) {
    for (std::int32_t block = begin; block < end; ++block) touch_other_basins(block, thread, touch);
  }

 private:
  template <class Touch>
  void touch_other_basins(std::int32_t block, int thread, Touch&& touch) {
    const std::int32_t begin = index_.block_begin(block), end = index_.block_end(block);
    Buffer<std::int32_t>& room = room_[static_cast<std::size_t>(thread)];
    const Crossings crossings{room.data(), room.data() + room.size() / 2};
    const int found = kernel_.crossings(lists_.block(begin, end), dweller_.data(), crossings);
    // Most are settled by an edge that is known. Leaving these out a few at a time takes no branch
    // that the processor would have to guess.
    for (int first = 0; first < found; first += tuning::kCrossings) {
      const int last = std::min(found, first + tuning::kCrossings);
      int open[tuning::kCrossings];
      int count = 0;
      for (int f = first; f < last; ++f) {
        const std::int32_t i = crossings.sample[f];
        const std::int32_t j = lists_.positions(i)[crossings.place[f]];
        open[count] = f;
        count += !touch.is_settled(radius_[i], basin(i), basin(j));
      }
      for (int o = 0; o < count; ++o) follow(crossings, open[o], found, touch);
    }
    for (std::int32_t i = begin; i < end; ++i)
      if (has_ties_beyond(i))
        for_tied(i, [&](std::int32_t j) {
          if (basin(j) != basin(i)) touch(i, j, [&] { return radius_[j]; });
        });
  }

  /// Looks at the neighbours that one of the crossings stands for, until one of them settles it.
  template <class Touch>
  void follow(const Crossings& crossings, int f, int found, Touch& touch) const {
    const std::int32_t i = crossings.sample[f];
    const std::int32_t* neighbor = lists_.positions(i);
    // Others of this basin that were left out come before the next crossing from i.
    const bool is_last = f + 1 == found || crossings.sample[f + 1] != i;
    const int end_of_run = is_last ? lists_.k() : crossings.place[f + 1];
    for (int c = crossings.place[f]; c < end_of_run; c = next_of_basin(i, c, end_of_run))
      if (touch(i, neighbor[c], [&] { return lists_.squared_distance(index_, i, c); })) break;
  }

  std::int32_t basin(std::int32_t i) const { return dweller_[static_cast<std::size_t>(i)].basin; }

  /// The next place in the list of i, before `end`, that is of the same basin as place c; `end`
  /// where there is none.
  int next_of_basin(std::int32_t i, int c, int end) const {
    const std::int32_t* neighbor = lists_.positions(i);
    const std::int32_t wanted = basin(neighbor[c]);
    do ++c;
    while (c < end && basin(neighbor[c]) != wanted);
    return c;
  }

  /// Of the neighbours that have the radius of i the densest, or i itself. The list need not hold
  /// all of those at distance exactly r_i, and which ones it does must not matter.
  std::int32_t next_on_plateau(std::int32_t i) const {
    std::int32_t densest = i;
    auto consider = [&](std::int32_t j) {
      if (radius_[j] == radius_[i] && order_.is_denser(j, densest)) densest = j;
    };
    for (int c = 1; c < lists_.k(); ++c) consider(lists_.positions(i)[c]);
    if (has_ties_beyond(i)) for_tied(i, consider);
    return densest;
  }

  /// Whether denser neighbours of i may be missing from its list. Equal rows are linked apart.
  bool has_ties_beyond(std::int32_t i) const { return lists_.tied_beyond(i) && radius_[i] > 0; }

  /// Calls visit(j) for the denser samples j at distance exactly r_i = r_j, in i's list or not.
  /// They are found again rather than stored: there may be far more than n k of them.
  template <class Visit>
  void for_tied(std::int32_t i, Visit&& visit) const {
    std::vector<double> point(static_cast<std::size_t>(index_.columns()));
    index_.gather(i, point.data());
    const double limit = radius_[i];
    visit_around(
        index_, i, point.data(), limit,
        [&](std::size_t node) {
          // Equal samples have one radius: all of them are meant, or none.
          return !(index_.is_point(node) &&
                   radius_[index_.block_begin(index_.node(node).first)] != limit);
        },
        [&](std::int32_t block, std::size_t) {
          double squared[kFoundCapacity];
          std::int32_t position[kFoundCapacity];
          const int found =
              kernel_.within(index_.block(block), index_.block_begin(block), index_.columns(),
                             point.data(), limit, squared, position);
          for (int c = 0; c < found; ++c) {
            const std::int32_t j = position[c];
            if (squared[c] == limit && radius_[j] == limit && order_.is_denser(j, i)) visit(j);
          }
        });
  }

  const DensityOrder<T>& order_;
  const Index<T>& index_;
  const NeighborLists& lists_;
  bool has_ties_;
  const double* radius_;
  const Kernels<T>& kernel_;
  Buffer<Dweller> dweller_;                 // by position
  std::vector<Buffer<std::int32_t>> room_;  // for the crossings of a block, one for each thread
};

/// The graph searched for again, from radii alone, with the tree of the index.
///
/// A denser neighbour j of i lies within r_j <= r_i of it. For edges between basins pairs of blocks
/// that are near each other are compared (BasinEdgeSearch); vectors compare a sample with a block.
template <class T>
class SearchedGraph {
 public:
  /// `extremes` of the squared radii below each node, for k neighbours. `near`, where there is one,
  /// is used if it serves, and filled if not.
  SearchedGraph(const DensityOrder<T>& order, const std::vector<ValueRange>& extremes, int k,
                NearBlocks* near)
      : order_(order),
        index_(order.index()),
        radius_(order.radius()),
        extremes_(extremes),
        kernel_(kernels<T>()),
        k_(k),
        near_(near) {}

  /// As of ListedGraph.
  std::int32_t next_upward(std::int32_t i, std::int32_t parent) const {
    if (!(radius_[i] > 0)) return i;
    if (parent >= 0 && index_.squared_distance(i, parent) <= radius_[i]) {
      const std::int32_t next = nearest_neighbor_below(i);
      if (next != i) return next;
    }
    return next_on_plateau(i);
  }

  /// As of ListedGraph.
  void take_basins(const std::int32_t* basin, const Run& run) {
    shares_.emplace(index_, basin, radius_, run);
    searches_.reserve(static_cast<std::size_t>(run.threads));
    for (int t = 0; t < run.threads; ++t)
      searches_.emplace_back(index_, radius_, extremes_, *shares_);
    if (near_ != nullptr && !near_->serve(index_, k_)) near_->find(index_, extremes_, k_, run);
  }

  /// As of ListedGraph.
  std::size_t border_blocks() const { return tuning::kBorderBlocks; }

  /// As of ListedGraph, but distances are known to do. See also BasinEdgeSearch.
  template <class Touch>
  void touch_other_basins(std::int32_t begin, std::int32_t end, int thread, Touch&& touch) {
    searches_[static_cast<std::size_t>(thread)].run(begin, end, near_, touch);
  }

 private:
  /// The nearest denser neighbour of i, i itself where it has none.
  std::int32_t nearest_neighbor_below(std::int32_t i) const {
    std::int32_t next = i;
    double distance = std::numeric_limits<double>::infinity();
    around(
        i, [&](const ValueRange& radii) { return radii.least < radius_[i]; },
        [&](std::int32_t j, double squared) {
          if (!(radius_[j] < radius_[i]) || squared > radius_[j] || squared > distance) return;
          if (squared == distance && !order_.is_denser(j, next)) return;
          next = j;
          distance = squared;
        });
    return next;
  }

  /// Of the neighbours that have the radius of i the densest, or i itself.
  std::int32_t next_on_plateau(std::int32_t i) const {
    std::int32_t densest = i;
    around(
        i,
        [&](const ValueRange& radii) {
          return radii.least <= radius_[i] && radius_[i] <= radii.greatest;
        },
        [&](std::int32_t j, double) {
          if (radius_[j] == radius_[i] && order_.is_denser(j, densest)) densest = j;
        });
    return densest;
  }

  /// Calls visit(j, squared distance) for the samples within r_i of i, in nodes that admit their
  /// extreme radii.
  template <class Admits, class Visit>
  void around(std::int32_t i, Admits&& admits, Visit&& visit) const {
    double point[tuning::kRecomputeColumns];
    index_.gather(i, point);
    visit_around(
        index_, i, point, radius_[i], [&](std::size_t node) { return admits(extremes_[node]); },
        [&](std::int32_t block, std::size_t) {
          double squared[kFoundCapacity];
          std::int32_t position[kFoundCapacity];
          const int found = kernel_.within(index_.block(block), index_.block_begin(block),
                                           index_.columns(), point, radius_[i], squared, position);
          for (int c = 0; c < found; ++c) visit(position[c], squared[c]);
        });
  }

  const DensityOrder<T>& order_;
  const Index<T>& index_;
  const double* radius_;
  const std::vector<ValueRange>& extremes_;
  const Kernels<T>& kernel_;
  int k_;
  NearBlocks* near_;
  std::vector<BasinEdgeSearch<T>> searches_;  // one for each thread
  std::optional<BlockBasins> shares_;
};

/// The graph from lists for the way up, searched for again for what lies around: the faster of the
/// two each time, for two or three columns and long lists.
template <class T>
class ClimbedGraph {
 public:
  ClimbedGraph(const DensityOrder<T>& order, const NeighborLists& lists, bool has_ties,
               const std::vector<ValueRange>& extremes, NearBlocks* near)
      : listed_(order, lists, has_ties), searched_(order, extremes, lists.k(), near) {}

  std::int32_t next_upward(std::int32_t i, std::int32_t parent) const {
    return listed_.next_upward(i, parent);
  }
  void take_basins(const std::int32_t* basin, const Run& run) { searched_.take_basins(basin, run); }
  std::size_t border_blocks() const { return searched_.border_blocks(); }
  template <class Touch>
  void touch_other_basins(std::int32_t begin, std::int32_t end, int thread, Touch&& touch) {
    searched_.touch_other_basins(begin, end, thread, touch);
  }

 private:
  ListedGraph<T> listed_;
  SearchedGraph<T> searched_;
};

}  // namespace quickshiftpp
