// SPDX-License-Identifier: MIT
// Samples that are kept from step to step: a set of blocks, each with its corner and some arrays of values, found again
// by where they lie, whatever grid comes next. Blocks are in the order of the grid.
#ifndef SHOAL_MAC_STORED_H
#define SHOAL_MAC_STORED_H

#include "mac/mac.h"
#include "state/set.h"

// The fields of such a set with so many arrays of samples.
#define SHOAL_MAC_STORED_FIELDS(arrays, unit, help)                                                                    \
    SHOAL_FIELD("corner", I3, 1, STATE, "", "the lowest cell of the block"),                                           \
        SHOAL_FIELD("values", F1, (arrays)*SHOAL_MAC_SAMPLES, STATE, unit, help), {                                    \
        0                                                                                                              \
    }

// Forgets all, and makes room for those blocks of the grid that `takes` names (NULL: all); their values are to be
// written.
shoal_status shoal_mac_stored_renew(shoal_set* stored, const shoal_mac* mac, const uint8_t* takes);
// Array k of the block at a corner; NULL: nothing was kept there.
float* shoal_mac_stored_at(const shoal_set* stored, const int corner[3], int k);
// Whether a set that was loaded is in order.
shoal_status shoal_mac_stored_check(const shoal_set* stored);

#endif
