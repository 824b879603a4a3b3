// The kernels of integers, for processors that multiply and add them in one instruction. All others
// are those of avx512.cpp.
#define QSPP_ISA avx512vnni
#define QSPP_LANES 8
#define QSPP_VNNI
#include "screens.hpp"

namespace quickshiftpp::avx512vnni {

extern const ScreenKernels kRoundedScreen, kByteScreen;
const ScreenKernels kRoundedScreen{.screen = screen<Integers16>,
                                   .screen_both = screen_both<Integers16>,
                                   .pair_distances = pair_distances<Integers16>,
                                   .store = store<int16_t>,
                                   .fill_block = fill_block<uint32_t>};
const ScreenKernels kByteScreen{.screen = screen<Integers8>,
                                .screen_both = screen_both<Integers8>,
                                .pair_distances = nullptr,
                                .store = store<int8_t>,
                                .fill_block = fill_block<uint32_t>};

}  // namespace quickshiftpp::avx512vnni
