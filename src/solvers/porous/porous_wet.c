// SPDX-License-Identifier: MIT
#include "solvers/porous/porous_wet.h"

#include <math.h>
#include <string.h>

#include "solvers/porous/porous_pore_pass.h"

// Substeps between two steps of the pore water, which is slow: of a falling head they cost a hundredth.
enum { PORE_EVERY = 5 };

bool porous_is_wet(const shoal_description* description) {
    for (int m = 0; m < description->material_count; m++)
        if (description->materials[m].kind == SHOAL_GRANULAR && description->materials[m].wetness > 0.0f) return true;
    return false;
}

// The first liquid of the scene, or water at 20 degrees C [IAPWS R6-95, R12-08].
static porous_liquid liquid_of(const shoal_description* description) {
    for (int m = 0; m < description->material_count; m++) {
        const shoal_material* liquid = &description->materials[m];
        if (liquid->kind == SHOAL_LIQUID) return (porous_liquid){(double)liquid->density, (double)liquid->viscosity};
    }
    return (porous_liquid){998.2, 1.0016e-3};
}

shoal_status porous_wet_make(porous_wet* wet, shoal_sim_context* ctx, shoal_set* set, shoal_set* once) {
    const shoal_description* description = ctx->description;
    *wet = (porous_wet){.ctx = ctx, .set = set, .once = once, .liquid = liquid_of(description)};
#define X(name, type, role, unit, help) wet->name = shoal_set_data(once, #name);
    POROUS_WET_ONCE(X)
#undef X
    wet->pores = shoal_alloc((size_t)description->material_count, sizeof *wet->pores);
    if (!wet->pores) return SHOAL_ERR_MEMORY;
    for (int m = 0; m < description->material_count; m++)
        wet->pores[m] = porous_pores_of(&description->materials[m], wet->liquid);
    return SHOAL_OK;
}

void porous_wet_free(porous_wet* wet) {
    porous_pore_free(&wet->pore);
    shoal_free(wet->pores);
}

static porous_pore_view view_of(porous_wet* wet, const shoal_water* sand) {
    shoal_set*       set  = wet->set;
    porous_pore_view view = {.count    = set->count,
                             .near     = &sand->near,
                             .images   = sand->halo.images,
                             .place    = sand->view.place,
                             .wall     = sand->view.wall,
                             .ratio    = sand->view.ratio,
                             .material = sand->view.material,
                             .pores    = wet->pores,
                             .d        = sand->spacing,
                             .h        = (double)sand->params.support * sand->spacing,
                             .density  = wet->liquid.density,
                             .gravity  = wet->ctx->description->gravity};
    view.room             = view.d * view.d * view.d;
    view.water            = shoal_set_data(set, "water");
    view.pending          = shoal_set_data(set, "pending");
    view.pore_pressure    = shoal_set_data(set, "pore_pressure");
    view.saturation       = shoal_set_data(set, "saturation");
    view.porosity         = shoal_set_data(set, "porosity");
    view.pore_velocity    = shoal_set_data(set, "pore_velocity");
    return view;
}

// ---------------------------------------------------------------------------------- books

void porous_wet_arrive(porous_wet* wet, const shoal_arrival* arrival) {
    if (arrival->set != wet->set) return;
    const shoal_description* description = wet->ctx->description;
    const uint8_t*           material    = shoal_set_data(arrival->set, "material");
    double*                  water       = shoal_set_data(arrival->set, "water");
    float*                   pressure    = shoal_set_data(arrival->set, "pore_pressure");
    uint8_t*                 fixed       = shoal_set_data(arrival->set, "fixed");
    for (int i = arrival->first; i < arrival->first + arrival->count; i++) {
        const porous_pores* pores = &wet->pores[material[i]];
        double              s     = (double)description->materials[material[i]].wetness;
        water[i]                  = s * pores->porosity * shoal_room_of(description, material[i]);
        pressure[i]               = s > 0.0 ? (float)-pore_suction(pores, s) : 0.0f;
        fixed[i]                  = arrival->body && arrival->body->is_fixed;
        *wet->water_come += water[i];
    }
}

void porous_wet_leave(porous_wet* wet, const shoal_set* set, const uint8_t* marks) {
    if (set != wet->set) return;
    const double *water = shoal_set_data(set, "water"), *pending = shoal_set_data(set, "pending");
    for (int i = 0; i < set->count; i++)
        if (marks[i]) *wet->water_gone += water[i] + pending[i];
}

static double sum_block(void* ctx, int begin, int end) {
    const double* field = ctx;
    double        sum   = 0.0;
    for (int i = begin; i < end; i++) sum += field[i];
    return sum;
}

double porous_wet_sum(const porous_wet* wet, const char* field) {
    return shoal_sum(&wet->ctx->exec, wet->set->count, sum_block, shoal_set_data(wet->set, field));
}

double porous_wet_balance(const porous_wet* wet) {
    double there = porous_wet_sum(wet, "water") + porous_wet_sum(wet, "pending") + *wet->water_gone;
    return *wet->water_come > 0.0 ? there / *wet->water_come - 1.0 : 0.0;
}

// ---------------------------------------------------------------------------------- steps

typedef struct look_job {
    const porous_pore_view* view;
    const shoal_material*   materials; // pores are filled to their wetness; NULL: they have what they have
} look_job;

static void look_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const look_job*         job = ctx;
    const porous_pore_view* v   = job->view;
    for (int i = begin; i < end; i++) {
        double phi = pore_porosity(v, i), capacity = phi * pore_volume(v, i);
        if (job->materials) v->water[i] = (double)job->materials[v->material[i]].wetness * capacity;
        v->porosity[i]   = (float)phi;
        v->saturation[i] = (float)(v->water[i] / capacity);
    }
}

static void look(porous_wet* wet, const porous_pore_view* view, const shoal_material* materials) {
    enum { BLOCK = 1024 };
    look_job job = {view, materials};
    shoal_blocks(&wet->ctx->exec, view->count, BLOCK, look_block, &job);
}

void porous_wet_begin(porous_wet* wet, const shoal_water* sand) {
    porous_pore_view view = view_of(wet, sand);
    look(wet, &view, wet->ctx->description->materials);
    *wet->water_come = porous_wet_sum(wet, "water");
}

shoal_status porous_wet_step(porous_wet* wet, const shoal_water* sand, double dt, int64_t step) {
    porous_pore_view view = view_of(wet, sand);
    wet->pore.iterations  = 0;
    *wet->wait += dt;
    if (step % PORE_EVERY == 0) {
        view.dt = *wet->wait;
        porous_pore_clear(&wet->pore);
        if (*wet->water_come > *wet->water_gone) SHOAL_TRY(porous_pore_step(&wet->pore, &view, &wet->ctx->exec));
        *wet->wait = 0.0;
    }
    look(wet, &view, NULL);
    return SHOAL_OK;
}
