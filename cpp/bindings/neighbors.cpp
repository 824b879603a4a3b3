#include "quickshiftpp/search/neighbors.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

auto as_arrays(NeighborTable table, std::size_t samples) {
  return std::pair(to_matrix(std::move(table.distance), samples),
                   to_matrix(std::move(table.row), samples));
}

template <class T>
void declare_index(nb::module_& m, const char* name) {
  nb::class_<Index<T>>(m, name, "Samples in blocks, with a k-d tree over them or none.")
      .def(
          "__init__",
          [](Index<T>* self, Rows<T> x, bool tree, int threads, const nb::object& progress) {
            require(x.shape(0) >= 1 && x.shape(1) >= 1, "an index needs a sample and a column");
            require(x.shape(0) < (std::size_t{1} << 31) - 64,
                    "an index takes fewer than 2^31 samples");
            run_native(threads, progress, [&](const Run& run) {
              new (self) Index<T>(x.data(), x.shape(0), static_cast<int>(x.shape(1)), tree, run);
            });
          },
          "x"_a, "tree"_a, "threads"_a, "progress"_a = nb::none())
      .def_prop_ro("samples", &Index<T>::samples)
      .def_prop_ro("columns", &Index<T>::columns)
      .def_prop_ro("has_tree", &Index<T>::has_tree)
      .def(
          "rows",
          [](const Index<T>& index) {
            const auto columns = static_cast<std::size_t>(index.columns());
            Buffer<T> rows(index.samples() * columns);
            for (std::size_t i = 0; i < index.samples(); ++i) {
              const auto position = static_cast<std::int32_t>(i);
              index.gather(
                  position,
                  rows.data() + static_cast<std::size_t>(index.row_at(position)) * columns);
            }
            return to_matrix(std::move(rows), index.samples());
          },
          "The samples as they were given.")
      .def(
          "order",
          [](const Index<T>& index) {
            Buffer<std::int32_t> row(index.samples());
            for (std::size_t i = 0; i < row.size(); ++i)
              row[i] = index.row_at(static_cast<std::int32_t>(i));
            return to_array(std::move(row));
          },
          "The row of the sample at each position.");
  m.def(
      "neighbor_lists",
      [](const Index<T>& index, int k, int threads, const nb::object& progress, bool only_radii) {
        require(k >= 1 && static_cast<std::size_t>(k) <= index.samples(),
                "neighbor_lists needs 1 <= k <= samples");
        require(!only_radii || can_search_again(index), "these samples need their lists");
        return run_native(threads, progress, [&](const Run& run) {
          return new NeighborLists(neighbor_lists(index, k, run, only_radii));
        });
      },
      "index"_a, "k"_a, "threads"_a, "progress"_a = nb::none(), "only_radii"_a = false,
      nb::rv_policy::take_ownership);
  m.def(
      "visited_share",
      [](const Index<T>& index, int k, int threads) {
        require(k >= 1 && static_cast<std::size_t>(k) <= index.samples(),
                "visited_share needs 1 <= k <= samples");
        return run_native(threads, nb::none(),
                          [&](const Run& run) { return visited_share(index, k, run); });
      },
      "index"_a, "k"_a, "threads"_a,
      "The share of all pairs of blocks that the join for k neighbours looks at.");
  m.def(
      "first_neighbors",
      [](const Index<T>& index, const NeighborLists& lists, const std::vector<int>& ks,
         int threads) {
        require(!ks.empty() && std::is_sorted(ks.rbegin(), ks.rend()) && ks.back() >= 1 &&
                    ks.front() <= lists.k(),
                "first_neighbors needs descending k from the lists' own down to 1");
        require(lists.keeps_lists(), "there are no lists to shorten");
        return run_native(threads, nb::none(),
                          [&](const Run& run) { return lists.first(index, ks, run); });
      },
      "index"_a, "lists"_a, "ks"_a, "threads"_a, "The lists of the k nearest, for every k.");
  m.def(
      "neighbor_table",
      [](const Index<T>& index, int k, int threads, const nb::object& progress) {
        require(k >= 1 && static_cast<std::size_t>(k) <= index.samples(),
                "neighbor_table needs 1 <= k <= samples");
        return as_arrays(run_native(threads, progress,
                                    [&](const Run& run) { return neighbor_table(index, k, run); }),
                         index.samples());
      },
      "index"_a, "k"_a, "threads"_a, "progress"_a = nb::none(),
      "The k nearest of every sample, by row: distances and row numbers.");
  m.def(
      "list_table",
      [](const Index<T>& index, const NeighborLists& lists, int threads) {
        require(lists.keeps_lists(), "there are no lists to show");
        return as_arrays(
            run_native(threads, nb::none(),
                       [&](const Run& run) { return neighbor_table(index, lists, run); }),
            index.samples());
      },
      "index"_a, "lists"_a, "threads"_a, "Lists by row: distances and row numbers.");
  m.def(
      "coordinate_ranks",
      [](const Index<T>& index, int threads) {
        Buffer<std::int32_t> rank(index.samples()), first(index.samples());
        run_native(threads, nb::none(), [&](const Run&) {
          const Buffer<std::int32_t> sites = coordinate_order(index);
          std::size_t site = 0;
          for (std::size_t s = 0; s < sites.size(); ++s) {
            if (index.compare_coordinates(sites[site], sites[s]) != 0) site = s;
            const auto row = static_cast<std::size_t>(index.row_at(sites[s]));
            rank[row] = static_cast<std::int32_t>(site);
            first[row] = index.row_at(sites[site]);
          }
        });
        return std::pair(to_array(std::move(rank)), to_array(std::move(first)));
      },
      "index"_a, "threads"_a,
      "Each row's place in the order of coordinates, and the lowest row number that has the same.");
  m.def(
      "kth_squared_distances",
      [](const Index<T>& queries, const Index<T>& targets, int k, int threads,
         const nb::object& progress) {
        require(queries.columns() == targets.columns(), "queries and targets differ in columns");
        require(k >= 1 && static_cast<std::size_t>(k) <= targets.samples(),
                "kth_squared_distances needs 1 <= k <= targets");
        return to_array(run_native(threads, progress, [&](const Run& run) {
          const Buffer<double> kth = kth_squared_distances(queries, targets, k, run);
          return by_row<double>(queries, run, [&](std::int32_t i) { return kth[i]; });
        }));
      },
      "queries"_a, "targets"_a, "k"_a, "threads"_a, "progress"_a = nb::none());
}

}  // namespace

void register_neighbors(nb::module_& m) {
  nb::class_<NeighborLists>(m, "NeighborLists", "Each sample's k nearest, in the index's order.")
      .def_prop_ro("k", &NeighborLists::k)
      .def(
          "drop",
          [](NeighborLists& lists, int threads) {
            run_native(threads, nb::none(), [&](const Run& run) { lists.drop_lists(run); });
          },
          "threads"_a, "Free the lists and keep the radii.")
      .def(
          "squared_radii",
          [](const NeighborLists& lists) { return to_array(lists.share_squared_radii()); },
          "The squared distance to the last of each list, by position. Not to be written to.");
  declare_index<float>(m, "IndexFloat32");
  declare_index<double>(m, "IndexFloat64");
}

}  // namespace quickshiftpp::bindings
