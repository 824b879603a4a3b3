#pragma once

#include <cstdint>

#include "quickshiftpp/search/neighbor_lists.hpp"
#include "search/visit_within.hpp"
#include "tree/density_order.hpp"

namespace quickshiftpp {

/// Whether denser neighbors of i may be missing from its list: samples at distance exactly r_i
/// that also have the radius r_i. Equal rows with radius zero are linked separately.
template <class T>
bool has_tied_neighbors(const DensityOrder<T>& order, const NeighborLists& lists, std::int32_t i) {
  return lists.tied_beyond(i) && order.squared_radius()[i] > 0;
}

/// Calls visit(j) for the denser samples j at distance exactly r_i = r_j, in i's list or not. They
/// are searched for rather than stored: there may be far more than n k of them.
template <class T, class Visit>
void visit_tied_neighbors(const DensityOrder<T>& order, std::int32_t i, Visit&& visit,
                          WorkMeter& meter) {
  const Index<T>& index = order.index();
  const double* squared_radius = order.squared_radius();
  const double limit = squared_radius[i];
  auto admits = [&](std::size_t node) {
    // Equal samples have equal radii: either all of a node's samples matter, or none.
    return !index.holds_equal_samples(node) ||
           squared_radius[index.block_begin(index.node(node).first)] == limit;
  };
  visit_within(
      index, i, limit, admits,
      [&](std::int32_t j, double squared) {
        if (squared == limit && squared_radius[j] == limit && order.is_denser(j, i)) visit(j);
      },
      meter);
}

}  // namespace quickshiftpp
