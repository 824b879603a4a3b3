// Sorting candidates by squared distance, and merging them into a top-k list.

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

/// Permutes the lanes of a vector: lane i of the result is lane i ^ Flip of x.
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

/// A step of a sorting network: compares each lane i with lane i ^ Flip. Of the two, the lane whose
/// number does not have the bit `Stride` gets the smaller value.
template <int Flip, int Stride>
inline Integers compare_exchange(Integers x) {
  Integers upper = {};
  for (int i = 0; i < kLanes; ++i) upper[i] = (i & Stride) != 0 ? -1 : 0;
  const Integers other = flipped<Flip>(x);
  return upper ? larger(x, other) : smaller(x, other);
}

/// Sorts the lanes of each vector.
template <int Vectors>
inline void sort_each(Integers (&x)[Vectors]) {
  for (Integers& v : x) {
    v = compare_exchange<1, 1>(v);
    v = compare_exchange<1, 1>(compare_exchange<3, 2>(v));
    if constexpr (kLanes == 8)
      v = compare_exchange<1, 1>(compare_exchange<2, 2>(compare_exchange<7, 4>(v)));
  }
}

/// Sorts consecutive bitonic sequences of 2 * First vectors each: the last steps of a bitonic
/// merge. If First is 0, sorts each vector.
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
    if constexpr (kLanes == 8) x[i] = compare_exchange<4, 4>(x[i]);
    x[i] = compare_exchange<1, 1>(compare_exchange<2, 2>(x[i]));
  }
}

/// Merges sorted runs of `Run` vectors in pairs, and the results in pairs, until all vectors are
/// one sorted run. This is a bitonic sorting network: it has no branches that depend on the values.
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

/// Sorts all lanes of all vectors.
template <int Vectors>
inline void sort_all(Integers (&x)[Vectors]) {
  sort_each(x);
  merge_runs<1, Vectors>(x);
}

constexpr int64_t kSlots = int64_t{1} << kSlotBits;
static_assert(tuning::kPending <= kSlots && 2 * kShortListSize <= kSlots);

/// The key of no candidate. It sorts after all others.
constexpr int64_t kNoKey = INT64_MAX;

/// Makes the sort keys of `count` candidates in slots `first_slot` and after: the bits of the
/// squared distance, with the low kSlotBits replaced by the slot. The bits of non-negative
/// floating-point numbers are in the same order as the numbers. Other lanes get kNoKey.
template <int Vectors>
inline void make_keys(const double* squared, int count, int64_t first_slot,
                      Integers (&x)[Vectors]) {
  for (int v = 0; v < Vectors; ++v) {
    Integers place;
    for (int i = 0; i < kLanes; ++i) place[i] = v * kLanes + i;
    const Integers bits = reinterpret_cast<Integers>(load_unaligned(squared + v * kLanes));
    x[v] = place < count ? (bits & -kSlots) | (place + first_slot) : Integers{} + kNoKey;
  }
}

/// The same keys, sorted.
template <int Vectors>
inline void make_sorted_keys(const double* squared, int count, int64_t first_slot,
                             Integers (&x)[Vectors]) {
  make_keys(squared, count, first_slot, x);
  sort_all(x);
}

template <int Vectors>
bool sort_keys(const double* squared, const int32_t* position, int count, Candidate* out) {
  Integers x[Vectors];
  make_sorted_keys(squared, count, 0, x);
  int64_t key[Vectors * kLanes];
  __builtin_memcpy(key, x, sizeof(x));
  bool are_distinct = true;
  int64_t last = -1;
  for (int i = 0; i < count; ++i) {
    const int64_t slot = key[i] & kSlotMask, distance_bits = key[i] - slot;
    are_distinct &= distance_bits != last;
    last = distance_bits;
    out[i] = {squared[slot], position[slot]};
  }
  return are_distinct;
}

/// Sorts keys that are followed by kNoKey.
template <int Vectors>
inline void sort_in_place(int64_t* keys) {
  Integers x[Vectors];
  __builtin_memcpy(x, keys, sizeof(x));
  sort_all(x);
  __builtin_memcpy(keys, x, sizeof(x));
}

/// The candidates that have the sort key of the last one in a list: some of them are in the list.
class LastCandidates {
 public:
  explicit LastCandidates(double last) : last_(last) {}

  /// Adds those among the candidates in slots [first, last).
  void add(const double* squared, const int32_t* position, int first, int last,
           const CloseOrder& order) {
    int slots[kShortListSize], found = 0;
    for (int slot = first; slot < last; ++slot) {
      slots[found] = slot;
      found += has_same_sort_key(squared[slot], last_);
    }
    for (int i = 0; i < found; ++i)
      keys_[count_++] = order.key(squared[slots[i]], position[slots[i]], slots[i]);
  }

  void sort() {
    for (int i = count_; i < kSlots; ++i) keys_[i] = kNoKey;
    if (count_ <= 16)
      sort_in_place<16 / kLanes>(keys_);
    else if (count_ <= 32)
      sort_in_place<32 / kLanes>(keys_);
    else
      sort_in_place<64 / kLanes>(keys_);
  }

  int count() const { return count_; }
  int slot(int i) const { return CloseOrder::slot(keys_[i]); }

 private:
  double last_;
  int count_ = 0;
  int64_t keys_[kSlots];
};

/// Sorts the new candidates. Then the first step of a bitonic merge with the list leaves the nearer
/// half of all candidates in `list`, and the remaining steps sort it.
TopKMerge merge_top_k(double* squared, int32_t* position, int filled, int count, int k,
                      const CloseOrder& order) {
  constexpr int vectors = kShortListSize / kLanes;
  Integers list[vectors], fresh[vectors];
  if (count <= kShortListSize / 2) {
    Integers few[vectors / 2];  // half the vectors take less than half the time to sort
    make_sorted_keys(squared + kShortListSize, count, kShortListSize, few);
    for (int i = 0; i < vectors / 2; ++i) {
      fresh[i] = few[i];
      fresh[vectors / 2 + i] = Integers{} + kNoKey;
    }
  } else {
    make_sorted_keys(squared + kShortListSize, count, kShortListSize, fresh);
  }
  make_keys(squared, filled, 0, list);
  Integers least_beyond = Integers{} + kNoKey;  // in each lane, the least of the farther half
  for (int i = 0; i < vectors; ++i) {
    const Integers other = flipped<kLanes - 1>(fresh[vectors - 1 - i]);
    least_beyond = smaller(least_beyond, larger(list[i], other));
    list[i] = smaller(list[i], other);
  }
  sort_bitonic<vectors, vectors / 2>(list);
  int64_t key[kShortListSize + 1];
  __builtin_memcpy(key, list, sizeof(list));
  int64_t& beyond = key[kShortListSize];
  beyond = kNoKey;
  for (int i = 0; i < kLanes; ++i) beyond = least_beyond[i] < beyond ? least_beyond[i] : beyond;

  const int total = filled + count, kept = total < k ? total : k;
  double kept_squared[kShortListSize];
  int32_t kept_position[kShortListSize];
  bool are_distinct = true;
  int64_t last = -1;
  for (int i = 0; i < kept; ++i) {
    const int64_t slot = key[i] & kSlotMask, distance_bits = key[i] - slot;
    are_distinct &= distance_bits != last;
    last = distance_bits;
    kept_squared[i] = squared[slot];
    kept_position[i] = position[slot];
  }
  double least_discarded = __builtin_inf();
  if (total > k) {
    const int64_t slot = key[k] & kSlotMask;
    are_distinct &= key[k] - slot != last;
    least_discarded = squared[slot];
  }
  if (!are_distinct) {
    LastCandidates rivals(kept_squared[kept - 1]);
    rivals.add(squared, position, 0, filled, order);
    rivals.add(squared, position, kShortListSize, kShortListSize + count, order);
    rivals.sort();
    int first = kept - 1;
    while (first > 0 && has_same_sort_key(kept_squared[first - 1], kept_squared[kept - 1])) --first;
    for (int i = first; i < kept; ++i) {
      kept_squared[i] = squared[rivals.slot(i - first)];
      kept_position[i] = position[rivals.slot(i - first)];
    }
    if (rivals.count() > kept - first) least_discarded = squared[rivals.slot(kept - first)];
  }
  __builtin_memcpy(squared, kept_squared, sizeof(kept_squared));
  __builtin_memcpy(position, kept_position, sizeof(kept_position));
  return {!are_distinct, least_discarded};
}

bool sort(double* squared, const int32_t* position, int count, Candidate* out) {
  if (count <= 16) return sort_keys<16 / kLanes>(squared, position, count, out);
  if (count <= 32) return sort_keys<32 / kLanes>(squared, position, count, out);
  return sort_keys<64 / kLanes>(squared, position, count, out);
}

#else

/// Adds one to the rank of each lane whose value is greater than `other`, and of each lane in the
/// mask `tie_lanes` whose value is equal to it.
inline Integers rank_after(Integers rank, double other, Doubles own, unsigned tie_lanes) {
  const Doubles value = other - Doubles{};
  if (tie_lanes == 0) return rank - (value < own);
  if (tie_lanes == (1u << kLanes) - 1) return rank - (value <= own);
  Integers tie = {};
  for (int i = 0; i < kLanes; ++i) tie[i] = -static_cast<int64_t>(tie_lanes >> i & 1);
  return rank - ((value < own) | ((value == own) & tie));
}

/// Computes the rank of each candidate: the number of candidates that precede it. This takes a few
/// hundred comparisons, but no branch depends on them. In a sorting routine, about half of the
/// branches would be mispredicted.
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
    for (int i = 0; i < kLanes; ++i, ++j)  // of equal values, the earlier lane precedes
      rank = rank_after(rank, squared[j], own, all_lanes & ~((2u << i) - 1));
    for (; j < count; ++j) rank = rank_after(rank, squared[j], own, 0);
    const int lanes = count - base < kLanes ? count - base : kLanes;
    for (int i = 0; i < lanes; ++i) out[rank[i]] = {squared[base + i], position[base + i]};
  }
  bool are_distinct = true;
  for (int i = 1; i < count; ++i) are_distinct &= out[i].squared != out[i - 1].squared;
  return are_distinct;
}

constexpr decltype(Kernels<double>::merge_top_k) merge_top_k = nullptr;

#endif

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
