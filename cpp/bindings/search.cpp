#include <nanobind/stl/pair.h>

#include <limits>

#include "arrays.hpp"
#include "quickshiftpp/positions.hpp"
#include "quickshiftpp/search/coordinates.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/search/nearest_below.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

template <class T>
void declare_index(nb::module_& m, const char* name) {
  nb::class_<Index<T>>(m, name, "Samples in blocks, with a k-d tree over them or none.")
      .def(
          "__init__",
          [](Index<T>* self, Rows<T> x, bool tree, int threads, const nb::object& progress) {
            require_samples(x);
            const T* rows = aligned_data(x);
            require_moderate_values(rows, x.size(), threads);
            run_native(threads, progress, [&](const Run& run) {
              new (self) Index<T>(rows, x.shape(0), static_cast<int>(x.shape(1)), tree, run);
            });
          },
          "x"_a, "tree"_a, "threads"_a, "progress"_a = nb::none())
      .def_prop_ro("samples", &Index<T>::samples)
      .def_prop_ro("columns", &Index<T>::columns)
      .def_prop_ro("has_tree", &Index<T>::has_tree)
      .def(
          "rows",
          [](const Index<T>& index, int threads) {
            Buffer<T> rows(index.samples() * static_cast<std::size_t>(index.columns()));
            run_native(threads, nb::none(),
                       [&](const Run& run) { index.copy_rows(rows.data(), run); });
            return to_matrix(std::move(rows), index.samples());
          },
          "threads"_a, "The samples as they were given.")
      .def_prop_ro(
          "row_at_position",
          [](const Index<T>& index) { return to_array(index.share_row_at_position()); },
          nb::rv_policy::automatic, "The row of the sample at each position.");
}

template <class T>
void declare_join(nb::module_& m) {
  m.def(
      "neighbor_lists",
      [](const Index<T>& index, int k, int threads, const nb::object& progress, bool only_radii) {
        require_k(index, k);
        require(!only_radii || can_skip_lists(index), "these samples need their lists");
        return run_native(threads, progress, [&](const Run& run) {
          return new NeighborLists(neighbor_lists(index, k, run, only_radii));
        });
      },
      "index"_a, "k"_a, "threads"_a, "progress"_a = nb::none(), "only_radii"_a = false,
      nb::rv_policy::take_ownership, "The k nearest samples of every sample.");
  m.def(
      "list_prefix",
      [](const Index<T>& index, const NeighborLists& lists, int k, int threads) {
        require_lists_of(index, lists);
        require(lists.has_lists(), "there are no lists to shorten");
        require(k >= 1 && k <= lists.k(), "a prefix is no longer than the list");
        return run_native(threads, nb::none(), [&](const Run& run) {
          return new NeighborLists(lists.prefix(index, k, run));
        });
      },
      "index"_a, "lists"_a, "k"_a, "threads"_a, nb::rv_policy::take_ownership,
      "The lists for a smaller k.");
  m.def(
      "visited_share",
      [](const Index<T>& index, int k, int threads) {
        require_k(index, k);
        return run_native(threads, nb::none(),
                          [&](const Run& run) { return visited_share(index, k, run); });
      },
      "index"_a, "k"_a, "threads"_a,
      "The share of all pairs of blocks that the join for k neighbors visits.");
  m.def(
      "neighbor_table",
      [](const Index<T>& index, int k, int threads, const nb::object& progress) {
        require_k(index, k);
        return to_arrays(run_native(threads, progress,
                                    [&](const Run& run) { return neighbor_table(index, k, run); }),
                         index.samples());
      },
      "index"_a, "k"_a, "threads"_a, "progress"_a = nb::none(),
      "The k nearest of every sample, by row: distances and row numbers.");
  m.def(
      "list_table",
      [](const Index<T>& index, const NeighborLists& lists, int threads) {
        require_lists_of(index, lists);
        require(lists.has_lists(), "there are no lists to show");
        return to_arrays(
            run_native(threads, nb::none(),
                       [&](const Run& run) { return neighbor_table(index, lists, run); }),
            index.samples());
      },
      "index"_a, "lists"_a, "threads"_a, "Lists by row: distances and row numbers.");
}

template <class T>
void declare_queries(nb::module_& m) {
  m.def(
      "kth_squared_distances",
      [](const Index<T>& queries, const Index<T>& targets, int k, int threads,
         const nb::object& progress) {
        require_same_columns(queries, targets);
        require_k(targets, k);
        return to_array(run_native(threads, progress, [&](const Run& run) {
          const Buffer<double> kth = kth_squared_distances(queries, targets, k, run);
          return by_row<double>(
              *queries.share_row_at_position(), [&](std::size_t i) { return kth[i]; }, run);
        }));
      },
      "queries"_a, "targets"_a, "k"_a, "threads"_a, "progress"_a = nb::none(),
      "The squared distance from each query to its k-th nearest target.");
  m.def(
      "nearest_below",
      [](const Index<T>& queries, const Index<T>& targets, const Column<double>& key,
         const Column<double>& limit, int threads, const nb::object& progress) {
        require_same_columns(queries, targets);
        require(key.shape(0) == targets.samples(), "one key per target");
        require(limit.shape(0) == queries.samples(), "one limit per query");
        const double* keys = aligned_data(key);
        const double* limits = aligned_data(limit);
        NearestRows nearest = run_native(threads, progress, [&](const Run& run) {
          return nearest_below(queries, targets, keys, limits, run);
        });
        return std::pair(to_array(std::move(nearest.row)),
                         to_array(std::move(nearest.squared_distance)));
      },
      "queries"_a, "targets"_a, "key"_a, "limit"_a, "threads"_a, "progress"_a = nb::none(),
      "For each query the nearest target whose key is below the query's limit: row, -1 for none, "
      "and squared distance. Equal distances: the smaller key, then the smaller coordinates.");
}

template <class T>
void declare_coordinates(nb::module_& m) {
  m.def(
      "coordinate_hashes",
      [](const Rows<T>& x, int threads) {
        const T* rows = aligned_data(x);
        return to_array(run_native(threads, nb::none(), [&](const Run& run) {
          return coordinate_hashes(rows, x.shape(0), static_cast<int>(x.shape(1)), run);
        }));
      },
      "x"_a, "threads"_a, "A hash of each row's values.");
  m.def(
      "are_finite",
      [](const Rows<T>& x, int threads) {
        const T* values = aligned_data(x);
        return run_native(threads, nb::none(), [&](const Run& run) {
          return are_below(values, x.size(), std::numeric_limits<double>::infinity(), run);
        });
      },
      "x"_a, "threads"_a, "Whether all values are finite.");
}

}  // namespace

void register_search(nb::module_& m) {
  nb::class_<NeighborLists>(m, "NeighborLists", "Each sample's k nearest samples, by position.")
      .def_prop_ro("k", &NeighborLists::k);
  declare_index<float>(m, "IndexFloat32");
  declare_index<double>(m, "IndexFloat64");
  declare_join<float>(m);
  declare_join<double>(m);
  declare_queries<float>(m);
  declare_queries<double>(m);
  declare_coordinates<float>(m);
  declare_coordinates<double>(m);
}

}  // namespace quickshiftpp::bindings
