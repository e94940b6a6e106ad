// SPDX-License-Identifier: MIT
// What a fluid particle feels of walls and colliders: the density they add in closed form (no samples, no lists), and
// contact with Coulomb friction. Shared by the particle fluids; inline, since passes ask it.
#ifndef SHOAL_BOUNDARY_H
#define SHOAL_BOUNDARY_H

#include "fluid/lean.h"
#include "math/kernels.h"
#include "state/world.h"

SHOAL_FN shoal_v3 shoal_wall_normal(int wall) {
    float    sign   = wall % 2 == 0 ? 1.0f : -1.0f;
    shoal_v3 normal = shoal_v3_make(0.0f, 0.0f, 0.0f);
    shoal_v3_set_axis(&normal, wall / 2, sign);
    return normal;
}

SHOAL_FN float shoal_wall_distance(const shoal_world* world, shoal_v3 x, int wall) {
    int axis = wall / 2;
    return wall % 2 == 0 ? shoal_v3_axis(x, axis) - shoal_v3_axis(world->min, axis)
                         : shoal_v3_axis(world->max, axis) - shoal_v3_axis(x, axis);
}

// The coordinate at a distance `gap` from the wall.
SHOAL_FN float shoal_wall_edge(const shoal_world* world, int wall, float gap) {
    return wall % 2 == 0 ? shoal_v3_axis(world->min, wall / 2) + gap : shoal_v3_axis(world->max, wall / 2) - gap;
}

SHOAL_FN bool shoal_collider_is_near(const shoal_collider* collider, shoal_d3 p, double reach) {
    return shoal_box_holds(shoal_box_grown(collider->bounds, reach), p);
}

// Fraction D of the density that the solids around have, and the gradient of D (1/m). Several solids meet as if
// independent: D = 1 - prod(1 - D_k); off by at most 0.003 in an edge and 0.007 in a corner.
typedef struct shoal_solid_fraction {
    float    density;
    shoal_v3 gradient;
} shoal_solid_fraction;

SHOAL_FN void shoal_solid_add(shoal_solid_fraction* sum, float distance, shoal_v3 normal, float h, int kernel) {
    if (distance >= h) return;
    float q    = distance > 0.0f ? distance / h : 0.0f;
    float here = shoal_kernel_behind(q, kernel), slope = shoal_kernel_behind_slope(q, kernel) / h;
    float rest    = 1.0f - sum->density;
    sum->gradient = shoal_v3_add_scaled(shoal_v3_scale(sum->gradient, 1.0f - here), normal, slope * rest);
    sum->density  = 1.0f - rest * (1.0f - here);
}

// Whether anything solid can be nearer than `reach` to x.
SHOAL_FN bool shoal_solids_are_near(const shoal_world* world, shoal_v3 x, float reach) {
    const bool* closed = world->is_closed;
    if ((closed[0] && x.x < world->min.x + reach) || (closed[1] && x.x > world->max.x - reach) ||
        (closed[2] && x.y < world->min.y + reach) || (closed[3] && x.y > world->max.y - reach) ||
        (closed[4] && x.z < world->min.z + reach) || (closed[5] && x.z > world->max.z - reach))
        return true;
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_box* b = &world->colliders[k].bounds;
        double           r = (double)reach;
        if ((double)x.x > b->min.x - r && (double)x.x < b->max.x + r && (double)x.y > b->min.y - r &&
            (double)x.y < b->max.y + r && (double)x.z > b->min.z - r && (double)x.z < b->max.z + r)
            return true;
    }
    return false;
}

// Walls that reflect the liquid (halo.h) push by its image; contact is only a guard there, at half
// the distance: where flow thins the layer beside a wall it comes nearer than a spacing's half.
#define SHOAL_MIRROR_GUARD 0.5f

SHOAL_FN bool shoal_mirrors_are_near(const shoal_solids* solids, shoal_v3 x, float reach) {
    const shoal_world* world  = solids->world;
    const bool*        mirror = solids->is_mirror;
    return (mirror[0] && x.x < world->min.x + reach) || (mirror[1] && x.x > world->max.x - reach) ||
           (mirror[2] && x.y < world->min.y + reach) || (mirror[3] && x.y > world->max.y - reach) ||
           (mirror[4] && x.z < world->min.z + reach) || (mirror[5] && x.z > world->max.z - reach);
}

// Moves `x` out of walls that reflect, where none may meet its own image; `radius` is that of
// contact.
SHOAL_FN shoal_v3 shoal_mirror_clear(const shoal_solids* solids, shoal_v3 x, float radius) {
    const shoal_world* world = solids->world;
    float              gap   = SHOAL_MIRROR_GUARD * radius;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        if (solids->is_mirror[wall] && shoal_wall_distance(world, x, wall) < gap)
            shoal_v3_set_axis(&x, wall / 2, shoal_wall_edge(world, wall, gap));
    return x;
}

// Solids near a particle. Two with nearly the same normal (boxes side by side, parts of a figure that overlap) are one
// wall: the nearer counts.
typedef struct shoal_near_solids {
    int      count;
    float    distance[8];
    shoal_v3 normal[8];
} shoal_near_solids;

SHOAL_FN void shoal_near_solids_add(shoal_near_solids* near, float distance, shoal_v3 normal) {
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
SHOAL_FN void shoal_near_solids_find(const shoal_solids* solids, shoal_v3 x, float h, shoal_near_solids* near) {
    const shoal_world* world = solids->world;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        float distance = world->is_closed[wall] && !solids->is_mirror[wall] ? shoal_wall_distance(world, x, wall) : h;
        if (distance < h) shoal_near_solids_add(near, distance, shoal_wall_normal(wall));
    }
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p        = shoal_d3_from(x), normal;
        if (!shoal_collider_is_near(collider, p, (double)h)) continue;
        float distance = (float)shoal_collider_distance(collider, p, &normal);
        if (distance < h) shoal_near_solids_add(near, distance, shoal_v3_from(normal));
    }
}

SHOAL_FN shoal_solid_fraction shoal_solid_fraction_at(const shoal_solids* solids, shoal_v3 x, float h, int kernel) {
    shoal_near_solids    near;
    shoal_solid_fraction sum;
    near.count   = 0;
    sum.density  = 0.0f;
    sum.gradient = shoal_v3_make(0.0f, 0.0f, 0.0f);
    shoal_near_solids_find(solids, x, h, &near);
    for (int k = 0; k < near.count; k++) shoal_solid_add(&sum, near.distance[k], near.normal[k], h, kernel);
    return sum;
}

// What the solids around add to M (see lean.h), with the gradient of s that goes with it, 1/m: as if the lattice went
// on behind them.
typedef struct shoal_solid_moment {
    shoal_lean moment;
    shoal_v3   slope;
    float      fraction;
} shoal_solid_moment;

SHOAL_FN shoal_solid_moment shoal_solid_moment_none(void) {
    shoal_solid_moment none = {{0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0.0f};
    return none;
}

// Between the layers of the lattice, the first of which is half a spacing away.
SHOAL_FN float shoal_between_layers(const float* layers, float distance, float d) {
    float at = fminf(fmaxf(distance / d - 0.5f, 0.0f), SHOAL_LAYERS - 1.0f);
    int   k  = (int)at < SHOAL_LAYERS - 2 ? (int)at : SHOAL_LAYERS - 2;
    return layers[k] + (layers[k + 1] - layers[k]) * (at - (float)k);
}

SHOAL_FN shoal_solid_moment shoal_solid_moment_at(const shoal_solids* solids, shoal_v3 x, float h, float d,
                                                  const shoal_layers* layers) {
    shoal_near_solids  near;
    shoal_solid_moment sum = shoal_solid_moment_none();
    near.count             = 0;
    shoal_near_solids_find(solids, x, h, &near);
    for (int k = 0; k < near.count; k++) {
        float along  = shoal_between_layers(layers->along, near.distance[k], d),
              across = shoal_between_layers(layers->across, near.distance[k], d);
        float rest   = 1.0f - sum.fraction; // what other solids have left of it
        sum.slope    = shoal_v3_add_scaled(sum.slope, near.normal[k],
                                           -rest * shoal_between_layers(layers->slope, near.distance[k], d));
        shoal_lean_add(&sum.moment, near.normal[k], rest * (across - along));
        sum.moment.xx += rest * along, sum.moment.yy += rest * along, sum.moment.zz += rest * along;
        sum.fraction += rest * shoal_between_layers(layers->fraction, near.distance[k], d);
    }
    return sum;
}

// Whether any of them does.
SHOAL_FN bool shoal_solids_stick(const shoal_solids* solids) {
    const shoal_world* world = solids->world;
    bool               any   = false;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) any |= world->rough[wall][solids->kind].is_sticky;
    for (int k = 0; k < world->collider_count; k++) any |= world->colliders[k].rough[solids->kind].is_sticky;
    return any;
}

// Distance to the nearest solid that sticks, at most `reach`, m, and the velocity of its surface where that is nearest
// (NULL: not asked for), or, if it is taken to reach there, at x.
SHOAL_FN float shoal_sticky_distance(const shoal_solids* solids, shoal_v3 x, float reach, bool is_there,
                                     shoal_v3* velocity) {
    const shoal_world* world = solids->world;
    float              least = reach;
    if (velocity) *velocity = shoal_v3_make(0.0f, 0.0f, 0.0f);
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        if (world->rough[wall][solids->kind].is_sticky) least = fminf(least, shoal_wall_distance(world, x, wall));
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p        = shoal_d3_from(x);
        if (!collider->rough[solids->kind].is_sticky || !shoal_collider_is_near(collider, p, (double)least)) continue;
        float distance = (float)shoal_collider_distance(collider, p, NULL);
        if (distance >= least) continue;
        least = distance;
        if (!velocity) continue;
        *velocity = shoal_v3_make(0.0f, 0.0f, 0.0f);
        if (!collider->moves) continue;
        shoal_d3 normal;
        if (!is_there) shoal_collider_distance(collider, p, &normal);
        if (!is_there) p = shoal_d3_sub(p, shoal_d3_scale(normal, (double)distance));
        *velocity = shoal_v3_from(shoal_collider_velocity(collider, p));
    }
    return least;
}

// Pushes x out along the normal by `depth`, and takes back as much of the way along the surface as friction holds
// (Coulomb: at most friction times what the solid has pushed). [Macklin et al. 2014, section 6.1]
SHOAL_FN shoal_v3 shoal_push_out(shoal_v3 x, shoal_v3* travel, shoal_v3 normal, float depth, float normal_push,
                                 float friction, bool is_sticky, shoal_v3 solid_travel) {
    shoal_v3 push = shoal_v3_scale(normal, depth);
    shoal_v3 way  = shoal_v3_add(shoal_v3_sub(*travel, solid_travel), push);
    if (friction > 0.0f || is_sticky) {
        shoal_v3 along  = shoal_v3_add_scaled(way, normal, -shoal_v3_dot(way, normal));
        float    length = shoal_v3_length(along), hold = friction * (depth + normal_push);
        float    fraction = is_sticky || length <= hold ? 1.0f : hold / length;
        push              = shoal_v3_add_scaled(push, along, -fraction);
    }
    *travel = shoal_v3_add(*travel, push);
    return shoal_v3_add(x, push);
}

// How a particle came here; NULL: there is no friction.
typedef struct shoal_contact_path {
    shoal_v3 travel;
    float    normal_push, dt;
    bool     sticks;
} shoal_contact_path;

SHOAL_FN shoal_v3 shoal_push_from_collider(const shoal_collider* collider, shoal_material_kind kind, shoal_v3 x,
                                           shoal_v3 normal, float depth, shoal_contact_path* by) {
    if (!by) return shoal_v3_add_scaled(x, normal, depth);
    shoal_v3 solid = shoal_v3_make(0.0f, 0.0f, 0.0f);
    if (collider->moves)
        solid = shoal_v3_scale(shoal_v3_from(shoal_collider_velocity(collider, shoal_d3_from(x))), by->dt);
    return shoal_push_out(x, &by->travel, normal, depth, by->normal_push, collider->rough[kind].friction,
                          collider->rough[kind].is_sticky && by->sticks, solid);
}

SHOAL_FN shoal_v3 shoal_push_from_wall(const shoal_roughness* wall, shoal_v3 x, shoal_v3 normal, float depth,
                                       shoal_contact_path* by) {
    if (!by) return shoal_v3_add_scaled(x, normal, depth);
    return shoal_push_out(x, &by->travel, normal, depth, by->normal_push, wall->friction, wall->is_sticky && by->sticks,
                          shoal_v3_make(0.0f, 0.0f, 0.0f));
}

// A particle that comes `from` one side of a solid stays on it, however far into it or beyond it forces would take it:
// the nearest way out of a thin floor under a column that bears on it leads below. A way of more than a radius is gone
// in pieces of one, in the frame of the collider, each but the last cleared of it; clear_of does the rest. One that has
// begun nearer than half of that is squeezed between solids, and gives way to where there is room.
SHOAL_FN_RARE shoal_v3 shoal_solid_walk(const shoal_world* world, shoal_v3 from, shoal_v3 x, float radius, float dt) {
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p = shoal_d3_from(from), way = shoal_d3_sub(shoal_d3_from(x), p), normal;
        if (collider->moves) {
            shoal_d3 carried = shoal_d3_scale(shoal_collider_velocity(collider, p), (double)dt);
            p                = shoal_d3_add(p, carried);
            way              = shoal_d3_sub(way, carried);
        }
        if (!shoal_collider_is_near(collider, p, shoal_d3_length(way) + (double)radius)) continue;
        double pieces = fmin(floor(shoal_d3_length(way) / (double)radius) + 1.0, 64.0);
        if (pieces > 1.0 && shoal_collider_distance(collider, p, NULL) < 0.5 * (double)radius) continue;
        bool turned = false;
        for (double piece = 1.0; piece < pieces; piece += 1.0) {
            p            = shoal_d3_add(p, shoal_d3_scale(way, 1.0 / pieces));
            double depth = (double)radius - shoal_collider_distance(collider, p, &normal);
            if (depth <= 0.0) continue;
            p      = shoal_d3_add(p, shoal_d3_scale(normal, depth));
            turned = true;
        }
        if (turned) x = shoal_v3_from(shoal_d3_add(p, shoal_d3_scale(way, 1.0 / pieces)));
    }
    return x;
}

SHOAL_FN shoal_v3 shoal_clear_of(const shoal_solids* solids, shoal_v3 x, float radius, shoal_contact_path* by) {
    const shoal_world* world = solids->world;
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p        = shoal_d3_from(x), normal;
        if (!shoal_collider_is_near(collider, p, (double)radius)) continue;
        // in its corners, once for each of the sides
        for (int side = 0; side < 3; side++) {
            float depth = radius - (float)shoal_collider_distance(collider, shoal_d3_from(x), &normal);
            if (depth <= (side > 0 ? 1e-4f * radius : 0.0f)) break;
            x = shoal_push_from_collider(collider, solids->kind, x, shoal_v3_from(normal), depth, by);
        }
    }
    // walls last: they are never passed
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        if (!world->is_closed[wall]) continue;
        float gap   = solids->is_mirror[wall] ? SHOAL_MIRROR_GUARD * radius : radius,
              depth = gap - shoal_wall_distance(world, x, wall);
        if (depth <= 0.0f) continue;
        x = shoal_push_from_wall(&world->rough[wall][solids->kind], x, shoal_wall_normal(wall), depth, by);
        shoal_v3_set_axis(&x, wall / 2, shoal_wall_edge(world, wall, gap)); // exactly, whatever the rounding
    }
    return x;
}

// Moves `x` out of the solids to a distance of `radius`, without friction.
SHOAL_FN shoal_v3 shoal_solid_clear(const shoal_solids* solids, shoal_v3 x, float radius) {
    return shoal_clear_of(solids, x, radius, NULL);
}

// Whether x is nearer than `radius` to a collider: where clear has put it there, solids leave no room.
SHOAL_FN bool shoal_solid_is_tight(const shoal_world* world, shoal_v3 x, float radius) {
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_collider* collider = &world->colliders[k];
        shoal_d3              p        = shoal_d3_from(x);
        if (shoal_collider_is_near(collider, p, (double)radius) &&
            shoal_collider_distance(collider, p, NULL) < (double)radius)
            return true;
    }
    return false;
}

// Moves `x` out of the solids to a distance of `radius` and applies friction to the way it went:
// `travel` is how far it has come in this step including the way to x (m), `normal_push` how far the
// density of the walls has pushed it in addition (m), dt the step. `sticks`: solids that stick hold
// what touches them; a thick liquid is held by its viscosity. Returns the new place.
SHOAL_FN shoal_v3 shoal_solid_contact(const shoal_solids* solids, shoal_v3 x, shoal_v3 travel, float radius,
                                      float normal_push, float dt, bool sticks) {
    shoal_v3 walked = x; // first: a thin solid may lie all behind x
    if (solids->world->collider_count > 0)
        walked = shoal_solid_walk(solids->world, shoal_v3_sub(x, travel), x, radius, dt);
    if (!shoal_solids_are_near(solids->world, walked, radius)) return walked;
    shoal_contact_path by = {shoal_v3_add(travel, shoal_v3_sub(walked, x)), normal_push, dt, sticks};
    return shoal_clear_of(solids, walked, radius, &by);
}

#endif
