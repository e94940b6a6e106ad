// SPDX-License-Identifier: MIT
// Things of a scene that lie where they have no effect: emitters, sinks and obstacles beyond the
// walls, probes far from what they measure.
#include "scene/scene_read.h"

#include "state/reach.h"

#include <math.h>

static const double endless = 1e30;

static void doubt_box(scene_reader* r, const shoal_node* node, shoal_box box, const char* effect) {
    shoal_box kept = shoal_domain_kept(&r->d->domain);
    for (int axis = 0; axis < 3 && !shoal_box_is_empty(box); axis++) {
        double low = shoal_d3_axis(box.min, axis), high = shoal_d3_axis(box.max, axis),
               from = shoal_d3_axis(kept.min, axis), to = shoal_d3_axis(kept.max, axis);
        if (high >= from && low <= to) continue;
        bool is_below = high < from;
        scene_warning(r, node, "is outside the domain: it %s %c = %g, and the domain %s %g; %s",
                      is_below ? "ends at" : "begins at", 'x' + axis, is_below ? high : low,
                      is_below ? "begins at" : "ends at", is_below ? from : to, effect);
        return;
    }
}

// How far a point is from the nearest closed wall or obstacle, m; 0 where one of them moves.
static double distance_to_solid(const shoal_world* world, shoal_d3 p) {
    double least = (double)INFINITY;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        const shoal_domain* domain = &world->domain;
        double              wall   = shoal_d3_axis(w % 2 ? domain->max : domain->min, w / 2);
        if (world->is_closed[w]) least = fmin(least, fabs(shoal_d3_axis(p, w / 2) - wall));
    }
    for (int c = 0; c < world->collider_count; c++) {
        if (world->colliders[c].moves) return 0.0;
        least = fmin(least, fabs(shoal_collider_distance(&world->colliders[c], p, NULL)));
    }
    return least;
}

static void doubt_probe(scene_reader* r, const shoal_node* node, const shoal_probe* probe,
                        const shoal_world* world) {
    const shoal_node* at     = shoal_node_child(node, "at");
    shoal_box         box    = {probe->at, probe->at};
    int               before = shoal_scene_fault_count(r->scene);
    if (probe->kind == SHOAL_PROBE_FRONT) return;
    if (probe->kind == SHOAL_PROBE_HEIGHT) {
        box.min.y = -endless;
        box.max.y = endless;
    }
    doubt_box(r, at, box, "there is nothing to measure");
    if (probe->kind == SHOAL_PROBE_HEIGHT || shoal_scene_fault_count(r->scene) > before) return;
    double away = distance_to_solid(world, probe->at), d = r->d->spacing;
    if (isinf(away))
        scene_warning(r, at, "there is no wall or obstacle; pressure is measured at one");
    else if (away > 2.0 * d)
        scene_warning(r, at,
                      "is %.3g m from the nearest wall or obstacle, more than two spacings "
                      "(%.3g m); pressure is measured at one",
                      away, 2.0 * d);
}

// Goes to the entry `place` of a list of the scene.
static const shoal_node* enter_entry(scene_reader* r, const char* key, int place, size_t* mark) {
    *mark = scene_enter(r, key);
    scene_enter_place(r, place);
    return shoal_node_at(shoal_node_child(r->scene->root, key), place);
}

void scene_doubt_places(scene_reader* r) {
    const shoal_description* d = r->d;
    size_t                   mark;
    for (int k = 0; k < d->obstacle_count; k++) {
        const shoal_node* node = enter_entry(r, "obstacles", k, &mark);
        doubt_box(r, node, shoal_obstacle_box(&d->obstacles[k]), "nothing will touch it");
        scene_leave(r, mark);
    }
    for (int k = 0; k < d->emitter_count; k++) {
        const shoal_node* node = enter_entry(r, "emitters", k, &mark);
        doubt_box(r, node, shoal_emitter_box(&d->emitters[k]), "nothing will come in");
        scene_leave(r, mark);
    }
    for (int k = 0; k < d->sink_count; k++) {
        const shoal_node* node = enter_entry(r, "sinks", k, &mark);
        doubt_box(r, node, shoal_shape_bounds(d->sinks[k].shape), "nothing will reach it");
        scene_leave(r, mark);
    }
    if (d->probe_count == 0) return;
    shoal_world* world = NULL;
    if (shoal_world_create(d, &world) != SHOAL_OK) {
        r->is_out_of_memory = true;
        return;
    }
    for (int k = 0; k < d->probe_count; k++) {
        const shoal_node* node = enter_entry(r, "probes", k, &mark);
        doubt_probe(r, node, &d->probes[k], world);
        scene_leave(r, mark);
    }
    shoal_world_destroy(world);
}
