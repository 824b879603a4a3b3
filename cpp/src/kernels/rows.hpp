// Samples of many columns: whole rows.

#pragma once

#include "quickshiftpp/summation.hpp"
#include "vectors.hpp"

namespace quickshiftpp::QSPP_ISA {
namespace {

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
  const double other = value[0][1];
  value[0][1] = value[1][0];
  value[1][0] = other;
#endif
}

inline void transpose(Floats (&value)[kLanes]) {
#if QSPP_LANES == 8
  __m256 r[8], pair[8];
  __builtin_memcpy(r, value, sizeof(r));
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);      // columns 0, 1, 4 and 5 of two rows
    pair[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);  // the others
  }
  for (int i = 0; i < 8; i += 4)  // two columns of four rows
    for (int odd = 0; odd < 2; ++odd) {
      const auto a = _mm256_castps_pd(pair[i + odd]), b = _mm256_castps_pd(pair[i + odd + 2]);
      r[i + 2 * odd] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
      r[i + 2 * odd + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
    }
  for (int i = 0; i < 4; ++i) {
    pair[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
    pair[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
  }
  __builtin_memcpy(value, pair, sizeof(pair));
#elif QSPP_LANES == 4
  __m128 r[4];
  __builtin_memcpy(r, value, sizeof(r));
  _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
  __builtin_memcpy(value, r, sizeof(r));
#else
  const float other = value[0][1];
  value[0][1] = value[1][0];
  value[1][0] = other;
#endif
}

inline Doubles load_row(const double* p) { return load_unaligned(p); }
inline Floats load_row(const float* p) {
  Floats value;
  __builtin_memcpy(&value, p, sizeof(value));
  return value;
}
/// Words are only moved, so that they may be any numbers.
inline Floats load_row(const uint32_t* p) {
  Floats value;
  __builtin_memcpy(&value, p, sizeof(value));
  return value;
}

/// The column sums of kLanes rows, in vectors of kLanes sums: see summation.hpp.
struct ColumnSums {
  static constexpr int kVectors = kColumnSums / kLanes;
  static_assert(kColumnSums % kLanes == 0);
  Doubles sum[kVectors][kLanes] = {};

  /// Adds the squared differences in kColumnSums columns.
  template <class T>
  void add(const double* query, const T* const* rows, size_t column) {
    for (int v = 0; v < kVectors; ++v, column += kLanes)
      for (int i = 0; i < kLanes; ++i) {
        const Doubles difference =
            load_unaligned(rows[i] + column) - load_unaligned(query + column);
        sum[v][i] += difference * difference;
      }
  }
  /// Adds them in turn.
  Doubles total() {
    Doubles result = {};
    for (int v = 0; v < kVectors; ++v) {
      transpose(sum[v]);
      for (int c = 0; c < kLanes; ++c) result += sum[v][c];
    }
    return result;
  }
};

template <class T>
void row_distances(const double* query, const T* const* rows, size_t columns, double* squared) {
  static_assert(kRowsTogether % kLanes == 0);
  const size_t whole = columns - columns % kColumnSums;
  for (int first = 0; first < kRowsTogether; first += kLanes) {
    const T* const* group = rows + first;
    ColumnSums sums;
    for (size_t column = 0; column < whole; column += kColumnSums) sums.add(query, group, column);
    if (whole < columns) {
      // The last columns, and others in which there is no difference.
      double rest[kColumnSums] = {};
      T values[kLanes][kColumnSums] = {};
      const T* ends[kLanes];
      for (size_t c = whole; c < columns; ++c) rest[c - whole] = query[c];
      for (int i = 0; i < kLanes; ++i) {
        for (size_t c = whole; c < columns; ++c) values[i][c - whole] = group[i][c];
        ends[i] = values[i];
      }
      sums.add(rest, ends, 0);
    }
    const Doubles total = sums.total();
    __builtin_memcpy(squared + first, &total, sizeof(total));
  }
}

template <class T>
void fill_block(const T* const* rows, size_t columns, T* out) {
  using Vector = decltype(load_row(rows[0]));
  size_t column = 0;
  for (; column + kLanes <= columns; column += kLanes)
    for (int lane = 0; lane < tuning::kBlock; lane += kLanes) {
      Vector value[kLanes];
      for (int i = 0; i < kLanes; ++i) value[i] = load_row(rows[lane + i] + column);
      transpose(value);
      for (int c = 0; c < kLanes; ++c)
        __builtin_memcpy(out + (column + static_cast<size_t>(c)) * tuning::kBlock + lane, &value[c],
                         sizeof(Vector));
    }
  for (; column < columns; ++column)
    for (int lane = 0; lane < tuning::kBlock; ++lane)
      out[column * tuning::kBlock + static_cast<size_t>(lane)] = rows[lane][column];
}

inline WideFloats load_vector(const float* p) { return load_wide(p); }
inline Doubles load_vector(const double* p) { return load_unaligned(p); }

template <class T>
void add_product(const T* rows, size_t stride, size_t columns, const T* matrix, size_t width,
                 T* out) {
  using Vector = decltype(load_vector(matrix));
  constexpr size_t lanes = sizeof(Vector) / sizeof(T), vectors = 2;
  static_assert(kProductWidth % (lanes * vectors) == 0);
  for (size_t j = 0; j < width; j += lanes * vectors) {
    Vector sum[kProductRows][vectors] = {};
    for (size_t c = 0; c < columns; ++c)
      for (size_t v = 0; v < vectors; ++v) {
        const Vector value = load_vector(matrix + c * width + j + v * lanes);
        for (size_t r = 0; r < kProductRows; ++r)
          sum[r][v] = add_product(sum[r][v], value, rows[r * stride + c] - Vector{});
      }
    for (size_t r = 0; r < kProductRows; ++r)
      for (size_t v = 0; v < vectors; ++v) {
        T* to = out + r * width + j + v * lanes;
        const Vector total = load_vector(to) + sum[r][v];
        __builtin_memcpy(to, &total, sizeof(total));
      }
  }
}

template <class T>
bool are_below(const T* values, size_t count, double limit) {
  Integers are = Integers{} - 1;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Doubles value = load_unaligned(values + i);
    are &= (value < limit) & (value > -limit);
  }
  bool all = true;
  for (int lane = 0; lane < kLanes; ++lane) all &= are[lane] != 0;
  for (; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    all &= value < limit && value > -limit;
  }
  return all;
}

template <class T>
Extent extent(const T* row, const double* center, size_t columns) {
  Doubles sum = {}, largest = {};
  size_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) {
    const Doubles apart = load_unaligned(row + column) - load_unaligned(center + column);
    sum += apart * apart;
    largest = larger(largest, larger(apart, -apart));
  }
  Extent found;
  const auto include = [&](double squared, double coordinate) {
    found.squared_length += squared;
    found.largest = coordinate > found.largest ? coordinate : found.largest;
  };
  for (int i = 0; i < kLanes; ++i) include(sum[i], largest[i]);
  for (; column < columns; ++column) {
    const double apart = static_cast<double>(row[column]) - center[column];
    include(apart * apart, apart < 0 ? -apart : apart);
  }
  return found;
}

template <class T>
void center_row(const T* row, const double* center, double unit, size_t columns, float* out) {
  for (size_t c = 0; c < columns; ++c)
    out[c] = static_cast<float>((static_cast<double>(row[c]) - center[c]) * unit);
}

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
