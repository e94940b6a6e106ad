// SPDX-License-Identifier: MIT
// The passes of sand and water that walk over their own set, sixteen neighbours at a time; the plain ones are their
// oracle. Compiled once per instruction set; all give the same bits (see math/wide.h). Guests, those of the other set,
// are few and walked over one by one. Slopes are made anew in each sweep: kept in 16 bits, as SPH keeps them, they
// would not leave a rigid turning without a strain.
#include "math/wide.h"

#include "solvers/porous/porous_local.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LIST(w, i) ((w)->near.index + (size_t)SHOAL_LANES * (w)->near.start[i])

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

ALWAYS_INLINE group look(const shoal_water_view* w, const int* index, const here* at) {
    group g;
    wide  jx, jy, jz;
    wide_gather4(w->place, index, &jx, &jy, &jz, &g.volume);
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

ALWAYS_INLINE wide steep(const group* g, const here* at) {
    return wide_sub(wide_mul(g->t, g->t), wide_mul(at->four, wide_mul(g->u, g->u)));
}

// Two particles in one spot have no direction: the plain pass gives them one.
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

// ---------------------------------------------------------------------------------- sand

// The inverse masses of a group, one by one: only once in a substep.
ALWAYS_INLINE wide lights(const porous_view* v, const int* list) {
    float light[SHOAL_LANES];
    for (int k = 0; k < SHOAL_LANES; k++) light[k] = porous_light(v, list[k]);
    return wide_load(light);
}

static void shape_one(const porous_view* v, int i) {
    const shoal_water_view* w    = &v->water;
    const here              at   = stand(w, i);
    const int*              list = LIST(w, i);
    vectors                 on = {at.zero, at.zero, at.zero}, off = on, own = on; // xx, yy, zz; yz, xz, xy
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        group g = look(w, list + k, &at);
        if (are_coincident(w, g.r2)) {
            porous_shape(v, i);
            return;
        }
        wide f = wide_mul(steep(&g, &at), g.inverse), fx = wide_mul(f, g.dx), fy = wide_mul(f, g.dy);
        on.x  = wide_add(on.x, wide_mul(fx, g.dx));
        on.y  = wide_add(on.y, wide_mul(fy, g.dy));
        on.z  = wide_add(on.z, wide_mul(wide_mul(f, g.dz), g.dz));
        off.x = wide_add(off.x, wide_mul(fy, g.dz));
        off.y = wide_add(off.y, wide_mul(fx, g.dz));
        off.z = wide_add(off.z, wide_mul(fx, g.dy));
    }
    porous_sym l  = porous_correction(porous_sym_load(summed(on, w->slope), summed(off, w->slope)));
    const wide xx = wide_set(l.xx), yy = wide_set(l.yy), zz = wide_set(l.zz), yz = wide_set(l.yz), xz = wide_set(l.xz),
               xy = wide_set(l.xy);
    wide squares  = at.zero;
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        group g = look(w, list + k, &at);
        wide  f = wide_mul(steep(&g, &at), g.inverse);
        wide  x = wide_mul(f, dot(xx, xy, xz, g.dx, g.dy, g.dz)), y = wide_mul(f, dot(xy, yy, yz, g.dx, g.dy, g.dz)),
             z = wide_mul(f, dot(xz, yz, zz, g.dx, g.dy, g.dz));
        own.x = wide_add(own.x, x), own.y = wide_add(own.y, y), own.z = wide_add(own.z, z);
        squares = wide_add(squares, wide_mul(lights(v, list + k), dot(x, y, z, x, y, z)));
    }
    porous_shape_from(v, i, l, summed(own, w->slope), w->slope * w->slope * wide_sum(squares));
}

static void shape_loop(const porous_view* v, int begin, int end) {
    for (int i = begin; i < end; i++) shape_one(v, i);
}

static void push_one(const porous_view* v, int i) {
    const shoal_water_view* w  = &v->water;
    const here              at = stand(w, i);
    const shoal_v4          a = v->row_x[i], b = v->row_y[i], c = v->row_z[i];
    const wide xx = wide_set(a.x), xy = wide_set(a.y), xz = wide_set(a.z), yx = wide_set(b.x), yy = wide_set(b.y),
               yz = wide_set(b.z), zx = wide_set(c.x), zy = wide_set(c.y), zz = wide_set(c.z);
    const int* list = LIST(w, i);
    vectors    sum  = {at.zero, at.zero, at.zero};
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        group g = look(w, list + k, &at);
        if (are_coincident(w, g.r2)) {
            porous_push(v, i);
            return;
        }
        wide f = wide_mul(steep(&g, &at), g.inverse), jx, jy, jz, jw;
        wide_gather4(v->row_x, list + k, &jx, &jy, &jz, &jw);
        sum.x =
            wide_add(sum.x, wide_mul(f, dot(wide_add(xx, jx), wide_add(xy, jy), wide_add(xz, jz), g.dx, g.dy, g.dz)));
        wide_gather4(v->row_y, list + k, &jx, &jy, &jz, &jw);
        sum.y =
            wide_add(sum.y, wide_mul(f, dot(wide_add(yx, jx), wide_add(yy, jy), wide_add(yz, jz), g.dx, g.dy, g.dz)));
        wide_gather4(v->row_z, list + k, &jx, &jy, &jz, &jw);
        sum.z =
            wide_add(sum.z, wide_mul(f, dot(wide_add(zx, jx), wide_add(zy, jy), wide_add(zz, jz), g.dx, g.dy, g.dz)));
    }
    porous_push_from(v, i, summed(sum, w->slope));
}

static void push_loop(const porous_view* v, int begin, int end) {
    for (int i = begin; i < end; i++)
        if (v->fixed[i] && v->is_laid)
            porous_stay(v, i);
        else
            push_one(v, i);
}

static void yield_one(const porous_view* v, int i) {
    const shoal_water_view* w  = &v->water;
    const here              at = stand(w, i);
    const wide              ux = wide_set(w->motion[i].x), uy = wide_set(w->motion[i].y), uz = wide_set(w->motion[i].z);
    const int*              list = LIST(w, i);
    vectors                 x = {at.zero, at.zero, at.zero}, y = x, z = x;
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        group g = look(w, list + k, &at);
        if (are_coincident(w, g.r2)) {
            porous_yield(v, i);
            return;
        }
        wide f  = wide_mul(steep(&g, &at), g.inverse), jx, jy, jz, jw;
        wide fx = wide_mul(f, g.dx), fy = wide_mul(f, g.dy), fz = wide_mul(f, g.dz);
        wide_gather4(w->motion, list + k, &jx, &jy, &jz, &jw);
        add(&x, wide_sub(ux, jx), fx, fy, fz);
        add(&y, wide_sub(uy, jy), fx, fy, fz);
        add(&z, wide_sub(uz, jz), fx, fy, fz);
    }
    porous_yield_from(v, i, (porous_mat){summed(x, w->slope), summed(y, w->slope), summed(z, w->slope)});
}

static void yield_loop(const porous_view* v, int begin, int end) {
    for (int i = begin; i < end; i++) yield_one(v, i);
}

// ---------------------------------------------------------------------------------- water

static void pool_weigh_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w     = &v->water;
    const here              at    = stand(w, i);
    const int*              list  = LIST(w, i);
    vectors                 slope = {at.zero, at.zero, at.zero};
    wide                    bumps = at.zero, slopes2 = at.zero;
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        group g = look(w, list + k, &at);
        if (are_coincident(w, g.r2)) {
            porous_pool_weigh(v, i);
            return;
        }
        wide f = steep(&g, &at), outer = wide_mul(wide_mul(g.t, g.t), g.t), inner = wide_mul(wide_mul(g.u, g.u), g.u);
        bumps   = wide_add(bumps, wide_mul(g.volume, wide_sub(outer, wide_mul(at.four, inner))));
        slopes2 = wide_add(slopes2, wide_mul(g.volume, wide_mul(f, f)));
        add(&slope, wide_mul(g.volume, wide_mul(f, g.inverse)), g.dx, g.dy, g.dz);
    }
    float light = w->liquids[w->material[i]].light; // of all: no loop where densities differ
    porous_weigh_from(w, &v->sand, i, (porous_sums){wide_sum(bumps), light * wide_sum(slopes2), summed(slope, 1.0f)});
}

static void pool_weigh_loop(const porous_pool_view* v, int begin, int end) {
    for (int i = begin; i < end; i++)
        if (v->water.is_uneven)
            porous_pool_weigh(v, i);
        else
            pool_weigh_one(v, i);
}

static void pool_push_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w    = &v->water;
    const here              at   = stand(w, i);
    const wide              own  = wide_set(w->told[i]);
    const int*              list = LIST(w, i);
    vectors                 sum  = {at.zero, at.zero, at.zero};
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        group g = look(w, list + k, &at);
        if (are_coincident(w, g.r2)) {
            porous_pool_push(v, i);
            return;
        }
        wide f = wide_mul(g.volume, wide_mul(steep(&g, &at), g.inverse));
        add(&sum, wide_mul(f, wide_add(own, wide_gather1(w->told, list + k))), g.dx, g.dy, g.dz);
    }
    porous_pool_push_from(v, i, summed(sum, 1.0f));
}

static void pool_push_loop(const porous_pool_view* v, int begin, int end) {
    for (int i = begin; i < end; i++) pool_push_one(v, i);
}

static void pool_press_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w  = &v->water;
    const here              at = stand(w, i);
    const wide              ux = wide_set(w->motion[i].x), uy = wide_set(w->motion[i].y), uz = wide_set(w->motion[i].z);
    const int*              list = LIST(w, i);
    wide                    sum  = at.zero;
    for (int k = 0; k < w->near.count[i]; k += SHOAL_LANES) {
        group g = look(w, list + k, &at);
        if (are_coincident(w, g.r2)) {
            porous_pool_press(v, i);
            return;
        }
        wide jx, jy, jz, jw, f = wide_mul(g.volume, wide_mul(steep(&g, &at), g.inverse));
        wide_gather4(w->motion, list + k, &jx, &jy, &jz, &jw);
        sum = wide_add(sum, wide_mul(f, dot(wide_sub(ux, jx), wide_sub(uy, jy), wide_sub(uz, jz), g.dx, g.dy, g.dz)));
    }
    porous_pool_press_from(v, i, wide_sum(sum));
}

static void pool_press_loop(const porous_pool_view* v, int begin, int end) {
    for (int i = begin; i < end; i++) pool_press_one(v, i);
}

const porous_loop SHOAL_WIDE_NAME(porous_loops)[POROUS_PASS_COUNT] = {
    [POROUS_shape] = shape_loop, [POROUS_push] = push_loop, [POROUS_yield] = yield_loop};
const porous_pool_loop SHOAL_WIDE_NAME(porous_pool_loops)[POROUS_POOL_PASS_COUNT] = {
    [POROUS_POOL_weigh] = pool_weigh_loop, [POROUS_POOL_push] = pool_push_loop, [POROUS_POOL_press] = pool_press_loop};
