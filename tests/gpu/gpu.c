// SPDX-License-Identifier: MIT
// Tests and benches of a card, in one program that needs the driver alone: no plugin to be found, no library to be
// installed.
//
// gpu same LIST SCENES [SUBSTEPS]: lines like those of tests/same/scenes.txt, each on the CPU, twice on the card, and
// from the CPU to the card and back by what is saved; all that is saved.
//
// gpu bench [KIND:]SIDE...: columns of water of SIDE^3 particles, as `shoal bench` has them, by pbf, wcsph, pcisph or
// dfsph, or of as many grains of sand, dry (grains) or damp; a step is then one of the contacts. frame_fraction and
// checkpoint_fraction: what one of them costs the 16 steps to the next.
//
// gpu pictures LIST SCENES: each row drawn on both, of a simulation on both.
//
// gpu watch SCENES: the benches of the viewer on a card, paused and while a scene is simulated (bench/benches.h).
//
// Ends with 0 when all is well, with 77 when there is no card. SHOAL_DEVICE names another device than cuda.
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/device.h"
#include "gpu_sim.h"

shoal_status shoal_cuda_open(int abi, int number, shoal_device** out, char* why, size_t size);

const char* gpu_device = "cuda";

double gpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int gpu_fails(const char* what) {
    printf("%s: %s\n", what, shoal_last_error());
    return 1;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

double gpu_median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

shoal_scene* gpu_scene(const char* folder, char* line) {
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

enum { FRAMES_MOST = 400 };
static int steps_wanted = 200;

// Goes on with what an outcome holds, on a device: as many frames as are asked for, or until there are enough substeps.
static shoal_status play(const char* folder, const char* line, const char* where, int frames, outcome* out) {
    char words[1024];
    snprintf(words, sizeof words, "%s", line);
    shoal_scene* scene = gpu_scene(folder, words);
    shoal_sim*   sim   = NULL;
    if (!scene) return SHOAL_ERR_INPUT;
    shoal_sim_def def   = shoal_sim_def_default();
    def.device          = where;
    shoal_status status = shoal_sim_create(&def, scene, &sim);
    double       frame = 1.0 / shoal_scene_get_facts(scene).fps, began = gpu_seconds();
    if (status == SHOAL_OK && out->bytes) status = shoal_sim_load(sim, out->bytes, out->size);
    for (int f = 0; f < frames && status == SHOAL_OK; f++) {
        if (frames == FRAMES_MOST && f >= 3 && gpu_substeps(sim) >= steps_wanted) break;
        status = shoal_sim_advance(sim, frame);
        out->frames++;
    }
    out->seconds += gpu_seconds() - began;
    shoal_bytes_free(out->bytes, out->size);
    out->bytes = NULL;
    if (status == SHOAL_OK) status = shoal_sim_save(sim, &out->bytes, &out->size);
    if (status == SHOAL_OK) {
        out->hash  = shoal_sim_hash(sim);
        out->count = shoal_sim_count(sim);
        out->steps = (int64_t)gpu_substeps(sim);
    }
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return status;
}

// From the CPU to the device and back, by thirds of the frames, which are three or more.
static shoal_status cross(const char* folder, const char* line, int frames, outcome* out) {
    int          third  = frames / 3;
    shoal_status status = play(folder, line, "cpu", third, out);
    if (status == SHOAL_OK) status = play(folder, line, gpu_device, third, out);
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
            play(folder, line, gpu_device, FRAMES_MOST, &there) != SHOAL_OK ||
            play(folder, line, gpu_device, FRAMES_MOST, &again) != SHOAL_OK ||
            cross(folder, line, here.frames, &crossed) != SHOAL_OK) {
            differ += gpu_fails(line);
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

int main(int argc, char** argv) {
    int           failed = 0;
    shoal_device* card   = NULL;
    shoal_device_plug(shoal_cuda_open);
    if (getenv("SHOAL_DEVICE")) gpu_device = getenv("SHOAL_DEVICE");
    if (shoal_device_open(gpu_device, &card) != SHOAL_OK) return gpu_fails(gpu_device), 77;
    shoal_device_close(card);
    if (argc > 4) steps_wanted = atoi(argv[4]);
    if (argc > 3 && strcmp(argv[1], "same") == 0) return same(argv[2], argv[3]);
    if (argc > 3 && strcmp(argv[1], "pictures") == 0) return gpu_pictures(argv[2], argv[3]);
    if (argc > 2 && strcmp(argv[1], "watch") == 0) return gpu_watch(argv[2]);
    if (argc < 3 || strcmp(argv[1], "bench") != 0)
        return printf("usage: gpu same LIST SCENES [SUBSTEPS] | gpu pictures LIST SCENES | gpu watch SCENES | "
                      "gpu bench [KIND:]SIDE...\n"),
               2;
    for (int a = 2; a < argc; a++) failed |= gpu_bench(argv[a]);
    return failed;
}
