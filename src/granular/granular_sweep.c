// SPDX-License-Identifier: MIT
// One sweep: a trial stress t = s + r dev D(u), cut back to what the pressure allows, moves u. All from the sweep
// before (Jacobi), so the order of cells does not matter. Each sweep starts from a little beyond where the last one
// ended, in the direction it went [Nesterov 1983; Beck & Teboulle 2009], which carries stress across n cells in n
// sweeps, not n^2.
#include "granular/granular_friction_local.h"

#include <string.h>

#include "mac/mac_sight.h"

// A block with one sample more on each side: strides along x, y, z.
enum { PADDED = 1000, ROW = 10, LAYER = 100 };
static const int stride[3] = {1, ROW, LAYER};

static inline int padded(int x, int y, int z) { return (z + 1) * LAYER + (y + 1) * ROW + x + 1; }

// Rows of a block that take part, [from, to) along y and z.
typedef struct rows {
    int y0, y1, z0, z1;
} rows;

static const rows all_rows = {0, 8, 0, 8};

static inline rows rows_of(const shoal_granular_friction* f, int block) {
    const uint8_t* s = f->span[block];
    return (rows){s[0], s[1], s[2], s[3]};
}

// `to` has the samples -1 to 8 of a row, `from` those of the three blocks that it goes through; NULL: 0.
static inline void pad_row(const float* const from[3], int row, float* to) {
    to[-1] = from[0] ? from[0][row + 7] : 0.0f;
    to[8]  = from[2] ? from[2][row] : 0.0f;
    if (from[1])
        memcpy(to, from[1] + row, 8 * sizeof *to);
    else
        memset(to, 0, 8 * sizeof *to);
}

// Of the blocks around one: the samples of a quantity, and all of them with a rim.
typedef struct sources {
    const float* of[SHOAL_MAC_NEAR];
} sources;

static inline void pad_from(const sources* s, rows r, float out[PADDED]) {
    for (int z = r.z0 - 1; z <= r.z1; z++)
        for (int y = r.y0 - 1; y <= r.y1; y++) {
            int bz = z < 0 ? 0 : z > 7 ? 2 : 1, by = y < 0 ? 0 : y > 7 ? 2 : 1;
            pad_row(s->of + (bz * 3 + by) * 3, shoal_mac_sample(0, y & 7, z & 7), out + padded(0, y, z));
        }
}

static void pad(const shoal_mac* m, int block, const float* from, rows r, float out[PADDED]) {
    sources s;
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int near = m->near[block][n];
        s.of[n]  = near >= 0 ? from + SHOAL_MAC_SAMPLES * (size_t)near : NULL;
    }
    pad_from(&s, r, out);
}

static void pad_acting(const shoal_granular_friction* f, const shoal_mac* m, int block, int component, rows r,
                       float out[PADDED]) {
    sources s;
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int near = m->near[block][n];
        s.of[n]  = near >= 0 ? granular_acting(f, component, near) + SHOAL_MAC_SAMPLES * (size_t)near : NULL;
    }
    pad_from(&s, r, out);
}

// ---------------------------------------------------------------------------------- forces

// Acceleration by stress of the face at k of the padded stresses, along an axis.
static inline float divergence(float p[SHOAL_GRANULAR_STRESSES][PADDED], int k, int axis) {
    int a = axis == 0 ? 5 : axis == 1 ? 5 : 4, b = axis == 0 ? 4 : 3;           // the two shears
    int sa = axis == 0 ? ROW : axis == 1 ? 1 : 1, sb = axis == 2 ? ROW : LAYER; // and the ways they change along
    return (p[axis][k] - p[axis][k - stride[axis]]) + ((p[a][k + sa] - p[a][k]) + (p[b][k + sb] - p[b][k]));
}

// u = base + what stress and traction do, on the faces they move; the base is `star`, or what remains of u without
// them.
typedef enum { FROM_STAR, TO_BASE, FROM_BASE } force_way;

static inline void force_axis(const granular_friction_job* r, shoal_mac* m, int block, int axis, rows span,
                              force_way way, float p[SHOAL_GRANULAR_STRESSES][PADDED]) {
    const shoal_granular_friction* f    = r->f;
    size_t                         from = SHOAL_MAC_SAMPLES * (size_t)block;
    float *                        u = m->u[axis] + from, *base = m->change[axis] + from;
    const float *                  star = f->star[axis] + from, *inverse_mass = f->inverse_mass[axis] + from,
                *traction = f->traction[axis] + from;
    for (int z = span.z0; z < span.z1; z++)
        for (int y = span.y0; y < span.y1; y++)
            for (int x = 0; x < 8; x++) {
                int   s    = shoal_mac_sample(x, y, z);
                float push = inverse_mass[s] * (divergence(p, padded(x, y, z), axis) + traction[s]);
                if (way == FROM_STAR)
                    u[s] = star[s] + push;
                else if (way == TO_BASE)
                    base[s] = u[s] - push;
                else
                    u[s] = base[s] + push;
            }
}

static inline void force_block(const granular_friction_job* r, shoal_mac* m, int block, rows span, force_way way) {
    const shoal_granular_friction* f = r->f;
    float                          p[SHOAL_GRANULAR_STRESSES][PADDED];
    for (int k = 0; k < SHOAL_GRANULAR_STRESSES; k++) pad_acting(f, m, block, k, span, p[k]);
    force_axis(r, m, block, 0, span, way, p);
    force_axis(r, m, block, 1, span, way, p);
    force_axis(r, m, block, 2, span, way, p);
    granular_ghost_push(f, m, block, way == TO_BASE ? m->change : m->u, way == TO_BASE ? -1.0f : 1.0f);
    granular_surface_push(f, block, way == TO_BASE ? m->change : m->u, way == TO_BASE ? -1.0f : 1.0f);
}

static void force_from_star(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r    = ctx;
    size_t                       from = SHOAL_MAC_SAMPLES * (size_t)block;
    if (r->f->is_active[block])
        force_block(r, m, block, all_rows, FROM_STAR);
    else
        for (int axis = 0; axis < 3; axis++)
            memcpy(m->u[axis] + from, r->f->star[axis] + from, SHOAL_MAC_SAMPLES * sizeof(float));
}

static void force_to_base(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    if (r->f->is_active[block]) force_block(r, m, block, rows_of(r->f, block), TO_BASE);
}

static void force_from_base(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    if (r->f->is_active[block]) force_block(r, m, block, rows_of(r->f, block), FROM_BASE);
}

void granular_force_from_star(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    granular_act(r, m, exec);
    granular_push_ghosts(r, m, exec);
    shoal_mac_each(m, exec, force_from_star, r);
}

void granular_force_to_base(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    granular_act(r, m, exec);
    granular_push_ghosts(r, m, exec);
    shoal_mac_each(m, exec, force_to_base, r);
}

// ---------------------------------------------------------------------------------- steps

// A stress moves the faces around it as far as they bear in the mean, and those at the free surface by what they carry
// of it. (As far as the lightest bears, sweeps take long to hold what must stick.)
void granular_rate_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    float                    inverse_mass[3][PADDED], most = 0.0f;
    f->is_cut[block] = 0;
    if (!f->is_active[block]) return;
    bool has_solid = false;
    for (int n = 0; n < SHOAL_MAC_NEAR; n++)
        has_solid = has_solid || (m->near[block][n] >= 0 && m->has_solid[m->near[block][n]]);
    bool has_surface_faces = granular_has_surface_faces(f, m, block);
    if (!has_solid && !has_surface_faces) return;
    for (int axis = 0; axis < 3; axis++) pad(m, block, f->inverse_mass[axis], all_rows, inverse_mass[axis]);
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < PADDED; k++) most = fmaxf(most, inverse_mass[axis][k]);
    if (most <= 1.0f && !has_surface_faces) return;
    f->is_cut[block] = 1;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int   at = SHOAL_MAC_SAMPLES * block + s, k = padded(s & 7, s >> 3 & 7, s >> 6);
        float centre = 1.0f;
        for (int axis = 0; axis < 3; axis++)
            centre = fmaxf(centre, 0.5f * (inverse_mass[axis][k] + inverse_mass[axis][k + stride[axis]]));
        f->rate[0][at] = granular_relax / centre;
        for (int e = 0; e < 3; e++) {
            int   a = (e + 1) % 3, b = (e + 2) % 3;
            float edge         = 0.25f * ((inverse_mass[a][k] + inverse_mass[a][k - stride[b]]) +
                                  (inverse_mass[b][k] + inverse_mass[b][k - stride[a]]));
            f->rate[1 + e][at] = granular_relax / fmaxf(edge, 1.0f);
        }
    }
    granular_surface_rate(f, m, block);
}

// ---------------------------------------------------------------------------------- bounds

// Rates of strain times dx at the sample k of padded velocities: stretching along the axes at the centre, shears yz,
// xz, xy on the edges.
static inline void stretches(float u[3][PADDED], int k, float d[3]) {
    for (int axis = 0; axis < 3; axis++) d[axis] = u[axis][k + stride[axis]] - u[axis][k];
}
static inline void shears(float u[3][PADDED], int k, float d[3]) {
    d[0] = 0.5f * ((u[1][k] - u[1][k - LAYER]) + (u[2][k] - u[2][k - ROW]));
    d[1] = 0.5f * ((u[0][k] - u[0][k - LAYER]) + (u[2][k] - u[2][k - 1]));
    d[2] = 0.5f * ((u[0][k] - u[0][k - ROW]) + (u[1][k] - u[1][k - 1]));
}

// The four edges along x, y or z around a centre are k plus 0, a, b, a + b; the four centres around an edge k minus
// these.
static const int edge_a[3] = {ROW, 1, 1}, edge_b[3] = {LAYER, LAYER, ROW};

static inline float mean_square(const float v[PADDED], int k, int a, int b) {
    return 0.25f * ((v[k] * v[k] + v[k + a] * v[k + a]) + (v[k + b] * v[k + b] + v[k + a + b] * v[k + a + b]));
}

// mu (p) + c at the centres of sand, by the rate of shear.
void granular_strength_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    float                        u[3][PADDED], shear[3][PADDED];
    if (!r->f->is_active[block]) return;
    bool is_rated = r->sand->grain_size > 0.0f;
    if (is_rated) {
        for (int axis = 0; axis < 3; axis++) pad(m, block, m->u[axis], all_rows, u[axis]);
        for (int z = 0; z <= 8; z++)
            for (int y = 0; y <= 8; y++)
                for (int x = 0; x <= 8; x++) {
                    float d[3];
                    shears(u, padded(x, y, z), d);
                    for (int e = 0; e < 3; e++) shear[e][padded(x, y, z)] = d[e];
                }
    }
    float scale = r->dt * m->inverse, dry = r->sand->cohesion.dry * scale, bridges = r->sand->cohesion.bridges * scale;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int   at = SHOAL_MAC_SAMPLES * block + s;
        float q = m->pressure[at] > 0.0f ? m->pressure[at] : 0.0f, mu = r->sand->friction;
        r->f->strength[at] = 0.0f;
        if (!shoal_mac_has(m->liquid, at)) continue;
        if (is_rated && q > 0.0f) {
            int   k     = padded(s & 7, s >> 3 & 7, s >> 6);
            float rate2 = 0.0f, d[3];
            stretches(u, k, d);
            for (int e = 0; e < 3; e++) rate2 += 0.5f * d[e] * d[e] + mean_square(shear[e], k, edge_a[e], edge_b[e]);
            mu += granular_rate_friction(r, m, sqrtf(rate2), q);
        }
        r->f->strength[at] = mu * q + (dry + bridges * shoal_granular_bridges(m->wetness[at]));
    }
}

// At an edge, of strengths that change linearly around it: three cells tell what the fourth would have. Fewer: nothing.
static inline float edge_bound(const float near[4]) {
    int   count = (near[0] > 0.0f) + (near[1] > 0.0f) + (near[2] > 0.0f) + (near[3] > 0.0f);
    float ends  = near[0] > 0.0f && near[3] > 0.0f ? near[0] + near[3] : 0.0f;
    float sides = near[1] > 0.0f && near[2] > 0.0f ? near[1] + near[2] : 0.0f;
    return count == 4 ? 0.25f * (ends + sides) : count == 3 ? 0.5f * (ends + sides) : 0.0f;
}

// Of the four cells around the edge along `axis` at `at`, those that a thin solid keeps apart from the most have no
// say: shear does not go through walls. In the order of edge_a and edge_b.
static void part_edge(const shoal_mac* m, int at, int axis, float near[4]) {
    const int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, beside_a = shoal_mac_beside(m, at, a, -1),
              beside_b = shoal_mac_beside(m, at, b, -1);
    const int cell[4]  = {at, beside_a, beside_b, beside_a < 0 ? -1 : shoal_mac_beside(m, beside_a, b, -1)};
    int       part[4] = {0, 1, 2, 3}, most = 0, best = 0;
    for (int n = 0; n < 4; n++) { // along a between 0 and 1, 2 and 3; along b between 0 and 2, 1 and 3
        int from = n < 2 ? 2 * n : n - 2, to = n < 2 ? from + 1 : from + 2, way[3] = {0, 0, 0};
        way[n < 2 ? a : b] = -1;
        if (cell[from] < 0 || cell[to] < 0 ||
            !mac_thin_joined(mac_part_nodes(m, cell[from]), mac_part_nodes(m, cell[to]), way))
            continue;
        for (int k = 0, old = part[to], new = part[from]; k < 4; k++)
            if (part[k] == old) part[k] = new;
    }
    for (int p = 0; p < 4; p++) {
        int count = 0;
        for (int k = 0; k < 4; k++) count += part[k] == p && near[k] > 0.0f;
        if (count <= most) continue;
        most = count;
        best = p;
    }
    for (int k = 0; k < 4; k++)
        if (part[k] != best) near[k] = 0.0f;
}

// In the surface of a tilted solid: that of the sand beside it.
static inline float tilted_bound(const float near[4]) {
    int count = (near[0] > 0.0f) + (near[1] > 0.0f) + (near[2] > 0.0f) + (near[3] > 0.0f);
    return count > 0 ? ((near[0] + near[1]) + (near[2] + near[3])) / (float)count : 0.0f;
}

// Bounds at centres, and on edges with at least three cells of sand around. Where there is none, there is no stress.
void granular_bound_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    float                    strength[PADDED];
    uint8_t*                 span = f->span[block];
    if (!f->is_active[block]) return;
    pad(m, block, f->strength, all_rows, strength);
    span[0] = span[2] = 8;
    span[1] = span[3] = 0;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int  at = SHOAL_MAC_SAMPLES * block + s, k = padded(s & 7, s >> 3 & 7, s >> 6), y = s >> 3 & 7, z = s >> 6;
        bool takes_part =
            f->inverse_mass[0][at] != 0.0f || f->inverse_mass[1][at] != 0.0f || f->inverse_mass[2][at] != 0.0f;
        f->bound[0][at] = strength[k];
        for (int e = 0; e < 3; e++) {
            float near[4] = {strength[k], strength[k - edge_a[e]], strength[k - edge_b[e]],
                             strength[k - edge_a[e] - edge_b[e]]};
            if (m->has_thin[block] && near[0] + near[1] + near[2] + near[3] > 0.0f) part_edge(m, at, e, near);
            f->bound[1 + e][at] = shoal_mac_has(f->tilted_edges[e], at) ? tilted_bound(near) : edge_bound(near);
        }
        for (int c = 0; c < SHOAL_GRANULAR_STRESSES; c++) {
            float bound     = f->bound[c < 3 ? 0 : c - 2][at];
            takes_part      = takes_part || bound > 0.0f;
            f->trial[c][at] = 0.0f;
            if (bound == 0.0f) f->stress[c][at] = 0.0f;
            f->last[c][at] = f->stress[c][at];
        }
        if (!takes_part) continue;
        if (y < span[0]) span[0] = (uint8_t)y;
        if (y >= span[1]) span[1] = (uint8_t)(y + 1);
        if (z < span[2]) span[2] = (uint8_t)z;
        if (z >= span[3]) span[3] = (uint8_t)(z + 1);
    }
    if (span[1] == 0) span[0] = span[2] = 0;
}

// ---------------------------------------------------------------------------------- sweeps

static inline void trial_rows(shoal_granular_friction* f, shoal_mac* m, int block, bool is_cut) {
    float u[3][PADDED];
    rows  r = rows_of(f, block);
    for (int axis = 0; axis < 3; axis++) pad(m, block, m->u[axis], r, u[axis]);
    for (int z = r.z0; z < r.z1; z++)
        for (int y = r.y0; y < r.y1; y++)
            for (int x = 0; x < 8; x++) {
                size_t at = SHOAL_MAC_SAMPLES * (size_t)block + (size_t)shoal_mac_sample(x, y, z);
                float  d[SHOAL_GRANULAR_STRESSES];
                stretches(u, padded(x, y, z), d);
                shears(u, padded(x, y, z), d + 3);
                float mean = ((d[0] + d[1]) + d[2]) * (1.0f / 3.0f), is_sand = f->bound[0][at] > 0.0f ? 1.0f : 0.0f;
                float rate = is_cut ? f->rate[0][at] : granular_relax;
                for (int k = 0; k < 3; k++) f->trial[k][at] = is_sand * (f->stress[k][at] + rate * (d[k] - mean));
                for (int k = 3; k < 6; k++)
                    f->trial[k][at] = (f->bound[k - 2][at] > 0.0f ? 1.0f : 0.0f) *
                                      (f->stress[k][at] + (is_cut ? f->rate[k - 2][at] : granular_relax) * d[k]);
            }
}

static void trial_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    if (!f->is_active[block]) return;
    if (f->is_cut[block])
        trial_rows(f, m, block, true);
    else
        trial_rows(f, m, block, false);
}

// What a row of eight stresses has done in a sweep.
typedef struct row_change {
    float change_max[8];  // largest change
    float restart_sum[8]; // step times change: positive when the momentum leads away
} row_change;

// Takes the new stress, and goes on beyond it.
static inline void take(shoal_granular_friction* f, int component, size_t at, int x, float now, row_change* c) {
    float delta = now - f->last[component][at], size = fabsf(delta);
    c->change_max[x] = size > c->change_max[x] ? size : c->change_max[x];
    c->restart_sum[x] += (f->stress[component][at] - now) * delta;
    f->stress[component][at] = now + f->momentum * delta;
    f->last[component][at]   = now;
}

// On the edges along x, y or z: with the diagonal of the four centres around, and each other shear of the four edges
// that are nearest, in the same plane: so sand that shears along a floor is as strong in all directions.
static inline float mean_around(const float* v, int a, int b) { return 0.25f * ((v[0] + v[a]) + (v[b] + v[a + b])); }

static inline void clip_edges(shoal_granular_friction* f, int e, size_t at, int k, const float* t,
                              const float* diagonal, float square[3][PADDED], row_change* c) {
    const int a = edge_a[e], b = edge_b[e], p = (e + 1) % 3, q = (e + 2) % 3;
    for (int x = 0; x < 8; x++) {
        int   i = k + x;
        float shear =
            mean_around(square[p] + i, -stride[p], stride[e]) + mean_around(square[q] + i, -stride[q], stride[e]);
        float other_parts = mean_around(diagonal + i, -a, -b) + shear;
        take(f, 3 + e, at + (size_t)x, x,
             shoal_friction_fraction(f->bound[1 + e][at + (size_t)x], square[e][i] + other_parts) * t[i], c);
    }
}

static void clip_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    float                    t[SHOAL_GRANULAR_STRESSES][PADDED], diagonal[PADDED], square[3][PADDED];
    rows                     r = rows_of(f, block);
    f->change_max[block]       = 0.0f;
    f->restart_sum[block]      = 0.0;
    if (!f->is_active[block]) return;
    for (int k = 0; k < SHOAL_GRANULAR_STRESSES; k++) pad(m, block, f->trial[k], r, t[k]);
    for (int z = r.z0 - 1; z <= r.z1; z++)
        for (int y = r.y0 - 1; y <= r.y1; y++)
            for (int k = padded(-1, y, z); k <= padded(8, y, z); k++) {
                diagonal[k] = 0.5f * ((t[0][k] * t[0][k] + t[1][k] * t[1][k]) + t[2][k] * t[2][k]);
                for (int e = 0; e < 3; e++) square[e][k] = t[3 + e][k] * t[3 + e][k];
            }
    row_change change = {{0}, {0}};
    for (int z = r.z0; z < r.z1; z++)
        for (int y = r.y0; y < r.y1; y++) {
            int    k  = padded(0, y, z);
            size_t at = SHOAL_MAC_SAMPLES * (size_t)block + (size_t)shoal_mac_sample(0, y, z);
            for (int x = 0; x < 8; x++) {
                int   i     = k + x;
                float shear = mean_around(square[0] + i, ROW, LAYER) +
                              (mean_around(square[1] + i, 1, LAYER) + mean_around(square[2] + i, 1, ROW));
                float fraction = shoal_friction_fraction(f->bound[0][at + (size_t)x], diagonal[i] + shear);
                for (int c = 0; c < 3; c++) take(f, c, at + (size_t)x, x, fraction * t[c][k + x], &change);
            }
            clip_edges(f, 0, at, k, t[3], diagonal, square, &change);
            clip_edges(f, 1, at, k, t[4], diagonal, square, &change);
            clip_edges(f, 2, at, k, t[5], diagonal, square, &change);
        }
    for (int x = 0; x < 8; x++) {
        f->change_max[block] =
            change.change_max[x] > f->change_max[block] ? change.change_max[x] : f->change_max[block];
        f->restart_sum[block] += (double)change.restart_sum[x];
    }
}

// Back from beyond: the stress as it was cut last.
static void end_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    (void)m;
    shoal_granular_friction* f    = ((granular_friction_job*)ctx)->f;
    size_t                   from = SHOAL_MAC_SAMPLES * (size_t)block;
    if (!f->is_active[block]) return;
    for (int c = 0; c < SHOAL_GRANULAR_STRESSES; c++)
        memcpy(f->stress[c] + from, f->last[c] + from, SHOAL_MAC_SAMPLES * sizeof(float));
    granular_end_wall_faces(f, block);
}

// Largest change of a stress in this sweep.
static float sweep(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    shoal_granular_friction* f = r->f;
    shoal_mac_each(m, exec, trial_block, r);
    shoal_mac_each(m, exec, granular_wall_traction_block, r);
    shoal_mac_each(m, exec, granular_wall_shear_block, r);
    shoal_mac_each(m, exec, clip_block, r);
    shoal_mac_each(m, exec, granular_wall_return_block, r);
    granular_act(r, m, exec);
    granular_push_ghosts(r, m, exec);
    shoal_mac_each(m, exec, force_from_base, r);
    granular_move_ghosts(r, m, exec);
    float  most        = 0.0f;
    double restart_sum = 0.0;
    for (int b = 0; b < m->block_count; b++) {
        most = fmaxf(most, f->change_max[b]);
        restart_sum += f->restart_sum[b];
    }
    // the usual sequence; from the start when it has led uphill [O'Donoghue & Candes 2015]
    float next  = restart_sum > 0.0 ? 1.0f : 0.5f * (1.0f + sqrtf(1.0f + 4.0f * f->pace * f->pace));
    f->momentum = restart_sum > 0.0 ? 0.0f : (f->pace - 1.0f) / next;
    f->pace     = next;
    f->sweeps++;
    return most;
}

void granular_sweeps(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec, int most, float enough) {
    for (int k = 0; k < most; k++)
        if (sweep(r, m, exec) < enough) break;
    shoal_mac_each(m, exec, end_block, r);
}
