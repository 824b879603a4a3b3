#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "quickshiftpp/extent.hpp"
#include "quickshiftpp/summation.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// A possible neighbor of a query.
struct Candidate {
  double squared;  ///< squared distance to the query
  std::int32_t position;
};

/// The result of Kernels::denser. In the masks, bit i stands for sample i of the block.
struct DenserInBlock {
  double squared;               ///< squared distance to the nearest denser samples
  std::uint32_t nearest;        ///< mask of the denser samples at that distance
  std::uint32_t equally_dense;  ///< mask of the samples as dense as the query
};

/// The capacity that the outputs of Kernels::within need: a whole block and one vector more,
/// because the last store may write a full vector of which only some lanes are results.
inline constexpr int kWithinCapacity = tuning::kBlock + 8;
/// The number of pixels that Kernels::run_within may read and write after the end of a run.
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
  int axes = 1;        ///< of the grid; the last one is along the line
  std::int32_t first;  ///< the number of the line's first pixel
  const double* query_color;
  const double* along;  ///< squared distance from the query along the line, by pixel
  double column_sums[kColumnSums] = {};  ///< squared distance of the line, by axis: summation.hpp
  double across;                         ///< the total of these
  double limit;
  const float* query_color_single;
  const float* along_single;
  float across_single;
  float limit_single;
  bool is_whole;  ///< whole numbers and a limit below 2^24, where float32 makes no error
};

/// Candidates are sorted by 64-bit keys: the bits of the squared distance, with this many low bits
/// replaced by the candidate's slot in its array.
inline constexpr int kSlotBits = 6;
inline constexpr std::int64_t kSlotMask = (std::int64_t{1} << kSlotBits) - 1;

/// Whether two squared distances differ only in the bits that their sort keys leave out. The keys
/// do not order such candidates correctly.
[[gnu::always_inline]] inline bool has_same_sort_key(double a, double b) {
  return ((__builtin_bit_cast(std::uint64_t, a) ^ __builtin_bit_cast(std::uint64_t, b)) >>
          kSlotBits) == 0;
}

/// The largest list of neighbors that Kernels::merge_top_k can merge.
inline constexpr int kShortListSize = 32;

/// The result of Kernels::merge_top_k.
struct TopKMerge {
  /// Whether candidates have the same sort key. In the list, these are in any order, except for
  /// those that share it with the last one.
  bool has_close;
  /// The squared distance of the nearest candidate that was discarded; infinity if there is none.
  /// Of several with the same sort key as each other, but not as the last one, that of any.
  double least_discarded;
};

/// The order of candidates with the same sort key: by squared distance, ties by row number, where
/// the query itself precedes all others.
struct CloseOrder {
  const std::int32_t* row_at;  ///< the row number at each position
  std::int32_t self;           ///< the position of the query; -1 if it has none

  /// A key in this order, for the candidate in a slot.
  [[gnu::always_inline]] std::int64_t key(double squared, std::int32_t position, int slot) const {
    const std::int64_t rank = position == self ? 0 : std::int64_t{1} + row_at[position];
    return (__builtin_bit_cast(std::int64_t, squared) & kSlotMask) << (32 + kSlotBits) |
           rank << kSlotBits | slot;
  }
  [[gnu::always_inline]] static int slot(std::int64_t key) {
    return static_cast<int>(key & kSlotMask);
  }
};

/// The number of rows in one call of Kernels::row_distances. Additions to a sum wait for each
/// other, so that the sums of several rows are computed at the same time.
inline constexpr int kRowsTogether = 8;

/// Rows that are multiplied by a matrix at a time, and the width that a matrix is padded to.
inline constexpr std::size_t kProductRows = 4;
inline constexpr std::size_t kProductWidth = 32;

/// The arithmetic on one block of samples, compiled once for each instruction set.
///
/// A block holds tuning::kBlock samples column by column, so that one vector instruction processes
/// as many samples as it has lanes. Each lane sums its squared differences in the order of
/// summation.hpp, in float64, without fused multiply-add, so that the result has the same bits for
/// every vector width. Lanes after the last sample hold NaN, for which every comparison is false.
///
/// In the masks that kernels return, bit i stands for sample i of the block. A `squared_radius`
/// array starts at the value of the block's first sample; whole blocks of it are read.
template <class T>
struct Kernels {
  /// Finds the samples whose squared distance to the query is at most `squared_limit`. Writes their
  /// squared distances and positions, in order of position, and returns their number. `first` is
  /// the position of the block's first sample. Both outputs need a capacity of kWithinCapacity.
  int (*within)(const T* block, std::int32_t first, int columns, const double* query,
                double squared_limit, double* squared, std::int32_t* position);

  /// Returns a mask of the samples i whose squared distance to a box is at most squared_limit[i].
  /// The box holds the lower bounds of all columns, then the upper bounds. Bits of lanes after the
  /// last sample are undefined.
  std::uint32_t (*near_box)(const T* block, int columns, const double* box,
                            const double* squared_limit);

  /// Finds, among the samples whose squared distance to the query is at most `squared_limit`, the
  /// nearest ones with a squared radius below `own_squared_radius`, and all with an equal one.
  DenserInBlock (*denser)(const T* block, int columns, const double* query, double squared_limit,
                          const double* squared_radius, double own_squared_radius);

  /// Returns a mask of the samples whose squared radius is at least their squared distance to the
  /// query and at most `own_squared_radius`, that of the query. These are the query's mutual
  /// neighbors that are at least as dense.
  std::uint32_t (*reaching)(const T* block, int columns, const double* query,
                            double own_squared_radius, const double* squared_radius);

  /// Like `within`, for the pixels [begin, end) of a line. Up to kRunOverhang pixels after the end
  /// are processed as well.
  int (*run_within)(const Line<T>& line, int begin, int end, double* squared, std::int32_t* pixel);

  /// Sums exp(-squared distance * rate) over the samples whose squared distance to the query is at
  /// most `squared_limit`, in units of 2^-51. Each term is rounded to an integer, so that the sum
  /// does not depend on the order of the samples.
  std::uint64_t (*gaussian)(const T* block, int columns, const double* query, double rate,
                            double squared_limit);

  /// Sorts up to tuning::kPending candidates by squared distance. Returns whether the order is
  /// certain; if not, candidates with the same sort key are in any order. The input arrays need a
  /// capacity of kPending; values after the first `count` may be overwritten.
  bool (*sort)(double* squared, const std::int32_t* position, int count, Candidate* out);

  /// Merges `count` new candidates into a sorted list of `filled` and keeps the k nearest, in the
  /// order of their sort keys. The list is at the beginning of the arrays, the new candidates start
  /// at kShortListSize. None of the three numbers exceeds kShortListSize, and the arrays hold twice
  /// as many entries. Null for instruction sets where sorting with vectors is slow.
  TopKMerge (*merge_top_k)(double* squared, std::int32_t* position, int filled, int count, int k,
                           const CloseOrder& order);

  /// Computes the squared distances from one row to kRowsTogether others.
  void (*row_distances)(const double* query, const T* const* rows, std::size_t columns,
                        double* squared);

  /// Copies tuning::kBlock rows into a block: the first column of all rows, then the second one.
  void (*fill_block)(const T* const* rows, std::size_t columns, T* out);

  /// Adds the product of kProductRows rows and a matrix to `out`, which has the matrix's width, a
  /// multiple of kProductWidth. Rows are `stride` values apart. The bits of the result depend on
  /// the instruction set: only for what is rounded anyway.
  void (*add_product)(const T* rows, std::size_t stride, std::size_t columns, const T* matrix,
                      std::size_t width, T* out);

  /// Whether the absolute values are all below a limit; false for NaN.
  bool (*are_below)(const T* values, std::size_t count, double limit);

  /// The extent of one row from a center. The last bits of its length depend on the instruction
  /// set.
  Extent (*extent)(const T* row, const double* center, std::size_t columns);

  /// Writes (row - center) * unit, rounded to float32.
  void (*center_row)(const T* row, const double* center, double unit, std::size_t columns,
                     float* out);
};

/// Two samples, by the numbers of their rows.
struct SamplePair {
  std::int32_t a, b;
  std::uint32_t user_data;
};

/// How coordinates are stored in words of 32 bits.
enum class WordFormat : std::uint8_t { kFloat32, kInteger16, kInteger8 };

/// What is known of one sample once its coordinates are stored in words.
struct StoredSample {
  double squared_move = 0;    ///< by how much rounding moved it, squared
  double squared_length = 0;  ///< of the stored numbers, which may be steps
  std::int32_t sum = 0;       ///< of integers
};

/// Arithmetic that may only discard, since it is rounded and in any order. It works on coordinates
/// in words of 32 bits: a float32 each, or two 16-bit integers, or four of 8 bits. Sums of products
/// of integers must stay below 2^31.
///
/// With 8 bits, queries are stored plus 128, and a block starts with one word more per sample: -128
/// times the sum of its coordinates.
struct ScreenKernels {
  using Word = std::uint32_t;

  /// Compares tuning::kQueryGroup queries with a block by the first `words` words of each. Bit i of
  /// mask[q] is set where the product of query q and sample i, less half_norm[i], is at least
  /// threshold[q]; never where half_norm[i] is NaN. `queries` and `block` hold their samples word
  /// by word. Writes the product to product[q * tuning::kBlock + i].
  void (*screen)(const Word* block, int words, const Word* queries, const float* half_norm,
                 const float* threshold, std::uint32_t* mask, float* product);

  /// The same for both sides: also sets bit i of other_mask[q] where the product, less
  /// own_half_norm[q], is at least other_threshold[i].
  void (*screen_both)(const Word* block, int words, const Word* queries, const float* half_norm,
                      const float* threshold, const float* own_half_norm,
                      const float* other_threshold, std::uint32_t* mask, std::uint32_t* other_mask,
                      float* product);

  /// The squared distances of pairs of rows of so many words: a multiple of kRowWords. Of integers
  /// no difference may exceed 16 bits. Null for 8 bits.
  void (*pair_distances)(const Word* rows, int words, const SamplePair* pairs, int count,
                         float* squared);
  static constexpr int kRowWords = 16;

  /// Writes a multiple of kStoredTogether coordinates: integers as the nearest multiples of a step.
  StoredSample (*store)(const float* from, int count, double step, Word* to);
  static constexpr int kStoredTogether = 64;

  /// Copies tuning::kBlock rows of so many words into a block: the first word of all rows, then the
  /// second one.
  void (*fill_block)(const Word* const* rows, std::size_t words, Word* out);
};

/// The candidates of one query: an array of keys, the nearer the smaller, and one of positions.
struct QueueKernels {
  /// Values after the end of both arrays that may be read and overwritten.
  static constexpr int kOverhang = 16;

  /// Appends the samples of a block that are in the mask, and returns their number. The key of
  /// sample i is half_norm[i] less product[i]; `first` is the position of the first sample.
  int (*append)(std::uint32_t mask, const float* half_norm, const float* product,
                std::int32_t first, float* key, std::int32_t* position);

  /// The same for those whose key is at most `largest`.
  int (*append_at_most)(float largest, const float* half_norm, const float* product,
                        std::int32_t first, float* key, std::int32_t* position);

  /// Removes those with a larger key, and returns how many are left, in the same order.
  int (*keep_at_most)(float largest, int count, float* key, std::int32_t* position);

  /// A number that at least k of the keys do not exceed, and hardly more.
  float (*about_kth_smallest)(const float* key, int count, int k);
};

/// The kernels for the widest instruction set of the processor, or for the one named by the
/// environment variable QUICKSHIFTPP_SIMD ("baseline", "avx2", "avx512", "avx512vnni"). Throws
/// std::invalid_argument if that instruction set is unknown, not compiled in, or not supported by
/// the processor.
template <class T>
const Kernels<T>& kernels();
/// The kernels that screen coordinates in a format; null where the instruction set has none.
const ScreenKernels* screen_kernels(WordFormat format);
const QueueKernels& queue_kernels();

/// The name of the instruction set whose kernels are used.
std::string simd_level();

}  // namespace quickshiftpp
