// SPDX-License-Identifier: MIT
// Particles in the order of their cells, and the blocks of the lattice around them.
#include <math.h>

#include "solvers/tetra/tetra_local.h"

enum { BLOCK = 4096, CELL_BITS = 6, RIM = 2 };
// Blocks that can be named along an axis, so that keys of cells fit 64 bits and the octree its levels.
#define BLOCKS_MOST 0x1p17

typedef struct sort_job {
    tetra*          s;
    const shoal_v3* position;
    uint64_t*       keys;
} sort_job;

void tetra_cell_of(const tetra* s, shoal_d3 at, int cell[3]) {
    double per_edge = 1.0 / s->edge;
    cell[0]         = (int)floor((at.x - s->nodes.origin.x) * per_edge);
    cell[1]         = (int)floor((at.y - s->nodes.origin.y) * per_edge);
    cell[2]         = (int)floor((at.z - s->nodes.origin.z) * per_edge);
}

int tetra_block_of(const tetra* s, const int cell[3]) {
    return shoal_sparse_find(&s->nodes, cell[0] >> 2, cell[1] >> 2, cell[2] >> 2);
}

static void key_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    sort_job*           job = ctx;
    const shoal_sparse* n   = &job->s->nodes;
    for (int i = begin; i < end; i++) {
        int c[3];
        tetra_cell_of(job->s, shoal_d3_from(job->position[i]), c);
        uint64_t block = (uint64_t)(((c[2] >> 2) * n->ny + (c[1] >> 2)) * n->nx + (c[0] >> 2));
        job->keys[i]   = block << CELL_BITS | (uint64_t)((c[2] & 3) << 4 | (c[1] & 3) << 2 | (c[0] & 3));
    }
}

// Names blocks from two below the lowest particle to two above the highest.
static shoal_status name_blocks(tetra* s, const shoal_v3* position, int count) {
    shoal_v3 low = position[0], high = low;
    for (int i = 1; i < count; i++) {
        low  = shoal_v3_make(fminf(low.x, position[i].x), fminf(low.y, position[i].y), fminf(low.z, position[i].z));
        high = shoal_v3_make(fmaxf(high.x, position[i].x), fmaxf(high.y, position[i].y), fmaxf(high.z, position[i].z));
    }
    double  origin[3], block = TETRA_CELLS * s->edge;
    int64_t size[3];
    for (int a = 0; a < 3; a++) {
        double from = floor((double)shoal_v3_axis(low, a) / block), to = floor((double)shoal_v3_axis(high, a) / block);
        if (!(to - from < BLOCKS_MOST - 2.0 * RIM && fabs(from) < 0x1p40))
            return shoal_fail(SHOAL_ERR_DIVERGE,
                              "particles are spread from %.4g to %.4g m along %c, too far for tetrahedra of %.3g m",
                              (double)shoal_v3_axis(low, a), (double)shoal_v3_axis(high, a), "xyz"[a], s -> edge);
        origin[a] = block * (from - RIM);
        size[a]   = (int64_t)(to - from) + 2 * RIM + 1;
    }
    s->nodes = (shoal_sparse){.origin = shoal_d3_make(origin[0], origin[1], origin[2]),
                              .cell   = s->node,
                              .nx     = size[0],
                              .ny     = size[1],
                              .nz     = size[2],
                              .arena  = &s->arena};
    return SHOAL_OK;
}

// Adds the keys of the blocks within reach of the particles of one, whose keys are given.
static int add_blocks(const tetra* s, const uint64_t* keys, int begin, int end, uint64_t* blocks) {
    int64_t own    = (int64_t)(keys[begin] >> CELL_BITS);
    int     low[3] = {3, 3, 3}, high[3] = {0, 0, 0}, count = 0;
    for (int i = begin; i < end; i++)
        for (int a = 0; a < 3; a++) {
            int c   = (int)(keys[i] >> (2 * a) & 3);
            low[a]  = c < low[a] ? c : low[a];
            high[a] = c > high[a] ? c : high[a];
        }
    for (int n = 0; n < SHOAL_SPARSE_NEAR; n++) {
        int  way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        bool is_in  = true;
        for (int a = 0; a < 3; a++)
            is_in =
                is_in && (way[a] == 0 || (way[a] < 0 ? low[a] < TETRA_REACH : high[a] + TETRA_REACH >= TETRA_CELLS));
        if (is_in) blocks[count++] = (uint64_t)(own + (way[2] * s->nodes.ny + way[1]) * s->nodes.nx + way[0]);
    }
    return count;
}

// The blocks around sorted keys of particles, and where the particles of each cell begin.
static shoal_status make_blocks(tetra* s, const uint64_t* keys, int count) {
    int full = 0;
    for (int i = 0; i < count; i++) full += i == 0 || keys[i] >> CELL_BITS != keys[i - 1] >> CELL_BITS;
    uint64_t* blocks;
    int       wanted = 0;
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&blocks, (size_t)full * SHOAL_SPARSE_NEAR, sizeof *blocks));
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && keys[end] >> CELL_BITS == keys[begin] >> CELL_BITS;) end++;
        wanted += add_blocks(s, keys, begin, end, blocks + wanted);
    }
    SHOAL_TRY(shoal_sparse_make(&s->nodes, &s->ctx->exec, blocks, wanted, &s->arena));
    size_t cells = (size_t)s->nodes.block_count * TETRA_IN;
    if (cells > INT32_MAX - 1)
        return shoal_fail(SHOAL_ERR_MEMORY, "particles are spread over %d blocks of cells, too many", full);
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&s->first, cells + 1, sizeof *s->first));
    int at = 0;
    for (int b = 0; b < s->nodes.block_count; b++)
        for (int c = 0; c < TETRA_IN; c++) {
            s->first[TETRA_IN * b + c] = at;
            while (at < count && keys[at] == (s->nodes.keys[b] << CELL_BITS | (uint64_t)c)) at++;
        }
    s->first[cells] = at;
    SHOAL_ASSERT(at == count);
    return SHOAL_OK;
}

shoal_status tetra_sort(tetra* s) {
    shoal_set*        set  = s->ctx->particles;
    const shoal_exec* exec = &s->ctx->exec;
    size_t            n    = (size_t)set->count;
    sort_job          job  = {.s = s, .position = shoal_set_data(set, "position")};
    uint64_t*         sorted;
    int*              order;
    void*             scratch;
    SHOAL_TRY(name_blocks(s, job.position, set->count));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.keys, n, sizeof *job.keys));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&sorted, n, sizeof *sorted));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&order, n, sizeof *order));
    SHOAL_TRY(shoal_arena_make(&s->arena, &scratch, shoal_sort_scratch(set->count), 1));
    shoal_blocks(exec, set->count, BLOCK, key_block, &job);
    uint64_t most = (uint64_t)(s->nodes.nx * s->nodes.ny * s->nodes.nz) << CELL_BITS;
    shoal_sort_keys(exec, job.keys, set->count, 64 - __builtin_clzll(most), order, sorted, scratch);
    SHOAL_TRY(shoal_set_permute(set, exec, order));
    return make_blocks(s, sorted, set->count);
}

// ---------------------------------------------------------------------------------- nodes

void tetra_rimmed(const tetra* s, const float* values, float outside, int block, float out[TETRA_TILE]) {
    shoal_sparse field = s->nodes;
    field.outside      = outside;
    shoal_sparse_rimmed(&field, values, block, out);
}

shoal_d3 tetra_node_place(const tetra* s, int block, int sample) {
    shoal_d3 corner = shoal_sparse_corner(&s->nodes, block);
    return shoal_d3_make(corner.x + s->node * (sample & 7), corner.y + s->node * (sample >> 3 & 7),
                         corner.z + s->node * (sample >> 6));
}

// The values at the eight nodes around a place in a cell of nodes.
static double blend(const float value[8], const double q[3]) {
    double x[4];
    for (int k = 0; k < 4; k++) x[k] = (double)value[2 * k] + q[0] * ((double)value[2 * k + 1] - (double)value[2 * k]);
    double low = x[0] + q[1] * (x[1] - x[0]), high = x[2] + q[1] * (x[3] - x[2]);
    return low + q[2] * (high - low);
}

double tetra_sample(const tetra* s, const float* field, shoal_d3 at, double outside, tetra_finder* finder) {
    double per_node = 1.0 / s->node,
           q[3]     = {(at.x - s->nodes.origin.x) * per_node, (at.y - s->nodes.origin.y) * per_node,
                       (at.z - s->nodes.origin.z) * per_node};
    int64_t p[3], block[3];
    for (int a = 0; a < 3; a++) {
        p[a] = (int64_t)q[a] - (q[a] < (double)(int64_t)q[a]); // floor
        q[a] -= (double)p[a];
        block[a] = p[a] >> 3;
        p[a] &= 7;
    }
    if (finder->block < 0 || block[0] != finder->at[0] || block[1] != finder->at[1] || block[2] != finder->at[2]) {
        finder->block = shoal_sparse_find(&s->nodes, block[0], block[1], block[2]);
        for (int a = 0; a < 3; a++) finder->at[a] = block[a];
    }
    if (finder->block < 0) return outside;
    float        value[8];
    const float* own = field + TETRA_SAMPLES * (size_t)finder->block + (size_t)(p[2] << 6 | p[1] << 3 | p[0]);
    if (p[0] < 7 && p[1] < 7 && p[2] < 7) { // all eight are in the block
        for (int k = 0; k < 8; k++) value[k] = own[(k & 1) + 8 * (k >> 1 & 1) + 64 * (k >> 2)];
        return blend(value, q);
    }
    const int* near = s->nodes.near + SHOAL_SPARSE_NEAR * (size_t)finder->block;
    for (int k = 0; k < 8; k++) {
        int64_t x = p[0] + (k & 1), y = p[1] + (k >> 1 & 1), z = p[2] + (k >> 2);
        int     b = near[13 + (x >> 3) + 3 * (y >> 3) + 9 * (z >> 3)];
        size_t  n = (size_t)((z & 7) << 6 | (y & 7) << 3 | (x & 7));
        value[k]  = b < 0 ? (float)outside : field[TETRA_SAMPLES * (size_t)b + n];
    }
    return blend(value, q);
}
