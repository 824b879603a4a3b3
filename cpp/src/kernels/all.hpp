// The kernels, written once with compiler vector types and compiled once per instruction set: each
// kernels_<set>.cpp defines QSPP_ISA and QSPP_LANES and includes this file.
//
// Nothing in them may call an inline function of the standard library: the linker keeps one copy of
// those for the whole program, and that copy must not hold instructions of a wider set.

#include "basins.hpp"
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
const ScreenKernels kScreen{screen<Floats32>, screen_both<Floats32>, pair_distances<Floats32>};
const ScreenKernels kRoundedScreen{screen<Integers16>, screen_both<Integers16>,
                                   pair_distances<Integers16>};
const Kernels<float> kFloat{
    within<float>,     near_box<float>,     upward<float>, reaching<float>, between,
    run_within<float>, gaussian<float>,     sort,          select,          shares,
    crossings,         row_distances<float>};
const Kernels<double> kDouble{
    within<double>,     near_box<double>,     upward<double>, reaching<double>, between,
    run_within<double>, gaussian<double>,     sort,           select,           shares,
    crossings,          row_distances<double>};

}  // namespace quickshiftpp::QSPP_ISA
