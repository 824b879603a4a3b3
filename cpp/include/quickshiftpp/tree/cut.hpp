#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tree/mode_tree.hpp"

namespace quickshiftpp {

/// The core that a basin lies in: its samples of at most this squared radius belong to core
/// `label`, the others to none. -1 where the basin lies in no core.
struct BasinCore {
  std::int32_t label;
  double squared_radius;

  std::int32_t core_label(double sample_squared_radius) const {
    return sample_squared_radius <= squared_radius ? label : -1;
  }
};

/// A clustering at one beta. Clusters are numbered from the densest mode down.
struct Clustering {
  Buffer<std::int32_t> label;         ///< by position
  std::vector<std::int32_t> mode;     ///< by cluster
  std::vector<std::int64_t> size;     ///< by cluster: its number of samples
  std::vector<BasinCore> basin_core;  ///< by mode
};

/// Cuts the tree: labels every sample.
///
/// `max_ratio` is the largest quotient of squared radii inside a core, (1 - beta)^(-2 / d). A mode
/// founds a core where the quotient at its saddle exceeds it. A sample lies in the core of its
/// component where its own quotient does not. Every other sample takes the label of its parent.
/// Clusters of fewer than `min_cluster_size` samples lose their core, and their samples climb on; a
/// cluster whose mode has no denser sample to climb to remains.
Clustering cut(const ModeTree& tree, double max_ratio, std::int64_t min_cluster_size,
               const Run& run);

}  // namespace quickshiftpp
