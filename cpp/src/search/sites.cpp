#include "search/sites.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace quickshiftpp {

namespace {

using tuning::kBlock;

/// What a look-up in memory is worth, in operations of a WorkMeter.
constexpr std::size_t kLookup = 32;

/// Spreads the bits of a number over all bits: the last step of the generator splitmix64.
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

/// Hashes of all samples, by position. Equal samples have equal hashes.
template <class T>
Buffer<std::uint64_t> hash_samples(const Index<T>& samples, const Run& run) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Buffer<std::uint64_t> hashes(samples.padded_samples());
  const auto blocks = static_cast<std::size_t>(samples.blocks());
  const std::size_t grain = tuning::row_grain(kBlock * static_cast<std::size_t>(samples.columns()));
  parallel_for(run, blocks, grain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t b = begin; b < end; ++b) {
      std::uint64_t* hash = hashes.data() + b * kBlock;
      std::fill_n(hash, kBlock, 0);
      const T* values = samples.block(static_cast<std::int32_t>(b));
      for (int c = 0; c < samples.columns(); ++c, values += kBlock)
        for (int lane = 0; lane < kBlock; ++lane)  // zero is added because -0 equals 0
          hash[lane] = mix(hash[lane] + std::bit_cast<Bits>(values[lane] + T{0}));
    }
  });
  return hashes;
}

/// The site of each row, and the first sample of each site, by position. Sites are numbered in the
/// order of their first rows.
struct NumberedSites {
  Buffer<std::int32_t> site_of_row;
  std::vector<std::int32_t> first_sample;
};

template <class T>
NumberedSites number_sites(const Index<T>& samples, const Buffer<std::int32_t>& position_of_row,
                           const Run& run) {
  const Buffer<std::uint64_t> hashes = hash_samples(samples, run);
  NumberedSites sites{Buffer<std::int32_t>(samples.samples()), {}};
  // A hash table with open addressing: the sites, and -1 for a free slot.
  std::vector<std::int32_t> table(std::bit_ceil(2 * samples.samples()), -1);
  WorkMeter meter(run, 0);
  for (std::size_t row = 0; row < samples.samples(); ++row) {
    meter.spend(kLookup + 8 * static_cast<std::size_t>(samples.columns()));
    const std::int32_t position = position_of_row[row];
    const auto is_another = [&](std::int32_t site) {
      return site >= 0 && samples.compare_coordinates(
                              sites.first_sample[static_cast<std::size_t>(site)], position) != 0;
    };
    std::size_t slot = hashes[static_cast<std::size_t>(position)];
    while (is_another(table[slot &= table.size() - 1])) ++slot;
    if (table[slot] < 0) {
      table[slot] = static_cast<std::int32_t>(sites.first_sample.size());
      sites.first_sample.push_back(position);
    }
    sites.site_of_row[row] = table[slot];
  }
  return sites;
}

}  // namespace

template <class T>
bool Sites<T>::are_few(const Index<T>& samples) {
  if (!samples.has_tree()) return false;
  const std::int32_t step = std::max(samples.blocks() / tuning::kSitesPilot, 1);
  int seen = 0, equal = 0;
  for (std::int32_t b = 0; b < samples.blocks(); b += step) {
    const T* values = samples.block(b);
    const int size = samples.block_end(b) - samples.block_begin(b);
    const auto is_equal = [&](int a, int other) {
      int c = 0;
      while (c < samples.columns() && values[c * kBlock + a] == values[c * kBlock + other]) ++c;
      return c == samples.columns();
    };
    for (int i = 1; i < size; ++i) {
      int first = 0;
      while (first < i && !is_equal(first, i)) ++first;
      equal += first < i;
    }
    seen += size;
  }
  return equal * (std::min(samples.columns(), 3) + 1) > seen;
}

template <class T>
Sites<T>::Sites(const Index<T>& samples, const Run& run) : samples_(samples.samples()) {
  const auto columns = static_cast<std::size_t>(samples.columns());
  Buffer<T> rows = collect(samples, run);
  index_ =
      std::make_unique<Index<T>>(rows.data(), rows.size() / columns, samples.columns(), true, run);
}

template <class T>
Buffer<T> Sites<T>::collect(const Index<T>& samples, const Run& run) {
  const std::size_t count = samples.samples();
  WorkMeter meter(run, 0);
  Buffer<std::int32_t> position_of_row(count);
  for (std::size_t i = 0; i < count; ++i) {
    meter.spend(kLookup);
    const auto position = static_cast<std::int32_t>(i);
    position_of_row[static_cast<std::size_t>(samples.row_at(position))] = position;
  }
  const NumberedSites found = number_sites(samples, position_of_row, run);

  const std::size_t sites = found.first_sample.size();
  begin_.resize(sites + 1);
  for (std::size_t row = 0; row < count; ++row) {
    meter.spend(kLookup);
    ++begin_[static_cast<std::size_t>(found.site_of_row[row]) + 1];
  }
  for (std::size_t s = 0; s < sites; ++s) begin_[s + 1] += begin_[s];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t row = 0; row < count; ++row) {
    meter.spend(kLookup);
    samples_[next[static_cast<std::size_t>(found.site_of_row[row])]++] = position_of_row[row];
  }

  const auto columns = static_cast<std::size_t>(samples.columns());
  Buffer<T> rows(sites * columns);
  parallel_for(run, sites, tuning::row_grain(columns),
               [&](std::size_t begin, std::size_t end, int) {
                 for (std::size_t s = begin; s < end; ++s)
                   samples.gather(found.first_sample[s], rows.data() + s * columns);
               });
  return rows;
}

template class Sites<float>;
template class Sites<double>;

}  // namespace quickshiftpp
