#pragma once

#include <nanobind/nanobind.h>

namespace quickshiftpp::bindings {

/// One function for each file of bindings; each registers what the headers of its stage declare.
void register_search(nanobind::module_& m);
void register_cascade(nanobind::module_& m);
void register_pixels(nanobind::module_& m);
void register_tree(nanobind::module_& m);

}  // namespace quickshiftpp::bindings
