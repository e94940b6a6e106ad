// SPDX-License-Identifier: MIT
// How long a substep is.
#include <math.h>

#include "solvers/tetra/tetra_local.h"
#include "exec/pass.h"
#include "state/reach.h"

// Streams come in piece by piece; no piece is longer than this, in edges.
#define PIECE 1.0

// What meets a solid goes into it in the substep in which it does, and is put back onto it: its centre of mass moves as
// no momentum says. By no more than this in a substep, in edges, as the mean over all particles; and no more than so
// many times as many substeps are taken for it.
#define PUT_BACK 0.005
#define SHORTER_MOST 8.0

typedef struct impact_job {
    const shoal_world* world;
    const shoal_v3 *   position, *velocity;
    double             dt;
} impact_job;

// How deep in a solid a particle would be that flies on, m.
static double depth_after(const impact_job* job, int i) {
    shoal_d3 u  = shoal_d3_from(job->velocity[i]),
             at = shoal_d3_add(shoal_d3_from(job->position[i]), shoal_d3_scale(u, job->dt));
    double off  = tetra_off_walls(job->world, at, NULL);
    return fmax(0.0, -tetra_off_colliders(job->world, at, off, NULL, NULL));
}
SHOAL_SUM_LOOP(depths, impact_job, depth_after)

// The longest substep, down from this, that does not put back too much.
static double impact_dt(const tetra* s, double dt) {
    const shoal_set* set   = s->ctx->particles;
    impact_job       job   = {s->ctx->world, shoal_set_read(set, "position"), shoal_set_read(set, "velocity"), dt};
    double           least = dt / SHORTER_MOST;
    while (job.dt > least && shoal_sum(&s->ctx->exec, set->count, depths, &job) > PUT_BACK * s->edge * set->count)
        job.dt *= 0.5;
    return fmax(job.dt, least);
}

static double wave_speed(const tetra* s) { return sqrt(shoal_acceleration_now(s->ctx) * s->edge); }

// Means over a tetrahedron smooth as a viscosity of edge^2 over their time does: by the substep, short ones would make
// the liquid thick. So they are taken over a stride, the time in which the fastest crosses half an edge; a liquid at
// rest counts as so fast as its shortest waves.
double tetra_kept(const tetra* s, double dt) {
    double wave = wave_speed(s), speed = fmax(s->speed + wave, 2.0 * wave);
    return exp(-dt * speed / (0.5 * s->edge));
}

shoal_status tetra_plan(void* self, shoal_plan* plan) {
    tetra*                   s        = self;
    const shoal_description* d        = s->ctx->description;
    double                   interval = plan->interval;
    plan->lag                         = 0.5 * *s->dt_before;
    if (s->params.substeps > 0) {
        plan->dt = interval / s->params.substeps;
        return SHOAL_OK;
    }
    double speed = shoal_set_fastest(s->ctx->particles, &s->ctx->exec) + wave_speed(s);
    speed        = fmax(speed, 2.0 * shoal_obstacle_speed_now(s->ctx));
    double dt    = speed > 0.0 ? (double)s->params.cfl * s->edge / speed : interval;
    for (int e = 0; e < d->emitter_count; e++) {
        double emitted = shoal_emitter_speed(&d->emitters[e]);
        if (emitted > 0.0) dt = fmin(dt, PIECE * s->edge / emitted);
    }
    plan->dt = impact_dt(s, fmin(dt, interval));
    return SHOAL_OK;
}
