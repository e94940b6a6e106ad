// SPDX-License-Identifier: MIT
// Arrays that have so much room for each block of a grid, and grow together.
#ifndef SHOAL_MAC_BLOCKS_H
#define SHOAL_MAC_BLOCKS_H

#include "mac/mac.h"

typedef struct shoal_mac_array {
    void*  at;    // address of the pointer to the array
    size_t bytes; // of a block
} shoal_mac_array;

// The row of one array in a list.
#define SHOAL_MAC_ARRAY(pointer, per_block)                                                                            \
    (shoal_mac_array) { &(pointer), (per_block) * sizeof *(pointer) }

// Room for `blocks`, and some more: all arrays anew and zero when there is too little. Without memory none is left.
shoal_status shoal_mac_reserve(const shoal_mac_array* arrays, int count, int* capacity, int blocks);
void         shoal_mac_release(const shoal_mac_array* arrays, int count, int* capacity);

#endif
