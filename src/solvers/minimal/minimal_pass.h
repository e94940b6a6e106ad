// SPDX-License-Identifier: MIT
// What happens to one particle. A pass writes only its own index, and never reads at another index what it writes: so
// it may run on any number of threads, in any order, and gives the same bits.
#ifndef SHOAL_MINIMAL_PASS_H
#define SHOAL_MINIMAL_PASS_H

#include "solvers/minimal/minimal_params.h"
#include "state/set.h"
#include "state/world.h"

// clang-format off
// name      type role    unit meaning      (position, velocity, id, material come with every set of particles)
#define MINIMAL_FIELDS(X)                                                             \
    X(bounces, I1, STATE, "",  "substeps in which it has bounced off something since its birth")
// clang-format on

// All that a pass may touch.
typedef struct minimal_view {
    const shoal_world* world;
    minimal_params     params;
    float              dt, radius; // s, m
    shoal_v3           gravity;    // m/s^2
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_MEMBER)
    MINIMAL_FIELDS(SHOAL_FIELD_MEMBER)
} minimal_view;

// A solid at a particle: which way is out, how it moves there, how far it is, and its friction.
typedef struct minimal_solid {
    shoal_v3 normal, velocity;
    float    distance, friction; // m; infinite: it sticks
} minimal_solid;

// v = v + g dt, x = x + (v before + v after) dt / 2: exact for a parabola.
SHOAL_FN void minimal_fly(const minimal_view* v, int i) {
    shoal_v3 before = v->velocity[i];
    v->velocity[i]  = shoal_v3_add_scaled(before, v->gravity, v->dt);
    shoal_v3 mean   = shoal_v3_scale(shoal_v3_add(before, v->velocity[i]), 0.5f);
    v->position[i]  = shoal_world_wrap(v->world, shoal_v3_add_scaled(v->position[i], mean, v->dt));
}

// Out of the solid and back with restitution e, with Coulomb's friction on the way along it: |dv_t| <= mu |dv_n|. What
// comes no faster than gravity makes it in two steps does not bounce, or nothing would ever lie still.
SHOAL_FN bool minimal_meet(const minimal_view* v, int i, minimal_solid solid) {
    if (solid.distance >= v->radius) return false;
    v->position[i]    = shoal_v3_add_scaled(v->position[i], solid.normal, v->radius - solid.distance);
    shoal_v3 relative = shoal_v3_sub(v->velocity[i], solid.velocity);
    float    towards  = -shoal_v3_dot(relative, solid.normal);
    if (towards <= 0.0f) return false;
    float    away  = towards > 2.0f * v->dt * shoal_v3_length(v->gravity) ? v->params.restitution * towards : 0.0f;
    shoal_v3 along = shoal_v3_add_scaled(relative, solid.normal, towards);
    float    slip = shoal_v3_length(along), most = solid.friction * (towards + away);
    float    factor = slip <= most ? 0.0f : 1.0f - most / slip;
    v->velocity[i]  = shoal_v3_add_scaled(shoal_v3_add_scaled(solid.velocity, along, factor), solid.normal, away);
    v->position[i] =
        shoal_v3_add_scaled(v->position[i], along, 0.5f * (factor - 1.0f) * v->dt); // by the mean, as above
    return away > 0.0f;
}

// One for all particles: as sand feels it, if there is any.
SHOAL_FN float minimal_friction(const shoal_roughness* rough) {
    return rough[SHOAL_GRANULAR].is_sticky ? INFINITY : rough[SHOAL_GRANULAR].friction;
}

SHOAL_FN minimal_solid minimal_wall(const shoal_world* world, int wall, shoal_v3 x) {
    int           axis = wall / 2;
    float         out  = wall % 2 == 0 ? 1.0f : -1.0f;
    minimal_solid solid;
    solid.friction = minimal_friction(world->rough[wall]);
    solid.normal = solid.velocity = shoal_v3_make(0.0f, 0.0f, 0.0f);
    shoal_v3_set_axis(&solid.normal, axis, out);
    solid.distance = out * (shoal_v3_axis(x, axis) - shoal_v3_axis(out > 0.0f ? world->min : world->max, axis));
    return solid;
}

SHOAL_FN minimal_solid minimal_collider(const shoal_collider* collider, shoal_v3 x) {
    shoal_d3      normal, p = shoal_d3_from(x);
    minimal_solid solid;
    solid.friction = minimal_friction(collider->rough);
    solid.distance = (float)shoal_collider_distance(collider, p, &normal);
    solid.normal   = shoal_v3_from(normal);
    solid.velocity = shoal_v3_from(shoal_collider_velocity(collider, p));
    return solid;
}

// Obstacles first, then the closed walls, which nothing may pass.
SHOAL_FN void minimal_bounce(const minimal_view* v, int i) {
    bool rebounds = false;
    for (int k = 0; k < v->world->collider_count; k++)
        rebounds |= minimal_meet(v, i, minimal_collider(&v->world->colliders[k], v->position[i]));
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        if (v->world->is_closed[wall]) rebounds |= minimal_meet(v, i, minimal_wall(v->world, wall, v->position[i]));
    v->bounces[i] += rebounds;
}

#endif
