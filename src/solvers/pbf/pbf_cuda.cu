// SPDX-License-Identifier: MIT
// The passes of pbf as kernels. Those that walk over neighbours go on teams of threads (grid/team_cuda.h); what a pair does is in
// pbf_pairs.h, as for the CPU.
#include "grid/team_cuda.h"

extern "C" {
#include "solvers/pbf/pbf_pass.h"
}
#include "solvers/pbf/pbf_pairs.h"

struct pbf_walk : team_pass {
    pbf_own own;
    float   limit2;
    int     i;
    static __device__ __forceinline__ const shoal_near& lists(const pbf_view& v) { return v.near; }
    __device__ __forceinline__ void                     load(const pbf_view& v, int item) {
        own    = pbf_own_of(&v, item);
        limit2 = num_pair_limit2(v.h2);
        i      = item;
    }
    static __device__ __forceinline__ num4 fetch(const pbf_view& v, int j) { return num4_of(&v.guess[j]); }
};

// What the kernel of a pass goes on with, for the same particle: pbf_tell makes next_lambda or next_curl the companion that the
// passes to come see, and `commit` ends the substep.
static __device__ __forceinline__ void goes_on_after_lambda(const pbf_view* v, int i) { pbf_tell(v, i); }
static __device__ __forceinline__ void goes_on_after_curl(const pbf_view* v, int i) { pbf_tell(v, i); }
static __device__ __forceinline__ void goes_on_after_confine(const pbf_view* v, int i) { pbf_commit(v, i); }
static __device__ __forceinline__ void goes_on_after_correct(const pbf_view*, int) {}
static __device__ __forceinline__ void goes_on_after_lean(const pbf_view*, int) {}
static __device__ __forceinline__ void goes_on_after_level(const pbf_view*, int) {}

// NAME_pass<kind>
#define X(name, count, pair_adds, after)                                                                                          \
    template <int kind> struct name##_pass : pbf_walk {                                                                           \
        enum { COUNT = count };                                                                                                   \
        __device__ __forceinline__ bool add(const pbf_view& view, int neighbour, num4 at, team_slope&, float* s) const {          \
            const pbf_view* v    = &view;                                                                                         \
            const pbf_own*  own  = &this->own;                                                                                    \
            const int*      j    = &neighbour;                                                                                    \
            const num_pair  pair = num_pair_of(own->place, at, v->h), *g = &pair;                                                 \
            (void)j;                                                                                                              \
            pair_adds;                                                                                                            \
            return g->r2 < limit2;                                                                                                \
        }                                                                                                                         \
        static __device__ void finish(const pbf_view& view, int i, const float* s) {                                              \
            const pbf_view* v = &view;                                                                                            \
            after;                                                                                                                \
            goes_on_after_##name(v, i);                                                                                           \
        }                                                                                                                         \
        static __device__ void plain(const pbf_view& v, int i) {                                                                  \
            pbf_##name(&v, i);                                                                                                    \
            goes_on_after_##name(&v, i);                                                                                          \
        }                                                                                                                         \
    };
PBF_PAIR_PASSES(X)
#undef X

// Goes on with `apply`, whose geometry of solids costs registers, but spares the way through memory.
struct correct_and_apply : correct_pass<0> {
    static __device__ void finish(const pbf_view& v, int i, const float* s) {
        pbf_apply_shift(&v, i, pbf_shift_from(&v, i, num_sum_v3(s)));
    }
    static __device__ void plain(const pbf_view& v, int i) { pbf_apply_shift(&v, i, pbf_shift_from(&v, i, pbf_pushes(&v, i))); }
};

// The geometry of solids takes many registers and is asked by few: bounded, it goes to memory, and the walk has room
// (docs/reference/device.md).
template <class PASS, int BLOCKS>
static __global__ void __launch_bounds__(TEAM_THREADS, BLOCKS) walk_kernel(const __grid_constant__ pbf_view v, int count) {
    team_walk<PASS>(v, count);
}

template <class PASS, int BLOCKS> static void walk(const void* view, int count, cudaStream_t queue) {
    cuda_start(walk_kernel<PASS, BLOCKS>, team_blocks(count), TEAM_THREADS, queue, *(const pbf_view*)view, count);
}

static bool is_mixed(const void* view) { return ((const pbf_view*)view)->is_mixed; }

static void lambda(const void* view, int count, cudaStream_t queue) {
    (is_mixed(view) ? walk<lambda_pass<PBF_ASKS_KERNEL | PBF_MIXED>, 8> : walk<lambda_pass<PBF_ASKS_KERNEL>, 8>)(view, count, queue);
}
static void correct(const void* view, int count, cudaStream_t queue) {
    (is_mixed(view) ? walk<correct_pass<PBF_MIXED>, 8> : walk<correct_and_apply, 9>)(view, count, queue);
}
static void curl(const void* view, int count, cudaStream_t queue) {
    const pbf_view* v = (const pbf_view*)view;
    (v->is_mixed     ? walk<curl_pass<PBF_ASKS_KERNEL | PBF_MIXED | PBF_VISCOUS>, 4>
     : v->is_viscous ? walk<curl_pass<PBF_ASKS_KERNEL | PBF_VISCOUS>, 5>
                     : walk<curl_pass<PBF_ASKS_KERNEL>, 7>)(view, count, queue);
}

static __device__ __forceinline__ void confine_and_commit(const pbf_view* v, int i) {
    pbf_confine(v, i);
    pbf_commit(v, i);
}
CUDA_PASS(confine_alone, pbf_view, confine_and_commit)
static void confine(const void* view, int count, cudaStream_t queue) {
    (((const pbf_view*)view)->params.vorticity > 0.0f ? walk<confine_pass<0>, 10> : confine_alone)(view, count, queue);
}
static void lean(const void* view, int count, cudaStream_t queue) { walk<lean_pass<0>, 6>(view, count, queue); }
static void level(const void* view, int count, cudaStream_t queue) { walk<level_pass<0>, 8>(view, count, queue); }

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
