#include "quickshiftpp/tree/density.hpp"

#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "stages.hpp"
#include "support/hash.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

template <class T>
void declare_densities(nb::module_& m) {
  m.def(
      "coordinate_hashes",
      [](const Rows<T>& x, int threads) {
        const std::size_t columns = x.shape(1);
        Buffer<std::uint64_t> hash(x.shape(0));
        run_native(threads, nb::none(), [&](const Run& run) {
          parallel_for(
              run, hash.size(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
                for (std::size_t i = begin; i < end; ++i) {
                  const T* row = x.data() + i * columns;
                  hash[i] =
                      coordinate_hash(static_cast<int>(columns), [&](int c) { return row[c]; });
                }
              });
        });
        return to_array(std::move(hash));
      },
      "x"_a, "threads"_a, "A number from each row's values alone.");
  m.def(
      "log_radius_sum",
      [](const Index<T>& index, const NeighborLists& lists, int threads) {
        require(lists.keeps_lists(), "there are no lists to sum over");
        const LogRadiusSum total = run_native(
            threads, nb::none(), [&](const Run& run) { return log_radius_sum(index, lists, run); });
        return std::pair(total.sum, total.count);
      },
      "index"_a, "lists"_a, "threads"_a, "Sum and number of log(r_k / r_j) over all neighbours.");
  m.def(
      "gaussian_sums",
      [](const Index<T>& index, double rate, int threads, const nb::object& progress) {
        require(rate > 0, "gaussian_sums needs a positive rate");
        return to_array(run_native(threads, progress, [&](const Run& run) {
          const Buffer<double> sums = gaussian_sums(index, rate, run);
          return by_row<double>(index, run, [&](std::int32_t i) { return sums[i]; });
        }));
      },
      "index"_a, "rate"_a, "threads"_a, "progress"_a = nb::none());
}

}  // namespace

void register_density(nb::module_& m) {
  m.def(
      "knn_log_density",
      [](Column<double> squared_radius, std::size_t samples, int k, double dimension, int unit,
         int threads) {
        Buffer<double> out(squared_radius.shape(0));
        run_native(threads, nb::none(), [&](const Run& run) {
          knn_log_density(squared_radius.data(), out.size(), samples, k, dimension, unit,
                          out.data(), run);
        });
        return to_array(std::move(out));
      },
      "squared_radius"_a, "samples"_a, "k"_a, "dimension"_a, "unit"_a, "threads"_a);
  m.def(
      "radii",
      [](Column<double> squared_radius, int unit, int threads) {
        Buffer<double> out(squared_radius.shape(0));
        run_native(threads, nb::none(), [&](const Run& run) {
          radii(squared_radius.data(), out.size(), unit, out.data(), run);
        });
        return to_array(std::move(out));
      },
      "squared_radius"_a, "unit"_a, "threads"_a, "Distances in the user's unit.");
  declare_densities<float>(m);
  declare_densities<double>(m);
}

}  // namespace quickshiftpp::bindings
