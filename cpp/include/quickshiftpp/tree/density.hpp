#pragma once

#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"

namespace quickshiftpp {

/// The sum of log(r_k / r_j) over all samples and their neighbors j = 2, ..., k - 1 (j = 1 is the
/// sample itself), and the number of terms. Neighbors at distance zero are left out. This is the
/// input of the maximum-likelihood estimate of the intrinsic dimension.
///
/// If there are more than tuning::kDimensionSamples samples, about that many are chosen by a hash
/// of their coordinates. Each sample's contribution is rounded to a multiple of 2^-16 and added as
/// an integer, so that the sum does not depend on the order of the rows or the number of threads.
struct LogRadiusSum {
  double sum;
  double count;
};
template <class T>
LogRadiusSum log_radius_sum(const Index<T>& index, const NeighborLists& lists, const Run& run);

/// For every sample, the sum of exp(-squared distance * rate) over all samples, by position.
///
/// Each term is rounded to a multiple of 2^-51, and the terms are added as integers, so that the
/// sum does not depend on the order of the rows. Terms below 2^-52 become exactly zero, so the
/// search can stop at the distance where all terms are zero. Every sum includes the term 1 of the
/// sample itself, so the relative rounding error of a term is comparable to that of float64.
template <class T>
Buffer<double> gaussian_sums(const Index<T>& index, double rate, const Run& run);

}  // namespace quickshiftpp
