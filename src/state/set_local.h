// SPDX-License-Identifier: MIT
// Inside of the sets only: set.c and set_sides.c.
#ifndef SHOAL_SET_LOCAL_H
#define SHOAL_SET_LOCAL_H

#include "state/set.h"

void shoal_set_free_far(shoal_set* set);
// The STATE fields in a new order, from the buffers of now to the others, which become those of now by the caller.
shoal_status shoal_set_permute_far(shoal_set* set, const shoal_exec* exec, const int* order);

#endif
