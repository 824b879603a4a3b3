#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "quickshiftpp/tree/mode_tree.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

template <class T>
void declare_mode_tree(nb::module_& m) {
  m.def(
      "mode_tree",
      [](const Index<T>& index, const NeighborLists& lists, Parents& parents, NearBlocks* near,
         int threads, const nb::object& progress) {
        require(lists.samples() == index.samples() && parents.parent.size() == index.samples(),
                "the lists belong to another index");
        require(lists.keeps_lists() || can_search_again(index), "the lists were dropped");
        require(parents.next.size() == index.samples(), "a tree was made of these parents before");
        ModeTree tree = run_native(threads, progress, [&](const Run& run) {
          return mode_tree(index, lists, parents, near, run);
        });
        return std::tuple(to_array(tree.position), to_array(tree.saddle), to_array(tree.parent),
                          to_array(tree.size), to_array(std::move(tree.basin)));
      },
      "index"_a, "lists"_a, "parents"_a, "near"_a.none(), "threads"_a, "progress"_a = nb::none(),
      "Modes, saddles, parent modes, sizes, and each sample's basin, all by position.");
}

}  // namespace

void register_modes(nb::module_& m) {
  nb::class_<NearBlocks>(m, "NearBlocks",
                         "Which parts of the index are near each other, for trees of several k.")
      .def(nb::init<>());
  declare_mode_tree<float>(m);
  declare_mode_tree<double>(m);
}

}  // namespace quickshiftpp::bindings
