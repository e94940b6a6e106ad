// SPDX-License-Identifier: MIT
// Boxes of a union that touch, or overlap by little. The smallest of their distances is right outside, but inside it
// tells the way to a face that another box covers: zero on the seam between two that touch, where nothing is outside.
// A particle that has come in there is pushed from one box into the other and falls along the seam. So wherever two
// boxes make a larger one, that box counts inside as well: it is part of the union, and its faces are those that are
// seen.
#include "geom/shape_local.h"

#include "base/memory.h"

// Of the size of the union: nearer boxes touch.
static const double touching = 1e-9;
enum { JOINS_MOST = 64 };

static bool as_box(const shoal_shape* s, shoal_box* out) {
    *out = s->bounds;
    if (s->kind == SHOAL_SHAPE_BOX) return true;
    const shoal_quat* turn = &s->placed.rotation;
    return s->kind == SHOAL_SHAPE_PLACED && s->placed.child->kind == SHOAL_SHAPE_BOX && turn->x == 0.0 &&
           turn->y == 0.0 && turn->z == 0.0;
}

static bool holds(shoal_box a, shoal_box b) { return shoal_box_holds(a, b.min) && shoal_box_holds(a, b.max); }

// What both have across an axis, from the start of the one to the end of the other along it.
static bool joined(shoal_box a, shoal_box b, int axis, double near, shoal_box* out) {
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        double from[2] = {shoal_d3_axis(a.min, k), shoal_d3_axis(b.min, k)},
               to[2]   = {shoal_d3_axis(a.max, k), shoal_d3_axis(b.max, k)};
        low[k] = fmax(from[0], from[1]), high[k] = fmin(to[0], to[1]);
        if (high[k] - low[k] < (k == axis ? -near : near)) return false;
        if (k == axis) low[k] = fmin(from[0], from[1]), high[k] = fmax(to[0], to[1]);
    }
    *out = (shoal_box){shoal_d3_make(low[0], low[1], low[2]), shoal_d3_make(high[0], high[1], high[2])};
    return true;
}

shoal_status shape_join(combination* c, shoal_box bounds) {
    shoal_box boxes[JOINS_MOST];
    int       count = 0, own;
    for (int i = 0; i < c->count && count < JOINS_MOST; i++) count += as_box(c->children[i], &boxes[count]);
    c->near = touching * shoal_d3_length(shoal_d3_sub(bounds.max, bounds.min));
    own     = count;
    // those that are found are joined with the others in turn
    for (int i = 1; i < count; i++)
        for (int j = 0; j < i; j++)
            for (int axis = 0; axis < 3 && count < JOINS_MOST; axis++) {
                bool is_new = joined(boxes[i], boxes[j], axis, c->near, &boxes[count]);
                for (int k = 0; k < count && is_new; k++) is_new = !holds(boxes[k], boxes[count]);
                count += is_new;
            }
    if (count == own) return SHOAL_OK;
    c->joins = shoal_alloc((size_t)(count - own), sizeof *c->joins);
    if (!c->joins) return SHOAL_ERR_MEMORY;
    for (int k = own; k < count; k++) c->joins[c->join_count++] = boxes[k];
    return SHOAL_OK;
}
