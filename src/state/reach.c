// SPDX-License-Identifier: MIT
#include "state/reach.h"

static const double endless = 1e30; // m; where shapes and domains have no end

shoal_box shoal_box_common(shoal_box a, shoal_box b) {
    return (shoal_box){{fmax(a.min.x, b.min.x), fmax(a.min.y, b.min.y), fmax(a.min.z, b.min.z)},
                       {fmin(a.max.x, b.max.x), fmin(a.max.y, b.max.y), fmin(a.max.z, b.max.z)}};
}

shoal_box shoal_domain_kept(const shoal_domain* domain) {
    shoal_box box = {{-endless, -endless, -endless}, {endless, endless, endless}};
    if (!domain->is_given) return box;
    shoal_d3 size   = shoal_d3_sub(domain->max, domain->min);
    double*  low[]  = {&box.min.x, &box.min.y, &box.min.z};
    double*  high[] = {&box.max.x, &box.max.y, &box.max.z};
    for (int axis = 0; axis < 3; axis++) {
        bool is_open_low  = domain->walls[2 * axis].kind == SHOAL_WALL_OPEN,
             is_open_high = domain->walls[2 * axis + 1].kind == SHOAL_WALL_OPEN;
        double length     = shoal_d3_axis(size, axis);
        *low[axis]        = shoal_d3_axis(domain->min, axis) - (is_open_low ? length : 0.0);
        *high[axis]       = shoal_d3_axis(domain->max, axis) + (is_open_high ? length : 0.0);
    }
    return box;
}

double shoal_domain_area(const shoal_domain* domain) {
    shoal_d3 size = shoal_d3_sub(domain->max, domain->min);
    double   area = 0.0;
    for (int wall = 0; wall < SHOAL_WALL_COUNT && domain->is_given; wall++)
        if (domain->walls[wall].kind != SHOAL_WALL_OPEN && domain->walls[wall].kind != SHOAL_WALL_PERIODIC)
            area += shoal_d3_axis(size, (wall / 2 + 1) % 3) * shoal_d3_axis(size, (wall / 2 + 2) % 3);
    return area;
}

shoal_box shoal_emitter_box(const shoal_emitter* e) {
    if (e->kind == SHOAL_EMIT_RAIN) return (shoal_box){e->min, e->max};
    if (e->kind == SHOAL_EMIT_DISC) return shoal_box_grown((shoal_box){e->at, e->at}, e->radius);
    return shoal_shape_bounds(e->shape);
}

shoal_box shoal_rain_box(const shoal_domain* domain, const shoal_emitter* emitter) {
    double min[3], max[3];
    for (int axis = 0; axis < 3; axis++) {
        min[axis] = shoal_d3_axis(emitter->min, axis);
        max[axis] = shoal_d3_axis(emitter->max, axis);
        if (domain->is_given && domain->walls[2 * axis].kind != SHOAL_WALL_OPEN)
            min[axis] = fmax(min[axis], shoal_d3_axis(domain->min, axis));
        if (domain->is_given && domain->walls[2 * axis + 1].kind != SHOAL_WALL_OPEN)
            max[axis] = fmin(max[axis], shoal_d3_axis(domain->max, axis));
    }
    return (shoal_box){{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
}

// Of a shape about its origin, m.
static double radius_of(shoal_box box) {
    shoal_d3 far = {fmax(fabs(box.min.x), fabs(box.max.x)), fmax(fabs(box.min.y), fabs(box.max.y)),
                    fmax(fabs(box.min.z), fabs(box.max.z))};
    return shoal_box_is_empty(box) ? 0.0 : shoal_d3_length(far);
}

// A moving one may turn, so a ball about its origin stands for it.
shoal_box shoal_obstacle_box(const shoal_obstacle* obstacle) {
    shoal_box box = shoal_shape_bounds(obstacle->shape), all = shoal_box_empty();
    if (obstacle->key_count == 0 || shoal_box_is_empty(box)) return box;
    for (int k = 0; k < obstacle->key_count; k++) all = shoal_box_with(all, obstacle->keys[k].at);
    return shoal_box_grown(all, radius_of(box));
}

// What has no end, like a plane, counts by its shift alone.
double shoal_obstacle_speed(const shoal_obstacle* obstacle) {
    double most = 0.0, radius = radius_of(shoal_shape_bounds(obstacle->shape));
    if (radius > 0.1 * endless) radius = 0.0;
    for (int k = 0; k + 1 < obstacle->key_count; k++) {
        const shoal_motion_key *a = &obstacle->keys[k], *b = a + 1;
        bool                    is_same = shoal_d3_dot(a->axis, b->axis) > 0.0;
        double                  turn =
            SHOAL_PI / 180.0 * (is_same ? fabs(b->degrees - a->degrees) : fabs(a->degrees) + fabs(b->degrees));
        most = fmax(most, (shoal_d3_length(shoal_d3_sub(b->at, a->at)) + turn * radius) / (b->t - a->t));
    }
    return most;
}
