// A pixel against the lines of an image.

#pragma once

#include "vectors.hpp"

namespace quickshiftpp::QSPP_ISA {
namespace {

/// Squared distances of kWide pixels in float32.
template <int Channels>
inline WideFloats single_distances(const Line<float>& line, int i) {
  WideFloats sum = load_wide(line.along_single + i) + line.across_single;
  for (int c = 0; c < (Channels > 0 ? Channels : line.channels); ++c) {
    const WideFloats difference =
        load_wide(line.colors + static_cast<size_t>(c) * line.stride + i) -
        line.query_color_single[c];
    sum = add_product(sum, difference, difference);
  }
  return sum;
}

/// Squared distances of kLanes pixels.
template <class T, int Channels>
inline Doubles line_distances(const Line<T>& line, int i) {
  const int columns = line.axes + (Channels > 0 ? Channels : line.channels);
  const Doubles along = load_unaligned(line.along + i);
  const auto square = [&](int column) {
    const int c = column - line.axes;
    const Doubles difference =
        load_unaligned(line.colors + static_cast<size_t>(c) * line.stride + i) -
        line.query_color[c];
    return difference * difference;
  };
  if (columns <= kColumnSums) {
    Doubles sum = line.across + along;
    for (int column = line.axes; column < columns; ++column) sum += square(column);
    return sum;
  }
  Doubles total = {};
  for (int first = 0; first < kColumnSums; ++first) {
    Doubles sum = line.column_sums[first] - Doubles{};
    int column = first;
    for (; column < line.axes; column += kColumnSums)
      if (column == line.axes - 1) sum += along;
    for (; column < columns; column += kColumnSums) sum += square(column);
    total += sum;
  }
  return total;
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
      __builtin_memcpy(single, &sum, sizeof(sum));
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

}  // namespace
}  // namespace quickshiftpp::QSPP_ISA
