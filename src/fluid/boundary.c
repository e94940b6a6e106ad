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

// The coordinate of what is `gap` away from the wall.
static float edge_at(const shoal_world* world, int wall, float gap) {
    return wall % 2 == 0 ? shoal_v3_axis(world->min, wall / 2) + gap : shoal_v3_axis(world->max, wall / 2) - gap;
}

static bool collider_is_near(const shoal_collider* collider, shoal_d3 p, double reach) {
    return shoal_box_holds(shoal_box_grown(collider->bounds, reach), p);
}

// Solids near a particle. Two with nearly the same normal (boxes side by side, parts of a figure that overlap) are one
// wall: the nearer counts.
typedef struct near_solids {
    int      count;
    float    distance[8];
    shoal_v3 normal[8];
} near_solids;

static void add_solid(near_solids* near, float distance, shoal_v3 normal) {
    for (int k = 0; k < near->count; k++) {
        if (shoal_v3_dot(near->normal[k], normal) < 0.9f) continue;
        if (distance < near->distance[k]) near->distance[k] = distance, near->normal[k] = normal;
        return;
    }
    if (near->count == 8) return; // more than 8 directions are no place for a particle
    near->distance[near->count] = distance;
    near->normal[near->count++] = normal;
}

// Into what its callers have: a copy of it would cost a tenth of a sweep's walls.
static inline void find_solids(const shoal_world* world, shoal_v3 x, float h, near_solids* near) {
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        float distance = world->is_closed[wall] && !world->is_mirror[wall] ? wall_distance(world, x, wall) : h;
        if (distance < h) add_solid(near, distance, wall_normal(wall));
    }
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p        = shoal_d3_from(x), normal;
        if (!collider_is_near(collider, p, (double)h)) continue;
        float distance = (float)shoal_collider_distance(collider, p, &normal);
        if (distance < h) add_solid(near, distance, shoal_v3_from(normal));
    }
}

shoal_solid_share shoal_solid_share_at(const shoal_world* world, shoal_v3 x, float h, int kernel) {
    near_solids       near = {.count = 0};
    shoal_solid_share sum  = {0.0f, {0.0f, 0.0f, 0.0f}};
    find_solids(world, x, h, &near);
    for (int k = 0; k < near.count; k++) shoal_solid_add(&sum, near.distance[k], near.normal[k], h, kernel);
    return sum;
}

// Between the layers of the lattice, the first of which is half a spacing away.
static float between_layers(const float* layers, float distance, float d) {
    float at = fminf(fmaxf(distance / d - 0.5f, 0.0f), SHOAL_LAYERS - 1.0f);
    int   k  = (int)at < SHOAL_LAYERS - 2 ? (int)at : SHOAL_LAYERS - 2;
    return layers[k] + (layers[k + 1] - layers[k]) * (at - (float)k);
}

shoal_solid_moment shoal_solid_moment_at(const shoal_world* world, shoal_v3 x, float h, float d,
                                         const shoal_layers* layers) {
    near_solids        near = {.count = 0};
    shoal_solid_moment sum  = {.share = 0.0f};
    find_solids(world, x, h, &near);
    for (int k = 0; k < near.count; k++) {
        float along  = between_layers(layers->along, near.distance[k], d),
              across = between_layers(layers->across, near.distance[k], d);
        float rest   = 1.0f - sum.share; // what other solids have left of it
        sum.slope =
            shoal_v3_add_scaled(sum.slope, near.normal[k], -rest * between_layers(layers->slope, near.distance[k], d));
        shoal_lean_add(&sum.moment, near.normal[k], rest * (across - along));
        sum.moment.xx += rest * along, sum.moment.yy += rest * along, sum.moment.zz += rest * along;
        sum.share += rest * between_layers(layers->share, near.distance[k], d);
    }
    return sum;
}

bool shoal_solids_stick(const shoal_world* world) {
    bool any = false;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) any |= world->domain.walls[wall].kind == SHOAL_WALL_STICK;
    for (int k = 0; k < world->collider_count; k++) any |= world->colliders[k].is_sticky;
    return any;
}

float shoal_sticky_distance(const shoal_world* world, shoal_v3 x, float reach, shoal_v3* velocity) {
    float least = reach;
    if (velocity) *velocity = shoal_v3_make(0.0f, 0.0f, 0.0f);
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        if (world->domain.walls[wall].kind == SHOAL_WALL_STICK) least = fminf(least, wall_distance(world, x, wall));
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p        = shoal_d3_from(x);
        if (!collider->is_sticky || !collider_is_near(collider, p, (double)least)) continue;
        float distance = (float)shoal_collider_distance(collider, p, NULL);
        if (distance >= least) continue;
        least = distance;
        if (velocity && collider->moves) *velocity = shoal_v3_from(shoal_collider_velocity(collider, p));
    }
    return least;
}

// Pushes x out along the normal by `depth`, and takes back as much of the way along the surface as friction holds
// (Coulomb: at most friction times what the solid has pushed). [Macklin et al. 2014, section 6.1]
static shoal_v3 push_out(shoal_v3 x, shoal_v3* travel, shoal_v3 normal, float depth, float pressed, float friction,
                         bool is_sticky, shoal_v3 solid_travel) {
    shoal_v3 push = shoal_v3_scale(normal, depth);
    shoal_v3 way  = shoal_v3_add(shoal_v3_sub(*travel, solid_travel), push);
    if (friction > 0.0f || is_sticky) {
        shoal_v3 along  = shoal_v3_add_scaled(way, normal, -shoal_v3_dot(way, normal));
        float    length = shoal_v3_length(along), hold = friction * (depth + pressed);
        float    share = is_sticky || length <= hold ? 1.0f : hold / length;
        push           = shoal_v3_add_scaled(push, along, -share);
    }
    *travel = shoal_v3_add(*travel, push);
    return shoal_v3_add(x, push);
}

// How a particle came here; NULL: there is no friction.
typedef struct coming {
    shoal_v3 travel;
    float    pressed, dt;
    bool     sticks;
} coming;

static shoal_v3 push_from_collider(const shoal_collider* collider, shoal_v3 x, shoal_v3 normal, float depth,
                                   coming* by) {
    if (!by) return shoal_v3_add_scaled(x, normal, depth);
    shoal_v3 solid = {0.0f, 0.0f, 0.0f};
    if (collider->moves)
        solid = shoal_v3_scale(shoal_v3_from(shoal_collider_velocity(collider, shoal_d3_from(x))), by->dt);
    return push_out(x, &by->travel, normal, depth, by->pressed, collider->friction, collider->is_sticky && by->sticks,
                    solid);
}

static shoal_v3 push_from_wall(const shoal_wall* wall, shoal_v3 x, shoal_v3 normal, float depth, coming* by) {
    if (!by) return shoal_v3_add_scaled(x, normal, depth);
    return push_out(x, &by->travel, normal, depth, by->pressed, wall->friction,
                    wall->kind == SHOAL_WALL_STICK && by->sticks, shoal_v3_make(0.0f, 0.0f, 0.0f));
}

static shoal_v3 clear_of(const shoal_world* world, shoal_v3 x, float radius, coming* by) {
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p        = shoal_d3_from(x), normal;
        if (!collider_is_near(collider, p, (double)radius)) continue;
        float depth = radius - (float)shoal_collider_distance(collider, p, &normal);
        if (depth > 0.0f) x = push_from_collider(collider, x, shoal_v3_from(normal), depth, by);
    }
    // walls last: they are never passed
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        if (!world->is_closed[wall]) continue;
        float gap   = world->is_mirror[wall] ? SHOAL_MIRROR_GUARD * radius : radius,
              depth = gap - wall_distance(world, x, wall);
        if (depth <= 0.0f) continue;
        x = push_from_wall(&world->domain.walls[wall], x, wall_normal(wall), depth, by);
        shoal_v3_set_axis(&x, wall / 2, edge_at(world, wall, gap)); // exactly, whatever the rounding
    }
    return x;
}

shoal_v3 shoal_mirror_clear(const shoal_world* world, shoal_v3 x, float radius) {
    float gap = SHOAL_MIRROR_GUARD * radius;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        if (world->is_mirror[wall] && wall_distance(world, x, wall) < gap)
            shoal_v3_set_axis(&x, wall / 2, edge_at(world, wall, gap));
    return x;
}

shoal_v3 shoal_solid_clear(const shoal_world* world, shoal_v3 x, float radius) {
    return clear_of(world, x, radius, NULL);
}

bool shoal_solid_is_tight(const shoal_world* world, shoal_v3 x, float radius) {
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p        = shoal_d3_from(x);
        if (collider_is_near(collider, p, (double)radius) &&
            shoal_collider_distance(collider, p, NULL) < (double)radius)
            return true;
    }
    return false;
}

shoal_v3 shoal_solid_contact(const shoal_world* world, shoal_v3 x, shoal_v3 travel, float radius, float pressed,
                             float dt, bool sticks) {
    coming by = {travel, pressed, dt, sticks};
    return clear_of(world, x, radius, &by);
}
