// SPDX-License-Identifier: MIT
// Sand as a fluid with friction: what its material means to the rules one floor below, and which rule acts.
#include <math.h>
#include <string.h>

#include "math/rheology.h"
#include "solvers/flip/flip_local.h"
#include "state/bridges.h"

static double yield_of(const flip* s, const shoal_material* sand) {
    double angle = (double)sand->friction_angle;
    switch (s->params.yield) {
    case FLIP_YIELD_PAPER:
        return shoal_yield_printed(angle);
    case FLIP_YIELD_PLANE_STRAIN:
        return shoal_yield_plane_strain(angle);
    default:
        return shoal_yield_repose(angle);
    }
}

double flip_rest_speed(const flip* s, const flip_phase* p) {
    return p->is_sand ? (double)s->params.rest_speed * sqrt(shoal_d3_length(s->ctx->description->gravity) * s->dx)
                      : 0.0;
}

// As much as a stride allows, however many substeps it takes. A quarter of its own way, so that a pile at rest is left
// alone; but clumps and gaps that no jitter makes are closed at rest, too, or sand that was poured would stay as it
// arrived.
shoal_mac_density_correction flip_sand_evening(const flip* s, const flip_phase* p, double dt) {
    const double most = 0.1, of_way = 0.25, band = 0.15, strides = fmin(1.0, dt / flip_stride(s, p));
    return (shoal_mac_density_correction){.gain   = (float)(1.0 - pow(1.0 - (double)s->params.volume_control, strides)),
                                          .most   = (float)(most * strides),
                                          .of_way = (float)of_way,
                                          .band   = (float)band,
                                          .dt     = (float)dt};
}

// That of medium sand, for sand that does not tell.
float flip_grain_size(const shoal_material* sand) { return sand->grain_size > 0.0f ? sand->grain_size : 5e-4f; }

double flip_bridges(const shoal_material* sand) { return shoal_bridge_cohesion(sand, (double)flip_grain_size(sand)); }

static void soak(void* ctx, int begin, int end, int worker) {
    (void)worker;
    for (int i = begin; i < end; i++) ((float*)ctx)[i] = 1.0f;
}

void flip_wet(flip* s) {
    if (!s->sand) return;
    const flip_phase* liquid = &s->phases[0];
    if (!liquid->is_sand)
        shoal_blocks(&s->ctx->exec, liquid->count, 4096, soak,
                     (float*)shoal_set_data(s->ctx->particles, "wetness") + liquid->begin);
    if (s->is_mixed) shoal_granular_mixture_wet(&s->mixture, &liquid->mac, &s->sand->mac, &s->ctx->exec);
}

static void keep_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    size_t from = SHOAL_MAC_SAMPLES * (size_t)block, bytes = SHOAL_MAC_SAMPLES * sizeof(float);
    bool   is_back = *(const bool*)ctx;
    for (int axis = 0; axis < 3; axis++)
        if (is_back)
            memcpy(m->u[axis] + from, m->change[axis] + from, bytes);
        else
            memcpy(m->change[axis] + from, m->u[axis] + from, bytes);
}

// Pressure of before to mac->change, which nothing needs then, and added to that of now.
static void keep_pressure_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    memcpy(m->change[0] + SHOAL_MAC_SAMPLES * (size_t)block, m->pressure + SHOAL_MAC_SAMPLES * (size_t)block,
           SHOAL_MAC_SAMPLES * sizeof(float));
}
static void add_pressure_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
        m->pressure[at] += m->change[0][at];
}

// The projection of sand by the paper's rule, a second time without what it would hold by suction; then the rule. It
// leaves a field that is not free of divergence where groups meet what flows, so that heaps would sink: projected
// again.
static shoal_status friction_by_paper(flip* s, flip_phase* p, double yield, shoal_granular_cohesion cohesion,
                                      double gravity, double dt) {
    const shoal_exec*          exec       = &s->ctx->exec;
    shoal_granular_separation* separation = &s->friction.separation;
    bool                       has_separated, is_back = false;
    SHOAL_TRY(shoal_granular_separation_begin(separation, &p->mac, exec));
    shoal_mac_each(&p->mac, exec, keep_block, &is_back);
    SHOAL_TRY(shoal_mac_project(&p->projection, &p->mac, exec, &s->solve, false));
    SHOAL_TRY(shoal_granular_separate(
        separation, &p->projection, &p->mac, exec, &s->solve,
        shoal_granular_bearable(&p->mac, (float)yield, cohesion, (float)gravity, (float)dt), &has_separated));
    if (has_separated) {
        is_back = true;
        shoal_mac_each(&p->mac, exec, keep_block, &is_back);
        SHOAL_TRY(shoal_mac_project(&p->projection, &p->mac, exec, &s->solve, true));
    }
    float flow = s->params.flow == FLIP_FLOW_PRINTED ? (float)(3.0 / sqrt(2.0)) : 1.0f;
    SHOAL_TRY(
        shoal_granular_solve_plastic(&s->plastic, &p->mac, exec, &s->begin, (float)yield, flow, cohesion, (float)dt));
    shoal_mac_each(&p->mac, exec, keep_pressure_block, NULL);
    SHOAL_TRY(shoal_mac_project(&p->projection, &p->mac, exec, &s->solve, false));
    shoal_mac_each(&p->mac, exec, add_pressure_block, NULL);
    shoal_granular_separation_end(separation, &p->mac, exec, &s->begin, shoal_v3_from(s->ctx->description->gravity),
                                  (float)dt);
    return SHOAL_OK;
}

shoal_status flip_solve_friction(flip* s, flip_phase* p, double dt) {
    const shoal_exec*     exec     = &s->ctx->exec;
    const shoal_material* material = p->material;
    double                yield = yield_of(s, material), dry = (double)(material->cohesion / material->density),
           gravity = shoal_d3_length(s->ctx->description->gravity);
    // Cohesion is that of a cut, tau <= mu p + c; the paper's q is sqrt(3) times the shear. Water that sand takes no
    // notice of is none.
    bool   is_wet  = !s->is_mixed || s->params.coupling == FLIP_COUPLING_TWO_WAY;
    double bridges = is_wet ? flip_bridges(material) / (double)material->density : 0.0;
    if (s->params.friction == FLIP_FRICTION_GLOBAL) {
        shoal_granular_sand sand = {.friction   = (float)(yield / sqrt(3.0)),
                                    .cohesion   = {(float)dry, (float)bridges},
                                    .grain_size = material->grain_size,
                                    .rounds     = s->params.rounds,
                                    .sweeps     = s->params.sweeps,
                                    .still      = (float)flip_rest_speed(s, p)};
        return shoal_granular_solve_friction(&s->friction, &p->projection, &p->mac, exec, &s->begin, &s->solve, &sand,
                                             shoal_v3_from(s->ctx->description->gravity), (float)dt);
    }
    SHOAL_TRY(shoal_mac_projection_set(&p->projection, &p->mac, exec, &s->solve));
    if (s->params.friction == FLIP_FRICTION_PAPER)
        return friction_by_paper(s, p, yield,
                                 (shoal_granular_cohesion){(float)(sqrt(3.0) * dry), (float)(sqrt(3.0) * bridges)},
                                 gravity, dt);
    p->mac.separated = NULL;
    return shoal_mac_project(&p->projection, &p->mac, exec, &s->solve, false);
}
