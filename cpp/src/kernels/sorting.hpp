// The nearest candidates, sorted.

#pragma once

#include "vectors.hpp"

namespace quickshiftpp::QSPP_ISA {
namespace {

#if QSPP_LANES > 2

#if __has_builtin(__builtin_shufflevector)
#define QSPP_SHUFFLE(vector, ...) __builtin_shufflevector(vector, vector, __VA_ARGS__)
#else  // GCC before version 12
#define QSPP_SHUFFLE(vector, ...) __builtin_shuffle(vector, Integers{__VA_ARGS__})
#endif

/// The lanes of a vector in the order i ^ Flip.
template <int Flip>
inline Integers flipped(Integers x) {
#if QSPP_LANES == 8
  return QSPP_SHUFFLE(x, 0 ^ Flip, 1 ^ Flip, 2 ^ Flip, 3 ^ Flip, 4 ^ Flip, 5 ^ Flip, 6 ^ Flip,
                      7 ^ Flip);
#else
  return QSPP_SHUFFLE(x, 0 ^ Flip, 1 ^ Flip, 2 ^ Flip, 3 ^ Flip);
#endif
}

inline Integers smaller(Integers a, Integers b) { return a < b ? a : b; }
inline Integers larger(Integers a, Integers b) { return a < b ? b : a; }

/// Compares every lane i with lane i ^ Flip, which has the bit `Stride` where i has not: the
/// smaller of the two goes where it is not set.
template <int Flip, int Stride>
inline Integers exchange(Integers x) {
  Integers upper = {};
  for (int i = 0; i < kLanes; ++i) upper[i] = (i & Stride) != 0 ? -1 : 0;
  const Integers other = flipped<Flip>(x);
  return upper ? larger(x, other) : smaller(x, other);
}

/// Sorts runs of up to one vector, that is, each vector for itself.
template <int Vectors>
inline void sort_each(Integers (&x)[Vectors]) {
  for (Integers& v : x) {
    v = exchange<1, 1>(v);
    v = exchange<1, 1>(exchange<3, 2>(v));
    if constexpr (kLanes == 8) v = exchange<1, 1>(exchange<2, 2>(exchange<7, 4>(v)));
  }
}

/// Sorts what rises and then falls, or what a merge has made of that: the last steps of a merge.
template <int Vectors, int First>
inline void sort_bitonic(Integers* x) {
  for (int stride = First; stride > 0; stride /= 2)
    for (int i = 0; i < Vectors; ++i)
      if ((i & stride) == 0) {
        const Integers low = smaller(x[i], x[i + stride]);
        x[i + stride] = larger(x[i], x[i + stride]);
        x[i] = low;
      }
  for (int i = 0; i < Vectors; ++i) {
    if constexpr (kLanes == 8) x[i] = exchange<4, 4>(x[i]);
    x[i] = exchange<1, 1>(exchange<2, 2>(x[i]));
  }
}

/// Merges sorted runs of `Run` vectors, two by two, and then those, until all is one: a bitonic
/// sorting network. What it compares does not depend on what it finds.
template <int Run, int Vectors>
inline void merge_runs(Integers (&x)[Vectors]) {
  if constexpr (Run < Vectors) {
    for (int first = 0; first < Vectors; first += 2 * Run)
      for (int i = 0; i < Run; ++i) {
        Integers& low = x[first + i];
        Integers& high = x[first + 2 * Run - 1 - i];
        const Integers reversed = flipped<kLanes - 1>(high);
        high = flipped<kLanes - 1>(larger(low, reversed));
        low = smaller(low, reversed);
      }
    sort_bitonic<Vectors, Run / 2>(x);
    merge_runs<2 * Run, Vectors>(x);
  }
}

constexpr int64_t kNumbers = int64_t{1} << kNumberBits;
static_assert(tuning::kPending <= kNumbers && 2 * kShort <= kNumbers);

/// Makes keys of `Vectors` vectors of candidates: the bits of a squared distance, which order
/// non-negative numbers as they are, the last few replaced by the candidate's number. Beyond
/// `count` there is nothing.
template <int Vectors>
inline void make_keys(const double* squared, int count, int64_t first, Integers (&x)[Vectors]) {
  for (int v = 0; v < Vectors; ++v) {
    Integers number;
    for (int i = 0; i < kLanes; ++i) number[i] = v * kLanes + i;
    const Integers bits = reinterpret_cast<Integers>(load_unaligned(squared + v * kLanes));
    x[v] = number < count ? (bits & -kNumbers) | (number + first) : Integers{} + INT64_MAX;
  }
}

/// The same, sorted.
template <int Vectors>
inline void make_sorted_keys(const double* squared, int count, int64_t first,
                             Integers (&x)[Vectors]) {
  make_keys(squared, count, first, x);
  sort_each(x);
  merge_runs<1, Vectors>(x);
}

template <int Vectors>
bool sort_keys(const double* squared, const int32_t* position, int count, Candidate* out) {
  Integers x[Vectors];
  make_sorted_keys(squared, count, 0, x);
  int64_t key[Vectors * kLanes];
  __builtin_memcpy(key, x, sizeof(x));
  bool is_sure = true;
  int64_t last = -1;
  for (int i = 0; i < count; ++i) {
    const int64_t number = key[i] & (kNumbers - 1), rest = key[i] - number;
    is_sure &= rest != last;
    last = rest;
    out[i] = {squared[number], position[number]};
  }
  return is_sure;
}

/// Sorts the new ones, and of those and the list, which is sorted, takes the smaller half: what the
/// first step of a merge leaves below.
Selection select(double* squared, int32_t* position, int filled, int count, int k) {
  constexpr int vectors = kShort / kLanes;
  Integers list[vectors], fresh[vectors];
  if (count <= kShort / 2) {
    Integers few[vectors / 2];
    make_sorted_keys(squared + kShort, count, kShort, few);
    for (int i = 0; i < vectors / 2; ++i) {
      fresh[i] = few[i];
      fresh[vectors / 2 + i] = Integers{} + INT64_MAX;
    }
  } else {
    make_sorted_keys(squared + kShort, count, kShort, fresh);
  }
  make_keys(squared, filled, 0, list);
  Integers beyond = Integers{} + INT64_MAX;
  for (int i = 0; i < vectors; ++i) {
    const Integers other = flipped<kLanes - 1>(fresh[vectors - 1 - i]);
    beyond = smaller(beyond, larger(list[i], other));
    list[i] = smaller(list[i], other);
  }
  sort_bitonic<vectors, vectors / 2>(list);
  int64_t key[kShort + 1];
  __builtin_memcpy(key, list, sizeof(list));
  key[kShort] = INT64_MAX;
  for (int i = 0; i < kLanes; ++i) key[kShort] = beyond[i] < key[kShort] ? beyond[i] : key[kShort];
  const int total = filled + count, kept = total < k ? total : k;
  double kept_squared[kShort];
  int32_t kept_position[kShort];
  bool is_sure = true;
  int64_t last = -1;
  for (int i = 0; i < kept; ++i) {
    const int64_t number = key[i] & (kNumbers - 1), rest = key[i] - number;
    is_sure &= rest != last;
    last = rest;
    kept_squared[i] = squared[number];
    kept_position[i] = position[number];
  }
  double next = __builtin_inf();
  if (total > k) {
    const int64_t number = key[k] & (kNumbers - 1);
    is_sure &= key[k] - number != last;
    next = squared[number];
  }
  if (!is_sure) return {false, 0};
  __builtin_memcpy(squared, kept_squared, sizeof(kept_squared));
  __builtin_memcpy(position, kept_position, sizeof(kept_position));
  return {true, next};
}

bool sort(double* squared, const int32_t* position, int count, Candidate* out) {
  if (count <= 16) return sort_keys<16 / kLanes>(squared, position, count, out);
  if (count <= 32) return sort_keys<32 / kLanes>(squared, position, count, out);
  return sort_keys<64 / kLanes>(squared, position, count, out);
}

#else

/// Adds one to the ranks of the lanes that come after `other`: that are larger, or, in the lanes of
/// `tie_lanes`, equal.
inline Integers rank_after(Integers rank, double other, Doubles own, unsigned tie_lanes) {
  const Doubles value = other - Doubles{};
  if (tie_lanes == 0) return rank - (value < own);
  if (tie_lanes == (1u << kLanes) - 1) return rank - (value <= own);
  Integers tie = {};
  for (int i = 0; i < kLanes; ++i) tie[i] = -static_cast<int64_t>(tie_lanes >> i & 1);
  return rank - ((value < own) | ((value == own) & tie));
}

/// Every candidate's rank is the number of candidates before it: a few hundred comparisons that no
/// branch depends on, where a sorting routine would guess wrong every other time.
bool sort(double* squared, const int32_t* position, int count, Candidate* out) {
  constexpr unsigned all_lanes = (1u << kLanes) - 1;
  const int vectors = (count + kLanes - 1) / kLanes;
  for (int i = count; i < vectors * kLanes; ++i) squared[i] = __builtin_inf();
  for (int v = 0; v < vectors; ++v) {
    const int base = v * kLanes;
    const Doubles own = load_unaligned(squared + base);
    Integers rank = {};
    int j = 0;
    for (; j < base; ++j) rank = rank_after(rank, squared[j], own, all_lanes);
    for (int i = 0; i < kLanes; ++i, ++j)  // among equals, the earlier lane comes first
      rank = rank_after(rank, squared[j], own, all_lanes & ~((2u << i) - 1));
    for (; j < count; ++j) rank = rank_after(rank, squared[j], own, 0);
    const int lanes = count - base < kLanes ? count - base : kLanes;
    for (int i = 0; i < lanes; ++i) out[rank[i]] = {squared[base + i], position[base + i]};
  }
  bool is_sure = true;
  for (int i = 1; i < count; ++i) is_sure &= out[i].squared != out[i - 1].squared;
  return is_sure;
}

constexpr decltype(Kernels<double>::select) select = nullptr;

#endif

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
