// SPDX-License-Identifier: MIT
// How long a substep is.
#include <math.h>

#include "solvers/tetra/tetra_local.h"
#include "state/reach.h"

// Streams come in piece by piece; no piece is longer than this, in edges.
#define PIECE 0.5

static double wave_speed(const tetra* s) { return sqrt(shoal_acceleration_now(s->ctx) * s->edge); }

double tetra_next_dt(void* self, double interval, double left) {
    tetra*                   s = self;
    const shoal_description* d = s->ctx->description;
    (void)left;
    s->ctx->lag = 0.5 * *s->dt_before;
    if (s->params.substeps > 0) return interval / s->params.substeps;
    double speed = shoal_set_fastest(s->ctx->particles, &s->ctx->exec) + wave_speed(s);
    speed        = fmax(speed, 2.0 * shoal_obstacle_speed_now(s->ctx));
    double dt    = speed > 0.0 ? (double)s->params.cfl * s->edge / speed : interval;
    for (int e = 0; e < d->emitter_count; e++) {
        double emitted = shoal_emitter_speed(&d->emitters[e]);
        if (emitted > 0.0) dt = fmin(dt, PIECE * s->edge / emitted);
    }
    return fmin(dt, interval);
}
