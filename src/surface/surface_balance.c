// SPDX-License-Identifier: MIT
// The volume of the surface is that of its particles, place by place. A field of average positions
// is right for flat water alone: over sparse particles it closes gaps that are air, around clumps
// and in spray it is too small, so that the water of a splash would swell and shrink as it flies.
//
// Nodes stand at the middles of the blocks (samples are the middles of their cells). Each gathers,
// with the weights of a quadratic B-spline, the volume of the particles around it (P), what of it
// lies inside (F) and how much that grows per value of the field (A); the field is then lowered by
// (P - F) / A, both interpolated with the same weights, in a few rounds. All of it moves smoothly
// with the particles, so nothing pops, and calm water does not notice a splash a few spacings away.
#include "surface/surface_local.h"

#include <math.h>
#include <string.h>

enum { RIMMED = SHOAL_SPARSE_RIMMED, NEAR = SHOAL_SPARSE_NEAR };
// Spacings; no round moves the surface further than STEP_MOST, nor all of them than SHIFT_MOST.
#define STEP_MOST 0.2f
#define SHIFT_MOST 0.7f
// Spacings squared, of surface about a node: with less its ratio says nothing.
#define AREA_LEAST 0.1f
// Cells; over which the growth of the volume is taken.
#define GAIN_STEP 0.1f
// Spacings squared: what nodes are spread over. Those of fine cells, being nearer to each other,
// are evened out until they are.
#define SPREAD 4.0

typedef struct balancing {
    surface_work* w;
    float         weights[SURFACE_EDGE][3]; // of the nodes before, at and after a sample's block
    float         middles[SURFACE_EDGE][3]; // the same of the middle between it and the next
    float*        wanted;                   // [block_count] P
    float*        others;                   // [block_count] the same of other materials, or NULL
    float*        given;                    // [NEAR][block_count][2] F and A for each node around
    float*        sums;                     // [block_count][2] P - F and A
    float*        spare;                    // [block_count][2]
} balancing;

// Weights of the nodes below, at and above, of a place `u` blocks from the middle of its own.
static void spline(float u, float out[3]) {
    out[0] = 0.5f * (0.5f - u) * (0.5f - u);
    out[1] = 0.75f - u * u;
    out[2] = 0.5f * (0.5f + u) * (0.5f + u);
}

static void add_particles(const surface_work* w, const shoal_v4* places, int count, float* to) {
    const shoal_sparse* f   = &w->field;
    double              per = 1.0 / (SURFACE_EDGE * f->cell), half = 0.5 / SURFACE_EDGE;
    float               one = w->spacing * w->spacing * w->spacing;
    for (int i = 0; i < count; i++) {
        double  at[3] = {((double)places[i].x - f->origin.x) * per + half,
                         ((double)places[i].y - f->origin.y) * per + half,
                         ((double)places[i].z - f->origin.z) * per + half};
        int64_t b[3];
        float   weight[3][3];
        for (int k = 0; k < 3; k++) {
            b[k] = (int64_t)floor(at[k]);
            spline((float)(at[k] - (double)b[k] - 0.5), weight[k]);
        }
        int block = shoal_sparse_find(f, b[0], b[1], b[2]);
        if (block < 0) continue; // of another material, where this one has no field
        const int* near = f->near + NEAR * (size_t)block;
        for (int n = 0; n < NEAR; n++)
            if (near[n] >= 0)
                to[near[n]] += one * weight[0][n % 3] * weight[1][n / 3 % 3] * weight[2][n / 9];
    }
}

// The share of a tetrahedron in which what is linear between its corners is below zero: the sum
// over the corners below of (-a)^3 / ((b - a) (c - a) (d - a)).
static float share_of_tetrahedron(const float v[4]) {
    int   below = (v[0] < 0.0f) + (v[1] < 0.0f) + (v[2] < 0.0f) + (v[3] < 0.0f);
    float sum   = 0.0f;
    if (below == 0 || below == 4) return below ? 1.0f : 0.0f;
    if (below == 2) { // two of them may be the same; cut along the edges instead
        float in[2], out[2];
        int   i = 0, o = 0;
        for (int k = 0; k < 4; k++)
            *(v[k] < 0.0f ? &in[i++] : &out[o++]) = v[k];
        float a = in[0] / (in[0] - out[0]), b = in[0] / (in[0] - out[1]);
        float c = in[1] / (in[1] - out[0]), d = in[1] / (in[1] - out[1]);
        return a * b * (1.0f - d) + a * (1.0f - c) * d + c * d;
    }
    for (int k = 0; k < 4; k++) {
        if ((v[k] < 0.0f) != (below == 1)) continue;
        sum = 1.0f;
        for (int j = 0; j < 4; j++)
            if (j != k) sum *= v[k] / (v[k] - v[j]);
    }
    return below == 1 ? sum : 1.0f - sum;
}

// The share of a cube of samples that is inside, lowered by `by`: six tetrahedra around a diagonal.
static float share_of_cube(const float v[8], float by) {
    static const int ways[6][2] = {
        {1, 3},
        {1, 5},
        {2, 3},
        {2, 6},
        {4, 5},
        {4, 6}
    };
    float sum = 0.0f;
    for (int t = 0; t < 6; t++) {
        float corners[4] = {v[0] - by, v[ways[t][0]] - by, v[ways[t][1]] - by, v[7] - by};
        sum += share_of_tetrahedron(corners);
    }
    return sum * (1.0f / 6.0f);
}

// The same, and what it gains per value of the field, over `step`.
static float share_inside(const float* v, float step, float* gain) {
    float corners[8], low = v[0], high = v[0];
    for (int k = 0; k < 8; k++) {
        corners[k] = v[((k >> 2) * RIMMED + (k >> 1 & 1)) * RIMMED + (k & 1)];
        low        = corners[k] < low ? corners[k] : low;
        high       = corners[k] > high ? corners[k] : high;
    }
    *gain = 0.0f;
    if (low >= step || high <= 0.0f) return low > 0.0f ? 0.0f : 1.0f;
    float share = low < 0.0f ? share_of_cube(corners, 0.0f) : 0.0f;
    *gain       = high > 0.0f ? (share_of_cube(corners, step) - share) / step : 0.0f;
    return share;
}

// Adds what `count` places along an axis hold to the three nodes along it.
static void to_nodes(float weights[][3], int count, float (*from)[2], int stride, float out[3][2]) {
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            out[k][0] += weights[i][k] * from[i * stride][0];
            out[k][1] += weights[i][k] * from[i * stride][1];
        }
}

static void measure_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    balancing*   g     = ctx;
    const float  cell3 = g->w->cell * g->w->cell * g->w->cell, step = GAIN_STEP * g->w->cell;
    const size_t count = (size_t)g->w->field.block_count;
    for (int b = begin; b < end; b++) {
        float rimmed[RIMMED * RIMMED * RIMMED], row[SURFACE_EDGE][2];
        float plane[SURFACE_EDGE][3][2], space[SURFACE_EDGE][9][2], sum[3][2];
        shoal_sparse_rimmed(&g->w->field, g->w->field.values, b, rimmed);
        for (int z = 0; z < SURFACE_EDGE; z++) {
            for (int y = 0; y < SURFACE_EDGE; y++) {
                const float* v = rimmed + ((z + 1) * RIMMED + y + 1) * RIMMED + 1;
                for (int x = 0; x < SURFACE_EDGE; x++)
                    row[x][0] = share_inside(v + x, step, &row[x][1]);
                to_nodes(g->middles, SURFACE_EDGE, row, 1, plane[y]);
            }
            for (int k = 0; k < 3; k++) {
                to_nodes(g->middles, SURFACE_EDGE, &plane[0][k], 3, sum);
                for (int j = 0; j < 3; j++)
                    memcpy(space[z][3 * j + k], sum[j], sizeof sum[j]);
            }
        }
        for (int k = 0; k < 9; k++) {
            to_nodes(g->middles, SURFACE_EDGE, &space[0][k], 9, sum);
            for (int j = 0; j < 3; j++) {
                float* out = g->given + 2 * ((size_t)(9 * j + k) * count + (size_t)b);
                out[0]     = cell3 * sum[j][0];
                out[1]     = cell3 * sum[j][1];
            }
        }
    }
}

// What the blocks around a node gave it, in their order.
static void gather_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const balancing* g     = ctx;
    const size_t     count = (size_t)g->w->field.block_count;
    for (int b = begin; b < end; b++) {
        const int* near = g->w->field.near + NEAR * (size_t)b;
        float      f = 0.0f, a = 0.0f;
        for (int n = 0; n < NEAR; n++) {
            if (near[n] < 0) continue;
            const float* from = g->given + 2 * ((size_t)(NEAR - 1 - n) * count + (size_t)near[n]);
            f += from[0], a += from[1];
        }
        g->sums[2 * (size_t)b]     = g->wanted[b] - f;
        g->sums[2 * (size_t)b + 1] = a;
    }
}

static void spread_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    static const float part[3] = {0.25f, 0.5f, 0.25f};
    const balancing*   g       = ctx;
    for (int b = begin; b < end; b++) {
        const int* near   = g->w->field.near + NEAR * (size_t)b;
        float      sum[2] = {0.0f, 0.0f};
        for (int n = 0; n < NEAR; n++) {
            if (near[n] < 0) continue;
            float weight = part[n % 3] * part[n / 3 % 3] * part[n / 9];
            sum[0] += weight * g->sums[2 * (size_t)near[n]];
            sum[1] += weight * g->sums[2 * (size_t)near[n] + 1];
        }
        memcpy(g->spare + 2 * (size_t)b, sum, sizeof sum);
    }
}

// How much of it is wanted where another material lies beside: nothing at their interface, which
// belongs to both.
static float share_alone(const balancing* g, float own, float other) {
    return g->others && own > 0.0f ? fmaxf(0.0f, 2.0f * own / (own + other) - 1.0f) : 1.0f;
}

enum { OF_NODE = 4 }; // P - F, A, P, and that of others

// Three neighbouring values along an axis, each of `count` numbers, at a place between them.
static void from_nodes(const float weights[3], const float* nodes, int count, float* out) {
    for (int i = 0; i < count; i++)
        out[i] = weights[0] * nodes[i] + weights[1] * nodes[count + i] +
                 weights[2] * nodes[2 * count + i];
}

static void take_nodes(const balancing* g, int block, float out[NEAR][OF_NODE]) {
    const int* near = g->w->field.near + NEAR * (size_t)block;
    memset(out, 0, NEAR * sizeof *out);
    for (int n = 0; n < NEAR; n++) {
        if (near[n] < 0) continue;
        out[n][0] = g->sums[2 * (size_t)near[n]];
        out[n][1] = g->sums[2 * (size_t)near[n] + 1];
        out[n][2] = g->wanted[near[n]];
        out[n][3] = g->others ? g->others[near[n]] : 0.0f;
    }
}

static float held(float x, float most) { return x > most ? most : x < -most ? -most : x; }

static void lower_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const balancing*    g    = ctx;
    const surface_work* w    = g->w;
    float               step = STEP_MOST * w->spacing, most = SHIFT_MOST * w->spacing;
    float               least = AREA_LEAST * w->spacing * w->spacing;
    for (int b = begin; b < end; b++) {
        float  nodes[NEAR][OF_NODE], plane[9][OF_NODE], row[3][OF_NODE], at[OF_NODE];
        float* values  = w->field.values + (size_t)SURFACE_SAMPLES * (size_t)b;
        float* shifted = w->shift + (size_t)SURFACE_SAMPLES * (size_t)b;
        take_nodes(g, b, nodes);
        for (int z = 0; z < SURFACE_EDGE; z++) {
            from_nodes(g->weights[z], nodes[0], 9 * OF_NODE, plane[0]);
            for (int y = 0; y < SURFACE_EDGE; y++) {
                from_nodes(g->weights[y], plane[0], 3 * OF_NODE, row[0]);
                for (int x = 0; x < SURFACE_EDGE; x++, values++, shifted++) {
                    from_nodes(g->weights[x], row[0], OF_NODE, at);
                    float by =
                        w->params->volume * share_alone(g, at[2], at[3]) * at[0] / (at[1] + least);
                    by         = held(by, step);
                    float next = held(*shifted + by, most);
                    *values -= next - *shifted;
                    *shifted = next;
                }
            }
        }
    }
}

static shoal_status make_room(balancing* g) {
    surface_work* w     = g->w;
    size_t        count = (size_t)w->field.block_count;
    w->shift            = shoal_alloc(count, SURFACE_SAMPLES * sizeof *w->shift);
    g->wanted           = shoal_alloc(count, sizeof *g->wanted);
    g->given            = shoal_alloc(count, NEAR * 2 * sizeof *g->given);
    g->sums             = shoal_alloc(count, 2 * sizeof *g->sums);
    g->spare            = shoal_alloc(count, 2 * sizeof *g->spare);
    bool has_others     = w->other && w->other->count > 0;
    if (has_others) g->others = shoal_alloc(count, sizeof *g->others);
    return w->shift && g->wanted && g->given && g->sums && g->spare && (g->others || !has_others)
               ? SHOAL_OK
               : SHOAL_ERR_MEMORY;
}

static void balance(balancing* g) {
    surface_work* w     = g->w;
    int           count = w->field.block_count;
    double        edge  = SURFACE_EDGE * (double)w->cell / (double)w->spacing;
    int           evens = (int)ceil(fmax(0.0, 2.0 * SPREAD / (edge * edge) - 1.0));
    for (int i = 0; i < SURFACE_EDGE; i++) {
        spline(((float)i + 0.5f) / SURFACE_EDGE - 0.5f, g->weights[i]);
        spline(((float)i + 1.0f) / SURFACE_EDGE - 0.5f, g->middles[i]);
    }
    add_particles(w, w->places, w->count, g->wanted);
    if (g->others) add_particles(w, w->other->places, w->other->count, g->others);
    for (int round = 0; round < SURFACE_BALANCE_ROUNDS; round++) {
        shoal_blocks(w->exec, count, 8, measure_block, g);
        shoal_blocks(w->exec, count, 64, gather_block, g);
        for (int k = 0; k < evens; k++) {
            shoal_blocks(w->exec, count, 64, spread_block, g);
            float* swap = g->sums;
            g->sums     = g->spare;
            g->spare    = swap;
        }
        shoal_blocks(w->exec, count, 8, lower_block, g);
    }
}

// Stretched kernels keep their volume by themselves, and other methods are there for comparison.
shoal_status surface_field_balance(surface_work* w) {
    const shoal_surface_params* p = w->params;
    if (p->method != SHOAL_SURFACE_ZHU_BRIDSON || !(p->volume > 0.0f) || p->radius > 0.0f)
        return SHOAL_OK;
    balancing    g      = {.w = w};
    shoal_status status = make_room(&g);
    if (status == SHOAL_OK) balance(&g);
    shoal_free(g.spare);
    shoal_free(g.sums);
    shoal_free(g.given);
    shoal_free(g.others);
    shoal_free(g.wanted);
    return status;
}

float surface_shift_at(const surface_work* w, shoal_v3 place) {
    const shoal_sparse* f = &w->field;
    int64_t             at[3];
    double              from[3] = {f->origin.x, f->origin.y, f->origin.z};
    if (!w->shift) return 0.0f;
    for (int k = 0; k < 3; k++)
        at[k] = (int64_t)floor(((double)shoal_v3_axis(place, k) - from[k]) / f->cell + 0.5);
    int block =
        shoal_sparse_find(f, at[0] / SURFACE_EDGE, at[1] / SURFACE_EDGE, at[2] / SURFACE_EDGE);
    if (block < 0) return 0.0f;
    size_t sample =
        (size_t)((at[2] % SURFACE_EDGE * SURFACE_EDGE + at[1] % SURFACE_EDGE) * SURFACE_EDGE +
                 at[0] % SURFACE_EDGE);
    return w->shift[(size_t)SURFACE_SAMPLES * (size_t)block + sample];
}
