// SPDX-License-Identifier: MIT
// Where the surface cuts the edges of the finest lattice, and which vertices move onto it.
#include "tet/stuffing_local.h"

#include <math.h>

enum { BLOCK = 1024 };

// --- which edges

// The other end of an edge of a background vertex, -1: none. Middles of finest octants only: `at` is the octant.
static int end_of_corner(const shoal_stuffing* w, const int at[3], int bit) {
    return stuffing_corner(w, at[0] + (bit == 0), at[1] + (bit == 1), at[2] + (bit == 2));
}
static int end_of_middle(const shoal_stuffing* w, const int at[3], int bit) {
    if (bit >= STUFFING_AXES) {
        int k = bit - STUFFING_AXES;
        return stuffing_corner(w, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2));
    }
    int leaf = shoal_octree_leaf(&w->tree, 0, at[0] + (bit == 0), at[1] + (bit == 1), at[2] + (bit == 2));
    return leaf < 0 ? -1 : stuffing_middle(w, leaf);
}

static void mask_corners(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_stuffing* w = ctx;
    for (int v = begin; v < end; v++) {
        int at[3];
        w->cut_mask[v] = 0;
        shoal_morton_split(w->corners.keys[v], at);
        for (int bit = 0; bit < STUFFING_AXES; bit++) {
            int to = end_of_corner(w, at, bit);
            if (to >= 0 && w->sign[to] != w->sign[v]) w->cut_mask[v] |= (uint16_t)(1u << bit);
        }
    }
}
static void mask_middles(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_stuffing* w = ctx;
    for (int leaf = begin; leaf < end; leaf++) {
        int at[3], v = stuffing_middle(w, leaf);
        w->cut_mask[v] = 0;
        if (leaf >= w->tree.first_leaf[1]) continue; // the surface crosses finest octants only
        shoal_morton_split(w->tree.leaves[0].keys[leaf], at);
        for (int bit = 0; bit < STUFFING_EDGES; bit++) {
            int to = end_of_middle(w, at, bit);
            if (to >= 0 && w->sign[to] != w->sign[v]) w->cut_mask[v] |= (uint16_t)(1u << bit);
        }
    }
}

static void list_cuts(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_stuffing* w = ctx;
    for (int v = begin; v < end; v++) {
        if (!w->cut_mask[v]) continue;
        int at[3], cut = w->first_cut[v], corners = w->corners.count;
        shoal_morton_split(v < corners ? w->corners.keys[v] : w->tree.leaves[0].keys[v - corners], at);
        for (int bit = 0; bit < STUFFING_EDGES; bit++) {
            if (!(w->cut_mask[v] >> bit & 1)) continue;
            int    to      = v < corners ? end_of_corner(w, at, bit) : end_of_middle(w, at, bit);
            double from    = w->value[v];
            w->cuts[cut++] = (shoal_stuffing_cut){{v, to}, from / (from - w->value[to])};
        }
    }
}

// --- where on them
//
// Regula falsi [Anderson & Bjorck 1973]: of an end that stays twice, the value is made smaller, by as much as the other
// end's was, so that both close in also where the surface has an edge.

static shoal_d3 on_edge(const shoal_stuffing* w, int cut, double share) {
    shoal_d3 a = w->place[w->cuts[cut].ends[0]], b = w->place[w->cuts[cut].ends[1]];
    return shoal_d3_make(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z));
}

typedef struct root_job {
    shoal_stuffing* w;
    shoal_field_fn  field;
    void*           ctx;
    int             roots;
} root_job;

static double lessened(double now, double before) {
    double share = 1.0 - now / before;
    return share > 0.0 ? share : 0.5;
}

static void find_roots(void* ctx, int begin, int end, int worker) {
    (void)worker;
    enum { ASKED = 64 };
    root_job*       job = ctx;
    shoal_stuffing* w   = job->w;
    for (int first = begin; first < end; first += ASKED) {
        int      n = end - first < ASKED ? end - first : ASKED;
        double   low[ASKED], high[ASKED], at_low[ASKED], at_high[ASKED], value[ASKED];
        shoal_d3 at[ASKED];
        int      last[ASKED]; // the end that moved last, 0: none yet
        for (int i = 0; i < n; i++) {
            last[i]                       = 0;
            const shoal_stuffing_cut* cut = &w->cuts[first + i];
            low[i] = 0.0, high[i] = 1.0, at_low[i] = w->value[cut->ends[0]], at_high[i] = w->value[cut->ends[1]];
        }
        for (int step = 0; step < job->roots; step++) {
            for (int i = 0; i < n; i++) at[i] = on_edge(w, first + i, w->cuts[first + i].share);
            job->field(job->ctx, at, n, value);
            for (int i = 0; i < n; i++) {
                double* share = &w->cuts[first + i].share;
                if (value[i] == 0.0) continue;
                if ((value[i] > 0.0) == (at_low[i] > 0.0)) {
                    if (last[i] == 1) at_high[i] *= lessened(value[i], at_low[i]);
                    low[i] = *share, at_low[i] = value[i];
                    last[i] = 1;
                } else {
                    if (last[i] == 2) at_low[i] *= lessened(value[i], at_high[i]);
                    high[i] = *share, at_high[i] = value[i];
                    last[i] = 2;
                }
                *share = low[i] + (high[i] - low[i]) * (at_low[i] / (at_low[i] - at_high[i]));
            }
        }
        for (int i = 0; i < n; i++) w->cut_place[first + i] = on_edge(w, first + i, w->cuts[first + i].share);
    }
}

// --- who moves

// A vertex moves to the nearest of the cuts that are too near to it. All look at the cuts as they were before any of
// them moved: no edge is too near to both of its ends, since both shares are below one half.
static shoal_status warp(shoal_stuffing* w) {
    SHOAL_TRY(shoal_make_room((void**)&w->nearest, &w->nearest_room, w->vertex_count, sizeof *w->nearest));
    for (int v = 0; v < w->vertex_count; v++) w->nearest[v] = -1;
    double long_edge = w->tree.step, short_edge = 0.5 * sqrt(3.0) * w->tree.step;
    SHOAL_TRY(shoal_make_room((void**)&w->away, &w->away_room, w->vertex_count, sizeof *w->away));
    for (int cut = 0; cut < w->cut_count; cut++) {
        const int* ends    = w->cuts[cut].ends;
        bool       is_long = (ends[0] < w->corners.count) == (ends[1] < w->corners.count);
        for (int e = 0; e < 2; e++) {
            double share = e == 0 ? w->cuts[cut].share : 1.0 - w->cuts[cut].share;
            double away  = share * (is_long ? long_edge : short_edge);
            if (share >= (is_long ? SHOAL_STUFFING_LONG : SHOAL_STUFFING_SHORT)) continue;
            if (w->nearest[ends[e]] >= 0 && w->away[ends[e]] <= away) continue;
            w->nearest[ends[e]] = cut;
            w->away[ends[e]]    = away;
        }
    }
    for (int v = 0; v < w->vertex_count; v++)
        if (w->nearest[v] >= 0) w->place[v] = w->cut_place[w->nearest[v]], w->sign[v] = 0;
    return SHOAL_OK;
}

shoal_status stuffing_cut_edges(shoal_stuffing* w, shoal_field_fn field, void* ctx, int roots, const shoal_exec* exec) {
    SHOAL_TRY(shoal_make_room((void**)&w->cut_mask, &w->mask_room, w->vertex_count, sizeof *w->cut_mask));
    SHOAL_TRY(shoal_make_room((void**)&w->first_cut, &w->first_room, w->vertex_count + 1, sizeof *w->first_cut));
    shoal_blocks(exec, w->corners.count, BLOCK, mask_corners, w);
    shoal_blocks(exec, w->tree.leaf_count, BLOCK, mask_middles, w);
    w->first_cut[0] = 0;
    for (int v = 0; v < w->vertex_count; v++) w->first_cut[v + 1] = w->first_cut[v] + shoal_bit_count(w->cut_mask[v]);
    w->cut_count = w->first_cut[w->vertex_count];
    SHOAL_TRY(shoal_make_room((void**)&w->cuts, &w->cuts_room, w->cut_count, sizeof *w->cuts));
    SHOAL_TRY(shoal_make_room((void**)&w->cut_place, &w->cut_place_room, w->cut_count, sizeof *w->cut_place));
    shoal_blocks(exec, w->vertex_count, BLOCK, list_cuts, w);
    root_job job = {w, field, ctx, roots};
    shoal_blocks(exec, w->cut_count, BLOCK, find_roots, &job);
    return warp(w);
}
