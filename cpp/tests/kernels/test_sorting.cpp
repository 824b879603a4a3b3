#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

TEST_CASE("sort: by squared distance; reports distances that it may not have ordered") {
  std::mt19937 engine(3);
  for (int count = 1; count <= tuning::kPending; ++count) {
    for (int values : {3, 1000000}) {
      std::vector<double> squared =
          testing::random_rows<double>(tuning::kPending + 8, 1, values, count);
      for (double& value : squared) value *= value;
      // In half of the rounds, two distances differ in the last bit or are equal.
      if (count > 2 && engine() % 2 == 0)
        squared[engine() % count] = std::nextafter(squared[engine() % count], engine() % 2);
      std::vector<std::int32_t> position(squared.size());
      std::vector<std::pair<double, std::int32_t>> expected;
      for (int i = 0; i < count; ++i) {
        position[i] = 7 * i;
        expected.emplace_back(squared[i], position[i]);
      }
      std::sort(expected.begin(), expected.end());
      std::vector<Candidate> sorted(tuning::kPending);
      const bool is_certain =
          kernels<float>().sort(squared.data(), position.data(), count, sorted.data());
      bool are_distinct = true, have_distinct_keys = true;
      for (int i = 1; i < count; ++i) {
        are_distinct &= expected[i].first != expected[i - 1].first;
        have_distinct_keys &= !has_same_sort_key(expected[i].first, expected[i - 1].first);
        // Candidates with different keys are always in order.
        if (!has_same_sort_key(sorted[i].squared, sorted[i - 1].squared))
          CHECK(sorted[i].squared > sorted[i - 1].squared);
      }
      if (!are_distinct) CHECK(!is_certain);
      if (have_distinct_keys) CHECK(is_certain);
      if (!is_certain)
        std::sort(sorted.begin(), sorted.begin() + count, [](auto& a, auto& b) {
          return std::pair(a.squared, a.position) < std::pair(b.squared, b.position);
        });
      for (int i = 0; i < count; ++i) {
        CHECK(sorted[i].squared == expected[i].first);
        CHECK(sorted[i].position == expected[i].second);
      }
    }
  }
}

TEST_CASE("merge_top_k: the k nearest, of those tied for the last place the lowest rows") {
  const auto merge_top_k = kernels<double>().merge_top_k;
  if (merge_top_k == nullptr) return;
  std::mt19937 engine(4);
  constexpr int positions = 1000;
  std::vector<std::int32_t> row_at(positions);
  std::iota(row_at.begin(), row_at.end(), 0);
  std::shuffle(row_at.begin(), row_at.end(), engine);
  for (int round = 0; round < 8000; ++round) {
    const int k = 1 + static_cast<int>(engine() % kShortListSize);
    const int filled = static_cast<int>(engine() % (k + 1));
    const int count = 1 + static_cast<int>(engine() % kShortListSize);
    const unsigned values = std::vector{2u, 9u, 60u, 1000000000u}[round % 4];
    const bool has_close = round % 8 >= 4;
    // Squared distance, row and position of each candidate; a row of -1 for the query itself.
    std::vector<std::tuple<double, std::int32_t, std::int32_t>> expected;
    const auto first = static_cast<std::int32_t>(engine() % positions);
    const std::int32_t self = round % 3 == 0 ? first : -1;
    for (int i = 0; i < filled + count; ++i) {
      double squared = engine() % values * 0.37;
      if (has_close && engine() % 2 == 0) squared = std::nextafter(squared, 1e9);
      const std::int32_t position = (first + 7 * i) % positions;
      expected.emplace_back(squared, position == self ? -1 : row_at[position], position);
    }
    std::sort(expected.begin(), expected.begin() + filled);
    std::vector<double> squared(2 * kShortListSize, std::numeric_limits<double>::quiet_NaN());
    std::vector<std::int32_t> position(2 * kShortListSize, -1);
    for (int i = 0; i < filled + count; ++i) {
      const int to = i < filled ? i : kShortListSize + i - filled;
      squared[to] = std::get<0>(expected[i]);
      position[to] = std::get<2>(expected[i]);
    }
    const auto squared_before = squared;
    std::sort(expected.begin(), expected.end());
    const TopKMerge merge =
        merge_top_k(squared.data(), position.data(), filled, count, k, {row_at.data(), self});

    const int kept = std::min(k, filled + count);
    if (filled + count == kept)
      CHECK(merge.least_discarded == std::numeric_limits<double>::infinity());
    else if (has_same_sort_key(std::get<0>(expected[kept]), std::get<0>(expected[kept - 1])))
      CHECK(merge.least_discarded == std::get<0>(expected[kept]));
    else
      CHECK(has_same_sort_key(merge.least_discarded, std::get<0>(expected[kept])));
    std::vector<std::tuple<double, std::int32_t, std::int32_t>> merged;
    for (int i = 0; i < kept; ++i)
      merged.emplace_back(squared[i], position[i] == self ? -1 : row_at[position[i]], position[i]);
    // Only candidates with the same sort key may be in another order, and not the last of them.
    bool are_in_order = true;
    for (int i = 0; i < kept; ++i) {
      const double wanted = std::get<0>(expected[i]);
      are_in_order &= merged[i] == expected[i];
      CHECK(has_same_sort_key(squared[i], wanted));
      if (has_same_sort_key(wanted, std::get<0>(expected[kept - 1])))
        CHECK(merged[i] == expected[i]);
    }
    CHECK((are_in_order || merge.has_close));
    std::sort(merged.begin(), merged.end());
    CHECK(std::equal(merged.begin(), merged.end(), expected.begin()));
    for (int i = kShortListSize; i < kShortListSize + count; ++i)
      CHECK(squared[i] == squared_before[i]);
  }
}
