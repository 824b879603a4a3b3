#pragma once

#include <cstdint>

#include "kernels/kernels.hpp"

namespace quickshiftpp {

/// What is known of one sample once its coordinates are stored.
struct StoredSample {
  double squared_move = 0;    ///< by how much rounding moved it, squared
  double squared_length = 0;  ///< of the stored numbers, not in steps
  std::int32_t sum = 0;       ///< of integers
};

/// How the coordinates of samples are stored: as multiples of a step in 8 or 16 bits, or as
/// float32.
struct StoredCoordinates {
  using Word = ScreenKernels::Word;
  /// The coordinates that write() reads and writes come in so many, the last ones zeros.
  static constexpr int kTogether = 64;

  WordFormat format = WordFormat::kFloat32;
  double step = 1;  ///< of 24 bits, so that its multiples are exact

  bool has_integers() const { return format != WordFormat::kFloat32; }
  int per_word() const {
    return format == WordFormat::kInteger8 ? 4 : format == WordFormat::kInteger16 ? 2 : 1;
  }
  /// The words that so many coordinates take.
  int words(int axes) const { return (axes + per_word() - 1) / per_word(); }
  /// The coordinates that write() reads.
  static int padded(int axes) { return (axes + kTogether - 1) / kTogether * kTogether; }

  /// Writes one sample's coordinates, padded.
  StoredSample write(const float* from, int axes, Word* to) const;

  bool operator==(const StoredCoordinates&) const = default;
};

}  // namespace quickshiftpp
