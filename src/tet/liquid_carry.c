// SPDX-License-Identifier: MIT
// The distance that the tracked surface is made of: of the bodies of a scene, and after a step that of the step before
// where a place has come from [Chentanez et al. 2007, 3.2].
//
// The surface is tracked without the solids, and goes on within them: a place there has the distance of the one beside
// the solid. Cut off at the solids, as the mesh is, it would be worn down along their edges in each step.
#include "tet/liquid_local.h"

// A place within a solid, or nearer to one than OFF_SOLID cells, takes the value at that distance; the liquid ends this
// deep within the solid.
#define OFF_SOLID 0.25
#define DEPTH_WITHIN 6.0
enum { CORNER_TRIES = 3 }; // walls that meet in a corner

// Moves a place off the solids; gives how far it was off them.
static double move_off(const liquid_field* job, shoal_d3* at) {
    double first = 0.0;
    for (int k = 0; k < CORNER_TRIES; k++) {
        shoal_tet_wall wall;
        double         off = job->solids->distance(job->solids->ctx, *at, &wall), more = OFF_SOLID * job->cell - off;
        if (k == 0) first = off;
        if (more <= 0.0) break;
        *at = shoal_d3_add(*at, shoal_d3_scale(shoal_d3_from(wall.normal), more));
    }
    return first;
}
static double ended(const liquid_field* job, double off) { return -off - DEPTH_WITHIN * job->cell; }

void liquid_of_bodies(void* ctx, const shoal_d3* at, int count, double* value) {
    const liquid_field* job = ctx;
    for (int i = 0; i < count; i++) {
        shoal_d3 place = at[i];
        double   off   = move_off(job, &place);
        job->field(job->ctx, &place, 1, &value[i]);
        value[i] = fmax(value[i], ended(job, off));
    }
}

void liquid_carried(void* ctx, const shoal_d3* at, int count, double* value) {
    const liquid_field* job = ctx;
    for (int i = 0; i < count; i++) {
        shoal_d3 place = at[i];
        double   off   = move_off(job, &place);
        value[i]       = shoal_band_distance(job->from, shoal_tet_trace_back(&job->flow, place, job->dt));
        if (job->thicken) value[i] = shoal_tet_thickened(job->thicken, at[i], value[i]);
        value[i] = fmax(value[i], ended(job, off));
        if (job->drive->emit_and_drain) value[i] = job->drive->emit_and_drain(job->drive->ctx, at[i], value[i]);
    }
}

shoal_d3 liquid_carry(void* ctx, shoal_d3 at) {
    const liquid_field* job = ctx;
    return shoal_tet_trace_back(&job->flow, at, -job->dt);
}
void liquid_go(void* ctx, const shoal_d3* at, int count, shoal_d3* to) {
    const liquid_field* job = ctx;
    for (int i = 0; i < count; i++)
        to[i] = shoal_d3_add(at[i], shoal_d3_scale(shoal_tet_mean_velocity(&job->flow, at[i]), job->dt));
}
bool liquid_is_off_solids(void* ctx, shoal_d3 at) {
    const liquid_field* job = ctx;
    return job->solids->distance(job->solids->ctx, at, NULL) > 0.0;
}
