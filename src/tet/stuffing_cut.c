// SPDX-License-Identifier: MIT
// Where the surface cuts the edges of the finest lattice, and which vertices move onto it.
#include "tet/stuffing_local.h"

#include <math.h>

enum { BLOCK = 1024 };

// A value so small is zero, in steps: water at rest is moved by such an error of its level by as little.
#define ROUNDING 1e-11
// Ends of an edge that are farther apart, in edges, have not closed in.
#define WIDE 1e-2

// --- which edges

// The other end of an edge of a background vertex, -1: none. Middles of finest octants only: `at` is the leaf's.
static int end_of_corner(const shoal_stuffing* w, const int at[3], int bit) {
    return stuffing_corner(w, at[0] + (bit == 0), at[1] + (bit == 1), at[2] + (bit == 2));
}
static int end_of_middle(const shoal_stuffing* w, int leaf, const int at[3], int bit) {
    if (bit >= STUFFING_AXES) return w->corner[leaf][bit - STUFFING_AXES];
    int to = shoal_octree_beside(&w->tree, leaf, 0, at, bit, 1);
    return to < 0 ? -1 : stuffing_middle(w, to);
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
            int to = end_of_middle(w, leaf, at, bit);
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
            int    to      = v < corners ? end_of_corner(w, at, bit) : end_of_middle(w, v - corners, at, bit);
            double from    = w->value[v];
            w->cuts[cut++] = (shoal_stuffing_cut){{v, to}, from / (from - w->value[to])};
        }
    }
}

// --- where on them
//
// Regula falsi [Anderson & Bjorck 1973]: of an end that stays twice, the value is made smaller, by as much as the other
// end's was, so that both close in also where the surface has an edge. Each third step halves what is between them, so
// that they do so wherever the field is bent.

static shoal_d3 on_edge(const shoal_stuffing* w, int cut, double fraction) {
    shoal_d3 a = w->position[w->cuts[cut].ends[0]], b = w->position[w->cuts[cut].ends[1]];
    return shoal_d3_make(a.x + fraction * (b.x - a.x), a.y + fraction * (b.y - a.y), a.z + fraction * (b.z - a.z));
}

typedef struct root_job {
    shoal_stuffing* w;
    shoal_field_fn  field;
    void*           ctx;
    int             roots;
} root_job;

static double lessened(double now, double before) {
    double fraction = 1.0 - now / before;
    return fraction > 0.0 ? fraction : 0.5;
}

// Where an edge is cut, between two ends that close in.
typedef struct bracket {
    int    cut;
    int    last; // the end that moved last, 0: none yet
    int    asked;
    double low, high, at_low, at_high;
} bracket;

// Takes the value at the fraction of the edge that was asked; false once that is zero but for rounding.
static bool close_in(bracket* b, double* fraction, double value, double zero) {
    if (fabs(value) <= zero) return false;
    if ((value > 0.0) == (b->at_low > 0.0)) {
        if (b->last == 1) b->at_high *= lessened(value, b->at_low);
        b->low = *fraction, b->at_low = value, b->last = 1;
    } else {
        if (b->last == 2) b->at_low *= lessened(value, b->at_high);
        b->high = *fraction, b->at_high = value, b->last = 2;
    }
    *fraction = b->low + (b->high - b->low) * (++b->asked % 3 == 2 ? 0.5 : b->at_low / (b->at_low - b->at_high));
    return true;
}

static void find_roots(void* ctx, int begin, int end, int worker) {
    (void)worker;
    enum { ASKED = 64 };
    root_job*       job  = ctx;
    shoal_stuffing* w    = job->w;
    double          zero = ROUNDING * w->tree.step;
    for (int first = begin; first < end; first += ASKED) {
        int      n = end - first < ASKED ? end - first : ASKED, open = n;
        double   value[ASKED];
        shoal_d3 at[ASKED];
        bracket  brackets[ASKED]; // those that have not ended
        for (int i = 0; i < n; i++) {
            const int* ends = w->cuts[first + i].ends;
            brackets[i]     = (bracket){first + i, 0, 0, 0.0, 1.0, w->value[ends[0]], w->value[ends[1]]};
        }
        for (int step = 0; step < job->roots && open > 0; step++) {
            int still = 0;
            for (int i = 0; i < open; i++) at[i] = on_edge(w, brackets[i].cut, w->cuts[brackets[i].cut].fraction);
            job->field(job->ctx, at, open, value);
            for (int i = 0; i < open; i++)
                if (close_in(&brackets[i], &w->cuts[brackets[i].cut].fraction, value[i], zero))
                    brackets[still++] = brackets[i];
            open = still;
        }
        // what has not closed in, at a bend of the field: the place inside, since the next guess may be anywhere
        for (int i = 0; i < open && job->roots > 0; i++)
            if (brackets[i].high - brackets[i].low > WIDE)
                w->cuts[brackets[i].cut].fraction = brackets[i].at_low > 0.0 ? brackets[i].low : brackets[i].high;
        for (int i = 0; i < n; i++) w->cut_position[first + i] = on_edge(w, first + i, w->cuts[first + i].fraction);
    }
}

// --- vertices that move

// A vertex moves to the nearest of the cuts that are too near to it. All look at the cuts as they were before any of
// them moved: no edge is too near to both of its ends, since both fractions are below one half.
static shoal_status warp(shoal_stuffing* w) {
    int*    nearest = shoal_arena_take(w->arena, (size_t)w->vertex_count, sizeof *nearest);
    double* nearby  = shoal_arena_take(w->arena, (size_t)w->vertex_count, sizeof *nearby); // how far that is
    if (!nearest || !nearby) return SHOAL_ERR_MEMORY;
    for (int v = 0; v < w->vertex_count; v++) nearest[v] = -1;
    double long_edge = w->tree.step, short_edge = 0.5 * sqrt(3.0) * w->tree.step;
    for (int cut = 0; cut < w->cut_count; cut++) {
        const int* ends    = w->cuts[cut].ends;
        bool       is_long = (ends[0] < w->corners.count) == (ends[1] < w->corners.count);
        for (int e = 0; e < 2; e++) {
            double fraction = e == 0 ? w->cuts[cut].fraction : 1.0 - w->cuts[cut].fraction;
            double away     = fraction * (is_long ? long_edge : short_edge);
            if (fraction >= (is_long ? SHOAL_STUFFING_LONG : SHOAL_STUFFING_SHORT)) continue;
            if (nearest[ends[e]] >= 0 && nearby[ends[e]] <= away) continue;
            nearest[ends[e]] = cut;
            nearby[ends[e]]  = away;
        }
    }
    for (int v = 0; v < w->vertex_count; v++)
        if (nearest[v] >= 0) w->position[v] = w->cut_position[nearest[v]], w->sign[v] = 0;
    return SHOAL_OK;
}

shoal_status stuffing_cut_edges(shoal_stuffing* w, shoal_field_fn field, void* ctx, int roots, const shoal_exec* exec) {
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&w->cut_mask, (size_t)w->vertex_count, sizeof *w->cut_mask));
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&w->first_cut, (size_t)(w->vertex_count + 1), sizeof *w->first_cut));
    shoal_blocks(exec, w->corners.count, BLOCK, mask_corners, w);
    shoal_blocks(exec, w->tree.leaf_count, BLOCK, mask_middles, w);
    w->first_cut[0] = 0;
    for (int v = 0; v < w->vertex_count; v++) w->first_cut[v + 1] = w->first_cut[v] + shoal_bit_count(w->cut_mask[v]);
    w->cut_count = w->first_cut[w->vertex_count];
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&w->cuts, (size_t)w->cut_count, sizeof *w->cuts));
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&w->cut_position, (size_t)w->cut_count, sizeof *w->cut_position));
    shoal_blocks(exec, w->vertex_count, BLOCK, list_cuts, w);
    root_job job = {w, field, ctx, roots};
    shoal_blocks(exec, w->cut_count, BLOCK, find_roots, &job);
    return warp(w);
}
