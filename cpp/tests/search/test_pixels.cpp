#include <doctest/doctest.h>

#include <stdexcept>

#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/search/pixels.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

namespace {

/// Coordinates and random colors of all pixels that are not masked out.
template <class T>
std::vector<T> pixel_rows(const Grid& grid, int channels, int shades, unsigned seed) {
  const auto colors = testing::random_rows<T>(grid.pixels(), channels, shades, seed);
  std::vector<T> rows;
  for (std::size_t pixel = 0; pixel < grid.pixels(); ++pixel) {
    if (grid.mask != nullptr && grid.mask[pixel] == 0) continue;
    std::size_t below = grid.pixels(), rest = pixel;
    for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
      below /= static_cast<std::size_t>(grid.shape[axis]);
      rows.push_back(static_cast<T>(static_cast<double>(rest / below) * grid.step[axis]));
      rest %= below;
    }
    for (int c = 0; c < channels; ++c) rows.push_back(colors[pixel * channels + c]);
  }
  return rows;
}

}  // namespace

TEST_CASE_TEMPLATE("windows find what the tree finds", T, float, double) {
  testing::TwoThreads two_threads;
  std::vector<std::uint8_t> mask(7 * 9 * 11);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i * i % 7 < 4;
  const Grid grids[] = {{{40}, {1}},
                        {{1, 1}, {1, 1}},
                        {{23, 37}, {1, 1}},
                        {{37, 23}, {0.3, 2}},
                        {{7, 9, 11}, {3, 1, 1}},
                        {{7, 9, 11}, {1, 1, 1}, mask.data()},
                        // More axes than column sums.
                        {{2, 2, 1, 2, 2, 1, 3, 2, 5}, {0.3, 0.7, 1, 0.9, 0.1, 1, 0.4, 1.1, 0.6}}};
  for (const Grid& grid : grids) {
    for (int channels : {1, 2, 3, 9}) {  // 9: more columns than column sums
      for (int shades : {0, 1, 4, 256}) {
        const auto rows = pixel_rows<T>(grid, channels, shades, 5);
        const int columns = channels + static_cast<int>(grid.axes());
        const std::size_t samples = rows.size() / static_cast<std::size_t>(columns);
        const Index<T> index(rows.data(), samples, columns, true, two_threads.run);
        const Pixels<T> pixels(index, grid, two_threads.run);
        for (int k : {1, 6, 30, static_cast<int>(samples)}) {
          if (static_cast<std::size_t>(k) > samples) continue;
          const NeighborLists expected = neighbor_lists(index, k, two_threads.run);
          const NeighborLists found = pixels.neighbor_lists(k, two_threads.run);
          bool same = true;
          for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i) {
            same &= std::equal(found.positions(i), found.positions(i) + k, expected.positions(i));
            same &= found.squared_radii()[i] == expected.squared_radii()[i];
            same &= k == 1 || found.tied_beyond(i) == expected.tied_beyond(i);
          }
          CHECK(same);
        }
      }
    }
  }
}

TEST_CASE("window_size: a disc about each pixel, and nothing beyond what it is asked for") {
  testing::TwoThreads two_threads;
  const Grid grid{{60, 60}, {1, 1}};
  const auto rows = pixel_rows<float>(grid, 1, 1, 0);
  const Index<float> index(rows.data(), grid.pixels(), 3, true, two_threads.run);
  const Pixels<float> pixels(index, grid, two_threads.run);
  const double size = pixels.window_size(50, 1e9, two_threads.run);
  CHECK(size > 50);
  CHECK(size < 1000);
  CHECK(pixels.window_size(50, size / 4, two_threads.run) ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("a grid that is not that of the samples is refused") {
  testing::TwoThreads two_threads;
  const Grid grid{{5, 4}, {1, 1}};
  const auto rows = pixel_rows<double>(grid, 1, 3, 1);
  const Index<double> index(rows.data(), grid.pixels(), 3, true, two_threads.run);
  CHECK_THROWS_AS(Pixels<double>(index, Grid{{4, 5}, {1, 1}}, two_threads.run),
                  std::invalid_argument);
  CHECK_THROWS_AS(Pixels<double>(index, Grid{{5, 4}, {1, 2}}, two_threads.run),
                  std::invalid_argument);
  CHECK_THROWS_AS(Pixels<double>(index, Grid{{5, 5}, {1, 1}}, two_threads.run),
                  std::invalid_argument);
}
