#include "quickshiftpp/search/neighbor_lists.hpp"

#include <algorithm>

namespace quickshiftpp {

NeighborLists::NeighborLists(std::size_t samples, std::size_t padded_samples, int k, Stored stored)
    : samples_(samples),
      padded_samples_(padded_samples),
      k_(k),
      stored_(stored),
      stride_(static_cast<std::size_t>(k)),
      entries_(std::make_shared<Entries>()),
      squared_radius_(std::make_shared<Buffer<double>>(samples, padded_samples)),
      tied_beyond_(samples) {
  if (has_lists()) entries_->position = Buffer<std::int32_t>(samples * stride_);
  if (has_distances()) entries_->squared_distance = Buffer<double>(samples * stride_);
}

bool NeighborLists::insert(std::size_t i, double squared, std::int32_t position) {
  std::int32_t* neighbor = entries_->position.data() + i * stride_;
  double* distance = entries_->squared_distance.data() + i * stride_;
  const int last = k_ - 1;
  // The sample itself stays first.
  int c = static_cast<int>(std::lower_bound(distance + std::min(1, last), distance + k_, squared) -
                           distance);
  while (c <= last && distance[c] == squared && (c == 0 || neighbor[c] < position)) ++c;
  if (c > last) {
    if (distance[last] == squared) tied_beyond_[i] = 1;
    return false;
  }
  const double dropped = distance[last];
  std::copy_backward(neighbor + c, neighbor + last, neighbor + k_);
  std::copy_backward(distance + c, distance + last, distance + k_);
  neighbor[c] = position;
  distance[c] = squared;
  tied_beyond_[i] = dropped == distance[last];
  (*squared_radius_)[i] = distance[last];
  return true;
}

template <class T>
NeighborLists NeighborLists::prefix(const Index<T>& index, int k, const Run& run) const {
  // Short prefixes are copied: reading around the rest of long lists would take twice as long.
  const bool is_copied = 2 * static_cast<std::size_t>(k) <= stride_;
  NeighborLists shorter(samples_, padded_samples_, k, is_copied ? stored_ : Stored::radii);
  shorter.order_ = order_;
  if (!is_copied) {
    shorter.stored_ = stored_;
    shorter.stride_ = stride_;
    shorter.entries_ = entries_;
  }
  parallel_for(run, samples_, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto sample = static_cast<std::int32_t>(i);
      const double squared_radius = squared_distance(index, sample, k - 1);
      (*shorter.squared_radius_)[i] = squared_radius;
      shorter.tied_beyond_[i] =
          k < k_ ? squared_distance(index, sample, k) == squared_radius : tied_beyond_[i];
      if (!is_copied) continue;
      std::copy_n(positions(sample), k, shorter.entries_->position.data() + i * shorter.stride_);
      if (has_distances())
        std::copy_n(entries_->squared_distance.data() + i * stride_, k,
                    shorter.entries_->squared_distance.data() + i * shorter.stride_);
    }
  });
  return shorter;
}

template NeighborLists NeighborLists::prefix<float>(const Index<float>&, int, const Run&) const;
template NeighborLists NeighborLists::prefix<double>(const Index<double>&, int, const Run&) const;

}  // namespace quickshiftpp
