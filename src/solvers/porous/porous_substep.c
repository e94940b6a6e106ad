// SPDX-License-Identifier: MIT
// How long a substep may be: by the fastest, by weight, by the pressure of free water, and by what comes out of pores.
#include <math.h>

#include "fluid/stride.h"
#include "solvers/porous/porous_local.h"
#include "state/reach.h"

// With Tait's pressure sound goes no farther in a substep than this part of h.
#define SOUND_CFL 0.25

// Obstacles are those of the whole run: behind a gate that waits, longer substeps would need as many more sweeps, and
// leave water compressed by 0.19 % for 0.014. What rests needs shorter ones to stay at rest.
static double dt_of(const porous* s, double speed, double acceleration) {
    double d = s->ctx->description->spacing;
    speed    = fmax(speed, shoal_obstacles_speed(s->ctx->description));
    return (double)s->params.cfl * d / (speed + 1.5 * sqrt(acceleration * d) + 1e-30);
}

double porous_dt_at_rest(const porous* s) { return dt_of(s, 0.0, porous_gravity(s)); }

typedef struct depth_job {
    const shoal_v3* position;
    shoal_v3        down; // or up, of length 1
} depth_job;

static double deepest_of(void* ctx, int begin, int end) {
    const depth_job* job  = ctx;
    double           most = -(double)INFINITY;
    for (int i = begin; i < end; i++) most = fmax(most, (double)shoal_v3_dot(job->position[i], job->down));
    return most;
}

// From the highest particle of water to the lowest along gravity, m; 0 without gravity.
static double depth_of(const porous* s) {
    const shoal_d3 g      = s->ctx->description->gravity;
    const double   length = shoal_d3_length(g);
    double         ends[] = {-(double)INFINITY, -(double)INFINITY};
    if (!(length > 0.0)) return 0.0;
    const shoal_set* set = s->ctx->sets[POROUS_POOL];
    for (int k = 0; k < 2 && set->count > 0; k++) {
        depth_job job = {shoal_set_data(set, "position"), shoal_v3_from(shoal_d3_scale(g, (k ? -1.0 : 1.0) / length))};
        ends[k]       = shoal_max(&s->ctx->exec, set->count, deepest_of, &job);
    }
    return fmax(ends[0] + ends[1], 0.0);
}

// Under a pressure p the arrangement of the water's particles is as stiff as p: waves of shear run through it with
// sqrt(p/rho), though its sweeps hold the density however long a substep is. They grow where they run farther than a
// spacing in one: 60 spacings of water are calm at 0.81 of it and burst at 1.2, 30 spacings are calm at 0.86 and swing
// up at 1.14.
#define PRESSURE_CFL 0.8

typedef struct head_job {
    const shoal_material* materials;
    const float*          pressure;
    const uint8_t*        material;
} head_job;

// p/rho of one, m^2/s^2.
static double head_of(const head_job* job, int i) {
    return fmax((double)job->pressure[i] / (double)job->materials[job->material[i]].density, 0.0);
}
static double heads_of(void* ctx, int begin, int end) {
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += head_of(ctx, i);
    return sum;
}
static double heads2_of(void* ctx, int begin, int end) {
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += head_of(ctx, i) * head_of(ctx, i);
    return sum;
}

// The speed of those waves: by the mean of p/rho, each weighted by itself, which is two thirds of that at the bottom
// of a pool, and not what single particles have that meet; nor more than weight and motion give (`speed`: of the
// fastest), since pressure that makes good a compression is larger the shorter the substep is. Before the first substep
// there is no pressure.
static double shear_speed(const porous* s, double speed) {
    if (!s->pool) return 0.0;
    if (*s->steps == 0) return sqrt(0.5) * shoal_liquid_speed(s->ctx->description, false);
    const double     of_bottom = 1.5;
    const shoal_set* set       = s->ctx->sets[POROUS_POOL];
    head_job job  = {s->ctx->description->materials, shoal_set_data(set, "pressure"), shoal_set_data(set, "material")};
    double   sum  = shoal_sum(&s->ctx->exec, set->count, heads_of, &job);
    double   most = porous_gravity(s) * depth_of(s) + speed * speed;
    return sum > 0.0 ? sqrt(fmin(of_bottom * shoal_sum(&s->ctx->exec, set->count, heads2_of, &job) / sum, most)) : 0.0;
}

// The length of a substep, and whether it is the last of its interval.
static double last_of(porous* s, double dt, double left) {
    s->is_last = dt >= left * (1.0 - 1e-6); // as sim/advance.c rounds the last one up
    return dt;
}

double porous_next_dt(void* self, double interval, double left) {
    porous* s = self;
    if (s->params.substeps > 0) return last_of(s, interval / s->params.substeps, left);
    double d     = s->ctx->description->spacing;
    double speed = fmax(shoal_set_fastest(s->ctx->particles, &s->ctx->exec),
                        shoal_set_fastest(s->ctx->sets[POROUS_POOL], &s->ctx->exec));
    double dt    = fmin(dt_of(s, speed, shoal_acceleration_now(s->ctx)), porous_dt_of_pores(s));
    dt           = fmin(dt, PRESSURE_CFL * d / (shear_speed(s, speed) + 1e-30));
    if (porous_is_explicit(s))
        dt = fmin(dt, SOUND_CFL * (double)s->params.support * d / (s->water.sound_speed + speed));
    return last_of(s, interval / fmin(fmax(ceil(interval / dt), 1.0), 100000.0), left);
}
