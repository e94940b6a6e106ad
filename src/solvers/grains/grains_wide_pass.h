// SPDX-License-Identifier: MIT
// The contacts of sixteen grains, one of each at a time: the law of grains_pass.h without branches. Lanes that do not
// touch have no force and forget their springs. On `wide` alone: the including file says what one is, sixteen floats
// (math/wide.h) or that of a thread (exec/lane_cuda.h).
#ifndef SHOAL_GRAINS_WIDE_PASS_H
#define SHOAL_GRAINS_WIDE_PASS_H

#include "solvers/grains/grains_pass.h"

#ifndef WIDE_FN // on the CPU: in one piece, but for the four kinds of loops
#define WIDE_FN static inline __attribute__((always_inline))
#define WIDE_FN_APART static __attribute__((noinline))
#else
#define WIDE_FN_APART WIDE_FN
#endif

typedef struct wide3 {
    wide x, y, z;
} wide3;

WIDE_FN wide3 make3(wide x, wide y, wide z) {
    wide3 a;
    a.x = x, a.y = y, a.z = z;
    return a;
}
WIDE_FN wide3 sub3(wide3 a, wide3 b) { return make3(wide_sub(a.x, b.x), wide_sub(a.y, b.y), wide_sub(a.z, b.z)); }
WIDE_FN wide3 add3(wide3 a, wide3 b) { return make3(wide_add(a.x, b.x), wide_add(a.y, b.y), wide_add(a.z, b.z)); }
WIDE_FN wide3 scale3(wide3 a, wide s) { return make3(wide_mul(a.x, s), wide_mul(a.y, s), wide_mul(a.z, s)); }
WIDE_FN wide  dot3(wide3 a, wide3 b) {
     return wide_add(wide_add(wide_mul(a.x, b.x), wide_mul(a.y, b.y)), wide_mul(a.z, b.z));
}
WIDE_FN wide3 cross3(wide3 a, wide3 b) {
    return make3(wide_sub(wide_mul(a.y, b.z), wide_mul(a.z, b.y)), wide_sub(wide_mul(a.z, b.x), wide_mul(a.x, b.z)),
                 wide_sub(wide_mul(a.x, b.y), wide_mul(a.y, b.x)));
}

// 1/sqrt to the last bits: overlaps are differences of distances.
WIDE_FN wide rsqrt_fine(wide a) {
    wide y = wide_rsqrt(a);
    wide e = wide_mul(wide_mul(wide_mul(a, wide_set(0.5f)), y), y);
    return wide_mul(y, wide_sub(wide_set(1.5f), e));
}

// Sixteen grains: a team, or one row of their partners.
typedef struct many {
    wide3 x, fine, u, w;
    wide  radius, friction, root, light; // root of the mass, 1 over it
} many;

// What wetness does, of each grain.
typedef struct moist {
    wide wetness, holds, firm;
} moist;

// Of each contact: its normal, velocities, and what scales its forces.
typedef struct contact {
    wide3 normal, slip, away; // slip: of the surfaces; away: of the centres
    wide  over, touching, root, reach;
} contact;

WIDE_FN wide none_(void) { return wide_set(0.0f); }

WIDE_FN void find_places(const grains_view* v, const int* i, many* g) {
    wide_gather4(v->place, i, &g->x.x, &g->x.y, &g->x.z, &g->radius);
    wide_gather4(v->fine, i, &g->fine.x, &g->fine.y, &g->fine.z, &g->friction);
}

WIDE_FN void find_speeds(const grains_view* v, const int* i, many* g) {
    wide_gather4(v->speed, i, &g->u.x, &g->u.y, &g->u.z, &g->root);
    wide_gather4(v->spin, i, &g->w.x, &g->w.y, &g->w.z, &g->light);
}

WIDE_FN moist find_wetness(const grains_view* v, const int* i) {
    moist m;
    wide  none;
    wide_gather4(v->wet, i, &m.wetness, &m.holds, &m.firm, &none);
    return m;
}

// Where: normals and overlaps.
WIDE_FN void find_contact(const many* g, const many* h, contact* c) {
    wide3 d  = add3(sub3(g->x, h->x), sub3(g->fine, h->fine));
    wide  r2 = dot3(d, d), inverse = rsqrt_fine(r2), radii = wide_add(g->radius, h->radius);
    c->normal   = scale3(d, inverse);
    c->over     = wide_sub(radii, wide_mul(r2, inverse));
    c->touching = wide_max(c->over, none_());
    c->reach    = wide_mul(radii, wide_set(0.25f));
}

// How fast.
WIDE_FN void meet(const many* g, const many* h, contact* c) {
    c->away    = sub3(g->u, h->u);
    wide3 turn = add3(scale3(g->w, g->radius), scale3(h->w, h->radius));
    c->slip    = sub3(c->away, cross3(turn, c->normal));
    c->root    = wide_rsqrt(wide_add(g->light, h->light));
}

// 1 where a value that is never negative is above 0, else 0.
WIDE_FN wide is_live(wide touching) {
    const wide one = wide_set(1.0f);
    return wide_sub(one, wide_max(wide_sub(one, wide_mul(touching, wide_set(1e20f))), none_()));
}

// grains_closing for 16 contacts.
WIDE_FN wide closing(const grains_view* v, wide overlap, wide fast) {
    wide fresh = is_live(wide_max(wide_sub(wide_mul(fast, wide_set(v->dt)), overlap), none_()));
    return wide_add(fast,
                    wide_mul(fresh, wide_sub(wide_mul(overlap, wide_set(v->rate)), wide_mul(fast, wide_set(0.5f)))));
}

WIDE_FN wide least(wide a, wide b) { return wide_sub(none_(), wide_max(wide_sub(none_(), a), wide_sub(none_(), b))); }

// What a contact was pressed to makes of its springs across.
typedef struct dented {
    wide stiffer,
        remaining; // stiffness at which they give back, over that at which they take, less 1; fraction of the springs
} dented;

// grains_hold, grains_hardening, grains_relax_spring and grains_spring_overlap for 16 contacts.
WIDE_FN wide spring_overlap(const grains_view* v, wide overlap, wide live, float* held, dented* across) {
    wide hold = wide_load(held), full = wide_set(v->full);
    hold = wide_add(hold, wide_mul(wide_max(wide_sub(overlap, hold), none_()), wide_set(v->sinks)));
    wide_store(held, wide_mul(hold, live));
    wide hardening    = least(wide_max(wide_sub(hold, wide_set(v->yield)), none_()), full);
    wide beyond       = wide_max(wide_sub(overlap, full), none_());
    across->stiffer   = wide_mul(is_live(hardening), wide_set(v->hard - 1.0f));
    across->remaining = wide_sub(wide_set(1.0f), wide_mul(is_live(beyond), wide_set(v->sinks)));
    wide taken        = wide_add(overlap, wide_mul(beyond, wide_set(v->hard - 1.0f)));
    wide given        = wide_mul(wide_sub(overlap, wide_mul(hardening, wide_set(v->dent))), wide_set(v->hard));
    return wide_max(least(taken, given), none_());
}

typedef struct bridges {
    wide pull, drag;
} bridges;

// grains_bridge_of for 16 pairs.
WIDE_FN bridges bridge(const grains_view* v, const contact* c, const moist* g, const moist* h) {
    wide    both = wide_mul(g->holds, h->holds), sum = wide_add(g->wetness, h->wetness);
    wide    weak = wide_mul(wide_max(wide_sub(wide_set(v->fluid), wide_mul(sum, wide_set(0.5f))), none_()), both);
    wide    gap  = wide_max(wide_sub(none_(), c->over), none_());
    wide    hold = wide_max(wide_sub(wide_set(1.0f), wide_mul(gap, wide_set(v->gap_inverse))), none_());
    wide    live = wide_mul(is_live(wide_max(dot3(c->away, c->normal), none_())), is_live(hold));
    bridges b;
    b.pull = wide_mul(wide_mul(weak, hold), wide_set(v->pull));
    b.drag = wide_mul(wide_mul(weak, wide_set(v->bridge)), live);
    return b;
}

// grains_damping_limit for 16 pairs.
WIDE_FN wide damping_limit(const grains_view* v, wide all) {
    const wide one  = wide_set(1.0f);
    wide       root = wide_rsqrt(all);
    return wide_sub(one, wide_max(wide_sub(one, wide_mul(wide_mul(root, root), wide_set(v->damping_most))), none_()));
}

// grains_tangential for 16 contacts.
WIDE_FN wide3 tangential(const grains_view* v, const contact* c, wide live, wide3 u, wide cap, const dented* across,
                         float* spring) {
    const wide one = wide_set(1.0f);
    wide3      n   = c->normal;
    wide3      s   = {wide_load(spring), wide_load(spring + SHOAL_LANES), wide_load(spring + 2 * SHOAL_LANES)};
    wide       dt  = wide_set(v->dt);
    if (v->dents) {
        wide back = is_live(wide_max(wide_sub(none_(), dot3(s, u)), none_()));
        dt        = wide_mul(wide_add(one, wide_mul(across->stiffer, back)), dt);
        s         = scale3(s, across->remaining);
    }
    s          = add3(s, scale3(u, dt));
    s          = sub3(s, scale3(n, dot3(s, n)));
    wide3 f    = sub3(scale3(s, wide_set(-v->kt)), scale3(u, wide_mul(c->root, wide_set(v->damping_t))));
    wide  q    = wide_mul(cap, wide_rsqrt(wide_add(dot3(f, f), wide_set(1e-30f))));
    wide  rest = wide_max(wide_sub(one, q), none_());
    s          = add3(s, scale3(f, wide_mul(rest, wide_set(v->kt_inverse))));
    wide_store(spring, wide_mul(s.x, live));
    wide_store(spring + SHOAL_LANES, wide_mul(s.y, live));
    wide_store(spring + 2 * SHOAL_LANES, wide_mul(s.z, live));
    return scale3(f, wide_sub(one, rest));
}

// Force and torque on each of the team.
typedef struct loads {
    wide3 force, torque;
} loads;

// One row of contacts, of which some touch.
WIDE_FN void touch(const grains_view* v, const many* g, const moist* damp, const int* j, size_t slot, bool rolls,
                   bool wets, bool pulls, many* h, contact* c, loads* sum) {
    find_speeds(v, j, h);
    meet(g, h, c);
    wide live = is_live(c->touching), un = dot3(c->slip, c->normal), damper = wide_mul(c->root, wide_set(v->damping)),
         firm = none_();
    if (wets) {
        moist   other = find_wetness(v, j);
        wide    thick = wide_add(wide_set(1.0f), wide_add(damp->wetness, other.wetness));
        bridges b     = {none_(), none_()};
        if (pulls) b = bridge(v, c, damp, &other);
        wide damped = wide_mul(damper, damping_limit(v, wide_add(thick, wide_mul(b.drag, wide_set(2.0f)))));
        damper      = wide_mul(damped, thick);
        firm        = wide_mul(damp->firm, other.firm);
        if (pulls)
            sum->force = sub3(sum->force, add3(scale3(c->normal, b.pull), scale3(c->away, wide_mul(damped, b.drag))));
    }
    dented across = {none_(), none_()}; // counts where contacts dent
    wide   deep   = v->dents ? spring_overlap(v, c->touching, live, v->lists.held + slot, &across) : c->touching;
    wide   normal_force =
        wide_add(wide_mul(deep, wide_set(v->k)), wide_mul(damper, closing(v, c->touching, wide_sub(none_(), un))));
    normal_force = wide_mul(wide_max(normal_force, none_()), live);
    wide  cap    = wide_mul(wide_add(g->friction, h->friction), normal_force);
    wide3 ut     = sub3(c->slip, scale3(c->normal, un)),
          f      = tangential(v, c, live, ut, cap, &across, v->lists.slide + 3 * slot);
    sum->force   = add3(sum->force, add3(f, scale3(c->normal, normal_force)));
    sum->torque  = add3(sum->torque, scale3(cross3(f, c->normal), g->radius));
    if (!rolls) return;
    wide most = wide_mul(normal_force, wide_set(v->rolling));
    if (wets) most = wide_mul(most, firm);
    wide3 rolling = scale3(cross3(sub3(g->w, h->w), c->normal), c->reach);
    wide3 r       = tangential(v, c, live, rolling, most, &across, v->lists.roll + 3 * slot);
    sum->torque   = add3(sum->torque, scale3(cross3(c->normal, r), c->reach));
}

// How far those around may go before one of these can touch or be bridged: both may come closer, and a tenth is for
// rounding.
WIDE_FN float rest_of(const grains_view* v, wide over, float gap) {
    const float most = 16.0f;
    float       far  = 0.0f;
    for (float next = 1.0f; next <= most && !wide_less(wide_set(-gap - next * v->sleep), over); next *= 2.0f)
        far = next;
    return 0.45f * far * v->sleep;
}

// The springs of a row are asked for two rows ahead, those of the first two with the team before: they lie in runs of a
// few rows, of those that touch, between those that are far, too short for the processor to foresee, and are out of its
// caches since the last substep. One row ahead brought a third of it.
WIDE_FN void foresee(const grains_view* v, size_t row) {
#if !defined(__CUDACC__)
    enum { LINE = 16 }; // floats in a line of the cache
    const float *slide = v->lists.slide + 3 * SHOAL_LANES * row, *roll = v->lists.roll + 3 * SHOAL_LANES * row;
    for (size_t k = 0; k < 3 * SHOAL_LANES; k += LINE) {
        __builtin_prefetch(slide + k, 1);
        __builtin_prefetch(roll + k, 1);
    }
#else
    (void)v, (void)row;
#endif
}

// grains_waken, by lanes.
WIDE_FN void waken(const grains_lists* l, size_t row) {
    l->wake[row] = -1.0f;
    for (size_t k = 3 * row; k < 3 * (row + 1); k++) {
        wide_store(l->slide + SHOAL_LANES * k, none_());
        wide_store(l->roll + SHOAL_LANES * k, none_());
    }
    wide_store(l->held + SHOAL_LANES * row, none_());
}

WIDE_FN loads team_loads(const grains_view* v, int team, const many* g, const moist* damp, bool rolls, bool wets,
                         bool pulls) {
    many  h;
    loads sum = {{none_(), none_(), none_()}, {none_(), none_(), none_()}};
    float gap = pulls ? v->gap : 0.0f, path = v->lists.path[team / (GRAINS_BLOCK / SHOAL_LANES)];
    wide  margin = wide_set(-gap);
    for (size_t row = v->lists.row[team]; row < v->lists.row[team + 1]; row++) {
        size_t     slot = row * SHOAL_LANES;
        const int* j    = v->lists.index + slot;
        float      wake = v->lists.wake[row];
        contact    c;
        if (wake > path) continue;
        foresee(v, row + 2);
        find_places(v, j, &h);
        find_contact(g, &h, &c);
        if (wide_less(margin, c.over)) {
            if (!(wake < 0.0f)) waken(&v->lists, row);
            touch(v, g, damp, j, slot, rolls, wets, pulls, &h, &c, &sum);
        } else
            v->lists.wake[row] = path + rest_of(v, c.over, gap);
    }
    return sum;
}

WIDE_FN_APART loads dry(const grains_view* v, int team, const many* g) {
    return team_loads(v, team, g, NULL, false, false, false);
}
WIDE_FN_APART loads dry_rolling(const grains_view* v, int team, const many* g) {
    return team_loads(v, team, g, NULL, true, false, false);
}
WIDE_FN_APART loads moistened(const grains_view* v, int team, const many* g, const moist* damp) {
    return team_loads(v, team, g, damp, true, true, false);
}
WIDE_FN_APART loads bridged(const grains_view* v, int team, const many* g, const moist* damp) {
    return team_loads(v, team, g, damp, true, true, true);
}

// A bridge needs water on both sides: a team of dry grains has none, whatever is near.
WIDE_FN loads loads_of(const grains_view* v, int team, const many* g) {
    if (v->lists.damp[team] == GRAINS_ALL_DRY) return v->rolling > 0.0f ? dry_rolling(v, team, g) : dry(v, team, g);
    moist damp = find_wetness(v, v->lists.member + team * SHOAL_LANES);
    return v->lists.damp[team] == GRAINS_DAMP ? bridged(v, team, g, &damp) : moistened(v, team, g, &damp);
}

// grains_move for a whole team, solids done; returns the squares of their speeds.
WIDE_FN wide move(const grains_view* v, const int* member, const many* g, const loads* all) {
    const wide dt       = wide_set(v->dt);
    wide       per_mass = wide_mul(g->light, dt), shorter = rsqrt_fine(wide_mul(g->radius, g->radius));
    wide  per_inertia = wide_mul(wide_mul(wide_mul(shorter, shorter), per_mass), wide_set(v->rotates ? 2.5f : 0.0f));
    wide3 fall = {wide_set(v->gravity.x * v->dt), wide_set(v->gravity.y * v->dt), wide_set(v->gravity.z * v->dt)};
    wide3 u = add3(g->u, add3(scale3(all->force, per_mass), fall)), w = add3(g->w, scale3(all->torque, per_inertia));
    wide3 fine = add3(g->fine, scale3(u, dt)), to = add3(g->x, fine);
    fine = sub3(fine, sub3(to, g->x));
    wide_scatter4(v->place_next, member, to.x, to.y, to.z, g->radius);
    wide_scatter4(v->fine_next, member, fine.x, fine.y, fine.z, g->friction);
    wide_scatter4(v->speed_next, member, u.x, u.y, u.z, g->root);
    wide_scatter4(v->spin_next, member, w.x, w.y, w.z, g->light);
    return dot3(u, u);
}

#endif
