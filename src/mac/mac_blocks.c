// SPDX-License-Identifier: MIT
#include "mac/mac_blocks.h"

#include <string.h>

void shoal_mac_release(const shoal_mac_array* arrays, int count, int* capacity) {
    for (int k = 0; k < count; k++) {
        void* pointer; // of whatever type
        memcpy(&pointer, arrays[k].at, sizeof pointer);
        shoal_free(pointer);
        pointer = NULL;
        memcpy(arrays[k].at, &pointer, sizeof pointer);
    }
    *capacity = 0;
}

shoal_status shoal_mac_reserve(const shoal_mac_array* arrays, int count, int* capacity, int blocks) {
    if (blocks <= *capacity) return SHOAL_OK;
    shoal_mac_release(arrays, count, capacity);
    int n = blocks + blocks / 4 + 8;
    for (int k = 0; k < count; k++) {
        void* pointer = shoal_alloc((size_t)n, arrays[k].bytes);
        if (!pointer) {
            shoal_mac_release(arrays, count, capacity);
            return SHOAL_ERR_MEMORY;
        }
        memcpy(arrays[k].at, &pointer, sizeof pointer);
    }
    *capacity = n;
    return SHOAL_OK;
}
