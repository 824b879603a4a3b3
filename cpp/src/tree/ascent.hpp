#pragma once

#include <cstdint>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/cascade.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"
#include "tree/density_order.hpp"

namespace quickshiftpp {

/// The two links that lead uphill from each sample, by position.
struct UphillLinks {
  /// The nearest sample of strictly smaller radius, however far; -1 for none.
  Buffer<std::int32_t> parent;
  /// The nearest denser neighbor in the mutual graph, among equally near ones the densest. On a
  /// plateau, where no neighbor has a smaller radius, the densest neighbor of the same radius. The
  /// sample itself where there is none. Not settled for samples of radius zero. Padded.
  Buffer<std::int32_t> mutual_parent;
};

/// From the neighbor lists where they are stored, by searching the k-d tree again where they are
/// not. `radius_ranges` are those of the squared radii below each node of the index. Parents that a
/// list does not hold are searched for with `cascade`, where there is one.
template <class T>
UphillLinks find_uphill_links(const DensityOrder<T>& order, const NeighborLists& lists,
                              const std::vector<ValueRange>& radius_ranges,
                              const Cascade<T>* cascade, const Run& run);

}  // namespace quickshiftpp
