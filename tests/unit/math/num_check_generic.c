// SPDX-License-Identifier: MIT
// num_check as machines without intrinsics compile it.
#undef SHOAL_ISA_SUFFIX
#define SHOAL_ISA_SUFFIX generic
#include "num_check.c"
