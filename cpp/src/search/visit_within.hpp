#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

/// Calls visit(j, squared distance) for every sample j within a squared radius of sample i,
/// including i itself. Skips the nodes for which admits(node) is false.
template <class T, class Admits, class Visit>
void visit_within(const Index<T>& index, std::int32_t i, double squared_radius, Admits&& admits,
                  Visit&& visit, WorkMeter& meter) {
  constexpr std::int32_t all_equal_blocks = std::numeric_limits<std::int32_t>::max();
  const Kernels<T>& kernel = kernels<T>();
  std::vector<double> point(static_cast<std::size_t>(index.columns()));
  index.gather(i, point.data());
  visit_outward(
      index, i / tuning::kBlock, all_equal_blocks,
      [&](std::size_t node) {
        return admits(node) ? node_distance(index, node, point.data())
                            : std::numeric_limits<double>::infinity();
      },
      [&] { return squared_radius; },
      [&](std::int32_t block, std::size_t) {
        meter.spend(static_cast<std::size_t>(tuning::kBlock * index.columns()));
        double squared[kWithinCapacity];
        std::int32_t position[kWithinCapacity];
        const int found =
            kernel.within(index.block(block), index.block_begin(block), index.columns(),
                          point.data(), squared_radius, squared, position);
        for (int c = 0; c < found; ++c) visit(position[c], squared[c]);
      });
}

}  // namespace quickshiftpp
