// SPDX-License-Identifier: MIT
// The surface of a liquid for people to see: the tracked surface goes on within the solids, and is cut off at theirs
// here, on its own lattice, twice as fine as the mesh.
#include "tet/band_local.h"
#include "tet/liquid.h"

#include <math.h>

enum { BLOCK = 4, EDGE = SHOAL_SPARSE_EDGE, NODES = SHOAL_SPARSE_SAMPLES };

typedef struct skin_job {
    shoal_sparse*           field;
    const shoal_band*       band;
    const shoal_tet_solids* solids;
} skin_job;

static void value_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    skin_job* job = ctx;
    for (int b = begin; b < end; b++) {
        shoal_d3 corner = shoal_sparse_corner(job->field, b);
        uint64_t key = job->field->keys[b], nx = (uint64_t)job->field->nx, ny = (uint64_t)job->field->ny;
        int      own    = shoal_sparse_find(&job->band->grid, (int64_t)(key % nx), (int64_t)(key / nx % ny),
                                            (int64_t)(key / nx / ny));
        float*   value  = job->field->values + (size_t)NODES * (size_t)b;
        double   beyond = own < 0 ? shoal_band_distance(job->band, corner) : 0.0; // one side, all of the block
        for (int n = 0; n < NODES; n++) {
            shoal_d3 at = shoal_d3_add(
                corner, shoal_d3_scale(shoal_d3_make(n % EDGE, n / EDGE % EDGE, n / (EDGE * EDGE)), job->field->cell));
            double to = own < 0 ? beyond : (double)job->band->grid.values[(size_t)NODES * (size_t)own + (size_t)n];
            value[n]  = (float)fmax(to, -job->solids->distance(job->solids->ctx, at, NULL));
        }
    }
}

// The blocks of the band, and those of octants at solids where there is liquid, with a node around them.
static shoal_status list_blocks(shoal_tet_liquid* l, const shoal_tet_stage* s, int* count) {
    const shoal_sparse* grid = &s->band.grid;
    int                 n = 0, most = grid->block_count + 8 * l->beside_count;
    SHOAL_TRY(shoal_make_room((void**)&l->keys, &l->key_room, most, sizeof *l->keys));
    for (int b = 0; b < grid->block_count; b++) l->keys[n++] = grid->keys[b];
    for (int k = 0; k < l->beside_count; k++) {
        int at[3], low[3], high[3];
        shoal_morton_split(l->beside[k], at);
        if (shoal_band_distance(&s->band, shoal_octree_middle(&s->work.tree, 0, at)) >= s->work.tree.step) continue;
        for (int a = 0; a < 3; a++) // nodes are two to a step, behind a rim of one block
            low[a] = (2 * at[a] + EDGE - 1) / EDGE, high[a] = (2 * at[a] + EDGE + 3) / EDGE;
        for (int z = low[2]; z <= high[2]; z++)
            for (int y = low[1]; y <= high[1]; y++)
                for (int x = low[0]; x <= high[0]; x++) {
                    uint64_t key = ((uint64_t)z * (uint64_t)grid->ny + (uint64_t)y) * (uint64_t)grid->nx + (uint64_t)x;
                    if (n == 0 || l->keys[n - 1] != key) l->keys[n++] = key;
                }
    }
    *count = n;
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_skin(shoal_tet_liquid* l, const shoal_tet_solids* solids, const shoal_exec* exec) {
    const shoal_tet_stage* s     = shoal_tet_now(l);
    const shoal_sparse*    grid  = &s->band.grid;
    shoal_arena*           arena = &l->arena;
    shoal_sparse           field = {.origin  = grid->origin,
                                    .cell    = grid->cell,
                                    .nx      = grid->nx,
                                    .ny      = grid->ny,
                                    .nz      = grid->nz,
                                    .outside = grid->outside,
                                    .arena   = arena};
    int                    count;
    SHOAL_TRY(list_blocks(l, s, &count));
    shoal_arena_back(arena, 0);
    shoal_status status = shoal_sparse_make(&field, exec, l->keys, count, arena);
    if (status == SHOAL_OK) {
        skin_job job = {&field, &s->band, solids};
        shoal_blocks(exec, field.block_count, BLOCK, value_block, &job);
        status = shoal_contour_make(&field, false, exec, arena, &l->skin);
    }
    shoal_arena_back(arena, 0);
    return status;
}
