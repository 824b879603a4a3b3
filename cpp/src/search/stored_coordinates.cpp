#include "search/stored_coordinates.hpp"

#include <cstring>
#include <numeric>

namespace quickshiftpp {

namespace {

/// Sums side by side, so that additions need not wait for each other.
constexpr int kSums = 8;

/// Rounds a multiple of kTogether coordinates to multiples of a step.
template <class Integer>
StoredSample write_integers(const float* from, int padded, double step, ScreenKernels::Word* to) {
  constexpr int together = StoredCoordinates::kTogether;
  const double per_step = 1 / step;
  double moved[kSums] = {};
  std::int32_t squares[kSums] = {}, sums[kSums] = {};
  for (int begin = 0; begin < padded; begin += together) {
    Integer integers[together];
    for (int a = 0; a < together; a += kSums)
      for (int s = 0; s < kSums; ++s) {
        const double coordinate = from[begin + a + s];
        // To the nearest, by truncating what is positive: a call to round takes ten times as long.
        const auto integer = static_cast<std::int32_t>(coordinate * per_step + 16384.5) - 16384;
        const double error = coordinate - integer * step;  // exact: docs/exactness.md
        moved[s] += error * error;
        squares[s] += integer * integer;
        sums[s] += integer;
        integers[a + s] = static_cast<Integer>(integer);
      }
    std::memcpy(to, integers, sizeof(integers));
    to += together / (static_cast<int>(sizeof(*to)) / static_cast<int>(sizeof(Integer)));
  }
  return {std::accumulate(moved, moved + kSums, 0.0),
          std::accumulate(squares, squares + kSums, 0.0),
          std::accumulate(sums, sums + kSums, std::int32_t{0})};
}

}  // namespace

StoredSample StoredCoordinates::write(const float* from, int axes, Word* to) const {
  switch (format) {
    case WordFormat::kInteger8:
      return write_integers<std::int8_t>(from, padded(axes), step, to);
    case WordFormat::kInteger16:
      return write_integers<std::int16_t>(from, padded(axes), step, to);
    case WordFormat::kFloat32:
      break;
  }
  std::memcpy(to, from, static_cast<std::size_t>(padded(axes)) * sizeof(*to));
  StoredSample stored;
  for (int a = 0; a < axes; ++a) stored.squared_length += static_cast<double>(from[a]) * from[a];
  return stored;
}

}  // namespace quickshiftpp
