#include "quickshiftpp/search/coordinates.hpp"

#include "search/tie_order.hpp"

namespace quickshiftpp {

template <class T>
Buffer<std::uint64_t> coordinate_hashes(const T* rows, std::size_t samples, int columns,
                                        const Run& run) {
  Buffer<std::uint64_t> hash(samples);
  parallel_for(run, samples, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      const T* row = rows + i * static_cast<std::size_t>(columns);
      hash[i] = coordinate_hash(columns, [&](int c) { return row[c]; });
    }
  });
  return hash;
}

template <class T>
CoordinateRanks coordinate_ranks(const Index<T>& index, const Run& run) {
  CoordinateRanks ranks{Buffer<std::int32_t>(index.samples()),
                        Buffer<std::int32_t>(index.samples())};
  const Buffer<std::int32_t> positions =
      positions_in_tie_order(index, [](std::int32_t) { return true; }, run);
  for_each_site(index, positions, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      const auto row = static_cast<std::size_t>(index.row_at(positions[p]));
      ranks.rank[row] = static_cast<std::int32_t>(first);
      ranks.first_equal_row[row] = index.row_at(positions[first]);
    }
  });
  return ranks;
}

#define QSPP_INSTANTIATE(T)                                                                    \
  template Buffer<std::uint64_t> coordinate_hashes<T>(const T*, std::size_t, int, const Run&); \
  template CoordinateRanks coordinate_ranks<T>(const Index<T>&, const Run&);
QSPP_INSTANTIATE(float)
QSPP_INSTANTIATE(double)
#undef QSPP_INSTANTIATE

}  // namespace quickshiftpp
