// SPDX-License-Identifier: MIT
// The physics of a pair of particles of SPH water, and of a particle and a sample of a solid, once for all instruction
// sets and for cards (math/num.h). water_wide.c and water_cuda.cu walk over neighbours with these functions;
// water_pass.h says what follows from the sums, and has the plain versions, which also serve particles that coincide.
#ifndef SHOAL_WATER_PAIRS_H
#define SHOAL_WATER_PAIRS_H

#include "fluid/num_pair.h"
#include "fluid/water_pass.h"

// What tells copies of a loop apart. Where copies would be many, ASKS has it asked at run time whether there is an
// artificial viscosity, and SIZED, which stands for particles of unlike size, whether liquids are mixed or viscous.
enum {
    WATER_MIXED      = 1,
    WATER_VISCOUS    = 2,
    WATER_BEGUN      = 4,
    WATER_EXPLICIT   = 8,
    WATER_ARTIFICIAL = 16,
    WATER_SIZED      = 32,
    WATER_ASKS       = 64
};

// The particle i: its place, and what else a pass needs. Divisions stand here: compilers leave them in the loop.
enum { WATER_NEEDS_MOTION = 1, WATER_NEEDS_LEAN = 2, WATER_NEEDS_GRAINS = 4, WATER_NEEDS_BLUR = 8 };
typedef struct water_own {
    num4 place, motion, lean;
    num  lean_yz;
    num  grains; // 1 over the unit in which slopes are kept, s/m
    num  blur;   // the least -1/r that artificial viscosity counts, 1/m
} water_own;

NUM_FN water_own water_own_of(const shoal_water_view* v, int i, int needs) {
    const num  zero = num_set(0.0f);
    const num4 none = {zero, zero, zero, zero};
    water_own  own  = {num4_of(&v->place[i]), none, none, zero, zero, zero};
    if (needs & WATER_NEEDS_MOTION) own.motion = num4_of(&v->motion[i]);
    if (needs & WATER_NEEDS_LEAN) own.lean = num4_of(&v->lean[i]), own.lean_yz = num_set(v->lean_yz[i]);
    if (needs & WATER_NEEDS_GRAINS) own.grains = num_set(1.0f / v->grain);
    if (needs & WATER_NEEDS_BLUR) own.blur = num_set(-1.0f / (SHOAL_WATER_BLUR * v->h));
    return own;
}

// The cubic spline without its scale, (h - r)^3 - 4 (h/2 - r)^3, and its slope, a third of it.
NUM_FN num water_kernel(const num_pair* g, float h) {
    num u = num_positive(0.5f * h - g->r);
    return (g->t * g->t) * g->t - 4.0f * ((u * u) * u);
}
NUM_FN num water_slope(const num_pair* g, float h) {
    num u = num_positive(0.5f * h - g->r);
    return g->t * g->t - 4.0f * (u * u);
}

// slope/r x_ij of a pair in whole grains, as `weigh` keeps it for the sweeps: x of as many j as a num has lanes, and
// farther on y and z.
#if defined(__CUDACC__)
enum { WATER_KEPT_STRIDE = 1 }; // a thread has its own
#else
enum { WATER_KEPT_STRIDE = SHOAL_LANES };
#endif
NUM_FN void water_keep(int16_t* kept, num x, num y, num z) {
    num_store16(kept, x), num_store16(kept + WATER_KEPT_STRIDE, y), num_store16(kept + 2 * WATER_KEPT_STRIDE, z);
}
NUM_FN num4 water_kept(const int16_t* kept) {
    num4 slope = {num_load16(kept), num_load16(kept + WATER_KEPT_STRIDE), num_load16(kept + 2 * WATER_KEPT_STRIDE),
                  num_set(0.0f)};
    return slope;
}

// ---------------------------------------------------------------------------------- samples of solids

// fraction, slope, inflow, stream, friction, hold, layer
enum { WATER_SOLIDS_SUMS = 11 };
NUM_FN void water_solids_pair(const shoal_water_view* v, const num_pair* g, const int* b, num* s) {
    num w = g->companion * water_kernel(g, v->h), f = g->companion * (water_slope(g, v->h) * g->inverse);
    s[0] += w;
    num_pair_add(s + 1, f, g->dx, g->dy, g->dz);
    if (!v->has_wall_drag) return;
    num4 u = num_gather4(v->sample.motion, b); // the fourth: friction, or if negative what holds
    s[4] += f * ((u.x * g->dx + u.y * g->dy) + u.z * g->dz);
    num_pair_add(s + 5, w, u.x, u.y, u.z);
    s[8] += w * num_positive(u.w);
    s[9] += (g->companion * g->t) * num_negative(u.w);
    s[10] += w * num_gather1(v->sample.layer, b);
}
SHOAL_FN shoal_water_boundary water_solids_sum(const float* s) {
    shoal_water_boundary sum = {s[0], num_sum_v3(s + 1), s[4], num_sum_v3(s + 5), s[8], s[9], s[10]};
    return sum;
}

// ---------------------------------------------------------------------------------- density

// Kernel, squares of slopes by the inverse masses, slope; in mixtures the rate of compression as well, and with BEGUN,
// where pressure is known to begin with, also what `forces` adds up, of opposite sign: pressure, smoothing, drag.
#define WATER_WEIGH_SUMS(kind) ((kind)&WATER_BEGUN ? (kind)&WATER_VISCOUS ? 15 : 12 : (kind)&WATER_MIXED ? 6 : 5)
NUM_FN void water_weigh_pair(const shoal_water_view* v, const water_own* own, const num_pair* g, const int* j, int kind,
                             int16_t* kept, num* s) {
    num f = water_slope(g, v->h), f2 = f * f, along = f * g->inverse, w = water_kernel(g, v->h);
    num x = along * g->dx, y = along * g->dy, z = along * g->dz;
    s[0] += w;
    if (kind & WATER_MIXED) {
        float light[NUM_LANES];
        for (int m = 0; m < NUM_LANES; m++) light[m] = v->liquids[v->material[j[m]]].light;
        f2 *= num_load(light);
    }
    s[1] += f2;
    s[2] += x, s[3] += y, s[4] += z;
    water_keep(kept, x * own->grains, y * own->grains, z * own->grains);
    if (kind & WATER_BEGUN) num_pair_add(s + 6, own->place.w + g->companion, x, y, z);
    if (!(kind & (WATER_MIXED | WATER_BEGUN))) return;
    num4 u  = num_gather4(v->motion, j);
    num  jx = own->motion.x - u.x, jy = own->motion.y - u.y, jz = own->motion.z - u.z;
    s[5] += (x * jx + y * jy) + z * jz;
    if (kind & WATER_BEGUN) num_pair_add(s + 9, w, jx, jy, jz);
    if (kind & WATER_BEGUN && kind & WATER_VISCOUS) num_pair_add(s + 12, g->t, jx, jy, jz);
}
SHOAL_FN void water_weigh_from(const shoal_water_view* v, int i, int kind, const float* s) {
    shoal_water_weigh_from(v, i, s[0], num_sum_v3(s + 2), s[1], kind & (WATER_MIXED | WATER_BEGUN) ? s[5] : 0.0f);
    if (!(kind & WATER_BEGUN)) return;
    shoal_v3 drag = shoal_v3_make(0.0f, 0.0f, 0.0f);
    if (kind & WATER_VISCOUS) drag = shoal_v3_scale(num_sum_v3(s + 12), -1.0f);
    shoal_water_act_from(v, i, shoal_v3_scale(num_sum_v3(s + 9), -1.0f), drag,
                         shoal_v3_scale(num_sum_v3(s + 6), v->slope));
}
SHOAL_FN void water_weigh_plain(const shoal_water_view* v, int i) {
    shoal_water_weigh(v, i);
    shoal_water_keep_slopes(v, i);
}

// ---------------------------------------------------------------------------------- forces

// Smoothing, artificial viscosity along x_ij, drag. With EXPLICIT, pressure is added to the second, both with their
// scales.
#define WATER_FORCES_SUMS(kind) ((kind) & (WATER_VISCOUS | WATER_SIZED) ? 9 : 6)
NUM_FN void water_forces_pair(const shoal_water_view* v, const water_own* own, const num_pair* g, int i, const int* j,
                              int kind, num* s) {
    const bool is_artificial = kind & WATER_ASKS ? v->artificial > 0.0f : (kind & WATER_ARTIFICIAL) != 0;
    const bool is_mixed      = kind & WATER_SIZED ? v->is_mixed : (kind & WATER_MIXED) != 0;
    const bool is_viscous    = kind & WATER_SIZED ? v->is_viscous : (kind & WATER_VISCOUS) != 0;
    num4       u             = num_gather4(v->motion, j);
    num        jx = u.x - own->motion.x, jy = u.y - own->motion.y, jz = u.z - own->motion.z;
    num        w = water_kernel(g, v->h), drag = g->t, b = num_set(0.0f), f = b;
    if (is_artificial || kind & WATER_EXPLICIT) f = water_slope(g, v->h) * g->inverse;
    if (is_artificial) { // gap: -1/r, but for the very near
        num away = (jx * g->dx + jy * g->dy) + jz * g->dz;
        num gap  = num_max(0.0f - g->inverse, own->blur);
        b        = (num_positive(away) * f) * (gap * gap);
    }
    if (is_mixed) { // division: only mixtures pay for it
        float              mass[NUM_LANES], drags[NUM_LANES];
        shoal_water_liquid mine = v->liquids[v->material[i]];
        for (int m = 0; m < NUM_LANES; m++) {
            shoal_water_liquid other = v->liquids[v->material[j[m]]];
            mass[m] = shoal_water_mass_factor(mine, other), drags[m] = shoal_water_drag(mine, other);
        }
        num fraction = num_load(mass);
        w *= fraction, drag *= num_load(drags), b *= fraction;
    }
    if (kind & WATER_SIZED) w *= g->companion, drag *= g->companion, b *= g->companion;
    num_pair_add(s, w, jx, jy, jz);
    if (is_viscous) num_pair_add(s + 6, drag, jx, jy, jz);
    if (kind & WATER_EXPLICIT) b = b * v->artificial + ((own->place.w + g->companion) * f) * v->slope;
    if (is_artificial || kind & WATER_EXPLICIT) num_pair_add(s + 3, b, g->dx, g->dy, g->dz);
}
SHOAL_FN void water_forces_from(const shoal_water_view* v, int i, int kind, const float* s) {
    shoal_v3 drag = shoal_v3_make(0.0f, 0.0f, 0.0f);
    if (kind & (WATER_VISCOUS | WATER_SIZED)) drag = num_sum_v3(s + 6);
    if (kind & WATER_EXPLICIT)
        shoal_water_act_from(v, i, num_sum_v3(s), drag, num_sum_v3(s + 3));
    else
        shoal_water_forces_from(v, i, num_sum_v3(s), drag, num_sum_v3(s + 3));
}
SHOAL_FN void water_forces_plain(const shoal_water_view* v, int i, int kind) {
    if (kind & WATER_EXPLICIT)
        shoal_water_act(v, i);
    else
        shoal_water_forces(v, i);
}

// ---------------------------------------------------------------------------------- sweeps

// With the slopes that were kept.
enum { WATER_RATE_SUMS = 1, WATER_PUSH_SUMS = 3 };
NUM_FN void water_rate_pair(num4 u_i, num4 u_j, num4 slope, num* s) {
    num x = (u_i.x - u_j.x) * slope.x, y = (u_i.y - u_j.y) * slope.y, z = (u_i.z - u_j.z) * slope.z;
    s[0] += (x + y) + z;
}
NUM_FN void water_push_pair(num kappa_i, num kappa_j, num4 slope, num* s) {
    num_pair_add(s, kappa_i + kappa_j, slope.x, slope.y, slope.z);
}

// Every pass over pairs of particles that asks for their distance: its name, what it needs of i, the number of sums,
// what a pair adds to them, what follows from them, and what stands in where two are in one spot. Whoever walks has the
// names v, i, own, g, j, kind and s, and kept_at(v, slot), where the slope of a pair is kept.
// clang-format off
#define WATER_PAIR_PASSES(X)                                                                                           \
    X(lean,   0,                  NUM_LEAN_SUMS,                                                                       \
      num_pair_lean(g, water_slope(g, v->h) * g->inverse, s),                                                          \
      shoal_water_lean_from(v, i, num_sum_v3(s), num_sum_lean(s + 3)),              shoal_water_lean(v, i))            \
    X(level,  WATER_NEEDS_LEAN,   NUM_LEVEL_SUMS,                                                                      \
      num_pair_level(g, water_slope(g, v->h) * g->inverse, own->lean, own->lean_yz, num_gather4(v->lean, j), num_gather1(v->lean_yz, j), s), \
      shoal_water_level_from(v, i, num_sum_v3(s)),                                  shoal_water_level(v, i))           \
    X(weigh,  WATER_NEEDS_MOTION | WATER_NEEDS_GRAINS, WATER_WEIGH_SUMS(kind),                                                              \
      water_weigh_pair(v, own, g, j, kind, kept_at(v, slot), s),                                                       \
      water_weigh_from(v, i, kind, s),                                              water_weigh_plain(v, i))           \
    X(forces, WATER_NEEDS_MOTION | WATER_NEEDS_BLUR, WATER_FORCES_SUMS(kind),                                                             \
      water_forces_pair(v, own, g, i, j, kind, s),                                                                     \
      water_forces_from(v, i, kind, s),                                             water_forces_plain(v, i, kind))
// clang-format on

#endif
