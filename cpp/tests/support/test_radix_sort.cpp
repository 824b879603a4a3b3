#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "samples.hpp"
#include "support/radix_sort.hpp"

using namespace quickshiftpp;

namespace {

using Keyed = std::pair<double, int>;

/// Whether digits sort as comparisons do.
bool sorts(std::vector<Keyed> values) {
  std::vector<Keyed> expected = values;
  std::sort(expected.begin(), expected.end());
  testing::Bench bench;
  sort_by_key(
      values, [](const Keyed& value) { return value.first; }, std::less<Keyed>(), bench.run);
  return values == expected;
}

template <class Draw>
std::vector<Keyed> drawn(std::size_t count, Draw&& draw) {
  std::mt19937 engine(7);
  std::vector<Keyed> values(count);
  for (Keyed& value : values) value = {draw(engine), static_cast<int>(engine() % 1000)};
  return values;
}

}  // namespace

TEST_CASE("sort_by_key sorts by key, then by what else is compared") {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, tuning::kRadixSort - 1,
                                  tuning::kRadixSort, 50 * tuning::kRadixSort}) {
    CAPTURE(count);
    // All exponents; few keys; keys that differ beyond the precision of a float; one key.
    CHECK(sorts(drawn(count, [](auto& engine) {
      return std::exp(std::uniform_real_distribution<>(-700, 700)(engine));
    })));
    CHECK(sorts(drawn(count, [](auto& engine) { return static_cast<double>(engine() % 7); })));
    CHECK(sorts(drawn(
        count, [](auto& engine) { return 1 + 1e-12 * static_cast<double>(engine() % 100); })));
    CHECK(sorts(drawn(count, [](auto&) { return 0.0; })));
  }
}

TEST_CASE("sort_by_key puts infinity last") {
  std::vector<Keyed> values = drawn(2 * tuning::kRadixSort, [](auto& engine) {
    return engine() % 3 == 0 ? std::numeric_limits<double>::infinity()
                             : static_cast<double>(engine());
  });
  CHECK(sorts(values));
}
