// SPDX-License-Identifier: MIT
// Sand as grains. A step of the simulation is many substeps of the contacts, with one sort and one set of lists as long
// as no grain has moved far; the physics of one grain is in grains_pass.h.
#include "solvers/grains/grains.h"

#include <stdio.h>
#include <string.h>

#include "exec/device.h"
#include "solvers/grains/grains_local.h"

SHOAL_PARAMS_DEFINE(grains_params, GRAINS_PARAMS)

// Substeps of the contacts, and steps of the water, in a step of the simulation: enough that sorting hardly counts.
enum { SUBSTEPS_MOST = 256, WATER_STEPS_MOST = 16 };

// ---------------------------------------------------------------------------------- constants

static bool is_cut(const shoal_tape* tape) {
    const shoal_tape_node* n   = (const shoal_tape_node*)(const void*)(tape + 1);
    bool                   any = false;
    for (int left = 1; left > 0; left--, n++) {
        if (n->kind == SHOAL_SHAPE_PLACED) left++;
        if (n->kind != SHOAL_SHAPE_COMBINED) continue;
        left += n->combined.count + n->combined.joins;
        any = any || n->combined.how != SHOAL_UNION;
    }
    return any;
}

// Stuck to a wall means friction that no load overcomes. A solid keeps grains from rolling as it keeps them from
// sliding: sand has flat sides that lie on it. With the rolling resistance of grains on grains alone a bed would roll
// down on its lowest layer, as on balls, where tan(slope) is above that resistance and friction holds it. What slides
// is turned by the friction below it and by as much of the load above, which go opposite ways: a grain is kept from
// rolling up to twice the moment of the solid's friction, or the lowest layer would roll before it slides. Spheres that
// roll freely do so on solids too.
static void design_solids(grains* s) {
    const float        stuck = 1e3f, both = 2.0f;
    const shoal_world* world = s->ctx->world;
    for (int k = 0; k < GRAINS_WALLS + world->collider_count; k++) {
        const shoal_roughness* rough = k < GRAINS_WALLS ? world->rough[k] : world->colliders[k - GRAINS_WALLS].rough;
        s->solids[k].friction        = rough[SHOAL_GRANULAR].is_sticky ? stuck : rough[SHOAL_GRANULAR].friction;
        s->solids[k].rolling =
            s->all.params.rotation && s->all.params.rolling > 0.0f ? both * s->solids[k].friction : 0.0f;
        s->solids[k].is_cut = k >= GRAINS_WALLS && is_cut(world->colliders[k - GRAINS_WALLS].tape);
    }
}

static void set_view(grains* s, double dt) {
    const grains_design* d = &s->design;
    grains_view*         v = &s->all.view;
    v->count               = s->ctx->particles->count;
    v->solids              = shoal_far_copy(&s->far_solids, s->ctx->exec.device, s->solids,
                                            (size_t)(GRAINS_WALLS + s->ctx->world->collider_count) * sizeof *s->solids);
    v->dt                  = (float)dt;
    v->rate                = (float)(1.0 / dt);
    v->gravity             = shoal_v3_from(s->ctx->description->gravity);
    v->k                   = (float)d->stiffness;
    v->damping             = (float)(2.0 * d->zeta * sqrt(d->stiffness));
    v->kt                  = (float)(d->stiffness * (double)s->all.params.tangential_stiffness);
    v->kt_inverse          = 1.0f / v->kt;
    v->damping_t           = 0.5f * v->damping;
    v->rolling             = s->all.params.rotation ? s->all.params.rolling : 0.0f;
    v->rotates             = s->all.params.rotation;

    v->dents = d->dents;
    v->yield = (float)(d->yield * s->ctx->description->spacing);
    v->full  = (float)(d->full * s->ctx->description->spacing);
    v->hard  = (float)d->hard;
    v->dent  = (float)(1.0 - 1.0 / d->hard);

    v->is_wet       = d->is_wet;
    v->damping_most = (float)d->damping_most;
    v->mud          = s->all.params.mud_friction;
    v->fluid        = s->all.params.wet_fluid;
    v->bridge       = s->all.params.bridge;
    v->pull         = (float)(d->pull / (double)s->all.params.wet_fluid);
    v->gap          = s->all.params.bridge_reach * (float)d->radius;
    v->gap_inverse  = v->gap > 0.0f ? 1.0f / v->gap : 1e12f; // no gap: any is too wide
}

// ---------------------------------------------------------------------------------- the step

static void run(grains* s, grains_pass pass, int count) {
    shoal_pass_run(&s->ctx->exec, s->ctx->isa, &grains_passes, (int)pass, &s->all.view, count);
}

// The world of the solids is at the end of the step; grains meet them where they are in each substep.
static void predict_colliders(grains* s, double ahead) {
    s->all.view.ahead = ahead;
    s->here           = shoal_world_ago(s->ctx->world, ahead, s->here_colliders);
    if (s->ctx->exec.device) shoal_world_settle(&s->here, s->here_colliders);
    s->all.view.world = shoal_world_on(&s->here, s->ctx->exec.device, &s->far_world);
}

static double fastest_of(grains* s) { return sqrt(fmax(grains_fold(s, GRAINS_speed2_of, grains_block_count(s)), 0.0)); }

// What the contacts of all blocks have given to each obstacle.
static shoal_status count_pushes(grains* s, double dt) {
    shoal_device* device    = s->ctx->exec.device;
    int           colliders = s->ctx->world->collider_count, blocks = grains_block_count(s);
    const double* pushes = device ? s->pushed : s->block_push;
    if (device && colliders > 0 && blocks > 0)
        device->fetch(device, s->pushed, s->block_push, 3 * (size_t)blocks * (size_t)colliders * sizeof(double));
    SHOAL_TRY(shoal_device_check(device));
    for (int b = 0; b < blocks; b++)
        for (int c = 0; c < colliders; c++) {
            const double* push = pushes + 3 * ((size_t)b * (size_t)colliders + (size_t)c);
            grains_add_impulse(s, c, shoal_d3_make(push[0], push[1], push[2]));
        }
    grains_impulses_end(s, dt);
    return SHOAL_OK;
}

// Forces of the scene are asked here, wherever the passes run.
typedef struct push_job {
    const grains*   s;
    const uint8_t*  material;
    const int*      own;
    const shoal_v4* place;
    shoal_v4*       speed;
} push_job;

static void push_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const push_job* p    = ctx;
    double          from = p->s->end - p->s->all.view.ahead;
    for (int i = begin; i < end; i++) {
        shoal_v4* u   = &p->speed[i];
        shoal_v3 gain = shoal_forces_gain(p->s->ctx->description, p->material[p->own[i]], grains_xyz(p->place[i]), from,
                                          from + (double)p->s->all.view.dt);
        u->x += gain.x, u->y += gain.y, u->z += gain.z;
    }
}

// Forces of the scene act in every substep of the contacts: at once for a whole step they would be blows to a heap at
// rest.
static shoal_status push(grains* s) {
    shoal_device* device = s->ctx->exec.device;
    grains_work*  w      = &s->all.work;
    size_t        count  = (size_t)s->all.view.count;
    double        from   = s->end - s->all.view.ahead;
    if (!shoal_forces_act(s->ctx->description, from, from + (double)s->all.view.dt)) return SHOAL_OK;
    push_job p = {s, shoal_set_read(s->ctx->particles, "material"), w->own, w->place[0], w->speed[0]};
    if (device) {
        SHOAL_TRY(shoal_reserve((void**)&s->near_place, &s->near_capacity[0], (int)count, sizeof *s->near_place));
        SHOAL_TRY(shoal_reserve((void**)&s->near_speed, &s->near_capacity[1], (int)count, sizeof *s->near_speed));
        SHOAL_TRY(shoal_reserve((void**)&s->near_own, &s->near_capacity[2], (int)count, sizeof *s->near_own));
        shoal_v4 *place = s->near_place, *speed = s->near_speed;
        int*      own = s->near_own;
        device->fetch(device, place, w->place[0], count * sizeof *place);
        device->fetch(device, speed, w->speed[0], count * sizeof *speed);
        device->fetch(device, own, w->own, count * sizeof *own);
        SHOAL_TRY(shoal_device_check(device));
        p.own = own, p.place = place, p.speed = speed;
    }
    const shoal_exec here = {.threads = s->ctx->exec.threads};
    shoal_blocks(&here, s->all.view.count, GRAINS_BLOCK, push_block, &p);
    if (device) device->send(device, w->speed[0], p.speed, count * sizeof *p.speed);
    grains_fill_halo(s);
    return SHOAL_OK;
}

// The contacts through dt, in substeps; the solids are where they will be `left` after its beginning.
static shoal_status touch(grains* s, double dt, double left) {
    double steps = fmax(ceil(dt / s->design.dt - 1e-6), 1.0), fastest = 0.0;
    s->all.view.dt    = (float)(dt / steps);
    s->all.view.rate  = (float)(steps / dt);
    s->all.view.sinks = s->design.dents ? (float)fmin(dt / steps / s->design.sinks, 1.0) : 0.0f;
    grains_lists_dampen(s);
    for (int k = 0; k < (int)steps; k++) {
        if (grains_is_worn(s)) SHOAL_TRY(grains_sort_anew(s, fastest));
        predict_colliders(s, left - dt * (k / steps));
        SHOAL_TRY(push(s));
        run(s, GRAINS_advance, s->all.view.count);
        if (s->ctx->world->collider_count > 0) run(s, GRAINS_feel, grains_block_count(s));
        grains_swap(s);
        grains_fill_halo(s);
        fastest = fastest_of(s);
        SHOAL_TRY(shoal_device_check(s->ctx->exec.device));
        if (!isfinite(fastest)) return shoal_fail(SHOAL_ERR_DIVERGE, "a grain's speed stopped being finite");
        grains_lists_go(s, fastest);
    }
    *s->dem_steps += (int64_t)steps;
    shoal_stage(s->ctx, SHOAL_STAGE_SOLVE);
    return SHOAL_OK;
}

static shoal_status grains_step(void* self, double dt) {
    grains* s = self;
    set_view(s, fmin(dt, s->design.dt));
    predict_colliders(s, dt);
    s->end = s->ctx->time + dt;
    grains_impulses_begin(s);
    SHOAL_TRY(grains_sort_set(s, dt));
    int64_t before = s->balance->present + s->balance->evaporated - s->balance->emitted;

    // the water flows round the grains as they stand, pushes them, and is taken up; then they move
    if (s->water) SHOAL_TRY(grains_soak_begin(s, dt));
    double part = 0.0;
    for (double left = dt; left > 0.0; left = part < left ? left - part : 0.0) {
        if (s->water) SHOAL_TRY(grains_water_come(s, dt - left, part));
        part = grains_water_part(s, left);
        if (s->water) {
            SHOAL_TRY(grains_water_step(s, part, left));
            SHOAL_TRY(grains_absorb(s));
        }
        SHOAL_TRY(touch(s, part, left));
    }
    predict_colliders(s, 0.0);

    run(s, GRAINS_gauge, s->all.view.count);
    SHOAL_TRY(grains_lists_keep(s));
    if (s->design.is_wet) SHOAL_TRY(grains_wet_step(s, dt));
    if (s->water) SHOAL_TRY(grains_regenerate(s));
    grains_store_set(s);
    if (s->water) SHOAL_TRY(grains_water_hold(s, dt, part));
    s->balance->present = grains_present(s);
    int64_t astray      = s->balance->present + s->balance->evaporated - s->balance->emitted - before;
    if (astray != 0) return shoal_fail(SHOAL_ERR_INTERNAL, "%lld quanta of water went astray", (long long)astray);
    SHOAL_TRY(count_pushes(s, dt));
    shoal_stage(s->ctx, SHOAL_STAGE_VELOCITY);
    return SHOAL_OK;
}

// Sizes and masses, for frame 0.
static shoal_status grains_begin(void* self) {
    grains_show(self);
    return SHOAL_OK;
}

// The water sees a moving solid where it is at the end of a step; and grains that may come, within dt, where a stream
// of water comes out, are put out of its way there.
static bool has_motion(const grains* s, double dt) {
    for (int c = 0; c < s->ctx->world->collider_count; c++)
        if (s->ctx->world->colliders[c].moves) return true;
    double fastest = shoal_set_fastest(s->ctx->particles, &s->ctx->exec) + dt * shoal_acceleration_now(s->ctx);
    double margin  = s->ctx->description->spacing + dt * fastest;
    return s->water && !s->ctx->streams.are_clear(s->ctx->streams.sim, s->ctx->particles, margin);
}

static shoal_status grains_plan(void* self, shoal_plan* plan) {
    grains* s     = self;
    double  water = fmax(grains_water_dt(s), 1e-5 * plan->interval); // however hard it was pushed, a step has an end
    double  most =
        fmin(fmin(plan->interval, grains_wet_dt(s)), fmin(SUBSTEPS_MOST * s->design.dt, WATER_STEPS_MOST * water));
    plan->dt = most > water && has_motion(s, most) ? water : most;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the type

static double grains_support(const void* params, double spacing) {
    const grains_params* p = params;
    return spacing * (1.0 + (double)p->spread + (double)GRAINS_MARGIN_MOST + 0.5 * (double)p->bridge_reach);
}

// Work arrays twice, cells, lists of one and a half groups, kept contacts; where there is water, its lists and samples
// too, as measured on the shipped scenes.
static double grains_extra_bytes(const shoal_description* description, double particles) {
    bool has_water = false;
    for (int b = 0; b < description->body_count; b++)
        has_water |= description->materials[description->bodies[b].material].kind == SHOAL_LIQUID;
    for (int e = 0; e < description->emitter_count; e++)
        has_water |= description->materials[description->emitters[e].material].kind == SHOAL_LIQUID;
    const double at_rest = 3.5e6; // tables of kernels, blocks of loops
    const double each    = 7.0;   // contacts kept, both partners': six touch, and some of them a solid
    double       history = each * (double)shoal_set_bytes_per_item(grains_sets[GRAINS_CONTACTS].fields);
    return at_rest +
           particles * (8 * 16 + 8 * 4 + 36 + 64 + 3.0 * SHOAL_LANES / 2 * 28 + history + (has_water ? 400.0 : 0.0));
}

// Grains that are pressed or shrink into nothing.
static bool grains_refuses(const shoal_description* description, char* buffer, size_t size) {
    const grains_params* p      = description->solver_params;
    grains_design        d      = grains_design_make(description, p);
    double               shrunk = (double)p->wet_shrink * (double)p->wet_max;
    if (d.overlap_rest > 0.501) // twenty times softer than by itself is just allowed
        shoal_add_line(
            buffer, size,
            "the weight above and bridges would press grains %.3g %% of their diameter into each other at rest, more "
            "than 50: a smaller softness or cohesion, or a greater stiffness, keeps them apart",
            100.0 * d.overlap_rest);
    if (d.is_wet && shrunk > 0.5)
        shoal_add_line(buffer, size, "wet_shrink times wet_max is %.3g: a grain shrinks by half its radius at most",
                       shrunk);
    grains_water_refuses(description, buffer, size);
    return buffer[0] != '\0';
}

// What would overlap much, or go in circles.
static bool grains_warns(const shoal_description* description, char* buffer, size_t size) {
    const grains_params* p = description->solver_params;
    grains_design        d = grains_design_make(description, p);
    if (d.overlap_rest > 0.05 || d.overlap_impact > 0.2)
        shoal_add_line(
            buffer, size,
            "grains will overlap by about %.2g %% of their diameter at rest and %.2g %% at impacts of %.3g m/s; a "
            "smaller softness or max_overlap makes them stiffer",
            100.0 * d.overlap_rest, 100.0 * d.overlap_impact, d.impact);
    if (p->regeneration > 0.0f && p->absorption && p->wet_release < p->wet_threshold)
        shoal_add_line(buffer, size, "wet_release is below wet_threshold: grains drink again what they give back");
    return buffer[0] != '\0';
}

// A substep of the frame is many steps of the contacts.
static bool grains_remarks(const shoal_description* description, char* buffer, size_t size) {
    const grains_params* p    = description->solver_params;
    grains_design        d    = grains_design_make(description, p);
    int                  used = snprintf(
                         buffer, size,
                         "stiffness %.3g N/m, contacts of %.3g s, %.0f contact steps of %.3g s per frame, many in a substep; "
                                          "overlap %.2g %% of the diameter at rest on average (single contacts two to three times that), %.2g %% "
                                          "at impacts of %.3g m/s%s",
                         d.stiffness, d.contact_time, ceil(1.0 / description->fps / d.dt), d.dt, 100.0 * d.overlap_rest,
                         100.0 * d.overlap_impact, d.impact, d.dents ? " and below moving obstacles" : "");
    if (p->softness == 1.0f || used < 0 || (size_t)used >= size) return used > 0;
    grains_params hard = *p;
    hard.softness      = 1.0f;
    d                  = grains_design_make(description, &hard);
    snprintf(buffer + used, size - (size_t)used, "; softness 1 would take %.0f steps and overlap by %.2g and %.2g %%",
             ceil(1.0 / description->fps / d.dt), 100.0 * d.overlap_rest, 100.0 * d.overlap_impact);
    return true;
}

static void grains_set_params(void* self, const void* params) {
    grains* s     = self;
    s->all.params = *(const grains_params*)params;
    s->design     = grains_design_make(s->ctx->description, &s->all.params);
    design_solids(s);
    grains_water_set_params(s);
}

static void grains_destroy(void* self) {
    grains* s = self;
    if (!s) return;
    shoal_device* device = s->ctx->exec.device;
    grains_work_free(&s->all.work, device);
    grains_lists_free(&s->all.view.lists, device);
    shoal_near_free(&s->all.near);
    shoal_halo_free(&s->halo);
    shoal_cells_free(&s->cells);
    shoal_far_free(device, s->block_speed2);
    shoal_far_free(device, s->block_push);
    shoal_far_release(&s->far_solids);
    shoal_far_release(&s->far_stuff);
    shoal_world_far_free(&s->far_world);
    shoal_free(s->pushed);
    shoal_free(s->near_place);
    shoal_free(s->near_speed);
    shoal_free(s->near_own);
    shoal_free(s->solids);
    shoal_free(s->stuff);
    shoal_free(s->here_colliders);
    grains_water_free(s);
    shoal_free(s);
}

static shoal_status grains_create(shoal_sim_context* ctx, const void* params, void** self) {
    grains* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx              = ctx;
    ctx->kick           = SHOAL_KICK_WITHIN;
    ctx->is_by_mean     = true;
    s->solids           = shoal_alloc((size_t)(GRAINS_WALLS + ctx->world->collider_count), sizeof *s->solids);
    s->stuff            = shoal_alloc((size_t)ctx->description->material_count, sizeof *s->stuff);
    s->here_colliders   = shoal_alloc(ctx->world->bytes + sizeof *s->here_colliders, 1);
    shoal_status status = s->solids && s->stuff && s->here_colliders ? grains_water_make(s) : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) status = grains_state_make(s);
    if (status == SHOAL_OK && ctx->world->bytes > 0)
        memcpy(s->here_colliders, ctx->world->colliders, ctx->world->bytes);
    if (status != SHOAL_OK) {
        grains_destroy(s);
        return status;
    }
    grains_set_params(s, params);
    *self = s;
    return SHOAL_OK;
}

static const char* friction_is_idle(const shoal_description* description, int material) {
    (void)material;
    return ((const grains_params*)description->solver_params)->friction > 0.0f ? "grains.friction stands in its place"
                                                                               : NULL;
}

static const char* cohesion_is_idle(const shoal_description* description, int material) {
    (void)description;
    (void)material;
    return "grains hold together where they are wet, by grains.cohesion and the material's wetness";
}

static const char* size_is_idle(const shoal_description* description, int material) {
    (void)description;
    (void)material;
    return "grains are as large as the spacing";
}

static const shoal_material_use uses[]    = {{"density", SHOAL_LIQUID, NULL},
                                             {"viscosity", SHOAL_LIQUID, NULL},
                                             {"density", SHOAL_GRANULAR, NULL},
                                             {"packing", SHOAL_GRANULAR, NULL},
                                             {"friction_angle", SHOAL_GRANULAR, friction_is_idle},
                                             {"boundary_friction", SHOAL_GRANULAR, shoal_walls_idle},
                                             {"cohesion", SHOAL_GRANULAR, cohesion_is_idle},
                                             {"grain_size", SHOAL_GRANULAR, size_is_idle},
                                             {"wetness", SHOAL_GRANULAR, NULL},
                                             {0}};
static const char* const        laid_by[] = {"spread", "water_spacing", NULL};

static const shoal_passes* const device_passes[] = {&grains_passes,      &grains_state_passes,   &grains_among_passes,
                                                    &shoal_water_passes, &shoal_boundary_passes, &shoal_load_passes,
                                                    &shoal_halo_passes,  &shoal_thick_passes,    NULL};

const shoal_solver_type grains_type = {
    .name = "grains",
    .summary =
        "Grains of sand with static friction, rolling resistance, wetness and water (Rungjiratananon et al. 2008)",
    .material_kinds   = 1u << SHOAL_GRANULAR | 1u << SHOAL_LIQUID,
    .material_uses    = uses,
    .params           = grains_params_table,
    .laid_by          = laid_by,
    .params_size      = sizeof(grains_params),
    .sets             = grains_sets,
    .columns          = grains_columns,
    .obstacle_columns = grains_obstacle_columns,
    .bodies           = SHOAL_BODIES_SPHERES,
    .support          = grains_support,
    .extra_bytes      = grains_extra_bytes,
    .device_passes    = device_passes,
    .verdicts   = {[SHOAL_REFUSAL] = grains_refuses, [SHOAL_WARNING] = grains_warns, [SHOAL_REMARK] = grains_remarks},
    .create     = grains_create,
    .destroy    = grains_destroy,
    .arrive     = grains_arrive,
    .leave      = grains_leave,
    .begin      = grains_begin,
    .set_params = grains_set_params,
    .plan       = grains_plan,
    .step       = grains_step,
    .streams_within = 1u << SHOAL_LIQUID,
    .report         = grains_report,
    .neighbours     = grains_neighbours,
    .check          = grains_check,
};
