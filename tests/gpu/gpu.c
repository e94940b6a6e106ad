// SPDX-License-Identifier: MIT
// Tests and benches of a card, in one program that needs the driver alone: no plugin to be found, no library to be
// installed.
//
// gpu same LIST SCENES: lines like those of tests/same/scenes.txt, each on the CPU, twice on the card, and from the CPU
// to the card and back by what is saved; all that is saved.
//
// gpu bench [KIND:]SIDE...: columns of water of SIDE^3 particles, as `shoal bench` has them, by pbf, wcsph, pcisph or
// dfsph, or of as many grains of sand, dry (grains) or damp; a step is then one of the contacts. frame_share and
// checkpoint_share: what one of them costs the 16 steps to the next.
//
// Ends with 0 when all is well, with 77 when there is no card. SHOAL_DEVICE names another device than cuda.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/unset.h"
#include "exec/device.h"
#include "shoal/files.h"
#include "shoal/shoal.h"
#include "sim/shown.h"
#include "sim/sim_local.h"

shoal_status shoal_cuda_open(int abi, int number, shoal_device** out, char* why, size_t size);

static const char* device = "cuda";

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fails(const char* what) {
    printf("%s: %s\n", what, shoal_last_error());
    return 1;
}

// ---------------------------------------------------------------------------------- the same bits

// All that is saved after some frames, and what a hash of it is.
typedef struct outcome {
    void*    bytes;
    size_t   size;
    uint64_t hash;
    double   seconds;
    int64_t  count, steps;
    int      frames;
} outcome;

enum { FRAMES_MOST = 400, STEPS_WANTED = 200 };

static shoal_scene* scene_of(const char* folder, char* line) {
    char         path[1024], *word = strtok(line, " "), *solver = strtok(NULL, " ");
    shoal_scene* scene = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, word);
    if (shoal_scene_load(path, &scene) != SHOAL_OK) return NULL;
    if (shoal_scene_set_text(scene, "solver", solver) != SHOAL_OK) return NULL;
    while ((word = strtok(NULL, " "))) {
        char* value = strchr(word, '=');
        if (!value) return NULL;
        *value = '\0';
        if (shoal_scene_set_value(scene, word, value + 1) != SHOAL_OK) return NULL;
    }
    return scene;
}

// A column of stats.csv that the solver has.
static double stat_of(const shoal_sim* sim, const char* name) {
    double values[64] = {0};
    if (sim->type->report) sim->type->report(sim->self, values);
    for (int k = 0; k < shoal_column_count(sim->type->columns); k++)
        if (strcmp(sim->type->columns[k].name, name) == 0) return values[k];
    return 0.0;
}

// Of the contacts, where grains have some in each substep of the house.
static double substeps_of(const shoal_sim* sim) {
    double contacts = stat_of(sim, "dem_steps");
    return contacts > 0.0 ? contacts : (double)shoal_sim_steps(sim);
}

// Goes on with what an outcome holds, on a device: as many frames as are asked for, or until there are enough substeps.
static shoal_status play(const char* folder, const char* line, const char* where, int frames, outcome* out) {
    char words[1024];
    snprintf(words, sizeof words, "%s", line);
    shoal_scene* scene = scene_of(folder, words);
    shoal_sim*   sim   = NULL;
    if (!scene) return SHOAL_ERR_INPUT;
    shoal_sim_def def   = shoal_sim_def_default();
    def.device          = where;
    shoal_status status = shoal_sim_create(&def, scene, &sim);
    double       frame = 1.0 / shoal_scene_get_facts(scene).fps, began = seconds();
    if (status == SHOAL_OK && out->bytes) status = shoal_sim_load(sim, out->bytes, out->size);
    for (int f = 0; f < frames && status == SHOAL_OK; f++) {
        if (frames == FRAMES_MOST && f >= 3 && substeps_of(sim) >= STEPS_WANTED) break;
        status = shoal_sim_advance(sim, frame);
        out->frames++;
    }
    out->seconds += seconds() - began;
    shoal_bytes_free(out->bytes, out->size);
    out->bytes = NULL;
    if (status == SHOAL_OK) status = shoal_sim_save(sim, &out->bytes, &out->size);
    if (status == SHOAL_OK) {
        out->hash  = shoal_sim_hash(sim);
        out->count = shoal_sim_count(sim);
        out->steps = (int64_t)substeps_of(sim);
    }
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return status;
}

// From the CPU to the device and back, by thirds of the frames, which are three or more.
static shoal_status cross(const char* folder, const char* line, int frames, outcome* out) {
    int          third  = frames / 3;
    shoal_status status = play(folder, line, "cpu", third, out);
    if (status == SHOAL_OK) status = play(folder, line, device, third, out);
    return status == SHOAL_OK ? play(folder, line, "cpu", frames - 2 * third, out) : status;
}

static bool are_same(const outcome* a, const outcome* b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static int same(const char* list, const char* folder) {
    FILE* file   = fopen(list, "r");
    int   differ = 0, all = 0;
    char  line[1024];
    if (!file) return printf("%s cannot be read\n", list), 1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0') continue;
        outcome here = {0}, there = {0}, again = {0}, crossed = {0};
        all++;
        if (play(folder, line, "cpu", FRAMES_MOST, &here) != SHOAL_OK ||
            play(folder, line, device, FRAMES_MOST, &there) != SHOAL_OK ||
            play(folder, line, device, FRAMES_MOST, &again) != SHOAL_OK ||
            cross(folder, line, here.frames, &crossed) != SHOAL_OK) {
            differ += fails(line);
        } else {
            bool is_same = are_same(&here, &there) && are_same(&there, &again) && are_same(&here, &crossed);
            printf("%-70s %s  %016llx %016llx %016llx  %lld particles, %lld substeps, %.2f s and %.2f s\n", line,
                   is_same ? "same" : "DIFFERS", (unsigned long long)here.hash, (unsigned long long)there.hash,
                   (unsigned long long)crossed.hash, (long long)here.count, (long long)here.steps, here.seconds,
                   there.seconds);
            differ += !is_same;
        }
        fflush(stdout);
        shoal_bytes_free(here.bytes, here.size);
        shoal_bytes_free(there.bytes, there.size);
        shoal_bytes_free(again.bytes, again.size);
        shoal_bytes_free(crossed.bytes, crossed.size);
    }
    fclose(file);
    printf("%d of %d have the bits of the CPU\n", all - differ, all);
    return differ > 0;
}

// ---------------------------------------------------------------------------------- benches

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

// What the host asks of the device in a step, and how long it takes for each: launches do not wait, answers do.
typedef enum call_kind { CALL_RUN, CALL_SORT, CALL_SCAN, CALL_SEND, CALL_FETCH, CALL_FOLD, CALL_COUNT } call_kind;
static const char* const call_names[] = {"run", "sort", "scan", "send", "fetch", "fold"};
static struct {
    shoal_device plain; // its own functions
    double       seconds[CALL_COUNT];
    int          count[CALL_COUNT];
} calls;

#define COUNTED(kind, call)                                                                                            \
    double began = seconds();                                                                                          \
    calls.plain.call;                                                                                                  \
    calls.seconds[kind] += seconds() - began;                                                                          \
    calls.count[kind]++
static void count_run(shoal_device* d, const shoal_passes* passes, shoal_isa_kind isa, int pass, const void* view,
                      int count) {
    COUNTED(CALL_RUN, run(d, passes, isa, pass, view, count));
}
static void count_sort(shoal_device* d, uint64_t* keys, int count, int bits, int* order, uint64_t* sorted) {
    COUNTED(CALL_SORT, sort(d, keys, count, bits, order, sorted));
}
static void count_scan(shoal_device* d, int* values, int count) { COUNTED(CALL_SCAN, scan(d, values, count)); }
static void count_send(shoal_device* d, void* far, const void* near, size_t bytes) {
    COUNTED(CALL_SEND, send(d, far, near, bytes));
}
static void count_fetch(shoal_device* d, void* near, const void* far, size_t bytes) {
    COUNTED(CALL_FETCH, fetch(d, near, far, bytes));
}
static void count_fold(shoal_device* d, const shoal_passes* passes, unsigned wanted, const void* view, int count,
                       double* out) {
    COUNTED(CALL_FOLD, fold(d, passes, wanted, view, count, out));
}
static void count_calls(shoal_device* d) {
    memset(&calls, 0, sizeof calls);
    calls.plain = *d;
    d->run = count_run, d->sort = count_sort, d->scan = count_scan;
    d->send = count_send, d->fetch = count_fetch, d->fold = count_fold;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static double window(shoal_sim* sim, double dt, int steps, shoal_status* status) {
    double* ms = malloc((size_t)steps * sizeof *ms);
    for (int k = 0; k < steps && *status == SHOAL_OK; k++) {
        double before = substeps_of(sim), began = seconds();
        *status     = shoal_sim_advance(sim, dt);
        double took = seconds() - began;
        ms[k]       = 1e3 * took / (substeps_of(sim) - before);
    }
    qsort(ms, (size_t)steps, sizeof *ms, compare);
    double median = ms[steps / 2];
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

static double share_of(shoal_sim* sim, double dt, shoal_status (*post)(shoal_sim*, copies*), shoal_status* status) {
    copies c       = {0};
    double with[2] = {0.0, 0.0};
    if (!sim->ctx.exec.device || *status != SHOAL_OK) return 0.0;
    *status = shoal_sim_advance(sim, dt); // whoever has looked at the fields has them here: nothing would be posted
    for (int round = -1; round < 2 * FRAME_ROUNDS && *status == SHOAL_OK; round++) { // the first takes the memory
        bool      is_with = round % 2 != 0;
        pthread_t thread;
        double    began = seconds();
        if (is_with) *status = post(sim, &c);
        is_with = is_with && pthread_create(&thread, NULL, receive_all, &c) == 0;
        for (int k = 0; k < FRAME_STEPS && *status == SHOAL_OK; k++) *status = shoal_sim_advance(sim, dt);
        if (round >= 0) with[is_with] += seconds() - began;
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
    double        dt = step_of(of, side), began = seconds(), first = 0.0, moving = 0.0;
    def.device          = device;
    bool         is_big = side > 300;
    shoal_status status = scene ? shoal_sim_create(&def, scene, &sim) : SHOAL_ERR_INPUT;
    double       made   = seconds() - began;
    if (status == SHOAL_OK) status = shoal_sim_advance(sim, dt); // warms memory up
    if (status == SHOAL_OK) first = window(sim, dt, is_sand(of) ? 5 : 14, &status);
    int fall = is_big || is_sand(of) ? 45 : (int)(0.55 / dt);
    if (fall > 3000) fall = 3000;
    for (int k = 0; k < fall && status == SHOAL_OK; k++) status = shoal_sim_advance(sim, dt);
    shoal_sim_stages_reset(sim);
    if (status == SHOAL_OK && sim->ctx.exec.device) count_calls(sim->ctx.exec.device);
    int    steps  = is_sand(of) ? 10 : is_big ? 40 : 100;
    double before = substeps_of(sim);
    if (status == SHOAL_OK) moving = window(sim, dt, steps, &status);
    if (status != SHOAL_OK) return fails("bench");
    double           substeps = substeps_of(sim) - before;
    shoal_stage_time stages[16];
    int              count = shoal_sim_stages(sim, stages, 16);
    size_t           free = 0, all = 0, used = 0;
    if (sim->ctx.exec.device) sim->ctx.exec.device->room(sim->ctx.exec.device, &free, &all, &used);
    double n = (double)shoal_sim_count(sim), step = first > moving ? first : moving;
    printf("{\"name\":\"%s-%d\",\"solver\":\"%s\",\"device\":\"%s\",\"particles\":%.0f,\"neighbours\":%.4g,"
           "\"iterations\":%.0f,\"contacts\":%.3g,"
           "\"step_ms\":%.5g,\"first_ms\":%.5g,\"impact_ms\":%.5g,\"particle_steps_per_s\":%.5g,\"bytes_per_particle\":"
           "%.0f,"
           "\"create_s\":%.3g,\"hash\":\"%016llx\",\"stage_ms\":{",
           of->name, side, of->solver, shoal_sim_device(sim), n, shoal_sim_neighbours(sim), stat_of(sim, "iterations"),
           stat_of(sim, "contacts"), step, first, moving, 1e3 * n / step, (double)used / n, made,
           (unsigned long long)(is_big ? 0 : shoal_sim_hash(sim)));
    for (int k = 0; k < count; k++)
        printf("%s\"%s\":%.4g", k ? "," : "", stages[k].name, 1e3 * stages[k].seconds / substeps);
    printf("},\"calls\":{");
    for (int k = 0; k < CALL_COUNT; k++)
        printf("%s\"%s\":[%.4g,%.4g]", k ? "," : "", call_names[k], (double)calls.count[k] / substeps,
               1e3 * calls.seconds[k] / substeps);
    fflush(stdout);
    printf("},\"frame_share\":%.3g", share_of(sim, dt, post_frame, &status));
    if (!is_big) printf(",\"checkpoint_share\":%.3g", share_of(sim, dt, post_checkpoint, &status)); // a minute
    printf("}\n");
    fflush(stdout);
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return 0;
}

int main(int argc, char** argv) {
    int           failed = 0;
    shoal_device* card   = NULL;
    shoal_device_plug(shoal_cuda_open);
    if (getenv("SHOAL_DEVICE")) device = getenv("SHOAL_DEVICE");
    if (shoal_device_open(device, &card) != SHOAL_OK) return fails(device), 77;
    shoal_device_close(card);
    if (argc > 3 && strcmp(argv[1], "same") == 0) return same(argv[2], argv[3]);
    if (argc < 3 || strcmp(argv[1], "bench") != 0)
        return printf("usage: gpu same LIST SCENES | gpu bench [KIND:]SIDE...\n"), 2;
    for (int a = 2; a < argc; a++) {
        const char* side = strchr(argv[a], ':');
        size_t      k = 0, length = side ? (size_t)(side - argv[a]) : 0;
        while (side && k < sizeof kinds / sizeof *kinds &&
               (strncmp(kinds[k].name, argv[a], length) != 0 || kinds[k].name[length] != '\0'))
            k++;
        if (k == sizeof kinds / sizeof *kinds) return printf("there is no bench of %s\n", argv[a]), 2;
        failed |= bench(&kinds[k], atoi(side ? side + 1 : argv[a]));
    }
    return failed;
}
