#define QSPP_ISA avx512
#define QSPP_LANES 8
#include "all.hpp"
