// SPDX-License-Identifier: MIT
// shoal bench: the wall time of one substep, by stage, for 1 and 2 threads from the same state. The
// cases are listed in bench/benches.h.
#include "bench_flip.h"
#include "bench_grains.h"
#include "bench_live.h"
#include "bench_porous.h"
#include "bench_scene.h"
#include "bench_surface.h"
#include "bench_tetra.h"
#include "benches.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS_MOST = 128, STAGES_MOST = 8, PAPER_STAGES = 5 };

typedef struct bench_case {
    const char*   name;
    const char*   pressure;         // of a column of sph; NULL: pbf
    int           side, iterations; // of a column; side 0: a scene file
    int           fps;
    double        moving_s;
    int           first_steps, moving_steps;
    double        paper[PAPER_STAGES]; // percent
    bench_surface surface;
    bench_grains  grains;
    bench_flip    flip;
    bench_porous  porous;
    bench_tetra   tetra;
    bench_live    live;
} bench_case;

// clang-format off
#define COLUMN(name, pressure, side, iterations, fps, first, moving) {name, pressure, side, iterations, fps, 0, first, moving, {0}, {0}, {0}, {0}, {0}, {0}, {0}},
#define SCENE(name, moving_s, steps, a, b, c, d, e)     {name, NULL, 0, 0, 0, moving_s, 0, steps, {a, b, c, d, e}, {0}, {0}, {0}, {0}, {0}, {0}},
#define SURFACE(name, method, side, cells_as)           {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {name, method, side, cells_as, 0, 0, 0}, {0}, {0}, {0}, {0}, {0}},
#define RENDER(name, side, cells_as, width, height, samples) {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {name, "zhu-bridson", side, cells_as, width, height, samples}, {0}, {0}, {0}, {0}, {0}},
#define VIEW(name, draw, side, width, height)           {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {name, draw, side, side, width, height, BENCH_VIEWED}, {0}, {0}, {0}, {0}, {0}},
#define GRAINS(name, side, depth)                       {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {0}, {name, side, depth, NULL, 0, 0}, {0}, {0}, {0}, {0}},
#define SOAKING(name, scene, moving_s, frames)          {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {0}, {name, 0, 0, scene, moving_s, frames}, {0}, {0}, {0}, {0}},
#define FLIP(name, material, x, y, z, dx, dy, dz)       {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {0}, {0}, {name, material, {x, y, z}, {dx, dy, dz}}, {0}, {0}, {0}},
#define POROUS(name, scene, moving_s, frames)           {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {0}, {0}, {0}, {name, scene, moving_s, frames}, {0}, {0}},
#define TETRA(name, spacing, steps)                      {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {0}, {0}, {0}, {0}, {name, spacing, steps}, {0}},
#define LIVE(name, scene, draw, spacing, fps, start_s, width, height) {name, NULL, 0, 0, 0, 0, 0, 0, {0}, {0}, {0}, {0}, {0}, {0}, {name, scene, draw, spacing, fps, start_s, width, height}},
static const bench_case cases[] = {SHOAL_COLUMN_BENCHES(COLUMN) SHOAL_SCENE_BENCHES(SCENE) SHOAL_SURFACE_BENCHES(SURFACE)
                                   SHOAL_RENDER_BENCHES(RENDER) SHOAL_VIEW_BENCHES(VIEW)
                                   SHOAL_GRAINS_BENCHES(GRAINS) SHOAL_SOAKING_BENCHES(SOAKING) SHOAL_FLIP_BENCHES(FLIP) SHOAL_POROUS_BENCHES(POROUS)
                                   SHOAL_TETRA_BENCHES(TETRA) SHOAL_LIVE_BENCHES(LIVE)};
// clang-format on
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static const int thread_counts[] = {1, 2};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

// Medians over the steps of one window, ms.
typedef struct window {
    double           step_ms;
    int              stage_count;
    shoal_stage_time stages[STAGES_MOST]; // in seconds, as sim.h has it
    double           neighbours;
    int64_t          particles;
} window;

typedef struct row {
    window  first, moving;
    int     threads, iterations;
    int64_t bytes_per_particle;
    char    solver[32], device[128];
} row;

// A state to measure from, and how.
typedef struct bench_state {
    shoal_scene* scene;
    void*        bytes;
    size_t       size;
    double       dt;     // of one substep, s
    const char*  device; // NULL: the CPU, with a row for each number of threads; else one row
} bench_state;

static shoal_status measure(shoal_sim* sim, double dt, int steps, window* out) {
    double           step[STEPS_MOST], stage[STAGES_MOST][STEPS_MOST];
    shoal_stage_time times[STAGES_MOST];
    for (int k = 0; k < steps; k++) {
        shoal_sim_stages_reset(sim);
        double       begin  = cli_seconds();
        shoal_status status = shoal_sim_advance(sim, dt);
        step[k]             = 1e3 * (cli_seconds() - begin);
        if (status != SHOAL_OK) return status;
        int count        = shoal_sim_stages(sim, times, STAGES_MOST);
        out->stage_count = count < STAGES_MOST ? count : STAGES_MOST;
        for (int s = 0; s < out->stage_count; s++) stage[s][k] = times[s].seconds;
    }
    out->step_ms = cli_median(step, steps);
    for (int s = 0; s < out->stage_count; s++)
        out->stages[s] = (shoal_stage_time){times[s].name, cli_median(stage[s], steps)};
    out->neighbours = shoal_sim_neighbours(sim);
    out->particles  = shoal_sim_count(sim);
    return SHOAL_OK;
}

static shoal_status column_scene(const bench_case* c, shoal_scene** out) {
    static const char column[] = "name: %s\nspacing: %.17g\nfps: %d\ndomain: {max: [2, 1.5, 1]}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
                                 "probes: [{name: front, kind: front, axis: x}]\n";
    char              text[512], solver[256] = "";
    snprintf(text, sizeof text, column, c->name, 1.0 / c->side, c->fps);
    if (!c->pressure)
        snprintf(solver, sizeof solver,
                 "solver: pbf\npbf: {substeps: 1, iterations: %d, support: 2, vorticity: 0.5, xsph: 0.01}\n",
                 c->iterations);
    else if (c->iterations)
        snprintf(solver, sizeof solver, "solver: sph\nsph: {pressure: %s, substeps: 1, iterations: %d}\n", c->pressure,
                 c->iterations);
    else
        snprintf(solver, sizeof solver, "solver: sph\nsph: {pressure: %s, substeps: 1}\n", c->pressure);
    return cli_bench_text(out, "%s%s", text, solver);
}

static shoal_status sim_make(bench_state* b, int threads, shoal_sim** out) {
    shoal_sim_def def = shoal_sim_def_default();
    def.threads       = threads;
    def.device        = b->device;
    return shoal_sim_create(&def, b->scene, out);
}

// Until the front has reached the far wall at x = 2 m.
static shoal_status advance_to_impact(const bench_case* c, const bench_state* b, shoal_sim* sim) {
    double front = 0, dt = b->dt, pressure = 0, iterations = 0;
    if (c->pressure) { // the quickest way there
        const double dfsph = 2, is_auto = 0;
        dt = 1.0 / 240;
        if (shoal_sim_get_param(sim, "pressure", &pressure) != SHOAL_OK ||
            shoal_sim_get_param(sim, "iterations", &iterations) != SHOAL_OK ||
            shoal_sim_set_param(sim, "pressure", dfsph) != SHOAL_OK ||
            shoal_sim_set_param(sim, "iterations", is_auto) != SHOAL_OK ||
            shoal_sim_set_param(sim, "substeps", is_auto) != SHOAL_OK)
            return SHOAL_ERR_INTERNAL;
    }
    while (front < 1.95) {
        if (shoal_sim_time(sim) > 3.0) { // 1 m takes about half a second
            fprintf(stderr, "the column has not reached the wall after 3 s\n");
            return SHOAL_ERR_INTERNAL;
        }
        for (int k = 0; k < 4; k++) {
            shoal_status status = shoal_sim_advance(sim, dt);
            if (status != SHOAL_OK) return status;
        }
        shoal_sim_probes(sim, &front);
    }
    if (!c->pressure) return SHOAL_OK;
    shoal_status status = shoal_sim_set_param(sim, "pressure", pressure);
    return status == SHOAL_OK ? shoal_sim_set_param(sim, "iterations", iterations) : status;
}

static shoal_status advance_to_time(const bench_case* c, double frame_s, shoal_sim* sim) {
    while (shoal_sim_time(sim) < c->moving_s) {
        shoal_status status = shoal_sim_advance(sim, frame_s);
        if (status != SHOAL_OK) return status;
    }
    return SHOAL_OK;
}

// One substep of a scene that takes `substeps` per frame; with automatic substeps, a whole frame.
static double substep_of(const shoal_sim* sim, double frame_s) {
    double substeps = 0;
    if (shoal_sim_get_param(sim, "substeps", &substeps) != SHOAL_OK || substeps < 1) return frame_s;
    return frame_s / substeps;
}

// The first windows, and the moving state into b->bytes.
static shoal_status prepare(const bench_case* c, bench_state* b, const cli_args* args, row* rows) {
    shoal_status status = c->side ? column_scene(c, &b->scene) : cli_bench_scene(c->name, &b->scene);
    if (status == SHOAL_OK) status = cli_scene_set(args, b->scene);
    if (status == SHOAL_OK) status = shoal_scene_check(b->scene);
    if (status != SHOAL_OK) return status;
    double frame_s = 1.0 / shoal_scene_get_facts(b->scene).fps;

    for (int t = 0; t < THREAD_COUNTS && status == SHOAL_OK; t++) {
        bool       is_last = t == THREAD_COUNTS - 1;
        shoal_sim* sim     = NULL;
        if ((c->first_steps == 0 || b->device) && !is_last) continue;
        status = sim_make(b, thread_counts[t], &sim);
        if (status == SHOAL_OK) b->dt = substep_of(sim, frame_s);
        if (status == SHOAL_OK && c->first_steps) status = measure(sim, b->dt, c->first_steps, &rows[t].first);
        if (status == SHOAL_OK && is_last) {
            status = c->side ? advance_to_impact(c, b, sim) : advance_to_time(c, frame_s, sim);
            if (status == SHOAL_OK) status = shoal_sim_save(sim, &b->bytes, &b->size);
        }
        shoal_sim_destroy(sim);
    }
    return status;
}

// Sweeps of the last substep, where the solver chooses and tells them.
static double last_iterations(shoal_sim* sim) {
    double values[64] = {0};
    int    count      = shoal_sim_stat_count(sim);
    if (count > 64) return 0;
    shoal_sim_stats(sim, values);
    for (int k = 0; k < count; k++)
        if (strcmp(shoal_sim_stat_name(sim, k), "iterations") == 0) return values[k];
    return 0;
}

static shoal_status measure_moving(const bench_case* c, bench_state* b, int threads, row* out) {
    shoal_sim*   sim    = NULL;
    shoal_status status = sim_make(b, threads, &sim);
    if (status == SHOAL_OK) status = shoal_sim_load(sim, b->bytes, b->size);
    // advances of b->dt are then single substeps; a solver without the word takes one anyway
    if (status == SHOAL_OK) shoal_sim_set_param(sim, "substeps", 1);
    if (status == SHOAL_OK) status = shoal_sim_advance(sim, b->dt); // warms memory and threads up
    if (status == SHOAL_OK) status = measure(sim, b->dt, c->moving_steps, &out->moving);
    if (status == SHOAL_OK) {
        double iterations = 0;
        if (shoal_sim_get_param(sim, "iterations", &iterations) != SHOAL_OK || iterations < 1)
            iterations = last_iterations(sim);
        out->iterations         = (int)iterations;
        out->threads            = shoal_sim_threads(sim);
        out->bytes_per_particle = shoal_sim_bytes_per_particle(sim);
        snprintf(out->solver, sizeof out->solver, "%s", shoal_sim_solver(sim));
        snprintf(out->device, sizeof out->device, "%s", shoal_sim_device(sim));
    }
    shoal_sim_destroy(sim);
    return status;
}

// Fraction of the paper's five stages, percent.
static double fraction(const window* w, int stage) {
    double sum = 0;
    for (int s = 0; s < w->stage_count && s < PAPER_STAGES; s++) sum += w->stages[s].seconds;
    return sum > 0 ? 100 * w->stages[stage].seconds / sum : 0;
}

static void number_member(const char* key, double value) {
    printf(",\"%s\":", key);
    cli_json_number(stdout, value);
}

static void row_json(const bench_case* c, const row* r) {
    const window* w = r->first.step_ms > r->moving.step_ms ? &r->first : &r->moving;
    printf("{\"name\":\"%s\",\"solver\":\"%s\",\"particles\":%lld,\"threads\":%d,\"device\":\"%s\"", c->name, r->solver,
           (long long)w->particles, r->threads, r->device);
    number_member("neighbours", w->neighbours);
    printf(",\"iterations\":%d", r->iterations);
    number_member("step_ms", w->step_ms);
    printf(",\"stage_ms\":{");
    for (int s = 0; s < w->stage_count; s++)
        printf("%s\"%s\":%.6g", s ? "," : "", w->stages[s].name, 1e3 * w->stages[s].seconds);
    printf("}");
    number_member("particle_steps_per_s", 1e3 * (double)w->particles / w->step_ms);
    printf(",\"bytes_per_particle\":%lld", (long long)r->bytes_per_particle);
    if (c->first_steps) {
        number_member("first_ms", r->first.step_ms);
        number_member("impact_ms", r->moving.step_ms);
    } else {
        printf(",\"stage_pct\":{");
        for (int s = 0; s < w->stage_count && s < PAPER_STAGES; s++)
            printf("%s\"%s\":%.3g", s ? "," : "", w->stages[s].name, fraction(w, s));
        printf("}");
    }
    if (c->paper[0] > 0) {
        printf(",\"paper_pct\":{");
        for (int s = 0; s < w->stage_count && s < PAPER_STAGES; s++)
            printf("%s\"%s\":%g", s ? "," : "", w->stages[s].name, c->paper[s]);
        printf("}");
    }
    printf("}\n");
}

static void table_head(void) {
    printf("%-12s %-6s %9s %7s %10s %10s %8s %8s %9s  %s\n", "name", "solver", "particles", "threads", "neighbours",
           "iterations", "step_ms", "first_ms", "impact_ms", "M particle-steps/s, bytes per particle");
}

static void row_table(const bench_case* c, const row* r) {
    const window* w = r->first.step_ms > r->moving.step_ms ? &r->first : &r->moving;
    printf("%-12s %-6s %9lld %7d %10.1f %10d %8.2f ", c->name, r->solver, (long long)w->particles, r->threads,
           w->neighbours, r->iterations, w->step_ms);
    if (c->first_steps) {
        printf("%8.2f %9.2f", r->first.step_ms, r->moving.step_ms);
    } else {
        printf("%8s %9s", "-", "-");
    }
    printf("  %.2f, %lld\n", 1e-3 * (double)w->particles / w->step_ms, (long long)r->bytes_per_particle);
    printf("%12s", "");
    for (int s = 0; s < w->stage_count; s++) {
        printf("%s %s %.2f ms", s ? "," : "", w->stages[s].name, 1e3 * w->stages[s].seconds);
        if (s >= PAPER_STAGES) continue;
        printf(" (%.0f %%", fraction(w, s));
        if (c->paper[0] > 0) printf("; paper %g %%", c->paper[s]);
        printf(")");
    }
    printf("\n");
}

static shoal_status case_run(const bench_case* c, const cli_args* args) {
    bool        is_json             = args->options[CLI_OPTION_JSON] != NULL;
    bench_state b                   = {0};
    row         rows[THREAD_COUNTS] = {0};
    if (isatty(STDERR_FILENO)) fprintf(stderr, "%s ...\r", c->name);
    b.device            = args->options[CLI_OPTION_DEVICE];
    shoal_status status = prepare(c, &b, args, rows);
    for (int t = b.device ? THREAD_COUNTS - 1 : 0; t < THREAD_COUNTS && status == SHOAL_OK; t++) {
        status = measure_moving(c, &b, thread_counts[t], &rows[t]);
        if (status != SHOAL_OK) break;
        if (is_json) {
            row_json(c, &rows[t]);
        } else {
            row_table(c, &rows[t]);
        }
        fflush(stdout);
    }
    shoal_bytes_free(b.bytes, b.size);
    shoal_scene_destroy(b.scene);
    return status;
}

static const bench_case* case_find(const char* name) {
    for (int i = 0; i < CASE_COUNT; i++)
        if (strcmp(cases[i].name, name) == 0) return &cases[i];
    return NULL;
}

// Columns and scenes of pbf.
static bool takes_device(const bench_case* c) {
    if (c->surface.method) return c->surface.samples == BENCH_VIEWED;
    return !c->grains.side && !c->grains.scene && !c->flip.material && !c->porous.name && !c->tetra.name;
}

static int unknown_case(const char* name) {
    const char* known[CASE_COUNT + 1];
    for (int i = 0; i < CASE_COUNT; i++) known[i] = cases[i].name;
    known[CASE_COUNT] = NULL;
    const char* near  = shoal_nearest_word(name, known);
    if (near) return cli_usage("bench", "unknown bench %.40s; did you mean %s?", name, near);
    return cli_usage("bench", "unknown bench %.40s", name);
}

int cli_bench(const cli_args* args) {
    bool is_json = args->options[CLI_OPTION_JSON] != NULL;
    for (int i = 0; i < args->word_count; i++)
        if (!case_find(args->words[i])) return unknown_case(args->words[i]);
    for (int i = 0; i < args->word_count && args->options[CLI_OPTION_DEVICE]; i++)
        if (!takes_device(case_find(args->words[i])))
            return cli_usage("bench", "bench %.40s runs on the CPU alone; leave --device out", args->words[i]);

    if (!is_json) table_head();
    int count = args->word_count ? args->word_count : CASE_COUNT;
    for (int i = 0; i < count; i++) {
        const bench_case* c = args->word_count ? case_find(args->words[i]) : &cases[i];
        if (args->options[CLI_OPTION_DEVICE] && !takes_device(c)) continue;
        if (!args->word_count && c->porous.scene) continue; // minutes each
        shoal_status status = c->surface.method  ? cli_bench_surface(&c->surface, args, is_json)
                              : c->grains.side   ? cli_bench_grains(&c->grains, args, is_json)
                              : c->grains.scene  ? cli_bench_soaking(&c->grains, args, is_json)
                              : c->flip.material ? cli_bench_flip(&c->flip, args, is_json)
                              : c->porous.name   ? cli_bench_porous(&c->porous, args, is_json)
                              : c->live.name     ? cli_bench_live(&c->live, args, is_json)
                              : c->tetra.name    ? cli_bench_tetra(&c->tetra, args, is_json)
                                                 : case_run(c, args);
        if (status != SHOAL_OK) return cli_fail(status);
    }
    return CLI_DONE;
}
