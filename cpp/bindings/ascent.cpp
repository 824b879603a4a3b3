#include "quickshiftpp/tree/ascent.hpp"

#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "quickshiftpp/search/cascade.hpp"
#include "stages.hpp"
#include "support/paths.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

using Nearest = std::pair<Array<std::int32_t>, Array<double>>;

/// The nearest sample below its limit for every query, which is a sample of `queries`.
template <class T>
Nearest nearest_below(const Index<T>& queries, const Index<T>& targets, Column<double> key,
                      Column<double> limit, int threads, const nb::object& progress) {
  require(queries.columns() == targets.columns(), "queries and targets differ in columns");
  require(key.shape(0) == targets.samples(), "one key per target");
  require(limit.shape(0) == queries.samples(), "one limit per query");
  const bool is_self = &queries == &targets;
  Buffer<std::int32_t> row(queries.samples());
  Buffer<double> squared(queries.samples());
  run_native(threads, progress, [&](const Run& run) {
    const Buffer<double> key_by_position = by_position(targets, key.data(), run);
    const NearestBelow<T> search(targets, key_by_position.data(), run);
    parallel_for(run, queries.samples(), 64, [&](std::size_t begin, std::size_t end, int) {
      std::vector<double> point(static_cast<std::size_t>(queries.columns()));
      for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
        const auto out = static_cast<std::size_t>(queries.row_at(i));
        queries.gather(i, point.data());
        const Found found =
            search.from_point(point.data(), is_self ? i / tuning::kBlock : -1, limit.data()[out]);
        row[out] = found.position < 0 ? -1 : targets.row_at(found.position);
        squared[out] = found.squared_distance;
      }
    });
  });
  return {to_array(std::move(row)), to_array(std::move(squared))};
}

template <class T>
void declare_ascent(nb::module_& m) {
  m.def(
      "denser_parents",
      [](const Index<T>& index, const NeighborLists& lists, const Cascade<T>* cascade, int threads,
         const nb::object& progress) {
        require(lists.samples() == index.samples(), "the lists belong to another index");
        require(lists.keeps_lists() || can_search_again(index), "the lists were dropped");
        return run_native(threads, progress, [&](const Run& run) {
          return new Parents(denser_parents(index, lists, cascade, run));
        });
      },
      "index"_a, "lists"_a, "cascade"_a.none(), "threads"_a, "progress"_a = nb::none(),
      nb::rv_policy::take_ownership);
  m.def("nearest_below", &nearest_below<T>, "queries"_a, "targets"_a, "key"_a, "limit"_a,
        "threads"_a, "progress"_a = nb::none(),
        "For each query the nearest target whose key is below the query's limit: row, -1 for none, "
        "and squared distance.");
}

}  // namespace

void register_ascent(nb::module_& m) {
  nb::class_<Parents>(m, "Parents", "Each sample's nearest denser sample.")
      .def(
          "take_positions", [](Parents& parents) { return to_array(std::move(parents.parent)); },
          "By position, -1 for none; to be asked for once, after all else.");
  declare_ascent<float>(m);
  declare_ascent<double>(m);
  m.def(
      "forest_roots",
      [](Column<std::int32_t> up, int threads) {
        Buffer<std::int32_t> path(up.shape(0));
        for (std::size_t i = 0; i < path.size(); ++i) {
          path[i] = up.data()[i];
          require(path[i] >= 0 && static_cast<std::size_t>(path[i]) < path.size(),
                  "forest_roots needs row numbers");
        }
        return to_array(run_native(
            threads, nb::none(), [&](const Run& run) { return find_roots(std::move(path), run); }));
      },
      "up"_a, "threads"_a, "The root that each entry leads to; a root points to itself.");
}

}  // namespace quickshiftpp::bindings
