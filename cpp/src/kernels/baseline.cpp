// Two lanes: SSE2 on x86-64, NEON on AArch64, whatever the compiler makes of it elsewhere.
#define QSPP_ISA baseline
#define QSPP_LANES 2
#include "all.hpp"
