#include "quickshiftpp/cut.hpp"

#include <cmath>
#include <limits>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/forest.hpp"

namespace quickshiftpp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The quotient of two squared radii, which is at least 1 for a sample no denser than the mode.
double radius_ratio(double sample, double mode) {
  return sample == mode ? 1.0 : mode == 0 ? kInfinity : sample / mode;
}

/// The largest squared radius whose quotient by the mode's is at most `ratio`, so that a core takes
/// one comparison per sample instead of a division and agrees with the division to the last bit.
double core_radius(double mode, double ratio) {
  if (mode == 0) return 0;
  double radius = mode * ratio;
  while (radius_ratio(radius, mode) > ratio) radius = std::nextafter(radius, 0);
  for (double next;
       (next = std::nextafter(radius, kInfinity)) < kInfinity && radius_ratio(next, mode) <= ratio;)
    radius = next;
  return radius;
}

/// For every mode the core that its component lies in, as a mode; -1 for none.
std::vector<std::int32_t> owning_cores(const Cut& cut, double ratio) {
  auto mode_radius = [&](std::size_t m) { return cut.squared_radius[cut.mode_sample[m]]; };
  std::vector<std::int32_t> owner(cut.modes, -1);
  for (std::size_t m = 0; m < cut.modes; ++m) {  // a parent is denser, hence done already
    const double saddle = cut.saddle_squared_radius[m];
    if (radius_ratio(saddle, mode_radius(m)) > ratio) {
      owner[m] = static_cast<std::int32_t>(m);
      continue;
    }
    // Joined at its saddle to its parent's component, it lies in the core there if the saddle does.
    const std::int32_t core = owner[static_cast<std::size_t>(cut.mode_parent[m])];
    if (core >= 0 && radius_ratio(saddle, mode_radius(static_cast<std::size_t>(core))) <= ratio)
      owner[m] = core;
  }
  return owner;
}

std::vector<BasinRule> basin_rules(const Cut& cut, const std::vector<std::int32_t>& owner,
                                   const std::vector<std::int32_t>& cores, double ratio) {
  std::vector<BasinRule> core(cut.modes, BasinRule{-1, -1});
  for (std::size_t c = 0; c < cores.size(); ++c) {
    const auto m = static_cast<std::size_t>(cores[c]);
    core[m] = {static_cast<std::int32_t>(c),
               core_radius(cut.squared_radius[cut.mode_sample[m]], ratio)};
  }
  std::vector<BasinRule> rules(cut.modes, BasinRule{-1, -1});
  for (std::size_t m = 0; m < cut.modes; ++m)
    if (owner[m] >= 0) rules[m] = core[static_cast<std::size_t>(owner[m])];
  return rules;
}

/// Calls body(i) for every sample.
template <class Body>
void for_samples(const Cut& cut, const Run& run, Body&& body) {
  parallel_for(run, cut.samples, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// Labels by climbing to the first sample that lies in a core; counts the samples of each.
void climb(const Cut& cut, Clusters& clusters, std::int32_t* label, const Run& run) {
  for_samples(cut, run, [&](std::size_t i) {
    const auto sample = static_cast<std::int32_t>(i);
    label[i] = clusters.core_label(cut, sample) >= 0 ? sample : cut.parent[i];
  });
  resolve_roots(label, cut.samples, run);
  clusters.size.assign(clusters.mode.size(), 0);
  parallel_for(run, cut.samples, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    LabelCounter counter(clusters.size);
    for (std::size_t i = begin; i < end; ++i) {
      label[i] = clusters.basins[static_cast<std::size_t>(cut.basin[label[i]])].label;
      counter.add(label[i]);
    }
  });
}

/// Gives the clusters of `number` -1 to others and the rest the number named there. Adds to `size`
/// what each of those gains.
///
/// A sample of a cluster that dissolves climbs on until it comes to one whose cluster remains: that
/// one's label is what it would have reached itself.
void dissolve(const Cut& cut, const std::vector<std::int32_t>& number,
              std::vector<std::int64_t>& size, std::int32_t* label, const Run& run) {
  Buffer<std::int32_t> up(cut.samples);
  for_samples(cut, run, [&](std::size_t i) {
    label[i] = number[static_cast<std::size_t>(label[i])];
    up[i] = label[i] >= 0 ? static_cast<std::int32_t>(i) : cut.parent[i];
  });
  // Only those without a label are written, only those with one are read.
  parallel_for(run, cut.samples, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    LabelCounter counter(size);
    walk_to_roots(up.data(), begin, end, [&](std::size_t i, std::int32_t root) {
      if (label[i] >= 0) return;
      label[i] = label[root];
      counter.add(label[i]);
    });
  });
}

}  // namespace

Clusters cut_labels(const Cut& cut, double ratio, std::int64_t min_cluster_size,
                    std::int32_t* label, const Run& run) {
  const std::vector<std::int32_t> owner = owning_cores(cut, ratio);
  Clusters clusters;
  for (std::size_t m = 0; m < cut.modes; ++m)
    if (owner[m] == static_cast<std::int32_t>(m)) clusters.mode.push_back(owner[m]);
  clusters.basins = basin_rules(cut, owner, clusters.mode, ratio);
  climb(cut, clusters, label, run);

  std::vector<std::int32_t> number(clusters.mode.size(), -1);
  Clusters kept;
  for (std::size_t c = 0; c < clusters.mode.size(); ++c) {
    const bool can_climb = cut.parent[cut.mode_sample[clusters.mode[c]]] >= 0;
    if (clusters.size[c] < min_cluster_size && can_climb) continue;
    number[c] = static_cast<std::int32_t>(kept.mode.size());
    kept.mode.push_back(clusters.mode[c]);
    kept.size.push_back(clusters.size[c]);
  }
  if (kept.mode.size() == clusters.mode.size()) return clusters;
  kept.basins = std::move(clusters.basins);
  for (BasinRule& rule : kept.basins)
    if (rule.label >= 0) rule.label = number[static_cast<std::size_t>(rule.label)];
  dissolve(cut, number, kept.size, label, run);
  return kept;
}

}  // namespace quickshiftpp
