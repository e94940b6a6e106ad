// SPDX-License-Identifier: MIT
// Nothing goes through the only face of a dead end, whose velocity is therefore nil if it counts as open: a bump to
// what slides along the solid. To sand it is worse: the pressure that stops it is strength of the sliver, which then
// takes hold of the sand beside it, and so has still more pressure, up to a hundred times that around. One such face
// held a slab of 20 x 3 x 6 cells in a smooth chute across the grid by 0.17 of its weight. A closed face follows what
// slides.
#include "mac/mac_dead_ends.h"

// A cell with a larger open fraction is no sliver, though it may be the end of a narrow pipe.
static const float sliver = 0.01f;

static bool is_dead_end(const shoal_mac* m, int at) {
    int open = 0;
    if (m->fraction[at] > sliver) return false;
    for (int n = 0; n < 6; n++) {
        int beside = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1), face = n % 2 == 0 ? at : beside;
        open += beside < 0 || m->open[n / 2][face] > 0.0f;
    }
    return open == 1;
}

static void find_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    if (m->has_solid[block] != SHOAL_MAC_HAS_COLLIDER) return;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) tile[s] = is_dead_end(m, SHOAL_MAC_SAMPLES * block + s) ? 1.0f : 0.0f;
}

static bool was_found(const shoal_mac* m, int at) {
    return at >= 0 && m->has_solid[at >> 9] == SHOAL_MAC_HAS_COLLIDER &&
           m->tile[(size_t)SHOAL_MAC_TILE * (size_t)(at >> 9) + (size_t)(at & 511)] > 0.0f;
}

static void close_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    if (!m->has_solid[block]) return;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
            if (m->open[axis][at] > 0.0f && (was_found(m, at) || was_found(m, shoal_mac_beside(m, at, axis, -1))))
                m->open[axis][at] = 0.0f;
}

void mac_close_dead_ends(shoal_mac* m, const shoal_exec* exec) {
    shoal_mac_each(m, exec, find_block, NULL);
    shoal_mac_each(m, exec, close_block, NULL);
}
