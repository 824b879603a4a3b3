#include "quickshiftpp/search/join.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "search/neighbor_tables.hpp"
#include "search/query_block.hpp"
#include "search/sites.hpp"
#include "search/top_k.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Finds the k nearest targets for one block of queries at a time.
template <class T>
class BlockSearch {
 public:
  BlockSearch(const Index<T>& queries, const Index<T>& targets, int k)
      : queries_(queries),
        targets_(targets),
        kernel_(kernels<T>()),
        k_(k),
        is_self_join_(&queries == &targets),
        operations_per_visit_(static_cast<std::size_t>(kBlock * kBlock) *
                              static_cast<std::size_t>(targets.columns())),
        storage_(kBlock * TopK<T>::storage_size(k)) {}

  /// Searches for one block of queries. Afterwards, top_k(lane) holds the sorted result of each.
  void run(std::int32_t query_block, WorkMeter& meter) {
    queries_.load(query_block);
    for (int lane = 0; lane < queries_.size(); ++lane) {
      top_k_[lane].reset(kernel_, storage_.data() + lane * TopK<T>::storage_size(k_), k_,
                         is_self_join_ ? queries_.begin() + lane : -1);
      lane_bound_[lane] = kInfinity;
    }
    bound_ = kInfinity;
    // Of equal samples, at least k + 1 are visited, so that a tie beyond the list is detected.
    visit_outward(
        targets_, is_self_join_ ? query_block : -1, k_ / kBlock + 1,
        [this](std::size_t node) {
          return targets_.has_tree() ? queries_.distance(targets_.box(node)) : 0.0;
        },
        [this] { return bound_; },
        [&](std::int32_t block, std::size_t node) {
          search_block(block, node);
          meter.spend(operations_per_visit_);
        });
    for (int lane = 0; lane < queries_.size(); ++lane)
      top_k_[lane].merge_pending(targets_, kernel_);
  }

  /// The number of target blocks visited, over all runs.
  std::size_t visits() const { return visits_; }
  const QueryBlock<T>& queries() const { return queries_; }
  const TopK<T>& top_k(int lane) const { return top_k_[lane]; }

 private:
  /// A mask of the queries whose list a sample of the block may enter.
  std::uint32_t queries_near(std::int32_t block, std::size_t node) {
    if (!targets_.has_tree()) return queries_.all_lanes();
    const int columns = targets_.columns();
    std::uint32_t near = queries_.all_lanes() & kernel_.near_box(queries_.data(), columns,
                                                                 targets_.box(node), lane_bound_);
    if (!targets_.holds_equal_samples(node)) return near;
    // Equal samples are sorted by row number: if the first one loses a tie at the bound, all do.
    for (std::uint32_t rest = near; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (point_box_distance(queries_.point(lane), targets_.box(node), columns) ==
              lane_bound_[lane] &&
          top_k_[lane].rejects_tie(targets_, targets_.block_begin(block)))
        near &= ~(std::uint32_t{1} << lane);
    }
    return near;
  }

  /// Compares the queries with one block of targets.
  void search_block(std::int32_t block, std::size_t node) {
    ++visits_;
    bool has_shrunk = false;
    for (std::uint32_t near = queries_near(block, node); near != 0; near &= near - 1) {
      const int lane = std::countr_zero(near);
      TopK<T>& list = top_k_[lane];
      list.add_block(targets_, kernel_, block, queries_.point(lane));
      has_shrunk |= list.bound() < lane_bound_[lane];
      lane_bound_[lane] = list.bound();
    }
    if (!has_shrunk) return;
    // If all bounds are zero, no radius can decrease any more: -1 ends the search.
    const double greatest = *std::max_element(lane_bound_, lane_bound_ + queries_.size());
    bound_ = greatest > 0 ? greatest : -1;
  }

  QueryBlock<T> queries_;
  const Index<T>& targets_;
  const Kernels<T>& kernel_;
  int k_;
  bool is_self_join_;
  std::size_t operations_per_visit_;
  Buffer<Candidate> storage_;
  TopK<T> top_k_[kBlock];
  alignas(64) double lane_bound_[kBlock];  // the bound of each list
  double bound_ = kInfinity;               // the greatest of them
  std::size_t visits_ = 0;
};

/// How much of a search is done.
struct SearchScope {
  std::size_t step = 1;   ///< one block of queries in so many is searched for
  std::size_t lists = 0;  ///< lists that are stored, if more than there are queries
};

/// Calls take(i, top-k list, thread, meter) for every query i, by position, or only for those of
/// every `step`-th block. Returns the number of target blocks visited.
template <class T, class Take>
std::size_t search_all_blocks(const Index<T>& queries, const Index<T>& targets, int k,
                              const Run& run, Take&& take, const SearchScope& scope = {}) {
  const std::size_t step = scope.step;
  std::vector<BlockSearch<T>> searches;
  searches.reserve(static_cast<std::size_t>(run.threads));
  for (int t = 0; t < run.threads; ++t) searches.emplace_back(queries, targets, k);
  const std::size_t blocks = (static_cast<std::size_t>(queries.blocks()) + step - 1) / step;
  // Adjacent blocks of queries visit the same targets, so each thread takes several at a time. One
  // thread takes all of them where starting another would take longer.
  const double pairs =
      static_cast<double>(queries.samples()) * static_cast<double>(targets.samples());
  const double stored = static_cast<double>(scope.lists) * k;
  const bool is_small =
      pairs * targets.columns() + stored <= static_cast<double>(tuning::kSmallWork);
  const std::size_t grain =
      is_small
          ? blocks
          : std::clamp<std::size_t>(blocks / (8 * static_cast<std::size_t>(run.threads)), 1, 16);
  parallel_for(run, blocks, grain, [&](std::size_t begin, std::size_t end, int thread) {
    BlockSearch<T>& search = searches[static_cast<std::size_t>(thread)];
    WorkMeter meter(run, thread);
    for (std::size_t b = begin; b < end; ++b) {
      search.run(static_cast<std::int32_t>(b * step), meter);
      for (int lane = 0; lane < search.queries().size(); ++lane)
        take(static_cast<std::size_t>(search.queries().begin() + lane), search.top_k(lane), thread,
             meter);
    }
  });
  std::size_t visits = 0;
  for (const BlockSearch<T>& search : searches) visits += search.visits();
  return visits;
}

/// The k nearest samples of the samples at one site.
template <class T>
class SiteList {
 public:
  SiteList(const Index<T>& samples, const Sites<T>& sites, int k)
      : samples_(samples), sites_(sites), k_(static_cast<std::size_t>(k)) {}

  /// Collects the k + 1 nearest samples (fewer if there are no more) from the nearest sites, the
  /// site itself first.
  void collect(const TopK<T>& nearest, int count, WorkMeter& meter) {
    nearest_.clear();
    for (int c = 0; c < count && nearest_.size() <= k_;) {
      const auto begin = static_cast<std::ptrdiff_t>(nearest_.size());
      const double squared = nearest[c].squared;
      int tied = 0;
      for (; c < count && nearest[c].squared == squared; ++c, ++tied) {
        const auto here = sites_.samples_at(sites_.index().row_at(nearest[c].position));
        meter.spend(8 * std::min(here.size(), k_));
        for (const std::int32_t i : here.first(std::min(here.size(), k_)))
          nearest_.push_back({squared, i});
      }
      const auto first = nearest_.begin() + begin;
      const auto last =
          nearest_.begin() + static_cast<std::ptrdiff_t>(std::min(nearest_.size(), k_ + 1));
      if (tied > 1)
        std::partial_sort(first, last, nearest_.end(), [&](const Candidate& a, const Candidate& b) {
          return samples_.row_at(a.position) < samples_.row_at(b.position);
        });
      nearest_.erase(last, nearest_.end());
    }
    list_.resize(k_);
  }

  /// Makes the list that of one sample at the site, which comes first in it.
  void put_first(std::int32_t self) {
    list_[0] = {0, self};
    auto next = nearest_.begin();
    for (std::size_t c = 1; c < k_; ++c, ++next) {
      if (next->position == self) ++next;
      list_[c] = *next;
    }
  }

  const Candidate& operator[](int c) const { return list_[static_cast<std::size_t>(c)]; }
  /// Whether a sample that is not in the list is as near as its last entry.
  bool tied_beyond() const {
    return nearest_.size() > k_ && nearest_[k_].squared == list_.back().squared;
  }

 private:
  const Index<T>& samples_;
  const Sites<T>& sites_;
  std::size_t k_;
  std::vector<Candidate> nearest_, list_;
};

/// Calls take(i, list of the k nearest samples) for every sample i, by position. Returns whether
/// lists of nothing but equal samples hold those with the lowest row numbers, not arbitrary ones.
template <class T, class Take>
bool search_all_samples(const Index<T>& samples, int k, const Run& run, Take&& take) {
  if (!Sites<T>::are_few(samples)) {
    search_all_blocks(samples, samples, k, run,
                      [&](std::size_t i, const TopK<T>& list, int, WorkMeter&) { take(i, list); });
    return false;
  }
  const Sites<T> sites(samples, run);
  const int count =
      static_cast<int>(std::min(static_cast<std::size_t>(k) + 1, sites.index().samples()));
  std::vector<SiteList<T>> lists(static_cast<std::size_t>(run.threads), {samples, sites, k});
  search_all_blocks(sites.index(), sites.index(), count, run,
                    [&](std::size_t i, const TopK<T>& nearest, int thread, WorkMeter& meter) {
                      SiteList<T>& list = lists[static_cast<std::size_t>(thread)];
                      list.collect(nearest, count, meter);
                      const auto site = sites.index().row_at(static_cast<std::int32_t>(i));
                      for (const std::int32_t sample : sites.samples_at(site)) {
                        meter.spend(4 * static_cast<std::size_t>(k));
                        list.put_first(sample);
                        take(static_cast<std::size_t>(sample), list);
                      }
                    },
                    {.lists = samples.samples()});
  return true;
}

}  // namespace

template <class T>
NeighborLists neighbor_lists(const Index<T>& index, int k, const Run& run, bool only_radii) {
  NeighborLists lists(index, k, only_radii);
  search_all_samples(index, k, run, [&](std::size_t i, const auto& found) {
    lists.store(i, found, found.tied_beyond());
  });
  return lists;
}

template <class T>
double visited_share(const Index<T>& index, int k, const Run& run) {
  constexpr std::size_t step = tuning::kPilotStep;
  const std::size_t visits = search_all_blocks(
      index, index, k, run, [](std::size_t, const TopK<T>&, int, WorkMeter&) {}, {.step = step});
  const auto blocks = static_cast<std::size_t>(index.blocks());
  const std::size_t searched = (blocks + step - 1) / step;
  return static_cast<double>(visits) / static_cast<double>(blocks * searched);
}

template <class T>
Buffer<double> kth_squared_distances(const Index<T>& queries, const Index<T>& targets, int k,
                                     const Run& run) {
  Buffer<double> kth(queries.samples());
  search_all_blocks(
      queries, targets, k, run,
      [&](std::size_t i, const TopK<T>& found, int, WorkMeter&) { kth[i] = found[k - 1].squared; });
  return kth;
}

template <class T>
NeighborTable neighbor_table(const Index<T>& index, int k, const Run& run) {
  const auto width = static_cast<std::size_t>(k);
  NeighborTable table = allocate_table(index.samples(), width);
  std::atomic<bool> has_zeros{false};
  const bool is_sorted = search_all_samples(index, k, run, [&](std::size_t i, const auto& found) {
    if (found[k - 1].squared == 0) has_zeros.store(true, std::memory_order_relaxed);
    const auto out = static_cast<std::size_t>(index.row_at(static_cast<std::int32_t>(i))) * width;
    for (std::size_t c = 0; c < width; ++c) {
      const Candidate neighbor = found[static_cast<int>(c)];
      table.distance[out + c] = std::sqrt(neighbor.squared);
      table.row[out + c] = index.row_at(neighbor.position);
    }
  });
  if (has_zeros && !is_sorted) fill_zero_radii(index, width, table, run);
  return table;
}

template <class T>
NeighborTable neighbor_table(const Index<T>& index, const NeighborLists& lists, const Run& run) {
  return table_of_lists(index, lists, index, run);
}

#define QSPP_INSTANTIATE(T)                                                               \
  template NeighborLists neighbor_lists<T>(const Index<T>&, int, const Run&, bool);       \
  template double visited_share<T>(const Index<T>&, int, const Run&);                     \
  template Buffer<double> kth_squared_distances<T>(const Index<T>&, const Index<T>&, int, \
                                                   const Run&);                           \
  template NeighborTable neighbor_table<T>(const Index<T>&, int, const Run&);             \
  template NeighborTable neighbor_table<T>(const Index<T>&, const NeighborLists&, const Run&);
QSPP_INSTANTIATE(float)
QSPP_INSTANTIATE(double)
#undef QSPP_INSTANTIATE

}  // namespace quickshiftpp
