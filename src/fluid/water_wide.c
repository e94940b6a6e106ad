// SPDX-License-Identifier: MIT
// The passes of SPH water that walk over neighbours, sixteen at a time; the plain ones in water_pass.h are their
// oracle. Compiled once per instruction set; all give the same bits (see math/wide.h).
#include "math/wide.h"

#include "fluid/water_local.h"

// Inlined with its flags as constants, so that each case has a loop of its own.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// x_ij, its companion, and t = h - r, u = h/2 - r, not below zero.
typedef struct group {
    wide dx, dy, dz, companion, r2, inverse, r, t, u;
} group;

typedef struct here {
    wide x, y, z, h, half, zero, four;
} here;

ALWAYS_INLINE here stand(const shoal_water_view* v, shoal_v4 place) {
    here at = {wide_set(place.x),     wide_set(place.y), wide_set(place.z), wide_set(v->h),
               wide_set(0.5f * v->h), wide_set(0.0f),    wide_set(4.0f)};
    return at;
}

ALWAYS_INLINE group gather_group(const shoal_v4* place, const int* index, const here* at) {
    group g;
    wide  jx, jy, jz;
    wide_gather4(place, index, &jx, &jy, &jz, &g.companion);
    g.dx      = wide_sub(at->x, jx);
    g.dy      = wide_sub(at->y, jy);
    g.dz      = wide_sub(at->z, jz);
    g.r2      = wide_add(wide_add(wide_mul(g.dx, g.dx), wide_mul(g.dy, g.dy)), wide_mul(g.dz, g.dz));
    g.inverse = wide_rsqrt(g.r2);
    g.r       = wide_mul(g.r2, g.inverse);
    g.t       = wide_max(wide_sub(at->h, g.r), at->zero);
    g.u       = wide_max(wide_sub(at->half, g.r), at->zero);
    return g;
}

ALWAYS_INLINE wide kernel_of(const group* g, const here* at) {
    wide outer = wide_mul(wide_mul(g->t, g->t), g->t), inner = wide_mul(wide_mul(g->u, g->u), g->u);
    return wide_sub(outer, wide_mul(at->four, inner));
}
ALWAYS_INLINE wide slope_of(const group* g, const here* at) {
    return wide_sub(wide_mul(g->t, g->t), wide_mul(at->four, wide_mul(g->u, g->u)));
}

// Two particles in one spot have no direction: the plain pass gives them one.
ALWAYS_INLINE bool are_coincident(const shoal_water_view* v, wide r2) {
    return wide_less(r2, wide_set(1e-12f * v->h2)) != 0;
}

#define LIST(v, i) ((v)->near.index + (size_t)SHOAL_LANES * (v)->near.start[i])
#define BOUNDARY(v, i) ((v)->boundary.index + (size_t)SHOAL_LANES * (v)->boundary.start[i])
#define PAIRS(v, i) ((v)->pairs + (size_t)3 * SHOAL_LANES * (v)->near.start[i])

// ---------------------------------------------------------------------------------- solids

typedef struct vectors {
    wide x, y, z;
} vectors;

ALWAYS_INLINE void add(vectors* sum, wide f, wide x, wide y, wide z) {
    sum->x = wide_add(sum->x, wide_mul(f, x));
    sum->y = wide_add(sum->y, wide_mul(f, y));
    sum->z = wide_add(sum->z, wide_mul(f, z));
}

static inline shoal_v3 summed(vectors a) {
    shoal_v4 sum = wide_sum4(a.x, a.y, a.z, wide_set(0.0f));
    return shoal_v3_make(sum.x, sum.y, sum.z);
}

static void solids_one(const shoal_water_view* v, int i) {
    const here at    = stand(v, v->place[i]);
    vectors    slope = {at.zero, at.zero, at.zero}, stream = slope;
    wide       fraction = at.zero, inflow = at.zero, friction = at.zero, hold = at.zero, layer = at.zero;
    const int* list = BOUNDARY(v, i);
    for (int k = 0; k < v->boundary.count[i]; k += SHOAL_LANES) {
        group g  = gather_group(v->sample.place, list + k, &at);
        wide  w  = wide_mul(g.companion, kernel_of(&g, &at)),
             f   = wide_mul(g.companion, wide_mul(slope_of(&g, &at), g.inverse));
        fraction = wide_add(fraction, w);
        add(&slope, f, g.dx, g.dy, g.dz);
        if (!v->has_wall_drag) continue;
        wide ux, uy, uz, wall_friction;
        wide_gather4(v->sample.motion, list + k, &ux, &uy, &uz, &wall_friction);
        inflow   = wide_add(inflow,
                            wide_mul(f, wide_add(wide_add(wide_mul(ux, g.dx), wide_mul(uy, g.dy)), wide_mul(uz, g.dz))));
        friction = wide_add(friction, wide_mul(w, wide_max(wall_friction, at.zero)));
        layer    = wide_add(layer, wide_mul(w, wide_gather1(v->sample.layer, list + k)));
        hold =
            wide_add(hold, wide_mul(wide_mul(g.companion, g.t), wide_max(wide_sub(at.zero, wall_friction), at.zero)));
        add(&stream, w, ux, uy, uz);
    }
    shoal_v4             sums = wide_sum4(fraction, inflow, friction, hold);
    shoal_water_boundary sum  = {
         sums.x, summed(slope), sums.y, summed(stream), sums.z, sums.w, v->has_wall_drag ? wide_sum(layer) : 0.0f};
    shoal_water_solids_from(v, i, sum);
}

// Most particles have no solid near.
static void solids_loop(const void* view, int begin, int end) {
    const shoal_water_view*    v    = view;
    const shoal_water_boundary none = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f, {0.0f, 0.0f, 0.0f}, 0.0f, 0.0f, 0.0f};
    for (int i = begin; i < end; i++) {
        if (v->boundary.count[i] > 0)
            solids_one(v, i);
        else
            shoal_water_solids_from(v, i, none);
    }
}

// ---------------------------------------------------------------------------------- density

ALWAYS_INLINE float kernel_sum(const shoal_water_view* v, const shoal_v4* place, int i) {
    const here at   = stand(v, place[i]);
    wide       sum  = at.zero;
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(place, list + k, &at);
        sum     = wide_add(sum, kernel_of(&g, &at));
    }
    return wide_sum(sum);
}

static inline float boundary_kernel_sum(const shoal_water_view* v, int i) {
    const here at   = stand(v, v->guess[i]);
    wide       sum  = at.zero;
    const int* list = BOUNDARY(v, i);
    for (int k = 0; k < v->boundary.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v->sample.guess, list + k, &at);
        sum     = wide_add(sum, wide_mul(g.companion, kernel_of(&g, &at)));
    }
    return wide_sum(sum);
}

static void predict_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    for (int i = begin; i < end; i++) {
        float sum = kernel_sum(v, v->guess, i);
        shoal_water_predict_from(v, i, v->boundary.count[i] > 0 ? sum + boundary_kernel_sum(v, i) : sum);
    }
}

// ---------------------------------------------------------------------------------- a liquid, not a crystal

static void lean_one(const shoal_water_view* v, int i) {
    const here at    = stand(v, v->place[i]);
    vectors    slope = {at.zero, at.zero, at.zero}, even = slope, odd = slope; // xx, yy, zz; xy, xz, yz
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v->place, list + k, &at);
        if (are_coincident(v, g.r2)) {
            shoal_water_lean(v, i);
            return;
        }
        wide f  = wide_mul(slope_of(&g, &at), g.inverse);
        wide fx = wide_mul(f, g.dx), fy = wide_mul(f, g.dy), fz = wide_mul(f, g.dz);
        slope.x = wide_add(slope.x, fx), slope.y = wide_add(slope.y, fy), slope.z = wide_add(slope.z, fz);
        even.x = wide_add(even.x, wide_mul(fx, g.dx)), even.y = wide_add(even.y, wide_mul(fy, g.dy)),
        even.z = wide_add(even.z, wide_mul(fz, g.dz));
        odd.x = wide_add(odd.x, wide_mul(fx, g.dy)), odd.y = wide_add(odd.y, wide_mul(fx, g.dz)),
        odd.z = wide_add(odd.z, wide_mul(fy, g.dz));
    }
    shoal_v3 e = summed(even), o = summed(odd);
    shoal_water_lean_from(v, i, summed(slope), (shoal_lean){e.x, e.y, e.z, o.x, o.y, o.z});
}

SHOAL_LOOP(lean_loop, shoal_water_view, lean_one)

static void level_one(const shoal_water_view* v, int i) {
    const here at  = stand(v, v->place[i]);
    const wide ixx = wide_set(v->lean[i].x), iyy = wide_set(v->lean[i].y), ixy = wide_set(v->lean[i].z),
               ixz  = wide_set(v->lean[i].w);
    const wide iyz  = wide_set(v->lean_yz[i]);
    vectors    sum  = {at.zero, at.zero, at.zero};
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v->place, list + k, &at);
        if (are_coincident(v, g.r2)) {
            shoal_water_level(v, i);
            return;
        }
        wide xx, yy, xy, xz, yz = wide_add(iyz, wide_gather1(v->lean_yz, list + k));
        wide_gather4(v->lean, list + k, &xx, &yy, &xy, &xz);
        xx = wide_add(ixx, xx), yy = wide_add(iyy, yy), xy = wide_add(ixy, xy), xz = wide_add(ixz, xz);
        wide f  = wide_mul(slope_of(&g, &at), g.inverse);
        wide fx = wide_mul(f, g.dx), fy = wide_mul(f, g.dy), fz = wide_mul(f, g.dz);
        sum.x = wide_add(sum.x, wide_add(wide_add(wide_mul(xx, fx), wide_mul(xy, fy)), wide_mul(xz, fz)));
        sum.y = wide_add(sum.y, wide_add(wide_add(wide_mul(xy, fx), wide_mul(yy, fy)), wide_mul(yz, fz)));
        sum.z = wide_add(sum.z, wide_sub(wide_add(wide_mul(xz, fx), wide_mul(yz, fy)), wide_mul(wide_add(xx, yy), fz)));
    }
    shoal_water_level_from(v, i, summed(sum));
}

SHOAL_LOOP(level_loop, shoal_water_view, level_one)

// A factor of each lane that only mixtures need; division is exact on every set.
ALWAYS_INLINE wide lights(const shoal_water_view* v, const int* list, wide value) {
    float values[SHOAL_LANES];
    wide_store(values, value);
    for (int k = 0; k < SHOAL_LANES; k++) values[k] *= v->liquids[v->material[list[k]]].light;
    return wide_load(values);
}

// Keeps the slope of each pair for the sweeps, in whole grains: both of a pair keep the opposite, so momentum is kept.
// With is_begun, the pressure of the warm start and the forces are summed too; not in mixtures.
ALWAYS_INLINE void weigh_one(const shoal_water_view* v, int i, bool is_mixed, bool is_begun, bool is_viscous) {
    const here at  = stand(v, v->place[i]);
    const wide own = wide_set(v->place[i].w);
    const wide ux = wide_set(v->motion[i].x), uy = wide_set(v->motion[i].y), uz = wide_set(v->motion[i].z);
    const wide grains = wide_set(1.0f / v->grain);
    vectors    slope = {at.zero, at.zero, at.zero}, smooth = slope, drag = slope, push = slope;
    wide       sum = at.zero, slopes2 = at.zero, rate = at.zero;
    const int* list   = LIST(v, i);
    int16_t*   stored = PAIRS(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES, stored += 3 * SHOAL_LANES) {
        group g = gather_group(v->place, list + k, &at);
        if (are_coincident(v, g.r2)) {
            shoal_water_weigh(v, i);
            shoal_water_keep_slopes(v, i);
            return;
        }
        wide f = slope_of(&g, &at), f2 = wide_mul(f, f), along = wide_mul(f, g.inverse);
        wide x = wide_mul(along, g.dx), y = wide_mul(along, g.dy), z = wide_mul(along, g.dz), w = kernel_of(&g, &at);
        sum     = wide_add(sum, w);
        slopes2 = wide_add(slopes2, is_mixed ? lights(v, list + k, f2) : f2);
        slope.x = wide_add(slope.x, x), slope.y = wide_add(slope.y, y), slope.z = wide_add(slope.z, z);
        wide_store16(stored, wide_mul(x, grains));
        wide_store16(stored + SHOAL_LANES, wide_mul(y, grains));
        wide_store16(stored + 2 * SHOAL_LANES, wide_mul(z, grains));
        if (is_begun) add(&push, wide_add(own, g.companion), x, y, z);
        if (!is_mixed && !is_begun) continue;
        wide jx, jy, jz, jw;
        wide_gather4(v->motion, list + k, &jx, &jy, &jz, &jw);
        jx = wide_sub(ux, jx), jy = wide_sub(uy, jy), jz = wide_sub(uz, jz);
        rate = wide_add(rate, wide_add(wide_add(wide_mul(x, jx), wide_mul(y, jy)), wide_mul(z, jz)));
        if (is_begun) add(&smooth, w, jx, jy, jz);
        if (is_begun && is_viscous) add(&drag, g.t, jx, jy, jz);
    }
    shoal_v4 all = wide_sum4(slope.x, slope.y, slope.z, slopes2);
    shoal_water_weigh_from(v, i, wide_sum(sum), shoal_v3_make(all.x, all.y, all.z), all.w, wide_sum(rate));
    shoal_v3 none = {0.0f, 0.0f, 0.0f};
    if (is_begun)
        shoal_water_act_from(v, i, shoal_v3_scale(summed(smooth), -1.0f),
                             is_viscous ? shoal_v3_scale(summed(drag), -1.0f) : none,
                             shoal_v3_scale(summed(push), v->slope));
}

static void weigh_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (!v->pairs)
        for (int i = begin; i < end; i++) shoal_water_weigh(v, i);
    else if (v->is_mixed)
        for (int i = begin; i < end; i++) weigh_one(v, i, true, false, true);
    else if (v->is_begun && v->is_viscous)
        for (int i = begin; i < end; i++) weigh_one(v, i, false, true, true);
    else if (v->is_begun)
        for (int i = begin; i < end; i++) weigh_one(v, i, false, true, false);
    else
        for (int i = begin; i < end; i++) weigh_one(v, i, false, false, false);
}

// Where pairs are kept, it is this pass that comes first.
static void density_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (v->pairs)
        weigh_loop(v, begin, end);
    else
        for (int i = begin; i < end; i++) shoal_water_density_from(v, i, kernel_sum(v, v->place, i));
}

// ---------------------------------------------------------------------------------- forces other than pressure

// Weights by 2 m_j / (m_i + m_j), and the drag of each pair; only mixtures pay for it.
static inline void fraction_out(const shoal_water_view* v, int i, const int* list, wide* smooth, wide* drag,
                                wide* brake) {
    float              a[SHOAL_LANES], b[SHOAL_LANES], c[SHOAL_LANES];
    shoal_water_liquid own = v->liquids[v->material[i]];
    wide_store(a, *smooth), wide_store(b, *drag), wide_store(c, *brake);
    for (int k = 0; k < SHOAL_LANES; k++) {
        shoal_water_liquid other    = v->liquids[v->material[list[k]]];
        float              fraction = shoal_water_mass_factor(own, other);
        a[k] *= fraction, b[k] *= shoal_water_drag(own, other), c[k] *= fraction;
    }
    *smooth = wide_load(a), *drag = wide_load(b), *brake = wide_load(c);
}

// With is_explicit, pressure and artificial viscosity are summed together along x_ij, with their scales.
ALWAYS_INLINE void forces_one(const shoal_water_view* v, int i, bool is_explicit, bool is_mixed, bool is_viscous,
                              bool is_artificial, bool is_sized) {
    const here at = stand(v, v->place[i]);
    const wide ux = wide_set(v->motion[i].x), uy = wide_set(v->motion[i].y), uz = wide_set(v->motion[i].z);
    const wide own = wide_set(v->place[i].w), apply_pressure = wide_set(v->slope), brakes = wide_set(v->artificial);
    const wide blur   = wide_set(-1.0f / (SHOAL_WATER_BLUR * v->h));
    vectors    smooth = {at.zero, at.zero, at.zero}, drag = smooth, along = smooth;
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v->place, list + k, &at);
        if (are_coincident(v, g.r2)) {
            if (is_explicit)
                shoal_water_act(v, i);
            else
                shoal_water_forces(v, i);
            return;
        }
        wide jx, jy, jz, jw;
        wide_gather4(v->motion, list + k, &jx, &jy, &jz, &jw);
        jx = wide_sub(jx, ux), jy = wide_sub(jy, uy), jz = wide_sub(jz, uz);
        wide w = kernel_of(&g, &at), s = g.t, b = at.zero, f = at.zero;
        if (is_artificial || is_explicit) f = wide_mul(slope_of(&g, &at), g.inverse);
        if (is_artificial) {
            wide away = wide_add(wide_add(wide_mul(jx, g.dx), wide_mul(jy, g.dy)), wide_mul(jz, g.dz));
            wide gap  = wide_max(wide_sub(at.zero, g.inverse), blur); // -1/r, but for the very near
            b         = wide_mul(wide_mul(wide_max(away, at.zero), f), wide_mul(gap, gap));
        }
        if (is_mixed) fraction_out(v, i, list + k, &w, &s, &b);
        if (is_sized) w = wide_mul(w, g.companion), s = wide_mul(s, g.companion), b = wide_mul(b, g.companion);
        add(&smooth, w, jx, jy, jz);
        if (is_viscous) add(&drag, s, jx, jy, jz);
        if (is_explicit)
            b = wide_add(wide_mul(b, brakes), wide_mul(wide_mul(wide_add(own, g.companion), f), apply_pressure));
        if (is_artificial || is_explicit) add(&along, b, g.dx, g.dy, g.dz);
    }
    shoal_v3 none = {0.0f, 0.0f, 0.0f}, drags = is_viscous ? summed(drag) : none;
    if (is_explicit)
        shoal_water_act_from(v, i, summed(smooth), drags, summed(along));
    else
        shoal_water_forces_from(v, i, summed(smooth), drags, is_artificial ? summed(along) : none);
}

static void forces_loop(const void* view, int begin, int end) {
    const shoal_water_view* v             = view;
    bool                    is_artificial = v->artificial > 0.0f;
    if (v->is_sized)
        for (int i = begin; i < end; i++) forces_one(v, i, false, v->is_mixed, v->is_viscous, is_artificial, true);
    else if (v->is_mixed)
        for (int i = begin; i < end; i++) forces_one(v, i, false, true, true, is_artificial, false);
    else if (v->is_viscous)
        for (int i = begin; i < end; i++) forces_one(v, i, false, false, true, is_artificial, false);
    else
        for (int i = begin; i < end; i++) forces_one(v, i, false, false, false, is_artificial, false);
}

static void act_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (v->artificial > 0.0f)
        for (int i = begin; i < end; i++) forces_one(v, i, true, false, v->is_viscous, true, false);
    else if (v->is_viscous)
        for (int i = begin; i < end; i++) forces_one(v, i, true, false, true, false, false);
    else
        for (int i = begin; i < end; i++) forces_one(v, i, true, false, false, false, false);
}

// ---------------------------------------------------------------------------------- sweeps

ALWAYS_INLINE float rate_one(const shoal_water_view* v, int i) {
    if (!v->pairs) return shoal_water_rate(v, i);
    const wide     ux = wide_set(v->motion[i].x), uy = wide_set(v->motion[i].y), uz = wide_set(v->motion[i].z);
    wide           sum    = wide_set(0.0f);
    const int*     list   = LIST(v, i);
    const int16_t* stored = PAIRS(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES, stored += 3 * SHOAL_LANES) {
        wide jx, jy, jz, jw;
        wide_gather4(v->motion, list + k, &jx, &jy, &jz, &jw);
        jx  = wide_mul(wide_sub(ux, jx), wide_load16(stored));
        jy  = wide_mul(wide_sub(uy, jy), wide_load16(stored + SHOAL_LANES));
        jz  = wide_mul(wide_sub(uz, jz), wide_load16(stored + 2 * SHOAL_LANES));
        sum = wide_add(sum, wide_add(wide_add(jx, jy), jz));
    }
    return shoal_water_rate_from(v, i, wide_sum(sum) * v->grain);
}

static void diverge_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    for (int i = begin; i < end; i++) shoal_water_diverge_from(v, i, rate_one(v, i));
}

static void compress_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    for (int i = begin; i < end; i++) shoal_water_compress_from(v, i, rate_one(v, i));
}

ALWAYS_INLINE void apply_pressure_one(const shoal_water_view* v, int i) {
    const wide     own = wide_set(v->kappa[i]), zero = wide_set(0.0f);
    vectors        sum    = {zero, zero, zero};
    const int*     list   = LIST(v, i);
    const int16_t* stored = PAIRS(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES, stored += 3 * SHOAL_LANES)
        add(&sum, wide_add(own, wide_gather1(v->kappa, list + k)), wide_load16(stored),
            wide_load16(stored + SHOAL_LANES), wide_load16(stored + 2 * SHOAL_LANES));
    shoal_water_apply_pressure_from(v, i, shoal_v3_scale(summed(sum), v->grain));
}

// The form for comparison has no loop of its own.
static void apply_pressure_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (v->is_mueller || !v->pairs)
        for (int i = begin; i < end; i++) shoal_water_apply_pressure(v, i);
    else
        for (int i = begin; i < end; i++) apply_pressure_one(v, i);
}

const shoal_loop SHOAL_WIDE_NAME(shoal_water_loops)[SHOAL_WATER_PASS_COUNT] = {
    [SHOAL_WATER_lean]           = lean_loop,
    [SHOAL_WATER_level]          = level_loop,
    [SHOAL_WATER_density]        = density_loop,
    [SHOAL_WATER_weigh]          = weigh_loop,
    [SHOAL_WATER_forces]         = forces_loop,
    [SHOAL_WATER_diverge]        = diverge_loop,
    [SHOAL_WATER_compress]       = compress_loop,
    [SHOAL_WATER_predict]        = predict_loop,
    [SHOAL_WATER_apply_pressure] = apply_pressure_loop,
    [SHOAL_WATER_solids]         = solids_loop,
    [SHOAL_WATER_act]            = act_loop,
};
