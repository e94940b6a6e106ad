// SPDX-License-Identifier: MIT
#include "mac/mac_tear.h"

#include <string.h>

#include "mac/mac_blocks.h"

typedef struct tearing {
    shoal_mac_tear*       tear;
    shoal_mac_projection* projection;
    float                 bearable;
} tearing;

void shoal_mac_tear_free(shoal_mac_tear* t) {
    shoal_free(t->torn);
    *t = (shoal_mac_tear){0};
}

shoal_status shoal_mac_tear_begin(shoal_mac_tear* t, shoal_mac* m) {
    shoal_mac_array torn = SHOAL_MAC_ARRAY(t->torn, 8);
    SHOAL_TRY(shoal_mac_reserve(&torn, 1, &t->capacity, m->block_count));
    memset(t->torn, 0, 8 * (size_t)m->block_count * sizeof *t->torn);
    m->torn = t->torn;
    return SHOAL_OK;
}

static void tear_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const tearing* t = ctx;
    for (int z = 0; z < 8; z++) {
        uint64_t torn = 0;
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int bit = __builtin_ctzll(left), at = SHOAL_MAC_SAMPLES * block + 64 * z + bit;
            if (m->pressure[at] >= -t->bearable) continue;
            torn |= (uint64_t)1 << bit;
            m->phi[at] = 0.0f;
        }
        t->tear->torn[8 * block + z] |= torn;
        m->liquid[8 * block + z] &= ~torn;
    }
}

static void guess_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const tearing* t = ctx;
    for (int z = 0; z < 8; z++)
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
            t->projection->pressure[m->index[at]] = (double)m->pressure[at];
        }
}

shoal_status shoal_mac_tear_apart(shoal_mac_tear* tear, shoal_mac_projection* projection, shoal_mac* m, const shoal_exec* exec,
                                  const shoal_poisson_def* def, float bearable, bool* has_torn) {
    tearing t      = {tear, projection, bearable};
    int     before = projection->count;
    shoal_mac_each(m, exec, tear_block, &t);
    int after = 0;
    for (int w = 0; w < 8 * m->block_count; w++) after += __builtin_popcountll(m->liquid[w]);
    *has_torn = after < before;
    if (!*has_torn) return SHOAL_OK;
    SHOAL_TRY(shoal_mac_projection_set(projection, m, exec, def));
    shoal_mac_each(m, exec, guess_block, &t);
    return SHOAL_OK;
}

static void know_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_tear* t = ctx;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        shoal_mac_shift(m, t->torn, block, axis, -1, faces);
        for (int z = 0; z < 8; z++)
            for (uint64_t left = faces[z] | t->torn[8 * block + z]; left; left &= left - 1) {
                int bit = __builtin_ctzll(left);
                if (m->open[axis][SHOAL_MAC_SAMPLES * block + 64 * z + bit] > 0.0f) m->known[axis][8 * block + z] |= (uint64_t)1 << bit;
            }
    }
}

void shoal_mac_tear_end(shoal_mac_tear* t, shoal_mac* m, const shoal_exec* exec) { shoal_mac_each(m, exec, know_block, t); }
