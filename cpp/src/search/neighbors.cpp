#include "quickshiftpp/search/neighbors.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "search/query_block.hpp"
#include "search/top_k.hpp"
#include "support/pages.hpp"
#include "support/rounding.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Finds the k nearest targets of one block of queries at a time.
template <class T>
class BlockSearch {
 public:
  BlockSearch(const Index<T>& queries, const Index<T>& targets, int k)
      : queries_(queries),
        targets_(targets),
        kernel_(kernels<T>()),
        k_(k),
        is_self_join_(&queries == &targets),
        storage_(kBlock * TopK<T>::room(k)) {}

  /// Afterwards top_k(lane) is sorted, for each lane of the block.
  void run(std::int32_t query_block) {
    queries_.load(query_block);
    for (int lane = 0; lane < lanes(); ++lane) {
      top_k_[lane].reset(kernel_, storage_.data() + lane * TopK<T>::room(k_), k_,
                         is_self_join_ ? begin() + lane : -1);
      lane_bound_[lane] = kInfinity;
    }
    bound_ = kInfinity;
    // One more copy than k, so that the list knows of a tie beyond it.
    visit_outward(
        targets_, is_self_join_ ? query_block : -1, k_ / kBlock + 1,
        [this](std::size_t node) {
          return targets_.has_tree() ? queries_.distance(targets_.box(node)) : 0.0;
        },
        [this] { return bound_; },
        [this](std::int32_t block, std::size_t node) { meet(block, node); });
    for (int lane = 0; lane < lanes(); ++lane) top_k_[lane].flush(targets_, kernel_);
  }

  /// Blocks looked through, over all runs.
  std::size_t visits() const { return visits_; }
  int lanes() const { return queries_.lanes(); }
  std::int32_t begin() const { return queries_.begin(); }
  const TopK<T>& top_k(int lane) const { return top_k_[lane]; }

 private:
  /// The queries for which something in the block may be near enough, one bit each.
  std::uint32_t concerned(std::int32_t block, std::size_t node) {
    if (!targets_.has_tree()) return queries_.all();
    const int columns = targets_.columns();
    std::uint32_t lanes = queries_.all() & kernel_.near_box(queries_.data(), columns,
                                                            targets_.box(node), lane_bound_);
    if (!targets_.is_point(node)) return lanes;
    // Equal samples at the bound come too late if the first of them does.
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (point_box_distance(queries_.point(lane), targets_.box(node), columns) ==
              lane_bound_[lane] &&
          top_k_[lane].turns_away(targets_, targets_.block_begin(block)))
        lanes &= ~(std::uint32_t{1} << lane);
    }
    return lanes;
  }

  /// Every query of the block looks through one block of targets.
  void meet(std::int32_t block, std::size_t node) {
    ++visits_;
    bool has_shrunk = false;
    for (std::uint32_t left = concerned(block, node); left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      TopK<T>& list = top_k_[lane];
      list.meet(targets_, kernel_, block, queries_.point(lane));
      has_shrunk |= list.bound() < lane_bound_[lane];
      lane_bound_[lane] = list.bound();
    }
    if (!has_shrunk) return;
    // A bound of zero cannot fall: nothing that remains to be seen changes a radius.
    const double widest = *std::max_element(lane_bound_, lane_bound_ + lanes());
    bound_ = widest > 0 ? widest : -1;
  }

  QueryBlock<T> queries_;
  const Index<T>& targets_;
  const Kernels<T>& kernel_;
  int k_;
  bool is_self_join_;
  Buffer<Candidate> storage_;
  TopK<T> top_k_[kBlock];
  alignas(64) double lane_bound_[kBlock];  // the bounds of the lists
  std::size_t visits_ = 0;
  double bound_ = kInfinity;  // the widest of them
};

/// The positions that are wanted, in the order that settles ties.
template <class T, class IsWanted>
Buffer<std::int32_t> ordered_positions(const Index<T>& index, IsWanted&& is_wanted) {
  const auto n = static_cast<std::int32_t>(index.samples());
  std::size_t count = 0;
  for (std::int32_t i = 0; i < n; ++i) count += is_wanted(i);
  Buffer<std::int32_t> positions(count);
  count = 0;
  for (std::int32_t i = 0; i < n; ++i)
    if (is_wanted(i)) positions[count++] = i;
  std::sort(positions.data(), positions.data() + count,
            [&](std::int32_t a, std::int32_t b) { return index.comes_first(a, b); });
  return positions;
}

/// Calls take(i, list) for every query, or those of one block in `step`; returns how many blocks
/// were looked through.
template <class T, class Take>
std::size_t search_all_blocks(const Index<T>& queries, const Index<T>& targets, int k,
                              const Run& run, Take&& take, std::size_t step = 1) {
  std::vector<BlockSearch<T>> searches;
  searches.reserve(static_cast<std::size_t>(run.threads));
  for (int t = 0; t < run.threads; ++t) searches.emplace_back(queries, targets, k);
  const std::size_t blocks = (static_cast<std::size_t>(queries.blocks()) + step - 1) / step;
  // Neighbouring blocks look at the same targets, so a thread takes a few in a row.
  const std::size_t grain =
      std::clamp<std::size_t>(blocks / (8 * static_cast<std::size_t>(run.threads)), 1, 16);
  parallel_for(run, blocks, grain, [&](std::size_t begin, std::size_t end, int thread) {
    BlockSearch<T>& search = searches[static_cast<std::size_t>(thread)];
    for (std::size_t b = begin; b < end; ++b) {
      search.run(static_cast<std::int32_t>(b * step));
      for (int lane = 0; lane < search.lanes(); ++lane)
        take(static_cast<std::size_t>(search.begin() + lane), search.top_k(lane));
    }
  });
  std::size_t visits = 0;
  for (const BlockSearch<T>& search : searches) visits += search.visits();
  return visits;
}

NeighborTable empty_table(std::size_t samples, std::size_t width) {
  return {Buffer<double>(samples * width), Buffer<std::int64_t>(samples * width)};
}

/// A search stops at k equal rows, whichever it met; this takes the lowest row numbers.
template <class T>
void settle_zero_radii(const Index<T>& index, std::size_t width, NeighborTable& table) {
  const Buffer<std::int32_t> sites = ordered_positions(index, [&](std::int32_t i) {
    return table.distance[(static_cast<std::size_t>(index.row_at(i)) + 1) * width - 1] == 0;
  });
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < sites.size(); begin = end) {
    end = begin + 1;
    while (end < sites.size() && index.compare_coordinates(sites[begin], sites[end]) == 0) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t self = index.row_at(sites[i]);
      std::int64_t* list = table.row.data() + static_cast<std::size_t>(self) * width;
      list[0] = self;
      for (std::size_t from = begin, c = 1; c < width && from < end; ++from)
        if (sites[from] != sites[i]) list[c++] = index.row_at(sites[from]);
    }
  }
}

}  // namespace

NeighborLists::NeighborLists(std::size_t samples, std::size_t room, int k, Keep keep)
    : samples_(samples),
      room_(room),
      k_(k),
      keep_(keep),
      stride_(static_cast<std::size_t>(k)),
      entries_(std::make_shared<Entries>(
          Buffer<std::int32_t>(keep == Keep::nothing ? 0 : samples * stride_),
          Buffer<double>(keep == Keep::all ? samples * stride_ : 0))),
      squared_radius_(std::make_shared<Buffer<double>>(samples, room)),
      ties_(samples) {}

NeighborLists::NeighborLists(const NeighborLists& longer, int k)
    : samples_(longer.samples_),
      room_(longer.room_),
      k_(k),
      keep_(longer.keep_),
      stride_(longer.stride_),
      entries_(longer.entries_),
      heads_(longer.heads_),
      squared_radius_(std::make_shared<Buffer<double>>(samples_, room_)),
      ties_(samples_) {}

bool NeighborLists::insert(std::size_t i, double squared, std::int32_t position) {
  std::int32_t* neighbor = entries_->position.data() + i * stride_;
  double* distance = entries_->squared_distance.data() + i * stride_;
  const int last = k_ - 1;
  // The sample itself remains the first.
  int c = static_cast<int>(std::lower_bound(distance + std::min(1, last), distance + k_, squared) -
                           distance);
  while (c <= last && distance[c] == squared && (c == 0 || neighbor[c] < position)) ++c;
  if (c > last) {
    if (distance[last] == squared) ties_[i] |= kBeyond;
    return false;
  }
  const double left_out = distance[last];
  std::copy_backward(neighbor + c, neighbor + last, neighbor + k_);
  std::copy_backward(distance + c, distance + last, distance + k_);
  neighbor[c] = position;
  distance[c] = squared;
  const bool is_tied =
      (c > 1 && distance[c - 1] == squared) || (c < last && distance[c + 1] == squared);
  ties_[i] = ties(left_out == distance[last], may_tie(static_cast<std::int32_t>(i)) || is_tied);
  (*squared_radius_)[i] = distance[last];
  return true;
}

void NeighborLists::drop_lists(const Run& run) {
  // They are gone even if giving them back is interrupted.
  const std::shared_ptr<Entries> dropped = std::exchange(entries_, std::make_shared<Entries>());
  heads_.reset();
  keep_ = Keep::nothing;
  if (dropped.use_count() > 1) return;
  give_back_pages(dropped->position.data(), dropped->position.size() * sizeof(std::int32_t), run);
  give_back_pages(dropped->squared_distance.data(),
                  dropped->squared_distance.size() * sizeof(double), run);
}

template <class T>
std::vector<NeighborLists> NeighborLists::first(const Index<T>& index, const std::vector<int>& ks,
                                                const Run& run) const {
  const bool copy = ks[0] < tuning::kCopyShare * static_cast<double>(stride_);
  std::vector<NeighborLists> shorter;
  shorter.push_back(copy ? NeighborLists(samples_, room_, ks[0], keep_)
                         : NeighborLists(*this, ks[0]));
  for (std::size_t m = 1; m < ks.size(); ++m) shorter.push_back(NeighborLists(shorter[0], ks[m]));
  Entries& copied = *shorter[0].entries_;
  const auto head_width = static_cast<std::size_t>(tuning::kHeadPlaces);
  std::shared_ptr<Heads> heads;
  if (keeps_lists() && !copy && !has_heads() && stride_ >= tuning::kHeadStride) {
    heads = std::make_shared<Heads>(Buffer<std::int32_t>(samples_ * head_width),
                                    Buffer<float>(samples_));
    for (NeighborLists& lists : shorter) lists.heads_ = heads;
  }
  const auto width = static_cast<std::size_t>(ks[0]);
  parallel_for(run, samples_, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto sample = static_cast<std::int32_t>(i);
      for (NeighborLists& lists : shorter) {
        const int k = lists.k_;
        prefetch_after(sample, k - 1);
        const double radius = squared_distance(index, sample, k - 1);
        (*lists.squared_radius_)[i] = radius;
        bool beyond = tied_beyond(sample);
        if (k < k_) beyond = may_tie(sample) && squared_distance(index, sample, k) == radius;
        lists.ties_[i] = ties(beyond, may_tie(sample));
      }
      if (heads != nullptr) {
        std::copy_n(positions(sample), head_width, heads->position.data() + i * head_width);
        // No smaller than what a processor may take for zero.
        heads->squared_radius[i] =
            std::max(rounded_up(squared_distance(index, sample, tuning::kHeadPlaces - 1)),
                     std::numeric_limits<float>::min());
      }
      if (!copy) continue;
      std::copy_n(positions(sample), width, copied.position.data() + i * width);
      if (keeps_distances())
        std::copy_n(entries_->squared_distance.data() + i * stride_, width,
                    copied.squared_distance.data() + i * width);
    }
  });
  return shorter;
}

template <class T>
NeighborLists neighbor_lists(const Index<T>& index, int k, const Run& run, bool only_radii) {
  NeighborLists lists(index, k, only_radii);
  search_all_blocks(index, index, k, run, [&](std::size_t i, const TopK<T>& found) {
    lists.store(i, found, found.tied_beyond(), found.may_tie());
  });
  return lists;
}

template <class T>
double visited_share(const Index<T>& index, int k, const Run& run) {
  constexpr std::size_t step = tuning::kPilotStep;
  const std::size_t visits =
      search_all_blocks(index, index, k, run, [](std::size_t, const TopK<T>&) {}, step);
  const auto blocks = static_cast<std::size_t>(index.blocks());
  return static_cast<double>(visits) / static_cast<double>(blocks * ((blocks + step - 1) / step));
}

template <class T>
Buffer<double> kth_squared_distances(const Index<T>& queries, const Index<T>& targets, int k,
                                     const Run& run) {
  Buffer<double> kth(queries.samples());
  search_all_blocks(queries, targets, k, run,
                    [&](std::size_t i, const TopK<T>& found) { kth[i] = found[k - 1].squared; });
  return kth;
}

template <class T>
Buffer<std::int32_t> coordinate_order(const Index<T>& index) {
  return ordered_positions(index, [](std::int32_t) { return true; });
}

template <class T>
Buffer<std::int32_t> zero_radius_sites(const Index<T>& index, const double* squared_radius) {
  return ordered_positions(index, [&](std::int32_t i) { return squared_radius[i] == 0; });
}

template <class T>
NeighborTable neighbor_table(const Index<T>& index, int k, const Run& run) {
  const auto width = static_cast<std::size_t>(k);
  NeighborTable table = empty_table(index.samples(), width);
  std::atomic<bool> has_zeros{false};
  search_all_blocks(index, index, k, run, [&](std::size_t i, const TopK<T>& found) {
    if (found[k - 1].squared == 0) has_zeros.store(true, std::memory_order_relaxed);
    const auto out = static_cast<std::size_t>(index.row_at(static_cast<std::int32_t>(i))) * width;
    for (std::size_t c = 0; c < width; ++c) {
      const Candidate neighbor = found[static_cast<int>(c)];
      table.distance[out + c] = std::sqrt(neighbor.squared);
      table.row[out + c] = index.row_at(neighbor.position);
    }
  });
  if (has_zeros) settle_zero_radii(index, width, table);
  return table;
}

template <class T>
NeighborTable neighbor_table(const Index<T>& index, const NeighborLists& lists, const Run& run) {
  const auto width = static_cast<std::size_t>(lists.k());
  NeighborTable table = empty_table(index.samples(), width);
  parallel_for(run, lists.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
      const std::size_t out = static_cast<std::size_t>(index.row_at(i)) * width;
      for (std::size_t c = 0; c < width; ++c) {
        table.distance[out + c] = std::sqrt(lists.squared_distance(index, i, static_cast<int>(c)));
        table.row[out + c] = index.row_at(lists.positions(i)[c]);
      }
    }
  });
  const double* radius = lists.squared_radii();
  const bool has_zeros =
      std::any_of(radius, radius + lists.samples(), [](double r) { return r == 0; });
  if (has_zeros) settle_zero_radii(index, width, table);
  return table;
}

#define QSPP_INSTANTIATE(T)                                                               \
  template std::vector<NeighborLists> NeighborLists::first<T>(                            \
      const Index<T>&, const std::vector<int>&, const Run&) const;                        \
  template NeighborLists neighbor_lists<T>(const Index<T>&, int, const Run&, bool);       \
  template double visited_share<T>(const Index<T>&, int, const Run&);                     \
  template Buffer<double> kth_squared_distances<T>(const Index<T>&, const Index<T>&, int, \
                                                   const Run&);                           \
  template Buffer<std::int32_t> coordinate_order<T>(const Index<T>&);                     \
  template Buffer<std::int32_t> zero_radius_sites<T>(const Index<T>&, const double*);     \
  template NeighborTable neighbor_table<T>(const Index<T>&, int, const Run&);             \
  template NeighborTable neighbor_table<T>(const Index<T>&, const NeighborLists&, const Run&);
QSPP_INSTANTIATE(float)
QSPP_INSTANTIATE(double)
#undef QSPP_INSTANTIATE

}  // namespace quickshiftpp
