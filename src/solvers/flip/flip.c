// SPDX-License-Identifier: MIT
// FLIP: the step reads like section 4.2 of the paper. Grid, transfers and projection are in mac/, friction of sand and
// its mixture with water in granular/.
#include "solvers/flip/flip.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "mac/mac_extend.h"
#include "mac/mac_level.h"
#include "mac/mac_solid.h"
#include "solvers/flip/flip_local.h"
#include "state/reach.h"

SHOAL_PARAMS_DEFINE(flip_params, FLIP_PARAMS)

// Farthest that evening out moves a particle in one substep, in cells.
static const float even_most = 0.5f;
// Layers of faces beyond those with particles whose velocity of before is kept.
enum { SAVED_LAYERS = 2 };

// ---------------------------------------------------------------------------------- pieces of the step

static void set_view(flip* s, flip_phase* p, double kick) {
    shoal_set*           set     = s->ctx->particles;
    shoal_mac_particles* v       = &p->view;
    double               density = (double)p->material->density;
    *v = (shoal_mac_particles){.position       = (shoal_v3*)shoal_set_data(set, "position") + p->begin,
                               .velocity       = (shoal_v3*)shoal_set_data(set, "velocity") + p->begin,
                               .material       = (uint8_t*)shoal_set_data(set, "material") + p->begin,
                               .pressure       = (float*)shoal_set_data(set, "pressure") + p->begin,
                               .density        = (float*)shoal_set_data(set, "density") + p->begin,
                               .wetness        = p->is_sand ? (float*)shoal_set_data(set, "wetness") + p->begin : NULL,
                               .pressure_scale = (float)(density * s->dx / kick),
                               .density_scale  = (float)density,
                               .wetness_of     = p->is_sand ? s->wetness_of : NULL,
                               .rest           = 8.0f,
                               .world          = s->has_thin ? &s->begin : NULL};
    if (p->transfer != FLIP_TRANSFER_APIC) return;
    static const char* const names[3] = {"affine_x", "affine_y", "affine_z"};
    for (int axis = 0; axis < 3; axis++) v->affine[axis] = (shoal_v3*)shoal_set_data(set, names[axis]) + p->begin;
}

static shoal_status reserve_sort(flip* s, int count) {
    if (count <= s->sort_capacity) return SHOAL_OK;
    shoal_free(s->place);
    shoal_free(s->order);
    shoal_free(s->sorted);
    s->sort_capacity = 0;
    size_t n         = (size_t)count + (size_t)count / 4 + 64;
    s->place         = shoal_alloc(n, sizeof *s->place);
    s->order         = shoal_alloc(n, sizeof *s->order);
    s->sorted        = shoal_alloc(n, sizeof *s->sorted);
    if (!s->place || !s->order || !s->sorted) return SHOAL_ERR_MEMORY;
    s->sort_capacity = (int)n;
    return SHOAL_OK;
}

// Particles of two phases: those of the first, then those of the second, each in the order of its cells.
static shoal_status sort_phases(flip* s) {
    shoal_set*      set      = s->ctx->particles;
    const shoal_v3* position = shoal_set_data(set, "position");
    const uint8_t*  material = shoal_set_data(set, "material");
    int             count    = 0;
    SHOAL_TRY(reserve_sort(s, set->count));
    ALL_PHASES(s, p) {
        p->begin = count;
        for (int i = 0; i < set->count; i++) {
            if ((s->is_sand[material[i]] != 0) != p->is_sand) continue;
            s->sorted[count]  = position[i];
            s->place[count++] = i;
        }
        p->count = count - p->begin;
        SHOAL_TRY(shoal_mac_sort(&p->mac, &s->ctx->exec, &s->grid, s->sorted + p->begin, p->count));
        for (int i = 0; i < p->count; i++) s->order[p->begin + i] = s->place[p->begin + p->mac.order[i]];
    }
    return shoal_set_permute(set, &s->ctx->exec, s->order);
}

// Particles in the order of their cells, and the grids around them.
static shoal_status make_grids(flip* s, double kick, int reach) {
    shoal_set*  set   = s->ctx->particles;
    flip_phase* first = &s->phases[0];
    if (s->phase_count > 1)
        SHOAL_TRY(sort_phases(s));
    else {
        first->begin = 0;
        first->count = set->count;
        SHOAL_TRY(shoal_mac_sort(&first->mac, &s->ctx->exec, &s->grid, shoal_set_data(set, "position"), set->count));
        SHOAL_TRY(shoal_set_permute(set, &s->ctx->exec, first->mac.order));
    }
    PHASES(s, p) {
        set_view(s, p, kick);
        shoal_d3 g               = s->ctx->description->gravity;
        p->mac.gravity_direction = shoal_v3_from(shoal_d3_scale(g, 1.0 / fmax(shoal_d3_length(g), 1e-30)));
        SHOAL_TRY(shoal_mac_build(&p->mac, &s->ctx->exec, reach));
    }
    s->is_mixed = s->phase_count == FLIP_PHASES && s->params.coupling != FLIP_COUPLING_NONE && s->phases[0].count > 0 &&
                  s->phases[1].count > 0;
    return s->is_mixed ? shoal_granular_mixture_pair(&s->mixture, &s->phases[0].mac, &s->phases[1].mac) : SHOAL_OK;
}

static void find_solids(flip* s) { PHASES(s, p) shoal_mac_solids(&p->mac, &s->ctx->exec, &s->begin, p->view.position); }

// Particles to the grid, and where they leave off.
static void gather(flip* s) {
    PHASES(s, p) {
        for (int axis = 0; axis < 3; axis++) {
            p->mac.mobility[axis] = NULL;
            p->view.weight[axis]  = !s->is_mixed ? NULL : p->is_sand ? s->mixture.weight[axis] : s->mixture.water[axis];
        }
        shoal_mac_gather(&p->mac, &s->ctx->exec, &p->view);
    }
}

static void find_liquid(flip* s) {
    const shoal_exec* exec = &s->ctx->exec;
    PHASES(s, p) shoal_mac_count_solids(&p->mac, exec, !p->is_sand);
    shoal_granular_mixture_job how = s->is_mixed ? flip_mixing_of(s, 0.0) : (shoal_granular_mixture_job){0};
    if (s->is_mixed) shoal_granular_mixture_count(&s->mixture, &s->phases[0].mac, &s->phases[1].mac, exec, &how);
    flip_wet(s);
    shoal_mac_surface of_sand = s->is_mixed ? SHOAL_MAC_SOAKED : SHOAL_MAC_LOOSE;
    PHASES(s, p) {
        shoal_mac_surface own      = p->is_sand ? of_sand : SHOAL_MAC_GHOST;
        bool              is_plain = s->params.surface == FLIP_SURFACE_MARKED;
        shoal_mac_level(&p->mac, exec, is_plain ? SHOAL_MAC_MARKED : own);
        if (!p->is_sand && !s->is_mixed && !is_plain) shoal_mac_fill_gaps(&p->mac, exec);
        shoal_mac_vent(&p->mac, exec, s->ctx->description);
    }
}

typedef struct forces {
    float push[3]; // m/s of this substep
} forces;

// The velocity of before is kept for FLIP; then gravity.
static void force_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const forces* f = ctx;
    for (int axis = 0; axis < 3; axis++) {
        memcpy(m->saved[axis] + 8 * block, m->known[axis] + 8 * block, 8 * sizeof(uint64_t));
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            m->old[axis][at] = m->u[axis][at];
            m->u[axis][at] += f->push[axis];
        }
    }
}

static void add_forces(flip* s, flip_phase* p, double dt) {
    shoal_d3 g = s->ctx->description->gravity;
    forces   f = {{(float)(g.x * dt), (float)(g.y * dt), (float)(g.z * dt)}};
    shoal_mac_each(&p->mac, &s->ctx->exec, force_block, &f);
}

// What a water simulator does on the grid; sand also has friction.
static shoal_status solve_phase(flip* s, flip_phase* p, double dt) {
    if (p->is_sand) return flip_solve_friction(s, p, dt);
    SHOAL_TRY(shoal_mac_projection_set(&p->projection, &p->mac, &s->ctx->exec, &s->solve));
    return shoal_mac_project(&p->projection, &p->mac, &s->ctx->exec, &s->solve, false);
}

static void change_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
            m->change[axis][at] = m->u[axis][at] - m->old[axis][at];
}

void flip_extend(flip* s, flip_phase* p, double dt, int reach) {
    shoal_mac_each(&p->mac, &s->ctx->exec, change_block, NULL);
    shoal_mac_extend(&p->mac, &s->ctx->exec, reach, !p->is_sand);
    shoal_mac_constrain(&p->mac, &s->ctx->exec, &s->begin, flip_normal_load(s, p, dt));
}

// From forces to velocities beyond the liquid.
static shoal_status solve_motion(flip* s, double dt, int reach) {
    PHASES(s, p) {
        add_forces(s, p, dt);
        if (!p->is_sand) SHOAL_TRY(flip_diffuse(s, p, dt));
    }
    if (s->is_mixed) return flip_mix(s, dt, reach);
    PHASES(s, p) {
        SHOAL_TRY(solve_phase(s, p, dt));
        flip_extend(s, p, dt, reach);
    }
    return SHOAL_OK;
}

// The fraction of a substep in which the fastest cross one cell is `volume_control`; longer ones take more.
static shoal_status correct_density(flip* s, flip_phase* p, double dt) {
    if (s->params.volume_control == 0.0f || p->projection.count == 0) return SHOAL_OK;
    double cells = fmax(s->speed * dt / s->dx, 1.0), gain = 1.0 - pow(1.0 - (double)s->params.volume_control, cells);
    shoal_mac_density_correction how = {.gain            = (float)gain,
                                        .gain_compressed = (float)(1.0 - gain),
                                        .most            = even_most,
                                        .of_way          = INFINITY,
                                        .band            = INFINITY,
                                        .dt              = (float)dt};
    if (p->is_sand) how = flip_sand_evening(s, p, dt);
    return shoal_mac_correct_density(&p->projection, &p->mac, &s->ctx->exec, &s->loose, &how);
}

// ---------------------------------------------------------------------------------- the step

static shoal_status flip_step(void* self, double dt) {
    flip*             s    = self;
    const shoal_exec* exec = &s->ctx->exec;
    if (s->ctx->particles->count == 0) return SHOAL_OK;
    s->speed     = shoal_set_fastest(s->ctx->particles, &s->ctx->exec);
    int    reach = flip_reach(s, dt);
    double kick  = flip_kick(s, dt);

    // particles to the grid
    flip_find_solids(s, dt);
    SHOAL_TRY(make_grids(s, kick, reach));
    find_solids(s);
    shoal_stage(s->ctx, SHOAL_STAGE_GRID);
    gather(s);
    shoal_stage(s->ctx, SHOAL_STAGE_VELOCITY);
    find_liquid(s);
    PHASES(s, p) shoal_mac_extend(&p->mac, exec, SAVED_LAYERS, false);
    SHOAL_TRY(flip_free_begin(s));
    shoal_stage(s->ctx, SHOAL_STAGE_GRID);

    // all but advection there
    SHOAL_TRY(solve_motion(s, kick, reach));
    shoal_stage(s->ctx, SHOAL_STAGE_SOLVE);

    // back to the particles
    PHASES(s, p) {
        shoal_mac_motion motion = flip_motion(s, p, dt, kick, reach);
        shoal_mac_return(&p->mac, exec, &p->view, &motion);
    }
    flip_free_pushed(s, kick);
    shoal_stage(s->ctx, SHOAL_STAGE_VELOCITY);

    // on they go, evenly spread and out of solids
    SHOAL_TRY(flip_remember_places(s));
    PHASES(s, p) SHOAL_TRY(correct_density(s, p, dt));
    shoal_stage(s->ctx, SHOAL_STAGE_SOLVE);
    PHASES(s, p) {
        shoal_mac_motion motion = flip_motion(s, p, dt, kick, reach);
        shoal_mac_move(&p->mac, exec, &p->view, &motion);
    }
    flip_free_moved(s);
    PHASES(s, p) flip_push_out(s, p);
    *s->dt_before = dt;
    flip_add_totals(s);
    shoal_stage(s->ctx, SHOAL_STAGE_INTEGRATE);
    return SHOAL_OK;
}

static void still_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    size_t from = SHOAL_MAC_SAMPLES * (size_t)block, bytes = SHOAL_MAC_SAMPLES * sizeof(float);
    for (int axis = 0; axis < 3; axis++) memset(m->change[axis] + from, 0, bytes);
    memset(m->pressure + from, 0, bytes);
}

// Bodies off the lattice, and the density of the initial state; nothing moves.
static shoal_status flip_begin(void* self) {
    flip* s = self;
    if (s->ctx->particles->count == 0) return SHOAL_OK;
    SHOAL_TRY(flip_fill_pores(s));
    flip_seed(s);
    flip_find_solids(s, 0.0);
    flip_phase* all = &s->phases[0];
    all->begin      = 0;
    set_view(s, all, 1.0);
    flip_push_out_all(s, &all->view);
    SHOAL_TRY(make_grids(s, 1.0, FLIP_REACH_LEAST));
    shoal_mac_motion still = {.flip = 1.0f, .order = 2};
    PHASES(s, p)
    for (int axis = 0; axis < 3; axis++) p->view.affine[axis] = NULL;
    find_solids(s);
    gather(s);
    find_liquid(s);
    PHASES(s, p) {
        shoal_mac_each(&p->mac, &s->ctx->exec, still_block, NULL);
        shoal_mac_return(&p->mac, &s->ctx->exec, &p->view, &still);
    }
    flip_begin_totals(s);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the type

static double flip_support(const void* params, double spacing) {
    (void)params;
    return 2.0 * spacing;
}

// Sorting, keys and the pressure system by the particle; blocks of the grid that bodies reach with a rim of four cells,
// of which most is never touched, and for sand its stress: both measured on the shipped scenes.
static double flip_extra_bytes(const shoal_description* description, double particles) {
    const double of_water = 40e3, of_sand = 180e3, width = 16.0 * description->spacing;
    double       bytes = 95.0 * particles;
    for (int b = 0; b < description->body_count; b++) {
        if (!description->bodies[b].shape) continue;
        bool      is_sand = description->materials[description->bodies[b].material].kind == SHOAL_GRANULAR;
        shoal_box box     = shoal_box_common(shoal_shape_bounds(description->bodies[b].shape),
                                             shoal_domain_extent(&description->domain));
        box               = shoal_box_grown(box, 0.5 * width);
        double blocks     = ceil((box.max.x - box.min.x) / width) * ceil((box.max.y - box.min.y) / width) *
                        ceil((box.max.z - box.min.z) / width);
        bytes += fmin(blocks, particles) * (is_sand ? of_sand : of_water);
    }
    return bytes;
}

static bool is_periodic(const shoal_description* d, int axis) {
    return d->domain.walls[2 * axis].kind == SHOAL_WALL_PERIODIC;
}

static double length_of(const shoal_description* d, int axis) {
    return shoal_d3_axis(d->domain.max, axis) - shoal_d3_axis(d->domain.min, axis);
}

// Blocks are 8 cells, 16 spacings wide: periods must be made of them.
static bool is_whole_blocks(double length, double spacing) {
    double blocks = length / (16.0 * spacing);
    return blocks > 0.5 && fabs(blocks - floor(blocks + 0.5)) < 1e-4;
}

// The spacing nearest to that of the scene, by up to four times, of which all periodic lengths are whole blocks; 0:
// none.
static double spacing_that_suits(const shoal_description* d) {
    double shortest = (double)INFINITY, best = 0.0, off = log(4.0) + 1e-6;
    for (int axis = 0; axis < 3; axis++)
        if (is_periodic(d, axis)) shortest = fmin(shortest, length_of(d, axis));
    double now = shortest / (16.0 * d->spacing); // blocks along it
    for (double n = fmax(floor(0.25 * now), 1.0); n <= fmin(4.0 * now + 1.0, 1e5); n += 1.0) {
        double spacing = shortest / (16.0 * n);
        bool   suits   = fabs(log(spacing / d->spacing)) < off;
        for (int axis = 0; axis < 3; axis++)
            suits &= !is_periodic(d, axis) || is_whole_blocks(length_of(d, axis), spacing);
        if (suits) best = spacing, off = fabs(log(spacing / d->spacing));
    }
    return best;
}

static void refuse_period(const shoal_description* d, int axis, char* buffer, size_t size) {
    double length = length_of(d, axis), block = 16.0 * d->spacing, fewer = floor(length / block);
    if (!is_whole_blocks(length, d->spacing)) {
        double suits = spacing_that_suits(d);
        char   make[80], take[80] = "no spacing near that of the scene suits all periodic lengths";
        if (fewer > 0.0)
            snprintf(make, sizeof make, "%g or %g m", fewer * block, (fewer + 1.0) * block);
        else
            snprintf(make, sizeof make, "%g m", block);
        if (suits > 0.0) snprintf(take, sizeof take, "or the spacing %.6g m", suits);
        shoal_add_line(
            buffer, size,
            "the periodic length along %c is %g m; under flip it is a multiple of 16 spacings, %g m: make it %s%s %s",
            "xyz"[axis], length, block, make, suits > 0.0 ? "," : ";", take);
    } else if (length / block > 65536.0)
        shoal_add_line(buffer, size, "the periodic length along %c is %g spacings; at most 1048576 are possible",
                       "xyz"[axis], length / d->spacing);
}

static const shoal_material* used_material(const shoal_description* description, int k) {
    bool is_body = k < description->body_count;
    return &description->materials[is_body ? description->bodies[k].material
                                           : description->emitters[k - description->body_count].material];
}

// The first material of a kind that bodies or emitters are of; NULL: there is none.
const shoal_material* flip_first_of(const shoal_description* description, shoal_material_kind kind) {
    for (int k = 0; k < description->body_count + description->emitter_count; k++)
        if (used_material(description, k)->kind == kind) return used_material(description, k);
    return NULL;
}

// What the solver takes from the first material of a kind for all of it.
static const struct {
    const char*         name;
    const char*         unit;
    size_t              offset;
    shoal_material_kind kind;
    bool                is_of_pores; // matters only where there is water in them
} shared_keys[] = {
    {"density", " kg/m^3", offsetof(shoal_material, density), SHOAL_LIQUID, false},
    {"viscosity", " Pa s", offsetof(shoal_material, viscosity), SHOAL_LIQUID, false},
    {"density", " kg/m^3", offsetof(shoal_material, density), SHOAL_GRANULAR, false},
    {"friction_angle", " degrees", offsetof(shoal_material, friction_angle), SHOAL_GRANULAR, false},
    {"boundary_friction", "", offsetof(shoal_material, boundary_friction), SHOAL_GRANULAR, false},
    {"cohesion", " Pa", offsetof(shoal_material, cohesion), SHOAL_GRANULAR, false},
    {"grain_size", " m", offsetof(shoal_material, grain_size), SHOAL_GRANULAR, false},
    {"packing", "", offsetof(shoal_material, packing), SHOAL_GRANULAR, true},
};

static float value_at(const shoal_material* material, size_t offset) {
    return *(const float*)((const char*)material + offset);
}

static void refuse_material(const shoal_description* description, const shoal_material* material, char* buffer,
                            size_t size) {
    const shoal_material* first = flip_first_of(description, material->kind);
    for (size_t k = 0; k < sizeof shared_keys / sizeof *shared_keys; k++) {
        float one = value_at(first, shared_keys[k].offset), other = value_at(material, shared_keys[k].offset);
        if (shared_keys[k].kind != material->kind || one == other) continue;
        if (shared_keys[k].is_of_pores && !flip_first_of(description, SHOAL_LIQUID) && !flip_has_damp(description))
            continue;
        shoal_add_line(buffer, size, "flip simulates %s of one %s; %s has %g%s and %s %g%s: give them the same",
                       first->kind == SHOAL_LIQUID ? "liquids" : "sand", shared_keys[k].name, first->name, (double)one,
                       shared_keys[k].unit, material->name, (double)other, shared_keys[k].unit);
    }
}

// Whether one before has been of the same material.
static bool is_seen(const shoal_description* description, int k) {
    for (int before = 0; before < k; before++)
        if (used_material(description, before) == used_material(description, k)) return true;
    return false;
}

static bool flip_refuses(const shoal_description* description, char* buffer, size_t size) {
    for (int axis = 0; axis < 3; axis++)
        if (is_periodic(description, axis)) refuse_period(description, axis, buffer, size);
    for (int k = 0; k < description->body_count + description->emitter_count; k++)
        if (!is_seen(description, k)) refuse_material(description, used_material(description, k), buffer, size);
    return buffer[0] != '\0';
}

static void flip_set_params(void* self, const void* params) {
    flip* s   = self;
    s->params = *(const flip_params*)params;
    if (s->params.cfl == 0.0f) s->params.cfl = (float)(s->sand ? FLIP_CELLS_SAND : FLIP_CELLS_LIQUID);
    for (int m = 0; m < s->ctx->description->material_count; m++)
        s->wetness_of[m] = s->is_sand[m] ? flip_held(s, &s->ctx->description->materials[m]) : 0.0f;
    ALL_PHASES(s, p) {
        int wanted   = s->params.transfer;
        p->transfer  = wanted != FLIP_TRANSFER_AUTO ? wanted : p->is_sand ? FLIP_TRANSFER_APIC : FLIP_TRANSFER_FLIP;
        p->is_damped = wanted == FLIP_TRANSFER_AUTO && p->is_sand &&
                       (p->material->grain_size == 0.0f || s->params.friction == FLIP_FRICTION_PAPER);
    }
    s->solve               = shoal_poisson_def_default();
    s->solve.isa           = s->ctx->isa;
    s->solve.method        = s->params.pressure == FLIP_PRESSURE_MIC ? SHOAL_POISSON_MIC : SHOAL_POISSON_MULTIGRID;
    s->solve.tolerance     = 1e-7; // rounding of the velocities
    s->solve.tolerance_max = (double)s->params.tolerance * s->dx;
    s->solve.iterations    = s->params.iterations;
    s->loose               = s->solve;
    s->loose.tolerance     = 1e-2;
    s->loose.tolerance_max = 0.0;
    s->thick               = s->loose;
    s->thick.tolerance     = 1e-5;
}

static void flip_destroy(void* self) {
    flip* s = self;
    if (!s) return;
    flip_bodies_free(&s->bodies);
    shoal_granular_mixture_free(&s->mixture);
    shoal_granular_plastic_free(&s->plastic);
    shoal_granular_friction_free(&s->friction);
    shoal_mac_viscosity_free(&s->viscosity);
    ALL_PHASES(s, p) {
        shoal_mac_projection_free(&p->projection);
        shoal_mac_free(&p->mac);
    }
    shoal_free(s->place);
    shoal_free(s->order);
    shoal_free(s->sorted);
    shoal_free(s->is_sand);
    shoal_free(s->wetness_of);
    flip_solids_free(s);
    shoal_free(s);
}

static shoal_status flip_create(shoal_sim_context* ctx, const void* params, void** self) {
    flip* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx             = ctx;
    s->friction.stored = ctx->sets[FLIP_STRESS];
    s->mixture.contact = ctx->sets[FLIP_CONTACT];
    s->dx              = 2.0 * ctx->description->spacing;
    s->grid            = shoal_mac_def_for(ctx->world, s->dx);
    s->is_sand         = shoal_alloc((size_t)ctx->description->material_count + 1, 1);
    s->wetness_of      = shoal_alloc((size_t)ctx->description->material_count + 1, sizeof *s->wetness_of);
    if (!s->is_sand || !s->wetness_of || flip_solids_create(s) != SHOAL_OK ||
        shoal_set_rebuild(ctx->sets[FLIP_ONCE], 1) != SHOAL_OK) {
        flip_destroy(s);
        return SHOAL_ERR_MEMORY;
    }
    s->dt_before = shoal_set_data(ctx->sets[FLIP_ONCE], "dt_before");
    for (int m = 0; m < ctx->description->material_count; m++)
        s->is_sand[m] = ctx->description->materials[m].kind == SHOAL_GRANULAR;
    for (int kind = SHOAL_LIQUID; kind <= SHOAL_GRANULAR; kind++) {
        const shoal_material* material = flip_first_of(ctx->description, (shoal_material_kind)kind);
        if (material)
            s->phases[s->phase_count++] = (flip_phase){
                .material = material, .is_sand = kind == SHOAL_GRANULAR, .mac = {.kind = (shoal_material_kind)kind}};
    }
    if (s->phase_count == 0)
        s->phases[s->phase_count++] = (flip_phase){.material = ctx->description->materials}; // nothing at all
    ALL_PHASES(s, p) if (p->is_sand) s->sand = p;
    ctx->kick                                = s->phase_count > 1 ? SHOAL_KICK_AHEAD : SHOAL_KICK_MIDDLE;
    flip_set_params(s, params);
    *self = s;
    return SHOAL_OK;
}

static shoal_status flip_check(void* self) {
    const flip* s = self;
    if (!(*s->dt_before >= 0.0 && *s->dt_before < 1e9))
        return shoal_fail(SHOAL_ERR_INPUT, "the last substep of the saved state is no time");
    SHOAL_TRY(shoal_mac_stored_check(s->friction.stored));
    return shoal_mac_stored_check(s->mixture.contact);
}

static const shoal_field_def fields[]      = {FLIP_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def once_fields[] = {
    SHOAL_FIELD("dt_before", D1, 1, STATE, "s", "length of the last substep; 0: there was none"), {0}};
static const shoal_set_def sets[] = {
    [FLIP_PARTICLES] = {"particles", SHOAL_SORTED, fields, 0, NULL},
    [FLIP_STRESS]    = {"stress", SHOAL_REBUILT, shoal_granular_stress_fields, 0, NULL},
    [FLIP_CONTACT]   = {"contact", SHOAL_REBUILT, shoal_granular_contact_fields, 0, NULL},
    [FLIP_ONCE]      = {"once", SHOAL_FIXED, once_fields, 0, NULL},
    [FLIP_SETS]      = {0},
};

static const char* const laid_by[] = {"seeding", NULL};

// Within a cell, two spacings, particles are strewn.
static const shoal_param_preset surface_preset[] = {{"calm", 2.0}, {NULL, 0.0}};

const shoal_solver_type flip_type = {
    .name           = "flip",
    .summary        = "PIC/FLIP on a sparse staggered grid (Zhu & Bridson 2005): incompressible liquids "
                      "in large numbers, and sand",
    .material_kinds = 1u << SHOAL_LIQUID | 1u << SHOAL_GRANULAR,
    .material_uses  = flip_uses,
    .params         = flip_params_table,
    .laid_by        = laid_by,
    .params_size    = sizeof(flip_params),
    .sets           = sets,
    .columns        = flip_columns,
    .support        = flip_support,
    .extra_bytes    = flip_extra_bytes,
    .surface        = surface_preset,
    .wall_least     = 1.3, // cells are two wide, and nodes half a cell apart
    .holds          = flip_holds,
    .verdicts       = {[SHOAL_REFUSAL] = flip_refuses, [SHOAL_WARNING] = flip_warns, [SHOAL_REMARK] = flip_remarks},
    .create         = flip_create,
    .destroy        = flip_destroy,
    .arrive         = flip_arrive,
    .begin          = flip_begin,
    .set_params     = flip_set_params,
    .bodies         = SHOAL_BODIES_SCATTERED,
    .plan           = flip_plan,
    .step           = flip_step,
    .report         = flip_report,
    .check          = flip_check,
};
