// SPDX-License-Identifier: MIT
// The unknown is q = p dt / (rho dx), a velocity: then the system has no units but shares, and its right side is the
// flux out of a cell in m/s.
#include "mac/mac_project.h"

#include <string.h>

#include "mac/mac_level.h"

// The surface is never nearer to a liquid centre than this, in cells: it bounds the condition of the system.
static const float theta_least = 0.01f;

static void free_rows(shoal_mac_projection* p) {
    shoal_free(p->cell);
    for (int axis = 0; axis < 3; axis++) {
        shoal_free(p->plus[axis]);
        p->plus[axis] = NULL;
    }
    shoal_free(p->anchor);
    shoal_free(p->rhs);
    shoal_free(p->pressure);
    p->cell     = NULL;
    p->anchor   = NULL;
    p->rhs      = NULL;
    p->pressure = NULL;
    p->capacity = 0;
}

void shoal_mac_projection_free(shoal_mac_projection* p) {
    free_rows(p);
    shoal_free(p->start);
    shoal_poisson_destroy(p->poisson);
    *p = (shoal_mac_projection){0};
}

static shoal_status reserve(shoal_mac_projection* p, int count, int blocks) {
    if (!p->poisson) SHOAL_TRY(shoal_poisson_create(&p->poisson));
    if (blocks > p->start_capacity) {
        shoal_free(p->start);
        p->start_capacity = 0;
        p->start          = shoal_alloc((size_t)blocks + (size_t)blocks / 4 + 8, sizeof *p->start);
        if (!p->start) return SHOAL_ERR_MEMORY;
        p->start_capacity = blocks + blocks / 4 + 8;
    }
    if (count <= p->capacity) return SHOAL_OK;
    free_rows(p);
    size_t n    = (size_t)count + (size_t)count / 4 + 64;
    p->cell     = shoal_alloc(n, sizeof *p->cell);
    p->anchor   = shoal_alloc(n, sizeof *p->anchor);
    p->rhs      = shoal_alloc(n, sizeof *p->rhs);
    p->pressure = shoal_alloc(n, sizeof *p->pressure);
    bool has_all = p->cell && p->anchor && p->rhs && p->pressure;
    for (int axis = 0; axis < 3; axis++) {
        p->plus[axis] = shoal_alloc(n, sizeof *p->plus[axis]);
        has_all       = has_all && p->plus[axis];
    }
    if (!has_all) {
        free_rows(p);
        return SHOAL_ERR_MEMORY;
    }
    p->capacity = (int)n;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the system

// Distance of the free surface from the centre of liquid cell `at` towards air cell `air`, in cells.
static inline float theta_of(const shoal_mac* m, int at, int air) {
    float theta = m->phi[at] / (m->phi[at] - m->phi[air]);
    return theta < theta_least ? theta_least : theta;
}

static inline bool is_liquid(const shoal_mac* m, int at) { return at >= 0 && shoal_mac_has(m->liquid, at); }

float shoal_mac_wet_share(const shoal_mac* m, int at, int below) {
    bool has_at = is_liquid(m, at), has_below = is_liquid(m, below);
    if (has_at && has_below) return 1.0f;
    if (!has_at && !has_below) return 0.0f;
    float theta = has_at ? theta_of(m, at, below) : theta_of(m, below, at);
    return theta > 1.0f ? 1.0f : theta; // inside of solids the level set goes on
}

static inline float ease_of(const shoal_mac* m, int axis, int face) { return m->ease[axis] ? m->ease[axis][face] : 1.0f; }

static void number_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_projection* p    = ctx;
    int                   next = p->start[block];
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int at       = SHOAL_MAC_SAMPLES * block + s;
        m->index[at] = is_liquid(m, at) ? next++ : -1;
    }
}

static void row_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_projection* p = ctx;
    for (int z = 0; z < 8; z++)
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int   s = 64 * z + __builtin_ctzll(left), at = SHOAL_MAC_SAMPLES * block + s, row = m->index[at];
            float anchor = 0.0f;
            p->cell[row][0] = m->corner[block][0] + (s & 7);
            p->cell[row][1] = m->corner[block][1] + (s >> 3 & 7);
            p->cell[row][2] = m->corner[block][2] + (s >> 6);
            for (int axis = 0; axis < 3; axis++) {
                int   above = shoal_mac_beside(m, at, axis, 1), below = shoal_mac_beside(m, at, axis, -1);
                float up = above >= 0 ? m->open[axis][above] * ease_of(m, axis, above) : 0.0f;
                float down = below >= 0 ? m->open[axis][at] * ease_of(m, axis, at) : 0.0f;
                p->plus[axis][row] = is_liquid(m, above) ? up : 0.0f;
                if (up > 0.0f && !is_liquid(m, above)) anchor += up / theta_of(m, at, above);
                if (down > 0.0f && !is_liquid(m, below)) anchor += down / theta_of(m, at, below);
            }
            p->anchor[row] = anchor;
        }
}

shoal_status shoal_mac_projection_set(shoal_mac_projection* p, shoal_mac* m, const shoal_exec* exec, const shoal_poisson_def* def) {
    SHOAL_TRY(reserve(p, 0, m->block_count));
    p->count = 0;
    for (int b = 0; b < m->block_count; b++) {
        p->start[b] = p->count;
        for (int z = 0; z < 8; z++) p->count += __builtin_popcountll(m->liquid[8 * b + z]);
    }
    SHOAL_TRY(reserve(p, p->count, m->block_count));
    shoal_mac_each(m, exec, number_block, p);
    shoal_mac_each(m, exec, row_block, p);
    shoal_poisson_system system = {.count = p->count, .cell = (const int(*)[3])p->cell, .plus_x = p->plus[0], .plus_y = p->plus[1],
                                   .plus_z = p->plus[2], .anchor = p->anchor, .period = {m->def.period[0], m->def.period[1], m->def.period[2]}};
    return shoal_poisson_set(p->poisson, exec, def, &system);
}

// ---------------------------------------------------------------------------------- projection

static inline float flux(const shoal_mac* m, int axis, int face) {
    float open = m->open[axis][face], u = m->u[axis][face];
    if (open == 1.0f) return u;
    return open * u + (m->moves[face >> 9] ? (1.0f - open) * m->solid_u[axis][face] : 0.0f);
}

// Flux out of a cell, m/s.
static double outflow(const shoal_mac* m, int at) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        int above = shoal_mac_beside(m, at, axis, 1), below = shoal_mac_beside(m, at, axis, -1);
        if (above >= 0) sum += (double)flux(m, axis, above);
        if (below >= 0) sum -= (double)flux(m, axis, at);
    }
    return sum;
}

static void rhs_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_projection* p = ctx;
    for (int z = 0; z < 8; z++)
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int at               = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
            p->rhs[m->index[at]] = -outflow(m, at);
        }
}

static void tell_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_projection* p = ctx;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
        m->pressure[at] = m->index[at] >= 0 ? (float)p->pressure[m->index[at]] : 0.0f;
}

// For those who look at it: cells inside of solids show what the liquid beside them feels.
static void tell_solid_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    if (!m->has_solid[block]) return;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        if (m->index[at] >= 0 || m->share[at] > 0.5f) continue;
        float sum   = 0.0f;
        int   count = 0;
        for (int n = 0; n < 6; n++) {
            int beside = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1);
            if (!is_liquid(m, beside)) continue;
            sum += m->pressure[beside];
            count++;
        }
        if (count > 0) m->pressure[at] = sum / (float)count;
    }
}

// Difference of q across the low face of `at`; at least one side is liquid.
static inline double jump(const shoal_mac_projection* p, const shoal_mac* m, int at, int below) {
    bool   has_at = is_liquid(m, at), has_below = is_liquid(m, below);
    double q = has_at ? p->pressure[m->index[at]] : 0.0, q_below = has_below ? p->pressure[m->index[below]] : 0.0;
    if (has_at && has_below) return q - q_below;
    return has_at ? q / (double)theta_of(m, at, below) : -q_below / (double)theta_of(m, below, at);
}

static void subtract_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_projection* p = ctx;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        shoal_mac_liquid_faces(m, block, axis, faces);
        memcpy(m->known[axis] + 8 * block, faces, sizeof faces);
        for (int z = 0; z < 8; z++)
            for (uint64_t left = faces[z]; left; left &= left - 1) {
                int at    = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
                int below = shoal_mac_beside(m, at, axis, -1);
                if (below >= 0) m->u[axis][at] = (float)((double)m->u[axis][at] - (double)ease_of(m, axis, at) * jump(p, m, at, below));
            }
    }
}

shoal_status shoal_mac_project(shoal_mac_projection* p, shoal_mac* m, const shoal_exec* exec, const shoal_poisson_def* def, bool has_guess) {
    shoal_mac_each(m, exec, rhs_block, p);
    SHOAL_TRY(shoal_poisson_solve(p->poisson, exec, def, p->rhs, p->pressure, has_guess, &p->report));
    shoal_mac_each(m, exec, tell_block, p);
    shoal_mac_each(m, exec, tell_solid_block, p);
    shoal_mac_each(m, exec, subtract_block, p);
    return SHOAL_OK;
}

static double most_outflow(void* ctx, int begin, int end) {
    const shoal_mac* m    = ctx;
    double           most = 0.0;
    for (int at = begin; at < end; at++)
        if (is_liquid(m, at)) most = fmax(most, fabs(outflow(m, at)));
    return most;
}

double shoal_mac_divergence(shoal_mac* m, const shoal_exec* exec) {
    return fmax(shoal_max(exec, SHOAL_MAC_SAMPLES * m->block_count, most_outflow, m), 0.0);
}

// ---------------------------------------------------------------------------------- density

typedef struct evening {
    shoal_mac_projection*    projection;
    const shoal_mac_evening* how;
    bool                     is_beyond; // what is beyond the band, not what is within
} evening;

static bool is_at_surface(const shoal_mac* m, int at) {
    for (int axis = 0; axis < 3; axis++)
        for (int way = -1; way <= 1; way += 2) {
            int beside = shoal_mac_beside(m, at, axis, way), face = way > 0 ? beside : at;
            if (beside >= 0 && !is_liquid(m, beside) && m->open[axis][face] > 0.0f) return true;
        }
    return false;
}

// Noise is left alone, more of it at the surface, where only excess counts and noise would lift it; clumps and gaps go in several
// steps.
static float excess_of(const shoal_mac* m, int at) {
    const float dead = 0.01f, dead_surface = 0.2f, least = -0.5f, most = 1.0f;
    float       excess = m->density[at] - 1.0f;
    if (is_at_surface(m, at)) excess = fmaxf(excess - dead_surface, 0.0f);
    else excess = fabsf(excess) < dead ? 0.0f : excess - copysignf(dead, excess);
    return fmaxf(fminf(excess, most), least);
}

static void excess_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const evening* e = ctx;
    for (int z = 0; z < 8; z++)
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int   at     = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
            float excess = excess_of(m, at), within = fmaxf(fminf(excess, e->how->band), -e->how->band);
            e->projection->rhs[m->index[at]] = (double)(e->how->gain * (e->is_beyond ? excess - within : within));
        }
}

// Speed at a face, m/s. Of the other axes as it was before forces, since theirs are being shifted as well.
static float speed_at(const shoal_mac* m, int at, int axis) {
    float square = m->u[axis][at] * m->u[axis][at];
    for (int k = 1; k < 3; k++) {
        int   other = (axis + k) % 3, next = shoal_mac_beside(m, at, other, 1);
        float a = m->old[other][at], b = next >= 0 ? m->old[other][next] : a;
        square += 0.25f * (a + b) * (a + b);
    }
    return sqrtf(square);
}

static void shift_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const evening* e = ctx;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        shoal_mac_liquid_faces(m, block, axis, faces);
        for (int z = 0; z < 8; z++)
            for (uint64_t left = faces[z]; left; left &= left - 1) {
                int at    = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
                int below = shoal_mac_beside(m, at, axis, -1);
                if (below < 0) continue;
                float cells = -ease_of(m, axis, at) * (float)jump(e->projection, m, at, below);
                float most  = e->how->most;
                if (!e->is_beyond && isfinite(e->how->of_way)) most = fminf(most, e->how->of_way * speed_at(m, at, axis) * e->how->dt * m->inverse);
                cells       = cells < -most ? -most : cells > most ? most : cells;
                m->u[axis][at] += cells * m->def.dx / e->how->dt;
            }
    }
}

static double largest_of(void* ctx, int begin, int end) {
    const double* rhs  = ctx;
    double        most = 0.0;
    for (int k = begin; k < end; k++) most = fmax(most, fabs(rhs[k]));
    return most;
}

shoal_status shoal_mac_even_out(shoal_mac_projection* p, shoal_mac* m, const shoal_exec* exec, const shoal_poisson_def* def,
                                const shoal_mac_evening* how) {
    evening e = {p, how, false};
    for (int pass = 0; pass < (isfinite(how->band) ? 2 : 1); pass++) {
        e.is_beyond = pass > 0;
        shoal_mac_each(m, exec, excess_block, &e);
        if (!(shoal_max(exec, p->count, largest_of, p->rhs) > 0.0)) continue;
        SHOAL_TRY(shoal_poisson_solve(p->poisson, exec, def, p->rhs, p->pressure, false, NULL));
        shoal_mac_each(m, exec, shift_block, &e);
    }
    return SHOAL_OK;
}
