#include "quickshiftpp/tree/ascent.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/cascade.hpp"
#include "search/query_block.hpp"

namespace quickshiftpp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

namespace {

/// Nothing found yet.
template <class T>
Parents empty_parents(const Index<T>& index) {
  return {Buffer<std::int32_t>(index.samples()),
          Buffer<std::int32_t>(index.samples(), index.padded_samples()),
          {}};
}

/// What the list of one sample tells.
struct Climb {
  std::int32_t parent = -1;
  std::int32_t next = -1;  ///< as of Parents
  bool is_open = false;    ///< the list does not settle the parent
};

/// The first place from `begin` on whose sample has a radius below `own`; `end` for none.
int first_below(const std::int32_t* neighbor, const double* radius, double own, int begin,
                int end) {
  // One in two is denser: where the first of them stands cannot be guessed, that it is among a few
  // can.
  for (; begin + tuning::kPlacesAtOnce <= end; begin += tuning::kPlacesAtOnce) {
    unsigned below = 0;
    for (int c = 0; c < tuning::kPlacesAtOnce; ++c)
      below |= static_cast<unsigned>(radius[neighbor[begin + c]] < own) << c;
    if (below != 0) return begin + std::countr_zero(below);
  }
  while (begin < end && !(radius[neighbor[begin]] < own)) ++begin;
  return begin;
}

/// From a list without equal distances, in it or at its end: the first that is denser is the
/// nearest, and so is the first neighbour.
template <class T>
Climb climb_plainly(const Index<T>& index, const NeighborLists& lists, std::int32_t i) {
  const double* radius = lists.squared_radii();
  const double own = radius[i];
  const std::int32_t* neighbor = lists.head(i);
  const int k = lists.k();
  Climb climb;
  for (int c = 1, end = lists.head_places(); c < k; ++c) {
    c = first_below(neighbor, radius, own, c, end);
    if (c == end) {
      neighbor = lists.positions(i);
      c = first_below(neighbor, radius, own, c, end = k);
      if (c == end) break;
    }
    const std::int32_t j = neighbor[c];
    if (climb.parent < 0) climb.parent = j;
    // Most reach beyond the whole head.
    const bool is_near = end < k && lists.head_squared_radius(i) <= radius[j];
    if (!is_near && lists.squared_distance(index, i, c, j) > radius[j]) continue;
    climb.next = j;
    return climb;
  }
  neighbor = lists.positions(i);
  if (std::none_of(neighbor + 1, neighbor + k, [&](std::int32_t j) { return radius[j] == own; }))
    climb.next = i;
  if (climb.parent < 0) {
    // What follows in memory is the rest of a longer list, whose last may tie with others.
    const int known = std::max(k, static_cast<int>(lists.stride()) - 1);
    const int c = first_below(neighbor, radius, own, k, known);
    if (c < known) climb.parent = neighbor[c];
  }
  climb.is_open = climb.parent < 0;
  return climb;
}

/// From any list: of equally near ones the preferred.
template <class T>
Climb climb_ties(const Index<T>& index, const NeighborLists& lists, std::int32_t i) {
  const double* radius = lists.squared_radii();
  const std::int32_t* neighbor = lists.positions(i);
  Climb climb;
  double distance = kInfinity;
  for (int c = 1; c < lists.k(); ++c) {
    const std::int32_t j = neighbor[c];
    if (climb.parent < 0 && !(radius[j] < radius[i])) continue;
    const double squared = lists.squared_distance(index, i, c);
    if (squared > distance) break;
    if (radius[j] < radius[i] &&
        (climb.parent < 0 || is_preferred(index, radius, j, climb.parent))) {
      climb.parent = j;
      distance = squared;
    }
  }
  // Samples left out of the list may be as near as the one found.
  climb.is_open = climb.parent < 0 || (distance == radius[i] && lists.tied_beyond(i));
  if (!climb.is_open && distance <= radius[climb.parent]) climb.next = climb.parent;
  return climb;
}

template <class T>
Parents parents_from_lists(const Index<T>& index, const NeighborLists& lists,
                           const Cascade<T>* cascade, const Run& run) {
  const double* radius = lists.squared_radii();
  NearestBelow<T> search(index, radius, run);
  Parents found = empty_parents(index);
  std::vector<std::vector<std::int32_t>> open(static_cast<std::size_t>(run.threads));
  parallel_for(run, index.samples(), 256, [&](std::size_t begin, std::size_t end, int thread) {
    std::vector<double> point(static_cast<std::size_t>(index.columns()));
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
      if (!lists.has_heads()) lists.prefetch_after(i, 1);
      const bool is_plain = !lists.may_tie(i) && !lists.tied_beyond(i);
      Climb climb = is_plain ? climb_plainly(index, lists, i) : climb_ties(index, lists, i);
      if (climb.is_open && radius[i] > 0) {
        if (cascade != nullptr)
          open[static_cast<std::size_t>(thread)].push_back(i);
        else
          climb.parent = search.from_sample(i, radius[i], point.data()).position;
      }
      found.parent[static_cast<std::size_t>(i)] = climb.parent;
      found.next[static_cast<std::size_t>(i)] = climb.next;
    }
  });
  if (cascade != nullptr) {
    std::vector<std::int32_t> samples;
    for (const auto& part : open) samples.insert(samples.end(), part.begin(), part.end());
    std::vector<Found> nearest(samples.size());
    cascade->nearest_below(radius, radius, samples, nearest.data(), run);
    for (std::size_t i = 0; i < samples.size(); ++i)
      found.parent[static_cast<std::size_t>(samples[i])] = nearest[i].position;
  }
  found.extremes = std::move(search).take_extremes();
  return found;
}

/// Finds the parents of one block of samples at a time, as far as they lie within the radius.
template <class T>
class BlockClimb {
 public:
  BlockClimb(const Index<T>& index, const double* radius, const std::vector<ValueRange>& extremes)
      : index_(index),
        radius_(radius),
        extremes_(extremes),
        kernel_(kernels<T>()),
        queries_(index) {}

  /// Afterwards parent(lane) is -1 where nothing within the radius is denser.
  void run(std::int32_t block) {
    queries_.load(block);
    widest_own_ = bound_ = -1;
    for (int lane = 0; lane < queries_.lanes(); ++lane) {
      const double own = radius_[queries_.begin() + lane];
      reach_[lane] = own > 0 ? own : -1;  // of equal rows with radius zero none is denser
      parent_[lane] = -1;
      level_[lane] = 0;
      widest_own_ = std::max(widest_own_, reach_[lane]);
    }
    bound_ = widest_own_;
    visit_outward(
        index_, block, 1,
        [this](std::size_t node) {
          if (extremes_[node].least > widest_own_) return kInfinity;
          return queries_.distance(index_.box(node));
        },
        [this] { return bound_; },
        [this](std::int32_t target, std::size_t node) { meet(target, node); });
  }

  const QueryBlock<T>& queries() const { return queries_; }
  std::int32_t parent(int lane) const { return parent_[lane]; }
  /// As of Parents.
  std::int32_t next(int lane) const {
    if (parent_[lane] >= 0) return reach_[lane] <= radius_[parent_[lane]] ? parent_[lane] : -1;
    return level_[lane] > 1 ? -1 : queries_.begin() + lane;
  }

 private:
  void meet(std::int32_t target, std::size_t node) {
    const std::int32_t first = index_.block_begin(target);
    bool has_shrunk = false;
    std::uint32_t concerned = queries_.all() & kernel_.near_box(queries_.data(), index_.columns(),
                                                                index_.box(node), reach_);
    for (; concerned != 0; concerned &= concerned - 1) {
      const int lane = std::countr_zero(concerned);
      const double own = radius_[queries_.begin() + lane];
      if (own < extremes_[node].least) continue;
      Ascent ascent = kernel_.upward(index_.block(target), index_.columns(), queries_.point(lane),
                                     reach_[lane], radius_ + first, own);
      level_[lane] += std::popcount(ascent.level);  // the sample itself is one
      for (; ascent.nearest != 0; ascent.nearest &= ascent.nearest - 1) {
        const std::int32_t j = first + std::countr_zero(ascent.nearest);
        if (parent_[lane] < 0 || ascent.squared < reach_[lane] ||
            is_preferred(index_, radius_, j, parent_[lane]))
          parent_[lane] = j;
        has_shrunk |= ascent.squared < reach_[lane];
        reach_[lane] = ascent.squared;
      }
    }
    if (has_shrunk) bound_ = *std::max_element(reach_, reach_ + queries_.lanes());
  }

  const Index<T>& index_;
  const double* radius_;
  const std::vector<ValueRange>& extremes_;  // of the radii below each node
  const Kernels<T>& kernel_;
  QueryBlock<T> queries_;
  alignas(64) double reach_[tuning::kBlock];  // squared distance to the parent found so far
  std::int32_t parent_[tuning::kBlock];
  int level_[tuning::kBlock];  // as dense as the sample, itself included
  double widest_own_ = -1;
  double bound_ = -1;
};

template <class T>
Parents parents_from_space(const Index<T>& index, const double* radius, const Run& run) {
  NearestBelow<T> search(index, radius, run);
  Parents found = empty_parents(index);
  std::vector<BlockClimb<T>> climbs;
  for (int t = 0; t < run.threads; ++t) climbs.emplace_back(index, radius, search.extremes());
  parallel_for(run, static_cast<std::size_t>(index.blocks()), 8,
               [&](std::size_t begin, std::size_t end, int thread) {
                 BlockClimb<T>& climb = climbs[static_cast<std::size_t>(thread)];
                 double point[tuning::kRecomputeColumns];
                 for (std::size_t block = begin; block < end; ++block) {
                   climb.run(static_cast<std::int32_t>(block));
                   for (int lane = 0; lane < climb.queries().lanes(); ++lane) {
                     const std::int32_t i = climb.queries().begin() + lane;
                     std::int32_t parent = climb.parent(lane);
                     if (parent < 0 && radius[i] > 0)
                       parent = search.from_sample(i, radius[i], point).position;
                     found.parent[static_cast<std::size_t>(i)] = parent;
                     found.next[static_cast<std::size_t>(i)] = climb.next(lane);
                   }
                 }
               });
  found.extremes = std::move(search).take_extremes();
  return found;
}

}  // namespace

template <class T>
Parents denser_parents(const Index<T>& index, const NeighborLists& lists, const Cascade<T>* cascade,
                       const Run& run) {
  if (lists.keeps_lists()) return parents_from_lists(index, lists, cascade, run);
  return parents_from_space(index, lists.squared_radii(), run);
}

#define QSPP_INSTANTIATE(T)                                                                    \
  template Parents denser_parents<T>(const Index<T>&, const NeighborLists&, const Cascade<T>*, \
                                     const Run&);
QSPP_INSTANTIATE(float)
QSPP_INSTANTIATE(double)
#undef QSPP_INSTANTIATE

}  // namespace quickshiftpp
