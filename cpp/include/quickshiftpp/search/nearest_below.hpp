#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

template <class T>
struct Kernels;

/// A sample and the squared distance to it; position -1 for none.
struct Found {
  std::int32_t position;
  double squared_distance;
};

/// Among samples at equal distance, whether a is preferred to b: the smaller key, then the order
/// that settles every tie.
template <class T>
bool is_preferred(const Index<T>& index, const double* key, std::int32_t a, std::int32_t b) {
  return key[a] != key[b] ? key[a] < key[b] : index.comes_first(a, b);
}

/// Finds the nearest sample whose `key` is strictly below a limit. A key is the smaller, the
/// denser: a squared radius, a negated density, infinity for samples out of the question.
///
/// Equal distances: see is_preferred. Equal samples must have equal keys.
template <class T>
class NearestBelow {
 public:
  /// `key` by position, with room for whole blocks; it must outlive the object.
  NearestBelow(const Index<T>& index, const double* key, const Run& run);

  /// From a point anywhere. `home` is the block to start from, -1 for the root.
  Found from_point(const double* point, std::int32_t home, double limit) const;
  /// From a sample of the index; `point` is room for its coordinates.
  Found from_sample(std::int32_t position, double limit, double* point) const;
  /// Of the keys below each node; they may be taken once the searches are over.
  const std::vector<ValueRange>& extremes() const { return extremes_; }
  std::vector<ValueRange> take_extremes() && { return std::move(extremes_); }

 private:
  const Index<T>& index_;
  const double* key_;
  std::vector<ValueRange> extremes_;
  const Kernels<T>& kernel_;
};

}  // namespace quickshiftpp
