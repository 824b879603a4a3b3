#pragma once

namespace quickshiftpp {

/// How far samples extend from a center.
struct Extent {
  double squared_length = 0;  ///< the greatest of a sample
  double largest = 0;         ///< coordinate, without its sign
};

}  // namespace quickshiftpp
