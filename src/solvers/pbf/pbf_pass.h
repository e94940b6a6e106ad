// SPDX-License-Identifier: MIT
// What happens to one particle: the passes of Position Based Fluids [Macklin & Mueller 2013], plain. Units are put
// back: every particle has the volume V, C is dimensionless, lambda in m^2. Each pass writes only its own index and
// never reads at another index what it writes.
#ifndef SHOAL_PBF_PASS_H
#define SHOAL_PBF_PASS_H

#include "fluid/halo.h"
#include "fluid/boundary.h"
#include "fluid/pairs.h"
#include "solvers/pbf/pbf_params.h"
#include "state/set.h"

// clang-format off
// name       type role     unit      meaning      (position, velocity, id, material come with every set)
#define PBF_FIELDS(X) PBF_OWN_FIELDS(X) PBF_SHARED_FIELDS(X)
#define PBF_OWN_FIELDS(X)                                                                              \
    X(density,     F1, SHOWN_STATE, "kg/m^3", "density at the end of the last substep, walls included")    \
    X(pressure,    F1, STATE,   "Pa",     "pressure from lambda, summed over the sweeps of a substep") \
    X(guess,       V4, SCRATCH, "m, m^2", "x* of the paper; its companion is lambda, after the solve |omega|") \
    X(ahead,       V4, SCRATCH, "m, m^2", "where a sweep puts x*, while others look at the one before; then that is it") \
    X(uncorrected, F1, SCRATCH, "",       "part of C that this substep leaves: what was there before it and is not made good yet") \
    X(moved,       V3, SCRATCH, "m",      "all corrections of this substep")                           \
    X(stride,      V4, SCRATCH, "m, m^2", "what the last sweep really did to x* and to the sum of lambda") \
    X(limited,     U1, SCRATCH, "",       "1: a correction of this substep was cut to the limit")      \
    X(lean,        V4, SCRATCH, "m^2",    "what the arrangement bears of a shear, as lambda: xx, yy, xy, xz") \
    X(lean_yz,     F1, SCRATCH, "m^2",    "yz of it, zz is -xx - yy; before: lambda of the last substep") \
    X(drift,       V4, SCRATCH, "m/s",    "velocity after the solve; its companion is the lightness")   \
    X(omega,       V3, SCRATCH, "1/s",    "vorticity")

// What passes use in turn; the view has a name for each use.
#define PBF_SHARED_FIELDS(X)                                                                           \
    X(scalar,   F1, SCRATCH, "",       "next_lambda, wall_push or next_curl of the view")              \
    X(vector,   V3, SCRATCH, "",       "pull, wall_gradient, shift or smoothing of the view")

// In the order of Algorithm 1.
#define PBF_PASSES(X) X(aim) X(predict) X(lean) X(level) X(cohere) X(pull) X(lambda) X(walls) X(tell) X(correct) X(apply) X(measure) X(hold) X(follow) X(curl) X(confine) X(commit) X(rest)
// clang-format on

// Sums over all.
#define PBF_SUMS(X) X(compression) X(limited)

// What differs between the liquids of a scene.
typedef struct pbf_liquid {
    float density;   // kg/m^3
    float lightness; // inverse mass, 1 for the first liquid
    float viscous;   // dt nu V 45/(pi h^6): fraction of a velocity difference that goes per (h - r)
} pbf_liquid;

typedef struct pbf_view {
    int                 count;
    shoal_solids        solids;
    shoal_near          near;
    pbf_params          params;
    float               dt, d, h, h2;
    shoal_v3            gravity;
    float               weight, self;       // V times the scale of the density kernel; V W(0)
    float               spiky;              // V times the scale of grad spiky: grad_i C = -spiky (h - r)^2 x_ij / r
    float               swirl;              // spiky made good for the lattice: a rigid turn has exactly twice its rate
    float               epsilon;            // added to the sum of squared gradients, 1/m^2
    float               gradient_sum;       // of a full neighbourhood, 1/m^2
    float               compliance;         // rho0 / (K dt^2), 1/m^2
    float               correction;         // fraction of an error that was there before that a substep makes good
    float               elastic;            // compression per pressure of a liquid that is compressible, 1/Pa
    float               inverse_relaxation; // inverse of the fraction of lambda that is applied
    float               wall_factor;
    float               smooth; // fraction of XSPH in this substep, times the scale of the density kernel
    float               clump_k, clump_w, clump_r2; // strength (m^2), W(dq), 1 / r_c^2
    float               limit;                      // longest correction, m
    float               pressure_scale;             // lambda to Pa
    bool                sticks;                     // solids that stick hold what touches them
    bool                is_mixed;                   // liquids of several densities or viscosities
    bool                is_viscous;                 // some of them have an explicit drag
    const pbf_liquid*   liquids;                    // by material
    float               melt;                       // pressure in Pa to the lambda whose lopsided part is taken away
    const shoal_layers* layers;                     // behind walls
    float               surface_slant;              // slope of the density at a free surface, 1/d
    float               cohesion;                   // scale of the cohesion spline, as an acceleration
    float               warm;                       // pressure in Pa to the lambda a substep begins with
    float               momentum;                   // Chebyshev's weight of this sweep; 1: plain jacobi
    float*              held;                       // of thick liquids: what solids that stick have (fluid/thick.h)
    shoal_v4*           stream;                     // and their velocity
    float               hold_scale;
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_MEMBER)
    PBF_OWN_FIELDS(SHOAL_FIELD_MEMBER)
    union {
        float* scalar;
        float* next_lambda; // before all may see it in the companion of `guess`
        float* wall_push;   // how far the walls push it in a sweep, m
        float* next_curl;   // |omega|, before all may see it there
    };
    union {
        shoal_v3* vector;
        shoal_v3* pull;          // acceleration ahead of the solve, m/s^2
        shoal_v3* wall_gradient; // of the density that walls add, 1/m
        shoal_v3* shift;         // correction of one sweep, m
        shoal_v3* smoothing;     // change of velocity by XSPH and viscosity, m/s
    };
} pbf_view;

SHOAL_FN shoal_v3 pbf_place(const pbf_view* v, int i) {
    shoal_v4 x = v->guess[i];
    return shoal_v4_xyz(x);
}

// From j to i at x*, and the distance.
SHOAL_FN shoal_v3 pbf_displacement(const pbf_view* v, int i, int j, float* r) {
    return shoal_pair_displacement(v->guess, i, j, v->h, r);
}

// Where free flight leads; walls that reflect stop it at once, since lists are made of images as
// they stand.
SHOAL_FN shoal_v3 pbf_ahead(const pbf_view* v, shoal_v3 x) {
    return v->params.mirror ? shoal_mirror_clear(&v->solids, x, 0.5f * v->d) : x;
}

// Where x* will be, for sorting (line 3, ahead of the sort so that particles lie where they are needed).
SHOAL_FN void pbf_aim(const pbf_view* v, int i) {
    shoal_v3 speed = shoal_v3_add_scaled(v->velocity[i], v->gravity, v->dt);
    shoal_v3 x     = pbf_ahead(v, shoal_world_wrap(v->solids.world, shoal_v3_add_scaled(v->position[i], speed, v->dt)));
    v->guess[i]    = shoal_v4_make(x.x, x.y, x.z, 0.0f);
}

// The part of C that a short substep leaves. A correction becomes a velocity by 1/dt: an error that
// was there before, as between a lattice and the walls, or where something was added, would throw
// particles apart by C d/dt, ever faster the shorter the substeps. What the last pressure accounts
// for in a compressible liquid is no error.
SHOAL_FN float pbf_uncorrected(const pbf_view* v, int i) {
    if (!(v->correction < 1.0f)) return 0.0f; // all is made good
    float c = v->density[i] / v->liquids[v->material[i]].density - 1.0f - v->elastic * v->pressure[i];
    if (c < -v->params.negative_pressure) c = -v->params.negative_pressure;
    return (1.0f - v->correction) * c;
}

// v += dt f, x* = x + dt v (lines 2, 3)
SHOAL_FN void pbf_predict(const pbf_view* v, int i) {
    v->velocity[i]    = shoal_v3_add_scaled(v->velocity[i], v->gravity, v->dt);
    shoal_v3 free     = shoal_world_wrap(v->solids.world, shoal_v3_add_scaled(v->position[i], v->velocity[i], v->dt));
    shoal_v3 x        = pbf_ahead(v, free);
    v->guess[i]       = shoal_v4_make(x.x, x.y, x.z, 0.0f);
    v->next_lambda[i] = v->warm * v->pressure[i];
    v->uncorrected[i] = pbf_uncorrected(v, i);
    v->lean_yz[i]     = v->melt * v->pressure[i];
    v->drift[i]       = shoal_v4_make(0.0f, 0.0f, 0.0f, v->liquids[v->material[i]].lightness);
    v->pressure[i]    = 0.0f;
    v->moved[i]       = shoal_v3_sub(x, free);
    v->limited[i]     = 0;
    if (v->params.chebyshev > 0.0f) v->stride[i] = shoal_v4_make(0.0f, 0.0f, 0.0f, 0.0f);
}

// A substep that begins at the current positions.
SHOAL_FN void pbf_rest(const pbf_view* v, int i) {
    shoal_v3 x        = v->position[i];
    v->guess[i]       = shoal_v4_make(x.x, x.y, x.z, 0.0f);
    v->drift[i]       = shoal_v4_make(0.0f, 0.0f, 0.0f, v->liquids[v->material[i]].lightness);
    v->uncorrected[i] = 0.0f;
}

// What the walls add to C, and its gradient.
SHOAL_FN shoal_solid_fraction pbf_solids(const pbf_view* v, shoal_v3 x) {
    shoal_solid_fraction fraction = {0.0f, {0.0f, 0.0f, 0.0f}};
    if (!shoal_solids_are_near(v->solids.world, x, v->h)) return fraction;
    fraction = shoal_solid_fraction_at(&v->solids, x, v->h, v->params.density_kernel == PBF_DENSITY_KERNEL_POLY6);
    fraction.density  = fraction.density * v->wall_factor;
    fraction.gradient = shoal_v3_scale(fraction.gradient, v->wall_factor);
    return fraction;
}

// The density kernel without its scale.
SHOAL_FN float pbf_weight(const pbf_view* v, float r) {
    float q = v->params.density_kernel == PBF_DENSITY_KERNEL_POLY6 ? v->h2 - r * r : v->h - r;
    return q * q * q;
}

// lambda_i from the sums over the neighbours: density weights without self, and spiky gradients (eq. 9, 11). With
// unequal masses each squared gradient counts by the inverse mass of the particle it moves.
SHOAL_FN void pbf_lambda_from(const pbf_view* v, int i, float weights, shoal_v3 slope, float slopes2) {
    shoal_solid_fraction solids = pbf_solids(v, pbf_place(v, i));
    float                c      = v->weight * weights + v->self + solids.density - 1.0f;
    float                light  = v->liquids[v->material[i]].lightness;
    v->density[i]               = v->liquids[v->material[i]].density * (c + 1.0f);
    v->wall_gradient[i]         = solids.gradient;
    c -= v->uncorrected[i];
    if (c < -v->params.negative_pressure) c = -v->params.negative_pressure;

    shoal_v3 own   = shoal_v3_add(shoal_v3_scale(slope, -v->spiky), solids.gradient);
    float    below = v->params.relaxation == PBF_RELAXATION_PRECOMPUTED
                         ? light * v->gradient_sum
                         : light * shoal_v3_dot(own, own) + v->spiky * v->spiky * slopes2;
    // XPBD: the pressure of the sweeps before pushes back; this part is not relaxed, or soft liquids would overshoot
    v->next_lambda[i] =
        -(c + v->compliance * v->pressure[i]) / ((below + light * v->epsilon) * v->inverse_relaxation + v->compliance);
}

SHOAL_FN void pbf_lambda(const pbf_view* v, int i) {
    float    weights = 0.0f, slopes2 = 0.0f;
    shoal_v3 slope = {0.0f, 0.0f, 0.0f};
    SHOAL_FOR_NEAR(v->near, i, j) {
        float    r;
        shoal_v3 d = pbf_displacement(v, i, j, &r);
        if (r >= v->h) continue;
        float t2 = (v->h - r) * (v->h - r);
        weights += pbf_weight(v, r);
        slope = shoal_v3_add_scaled(slope, d, t2 / r);
        slopes2 += t2 * t2 * v->drift[j].w;
    }
    pbf_lambda_from(v, i, weights, slope, slopes2);
}

// The gradient of the walls alone, for a warm start that comes before any lambda.
SHOAL_FN void pbf_walls(const pbf_view* v, int i) { v->wall_gradient[i] = pbf_solids(v, pbf_place(v, i)).gradient; }

// All have read it: now the value, next_lambda or next_curl, may be seen by the next pass, by these names.
SHOAL_FN void  pbf_tell(const pbf_view* v, int i) { v->guess[i].w = v->scalar[i]; }
SHOAL_FN float pbf_lambda_of(const pbf_view* v, int i) { return v->guess[i].w; }
SHOAL_FN float pbf_curl_of(const pbf_view* v, int i) { return v->guess[i].w; }

// s_ij: eq. 13 in units of lambda, or a repulsion of short range that carries no load
SHOAL_FN float pbf_repulsion(const pbf_view* v, float r2) {
    if (v->params.anti_clumping == PBF_ANTI_CLUMPING_SHORT_RANGE) {
        float s = 1.0f - r2 * v->clump_r2;
        return s > 0.0f ? -v->clump_k * s * s : 0.0f;
    }
    float q = v->h2 - r2, ratio = q * q * q * v->clump_w, power = ratio;
    for (int k = 1; k < v->params.clump_power; k++) power *= ratio;
    return -v->clump_k * power;
}

// lambda is counted in units of the first liquid: two of other masses repel by their mean
SHOAL_FN float pbf_meet(const pbf_view* v, int i, int j) {
    return 2.0f / (v->liquids[v->material[i]].lightness + v->liquids[v->material[j]].lightness);
}

// What a sweep does to one particle.
typedef struct pbf_shift {
    shoal_v3 by;   // m
    float    push; // how far the walls push it, m: what friction may lean on
} pbf_shift;

SHOAL_FN pbf_shift pbf_shift_from(const pbf_view* v, int i, shoal_v3 sum) {
    shoal_v3  push  = shoal_v3_scale(v->wall_gradient[i], pbf_lambda_of(v, i)); // of the walls
    float     light = v->liquids[v->material[i]].lightness;
    pbf_shift shift = {shoal_v3_scale(shoal_v3_add_scaled(push, sum, -v->spiky), light), shoal_v3_length(push) * light};
    return shift;
}

SHOAL_FN void pbf_correct_from(const pbf_view* v, int i, shoal_v3 sum) {
    pbf_shift shift = pbf_shift_from(v, i, sum);
    v->wall_push[i] = shift.push;
    v->shift[i]     = shift.by;
}

// dp_i = sum_j V (lambda_i + lambda_j + s_ij) grad W (eq. 12, 14), and the push of the walls
SHOAL_FN shoal_v3 pbf_pushes(const pbf_view* v, int i) {
    shoal_v3 sum = {0.0f, 0.0f, 0.0f};
    SHOAL_FOR_NEAR(v->near, i, j) {
        float    r;
        shoal_v3 d = pbf_displacement(v, i, j, &r);
        if (r >= v->h) continue;
        float t2 = (v->h - r) * (v->h - r);
        float f  = pbf_lambda_of(v, i) + pbf_lambda_of(v, j) + pbf_repulsion(v, r * r) * pbf_meet(v, i, j);
        sum      = shoal_v3_add_scaled(sum, d, f * t2 / r);
    }
    return sum;
}
SHOAL_FN void pbf_correct(const pbf_view* v, int i) { pbf_correct_from(v, i, pbf_pushes(v, i)); }

// x* += dp with Chebyshev's momentum, then contacts (lines 14, 17)
SHOAL_FN void pbf_apply_shift(const pbf_view* v, int i, pbf_shift found) {
    shoal_v4 from   = v->guess[i];
    shoal_v3 shift  = found.by;
    float    lambda = from.w;
    if (v->params.chebyshev > 0.0f) {
        float    again  = v->momentum - 1.0f;
        shoal_v4 before = v->stride[i];
        shift           = shoal_v3_add_scaled(shoal_v3_scale(shift, v->momentum), shoal_v4_xyz(before), again);
        lambda          = v->momentum * lambda + again * before.w;
    }
    float length = shoal_v3_length(shift);
    if (length > v->limit) {
        shift         = shoal_v3_scale(shift, v->limit / length);
        v->limited[i] = 1;
    }
    shoal_v3 x = shoal_v3_add(shoal_v4_xyz(from), shift), moved = v->moved[i];
    shoal_v3 travel = shoal_v3_add_scaled(shoal_v3_add(moved, shift), v->velocity[i], v->dt);
    shoal_v3 clear  = shoal_solid_contact(&v->solids, x, travel, 0.5f * v->d, found.push, v->dt, v->sticks);
    shift           = shoal_v3_add(shift, shoal_v3_sub(clear, x));
    v->ahead[i]     = shoal_v4_make(clear.x, clear.y, clear.z, from.w);
    v->moved[i]     = shoal_v3_add(moved, shift);
    v->pressure[i] += lambda;
    if (v->params.chebyshev > 0.0f) v->stride[i] = shoal_v4_make(shift.x, shift.y, shift.z, lambda);
}

SHOAL_FN void pbf_apply(const pbf_view* v, int i) {
    pbf_shift found = {v->shift[i], v->wall_push[i]};
    pbf_apply_shift(v, i, found);
}

// v = (x* - x) / dt, written so that free flight loses no digits (line 21)
SHOAL_FN shoal_v3 pbf_measured(const pbf_view* v, int i) {
    return shoal_v3_add_scaled(v->velocity[i], v->moved[i], 1.0f / v->dt);
}

SHOAL_FN void pbf_measure(const pbf_view* v, int i) {
    shoal_v3 u  = pbf_measured(v, i);
    v->drift[i] = shoal_v4_make(u.x, u.y, u.z, v->liquids[v->material[i]].lightness);
}

// What solids that stick have of the sum of (h - r) over neighbours, as if the flow behind them
// were the mirrored one [Morris 1997]: over layers behind a flat wall at a distance y, the first
// d/2 behind it, each (1 + depth/y) times the integral of h - r over its plane. Without its scale.
SHOAL_FN float pbf_held_at(float y, float d, float h) {
    float sum = 0.0f;
    for (float z = y + 0.5f * d; z < h; z += d) sum += z * (h * h * h / 6.0f - h * z * z / 2.0f + z * z * z / 3.0f);
    return sum / y;
}

SHOAL_FN void pbf_hold(const pbf_view* v, int i) {
    shoal_v3 x = pbf_place(v, i), u = shoal_v3_make(0.0f, 0.0f, 0.0f);
    float    y =
        shoal_solids_are_near(v->solids.world, x, v->h) ? shoal_sticky_distance(&v->solids, x, v->h, true, &u) : v->h;
    v->held[i]   = y < v->h ? v->hold_scale * pbf_held_at(fmaxf(y, 0.25f * v->d), v->d, v->h) : 0.0f;
    v->stream[i] = shoal_v4_make(u.x, u.y, u.z, 0.0f);
    // a particle squeezed between solids is put from one to the other, which is no motion that
    // others are drawn along with: ever faster, since substeps get shorter by it
    float tight = 0.4f * v->d;
    if (shoal_solids_are_near(v->solids.world, x, tight) && shoal_solid_is_tight(v->solids.world, x, tight)) {
        shoal_v3 before = v->velocity[i];
        v->drift[i]     = shoal_v4_make(before.x, before.y, before.z, v->drift[i].w);
    }
}

// x* += dt (v - v*): a thick liquid goes where viscosity has left it to go. Else every slope would slide by g dt more,
// and what creeps slower than that would not feel its viscosity.
SHOAL_FN void pbf_follow(const pbf_view* v, int i) {
    shoal_v3 u    = shoal_v3_sub(shoal_v3_make(v->drift[i].x, v->drift[i].y, v->drift[i].z), pbf_measured(v, i));
    shoal_v3 from = pbf_place(v, i), x = pbf_ahead(v, shoal_v3_add_scaled(from, u, v->dt));
    x = shoal_solid_walk(v->solids.world, from, x, 0.5f * v->d, 0.0f); // solids stand at the end of the substep already
    if (shoal_solids_are_near(v->solids.world, x, 0.5f * v->d)) x = shoal_solid_clear(&v->solids, x, 0.5f * v->d);
    v->guess[i].x = x.x, v->guess[i].y = x.y, v->guess[i].z = x.z;
}

// Sums over the neighbours: density weights, weighted velocity differences, and grad W x (v_j - v_i)
SHOAL_FN void pbf_curl_from(const pbf_view* v, int i, float weights, shoal_v3 smooth, shoal_v3 drag, shoal_v3 curl) {
    v->density[i] =
        v->liquids[v->material[i]].density * (v->weight * weights + v->self + pbf_solids(v, pbf_place(v, i)).density);
    v->smoothing[i] = shoal_v3_add_scaled(shoal_v3_scale(smooth, v->smooth), drag, v->liquids[v->material[i]].viscous);
    v->omega[i]     = shoal_v3_scale(curl, -v->swirl);
    v->next_curl[i] = shoal_v3_length(v->omega[i]);
}

// 2 m_j / (m_i + m_j): keeps momentum when masses differ
SHOAL_FN float pbf_mass_factor(float light_i, float light_j) { return 2.0f * light_i / (light_i + light_j); }

// What a pair has of its own drag: the harmonic mean of the viscosities, so that both feel the same force
SHOAL_FN float pbf_pair_drag(pbf_liquid i, pbf_liquid j) {
    float own = i.viscous / i.lightness, other = j.viscous / j.lightness;
    return own > 0.0f ? 2.0f * other / (own + other) : 0.0f;
}

// Vorticity (eq. 15, with the sign that gives +2 Omega in a rigid turn), XSPH and viscosity (eq. 17), final density
SHOAL_FN void pbf_curl(const pbf_view* v, int i) {
    float    weights = 0.0f;
    shoal_v3 smooth = {0.0f, 0.0f, 0.0f}, drag = smooth, curl = smooth;
    SHOAL_FOR_NEAR(v->near, i, j) {
        float    r;
        shoal_v3 d = pbf_displacement(v, i, j, &r);
        if (r >= v->h) continue;
        shoal_v3 u =
            shoal_v3_make(v->drift[j].x - v->drift[i].x, v->drift[j].y - v->drift[i].y, v->drift[j].z - v->drift[i].z);
        float w = pbf_weight(v, r), t = v->h - r;
        weights += w;
        pbf_liquid own = v->liquids[v->material[i]], other = v->liquids[v->material[j]];
        smooth = shoal_v3_add_scaled(smooth, u, w * pbf_mass_factor(own.lightness, other.lightness));
        drag   = shoal_v3_add_scaled(drag, u, t * pbf_pair_drag(own, other));
        curl   = shoal_v3_add_scaled(curl, shoal_v3_cross(d, u), t * t / r);
    }
    pbf_curl_from(v, i, weights, smooth, drag, curl);
}

SHOAL_FN void pbf_confine_from(const pbf_view* v, int i, shoal_v3 sum) {
    shoal_v3 eta    = shoal_v3_scale(sum, -v->spiky);
    float    length = shoal_v3_length(eta);
    shoal_v3 u      = shoal_v3_add(shoal_v3_make(v->drift[i].x, v->drift[i].y, v->drift[i].z), v->smoothing[i]);
    if (length > 1e-6f / v->h * pbf_curl_of(v, i))
        u = shoal_v3_add_scaled(u, shoal_v3_cross(shoal_v3_scale(eta, 1.0f / length), v->omega[i]),
                                v->dt * v->params.vorticity * v->h);
    v->velocity[i] = u;
}

// f = epsilon h (N x omega) with N along grad |omega|, as differences so that the surface adds nothing (eq. 16)
SHOAL_FN void pbf_confine(const pbf_view* v, int i) {
    shoal_v3 sum = {0.0f, 0.0f, 0.0f};
    if (v->params.vorticity > 0.0f) {
        SHOAL_FOR_NEAR(v->near, i, j) {
            float    r;
            shoal_v3 d = pbf_displacement(v, i, j, &r);
            if (r >= v->h) continue;
            sum = shoal_v3_add_scaled(sum, d, (pbf_curl_of(v, j) - pbf_curl_of(v, i)) * (v->h - r) * (v->h - r) / r);
        }
    }
    pbf_confine_from(v, i, sum);
}

// x = x* (line 23), lambda as a pressure
SHOAL_FN void pbf_commit(const pbf_view* v, int i) {
    v->position[i] = shoal_world_wrap(v->solids.world, pbf_place(v, i));
    v->pressure[i] *= v->pressure_scale;
}

SHOAL_FN double pbf_compression(const pbf_view* v, int i) {
    return fmax((double)v->density[i] / (double)v->liquids[v->material[i]].density - 1.0, 0.0);
}
SHOAL_FN double pbf_limited(const pbf_view* v, int i) { return v->limited[i]; }

// What the arrangement bears of a shear, from the sums over the neighbours (fluid/lean.h), as lambda.
SHOAL_FN void pbf_lean_from(const pbf_view* v, int i, shoal_v3 slope, shoal_lean sum) {
    shoal_v3           x = pbf_place(v, i), own = shoal_v3_scale(slope, -v->spiky);
    shoal_solid_moment solids = shoal_solid_moment_none();
    if (shoal_solids_are_near(v->solids.world, x, v->h))
        solids = shoal_solid_moment_at(&v->solids, x, v->h, v->d, v->layers);
    own             = shoal_v3_add(own, solids.slope);
    float fraction  = shoal_lean_fraction(shoal_v3_length(own) * v->d, v->surface_slant, solids.fraction, v->layers);
    shoal_lean lean = shoal_lean_of(shoal_lean_sum(sum, v->spiky, solids.moment), fraction * v->lean_yz[i]);
    v->lean[i]      = shoal_v4_make(lean.xx, lean.yy, lean.xy, lean.xz);
    v->lean_yz[i]   = lean.yz;
}

SHOAL_FN void pbf_lean(const pbf_view* v, int i) {
    shoal_lean sum   = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    shoal_v3   slope = {0.0f, 0.0f, 0.0f};
    SHOAL_FOR_NEAR(v->near, i, j) {
        float    r;
        shoal_v3 d = pbf_displacement(v, i, j, &r);
        if (r >= v->h) continue;
        float f = (v->h - r) * (v->h - r) / r;
        slope   = shoal_v3_add_scaled(slope, d, f);
        shoal_lean_add(&sum, d, f);
    }
    pbf_lean_from(v, i, slope, sum);
}

// Takes it away: a correction with the tensor in place of lambda, before the solve.
SHOAL_FN void pbf_level_from(const pbf_view* v, int i, shoal_v3 sum) {
    v->pull[i] = shoal_v3_scale(sum, -v->spiky * v->liquids[v->material[i]].lightness / (v->dt * v->dt));
}

SHOAL_FN void pbf_level(const pbf_view* v, int i) {
    shoal_v3 sum = {0.0f, 0.0f, 0.0f};
    SHOAL_FOR_NEAR(v->near, i, j) {
        float    r;
        shoal_v3 d = pbf_displacement(v, i, j, &r);
        if (r >= v->h) continue;
        float    f     = (v->h - r) * (v->h - r) / r;
        shoal_v3 own   = shoal_lean_times(v->lean[i], v->lean_yz[i], d),
                 other = shoal_lean_times(v->lean[j], v->lean_yz[j], d);
        sum            = shoal_v3_add_scaled(sum, shoal_v3_add(own, other), f);
    }
    pbf_level_from(v, i, sum);
}

// Cohesion of Akinci et al. 2013 in the force phase, scaled to a surface tension in N/m: changes v and x* before the
// solve.
SHOAL_FN void pbf_cohere(const pbf_view* v, int i) {
    shoal_v3 sum = {0.0f, 0.0f, 0.0f};
    float    h3  = v->h * v->h2;
    SHOAL_FOR_NEAR(v->near, i, j) {
        float    r;
        shoal_v3 d = pbf_displacement(v, i, j, &r);
        if (r >= v->h) continue;
        float      t = v->h - r, bump = t * t * t * r * r * r;
        float      pull = 2.0f * r > v->h ? bump : 2.0f * bump - h3 * h3 / 64.0f;
        pbf_liquid own = v->liquids[v->material[i]], other = v->liquids[v->material[j]];
        sum = shoal_v3_add_scaled(sum, d, -pull / r * pbf_mass_factor(own.lightness, other.lightness));
    }
    v->pull[i] = shoal_v3_scale(sum, v->cohesion);
}

SHOAL_FN void pbf_pull(const pbf_view* v, int i) {
    v->velocity[i] = shoal_v3_add_scaled(v->velocity[i], v->pull[i], v->dt);
    shoal_v3 x     = shoal_v3_add_scaled(pbf_place(v, i), v->pull[i], v->dt * v->dt);
    v->guess[i].x = x.x, v->guess[i].y = x.y, v->guess[i].z = x.z;
}

#endif
