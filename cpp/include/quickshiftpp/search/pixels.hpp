#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"

namespace quickshiftpp {

/// The axes of an image, up to kMostAxes. Pixels are numbered in C order; those along the last axis
/// form a line.
struct Grid {
  /// Beyond it, the bounds of the search do not hold. NumPy has as many.
  static constexpr std::size_t kMostAxes = 64;

  std::vector<std::int32_t> shape;
  std::vector<double> step;            ///< the coordinate of pixel i along an axis is i * step
  const std::uint8_t* mask = nullptr;  ///< by pixel, 0 for those that are no samples; null for none

  std::size_t axes() const { return shape.size(); }
  std::size_t pixels() const {
    std::size_t count = 1;
    for (const std::int32_t length : shape) count *= static_cast<std::size_t>(length);
    return count;
  }
};

/// Exact neighbors among the pixels of an image, found in windows of it.
///
/// The first columns of the samples are the pixels' coordinates, the rest are colors. A pixel
/// farther away in the image than the k-th neighbor so far cannot be nearer: so each search
/// compares a disc of pixels, line by line and outward, with no tree and no test but the distance.
/// The disc is small from the start, since an adjacent pixel's radius, plus the distance to it, is
/// an upper bound.
template <class T>
class Pixels {
 public:
  /// `index` holds the pixels of the grid that are not masked out, in C order as rows. Throws
  /// std::invalid_argument where its coordinates are not those of the grid.
  Pixels(const Index<T>& index, const Grid& grid, const Run& run);

  const Index<T>& index() const { return index_; }

  /// Same as quickshiftpp::neighbor_lists of the index, to the last bit.
  NeighborLists neighbor_lists(int k, const Run& run) const;

  /// The number of pixels that a search for k neighbors compares, estimated from a few searches;
  /// each line counts as tuning::kLineCost more. Infinity where that exceeds `most`.
  double window_size(int k, double most, const Run& run) const;

 private:
  template <class U>
  friend class WindowSearch;

  const T* line(std::size_t number) const {
    return colors_.data() + number * static_cast<std::size_t>(channels_) * stride_;
  }
  void copy_color(std::size_t pixel, double* out) const;

  const Index<T>& index_;
  std::vector<std::int32_t> shape_;
  std::vector<double> step_;
  int channels_;
  std::size_t length_;  // pixels in a line
  std::size_t lines_;
  std::size_t stride_;                            // room for a line: some more, which hold NaN
  std::vector<std::vector<double>> coordinates_;  // along each axis
  bool is_whole_ = false;                         // all coordinates and colors
  Buffer<T> colors_;                              // line by line, in each channel by channel
  Buffer<std::int32_t> position_;                 // by pixel; -1 where masked out
};

}  // namespace quickshiftpp
