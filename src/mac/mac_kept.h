// SPDX-License-Identifier: MIT
// Samples that are kept from step to step: some arrays of values in blocks, found again by where they lie, whatever grid
// comes next. Blocks are in the order of the grid.
#ifndef SHOAL_MAC_KEPT_H
#define SHOAL_MAC_KEPT_H

#include "mac/mac.h"

typedef struct shoal_mac_kept {
    int arrays;          // samples of each cell; set it before the first use, the rest to zero
    int count, capacity; // blocks
    int (*corner)[3];
    float* values; // [arrays x SHOAL_MAC_SAMPLES block]
} shoal_mac_kept;

void shoal_mac_kept_free(shoal_mac_kept* kept); // leaves `arrays`

// Forgets all, and makes room for those blocks of the grid that `takes` names (NULL: all); their values are to be written.
shoal_status shoal_mac_kept_renew(shoal_mac_kept* kept, const shoal_mac* mac, const uint8_t* takes);
// Array k of the block at a corner; NULL: nothing was kept there.
float* shoal_mac_kept_at(const shoal_mac_kept* kept, const int corner[3], int k);

// As bytes.
size_t       shoal_mac_kept_size(const shoal_mac_kept* kept);
void         shoal_mac_kept_save(const shoal_mac_kept* kept, void* to);
shoal_status shoal_mac_kept_load(shoal_mac_kept* kept, const void* from, size_t size); // changes nothing when it fails

#endif
