// SPDX-License-Identifier: MIT
// Permuting sets, and what is asked of particles, as kernels.
#include "exec/tables_cuda.h"

extern "C" {
#include "state/set_pass.h"
}

CUDA_PASS(permute, shoal_permute_view, shoal_permute_item)
static const cuda_launch permutes[] = {permute};
extern const cuda_table  cuda_permute = {"permute", sizeof(shoal_permute_view), permutes, NULL, 0, NULL};

// All questions in one walk: a block has a part. Maxima and firsts are kept by each thread; of the sums each is added by a thread of
// its own, one item after the other, while the other warps ask the next items.
enum { SUMS = 11, PARTICLES_THREADS = CUDA_BATCH + 32 };
static __global__ void __launch_bounds__(PARTICLES_THREADS)
    particles_kernel(const __grid_constant__ shoal_particles_view v, int count, unsigned wanted, double* parts, int stride) {
    __shared__ double values[2][SUMS][CUDA_BATCH + 1], firsts[8], speeds[8], depths[8];
    int               part = blockIdx.x, k = (int)threadIdx.x - 32, begin = part * CUDA_SUM_BLOCK;
    int               end  = count - begin < CUDA_SUM_BLOCK ? count : begin + CUDA_SUM_BLOCK;
    double            first = 1e300, speed2 = -INFINITY, depth = -INFINITY, sum = 0.0;
    bool              is_density = wanted >> SHOAL_PARTICLES_excess & 1u;
    cuda_begin(false);
    for (int from = begin, turn = 0; from < end + CUDA_BATCH; from += CUDA_BATCH, turn ^= 1) {
        int i = from + k;
        if (k < 0 && threadIdx.x < SUMS && from > begin)
            sum = cuda_add_up(sum, values[turn ^ 1][threadIdx.x], end - (from - CUDA_BATCH));
        if (k >= 0 && i < end) {
            if (shoal_particles_fault(&v, i)) first = fmin(first, (double)i);
            speed2              = fmax(speed2, shoal_particles_speed2(&v, i));
            depth               = fmax(depth, shoal_particles_depth(&v, i));
            values[turn][0][k] = shoal_particles_height(&v, i);
            values[turn][1][k] = is_density ? shoal_particles_excess(&v, i) : 0.0;
            values[turn][2][k] = shoal_particles_energy(&v, i);
            values[turn][3][k] = shoal_particles_kinetic(&v, i);
            int at             = 4;
#define X(name, how) values[turn][at++][k] = shoal_particles_##name(&v, i);
            SHOAL_PARTICLES_MOTION(X)
#undef X
        }
        __syncthreads();
    }
    for (int half = 16; half > 0; half /= 2) {
        first  = fmin(first, __shfl_xor_sync(~0u, first, half));
        speed2 = fmax(speed2, __shfl_xor_sync(~0u, speed2, half));
        depth  = fmax(depth, __shfl_xor_sync(~0u, depth, half));
    }
    if (k >= 0 && k % 32 == 0) firsts[k / 32] = first, speeds[k / 32] = speed2, depths[k / 32] = depth;
    __syncthreads();
#define X(name, how) , SHOAL_PARTICLES_##name
    const int sums[SUMS] = {SHOAL_PARTICLES_height, SHOAL_PARTICLES_excess, SHOAL_PARTICLES_energy,
                            SHOAL_PARTICLES_kinetic SHOAL_PARTICLES_MOTION(X)};
#undef X
    if (threadIdx.x < SUMS) parts[(size_t)sums[threadIdx.x] * stride + part] = sum;
    if (threadIdx.x > 0) return;
    for (int w = 0; w < 8; w++) first = fmin(first, firsts[w]), speed2 = fmax(speed2, speeds[w]), depth = fmax(depth, depths[w]);
    parts[(size_t)SHOAL_PARTICLES_fault * stride + part]  = first;
    parts[(size_t)SHOAL_PARTICLES_speed2 * stride + part] = speed2;
    parts[(size_t)SHOAL_PARTICLES_depth * stride + part]  = depth;
}

static void particles(const void* view, int count, unsigned wanted, double* parts, int stride, cudaStream_t queue) {
    cuda_start(particles_kernel, stride, PARTICLES_THREADS, queue, *(const shoal_particles_view*)view, count, wanted, parts, stride);
}

#define X(name, how) {NULL, CUDA_##how},
static const cuda_fold  folds[]    = {SHOAL_PARTICLES_FOLDS(X)};
#undef X
extern const cuda_table cuda_particles = {"particles", sizeof(shoal_particles_view), NULL, folds, CUDA_COUNT(folds), particles};
