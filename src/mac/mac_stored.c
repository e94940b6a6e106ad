// SPDX-License-Identifier: MIT
#include "mac/mac_stored.h"

#include <string.h>

enum { CORNER, VALUES }; // in the order of SHOAL_MAC_STORED_FIELDS

static const int32_t* corner_of(const shoal_set* k, int block) {
    return (const int32_t*)k->fields[CORNER].data + 3 * (size_t)block;
}

shoal_status shoal_mac_stored_renew(shoal_set* k, const shoal_mac* m, const uint8_t* takes) {
    int count = 0;
    for (int b = 0; b < m->block_count; b++) count += !takes || takes[b];
    SHOAL_TRY(shoal_set_rebuild(k, count));
    int32_t* corner = k->fields[CORNER].data;
    for (int b = 0; b < m->block_count; b++) {
        if (takes && !takes[b]) continue;
        memcpy(corner, m->corner[b], sizeof m->corner[b]);
        corner += 3;
    }
    return SHOAL_OK;
}

float* shoal_mac_stored_at(const shoal_set* k, const int corner[3], int array) {
    int low = 0, high = k->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (shoal_mac_order(corner_of(k, middle), corner) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool               is_there = low < k->count && shoal_mac_order(corner_of(k, low), corner) == 0;
    const shoal_field* values   = &k->fields[VALUES];
    return is_there ? (float*)values->data + (size_t)low * (size_t)values->def.width + (size_t)array * SHOAL_MAC_SAMPLES
                    : NULL;
}

shoal_status shoal_mac_stored_check(const shoal_set* k) {
    for (int b = 1; b < k->count; b++)
        if (shoal_mac_order(corner_of(k, b - 1), corner_of(k, b)) >= 0)
            return shoal_fail(SHOAL_ERR_INPUT, "the saved blocks of %s are out of order", k->name);
    return SHOAL_OK;
}
