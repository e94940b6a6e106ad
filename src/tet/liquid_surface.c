// SPDX-License-Identifier: MIT
// The surface of a liquid as it is shown: the tracked surface goes on within the solids, and is cut off at theirs
// here, on its own lattice, twice as fine as the mesh.
#include "tet/band_local.h"
#include "tet/liquid_local.h"

#include <math.h>

enum { BLOCK = 4, EDGE = SHOAL_SPARSE_EDGE, NODES = SHOAL_SPARSE_SAMPLES };

typedef struct surface_job {
    shoal_sparse*           field;
    const shoal_band*       band;
    const shoal_tet_solids* solids;
    shoal_contour*          surface;
    shoal_d3                down;
    bool                    is_film; // area of films below solids alone
} surface_job;

static void value_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    surface_job* job = ctx;
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

// --- the line along which the liquid meets a solid
//
// Between two nodes, of which the liquid's distance decides at one and the solid's at the other, the zero of a straight
// line is on neither surface, and cubes cut the edge between the two surfaces off, each in its own way: such a line is
// serrated. So vertices near a solid go onto the surface that they are of, and those near both onto that edge.

#define NEAR_EDGE 0.8 // in cells
#define ALONGSIDE 0.9 // a cosine: surfaces that hardly cross have no edge
#define SLOPE 0.5     // less is none: nodes around it are of two surfaces
#define AT_AIR 0.25   // in cells: the middle of a triangle no deeper is at the air, unless
#define ON_SOLID 0.01 // it is so near to a solid

// The way to the edge between two surfaces, by distances to them and unit slopes of these; where that is near, true.
static bool to_edge(double to, shoal_d3 slope, double off, shoal_d3 out, double reach, shoal_d3* way) {
    double cosine = shoal_d3_dot(slope, out), sine2 = 1.0 - cosine * cosine;
    if (fabs(cosine) > ALONGSIDE) return false;
    *way = shoal_d3_add(shoal_d3_scale(slope, (cosine * off - to) / sine2),
                        shoal_d3_scale(out, (cosine * to - off) / sine2));
    return shoal_d3_dot(*way, *way) < reach * reach;
}

static void settle_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const surface_job* job  = ctx;
    double             cell = job->field->cell;
    for (int v = begin; v < end; v++) {
        shoal_v3*      vertex = &job->surface->vertices[v];
        shoal_d3       at     = shoal_d3_from(*vertex), slope;
        shoal_tet_wall wall;
        double         off = job->solids->distance(job->solids->ctx, at, &wall);
        if (!(fabs(off) < cell)) continue;
        double   to = shoal_band_distance(job->band, at), length = 0.0;
        shoal_d3 out = shoal_d3_from(wall.normal), way = {0.0, 0.0, 0.0};
        if (fabs(to) < cell && shoal_band_gradient(job->band, at, &slope)) length = shoal_d3_length(slope);
        bool is_crossed = length > SLOPE;
        if (is_crossed) to /= length, slope = shoal_d3_scale(slope, 1.0 / length);
        if (!is_crossed || !to_edge(to, slope, off, out, NEAR_EDGE * cell, &way)) {
            if (-off >= to)
                way = shoal_d3_scale(out, -off);
            else
                way = is_crossed ? shoal_d3_scale(slope, -to) : shoal_d3_make(0.0, 0.0, 0.0);
        }
        at      = shoal_d3_add(at, way);
        *vertex = shoal_v3_from(at);
    }
}

// The blocks of the band, and those of octants at solids where there is liquid, with a node around them.
static shoal_status list_blocks(shoal_tet_liquid* l, const shoal_tet_state* s, uint64_t** keys, int* count) {
    const shoal_sparse* grid = &s->band.grid;
    int                 n    = 0;
    uint64_t*           list =
        shoal_arena_take(&l->arena, (size_t)grid->block_count + 8 * (size_t)l->solid_octant_count, sizeof *list);
    if (!list) return SHOAL_ERR_MEMORY;
    for (int b = 0; b < grid->block_count; b++) list[n++] = grid->keys[b];
    for (int k = 0; k < l->solid_octant_count; k++) {
        int at[3], low[3], high[3];
        shoal_morton_split(l->solid_octants[k], at);
        if (shoal_band_distance(&s->band, shoal_octree_middle(&s->work.tree, 0, at)) >= s->work.tree.step) continue;
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

// --- what it holds

// By triangles with a corner of the lattice: thin parts, in which there may be no tetrahedra, count as they are seen.
static double volume_block(void* ctx, int begin, int end) {
    const surface_job*   job     = ctx;
    const shoal_contour* surface = job->surface;
    double               sum     = 0.0;
    for (int t = begin; t < end; t++) {
        const int* c = surface->triangles + 3 * (size_t)t;
        shoal_d3   a = shoal_d3_sub(shoal_d3_from(surface->vertices[c[0]]), job->field->origin),
                 b   = shoal_d3_sub(shoal_d3_from(surface->vertices[c[1]]), job->field->origin),
                 d   = shoal_d3_sub(shoal_d3_from(surface->vertices[c[2]]), job->field->origin);
        sum += shoal_d3_dot(a, shoal_d3_cross(b, d)) / 6.0;
    }
    return sum;
}
// Of triangles on the tracked surface, and not on a solid.
static double area_block(void* ctx, int begin, int end) {
    const surface_job*   job     = ctx;
    const shoal_contour* surface = job->surface;
    double               sum = 0.0, cell = job->field->cell;
    for (int t = begin; t < end; t++) {
        const int* c = surface->triangles + 3 * (size_t)t;
        shoal_d3   a = shoal_d3_from(surface->vertices[c[0]]), b = shoal_d3_from(surface->vertices[c[1]]),
                 d      = shoal_d3_from(surface->vertices[c[2]]),
                 middle = shoal_d3_scale(shoal_d3_add(a, shoal_d3_add(b, d)), 1.0 / 3.0);
        shoal_tet_wall wall;
        double         off = job->solids->distance(job->solids->ctx, middle, &wall);
        if (shoal_band_distance(job->band, middle) < -AT_AIR * cell || off < ON_SOLID * cell) continue;
        shoal_d3 out  = shoal_d3_cross(shoal_d3_sub(b, a), shoal_d3_sub(d, a));
        double   area = shoal_d3_length(out);
        if (!(area > 0.0)) continue;
        if (job->is_film && !liquid_hangs(job->down, cell, off, &wall, shoal_d3_scale(out, 1.0 / area))) continue;
        sum += 0.5 * area;
    }
    return sum;
}

shoal_status liquid_make_surface(shoal_tet_liquid* l, shoal_tet_state* s, const shoal_tet_solids* solids,
                                 const shoal_exec* exec) {
    const shoal_sparse* grid  = &s->band.grid;
    shoal_arena*        arena = &l->arena;
    shoal_sparse        field = {.origin  = grid->origin,
                                 .cell    = grid->cell,
                                 .nx      = grid->nx,
                                 .ny      = grid->ny,
                                 .nz      = grid->nz,
                                 .outside = grid->outside,
                                 .arena   = arena};
    size_t              mark  = arena->used;
    uint64_t*           keys;
    int                 count;
    l->surface_state    = NULL;
    shoal_status status = list_blocks(l, s, &keys, &count);
    if (status == SHOAL_OK) status = shoal_sparse_make(&field, exec, keys, count, arena);
    surface_job job = {&field, &s->band, solids, &l->surface, l->down, false};
    if (status == SHOAL_OK) {
        shoal_blocks(exec, field.block_count, BLOCK, value_block, &job);
        status = shoal_contour_make(&field, false, exec, arena, &l->surface);
    }
    if (status == SHOAL_OK) {
        shoal_blocks(exec, l->surface.vertex_count, 64 * BLOCK, settle_block, &job);
        s->surface_volume = shoal_sum(exec, l->surface.triangle_count, volume_block, &job);
        s->area           = shoal_sum(exec, l->surface.triangle_count, area_block, &job);
        job.is_film       = true;
        s->hanging        = shoal_sum(exec, l->surface.triangle_count, area_block, &job);
        l->surface_state  = s;
    }
    shoal_arena_back(arena, mark);
    return status;
}

shoal_status shoal_tet_liquid_surface(shoal_tet_liquid* l, const shoal_tet_solids* solids, const shoal_exec* exec) {
    shoal_tet_state* s = &l->states[l->current];
    return l->surface_state == s ? SHOAL_OK : liquid_make_surface(l, s, solids, exec);
}
