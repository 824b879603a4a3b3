#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "quickshiftpp/kernels.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"
#include "stages.hpp"

NB_MODULE(_core, m) {
  namespace bindings = quickshiftpp::bindings;
  // A model that lives until the interpreter ends is no leak, but would be reported as one.
  nanobind::set_leak_warnings(false);
  m.doc() = "The native stages of quickshiftpp. Private: use the package's public names.";
  bindings::register_neighbors(m);
  bindings::register_cascade(m);
  bindings::register_density(m);
  bindings::register_modes(m);
  bindings::register_ascent(m);
  m.def("simd_level", &quickshiftpp::simd_level, "The instruction set in force.");
  m.def("default_threads", &quickshiftpp::default_threads,
        "The number of threads that OpenMP would use now; 1 in a build without OpenMP.");
  m.attr("TREE_SAMPLES") = quickshiftpp::tuning::kTreeSamples;
  m.attr("CASCADE_AXES") = quickshiftpp::tuning::kRefineAxes;
  m.attr("CASCADE_COLUMNS") = quickshiftpp::tuning::kCascadeColumns;
  m.attr("CASCADE_SAMPLES") = quickshiftpp::tuning::kCascadeSamples;
}
