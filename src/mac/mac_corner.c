// SPDX-License-Identifier: MIT
// Faces are clipped by one straight edge after another, so that flat solids close what they do
// exactly, and what flows along them goes into none.
#include "mac/mac_corner.h"

#include <math.h>

#include "grid/fraction.h"

mac_corner mac_corner_of(const shoal_mac* m, const shoal_world* world, int at, float hair) {
    double     dx    = (double)m->def.dx;
    shoal_d3   first = shoal_d3_from(shoal_mac_place(m, at, 0.0f, 0.0f, 0.0f));
    shoal_box  box   = {first, shoal_d3_add(first, shoal_d3_make(dx, dx, dx))};
    mac_corner out   = {.count = 0};
    for (int c = 0; c < world->collider_count && out.count < MAC_CORNER_SOLIDS; c++) {
        const shoal_collider* solid    = &world->colliders[c];
        float*                distance = out.distance[out.count];
        bool                  reaches  = false;
        if (!shoal_box_meets(shoal_box_grown(box, (double)hair * dx), solid->bounds)) continue;
        for (int k = 0; k < 8; k++) {
            shoal_d3 corner = shoal_d3_add(first, shoal_d3_make((k & 1) * dx, (k >> 1 & 1) * dx, (k >> 2) * dx));
            distance[k]     = (float)(shoal_collider_distance(solid, corner, NULL) / dx) - hair;
            reaches         = reaches || distance[k] < 0.0f;
        }
        if (reaches) out.solid[out.count++] = solid;
    }
    return out;
}

// ---------------------------------------------------------------------------------- faces

// What is left of a face, a convex polygon.
typedef struct rest {
    int   count;
    float x[4 + MAC_CORNER_SOLIDS], y[4 + MAC_CORNER_SOLIDS];
    float share; // of its area, where a solid has left more than a polygon
} rest;

static float area_of(const rest* r) {
    float sum = 0.0f;
    for (int k = 0; k < r->count; k++) {
        int next = (k + 1) % r->count;
        sum += r->x[k] * r->y[next] - r->x[next] * r->y[k];
    }
    return 0.5f * sum * r->share;
}

// Keeps what is left of the way from a to b.
static rest left_of(const rest* r, const float a[2], const float b[2]) {
    rest  out = {.count = 0, .share = r->share};
    float side[4 + MAC_CORNER_SOLIDS];
    for (int k = 0; k < r->count; k++) side[k] = (b[0] - a[0]) * (r->y[k] - a[1]) - (b[1] - a[1]) * (r->x[k] - a[0]);
    for (int k = 0; k < r->count; k++) {
        int next = (k + 1) % r->count;
        if (side[k] >= 0.0f) {
            out.x[out.count]   = r->x[k];
            out.y[out.count++] = r->y[k];
        }
        if ((side[k] >= 0.0f) == (side[next] >= 0.0f)) continue;
        float part         = side[k] / (side[k] - side[next]);
        out.x[out.count]   = r->x[k] + part * (r->x[next] - r->x[k]);
        out.y[out.count++] = r->y[k] + part * (r->y[next] - r->y[k]);
    }
    return out;
}

// What a solid leaves, by distances at the corners of the face in cyclic order.
static rest clipped(const rest* r, const float v[4]) {
    static const float corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    float              from[2] = {0, 0}, to[2] = {0, 0}, open = shoal_face_open(v[0], v[1], v[2], v[3]);
    int                crossings = 0;
    rest               out       = *r;
    for (int k = 0; k < 4; k++) {
        int next = (k + 1) % 4;
        if ((v[k] < 0.0f) == (v[next] < 0.0f)) continue;
        float part = v[k] / (v[k] - v[next]), *end = v[k] < 0.0f ? to : from;
        for (int a = 0; a < 2; a++) end[a] = corner[k][a] + part * (corner[next][a] - corner[k][a]);
        crossings++;
    }
    float way = fabsf(to[0] - from[0]) + fabsf(to[1] - from[1]);
    if (crossings == 2 && way > 1e-6f) return left_of(r, from, to);
    out.share *= open;
    return out;
}

float mac_corner_face(const mac_corner* c, int axis, float closed[MAC_CORNER_SOLIDS]) {
    int   a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3;
    rest  left = {4, {0, 1, 1, 0}, {0, 0, 1, 1}, 1};
    float area = 1.0f;
    for (int n = 0; n < c->count; n++) {
        const float* d    = c->distance[n];
        const float  v[4] = {d[0], d[a], d[a + b], d[b]};
        left              = clipped(&left, v);
        float now         = fminf(fmaxf(area_of(&left), 0.0f), area);
        closed[n]         = area - now;
        area              = now;
    }
    return area;
}

// Each solid by the distance of the middle, as everywhere; what meets at right angles leaves the
// product.
float mac_corner_volume(const mac_corner* c) {
    float open = 1.0f;
    for (int n = 0; n < c->count; n++) {
        const float* d   = c->distance[n];
        float        sum = ((d[0] + d[1]) + (d[2] + d[3])) + ((d[4] + d[5]) + (d[6] + d[7]));
        open *= fminf(fmaxf(0.125f * sum + 0.5f, 0.0f), 1.0f);
    }
    return open;
}
