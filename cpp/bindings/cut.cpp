#include "quickshiftpp/tree/cut.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>

#include "arrays.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

using Numbers = Array<std::int32_t>;
using Positions = std::optional<Column<std::int32_t>>;

/// value(i) at some positions i.
template <class Value>
Buffer<std::int32_t> at(const Column<std::int32_t>& position, Value&& value) {
  Buffer<std::int32_t> out(position.shape(0));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(position.data()[i]);
  return out;
}

std::tuple<Numbers, Numbers, Array<std::int64_t>, Numbers, Array<double>> cut(
    const Column<std::int32_t>& row, const Column<std::int32_t>& basin,
    const Column<double>& squared_radius, const Column<std::int32_t>& parent,
    const Column<std::int32_t>& mode_sample, const Column<double>& saddle_squared_radius,
    const Column<std::int32_t>& mode_parent, double ratio, std::int64_t min_cluster_size,
    int threads, const Positions& wanted) {
  const std::size_t n = basin.shape(0), modes = mode_sample.shape(0);
  require(row.shape(0) == n && squared_radius.shape(0) == n && parent.shape(0) == n,
          "one entry per sample");
  require(saddle_squared_radius.shape(0) == modes && mode_parent.shape(0) == modes,
          "one entry per mode");
  const Cut input{basin.data(),
                  squared_radius.data(),
                  parent.data(),
                  wanted ? nullptr : row.data(),
                  n,
                  mode_sample.data(),
                  saddle_squared_radius.data(),
                  mode_parent.data(),
                  modes};
  Buffer<std::int32_t> label(n);
  const Clusters clusters = run_native(threads, nb::none(), [&](const Run& run) {
    Clusters found = cut_labels(input, ratio, min_cluster_size, label.data(), run);
    if (wanted)
      label = at(*wanted, [&](std::int32_t i) { return label[static_cast<std::size_t>(i)]; });
    return found;
  });
  Buffer<std::int32_t> core(modes);
  Buffer<double> core_squared_radius(modes);
  for (std::size_t m = 0; m < modes; ++m) {
    core[m] = clusters.basins[m].label;
    core_squared_radius[m] = clusters.basins[m].squared_radius;
  }
  return {to_array(std::move(label)), to_array(clusters.mode), to_array(clusters.size),
          to_array(std::move(core)), to_array(std::move(core_squared_radius))};
}

Numbers core_labels(const Column<std::int32_t>& row, const Column<std::int32_t>& basin,
                    const Column<double>& squared_radius, const Column<std::int32_t>& core,
                    const Column<double>& core_squared_radius, int threads,
                    const Positions& wanted) {
  require(row.shape(0) == basin.shape(0) && squared_radius.shape(0) == basin.shape(0),
          "one entry per sample");
  require(core.shape(0) == core_squared_radius.shape(0), "one entry per mode");
  auto core_label = [&](std::int32_t i) {
    const std::int32_t m = basin.data()[i];
    return BasinRule{core.data()[m], core_squared_radius.data()[m]}.core_label(
        squared_radius.data()[i]);
  };
  return to_array(run_native(threads, nb::none(), [&](const Run& run) {
    return wanted ? at(*wanted, core_label) : by_row<std::int32_t>(row, run, core_label);
  }));
}

}  // namespace

void register_cut(nb::module_& m) {
  m.def("cut_labels", &cut, "row"_a, "basin"_a, "squared_radius"_a, "parent"_a, "mode_sample"_a,
        "saddle_squared_radius"_a, "mode_parent"_a, "ratio"_a, "min_cluster_size"_a, "threads"_a,
        "wanted"_a.none() = nb::none(),
        "Labels by row or at the wanted positions; the mode and the size of each cluster; for each "
        "mode the core that its basin belongs to, -1 for none, and the largest squared radius "
        "inside.");
  m.def("core_labels", &core_labels, "row"_a, "basin"_a, "squared_radius"_a, "core"_a,
        "core_squared_radius"_a, "threads"_a, "wanted"_a.none() = nb::none(),
        "The core that each sample lies in, -1 for none, by row or at the wanted positions, from "
        "what cut_labels tells of each mode.");
  m.def(
      "values_by_row",
      [](const Column<std::int32_t>& row, const Column<double>& value, int threads) {
        require(row.shape(0) == value.shape(0), "one entry per sample");
        return to_array(run_native(threads, nb::none(), [&](const Run& run) {
          return by_row<double>(row, run, [&](std::int32_t i) { return value.data()[i]; });
        }));
      },
      "row"_a, "value"_a, "threads"_a, "Values by position into values by row.");
  m.def(
      "links_by_row",
      [](const Column<std::int32_t>& row, const Column<std::int32_t>& link, int threads) {
        require(row.shape(0) == link.shape(0), "one entry per sample");
        return to_array(run_native(threads, nb::none(), [&](const Run& run) {
          return by_row<std::int32_t>(row, run, [&](std::int32_t i) {
            const std::int32_t to = link.data()[i];
            return to < 0 ? -1 : row.data()[to];
          });
        }));
      },
      "row"_a, "link"_a, "threads"_a,
      "Positions of other samples (-1 for none) by position into their rows by row.");
}

}  // namespace quickshiftpp::bindings
