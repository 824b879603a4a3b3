#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp::testing {

/// Random rows with integer coordinates in [0, grid), so that there are many ties and equal rows.
/// If `grid` is 0, real coordinates in [-1, 1).
template <class T>
std::vector<T> random_rows(std::size_t samples, int columns, int grid, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<T> rows(samples * static_cast<std::size_t>(columns));
  for (T& value : rows)
    value = grid > 0 ? static_cast<T>(engine() % static_cast<unsigned>(grid))
                     : static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(engine));
  return rows;
}

/// The squared distance between two rows, summed in column order.
template <class T>
double squared_distance(const std::vector<T>& rows, int columns, std::size_t a, std::size_t b) {
  double sum = 0;
  for (int c = 0; c < columns; ++c) {
    const double difference = static_cast<double>(rows[a * columns + c]) - rows[b * columns + c];
    sum += difference * difference;
  }
  return sum;
}

#ifdef QSPP_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// A run on two threads, without a poll function.
struct TwoThreads {
  Monitor monitor;
  Run run{2, monitor};
};

}  // namespace quickshiftpp::testing
