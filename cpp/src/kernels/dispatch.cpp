#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "kernels/kernels.hpp"

namespace quickshiftpp {

#define QSPP_DECLARE(isa)                    \
  namespace isa {                            \
  extern const Kernels<float> kFloat;        \
  extern const Kernels<double> kDouble;      \
  extern const ScreenKernels kScreen;        \
  extern const ScreenKernels kRoundedScreen; \
  }
QSPP_DECLARE(baseline)
#ifdef QSPP_HAVE_X86_KERNELS
QSPP_DECLARE(avx2)
QSPP_DECLARE(avx512)
#endif
#undef QSPP_DECLARE

namespace {

struct Level {
  const char* name;
  bool supported;
  const Kernels<float>* for_float;
  const Kernels<double>* for_double;
  const ScreenKernels* screen;
  const ScreenKernels* rounded_screen;
};

/// Widest first.
const Level* levels(int& count) {
  static const Level table[] = {
#ifdef QSPP_HAVE_X86_KERNELS
      {"avx512",
       __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
       &avx512::kFloat, &avx512::kDouble, &avx512::kScreen, &avx512::kRoundedScreen},
      {"avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), &avx2::kFloat,
       &avx2::kDouble, &avx2::kScreen, &avx2::kRoundedScreen},
#endif
      {"baseline", true, &baseline::kFloat, &baseline::kDouble, &baseline::kScreen,
       &baseline::kRoundedScreen},
  };
  count = static_cast<int>(sizeof(table) / sizeof(table[0]));
  return table;
}

const Level& level_in_force() {
  int count = 0;
  const Level* table = levels(count);
  const char* forced = std::getenv("QUICKSHIFTPP_SIMD");
  const std::string_view wanted = forced == nullptr ? "" : forced;
  std::string available;
  for (int i = 0; i < count; ++i) {
    if (!table[i].supported) continue;
    if (wanted.empty() || wanted == table[i].name) return table[i];
    available += (available.empty() ? "" : ", ") + std::string(table[i].name);
  }
  throw std::invalid_argument("the environment variable QUICKSHIFTPP_SIMD is '" +
                              std::string(wanted) + "', but this machine has only: " + available +
                              ". Unset it to use the widest.");
}

}  // namespace

template <>
const Kernels<float>& kernels<float>() {
  return *level_in_force().for_float;
}

template <>
const Kernels<double>& kernels<double>() {
  return *level_in_force().for_double;
}

const ScreenKernels& screen_kernels(bool is_rounded) {
  const Level& level = level_in_force();
  return is_rounded ? *level.rounded_screen : *level.screen;
}

std::string simd_level() { return level_in_force().name; }

}  // namespace quickshiftpp
