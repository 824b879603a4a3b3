#include "quickshiftpp/search/cascade.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "search/cascade_data.hpp"
#include "search/cascade_pairs.hpp"
#include "search/joint_search.hpp"
#include "search/neighbor_tables.hpp"
#include "search/query_group.hpp"
#include "search/top_k.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;
using tuning::kQueryGroup;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Brings the bound of a list of k up to date, since an exact distance costs far more. Not that of
/// a list that is not full, which has none, nor of a long one whose radius is settled: most of what
/// is measured belongs to it anyway.
template <class T>
void merge_if_it_pays(const CascadeData<T>& data, int k, TopK<T>& list) {
  if (list.is_full() && (!data.projected.settles() || k <= kShortListSize))
    list.merge_pending(data.index, data.kernel);
}

/// The first phase: finds the k nearest of one block of samples at a time.
template <class T>
class BlockSearch {
 public:
  BlockSearch(const CascadeData<T>& data, int k)
      : data_(data),
        k_(k),
        storage_(kBlock * TopK<T>::storage_size(k)),
        top_k_(std::make_unique<TopK<T>[]>(kBlock)) {
    for (int i = 0; i < kBlock / kQueryGroup; ++i) groups_.emplace_back(data, k);
  }

  /// Searches up to `most` blocks, the nearest first. Their numbers are added to `visited`, sorted,
  /// unless all blocks may be searched.
  template <class Store>
  void run(std::int32_t block, std::size_t most, std::vector<std::int32_t>& visited, Store&& store,
           WorkMeter& meter) {
    const Index<float>& tree = data_.tree;
    const int lanes = tree.block_end(block) - tree.block_begin(block);
    for (int first = 0; first < kBlock; first += kQueryGroup)
      groups_[static_cast<std::size_t>(first / kQueryGroup)].assign(
          tree.block_begin(block) + first, std::clamp(lanes - first, 0, kQueryGroup));
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int32_t position = tree.block_begin(block) + lane;
      top_k_[lane].reset(data_.kernel, storage_.data() + lane * TopK<T>::storage_size(k_), k_,
                         tree.row_at(position));
    }
    const double* box = tree.box(tree.leaf(block));
    const bool searches_all = most >= static_cast<std::size_t>(tree.blocks());
    squared_radius_ = kInfinity;
    // One more copy than k, so that the list knows of a tie beyond it.
    visit_outward(
        tree, block, k_ / kBlock + 1,
        [&](std::size_t node) { return data_.box_distance(box, node); },
        [&] { return visited.size() < most ? squared_radius_ : -1; },
        [&](std::int32_t other, std::size_t) {
          search_block(other);
          meter.spend(data_.screen_operations() * kBlock);
          if (!searches_all) visited.push_back(other);
        });
    for_each_group([&](QueryGroup<T>& group, auto&& take) { group.finish(take, meter); });
    for (int lane = 0; lane < lanes; ++lane) {
      top_k_[lane].merge_pending(data_.index, data_.kernel);
      store(static_cast<std::size_t>(tree.row_at(tree.block_begin(block) + lane)), top_k_[lane]);
    }
    std::sort(visited.begin(), visited.end());
  }

 private:
  /// Takes what one group finds into the lists of its queries.
  struct Take {
    BlockSearch& search;
    std::size_t group;

    void operator()(int q, std::int32_t row, double squared) const {
      list(q).add(search.data_.index, search.data_.kernel, squared, row);
    }
    void update_bound(int q) const {
      merge_if_it_pays(search.data_, search.k_, list(q));
      // A bound of zero cannot fall: no other sample changes the radius.
      const bool is_done = list(q).bound() == 0 && list(q).is_full();
      search.groups_[group].set_bound(q, is_done ? -1 : list(q).bound());
    }
    TopK<T>& list(int q) const {
      return search.top_k_[group * kQueryGroup + static_cast<std::size_t>(q)];
    }
  };

  /// Calls work(group, take) for the groups that hold queries.
  template <class Work>
  void for_each_group(Work&& work) {
    for (std::size_t g = 0; g < groups_.size() && groups_[g].queries() > 0; ++g)
      work(groups_[g], Take{*this, g});
  }

  void search_block(std::int32_t block) {
    squared_radius_ = -1;
    for_each_group([&](QueryGroup<T>& group, auto&& take) {
      group.search_block(block, AllWanted{}, take);
      squared_radius_ = std::max(squared_radius_, group.squared_radius());
    });
  }

  const CascadeData<T>& data_;
  int k_;
  Buffer<Candidate> storage_;
  std::unique_ptr<TopK<T>[]> top_k_;
  std::vector<QueryGroup<T>> groups_;
  double squared_radius_ = kInfinity;  // the largest of all queries
};

/// Up to kQueryGroup queries that are near each other and search the tree together.
template <class T>
class NearbyQueries {
 public:
  /// For queries that look for their k nearest.
  NearbyQueries(const CascadeData<T>& data, int k)
      : data_(data), group_(data, k), box_(2 * static_cast<std::size_t>(data.tree.columns())) {}

  void clear() {
    group_.clear();
    const auto axes = static_cast<std::ptrdiff_t>(data_.tree.columns());
    std::fill_n(box_.begin(), axes, kInfinity);
    std::fill_n(box_.begin() + axes, axes, -kInfinity);
  }
  void add(std::int32_t position) {
    group_.add(position);
    const auto axes = static_cast<std::size_t>(data_.tree.columns());
    for (std::size_t a = 0; a < axes; ++a) {
      const double value = data_.tree.coordinate(position, static_cast<int>(a));
      box_[a] = std::min(box_[a], value);
      box_[axes + a] = std::max(box_[axes + a], value);
    }
  }
  int size() const { return group_.queries(); }
  void set_bound(int q, double squared_distance) { group_.set_bound(q, squared_distance); }

  /// See visit_outward and QueryGroup::search_block. Skips the nodes for which admits(node) is
  /// false.
  template <class Admits, class IsWanted, class Take>
  void search(std::int32_t max_equal_blocks, Admits&& admits, IsWanted&& is_wanted, Take&& take,
              WorkMeter& meter) {
    const Index<float>& tree = data_.tree;
    visit_outward(
        tree, group_.position(0) / kBlock, max_equal_blocks,
        [&](std::size_t node) {
          if (!admits(node)) return kInfinity;
          return box_box_distance(box_.data(), tree.box(node), tree.columns());
        },
        // The largest finite number, so that infinity always means "skip".
        [&] { return std::min(group_.squared_radius(), std::numeric_limits<double>::max()); },
        [&](std::int32_t block, std::size_t) {
          group_.search_block(block, is_wanted, take);
          meter.spend(data_.screen_operations() * kQueryGroup);
        });
    group_.finish(take, meter);
  }

 private:
  const CascadeData<T>& data_;
  QueryGroup<T> group_;
  std::vector<double> box_;  // of the queries
};

/// The nearest samples below their limits, for a few queries that are near each other.
template <class T>
class BelowSearch {
 public:
  /// `key` by row, `key_ranges` by node of the cascade's tree.
  BelowSearch(const CascadeData<T>& data, const double* key,
              const std::vector<ValueRange>& key_ranges)
      : data_(data), key_(key), key_ranges_(key_ranges), queries_(data, 1) {}

  void clear() {
    queries_.clear();
    highest_ = -kInfinity;
  }
  void add(std::int32_t position, double limit, NearestSample* found) {
    const int q = queries_.size();
    queries_.add(position);
    limit_[q] = limit;
    highest_ = std::max(highest_, limit);
    found_[q] = found;
    *found = {-1, kInfinity};
  }
  void run(WorkMeter& meter) {
    queries_.search(
        1, [&](std::size_t node) { return key_ranges_[node].least < highest_; },
        [&](int q, std::int32_t row) { return key_[row] < limit_[q]; }, Take{*this}, meter);
  }

 private:
  struct Take {
    BelowSearch& search;
    void operator()(int q, std::int32_t row, double squared) const {
      search.consider(q, row, squared);
    }
    void update_bound(int) const {}  // done already
  };

  void consider(int q, std::int32_t row, double squared) {
    NearestSample& best = *found_[q];
    if (squared > best.squared_distance) return;
    if (squared == best.squared_distance && best.position >= 0 &&
        !precedes_by_key(data_.by_row, key_, row, best.position))
      return;
    best = {row, squared};
    queries_.set_bound(q, squared);
  }

  const CascadeData<T>& data_;
  const double* key_;
  const std::vector<ValueRange>& key_ranges_;
  NearbyQueries<T> queries_;
  double limit_[kQueryGroup];
  double highest_ = -kInfinity;  // of the limits
  NearestSample* found_[kQueryGroup];
};

/// The k nearest among the first rows, for a few queries that are near each other.
template <class T>
class FirstRowsSearch {
 public:
  /// Only the rows below `rows` are searched.
  FirstRowsSearch(const CascadeData<T>& data, std::int32_t rows, int k)
      : data_(data),
        rows_(rows),
        k_(k),
        storage_(kQueryGroup * TopK<T>::storage_size(k)),
        queries_(data, k) {}

  void clear() { queries_.clear(); }
  void add(std::int32_t position) {
    const int q = queries_.size();
    queries_.add(position);
    top_k_[q].reset(data_.kernel, storage_.data() + q * TopK<T>::storage_size(k_), k_, -1);
  }
  void run(WorkMeter& meter) {
    // Equal samples are sorted by row number, so that the first ones are those to be searched.
    queries_.search(
        k_ / kBlock + 1, [](std::size_t) { return true; },
        [&](int, std::int32_t row) { return row < rows_; }, Take{*this}, meter);
    for (int q = 0; q < queries_.size(); ++q) top_k_[q].merge_pending(data_.index, data_.kernel);
  }
  double kth_squared_distance(int q) const { return top_k_[q][k_ - 1].squared; }

 private:
  struct Take {
    FirstRowsSearch& search;
    void operator()(int q, std::int32_t row, double squared) const {
      search.top_k_[q].add(search.data_.index, search.data_.kernel, squared, row);
    }
    void update_bound(int q) const {
      merge_if_it_pays(search.data_, search.k_, search.top_k_[q]);
      search.queries_.set_bound(q, search.top_k_[q].bound());
    }
  };

  const CascadeData<T>& data_;
  std::int32_t rows_;
  int k_;
  Buffer<Candidate> storage_;
  NearbyQueries<T> queries_;
  TopK<T> top_k_[kQueryGroup];
};

/// A sample that searches: its position, and its place in the list of those that do.
struct Query {
  std::int32_t position;
  std::size_t place;
};

/// Samples by row, in the order of the tree: those that are near each other go together.
template <class T>
std::vector<Query> queries_in_order(const CascadeData<T>& data,
                                    const std::vector<std::int32_t>& rows) {
  std::vector<std::int32_t> position(data.tree.samples());  // by row
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(position.size()); ++i)
    position[static_cast<std::size_t>(data.tree.row_at(i))] = i;
  std::vector<Query> queries;
  for (std::size_t i = 0; i < rows.size(); ++i)
    queries.push_back({position[static_cast<std::size_t>(rows[i])], i});
  std::sort(queries.begin(), queries.end(),
            [](const Query& a, const Query& b) { return a.position < b.position; });
  return queries;
}

/// Calls search(first, last, meter) for groups of up to kQueryGroup queries, on all threads. Each
/// piece of work has a search of its own: make_search().
template <class MakeSearch>
void for_each_group(const std::vector<Query>& queries, const Run& run, MakeSearch&& make_search) {
  parallel_for(run, queries.size(), 4 * kQueryGroup,
               [&](std::size_t begin, std::size_t end, int thread) {
                 WorkMeter meter(run, thread);
                 auto search = make_search();
                 for (; begin < end; begin += kQueryGroup)
                   search(queries.data() + begin,
                          queries.data() + std::min(begin + kQueryGroup, end), meter);
               });
}

/// The second phase: completes lists by the blocks that each block has not visited yet.
template <class T>
void search_block_pairs(const CascadeData<T>& data, NeighborLists& lists,
                        const std::vector<std::vector<std::int32_t>>& visited, const Run& run) {
  SharedLists<T> shared(data, lists, visited);
  const std::vector<ValueRange> node_radii = data.tree.value_ranges(shared.squared_radii(), run);
  std::vector<std::unique_ptr<BlockPairSearch<T>>> searches;
  for (int t = 0; t < run.threads; ++t)
    searches.push_back(std::make_unique<BlockPairSearch<T>>(data, shared, node_radii));
  parallel_for(run, static_cast<std::size_t>(data.tree.blocks()), tuning::kPairBlocks,
               [&](std::size_t begin, std::size_t end, int thread) {
                 WorkMeter meter(run, thread);
                 searches[static_cast<std::size_t>(thread)]->run(static_cast<std::int32_t>(begin),
                                                                 static_cast<std::int32_t>(end),
                                                                 lists.k() / kBlock + 1, meter);
               });
}

}  // namespace

template <class T>
CascadeData<T>::CascadeData(const Index<T>& index, const T* rows, const CascadePlan& plan,
                            const Run& run)
    : index(index),
      columns(static_cast<std::size_t>(index.columns())),
      by_row(rows, index.samples(), columns),
      tree(plan.order, index.samples(), plan.order_axes, true, run),
      projected(plan, columns, tree, run),
      kernel(kernels<T>()) {
  // Samples that coincide along the first axes need not be equal.
  tree.confirm_equal_samples([&](std::int32_t first, std::int32_t last) {
    for (std::int32_t i = first + 1; i < last; ++i)
      if (!std::equal(sample(first), sample(first) + columns, sample(i))) return false;
    return true;
  });
}

template <class T>
Cascade<T>::Cascade(const Index<T>& index, const T* rows, const CascadePlan& plan, const Run& run)
    : data_(std::make_unique<CascadeData<T>>(index, rows, plan, run)) {}

template <class T>
Cascade<T>::Cascade(const T* rows, std::size_t samples, int columns, const CascadePlan& plan,
                    const Run& run)
    : positions_(std::make_unique<const Index<T>>(samples, columns)),
      data_(std::make_unique<CascadeData<T>>(*positions_, rows, plan, run)) {}

template <class T>
Cascade<T>::~Cascade() = default;

template <class T>
const Index<T>& Cascade<T>::index() const {
  return data_->index;
}

template <class T>
std::uint64_t Cascade<T>::exact_distances() const {
  return data_->exact_distances;
}

template <class T>
NeighborLists Cascade<T>::neighbor_lists(int k, const Run& run) const {
  if (tuning::searches_jointly(data_->tree.samples(), data_->columns, k))
    if (std::optional<NeighborLists> lists = joint_neighbor_lists(k, run)) return *std::move(lists);
  return neighbor_lists(k, run,
                        tuning::first_phase_blocks(static_cast<std::size_t>(data_->tree.blocks())));
}

template <class T>
std::optional<NeighborLists> Cascade<T>::joint_neighbor_lists(int k, const Run& run) const {
  if (!data_->projected.settles()) return std::nullopt;
  NeighborLists lists(data_->index, k);
  if (!JointSearch<T>(*data_, k).run(lists, run)) return std::nullopt;
  return lists;
}

template <class T>
NeighborLists Cascade<T>::neighbor_lists(int k, const Run& run,
                                         std::size_t first_phase_blocks) const {
  NeighborLists lists(data_->index, k);
  const auto blocks = static_cast<std::size_t>(data_->tree.blocks());
  // The second phase needs full lists: four times as many samples as fill them, so that they are
  // good ones, and a block more, since one may not be full. It also needs the stored distances.
  std::size_t most = std::max(first_phase_blocks, 4 * static_cast<std::size_t>(k) / kBlock + 2);
  if (!lists.has_distances()) most = blocks;
  std::vector<std::vector<std::int32_t>> visited(blocks);
  {
    std::vector<std::unique_ptr<BlockSearch<T>>> searches;
    for (int t = 0; t < run.threads; ++t)
      searches.push_back(std::make_unique<BlockSearch<T>>(*data_, k));
    parallel_for(run, blocks, 1, [&](std::size_t block, std::size_t, int thread) {
      WorkMeter meter(run, thread);
      searches[static_cast<std::size_t>(thread)]->run(
          static_cast<std::int32_t>(block), most, visited[block],
          [&](std::size_t i, const TopK<T>& found) { lists.store(i, found, found.tied_beyond()); },
          meter);
    });
  }
  if (most < blocks) search_block_pairs(*data_, lists, visited, run);
  return lists;
}

template <class T>
NeighborTable Cascade<T>::neighbor_table(int k, const Run& run) const {
  return table_of_lists(data_->index, neighbor_lists(k, run), data_->by_row, run);
}

template <class T>
void Cascade<T>::nearest_below(const double* key, const double* limit,
                               const std::vector<std::int32_t>& rows, NearestSample* found,
                               const Run& run) const {
  const Index<float>& tree = data_->tree;
  Buffer<double> key_by_position(tree.samples());
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(tree.samples()); ++i)
    key_by_position[static_cast<std::size_t>(i)] = key[tree.row_at(i)];
  const std::vector<ValueRange> key_ranges = tree.value_ranges(key_by_position.data(), run);
  for_each_group(queries_in_order(*data_, rows), run, [&] {
    return [&, search = BelowSearch<T>(*data_, key, key_ranges)](
               const Query* first, const Query* last, WorkMeter& meter) mutable {
      search.clear();
      for (const Query* query = first; query != last; ++query)
        search.add(query->position, limit[rows[query->place]], found + query->place);
      search.run(meter);
    };
  });
}

template <class T>
Buffer<double> Cascade<T>::kth_squared_distances(std::int32_t first_rows, int k,
                                                 const Run& run) const {
  std::vector<std::int32_t> rows(data_->index.samples() - static_cast<std::size_t>(first_rows));
  std::iota(rows.begin(), rows.end(), first_rows);
  Buffer<double> kth(rows.size());
  for_each_group(queries_in_order(*data_, rows), run, [&] {
    return [&, search = FirstRowsSearch<T>(*data_, first_rows, k)](
               const Query* first, const Query* last, WorkMeter& meter) mutable {
      search.clear();
      for (const Query* query = first; query != last; ++query) search.add(query->position);
      search.run(meter);
      for (const Query* query = first; query != last; ++query)
        kth[query->place] = search.kth_squared_distance(static_cast<int>(query - first));
    };
  });
  return kth;
}

template class Cascade<float>;
template class Cascade<double>;

}  // namespace quickshiftpp
