#include "quickshiftpp/search/index.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/kernels.hpp"

namespace quickshiftpp {

namespace {

using tuning::kBlock;

/// The column with the widest range of values among row(first) to row(last - 1); -1 if all these
/// rows are equal.
template <class T, class Row>
int widest_column(std::size_t first, std::size_t last, int columns, Row&& row) {
  T widest = 0;
  int column = -1;
  constexpr int group = 8;  // columns per pass over the rows
  for (int from = 0; from < columns; from += group) {
    const int count = std::min(group, columns - from);
    T low[group], high[group];
    std::fill_n(low, group, std::numeric_limits<T>::infinity());
    std::fill_n(high, group, -std::numeric_limits<T>::infinity());
    for (std::size_t i = first; i < last; ++i) {
      const T* values = row(i) + from;
      for (int c = 0; c < count; ++c) {
        low[c] = std::min(low[c], values[c]);
        high[c] = std::max(high[c], values[c]);
      }
    }
    for (int c = 0; c < count; ++c) {
      if (!(high[c] - low[c] > widest)) continue;
      widest = high[c] - low[c];
      column = from + c;
    }
  }
  return column;
}

/// Partitions rows by moving their coordinates together with their row numbers, so that memory is
/// read sequentially. For rows of few columns.
template <class T, int Columns>
class RecordSplitter {
 public:
  RecordSplitter(const T* rows, std::size_t samples, int, const Run& run) : records_(samples) {
    parallel_for(run, samples, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        std::copy_n(rows + i * Columns, Columns, records_[i].values);
        records_[i].row_number = static_cast<std::int32_t>(i);
      }
    });
  }

  /// Partitions [first, last) at `middle` by rank in the widest column. If all rows are equal, any
  /// partition is valid, and they are sorted by row number (see Index::holds_equal_samples).
  void split(std::size_t first, std::size_t middle, std::size_t last, int) {
    const int column =
        widest_column<T>(first, last, Columns, [this](std::size_t i) { return row(i); });
    Record* records = records_.data();
    if (column < 0)
      std::sort(records + first, records + last,
                [](const Record& a, const Record& b) { return a.row_number < b.row_number; });
    else
      std::nth_element(records + first, records + middle, records + last,
                       [column](const Record& a, const Record& b) {
                         return a.values[column] < b.values[column];
                       });
  }

  std::int32_t row_number(std::size_t i) const { return records_[i].row_number; }
  const T* row(std::size_t i) const { return records_[i].values; }

 private:
  struct Record {
    T values[Columns];
    std::int32_t row_number;
  };
  Buffer<Record> records_;
};

/// Partitions row numbers only. For rows of many columns, which are expensive to move.
template <class T>
class RowSplitter {
 public:
  RowSplitter(const T* rows, std::size_t samples, int columns, const Run& run)
      : rows_(rows),
        columns_(columns),
        order_(samples),
        scratch_(static_cast<std::size_t>(std::max(run.threads, 1))) {
    std::iota(order_.data(), order_.data() + samples, 0);
  }

  /// See RecordSplitter::split.
  void split(std::size_t first, std::size_t middle, std::size_t last, int thread) {
    std::int32_t* order = order_.data();
    const int column =
        widest_column<T>(first, last, columns_, [this](std::size_t i) { return row(i); });
    if (column < 0) {
      std::sort(order + first, order + last);
      return;
    }
    std::vector<Keyed>& keyed = scratch_[static_cast<std::size_t>(thread)];
    keyed.resize(last - first);
    for (std::size_t i = first; i < last; ++i) keyed[i - first] = {row(i)[column], order[i]};
    std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(middle - first),
                     keyed.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    for (std::size_t i = first; i < last; ++i) order[i] = keyed[i - first].row_number;
  }

  std::int32_t row_number(std::size_t i) const { return order_[i]; }
  const T* row(std::size_t i) const {
    return rows_ + static_cast<std::size_t>(order_[i]) * static_cast<std::size_t>(columns_);
  }

 private:
  struct Keyed {
    T key;
    std::int32_t row_number;
  };
  const T* rows_;
  int columns_;
  Buffer<std::int32_t> order_;               // row numbers
  std::vector<std::vector<Keyed>> scratch_;  // one for each thread
};

}  // namespace

template <class T>
Index<T>::Index(std::size_t samples, int columns, int stored_columns, bool with_tree)
    : samples_(samples),
      columns_(columns),
      has_tree_(with_tree),
      blocks_(static_cast<std::int32_t>((samples + kBlock - 1) / kBlock)),
      data_(static_cast<std::size_t>(blocks_) * kBlock * stored_columns),
      row_at_position_(std::make_shared<Buffer<std::int32_t>>(samples)) {}

template <class T>
Index<T>::Index(const T* rows, std::size_t samples, int columns, bool with_tree, const Run& run)
    : Index(samples, columns, columns, with_tree) {
  if (has_tree_) {
    build_tree(rows, run);
    fill_boxes(run);
    return;
  }
  place_rows_in_order();
  fill_blocks([&](std::size_t i) { return rows + i * static_cast<std::size_t>(columns_); }, run);
}

template <class T>
Index<T>::Index(std::size_t samples, int columns) : Index(samples, columns, 0, false) {
  place_rows_in_order();
}

template <class T>
void Index<T>::place_rows_in_order() {
  for (std::int32_t b = 0; b < blocks_; ++b) nodes_.push_back({b, b + 1});
  std::iota(row_at_position_->data(), row_at_position_->data() + samples_, 0);
}

template <class T>
void Index<T>::build_tree(const T* rows, const Run& run) {
  switch (columns_) {
    case 1:
      return split_all(RecordSplitter<T, 1>(rows, samples_, columns_, run), run);
    case 2:
      return split_all(RecordSplitter<T, 2>(rows, samples_, columns_, run), run);
    case 3:
      return split_all(RecordSplitter<T, 3>(rows, samples_, columns_, run), run);
    case 4:
      return split_all(RecordSplitter<T, 4>(rows, samples_, columns_, run), run);
    default:
      return split_all(RowSplitter<T>(rows, samples_, columns_, run), run);
  }
}

template <class T>
template <class Splitter>
void Index<T>::split_all(Splitter splitter, const Run& run) {
  nodes_.resize(2 * static_cast<std::size_t>(blocks_) - 1);
  nodes_[0] = {0, blocks_};
  auto build = [&](std::size_t node, int thread) {
    const Node range = nodes_[node];
    if (range.is_leaf()) return false;
    const std::int32_t middle = range.middle();
    splitter.split(static_cast<std::size_t>(range.first) * kBlock,
                   static_cast<std::size_t>(middle) * kBlock,
                   std::min(static_cast<std::size_t>(range.last) * kBlock, samples_), thread);
    nodes_[left(node)] = {range.first, middle};
    nodes_[right(node)] = {middle, range.last};
    return true;
  };
  // While subtrees are large, the nodes of each level are distributed over the threads. Then each
  // thread builds whole subtrees.
  std::vector<std::size_t> level{0};
  while (!level.empty() && samples_ / level.size() > tuning::kBuildGrain) {
    std::vector<std::size_t> next(2 * level.size(), 0);
    parallel_for(run, level.size(), 1, [&](std::size_t begin, std::size_t, int thread) {
      if (!build(level[begin], thread)) return;
      next[2 * begin] = left(level[begin]);
      next[2 * begin + 1] = right(level[begin]);
    });
    std::erase(next, std::size_t{0});  // no entry: node 0, the root, is never a child
    level = std::move(next);
  }
  parallel_for(run, level.size(), 1, [&](std::size_t begin, std::size_t, int thread) {
    std::vector<std::size_t> pending{level[begin]};
    while (!pending.empty()) {
      const std::size_t node = pending.back();
      pending.pop_back();
      if (!build(node, thread)) continue;
      pending.push_back(right(node));
      pending.push_back(left(node));
    }
  });
  parallel_for(run, samples_, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) (*row_at_position_)[i] = splitter.row_number(i);
  });
  fill_blocks([&](std::size_t i) { return splitter.row(i); }, run);
}

template <class T>
template <class Row>
void Index<T>::fill_blocks(Row&& row, const Run& run) {
  const auto blocks = static_cast<std::size_t>(blocks_);
  const auto columns = static_cast<std::size_t>(columns_);
  const std::vector<T> missing(columns, std::numeric_limits<T>::quiet_NaN());
  parallel_for(run, blocks, tuning::row_grain(columns * kBlock),
               [&](std::size_t begin, std::size_t end, int) {
                 for (std::size_t b = begin; b < end; ++b) {
                   const T* rows[kBlock];
                   for (std::size_t lane = 0; lane < kBlock; ++lane) {
                     const std::size_t position = b * kBlock + lane;
                     rows[lane] = position < samples_ ? row(position) : missing.data();
                   }
                   kernels<T>().fill_block(rows, columns, data_.data() + b * kBlock * columns);
                 }
               });
}

template <class T>
void Index<T>::fill_boxes(const Run& run) {
  boxes_ = Buffer<double>(nodes_.size() * 2 * static_cast<std::size_t>(columns_));
  auto bounds = [&](std::size_t node) { return boxes_.data() + node * 2 * columns_; };
  parallel_for(run, nodes_.size(), grain(1024), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!nodes_[i].is_leaf()) continue;
      const std::int32_t b = nodes_[i].first;
      const std::int32_t size = block_end(b) - block_begin(b);
      for (int c = 0; c < columns_; ++c) {
        const T* values = block(b) + c * kBlock;
        const auto [low, high] = std::minmax_element(values, values + size);
        bounds(i)[c] = *low;
        bounds(i)[columns_ + c] = *high;
      }
      if (std::equal(bounds(i), bounds(i) + columns_, bounds(i) + columns_))
        std::sort(row_at_position_->data() + block_begin(b),
                  row_at_position_->data() + block_end(b));
    }
  });
  holds_equal_samples_.resize(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {  // children are stored after their parent
    if (!nodes_[i].is_leaf()) {
      const double *l = bounds(left(i)), *r = bounds(right(i));
      for (int c = 0; c < columns_; ++c) {
        bounds(i)[c] = std::min(l[c], r[c]);
        bounds(i)[columns_ + c] = std::max(l[columns_ + c], r[columns_ + c]);
      }
    }
    holds_equal_samples_[i] = std::equal(bounds(i), bounds(i) + columns_, bounds(i) + columns_);
  }
}

template <class T>
std::vector<ValueRange> Index<T>::value_ranges(const double* value, const Run& run) const {
  std::vector<ValueRange> ranges(nodes_.size());
  parallel_for(run, nodes_.size(), tuning::kGrain / tuning::kBlock,
               [&](std::size_t begin, std::size_t end, int) {
                 for (std::size_t i = begin; i < end; ++i) {
                   if (!nodes_[i].is_leaf()) continue;
                   const std::int32_t b = nodes_[i].first;
                   double least = value[block_begin(b)], greatest = least;
                   for (std::int32_t p = block_begin(b); p < block_end(b); ++p) {
                     least = std::min(least, value[p]);
                     greatest = std::max(greatest, value[p]);
                   }
                   ranges[i] = {least, greatest};
                 }
               });
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (nodes_[i].is_leaf()) continue;
    const ValueRange &l = ranges[left(i)], &r = ranges[right(i)];
    ranges[i] = {std::min(l.least, r.least), std::max(l.greatest, r.greatest)};
  }
  return ranges;
}

template <class T>
void Index<T>::copy_rows(T* out, const Run& run) const {
  parallel_for(run, samples_, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i)
      gather(i, out + static_cast<std::size_t>(row_at(i)) * static_cast<std::size_t>(columns_));
  });
}

template class Index<float>;
template class Index<double>;

}  // namespace quickshiftpp
