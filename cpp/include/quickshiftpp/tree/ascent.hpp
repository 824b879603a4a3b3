#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/nearest_below.hpp"
#include "quickshiftpp/search/neighbors.hpp"

namespace quickshiftpp {

template <class T>
class Cascade;

/// For every sample, by position:
struct Parents {
  Buffer<std::int32_t> parent;  ///< the nearest one of strictly smaller radius, -1 for none
  /// The nearest denser neighbour in the mutual graph as far as it was met on the way: the sample
  /// itself where it has none, -1 where it remains to be looked for. With room for whole blocks.
  Buffer<std::int32_t> next;
  std::vector<ValueRange> extremes;  ///< of the squared radii below each node of the index
};

/// Taken from the neighbour list where there is one and it settles it, searched for otherwise: in
/// the cascade where there is one.
template <class T>
Parents denser_parents(const Index<T>& index, const NeighborLists& lists, const Cascade<T>* cascade,
                       const Run& run);

}  // namespace quickshiftpp
