#pragma once

#include <nanobind/nanobind.h>

namespace quickshiftpp::bindings {

/// Each function is defined in the bindings file of its name and registers the classes and
/// functions of that stage.
void register_search(nanobind::module_& m);
void register_matrix(nanobind::module_& m);
void register_cascade(nanobind::module_& m);
void register_pixels(nanobind::module_& m);
void register_tree(nanobind::module_& m);

}  // namespace quickshiftpp::bindings
