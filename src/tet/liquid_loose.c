// SPDX-License-Identifier: MIT
// Liquid comes off solids. It does not leave a wall, which is right where no air can come between the two. A film below
// a solid would hang there for ever, and whatever falls off it would come of nothing, as the film that is left behind
// is drawn out no further than to the size of a cell. So where it would go down, and air is near, its vertices on the
// solid are as those at the air; and the surface opens between the two. And a stream that runs over an edge would be
// drawn round it, and lie on the face below: it is let go where that would have to draw it.
#include "tet/liquid_local.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, LOOSE = 1, LOOSE_AT_AIR = 2 };

#define STRIDE_LEAST 0.25 // cells; of a ray through the film
#define OFF_SOLID 0.1     // cells
// A film that comes off is moved down so far at once, in cells: less would be closed again as a gap beside a solid.
#define OPENED 0.5
#define LEAVES_LEAST 0.1 // cells in a step; what is slower stays
#define TOUCHES 0.3      // cells; what is within it so far off a solid touches that
#define DRAWN_LEAST 0.25 // cells; the weight of so much is drawn
// Air so wide is no bubble, in cells, if its distance to the liquid there is so much of that.
#define AIR_LEAST 3.0
#define AIR_CLEAR 0.7
#define SLOPE_LEAST 0.5 // less is that of places between two surfaces
#define LOOSE_LEAST 0.5 // of the weights at a place: it is loose
#define OFF_SOURCE 0.5  // cells; a source is looked for so far off the solid
#define STAYS_NEAR 1.0  // cells; what is moved ends so far beyond the thickest film

// Whether a ray from a solid into the liquid ends at the air before it is as long as films are thick.
static bool is_film_at(const shoal_band* band, const shoal_tet_solids* solids, shoal_d3 at, shoal_d3 normal) {
    double cell = band->grid.cell, gone = STRIDE_LEAST * cell;
    while (gone < LIQUID_FILM_WITHIN * cell) {
        shoal_d3 here = shoal_d3_add(at, shoal_d3_scale(normal, gone));
        double   to   = shoal_band_distance(band, here);
        if (solids->distance(solids->ctx, here, NULL) < OFF_SOLID * cell) return false;
        if (to >= 0.0) return true;
        gone += fmax(STRIDE_LEAST * cell, -to);
    }
    return false;
}

// Whether liquid comes out of the solid there, from a source of a tap: that stays at it. (As what hangs from a ceiling
// it came off, and was laid anew, 1.3 times what was due.)
static bool is_at_source(const shoal_tet_drive* drive, shoal_d3 at, shoal_d3 normal, double cell) {
    shoal_d3 beside = shoal_d3_add(at, shoal_d3_scale(normal, OFF_SOURCE * cell));
    for (int k = 0; k < drive->tap_count; k++)
        if (drive->taps[k].rate > 0.0 && drive->is_in_tap(drive->ctx, k, beside)) return true;
    return false;
}

static bool hangs_below(const shoal_tet_wall* wall, shoal_d3 down) {
    return shoal_d3_dot(shoal_d3_from(wall->normal), down) > LIQUID_FILM_BELOW;
}

typedef struct loose_job {
    const shoal_tet_state*  state;
    const shoal_tet_solids* solids;
    const shoal_tet_drive*  drive;
    shoal_d3                down;
    uint8_t*                is_loose;
} loose_job;

typedef struct drawn_job {
    const shoal_tet_state*  state;
    const shoal_tet_solids* solids; // NULL: not known
    const shoal_tet_drive*  drive;
    shoal_d3                down;
    const double*           pressure; // [vertices] as of shoal_tet_project
    const uint8_t*          is_open;  // [vertices] as of shoal_tet_projection: elsewhere only differences are known
    uint8_t*                is_loose;
} drawn_job;

static shoal_d3 mean_around(const shoal_tet_state* s, int v) {
    shoal_d3 u   = {0.0, 0.0, 0.0};
    double   all = 0.0;
    for (int i = s->mesh.incident_first[v]; i < s->mesh.incident_first[v + 1]; i++) {
        int      t = s->mesh.incident[i] / 4;
        shoal_d3 area[4];
        double   volume = shoal_tet_areas(&s->mesh, t, area);
        u               = shoal_d3_add(u, shoal_d3_scale(shoal_d3_from(s->velocity[t]), volume));
        all += volume;
    }
    return all > 0.0 ? shoal_d3_scale(u, 1.0 / all) : u;
}
static bool leaves(const shoal_tet_wall* wall, shoal_d3 u) {
    return shoal_d3_dot(shoal_d3_sub(u, shoal_d3_from(wall->velocity)), shoal_d3_from(wall->normal)) > 0.0;
}
static bool is_loose_at(const loose_job* job, int v) {
    const shoal_tet_state* s = job->state;
    if (s->walls.of[v] < 0) return false;
    const shoal_tet_wall* wall   = &s->walls.wall[s->walls.of[v]];
    shoal_d3              normal = shoal_d3_from(wall->normal), at = s->mesh.position[v];
    return hangs_below(wall, job->down) &&
           leaves(wall, job->drive->accelerate(job->drive->ctx, at, mean_around(s, v))) &&
           is_film_at(&s->band, job->solids, at, normal) && !is_at_source(job->drive, at, normal, s->band.grid.cell);
}
static void loose_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    loose_job* job = ctx;
    for (int v = begin; v < end; v++) job->is_loose[v] = is_loose_at(job, v);
}

shoal_status liquid_reserve_loose(shoal_tet_state* s) {
    SHOAL_TRY(shoal_reserve((void**)&s->is_loose, &s->loose_capacity, s->mesh.vertex_count, sizeof *s->is_loose));
    if (s->mesh.vertex_count > 0) memset(s->is_loose, 0, (size_t)s->mesh.vertex_count); // NULL where there are none
    s->has_loose = false;
    return SHOAL_OK;
}
// The wall of a vertex that is let go, and back.
static int without(int wall) { return -2 - wall; }

void shoal_tet_let_go(shoal_tet_state* s) {
    s->has_loose = false;
    for (int v = 0; v < s->mesh.vertex_count; v++) {
        if (!s->is_loose[v]) continue;
        s->has_loose = true;
        if (s->walls.of[v] < 0) continue;
        s->is_loose[v] = s->is_air[v] ? LOOSE_AT_AIR : LOOSE;
        s->is_air[v]   = 1;
        s->walls.of[v] = without(s->walls.of[v]);
    }
}
void liquid_let_go(shoal_tet_liquid* l, shoal_tet_state* s, const shoal_tet_solids* solids,
                   const shoal_tet_drive* drive, const shoal_exec* exec) {
    loose_job job = {s, solids, drive, l->down, s->is_loose};
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, loose_block, &job);
    shoal_tet_let_go(s);
}

// Whether air is next to a vertex, and so can come between liquid and solid. is_wide: no mere bubble: what a jerk
// opened below the ceiling of a closed box that was all but full had no room, and a tap went on into it.
static bool is_beside_air(const drawn_job* job, int v, bool is_wide) {
    const shoal_tet_state* s     = job->state;
    double                 reach = AIR_LEAST * s->band.grid.cell;
    for (int i = s->mesh.incident_first[v]; i < s->mesh.incident_first[v + 1]; i++)
        for (int k = 0; k < 4; k++) {
            int      u = s->mesh.tets[s->mesh.incident[i] / 4][k];
            shoal_d3 out;
            if (s->is_air[u] && !is_wide) return true;
            if (!s->is_air[u] || !shoal_band_gradient(&s->band, s->mesh.position[u], &out)) continue;
            double length = shoal_d3_length(out);
            if (length < SLOPE_LEAST) continue;
            shoal_d3 at = shoal_d3_add(s->mesh.position[u], shoal_d3_scale(out, reach / length));
            if (shoal_band_distance(&s->band, at) > AIR_CLEAR * reach &&
                job->solids->distance(job->solids->ctx, at, NULL) > 0.0)
                return true;
        }
    return false;
}
// A stream that hangs from a solid is no film. Its pressure there is less than that of the air by its weight. That of
// one that runs over an edge is less where the face below would have to draw it round.
static bool is_drawn_at(const drawn_job* job, int v) {
    const shoal_tet_state* s = job->state;
    if (s->walls.of[v] < 0 || s->is_air[v] || !job->is_open[v] || job->pressure[v] >= 0.0) return false;
    const shoal_tet_wall* wall = &s->walls.wall[s->walls.of[v]];
    double                cell = s->band.grid.cell;
    shoal_d3              at = s->mesh.position[v], normal = shoal_d3_from(wall->normal);
    shoal_d3              pull   = job->drive->accelerate(job->drive->ctx, at, shoal_d3_make(0.0, 0.0, 0.0));
    bool                  hangs  = hangs_below(wall, job->down);
    double                weight = hangs ? shoal_d3_dot(pull, normal) : shoal_d3_length(pull);
    if (!(weight > 0.0) || job->pressure[v] >= -DRAWN_LEAST * cell * weight ||
        is_at_source(job->drive, at, normal, cell))
        return false;
    return job->solids && is_beside_air(job, v, hangs);
}
static void drawn_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    drawn_job* job = ctx;
    for (int v = begin; v < end; v++)
        if (is_drawn_at(job, v)) job->is_loose[v] = 1;
}
// What was to come off is held where the pressure of the rest presses it on.
static bool hold_pressed(shoal_tet_state* s) {
    bool is_any = false;
    for (int v = 0; v < s->mesh.vertex_count; v++) {
        if (!s->is_loose[v] || leaves(&s->walls.wall[without(s->walls.of[v])], mean_around(s, v))) continue;
        s->is_air[v]   = s->is_loose[v] == LOOSE_AT_AIR;
        s->walls.of[v] = without(s->walls.of[v]);
        s->is_loose[v] = 0;
        is_any         = true;
    }
    return is_any;
}
bool liquid_correct_loose(shoal_tet_liquid* l, shoal_tet_state* s, const shoal_tet_solids* solids,
                          const shoal_tet_drive* drive, const shoal_exec* exec) {
    drawn_job job    = {s, solids, drive, l->down, l->pressure, l->projection.is_open, s->is_loose};
    bool      is_any = s->has_loose && hold_pressed(s);
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, drawn_block, &job);
    for (int v = 0; v < s->mesh.vertex_count; v++) is_any |= s->is_loose[v] && s->walls.of[v] >= 0;
    if (is_any) shoal_tet_let_go(s);
    return is_any;
}

bool liquid_comes_off(const shoal_tet_state* s, const shoal_tet_flow* flow, shoal_d3 down, shoal_d3 at, double off,
                      const shoal_tet_wall* wall, double dt, double* gap, bool* hangs) {
    double   cell = s->band.grid.cell, weights[4], loose = 0.0;
    shoal_d3 normal = shoal_d3_from(wall->normal);
    if (!s->has_loose || off > (LIQUID_FILM_WITHIN + STAYS_NEAR) * cell) return false;
    shoal_d3 foot = shoal_d3_add(at, shoal_d3_scale(normal, -off));
    if (shoal_band_distance(&s->band, shoal_d3_add(foot, shoal_d3_scale(normal, TOUCHES * cell))) >= 0.0) return false;
    int t = shoal_tet_locate(flow, foot, weights);
    for (int k = 0; k < 4 && t >= 0; k++) loose += s->is_loose[s->mesh.tets[t][k]] ? weights[k] : 0.0;
    if (!(loose > LOOSE_LEAST)) return false;
    shoal_d3 u    = shoal_d3_sub(shoal_tet_mean_velocity(flow, foot), shoal_d3_from(wall->velocity));
    double   gone = shoal_d3_dot(u, normal) * dt;
    *hangs        = hangs_below(wall, down);
    *gap          = *hangs ? OPENED * cell : fmax(gone, OPENED * cell);
    return gone > LEAVES_LEAST * cell;
}
