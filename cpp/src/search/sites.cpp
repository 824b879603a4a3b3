#include "search/sites.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

namespace quickshiftpp {

namespace {

using tuning::kBlock;

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
  parallel_for(run, blocks, tuning::kGrain / kBlock, [&](std::size_t begin, std::size_t end, int) {
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

/// Groups of equal samples, numbered as they are met.
struct Grouped {
  Buffer<std::int32_t> group_of_sample;    // by position
  std::vector<std::int32_t> first_sample;  // of each group: a position
  std::vector<std::int32_t> lowest_row;    // of each group
};

template <class T>
Grouped group_equal(const Index<T>& samples, const Run& run) {
  const Buffer<std::uint64_t> hashes = hash_samples(samples, run);
  Grouped grouped{Buffer<std::int32_t>(samples.samples()), {}, {}};
  // A hash table with open addressing: the groups, and -1 for a free slot.
  std::vector<std::int32_t> table(std::bit_ceil(2 * samples.samples()), -1);
  WorkMeter meter(run, 0);
  for (std::size_t i = 0; i < samples.samples(); ++i) {
    meter.spend(static_cast<std::size_t>(8 * samples.columns()));
    const auto position = static_cast<std::int32_t>(i);
    const auto is_another = [&](std::int32_t group) {
      return group >= 0 &&
             samples.compare_coordinates(grouped.first_sample[static_cast<std::size_t>(group)],
                                         position) != 0;
    };
    std::size_t slot = hashes[i];
    while (is_another(table[slot &= table.size() - 1])) ++slot;
    if (table[slot] < 0) {
      table[slot] = static_cast<std::int32_t>(grouped.first_sample.size());
      grouped.first_sample.push_back(position);
      grouped.lowest_row.push_back(samples.row_at(position));
    }
    const std::int32_t group = table[slot];
    grouped.group_of_sample[i] = group;
    std::int32_t& lowest = grouped.lowest_row[static_cast<std::size_t>(group)];
    lowest = std::min(lowest, samples.row_at(position));
  }
  return grouped;
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
  return equal * (samples.columns() + 1) > seen;
}

template <class T>
Sites<T>::Sites(const Index<T>& samples, const Run& run) : samples_(samples.samples()) {
  const std::size_t count = samples.samples();
  const Grouped grouped = group_equal(samples, run);
  const std::size_t sites = grouped.first_sample.size();

  // The numbers of the sites, in the order of their lowest row numbers.
  std::vector<std::int32_t> group_of_row(count, -1);
  for (std::size_t g = 0; g < sites; ++g)
    group_of_row[static_cast<std::size_t>(grouped.lowest_row[g])] = static_cast<std::int32_t>(g);
  std::vector<std::int32_t> site_of_group(sites);
  std::int32_t site = 0;
  for (const std::int32_t group : group_of_row)
    if (group >= 0) site_of_group[static_cast<std::size_t>(group)] = site++;

  begin_.resize(sites + 1);
  const auto site_of = [&](std::size_t position) {
    return static_cast<std::size_t>(
        site_of_group[static_cast<std::size_t>(grouped.group_of_sample[position])]);
  };
  for (std::size_t i = 0; i < count; ++i) ++begin_[site_of(i) + 1];
  for (std::size_t s = 0; s < sites; ++s) begin_[s + 1] += begin_[s];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < count; ++i)
    samples_[next[site_of(i)]++] = static_cast<std::int32_t>(i);

  const auto columns = static_cast<std::size_t>(samples.columns());
  Buffer<T> rows(sites * columns);
  parallel_for(run, sites, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t s = begin; s < end; ++s) {
      std::int32_t* here = samples_.data() + begin_[s];
      std::sort(here, samples_.data() + begin_[s + 1], [&](std::int32_t a, std::int32_t b) {
        return samples.row_at(a) < samples.row_at(b);
      });
      samples.gather(*here, rows.data() + s * columns);
    }
  });
  index_ = std::make_unique<Index<T>>(rows.data(), sites, samples.columns(), true, run);
}

template class Sites<float>;
template class Sites<double>;

}  // namespace quickshiftpp
