// SPDX-License-Identifier: MIT
#include "granular/granular_separation.h"

#include <math.h>
#include <string.h>

#include "mac/mac_blocks.h"
#include "mac/mac_level.h"
#include "mac/mac_sight.h"
#include "mac/mac_solid.h"

typedef struct separation_job {
    shoal_granular_separation* separation;
    shoal_mac_projection*      projection;
    shoal_granular_suction     bearable;
} separation_job;

void shoal_granular_separation_free(shoal_granular_separation* t) {
    shoal_free(t->separated);
    *t = (shoal_granular_separation){0};
}

static void loose_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    uint64_t* separated = ((shoal_granular_separation*)ctx)->separated + 8 * block;
    for (int z = 0; z < 8; z++) separated[z] = m->marked[8 * block + z] & ~m->liquid[8 * block + z];
    for (int n = 0; n < 6; n++) {
        uint64_t beside[8];
        shoal_mac_shift(m, m->liquid, block, n / 2, n % 2 == 0 ? -1 : 1, beside);
        for (int z = 0; z < 8; z++)
            separated[z] &= ~(m->has_thin[block] ? beside[z] & mac_joined(m, block, z, n) : beside[z]);
    }
}

shoal_status shoal_granular_separation_begin(shoal_granular_separation* t, shoal_mac* m, const shoal_exec* exec) {
    shoal_mac_array separated = SHOAL_MAC_ARRAY(t->separated, 8);
    SHOAL_TRY(shoal_mac_reserve(&separated, 1, &t->capacity, m->block_count));
    shoal_mac_each(m, exec, loose_block, t);
    m->separated = t->separated;
    return SHOAL_OK;
}

// Whether a solid leaves room in a cell: what it would draw in, m/s.
static bool is_left(const shoal_mac* m, int at, float least) {
    float inflow = 0.0f;
    for (int n = 0; m->moves[at >> 9] && n < 6; n++) {
        int face = n % 2 == 0 ? at : shoal_mac_beside(m, at, n / 2, 1);
        if (face < 0 || !m->moves[face >> 9]) continue;
        float solid = (1.0f - m->open[n / 2][face]) * m->solid_u[n / 2][face];
        inflow += n % 2 == 0 ? -solid : solid;
    }
    return inflow > least;
}

static float borne_by(const separation_job* t, const shoal_mac* m, int at) {
    const shoal_granular_suction* s = &t->bearable;
    if (is_left(m, at, s->none)) return s->none;
    return s->none + (s->dry + s->bridges * shoal_granular_bridges(m->wetness[at]));
}

static void separate_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const separation_job* t = ctx;
    for (int z = 0; z < 8; z++) {
        uint64_t separated = 0;
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int bit = __builtin_ctzll(left), at = SHOAL_MAC_SAMPLES * block + 64 * z + bit;
            if (m->pressure[at] >= -borne_by(t, m, at)) continue;
            separated |= (uint64_t)1 << bit;
            m->phi[at] = 0.0f;
        }
        t->separation->separated[8 * block + z] |= separated;
        m->liquid[8 * block + z] &= ~separated;
    }
}

static void guess_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const separation_job* t = ctx;
    for (int z = 0; z < 8; z++)
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int at                                = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
            t->projection->pressure[m->index[at]] = (double)m->pressure[at];
        }
}

shoal_status shoal_granular_separate(shoal_granular_separation* separation, shoal_mac_projection* projection,
                                     shoal_mac* m, const shoal_exec* exec, const shoal_poisson_def* def,
                                     shoal_granular_suction bearable, bool* has_separated) {
    separation_job t      = {separation, projection, bearable};
    int            before = projection->count;
    shoal_mac_each(m, exec, separate_block, &t);
    int after = 0;
    for (int w = 0; w < 8 * m->block_count; w++) after += __builtin_popcountll(m->liquid[w]);
    *has_separated = after < before;
    if (!*has_separated) return SHOAL_OK;
    SHOAL_TRY(shoal_mac_projection_set(projection, m, exec, def));
    shoal_mac_each(m, exec, guess_block, &t);
    return SHOAL_OK;
}

static void know_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_granular_separation* t = ctx;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        shoal_mac_shift(m, t->separated, block, axis, -1, faces);
        for (int z = 0; z < 8; z++)
            for (uint64_t left = faces[z] | t->separated[8 * block + z]; left; left &= left - 1) {
                int bit = __builtin_ctzll(left);
                if (m->open[axis][SHOAL_MAC_SAMPLES * block + 64 * z + bit] > 0.0f)
                    m->known[axis][8 * block + z] |= (uint64_t)1 << bit;
            }
    }
}

// ---------------------------------------------------------------------------------- grains on solids

typedef struct slowing_job {
    const shoal_granular_separation* separation;
    const shoal_world*               world;
    shoal_v3                         gravity;
    float                            dt;
    bool                             is_back; // what was found is taken
} slowing_job;

// What a grain that lies on a solid under its own weight loses along it [Bridson, Fedkiw & Anderson 2002]: u of the
// face after it.
static float after_friction(const slowing_job* r, const shoal_mac* m, int at, int axis) {
    shoal_touch touch;
    float       own = m->u[axis][at];
    if (!shoal_touch_roughest(r->world, m->kind, shoal_d3_from(shoal_mac_face(m, at, axis)), 0.75 * (double)m->def.dx,
                              0.25 * (double)m->def.dx, &touch))
        return own;
    double u[3], normal_load = -(double)r->dt * shoal_d3_dot(shoal_d3_from(r->gravity), touch.normal);
    for (int a = 0; a < 3; a++) u[a] = a == axis ? (double)own : shoal_mac_across(m, m->u, at, axis, a);
    shoal_d3 relative = shoal_d3_sub(shoal_d3_make(u[0], u[1], u[2]), touch.velocity);
    shoal_d3 slide    = shoal_d3_sub(relative, shoal_d3_scale(touch.normal, shoal_d3_dot(relative, touch.normal)));
    double   speed    = shoal_d3_length(slide),
           lost       = touch.is_sticky ? speed : fmin(touch.friction * fmax(normal_load, 0.0), speed);
    return speed > 0.0 ? (float)((double)own - shoal_d3_axis(slide, axis) * lost / speed) : own;
}

// Faces of cells that are loose, not those that pressure or stress have moved: from u to change, then back.
static void friction_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const slowing_job* r = ctx;
    if (!m->has_solid[block]) return;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t beyond[8], liquid[8];
        shoal_mac_shift(m, r->separation->separated, block, axis, -1, beyond);
        shoal_mac_liquid_faces(m, block, axis, liquid);
        for (int z = 0; z < 8; z++)
            for (uint64_t left = (beyond[z] | r->separation->separated[8 * block + z]) & ~liquid[z]; left;
                 left &= left - 1) {
                int at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
                if (r->is_back)
                    m->u[axis][at] = m->change[axis][at];
                else
                    m->change[axis][at] = m->open[axis][at] > 0.0f ? after_friction(r, m, at, axis) : m->u[axis][at];
            }
    }
}

void shoal_granular_separation_end(shoal_granular_separation* t, shoal_mac* m, const shoal_exec* exec,
                                   const shoal_world* world, shoal_v3 gravity, float dt) {
    slowing_job r = {t, world, gravity, dt, false};
    shoal_mac_each(m, exec, know_block, t);
    shoal_mac_each(m, exec, friction_block, &r);
    r.is_back = true;
    shoal_mac_each(m, exec, friction_block, &r);
}
