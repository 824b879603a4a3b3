#include <doctest/doctest.h>

#include <vector>

#include "quickshiftpp/cascade.hpp"
#include "samples.hpp"

using namespace quickshiftpp;

namespace {

/// The columns themselves are orthogonal axes; halved, they lengthen nothing either.
template <class T>
std::vector<float> first_columns(const std::vector<T>& rows, std::size_t samples, int columns,
                                 int axes) {
  std::vector<float> coordinates;
  for (std::size_t i = 0; i < samples; ++i)
    for (int a = 0; a < axes; ++a)
      coordinates.push_back(static_cast<float>(rows[i * columns + a]) / 2);
  return coordinates;
}

}  // namespace

TEST_CASE_TEMPLATE("a cascade finds what brute force finds", T, float, double) {
  testing::Bench bench;
  const std::size_t samples = 500;
  for (int grid : {0, 2, 5}) {
    for (int columns : {1, 9, 60}) {
      const auto rows = testing::random_rows<T>(samples, columns, grid, 11 + columns);
      const Index<T> index(rows.data(), samples, columns, false, bench.run);
      for (int axes : {1, columns / 2 + 1, columns}) {
        const auto coordinates = first_columns(rows, samples, columns, axes);
        const Cascade<T> cascade(index, rows.data(), {coordinates.data(), axes, 0.5, 1e-5},
                                 bench.run);
        for (int k : {1, 6, 70, 499}) {
          const NeighborLists expected = neighbor_lists(index, k, bench.run);
          const NeighborLists lists = cascade.neighbor_lists(k, bench.run);
          bool same = true;
          for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i) {
            same &= lists.squared_radii()[i] == expected.squared_radii()[i];
            if (lists.squared_radii()[i] == 0) continue;  // any of the equal rows will do
            same &= lists.tied_beyond(i) == expected.tied_beyond(i);
            for (int c = 0; c < k; ++c) same &= lists.positions(i)[c] == expected.positions(i)[c];
          }
          CHECK(same);
          const auto parents = denser_parents<T>(index, expected, nullptr, bench.run);
          const auto found = denser_parents<T>(index, expected, &cascade, bench.run);
          same = true;
          for (std::size_t i = 0; i < samples; ++i) same &= parents.parent[i] == found.parent[i];
          CHECK(same);
        }
      }
    }
  }
}
