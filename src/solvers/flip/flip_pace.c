// SPDX-License-Identifier: MIT
// How far particles go in a substep, and so how long it is; and what they take from the grid, which goes by that.
#include <math.h>

#include "solvers/flip/flip_local.h"
#include "state/outlet.h"
#include "state/reach.h"

// A particle is crowded beyond this density over that of rest; jitter stays below. Where the mean of the excess is
// more than `compression_most`, half of what jitter does to the mean density, substeps get shorter, down to
// `cells_compressed`. With 0.001 and 1.5 a collapse takes a tenth more of them and compresses by 3.9 % at the worst
// frame in place of 4.8.
static const float  compressed       = 1.25f;
static const double compression_most = 0.005, cells_compressed = 1.0;

// Damping of a liquid counts it at least this fast, in sqrt(g dx): else water that comes to rest would have little of
// it.
static const double waves_least = 2.0;

// How far a collider reaches from the point it turns about, within where particles can be; 0 where that has no end.
static double radius_of(const flip* s, const shoal_collider* collider) {
    shoal_box box    = shoal_box_common(collider->bounds, shoal_domain_extent(&s->ctx->description->domain));
    double    square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double at  = shoal_d3_axis(collider->at, axis),
               far = fmax(fabs(shoal_d3_axis(box.min, axis) - at), fabs(shoal_d3_axis(box.max, axis) - at));
        square += far * far;
    }
    return square < 1e18 ? sqrt(square) : 0.0;
}

static double fastest_collider(const flip* s) {
    double most = 0.0;
    for (int c = 0; c < s->ctx->world->collider_count; c++) {
        const shoal_collider* collider = &s->ctx->world->colliders[c];
        if (!collider->moves) continue;
        double turn = shoal_d3_length(collider->angular);
        most = fmax(most, shoal_d3_length(collider->linear) + (turn > 0.0 ? turn * radius_of(s, collider) : 0.0));
    }
    return most;
}

// INFINITY where nothing moves or falls.
double flip_stride(const flip* s, const flip_phase* p) {
    double wave  = sqrt(shoal_acceleration_now(s->ctx) * s->dx);
    double speed = fmax(fmax(s->speed, fastest_collider(s)) + wave, p->is_sand ? 0.0 : waves_least * wave);
    return FLIP_CELLS_SAND * s->dx / speed;
}

// Velocities are those of the middle of a substep (leapfrog): particles then move as far as they should, to second
// order; with those of its end they would lead by half a substep, and sand that slides half a second by 1.3 to 3.6 % of
// its way. Where water and sand drag each other they are those of its end: drag and contact are solved over the whole
// of it.
double flip_kick(const flip* s, double dt) { return s->phase_count > 1 ? dt : 0.5 * (*s->dt_before + dt); }

int flip_reach(const flip* s, double dt) {
    double cells = ceil((s->speed + shoal_acceleration_now(s->ctx) * dt) * dt / s->dx) + 3.0;
    return (int)fmin(fmax(cells, FLIP_REACH_LEAST), SHOAL_MAC_REACH);
}

typedef struct compression_job {
    const float*   density;
    const uint8_t *material, *is_sand;
    float          rest; // kg/m^3
} compression_job;

SHOAL_FN double compression_of(const compression_job* c, int i) {
    return c->is_sand[c->material[i]] ? 0.0 : (double)fmaxf(c->density[i] / c->rest - compressed, 0.0f);
}
SHOAL_SUM_LOOP(compressions, compression_job, compression_of)

// Water that hits something in a long substep arrives there several cells deep, which no pressure undoes: while it is
// crowded substeps are short.
static double cells_now(const flip* s) {
    const shoal_set*  set    = s->ctx->particles;
    const flip_phase* liquid = &s->phases[0];
    double            cells  = (double)s->params.cfl;
    if (liquid->is_sand || cells <= cells_compressed || set->count == 0) return cells;
    compression_job c           = {shoal_set_data(set, "density"), shoal_set_data(set, "material"), s->is_sand,
                                   liquid->material->density};
    double          compression = shoal_sum(&s->ctx->exec, set->count, compressions, &c) / set->count;
    return compression > compression_most ? fmax(cells_compressed, cells * compression_most / compression) : cells;
}

// Particles are moved through velocities of the start of a substep, which stand still in the grid. What a solid carries
// along is read from where it is going, half of the way ahead: water at rest in a box that rolls at 1.25 cells a
// substep shook itself up, to 0.14 m/s after 1 s and 0.24 after 2; with 0.5 cells to 0.02, and no more.
static double carried_dt(const flip* s) {
    const double cells = 0.5;
    double       speed = fastest_collider(s);
    return speed > 0.0 ? cells * s->dx / speed : (double)INFINITY;
}

// Gravity draws a stream out where it comes in, and what is drawn out closes in across its way. Thin liquids go on
// doing so; in thick ones viscosity takes that motion in each substep and pressure makes it anew, but not at faces
// beyond the liquid's cells, of which half of the particles of a stream take. So their streams come in by substeps in
// which gravity adds little to their speed, or to that of a fall through a cell. Honey of 0.25 m/s, four spacings in
// radius, became 1.40 times as wide as its section Q/v at 0.45 of its speed a substep (torn, 1.87 times, at 2/3 of that
// spacing), 1.19 at 0.2, 1.16 at 0.12, 1.11 at 0.08.
static double drawn_dt(const flip* s, double speed) {
    const double fraction = 0.1;
    double       pull = shoal_acceleration_now(s->ctx), least = sqrt(pull * s->dx);
    return pull > 0.0 ? fraction * fmax(speed, least) / pull : (double)INFINITY;
}

// Streams come in piece by piece, one in each substep. A long piece runs into the one before it, several cells deep,
// before the pressure knows of both: of a jet of 4 m/s at 30 frames per second, in pieces of 3.3 cells, 10 % were more
// than a spacing outside of its path, none in pieces of one cell; of one of 2.8 m/s, obliquely upwards, 4.4 % with 2
// cells, 2.2 with one; a fountain of 4 m/s reached 0.87 of v^2/2g, 0.95 with 2 cells, 0.99 with one.
static double streams_dt(const flip* s) {
    const double             cells       = 1.0;
    const shoal_description* description = s->ctx->description;
    double                   dt = (double)INFINITY, t = s->ctx->time;
    for (int e = 0; e < description->emitter_count; e++) {
        const shoal_emitter* emitter = &description->emitters[e];
        if (!shoal_is_stream(emitter) || t >= emitter->until) continue;
        double speed = (double)shoal_v3_length(emitter->velocity), own = cells * s->dx / speed;
        if (s->params.viscosity && flip_is_thick(description, &description->materials[emitter->material], speed))
            own = fmin(own, drawn_dt(s, speed));
        dt = fmin(dt, fmax(emitter->from - t, 0.0) + own);
    }
    return dt;
}

shoal_status flip_plan(void* self, shoal_plan* plan) {
    flip* s   = self;
    plan->lag = 0.5 * *s->dt_before;
    if (s->params.substeps > 0) {
        plan->dt = plan->interval / s->params.substeps;
        return SHOAL_OK;
    }
    double speed = fmax(shoal_set_fastest(s->ctx->particles, &s->ctx->exec), fastest_collider(s)) +
                   sqrt(shoal_acceleration_now(s->ctx) * s->dx);
    double dt = speed > 0.0 ? cells_now(s) * s->dx / speed : plan->interval;
    plan->dt  = fmin(fmin(dt, fmin(streams_dt(s), carried_dt(s))), plan->interval);
    return SHOAL_OK;
}

// m/s that a substep presses onto solids; sand has had its friction there.
double flip_normal_load(const flip* s, const flip_phase* p, double dt) {
    return p->is_sand ? 0.0 : shoal_d3_length(s->ctx->description->gravity) * dt;
}

// What is around a particle of sand may be faster than itself, by a fall through two cells, in sqrt(g dx). By one alone
// poured heaps come to lie 3 % lower, and 1.5 % too dense.
static const double waves_around = 2.0;

// Grains smooth each other's motion where they touch, under this fraction of the weight of a cell at least. In the air
// they do not: a stream sent sideways was a rope, whose head had 0.81 of its 1 m/s after 0.4 s.
static const double held_least = 0.07;

// PIC damps as a viscosity alpha dx^2 / (6 dt) does (alpha is its fraction): by the substep, short ones would make
// liquids thick and sand stiff. So `blend` is what a stride leaves, and sand's PIC is APIC that loses its gradient in a
// stride. APIC smooths in every substep as well; that of sand does so in a stride, too, and takes changes in between.
// Strides of sand are those of each particle: by the fastest of the scene, a few grains in free fall would make all
// other sand stiff.
shoal_mac_motion flip_motion(const flip* s, const flip_phase* p, double dt, double kick, int reach) {
    double wave = sqrt(shoal_acceleration_now(s->ctx) * s->dx), pace = dt / (FLIP_CELLS_SAND * s->dx); // strides by m/s
    double flip_fraction =
        p->transfer == FLIP_TRANSFER_FLIP ? pow((double)s->params.blend, fmin(1.0, dt / flip_stride(s, p))) : 0.0;
    return (shoal_mac_motion){.flip          = (float)flip_fraction,
                              .gradient_loss = p->is_damped ? 1.0f : 0.0f,
                              .pace          = p->transfer == FLIP_TRANSFER_APIC && p->is_sand ? (float)pace : 0.0f,
                              .wave          = (float)(waves_around * wave),
                              .held  = p->is_sand ? (float)(held_least * shoal_acceleration_now(s->ctx) * kick) : 0.0f,
                              .dt    = (float)dt,
                              .order = s->params.advection == FLIP_ADVECTION_RK3 ? 3 : 2,
                              .move_most   = (float)(reach - 1),
                              .still       = (float)flip_rest_speed(s, p),
                              .calm        = s->is_mixed ? 0.0f : (float)fmin(1.0, pace * wave),
                              .normal_load = (float)flip_normal_load(s, p, kick),
                              .push        = shoal_v3_from(shoal_d3_scale(s->ctx->description->gravity, kick))};
}
