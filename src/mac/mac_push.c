// SPDX-License-Identifier: MIT
// Particles out of solids: grids let them in by a little where a surface lies between samples, and long steps by more.
#include "mac/mac_stop.h"

typedef struct push_job {
    const shoal_world*         world;
    shoal_material_kind        kind;
    const shoal_mac_particles* particles;
    float                      margin;
    const shoal_mac_passage*   passage;
} push_job;

static bool is_clear(const shoal_world* world, shoal_v3 x, float margin) {
    const bool* closed = world->is_closed;
    if ((closed[0] && x.x < world->min.x + margin) || (closed[1] && x.x > world->max.x - margin) ||
        (closed[2] && x.y < world->min.y + margin) || (closed[3] && x.y > world->max.y - margin) ||
        (closed[4] && x.z < world->min.z + margin) || (closed[5] && x.z > world->max.z - margin))
        return false;
    for (int c = 0; c < world->collider_count; c++)
        if (shoal_box_holds(shoal_box_grown(world->colliders[c].bounds, (double)margin), shoal_d3_from(x)))
            return false;
    return true;
}

// Out of walls exactly, whatever colliders say: they win.
static void clamp_to_walls(const shoal_world* world, shoal_v3* x, float margin) {
    for (int axis = 0; axis < 3; axis++) {
        float at = shoal_v3_axis(*x, axis), low = shoal_v3_axis(world->min, axis),
              high = shoal_v3_axis(world->max, axis);
        if (world->is_closed[2 * axis] && at < low + margin) at = low + margin;
        if (world->is_closed[2 * axis + 1] && at > high - margin) at = high - margin;
        shoal_v3_set_axis(x, axis, at);
    }
}

// Out of a solid, to the margin; what it does to the velocity.
static void push_from(const push_job* p, int i, const shoal_touch* touch) {
    shoal_v3 *x = &p->particles->position[i], *v = &p->particles->velocity[i];
    *v = shoal_v3_from(shoal_touch_friction(touch, shoal_d3_from(*v), 0.0, true));
    *x = shoal_v3_from(
        shoal_d3_add(shoal_d3_from(*x), shoal_d3_scale(touch->normal, (double)p->margin * 1.001 - touch->distance)));
}

static void push_particles(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const push_job* p = ctx;
    for (int i = begin; i < end; i++) {
        shoal_v3* x = &p->particles->position[i];
        if (p->passage) mac_stop_crossing(p->world, p->kind, p->passage, p->particles, i, (double)p->margin);
        *x = shoal_world_wrap(p->world, *x);
        if (is_clear(p->world, *x, p->margin)) continue;
        // one solid after another: in a corner there are up to three
        shoal_touch touch;
        for (int k = 0; k < 3; k++) {
            if (!shoal_touch_at(p->world, p->kind, shoal_d3_from(*x), (double)p->margin, &touch)) break;
            push_from(p, i, &touch);
        }
        clamp_to_walls(p->world, x, p->margin);
        if (p->passage && mac_seam(p->world, p->kind, p->passage, *x, i, (double)p->margin, &touch)) {
            push_from(p, i, &touch);
            clamp_to_walls(p->world, x, p->margin);
        }
        *x = shoal_world_wrap(p->world, *x);
    }
}

void shoal_mac_push_out(const shoal_exec* exec, const shoal_world* world, shoal_material_kind kind,
                        const shoal_mac_particles* particles, int count, float margin,
                        const shoal_mac_passage* passage) {
    push_job p = {world, kind, particles, margin, passage};
    shoal_blocks(exec, count, 4096, push_particles, &p);
}
