// SPDX-License-Identifier: MIT
// A scalar field on a sparse grid: cubes of 8 x 8 x 8 samples exist where they are wanted,
// everywhere else the field has one value. Blocks are in increasing order of their keys, whatever
// the order they were asked for.
#ifndef SHOAL_SPARSE_H
#define SHOAL_SPARSE_H

#include "base/arena.h"
#include "exec/exec.h"
#include "math/vec.h"

enum { SHOAL_SPARSE_EDGE = 8, SHOAL_SPARSE_SAMPLES = 512, SHOAL_SPARSE_NEAR = 27 };
// Samples of a block with a rim of one sample below and two above, x fastest.
enum { SHOAL_SPARSE_RIMMED = 11 };

typedef struct shoal_sparse {
    shoal_d3     origin;     // place of the first sample of block (0, 0, 0)
    double       cell;       // m; distance of samples
    int64_t      nx, ny, nz; // blocks that can be named; the outermost ones must stay empty
    float        outside;    // the value where no block is
    int          block_count;
    uint64_t*    keys;   // [block_count] (z ny + y) nx + x
    int*         near;   // [27 block_count] the blocks around each, x fastest; -1: none
    float*       values; // [512 block_count] x fastest
    int          key_capacity, near_capacity, value_capacity; // existing memory is used again
    shoal_arena* arena;                                       // that its blocks are of; NULL: its own
} shoal_sparse;

// Makes the blocks named by `keys` (in any order, repeated as may be; they are overwritten). Set
// the members above block_count before. Values are zero. `scratch`: NULL: none is kept.
shoal_status shoal_sparse_make(shoal_sparse* field, const shoal_exec* exec, uint64_t* keys, int count,
                               shoal_arena* scratch);
void         shoal_sparse_free(shoal_sparse* field); // what it points to

// The place of the first sample of a block.
shoal_d3 shoal_sparse_corner(const shoal_sparse* field, int block);
// The block (x, y, z); -1: none.
int shoal_sparse_find(const shoal_sparse* field, int64_t x, int64_t y, int64_t z);
// The block's values with those around it; `values` are field->values or others of that shape.
void shoal_sparse_rimmed(const shoal_sparse* field, const float* values, int block, float* out);

#endif
