#pragma once

#include <nanobind/nanobind.h>

#include "quickshiftpp/ascent.hpp"
#include "quickshiftpp/buffer.hpp"

namespace quickshiftpp::bindings {

/// What the search for the nearest denser samples leaves for the later stages.
struct FoundParents {
  Parents by_position;
  Buffer<std::int32_t> row;  ///< the parents, by row
};

/// One function per stage; each registers what its header in quickshiftpp/ declares.
void register_neighbors(nanobind::module_& m);
void register_cascade(nanobind::module_& m);
void register_pixels(nanobind::module_& m);
void register_density(nanobind::module_& m);
void register_modes(nanobind::module_& m);
void register_ascent(nanobind::module_& m);

}  // namespace quickshiftpp::bindings
