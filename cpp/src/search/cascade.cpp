#include "quickshiftpp/search/cascade.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

#include "search/cascade_pairs.hpp"
#include "search/cascade_queue.hpp"
#include "search/top_k.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;
using tuning::kQueryGroup;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The first axes of every sample, row after row.
Buffer<float> first_axes(const Projection& projection, std::size_t samples, int axes) {
  Buffer<float> rows(samples * static_cast<std::size_t>(axes));
  for (std::size_t i = 0; i < samples; ++i)
    std::copy_n(projection.coordinates + i * static_cast<std::size_t>(projection.axes), axes,
                rows.data() + i * static_cast<std::size_t>(axes));
  return rows;
}

}  // namespace

/// Up to kQueryGroup queries that look through blocks together, each as far as its bound reaches.
template <class T>
class Cascade<T>::QueryGroup {
 public:
  explicit QueryGroup(const Cascade& cascade)
      : cascade_(cascade), points_(cascade.projected_.point_words(kQueryGroup)) {}

  /// Begins anew with no queries.
  void clear() {
    queries_ = 0;
    std::fill_n(points_.data(), points_.size(), ProjectedSamples::Word{0});
    std::fill_n(threshold_, kQueryGroup, std::numeric_limits<float>::infinity());
  }
  void add(std::int32_t position) {
    const int q = queries_++;
    position_[q] = position;
    queue_[q].clear();
    cascade_.projected_.copy_point(position, q, points_.data());
    set_bound(q, kInfinity);
  }
  int queries() const { return queries_; }
  std::int32_t position(int q) const { return position_[q]; }

  /// Samples beyond this squared distance, in the units of the rows, are of no interest to query q;
  /// none are where it is negative.
  void set_bound(int q, double squared) {
    reach_[q] = cascade_.projected_.reach_of(squared);
    threshold_[q] = cascade_.projected_.threshold_of(position_[q], reach_[q]);
  }
  /// Squared, along the axes.
  double widest_reach() const { return *std::max_element(reach_, reach_ + queries_); }

  /// Hands the samples of a block that may be in reach, and for which is_wanted(q, sample) holds,
  /// to take(q, sample, squared distance): some at a time, the most promising first, since each
  /// may spare the next ones. After a few, take.settle(q) is called. A sample is a row number.
  template <class IsWanted, class Take>
  void look_through(std::int32_t block, IsWanted&& is_wanted, Take&& take) {
    std::uint32_t mask[kQueryGroup];
    SamplePair pairs[kQueryGroup * kBlock];
    double apart[kQueryGroup * kBlock];
    const Index<float>& tree = cascade_.tree_;
    const std::int32_t first = tree.block_begin(block);
    cascade_.projected_.screen(block, points_.data(), threshold_, mask);
    int count = 0;
    for (int q = 0; q < queries_; ++q)
      for (std::uint32_t bits = mask[q]; bits != 0; bits &= bits - 1) {
        const std::int32_t target = first + std::countr_zero(bits);
        if (is_wanted(q, tree.row_at(target)))
          pairs[count++] = {position_[q], target, static_cast<std::uint32_t>(q)};
      }
    count = cascade_.projected_.refine(pairs, count, apart,
                                       [&](const SamplePair& pair) { return reach_[pair.tag]; });
    for (int i = 0; i < count; ++i) {
      const auto q = static_cast<int>(pairs[i].tag);
      queue_[q].add({apart[i], pairs[i].b, 0});
      if (queue_[q].is_full()) measure(q, take);
    }
  }

  /// Hands over what still waits.
  template <class Take>
  void finish(Take&& take) {
    for (int q = 0; q < queries_; ++q) measure(q, take);
  }

 private:
  template <class Take>
  void measure(int q, Take&& take) {
    using Entry = typename CandidateQueue::Entry;
    queue_[q].measure(
        cascade_, position_[q], [&](const Entry& entry) { return entry.apart <= reach_[q]; },
        [&](const Entry& entry, double squared) {
          take(q, cascade_.tree_.row_at(entry.position), squared);
        },
        [&] { take.settle(q); });
  }

  const Cascade& cascade_;
  int queries_ = 0;
  Buffer<ProjectedSamples::Word> points_;
  std::int32_t position_[kQueryGroup];
  double reach_[kQueryGroup];  // squared, along the axes
  alignas(64) float threshold_[kQueryGroup];
  CandidateQueue queue_[kQueryGroup];
};

/// Finds the k nearest of one block of samples at a time.
template <class T>
class Cascade<T>::BlockSearch {
 public:
  BlockSearch(const Cascade& cascade, int k)
      : cascade_(cascade),
        k_(k),
        storage_(kBlock * TopK<T>::room(k)),
        top_k_(std::make_unique<TopK<T>[]>(kBlock)) {
    for (int i = 0; i < kBlock / kQueryGroup; ++i) groups_.emplace_back(cascade);
  }

  /// Looks through up to `most` blocks, those around first, and notes them in `seen`, by number.
  template <class Store>
  void run(std::int32_t block, std::size_t most, std::vector<std::int32_t>& seen, Store&& store) {
    const Index<float>& tree = cascade_.tree_;
    const int lanes = tree.block_end(block) - tree.block_begin(block);
    for (QueryGroup& group : groups_) group.clear();
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int32_t position = tree.block_begin(block) + lane;
      groups_[static_cast<std::size_t>(lane / kQueryGroup)].add(position);
      top_k_[lane].reset(cascade_.kernel_, storage_.data() + lane * TopK<T>::room(k_), k_,
                         tree.row_at(position));
    }
    const double* box = tree.box(tree.leaf(block));
    const bool sees_all = most >= static_cast<std::size_t>(tree.blocks());  // nobody will ask
    reach_ = kInfinity;
    // One more copy than k, so that the list knows of a tie beyond it.
    visit_outward(
        tree, block, k_ / kBlock + 1,
        [&](std::size_t node) { return cascade_.box_distance(box, node); },
        [&] { return seen.size() < most ? reach_ : -1; },
        [&](std::int32_t b, std::size_t) {
          meet(b);
          if (!sees_all) seen.push_back(b);
        });
    for_each_group([](QueryGroup& group, auto&& take) { group.finish(take); });
    for (int lane = 0; lane < lanes; ++lane) {
      top_k_[lane].flush(cascade_.index_, cascade_.kernel_);
      store(static_cast<std::size_t>(tree.row_at(tree.block_begin(block) + lane)), top_k_[lane]);
    }
    std::sort(seen.begin(), seen.end());
  }

 private:
  /// Takes what one group finds.
  struct Take {
    BlockSearch& search;
    std::size_t group;

    void operator()(int q, std::int32_t sample, double squared) const {
      list(q).take(search.cascade_.index_, search.cascade_.kernel_, squared, sample);
    }
    /// An exact distance costs far more than a bound that is up to date.
    void settle(int q) const {
      list(q).flush(search.cascade_.index_, search.cascade_.kernel_);
      // A bound of zero cannot fall: nothing that remains to be seen changes a radius.
      const bool is_done = list(q).bound() == 0 && list(q).is_full();
      search.groups_[group].set_bound(q, is_done ? -1 : list(q).bound());
    }
    TopK<T>& list(int q) const {
      return search.top_k_[group * kQueryGroup + static_cast<std::size_t>(q)];
    }
  };

  /// Calls work(group, take) for the probes that hold queries.
  template <class Work>
  void for_each_group(Work&& work) {
    for (std::size_t p = 0; p < groups_.size() && groups_[p].queries() > 0; ++p)
      work(groups_[p], Take{*this, p});
  }

  void meet(std::int32_t block) {
    reach_ = -1;
    for_each_group([&](QueryGroup& group, auto&& take) {
      group.look_through(block, [](int, std::int32_t) { return true; }, take);
      reach_ = std::max(reach_, group.widest_reach());
    });
  }

  const Cascade& cascade_;
  int k_;
  Buffer<Candidate> storage_;
  std::unique_ptr<TopK<T>[]> top_k_;
  std::vector<QueryGroup> groups_;
  double reach_ = kInfinity;
};

template <class T>
Cascade<T>::Cascade(const Index<T>& index, const T* rows, const Projection& projection,
                    const Run& run)
    : index_(index),
      rows_(rows),
      columns_(static_cast<std::size_t>(index.columns())),
      tree_(first_axes(projection, index.samples(), std::min(projection.axes, tuning::kOrderAxes))
                .data(),
            index.samples(), std::min(projection.axes, tuning::kOrderAxes), true, run),
      projected_(projection, tree_, run),
      kernel_(kernels<T>()) {
  // What coincides along the first axes need not coincide.
  tree_.confirm_points([&](std::int32_t first, std::int32_t last) {
    for (std::int32_t i = first + 1; i < last; ++i)
      if (!std::equal(row(first), row(first) + columns_, row(i))) return false;
    return true;
  });
}

template <class T>
NeighborLists Cascade<T>::neighbor_lists(int k, const Run& run, std::size_t home) const {
  NeighborLists lists(index_, k);
  const auto blocks = static_cast<std::size_t>(tree_.blocks());
  // Four times what fills a list, so that it is worth something, and one block that may not be
  // full; all where no distances are kept that others could add to.
  home = std::max(home, 4 * static_cast<std::size_t>(k) / kBlock + 2);
  if (!lists.has_distances()) home = blocks;
  std::vector<std::vector<std::int32_t>> seen(blocks);
  {
    std::vector<std::unique_ptr<BlockSearch>> searches;
    for (int t = 0; t < run.threads; ++t)
      searches.push_back(std::make_unique<BlockSearch>(*this, k));
    parallel_for(run, blocks, 1, [&](std::size_t block, std::size_t, int thread) {
      searches[static_cast<std::size_t>(thread)]->run(
          static_cast<std::int32_t>(block), home, seen[block],
          [&](std::size_t i, const TopK<T>& found) { lists.store(i, found, found.tied_beyond()); });
    });
  }
  if (home < blocks) meet_pairs(lists, seen, run);
  return lists;
}

template <class T>
void Cascade<T>::meet_pairs(NeighborLists& lists,
                            const std::vector<std::vector<std::int32_t>>& seen,
                            const Run& run) const {
  SharedLists shared(*this, lists, seen);
  const std::vector<ValueRange> node_reach = tree_.value_ranges(shared.reaches(), run);
  std::vector<std::unique_ptr<PairSearch>> searches;
  for (int t = 0; t < run.threads; ++t)
    searches.push_back(std::make_unique<PairSearch>(*this, shared, node_reach));
  parallel_for(run, static_cast<std::size_t>(tree_.blocks()), tuning::kPairBlocks,
               [&](std::size_t begin, std::size_t end, int thread) {
                 searches[static_cast<std::size_t>(thread)]->run(static_cast<std::int32_t>(begin),
                                                                 static_cast<std::int32_t>(end),
                                                                 lists.k() / kBlock + 1);
               });
}

/// The nearest samples below their limits, for a few queries that are near each other.
template <class T>
class Cascade<T>::BelowSearch {
 public:
  /// the extreme keys below each node of the cascade's tree; `key` by row.
  BelowSearch(const Cascade& cascade, const double* key, const std::vector<ValueRange>& extremes)
      : cascade_(cascade),
        key_(key),
        extremes_(extremes),
        group_(cascade),
        box_(2 * static_cast<std::size_t>(cascade.tree_.columns())) {}

  void clear() {
    group_.clear();
    const auto axes = static_cast<std::ptrdiff_t>(cascade_.tree_.columns());
    std::fill_n(box_.begin(), axes, kInfinity);
    std::fill_n(box_.begin() + axes, axes, -kInfinity);
    highest_ = -kInfinity;
  }
  void add(std::int32_t position, double limit, Found* found) {
    const int q = group_.queries();
    group_.add(position);
    limit_[q] = limit;
    highest_ = std::max(highest_, limit);
    found_[q] = found;
    *found = {-1, kInfinity};
    const auto axes = static_cast<std::size_t>(cascade_.tree_.columns());
    for (std::size_t a = 0; a < axes; ++a) {
      const double value = cascade_.tree_.coordinate(position, static_cast<int>(a));
      box_[a] = std::min(box_[a], value);
      box_[axes + a] = std::max(box_[axes + a], value);
    }
  }
  void run() {
    const Take take{*this};
    const Index<float>& tree = cascade_.tree_;
    visit_outward(
        tree, group_.position(0) / kBlock, 1,
        [&](std::size_t node) {
          if (!(extremes_[node].least < highest_)) return kInfinity;
          return box_box_distance(box_.data(), tree.box(node), tree.columns());
        },
        // The largest finite number, so that infinity always means "skip".
        [&] { return std::min(group_.widest_reach(), std::numeric_limits<double>::max()); },
        [&](std::int32_t block, std::size_t) {
          auto is_below = [&](int q, std::int32_t sample) { return key_[sample] < limit_[q]; };
          group_.look_through(block, is_below, take);
        });
    group_.finish(take);
  }

 private:
  struct Take {
    BelowSearch& search;
    void operator()(int q, std::int32_t sample, double squared) const {
      search.consider(q, sample, squared);
    }
    void settle(int) const {}
  };

  void consider(int q, std::int32_t sample, double squared) {
    Found& best = *found_[q];
    if (squared > best.squared_distance) return;
    if (squared == best.squared_distance && best.position >= 0 &&
        !is_preferred(cascade_.index_, key_, sample, best.position))
      return;
    best = {sample, squared};
    group_.set_bound(q, squared);
  }

  const Cascade& cascade_;
  const double* key_;
  const std::vector<ValueRange>& extremes_;
  QueryGroup group_;
  std::vector<double> box_;
  double limit_[kQueryGroup];
  double highest_ = -kInfinity;
  Found* found_[kQueryGroup];
};

template <class T>
void Cascade<T>::nearest_below(const double* key, const double* limit,
                               const std::vector<std::int32_t>& samples, Found* found,
                               const Run& run) const {
  const std::size_t n = index_.samples();
  Buffer<double> key_by_position(n);
  std::vector<std::int32_t> position(n);  // by row
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(n); ++i) {
    key_by_position[static_cast<std::size_t>(i)] = key[tree_.row_at(i)];
    position[static_cast<std::size_t>(tree_.row_at(i))] = i;
  }
  const std::vector<ValueRange> extremes = tree_.value_ranges(key_by_position.data(), run);
  // Queries that are near each other go together.
  std::vector<std::pair<std::int32_t, std::size_t>> queries;
  for (std::size_t i = 0; i < samples.size(); ++i)
    queries.emplace_back(position[static_cast<std::size_t>(samples[i])], i);
  std::sort(queries.begin(), queries.end());
  parallel_for(run, queries.size(), 4 * kQueryGroup, [&](std::size_t begin, std::size_t end, int) {
    BelowSearch search(*this, key, extremes);
    for (; begin < end; begin += kQueryGroup) {
      search.clear();
      for (std::size_t i = begin; i < std::min(begin + kQueryGroup, end); ++i)
        search.add(queries[i].first, limit[samples[queries[i].second]], found + queries[i].second);
      search.run();
    }
  });
}

template class Cascade<float>;
template class Cascade<double>;

}  // namespace quickshiftpp
