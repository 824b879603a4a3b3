// The vector types that all kernels use, in the width of the instruction set, and the operations
// that compilers do not provide for them.

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
// Vectors that are processed together: a whole block if the registers suffice.
constexpr int kGroup = kBlock / kLanes < 8 ? kBlock / kLanes : 8;
static_assert(kBlock % (kLanes * kGroup) == 0);

typedef double Doubles __attribute__((vector_size(kLanes * 8)));
typedef int64_t Integers __attribute__((vector_size(kLanes * 8)));
typedef uint64_t Bits __attribute__((vector_size(kLanes * 8)));
typedef float Floats __attribute__((vector_size(kLanes * 4)));

/// The same numbers in float64. GCC converts a wide vector in two halves where it is left to it.
inline Doubles widen(Floats value) {
#if QSPP_LANES == 8
  constexpr __mmask8 all = 0xFF;  // GCC warns of its own header where there is no mask
  return reinterpret_cast<Doubles>(_mm512_maskz_cvtps_pd(all, reinterpret_cast<__m256>(value)));
#else
  return __builtin_convertvector(value, Doubles);
#endif
}

inline Doubles load(const double* p) { return *reinterpret_cast<const Doubles*>(p); }
inline Doubles load(const float* p) { return widen(*reinterpret_cast<const Floats*>(p)); }

/// A mask of the lanes in which value <= limit. NaN is never at most anything.
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
// x - Vector{} fills a vector with x. Compilers remove the subtraction of zero. They could not
// remove an addition of zero, because -0.0 + 0.0 is 0.0.
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
  return widen(value);
}

typedef float WideFloats __attribute__((vector_size(kLanes * 8)));
typedef int32_t WideIntegers __attribute__((vector_size(kLanes * 8)));
typedef uint32_t WideWords __attribute__((vector_size(kLanes * 8)));
constexpr int kWide = 2 * kLanes;  // 32-bit values per vector

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

inline Doubles add_product(Doubles sum, Doubles a, Doubles b) { return sum + a * b; }

/// sum + a * b, fused if the instruction set has it. The result depends on the instruction set, so
/// it may only be used to discard candidates within a bound on the rounding error.
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

/// A mask of the lanes in which value <= limit. NaN is never at most anything.
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

/// Writes the squared distances and positions of the lanes in `mask` one after another and returns
/// their number. `first` is the position of lane 0. May write a whole vector.
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
