// SPDX-License-Identifier: MIT
#include "geom/shape_cut.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { SIDES_MOST = 6, SPLITS_MOST = 24, HALVINGS = 40 };

// Of a radius: longest edge that is cut by what is round. The chord between two cuts is off by
// 1/1152 of it.
static const double edge_per_radius = 1.0 / 12.0;
// Of the size of the scene: corners nearer to a side lie on it.
static const double on_side = 1e-9;
// The same: faces nearer than this lie in one plane. Vertices are rounded to single precision,
// 6e-8.
static const double same_plane = 1e-6;

// --- lists

static bool is_same(shoal_d3 a, shoal_d3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

void shape_pieces_add(shape_pieces* to, const shape_piece* piece) {
    const shoal_d3* p = piece->at;
    if (is_same(p[0], p[1]) || is_same(p[1], p[2]) || is_same(p[2], p[0])) return; // a cut through a corner
    if (to->count == to->capacity) {
        int capacity = to->capacity ? 2 * to->capacity : 64;
        if (shoal_realloc((void**)&to->items, (size_t)to->count, (size_t)capacity, sizeof *to->items) != SHOAL_OK) {
            to->failed = true;
            return;
        }
        to->capacity = capacity;
    }
    to->items[to->count++] = *piece;
}

void shape_pieces_free(shape_pieces* pieces) {
    shoal_free(pieces->items);
    *pieces = (shape_pieces){0};
}

// --- sides

// Placements on the way from the pieces down to a leaf.
typedef struct frame {
    const placement*    placed;
    const struct frame* up;
} frame;

static shoal_d3 into(const frame* f, shoal_d3 p) {
    if (!f) return p;
    p = shoal_quat_rotate(shoal_quat_conjugate(f->placed->rotation), shoal_d3_sub(into(f->up, p), f->placed->at));
    return shoal_d3_make(p.x / f->placed->scale.x, p.y / f->placed->scale.y, p.z / f->placed->scale.z);
}

static double scale_of(const frame* f) { return f ? f->placed->least * scale_of(f->up) : 1.0; }

static int side_count(const shoal_shape* leaf) {
    return leaf->kind == SHOAL_SHAPE_BOX        ? 6
           : leaf->kind == SHOAL_SHAPE_CYLINDER ? 3
           : leaf->kind == SHOAL_SHAPE_CONE     ? 2
                                                : 1;
}

// Negative inside; it changes by no more than a metre in a metre.
static double side_value(const shoal_shape* leaf, int side, shoal_d3 p) {
    double r = leaf->primitive.round.radius, h = leaf->primitive.round.height, out = hypot(p.x, p.z);
    switch (leaf->kind) {
    case SHOAL_SHAPE_BOX:
        return side % 2 ? shoal_d3_axis(p, side / 2) - shoal_d3_axis(leaf->primitive.box.max, side / 2)
                        : shoal_d3_axis(leaf->primitive.box.min, side / 2) - shoal_d3_axis(p, side / 2);
    case SHOAL_SHAPE_SPHERE:
        return shoal_d3_length(p) - r;
    case SHOAL_SHAPE_CYLINDER:
        return side == 0 ? out - r : (side == 1 ? p.y : -p.y) - 0.5 * h;
    case SHOAL_SHAPE_CONE:
        return side == 0 ? (out * h + p.y * r - r * h) / hypot(r, h) : -p.y;
    case SHOAL_SHAPE_PLANE:
        return shoal_d3_dot(leaf->primitive.plane.normal, p) - leaf->primitive.plane.offset;
    default:
        return shoal_shape_distance(leaf, p);
    }
}

// The smallest radius of a side, m; infinite: it is flat.
static double side_radius(const shoal_shape* leaf, int side) {
    shoal_d3 size = shoal_d3_sub(leaf->bounds.max, leaf->bounds.min);
    switch (leaf->kind) {
    case SHOAL_SHAPE_BOX:
    case SHOAL_SHAPE_PLANE:
        return (double)INFINITY;
    case SHOAL_SHAPE_CYLINDER:
    case SHOAL_SHAPE_CONE:
        return side == 0 ? leaf->primitive.round.radius : (double)INFINITY;
    case SHOAL_SHAPE_TORUS:
        return leaf->primitive.round.height;
    case SHOAL_SHAPE_MESH:
        return 0.1 * fmin(size.x, fmin(size.y, size.z));
    default:
        return leaf->primitive.round.radius;
    }
}

// --- cutting

// One side of a leaf, as pieces see it.
typedef struct knife {
    const shoal_shape* leaf;
    int                side;
    const frame*       frame;
    double             scale, edge; // m of the pieces per m of the leaf; longest edge that is cut, m
    double             shift, reach;
} knife;

static shoal_d3 off_of(const knife* k, const shape_piece* p) {
    shoal_d3 n      = shoal_d3_cross(shoal_d3_sub(p->at[1], p->at[0]), shoal_d3_sub(p->at[2], p->at[0]));
    double   length = shoal_d3_length(n), far = 1.5 * p->off + same_plane * k->reach;
    return shoal_d3_scale(n, length > 0.0 ? k->shift * far / length : 0.0);
}

static double value_at(const knife* k, shoal_d3 p) {
    return k->scale * side_value(k->leaf, k->side, into(k->frame, p));
}

static shoal_d3 between(shoal_d3 a, shoal_d3 b, double t) {
    return shoal_d3_add(a, shoal_d3_scale(shoal_d3_sub(b, a), t));
}

// The fraction of the way from a to b at which a function that changes sign there is 0; exact at once
// where it is linear.
static double crossing(const knife* k, shoal_d3 a, shoal_d3 b, double at_a, double at_b) {
    double low = 0.0, high = 1.0, t = at_a / (at_a - at_b);
    if (isinf(k->edge)) return t;
    for (int i = 0; i < HALVINGS; i++) {
        double value = value_at(k, between(a, b, t));
        if (value == 0.0) break;
        if ((value < 0.0) == (at_a < 0.0))
            low = t;
        else
            high = t;
        t = 0.5 * (low + high);
    }
    return t;
}

static shape_piece corners(const shape_piece* p, const shoal_d3 at[3], const shoal_d3 normal[3]) {
    return (shape_piece){{at[0], at[1], at[2]}, {normal[0], normal[1], normal[2]}, p->off};
}

// The piece with its corner `alone` on one side of the knife and the two others on the other.
static void cut_corner(const knife* k, const shape_piece* p, const double value[3], shoal_d3 off, int alone,
                       shape_pieces* to, shape_pieces* rest) {
    int      b = (alone + 1) % 3, c = (alone + 2) % 3;
    shoal_d3 at[2], normal[2];
    for (int e = 0; e < 2; e++) {
        int    other = e ? c : b;
        double t =
            crossing(k, shoal_d3_add(p->at[alone], off), shoal_d3_add(p->at[other], off), value[alone], value[other]);
        at[e]     = between(p->at[alone], p->at[other], t);
        normal[e] = between(p->normal[alone], p->normal[other], t);
    }
    if (to) {
        shape_piece tip =
            corners(p, (shoal_d3[]){p->at[alone], at[0], at[1]}, (shoal_d3[]){p->normal[alone], normal[0], normal[1]});
        shape_pieces_add(to, &tip);
    }
    if (!rest) return;
    shape_piece one =
        corners(p, (shoal_d3[]){at[0], p->at[b], p->at[c]}, (shoal_d3[]){normal[0], p->normal[b], p->normal[c]});
    shape_piece two =
        corners(p, (shoal_d3[]){at[0], p->at[c], at[1]}, (shoal_d3[]){normal[0], p->normal[c], normal[1]});
    shape_pieces_add(rest, &one);
    shape_pieces_add(rest, &two);
}

// Halves by the middle of the longest edge, which both pieces beside it find alike.
static void halve(const shape_piece* p, int edge, shape_piece half[2]) {
    int      b      = (edge + 1) % 3;
    shoal_d3 middle = between(p->at[edge], p->at[b], 0.5), normal = between(p->normal[edge], p->normal[b], 0.5);
    half[0] = half[1]    = *p;
    half[0].at[b]        = middle;
    half[0].normal[b]    = normal;
    half[1].at[edge]     = middle;
    half[1].normal[edge] = normal;
}

static void cut(const knife* k, const shape_piece* p, int splits, shape_pieces* inside, shape_pieces* outside) {
    shoal_d3 off = off_of(k, p);
    double   length[3], value[3];
    int      within = 0, beyond = 0, longest = 0;
    for (int e = 0; e < 3; e++) {
        length[e] = shoal_d3_length(shoal_d3_sub(p->at[(e + 1) % 3], p->at[e]));
        value[e]  = value_at(k, shoal_d3_add(p->at[e], off));
        if (fabs(value[e]) < on_side * k->reach) value[e] = 0.0;
        within += value[e] < 0.0;
        beyond += value[e] > 0.0;
        if (length[e] > length[longest]) longest = e;
    }
    // what is round may pass between corners of a large piece, but not where it is farther than
    // that reaches
    double far    = length[longest];
    bool   is_far = value[0] > far || value[0] < -far;
    if (length[longest] > k->edge && !is_far && splits < SPLITS_MOST) {
        shape_piece half[2];
        halve(p, longest, half);
        cut(k, &half[0], splits + 1, inside, outside);
        cut(k, &half[1], splits + 1, inside, outside);
        return;
    }
    if (beyond == 0 && within > 0 && inside) shape_pieces_add(inside, p);
    if (within == 0 && outside) shape_pieces_add(outside, p);
    for (int e = 0; e < 3 && beyond > 0; e++) {
        if (within == 1 && value[e] < 0.0) cut_corner(k, p, value, off, e, inside, outside);
        if (within == 2 && !(value[e] < 0.0)) cut_corner(k, p, value, off, e, outside, inside);
    }
}

// --- shapes

static void part(const shoal_shape* shape, const frame* f, const shape_pieces* pieces, double shift, double reach,
                 shape_pieces* inside, shape_pieces* outside);

static void part_by_leaf(const shoal_shape* leaf, const frame* f, const shape_pieces* pieces, double shift,
                         double reach, shape_pieces* inside, shape_pieces* outside) {
    shape_pieces left = {0};
    for (int side = 0; side < side_count(leaf); side++) {
        shape_pieces        next  = {0};
        double              scale = scale_of(f), radius = side_radius(leaf, side);
        knife               k    = {leaf, side, f, scale, edge_per_radius * scale * radius, shift, reach};
        const shape_pieces* from = side == 0 ? pieces : &left;
        for (int i = 0; i < from->count; i++) cut(&k, &from->items[i], 0, &next, outside);
        next.failed |= left.failed;
        shape_pieces_free(&left);
        left = next;
    }
    for (int i = 0; i < left.count && inside; i++) shape_pieces_add(inside, &left.items[i]);
    if (inside)
        inside->failed |= left.failed;
    else if (outside)
        outside->failed |= left.failed;
    shape_pieces_free(&left);
}

// Each child takes its fraction of the remainder: that inside it of a union and of the subtracted part,
// that outside of an intersection.
static void part_by_children(const combination* c, const frame* f, const shape_pieces* pieces, double shift,
                             double reach, shape_pieces* inside, shape_pieces* outside) {
    shape_pieces        left = {0};
    const shape_pieces* from = pieces;
    for (int k = 0; k < c->count; k++) {
        shape_pieces next         = {0};
        bool         keeps_inside = c->how == SHOAL_INTERSECT || (c->how == SHOAL_SUBTRACT && k == 0);
        if (keeps_inside)
            part(c->children[k], f, from, shift, reach, &next, outside);
        else
            part(c->children[k], f, from, shift, reach, c->how == SHOAL_UNION ? inside : outside, &next);
        next.failed |= left.failed;
        shape_pieces_free(&left);
        left = next;
        from = &left;
    }
    shape_pieces* to = c->how == SHOAL_UNION ? outside : inside;
    for (int i = 0; i < left.count && to; i++) shape_pieces_add(to, &left.items[i]);
    if (left.failed) *(inside ? &inside->failed : &outside->failed) = true;
    shape_pieces_free(&left);
}

// Pieces that cannot meet the shape go by at once.
static bool is_beyond(const shoal_shape* shape, const frame* f, const shape_piece* p, double reach) {
    shoal_box box = shoal_box_empty();
    for (int e = 0; e < 3; e++) box = shoal_box_with(box, into(f, p->at[e]));
    return !shoal_box_meets(shoal_box_grown(box, (2.0 * p->off + 4.0 * same_plane * reach) / scale_of(f)),
                            shape->bounds);
}

static void part(const shoal_shape* shape, const frame* f, const shape_pieces* pieces, double shift, double reach,
                 shape_pieces* inside, shape_pieces* outside) {
    shape_pieces near = {0};
    for (int i = 0; i < pieces->count; i++) {
        const shape_piece* p = &pieces->items[i];
        if (!is_beyond(shape, f, p, reach))
            shape_pieces_add(&near, p);
        else if (outside)
            shape_pieces_add(outside, p);
    }
    near.failed |= pieces->failed;
    frame below = {&shape->placed, f};
    if (near.count == 0) {
        if (near.failed) *(inside ? &inside->failed : &outside->failed) = true;
    } else if (shape->kind == SHOAL_SHAPE_PLACED)
        part(shape->placed.child, &below, &near, shift, reach, inside, outside);
    else if (shape->kind == SHOAL_SHAPE_COMBINED)
        part_by_children(&shape->combined, f, &near, shift, reach, inside, outside);
    else
        part_by_leaf(shape, f, &near, shift, reach, inside, outside);
    shape_pieces_free(&near);
}

void shape_part(const shoal_shape* shape, const shape_pieces* pieces, double shift, double reach, shape_pieces* inside,
                shape_pieces* outside) {
    part(shape, NULL, pieces, shift, reach, inside, outside);
}
