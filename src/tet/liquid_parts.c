// SPDX-License-Identifier: MIT
// The parts of a liquid that do not hang together, by the surface as it is shown, which ends at the solids: the tracked
// one goes on within them, and meets that of the other side within a wall. A surface within the liquid, of a bubble or
// a solid, is of the part around it.
#include "tet/liquid_local.h"

#include <math.h>
#include <string.h>

enum { EDGE = SHOAL_SPARSE_EDGE, NODES = SHOAL_SPARSE_SAMPLES };

void liquid_parts_free(shoal_tet_parts* parts) {
    shoal_free(parts->of);
    shoal_free(parts->part);
    shoal_free(parts->keys);
    *parts = (shoal_tet_parts){0};
}

// --- surfaces that hang together

static int root_of(int* of, int v) {
    while (of[v] != v) of[v] = of[of[v]], v = of[v];
    return v;
}
// The lower one is the root, so that roots come before all that hang on them.
int liquid_unite(int* of, int a, int b) {
    a = root_of(of, a), b = root_of(of, b);
    int low = a < b ? a : b;
    of[a] = of[b] = low;
    return low;
}
int liquid_root(int* of, int a) { return root_of(of, a); }
// Numbers instead of roots, in their order; how many.
static int number(int* of, int count) {
    int numbers = 0;
    for (int v = 0; v < count; v++) of[v] = of[v] == v ? ~numbers++ : of[of[v]];
    for (int v = 0; v < count; v++) of[v] = ~of[v];
    return numbers;
}

// --- bubbles

// A node of the lattice; false: it has no block.
static bool value_at(const shoal_sparse* field, const int64_t n[3], int* block, float* value) {
    *block = shoal_sparse_find(field, n[0] >> 3, n[1] >> 3, n[2] >> 3);
    if (*block < 0) return false;
    *value = field->values[(size_t)NODES * (size_t)*block + (size_t)((n[2] & 7) * 64 + (n[1] & 7) * 8 + (n[0] & 7))];
    return true;
}

// The node inside of the edge of the lattice that a vertex is on.
static bool inner_end(const shoal_sparse* field, shoal_v3 vertex, int64_t node[3]) {
    shoal_d3 at      = shoal_d3_scale(shoal_d3_sub(shoal_d3_from(vertex), field->origin), 1.0 / field->cell);
    double   g[3]    = {at.x, at.y, at.z}, off[3];
    bool     used[3] = {false, false, false};
    for (int a = 0; a < 3; a++) off[a] = fabs(g[a] - floor(g[a] + 0.5));
    for (int tries = 0; tries < 3; tries++) { // its axis is the one along which it is not on a node
        int axis = -1, block;
        for (int a = 0; a < 3; a++)
            if (!used[a] && (axis < 0 || off[a] > off[axis])) axis = a;
        used[axis]     = true;
        float end[2]   = {1.0f, 1.0f};
        bool  is_known = true;
        for (int side = 0; side < 2; side++) {
            for (int a = 0; a < 3; a++) node[a] = (int64_t)(a == axis ? floor(g[a]) + side : floor(g[a] + 0.5));
            is_known &= value_at(field, node, &block, &end[side]);
        }
        if (!is_known || (end[0] < 0.0f) == (end[1] < 0.0f)) continue;
        if (end[0] < 0.0f) node[axis]--;
        return true;
    }
    return false;
}

// The vertex at which a line from a node inside, along x, leaves the liquid; -1: none.
static int exit_of(const shoal_sparse* field, const shoal_contour* surface, int64_t node[3]) {
    int   block, last = -1;
    float value = 0.0f, before = 0.0f;
    for (; node[0] < EDGE * field->nx; node[0]++) {
        if (!value_at(field, node, &block, &value)) { // as what is beside it: inside
            node[0] |= EDGE - 1;
            last = -1;
            continue;
        }
        if (value >= 0.0f) break;
        last = block, before = value;
    }
    if (last < 0 || node[0] >= EDGE * field->nx) return -1;
    double   x = (double)node[0] - 1.0 + (double)before / (double)(before - value), least = (double)INFINITY;
    shoal_d3 at =
        shoal_d3_add(field->origin, shoal_d3_scale(shoal_d3_make(x, (double)node[1], (double)node[2]), field->cell));
    int found = -1;
    for (int v = surface->first[last]; v < surface->first[last + 1]; v++) {
        shoal_d3 way = shoal_d3_sub(shoal_d3_from(surface->vertices[v]), at);
        if (shoal_d3_dot(way, way) < least) least = shoal_d3_dot(way, way), found = v;
    }
    return found;
}

// Joins surfaces that enclose no liquid, but are within it, to that around them: along x from the farthest of their
// vertices the liquid ends at another surface, which is farther.
static shoal_status join_bubbles(shoal_arena* arena, const shoal_sparse* field, const shoal_contour* surface, int* of,
                                 int* count) {
    double* volume;
    int *   far, *joined, most = 0, wholes = 0;
    SHOAL_TRY(shoal_arena_make(arena, (void**)&volume, (size_t)*count, sizeof *volume));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&far, (size_t)*count, sizeof *far));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&joined, (size_t)*count, sizeof *joined));
    for (int k = 0; k < *count; k++) volume[k] = 0.0, far[k] = -1, joined[k] = k;
    for (int t = 0; t < surface->triangle_count; t++)
        volume[of[surface->triangles[3 * (size_t)t]]] += liquid_volume_under(surface, t, field->origin);
    for (int v = 0; v < surface->vertex_count; v++)
        if (far[of[v]] < 0 || surface->vertices[v].x > surface->vertices[far[of[v]]].x) far[of[v]] = v;
    for (int k = 0; k < *count; k++) {
        wholes += volume[k] > 0.0;
        if (volume[k] > volume[most]) most = k;
    }
    for (int k = 0; k < *count && wholes < *count; k++) {
        int64_t node[3];
        if (volume[k] > 0.0) continue;
        int v = wholes > 1 && inner_end(field, surface->vertices[far[k]], node) ? exit_of(field, surface, node) : -1;
        liquid_unite(joined, k, v < 0 ? most : of[v]);
    }
    if (wholes == *count) return SHOAL_OK;
    *count = number(joined, *count);
    for (int v = 0; v < surface->vertex_count; v++) of[v] = joined[of[v]];
    return SHOAL_OK;
}

shoal_status liquid_find_parts(shoal_tet_liquid* l, const shoal_sparse* field) {
    const shoal_contour* surface = &l->surface;
    shoal_tet_parts*     parts   = &l->parts;
    size_t               mark    = l->arena.used;
    int                  n       = surface->vertex_count;
    parts->count                 = 0;
    SHOAL_TRY(shoal_reserve((void**)&parts->of, &parts->of_capacity, n, sizeof *parts->of));
    SHOAL_TRY(shoal_reserve((void**)&parts->keys, &parts->key_capacity, field->block_count, sizeof *parts->keys));
    for (int b = 0; b < field->block_count; b++) parts->keys[b] = field->keys[b];
    parts->block_count = field->block_count;
    for (int v = 0; v < n; v++) parts->of[v] = v;
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* c = surface->triangles + 3 * (size_t)t;
        liquid_unite(parts->of, liquid_unite(parts->of, c[0], c[1]), c[2]);
    }
    int          count  = number(parts->of, n);
    shoal_status status = count > 1 ? join_bubbles(&l->arena, field, surface, parts->of, &count) : SHOAL_OK;
    shoal_arena_back(&l->arena, mark);
    SHOAL_TRY(status);
    SHOAL_TRY(shoal_reserve((void**)&parts->part, &parts->part_capacity, count, sizeof *parts->part));
    for (int k = 0; k < count; k++) parts->part[k] = (shoal_tet_part){0};
    parts->count = count;
    return SHOAL_OK;
}

// --- the part at a place

shoal_status liquid_keep_places(shoal_tet_liquid* l, const shoal_band* band, bool is_copy, liquid_places* out) {
    const shoal_contour* surface = &l->surface;
    const shoal_sparse*  grid    = &band->grid;
    size_t               n = (size_t)surface->vertex_count, blocks = (size_t)l->parts.block_count;
    out->field        = (shoal_sparse){.origin      = grid->origin,
                                       .cell        = grid->cell,
                                       .nx          = grid->nx,
                                       .ny          = grid->ny,
                                       .nz          = grid->nz,
                                       .block_count = l->parts.block_count,
                                       .keys        = l->parts.keys};
    out->vertices     = surface->vertices;
    out->first        = surface->first;
    out->of           = l->parts.of;
    out->only         = NULL;
    out->vertex_count = surface->vertex_count;
    out->count        = l->parts.count;
    if (!is_copy) return SHOAL_OK;
    uint64_t* keys;
    shoal_v3* vertices;
    int *     first, *of, *only;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&only, blocks, sizeof *only));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&keys, blocks, sizeof *keys));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&vertices, n, sizeof *vertices));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&first, blocks + 1, sizeof *first));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&of, n, sizeof *of));
    if (blocks > 0) memcpy(keys, out->field.keys, blocks * sizeof *keys);
    if (blocks > 0) memcpy(first, out->first, (blocks + 1) * sizeof *first);
    if (n > 0) memcpy(vertices, out->vertices, n * sizeof *vertices);
    if (n > 0) memcpy(of, out->of, n * sizeof *of);
    for (size_t b = 0; b < blocks; b++) {
        only[b] = first[b] < first[b + 1] ? l->parts.part[of[first[b]]].balance : -1;
        for (int v = first[b]; v < first[b + 1]; v++)
            if (l->parts.part[of[v]].balance != only[b]) only[b] = -1;
    }
    out->only       = only;
    out->field.keys = keys;
    out->vertices   = vertices;
    out->first      = first;
    out->of         = of;
    return SHOAL_OK;
}

static void nearest_in(const liquid_places* places, int block, shoal_d3 at, double* least, int* found) {
    for (int v = places->first[block]; v < places->first[block + 1]; v++) {
        shoal_d3 way = shoal_d3_sub(shoal_d3_from(places->vertices[v]), at);
        double   d2  = shoal_d3_dot(way, way);
        if (d2 < *least) *least = d2, *found = places->of[v];
    }
}

// So near, in cells, a vertex of the place's own block tells its part, and other blocks are not asked. Some of theirs
// may be nearer (a vertex that has settled on a solid, or gone into a corner, may be out of its block), but hardly of
// another part, since parts are at least a cell of air or solid apart.
#define SURELY_NEAREST 1.0
int liquid_part_near(const liquid_places* places, shoal_d3 at, double reach) {
    shoal_d3 g     = shoal_d3_scale(shoal_d3_sub(at, places->field.origin), 1.0 / places->field.cell);
    double   least = reach * reach * places->field.cell * places->field.cell, cell = places->field.cell;
    int64_t  low[3], high[3], own[3];
    int      found = -1;
    for (int a = 0; a < 3; a++) {
        double x = shoal_d3_axis(g, a);
        own[a]   = (int64_t)floor(x / EDGE);
        low[a]   = (int64_t)floor((x - reach) / EDGE);
        high[a]  = (int64_t)floor((x + reach) / EDGE);
    }
    int block = shoal_sparse_find(&places->field, own[0], own[1], own[2]);
    if (block >= 0) nearest_in(places, block, at, &least, &found);
    if (found >= 0 && least < SURELY_NEAREST * cell * cell) return found;
    for (int64_t z = low[2]; z <= high[2]; z++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t x = low[0]; x <= high[0]; x++) {
                if (x == own[0] && y == own[1] && z == own[2]) continue;
                block = shoal_sparse_find(&places->field, x, y, z);
                if (block >= 0) nearest_in(places, block, at, &least, &found);
            }
    return found;
}

int liquid_balance_near(const shoal_tet_liquid* l, const liquid_places* places, shoal_d3 at, double reach) {
    shoal_d3 g     = shoal_d3_scale(shoal_d3_sub(at, places->field.origin), 1.0 / (EDGE * places->field.cell));
    int      block = shoal_sparse_find(&places->field, (int64_t)floor(g.x), (int64_t)floor(g.y), (int64_t)floor(g.z));
    if (block >= 0 && places->only[block] >= 0) return places->only[block];
    int part = liquid_part_near(places, at, reach);
    return part < 0 ? -1 : l->part_before[part].balance;
}

// Vertices are so far out of the block of their edge of the lattice, at most: those on a film that settle on its solid
// go two cells, and those in a corner between two solids one and a half more (liquid_surface.c).
#define OUT_OF_BLOCK 4.0
shoal_box liquid_block_box(const liquid_places* places, int block) {
    double   cell = places->field.cell, edge = EDGE * cell;
    shoal_d3 low  = shoal_sparse_corner(&places->field, block),
             high = shoal_d3_add(low, shoal_d3_make(edge, edge, edge));
    return shoal_box_grown((shoal_box){low, high}, OUT_OF_BLOCK * cell);
}
static double squared_distance(shoal_box box, shoal_d3 at) {
    shoal_d3 off = {fmax(fmax(box.min.x - at.x, at.x - box.max.x), 0.0),
                    fmax(fmax(box.min.y - at.y, at.y - box.max.y), 0.0),
                    fmax(fmax(box.min.z - at.z, at.z - box.max.z), 0.0)};
    return shoal_d3_dot(off, off);
}
int liquid_part_nearest(const liquid_places* places, shoal_d3 at, const uint8_t* is_asked) {
    double least = (double)INFINITY;
    int    found = -1;
    for (int b = 0; b < places->field.block_count; b++) {
        if (places->first[b] == places->first[b + 1] || squared_distance(liquid_block_box(places, b), at) >= least)
            continue;
        for (int v = places->first[b]; v < places->first[b + 1]; v++) {
            shoal_d3 way = shoal_d3_sub(shoal_d3_from(places->vertices[v]), at);
            if ((is_asked && !is_asked[places->of[v]]) || shoal_d3_dot(way, way) >= least) continue;
            least = shoal_d3_dot(way, way), found = places->of[v];
        }
    }
    return found;
}

#define WALK_REACH 2.5 // cells
int liquid_part_around(const liquid_places* places, const shoal_band* band, const shoal_tet_solids* solids,
                       shoal_d3 at) {
    double cell = band->grid.cell, end = band->grid.origin.x + cell * (double)(EDGE * band->grid.nx);
    int    part = liquid_part_near(places, at, WALK_REACH);
    for (; part < 0 && at.x < end; at.x += cell) {
        bool is_inside = shoal_band_distance(band, at) < 0.0 && solids->distance(solids->ctx, at, NULL) > 0.0;
        if (!is_inside) return liquid_part_near(places, at, WALK_REACH);
    }
    return part;
}
