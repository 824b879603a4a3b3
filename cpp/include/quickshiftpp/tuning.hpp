#pragma once

#include <cstddef>

/// Every tuning constant of the core, with the measurement that set it. None of them changes a
/// result, only how long it takes.
///
/// `python -m benchmarks calibrate` measures them anew: it builds the core with other values.
///
/// Unless said otherwise: two cores of an AMD EPYC (Zen 4, AVX-512, 1 MiB of L2 cache per core),
/// two threads, n = 1,000,000 Gaussian blobs in the plane, k = 20.
namespace quickshiftpp::tuning {

// The index.

/// Samples per block, that is, per leaf of the k-d tree. A multiple of every vector width. Masks of
/// a block are 32 bits wide, so another value needs other masks.
inline constexpr int kBlock = 32;

/// Subtrees of fewer samples than this are built by one thread.
inline constexpr std::size_t kBuildGrain = 16384;

// The choice of a search.

/// algorithm="auto" uses the k-d tree beyond this many samples, and brute force in blocks up to it.
/// The number of columns does not matter: where the tree prunes nothing (Gaussian noise, 10 to 784
/// columns), its order and its boxes cost 5 to 15%; where it does (20 blobs in the same columns),
/// it is 4 to 6 times faster.
inline constexpr int kTreeSamples = 128;

/// algorithm="auto" considers the cascade from this many columns on. Up to kRecomputeColumns, lists
/// store no distances, which its second phase needs.
inline constexpr int kCascadeColumns = 10;

/// It uses the cascade where the k-d tree would visit more pairs than the cascade compares in the
/// same time. How many it would visit is seen in a search among some of the samples, from
/// kPilotLeast to kPilotSamples, for the same part of their neighbors; kPilotNeighbors where no k
/// is given.
inline constexpr int kPilotSamples = 2048;
inline constexpr int kPilotLeast = 400;
inline constexpr int kPilotNeighbors = 16;
inline constexpr std::size_t kPilotStep = 4;  ///< one block of queries in this many is searched

// The join.

/// Blocks that are looked through for equal samples.
inline constexpr int kSitesPilot = 8;

/// At least so many columns are summed between two checks whether a whole block is already beyond
/// the bound.
inline constexpr int kAbandonColumns = 16;

/// Candidates that are collected before they are sorted and merged into a query's list, and the
/// most that can have come together once one more block was searched.
inline constexpr int kFlush = 32;
inline constexpr int kPending = kFlush + kBlock;

/// Up to this many columns a neighbor's distance is computed again instead of stored. That takes a
/// third of the memory, and the coordinates of neighbors are in the cache where a stored distance
/// would have to come from memory.
inline constexpr int kRecomputeColumns = 8;

// The cascade. Measured on MNIST (70,000 x 784, k = 20).

/// Queries that are screened together: with two vectors of targets they fill the registers.
inline constexpr int kQueryGroup = 8;

/// Leading axes along which all pairs are screened, and along which the rest is refined. 2.3% of
/// all pairs pass 32 axes, 0.4% pass 64, 0.07% pass 192. The search takes 3.1 s with 32 screening
/// axes, 3.0 with 40, 2.9 with 48 to 64; 192 or 256 axes of refinement make little difference.
inline constexpr int kScreenAxes = 48;
inline constexpr int kRefineAxes = 192;

/// Axes that the cascade's k-d tree is built over: in 0.02 s with 8, 0.03 with 16, 0.07 with 48.
/// The search takes the same time with each.
inline constexpr int kOrderAxes = 16;

/// Axes by which boxes are compared in the cascade: the others add little to the distance. Before
/// blocks were compared in pairs, the search took 7.3 s with 6, 7.5 with 12 and 7.7 with all 40.
inline constexpr int kBoxAxes = 6;

/// Up to so many samples, and from so many columns on, all samples search at the same time instead
/// of in two phases. On Zen 5, with 300 to 4,000 samples, that is 1.2 to 1.6 times as fast with
/// k = 20, twice as fast with k = 100; with 8,000 samples 1.0 to 1.2 times. With 256 columns it is
/// between 1.2 times as fast and 1.2 times slower, with 64 columns up to 1.6 times slower: there,
/// queues cost more than exact distances. Up to so many neighbors: each candidate is looked for in
/// the queue of the other one. With 4,096 samples and 512 or 1,536 columns (an Intel Xeon with
/// AMX), that is 1.8 and 1.4 times as fast with k = 200, 1.1 and 1.6 times slower with 400.
inline constexpr std::size_t kJointSamples = 4096;
inline constexpr std::size_t kJointColumns = 512;
inline constexpr int kJointNeighbors = 256;
constexpr bool searches_jointly(std::size_t samples, std::size_t columns, int k) {
  return samples <= kJointSamples && columns >= kJointColumns && k <= kJointNeighbors;
}

/// Blocks that each block searches on its own, the nearest first, before every pair of blocks is
/// compared once for both sides: a list should be nearly final by then. With 2,188 blocks the
/// search takes 4.8 s with 96 or 128, 5.0 with 256, and 5.8 s where no pair is compared for both
/// sides (medians of four rounds in turn).
inline constexpr std::size_t kFirstPhaseBlocks = 128;
constexpr std::size_t first_phase_blocks(std::size_t blocks) {
  return blocks < 512 ? kFirstPhaseBlocks / 2 : blocks < 1024 ? blocks / 8 : kFirstPhaseBlocks;
}

/// Neighboring blocks that are compared with others together, so that those come from memory once
/// for all: in three rounds in turn 4.9 to 6.2 s by ones, 4.4 to 5.2 by eights, 4.6 to 5.2 by
/// sixteens and 32s.
inline constexpr int kPairBlocks = 8;

/// Candidates that a query collects before their exact distances are computed; of more than
/// kQueueLength, the most promising first.
inline constexpr int kQueueLength = 32;
inline constexpr int kLongQueueLength = 128;

// Images. Measured on a photograph of 481 x 321 pixels, k = 20 to 300.

/// Pixels that one thread searches one after the other, each giving the next a bound: a few lines
/// of a large image, and a tenth of a second.
inline constexpr std::size_t kBandPixels = 16384;

/// Candidates that a window search collects, as a multiple of k, before it drops the farthest: 2 is
/// 3% faster than 3.
inline constexpr std::size_t kBucketCapacity = 2;

/// Images are searched in windows where a window holds at most about this many pixels for each
/// neighbor beyond the first kWindowNeighbors; each line counts as kLineCost more. In RGB and in
/// Lab with colors of growing weight, windows are 1.05 to 2.3 times faster than the k-d tree below
/// this limit, and up to 2.1 times slower above.
inline constexpr int kWindowNeighbors = 20;
inline constexpr double kWindowSizePerNeighbor = 60;
inline constexpr std::size_t kLineCost = 24;
inline constexpr std::size_t kPilotPixels = 256;  ///< pixels whose windows are measured beforehand

// The tree.

/// The cache of edges between basins that one thread can find again has up to 2^13 places. A tree
/// takes the same time with 2^11 and 2^14.
inline constexpr int kEdgeCacheBits = 13;

/// Blocks that a thread searches for edges between basins at a time; fewer where a sample with ties
/// may search the whole index, to share the work and to be interrupted soon.
inline constexpr std::size_t kEdgeBlocks = 64;
inline constexpr std::size_t kTiedEdgeBlocks = 2;

/// In two and three columns, from this many neighbors on, edges between basins are found by
/// searching the k-d tree again instead of reading long lists.
inline constexpr int kSpatialEdges2 = 30;
inline constexpr int kSpatialEdges3 = 72;
constexpr bool spatial_edges_are_faster(int columns, int k) {
  return (columns <= 2 && k >= kSpatialEdges2) || (columns == 3 && k >= kSpatialEdges3);
}

/// Edges that one thread collects before it reduces them to a spanning forest.
inline constexpr std::size_t kForestEdges = std::size_t{1} << 20;

/// Samples are ranked in tie order once, instead of compared each time, where more than one sample
/// in this many has ties beyond its list.
inline constexpr std::size_t kTiedShare = 16;

/// Samples that the intrinsic dimension is estimated from, about: more change its third digit.
inline constexpr int kDimensionSamples = 1 << 17;

// Parallel loops.

/// Coordinates of all pairs up to which one thread is as fast: 1,400 samples in the plane, 200 of
/// 100 columns. Starting a thread takes 20 to 60 microseconds, in each of the native calls of
/// a fit.
inline constexpr std::size_t kSmallWork = 4000000;

/// Samples per work item of loops over samples: enough that waking a thread pays.
inline constexpr std::size_t kGrain = 8192;

/// The same where a sample's work grows with its columns, as in conversions: a tenth of a
/// millisecond.
constexpr std::size_t row_grain(std::size_t columns) {
  constexpr std::size_t coordinates = std::size_t{1} << 19;
  return coordinates / columns + 1;
}

/// Values that one thread sorts before it checks whether it is interrupted.
inline constexpr std::size_t kSortPiece = 32768;

}  // namespace quickshiftpp::tuning
