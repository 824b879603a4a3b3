// What all kernels are written with: compiler vector types of the width of the instruction set, and
// what the compilers do not offer for them.

#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "kernels/kernels.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp::QSPP_ISA {
namespace {

constexpr int kLanes = QSPP_LANES;
constexpr int kBlock = tuning::kBlock;
// Vectors worked on side by side: a whole block where the registers allow.
constexpr int kGroup = kBlock / kLanes < 8 ? kBlock / kLanes : 8;
static_assert(kBlock % (kLanes * kGroup) == 0);

typedef double Doubles __attribute__((vector_size(kLanes * 8)));
typedef int64_t Integers __attribute__((vector_size(kLanes * 8)));
typedef uint64_t Bits __attribute__((vector_size(kLanes * 8)));
typedef float Floats __attribute__((vector_size(kLanes * 4)));

inline Doubles load(const double* p) { return *reinterpret_cast<const Doubles*>(p); }
inline Doubles load(const float* p) {
  return __builtin_convertvector(*reinterpret_cast<const Floats*>(p), Doubles);
}

/// Bit i is set where lane i is at most that of `limit`; never where it is NaN.
inline unsigned at_most(Doubles value, Doubles limit) {
#if QSPP_LANES == 8
  return _mm512_cmp_pd_mask(reinterpret_cast<__m512d>(value), reinterpret_cast<__m512d>(limit),
                            _CMP_LE_OQ);
#elif QSPP_LANES == 4
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(
      reinterpret_cast<__m256d>(value), reinterpret_cast<__m256d>(limit), _CMP_LE_OQ)));
#else
  unsigned mask = 0;
  for (int i = 0; i < kLanes; ++i) mask |= static_cast<unsigned>(value[i] <= limit[i]) << i;
  return mask;
#endif
}
// To fill a vector with x, take nothing from it: x - Vector{}. The compiler leaves that out, where
// it would have to add a zero, for -0 + 0 is not -0.
inline unsigned at_most(Doubles value, double limit) { return at_most(value, limit - Doubles{}); }

inline Doubles larger(Doubles a, Doubles b) { return a > b ? a : b; }

inline Doubles load_unaligned(const double* p) {
  Doubles value;
  __builtin_memcpy(&value, p, sizeof(value));
  return value;
}

inline Doubles load_unaligned(const float* p) {
  Floats value;
  __builtin_memcpy(&value, p, sizeof(value));
  return __builtin_convertvector(value, Doubles);
}

typedef float WideFloats __attribute__((vector_size(kLanes * 8)));
typedef int32_t WideIntegers __attribute__((vector_size(kLanes * 8)));
typedef uint32_t WideWords __attribute__((vector_size(kLanes * 8)));
constexpr int kWide = 2 * kLanes;  // floats, or words, per vector

inline WideFloats load_wide(const float* p) {
  WideFloats value;
  __builtin_memcpy(&value, p, sizeof(value));
  return value;
}

inline WideWords load_wide(const uint32_t* p) {
  WideWords value;
  __builtin_memcpy(&value, p, sizeof(value));
  return value;
}

/// sum + a * b, fused where the instruction set can: this decides nothing but what to look at.
inline WideFloats add_product(WideFloats sum, WideFloats a, WideFloats b) {
#if QSPP_LANES == 8
  return reinterpret_cast<WideFloats>(_mm512_fmadd_ps(
      reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(sum)));
#elif QSPP_LANES == 4
  return reinterpret_cast<WideFloats>(_mm256_fmadd_ps(
      reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(sum)));
#else
  return sum + a * b;
#endif
}

/// Bit i is set where lane i is at most that of `limit`; never where it is NaN.
inline uint32_t at_most(WideFloats value, WideFloats limit) {
#if QSPP_LANES == 8
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(value), reinterpret_cast<__m512>(limit),
                            _CMP_LE_OQ);
#elif QSPP_LANES == 4
  return static_cast<uint32_t>(_mm256_movemask_ps(
      _mm256_cmp_ps(reinterpret_cast<__m256>(value), reinterpret_cast<__m256>(limit), _CMP_LE_OQ)));
#else
  uint32_t mask = 0;
  for (int i = 0; i < kWide; ++i) mask |= static_cast<uint32_t>(value[i] <= limit[i]) << i;
  return mask;
#endif
}
inline uint32_t at_most(WideFloats value, float limit) {
  return at_most(value, limit - WideFloats{});
}

/// Appends the lanes in `mask`; may write a whole vector.
inline int emit(Doubles squared, unsigned mask, int32_t first, double* out, int32_t* position) {
#if QSPP_LANES == 8
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const auto m = static_cast<__mmask8>(mask);
  _mm512_storeu_pd(out, _mm512_maskz_compress_pd(m, reinterpret_cast<__m512d>(squared)));
  _mm256_storeu_si256(
      reinterpret_cast<__m256i*>(position),
      _mm256_maskz_compress_epi32(m, _mm256_add_epi32(lanes, _mm256_set1_epi32(first))));
  return __builtin_popcount(mask);
#else
  int count = 0;
  for (; mask != 0; mask &= mask - 1) {
    const int i = __builtin_ctz(mask);
    out[count] = squared[i];
    position[count] = first + i;
    ++count;
  }
  return count;
#endif
}

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
