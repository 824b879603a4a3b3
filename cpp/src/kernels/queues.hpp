// The queues of candidates that wait for their exact distances.

#pragma once

#include "vectors.hpp"

namespace quickshiftpp::QSPP_ISA {
namespace {

/// Writes the keys and positions of the lanes in `mask` one after another and returns their number.
/// May write a whole vector.
inline int emit(WideFloats key, WideIntegers position, uint32_t mask, float* keys,
                int32_t* positions) {
#if QSPP_LANES == 8
  const auto m = static_cast<__mmask16>(mask);
  _mm512_storeu_ps(keys, _mm512_maskz_compress_ps(m, reinterpret_cast<__m512>(key)));
  _mm512_storeu_si512(positions,
                      _mm512_maskz_compress_epi32(m, reinterpret_cast<__m512i>(position)));
  return __builtin_popcount(mask);
#else
  int count = 0;
  for (; mask != 0; mask &= mask - 1, ++count) {
    const int lane = __builtin_ctz(mask);
    keys[count] = key[lane];
    positions[count] = position[lane];
  }
  return count;
#endif
}

inline WideIntegers load_wide(const int32_t* p) {
  WideIntegers value;
  __builtin_memcpy(&value, p, sizeof(value));
  return value;
}

/// first, first + 1, ...
inline WideIntegers count_from(int32_t first) {
  alignas(64) static constexpr int32_t numbers[] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                    8, 9, 10, 11, 12, 13, 14, 15};
  static_assert(kWide <= 16);
  return load_wide(numbers) + first;
}

constexpr uint32_t kAllLanes = (uint32_t{1} << (kWide - 1) << 1) - 1;

int append(uint32_t mask, const float* half_norm, const float* product, int32_t first, float* key,
           int32_t* position) {
  int count = 0;
  for (int base = 0; base < kBlock; base += kWide) {
    const uint32_t part = mask >> base & kAllLanes;
    if (part != 0)
      count += emit(load_wide(half_norm + base) - load_wide(product + base),
                    count_from(first + base), part, key + count, position + count);
  }
  return count;
}

int append_at_most(float largest, const float* half_norm, const float* product, int32_t first,
                   float* key, int32_t* position) {
  int count = 0;
  for (int base = 0; base < kBlock; base += kWide) {
    const WideFloats keys = load_wide(half_norm + base) - load_wide(product + base);
    const uint32_t mask = at_most(keys, largest);
    if (mask != 0)
      count += emit(keys, count_from(first + base), mask, key + count, position + count);
  }
  return count;
}

int keep_at_most(float largest, int count, float* key, int32_t* position) {
  static_assert(kWide <= QueueKernels::kOverhang);
  int kept = 0;
  for (int i = 0; i < count; i += kWide) {
    const WideFloats keys = load_wide(key + i);
    const WideIntegers positions = load_wide(position + i);
    uint32_t mask = at_most(keys, largest);
    if (count - i < kWide) mask &= (uint32_t{1} << (count - i)) - 1;
    kept += emit(keys, positions, mask, key + kept, position + kept);
  }
  return kept;
}

inline int count_at_most(const float* key, int count, float limit) {
  int total = 0, i = 0;
#if QSPP_LANES > 2
  for (; i + kWide <= count; i += kWide)
    total += __builtin_popcount(at_most(load_wide(key + i), limit));
#endif
  for (; i < count; ++i) total += key[i] <= limit;
  return total;
}

/// Bisects between the least and the greatest key, since counting takes no branches.
float about_kth_smallest(const float* key, int count, int k) {
  WideFloats least = key[0] - WideFloats{}, greatest = least;
  const auto include = [&](WideFloats keys) {
    least = keys < least ? keys : least;
    greatest = keys > greatest ? keys : greatest;
  };
  int next = 0;
  for (; next + kWide <= count; next += kWide) include(load_wide(key + next));
  for (; next < count; ++next) include(key[next] - WideFloats{});
  float low = least[0], high = greatest[0];
  for (int lane = 1; lane < kWide; ++lane) {
    low = least[lane] < low ? least[lane] : low;
    high = greatest[lane] > high ? greatest[lane] : high;
  }
  // At least k keys do not exceed `high`.
  int within = count;
  while (within > k + k / 8) {
    const float middle = low + (high - low) / 2;
    if (!(middle < high)) break;  // there is no number in between
    const int found = count_at_most(key, count, middle);
    if (found >= k) {
      high = middle;
      within = found;
    } else {
      if (middle == low) break;
      low = middle;
    }
  }
  return high;
}

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
