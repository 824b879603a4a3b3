#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

/// A block of samples that search together, with their bounding box and a copy of their coordinates
/// in row-major order.
template <class T>
class QueryBlock {
 public:
  explicit QueryBlock(const Index<T>& queries)
      : queries_(queries),
        columns_(queries.columns()),
        points_(static_cast<std::size_t>(tuning::kBlock) * static_cast<std::size_t>(columns_)),
        box_(2 * static_cast<std::size_t>(columns_)) {}

  void load(std::int32_t block) {
    block_ = block;
    begin_ = queries_.block_begin(block);
    size_ = queries_.block_end(block) - begin_;
    double* low = box_.data();
    double* high = low + columns_;
    std::fill(low, high, std::numeric_limits<double>::infinity());
    std::fill(high, high + columns_, -std::numeric_limits<double>::infinity());
    for (int lane = 0; lane < size_; ++lane) {
      double* point = points_.data() + lane * columns_;
      queries_.gather(begin_ + lane, point);
      for (int c = 0; c < columns_; ++c) {
        low[c] = std::min(low[c], point[c]);
        high[c] = std::max(high[c], point[c]);
      }
    }
  }

  /// The position of the first sample.
  std::int32_t begin() const { return begin_; }
  /// The number of samples: tuning::kBlock, or fewer in the last block.
  int size() const { return size_; }
  /// A mask with one bit for each sample.
  std::uint32_t all_lanes() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << size_) - 1);
  }
  /// The block in the layout of the index, column by column.
  const T* data() const { return queries_.block(block_); }
  /// The coordinates of one sample.
  const double* point(int lane) const { return points_.data() + lane * columns_; }
  /// The squared distance from the bounding box of the samples to `box`.
  double distance(const double* box) const { return box_box_distance(box_.data(), box, columns_); }

 private:
  const Index<T>& queries_;
  int columns_;
  Buffer<double> points_;  // row-major
  Buffer<double> box_;
  std::int32_t block_ = 0;
  std::int32_t begin_ = 0;
  int size_ = 0;
};

}  // namespace quickshiftpp
