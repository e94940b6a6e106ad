// SPDX-License-Identifier: MIT
// num_check with a float as num, as on a card.
#define SHOAL_ISA_one 1
#define SHOAL_ISA_SUFFIX one
#include "num_check.c"
