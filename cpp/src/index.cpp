#include "quickshiftpp/index.hpp"

#include <algorithm>
#include <numeric>

namespace quickshiftpp {

namespace {

using tuning::kBlock;

template <class T>
struct Keyed {
  T key;
  std::int32_t row;
};

/// Splits rows[begin, end) at `middle` by rank along the widest column.
template <class T>
void split(const T* rows, int columns, std::int32_t* order, std::size_t begin, std::size_t middle,
           std::size_t end, std::vector<Keyed<T>>& scratch) {
  std::vector<T> low(columns, std::numeric_limits<T>::infinity());
  std::vector<T> high(columns, -std::numeric_limits<T>::infinity());
  for (std::size_t i = begin; i < end; ++i) {
    const T* row = rows + static_cast<std::size_t>(order[i]) * columns;
    for (int c = 0; c < columns; ++c) {
      low[c] = std::min(low[c], row[c]);
      high[c] = std::max(high[c], row[c]);
    }
  }
  int widest = 0;
  for (int c = 1; c < columns; ++c)
    if (high[c] - low[c] > high[widest] - low[widest]) widest = c;
  if (!(high[widest] > low[widest])) {  // all rows equal: any split will do
    std::sort(order + begin, order + end);
    return;
  }
  scratch.resize(end - begin);
  for (std::size_t i = begin; i < end; ++i)
    scratch[i - begin] = {rows[static_cast<std::size_t>(order[i]) * columns + widest], order[i]};
  std::nth_element(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(middle - begin),
                   scratch.end(),
                   [](const Keyed<T>& a, const Keyed<T>& b) { return a.key < b.key; });
  for (std::size_t i = begin; i < end; ++i) order[i] = scratch[i - begin].row;
}

}  // namespace

template <class T>
Index<T>::Index(const T* rows, std::size_t samples, int columns, bool with_tree, const Run& run)
    : samples_(samples),
      columns_(columns),
      has_tree_(with_tree),
      blocks_(static_cast<std::int32_t>((samples + kBlock - 1) / kBlock)),
      data_(static_cast<std::size_t>(blocks_) * kBlock * columns),
      original_(samples) {
  std::iota(original_.data(), original_.data() + samples, 0);
  if (has_tree_) {
    build_tree(rows, run);
  } else {
    for (std::int32_t b = 0; b < blocks_; ++b) nodes_.push_back({b, b + 1});
  }
  fill_blocks(rows, run);
  if (has_tree_) fill_boxes(run);
}

template <class T>
void Index<T>::build_tree(const T* rows, const Run& run) {
  nodes_.resize(2 * static_cast<std::size_t>(blocks_) - 1);
  nodes_[0] = {0, blocks_};
  auto build = [&](std::size_t node, std::vector<Keyed<T>>& scratch) {
    const Node range = nodes_[node];
    if (range.is_leaf()) return false;
    const std::int32_t middle = range.middle();
    split(rows, columns_, original_.data(), static_cast<std::size_t>(range.first) * kBlock,
          static_cast<std::size_t>(middle) * kBlock,
          std::min(static_cast<std::size_t>(range.last) * kBlock, samples_), scratch);
    nodes_[left(node)] = {range.first, middle};
    nodes_[right(node)] = {middle, range.last};
    return true;
  };
  // Level by level while subtrees are large, so that each level is shared among the threads; then
  // whole subtrees.
  std::vector<std::size_t> level{0};
  std::vector<std::vector<Keyed<T>>> scratch(static_cast<std::size_t>(std::max(run.threads, 1)));
  while (!level.empty() && samples_ / level.size() > tuning::kBuildGrain) {
    std::vector<std::size_t> next(2 * level.size(), 0);
    parallel_for(run, level.size(), 1, [&](std::size_t begin, std::size_t, int thread) {
      if (!build(level[begin], scratch[static_cast<std::size_t>(thread)])) return;
      next[2 * begin] = left(level[begin]);
      next[2 * begin + 1] = right(level[begin]);
    });
    std::erase(next, std::size_t{0});  // the root is nobody's child
    level = std::move(next);
  }
  parallel_for(run, level.size(), 1, [&](std::size_t begin, std::size_t, int thread) {
    std::vector<std::size_t> pending{level[begin]};
    while (!pending.empty()) {
      const std::size_t node = pending.back();
      pending.pop_back();
      if (!build(node, scratch[static_cast<std::size_t>(thread)])) continue;
      pending.push_back(right(node));
      pending.push_back(left(node));
    }
  });
}

template <class T>
void Index<T>::fill_blocks(const T* rows, const Run& run) {
  const auto blocks = static_cast<std::size_t>(blocks_);
  parallel_for(run, blocks, 256, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t b = begin; b < end; ++b) {
      T* out = data_.data() + b * kBlock * static_cast<std::size_t>(columns_);
      for (int lane = 0; lane < kBlock; ++lane) {
        const std::size_t position = b * kBlock + static_cast<std::size_t>(lane);
        const T* row = position < samples_
                           ? rows + static_cast<std::size_t>(original_[position]) * columns_
                           : nullptr;
        for (int c = 0; c < columns_; ++c)
          out[c * kBlock + lane] = row ? row[c] : std::numeric_limits<T>::quiet_NaN();
      }
    }
  });
}

template <class T>
void Index<T>::fill_boxes(const Run& run) {
  boxes_ = Buffer<double>(nodes_.size() * 2 * static_cast<std::size_t>(columns_));
  auto bounds = [&](std::size_t node) { return boxes_.data() + node * 2 * columns_; };
  parallel_for(run, nodes_.size(), 1024, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!nodes_[i].is_leaf()) continue;
      const std::int32_t b = nodes_[i].first;
      const int lanes = block_end(b) - block_begin(b);
      for (int c = 0; c < columns_; ++c) {
        const T* values = block(b) + c * kBlock;
        const auto [low, high] = std::minmax_element(values, values + lanes);
        bounds(i)[c] = *low;
        bounds(i)[columns_ + c] = *high;
      }
      if (std::equal(bounds(i), bounds(i) + columns_, bounds(i) + columns_))
        std::sort(original_.data() + block_begin(b), original_.data() + block_end(b));
    }
  });
  is_point_.resize(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {  // children come after their parent
    if (!nodes_[i].is_leaf()) {
      const double *l = bounds(left(i)), *r = bounds(right(i));
      for (int c = 0; c < columns_; ++c) {
        bounds(i)[c] = std::min(l[c], r[c]);
        bounds(i)[columns_ + c] = std::max(l[columns_ + c], r[columns_ + c]);
      }
    }
    is_point_[i] = std::equal(bounds(i), bounds(i) + columns_, bounds(i) + columns_);
  }
}

template <class T>
std::vector<Extremes> Index<T>::extremes_per_node(const double* value) const {
  std::vector<Extremes> extremes(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Extremes& own = extremes[i];
    if (nodes_[i].is_leaf()) {
      const std::int32_t b = nodes_[i].first;
      own.least = own.greatest = value[block_begin(b)];
      for (std::int32_t p = block_begin(b); p < block_end(b); ++p) {
        own.least = std::min(own.least, value[p]);
        own.greatest = std::max(own.greatest, value[p]);
      }
    } else {
      const Extremes &l = extremes[left(i)], &r = extremes[right(i)];
      own = {std::min(l.least, r.least), std::max(l.greatest, r.greatest)};
    }
  }
  return extremes;
}

template class Index<float>;
template class Index<double>;

}  // namespace quickshiftpp
