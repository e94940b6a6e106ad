// SPDX-License-Identifier: MIT
// The passes of pbf as kernels. Those that walk over neighbours are the wide ones of pbf_wide.c, with the same operations in the
// same order, on teams of threads (grid/team_cuda.h).
#include "grid/team_cuda.h"

extern "C" {
#include "solvers/pbf/pbf_pass.h"
}

struct pbf_walk : team_pass {
    float4 own;
    float  h, limit2;
    int    i;
    static __device__ __forceinline__ const shoal_near& lists(const pbf_view& v) { return v.near; }
    __device__ __forceinline__ void                     load(const pbf_view& v, int item) {
        own    = ((const float4*)v.guess)[item];
        h      = v.h;
        limit2 = 1e-12f * v.h2;
        i      = item;
    }
    static __device__ __forceinline__ float4 fetch(const pbf_view& v, int j) { return ((const float4*)v.guess)[j]; }
    __device__ __forceinline__ float nearness(const team_pair& g) const { return team_max(h - g.r2 * g.inverse, 0.0f); }
};

static __device__ __forceinline__ float weight(const pbf_view& v, float t, float r2) {
    float q = v.params.density_kernel == PBF_DENSITY_KERNEL_POLY6 ? team_max(v.h2 - r2, 0.0f) : t;
    return (q * q) * q;
}

template <bool MIXED> struct lambda_pass : pbf_walk {
    enum { COUNT = 5 };
    __device__ __forceinline__ bool add(const pbf_view& v, int j, float4 at, team_slope&, float* s) const {
        team_pair g(at, own);
        float     t = nearness(g), t2 = t * t, f = t2 * g.inverse, t4 = t2 * t2;
        if (MIXED) t4 *= v.drift[j].w;
        s[0] += weight(v, t, g.r2);
        s[1] += f * g.dx, s[2] += f * g.dy, s[3] += f * g.dz;
        s[4] += t4;
        return g.r2 < limit2;
    }
    static __device__ void finish(const pbf_view& v, int i, const float* s) {
        pbf_lambda_from(&v, i, s[0], shoal_v3_make(s[1], s[2], s[3]), s[4]);
        pbf_tell(&v, i);
    }
    static __device__ void plain(const pbf_view& v, int i) {
        pbf_lambda(&v, i);
        pbf_tell(&v, i);
    }
};

static __device__ __forceinline__ float repulsion(const pbf_view& v, float r2) {
    if (v.params.anti_clumping == PBF_ANTI_CLUMPING_SHORT_RANGE) {
        float s = team_max(1.0f - r2 * v.clump_r2, 0.0f);
        return (s * s) * -v.clump_k;
    }
    float q = team_max(v.h2 - r2, 0.0f), ratio = ((q * q) * q) * v.clump_w, power = ratio;
    for (int k = 1; k < v.params.clump_power; k++) power = power * ratio;
    return power * -v.clump_k;
}

// APPLIES: and goes on with `apply`, whose geometry of solids costs registers, but spares the way through memory.
template <bool MIXED, bool APPLIES> struct correct_pass : pbf_walk {
    enum { COUNT = 3 };
    __device__ __forceinline__ bool add(const pbf_view& v, int j, float4 at, team_slope&, float* sum) const {
        team_pair g(at, own);
        float     t = nearness(g), s = repulsion(v, g.r2);
        if (MIXED) s *= pbf_meet(&v, i, j);
        float f = (((own.w + g.companion) + s) * (t * t)) * g.inverse;
        sum[0] += f * g.dx, sum[1] += f * g.dy, sum[2] += f * g.dz;
        return g.r2 < limit2;
    }
    static __device__ void finish(const pbf_view& v, int i, const float* s) {
        from(v, i, shoal_v3_make(s[0], s[1], s[2]));
    }
    static __device__ void plain(const pbf_view& v, int i) { from(v, i, pbf_pushes(&v, i)); }
    static __device__ void from(const pbf_view& v, int i, shoal_v3 sum) {
        if constexpr (APPLIES)
            pbf_apply_shift(&v, i, pbf_shift_from(&v, i, sum));
        else
            pbf_correct_from(&v, i, sum);
    }
};

// Ten sums where a liquid is viscous, else seven; those that are not wanted stay zero, as in the wide pass.
template <bool MIXED, bool VISCOUS> struct curl_pass : pbf_walk {
    enum { COUNT = VISCOUS ? 10 : 7 };
    struct seen {
        float4 place, drift;
    };
    float4 u;
    bool   is_viscous;
    static __device__ __forceinline__ seen fetch(const pbf_view& v, int j) {
        return {((const float4*)v.guess)[j], ((const float4*)v.drift)[j]};
    }
    __device__ __forceinline__ void load(const pbf_view& v, int item) {
        pbf_walk::load(v, item);
        u          = ((const float4*)v.drift)[item];
        is_viscous = VISCOUS && v.liquids[v.material[item]].viscous > 0.0f;
    }
    __device__ __forceinline__ bool add(const pbf_view& v, int j, const seen& other, team_slope&, float* s) const {
        team_pair g(other.place, own);
        float     jx = other.drift.x - u.x, jy = other.drift.y - u.y, jz = other.drift.z - u.z;
        float     t = nearness(g), w = weight(v, t, g.r2), f = (t * t) * g.inverse, drag = t;
        s[0] += w;
        if (MIXED) {
            pbf_liquid mine = v.liquids[v.material[i]], its = v.liquids[v.material[j]];
            w *= pbf_mass_factor(mine.lightness, its.lightness);
            drag *= pbf_pair_drag(mine, its);
        }
        s[1] += w * jx, s[2] += w * jy, s[3] += w * jz;
        s[4] += f * (g.dy * jz - g.dz * jy);
        s[5] += f * (g.dz * jx - g.dx * jz);
        s[6] += f * (g.dx * jy - g.dy * jx);
        if (VISCOUS && is_viscous) s[7] += drag * jx, s[8] += drag * jy, s[9] += drag * jz;
        return g.r2 < limit2;
    }
    static __device__ void finish(const pbf_view& v, int i, const float* s) {
        shoal_v3 drag = VISCOUS ? shoal_v3_make(s[7], s[8], s[9]) : shoal_v3_make(0.0f, 0.0f, 0.0f);
        pbf_curl_from(&v, i, s[0], shoal_v3_make(s[1], s[2], s[3]), drag, shoal_v3_make(s[4], s[5], s[6]));
        pbf_tell(&v, i);
    }
    static __device__ void plain(const pbf_view& v, int i) {
        pbf_curl(&v, i);
        pbf_tell(&v, i);
    }
};

static __device__ __forceinline__ void confine_and_commit(const pbf_view* v, int i) {
    pbf_confine(v, i);
    pbf_commit(v, i);
}

struct confine_pass : pbf_walk {
    enum { COUNT = 3 };
    __device__ __forceinline__ bool add(const pbf_view& v, int j, float4 at, team_slope&, float* s) const {
        team_pair g(at, own);
        float     t = nearness(g), f = ((g.companion - own.w) * (t * t)) * g.inverse;
        s[0] += f * g.dx, s[1] += f * g.dy, s[2] += f * g.dz;
        return g.r2 < limit2;
    }
    static __device__ void finish(const pbf_view& v, int i, const float* s) {
        pbf_confine_from(&v, i, shoal_v3_make(s[0], s[1], s[2]));
        pbf_commit(&v, i);
    }
    static __device__ void plain(const pbf_view& v, int i) { confine_and_commit(&v, i); }
};

struct lean_pass : pbf_walk {
    enum { COUNT = 9 };
    __device__ __forceinline__ bool add(const pbf_view& v, int j, float4 at, team_slope&, float* s) const {
        team_pair g(at, own);
        float     t = nearness(g), f = (t * t) * g.inverse, fx = f * g.dx, fy = f * g.dy, fz = f * g.dz;
        s[0] += fx, s[1] += fy, s[2] += fz;
        s[3] += fx * g.dx, s[4] += fy * g.dy, s[5] += fz * g.dz;
        s[6] += fx * g.dy, s[7] += fx * g.dz, s[8] += fy * g.dz;
        return g.r2 < limit2;
    }
    static __device__ void finish(const pbf_view& v, int i, const float* s) {
        shoal_lean sum = {s[3], s[4], s[5], s[6], s[7], s[8]};
        pbf_lean_from(&v, i, shoal_v3_make(s[0], s[1], s[2]), sum);
    }
    static __device__ void plain(const pbf_view& v, int i) { pbf_lean(&v, i); }
};

struct level_pass : pbf_walk {
    enum { COUNT = 3 };
    float4 lean;
    float  lean_yz;
    __device__ __forceinline__ void load(const pbf_view& v, int item) {
        pbf_walk::load(v, item);
        lean    = ((const float4*)v.lean)[item];
        lean_yz = v.lean_yz[item];
    }
    __device__ __forceinline__ bool add(const pbf_view& v, int j, float4 at, team_slope&, float* s) const {
        team_pair g(at, own);
        float4    other = ((const float4*)v.lean)[j];
        float     xx = lean.x + other.x, yy = lean.y + other.y, xy = lean.z + other.z, xz = lean.w + other.w,
              yz = lean_yz + v.lean_yz[j];
        float t = nearness(g), f = (t * t) * g.inverse, fx = f * g.dx, fy = f * g.dy, fz = f * g.dz;
        s[0] += (xx * fx + xy * fy) + xz * fz;
        s[1] += (xy * fx + yy * fy) + yz * fz;
        s[2] += (xz * fx + yz * fy) - (xx + yy) * fz;
        return g.r2 < limit2;
    }
    static __device__ void finish(const pbf_view& v, int i, const float* s) {
        pbf_level_from(&v, i, shoal_v3_make(s[0], s[1], s[2]));
    }
    static __device__ void plain(const pbf_view& v, int i) { pbf_level(&v, i); }
};

// The geometry of solids takes many registers and is asked by few: bounded, it goes to memory, and the walk has room
// (docs/device.md).
template <class PASS, int BLOCKS>
static __global__ void __launch_bounds__(TEAM_THREADS, BLOCKS) walk_kernel(const __grid_constant__ pbf_view v, int count) {
    team_walk<PASS>(v, count);
}

template <class PASS, int BLOCKS> static void walk(const void* view, int count, cudaStream_t queue) {
    cuda_start(walk_kernel<PASS, BLOCKS>, team_blocks(count), TEAM_THREADS, queue, *(const pbf_view*)view, count);
}

static bool is_mixed(const void* view) { return ((const pbf_view*)view)->is_mixed; }

static void lambda(const void* view, int count, cudaStream_t queue) {
    (is_mixed(view) ? walk<lambda_pass<true>, 8> : walk<lambda_pass<false>, 8>)(view, count, queue);
}
static void correct(const void* view, int count, cudaStream_t queue) {
    (is_mixed(view) ? walk<correct_pass<true, false>, 8> : walk<correct_pass<false, true>, 9>)(view, count, queue);
}
static void curl(const void* view, int count, cudaStream_t queue) {
    const pbf_view* v = (const pbf_view*)view;
    (v->is_mixed     ? walk<curl_pass<true, true>, 4>
     : v->is_viscous ? walk<curl_pass<false, true>, 5>
                     : walk<curl_pass<false, false>, 7>)(view, count, queue);
}

CUDA_PASS(confine_alone, pbf_view, confine_and_commit)
static void confine(const void* view, int count, cudaStream_t queue) {
    (((const pbf_view*)view)->params.vorticity > 0.0f ? walk<confine_pass, 10> : confine_alone)(view, count, queue);
}
static void lean(const void* view, int count, cudaStream_t queue) { walk<lean_pass, 6>(view, count, queue); }
static void level(const void* view, int count, cudaStream_t queue) { walk<level_pass, 8>(view, count, queue); }

// clang-format off
#define PBF_LONE_PASSES(X) X(aim) X(predict) X(cohere) X(pull) X(measure) X(hold) X(follow) X(rest)
// clang-format on
#define X(name) CUDA_PASS(name, pbf_view, pbf_##name)
PBF_LONE_PASSES(X)
#undef X
static __device__ __forceinline__ void walls_and_tell(const pbf_view* v, int i) {
    pbf_walls(v, i);
    pbf_tell(v, i);
}
CUDA_PASS(walls, pbf_view, walls_and_tell)
CUDA_PASS(apply_alone, pbf_view, pbf_apply)
static void apply(const void* view, int count, cudaStream_t queue) {
    if (is_mixed(view)) apply_alone(view, count, queue);
}
// Passes of one thread that follow another of the same particle are done by that kernel: who walks over neighbours does not look at
// the companion of a place while lambda, walls or curl is found, nor at what `commit` writes while swirl is put back.
static void tell(const void*, int, cudaStream_t) {}
static void commit(const void*, int, cudaStream_t) {}
CUDA_SUM(sum_compression, pbf_view, pbf_compression)
CUDA_WHOLE_SUM(sum_limited, pbf_view, pbf_limited)

#define X(name) name,
static const cuda_launch passes[] = {PBF_PASSES(X)};
#undef X
#define X(name) {sum_##name, CUDA_SUM},
static const cuda_fold folds[] = {PBF_SUMS(X)};
#undef X
extern const cuda_table cuda_pbf = {"pbf", sizeof(pbf_view), passes, folds, CUDA_COUNT(folds), NULL};
