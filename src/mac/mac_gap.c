// SPDX-License-Identifier: MIT
// Gaps between particles are not air. Inside a liquid a cell may hold less than half of its particles by chance; with
// the pressure of air in it all around would rush in, and in a vessel that is closed and full, whatever particles are
// too dense anywhere would be moved into that one cell. So air that liquid and solids enclose, a few cells of it, is
// liquid: it keeps its volume until particles, evened out, have filled it.
#include <string.h>

#include "mac/mac_level.h"

// Cells of a gap, at most; more are a bubble.
enum { GAP_MOST = 8 };
// How deep in the liquid they are, in cells.
static const float gap_depth = 0.05f;

// The cell beyond a face of `at` where that is open, `at` itself where it is closed; -1: there is none.
static int beyond(const shoal_mac* m, int at, int n) {
    int way = n % 2 == 0 ? -1 : 1, beside = shoal_mac_beside(m, at, n / 2, way), face = way > 0 ? beside : at;
    return beside < 0 ? -1 : m->open[n / 2][face] > 0.0f ? beside : at;
}

// The cells of air that hang together with gap[0]: how many, or 0 if they are no gap.
static int gap_around(const shoal_mac* m, int gap[GAP_MOST]) {
    int count = 1;
    for (int k = 0; k < count; k++)
        for (int n = 0; n < 6; n++) {
            int next = beyond(m, gap[k], n), i = 0;
            if (next < 0) return 0;
            if (shoal_mac_has(m->liquid, next)) continue;
            while (i < count && gap[i] != next) i++;
            if (i < count) continue;
            if (count == GAP_MOST) return 0;
            gap[count++] = next;
        }
    return count;
}

// Cells beside liquid that belong to a gap.
static void find_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    uint64_t* found = m->next[0] + 8 * block;
    memset(found, 0, 8 * sizeof *found);
    for (int n = 0; n < 6; n++) {
        uint64_t beside[8];
        shoal_mac_shift(m, m->liquid, block, n / 2, n % 2 == 0 ? -1 : 1, beside);
        for (int z = 0; z < 8; z++) found[z] |= beside[z] & ~m->liquid[8 * block + z];
    }
    for (int z = 0; z < 8; z++)
        for (uint64_t left = found[z]; left; left &= left - 1) {
            int bit = __builtin_ctzll(left), gap[GAP_MOST] = {SHOAL_MAC_SAMPLES * block + 64 * z + bit};
            if (gap_around(m, gap) == 0) found[z] &= ~((uint64_t)1 << bit);
        }
}

// There are few, and they may lie in several blocks: one after the other.
void shoal_mac_fill_gaps(shoal_mac* m, const shoal_exec* exec) {
    shoal_mac_each(m, exec, find_block, NULL);
    for (int word = 0; word < 8 * m->block_count; word++)
        for (uint64_t left = m->next[0][word] & ~m->liquid[word]; left; left &= left - 1) {
            int gap[GAP_MOST] = {64 * word + __builtin_ctzll(left)}, count = gap_around(m, gap);
            for (int k = 0; k < count; k++) {
                m->liquid[gap[k] >> 6] |= (uint64_t)1 << (gap[k] & 63);
                m->phi[gap[k]] = -gap_depth;
            }
        }
}
