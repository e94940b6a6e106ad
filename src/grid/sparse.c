// SPDX-License-Identifier: MIT
// The list of blocks, their neighbours, and copies of a block with its surroundings.
#include "grid/sparse.h"

#include <string.h>

enum { EDGE = SHOAL_SPARSE_EDGE, SAMPLES = SHOAL_SPARSE_SAMPLES, RIMMED = SHOAL_SPARSE_RIMMED };

void shoal_sparse_free(shoal_sparse* field) {
    if (!field->arena) {
        shoal_free(field->keys);
        shoal_free(field->near);
        shoal_free(field->values);
    }
    field->keys        = NULL;
    field->near        = NULL;
    field->values      = NULL;
    field->block_count = field->key_capacity = field->near_capacity = field->value_capacity = 0;
}

// Keys are sorted, so for each of the 27 directions one cursor walks along with the blocks.
static void find_near(shoal_sparse* field) {
    int cursor[SHOAL_SPARSE_NEAR] = {0}, count = field->block_count;
    for (int b = 0; b < count; b++)
        for (int n = 0; n < SHOAL_SPARSE_NEAR; n++) {
            int64_t  step = ((int64_t)(n / 9 - 1) * field->ny + (n / 3 % 3 - 1)) * field->nx + (n % 3 - 1);
            uint64_t key  = field->keys[b] + (uint64_t)step;
            int      c    = cursor[n];
            while (c < count && field->keys[c] < key) c++;
            cursor[n] = c;
            field->near[(size_t)SHOAL_SPARSE_NEAR * (size_t)b + (size_t)n] =
                c < count && field->keys[c] == key ? c : -1;
        }
}

// Brings keys in order, each once; how many there are then.
static shoal_status order(const shoal_sparse* field, const shoal_exec* exec, uint64_t* keys, int count,
                          shoal_arena* scratch, int* blocks) {
    int       bits         = 64 - __builtin_clzll((uint64_t)(field->nx * field->ny * field->nz));
    uint64_t* sorted       = shoal_arena_take(scratch, (size_t)count, sizeof *sorted);
    int*      places       = shoal_arena_take(scratch, (size_t)count, sizeof *places);
    void*     sort_scratch = shoal_arena_take(scratch, shoal_sort_scratch(count), 1);
    if (!sorted || !places || !sort_scratch) return SHOAL_ERR_MEMORY;
    shoal_sort_keys(exec, keys, count, bits, places, sorted, sort_scratch);
    *blocks = 0;
    for (int i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1]) keys[(*blocks)++] = sorted[i];
    return SHOAL_OK;
}

static shoal_status reserve(shoal_sparse* field, int blocks) {
    SHOAL_TRY(
        shoal_arena_reserve(field->arena, (void**)&field->keys, &field->key_capacity, blocks, sizeof *field->keys));
    SHOAL_TRY(shoal_arena_reserve(field->arena, (void**)&field->near, &field->near_capacity, blocks,
                                  SHOAL_SPARSE_NEAR * sizeof(int)));
    return shoal_arena_reserve(field->arena, (void**)&field->values, &field->value_capacity, blocks,
                               SAMPLES * sizeof(float));
}

shoal_status shoal_sparse_make(shoal_sparse* field, const shoal_exec* exec, uint64_t* keys, int count,
                               shoal_arena* scratch) {
    shoal_arena  own = {0}, *arena = scratch ? scratch : &own;
    size_t       mark   = arena->used;
    int          blocks = 0;
    shoal_status status = SHOAL_OK;
    if (count > 0) status = order(field, exec, keys, count, arena, &blocks);
    shoal_arena_back(arena, mark);
    shoal_arena_free(&own);
    if (status == SHOAL_OK) status = reserve(field, blocks);
    if (status != SHOAL_OK) {
        shoal_sparse_free(field);
        return status;
    }
    field->block_count = blocks;
    if (blocks > 0) {
        memcpy(field->keys, keys, (size_t)blocks * sizeof *keys);
        memset(field->values, 0, (size_t)blocks * SAMPLES * sizeof *field->values);
    }
    find_near(field);
    return SHOAL_OK;
}

shoal_d3 shoal_sparse_corner(const shoal_sparse* field, int block) {
    uint64_t key = field->keys[block], nx = (uint64_t)field->nx, ny = (uint64_t)field->ny;
    double   x = (double)(key % nx), y = (double)(key / nx % ny), z = (double)(key / nx / ny);
    double   edge = EDGE * field->cell;
    return shoal_d3_make(field->origin.x + edge * x, field->origin.y + edge * y, field->origin.z + edge * z);
}

// Along one axis the rimmed block is made of three pieces: the end of one block, all of another,
// the start of a third.
static const int piece_from[3] = {EDGE - 1, 0, 0}, piece_size[3] = {1, EDGE, 2}, piece_to[3] = {0, 1, EDGE + 1};

void shoal_sparse_rimmed(const shoal_sparse* field, const float* values, int block, float* out) {
    const int* near = field->near + (size_t)SHOAL_SPARSE_NEAR * (size_t)block;
    for (int n = 0; n < SHOAL_SPARSE_NEAR; n++) {
        int          px = n % 3, py = n / 3 % 3, pz = n / 9;
        const float* from = near[n] < 0 ? NULL : values + (size_t)SAMPLES * (size_t)near[n];
        for (int z = 0; z < piece_size[pz]; z++)
            for (int y = 0; y < piece_size[py]; y++) {
                float* to = out + ((piece_to[pz] + z) * RIMMED + piece_to[py] + y) * RIMMED + piece_to[px];
                int    at = ((piece_from[pz] + z) * EDGE + piece_from[py] + y) * EDGE + piece_from[px];
                if (px == 1 && from)
                    memcpy(to, from + at, EDGE * sizeof *to);
                else
                    for (int x = 0; x < piece_size[px]; x++) to[x] = from ? from[at + x] : field->outside;
            }
    }
}

int shoal_sparse_find(const shoal_sparse* field, int64_t x, int64_t y, int64_t z) {
    if (x < 0 || y < 0 || z < 0 || x >= field->nx || y >= field->ny || z >= field->nz) return -1;
    uint64_t key = (uint64_t)((z * field->ny + y) * field->nx + x);
    int      low = 0, high = field->block_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (field->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < field->block_count && field->keys[low] == key ? low : -1;
}
