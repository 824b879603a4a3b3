#include "quickshiftpp/tree/mode_tree.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>

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

namespace {

void require(bool condition) {
  if (!condition) throw std::invalid_argument("the mode tree is damaged");
}

bool is_below(std::int32_t number, std::size_t count) {
  return number >= 0 && static_cast<std::size_t>(number) < count;
}

void check_samples(const ModeTree& tree) {
  const std::size_t samples = tree.samples();
  require(samples > 0 && tree.row_at_position->size() == samples && tree.parent.size() == samples);
  std::vector<bool> has_row(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::int32_t row = (*tree.row_at_position)[i];
    require(is_below(row, samples) && !has_row[static_cast<std::size_t>(row)]);
    has_row[static_cast<std::size_t>(row)] = true;
  }
  const double* squared_radius = tree.squared_radius->data();
  double smallest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < samples; ++i) {
    require(squared_radius[i] >= 0 && std::isfinite(squared_radius[i]));
    smallest = std::min(smallest, squared_radius[i]);
  }
  for (std::size_t i = 0; i < samples; ++i) {
    // A climb from parent to parent gets denser with every step, so it ends, and it ends at a
    // sample of the smallest radius, which always lies in a core: that of its basin's mode.
    const std::int32_t parent = tree.parent[i], basin = tree.basin[i];
    require(parent == -1 ? squared_radius[i] == smallest
                         : is_below(parent, samples) && squared_radius[parent] < squared_radius[i]);
    require(is_below(basin, tree.modes()));
    const std::int32_t mode = tree.mode_position[static_cast<std::size_t>(basin)];
    require(squared_radius[mode] <= squared_radius[i]);
  }
}

void check_modes(const ModeTree& tree) {
  const std::size_t modes = tree.modes();
  require(tree.saddle_position.size() == modes && tree.parent_mode.size() == modes &&
          tree.size.size() == modes);
  const double* squared_radius = tree.squared_radius->data();
  for (std::size_t m = 0; m < modes; ++m) {
    const std::int32_t mode = tree.mode_position[m], saddle = tree.saddle_position[m];
    require(is_below(mode, tree.samples()));
    require(m == 0 || squared_radius[tree.mode_position[m - 1]] <= squared_radius[mode]);
    require(saddle == -1 ? tree.parent_mode[m] == -1
                         : is_below(saddle, tree.samples()) && is_below(tree.parent_mode[m], m));
  }
}

}  // namespace

void check_structure(const ModeTree& tree) {
  require(tree.squared_radius->size() == tree.samples());
  check_modes(tree);
  check_samples(tree);
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
