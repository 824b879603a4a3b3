#pragma once

#include <cstdint>
#include <vector>

#include "quickshiftpp/buffer.hpp"
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

/// Finds the nearest sample whose `key` is strictly below a limit. The smaller the key, the denser
/// the sample: a squared radius, a negated density, infinity for samples that do not count.
///
/// Equal distances: see is_preferred. Equal samples must have equal keys.
template <class T>
class NearestBelow {
 public:
  /// `key` by position, padded, with its ranges below each node. Both must outlive the object.
  NearestBelow(const Index<T>& index, const double* key, const std::vector<ValueRange>& key_ranges);

  /// From any point. `home` is the block to start from, -1 for the root.
  Found from_point(const double* point, std::int32_t home, double limit) const;
  /// From a sample of the index; `point` is room for its coordinates.
  Found from_sample(std::int32_t position, double limit, double* point) const;

 private:
  const Index<T>& index_;
  const double* key_;
  const std::vector<ValueRange>& key_ranges_;
  const Kernels<T>& kernel_;
};

/// For each query the nearest target whose key is below the query's limit. All by row: `row` is -1
/// for none, with an infinite squared distance.
struct NearestRows {
  Buffer<std::int32_t> row;
  Buffer<double> squared_distance;
};
template <class T>
NearestRows nearest_below(const Index<T>& queries, const Index<T>& targets, const double* key,
                          const double* limit, const Run& run);

}  // namespace quickshiftpp
