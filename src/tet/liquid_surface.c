// SPDX-License-Identifier: MIT
// The surface of a liquid as it is shown: the tracked surface goes on within the solids, and is cut off at theirs
// here, on its own lattice, twice as fine as the mesh.
#include "tet/liquid_local.h"

enum { BLOCK = 4, EDGE = SHOAL_SPARSE_EDGE, NODES = SHOAL_SPARSE_SAMPLES };

typedef struct surface_job {
    shoal_sparse*           field;
    const shoal_band*       band;
    const shoal_tet_solids* solids;
} surface_job;

static void value_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    surface_job* job = ctx;
    for (int b = begin; b < end; b++) {
        shoal_d3    corner = shoal_sparse_corner(job->field, b);
        float*      value  = job->field->values + (size_t)NODES * (size_t)b;
        shoal_clear last   = {.off = (double)-INFINITY};
        for (int n = 0; n < NODES; n++) {
            shoal_d3 at = shoal_d3_add(
                corner, shoal_d3_scale(shoal_d3_make(n % EDGE, n / EDGE % EDGE, n / (EDGE * EDGE)), job->field->cell));
            double to = shoal_band_distance(job->band, at), off = shoal_clear_off(&last, at);
            if (!(off >= job->field->cell && to >= -off)) off = liquid_off(job->solids, at, NULL, &last);
            value[n] = (float)fmax(to, -off);
        }
    }
}

// The blocks of the band, and those of octants at solids where there is liquid, with a node around them.
static shoal_status list_blocks(shoal_tet_liquid* l, const shoal_tet_state* s, uint64_t** keys, int* count) {
    const shoal_sparse* grid = &s->band.grid;
    int                 n    = 0;
    uint64_t* list = shoal_arena_take(&l->arena, (size_t)grid->block_count + 8 * (size_t)l->solid_count, sizeof *list);
    if (!list) return SHOAL_ERR_MEMORY;
    for (int b = 0; b < grid->block_count; b++) list[n++] = grid->keys[b];
    for (int k = 0; k < l->solid_count; k++) {
        int at[3], low[3], high[3];
        shoal_morton_split(l->solid_octants[k], at);
        for (int a = 0; a < 3; a++) // nodes are two to a step, behind a rim of one block
            low[a] = (2 * at[a] + EDGE - 1) / EDGE, high[a] = (2 * at[a] + EDGE + 3) / EDGE;
        for (int z = low[2]; z <= high[2]; z++)
            for (int y = low[1]; y <= high[1]; y++)
                for (int x = low[0]; x <= high[0]; x++) {
                    uint64_t key = ((uint64_t)z * (uint64_t)grid->ny + (uint64_t)y) * (uint64_t)grid->nx + (uint64_t)x;
                    if (n == 0 || list[n - 1] != key) list[n++] = key;
                }
    }
    *keys  = list;
    *count = n;
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_surface(shoal_tet_liquid* l, const shoal_tet_solids* solids, const shoal_exec* exec) {
    shoal_tet_state*    s     = &l->states[l->current];
    const shoal_sparse* grid  = &s->band.grid;
    shoal_sparse        field = {.origin  = grid->origin,
                                 .cell    = grid->cell,
                                 .nx      = grid->nx,
                                 .ny      = grid->ny,
                                 .nz      = grid->nz,
                                 .outside = grid->outside,
                                 .arena   = &l->arena};
    size_t              mark  = l->arena.used;
    uint64_t*           keys;
    int                 count;
    SHOAL_TRY(liquid_find_solid_octants(l, s, solids, exec));
    SHOAL_TRY(list_blocks(l, s, &keys, &count));
    shoal_status status = shoal_sparse_make(&field, exec, keys, count, &l->arena);
    surface_job  job    = {.field = &field, .band = &s->band, .solids = solids};
    if (status == SHOAL_OK) {
        shoal_blocks(exec, field.block_count, BLOCK, value_block, &job);
        status = shoal_contour_make(&field, SHOAL_CONTOUR_PLAIN, exec, &l->arena, &s->surface);
    }
    shoal_arena_back(&l->arena, mark);
    return status;
}

// By triangles with a corner of the lattice.
static double volume_block(void* ctx, int begin, int end) {
    const shoal_tet_state* s      = ctx;
    shoal_d3               origin = s->band.grid.origin;
    double                 sum    = 0.0;
    for (int t = begin; t < end; t++) {
        const int* c = s->surface.triangles + 3 * (size_t)t;
        shoal_d3   a = shoal_d3_sub(shoal_d3_from(s->surface.vertices[c[0]]), origin),
                 b   = shoal_d3_sub(shoal_d3_from(s->surface.vertices[c[1]]), origin),
                 d   = shoal_d3_sub(shoal_d3_from(s->surface.vertices[c[2]]), origin);
        sum += shoal_d3_dot(a, shoal_d3_cross(b, d)) / 6.0;
    }
    return sum;
}
double shoal_tet_surface_volume(const shoal_tet_state* s, const shoal_exec* exec) {
    return shoal_sum(exec, s->surface.triangle_count, volume_block, (void*)(uintptr_t)s);
}
