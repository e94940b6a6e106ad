// SPDX-License-Identifier: MIT
// What viscosity takes from a liquid: along walls, by a boundary layer thinner than a cell, and inside, where it is
// thick.
#include "mac/mac_boundary_layer.h"
#include "solvers/flip/flip_local.h"

// The pressure's push, kept in `change` until flip_extend needs that: u before the projection, less u after it.
static void keep_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx, (void)worker;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
            m->change[axis][at] = m->u[axis][at];
}

static void lift_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx, (void)worker;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
            m->change[axis][at] -= m->u[axis][at];
}

static void return_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx, (void)worker;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
            m->u[axis][at] += m->change[axis][at];
}

// Viscosity acts on the velocity that pressure has driven already, as in [Batty & Bridson 2008]: else what a substep's
// pressure drives is not held back in it, and a film goes too fast by g times its slope times dt, which is more than it
// flows by itself where dt is beyond h^2 / 3 nu. The push is then given back, so that the projection that follows finds
// the whole pressure.
static shoal_status diffuse_driven(flip* s, flip_phase* p, double spread) {
    const shoal_exec* exec = &s->ctx->exec;
    shoal_mac_each(&p->mac, exec, keep_block, NULL);
    SHOAL_TRY(shoal_mac_projection_set(&p->projection, &p->mac, exec, &s->solve));
    SHOAL_TRY(shoal_mac_project(&p->projection, &p->mac, exec, &s->solve, false));
    shoal_mac_each(&p->mac, exec, lift_block, NULL);
    SHOAL_TRY(shoal_mac_diffuse(&s->viscosity, &p->mac, exec, &s->begin, &s->thick, spread));
    shoal_mac_each(&p->mac, exec, return_block, NULL);
    return SHOAL_OK;
}

shoal_status flip_diffuse(flip* s, flip_phase* p, double dt) {
    double viscosity = (double)p->material->viscosity / (double)p->material->density,
           spread    = viscosity * dt / (s->dx * s->dx);
    if (viscosity == 0.0) return SHOAL_OK;
    if (s->params.boundary_layer)
        shoal_mac_boundary_layer(&p->mac, &s->ctx->exec, &s->begin, (float)viscosity, (float)dt);
    if (!s->params.viscosity || spread == 0.0 || !flip_is_thick(s->ctx->description, p->material, s->speed))
        return SHOAL_OK;
    if (!s->is_mixed) return diffuse_driven(s, p, spread);
    return shoal_mac_diffuse(&s->viscosity, &p->mac, &s->ctx->exec, &s->begin, &s->thick, spread);
}
