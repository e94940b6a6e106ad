// SPDX-License-Identifier: MIT
#include "state/outlet.h"

bool shoal_place_exists(const shoal_world* world, double spacing, bool is_still, shoal_v3* p) {
    const float clearance = (float)(SHOAL_CLEARANCE * spacing);
    *p                    = shoal_world_wrap(world, *p);
    for (int axis = 0; axis < 3; axis++) {
        float x = shoal_v3_axis(*p, axis), min = shoal_v3_axis(world->min, axis),
              max = shoal_v3_axis(world->max, axis);
        if (world->is_closed[2 * axis] && x < min + clearance) return false;
        if (world->is_closed[2 * axis + 1] && x > max - clearance) return false;
    }
    shoal_d3 at = shoal_d3_from(*p);
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        if (is_still && collider->moves) continue;
        if (shoal_box_holds(shoal_box_grown(collider->bounds, (double)clearance), at) &&
            shoal_collider_distance(collider, at, NULL) < (double)clearance)
            return false;
    }
    return true;
}

// Places of a disc's layer in units of the spacing: (i + offset, j + offset) within the radius. Of
// the pattern centred on a site and the one centred between four, the one whose area is nearer the
// disc's.
static int disc_count(double radius, double offset) {
    int count = 0, reach = (int)ceil(radius) + 1;
    for (int j = -reach; j <= reach; j++)
        for (int i = -reach; i <= reach; i++)
            count += hypot(i + offset, j + offset) <= radius + 1e-9;
    return count;
}

static double disc_offset(double radius) {
    double area    = SHOAL_PI * radius * radius;
    int    between = disc_count(radius, 0.5);
    bool   nearer  = fabs(between - area) < fabs(disc_count(radius, 0.0) - area);
    return between > 0 && nearer ? 0.5 : 0.0;
}

// Two directions across a unit vector, along the axes of the lattice when it lies along one itself.
static void frame_across(shoal_d3 along, shoal_d3* u, shoal_d3* w) {
    double   x = fabs(along.x), y = fabs(along.y), z = fabs(along.z);
    shoal_d3 least = x <= y && x <= z ? shoal_d3_make(1.0, 0.0, 0.0)
                     : y <= z         ? shoal_d3_make(0.0, 1.0, 0.0)
                                      : shoal_d3_make(0.0, 0.0, 1.0);
    *u             = shoal_d3_sub(least, shoal_d3_scale(along, shoal_d3_dot(least, along)));
    *u             = shoal_d3_scale(*u, 1.0 / shoal_d3_length(*u));
    *w             = shoal_d3_cross(along, *u);
}

void shoal_disc_places(const shoal_emitter* emitter, double d, shoal_d3 centre, shoal_outlet_fn fn, void* user) {
    double   radius = emitter->radius / d, offset = disc_offset(radius);
    int      reach    = (int)ceil(radius) + 1;
    shoal_d3 velocity = shoal_d3_from(emitter->velocity), u, w;
    frame_across(shoal_d3_scale(velocity, 1.0 / shoal_d3_length(velocity)), &u, &w);
    for (int j = -reach; j <= reach; j++)
        for (int i = -reach; i <= reach; i++) {
            if (hypot(i + offset, j + offset) > radius + 1e-9) continue;
            shoal_d3 across = shoal_d3_add(shoal_d3_scale(u, (i + offset) * d), shoal_d3_scale(w, (j + offset) * d));
            if (!fn(user, shoal_d3_add(centre, across))) return;
        }
}
