// SPDX-License-Identifier: MIT
// The search, sixteen candidates at a time. The candidates of a cell are first thinned to those within h of the box
// around its items (about half are left), then tested against each item.
#include "grid/near_local.h"
#include "math/wide.h"

typedef struct candidates {
    float *x, *y, *z;
    int*   item;
    int    count;
} candidates;

// Keeps the items of the runs whose distance to the box [low, high] is below h.
static void thin(candidates* thinned, const near_search* s, const near_run* runs, int run_count, shoal_v3 low,
                 shoal_v3 high) {
    const wide zero = wide_set(0.0f), h2 = wide_set(s->h * s->h * 1.0001f); // a little more, for rounding
    const wide lx = wide_set(low.x), ly = wide_set(low.y), lz = wide_set(low.z);
    const wide hx = wide_set(high.x), hy = wide_set(high.y), hz = wide_set(high.z);
    int        count = 0;
    for (int r = 0; r < run_count; r++)
        for (int j = runs[r].begin; j < runs[r].end; j += SHOAL_LANES) {
            int left = runs[r].end - j, index[SHOAL_LANES];
            for (int k = 0; k < SHOAL_LANES; k++) index[k] = j + k;
            wide     x = wide_load(s->x + j), y = wide_load(s->y + j), z = wide_load(s->z + j);
            wide     dx   = wide_max(wide_max(wide_sub(lx, x), wide_sub(x, hx)), zero);
            wide     dy   = wide_max(wide_max(wide_sub(ly, y), wide_sub(y, hy)), zero);
            wide     dz   = wide_max(wide_max(wide_sub(lz, z), wide_sub(z, hz)), zero);
            wide     r2   = wide_add(wide_add(wide_mul(dx, dx), wide_mul(dy, dy)), wide_mul(dz, dz));
            unsigned mask = wide_less(r2, h2);
            if (left < SHOAL_LANES) mask &= (1u << left) - 1u;
            wide_compress(thinned->x + count, x, mask);
            wide_compress(thinned->y + count, y, mask);
            wide_compress(thinned->z + count, z, mask);
            wide_compress_int(thinned->item + count, index, mask);
            count += __builtin_popcount(mask);
        }
    thinned->count = count;
    for (int k = 0; k < SHOAL_LANES; k++) { // the last group is read whole
        thinned->x[count + k] = thinned->y[count + k] = thinned->z[count + k] = SHOAL_NOWHERE;
        thinned->item[count + k]                                              = s->nobody;
    }
}

static void search(void* ctx, int cell_begin, int cell_end, int worker) {
    near_search*    s        = ctx;
    const shoal_v4* place    = s->place;
    const wide      h2       = wide_set(s->h * s->h);
    size_t          capacity = (size_t)s->near->candidate_capacity;
    float*          base     = s->near->candidates + (size_t)worker * 4 * capacity;
    candidates      thinned  = {base, base + capacity, base + 2 * capacity, (int*)(void*)(base + 3 * capacity), 0};
    near_walk       walk;
    near_run        runs[NEAR_ROWS];
    near_walk_begin(&walk, s, cell_begin);

    for (int c = cell_begin; c < cell_end; c++) {
        int run_count = near_walk_runs(&walk, c, runs);
        if (run_count == 0) {
            near_none(s, c);
            continue;
        }
        int      begin = s->own->cell_start[c], end = s->own->cell_start[c + 1];
        shoal_v3 low = {place[begin].x, place[begin].y, place[begin].z}, high = low;
        for (int i = begin + 1; i < end; i++) {
            shoal_v4 p = place[i];
            low        = shoal_v3_make(p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y, p.z < low.z ? p.z : low.z);
            high = shoal_v3_make(p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y, p.z > high.z ? p.z : high.z);
        }
        thin(&thinned, s, runs, run_count, low, high);

        size_t groups_most = (size_t)thinned.count / SHOAL_LANES + 2; // one more: compress writes whole groups
        for (int i = begin; i < end; i++) {
            int* list = near_take(s, worker, groups_most);
            if (!list) return;
            const wide x = wide_set(place[i].x), y = wide_set(place[i].y), z = wide_set(place[i].z);
            int        found = 0, self = near_self(s, i);
            for (int k = 0; k < thinned.count; k += SHOAL_LANES) {
                wide     dx   = wide_sub(x, wide_load(thinned.x + k));
                wide     dy   = wide_sub(y, wide_load(thinned.y + k));
                wide     dz   = wide_sub(z, wide_load(thinned.z + k));
                wide     r2   = wide_add(wide_add(wide_mul(dx, dx), wide_mul(dy, dy)), wide_mul(dz, dz));
                unsigned mask = wide_less(r2, h2) & wide_differs(thinned.item + k, self);
                wide_compress_int(list + found, thinned.item + k, mask);
                found += __builtin_popcount(mask);
            }
            s->near->start[i] = (uint32_t)((size_t)(list - s->near->index) / SHOAL_LANES);
            s->near->count[i] = found;
            wide_fill(list + found, s->nobody);
            near_return_slots(s, worker, groups_most - ((size_t)found + SHOAL_LANES - 1) / SHOAL_LANES);
        }
    }
}

const near_loops SHOAL_WIDE_NAME(near_loops) = {search};
