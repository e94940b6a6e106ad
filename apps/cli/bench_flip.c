// SPDX-License-Identifier: MIT
// The benches of `flip`: a column is let go, cells of 1 cm, cfl 5, 12 frames of 1/30 s; nothing is written or meshed.
#include "bench_flip.h"

#include "bench_scene.h"

#include <string.h>

enum { FRAMES = 12, STAGES_MOST = 8 };

static shoal_status column_scene(const bench_flip* c, shoal_scene** out) {
    return cli_bench_text(out,
                          "name: %s\nsolver: flip\nspacing: 0.005\nfps: 30\ndomain: {max: [%.17g, %.17g, %.17g]}\n"
                          "bodies: [{material: %s, box: {min: [0, 0, 0], max: [%.17g, %.17g, %.17g]}}]\n",
                          c->name, c->domain[0], c->domain[1], c->domain[2], c->material, c->column[0], c->column[1],
                          c->column[2]);
}

static void row_print(const bench_flip* c, const shoal_sim* sim, double seconds, bool is_json) {
    shoal_stage_time stages[STAGES_MOST];
    int              count = shoal_sim_stages(sim, stages, STAGES_MOST);
    double           steps = (double)shoal_sim_steps(sim), particles = (double)shoal_sim_count(sim), transfers = 0.0;
    for (int k = 0; k < count; k++)
        if (strcmp(stages[k].name, "velocity") == 0) transfers = particles * steps / stages[k].seconds;
    if (is_json) {
        printf(
            "{\"name\":\"%s\",\"solver\":\"flip\",\"particles\":%.0f,\"threads\":%d,\"substeps\":%.0f,\"step_ms\":%.6g,"
            "\"frame_ms\":%.6g,\"stage_ms\":{",
            c->name, particles, shoal_sim_threads(sim), steps, 1e3 * seconds / steps, 1e3 * seconds / FRAMES);
        for (int k = 0; k < count; k++)
            printf("%s\"%s\":%.6g", k ? "," : "", stages[k].name, 1e3 * stages[k].seconds / steps);
        printf("},\"particle_steps_per_s\":%.6g,\"transfers_per_s\":%.6g,\"bytes_per_particle\":%lld}\n",
               particles * steps / seconds, transfers, (long long)shoal_sim_bytes_per_particle(sim));
    } else {
        printf("%-16s flip %9.0f %7d  %.0f substeps, %.1f ms each, %.0f ms a frame, %.2f M particle-steps/s, %.0f M "
               "transfers/s, "
               "%lld bytes per particle\n%12s",
               c->name, particles, shoal_sim_threads(sim), steps, 1e3 * seconds / steps, 1e3 * seconds / FRAMES,
               1e-6 * particles * steps / seconds, 1e-6 * transfers, (long long)shoal_sim_bytes_per_particle(sim), "");
        for (int k = 0; k < count; k++)
            printf("%s %s %.2f ms", k ? "," : "", stages[k].name, 1e3 * stages[k].seconds / steps);
        printf("\n");
    }
    fflush(stdout);
}

shoal_status cli_bench_flip(const bench_flip* c, const cli_args* args, bool is_json) {
    shoal_scene* scene  = NULL;
    shoal_status status = column_scene(c, &scene);
    if (status == SHOAL_OK) status = cli_scene_set(args, scene);
    for (int threads = 1; threads <= 2 && status == SHOAL_OK; threads++) {
        shoal_sim_def def = shoal_sim_def_default();
        shoal_sim*    sim = NULL;
        def.threads       = threads;
        status            = shoal_sim_create(&def, scene, &sim);
        double began      = cli_seconds();
        for (int f = 0; f < FRAMES && status == SHOAL_OK; f++) status = shoal_sim_advance(sim, 1.0 / 30.0);
        if (status == SHOAL_OK) row_print(c, sim, cli_seconds() - began, is_json);
        shoal_sim_destroy(sim);
    }
    shoal_scene_destroy(scene);
    return status;
}
