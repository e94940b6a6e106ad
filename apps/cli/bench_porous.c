// SPDX-License-Identifier: MIT
// The benches of `porous`: from the same state some frames of 1/25 s, by one and by two threads, and of a scene all of
// them by two; nothing is written.
#include "bench_porous.h"

#include "bench_scene.h"

#include <math.h>

enum { STAGES_MOST = 8 };
static const double frame_s = 1.0 / 25.0;

// What frames have taken, summed up.
typedef struct porous_time {
    double           frames, seconds, steps, sweeps; // sweeps: over all substeps
    double           particles;                      // after the last
    shoal_stage_time stages[STAGES_MOST];
    int              stage_count;
} porous_time;

// In a box of 16 x 12 x 10 cm, spacing 2 mm, a block of sand of 6 x 6 x 10 cm, 40 % saturated, and before it a column
// of water of 6 x 10 x 10 cm that falls on it.
static shoal_status moist_scene(const bench_porous* c, shoal_scene** out) {
    return cli_bench_text(out,
                          "name: %s\nsolver: porous\nspacing: 0.002\nfps: 25\ndomain: {max: [0.16, 0.12, 0.1]}\n"
                          "materials: {moist: {preset: sand, wetness: 0.4}}\n"
                          "bodies:\n"
                          "  - {material: moist, box: {min: [0.09, 0, 0], max: [0.15, 0.06, 0.1]}}\n"
                          "  - {material: water, box: {min: [0, 0, 0], max: [0.06, 0.1, 0.1]}}\n",
                          c->name);
}

// run: all frames of a scene on two threads; NULL: those measured are all.
static void row_print(const bench_porous* c, const shoal_sim* sim, const porous_time* all, const porous_time* run,
                      bool is_json) {
    double per_frame = all->steps / all->frames, each = 1e6 * all->seconds / (all->particles * all->steps),
           sweeps = all->sweeps / all->steps;
    if (is_json) {
        printf("{\"name\":\"%s\",\"solver\":\"porous\",\"particles\":%.0f,\"threads\":%d,\"us_per_particle_step\":%.4g,"
               "\"steps_per_frame\":%.4g,\"sweeps_per_step\":%.4g,\"step_ms\":%.6g,\"frame_ms\":%.6g,\"stage_ms\":{",
               c->name, all->particles, shoal_sim_threads(sim), each, per_frame, sweeps,
               1e3 * all->seconds / all->steps, 1e3 * all->seconds / all->frames);
        for (int k = 0; k < all->stage_count; k++)
            printf("%s\"%s\":%.6g", k ? "," : "", all->stages[k].name, 1e3 * all->stages[k].seconds / all->steps);
        printf("},\"particle_steps_per_s\":%.6g,\"bytes_per_particle\":%lld", 1e6 / each,
               (long long)shoal_sim_bytes_per_particle(sim));
        if (run)
            printf(
                ",\"run_frames\":%.0f,\"run_frame_ms\":%.6g,\"run_steps_per_frame\":%.4g,\"run_sweeps_per_step\":%.4g",
                run->frames, 1e3 * run->seconds / run->frames, run->steps / run->frames, run->sweeps / run->steps);
        printf("}\n");
    } else {
        printf("%-12s porous %9.0f %7d  %.2f us per particle-step, %.1f steps a frame of 1/25 s, %.1f sweeps a step, "
               "%.1f ms a step, %.2f s a frame, %lld bytes per particle\n%12s",
               c->name, all->particles, shoal_sim_threads(sim), each, per_frame, sweeps,
               1e3 * all->seconds / all->steps, all->seconds / all->frames,
               (long long)shoal_sim_bytes_per_particle(sim), "");
        for (int k = 0; k < all->stage_count; k++)
            printf("%s %s %.2f ms", k ? "," : "", all->stages[k].name, 1e3 * all->stages[k].seconds / all->steps);
        printf("\n");
        if (run)
            printf("%12s  all %.0f frames: %.2f s a frame, %.1f steps a frame, %.1f sweeps a step\n", "", run->frames,
                   run->seconds / run->frames, run->steps / run->frames, run->sweeps / run->steps);
    }
    fflush(stdout);
}

// So many frames more.
static shoal_status advance(shoal_sim* sim, int frames, porous_time* out) {
    shoal_status status = SHOAL_OK;
    *out                = (porous_time){0};
    shoal_sim_stages_reset(sim);
    for (int k = 0; k < frames && status == SHOAL_OK; k++) {
        double before = (double)shoal_sim_steps(sim), began = cli_seconds();
        status = shoal_sim_advance(sim, frame_s);
        out->seconds += cli_seconds() - began;
        double steps = (double)shoal_sim_steps(sim) - before;
        out->steps += steps;
        out->sweeps += steps * cli_stat(sim, "sweeps");
        out->frames += 1.0;
    }
    out->particles   = (double)shoal_sim_count(sim);
    out->stage_count = shoal_sim_stages(sim, out->stages, STAGES_MOST);
    return status;
}

static void add_up(porous_time* sum, const porous_time* part) {
    sum->frames += part->frames;
    sum->seconds += part->seconds;
    sum->steps += part->steps;
    sum->sweeps += part->sweeps;
}

shoal_status cli_bench_porous(const bench_porous* c, const cli_args* args, bool is_json) {
    shoal_scene*  scene  = NULL;
    shoal_sim*    sim    = NULL;
    void*         bytes  = NULL;
    size_t        size   = 0;
    porous_time   run    = {0}, part;
    shoal_sim_def def    = shoal_sim_def_default();
    shoal_status  status = c->scene ? cli_bench_scene(c->scene, &scene) : moist_scene(c, &scene);
    if (status == SHOAL_OK) status = cli_scene_set(args, scene);
    def.threads = 2;
    if (status == SHOAL_OK) status = shoal_sim_create(&def, scene, &sim);
    if (status == SHOAL_OK) status = advance(sim, (int)lround(c->moving_s / frame_s), &run);
    if (status == SHOAL_OK) status = shoal_sim_save(sim, &bytes, &size);
    shoal_sim_destroy(sim);
    for (int threads = 1; threads <= 2 && status == SHOAL_OK; threads++) {
        bool is_whole = c->scene && threads == 2;
        sim           = NULL;
        def.threads   = threads;
        status        = shoal_sim_create(&def, scene, &sim);
        if (status == SHOAL_OK) status = shoal_sim_load(sim, bytes, size);
        if (status == SHOAL_OK) status = advance(sim, c->frames, &part);
        if (status == SHOAL_OK && is_whole) {
            porous_time rest;
            add_up(&run, &part);
            status = advance(sim, shoal_scene_get_facts(scene).frames - (int)run.frames, &rest);
            add_up(&run, &rest);
        }
        if (status == SHOAL_OK) row_print(c, sim, &part, is_whole ? &run : NULL, is_json);
        shoal_sim_destroy(sim);
    }
    shoal_bytes_free(bytes, size);
    shoal_scene_destroy(scene);
    return status;
}
