#include "quickshiftpp/search/cascade.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "stages.hpp"
#include "support/error_bounds.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

template <class T>
void declare_cascade(nb::module_& m, const char* name) {
  nb::class_<Cascade<T>>(m, name, "Exact searches that compare all pairs in low precision first.")
      .def(
          "__init__",
          [](Cascade<T>* self, const Index<T>* index, const Rows<T>& x,
             const std::optional<Rows<float>>& order, const std::optional<Rows<float>>& coordinates,
             double scale, double error, bool in_integers, bool in_bytes, int threads,
             const nb::object& progress) {
            const std::size_t samples = x.shape(0);
            require_samples(x);
            require(x.shape(1) <= error_bounds::kMostColumns, "too many columns for a cascade");
            const int columns = static_cast<int>(x.shape(1));
            if (index != nullptr) {
              require(!index->has_tree(), "a cascade orders the samples itself");
              require(index->samples() == samples && index->columns() == columns,
                      "the rows belong to another index");
            }
            require(!order || (order->shape(0) == samples && order->shape(1) >= 1 &&
                               order->shape(1) <= tuning::kOrderAxes),
                    "one row of a few coordinates per sample");
            require(
                !coordinates || (coordinates->shape(0) == samples && coordinates->shape(1) >= 1 &&
                                 coordinates->shape(1) <= tuning::kRefineAxes),
                "one row of coordinates per sample, and not too many");
            for (double number : {scale, error})
              require(std::isfinite(number) && number >= 0,
                      "scale and error must be finite and not negative");
            const T* rows = aligned_data(x);
            const float* ordered = order ? aligned_data(*order) : nullptr;
            const float* along = coordinates ? aligned_data(*coordinates) : nullptr;
            require_moderate_values(rows, x.size(), threads);
            if (order) require_moderate_values(ordered, order->size(), threads);
            if (coordinates) require_moderate_values(along, coordinates->size(), threads);
            run_native(threads, progress, [&](const Run& run) {
              Axes axes = coordinates ? projected_axes(along, samples,
                                                       static_cast<int>(coordinates->shape(1)),
                                                       scale, error, run)
                                      : column_axes(rows, samples, columns, run);
              WidestAxes widest;
              if (!order) widest = widest_axes(axes, samples, tuning::kOrderAxes, run);
              axes.scale = std::max(axes.scale, scale);  // of the order as well
              axes.error = std::max(axes.error, error);
              const int screened =
                  coordinates ? std::min(axes.count, tuning::kScreenAxes) : axes.count;
              const CascadePlan plan{
                  .axes = std::move(axes),
                  .screen_axes = screened,
                  .order = order ? ordered : widest.coordinates.data(),
                  .order_axes = order ? static_cast<int>(order->shape(1)) : widest.count,
                  .in_integers = in_integers,
                  .in_bytes = in_bytes};
              if (index != nullptr)
                new (self) Cascade<T>(*index, rows, plan, run);
              else
                new (self) Cascade<T>(rows, samples, columns, plan, run);
            });
          },
          // A converted copy of x would be gone by the time that it is read.
          "index"_a.none(), "x"_a.noconvert(), "order"_a.none(), "coordinates"_a.none(), "scale"_a,
          "error"_a, "in_integers"_a, "in_bytes"_a, "threads"_a, "progress"_a = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro("exact_distances", &Cascade<T>::exact_distances,
                   "The exact distances that all searches so far have computed.")
      .def(
          "neighbor_lists",
          [](const Cascade<T>& cascade, int k, int threads, const nb::object& progress) {
            require_k(cascade.index(), k);
            return run_native(threads, progress, [&](const Run& run) {
              return new NeighborLists(cascade.neighbor_lists(k, run));
            });
          },
          "k"_a, "threads"_a, "progress"_a = nb::none(), nb::rv_policy::take_ownership)
      .def(
          "neighbor_table",
          [](const Cascade<T>& cascade, int k, int threads, const nb::object& progress) {
            require_k(cascade.index(), k);
            return to_arrays(
                run_native(threads, progress,
                           [&](const Run& run) { return cascade.neighbor_table(k, run); }),
                cascade.index().samples());
          },
          "k"_a, "threads"_a, "progress"_a = nb::none(),
          "The k nearest of every sample, by row: distances and row numbers.")
      .def(
          "nearest_below",
          [](const Cascade<T>& cascade, const Column<double>& key, const Column<double>& limit,
             int threads, const nb::object& progress, std::size_t first_row) {
            const std::size_t samples = cascade.index().samples();
            require(key.shape(0) == samples && limit.shape(0) == samples, "one per sample");
            require(first_row < samples, "there is no sample to search for");
            const double* keys = aligned_data(key);
            const double* limits = aligned_data(limit);
            Buffer<std::int32_t> row(samples - first_row);
            Buffer<double> squared(row.size());
            run_native(threads, progress, [&](const Run& run) {
              std::vector<std::int32_t> queries(row.size());
              std::iota(queries.begin(), queries.end(), static_cast<std::int32_t>(first_row));
              std::vector<NearestSample> found(row.size());
              cascade.nearest_below(keys, limits, queries, found.data(), run);
              for (std::size_t i = 0; i < row.size(); ++i) {
                row[i] = found[i].position;
                squared[i] = found[i].squared_distance;
              }
            });
            return std::pair(to_array(std::move(row)), to_array(std::move(squared)));
          },
          "key"_a, "limit"_a, "threads"_a, "progress"_a = nb::none(), "first_row"_a = 0,
          "For each sample from `first_row` on the nearest whose key is below its limit, -1 for "
          "none, and the squared distance.")
      .def(
          "kth_squared_distances",
          [](const Cascade<T>& cascade, int first_rows, int k, int threads,
             const nb::object& progress) {
            require(first_rows >= 1 &&
                        static_cast<std::size_t>(first_rows) < cascade.index().samples() &&
                        k >= 1 && k <= first_rows,
                    "k must be from 1 to the number of first rows, which must leave others");
            return to_array(run_native(threads, progress, [&](const Run& run) {
              return cascade.kth_squared_distances(first_rows, k, run);
            }));
          },
          "first_rows"_a, "k"_a, "threads"_a, "progress"_a = nb::none(),
          "From each row after the first rows the squared distance to the k-th nearest of these.");
}

}  // namespace

void register_cascade(nb::module_& m) {
  declare_cascade<float>(m, "CascadeFloat32");
  declare_cascade<double>(m, "CascadeFloat64");
}

}  // namespace quickshiftpp::bindings
