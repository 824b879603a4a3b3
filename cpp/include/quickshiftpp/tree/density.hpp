#pragma once

#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"

namespace quickshiftpp {

/// log f = log k - log n - log v_d - d log r for the radii of `count` among n = `samples` samples,
/// +infinity where r = 0.
///
/// `scale_exponent` is the power of two by which the coordinates were multiplied before the search;
/// `out` refers to the coordinates as they were given.
void knn_log_density(const double* squared_radius, std::size_t count, std::size_t samples, int k,
                     double dimension, int scale_exponent, double* out, const Run& run);

/// The radii, in the units of the coordinates as they were given.
void radii(const double* squared_radius, std::size_t count, int scale_exponent, double* out,
           const Run& run);

/// Sum and number of log(r_k / r_j) over all samples and all neighbors j nearer than the k-th,
/// those at distance zero left out: what the maximum-likelihood estimate of the intrinsic dimension
/// needs.
///
/// Of more samples than tuning::kDimensionSamples, a part is chosen by a hash of the coordinates.
/// Each sample's part is rounded to a multiple of 2^-16 and added as an integer, so that neither
/// the order of the rows nor the number of threads matters.
struct LogRadiusSum {
  double sum;
  double count;
};
template <class T>
LogRadiusSum log_radius_sum(const Index<T>& index, const NeighborLists& lists, const Run& run);

/// For every sample the sum over all samples of exp(-squared distance * rate), by position.
///
/// Each term is rounded to a multiple of 2^-51 and the multiples are added as integers: the sum
/// does not depend on the order of the rows, and a term below 2^-52 is exactly zero, so that the
/// search may end where the terms do. Since every sum counts its own sample with 1, the rounding is
/// of the order of float64's own.
template <class T>
Buffer<double> gaussian_sums(const Index<T>& index, double rate, const Run& run);

}  // namespace quickshiftpp
