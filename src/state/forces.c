// SPDX-License-Identifier: MIT
#include "state/forces.h"

#include <math.h>

#include "state/reach.h"

enum { PUSH_BLOCK = 1024 };

// The part of a time in which a force acts, s.
static double shared(const shoal_force* force, double from, double until) {
    return fmax(fmin(until, force->until) - fmax(from, force->from), 0.0);
}

bool shoal_forces_act(const shoal_description* d, double from, double until) {
    for (int k = 0; k < d->force_count; k++)
        if (shared(&d->forces[k], from, until) > 0.0) return true;
    return false;
}

shoal_v3 shoal_forces_gain(const shoal_description* d, int material, shoal_v3 x, double from, double until) {
    shoal_d3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < d->force_count; k++) {
        const shoal_force* force   = &d->forces[k];
        double             seconds = shared(force, from, until);
        if (!(seconds > 0.0) || (force->material >= 0 && force->material != material)) continue;
        if (force->shape && !(shoal_shape_distance(force->shape, shoal_d3_from(x)) < 0.0)) continue;
        sum = shoal_d3_add(sum, shoal_d3_scale(force->acceleration, seconds));
    }
    return shoal_v3_from(sum);
}

typedef struct push_job {
    const shoal_description* description;
    const shoal_v3*          position;
    const uint8_t*           material;
    shoal_v3*                velocity;
    double                   from, until;
} push_job;

static void push_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const push_job* p = ctx;
    for (int i = begin; i < end; i++)
        p->velocity[i] = shoal_v3_add(
            p->velocity[i], shoal_forces_gain(p->description, p->material[i], p->position[i], p->from, p->until));
}

void shoal_forces_push(const shoal_description* d, const shoal_exec* exec, const shoal_set* set, double from,
                       double until) {
    if (!shoal_forces_act(d, from, until)) return;
    push_job p = {
        d,    shoal_set_read(set, "position"), shoal_set_read(set, "material"), shoal_set_data(set, "velocity"), from,
        until};
    shoal_blocks(exec, set->count, PUSH_BLOCK, push_block, &p);
}

double shoal_forces_most(const shoal_description* d, double from, double until) {
    double sum = shoal_d3_length(d->gravity) + d->pushed;
    for (int k = 0; k < d->force_count; k++)
        if (shared(&d->forces[k], from, until) > 0.0) sum += shoal_d3_length(d->forces[k].acceleration);
    return sum;
}

double shoal_forces_speed(const shoal_description* d, double t) {
    double sum = 0.0;
    for (int k = 0; k < d->force_count; k++)
        sum += shoal_d3_length(d->forces[k].acceleration) * shared(&d->forces[k], 0.0, t);
    return sum;
}

double shoal_forces_speed2(const shoal_description* d) {
    double sum = 0.0;
    for (int k = 0; k < d->force_count; k++) {
        const shoal_force* force    = &d->forces[k];
        double             strength = shoal_d3_length(force->acceleration),
               speed                = strength * shared(force, 0.0, d->frames / d->fps);
        shoal_box box               = shoal_domain_extent(&d->domain);
        if (force->shape) box = shoal_box_common(box, shoal_shape_bounds(force->shape));
        double way = shoal_box_is_empty(box) ? 0.0 : shoal_d3_length(shoal_d3_sub(box.max, box.min));
        sum += fmin(speed * speed, 2.0 * strength * way);
    }
    return sum;
}
