#include "quickshiftpp/search/axes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/tuning.hpp"
#include "support/error_bounds.hpp"

namespace quickshiftpp {

namespace {

/// Rows that show about where the samples are, and how they vary.
constexpr std::size_t kSampledRows = 64;

/// Calls visit(row) for a few rows, evenly spread.
template <class Visit>
std::size_t for_some_rows(std::size_t samples, Visit&& visit) {
  const std::size_t step = (samples + kSampledRows - 1) / kSampledRows;
  std::size_t visited = 0;
  for (std::size_t row = 0; row < samples; row += step, ++visited) visit(row);
  return visited;
}

/// About the mean of the rows. Any center would do; near the mean, numbers are small.
template <class T>
std::vector<double> center_of(const T* rows, std::size_t samples, std::size_t columns) {
  std::vector<double> center(columns);
  const std::size_t visited = for_some_rows(samples, [&](std::size_t row) {
    for (std::size_t c = 0; c < columns; ++c) center[c] += rows[row * columns + c];
  });
  for (double& value : center) value /= static_cast<double>(visited);
  return center;
}

}  // namespace

template <class T>
Extent extent_of(const T* rows, std::size_t samples, std::size_t columns, const double* center,
                 const Run& run) {
  const Kernels<T>& kernel = kernels<T>();
  const auto include = [](Extent& all, const Extent& part) {
    all.squared_length = std::max(all.squared_length, part.squared_length);
    all.largest = std::max(all.largest, part.largest);
  };
  std::vector<Extent> found(static_cast<std::size_t>(run.threads));
  parallel_for(run, samples, tuning::row_grain(columns),
               [&](std::size_t begin, std::size_t end, int thread) {
                 Extent here;
                 for (std::size_t row = begin; row < end; ++row)
                   include(here, kernel.extent(rows + row * columns, center, columns));
                 include(found[static_cast<std::size_t>(thread)], here);
               });
  Extent all;
  for (const Extent& part : found) include(all, part);
  return all;
}

Axes projected_axes(const float* coordinates, std::size_t samples, int count, double scale,
                    double error, const Run& run) {
  const auto axes = static_cast<std::size_t>(count);
  const std::vector<double> origin(axes);
  const Extent extent = extent_of(coordinates, samples, axes, origin.data(), run);
  return {.count = count,
          .copy_row = [=](std::size_t row,
                          float* out) { std::copy_n(coordinates + row * axes, axes, out); },
          .coordinate = [=](std::size_t row, std::size_t a) { return coordinates[row * axes + a]; },
          .scale = scale,
          .error = error,
          .longest = std::sqrt(extent.squared_length),
          .largest = extent.largest};
}

template <class T>
Axes column_axes(const T* rows, std::size_t samples, int columns, const Run& run) {
  const auto axes = static_cast<std::size_t>(columns);
  const auto center = std::make_shared<const std::vector<double>>(center_of(rows, samples, axes));
  const Kernels<T>& kernel = kernels<T>();
  const Extent extent = extent_of(rows, samples, axes, center->data(), run);
  const double longest = std::sqrt(extent.squared_length);
  int exponent = 0;
  std::frexp(longest, &exponent);
  const double unit = std::ldexp(1.0, -exponent);
  return {.count = columns,
          .copy_row =
              [=, &kernel](std::size_t row, float* out) {
                kernel.center_row(rows + row * axes, center->data(), unit, axes, out);
              },
          .coordinate =
              [=](std::size_t row, std::size_t c) {
                return static_cast<float>((rows[row * axes + c] - (*center)[c]) * unit);
              },
          .scale = unit,
          .error = error_bounds::column_error(longest * unit),
          .longest = longest * unit,
          .largest = extent.largest * unit,
          .least_scale = unit};
}

WidestAxes widest_axes(const Axes& axes, std::size_t samples, int most, const Run& run) {
  const auto all = static_cast<std::size_t>(axes.count);
  std::vector<float> row(all);
  std::vector<double> sum(all), squares(all);
  const std::size_t visited = for_some_rows(samples, [&](std::size_t i) {
    axes.copy_row(i, row.data());
    for (std::size_t a = 0; a < all; ++a) {
      sum[a] += row[a];
      squares[a] += static_cast<double>(row[a]) * row[a];
    }
  });
  std::vector<double> variance(all);
  for (std::size_t a = 0; a < all; ++a)
    variance[a] = squares[a] - sum[a] * sum[a] / static_cast<double>(visited);
  std::vector<std::size_t> chosen(all);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  const std::size_t count = std::min(all, static_cast<std::size_t>(most));
  std::partial_sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count),
                    chosen.end(), [&](std::size_t a, std::size_t b) {
                      return variance[a] != variance[b] ? variance[a] > variance[b] : a < b;
                    });
  WidestAxes widest{static_cast<int>(count), Buffer<float>(samples * count)};
  parallel_for(run, samples, tuning::row_grain(count),
               [&](std::size_t begin, std::size_t end, int) {
                 for (std::size_t i = begin; i < end; ++i)
                   for (std::size_t a = 0; a < count; ++a)
                     widest.coordinates[i * count + a] = axes.coordinate(i, chosen[a]);
               });
  return widest;
}

template Extent extent_of<float>(const float*, std::size_t, std::size_t, const double*, const Run&);
template Extent extent_of<double>(const double*, std::size_t, std::size_t, const double*,
                                  const Run&);
template Axes column_axes<float>(const float*, std::size_t, int, const Run&);
template Axes column_axes<double>(const double*, std::size_t, int, const Run&);

}  // namespace quickshiftpp
