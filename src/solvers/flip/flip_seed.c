// SPDX-License-Identifier: MIT
// The start: eight particles per cell, jittered so that the flow has no grain [Zhu & Bridson 2005, 4.2.1].
#include "base/hash.h"
#include "mac/mac_solid.h"
#include "solvers/flip/flip_local.h"

static const double jitter = 0.25; // spacings, either way

// The paper's: within a cell of the free surface means half a cell below it. Where the body touches a solid it has no
// surface.
static shoal_d3 below_surface(const flip* s, int material, shoal_d3 x) {
    const shoal_description* description = s->ctx->description;
    for (int b = 0; b < description->body_count; b++) {
        const shoal_body* body = &description->bodies[b];
        if (body->material != material) continue;
        shoal_d3 normal;
        double   depth = -shoal_shape_distance_normal(body->shape, x, &normal);
        if (!(depth > 0.0)) continue;
        if (depth >= s->dx) return x;
        shoal_touch touch;
        shoal_d3    at = shoal_d3_add(x, shoal_d3_scale(normal, depth));
        if (shoal_touch_at(s->ctx->world, SHOAL_LIQUID, at, 0.5 * s->dx, &touch)) return x;
        return shoal_d3_add(x, shoal_d3_scale(normal, depth - 0.5 * s->dx));
    }
    return x;
}

static shoal_v3 jittered(const flip* s, int32_t id, shoal_v3 x) {
    double off[3];
    for (int axis = 0; axis < 3; axis++)
        off[axis] = (2.0 * shoal_random(s->ctx->description->seed, (uint64_t)axis, (uint64_t)id) - 1.0) * jitter *
                    s->ctx->description->spacing;
    shoal_touch touch;
    shoal_d3    at = shoal_d3_add(shoal_d3_from(x), shoal_d3_make(off[0], off[1], off[2]));
    return shoal_touch_at(s->ctx->world, SHOAL_LIQUID, at, 0.0, &touch) ? x : shoal_v3_from(at); // not into a solid
}

void flip_seed(flip* s) {
    const shoal_set* set      = s->ctx->particles;
    const int32_t*   id       = shoal_set_data(set, "id");
    const uint8_t*   material = shoal_set_data(set, "material");
    shoal_v3*        position = shoal_set_data(set, "position");
    if (s->params.seeding == FLIP_SEEDING_LATTICE) return;
    for (int i = 0; i < set->count; i++) {
        position[i] = jittered(s, id[i], position[i]);
        if (s->params.seeding == FLIP_SEEDING_PAPER)
            position[i] = shoal_v3_from(below_surface(s, material[i], shoal_d3_from(position[i])));
    }
}

// Regions kept full send grains down the same paths, where they would end in the same places, several in one. Those of
// a stream are held, and have no order; bodies are moved by flip_seed.
shoal_status flip_arrive(void* self, const shoal_arrival* arrival) {
    const flip*    s        = self;
    const int32_t* id       = shoal_set_data(arrival->set, "id");
    const uint8_t* material = shoal_set_data(arrival->set, "material");
    const uint8_t* holder   = shoal_set_data(arrival->set, "holder");
    shoal_v3*      position = shoal_set_data(arrival->set, "position");
    if (s->params.seeding == FLIP_SEEDING_LATTICE || arrival->body) return SHOAL_OK;
    for (int i = arrival->first; i < arrival->first + arrival->count; i++)
        if (holder[i] == 0 && s->is_sand[material[i]]) position[i] = jittered(s, id[i], position[i]);
    return SHOAL_OK;
}
