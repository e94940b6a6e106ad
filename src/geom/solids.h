// SPDX-License-Identifier: MIT
// Exact signed distances of the primitives, each about the origin of its own frame, y up. `normal`
// receives the gradient, a unit vector everywhere (one of the possible ones where it jumps); NULL:
// not wanted. Solids of revolution are measured in the half plane (r, y), r = |(x, z)|. Lengths by
// sqrt, not hypot, whose last bit differs between machines. Inline, since passes ask them.
#ifndef SHOAL_SOLIDS_H
#define SHOAL_SOLIDS_H

#include "math/vec.h"

typedef struct shoal_flat {
    double r, y;
} shoal_flat;

SHOAL_FN shoal_flat shoal_flat_make(double r, double y) {
    shoal_flat f;
    f.r = r;
    f.y = y;
    return f;
}

SHOAL_FN double shoal_flat_length(shoal_flat a) { return sqrt(a.r * a.r + a.y * a.y); }

SHOAL_FN shoal_flat shoal_flat_profile(shoal_d3 p) { return shoal_flat_make(sqrt(p.x * p.x + p.z * p.z), p.y); }

// A direction of the half plane through p, back in space.
SHOAL_FN shoal_d3 shoal_flat_unfold(shoal_d3 p, double r, shoal_flat g) {
    if (!(r > 0.0)) return shoal_d3_make(g.r, g.y, 0.0);
    return shoal_d3_make(g.r * p.x / r, g.y, g.r * p.z / r);
}

SHOAL_FN double shoal_box_distance(shoal_box box, shoal_d3 p, shoal_d3* normal) {
    // how far beyond the nearer face of each axis, and which face that is
    double past[3], side[3];
    int    most = 0;
    for (int a = 0; a < 3; a++) {
        double x = shoal_d3_axis(p, a), low = shoal_d3_axis(box.min, a) - x, high = x - shoal_d3_axis(box.max, a);
        past[a] = low > high ? low : high;
        side[a] = low > high ? -1.0 : 1.0;
        if (past[a] > past[most]) most = a;
    }
    if (past[most] <= 0.0) {
        if (normal)
            *normal = shoal_d3_make(most == 0 ? side[0] : 0.0, most == 1 ? side[1] : 0.0, most == 2 ? side[2] : 0.0);
        return past[most];
    }
    shoal_d3 out    = shoal_d3_make(fmax(past[0], 0.0), fmax(past[1], 0.0), fmax(past[2], 0.0));
    double   length = shoal_d3_length(out);
    if (normal) *normal = shoal_d3_make(side[0] * out.x / length, side[1] * out.y / length, side[2] * out.z / length);
    return length;
}

SHOAL_FN double shoal_sphere_distance(double radius, shoal_d3 p, shoal_d3* normal) {
    double length = shoal_d3_length(p);
    if (normal) *normal = length > 0.0 ? shoal_d3_scale(p, 1.0 / length) : shoal_d3_make(0.0, 1.0, 0.0);
    return length - radius;
}

SHOAL_FN double shoal_cylinder_distance(double radius, double height, shoal_d3 p, shoal_d3* normal) {
    shoal_flat q    = shoal_flat_profile(p);
    shoal_flat past = {q.r - radius, fabs(q.y) - 0.5 * height};
    double     up   = q.y < 0.0 ? -1.0 : 1.0;
    if (past.r <= 0.0 || past.y <= 0.0) {
        int through_lid = past.y > past.r;
        if (normal)
            *normal = shoal_flat_unfold(p, q.r, through_lid ? shoal_flat_make(0.0, up) : shoal_flat_make(1.0, 0.0));
        return through_lid ? past.y : past.r;
    }
    double length = shoal_flat_length(past);
    if (normal) *normal = shoal_flat_unfold(p, q.r, shoal_flat_make(past.r / length, up * past.y / length));
    return length;
}

// The point of segment a-b nearest to q.
SHOAL_FN shoal_flat shoal_flat_nearest(shoal_flat a, shoal_flat b, shoal_flat q) {
    shoal_flat ab = {b.r - a.r, b.y - a.y};
    double     t  = ((q.r - a.r) * ab.r + (q.y - a.y) * ab.y) / (ab.r * ab.r + ab.y * ab.y);
    t             = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return shoal_flat_make(a.r + t * ab.r, a.y + t * ab.y);
}

SHOAL_FN double shoal_cone_distance(double radius, double height, shoal_d3 p, shoal_d3* normal) {
    shoal_flat q = shoal_flat_profile(p), rim = {radius, 0.0}, tip = {0.0, height}, centre = {0.0, 0.0};
    shoal_flat on_side = shoal_flat_nearest(rim, tip, q), on_base = shoal_flat_nearest(centre, rim, q);
    shoal_flat to_side = {q.r - on_side.r, q.y - on_side.y}, to_base = {q.r - on_base.r, q.y - on_base.y};
    double     side = shoal_flat_length(to_side), base = shoal_flat_length(to_base);
    double     sign = q.y >= 0.0 && q.r * height + q.y * radius <= radius * height ? -1.0 : 1.0;
    double     near = side < base ? side : base;
    if (normal) {
        double     slant = shoal_flat_length(shoal_flat_make(radius, height));
        shoal_flat g     = side < base ? shoal_flat_make(height / slant, radius / slant) : shoal_flat_make(0.0, -1.0);
        shoal_flat to    = side < base ? to_side : to_base;
        if (near > 0.0) g = shoal_flat_make(sign * to.r / near, sign * to.y / near);
        *normal = shoal_flat_unfold(p, q.r, g);
    }
    return sign * near;
}

SHOAL_FN double shoal_capsule_distance(double radius, double height, shoal_d3 p, shoal_d3* normal) {
    double   y = p.y < -0.5 * height ? p.y + 0.5 * height : p.y > 0.5 * height ? p.y - 0.5 * height : 0.0;
    shoal_d3 q = shoal_d3_make(p.x, y, p.z);
    double   d = shoal_sphere_distance(radius, q, normal);
    if (normal && d == -radius) *normal = shoal_d3_make(1.0, 0.0, 0.0); // on the axis: sideways is out
    return d;
}

SHOAL_FN double shoal_torus_distance(double ring, double tube, shoal_d3 p, shoal_d3* normal) {
    shoal_flat q = shoal_flat_profile(p), to = {q.r - ring, q.y};
    double     length = shoal_flat_length(to);
    if (normal)
        *normal = shoal_flat_unfold(
            p, q.r, length > 0.0 ? shoal_flat_make(to.r / length, to.y / length) : shoal_flat_make(0.0, 1.0));
    return length - tube;
}

#endif
