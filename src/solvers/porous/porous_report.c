// SPDX-License-Identifier: MIT
// The columns of stats.csv that are porous' own.
#include "solvers/porous/porous_local.h"

const char* const porous_stats[] = {"sweeps",
                                    "unsolved",
                                    "compression_99_pct",
                                    "creep_mps",
                                    "yielding_pct",
                                    "obstacle_force_x_n",
                                    "obstacle_force_y_n",
                                    "obstacle_force_z_n",
                                    "water_in_sand_kg",
                                    "water_pending_kg",
                                    "water_free_kg",
                                    "water_balance_rel",
                                    "pore_iterations",
                                    "engulfed",
                                    "split",
                                    "merged",
                                    "coarse_pct",
                                    "clusters",
                                    NULL};

// The compression that all but a hundredth of the particles stay below, sand and water, in steps of
// 0.01 %.
static double compression_99(const porous* s) {
    enum { BINS = 10000 };
    int bins[BINS + 1] = {0}, above = 0, count = 0;
    SHOAL_EACH_CROWD(s->ctx, set) {
        const float*   density  = shoal_set_data(set, "density");
        const uint8_t* material = shoal_set_data(set, "material");
        for (int i = 0; i < set->count; i++) {
            double rest = (double)s->ctx->description->materials[material[i]].density;
            double over = fmin(fmax((double)density[i] / rest - 1.0, 0.0) * BINS, BINS);
            bins[(int)over]++;
        }
        count += set->count;
    }
    int k = BINS;
    while (k > 0 && above + bins[k] <= count / 100) above += bins[k--];
    return 100.0 * k / BINS;
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
static double clusters_of(const shoal_set* set) {
    const int32_t *cluster = shoal_set_data(set, "cluster"), *id = shoal_set_data(set, "id");
    int            count = 0;
    for (int i = 0; i < set->count; i++) count += cluster[i] >= 0 && cluster[i] == id[i];
    return count;
}

void porous_report(const void* self, double* stats) {
    const porous*    s      = self;
    const shoal_set* set    = s->ctx->particles;
    const double*    ledger = s->ctx->ledger;
    double           span = ledger[POROUS_LEDGER_SECONDS], each = 1.0 / fmax(set->count, 1.0);
    shoal_d3         sum = {0.0, 0.0, 0.0};
    for (int c = 0; c < s->ctx->world->collider_count && span > 0.0; c++)
        sum = shoal_d3_add(sum, shoal_d3_add(s->felt[c].pressure, s->felt[c].friction));
    double over = span > 0.0 ? 1.0 / span : 0.0;
    stats[0]    = ledger[POROUS_LEDGER_SWEEPS] / fmax(ledger[POROUS_LEDGER_STEPS], 1.0);
    stats[1]    = ledger[POROUS_LEDGER_UNSOLVED];
    stats[2]    = compression_99(s);
    stats[3]    = shoal_sum(&s->ctx->exec, set->count, drift_of, shoal_set_data(set, "drift")) * each * over;
    stats[4]    = 100.0 * each * shoal_sum(&s->ctx->exec, set->count, yielding_of, shoal_set_data(set, "yield"));
    for (int axis = 0; axis < 3; axis++) stats[5 + axis] = shoal_d3_axis(sum, axis) * over;
    stats[8]  = s->wet.liquid.density * porous_wet_sum(&s->wet, "water");
    stats[9]  = s->wet.liquid.density * porous_wet_sum(&s->wet, "pending");
    stats[10] = s->wet.liquid.density * porous_wet_free_sum(&s->wet);
    stats[11] = porous_wet_balance(&s->wet);
    stats[12] = ledger[POROUS_LEDGER_PORE_ITERATIONS] / fmax(ledger[POROUS_LEDGER_PORE_STEPS], 1.0);
    stats[13] = (double)*s->wet.engulfed;
    stats[14] = (double)*s->wet.divided;
    stats[15] = (double)*s->wet.merged;
    stats[16] = 100.0 * shoal_sum(&s->ctx->exec, set->count, coarse_of, (void*)s) / fmax(set->count, 1.0);
    stats[17] = clusters_of(set);
}
