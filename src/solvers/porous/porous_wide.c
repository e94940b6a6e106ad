// SPDX-License-Identifier: MIT
// The passes of sand and water that walk over neighbours, sixteen at a time; the plain ones are their oracle. Compiled
// once per instruction set; all give the same bits (see math/wide.h).
//
// Slopes are kept for the sweeps. Of sand f = steep/r alone, in 16 bits, beside the places: all passes see the same f,
// so that M, D and the force of q stay made for each other, and a rigid turning is without a strain whatever f is
// rounded to. Of water the whole vector, as SPH keeps it, and of guests, those of the other set, in float and with the
// volume of the guest.
#include "math/wide.h"

#include "solvers/porous/porous_local.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LIST(near, i) ((near).index + (size_t)SHOAL_LANES * (near).start[i])
#define PAIRS(w, i) ((w)->pairs + (size_t)3 * SHOAL_LANES * (w)->near.start[i]) // of water
#define SLOPES(w, i) ((w)->pairs + (size_t)SHOAL_LANES * (w)->near.start[i])    // of sand: f alone
#define GUEST_SLOPES(guests, i) ((guests)->slopes + (size_t)3 * SHOAL_LANES * (guests)->near.start[i])

typedef struct here {
    wide x, y, z, h, half, zero, four;
} here;

// x_ij, the volume of j over V, t = h - r and u = h/2 - r, not below zero.
typedef struct group {
    wide dx, dy, dz, volume, r2, inverse, t, u;
} group;

typedef struct vectors {
    wide x, y, z;
} vectors;

ALWAYS_INLINE here stand(const shoal_water_view* w, int i) {
    shoal_v4 x = w->place[i];
    return (here){wide_set(x.x),         wide_set(x.y),  wide_set(x.z), wide_set(w->h),
                  wide_set(0.5f * w->h), wide_set(0.0f), wide_set(4.0f)};
}

ALWAYS_INLINE group gather_group(const shoal_v4* place, const int* index, const here* at) {
    group g;
    wide  jx, jy, jz;
    wide_gather4(place, index, &jx, &jy, &jz, &g.volume);
    g.dx      = wide_sub(at->x, jx);
    g.dy      = wide_sub(at->y, jy);
    g.dz      = wide_sub(at->z, jz);
    g.r2      = wide_add(wide_add(wide_mul(g.dx, g.dx), wide_mul(g.dy, g.dy)), wide_mul(g.dz, g.dz));
    g.inverse = wide_rsqrt(g.r2);
    wide r    = wide_mul(g.r2, g.inverse);
    g.t       = wide_max(wide_sub(at->h, r), at->zero);
    g.u       = wide_max(wide_sub(at->half, r), at->zero);
    return g;
}

ALWAYS_INLINE wide bump(const group* g, const here* at) {
    wide outer = wide_mul(wide_mul(g->t, g->t), g->t), inner = wide_mul(wide_mul(g->u, g->u), g->u);
    return wide_sub(outer, wide_mul(at->four, inner));
}
ALWAYS_INLINE wide steep(const group* g, const here* at) {
    return wide_sub(wide_mul(g->t, g->t), wide_mul(at->four, wide_mul(g->u, g->u)));
}

// Two particles in one spot have no direction: the plain passes give them one.
ALWAYS_INLINE bool are_coincident(const shoal_water_view* w, wide r2) {
    return wide_less(r2, wide_set(1e-12f * w->h2)) != 0;
}

ALWAYS_INLINE void add(vectors* sum, wide f, wide x, wide y, wide z) {
    sum->x = wide_add(sum->x, wide_mul(f, x));
    sum->y = wide_add(sum->y, wide_mul(f, y));
    sum->z = wide_add(sum->z, wide_mul(f, z));
}

ALWAYS_INLINE wide dot(wide ax, wide ay, wide az, wide bx, wide by, wide bz) {
    return wide_add(wide_add(wide_mul(ax, bx), wide_mul(ay, by)), wide_mul(az, bz));
}

static inline shoal_v3 summed(vectors a, float scale) {
    shoal_v4 sum = wide_sum4(a.x, a.y, a.z, wide_set(0.0f));
    return shoal_v3_make(scale * sum.x, scale * sum.y, scale * sum.z);
}

// The inverse masses of a group, where liquids or sands differ.
ALWAYS_INLINE wide lights(const shoal_water_view* w, const int* list) {
    float light[SHOAL_LANES];
    for (int k = 0; k < SHOAL_LANES; k++) light[k] = w->liquids[w->material[list[k]]].light;
    return wide_load(light);
}

// ---------------------------------------------------------------------------------- guests

// porous_of_rock of a group.
ALWAYS_INLINE wide of_rock(const porous_guests* guests, const int* list, wide other, float rock) {
    if (!guests->are_rock) return other;
    return wide_add(other, wide_mul(wide_gather1(guests->rock, list), wide_sub(wide_set(rock), other)));
}

static void guests_count(const shoal_water_view* w, const porous_guests* guests, int i, porous_rock rock,
                         porous_sums* to) {
    const here at    = stand(w, i);
    const int* list  = LIST(guests->near, i);
    vectors    slope = {at.zero, at.zero, at.zero};
    wide       bumps = at.zero, slopes2 = at.zero, one = wide_set(1.0f);
    for (int k = 0; k < guests->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(guests->place, list + k, &at);
        wide  f = steep(&g, &at);
        bumps = wide_add(bumps, wide_mul(wide_mul(of_rock(guests, list + k, one, rock.gain), g.volume), bump(&g, &at)));
        g.volume = wide_mul(of_rock(guests, list + k, one, rock.slope), g.volume);
        slopes2 =
            wide_add(slopes2, wide_mul(wide_gather1(guests->light, list + k), wide_mul(g.volume, wide_mul(f, f))));
        add(&slope, wide_mul(g.volume, wide_mul(f, g.inverse)), g.dx, g.dy, g.dz);
    }
    to->bump += wide_sum(bumps);
    to->slopes2 += wide_sum(slopes2);
    to->slope = shoal_v3_add(to->slope, summed(slope, 1.0f));
}

// Keeps their slopes; whether one of them is in the same spot.
static bool guests_keep(const shoal_water_view* w, const porous_guests* guests, int i) {
    if (!guests->are_there || guests->near.count[i] == 0) return false;
    const here at            = stand(w, i);
    const int* list          = LIST(guests->near, i);
    float*     slopes        = GUEST_SLOPES(guests, i);
    bool       is_coincident = false;
    for (int k = 0; k < guests->near.count[i]; k += SHOAL_LANES, slopes += 3 * SHOAL_LANES) {
        group g       = gather_group(guests->place, list + k, &at);
        wide  f       = wide_mul(g.volume, wide_mul(steep(&g, &at), g.inverse));
        is_coincident = is_coincident || are_coincident(w, g.r2);
        wide_store(slopes, wide_mul(f, g.dx));
        wide_store(slopes + SHOAL_LANES, wide_mul(f, g.dy));
        wide_store(slopes + 2 * SHOAL_LANES, wide_mul(f, g.dz));
    }
    return is_coincident;
}

static float guests_rate(const shoal_water_view* w, const porous_guests* guests, int i, float slope) {
    if (!guests->are_there || guests->near.count[i] == 0) return 0.0f;
    const wide   ux = wide_set(w->motion[i].x), uy = wide_set(w->motion[i].y), uz = wide_set(w->motion[i].z);
    const int*   list   = LIST(guests->near, i);
    const float* slopes = GUEST_SLOPES(guests, i);
    wide         sum = wide_set(0.0f), one = wide_set(1.0f);
    for (int k = 0; k < guests->near.count[i]; k += SHOAL_LANES, slopes += 3 * SHOAL_LANES) {
        wide jx, jy, jz, jw;
        wide_gather4(guests->motion, list + k, &jx, &jy, &jz, &jw);
        wide along = dot(wide_sub(ux, jx), wide_sub(uy, jy), wide_sub(uz, jz), wide_load(slopes),
                         wide_load(slopes + SHOAL_LANES), wide_load(slopes + 2 * SHOAL_LANES));
        sum        = wide_add(sum, guests->are_rock ? wide_mul(of_rock(guests, list + k, one, slope), along) : along);
    }
    return -w->slope * wide_sum(sum);
}

static shoal_v3 guests_push(const shoal_water_view* w, const porous_guests* guests, const float* kappa, int i,
                            float k_own, float k_rock) {
    if (!guests->are_there || guests->near.count[i] == 0) return shoal_v3_make(0.0f, 0.0f, 0.0f);
    const wide   own = wide_set(k_own), zero = wide_set(0.0f);
    const int*   list   = LIST(guests->near, i);
    const float* slopes = GUEST_SLOPES(guests, i);
    vectors      sum    = {zero, zero, zero};
    for (int k = 0; k < guests->near.count[i]; k += SHOAL_LANES, slopes += 3 * SHOAL_LANES) {
        wide k_both = wide_add(of_rock(guests, list + k, own, k_rock), wide_gather1(kappa, list + k));
        add(&sum, k_both, wide_load(slopes), wide_load(slopes + SHOAL_LANES), wide_load(slopes + 2 * SHOAL_LANES));
    }
    return summed(sum, w->slope);
}

// ---------------------------------------------------------------------------------- sand

// f = slope/r is 2 h at most, at r = 0: so much is one of its 16 bits' steps.
ALWAYS_INLINE float grain_of(const shoal_water_view* w) { return 2.0f * w->h / (float)INT16_MAX; }

// Which of a group may move: 1, else 0. One by one: only once in a substep, and beside fixed sand alone.
ALWAYS_INLINE wide movable(const porous_view* v, const int* list) {
    float movable[SHOAL_LANES];
    for (int k = 0; k < SHOAL_LANES; k++) movable[k] = v->fixed[list[k]] ? 0.0f : 1.0f;
    return wide_load(movable);
}

// Density, and f and L for the sweeps.
static void weigh_one(const porous_view* v, int i) {
    const shoal_water_view* w      = &v->water;
    const here              at     = stand(w, i);
    const int*              list   = LIST(w->near, i);
    int16_t*                pairs  = SLOPES(w, i);
    const float             grain  = grain_of(w);
    const wide              grains = wide_set(1.0f / grain);
    vectors                 on = {at.zero, at.zero, at.zero}, off = on, slope = on; // xx, yy, zz; yz, xz, xy
    wide                    bumps = at.zero, slopes2 = at.zero;
    v->doubled[i] = guests_keep(w, &v->pool, i);
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(w->place, list + k, &at);
        wide  s = steep(&g, &at), s2 = wide_mul(s, s);
        v->doubled[i] = v->doubled[i] || are_coincident(w, g.r2);
        wide_store16(pairs + k, wide_mul(wide_mul(s, g.inverse), grains));
        wide f = wide_load16(pairs + k), fx = wide_mul(f, g.dx), fy = wide_mul(f, g.dy), fz = wide_mul(f, g.dz);
        bumps   = wide_add(bumps, bump(&g, &at));
        slopes2 = wide_add(slopes2, w->is_uneven ? wide_mul(lights(w, list + k), s2) : s2);
        slope.x = wide_add(slope.x, fx), slope.y = wide_add(slope.y, fy), slope.z = wide_add(slope.z, fz);
        on.x  = wide_add(on.x, wide_mul(fx, g.dx));
        on.y  = wide_add(on.y, wide_mul(fy, g.dy));
        on.z  = wide_add(on.z, wide_mul(fz, g.dz));
        off.x = wide_add(off.x, wide_mul(fy, g.dz));
        off.y = wide_add(off.y, wide_mul(fx, g.dz));
        off.z = wide_add(off.z, wide_mul(fx, g.dy));
    }
    if (v->doubled[i]) {
        porous_weigh(v, i);
        return;
    }
    float       light = w->is_uneven ? 1.0f : w->liquids[w->material[i]].light;
    float       own   = wide_sum(bumps);
    porous_sums sum   = {own, light * wide_sum(slopes2), summed(slope, grain), own};
    if (v->pool.are_there && v->pool.near.count[i] > 0 && !(porous_open(v, i) > 0.0f))
        guests_count(w, &v->pool, i, porous_no_rock(), &sum);
    porous_count_from(w, i, sum);
    porous_sym m = porous_sym_load(summed(on, grain * w->slope), summed(off, grain * w->slope));
    porous_sym_store(porous_correction(m), &v->correction[i], &v->correction_off[i]);
}

SHOAL_LOOP(weigh_loop, porous_view, weigh_one)

static void shape_one(const porous_view* v, int i) {
    const shoal_water_view* w     = &v->water;
    const here              at    = stand(w, i);
    const int*              list  = LIST(w->near, i);
    const int16_t*          pairs = SLOPES(w, i);
    const porous_sym        l     = porous_sym_load(v->correction[i], v->correction_off[i]);
    const wide xx = wide_set(l.xx), yy = wide_set(l.yy), zz = wide_set(l.zz), yz = wide_set(l.yz), xz = wide_set(l.xz),
               xy   = wide_set(l.xy);
    vectors own     = {at.zero, at.zero, at.zero};
    wide    squares = at.zero, moving = at.zero;
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        wide jx, jy, jz, jw, f = wide_load16(pairs + k);
        wide_gather4(w->place, list + k, &jx, &jy, &jz, &jw);
        wide dx = wide_sub(at.x, jx), dy = wide_sub(at.y, jy), dz = wide_sub(at.z, jz);
        wide x = wide_mul(f, dot(xx, xy, xz, dx, dy, dz)), y = wide_mul(f, dot(xy, yy, yz, dx, dy, dz)),
             z = wide_mul(f, dot(xz, yz, zz, dx, dy, dz));
        own.x = wide_add(own.x, x), own.y = wide_add(own.y, y), own.z = wide_add(own.z, z);
        wide square = wide_mul(wide_gather1(v->inverse_mass, list + k), dot(x, y, z, x, y, z));
        squares     = wide_add(squares, square);
        if (v->fixed[i]) moving = wide_add(moving, wide_mul(movable(v, list + k), square));
    }
    const float unit = grain_of(w) * w->slope;
    porous_sum_gradients_from(v, i, summed(own, unit), unit * unit * wide_sum(squares), wide_sum(moving) > 0.0f);
}

static void sum_gradients_loop(const void* view, int begin, int end) {
    const porous_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i])
            porous_sum_gradients(v, i);
        else
            shape_one(v, i);
}

static void push_one(const porous_view* v, int i) {
    const shoal_water_view* w = &v->water;
    const shoal_v4          a = v->row_x[i], b = v->row_y[i], c = v->row_z[i];
    const wide xx = wide_set(a.x), xy = wide_set(a.y), xz = wide_set(a.z), yx = wide_set(b.x), yy = wide_set(b.y),
               yz = wide_set(b.z), zx = wide_set(c.x), zy = wide_set(c.y), zz = wide_set(c.z);
    const wide     x = wide_set(a.w), y = wide_set(b.w), z = wide_set(c.w), zero = wide_set(0.0f);
    const int*     list  = LIST(w->near, i);
    const int16_t* pairs = SLOPES(w, i);
    vectors        sum   = {zero, zero, zero};
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        wide f = wide_load16(pairs + k), ax, ay, az, aw, bx, by, bz, bw, cx, cy, cz, cw;
        wide_gather4(v->row_x, list + k, &ax, &ay, &az, &aw);
        wide_gather4(v->row_y, list + k, &bx, &by, &bz, &bw);
        wide_gather4(v->row_z, list + k, &cx, &cy, &cz, &cw);
        wide dx = wide_mul(f, wide_sub(x, aw)), dy = wide_mul(f, wide_sub(y, bw)), dz = wide_mul(f, wide_sub(z, cw));
        sum.x = wide_add(sum.x, dot(wide_add(xx, ax), wide_add(xy, ay), wide_add(xz, az), dx, dy, dz));
        sum.y = wide_add(sum.y, dot(wide_add(yx, bx), wide_add(yy, by), wide_add(yz, bz), dx, dy, dz));
        sum.z = wide_add(sum.z, dot(wide_add(zx, cx), wide_add(zy, cy), wide_add(zz, cz), dx, dy, dz));
    }
    shoal_v3 own       = summed(sum, grain_of(w) * w->slope);
    float    own_kappa = porous_own_kappa(v, i);
    shoal_v3 guests    = guests_push(w, &v->pool, porous_pool_kappa(v, i), i, own_kappa, own_kappa);
    porous_push_from(v, i, shoal_v3_add_scaled(own, guests, 1.0f - porous_open(v, i)));
}

static void push_loop(const void* view, int begin, int end) {
    const porous_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i] || (v->fixed[i] && v->is_laid))
            porous_push(v, i);
        else
            push_one(v, i);
}

static void yield_one(const porous_view* v, int i) {
    const shoal_water_view* w  = &v->water;
    const here              at = stand(w, i);
    const wide              ux = wide_set(w->motion[i].x), uy = wide_set(w->motion[i].y), uz = wide_set(w->motion[i].z);
    const int*              list  = LIST(w->near, i);
    const int16_t*          pairs = SLOPES(w, i);
    vectors                 x = {at.zero, at.zero, at.zero}, y = x, z = x;
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        wide f = wide_load16(pairs + k), jx, jy, jz, jw;
        wide_gather4(w->place, list + k, &jx, &jy, &jz, &jw);
        wide fx = wide_mul(f, wide_sub(at.x, jx)), fy = wide_mul(f, wide_sub(at.y, jy)),
             fz = wide_mul(f, wide_sub(at.z, jz));
        wide_gather4(w->motion, list + k, &jx, &jy, &jz, &jw);
        add(&x, wide_sub(ux, jx), fx, fy, fz);
        add(&y, wide_sub(uy, jy), fx, fy, fz);
        add(&z, wide_sub(uz, jz), fx, fy, fz);
    }
    const float unit = grain_of(w) * w->slope;
    porous_yield_from(v, i, (porous_mat){summed(x, unit), summed(y, unit), summed(z, unit)},
                      guests_rate(w, &v->pool, i, 1.0f));
}

static void yield_loop(const void* view, int begin, int end) {
    const porous_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i] || porous_is_idle(v, i))
            porous_yield(v, i);
        else
            yield_one(v, i);
}

// ---------------------------------------------------------------------------------- water

// Density, and slopes for the sweeps, in whole grains.
static void pool_weigh_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w      = &v->water;
    const here              at     = stand(w, i);
    const int*              list   = LIST(w->near, i);
    int16_t*                pairs  = PAIRS(w, i);
    const wide              grains = wide_set(1.0f / w->grain);
    vectors                 slope  = {at.zero, at.zero, at.zero};
    wide                    bumps = at.zero, slopes2 = at.zero;
    v->doubled[i] = guests_keep(w, &v->sand, i);
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES, pairs += 3 * SHOAL_LANES) {
        group g       = gather_group(w->place, list + k, &at);
        v->doubled[i] = v->doubled[i] || are_coincident(w, g.r2);
        wide s = steep(&g, &at), s2 = wide_mul(g.volume, wide_mul(s, s)), f = wide_mul(s, g.inverse);
        bumps   = wide_add(bumps, wide_mul(g.volume, bump(&g, &at)));
        slopes2 = wide_add(slopes2, w->is_uneven ? wide_mul(lights(w, list + k), s2) : s2);
        add(&slope, wide_mul(g.volume, f), g.dx, g.dy, g.dz);
        f = wide_mul(f, grains);
        wide_store16(pairs, wide_mul(f, g.dx));
        wide_store16(pairs + SHOAL_LANES, wide_mul(f, g.dy));
        wide_store16(pairs + 2 * SHOAL_LANES, wide_mul(f, g.dz));
    }
    if (v->doubled[i]) {
        porous_pool_weigh(v, i);
        return;
    }
    float       light = w->is_uneven ? 1.0f : w->liquids[w->material[i]].light;
    float       own   = wide_sum(bumps);
    porous_sums sum   = {own, light * wide_sum(slopes2), summed(slope, 1.0f), own};
    porous_rock rock  = porous_pool_rock_around(v, i);
    if (v->sand.are_there && v->sand.near.count[i] > 0) guests_count(w, &v->sand, i, rock, &sum);
    porous_count_from(w, i, sum);
}

SHOAL_LOOP(pool_weigh_loop, porous_pool_view, pool_weigh_one)

static void pool_push_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    const wide              own = wide_set(w->kappa[i]), zero = wide_set(0.0f);
    const int*              list  = LIST(w->near, i);
    const int16_t*          pairs = PAIRS(w, i);
    vectors                 sum   = {zero, zero, zero};
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES, pairs += 3 * SHOAL_LANES) {
        wide kappa, volume, none, nor;
        wide_gather4(v->kick, list + k, &kappa, &volume, &none, &nor);
        add(&sum, wide_mul(volume, wide_add(own, kappa)), wide_load16(pairs), wide_load16(pairs + SHOAL_LANES),
            wide_load16(pairs + 2 * SHOAL_LANES));
    }
    shoal_v3 all = summed(sum, w->grain * w->slope);
    porous_pool_push_from(v, i,
                          shoal_v3_add(all, guests_push(w, &v->sand, v->sand.kappa, i, w->kappa[i],
                                                        porous_rock_kappa(v->rim[i], w->kappa[i]))));
}

static void pool_push_loop(const void* view, int begin, int end) {
    const porous_pool_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i])
            porous_pool_push(v, i);
        else
            pool_push_one(v, i);
}

static void pool_apply_pressure_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w  = &v->water;
    const wide              ux = wide_set(w->motion[i].x), uy = wide_set(w->motion[i].y), uz = wide_set(w->motion[i].z);
    const int*              list  = LIST(w->near, i);
    const int16_t*          pairs = PAIRS(w, i);
    wide                    sum   = wide_set(0.0f);
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES, pairs += 3 * SHOAL_LANES) {
        wide jx, jy, jz, volume;
        wide_gather4(w->motion, list + k, &jx, &jy, &jz, &volume);
        wide along = dot(wide_sub(ux, jx), wide_sub(uy, jy), wide_sub(uz, jz), wide_load16(pairs),
                         wide_load16(pairs + SHOAL_LANES), wide_load16(pairs + 2 * SHOAL_LANES));
        sum        = wide_add(sum, wide_mul(volume, along));
    }
    porous_pool_apply_pressure_from(v, i, w->grain * wide_sum(sum), guests_rate(w, &v->sand, i, v->rim[i]));
}

static void pool_apply_pressure_loop(const void* view, int begin, int end) {
    const porous_pool_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i])
            porous_pool_apply_pressure(v, i);
        else
            pool_apply_pressure_one(v, i);
}

const shoal_loop SHOAL_WIDE_NAME(porous_loops)[POROUS_PASS_COUNT]           = {[POROUS_weigh]         = weigh_loop,
                                                                               [POROUS_sum_gradients] = sum_gradients_loop,
                                                                               [POROUS_push]          = push_loop,
                                                                               [POROUS_yield]         = yield_loop};
const shoal_loop SHOAL_WIDE_NAME(porous_pool_loops)[POROUS_POOL_PASS_COUNT] = {
    [POROUS_POOL_weigh]          = pool_weigh_loop,
    [POROUS_POOL_push]           = pool_push_loop,
    [POROUS_POOL_apply_pressure] = pool_apply_pressure_loop};
