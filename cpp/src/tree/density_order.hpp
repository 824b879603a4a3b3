#pragma once

#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "search/tie_order.hpp"

namespace quickshiftpp {

/// The total order of the samples by density: the smaller radius is the denser; equally dense
/// samples by coordinates, equal rows by row number. So every choice among samples is unique.
template <class T>
class DensityOrder {
 public:
  /// `squared_radius` by position.
  DensityOrder(const Index<T>& index, const double* squared_radius)
      : index_(index), squared_radius_(squared_radius) {}

  /// Ranks all samples once. Worth it where ties are the rule: comparing coordinates each time
  /// would be most of the work.
  void rank_ties(const Run& run) {
    const Buffer<std::int32_t> order =
        positions_in_tie_order(index_, [](std::int32_t) { return true; }, run);
    rank_ = Buffer<std::int32_t>(index_.samples());
    for (std::size_t r = 0; r < order.size(); ++r)
      rank_[static_cast<std::size_t>(order[r])] = static_cast<std::int32_t>(r);
  }

  const Index<T>& index() const { return index_; }
  const double* squared_radius() const { return squared_radius_; }

  bool is_denser(std::int32_t a, std::int32_t b) const {
    if (squared_radius_[a] != squared_radius_[b]) return squared_radius_[a] < squared_radius_[b];
    return comes_first(a, b);
  }
  /// The order that settles ties.
  bool comes_first(std::int32_t a, std::int32_t b) const {
    return rank_.size() > 0
               ? rank_[static_cast<std::size_t>(a)] < rank_[static_cast<std::size_t>(b)]
               : index_.comes_first(a, b);
  }

 private:
  const Index<T>& index_;
  const double* squared_radius_;
  Buffer<std::int32_t> rank_;  // by position; empty until rank_ties
};

}  // namespace quickshiftpp
