// SPDX-License-Identifier: MIT
// The walk over the neighbours of one particle on the CPU, for physics of pairs that is written on `num` (math/num.h).
// It takes sixteen neighbours at a time, register by register; lanes meet only at the end, and in one order on every
// instruction set. On a card team_walk does the same (grid/team_cuda.h).
#ifndef SHOAL_WALK_H
#define SHOAL_WALK_H

#include "fluid/num_pair.h"
#include "grid/near.h"

enum { SHOAL_WALK_SUMS = 20 }; // at most

// How many num of a group of sixteen go side by side (num_rsqrt_of): what 16 registers can hold.
enum { SHOAL_WALK_ABREAST = NUM_PARTS == 1 ? 1 : 2 };

// Adds what the neighbours `j` of i, as many as a num has lanes, give to the sums. `slot` is their place in the lists;
// `kind` a constant that tells copies of a loop apart.
typedef void (*shoal_pair_fn)(const void* view, const void* own, const num_pair* g, int i, const int* j, size_t slot,
                              int kind, num* sums);

// The sums of all lanes.
NUM_FN void shoal_walk_fold(const num* sums, int count, float* out) {
    const wide none = wide_set(0.0f);
    NUM_EACH(q, (count + 3) / 4) {
        const int  c = 4 * q, most = count - c;
        const num* s = sums + c;
        if (most == 1) {
            out[c] = wide_sum(num_joined(s, count));
        } else {
            shoal_v4 four =
                wide_sum4(num_joined(s, count), num_joined(s + 1, count), most > 2 ? num_joined(s + 2, count) : none,
                          most > 3 ? num_joined(s + 3, count) : none);
            out[c] = four.x, out[c + 1] = four.y;
            if (most > 2) out[c + 2] = four.z;
            if (most > 3) out[c + 3] = four.w;
        }
    }
}

// Writes `count` sums over the neighbours, which stand at place[j], of i, which stands at `here`. Returns whether one
// of them is nearer than sqrt(limit2): then the sums are worth nothing, since two in one spot have no direction.
NUM_FN bool shoal_walk(const void* view, const shoal_near* near, const shoal_v4* place, num4 here, float h,
                       float limit2, int i, shoal_pair_fn add, const void* own, int kind, int count, float* out) {
    num          sums[NUM_PARTS * SHOAL_WALK_SUMS];
    const num    limit = num_set(limit2);
    num          least = limit;
    const size_t first = (size_t)SHOAL_LANES * near->start[i];
    const int    n     = near->count[i];
    NUM_EACH(c, NUM_PARTS * count) { sums[c] = num_set(0.0f); }
    NUM_EACH(c, count) { out[c] = 0.0f; } // for gcc, which warns where the walk is left early
    for (int k = 0; k < n; k += SHOAL_LANES) {
        NUM_EACH(q, NUM_PARTS / SHOAL_WALK_ABREAST) {
            const int    part = q * SHOAL_WALK_ABREAST;
            const size_t slot = first + (size_t)(k + part * NUM_LANES);
            num4         at[SHOAL_WALK_ABREAST];
            num_pair     g[SHOAL_WALK_ABREAST];
            NUM_EACH(p, SHOAL_WALK_ABREAST) { at[p] = num_gather4(place, near->index + slot + p * NUM_LANES); }
            num_pair_of_each(here, at, SHOAL_WALK_ABREAST, h, g);
            NUM_EACH(p, SHOAL_WALK_ABREAST) {
                const size_t own_slot = slot + (size_t)(p * NUM_LANES);
                least                 = num_min(g[p].r2, least);
                add(view, own, &g[p], i, near->index + own_slot, own_slot, kind, sums + (part + p) * count);
            }
        }
        if (NUM_PARTS > 2) { // few registers: `least` need not stay in one
            if (num_any_less(least, limit)) return true;
            least = limit;
        }
    }
    shoal_walk_fold(sums, count, out);
    return num_any_less(least, limit);
}

// The same without places: for sums over what is kept of each pair, as sweeps take them. There is no `g`.
NUM_FN void shoal_walk_kept(const void* view, const shoal_near* near, int i, shoal_pair_fn add, const void* own,
                            int kind, int count, float* out) {
    num          sums[NUM_PARTS * SHOAL_WALK_SUMS];
    const size_t first = (size_t)SHOAL_LANES * near->start[i];
    const int    n     = near->count[i];
    NUM_EACH(c, NUM_PARTS * count) { sums[c] = num_set(0.0f); }
    for (int k = 0; k < n; k += SHOAL_LANES) {
        NUM_EACH(p, NUM_PARTS) {
            const size_t slot = first + (size_t)(k + p * NUM_LANES);
            add(view, own, NULL, i, near->index + slot, slot, kind, sums + p * count);
        }
    }
    shoal_walk_fold(sums, count, out);
}

#endif
