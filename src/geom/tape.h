// SPDX-License-Identifier: MIT
// A shape as a value: the nodes of its tree on a tape, parents ahead of their children, and behind them the samples of
// its meshes, in one block that holds no pointers and may be copied anywhere. Distances are those of the tree
// (geom/shape.h) to the bit, by the same operations, without recursion and without calls out of this header: what a
// pass asks of solids. The tree is for building, and the oracle.
#ifndef SHOAL_TAPE_H
#define SHOAL_TAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "geom/solids.h"

typedef enum shoal_shape_kind {
    SHOAL_SHAPE_BOX,
    SHOAL_SHAPE_SPHERE,
    SHOAL_SHAPE_CYLINDER,
    SHOAL_SHAPE_CONE,
    SHOAL_SHAPE_CAPSULE,
    SHOAL_SHAPE_TORUS,
    SHOAL_SHAPE_PLANE,
    SHOAL_SHAPE_MESH,
    SHOAL_SHAPE_PLACED, // has one child
    SHOAL_SHAPE_COMBINED
} shoal_shape_kind;

typedef enum shoal_combine {
    SHOAL_UNION,
    SHOAL_INTERSECT,
    SHOAL_SUBTRACT,
    SHOAL_CLEARED // the first, as far away as it says itself or as the second does, samples of its distance
} shoal_combine;

enum { SHOAL_SHAPE_DEPTH = 64 }; // of a tree

// Coordinates are held within this, so that squares stay finite.
#define SHOAL_FAR_AWAY 1e30

// Samples of a signed distance, x fastest, negative inside.
typedef struct shoal_distances {
    int      nx, ny, nz;
    shoal_d3 origin; // place of sample (0, 0, 0)
    double   cell;   // m; distance of samples
} shoal_distances;

typedef union shoal_primitive {
    shoal_box box;
    struct {
        double radius, height; // torus: ring and tube
    } round;
    struct {
        shoal_d3 normal;
        double   offset;
    } plane;
} shoal_primitive;

typedef struct shoal_tape_node {
    shoal_shape_kind kind;
    union {
        shoal_primitive primitive;
        struct {
            shoal_distances grid;
            size_t          samples; // where they begin, bytes from the start of the tape
        } mesh;
        struct {
            shoal_d3   scale;
            double     least; // smallest size of the three scales
            shoal_quat rotation;
            shoal_d3   at;
        } placed;
        struct {
            shoal_combine how;
            int           count; // of its children
            int           joins; // boxes that follow them: what two or more boxes of a union make together
            double        near;  // m; a place nearer to a child may be on a seam
        } combined;
    };
} shoal_tape_node;

typedef struct shoal_tape {
    size_t    bytes; // of all, with the nodes and samples that follow
    shoal_box bounds;
} shoal_tape;

// ---------------------------------------------------------------------------------- pieces, which the tree shares

SHOAL_FN double shoal_held(double x) {
    return x < -SHOAL_FAR_AWAY ? -SHOAL_FAR_AWAY : x > SHOAL_FAR_AWAY ? SHOAL_FAR_AWAY : x;
}
SHOAL_FN shoal_d3 shoal_held3(shoal_d3 p) { return shoal_d3_make(shoal_held(p.x), shoal_held(p.y), shoal_held(p.z)); }

SHOAL_FN shoal_d3 shoal_divided(shoal_d3 a, shoal_d3 b) { return shoal_d3_make(a.x / b.x, a.y / b.y, a.z / b.z); }

SHOAL_FN shoal_d3 shoal_unit_or_up(shoal_d3 v) {
    double length = shoal_d3_length(v);
    return length > 0.0 ? shoal_d3_scale(v, 1.0 / length) : shoal_d3_make(0.0, 1.0, 0.0);
}

SHOAL_FN double shoal_mix(double a, double b, double t) { return a + (b - a) * t; }
SHOAL_FN double shoal_clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// Whether what one more child says is that of the combination, so far `best`. Samples do not decide on which side of
// the surface a place is.
SHOAL_FN bool shoal_combine_wins(shoal_combine how, double d, double best) {
    return how == SHOAL_UNION       ? d < best
           : how == SHOAL_INTERSECT ? d > best
           : how == SHOAL_SUBTRACT  ? -d > best
                                    : best > 0.0 && d > best;
}

// Trilinear between samples, and its gradient (not of length one; NULL: not wanted). Outside the
// grid: the value at the nearest point of the grid plus the distance to that point.
SHOAL_FN double shoal_distances_at(const shoal_distances* grid, const float* values, shoal_d3 p, shoal_d3* gradient) {
    shoal_d3 q = shoal_d3_scale(shoal_d3_sub(p, grid->origin), 1.0 / grid->cell);
    shoal_d3 c = shoal_d3_make(shoal_clamp(q.x, 0.0, grid->nx - 1), shoal_clamp(q.y, 0.0, grid->ny - 1),
                               shoal_clamp(q.z, 0.0, grid->nz - 1));
    int      i = (int)fmin(c.x, (double)(grid->nx - 2)), j = (int)fmin(c.y, (double)(grid->ny - 2)),
        k          = (int)fmin(c.z, (double)(grid->nz - 2));
    double       x = c.x - i, y = c.y - j, z = c.z - k;
    size_t       row = (size_t)grid->nx, sheet = row * (size_t)grid->ny;
    const float* v = values + (size_t)i + row * (size_t)j + sheet * (size_t)k;

    double v000 = (double)v[0], v100 = (double)v[1], v010 = (double)v[row], v110 = (double)v[row + 1],
           v001 = (double)v[sheet], v101 = (double)v[sheet + 1], v011 = (double)v[sheet + row],
           v111 = (double)v[sheet + row + 1];
    double y0z0 = shoal_mix(v000, v100, x), y1z0 = shoal_mix(v010, v110, x), y0z1 = shoal_mix(v001, v101, x),
           y1z1 = shoal_mix(v011, v111, x);
    double z0 = shoal_mix(y0z0, y1z0, y), z1 = shoal_mix(y0z1, y1z1, y);

    shoal_d3 past    = shoal_d3_scale(shoal_d3_sub(q, c), grid->cell);
    double   outside = shoal_d3_length(past);
    if (gradient) {
        shoal_d3 slope =
            shoal_d3_make(shoal_mix(shoal_mix(v100 - v000, v110 - v010, y), shoal_mix(v101 - v001, v111 - v011, y), z),
                          shoal_mix(y1z0 - y0z0, y1z1 - y0z1, z), z1 - z0);
        slope     = shoal_d3_scale(slope, 1.0 / grid->cell);
        *gradient = slope;
        if (outside > 0.0) // across a face of the grid only the way out counts
            *gradient = shoal_d3_add(shoal_d3_scale(past, 1.0 / outside),
                                     shoal_d3_make(past.x != 0.0 ? 0.0 : slope.x, past.y != 0.0 ? 0.0 : slope.y,
                                                   past.z != 0.0 ? 0.0 : slope.z));
    }
    return shoal_mix(z0, z1, z) + outside;
}

SHOAL_FN double shoal_primitive_distance(shoal_shape_kind kind, const shoal_primitive* s, shoal_d3 p,
                                         shoal_d3* normal) {
    switch (kind) {
    case SHOAL_SHAPE_BOX:
        return shoal_box_distance(s->box, p, normal);
    case SHOAL_SHAPE_SPHERE:
        return shoal_sphere_distance(s->round.radius, p, normal);
    case SHOAL_SHAPE_CYLINDER:
        return shoal_cylinder_distance(s->round.radius, s->round.height, p, normal);
    case SHOAL_SHAPE_CONE:
        return shoal_cone_distance(s->round.radius, s->round.height, p, normal);
    case SHOAL_SHAPE_CAPSULE:
        return shoal_capsule_distance(s->round.radius, s->round.height, p, normal);
    case SHOAL_SHAPE_TORUS:
        return shoal_torus_distance(s->round.radius, s->round.height, p, normal);
    case SHOAL_SHAPE_PLANE:
        if (normal) *normal = s->plane.normal;
        return shoal_d3_dot(s->plane.normal, p) - s->plane.offset;
    default:
        return SHOAL_FAR_AWAY;
    }
}

// ---------------------------------------------------------------------------------- the tape

SHOAL_FN double shoal_tape_leaf(const shoal_tape* tape, const shoal_tape_node* n, shoal_d3 p, shoal_d3* normal) {
    if (n->kind != SHOAL_SHAPE_MESH) return shoal_primitive_distance(n->kind, &n->primitive, p, normal);
    const void* samples = (const char*)tape + n->mesh.samples;
    double      d       = shoal_distances_at(&n->mesh.grid, (const float*)samples, p, normal);
    if (normal) *normal = shoal_unit_or_up(*normal);
    return d;
}

// A node above the one that is being asked.
typedef struct shoal_tape_frame {
    const shoal_tape_node* node;
    shoal_d3               p; // where it was asked
    int                    asked;
    double                 best; // of the children that were asked
    shoal_d3               normal;
} shoal_tape_frame;

// What one more child of a combination says.
SHOAL_FN void shoal_tape_combine(shoal_tape_frame* f, double d, shoal_d3 normal) {
    shoal_combine how  = f->node->combined.how;
    bool          wins = shoal_combine_wins(how, d, f->best);
    if (f->asked++ == 0) {
        f->best   = d;
        f->normal = normal;
    } else if (wins) {
        f->best   = how == SHOAL_SUBTRACT ? -d : d;
        f->normal = how == SHOAL_SUBTRACT ? shoal_d3_scale(normal, -1.0) : normal;
    }
}

// The boxes that others of a union make together lie inside, so outside they are never nearer.
SHOAL_FN void shoal_tape_join(shoal_tape_frame* f, const shoal_tape_node* joins, bool is_normal_wanted) {
    shoal_d3 normal = f->normal;
    for (int k = 0; k < f->node->combined.joins && f->best < f->node->combined.near; k++) {
        double d = shoal_box_distance(joins[k].primitive.box, f->p, is_normal_wanted ? &normal : NULL);
        if (d >= f->best) continue;
        f->best   = d;
        f->normal = normal;
    }
}

// Signed distance and, unless `normal` is NULL, the outward unit normal: as shoal_shape_distance and
// shoal_shape_distance_normal.
SHOAL_FN double shoal_tape_distance(const shoal_tape* tape, shoal_d3 p, shoal_d3* normal) {
    const shoal_tape_node* next = (const shoal_tape_node*)(const void*)(tape + 1);
    shoal_tape_frame       above[SHOAL_SHAPE_DEPTH];
    int                    depth = 0;
    shoal_d3               got   = shoal_d3_make(0.0, 1.0, 0.0);
    p                            = shoal_held3(p);
    for (;;) {
        // down to a leaf
        const shoal_tape_node* n = next++;
        if (n->kind >= SHOAL_SHAPE_PLACED) {
            shoal_tape_frame* f = &above[depth++];
            f->node             = n;
            f->p                = p;
            f->asked            = 0;
            f->best             = 0.0;
            if (n->kind == SHOAL_SHAPE_PLACED)
                p = shoal_held3(shoal_divided(
                    shoal_quat_rotate(shoal_quat_conjugate(n->placed.rotation), shoal_d3_sub(p, n->placed.at)),
                    n->placed.scale));
            continue;
        }
        double d = shoal_tape_leaf(tape, n, p, normal ? &got : NULL);

        // up as far as nothing is left to be asked
        bool is_up = depth == 0;
        while (depth > 0) {
            shoal_tape_frame* f = &above[depth - 1];
            n                   = f->node;
            if (n->kind == SHOAL_SHAPE_PLACED) {
                // distances shrink at most by the least scale: exact when all are alike, else a bound from below
                if (normal)
                    got = shoal_unit_or_up(shoal_quat_rotate(n->placed.rotation, shoal_divided(got, n->placed.scale)));
                d *= n->placed.least;
            } else {
                shoal_tape_combine(f, d, got);
                p = f->p;
                if (f->asked < n->combined.count) break;
                shoal_tape_join(f, next, normal != NULL);
                next += n->combined.joins;
                d   = f->best;
                got = f->normal;
            }
            is_up = --depth == 0;
        }
        if (!is_up) continue;
        if (normal) *normal = got;
        return d;
    }
}

#endif
