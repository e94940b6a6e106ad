// SPDX-License-Identifier: MIT
// The benches of sand: a bed of spheres settles in a box, then its substeps are timed. The law of contact is that of
// `gran/hooke/history` in LAMMPS: springs, dampers and static friction with spin, no rolling resistance. And the scene
// of sand and water, by frames.
#include "bench_grains.h"

#include "bench_scene.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 3 };
// For a bed of one metre. Settled: the fastest of 100k grains is below 3 cm/s. Together: the centre of mass is at its
// lowest, each grain has five contacts, and the bed still heaves at a few cm/s, so lists are made anew more often than
// at rest.
static const double settled_s = 1.2, together_s = 0.36;

// On a lattice, with as many as the name says: it settles to a packing, sooner by the restitution and softness.
static shoal_status bed_scene(const bench_grains* c, shoal_scene** out) {
    double height = (double)c->depth / c->side;
    return cli_bench_text(
        out,
        "name: %s\nsolver: grains\nspacing: %.17g\ndomain: {max: [1, %.17g, 1]}\n"
        "bodies: [{material: sand, arrangement: lattice, box: {min: [0, 0, 0], max: [1, %.17g, 1]}}]\n"
        "grains: {rolling: 0, restitution: 0.1, softness: 4}\n",
        c->name, 1.0 / c->side, 2 * height, height);
}

static void row_print(const bench_grains* c, shoal_sim* sim, double step_ms, bool is_json) {
    double particles = (double)shoal_sim_count(sim), contacts = cli_stat(sim, "contacts"),
           rate = 1e3 * particles / step_ms;
    if (is_json) {
        printf("{\"name\":\"%s\",\"solver\":\"grains\",\"particles\":%.0f,\"threads\":%d,\"contacts\":%.3g,\"step_ms\":"
               "%.6g,"
               "\"particle_steps_per_s\":%.6g,\"bytes_per_particle\":%lld}\n",
               c->name, particles, shoal_sim_threads(sim), contacts, step_ms, rate,
               (long long)shoal_sim_bytes_per_particle(sim));
    } else {
        printf("%-12s grains %9.0f %7d  %.1f contacts each, %.3f ms a substep, %.2f M particle-steps/s, %lld bytes per "
               "particle\n",
               c->name, particles, shoal_sim_threads(sim), contacts, step_ms, 1e-6 * rate,
               (long long)shoal_sim_bytes_per_particle(sim));
    }
    fflush(stdout);
}

// The median of a few short frames.
static shoal_status measure(const bench_grains* c, shoal_sim* sim, double seconds, bool is_json) {
    double       ms[FRAMES];
    shoal_status status = shoal_sim_advance(sim, seconds); // warms memory and threads up
    for (int k = 0; k < FRAMES && status == SHOAL_OK; k++) {
        double before = cli_stat(sim, "dem_steps"), began = cli_seconds();
        status      = shoal_sim_advance(sim, seconds);
        double took = cli_seconds() - began;
        ms[k]       = 1e3 * took / (cli_stat(sim, "dem_steps") - before);
    }
    if (status != SHOAL_OK) return status;
    row_print(c, sim, cli_median(ms, FRAMES), is_json);
    return SHOAL_OK;
}

shoal_status cli_bench_grains(const bench_grains* c, const cli_args* args, bool is_json) {
    shoal_scene*  scene = NULL;
    shoal_sim*    sim   = NULL;
    void*         bytes = NULL;
    size_t        size  = 0;
    shoal_sim_def def   = shoal_sim_def_default();
    double        scale = sqrt((double)c->depth / c->side); // times go with the root of the depth
    // a substep of a million takes long enough to be timed in few, and too long for one thread or six minutes until it
    // rests
    bool         is_large = (double)c->side * c->side * c->depth > 5e5;
    double       frame_s = is_large ? 0.02 : 0.05, start_s = is_large ? together_s : settled_s;
    shoal_status status = bed_scene(c, &scene);
    if (status == SHOAL_OK) status = cli_scene_set(args, scene);
    def.threads = 2;
    if (status == SHOAL_OK) status = shoal_sim_create(&def, scene, &sim);
    while (status == SHOAL_OK && shoal_sim_time(sim) < start_s * scale)
        status = shoal_sim_advance(sim, frame_s * scale);
    if (status == SHOAL_OK) status = shoal_sim_save(sim, &bytes, &size);
    shoal_sim_destroy(sim);
    for (int threads = is_large ? 2 : 1; threads <= 2 && status == SHOAL_OK; threads++) {
        sim         = NULL;
        def.threads = threads;
        status      = shoal_sim_create(&def, scene, &sim);
        if (status == SHOAL_OK) status = shoal_sim_load(sim, bytes, size);
        if (status == SHOAL_OK) status = measure(c, sim, frame_s * scale, is_json);
        shoal_sim_destroy(sim);
    }
    shoal_bytes_free(bytes, size);
    shoal_scene_destroy(scene);
    return status;
}

// ---------------------------------------------------------------------------------- sand and water

static void frames_print(const bench_grains* c, shoal_sim* sim, double frame_ms, double substeps, double overlap,
                         bool is_json) {
    double particles = (double)shoal_sim_count(sim),
           grains    = cli_stat(sim, "dry") + cli_stat(sim, "wet") + cli_stat(sim, "overwet");
    if (is_json) {
        printf("{\"name\":\"%s\",\"solver\":\"grains\",\"particles\":%.0f,\"grains\":%.0f,\"threads\":%d,\"frame_ms\":%"
               ".6g,"
               "\"frames_per_s\":%.4g,\"dem_steps_per_frame\":%.0f,\"overlap_max_pct\":%.3g,\"bytes_per_particle\":%"
               "lld}\n",
               c->name, particles, grains, shoal_sim_threads(sim), frame_ms, 1e3 / frame_ms, substeps, overlap,
               (long long)shoal_sim_bytes_per_particle(sim));
    } else {
        printf("%-12s grains %9.0f %7d  %.0f grains, %.2f s a frame of 1/30 s, %.0f substeps of the contacts, overlap "
               "up to %.1f %%\n",
               c->name, particles, shoal_sim_threads(sim), grains, 1e-3 * frame_ms, substeps, overlap);
    }
    fflush(stdout);
}

shoal_status cli_bench_soaking(const bench_grains* c, const cli_args* args, bool is_json) {
    const double  frame   = 1.0 / 30.0;
    shoal_scene*  scene   = NULL;
    shoal_sim*    sim     = NULL;
    shoal_sim_def def     = shoal_sim_def_default();
    shoal_status  status  = cli_bench_scene(c->scene, &scene);
    double        overlap = 0.0;
    if (status == SHOAL_OK) status = cli_scene_set(args, scene);
    def.threads = 2;
    if (status == SHOAL_OK) status = shoal_sim_create(&def, scene, &sim);
    while (status == SHOAL_OK && shoal_sim_time(sim) < c->moving_s) {
        status  = shoal_sim_advance(sim, frame);
        overlap = fmax(overlap, cli_stat(sim, "overlap_max_pct"));
    }
    double began = cli_seconds(), before = status == SHOAL_OK ? cli_stat(sim, "dem_steps") : 0.0;
    for (int k = 0; k < c->frames && status == SHOAL_OK; k++) {
        status  = shoal_sim_advance(sim, frame);
        overlap = fmax(overlap, cli_stat(sim, "overlap_max_pct"));
    }
    double took = cli_seconds() - began;
    if (status == SHOAL_OK)
        frames_print(c, sim, 1e3 * took / c->frames, (cli_stat(sim, "dem_steps") - before) / c->frames, overlap,
                     is_json);
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return status;
}
