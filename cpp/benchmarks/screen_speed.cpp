// How fast the screen of the cascade is, beside the fastest that the processor can multiply such
// numbers: `python -m benchmarks screen` builds and runs it. One thread; 10^9 products per second.

#define QSPP_ISA avx512vnni
#define QSPP_LANES 8
#define QSPP_VNNI

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "kernels/screens.hpp"

namespace {

using namespace quickshiftpp;
using namespace quickshiftpp::avx512vnni;

constexpr int kRounds = 30;

/// The best rate of several rounds: products / seconds that work() takes.
template <class Work>
double best_rate(double products, Work&& work) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = products / taken.count() > best ? products / taken.count() : best;
  }
  return best / 1e9;
}

/// Sums in registers that do not wait for each other, and nothing from memory.
template <class Coordinates>
double peak(int per_word) {
  constexpr int sums = 16;
  constexpr long steps = 4'000'000;
  WideWords a = 0x01010101u - WideWords{}, b = 0x02020202u - WideWords{};
  typename Coordinates::Sum sum[sums] = {};
  return best_rate(static_cast<double>(steps) * sums * kWide * per_word, [&] {
    for (long step = 0; step < steps; ++step) {
      for (auto& s : sum) s = Coordinates::add_product(s, a, b);
      asm volatile("" : "+x"(a), "+x"(b));
    }
    for (auto& s : sum) asm volatile("" : "+x"(s));
  });
}

/// Blocks that stay in the second cache, as those that are compared with one block after another.
double kernel_rate(WordFormat format, int per_word, int columns) {
  const int words = columns / per_word, blocks = 8, groups = 32;
  const ScreenKernels& kernel = *screen_kernels(format);
  const std::size_t block_words = static_cast<std::size_t>(words + 1) * tuning::kBlock;
  const std::size_t group_words = static_cast<std::size_t>(words) * tuning::kQueryGroup;
  const std::vector<std::uint32_t> stored(blocks * block_words, 0x01010101u);
  const std::vector<std::uint32_t> queries(groups * group_words, 0x02020202u);
  const std::vector<float> half_norm(tuning::kBlock, 0.0f), threshold(tuning::kQueryGroup, 1e30f);
  alignas(64) float product[tuning::kQueryGroup * tuning::kBlock];
  std::uint32_t mask[tuning::kQueryGroup];
  const int repeats = 20'000 / columns + 1;
  const double pairs = double{blocks} * groups * tuning::kBlock * tuning::kQueryGroup;
  return best_rate(pairs * columns * repeats, [&] {
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t b = 0; b < blocks; ++b)
          kernel.screen(stored.data() + b * block_words, words, queries.data() + g * group_words,
                        half_norm.data(), threshold.data(), mask, product);
  });
}

template <class Coordinates>
void report(const char* name, WordFormat format, int per_word) {
  const double highest = peak<Coordinates>(per_word);
  for (int columns : {64, 256, 768, 1536}) {
    const double rate = kernel_rate(format, per_word, columns);
    std::printf("%s,%d,%.1f,%.1f,%.3f\n", name, columns, highest, rate, rate / highest);
  }
}

}  // namespace

int main() {
  if (!__builtin_cpu_supports("avx512vnni")) return 77;
  report<Integers8>("8 bits", WordFormat::kInteger8, 4);
  report<Integers16>("16 bits", WordFormat::kInteger16, 2);
  report<Floats32>("float32", WordFormat::kFloat32, 1);
}
