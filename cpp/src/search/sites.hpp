#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"

namespace quickshiftpp {

/// The distinct rows of an index, called sites, each with the samples that are there.
///
/// Where many samples have equals, a search over the sites replaces one over the samples. Each of
/// the k + 1 nearest samples, by distance and row number, is at one of the k + 1 nearest sites, by
/// distance and lowest row number: docs/exactness.md has the proof.
template <class T>
class Sites {
 public:
  /// Whether so many samples have equals that a search over the sites seems faster, judged by how
  /// many equal another one in some blocks of the tree. The fewer columns, the less a search takes,
  /// and the more must be saved. For 500,000 samples on a grid in the plane, the search over sites
  /// takes 1.2 times as long if 25% of the samples equal another one in their block, as long at
  /// 45%, and half as long at 80%; for 100,000 samples in eight columns less than half as long at
  /// 38%.
  static bool are_few(const Index<T>& samples);

  Sites(const Index<T>& samples, const Run& run);

  /// One row for each site. Sites are numbered in the order of their lowest row numbers, so that
  /// ties between sites are broken as the proof demands.
  const Index<T>& index() const { return *index_; }
  /// The samples at a site, by position, in the order of their row numbers.
  std::span<const std::int32_t> samples_at(std::int32_t site) const {
    const auto s = static_cast<std::size_t>(site);
    return {samples_.data() + begin_[s], begin_[s + 1] - begin_[s]};
  }

 private:
  /// Finds the sites and their samples. Returns one row for each site.
  Buffer<T> collect(const Index<T>& samples, const Run& run);

  std::unique_ptr<const Index<T>> index_;
  Buffer<std::int32_t> samples_;    // positions, site by site
  std::vector<std::size_t> begin_;  // where the samples of each site begin, and the end
};

}  // namespace quickshiftpp
