#include "quickshiftpp/cascade.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "cascade_pairs.hpp"
#include "quickshiftpp/shortlist.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;
using tuning::kProbe;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFloatUnit = 0x1p-24;  // the relative error of one operation in float32

/// The first axes of every sample, row after row.
Buffer<float> first_axes(const LeadingAxes& leading, std::size_t samples, int axes) {
  Buffer<float> rows(samples * static_cast<std::size_t>(axes));
  for (std::size_t i = 0; i < samples; ++i)
    std::copy_n(leading.coordinates + i * static_cast<std::size_t>(leading.axes), axes,
                rows.data() + i * static_cast<std::size_t>(axes));
  return rows;
}

}  // namespace

/// Up to kProbe queries that look through blocks together, each as far as its bound reaches.
template <class T>
class Cascade<T>::Probe {
 public:
  explicit Probe(const Cascade& cascade)
      : cascade_(cascade), points_(static_cast<std::size_t>(cascade.screen_.columns()) * kProbe) {}

  /// Begins anew with no queries.
  void clear() {
    queries_ = 0;
    std::fill_n(points_.data(), points_.size(), 0.0f);
    std::fill_n(threshold_, kProbe, std::numeric_limits<float>::infinity());
  }
  void add(std::int32_t position) {
    const int q = queries_++;
    position_[q] = position;
    waiting_[q] = 0;
    for (int axis = 0; axis < cascade_.screen_.columns(); ++axis)
      points_[static_cast<std::size_t>(axis) * kProbe + static_cast<std::size_t>(q)] =
          cascade_.screen_.coordinate(position, axis);
    norm_[q] = squared_norm(cascade_.refined(position), cascade_.screen_.columns());
    set_bound(q, kInfinity);
  }
  int queries() const { return queries_; }
  std::int32_t position(int q) const { return position_[q]; }

  /// Samples beyond this squared distance, in the units of the rows, are of no interest to query q;
  /// none are where it is negative.
  void set_bound(int q, double squared) {
    reach_[q] = cascade_.reach_of(squared);
    threshold_[q] = cascade_.threshold_of(norm_[q], reach_[q]);
  }
  /// Squared, along the axes.
  double widest_reach() const { return *std::max_element(reach_, reach_ + queries_); }

  /// Hands the samples of a block that may be in reach, and for which is_wanted(q, sample) holds,
  /// to take(q, sample, squared distance): some at a time, the most promising first, since each
  /// may spare the next ones. After a few, take.settle(q) is called. A sample is a row number.
  template <class IsWanted, class Take>
  void look_through(std::int32_t block, IsWanted&& is_wanted, Take&& take) {
    std::uint32_t mask[kProbe];
    const Index<float>& screen = cascade_.screen_;
    const std::int32_t first = screen.block_begin(block);
    cascade_.screen_kernel_.screen(screen.block(block), screen.columns(), points_.data(),
                                   cascade_.half_norm_.data() + first, threshold_, mask);
    for (int q = 0; q < queries_; ++q) {
      for (std::uint32_t bits = mask[q]; bits != 0; bits &= bits - 1) {
        const std::int32_t target = first + std::countr_zero(bits);
        if (!is_wanted(q, screen.original(target))) continue;
        const double apart = cascade_.apart(position_[q], target, reach_[q]);
        if (apart > reach_[q]) continue;
        wait_[q][waiting_[q]++] = {apart, screen.original(target)};
        if (waiting_[q] == tuning::kWait) measure(q, take);
      }
    }
  }

  /// Hands over what still waits.
  template <class Take>
  void finish(Take&& take) {
    for (int q = 0; q < queries_; ++q) measure(q, take);
  }

 private:
  /// A sample whose exact distance is still to be computed, and how far apart it is at least.
  struct Waiting {
    double apart;
    std::int32_t sample;
  };

  template <class Take>
  void measure(int q, Take&& take) {
    Waiting* next = wait_[q];
    Waiting* const end = next + std::exchange(waiting_[q], 0);
    std::sort(next, end, [](const Waiting& a, const Waiting& b) { return a.apart < b.apart; });
    while (next != end) {
      const T* rows[kRowsTogether];
      double squared[kRowsTogether];
      int count = 0;
      for (; count < kRowsTogether && next + count != end && next[count].apart <= reach_[q];
           ++count)
        rows[count] =
            cascade_.rows_ + static_cast<std::size_t>(next[count].sample) * cascade_.columns_;
      if (count == 0) return;
      cascade_.row_distances(position_[q], rows, count, squared);
      for (int i = 0; i < count; ++i) take(q, next[i].sample, squared[i]);
      take.settle(q);
      next += count;
    }
  }

  const Cascade& cascade_;
  int queries_ = 0;
  Buffer<float> points_;  // axis by axis
  std::int32_t position_[kProbe];
  double norm_[kProbe];   // squared
  double reach_[kProbe];  // squared, along the axes
  alignas(64) float threshold_[kProbe];
  Waiting wait_[kProbe][tuning::kWait];
  int waiting_[kProbe];
};

/// Finds the k nearest of one block of samples at a time.
template <class T>
class Cascade<T>::BlockSearch {
 public:
  BlockSearch(const Cascade& cascade, int k)
      : cascade_(cascade),
        k_(k),
        storage_(kBlock * Shortlist<T>::room(k)),
        shortlist_(std::make_unique<Shortlist<T>[]>(kBlock)) {
    for (int i = 0; i < kBlock / kProbe; ++i) probes_.emplace_back(cascade);
  }

  /// Looks through up to `most` blocks, those around first, and notes them in `seen`, by number.
  template <class Store>
  void run(std::int32_t block, std::size_t most, std::vector<std::int32_t>& seen, Store&& store) {
    const Index<float>& screen = cascade_.screen_;
    const int lanes = screen.block_end(block) - screen.block_begin(block);
    for (Probe& probe : probes_) probe.clear();
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int32_t position = screen.block_begin(block) + lane;
      probes_[static_cast<std::size_t>(lane / kProbe)].add(position);
      shortlist_[lane].reset(cascade_.kernel_, storage_.data() + lane * Shortlist<T>::room(k_), k_,
                             screen.original(position));
    }
    const double* box = screen.box(screen.leaf(block));
    const bool sees_all = most >= static_cast<std::size_t>(screen.blocks());  // nobody will ask
    reach_ = kInfinity;
    // One more copy than k, so that the list knows of a tie beyond it.
    visit_outward(
        screen, block, k_ / kBlock + 1,
        [&](std::size_t node) { return cascade_.box_distance(box, node); },
        [&] { return seen.size() < most ? reach_ : -1; },
        [&](std::int32_t b, std::size_t) {
          meet(b);
          if (!sees_all) seen.push_back(b);
        });
    for_each_probe([](Probe& probe, auto&& take) { probe.finish(take); });
    for (int lane = 0; lane < lanes; ++lane) {
      shortlist_[lane].flush(cascade_.index_, cascade_.kernel_);
      store(static_cast<std::size_t>(screen.original(screen.block_begin(block) + lane)),
            shortlist_[lane]);
    }
    std::sort(seen.begin(), seen.end());
  }

 private:
  /// Takes what one probe finds.
  struct Take {
    BlockSearch& search;
    std::size_t probe;

    void operator()(int q, std::int32_t sample, double squared) const {
      list(q).take(search.cascade_.index_, search.cascade_.kernel_, squared, sample);
    }
    /// An exact distance costs far more than a bound that is up to date.
    void settle(int q) const {
      list(q).flush(search.cascade_.index_, search.cascade_.kernel_);
      // A bound of zero cannot fall: nothing that remains to be seen changes a radius.
      const bool is_done = list(q).bound() == 0 && list(q).is_full();
      search.probes_[probe].set_bound(q, is_done ? -1 : list(q).bound());
    }
    Shortlist<T>& list(int q) const {
      return search.shortlist_[probe * kProbe + static_cast<std::size_t>(q)];
    }
  };

  /// Calls work(probe, take) for the probes that hold queries.
  template <class Work>
  void for_each_probe(Work&& work) {
    for (std::size_t p = 0; p < probes_.size() && probes_[p].queries() > 0; ++p)
      work(probes_[p], Take{*this, p});
  }

  void meet(std::int32_t block) {
    reach_ = -1;
    for_each_probe([&](Probe& probe, auto&& take) {
      probe.look_through(block, [](int, std::int32_t) { return true; }, take);
      reach_ = std::max(reach_, probe.widest_reach());
    });
  }

  const Cascade& cascade_;
  int k_;
  Buffer<Candidate> storage_;
  std::unique_ptr<Shortlist<T>[]> shortlist_;
  std::vector<Probe> probes_;
  double reach_ = kInfinity;
};

template <class T>
Cascade<T>::Cascade(const Index<T>& index, const T* rows, const LeadingAxes& leading,
                    const Run& run)
    : index_(index),
      rows_(rows),
      columns_(static_cast<std::size_t>(index.columns())),
      scale_(leading.scale),
      error_(leading.error),
      refined_axes_((static_cast<std::size_t>(leading.axes) + 15) / 16 * 16),
      screen_(
          first_axes(leading, index.samples(), std::min(leading.axes, tuning::kScreenAxes)).data(),
          index.samples(), std::min(leading.axes, tuning::kScreenAxes), true, run),
      refined_(index.samples() * refined_axes_),
      half_norm_(static_cast<std::size_t>(screen_.blocks()) * kBlock),
      screen_kernel_(screen_kernels()),
      kernel_(kernels<T>()) {
  const std::size_t samples = index.samples();
  std::fill_n(half_norm_.data(), half_norm_.size(), 0.0f);
  std::vector<double> largest(static_cast<std::size_t>(run.threads), 0.0);
  parallel_for(run, samples, 1024, [&](std::size_t begin, std::size_t end, int thread) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto source = static_cast<std::size_t>(screen_.original(static_cast<std::int32_t>(i)));
      const float* from = leading.coordinates + source * static_cast<std::size_t>(leading.axes);
      float* to = refined_.data() + i * refined_axes_;
      std::fill(std::copy_n(from, leading.axes, to), to + refined_axes_, 0.0f);
      const double norm = squared_norm(from, screen_.columns());
      half_norm_[i] = static_cast<float>(0.5 * norm);
      double& most = largest[static_cast<std::size_t>(thread)];
      most = std::max(most, norm);
    }
  });
  largest_norm_ = std::sqrt(*std::max_element(largest.begin(), largest.end()));
  // What coincides along the first axes need not coincide.
  screen_.confirm_points([&](std::int32_t first, std::int32_t last) {
    for (std::int32_t i = first + 1; i < last; ++i)
      if (!std::equal(row(first), row(first) + columns_, row(i))) return false;
    return true;
  });
}

template <class T>
float Cascade<T>::threshold_of(double squared_norm, double reach) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (reach < 0) return infinity;
  if (reach == kInfinity) return -infinity;
  // |q - t|^2 <= reach, solved for the product of q and t, less what rounding may add to it.
  const double rounding = (screen_.columns() + 8) * kFloatUnit * largest_norm_ *
                          (std::sqrt(squared_norm) + largest_norm_);
  const double threshold = 0.5 * (squared_norm - reach) - rounding;
  return std::nextafter(static_cast<float>(threshold), -infinity);
}

template <class T>
double Cascade<T>::apart(std::int32_t a, std::int32_t b, double reach) const {
  // Less what rounding may add; a sum of squares errs by a share of itself.
  const double shrink = 1 - (static_cast<double>(refined_axes_) + 8) * kFloatUnit;
  const auto axes = static_cast<int>(refined_axes_);
  const int first = std::min(axes, tuning::kFirstLook);
  const float* x = refined(a);
  const float* y = refined(b);
  double sum = screen_kernel_.apart(x, y, first);
  if (sum * shrink > reach || first == axes) return sum * shrink;
  sum += screen_kernel_.apart(x + first, y + first, axes - first);
  return sum * shrink;
}

template <class T>
NeighborLists Cascade<T>::neighbor_lists(int k, const Run& run, std::size_t home) const {
  NeighborLists lists(index_, k);
  const auto blocks = static_cast<std::size_t>(screen_.blocks());
  // Four times what fills a list, so that it is worth something, and one block that may not be
  // full; all where no distances are kept that others could add to.
  home = std::max(home, 4 * static_cast<std::size_t>(k) / kBlock + 2);
  if (!lists.keeps_distances()) home = blocks;
  std::vector<std::vector<std::int32_t>> seen(blocks);
  {
    std::vector<std::unique_ptr<BlockSearch>> searches;
    for (int t = 0; t < run.threads; ++t)
      searches.push_back(std::make_unique<BlockSearch>(*this, k));
    parallel_for(run, blocks, 1, [&](std::size_t block, std::size_t, int thread) {
      searches[static_cast<std::size_t>(thread)]->run(
          static_cast<std::int32_t>(block), home, seen[block],
          [&](std::size_t i, const Shortlist<T>& found) {
            lists.store(i, found, found.tied_beyond(), found.may_tie());
          });
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
  const std::vector<Extremes> node_reach = screen_.extremes_per_node(shared.reaches(), run);
  std::vector<std::unique_ptr<PairSearch>> searches;
  for (int t = 0; t < run.threads; ++t)
    searches.push_back(std::make_unique<PairSearch>(*this, shared, node_reach));
  parallel_for(run, static_cast<std::size_t>(screen_.blocks()), tuning::kPairBlocks,
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
  BelowSearch(const Cascade& cascade, const double* key, const std::vector<Extremes>& extremes)
      : cascade_(cascade),
        key_(key),
        extremes_(extremes),
        probe_(cascade),
        box_(2 * static_cast<std::size_t>(cascade.screen_.columns())) {}

  void clear() {
    probe_.clear();
    const auto axes = static_cast<std::ptrdiff_t>(cascade_.screen_.columns());
    std::fill_n(box_.begin(), axes, kInfinity);
    std::fill_n(box_.begin() + axes, axes, -kInfinity);
    highest_ = -kInfinity;
  }
  void add(std::int32_t position, double limit, Found* found) {
    const int q = probe_.queries();
    probe_.add(position);
    limit_[q] = limit;
    highest_ = std::max(highest_, limit);
    found_[q] = found;
    *found = {-1, kInfinity};
    const auto axes = static_cast<std::size_t>(cascade_.screen_.columns());
    for (std::size_t a = 0; a < axes; ++a) {
      const double value = cascade_.screen_.coordinate(position, static_cast<int>(a));
      box_[a] = std::min(box_[a], value);
      box_[axes + a] = std::max(box_[axes + a], value);
    }
  }
  void run() {
    const Take take{*this};
    const Index<float>& screen = cascade_.screen_;
    visit_outward(
        screen, probe_.position(0) / kBlock, 1,
        [&](std::size_t node) {
          if (!(extremes_[node].least < highest_)) return kInfinity;
          return box_box_distance(box_.data(), screen.box(node), screen.columns());
        },
        // The largest finite number, so that infinity always means "skip".
        [&] { return std::min(probe_.widest_reach(), std::numeric_limits<double>::max()); },
        [&](std::int32_t block, std::size_t) {
          auto is_below = [&](int q, std::int32_t sample) { return key_[sample] < limit_[q]; };
          probe_.look_through(block, is_below, take);
        });
    probe_.finish(take);
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
    probe_.set_bound(q, squared);
  }

  const Cascade& cascade_;
  const double* key_;
  const std::vector<Extremes>& extremes_;
  Probe probe_;
  std::vector<double> box_;
  double limit_[kProbe];
  double highest_ = -kInfinity;
  Found* found_[kProbe];
};

template <class T>
void Cascade<T>::nearest_below(const double* key, const double* limit,
                               const std::vector<std::int32_t>& samples, Found* found,
                               const Run& run) const {
  const std::size_t n = index_.samples();
  Buffer<double> key_by_position(n);
  std::vector<std::int32_t> position(n);  // by row
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(n); ++i) {
    key_by_position[static_cast<std::size_t>(i)] = key[screen_.original(i)];
    position[static_cast<std::size_t>(screen_.original(i))] = i;
  }
  const std::vector<Extremes> extremes = screen_.extremes_per_node(key_by_position.data(), run);
  // Queries that are near each other go together.
  std::vector<std::pair<std::int32_t, std::size_t>> queries;
  for (std::size_t i = 0; i < samples.size(); ++i)
    queries.emplace_back(position[static_cast<std::size_t>(samples[i])], i);
  std::sort(queries.begin(), queries.end());
  parallel_for(run, queries.size(), 4 * kProbe, [&](std::size_t begin, std::size_t end, int) {
    BelowSearch search(*this, key, extremes);
    for (; begin < end; begin += kProbe) {
      search.clear();
      for (std::size_t i = begin; i < std::min(begin + kProbe, end); ++i)
        search.add(queries[i].first, limit[samples[queries[i].second]], found + queries[i].second);
      search.run();
    }
  });
}

template class Cascade<float>;
template class Cascade<double>;

}  // namespace quickshiftpp
