#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/cascade.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/tuning.hpp"

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

/// The squared distance between two rows, summed as everywhere: see summation.hpp.
template <class T>
double squared_distance(const std::vector<T>& rows, int columns, std::size_t a, std::size_t b) {
  double sums[8] = {};
  for (int c = 0; c < columns; ++c) {
    const double difference = static_cast<double>(rows[a * columns + c]) - rows[b * columns + c];
    sums[c % 8] += difference * difference;
  }
  return std::accumulate(sums, sums + 8, 0.0);
}

/// A run on two threads, without a poll function.
struct TwoThreads {
  Monitor monitor;
  Run run{2, monitor};
};

/// How the cascade stores coordinates. The screen has 8 bits only where the processor multiplies
/// them.
struct Precision {
  bool in_integers;
  bool in_bytes;
};
inline constexpr Precision kInFloat32{false, false}, kIn16Bits{true, false}, kIn8Bits{true, true};

/// Samples along the first of their columns: orthogonal axes. Halved, they lengthen nothing either.
class FirstColumns {
 public:
  template <class T>
  FirstColumns(const std::vector<T>& rows, int columns, int axes)
      : axes_(axes), order_axes_(std::min(axes, tuning::kOrderAxes)) {
    for (std::size_t i = 0; i < rows.size(); i += static_cast<std::size_t>(columns))
      for (int a = 0; a < axes; ++a) {
        const float coordinate = static_cast<float>(rows[i + static_cast<std::size_t>(a)]) / 2;
        coordinates_.push_back(coordinate);
        if (a < order_axes_) order_.push_back(coordinate);
      }
  }
  CascadePlan plan(Precision precision, int screen_axes = tuning::kScreenAxes) const {
    TwoThreads two_threads;
    return {.axes = projected_axes(coordinates_.data(),
                                   coordinates_.size() / static_cast<std::size_t>(axes_), axes_,
                                   0.5, 1e-5, two_threads.run),
            .screen_axes = std::min(axes_, screen_axes),
            .order = order_.data(),
            .order_axes = order_axes_,
            .in_integers = precision.in_integers,
            .in_bytes = precision.in_bytes};
  }

 private:
  int axes_, order_axes_;
  std::vector<float> coordinates_, order_;
};

/// Samples along all columns, as a fit without principal axes compares them.
class AllColumns {
 public:
  /// The rows must outlive the object.
  template <class T>
  AllColumns(const std::vector<T>& rows, int columns)
      : axes_(column_axes(rows.data(), rows.size() / static_cast<std::size_t>(columns), columns,
                          two_threads_.run)),
        order_(widest_axes(axes_, rows.size() / static_cast<std::size_t>(columns),
                           tuning::kOrderAxes, two_threads_.run)) {}
  CascadePlan plan(Precision precision) const {
    return {.axes = axes_,
            .screen_axes = axes_.count,
            .order = order_.coordinates.data(),
            .order_axes = order_.count,
            .in_integers = precision.in_integers,
            .in_bytes = precision.in_bytes};
  }

 private:
  TwoThreads two_threads_;
  Axes axes_;
  WidestAxes order_;
};

#ifdef QSPP_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace quickshiftpp::testing
