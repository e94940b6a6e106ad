// SPDX-License-Identifier: MIT
// The benches of `tetra`: in a tank of 1 m, 27 balls fall into a pool; steps of two cells each, nothing is written.
#include "bench_tetra.h"

#include <string.h>

enum { STAGES_MOST = 8, BALLS = 3, WARM_STEPS = 2 };
static const double fall = 2.0, way = 4.0; // m/s; of a step, in spacings: cfl 2 in cells of two of them

// What the house calls the stages of a step, and what they are here.
static const char* const stage_names[][2] = {
    {"grid", "mesh"}, {"solve", "pressure"}, {"velocity", "advect"}, {"integrate", "track"}, {"other", "other"}};
enum { STAGES = sizeof stage_names / sizeof *stage_names };

static shoal_status ball(shoal_scene* s, int k) {
    char   path[64];
    double at[3] = {0.2 + 0.3 * (k % BALLS), 0.42 + 0.23 * (k / BALLS % BALLS), 0.2 + 0.3 * (k / (BALLS * BALLS))};
    shoal_status status;
#define PATH(text) (snprintf(path, sizeof path, "bodies.%d." text, k + 1), path)
    status = shoal_scene_set_text(s, PATH("material"), "water");
    if (status == SHOAL_OK) status = shoal_scene_set_number(s, PATH("sphere.radius"), 0.1);
    if (status == SHOAL_OK) status = shoal_scene_set_vec3(s, PATH("at"), at[0], at[1], at[2]);
    if (status == SHOAL_OK) status = shoal_scene_set_vec3(s, PATH("velocity"), 0, -fall, 0);
#undef PATH
    return status;
}

static shoal_status balls_scene(const bench_tetra* c, shoal_scene** out) {
    shoal_status status = shoal_scene_create(out);
    if (status != SHOAL_OK) return status;
    shoal_scene* s = *out;
#define SET(call)                                                                                                      \
    if (status == SHOAL_OK) status = call
    SET(shoal_scene_set_text(s, "name", c->name));
    SET(shoal_scene_set_text(s, "solver", "tetra"));
    SET(shoal_scene_set_number(s, "spacing", c->spacing));
    SET(shoal_scene_set_number(s, "tetra.substeps", 1));
    SET(shoal_scene_set_vec3(s, "domain.max", 1, 1, 1));
    SET(shoal_scene_set_text(s, "bodies.0.material", "water"));
    SET(shoal_scene_set_vec3(s, "bodies.0.box.min", 0, 0, 0));
    SET(shoal_scene_set_vec3(s, "bodies.0.box.max", 1, 0.3, 1));
    for (int k = 0; k < BALLS * BALLS * BALLS; k++) SET(ball(s, k));
#undef SET
    return status;
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
        printf(
            "{\"name\":\"%s\",\"solver\":\"tetra\",\"tets\":%.0f,\"triangles\":%.0f,\"threads\":%d,\"iterations\":%.0f,"
            "\"step_ms\":%.6g,\"us_per_tet_step\":%.4g,\"stage_ms\":{",
            c->name, tets, triangles, shoal_sim_threads(sim), cli_stat(sim, "iterations"), 1e3 * each,
            1e6 * each / tets);
        for (int k = 0; k < STAGES; k++) printf("%s\"%s\":%.6g", k ? "," : "", stage_names[k][1], ms[k]);
        printf("},\"allocations_per_step\":%.3g,\"bytes_per_tet\":%.0f}\n", calls / c->steps, bytes / tets);
    } else {
        printf("%-12s tetra %9.0f %7d  %.0f triangles, %.0f iterations, %.0f ms a step, %.2f us per tetrahedron and "
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
