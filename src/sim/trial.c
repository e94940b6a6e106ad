// SPDX-License-Identifier: MIT
// Two models. For the number of substeps a block of the scene's materials, at its spacing and with
// its parameters, that slides over the floor of a tank: gravity is such that the pressure at the
// floor is what the scene's highest fall gives (the scale of Froude, speeds kept), and by pressure,
// speed and spacing solvers choose their substeps. For what a substep costs the scene itself with
// its obstacles, as coarse as needed to be quick.
#include "sim/trial.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "fluid/stride.h"
#include "sim/sim_local.h"

// Particles of the block: as many as the scene has, within these; and its height in spacings.
static const double count_least = 500.0, count_most = 1500.0;
static const double layers_least = 4.0, layers_most = 15.0;
// Speed of the block over that of what falls from the top of the scene to its floor: splashes are
// seldom the fastest they can be, and sand is slowed down by friction. Means over the shipped
// scenes.
static const double haste_of[] = {[SHOAL_LIQUID] = 0.55, [SHOAL_GRANULAR] = 0.3};
// Particles of the coarse scene at first; it is made finer until a substep takes so long, s: few
// particles cost more each.
static const double scene_first = 2000.0, finer = 8.0, substep_least = 0.005;
// A mesh is fine at the surface and coarse inside: what it costs grows as the surface does. (From 2000 cubes of one
// spacing to 1.5 million a step of `tetra` grows 80-fold.) And that is least at the start: over the first second or
// more of a splash the mean is so many times what it was, 1.2 to 2.3 in scenes/small and dam breaks; of less liquid
// than so many cubes more of it becomes surface, 2 to 4 times at 800 to 2700 of them.
static const double mesh_power = 2.0 / 3.0, mesh_spread = 1.6, mesh_small = 6000.0, mesh_least = 500.0;
// What comes out of emitters alone meets solids all the time, and a mesh takes so many times the substeps for that: 1.5
// to 2 in rain and fountains.
static const double mesh_meets = 2.0;
// Wall clock of each, s, and of the first substeps, which take memory and fill caches and do not
// count.
static const double watched_for = 0.03, warm_up = 0.005;

// How much of each material there will be, m^3; their sum is returned.
static double amounts_of(const shoal_description* scene, double particles, double emitted, double* amount) {
    double sum = 0.0;
    for (int b = 0; b < scene->body_count && particles > 0.0; b++)
        amount[scene->bodies[b].material] += fmin(shoal_shape_volume_estimate(scene->bodies[b].shape), 1e12);
    for (int m = 0; m < scene->material_count; m++) sum += amount[m];
    for (int m = 0; m < scene->material_count && sum > 0.0; m++)
        amount[m] *= particles * shoal_volume_of(scene, m) / sum;
    for (int e = 0; e < scene->emitter_count; e++) {
        int m = scene->emitters[e].material;
        amount[m] += emitted / scene->emitter_count * shoal_volume_of(scene, m);
    }
    sum = 0.0;
    for (int m = 0; m < scene->material_count; m++) sum += amount[m];
    return sum;
}

// Height of the bodies at the start, or of a cube of all where there is nothing, in spacings.
static double layers_of(const shoal_description* scene, double volume) {
    double height = scene->body_count > 0 ? 0.0 : cbrt(volume);
    for (int b = 0; b < scene->body_count; b++) {
        shoal_box box = shoal_shape_bounds(scene->bodies[b].shape);
        height        = fmax(height, fmin(box.max.y - box.min.y, 1e6));
    }
    return fmin(fmax(round(height / scene->spacing), layers_least), layers_most);
}

// How the bodies of a material lie; of one that only comes from emitters as they would by default.
static shoal_arrangement arrangement_of(const shoal_description* scene, int material) {
    for (int b = 0; b < scene->body_count; b++)
        if (scene->bodies[b].material == material) return scene->bodies[b].arrangement;
    return SHOAL_LATTICE;
}

static shoal_status add_body(shoal_description* block, int material, shoal_arrangement arrangement, shoal_box box,
                             float speed) {
    shoal_body* body = &block->bodies[block->body_count];
    *body            = (shoal_body){.material = material, .velocity = {speed, 0.0f, 0.0f}, .arrangement = arrangement};
    SHOAL_TRY(shoal_shape_box(box.min, box.max, &body->shape));
    block->body_count++;
    return SHOAL_OK;
}

static shoal_status fill_block(const shoal_description* scene, double particles, double emitted, double* amount,
                               shoal_description* block) {
    double volume = amounts_of(scene, particles, emitted, amount), d = scene->spacing;
    if (!(volume > 0.0)) return shoal_fail(SHOAL_ERR_INPUT, "there is nothing to simulate");
    double layers = layers_of(scene, volume), height = layers * d, top = shoal_liquid_speed(scene, false);
    double count = fmin(fmax(particles + emitted, count_least), count_most);
    double edge = fmax(round(sqrt(count * volume / (particles + emitted) / height) / d), 4.0) * d, from = 0.0;
    block->gravity = shoal_d3_make(0.0, -0.5 * top * top / height, 0.0);
    block->domain  = (shoal_domain){.is_given = true, .max = shoal_d3_make(3.0 * edge, 2.0 * height, edge)};
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) block->domain.walls[w] = (shoal_wall){.kind = SHOAL_WALL_DEFAULT};
    for (int m = 0; m < scene->material_count; m++) {
        double to    = from + edge * amount[m] / volume;
        double speed = haste_of[scene->materials[m].kind] * top;
        if (to > from)
            SHOAL_TRY(add_body(block, m, arrangement_of(scene, m),
                               (shoal_box){{edge, 0.0, from}, {2.0 * edge, height, to}}, (float)speed));
        from = to;
    }
    return SHOAL_OK;
}

static shoal_status describe_block(const shoal_description* scene, double particles, double emitted,
                                   shoal_description* block) {
    const shoal_solver_type* type     = shoal_solver_find(scene->solver);
    size_t                   capacity = (size_t)scene->material_count;
    *block                            = *scene;
    block->body_count = block->obstacle_count = block->emitter_count = block->sink_count = block->force_count =
        block->probe_count                                                               = 0;
    block->obstacles = NULL, block->emitters = NULL, block->sinks = NULL, block->forces = NULL, block->probes = NULL;
    block->materials     = shoal_alloc(capacity + 1, sizeof *block->materials);
    block->bodies        = shoal_alloc(capacity + 1, sizeof *block->bodies);
    block->solver_params = shoal_alloc(1, type->params_size);
    double*      amount  = shoal_alloc(capacity + 1, sizeof *amount);
    shoal_status status =
        block->materials && block->bodies && block->solver_params && amount ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) {
        if (capacity > 0) memcpy(block->materials, scene->materials, capacity * sizeof *block->materials);
        memcpy(block->solver_params, scene->solver_params, type->params_size);
        status = fill_block(scene, particles, emitted, amount, block);
    }
    shoal_free(amount);
    return status;
}

// --- watching them

// Processor time of this thread: what else the machine does is not in it.
typedef struct watch {
    const shoal_sim* sim;
    double           pace_until; // s of the model; substeps count for the pace up to then
    double           substeps;   // in a second of that time
    double           began;      // when the model did
    double           warm;       // when the warm-up was over
    int64_t          steps;      // and its substeps; 0: it is not
} watch;

static bool is_over(void* user) {
    watch*             w     = user;
    const shoal_clock* clock = &w->sim->clock;
    double             now   = shoal_thread_seconds();
    if (clock->steps > 0 && (clock->time <= w->pace_until || w->substeps == 0.0))
        w->substeps = (double)clock->steps / clock->time;
    if (w->steps == 0 && now - w->began > warm_up) w->warm = now, w->steps = clock->steps;
    return w->steps > 0 && clock->steps > w->steps && now - w->began > watched_for;
}

double shoal_trial_count(const shoal_sim* model) {
    double d = model->description->spacing;
    return shoal_sim_count(model) > 0 ? (double)shoal_sim_count(model) : shoal_sim_volume(model) / (d * d * d);
}

static shoal_status try_model(const shoal_sim_def* def, shoal_description* model, double pace_until,
                              shoal_trial_fn tell, void* user, shoal_trial* out, int* count) {
    shoal_sim*    sim;
    shoal_sim_def alone = *def;
    alone.threads       = 1;
    SHOAL_TRY(shoal_sim_lend(&alone, model, &sim));
    watch        w      = {.sim = sim, .pace_until = pace_until, .began = shoal_thread_seconds()};
    shoal_status status = SHOAL_OK;
    shoal_sim_set_stop(sim, is_over, &w);
    do status = shoal_sim_advance(sim, 1.0 / model->fps);
    while (status == SHOAL_OK && !is_over(&w));
    if (status == SHOAL_ERR_INTERRUPTED) status = SHOAL_OK;
    double steps = fmax((double)(sim->clock.steps - w.steps), 1.0);
    *out         = (shoal_trial){fmax(w.substeps / model->fps, 1.0), (shoal_thread_seconds() - w.warm) / steps};
    *count       = (int)shoal_trial_count(sim);
    if (status == SHOAL_OK && tell) status = tell(user, sim);
    shoal_sim_destroy(sim);
    return status;
}

static shoal_status try_out(const shoal_sim_def* def, shoal_description* model, double pace_until, shoal_trial_fn tell,
                            void* user, shoal_trial* out, int* count) {
    bool         was_mute = shoal_log_mute(true); // what it warns of is the model's
    shoal_status status   = try_model(def, model, pace_until, tell, user, out, count);
    shoal_log_mute(was_mute);
    return status;
}

static double scaled(const shoal_description* scene, double seconds, double ratio) {
    bool is_mesh = shoal_solver_find(scene->solver)->matter != NULL;
    return seconds * (is_mesh ? pow(ratio, mesh_power) : ratio);
}
// Of a substep of the particles that are there at the start, s, by the scene as fine as is quick;
// `guess` where it fails when coarse.
static double cost_of(const shoal_sim_def* def, const shoal_description* scene, double particles, double guess) {
    if (!(particles > 0.0)) return 0.0; // of what emitters send the block tells the cost
    for (double wanted = scene_first;; wanted *= finer) {
        shoal_description coarse = *scene;
        shoal_trial       trial;
        int               count;
        if (particles < 2.0 * wanted) wanted = particles; // not worth it
        double wider = cbrt(fmax(particles / wanted, 1.0));
        coarse.spacing *= wider;
        coarse.fps /= wider; // as far within a frame, in spacings
        if (try_out(def, &coarse, 0.0, NULL, NULL, &trial, &count) != SHOAL_OK) return guess;
        if (particles <= wanted) return trial.seconds;
        if (trial.seconds > substep_least) return count > 0 ? scaled(scene, trial.seconds, particles / count) : guess;
    }
}

shoal_status shoal_trial_make(const shoal_sim_def* def, const shoal_description* scene, double particles,
                              double emitted, shoal_trial_fn tell, void* user, shoal_trial* out) {
    shoal_description block;
    int               count  = 0;
    shoal_status      status = describe_block(scene, particles, emitted, &block);
    if (status == SHOAL_OK) {
        double freely = (double)block.domain.max.z / (double)block.bodies[0].velocity.x; // until it meets the wall
        status        = try_out(def, &block, freely, tell, user, out, &count);
    }
    shoal_description_free(&block);
    if (status != SHOAL_OK) return status;
    double each   = out->seconds / fmax(count, 1.0); // of the block, without obstacles
    double bodies = cost_of(def, scene, particles, each * particles), added = each * emitted;
    if (shoal_solver_find(scene->solver)->matter) {
        double from_emitters = emitted / (particles + emitted);
        bodies *= mesh_spread * (particles > 0.0 ? cbrt(fmax(mesh_small / fmax(particles, mesh_least), 1.0)) : 1.0);
        added *= mesh_spread;
        out->substeps *= 1.0 + (mesh_meets - 1.0) * from_emitters * from_emitters;
    }
    out->seconds = bodies + added;
    return SHOAL_OK;
}
