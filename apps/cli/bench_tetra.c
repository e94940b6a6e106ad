// SPDX-License-Identifier: MIT
// The benches of `tetra-paper`: in a tank of 1 m, 27 balls fall into a pool; steps of two cells each, nothing is
// written.
#include "bench_tetra.h"

#include "bench_scene.h"

#include <string.h>

enum { STAGES_MOST = 8, BALLS = 3, WARM_STEPS = 2 };
static const double fall = 2.0, way = 4.0; // m/s; of a step, in spacings: cfl 2 in cells of two of them

// What the house calls the stages of a step, and what they are here.
static const char* const stage_names[][2] = {
    {"grid", "mesh"}, {"solve", "pressure"}, {"velocity", "advect"}, {"integrate", "track"}, {"other", "other"}};
enum { STAGES = sizeof stage_names / sizeof *stage_names };

static shoal_status balls_scene(const bench_tetra* c, shoal_scene** out) {
    char balls[6144];
    int  used = 0;
    for (int k = 0; k < BALLS * BALLS * BALLS; k++) {
        double x = 0.2 + 0.3 * (k % BALLS), y = 0.42 + 0.23 * (k / BALLS % BALLS),
               z = 0.2 + 0.3 * (k / (BALLS * BALLS));
        used +=
            snprintf(balls + used, sizeof balls - (size_t)used,
                     "  - {material: water, sphere: {radius: 0.1}, at: [%.17g, %.17g, %.17g], velocity: [0, %g, 0]}\n",
                     x, y, z, -fall);
    }
    return cli_bench_text(
        out,
        "name: %s\nsolver: tetra-paper\nspacing: %.17g\ntetra-paper: {substeps: 1}\ndomain: {max: [1, 1, 1]}\n"
        "bodies:\n  - {material: water, box: {min: [0, 0, 0], max: [1, 0.3, 1]}}\n%s",
        c->name, c->spacing, balls);
}

static void row_print(const bench_tetra* c, shoal_sim* sim, double seconds, double bytes, double calls, bool is_json) {
    shoal_stage_time stages[STAGES_MOST];
    int              count = shoal_sim_stages(sim, stages, STAGES_MOST);
    double           tets = cli_stat(sim, "tets"), triangles = cli_stat(sim, "triangles"), each = seconds / c->steps;
    double           ms[STAGES] = {0};
    for (int k = 0; k < STAGES; k++)
        for (int j = 0; j < count; j++)
            if (strcmp(stages[j].name, stage_names[k][0]) == 0) ms[k] += 1e3 * stages[j].seconds / c->steps;
    if (is_json) {
        printf("{\"name\":\"%s\",\"solver\":\"tetra-paper\",\"tets\":%.0f,\"triangles\":%.0f,\"threads\":%d,"
               "\"iterations\":%.0f,"
               "\"step_ms\":%.6g,\"us_per_tet_step\":%.4g,\"stage_ms\":{",
               c->name, tets, triangles, shoal_sim_threads(sim), cli_stat(sim, "iterations"), 1e3 * each,
               1e6 * each / tets);
        for (int k = 0; k < STAGES; k++) printf("%s\"%s\":%.6g", k ? "," : "", stage_names[k][1], ms[k]);
        printf("},\"allocations_per_step\":%.3g,\"bytes_per_tet\":%.0f}\n", calls / c->steps, bytes / tets);
    } else {
        printf(
            "%-12s tetra-paper %9.0f %7d  %.0f triangles, %.0f iterations, %.0f ms a step, %.2f us per tetrahedron and "
            "step, %.3g allocations a step, %.0f bytes per tetrahedron\n%12s",
            c->name, tets, shoal_sim_threads(sim), triangles, cli_stat(sim, "iterations"), 1e3 * each,
            1e6 * each / tets, calls / c->steps, bytes / tets, "");
        for (int k = 0; k < STAGES; k++) printf("%s %s %.1f ms", k ? "," : "", stage_names[k][1], ms[k]);
        printf("\n");
    }
    fflush(stdout);
}

shoal_status cli_bench_tetra(const bench_tetra* c, const cli_args* args, bool is_json) {
    shoal_scene* scene  = NULL;
    shoal_status status = balls_scene(c, &scene);
    double       dt     = way * c->spacing / fall;
    if (status == SHOAL_OK) status = cli_scene_set(args, scene);
    for (int threads = 1; threads <= 2 && status == SHOAL_OK; threads++) {
        shoal_sim_def def    = shoal_sim_def_default();
        shoal_sim*    sim    = NULL;
        size_t        before = shoal_memory_in_use();
        def.threads          = threads;
        status               = shoal_sim_create(&def, scene, &sim);
        for (int k = 0; k < WARM_STEPS && status == SHOAL_OK; k++) status = shoal_sim_advance(sim, dt);
        if (status == SHOAL_OK) shoal_sim_stages_reset(sim);
        int64_t calls = shoal_memory_calls();
        double  began = cli_seconds();
        for (int k = 0; k < c->steps && status == SHOAL_OK; k++) status = shoal_sim_advance(sim, dt);
        if (status == SHOAL_OK)
            row_print(c, sim, cli_seconds() - began, (double)(shoal_memory_in_use() - before),
                      (double)(shoal_memory_calls() - calls), is_json);
        shoal_sim_destroy(sim);
    }
    shoal_scene_destroy(scene);
    return status;
}
