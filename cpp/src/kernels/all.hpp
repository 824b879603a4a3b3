// All kernels. They are written once, with compiler vector types, and compiled once for each
// instruction set: baseline.cpp, avx2.cpp and avx512.cpp define QSPP_ISA (a namespace) and
// QSPP_LANES (float64 values per vector), and include this file.
//
// Kernels must not call inline functions of the standard library, nor others that are not always
// inlined. The linker keeps one copy of such a function for the whole program. That copy could
// contain instructions of a wider set, which fail on processors without it.

#include "blocks.hpp"
#include "kernels/kernels.hpp"
#include "lines.hpp"
#include "queues.hpp"
#include "rows.hpp"
#include "screens.hpp"
#include "sorting.hpp"

namespace quickshiftpp::QSPP_ISA {

extern const Kernels<float> kFloat;
extern const Kernels<double> kDouble;
extern const ScreenKernels kScreen, kRoundedScreen;
extern const QueueKernels kQueue;
const ScreenKernels kScreen{.screen = screen<Floats32>,
                            .screen_both = screen_both<Floats32>,
                            .pair_distances = pair_distances<Floats32>,
                            .store = store<float>,
                            .fill_block = fill_block<uint32_t>};
const ScreenKernels kRoundedScreen{.screen = screen<Integers16>,
                                   .screen_both = screen_both<Integers16>,
                                   .pair_distances = pair_distances<Integers16>,
                                   .store = store<int16_t>,
                                   .fill_block = fill_block<uint32_t>};
const QueueKernels kQueue{.append = append,
                          .append_at_most = append_at_most,
                          .keep_at_most = keep_at_most,
                          .about_kth_smallest = about_kth_smallest};

template <class T>
constexpr Kernels<T> all_kernels() {
  return {.within = within<T>,
          .near_box = near_box<T>,
          .denser = denser<T>,
          .reaching = reaching<T>,
          .run_within = run_within<T>,
          .gaussian = gaussian<T>,
          .sort = sort,
          .merge_top_k = merge_top_k,
          .row_distances = row_distances<T>,
          .fill_block = fill_block<T>,
          .add_product = add_product<T>,
          .are_below = are_below<T>,
          .extent = extent<T>,
          .center_row = center_row<T>};
}
const Kernels<float> kFloat = all_kernels<float>();
const Kernels<double> kDouble = all_kernels<double>();

}  // namespace quickshiftpp::QSPP_ISA
