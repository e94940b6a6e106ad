// SPDX-License-Identifier: MIT
// SPH water: constants, and neighbours.
#include "fluid/water.h"

#include "fluid/stride.h"
#include "fluid/water_local.h"

SHOAL_PARAMS_DEFINE(shoal_water_params, SHOAL_WATER_PARAMS)

// ---------------------------------------------------------------------------------- constants

// Largest eigenvalue of the Jacobi matrix on the lattice, over all wave vectors k: |sum_j V grad W sin(k x)|^2 over the
// sum of squared gradients. Sweeps overshoot where omega times it is above 2.
static double jacobi_radius(const shoal_lattice* lattice, double d, double h) {
    enum { WAVES = 12 };
    int    reach = (int)(h / d) + 1;
    double most  = 0.0;
    for (int a = 0; a <= WAVES; a++)
        for (int b = 0; b <= a; b++)
            for (int c = 0; c <= b; c++) {
                shoal_d3 sum = {0.0, 0.0, 0.0};
                for (int z = -reach; z <= reach; z++)
                    for (int y = -reach; y <= reach; y++)
                        for (int x = -reach; x <= reach; x++) {
                            double r = sqrt((double)(x * x + y * y + z * z));
                            if (r == 0.0 || r * d >= h) continue;
                            double wave = sin(SHOAL_PI / WAVES * (a * x + b * y + c * z));
                            double f    = lattice->volume * shoal_cubic_slope(r * d, h) / r * wave;
                            sum         = shoal_d3_add(sum, shoal_d3_make(f * x, f * y, f * z));
                        }
                most = fmax(most, shoal_d3_dot(sum, sum) / lattice->gradient_sum);
            }
    return most;
}

// What a pull of strength 1 between masses, along x_ij and shaped as in `cohere`, gives as surface tension over rho^2:
// pi/8 int f r^4 dr with the force f at a distance r; the inverse of that.
static double pull_per_tension(const shoal_water_view* v) {
    double integral = 0.0, h = (double)v->h;
    for (int k = 0; k < 1000; k++) {
        double r = (k + 0.5) / 1000.0 * h;
        integral += (double)shoal_water_pull(v, (float)r) * r * r * r * r * r * h / 1000.0;
    }
    return 8.0 / (SHOAL_PI * integral);
}

static double artificial_viscosity(const shoal_water* w) {
    double least = (double)INFINITY; // the material's own counts ten times: Monaghan's alpha h c is 10 nu in 3D
    for (int m = 0; m < w->ctx->description->material_count; m++) {
        const shoal_material* material = shoal_water_material(w, m);
        least                          = fmin(least, (double)material->viscosity / (double)material->density);
    }
    return fmax((double)w->params.artificial_viscosity * 0.5 * (double)w->view.h * w->sound_speed - 10.0 * least, 0.0);
}

// The fraction of XSPH in a substep: `xsph` of it is for a stride, however many substeps that takes.
static double smoothing(const shoal_water* w, double dt) {
    return shoal_fraction_in((double)w->params.xsph, dt, w->stride);
}

// Compression that is there already is made good within an eighth of a stride, if substeps are shorter than that: in
// one of them it would throw particles apart by excess d/dt, ever faster the shorter they are. Automatic substeps are
// longer.
#define CORRECTION_RATE 8.0

static void set_liquids(shoal_water* w, double dt) {
    shoal_water_view* v = &w->view;
    double            h = (double)v->h, d = (double)v->d, most = 0.5 / (0.25 * h * w->lattice.neighbours);
    double            per_tension = w->params.tension != SHOAL_WATER_TENSION_NONE ? pull_per_tension(v) : 0.0;
    v->is_mixed = v->is_uneven = v->is_viscous = w->is_thick = false;
    for (int m = 0; m < w->ctx->description->material_count; m++) {
        const shoal_material* material = shoal_water_material(w, m);
        shoal_water_liquid*   liquid   = &w->liquids[m];
        double                rho = (double)material->density, nu = (double)material->viscosity / rho;
        // explicit where it takes little of a difference in one step, else solved for
        w->thickness[m] = (shoal_thickness){(float)(dt * nu * w->laplacian), 1.0f / liquid->light};
        w->is_thick     = w->is_thick || shoal_is_thick(dt * nu * w->laplacian, most);
        liquid->viscous = (float)fmin(dt * nu * w->laplacian, most);
        // not worth a sum where it does less than a hundredth of what XSPH does
        if (0.5 * (double)liquid->viscous / most < 0.01 * smoothing(w, dt)) liquid->viscous = 0.0f;
        liquid->tension = (float)(dt * (double)material->surface_tension * per_tension / rho * d * d * d);
        v->is_viscous   = v->is_viscous || liquid->viscous > 0.0f;
        v->is_uneven    = v->is_uneven || material->density != w->ctx->description->materials[w->first].density;
        v->is_mixed     = v->is_mixed || liquid->light != 1.0f || liquid->viscous != w->liquids[0].viscous;
    }
    int count     = w->ctx->description->material_count;
    v->is_viscous = v->is_viscous && !w->is_thick;
    v->is_mixed   = v->is_mixed && !w->is_thick;
    for (int m = 0; m < count && w->is_thick; m++) {
        w->liquids[m].viscous = 0.0f;
        v->is_mixed           = v->is_mixed || w->liquids[m].light != 1.0f;
    }
    v->liquids = shoal_water_liquids(w);
    v->thick   = w->is_thick ? shoal_far_copy(&w->far_thickness, w->ctx->exec.device, w->thickness,
                                              (size_t)count * sizeof *w->thickness)
                             : NULL;
}

const shoal_water_liquid* shoal_water_liquids(shoal_water* w) {
    return shoal_far_copy(&w->far_liquids, w->ctx->exec.device, w->liquids,
                          (size_t)w->ctx->description->material_count * sizeof *w->liquids);
}

void shoal_water_bind(shoal_water* w, double dt, shoal_water_method method) {
    const shoal_water_params* p    = &w->params;
    shoal_set*                set  = w->set;
    const shoal_exec*         exec = &w->ctx->exec;
    shoal_water_view*         v    = &w->view;
    double                    h = (double)v->h, rho = (double)w->liquids[0].density, heaviest = 0.0;
    for (int m = 0; m < w->ctx->description->material_count; m++)
        heaviest = fmax(heaviest, (double)w->liquids[m].density);

    v->count        = set->count;
    v->solids       = w->solids;
    v->solids.world = shoal_world_on(w->solids.world, exec->device, &w->far_world);
    v->reflects     = w->mirrors;
    v->near         = w->near;
    v->boundary     = w->boundary_near;
    shoal_water_bind_samples(w);
    v->dt             = (float)dt;
    v->gravity        = shoal_v3_from(w->ctx->description->gravity);
    v->weight         = (float)(w->lattice.volume * shoal_cubic_scale(h));
    v->self           = (float)(w->lattice.volume * shoal_cubic(0.0, h));
    v->slope          = 3.0f * v->weight;
    v->pressure_scale = (float)(dt / rho);
    v->epsilon        = (float)(1e-3 * w->lattice.gradient_sum); // a lone pair about to part has no gradient
    v->omega          = (float)w->omega;
    v->gradient_sum   = (float)w->lattice.gradient_sum;
    v->stiffness = (float)(heaviest * w->sound_speed * w->sound_speed / 7.0); // one for all, so that they meet at one s
    v->negative_pressure = p->negative_pressure;
    v->smooth            = (float)smoothing(w, dt) * v->weight;
    w->pace              = fmin(1.0, CORRECTION_RATE * dt / w->stride);
    v->correction        = (float)w->pace;
    w->open              = 1.0;
    v->even              = 0.0f;
    v->melt              = (float)w->melt;
    v->layers            = shoal_far_copy(&w->far_layers, exec->device, &w->lattice.layers, sizeof w->lattice.layers);
    v->surface_slant     = (float)w->lattice.surface_slant;
    v->artificial        = method == SHOAL_WATER_WCSPH ? (float)(dt * artificial_viscosity(w)) * v->slope : 0.0f;
    v->tension           = p->tension;
    v->contact           = 0.5f * v->d;
    v->wall_factor       = (float)w->lattice.wall_factor;
    v->first_fraction    = v->wall_factor * shoal_kernel_behind(0.5f * v->d / v->h, SHOAL_KERNEL_CUBIC);
    v->is_explicit       = method == SHOAL_WATER_WCSPH;
    v->is_begun          = false;
    v->is_split          = method == SHOAL_WATER_DFSPH && p->divergence_tolerance < 10.0f;
    v->is_mueller        = v->is_explicit && p->pressure_form == SHOAL_WATER_PRESSURE_FORM_MUELLER;
    set_liquids(w, dt);
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_BIND_TO)
    SHOAL_WATER_FIELDS(SHOAL_FIELD_BIND_TO)
    v->total = v->pressure;
}

// Anew when a material comes that there was none of.
static void know_liquids(shoal_water* w) {
    float rho = w->ctx->description->materials[w->first].density;
    for (int m = 0; m < w->ctx->description->material_count; m++) {
        const shoal_material* own = shoal_water_material(w, m);
        w->liquids[m] =
            (shoal_water_liquid){own->density, rho / own->density, 0.0f, 0.0f, own->viscosity / own->density};
    }
}

void shoal_water_set_params(shoal_water* w, const shoal_water_params* params) {
    const shoal_description* description = w->ctx->description;
    w->params                            = *params;
    know_liquids(w);
    double d = w->spacing, h = (double)params->support * d;
    w->view.d      = (float)d;
    w->view.h      = (float)h;
    w->view.h2     = w->view.h * w->view.h;
    w->lattice     = shoal_lattice_make(d, h, SHOAL_KERNEL_CUBIC);
    w->laplacian   = w->lattice.laplacian * shoal_lattice_sheared(d, h);
    w->along       = shoal_lattice_along(d, h);
    w->omega       = 1.5 / jacobi_radius(&w->lattice, d, h);
    double speed   = shoal_liquid_speed(description, params->tension != SHOAL_WATER_TENSION_NONE);
    w->sound_speed = params->sound_speed > 0.0f ? (double)params->sound_speed : 10.0 * speed;
    w->stride      = shoal_stride(d, speed);
    shoal_solids_reflect(&w->solids, w->mirrors);
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        w->view.skims[wall] = w->solids.is_mirror[wall] && shoal_water_is_smooth(w, -1 - wall);
}

void shoal_water_free(shoal_water* w) {
    shoal_loads_free(&w->loads);
    shoal_set_destroy(w->boundary_set);
    shoal_boundary_free(&w->boundary);
    shoal_far_free(w->ctx ? w->ctx->exec.device : NULL, w->pairs);
    shoal_samples_free(&w->samples);
    shoal_near_free(&w->near_here);
    shoal_near_free(&w->boundary_near);
    shoal_near_free(&w->near);
    shoal_far_release(&w->far_layers);
    shoal_far_release(&w->far_thickness);
    shoal_far_release(&w->far_liquids);
    shoal_world_far_free(&w->far_world);
    shoal_halo_free(&w->halo);
    shoal_cells_free(&w->boundary_cells);
    shoal_cells_free(&w->cells);
    shoal_thick_free(&w->thick);
    shoal_free(w->thickness);
    shoal_free(w->liquids);
}

shoal_status shoal_water_make(shoal_water* w, shoal_sim_context* ctx, shoal_set* set, shoal_material_kind kind) {
    static const shoal_field_def fields[]    = {SHOAL_SAMPLE_FIELDS(SHOAL_FIELD_ROW){0}};
    static const shoal_set_def   samples     = {.name = "samples", .life = SHOAL_REBUILT, .fields = fields};
    const shoal_description*     description = ctx->description;
    int                          first       = shoal_material_first(description, kind);
    *w                                       = (shoal_water){
                                              .ctx = ctx, .set = set, .kind = kind, .first = first, .spacing = shoal_spacing_of(description, first)};
    w->solids    = (shoal_solids){.world = ctx->world, .kind = kind};
    w->liquids   = shoal_alloc((size_t)description->material_count, sizeof *w->liquids);
    w->thickness = shoal_alloc((size_t)description->material_count, sizeof *w->thickness);
    if (!w->liquids || !w->thickness) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(shoal_set_create(&samples, &w->boundary_set));
    if (ctx->exec.device) shoal_set_move_to(w->boundary_set, ctx->exec.device);
    know_liquids(w);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- neighbours

void shoal_water_do(shoal_water* w, shoal_water_pass pass) {
    shoal_water_run(&w->view, &w->ctx->exec, w->ctx->isa, pass);
}

void shoal_water_fill_places(shoal_water* w) {
    SHOAL_FILL_HALO(&w->halo, w->view.count, SHOAL_SHOW(w->view.place, PLACE));
}
void shoal_water_fill_motion(shoal_water* w) {
    SHOAL_FILL_HALO(&w->halo, w->view.count, SHOAL_SHOW(w->view.motion, VECTOR));
}

// Sweeps walk over the neighbours many times; one pass over them, with explicit pressure of one liquid, keeps nothing.
static shoal_status reserve_pairs(shoal_water* w, shoal_water_method method) {
    bool is_stored = w->ctx->isa != SHOAL_ISA_PLAIN && (method != SHOAL_WATER_WCSPH || w->view.is_mixed);
    w->view.pairs  = NULL;
    w->view.grain  = w->view.h2 / (3.0f * INT16_MAX); // slope is h^2/3 at most, at r = h/3
    if (!is_stored) return SHOAL_OK;
    if (w->near.group_capacity > w->pair_capacity) {
        shoal_device* device = w->ctx->exec.device;
        shoal_far_free(device, w->pairs); // first: two of them may not fit
        w->pair_capacity = 0;
        w->pairs         = shoal_far_alloc(device, w->near.group_capacity * 3 * SHOAL_LANES, sizeof *w->pairs);
        if (!w->pairs) return SHOAL_ERR_MEMORY;
        w->pair_capacity = w->near.group_capacity;
    }
    w->view.pairs = w->pairs;
    return SHOAL_OK;
}

// Along periodic axes the frame is the whole period, so that images beyond either end are kept: particles of another
// set may lie there.
static void span_periods(const shoal_world* world, shoal_cells_frame* frame) {
    int64_t* const cells[] = {&frame->nx, &frame->ny, &frame->nz};
    for (int axis = 0; axis < 3; axis++) {
        const double most = 1e6; // cells that can be numbered
        float        low = shoal_v3_axis(world->min, axis), high = shoal_v3_axis(world->max, axis);
        double       span = ((double)high - (double)low) / (double)frame->size;
        if (!world->is_periodic[axis] || !(span < most)) continue;
        shoal_v3_set_axis(&frame->low, axis, low);
        *cells[axis] = (int64_t)span + 4; // as shoal_cells_frame_make
    }
}

shoal_status shoal_water_gather(shoal_water* w, double dt, shoal_water_method method) {
    shoal_set*        set  = w->set;
    const shoal_exec* exec = &w->ctx->exec;
    shoal_water_bind(w, dt, method);
    shoal_water_do(w, SHOAL_WATER_stand);
    SHOAL_TRY(shoal_cells_frame_make(exec, w->view.place, set->count, w->view.h, &w->frame));
    if (w->is_beside) span_periods(w->ctx->world, &w->frame);
    SHOAL_TRY(shoal_cells_sort(&w->cells, exec, &w->frame, w->view.place, set->count));
    SHOAL_TRY(shoal_set_permute(set, exec, w->cells.order));
    shoal_water_bind(w, dt, method);
    shoal_water_do(w, SHOAL_WATER_stand);
    shoal_stage(w->ctx, SHOAL_STAGE_GRID);

    w->halo.count = 0;
    if (shoal_halo_is_needed(&w->solids))
        SHOAL_TRY(shoal_halo_build(&w->halo, exec, &w->solids, &w->frame, w->view.place, set->count, w->view.h));
    SHOAL_TRY(shoal_water_find_boundary(w));
    int nobody = set->count + w->halo.count;
    SHOAL_TRY(shoal_set_reserve(set, nobody + 1));
    if (w->is_thick) SHOAL_TRY(shoal_thick_reserve(&w->thick, exec->device, nobody + 1));
    set->ghosts = w->halo.count; // room for them, on a device too
    shoal_water_bind(w, dt, method);
    set->ghosts               = 0;
    const shoal_water_view* v = &w->view;
    SHOAL_LAY(&w->halo, exec, v->count, SHOAL_SHOW(v->place, PLACE), SHOAL_SHOW(v->motion, VECTOR),
              SHOAL_SHOW(v->material, SAME), SHOAL_SHOW_LATER(v->guess, PLACE), SHOAL_SHOW_LATER(v->lean, LEAN),
              SHOAL_SHOW_LATER(v->lean_yz, LEAN_YZ), SHOAL_SHOW_LATER(v->kappa, SAME),
              SHOAL_SHOW_LATER(v->layer, SAME));
    do { // one answer for both
        SHOAL_TRY(shoal_near_build_ahead(&w->near, exec, w->ctx->isa, &w->cells,
                                         w->halo.count > 0 ? &w->halo.cells : NULL, w->view.place, nobody, w->view.h));
        SHOAL_TRY(shoal_near_build_between(&w->boundary_near, exec, w->ctx->isa, &w->cells, w->view.place,
                                           &w->boundary_cells, w->view.sample.place, w->view.h));
    } while (!shoal_near_fits(&w->near));
    SHOAL_TRY(reserve_pairs(w, method));
    w->view.near     = w->near;
    w->view.boundary = w->boundary_near;
    shoal_water_do(w, SHOAL_WATER_solids);
    shoal_stage(w->ctx, SHOAL_STAGE_NEIGHBOURS);
    return shoal_device_check(exec->device);
}
