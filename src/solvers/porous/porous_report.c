// SPDX-License-Identifier: MIT
// The columns of stats.csv that are porous' own.
#include "solvers/porous/porous_local.h"

#include <string.h>

// clang-format off
#define POROUS_COLUMNS(X)                                                                                                              \
    X(sweeps,             "",    SOLVER, FREE, "", "", "", "sweeps of pressure and friction in a substep, mean of this frame")             \
    X(unsolved,           "",    SOLVER, FREE, "", "", "", "substeps of this frame whose sweeps gave up above the `tolerance`")            \
    X(compression_99_pct, "%",   SOLVER, FREE, "", "", "", "compression that 99 % of the particles stay below")                            \
    X(creep_mps,          "m/s", SOLVER, FREE, "", "", "", "mean length of the way that particles have gone in this frame, over its time") \
    X(yielding_pct,       "%",   SOLVER, FREE, "", "", "", "particles whose shear is all that the sand bears")                             \
    SHOAL_FORCE_COLUMNS(X, "sand and water")                                                                                           \
    X(water_in_sand_kg,   "kg",  SOLVER, FREE, "", "", "", "water in pores")                                                               \
    X(water_pending_kg,   "kg",  SOLVER, FREE, "", "", "", "water that has seeped out of them and waits at the surface")                   \
    X(water_free_kg,      "kg",  SOLVER, FREE, "", "", "", "free water")                                                                   \
    X(water_balance_rel,  "",    SOLVER, FREE, "", "", "", "these three, and what has left, over what bodies and emitters brought, less 1: rounding") \
    X(pore_iterations,    "",    SOLVER, FREE, "", "", "", "iterations of conjugate gradients in a step of the pore water, mean of this frame") \
    X(pore_unsolved,      "",    SOLVER, FREE, "", "", "", "steps of the pore water of this frame that gave up: conjugate gradients above their tolerance, or pores that would neither be full nor not") \
    X(engulfed,           "",    SOLVER, FREE, "", "", "", "particles of water that got into sand and were absorbed, since the start")     \
    X(split,              "",    SOLVER, FREE, "", "", "", "particles of water that have split, since the start")                          \
    X(merged,             "",    SOLVER, FREE, "", "", "", "particles of water that have joined others, since the start")                  \
    X(overturned,         "",    SOLVER, FREE, "", "", "", "pairs of a light particle and a heavy one above that changed places in this frame: water under sand, liquids")   \
    X(coarse_pct,         "%",   SOLVER, FREE, "", "", "", "fraction of the sand that is coarse: its water is free water")                    \
    X(clusters,           "",    SOLVER, FREE, "", "", "", "rigid clusters")
// clang-format on
const shoal_column_def porous_columns[] = {POROUS_COLUMNS(SHOAL_COLUMN_ROW){0}};
#define X(name, ...) COLUMN_##name,
enum { POROUS_COLUMNS(X) COLUMN_COUNT };
#undef X

typedef struct bin_job {
    const shoal_material* materials;
    const float*          density;
    const uint8_t*        material;
    int*                  bins;
} bin_job;

enum { BIN_BLOCK = 4096 };

// Each thread counts for itself; what they have is added up as whole numbers.
static void bin_block(void* ctx, int begin, int end, int worker) {
    const bin_job* b    = ctx;
    int*           bins = b->bins + (size_t)worker * (POROUS_BINS + 1);
    for (int i = begin; i < end; i++) {
        double rest = (double)b->materials[b->material[i]].density;
        double over = fmin(fmax((double)b->density[i] / rest - 1.0, 0.0) * POROUS_BINS, POROUS_BINS);
        bins[(int)over]++;
    }
}

// The compression that all but a hundredth of the particles stay below, sand and water, in steps of
// 0.01 %.
static double compression_99(const porous* s) {
    int    above = 0, count = 0, threads = s->ctx->exec.threads, *bins = s->bins;
    size_t each = POROUS_BINS + 1;
    memset(bins, 0, (size_t)threads * each * sizeof *bins);
    SHOAL_EACH_PARTICLE_SET(s->ctx, set) {
        bin_job b = {s->ctx->description->materials, shoal_set_data(set, "density"), shoal_set_data(set, "material"),
                     bins};
        shoal_blocks(&s->ctx->exec, set->count, BIN_BLOCK, bin_block, &b);
        count += set->count;
    }
    for (int t = 1; t < threads; t++)
        for (size_t k = 0; k < each; k++) bins[k] += bins[(size_t)t * each + k];
    int k = POROUS_BINS;
    while (k > 0 && above + bins[k] <= count / 100) above += bins[k--];
    return 100.0 * k / POROUS_BINS;
}

// How far particles have come in the interval, over its length: noise that leads nowhere does not
// count.
static double drift_of(void* ctx, int begin, int end) {
    const shoal_v3* drift = ctx;
    double          sum   = 0.0;
    for (int i = begin; i < end; i++) sum += (double)shoal_v3_length(drift[i]);
    return sum;
}

static double yielding_of(void* ctx, int begin, int end) {
    const float* yield = ctx;
    double       sum   = 0.0;
    for (int i = begin; i < end; i++) sum += yield[i] >= 1.0f;
    return sum;
}

static double coarse_of(void* ctx, int begin, int end) {
    const porous*  s        = ctx;
    const uint8_t* material = shoal_set_data(s->ctx->particles, "material");
    double         sum      = 0.0;
    for (int i = begin; i < end; i++) sum += s->coarse[material[i]];
    return sum;
}

// Each is counted by the one whose id it has.
static double clusters_of(void* ctx, int begin, int end) {
    const shoal_set* set     = ctx;
    const int32_t *  cluster = shoal_set_data(set, "cluster"), *id = shoal_set_data(set, "id");
    int              count = 0;
    for (int i = begin; i < end; i++) count += cluster[i] >= 0 && cluster[i] == id[i];
    return count;
}

void porous_report(const void* self, double* values) {
    const porous*    s      = self;
    const shoal_set* set    = s->ctx->particles;
    const double*    totals = s->ctx->totals;
    double           span = totals[POROUS_TOTAL_SECONDS], each = 1.0 / fmax(set->count, 1.0);
    shoal_d3         sum = {0.0, 0.0, 0.0};
    for (int c = 0; c < s->ctx->world->collider_count && span > 0.0; c++)
        sum = shoal_d3_add(sum, shoal_d3_add(s->impulses[c].pressure, s->impulses[c].friction));
    double over                       = span > 0.0 ? 1.0 / span : 0.0;
    values[COLUMN_sweeps]             = totals[POROUS_TOTAL_SWEEPS] / fmax(totals[POROUS_TOTAL_STEPS], 1.0);
    values[COLUMN_unsolved]           = totals[POROUS_TOTAL_UNSOLVED];
    values[COLUMN_compression_99_pct] = compression_99(s);
    values[COLUMN_creep_mps] =
        shoal_sum(&s->ctx->exec, set->count, drift_of, shoal_set_data(set, "drift")) * each * over;
    values[COLUMN_yielding_pct] =
        100.0 * each * shoal_sum(&s->ctx->exec, set->count, yielding_of, shoal_set_data(set, "yield"));
    for (int axis = 0; axis < 3; axis++) values[COLUMN_obstacle_force_x_n + axis] = shoal_d3_axis(sum, axis) * over;
    values[COLUMN_water_in_sand_kg]  = s->wet.liquid.density * porous_wet_sum(&s->wet, "water");
    values[COLUMN_water_pending_kg]  = s->wet.liquid.density * porous_wet_sum(&s->wet, "pending");
    values[COLUMN_water_free_kg]     = s->wet.liquid.density * porous_wet_free_sum(&s->wet);
    values[COLUMN_water_balance_rel] = porous_wet_balance(&s->wet);
    values[COLUMN_pore_iterations] = totals[POROUS_TOTAL_PORE_ITERATIONS] / fmax(totals[POROUS_TOTAL_PORE_STEPS], 1.0);
    values[COLUMN_pore_unsolved]   = totals[POROUS_TOTAL_PORE_UNSOLVED];
    values[COLUMN_engulfed]        = (double)*s->wet.engulfed;
    values[COLUMN_split]           = (double)*s->wet.divided;
    values[COLUMN_merged]          = (double)*s->wet.merged;
    values[COLUMN_overturned]      = totals[POROUS_TOTAL_OVERTURNED];
    values[COLUMN_coarse_pct] =
        100.0 * shoal_sum(&s->ctx->exec, set->count, coarse_of, (void*)s) / fmax(set->count, 1.0);
    values[COLUMN_clusters] = shoal_sum(&s->ctx->exec, set->count, clusters_of, (void*)set);
}
