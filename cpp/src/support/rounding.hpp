#pragma once

#include <cmath>
#include <limits>

namespace quickshiftpp {

/// The largest float32 that is not above a value.
inline float rounded_down(double value) {
  const auto rounded = static_cast<float>(value);
  return rounded > value ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
                         : rounded;
}
/// The smallest float32 that is not below a value.
inline float rounded_up(double value) { return -rounded_down(-value); }

}  // namespace quickshiftpp
