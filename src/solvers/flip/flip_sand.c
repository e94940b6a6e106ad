// SPDX-License-Identifier: MIT
// Sand as a fluid with friction: what its material means to the rules one floor below, and which rule acts.
#include <math.h>

#include "solvers/flip/flip_local.h"

// M of the yield surface q <= M p + c, where q is sqrt(3) times the shear.
static double yield_of(const flip* s, const shoal_material* sand) {
    double angle = (double)sand->friction_angle * (3.14159265358979323846 / 180.0);
    switch (s->params.yield) {
    case FLIP_YIELD_PAPER: return sin(angle);
    case FLIP_YIELD_PLANE_STRAIN: return sqrt(3.0) * sin(angle);
    default: return sqrt(3.0) * tan(angle);
    }
}

double flip_rest_speed(const flip* s, const flip_phase* p) {
    return p->is_sand ? (double)s->params.rest_speed * sqrt(shoal_d3_length(s->ctx->description->gravity) * s->dx) : 0.0;
}

shoal_status flip_rub(flip* s, flip_phase* p, double dt) {
    const shoal_exec*     exec     = &s->ctx->exec;
    const shoal_material* material = p->material;
    double                yield = yield_of(s, material), cohesion = (double)(material->cohesion / material->density);
    if (s->params.friction == FLIP_GLOBAL) {
        shoal_mac_sand sand = {.friction   = (float)(yield / sqrt(3.0)),
                               .cohesion   = (float)(cohesion / sqrt(3.0)),
                               .grain_size = material->grain_size,
                               .rounds     = s->params.rounds,
                               .sweeps     = s->params.sweeps};
        double         gravity = shoal_d3_length(s->ctx->description->gravity);
        return shoal_mac_rub(&s->friction, &p->projection, &p->mac, exec, &p->world, &s->solve, &sand, (float)gravity, (float)dt);
    }
    SHOAL_TRY(shoal_mac_projection_set(&p->projection, &p->mac, exec, &s->solve));
    SHOAL_TRY(shoal_mac_project(&p->projection, &p->mac, exec, &s->solve, false));
    if (s->params.friction == FLIP_FRICTIONLESS) return SHOAL_OK;
    return shoal_mac_stiffen(&s->plastic, &p->mac, exec, &p->world, (float)yield, (float)cohesion, (float)dt);
}
