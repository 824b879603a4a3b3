#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/summation.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// A subtree, which covers the blocks [first, last). Nodes are stored in preorder, so that the
/// children are found without pointers.
struct Node {
  std::int32_t first;
  std::int32_t last;

  bool is_leaf() const { return last - first == 1; }
  std::int32_t middle() const { return first + (last - first) / 2; }
};

struct ValueRange {
  double least;
  double greatest;
};

/// The samples, copied into blocks of tuning::kBlock, with or without a k-d tree over the blocks.
///
/// Inside the core, a sample is identified by its *position*: block * kBlock + lane, where the lane
/// is its place in the block. With the tree, samples that are close in space are close in position,
/// so stages that process positions in order find neighbors in the cache. `row_at` maps a position
/// to the row of the input.
///
/// All blocks but the last are full: the tree splits by rank, at a multiple of kBlock. Its depth
/// therefore depends on the number of samples alone, even where many rows are equal.
template <class T>
class Index {
 public:
  /// Copies `rows`, an array of samples x columns in row-major order. Without the tree, the
  /// position of a sample is its row number.
  Index(const T* rows, std::size_t samples, int columns, bool with_tree, const Run& run);
  /// Without a tree and without a copy: for searches that read the rows themselves. Nothing that
  /// needs coordinates may be asked of it.
  Index(std::size_t samples, int columns);

  std::size_t samples() const { return samples_; }
  int columns() const { return columns_; }
  bool has_tree() const { return has_tree_; }
  bool has_coordinates() const { return data_.size() > 0; }
  std::int32_t blocks() const { return blocks_; }
  /// The number of samples rounded up to whole blocks. Arrays by position that are passed to
  /// kernels need this capacity, because kernels read whole blocks.
  std::size_t padded_samples() const { return static_cast<std::size_t>(blocks_) * tuning::kBlock; }

  const T* block(std::int32_t b) const {
    return data_.data() + static_cast<std::size_t>(b) * columns_ * tuning::kBlock;
  }
  std::int32_t block_begin(std::int32_t b) const { return b * tuning::kBlock; }
  std::int32_t block_end(std::int32_t b) const {
    return b + 1 < blocks_ ? (b + 1) * tuning::kBlock : static_cast<std::int32_t>(samples_);
  }
  T coordinate(std::int32_t position, int column) const {
    return block(position / tuning::kBlock)[column * tuning::kBlock + position % tuning::kBlock];
  }
  /// Copies the coordinates of one sample to `out`.
  template <class U>
  void gather(std::int32_t position, U* out) const {
    for (int c = 0; c < columns_; ++c) out[c] = coordinate(position, c);
  }

  /// Copies all samples to `out`, in the order of the input rows.
  void copy_rows(T* out, const Run& run) const;

  /// The squared distance between two samples. Every kernel computes exactly the same value.
  double squared_distance(std::int32_t a, std::int32_t b) const {
    const T* x = block(a / tuning::kBlock) + a % tuning::kBlock;
    const T* y = block(b / tuning::kBlock) + b % tuning::kBlock;
    return sum_over_columns(columns_, [&](int c) {
      const double difference =
          static_cast<double>(x[c * tuning::kBlock]) - static_cast<double>(y[c * tuning::kBlock]);
      return difference * difference;
    });
  }

  /// The row of the input at a position.
  std::int32_t row_at(std::int32_t position) const {
    return (*row_at_position_)[static_cast<std::size_t>(position)];
  }
  /// The rows of the input at all positions.
  const std::int32_t* rows_at() const { return row_at_position_->data(); }
  /// The rows of all positions, shared with callers that outlive the index.
  std::shared_ptr<const Buffer<std::int32_t>> share_row_at_position() const {
    return row_at_position_;
  }

  /// Compares the coordinates of a and b lexicographically: negative, zero or positive.
  int compare_coordinates(std::int32_t a, std::int32_t b) const {
    for (int c = 0; c < columns_; ++c) {
      const T x = coordinate(a, c), y = coordinate(b, c);
      if (x < y) return -1;
      if (y < x) return 1;
    }
    return 0;
  }
  /// The order that breaks every tie: by coordinates, and equal rows by row number.
  bool comes_first(std::int32_t a, std::int32_t b) const {
    const int order = compare_coordinates(a, b);
    return order != 0 ? order < 0 : row_at(a) < row_at(b);
  }

  /// The number of nodes. Without a tree, there is one node for each block, in order.
  std::size_t nodes() const { return nodes_.size(); }
  const Node& node(std::size_t i) const { return nodes_[i]; }
  std::size_t left(std::size_t i) const { return i + 1; }
  std::size_t right(std::size_t i) const {
    return i + 2 * static_cast<std::size_t>(nodes_[i].middle() - nodes_[i].first);
  }
  /// The leaf that holds one block.
  std::size_t leaf(std::int32_t block) const {
    std::size_t i = has_tree_ ? 0 : static_cast<std::size_t>(block);
    while (!nodes_[i].is_leaf()) i = block < nodes_[i].middle() ? left(i) : right(i);
    return i;
  }
  /// The bounding box of a node: the lower bounds of all columns, then the upper bounds. Requires a
  /// tree.
  const double* box(std::size_t i) const { return boxes_.data() + i * 2 * columns_; }

  /// Whether all samples below a node are equal. If so, they are sorted by row number.
  bool holds_equal_samples(std::size_t i) const {
    return has_tree_ && holds_equal_samples_[i] != 0;
  }

  /// Clears holds_equal_samples for the nodes whose positions [first, last) do not pass
  /// confirm(first, last). For an index of projected samples, where different rows can have equal
  /// coordinates.
  template <class Confirm>
  void confirm_equal_samples(Confirm&& confirm) {
    for (std::size_t i = 0; i < holds_equal_samples_.size(); ++i)
      if (holds_equal_samples_[i] != 0)
        holds_equal_samples_[i] =
            confirm(block_begin(nodes_[i].first), block_end(nodes_[i].last - 1));
  }

  /// For every node, the least and the greatest value of the samples below it. `value` is indexed
  /// by position.
  std::vector<ValueRange> value_ranges(const double* value, const Run& run) const;

 private:
  /// Positions, with room for so many coordinates of each.
  Index(std::size_t samples, int columns, int stored_columns, bool with_tree);
  void place_rows_in_order();
  void build_tree(const T* rows, const Run& run);
  template <class Splitter>
  void split_all(Splitter splitter, const Run& run);
  template <class Row>
  void fill_blocks(Row&& row, const Run& run);
  void fill_boxes(const Run& run);
  /// Blocks that are one piece of work, where in two columns there would be so many.
  std::size_t grain(std::size_t in_the_plane) const {
    return std::max<std::size_t>(1, 2 * in_the_plane / static_cast<std::size_t>(columns_));
  }

  std::size_t samples_;
  int columns_;
  bool has_tree_;
  std::int32_t blocks_;
  Buffer<T> data_;
  std::shared_ptr<Buffer<std::int32_t>> row_at_position_;
  std::vector<Node> nodes_;
  Buffer<double> boxes_;
  std::vector<std::uint8_t> holds_equal_samples_;
};

/// The squared distance between a point and a box. It sums squares in the order of all distances.
/// Rounding is monotone, so the result never exceeds the computed squared distance between the
/// point and a sample in the box: no tolerance is needed. The same holds for box_box_distance.
inline double point_box_distance(const double* point, const double* box, int columns) {
  return sum_over_columns(columns, [&](int c) {
    const double below = box[c] - point[c], above = point[c] - box[columns + c];
    const double gap = std::max(below, above);
    return gap > 0 ? gap * gap : 0.0;
  });
}

/// The squared distance between two boxes in their first `used` columns: a lower bound that is
/// faster to compute.
inline double box_box_distance(const double* a, const double* b, int columns, int used) {
  return sum_over_columns(used, [&](int c) {
    const double below = b[c] - a[columns + c], above = a[c] - b[columns + c];
    const double gap = std::max(below, above);
    return gap > 0 ? gap * gap : 0.0;
  });
}

/// The squared distance between two boxes.
inline double box_box_distance(const double* a, const double* b, int columns) {
  return box_box_distance(a, b, columns, columns);
}

/// A lower bound of the squared distance from a point to the samples of a node; 0 without a tree.
template <class T>
double node_distance(const Index<T>& index, std::size_t node, const double* point) {
  return index.has_tree() ? point_box_distance(point, index.box(node), index.columns()) : 0.0;
}

namespace detail {

/// visit_outward for the blocks below `root`: depth-first, nearer child first.
template <class T, class Distance, class Bound, class Visit>
void visit_subtree(const Index<T>& index, std::size_t root, std::int32_t max_equal_blocks,
                   Distance&& distance, Bound&& bound, Visit&& visit) {
  struct Entry {
    std::size_t node;
    double distance;
  };
  Entry stack[64];  // at most one entry for each level; a tree over 2^31 samples has fewer
  int depth = 0;
  const double root_distance = distance(root);
  if (root_distance > bound()) return;
  stack[depth++] = {root, root_distance};
  while (depth > 0) {
    Entry entry = stack[--depth];
    while (entry.distance <= bound()) {
      const Node& node = index.node(entry.node);
      if (node.is_leaf() ||
          (index.holds_equal_samples(entry.node) && node.last - node.first > max_equal_blocks)) {
        const std::int32_t blocks = std::min(node.last - node.first, max_equal_blocks);
        for (std::int32_t b = 0; b < blocks; ++b) visit(node.first + b, entry.node);
        break;
      }
      Entry near{index.left(entry.node), 0}, far{index.right(entry.node), 0};
      near.distance = distance(near.node);
      far.distance = distance(far.node);
      if (far.distance < near.distance) std::swap(near, far);
      if (far.distance <= bound()) stack[depth++] = far;
      entry = near;
    }
  }
}

}  // namespace detail

/// Calls visit(block, node) for every block whose node has distance(node) <= bound() at the time it
/// is reached. The node is the leaf of the block, or a larger subtree of equal samples.
///
/// distance(node) is a lower bound for all samples below the node; infinity skips the subtree.
/// bound() may decrease during the search. The search starts at `start_block` and proceeds from
/// there to ever larger subtrees, so that the bound is tight early. If start_block < 0, it starts
/// at the root.
///
/// Of a subtree of equal samples, only the first `max_equal_blocks` blocks are visited. A search
/// for k neighbors, for example, uses at most k + 1 copies of a sample, even if there are a
/// million.
template <class T, class Distance, class Bound, class Visit>
void visit_outward(const Index<T>& index, std::int32_t start_block, std::int32_t max_equal_blocks,
                   Distance&& distance, Bound&& bound, Visit&& visit) {
  if (!index.has_tree()) {
    const std::int32_t blocks = index.blocks(), start = std::max(start_block, 0);
    for (std::int32_t step = 0; step < blocks; ++step) {
      const std::int32_t b = (start + step) % blocks;
      if (distance(static_cast<std::size_t>(b)) <= bound()) visit(b, static_cast<std::size_t>(b));
    }
    return;
  }
  if (start_block < 0) {
    detail::visit_subtree(index, 0, max_equal_blocks, distance, bound, visit);
    return;
  }
  std::size_t siblings[64];
  int depth = 0;
  std::size_t node = 0;
  while (!index.node(node).is_leaf()) {
    const bool go_left = start_block < index.node(node).middle();
    siblings[depth++] = go_left ? index.right(node) : index.left(node);
    node = go_left ? index.left(node) : index.right(node);
  }
  if (distance(node) <= bound()) visit(start_block, node);
  while (depth > 0)
    detail::visit_subtree(index, siblings[--depth], max_equal_blocks, distance, bound, visit);
}

/// Calls visit(a, b) once for each pair of leaves a <= b, in the order of their blocks, for which
/// near(a, b) holds, where a is among the blocks [begin, end). A leaf forms a pair with itself.
/// near must also hold for the ancestors of a pair that it holds for. Requires a tree.
///
/// Pairs of subtrees are tested first, so that each visited pair takes about one or two tests.
template <class T, class Near, class Visit>
void visit_pairs(const Index<T>& index, std::int32_t begin, std::int32_t end, Near&& near,
                 Visit&& visit) {
  struct Pair {
    std::size_t a, b;
  };
  Pair stack[192];  // at most three pairs for each level that either side descends
  int depth = 0;
  stack[depth++] = {0, 0};
  while (depth > 0) {
    const auto [a, b] = stack[--depth];
    const Node& one = index.node(a);
    const Node& other = index.node(b);
    if (one.first >= end || one.last <= begin || !near(a, b)) continue;
    if (one.is_leaf() && other.is_leaf()) {
      visit(a, b);
    } else if (a == b) {
      stack[depth++] = {index.right(a), index.right(a)};
      stack[depth++] = {index.left(a), index.right(a)};
      stack[depth++] = {index.left(a), index.left(a)};
    } else if (one.last - one.first > other.last - other.first) {
      stack[depth++] = {index.right(a), b};
      stack[depth++] = {index.left(a), b};
    } else {
      stack[depth++] = {a, index.right(b)};
      stack[depth++] = {a, index.left(b)};
    }
  }
}

}  // namespace quickshiftpp
