#pragma once

#include <algorithm>
#include <cstddef>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// std::sort on all threads, interruptible: sorts pieces, then merges them pairwise.
template <class Iterator, class Less>
void parallel_sort(Iterator begin, Iterator end, Less&& less, const Run& run) {
  constexpr std::size_t kPiece = tuning::kSortPiece;
  const auto count = static_cast<std::size_t>(end - begin);
  auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(std::min(i, count)); };
  parallel_for(run, count, kPiece, [&](std::size_t first, std::size_t last, int) {
    std::sort(at(first), at(last), less);
  });
  for (std::size_t width = kPiece; width < count; width *= 2)
    parallel_for(run, count, 2 * width, [&](std::size_t first, std::size_t last, int) {
      std::inplace_merge(at(first), at(first + width), at(last), less);
    });
}

}  // namespace quickshiftpp
