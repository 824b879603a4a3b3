// The block kernels, written once with compiler vector types and compiled once per instruction set:
// each kernels_<set>.cpp defines QSPP_ISA and QSPP_LANES and includes this file.
//
// Nothing here may call an inline function of the standard library: the linker keeps one copy of
// those for the whole program, and that copy must not hold instructions of a wider set.

#include <stddef.h>
#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "quickshiftpp/kernels.hpp"
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
inline unsigned at_most(Doubles value, double limit) { return at_most(value, limit - Doubles{}); }

// To fill a vector with x, take nothing from it: x - Vector{}. The compiler leaves that out, where
// it would have to add a zero, for -0 + 0 is not -0.
inline Doubles larger(Doubles a, Doubles b) { return a > b ? a : b; }

/// Squared distances from the query to kGroup vectors of samples. Returns false when all of them
/// provably exceed the limit; the sums are then partial. A partial sum is a lower bound, since
/// adding a square never lowers a floating-point sum.
template <class T, int Columns>
inline bool squared_distances(const T* block, int columns, const double* query, double limit,
                              Doubles (&sum)[kGroup]) {
  const int count = Columns > 0 ? Columns : columns;
  for (int g = 0; g < kGroup; ++g) sum[g] = Doubles{};
  int column = 0;
  while (column < count) {
    const int stop = Columns > 0 || count - column < 2 * tuning::kAbandonColumns
                         ? count
                         : column + tuning::kAbandonColumns;
    for (; column < stop; ++column) {
      const T* values = block + column * kBlock;
      for (int g = 0; g < kGroup; ++g) {
        const Doubles difference = load(values + g * kLanes) - query[column];
        sum[g] += difference * difference;
      }
    }
    if (column < count) {
      unsigned any = 0;
      for (int g = 0; g < kGroup; ++g) any |= at_most(sum[g], limit);
      if (any == 0) return false;
    }
  }
  return true;
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

template <class T, int Columns>
int within_columns(const T* block, int32_t first, int columns, const double* query, double limit,
                   double* squared, int32_t* position) {
  int found = 0;
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    if (!squared_distances<T, Columns>(block + base, columns, query, limit, sum)) continue;
    for (int g = 0; g < kGroup; ++g)
      found += emit(sum[g], at_most(sum[g], limit), first + base + g * kLanes, squared + found,
                    position + found);
  }
  return found;
}

template <class T>
int within(const T* block, int32_t first, int columns, const double* query, double limit,
           double* squared, int32_t* position) {
  switch (columns) {
    case 1:
      return within_columns<T, 1>(block, first, columns, query, limit, squared, position);
    case 2:
      return within_columns<T, 2>(block, first, columns, query, limit, squared, position);
    case 3:
      return within_columns<T, 3>(block, first, columns, query, limit, squared, position);
    case 4:
      return within_columns<T, 4>(block, first, columns, query, limit, squared, position);
    case 5:
      return within_columns<T, 5>(block, first, columns, query, limit, squared, position);
    default:
      return within_columns<T, 0>(block, first, columns, query, limit, squared, position);
  }
}

/// The bits of point_box_distance, for a block of points at once.
template <class T>
uint32_t near_box(const T* block, int columns, const double* box, const double* limit) {
  uint32_t mask = 0;
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    for (int g = 0; g < kGroup; ++g) sum[g] = Doubles{};
    for (int column = 0; column < columns; ++column) {
      const T* values = block + column * kBlock + base;
      const double low = box[column], high = box[columns + column];
      for (int g = 0; g < kGroup; ++g) {
        const Doubles value = load(values + g * kLanes);
        const Doubles gap = larger(larger(low - value, value - high), Doubles{});
        sum[g] += gap * gap;
      }
    }
    for (int g = 0; g < kGroup; ++g) {
      const int first = base + g * kLanes;
      mask |= at_most(sum[g], load(limit + first)) << first;
    }
  }
  return mask;
}

template <class T, int Columns>
Ascent upward_of_columns(const T* block, int columns, const double* query, double limit,
                         const double* radius, double own) {
  const Doubles none = Doubles{} + __builtin_inf();
  Ascent ascent{limit, 0, 0};
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    if (!squared_distances<T, Columns>(block + base, columns, query, ascent.squared, sum)) continue;
    Doubles least = none;
    for (int g = 0; g < kGroup; ++g) {
      const Doubles other = load(radius + base + g * kLanes);
      const Doubles as_dense = other == own ? sum[g] : none;
      ascent.level |= at_most(as_dense, limit) << (base + g * kLanes);
      sum[g] = other < own ? sum[g] : none;
      least = sum[g] < least ? sum[g] : least;
    }
    double nearest = least[0];
    for (int i = 1; i < kLanes; ++i) nearest = least[i] < nearest ? least[i] : nearest;
    if (!(nearest <= ascent.squared)) continue;
    if (nearest < ascent.squared) ascent.nearest = 0;
    ascent.squared = nearest;
    for (int g = 0; g < kGroup; ++g)
      ascent.nearest |= at_most(sum[g], nearest) << (base + g * kLanes);
  }
  return ascent;
}

template <class T>
Ascent upward(const T* block, int columns, const double* query, double limit, const double* radius,
              double own) {
  switch (columns) {
    case 2:
      return upward_of_columns<T, 2>(block, columns, query, limit, radius, own);
    case 3:
      return upward_of_columns<T, 3>(block, columns, query, limit, radius, own);
    default:
      return upward_of_columns<T, 0>(block, columns, query, limit, radius, own);
  }
}

uint32_t between(const double* value, double low, double high) {
  const Doubles least = low - Doubles{};
  uint32_t mask = 0;
  for (int i = 0; i < kBlock; i += kLanes) {
    const Doubles own = load(value + i);
    mask |= (at_most(least, own) & at_most(own, high)) << i;
  }
  return mask;
}

/// The samples of a block that reach the query with a radius of at most `own`.
template <class T, int Columns>
uint32_t reaching_columns(const T* block, int columns, const double* query, double own,
                          const double* radius) {
  uint32_t reaching = 0;
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    if (!squared_distances<T, Columns>(block + base, columns, query, own, sum)) continue;
    for (int g = 0; g < kGroup; ++g) {
      const int first = base + g * kLanes;
      const Doubles reach = load(radius + first);
      reaching |= (at_most(sum[g], reach) & at_most(reach, own)) << first;
    }
  }
  return reaching;
}

template <class T>
uint32_t reaching(const T* block, int columns, const double* query, double own,
                  const double* radius) {
  switch (columns) {
    case 2:
      return reaching_columns<T, 2>(block, columns, query, own, radius);
    case 3:
      return reaching_columns<T, 3>(block, columns, query, own, radius);
    default:
      return reaching_columns<T, 0>(block, columns, query, own, radius);
  }
}

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

#if QSPP_LANES > 2

/// The lanes of a vector in the order i ^ Flip.
template <int Flip>
inline Integers flipped(Integers x) {
#if QSPP_LANES == 8
  return __builtin_shufflevector(x, x, 0 ^ Flip, 1 ^ Flip, 2 ^ Flip, 3 ^ Flip, 4 ^ Flip, 5 ^ Flip,
                                 6 ^ Flip, 7 ^ Flip);
#else
  return __builtin_shufflevector(x, x, 0 ^ Flip, 1 ^ Flip, 2 ^ Flip, 3 ^ Flip);
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

template <int Vectors>
bool sort_keys(const double* squared, const int32_t* position, int count, Candidate* out) {
  Integers x[Vectors];
  make_keys(squared, count, 0, x);
  sort_each(x);
  merge_runs<1, Vectors>(x);
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
  make_keys(squared, filled, 0, list);
  make_keys(squared + kShort, count, kShort, fresh);
  sort_each(fresh);
  merge_runs<1, vectors>(fresh);
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

/// exp(x) for -40 < x <= 0, within two units in the last place: x = n ln 2 + r, a Taylor polynomial
/// for exp(r), and n added to the exponent bits. Plain multiplications and additions, where the
/// C library's exp may differ by a bit from one processor to the next.
inline Doubles exponential(Doubles x) {
  constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  const Doubles shifted = x * 1.4426950408889634 + rounder;
  const Doubles n = shifted - rounder;
  const Doubles r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  constexpr double inverse_factorial[] = {1.0 / 6227020800,
                                          1.0 / 479001600,
                                          1.0 / 39916800,
                                          1.0 / 3628800,
                                          1.0 / 362880,
                                          1.0 / 40320,
                                          1.0 / 5040,
                                          1.0 / 720,
                                          1.0 / 120,
                                          1.0 / 24,
                                          1.0 / 6,
                                          0.5,
                                          1.0,
                                          1.0};
  Doubles power = Doubles{} + inverse_factorial[0];
  for (int i = 1; i < 14; ++i) power = power * r + inverse_factorial[i];
  // The low bits of `shifted` hold n in two's complement.
  return reinterpret_cast<Doubles>(reinterpret_cast<Bits>(power) +
                                   (reinterpret_cast<Bits>(shifted) << 52));
}

template <class T>
uint64_t gaussian(const T* block, int columns, const double* query, double rate, double limit) {
  constexpr double unit = 2251799813685248.0;    // 2^51
  constexpr double offset = 4503599627370496.0;  // 2^52: adding it leaves an integer in the bits
  const Bits offset_bits = reinterpret_cast<Bits>(Doubles{} + offset);
  Bits total = {};
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    if (!squared_distances<T, 0>(block + base, columns, query, limit, sum)) continue;
    for (int g = 0; g < kGroup; ++g) {
      const Bits inside = reinterpret_cast<Bits>(sum[g] <= limit);
      const Doubles scaled = exponential(sum[g] * -rate) * unit + offset;
      total += (reinterpret_cast<Bits>(scaled) - offset_bits) & inside;
    }
  }
  uint64_t result = 0;
  for (int i = 0; i < kLanes; ++i) result += total[i];
  return result;
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

typedef float WideFloats __attribute__((vector_size(kLanes * 8)));
constexpr int kWide = 2 * kLanes;  // floats per vector

inline WideFloats load_wide(const float* p) {
  WideFloats value;
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

/// Bit i is set where lane i is at least `limit`; never where it is NaN.
inline uint32_t at_least(WideFloats value, float limit) {
#if QSPP_LANES == 8
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(value), _mm512_set1_ps(limit), _CMP_GE_OQ);
#elif QSPP_LANES == 4
  return static_cast<uint32_t>(_mm256_movemask_ps(
      _mm256_cmp_ps(reinterpret_cast<__m256>(value), _mm256_set1_ps(limit), _CMP_GE_OQ)));
#else
  uint32_t mask = 0;
  for (int i = 0; i < kWide; ++i) mask |= static_cast<uint32_t>(value[i] >= limit) << i;
  return mask;
#endif
}

/// Bit i is set where lane i is at most `limit`; never where it is NaN.
inline uint32_t at_most(WideFloats value, float limit) {
#if QSPP_LANES == 8
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(value), _mm512_set1_ps(limit), _CMP_LE_OQ);
#elif QSPP_LANES == 4
  return static_cast<uint32_t>(_mm256_movemask_ps(
      _mm256_cmp_ps(reinterpret_cast<__m256>(value), _mm256_set1_ps(limit), _CMP_LE_OQ)));
#else
  uint32_t mask = 0;
  for (int i = 0; i < kWide; ++i) mask |= static_cast<uint32_t>(value[i] <= limit) << i;
  return mask;
#endif
}

/// Squared distances of kWide pixels by float32.
template <int Channels>
inline WideFloats single_distances(const Line<float>& line, int i) {
  WideFloats sum = load_wide(line.along_single + i) + line.across_single;
  for (int c = 0; c < (Channels > 0 ? Channels : line.channels); ++c) {
    const WideFloats apart =
        load_wide(line.colours + static_cast<size_t>(c) * line.stride + i) - line.colour_single[c];
    sum = add_product(sum, apart, apart);
  }
  return sum;
}

/// Squared distances of kLanes pixels.
template <class T, int Channels>
inline Doubles line_distances(const Line<T>& line, int i) {
  Doubles sum = line.across + load_unaligned(line.along + i);
  for (int c = 0; c < (Channels > 0 ? Channels : line.channels); ++c) {
    const Doubles apart =
        load_unaligned(line.colours + static_cast<size_t>(c) * line.stride + i) - line.colour[c];
    sum += apart * apart;
  }
  return sum;
}

template <class T, int Channels>
int run_within_channels(const Line<T>& line, int begin, int end, double* squared, int32_t* pixel) {
  static_assert(kWide <= kRunOverhang);
  int found = 0;
  for (int i = begin; i < end; i += kWide) {
    float single[kWide];
    if constexpr (sizeof(T) == sizeof(float)) {
      const WideFloats sum = single_distances<Channels>(line, i);
      if (at_most(sum, line.limit_single) == 0) continue;
      if (line.is_whole) __builtin_memcpy(single, &sum, sizeof(sum));
    }
    for (int half = 0; half < kWide; half += kLanes) {
      const Doubles sum = sizeof(T) == sizeof(float) && line.is_whole
                              ? load_unaligned(single + half)
                              : line_distances<T, Channels>(line, i + half);
      found += emit(sum, at_most(sum, line.limit), line.first + i + half, squared + found,
                    pixel + found);
    }
  }
  return found;
}

template <class T>
int run_within(const Line<T>& line, int begin, int end, double* squared, int32_t* pixel) {
  switch (line.channels) {
    case 1:
      return run_within_channels<T, 1>(line, begin, end, squared, pixel);
    case 3:
      return run_within_channels<T, 3>(line, begin, end, squared, pixel);
    default:
      return run_within_channels<T, 0>(line, begin, end, squared, pixel);
  }
}

/// From some columns of kLanes rows to the rows' values in each column.
inline void transpose(Doubles (&value)[kLanes]) {
#if QSPP_LANES == 8
  constexpr __mmask8 all = 0xFF;  // GCC warns of its own header where there is no mask
  __m512d r[8], pair[8];
  __builtin_memcpy(r, value, sizeof(r));
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm512_maskz_unpacklo_pd(all, r[i], r[i + 1]);      // the even columns of two rows
    pair[i + 1] = _mm512_maskz_unpackhi_pd(all, r[i], r[i + 1]);  // the odd ones
  }
  for (int odd = 0; odd < 2; ++odd) {
    const __m512d a = _mm512_maskz_shuffle_f64x2(all, pair[odd], pair[odd + 2], 0x44);
    const __m512d b = _mm512_maskz_shuffle_f64x2(all, pair[odd], pair[odd + 2], 0xEE);
    const __m512d c = _mm512_maskz_shuffle_f64x2(all, pair[odd + 4], pair[odd + 6], 0x44);
    const __m512d d = _mm512_maskz_shuffle_f64x2(all, pair[odd + 4], pair[odd + 6], 0xEE);
    r[odd] = _mm512_maskz_shuffle_f64x2(all, a, c, 0x88);
    r[odd + 2] = _mm512_maskz_shuffle_f64x2(all, a, c, 0xDD);
    r[odd + 4] = _mm512_maskz_shuffle_f64x2(all, b, d, 0x88);
    r[odd + 6] = _mm512_maskz_shuffle_f64x2(all, b, d, 0xDD);
  }
  __builtin_memcpy(value, r, sizeof(r));
#elif QSPP_LANES == 4
  __m256d r[4];
  __builtin_memcpy(r, value, sizeof(r));
  const __m256d a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
  const __m256d c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
  r[0] = _mm256_permute2f128_pd(a, c, 0x20);
  r[1] = _mm256_permute2f128_pd(b, d, 0x20);
  r[2] = _mm256_permute2f128_pd(a, c, 0x31);
  r[3] = _mm256_permute2f128_pd(b, d, 0x31);
  __builtin_memcpy(value, r, sizeof(r));
#else
  for (int i = 0; i < kLanes; ++i)
    for (int j = 0; j < i; ++j) {
      const double other = value[i][j];
      value[i][j] = value[j][i];
      value[j][i] = other;
    }
#endif
}

template <class T>
void row_distances(const T* query, const T* const* rows, size_t columns, double* squared) {
  static_assert(kRowsTogether % kLanes == 0);
  constexpr int groups = kRowsTogether / kLanes;
  Doubles sum[groups] = {};
  size_t column = 0;
  for (; column + kLanes <= columns; column += kLanes)
    for (int g = 0; g < groups; ++g) {
      Doubles value[kLanes];
      for (int i = 0; i < kLanes; ++i) value[i] = load_unaligned(rows[g * kLanes + i] + column);
      transpose(value);
      for (int c = 0; c < kLanes; ++c) {
        const Doubles apart = value[c] - static_cast<double>(query[column + c]);
        sum[g] += apart * apart;
      }
    }
  __builtin_memcpy(squared, sum, sizeof(sum));
  for (; column < columns; ++column)
    for (int i = 0; i < kRowsTogether; ++i) {
      const double apart = static_cast<double>(rows[i][column]) - query[column];
      squared[i] += apart * apart;
    }
}

void screen(const float* block, int axes, const float* points, const float* half_norm,
            const float* threshold, uint32_t* mask) {
  // As many sums at a time as the registers hold.
  constexpr int queries = kLanes == 8 ? 8 : 4;
  static_assert(tuning::kProbe % queries == 0);
  for (int q = 0; q < tuning::kProbe; ++q) mask[q] = 0;
  for (int base = 0; base < kBlock; base += 2 * kWide) {
    for (int first = 0; first < tuning::kProbe; first += queries) {
      WideFloats low[queries], high[queries];
      for (int q = 0; q < queries; ++q) low[q] = high[q] = WideFloats{};
      for (int axis = 0; axis < axes; ++axis) {
        const WideFloats a = load_wide(block + axis * kBlock + base);
        const WideFloats b = load_wide(block + axis * kBlock + base + kWide);
        const float* point = points + axis * tuning::kProbe + first;
        for (int q = 0; q < queries; ++q) {
          const WideFloats coordinate = point[q] - WideFloats{};
          low[q] = add_product(low[q], a, coordinate);
          high[q] = add_product(high[q], b, coordinate);
        }
      }
      const WideFloats a = load_wide(half_norm + base), b = load_wide(half_norm + base + kWide);
      for (int q = 0; q < queries; ++q)
        mask[first + q] |= at_least(low[q] - a, threshold[first + q]) << base |
                           at_least(high[q] - b, threshold[first + q]) << (base + kWide);
    }
  }
}

/// The sum of all lanes, by halves.
inline float total(WideFloats value) {
#if QSPP_LANES == 8
  const auto eight = __builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  const auto eight = value;
#endif
#if QSPP_LANES > 2
  const auto four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
                    __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#else
  const auto four = eight;
#endif
  return (four[0] + four[2]) + (four[1] + four[3]);
}

float apart(const float* a, const float* b, int axes) {
  WideFloats sum = {};
  for (int axis = 0; axis < axes; axis += kWide) {
    const WideFloats difference = load_wide(a + axis) - load_wide(b + axis);
    sum = add_product(sum, difference, difference);
  }
  return total(sum);
}

}  // namespace

extern const Kernels<float> kFloat;
extern const Kernels<double> kDouble;
extern const ScreenKernels kScreen;
const ScreenKernels kScreen{screen, apart};
const Kernels<float> kFloat{within<float>, near_box<float>,   upward<float>,       reaching<float>,
                            between,       run_within<float>, gaussian<float>,     sort,
                            select,        crossings,         row_distances<float>};
const Kernels<double> kDouble{
    within<double>, near_box<double>,   upward<double>,       reaching<double>,
    between,        run_within<double>, gaussian<double>,     sort,
    select,         crossings,          row_distances<double>};

}  // namespace quickshiftpp::QSPP_ISA
