// SPDX-License-Identifier: MIT
// Thin parts in the mesh [Chentanez et al. 2007, 3.4.2]: the mesh is half as fine as the tracked surface, and sheets
// that the surface shows would hold no tetrahedra, and stand still. So balls around the particles on their medial axis
// are meshed too. (The paper adds an offset to the distance, which ends abruptly four steps away: beside a sheet a pool
// would have a higher level.) A film on a solid is thin as well.
#include "tet/liquid_local.h"

#include <math.h>

enum { BLOCK = 256, OCTAHEDRA = 4, PIECES = 15 };

// What is no thicker is thin, in steps, as in the paper.
#define THIN 1.2
// Of a level sheet of 1.6 cells the tracked distance half way is a quarter of half of the thickness where it lies
// between two planes of nodes: with 0.3, as for surfaces, it lost all of its balls in single steps.
#define SHORTEST 0.15
// Balls, in steps. Stuffing has an inner vertex wherever a slab is 1.07 thick: planes of the lattice are half a step
// apart, and vertices move to a surface that cuts one of their edges within 0.285 of it. Balls are half a step apart.
#define SHEET_RADIUS 0.65
#define FILM_RADIUS 0.75
#define FILM_LIFT 0.45 // off the solid
#define ROUNDING 1e-9
#define AT_SOLID 0.1 // a ray that ends so near to a solid ends there, in steps
// A cosine: a film's surface lies along the solid; else it is the edge of a pool. (With 0.97 and 0.94 pools on beaches
// of 11 and 17 degrees had up to 0.8 m/s at the shore after two seconds; beaches of 5 and 8 degrees have 2e-4.)
#define ALONG_SOLID 0.985

typedef struct thin_job {
    const shoal_tet_state*  state;
    const shoal_tet_solids* solids;
} thin_job;

static double distance_at(void* ctx, shoal_d3 at, shoal_clear* last) {
    const thin_job* job = ctx;
    double          to  = shoal_band_distance(&job->state->band, at);
    return to >= -shoal_clear_off(last, at) ? to : fmax(to, -liquid_off(job->solids, at, NULL, last));
}
static bool is_off_solids(void* ctx, shoal_d3 at) {
    const thin_job* job = ctx;
    return job->solids->distance(job->solids->ctx, at, NULL) > 0.0;
}
// Half way through a sheet; off the solid that a film lies on.
static void place_ball(void* ctx, shoal_d3 way, shoal_tet_medial* m) {
    const thin_job* job  = ctx;
    double          step = job->state->work.tree.step;
    shoal_d3        end  = shoal_d3_add(m->at, shoal_d3_scale(way, m->radius)), out;
    shoal_tet_wall  wall;
    double          off = fabs(job->solids->distance(job->solids->ctx, end, &wall)),
           to           = fabs(shoal_band_distance(&job->state->band, end));
    m->radius           = SHEET_RADIUS * step;
    if (off > fmax(to, AT_SOLID * step)) return;
    out       = shoal_d3_from(wall.normal);
    m->at     = shoal_d3_add(end, shoal_d3_scale(out, FILM_LIFT * step));
    m->radius = -shoal_d3_dot(out, way) > ALONG_SOLID ? FILM_RADIUS * step : 0.0;
}

shoal_status liquid_find_thin(shoal_tet_liquid* l, const shoal_tet_state* s, const shoal_tet_solids* solids,
                              const shoal_exec* exec) {
    thin_job             job = {s, solids};
    shoal_tet_medial_def def = {SHORTEST, THIN * s->work.tree.step, distance_at, is_off_solids, place_ball, &job};
    shoal_tet_medials_forget(&l->thin);
    return l->meshes_thin ? shoal_tet_medials_find(&l->thin, &s->band, &s->work.tree, &def, exec) : SHOAL_OK;
}

typedef struct ball_job {
    const shoal_tet_medials* thin;
    double                   depth, radius; // radius: of the ball that it is the depth in
} ball_job;
static void join_ball(void* ctx, int i, double square) {
    ball_job* job   = ctx;
    double    depth = job->thin->items[i].radius - sqrt(square);
    if (depth > job->depth) job->depth = depth, job->radius = job->thin->items[i].radius;
}
double liquid_depth(const shoal_tet_medials* thin, const shoal_band* band, shoal_d3 at, bool* is_film) {
    ball_job job  = {thin, -shoal_band_distance(band, at), 0.0};
    double   film = 2.0 * FILM_RADIUS * thin->cell, reach = fmin(film, film - job.depth + ROUNDING * film);
    // balls are no larger than those of films: from farther away none is deeper
    if (reach > 0.0 && shoal_tet_medials_are_near(thin, at)) shoal_tet_medials_near(thin, at, reach, join_ball, &job);
    *is_film = job.radius > 0.99 * film;
    return job.depth;
}

// --- what holds films
//
// Pressure is zero at the surface of a film, not at that of its tetrahedra above it. As far as they stand out it goes
// on as in liquid at rest, or water that ends thin on a beach would run down there. A sheet, which falls, has none.

typedef struct film_job {
    const shoal_tet_state* state;
    const shoal_tet_drive* drive;
    double*                air; // [vertices]
} film_job;

static void film_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    film_job*              job = ctx;
    const shoal_tet_state* s   = job->state;
    for (int v = begin; v < end; v++) {
        shoal_d3 at = s->mesh.position[v], gradient, rest = {0.0, 0.0, 0.0};
        job->air[v] = 0.0;
        if (s->beyond[v] != SHOAL_TET_BEYOND_FILM || !s->is_air[v] || !shoal_band_gradient(&s->band, at, &gradient))
            continue;
        double length2 = shoal_d3_dot(gradient, gradient);
        if (!(length2 > 0.0)) continue;
        double above = shoal_d3_dot(job->drive->accelerate(job->drive->ctx, at, rest), gradient) / length2;
        job->air[v]  = fmin(0.0, above) * shoal_band_distance(&s->band, at); // one that hangs is not held
    }
}
shoal_status liquid_hold_films(shoal_tet_liquid* l, const shoal_tet_drive* drive, const shoal_exec* exec,
                               double** air) {
    const shoal_tet_state* s = shoal_tet_current(l);
    *air                     = NULL;
    if (!s->has_film) return SHOAL_OK;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)air, (size_t)s->mesh.vertex_count, sizeof **air));
    film_job job = {s, drive, *air};
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, film_block, &job);
    return SHOAL_OK;
}

// --- how much of a tetrahedron is liquid

// A tetrahedron divided in three along each edge: ten small ones like it, one that is turned over, and four octahedra,
// which are four times as large. Weights of its corners in the middles of these.
static double weight_of(int piece, int corner) {
    static const uint8_t edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    if (piece < OCTAHEDRA) return piece == corner ? 1.0 / 2.0 : 1.0 / 6.0;
    if (piece < 2 * OCTAHEDRA) return piece - OCTAHEDRA == corner ? 9.0 / 12.0 : 1.0 / 12.0;
    if (piece == PIECES - 1) return 1.0 / 4.0;
    const uint8_t* ends = edge[piece - 2 * OCTAHEDRA];
    return ends[0] == corner || ends[1] == corner ? 5.0 / 12.0 : 1.0 / 12.0;
}

// Of a piece the surface may pass through so much is within it, by the distance at its middle: pieces of a film lie in
// layers along its solid, and whole ones made it up to a third too heavy or too light. Widths, in cells.
#define OCTAHEDRON_WIDTH 0.55
#define PIECE_WIDTH 0.35
static double fraction_within(double distance, double width) { return fmin(1.0, fmax(0.0, 0.5 - distance / width)); }

double shoal_tet_held(const shoal_tet_state* s, int t) {
    const int* v = s->mesh.tets[t];
    shoal_d3   area[4];
    double     volume = shoal_tet_areas(&s->mesh, t, area), within = 0.0;
    if (!(s->beyond[v[0]] | s->beyond[v[1]] | s->beyond[v[2]] | s->beyond[v[3]])) return volume;
    shoal_d3 at[PIECES];
    double   off[PIECES];
    for (int k = 0; k < PIECES; k++) {
        at[k] = shoal_d3_make(0.0, 0.0, 0.0);
        for (int c = 0; c < 4; c++)
            at[k] = shoal_d3_add(at[k], shoal_d3_scale(s->mesh.position[v[c]], weight_of(k, c)));
    }
    shoal_band_linear_at(&s->band, at, PIECES, off);
    for (int k = 0; k < PIECES; k++) {
        double to = off[k] / s->band.grid.cell;
        within += k < OCTAHEDRA ? 4.0 / 27.0 * fraction_within(to, OCTAHEDRON_WIDTH)
                                : 1.0 / 27.0 * fraction_within(to, PIECE_WIDTH);
    }
    return volume * within;
}

static double held_block(void* ctx, int begin, int end) {
    double sum = 0.0;
    for (int t = begin; t < end; t++) sum += shoal_tet_held(ctx, t);
    return sum;
}
double shoal_tet_liquid_volume(const shoal_tet_liquid* l, const shoal_exec* exec) {
    const shoal_tet_state* s = shoal_tet_current(l);
    return shoal_sum(exec, s->mesh.tet_count, held_block, (void*)(uintptr_t)s);
}
