#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "support/rounding.hpp"

using namespace quickshiftpp;

TEST_CASE("numbers between two float32 are rounded to the lower or to the upper one") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (double sign : {1.0, -1.0})
    for (float low : {1.0f, 1.5f, 0x1p-140f, 3e38f}) {
      const float high = std::nextafter(low, infinity);
      for (double share : {0.01, 0.5, 0.99}) {
        const double between = low + share * (static_cast<double>(high) - low);
        CHECK(rounded_down(sign * between) == (sign > 0 ? low : -high));
        CHECK(rounded_up(sign * between) == (sign > 0 ? high : -low));
      }
    }
}

TEST_CASE("float32 numbers stay what they are, and numbers beyond them have bounds") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (float value : {0.0f, 1.0f, -2.75f, 0x1p-149f, infinity, -infinity}) {
    CHECK(rounded_down(value) == value);
    CHECK(rounded_up(value) == value);
  }
  CHECK(rounded_down(1e300) == std::numeric_limits<float>::max());
  CHECK(rounded_up(1e300) == infinity);
}
