#pragma once

#include <algorithm>

namespace quickshiftpp {

/// The squared differences of two samples are summed in this order everywhere, so that a distance
/// has the same bits on every path and processor: eight sums side by side, of the columns 0, 8, 16,
/// ..., of the columns 1, 9, 17, ..., and so on, which are then added in turn. Up to eight columns
/// are therefore summed one after the other. Eight, since vector instructions of every width can
/// process that many columns of one row side by side.
inline constexpr int kColumnSums = 8;

/// Sums term(column) in this order.
template <class Term>
[[gnu::always_inline]] inline double sum_over_columns(int columns, Term&& term) {
  double total = 0;
  for (int first = 0; first < std::min(columns, kColumnSums); ++first) {
    double sum = 0;
    for (int column = first; column < columns; column += kColumnSums) sum += term(column);
    total += sum;
  }
  return total;
}

}  // namespace quickshiftpp
