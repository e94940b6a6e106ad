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
    shoal_v3*               face; // [vertices] of the solid that it is on, the way out; zero: on none
    int*                    turn; // [vertices] the first of `turns` that are its; -1: none
    struct surface_turn*    turns;
    double *                area, *thick; // [triangles] to the air, and of that with much liquid behind it, m^2
} surface_job;

// Whether a place in the liquid, within a cell of the surface of a solid, is in a film on that, or below it within the
// solid. A film thinner than a cell may have no node in it, or one that is much nearer to the solid than to the air,
// and where the solid ends all that is beyond it, it would not be seen. It is seen by the nodes below it; what of its
// surface is within the solid goes onto that.
#define FILM_LEAST 0.1  // cells
#define FILM_ALONG 0.95 // a cosine
#define FILM_CLEAR 0.9  // cells; so far off it no other solid is
#define FILM_SLOPE 1.5  // of distances along it, at most
static bool is_film(const surface_job* job, shoal_d3 at, double to, double off) {
    double         cell = job->field->cell;
    shoal_tet_wall wall;
    shoal_d3       slope;
    if (!(fabs(off) < cell) || to >= 0.0 || to < -FILM_SLOPE * (cell - off)) return false;
    job->solids->distance(job->solids->ctx, at, &wall);
    shoal_d3 out = shoal_d3_from(wall.normal), on = shoal_d3_add(at, shoal_d3_scale(out, -off)),
             above = shoal_d3_add(on, shoal_d3_scale(out, cell));
    return shoal_band_distance(job->band, above) > 0.0 &&
           job->solids->distance(job->solids->ctx, above, NULL) > FILM_CLEAR * cell && // not in a corner
           shoal_band_distance(job->band, on) < -FILM_LEAST * cell && shoal_band_gradient(job->band, on, &slope) &&
           shoal_d3_dot(slope, out) > FILM_ALONG * shoal_d3_length(slope);
}

static void value_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    surface_job* job = ctx;
    for (int b = begin; b < end; b++) {
        shoal_d3    corner = shoal_sparse_corner(job->field, b);
        uint64_t    key = job->field->keys[b], nx = (uint64_t)job->field->nx, ny = (uint64_t)job->field->ny;
        int         own    = shoal_sparse_find(&job->band->grid, (int64_t)(key % nx), (int64_t)(key / nx % ny),
                                               (int64_t)(key / nx / ny));
        float*      value  = job->field->values + (size_t)NODES * (size_t)b;
        double      beyond = own < 0 ? shoal_band_distance(job->band, corner) : 0.0; // one side, all of the block
        shoal_clear last   = {.off = (double)-INFINITY};
        for (int n = 0; n < NODES; n++) {
            shoal_d3 at = shoal_d3_add(
                corner, shoal_d3_scale(shoal_d3_make(n % EDGE, n / EDGE % EDGE, n / (EDGE * EDGE)), job->field->cell));
            double to  = own < 0 ? beyond : (double)job->band->grid.values[(size_t)NODES * (size_t)own + (size_t)n];
            double off = shoal_clear_off(&last, at);
            if (!(off >= job->field->cell && to >= -off)) off = liquid_off(job->solids, at, NULL, &last);
            value[n] = (float)(own >= 0 && is_film(job, at, to, off) ? to : to >= -off ? to : -off);
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
    shoal_clear        last = {.off = (double)-INFINITY};
    for (int v = begin; v < end; v++) {
        shoal_v3* vertex = &job->surface->vertices[v];
        shoal_d3  at     = shoal_d3_from(*vertex), slope;
        job->face[v]     = shoal_v3_make(0.0f, 0.0f, 0.0f);
        if (shoal_clear_off(&last, at) >= cell) continue;
        shoal_tet_wall wall;
        double         off = liquid_off(job->solids, at, &wall, &last);
        if (!(off < cell && off > -2.0 * cell)) continue; // below a film it is deeper
        double   to = shoal_band_distance(job->band, at), length = 0.0;
        shoal_d3 out = shoal_d3_from(wall.normal), way = {0.0, 0.0, 0.0};
        if (fabs(to) < cell && shoal_band_gradient(job->band, at, &slope)) length = shoal_d3_length(slope);
        bool is_crossed = length > SLOPE, is_on_solid = true;
        if (is_crossed) to /= length, slope = shoal_d3_scale(slope, 1.0 / length);
        if (!is_crossed || !to_edge(to, slope, off, out, NEAR_EDGE * cell, &way)) {
            is_on_solid = -off >= to;
            if (is_on_solid)
                way = shoal_d3_scale(out, -off);
            else
                way = is_crossed ? shoal_d3_scale(slope, -to) : shoal_d3_make(0.0, 0.0, 0.0);
        }
        at      = shoal_d3_add(at, way);
        *vertex = shoal_v3_from(at);
        if (is_on_solid) job->face[v] = wall.normal;
    }
}

// --- the line along which two solids meet
//
// Cubes cut it off, too: what is between the liquid and the solids there would be air, which is seen as a bright line
// through the liquid. An edge of the surface that leads from one face of the solids to another is such a cut. Its end
// on one of the faces, the same one all along, goes along that to the other, and the cut lies on the other face then.
// This is for the eye: volume, area and parts are measured before. In the balance of the volume, where a front fills a
// corner at once, it made single tetrahedra half as fast again (a dam break at its far wall). The next step looks at
// the vertices that have gone as at all others, but only for which part is near (within 1.5 to 2.5 cells) and what box
// a part is in.

#define CREASE_MOST 1.5    // cells that a vertex goes
#define BACK_TO_BACK -0.95 // a cosine: the two sides of a thin solid have no line in common
enum { CREASE_ROUNDS = 30 };

// A vertex of another face that one has an edge to.
typedef struct surface_turn {
    int other, next; // next: of the same one; -1: none
} surface_turn;

static bool is_crease(const surface_job* job, int a, int b) {
    shoal_d3 m = shoal_d3_from(job->face[a]), n = shoal_d3_from(job->face[b]);
    double   cosine = shoal_d3_dot(m, n);
    return shoal_d3_dot(m, m) > 0.0 && shoal_d3_dot(n, n) > 0.0 && cosine < ALONGSIDE && cosine > BACK_TO_BACK;
}
// Of two vertices on two faces the one that goes to the other's: any order of faces serves. In a mirrored scene it may
// be the other one, and the line is the same.
static bool turns_to(const surface_job* job, int a, int b) {
    const shoal_d3 order = {1.0, 3.0, 9.0};
    return shoal_d3_dot(shoal_d3_from(job->face[a]), order) > shoal_d3_dot(shoal_d3_from(job->face[b]), order);
}
static double crease_block(void* ctx, int begin, int end) {
    const surface_job* job   = ctx;
    int                count = 0;
    for (int t = begin; t < end; t++) {
        const int* c = job->surface->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; k++) count += is_crease(job, c[k], c[(k + 1) % 3]);
    }
    return count;
}
static shoal_d3 onto(shoal_d3 at, shoal_d3 normal, shoal_d3 through) {
    return shoal_d3_sub(at, shoal_d3_scale(normal, shoal_d3_dot(normal, shoal_d3_sub(at, through))));
}
// Where a vertex's face meets the others, and the air if it is there, too: onto one after the other.
static shoal_d3 crease_of(const surface_job* job, int v) {
    shoal_d3 start = shoal_d3_from(job->surface->vertices[v]), at = start, slope = {0.0, 0.0, 0.0};
    double   length = 0.0;
    if (fabs(shoal_band_distance(job->band, start)) < AT_AIR * job->field->cell &&
        shoal_band_gradient(job->band, start, &slope))
        length = shoal_d3_length(slope);
    slope = length > SLOPE ? shoal_d3_scale(slope, 1.0 / length) : shoal_d3_make(0.0, 0.0, 0.0);
    for (int round = 0; round < CREASE_ROUNDS; round++) {
        for (int k = job->turn[v]; k >= 0; k = job->turns[k].next) {
            int other = job->turns[k].other;
            at        = onto(at, shoal_d3_from(job->face[other]), shoal_d3_from(job->surface->vertices[other]));
        }
        at = onto(onto(at, slope, start), shoal_d3_from(job->face[v]), start);
    }
    return shoal_d3_length(shoal_d3_sub(at, start)) < CREASE_MOST * job->field->cell ? at : start;
}
static shoal_status fill_creases(surface_job* job, shoal_arena* arena, const shoal_exec* exec) {
    shoal_contour* surface = job->surface;
    int            most = (int)shoal_sum(exec, surface->triangle_count, crease_block, job), count = 0, moved = 0;
    int*           movers;
    shoal_v3*      places;
    if (most == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_arena_make(arena, (void**)&job->turn, (size_t)surface->vertex_count, sizeof *job->turn));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&job->turns, (size_t)most, sizeof *job->turns));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&movers, (size_t)most, sizeof *movers));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&places, (size_t)most, sizeof *places));
    for (int v = 0; v < surface->vertex_count; v++) job->turn[v] = -1;
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* c = surface->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; k++) {
            int a = c[k], b = c[(k + 1) % 3];
            if (!is_crease(job, a, b)) continue;
            int mover = turns_to(job, a, b) ? a : b;
            if (job->turn[mover] < 0) movers[moved++] = mover;
            job->turns[count] = (surface_turn){mover == a ? b : a, job->turn[mover]};
            job->turn[mover]  = count++;
        }
    }
    // from where all are before any goes
    for (int k = 0; k < moved; k++) places[k] = shoal_v3_from(crease_of(job, movers[k]));
    for (int k = 0; k < moved; k++) surface->vertices[movers[k]] = places[k];
    return SHOAL_OK;
}

// The blocks of the band, and those of octants at solids where there is liquid, with a node around them.
static shoal_status list_blocks(shoal_tet_liquid* l, const shoal_tet_state* s, uint64_t** keys, int* count) {
    const shoal_sparse* grid = &s->band.grid;
    int                 n    = 0;
    uint64_t*           list =
        shoal_arena_take(&l->arena, (size_t)grid->block_count + 8 * (size_t)l->solid_octants.count, sizeof *list);
    if (!list) return SHOAL_ERR_MEMORY;
    for (int b = 0; b < grid->block_count; b++) list[n++] = grid->keys[b];
    for (int k = 0; k < l->solid_octants.count; k++) {
        int at[3], low[3], high[3];
        shoal_morton_split(l->solid_octants.keys[k], at);
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
    const surface_job* job = ctx;
    double             sum = 0.0;
    for (int t = begin; t < end; t++) sum += liquid_volume_under(job->surface, t, job->field->origin);
    return sum;
}
// Of triangles on the tracked surface, and not on a solid; below zero: on a film below one.
static void area_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const surface_job*   job     = ctx;
    const shoal_contour* surface = job->surface;
    double               cell    = job->field->cell;
    shoal_clear          last    = {.off = (double)-INFINITY};
    for (int t = begin; t < end; t++) {
        const int* c = surface->triangles + 3 * (size_t)t;
        shoal_d3   a = shoal_d3_from(surface->vertices[c[0]]), b = shoal_d3_from(surface->vertices[c[1]]),
                 d          = shoal_d3_from(surface->vertices[c[2]]),
                 middle     = shoal_d3_scale(shoal_d3_add(a, shoal_d3_add(b, d)), 1.0 / 3.0);
        shoal_tet_wall wall = {.is_sticky = false};
        shoal_d3       out  = shoal_d3_cross(shoal_d3_sub(b, a), shoal_d3_sub(d, a));
        double         area = shoal_d3_length(out);
        job->area[t] = job->thick[t] = 0.0;
        if (!(area > 0.0)) continue;
        out        = shoal_d3_scale(out, 1.0 / area);
        double off = shoal_clear_off(&last, middle);
        if (off < LIQUID_FILM_WITHIN * cell) off = liquid_off(job->solids, middle, &wall, &last);
        if (shoal_band_distance(job->band, middle) < -AT_AIR * cell || off < ON_SOLID * cell) continue;
        job->area[t]  = liquid_hangs(job->down, cell, off, &wall, out) ? -0.5 * area : 0.5 * area;
        job->thick[t] = 0.5 * area * liquid_thickness(job->band, job->solids, job->down, middle, off, &wall, out);
    }
}
static double air_block(void* ctx, int begin, int end) {
    const surface_job* job = ctx;
    double             sum = 0.0;
    for (int t = begin; t < end; t++) sum += fabs(job->area[t]);
    return sum;
}
static double hanging_block(void* ctx, int begin, int end) {
    const surface_job* job = ctx;
    double             sum = 0.0;
    for (int t = begin; t < end; t++) sum += fmax(0.0, -job->area[t]);
    return sum;
}
static double thick_block(void* ctx, int begin, int end) {
    const surface_job* job = ctx;
    double             sum = 0.0;
    for (int t = begin; t < end; t++) sum += job->thick[t];
    return sum;
}
static shoal_status measure(shoal_tet_liquid* l, shoal_tet_state* s, surface_job* job, const shoal_exec* exec) {
    int triangles = l->surface.triangle_count;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&job->area, (size_t)triangles, sizeof *job->area));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&job->thick, (size_t)triangles, sizeof *job->thick));
    shoal_blocks(exec, triangles, 64 * BLOCK, area_block, job);
    s->surface_volume = shoal_sum(exec, triangles, volume_block, job);
    s->area           = shoal_sum(exec, triangles, air_block, job);
    s->hanging        = shoal_sum(exec, triangles, hanging_block, job);
    s->thick          = shoal_sum(exec, triangles, thick_block, job);
    if (l->parts.count == 1)
        l->parts.part[0] =
            (shoal_tet_part){.volume = s->surface_volume, .area = s->area, .hanging = s->hanging, .thick = s->thick};
    for (int t = 0; t < triangles && l->parts.count > 1; t++) {
        shoal_tet_part* part = &l->parts.part[l->parts.of[l->surface.triangles[3 * (size_t)t]]];
        part->volume += liquid_volume_under(&l->surface, t, job->field->origin);
        part->area += fabs(job->area[t]);
        part->hanging += fmax(0.0, -job->area[t]);
        part->thick += job->thick[t];
    }
    return SHOAL_OK;
}

void liquid_move_triangles(shoal_contour* from, shoal_contour* to) {
    if (!from->triangles) return;
    shoal_free(to->triangles);
    to->triangles = from->triangles, to->triangle_capacity = from->triangle_capacity;
    from->triangles = NULL, from->triangle_capacity = 0;
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
    l->surface_state = NULL;
    liquid_move_triangles(&s->band.surface, &l->surface);
    if (l->solid_octants_state != s) SHOAL_TRY(liquid_list_solid_octants(l, s, solids, exec)); // a step was undone
    shoal_status status = list_blocks(l, s, &keys, &count);
    if (status == SHOAL_OK) status = shoal_sparse_make(&field, exec, keys, count, arena);
    surface_job job = {.field = &field, .band = &s->band, .solids = solids, .surface = &l->surface, .down = l->down};
    if (status == SHOAL_OK) {
        shoal_blocks(exec, field.block_count, BLOCK, value_block, &job);
        status = shoal_contour_make(&field, SHOAL_CONTOUR_PLAIN, exec, arena, &l->surface);
    }
    if (status == SHOAL_OK) status = liquid_find_parts(l, &field);
    int vertices = l->surface.vertex_count;
    if (status == SHOAL_OK) status = shoal_arena_make(arena, (void**)&job.face, (size_t)vertices, sizeof *job.face);
    if (status == SHOAL_OK) {
        shoal_blocks(exec, vertices, 64 * BLOCK, settle_block, &job);
        status = measure(l, s, &job, exec);
    }
    if (status == SHOAL_OK) status = fill_creases(&job, arena, exec);
    if (status == SHOAL_OK) l->surface_state = s;
    shoal_arena_back(arena, mark);
    return status;
}

shoal_status shoal_tet_liquid_surface(shoal_tet_liquid* l, const shoal_tet_solids* solids, const shoal_exec* exec) {
    shoal_tet_state* s = &l->states[l->current];
    return l->surface_state == s ? SHOAL_OK : liquid_make_surface(l, s, solids, exec);
}
