// SPDX-License-Identifier: MIT
// Solids as the phases meet them: at the start of a substep on the grid, on the way of particles,
// at its end.
#include <math.h>
#include <string.h>

#include "mac/mac_stop.h"
#include "solvers/flip/flip_local.h"

// Particles stay this far from solids, in cells.
static const double margin = 0.01;

// Through walls thinner than two cells particles of both sides meet the same samples.
shoal_status flip_solids_create(flip* s) {
    const shoal_world* world = s->ctx->world;
    size_t             count = (size_t)world->collider_count + 1;
    s->before                = shoal_alloc(count, sizeof *s->before);
    s->after                 = shoal_alloc(count, sizeof *s->after);
    s->is_thin               = shoal_alloc(count, sizeof *s->is_thin);
    if (!s->before || !s->after || !s->is_thin) return SHOAL_ERR_MEMORY;
    for (int c = 0; c < world->collider_count; c++) {
        s->is_thin[c] = isfinite(shoal_collider_thinnest(world, c, 2.0 * s->dx, NULL));
        s->has_thin   = s->has_thin || s->is_thin[c];
    }
    return SHOAL_OK;
}

void flip_solids_free(flip* s) {
    shoal_free(s->before);
    shoal_free(s->after);
    shoal_free(s->is_thin);
    shoal_free(s->came_from);
}

// The world stands at the end of the substep already; on the grid colliders stand at its begin, as
// particles do, or their way would count twice.
void flip_find_solids(flip* s, double dt) {
    s->end = shoal_world_ago(s->ctx->world, 0.0, s->after);
    for (int c = 0; c < s->end.collider_count; c++) s->after[c].is_thin = s->is_thin[c];
    s->begin = shoal_world_ago(&s->end, dt, s->before);
}

shoal_status flip_remember_places(flip* s) {
    const shoal_set* set = s->ctx->particles;
    if (s->ctx->world->collider_count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_reserve((void**)&s->came_from, &s->came_capacity, set->count, sizeof *s->came_from));
    memcpy(s->came_from, shoal_set_data(set, "position"), (size_t)set->count * sizeof *s->came_from);
    return SHOAL_OK;
}

void flip_push_out(flip* s, flip_phase* p) {
    bool              is_alone = s->ctx->world->collider_count == 0;
    shoal_mac_passage passage  = {is_alone ? NULL : s->came_from + p->begin, s->before, MAC_DEEP * s->dx,
                                 MAC_DEEP_THICK * s->dx};
    shoal_mac_push_out(&s->ctx->exec, &s->end, p->mac.kind, &p->view, p->count, (float)(margin * s->dx),
                       is_alone ? NULL : &passage);
}

// Of all phases at once, before the first step: as sand, if there is any.
void flip_push_out_all(flip* s, const shoal_mac_particles* all) {
    shoal_mac_push_out(&s->ctx->exec, s->ctx->world, SHOAL_GRANULAR, all, s->ctx->particles->count,
                       (float)(margin * s->dx), NULL);
}
