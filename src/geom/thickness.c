// SPDX-License-Identifier: MIT
// Walls of any shape by its signed distance alone: boxes that the surface cannot be in are left
// out, and from a place of the surface in each of the others a ray goes straight inwards, as far as
// it takes to come out of a face that looks the other way.
#include "geom/thickness.h"

#include <math.h>

// Boxes along the longest side at most: a thin place smaller than a box may be missed.
static const double boxes_most = 128.0;
// Steps towards the surface, and how near to it is on it, in sizes of a box.
enum { STEPS = 4 };
static const double on_surface = 0.01;
// Cosine of two normals that look away from each other; less than that is an edge or a tip, thin
// everywhere.
static const double away = -0.8;

typedef struct search {
    const shoal_shape* shape;
    double             box, most; // m
    double             thinnest;
    shoal_d3           at;
} search;

static shoal_d3 along(shoal_d3 p, shoal_d3 way, double t) { return shoal_d3_add(p, shoal_d3_scale(way, t)); }

// From a place of the surface inwards.
static void measure(search* s, shoal_d3 p, shoal_d3 normal) {
    double least = 0.01 * s->most, gone = least, distance = 0.0;
    while (gone < fmin(s->most, s->thinnest)) {
        distance = shoal_shape_distance(s->shape, along(p, normal, -gone));
        if (distance >= 0.0) break;
        gone += fmax(-distance, least);
    }
    if (!(distance >= 0.0)) return; // still inside
    // the face where it comes out, seen from inside: outside, edges look everywhere
    shoal_d3 other;
    double   wall = gone - distance;
    shoal_shape_distance_normal(s->shape, along(p, normal, -fmax(wall - 0.5 * least, 0.5 * wall)), &other);
    if (shoal_d3_dot(normal, other) > away || wall >= s->thinnest) return;
    s->thinnest = wall;
    s->at       = along(p, normal, -0.5 * wall);
}

static void visit(search* s, shoal_d3 middle, double size) {
    if (fabs(shoal_shape_distance(s->shape, middle)) > 0.87 * size) return; // half of its diagonal
    if (size > s->box) {
        for (int k = 0; k < 8; k++)
            visit(s,
                  along(middle, shoal_d3_make(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0), 0.25 * size),
                  0.5 * size);
        return;
    }
    shoal_d3 p        = middle, normal;
    double   distance = shoal_shape_distance_normal(s->shape, p, &normal);
    for (int k = 0; k < STEPS && fabs(distance) > on_surface * size; k++) {
        p        = along(p, normal, -distance);
        distance = shoal_shape_distance_normal(s->shape, p, &normal);
    }
    if (fabs(distance) > on_surface * size) return;
    // on the surface itself its direction may be anything: asked for a little inside
    double inside = 2.0 * on_surface * size;
    for (int side = -1; side <= 1; side += 2) {
        shoal_d3 q = along(p, normal, side * inside), out;
        distance   = shoal_shape_distance_normal(s->shape, q, &out);
        if (!(distance < 0.0)) continue;
        measure(s, along(q, out, -distance), out);
        return;
    }
}

double shoal_shape_thinnest(const shoal_shape* shape, shoal_box within, double most, shoal_d3* at) {
    const double endless = 1e6;
    shoal_box    box     = shoal_shape_bounds(shape);
    box.min =
        shoal_d3_make(fmax(box.min.x, within.min.x), fmax(box.min.y, within.min.y), fmax(box.min.z, within.min.z));
    box.max =
        shoal_d3_make(fmin(box.max.x, within.max.x), fmin(box.max.y, within.max.y), fmin(box.max.z, within.max.z));
    shoal_d3 extent = shoal_d3_sub(box.max, box.min);
    double   size   = fmax(extent.x, fmax(extent.y, extent.z));
    search   s      = {.shape = shape, .most = most, .thinnest = (double)INFINITY};
    if (!(extent.x > 0.0 && extent.y > 0.0 && extent.z > 0.0) || size > endless || !(most > 0.0)) return s.thinnest;
    s.box = fmax(0.5 * most, size / boxes_most);
    visit(&s, shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5), size);
    if (at) *at = s.at;
    return s.thinnest;
}
