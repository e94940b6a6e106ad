// SPDX-License-Identifier: MIT
// Grains against walls, shapes and meshes.
//
// The colliders stand where they will be at the end of the step; between, a grain asks from the place it would have if
// it moved with the collider until then.
#include "solvers/grains/grains_local.h"

static shoal_d3 place_of(const grains_view* v, int i) {
    shoal_d3 hi = shoal_d3_from(grains_xyz(v->place[i])), lo = shoal_d3_from(grains_xyz(v->fine[i]));
    return shoal_d3_add(hi, lo);
}

static float wall_distance(const grains_view* v, int i, int wall, shoal_v3* normal) {
    int   axis = wall / 2;
    float at = shoal_v3_axis(grains_xyz(v->place[i]), axis), lo = shoal_v3_axis(grains_xyz(v->fine[i]), axis);
    *normal = shoal_v3_make(0.0f, 0.0f, 0.0f);
    shoal_v3_set_axis(normal, axis, wall % 2 == 0 ? 1.0f : -1.0f);
    if (wall % 2 == 0) return (at - shoal_v3_axis(v->world->min, axis)) + lo;
    return (shoal_v3_axis(v->world->max, axis) - at) - lo;
}

float grains_solid_distance(const grains_view* v, int i, int solid, shoal_v3* normal) {
    if (solid < GRAINS_WALLS) return wall_distance(v, i, solid, normal);
    const shoal_collider* collider = &v->world->colliders[solid - GRAINS_WALLS];
    shoal_d3              p        = place_of(v, i), out;
    if (collider->moves) p = shoal_d3_add(p, shoal_d3_scale(shoal_collider_velocity(collider, p), v->ahead));
    double distance = shoal_collider_distance(collider, p, &out);
    *normal         = shoal_v3_from(out);
    return (float)distance;
}

int grains_solids_near(const grains_view* v, int i, float skin, int* out) {
    int      count = 0;
    shoal_v3 normal;
    float    reach = v->place[i].w + skin;
    for (int wall = 0; wall < GRAINS_WALLS; wall++)
        if (v->world->is_closed[wall] && wall_distance(v, i, wall, &normal) < reach) out[count++] = wall;
    for (int c = 0; c < v->world->collider_count && count < SHOAL_LANES; c++) {
        const shoal_collider* collider = &v->world->colliders[c];
        shoal_d3              p        = place_of(v, i);
        double                far      = (double)reach;
        if (collider->moves) far += 2.0 * v->ahead * shoal_d3_length(shoal_collider_velocity(collider, p));
        if (shoal_box_holds(shoal_box_grown(collider->bounds, far), p) &&
            (double)grains_solid_distance(v, i, GRAINS_WALLS + c, &normal) < far)
            out[count++] = GRAINS_WALLS + c;
    }
    return count;
}

void grains_stay_inside(const grains_view* v, int i) {
    for (int k = 0; k < v->lists.solids[i] && grains_solid_of(v, i, k) < GRAINS_WALLS; k++) {
        int       wall = grains_solid_of(v, i, k), axis = wall / 2;
        shoal_v4 *x = &v->place_next[i], *lo = &v->fine_next[i], *u = &v->speed_next[i];
        shoal_v3  at = grains_xyz(*x), fine = grains_xyz(*lo), speed = grains_xyz(*u);
        float     out = wall % 2 == 0 ? -1.0f : 1.0f,
              rim     = shoal_v3_axis(wall % 2 == 0 ? v->world->min : v->world->max, axis);
        if (!(out * ((shoal_v3_axis(at, axis) - rim) + shoal_v3_axis(fine, axis)) > 0.0f)) continue;
        shoal_v3_set_axis(&at, axis, rim);
        shoal_v3_set_axis(&fine, axis, 0.0f);
        if (out * shoal_v3_axis(speed, axis) > 0.0f) shoal_v3_set_axis(&speed, axis, 0.0f);
        *x  = (shoal_v4){at.x, at.y, at.z, x->w};
        *lo = (shoal_v4){fine.x, fine.y, fine.z, lo->w};
        *u  = (shoal_v4){speed.x, speed.y, speed.z, u->w};
    }
}

void grains_touch_solids(const grains_view* v, int i, double* push, grains_load* load) {
    float    radius = v->place[i].w;
    shoal_v3 spin   = grains_xyz(v->spin[i]);
    for (int k = 0; k < v->lists.solids[i]; k++) {
        int          solid = grains_solid_of(v, i, k);
        grains_touch t;
        t.overlap    = radius - grains_solid_distance(v, i, solid, &t.normal);
        t.slip       = grains_xyz(v->speed[i]);
        int collider = solid - GRAINS_WALLS;
        if (collider >= 0 && v->world->colliders[collider].moves)
            t.slip = shoal_v3_sub(
                t.slip, shoal_v3_from(shoal_collider_velocity(&v->world->colliders[collider], place_of(v, i))));
        shoal_v3 turning = shoal_v3_cross(spin, t.normal);
        t.slip           = shoal_v3_add_scaled(t.slip, turning, -radius);
        t.roll           = shoal_v3_scale(turning, radius);
        t.root           = v->speed[i].w;
        t.thick          = v->is_wet ? fminf(1.0f + v->wet[i].x, v->bear) : 1.0f;
        t.friction       = v->solids[solid].friction;
        t.rolling        = v->solids[solid].rolling;
        if (v->is_wet) { // mud slips
            float firm = v->wet[i].z, mud = fminf(v->mud, t.friction);
            t.friction = firm * t.friction + (1.0f - firm) * mud;
            t.rolling *= firm;
        }
        size_t slot = (size_t)v->lists.solid[i] + (size_t)k, at = grains_spring(slot);
        t.held          = v->lists.held + slot;
        grains_answer a = grains_contact(v, &t, v->lists.slide + at, v->lists.roll + at);
        grains_add(load, &a, radius, radius);
        if (collider < 0) continue;
        double* sum = push + 3 * (size_t)collider;
        sum[0] -= (double)(a.force.x * v->dt);
        sum[1] -= (double)(a.force.y * v->dt);
        sum[2] -= (double)(a.force.z * v->dt);
    }
}
