// SPDX-License-Identifier: MIT
// Frames per second of a scene that is simulated and drawn at once.
#include "bench_live.h"

#include "bench_scene.h"
#include "view.h"

#include <sched.h>
#include <stdlib.h>

enum { FRAMES = 100 };

// As many frames as that, each drawn once; the clock is always ahead.
static shoal_status show(view* v, const bench_live* c, int frames, uint8_t* pixels, double* draw_ms) {
    for (int drawn = 0; drawn < frames;) {
        shoal_status status = view_tick(v, 1.0);
        if (status != SHOAL_OK) return status;
        if (*view_error(v)) {
            fprintf(stderr, "%s: %s\n", c->name, view_error(v));
            return SHOAL_ERR_DIVERGE;
        }
        if (!view_has_news(v)) {
            sched_yield();
            continue;
        }
        double began = cli_seconds();
        status       = view_draw(v, c->width, c->height, pixels);
        if (status != SHOAL_OK) return status;
        draw_ms[drawn++] = 1e3 * (cli_seconds() - began);
    }
    return SHOAL_OK;
}

static void row_print(const bench_live* c, const char* device, double rate, double draw_ms, bool is_json) {
    if (is_json)
        printf("{\"name\":\"%s\",\"device\":\"%s\",\"size\":[%d,%d],\"frames_per_s\":%.4g,\"draw_ms\":%.4g}\n", c->name,
               device ? device : "cpu", c->width, c->height, rate, draw_ms);
    else
        printf("%-12s %.1f frames/s of %d x %d, simulated and drawn; drawn in %.1f ms\n", c->name, rate, c->width,
               c->height, draw_ms);
    fflush(stdout);
}

shoal_status cli_bench_live(const bench_live* c, const cli_args* args, bool is_json) {
    view_def     def = {.name = c->name, .screen = shoal_screen_def_default(), .sim = shoal_sim_def_default()};
    view*        v   = NULL;
    double       ms[FRAMES];
    char         draw[64];
    const char*  settings[] = {draw, NULL};
    uint8_t*     pixels     = malloc((size_t)c->width * (size_t)c->height * 3);
    shoal_status status     = pixels ? cli_bench_scene(c->scene, &def.scene) : SHOAL_ERR_MEMORY;
    snprintf(draw, sizeof draw, "render.draw=%s", c->draw);
    def.screen.settings = settings;
    def.screen.device = def.sim.device = args->options[CLI_OPTION_DEVICE];
    if (status == SHOAL_OK && c->spacing > 0.0) status = shoal_scene_set_number(def.scene, "spacing", c->spacing);
    if (status == SHOAL_OK && c->fps > 0.0) status = shoal_scene_set_number(def.scene, "fps", c->fps);
    if (status == SHOAL_OK) status = cli_scene_change(args, def.scene);
    if (status == SHOAL_OK) status = view_open(&def, &v);
    if (status == SHOAL_OK) view_key(v, "o");
    int  start = status == SHOAL_OK ? (int)(c->start_s * shoal_scene_get_facts(def.scene).fps) : 0;
    bool is_there;
    if (status == SHOAL_OK) status = view_seek(v, start, &is_there);
    if (status == SHOAL_OK) view_key(v, "space");               // it has paused
    if (status == SHOAL_OK) status = show(v, c, 5, pixels, ms); // warms up
    double began = cli_seconds();
    if (status == SHOAL_OK) status = show(v, c, FRAMES, pixels, ms);
    double rate = FRAMES / (cli_seconds() - began);
    if (status == SHOAL_OK) row_print(c, args->options[CLI_OPTION_DEVICE], rate, cli_median(ms, FRAMES), is_json);
    view_close(v);
    shoal_scene_destroy(def.scene);
    free(pixels);
    return status;
}
