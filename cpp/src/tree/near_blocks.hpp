#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/tuning.hpp"
#include "support/rounding.hpp"

namespace quickshiftpp {

/// Calls visit(a, b) for pairs of leaves that may hold neighbours in the mutual graph: a among the
/// blocks [begin, end), b there or later. `extremes` of the squared radii below each node.
template <class T, class Visit>
void visit_near_blocks(const Index<T>& index, const std::vector<ValueRange>& extremes,
                       std::int32_t begin, std::int32_t end, Visit&& visit) {
  visit_pairs(
      index, begin, end,
      [&](std::size_t a, std::size_t b) {
        // Neighbours lie within the radius of both. Those at distance zero of radius zero, which
        // may be any number, are linked apart.
        const double reach = std::min(extremes[a].greatest, extremes[b].greatest);
        return reach > 0 && box_box_distance(index.box(a), index.box(b), index.columns()) <= reach;
      },
      visit);
}

/// The pairs that visit_near_blocks finds, to be visited again for other radii.
///
/// With fewer neighbours radii only shrink, so that what was found for one k serves all smaller
/// ones: a sweep over k looks for them once.
class NearBlocks {
 public:
  /// Whether they were found for as many neighbours, or more, of the samples of this index.
  template <class T>
  bool serve(const Index<T>& index, int k) const {
    return k <= k_ && blocks_ == index.blocks();
  }

  /// Finds them anew. `extremes` of the squared radii for k neighbours, by node.
  template <class T>
  void find(const Index<T>& index, const std::vector<ValueRange>& extremes, int k, const Run& run) {
    const auto blocks = static_cast<std::size_t>(index.blocks());
    k_ = 0;  // should it be interrupted
    blocks_ = index.blocks();
    pieces_ = std::vector<std::vector<Pair>>((blocks + kPiece - 1) / kPiece);
    parallel_for(run, pieces_.size(), 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t p = begin; p < end; ++p)
        visit_near_blocks(
            index, extremes, static_cast<std::int32_t>(p * kPiece),
            static_cast<std::int32_t>(std::min(blocks, (p + 1) * kPiece)),
            [&](std::size_t a, std::size_t b) {
              pieces_[p].push_back(
                  {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                   rounded_down(box_box_distance(index.box(a), index.box(b), index.columns()))});
            });
    });
    k_ = k;
  }

  /// As visit_near_blocks, for no larger radii. Both ends are at multiples of kPiece, or the last.
  template <class Visit>
  void visit(const std::vector<ValueRange>& extremes, std::int32_t begin, std::int32_t end,
             Visit&& visit) const {
    for (auto p = static_cast<std::size_t>(begin) / kPiece;
         p * kPiece < static_cast<std::size_t>(end); ++p)
      visit_piece(pieces_[p], extremes, visit);
  }

  static constexpr std::size_t kPiece = tuning::kBorderBlocks;

 private:
  /// Two leaves, and the squared distance between their boxes, rounded down.
  struct Pair {
    std::int32_t a, b;
    float squared_distance;
  };

  template <class Visit>
  static void visit_piece(const std::vector<Pair>& pairs, const std::vector<ValueRange>& extremes,
                          Visit&& visit) {
    for (const Pair& pair : pairs) {
      const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
      const double reach = std::min(extremes[a].greatest, extremes[b].greatest);
      if (reach > 0 && pair.squared_distance <= reach) visit(a, b);
    }
  }

  int k_ = 0;
  std::int32_t blocks_ = 0;
  std::vector<std::vector<Pair>> pieces_;
};

}  // namespace quickshiftpp
