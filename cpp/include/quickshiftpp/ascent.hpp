#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/index.hpp"
#include "quickshiftpp/kernels.hpp"
#include "quickshiftpp/neighbors.hpp"
#include "quickshiftpp/parallel.hpp"

namespace quickshiftpp {

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
  const std::vector<Extremes>& extremes() const { return extremes_; }
  std::vector<Extremes> take_extremes() && { return std::move(extremes_); }

 private:
  const Index<T>& index_;
  const double* key_;
  std::vector<Extremes> extremes_;
  const Kernels<T>& kernel_;
};

template <class T>
class Cascade;

/// For every sample, by position:
struct Parents {
  Buffer<std::int32_t> parent;  ///< the nearest one of strictly smaller radius, -1 for none
  /// The nearest denser neighbour in the mutual graph as far as it was met on the way: the sample
  /// itself where it has none, -1 where it remains to be looked for. With room for whole blocks.
  Buffer<std::int32_t> next;
  std::vector<Extremes> extremes;  ///< of the squared radii below each node of the index
};

/// Taken from the neighbour list where there is one and it settles it, searched for otherwise: in
/// the cascade where there is one.
template <class T>
Parents denser_parents(const Index<T>& index, const NeighborLists& lists, const Cascade<T>* cascade,
                       const Run& run);

}  // namespace quickshiftpp
