// SPDX-License-Identifier: MIT
// Runs random scenes and looks at what comes out: everything finite, nothing beyond a closed wall,
// no particle unaccounted for, no explosion but in a few wild ones; on a sample the same bits for other threads and
// instruction sets, and after save and load.
//   random_scenes SOLVER FIRST COUNT [--show]      the scenes FIRST .. FIRST + COUNT - 1; --show prints their text
// The seed and text of a scene that fails are printed; `random_scenes SOLVER SEED 1` runs it again.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "long/scene_maker.h"

#include "shoal/shoal.h"

enum { FEWEST = 50, MOST = 2000, SECONDS_MOST = 300, STATS_MOST = 64 };
// What a scene may cost, in neighbours visited; about a second.
static const double work_most = 2e8;

typedef enum outcome { RAN, REFUSED, DIVERGED, FAILED } outcome;

static maker_scene scene_now; // here for the signal handler

static struct sigaction before[65];

static void put(const char* text) {
    size_t  length = strlen(text);
    ssize_t wrote  = write(STDERR_FILENO, text, length);
    (void)wrote;
}

// A crash or a hang tells the scene, then takes its usual course.
static void on_signal(int number) {
    put(number == SIGALRM ? "\nthis scene takes too long:\n" : "\nthis scene crashed:\n");
    put(scene_now.text);
    if (number == SIGALRM) _exit(1);
    sigaction(number, &before[number], NULL);
}

static void watch_signals(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    struct sigaction action    = {.sa_handler = on_signal};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) sigaction(numbers[k], &action, &before[numbers[k]]);
}

static void be_quiet(shoal_log_level level, const char* text, void* user) { (void)level, (void)text, (void)user; }

// --- one simulation

typedef struct run {
    shoal_sim* sim;
    int        frame;
    bool       is_cut; // by the budget
    double     work, work_per_particle;
    double     start; // particles at the start
    char       fault[400];
} run;

static bool is_over_budget(void* user) {
    run* r = user;
    // a step has a price of its own, about that of 300 particles
    r->work += ((double)shoal_sim_count(r->sim) + 300.0) * r->work_per_particle;
    return r->work > work_most;
}

static outcome bad(run* r, const char* what) {
    snprintf(r->fault, sizeof r->fault, "frame %d: %s", r->frame, what);
    return FAILED;
}

static double stat(const shoal_sim* sim, const double* values, const char* name) {
    for (int k = 0; k < shoal_sim_stat_count(sim); k++)
        if (strcmp(shoal_sim_stat_name(sim, k), name) == 0) return values[k];
    return (double)NAN;
}

static outcome inspect_set(run* r, const char* set) {
    shoal_field_view position, velocity;
    char             text[160];
    snprintf(text, sizeof text, "%.60s.position", set);
    if (shoal_sim_field(r->sim, text, &position) != SHOAL_OK) return RAN; // no particles
    snprintf(text, sizeof text, "%.60s.velocity", set);
    if (shoal_sim_field(r->sim, text, &velocity) != SHOAL_OK) return bad(r, shoal_last_error());
    const float *x = position.data, *v = velocity.data;
    for (int64_t i = 0; i < position.count; i++)
        for (int axis = 0; axis < 3; axis++) {
            float at = x[3 * i + axis];
            if (!isfinite(at) || !isfinite(v[3 * i + axis])) return bad(r, "a value is not finite");
            bool is_out = (scene_now.is_closed[2 * axis] && at < (float)scene_now.min[axis]) ||
                          (scene_now.is_closed[2 * axis + 1] && at > (float)scene_now.max[axis]);
            if (!is_out) continue;
            snprintf(text, sizeof text, "particle %lld of %.60s is beyond a closed wall: %c = %.9g", (long long)i, set,
                     'x' + axis, (double)at);
            return bad(r, text);
        }
    return RAN;
}

static outcome inspect_particles(run* r) {
    outcome is = RAN;
    for (int k = 0; k < shoal_sim_set_count(r->sim) && is == RAN; k++) {
        shoal_set_view set;
        if (shoal_sim_set_at(r->sim, k, &set) != SHOAL_OK) return bad(r, shoal_last_error());
        is = inspect_set(r, set.name);
    }
    return is;
}

static outcome inspect_totals(run* r) {
    double values[STATS_MOST], probes[8], removed = 0.0;
    if (shoal_sim_stat_count(r->sim) > STATS_MOST) return bad(r, "too many stats for this program");
    shoal_sim_stats(r->sim, values);
    shoal_sim_probes(r->sim, probes);
    const char* reasons[8];
    int64_t     counts[8];
    int         kinds = shoal_sim_removed(r->sim, reasons, counts, 8);
    for (int k = 0; k < kinds; k++) removed += (double)counts[k];
    if (removed != stat(r->sim, values, "removed")) return bad(r, "removed is not the sum of its reasons");
    double expected = r->start + stat(r->sim, values, "emitted") - removed,
           balance  = stat(r->sim, values, "water_balance");
    if (balance != 0.0 && !isnan(balance)) return bad(r, "water_balance is not 0");
    if (isnan(balance) &&
        expected != (double)shoal_sim_count(r->sim)) { // grains take water particles up, and give some back
        char text[160];
        snprintf(text, sizeof text, "%.0f at the start + %.0f emitted - %.0f removed are not %lld", r->start,
                 stat(r->sim, values, "emitted"), removed, (long long)shoal_sim_count(r->sim));
        return bad(r, text);
    }
    for (int k = 0; k < shoal_sim_stat_count(r->sim); k++)
        if (!isfinite(values[k]) && shoal_sim_count(r->sim) > 0) { // nothing has no middle
            char text[160];
            snprintf(text, sizeof text, "%s is not finite", shoal_sim_stat_name(r->sim, k));
            return bad(r, text);
        }
    for (int k = 0; k < shoal_sim_probe_count(r->sim); k++)
        if (isinf(probes[k])) return bad(r, "a probe is infinite");
    return RAN;
}

// Goes on to the frame `last`, or until the work is too much.
static outcome go_on(run* r, int last) {
    shoal_sim_set_stop(r->sim, is_over_budget, r);
    while (r->frame < last && !r->is_cut) {
        shoal_status status = shoal_sim_advance(r->sim, 1.0 / scene_now.fps);
        r->is_cut           = status == SHOAL_ERR_INTERRUPTED;
        if (status != SHOAL_OK && !r->is_cut) {
            bad(r, shoal_last_error());
            return status == SHOAL_ERR_DIVERGE ? DIVERGED : FAILED;
        }
        r->frame++;
        outcome result = inspect_particles(r);
        if (result == RAN) result = inspect_totals(r);
        if (result != RAN) return result;
    }
    return RAN;
}

static outcome start(run* r, int threads, const char* isa) {
    *r                  = (run){0};
    shoal_scene* scene  = NULL;
    shoal_status status = maker_load(&scene_now, &scene);
    if (status != SHOAL_OK) {
        bad(r, shoal_last_error());
        shoal_scene_destroy(scene);
        return FAILED;
    }
    shoal_sim_def def = shoal_sim_def_default();
    def.threads       = threads;
    def.isa           = isa;
    status            = shoal_sim_create(&def, scene, &r->sim);
    if (status != SHOAL_OK) bad(r, shoal_last_error());
    shoal_scene_destroy(scene);
    bool is_refused = status == SHOAL_ERR_INPUT || status == SHOAL_ERR_PARAM;
    if (status != SHOAL_OK) return is_refused && strlen(shoal_last_error()) > 20 ? REFUSED : FAILED;
    double iterations = 0.0, support = 2.0;
    shoal_sim_get_param(r->sim, "iterations", &iterations);
    shoal_sim_get_param(r->sim, "support", &support);
    r->work_per_particle = 4.2 * support * support * support * ((iterations > 0.0 ? iterations : 20.0) + 4.0);
    // fewer sweeps as a rule; and sweeps over stresses besides those over pressures
    double rounds = 2.0, sweeps = 15.0;
    shoal_sim_get_param(r->sim, "rounds", &rounds);
    shoal_sim_get_param(r->sim, "sweeps", &sweeps);
    if (strcmp(scene_now.solver, "sph") == 0) r->work_per_particle *= 0.3;
    if (strcmp(scene_now.solver, "flip") == 0) r->work_per_particle = 1000.0 + 60.0 * rounds * sweeps;
    r->start = (double)shoal_sim_count(r->sim);
    return RAN;
}

// --- the same in another way

static outcome compare(run* r, run* other, outcome result, const char* what) {
    if (result == RAN && shoal_sim_hash(r->sim) != shoal_sim_hash(other->sim))
        result = bad(r, what);
    else if (result != RAN)
        snprintf(r->fault, sizeof r->fault, "%s: %.300s", what, other->fault);
    shoal_sim_destroy(other->sim);
    return result;
}

static outcome again_elsewhere(run* r, int threads, const char* isa, const char* what) {
    run     other;
    outcome result = start(&other, threads, isa);
    if (result == RAN) result = go_on(&other, r->frame);
    return compare(r, &other, result, what);
}

// Saves in the middle, loads into a new simulation, and lets both run on.
static outcome through_bytes(run* r) {
    run     other;
    void*   bytes  = NULL;
    size_t  size   = 0;
    outcome result = start(&other, 2, NULL);
    if (result == RAN &&
        (shoal_sim_save(r->sim, &bytes, &size) != SHOAL_OK || shoal_sim_load(other.sim, bytes, size) != SHOAL_OK))
        result = bad(&other, shoal_last_error());
    shoal_bytes_free(bytes, size);
    other.frame  = r->frame;
    other.work   = r->work;
    other.is_cut = r->is_cut;
    other.start  = r->start;
    if (result == RAN) result = go_on(&other, scene_now.frames);
    outcome straight = go_on(r, scene_now.frames);
    if (straight != RAN) {
        shoal_sim_destroy(other.sim);
        return straight;
    }
    return compare(r, &other, result, "save and load change the result");
}

// --- one scene

// Finds a spacing that gives the number of particles wanted; the scene is then in scene_now.
static void draw(uint64_t seed, const char* solver) {
    double fineness = 1.0;
    for (int attempt = 0; attempt < 4; attempt++) {
        shoal_scene* scene = NULL;
        maker_draw(seed, solver, fineness, &scene_now);
        bool    is_good   = maker_load(&scene_now, &scene) == SHOAL_OK && shoal_scene_check(scene) == SHOAL_OK;
        int64_t particles = shoal_scene_get_facts(scene).particles;
        shoal_scene_destroy(scene);
        bool has_bodies = strstr(scene_now.text, "bodies:") != NULL;
        if (!is_good || !has_bodies || (particles >= FEWEST && particles <= MOST)) return;
        fineness *=
            particles > MOST ? cbrt(0.5 * MOST / (double)particles) : cbrt(4.0 * FEWEST / ((double)particles + 10.0));
    }
}

typedef struct tally {
    int     outcomes[4], diverged[MAKER_MOODS], moods[MAKER_MOODS], cut, compared;
    int64_t particles, steps;
} tally;

static outcome run_scene(uint64_t seed, const char* solver, tally* all) {
    static const char* const moods[] = {"plain", "moderate", "wild"};
    static const char* const words[] = {"", "refused", "diverged", "FAILED"};
    run                      r;
    alarm(SECONDS_MOST);
    draw(seed, solver);
    printf("%s %llu, %s: ", solver, (unsigned long long)seed, moods[scene_now.mood]);
    fflush(stdout);
    outcome result = start(&r, scene_now.threads, NULL);
    all->moods[scene_now.mood]++;
    if (result == RAN) result = go_on(&r, seed % 5 == 0 ? scene_now.frames / 2 : scene_now.frames);
    if (result == RAN && seed % 5 == 0) result = through_bytes(&r), all->compared++;
    if (result == RAN && seed % 4 == 0) {
        result = again_elsewhere(&r, 1, NULL, "1 thread gives something else");
        if (result == RAN) result = again_elsewhere(&r, 3, NULL, "3 threads give something else");
        all->compared++;
    }
    if (result == RAN && seed % 7 == 0) {
        result = again_elsewhere(&r, 2, seed % 2 ? "sse2" : "avx2", "another instruction set gives something else");
        all->compared++;
    }
    if (r.sim) {
        printf("%lld particles, %d frames, %lld steps%s ", (long long)shoal_sim_count(r.sim), r.frame,
               (long long)shoal_sim_steps(r.sim), r.is_cut ? ", cut short" : "");
        all->particles += shoal_sim_count(r.sim);
        all->steps += shoal_sim_steps(r.sim);
        all->cut += r.is_cut;
    }
    printf("%s %s\n", words[result], result == RAN ? "" : r.fault);
    fflush(stdout);
    shoal_sim_destroy(r.sim);
    all->outcomes[result]++;
    if (result == DIVERGED) all->diverged[scene_now.mood]++;
    return result;
}

int main(int count, char** words) {
    if (count < 4) {
        fprintf(stderr, "usage: random_scenes SOLVER FIRST COUNT [--show]\n");
        return 2;
    }
    uint64_t first = strtoull(words[2], NULL, 10), scenes = strtoull(words[3], NULL, 10);
    bool     shows = count > 4 && strcmp(words[4], "--show") == 0;
    tally    all   = {0};
    shoal_set_log(be_quiet, NULL);
    watch_signals();
    for (uint64_t seed = first; seed < first + scenes; seed++) {
        size_t  held   = shoal_memory_in_use();
        outcome result = run_scene(seed, words[1], &all);
        if (shoal_memory_in_use() != held) {
            printf("FAILED: seed %llu leaves %lld bytes behind\n", (unsigned long long)seed,
                   (long long)shoal_memory_in_use() - (long long)held);
            all.outcomes[FAILED]++;
            result = FAILED;
        }
        if (shows || result == DIVERGED || result == FAILED) printf("%s", scene_now.text);
    }
    printf("%llu scenes (%d plain, %d moderate, %d wild): %d ran (%d cut short), %d refused, %d "
           "diverged "
           "(%d plain, %d moderate, %d wild), %d failed; %d compared; %.0f particles, %.0f steps "
           "on average\n",
           (unsigned long long)scenes, all.moods[0], all.moods[1], all.moods[2], all.outcomes[RAN], all.cut,
           all.outcomes[REFUSED], all.outcomes[DIVERGED], all.diverged[0], all.diverged[1], all.diverged[2],
           all.outcomes[FAILED], all.compared, (double)all.particles / (double)(scenes ? scenes : 1),
           (double)all.steps / (double)(scenes ? scenes : 1));
    // Wild scenes draw every parameter from its whole range, so some feed energy without end (much vorticity in little
    // water) and the watch of the run stops them; of sane ones only the rare scene whose obstacle leaves nothing any
    // room.
    int  sane    = all.diverged[MAKER_PLAIN] + all.diverged[MAKER_MODERATE];
    bool is_fine = all.outcomes[FAILED] == 0 && sane * 100 <= all.moods[MAKER_PLAIN] + all.moods[MAKER_MODERATE] &&
                   all.diverged[MAKER_WILD] * 8 <= all.moods[MAKER_WILD] + 7 &&
                   (uint64_t)all.outcomes[REFUSED] * 5 < scenes + 5;
    return is_fine ? 0 : 1;
}
