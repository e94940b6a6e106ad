// SPDX-License-Identifier: MIT
// Pictures of the viewer on a card: the bytes of the CPU (gpu pictures), and how long they take (gpu watch).
#include "gpu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benches.h"
#include "gpu_sim.h"
#include "shoal/screen.h"

// A simulation and a screen of it, both on one device.
typedef struct watched {
    shoal_sim*    sim;
    shoal_screen* screen;
    double        frame; // s
    int           width, height;
    uint8_t*      pixels;
} watched;

static void leave(watched* w) {
    shoal_screen_destroy(w->screen);
    shoal_sim_destroy(w->sim);
    free(w->pixels);
}

static shoal_status inspect(shoal_scene* scene, const char* where, const char* draw, const char* color, watched* w) {
    shoal_screen_def screen     = shoal_screen_def_default();
    shoal_sim_def    sim        = shoal_sim_def_default();
    char             word[64]   = "";
    const char*      settings[] = {word, NULL};
    if (draw) snprintf(word, sizeof word, "render.draw=%s", draw);
    if (draw) screen.settings = settings;
    screen.color  = color;
    screen.device = sim.device = where;
    w->pixels                  = malloc((size_t)w->width * (size_t)w->height * 3);
    shoal_status status        = w->pixels ? shoal_screen_create(&screen, scene, &w->screen) : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) w->frame = 1.0 / shoal_screen_fps(w->screen);
    return status == SHOAL_OK ? shoal_sim_create(&sim, scene, &w->sim) : status;
}

static shoal_status picture(watched* w) {
    shoal_eye eye = shoal_screen_eye(w->screen, (double)w->width / w->height);
    return shoal_screen_draw(w->screen, &eye, w->width, w->height, w->pixels);
}

// ---------------------------------------------------------------------------------- the same bytes

// The last of some frames.
static shoal_status draw_row(const char* folder, const char* line, int frames, const char* color, const char* where,
                             watched* w, double* ms) {
    char words[1024];
    snprintf(words, sizeof words, "%s", line);
    shoal_scene* scene  = gpu_scene(folder, words);
    shoal_status status = scene ? inspect(scene, where, NULL, color, w) : SHOAL_ERR_INPUT;
    for (int f = 1; f < frames && status == SHOAL_OK; f++) status = shoal_sim_advance(w->sim, w->frame);
    if (status == SHOAL_OK) status = shoal_screen_take(w->screen, w->sim);
    if (status == SHOAL_OK) status = picture(w); // takes memory
    double began = gpu_seconds();
    if (status == SHOAL_OK) status = picture(w);
    *ms = 1e3 * (gpu_seconds() - began);
    shoal_scene_destroy(scene);
    return status;
}

static bool is_row_same(const char* folder, const char* row) {
    watched here = {.width = 961, .height = 543}, there = here; // no multiple of anything
    int     frames, at;
    char    color[64] = "";
    double  ms[2];
    bool    is_same = false;
    if (sscanf(row, "%d color=%63s %n", &frames, color, &at) != 2 && sscanf(row, "%d %n", &frames, &at) != 1)
        return printf("%s: a row is FRAMES [color=FIELD] SCENE SOLVER SETTINGS...\n", row), false;
    const char* paint = color[0] ? color : NULL;
    if (draw_row(folder, row + at, frames, paint, "cpu", &here, &ms[0]) != SHOAL_OK ||
        draw_row(folder, row + at, frames, paint, gpu_device, &there, &ms[1]) != SHOAL_OK) {
        gpu_fails(row);
    } else {
        is_same = memcmp(here.pixels, there.pixels, (size_t)here.width * (size_t)here.height * 3) == 0;
        printf("%-70s %s, drawn in %.1f and %.1f ms\n", row, is_same ? "same" : "DIFFERS", ms[0], ms[1]);
    }
    fflush(stdout);
    leave(&here);
    leave(&there);
    return is_same;
}

int gpu_pictures(const char* list, const char* folder) {
    FILE* file = fopen(list, "r");
    char  line[1024];
    int   all = 0, same = 0;
    if (!file) return printf("%s cannot be read\n", list), 1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0') continue;
        all++;
        same += is_row_same(folder, line);
    }
    fclose(file);
    printf("%d of %d pictures have the bytes of the CPU\n", same, all);
    return same < all;
}

// ---------------------------------------------------------------------------------- how long they take

// A column that has fallen for 0.25 s, as `shoal bench` has it, drawn again and again.
static int paused(const char* name, const char* draw, int side, int width, int height) {
    enum { PICTURES = 15 };
    watched      w = {.width = width, .height = height};
    double       ms[PICTURES];
    char         text[512];
    shoal_scene* scene  = NULL;
    int          length = snprintf(text, sizeof text,
                                   "spacing: %.17g\nfps: 60\ndomain: {min: [0, 0, 0], max: [2, 1.5, 1]}\n"
                                            "bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
                                            "pbf: {substeps: 4, iterations: 4}\n",
                                   1.0 / side);
    shoal_status status = shoal_scene_parse(text, (size_t)length, name, &scene);
    if (status == SHOAL_OK) status = inspect(scene, gpu_device, draw, NULL, &w);
    for (int f = 0; f < 15 && status == SHOAL_OK; f++) status = shoal_sim_advance(w.sim, w.frame);
    if (status == SHOAL_OK) status = shoal_screen_take(w.screen, w.sim);
    for (int k = -1; k < PICTURES && status == SHOAL_OK; k++) {
        double began = gpu_seconds();
        status       = picture(&w);
        if (k >= 0) ms[k] = 1e3 * (gpu_seconds() - began);
    }
    if (status == SHOAL_OK)
        printf("{\"name\":\"%s\",\"device\":\"%s\",\"size\":[%d,%d],\"particles\":%lld,\"step_ms\":%.4g}\n", name,
               gpu_device, width, height, (long long)shoal_screen_count(w.screen), gpu_median(ms, PICTURES));
    fflush(stdout);
    leave(&w);
    shoal_scene_destroy(scene);
    return status == SHOAL_OK ? 0 : gpu_fails(name);
}

static void* advance(void* user) {
    watched*      w      = user;
    shoal_status* status = malloc(sizeof *status);
    if (status) *status = shoal_sim_advance(w->sim, w->frame);
    return status;
}

// A frame is simulated while the one before is drawn, as `shoal view` does it.
static shoal_status watch_frame(watched* w, double ms[3]) {
    pthread_t    thread;
    void*        answer = NULL;
    double       began  = gpu_seconds();
    shoal_status status = shoal_screen_take(w->screen, w->sim);
    ms[0]               = 1e3 * (gpu_seconds() - began);
    if (status != SHOAL_OK || pthread_create(&thread, NULL, advance, w) != 0) return SHOAL_ERR_INTERNAL;
    status = picture(w);
    ms[1]  = 1e3 * (gpu_seconds() - began) - ms[0];
    pthread_join(thread, &answer);
    ms[2] = 1e3 * (gpu_seconds() - began);
    if (status == SHOAL_OK) status = answer ? *(shoal_status*)answer : SHOAL_ERR_MEMORY;
    free(answer);
    return status;
}

static int live(const char* folder, const char* name, const char* of, const char* draw, double spacing, double fps,
                double start_s, int width, int height) {
    enum { FRAMES = 60, WARM = 5 };
    watched      w = {.width = width, .height = height};
    char         path[1024];
    double       ms[3], sum[3] = {0.0, 0.0, 0.0};
    shoal_scene* scene = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", folder, of);
    shoal_status status = shoal_scene_load(path, &scene);
    if (status == SHOAL_OK && spacing > 0.0) status = shoal_scene_set_number(scene, "spacing", spacing);
    if (status == SHOAL_OK && fps > 0.0) status = shoal_scene_set_number(scene, "fps", fps);
    if (status == SHOAL_OK) status = inspect(scene, gpu_device, draw, NULL, &w);
    for (double t = 0.0; t < start_s && status == SHOAL_OK; t += w.frame) status = shoal_sim_advance(w.sim, w.frame);
    for (int f = 0; f < WARM && status == SHOAL_OK; f++) status = watch_frame(&w, ms);
    shoal_sim_stages_reset(w.sim);
    if (status == SHOAL_OK) gpu_calls_count(w.sim->ctx.exec.device);
    for (int f = 0; f < FRAMES && status == SHOAL_OK; f++) {
        status = watch_frame(&w, ms);
        for (int k = 0; k < 3; k++) sum[k] += ms[k] / FRAMES;
    }
    if (status == SHOAL_OK) {
        shoal_stage_time stages[32];
        int              count = shoal_sim_stages(w.sim, stages, 32);
        printf("{\"name\":\"%s\",\"device\":\"%s\",\"size\":[%d,%d],\"particles\":%lld,\"frames_per_s\":%.4g,"
               "\"take_ms\":%.3g,\"draw_ms\":%.4g,\"stage_ms\":{",
               name, gpu_device, width, height, (long long)shoal_screen_count(w.screen), 1e3 / sum[2], sum[0], sum[1]);
        for (int k = 0; k < count; k++)
            printf("%s\"%s\":%.4g", k ? "," : "", stages[k].name, 1e3 * stages[k].seconds / FRAMES);
        printf("},\"calls\":{");
        gpu_calls_print(FRAMES);
        printf("}}\n");
    }
    fflush(stdout);
    leave(&w);
    shoal_scene_destroy(scene);
    return status == SHOAL_OK ? 0 : gpu_fails(name);
}

int gpu_watch(const char* folder) {
    int failed = 0;
#define X(name, draw, side, width, height) failed |= paused(name, draw, side, width, height);
    SHOAL_VIEW_BENCHES(X)
#undef X
#define X(name, scene, draw, spacing, fps, start_s, width, height)                                                     \
    failed |= live(folder, name, scene, draw, spacing, fps, start_s, width, height);
    SHOAL_LIVE_BENCHES(X)
#undef X
    return failed;
}
