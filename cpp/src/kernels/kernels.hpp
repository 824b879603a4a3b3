#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// A sample that may be a neighbor.
struct Candidate {
  double squared;
  std::int32_t position;
};

/// The denser samples of a block, one bit for each sample.
struct DenserInBlock {
  double squared;               ///< the least squared distance to a denser one
  std::uint32_t nearest;        ///< the denser ones at that distance
  std::uint32_t equally_dense;  ///< those as dense as the query
};

/// Room that the outputs of Kernels::within need: a whole block, and a vector more, since the last
/// store may be a full vector of which only some lanes count.
inline constexpr int kFoundCapacity = tuning::kBlock + 8;
/// How far Kernels::run_within may read and write beyond the end of a run.
inline constexpr int kRunOverhang = 16;

/// A line of an image, as one query sees it.
///
/// What ends in `single` discards: with float32 colors, a pixel whose distance by these exceeds
/// limit_single is beyond the limit.
template <class T>
struct Line {
  const T* colors;  ///< channel by channel, `stride` apart; NaN where there is no sample
  std::size_t stride;
  int channels;
  std::int32_t first;  ///< the number of the line's first pixel
  const double* query_color;
  const double* along;  ///< squared distance from the query along the line, by pixel
  double across;        ///< squared distance of the line from the query
  double limit;
  const float* query_color_single;
  const float* along_single;
  float across_single;
  float limit_single;
  bool is_whole;  ///< whole numbers and a limit below 2^24, where float32 makes no error
};

/// The last bits of a squared distance, which make place for a candidate's number while it is
/// sorted.
inline constexpr int kNumberBits = 6;

/// Whether two squared distances differ in those bits at most.
inline bool is_too_close(double a, double b) {
  return ((std::bit_cast<std::uint64_t>(a) ^ std::bit_cast<std::uint64_t>(b)) >> kNumberBits) == 0;
}

/// The longest list that is kept sorted in vectors.
inline constexpr int kShort = 32;

/// How a selection went.
struct Selection {
  bool is_sure;  ///< false where some are equal, or so nearly that their order is left open:
                 ///< nothing has been done then
  double next;  ///< of those left out, the least squared distance but for its last bits, and beyond
                ///< all that are kept; infinity for none
};

/// Rows of many columns whose distances are computed side by side: each is one long chain of sums.
inline constexpr int kRowsTogether = 8;

/// The arithmetic on one block of samples, compiled once for each instruction set.
///
/// A block holds tuning::kBlock samples column by column, so that one vector instruction works on
/// as many samples as it has lanes. Each lane sums its squared differences in column order, in
/// float64, without fused multiply-add: the result has the same bits at every vector width.
/// Lanes beyond the last sample hold NaN, which no comparison admits.
template <class T>
struct Kernels {
  /// Writes squared distance and position of every sample within `limit` of the query, in order;
  /// returns how many. `first` is the position of the block's first sample; both outputs have
  /// room for kFoundCapacity entries.
  int (*within)(const T* block, std::int32_t first, int columns, const double* query, double limit,
                double* squared, std::int32_t* position);

  /// Which samples of a block lie within limit[i] of a box (all lower bounds, then all upper ones):
  /// bit i is set where sample i does. Bits of lanes beyond the last sample mean nothing.
  std::uint32_t (*near_box)(const T* block, int columns, const double* box, const double* limit);

  /// The nearest samples of a block with a squared radius below `own`, and all with a squared
  /// radius of `own`, within the squared distance `limit` of the query. `squared_radius` points to
  /// that of the block's first sample; whole blocks of it are read.
  DenserInBlock (*denser)(const T* block, int columns, const double* query, double limit,
                          const double* squared_radius, double own);

  /// Which samples of a block have a squared radius of at most `own` and lie within it of the
  /// query. `squared_radius` points to that of the block's first sample; whole blocks are read.
  std::uint32_t (*reaching)(const T* block, int columns, const double* query, double own,
                            const double* squared_radius);

  /// As `within`, for the pixels [begin, end) of a line. Those after it are looked at too, up to
  /// kRunOverhang of them.
  int (*run_within)(const Line<T>& line, int begin, int end, double* squared, std::int32_t* pixel);

  /// Sum over the block of exp(-squared distance * rate), in units of 2^-51, over the samples
  /// within `limit`. An integer, so that the order of summation does not matter.
  std::uint64_t (*gaussian)(const T* block, int columns, const double* query, double rate,
                            double limit);

  /// Sorts up to tuning::kPending candidates by squared distance. Returns false where some are too
  /// close to each other: the order among those is left open. The arrays of the input have room for
  /// kPending; what lies beyond `count` may be written to where `select` is null.
  bool (*sort)(double* squared, const std::int32_t* position, int count, Candidate* out);

  /// Of a sorted list of `filled` candidates, at the beginning of the arrays, and of `count` new
  /// ones from kShort on, sorts the k nearest to the beginning. All three numbers are at most
  /// kShort; the arrays have room for two times that. Null where the instruction set makes it slow.
  Selection (*select)(double* squared, std::int32_t* position, int filled, int count, int k);

  /// Squared distances from one row to kRowsTogether others, each summed in column order.
  void (*row_distances)(const T* query, const T* const* rows, std::size_t columns, double* squared);
};

/// Two samples, by the numbers of their rows.
struct SamplePair {
  std::int32_t a, b;
  std::uint32_t user_data;
};

/// Arithmetic that may only discard, since it is rounded and in any order. It works on coordinates
/// in words of 32 bits: one float32 each, or two 16-bit integers, whose sums of products must stay
/// below 2^31.
struct ScreenKernels {
  using Word = std::uint32_t;

  /// Compares tuning::kQueryGroup queries with a block by the first `words` words of each. Bit i of
  /// mask[q] is set where the product of query q and sample i, less half_norm[i], is at least
  /// threshold[q]; never where half_norm[i] is NaN. `queries` and `block` hold their samples word
  /// by word.
  void (*screen)(const Word* block, int words, const Word* queries, const float* half_norm,
                 const float* threshold, std::uint32_t* mask);

  /// The same for both sides: also sets bit i of other_mask[q] where the product, less
  /// own_half_norm[q], is at least other_threshold[i].
  void (*screen_both)(const Word* block, int words, const Word* queries, const float* half_norm,
                      const float* threshold, const float* own_half_norm,
                      const float* other_threshold, std::uint32_t* mask, std::uint32_t* other_mask);

  /// The squared distances of pairs of rows, each `stride` words from the one before, by their
  /// first `words` words: a multiple of kRowWords. Of integers no difference may exceed 16 bits.
  void (*pair_distances)(const Word* rows, std::size_t stride, int words, const SamplePair* pairs,
                         int count, float* squared);
  static constexpr int kRowWords = 16;
};

/// The kernels in force: the widest the processor has, or the ones that the environment variable
/// QUICKSHIFTPP_SIMD names ("baseline", "avx2", "avx512"). Throws std::invalid_argument when
/// that names an instruction set that is unknown, not compiled in, or not on this processor.
template <class T>
const Kernels<T>& kernels();
/// For coordinates in float32, or rounded to integers.
const ScreenKernels& screen_kernels(bool is_rounded);

/// The name of the instruction set in force.
std::string simd_level();

}  // namespace quickshiftpp
