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

// Distance of the plane that node `from` of a cell sees at another place, in half cells from its first corner.
static float plane_at(const mac_thin_nodes* nodes, int from, int x, int y, int z) {
    const float* n = nodes->normal[from];
    return nodes->distance[from] +
           0.5f * (n[0] * (float)(x - from % 3) + n[1] * (float)(y - from / 3 % 3) + n[2] * (float)(z - from / 9));
}

// Whether a plane is nowhere nearer to the nodes of a set than what they see.
static bool is_behind(const mac_thin_nodes* nodes, int from, uint32_t set) {
    const float tolerance = 0.05f; // cells
    for (; set; set &= set - 1) {
        int k = __builtin_ctz(set);
        if (plane_at(nodes, from, k % 3, k / 3 % 3, k / 9) < nodes->distance[k] - tolerance) return false;
    }
    return true;
}

static bool is_new(const mac_thin_nodes* nodes, int k, const int seen_by[], int count) {
    const float alike = 0.95f; // cosine of 18 degrees
    for (int n = 0; n < count; n++) {
        const float *a = nodes->normal[k], *b = nodes->normal[seen_by[n]];
        if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > alike) return false;
    }
    return true;
}

// At inner edges no node of the part is nearer to a plane that another sees than to its own. Nodes in the solid see
// planes as well: the last of a groove is behind all of the part's.
mac_corner mac_corner_of_part(const mac_thin_nodes* nodes, uint32_t part) {
    const mac_corner none = {.count = 0};
    int              seen_by[MAC_CORNER_SOLIDS];
    mac_corner       out = none;
    for (int n = 0; n < 2 * MAC_THIN_NODES; n++) {
        int  k      = n % MAC_THIN_NODES;
        bool is_own = part >> k & 1u;
        if (is_own != (n < MAC_THIN_NODES)) continue;
        if (!is_new(nodes, k, seen_by, out.count)) continue;
        bool fits = is_behind(nodes, k, part);
        if (is_own && (!fits || out.count == MAC_CORNER_SOLIDS)) return none;
        if (fits && out.count < MAC_CORNER_SOLIDS) seen_by[out.count++] = k;
    }
    if (out.count < 2) return none;
    for (int n = 0; n < out.count; n++)
        for (int c = 0; c < 8; c++)
            out.distance[n][c] = plane_at(nodes, seen_by[n], 2 * (c & 1), 2 * (c >> 1 & 1), 2 * (c >> 2));
    return out;
}

// ---------------------------------------------------------------------------------- faces

// What is left of a face, a convex polygon.
typedef struct rest {
    int   count;
    float x[4 + MAC_CORNER_SOLIDS], y[4 + MAC_CORNER_SOLIDS];
    float fraction; // of its area, where a solid has left more than a polygon
} rest;

static float area_of(const rest* r) {
    float sum = 0.0f;
    for (int k = 0; k < r->count; k++) {
        int next = (k + 1) % r->count;
        sum += r->x[k] * r->y[next] - r->x[next] * r->y[k];
    }
    return 0.5f * sum * r->fraction;
}

// Keeps what is left of the way from a to b.
static rest left_of(const rest* r, const float a[2], const float b[2]) {
    rest  out = {.count = 0, .fraction = r->fraction};
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
    out.fraction *= open;
    return out;
}

float mac_corner_face(const mac_corner* c, int axis, int side, float closed[MAC_CORNER_SOLIDS]) {
    int   a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3;
    rest  left = {4, {0, 1, 1, 0}, {0, 0, 1, 1}, 1};
    float area = 1.0f;
    for (int n = 0; n < c->count; n++) {
        const float* d    = c->distance[n] + (side << axis);
        const float  v[4] = {d[0], d[a], d[a + b], d[b]};
        left              = clipped(&left, v);
        float now         = fminf(fmaxf(area_of(&left), 0.0f), area);
        closed[n]         = area - now;
        area              = now;
    }
    return area;
}

// Part by part of the cell, by the nearest solid. (The product of what each leaves counts those that only touch the
// edge at which others meet, which nodes inside of a solid see.)
float mac_corner_volume(const mac_corner* c) {
    enum { PARTS = 4 };
    const float width = 1.0f / (float)PARTS;
    float       open  = 0.0f;
    for (int k = 0; k < PARTS * PARTS * PARTS; k++) {
        const float at[3] = {width * ((float)(k % PARTS) + 0.5f), width * ((float)(k / PARTS % PARTS) + 0.5f),
                             width * ((float)(k / PARTS / PARTS) + 0.5f)};
        float       least = 1.0f;
        for (int n = 0; n < c->count; n++) {
            float sum = 0.0f;
            for (int i = 0; i < 8; i++)
                sum += c->distance[n][i] * (i & 1 ? at[0] : 1.0f - at[0]) * (i & 2 ? at[1] : 1.0f - at[1]) *
                       (i & 4 ? at[2] : 1.0f - at[2]);
            least = fminf(least, sum);
        }
        open += fminf(fmaxf(least / width + 0.5f, 0.0f), 1.0f);
    }
    return open * width * width * width;
}
