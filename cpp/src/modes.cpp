#include "quickshiftpp/modes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "quickshiftpp/forest.hpp"
#include "quickshiftpp/kernels.hpp"

namespace quickshiftpp {

namespace {

/// Sample `lower` of basin `own` touches basin `other` through a denser neighbour.
struct Edge {
  double squared_radius;  ///< of `lower`: the smaller, the higher the edge
  std::int32_t lower;
  std::int32_t own;
  std::int32_t other;

  bool joins(std::int32_t a, std::int32_t b) const {
    return (own == a && other == b) || (own == b && other == a);
  }
};

/// What one thread has gathered: of the edges between two basins, mostly only the highest.
///
/// Mostly, because the table that finds an earlier edge between the same two is small and forgets.
/// Neighbouring samples touch the same basins, so that it rarely has to.
struct EdgeCollection {
  std::vector<Edge> edges;
  std::vector<std::int32_t> latest = std::vector<std::int32_t>(kSlots, -1);  // number in `edges`
  std::size_t limit = tuning::kForestEdges;

  /// The place of the edge between two basins, or null where none is remembered.
  Edge* find(std::int32_t own, std::int32_t other) {
    const std::int32_t number = slot(own, other);
    if (number < 0) return nullptr;
    Edge& edge = edges[static_cast<std::size_t>(number)];
    return edge.joins(own, other) ? &edge : nullptr;
  }
  void add(const Edge& edge) {
    slot(edge.own, edge.other) = static_cast<std::int32_t>(edges.size());
    edges.push_back(edge);
  }
  void forget() { std::fill(latest.begin(), latest.end(), -1); }

 private:
  static constexpr int kSlotBits = 14;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  std::int32_t& slot(std::int32_t own, std::int32_t other) {
    const auto low = static_cast<std::uint32_t>(std::min(own, other));
    const auto high = static_cast<std::uint32_t>(std::max(own, other));
    return latest[(low * 0x9E3779B1u ^ high * 0x85EBCA77u) >> (32 - kSlotBits)];
  }
};

template <class T>
class TreeBuilder {
 public:
  TreeBuilder(const Index<T>& index, const NeighborLists& lists, const std::int32_t* parent,
              const Run& run)
      : index_(index),
        lists_(lists),
        parent_(parent),
        radius_(lists.squared_radii()),
        kernel_(kernels<T>()),
        run_(run) {}

  ModeTree build() {
    rank_coordinates();
    link_upward();
    link_equal_rows();
    resolve_roots(tree_.basin.data(), index_.samples(), run_);
    number_modes();
    gather_edges();
    merge();
    count_samples();
    return std::move(tree_);
  }

 private:
  bool is_denser(std::int32_t a, std::int32_t b) const {
    if (radius_[a] != radius_[b]) return radius_[a] < radius_[b];
    return rank_.size() > 0
               ? rank_[static_cast<std::size_t>(a)] < rank_[static_cast<std::size_t>(b)]
               : index_.comes_first(a, b);
  }

  /// Where ties are the rule, comparing coordinates each time would be most of the work.
  void rank_coordinates() {
    std::atomic<std::size_t> tied{0};
    parallel_for(
        run_, index_.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
          std::size_t count = 0;
          for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i)
            count += has_ties_beyond(i);
          tied += count;
        });
    has_ties_ = tied > 0;
    if (tied <= index_.samples() / tuning::kTiedShare) return;
    const Buffer<std::int32_t> order = coordinate_order(index_);
    rank_ = Buffer<std::int32_t>(index_.samples());
    for (std::size_t r = 0; r < order.size(); ++r)
      rank_[static_cast<std::size_t>(order[r])] = static_cast<std::int32_t>(r);
  }

  void link_upward() {
    tree_.basin = Buffer<std::int32_t>(index_.samples());
    // A sample with ties may search the whole index: small pieces then, to share and to interrupt.
    parallel_for(run_, index_.samples(), has_ties_ ? 64 : 1024,
                 [&](std::size_t begin, std::size_t end, int) {
                   for (auto i = static_cast<std::int32_t>(begin);
                        i < static_cast<std::int32_t>(end); ++i)
                     tree_.basin[static_cast<std::size_t>(i)] = next_upward(i);
                 });
  }

  /// The nearest denser mutual neighbour of i, or i itself. Any would do for the tree; this one is
  /// mostly among the first few of the list.
  std::int32_t next_upward(std::int32_t i) const {
    // Mostly that is the nearest denser sample of all.
    const std::int32_t parent = parent_[i];
    if (parent < 0) return next_on_plateau(i);
    if (!lists_.keeps_distances() && index_.squared_distance(i, parent) <= radius_[parent])
      return parent;
    const std::int32_t* neighbor = lists_.positions(i);
    // All of smaller radius are in the list, at a distance of at most r_j < r_i.
    std::int32_t next = i;
    double distance = std::numeric_limits<double>::infinity();
    for (int c = 1; c < lists_.k(); ++c) {
      const std::int32_t j = neighbor[c];
      if (next == i && !(radius_[j] < radius_[i])) continue;
      const double squared = lists_.squared_distance(index_, i, c);
      if (squared > distance) break;
      if (radius_[j] < radius_[i] && squared <= radius_[j] && is_denser(j, next)) {
        next = j;
        distance = squared;
      }
    }
    return next == i ? next_on_plateau(i) : next;
  }

  /// Of the neighbours that have the radius of i the densest, or i itself. The list need not hold
  /// all of those at distance exactly r_i, and which ones it does must not matter.
  std::int32_t next_on_plateau(std::int32_t i) const {
    std::int32_t densest = i;
    auto consider = [&](std::int32_t j) {
      if (radius_[j] == radius_[i] && is_denser(j, densest)) densest = j;
    };
    for (int c = 1; c < lists_.k(); ++c) consider(lists_.positions(i)[c]);
    if (has_ties_beyond(i)) for_tied(i, consider);
    return densest;
  }

  /// k or more equal rows have radius zero and only each other as neighbours, but their lists need
  /// not connect them all. One of them stands for the site.
  void link_equal_rows() {
    const Buffer<std::int32_t> sites = zero_radius_sites(index_, radius_);
    std::int32_t first = -1;
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (first < 0 || index_.compare_coordinates(first, sites[s]) != 0) first = sites[s];
      tree_.basin[static_cast<std::size_t>(sites[s])] = first;
    }
  }

  /// Turns tree_.basin from roots into mode numbers.
  void number_modes() {
    const std::size_t n = index_.samples();
    for (std::size_t i = 0; i < n; ++i)
      if (tree_.basin[i] == static_cast<std::int32_t>(i))
        tree_.position.push_back(static_cast<std::int32_t>(i));
    std::sort(tree_.position.begin(), tree_.position.end(),
              [&](std::int32_t a, std::int32_t b) { return is_denser(a, b); });
    Buffer<std::int32_t> number(n);
    for (std::size_t m = 0; m < tree_.modes(); ++m)
      number[static_cast<std::size_t>(tree_.position[m])] = static_cast<std::int32_t>(m);
    parallel_for(run_, n, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i)
        tree_.basin[i] = number[static_cast<std::size_t>(tree_.basin[i])];
    });
  }

  bool is_higher(const Edge& a, const Edge& b) const {
    if (a.squared_radius != b.squared_radius) return a.squared_radius < b.squared_radius;
    if (a.lower != b.lower) return index_.comes_first(a.lower, b.lower);
    return a.other < b.other;
  }

  /// Kruskal's algorithm: calls take(edge, elder, younger) for the edges that join two sets.
  template <class Take>
  void join_highest_first(std::vector<Edge>& edges, Take&& take) const {
    std::sort(edges.begin(), edges.end(),
              [&](const Edge& a, const Edge& b) { return is_higher(a, b); });
    EldestSets sets(tree_.modes());
    for (const Edge& edge : edges) {
      const std::int32_t a = sets.find(edge.own);
      const std::int32_t b = sets.find(edge.other);
      if (a == b) continue;
      take(edge, std::min(a, b), std::max(a, b));
      sets.join(std::min(a, b), std::max(a, b));
    }
  }

  /// Keeps the edges of a highest spanning forest: what a merge tree can be built from.
  void reduce(std::vector<Edge>& edges) const {
    std::vector<Edge> kept;
    join_highest_first(edges, [&](const Edge& edge, auto, auto) { kept.push_back(edge); });
    edges = std::move(kept);
  }

  void gather_edges() {
    std::vector<EdgeCollection> collections(static_cast<std::size_t>(run_.threads));
    const auto blocks = static_cast<std::size_t>(index_.blocks());
    parallel_for(run_, blocks, has_ties_ ? 2 : 16, [&](std::size_t begin, std::size_t end, int t) {
      EdgeCollection& collection = collections[static_cast<std::size_t>(t)];
      for (std::int32_t i = index_.block_begin(static_cast<std::int32_t>(begin));
           i < index_.block_end(static_cast<std::int32_t>(end) - 1); ++i) {
        touch_other_basins(i, collection);
        if (collection.edges.size() >= collection.limit) {
          reduce(collection.edges);
          collection.forget();
          collection.limit = std::max(tuning::kForestEdges, 2 * collection.edges.size());
        }
      }
    });
    for (EdgeCollection& collection : collections) {
      edges_.insert(edges_.end(), collection.edges.begin(), collection.edges.end());
      collection.edges = {};
    }
  }

  /// Adds the edges from i to denser neighbours in other basins that are higher than those known.
  void touch_other_basins(std::int32_t i, EdgeCollection& collection) const {
    const std::int32_t own = tree_.basin[static_cast<std::size_t>(i)];
    // Whether the basin of j needs no further look: it is joined to this one as high as i can.
    auto touch = [&](std::int32_t j, auto&& squared_distance) {
      const std::int32_t other = tree_.basin[static_cast<std::size_t>(j)];
      const Edge edge{radius_[i], i, own, other};
      // What is known costs less to look up than a distance, and mostly settles it.
      Edge* known = collection.find(own, other);
      if (known != nullptr && !is_higher(edge, *known)) return true;
      if (!is_denser(j, i) || squared_distance() > radius_[j]) return false;
      if (known != nullptr)
        *known = edge;
      else
        collection.add(edge);
      return true;
    };
    const std::int32_t* neighbor = lists_.positions(i);
    const std::int32_t* basin = tree_.basin.data();
    std::int32_t last = own;  // all edges of i to one basin are equally high
    for (int c = 1; (c = kernel_.next_upward_abroad(neighbor, c, lists_.k(), basin, radius_, own,
                                                    last, radius_[i])) < lists_.k();
         ++c)
      if (touch(neighbor[c], [&] { return lists_.squared_distance(index_, i, c); }))
        last = basin[neighbor[c]];
    if (has_ties_beyond(i))
      for_tied(i, [&](std::int32_t j) {
        if (basin[j] != own) touch(j, [&] { return radius_[j]; });
      });
  }

  /// Whether denser mutual neighbours of i may be missing from its list. Equal rows are linked
  /// apart.
  bool has_ties_beyond(std::int32_t i) const { return lists_.tied_beyond(i) && radius_[i] > 0; }

  /// Calls visit(j) for the denser samples j at distance exactly r_i = r_j, in i's list or not.
  /// They are found again rather than stored: there may be far more than n k of them.
  template <class Visit>
  void for_tied(std::int32_t i, Visit&& visit) const {
    const int columns = index_.columns();
    std::vector<double> point(static_cast<std::size_t>(columns));
    index_.gather(i, point.data());
    const double limit = radius_[i];
    constexpr std::int32_t all = std::numeric_limits<std::int32_t>::max();
    visit_outward(
        index_, i / tuning::kBlock, all,
        [&](std::size_t node) {
          // Equal samples have one radius: all of them are meant, or none.
          if (index_.is_point(node) &&
              radius_[index_.block_begin(index_.node(node).first)] != limit)
            return std::numeric_limits<double>::infinity();
          return node_distance(index_, node, point.data());
        },
        [&] { return limit; },
        [&](std::int32_t block, std::size_t) {
          double squared[kFoundCapacity];
          std::int32_t position[kFoundCapacity];
          const int found = kernel_.within(index_.block(block), index_.block_begin(block), columns,
                                           point.data(), limit, squared, position);
          for (int c = 0; c < found; ++c) {
            const std::int32_t j = position[c];
            if (squared[c] == limit && radius_[j] == limit && is_denser(j, i)) visit(j);
          }
        });
  }

  void merge() {
    tree_.saddle.assign(tree_.modes(), -1);
    tree_.parent.assign(tree_.modes(), -1);
    join_highest_first(edges_, [&](const Edge& edge, std::int32_t elder, std::int32_t younger) {
      tree_.saddle[static_cast<std::size_t>(younger)] = edge.lower;
      tree_.parent[static_cast<std::size_t>(younger)] = elder;
    });
  }

  void count_samples() {
    tree_.size.assign(tree_.modes(), 0);
    for (std::size_t i = 0; i < index_.samples(); ++i)
      ++tree_.size[static_cast<std::size_t>(tree_.basin[i])];
    for (std::size_t m = tree_.modes(); m-- > 0;)  // a parent has a lower number
      if (tree_.parent[m] >= 0)
        tree_.size[static_cast<std::size_t>(tree_.parent[m])] += tree_.size[m];
  }

  const Index<T>& index_;
  const NeighborLists& lists_;
  const std::int32_t* parent_;  // by position
  const double* radius_;        // squared, by position
  const Kernels<T>& kernel_;
  const Run& run_;
  Buffer<std::int32_t> rank_;  // by position, in the order that settles ties; empty where few tie
  bool has_ties_ = false;
  ModeTree tree_;
  std::vector<Edge> edges_;
};

}  // namespace

template <class T>
ModeTree mode_tree(const Index<T>& index, const NeighborLists& lists, const std::int32_t* parent,
                   const Run& run) {
  return TreeBuilder<T>(index, lists, parent, run).build();
}

template ModeTree mode_tree<float>(const Index<float>&, const NeighborLists&, const std::int32_t*,
                                   const Run&);
template ModeTree mode_tree<double>(const Index<double>&, const NeighborLists&, const std::int32_t*,
                                    const Run&);

}  // namespace quickshiftpp
