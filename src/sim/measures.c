// SPDX-License-Identifier: MIT
// Totals over all matter, by sets: what particles stand for, or items of other sets that have kinds of material, as
// cells of a mesh.
#include "sim/measures.h"

#include <math.h>

#include "sim/sim_local.h"
#include "state/measure.h"

shoal_particles_view shoal_sim_asked(const shoal_sim* sim) {
    const shoal_world*       world = sim->world;
    const shoal_description* d     = sim->description;
    shoal_particles_view     asked = {.min     = world->min,
                                      .max     = world->max,
                                      .crushed = SHOAL_CRUSHED,
                                      .gravity = d->gravity,
                                      .floor   = sim->watch.floor};
    double length = shoal_d3_length(d->gravity); // heights as solvers ask for them, so that one answer does
    if (length > 0.0) asked.up = shoal_v3_from(shoal_d3_scale(d->gravity, -1.0 / length));
    for (int axis = 0; axis < 3; axis++) {
        if (!world->is_closed[2 * axis]) shoal_v3_set_axis(&asked.min, axis, -INFINITY);
        if (!world->is_closed[2 * axis + 1]) shoal_v3_set_axis(&asked.max, axis, INFINITY);
    }
    for (int m = 0; m < d->material_count && m < 256; m++) {
        asked.rest[m] = d->materials[m].density;
        asked.mass[m] = (double)d->materials[m].density * shoal_volume_of(d, m);
    }
    return asked;
}

double shoal_sim_fastest_speed(const shoal_sim* sim) {
    double most                            = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set) most = fmax(most, shoal_set_fastest(set, &sim->ctx.exec));
    return most;
}

typedef struct speed_job {
    const shoal_v3* velocity;
    double          speed;
} speed_job;

SHOAL_FN bool is_so_fast(const speed_job* s, int i) {
    return !(sqrt((double)shoal_v3_dot(s->velocity[i], s->velocity[i])) < s->speed);
}
SHOAL_FIRST_LOOP(first_speeding, speed_job, is_so_fast)

sim_particle shoal_sim_fastest(const shoal_sim* sim, double* speed) {
    *speed = shoal_sim_fastest_speed(sim);
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        speed_job s = {shoal_set_read(set, "velocity"), *speed};
        int       i = shoal_first(&sim->ctx.exec, set->count, first_speeding, &s);
        if (i >= 0) return (sim_particle){set, i};
    }
    return (sim_particle){sim->ctx.particles, 0};
}

// One sum over all particles; `what` chooses the term.
enum {
    TERM_mass,
    TERM_volume,
    TERM_compression,
    TERM_kinetic,
    TERM_momentum_x,
    TERM_momentum_y,
    TERM_momentum_z,
    TERM_moment_x,
    TERM_moment_y,
    TERM_moment_z,
    TERM_speed,
    TERM_head
};
typedef struct term {
    int    what;  // a TERM
    int    only;  // of this material; -1: of all
    double most;  // a particle's kinetic energy counts up to this, J/kg
    double floor; // where heights begin, J/kg
    // of the set at hand
    shoal_measure   measure;
    const shoal_v3 *position, *velocity;
    const float*    density; // NULL: it has none
} term;

static double value_of(const term* t, int i) {
    double   mass = shoal_measure_mass(&t->measure, i), d = 0.0;
    shoal_d3 v = shoal_d3_from(t->velocity[i]), x = shoal_d3_from(t->position[i]);
    switch (t->what) {
    case TERM_volume:
        d = shoal_measure_spacing(&t->measure, i);
        return d * d * d;
    case TERM_compression:
        d = (double)t->measure.description->materials[t->measure.material[i]].density;
        return t->density ? fmax(100.0 * ((double)t->density[i] / d - 1.0), 0.0) : 0.0;
    case TERM_kinetic:
        return mass * fmin(0.5 * shoal_d3_dot(v, v), t->most);
    case TERM_momentum_x:
        return mass * v.x;
    case TERM_momentum_y:
        return mass * v.y;
    case TERM_momentum_z:
        return mass * v.z;
    case TERM_moment_x:
        return mass * x.x;
    case TERM_moment_y:
        return mass * x.y;
    case TERM_moment_z:
        return mass * x.z;
    case TERM_speed:
        return shoal_d3_length(v);
    case TERM_head:
        return -shoal_d3_dot(t->measure.description->gravity, x) - t->floor;
    default:
        return mass;
    }
}

static double block_sum(void* ctx, int begin, int end) {
    double      sum = 0.0;
    const term* t   = ctx;
    for (int i = begin; i < end; i++)
        if (t->only < 0 || t->measure.material[i] == t->only) sum += value_of(t, i);
    return sum;
}

static double block_max(void* ctx, int begin, int end) {
    double most = 0.0;
    for (int i = begin; i < end; i++) most = fmax(most, value_of(ctx, i));
    return most;
}

static void inspect(const shoal_sim* sim, const shoal_set* set, term* t) {
    const shoal_field* density = shoal_set_find(set, "density");
    t->measure                 = shoal_measure_of(sim->description, set);
    t->position                = shoal_set_read(set, "position");
    t->velocity                = shoal_set_read(set, "velocity");
    t->density                 = density ? shoal_field_read(set, density) : NULL;
}

static double sum_of(const shoal_sim* sim, term t) {
    double sum = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        inspect(sim, set, &t);
        sum += shoal_sum(&sim->ctx.exec, set->count, block_sum, &t);
    }
    return sum;
}

// Of all; 0 of none.
static double most_of(const shoal_sim* sim, int what) {
    term   t    = {.what = what, .floor = sim->watch.floor};
    double most = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        inspect(sim, set, &t);
        most = fmax(most, shoal_max(&sim->ctx.exec, set->count, block_max, &t));
    }
    return most;
}

static term term_of(int what, int only) { return (term){.what = what, .only = only, .most = (double)INFINITY}; }

double shoal_sim_volume(const shoal_sim* sim) { return sum_of(sim, term_of(TERM_volume, -1)); }

double shoal_sim_kinetic(const shoal_sim* sim, int material, double most) {
    term t = term_of(TERM_kinetic, material);
    t.most = most;
    return sum_of(sim, t);
}

// The watch asks after every frame, so it is one walk and not one for each term, where the particles are.
typedef struct holdings {
    term                 t;
    shoal_particles_view asked;
} holdings;

static double energy_of(void* ctx, int begin, int end) {
    const holdings* e   = ctx;
    const term*     t   = &e->t;
    double          sum = 0.0;
    for (int i = begin; i < end; i++) {
        shoal_d3 v = shoal_d3_from(t->velocity[i]), x = shoal_d3_from(t->position[i]);
        double   own = 0.5 * shoal_d3_dot(v, v) - shoal_d3_dot(e->asked.gravity, x) - e->asked.floor;
        sum += own * shoal_measure_mass(&t->measure, i);
    }
    return sum;
}

static double mass_of_all(const shoal_sim* sim) {
    shoal_particles_view asked = shoal_sim_asked(sim);
    term                 t     = term_of(TERM_mass, -1);
    double               sum   = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        if (!set->device) inspect(sim, set, &t);
        sum += set->device ? shoal_set_fold(set, &sim->ctx.exec, SHOAL_PARTICLES_mass, &asked)
                           : shoal_sum(&sim->ctx.exec, set->count, block_sum, &t);
    }
    return sum;
}

double shoal_sim_mass(const shoal_sim* sim, int material) {
    return material < 0 ? mass_of_all(sim) : sum_of(sim, term_of(TERM_mass, material));
}

double shoal_sim_kinetic_far(const shoal_sim* sim) {
    shoal_particles_view asked = shoal_sim_asked(sim);
    double               sum   = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set)
    sum += set->device ? shoal_set_fold(set, &sim->ctx.exec, SHOAL_PARTICLES_kinetic, &asked) : (double)INFINITY;
    return sum;
}

double shoal_sim_energy(const shoal_sim* sim, double floor) {
    holdings e    = {.asked = shoal_sim_asked(sim)};
    double   sum  = 0.0;
    e.asked.floor = floor;
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        if (!set->device) inspect(sim, set, &e.t);
        sum += set->device ? shoal_set_fold(set, &sim->ctx.exec, SHOAL_PARTICLES_energy, &e.asked)
                           : shoal_sum(&sim->ctx.exec, set->count, energy_of, &e);
    }
    return sum;
}

static shoal_d3 vector_of(const shoal_sim* sim, int first) {
    return shoal_d3_make(sum_of(sim, term_of(first, -1)), sum_of(sim, term_of(first + 1, -1)),
                         sum_of(sim, term_of(first + 2, -1)));
}

shoal_d3 shoal_sim_momentum(const shoal_sim* sim) { return vector_of(sim, TERM_momentum_x); }
shoal_d3 shoal_sim_moment(const shoal_sim* sim) { return vector_of(sim, TERM_moment_x); }
double   shoal_sim_speed_max(const shoal_sim* sim) { return most_of(sim, TERM_speed); }
double   shoal_sim_head(const shoal_sim* sim) { return most_of(sim, TERM_head); }

bool shoal_sim_compression(const shoal_sim* sim, double* mean, double* most) {
    int64_t count    = shoal_sim_count(sim);
    bool    is_known = false;
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) is_known |= shoal_set_find(set, "density") != NULL;
    if (!is_known) return false;
    *mean = count > 0 ? sum_of(sim, term_of(TERM_compression, -1)) / (double)count : 0.0;
    *most = most_of(sim, TERM_compression);
    return true;
}

double shoal_sim_crush(const shoal_sim* sim) {
    double               sum   = 0.0;
    shoal_particles_view asked = shoal_sim_asked(sim);
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set)
    if (shoal_set_find(set, "density")) sum += shoal_set_fold(set, &sim->ctx.exec, SHOAL_PARTICLES_excess, &asked);
    return sum;
}
