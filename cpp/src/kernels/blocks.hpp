// Kernels that compare a query, or a box, with one block of samples.

#pragma once

#include "quickshiftpp/summation.hpp"
#include "vectors.hpp"

namespace quickshiftpp::QSPP_ISA {
namespace {

/// Adds the squares of some columns, `step` apart; square(column, g) is that of vector g.
template <class Square>
inline void add_squares(int first, int columns, int step, const Square& square,
                        Doubles (&sum)[kGroup]) {
  for (int column = first; column < columns; column += step)
    for (int g = 0; g < kGroup; ++g) sum[g] += square(column, g);
}

/// Sums the squares of all columns in the order of summation.hpp. Returns false as soon as
/// is_beyond() holds, which is asked every few columns of many; the sums are then partial.
template <class Square, class IsBeyond>
inline bool sum_squares(int columns, const Square& square, const IsBeyond& is_beyond,
                        Doubles (&sum)[kGroup]) {
  for (int g = 0; g < kGroup; ++g) sum[g] = Doubles{};
  if (columns <= kColumnSums) {
    add_squares(0, columns, 1, square, sum);
    return true;
  }
  for (int first = 0, seen = 0; first < kColumnSums; ++first) {
    Doubles part[kGroup];
    for (int g = 0; g < kGroup; ++g) part[g] = square(first, g);
    add_squares(first + kColumnSums, columns, kColumnSums, square, part);
    for (int g = 0; g < kGroup; ++g) sum[g] += part[g];
    seen += columns / kColumnSums;
    if (seen >= tuning::kAbandonColumns) {
      if (is_beyond()) return false;
      seen = 0;
    }
  }
  return true;
}

/// Computes the squared distances from the query to kGroup vectors of samples. Returns false if all
/// of them exceed the limit; the sums may then be partial. A partial sum is a lower bound, because
/// adding a square never decreases a floating-point sum.
template <class T, int Columns>
inline bool squared_distances(const T* block, int columns, const double* query,
                              double squared_limit, Doubles (&sum)[kGroup]) {
  const auto square = [&](int column, int g) {
    const Doubles difference = load(block + column * kBlock + g * kLanes) - query[column];
    return difference * difference;
  };
  const auto is_beyond = [&] {
    unsigned any = 0;
    for (int g = 0; g < kGroup; ++g) any |= at_most(sum[g], squared_limit);
    return any == 0;
  };
  return sum_squares(Columns > 0 ? Columns : columns, square, is_beyond, sum);
}

template <class T, int Columns>
int within_columns(const T* block, int32_t first, int columns, const double* query,
                   double squared_limit, double* squared, int32_t* position) {
  int found = 0;
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    if (!squared_distances<T, Columns>(block + base, columns, query, squared_limit, sum)) continue;
    for (int g = 0; g < kGroup; ++g)
      found += emit(sum[g], at_most(sum[g], squared_limit), first + base + g * kLanes,
                    squared + found, position + found);
  }
  return found;
}

template <class T>
int within(const T* block, int32_t first, int columns, const double* query, double squared_limit,
           double* squared, int32_t* position) {
  switch (columns) {
    case 1:
      return within_columns<T, 1>(block, first, columns, query, squared_limit, squared, position);
    case 2:
      return within_columns<T, 2>(block, first, columns, query, squared_limit, squared, position);
    case 3:
      return within_columns<T, 3>(block, first, columns, query, squared_limit, squared, position);
    case 4:
      return within_columns<T, 4>(block, first, columns, query, squared_limit, squared, position);
    case 5:
      return within_columns<T, 5>(block, first, columns, query, squared_limit, squared, position);
    default:
      return within_columns<T, 0>(block, first, columns, query, squared_limit, squared, position);
  }
}

/// Computes exactly point_box_distance for all samples of a block.
template <class T>
uint32_t near_box(const T* block, int columns, const double* box, const double* squared_limit) {
  uint32_t mask = 0;
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    const auto square = [&](int column, int g) {
      const Doubles value = load(block + column * kBlock + base + g * kLanes);
      const Doubles gap =
          larger(larger(box[column] - value, value - box[columns + column]), Doubles{});
      return gap * gap;
    };
    sum_squares(columns, square, [] { return false; }, sum);
    for (int g = 0; g < kGroup; ++g) {
      const int first = base + g * kLanes;
      mask |= at_most(sum[g], load(squared_limit + first)) << first;
    }
  }
  return mask;
}

template <class T, int Columns>
DenserInBlock denser_columns(const T* block, int columns, const double* query, double squared_limit,
                             const double* squared_radius, double own_squared_radius) {
  const Doubles none = Doubles{} + __builtin_inf();
  DenserInBlock found{squared_limit, 0, 0};
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    if (!squared_distances<T, Columns>(block + base, columns, query, found.squared, sum)) continue;
    Doubles least = none;  // in each lane
    for (int g = 0; g < kGroup; ++g) {
      const Doubles other = load(squared_radius + base + g * kLanes);
      const Doubles as_dense = other == own_squared_radius ? sum[g] : none;
      found.equally_dense |= at_most(as_dense, squared_limit) << (base + g * kLanes);
      sum[g] = other < own_squared_radius ? sum[g] : none;
      least = sum[g] < least ? sum[g] : least;
    }
    double nearest = least[0];
    for (int i = 1; i < kLanes; ++i) nearest = least[i] < nearest ? least[i] : nearest;
    if (!(nearest <= found.squared)) continue;
    if (nearest < found.squared) found.nearest = 0;
    found.squared = nearest;
    for (int g = 0; g < kGroup; ++g)
      found.nearest |= at_most(sum[g], nearest) << (base + g * kLanes);
  }
  return found;
}

template <class T>
DenserInBlock denser(const T* block, int columns, const double* query, double squared_limit,
                     const double* squared_radius, double own_squared_radius) {
  switch (columns) {
    case 2:
      return denser_columns<T, 2>(block, columns, query, squared_limit, squared_radius,
                                  own_squared_radius);
    case 3:
      return denser_columns<T, 3>(block, columns, query, squared_limit, squared_radius,
                                  own_squared_radius);
    default:
      return denser_columns<T, 0>(block, columns, query, squared_limit, squared_radius,
                                  own_squared_radius);
  }
}

template <class T, int Columns>
uint32_t reaching_columns(const T* block, int columns, const double* query,
                          double own_squared_radius, const double* squared_radius) {
  uint32_t reaching = 0;
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    if (!squared_distances<T, Columns>(block + base, columns, query, own_squared_radius, sum))
      continue;
    for (int g = 0; g < kGroup; ++g) {
      const int first = base + g * kLanes;
      const Doubles other = load(squared_radius + first);
      reaching |= (at_most(sum[g], other) & at_most(other, own_squared_radius)) << first;
    }
  }
  return reaching;
}

template <class T>
uint32_t reaching(const T* block, int columns, const double* query, double own_squared_radius,
                  const double* squared_radius) {
  switch (columns) {
    case 2:
      return reaching_columns<T, 2>(block, columns, query, own_squared_radius, squared_radius);
    case 3:
      return reaching_columns<T, 3>(block, columns, query, own_squared_radius, squared_radius);
    default:
      return reaching_columns<T, 0>(block, columns, query, own_squared_radius, squared_radius);
  }
}

/// exp(x) for -40 < x <= 0, within two units in the last place: x = n ln 2 + r, a Taylor polynomial
/// for exp(r), and n added to the exponent bits. It uses multiplications and additions only, so
/// that the result has the same bits on every processor. The C library's exp does not promise that.
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
uint64_t gaussian(const T* block, int columns, const double* query, double rate,
                  double squared_limit) {
  constexpr double unit = 2251799813685248.0;  // 2^51
  // 2^52: adding it rounds a number to an integer, which is then found in the low bits.
  constexpr double offset = 4503599627370496.0;
  const Bits offset_bits = reinterpret_cast<Bits>(Doubles{} + offset);
  Bits total = {};
  for (int base = 0; base < kBlock; base += kGroup * kLanes) {
    Doubles sum[kGroup];
    if (!squared_distances<T, 0>(block + base, columns, query, squared_limit, sum)) continue;
    for (int g = 0; g < kGroup; ++g) {
      const Bits inside = reinterpret_cast<Bits>(sum[g] <= squared_limit);
      const Doubles scaled = exponential(sum[g] * -rate) * unit + offset;
      total += (reinterpret_cast<Bits>(scaled) - offset_bits) & inside;
    }
  }
  uint64_t result = 0;
  for (int i = 0; i < kLanes; ++i) result += total[i];
  return result;
}

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
