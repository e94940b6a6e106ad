// SPDX-License-Identifier: MIT
// Velocities carried outwards, one layer of faces at a time: a new face is the mean of those of its six neighbours that
// were known before. The sets are bits, so only faces that become known cost anything.
#include "mac/mac_extend.h"

#include "mac/mac_sight.h"

typedef struct extend_job {
    int  axis;
    bool keeps;
} extend_job;

// Whether a face may take from the one `way` of it along `along`. Beside thin solids not from one that is closed, nor
// from one whose cells do not hang together with its own: velocities do not go through walls.
static bool is_linked(const shoal_mac* m, int axis, int at, int from, int along, int way) {
    if (m->open[axis][at] == 0.0f) return true;
    if (m->open[axis][from] == 0.0f) return false;
    if (along == axis) return true; // the cell between is one part
    int step[3] = {0, 0, 0}, below = shoal_mac_beside(m, at, axis, -1),
        from_below = shoal_mac_beside(m, from, axis, -1);
    step[along]    = way;
    if (mac_thin_joined(mac_part_nodes(m, at), mac_part_nodes(m, from), step)) return true;
    return below >= 0 && from_below >= 0 &&
           mac_thin_joined(mac_part_nodes(m, below), mac_part_nodes(m, from_below), step);
}

// `has_thin` is known when compiled: blocks without thin solids pay nothing for them.
static inline __attribute__((always_inline)) void extend(shoal_mac* m, int block, int axis, bool keeps, bool has_thin) {
    const uint64_t* known   = m->known[axis];
    uint64_t        edge[8] = {0};
    for (int n = 0; n < 6; n++) {
        uint64_t beside[8];
        shoal_mac_shift(m, known, block, n / 2, n % 2 == 0 ? -1 : 1, beside);
        for (int z = 0; z < 8; z++) edge[z] |= beside[z];
    }
    for (int z = 0; z < 8; z++) {
        uint64_t now = known[8 * block + z];
        edge[z] &= ~now;
        for (uint64_t left = edge[z]; left; left &= left - 1) {
            int   at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left), count = 0;
            float u = 0.0f, change = 0.0f;
            for (int n = 0; n < 6; n++) {
                int from = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1);
                if (from < 0 || !shoal_mac_has(known, from) ||
                    (has_thin && !is_linked(m, axis, at, from, n / 2, n % 2 == 0 ? -1 : 1)))
                    continue;
                u += m->u[axis][from];
                change += m->change[axis][from];
                count++;
            }
            if (has_thin && count == 0) {
                edge[z] &= ~((uint64_t)1 << (at & 63));
                continue;
            }
            float inverse       = 1.0f / (float)count;
            m->change[axis][at] = change * inverse;
            m->u[axis][at] =
                keeps && shoal_mac_has(m->saved[axis], at) ? m->old[axis][at] + m->change[axis][at] : u * inverse;
        }
        m->next[axis][8 * block + z] = now | edge[z];
    }
}

static void extend_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const extend_job* e = ctx;
    if (m->has_thin[block])
        extend(m, block, e->axis, e->keeps, true);
    else
        extend(m, block, e->axis, e->keeps, false);
}

void shoal_mac_extend(shoal_mac* m, const shoal_exec* exec, int layers, bool keeps) {
    for (int layer = 0; layer < layers; layer++)
        for (int axis = 0; axis < 3; axis++) {
            extend_job e = {axis, keeps};
            shoal_mac_each(m, exec, extend_block, &e);
            uint64_t* known = m->known[axis];
            m->known[axis]  = m->next[axis];
            m->next[axis]   = known;
        }
}
