// SPDX-License-Identifier: MIT
// Where particles are too dense or too far apart, a potential in the pressure's own system moves them.
#include "mac/mac_density_correction.h"

#include <math.h>

#include "mac/mac_level.h"
#include "mac/mac_project_local.h"

typedef struct correction_job {
    shoal_mac_projection*               projection;
    const shoal_mac_density_correction* how;
    bool                                is_beyond; // what is beyond the band, not what is within
} correction_job;

static bool is_at_surface(const shoal_mac* m, int at) {
    for (int axis = 0; axis < 3; axis++)
        for (int way = -1; way <= 1; way += 2) {
            int beside = shoal_mac_beside(m, at, axis, way), face = way > 0 ? beside : at;
            if (beside >= 0 && !mac_is_liquid(m, beside) && m->open[axis][face] > 0.0f) return true;
        }
    return false;
}

// Excess that no jitter makes.
static const float compressed = 0.25f;

// Noise is left alone, more of it at the surface, where only excess counts and noise would lift it; clumps and gaps go
// in several steps.
static float excess_of(const shoal_mac* m, int at) {
    const float dead = 0.01f, dead_surface = 0.2f, least = -0.5f, most = 1.0f;
    float       excess = m->density[at] - 1.0f;
    if (is_at_surface(m, at))
        excess = fmaxf(excess - dead_surface, 0.0f);
    else
        excess = fabsf(excess) < dead ? 0.0f : excess - copysignf(dead, excess);
    return fmaxf(fminf(excess, most), least);
}

static void excess_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const correction_job* e = ctx;
    for (int z = 0; z < 8; z++)
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int   at     = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
            float excess = excess_of(m, at), within = fmaxf(fminf(excess, e->how->band), -e->how->band);
            float fraction = e->how->gain * (e->is_beyond ? excess - within : within);
            e->projection->rhs[m->index[at]] =
                (double)(fraction + e->how->gain_compressed * fmaxf(excess - compressed, 0.0f));
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
    const correction_job* e = ctx;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        shoal_mac_liquid_faces(m, block, axis, faces);
        for (int z = 0; z < 8; z++)
            for (uint64_t left = faces[z]; left; left &= left - 1) {
                int at    = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
                int below = shoal_mac_beside(m, at, axis, -1);
                if (below < 0) continue;
                float cells = -mac_mobility(m, axis, at) * (float)mac_jump(e->projection, m, at, below);
                float most  = e->how->most;
                if (!e->is_beyond && isfinite(e->how->of_way))
                    most = fminf(most, e->how->of_way * speed_at(m, at, axis) * e->how->dt * m->inverse);
                cells = cells < -most ? -most : cells > most ? most : cells;
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

shoal_status shoal_mac_correct_density(shoal_mac_projection* p, shoal_mac* m, const shoal_exec* exec,
                                       const shoal_poisson_def* def, const shoal_mac_density_correction* how) {
    correction_job e = {p, how, false};
    for (int pass = 0; pass < (isfinite(how->band) ? 2 : 1); pass++) {
        e.is_beyond = pass > 0;
        shoal_mac_each(m, exec, excess_block, &e);
        if (!(shoal_max(exec, p->count, largest_of, p->rhs) > 0.0)) continue;
        SHOAL_TRY(shoal_poisson_solve(p->poisson, exec, def, p->rhs, p->pressure, false, NULL));
        shoal_mac_each(m, exec, shift_block, &e);
    }
    return SHOAL_OK;
}
