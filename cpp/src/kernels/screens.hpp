// The arithmetic of the cascade on projected samples, in words of 32 bits.

#pragma once

#include "rows.hpp"
#include "support/error_bounds.hpp"

namespace quickshiftpp::QSPP_ISA {
namespace {

/// One coordinate in a word.
struct Floats32 {
  using Sum = WideFloats;
  static constexpr int kStartWords = 0;

  static Sum start(const uint32_t*) { return Sum{}; }

  static Sum add_product(Sum sum, WideWords a, WideWords b) {
    return QSPP_ISA::add_product(sum, reinterpret_cast<WideFloats>(a),
                                 reinterpret_cast<WideFloats>(b));
  }
  static WideWords difference(WideWords a, WideWords b) {
    return reinterpret_cast<WideWords>(reinterpret_cast<WideFloats>(a) -
                                       reinterpret_cast<WideFloats>(b));
  }
  static WideFloats to_float(Sum sum) { return sum; }
};

/// Two coordinates in a word.
struct Integers16 {
  using Sum = WideIntegers;
  static constexpr int kStartWords = 0;

  static Sum start(const uint32_t*) { return Sum{}; }

#ifdef QSPP_VNNI
  static Sum add_product(Sum sum, WideWords a, WideWords b) {
    return reinterpret_cast<Sum>(_mm512_dpwssd_epi32(reinterpret_cast<__m512i>(sum),
                                                     reinterpret_cast<__m512i>(a),
                                                     reinterpret_cast<__m512i>(b)));
  }
#elif QSPP_LANES == 8
  static Sum add_product(Sum sum, WideWords a, WideWords b) {
    return sum + reinterpret_cast<WideIntegers>(
                     _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
#elif QSPP_LANES == 4
  static Sum add_product(Sum sum, WideWords a, WideWords b) {
    return sum + reinterpret_cast<WideIntegers>(
                     _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
#elif defined(__SSE2__)
  static Sum add_product(Sum sum, WideWords a, WideWords b) {
    return sum + reinterpret_cast<WideIntegers>(
                     _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
  }
#else
  static Sum add_product(Sum sum, WideWords a, WideWords b) {
    return sum + low(a) * low(b) + high(a) * high(b);
  }
  static WideIntegers low(WideWords words) {
    return reinterpret_cast<WideIntegers>(words << 16) >> 16;
  }
  static WideIntegers high(WideWords words) { return reinterpret_cast<WideIntegers>(words) >> 16; }
#endif

  static WideWords difference(WideWords a, WideWords b) {
    return reinterpret_cast<WideWords>(reinterpret_cast<Halves>(a) - reinterpret_cast<Halves>(b));
  }
  static WideFloats to_float(Sum sum) { return __builtin_convertvector(sum, WideFloats); }

 private:
  typedef int16_t Halves __attribute__((vector_size(kLanes * 8)));
};

#ifdef QSPP_VNNI
/// Four coordinates in a word. Those of queries are stored plus 128, since the instruction
/// multiplies unsigned numbers by signed ones; sums start with what makes up for it.
struct Integers8 {
  using Sum = WideIntegers;
  static constexpr int kStartWords = 1;

  static Sum start(const uint32_t* words) { return reinterpret_cast<Sum>(load_wide(words)); }
  static Sum add_product(Sum sum, WideWords sample, WideWords query) {
    return reinterpret_cast<Sum>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum),
                                                     reinterpret_cast<__m512i>(query),
                                                     reinterpret_cast<__m512i>(sample)));
  }
  static WideFloats to_float(Sum sum) { return __builtin_convertvector(sum, WideFloats); }
};
#endif

/// Writes float32 numbers as they are, and integers as multiples of the step.
template <class Coordinate>
StoredSample store(const float* from, int count, double step, uint32_t* to) {
  typedef int32_t HalfIntegers __attribute__((vector_size(kLanes * 4)));
  typedef Coordinate Stored __attribute__((vector_size(kLanes * sizeof(Coordinate))));
  // Adding 1.5 * 2^52 rounds a number to the nearest integer, which is then found in the low bits.
  constexpr double offset = 6755399441055744.0;
  // Sums side by side, so that additions need not wait for each other.
  constexpr int sums = 2;
  static_assert(ScreenKernels::kStoredTogether % (sums * kLanes) == 0);
  const double per_step = 1 / step;
  Doubles moved[sums] = {}, squares[sums] = {};
  HalfIntegers totals[sums] = {};
  auto* next = reinterpret_cast<unsigned char*>(to);
  for (int begin = 0; begin < count; begin += sums * kLanes)
    for (int s = 0; s < sums; ++s, next += sizeof(Stored)) {
      const float* own = from + begin + s * kLanes;
      const Doubles coordinate = load_unaligned(own);
      if constexpr (sizeof(Coordinate) == sizeof(float)) {
        squares[s] += coordinate * coordinate;
        __builtin_memcpy(next, own, sizeof(Stored));
      } else {
        const Doubles shifted = coordinate * per_step + offset;
        const Doubles rounded = shifted - offset;
        const Doubles error = coordinate - rounded * step;  // exact: docs/exactness.md
        moved[s] += error * error;
        squares[s] += rounded * rounded;
        const auto integer = __builtin_convertvector(reinterpret_cast<Bits>(shifted), HalfIntegers);
        totals[s] += integer;
        const auto stored = __builtin_convertvector(integer, Stored);
        __builtin_memcpy(next, &stored, sizeof(stored));
      }
    }
  StoredSample sample;
  for (int s = 0; s < sums; ++s)
    for (int i = 0; i < kLanes; ++i) {
      sample.squared_move += moved[s][i];
      sample.squared_length += squares[s][i];
      sample.sum += totals[s][i];
    }
  return sample;
}

/// Calls take(query, base, low, high) for the products of tuning::kQueryGroup queries with a block,
/// two vectors of samples from `base` on at a time.
template <class Coordinates, class Take>
inline void products(const uint32_t* block, int words, const uint32_t* queries, Take take) {
  // As many sums at a time as the registers hold.
  constexpr int together = kLanes == 8 ? 8 : 4;
  static_assert(tuning::kQueryGroup % together == 0);
  for (int base = 0; base < kBlock; base += 2 * kWide) {
    for (int first = 0; first < tuning::kQueryGroup; first += together) {
      typename Coordinates::Sum low[together], high[together];
      for (int q = 0; q < together; ++q) {
        low[q] = Coordinates::start(block + base);
        high[q] = Coordinates::start(block + base + kWide);
      }
      const uint32_t* coordinates = block + Coordinates::kStartWords * kBlock + base;
      for (int word = 0; word < words; ++word) {
        const WideWords a = load_wide(coordinates + word * kBlock);
        const WideWords b = load_wide(coordinates + word * kBlock + kWide);
        const uint32_t* query = queries + word * tuning::kQueryGroup + first;
        for (int q = 0; q < together; ++q) {
          const WideWords coordinate = query[q] - WideWords{};
          low[q] = Coordinates::add_product(low[q], a, coordinate);
          high[q] = Coordinates::add_product(high[q], b, coordinate);
        }
      }
      for (int q = 0; q < together; ++q)
        take(first + q, base, Coordinates::to_float(low[q]), Coordinates::to_float(high[q]));
    }
  }
}

/// The masks of two vectors, one after the other, as one.
inline uint32_t join_masks(uint32_t low, uint32_t high) { return low | high << kWide; }

/// Writes two vectors, one after the other.
inline void store_both(WideFloats low, WideFloats high, float* out) {
  __builtin_memcpy(out, &low, sizeof(low));
  __builtin_memcpy(out + kWide, &high, sizeof(high));
}

template <class Coordinates>
void screen(const uint32_t* block, int words, const uint32_t* queries, const float* half_norm,
            const float* threshold, uint32_t* mask, float* product) {
  for (int q = 0; q < tuning::kQueryGroup; ++q) mask[q] = 0;
  products<Coordinates>(
      block, words, queries, [&](int q, int base, WideFloats low, WideFloats high) {
        const float* own = half_norm + base;
        mask[q] |= join_masks(at_most(load_wide(own) - low, -threshold[q]),
                              at_most(load_wide(own + kWide) - high, -threshold[q]))
                   << base;
        store_both(low, high, product + q * kBlock + base);
      });
}

template <class Coordinates>
void screen_both(const uint32_t* block, int words, const uint32_t* queries, const float* half_norm,
                 const float* threshold, const float* own_half_norm, const float* other_threshold,
                 uint32_t* mask, uint32_t* other_mask, float* product) {
  for (int q = 0; q < tuning::kQueryGroup; ++q) mask[q] = other_mask[q] = 0;
  products<Coordinates>(
      block, words, queries, [&](int q, int base, WideFloats low, WideFloats high) {
        const float* other = half_norm + base;
        const float* limit = other_threshold + base;
        mask[q] |= join_masks(at_most(load_wide(other) - low, -threshold[q]),
                              at_most(load_wide(other + kWide) - high, -threshold[q]))
                   << base;
        other_mask[q] |= join_masks(at_most(own_half_norm[q] - low, -load_wide(limit)),
                                    at_most(own_half_norm[q] - high, -load_wide(limit + kWide)))
                         << base;
        store_both(low, high, product + q * kBlock + base);
      });
}

/// The sum of all lanes, by halves.
inline float total(WideFloats value) {
#if QSPP_LANES == 8
  constexpr __mmask8 all = 0xFF;  // GCC warns of its own header where there is no mask
  const auto wide = reinterpret_cast<__m512>(value);
  const __m256 half = _mm256_add_ps(_mm512_maskz_extractf32x8_ps(all, wide, 0),
                                    _mm512_maskz_extractf32x8_ps(all, wide, 1));
#elif QSPP_LANES == 4
  const auto half = reinterpret_cast<__m256>(value);
#endif
#if QSPP_LANES > 2
  const __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  const __m128 two = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
#else
  return (value[0] + value[2]) + (value[1] + value[3]);
#endif
}

template <class Coordinates>
void pair_distances(const uint32_t* rows, int words, const SamplePair* pairs, int count,
                    float* squared) {
  for (int i = 0; i < count; ++i) {
    const uint32_t* a = rows + static_cast<size_t>(pairs[i].a) * static_cast<size_t>(words);
    const uint32_t* b = rows + static_cast<size_t>(pairs[i].b) * static_cast<size_t>(words);
    static_assert(kWide >= error_bounds::kNarrowestSums);
    typename Coordinates::Sum sum = {};
    for (int word = 0; word < words; word += kWide) {
      const WideWords difference =
          Coordinates::difference(load_wide(a + word), load_wide(b + word));
      sum = Coordinates::add_product(sum, difference, difference);
    }
    squared[i] = total(Coordinates::to_float(sum));
  }
}

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
