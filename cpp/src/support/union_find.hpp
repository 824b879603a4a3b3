#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace quickshiftpp {

/// Disjoint sets of modes. The lowest number, the densest mode, represents its set.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : up_(count) { std::iota(up_.begin(), up_.end(), 0); }

  std::int32_t find(std::int32_t i) {
    while (up_[static_cast<std::size_t>(i)] != i) {
      std::int32_t& above = up_[static_cast<std::size_t>(i)];
      above = up_[static_cast<std::size_t>(above)];  // halves the path
      i = above;
    }
    return i;
  }
  /// Joins the sets of two representatives.
  void join(std::int32_t a, std::int32_t b) {
    up_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<std::int32_t> up_;
};

}  // namespace quickshiftpp
