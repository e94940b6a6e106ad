// SPDX-License-Identifier: MIT
// How many items a wide loop takes at a time: the same on every machine, so that sums have one order.
#ifndef SHOAL_LANES_H
#define SHOAL_LANES_H

enum { SHOAL_LANES = 16 };

#endif
