// SPDX-License-Identifier: MIT
// What is measured of a liquid on a mesh: columns of stats.csv, and probes.
#include "solvers/tetra_paper/paper_local.h"

#include "base/status.h"

#include <math.h>

#define CORRECTED_MOST 0.05 // of the largest volume of the run: more is reported
#define MISSING_MOST 0.05   // of it, too

// clang-format off
#define PAPER_COLUMNS(X)                                                                                                                       \
    X(tets,           "",    SOLVER, FREE, "",                       "",     "",                       "tetrahedra")                                 \
    X(vertices,       "",    SOLVER, FREE, "",                       "",     "",                       "of the tetrahedra")                          \
    X(triangles,      "",    SOLVER, FREE, "",                       "",     "",                       "of the surface")                             \
    X(volume_m3,      "m^3", VOLUME, ZERO, "volume",                 "mesh", "volume",                 "within the surface that is shown: the volume that is kept") \
    X(tets_m3,        "m^3", SOLVER, FREE, "",                       "",     "",                       "of the tetrahedra: less, where there are parts too thin for one") \
    X(emitted_m3,     "m^3", SOLVER, FREE, "",                       "",     "",                       "by emitters since the start")                \
    X(removed_m3,     "m^3", SOLVER, FREE, "",                       "",     "",                       "by sinks, or because it left, since the start") \
    X(corrected_m3,   "m^3", SOLVER, FREE, "",                       "",     "",                       "by which `keep_volume` has moved the surface since the start: given (+) where tracking has lost it, taken (-) where it has added it") \
    X(divergence_mps, "m/s", SOLVER, FREE, "",                       "",     "",                       "what is left of it at a vertex, at most, as a speed") \
    X(angle_min_deg,  "deg", SOLVER, FREE, "",                       "",     "",                       "least angle between faces of a tetrahedron") \
    X(angle_max_deg,  "deg", SOLVER, FREE, "",                       "",     "",                       "largest of these angles")                    \
    X(standard_pct,   "%",   SOLVER, FREE, "",                       "",     "",                       "tetrahedra that the surface has not cut")    \
    X(iterations,     "",    SOLVER, ZERO, "iterations per substep", "",     "iterations per substep", "of the pressure solve, of the last substep")
// clang-format on
const shoal_column_def paper_columns[] = {PAPER_COLUMNS(SHOAL_COLUMN_ROW){0}};
#define X(name, ...) COLUMN_##name,
enum { PAPER_COLUMNS(X) COLUMN_COUNT };
#undef X

// A liquid as it is now, of which parts that are made for asking may change.
static paper* restored(const void* self) {
    paper* s = (paper*)(uintptr_t)self;
    paper_recall(s);
    return s;
}

// What is given to the surface of a part was lost at some place: its level hides that.
void paper_report_corrected(paper* s, bool is_over) {
    const shoal_description* d     = s->ctx->description;
    paper_once               once  = paper_once_of(s);
    double                   given = *once.corrected;
    if ((!is_over && s->until < d->frames / d->fps - 1e-9) || s->is_corrected_reported) return;
    s->is_corrected_reported = true;
    if (fabs(given) <= CORRECTED_MOST * *once.volume_most) return;
    shoal_log(SHOAL_LOG_WARNING,
              "keep_volume has %s %.3g m^3 by t = %.4g s, %.1f %% of the largest volume, which tracking has %s: the "
              "surface was moved by it, as corrected_m3 in stats.csv tells; a finer spacing or a smaller cfl "
              "needs less",
              given > 0.0 ? "given" : "taken", fabs(given), s->until, 100.0 * fabs(given) / *once.volume_most,
              given > 0.0 ? "lost" : "added");
}

void paper_report_missing(paper* s, bool is_over) {
    const shoal_description* d      = s->ctx->description;
    paper_once               once   = paper_once_of(s);
    double                   volume = shoal_tet_current(&s->liquid)->surface_volume,
           due                      = *once.volume_first + *once.emitted - *once.drained;
    if ((!is_over && s->until < d->frames / d->fps - 1e-9) || s->is_missing_reported) return;
    s->is_missing_reported = true;
    if (fabs(volume - due) <= MISSING_MOST * *once.volume_most) return;
    shoal_log(SHOAL_LOG_WARNING,
              "%.3g m^3 of liquid are there at t = %.4g s, where the start and the inflow less the outflow are %.3g "
              "m^3: %.3g m^3 %s%s",
              volume, s->until, due, fabs(volume - due), volume < due ? "have vanished" : "have come of nothing",
              s->params.substeps > 0 ? "; substeps are given: take more, or auto" : "");
}

void paper_report_lost(paper* s) {
    paper_once once = paper_once_of(s);
    if (!(*once.past_end > 0.0)) return;
    shoal_log(
        SHOAL_LOG_WARNING,
        "%.3g m^3 of liquid have gone past the end of the lattice, %.3g m from the scene or farther, from t = %.4g "
        "s on, and are taken out: give the scene a domain",
        *once.past_end, PAPER_REACH * s->step, *once.past_end_since);
}

void paper_report(const void* self, double* values) {
    paper*                 s    = restored(self);
    paper_once             once = paper_once_of(s);
    const shoal_tet_state* now  = shoal_tet_current(&s->liquid);
    shoal_tet_boundary     boundary;
    bool                   is_known = shoal_tet_liquid_boundary(&s->liquid, &s->ctx->exec, &boundary) == SHOAL_OK;
    shoal_tet_quality      q        = shoal_tetmesh_quality(&now->mesh, &s->ctx->exec);
    int                    count    = now->mesh.tet_count;
    values[COLUMN_tets]             = count;
    values[COLUMN_vertices]         = now->mesh.vertex_count;
    values[COLUMN_triangles]        = s->ctx->sets[PAPER_SURFACE]->count;
    values[COLUMN_volume_m3]        = now->surface_volume;
    values[COLUMN_tets_m3]          = shoal_tet_liquid_volume(&s->liquid, &s->ctx->exec);
    values[COLUMN_emitted_m3]       = *once.emitted;
    values[COLUMN_removed_m3]       = *once.drained;
    values[COLUMN_corrected_m3]     = *once.corrected;
    values[COLUMN_divergence_mps]   = count > 0 ? (double)NAN : 0.0; // where there is no liquid none is left
    if (count > 0 && is_known)
        values[COLUMN_divergence_mps] = shoal_tet_divergence(&now->mesh, &boundary, &s->ctx->exec, now->velocity);
    values[COLUMN_angle_min_deg] = count > 0 ? q.least_angle : 0.0;
    values[COLUMN_angle_max_deg] = count > 0 ? q.largest_angle : 0.0;
    values[COLUMN_standard_pct]  = count > 0 ? 100.0 * (count - q.by_shape[SHOAL_TET_CUT]) / count : 0.0;
    values[COLUMN_iterations]    = *once.iterations;
}

// --- what is asked at places

// The farthest vertex of the largest part that hangs together: drops that have broken off do not count.
static double front_of(paper* s, int axis) {
    const shoal_tetmesh* mesh = &shoal_tet_current(&s->liquid)->mesh;
    if (shoal_tet_liquid_flow(&s->liquid, (double)s->params.sharpness, &s->ctx->exec) != SHOAL_OK) return (double)NAN;
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

static shoal_line paper_line(const void* self, shoal_d3 at) {
    const paper* s      = self;
    const int    finest = 4; // samples to a cell of the tracked surface
    shoal_box    wet    = paper_wet_box(s);
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
    if (shoal_tet_liquid_flow(&s->liquid, (double)s->params.sharpness, &s->ctx->exec) != SHOAL_OK) return (double)NAN;
    int t = shoal_tet_locate(&s->liquid.flow, at, fraction);
    for (int k = 0; k < 4 && t >= 0; k++) sum += fraction[k] * (double)pressure[s->liquid.flow.mesh->tets[t][k]];
    return sum;
}

// By the means at the vertices, in the same places.
static shoal_d3 velocity_at(paper* s, shoal_d3 at) {
    if (shoal_band_distance(&shoal_tet_current(&s->liquid)->band, at) > 0.5 * s->step)
        return shoal_d3_make(0.0, 0.0, 0.0);
    if (shoal_tet_liquid_flow(&s->liquid, (double)s->params.sharpness, &s->ctx->exec) != SHOAL_OK)
        return shoal_d3_make((double)NAN, (double)NAN, (double)NAN);
    return shoal_tet_mean_velocity(&s->liquid.flow, at);
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

const shoal_measures paper_measures = {.at = paper_at, .line = paper_line, .front = paper_front};
