#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

namespace detail {

/// The bits of a number that is not negative, rounded, and which of the values it belongs to.
/// Bits are ordered as the numbers are, and rounding keeps their order.
struct RadixItem {
  std::uint32_t bits;
  std::uint32_t number;
};

/// Sorts by bits, equal ones in the order they came in: by the lowest digit, then the next.
inline void sort_bits(std::vector<RadixItem>& items) {
  constexpr int kDigitBits = 11, kDigits = 3;
  constexpr std::uint32_t kMask = (1u << kDigitBits) - 1;
  std::array<std::array<std::size_t, kMask + 1>, kDigits> place{};
  for (const RadixItem& item : items)
    for (int d = 0; d < kDigits; ++d) ++place[d][item.bits >> d * kDigitBits & kMask];
  std::vector<RadixItem> sorted(items.size());
  for (int d = 0; d < kDigits; ++d) {
    std::size_t before = 0;
    for (std::size_t& count : place[d]) before += std::exchange(count, before);
    for (const RadixItem& item : items)
      sorted[place[d][item.bits >> d * kDigitBits & kMask]++] = item;
    items.swap(sorted);
  }
}

/// Sorts [begin, end), long ones in pieces that are merged: by all threads, and interruptible.
template <class Iterator, class Less>
void sort_in_pieces(Iterator begin, Iterator end, Less&& less, const Run& run) {
  constexpr std::size_t kPiece = tuning::kSortPiece;
  const auto count = static_cast<std::size_t>(end - begin);
  auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(std::min(i, count)); };
  if (count <= kPiece) {
    std::sort(begin, end, less);
    return;
  }
  parallel_for(run, count, kPiece, [&](std::size_t first, std::size_t last, int) {
    std::sort(at(first), at(last), less);
  });
  for (std::size_t width = kPiece; width < count; width *= 2)
    parallel_for(run, count, 2 * width, [&](std::size_t first, std::size_t last, int) {
      std::inplace_merge(at(first), at(first + width), at(last), less);
    });
}

}  // namespace detail

/// Sorts values by less, an order by key(value) first of all, where no key is negative, nor -0.
///
/// Comparing tens of thousands of numbers in no order means guessing wrong half of the time what
/// comes of it. Digits need no comparison; only values of nearly one key are left to be compared.
template <class Value, class Key, class Less>
void sort_by_key(std::vector<Value>& values, Key&& key, Less&& less, const Run& run) {
  if (values.size() < tuning::kRadixSort ||
      values.size() > std::numeric_limits<std::uint32_t>::max()) {
    detail::sort_in_pieces(values.begin(), values.end(), less, run);
    return;
  }
  std::vector<detail::RadixItem> items(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    items[i] = {std::bit_cast<std::uint32_t>(static_cast<float>(key(values[i]))),
                static_cast<std::uint32_t>(i)};
  detail::sort_bits(items);
  std::vector<Value> sorted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sorted[i] = values[items[i].number];
  for (std::size_t begin = 0, end; begin < values.size(); begin = end) {
    for (end = begin + 1; end < values.size() && items[end].bits == items[begin].bits;) ++end;
    if (end - begin > 1)
      detail::sort_in_pieces(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                             sorted.begin() + static_cast<std::ptrdiff_t>(end), less, run);
  }
  values = std::move(sorted);
}

}  // namespace quickshiftpp
