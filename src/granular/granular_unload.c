// SPDX-License-Identifier: MIT
// When a solid that has pressed on sand moves away, what it pressed goes with it at once. Stress
// kept from the step before would push the sand after it, and hold up the pressure that allows that
// stress, for many sweeps: a print would fill up under the sole that lifts. Friction does no work
// on sand. So where kept stress does, near a solid that moves away, that which is beyond what the sand
// would bear by the pressure that it has without any is of a load that has gone, and begins anew.
#include "granular/granular_friction_local.h"

#include <string.h>

// Within a cell, what moves by less than this fraction of g dt is still.
static const float still = 0.05f;

static bool is_near_retracting(const shoal_granular_friction* f, const shoal_mac* m, int block) {
    for (int n = 0; f->is_active[block] && n < SHOAL_MAC_NEAR; n++)
        if (m->near[block][n] >= 0 && m->retracts[m->near[block][n]]) return true;
    return false;
}

// Power and square of the stress in a cell, the shears as means of the four edges around.
static void work_of(const shoal_granular_friction* f, const shoal_mac* m, int at, float* power, float* square) {
    *power = *square = 0.0f;
    for (int axis = 0; axis < 3; axis++) { // it has no mean, so that of the stretches does not matter
        int   next = shoal_mac_beside(m, at, axis, 1);
        float s    = f->stress[axis][at];
        if (next >= 0) *power += s * (m->u[axis][next] - m->u[axis][at]);
        *square += 0.5f * s * s;
    }
    for (int e = 0; e < 3; e++)
        for (int n = 0; n < 4; n++) {
            int a = (e + 1) % 3, b = (e + 2) % 3, edge = n & 1 ? shoal_mac_beside(m, at, a, 1) : at;
            if (edge >= 0 && n & 2) edge = shoal_mac_beside(m, edge, b, 1);
            if (edge < 0 || f->stress[3 + e][edge] == 0.0f) continue;
            int   below_a = shoal_mac_beside(m, edge, a, -1), below_b = shoal_mac_beside(m, edge, b, -1);
            float s = 0.25f * f->stress[3 + e][edge];
            if (below_a >= 0) *power += s * (m->u[b][edge] - m->u[b][below_a]);
            if (below_b >= 0) *power += s * (m->u[a][edge] - m->u[a][below_b]);
            *square += s * f->stress[3 + e][edge];
        }
}

// How large the stress is, to `magnitude`; `does_work`: somewhere it does, or a traction does.
static void find_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r     = ctx;
    shoal_granular_friction*     f     = r->f;
    float                        least = still * shoal_v3_length(r->gravity) * r->dt;
    f->does_work[block]                = 0;
    if (!is_near_retracting(f, m, block)) return;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        float power, square;
        f->magnitude[at] = 0.0f;
        if (!shoal_mac_has(m->liquid, at)) continue;
        work_of(f, m, at, &power, &square);
        f->magnitude[at] = sqrtf(square);
        if (power < -least * f->magnitude[at]) f->does_work[block] = 1;
    }
    for (int n = f->wall_face_start[block]; n < f->wall_face_start[block + 1]; n++) {
        const shoal_granular_wall_face* g = &f->wall_faces[n];
        float traction = f->traction[g->axis][g->at], slip = m->u[g->axis][g->at] - g->solid_velocity[g->axis];
        if (traction * slip > least * fabsf(traction)) f->does_work[block] = 1;
    }
}

static bool is_gone(const shoal_granular_friction* f, const shoal_mac* m, int at) {
    return at >= 0 && is_near_retracting(f, m, at >> 9) && f->magnitude[at] > f->strength[at];
}

static void unload_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    if (!is_near_retracting(f, m, block)) return;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        bool has_gone = is_gone(f, m, at);
        for (int axis = 0; has_gone && axis < 3; axis++) f->stress[axis][at] = 0.0f;
        for (int e = 0; e < 3; e++) {
            int a = (e + 1) % 3, b = (e + 2) % 3, below_a = shoal_mac_beside(m, at, a, -1),
                below_b = shoal_mac_beside(m, at, b, -1);
            if (f->stress[3 + e][at] != 0.0f && (has_gone || is_gone(f, m, below_a) || is_gone(f, m, below_b) ||
                                                 (below_a >= 0 && is_gone(f, m, shoal_mac_beside(m, below_a, b, -1)))))
                f->stress[3 + e][at] = 0.0f;
        }
    }
}

// What presses on a solid is known only with the bounds of the stress; here the pressure will do.
static void unload_wall_faces(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    if (!is_near_retracting(f, m, block)) return;
    for (int n = f->wall_face_start[block], end = f->wall_face_start[block + 1], next; n < end; n = next) {
        const shoal_granular_wall_face* g        = &f->wall_faces[n];
        float *                         traction = &f->traction[g->axis][g->at], friction = 0.0f;
        int                             below = shoal_mac_beside(m, g->at, g->axis, -1);
        float                           q     = fmaxf(m->index[g->at] >= 0 ? m->pressure[g->at] : 0.0f,
                        below >= 0 && m->index[below] >= 0 ? m->pressure[below] : 0.0f);
        next = granular_wall_faces_end(f, n, end);
        for (int k = n; k < next; k++) friction += f->wall_faces[k].friction;
        if (!isinf(friction) && fabsf(*traction) > friction * fmaxf(q, 0.0f)) *traction = 0.0f;
    }
}

static void star_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_granular_friction* f    = ((granular_friction_job*)ctx)->f;
    size_t                         from = SHOAL_MAC_SAMPLES * (size_t)block;
    for (int axis = 0; axis < 3; axis++)
        memcpy(m->u[axis] + from, f->star[axis] + from, SHOAL_MAC_SAMPLES * sizeof(float));
}

shoal_status granular_unload(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec,
                             const shoal_poisson_def* def) {
    bool does_work = false, has_retracting = false;
    for (int b = 0; b < m->block_count; b++) has_retracting = has_retracting || m->retracts[b];
    if (!has_retracting) return SHOAL_OK;
    granular_move_ghosts(r, m, exec);
    shoal_mac_each(m, exec, find_block, r);
    for (int b = 0; b < m->block_count; b++) does_work = does_work || r->f->does_work[b];
    if (!does_work) return SHOAL_OK;
    shoal_mac_each(m, exec, star_block, r);
    SHOAL_TRY(shoal_mac_project(r->projection, m, exec, def, false));
    shoal_mac_each(m, exec, granular_strength_block, r);
    shoal_mac_each(m, exec, unload_block, r);
    shoal_mac_each(m, exec, unload_wall_faces, r);
    granular_force_from_star(r, m, exec);
    return shoal_mac_project(r->projection, m, exec, def, true);
}
