// SPDX-License-Identifier: MIT
// The passes of SPH water as kernels. Those that walk over neighbours are the wide ones of water_wide.c, with the same operations
// in the same order, on teams of threads (grid/team_cuda.h).
#include "grid/team_cuda.h"

extern "C" {
#include "fluid/water_pass.h"
}

// As the wide passes do: t = h - r, u = h/2 - r, not below zero.
struct water_pair : team_pair {
    float                      t, u;
    __device__ __forceinline__ water_pair(float4 at, float4 own, float h) : team_pair(at, own) {
        float r = r2 * inverse;
        t       = team_max(h - r, 0.0f);
        u       = team_max(0.5f * h - r, 0.0f);
    }
    __device__ __forceinline__ float kernel() const { return (t * t) * t - 4.0f * ((u * u) * u); }
    __device__ __forceinline__ float slope() const { return t * t - 4.0f * (u * u); }
};

struct water_walk : team_pass {
    float4                                              own;
    static __device__ __forceinline__ const shoal_near& lists(const shoal_water_view& v) { return v.near; }
    __device__ __forceinline__ void                     load(const shoal_water_view& v, int i) { own = ((const float4*)v.place)[i]; }
    static __device__ __forceinline__ float4            fetch(const shoal_water_view& v, int j) { return ((const float4*)v.place)[j]; }
    static __device__ __forceinline__ int16_t*          slopes(const shoal_water_view& v) { return v.pairs; }
    // Two in one spot have no direction: the plain pass gives them one.
    static __device__ __forceinline__ bool meet(const shoal_water_view& v, const water_pair& g) { return g.r2 < 1e-12f * v.h2; }
};

static __device__ __forceinline__ void add3(float* sum, float f, float x, float y, float z) {
    sum[0] += f * x, sum[1] += f * y, sum[2] += f * z;
}
static __device__ __forceinline__ shoal_v3 v3_at(const float* s) { return shoal_v3_make(s[0], s[1], s[2]); }

// ---------------------------------------------------------------------------------- solids and density

// fraction, slope, inflow, stream, friction, hold, layer
struct solids_pass : water_walk {
    enum { COUNT = 11 };
    struct seen {}; // few have samples around them, and its sums leave no room
    static __device__ __forceinline__ const shoal_near& lists(const shoal_water_view& v) { return v.boundary; }
    static __device__ __forceinline__ seen              fetch(const shoal_water_view&, int) { return {}; }
    __device__ __forceinline__ bool                     add(const shoal_water_view& v, int b, seen, team_slope&, float* s) const {
        water_pair g(((const float4*)v.sample.place)[b], own, v.h);
        float      w = g.companion * g.kernel(), f = g.companion * (g.slope() * g.inverse);
        s[0] += w;
        add3(s + 1, f, g.dx, g.dy, g.dz);
        if (!v.has_wall_drag) return false;
        float4 u = ((const float4*)v.sample.motion)[b];
        s[4] += f * ((u.x * g.dx + u.y * g.dy) + u.z * g.dz);
        add3(s + 5, w, u.x, u.y, u.z);
        s[8] += w * team_max(u.w, 0.0f);
        s[9] += (g.companion * g.t) * team_max(0.0f - u.w, 0.0f);
        s[10] += w * v.sample.layer[b];
        return false;
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_water_boundary sum = {s[0], v3_at(s + 1), s[4], v3_at(s + 5), s[8], s[9], s[10]};
        shoal_water_solids_from(&v, i, sum);
    }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_solids(&v, i); }
};

struct density_pass : water_walk {
    enum { COUNT = 1 };
    __device__ __forceinline__ bool add(const shoal_water_view& v, int j, float4 at, team_slope&, float* s) const {
        s[0] += water_pair(at, own, v.h).kernel();
        return false;
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) { shoal_water_density_from(&v, i, s[0]); }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_density(&v, i); }
};

// Of particles and of samples, each by itself.
struct predict_pass : water_walk {
    enum { COUNT = 2, MORE = 1 };
    static __device__ __forceinline__ const shoal_near& more(const shoal_water_view& v) { return v.boundary; }
    __device__ __forceinline__ void load(const shoal_water_view& v, int i) { own = ((const float4*)v.guess)[i]; }
    static __device__ __forceinline__ float4 fetch(const shoal_water_view& v, int j) { return ((const float4*)v.guess)[j]; }
    __device__ __forceinline__ bool add(const shoal_water_view& v, int j, float4 at, team_slope&, float* s) const {
        s[0] += water_pair(at, own, v.h).kernel();
        return false;
    }
    __device__ __forceinline__ void add_more(const shoal_water_view& v, int b, float* s) const {
        water_pair g(((const float4*)v.sample.guess)[b], own, v.h);
        s[1] += g.companion * g.kernel();
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_water_predict_from(&v, i, v.boundary.count[i] > 0 ? s[0] + s[1] : s[0]);
    }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_predict(&v, i); }
};

// As wide_store16.
static __device__ __forceinline__ short to16(float a) {
    int whole = __float2int_rn(a);
    return (short)(whole > INT16_MAX ? INT16_MAX : whole < INT16_MIN ? INT16_MIN : whole);
}

// sum, slopes2, slope, rate; and where pressure is known to begin with: push, smooth, drag.
template <bool MIXED, bool BEGUN, bool VISCOUS> struct weigh_pass : water_walk {
    enum { COUNT = BEGUN ? VISCOUS ? 15 : 12 : 6, SLOPES = TEAM_LEFT };
    float4                          u;
    float                           grains;
    __device__ __forceinline__ void load(const shoal_water_view& v, int i) {
        water_walk::load(v, i);
        u      = ((const float4*)v.motion)[i];
        grains = 1.0f / v.grain;
    }
    __device__ __forceinline__ bool add(const shoal_water_view& v, int j, float4 at, team_slope& slope, float* s) const {
        water_pair g(at, own, v.h);
        float      f = g.slope(), f2 = f * f, along = f * g.inverse, x = along * g.dx, y = along * g.dy, z = along * g.dz, w = g.kernel();
        s[0] += w;
        if (MIXED) f2 *= v.liquids[v.material[j]].light;
        s[1] += f2;
        s[2] += x, s[3] += y, s[4] += z;
        slope = {to16(x * grains), to16(y * grains), to16(z * grains)};
        if (BEGUN) add3(s + 6, own.w + g.companion, x, y, z);
        if (MIXED || BEGUN) {
            float4 other = ((const float4*)v.motion)[j];
            float  jx = u.x - other.x, jy = u.y - other.y, jz = u.z - other.z;
            s[5] += (x * jx + y * jy) + z * jz;
            if (BEGUN) add3(s + 9, w, jx, jy, jz);
            if (BEGUN && VISCOUS) add3(s + 12, g.t, jx, jy, jz);
        }
        return meet(v, g);
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_v3 none = {0.0f, 0.0f, 0.0f};
        shoal_water_weigh_from(&v, i, s[0], v3_at(s + 2), s[1], s[5]);
        if (BEGUN)
            shoal_water_act_from(&v, i, shoal_v3_scale(v3_at(s + 9), -1.0f), VISCOUS ? shoal_v3_scale(v3_at(s + 12), -1.0f) : none,
                                 shoal_v3_scale(v3_at(s + 6), v.slope));
    }
    static __device__ void plain(const shoal_water_view& v, int i) {
        shoal_water_weigh(&v, i);
        shoal_water_keep_slopes(&v, i);
    }
};

// ---------------------------------------------------------------------------------- a liquid, not a crystal

struct lean_pass : water_walk {
    enum { COUNT = 9 };
    __device__ __forceinline__ bool add(const shoal_water_view& v, int j, float4 at, team_slope&, float* s) const {
        water_pair g(at, own, v.h);
        float      f = g.slope() * g.inverse, fx = f * g.dx, fy = f * g.dy, fz = f * g.dz;
        s[0] += fx, s[1] += fy, s[2] += fz;
        s[3] += fx * g.dx, s[4] += fy * g.dy, s[5] += fz * g.dz;
        s[6] += fx * g.dy, s[7] += fx * g.dz, s[8] += fy * g.dz;
        return meet(v, g);
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_lean sum = {s[3], s[4], s[5], s[6], s[7], s[8]};
        shoal_water_lean_from(&v, i, v3_at(s), sum);
    }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_lean(&v, i); }
};

struct level_pass : water_walk {
    enum { COUNT = 3 };
    float4                          lean;
    float                           lean_yz;
    __device__ __forceinline__ void load(const shoal_water_view& v, int i) {
        water_walk::load(v, i);
        lean    = ((const float4*)v.lean)[i];
        lean_yz = v.lean_yz[i];
    }
    __device__ __forceinline__ bool add(const shoal_water_view& v, int j, float4 at, team_slope&, float* s) const {
        water_pair g(at, own, v.h);
        float4     other = ((const float4*)v.lean)[j];
        float      xx = lean.x + other.x, yy = lean.y + other.y, xy = lean.z + other.z, xz = lean.w + other.w,
              yz = lean_yz + v.lean_yz[j];
        float f = g.slope() * g.inverse, fx = f * g.dx, fy = f * g.dy, fz = f * g.dz;
        s[0] += (xx * fx + xy * fy) + xz * fz;
        s[1] += (xy * fx + yy * fy) + yz * fz;
        s[2] += (xz * fx + yz * fy) - (xx + yy) * fz;
        return meet(v, g);
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) { shoal_water_level_from(&v, i, v3_at(s)); }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_level(&v, i); }
};

// ---------------------------------------------------------------------------------- forces other than pressure

// smooth, along, drag. With EXPLICIT, pressure and artificial viscosity are summed together, with their scales.
template <bool EXPLICIT, bool MIXED, bool VISCOUS> struct forces_pass : water_walk {
    enum { COUNT = VISCOUS ? 9 : 6 };
    float4                          u;
    float                           blur;
    int                             i;
    __device__ __forceinline__ void load(const shoal_water_view& v, int item) {
        water_walk::load(v, item);
        u    = ((const float4*)v.motion)[item];
        blur = -1.0f / (SHOAL_WATER_BLUR * v.h);
        i    = item;
    }
    __device__ __forceinline__ bool add(const shoal_water_view& v, int j, float4 at, team_slope&, float* s) const {
        water_pair g(at, own, v.h);
        float4     other = ((const float4*)v.motion)[j];
        float      jx = other.x - u.x, jy = other.y - u.y, jz = other.z - u.z, w = g.kernel(), drag = g.t, b = 0.0f, f = 0.0f;
        bool       is_artificial = v.artificial > 0.0f;
        if (is_artificial || EXPLICIT) f = g.slope() * g.inverse;
        if (is_artificial) {
            float away = (jx * g.dx + jy * g.dy) + jz * g.dz, gap = team_max(0.0f - g.inverse, blur);
            b = (team_max(away, 0.0f) * f) * (gap * gap);
        }
        if (MIXED) {
            shoal_water_liquid mine = v.liquids[v.material[i]], its = v.liquids[v.material[j]];
            float              fraction = shoal_water_mass_factor(mine, its);
            w *= fraction, drag *= shoal_water_drag(mine, its), b *= fraction;
        }
        add3(s, w, jx, jy, jz);
        if (VISCOUS) add3(s + 6, drag, jx, jy, jz);
        if (EXPLICIT) b = b * v.artificial + ((own.w + g.companion) * f) * v.slope;
        if (is_artificial || EXPLICIT) add3(s + 3, b, g.dx, g.dy, g.dz);
        return meet(v, g);
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_v3 drag = VISCOUS ? v3_at(s + 6) : shoal_v3_make(0.0f, 0.0f, 0.0f);
        if (EXPLICIT)
            shoal_water_act_from(&v, i, v3_at(s), drag, v3_at(s + 3));
        else
            shoal_water_forces_from(&v, i, v3_at(s), drag, v3_at(s + 3));
    }
    static __device__ void plain(const shoal_water_view& v, int i) {
        if (EXPLICIT)
            shoal_water_act(&v, i);
        else
            shoal_water_forces(&v, i);
    }
};

// ---------------------------------------------------------------------------------- sweeps, with the slopes that were kept

struct rate_walk : water_walk {
    enum { COUNT = 1, SLOPES = TEAM_STORED };
    float4                          u;
    __device__ __forceinline__ void load(const shoal_water_view& v, int i) { u = ((const float4*)v.motion)[i]; }
    static __device__ __forceinline__ float4 fetch(const shoal_water_view& v, int j) { return ((const float4*)v.motion)[j]; }
    __device__ __forceinline__ bool add(const shoal_water_view&, int, float4 other, team_slope& slope, float* s) const {
        float  x = (u.x - other.x) * (float)slope.x, y = (u.y - other.y) * (float)slope.y, z = (u.z - other.z) * (float)slope.z;
        s[0] += (x + y) + z;
        return false;
    }
};
struct diverge_pass : rate_walk {
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_water_diverge_from(&v, i, shoal_water_rate_from(&v, i, s[0] * v.grain));
    }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_diverge(&v, i); }
};
struct compress_pass : rate_walk {
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_water_compress_from(&v, i, shoal_water_rate_from(&v, i, s[0] * v.grain));
    }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_compress(&v, i); }
};

struct apply_pressure_pass : water_walk {
    enum { COUNT = 3, SLOPES = TEAM_STORED };
    typedef float seen;
    float                           kappa;
    __device__ __forceinline__ void load(const shoal_water_view& v, int i) { kappa = v.kappa[i]; }
    static __device__ __forceinline__ float fetch(const shoal_water_view& v, int j) { return v.kappa[j]; }
    __device__ __forceinline__ bool add(const shoal_water_view&, int, float other, team_slope& slope, float* s) const {
        add3(s, kappa + other, (float)slope.x, (float)slope.y, (float)slope.z);
        return false;
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_water_apply_pressure_from(&v, i, shoal_v3_scale(v3_at(s), v.grain));
    }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_apply_pressure(&v, i); }
};

// ---------------------------------------------------------------------------------- kernels

// As in pbf_cuda.cu: blocks at a time bound the registers, and the geometry of solids spills.
template <class PASS, int BLOCKS>
static __global__ void __launch_bounds__(TEAM_THREADS, BLOCKS) water_kernel(const __grid_constant__ shoal_water_view v, int count) {
    team_walk<PASS>(v, count);
}

template <class PASS, int BLOCKS> static void walk(const void* view, int count, cudaStream_t queue) {
    cuda_start(water_kernel<PASS, BLOCKS>, team_blocks(count), TEAM_THREADS, queue, *(const shoal_water_view*)view, count);
}

// clang-format off
#define WATER_LONE_PASSES(X) X(stand) X(state) X(cohere) X(accelerate) X(keep) X(thicken) X(begin) X(foresee) X(retract) X(tell) X(recall) X(finish) X(settle) X(advance)
// Where no slopes are kept.
#define WATER_PLAIN_PASSES(X) X(weigh) X(diverge) X(compress) X(apply_pressure)
// clang-format on
#define X(name) CUDA_PASS(name, shoal_water_view, shoal_water_##name)
WATER_LONE_PASSES(X)
#undef X
#define X(name) CUDA_PASS(plain_##name, shoal_water_view, shoal_water_##name)
WATER_PLAIN_PASSES(X)
#undef X

static void solids(const void* view, int count, cudaStream_t queue) { walk<solids_pass, 6>(view, count, queue); }
static void lean(const void* view, int count, cudaStream_t queue) { walk<lean_pass, 6>(view, count, queue); }
static void level(const void* view, int count, cudaStream_t queue) { walk<level_pass, 8>(view, count, queue); }
static void predict(const void* view, int count, cudaStream_t queue) { walk<predict_pass, 12>(view, count, queue); }

static void weigh(const void* view, int count, cudaStream_t queue) {
    const shoal_water_view* v = (const shoal_water_view*)view;
    (!v->pairs                      ? plain_weigh
     : v->is_mixed                  ? walk<weigh_pass<true, false, false>, 6>
     : !v->is_begun                 ? walk<weigh_pass<false, false, false>, 6>
     : v->is_viscous                ? walk<weigh_pass<false, true, true>, 4>
                                    : walk<weigh_pass<false, true, false>, 4>)(view, count, queue);
}
// Where slopes are kept, it is this pass that comes first.
static void density(const void* view, int count, cudaStream_t queue) {
    (((const shoal_water_view*)view)->pairs ? weigh : walk<density_pass, 12>)(view, count, queue);
}
static void forces(const void* view, int count, cudaStream_t queue) {
    const shoal_water_view* v = (const shoal_water_view*)view;
    (v->is_mixed     ? walk<forces_pass<false, true, true>, 6>
     : v->is_viscous ? walk<forces_pass<false, false, true>, 6>
                     : walk<forces_pass<false, false, false>, 7>)(view, count, queue);
}
static void act(const void* view, int count, cudaStream_t queue) {
    (((const shoal_water_view*)view)->is_viscous ? walk<forces_pass<true, false, true>, 6> : walk<forces_pass<true, false, false>, 6>)(view, count, queue);
}
static void diverge(const void* view, int count, cudaStream_t queue) {
    (((const shoal_water_view*)view)->pairs ? walk<diverge_pass, 10> : plain_diverge)(view, count, queue);
}
static void compress(const void* view, int count, cudaStream_t queue) {
    (((const shoal_water_view*)view)->pairs ? walk<compress_pass, 10> : plain_compress)(view, count, queue);
}
// The form for comparison has no walk of its own.
static void apply_pressure(const void* view, int count, cudaStream_t queue) {
    const shoal_water_view* v = (const shoal_water_view*)view;
    (v->pairs && !v->is_mueller ? walk<apply_pressure_pass, 10> : plain_apply_pressure)(view, count, queue);
}

CUDA_SUM(errors, shoal_water_view, shoal_water_errors)
CUDA_SUM(excess, shoal_water_view, shoal_water_excess)
CUDA_WHOLE_SUM(surface, shoal_water_view, shoal_water_surface)
CUDA_SUM(overfull, shoal_water_view, shoal_water_overfull)
CUDA_MOST(pushed, shoal_water_view, shoal_water_pushed)

#define X(name) name,
static const cuda_launch passes[] = {SHOAL_WATER_PASSES(X)};
#undef X
#define X(name, how) {name, CUDA_##how},
static const cuda_fold folds[] = {SHOAL_WATER_FOLDS(X)};
#undef X
extern const cuda_table cuda_water = {"water", sizeof(shoal_water_view), passes, folds, CUDA_COUNT(folds), NULL};
