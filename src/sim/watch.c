// SPDX-License-Identifier: MIT
// The watch over a run: what must never be, whatever the solver. Nothing may move with more energy
// than the scene can have given nor gain any from nothing, nothing be squeezed to half its room for
// long, no frame take endless substeps. The bounds follow from the scene alone, so they hold after
// a resume as before.
#include <math.h>
#include <stdio.h>

#include "param/param.h"
#include "sim/sim_local.h"
#include "state/outlet.h"
#include "state/reach.h"

// Bounds are upper ones already; nothing that went well was seen above a half of them. A few that are thrown where
// bodies and obstacles overlap do not make an explosion: one particle counts up to pop_factor, so that a tenth of the
// mass must be as fast; but there is an end to that too.
static const double energy_factor = 4.0, pop_factor = 40.0, blast_factor = 100.0;
// One particle alone may be shot out faster than the rest, but not so fast as this, and across the whole domain in a
// substep.
static const double flyer_factor = 20.0;
// A nozzle drives liquid out so many times as fast as the piston moves.
static const double nozzle_factor = 10.0;
// In a sealed box that is full to this fraction there is no jet: what is stirred goes along with the
// stirrer.
static const double full_fraction = 0.8, stirred_factor = 3.0;
// Where nothing drives it, energy only falls; what solvers give back (compression, rounding of
// grids) was seen up to a twentieth of what there was at the start.
static const double gain_factor = 0.25;
// What springs and compression store for less than this is no loss, s: the balance takes the largest
// value in each such span.
static const double rebound_seconds = 0.25;
// The solve fails for a quarter of the particles, for so long and so many substeps without a break:
// an impact is over by then. Where nothing is done to the liquid, a smaller fraction counts half: a dam break at one
// step a frame is above 0.02 for 0.27 s at most, a tank that boils at steps just too long for it is for ever (0.035 to
// 0.2).
static const double unsolved_fraction = 0.25, unsolved_seconds = 0.5, unsolved_steps = 30.0;
static const double simmering_fraction = 0.03, simmering_weight = 0.5;
// What boils is compressed by this much on average, and more: tanks that do were seen at 5 to 25 %. Below it a solve
// that misses its tolerance leaves a state that can be used, as in sand that fills its room and is sheared: speeds have
// bounds of their own.
static const double boiling_compression = 2.0; // %
// All has been crushed where on average it is SHOAL_CRUSHED times as dense as at rest, for so long and so many
// substeps: what is thrown hard into a corner springs back.
static const double crushed_seconds = 0.1, crushed_steps = 8.0;
// A sealed box takes this much more than it holds: liquids are compressed a little, grains pack closer than their
// lattice.
static const double full_liquid = 1.05, full_sand = 1.5;
// Particles of a continuum and of its water give way no more than by gaps between those that have come one by one: with
// what leaves only those, single particles are crushed at the opening.
static const double full_continuum = 0.92;
// Substeps: a frame may take so many, or so many times what it took at the start, or what it needs where things move so
// many times as fast as the scene can have made them.
static const double steps_dear  = 1000.0; // from so many on the price is reported
static const double steps_least = 2000.0, steps_factor = 100.0, steps_speed_factor = 50.0;

// ---------------------------------------------------------------------------------- what a scene can give

// Specific energy of the highest point of a box, or the lowest, along axes where heights have an end, J/kg.
static double height_of(const shoal_description* d, shoal_box box, bool is_highest) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double g = -shoal_d3_axis(d->gravity, axis), low = g * shoal_d3_axis(box.min, axis),
               high     = g * shoal_d3_axis(box.max, axis);
        bool is_endless = !d->domain.is_given || d->domain.walls[2 * axis].kind == SHOAL_WALL_PERIODIC;
        if (g != 0.0 && !is_endless) sum += is_highest ? fmax(low, high) : fmin(low, high);
    }
    return sum;
}

typedef struct sources {
    const shoal_description* description;
    shoal_box                extent;
    double                   top;   // J/kg
    double                   speed; // m/s
} sources;

static void add_source(sources* s, shoal_box box, double speed) {
    box      = shoal_box_common(box, s->extent);
    s->speed = fmax(s->speed, speed);
    if (!shoal_box_is_empty(box)) s->top = fmax(s->top, height_of(s->description, box, true));
}

static bool is_sealed(const shoal_description* d) {
    for (int wall = 0; wall < SHOAL_WALL_COUNT && d->domain.is_given; wall++)
        if (d->domain.walls[wall].kind == SHOAL_WALL_OPEN) return false;
    return d->domain.is_given && d->sink_count == 0;
}

static double domain_volume(const shoal_description* d) {
    shoal_d3 size = shoal_d3_sub(d->domain.max, d->domain.min);
    return size.x * size.y * size.z;
}

// As if all its particles had been apart, J/kg.
static double surface_energy(const shoal_description* d) {
    double most = 0.0;
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].is_used)
            most = fmax(most, 6.0 * (double)d->materials[m].surface_tension /
                                  ((double)d->materials[m].density * shoal_spacing_of(d, m)));
    return most;
}

// Falls, velocities, obstacles, surfaces: the most that a kilogram of anything can have got, J/kg. And a floor below
// which nothing is an explosion: to cross a spacing in a frame. `fall`: of it, by falls.
static double given_by(const shoal_description* d, double filled, double* fall) {
    sources s    = {.description = d, .extent = shoal_domain_extent(&d->domain)};
    double floor = height_of(d, s.extent, false), driven = 0.0, least = 0.5 * d->spacing * d->spacing * d->fps * d->fps;
    double factor = is_sealed(d) && filled > full_fraction ? stirred_factor : nozzle_factor;
    s.top         = floor;
    for (int b = 0; b < d->body_count; b++) {
        shoal_box box  = shoal_shape_bounds(d->bodies[b].shape);
        shoal_box seen = shoal_box_common(box, s.extent);
        double    spin =
            (double)shoal_v3_length(d->bodies[b].spin) * 0.5 * shoal_d3_length(shoal_d3_sub(seen.max, seen.min));
        add_source(&s, box, (double)shoal_v3_length(d->bodies[b].velocity) + spin);
    }
    for (int e = 0; e < d->emitter_count; e++)
        add_source(&s, shoal_emitter_box(&d->emitters[e]), shoal_emitter_speed(&d->emitters[e]));
    for (int k = 0; k < d->obstacle_count; k++) {
        if (d->obstacles[k].key_count < 2) continue;
        add_source(&s, shoal_obstacle_box(&d->obstacles[k]), 0.0);
        driven = fmax(driven, factor * shoal_obstacle_speed(&d->obstacles[k]));
    }
    *fall = s.top - floor;
    return *fall + 0.5 * s.speed * s.speed + 0.5 * driven * driven + surface_energy(d) + least;
}

// Substeps per frame that the scene asks for; 0: auto.
static double fixed_substeps(const shoal_sim* sim) {
    const shoal_param_def* def = shoal_param_find(sim->type->params, "substeps");
    return def ? shoal_param_get(def, sim->params, 0) : 0.0;
}

void shoal_sim_watch_floor(shoal_sim* sim) {
    sim->watch.floor = height_of(sim->description, shoal_domain_extent(&sim->description->domain), false);
}

// The most that a kilogram of anything can have got from the scene and from callers but for falling without an end and
// forces, J/kg.
static double given_to(const shoal_sim* sim) {
    const shoal_touched* t      = &sim->touched;
    double               driven = nozzle_factor * t->driven;
    return sim->watch.given + t->lifted + t->sent + 0.5 * driven * driven;
}

// Points of a continuum take as much room as those of a liquid.
static bool are_grains(const shoal_description* d, int material) {
    return d->materials[material].kind == SHOAL_GRANULAR && !d->materials[material].is_continuum;
}

shoal_status shoal_sim_watch_begin(shoal_sim* sim) {
    const shoal_description* d      = sim->description;
    shoal_watch*             w      = &sim->watch;
    double                   filled = shoal_sim_volume(sim) / domain_volume(d);
    *w                              = (shoal_watch){.mass = shoal_sim_mass(sim, -1), .limit = full_liquid};
    w->given                        = given_by(d, filled, &w->top);
    // a spacing of height, and half of one in a frame, which packings have by their springs, are no
    // gain
    double quiver = shoal_d3_length(d->gravity) * d->spacing + 0.125 * d->spacing * d->spacing * d->fps * d->fps;
    shoal_sim_watch_floor(sim);
    sim->clock.lowest = sim->clock.highest = shoal_sim_energy(sim, w->floor);
    w->budget                              = sim->clock.lowest + w->mass * (surface_energy(d) + quiver);
    sim->clock.tallied                     = w->mass;
    for (int axis = 0; axis < 3; axis++)
        if (!d->domain.is_given || d->domain.walls[2 * axis].kind == SHOAL_WALL_PERIODIC)
            w->endless = hypot(w->endless, shoal_d3_axis(d->gravity, axis));
    for (int e = 0; e < d->emitter_count; e++) {
        int    m       = d->emitters[e].material;
        double spacing = shoal_spacing_of(d, m);
        w->drop        = fmax(w->drop, (double)d->materials[m].density * spacing * spacing * spacing);
        if (are_grains(d, m)) w->limit = full_sand;
    }
    for (int b = 0; b < d->body_count; b++)
        if (are_grains(d, d->bodies[b].material)) w->limit = full_sand;
    w->full = sim->type->bodies & SHOAL_BODIES_CONTINUUM ? full_continuum : w->limit / full_liquid;
    if (is_sealed(d) && d->emitter_count > 0) w->sealed_volume = domain_volume(d);
    w->diagonal = d->domain.is_given ? shoal_d3_length(shoal_d3_sub(d->domain.max, d->domain.min)) : (double)INFINITY;
    shoal_plan plan = {.interval = 1.0 / d->fps, .dt = 1.0 / d->fps};
    SHOAL_TRY(sim->type->plan(sim->self, &plan));
    w->first_dt = fmin(plan.dt, plan.interval);
    if (1.0 / d->fps > steps_dear * w->first_dt && !(fixed_substeps(sim) > 0.0))
        shoal_log(SHOAL_LOG_WARNING,
                  "each frame will take %.0f substeps or more, of %.3g s: viscosity, surface tension, sound or "
                  "stiffness ask for them at a spacing of %g m",
                  ceil(1.0 / d->fps / w->first_dt), w->first_dt, d->spacing);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- looking

// "particle 12 of water at (0.1, 0.2, 0.3) m", "tets 12 of ..."
static const char* describe_particle(const shoal_sim* sim, sim_particle p, char* buffer, size_t size) {
    const shoal_set* set = p.set;
    int              i   = p.index;
    if (set->count == 0) return "nobody";
    shoal_v3           x  = ((const shoal_v3*)shoal_set_read(set, "position"))[i];
    int                m  = ((const uint8_t*)shoal_set_read(set, "material"))[i];
    const shoal_field* id = shoal_set_find(set, "id");
    snprintf(buffer, size, "%s %d of %s at (%.3g, %.3g, %.3g) m", id ? "particle" : set->name,
             id ? (int)((const int32_t*)shoal_field_read(set, id))[i] : i, sim->description->materials[m].name,
             (double)x.x, (double)x.y, (double)x.z);
    return buffer;
}

// What may leave liquids and grains no room.
static const char* presser(const shoal_description* d) {
    bool moves = false;
    for (int k = 0; k < d->obstacle_count; k++) moves |= d->obstacles[k].key_count > 1;
    if (moves && d->emitter_count > 0) return "an obstacle or emitter that presses where there is no room";
    return moves                  ? "an obstacle that presses where there is no room"
           : d->emitter_count > 0 ? "an emitter that feeds where there is no room"
                                  : "what overlaps or is thrown there";
}

// What a user can turn.
static const char* way_out(const shoal_sim* sim, char* buffer, size_t size) {
    const shoal_description* d    = sim->description;
    const char*              name = sim->type->name;
    double                   most = 0.0, least = (double)INFINITY, fixed = fixed_substeps(sim);
    for (int m = 0; m < d->material_count; m++) {
        if (!d->materials[m].is_used) continue;
        most  = fmax(most, (double)d->materials[m].density);
        least = fmin(least, (double)d->materials[m].density);
    }
    if (fixed > 0.0)
        snprintf(buffer, size, "%s.substeps is %.0f: take more, or auto", name, fixed);
    else if (most > 10.0 * least)
        snprintf(buffer, size, "densities differ by %.3g times: bring them nearer to each other", most / least);
    else
        snprintf(buffer, size, "look for %s, and take softer parameters or shorter steps for %s", presser(d), name);
    return buffer;
}

static double kinetic_most(const shoal_sim* sim, int* material) {
    double most = -1.0, sum = 0.0;
    for (int m = 0; m < sim->description->material_count; m++) {
        double own = shoal_sim_kinetic(sim, m, (double)INFINITY);
        sum += own;
        if (own > most) *material = m;
        most = fmax(most, own);
    }
    return sum;
}

// What falling without an end, and forces, which may drive round and round, can have given until t, m/s.
static double driven_by(const shoal_sim* sim, double t) {
    return fmax(sim->watch.endless, sim->touched.endless) * t + shoal_forces_speed(sim->description, t) +
           sim->touched.forced;
}

static shoal_status check_energy(const shoal_sim* sim, double dt) {
    const shoal_watch* w = &sim->watch;
    double             t = sim->clock.time + dt, fall = driven_by(sim, t), given = given_to(sim) + fall * fall;
    double             speed = shoal_sim_fastest_speed(sim);
    if (speed * speed <= 2.0 * energy_factor * given)
        return SHOAL_OK; // a particle with more energy than it was given is faster
    char   where[160], out[200];
    int    material = 0;
    double mass     = fmax(w->mass + w->drop * (double)sim->clock.emitted, shoal_sim_mass(sim, -1));
    bool   crosses  = speed * dt > w->diagonal && speed > flyer_factor * sqrt(2.0 * given);
    // a few are thrown in many splashes: what the device has summed up spares fetching all; well below the bound, since
    // the sum below goes by materials
    if (!crosses && shoal_sim_kinetic_far(sim) < 0.99 * energy_factor * given * mass) return SHOAL_OK;
    sim_particle i       = shoal_sim_fastest(sim, &speed);
    double       energy  = kinetic_most(sim, &material);
    double       by_most = energy > energy_factor * given * mass ? shoal_sim_kinetic(sim, -1, pop_factor * given) : 0.0;
    if (by_most > energy_factor * given * mass || energy > blast_factor * given * mass)
        return shoal_fail(SHOAL_ERR_DIVERGE,
                          "t = %.6g s: %s exploded: all that moves has %.3g J, and falls, velocities, forces, "
                          "obstacles and surfaces of this scene "
                          "can give %.3g J; fastest is %s with %.3g m/s, substep %.3g s; %s",
                          t, sim->description->materials[material].name, energy, given * mass,
                          describe_particle(sim, i, where, sizeof where), speed, dt, way_out(sim, out, sizeof out));
    if (crosses)
        return shoal_fail(SHOAL_ERR_DIVERGE,
                          "t = %.6g s: %s crosses the whole domain in one substep of %.3g s, with %.3g m/s; %s", t,
                          describe_particle(sim, i, where, sizeof where), dt, speed, way_out(sim, out, sizeof out));
    return SHOAL_OK;
}

// Of the domain, what is taken, m^3.
static double taken_volume(const shoal_sim* sim) {
    return shoal_sim_volume(sim) - (sim->type->open_volume ? sim->type->open_volume(sim->self) : 0.0);
}

bool shoal_sim_fits(const shoal_sim* sim, double more) {
    return !is_sealed(sim->description) || taken_volume(sim) + more < domain_volume(sim->description) * sim->watch.full;
}

bool shoal_sim_is_full(const shoal_sim* sim) {
    const shoal_watch* w = &sim->watch;
    return w->sealed_volume > 0.0 && taken_volume(sim) >= w->sealed_volume * w->full;
}

static shoal_status check_volume(const shoal_sim* sim, double dt) {
    const shoal_watch* w    = &sim->watch;
    double             full = w->sealed_volume > 0.0 ? taken_volume(sim) / w->sealed_volume : 0.0;
    if (full <= w->limit) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_DIVERGE,
                      "t = %.6g s: the closed domain is full: its %lld particles need %.0f %% of its room, and "
                      "emitters still feed it; end them "
                      "earlier (until), open a wall, or add a sink",
                      sim->clock.time + dt, (long long)shoal_sim_count(sim), 100.0 * full);
}

static shoal_status check_crushed(shoal_sim* sim, double dt) {
    sim->clock.crushed = shoal_sim_crush(sim) > 0.0 ? sim->clock.crushed + (float)dt : 0.0f;
    if ((double)sim->clock.crushed < fmax(crushed_seconds, crushed_steps * dt)) return SHOAL_OK;
    char   given[80] = "";
    double fixed     = fixed_substeps(sim);
    if (fixed > 0.0) snprintf(given, sizeof given, "%s.substeps is %.0f: take more, or auto; ", sim->type->name, fixed);
    return shoal_fail(SHOAL_ERR_DIVERGE,
                      "t = %.6g s: all is crushed to less than half its room on average; %slook for %s",
                      sim->clock.time + dt, given, presser(sim->description));
}

// Whether obstacles, forces or callers have done work between two times.
static bool is_driven(const shoal_sim* sim, double from, double until) {
    const shoal_description* d = sim->description;
    if (sim->touched.last >= from) return true;
    for (int k = 0; k < d->obstacle_count; k++) {
        const shoal_obstacle* o = &sim->obstacles[k];
        if (o->key_count > 1 && o->keys[0].t < until && o->keys[o->key_count - 1].t > from) return true;
    }
    for (int k = 0; k < d->force_count; k++)
        if (d->forces[k].from < until && d->forces[k].until > from) return true;
    return false;
}

// Whether all is so slow that, on the average of its energy, it comes less than a spacing in the time in which a solve
// must have failed: what rests does not boil, however well its load is known.
static bool is_at_rest(const shoal_sim* sim) {
    double speed = sim->description->spacing / unsolved_seconds;
    return shoal_sim_kinetic(sim, -1, (double)INFINITY) < 0.5 * speed * speed * shoal_sim_mass(sim, -1);
}

// Matter that has no density is not known to be hardly compressed.
static bool is_hardly_compressed(const shoal_sim* sim) {
    double mean, most;
    return shoal_sim_compression(sim, &mean, &most) && mean < boiling_compression;
}

static shoal_status check_unsolved(shoal_sim* sim, double dt) {
    double fraction = sim->type->unsolved ? sim->type->unsolved(sim->self) : 0.0, t = sim->clock.time;
    bool   is_fed       = sim->clock.emitted != sim->clock_before.emitted || is_driven(sim, t, t + dt);
    double weight       = fraction > unsolved_fraction               ? 1.0
                          : fraction > simmering_fraction && !is_fed ? simmering_weight
                                                                     : 0.0;
    sim->clock.unsolved = weight > 0.0 ? sim->clock.unsolved + weight * dt : 0.0;
    if (sim->clock.unsolved < fmax(unsolved_seconds, unsolved_steps * dt)) return SHOAL_OK;
    if (is_at_rest(sim) || is_hardly_compressed(sim)) { // the run warns of it at its end
        sim->clock.unsolved = 0.0;
        return SHOAL_OK;
    }
    char out[200];
    return shoal_fail(SHOAL_ERR_DIVERGE,
                      "t = %.6g s: for %.3g s or more the solve has failed in every substep, for %.3g %% "
                      "of the particles in the last: they boil; %s",
                      t + dt, sim->clock.unsolved, 100.0 * fraction, way_out(sim, out, sizeof out));
}

// How heavy a material is with the pores that sand has full of the heaviest liquid of the scene, kg/m^3.
static double soaked_density(const shoal_description* d, int material) {
    const shoal_material* m      = &d->materials[material];
    double                liquid = 0.0, pores = m->porosity > 0.0f ? (double)m->porosity : 1.0 - (double)m->packing;
    for (int k = 0; k < d->material_count; k++)
        if (d->materials[k].is_used && d->materials[k].kind == SHOAL_LIQUID)
            liquid = fmax(liquid, (double)d->materials[k].density);
    return (double)m->density + (m->kind == SHOAL_GRANULAR ? pores * liquid : 0.0);
}

// The most that a kilogram from an emitter lifts by its volume, kg: of the heaviest that there is, by the lightest that
// comes. (Water below a bed of soaked sand lifts twice its own mass; credited with that alone, its work was taken for
// energy from nothing.)
static double lifted_by(const shoal_description* d) {
    double heaviest = 0.0, lightest = (double)INFINITY;
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].is_used) heaviest = fmax(heaviest, soaked_density(d, m));
    for (int e = 0; e < d->emitter_count; e++)
        lightest = fmin(lightest, (double)d->materials[d->emitters[e].material].density);
    return fmax(heaviest / lightest, 1.0);
}

// What emitters have brought since the last balance, J. One below a pool lifts all that lies above it, by its own
// volume: that is worth for each kilogram that it lifts what one at the surface of the pool has, however high that has
// risen by now.
static double brought(const shoal_sim* sim, double mass) {
    if (!(mass > 0.0)) return 0.0;
    double rise = fmax(shoal_sim_head(sim) - sim->watch.top, 0.0);
    return mass * lifted_by(sim->description) * (given_to(sim) + rise);
}

// What forces, of the scene and of callers, can have brought by now to what had an energy without them, J.
static double pushed(const shoal_sim* sim, double mass, double energy) {
    double speed = shoal_forces_speed(sim->description, sim->clock.time) + sim->touched.forced;
    return mass > 0.0 ? mass * speed * (sqrt(2.0 * fmax(energy, 0.0) / mass) + 0.5 * speed) : 0.0;
}

// What streams give to all that they push ahead of them, as a piston does, J. (A bed on the mouth of a tap of 2 m/s has
// that speed as soon as the stream has come to it, before any of it has left the opening.)
static double struck(const shoal_sim* sim, double mass) {
    double speed = 0.0;
    for (int e = 0; e < sim->description->emitter_count; e++) {
        const shoal_emitter* emitter = &sim->description->emitters[e];
        if (shoal_is_stream(emitter) && emitter->from < sim->clock.time && emitter->until > sim->clock.start)
            speed = fmax(speed, shoal_emitter_speed(emitter));
    }
    return 0.5 * mass * speed * speed;
}

// The balance of energy: where nothing drives it, motion and height lose what friction takes. What
// emitters add counts as the most that anything can have, and as the work that it takes; what left takes its own with
// it, and the balance begins anew.
shoal_status shoal_sim_watch_gain(shoal_sim* sim) {
    const shoal_watch* w     = &sim->watch;
    shoal_clock*       clock = &sim->clock;
    if (w->endless > 0.0 || sim->touched.endless > 0.0) return SHOAL_OK; // across a periodic wall, heights have no end
    double mass = shoal_sim_mass(sim, -1), more = mass - clock->tallied, energy = shoal_sim_energy(sim, w->floor);
    bool   is_anew = is_driven(sim, clock->start, clock->time) || more < -1e-9 * mass;
    double come    = brought(sim, more);
    clock->tallied = mass;
    clock->highest = is_anew ? energy : fmax(clock->highest + come, energy);
    clock->lowest  = is_anew ? energy : clock->lowest + come;
    if (clock->time > clock->spanned + rebound_seconds) { // the next span
        clock->lowest  = fmin(clock->lowest, clock->highest);
        clock->highest = energy;
        clock->spanned = clock->time;
    }
    double budget = w->budget + fmax(mass - w->mass, 0.0) * given_to(sim) + w->mass * sim->touched.lifted;
    budget += pushed(sim, fmax(mass, w->mass), budget);
    if (energy - clock->lowest <= gain_factor * budget + struck(sim, mass)) return SHOAL_OK;
    char         where[160], out[200];
    double       speed;
    sim_particle i = shoal_sim_fastest(sim, &speed);
    return shoal_fail(SHOAL_ERR_DIVERGE,
                      "t = %.6g s: energy came from nothing: motion and height have %.3g J, %.3g J "
                      "more than they had, and nothing drives them; fastest is %s "
                      "with %.3g m/s; %s",
                      clock->time, energy, energy - clock->lowest, describe_particle(sim, i, where, sizeof where),
                      speed, way_out(sim, out, sizeof out));
}

shoal_status shoal_sim_watch(shoal_sim* sim, double dt) {
    SHOAL_TRY(check_energy(sim, dt));
    SHOAL_TRY(check_unsolved(sim, dt));
    SHOAL_TRY(check_crushed(sim, dt));
    return check_volume(sim, dt);
}

shoal_status shoal_sim_watch_steps(const shoal_sim* sim, double dt) {
    const shoal_watch* w        = &sim->watch;
    double             interval = sim->clock.interval, speed, fall = driven_by(sim, sim->clock.time);
    double             crossed = sqrt(2.0 * (given_to(sim) + fall * fall)) * interval / sim->description->spacing;
    double             most    = steps_least + steps_factor * interval / w->first_dt + steps_speed_factor * crossed;
    if ((double)sim->clock.interval_steps < most) return SHOAL_OK;
    char         where[160];
    sim_particle i      = shoal_sim_fastest(sim, &speed);
    const char*  set_by = speed * dt > 0.02 * sim->description->spacing
                              ? "that speed"
                              : "forces, viscosity, tension or sound, not by speeds";
    return shoal_fail(SHOAL_ERR_DIVERGE,
                      "t = %.6g s: %lld substeps were not enough for %.3g s, the next would be %.3g s; fastest is %s "
                      "with %.3g m/s, and the substep is set by %s; look for %s",
                      sim->clock.time, (long long)sim->clock.interval_steps, interval, dt,
                      describe_particle(sim, i, where, sizeof where), speed, set_by, presser(sim->description));
}
