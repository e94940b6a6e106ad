// SPDX-License-Identifier: MIT
// The contacts of a grain, sixteen at a time: the law of grains_pass.h without branches. Lanes that do not touch have no
// force and forget their springs.
#include "math/wide.h"
#include "solvers/grains/grains_local.h"

typedef struct wide3 {
    wide x, y, z;
} wide3;

static inline wide3 sub3(wide3 a, wide3 b) {
    return (wide3){wide_sub(a.x, b.x), wide_sub(a.y, b.y), wide_sub(a.z, b.z)};
}
static inline wide3 add3(wide3 a, wide3 b) {
    return (wide3){wide_add(a.x, b.x), wide_add(a.y, b.y), wide_add(a.z, b.z)};
}
static inline wide3 scale3(wide3 a, wide s) { return (wide3){wide_mul(a.x, s), wide_mul(a.y, s), wide_mul(a.z, s)}; }
static inline wide  dot3(wide3 a, wide3 b) {
    return wide_add(wide_add(wide_mul(a.x, b.x), wide_mul(a.y, b.y)), wide_mul(a.z, b.z));
}
static inline wide3 cross3(wide3 a, wide3 b) {
    return (wide3){wide_sub(wide_mul(a.y, b.z), wide_mul(a.z, b.y)), wide_sub(wide_mul(a.z, b.x), wide_mul(a.x, b.z)),
                   wide_sub(wide_mul(a.x, b.y), wide_mul(a.y, b.x))};
}

// 1/sqrt to the last bits: overlaps are differences of distances.
static inline wide rsqrt_fine(wide a) {
    wide y = wide_rsqrt(a);
    wide e = wide_mul(wide_mul(wide_mul(a, wide_set(0.5f)), y), y);
    return wide_mul(y, wide_sub(wide_set(1.5f), e));
}

// A few groups at a time go through each stage before the next: within one group every operation waits for the one before.
enum { BATCH = 8 };

// Of each contact: its normal, tangential velocities, and what scales its forces; `radius` of the owner, `reach` of rolling.
typedef struct batch {
    wide3 normal[BATCH], slip[BATCH], roll[BATCH], bond[BATCH]; // bond: force of the bridge
    wide  over[BATCH], touching[BATCH], press[BATCH], root[BATCH], friction[BATCH], radius[BATCH], other[BATCH], reach[BATCH], firm[BATCH];
} batch;

// Where: normals and overlaps.
static inline void look(const grains_view* v, batch* b, int k, size_t slot) {
    const int *i = v->lists.owner + slot, *j = v->lists.index + slot;
    wide3      x, lo, y, mo;
    wide       ri, rj, fi, fj;
    wide_gather4(v->place, i, &x.x, &x.y, &x.z, &ri);
    wide_gather4(v->fine, i, &lo.x, &lo.y, &lo.z, &fi);
    wide_gather4(v->place, j, &y.x, &y.y, &y.z, &rj);
    wide_gather4(v->fine, j, &mo.x, &mo.y, &mo.z, &fj);
    wide3 d        = add3(sub3(x, y), sub3(lo, mo));
    wide  r2       = dot3(d, d), inverse = rsqrt_fine(r2), radii = wide_add(ri, rj);
    b->normal[k]   = scale3(d, inverse);
    b->over[k]     = wide_sub(radii, wide_mul(r2, inverse));
    b->touching[k] = wide_max(b->over[k], wide_set(0.0f));
    b->friction[k] = wide_add(fi, fj);
    b->radius[k]   = ri;
    b->other[k]    = rj;
    b->reach[k]    = wide_mul(radii, wide_set(0.25f));
}

// 1 where a value that is never negative is above 0, else 0.
static inline wide is_live(wide touching) {
    const wide one = wide_set(1.0f);
    return wide_sub(one, wide_max(wide_sub(one, wide_mul(touching, wide_set(1e20f))), wide_set(0.0f)));
}

// grains_bridge for 16 pairs; also how much wetness thickens their damping.
static inline wide bond(const grains_view* v, batch* b, int k, size_t slot, wide3 away, wide root) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f);
    wide       wi, wj, yi, yj, zi, zj, none;
    wide_gather4(v->wet, v->lists.owner + slot, &wi, &yi, &zi, &none);
    wide_gather4(v->wet, v->lists.index + slot, &wj, &yj, &zj, &none);
    b->firm[k] = wide_mul(zi, zj);
    wide both = wide_mul(yi, yj), sum = wide_add(wi, wj);
    wide weak = wide_mul(wide_max(wide_sub(wide_set(v->fluid), wide_mul(sum, wide_set(0.5f))), zero), both);
    wide gap  = wide_max(wide_sub(zero, b->over[k]), zero);
    wide hold = wide_max(wide_sub(one, wide_mul(gap, wide_set(v->gap_inverse))), zero);
    wide pull = wide_mul(wide_mul(weak, hold), wide_set(-v->pull));
    wide drag = wide_mul(wide_mul(root, wide_set(-v->bridge * v->damping)), weak);
    drag      = wide_mul(drag, wide_mul(is_live(wide_max(dot3(away, b->normal[k]), zero)), is_live(hold)));
    b->bond[k] = add3(scale3(b->normal[k], pull), scale3(away, drag));
    return wide_add(one, sum);
}

// How fast: relative velocities, and the normal force.
static inline void meet(const grains_view* v, batch* b, int k, size_t slot, bool rolls, bool wets) {
    const int *i = v->lists.owner + slot, *j = v->lists.index + slot;
    wide3      ui, uj, wi, wj, n = b->normal[k];
    wide       si, sj, none;
    wide_gather4(v->speed, i, &ui.x, &ui.y, &ui.z, &si);
    wide_gather4(v->speed, j, &uj.x, &uj.y, &uj.z, &sj);
    wide_gather4(v->spin, i, &wi.x, &wi.y, &wi.z, &none);
    wide_gather4(v->spin, j, &wj.x, &wj.y, &wj.z, &none);
    wide3 away = sub3(ui, uj), slip = sub3(away, cross3(add3(scale3(wi, b->radius[k]), scale3(wj, b->other[k])), n));
    wide  mass = wide_add(wide_mul(si, si), wide_mul(sj, sj));
    wide  root = wide_mul(wide_mul(si, sj), wide_rsqrt(mass));

    wide un     = dot3(slip, n), touching = b->touching[k];
    wide damper = wide_mul(root, wide_set(v->damping));
    if (wets) damper = wide_mul(damper, bond(v, b, k, slot, away, root));
    wide press  = wide_sub(wide_mul(touching, wide_set(v->k)), wide_mul(damper, un));
    b->press[k] = wide_mul(wide_max(press, wide_set(0.0f)), is_live(touching));
    b->slip[k]  = sub3(slip, scale3(n, un));
    b->root[k]  = root;
    if (rolls) b->roll[k] = scale3(cross3(sub3(wi, wj), n), b->reach[k]);
}

// grains_rub for 16 contacts.
static inline wide3 rub(const grains_view* v, const batch* b, int k, wide3 u, wide cap, float* spring) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f), live = is_live(b->touching[k]);
    wide3      n = b->normal[k];
    wide3      s = {wide_load(spring), wide_load(spring + SHOAL_LANES), wide_load(spring + 2 * SHOAL_LANES)};
    s          = add3(s, scale3(u, wide_set(v->dt)));
    s          = sub3(s, scale3(n, dot3(s, n)));
    wide3 f    = sub3(scale3(s, wide_set(-v->kt)), scale3(u, wide_mul(b->root[k], wide_set(v->damping_t))));
    wide  q    = wide_mul(cap, wide_rsqrt(wide_add(dot3(f, f), wide_set(1e-30f))));
    wide  rest = wide_max(wide_sub(one, q), zero);
    s          = add3(s, scale3(f, wide_mul(rest, wide_set(v->kt_inverse))));
    wide_store(spring, wide_mul(s.x, live));
    wide_store(spring + SHOAL_LANES, wide_mul(s.y, live));
    wide_store(spring + 2 * SHOAL_LANES, wide_mul(s.z, live));
    return scale3(f, wide_sub(one, rest));
}

// How hard: forces and torques, into rows of SLOTS floats each.
enum { ROWS = 6 };
static inline void answer(const grains_view* v, batch* b, int k, size_t slot, bool rolls, bool wets, float* out, size_t row) {
    wide  press  = b->press[k];
    wide3 n      = b->normal[k], f = rub(v, b, k, b->slip[k], wide_mul(b->friction[k], press), v->lists.slide + 3 * slot);
    wide3 torque = scale3(cross3(f, n), b->radius[k]);
    wide3 force  = add3(f, scale3(n, press));
    if (wets) force = add3(force, b->bond[k]);
    wide_store(out, force.x);
    wide_store(out + row, force.y);
    wide_store(out + 2 * row, force.z);
    if (rolls) {
        wide cap = wide_mul(press, wide_set(v->rolling));
        if (wets) cap = wide_mul(cap, b->firm[k]);
        wide3 r = rub(v, b, k, b->roll[k], cap, v->lists.roll + 3 * slot);
        torque  = add3(torque, scale3(cross3(n, r), b->reach[k]));
    }
    wide_store(out + 3 * row, torque.x);
    wide_store(out + 4 * row, torque.y);
    wide_store(out + 5 * row, torque.z);
}

static inline void stages(const grains_view* v, size_t slot, int count, bool rolls, bool wets, float* out, size_t row) {
    batch b;
    for (int k = 0; k < count; k++) look(v, &b, k, slot + SHOAL_LANES * (size_t)k);
    for (int k = 0; k < count; k++) meet(v, &b, k, slot + SHOAL_LANES * (size_t)k, rolls, wets);
    for (int k = 0; k < count; k++) answer(v, &b, k, slot + SHOAL_LANES * (size_t)k, rolls, wets, out + SHOAL_LANES * k, row);
}

static void dry(const grains_view* v, size_t slot, int count, float* out, size_t row) {
    stages(v, slot, count, false, false, out, row);
}
static void dry_rolling(const grains_view* v, size_t slot, int count, float* out, size_t row) {
    stages(v, slot, count, true, false, out, row);
}
static void wet(const grains_view* v, size_t slot, int count, float* out, size_t row) {
    stages(v, slot, count, true, true, out, row);
}

// The forces of as many slots as lie on the stack at a time; a grain's own may go over from one load to the next.
enum { SLOTS = 64 * SHOAL_LANES };

void SHOAL_WIDE_NAME(grains_loop)(const grains_view* v, int begin, int end) {
    int     block   = begin / GRAINS_BLOCK, i = begin;
    double* push    = v->block_push + (size_t)block * 3 * (size_t)v->world->collider_count;
    float   fastest = 0.0f, odd = 0.0f, rows[ROWS][SLOTS], sum[ROWS] = {0};
    size_t  last    = (size_t)v->lists.first[end - 1] + v->lists.count[end - 1], slot = v->lists.first[begin], done = slot;
    while (i < end) {
        int filled = 0;
        for (; filled < SLOTS && done < last; filled += BATCH * SHOAL_LANES, done += BATCH * SHOAL_LANES) {
            size_t left   = (last - done + SHOAL_LANES - 1) / SHOAL_LANES;
            int    groups = left < BATCH ? (int)left : BATCH;
            if (v->is_wet) wet(v, done, groups, rows[0] + filled, SLOTS);
            else if (v->rolling > 0.0f) dry_rolling(v, done, groups, rows[0] + filled, SLOTS);
            else dry(v, done, groups, rows[0] + filled, SLOTS);
        }
        size_t from = done - (size_t)filled;
        while (i < end) {
            size_t stop = (size_t)v->lists.first[i] + v->lists.count[i], here = stop < done ? stop : done;
            for (; slot < here; slot++)
                for (int k = 0; k < ROWS; k++) sum[k] += rows[k][slot - from];
            if (slot < stop) break;
            grains_load load = {{sum[0], sum[1], sum[2]}, {sum[3], sum[4], sum[5]}};
            grains_note(&fastest, &odd, grains_move(v, i++, load, push));
            for (int k = 0; k < ROWS; k++) sum[k] = 0.0f;
        }
    }
    v->block_speed2[block] = (double)(fastest + odd);
}
