#pragma once

#include <nanobind/nanobind.h>

namespace quickshiftpp::bindings {

/// One function per stage; each registers what its header in quickshiftpp/ declares.
void register_neighbors(nanobind::module_& m);
void register_cascade(nanobind::module_& m);
void register_pixels(nanobind::module_& m);
void register_density(nanobind::module_& m);
void register_modes(nanobind::module_& m);
void register_ascent(nanobind::module_& m);
void register_cut(nanobind::module_& m);

}  // namespace quickshiftpp::bindings
