// SPDX-License-Identifier: MIT
// The step and the solver type of particles that fly and bounce.
#include "solvers/minimal/minimal.h"

#include "solvers/minimal/minimal_pass.h"

SHOAL_PARAMS_DEFINE(minimal_params, MINIMAL_PARAMS)

typedef struct minimal {
    shoal_sim_context* ctx;
    minimal_params     params;
} minimal;

SHOAL_LOOP(fly, minimal_view, minimal_fly)
SHOAL_LOOP(bounce, minimal_view, minimal_bounce)
static const shoal_loop   loops[] = {fly, bounce};
static const shoal_passes passes  = {.block = 4096,
                                     .loops = {{[SHOAL_ISA_PLAIN] = loops}}}; // by threads that take 4096 each

static shoal_status minimal_step(void* self, double dt) {
    const minimal*           s         = self;
    const shoal_description* d         = s->ctx->description;
    shoal_set*               set       = s->ctx->particles;
    static const char* const changed[] = {"position", "velocity", "bounces"}; // and as they were, should the step fail
    for (int k = 0; k < 3; k++) SHOAL_TRY(shoal_set_keep(set, changed[k]));
    minimal_view view = {.world = s->ctx->world, .params = s->params, .dt = (float)dt}, *v = &view;
    v->radius  = 0.5f * (float)d->spacing;
    v->gravity = shoal_v3_from(d->gravity);
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_BIND)
    MINIMAL_FIELDS(SHOAL_FIELD_BIND)
    for (int k = 0; k < 2; k++) shoal_pass_run(&s->ctx->exec, s->ctx->isa, &passes, k, v, set->count);
    return SHOAL_OK;
}

static shoal_status minimal_plan(void* self, shoal_plan* plan) {
    const minimal* s     = self;
    double         steps = s->params.substeps, interval = plan->interval;
    double fastest = shoal_set_fastest(s->ctx->particles, &s->ctx->exec) + shoal_acceleration_now(s->ctx) * interval;
    if (!(steps > 0.0)) steps = fmin(ceil(1.0 + fastest * interval / (0.5 * s->ctx->description->spacing)), 100000.0);
    plan->dt = interval / steps;
    return SHOAL_OK;
}

static void minimal_set_params(void* self, const void* now) { ((minimal*)self)->params = *(const minimal_params*)now; }

static shoal_status minimal_create(shoal_sim_context* ctx, const void* params, void** self) {
    minimal* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    ctx->is_by_mean = true;
    *s              = (minimal){ctx, *(const minimal_params*)params};
    *self           = s;
    return SHOAL_OK;
}

static const shoal_material_use uses[]   = {{"density", SHOAL_LIQUID, NULL},
                                            {"density", SHOAL_GRANULAR, NULL},
                                            {"boundary_friction", SHOAL_GRANULAR, shoal_walls_idle},
                                            {0}};
static const shoal_field_def    fields[] = {MINIMAL_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_set_def      sets[]   = {{.name = "particles", .life = SHOAL_SORTED, .fields = fields}, {0}};

const shoal_solver_type minimal_type = {
    .name           = "minimal",
    .summary        = "particles that fly and bounce, and do not see each other: the solver to read first",
    .material_kinds = 1u << SHOAL_LIQUID | 1u << SHOAL_GRANULAR,
    .material_uses  = uses,
    .params         = minimal_params_table,
    .params_size    = sizeof(minimal_params),
    .sets           = sets,
    .create         = minimal_create,
    .destroy        = shoal_free,
    .set_params     = minimal_set_params,
    .plan           = minimal_plan,
    .step           = minimal_step,
};
