#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "samples.hpp"

using namespace quickshiftpp;
using tuning::kBlock;

TEST_CASE_TEMPLATE("within: samples and squared distances equal those of a plain loop", T, float,
                   double) {
  testing::TwoThreads two_threads;
  for (int columns : {1, 2, 3, 4, 5, 6, 16, 31, 32, 33, 64, 100}) {
    const std::size_t samples = 2 * kBlock - 5;
    const auto rows = testing::random_rows<T>(samples, columns, 0, 7);
    const Index<T> index(rows.data(), samples, columns, false, two_threads.run);
    std::vector<double> query(rows.begin(), rows.begin() + columns);
    for (double limit : {0.0, 0.3 * columns, 0.7 * columns, 1e300}) {
      for (std::int32_t block = 0; block < index.blocks(); ++block) {
        double squared[kWithinCapacity];
        std::int32_t position[kWithinCapacity];
        const int found = kernels<T>().within(index.block(block), index.block_begin(block), columns,
                                              query.data(), limit, squared, position);
        int expected = 0;
        for (std::int32_t i = index.block_begin(block); i < index.block_end(block); ++i) {
          const double exact = testing::squared_distance(rows, columns, 0, i);
          if (exact > limit) continue;
          REQUIRE(expected < found);
          CHECK(position[expected] == i);
          CHECK(squared[expected] == exact);
          ++expected;
        }
        CHECK(expected == found);
      }
    }
  }
}

TEST_CASE("gaussian: close to the C library's exponential; exactly 1 for the sample itself") {
  testing::TwoThreads two_threads;
  const auto rows = testing::random_rows<double>(kBlock, 3, 0, 3);
  const Index<double> index(rows.data(), kBlock, 3, false, two_threads.run);
  for (double rate : {0.01, 1.0, 9.0}) {
    double expected = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
      expected += std::exp(-rate * testing::squared_distance(rows, 3, 0, i));
    const double sum = std::ldexp(
        kernels<double>().gaussian(index.block(0), 3, rows.data(), rate, 36.1 / rate), -51);
    CHECK(std::abs(sum - expected) < 1e-13);
  }
  // For a sample alone in its block, the sum is the term of the sample itself: exactly 1.
  const Index<double> one(rows.data(), 1, 3, false, two_threads.run);
  CHECK(kernels<double>().gaussian(one.block(0), 3, rows.data(), 1.0, 36.1) == std::uint64_t{1}
                                                                                   << 51);
}

TEST_CASE("near_box agrees with point_box_distance, also at the limit itself") {
  testing::TwoThreads two_threads;
  for (int columns : {1, 2, 3, 5, 9, 40}) {
    const auto rows = testing::random_rows<float>(kBlock, columns, 12, columns);
    const Index<float> index(rows.data(), kBlock, columns, false, two_threads.run);
    std::vector<double> box(2 * static_cast<std::size_t>(columns), 4.0), point(columns);
    for (int c = 0; c < columns; ++c) box[columns + c] = 6.0 + c % 2;
    for (double slack : {0.0, -1.0, 1.0}) {  // at the distance itself, below it and above it
      alignas(64) double limit[kBlock];
      std::uint32_t expected = 0;
      for (int lane = 0; lane < kBlock; ++lane) {
        index.gather(lane, point.data());
        const double distance = point_box_distance(point.data(), box.data(), columns);
        limit[lane] = distance + slack * (lane % 3);
        expected |= static_cast<std::uint32_t>(distance <= limit[lane]) << lane;
      }
      CHECK(kernels<float>().near_box(index.block(0), columns, box.data(), limit) == expected);
    }
  }
}

TEST_CASE("reaching and denser agree with plain loops") {
  testing::TwoThreads two_threads;
  std::mt19937 engine(5);
  for (int round = 0; round < 8; ++round) {
    alignas(64) double squared_radius[kBlock];
    for (double& value : squared_radius) value = static_cast<double>(engine() % 6);
    for (int columns : {1, 2, 3, 5, 40}) {
      // Real coordinates: the nearest is in either half of the block.
      const auto rows = testing::random_rows<double>(kBlock, columns, round % 2 == 0 ? 3 : 0,
                                                     static_cast<unsigned>(9 + columns + round));
      const Index<double> index(rows.data(), kBlock, columns, false, two_threads.run);
      const std::vector<double> query(columns, 1.0);
      std::uint32_t reaching = 0, equally_dense = 0, nearest = 0;
      double least = 4;  // the limit
      for (int i = 0; i < kBlock; ++i) {
        double squared = 0;
        for (int c = 0; c < columns; ++c)
          squared += (rows[i * columns + c] - 1) * (rows[i * columns + c] - 1);
        const std::uint32_t bit = std::uint32_t{1} << i;
        if (squared <= squared_radius[i] && squared_radius[i] <= 3) reaching |= bit;
        if (squared <= 4 && squared_radius[i] == 3) equally_dense |= bit;
        if (squared > least || squared_radius[i] >= 3) continue;
        nearest = squared < least ? bit : nearest | bit;
        least = squared;
      }
      const auto& kernel = kernels<double>();
      CHECK(kernel.reaching(index.block(0), columns, query.data(), 3, squared_radius) == reaching);
      const DenserInBlock found =
          kernel.denser(index.block(0), columns, query.data(), 4, squared_radius, 3);
      CHECK(found.nearest == nearest);
      CHECK(found.equally_dense == equally_dense);
      if (nearest != 0) CHECK(found.squared == least);
    }
  }
}

TEST_CASE_TEMPLATE("fill_block: all columns of the rows, one after the other", T, float, double) {
  for (std::size_t columns : {1u, 2u, 7u, 8u, 13u, 64u, 100u}) {
    const auto data = testing::random_rows<T>(kBlock, static_cast<int>(columns), 0, 7);
    const T* rows[kBlock];
    for (int i = 0; i < kBlock; ++i) rows[i] = data.data() + (kBlock - 1 - i) * columns;
    std::vector<T> out(kBlock * columns);
    kernels<T>().fill_block(rows, columns, out.data());
    for (std::size_t c = 0; c < columns; ++c)
      for (int i = 0; i < kBlock; ++i) CHECK(out[c * kBlock + i] == rows[i][c]);
  }
}

TEST_CASE("fill_block: words of any kind, among them those that are NaN as float32") {
  for (auto format : {WordFormat::kFloat32, WordFormat::kInteger16, WordFormat::kInteger8}) {
    if (screen_kernels(format) == nullptr) continue;
    for (std::size_t words : {1u, 7u, 8u, 13u, 64u}) {
      std::vector<std::uint32_t> data(kBlock * words);
      std::mt19937 engine(3);
      for (std::uint32_t& word : data) word = engine() | (engine() % 2 == 0 ? 0x7F800000u : 0u);
      const std::uint32_t* rows[kBlock];
      for (std::size_t i = 0; i < kBlock; ++i) rows[i] = data.data() + (kBlock - 1 - i) * words;
      std::vector<std::uint32_t> out(kBlock * words);
      screen_kernels(format)->fill_block(rows, words, out.data());
      for (std::size_t w = 0; w < words; ++w)
        for (std::size_t i = 0; i < kBlock; ++i) CHECK(out[w * kBlock + i] == rows[i][w]);
    }
  }
}

TEST_CASE_TEMPLATE("row_distances: exactly the distances, summed as everywhere", T, float, double) {
  for (std::size_t columns : {1u, 3u, 8u, 9u, 13u, 16u, 64u, 100u}) {
    const auto data = testing::random_rows<T>(kRowsTogether + 1, static_cast<int>(columns), 0, 7);
    const T* rows[kRowsTogether];
    for (int i = 0; i < kRowsTogether; ++i) rows[i] = data.data() + (i + 1) * columns;
    double squared[kRowsTogether];
    const std::vector<double> query(data.data(), data.data() + columns);
    kernels<T>().row_distances(query.data(), rows, columns, squared);
    for (std::size_t i = 0; i < kRowsTogether; ++i)
      CHECK(squared[i] == testing::squared_distance(data, static_cast<int>(columns), i + 1, 0));
  }
}

namespace {

/// Random points, packed into words as ScreenKernels expects them, and the values they represent.
struct PackedRows {
  std::vector<std::uint32_t> words;  // row-major
  std::vector<double> values;
  int row_words;

  PackedRows(std::size_t samples, int axes, WordFormat format, int row_words, unsigned seed)
      : words(samples * row_words), values(samples * axes), row_words(row_words) {
    const auto rows = testing::random_rows<float>(samples, axes, 0, seed);
    const int count = per_word(format), bits = 32 / count;
    for (std::size_t i = 0; i < samples; ++i)
      for (int a = 0; a < axes; ++a) {
        double& value = values[i * axes + a];
        std::uint32_t* row = words.data() + i * row_words;
        value = rows[i * axes + a];
        if (format == WordFormat::kFloat32) {
          row[a] = std::bit_cast<std::uint32_t>(rows[i * axes + a]);
        } else {
          value = std::round(unit(format) * value);
          row[a / count] |= (static_cast<std::uint32_t>(static_cast<int>(value)) << (32 - bits)) >>
                            (32 - bits - a % count * bits);
        }
      }
  }
  static int per_word(WordFormat format) {
    return format == WordFormat::kInteger8 ? 4 : format == WordFormat::kInteger16 ? 2 : 1;
  }
  /// What stands for 1.
  static double unit(WordFormat format) {
    return format == WordFormat::kInteger8 ? 127 : format == WordFormat::kInteger16 ? 1000 : 1;
  }
};

}  // namespace

TEST_CASE("screen and screen_both agree with a plain loop, up to rounding") {
  for (auto format : {WordFormat::kFloat32, WordFormat::kInteger16, WordFormat::kInteger8})
    for (int axes : {1, 2, 15, 16, 33, 40}) {
      if (screen_kernels(format) == nullptr) continue;
      const double unit = PackedRows::unit(format) * PackedRows::unit(format);
      const int count = PackedRows::per_word(format), words = (axes + count - 1) / count;
      const PackedRows points(tuning::kQueryGroup, axes, format, words, 3 + axes);
      const PackedRows targets(kBlock, axes, format, words, 4 + axes);
      const bool has_bytes = format == WordFormat::kInteger8;
      std::vector<std::uint32_t> by_word(words * tuning::kQueryGroup), block;
      for (int i = 0; i < (has_bytes ? kBlock : 0); ++i)
        block.push_back(static_cast<std::uint32_t>(
            -128 *
            static_cast<int>(std::accumulate(targets.values.begin() + i * axes,
                                             targets.values.begin() + (i + 1) * axes, 0.0))));
      for (int w = 0; w < words; ++w) {
        for (int q = 0; q < tuning::kQueryGroup; ++q)
          by_word[w * tuning::kQueryGroup + q] =
              points.words[q * words + w] ^ (has_bytes ? 0x80808080u : 0u);
        for (int i = 0; i < kBlock; ++i) block.push_back(targets.words[i * words + w]);
      }
      const auto in_units = [&](double value) { return static_cast<float>(unit * value); };
      float half_norm[kBlock], threshold[tuning::kQueryGroup];
      std::uint32_t mask[tuning::kQueryGroup];
      for (int i = 0; i < kBlock; ++i) half_norm[i] = in_units(0.01 * i);
      half_norm[29] = std::numeric_limits<float>::quiet_NaN();
      for (int q = 0; q < tuning::kQueryGroup; ++q) threshold[q] = in_units(0.1 * (q - 4));
      threshold[6] = -std::numeric_limits<float>::infinity();
      threshold[7] = std::numeric_limits<float>::infinity();
      const ScreenKernels& kernel = *screen_kernels(format);
      std::vector<float> found(tuning::kQueryGroup * kBlock), found_for_both(found);
      kernel.screen(block.data(), words, by_word.data(), half_norm, threshold, mask, found.data());
      // screen_both: the same mask, and one for the other side.
      float own_half_norm[tuning::kQueryGroup], other_threshold[kBlock];
      std::uint32_t same[tuning::kQueryGroup], other[tuning::kQueryGroup];
      for (int q = 0; q < tuning::kQueryGroup; ++q) own_half_norm[q] = in_units(0.03 * q);
      for (int i = 0; i < kBlock; ++i) other_threshold[i] = in_units(0.1 * (i % 7 - 3));
      other_threshold[5] = std::numeric_limits<float>::infinity();
      kernel.screen_both(block.data(), words, by_word.data(), half_norm, threshold, own_half_norm,
                         other_threshold, same, other, found_for_both.data());
      CHECK(std::equal(mask, mask + tuning::kQueryGroup, same));
      CHECK(found == found_for_both);
      for (int q = 0; q < tuning::kQueryGroup; ++q) {
        for (int i = 0; i < kBlock; ++i) {
          double product = 0;
          for (int a = 0; a < axes; ++a)
            product += points.values[q * axes + a] * targets.values[i * axes + a];
          const bool is_set = (mask[q] >> i & 1) != 0;
          const double there = product - half_norm[i];
          CHECK(std::abs(product - found[q * kBlock + i]) <= 1e-5 * unit);
          if (std::isnan(there)) {
            CHECK(!is_set);
          } else if (std::abs(there - threshold[q]) > 1e-5 * unit) {
            CHECK(is_set == (there >= threshold[q]));
          }
          const double back = product - own_half_norm[q];
          if (std::abs(back - other_threshold[i]) > 1e-5 * unit)
            CHECK((other[q] >> i & 1) == (back >= other_threshold[i]));
        }
      }
    }
}

TEST_CASE("pair_distances: up to rounding") {
  for (auto format : {WordFormat::kFloat32, WordFormat::kInteger16})
    for (int words : {16, 48, 192}) {
      const int axes = PackedRows::per_word(format) * words;
      const std::size_t samples = 5;
      const PackedRows rows(samples, axes, format, words, static_cast<unsigned>(words));
      const SamplePair pairs[] = {{0, 1, 7}, {4, 0, 0}, {2, 2, 1}};
      float squared[3];
      screen_kernels(format)->pair_distances(rows.words.data(), words, pairs, 3, squared);
      for (int i = 0; i < 3; ++i) {
        double exact = 0;
        for (int a = 0; a < axes; ++a) {
          const double apart =
              rows.values[pairs[i].a * axes + a] - rows.values[pairs[i].b * axes + a];
          exact += apart * apart;
        }
        CHECK(std::abs(squared[i] - exact) <= 1e-6 * exact);
      }
    }
}

TEST_CASE("store: multiples of a step, and what is known of them") {
  constexpr int count = 2 * ScreenKernels::kStoredTogether;
  std::vector<float> coordinates(count);
  std::mt19937 engine(11);
  std::uniform_real_distribution<float> draw(-1, 1);
  for (float& coordinate : coordinates) coordinate = draw(engine);
  for (auto format : {WordFormat::kFloat32, WordFormat::kInteger16, WordFormat::kInteger8}) {
    if (screen_kernels(format) == nullptr) continue;
    const int per_word = PackedRows::per_word(format);
    const double step = format == WordFormat::kInteger8 ? 0x1p-6 : 0x1p-13;
    std::vector<std::uint32_t> words(static_cast<std::size_t>(count / per_word));
    const StoredSample stored =
        screen_kernels(format)->store(coordinates.data(), count, step, words.data());
    double moved = 0, squares = 0, sum = 0;
    for (int a = 0; a < count; ++a) {
      if (format == WordFormat::kFloat32) {
        CHECK(std::bit_cast<float>(words[static_cast<std::size_t>(a)]) == coordinates[a]);
        squares += double{coordinates[a]} * coordinates[a];
        continue;
      }
      const std::uint32_t word = words[static_cast<std::size_t>(a / per_word)];
      const int bits = 32 / per_word;
      const auto integer =
          static_cast<std::int32_t>(word << (32 - bits * (a % per_word + 1))) >> (32 - bits);
      const double error = coordinates[a] - integer * step;
      CHECK(std::abs(error) <= 0.5 * step);
      moved += error * error;
      squares += double(integer) * integer;
      sum += integer;
    }
    CHECK(stored.squared_move == doctest::Approx(moved));
    CHECK(stored.squared_length == doctest::Approx(squares));
    CHECK(stored.sum == sum);
  }
}

TEST_CASE("queues: samples are appended, kept up to a key, and counted") {
  const QueueKernels& kernel = queue_kernels();
  std::mt19937 engine(12);
  for (int round = 0; round < 200; ++round) {
    const int values = round % 2 == 0 ? 5 : 100000;  // with ties, and without
    float half_norm[kBlock], product[kBlock], keys[kBlock];
    for (int i = 0; i < kBlock; ++i) {
      half_norm[i] = static_cast<float>(engine() % values);
      product[i] = 0.4f * values;
      keys[i] = half_norm[i] - product[i];
    }
    const auto mask = static_cast<std::uint32_t>(engine()) & static_cast<std::uint32_t>(engine());
    constexpr int before = 3;
    std::vector<float> key(before + kBlock + QueueKernels::kOverhang, -1e9f);
    std::vector<std::int32_t> position(key.size(), -1);
    const int added =
        kernel.append(mask, half_norm, product, 100, key.data() + before, position.data() + before);
    CHECK(added == std::popcount(mask));
    std::vector<std::pair<float, std::int32_t>> expected;
    for (int i = 0; i < before; ++i) expected.emplace_back(-1e9f, -1);
    for (int i = 0; i < kBlock; ++i)
      if ((mask >> i & 1) != 0) expected.emplace_back(keys[i], 100 + i);
    const auto holds = [&](int count) {
      CHECK(count == static_cast<int>(expected.size()));
      for (int i = 0; i < count; ++i) {
        CHECK(key[static_cast<std::size_t>(i)] == expected[static_cast<std::size_t>(i)].first);
        CHECK(position[static_cast<std::size_t>(i)] ==
              expected[static_cast<std::size_t>(i)].second);
      }
    };
    holds(before + added);
    const float largest = keys[engine() % kBlock];
    std::erase_if(expected, [&](const auto& entry) { return entry.first > largest; });
    holds(kernel.keep_at_most(largest, before + added, key.data(), position.data()));
    // By their keys instead of a mask; a lane without a sample has none.
    half_norm[7] = std::numeric_limits<float>::quiet_NaN();
    expected.resize(before, {-1e9f, -1});
    for (int i = 0; i < kBlock; ++i)
      if (i != 7 && keys[i] <= largest) expected.emplace_back(keys[i], 100 + i);
    holds(before + kernel.append_at_most(largest, half_norm, product, 100, key.data() + before,
                                         position.data() + before));
  }
}

TEST_CASE("about_kth_smallest: k keys do not exceed it, and hardly more do") {
  std::mt19937 engine(13);
  for (int count : {1, 2, 15, 16, 17, 100, 300})
    for (int k : {1, 2, 10, 20, count})
      for (int kind = 0; k <= count && kind < 4; ++kind) {
        std::vector<float> key(static_cast<std::size_t>(count + QueueKernels::kOverhang));
        for (float& value : key) {
          value = std::normal_distribution<float>()(engine);
          if (kind == 1) value = std::round(value);  // ties
          if (kind == 2) value = std::exp(20 * value);
        }
        if (kind == 3) std::fill(key.begin(), key.end(), -2.5f);
        std::vector<float> sorted(key.begin(), key.begin() + count);
        std::sort(sorted.begin(), sorted.end());
        const float found = queue_kernels().about_kth_smallest(key.data(), count, k);
        const float kth = sorted[static_cast<std::size_t>(k - 1)];
        CHECK(found >= kth);
        const auto within = std::upper_bound(sorted.begin(), sorted.end(), found) - sorted.begin();
        const auto ties = std::upper_bound(sorted.begin(), sorted.end(), kth) - sorted.begin();
        CHECK(within <= std::max<std::ptrdiff_t>(k + k / 8, ties));
      }
}

TEST_CASE_TEMPLATE("rows: below a limit, their extent, and centered", T, float, double) {
  for (std::size_t columns : {1, 7, 8, 9, 40, 100}) {
    auto row = testing::random_rows<T>(1, static_cast<int>(columns), 0, 14);
    std::vector<double> center(columns, 0.25);
    double squared = 0, largest = 0;
    for (T value : row) {
      squared += (value - 0.25) * (value - 0.25);
      largest = std::max(largest, std::abs(value - 0.25));
    }
    const Kernels<T>& kernel = kernels<T>();
    const Extent extent = kernel.extent(row.data(), center.data(), columns);
    CHECK(extent.squared_length == doctest::Approx(squared));
    CHECK(extent.largest == largest);
    std::vector<float> out(columns);
    kernel.center_row(row.data(), center.data(), 0.5, columns, out.data());
    for (std::size_t c = 0; c < columns; ++c)
      CHECK(out[c] == static_cast<float>((row[c] - 0.25) * 0.5));

    CHECK(kernel.are_below(row.data(), columns, 1e9));
    for (std::size_t c = 0; c < columns; ++c)
      for (double bad : {1e9, -1e9, std::numeric_limits<double>::quiet_NaN(),
                         -std::numeric_limits<double>::infinity()}) {
        const T good = std::exchange(row[c], static_cast<T>(bad));
        CHECK(!kernel.are_below(row.data(), columns, 1e9));
        row[c] = good;
      }
  }
}
