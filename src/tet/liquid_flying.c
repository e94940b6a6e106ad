// SPDX-License-Identifier: MIT
// Where liquid flies: at its surface nothing holds it up, so that pressure hardly changes its velocity there.
//
// Surfaces move by means of the tetrahedra around a vertex, which is the velocity of a place within. A stream that
// falls is drawn out and becomes thinner; its surface would come inwards by an eighth less than it should at a radius
// of four spacings, a sixteenth at eight, and the stream grow on its way. What passes through the surface is known, but
// by that waves lose a third of their energy more. A wave has its energy by the pressure behind its surface; where
// liquid flies there is none, and so nothing to lose.
#include "tet/liquid_local.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, ALL = 255 };

// What pressure changes of a velocity, over what forces do. A wave, even one about to break, has half of its weight
// behind its crest [Stokes 1880]: no flight from there on. A stream that is drawn out by a rate s is slowed in its
// narrowing by 3/4 s^2 times its radius: one of 80 mm at 1 m/s by 0.29 of its weight, where it leaves its tap.
#define HELD_LEAST 0.5
#define FLIES_MOST 0.4

typedef struct flying_job {
    const shoal_tet_state* state;
    const shoal_tet_drive* drive;
    const double*          pressure; // [vertices] as of shoal_tet_project
    uint8_t*               flying;
} flying_job;

static uint8_t flying_at(const flying_job* job, int v) {
    const shoal_tetmesh* mesh = &job->state->mesh;
    shoal_d3             gain = {0.0, 0.0, 0.0}, rest = gain;
    double               all            = 0.0;
    bool                 is_beside_wall = false;
    if (!job->state->is_air[v]) return 0;
    for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
        int      t = mesh->incident[i] / 4;
        shoal_d3 area[4];
        all += shoal_tet_areas(mesh, t, area);
        for (int k = 0; k < 4; k++) {
            gain = shoal_d3_add(gain, shoal_d3_scale(area[k], job->pressure[mesh->tets[t][k]] / 3.0));
            is_beside_wall |= job->state->walls.of[mesh->tets[t][k]] >= 0;
        }
    }
    if (is_beside_wall) return 0; // what passes there is known less: faces that cut off an edge let nothing through
    double pull = shoal_d3_length(job->drive->accelerate(job->drive->ctx, mesh->position[v], rest));
    double held = shoal_d3_length(gain) / (all * pull); // without weight, nothing is
    if (!(pull > 0.0) || held <= FLIES_MOST) return ALL;
    return (uint8_t)(ALL * fmin(1.0, fmax(0.0, (HELD_LEAST - held) / (HELD_LEAST - FLIES_MOST))));
}
static void flying_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    flying_job* job = ctx;
    for (int v = begin; v < end; v++) job->flying[v] = flying_at(job, v);
}

shoal_status liquid_reserve_flying(shoal_tet_state* s) {
    SHOAL_TRY(shoal_reserve((void**)&s->flying, &s->flying_capacity, s->mesh.vertex_count, sizeof *s->flying));
    if (s->mesh.vertex_count > 0) memset(s->flying, 0, (size_t)s->mesh.vertex_count);
    return SHOAL_OK;
}
void liquid_find_flying(shoal_tet_liquid* l, shoal_tet_state* s, const shoal_tet_drive* drive, const shoal_exec* exec) {
    flying_job job = {s, drive, l->pressure, s->flying};
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, flying_block, &job);
}
