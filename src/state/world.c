// SPDX-License-Identifier: MIT
// Walls, colliders along their keyframes, and the lattice that bodies are filled from.
#include "state/world.h"

#include <string.h>

#include "base/memory.h"
#include "exec/device.h"
#include "geom/thickness.h"
#include "state/motion.h"

// --- walls

// Sand rubs on a wall that the scene says nothing about, the first of the scene speaking for all; liquids slip.
static shoal_roughness wall_roughness(const shoal_description* description, shoal_wall wall, shoal_material_kind kind) {
    const shoal_material* sand = NULL;
    for (int m = description->material_count - 1; m >= 0; m--)
        if (description->materials[m].kind == SHOAL_GRANULAR) sand = &description->materials[m];
    if (wall.kind == SHOAL_WALL_DEFAULT && kind == SHOAL_GRANULAR && sand)
        return (shoal_roughness){.friction = sand->boundary_friction};
    return (shoal_roughness){.friction  = wall.kind == SHOAL_WALL_FRICTION ? wall.friction : 0.0f,
                             .is_sticky = wall.kind == SHOAL_WALL_STICK,
                             .is_smooth = wall.kind == SHOAL_WALL_DEFAULT};
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

shoal_world shoal_world_ago(const shoal_world* world, double ago, shoal_collider* room) {
    shoal_world then = *world;
    then.colliders   = room;
    for (int c = 0; c < world->collider_count; c++) room[c] = shoal_collider_ago(&world->colliders[c], ago);
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
    shoal_free(copy->staged);
    *copy = (shoal_world_far){0};
}

const shoal_world* shoal_world_on(const shoal_world* world, shoal_device* device, shoal_world_far* copy) {
    if (!device) return world;
    size_t      head = (sizeof *world + 63) / 64 * 64, colliders = colliders_bytes(world), all = head + world->bytes;
    const char* block = (const char*)world->colliders;
    if (copy->room < all) {
        shoal_world_far_free(copy);
        copy->device = device;
        copy->far    = shoal_far_alloc(device, 1, all);
        copy->staged = shoal_alloc(2, all); // as it is to be, and as it was sent
        if (!copy->far || !copy->staged) {
            shoal_device_fail(device, SHOAL_ERR_MEMORY, "%s", shoal_last_error());
            return NULL;
        }
        copy->room = all;
        if (world->bytes > colliders)
            device->send(device, copy->far + head + colliders, block + colliders, world->bytes - colliders);
    }
    size_t          sent   = head + colliders;
    shoal_world*    staged = (shoal_world*)(void*)copy->staged;
    shoal_collider* moved  = (shoal_collider*)(void*)(copy->staged + head);
    *staged                = *world;
    staged->colliders      = (shoal_collider*)(void*)(copy->far + head);
    staged->obstacles      = NULL;
    if (colliders > 0) memcpy(moved, block, colliders);
    for (int c = 0; c < world->collider_count; c++)
        moved[c].tape =
            (const shoal_tape*)(const void*)(copy->far + head + ((const char*)world->colliders[c].tape - block));
    if (memcmp(copy->staged, copy->staged + copy->room, sent) != 0) {
        memcpy(copy->staged + copy->room, copy->staged, sent);
        device->send(device, copy->far, copy->staged, sent);
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
        for (int kind = 0; kind < SHOAL_KIND_COUNT; kind++) // a scene has one number for all kinds
            collider->rough[kind] = (shoal_roughness){.friction  = obstacle->friction,
                                                      .is_sticky = obstacle->is_sticky,
                                                      .is_smooth = obstacle->friction == 0.0f && !obstacle->is_sticky};
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

// --- the lattice

// Sites are asked about a hair's breadth away from where they are, always in the same direction:
// what lies exactly on a face falls to the side of its greater coordinates, whatever the rounding
// of the distance. The three shares differ so that no plane along a diagonal is missed.
static shoal_d3 asked_at(const shoal_description* description, shoal_d3 site) {
    double hair = 1e-6 * description->spacing;
    return shoal_d3_add(site, shoal_d3_make(hair, 0.71 * hair, 0.53 * hair));
}

bool shoal_world_site_is_in(const shoal_description* description, const shoal_shape* shape, shoal_d3 site) {
    return shoal_shape_distance(shape, asked_at(description, site)) < 0.0;
}

// How far a site is from the solids, m; `clearance` or more where there is room for a particle.
static double room_at(const shoal_world* world, double clearance, shoal_d3 p) {
    double room = clearance;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        // as the scene has them: far from the origin their floats are off by more than the clearance allows
        double at = shoal_d3_axis(p, wall / 2), low = shoal_d3_axis(world->domain.min, wall / 2),
               high = shoal_d3_axis(world->domain.max, wall / 2), depth = wall % 2 == 0 ? at - low : high - at;
        // beyond the wall is another fault, told by the scene's check
        if (world->is_closed[wall] && depth > 0.0) room = fmin(room, depth);
    }
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        if (shoal_box_holds(shoal_box_grown(collider->bounds, clearance), p))
            room = fmin(room, shoal_collider_distance(collider, p, NULL));
    }
    return room;
}

// The places of a lattice along an axis: anchor + (k + 1/2) spacings, k from first to last.
typedef struct lattice_range {
    double anchor, first, last;
} lattice_range;

// Where the lattice of a range of whole spacings begins, if that is not the scene's: within a spacing above `anchor`.
static double own_anchor(double anchor, double spacing, double low, double high) {
    const double whole = 1e-3;
    double       count = (high - low) / spacing, off = (low - anchor) / spacing;
    off -= floor(off + whole);
    return fabs(count - floor(count + 0.5)) < whole && off > whole ? anchor + off * spacing : anchor;
}

// Those within [low, high]. Closed and periodic walls cut it off; beyond open ones it goes on as far as particles are
// kept, one domain length. With a lattice of its own a shape of whole spacings is filled the same wherever it stands;
// on that of the scene its particles would lie up to half a spacing to one side.
static lattice_range range_along(const shoal_world* world, int axis, double spacing, shoal_box bounds, bool has_own) {
    double low = shoal_d3_axis(bounds.min, axis), high = shoal_d3_axis(bounds.max, axis), anchor = 0.0;
    if (world->domain.is_given) {
        double min = shoal_d3_axis(world->domain.min, axis), max = shoal_d3_axis(world->domain.max, axis);
        bool   is_open_low  = world->domain.walls[2 * axis].kind == SHOAL_WALL_OPEN;
        bool   is_open_high = world->domain.walls[2 * axis + 1].kind == SHOAL_WALL_OPEN;
        low                 = fmax(low, is_open_low ? min - (max - min) : min);
        high                = fmin(high, is_open_high ? max + (max - min) : max);
        anchor              = min;
    }
    if (has_own) anchor = own_anchor(anchor, spacing, low, high);
    // a site on the upper bound itself is out by the half-open rule; on the lower bound it is in
    return (lattice_range){anchor, ceil((low - anchor) / spacing - 0.5 - 1e-6),
                           ceil((high - anchor) / spacing - 0.5 - 1e-6) - 1.0};
}

shoal_status shoal_world_sites(const shoal_description* description, const shoal_shape* shape, double d, int body,
                               shoal_site_fn emit, void* user) {
    shoal_taken taken;
    return shoal_world_sites_counted(description, shape, d, body, emit, user, &taken);
}

// Sites that belong to no body of the scene keep off.
static bool may_touch(const shoal_description* description, int body) {
    int material = body >= 0 && body < description->body_count ? description->bodies[body].material : -1;
    return material >= 0 && material < description->material_count && description->materials[material].is_at_walls;
}

shoal_status shoal_world_sites_counted(const shoal_description* description, const shoal_shape* shape, double d,
                                       int body, shoal_site_fn emit, void* user, shoal_taken* taken) {
    const bool   is_scattered = may_touch(description, body);
    const double clearance    = is_scattered ? 0.0 : SHOAL_CLEARANCE * d;
    *taken                    = (shoal_taken){0, 0};
    // more than any machine's memory holds particles for; infinite shapes end here too
    const double most_sites = 0x1p33, farthest_site = 0x1p50;
    shoal_world* world = NULL;
    SHOAL_TRY(shoal_world_create(description, &world));

    lattice_range along[3];
    double        sites = 1.0, farthest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        lattice_range* r = &along[axis];
        *r               = range_along(world, axis, d, shoal_shape_bounds(shape), is_scattered);
        sites *= fmax(r->last - r->first + 1.0, 0.0);
        farthest = fmax(farthest, fmax(fabs(r->first), fabs(r->last)));
    }
    shoal_status status = SHOAL_OK;
    if (sites == 0.0) goto done;
    if (!(sites <= most_sites) || farthest > farthest_site) {
        status = shoal_fail(SHOAL_ERR_INPUT,
                            "the bounds of the shape hold %.3g lattice sites (allowed %.3g) or lie too "
                            "far out: make it smaller, the spacing larger, or give a domain",
                            sites, most_sites);
        goto done;
    }

    for (int64_t k = (int64_t)along[2].first; k <= (int64_t)along[2].last; k++)
        for (int64_t j = (int64_t)along[1].first; j <= (int64_t)along[1].last; j++)
            for (int64_t i = (int64_t)along[0].first; i <= (int64_t)along[0].last; i++) {
                shoal_d3 site =
                    shoal_d3_make(along[0].anchor + ((double)i + 0.5) * d, along[1].anchor + ((double)j + 0.5) * d,
                                  along[2].anchor + ((double)k + 0.5) * d);
                if (!shoal_world_site_is_in(description, shape, site)) continue;
                double room = room_at(world, clearance, asked_at(description, site));
                if (room < clearance) {
                    taken->within += room < 0.0;
                    taken->beside += room >= 0.0;
                    continue;
                }
                if (!emit(user, body, site)) goto done;
            }
done:
    shoal_world_destroy(world);
    return status;
}
