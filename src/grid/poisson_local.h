// SPDX-License-Identifier: MIT
// How the cells lie in memory, the levels of the multigrid and the loops over them; inside of grid/
// only.
//
// Cells are sorted by z, y, x, so a row along x is contiguous and the neighbours in x of cell i are
// i - 1 and i + 1 (with weight 0 where there is none). A piece is a stretch of a row in which the
// way in memory to each of the other four neighbours is the same for all cells, or none of them has
// that neighbour. So the loops run over whole stretches without lists of indices. Where there is no
// neighbour, they read from the rim of zeros before cell 0. A loop may write garbage beyond the end
// of a piece: the next piece, in the same task, writes over it.
#ifndef SHOAL_POISSON_LOCAL_H
#define SHOAL_POISSON_LOCAL_H

#include "exec/pass.h"
#include "grid/poisson.h"
#include "math/lanes.h"

enum {
    POISSON_PIECE_MOST = 512, // cells of a piece
    POISSON_RIM        = POISSON_PIECE_MOST + SHOAL_LANES,
    POISSON_TASK       = 4096, // cells of a task, about
    POISSON_BLOCK      = 4096, // cells of a block of the loops that know no neighbours
    POISSON_COARSEST   = 128,  // cells that are solved directly
    POISSON_LEVELS     = 33,   // coordinates have 32 bits
    POISSON_SWEEPS     = 2,    // before, and after, the coarse correction
};

typedef struct poisson_piece {
    int begin, count;
    int minus_y, plus_y, minus_z, plus_z; // from a cell to its neighbour
} poisson_piece;

typedef struct poisson_row {
    uint64_t key; // z 2^32 + y
    int      begin;
    float    wrap; // x periodic: the weight from the last cell of the row to its first
} poisson_row;

// A row of the next level and the rows it comes from: (y, z), (y + 1, z), (y, z + 1), (y + 1, z +
// 1); -1: none.
typedef struct poisson_merge {
    uint64_t key;
    int      from[4];
} poisson_merge;

typedef struct poisson_level {
    int      count, row_count, piece_count, task_count, merge_count;
    uint32_t low[3],
        period[3];         // lowest coordinate and cells of periodic axes; period 0: not periodic
    uint32_t*      x;      // [count] coordinate
    poisson_row*   rows;   // [row_count + 1]
    poisson_piece* pieces; // [piece_count]
    int*           tasks;  // [task_count + 1] first piece of each
    // the matrix
    float *  plus_x, *plus_y, *plus_z, *anchor, *diagonal, *inverse; // inverse: 1 / diagonal, 0 for 0
    uint8_t* is_coupled;                                             // [count] has a weight > 0
    // of the V-cycle
    float *value, *other, *rhs;
    // towards the next level
    poisson_merge* merges; // [merge_count]
    uint32_t*      child;  // [4 count of the next] 4 first + how many, by the rows of the merge
    // memory
    float* floats;
    int*   marks; // [row_count + 1] first piece of each row; before that, first cell of each merge
    int    cell_capacity, row_capacity, piece_capacity, task_capacity, merge_capacity, child_capacity, mark_capacity;
} poisson_level;

typedef struct poisson_sort_job poisson_sort_job; // poisson_sort.c

struct shoal_poisson {
    poisson_level        levels[POISSON_LEVELS];
    int                  level_count; // 0: nothing is set
    shoal_poisson_method method;
    double               scale; // power of two the weights are multiplied by
    int*                 order; // [count] the caller's cell that comes k-th
    poisson_sort_job*    sorting;
    // closed components
    int     run_count, closed_count, closed_cells;
    int*    run;    // [count] stretches linked along x, numbered
    int*    parent; // [run_count] union-find; afterwards the closed component of the run, or -1
    int*    size;   // [closed_count] cells
    double* mean;   // [closed_count]
    // conjugate gradients
    double *solution, *residual, *search, *image, *rhs;
    double *mic, *half; // diagonal of the factor; between the two triangular solves
    double *doubles, *mic_doubles;
    double* parts;                                     // sums of tasks or blocks, POISSON_SUMS of each
    double  dense[POISSON_COARSEST][POISSON_COARSEST]; // Cholesky factor of the coarsest level
    int     cell_capacity, mic_capacity, run_capacity, closed_capacity, part_capacity;
};
enum { POISSON_SUMS = 2 };

// What a loop works on.
typedef struct poisson_pass {
    const poisson_level* level;
    const float*         from;
    float*               to;
    float                weight;
    shoal_poisson*       poisson;
    double               step;
    const double*        multiply; // apply: image = matrix times this
} poisson_pass;

// The loops, once per instruction set. Over tasks: diagonal, relax, residual, apply. Over cells:
// the others. apply: parts = multiply . image.   advance: solution += step search, residual -= step
// image, rhs of level 0 = residual, parts = residual . residual and max |residual|.   products:
// parts = residual . value, image . value. turn: search = value + step search.
// clang-format off
#define POISSON_LOOPS(X) X(diagonal) X(begin) X(relax) X(residual) X(apply) X(advance) X(products) X(turn)
// clang-format on
typedef struct poisson_loops {
#define X(name) shoal_block_fn name;
    POISSON_LOOPS(X)
#undef X
} poisson_loops;
#define X(kind, name) extern const poisson_loops name;
SHOAL_ISA_SETS(X, poisson_loops)
#undef X

// poisson.c
const poisson_loops* poisson_loops_for(shoal_isa_kind isa);
// The power of two that brings the largest value near 1: it changes no bits, and floats neither
// overflow nor vanish.
double       poisson_scale(double most);
shoal_status poisson_grow(void** memory, int* capacity, int count, size_t size); // contents are lost

// poisson_sort.c: the system in sorted order, as cells, rows and weights of level 0
shoal_status poisson_sort(shoal_poisson* p, const shoal_exec* exec, const shoal_poisson_system* system);
void         poisson_sorting_free(poisson_sort_job* sorting);

// poisson_rows.c
shoal_status poisson_level_reserve(poisson_level* level, int count);
void         poisson_level_free(poisson_level* level);
shoal_status poisson_pieces_find(poisson_level* level, const shoal_exec* exec);
// A cell with a weight towards no neighbour, or -1.
int poisson_weight_astray(const poisson_level* level, const shoal_exec* exec);

// poisson_coarse.c. coarse->count is 0 when no cell has neighbours any more.
shoal_status poisson_coarsen(poisson_level* fine, const shoal_exec* exec, poisson_level* coarse);

// poisson_wrap.c: what the links around x add to the loops below
void   poisson_wrap_find(poisson_level* level);
void   poisson_wrap_diagonal(const poisson_level* level);
void   poisson_wrap_add(const poisson_level* level, const float* from, float* to,
                        float weight); // 0: no inverse
double poisson_wrap_apply(const poisson_level* level, const double* vector, double* image);

// poisson_closed.c
shoal_status poisson_closed_find(shoal_poisson* p);
double       poisson_closed_mean(const shoal_poisson* p,
                                 double*              values); // takes the means off, tells the largest

// multigrid.c and mic.c: level 0's value = nearly the solution for level 0's rhs
shoal_status multigrid_build(shoal_poisson* p, const shoal_exec* exec, const poisson_loops* loops);
void         multigrid_apply(shoal_poisson* p, const shoal_exec* exec, const poisson_loops* loops);
void         mic_build(shoal_poisson* p);
void         mic_apply(shoal_poisson* p);

#endif
