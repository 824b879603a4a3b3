#include "quickshiftpp/tree/mode_tree.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "support/paths.hpp"
#include "support/radix_sort.hpp"
#include "tree/graph.hpp"

namespace quickshiftpp {

namespace {

/// Sample `lower` of basin `own` touches basin `other` through a denser neighbour.
struct Edge {
  double squared_radius;  ///< of `lower`: the smaller, the higher the edge
  std::int32_t lower;
  std::int32_t own;
  std::int32_t other;

  bool joins(std::int32_t a, std::int32_t b) const {
    // Without a branch: which of the two it is cannot be guessed.
    return static_cast<bool>(((own == a) & (other == b)) | ((own == b) & (other == a)));
  }
};

/// What one thread has gathered: of the edges between two basins, mostly only the highest.
///
/// Mostly, because the table of those that can still be found is small: one that comes to the place
/// of another puts it away for good. Neighbouring samples touch the same basins, so that few do.
class EdgeCollection {
 public:
  explicit EdgeCollection(std::size_t modes)
      : bits_(std::min(tuning::kEdgeBits, 2 + static_cast<int>(std::bit_width(modes)))),
        recent_(std::size_t{1} << bits_, kNone) {}

  /// Where the edge between two basins belongs: there it lies, or another.
  Edge& place(std::int32_t own, std::int32_t other) {
    const auto low = static_cast<std::uint32_t>(std::min(own, other));
    const auto high = static_cast<std::uint32_t>(std::max(own, other));
    return recent_[(low * 0x9E3779B1u ^ high * 0x85EBCA77u) >> (32 - bits_)];
  }
  void put_away(const Edge& edge) {
    if (edge.own >= 0) away_.push_back(edge);
  }
  bool is_full() const { return away_.size() >= limit_; }

  /// Takes all edges out.
  std::vector<Edge> take() {
    for (Edge& edge : recent_) {
      put_away(edge);
      edge = kNone;
    }
    return std::move(away_);
  }
  /// Takes back what is left of them.
  void put_back(std::vector<Edge> edges) {
    away_ = std::move(edges);
    limit_ = std::max(tuning::kForestEdges, 2 * away_.size());
  }

 private:
  static constexpr Edge kNone{std::numeric_limits<double>::infinity(), -1, -1, -1};

  int bits_;
  std::vector<Edge> recent_;
  std::vector<Edge> away_;
  std::size_t limit_ = tuning::kForestEdges;
};

template <class T, class Graph>
class TreeBuilder {
 public:
  TreeBuilder(const DensityOrder<T>& order, Graph graph, bool has_ties, const Run& run)
      : order_(order),
        index_(order.index()),
        radius_(order.radius()),
        graph_(std::move(graph)),
        has_ties_(has_ties),
        run_(run) {}

  ModeTree build(Parents& parents) {
    link_upward(parents);
    link_equal_rows(parents);
    number_modes();
    gather_edges();
    merge();
    add_descendants();
    return std::move(tree_);
  }

 private:
  void link_upward(Parents& parents) {
    tree_.basin = std::move(parents.next);
    // A sample with ties may search the whole index: small pieces then, to share and to interrupt.
    parallel_for(run_, index_.samples(), has_ties_ ? 64 : 1024,
                 [&](std::size_t begin, std::size_t end, int) {
                   for (std::size_t i = begin; i < end; ++i)
                     if (tree_.basin[i] < 0)
                       tree_.basin[i] =
                           graph_.next_upward(static_cast<std::int32_t>(i), parents.parent[i]);
                 });
  }

  /// k or more equal rows have radius zero and only each other as neighbours, but their lists need
  /// not connect them all. One of them stands for the site.
  void link_equal_rows(const Parents& parents) {
    const bool has_zeros = std::any_of(parents.extremes.begin(), parents.extremes.end(),
                                       [](const ValueRange& radii) { return radii.least == 0; });
    if (!has_zeros) return;
    const Buffer<std::int32_t> sites = zero_radius_sites(index_, radius_);
    std::int32_t first = -1;
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (first < 0 || index_.compare_coordinates(first, sites[s]) != 0) first = sites[s];
      tree_.basin[static_cast<std::size_t>(sites[s])] = first;
    }
  }

  /// Turns tree_.basin from the way up into mode numbers, and counts the samples of each.
  void number_modes() {
    const std::size_t n = index_.samples();
    std::int32_t* basin = tree_.basin.data();
    start_paths(basin, n, run_);
    std::vector<std::vector<std::int32_t>> roots(static_cast<std::size_t>(run_.threads));
    parallel_for(run_, n, tuning::kGrain, [&](std::size_t begin, std::size_t end, int thread) {
      walk_paths(basin, begin, end, [&](std::size_t i, std::int32_t root) {
        if (root == static_cast<std::int32_t>(i))
          roots[static_cast<std::size_t>(thread)].push_back(root);
      });
    });
    tree_.position = concatenate(roots);
    sort_by_key(
        tree_.position, [&](std::int32_t i) { return radius_[i]; },
        [&](std::int32_t a, std::int32_t b) { return order_.is_denser(a, b); }, run_);
    for (std::size_t m = 0; m < tree_.modes(); ++m)
      basin[tree_.position[m]] = static_cast<std::int32_t>(m);
    tree_.size.assign(tree_.modes(), 0);
    parallel_for(run_, n, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
      LabelCounter counter(tree_.size);
      for (std::size_t i = begin; i < end; ++i) {
        if (basin[i] < 0) basin[i] = basin[~basin[i]];
        counter.add(basin[i]);
      }
    });
  }

  bool is_higher(const Edge& a, const Edge& b) const {
    if (a.squared_radius != b.squared_radius) return a.squared_radius < b.squared_radius;
    if (a.lower != b.lower) return index_.comes_first(a.lower, b.lower);
    return a.other < b.other;
  }

  void sort_highest_first(std::vector<Edge>& edges) const {
    sort_by_key(
        edges, [](const Edge& edge) { return edge.squared_radius; },
        [this](const Edge& a, const Edge& b) { return is_higher(a, b); }, run_);
  }

  /// Kruskal's algorithm over edges that come highest first: calls take(edge, elder, younger) for
  /// those that join two sets.
  template <class Take>
  void join(const std::vector<Edge>& edges, Take&& take) const {
    UnionFind sets(tree_.modes());
    for (const Edge& edge : edges) {
      const std::int32_t a = sets.find(edge.own);
      const std::int32_t b = sets.find(edge.other);
      if (a == b) continue;
      take(edge, std::min(a, b), std::max(a, b));
      sets.join(std::min(a, b), std::max(a, b));
    }
  }

  /// The edges of a highest spanning forest: what a merge tree can be built from.
  std::vector<Edge> forest(std::vector<Edge> edges) const {
    std::vector<Edge> kept;
    sort_highest_first(edges);
    join(edges, [&](const Edge& edge, auto, auto) { kept.push_back(edge); });
    return kept;
  }

  void gather_edges() {
    std::vector<EdgeCollection> collections(static_cast<std::size_t>(run_.threads),
                                            EdgeCollection(tree_.modes()));
    const auto blocks = static_cast<std::size_t>(index_.blocks());
    graph_.take_basins(tree_.basin.data(), run_);
    const std::size_t grain = graph_.border_blocks();
    parallel_for(run_, blocks, grain, [&](std::size_t begin, std::size_t end, int t) {
      EdgeCollection& collection = collections[static_cast<std::size_t>(t)];
      graph_.touch_other_basins(static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), t,
                                Gather{*this, collection});
      if (collection.is_full()) collection.put_back(forest(collection.take()));
    });
    std::vector<std::vector<Edge>> parts;
    for (EdgeCollection& collection : collections) parts.push_back(collection.take());
    edges_ = concatenate(parts);
    sort_highest_first(edges_);
  }

  /// Takes the edges between basins that a graph finds.
  struct Gather {
    const TreeBuilder& builder;
    EdgeCollection& collection;

    /// Adds the edge from i to its neighbour j in another basin if it is higher than those known.
    /// Returns whether that basin needs no further look: it is joined as high as i can. Without a
    /// distance the two are known to be neighbours.
    bool operator()(std::int32_t i, std::int32_t j) const {
      return (*this)(i, j, [] { return 0.0; });
    }
    template <class Distance>
    bool operator()(std::int32_t i, std::int32_t j, Distance&& squared_distance) const {
      const double* radius = builder.radius_;
      const std::int32_t own = builder.tree_.basin[static_cast<std::size_t>(i)];
      const std::int32_t other = builder.tree_.basin[static_cast<std::size_t>(j)];
      const Edge edge{radius[i], i, own, other};
      // What is known costs less to look up than a distance, and mostly settles it.
      Edge& known = collection.place(own, other);
      const bool is_known = known.joins(own, other);
      if (is_known && !builder.is_higher(edge, known)) return true;
      if (!builder.order_.is_denser(j, i) || squared_distance() > radius[j]) return false;
      if (!is_known) collection.put_away(known);
      known = edge;
      return true;
    }

    /// Whether two basins are known to be joined higher than a sample of this squared radius can.
    bool is_settled(double radius, std::int32_t own, std::int32_t other) const {
      const Edge& known = collection.place(own, other);
      return static_cast<bool>(known.joins(own, other) & (known.squared_radius < radius));
    }

    /// The squared radius of the highest edge known between two basins, infinity for none.
    double known_radius(std::int32_t own, std::int32_t other) const {
      const Edge& known = collection.place(own, other);
      return known.joins(own, other) ? known.squared_radius
                                     : std::numeric_limits<double>::infinity();
    }
  };

  void merge() {
    tree_.saddle.assign(tree_.modes(), -1);
    tree_.parent.assign(tree_.modes(), -1);
    join(edges_, [&](const Edge& edge, std::int32_t elder, std::int32_t younger) {
      tree_.saddle[static_cast<std::size_t>(younger)] = edge.lower;
      tree_.parent[static_cast<std::size_t>(younger)] = elder;
    });
  }

  /// Adds to each mode's samples those of the modes below it.
  void add_descendants() {
    for (std::size_t m = tree_.modes(); m-- > 0;)  // a parent has a lower number
      if (tree_.parent[m] >= 0)
        tree_.size[static_cast<std::size_t>(tree_.parent[m])] += tree_.size[m];
  }

  const DensityOrder<T>& order_;
  const Index<T>& index_;
  const double* radius_;  // squared, by position
  Graph graph_;
  bool has_ties_;
  const Run& run_;
  ModeTree tree_;
  std::vector<Edge> edges_;
};

/// How many samples have others, not in their list, as near as the last of it.
std::size_t count_tied(const NeighborLists& lists, const Run& run) {
  std::atomic<std::size_t> tied{0};
  parallel_for(run, lists.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    std::size_t count = 0;
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i)
      count += lists.tied_beyond(i) && lists.squared_radii()[i] > 0;
    tied += count;
  });
  return tied;
}

}  // namespace

template <class T>
ModeTree mode_tree(const Index<T>& index, const NeighborLists& lists, Parents& parents,
                   NearBlocks* near, const Run& run) {
  DensityOrder<T> order(index, lists.squared_radii());
  const std::size_t tied = count_tied(lists, run);
  if (tied > index.samples() / tuning::kTiedShare) order.rank_coordinates();
  if (!lists.keeps_lists())
    return TreeBuilder(order, SearchedGraph<T>(order, parents.extremes, lists.k(), near), tied > 0,
                       run)
        .build(parents);
  if (can_search_again(index) &&
      tuning::is_faster_searched(index.columns(), lists.k(), lists.stride()))
    return TreeBuilder(order, ClimbedGraph<T>(order, lists, tied > 0, parents.extremes, near),
                       tied > 0, run)
        .build(parents);
  return TreeBuilder(order, ListedGraph<T>(order, lists, tied > 0), tied > 0, run).build(parents);
}

template ModeTree mode_tree<float>(const Index<float>&, const NeighborLists&, Parents&, NearBlocks*,
                                   const Run&);
template ModeTree mode_tree<double>(const Index<double>&, const NeighborLists&, Parents&,
                                    NearBlocks*, const Run&);

}  // namespace quickshiftpp
