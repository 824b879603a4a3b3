#define QSPP_ISA avx2
#define QSPP_LANES 4
#include "all.hpp"
