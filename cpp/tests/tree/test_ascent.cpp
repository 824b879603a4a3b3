#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "quickshiftpp/search/join.hpp"
#include "samples.hpp"
#include "tree/ascent.hpp"

using namespace quickshiftpp;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

UphillLinks links_of(const Index<double>& index, const NeighborLists& lists, const Run& run) {
  const DensityOrder<double> order(index, lists.squared_radii());
  return find_uphill_links<double>(order, lists, index.value_ranges(lists.squared_radii(), run),
                                   nullptr, run);
}

/// Whether the links of two indexes over the same samples are equal, by row.
bool same_rows(const Index<double>& a, const Buffer<std::int32_t>& link_a, const Index<double>& b,
               const Buffer<std::int32_t>& link_b) {
  auto by_row = [](const Index<double>& index, const Buffer<std::int32_t>& link) {
    std::vector<std::int32_t> row(index.samples());
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(index.samples()); ++i) {
      const std::int32_t to = link[static_cast<std::size_t>(i)];
      row[static_cast<std::size_t>(index.row_at(i))] = to < 0 ? -1 : index.row_at(to);
    }
    return row;
  };
  return by_row(a, link_a) == by_row(b, link_b);
}

}  // namespace

TEST_CASE("find_uphill_links agrees with plain loops, from lists and from radii alone") {
  testing::TwoThreads two_threads;
  const std::size_t samples = 400;
  for (int grid : {0, 4, 40}) {
    const auto rows = testing::random_rows<double>(samples, 2, grid, 21);
    const Index<double> plain(rows.data(), samples, 2, false, two_threads.run);
    for (int k : {2, 5, 17}) {
      const NeighborLists lists = neighbor_lists(plain, k, two_threads.run);
      const UphillLinks links = links_of(plain, lists, two_threads.run);
      const double* squared_radius = lists.squared_radii();
      const DensityOrder<double> order(plain, squared_radius);
      bool is_right = true;
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i) {
        std::int32_t parent = -1, mutual = i, plateau = i;
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(samples); ++j) {
          auto is_better = [&](std::int32_t best) {
            const double old = best < 0 || best == i ? kInfinity : plain.squared_distance(i, best);
            const double squared = plain.squared_distance(i, j);
            return squared != old ? squared < old : order.is_denser(j, best);
          };
          const bool is_mutual =
              plain.squared_distance(i, j) <= std::min(squared_radius[i], squared_radius[j]);
          if (squared_radius[j] < squared_radius[i] && is_better(parent)) parent = j;
          if (squared_radius[j] < squared_radius[i] && is_mutual && is_better(mutual)) mutual = j;
          if (squared_radius[j] == squared_radius[i] && is_mutual && order.is_denser(j, plateau))
            plateau = j;
        }
        is_right &= links.parent[static_cast<std::size_t>(i)] == parent;
        if (squared_radius[i] == 0) continue;  // equal rows are linked separately
        is_right &=
            links.mutual_parent[static_cast<std::size_t>(i)] == (mutual != i ? mutual : plateau);
      }
      CHECK(is_right);
      const Index<double> tree(rows.data(), samples, 2, true, two_threads.run);
      for (bool only_radii : {false, true}) {
        const NeighborLists found = neighbor_lists(tree, k, two_threads.run, only_radii);
        const UphillLinks same = links_of(tree, found, two_threads.run);
        CHECK(same_rows(plain, links.parent, tree, same.parent));
        bool has_zeros =
            std::any_of(squared_radius, squared_radius + samples, [](double r) { return r == 0; });
        if (!has_zeros) CHECK(same_rows(plain, links.mutual_parent, tree, same.mutual_parent));
      }
    }
  }
}

TEST_CASE("find_uphill_links: a list prefix gives the links of a list of that length") {
  testing::TwoThreads two_threads;
  const std::size_t samples = 3000;
  for (int grid : {0, 9, 60}) {
    const auto rows = testing::random_rows<double>(samples, 2, grid, 33);
    const Index<double> index(rows.data(), samples, 2, true, two_threads.run);
    const NeighborLists longer = neighbor_lists(index, 12, two_threads.run);
    for (int k : {11, 8, 5, 2}) {
      const UphillLinks expected =
          links_of(index, neighbor_lists(index, k, two_threads.run), two_threads.run);
      const UphillLinks found =
          links_of(index, longer.prefix(index, k, two_threads.run), two_threads.run);
      CHECK(std::equal(found.parent.data(), found.parent.data() + samples, expected.parent.data()));
    }
  }
}
