#pragma once

#include <cstddef>

/// Every tuning constant of the core, with the measurement that set it.
///
/// Measured with `python -m benchmarks` and `python -m benchmarks.neighbors` on two cores of an AMD
/// EPYC (Zen 4, AVX-512, 1 MiB L2 per core), n = 1,000,000 Gaussian blobs in the plane, k = 20, two
/// threads. None of these changes a result, only how long it takes.
namespace quickshiftpp::tuning {

/// Samples per block (a leaf of the k-d tree). A multiple of every vector width.
inline constexpr int kBlock = 32;

/// algorithm="auto" uses the k-d tree beyond this many samples, blocked brute force up to it.
/// Columns do not enter: where the tree prunes nothing (Gaussian noise, 10 to 784 columns) its
/// order and its boxes cost 5 to 15%, where it does (20 blobs in the same columns) it is 4 to 6
/// times faster.
inline constexpr int kTreeSamples = 4 * kBlock;

/// algorithm="auto" considers the cascade from this many samples and columns on, and uses it where
/// a k-d tree over a few of the samples looks at more than this share of all pairs of blocks. At
/// 50,000 samples of 10 to 100 columns the cascade is 1.7 to 2.7 times faster where the tree prunes
/// nothing (Gaussian noise, a plane of six dimensions) and 1.6 to 2.9 times slower where it does
/// (blobs); at 10,000 samples it is the slower one of the two nearly always.
inline constexpr int kCascadeSamples = 20000;
inline constexpr int kCascadeColumns = 10;
inline constexpr int kPilotSamples = 2048;
inline constexpr int kPilotNeighbors = 16;
inline constexpr std::size_t kPilotStep = 4;  // one block of queries in so many tells enough
inline constexpr double kPilotShare = 0.5;

/// Pixels of an image that one thread searches in a row, learning from one about the next: some
/// lines of a large image, and a tenth of a second.
inline constexpr std::size_t kBandPixels = 16384;

/// Pixels that a window search gathers, as a multiple of k, before it drops the farthest. On
/// photographs of 481 x 321 pixels (k = 20 to 300) 2 is 3% faster than 3 and 8% faster than 1.5.
inline constexpr std::size_t kBucketCapacity = 2;

/// Images are searched in windows where a window holds at most so many pixels, about, for each
/// neighbor beyond the first kWindowNeighbors; a line of it counts as kLineCost pixels more. On a
/// photograph of 481 x 321 pixels in RGB and in Lab with colors of growing weight, k = 20 to 300,
/// windows are 1.05 to 2.3 times faster than the k-d tree below it and up to 2.1 times slower
/// above.
inline constexpr int kWindowNeighbors = 20;
inline constexpr double kWindowSizePerNeighbor = 60;
inline constexpr std::size_t kLineCost = 24;
/// Pixels whose windows are looked at to foresee the others'.
inline constexpr std::size_t kPilotPixels = 256;

/// Columns between two checks whether a whole block has already exceeded the bound.
inline constexpr int kAbandonColumns = 16;

/// Up to this many columns a neighbor's distance is computed again rather than stored: it takes a
/// third of the memory, and the coordinates of neighbors are in the cache while a stored distance
/// has to come from memory.
inline constexpr int kRecomputeColumns = 8;

/// Queries that are screened together: with two vectors of targets they fill the registers.
inline constexpr int kQueryGroup = 8;

/// Leading axes along which all pairs are screened, and those along which the rest is looked at
/// again, in two steps. On MNIST (70,000 x 784, k = 20) 2.3% of all pairs pass 32
/// axes, 0.4% pass 64, 0.07% pass 192. The search takes 3.1 s with 32 axes, 3.0 with 40, 2.9 with
/// 48 to 64; 64 or 96 (a multiple of 32), and 192 or 256, make little difference.
inline constexpr int kScreenAxes = 48;
inline constexpr int kFirstLook = 96;
inline constexpr int kRefineAxes = 192;

/// Axes that the cascade's k-d tree is built over: on MNIST in 0.02 s with 8, 0.03 with 16, 0.07
/// with 48, and the search takes as long with each.
inline constexpr int kOrderAxes = 16;

/// Axes by which boxes are compared in the cascade: the others add little to the distance. On
/// MNIST, before blocks met in pairs, the search took 7.3 s with 6, 7.5 with 12 and 7.7 with
/// all 40.
inline constexpr int kBoxAxes = 6;

/// Blocks that samples look through by themselves in the cascade, those around first, before every
/// two blocks meet for both sides at once: a list should be nearly final by then. On MNIST (2,188
/// blocks) the search takes 4.8 s with 96 or 128, 5.0 with 256, medians of four rounds in turn;
/// where no two meet for both, 5.8 s.
constexpr std::size_t home_blocks(std::size_t blocks) {
  return blocks < 512 ? 64 : blocks < 1024 ? blocks / 8 : 128;
}

/// Neighboring blocks that meet others together, so that those come from memory once for all: on
/// MNIST, in three rounds in turn, 4.9 to 6.2 s by ones, 4.4 to 5.2 by eights, 4.6 to 5.2 by
/// sixteens and 32s.
inline constexpr int kPairBlocks = 8;

/// Samples that wait, in the cascade, until exact distances are computed from the most promising
/// on.
inline constexpr int kQueueLength = 32;

/// Candidates that wait before they are sorted and merged into a query's list, and the most that
/// one block can make of them.
inline constexpr int kFlush = 32;
inline constexpr int kPending = kFlush + kBlock;

/// The table of edges between basins that one thread can find again has up to 2^13 places. With
/// 2^11 and 2^14 a tree of a million samples takes as long.
inline constexpr int kEdgeCacheBits = 13;

/// Blocks that a thread looks at for edges between basins before it asks for more; fewer where a
/// sample with ties may search the whole index, to share the work and to interrupt it.
inline constexpr std::size_t kEdgeBlocks = 64;
inline constexpr std::size_t kTiedEdgeBlocks = 2;

/// Edges between basins that one thread gathers before it reduces them to a spanning forest.
inline constexpr std::size_t kForestEdges = std::size_t{1} << 20;

/// Samples that the intrinsic dimension is estimated from, about: more change its third digit.
inline constexpr int kDimensionSamples = 1 << 17;

/// Coordinates are ranked once, rather than compared each time, where more than one sample in so
/// many has ties beyond its list.
inline constexpr std::size_t kTiedShare = 16;

/// Values that one thread sorts by comparisons before it looks whether it is interrupted.
inline constexpr std::size_t kSortPiece = std::size_t{1} << 15;

/// Samples per work item of the per-sample stages: enough that waking a thread pays.
inline constexpr std::size_t kGrain = 8192;

/// Subtrees of fewer samples than this are built by one thread.
inline constexpr std::size_t kBuildGrain = 16384;

}  // namespace quickshiftpp::tuning
