// SPDX-License-Identifier: MIT
#include "solvers/porous/porous_wet.h"

#include <math.h>
#include <string.h>

#include "solvers/porous/porous_local.h"
#include "solvers/porous/porous_pore_pass.h"

// Substeps between two steps of the pore water, which is slow: of a falling head they cost a hundredth. Sooner where it
// would have come this part of a spacing out of the sand: what free water is given all at once presses it. What is
// taken from it leaves room, and flow from pore to pore is found for the end of its step: these may come farther.
enum { PORE_EVERY = 5 };
#define PORE_OUT 0.005
#define PORE_IN 0.05
#define PORE_WITHIN 0.1
// And so much farther out where free water runs, over what it comes in a substep above so many spacings: its own places
// change by more then.
#define PORE_OUT_WAY 0.3
#define PORE_OUT_CALM 0.03

static int first_liquid(const shoal_description* description) {
    int first = shoal_material_first(description, SHOAL_LIQUID);
    return description->material_count > 0 && description->materials[first].kind == SHOAL_LIQUID ? first : -1;
}

bool porous_has_liquid(const shoal_description* description) { return first_liquid(description) >= 0; }

bool porous_is_wet(const shoal_description* description) {
    for (int m = 0; m < description->material_count; m++)
        if (description->materials[m].kind == SHOAL_GRANULAR && description->materials[m].is_used &&
            description->materials[m].wetness > 0.0f)
            return true;
    return porous_has_liquid(description);
}

bool porous_pores_warn(const shoal_description* description, char* buffer, size_t size) {
    bool has_warned = false;
    for (int m = 0; m < description->material_count && porous_is_wet(description); m++) {
        const shoal_material* sand = &description->materials[m];
        if (sand->kind != SHOAL_GRANULAR || sand->porosity > 0.0f) continue;
        double asked = 1.0 - (double)sand->packing, phi = porous_pores_of(sand, porous_liquid_of(description)).porosity;
        if (fabs(phi - asked) < 1e-6) continue;
        shoal_add_line(buffer, size,
                       "materials.%s.packing: %g leaves pores of %.3g, out of the range of porosity, and is computed "
                       "with %g: give a packing of at most 0.95, or a porosity",
                       sand->name, (double)sand->packing, asked, phi);
        has_warned = true;
    }
    return has_warned;
}

// The first liquid of the scene, or water at 20 degrees C [IAPWS R6-95, R12-08].
porous_liquid porous_liquid_of(const shoal_description* description) {
    int material = first_liquid(description);
    if (material < 0) return (porous_liquid){998.2, 1.0016e-3};
    const shoal_material* liquid = &description->materials[material];
    return (porous_liquid){(double)liquid->density, (double)liquid->viscosity};
}

shoal_status porous_wet_make(porous_wet* wet, shoal_sim_context* ctx, shoal_set* set, shoal_set* free,
                             shoal_set* once) {
    const shoal_description* description = ctx->description;
    *wet = (porous_wet){.ctx = ctx, .set = set, .free = free, .once = once, .material = first_liquid(description)};
    wet->liquid = porous_liquid_of(description);
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

static porous_pore_view view_of(porous_wet* wet, const shoal_water* sand, bool is_loaded) {
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
                             .gravity  = wet->ctx->description->gravity,
                             .load     = is_loaded ? sand->view.pressure : NULL,
                             .velocity = sand->view.velocity};
    view.rest_volume      = view.d * view.d * view.d;
    view.fixed            = shoal_set_data(set, "fixed");
    view.water            = shoal_set_data(set, "water");
    view.pending          = shoal_set_data(set, "pending");
    view.pore_pressure    = shoal_set_data(set, "pore_pressure");
    view.saturation       = shoal_set_data(set, "saturation");
    view.porosity         = shoal_set_data(set, "porosity");
    view.pore_velocity    = shoal_set_data(set, "pore_velocity");
    return view;
}

// ---------------------------------------------------------------------------------- balance

double porous_wet_mass(const porous_wet* wet, int material, double water) {
    const shoal_description* description = wet->ctx->description;
    return (double)description->materials[material].density * shoal_volume_of(description, material) +
           wet->liquid.density * water;
}

static void sand_arrives(porous_wet* wet, const shoal_arrival* arrival) {
    const shoal_description* description = wet->ctx->description;
    const uint8_t*           material    = shoal_set_data(arrival->set, "material");
    double*                  water       = shoal_set_data(arrival->set, "water");
    float *  pressure = shoal_set_data(arrival->set, "pore_pressure"), *mass = shoal_set_data(arrival->set, "mass");
    float*   saturation = shoal_set_data(arrival->set, "saturation");
    uint8_t* fixed      = shoal_set_data(arrival->set, "fixed");
    for (int i = arrival->first; i < arrival->first + arrival->count; i++) {
        const porous_pores* pores = &wet->pores[material[i]];
        double              s     = (double)description->materials[material[i]].wetness;
        water[i]                  = s * pores->porosity * shoal_volume_of(description, material[i]);
        pressure[i]               = s > 0.0 ? (float)-pore_suction(pores, s) : 0.0f;
        saturation[i]             = (float)s;
        fixed[i]                  = arrival->body && arrival->body->is_fixed;
        mass[i]                   = (float)porous_wet_mass(wet, material[i], water[i]);
        *wet->water_come += water[i];
    }
}

static void water_arrives(porous_wet* wet, const shoal_arrival* arrival) {
    const uint8_t* material = shoal_set_data(arrival->set, "material");
    double*        content  = shoal_set_data(arrival->set, "content");
    float*         volume   = shoal_set_data(arrival->set, "volume");
    for (int i = arrival->first; i < arrival->first + arrival->count; i++) {
        content[i] = shoal_volume_of(wet->ctx->description, material[i]);
        volume[i]  = (float)content[i];
        if (material[i] == wet->material) *wet->water_come += content[i];
    }
}

void porous_wet_arrive(porous_wet* wet, const shoal_arrival* arrival) {
    if (arrival->set == wet->set) sand_arrives(wet, arrival);
    if (arrival->set == wet->free) water_arrives(wet, arrival);
}

void porous_wet_leave(porous_wet* wet, const shoal_set* set, const uint8_t* marks) {
    if (set == wet->set) {
        const double *water = shoal_set_data(set, "water"), *pending = shoal_set_data(set, "pending");
        for (int i = 0; i < set->count; i++)
            if (marks[i]) *wet->water_gone += water[i] + pending[i];
    }
    if (set == wet->free) {
        const double*  content  = shoal_set_data(set, "content");
        const uint8_t* material = shoal_set_data(set, "material");
        for (int i = 0; i < set->count; i++)
            if (marks[i] && material[i] == wet->material) *wet->water_gone += content[i];
    }
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

typedef struct free_water {
    const double*  content;
    const uint8_t* material;
    int            of;
} free_water;

static double free_block(void* ctx, int begin, int end) {
    const free_water* f   = ctx;
    double            sum = 0.0;
    for (int i = begin; i < end; i++)
        if (f->material[i] == f->of) sum += f->content[i];
    return sum;
}

double porous_wet_free_sum(const porous_wet* wet) {
    free_water f = {shoal_set_data(wet->free, "content"), shoal_set_data(wet->free, "material"), wet->material};
    return shoal_sum(&wet->ctx->exec, wet->free->count, free_block, &f);
}

double porous_wet_balance(const porous_wet* wet) {
    double there =
        porous_wet_sum(wet, "water") + porous_wet_sum(wet, "pending") + porous_wet_free_sum(wet) + *wet->water_gone;
    return *wet->water_come > 0.0 ? there / *wet->water_come - 1.0 : 0.0;
}

shoal_status porous_wet_check(const porous_wet* wet) {
    const double *water = shoal_set_data(wet->set, "water"), *pending = shoal_set_data(wet->set, "pending");
    const double  least = -1e-12 * pow(wet->ctx->description->spacing, 3.0); // what rounding leaves of nothing
    for (int i = 0; i < wet->set->count; i++)
        if (water[i] < least || pending[i] < 0.0)
            return shoal_fail(SHOAL_ERR_INPUT, "saved sand has less than no water in its pores");
    if (*wet->wait < 0.0 || *wet->pace < 0.0)
        return shoal_fail(SHOAL_ERR_INPUT, "saved pore water has waited for %g s, at a pace of %g 1/s", *wet->wait,
                          *wet->pace);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- steps

typedef struct visit_job {
    const porous_wet* wet;
    float*            mass;
    bool              are_filled; // pores to the wetness of their material; else they have what they have
} visit_job;

static void visit_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const visit_job*        job       = ctx;
    const porous_pore_view* v         = &job->wet->view;
    const shoal_material*   materials = job->wet->ctx->description->materials;
    for (int i = begin; i < end; i++) {
        double capacity = pore_capacity(v, i);
        if (job->are_filled) v->water[i] = (double)materials[v->material[i]].wetness * capacity;
        v->porosity[i]   = (float)pore_porosity(v, i);
        v->saturation[i] = (float)(v->water[i] / capacity);
        job->mass[i]     = (float)porous_wet_mass(job->wet, v->material[i], v->water[i] + v->pending[i]);
    }
}

static void survey(porous_wet* wet, bool are_filled) {
    enum { BLOCK = 1024 };
    visit_job job = {wet, shoal_set_data(wet->set, "mass"), are_filled};
    shoal_blocks(&wet->ctx->exec, wet->view.count, BLOCK, visit_block, &job);
}

void porous_wet_survey(porous_wet* wet, const shoal_water* sand) {
    wet->view = view_of(wet, sand, *wet->settled);
    survey(wet, false);
}

void porous_wet_begin(porous_wet* wet, const shoal_water* sand) {
    wet->view = view_of(wet, sand, *wet->settled);
    survey(wet, true);
    *wet->water_come = porous_wet_sum(wet, "water") + porous_wet_free_sum(wet);
}

// A packing falls into its gaps first, for the time that takes, and its load is not known before that. Till then pores
// hold what they hold without one.
static double settling_time(const porous_wet* wet) {
    const shoal_description* description = wet->ctx->description;
    return 2.0 * sqrt(2.0 * description->spacing / porous_gravity(description));
}

// From now on pores follow the load. What is in them stays as full as it is, under the load that there is now: bodies
// begin as they lie, and not as if all of the load came in this moment, which water would bear until it has left, so
// that slopes slid meanwhile. Full pores get a pressure of as much as water that stands up to the surface has of the
// load, where they have less: it would be taken from the pores below the surface, and the water table be 12 mm below
// that of a slope of 0.16 m.
static void settle(porous_wet* wet) {
    const porous_pore_view* v         = &wet->view;
    const shoal_material*   materials = wet->ctx->description->materials;
    double                  before    = porous_wet_sum(wet, "water");
    for (int i = 0; i < v->count; i++) {
        if (!(materials[v->material[i]].wetness > 0.0f)) continue; // its water has come from elsewhere
        double empty = v->pores[v->material[i]].porosity * v->rest_volume, load = pore_load(v, i);
        double part = wet->liquid.density * v->rest_volume / porous_wet_mass(wet, v->material[i], v->water[i]);
        double full = empty * (1.0 + PORE_SOFT * part * load);
        if (v->water[i] >= (1.0 - PORE_SLACK) * empty && v->water[i] < full) v->water[i] = full;
        v->water[i] /= 1.0 + PORE_SOFT * load;
    }
    *wet->water_come += porous_wet_sum(wet, "water") - before;
    *wet->settled = 1;
}

// A flux out of particles, into them or through them, m/s.
typedef enum flux_kind { FLUX_OUT, FLUX_IN, FLUX_WITHIN } flux_kind;
typedef struct flux_sum {
    const porous_pore_view* view;
    flux_kind               kind;
} flux_sum;

static double flux_of(const flux_sum* sum, int i) {
    const porous_pore_view* v = sum->view;
    if (sum->kind == FLUX_WITHIN) return (double)v->porosity[i] * (double)shoal_v3_length(v->pore_velocity[i]);
    return (sum->kind == FLUX_OUT ? v->link_out : v->link_in)[i] / (v->d * v->d);
}
static double flux_block(void* ctx, int begin, int end) {
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += flux_of(ctx, i);
    return sum;
}
static double flux2_block(void* ctx, int begin, int end) {
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += flux_of(ctx, i) * flux_of(ctx, i);
    return sum;
}

// How fast it is where it flows: the mean, each with itself as its weight. What flows out since pores had more than
// fits, as those that a drop got into, does so once, and does not count.
static double mean_flux(const porous_wet* wet, flux_kind kind) {
    const shoal_exec*       exec  = &wet->ctx->exec;
    const porous_pore_view* v     = &wet->view;
    flux_sum                job   = {v, kind};
    double                  sum   = shoal_sum(exec, v->count, flux_block, &job);
    double                  over  = kind == FLUX_OUT ? shoal_sum(exec, v->count, sum_block, v->over) : 0.0;
    double                  stays = sum - over / (v->dt * v->d * v->d);
    return stays > 0.0 ? shoal_sum(exec, v->count, flux2_block, &job) / sum * (stays / sum) : 0.0;
}

// Of the way that each may come in a step, what it comes in a second.
static double pace_of(const porous_wet* wet, double way) {
    double out = mean_flux(wet, FLUX_OUT) / (PORE_OUT + PORE_OUT_WAY * fmax(way - PORE_OUT_CALM, 0.0)),
           in  = mean_flux(wet, FLUX_IN) / PORE_IN;
    return fmax(fmax(out, in), mean_flux(wet, FLUX_WITHIN) / PORE_WITHIN) / wet->view.d;
}

shoal_status porous_wet_step(porous_wet* wet, const shoal_water* sand, porous_drops drops, double dt, int64_t step,
                             double way) {
    bool settles = *wet->settled == 0 && wet->ctx->time + dt >= settling_time(wet);
    wet->view    = view_of(wet, sand, settles || *wet->settled);
    if (settles) settle(wet);
    wet->view.drops      = drops;
    wet->pore.iterations = 0;
    wet->flowed          = false;
    *wet->wait += dt;
    bool is_due = *wet->wait > (PORE_EVERY - 0.5) * dt; // counted from the last one, whenever that was
    if (step > 0 && !is_due && *wet->wait * *wet->pace < 1.0) return SHOAL_OK;
    wet->view.dt = *wet->wait;
    wet->flowed  = wet->is_fine && *wet->water_come > *wet->water_gone && wet->view.count > 0;
    porous_pore_clear(&wet->pore);
    if (wet->flowed) SHOAL_TRY(porous_pore_step(&wet->pore, &wet->view, &wet->ctx->exec));
    *wet->pace = wet->flowed ? pace_of(wet, way) : 0.0;
    *wet->wait = 0.0;
    return SHOAL_OK;
}
