#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/extent.hpp"
#include "quickshiftpp/parallel.hpp"

namespace quickshiftpp {

/// Coordinates of the samples along nearly orthogonal axes: along a few of large variance, or along
/// as many as there are columns.
///
/// For any two samples, (distance along the axes) <= scale * (true distance) + error.
struct Axes {
  int count;
  /// Writes the coordinates of a row. Several threads may call it.
  std::function<void(std::size_t row, float* coordinates)> copy_row;
  /// One of them.
  std::function<float(std::size_t row, std::size_t axis)> coordinate;
  double scale;
  double error;    ///< at least 2^-48
  double longest;  ///< the greatest length of a sample along the axes, at most about 1
  double largest;  ///< the greatest coordinate
  /// (distance along the axes) >= least_scale * (true distance) - error. 0 where the axes leave out
  /// too much for such a bound.
  double least_scale = 0;
};

/// The extent of all rows; the last bits of its length depend on the processor.
template <class T>
Extent extent_of(const T* rows, std::size_t samples, std::size_t columns, const double* center,
                 const Run& run);

/// Axes along which the coordinates are known: samples by axes, row-major. The array must outlive
/// the result.
Axes projected_axes(const float* coordinates, std::size_t samples, int count, double scale,
                    double error, const Run& run);

/// The columns themselves as axes: less a center, and times a power of two by which no sample is
/// longer than 1. The rows must outlive the result.
template <class T>
Axes column_axes(const T* rows, std::size_t samples, int columns, const Run& run);

/// The coordinates of all rows along those axes, up to `most`, along which a few rows vary most:
/// samples by axes.
struct WidestAxes {
  int count;
  Buffer<float> coordinates;
};
WidestAxes widest_axes(const Axes& axes, std::size_t samples, int most, const Run& run);

}  // namespace quickshiftpp
