// SPDX-License-Identifier: MIT
#include "mac/mac_touch.h"

#include <math.h>

static shoal_touch touch_made(double distance, shoal_d3 normal, shoal_d3 velocity, const shoal_roughness* rough) {
    return (shoal_touch){distance, normal, velocity, (double)rough->friction, rough->is_sticky, rough->is_smooth};
}

bool mac_touch_of(const shoal_world* world, shoal_material_kind kind, int solid, shoal_d3 p, double reach,
                  shoal_touch* out) {
    if (solid < SHOAL_WALL_COUNT) {
        int    axis = solid / 2;
        double way = solid % 2 == 0 ? 1.0 : -1.0, n[3] = {0.0, 0.0, 0.0};
        double face  = shoal_d3_axis(solid % 2 == 0 ? world->domain.min : world->domain.max, axis);
        double depth = way * (shoal_d3_axis(p, axis) - face);
        if (!world->is_closed[solid] || depth >= reach) return false;
        n[axis] = way;
        *out    = touch_made(depth, shoal_d3_make(n[0], n[1], n[2]), shoal_d3_make(0.0, 0.0, 0.0),
                             &world->rough[solid][kind]);
        return true;
    }
    const shoal_collider* collider = &world->colliders[solid - SHOAL_WALL_COUNT];
    shoal_d3              normal;
    if (!shoal_box_holds(shoal_box_grown(collider->bounds, fmax(reach, 0.0)), p)) return false;
    double distance = shoal_collider_distance(collider, p, &normal);
    if (distance >= reach) return false;
    *out = touch_made(distance, normal, shoal_collider_velocity(collider, p), &collider->rough[kind]);
    return true;
}

bool shoal_touch_at(const shoal_world* world, shoal_material_kind kind, shoal_d3 p, double reach, shoal_touch* out) {
    bool        found = false;
    shoal_touch touch;
    out->distance = reach;
    for (int solid = 0; solid < SHOAL_WALL_COUNT + world->collider_count; solid++) {
        if (!mac_touch_of(world, kind, solid, p, out->distance, &touch)) continue;
        *out  = touch;
        found = true;
    }
    return found;
}

shoal_d3 shoal_touch_friction(const shoal_touch* touch, shoal_d3 velocity, double normal_load, bool may_leave) {
    shoal_d3 relative = shoal_d3_sub(velocity, touch->velocity);
    double   along    = shoal_d3_dot(relative, touch->normal);
    if (may_leave && along >= 0.0) return velocity;
    if (touch->is_sticky) return touch->velocity;
    shoal_d3 slide = shoal_d3_sub(relative, shoal_d3_scale(touch->normal, along));
    double   speed = shoal_d3_length(slide), lost = touch->friction * fmax(normal_load, -along);
    if (touch->friction > 0.0) slide = shoal_d3_scale(slide, speed > lost ? 1.0 - lost / speed : 0.0);
    return shoal_d3_add(touch->velocity, slide);
}

// The last of several solids has the last word; so its part is taken first.
static void slide_along(const shoal_touch* touch, double slide[3], double* rest) {
    double inward = 0.0, solid = shoal_d3_dot(touch->normal, touch->velocity);
    for (int a = 0; a < 3; a++) inward += slide[a] * shoal_d3_axis(touch->normal, a);
    for (int a = 0; a < 3; a++) slide[a] -= inward * shoal_d3_axis(touch->normal, a);
    *rest += inward * solid;
}

bool shoal_touch_slide(const shoal_world* world, shoal_d3 p, double reach, int axis, double slide[3], double* rest) {
    const shoal_material_kind any       = SHOAL_LIQUID; // without friction
    shoal_touch               touch     = {0};
    bool                      is_inside = false;
    for (int a = 0; a < 3; a++) slide[a] = a == axis ? 1.0 : 0.0;
    *rest = 0.0;
    for (int solid = SHOAL_WALL_COUNT + world->collider_count - 1; solid >= 0; solid--) {
        if (!mac_touch_of(world, any, solid, p, 0.0, &touch)) continue;
        slide_along(&touch, slide, rest);
        is_inside = true;
    }
    if (is_inside) return true;
    if (!shoal_touch_at(world, any, p, reach, &touch)) return false;
    slide_along(&touch, slide, rest);
    return true;
}

bool shoal_touch_roughest(const shoal_world* world, shoal_material_kind kind, shoal_d3 p, double reach, double slack,
                          shoal_touch* out) {
    shoal_touch touch;
    if (!shoal_touch_at(world, kind, p, reach, out)) return false;
    double farthest = fmin(out->distance + slack, reach);
    for (int solid = 0; solid < SHOAL_WALL_COUNT + world->collider_count; solid++) {
        if (!mac_touch_of(world, kind, solid, p, farthest, &touch)) continue;
        if (!out->is_sticky && (touch.is_sticky || touch.friction > out->friction)) *out = touch;
    }
    return true;
}
