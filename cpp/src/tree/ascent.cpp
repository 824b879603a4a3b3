#include "tree/ascent.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/nearest_below.hpp"
#include "search/query_block.hpp"
#include "search/visit_within.hpp"
#include "tree/tied_neighbors.hpp"

namespace quickshiftpp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
UphillLinks unfilled_links(const Index<T>& index) {
  return {Buffer<std::int32_t>(index.samples()),
          Buffer<std::int32_t>(index.samples(), index.padded_samples())};
}

/// Reads the links of one sample from its list.
template <class T>
class ListAscent {
 public:
  ListAscent(const DensityOrder<T>& order, const NeighborLists& lists)
      : order_(order), lists_(lists), squared_radius_(order.squared_radius()) {}

  struct Result {
    std::int32_t parent = -1;
    std::int32_t mutual_parent = -1;
    bool parent_is_settled = false;
  };

  Result run(std::int32_t i, WorkMeter& meter) const {
    const std::int32_t* neighbor = lists_.positions(i);
    const double own = squared_radius_[i];
    Result result;
    double to_parent = kInfinity, to_mutual_parent = kInfinity;
    for (int c = 1; c < lists_.k(); ++c) {
      const std::int32_t j = neighbor[c];
      if (result.mutual_parent >= 0 &&
          lists_.squared_distance(order_.index(), i, c) > to_mutual_parent)
        break;  // the rest of the list is farther
      if (!(squared_radius_[j] < own)) continue;
      const double squared = lists_.squared_distance(order_.index(), i, c);
      if (result.parent < 0 || (squared == to_parent && order_.is_denser(j, result.parent))) {
        result.parent = j;
        to_parent = squared;
      }
      if (squared <= squared_radius_[j] &&
          (result.mutual_parent < 0 || order_.is_denser(j, result.mutual_parent))) {
        result.mutual_parent = j;
        to_mutual_parent = squared;
      }
    }
    // Samples that are not in the list may be as near as the parent found in it.
    result.parent_is_settled =
        own == 0 || (result.parent >= 0 && !(to_parent == own && lists_.tied_beyond(i)));
    // A mutual neighbor of smaller radius is nearer than its own radius, so the list holds it.
    if (result.mutual_parent < 0) result.mutual_parent = densest_on_plateau(i, meter);
    return result;
  }

 private:
  std::int32_t densest_on_plateau(std::int32_t i, WorkMeter& meter) const {
    std::int32_t densest = i;
    auto consider = [&](std::int32_t j) {
      if (squared_radius_[j] == squared_radius_[i] && order_.is_denser(j, densest)) densest = j;
    };
    for (int c = 1; c < lists_.k(); ++c) consider(lists_.positions(i)[c]);
    if (has_tied_neighbors(order_, lists_, i)) visit_tied_neighbors(order_, i, consider, meter);
    return densest;
  }

  const DensityOrder<T>& order_;
  const NeighborLists& lists_;
  const double* squared_radius_;
};

template <class T>
UphillLinks links_from_lists(const DensityOrder<T>& order, const NeighborLists& lists,
                             const std::vector<ValueRange>& radius_ranges,
                             const Cascade<T>* cascade, const Run& run) {
  const Index<T>& index = order.index();
  const double* squared_radius = order.squared_radius();
  const ListAscent<T> ascent(order, lists);
  const NearestBelow<T> search(index, squared_radius, radius_ranges);
  UphillLinks links = unfilled_links(index);
  std::vector<std::vector<std::int32_t>> unsettled(static_cast<std::size_t>(run.threads));
  // Small pieces: a sample with ties may search the whole index.
  parallel_for(run, index.samples(), 256, [&](std::size_t begin, std::size_t end, int thread) {
    WorkMeter meter(run, thread);
    std::vector<double> point(static_cast<std::size_t>(index.columns()));
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
      // Long lists lie too far apart for the processor to fetch the next ones by itself.
      const auto last = static_cast<std::int32_t>(index.samples()) - 1;
      __builtin_prefetch(lists.positions(std::min(i + 16, last)));
      auto found = ascent.run(i, meter);
      if (!found.parent_is_settled) {
        if (cascade != nullptr)
          unsettled[static_cast<std::size_t>(thread)].push_back(i);
        else
          found.parent = search.from_sample(i, squared_radius[i], point.data(), meter).position;
      }
      links.parent[static_cast<std::size_t>(i)] = found.parent;
      links.mutual_parent[static_cast<std::size_t>(i)] = found.mutual_parent;
    }
  });
  if (cascade != nullptr) {
    std::vector<std::int32_t> samples;
    for (const auto& part : unsettled) samples.insert(samples.end(), part.begin(), part.end());
    std::vector<NearestSample> nearest(samples.size());
    cascade->nearest_below(squared_radius, squared_radius, samples, nearest.data(), run);
    for (std::size_t i = 0; i < samples.size(); ++i)
      links.parent[static_cast<std::size_t>(samples[i])] = nearest[i].position;
  }
  return links;
}

/// Searches the k-d tree for the links of one block of samples at a time, within their radii.
template <class T>
class BlockAscent {
 public:
  BlockAscent(const DensityOrder<T>& order, const std::vector<ValueRange>& radius_ranges)
      : order_(order),
        index_(order.index()),
        squared_radius_(order.squared_radius()),
        radius_ranges_(radius_ranges),
        kernel_(kernels<T>()),
        queries_(order.index()) {}

  /// Afterwards parent(lane) is -1 where no sample within the radius is denser.
  void run(std::int32_t block) {
    queries_.load(block);
    widest_radius_ = bound_ = -1;
    for (int lane = 0; lane < queries_.size(); ++lane) {
      const double own = squared_radius_[queries_.begin() + lane];
      to_parent_[lane] = own > 0 ? own : -1;  // of equal rows with radius zero none is denser
      parent_[lane] = -1;
      equally_dense_[lane] = 0;
      widest_radius_ = std::max(widest_radius_, to_parent_[lane]);
    }
    bound_ = widest_radius_;
    visit_outward(
        index_, block, 1,
        [this](std::size_t node) {
          if (radius_ranges_[node].least > widest_radius_) return kInfinity;
          return queries_.distance(index_.box(node));
        },
        [this] { return bound_; },
        [this](std::int32_t target, std::size_t node) { visit(target, node); });
  }

  const QueryBlock<T>& queries() const { return queries_; }
  std::int32_t parent(int lane) const { return parent_[lane]; }
  /// As UphillLinks has it.
  std::int32_t mutual_parent(int lane, WorkMeter& meter) const {
    const std::int32_t i = queries_.begin() + lane;
    if (!(squared_radius_[i] > 0)) return i;
    if (parent_[lane] >= 0) {
      if (to_parent_[lane] <= squared_radius_[parent_[lane]]) return parent_[lane];
      const std::int32_t nearest = nearest_mutual_below(i, meter);
      if (nearest != i) return nearest;
    } else if (equally_dense_[lane] <= 1) {  // the sample itself
      return i;
    }
    return densest_on_plateau(i, meter);
  }

 private:
  void visit(std::int32_t target, std::size_t node) {
    const std::int32_t first = index_.block_begin(target);
    bool has_shrunk = false;
    std::uint32_t lanes = queries_.all_lanes() & kernel_.near_box(queries_.data(), index_.columns(),
                                                                  index_.box(node), to_parent_);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      const double own = squared_radius_[queries_.begin() + lane];
      if (own < radius_ranges_[node].least) continue;
      DenserInBlock found =
          kernel_.denser(index_.block(target), index_.columns(), queries_.point(lane),
                         to_parent_[lane], squared_radius_ + first, own);
      equally_dense_[lane] += std::popcount(found.equally_dense);
      for (; found.nearest != 0; found.nearest &= found.nearest - 1) {
        const std::int32_t j = first + std::countr_zero(found.nearest);
        if (parent_[lane] < 0 || found.squared < to_parent_[lane] ||
            order_.is_denser(j, parent_[lane]))
          parent_[lane] = j;
        has_shrunk |= found.squared < to_parent_[lane];
        to_parent_[lane] = found.squared;
      }
    }
    if (has_shrunk) bound_ = *std::max_element(to_parent_, to_parent_ + queries_.size());
  }

  /// The nearest mutual neighbor of smaller radius, i itself where there is none.
  std::int32_t nearest_mutual_below(std::int32_t i, WorkMeter& meter) const {
    const double own = squared_radius_[i];
    std::int32_t nearest = i;
    double distance = kInfinity;
    visit_within(
        index_, i, own, [&](std::size_t node) { return radius_ranges_[node].least < own; },
        [&](std::int32_t j, double squared) {
          if (!(squared_radius_[j] < own) || squared > squared_radius_[j] || squared > distance)
            return;
          if (squared == distance && !order_.is_denser(j, nearest)) return;
          nearest = j;
          distance = squared;
        },
        meter);
    return nearest;
  }

  std::int32_t densest_on_plateau(std::int32_t i, WorkMeter& meter) const {
    const double own = squared_radius_[i];
    std::int32_t densest = i;
    visit_within(
        index_, i, own,
        [&](std::size_t node) {
          return radius_ranges_[node].least <= own && own <= radius_ranges_[node].greatest;
        },
        [&](std::int32_t j, double) {
          if (squared_radius_[j] == own && order_.is_denser(j, densest)) densest = j;
        },
        meter);
    return densest;
  }

  const DensityOrder<T>& order_;
  const Index<T>& index_;
  const double* squared_radius_;
  const std::vector<ValueRange>& radius_ranges_;  // below each node
  const Kernels<T>& kernel_;
  QueryBlock<T> queries_;
  alignas(64) double to_parent_[tuning::kBlock];  // squared distance, so far
  std::int32_t parent_[tuning::kBlock];
  int equally_dense_[tuning::kBlock];  // how many samples, itself included
  double widest_radius_ = -1;
  double bound_ = -1;
};

template <class T>
UphillLinks links_from_space(const DensityOrder<T>& order,
                             const std::vector<ValueRange>& radius_ranges, const Run& run) {
  const Index<T>& index = order.index();
  const double* squared_radius = order.squared_radius();
  const NearestBelow<T> search(index, squared_radius, radius_ranges);
  UphillLinks links = unfilled_links(index);
  std::vector<BlockAscent<T>> ascents;
  for (int t = 0; t < run.threads; ++t) ascents.emplace_back(order, radius_ranges);
  parallel_for(
      run, static_cast<std::size_t>(index.blocks()), 8,
      [&](std::size_t begin, std::size_t end, int thread) {
        WorkMeter meter(run, thread);
        BlockAscent<T>& ascent = ascents[static_cast<std::size_t>(thread)];
        std::vector<double> point(static_cast<std::size_t>(index.columns()));
        for (std::size_t block = begin; block < end; ++block) {
          ascent.run(static_cast<std::int32_t>(block));
          for (int lane = 0; lane < ascent.queries().size(); ++lane) {
            const std::int32_t i = ascent.queries().begin() + lane;
            std::int32_t parent = ascent.parent(lane);
            if (parent < 0 && squared_radius[i] > 0)
              parent = search.from_sample(i, squared_radius[i], point.data(), meter).position;
            links.parent[static_cast<std::size_t>(i)] = parent;
            links.mutual_parent[static_cast<std::size_t>(i)] = ascent.mutual_parent(lane, meter);
          }
        }
      });
  return links;
}

}  // namespace

template <class T>
UphillLinks find_uphill_links(const DensityOrder<T>& order, const NeighborLists& lists,
                              const std::vector<ValueRange>& radius_ranges,
                              const Cascade<T>* cascade, const Run& run) {
  return lists.has_lists() ? links_from_lists(order, lists, radius_ranges, cascade, run)
                           : links_from_space(order, radius_ranges, run);
}

#define QSPP_INSTANTIATE(T)                                                                    \
  template UphillLinks find_uphill_links<T>(const DensityOrder<T>&, const NeighborLists&,      \
                                            const std::vector<ValueRange>&, const Cascade<T>*, \
                                            const Run&);
QSPP_INSTANTIATE(float)
QSPP_INSTANTIATE(double)
#undef QSPP_INSTANTIATE

}  // namespace quickshiftpp
