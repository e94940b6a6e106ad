// SPDX-License-Identifier: MIT
// Sand as a fluid with friction: what its material means to the rules one floor below, and which rule acts.
#include <math.h>

#include "solvers/flip/flip_local.h"

const shoal_material* flip_material_of(const shoal_description* description) {
    int m = description->body_count > 0 ? description->bodies[0].material : description->emitter_count > 0 ? description->emitters[0].material : 0;
    return &description->materials[m];
}

// M of the yield surface q <= M p + c, where q is sqrt(3) times the shear.
static double yield_of(const flip* s) {
    double angle = (double)s->sand->friction_angle * (3.14159265358979323846 / 180.0);
    switch (s->params.yield) {
    case FLIP_YIELD_PAPER: return sin(angle);
    case FLIP_YIELD_PLANE_STRAIN: return sqrt(3.0) * sin(angle);
    default: return sqrt(3.0) * tan(angle);
    }
}

double flip_rest_speed(const flip* s) {
    return s->sand ? (double)s->params.rest_speed * sqrt(shoal_d3_length(s->ctx->description->gravity) * s->dx) : 0.0;
}

shoal_status flip_rub(flip* s, double dt) {
    const shoal_exec* exec    = &s->ctx->exec;
    double            yield   = yield_of(s), cohesion = (double)(s->sand->cohesion / s->sand->density);
    if (s->params.friction == FLIP_GLOBAL) {
        shoal_mac_sand sand = {.friction   = (float)(yield / sqrt(3.0)),
                               .cohesion   = (float)(cohesion / sqrt(3.0)),
                               .grain_size = s->sand->grain_size,
                               .rounds     = s->params.rounds,
                               .sweeps     = s->params.sweeps};
        double         gravity = shoal_d3_length(s->ctx->description->gravity);
        return shoal_mac_rub(&s->friction, &s->projection, &s->mac, exec, s->ctx->world, &s->solve, &sand, (float)gravity, (float)dt);
    }
    SHOAL_TRY(shoal_mac_projection_set(&s->projection, &s->mac, exec, &s->solve));
    SHOAL_TRY(shoal_mac_project(&s->projection, &s->mac, exec, &s->solve, false));
    if (s->params.friction == FLIP_FRICTIONLESS) return SHOAL_OK;
    return shoal_mac_stiffen(&s->plastic, &s->mac, exec, s->ctx->world, (float)yield, (float)cohesion, (float)dt);
}
