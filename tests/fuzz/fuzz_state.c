// SPDX-License-Identifier: MIT
// A saved state with any bytes of it changed, for each solver: refused, or good enough to take a substep from, which
// may fail but not crash. The first byte picks the solver; then come edits of four bytes of offset and four of value.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "shoal/files.h"
#include "shoal/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef struct seed {
    const char* materials; // of the scene, with the solver's name
    shoal_sim*  sim;
    void*       state;
    size_t      size;
} seed;

static seed seeds[] = {
    {"solver: pbf\nmaterials: {m: {preset: water}}\n", NULL, NULL, 0},
    {"solver: sph\nmaterials: {m: {preset: water}}\n", NULL, NULL, 0},
    {"solver: flip\nmaterials: {m: {preset: water}}\n", NULL, NULL, 0},
    {"solver: flip\nmaterials: {m: {preset: sand}}\n", NULL, NULL, 0},
    {"solver: grains\nmaterials: {m: {preset: sand}}\n", NULL, NULL, 0},
};
enum { SEEDS = sizeof seeds / sizeof seeds[0], SUBSTEPS = 2 };

static const char scene_rest[] =
    "spacing: 0.05\n"
    "domain: {min: [0, 0, 0], max: [0.4, 0.4, 0.4], walls: {top: open}}\n"
    "bodies: [{material: m, box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}]\n"
    "emitters: [{material: m, disc: {radius: 0.05}, at: [0.3, 0.3, 0.2], velocity: [0, -1, 0]},"
    " {material: m, rain: {min: [0, 0.3, 0], max: [0.4, 0.4, 0.1], rate: 30}, velocity: [0, -1, 0]}]\n";

static int  substeps;
static bool is_enough(void* user) {
    (void)user;
    return ++substeps >= SUBSTEPS;
}

static void must(shoal_status status) {
    if (status == SHOAL_OK) return;
    fprintf(stderr, "%s\n", shoal_last_error());
    abort();
}

static void plant(seed* s) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", s->materials, scene_rest);
    shoal_scene* scene = NULL;
    shoal_scene_parse(text, strlen(text), "seed.yaml", &scene);
    shoal_sim_def def = shoal_sim_def_default();
    def.threads       = 1;
    must(shoal_sim_create(&def, scene, &s->sim));
    shoal_scene_destroy(scene);
    must(shoal_sim_advance(s->sim, 0.01));
    must(shoal_sim_save(s->sim, &s->state, &s->size));
    shoal_sim_set_stop(s->sim, is_enough, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 1) return 0;
    seed* s = &seeds[data[0] % SEEDS];
    if (!s->sim) plant(s);
    unsigned char* state  = malloc(s->size);
    size_t         length = s->size;
    if (!state) return 0;
    memcpy(state, s->state, s->size);
    for (size_t at = 1; at + 8 <= size; at += 8) {
        uint32_t offset;
        memcpy(&offset, data + at, sizeof offset);
        if (offset % 64 == 63)
            length = offset % s->size; // cut short
        else
            memcpy(state + offset % (s->size - 3), data + at + 4, 4);
    }
    if (shoal_sim_load(s->sim, state, length) == SHOAL_OK) {
        substeps = 0;
        (void)shoal_sim_advance(s->sim, 0.001);
        double values[64];
        if (shoal_sim_stat_count(s->sim) <= 64) shoal_sim_stats(s->sim, values);
    }
    must(shoal_sim_load(s->sim, s->state, s->size)); // whatever came before, a good state is taken
    free(state);
    return 0;
}
