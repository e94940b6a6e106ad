// SPDX-License-Identifier: MIT
// Particles sorted by cells, and the gathering of those in a box.
#include "surface/surface_local.h"

#include <math.h>
#include <string.h>

#include "exec/pass.h"

enum { COPY_BLOCK = 4096 };

#define X(kind, name) extern const surface_loops name;
SHOAL_ISA_SETS(X, surface_loops)
#undef X

const surface_loops* surface_loops_for(shoal_isa_kind isa) {
    static const shoal_by_isa loops = {{SHOAL_WIDE_ROWS(surface_loops)}};
    return shoal_isa_choose(&loops, isa);
}

typedef struct copy_job {
    surface_index*  index;
    const shoal_v4* places;
} copy_job;

static void copy_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    copy_job* c = ctx;
    for (int i = begin; i < end; i++) {
        shoal_v4 p          = c->places[c->index->cells.order[i]];
        c->index->x[i]      = p.x;
        c->index->y[i]      = p.y;
        c->index->z[i]      = p.z;
        c->index->number[i] = i;
    }
}

shoal_status surface_index_make(surface_index* index, const shoal_exec* exec, const shoal_v4* places, int count,
                                shoal_d3 low, shoal_d3 high, float size) {
    // a rim on both sides, and one for rounding
    index->frame = (shoal_cells_frame){size, shoal_v3_from(low), (int64_t)((high.x - low.x) / (double)size) + 4,
                                       (int64_t)((high.y - low.y) / (double)size) + 4,
                                       (int64_t)((high.z - low.z) / (double)size) + 4};
    index->count = count;
    size_t n     = (size_t)count + SHOAL_LANES;
    SHOAL_TRY(shoal_cells_sort(&index->cells, exec, &index->frame, places, count));
    index->x      = shoal_alloc(n, sizeof(float));
    index->y      = shoal_alloc(n, sizeof(float));
    index->z      = shoal_alloc(n, sizeof(float));
    index->number = shoal_alloc(n, sizeof(int));
    if (!index->x || !index->y || !index->z || !index->number) return SHOAL_ERR_MEMORY;
    copy_job c = {index, places};
    shoal_blocks(exec, count, COPY_BLOCK, copy_block, &c);
    return SHOAL_OK;
}

void surface_index_free(surface_index* index) {
    shoal_cells_free(&index->cells);
    shoal_free(index->x);
    shoal_free(index->y);
    shoal_free(index->z);
    shoal_free(index->number);
    *index = (surface_index){0};
}

shoal_status surface_near_create(const surface_index* index, const shoal_exec* exec, float box, surface_near** out) {
    double cells    = ceil((double)box / (double)index->frame.size) + 1.0;
    double most     = cells * cells * cells * (double)index->cells.fullest;
    int    capacity = (most < (double)index->count ? (int)most : index->count) + 2 * SHOAL_LANES;
    *out            = shoal_alloc((size_t)exec->threads, sizeof **out);
    if (!*out) return SHOAL_ERR_MEMORY;
    for (int k = 0; k < exec->threads; k++) {
        surface_near* n = &(*out)[k];
        size_t        r = (size_t)capacity;
        n->capacity     = capacity;
        n->x            = shoal_alloc(r, 4 * sizeof(float)); // x, y, z, weight
        n->item         = shoal_alloc(r, 2 * sizeof(int));   // item, hit
        if (!n->x || !n->item) {
            surface_near_destroy(*out, exec);
            *out = NULL;
            return SHOAL_ERR_MEMORY;
        }
        n->y      = n->x + r;
        n->z      = n->x + 2 * r;
        n->weight = n->x + 3 * r;
        n->hit    = n->item + r;
    }
    return SHOAL_OK;
}

void surface_near_destroy(surface_near* near, const shoal_exec* exec) {
    for (int k = 0; near && k < exec->threads; k++) {
        shoal_free(near[k].x);
        shoal_free(near[k].item);
    }
    shoal_free(near);
}

// The cell of a coordinate, counted with the rim, held within the box of cells.
static int64_t cell_of(float at, float low, float size, int64_t n) {
    float c = floorf((at - low) / size) + 1.0f;
    return c < 0.0f ? 0 : c > (float)(n - 1) ? n - 1 : (int64_t)c;
}

void surface_near_find(surface_near* near, const surface_loops* loops, const surface_index* index, shoal_v3 low,
                       shoal_v3 high, shoal_v3 corner, float scale) {
    const shoal_cells_frame* f = &index->frame;
    int64_t x0 = cell_of(low.x, f->low.x, f->size, f->nx), x1 = cell_of(high.x, f->low.x, f->size, f->nx);
    int64_t y0 = cell_of(low.y, f->low.y, f->size, f->ny), y1 = cell_of(high.y, f->low.y, f->size, f->ny);
    int64_t z0 = cell_of(low.z, f->low.z, f->size, f->nz), z1 = cell_of(high.z, f->low.z, f->size, f->nz);
    near->count = 0;
    for (int64_t z = z0; z <= z1; z++)
        for (int64_t y = y0; y <= y1; y++) {
            uint64_t row  = (uint64_t)((z * f->ny + y) * f->nx);
            int      from = shoal_cells_find(&index->cells, row + (uint64_t)x0), to = from;
            while (to < index->cells.cell_count && index->cells.cell_key[to] <= row + (uint64_t)x1) to++;
            loops->thin(index, index->cells.cell_start[from], index->cells.cell_start[to], low, high, corner, scale,
                        near);
        }
    SHOAL_ASSERT(near->count + SHOAL_LANES <= near->capacity);
    for (int k = 0; k < SHOAL_LANES; k++) {
        near->x[near->count + k] = near->y[near->count + k] = near->z[near->count + k] = 1e9f; // nowhere
        near->item[near->count + k]                                                    = 0;
    }
}
