#include "quickshiftpp/modes.hpp"

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

template <class T>
Array<std::int64_t> rows_of(const Index<T>& index, const std::vector<std::int32_t>& positions) {
  Buffer<std::int64_t> rows(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i)
    rows[i] = positions[i] < 0 ? -1 : index.original(positions[i]);
  return to_array(std::move(rows));
}

template <class T>
void declare_mode_tree(nb::module_& m) {
  m.def(
      "mode_tree",
      [](const Index<T>& index, const NeighborLists& lists, const FoundParents& parents,
         int threads, const nb::object& progress) {
        require(lists.samples() == index.samples() &&
                    parents.by_position.parent.size() == index.samples(),
                "the lists belong to another index");
        ModeTree tree;
        auto basin = run_native(threads, progress, [&](const Run& run) {
          tree = mode_tree(index, lists, parents.by_position, run);
          return by_row<std::int32_t>(index, run, [&](std::int32_t i) { return tree.basin[i]; });
        });
        return std::tuple(rows_of(index, tree.position), rows_of(index, tree.saddle),
                          to_array(tree.parent), to_array(tree.size), to_array(std::move(basin)));
      },
      "index"_a, "lists"_a, "parents"_a, "threads"_a, "progress"_a = nb::none(),
      "Modes' rows, saddles' rows, parent modes, sizes, and each row's basin.");
}

}  // namespace

void register_modes(nb::module_& m) {
  declare_mode_tree<float>(m);
  declare_mode_tree<double>(m);
}

}  // namespace quickshiftpp::bindings
