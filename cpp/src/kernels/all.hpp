// The kernels, written once with compiler vector types and compiled once per instruction set: each
// kernels_<set>.cpp defines QSPP_ISA and QSPP_LANES and includes this file.
//
// Nothing in them may call an inline function of the standard library: the linker keeps one copy of
// those for the whole program, and that copy must not hold instructions of a wider set.

#include "blocks.hpp"
#include "kernels/kernels.hpp"
#include "lines.hpp"
#include "rows.hpp"
#include "screens.hpp"
#include "sorting.hpp"

namespace quickshiftpp::QSPP_ISA {

extern const Kernels<float> kFloat;
extern const Kernels<double> kDouble;
extern const ScreenKernels kScreen, kRoundedScreen;
const ScreenKernels kScreen{.screen = screen<Floats32>,
                            .screen_both = screen_both<Floats32>,
                            .pair_distances = pair_distances<Floats32>};
const ScreenKernels kRoundedScreen{.screen = screen<Integers16>,
                                   .screen_both = screen_both<Integers16>,
                                   .pair_distances = pair_distances<Integers16>};

template <class T>
constexpr Kernels<T> all_kernels() {
  return {.within = within<T>,
          .near_box = near_box<T>,
          .denser = denser<T>,
          .reaching = reaching<T>,
          .run_within = run_within<T>,
          .gaussian = gaussian<T>,
          .sort = sort,
          .select = select,
          .row_distances = row_distances<T>};
}
const Kernels<float> kFloat = all_kernels<float>();
const Kernels<double> kDouble = all_kernels<double>();

}  // namespace quickshiftpp::QSPP_ISA
