#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "quickshiftpp/positions.hpp"
#include "quickshiftpp/tree/cut.hpp"
#include "quickshiftpp/tree/density.hpp"
#include "quickshiftpp/tree/links.hpp"
#include "quickshiftpp/tree/mode_tree.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

using Numbers = Array<std::int32_t>;
/// For properties whose arrays know their owner.
constexpr auto kOwned = nb::rv_policy::automatic;
using Positions = std::optional<Column<std::int32_t>>;
using TreeState = std::tuple<Column<std::int32_t>, Column<double>, Column<std::int32_t>,
                             Column<std::int32_t>, Column<std::int32_t>, Column<std::int32_t>,
                             Column<std::int32_t>, Column<std::int64_t>>;

/// value(i) at some positions, by row where none are given.
template <class Value>
Buffer<std::int32_t> at(const Positions& wanted, const ModeTree& tree, Value&& value,
                        const Run& run) {
  if (!wanted) return by_row<std::int32_t>(*tree.row_at_position, value, run);
  Buffer<std::int32_t> out(wanted->shape(0));
  const std::int32_t* position = aligned_data(*wanted);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto p = static_cast<std::size_t>(position[i]);
    require(p < tree.samples(), "a position must be from 0 to the number of samples less one");
    out[i] = value(p);
  }
  return out;
}

template <class T>
void declare_building(nb::module_& m) {
  m.def(
      "build_mode_tree",
      [](const Index<T>& index, const NeighborLists& lists, const Cascade<T>* cascade, int threads,
         const nb::object& progress) {
        require_lists_of(index, lists);
        require(cascade == nullptr || &cascade->index() == &index,
                "the cascade belongs to another index");
        require(lists.has_lists() || can_skip_lists(index), "these samples need their lists");
        return run_native(threads, progress, [&](const Run& run) {
          return new ModeTree(build_mode_tree(index, lists, cascade, run));
        });
      },
      "index"_a, "lists"_a, "cascade"_a.none(), "threads"_a, "progress"_a = nb::none(),
      nb::rv_policy::take_ownership, "Radii, parents, basins, modes and saddles for one k.");
  m.def(
      "log_radius_sum",
      [](const Index<T>& index, const NeighborLists& lists, int threads) {
        require_lists_of(index, lists);
        require(lists.has_lists(), "there are no lists to sum over");
        const LogRadiusSum total = run_native(
            threads, nb::none(), [&](const Run& run) { return log_radius_sum(index, lists, run); });
        return std::pair(total.sum, total.count);
      },
      "index"_a, "lists"_a, "threads"_a, "Sum and number of log(r_k / r_j) over all neighbors.");
  m.def(
      "gaussian_sums",
      [](const Index<T>& index, double rate, int threads, const nb::object& progress) {
        require(rate > 0 && std::isfinite(rate), "gaussian_sums needs a positive, finite rate");
        return to_array(run_native(threads, progress, [&](const Run& run) {
          const Buffer<double> sums = gaussian_sums(index, rate, run);
          return by_row<double>(
              *index.share_row_at_position(), [&](std::size_t i) { return sums[i]; }, run);
        }));
      },
      "index"_a, "rate"_a, "threads"_a, "progress"_a = nb::none(),
      "For each sample the sum over all samples of exp(-rate * squared distance).");
}

nb::tuple state_of(nb::handle_t<ModeTree> self) {
  auto get = [&](const char* name) { return self.attr(name); };
  return nb::make_tuple(get("row_at_position"), get("squared_radii"), get("parents"), get("basins"),
                        get("mode_positions"), get("saddle_positions"), get("parent_modes"),
                        get("sizes"));
}

template <class T>
std::vector<T> to_vector(const Column<T>& column) {
  const Buffer<T> copy = to_buffer(column);
  return {copy.data(), copy.data() + copy.size()};
}

ModeTree from_state(const TreeState& state) {
  const auto& [rows, radii, parents, basins, modes, saddles, parent_modes, sizes] = state;
  ModeTree tree{.row_at_position = std::make_shared<const RowAtPosition>(to_buffer(rows)),
                .squared_radius = std::make_shared<const Buffer<double>>(to_buffer(radii)),
                .parent = to_buffer(parents),
                .basin = to_buffer(basins),
                .mode_position = to_vector(modes),
                .saddle_position = to_vector(saddles),
                .parent_mode = to_vector(parent_modes),
                .size = to_vector(sizes)};
  check_structure(tree);
  return tree;
}

/// A view of an array that the tree owns.
template <class T>
auto view(const T* data, std::size_t size, nb::handle owner) {
  return Array<const T>(data, {size}, owner);
}

auto cut_tree(const ModeTree& tree, double max_ratio, std::int64_t min_cluster_size, int threads,
              const Positions& wanted) {
  require(max_ratio >= 1 && std::isfinite(max_ratio), "max_ratio must be finite and at least 1");
  Buffer<std::int32_t> label;
  const Clustering found = run_native(threads, nb::none(), [&](const Run& run) {
    Clustering clustering = cut(tree, max_ratio, min_cluster_size, run);
    label = at(wanted, tree, [&](std::size_t i) { return clustering.label[i]; }, run);
    return clustering;
  });
  Buffer<std::int32_t> core(tree.modes());
  Buffer<double> core_squared_radius(tree.modes());
  std::transform(found.basin_core.begin(), found.basin_core.end(), core.data(),
                 [](const BasinCore& basin) { return basin.label; });
  std::transform(found.basin_core.begin(), found.basin_core.end(), core_squared_radius.data(),
                 [](const BasinCore& basin) { return basin.squared_radius; });
  return std::tuple(to_array(std::move(label)), to_array(found.mode), to_array(found.size),
                    to_array(std::move(core)), to_array(std::move(core_squared_radius)));
}

Numbers core_labels(const ModeTree& tree, const Column<std::int32_t>& core,
                    const Column<double>& core_squared_radius, int threads,
                    const Positions& wanted) {
  require(core.shape(0) == tree.modes() && core_squared_radius.shape(0) == tree.modes(),
          "one entry per mode");
  const std::int32_t* basin_core = aligned_data(core);
  const double* basin_core_radius = aligned_data(core_squared_radius);
  auto core_label = [&](std::size_t i) {
    const std::int32_t m = tree.basin[i];
    return BasinCore{basin_core[m], basin_core_radius[m]}.core_label((*tree.squared_radius)[i]);
  };
  return to_array(run_native(threads, nb::none(),
                             [&](const Run& run) { return at(wanted, tree, core_label, run); }));
}

void declare_tree(nb::module_& m) {
  nb::class_<ModeTree>(m, "ModeTree", "The modes and saddles of one k, and every sample's parent.")
      .def_prop_ro("n_samples", &ModeTree::samples)
      .def_prop_ro("n_modes", &ModeTree::modes)
      .def_prop_ro(
          "row_at_position", [](const ModeTree& tree) { return to_array(tree.row_at_position); },
          kOwned)
      .def_prop_ro(
          "squared_radii", [](const ModeTree& tree) { return to_array(tree.squared_radius); },
          kOwned, "By position.")
      .def_prop_ro(
          "parents",
          [](nb::handle_t<ModeTree> self) {
            const auto& tree = nb::cast<const ModeTree&>(self);
            return view(tree.parent.data(), tree.samples(), self);
          },
          kOwned, "By position, and so are the parents that it names; -1 for none.")
      .def_prop_ro(
          "basins",
          [](nb::handle_t<ModeTree> self) {
            const auto& tree = nb::cast<const ModeTree&>(self);
            return view(tree.basin.data(), tree.samples(), self);
          },
          kOwned, "The mode of each sample, by position.")
      .def_prop_ro(
          "mode_positions", [](const ModeTree& tree) { return to_array(tree.mode_position); },
          kOwned)
      .def_prop_ro(
          "saddle_positions", [](const ModeTree& tree) { return to_array(tree.saddle_position); },
          kOwned)
      .def_prop_ro(
          "parent_modes", [](const ModeTree& tree) { return to_array(tree.parent_mode); }, kOwned)
      .def_prop_ro(
          "sizes", [](const ModeTree& tree) { return to_array(tree.size); }, kOwned)
      .def(
          "saddle_ratios", [](const ModeTree& tree) { return to_array(tree.saddle_ratios()); },
          "The quotient of squared radii, saddle over mode; infinity for a mode that never merges.")
      .def(
          "squared_radii_by_row",
          [](const ModeTree& tree, int threads) {
            return to_array(run_native(threads, nb::none(), [&](const Run& run) {
              return by_row<double>(
                  *tree.row_at_position, [&](std::size_t i) { return (*tree.squared_radius)[i]; },
                  run);
            }));
          },
          "threads"_a)
      .def(
          "parents_by_row",
          [](const ModeTree& tree, int threads) {
            return to_array(run_native(threads, nb::none(), [&](const Run& run) {
              return links_by_row(*tree.row_at_position, tree.parent.data(), run);
            }));
          },
          "threads"_a, "The row of every sample's parent, by row; -1 for none.")
      .def("cut", &cut_tree, "max_ratio"_a, "min_cluster_size"_a, "threads"_a,
           "positions"_a.none() = nb::none(),
           "Labels, by row or at some positions; the mode and the size of each cluster; for each "
           "mode the core that its basin lies in, -1 for none, and the largest squared radius "
           "inside it.")
      .def("core_labels", &core_labels, "core"_a, "core_squared_radius"_a, "threads"_a,
           "positions"_a.none() = nb::none(),
           "The core that each sample lies in, -1 for none, by row or at some positions.")
      .def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def("__setstate__",
           [](ModeTree& self, const TreeState& state) { new (&self) ModeTree(from_state(state)); });
}

}  // namespace

void register_tree(nb::module_& m) {
  declare_tree(m);
  declare_building<float>(m);
  declare_building<double>(m);
  m.def(
      "link_roots",
      [](Column<std::int32_t> link, int threads) {
        const std::int32_t* links = aligned_data(link);
        return to_array(run_native(threads, nb::none(), [&](const Run& run) {
          return link_roots(links, link.shape(0), run);
        }));
      },
      "link"_a, "threads"_a, "The entry that each entry's links lead to; a root links to itself.");
}

}  // namespace quickshiftpp::bindings
