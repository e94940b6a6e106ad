// SPDX-License-Identifier: MIT
// The solid world at one moment: closed walls and colliders with their motion, as every solver sees them. What a pass
// asks of it is a value: see `colliders`.
#ifndef SHOAL_WORLD_H
#define SHOAL_WORLD_H

#include "state/description.h"

// Nearer to a closed wall or a collider than contact allows, half a spacing, a particle would be thrown out in its
// first step, so none is put there; a little less, since lattice sites may lie exactly there. In spacings.
#define SHOAL_CLEARANCE 0.499

// What materials of one kind feel of a solid when they slide along it.
typedef struct shoal_roughness {
    float friction; // Coulomb
    bool  is_sticky;
    bool  is_smooth; // liquids: its boundary layer alone drags; a wall of which the scene says nothing, an obstacle
                     // without friction
} shoal_roughness;

// A collider where it is now: p_world = rotate(p_own) + at; velocity(x) = linear + angular x (x - at).
typedef struct shoal_collider {
    const shoal_tape* tape; // its shape, in its own frame; in the block of the world
    shoal_quat        rotation, rotation_back;
    shoal_d3          at;
    shoal_d3          linear, angular; // m/s, rad/s, mean over the step that leads here
    bool              moves;
    shoal_box         bounds; // in the world, now
    shoal_roughness   rough[SHOAL_KIND_COUNT];
    bool              is_thin; // said by solvers on grids: particles on both sides of it can be around the same samples
} shoal_collider;

typedef struct shoal_world {
    shoal_domain    domain; // as the scene has it
    shoal_v3        min, max;
    bool            is_closed[SHOAL_WALL_COUNT]; // neither open nor periodic
    shoal_roughness rough[SHOAL_WALL_COUNT][SHOAL_KIND_COUNT];
    bool            is_periodic[3];
    int             collider_count;
    shoal_collider* colliders; // with their tapes behind them: one block of `bytes`, without pointers to the scene
    size_t          bytes;
    const shoal_obstacle* obstacles; // [collider_count] their shapes, names and motion, for the host: those of the
                                     // scene, or with the motion that callers give them
} shoal_world;

// The solids as the particles of one set meet them: what their passes ask. Not a copy, so all see what moves.
typedef struct shoal_solids {
    const shoal_world*  world;
    shoal_material_kind kind;
    bool                is_mirror[SHOAL_WALL_COUNT]; // reflects the liquid (fluid/halo.h)
} shoal_solids;

shoal_status shoal_world_create(const shoal_description* description, shoal_world** out);
// Fixes the tape pointers of a copy of the world's block at `block`, so that they point into the copy.
void shoal_world_settle(const shoal_world* world, shoal_collider* block);
// Where a collider is and how it moves, as numbers, to be kept and put back.
enum { SHOAL_COLLIDER_NUMBERS = 13 };
void shoal_collider_write(const shoal_collider* collider, double numbers[SHOAL_COLLIDER_NUMBERS]);
void shoal_collider_read(shoal_collider* collider, const double numbers[SHOAL_COLLIDER_NUMBERS]);
void shoal_world_destroy(shoal_world* world);
// A copy where passes of a device see it: colliders as they stand at each call, shapes and grids sent once. The world
// itself on the CPU. NULL: no memory, as shoal_device_check tells.
typedef struct shoal_world_far {
    struct shoal_device* device;
    char *               far, *host_copy;
    size_t               capacity; // bytes of each
} shoal_world_far;
const shoal_world* shoal_world_on(const shoal_world* world, struct shoal_device* device, shoal_world_far* copy);
void               shoal_world_far_free(shoal_world_far* copy);
// Puts colliders where they are at time t; velocities are the mean over [t - dt, t] (dt = 0: the rate at t).
void shoal_world_move(shoal_world* world, double t, double dt);

// Where a collider is now, as a key of motion for time t.
shoal_motion_key shoal_collider_key(const shoal_collider* collider, double t);

SHOAL_FN bool shoal_world_is_periodic(const shoal_world* world) {
    return world->is_periodic[0] || world->is_periodic[1] || world->is_periodic[2];
}

// Puts a place back into the periodic domain: min <= x < max.
SHOAL_FN shoal_v3 shoal_world_wrap(const shoal_world* world, shoal_v3 x) {
    for (int axis = 0; axis < 3; axis++) {
        if (!world->is_periodic[axis]) continue;
        float low = shoal_v3_axis(world->min, axis), high = shoal_v3_axis(world->max, axis);
        float at = shoal_v3_axis(x, axis), turns = floorf((at - low) / (high - low));
        at -= turns * (high - low);
        if (at < low || at >= high) at = low; // by rounding
        shoal_v3_set_axis(&x, axis, at);
    }
    return x;
}

// Where solids are at a time within the step that leads here, `ago` before its end, s: one collider, or the world with
// its colliders in `scratch` [collider_count]. Velocities stay those of the step.
shoal_collider shoal_collider_ago(const shoal_collider* collider, double ago);
shoal_world    shoal_world_ago(const shoal_world* world, double ago, shoal_collider* scratch);

// Signed distance and normal of one collider at a world point; NULL: the normal is not wanted.
SHOAL_FN double shoal_collider_distance(const shoal_collider* collider, shoal_d3 p, shoal_d3* normal) {
    shoal_d3 own      = shoal_quat_rotate(collider->rotation_back, shoal_d3_sub(p, collider->at));
    double   distance = shoal_tape_distance(collider->tape, own, normal);
    if (normal) *normal = shoal_quat_rotate(collider->rotation, *normal);
    return distance;
}
SHOAL_FN shoal_d3 shoal_collider_velocity(const shoal_collider* collider, shoal_d3 p) {
    return shoal_d3_add(collider->linear, shoal_d3_cross(collider->angular, shoal_d3_sub(p, collider->at)));
}
// The thinnest wall of collider c (geom/thickness.h); of endless shapes only as much as the domain could hold. *at: a
// place in it, in its own frame.
double shoal_collider_thinnest(const shoal_world* world, int c, double most, shoal_d3* at);

#endif
