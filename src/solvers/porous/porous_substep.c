// SPDX-License-Identifier: MIT
// How long a substep may be: by the fastest, by weight, by the pressure of free water, and by what comes out of pores.
#include <math.h>

#include "fluid/stride.h"
#include "solvers/porous/porous_local.h"
#include "state/reach.h"

// With Tait's pressure sound goes no farther in a substep than this part of h.
#define SOUND_CFL 0.25

// What rests needs shorter substeps than its speed, to stay at rest.
static double dt_of(const porous_params* params, double d, double speed, double acceleration) {
    return (double)params->cfl * d / (speed + 1.5 * sqrt(acceleration * d) + 1e-30);
}

double porous_dt_of_weight(const shoal_description* description, const porous_params* params, double spacing) {
    return dt_of(params, spacing, 0.0, porous_gravity(description));
}

double porous_dt_of_water(const porous* s) {
    const shoal_description* description = s->ctx->description;
    return dt_of(&s->params, description->spacing, porous_water_speed(s), porous_gravity(description));
}

double porous_dt_beside_obstacles(const shoal_description* description, const porous_params* params, double spacing) {
    return dt_of(params, spacing, shoal_obstacles_speed(description), porous_gravity(description));
}

// A dam with sand before it is compressed by 1.7 % on average with substeps of 0.8 of those at rest, by 55 % with 1.3,
// and more than twofold with 2.
bool porous_steps_warn(const shoal_description* description, char* buffer, size_t size) {
    const porous_params* p = description->solver_params;
    double interval = 1.0 / description->fps, most = porous_dt_of_weight(description, p, description->spacing);
    if (p->substeps == 0 || interval <= p->substeps * most) return false;
    shoal_add_line(
        buffer, size,
        "substeps: %d in a frame are %.3g s each, longer than auto has them where all rests, %.3g s: sand and "
        "water will be compressed, or crushed; take %.0f or more, or auto",
        p->substeps, interval / p->substeps, most, ceil(interval / most));
    return true;
}

// Of the fastest obstacle from now on. One that waits counts: behind a gate that has yet to open, longer substeps would
// need as many more sweeps, and leave water compressed by twice as much. One that has come to its end does not.
static double obstacles_to_come(const shoal_sim_context* ctx) {
    double speed = 0.0;
    for (int k = 0; k < ctx->description->obstacle_count; k++)
        speed = fmax(speed, shoal_obstacle_speed_within(&ctx->world->obstacles[k], ctx->time, HUGE_VAL));
    return speed;
}

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
double porous_depth(const porous* s) {
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

// Under a pressure p the arrangement of the water's particles is as stiff as p. Planes of the lattice that move against
// each other, one to the right and the next to the left, leave the density of all as it is: no sweep sees them, however
// long a substep is. But pairs come nearer here and part there, and with V the volume of one, x its place and H the
// second derivative of the kernel along x, they swing with
//     omega^2 = (p/rho) sum over odd x/d of 4 V H
// and grow where omega dt is more than 2, as in every explicit step. Of all waves on the lattice that the density does
// not see this one is the stiffest. At h = 2d it is 8.5 p/(rho d^2), so dt below 0.69 d/sqrt(p/rho): pools of 24 to 48
// layers burst at 0.8, and rest at 0.62. At 2.5d the limit is 1.2, at 1.8d 0.6.
static double plane_stiffness(double support) {
    double sum = 0.0, all = 0.0, half = 0.5 * support;
    int    reach = (int)ceil(support);
    for (int x = -reach; x <= reach; x++)
        for (int y = -reach; y <= reach; y++)
            for (int z = -reach; z <= reach; z++) {
                double r = sqrt((double)(x * x + y * y + z * z)), t = support - r, u = fmax(half - r, 0.0);
                if (!(t > 0.0)) continue;
                all += t * t * t - 4.0 * u * u * u;
                if (x % 2 == 0) continue;
                double e = x / r, bend = 6.0 * (t - 4.0 * u), slope = -3.0 * (t * t - 4.0 * u * u) / r;
                sum += slope + e * e * (bend - slope);
            }
    return 4.0 * sum / all;
}
// Of the limit, since no pool lies on its lattice for long.
#define PRESSURE_CFL 0.9
static double dt_of_pressure(double support, double d, double speed) {
    return PRESSURE_CFL * 2.0 / sqrt(fmax(plane_stiffness(support), 1e-30)) * d / (speed + 1e-30);
}

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

// sqrt(p/rho): by the mean of p/rho, each weighted by itself, which is two thirds of that at the bottom
// of a pool, and not what single particles have that meet; nor more than weight and motion give (`speed`: of the
// fastest), since pressure that makes good a compression is larger the shorter the substep is. Before the first substep
// there is no pressure.
static double pressure_speed(const porous* s, double speed) {
    if (!s->pool) return 0.0;
    if (*s->steps == 0) return sqrt(0.5) * shoal_liquid_speed(s->ctx->description, false);
    const double     of_bottom = 1.5;
    const shoal_set* set       = s->ctx->sets[POROUS_POOL];
    head_job job  = {s->ctx->description->materials, shoal_set_data(set, "pressure"), shoal_set_data(set, "material")};
    double   sum  = shoal_sum(&s->ctx->exec, set->count, heads_of, &job);
    double   most = porous_gravity(s->ctx->description) * porous_depth(s) + speed * speed;
    return sum > 0.0 ? sqrt(fmin(of_bottom * shoal_sum(&s->ctx->exec, set->count, heads2_of, &job) / sum, most)) : 0.0;
}

double porous_dt(porous* s, double interval) {
    if (s->params.substeps > 0) return interval / s->params.substeps;
    double d      = s->ctx->description->spacing;
    double speed  = fmax(shoal_set_fastest(s->ctx->particles, &s->ctx->exec),
                         shoal_set_fastest(s->ctx->sets[POROUS_POOL], &s->ctx->exec));
    double driven = fmax(speed, obstacles_to_come(s->ctx));
    double dt     = fmin(dt_of(&s->params, d, driven, shoal_acceleration_now(s->ctx)), porous_dt_of_pores(s));
    dt            = fmin(dt, dt_of_pressure((double)s->params.support, d, pressure_speed(s, speed)));
    if (porous_is_explicit(s))
        dt = fmin(dt, SOUND_CFL * (double)s->params.support * d / (s->water.sound_speed + speed));
    return interval / fmin(fmax(ceil(interval / dt), 1.0), 100000.0);
}

shoal_status porous_plan(void* self, shoal_plan* plan) {
    plan->dt = porous_dt(self, plan->interval);
    return SHOAL_OK;
}
