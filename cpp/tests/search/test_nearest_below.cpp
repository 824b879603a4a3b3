#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "quickshiftpp/search/nearest_below.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

TEST_CASE_TEMPLATE("nearest_below agrees with a plain loop, ties included", T, float, double) {
  testing::TwoThreads two_threads;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t samples : {1u, 35u, 250u})  // a last block that is not full
    for (int grid : {0, 3, 12})
      for (int columns : {1, 2, 6}) {
        const auto rows = testing::random_rows<T>(samples, columns, grid, 4);
        std::vector<double> key(samples), limit(samples);
        for (std::size_t i = 0; i < samples; ++i) {
          // Of its coordinates alone: equal samples have equal keys.
          const double sum =
              static_cast<double>(rows[i * columns] + rows[i * columns + columns - 1]);
          key[i] = static_cast<int>(40 + 3 * sum) % 5;
          if (key[i] == 4) key[i] = infinity;
          limit[i] = i % 4 == 3 ? infinity : static_cast<double>(i % 4);
        }
        const Index<T> plain(rows.data(), samples, columns, false, two_threads.run);
        std::vector<std::int64_t> expected(samples, -1);
        for (std::size_t i = 0; i < samples; ++i) {
          double nearest = infinity;
          for (std::size_t j = 0; j < samples; ++j) {
            const double squared = testing::squared_distance(rows, columns, i, j);
            if (!(key[j] < limit[i]) || squared > nearest) continue;
            if (squared == nearest && expected[i] >= 0 &&
                !precedes_by_key(plain, key.data(), static_cast<std::int32_t>(j),
                                 static_cast<std::int32_t>(expected[i])))
              continue;
            nearest = squared;
            expected[i] = static_cast<std::int64_t>(j);
          }
        }
        for (bool tree : {true, false}) {
          const Index<T> index(rows.data(), samples, columns, tree, two_threads.run);
          const NearestRows found =
              nearest_below(index, index, key.data(), limit.data(), two_threads.run);
          bool same = true;
          for (std::size_t i = 0; i < samples; ++i) {
            same &= found.row[i] == expected[i];
            same &=
                found.squared_distance[i] ==
                (expected[i] < 0 ? infinity
                                 : testing::squared_distance(
                                       rows, columns, i, static_cast<std::size_t>(expected[i])));
          }
          CHECK(same);
        }
      }
}
