// SPDX-License-Identifier: MIT
// What happens to one particle of sand: the passes, plain. Each writes only its own index and never
// reads at another index what it writes.
//
// Pressure and friction stress are unknowns of one particle, found together in sweeps that begin
// with those of the last substep. With g = V grad W of a pair, rho the density of the first
// material and light = rho / rho_i:
//     K = dt p / rho,  q = dt sigma / rho    m^2/s; sigma: friction stress, deviatoric, tension positive
//     M = sum (x_j - x_i) (x) g,  L = M^-1   over sand alone, so that L corrects gradients
//     D = dev sym( sum (v_j - v_i) (x) g L ) 0 for every rigid motion
//     v = v* + light ( sum (P_i + P_j) (-g) - K G ) + solids,    P = K - q L
// The force of q is the transpose of D: momentum is kept pair by pair, and since D does not see a
// rigid motion, neither does the force give one, so angular momentum is kept, too.
#ifndef SHOAL_POROUS_PASS_H
#define SHOAL_POROUS_PASS_H

#include "math/rheology.h"
#include "fluid/water_pass.h"
#include "solvers/porous/porous_contact.h"
#include "solvers/porous/porous_meet.h"
#include "solvers/porous/porous_tensor.h"

// clang-format off
// name              type role     unit     meaning      (in addition to those of SPH, fluid/water.h)
#define POROUS_FIELDS(X)                                                                                       \
    X(friction_stress,   V3, STATE,   "Pa",    "friction stress, tension positive: xx, yy, zz") \
    X(shear_stress,      V3, STATE,   "Pa",    "friction stress: yz, xz, xy") \
    X(wall_friction,     V3, STATE,   "m/s^2", "what the friction of solids gives it") \
    X(drift,             V3, STATE,   "m",     "how far it has come in this interval of time") \
    X(cluster,           I1, OUTPUT,  "",      "the rigid cluster that it is of, by the smallest id in it; -1: none") \
    X(yield,             F1, OUTPUT,  "",      "shear stress over what the sand bears: 1 where it yields") \
    X(correction,        V3, SCRATCH, "",      "L: xx, yy, zz") \
    X(correction_off,    V3, SCRATCH, "",      "L: yz, xz, xy") \
    X(inverse_mass,      F1, SCRATCH, "",      "inverse mass: that of the first sand, dry, over its own with its water") \
    X(row_x,             V4, SCRATCH, "m^2/s", "P, by which its neighbours are pushed: the first row; its companion is where it is along x, m") \
    X(row_y,             V4, SCRATCH, "m^2/s", "the second, and y") \
    X(row_z,             V4, SCRATCH, "m^2/s", "the third, and z") \
    X(carried,           V3, SCRATCH, "m/s",   "velocity at the end of the substep of who moves with a rigid cluster") \
    X(doubled,           U1, SCRATCH, "",      "1: another one is in the same spot") \
    X(last_kappa,        F1, SCRATCH, "m^2/s", "K of the sweep before") \
    X(last_friction,     V3, SCRATCH, "m^2/s", "q of the sweep before: xx, yy, zz") \
    X(last_shear,        V3, SCRATCH, "m^2/s", "q of the sweep before: yz, xz, xy") \
    X(stress_step,       F1, SCRATCH, "m^2",   "the change of q per rate of strain: 2 omega / sum of squared gradients") \
    X(friction_gradient, V4, SCRATCH, "1/m",   "gradient of the fraction of solids, each weighted by its friction; its companion is their mean friction") \
    X(solid_velocity,    V3, SCRATCH, "m/s",   "mean velocity of those") \
    X(cohesion_impulse,  F1, SCRATCH, "m^2/s", "cohesion, as an impulse: dt c/rho") \
    X(friction_factor,   F1, SCRATCH, "",      "fraction of its friction that the water in it leaves") \
    X(viscosity_impulse, F1, SCRATCH, "m^2",   "viscosity of mud, as an impulse: dt mu/rho") \
    X(pull,              V3, SCRATCH, "m/s",   "what solids that it sticks to give it") \
    X(water_kappa,       F1, SCRATCH, "m^2/s", "of coarse sand: K of the water that passes through it") \
    X(water_load,        F1, SCRATCH, "m^2/s", "of coarse sand: the part of the pressure of that water that its pairs bear beside K") \
    X(dragged,           V3, SCRATCH, "m/s",   "of coarse sand: what the drag on that water gives it in this sweep") \
    X(coarse_density,    F1, SCRATCH, "",      "of coarse sand: density by its own kind, 1 where it is all around") \
    X(interior,          F1, SCRATCH, "",      "1: all sand within reach is coarse and whole, else 0") \
    X(bar,               V4, SCRATCH, "",      "way out of the opening of an emitter that keeps it out; its companion is how far off that is, m") \
    POROUS_FACE_FIELDS(X)

// In the order of the step.
#define POROUS_PASSES(X) X(weigh_coarse) X(mark_interior) X(weigh) X(recede) X(face) X(equalize) X(shift) X(sum_gradients) X(moisten) X(begin) X(state) X(sample_water) X(push) X(yield) X(test) X(drag) X(advance)
// clang-format on

// What of a material the sweeps ask for.
typedef struct porous_sand {
    float light;                  // rho of the first material over its own, dry
    float friction;               // tangent of its angle
    float grain_size;             // m; 0: friction does not depend on the rate
    float cohesion;               // dt c / rho, m^2/s, dry,
    float cohesion_wet;           // and at the ideal saturation
    float ideal;                  // saturation
    float mud_friction;           // fraction of friction where pores are full
    float mud;                    // dt mu / rho there, m^2
    float stickiness;             // pull of solids, over the cohesion
    float open;                   // of coarse sand, which water passes through: porosity; else 0
    float darcy_a, forchheimer_b; // its drag on that water, dt a / rho and dt b / rho (porous_pore.h); 1 and s/m
} porous_sand;

typedef struct porous_view {
    shoal_water_view   water; // lists, places, solids
    const porous_sand* sands; // by material
    porous_guests      pool;  // water near, as guests
    porous_sweep       sweep;
    porous_taps        taps;
    bool               has_bars;      // openings of emitters, see porous_meet.h
    float              per_rate;      // 2 omega
    bool               is_first;      // substep of an interval
    bool               is_coarse;     // there is coarse sand, and water
    uint8_t*           fixed;         // 1: stays where it is,
    const float*       pore_pressure; // Pa
    const float*       saturation;
    const float*       mass;     // kg
    const shoal_v3*    lost;     // [water] see porous_pool_pass.h
    bool               is_laid;  // once bodies have been made even
    bool               is_local; // the paper's friction, which is found once and not kept
    float              stiff;    // of Tait's equation, as an impulse: dt c^2 / 7, m^2/s
    float              surplus;  // of s that there is no room for, since all is closed in
    float              closing;  // of a gap (s < 1), what a substep closes at most
    float              leftover; // compression that a substep leaves, since the start has left it
    float              momentum; // before the start: what a round repeats of the last one's way
    POROUS_FIELDS(SHOAL_FIELD_MEMBER)
} porous_view;

// Of a compression, what a substep makes good, and the most, as a change of s.
#define POROUS_CORRECTION 0.35f
#define POROUS_MOST 0.02f

// The fraction of the slip along a solid that one sweep takes away.
#define POROUS_WALL_RELAX 0.7f

// Of K of full sand at a solid, what contact is offered of it in a substep.
#define POROUS_TO_CONTACT 0.01f

// From this part on the water within coarse sand counts as filling its pores: those of a packing are uneven, and with 1
// a bed under water would bear a fifth more. With 0.6 drops throw grains.
#define POROUS_PORES_WET 0.8f

// Below this determinant of M a particle has too few neighbours for a gradient: it bears no shear.
#define POROUS_LEAST_DET 0.01f
// At most this trace of L.
#define POROUS_MOST_TRACE 9.0f

// Pressure alone has 3/7 of the eigenvalue of pressure and friction, so its steps may be longer.
#define POROUS_EQUALIZE 1.3f
// Below this length of the gradient of s, in 1/d, a particle has others all around it: a surface
// has 0.6.
#define POROUS_INTERIOR_SLOPE 0.3f

// ---------------------------------------------------------------------------------- before the
// start

// A packing is even in the distances of its spheres, not in its density: pressure as if of one
// substep, that pulls, too, where others are all around.
SHOAL_FN void porous_equalize(const porous_view* v, int i) {
    const shoal_water_view* w      = &v->water;
    float                   excess = w->ratio[i] - 1.0f, most = 0.1f;
    if (excess < 0.0f && w->slant[i] > POROUS_INTERIOR_SLOPE) excess = 0.0f;
    excess      = excess > most ? most : excess < -most ? -most : excess;
    float    k  = POROUS_EQUALIZE * w->factor[i] * excess / w->dt;
    shoal_v4 x  = w->place[i];
    w->kappa[i] = k;
    w->push[i] = v->wall_friction[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    v->friction_gradient[i]          = shoal_v4_make(0.0f, 0.0f, 0.0f, 0.0f);
    v->row_x[i]                      = shoal_v4_make(k, 0.0f, 0.0f, x.x);
    v->row_y[i]                      = shoal_v4_make(0.0f, k, 0.0f, x.y);
    v->row_z[i]                      = shoal_v4_make(0.0f, 0.0f, k, x.z);
}
// On to where it is pushed, and on as it went in the round before (Polyak's heavy ball, 1964), by `drift`, which
// nothing else needs before the start: without that, rounds reach through as many layers as the root of their number.
SHOAL_FN void porous_shift(const porous_view* v, int i) {
    const shoal_water_view* w = &v->water;
    shoal_v3 way   = shoal_v3_add_scaled(shoal_v3_scale(v->drift[i], v->momentum), shoal_v4_xyz(w->motion[i]), w->dt);
    shoal_v3 x     = shoal_water_clear(w, shoal_v3_add(shoal_v4_xyz(w->place[i]), way));
    v->drift[i]    = shoal_v3_sub(x, shoal_v4_xyz(w->place[i]));
    w->position[i] = shoal_world_wrap(w->solids.world, x);
}

// ---------------------------------------------------------------------------------- neighbours

// The porosity of coarse sand: water is in its pores, as particles, and does not compress it. 0 of other sand.
SHOAL_FN float porous_open(const porous_view* v, int i) { return v->sands[v->water.material[i]].open; }

SHOAL_FN porous_sym porous_correction(porous_sym m) {
    float      det  = porous_sym_det(m);
    porous_sym none = porous_sym_make(0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
    if (!(det > POROUS_LEAST_DET)) return none;
    porous_sym l     = porous_sym_inverse(m, det);
    float      trace = l.xx + l.yy + l.zz;
    return trace > POROUS_MOST_TRACE ? porous_sym_scale(l, POROUS_MOST_TRACE / trace) : l;
}

// Coarse sand without its water, then: whether it goes on as far as its particle reaches.
SHOAL_FN void porous_weigh_coarse(const porous_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    float                   sum = 0.0f, r;
    v->coarse_density[i]        = 0.0f;
    if (!(porous_open(v, i) > 0.0f)) return;
    SHOAL_FOR_NEAR(w->near, i, j) {
        shoal_pair_displacement(w->place, i, j, w->h, &r);
        sum += shoal_water_kernel(w->h, r);
    }
    v->coarse_density[i] = w->weight * sum + w->self + w->wall[i].w;
}
#define POROUS_INTERIOR_DENSITY 0.9f // a packing has 0.93 and more within, and 0.85 at most in its last layer
SHOAL_FN void porous_mark_interior(const porous_view* v, int i) {
    const shoal_water_view* w              = &v->water;
    bool                    interior       = v->coarse_density[i] > POROUS_INTERIOR_DENSITY;
    SHOAL_FOR_NEAR(w->near, i, j) interior = interior && v->coarse_density[j] > POROUS_INTERIOR_DENSITY;
    v->interior[i]                         = interior ? 1.0f : 0.0f;
}

// Density, water near included, and L of the sand.
SHOAL_FN void porous_weigh(const porous_view* v, int i) {
    const shoal_water_view* w = &v->water;
    porous_sym              m = porous_sym_make(0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
    float                   r;
    porous_count(w, porous_open(v, i) > 0.0f ? NULL : &v->pool, i, porous_no_rock());
    SHOAL_FOR_NEAR(w->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(w->place, i, j, w->h, &r);
        porous_sym_add_square(&m, d, porous_slope(w, r));
    }
    porous_sym_store(porous_correction(m), &v->correction[i], &v->correction_off[i]);
}

// What an emitter holds near it, which the rate of s must not see going away: as a stream of the solids.
SHOAL_FN void porous_recede(const porous_view* v, int i) {
    if (porous_taps_hold(&v->taps, v->water.place[i])) v->water.stream[i].w -= porous_receding(&v->water, &v->pool, i);
}

SHOAL_FN void porous_face(const porous_view* v, int i) {
    porous_faces faces = POROUS_FACES_OF(v);
    porous_face_solids(&v->water, &faces, i);
}

// Solids with friction: where they are, and how they move.
SHOAL_FN void porous_sample_friction(const porous_view* v, int i) {
    const shoal_water_view* w    = &v->water;
    shoal_v3                away = {0.0f, 0.0f, 0.0f}, velocity = away;
    float                   weighted = 0.0f, all = 0.0f, r;
    SHOAL_FOR_NEAR(w->boundary, i, b) {
        float friction = w->sample.motion[b].w, volume = w->sample.place[b].w;
        if (!(friction > 0.0f)) continue;
        shoal_v3 d    = shoal_displacement(w->place[i], w->sample.place[b], i, b, w->h, &r);
        float    bump = volume * shoal_water_kernel(w->h, r);
        away          = shoal_v3_add_scaled(away, d, friction * volume * porous_slope(w, r));
        velocity      = shoal_v3_add_scaled(velocity, shoal_v4_xyz(w->sample.motion[b]), friction * bump);
        weighted += friction * bump;
        all += bump;
    }
    shoal_v4_set(&v->friction_gradient[i], away);
    v->friction_gradient[i].w = all > 0.0f ? weighted / all : 0.0f;
    v->solid_velocity[i]      = weighted > 0.0f ? shoal_v3_scale(velocity, 1.0f / weighted) : velocity;
}

// `own`: sum of the corrected gradients; `other_sum`: of their squares, each by the inverse mass of what it moves, as
// if nothing were fixed: of those that may move, `is_any` says whether there are. With the fixed ones left out, a
// stress of fixed sand would act on few particles with all of its step, and as many as lie within reach would do so at
// once: sweeps grow there. Counted as loose, steps are as long as in loose sand, for which omega is made, and holding
// some of it fixed only makes eigenvalues smaller.
SHOAL_FN void porous_sum_gradients_from(const porous_view* v, int i, shoal_v3 own, float other_sum, bool is_any) {
    float all         = v->inverse_mass[i] * shoal_v3_dot(own, own) + other_sum;
    bool  is_moving   = !v->fixed[i] || is_any;
    v->stress_step[i] = all > 0.0f && is_moving ? v->per_rate / all : 0.0f;
    bool has_guests   = v->pool.are_there && v->pool.near.count[i] > 0 && !(porous_open(v, i) > 0.0f);
    if (!is_moving && !has_guests) v->water.factor[i] = 0.0f; // no stress would move anybody
    porous_sample_friction(v, i);
}

// What it takes to change D by q: sum of squared corrected gradients.
SHOAL_FN void porous_sum_gradients(const porous_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    porous_sym              l   = porous_sym_load(v->correction[i], v->correction_off[i]);
    shoal_v3                own = {0.0f, 0.0f, 0.0f};
    float                   r, other_sum = 0.0f;
    bool                    is_any = false;
    SHOAL_FOR_NEAR(w->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(w->place, i, j, w->h, &r);
        shoal_v3 g = shoal_v3_scale(porous_sym_times(l, d), porous_slope(w, r));
        own        = shoal_v3_add(own, g);
        other_sum += v->inverse_mass[j] * shoal_v3_dot(g, g);
        is_any = is_any || (!v->fixed[j] && shoal_v3_dot(g, g) > 0.0f);
    }
    porous_sum_gradients_from(v, i, own, other_sum, is_any);
}

// ---------------------------------------------------------------------------------- water in it

// Cohesion grows from that of dry sand to the ideal saturation, and is gone where pores are full. [2009, eq. 6]
SHOAL_FN float porous_cohesion(porous_sand sand, float saturation) {
    float best = saturation / sand.ideal, beyond = (1.0f - saturation) / (1.0f - sand.ideal);
    return saturation <= sand.ideal ? sand.cohesion * (1.0f - best) + sand.cohesion_wet * best
                                    : sand.cohesion_wet * beyond;
}

// Solids pull those that stick to them, most where contact holds them, d/2 away, and none farther than d. [Clavet,
// Beaudoin & Poulin 2005: a = k x (1 - x/x_stick); our k makes the most of it the stress `adhesion`, as an impulse.]
SHOAL_FN shoal_v3 porous_pull(const porous_view* v, int i, float adhesion) {
    const shoal_water_view* w     = &v->water;
    shoal_v3                sum   = {0.0f, 0.0f, 0.0f};
    float                   reach = 2.0f * w->contact;
    shoal_v3                place = shoal_v4_xyz(w->place[i]);
    if (!(adhesion > 0.0f) || !shoal_solids_are_near(w->solids.world, place, reach)) return sum;
    porous_solids near = porous_solids_at(w->solids.world, place, 0.0f, reach);
    for (int k = 0; k < near.count; k++) {
        float x    = near.gap[k] / reach;
        float pull = x > 0.0f ? 4.0f * x * (1.0f - x) * adhesion * v->inverse_mass[i] / w->d : 0.0f;
        sum        = shoal_v3_add_scaled(sum, near.normal[k], -pull);
    }
    return sum;
}

// What the water in it makes of the sand: cohesion, friction, viscosity and stickiness. [2009, section 3]
SHOAL_FN void porous_moisten(const porous_view* v, int i) {
    porous_sand sand        = v->sands[v->water.material[i]];
    float       s           = v->saturation[i] < 0.0f ? 0.0f : v->saturation[i] < 1.0f ? v->saturation[i] : 1.0f;
    float       mud         = s > sand.ideal ? (s - sand.ideal) / (1.0f - sand.ideal) : 0.0f;
    v->cohesion_impulse[i]  = porous_cohesion(sand, s);
    v->friction_factor[i]   = 1.0f - (1.0f - sand.mud_friction) * mud;
    v->viscosity_impulse[i] = sand.mud * mud;
    v->pull[i]              = porous_pull(v, i, v->fixed[i] ? 0.0f : sand.stickiness * v->cohesion_impulse[i]);
}

// ---------------------------------------------------------------------------------- sweeps

// What its neighbours feel of it: P = K - q L, and from where.
SHOAL_FN void porous_publish_stress(const porous_view* v, int i) {
    const shoal_water_view* w = &v->water;
    porous_mat              q = porous_sym_mul(porous_sym_load(v->friction_stress[i], v->shear_stress[i]),
                                               porous_sym_load(v->correction[i], v->correction_off[i]));
    float                   k = w->kappa[i];
    shoal_v4                x = w->place[i];
    v->row_x[i]               = shoal_v4_make(k - q.x.x, -q.x.y, -q.x.z, x.x);
    v->row_y[i]               = shoal_v4_make(-q.y.x, k - q.y.y, -q.y.z, x.y);
    v->row_z[i]               = shoal_v4_make(-q.z.x, -q.z.y, k - q.z.z, x.z);
}

// What the water in full pores bears of K. K of coarse sand is that of its grains alone.
SHOAL_FN float porous_pore_kappa(const porous_view* v, int i) {
    bool is_full = v->pore_pressure[i] > 0.0f && !(porous_open(v, i) > 0.0f);
    return is_full ? v->water.pressure_scale * v->pore_pressure[i] : 0.0f;
}

// The stresses of the last substep as impulses of this one, whole: less of them, and a pile would
// sink while the rest is found anew. The weight comes with them.
//
// At a solid K and contact bear a load together, in any proportion. K is kept and contact is not, so what water that
// stirs the grains has moved from contact to K once would stay there: the lowest layers of a bed under a pool bore half
// as much again as their load after some seconds. A small part of K is given up there, for contact to take. (Not by
// mud without friction: no strength of it depends on K, and it would run more slowly.)
SHOAL_FN void porous_begin(const porous_view* v, int i) {
    const shoal_water_view* w          = &v->water;
    bool                    is_stirred = w->wall[i].w > 0.0f && porous_pore_kappa(v, i) > 0.0f;
    float                   given      = is_stirred ? POROUS_TO_CONTACT * v->friction_factor[i] : 0.0f;
    w->kappa[i]                        = w->pressure_scale * w->pressure[i] * (1.0f - given);
    v->friction_stress[i]              = shoal_v3_scale(v->friction_stress[i], w->pressure_scale);
    v->shear_stress[i]                 = shoal_v3_scale(v->shear_stress[i], w->pressure_scale);
    v->wall_friction[i]                = shoal_v3_scale(v->wall_friction[i], w->dt);
    if (v->stress_step[i] == 0.0f || v->is_local)
        v->friction_stress[i] = v->shear_stress[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    if (v->is_first) v->drift[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    v->last_kappa[i]    = w->kappa[i];
    v->last_friction[i] = v->friction_stress[i];
    v->last_shear[i]    = v->shear_stress[i];
    w->push[i]          = shoal_v3_add(shoal_v3_add_scaled(w->velocity[i], w->gravity, w->dt), v->pull[i]);
    w->hold[i]          = 0.0f; // solids that stick do so by friction
    if (v->fixed[i]) w->push[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    porous_publish_stress(v, i);
}

// What coarse sand has taken from the water in it, m/s.
SHOAL_FN shoal_v3 porous_taken(const porous_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    shoal_v3                sum = {0.0f, 0.0f, 0.0f};
    float                   r;
    SHOAL_FOR_NEAR(v->pool.near, i, j) {
        shoal_displacement(w->place[i], v->pool.place[j], i, j, w->h, &r);
        sum = shoal_v3_add_scaled(sum, v->lost[v->pool.source[j]], shoal_water_kernel(w->h, r));
    }
    return shoal_v3_scale(sum, 1.0f / v->mass[i]);
}

// K of the water around coarse sand: with it the grains are pushed, and push, as solids in water are.
//
// K of coarse sand itself is what its grains bear on each other, Terzaghi's effective stress. Its pairs must bear their
// part of the pressure p of the water as well, or the depth of a pool would press the grains together, and they would
// stand on that. Across a plane in rock (c = 1) pairs of water bear phi^2 p, those of water and rock, with the slope
// sigma of porous_rock, 2 sigma phi (1 - phi) p. What is left of p is
//     water_load = (1 - phi) (p - phi (2 sigma - 1) p)
// With it a p that is the same everywhere moves nothing, neither at a surface of the rock nor within, and one that is
// not pushes the grains with (1 - phi) grad p. Where water fills only a part of the pores, it presses on that part of a
// plane: by the mean alone, a few drops within reach pressed on all grains around as a full pool would, were pressed
// back by them as drops, and their sweeps grew (in gravel of a porosity of 0.3; at 0.35 the load is smaller).
//
// Drag is that of the sweep before, so that friction sees it: given after the sweeps, what water that stirs in the
// pores does would move the grains in each substep (the lowest layer of a bed under 0.12 m of water by 17 mm/s, so by
// 0.4).
SHOAL_FN void porous_sample_water(const porous_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    float                   sum = 0.0f, load = 0.0f, all = 0.0f, open = porous_open(v, i), r;
    v->water_kappa[i] = v->water_load[i] = 0.0f;
    v->dragged[i]                        = shoal_v3_make(0.0f, 0.0f, 0.0f);
    if (!(open > 0.0f) || !v->pool.are_there) return;
    SHOAL_FOR_NEAR(v->pool.near, i, j) {
        shoal_displacement(w->place[i], v->pool.place[j], i, j, w->h, &r);
        float weight = v->pool.place[j].w * shoal_water_kernel(w->h, r);
        sum += weight * v->pool.kappa[j];
        load += weight * (v->pool.kappa[j] - open * v->pool.rock_kappa[j]);
        all += weight;
    }
    if (!(all > 0.0f)) return;
    v->water_kappa[i] = sum / all;
    float wet         = w->weight * all / (POROUS_PORES_WET * open);
    v->water_load[i]  = (1.0f - open) * load / all * (wet < 1.0f ? wet : 1.0f);
    v->row_x[i].x += v->water_load[i];
    v->row_y[i].y += v->water_load[i];
    v->row_z[i].z += v->water_load[i];
    if (v->is_laid) v->dragged[i] = porous_taken(v, i);
}

// Fixed sand bears what it is given.
SHOAL_FN void porous_stay(const porous_view* v, int i) {
    v->water.touch[i] = v->wall_friction[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    v->water.motion[i]                      = shoal_v4_make(0.0f, 0.0f, 0.0f, 1.0f);
}

// Of a pressure K what the grains bear: the water in full pores bears the rest [Terzaghi 1925]. Where that is all, they
// float, and the sand is quick.
SHOAL_FN float porous_effective(const porous_view* v, int i, float k) {
    float water = porous_pore_kappa(v, i);
    return k > water ? k - water : 0.0f;
}

// The pressure of the pore water, by which solids push as well. They answer with K_i, where sand would with K_i + K_j;
// contact gives the rest, but not where a particle has come off the solid by a hair's breadth: there K gives all, and
// is up to twice what it is beside it. Of pore water this is many times what the grains bear, and they were to bear
// it: full sand that had slumped in a pool stood as a pillar at a wall, at a slip wall, too. Pore water is known, and
// the same on both sides of the surface. (No more of it than K was in the last substep: what is beyond pushes nothing
// within the sand, either.)
SHOAL_FN float porous_wall_kappa(const porous_view* v, int i) {
    float water = porous_pore_kappa(v, i), before = v->water.pressure_scale * v->water.pressure[i];
    return water < before ? water : before > 0.0f ? before : 0.0f;
}

// Coulomb: solids hold along their surface with no more than friction times what the grains press on them with.
SHOAL_FN shoal_v3 porous_wall_friction(const porous_view* v, int i, shoal_v3 u, shoal_v3 touch) {
    const shoal_water_view* w      = &v->water;
    shoal_v3                normal = shoal_v4_xyz(v->friction_gradient[i]);
    float                   slope  = shoal_v3_length(normal);
    if (!(slope > 0.0f)) return shoal_v3_make(0.0f, 0.0f, 0.0f);
    normal            = shoal_v3_scale(normal, 1.0f / slope);
    float normal_push = shoal_v3_dot(touch, normal);
    float most        = porous_effective(v, i, w->kappa[i]) * v->inverse_mass[i] * slope +
                 v->friction_gradient[i].w * (normal_push > 0.0f ? normal_push : 0.0f);
    most *= v->friction_factor[i];
    shoal_v3 slip          = shoal_v3_sub(u, v->solid_velocity[i]);
    slip                   = shoal_v3_add_scaled(slip, normal, -shoal_v3_dot(slip, normal));
    shoal_v3 wall_friction = shoal_v3_add_scaled(v->wall_friction[i], slip, -POROUS_WALL_RELAX);
    wall_friction          = shoal_v3_add_scaled(wall_friction, normal, -shoal_v3_dot(wall_friction, normal));
    float length           = shoal_v3_length(wall_friction);
    if (length <= most) return wall_friction;
    // mud sticks to solids with friction by its viscosity, over the half spacing to its surface, as in porous_borne
    float drag = 2.0f * slope / v->friction_gradient[i].w * v->viscosity_impulse[i] * v->inverse_mass[i] /
                 (w->contact * POROUS_WALL_RELAX);
    return shoal_v3_scale(wall_friction, (most + drag * length) / ((1.0f + drag) * length));
}

// `sum`: over the neighbours of - (P_i + P_j) g, and over the guests.
SHOAL_FN void porous_push_from(const porous_view* v, int i, shoal_v3 sum) {
    const shoal_water_view* w       = &v->water;
    bool                    is_open = v->is_coarse && porous_open(v, i) > 0.0f;
    float                   k       = v->is_laid && w->kappa[i] < 0.0f ? 0.0f : w->kappa[i]; // no solid pulls
    if (is_open) k += 2.0f * v->water_load[i];                                               // walls have the same load
    sum        = shoal_v3_add_scaled(sum, shoal_v4_xyz(w->wall[i]), -(k + porous_wall_kappa(v, i)));
    shoal_v3 u = shoal_v3_add_scaled(w->push[i], sum, v->inverse_mass[i]);
    if (is_open) u = shoal_v3_add(u, v->dragged[i]);
    const shoal_v4* bar = v->has_bars ? &v->bar[i] : NULL;
    w->touch[i]         = shoal_v3_make(0.0f, 0.0f, 0.0f);
    if (shoal_water_may_touch(w, i)) {
        porous_faces faces = POROUS_FACES_OF(v);
        shoal_v3     barred;
        u                      = shoal_v3_add(u, v->wall_friction[i]);
        w->touch[i]            = porous_contact(w, &faces, bar, i, u, &barred);
        u                      = shoal_v3_add(shoal_v3_add(u, w->touch[i]), barred);
        shoal_v3 wall_friction = porous_wall_friction(v, i, u, w->touch[i]);
        u                      = shoal_v3_add(u, shoal_v3_sub(wall_friction, v->wall_friction[i]));
        v->wall_friction[i]    = wall_friction;
    } else {
        v->wall_friction[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
        if (bar) u = porous_barred(*bar, u, w->dt);
    }
    shoal_v4_set(&w->motion[i], u);
    w->motion[i].w = 1.0f;
}

// K by which water pushes it, and it the water.
SHOAL_FN float porous_own_kappa(const porous_view* v, int i) {
    return porous_open(v, i) > 0.0f ? v->water_kappa[i] : v->water.kappa[i];
}

// K of the water that pushes it.
SHOAL_FN const float* porous_pool_kappa(const porous_view* v, int i) {
    return porous_open(v, i) > 0.0f ? v->pool.rock_kappa : v->pool.kappa;
}

// v from all stresses there are, and solids.
SHOAL_FN void porous_push(const porous_view* v, int i) {
    if (v->fixed[i] && v->is_laid) {
        porous_stay(v, i);
        return;
    }
    const shoal_water_view* w   = &v->water;
    shoal_v3                sum = {0.0f, 0.0f, 0.0f};
    float                   r;
    shoal_v4                x = v->row_x[i], y = v->row_y[i], z = v->row_z[i];
    SHOAL_FOR_NEAR(w->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(w->place, i, j, w->h, &r);
        float    f = porous_slope(w, r);
        shoal_v4 a = v->row_x[j], b = v->row_y[j], c = v->row_z[j];
        sum.x += f * ((x.x + a.x) * d.x + (x.y + a.y) * d.y + (x.z + a.z) * d.z);
        sum.y += f * ((y.x + b.x) * d.x + (y.y + b.y) * d.y + (y.z + b.z) * d.z);
        sum.z += f * ((z.x + c.x) * d.x + (z.y + c.y) * d.y + (z.z + c.z) * d.z);
    }
    float    own    = porous_own_kappa(v, i);
    shoal_v3 guests = porous_guests_push(w, &v->pool, porous_pool_kappa(v, i), i, own, own);
    porous_push_from(v, i, shoal_v3_add_scaled(sum, guests, 1.0f - porous_open(v, i)));
}

// What the sand bears in shear under K of the grains: the cone, with cohesion at its tip.
SHOAL_FN float porous_strength(const porous_view* v, int i, float k, porous_sym rate) {
    const shoal_water_view* w    = &v->water;
    porous_sand             sand = v->sands[w->material[i]];
    float                   mu   = sand.friction;
    if (sand.grain_size > 0.0f && k > 0.0f) {
        float shear   = sqrtf(2.0f * porous_sym_norm2(rate)) * sand.grain_size; // 2 |D| d
        float inertia = shear / sqrtf(k * sand.light / w->dt);
        mu += shoal_friction_by_rate(inertia); // I = 2 |D| d / sqrt(p / rho)
    }
    return v->friction_factor[i] * mu * k + v->cohesion_impulse[i];
}

// What is left of a shear stress above the strength: the strength, and in mud also what its viscosity bears,
// strength + viscosity_impulse 2 |D| [Bingham]. The sweeps change D by the change of q over `stress_step`; solved with
// that, they settle however thick the mud is.
SHOAL_FN float porous_borne(const porous_view* v, int i, porous_sym l, float shear, float strength) {
    float per = v->sweep.relax * v->stress_step[i] * (l.xx + l.yy + l.zz) / 3.0f;
    if (!(v->viscosity_impulse[i] > 0.0f) || !(per > 0.0f)) return strength;
    float part = 2.0f * v->viscosity_impulse[i] / per;
    return (strength + part * shear) / (1.0f + part);
}

// q: nothing is sheared, as far as the cone allows. The stress that acts is q L: at surfaces L is
// about 2, and a cut of q alone would give them twice the friction. `error`: the change of the
// shear by it, where that is more than the one of s.
SHOAL_FN void porous_shear(const porous_view* v, int i, porous_mat grad) {
    const shoal_water_view* w      = &v->water;
    porous_sym              l      = porous_sym_load(v->correction[i], v->correction_off[i]);
    porous_sym              rate   = porous_sym_dev(porous_mat_times_sym(grad, l));
    porous_sym              q      = porous_sym_load(v->friction_stress[i], v->shear_stress[i]);
    porous_sym              before = porous_sym_load(v->last_friction[i], v->last_shear[i]);
    porous_sym              trial  = porous_sym_add_scaled(q, rate, v->sweep.relax * v->stress_step[i]);
    trial          = porous_sym_add_scaled(trial, porous_sym_add_scaled(q, before, -1.0f), v->sweep.momentum);
    float tension  = w->kappa[i] < 0.0f ? w->kappa[i] : 0.0f;
    float strength = porous_strength(v, i, porous_effective(v, i, w->kappa[i]) + tension, rate);
    float shear    = sqrtf(0.5f * porous_mat_norm2(porous_sym_mul(trial, l)));
    v->yield[i]    = shear > strength ? 1.0f : strength > 0.0f ? shear / strength : 0.0f;
    if (shear > strength) trial = porous_sym_scale(trial, porous_borne(v, i, l, shear, strength) / shear);
    float change = sqrtf(porous_sym_norm2(porous_sym_add_scaled(trial, q, -1.0f)));
    change       = v->stress_step[i] > 0.0f ? change * w->dt / v->stress_step[i] : 0.0f;
    if (change > w->error[i]) w->error[i] = change;
    v->last_friction[i] = v->friction_stress[i];
    v->last_shear[i]    = v->shear_stress[i];
    porous_sym_store(trial, &v->friction_stress[i], &v->shear_stress[i]);
}

// The rate of s that a substep makes good of a compression or lets a gap close with. What comes nearer than it lies at
// rest collides: gaps between grains are closed by their weight, in the time in which they fall by a spacing, and what
// comes faster presses, and rubs, before they are closed. With whole gaps to fly through a particle that fell on a heap
// met no other before it was a third of a spacing from others, all within a substep or two, and threw those above it up
// again at a third of its speed: poured sand splashed. (Coarse sand with its water in the pores closes gaps as before.)
SHOAL_FN float porous_making_good(const porous_view* v, int i) {
    float excess = porous_excess(&v->water, i, v->surplus, v->leftover, POROUS_CORRECTION, POROUS_MOST);
    return excess < 0.0f && !(porous_open(v, i) > 0.0f) ? excess * v->closing : excess;
}

// The least K: sand that holds together bears tension, too, up to its cohesion, which is within the tip of the cone.
// Not where it has parted: a corner of a lattice has s = 0.6, one particle beside another 0.4. Not at solids, where
// stickiness pulls, nor beside water.
#define POROUS_PARTED 0.5f
#define POROUS_WHOLE 0.6f
SHOAL_FN float porous_least(const porous_view* v, int i) {
    const shoal_water_view* w = &v->water;
    float                   c = v->cohesion_impulse[i], s = w->ratio[i];
    if (!(c > 0.0f) || v->is_local || s <= POROUS_PARTED || w->wall[i].w > 0.0f || porous_open(v, i) > 0.0f)
        return 0.0f;
    if (v->pool.are_there && v->pool.near.count[i] > 0) return 0.0f;
    float mu = v->friction_factor[i] * v->sands[w->material[i]].friction;
    return -c / (mu > 1.0f ? mu : 1.0f) *
           (s < POROUS_WHOLE ? (s - POROUS_PARTED) / (POROUS_WHOLE - POROUS_PARTED) : 1.0f);
}

// As porous_compress, for K down to `least`: no particle is denser than at rest at the end of the substep, and none
// parts from the others. `rate`: that of s; gaps do not pull.
SHOAL_FN void porous_hold(const porous_view* v, int i, float rate, float least) {
    const shoal_water_view* w = &v->water;
    float                   k = w->kappa[i], good = porous_making_good(v, i), step = v->sweep.relax * w->factor[i];
    float                   from = k + v->sweep.momentum * (k - v->last_kappa[i]) + step * rate;
    float                   next = from + step * good;
    if (next < 0.0f) {
        next = good < 0.0f ? from : next;
        next = next > 0.0f ? 0.0f : next < least ? least : next;
    }
    next             = w->factor[i] > 0.0f ? next : 0.0f;
    w->error[i]      = w->factor[i] > 0.0f ? fabsf(next - k) * w->dt / w->factor[i] : 0.0f;
    v->last_kappa[i] = k;
    w->kappa[i]      = next;
}

// What places lose of s in a substep beyond its rate, over dt: those that turn about each other go along tangents, and
// part by half of the square of their way. Without it what turns grows by half of (omega dt)^2 in each substep.
SHOAL_FN float porous_curving(const porous_view* v, int i, porous_mat grad) {
    porous_mat a = porous_mat_times_sym(grad, porous_sym_load(v->correction[i], v->correction_off[i]));
    return 0.5f * v->water.dt * (shoal_v3_dot(a.x, grad.x) + shoal_v3_dot(a.y, grad.y) + shoal_v3_dot(a.z, grad.z));
}

// `grad`: sum over the neighbours of (v_j - v_i) (x) g; `guests`: what guests have of Ds/Dt.
SHOAL_FN void porous_yield_from(const porous_view* v, int i, porous_mat grad, float guests) {
    const shoal_water_view* w    = &v->water;
    float                   rate = porous_making_good(v, i) - porous_mat_trace(grad) - w->stream[i].w +
                 shoal_v3_dot(shoal_v4_xyz(w->motion[i]), shoal_v4_xyz(w->wall[i]));
    if (porous_open(v, i) > 0.0f) guests = 0.0f;
    float least = porous_least(v, i);
    if (least < 0.0f)
        porous_hold(v, i, -porous_mat_trace(grad) - porous_curving(v, i, grad), least);
    else
        porous_compress(w, i, rate + guests, v->sweep, v->last_kappa);
    if (!v->is_local) porous_shear(v, i, grad);
    porous_publish_stress(v, i);
}

// No stress of it would move anybody: it is fixed, and all around it, too.
SHOAL_FN bool porous_is_idle(const porous_view* v, int i) {
    return v->fixed[i] && v->stress_step[i] == 0.0f && v->water.factor[i] == 0.0f;
}
SHOAL_FN void porous_idle(const porous_view* v, int i) {
    v->water.kappa[i] = v->water.error[i] = v->yield[i] = 0.0f;
    v->friction_stress[i] = v->shear_stress[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    porous_publish_stress(v, i);
}

// One more sweep of one particle: pressure by how fast it would be compressed, friction by how fast
// it is sheared.
SHOAL_FN void porous_yield(const porous_view* v, int i) {
    if (porous_is_idle(v, i)) {
        porous_idle(v, i);
        return;
    }
    const shoal_water_view* w    = &v->water;
    porous_mat              grad = porous_mat_zero();
    float                   r;
    SHOAL_FOR_NEAR(w->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(w->place, i, j, w->h, &r);
        shoal_v3 u = shoal_v3_sub(shoal_v4_xyz(w->motion[i]), shoal_v4_xyz(w->motion[j]));
        porous_mat_add_outer(&grad, u, shoal_v3_scale(d, porous_slope(w, r)));
    }
    porous_yield_from(v, i, grad, porous_guests_rate(w, &v->pool, i, 1.0f));
}

// At the end of the sweeps: what coarse sand has taken in the last one, for what it had of the one before.
SHOAL_FN void porous_drag(const porous_view* v, int i) {
    const shoal_water_view* w = &v->water;
    if (!(porous_open(v, i) > 0.0f) || v->fixed[i] || !v->pool.are_there) return;
    shoal_v3 more = shoal_v3_sub(porous_taken(v, i), v->dragged[i]);
    shoal_v4_set(&w->motion[i], shoal_v3_add(shoal_v4_xyz(w->motion[i]), more));
}

// ---------------------------------------------------------------------------------- the paper's way

// p = B (s^7 - 1), never below zero.
SHOAL_FN void porous_state(const porous_view* v, int i) {
    v->water.kappa[i] = porous_tait(v->water.ratio[i], v->stiff);
    porous_publish_stress(v, i);
}

// The stress that would stop the shear of a particle within the substep, if it were alone, q = d^2 D. Where the sand
// bears it, it is rigid; else it flows, with as much of it as the sand bears. A third at most is given, so that what
// neighbours take from each other does not turn the shear around. [Zhu & Bridson 2005 on particles: 2009, section 3]
// What is compressed by more than a hundredth is not rigid, either: a rigid cluster would keep it so.
#define POROUS_RIGID_MOST 1.01f
SHOAL_FN void porous_test(const porous_view* v, int i) {
    const float             most = 1.0f / 3.0f;
    const shoal_water_view* w    = &v->water;
    porous_mat              grad = porous_mat_zero();
    porous_sym              l    = porous_sym_load(v->correction[i], v->correction_off[i]);
    float                   r;
    SHOAL_FOR_NEAR(w->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(w->place, i, j, w->h, &r);
        shoal_v3 u = shoal_v3_sub(shoal_v4_xyz(w->motion[i]), shoal_v4_xyz(w->motion[j]));
        porous_mat_add_outer(&grad, u, shoal_v3_scale(d, porous_slope(w, r)));
    }
    porous_sym rate        = porous_sym_dev(porous_mat_times_sym(grad, l));
    porous_sym trial       = porous_sym_scale(rate, w->d * w->d);
    float      strength    = porous_strength(v, i, porous_effective(v, i, w->kappa[i]), rate);
    float      shear       = sqrtf(0.5f * porous_mat_norm2(porous_sym_mul(trial, l)));
    float      stiff       = 2.0f * v->viscosity_impulse[i] / (w->d * w->d); // of mud, as in porous_borne
    float      part        = shear > strength ? (strength + stiff * shear) / ((1.0f + stiff) * shear) : 1.0f;
    bool       is_yielding = shear > strength || w->ratio[i] > POROUS_RIGID_MOST;
    v->yield[i]            = is_yielding ? 1.0f : strength > 0.0f ? shear / strength : 0.0f;
    porous_sym_store(porous_sym_scale(trial, part < most ? part : most), &v->friction_stress[i], &v->shear_stress[i]);
    porous_publish_stress(v, i);
}

// x += dt v, and impulses as stresses again.
SHOAL_FN void porous_advance(const porous_view* v, int i) {
    const shoal_water_view* w = &v->water;
    shoal_v3                u = shoal_v4_xyz(w->motion[i]);
    shoal_v3                x = shoal_v3_add_scaled(shoal_v4_xyz(w->place[i]), u, w->dt);
    if (!v->fixed[i]) x = shoal_water_clear(w, x);
    w->course[i] =
        shoal_v3_sub(u, shoal_v3_add(v->wall_friction[i], v->pull[i]));   // what solids feel: fluid/water_load.c
    float water           = porous_wall_kappa(v, i) * v->inverse_mass[i]; // solids feel it, as they do contact
    w->course_touch[i]    = shoal_v3_add_scaled(w->touch[i], shoal_v4_xyz(w->wall[i]), -water);
    w->acceleration[i]    = shoal_v3_length(shoal_v3_sub(u, w->velocity[i])) / w->dt;
    w->velocity[i]        = v->is_local && v->cluster[i] >= 0 ? v->carried[i] : u;
    w->position[i]        = shoal_world_wrap(w->solids.world, x);
    v->drift[i]           = shoal_v3_add_scaled(v->drift[i], u, w->dt);
    float back            = 1.0f / w->pressure_scale;
    w->pressure[i]        = w->kappa[i] * back;
    v->friction_stress[i] = shoal_v3_scale(v->friction_stress[i], back);
    v->shear_stress[i]    = shoal_v3_scale(v->shear_stress[i], back);
    v->wall_friction[i]   = shoal_v3_scale(v->wall_friction[i], 1.0f / w->dt);
}

#endif
