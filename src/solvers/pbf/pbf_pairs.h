// SPDX-License-Identifier: MIT
// The physics of a pair of particles of Position Based Fluids [Macklin & Mueller 2013], once for all instruction sets
// and for cards (math/num.h). pbf_wide.c and pbf_cuda.cu walk over neighbours with these functions; pbf_pass.h says
// what follows from the sums, and has the plain versions, which also serve particles that coincide.
#ifndef SHOAL_PBF_PAIRS_H
#define SHOAL_PBF_PAIRS_H

#include "fluid/num_pair.h"
#include "solvers/pbf/pbf_pass.h"

// What tells copies of a loop apart. The density kernel is POLY6, spiky, or asked for at run time.
enum { PBF_POLY6 = 1, PBF_MIXED = 2, PBF_VISCOUS = 4, PBF_ASKS_KERNEL = 8 };

// The particle i. What a pass does not use is not loaded.
typedef struct pbf_own {
    num4 place, drift, lean;
    num  lean_yz;
} pbf_own;

NUM_FN pbf_own pbf_own_of(const pbf_view* v, int i) {
    pbf_own own = {num4_of(&v->guess[i]), num4_of(&v->drift[i]), num4_of(&v->lean[i]), num_set(v->lean_yz[i])};
    return own;
}

// The density kernel without its scale.
NUM_FN num pbf_pair_weight(const pbf_view* v, const num_pair* g, int kind) {
    bool is_poly6 =
        kind & PBF_ASKS_KERNEL ? v->params.density_kernel == PBF_DENSITY_KERNEL_POLY6 : (kind & PBF_POLY6) != 0;
    num q = is_poly6 ? num_positive(v->h2 - g->r2) : g->t;
    return (q * q) * q;
}

// The slope of the spiky kernel over r, without its scale.
NUM_FN num pbf_pair_slope(const num_pair* g) { return (g->t * g->t) * g->inverse; }

// Density weights, gradients, and their squares by the inverse masses (eq. 9, 11).
enum { PBF_LAMBDA_SUMS = 5 };
NUM_FN void pbf_lambda_pair(const pbf_view* v, const num_pair* g, const int* j, int kind, num* s) {
    num t2 = g->t * g->t, t4 = t2 * t2;
    if (kind & PBF_MIXED) t4 *= num_gather4(v->drift, j).w;
    s[0] += pbf_pair_weight(v, g, kind);
    num_pair_add(s + 1, pbf_pair_slope(g), g->dx, g->dy, g->dz);
    s[4] += t4;
}

// s_ij: eq. 13 in units of lambda, or a repulsion of short range that carries no load.
NUM_FN num pbf_pair_repulsion(const pbf_view* v, num r2) {
    if (v->params.anti_clumping == PBF_ANTI_CLUMPING_SHORT_RANGE) {
        num s = num_positive(1.0f - r2 * v->clump_r2);
        return (s * s) * -v->clump_k;
    }
    num q = num_positive(v->h2 - r2), ratio = ((q * q) * q) * v->clump_w, power = ratio;
    for (int k = 1; k < v->params.clump_power; k++) power *= ratio;
    return power * -v->clump_k;
}

// (lambda_i + lambda_j + s_ij) grad W (eq. 12, 14).
enum { PBF_CORRECT_SUMS = 3 };
NUM_FN void pbf_correct_pair(const pbf_view* v, const pbf_own* own, const num_pair* g, int i, const int* j, int kind,
                             num* s) {
    num s_ij = pbf_pair_repulsion(v, g->r2);
    if (kind & PBF_MIXED) { // division: only mixtures pay for it
        float meet[NUM_LANES];
        for (int m = 0; m < NUM_LANES; m++) meet[m] = pbf_meet(v, i, j[m]);
        s_ij *= num_load(meet);
    }
    num f = (((own->place.w + g->companion) + s_ij) * (g->t * g->t)) * g->inverse;
    num_pair_add(s, f, g->dx, g->dy, g->dz);
}

// Density weights, XSPH (eq. 17), vorticity (eq. 15), and where i is viscous its drag.
enum { PBF_CURL_SUMS_PLAIN = 7, PBF_CURL_SUMS_VISCOUS = 10 };
NUM_FN void pbf_curl_pair(const pbf_view* v, const pbf_own* own, const num_pair* g, int i, const int* j, int kind,
                          num* s) {
    num4 u  = num_gather4(v->drift, j);
    num  jx = u.x - own->drift.x, jy = u.y - own->drift.y, jz = u.z - own->drift.z;
    num  w = pbf_pair_weight(v, g, kind), f = pbf_pair_slope(g), drag = g->t;
    s[0] += w;
    if (kind & PBF_MIXED) {
        float      mass[NUM_LANES], drags[NUM_LANES];
        pbf_liquid mine = v->liquids[v->material[i]];
        for (int m = 0; m < NUM_LANES; m++) {
            pbf_liquid other = v->liquids[v->material[j[m]]];
            mass[m] = pbf_mass_factor(mine.lightness, other.lightness), drags[m] = pbf_pair_drag(mine, other);
        }
        w *= num_load(mass), drag *= num_load(drags);
    }
    num_pair_add(s + 1, w, jx, jy, jz);
    s[4] += f * (g->dy * jz - g->dz * jy);
    s[5] += f * (g->dz * jx - g->dx * jz);
    s[6] += f * (g->dx * jy - g->dy * jx);
    if (kind & PBF_VISCOUS) num_pair_add(s + 7, drag, jx, jy, jz);
}
SHOAL_FN shoal_v3 pbf_drag_sum(const pbf_view* v, int i, int kind, const float* s) {
    bool is_viscous = kind & PBF_VISCOUS && v->liquids[v->material[i]].viscous > 0.0f;
    return is_viscous ? num_sum_v3(s + 7) : shoal_v3_make(0.0f, 0.0f, 0.0f);
}

// grad |omega|, as differences, so that the surface adds nothing (eq. 16).
enum { PBF_CONFINE_SUMS = 3 };
NUM_FN void pbf_confine_pair(const pbf_own* own, const num_pair* g, num* s) {
    num f = ((g->companion - own->place.w) * (g->t * g->t)) * g->inverse;
    num_pair_add(s, f, g->dx, g->dy, g->dz);
}

// Every pass over pairs: its name, the number of sums, what a pair adds to them, what follows from them. Whoever walks
// has the names v, i, own, g, j, kind and s.
// clang-format off
#define PBF_PAIR_PASSES(X)                                                                                             \
    X(lambda,  PBF_LAMBDA_SUMS,  pbf_lambda_pair(v, g, j, kind, s),                                                    \
                                 pbf_lambda_from(v, i, s[0], num_sum_v3(s + 1), s[4]))                               \
    X(correct, PBF_CORRECT_SUMS, pbf_correct_pair(v, own, g, i, j, kind, s),                                           \
                                 pbf_correct_from(v, i, num_sum_v3(s)))                                              \
    X(curl,    kind & PBF_VISCOUS ? PBF_CURL_SUMS_VISCOUS : PBF_CURL_SUMS_PLAIN,                                       \
                                 pbf_curl_pair(v, own, g, i, j, kind, s),                                              \
                                 pbf_curl_from(v, i, s[0], num_sum_v3(s + 1), pbf_drag_sum(v, i, kind, s), num_sum_v3(s + 4))) \
    X(confine, PBF_CONFINE_SUMS, pbf_confine_pair(own, g, s),                                                          \
                                 pbf_confine_from(v, i, num_sum_v3(s)))                                              \
    X(lean,    NUM_LEAN_SUMS,  num_pair_lean(g, pbf_pair_slope(g), s),                                             \
                                 pbf_lean_from(v, i, num_sum_v3(s), num_sum_lean(s + 3)))                          \
    X(level,   NUM_LEVEL_SUMS, num_pair_level(g, pbf_pair_slope(g), own->lean, own->lean_yz, num_gather4(v->lean, j), num_gather1(v->lean_yz, j), s), \
                                 pbf_level_from(v, i, num_sum_v3(s)))
// clang-format on

#endif
