#include "quickshiftpp/search/pixels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "stages.hpp"

namespace quickshiftpp::bindings {

using namespace nb::literals;

namespace {

template <class T>
void declare_pixels(nb::module_& m, const char* name) {
  nb::class_<Pixels<T>>(m, name, "Exact neighbors among the pixels of an image.")
      .def(
          "__init__",
          [](Pixels<T>* self, const Index<T>& index, const std::vector<std::int32_t>& shape,
             const std::vector<double>& step, std::optional<Column<std::uint8_t>> mask,
             int threads) {
            require(!shape.empty() && shape.size() == step.size(), "one step per axis");
            require(shape.size() <= Grid::kMostAxes, "a grid takes up to 64 axes, as NumPy does");
            require(std::all_of(step.begin(), step.end(),
                                [](double size) { return size > 0 && std::isfinite(size); }),
                    "steps must be positive and finite");
            require(static_cast<std::size_t>(index.columns()) > shape.size(),
                    "a pixel needs a color");
            std::size_t pixels = 1;
            for (const std::int32_t length : shape) {
              if (length >= 1) pixels *= static_cast<std::size_t>(length);
              require(length >= 1 && pixels < (std::size_t{1} << 31) - 64,
                      "a grid takes from 1 to fewer than 2^31 pixels");
            }
            const Grid grid{shape, step, mask ? mask->data() : nullptr};
            require(!mask || mask->shape(0) == pixels, "one value of the mask per pixel");
            run_native(threads, nb::none(),
                       [&](const Run& run) { new (self) Pixels<T>(index, grid, run); });
          },
          "index"_a, "shape"_a, "step"_a, "mask"_a.none(), "threads"_a, nb::keep_alive<1, 2>())
      .def(
          "neighbor_lists",
          [](const Pixels<T>& pixels, int k, int threads, const nb::object& progress) {
            require_k(pixels.index(), k);
            return run_native(threads, progress, [&](const Run& run) {
              return new NeighborLists(pixels.neighbor_lists(k, run));
            });
          },
          "k"_a, "threads"_a, "progress"_a = nb::none(), nb::rv_policy::take_ownership)
      .def(
          "window_size",
          [](const Pixels<T>& pixels, int k, double most) {
            require_k(pixels.index(), k);
            return run_native(1, nb::none(),
                              [&](const Run& run) { return pixels.window_size(k, most, run); });
          },
          "k"_a, "most"_a,
          "The number of pixels that a search looks at, about; infinite where beyond `most`.");
}

}  // namespace

void register_pixels(nb::module_& m) {
  declare_pixels<float>(m, "PixelsFloat32");
  declare_pixels<double>(m, "PixelsFloat64");
}

}  // namespace quickshiftpp::bindings
