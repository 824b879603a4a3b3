#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>

#include "kernels/kernels.hpp"
#include "quickshiftpp/tuning.hpp"
#include "stages.hpp"
#include "support/error_bounds.hpp"

namespace {

/// The number of threads for those who ask for none in particular. It belongs to the process, as
/// with the other libraries that threadpoolctl limits.
std::atomic<int> default_threads{1};

}  // namespace

// Exported by name: threadpoolctl finds and calls them in the shared library.
#define QSPP_EXPORT extern "C" __attribute__((visibility("default")))
QSPP_EXPORT int quickshiftpp_get_num_threads() { return default_threads.load(); }
QSPP_EXPORT void quickshiftpp_set_num_threads(int threads) {
  default_threads.store(std::max(threads, 1));
}

NB_MODULE(_core, m) {
  namespace bindings = quickshiftpp::bindings;
  using namespace nanobind::literals;
  // nanobind would report a model that still exists when the interpreter exits as a leak.
  nanobind::set_leak_warnings(false);
  m.doc() = "The native stages of quickshiftpp. This module is private.";
  bindings::register_search(m);
  bindings::register_matrix(m);
  bindings::register_cascade(m);
  bindings::register_pixels(m);
  bindings::register_tree(m);
  m.def("simd_level", &quickshiftpp::simd_level, "The name of the instruction set that is used.");
  m.def("default_threads", &quickshiftpp_get_num_threads,
        "The number of threads for those who ask for none in particular.");
  m.def("set_default_threads", &quickshiftpp_set_num_threads, "threads"_a);
  namespace tuning = quickshiftpp::tuning;
  m.def("first_phase_blocks", &tuning::first_phase_blocks, "blocks"_a,
        "The blocks that each block of a cascade searches before pairs of blocks are compared.");
  m.def("searches_jointly", &tuning::searches_jointly, "samples"_a, "columns"_a, "k"_a,
        "Whether all samples of a cascade search at the same time, not in two phases.");
  m.attr("BLOCK") = tuning::kBlock;
  m.attr("TREE_SAMPLES") = tuning::kTreeSamples;
  m.attr("SMALL_WORK") = tuning::kSmallWork;
  m.attr("RECOMPUTE_COLUMNS") = tuning::kRecomputeColumns;
  m.attr("SCREEN_AXES") = tuning::kScreenAxes;
  m.attr("ORDER_AXES") = tuning::kOrderAxes;
  m.attr("DIMENSION_SAMPLES") = tuning::kDimensionSamples;
  m.attr("MOST_CASCADE_COLUMNS") = quickshiftpp::error_bounds::kMostColumns;
  m.attr("LONGEST_INTEGER") = quickshiftpp::error_bounds::kLongestInteger;
  m.attr("LARGEST_BYTE") = quickshiftpp::error_bounds::kLargestByte;
  m.attr("CASCADE_AXES") = tuning::kRefineAxes;
  m.attr("LONG_QUEUE") = tuning::kLongQueueLength;
  m.attr("QUEUE_OVERHANG") = quickshiftpp::QueueKernels::kOverhang;
  m.attr("CASCADE_COLUMNS") = tuning::kCascadeColumns;
  m.attr("PILOT_SAMPLES") = tuning::kPilotSamples;
  m.attr("PILOT_NEIGHBORS") = tuning::kPilotNeighbors;
  m.attr("PILOT_LEAST") = tuning::kPilotLeast;
  m.attr("PILOT_STEP") = tuning::kPilotStep;
  m.attr("WINDOW_NEIGHBORS") = tuning::kWindowNeighbors;
  m.attr("WINDOW_SIZE_PER_NEIGHBOR") = tuning::kWindowSizePerNeighbor;
}
