// SPDX-License-Identifier: MIT
// The passes of SPH water as kernels. Those that walk over neighbours go on teams of threads (grid/team_cuda.h); what a pair does is
// in water_pairs.h, as for the CPU.
#include "grid/team_cuda.h"

extern "C" {
#include "fluid/water_pass.h"
}
#include "fluid/water_pairs.h"

struct water_walk : team_pass {
    static __device__ __forceinline__ const shoal_near& lists(const shoal_water_view& v) { return v.near; }
    static __device__ __forceinline__ num4              fetch(const shoal_water_view& v, int j) { return num4_of(&v.place[j]); }
    static __device__ __forceinline__ int16_t*          slopes(const shoal_water_view& v) { return v.pairs; }
};

// The slope that a thread keeps of a pair.
static __device__ __forceinline__ int16_t* kept_at(const shoal_water_view*, team_slope& slot) { return slot.axis; }

// NAME_pass<kind>
#define X(name, needs, count, pair_adds, after, instead)                                                                          \
    template <int kind> struct name##_pass : water_walk {                                                                         \
        enum { COUNT = count, SLOPES = name##_slopes };                                                                           \
        water_own                       self;                                                                                     \
        int                             i;                                                                                        \
        __device__ __forceinline__ void load(const shoal_water_view& v, int item) {                                               \
            self = water_own_of(&v, item, needs);                                                                                 \
            i    = item;                                                                                                          \
        }                                                                                                                         \
        __device__ __forceinline__ bool add(const shoal_water_view& view, int neighbour, num4 at, team_slope& slot, float* s) const { \
            const shoal_water_view* v    = &view;                                                                                 \
            const water_own*        own  = &self;                                                                                 \
            const int*              j    = &neighbour;                                                                            \
            const num_pair          pair = num_pair_of(own->place, at, v->h), *g = &pair;                                         \
            (void)j;                                                                                                              \
            pair_adds;                                                                                                            \
            return g->r2 < num_pair_limit2(v->h2);                                                                                \
        }                                                                                                                         \
        static __device__ void finish(const shoal_water_view& view, int i, const float* s) {                                      \
            const shoal_water_view* v = &view;                                                                                    \
            after;                                                                                                                \
        }                                                                                                                         \
        static __device__ void plain(const shoal_water_view& view, int i) {                                                       \
            const shoal_water_view* v = &view;                                                                                    \
            instead;                                                                                                              \
        }                                                                                                                         \
    };
enum { lean_slopes = TEAM_NO_SLOPES, level_slopes = TEAM_NO_SLOPES, weigh_slopes = TEAM_LEFT, forces_slopes = TEAM_NO_SLOPES };
WATER_PAIR_PASSES(X)
#undef X

// ---------------------------------------------------------------------------------- solids and density

// A walk that needs the place of its particle alone.
struct kernel_walk : water_walk {
    num4                                own;
    __device__ __forceinline__ void     load(const shoal_water_view& v, int i) { own = num4_of(&v.place[i]); }
    __device__ __forceinline__ num_pair pair(const shoal_water_view& v, num4 at) const { return num_pair_of(own, at, v.h); }
    __device__ __forceinline__ float    kernel(const shoal_water_view& v, num4 at) const {
        num_pair g = pair(v, at);
        return water_kernel(&g, v.h);
    }
};

struct solids_pass : kernel_walk {
    enum { COUNT = WATER_SOLIDS_SUMS };
    struct seen {}; // few have samples around them, and its sums leave no room
    static __device__ __forceinline__ const shoal_near& lists(const shoal_water_view& v) { return v.boundary; }
    static __device__ __forceinline__ seen              fetch(const shoal_water_view&, int) { return {}; }
    __device__ __forceinline__ bool                     add(const shoal_water_view& v, int b, seen, team_slope&, float* s) const {
        num_pair g = pair(v, num4_of(&v.sample.place[b]));
        water_solids_pair(&v, &g, &b, s);
        return false;
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) { shoal_water_solids_from(&v, i, water_solids_sum(s)); }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_solids(&v, i); }
};

struct density_pass : kernel_walk {
    enum { COUNT = 1 };
    __device__ __forceinline__ bool add(const shoal_water_view& v, int, num4 at, team_slope&, float* s) const {
        s[0] += kernel(v, at);
        return false;
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) { shoal_water_density_from(&v, i, s[0]); }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_density(&v, i); }
};

// Of particles and of samples, each by itself.
struct predict_pass : kernel_walk {
    enum { COUNT = 2, MORE = 1 };
    static __device__ __forceinline__ const shoal_near& more(const shoal_water_view& v) { return v.boundary; }
    __device__ __forceinline__ void load(const shoal_water_view& v, int i) { own = num4_of(&v.guess[i]); }
    static __device__ __forceinline__ num4 fetch(const shoal_water_view& v, int j) { return num4_of(&v.guess[j]); }
    __device__ __forceinline__ bool add(const shoal_water_view& v, int, num4 at, team_slope&, float* s) const {
        s[0] += kernel(v, at);
        return false;
    }
    __device__ __forceinline__ void add_more(const shoal_water_view& v, int b, float* s) const {
        num4 at = num4_of(&v.sample.guess[b]);
        s[1] += at.w * kernel(v, at);
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_water_predict_from(&v, i, v.boundary.count[i] > 0 ? s[0] + s[1] : s[0]);
    }
    static __device__ void plain(const shoal_water_view& v, int i) { shoal_water_predict(&v, i); }
};

// ---------------------------------------------------------------------------------- sweeps, with the slopes that were kept

struct rate_walk : water_walk {
    enum { COUNT = WATER_RATE_SUMS, SLOPES = TEAM_STORED };
    num4                            own;
    __device__ __forceinline__ void load(const shoal_water_view& v, int i) { own = num4_of(&v.motion[i]); }
    static __device__ __forceinline__ num4 fetch(const shoal_water_view& v, int j) { return num4_of(&v.motion[j]); }
    __device__ __forceinline__ bool add(const shoal_water_view&, int, num4 other, team_slope& slope, float* s) const {
        water_rate_pair(own, other, water_kept(slope.axis), s);
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
    enum { COUNT = WATER_PUSH_SUMS, SLOPES = TEAM_STORED };
    typedef float                   seen;
    num                             kappa;
    __device__ __forceinline__ void load(const shoal_water_view& v, int i) { kappa = v.kappa[i]; }
    static __device__ __forceinline__ float fetch(const shoal_water_view& v, int j) { return v.kappa[j]; }
    __device__ __forceinline__ bool add(const shoal_water_view&, int, float other, team_slope& slope, float* s) const {
        water_push_pair(kappa, other, water_kept(slope.axis), s);
        return false;
    }
    static __device__ void finish(const shoal_water_view& v, int i, const float* s) {
        shoal_water_apply_pressure_from(&v, i, shoal_v3_scale(num_sum_v3(s), v.grain));
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
static void lean(const void* view, int count, cudaStream_t queue) { walk<lean_pass<0>, 6>(view, count, queue); }
static void level(const void* view, int count, cudaStream_t queue) { walk<level_pass<0>, 8>(view, count, queue); }
static void predict(const void* view, int count, cudaStream_t queue) { walk<predict_pass, 12>(view, count, queue); }

static void weigh(const void* view, int count, cudaStream_t queue) {
    const shoal_water_view* v = (const shoal_water_view*)view;
    (!v->pairs                      ? plain_weigh
     : v->is_mixed                  ? walk<weigh_pass<WATER_MIXED>, 6>
     : !v->is_begun                 ? walk<weigh_pass<0>, 6>
     : v->is_viscous                ? walk<weigh_pass<WATER_BEGUN | WATER_VISCOUS>, 4>
                                    : walk<weigh_pass<WATER_BEGUN>, 4>)(view, count, queue);
}
// Where slopes are kept, it is this pass that comes first.
static void density(const void* view, int count, cudaStream_t queue) {
    (((const shoal_water_view*)view)->pairs ? weigh : walk<density_pass, 12>)(view, count, queue);
}
static void forces(const void* view, int count, cudaStream_t queue) {
    const shoal_water_view* v = (const shoal_water_view*)view;
    (v->is_mixed     ? walk<forces_pass<WATER_MIXED | WATER_VISCOUS | WATER_ASKS>, 6>
     : v->is_viscous ? walk<forces_pass<WATER_VISCOUS | WATER_ASKS>, 6>
                     : walk<forces_pass<WATER_ASKS>, 7>)(view, count, queue);
}
static void act(const void* view, int count, cudaStream_t queue) {
    (((const shoal_water_view*)view)->is_viscous ? walk<forces_pass<WATER_EXPLICIT | WATER_VISCOUS | WATER_ASKS>, 6> : walk<forces_pass<WATER_EXPLICIT | WATER_ASKS>, 6>)(view, count, queue);
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
