#include "quickshiftpp/search/matrix.hpp"

#include <nanobind/stl/pair.h>

#include <cmath>
#include <utility>

#include "arrays.hpp"
#include "quickshiftpp/search/axes.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

template <class T>
void declare_product(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Rows<T>& a, const Rows<T>& b, int threads) {
        require(a.shape(1) == b.shape(0), "the columns of one are the rows of the other");
        require(a.size() > 0 && b.size() > 0, "a matrix is empty");
        const T* left = aligned_data(a);
        const T* right = aligned_data(b);
        return to_matrix(run_native(threads, nb::none(),
                                    [&](const Run& run) {
                                      return matrix_product(left, a.shape(0), a.shape(1), right,
                                                            b.shape(1), run);
                                    }),
                         a.shape(0));
      },
      "a"_a, "b"_a, "threads"_a,
      "The product of two matrices, rounded. Its bits depend on the processor.");
}

template <class T>
void declare_extent(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Rows<T>& rows, const Column<double>& center, int threads) {
        require(rows.shape(1) == center.shape(0), "one number for each column");
        require(rows.size() > 0, "a matrix is empty");
        const T* from = aligned_data(rows);
        const double* middle = aligned_data(center);
        const Extent found = run_native(threads, nb::none(), [&](const Run& run) {
          return extent_of(from, rows.shape(0), rows.shape(1), middle, run);
        });
        return std::pair(std::sqrt(found.squared_length), found.largest);
      },
      "rows"_a, "center"_a, "threads"_a,
      "The greatest length of a row, and its greatest coordinate, from a center. Rounded.");
}

}  // namespace

void register_matrix(nb::module_& m) {
  declare_product<float>(m, "product_float32");
  declare_product<double>(m, "product_float64");
  declare_extent<float>(m, "extent_float32");
  declare_extent<double>(m, "extent_float64");
  m.def(
      "orthonormalize",
      [](const Rows<double>& rows, int threads) {
        require(rows.shape(0) >= 1 && rows.shape(0) <= rows.shape(1),
                "at least one row, and no more rows than columns");
        const double* from = aligned_data(rows);
        Buffer<double> vectors(rows.size());
        require_moderate_values(from, rows.size(), threads);
        run_native(threads, nb::none(), [&](const Run& run) {
          std::copy_n(from, rows.size(), vectors.data());
          orthonormalize(vectors.data(), rows.shape(0), rows.shape(1), run);
        });
        return to_matrix(std::move(vectors), rows.shape(0));
      },
      "rows"_a, "threads"_a, "Orthonormal rows with the span of the given ones, and in order.");
  m.attr("SUMMED_COLUMNS") = kSummedColumns;
}

}  // namespace quickshiftpp::bindings
