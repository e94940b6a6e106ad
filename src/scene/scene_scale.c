// SPDX-License-Identifier: MIT
// Numbers of a scene that are likely slips of sign or unit: they are taken as they stand, with a warning.
#include "scene/scene_read.h"

#include <math.h>

#include "state/reach.h"

static const double earth         = 9.81;  // m/s^2
static const double pulls_hard    = 100.0; // m/s^2; what does not come from millimetres spins in a centrifuge
static const double fast          = 100.0; // m/s; beyond any hose
static const double shown_upwards = 0.7;   // of gravity's length

static void warn_gravity(scene_reader* r) {
    const shoal_node* node = shoal_node_child(r->scene->root, "gravity");
    double            g    = shoal_d3_length(r->d->gravity);
    if (!node || !(g > 0.0)) return;
    size_t mark = scene_enter(r, "gravity");
    if (g > pulls_hard)
        scene_warning(
            r, node,
            "pulls with %.4g m/s^2, %.3g times the earth's: lengths are in metres, so the earth pulls with 9.81", g,
            g / earth);
    else if (r->d->gravity.y > shown_upwards * g)
        scene_warning(r, node, "points up, with %.3g m/s^2, and y is up here: for things to fall it is [0, -%.3g, 0]",
                      g, g);
    scene_leave(r, mark);
}

static void warn_body_speed(scene_reader* r, const shoal_node* node, const shoal_body* body) {
    double speed = (double)shoal_v3_length(body->velocity);
    if (speed > fast)
        scene_warning(r, node, "begins with %.3g m/s, %.3g m within a frame: `velocity` is in m/s", speed,
                      speed / r->d->fps);
}

static void warn_emitter_speed(scene_reader* r, const shoal_node* node, const shoal_emitter* e) {
    double speed = (double)shoal_v3_length(e->velocity);
    if (!(speed > fast)) return;
    if (isfinite(e->flow) && e->kind != SHOAL_EMIT_RAIN)
        scene_warning(r, node,
                      "sends its flow of %.3g m^3/s through its opening with %.3g m/s: `flow` is in m^3/s, a litre per "
                      "second is 0.001; widen the opening or let less flow",
                      e->flow, speed);
    else
        scene_warning(r, node, "sends with %.3g m/s: `velocity` is in m/s", speed);
}

// Whether a shape holds a box, as its corners and its middle tell.
static bool holds(const shoal_shape* shape, shoal_box box) {
    shoal_d3 middle = shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5);
    for (int corner = 0; corner < 8; corner++)
        if (shoal_shape_distance(shape,
                                 shoal_d3_make(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                                               corner & 4 ? box.max.z : box.min.z)) > 0.0)
            return false;
    return !shoal_box_is_empty(box) && shoal_shape_distance(shape, middle) < 0.0;
}

static void warn_sink(scene_reader* r, const shoal_node* node, const shoal_shape* sink) {
    const shoal_description* d      = r->d;
    shoal_box                extent = shoal_domain_extent(&d->domain);
    for (int b = 0; b < d->body_count; b++)
        if (holds(sink, shoal_box_common(shoal_shape_bounds(d->bodies[b].shape), extent))) {
            scene_warning(r, node,
                          "holds all of bodies.%d, which is gone after the first substep: make it smaller or "
                          "put it where things shall end",
                          b);
            return;
        }
    for (int e = 0; e < d->emitter_count; e++)
        if (holds(sink, shoal_box_common(shoal_emitter_box(&d->emitters[e]), extent))) {
            scene_warning(r, node,
                          "holds all of emitters.%d, of which nothing stays: make it smaller or put it where "
                          "things shall end",
                          e);
            return;
        }
}

void scene_warn_scale(scene_reader* r) {
    const shoal_description* d = r->d;
    size_t                   mark;
    warn_gravity(r);
    for (int k = 0; k < d->body_count; k++) {
        const shoal_node* node = scene_enter_entry(r, "bodies", k, &mark);
        warn_body_speed(r, node, &d->bodies[k]);
        scene_leave(r, mark);
    }
    for (int k = 0; k < d->emitter_count; k++) {
        const shoal_node* node = scene_enter_entry(r, "emitters", k, &mark);
        warn_emitter_speed(r, node, &d->emitters[k]);
        scene_leave(r, mark);
    }
    for (int k = 0; k < d->sink_count; k++) {
        const shoal_node* node = scene_enter_entry(r, "sinks", k, &mark);
        warn_sink(r, node, d->sinks[k].shape);
        scene_leave(r, mark);
    }
}
