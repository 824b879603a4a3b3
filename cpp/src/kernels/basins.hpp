// Which basins samples and their neighbours belong to.

#pragma once

#include "vectors.hpp"

namespace quickshiftpp::QSPP_ISA {
namespace {

/// The samples of a block whose basin is the given one.
inline uint32_t dwellers(const int32_t* basin, int32_t wanted) {
#if QSPP_LANES == 8
  static_assert(kBlock == 32);
  const __m512i all = _mm512_set1_epi32(wanted);
  return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(basin), all) |
         static_cast<uint32_t>(_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(basin + 16), all)) << 16;
#else
  uint32_t mask = 0;
  for (int i = 0; i < kBlock; ++i) mask |= static_cast<uint32_t>(basin[i] == wanted) << i;
  return mask;
#endif
}

/// The least of some of a block of values.
inline double least_of(const double* value, uint32_t lanes) {
#if QSPP_LANES == 8
  __m512d lane = _mm512_set1_pd(__builtin_inf());
  for (int i = 0; i < kBlock; i += 8)
    lane = _mm512_mask_min_pd(lane, static_cast<__mmask8>(lanes >> i), lane,
                              _mm512_loadu_pd(value + i));
  double least = lane[0];
  for (int i = 1; i < 8; ++i) least = lane[i] < least ? lane[i] : least;
  return least;
#else
  double least = __builtin_inf();
  for (; lanes != 0; lanes &= lanes - 1) {
    const double own = value[__builtin_ctz(lanes)];
    least = own < least ? own : least;
  }
  return least;
#endif
}

int shares(const int32_t* basin, const double* radius, int samples, BlockBasin* out) {
  uint32_t left = samples < kBlock ? (uint32_t{1} << samples) - 1 : ~uint32_t{0};
  int count = 0;
  while (left != 0) {
    const int32_t next = basin[__builtin_ctz(left)];
    const uint32_t lanes = left & dwellers(basin, next);
    out[count++] = {next, lanes, least_of(radius, lanes)};
    left &= ~lanes;
  }
  return count;
}

/// The crossings from one sample to `count` neighbours, the first of which has the given place.
int crossings_of(int32_t sample, Dweller own, const Dweller* neighbor, int place, int count,
                 Crossings out) {
  int found = 0;
#if QSPP_LANES == 8
  const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i even = _mm512_add_epi32(iota, iota);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  const __m512i home = _mm512_set1_epi32(own.basin);
  const __m512 limit = _mm512_set1_ps(own.radius);
  for (int c = 0; c < count; c += 16) {
    const unsigned lanes = count - c < 16 ? (1u << (count - c)) - 1 : 0xFFFFu;
    const __m512i low = _mm512_loadu_si512(neighbor + c);
    const __m512i high = _mm512_loadu_si512(neighbor + c + 8);
    const __m512i basin = _mm512_permutex2var_epi32(low, even, high);
    const __m512 radius = _mm512_castsi512_ps(_mm512_permutex2var_epi32(low, odd, high));
    const unsigned abroad = lanes & _mm512_cmpneq_epi32_mask(basin, home) &
                            _mm512_cmp_ps_mask(radius, limit, _CMP_LE_OQ);
    // Moved together, each can be compared with the one before it.
    const auto moved = static_cast<__mmask16>(abroad);
    const __m512i others = _mm512_maskz_compress_epi32(moved, basin);
    const __m512i before = _mm512_maskz_alignr_epi32(0xFFFF, others, home, 15);
    const unsigned first = _mm512_cmpneq_epi32_mask(others, before) &
                           ((1u << static_cast<unsigned>(__builtin_popcount(abroad))) - 1);
    const __m512i places = _mm512_maskz_compress_epi32(
        static_cast<__mmask16>(first),
        _mm512_maskz_compress_epi32(moved, _mm512_add_epi32(iota, _mm512_set1_epi32(place + c))));
    _mm512_storeu_si512(out.place + found, places);
    _mm512_storeu_si512(out.sample + found, _mm512_set1_epi32(sample));
    found += __builtin_popcount(first);
  }
#else
  int32_t last = own.basin;
  for (int c = 0; c < count; ++c) {
    const Dweller next = neighbor[c];
    const bool is_abroad = (next.basin != own.basin) & (next.radius <= own.radius);
    out.sample[found] = sample;
    out.place[found] = place + c;
    found += is_abroad & (next.basin != last);
    last = is_abroad ? next.basin : last;
  }
#endif
  return found;
}

/// What is read from all over the place is brought together first: the comparisons that follow find
/// it in a row, and no branch that the processor would have to guess stands between the reads.
int crossings(const ListBlock& lists, const Dweller* dweller, Crossings out) {
  constexpr int kTogether = 8, kWindow = 64;
  Dweller near[kTogether][kWindow];
  int found = 0;
  for (int32_t first = lists.begin; first < lists.end; first += kTogether) {
    const int samples = lists.end - first < kTogether ? lists.end - first : kTogether;
    for (int place = 1; place < lists.k; place += kWindow) {
      const int count = lists.k - place < kWindow ? lists.k - place : kWindow;
      for (int s = 0; s < samples; ++s) {
        const int32_t* neighbor =
            lists.neighbor + static_cast<size_t>(first + s - lists.begin) * lists.stride + place;
        for (int c = 0; c < count; ++c) near[s][c] = dweller[neighbor[c]];
      }
      for (int s = 0; s < samples; ++s)
        found += crossings_of(first + s, dweller[first + s], near[s], place, count,
                              {out.sample + found, out.place + found});
    }
  }
  return found;
}

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
