#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/parallel.hpp"

namespace quickshiftpp {

/// What a clustering at one beta is made from. Samples by position, where climbing from one to the
/// next stays in the cache; modes from the densest down.
struct Cut {
  const std::int32_t* basin;     ///< samples: the mode that each belongs to in the graph
  const double* squared_radius;  ///< samples
  const std::int32_t* parent;    ///< samples: nearest denser sample, -1 for none
  const std::int32_t* row;       ///< samples: where their labels go, null to leave them in place
  std::size_t samples;
  const std::int32_t* mode_sample;      ///< modes: position of the mode
  const double* saddle_squared_radius;  ///< modes: infinity for a mode that meets no elder one
  const std::int32_t* mode_parent;      ///< modes: the elder mode met at the saddle, -1 for none
  std::size_t modes;
};

/// The samples of a basin with at most this squared radius are in core `label`; -1 for none.
struct BasinRule {
  std::int32_t label;
  double squared_radius;

  /// The core of a sample of the basin: so quickly told that nobody needs to store it.
  std::int32_t core_label(double sample_squared_radius) const {
    return sample_squared_radius <= squared_radius ? label : -1;
  }
};

/// The clusters in label order, and the cores.
struct Clusters {
  std::vector<std::int32_t> mode;
  std::vector<std::int64_t> size;
  std::vector<BasinRule> basins;  ///< by mode
};

/// Labels the samples.
///
/// `ratio` is the largest quotient of squared radii inside a core, (1 - beta)^(-2 / d): a mode
/// founds a core iff its saddle's quotient exceeds it, and a sample belongs to the core of its
/// component iff its own does not. Clusters of fewer than `min_cluster_size` samples lose their
/// core, and their samples climb on; one whose mode has no denser sample to climb to remains.
Clusters cut_labels(const Cut& cut, double ratio, std::int64_t min_cluster_size,
                    std::int32_t* label, const Run& run);

}  // namespace quickshiftpp
