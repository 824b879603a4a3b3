#include "quickshiftpp/tree/density.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/coordinates.hpp"
#include "support/error_bounds.hpp"

namespace quickshiftpp {

namespace {

/// A 128-bit sum of up to 2^31 terms of up to 2^51 each.
struct WideSum {
  std::uint64_t high = 0, low = 0;

  void add(std::uint64_t term, std::uint32_t times) {
    const std::uint64_t upper = (term >> 32) * times;
    add_low((term & 0xFFFFFFFFu) * times);
    add_low(upper << 32);
    high += upper >> 32;
  }
  void add_low(std::uint64_t part) {
    low += part;
    high += low < part;
  }
  /// The sum of the terms, each times 2^-51.
  double scaled() const {
    return std::ldexp(static_cast<double>(high), 64 - 51) +
           std::ldexp(static_cast<double>(low), -51);
  }
};

/// The sum over the samples i for which is_wanted(i) holds.
template <class T, class IsWanted>
LogRadiusSum log_radius_sum_of(const Index<T>& index, const NeighborLists& lists, const Run& run,
                               IsWanted&& is_wanted) {
  constexpr double units_per_one = 65536;  // sums are in units of 2^-16
  std::atomic<std::int64_t> sum{0}, count{0};
  parallel_for(run, lists.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    std::int64_t part_sum = 0, part_count = 0;
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
      if (!is_wanted(i)) continue;
      const double squared_radius = lists.squared_radii()[i];
      // Logarithms are slow, so this takes the logarithm of products of many quotients.
      double logs = 0, product = 1;
      int nearer = 0;
      for (int c = 1; c + 1 < lists.k(); ++c) {
        const double squared = lists.squared_distance(index, i, c);
        if (squared == 0) continue;
        ++nearer;
        // The cap, which only nearly equal samples reach, prevents overflow.
        product *= std::min(squared_radius / squared, 1e200);
        if (product > 1e100) {
          logs += std::log(product);
          product = 1;
        }
      }
      part_sum += std::llround(0.5 * units_per_one * (logs + std::log(product)));
      part_count += nearer;
    }
    sum.fetch_add(part_sum, std::memory_order_relaxed);
    count.fetch_add(part_count, std::memory_order_relaxed);
  });
  return {static_cast<double>(sum) / units_per_one, static_cast<double>(count)};
}

}  // namespace

template <class T>
LogRadiusSum log_radius_sum(const Index<T>& index, const NeighborLists& lists, const Run& run) {
  const double share = static_cast<double>(tuning::kDimensionSamples) / index.samples();
  if (share < 1) {
    const auto hash_limit = static_cast<std::uint64_t>(share * 0x1p64);
    const LogRadiusSum part = log_radius_sum_of(index, lists, run, [&](std::int32_t i) {
      return coordinate_hash(index.columns(), [&](int c) { return index.coordinate(i, c); }) <
             hash_limit;
    });
    if (part.count > 0) return part;
  }
  return log_radius_sum_of(index, lists, run, [](std::int32_t) { return true; });
}

template <class T>
Buffer<double> gaussian_sums(const Index<T>& index, double rate, const Run& run) {
  const Kernels<T>& kernel = kernels<T>();
  const int columns = index.columns();
  const double limit = error_bounds::kLargestExponent / rate;
  Buffer<double> sums(index.samples());
  const auto blocks = static_cast<std::size_t>(index.blocks());
  parallel_for(run, blocks, 1, [&](std::size_t begin, std::size_t end, int thread) {
    WorkMeter meter(run, thread);
    std::vector<double> point(static_cast<std::size_t>(columns));
    for (auto b = static_cast<std::int32_t>(begin); b < static_cast<std::int32_t>(end); ++b) {
      for (std::int32_t i = index.block_begin(b); i < index.block_end(b); ++i) {
        index.gather(i, point.data());
        WideSum sum;
        visit_outward(
            index, b, 1, [&](std::size_t node) { return node_distance(index, node, point.data()); },
            [&] { return limit; },
            [&](std::int32_t block, std::size_t node) {
              meter.spend(static_cast<std::size_t>(tuning::kBlock * columns));
              const std::uint64_t term =
                  kernel.gaussian(index.block(block), columns, point.data(), rate, limit);
              const Node& range = index.node(node);
              if (range.is_leaf()) {
                sum.add(term, 1);
              } else {  // a subtree of equal samples, of which only this block is visited
                const std::int32_t copies =
                    index.block_end(range.last - 1) - index.block_begin(range.first);
                sum.add(term / tuning::kBlock, static_cast<std::uint32_t>(copies));
              }
            });
        sums[static_cast<std::size_t>(i)] = sum.scaled();
      }
    }
  });
  return sums;
}

template LogRadiusSum log_radius_sum<float>(const Index<float>&, const NeighborLists&, const Run&);
template LogRadiusSum log_radius_sum<double>(const Index<double>&, const NeighborLists&,
                                             const Run&);
template Buffer<double> gaussian_sums<float>(const Index<float>&, double, const Run&);
template Buffer<double> gaussian_sums<double>(const Index<double>&, double, const Run&);

}  // namespace quickshiftpp
