#include "quickshiftpp/search/cascade.hpp"

#include <numeric>

#include "arrays.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

template <class T>
void declare_cascade(nb::module_& m, const char* name) {
  nb::class_<Cascade<T>>(m, name, "Exact searches that discard by a few projection axes.")
      .def(
          "__init__",
          [](Cascade<T>* self, const Index<T>& index, const Rows<T>& x,
             const Rows<float>& coordinates, double scale, double error, double tolerance,
             int threads, const nb::object& progress) {
            require(!index.has_tree(), "a cascade orders the samples itself");
            require(x.shape(0) == index.samples() &&
                        x.shape(1) == static_cast<std::size_t>(index.columns()),
                    "the rows belong to another index");
            require(coordinates.shape(0) == index.samples() && coordinates.shape(1) >= 1,
                    "one row of coordinates per sample");
            require(coordinates.shape(1) <= tuning::kRefineAxes, "too many axes");
            require(std::isfinite(scale) && std::isfinite(error) && std::isfinite(tolerance) &&
                        scale > 0 && error >= 0 && tolerance >= 0,
                    "scale, error and tolerance must be finite and not negative");
            const T* rows = aligned_data(x);
            const Projection projection{aligned_data(coordinates),
                                        static_cast<int>(coordinates.shape(1)), scale, error,
                                        tolerance};
            require_moderate_values(rows, x.size(), threads);
            require_moderate_values(projection.coordinates, coordinates.size(), threads);
            run_native(threads, progress, [&](const Run& run) {
              new (self) Cascade<T>(index, rows, projection, run);
            });
          },
          // A converted copy of x would be gone by the time that it is read.
          "index"_a, "x"_a.noconvert(), "coordinates"_a, "scale"_a, "error"_a, "tolerance"_a,
          "threads"_a, "progress"_a = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
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
          "nearest_below",
          [](const Cascade<T>& cascade, const Column<double>& key, const Column<double>& limit,
             int threads, const nb::object& progress, std::size_t first_row) {
            const std::size_t samples = cascade.index().samples();
            require(key.shape(0) == samples && limit.shape(0) == samples, "one per sample");
            require(first_row < samples, "there is no sample to search for");
            const double* keys = aligned_data(key);
            const double* limits = aligned_data(limit);
            Buffer<std::int32_t> row(samples - first_row);
            run_native(threads, progress, [&](const Run& run) {
              std::vector<std::int32_t> queries(row.size());
              std::iota(queries.begin(), queries.end(), static_cast<std::int32_t>(first_row));
              std::vector<NearestSample> found(row.size());
              cascade.nearest_below(keys, limits, queries, found.data(), run);
              for (std::size_t i = 0; i < row.size(); ++i) row[i] = found[i].position;
            });
            return to_array(std::move(row));
          },
          "key"_a, "limit"_a, "threads"_a, "progress"_a = nb::none(), "first_row"_a = 0,
          "For each sample from `first_row` on the nearest whose key is below its limit, -1 for "
          "none.")
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
