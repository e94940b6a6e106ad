// SPDX-License-Identifier: MIT
// Viscosity of thick liquids, implicit: u = u* + dt nu L u (backward Euler), by conjugate gradients
// without a matrix, as in Weiler, Koschier, Brand & Bender 2018. L is the sum over neighbours of
// the viscosity kernel (h - r), exact for layers that slide on the lattice, and over solids that stick. Any step is
// stable; what explicit drag may take, half of a difference in a substep, is no bound here.
//
// Pairs pull along the line between them, by what their velocities differ along it: the divergence of the strain rate,
// and a bulk viscosity of 5/3 in addition. A rigid turn is none to it, and spin is kept; pairs that pull along their
// difference make the laplacian alone, the same inside, but at a free surface they hold a turn (a ball of honey 15
// spacings across had 0.37 of its spin after 33 ms).
//
// Expansion is held by a bulk viscosity: dt zeta/rho grad(div u) in addition. Pressure only pushes, and what is drawn
// out, as a stream that falls, keeps its volume only if it closes in across its way. Thin liquids go on with what
// closes them in; in thick ones viscosity takes that at once, and nothing would give it again. A free surface adds
// nothing to a divergence made of differences; a rigid turn has none, and pairs pull along the line between them:
// momentum and spin are kept. Compression is free, and left to pressure: else what meets would stay apart.
#ifndef SHOAL_THICK_H
#define SHOAL_THICK_H

#include "exec/pass.h"
#include "fluid/halo.h"
#include "fluid/pairs.h"
#include "grid/near.h"

// Of a liquid, by material.
typedef struct shoal_thickness {
    float fraction; // dt nu times the laplacian's scale: what goes of a velocity difference per (h - r)
    float mass;     // of a particle, over that of the first liquid
} shoal_thickness;

typedef struct shoal_thick_problem {
    int                    count; // images across periodic walls follow, then "nobody"
    shoal_near             near;
    const shoal_halo*      halo;
    const shoal_v4*        place;
    bool                   is_sized; // volumes, over that of a lattice, stand beside the places; else all are equal
    float                  h;
    float                  laplacian; // its scale of (h - r), 1/m^3
    float                  along;     // shoal_lattice_along
    const uint8_t*         material;
    const shoal_thickness* liquids;
    const float*           hold;   // of solids that stick: their sum of h - r
    const shoal_v4*        stream; // and their velocity
    shoal_v4*              motion; // the velocities; companions stay
} shoal_thick_problem;

// Room for the solve, kept from step to step. `hold` and `stream` are for solvers that have no such
// fields.
typedef struct shoal_thick {
    shoal_device* device; // where it lies; NULL: here
    int           capacity;
    shoal_v4 *    way, *left, *drawn, *stream; // direction, residual, and the operator on a direction
    float *       hold, *suction;
    uint8_t*      expands; // 1: before the solve
    int           sweeps;  // of the last solve
} shoal_thick;

// Whether explicit drag would take more than a 64th of a difference in a substep: then it is solved for, and what
// expands is held. `most` is the fraction at which it would take a half. (With an eighth a stream of syrup under pbf
// was 1.19 to 1.42 times as wide as its section Q/v at 2.8 to 3.5 mm, and 1.03 with this.)
static inline bool shoal_is_thick(double fraction, double most) { return fraction > most / 32.0; }

// zeta over the viscosity. A stream misses 1/(2 zeta/mu + 1) of what should close it in, and four times that where half
// of the neighbours are missing; larger ones take more sweeps.
#define SHOAL_THICK_BULK 20.0f

// One step of the solve, as passes see it.
typedef struct shoal_thick_view {
    shoal_thick         thick;
    shoal_thick_problem problem;
    const shoal_v4*     on;       // what the operator acts on
    float               length;   // of the step along a direction
    bool                is_first; // it acts on the velocities of before
} shoal_thick_view;

SHOAL_FN shoal_v4 shoal_thick_plus(shoal_v4 a, shoal_v4 b, float f) {
    return shoal_v4_make(a.x + f * b.x, a.y + f * b.y, a.z + f * b.z, a.w);
}

// What a pair has of its own drag: the harmonic mean of the viscosities, so that both feel the same
// force
SHOAL_FN float shoal_thick_fraction(shoal_thickness i, shoal_thickness j) {
    float own = i.fraction * i.mass, other = j.fraction * j.mass;
    return own > 0.0f ? 2.0f * i.fraction * other / (own + other) : 0.0f;
}

// Its volume over that of a lattice.
SHOAL_FN float shoal_thick_size(const shoal_thick_problem* p, int i) { return p->is_sized ? p->place[i].w : 1.0f; }

// suction_i = mass dt zeta/rho G div u, where div u = G sum_j volume_j (h - r) x_ij . (u_i - u_j) and G is half of the
// laplacian's scale. Far pairs count as much as near ones: with the slope of a kernel, which is steeper where they are
// near, what is pulled gathers in clumps with voids between them.
SHOAL_FN void shoal_thick_part(const shoal_thick_view* v, int i) {
    const shoal_thick_problem* p   = &v->problem;
    shoal_thickness            own = p->liquids[p->material[i]];
    shoal_v4                   u   = v->on[i];
    float                      sum = 0.0f;
    SHOAL_FOR_NEAR(p->near, i, j) {
        float    r;
        shoal_v3 d = shoal_pair_displacement(p->place, i, j, p->h, &r);
        if (r >= p->h) continue;
        shoal_v4 other = v->on[j];
        float    f     = shoal_thick_size(p, j) * (p->h - r);
        sum += f * (d.x * (u.x - other.x) + d.y * (u.y - other.y) + d.z * (u.z - other.z));
    }
    if (v->is_first) v->thick.expands[i] = sum > 0.0f;
    v->thick.suction[i] =
        v->thick.expands[i] ? 0.25f * SHOAL_THICK_BULK * own.mass * own.fraction * p->laplacian * sum : 0.0f;
}

// drawn_i = u_i + fraction hold_i u_i + sum_j volume_j (h - r) x_ij (along fraction x_ij . (u_i - u_j) / r^2
//                                                                 + (suction_i + suction_j)/mass)
SHOAL_FN void shoal_thick_draw(const shoal_thick_view* v, int i) {
    const shoal_thick_problem* p    = &v->problem;
    shoal_thickness            own  = p->liquids[p->material[i]];
    shoal_v4                   u    = v->on[i];
    shoal_v3                   sum  = shoal_v3_make(0.0f, 0.0f, 0.0f);
    float                      hold = 1.0f + own.fraction * p->hold[i], least = 1e-6f * p->h * p->h;
    SHOAL_FOR_NEAR(p->near, i, j) {
        float    r;
        shoal_v3 d = shoal_pair_displacement(p->place, i, j, p->h, &r);
        if (r >= p->h) continue;
        shoal_v4 other = v->on[j];
        float    apart = d.x * (u.x - other.x) + d.y * (u.y - other.y) + d.z * (u.z - other.z);
        float    drag  = p->along * shoal_thick_fraction(own, p->liquids[p->material[j]]) * apart / fmaxf(r * r, least);
        float    pull  = (v->thick.suction[i] + v->thick.suction[j]) / own.mass;
        sum            = shoal_v3_add_scaled(sum, d, shoal_thick_size(p, j) * (p->h - r) * (drag + pull));
    }
    v->thick.drawn[i] = shoal_v4_make(hold * u.x + sum.x, hold * u.y + sum.y, hold * u.z + sum.z, 0.0f);
}

// left = u* + fraction hold stream - drawn; the first direction
SHOAL_FN void shoal_thick_begin(const shoal_thick_view* v, int i) {
    const shoal_thick_problem* p = &v->problem;
    shoal_v4 b         = shoal_thick_plus(p->motion[i], p->stream[i], p->liquids[p->material[i]].fraction * p->hold[i]);
    v->thick.left[i]   = shoal_thick_plus(b, v->thick.drawn[i], -1.0f);
    v->thick.left[i].w = 0.0f;
    v->thick.way[i]    = v->thick.left[i];
}

SHOAL_FN void shoal_thick_advance(const shoal_thick_view* v, int i) {
    v->problem.motion[i] = shoal_thick_plus(v->problem.motion[i], v->thick.way[i], v->length);
    v->thick.left[i]     = shoal_thick_plus(v->thick.left[i], v->thick.drawn[i], -v->length);
}

SHOAL_FN void shoal_thick_turn(const shoal_thick_view* v, int i) {
    v->thick.way[i] = shoal_thick_plus(v->thick.left[i], v->thick.way[i], v->length);
}

SHOAL_FN double shoal_thick_dot(const shoal_thick_view* v, int i, shoal_v4 a, shoal_v4 b) {
    double mass = (double)v->problem.liquids[v->problem.material[i]].mass * (double)shoal_thick_size(&v->problem, i);
    return mass * ((double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z);
}
SHOAL_FN double shoal_thick_left(const shoal_thick_view* v, int i) {
    return shoal_thick_dot(v, i, v->thick.left[i], v->thick.left[i]);
}
SHOAL_FN double shoal_thick_curved(const shoal_thick_view* v, int i) {
    return shoal_thick_dot(v, i, v->thick.way[i], v->thick.drawn[i]);
}

// clang-format off
#define SHOAL_THICK_PASSES(X) X(part) X(draw) X(begin) X(advance) X(turn)
#define SHOAL_THICK_SUMS(X) X(left) X(curved)
// clang-format on
#define X(name) SHOAL_THICK_##name,
enum { SHOAL_THICK_PASSES(X) SHOAL_THICK_PASS_COUNT };
enum { SHOAL_THICK_SUMS(X) SHOAL_THICK_SUM_COUNT };
#undef X
extern const shoal_passes shoal_thick_passes;

shoal_status shoal_thick_reserve(shoal_thick* thick, shoal_device* device, int count);
void         shoal_thick_solve(shoal_thick* thick, const shoal_exec* exec, const shoal_thick_problem* problem);
void         shoal_thick_free(shoal_thick* thick);

#endif
