// SPDX-License-Identifier: MIT
// The step of the pore water. Which pores are full is found together with their pressure: conjugate gradients for a
// set of full ones, then those change sides whose sign is wrong, until none does.
#include "solvers/porous/porous_pore.h"

#include <string.h>

#include "math/kernels.h"
#include "solvers/porous/porous_pore_pass.h"
#include "state/bridges.h"

// Of the residual. At 1e-3 full sand stays up to half a percent short of full, and passes a fifth less; but which are
// full is found as well.
static const double tolerance = 1e-5, loose = 1e-3;
enum { ITERATIONS_MOST = 400, ROUNDS_MOST = 12 };
// So many of all may still change sides in the end, and before the last, exact rounds: what they hold too much they
// give in the next step.
#define STRAY 1e-4
#define ASTRAY 1e-3

// ---------------------------------------------------------------------------------- materials

// Kozeny and Carman's number, and van Gent's of the quadratic drag [van Gent 1995, as for the dam through rock of Liu
// et al. 1999].
#define KOZENY_CARMAN 180.0
#define FORCHHEIMER 2.0
// Of sand whose grains are not kappa: medium sand.
#define GRAIN_SIZE 3e-4
// Capillary height is C / (e D) with the void ratio e; C is 0.1 to 0.5 cm^2 [Terzaghi, Peck & Mesri 1996, 13.4].
#define CAPILLARY_RISE 3e-5
#define STANDARD_GRAVITY 9.80665
// A tenth of the thinnest liquid's: without any viscosity water would pass pores without a gradient, and without
// bounds.
#define VISCOSITY_LEAST 1e-6

double porous_grain_size(const shoal_material* m) { return m->grain_size > 0.0f ? (double)m->grain_size : GRAIN_SIZE; }

double porous_cohesion_wet(const shoal_material* m) {
    return m->cohesion_wet > 0.0f ? (double)m->cohesion_wet : shoal_bridge_cohesion(m, porous_grain_size(m));
}

porous_pores porous_pores_of(const shoal_material* m, porous_liquid liquid) {
    double phi   = m->porosity > 0.0f ? (double)m->porosity : fmin(fmax(1.0 - (double)m->packing, 0.05), 0.95);
    double grain = porous_grain_size(m);
    double solid = 1.0 - phi, cube = phi * phi * phi;
    double k =
        m->permeability > 0.0f ? (double)m->permeability : grain * grain * cube / (KOZENY_CARMAN * solid * solid);
    double rise   = m->capillary_height > 0.0f ? (double)m->capillary_height : CAPILLARY_RISE * solid / (phi * grain);
    double acting = sqrt(KOZENY_CARMAN * k * solid * solid / cube); // the grain size that has this permeability, m
    return (porous_pores){.porosity      = phi,
                          .permeability  = k,
                          .suction       = liquid.density * STANDARD_GRAVITY * rise,
                          .darcy_a       = fmax(liquid.viscosity, VISCOSITY_LEAST) / k * cube / (solid * solid),
                          .forchheimer_b = FORCHHEIMER * liquid.density / acting};
}

// ---------------------------------------------------------------------------------- room

void porous_pore_free(porous_pore* pore) {
#define X(type, name) shoal_free(pore->name);
    POROUS_PORE_ARRAYS(X)
#undef X
    shoal_free(pore->lengths);
    shoal_free(pore->fall);
    shoal_free(pore->drop_fraction);
    shoal_free(pore->links);
    shoal_csr_free(&pore->matrix);
    shoal_cg_free(&pore->cg);
    *pore = (porous_pore){0};
}

static shoal_status reserve(porous_pore* pore, int count) {
    if (count <= pore->array_capacity) return SHOAL_OK;
    size_t capacity      = (size_t)count + (size_t)count / 4;
    pore->array_capacity = 0;
    SHOAL_TRY(shoal_realloc((void**)&pore->lengths, 0, capacity, sizeof *pore->lengths));
#define X(type, name) SHOAL_TRY(shoal_realloc((void**)&pore->name, 0, capacity, sizeof *pore->name));
    POROUS_PORE_ARRAYS(X)
#undef X
    pore->array_capacity = (int)capacity;
    return SHOAL_OK;
}

// A row has the particle itself and its neighbours.
static shoal_status shape_matrix(porous_pore* pore, porous_pore_view* v) {
    for (int i = 0; i < v->count; i++) pore->lengths[i] = v->is_dry[i] ? 1 : v->near->count[i] + 1;
    SHOAL_TRY(shoal_csr_shape(&pore->matrix, v->count, pore->lengths));
    v->fall = pore->fall;
    if (pore->matrix.entries <= pore->entry_capacity) return SHOAL_OK;
    int64_t capacity     = pore->matrix.entry_capacity;
    pore->entry_capacity = 0;
    SHOAL_TRY(shoal_realloc((void**)&pore->fall, 0, (size_t)capacity, sizeof *pore->fall));
    pore->entry_capacity = capacity;
    v->fall              = pore->fall;
    return SHOAL_OK;
}

static shoal_status reserve_drops(porous_pore* pore, int count) {
    if (count <= pore->drop_capacity) return SHOAL_OK;
    size_t capacity     = (size_t)count + (size_t)count / 4;
    pore->drop_capacity = 0;
    SHOAL_TRY(shoal_realloc((void**)&pore->drop_fraction, 0, capacity, sizeof *pore->drop_fraction));
    pore->drop_capacity = (int)capacity;
    return SHOAL_OK;
}

static shoal_status bind(porous_pore* pore, porous_pore_view* v) {
    SHOAL_TRY(reserve(pore, v->count));
    SHOAL_TRY(reserve_drops(pore, v->drops.near ? v->drops.count : 0));
#define X(type, name) v->name = pore->name;
    POROUS_PORE_ARRAYS(X)
#undef X
    v->matrix        = &pore->matrix;
    v->is_held       = pore->link_count > 0;
    v->drop_fraction = pore->drop_fraction;
    v->scale         = shoal_cubic_scale(v->h);
    v->slope_scale   = 3.0 * v->scale;
    v->rest_volume   = v->d * v->d * v->d;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- passes as loops

typedef void (*pore_pass)(const porous_pore_view* view, int i);
typedef struct pore_job {
    const porous_pore_view* view;
    pore_pass               pass;
} pore_job;

static void run_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const pore_job* job = ctx;
    for (int i = begin; i < end; i++) job->pass(job->view, i);
}

static void run(const porous_pore_view* v, const shoal_exec* exec, pore_pass pass) {
    enum { BLOCK = 256 };
    pore_job job = {v, pass};
    shoal_blocks(exec, v->count, BLOCK, run_block, &job);
}

static double changed_of(void* ctx, int begin, int end) {
    double changed = 0.0;
    for (int i = begin; i < end; i++) changed += pore_review(ctx, i);
    return changed;
}

// ---------------------------------------------------------------------------------- ends

void porous_pore_clear(porous_pore* pore) { pore->link_count = 0; }

shoal_status porous_pore_link(porous_pore* pore, porous_link link) {
    if (pore->link_count == pore->link_capacity) {
        int capacity        = 2 * pore->link_capacity + 256;
        pore->link_capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&pore->links, (size_t)pore->link_count, (size_t)capacity, sizeof *pore->links));
        pore->link_capacity = capacity;
    }
    pore->links[pore->link_count++] = link;
    return SHOAL_OK;
}

// Full pores at the surface of the sand give to the air half a spacing outside, through a face of theirs, unless what
// they gave before has found no place.
static shoal_status find_outlet(porous_pore* pore, const porous_pore_view* v, int i) {
    double slant = shoal_d3_length(v->out[i]);
    if (slant * v->d < PORE_SURFACE || !(v->air[i] > 0.0) || v->pending[i] > v->rest_volume) return SHOAL_OK;
    shoal_d3 apart = shoal_d3_scale(v->out[i], -0.5 * v->d / slant);
    return porous_pore_link(pore, (porous_link){.particle = i,
                                                .boundary = POROUS_AIR,
                                                .mobility = 2.0 * v->mobility[i] * v->d * v->air[i],
                                                .apart    = apart});
}

// Free water near is an end each. Half of the way is water, which lets through twice as much.
static shoal_status find_drops(porous_pore* pore, const porous_pore_view* v, int i) {
    SHOAL_FOR_NEAR(*v->drops.near, i, n) {
        int      drop = v->drops.source[n];
        shoal_d3 d    = pore_drop_displacement(v, i, n);
        double   f    = pore_slope(v, shoal_d3_length(d));
        if (!v->drops.is_mixed[drop] || !(f > 0.0)) continue;
        double pair = 2.0 * v->mobility[i] * pore_volume(v, i) * v->drops.content[drop] * f;
        SHOAL_TRY(porous_pore_link(pore, (porous_link){.particle      = i,
                                                       .boundary      = POROUS_FREE,
                                                       .free_particle = drop,
                                                       .mobility      = 2.0 * pair * pore_bend(v->shape[i], d),
                                                       .pressure      = (double)v->drops.pressure[drop],
                                                       .apart         = d}));
    }
    return SHOAL_OK;
}

static shoal_status find_ends(porous_pore* pore, const porous_pore_view* v) {
    for (int i = 0; i < v->count; i++) {
        if (v->pores[v->material[i]].is_coarse) continue;
        if (v->drops.near) SHOAL_TRY(find_drops(pore, v, i));
        if (!v->is_closed) SHOAL_TRY(find_outlet(pore, v, i));
    }
    return SHOAL_OK;
}

// What an end is to the particle, as a pressure. Pores that have no pressure give nothing, not even downwards: the flow
// out of them would begin with a jump as they fill up, and it would be open whether they are full.
static double pressure_of(const porous_pore_view* v, const porous_link* link) {
    double pressure = link->pressure + pore_fall(v, link->apart);
    return link->is_out && pressure < 0.0 ? 0.0 : pressure;
}

// How easily water passes an end, m^3/(Pa s): as much as the side has from which it came last.
static double conductance_of(const porous_pore_view* v, const porous_link* link) {
    int i = link->particle;
    if (!link->is_open) return 0.0;
    return v->last[i] > pressure_of(v, link) && link->boundary == POROUS_HELD ? link->mobility * v->passage[i]
                                                                              : link->mobility;
}

static void sum_links(const porous_pore* pore, const porous_pore_view* v) {
    memset(v->link_conductance, 0, (size_t)v->count * sizeof *v->link_conductance);
    memset(v->link_pull, 0, (size_t)v->count * sizeof *v->link_pull);
    for (int k = 0; k < pore->link_count; k++) {
        const porous_link* link     = &pore->links[k];
        double             mobility = conductance_of(v, link);
        v->link_conductance[link->particle] += mobility;
        v->link_pull[link->particle] += mobility * pressure_of(v, link);
    }
}

// Air is open to full pores that press outwards; free water to those, and to all that draw it in.
static int review_links(porous_pore* pore, const porous_pore_view* v, const double* u) {
    int changed = 0;
    for (int k = 0; k < pore->link_count; k++) {
        porous_link* link   = &pore->links[k];
        int          i      = link->particle;
        porous_link  before = *link;
        link->is_out        = false;
        link->is_out        = link->boundary != POROUS_HELD && u[i] > pressure_of(v, link);
        bool may_flow_out   = v->is_full[i] && u[i] > 0.0;
        link->is_open = link->boundary == POROUS_HELD || (link->is_out ? may_flow_out : link->boundary == POROUS_FREE);
        changed +=
            link->is_open != before.is_open || (link->is_open && pressure_of(v, link) != pressure_of(v, &before));
    }
    return changed;
}

// What flows out by an end before the limit is known, m^3/s; none gives more than it has.
static double flux_of(const porous_pore_view* v, const porous_link* link) {
    double flux = conductance_of(v, link) * (v->head[link->particle] - pressure_of(v, link));
    if (flux >= 0.0 || link->boundary == POROUS_HELD) return flux;
    return link->boundary == POROUS_FREE ? flux * v->drop_fraction[link->free_particle] : 0.0; // air has none to give
}

// Of a particle of free water that pores would drink up a rest is left, so that its volume is above zero.
static void fraction_drops(const porous_pore* pore, const porous_pore_view* v) {
    const double most = 0.98;
    for (int k = 0; v->drops.near && k < v->drops.count; k++) v->drop_fraction[k] = 0.0;
    for (int k = 0; k < pore->link_count; k++) {
        const porous_link* link = &pore->links[k];
        double             flux = conductance_of(v, link) * (v->head[link->particle] - pressure_of(v, link));
        if (link->boundary == POROUS_FREE && flux < 0.0) v->drop_fraction[link->free_particle] -= v->dt * flux;
    }
    for (int k = 0; v->drops.near && k < v->drops.count; k++) {
        double has          = most * v->drops.content[k];
        v->drop_fraction[k] = v->drop_fraction[k] > has ? has / v->drop_fraction[k] : 1.0;
    }
}

// Through the ends, after the limit is known; what the air gets waits.
static void move_links(porous_pore* pore, const porous_pore_view* v) {
    for (int k = 0; k < pore->link_count; k++) {
        porous_link* link = &pore->links[k];
        int          i    = link->particle;
        double       flux = flux_of(v, link);
        link->given       = v->dt * flux * (flux > 0.0 ? v->outflow_fraction[i] : 1.0);
        v->water[i] -= link->given;
        if (link->boundary == POROUS_AIR) v->pending[i] += link->given;
    }
}

static void sum_flows(const porous_pore* pore, const porous_pore_view* v) {
    memset(v->link_out, 0, (size_t)v->count * sizeof *v->link_out);
    memset(v->link_in, 0, (size_t)v->count * sizeof *v->link_in);
    for (int k = 0; k < pore->link_count; k++) {
        const porous_link* link = &pore->links[k];
        int                i    = link->particle;
        double             flux = flux_of(v, link);
        *(flux > 0.0 ? &v->link_out[i] : &v->link_in[i]) += fabs(flux);
    }
}

// ---------------------------------------------------------------------------------- the step

static void begin_change(const porous_pore_view* v, int i) { v->change[i] = v->is_full[i] ? pore_pressed(v, i) : 0.0; }
static void take_sides(const porous_pore_view* v, int i) { v->is_full[i] = v->next_full[i]; }

// Pressures, and which are full.
static shoal_status solve(porous_pore* pore, porous_pore_view* v, const shoal_exec* exec) {
    shoal_cg_def def = {.tolerance = loose, .most = ITERATIONS_MOST};
    shoal_cg_end end;
    pore->iterations = 0;
    run(v, exec, begin_change);
    review_links(pore, v, v->last);
    for (pore->rounds = 1;; pore->rounds++) {
        sum_links(pore, v);
        run(v, exec, pore_balance);
        SHOAL_TRY(shoal_cg_solve(&pore->cg, exec, v->matrix, v->right, v->change, &def, &end));
        pore->iterations += end.iterations;
        run(v, exec, pore_apply_pressure);
        if (pore->rounds == ROUNDS_MOST) break;
        if (pore->rounds == ROUNDS_MOST - 1) def.tolerance = tolerance;
        double changed = shoal_sum(exec, v->count, changed_of, v);
        run(v, exec, take_sides);
        changed += review_links(pore, v, v->head);
        if (def.tolerance == tolerance && changed <= STRAY * v->count) break;
        if (changed <= ASTRAY * v->count) def.tolerance = tolerance;
    }
    pore->is_solved = end.is_solved && pore->rounds < ROUNDS_MOST;
    return SHOAL_OK;
}

static double lacking_of(void* ctx, int begin, int end) {
    double lacking = 0.0;
    for (int i = begin; i < end; i++) lacking += pore_limit(ctx, i);
    return lacking;
}

static void fraction_all(const porous_pore_view* v, int i) { v->outflow_fraction[i] = 1.0; }
static void fraction_less(const porous_pore_view* v, int i) { v->outflow_fraction[i] = v->next_fraction[i]; }
static void fraction_none(const porous_pore_view* v, int i) { v->outflow_fraction[i] = 0.0; }

// Fractions that leave none with less than nothing: one that gets less may have less to give. Seldom more than once; if
// it does not end, nothing flows.
static void limit(porous_pore_view* v, const shoal_exec* exec) {
    run(v, exec, fraction_all);
    for (int k = 0; k < ROUNDS_MOST; k++) {
        if (shoal_sum(exec, v->count, lacking_of, v) == 0.0) return;
        run(v, exec, fraction_less);
    }
    run(v, exec, fraction_none);
}

shoal_status porous_pore_step(porous_pore* pore, porous_pore_view* v, const shoal_exec* exec) {
    SHOAL_TRY(bind(pore, v));
    run(v, exec, pore_measure);
    run(v, exec, pore_find_dry);
    SHOAL_TRY(shape_matrix(pore, v));
    run(v, exec, pore_shape);
    run(v, exec, pore_take_back);
    run(v, exec, pore_find_mobility);
    run(v, exec, pore_join);
    SHOAL_TRY(find_ends(pore, v));
    SHOAL_TRY(solve(pore, v, exec));

    fraction_drops(pore, v);
    sum_flows(pore, v);
    limit(v, exec);
    run(v, exec, pore_move);
    move_links(pore, v);
    run(v, exec, pore_store_results);
    run(v, exec, pore_carry);
    return SHOAL_OK;
}
