#include "quickshiftpp/tree/cut.hpp"

#include <cmath>
#include <limits>

#include "quickshiftpp/buffer.hpp"
#include "support/paths.hpp"

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

/// Labels the samples of one clustering after the other.
class Climber {
 public:
  Climber(const Cut& cut, const Run& run) : cut_(cut), run_(run), path_(cut.samples) {}

  /// Each climbs to the first sample i with a start(i) that is not negative: put(i, label) takes
  /// it. Returns how many samples each of `labels` labels has.
  template <class Start, class Put>
  std::vector<std::int64_t> climb(std::size_t labels, Start&& start, Put&& put,
                                  int shortenings = tuning::kShortenings) {
    start_paths(
        path_.data(), cut_.samples, run_,
        [&](std::size_t i) {
          const std::int32_t label = start(i);
          return label >= 0 ? ~label : cut_.parent[i];
        },
        shortenings);
    std::vector<std::int64_t> size(labels, 0);
    parallel_for(run_, cut_.samples, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
      LabelCounter counter(size);
      walk_paths(path_.data(), begin, end, [&](std::size_t i, std::int32_t label) {
        put(i, label);
        counter.add(label);
      });
    });
    return size;
  }

 private:
  const Cut& cut_;
  const Run& run_;
  Buffer<std::int32_t> path_;
};

/// Leaves out clusters of fewer than `least` samples. Returns the number that each keeps, -1 for
/// those; sizes are to be counted anew.
std::vector<std::int32_t> renumber(const Cut& cut, std::int64_t least, Clusters& clusters) {
  std::vector<std::int32_t> number(clusters.mode.size(), -1);
  std::vector<std::int32_t> kept;
  for (std::size_t c = 0; c < clusters.mode.size(); ++c) {
    const bool can_climb = cut.parent[cut.mode_sample[clusters.mode[c]]] >= 0;
    if (clusters.size[c] < least && can_climb) continue;
    number[c] = static_cast<std::int32_t>(kept.size());
    kept.push_back(clusters.mode[c]);
  }
  clusters.mode = std::move(kept);
  for (BasinRule& rule : clusters.basins)
    if (rule.label >= 0) rule.label = number[static_cast<std::size_t>(rule.label)];
  return number;
}

}  // namespace

Clusters cut_labels(const Cut& cut, double ratio, std::int64_t min_cluster_size,
                    std::int32_t* label, const Run& run) {
  const std::vector<std::int32_t> owner = owning_cores(cut, ratio);
  Clusters clusters;
  for (std::size_t m = 0; m < cut.modes; ++m)
    if (owner[m] == static_cast<std::int32_t>(m)) clusters.mode.push_back(owner[m]);
  clusters.basins = basin_rules(cut, owner, clusters.mode, ratio);

  Climber climber(cut, run);
  auto core_label = [&](std::size_t i) {
    return clusters.basins[static_cast<std::size_t>(cut.basin[i])].core_label(
        cut.squared_radius[i]);
  };
  auto finish = [&](std::size_t i, std::int32_t reached) {
    label[cut.row == nullptr ? i : static_cast<std::size_t>(cut.row[i])] = reached;
  };
  if (min_cluster_size <= 1) {
    clusters.size = climber.climb(clusters.mode.size(), core_label, finish);
    return clusters;
  }
  // The samples of a cluster that is too small climb on until they come to one whose cluster
  // remains: its label is what they would have reached at once, had there been no core on the way.
  Buffer<std::int32_t> first(cut.samples);
  clusters.size = climber.climb(clusters.mode.size(), core_label,
                                [&](std::size_t i, std::int32_t reached) { first[i] = reached; });
  const std::vector<std::int32_t> number = renumber(cut, min_cluster_size, clusters);
  clusters.size = climber.climb(
      clusters.mode.size(),
      [&](std::size_t i) { return number[static_cast<std::size_t>(first[i])]; }, finish,
      0);  // few climb
  return clusters;
}

}  // namespace quickshiftpp
