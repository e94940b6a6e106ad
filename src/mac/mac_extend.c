// SPDX-License-Identifier: MIT
// Velocities carried outwards, one layer of faces at a time: a new face is the mean of those of its six neighbours that
// were known before. The sets are bits, so only faces that become known cost anything.
#include "mac/mac_extend.h"

typedef struct extending {
    int  axis;
    bool keeps;
} extending;

static void extend_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    int             axis  = ((const extending*)ctx)->axis;
    bool            keeps = ((const extending*)ctx)->keeps;
    const uint64_t* known = m->known[axis];
    uint64_t        edge[8] = {0};
    for (int n = 0; n < 6; n++) {
        uint64_t beside[8];
        shoal_mac_shift(m, known, block, n / 2, n % 2 == 0 ? -1 : 1, beside);
        for (int z = 0; z < 8; z++) edge[z] |= beside[z];
    }
    for (int z = 0; z < 8; z++) {
        uint64_t now = known[8 * block + z];
        edge[z] &= ~now;
        m->next[axis][8 * block + z] = now | edge[z];
        for (uint64_t left = edge[z]; left; left &= left - 1) {
            int   at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left), count = 0;
            float u = 0.0f, change = 0.0f;
            for (int n = 0; n < 6; n++) {
                int from = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1);
                if (from < 0 || !shoal_mac_has(known, from)) continue;
                u += m->u[axis][from];
                change += m->change[axis][from];
                count++;
            }
            float inverse       = 1.0f / (float)count;
            m->change[axis][at] = change * inverse;
            m->u[axis][at]      = keeps && shoal_mac_has(m->saved[axis], at) ? m->old[axis][at] + m->change[axis][at] : u * inverse;
        }
    }
}

void shoal_mac_extend(shoal_mac* m, const shoal_exec* exec, int layers, bool keeps) {
    for (int layer = 0; layer < layers; layer++)
        for (int axis = 0; axis < 3; axis++) {
            extending e = {axis, keeps};
            shoal_mac_each(m, exec, extend_block, &e);
            uint64_t* known = m->known[axis];
            m->known[axis]  = m->next[axis];
            m->next[axis]   = known;
        }
}
