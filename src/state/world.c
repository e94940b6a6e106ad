// SPDX-License-Identifier: MIT
// Walls, and colliders along their keyframes.
#include "state/world.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exec/device.h"
#include "geom/thickness.h"
#include "state/motion.h"

// --- walls

// Whether all liquids of the scene are so thick that their flow along a solid is resolved: they stick to what the scene
// says nothing about. By the Reynolds number of a spacing, at the speed of falling through it; without weight none are.
// To a solver without viscosity all are like water.
static bool are_thick(const shoal_description* description) {
    double least = (double)INFINITY, d = description->spacing, speed = sqrt(shoal_d3_length(description->gravity) * d);
    for (int m = 0; m < description->material_count; m++) {
        const shoal_material* liquid = shoal_material_of(description, m, SHOAL_LIQUID);
        if (liquid->kind == SHOAL_LIQUID) least = fmin(least, (double)liquid->viscosity / (double)liquid->density);
    }
    return !description->is_ideal && speed > 0.0 && least < (double)INFINITY && speed * d < least;
}

// Sand rubs on a wall that the scene says nothing about, the first of the scene speaking for all; liquids slip, or
// stick where they are thick.
static shoal_roughness wall_roughness(const shoal_description* description, shoal_wall wall, shoal_material_kind kind) {
    const shoal_material* sand     = &description->materials[shoal_material_first(description, SHOAL_GRANULAR)];
    bool                  has_sand = description->material_count > 0 && sand->kind == SHOAL_GRANULAR;
    if (wall.kind == SHOAL_WALL_DEFAULT && kind == SHOAL_GRANULAR && has_sand)
        return (shoal_roughness){.friction = sand->boundary_friction};
    bool holds = wall.kind == SHOAL_WALL_DEFAULT && kind == SHOAL_LIQUID && are_thick(description);
    return (shoal_roughness){.friction  = wall.kind == SHOAL_WALL_FRICTION ? wall.friction : 0.0f,
                             .is_sticky = wall.kind == SHOAL_WALL_STICK || holds,
                             .is_smooth = wall.kind == SHOAL_WALL_DEFAULT && !holds};
}

static void make_walls(const shoal_description* description, shoal_world* world) {
    world->domain = description->domain;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        shoal_wall* wall = &world->domain.walls[w];
        if (!world->domain.is_given) *wall = (shoal_wall){SHOAL_WALL_OPEN, 0.0f};
        for (int kind = 0; kind < SHOAL_KIND_COUNT; kind++)
            world->rough[w][kind] = wall_roughness(description, *wall, (shoal_material_kind)kind);
        world->is_closed[w] = wall->kind != SHOAL_WALL_OPEN && wall->kind != SHOAL_WALL_PERIODIC;
        if (wall->kind == SHOAL_WALL_PERIODIC) world->is_periodic[w / 2] = true;
    }
    world->min = world->domain.is_given ? shoal_v3_from(world->domain.min) : shoal_v3_make(-1e30f, -1e30f, -1e30f);
    world->max = world->domain.is_given ? shoal_v3_from(world->domain.max) : shoal_v3_make(1e30f, 1e30f, 1e30f);
}

// --- motion

static shoal_box bounds_of(const shoal_collider* collider) {
    shoal_box own = collider->tape->bounds, out = shoal_box_empty();
    if (shoal_box_is_empty(own)) return own;
    for (int corner = 0; corner < 8; corner++) {
        shoal_d3 p = shoal_d3_make(corner & 1 ? own.max.x : own.min.x, corner & 2 ? own.max.y : own.min.y,
                                   corner & 4 ? own.max.z : own.min.z);
        out = shoal_box_with(out, shoal_d3_add(shoal_quat_rotate(collider->rotation, p), collider->at));
    }
    return out;
}

static void collider_move(shoal_collider* collider, const shoal_obstacle* obstacle, double t, double dt) {
    shoal_motion_pose now   = shoal_motion_at(obstacle->keys, obstacle->key_count, t);
    collider->at            = now.at;
    collider->rotation      = now.rotation;
    collider->rotation_back = shoal_quat_conjugate(now.rotation);
    collider->bounds        = bounds_of(collider);
    if (dt > 0.0) {
        shoal_motion_pose before = shoal_motion_at(obstacle->keys, obstacle->key_count, t - dt);
        collider->linear         = shoal_d3_scale(shoal_d3_sub(now.at, before.at), 1.0 / dt);
        collider->angular        = shoal_d3_scale(shoal_turn_between(before.rotation, now.rotation), 1.0 / dt);
    } else {
        collider->linear  = now.linear;
        collider->angular = now.angular;
    }
}

void shoal_collider_write(const shoal_collider* c, double numbers[SHOAL_COLLIDER_NUMBERS]) {
    const double all[SHOAL_COLLIDER_NUMBERS] = {c->at.x,       c->at.y,       c->at.z,     c->rotation.w, c->rotation.x,
                                                c->rotation.y, c->rotation.z, c->linear.x, c->linear.y,   c->linear.z,
                                                c->angular.x,  c->angular.y,  c->angular.z};
    for (int k = 0; k < SHOAL_COLLIDER_NUMBERS; k++) numbers[k] = all[k];
}
void shoal_collider_read(shoal_collider* c, const double numbers[SHOAL_COLLIDER_NUMBERS]) {
    const double* n  = numbers;
    c->at            = shoal_d3_make(n[0], n[1], n[2]);
    c->rotation      = (shoal_quat){.w = n[3], .x = n[4], .y = n[5], .z = n[6]};
    c->linear        = shoal_d3_make(n[7], n[8], n[9]);
    c->angular       = shoal_d3_make(n[10], n[11], n[12]);
    c->rotation_back = shoal_quat_conjugate(c->rotation);
    c->bounds        = bounds_of(c);
}

shoal_collider shoal_collider_ago(const shoal_collider* collider, double ago) {
    shoal_collider then = *collider;
    if (!then.moves || ago == 0.0) return then;
    double rate = shoal_d3_length(then.angular);
    then.at     = shoal_d3_sub(then.at, shoal_d3_scale(then.linear, ago));
    if (rate > 0.0)
        then.rotation =
            shoal_quat_mul(shoal_quat_turn(shoal_d3_scale(then.angular, 1.0 / rate), -rate * ago), then.rotation);
    then.rotation_back = shoal_quat_conjugate(then.rotation);
    then.bounds        = bounds_of(&then);
    return then;
}

shoal_world shoal_world_ago(const shoal_world* world, double ago, shoal_collider* scratch) {
    shoal_world then = *world;
    then.colliders   = scratch;
    for (int c = 0; c < world->collider_count; c++) scratch[c] = shoal_collider_ago(&world->colliders[c], ago);
    return then;
}

// --- the world

// Bytes of the block that come before the tapes.
static size_t colliders_bytes(const shoal_world* world) {
    return (size_t)world->collider_count * sizeof *world->colliders;
}

void shoal_world_settle(const shoal_world* world, shoal_collider* block) {
    char* at = (char*)block + colliders_bytes(world);
    for (int c = 0; c < world->collider_count; c++) {
        block[c].tape = (const shoal_tape*)(const void*)at;
        at += block[c].tape->bytes;
    }
}

void shoal_world_far_free(shoal_world_far* copy) {
    if (copy->device) shoal_far_free(copy->device, copy->far);
    shoal_free(copy->host_copy);
    *copy = (shoal_world_far){0};
}

const shoal_world* shoal_world_on(const shoal_world* world, shoal_device* device, shoal_world_far* copy) {
    if (!device) return world;
    size_t      head = (sizeof *world + 63) / 64 * 64, colliders = colliders_bytes(world), all = head + world->bytes;
    const char* block = (const char*)world->colliders;
    if (copy->capacity < all) {
        shoal_world_far_free(copy);
        copy->device    = device;
        copy->far       = shoal_far_alloc(device, 1, all);
        copy->host_copy = shoal_alloc(2, all); // as it is to be, and as it was sent
        if (!copy->far || !copy->host_copy) {
            shoal_device_fail(device, SHOAL_ERR_MEMORY, "%s", shoal_last_error());
            return NULL;
        }
        copy->capacity = all;
        if (world->bytes > colliders)
            device->send(device, copy->far + head + colliders, block + colliders, world->bytes - colliders);
    }
    size_t          sent      = head + colliders;
    shoal_world*    host_copy = (shoal_world*)(void*)copy->host_copy;
    shoal_collider* moved     = (shoal_collider*)(void*)(copy->host_copy + head);
    *host_copy                = *world;
    host_copy->colliders      = (shoal_collider*)(void*)(copy->far + head);
    host_copy->obstacles      = NULL;
    if (colliders > 0) memcpy(moved, block, colliders);
    for (int c = 0; c < world->collider_count; c++)
        moved[c].tape =
            (const shoal_tape*)(const void*)(copy->far + head + ((const char*)world->colliders[c].tape - block));
    if (memcmp(copy->host_copy, copy->host_copy + copy->capacity, sent) != 0) {
        memcpy(copy->host_copy + copy->capacity, copy->host_copy, sent);
        device->send(device, copy->far, copy->host_copy, sent);
    }
    return (const shoal_world*)(const void*)copy->far;
}

static shoal_status make_colliders(shoal_world* world, const shoal_description* description) {
    world->collider_count = description->obstacle_count;
    world->obstacles      = description->obstacles;
    if (world->collider_count == 0) return SHOAL_OK;
    world->bytes = colliders_bytes(world);
    for (int c = 0; c < world->collider_count; c++) world->bytes += shoal_shape_tape_bytes(world->obstacles[c].shape);
    world->colliders = shoal_alloc(world->bytes, 1);
    if (!world->colliders) return SHOAL_ERR_MEMORY;
    char* at = (char*)world->colliders + colliders_bytes(world);
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_obstacle* obstacle = &world->obstacles[c];
        shoal_collider*       collider = &world->colliders[c];
        shoal_tape*           tape     = (shoal_tape*)(void*)at;
        shoal_shape_tape(obstacle->shape, tape);
        collider->moves = obstacle->key_count > 1 || obstacle->is_movable;
        for (int kind = 0; kind < SHOAL_KIND_COUNT; kind++) { // a scene has one number for all kinds
            bool is_plain         = obstacle->friction == 0.0f && !obstacle->is_sticky,
                 holds            = is_plain && kind == SHOAL_LIQUID && are_thick(description);
            collider->rough[kind] = (shoal_roughness){.friction  = obstacle->friction,
                                                      .is_sticky = obstacle->is_sticky || holds,
                                                      .is_smooth = is_plain && !holds};
        }
        at += tape->bytes;
    }
    shoal_world_settle(world, world->colliders);
    return SHOAL_OK;
}

shoal_status shoal_world_create(const shoal_description* description, shoal_world** out) {
    *out               = NULL;
    shoal_world* world = shoal_alloc(1, sizeof *world);
    if (!world) return SHOAL_ERR_MEMORY;
    make_walls(description, world);

    shoal_status status = make_colliders(world, description);
    if (status != SHOAL_OK) {
        shoal_world_destroy(world);
        return status;
    }
    // those that never move are placed here, once
    for (int c = 0; c < world->collider_count; c++) collider_move(&world->colliders[c], &world->obstacles[c], 0.0, 0.0);
    *out = world;
    return SHOAL_OK;
}

void shoal_world_destroy(shoal_world* world) {
    if (!world) return;
    shoal_free(world->colliders);
    shoal_free(world);
}

shoal_motion_key shoal_collider_key(const shoal_collider* collider, double t) {
    shoal_motion_key key   = {.t = t, .at = collider->at, .axis = shoal_d3_make(0.0, 1.0, 0.0)};
    shoal_d3         turn  = shoal_turn_between(shoal_quat_identity(), collider->rotation);
    double           angle = shoal_d3_length(turn);
    if (angle > 0.0) {
        key.axis    = shoal_d3_scale(turn, 1.0 / angle);
        key.degrees = angle * (180.0 / SHOAL_PI);
    }
    return key;
}

void shoal_world_move(shoal_world* world, double t, double dt) {
    for (int c = 0; c < world->collider_count; c++)
        if (world->colliders[c].moves) collider_move(&world->colliders[c], &world->obstacles[c], t, dt);
}

double shoal_collider_thinnest(const shoal_world* world, int c, double most, shoal_d3* at) {
    const shoal_collider* collider = &world->colliders[c];
    const shoal_domain*   domain   = &world->domain;
    shoal_box             within   = {{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}};
    if (domain->is_given) {
        shoal_d3 middle = shoal_d3_scale(shoal_d3_add(domain->min, domain->max), 0.5);
        middle          = shoal_quat_rotate(collider->rotation_back, shoal_d3_sub(middle, collider->at));
        within = shoal_box_grown((shoal_box){middle, middle}, shoal_d3_length(shoal_d3_sub(domain->max, domain->min)));
    }
    return shoal_shape_thinnest(world->obstacles[c].shape, within, most, at);
}
