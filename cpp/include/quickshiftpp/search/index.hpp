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
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// A subtree: the blocks [first, last). Nodes lie in preorder, so the children need no pointers.
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

/// The samples, copied into blocks of tuning::kBlock, with a k-d tree over the blocks or none.
///
/// Inside the core a sample is known by its *position*: block * kBlock + lane. With the tree,
/// samples that are near in space are near in position, and every later stage that walks positions
/// in order profits. `row_at` leads back to the row of the input.
///
/// All blocks are full but the last, whatever the data: the tree splits at a multiple of kBlock, by
/// rank. Equal rows cannot make it deep.
template <class T>
class Index {
 public:
  /// Copies `rows` (samples by columns, row-major). Without the tree, positions are row numbers.
  Index(const T* rows, std::size_t samples, int columns, bool with_tree, const Run& run);

  std::size_t samples() const { return samples_; }
  int columns() const { return columns_; }
  bool has_tree() const { return has_tree_; }
  std::int32_t blocks() const { return blocks_; }
  /// Samples in full blocks: what an array by position needs for kernels that read whole blocks.
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
  /// Copies one sample's coordinates to `out`.
  template <class U>
  void gather(std::int32_t position, U* out) const {
    for (int c = 0; c < columns_; ++c) out[c] = coordinate(position, c);
  }

  /// Copies all samples to `out`, by row: what the index was built from.
  void copy_rows(T* out, const Run& run) const;

  /// Between two samples, with the same bits as from every kernel.
  double squared_distance(std::int32_t a, std::int32_t b) const {
    const T* x = block(a / tuning::kBlock) + a % tuning::kBlock;
    const T* y = block(b / tuning::kBlock) + b % tuning::kBlock;
    double sum = 0;
    for (int c = 0; c < columns_; ++c) {
      const double difference =
          static_cast<double>(x[c * tuning::kBlock]) - static_cast<double>(y[c * tuning::kBlock]);
      sum += difference * difference;
    }
    return sum;
  }

  /// The row of the input at a position.
  std::int32_t row_at(std::int32_t position) const {
    return (*row_at_position_)[static_cast<std::size_t>(position)];
  }
  /// The same for all positions, for those who outlive the index.
  std::shared_ptr<const Buffer<std::int32_t>> share_row_at_position() const {
    return row_at_position_;
  }

  /// <0, 0, >0 as the coordinates of a come before, equal or come after those of b.
  int compare_coordinates(std::int32_t a, std::int32_t b) const {
    for (int c = 0; c < columns_; ++c) {
      const T x = coordinate(a, c), y = coordinate(b, c);
      if (x < y) return -1;
      if (y < x) return 1;
    }
    return 0;
  }
  /// The order that settles every tie: by coordinates, equal rows by row number.
  bool comes_first(std::int32_t a, std::int32_t b) const {
    const int order = compare_coordinates(a, b);
    return order != 0 ? order < 0 : row_at(a) < row_at(b);
  }

  /// Without a tree, the nodes are the blocks in order.
  std::size_t nodes() const { return nodes_.size(); }
  const Node& node(std::size_t i) const { return nodes_[i]; }
  std::size_t left(std::size_t i) const { return i + 1; }
  std::size_t right(std::size_t i) const {
    return i + 2 * static_cast<std::size_t>(nodes_[i].middle() - nodes_[i].first);
  }
  /// The node of one block.
  std::size_t leaf(std::int32_t block) const {
    std::size_t i = has_tree_ ? 0 : static_cast<std::size_t>(block);
    while (!nodes_[i].is_leaf()) i = block < nodes_[i].middle() ? left(i) : right(i);
    return i;
  }
  /// The node's bounding box: all lower bounds, then all upper bounds. Only with a tree.
  const double* box(std::size_t i) const { return boxes_.data() + i * 2 * columns_; }

  /// Whether all samples below a node are equal. They lie in the order of their row numbers then.
  bool is_point(std::size_t i) const { return has_tree_ && is_point_[i] != 0; }

  /// Withdraws is_point from the nodes for which `confirm(first, last)` denies it, as positions.
  template <class Confirm>
  void confirm_points(Confirm&& confirm) {
    for (std::size_t i = 0; i < is_point_.size(); ++i)
      if (is_point_[i] != 0)
        is_point_[i] = confirm(block_begin(nodes_[i].first), block_end(nodes_[i].last - 1));
  }

  /// For every node the least and the greatest `value` of a sample below it (`value` by position).
  std::vector<ValueRange> value_ranges(const double* value, const Run& run) const;

 private:
  void build_tree(const T* rows, const Run& run);
  template <class Splitter>
  void split_all(Splitter splitter, const Run& run);
  template <class Row>
  void fill_blocks(Row&& row_of, const Run& run);
  void fill_boxes(const Run& run);

  std::size_t samples_;
  int columns_;
  bool has_tree_;
  std::int32_t blocks_;
  Buffer<T> data_;
  std::shared_ptr<Buffer<std::int32_t>> row_at_position_;
  std::vector<Node> nodes_;
  Buffer<double> boxes_;
  std::vector<std::uint8_t> is_point_;
};

/// Squared distance between a point and a box, and between two boxes: sums of squares in column
/// order like the exact kernel. Rounding is monotone, so neither exceeds the computed distance of
/// any two samples inside; no slack is needed.
inline double point_box_distance(const double* point, const double* box, int columns) {
  double sum = 0;
  for (int c = 0; c < columns; ++c) {
    const double below = box[c] - point[c], above = point[c] - box[columns + c];
    const double gap = below > above ? below : above;
    if (gap > 0) sum += gap * gap;
  }
  return sum;
}
/// Of two boxes by their first `used` columns alone, where given: less, but sooner.
inline double box_box_distance(const double* a, const double* b, int columns, int used) {
  double sum = 0;
  for (int c = 0; c < used; ++c) {
    const double below = b[c] - a[columns + c], above = a[c] - b[columns + c];
    const double gap = below > above ? below : above;
    if (gap > 0) sum += gap * gap;
  }
  return sum;
}

inline double box_box_distance(const double* a, const double* b, int columns) {
  return box_box_distance(a, b, columns, columns);
}

/// The squared distance from a point to a node: a lower bound, 0 without a tree.
template <class T>
double node_distance(const Index<T>& index, std::size_t node, const double* point) {
  return index.has_tree() ? point_box_distance(point, index.box(node), index.columns()) : 0.0;
}

namespace detail {

/// Depth-first, nearer child first, over the blocks below `root` that may matter.
template <class T, class Distance, class Bound, class Visit>
void descend(const Index<T>& index, std::size_t root, std::int32_t enough, Distance&& distance,
             Bound&& bound, Visit&& visit) {
  struct Entry {
    std::size_t node;
    double distance;
  };
  Entry stack[64];  // one entry per level of a tree over at most 2^31 samples
  int depth = 0;
  const double root_distance = distance(root);
  if (root_distance > bound()) return;
  stack[depth++] = {root, root_distance};
  while (depth > 0) {
    Entry entry = stack[--depth];
    while (entry.distance <= bound()) {
      const Node& node = index.node(entry.node);
      if (node.is_leaf() || (index.is_point(entry.node) && node.last - node.first > enough)) {
        const std::int32_t blocks = std::min(node.last - node.first, enough);
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

/// Calls visit(block, node) for every block whose node is no farther than bound() when its turn
/// comes. `distance(node)` is a lower bound for the subtree (infinity to skip it), bound() may
/// shrink on the way. Starts at block `home` and widens, so that a bound is tight early; from the
/// root where home < 0. Of a subtree of equal samples, the first `enough` blocks are all that is
/// visited: a million copies tell no more than the few that a search can use.
template <class T, class Distance, class Bound, class Visit>
void visit_outward(const Index<T>& index, std::int32_t home, std::int32_t enough,
                   Distance&& distance, Bound&& bound, Visit&& visit) {
  if (!index.has_tree()) {
    const std::int32_t blocks = index.blocks(), start = home < 0 ? 0 : home;
    for (std::int32_t step = 0; step < blocks; ++step) {
      const std::int32_t b = (start + step) % blocks;
      if (distance(static_cast<std::size_t>(b)) <= bound()) visit(b, static_cast<std::size_t>(b));
    }
    return;
  }
  if (home < 0) {
    detail::descend(index, 0, enough, distance, bound, visit);
    return;
  }
  std::size_t siblings[64];
  int depth = 0;
  std::size_t node = 0;
  while (!index.node(node).is_leaf()) {
    const bool go_left = home < index.node(node).middle();
    siblings[depth++] = go_left ? index.right(node) : index.left(node);
    node = go_left ? index.left(node) : index.right(node);
  }
  if (distance(node) <= bound()) visit(home, node);
  while (depth > 0) detail::descend(index, siblings[--depth], enough, distance, bound, visit);
}

/// Calls visit(a, b) for pairs of leaves, each pair once, for which near(a, b) holds on all levels:
/// a among the blocks [begin, end), b there or later, itself included. Only with a tree.
///
/// Whole subtrees are compared with each other, so that a pair costs a test or two.
template <class T, class Near, class Visit>
void visit_pairs(const Index<T>& index, std::int32_t begin, std::int32_t end, Near&& near,
                 Visit&& visit) {
  struct Pair {
    std::size_t a, b;
  };
  Pair stack[192];  // three pairs on each level at most, and one of the two goes down a level
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
