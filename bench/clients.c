// SPDX-License-Identifier: MIT
// Two clients of the pool of threads: two simulations, or a simulation and a picture, at the same time against taking
// turns, each with all threads. Prints wall and processor time, and whether both ways gave the same bits (exit code 1:
// not).
//
//     clients [THREADS [SIDE [STEPS]]]       0 threads: all cores; SIDE^3 particles; STEPS substeps of 1/240 s
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shoal/screen.h"
#include "shoal/shoal.h"

enum { ROUNDS = 5, WIDTH = 960, HEIGHT = 540, STEPS_PER_PICTURE = 4 };
static const double dt = 1.0 / 240.0;

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(shoal_status status) {
    if (status == SHOAL_OK) return;
    fprintf(stderr, "%s\n", shoal_last_error());
    exit(2);
}

// A cube of water of 1 m at the left of a tank.
static shoal_scene* make_scene(int side) {
    shoal_scene* s;
    must(shoal_scene_create(&s));
    must(shoal_scene_set_text(s, "name", "clients"));
    must(shoal_scene_set_text(s, "solver", "pbf"));
    must(shoal_scene_set_number(s, "spacing", 1.0 / side));
    must(shoal_scene_set_number(s, "fps", 60));
    must(shoal_scene_set_number(s, "pbf.substeps", 1));
    must(shoal_scene_set_vec3(s, "domain.min", 0, 0, 0));
    must(shoal_scene_set_vec3(s, "domain.max", 2, 1.5, 1));
    must(shoal_scene_set_text(s, "bodies.0.material", "water"));
    must(shoal_scene_set_vec3(s, "bodies.0.box.min", 0, 0, 0));
    must(shoal_scene_set_vec3(s, "bodies.0.box.max", 1, 1, 1));
    return s;
}

static shoal_sim* make_sim(int threads, int side) {
    shoal_sim*    sim;
    shoal_sim_def def   = shoal_sim_def_default();
    shoal_scene*  scene = make_scene(side);
    def.threads         = threads;
    must(shoal_sim_create(&def, scene, &sim));
    shoal_scene_destroy(scene);
    return sim;
}

typedef struct client {
    shoal_sim*    sim;    // that steps; NULL: it draws
    shoal_screen* screen; // what it draws
    uint8_t*      pixels; // [WIDTH * HEIGHT * 3]
    int           count;  // of steps or pictures
} client;

static void* work(void* ctx) {
    const client* c = ctx;
    for (int k = 0; k < c->count && c->sim; k++) must(shoal_sim_advance(c->sim, dt));
    for (int k = 0; k < c->count && c->screen; k++) {
        shoal_eye eye = shoal_screen_eye(c->screen, (double)WIDTH / HEIGHT);
        must(shoal_screen_draw(c->screen, &eye, WIDTH, HEIGHT, c->pixels));
    }
    return NULL;
}

// What a client has made: a state, or a picture.
static uint64_t hash_of(const client* c) {
    void*    bytes = c->pixels;
    size_t   size  = (size_t)WIDTH * HEIGHT * 3;
    uint64_t hash  = 1469598103934665603u;
    if (c->sim) must(shoal_sim_save(c->sim, &bytes, &size));
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((uint8_t*)bytes)[i]) * 1099511628211u;
    if (c->sim) shoal_bytes_free(bytes, size);
    return hash;
}

typedef struct figures {
    double   wall, processor; // s
    uint64_t hash[2];
} figures;

static figures measure(bool together, int threads, int side, int steps, bool draws) {
    shoal_scene*     scene = make_scene(side);
    shoal_screen_def def   = shoal_screen_def_default();
    client           a = {.sim = make_sim(threads, side), .count = steps}, b = {.count = steps};
    def.threads = threads;
    if (draws) {
        b = (client){.pixels = calloc((size_t)WIDTH * HEIGHT, 3), .count = steps / STEPS_PER_PICTURE};
        must(shoal_screen_create(&def, scene, &b.screen));
        must(shoal_screen_take(b.screen, a.sim));
    } else {
        b.sim = make_sim(threads, side);
    }
    // memory is taken, and threads are there
    must(shoal_sim_advance(a.sim, dt));
    if (b.sim) must(shoal_sim_advance(b.sim, dt));
    pthread_t other;
    figures   f = {.wall = -seconds(CLOCK_MONOTONIC), .processor = -seconds(CLOCK_PROCESS_CPUTIME_ID)};
    if (together) pthread_create(&other, NULL, work, &b);
    work(&a);
    if (together)
        pthread_join(other, NULL);
    else
        work(&b);
    f.wall += seconds(CLOCK_MONOTONIC);
    f.processor += seconds(CLOCK_PROCESS_CPUTIME_ID);
    f.hash[0] = hash_of(&a);
    f.hash[1] = hash_of(&b);
    shoal_sim_destroy(a.sim);
    shoal_sim_destroy(b.sim);
    shoal_screen_destroy(b.screen);
    shoal_scene_destroy(scene);
    free(b.pixels);
    return f;
}

static int by_size(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values) {
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 2];
}

// Both ways in turns, so that whatever else the machine does meets both.
static bool compare(const char* what, int threads, int side, int steps, bool draws) {
    double wall[2][ROUNDS], processor[2][ROUNDS];
    bool   is_same = true;
    for (int r = 0; r < ROUNDS; r++) {
        figures f[2] = {measure(false, threads, side, steps, draws), measure(true, threads, side, steps, draws)};
        is_same      = is_same && memcmp(f[0].hash, f[1].hash, sizeof f[0].hash) == 0;
        for (int k = 0; k < 2; k++) wall[k][r] = f[k].wall, processor[k][r] = f[k].processor;
    }
    double turns = median(wall[0]), together = median(wall[1]);
    printf("%-28s turns %7.3f s, together %7.3f s: %.2f times as fast; processor %7.3f and %7.3f s; bits %s\n", what,
           turns, together, turns / together, median(processor[0]), median(processor[1]),
           is_same ? "the same" : "DIFFER");
    return is_same;
}

int main(int argc, char** argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 0, side = argc > 2 ? atoi(argv[2]) : 30,
        steps     = argc > 3 ? atoi(argv[3]) : 60;
    bool are_same = compare("two simulations", threads, side, steps, false);
    are_same      = compare("a simulation and pictures", threads, side, steps, true) && are_same;
    return are_same ? 0 : 1;
}
