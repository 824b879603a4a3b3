#pragma once

#include "kernels/kernels.hpp"

namespace quickshiftpp {

/// How the coordinates of samples are stored: as multiples of a step in 8 or 16 bits, or as
/// float32.
struct StoredCoordinates {
  WordFormat format = WordFormat::kFloat32;
  double step = 1;  ///< of 24 bits, so that its multiples are exact

  bool has_integers() const { return format != WordFormat::kFloat32; }
  int per_word() const {
    return format == WordFormat::kInteger8 ? 4 : format == WordFormat::kInteger16 ? 2 : 1;
  }
  /// The words that so many coordinates take.
  int words(int axes) const { return (axes + per_word() - 1) / per_word(); }
  /// The coordinates that ScreenKernels::store reads, the last ones zeros.
  static int padded(int axes) {
    constexpr int together = ScreenKernels::kStoredTogether;
    return (axes + together - 1) / together * together;
  }

  bool operator==(const StoredCoordinates&) const = default;
};

}  // namespace quickshiftpp
