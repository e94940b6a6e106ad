// SPDX-License-Identifier: MIT
#include "fluid/boundary.h"

static shoal_v3 wall_normal(int wall) {
    float    sign   = wall % 2 == 0 ? 1.0f : -1.0f;
    shoal_v3 normal = {0.0f, 0.0f, 0.0f};
    shoal_v3_set_axis(&normal, wall / 2, sign);
    return normal;
}

static float wall_distance(const shoal_world* world, shoal_v3 x, int wall) {
    int axis = wall / 2;
    return wall % 2 == 0 ? shoal_v3_axis(x, axis) - shoal_v3_axis(world->min, axis)
                         : shoal_v3_axis(world->max, axis) - shoal_v3_axis(x, axis);
}

static bool collider_is_near(const shoal_collider* collider, shoal_d3 p, double reach) {
    return shoal_box_holds(shoal_box_grown(collider->bounds, reach), p);
}

shoal_solid_share shoal_solid_share_at(const shoal_world* world, shoal_v3 x, float h, bool is_poly6) {
    shoal_solid_share sum = {0.0f, {0.0f, 0.0f, 0.0f}};
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        if (world->is_closed[wall])
            shoal_solid_add(&sum, wall_distance(world, x, wall), wall_normal(wall), h, is_poly6);
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p = shoal_d3_from(x), normal;
        if (!collider_is_near(collider, p, (double)h)) continue;
        double distance = shoal_collider_distance(collider, p, &normal);
        shoal_solid_add(&sum, (float)distance, shoal_v3_from(normal), h, is_poly6);
    }
    return sum;
}

// Pushes x out along the normal by `depth`, and takes back as much of the way along the surface as friction holds
// (Coulomb: at most friction * depth). [Macklin et al. 2014, section 6.1]
static shoal_v3 push_out(shoal_v3 x, shoal_v3* travel, shoal_v3 normal, float depth, float friction, bool is_sticky,
                         shoal_v3 solid_travel) {
    shoal_v3 push = shoal_v3_scale(normal, depth);
    shoal_v3 way  = shoal_v3_add(shoal_v3_sub(*travel, solid_travel), push);
    if (friction > 0.0f || is_sticky) {
        shoal_v3 along  = shoal_v3_add_scaled(way, normal, -shoal_v3_dot(way, normal));
        float    length = shoal_v3_length(along), hold = friction * depth;
        float    share  = is_sticky || length <= hold ? 1.0f : hold / length;
        push            = shoal_v3_add_scaled(push, along, -share);
    }
    *travel = shoal_v3_add(*travel, push);
    return shoal_v3_add(x, push);
}

shoal_v3 shoal_solid_contact(const shoal_world* world, shoal_v3 x, shoal_v3 travel, float radius, float dt) {
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p = shoal_d3_from(x), normal;
        if (!collider_is_near(collider, p, (double)radius)) continue;
        float depth = radius - (float)shoal_collider_distance(collider, p, &normal);
        if (depth <= 0.0f) continue;
        shoal_v3 solid = {0.0f, 0.0f, 0.0f};
        if (collider->moves) solid = shoal_v3_scale(shoal_v3_from(shoal_collider_velocity(collider, p)), dt);
        x = push_out(x, &travel, shoal_v3_from(normal), depth, collider->friction, collider->is_sticky, solid);
    }
    // walls last: they are never passed
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        if (!world->is_closed[wall]) continue;
        float depth = radius - wall_distance(world, x, wall);
        if (depth <= 0.0f) continue;
        const shoal_wall* w = &world->domain.walls[wall];
        x = push_out(x, &travel, wall_normal(wall), depth, w->friction, w->kind == SHOAL_WALL_STICK,
                     shoal_v3_make(0.0f, 0.0f, 0.0f));
        // exactly at the distance, whatever the rounding
        float edge = wall % 2 == 0 ? shoal_v3_axis(world->min, wall / 2) + radius : shoal_v3_axis(world->max, wall / 2) - radius;
        shoal_v3_set_axis(&x, wall / 2, edge);
    }
    return x;
}
