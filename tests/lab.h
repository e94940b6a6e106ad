// SPDX-License-Identifier: MIT
// A laboratory for the tests of laws, sameness and truth: simulations from a few lines of scene
// text, numbers out.
#ifndef SHOAL_LAB_H
#define SHOAL_LAB_H

#include "unit/check.h"

#include "shoal/files.h"
#include "shoal/shoal.h"

typedef struct lab_setup {
    int         threads; // 0: 2
    const char* isa;     // NULL: the best
    const char* device;  // NULL: the CPU
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
    def.device        = setup.device;
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

// The hash of its state after some more seconds; it is destroyed.
static inline uint64_t lab_hash_after(shoal_sim* sim, double seconds, double frame) {
    lab_run(sim, seconds, frame);
    uint64_t hash = shoal_sim_hash(sim);
    shoal_sim_destroy(sim);
    return hash;
}

static inline double lab_stat(shoal_sim* sim, const char* name) {
    double values[256];
    assert_true(shoal_sim_stat_count(sim) <= 256);
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

// Kinetic and potential energy, J.
static inline double lab_energy(shoal_sim* sim) { return lab_stat(sim, "kinetic_j") + lab_stat(sim, "potential_j"); }

// A field of all particles, those of one set behind those of another, zero where a set has it not; valid for the next
// few calls. SET.FIELD, and what lies in one set, are given where they lie.
static inline shoal_field_view lab_view(const shoal_sim* sim, const char* name) {
    enum { BUFFERS = 16 };
    static char*     buffers[BUFFERS];
    static int       next;
    shoal_field_view view = {0}, part;
    shoal_set_view   set;
    char             word[128];
    int              sets_of_particles = 0, at = -1;
    int64_t          done = 0;
    for (int k = 0; k < shoal_sim_set_count(sim) && !strchr(name, '.'); k++) {
        CHECK_OK(shoal_sim_set_at(sim, k, &set));
        snprintf(word, sizeof word, "%s.position", set.name);
        if (set.count > 0 && shoal_sim_field(sim, word, &part) == SHOAL_OK) sets_of_particles++, at = k;
    }
    if (sets_of_particles <= 1) {
        if (sets_of_particles == 1) CHECK_OK(shoal_sim_set_at(sim, at, &set));
        snprintf(word, sizeof word, "%s%s%s", sets_of_particles == 1 ? set.name : "", sets_of_particles == 1 ? "." : "",
                 name);
        CHECK_OK(shoal_sim_field(sim, word, &view));
        return view;
    }
    size_t size = 4 * sizeof(double), item = 0; // of the widest
    char** buffer = &buffers[next++ % BUFFERS];
    free(*buffer);
    *buffer = calloc((size_t)shoal_sim_count(sim), size);
    assert_non_null(*buffer);
    for (int k = 0; k < shoal_sim_set_count(sim); k++) {
        CHECK_OK(shoal_sim_set_at(sim, k, &set));
        snprintf(word, sizeof word, "%s.position", set.name);
        if (shoal_sim_field(sim, word, &part) != SHOAL_OK) continue;
        snprintf(word, sizeof word, "%s.%s", set.name, name);
        if (shoal_sim_field(sim, word, &part) == SHOAL_OK) {
            const size_t sizes[] = {[SHOAL_F1] = 4, [SHOAL_V3] = 12, [SHOAL_V4] = 16, [SHOAL_I1] = 4, [SHOAL_U1] = 1};
            item                 = sizes[part.type];
            view                 = part;
            if (part.count > 0) memcpy(*buffer + (size_t)done * item, part.data, (size_t)part.count * item);
        }
        done += set.count;
    }
    if (item == 0) fail_msg("there is no field %s", name);
    view.count = shoal_sim_count(sim);
    view.data  = *buffer;
    return view;
}

static inline const float* lab_field(const shoal_sim* sim, const char* name) { return lab_view(sim, name).data; }

// The field with three components as it lies, by id: out[id]. Ids must be those of the start.
static inline void lab_by_id(const shoal_sim* sim, const char* name, float (*out)[3]) {
    shoal_field_view ids  = lab_view(sim, "id");
    const float*     from = lab_field(sim, name);
    for (int64_t i = 0; i < ids.count; i++) memcpy(out[((const int32_t*)ids.data)[i]], from + 3 * i, 3 * sizeof(float));
}

// Whether a run saved after `seconds` goes on bit for bit on another number of threads.
static inline bool lab_goes_on(const char* text, lab_setup setup, double seconds, double frame) {
    shoal_sim* straight = lab_sim(text, setup);
    void*      bytes    = NULL;
    size_t     size     = 0;
    lab_run(straight, seconds, frame);
    CHECK_OK(shoal_sim_save(straight, &bytes, &size));
    lab_run(straight, seconds, frame);
    setup.threads       = 3;
    shoal_sim* restored = lab_sim(text, setup);
    CHECK_OK(shoal_sim_load(restored, bytes, size));
    lab_run(restored, seconds, frame);
    bool is_same = shoal_sim_hash(restored) == shoal_sim_hash(straight);
    shoal_bytes_free(bytes, size);
    shoal_sim_destroy(restored);
    shoal_sim_destroy(straight);
    return is_same;
}

// True where the instruction set can run here.
static inline bool lab_has_isa(const char* isa) {
    static const char text[] =
        "spacing: 0.1\nbodies: [{material: water, box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}]\n";
    shoal_scene*  scene = NULL;
    shoal_sim*    sim   = NULL;
    shoal_sim_def def   = shoal_sim_def_default();
    CHECK_OK(shoal_scene_parse(text, sizeof text - 1, "lab", &scene));
    def.isa  = isa;
    bool has = shoal_sim_create(&def, scene, &sim) == SHOAL_OK;
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return has;
}

// Distance of each particle to its nearest, in spacings: the least, and the fraction below one half.
// Walks pairs along x.
typedef struct lab_nearest {
    double least, close_fraction, mean;
} lab_nearest;

static int lab_along_x(const void* a, const void* b) {
    const float *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static inline lab_nearest lab_nearest_of(const shoal_sim* sim, double spacing) {
    int    count = (int)shoal_sim_count(sim);
    float* x     = malloc((size_t)count * 3 * sizeof(float));
    assert_non_null(x);
    memcpy(x, lab_field(sim, "position"), (size_t)count * 3 * sizeof(float));
    qsort(x, (size_t)count, 3 * sizeof(float), lab_along_x);
    lab_nearest result = {(double)INFINITY, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        double best = 4.0 * spacing * spacing;
        for (int way = -1; way <= 1; way += 2)
            for (int j = i + way; j >= 0 && j < count; j += way) {
                double dx = (double)x[3 * j] - (double)x[3 * i], dy = (double)x[3 * j + 1] - (double)x[3 * i + 1],
                       dz = (double)x[3 * j + 2] - (double)x[3 * i + 2];
                if (dx * dx >= best) break;
                best = fmin(best, dx * dx + dy * dy + dz * dz);
            }
        double r     = sqrt(best) / spacing;
        result.least = fmin(result.least, r);
        result.close_fraction += (r < 0.5) / (double)count;
        result.mean += r / (double)count;
    }
    free(x);
    return result;
}

#endif
