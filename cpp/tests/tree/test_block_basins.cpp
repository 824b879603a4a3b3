#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "samples.hpp"
#include "tree/block_basins.hpp"

using namespace quickshiftpp;

TEST_CASE("BlockBasins agrees with plain loops: the samples of each basin and the least radius") {
  testing::TwoThreads two_threads;
  for (std::size_t samples : {std::size_t{1}, std::size_t{33}, std::size_t{20000}}) {
    const auto rows = testing::random_rows<double>(samples, 2, 0, 4);
    const Index<double> index(rows.data(), samples, 2, true, two_threads.run);
    std::vector<std::int32_t> basin(index.padded_samples());
    std::vector<double> squared_radius(index.padded_samples());
    for (std::size_t i = 0; i < samples; ++i) {
      basin[i] = static_cast<std::int32_t>(i * i % 7);
      squared_radius[i] = static_cast<double>(i % 5);
    }
    const BlockBasins basins(index, basin.data(), squared_radius.data(), two_threads.run);
    for (std::int32_t block = 0; block < index.blocks(); ++block) {
      std::vector<std::int32_t> seen;
      for (const BlockBasin& found : basins.of_block(block)) {
        CHECK(std::count(seen.begin(), seen.end(), found.basin) == 0);
        seen.push_back(found.basin);
        std::uint32_t lanes = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::int32_t i = index.block_begin(block); i < index.block_end(block); ++i) {
          if (basin[static_cast<std::size_t>(i)] != found.basin) continue;
          lanes |= std::uint32_t{1} << (i - index.block_begin(block));
          least = std::min(least, squared_radius[static_cast<std::size_t>(i)]);
        }
        CHECK(found.lanes == lanes);
        CHECK(found.least_squared_radius == least);
      }
      for (std::int32_t i = index.block_begin(block); i < index.block_end(block); ++i)
        CHECK(std::count(seen.begin(), seen.end(), basin[static_cast<std::size_t>(i)]) == 1);
    }
  }
}
