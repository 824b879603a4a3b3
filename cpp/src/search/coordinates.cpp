#include "quickshiftpp/search/coordinates.hpp"

#include "quickshiftpp/tuning.hpp"

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

template Buffer<std::uint64_t> coordinate_hashes<float>(const float*, std::size_t, int, const Run&);
template Buffer<std::uint64_t> coordinate_hashes<double>(const double*, std::size_t, int,
                                                         const Run&);

}  // namespace quickshiftpp
