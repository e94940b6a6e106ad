// SPDX-License-Identifier: MIT
// Distances of the primitives. Solids of revolution are measured in the half plane (r, y), r = |(x,
// z)|. Lengths by sqrt, not hypot, whose last bit differs between machines.
#include "geom/solids.h"

#include <stddef.h>

typedef struct flat {
    double r, y;
} flat;

static double flat_length(flat a) { return sqrt(a.r * a.r + a.y * a.y); }

static flat profile(shoal_d3 p) { return (flat){sqrt(p.x * p.x + p.z * p.z), p.y}; }

// A direction of the half plane through p, back in space.
static shoal_d3 unfold(shoal_d3 p, double r, flat g) {
    if (!(r > 0.0)) return shoal_d3_make(g.r, g.y, 0.0);
    return shoal_d3_make(g.r * p.x / r, g.y, g.r * p.z / r);
}

double shoal_box_distance(shoal_box box, shoal_d3 p, shoal_d3* normal) {
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

double shoal_sphere_distance(double radius, shoal_d3 p, shoal_d3* normal) {
    double length = shoal_d3_length(p);
    if (normal) *normal = length > 0.0 ? shoal_d3_scale(p, 1.0 / length) : shoal_d3_make(0.0, 1.0, 0.0);
    return length - radius;
}

double shoal_cylinder_distance(double radius, double height, shoal_d3 p, shoal_d3* normal) {
    flat   q    = profile(p);
    flat   past = {q.r - radius, fabs(q.y) - 0.5 * height};
    double up   = q.y < 0.0 ? -1.0 : 1.0;
    if (past.r <= 0.0 || past.y <= 0.0) {
        int through_lid = past.y > past.r;
        if (normal) *normal = unfold(p, q.r, through_lid ? (flat){0.0, up} : (flat){1.0, 0.0});
        return through_lid ? past.y : past.r;
    }
    double length = flat_length(past);
    if (normal) *normal = unfold(p, q.r, (flat){past.r / length, up * past.y / length});
    return length;
}

// The point of segment a-b nearest to q.
static flat nearest_on(flat a, flat b, flat q) {
    flat   ab = {b.r - a.r, b.y - a.y};
    double t  = ((q.r - a.r) * ab.r + (q.y - a.y) * ab.y) / (ab.r * ab.r + ab.y * ab.y);
    t         = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return (flat){a.r + t * ab.r, a.y + t * ab.y};
}

double shoal_cone_distance(double radius, double height, shoal_d3 p, shoal_d3* normal) {
    flat   q = profile(p), rim = {radius, 0.0}, tip = {0.0, height}, centre = {0.0, 0.0};
    flat   on_side = nearest_on(rim, tip, q), on_base = nearest_on(centre, rim, q);
    flat   to_side = {q.r - on_side.r, q.y - on_side.y}, to_base = {q.r - on_base.r, q.y - on_base.y};
    double side = flat_length(to_side), base = flat_length(to_base);
    double sign = q.y >= 0.0 && q.r * height + q.y * radius <= radius * height ? -1.0 : 1.0;
    double near = side < base ? side : base;
    if (normal) {
        double slant = flat_length((flat){radius, height});
        flat   g     = side < base ? (flat){height / slant, radius / slant} : (flat){0.0, -1.0};
        flat   to    = side < base ? to_side : to_base;
        if (near > 0.0) g = (flat){sign * to.r / near, sign * to.y / near};
        *normal = unfold(p, q.r, g);
    }
    return sign * near;
}

double shoal_capsule_distance(double radius, double height, shoal_d3 p, shoal_d3* normal) {
    double   y = p.y < -0.5 * height ? p.y + 0.5 * height : p.y > 0.5 * height ? p.y - 0.5 * height : 0.0;
    shoal_d3 q = shoal_d3_make(p.x, y, p.z);
    double   d = shoal_sphere_distance(radius, q, normal);
    if (normal && d == -radius) *normal = shoal_d3_make(1.0, 0.0, 0.0); // on the axis: sideways is out
    return d;
}

double shoal_torus_distance(double ring, double tube, shoal_d3 p, shoal_d3* normal) {
    flat   q = profile(p), to = {q.r - ring, q.y};
    double length = flat_length(to);
    if (normal) *normal = unfold(p, q.r, length > 0.0 ? (flat){to.r / length, to.y / length} : (flat){0.0, 1.0});
    return length - tube;
}
