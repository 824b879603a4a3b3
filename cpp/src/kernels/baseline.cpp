// Vectors of two float64 values: SSE2 on x86-64, NEON on AArch64. On other processors, the compiler
// chooses the instructions.
#define QSPP_ISA baseline
#define QSPP_LANES 2
#include "all.hpp"
