#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "samples.hpp"
#include "search/sites.hpp"

using namespace quickshiftpp;

TEST_CASE_TEMPLATE("sites are the distinct rows, in the order of their first, with all samples", T,
                   float, double) {
  testing::TwoThreads two_threads;
  for (std::size_t samples : {1u, 40u, 20000u})
    for (int values : {1, 2, 7, 0}) {  // 0: real coordinates, no two rows equal
      constexpr int columns = 3;
      auto rows = testing::random_rows<T>(samples, columns, values, 3);
      for (std::size_t i = 0; i < rows.size(); i += 5)
        if (rows[i] == 0) rows[i] = T{-0.0};  // equals 0
      const Index<T> index(rows.data(), samples, columns, true, two_threads.run);
      const Sites<T> sites(index, two_threads.run);

      std::map<std::vector<T>, std::vector<std::int32_t>> expected;  // the rows of each site
      for (std::size_t i = 0; i < samples; ++i)
        expected[{rows.begin() + i * columns, rows.begin() + (i + 1) * columns}].push_back(
            static_cast<std::int32_t>(i));
      REQUIRE(sites.index().samples() == expected.size());
      std::int32_t last_first = -1;
      for (std::int32_t site = 0; site < static_cast<std::int32_t>(expected.size()); ++site) {
        std::vector<std::int32_t> found;
        for (const std::int32_t i : sites.samples_at(site)) found.push_back(index.row_at(i));
        REQUIRE(!found.empty());
        CHECK(found.front() > last_first);
        last_first = found.front();
        const auto first = rows.begin() + static_cast<std::ptrdiff_t>(found.front()) * columns;
        CHECK(found == expected[{first, first + columns}]);
      }
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(expected.size()); ++i) {
        const std::int32_t sample = sites.samples_at(sites.index().row_at(i)).front();
        for (int c = 0; c < columns; ++c)
          CHECK(sites.index().coordinate(i, c) == index.coordinate(sample, c));
      }
    }
}

TEST_CASE("a search over sites is chosen where many samples are equal, sooner in many columns") {
  testing::TwoThreads two_threads;
  constexpr std::size_t samples = 3200;
  for (int columns : {1, 2, 8})
    for (int percent : {0, 4, 18, 40, 75}) {  // of the rows equal another
      auto rows = testing::random_rows<double>(samples, columns, 0, 3);
      std::mt19937 engine(1);
      for (std::size_t i = 0; i < samples; i += 4) {
        const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i) * columns;
        if (engine() % 75 < static_cast<unsigned>(percent))
          for (int copy = 1; copy < 4; ++copy) std::copy_n(first, columns, first + copy * columns);
      }
      const Index<double> index(rows.data(), samples, columns, true, two_threads.run);
      CHECK(Sites<double>::are_few(index) == (percent * (std::min(columns, 3) + 1) > 100));
      const Index<double> flat(rows.data(), samples, columns, false, two_threads.run);
      CHECK(!Sites<double>::are_few(flat));  // equal rows are not close in position
    }
}
