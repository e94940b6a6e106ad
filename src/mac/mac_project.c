// SPDX-License-Identifier: MIT
// The unknown is q = p dt / (rho dx), a velocity: then the system has no units, only fractions, and its right side is
// the flux out of a cell in m/s.
#include "mac/mac_project_local.h"

#include <string.h>

#include "mac/mac_level.h"

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
    size_t n     = (size_t)count + (size_t)count / 4 + 64;
    p->cell      = shoal_alloc(n, sizeof *p->cell);
    p->anchor    = shoal_alloc(n, sizeof *p->anchor);
    p->rhs       = shoal_alloc(n, sizeof *p->rhs);
    p->pressure  = shoal_alloc(n, sizeof *p->pressure);
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

float shoal_mac_wet_fraction(const shoal_mac* m, int at, int below) {
    bool has_at = mac_is_liquid(m, at), has_below = mac_is_liquid(m, below);
    if (has_at && has_below) return 1.0f;
    if (!has_at && !has_below) return 0.0f;
    float theta = has_at ? mac_theta(m, at, below) : mac_theta(m, below, at);
    return theta > 1.0f ? 1.0f : theta; // inside of solids the level set goes on
}

static void number_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_projection* p    = ctx;
    int                   next = p->start[block];
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int at       = SHOAL_MAC_SAMPLES * block + s;
        m->index[at] = mac_is_liquid(m, at) ? next++ : -1;
    }
}

static void row_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_projection* p = ctx;
    for (int z = 0; z < 8; z++)
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int   s = 64 * z + __builtin_ctzll(left), at = SHOAL_MAC_SAMPLES * block + s, row = m->index[at];
            float anchor    = 0.0f;
            p->cell[row][0] = m->corner[block][0] + (s & 7);
            p->cell[row][1] = m->corner[block][1] + (s >> 3 & 7);
            p->cell[row][2] = m->corner[block][2] + (s >> 6);
            for (int axis = 0; axis < 3; axis++) {
                int   above = shoal_mac_beside(m, at, axis, 1), below = shoal_mac_beside(m, at, axis, -1);
                float up           = above >= 0 ? m->open[axis][above] * mac_mobility(m, axis, above) : 0.0f;
                float down         = below >= 0 ? m->open[axis][at] * mac_mobility(m, axis, at) : 0.0f;
                p->plus[axis][row] = mac_is_liquid(m, above) ? up : 0.0f;
                if (up > 0.0f && !mac_is_liquid(m, above)) anchor += up / mac_theta(m, at, above);
                if (down > 0.0f && !mac_is_liquid(m, below)) anchor += down / mac_theta(m, at, below);
            }
            p->anchor[row] = anchor;
        }
}

shoal_status shoal_mac_projection_set(shoal_mac_projection* p, shoal_mac* m, const shoal_exec* exec,
                                      const shoal_poisson_def* def) {
    SHOAL_TRY(reserve(p, 0, m->block_count));
    p->count = 0;
    for (int b = 0; b < m->block_count; b++) {
        p->start[b] = p->count;
        for (int z = 0; z < 8; z++) p->count += __builtin_popcountll(m->liquid[8 * b + z]);
    }
    SHOAL_TRY(reserve(p, p->count, m->block_count));
    shoal_mac_each(m, exec, number_block, p);
    shoal_mac_each(m, exec, row_block, p);
    shoal_poisson_system system = {.count  = p->count,
                                   .cell   = (const int(*)[3])p->cell,
                                   .plus_x = p->plus[0],
                                   .plus_y = p->plus[1],
                                   .plus_z = p->plus[2],
                                   .anchor = p->anchor,
                                   .period = {m->def.period[0], m->def.period[1], m->def.period[2]}};
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

// For pictures and probes: cells inside of solids show what the liquid beside them feels.
static void tell_solid_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    if (!m->has_solid[block]) return;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        if (m->index[at] >= 0 || m->fraction[at] > 0.5f) continue;
        float sum   = 0.0f;
        int   count = 0;
        for (int n = 0; n < 6; n++) {
            int beside = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1);
            if (!mac_is_liquid(m, beside)) continue;
            sum += m->pressure[beside];
            count++;
        }
        if (count > 0) m->pressure[at] = sum / (float)count;
    }
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
                if (below >= 0)
                    m->u[axis][at] =
                        (float)((double)m->u[axis][at] - (double)mac_mobility(m, axis, at) * mac_jump(p, m, at, below));
            }
    }
}

shoal_status shoal_mac_project(shoal_mac_projection* p, shoal_mac* m, const shoal_exec* exec,
                               const shoal_poisson_def* def, bool has_guess) {
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
        if (mac_is_liquid(m, at)) most = fmax(most, fabs(outflow(m, at)));
    return most;
}

double shoal_mac_divergence(shoal_mac* m, const shoal_exec* exec) {
    return fmax(shoal_max(exec, SHOAL_MAC_SAMPLES * m->block_count, most_outflow, m), 0.0);
}
