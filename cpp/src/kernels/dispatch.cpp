#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/kernels.hpp"

namespace quickshiftpp {

#define QSPP_DECLARE(isa)                    \
  namespace isa {                            \
  extern const Kernels<float> kFloat;        \
  extern const Kernels<double> kDouble;      \
  extern const ScreenKernels kScreen;        \
  extern const ScreenKernels kRoundedScreen; \
  extern const QueueKernels kQueue;          \
  }
QSPP_DECLARE(baseline)
#ifdef QSPP_HAVE_X86_KERNELS
QSPP_DECLARE(avx2)
QSPP_DECLARE(avx512)
namespace avx512vnni {
extern const ScreenKernels kRoundedScreen, kByteScreen;
}
#endif
#undef QSPP_DECLARE

namespace {

/// The kernels compiled for one instruction set.
struct Level {
  const char* name;
  bool is_supported;
  const Kernels<float>* for_float;
  const Kernels<double>* for_double;
  const ScreenKernels* screen;
  const ScreenKernels* rounded_screen;
  const ScreenKernels* byte_screen;
  const QueueKernels* queue;
};

/// All instruction sets that were compiled in, the widest first.
std::span<const Level> all_levels() {
#ifdef QSPP_HAVE_X86_KERNELS
  static const bool has_avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  static const Level levels[] = {
#ifdef QSPP_HAVE_X86_KERNELS
      {"avx512vnni", has_avx512 && __builtin_cpu_supports("avx512vnni"), &avx512::kFloat,
       &avx512::kDouble, &avx512::kScreen, &avx512vnni::kRoundedScreen, &avx512vnni::kByteScreen,
       &avx512::kQueue},
      {"avx512", has_avx512, &avx512::kFloat, &avx512::kDouble, &avx512::kScreen,
       &avx512::kRoundedScreen, nullptr, &avx512::kQueue},
      {"avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), &avx2::kFloat,
       &avx2::kDouble, &avx2::kScreen, &avx2::kRoundedScreen, nullptr, &avx2::kQueue},
#endif
      {"baseline", true, &baseline::kFloat, &baseline::kDouble, &baseline::kScreen,
       &baseline::kRoundedScreen, nullptr, &baseline::kQueue},
  };
  return levels;
}

const Level& selected_level() {
  const char* variable = std::getenv("QUICKSHIFTPP_SIMD");
  const std::string_view wanted = variable == nullptr ? "" : variable;
  std::string available;
  for (const Level& level : all_levels()) {
    if (!level.is_supported) continue;
    if (wanted.empty() || wanted == level.name) return level;
    available += (available.empty() ? "" : ", ") + std::string(level.name);
  }
  throw std::invalid_argument(
      "the environment variable QUICKSHIFTPP_SIMD is '" + std::string(wanted) +
      "', but this processor supports only: " + available + ". Unset it to use the widest.");
}

}  // namespace

template <>
const Kernels<float>& kernels<float>() {
  return *selected_level().for_float;
}

template <>
const Kernels<double>& kernels<double>() {
  return *selected_level().for_double;
}

const ScreenKernels* screen_kernels(WordFormat format) {
  const Level& level = selected_level();
  switch (format) {
    case WordFormat::kInteger8:
      return level.byte_screen;
    case WordFormat::kInteger16:
      return level.rounded_screen;
    case WordFormat::kFloat32:
      break;
  }
  return level.screen;
}

const QueueKernels& queue_kernels() { return *selected_level().queue; }

std::string simd_level() { return selected_level().name; }

}  // namespace quickshiftpp
