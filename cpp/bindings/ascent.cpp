#include "quickshiftpp/ascent.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "quickshiftpp/cascade.hpp"
#include "quickshiftpp/forest.hpp"
#include "stages.hpp"

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
    const NearestBelow<T> search(targets, key_by_position.data());
    parallel_for(run, queries.samples(), 64, [&](std::size_t begin, std::size_t end, int) {
      std::vector<double> point(static_cast<std::size_t>(queries.columns()));
      for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
        const auto out = static_cast<std::size_t>(queries.original(i));
        queries.gather(i, point.data());
        const Found found =
            search.from_point(point.data(), is_self ? i / tuning::kBlock : -1, limit.data()[out]);
        row[out] = found.position < 0 ? -1 : targets.original(found.position);
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
        return run_native(threads, progress, [&](const Run& run) {
          Parents found = denser_parents(index, lists, cascade, run);
          auto rows = by_row<std::int32_t>(index, run, [&](std::int32_t i) {
            return found.parent[i] < 0 ? -1 : index.original(found.parent[i]);
          });
          return new FoundParents{std::move(found), std::move(rows)};
        });
      },
      "index"_a, "lists"_a, "cascade"_a.none(), "threads"_a, "progress"_a = nb::none(),
      nb::rv_policy::take_ownership);
  m.def("nearest_below", &nearest_below<T>, "queries"_a, "targets"_a, "key"_a, "limit"_a,
        "threads"_a, "progress"_a = nb::none(),
        "For each query the nearest target whose key is below the query's limit: row, -1 for none, "
        "and squared distance.");
}

std::tuple<Array<std::int32_t>, Array<std::int32_t>, Array<std::int32_t>> cut(
    Column<std::int32_t> basin, Column<double> squared_radius, Column<std::int32_t> parent,
    Column<std::int64_t> mode_sample, Column<double> saddle_squared_radius,
    Column<std::int32_t> mode_parent, double ratio, std::size_t min_cluster_size, int threads) {
  const std::size_t n = basin.shape(0), modes = mode_sample.shape(0);
  require(squared_radius.shape(0) == n && parent.shape(0) == n, "one entry per sample");
  require(saddle_squared_radius.shape(0) == modes && mode_parent.shape(0) == modes,
          "one entry per mode");
  const Cut input{basin.data(),       squared_radius.data(),        parent.data(),      n,
                  mode_sample.data(), saddle_squared_radius.data(), mode_parent.data(), modes};
  Buffer<std::int32_t> label(n), core_label(n);
  const std::vector<std::int32_t> cores = run_native(threads, nb::none(), [&](const Run& run) {
    return cut_labels(input, ratio, min_cluster_size, label.data(), core_label.data(), run);
  });
  return {to_array(std::move(label)), to_array(std::move(core_label)), to_array(cores)};
}

}  // namespace

void register_ascent(nb::module_& m) {
  nb::class_<FoundParents>(m, "Parents", "Each sample's nearest denser sample.")
      .def(
          "take_rows", [](FoundParents& parents) { return to_array(std::move(parents.row)); },
          "The row numbers, by row, -1 for none; to be asked for once.");
  declare_ascent<float>(m);
  declare_ascent<double>(m);
  m.def("cut_labels", &cut, "basin"_a, "squared_radius"_a, "parent"_a, "mode_sample"_a,
        "saddle_squared_radius"_a, "mode_parent"_a, "ratio"_a, "min_cluster_size"_a, "threads"_a,
        "Labels, core labels, and the mode of each label.");
  m.def(
      "forest_roots",
      [](Column<std::int32_t> up, int threads) {
        Buffer<std::int32_t> root(up.shape(0));
        for (std::size_t i = 0; i < root.size(); ++i) {
          require(up.data()[i] >= 0 && static_cast<std::size_t>(up.data()[i]) < root.size(),
                  "forest_roots needs row numbers");
          root[i] = up.data()[i];
        }
        run_native(threads, nb::none(),
                   [&](const Run& run) { resolve_roots(root.data(), root.size(), run); });
        return to_array(std::move(root));
      },
      "up"_a, "threads"_a, "The root that each entry leads to; a root points to itself.");
}

}  // namespace quickshiftpp::bindings
