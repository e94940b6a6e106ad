// SPDX-License-Identifier: MIT
// The passes that walk over neighbours, sixteen at a time; the plain ones in pbf_pass.h are their oracle. Compiled once
// per instruction set; all give the same bits (see math/wide.h).
#include "math/wide.h"
#include "solvers/pbf/pbf_local.h"

// Inlined with its flags as constants, so that each case has a loop of its own.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// x_ij, r^2, and 1/r of one group of neighbours.
typedef struct group {
    wide dx, dy, dz, companion, r2, inverse;
} group;

ALWAYS_INLINE group gather_group(const pbf_view* v, const int* index, wide x, wide y, wide z) {
    group g;
    wide  jx, jy, jz;
    wide_gather4(v->guess, index, &jx, &jy, &jz, &g.companion);
    g.dx      = wide_sub(x, jx);
    g.dy      = wide_sub(y, jy);
    g.dz      = wide_sub(z, jz);
    g.r2      = wide_add(wide_add(wide_mul(g.dx, g.dx), wide_mul(g.dy, g.dy)), wide_mul(g.dz, g.dz));
    g.inverse = wide_rsqrt(g.r2);
    return g;
}

// Two particles in one spot have no direction: the plain pass gives them one.
static inline bool are_coincident(const pbf_view* v, wide r2) { return wide_less(r2, wide_set(1e-12f * v->h2)) != 0; }

#define LIST(v, i) ((v)->near.index + (size_t)SHOAL_LANES * (v)->near.start[i])
#define PLACE(v, i) wide_set((v)->guess[i].x), wide_set((v)->guess[i].y), wide_set((v)->guess[i].z)

// The density kernel without its scale; t = h - r, not below zero.
ALWAYS_INLINE wide weight(wide t, wide r2, wide h2, wide zero, bool is_poly6) {
    wide q = is_poly6 ? wide_max(wide_sub(h2, r2), zero) : t;
    return wide_mul(wide_mul(q, q), q);
}

ALWAYS_INLINE void lambda_one(const pbf_view* v, int i, bool is_poly6, bool is_mixed) {
    const wide zero = wide_set(0.0f), h = wide_set(v->h), h2 = wide_set(v->h2);
    wide       weights = zero, slopes2 = zero, sx = zero, sy = zero, sz = zero;
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v, list + k, PLACE(v, i));
        if (are_coincident(v, g.r2)) {
            pbf_lambda(v, i);
            return;
        }
        wide t  = wide_max(wide_sub(h, wide_mul(g.r2, g.inverse)), zero);
        wide t2 = wide_mul(t, t), f = wide_mul(t2, g.inverse);
        weights = wide_add(weights, weight(t, g.r2, h2, zero, is_poly6));
        wide t4 = wide_mul(t2, t2);
        if (is_mixed) {
            wide ux, uy, uz, light;
            wide_gather4(v->drift, list + k, &ux, &uy, &uz, &light);
            t4 = wide_mul(t4, light);
        }
        slopes2 = wide_add(slopes2, t4);
        sx      = wide_add(sx, wide_mul(f, g.dx));
        sy      = wide_add(sy, wide_mul(f, g.dy));
        sz      = wide_add(sz, wide_mul(f, g.dz));
    }
    shoal_v4 sum = wide_sum4(sx, sy, sz, slopes2);
    pbf_lambda_from(v, i, wide_sum(weights), shoal_v3_make(sum.x, sum.y, sum.z), sum.w);
}

ALWAYS_INLINE wide repulsion(const pbf_view* v, wide r2, wide zero) {
    if (v->params.anti_clumping == PBF_ANTI_CLUMPING_SHORT_RANGE) {
        wide s = wide_max(wide_sub(wide_set(1.0f), wide_mul(r2, wide_set(v->clump_r2))), zero);
        return wide_mul(wide_mul(s, s), wide_set(-v->clump_k));
    }
    wide q     = wide_max(wide_sub(wide_set(v->h2), r2), zero);
    wide ratio = wide_mul(wide_mul(wide_mul(q, q), q), wide_set(v->clump_w)), power = ratio;
    for (int k = 1; k < v->params.clump_power; k++) power = wide_mul(power, ratio);
    return wide_mul(power, wide_set(-v->clump_k));
}

// s_ij by the mean lightness of each pair; only mixtures pay for it.
static inline wide met(const pbf_view* v, int i, const int* list, wide s) {
    float values[SHOAL_LANES];
    wide_store(values, s);
    for (int k = 0; k < SHOAL_LANES; k++) values[k] *= pbf_meet(v, i, list[k]);
    return wide_load(values);
}

ALWAYS_INLINE void correct_one(const pbf_view* v, int i, bool is_mixed) {
    const wide zero = wide_set(0.0f), h = wide_set(v->h), own = wide_set(pbf_lambda_of(v, i));
    wide       sx = zero, sy = zero, sz = zero;
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v, list + k, PLACE(v, i));
        if (are_coincident(v, g.r2)) {
            pbf_correct(v, i);
            return;
        }
        wide t = wide_max(wide_sub(h, wide_mul(g.r2, g.inverse)), zero);
        wide s = repulsion(v, g.r2, zero);
        if (is_mixed) s = met(v, i, list + k, s);
        wide f = wide_add(wide_add(own, g.companion), s);
        f      = wide_mul(wide_mul(f, wide_mul(t, t)), g.inverse);
        sx     = wide_add(sx, wide_mul(f, g.dx));
        sy     = wide_add(sy, wide_mul(f, g.dy));
        sz     = wide_add(sz, wide_mul(f, g.dz));
    }
    shoal_v4 sum = wide_sum4(sx, sy, sz, zero);
    pbf_correct_from(v, i, shoal_v3_make(sum.x, sum.y, sum.z));
}

// Weights by 2 m_j / (m_i + m_j), and the drag of each pair. Division is exact on every set, and only mixtures pay for
// it.
static inline void fraction_out(const pbf_view* v, int i, const int* list, wide* w, wide* drag) {
    float      weights[SHOAL_LANES], drags[SHOAL_LANES];
    pbf_liquid own = v->liquids[v->material[i]];
    wide_store(weights, *w);
    wide_store(drags, *drag);
    for (int k = 0; k < SHOAL_LANES; k++) {
        pbf_liquid other = v->liquids[v->material[list[k]]];
        weights[k] *= pbf_mass_factor(own.lightness, other.lightness);
        drags[k] *= pbf_pair_drag(own, other);
    }
    *w    = wide_load(weights);
    *drag = wide_load(drags);
}

ALWAYS_INLINE void curl_one(const pbf_view* v, int i, bool is_poly6, bool is_mixed) {
    const wide zero = wide_set(0.0f), h = wide_set(v->h), h2 = wide_set(v->h2);
    const wide ux = wide_set(v->drift[i].x), uy = wide_set(v->drift[i].y), uz = wide_set(v->drift[i].z);
    wide       weights = zero, mx = zero, my = zero, mz = zero, cx = zero, cy = zero, cz = zero;
    wide       gx = zero, gy = zero, gz = zero;
    const int* list       = LIST(v, i);
    const bool is_viscous = v->liquids[v->material[i]].viscous > 0.0f;
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v, list + k, PLACE(v, i));
        if (are_coincident(v, g.r2)) {
            pbf_curl(v, i);
            return;
        }
        wide jx, jy, jz, jw;
        wide_gather4(v->drift, list + k, &jx, &jy, &jz, &jw);
        jx = wide_sub(jx, ux), jy = wide_sub(jy, uy), jz = wide_sub(jz, uz);
        wide t = wide_max(wide_sub(h, wide_mul(g.r2, g.inverse)), zero);
        wide w = weight(t, g.r2, h2, zero, is_poly6), f = wide_mul(wide_mul(t, t), g.inverse);
        weights = wide_add(weights, w);
        wide s  = t;
        if (is_mixed) fraction_out(v, i, list + k, &w, &s);
        mx = wide_add(mx, wide_mul(w, jx)), my = wide_add(my, wide_mul(w, jy)), mz = wide_add(mz, wide_mul(w, jz));
        if (is_viscous)
            gx = wide_add(gx, wide_mul(s, jx)), gy = wide_add(gy, wide_mul(s, jy)), gz = wide_add(gz, wide_mul(s, jz));
        cx = wide_add(cx, wide_mul(f, wide_sub(wide_mul(g.dy, jz), wide_mul(g.dz, jy))));
        cy = wide_add(cy, wide_mul(f, wide_sub(wide_mul(g.dz, jx), wide_mul(g.dx, jz))));
        cz = wide_add(cz, wide_mul(f, wide_sub(wide_mul(g.dx, jy), wide_mul(g.dy, jx))));
    }
    shoal_v4 smooth = wide_sum4(mx, my, mz, weights), curl = wide_sum4(cx, cy, cz, zero);
    shoal_v4 drag = {0.0f, 0.0f, 0.0f, 0.0f};
    if (is_viscous) drag = wide_sum4(gx, gy, gz, zero);
    pbf_curl_from(v, i, smooth.w, shoal_v3_make(smooth.x, smooth.y, smooth.z), shoal_v3_make(drag.x, drag.y, drag.z),
                  shoal_v3_make(curl.x, curl.y, curl.z));
}

static void confine_one(const pbf_view* v, int i) {
    const wide zero = wide_set(0.0f), h = wide_set(v->h), own = wide_set(pbf_curl_of(v, i));
    wide       sx = zero, sy = zero, sz = zero;
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v, list + k, PLACE(v, i));
        if (are_coincident(v, g.r2)) {
            pbf_confine(v, i);
            return;
        }
        wide t = wide_max(wide_sub(h, wide_mul(g.r2, g.inverse)), zero);
        wide f = wide_mul(wide_mul(wide_sub(g.companion, own), wide_mul(t, t)), g.inverse);
        sx     = wide_add(sx, wide_mul(f, g.dx));
        sy     = wide_add(sy, wide_mul(f, g.dy));
        sz     = wide_add(sz, wide_mul(f, g.dz));
    }
    shoal_v4 sum = wide_sum4(sx, sy, sz, zero);
    pbf_confine_from(v, i, shoal_v3_make(sum.x, sum.y, sum.z));
}

static void lean_one(const pbf_view* v, int i) {
    const wide zero = wide_set(0.0f), h = wide_set(v->h);
    wide       sx = zero, sy = zero, sz = zero, xx = zero, yy = zero, zz = zero, xy = zero, xz = zero, yz = zero;
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v, list + k, PLACE(v, i));
        if (are_coincident(v, g.r2)) {
            pbf_lean(v, i);
            return;
        }
        wide t = wide_max(wide_sub(h, wide_mul(g.r2, g.inverse)), zero), f = wide_mul(wide_mul(t, t), g.inverse);
        wide fx = wide_mul(f, g.dx), fy = wide_mul(f, g.dy), fz = wide_mul(f, g.dz);
        sx = wide_add(sx, fx), sy = wide_add(sy, fy), sz = wide_add(sz, fz);
        xx = wide_add(xx, wide_mul(fx, g.dx)), yy = wide_add(yy, wide_mul(fy, g.dy)),
        zz = wide_add(zz, wide_mul(fz, g.dz));
        xy = wide_add(xy, wide_mul(fx, g.dy)), xz = wide_add(xz, wide_mul(fx, g.dz)),
        yz = wide_add(yz, wide_mul(fy, g.dz));
    }
    shoal_v4 a = wide_sum4(sx, sy, sz, xx), b = wide_sum4(yy, zz, xy, xz);
    pbf_lean_from(v, i, shoal_v3_make(a.x, a.y, a.z), (shoal_lean){a.w, b.x, b.y, b.z, b.w, wide_sum(yz)});
}

static void level_one(const pbf_view* v, int i) {
    const wide zero = wide_set(0.0f), h = wide_set(v->h);
    const wide ixx = wide_set(v->lean[i].x), iyy = wide_set(v->lean[i].y), ixy = wide_set(v->lean[i].z),
               ixz = wide_set(v->lean[i].w);
    const wide iyz = wide_set(v->lean_yz[i]);
    wide       sx = zero, sy = zero, sz = zero;
    const int* list = LIST(v, i);
    for (int k = 0; k < v->near.count[i]; k += SHOAL_LANES) {
        group g = gather_group(v, list + k, PLACE(v, i));
        if (are_coincident(v, g.r2)) {
            pbf_level(v, i);
            return;
        }
        wide xx, yy, xy, xz, yz = wide_add(iyz, wide_gather1(v->lean_yz, list + k));
        wide_gather4(v->lean, list + k, &xx, &yy, &xy, &xz);
        xx = wide_add(ixx, xx), yy = wide_add(iyy, yy), xy = wide_add(ixy, xy), xz = wide_add(ixz, xz);
        wide t = wide_max(wide_sub(h, wide_mul(g.r2, g.inverse)), zero), f = wide_mul(wide_mul(t, t), g.inverse);
        wide fx = wide_mul(f, g.dx), fy = wide_mul(f, g.dy), fz = wide_mul(f, g.dz);
        sx = wide_add(sx, wide_add(wide_add(wide_mul(xx, fx), wide_mul(xy, fy)), wide_mul(xz, fz)));
        sy = wide_add(sy, wide_add(wide_add(wide_mul(xy, fx), wide_mul(yy, fy)), wide_mul(yz, fz)));
        sz = wide_add(sz, wide_sub(wide_add(wide_mul(xz, fx), wide_mul(yz, fy)), wide_mul(wide_add(xx, yy), fz)));
    }
    shoal_v4 sum = wide_sum4(sx, sy, sz, zero);
    pbf_level_from(v, i, shoal_v3_make(sum.x, sum.y, sum.z));
}

// A loop whose body is compiled for each kernel without and for all mixtures with their questions per pair.
#define LOOP_BY_KERNEL(name)                                                                                           \
    static void name##_loop(const void* view, int begin, int end) {                                                    \
        const pbf_view* v        = view;                                                                               \
        bool            is_poly6 = v->params.density_kernel == PBF_DENSITY_KERNEL_POLY6;                               \
        if (v->is_mixed)                                                                                               \
            for (int i = begin; i < end; i++) name##_one(v, i, is_poly6, true);                                        \
        else if (is_poly6)                                                                                             \
            for (int i = begin; i < end; i++) name##_one(v, i, true, false);                                           \
        else                                                                                                           \
            for (int i = begin; i < end; i++) name##_one(v, i, false, false);                                          \
    }
LOOP_BY_KERNEL(lambda)
LOOP_BY_KERNEL(curl)
#undef LOOP_BY_KERNEL

static void correct_loop(const void* view, int begin, int end) {
    const pbf_view* v = view;
    if (v->is_mixed)
        for (int i = begin; i < end; i++) correct_one(v, i, true);
    else
        for (int i = begin; i < end; i++) correct_one(v, i, false);
}

SHOAL_LOOP(lean_loop, pbf_view, lean_one)
SHOAL_LOOP(level_loop, pbf_view, level_one)

static void confine_loop(const void* view, int begin, int end) {
    const pbf_view* v = view;
    if (v->params.vorticity > 0.0f)
        for (int i = begin; i < end; i++) confine_one(v, i);
    else
        for (int i = begin; i < end; i++) pbf_confine(v, i);
}

const shoal_loop SHOAL_WIDE_NAME(pbf_loops)[PBF_PASS_COUNT] = {
    [PBF_lean] = lean_loop,       [PBF_level] = level_loop, [PBF_lambda] = lambda_loop,
    [PBF_correct] = correct_loop, [PBF_curl] = curl_loop,   [PBF_confine] = confine_loop,
};
