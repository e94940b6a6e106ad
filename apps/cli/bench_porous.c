// SPDX-License-Identifier: MIT
// The benches of `porous`: from the same state some frames of 1/25 s, by one and by two threads; nothing is written.
#include "bench_porous.h"

#include "bench_scene.h"

enum { STAGES_MOST = 8 };
static const double frame_s = 1.0 / 25.0;

// What the frames have taken, summed up.
typedef struct porous_time {
    double seconds, steps, sweeps; // sweeps: over all substeps
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

static void row_print(const bench_porous* c, const shoal_sim* sim, porous_time all, bool is_json) {
    shoal_stage_time stages[STAGES_MOST];
    int              count     = shoal_sim_stages(sim, stages, STAGES_MOST);
    double           particles = (double)shoal_sim_count(sim), per_frame = all.steps / c->frames;
    double           each = 1e6 * all.seconds / (particles * all.steps), sweeps = all.sweeps / all.steps;
    if (is_json) {
        printf("{\"name\":\"%s\",\"solver\":\"porous\",\"particles\":%.0f,\"threads\":%d,\"us_per_particle_step\":%.4g,"
               "\"steps_per_frame\":%.4g,\"sweeps_per_step\":%.4g,\"step_ms\":%.6g,\"frame_ms\":%.6g,\"stage_ms\":{",
               c->name, particles, shoal_sim_threads(sim), each, per_frame, sweeps, 1e3 * all.seconds / all.steps,
               1e3 * all.seconds / c->frames);
        for (int k = 0; k < count; k++)
            printf("%s\"%s\":%.6g", k ? "," : "", stages[k].name, 1e3 * stages[k].seconds / all.steps);
        printf("},\"particle_steps_per_s\":%.6g,\"bytes_per_particle\":%lld}\n", 1e6 / each,
               (long long)shoal_sim_bytes_per_particle(sim));
    } else {
        printf("%-12s porous %9.0f %7d  %.2f us per particle-step, %.1f steps a frame of 1/25 s, %.1f sweeps a step, "
               "%.1f ms a step, %.2f s a frame, %lld bytes per particle\n%12s",
               c->name, particles, shoal_sim_threads(sim), each, per_frame, sweeps, 1e3 * all.seconds / all.steps,
               all.seconds / c->frames, (long long)shoal_sim_bytes_per_particle(sim), "");
        for (int k = 0; k < count; k++)
            printf("%s %s %.2f ms", k ? "," : "", stages[k].name, 1e3 * stages[k].seconds / all.steps);
        printf("\n");
    }
    fflush(stdout);
}

static shoal_status measure(const bench_porous* c, shoal_sim* sim, bool is_json) {
    porous_time  all    = {0};
    shoal_status status = SHOAL_OK;
    shoal_sim_stages_reset(sim);
    for (int k = 0; k < c->frames && status == SHOAL_OK; k++) {
        double before = (double)shoal_sim_steps(sim), began = cli_seconds();
        status = shoal_sim_advance(sim, frame_s);
        all.seconds += cli_seconds() - began;
        double steps = (double)shoal_sim_steps(sim) - before;
        all.steps += steps;
        all.sweeps += steps * cli_stat(sim, "sweeps");
    }
    if (status == SHOAL_OK) row_print(c, sim, all, is_json);
    return status;
}

shoal_status cli_bench_porous(const bench_porous* c, const cli_args* args, bool is_json) {
    shoal_scene*  scene  = NULL;
    shoal_sim*    sim    = NULL;
    void*         bytes  = NULL;
    size_t        size   = 0;
    shoal_sim_def def    = shoal_sim_def_default();
    shoal_status  status = c->scene ? cli_bench_scene(c->scene, &scene) : moist_scene(c, &scene);
    if (status == SHOAL_OK) status = cli_scene_set(args, scene);
    def.threads = 2;
    if (status == SHOAL_OK) status = shoal_sim_create(&def, scene, &sim);
    while (status == SHOAL_OK && shoal_sim_time(sim) < c->moving_s - 1e-9) status = shoal_sim_advance(sim, frame_s);
    if (status == SHOAL_OK) status = shoal_sim_save(sim, &bytes, &size);
    shoal_sim_destroy(sim);
    for (int threads = 1; threads <= 2 && status == SHOAL_OK; threads++) {
        sim         = NULL;
        def.threads = threads;
        status      = shoal_sim_create(&def, scene, &sim);
        if (status == SHOAL_OK) status = shoal_sim_load(sim, bytes, size);
        if (status == SHOAL_OK) status = measure(c, sim, is_json);
        shoal_sim_destroy(sim);
    }
    shoal_bytes_free(bytes, size);
    shoal_scene_destroy(scene);
    return status;
}
