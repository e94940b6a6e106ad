// SPDX-License-Identifier: MIT
// What is measured of a liquid on a mesh: columns of stats.csv, and probes.
#include "solvers/tetra_paper/paper_local.h"

#include <math.h>

// clang-format off
#define PAPER_COLUMNS(X)                                                                                                                       \
    X(tets,           "",    SOLVER, FREE, "",                       "",     "",                       "tetrahedra")                                 \
    X(vertices,       "",    SOLVER, FREE, "",                       "",     "",                       "of the tetrahedra")                          \
    X(triangles,      "",    SOLVER, FREE, "",                       "",     "",                       "of the surface")                             \
    X(volume_m3,      "m^3", VOLUME, ZERO, "volume",                 "mesh", "volume",                 "within the surface that is shown")           \
    X(tets_m3,        "m^3", SOLVER, FREE, "",                       "",     "",                       "of the tetrahedra: less, where there are parts too thin for one") \
    X(emitted_m3,     "m^3", SOLVER, FREE, "",                       "",     "",                       "by emitters since the start, by their rates") \
    X(removed_m3,     "m^3", SOLVER, FREE, "",                       "",     "",                       "past open walls since the start, by tetrahedra whose middles went there") \
    X(divergence_mps, "m/s", SOLVER, FREE, "",                       "",     "",                       "what is left of it in a tetrahedron, at most, as a speed") \
    X(angle_min_deg,  "deg", SOLVER, FREE, "",                       "",     "",                       "least angle between faces of a tetrahedron") \
    X(angle_max_deg,  "deg", SOLVER, FREE, "",                       "",     "",                       "largest of these angles")                    \
    X(standard_pct,   "%",   SOLVER, FREE, "",                       "",     "",                       "tetrahedra that the surface has not cut")    \
    X(iterations,     "",    SOLVER, ZERO, "iterations per substep", "",     "iterations per substep", "cycles of the pressure solve, of the last substep")
// clang-format on
const shoal_column_def paper_columns[] = {PAPER_COLUMNS(SHOAL_COLUMN_ROW){0}};
#define X(name, ...) COLUMN_##name,
enum { PAPER_COLUMNS(X) COLUMN_COUNT };
#undef X

// A liquid as it is now.
static paper* restored(const void* self) {
    paper* s = (paper*)(uintptr_t)self;
    paper_recall(s);
    return s;
}

void paper_report(const void* self, double* values) {
    paper*                 s      = restored(self);
    paper_once             once   = paper_once_of(s);
    const shoal_tet_state* now    = shoal_tet_current(&s->liquid);
    shoal_tet_quality      q      = shoal_tetmesh_quality(&now->mesh, &s->ctx->exec);
    int                    count  = now->mesh.tet_count;
    values[COLUMN_tets]           = count;
    values[COLUMN_vertices]       = now->mesh.vertex_count;
    values[COLUMN_triangles]      = s->ctx->sets[PAPER_SURFACE]->count;
    values[COLUMN_volume_m3]      = shoal_tet_surface_volume(now, &s->ctx->exec);
    values[COLUMN_tets_m3]        = q.volume;
    values[COLUMN_emitted_m3]     = *once.emitted;
    values[COLUMN_removed_m3]     = *once.drained;
    values[COLUMN_divergence_mps] = *once.divergence;
    values[COLUMN_angle_min_deg]  = q.least_angle;
    values[COLUMN_angle_max_deg]  = q.largest_angle;
    values[COLUMN_standard_pct]   = count > 0 ? 100.0 * (count - q.by_shape[SHOAL_TET_CUT]) / count : 0.0;
    values[COLUMN_iterations]     = *once.iterations;
}

// --- what is asked at places

// The farthest vertex of the largest part that hangs together: drops that have broken off do not count.
static double front_of(paper* s, int axis) {
    const shoal_tetmesh* mesh = &shoal_tet_current(&s->liquid)->mesh;
    double   front = s->world->domain.is_given ? shoal_d3_axis(s->world->domain.min, axis) : 0.0, most = 0.0;
    uint8_t* is_seen = shoal_alloc((size_t)mesh->tet_count + 1, sizeof *is_seen);
    int*     list    = shoal_alloc((size_t)mesh->tet_count + 1, sizeof *list);
    for (int first = 0; first < mesh->tet_count && is_seen && list; first++) {
        int    count  = 0;
        double volume = 0.0, far = (double)-INFINITY;
        if (is_seen[first]) continue;
        is_seen[first] = 1;
        list[count++]  = first;
        for (int i = 0; i < count; i++) {
            shoal_d3 area[4];
            volume += shoal_tet_areas(mesh, list[i], area);
            for (int k = 0; k < 4; k++) {
                int next = mesh->neighbours[list[i]][k];
                far      = fmax(far, shoal_d3_axis(mesh->position[mesh->tets[list[i]][k]], axis));
                if (next >= 0 && !is_seen[next]) is_seen[next] = 1, list[count++] = next;
            }
        }
        if (volume > most) most = volume, front = far;
    }
    if (!is_seen || !list) front = (double)NAN;
    shoal_free(is_seen);
    shoal_free(list);
    return front;
}

// Positive in the liquid and outside of the solids.
static double wet_at(const paper* s, shoal_d3 at) {
    return fmin(-shoal_band_distance(&shoal_tet_current(&s->liquid)->band, at),
                s->solids.distance(s->solids.ctx, at, NULL));
}

// Around the liquid.
static shoal_box wet_box(const paper* s) {
    const shoal_sparse* grid = &shoal_tet_current(&s->liquid)->band.grid;
    shoal_box           box  = shoal_box_empty();
    double              edge = SHOAL_SPARSE_EDGE * grid->cell;
    for (int b = 0; b < grid->block_count; b++) {
        shoal_d3 corner = shoal_sparse_corner(grid, b);
        box             = shoal_box_with(box, corner);
        box             = shoal_box_with(box, shoal_d3_add(corner, shoal_d3_make(edge, edge, edge)));
    }
    return shoal_box_is_empty(box) ? box : shoal_box_common(box, s->extent);
}

static shoal_line paper_line(const void* self, shoal_d3 at) {
    const paper* s      = self;
    const int    finest = 4; // samples to a cell of the tracked surface
    shoal_box    wet    = wet_box(s);
    double       step = 0.5 * s->step / finest, low = wet.min.y - step;
    (void)at;
    if (shoal_box_is_empty(wet)) return (shoal_line){0};
    return (shoal_line){low, step, (int)fmin(1e6, ceil((wet.max.y - low) / step) + 2.0)};
}

// Between the vertices, where there is liquid; at a wall also where it is no farther off than a cell of the surface.
static double pressure_at(paper* s, shoal_d3 at) {
    double       fraction[4], sum = 0.0;
    const float* pressure = shoal_set_data(s->ctx->sets[PAPER_VERTICES], "pressure");
    if (shoal_band_distance(&shoal_tet_current(&s->liquid)->band, at) > 0.5 * s->step) return 0.0;
    shoal_tet_flow flow = shoal_tet_liquid_flow(&s->liquid);
    int            t    = shoal_tet_locate(&flow, at, fraction);
    for (int k = 0; k < 4 && t >= 0; k++) sum += fraction[k] * (double)pressure[flow.mesh->tets[t][k]];
    return sum;
}

// By the means at the vertices, in the same places.
static shoal_d3 velocity_at(paper* s, shoal_d3 at) {
    if (shoal_band_distance(&shoal_tet_current(&s->liquid)->band, at) > 0.5 * s->step)
        return shoal_d3_make(0.0, 0.0, 0.0);
    shoal_tet_flow flow = shoal_tet_liquid_flow(&s->liquid);
    return shoal_tet_mean_velocity(&flow, at);
}

static void paper_at(const void* self, const shoal_d3* places, int count, shoal_at out) {
    paper* s = restored(self);
    for (int i = 0; i < count; i++) {
        if (out.phi) out.phi[i] = -wet_at(s, places[i]);
        if (out.pressure) out.pressure[i] = pressure_at(s, places[i]);
        if (out.velocity) out.velocity[i] = velocity_at(s, places[i]);
    }
}

static double paper_front(const void* self, int axis) { return front_of(restored(self), axis); }

const shoal_matter paper_matter = {.at = paper_at, .line = paper_line, .front = paper_front};
