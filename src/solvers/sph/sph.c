// SPDX-License-Identifier: MIT
// Smoothed Particle Hydrodynamics: three ways to the pressure. The physics of one particle is in fluid/water_pass.h;
// here are the steps and the solver type.
#include "solvers/sph/sph.h"

#include <stdio.h>
#include <string.h>

#include "fluid/overturn.h"
#include "fluid/stride.h"
#include "solvers/sph/sph_params.h"
#include "state/reach.h"

SHOAL_PARAMS_DEFINE(sph_params, SPH_PARAMS)

// clang-format off
#define SPH_COLUMNS(X)                                                                                                      \
    X(iterations, "", SOLVER, ZERO, "iterations per substep", "", "iterations per substep", "most sweeps of a substep in this frame") \
    SHOAL_FORCE_COLUMNS(X, "the liquid")                                                                                    \
    X(unsolved,   "", SOLVER, FREE, "", "", "", "substeps of this frame whose sweeps gave up above the `tolerance` (`pcisph`, `dfsph`)") \
    X(overturned, "", SOLVER, FREE, "", "", "", "pairs of a light particle and a heavy one above that changed places in this frame (`overturn`)")
// Of an obstacle: all of the force, and what of it is friction.
#define SPH_OBSTACLE_COLUMNS(X)                                                                                             \
    X(force_x_n,    "N", SOLVER, FREE, "", "", "", "force of the liquid on the obstacle NAME, mean over the frame")             \
    X(force_y_n,    "N", SOLVER, FREE, "", "", "", "the same along y")                                                      \
    X(force_z_n,    "N", SOLVER, FREE, "", "", "", "the same along z")                                                      \
    X(friction_x_n, "N", SOLVER, FREE, "", "", "", "the part of it that is friction (Coulomb's, or viscous where it sticks)") \
    X(friction_y_n, "N", SOLVER, FREE, "", "", "", "the same along y")                                                      \
    X(friction_z_n, "N", SOLVER, FREE, "", "", "", "the same along z")
// clang-format on
#define X(name, ...) COLUMN_##name,
enum { SPH_COLUMNS(X) COLUMN_COUNT };
#undef X

enum { SPH_PARTICLES, SPH_LOADS, SPH_SETS }; // of the state, in its order

typedef struct sph {
    shoal_sim_context*     ctx;
    sph_params             params;
    shoal_water            water;
    int                    collider_count;
    shoal_water_force*     impulses; // [collider_count] impulses of this interval, of the set of loads
    shoal_overturn_scratch films;
} sph;

// Of the interval: the most sweeps of a substep, its length so far, substeps whose solve missed the tolerance, and
// pairs that have changed places.
enum { TOTAL_SWEEPS, TOTAL_SECONDS, TOTAL_UNSOLVED, TOTAL_OVERTURNED, TOTAL_COUNT };
_Static_assert((int)TOTAL_COUNT <= (int)SHOAL_TOTALS_MOST, "the totals have an entry for each of these");

static shoal_water_method method_of(const sph* s) { return (shoal_water_method)s->params.pressure; }

static size_t impulses_size(const sph* s) { return (size_t)s->collider_count * sizeof *s->impulses; }

static shoal_status add_totals(sph* s, double dt) {
    double* totals = s->ctx->totals;
    if (totals[TOTAL_SECONDS] == 0.0 && s->collider_count > 0) memset(s->impulses, 0, impulses_size(s));
    totals[TOTAL_SWEEPS] = fmax(totals[TOTAL_SWEEPS], s->water.sweeps);
    totals[TOTAL_SECONDS] += dt;
    if (!s->water.is_solved) totals[TOTAL_UNSOLVED] += 1.0;
    return shoal_water_load(&s->water, s->impulses);
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
    shoal_water_solenoidal(w);
    shoal_water_incompressible(w);
}

// What one pair after the other changes is done here, wherever the passes run.
static shoal_status view_here(sph* s, shoal_water_view* v) {
    const shoal_exec here = {.threads = s->ctx->exec.threads}, *exec = &here;
    shoal_water*     w   = &s->water;
    shoal_set*       set = w->set;
    if (!s->ctx->exec.device) return SHOAL_OK;
    SHOAL_TRY(shoal_near_fetch(&w->near_here, &w->near, v->count));
    set->ghosts = w->halo.count; // images have a material, too
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_BIND_TO)
    set->ghosts = 0;
    v->pressure = shoal_set_bind(set, exec, "pressure");
    v->settling = shoal_set_bind(set, exec, "settling");
    v->wall     = shoal_set_bind(set, exec, "wall");
    v->near     = w->near_here;
    v->solids   = w->solids;
    return shoal_device_check(s->ctx->exec.device);
}

static bool is_beside_solid(void* user, int i) {
    const shoal_water_view* v = user;
    return v->wall[i].w > 0.5f * v->first_fraction || shoal_mirrors_are_near(&v->solids, v->position[i], v->d);
}

static void change_places(void* user, int i, int j) {
    shoal_water_view* v        = user;
    shoal_v3          x        = v->position[i];
    float             pressure = v->pressure[i], settling = v->settling[i];
    v->position[i] = v->position[j], v->pressure[i] = v->pressure[j], v->settling[i] = v->settling[j];
    v->position[j] = x, v->pressure[j] = pressure, v->settling[j] = settling;
}

static shoal_status overturn(sph* s) {
    shoal_water_view v = s->water.view;
    if (!s->params.overturn || !v.is_uneven) return SHOAL_OK;
    SHOAL_TRY(view_here(s, &v));
    shoal_overturn   films = {.count           = v.count,
                              .near            = v.near,
                              .d               = v.d,
                              .dt              = v.dt,
                              .gravity         = s->ctx->description->gravity,
                              .materials       = s->ctx->description->materials,
                              .id              = v.id,
                              .material        = v.material,
                              .position        = v.position,
                              .user            = &v,
                              .is_beside_solid = is_beside_solid,
                              .change_places   = change_places};
    const shoal_exec here  = {.threads = s->ctx->exec.threads};
    return shoal_overturn_films(&films, &here, &s->films, &s->ctx->totals[TOTAL_OVERTURNED]);
}

static shoal_status sph_step(void* self, double dt) {
    static void (*const steps[])(shoal_water*) = {wcsph_step, pcisph_step, dfsph_step};
    sph*         s                             = self;
    shoal_water* w                             = &s->water;

    // neighbours where they are, what pushes them, and where they go
    SHOAL_TRY(shoal_water_gather(w, dt, method_of(s)));
    shoal_water_melt(w);
    steps[s->params.pressure](w);
    shoal_water_shift(w);
    shoal_stage(s->ctx, SHOAL_STAGE_SOLVE);
    shoal_water_do(w, SHOAL_WATER_advance);
    SHOAL_TRY(add_totals(s, dt));
    SHOAL_TRY(overturn(s));
    shoal_stage(s->ctx, SHOAL_STAGE_INTEGRATE);
    return SHOAL_OK;
}

// The density of the initial state; nothing moves.
static shoal_status sph_begin(void* self) {
    sph*         s     = self;
    const double still = 1e-6; // s; any step will do
    SHOAL_TRY(shoal_water_gather(&s->water, still, method_of(s)));
    shoal_water_do(&s->water, SHOAL_WATER_density);
    return shoal_device_check(s->ctx->exec.device);
}

static shoal_status sph_plan(void* self, shoal_plan* plan) {
    sph*   s     = self;
    double steps = s->params.substeps;
    if (!(steps > 0.0)) {
        double dt = shoal_water_dt(&s->water, method_of(s)) * shoal_water_care(&s->water, method_of(s));
        steps     = fmin(fmax(ceil(plan->interval / dt), 1.0), 100000.0);
    }
    plan->dt = plan->interval / steps;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the type

static double sph_support(const void* params, double spacing) {
    return (double)((const sph_params*)params)->support * spacing;
}

// Cells: order, keys twice, starts, sorting room; lists: start, count, both twice, coordinates; all with room for a
// quarter more. Padded indices, and slopes of pairs where sweeps follow: one group more than the lattice needs, since
// room for them grows by half. Layers of samples behind closed walls, with lists of their own: measured, bytes per d^2
// of wall.
static double sph_extra_bytes(const shoal_description* description, double particles) {
    const double      of_boundary = 650.0;
    const sph_params* p           = description->solver_params;
    double            neighbours  = shoal_lattice_make(1.0, (double)p->support, SHOAL_KERNEL_CUBIC).neighbours * 1.1;
    double            groups      = ceil(neighbours / SHOAL_LANES) + 1.0;
    double            each = (double)(sizeof(int) + (p->pressure == SHOAL_WATER_WCSPH ? 0 : 3 * sizeof(int16_t)));
    double            d2   = description->spacing * description->spacing;
    return particles * ((4 + 8 + 8 + 4 + 12 + 16 + 12) * 5 / 4 + groups * SHOAL_LANES * each) +
           of_boundary * shoal_domain_area(&description->domain) / d2;
}

static bool sph_refuses(const shoal_description* description, char* buffer, size_t size) {
    const sph_params* p = description->solver_params;
    shoal_density_refuses(description, buffer, size);
    for (int axis = 0; axis < 3; axis++) {
        if (description->domain.walls[2 * axis].kind != SHOAL_WALL_PERIODIC) continue;
        double length = shoal_d3_axis(description->domain.max, axis) - shoal_d3_axis(description->domain.min, axis);
        if (length >= 2.0 * sph_support(p, description->spacing) * (1.0 - 1e-6)) continue;
        shoal_add_line(buffer, size, "support: %g spacings is more than half of the periodic length of %g m",
                       (double)p->support, length);
    }
    return buffer[0] != '\0';
}

static bool sph_warns(const shoal_description* description, char* buffer, size_t size) {
    const sph_params* p = description->solver_params;
    if (p->pressure != SHOAL_WATER_WCSPH) shoal_density_warning(description, buffer, size);
    double speed = shoal_liquid_speed(description, p->tension != SHOAL_WATER_TENSION_NONE);
    shoal_viscosity_warning(description, 0.4 * (double)p->xsph * description->spacing * speed, buffer, size);
    return buffer[0] != '\0';
}

static void sph_set_params(void* self, const void* params) {
    sph* s           = self;
    s->params        = *(const sph_params*)params;
    s->water.melt    = (double)s->params.melt;
    s->water.mirrors = s->params.mirror;
    s->water.shifts  = method_of(s) != SHOAL_WATER_WCSPH;
#define COPY(S, name, ...) .name = s->params.name,
    shoal_water_params water     = {SHOAL_WATER_PARAMS(COPY, )};
#undef COPY
    shoal_water_set_params(&s->water, &water);
}

static void sph_destroy(void* self) {
    sph* s = self;
    if (!s) return;
    shoal_water_free(&s->water);
    shoal_free(s->films.who);
    shoal_free(s);
}

static shoal_status make_loads(sph* s) {
    s->collider_count = s->ctx->world->collider_count;
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[SPH_LOADS], s->collider_count));
    s->impulses = shoal_set_data(s->ctx->sets[SPH_LOADS], "impulse");
    return SHOAL_OK;
}

static shoal_status sph_create(shoal_sim_context* ctx, const void* params, void** self) {
    sph* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx              = ctx;
    shoal_status status = shoal_water_make(&s->water, ctx, ctx->particles, SHOAL_LIQUID);
    if (status == SHOAL_OK) status = make_loads(s);
    if (status != SHOAL_OK) {
        sph_destroy(s);
        return status;
    }
    sph_set_params(s, params);
    *self = s;
    return SHOAL_OK;
}

static void sph_report(const void* self, double* values) {
    const sph* s    = self;
    double     span = s->ctx->totals[TOTAL_SECONDS], over = span > 0.0 ? 1.0 / span : 0.0;
    double*    of  = values + COLUMN_COUNT; // of obstacles with a name
    shoal_d3   sum = {0.0, 0.0, 0.0};
    for (int c = 0; c < s->collider_count; c++) {
        shoal_d3 friction = s->impulses[c].friction, all = shoal_d3_add(s->impulses[c].pressure, friction);
        if (span > 0.0) sum = shoal_d3_add(sum, all);
        if (!shoal_obstacle_is_named(&s->ctx->world->obstacles[c])) continue;
        for (int axis = 0; axis < 3; axis++) *of++ = shoal_d3_axis(all, axis) * over;
        for (int axis = 0; axis < 3; axis++) *of++ = shoal_d3_axis(friction, axis) * over;
    }
    values[COLUMN_iterations] = s->ctx->totals[TOTAL_SWEEPS];
    for (int axis = 0; axis < 3; axis++) values[COLUMN_obstacle_force_x_n + axis] = shoal_d3_axis(sum, axis) * over;
    values[COLUMN_unsolved]   = s->ctx->totals[TOTAL_UNSOLVED];
    values[COLUMN_overturned] = s->ctx->totals[TOTAL_OVERTURNED];
}

static double sph_unsolved(const void* self) { return ((const sph*)self)->water.is_solved ? 0.0 : 1.0; }

static double sph_neighbours(const void* self) {
    const sph* s = self;
    return shoal_near_mean(&s->water.near, &s->ctx->exec, s->water.cells.item_count);
}

static const char* tension_is_idle(const shoal_description* description, int material) {
    (void)material;
    return ((const sph_params*)description->solver_params)->tension == SHOAL_WATER_TENSION_NONE
               ? "sph.tension is none; set it to becker or akinci"
               : NULL;
}

static const shoal_material_use uses[]        = {{"density", SHOAL_LIQUID, NULL},
                                                 {"viscosity", SHOAL_LIQUID, NULL},
                                                 {"surface_tension", SHOAL_LIQUID, tension_is_idle},
                                                 {0}};
static const shoal_field_def    fields[]      = {SHOAL_WATER_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def    load_fields[] = {
       SHOAL_FIELD("impulse", D3, 2, STATE, "kg m/s", "given to an obstacle in this interval: by pressure, by friction"),
       {0}};
static const shoal_set_def sets[] = {
    [SPH_PARTICLES] = {"particles", SHOAL_SORTED, fields, 0, NULL},
    [SPH_LOADS]     = {"loads", SHOAL_FIXED, load_fields, 0, NULL},
    [SPH_SETS]      = {0},
};
static const shoal_column_def columns[]          = {SPH_COLUMNS(SHOAL_COLUMN_ROW){0}};
static const shoal_column_def obstacle_columns[] = {SPH_OBSTACLE_COLUMNS(SHOAL_COLUMN_ROW){0}};

// Waves that keep their pace and travel; what it costs: docs/reference/speed.md.
static const shoal_param_preset fine[] = {{"support", 2.5}, {"melt", 1.0}, {"mirror", 1.0}, {0}};

static const shoal_passes* const device_passes[] = {&shoal_water_passes, &shoal_boundary_passes, &shoal_load_passes,
                                                    &shoal_halo_passes,  &shoal_thick_passes,    NULL};

const shoal_solver_type sph_type = {
    .name             = "sph",
    .summary          = "Smoothed Particle Hydrodynamics (WCSPH, PCISPH, DFSPH): liquids with boundary "
                        "particles, pressure in Pa",
    .material_kinds   = 1u << SHOAL_LIQUID,
    .material_uses    = uses,
    .params           = sph_params_table,
    .fine             = fine,
    .params_size      = sizeof(sph_params),
    .sets             = sets,
    .columns          = columns,
    .obstacle_columns = obstacle_columns,
    .support          = sph_support,
    .extra_bytes      = sph_extra_bytes,
    .device_passes    = device_passes,
    .verdicts         = {[SHOAL_REFUSAL] = sph_refuses, [SHOAL_WARNING] = sph_warns},
    .create           = sph_create,
    .destroy          = sph_destroy,
    .begin            = sph_begin,
    .set_params       = sph_set_params,
    .plan             = sph_plan,
    .step             = sph_step,
    .unsolved         = sph_unsolved,
    .report           = sph_report,
    .neighbours       = sph_neighbours,
};
