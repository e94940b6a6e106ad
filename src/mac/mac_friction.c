// SPDX-License-Identifier: MIT
// One sweep: a trial stress t = s + r dev D(u), cut back to what the pressure allows, moves u. All from the sweep before
// (Jacobi), so the order of cells does not matter.
#include "mac/mac_friction_local.h"

#include <string.h>

#include "mac/mac_level.h"

// Sweeps end when no stress changes by more than this share of rho g dx.
static const float enough = 1e-3f;

// A block with one sample more on each side: strides along x, y, z.
enum { PADDED = 1000, ROW = 10, LAYER = 100 };
static const int stride[3] = {1, ROW, LAYER};

static inline int padded(int x, int y, int z) { return (z + 1) * LAYER + (y + 1) * ROW + x + 1; }

static void pad(const shoal_mac* m, int block, const float* from, float out[PADDED]) {
    for (int z = -1; z <= 8; z++)
        for (int y = -1; y <= 8; y++) {
            int        bz = z < 0 ? 0 : z > 7 ? 2 : 1, by = y < 0 ? 0 : y > 7 ? 2 : 1, row = shoal_mac_sample(0, y & 7, z & 7);
            const int* near = m->near[block] + (bz * 3 + by) * 3;
            float*     to   = out + padded(0, y, z);
            to[-1]          = near[0] >= 0 ? from[SHOAL_MAC_SAMPLES * near[0] + row + 7] : 0.0f;
            to[8]           = near[2] >= 0 ? from[SHOAL_MAC_SAMPLES * near[2] + row] : 0.0f;
            if (near[1] >= 0) memcpy(to, from + SHOAL_MAC_SAMPLES * near[1] + row, 8 * sizeof *to);
            else memset(to, 0, 8 * sizeof *to);
        }
}

// ---------------------------------------------------------------------------------- memory

enum { ARRAYS = 2 * SHOAL_MAC_STRESSES + 4 + 9 };

static void arrays_of(shoal_mac_friction* f, float** out[ARRAYS]) {
    int n = 0;
    for (int k = 0; k < SHOAL_MAC_STRESSES; k++) {
        out[n++] = &f->stress[k];
        out[n++] = &f->trial[k];
    }
    for (int k = 0; k < 4; k++) out[n++] = &f->bound[k];
    for (int axis = 0; axis < 3; axis++) {
        out[n++] = &f->traction[axis];
        out[n++] = &f->star[axis];
        out[n++] = &f->face[axis];
    }
}

static void free_blocks(shoal_mac_friction* f) {
    float** arrays[ARRAYS];
    arrays_of(f, arrays);
    for (int k = 0; k < ARRAYS; k++) {
        shoal_free(*arrays[k]);
        *arrays[k] = NULL;
    }
    shoal_free(f->is_active);
    shoal_free(f->moved);
    shoal_free(f->grip_start);
    f->is_active  = NULL;
    f->moved      = NULL;
    f->grip_start = NULL;
    f->capacity   = 0;
}

void shoal_mac_friction_free(shoal_mac_friction* f) {
    free_blocks(f);
    shoal_free(f->grips);
    shoal_free(f->kept_corner);
    shoal_free(f->kept);
    *f = (shoal_mac_friction){0};
}

static shoal_status reserve(shoal_mac_friction* f, int blocks) {
    if (blocks <= f->capacity) return SHOAL_OK;
    free_blocks(f);
    size_t  n = (size_t)blocks + (size_t)blocks / 4 + 8;
    float** arrays[ARRAYS];
    arrays_of(f, arrays);
    f->is_active  = shoal_alloc(n, sizeof *f->is_active);
    f->moved      = shoal_alloc(n, sizeof *f->moved);
    f->grip_start = shoal_alloc(n + 1, sizeof *f->grip_start);
    bool has_all  = f->is_active && f->moved && f->grip_start;
    for (int k = 0; k < ARRAYS; k++) {
        *arrays[k] = shoal_alloc(n * SHOAL_MAC_SAMPLES, sizeof(float));
        has_all    = has_all && *arrays[k];
    }
    if (!has_all) {
        free_blocks(f);
        return SHOAL_ERR_MEMORY;
    }
    f->capacity = (int)n;
    return SHOAL_OK;
}

static shoal_status reserve_kept(shoal_mac_friction* f, int blocks) {
    if (blocks <= f->kept_capacity) return SHOAL_OK;
    size_t n       = (size_t)blocks + (size_t)blocks / 4 + 8;
    int (*corner)[3] = shoal_alloc(n, sizeof *corner);
    float* kept    = shoal_alloc(n * SHOAL_MAC_KEPT * SHOAL_MAC_SAMPLES, sizeof *kept);
    if (!corner || !kept) {
        shoal_free(corner);
        shoal_free(kept);
        return SHOAL_ERR_MEMORY;
    }
    shoal_free(f->kept_corner);
    shoal_free(f->kept);
    f->kept_corner   = corner;
    f->kept          = kept;
    f->kept_count    = 0;
    f->kept_capacity = (int)n;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- solving

static float* array_of(shoal_mac_friction* f, int k) { return k < SHOAL_MAC_STRESSES ? f->stress[k] : f->traction[k - SHOAL_MAC_STRESSES]; }

// Which comes first in the grid: z, then y, then x.
static int order_of(const int a[3], const int b[3]) {
    for (int axis = 2; axis >= 0; axis--)
        if (a[axis] != b[axis]) return a[axis] < b[axis] ? -1 : 1;
    return 0;
}

static int find_kept(const shoal_mac_friction* f, const int corner[3]) {
    int low = 0, high = f->kept_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (order_of(f->kept_corner[middle], corner) < 0) low = middle + 1;
        else high = middle;
    }
    return low < f->kept_count && order_of(f->kept_corner[low], corner) == 0 ? low : -1;
}

static bool has_sand(const shoal_mac* m, int block) {
    uint64_t any = 0;
    for (int z = 0; z < 8; z++) any |= m->liquid[8 * block + z];
    return any != 0;
}

// The stress of the step before, the velocity to begin with, and the faces that stress moves.
static void begin_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    mac_rubbing*            r    = ctx;
    shoal_mac_friction* f    = r->f;
    size_t              from = SHOAL_MAC_SAMPLES * (size_t)block;
    f->is_active[block]      = 0;
    for (int n = 0; n < SHOAL_MAC_NEAR; n++)
        if (m->near[block][n] >= 0 && has_sand(m, m->near[block][n])) f->is_active[block] = 1;
    int   kept  = f->is_active[block] ? find_kept(f, m->corner[block]) : -1;
    float scale = r->dt * m->inverse;
    for (int k = 0; k < SHOAL_MAC_KEPT; k++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++)
            array_of(f, k)[from + (size_t)s] = kept < 0 ? 0.0f : scale * f->kept[((size_t)kept * SHOAL_MAC_KEPT + (size_t)k) * SHOAL_MAC_SAMPLES + (size_t)s];
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        shoal_mac_liquid_faces(m, block, axis, faces);
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            size_t at         = from + (size_t)s;
            bool   is_closed  = m->has_solid[block] && m->open[axis][at] == 0.0f;
            f->star[axis][at] = !is_closed ? m->u[axis][at] : m->moves[block] ? m->solid_u[axis][at] : 0.0f;
            f->face[axis][at] = faces[s >> 6] >> (s & 63) & 1u ? 1.0f : 0.0f;
        }
    }
}

// Acceleration by stress of the face at k of the padded stresses, along an axis.
static inline float divergence(float p[SHOAL_MAC_STRESSES][PADDED], int k, int axis) {
    int a = axis == 0 ? 5 : axis == 1 ? 5 : 4, b = axis == 0 ? 4 : 3;   // the two shears
    int sa = axis == 0 ? ROW : axis == 1 ? 1 : 1, sb = axis == 2 ? ROW : LAYER; // and the ways they change along
    return (p[axis][k] - p[axis][k - stride[axis]]) + ((p[a][k + sa] - p[a][k]) + (p[b][k + sb] - p[b][k]));
}

// u = base + what stress and traction do, on the faces they move; the base is `star`, or what remains of u without them.
typedef enum { FROM_STAR, TO_BASE, FROM_BASE } force_way;
static void force_block(mac_rubbing* r, shoal_mac* m, int block, force_way way) {
    shoal_mac_friction* f = r->f;
    float               p[SHOAL_MAC_STRESSES][PADDED];
    if (f->is_active[block])
        for (int k = 0; k < SHOAL_MAC_STRESSES; k++) pad(m, block, f->stress[k], p[k]);
    for (int axis = 0; axis < 3; axis++) {
        size_t from = SHOAL_MAC_SAMPLES * (size_t)block;
        float *u = m->u[axis] + from, *base = m->change[axis] + from;
        const float *star = f->star[axis] + from, *face = f->face[axis] + from, *traction = f->traction[axis] + from;
        if (!f->is_active[block]) {
            if (way == FROM_STAR) memcpy(u, star, SHOAL_MAC_SAMPLES * sizeof *u);
            continue;
        }
        for (int row = 0; row < 64; row++)
            for (int x = 0; x < 8; x++) {
                int   s = 8 * row + x, k = padded(x, row & 7, row >> 3);
                float push = face[s] * (divergence(p, k, axis) + traction[s]);
                if (way == FROM_STAR) u[s] = star[s] + push;
                else if (way == TO_BASE) base[s] = u[s] - push;
                else u[s] = base[s] + push;
            }
    }
}

static void force_from_star(void* ctx, shoal_mac* m, int block, int worker) { (void)worker; force_block(ctx, m, block, FROM_STAR); }
static void force_to_base(void* ctx, shoal_mac* m, int block, int worker) { (void)worker; force_block(ctx, m, block, TO_BASE); }
static void force_from_base(void* ctx, shoal_mac* m, int block, int worker) { (void)worker; force_block(ctx, m, block, FROM_BASE); }

// Rates of strain times dx at the sample k of padded velocities: stretching along the axes at the centre, shears yz, xz, xy on
// the edges.
static inline void stretches(float u[3][PADDED], int k, float d[3]) {
    for (int axis = 0; axis < 3; axis++) d[axis] = u[axis][k + stride[axis]] - u[axis][k];
}
static inline void shears(float u[3][PADDED], int k, float d[3]) {
    d[0] = 0.5f * ((u[1][k] - u[1][k - LAYER]) + (u[2][k] - u[2][k - ROW]));
    d[1] = 0.5f * ((u[0][k] - u[0][k - LAYER]) + (u[2][k] - u[2][k - 1]));
    d[2] = 0.5f * ((u[0][k] - u[0][k - ROW]) + (u[1][k] - u[1][k - 1]));
}

// The four edges around a centre are k plus these; the four centres around an edge k minus these.
static const int around[3][4] = {{0, ROW, LAYER, ROW + LAYER}, {0, 1, LAYER, 1 + LAYER}, {0, 1, ROW, 1 + ROW}};

static inline float mean_square(const float v[PADDED], int k, const int step[4]) {
    float a = v[k], b = v[k + step[1]], c = v[k + step[2]], d = v[k + step[3]];
    return 0.25f * ((a * a + b * b) + (c * c + d * d));
}

// mu (p) + c at the centres of sand, by the rate of shear; in the trial's first array for now.
static void strength_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mac_rubbing* r = ctx;
    float          u[3][PADDED], shear[3][PADDED];
    if (!r->f->is_active[block]) return;
    bool is_rated = r->sand->grain_size > 0.0f;
    if (is_rated) {
        for (int axis = 0; axis < 3; axis++) pad(m, block, m->u[axis], u[axis]);
        for (int z = 0; z <= 8; z++)
            for (int y = 0; y <= 8; y++)
                for (int x = 0; x <= 8; x++) {
                    int k       = padded(x, y, z);
                    float d[3];
                    shears(u, k, d);
                    for (int e = 0; e < 3; e++) shear[e][k] = d[e];
                }
    }
    float cohesion = r->sand->cohesion * r->dt * m->inverse;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int   at = SHOAL_MAC_SAMPLES * block + s;
        float q = m->pressure[at] > 0.0f ? m->pressure[at] : 0.0f, mu = r->sand->friction;
        if (!shoal_mac_has(m->liquid, at)) {
            r->f->trial[0][at] = 0.0f;
            continue;
        }
        if (is_rated && q > 0.0f) {
            int   k = padded(s & 7, s >> 3 & 7, s >> 6);
            float rate2 = 0.0f, d[3];
            stretches(u, k, d);
            for (int axis = 0; axis < 3; axis++) rate2 += 0.5f * d[axis] * d[axis] + mean_square(shear[axis], k, around[axis]);
            mu += mac_rate_friction(r, m, sqrtf(rate2), q);
        }
        r->f->trial[0][at] = mu * q + cohesion;
    }
}

// Bounds at centres, and on edges with at least three cells of sand around.
static void bound_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_friction* f = ((mac_rubbing*)ctx)->f;
    float               strength[PADDED];
    if (!f->is_active[block]) return;
    pad(m, block, f->trial[0], strength);
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int at = SHOAL_MAC_SAMPLES * block + s, k = padded(s & 7, s >> 3 & 7, s >> 6);
        f->bound[0][at] = strength[k];
        for (int e = 0; e < 3; e++) {
            float sum   = 0.0f;
            int   count = 0;
            for (int n = 0; n < 4; n++) {
                float here = strength[k - around[e][n]];
                sum += here;
                count += here > 0.0f;
            }
            f->bound[1 + e][at] = count >= 3 ? 0.25f * sum : 0.0f;
        }
    }
}

static void trial_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_friction* f = ((mac_rubbing*)ctx)->f;
    float               u[3][PADDED];
    if (!f->is_active[block]) return;
    for (int axis = 0; axis < 3; axis++) pad(m, block, m->u[axis], u[axis]);
    size_t from = SHOAL_MAC_SAMPLES * (size_t)block;
    for (int row = 0; row < 64; row++)
        for (int x = 0; x < 8; x++) {
            size_t at = from + (size_t)(8 * row + x);
            float  d[SHOAL_MAC_STRESSES];
            stretches(u, padded(x, row & 7, row >> 3), d);
            shears(u, padded(x, row & 7, row >> 3), d + 3);
            float mean = ((d[0] + d[1]) + d[2]) * (1.0f / 3.0f), is_sand = f->bound[0][at] > 0.0f ? 1.0f : 0.0f;
            for (int k = 0; k < 3; k++) f->trial[k][at] = is_sand * (f->stress[k][at] + mac_relax * (d[k] - mean));
            for (int k = 3; k < 6; k++) f->trial[k][at] = (f->bound[k - 2][at] > 0.0f ? 1.0f : 0.0f) * (f->stress[k][at] + mac_relax * d[k]);
        }
}

static void clip_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_friction* f = ((mac_rubbing*)ctx)->f;
    float               t[SHOAL_MAC_STRESSES][PADDED], square[4][PADDED]; // diagonal, and each shear, at centres
    f->moved[block] = 0.0f;
    if (!f->is_active[block]) return;
    for (int k = 0; k < SHOAL_MAC_STRESSES; k++) pad(m, block, f->trial[k], t[k]);
    for (int z = -1; z < 8; z++)
        for (int y = -1; y < 8; y++)
            for (int x = -1; x < 8; x++) {
                int k        = padded(x, y, z);
                square[0][k] = 0.5f * ((t[0][k] * t[0][k] + t[1][k] * t[1][k]) + t[2][k] * t[2][k]);
                for (int e = 0; e < 3; e++) square[1 + e][k] = mean_square(t[3 + e], k, around[e]);
            }
    float  most = 0.0f;
    size_t from = SHOAL_MAC_SAMPLES * (size_t)block;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        size_t at    = from + (size_t)s;
        int    k     = padded(s & 7, s >> 3 & 7, s >> 6);
        float  share = mac_cut(f->bound[0][at], (square[0][k] + square[1][k]) + (square[2][k] + square[3][k]));
        for (int c = 0; c < 3; c++) {
            float now = share * t[c][k];
            most      = fmaxf(most, fabsf(now - f->stress[c][at]));
            f->stress[c][at] = now;
        }
        for (int e = 0; e < 3; e++) {
            float others = 0.0f; // the diagonal and the other two shears, as the centres around know them
            for (int n = 0; n < 4; n++) {
                int c = k - around[e][n];
                others += 0.25f * (square[0][c] + square[1 + (e + 1) % 3][c] + square[1 + (e + 2) % 3][c]);
            }
            float now = mac_cut(f->bound[1 + e][at], t[3 + e][k] * t[3 + e][k] + others) * t[3 + e][k];
            most      = fmaxf(most, fabsf(now - f->stress[3 + e][at]));
            f->stress[3 + e][at] = now;
        }
    }
    f->moved[block] = most;
}

// ---------------------------------------------------------------------------------- the whole

static float moved_most(const shoal_mac_friction* f, int blocks) {
    float most = 0.0f;
    for (int b = 0; b < blocks; b++) most = fmaxf(most, f->moved[b]);
    return most;
}

static void sweep(mac_rubbing* r, shoal_mac* m, const shoal_exec* exec) {
    shoal_mac_each(m, exec, trial_block, r);
    shoal_mac_each(m, exec, mac_grip_block, r);
    shoal_mac_each(m, exec, clip_block, r);
    shoal_mac_each(m, exec, mac_take_block, r);
    shoal_mac_each(m, exec, force_from_base, r);
    r->f->sweeps++;
}

static void keep_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mac_rubbing*      r    = ctx;
    shoal_mac_friction* f    = r->f;
    int                 kept = find_kept(f, m->corner[block]);
    if (kept < 0) return;
    float scale = m->def.dx / r->dt;
    for (int k = 0; k < SHOAL_MAC_KEPT; k++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++)
            f->kept[((size_t)kept * SHOAL_MAC_KEPT + (size_t)k) * SHOAL_MAC_SAMPLES + (size_t)s] = scale * array_of(f, k)[SHOAL_MAC_SAMPLES * block + s];
}

static shoal_status keep(mac_rubbing* r, shoal_mac* m, const shoal_exec* exec) {
    shoal_mac_friction* f     = r->f;
    int                 count = 0;
    for (int b = 0; b < m->block_count; b++) count += f->is_active[b];
    SHOAL_TRY(reserve_kept(f, count));
    f->kept_count = 0;
    for (int b = 0; b < m->block_count; b++)
        if (f->is_active[b]) memcpy(f->kept_corner[f->kept_count++], m->corner[b], sizeof m->corner[b]);
    shoal_mac_each(m, exec, keep_block, r);
    return SHOAL_OK;
}

shoal_status shoal_mac_rub(shoal_mac_friction* f, shoal_mac_projection* projection, shoal_mac* m, const shoal_exec* exec,
                           const shoal_world* world, const shoal_poisson_def* def, const shoal_mac_sand* sand, float gravity, float dt) {
    mac_rubbing r = {f, projection, world, sand, gravity, dt};
    SHOAL_TRY(reserve(f, m->block_count));
    shoal_mac_each(m, exec, begin_block, &r);
    SHOAL_TRY(mac_find_grips(&r, m, exec));
    shoal_mac_each(m, exec, mac_let_go_block, &r);
    SHOAL_TRY(shoal_mac_projection_set(projection, m, exec, def));
    f->sweeps = 0;
    for (int round = 0; round < sand->rounds; round++) {
        shoal_mac_each(m, exec, force_from_star, &r);
        SHOAL_TRY(shoal_mac_project(projection, m, exec, def, round > 0));
        shoal_mac_each(m, exec, strength_block, &r);
        shoal_mac_each(m, exec, bound_block, &r);
        shoal_mac_each(m, exec, mac_hold_block, &r);
        shoal_mac_each(m, exec, force_to_base, &r);
        for (int k = 0; k < sand->sweeps; k++) {
            sweep(&r, m, exec);
            if (moved_most(f, m->block_count) < enough * gravity * dt) break;
        }
    }
    shoal_mac_each(m, exec, force_from_star, &r);
    SHOAL_TRY(shoal_mac_project(projection, m, exec, def, true));
    return keep(&r, m, exec);
}

// ---------------------------------------------------------------------------------- as bytes

size_t shoal_mac_friction_size(const shoal_mac_friction* f) {
    return (size_t)f->kept_count * (sizeof *f->kept_corner + SHOAL_MAC_KEPT * SHOAL_MAC_SAMPLES * sizeof *f->kept);
}

void shoal_mac_friction_save(const shoal_mac_friction* f, void* to) {
    size_t corners = (size_t)f->kept_count * sizeof *f->kept_corner;
    if (f->kept_count == 0) return;
    memcpy(to, f->kept_corner, corners);
    memcpy((char*)to + corners, f->kept, (size_t)f->kept_count * SHOAL_MAC_KEPT * SHOAL_MAC_SAMPLES * sizeof *f->kept);
}

shoal_status shoal_mac_friction_load(shoal_mac_friction* f, const void* from, size_t size) {
    size_t each = sizeof *f->kept_corner + SHOAL_MAC_KEPT * SHOAL_MAC_SAMPLES * sizeof *f->kept, count = size / each;
    if (size % each != 0 || count > INT32_MAX / SHOAL_MAC_SAMPLES) return shoal_fail(SHOAL_ERR_INPUT, "the kept stress of sand is mac_cut short or too long");
    const char* values = (const char*)from + count * sizeof *f->kept_corner;
    for (size_t b = 1; b < count; b++) {
        int pair[2][3];
        memcpy(pair, (const char*)from + (b - 1) * sizeof pair[0], sizeof pair);
        if (order_of(pair[0], pair[1]) >= 0) return shoal_fail(SHOAL_ERR_INPUT, "the kept stress of sand is out of order");
    }
    for (size_t k = 0; k < count * SHOAL_MAC_KEPT * SHOAL_MAC_SAMPLES; k++) {
        float value;
        memcpy(&value, values + k * sizeof value, sizeof value);
        if (!isfinite(value)) return shoal_fail(SHOAL_ERR_INPUT, "the kept stress of sand holds values that are not finite");
    }
    SHOAL_TRY(reserve_kept(f, (int)count));
    f->kept_count = (int)count;
    if (count == 0) return SHOAL_OK;
    memcpy(f->kept_corner, from, count * sizeof *f->kept_corner);
    memcpy(f->kept, values, count * SHOAL_MAC_KEPT * SHOAL_MAC_SAMPLES * sizeof *f->kept);
    return SHOAL_OK;
}
