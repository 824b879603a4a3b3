#include "quickshiftpp/search/nearest_below.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/kernels.hpp"

namespace quickshiftpp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class T>
NearestBelow<T>::NearestBelow(const Index<T>& index, const double* key, const Run& run)
    : index_(index), key_(key), extremes_(index.value_ranges(key, run)), kernel_(kernels<T>()) {}

template <class T>
Found NearestBelow<T>::from_point(const double* point, std::int32_t home, double limit) const {
  const int columns = index_.columns();
  Found best{-1, kInfinity};
  visit_outward(
      index_, home, 1,
      [&](std::size_t node) {
        if (!(extremes_[node].least < limit)) return kInfinity;
        return node_distance(index_, node, point);
      },
      // The largest finite number, so that infinity always means "skip".
      [&] { return std::min(best.squared_distance, std::numeric_limits<double>::max()); },
      [&](std::int32_t block, std::size_t node) {
        const std::int32_t first = index_.block_begin(block);
        const Ascent ascent = kernel_.upward(index_.block(block), columns, point,
                                             best.squared_distance, key_ + first, limit);
        for (std::uint32_t nearest = ascent.nearest; nearest != 0; nearest &= nearest - 1) {
          const std::int32_t j = first + std::countr_zero(nearest);
          if (best.position < 0 || ascent.squared < best.squared_distance ||
              is_preferred(index_, key_, j, best.position))
            best = {j, ascent.squared};
          if (index_.is_point(node)) break;  // of equal samples the first has the lowest row number
        }
      });
  return best;
}

template <class T>
Found NearestBelow<T>::from_sample(std::int32_t position, double limit, double* point) const {
  index_.gather(position, point);
  return from_point(point, position / tuning::kBlock, limit);
}

template class NearestBelow<float>;
template class NearestBelow<double>;

}  // namespace quickshiftpp
