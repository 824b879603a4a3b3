#include "quickshiftpp/search/nearest_below.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/kernels.hpp"
#include "quickshiftpp/positions.hpp"

namespace quickshiftpp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class T>
NearestBelow<T>::NearestBelow(const Index<T>& index, const double* key,
                              const std::vector<ValueRange>& key_ranges)
    : index_(index), key_(key), key_ranges_(key_ranges), kernel_(kernels<T>()) {}

template <class T>
NearestSample NearestBelow<T>::from_point(const double* point, std::int32_t start_block,
                                          double key_limit, WorkMeter& meter) const {
  const int columns = index_.columns();
  NearestSample best{-1, kInfinity};
  visit_outward(
      index_, start_block, 1,
      [&](std::size_t node) {
        if (!(key_ranges_[node].least < key_limit)) return kInfinity;
        return node_distance(index_, node, point);
      },
      // Always finite, so that an infinite distance skips the node.
      [&] { return std::min(best.squared_distance, std::numeric_limits<double>::max()); },
      [&](std::int32_t block, std::size_t node) {
        meter.spend(static_cast<std::size_t>(tuning::kBlock * columns));
        const std::int32_t first = index_.block_begin(block);
        const DenserInBlock found = kernel_.denser(index_.block(block), columns, point,
                                                   best.squared_distance, key_ + first, key_limit);
        for (std::uint32_t nearest = found.nearest; nearest != 0; nearest &= nearest - 1) {
          const std::int32_t j = first + std::countr_zero(nearest);
          if (best.position < 0 || found.squared < best.squared_distance ||
              precedes_by_key(index_, key_, j, best.position))
            best = {j, found.squared};
          if (index_.holds_equal_samples(node))
            break;  // the first of equal samples has the lowest row number
        }
      });
  return best;
}

template <class T>
NearestSample NearestBelow<T>::from_sample(std::int32_t position, double key_limit, double* point,
                                           WorkMeter& meter) const {
  index_.gather(position, point);
  return from_point(point, position / tuning::kBlock, key_limit, meter);
}

template <class T>
NearestRows nearest_below(const Index<T>& queries, const Index<T>& targets, const double* key,
                          const double* key_limit, const Run& run) {
  const Buffer<double> key_at =
      by_position(*targets.share_row_at_position(), key, targets.padded_samples(), run);
  const std::vector<ValueRange> key_ranges = targets.value_ranges(key_at.data(), run);
  const NearestBelow<T> search(targets, key_at.data(), key_ranges);
  const bool is_self_join = &queries == &targets;
  NearestRows nearest{Buffer<std::int32_t>(queries.samples()), Buffer<double>(queries.samples())};
  parallel_for(run, queries.samples(), 64, [&](std::size_t begin, std::size_t end, int thread) {
    WorkMeter meter(run, thread);
    std::vector<double> point(static_cast<std::size_t>(queries.columns()));
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
      const auto row = static_cast<std::size_t>(queries.row_at(i));
      queries.gather(i, point.data());
      const NearestSample found = search.from_point(
          point.data(), is_self_join ? i / tuning::kBlock : -1, key_limit[row], meter);
      nearest.row[row] = found.position < 0 ? -1 : targets.row_at(found.position);
      nearest.squared_distance[row] = found.squared_distance;
    }
  });
  return nearest;
}

#define QSPP_INSTANTIATE(T)                                                              \
  template class NearestBelow<T>;                                                        \
  template NearestRows nearest_below<T>(const Index<T>&, const Index<T>&, const double*, \
                                        const double*, const Run&);
QSPP_INSTANTIATE(float)
QSPP_INSTANTIATE(double)
#undef QSPP_INSTANTIATE

}  // namespace quickshiftpp
