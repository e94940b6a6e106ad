// SPDX-License-Identifier: MIT
// Smoothed Particle Hydrodynamics: three ways to the pressure. The physics of one particle is in fluid/water_pass.h; here are
// the steps and the solver type.
#include "solvers/sph/sph.h"

#include <stdio.h>

#include "base/clock.h"
#include "solvers/sph/sph_params.h"

#define SHOAL_PARAM_STRUCT sph_params
SHOAL_PARAMS_DEFINE(sph_params, SPH_PARAMS)

typedef struct sph {
    shoal_sim_context* ctx;
    sph_params         params;
    shoal_water        water;
} sph;

// The columns of stats.csv: the most sweeps of a substep in this frame, and the mean force of the liquid on the obstacles.
enum { LEDGER_SWEEPS, LEDGER_X, LEDGER_Y, LEDGER_Z, LEDGER_SECONDS };

static shoal_water_method method_of(const sph* s) { return (shoal_water_method)s->params.pressure; }

static shoal_status keep_books(sph* s, double dt) {
    double*  ledger = s->ctx->ledger;
    shoal_d3 load;
    SHOAL_TRY(shoal_water_load(&s->water, &load));
    ledger[LEDGER_SWEEPS] = fmax(ledger[LEDGER_SWEEPS], s->water.sweeps);
    ledger[LEDGER_X] += load.x;
    ledger[LEDGER_Y] += load.y;
    ledger[LEDGER_Z] += load.z;
    ledger[LEDGER_SECONDS] += dt;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the steps

static void wcsph_step(shoal_water* w) {
    shoal_water_do(w, SHOAL_WATER_density);
    shoal_water_explicit(w);
}

static void pcisph_step(shoal_water* w) {
    shoal_water_do(w, SHOAL_WATER_weigh);
    shoal_water_predictive(w);
}

static void dfsph_step(shoal_water* w) {
    shoal_water_do(w, SHOAL_WATER_weigh);
    shoal_water_solenoidal(w);
    shoal_water_incompressible(w);
}

static shoal_status sph_step(void* self, double dt) {
    static void (*const steps[])(shoal_water*) = {wcsph_step, pcisph_step, dfsph_step};
    sph*         s                             = self;
    shoal_water* w                             = &s->water;
    w->stage_began                             = shoal_seconds();

    // who is near whom where they are, what pushes them, and where they go
    SHOAL_TRY(shoal_water_gather(w, dt, method_of(s)));
    steps[s->params.pressure](w);
    shoal_water_stage(w, SHOAL_STAGE_SOLVE);
    shoal_water_do(w, SHOAL_WATER_advance);
    SHOAL_TRY(keep_books(s, dt));
    shoal_water_stage(w, SHOAL_STAGE_INTEGRATE);
    return SHOAL_OK;
}

// The density of the initial state; nothing moves.
static shoal_status sph_begin(void* self) {
    sph*         s     = self;
    const double still = 1e-6; // s; any step will do
    SHOAL_TRY(shoal_water_gather(&s->water, still, method_of(s)));
    shoal_water_do(&s->water, SHOAL_WATER_density);
    return SHOAL_OK;
}

static double sph_next_dt(void* self, double interval, double left) {
    sph* s = self;
    (void)left;
    if (s->params.substeps > 0) return interval / s->params.substeps;
    double substeps = ceil(interval / shoal_water_dt(&s->water, method_of(s)));
    return interval / fmin(fmax(substeps, 1.0), 100000.0);
}

// ---------------------------------------------------------------------------------- the type

static double sph_support(const void* params, double spacing) {
    return (double)((const sph_params*)params)->support * spacing;
}

// Cells: order, keys twice, starts, sorting room; lists: start, count, both twice; all with room for a quarter more.
// Padded indices: one group more than the lattice needs, since room for them grows by half.
static size_t sph_extra_bytes(const void* params) {
    double support    = (double)((const sph_params*)params)->support;
    double neighbours = shoal_lattice_make(1.0, support, SHOAL_KERNEL_CUBIC).neighbours * 1.1;
    double groups     = ceil(neighbours / SHOAL_LANES) + 1.0;
    return (4 + 8 + 8 + 4 + 12 + 16) * 5 / 4 + (size_t)(groups * SHOAL_LANES) * sizeof(int);
}

static bool sph_refuses(const shoal_description* description, char* room, size_t size) {
    const sph_params* p = description->solver_params;
    for (int axis = 0; axis < 3; axis++) {
        if (description->domain.walls[2 * axis].kind != SHOAL_WALL_PERIODIC) continue;
        double length = shoal_d3_axis(description->domain.max, axis) - shoal_d3_axis(description->domain.min, axis);
        if (length >= 2.0 * sph_support(p, description->spacing) * (1.0 - 1e-6)) continue;
        snprintf(room, size, "support: %g spacings is more than half of the periodic length of %g m", (double)p->support, length);
        return true;
    }
    return false;
}

static void sph_set_params(void* self, const void* params) {
    sph* s    = self;
    s->params = *(const sph_params*)params;
#define COPY(name, type, value, min, max, unit, help) .name = s->params.name,
    shoal_water_params water = {SHOAL_WATER_PARAMS(COPY)};
#undef COPY
    shoal_water_set_params(&s->water, &water);
}

static void sph_destroy(void* self) {
    sph* s = self;
    if (!s) return;
    shoal_water_free(&s->water);
    shoal_free(s);
}

static shoal_status sph_create(shoal_sim_context* ctx, const void* params, void** self) {
    sph* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx              = ctx;
    shoal_status status = shoal_water_make(&s->water, ctx);
    if (status != SHOAL_OK) {
        sph_destroy(s);
        return status;
    }
    sph_set_params(s, params);
    *self = s;
    return SHOAL_OK;
}

static void sph_report(const void* self, double* stats) {
    const double* ledger = ((const sph*)self)->ctx->ledger;
    double        over   = ledger[LEDGER_SECONDS] > 0.0 ? 1.0 / ledger[LEDGER_SECONDS] : 0.0;
    stats[0]             = ledger[LEDGER_SWEEPS];
    stats[1]             = ledger[LEDGER_X] * over;
    stats[2]             = ledger[LEDGER_Y] * over;
    stats[3]             = ledger[LEDGER_Z] * over;
}

static double sph_neighbours(const void* self) {
    const sph* s   = self;
    int        n   = s->water.cells.item_count;
    double     sum = 0.0;
    for (int i = 0; i < n && s->water.near.count; i++) sum += s->water.near.count[i];
    return n > 0 ? sum / n : 0.0;
}

static const float* sph_pressure(void* self) { return shoal_set_data(((sph*)self)->ctx->particles, "pressure"); }

static const shoal_field_def fields[]     = {SHOAL_WATER_FIELDS(SHOAL_FIELD_ROW){0}};
static const char* const     stat_names[] = {"iterations", "obstacle_force_x_n", "obstacle_force_y_n", "obstacle_force_z_n", NULL};

const shoal_solver_type sph_type = {
    .name           = "sph",
    .summary        = "Smoothed Particle Hydrodynamics (WCSPH, PCISPH, DFSPH): liquids with boundary particles, pressure in Pa",
    .material_kinds = 1u << SHOAL_LIQUID,
    .params         = sph_params_table,
    .params_size    = sizeof(sph_params),
    .fields         = fields,
    .stats          = stat_names,
    .support        = sph_support,
    .extra_bytes    = sph_extra_bytes,
    .refuses        = sph_refuses,
    .create         = sph_create,
    .destroy        = sph_destroy,
    .begin          = sph_begin,
    .set_params     = sph_set_params,
    .next_dt        = sph_next_dt,
    .step           = sph_step,
    .report         = sph_report,
    .neighbours     = sph_neighbours,
    .pressure       = sph_pressure,
};
