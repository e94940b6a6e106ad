// SPDX-License-Identifier: MIT
#include "state/reach.h"

#include "state/motion.h"

static const double endless = 1e30; // m; where shapes and domains have no end

shoal_box shoal_box_common(shoal_box a, shoal_box b) {
    return (shoal_box){{fmax(a.min.x, b.min.x), fmax(a.min.y, b.min.y), fmax(a.min.z, b.min.z)},
                       {fmin(a.max.x, b.max.x), fmin(a.max.y, b.max.y), fmin(a.max.z, b.max.z)}};
}

shoal_box shoal_domain_extent(const shoal_domain* domain) {
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

// In its own frame, which is the world's for those that do not move.
static shoal_box own_box(const shoal_emitter* e) {
    if (e->kind == SHOAL_EMIT_RAIN) return (shoal_box){e->min, e->max};
    if (e->kind == SHOAL_EMIT_DISC) return shoal_box_grown((shoal_box){e->at, e->at}, e->radius);
    return shoal_shape_bounds(e->shape);
}

shoal_box shoal_emitter_box(const shoal_emitter* e) { return shoal_motion_box(e->keys, e->key_count, own_box(e)); }

static bool has_end(shoal_box b) {
    return !shoal_box_is_empty(b) &&
           fmax(fmax(-b.min.x, b.max.x), fmax(fmax(-b.min.y, b.max.y), fmax(-b.min.z, b.max.z))) < 0.1 * endless;
}

static shoal_box with_box(shoal_box a, shoal_box b) {
    return has_end(b) ? shoal_box_with(shoal_box_with(a, b.min), b.max) : a;
}

// The box around bodies, emitters and obstacles, all their way, with what is thrown as far as it flies before it is as
// low again.
static shoal_box scene_box(const shoal_description* d) {
    double    g   = shoal_d3_length(d->gravity);
    shoal_box box = shoal_box_empty();
    for (int b = 0; b < d->body_count; b++) {
        double speed = (double)shoal_v3_length(d->bodies[b].velocity);
        box = with_box(box, shoal_box_grown(shoal_shape_bounds(d->bodies[b].shape), g > 0.0 ? speed * speed / g : 0.0));
    }
    for (int e = 0; e < d->emitter_count; e++) {
        double speed = shoal_emitter_speed(&d->emitters[e]);
        box = with_box(box, shoal_box_grown(shoal_emitter_box(&d->emitters[e]), g > 0.0 ? speed * speed / g : 0.0));
    }
    for (int k = 0; k < d->obstacle_count; k++) box = with_box(box, shoal_obstacle_box(&d->obstacles[k]));
    return box;
}

static bool is_endless(const shoal_obstacle* obstacle) {
    return shoal_box_radius(shoal_shape_bounds(obstacle->shape)) > 0.1 * endless;
}

shoal_box shoal_far_box(const shoal_description* d) {
    const double below = 4.0, aside = 20.0; // sides of the box
    shoal_box    all = {{-endless, -endless, -endless}, {endless, endless, endless}}, box = scene_box(d);
    double       g = shoal_d3_length(d->gravity);
    if (d->domain.is_given || shoal_box_is_empty(box)) return all;
    if (d->far > 0.0) return shoal_box_grown(box, d->far);
    if (d->obstacle_count == 0 || d->force_count > 0 || !(g > 0.0)) return all;
    for (int k = 0; k < d->obstacle_count; k++) // nothing misses a plane, but all may slide on it as far as it goes
        if (is_endless(&d->obstacles[k])) return all;
    shoal_d3 size  = shoal_d3_sub(box.max, box.min);
    double   side  = fmax(size.x, fmax(size.y, size.z));
    double * low[] = {&box.min.x, &box.min.y, &box.min.z}, *high[] = {&box.max.x, &box.max.y, &box.max.z};
    for (int axis = 0; axis < 3; axis++) {
        double down = shoal_d3_axis(d->gravity, axis) / g;
        *low[axis] -= (down < -0.5 ? below : aside) * side;
        *high[axis] += (down > 0.5 ? below : aside) * side;
    }
    return box;
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

shoal_box shoal_obstacle_box(const shoal_obstacle* obstacle) {
    return shoal_motion_box(obstacle->keys, obstacle->key_count, shoal_shape_bounds(obstacle->shape));
}

// What has no end, like a plane, counts by its shift alone.
double shoal_obstacle_speed_within(const shoal_obstacle* obstacle, double from, double until) {
    double radius = is_endless(obstacle) ? 0.0 : shoal_box_radius(shoal_shape_bounds(obstacle->shape));
    return shoal_motion_speed(obstacle->keys, obstacle->key_count, radius, from, until);
}

double shoal_obstacle_speed(const shoal_obstacle* obstacle) {
    return shoal_obstacle_speed_within(obstacle, -HUGE_VAL, HUGE_VAL);
}

double shoal_emitter_speed(const shoal_emitter* e) {
    double own = (double)shoal_v3_length(e->velocity);
    if (e->key_count == 0) return own;
    return own + shoal_motion_speed(e->keys, e->key_count, shoal_box_radius(own_box(e)), -HUGE_VAL, HUGE_VAL);
}
