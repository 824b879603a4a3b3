#include "quickshiftpp/tree/mode_tree.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "support/count_labels.hpp"
#include "support/follow_links.hpp"
#include "support/parallel_sort.hpp"
#include "tree/ascent.hpp"
#include "tree/basin_edges.hpp"
#include "tree/block_basins.hpp"
#include "tree/density_order.hpp"
#include "tree/list_edges.hpp"
#include "tree/spatial_edges.hpp"

namespace quickshiftpp {

namespace {

/// What threads have gathered, one after the other.
template <class Value>
std::vector<Value> concatenate(std::vector<std::vector<Value>> parts) {
  std::vector<Value> all = std::move(parts.front());
  for (std::size_t p = 1; p < parts.size(); ++p)
    all.insert(all.end(), parts[p].begin(), parts[p].end());
  return all;
}

template <class T>
class TreeBuilder {
 public:
  TreeBuilder(const Index<T>& index, const NeighborLists& lists, const Run& run)
      : index_(index),
        lists_(lists),
        squared_radius_(lists.squared_radii()),
        radius_ranges_(index.value_ranges(squared_radius_, run)),
        order_(index, squared_radius_),
        run_(run) {
    tied_ = count_tied();
    if (tied_ > index.samples() / tuning::kTiedShare) order_.rank_ties(run);
  }

  ModeTree build(const Cascade<T>* cascade) {
    UphillLinks links = find_uphill_links(order_, lists_, radius_ranges_, cascade, run_);
    tree_.row_at_position = index_.share_row_at_position();
    tree_.squared_radius = lists_.share_squared_radii();
    tree_.parent = std::move(links.parent);
    link_equal_rows(links.mutual_parent);
    number_basins(std::move(links.mutual_parent));
    merge(find_edges());
    return std::move(tree_);
  }

 private:
  /// How many samples have others, not in their list, at distance exactly r.
  std::size_t count_tied() const {
    std::atomic<std::size_t> tied{0};
    parallel_for(run_, index_.samples(), tuning::kGrain,
                 [&](std::size_t begin, std::size_t end, int) {
                   std::size_t count = 0;
                   for (std::size_t i = begin; i < end; ++i)
                     count += has_tied_neighbors(order_, lists_, static_cast<std::int32_t>(i));
                   tied += count;
                 });
    return tied;
  }

  /// k or more equal rows have radius zero and only each other as neighbors, but their lists need
  /// not connect them all. The first of them becomes the mutual parent of the others.
  void link_equal_rows(Buffer<std::int32_t>& mutual_parent) const {
    const bool has_zero_radii =
        std::any_of(radius_ranges_.begin(), radius_ranges_.end(),
                    [](const ValueRange& range) { return range.least == 0; });
    if (!has_zero_radii) return;
    const Buffer<std::int32_t> sites = positions_in_tie_order(
        index_, [&](std::int32_t i) { return squared_radius_[i] == 0; }, run_);
    for_each_site(index_, sites, [&](std::size_t first, std::size_t last) {
      for (std::size_t s = first; s < last; ++s)
        mutual_parent[static_cast<std::size_t>(sites[s])] = sites[first];
    });
  }

  /// Follows the mutual parents to the modes, numbers these from the densest down, and gives every
  /// sample the number of its mode.
  void number_basins(Buffer<std::int32_t> mutual_parent) {
    const std::size_t samples = index_.samples();
    follow_links(mutual_parent, run_);
    for (std::size_t i = 0; i < samples; ++i)
      if (mutual_parent[i] == static_cast<std::int32_t>(i))
        tree_.mode_position.push_back(static_cast<std::int32_t>(i));
    parallel_sort(
        tree_.mode_position.begin(), tree_.mode_position.end(),
        [&](std::int32_t a, std::int32_t b) { return order_.is_denser(a, b); }, run_);
    tree_.basin = Buffer<std::int32_t>(samples);
    for (std::size_t m = 0; m < tree_.modes(); ++m)
      tree_.basin[static_cast<std::size_t>(tree_.mode_position[m])] = static_cast<std::int32_t>(m);
    parallel_for(run_, samples, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i)
        if (mutual_parent[i] != static_cast<std::int32_t>(i))
          tree_.basin[i] = tree_.basin[static_cast<std::size_t>(mutual_parent[i])];
    });
    tree_.size = count_labels(tree_.basin.data(), samples, tree_.modes(), run_);
  }

  /// Edges between basins, highest first, among them a spanning forest of the highest.
  std::vector<BasinEdge> find_edges() const {
    const std::int32_t* basin = tree_.basin.data();
    std::vector<BasinEdges<T>> collected(static_cast<std::size_t>(run_.threads),
                                         BasinEdges<T>(order_, basin, tree_.modes()));
    const bool is_spatial =
        !lists_.has_lists() ||
        (can_skip_lists(index_) && tuning::spatial_edges_are_faster(index_.columns(), lists_.k()));
    if (!is_spatial) {
      const ListEdges<T> search(order_, lists_, basin);
      for_each_piece(collected, [&](std::int32_t begin, std::int32_t end, int thread) {
        WorkMeter meter(run_, thread);
        search.find(index_.block_begin(begin), index_.block_end(end - 1),
                    collected[static_cast<std::size_t>(thread)], meter);
      });
    } else {
      const BlockBasins block_basins(index_, basin, squared_radius_, run_);
      std::vector<SpatialEdges<T>> searches(static_cast<std::size_t>(run_.threads),
                                            SpatialEdges<T>(order_, radius_ranges_, block_basins));
      for_each_piece(collected, [&](std::int32_t begin, std::int32_t end, int thread) {
        const auto t = static_cast<std::size_t>(thread);
        searches[t].find(begin, end, collected[t]);
      });
    }
    std::vector<std::vector<BasinEdge>> parts;
    for (BasinEdges<T>& edges : collected) parts.push_back(edges.take());
    std::vector<BasinEdge> edges = concatenate(std::move(parts));
    parallel_sort(edges.begin(), edges.end(), IsHigher<T>{order_}, run_);
    return edges;
  }

  /// Calls find(begin, end, thread) for pieces of all blocks. Small ones where a sample with ties
  /// may search the whole index.
  template <class Find>
  void for_each_piece(std::vector<BasinEdges<T>>& collected, Find&& find) const {
    const std::size_t grain = tied_ > 0 ? tuning::kTiedEdgeBlocks : tuning::kEdgeBlocks;
    parallel_for(run_, static_cast<std::size_t>(index_.blocks()), grain,
                 [&](std::size_t begin, std::size_t end, int thread) {
                   find(static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), thread);
                   collected[static_cast<std::size_t>(thread)].reduce_when_full();
                 });
  }

  void merge(const std::vector<BasinEdge>& edges) {
    tree_.saddle_position.assign(tree_.modes(), -1);
    tree_.parent_mode.assign(tree_.modes(), -1);
    join_highest_first(edges, tree_.modes(),
                       [&](const BasinEdge& edge, std::int32_t parent, std::int32_t child) {
                         tree_.saddle_position[static_cast<std::size_t>(child)] = edge.lower;
                         tree_.parent_mode[static_cast<std::size_t>(child)] = parent;
                       });
    for (std::size_t m = tree_.modes(); m-- > 0;)  // children before parents
      if (tree_.parent_mode[m] >= 0)
        tree_.size[static_cast<std::size_t>(tree_.parent_mode[m])] += tree_.size[m];
  }

  const Index<T>& index_;
  const NeighborLists& lists_;
  const double* squared_radius_;  // by position
  std::vector<ValueRange> radius_ranges_;
  DensityOrder<T> order_;
  const Run& run_;
  std::size_t tied_ = 0;
  ModeTree tree_;
};

}  // namespace

double radius_ratio(double squared_radius, double mode_squared_radius) {
  if (squared_radius == mode_squared_radius) return 1;
  return mode_squared_radius == 0 ? std::numeric_limits<double>::infinity()
                                  : squared_radius / mode_squared_radius;
}

double ModeTree::saddle_ratio(std::size_t mode) const {
  const std::int32_t saddle = saddle_position[mode];
  if (saddle < 0) return std::numeric_limits<double>::infinity();
  return radius_ratio((*squared_radius)[static_cast<std::size_t>(saddle)],
                      (*squared_radius)[static_cast<std::size_t>(mode_position[mode])]);
}

std::vector<double> ModeTree::saddle_ratios() const {
  std::vector<double> ratios(modes());
  for (std::size_t m = 0; m < modes(); ++m) ratios[m] = saddle_ratio(m);
  return ratios;
}

template <class T>
ModeTree build_mode_tree(const Index<T>& index, const NeighborLists& lists,
                         const Cascade<T>* cascade, const Run& run) {
  return TreeBuilder<T>(index, lists, run).build(cascade);
}

template ModeTree build_mode_tree<float>(const Index<float>&, const NeighborLists&,
                                         const Cascade<float>*, const Run&);
template ModeTree build_mode_tree<double>(const Index<double>&, const NeighborLists&,
                                          const Cascade<double>*, const Run&);

}  // namespace quickshiftpp
