// SPDX-License-Identifier: MIT
// Dipoles bottom up over the tree, then a walk that opens only near nodes. The arc tangent is our
// own: the C library's differs in the last bit from machine to machine, and results must not.
#include "geom/winding.h"

#include "base/memory.h"

// A node is far when its centre is this many radii away [Barill et al. 2018, section 4].
static const float far_radii = 2.0f;

typedef struct moments {
    double area;
    double centre[3]; // times area
    double moment[3];
} moments;

static moments triangle_moments(const shoal_bvh_triangle* t) {
    shoal_d3 a = shoal_d3_from(t->a), ab = shoal_d3_from(t->ab), ac = shoal_d3_from(t->ac);
    shoal_d3 n    = shoal_d3_scale(shoal_d3_cross(ab, ac), 0.5);
    double   area = shoal_d3_length(n);
    shoal_d3 c    = shoal_d3_add(a, shoal_d3_scale(shoal_d3_add(ab, ac), 1.0 / 3.0));
    return (moments){area, {c.x * area, c.y * area, c.z * area}, {n.x, n.y, n.z}};
}

static void moments_add(moments* to, const moments* from) {
    to->area += from->area;
    for (int k = 0; k < 3; k++) {
        to->centre[k] += from->centre[k];
        to->moment[k] += from->moment[k];
    }
}

static shoal_winding_dipole dipole_of(const moments* m, const shoal_bvh_node* node) {
    const float*         low  = node->min;
    const float*         high = node->max;
    shoal_winding_dipole d;
    if (m->area > 0.0) {
        d.centre = shoal_v3_make((float)(m->centre[0] / m->area), (float)(m->centre[1] / m->area),
                                 (float)(m->centre[2] / m->area));
    } else {
        d.centre = shoal_v3_make(0.5f * (low[0] + high[0]), 0.5f * (low[1] + high[1]), 0.5f * (low[2] + high[2]));
    }
    d.moment        = shoal_v3_make((float)m->moment[0], (float)m->moment[1], (float)m->moment[2]);
    shoal_v3 corner = shoal_v3_make(fmaxf(d.centre.x - low[0], high[0] - d.centre.x),
                                    fmaxf(d.centre.y - low[1], high[1] - d.centre.y),
                                    fmaxf(d.centre.z - low[2], high[2] - d.centre.z));
    d.radius        = shoal_v3_length(corner);
    return d;
}

shoal_status shoal_winding_create(const shoal_bvh* bvh, shoal_winding* out) {
    size_t   count = (size_t)bvh->node_count;
    moments* sums  = shoal_alloc(count, sizeof *sums);
    out->bvh       = bvh;
    out->dipoles   = shoal_alloc(count, sizeof *out->dipoles);
    if (!sums || !out->dipoles) {
        shoal_free(sums);
        shoal_winding_free(out);
        return SHOAL_ERR_MEMORY;
    }
    for (int n = bvh->node_count - 1; n >= 0; n--) { // children come after their parent
        const shoal_bvh_node* node = &bvh->nodes[n];
        for (int i = node->first; i < node->first + node->count; i++) {
            moments m = triangle_moments(&bvh->triangles[i]);
            moments_add(&sums[n], &m);
        }
        if (node->count == 0) {
            moments_add(&sums[n], &sums[node->first]);
            moments_add(&sums[n], &sums[node->first + 1]);
        }
        out->dipoles[n] = dipole_of(&sums[n], node);
    }
    shoal_free(sums);
    return SHOAL_OK;
}

void shoal_winding_free(shoal_winding* winding) {
    shoal_free(winding->dipoles);
    winding->dipoles = NULL;
}

// Abramowitz and Stegun 4.4.49 on [0, 1], error below 2e-8; the other octants by symmetry.
static double arc_tangent(double y, double x) {
    double ay = fabs(y), ax = fabs(x), large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    if (!(large > 0.0)) return 0.0;
    double t = small / large, s = t * t;
    double series = -0.0161657367 + s * 0.0028662257;
    series        = 0.0429096138 + s * series;
    series        = -0.0752896400 + s * series;
    series        = 0.1065626393 + s * series;
    series        = -0.1420889944 + s * series;
    series        = 0.1999355085 + s * series;
    series        = -0.3333314528 + s * series;
    double angle  = t + t * s * series;
    if (ay > ax) angle = 0.5 * SHOAL_PI - angle;
    if (x < 0.0) angle = SHOAL_PI - angle;
    return y < 0.0 ? -angle : angle;
}

// Half the solid angle under which p sees the triangle [van Oosterom and Strackee 1983]; positive
// from behind.
static double half_angle(const shoal_bvh_triangle* t, shoal_v3 p) {
    shoal_v3 a = shoal_v3_sub(t->a, p), b = shoal_v3_add(a, t->ab), c = shoal_v3_add(a, t->ac);
    float    la = shoal_v3_length(a), lb = shoal_v3_length(b), lc = shoal_v3_length(c);
    float    volume = shoal_v3_dot(a, shoal_v3_cross(t->ab, t->ac));
    float    along  = la * lb * lc + shoal_v3_dot(a, b) * lc + shoal_v3_dot(b, c) * la + shoal_v3_dot(c, a) * lb;
    return arc_tangent((double)volume, (double)along);
}

double shoal_winding_at(const shoal_winding* winding, shoal_v3 p) {
    const shoal_bvh* bvh = winding->bvh;
    int              stack[SHOAL_BVH_DEPTH], waiting = 0;
    double           half_angles = 0.0, fluxes = 0.0;
    stack[waiting++] = 0;
    while (waiting > 0) {
        int                         at        = stack[--waiting];
        const shoal_winding_dipole* d         = &winding->dipoles[at];
        shoal_v3                    to        = shoal_v3_sub(d->centre, p);
        float                       distance2 = shoal_v3_dot(to, to), near = far_radii * d->radius;
        if (distance2 > near * near) {
            fluxes += (double)(shoal_v3_dot(to, d->moment) / (distance2 * sqrtf(distance2)));
            continue;
        }
        const shoal_bvh_node* node = &bvh->nodes[at];
        for (int i = node->first; i < node->first + node->count; i++) half_angles += half_angle(&bvh->triangles[i], p);
        if (node->count == 0) {
            stack[waiting++] = node->first;
            stack[waiting++] = node->first + 1;
        }
    }
    return half_angles / (2.0 * SHOAL_PI) + fluxes / (4.0 * SHOAL_PI);
}
