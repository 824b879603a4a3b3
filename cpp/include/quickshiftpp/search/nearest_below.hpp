#pragma once

#include <cstdint>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

template <class T>
struct Kernels;

/// A sample and the squared distance to it. The position is -1 if there is none.
struct NearestSample {
  std::int32_t position;
  double squared_distance;
};

/// Whether a comes before b in the order by key, ties by comes_first of the samples, an index for
/// example. If the keys are squared radii, this is the density order (DensityOrder::is_denser).
template <class Samples>
bool precedes_by_key(const Samples& samples, const double* key, std::int32_t a, std::int32_t b) {
  return key[a] != key[b] ? key[a] < key[b] : samples.comes_first(a, b);
}

/// Finds the nearest sample whose `key` is strictly below a limit. A smaller key means a denser
/// sample: keys are squared radii or negated densities. Samples with an infinite key are ignored.
///
/// Of several samples at the same distance, the first by precedes_by_key is returned. Equal samples
/// must have equal keys.
template <class T>
class NearestBelow {
 public:
  /// `key` is indexed by position and padded to whole blocks; `key_ranges` are its value_ranges.
  /// Both must outlive the object.
  NearestBelow(const Index<T>& index, const double* key, const std::vector<ValueRange>& key_ranges);

  /// Searches from any point. The search starts at `start_block`, or at the root if it is -1.
  NearestSample from_point(const double* point, std::int32_t start_block, double key_limit,
                           WorkMeter& meter) const;
  /// Searches from a sample of the index. `point` is scratch space for its coordinates.
  NearestSample from_sample(std::int32_t position, double key_limit, double* point,
                            WorkMeter& meter) const;

 private:
  const Index<T>& index_;
  const double* key_;
  const std::vector<ValueRange>& key_ranges_;
  const Kernels<T>& kernel_;
};

/// For each query, the nearest target whose key is below the query's limit. All arrays are indexed
/// by row. Where there is no such target, `row` is -1 and the squared distance is infinite.
struct NearestRows {
  Buffer<std::int32_t> row;
  Buffer<double> squared_distance;
};
template <class T>
NearestRows nearest_below(const Index<T>& queries, const Index<T>& targets, const double* key,
                          const double* key_limit, const Run& run);

}  // namespace quickshiftpp
