#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/search/cascade.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/tuning.hpp"
#include "search/projected_samples.hpp"
#include "search/tie_order.hpp"

namespace quickshiftpp {

/// What the searches of a cascade read. A position is one of `tree`, a row one of `by_row` and of
/// `index`.
template <class T>
struct CascadeData {
  CascadeData(const Index<T>& index, const T* rows, const CascadePlan& plan, const Run& run);

  const T* sample(std::int32_t position) const { return by_row.row(tree.row_at(position)); }
  /// The same in float64, in `out` where it has to be converted.
  const double* widened(std::int32_t position, std::vector<double>& out) const {
    const T* from = sample(position);
    if constexpr (std::is_same_v<T, double>) return from;
    out.assign(from, from + columns);
    return out.data();
  }
  /// What a WorkMeter counts when one sample is screened against a block. A few of the pairs are
  /// measured exactly, too; where all are, that is some ten times as much, still soon enough.
  std::size_t screen_operations() const {
    return static_cast<std::size_t>(tuning::kBlock * projected.screen_axes());
  }
  /// Between a box and that of a node, by the few axes that matter most.
  double box_distance(const double* box, std::size_t node) const {
    return box_box_distance(box, tree.box(node), tree.columns(),
                            std::min(tree.columns(), tuning::kBoxAxes));
  }

  const Index<T>& index;
  std::size_t columns;
  SamplesByRow<T> by_row;
  Index<float> tree;  // over a few columns or axes
  ProjectedSamples projected;
  const Kernels<T>& kernel;
  mutable std::atomic<std::uint64_t> exact_distances{0};  // computed so far
};

}  // namespace quickshiftpp
