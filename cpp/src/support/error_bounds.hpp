#pragma once

#include <algorithm>
#include <cstddef>

#include "quickshiftpp/summation.hpp"
#include "support/rounding.hpp"

/// Every bound on rounding errors by which a faster computation may discard a candidate.
///
/// Each refers to the section of docs/exactness.md that derives it. There is also a table of the
/// tests that come close to them. None is a matter of tuning: a smaller one can lose a neighbor.
namespace quickshiftpp::error_bounds {

/// The relative error of one operation.
inline constexpr double kUnit32 = 0x1p-24, kUnit64 = 0x1p-53;

/// The relative error of so many operations in a row, of which none cancels: Higham's gamma.
constexpr double gamma(double roundings, double unit) {
  return roundings * unit / (1 - roundings * unit);
}

/// Covers up to 32 operations in float64 on positive numbers.
inline constexpr double kFewRoundings = 1 + 32 * kUnit64;
/// Covers products of errors that are small themselves.
inline constexpr double kScreenSlack = 1 + 0x1p-16;

/// The roundings that each term of an exact distance undergoes:
/// exactness.md#the-computed-and-the-true-distance
constexpr double distance_roundings(std::size_t columns) {
  constexpr std::size_t sums = kColumnSums;
  return static_cast<double>(std::min(columns, (columns - 1) / sums + sums) + 2);
}

/// A true distance is at most the computed one times this:
/// exactness.md#the-computed-and-the-true-distance
constexpr double true_distance_factor(std::size_t columns) {
  return 1 + gamma(distance_roundings(columns), kUnit64) / 2;
}

/// A true distance is at most this times one whose squares were summed in any order:
/// exactness.md#the-computed-and-the-true-distance
constexpr double any_order_factor(std::size_t columns) {
  return 1 + gamma(static_cast<double>(columns) + 2, kUnit64) / 2;
}

/// By how much the computed, squared distance between two samples may exceed the square of the sum
/// of their computed distances from a third one:
/// exactness.md#pixels-the-triangle-inequality
constexpr double triangle_factor(std::size_t columns) {
  return (1 + gamma(2 * distance_roundings(columns), kUnit64)) * kFewRoundings;
}

/// Where the sum of `across` and another squared distance is at most `limit`, the other one is at
/// most this:
/// exactness.md#pixels-the-part-of-a-line
constexpr double squared_remainder(double limit, double across) {
  const double rest = limit - across;
  return (rest > 0 ? rest : 0) + 32 * kUnit64 * limit;
}
/// In a line of so many pixels, two may be that much farther apart than their coordinates:
/// exactness.md#pixels-the-part-of-a-line
constexpr double line_margin(std::size_t pixels) {
  return 2 * kUnit32 * kScreenSlack * static_cast<double>(pixels);
}

/// A pixel within a squared distance has no larger one in float32:
/// exactness.md#pixels-float32-distances
inline float float32_limit(double squared_distance, int channels) {
  constexpr double underflow = 0x1p-110;
  return rounded_up(squared_distance * (1 + gamma(channels + 3, kUnit32)) * kFewRoundings +
                    underflow);
}

/// Whole numbers below it are exact in float32; larger ones are rounded to no less:
/// exactness.md#pixels-whole-numbers
inline constexpr double kWholeLimit = 0x1p24;

/// The most columns of a cascade. The errors of longer sums in float32 are not small:
/// exactness.md#the-cascade-the-screen
inline constexpr int kMostColumns = 1 << 20;

/// By how much rounding may lower the product of a query and a sample less the sample's half norm,
/// against the query's half norm. The query has length `length`, the longest sample `longest`; each
/// term of the product, and of a norm in float64, undergoes so many roundings:
/// exactness.md#the-cascade-the-screen
constexpr double screen_error(double product_roundings, double length, double longest) {
  constexpr double underflow = 0x1p-90;
  const double product = gamma(product_roundings, kUnit32) / kUnit32;
  const double norm = 1 + gamma(product_roundings, kUnit64) / (2 * kUnit32);
  return kScreenSlack * kUnit32 * longest * ((product + 1.5) * length + norm * longest) + underflow;
}

/// The least number of float32 sums that a kernel keeps side by side.
inline constexpr int kNarrowestSums = 4;

/// The roundings that each term of a sum of squares undergoes, over so many coordinates in float32
/// or over any number in 16-bit integers:
/// exactness.md#the-cascade-sums-of-squares
constexpr double square_sum_roundings(int coordinates) {
  return coordinates / static_cast<double>(kNarrowestSums) + 4;
}
inline constexpr double kIntegerSumRoundings = 5;

/// The true sum of squares is at least the computed one times this.
constexpr double square_sum_factor(double roundings) {
  return (1 - roundings * kUnit32) / kFewRoundings;
}

/// The length of the longest sample in 16-bit integers. Rounding adds up to sqrt(coordinates) / 2
/// to it; two samples must not differ by more than 2^15 - 1:
/// exactness.md#the-cascade-16-bit-integers
inline constexpr double kLongestInteger = 16000;
constexpr bool fits_integers(int coordinates) {
  constexpr double spare = 16383 - kLongestInteger;
  return spare > 0 && coordinates <= 4 * spare * spare;
}

/// By how much squares below the smallest float32 may shorten a distance along the axes:
/// exactness.md#the-cascade-settled-radii
inline constexpr double kLostSquares = 0x1p-50;

/// By how much rounding to float32 moves two samples, of which none is longer than this:
/// exactness.md#the-cascade-columns-as-axes
constexpr double column_error(double longest) {
  return 2 * kUnit32 * (1 + 0x1p-20) * (longest > 1 ? longest : 1);
}

/// The largest coordinate in 8 bits, and whether sums of so many products of two stay below 2^31,
/// with one of the two from 1 to 255: exactness.md#the-cascade-8-bit-integers
inline constexpr double kLargestByte = 127;
constexpr bool fits_bytes(int coordinates) { return coordinates <= (1 << 16); }

/// Beyond this exponent a term of a Gaussian sum rounds to zero, exp(-x) * 2^51 < 1/2:
/// exactness.md#gaussian-sums
inline constexpr double kLargestExponent = 36.05;

}  // namespace quickshiftpp::error_bounds
