// SPDX-License-Identifier: MIT
// The benches of surfaces and pictures: a real run makes one frame, which is then laid under a
// surface, or made a picture, again and again.
#include "bench_surface.h"

#include "bench_scene.h"

#include "shoal/render.h"
#include "shoal/screen.h"
#include "shoal/surface.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAME = 15, REPEATS = 5 }; // at 60 frames per second: the column has fallen for 0.25 s

static shoal_status surface_scene(int side, shoal_scene** out) {
    return cli_bench_text(out,
                          "spacing: %.17g\nfps: 60\ndomain: {max: [2, 1.5, 1]}\n"
                          "bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
                          "pbf: {substeps: 4, iterations: 4}\n",
                          1.0 / side);
}

// Removes the folder made by this bench: two floors of files and nothing else.
static void folder_remove(const char* path, int floors) {
    DIR* folder = opendir(path);
    for (struct dirent* e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
        char        below[4096];
        struct stat info;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(below, sizeof below, "%.3000s/%.1000s", path, e->d_name);
        if (lstat(below, &info) == 0 && S_ISDIR(info.st_mode) && floors > 0)
            folder_remove(below, floors - 1);
        else
            unlink(below);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

typedef struct sample {
    double  ms;
    int     triangles;
    int64_t particles;
    int     side;
} sample;

static void take_row(const shoal_surface_row* row, void* user) {
    sample* s    = user;
    s->ms        = row->ms;
    s->triangles = row->triangles;
    s->particles = (int64_t)(row->particles_m3 * s->side * s->side * s->side + 0.5);
}

static int by_ms(const void* a, const void* b) {
    double x = ((const sample*)a)->ms, y = ((const sample*)b)->ms;
    return (x > y) - (x < y);
}

static void row_print(const bench_surface* c, const sample* s, int threads, bool is_json) {
    if (is_json) {
        printf("{\"name\":\"%s\",\"method\":\"%s\",\"particles\":%lld,\"threads\":%d,\"triangles\":"
               "%d,\"step_ms\":",
               c->name, c->method, (long long)s->particles, threads, s->triangles);
        cli_json_number(stdout, s->ms);
        printf("}\n");
    } else {
        printf("%-24s %9lld %7d  %8.1f ms a frame, %d triangles\n", c->name, (long long)s->particles, threads, s->ms,
               s->triangles);
    }
    fflush(stdout);
}

static shoal_status measure(const bench_surface* c, const char* folder, int threads, bool is_json) {
    char method[64], cell[64];
    snprintf(method, sizeof method, "surface.method=%s", c->method);
    snprintf(cell, sizeof cell, "surface.cell=%.6f",
             2.0 / 250.0 * c->cells_as); // 250 samples along the tank
    const char* const settings[] = {method, cell, NULL};
    sample            samples[REPEATS];
    shoal_status      status = SHOAL_OK;
    for (int k = 0; k < REPEATS && status == SHOAL_OK; k++) {
        shoal_surface_def def = shoal_surface_def_default();
        samples[k]            = (sample){.side = c->side};
        def.settings          = settings;
        def.first = def.last = FRAME;
        def.threads          = threads;
        def.done             = take_row;
        def.user             = &samples[k];
        status               = shoal_surface_run(&def, folder);
    }
    if (status != SHOAL_OK) return status;
    qsort(samples, REPEATS, sizeof *samples, by_ms);
    row_print(c, &samples[REPEATS / 2], threads, is_json);
    return SHOAL_OK;
}

static void take_picture(const shoal_render_row* row, void* user) { ((sample*)user)->ms = 1e3 * row->seconds; }

static void picture_print(const bench_surface* c, double ms, int threads, bool is_json) {
    if (is_json) {
        printf("{\"name\":\"%s\",\"size\":[%d,%d],\"samples\":%d,\"threads\":%d,\"step_ms\":", c->name, c->width,
               c->height, c->samples, threads);
        cli_json_number(stdout, ms);
        printf("}\n");
    } else {
        printf("%-24s %4d x %d, %d samples %4d threads %10.1f ms a picture\n", c->name, c->width, c->height, c->samples,
               threads, ms);
    }
    fflush(stdout);
}

static shoal_status measure_picture(const bench_surface* c, const char* folder, int threads, bool is_json) {
    char cell[64];
    snprintf(cell, sizeof cell, "surface.cell=%.6f", 2.0 / 250.0 * c->cells_as);
    const char* const settings[] = {cell, "render.denoise=false", NULL};
    sample            samples[REPEATS];
    int               repeats = c->samples > 0 ? 1 : REPEATS; // a picture takes long, and varies little
    shoal_status      status  = SHOAL_OK;
    for (int k = 0; k < repeats && status == SHOAL_OK; k++) {
        shoal_render_def def = shoal_render_def_default();
        def.settings         = settings;
        def.first = def.last = FRAME;
        def.threads          = threads;
        def.width            = c->width;
        def.height           = c->height;
        def.samples          = c->samples;
        def.is_preview       = c->samples == 0;
        def.is_forced        = true;
        def.done             = take_picture;
        def.user             = &samples[k];
        status               = shoal_render_run(&def, folder);
    }
    if (status != SHOAL_OK) return status;
    qsort(samples, (size_t)repeats, sizeof *samples, by_ms);
    picture_print(c, samples[repeats / 2].ms, threads, is_json);
    return SHOAL_OK;
}

static void viewed_print(const bench_surface* c, int64_t particles, double ms, int threads, const char* device,
                         bool is_json) {
    if (is_json) {
        printf("{\"name\":\"%s\",\"device\":\"%s\",\"size\":[%d,%d],\"particles\":%lld,\"threads\":%d,\"step_ms\":",
               c->name, device ? device : "cpu", c->width, c->height, (long long)particles, threads);
        cli_json_number(stdout, ms);
        printf("}\n");
    } else {
        printf("%-24s %9lld %7d  %8.1f ms a picture of %d x %d\n", c->name, (long long)particles, threads, ms, c->width,
               c->height);
    }
    fflush(stdout);
}

// Paused: what is shown is taken once, by a first picture that does not count.
static shoal_status measure_viewed(const bench_surface* c, const char* folder, int threads, const char* device,
                                   bool is_json) {
    enum { PICTURES = 15 };
    shoal_screen_def def = shoal_screen_def_default();
    shoal_screen*    screen;
    double           ms[PICTURES];
    uint8_t*         pixels = malloc((size_t)c->width * (size_t)c->height * 3);
    def.threads             = threads;
    def.device              = device;
    shoal_status status     = pixels ? shoal_screen_open(&def, folder, &screen) : SHOAL_ERR_MEMORY;
    if (status != SHOAL_OK) {
        free(pixels);
        return status;
    }
    status = shoal_screen_set_draw(screen, c->method);
    if (status == SHOAL_OK) status = shoal_screen_load(screen, 0);
    shoal_eye eye = shoal_screen_eye(screen, (double)c->width / c->height);
    for (int k = -1; k < PICTURES && status == SHOAL_OK; k++) {
        double began = cli_seconds();
        status       = shoal_screen_draw(screen, &eye, c->width, c->height, pixels);
        if (k >= 0) ms[k] = 1e3 * (cli_seconds() - began);
    }
    if (status == SHOAL_OK)
        viewed_print(c, shoal_screen_count(screen), cli_median(ms, PICTURES), threads, device, is_json);
    shoal_screen_destroy(screen);
    free(pixels);
    return status;
}

shoal_status cli_bench_surface(const bench_surface* c, const cli_args* args, bool is_json) {
    const char*  device   = args->options[CLI_OPTION_DEVICE];
    char         folder[] = "shoal-bench-XXXXXX"; // here, where a run would lie, not in a /tmp of memory
    shoal_scene* scene    = NULL;
    if (!mkdtemp(folder)) {
        fprintf(stderr, "the folder of the bench cannot be made here\n");
        return SHOAL_ERR_OUTPUT;
    }
    shoal_run_def def = shoal_run_def_default();
    def.folder        = folder;
    def.sim.device    = device;
    def.first = def.last = FRAME;
    shoal_status status  = surface_scene(c->side, &scene);
    if (status == SHOAL_OK) status = cli_scene_set(args, scene);
    if (status == SHOAL_OK) status = shoal_run(&def, scene, "bench.yaml");
    for (int threads = device ? 2 : 1; threads <= 2 && status == SHOAL_OK; threads++)
        status = c->samples == BENCH_VIEWED ? measure_viewed(c, folder, threads, device, is_json)
                 : c->width > 0             ? measure_picture(c, folder, threads, is_json)
                                            : measure(c, folder, threads, is_json);
    shoal_scene_destroy(scene);
    folder_remove(folder, 1);
    return status;
}
