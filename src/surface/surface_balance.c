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
// Spacings; no round lowers or raises the field by more than STEP_MOST, nor all of them lower it by
// more than SINK_MOST or raise it by more than RAISE_MOST. Deep in water it is about -0.5: raised
// by as much, it would be air.
#define STEP_MOST 0.3f
#define SINK_MOST 0.9f
#define RAISE_MOST 0.3f
#define OVER_MOST 0.1f
// Spacings squared, of surface about a node: with less its ratio says nothing.
#define AREA_LEAST 0.1f
// The same: a quarter of what flat water has about a node. Where there is less, and too much
// inside, that is deep water a little thinner than it should be: nothing may open there.
#define AREA_DEEP 4.0f
// Spacings squared: what nodes are spread over. Those of fine cells, being nearer to each other,
// are evened out until they are.
#define SPREAD 4.0

typedef struct balance_job {
    surface_work* w;
    float         weights[SURFACE_EDGE][3]; // of the nodes before, at and after a sample's block
    float         middles[SURFACE_EDGE][3]; // the same of the middle between it and the next
    float         full[NEAR];               // cells that a block all inside gives to each node around
    float*        wanted;                   // [block_count] P
    float*        other_sums;               // [block_count] the same of other materials, or NULL
    float*        given;                    // [NEAR][block_count][2] F and A for each node around
    float*        sums;                     // [block_count][2] P - F and A
    float*        swap_sums;                // [block_count][2]
    uint8_t*      is_crossed;               // [block_count] the surface lies in it or may come there
} balance_job;

// Weights of the nodes below, at and above, of a place `u` blocks from the middle of its own.
static void spline(float u, float out[3]) {
    out[0] = 0.5f * (0.5f - u) * (0.5f - u);
    out[1] = 0.75f - u * u;
    out[2] = 0.5f * (0.5f + u) * (0.5f + u);
}

static void add_particles(const surface_work* w, const shoal_v4* places, int count, float* to) {
    const shoal_sparse* f   = &w->field;
    double              per = 1.0 / (SURFACE_EDGE * f->cell), half = 0.5 / SURFACE_EDGE;
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
            if (near[n] >= 0) to[near[n]] += places[i].w * weight[0][n % 3] * weight[1][n / 3 % 3] * weight[2][n / 9];
    }
}

// How much of a cell is inside, and how much that grows per value by which the field is lowered.
typedef struct portion {
    float fraction, gain;
} portion;

// Of a tetrahedron in which the field is linear between its corners. One corner alone on its side,
// at a, has the fraction a^3 / ((a - b) (a - c) (a - d)), and lowering all of them leaves the
// differences as they are.
static portion portion_of_tetrahedron(const float v[4]) {
    int below = (v[0] < 0.0f) + (v[1] < 0.0f) + (v[2] < 0.0f) + (v[3] < 0.0f);
    if (below == 0 || below == 4) return (portion){below ? 1.0f : 0.0f, 0.0f};
    if (below == 2) { // two of them may be the same; cut along the edges instead
        float in[2], out[2];
        int   i = 0, o = 0;
        for (int k = 0; k < 4; k++) *(v[k] < 0.0f ? &in[i++] : &out[o++]) = v[k];
        float ga = 1.0f / (out[0] - in[0]), gb = 1.0f / (out[1] - in[0]);
        float gc = 1.0f / (out[0] - in[1]), gd = 1.0f / (out[1] - in[1]);
        float a = -in[0] * ga, b = -in[0] * gb, c = -in[1] * gc, d = -in[1] * gd;
        return (portion){a * b * (1.0f - d) + a * (1.0f - c) * d + c * d,
                         ga * (b * (1.0f - d) + (1.0f - c) * d) + gb * a * (1.0f - d) + gc * (1.0f - a) * d +
                             gd * (a * (1.0f - b - c) + c)};
    }
    float alone = 0.0f, product = 1.0f;
    for (int k = 0; k < 4; k++)
        if ((v[k] < 0.0f) == (below == 1)) alone = v[k];
    for (int k = 0; k < 4; k++)
        if ((v[k] < 0.0f) != (below == 1)) product *= alone - v[k];
    float gain = 3.0f * alone * alone / fabsf(product);
    float part = fabsf(alone) * gain * (1.0f / 3.0f);
    return (portion){below == 1 ? part : 1.0f - part, gain};
}

// Of the cube of samples whose first corner is v: six tetrahedra around a diagonal.
static portion portion_of_cube(const float* v) {
    static const int ways[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    float            corners[8];
    portion          sum = {0.0f, 0.0f};
    for (int k = 0; k < 8; k++) corners[k] = v[((k >> 2) * RIMMED + (k >> 1 & 1)) * RIMMED + (k & 1)];
    for (int t = 0; t < 6; t++) {
        float   four[4] = {corners[0], corners[ways[t][0]], corners[ways[t][1]], corners[7]};
        portion one     = portion_of_tetrahedron(four);
        sum.fraction += one.fraction;
        sum.gain += one.gain;
    }
    return (portion){sum.fraction * (1.0f / 6.0f), sum.gain * (1.0f / 6.0f)};
}

// Adds what `count` places along an axis hold to the three nodes along it.
static void to_nodes(const float weights[][3], int count, float (*from)[2], int stride, float out[3][2]) {
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            out[k][0] += weights[i][k] * from[i * stride][0];
            out[k][1] += weights[i][k] * from[i * stride][1];
        }
}

// Bit x: the field is below zero at sample x of a row.
static unsigned signs_of(const float* row) {
    unsigned bits = 0;
    for (int x = 0; x <= SURFACE_EDGE; x++) bits |= (unsigned)(row[x] < 0.0f) << x;
    return bits;
}

// The cells of a row, and what they give to the three nodes along it. Most are all inside or all
// outside.
static void measure_row(const balance_job* g, const float* v, const unsigned signs[4], float out[3][2]) {
    float    row[SURFACE_EDGE][2];
    unsigned any = signs[0] | signs[1] | signs[2] | signs[3];
    unsigned all = signs[0] & signs[1] & signs[2] & signs[3];
    if (any == 0) {
        memset(out, 0, 3 * sizeof *out);
        return;
    }
    any |= any >> 1;
    all &= all >> 1;
    for (int x = 0; x < SURFACE_EDGE; x++) {
        bool    is_cut = (any >> x & 1u) && !(all >> x & 1u);
        portion p      = is_cut ? portion_of_cube(v + x) : (portion){(float)(all >> x & 1u), 0.0f};
        row[x][0] = p.fraction, row[x][1] = p.gain;
    }
    to_nodes(g->middles, SURFACE_EDGE, row, 1, out);
}

// What the cells of a block give to the 27 nodes around it.
static void measure_cells(const balance_job* g, const float* rimmed, float out[NEAR][2]) {
    float    plane[SURFACE_EDGE][3][2], space[SURFACE_EDGE][9][2], sum[3][2];
    unsigned signs[SURFACE_EDGE + 1][SURFACE_EDGE + 1];
    for (int z = 0; z <= SURFACE_EDGE; z++)
        for (int y = 0; y <= SURFACE_EDGE; y++)
            signs[z][y] = signs_of(rimmed + ((z + 1) * RIMMED + y + 1) * RIMMED + 1);
    for (int z = 0; z < SURFACE_EDGE; z++) {
        for (int y = 0; y < SURFACE_EDGE; y++) {
            const unsigned around[4] = {signs[z][y], signs[z][y + 1], signs[z + 1][y], signs[z + 1][y + 1]};
            measure_row(g, rimmed + ((z + 1) * RIMMED + y + 1) * RIMMED + 1, around, plane[y]);
        }
        for (int k = 0; k < 3; k++) {
            to_nodes(g->middles, SURFACE_EDGE, &plane[0][k], 3, sum);
            for (int j = 0; j < 3; j++) memcpy(space[z][3 * j + k], sum[j], sizeof sum[j]);
        }
    }
    for (int k = 0; k < 9; k++) {
        to_nodes(g->middles, SURFACE_EDGE, &space[0][k], 9, sum);
        for (int j = 0; j < 3; j++) memcpy(out[9 * j + k], sum[j], sizeof sum[j]);
    }
}

static void distribute(const balance_job* g, int block, float from[NEAR][2]) {
    const float  cell3 = g->w->cell * g->w->cell * g->w->cell;
    const size_t count = (size_t)g->w->field.block_count;
    for (int n = 0; n < NEAR; n++) {
        float* to = g->given + 2 * ((size_t)n * count + (size_t)block);
        to[0]     = cell3 * from[n][0];
        to[1]     = cell3 * from[n][1];
    }
}

// Blocks that the surface cannot reach, however much it is moved, are measured once and stay.
static void sort_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    balance_job* g       = ctx;
    const float  spacing = g->w->spacing, air = SINK_MOST * spacing, full = -RAISE_MOST * spacing;
    for (int b = begin; b < end; b++) {
        float rimmed[RIMMED * RIMMED * RIMMED], to[NEAR][2] = {0};
        int   outside = 0, inside = 0;
        shoal_sparse_rimmed(&g->w->field, g->w->field.values, b, rimmed);
        for (int z = 0; z <= SURFACE_EDGE + 1; z++)
            for (int y = 0; y <= SURFACE_EDGE + 1; y++) {
                const float* v = rimmed + (z * RIMMED + y) * RIMMED;
                for (int x = 0; x <= SURFACE_EDGE + 1; x++) {
                    outside += v[x] > air;
                    inside += v[x] < full;
                }
            }
        enum { ALL = (SURFACE_EDGE + 2) * (SURFACE_EDGE + 2) * (SURFACE_EDGE + 2) };
        g->is_crossed[b] = outside < ALL && inside < ALL;
        for (int n = 0; n < NEAR && inside == ALL; n++) to[n][0] = g->full[n];
        if (!g->is_crossed[b]) distribute(g, b, to);
    }
}

static void measure_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const balance_job* g = ctx;
    for (int b = begin; b < end; b++) {
        float rimmed[RIMMED * RIMMED * RIMMED], to[NEAR][2];
        if (!g->is_crossed[b]) continue;
        shoal_sparse_rimmed(&g->w->field, g->w->field.values, b, rimmed);
        measure_cells(g, rimmed, to);
        distribute(g, b, to);
    }
}

// What the blocks around a node gave it, in their order.
static void gather_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const balance_job* g     = ctx;
    const size_t       count = (size_t)g->w->field.block_count;
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
    const balance_job* g       = ctx;
    for (int b = begin; b < end; b++) {
        const int* near   = g->w->field.near + NEAR * (size_t)b;
        float      sum[2] = {0.0f, 0.0f};
        for (int n = 0; n < NEAR; n++) {
            if (near[n] < 0) continue;
            float weight = part[n % 3] * part[n / 3 % 3] * part[n / 9];
            sum[0] += weight * g->sums[2 * (size_t)near[n]];
            sum[1] += weight * g->sums[2 * (size_t)near[n] + 1];
        }
        memcpy(g->swap_sums + 2 * (size_t)b, sum, sizeof sum);
    }
}

// How much of it is wanted freely where another material lies beside: nothing at their interface,
// which belongs to both.
static float all_alone(const balance_job* g, float own, float other) {
    return g->other_sums && own > 0.0f ? fmaxf(0.0f, 2.0f * own / (own + other) - 1.0f) : 1.0f;
}

enum { OF_NODE = 4 }; // P - F, A, P, and that of others

// Three neighbouring values along an axis, each of `count` numbers, at a place between them.
static void from_nodes(const float weights[3], const float* nodes, int count, float* out) {
    for (int i = 0; i < count; i++)
        out[i] = weights[0] * nodes[i] + weights[1] * nodes[count + i] + weights[2] * nodes[2 * count + i];
}

static void take_nodes(const balance_job* g, int block, float out[NEAR][OF_NODE]) {
    const int* near = g->w->field.near + NEAR * (size_t)block;
    memset(out, 0, NEAR * sizeof *out);
    for (int n = 0; n < NEAR; n++) {
        if (near[n] < 0) continue;
        out[n][0] = g->sums[2 * (size_t)near[n]];
        out[n][1] = g->sums[2 * (size_t)near[n] + 1];
        out[n][2] = g->wanted[near[n]];
        out[n][3] = g->other_sums ? g->other_sums[near[n]] : 0.0f;
    }
}

// By how much a surface of this area goes to gain this volume, or to lose it.
static float way_to(float volume, float area, float spacing) {
    float deep = AREA_DEEP * spacing * spacing;
    return volume > 0.0f ? volume / (area + AREA_LEAST * spacing * spacing)
                         : volume * area / (area * area + deep * deep);
}

static float held(float x, float least, float most) { return x > most ? most : x < least ? least : x; }

// What is left of the way where another material lies beside, and its surface is not moved with this one: it sinks no
// farther than where the two meet, so that nothing gapes, and grows over the other by OVER_MOST.
static float beside_other_materials(const surface_work* w, float by, float value, float meeting, float shifted) {
    float step = STEP_MOST * w->spacing, least = -RAISE_MOST * w->spacing;
    if (by > 0.0f) return fmaxf(shifted, fminf(shifted + by, OVER_MOST * w->spacing));
    return fmaxf(least, shifted - held(-by, 0.0f, fminf(step, fmaxf(meeting - value, 0.0f))));
}

static void lower_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const balance_job*  g    = ctx;
    const surface_work* w    = g->w;
    const float         step = STEP_MOST * w->spacing, fraction = w->params->volume;
    const float         most = SINK_MOST * w->spacing, least = -RAISE_MOST * w->spacing;
    for (int b = begin; b < end; b++) {
        float  nodes[NEAR][OF_NODE], plane[9][OF_NODE], row[3][OF_NODE], at[OF_NODE];
        float* values  = w->field.values + (size_t)SURFACE_SAMPLES * (size_t)b;
        float* shifted = w->shift + (size_t)SURFACE_SAMPLES * (size_t)b;
        if (!g->is_crossed[b]) continue;
        take_nodes(g, b, nodes);
        for (int z = 0; z < SURFACE_EDGE; z++) {
            from_nodes(g->weights[z], nodes[0], 9 * OF_NODE, plane[0]);
            for (int y = 0; y < SURFACE_EDGE; y++) {
                from_nodes(g->weights[y], plane[0], 3 * OF_NODE, row[0]);
                for (int x = 0; x < SURFACE_EDGE; x++, values++, shifted++) {
                    from_nodes(g->weights[x], row[0], OF_NODE, at);
                    float by    = fraction * way_to(at[0], at[1], w->spacing);
                    float alone = all_alone(g, at[2], at[3]);
                    float next  = held(*shifted + held(alone * by, -step, step), least, most);
                    if (alone < 1.0f)
                        next = beside_other_materials(w, (1.0f - alone) * by, *values + *shifted - next,
                                                      w->meeting[values - w->field.values], next);
                    *values -= next - *shifted;
                    *shifted = next;
                }
            }
        }
    }
}

static shoal_status reserve(balance_job* g) {
    surface_work* w          = g->w;
    size_t        count      = (size_t)w->field.block_count;
    w->shift                 = shoal_alloc(count, SURFACE_SAMPLES * sizeof *w->shift);
    g->wanted                = shoal_alloc(count, sizeof *g->wanted);
    g->given                 = shoal_alloc(count, NEAR * 2 * sizeof *g->given);
    g->sums                  = shoal_alloc(count, 2 * sizeof *g->sums);
    g->swap_sums             = shoal_alloc(count, 2 * sizeof *g->swap_sums);
    bool has_other_materials = w->other && w->other->count > 0;
    if (has_other_materials) g->other_sums = shoal_alloc(count, sizeof *g->other_sums);
    g->is_crossed = shoal_alloc(count, sizeof *g->is_crossed);
    return w->shift && g->is_crossed && g->wanted && g->given && g->sums && g->swap_sums &&
                   (g->other_sums || !has_other_materials)
               ? SHOAL_OK
               : SHOAL_ERR_MEMORY;
}

static void balance(balance_job* g) {
    surface_work* w     = g->w;
    int           count = w->field.block_count;
    double        edge  = SURFACE_EDGE * (double)w->cell / (double)w->spacing;
    int           evens = (int)ceil(fmax(0.0, 2.0 * SPREAD / (edge * edge) - 1.0));
    for (int i = 0; i < SURFACE_EDGE; i++) {
        spline(((float)i + 0.5f) / SURFACE_EDGE - 0.5f, g->weights[i]);
        spline(((float)i + 1.0f) / SURFACE_EDGE - 0.5f, g->middles[i]);
    }
    for (int n = 0; n < NEAR; n++) {
        const int at[3] = {n % 3, n / 3 % 3, n / 9};
        g->full[n]      = 1.0f;
        for (int k = 0; k < 3; k++) {
            float sum = 0.0f;
            for (int i = 0; i < SURFACE_EDGE; i++) sum += g->middles[i][at[k]];
            g->full[n] *= sum;
        }
    }
    add_particles(w, w->places, w->count, g->wanted);
    if (g->other_sums) add_particles(w, w->other->places, w->other->count, g->other_sums);
    shoal_blocks(w->exec, count, 8, sort_block, g);
    for (int round = 0; round < SURFACE_BALANCE_ROUNDS; round++) {
        shoal_blocks(w->exec, count, 8, measure_block, g);
        shoal_blocks(w->exec, count, 64, gather_block, g);
        for (int k = 0; k < evens; k++) {
            shoal_blocks(w->exec, count, 64, spread_block, g);
            float* swap  = g->sums;
            g->sums      = g->swap_sums;
            g->swap_sums = swap;
        }
        shoal_blocks(w->exec, count, 8, lower_block, g);
    }
}

// Stretched kernels keep their volume by themselves, and other methods are there for comparison.
shoal_status surface_field_balance(surface_work* w) {
    const shoal_surface_params* p = w->params;
    if (p->method != SHOAL_SURFACE_ZHU_BRIDSON || !(p->volume > 0.0f) || p->radius > 0.0f) return SHOAL_OK;
    balance_job  g      = {.w = w};
    shoal_status status = reserve(&g);
    if (status == SHOAL_OK) balance(&g);
    shoal_free(g.is_crossed);
    shoal_free(g.swap_sums);
    shoal_free(g.sums);
    shoal_free(g.given);
    shoal_free(g.other_sums);
    shoal_free(g.wanted);
    return status;
}

float surface_shift_at(const surface_work* w, shoal_v3 place) {
    const shoal_sparse* f = &w->field;
    int64_t             at[3];
    double              from[3] = {f->origin.x, f->origin.y, f->origin.z};
    if (!w->shift) return 0.0f;
    for (int k = 0; k < 3; k++) at[k] = (int64_t)floor(((double)shoal_v3_axis(place, k) - from[k]) / f->cell + 0.5);
    int block = shoal_sparse_find(f, at[0] / SURFACE_EDGE, at[1] / SURFACE_EDGE, at[2] / SURFACE_EDGE);
    if (block < 0) return 0.0f;
    size_t sample =
        (size_t)((at[2] % SURFACE_EDGE * SURFACE_EDGE + at[1] % SURFACE_EDGE) * SURFACE_EDGE + at[0] % SURFACE_EDGE);
    return w->shift[(size_t)SURFACE_SAMPLES * (size_t)block + sample];
}
