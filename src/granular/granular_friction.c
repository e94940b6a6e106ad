// SPDX-License-Identifier: MIT
// Memory, the order of solves and sweeps, and the stress that is kept; the sweeps themselves are in granular_sweep.c.
#include "granular/granular_friction_local.h"

#include <string.h>

#include "mac/mac_blocks.h"
#include "mac/mac_level.h"

// Sweeps end when no stress changes by more than this fraction of rho g dx.
static const float enough = 5e-4f;
// How many times the rounds, and the sweeps of each, are of a step that finds its stress anew: the first, and one that
// sets more than this fraction of the faces of sand along an axis from rest into motion. Whether a slope slides or
// stands is decided there, and what few sweeps leave undone is a slide that friction would have held. (With a twentieth
// of all faces a bucket that is tipped keeps 4 % of its sand; with a fiftieth a funnel that runs takes a third more
// time; with a fifth of all, a bed that begins to slide along an axis of the grid had it by chance.)
static const int    patient   = 3;
static const double set_going = 0.2;

const shoal_field_def shoal_granular_stress_fields[] = {
    SHOAL_MAC_STORED_FIELDS(SHOAL_GRANULAR_STORED, "m^2/s^2", "stresses and tractions over the density")};

// ---------------------------------------------------------------------------------- memory

enum { ARRAYS = 4 * SHOAL_GRANULAR_STRESSES + 9 + 18 + 9 };

static void arrays_of(shoal_granular_friction* f, shoal_mac_array a[ARRAYS]) {
    int n = 0;
    for (int k = 0; k < SHOAL_GRANULAR_STRESSES; k++) {
        a[n++] = SHOAL_MAC_ARRAY(f->stress[k], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(f->last[k], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(f->acting[k], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(f->trial[k], SHOAL_MAC_SAMPLES);
    }
    a[n++] = SHOAL_MAC_ARRAY(f->strength, SHOAL_MAC_SAMPLES);
    for (int k = 0; k < 4; k++) {
        a[n++] = SHOAL_MAC_ARRAY(f->bound[k], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(f->rate[k], SHOAL_MAC_SAMPLES);
    }
    for (int axis = 0; axis < 3; axis++) {
        a[n++] = SHOAL_MAC_ARRAY(f->traction[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(f->mass[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(f->load[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(f->tilted_edges[axis], 8);
        a[n++] = SHOAL_MAC_ARRAY(f->star[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(f->inverse_mass[axis], SHOAL_MAC_SAMPLES);
    }
    a[n++] = SHOAL_MAC_ARRAY(f->is_active, 1);
    a[n++] = SHOAL_MAC_ARRAY(f->is_cut, 1);
    a[n++] = SHOAL_MAC_ARRAY(f->has_cuts, 1);
    a[n++] = SHOAL_MAC_ARRAY(f->span, 1);
    a[n++] = SHOAL_MAC_ARRAY(f->change_max, 1);
    a[n++] = SHOAL_MAC_ARRAY(f->restart_sum, 1);
    a[n++] = SHOAL_MAC_ARRAY(f->face_count, 1);
    a[n++] = SHOAL_MAC_ARRAY(f->started, 1);
    a[n++] = SHOAL_MAC_ARRAY(f->does_work, 1);
}

void shoal_granular_friction_free(shoal_granular_friction* f) {
    shoal_mac_array a[ARRAYS];
    arrays_of(f, a);
    shoal_mac_release(a, ARRAYS, &f->capacity);
    shoal_free(f->wall_face_start);
    shoal_free(f->cut_start);
    shoal_free(f->cuts);
    shoal_free(f->surface_start);
    shoal_free(f->surface_faces);
    shoal_free(f->ghost_start);
    shoal_free(f->link_start);
    shoal_free(f->back_start);
    shoal_free(f->ghosts);
    shoal_free(f->links);
    shoal_free(f->back);
    shoal_granular_separation_free(&f->separation);
    shoal_free(f->wall_faces);
    *f = (shoal_granular_friction){0};
}

static shoal_status reserve(shoal_granular_friction* f, int blocks) {
    shoal_mac_array a[ARRAYS], start[] = {SHOAL_MAC_ARRAY(f->wall_face_start, 1), SHOAL_MAC_ARRAY(f->surface_start, 1),
                                          SHOAL_MAC_ARRAY(f->ghost_start, 1),     SHOAL_MAC_ARRAY(f->link_start, 1),
                                          SHOAL_MAC_ARRAY(f->back_start, 1),      SHOAL_MAC_ARRAY(f->cut_start, 1)};
    arrays_of(f, a);
    SHOAL_TRY(shoal_mac_reserve(start, 6, &f->start_capacity, blocks + 1));
    return shoal_mac_reserve(a, ARRAYS, &f->capacity, blocks);
}

// ---------------------------------------------------------------------------------- solving

static float* array_of(shoal_granular_friction* f, int k) {
    return k < SHOAL_GRANULAR_STRESSES ? f->stress[k] : f->traction[k - SHOAL_GRANULAR_STRESSES];
}

static bool has_sand(const shoal_mac* m, int block) {
    uint64_t any = 0;
    for (int z = 0; z < 8; z++) any |= m->liquid[8 * block + z];
    return any != 0;
}

// The stress of the step before, the velocity to begin with, and the faces that stress moves.
static void begin_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    granular_friction_job*   r    = ctx;
    shoal_granular_friction* f    = r->f;
    size_t                   from = SHOAL_MAC_SAMPLES * (size_t)block;
    f->is_active[block]           = 0;
    for (int n = 0; n < SHOAL_MAC_NEAR; n++)
        if (m->near[block][n] >= 0 && has_sand(m, m->near[block][n])) f->is_active[block] = 1;
    float scale = r->dt * m->inverse;
    for (int k = 0; k < SHOAL_GRANULAR_STORED; k++) {
        const float* stored = f->is_active[block] ? shoal_mac_stored_at(f->stored, m->corner[block], k) : NULL;
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++)
            array_of(f, k)[from + (size_t)s] = stored ? scale * stored[s] : 0.0f;
    }
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        shoal_mac_liquid_faces(m, block, axis, faces);
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            size_t at         = from + (size_t)s;
            bool   is_closed  = m->has_solid[block] && m->open[axis][at] == 0.0f;
            f->star[axis][at] = !is_closed ? m->u[axis][at] : m->moves[block] ? m->solid_u[axis][at] : 0.0f;
            float mobility    = m->mobility[axis] ? m->mobility[axis][at] : 1.0f;
            f->inverse_mass[axis][at] =
                faces[s >> 6] >> (s & 63) & 1u ? mobility / granular_mass(f, m, (int)at, axis) : 0.0f;
        }
    }
}

typedef struct started_job {
    const granular_friction_job* r;
    int                          axis;
} started_job;

// Faces of sand along an axis in a block, to `face_count`, and how many of them were at rest and move now, to
// `started`.
static void started_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const started_job*       c     = ctx;
    shoal_granular_friction* f     = c->r->f;
    const float              still = c->r->sand->still, *old = m->old[c->axis], *u = m->u[c->axis];
    int                      faces = 0, count = 0;
    for (int at = SHOAL_MAC_SAMPLES * block; f->is_active[block] && at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        if (f->inverse_mass[c->axis][at] == 0.0f) continue;
        faces++;
        count += shoal_mac_has(m->saved[c->axis], at) && fabsf(old[at]) <= still && fabsf(u[at]) > still;
    }
    f->started[block]    = count;
    f->face_count[block] = faces;
}

static bool is_set_going(const granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    for (int axis = 0; axis < 3; axis++) {
        double faces = 0.0, count = 0.0;
        shoal_mac_each(m, exec, started_block, &(started_job){r, axis});
        for (int b = 0; b < m->block_count; b++) {
            count += (double)r->f->started[b];
            faces += (double)r->f->face_count[b];
        }
        if (count > set_going * faces) return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------- the whole

static void keep_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    if (!r->f->is_active[block]) return;
    for (int k = 0; k < SHOAL_GRANULAR_STORED; k++) {
        float*       stored = shoal_mac_stored_at(r->f->stored, m->corner[block], k);
        const float* now    = array_of(r->f, k) + SHOAL_MAC_SAMPLES * (size_t)block;
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) stored[s] = m->def.dx / r->dt * now[s];
    }
}

// What is left when some of it is torn may be held by suction in its turn.
static shoal_status separate(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec,
                             const shoal_poisson_def* def) {
    enum { PASSES = 2 };
    shoal_granular_suction bearable =
        shoal_granular_bearable(m, r->sand->friction, r->sand->cohesion, shoal_v3_length(r->gravity), r->dt);
    for (int pass = 0; pass < PASSES; pass++) {
        bool has_separated;
        SHOAL_TRY(shoal_granular_separate(&r->f->separation, r->projection, m, exec, def, bearable, &has_separated));
        if (!has_separated) break;
        granular_force_from_star(r, m, exec);
        SHOAL_TRY(shoal_mac_project(r->projection, m, exec, def, true));
    }
    return SHOAL_OK;
}

shoal_status shoal_granular_solve_friction(shoal_granular_friction* f, shoal_mac_projection* projection, shoal_mac* m,
                                           const shoal_exec* exec, const shoal_world* world,
                                           const shoal_poisson_def* def, const shoal_granular_sand* sand,
                                           shoal_v3 gravity, float dt) {
    granular_friction_job r = {f, projection, world, sand, gravity, dt};
    SHOAL_TRY(reserve(f, m->block_count));
    SHOAL_TRY(shoal_granular_separation_begin(&f->separation, m, exec));
    shoal_mac_each(m, exec, granular_side_block, &r);
    shoal_mac_each(m, exec, granular_mass_block, &r);
    shoal_mac_each(m, exec, begin_block, &r);
    SHOAL_TRY(granular_find_wall_faces(&r, m, exec));
    SHOAL_TRY(granular_find_cuts(&r, m, exec));
    SHOAL_TRY(granular_find_surface_faces(&r, m, exec));
    SHOAL_TRY(granular_find_ghosts(&r, m, exec));
    shoal_mac_each(m, exec, granular_rate_block, &r);
    shoal_mac_each(m, exec, granular_clear_wall_block, &r);
    SHOAL_TRY(shoal_mac_projection_set(projection, m, exec, def));
    f->sweeps   = 0;
    f->pace     = 1.0f;
    f->momentum = 0.0f;
    // the very first step has no stress to begin with
    int patience = f->stored->count == 0 ? patient : 1;
    for (int round = 0; round < patience * sand->rounds; round++) {
        granular_force_from_star(&r, m, exec);
        SHOAL_TRY(shoal_mac_project(projection, m, exec, def, round > 0));
        if (round == 0) SHOAL_TRY(granular_unload(&r, m, exec, def));
        if (round == 0) SHOAL_TRY(separate(&r, m, exec, def));
        granular_move_ghosts(&r, m, exec);
        shoal_mac_each(m, exec, granular_strength_block, &r);
        shoal_mac_each(m, exec, granular_bound_block, &r);
        granular_act(&r, m, exec);
        shoal_mac_each(m, exec, granular_wall_load_block, &r);
        granular_force_to_base(&r, m, exec);
        granular_sweeps(&r, m, exec, patience * sand->sweeps, enough * shoal_v3_length(gravity) * dt);
        if (round == sand->rounds - 1 && patience == 1 && is_set_going(&r, m, exec)) patience = patient;
    }
    granular_force_from_star(&r, m, exec);
    SHOAL_TRY(shoal_mac_project(projection, m, exec, def, true));
    shoal_granular_separation_end(&f->separation, m, exec, world, gravity, dt);
    SHOAL_TRY(shoal_mac_stored_renew(f->stored, m, f->is_active));
    shoal_mac_each(m, exec, keep_block, &r);
    return SHOAL_OK;
}
