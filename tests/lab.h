// SPDX-License-Identifier: MIT
// A laboratory for the tests of laws, sameness and truth: simulations from a few lines of scene text, numbers out.
#ifndef SHOAL_LAB_H
#define SHOAL_LAB_H

#include "unit/check.h"

#include "shoal/files.h"
#include "shoal/shoal.h"

typedef struct lab_setup {
    int         threads; // 0: 2
    const char* isa;     // NULL: the best
    const char* set[8];  // "pbf.iterations=10", NULL ends
} lab_setup;

static inline void lab_apply(shoal_scene* scene, const lab_setup* setup) {
    for (int k = 0; k < 8 && setup->set[k]; k++) {
        char path[128];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(setup->set[k], "="), setup->set[k]);
        CHECK_OK(shoal_scene_set_value(scene, path, strchr(setup->set[k], '=') + 1));
    }
}

static inline shoal_sim* lab_start(shoal_scene* scene, lab_setup setup) {
    lab_apply(scene, &setup);
    shoal_sim_def def = shoal_sim_def_default();
    def.threads       = setup.threads ? setup.threads : 2;
    def.isa           = setup.isa;
    shoal_sim* sim    = NULL;
    CHECK_OK(shoal_sim_create(&def, scene, &sim));
    shoal_scene_destroy(scene);
    return sim;
}

// A simulation of the scene text.
static inline shoal_sim* lab_sim(const char* text, lab_setup setup) {
    shoal_scene* scene = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
    return lab_start(scene, setup);
}

// A simulation of scenes/NAME.
static inline shoal_sim* lab_scene(const char* name, lab_setup setup) {
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s", getenv("SHOAL_SOURCE") ? getenv("SHOAL_SOURCE") : ".", name);
    shoal_scene* scene = NULL;
    CHECK_OK(shoal_scene_load(path, &scene));
    return lab_start(scene, setup);
}

static inline void lab_run(shoal_sim* sim, double seconds, double frame) {
    int frames = (int)(seconds / frame + 0.5);
    for (int f = 0; f < frames; f++) CHECK_OK(shoal_sim_advance(sim, frame));
}

static inline double lab_stat(shoal_sim* sim, const char* name) {
    double values[64];
    shoal_sim_stats(sim, values);
    for (int k = 0; k < shoal_sim_stat_count(sim); k++)
        if (strcmp(shoal_sim_stat_name(sim, k), name) == 0) return values[k];
    fail_msg("there is no stat '%s'", name);
    return 0.0;
}

static inline double lab_probe(shoal_sim* sim, const char* name) {
    double values[16];
    shoal_sim_probes(sim, values);
    for (int k = 0; k < shoal_sim_probe_count(sim); k++)
        if (strcmp(shoal_sim_probe_name(sim, k), name) == 0) return values[k];
    fail_msg("there is no probe '%s'", name);
    return 0.0;
}

static inline const float* lab_field(const shoal_sim* sim, const char* name) {
    shoal_field_view view;
    CHECK_OK(shoal_sim_field(sim, name, &view));
    return view.data;
}

#endif
