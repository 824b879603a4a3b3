#include "quickshiftpp/tree/cut.hpp"

#include <cmath>
#include <limits>

#include "support/count_labels.hpp"
#include "support/follow_links.hpp"

namespace quickshiftpp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double mode_squared_radius(const ModeTree& tree, std::int32_t mode) {
  return (*tree.squared_radius)[static_cast<std::size_t>(
      tree.mode_position[static_cast<std::size_t>(mode)])];
}

/// The largest squared radius whose quotient by the mode's is at most `max_ratio`. So a sample
/// takes one comparison instead of a division, and agrees with the division to the last bit.
double core_squared_radius(double mode, double max_ratio) {
  if (mode == 0) return 0;
  double largest = mode * max_ratio;
  while (radius_ratio(largest, mode) > max_ratio) largest = std::nextafter(largest, 0);
  for (double next; (next = std::nextafter(largest, kInfinity)) < kInfinity &&
                    radius_ratio(next, mode) <= max_ratio;)
    largest = next;
  return largest;
}

/// For every mode the mode whose core its component lies in, itself included; -1 for none.
std::vector<std::int32_t> owning_modes(const ModeTree& tree, double max_ratio) {
  std::vector<std::int32_t> owner(tree.modes(), -1);
  for (std::size_t m = 0; m < tree.modes(); ++m) {  // parents before children
    if (tree.saddle_ratio(m) > max_ratio) {
      owner[m] = static_cast<std::int32_t>(m);
      continue;
    }
    // At its saddle it joins its parent's component: it lies in that core if the saddle does.
    const std::int32_t core = owner[static_cast<std::size_t>(tree.parent_mode[m])];
    const double saddle = (*tree.squared_radius)[static_cast<std::size_t>(tree.saddle_position[m])];
    if (core >= 0 && radius_ratio(saddle, mode_squared_radius(tree, core)) <= max_ratio)
      owner[m] = core;
  }
  return owner;
}

/// Numbers the modes that found a core, and tells for every basin which core it lies in.
void found_cores(const ModeTree& tree, double max_ratio, Clustering& clustering) {
  const std::vector<std::int32_t> owner = owning_modes(tree, max_ratio);
  clustering.basin_core.assign(tree.modes(), BasinCore{-1, -1});
  for (std::size_t m = 0; m < tree.modes(); ++m) {  // an owner comes before what it owns
    if (owner[m] < 0) continue;
    if (owner[m] == static_cast<std::int32_t>(m)) {
      clustering.basin_core[m] = {
          static_cast<std::int32_t>(clustering.mode.size()),
          core_squared_radius(mode_squared_radius(tree, owner[m]), max_ratio)};
      clustering.mode.push_back(owner[m]);
    } else {
      clustering.basin_core[m] = clustering.basin_core[static_cast<std::size_t>(owner[m])];
    }
  }
}

/// Each sample climbs from parent to parent to the first sample i with label_of(i) >= 0, and takes
/// that label.
template <class LabelOf>
Buffer<std::int32_t> climb(const ModeTree& tree, LabelOf&& label_of, const Run& run) {
  Buffer<std::int32_t> link(tree.samples());
  parallel_for(run, tree.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i)
      link[i] = label_of(i) >= 0 ? static_cast<std::int32_t>(i) : tree.parent[i];
  });
  follow_links(link, run);
  Buffer<std::int32_t> label(tree.samples());
  parallel_for(run, tree.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i)
      label[i] = label_of(static_cast<std::size_t>(link[i]));
  });
  return label;
}

/// Leaves out the clusters that are too small. Returns the new number of each, -1 for those.
std::vector<std::int32_t> drop_small(const ModeTree& tree, std::int64_t min_cluster_size,
                                     Clustering& clustering) {
  std::vector<std::int32_t> number(clustering.mode.size(), -1);
  std::vector<std::int32_t> kept;
  for (std::size_t c = 0; c < clustering.mode.size(); ++c) {
    const auto mode =
        static_cast<std::size_t>(tree.mode_position[static_cast<std::size_t>(clustering.mode[c])]);
    const bool can_climb = tree.parent[mode] >= 0;
    if (clustering.size[c] < min_cluster_size && can_climb) continue;
    number[c] = static_cast<std::int32_t>(kept.size());
    kept.push_back(clustering.mode[c]);
  }
  clustering.mode = std::move(kept);
  for (BasinCore& core : clustering.basin_core)
    if (core.label >= 0) core.label = number[static_cast<std::size_t>(core.label)];
  return number;
}

}  // namespace

Clustering cut(const ModeTree& tree, double max_ratio, std::int64_t min_cluster_size,
               const Run& run) {
  Clustering clustering;
  found_cores(tree, max_ratio, clustering);
  const double* squared_radius = tree.squared_radius->data();
  clustering.label = climb(
      tree,
      [&](std::size_t i) {
        return clustering.basin_core[static_cast<std::size_t>(tree.basin[i])].core_label(
            squared_radius[i]);
      },
      run);
  clustering.size =
      count_labels(clustering.label.data(), tree.samples(), clustering.mode.size(), run);
  if (min_cluster_size <= 1) return clustering;
  // From a cluster that is too small samples climb on to the first whose cluster remains: the label
  // they would have reached had there been no core on the way.
  const std::vector<std::int32_t> number = drop_small(tree, min_cluster_size, clustering);
  const Buffer<std::int32_t> first = std::move(clustering.label);
  clustering.label =
      climb(tree, [&](std::size_t i) { return number[static_cast<std::size_t>(first[i])]; }, run);
  clustering.size =
      count_labels(clustering.label.data(), tree.samples(), clustering.mode.size(), run);
  return clustering;
}

}  // namespace quickshiftpp
