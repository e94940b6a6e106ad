// SPDX-License-Identifier: MIT
#include "mac/mac_stop.h"

#include <math.h>

static shoal_d3 to_own(const shoal_collider* c, shoal_d3 p) {
    return shoal_quat_rotate(c->rotation_back, shoal_d3_sub(p, c->at));
}
static shoal_d3 to_world(const shoal_collider* c, shoal_d3 p) {
    return shoal_d3_add(shoal_quat_rotate(c->rotation, p), c->at);
}
static shoal_d3 between(shoal_d3 a, shoal_d3 b, double t) {
    return shoal_d3_add(a, shoal_d3_scale(shoal_d3_sub(b, a), t));
}

static shoal_d3 away_from_walls(const shoal_world* world, shoal_v3 place, double by) {
    double p[3] = {(double)place.x, (double)place.y, (double)place.z};
    for (int a = 0; a < 3; a++) {
        if (world->is_closed[2 * a]) p[a] = fmax(p[a], (double)shoal_v3_axis(world->min, a) + by);
        if (world->is_closed[2 * a + 1]) p[a] = fmin(p[a], (double)shoal_v3_axis(world->max, a) - by);
    }
    return shoal_d3_make(p[0], p[1], p[2]);
}

// Where between two points on the way from a to b, one outside of the shape and one inside, its surface is.
static shoal_d3 surface_between(const shoal_tape* tape, shoal_d3 a, shoal_d3 b, double outside, double inside) {
    for (int k = 0; k < 20; k++) {
        double middle = 0.5 * (outside + inside);
        *(shoal_tape_distance(tape, between(a, b, middle), NULL) >= 0.0 ? &outside : &inside) = middle;
    }
    return between(a, b, outside);
}

// Whether the way from a to b goes through the shape: deeper than `deep`, or to a side that looks the other way, as
// where a plate ends in a wall and is deep nowhere; *entry: where it went in.
static bool goes_through(const shoal_tape* tape, shoal_d3 a, shoal_d3 b, double deep, shoal_d3* entry,
                         shoal_d3* normal) {
    double length = shoal_d3_length(shoal_d3_sub(b, a)), distance = shoal_tape_distance(tape, a, NULL), most = 0.0;
    double outside = 0.0, inside = -1.0, last_inside = -1.0, left = 1.0; // parts of the way
    if (distance >= length || length == 0.0) return false;               // a particle at rest goes through nothing
    if (distance < 0.0) inside = last_inside = 0.0;
    for (double gone = fmax(fabs(distance), 0.5 * deep); gone < length; gone += fmax(fabs(distance), 0.5 * deep)) {
        double at = gone / length;
        distance  = shoal_tape_distance(tape, between(a, b, at), NULL);
        if (distance < 0.0) {
            if (inside < 0.0) inside = at;
            last_inside = at, left = 1.0;
        } else if (inside < 0.0) {
            outside = at;
        } else if (left == 1.0) {
            left = at;
        }
        most = fmax(most, -distance);
    }
    shoal_d3 end;
    double   last = shoal_tape_distance(tape, b, &end);
    if (inside < 0.0 && last >= 0.0) return false;
    *entry = surface_between(tape, a, b, outside, inside < 0.0 ? 1.0 : inside);
    shoal_tape_distance(tape, *entry, normal);
    if (last >= 0.0) shoal_tape_distance(tape, surface_between(tape, a, b, left, last_inside), &end);
    return fmax(most, -last) > deep || shoal_d3_dot(end, *normal) < 0.0;
}

void mac_stop_crossing(const shoal_world* world, shoal_material_kind kind, const shoal_mac_passage* passage,
                       const shoal_mac_particles* particles, int i, double margin) {
    shoal_v3* x       = &particles->position[i];
    shoal_d3  reached = away_from_walls(world, *x, margin); // a way past a wall would lead around what stands on it
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* now  = &world->colliders[c];
        double                deep = now->is_thin ? passage->deep : passage->deep_thick;
        shoal_d3 a = to_own(&passage->before[c], shoal_d3_from(passage->from[i])), b = to_own(now, reached), entry,
                 normal;
        double way = shoal_d3_length(shoal_d3_sub(b, a));
        if (!now->is_thin && way < deep) continue; // one that came from outside is not so deep
        if (!shoal_box_holds(shoal_box_grown(now->tape->bounds, way), b) ||
            !goes_through(now->tape, a, b, deep, &entry, &normal))
            continue;
        // on along the surface, as far as there is one
        shoal_d3 on    = shoal_d3_sub(b, shoal_d3_scale(normal, shoal_d3_dot(normal, shoal_d3_sub(b, entry)))), unused;
        on             = shoal_d3_add(on, shoal_d3_scale(normal, margin));
        entry          = shoal_d3_add(entry, shoal_d3_scale(normal, margin));
        shoal_d3    to = goes_through(now->tape, entry, on, deep, &unused, &unused) ? entry : on;
        shoal_d3    place = to_world(now, to);
        shoal_touch touch = {0.0,
                             shoal_quat_rotate(now->rotation, normal),
                             shoal_collider_velocity(now, place),
                             (double)now->rough[kind].friction,
                             now->rough[kind].is_sticky,
                             false};
        particles->velocity[i] =
            shoal_v3_from(shoal_touch_friction(&touch, shoal_d3_from(particles->velocity[i]), 0.0, true));
        *x = shoal_v3_from(place);
    }
}

// A place is taken this far from closed walls, in margins: a cell.
static const double away = 100.0;

bool mac_seam(const shoal_world* world, shoal_material_kind kind, const shoal_mac_passage* passage, shoal_v3 place,
              int i, double margin, shoal_touch* out) {
    shoal_d3 from = away_from_walls(world, passage->from[i], away * margin),
             to   = away_from_walls(world, place, away * margin);
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* now = &world->colliders[c];
        if (!shoal_box_holds(now->bounds, shoal_d3_from(place)) ||
            shoal_collider_distance(now, shoal_d3_from(place), NULL) >= 0.0)
            continue;
        shoal_d3 outside = to_own(&passage->before[c], from), end = to_own(now, to), inside = end, normal;
        if (shoal_tape_distance(now->tape, outside, NULL) < 0.0 || shoal_tape_distance(now->tape, end, NULL) >= 0.0)
            continue;
        for (int k = 0; k < 20; k++) {
            shoal_d3 middle                                                            = between(outside, inside, 0.5);
            *(shoal_tape_distance(now->tape, middle, NULL) < 0.0 ? &inside : &outside) = middle;
        }
        shoal_tape_distance(now->tape, outside, &normal);
        *out = (shoal_touch){shoal_d3_dot(normal, shoal_d3_sub(end, outside)),
                             shoal_quat_rotate(now->rotation, normal),
                             shoal_collider_velocity(now, shoal_d3_from(place)),
                             (double)now->rough[kind].friction,
                             now->rough[kind].is_sticky,
                             false};
        return true;
    }
    return false;
}
