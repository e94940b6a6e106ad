// SPDX-License-Identifier: MIT
// Columns of water and sand on a card: gpu bench.
#include "gpu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exec/device.h"
#include "gpu_sim.h"
#include "sim/shown.h"

// Of columns finer than those of `shoal bench` as short as their spacing is: else what falls is crushed.
typedef struct kind {
    const char *name, *solver, *params;
    double      step; // s, of 50^3 particles
} kind;
static const kind kinds[] = {
    {"pbf", "pbf", "pbf: {substeps: 1, iterations: 3, support: 2, vorticity: 0.5, xsph: 0.01}", 1.0 / 240.0},
    {"wcsph", "sph", "sph: {substeps: 1, pressure: wcsph}", 1.6e-4}, // of the sound's pace
    {"pcisph", "sph", "sph: {substeps: 1, pressure: pcisph}", 1.6e-3},
    {"dfsph", "sph", "sph: {substeps: 1, pressure: dfsph}", 1.6e-3},
    {"grains", "grains", "grains: {}", 1.0 / 240.0}, // a hundred substeps of the contacts, or more
    {"damp", "grains", "materials: {sand: {kind: granular, wetness: 0.5}}", 1.0 / 240.0},
};
static bool is_sand(const kind* k) { return strcmp(k->solver, "grains") == 0; }

static double step_of(const kind* k, int side) { return side > 50 ? 50.0 / side * k->step : k->step; }

static shoal_scene* column(const kind* k, int side) {
    shoal_scene* s = NULL;
    char         text[1024];
    int          length = snprintf(
                 text, sizeof text,
                 "name: column\nsolver: %s\nspacing: %.17g\nfps: %.17g\nframes: 1\ndomain: {min: [0, 0, 0], max: [2, 1.5, 1]}\n"
                          "bodies: [{material: %s, box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n%s\n",
                 k->solver, 1.0 / side, 1.0 / step_of(k, side), is_sand(k) ? "sand" : "water", k->params);
    return shoal_scene_parse(text, (size_t)length, "column", &s) == SHOAL_OK ? s : NULL;
}

static double window(shoal_sim* sim, double dt, int steps, shoal_status* status) {
    double* ms = malloc((size_t)steps * sizeof *ms);
    for (int k = 0; k < steps && *status == SHOAL_OK; k++) {
        double before = gpu_substeps(sim), began = gpu_seconds();
        *status     = shoal_sim_advance(sim, dt);
        double took = gpu_seconds() - began;
        ms[k]       = 1e3 * took / (gpu_substeps(sim) - before);
    }
    double median = gpu_median(ms, steps);
    free(ms);
    return median;
}

// What a frame, or a checkpoint, costs the steps between it and the next: its fields are posted, and received on
// another thread while the steps go on, into memory that is taken anew for each, as a run does.
enum { FRAME_STEPS = 16, FRAME_ROUNDS = 5, SHOWN_MOST = 32 };
typedef struct copies {
    shoal_parcels parcels;
    void*         shown[SHOWN_MOST]; // a frame
    void*         saved;             // a checkpoint
} copies;

static void* receive_all(void* user) {
    copies* c = user;
    shoal_parcels_receive(&c->parcels);
    for (int k = 0; k < SHOWN_MOST; k++) shoal_free(c->shown[k]), c->shown[k] = NULL;
    shoal_free(c->saved);
    c->saved = NULL;
    return NULL;
}

static shoal_status post_frame(shoal_sim* sim, copies* c) {
    const shoal_set* set = sim->ctx.particles;
    for (int f = 0, k = 0; f < set->field_count && k < SHOWN_MOST; f++) {
        const shoal_field* field = &set->fields[f];
        if (strcmp(field->def.name, "position") != 0 && !shoal_sim_shows(sim, set, field)) continue;
        c->shown[k] = shoal_alloc_unset((size_t)set->count, field->size);
        if (!c->shown[k]) return SHOAL_ERR_MEMORY;
        shoal_field_copy(set, field, c->shown[k++], &c->parcels);
    }
    return SHOAL_OK;
}

static shoal_status post_checkpoint(shoal_sim* sim, copies* c) {
    size_t size;
    return shoal_sim_post(sim, &c->parcels, &c->saved, &size);
}

static double fraction_of(shoal_sim* sim, double dt, shoal_status (*post)(shoal_sim*, copies*), shoal_status* status) {
    copies c       = {0};
    double with[2] = {0.0, 0.0};
    if (!sim->ctx.exec.device || *status != SHOAL_OK) return 0.0;
    *status = shoal_sim_advance(sim, dt); // whoever has looked at the fields has them here: nothing would be posted
    for (int round = -1; round < 2 * FRAME_ROUNDS && *status == SHOAL_OK; round++) { // the first takes the memory
        bool      is_with = round % 2 != 0;
        pthread_t thread;
        double    began = gpu_seconds();
        if (is_with) *status = post(sim, &c);
        is_with = is_with && pthread_create(&thread, NULL, receive_all, &c) == 0;
        for (int k = 0; k < FRAME_STEPS && *status == SHOAL_OK; k++) *status = shoal_sim_advance(sim, dt);
        if (round >= 0) with[is_with] += gpu_seconds() - began;
        if (is_with) pthread_join(thread, NULL);
    }
    shoal_parcels_drop(&c.parcels);
    return with[1] / with[0] - 1.0;
}

// The first steps of the fall, and those after the front has hit the far wall, half a second on.
static int bench(const kind* of, int side) {
    shoal_scene*  scene = column(of, side);
    shoal_sim*    sim   = NULL;
    shoal_sim_def def   = shoal_sim_def_default();
    double        dt = step_of(of, side), began = gpu_seconds(), first = 0.0, moving = 0.0;
    def.device          = gpu_device;
    bool         is_big = side > 300;
    shoal_status status = scene ? shoal_sim_create(&def, scene, &sim) : SHOAL_ERR_INPUT;
    double       made   = gpu_seconds() - began;
    if (status == SHOAL_OK) status = shoal_sim_advance(sim, dt); // warms memory up
    if (status == SHOAL_OK) first = window(sim, dt, is_sand(of) ? 5 : 14, &status);
    int fall = is_big || is_sand(of) ? 45 : (int)(0.55 / dt);
    if (fall > 3000) fall = 3000;
    for (int k = 0; k < fall && status == SHOAL_OK; k++) status = shoal_sim_advance(sim, dt);
    shoal_sim_stages_reset(sim);
    if (status == SHOAL_OK) gpu_calls_count(sim->ctx.exec.device);
    int    steps  = is_sand(of) ? 10 : is_big ? 40 : 100;
    double before = gpu_substeps(sim);
    if (status == SHOAL_OK) moving = window(sim, dt, steps, &status);
    if (status != SHOAL_OK) return gpu_fails("bench");
    double           substeps = gpu_substeps(sim) - before;
    shoal_stage_time stages[16];
    int              count = shoal_sim_stages(sim, stages, 16);
    size_t           free = 0, all = 0, used = 0;
    if (sim->ctx.exec.device) sim->ctx.exec.device->memory(sim->ctx.exec.device, &free, &all, &used);
    double n = (double)shoal_sim_count(sim), step = first > moving ? first : moving;
    printf("{\"name\":\"%s-%d\",\"solver\":\"%s\",\"device\":\"%s\",\"particles\":%.0f,\"neighbours\":%.4g,"
           "\"iterations\":%.0f,\"contacts\":%.3g,"
           "\"step_ms\":%.5g,\"first_ms\":%.5g,\"impact_ms\":%.5g,\"particle_steps_per_s\":%.5g,\"bytes_per_particle\":"
           "%.0f,"
           "\"create_s\":%.3g,\"hash\":\"%016llx\",\"stage_ms\":{",
           of->name, side, of->solver, shoal_sim_device(sim), n, shoal_sim_neighbours(sim), gpu_stat(sim, "iterations"),
           gpu_stat(sim, "contacts"), step, first, moving, 1e3 * n / step, (double)used / n, made,
           (unsigned long long)(is_big ? 0 : shoal_sim_hash(sim)));
    for (int k = 0; k < count; k++)
        printf("%s\"%s\":%.4g", k ? "," : "", stages[k].name, 1e3 * stages[k].seconds / substeps);
    printf("},\"calls\":{");
    gpu_calls_print(substeps);
    fflush(stdout);
    printf("},\"frame_share\":%.3g", fraction_of(sim, dt, post_frame, &status));
    if (!is_big) printf(",\"checkpoint_share\":%.3g", fraction_of(sim, dt, post_checkpoint, &status)); // a minute
    printf("}\n");
    fflush(stdout);
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return 0;
}

int gpu_bench(const char* what) {
    const char* side = strchr(what, ':');
    size_t      k = 0, length = side ? (size_t)(side - what) : 0;
    while (side && k < sizeof kinds / sizeof *kinds &&
           (strncmp(kinds[k].name, what, length) != 0 || kinds[k].name[length] != '\0'))
        k++;
    if (k == sizeof kinds / sizeof *kinds) return printf("there is no bench of %s\n", what), 1;
    return bench(&kinds[k], atoi(side ? side + 1 : what));
}
