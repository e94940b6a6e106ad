// SPDX-License-Identifier: MIT
// Against slivers: vertices that lie near the same corner of the grid are drawn together at their
// mean [Moore & Warren 1995, compact contouring]. Edge by edge, each only where the mesh stays
// closed and manifold (the link condition) and no triangle turns over; so nothing else is thinned
// out.
#include "surface/surface_local.h"

#include <math.h>
#include <string.h>

enum { RING_MOST = 64 };
// The cosine between a triangle and the normals of the field at its vertices.
#define UPRIGHT_LEAST 0.3f

typedef struct snap_job {
    shoal_contour* mesh;
    int*           to;    // [vertex_count] itself, or the vertex it was drawn to
    int*           count; // [vertex_count] vertices drawn together there
    shoal_v3*      place; // [vertex_count] their mean
    int*           head;  // [vertex_count] first of its triangle corners
    int*           tail;
    int*           next;    // [3 triangle_count] further corners; -1 ends
    uint64_t*      corner;  // [vertex_count] of the grid, near which it lies; 0: none
    bool*          is_gone; // [triangle_count]
} snap_job;

static int find(const snap_job* s, int v) {
    while (s->to[v] != v) v = s->to[v];
    return v;
}

// The vertices around one, each once; -1: too many.
static int ring_of(const snap_job* s, int v, int ring[RING_MOST]) {
    int count = 0;
    for (int c = s->head[v]; c >= 0; c = s->next[c]) {
        if (s->is_gone[c / 3]) continue;
        for (int k = 0; k < 3; k++) {
            int other = find(s, s->mesh->triangles[c / 3 * 3 + k]), i = 0;
            while (i < count && ring[i] != other) i++;
            if (other == v || i < count) continue;
            if (count == RING_MOST) return -1;
            ring[count++] = other;
        }
    }
    return count;
}

// Whether the triangles around v, but for those that vanish, face outwards when v and w meet at
// `at`. The field says where that is; normals of slivers say nothing.
static bool stays_upright(const snap_job* s, int v, int w, shoal_v3 at) {
    for (int c = s->head[v]; c >= 0; c = s->next[c]) {
        if (s->is_gone[c / 3]) continue;
        shoal_v3 p[3], out = shoal_v3_make(0.0f, 0.0f, 0.0f);
        bool     vanishes = false;
        for (int k = 0; k < 3; k++) {
            int other = find(s, s->mesh->triangles[c / 3 * 3 + k]);
            vanishes |= other == w;
            p[k] = other == v ? at : s->place[other];
            out  = shoal_v3_add(out, s->mesh->normals[other]);
        }
        if (vanishes) continue;
        shoal_v3 n     = shoal_v3_cross(shoal_v3_sub(p[1], p[0]), shoal_v3_sub(p[2], p[0]));
        float    limit = UPRIGHT_LEAST * shoal_v3_length(n) * shoal_v3_length(out);
        if (!(limit > 0.0f) || !(shoal_v3_dot(n, out) > limit)) return false;
    }
    return true;
}

static bool may_meet(const snap_job* s, int v, int w, shoal_v3 at) {
    int around_v[RING_MOST], around_w[RING_MOST], common = 0;
    int n = ring_of(s, v, around_v), m = ring_of(s, w, around_w);
    if (n < 0 || m < 0) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) common += around_v[i] == around_w[k];
    // at both sides of the edge a vertex, and no other path of two edges between its ends
    return common == 2 && n + m - 4 >= 3 && stays_upright(s, v, w, at) && stays_upright(s, w, v, at);
}

static void draw_together(snap_job* s, int v, int w, shoal_v3 at) {
    s->to[w] = v;
    s->count[v] += s->count[w];
    s->place[v]         = at;
    s->next[s->tail[v]] = s->head[w];
    s->tail[v]          = s->tail[w];
    for (int c = s->head[v]; c >= 0; c = s->next[c]) {
        const int* t = s->mesh->triangles + c / 3 * 3;
        int        a = find(s, t[0]), b = find(s, t[1]), d = find(s, t[2]);
        s->is_gone[c / 3] |= a == b || b == d || d == a;
    }
}

// A vertex lies on an edge of the grid: two of its places are whole.
static void find_corners(const surface_work* w, snap_job* s) {
    const shoal_sparse* f = &w->field;
    for (int i = 0; i < s->mesh->vertex_count; i++) {
        shoal_d3 p   = shoal_d3_sub(shoal_d3_from(s->mesh->vertices[i]), f->origin);
        double   off = 0.0;
        uint64_t key = 0;
        for (int k = 0; k < 3; k++) {
            double at = shoal_d3_axis(p, k) / f->cell, whole = floor(at + 0.5);
            off = fmax(off, fabs(at - whole));
            key = key << 21 | (uint64_t)whole;
        }
        s->corner[i] = off < (double)w->params->snap ? key : 0;
    }
}

static void list_corners(snap_job* s) {
    for (int i = 0; i < s->mesh->vertex_count; i++) {
        s->to[i]    = i;
        s->count[i] = 1;
        s->head[i]  = -1;
    }
    for (int c = 3 * s->mesh->triangle_count - 1; c >= 0; c--) {
        int v      = s->mesh->triangles[c];
        s->next[c] = s->head[v];
        if (s->head[v] < 0) s->tail[v] = c;
        s->head[v] = c;
    }
}

static void snap_all(snap_job* s) {
    for (int c = 0; c < 3 * s->mesh->triangle_count; c++) {
        int a = s->mesh->triangles[c], b = s->mesh->triangles[c % 3 == 2 ? c - 2 : c + 1];
        if (a > b || s->corner[a] == 0 || s->corner[a] != s->corner[b]) continue;
        int v = find(s, a), w = find(s, b);
        if (v == w) continue;
        float    fraction = (float)s->count[w] / (float)(s->count[v] + s->count[w]);
        shoal_v3 at       = shoal_v3_add_scaled(s->place[v], shoal_v3_sub(s->place[w], s->place[v]), fraction);
        if (may_meet(s, v, w, at)) draw_together(s, v, w, at);
    }
}

// Values of vertices become those of the groups: means, in the new order.
static void gather(const snap_job* s, const int* number, int components, float* values) {
    size_t n    = (size_t)components;
    int*   seen = s->tail; // the lists are used no more
    for (int i = 0; i < s->mesh->vertex_count; i++) seen[i] = 1;
    for (int i = 0; i < s->mesh->vertex_count; i++) {
        int v = find(s, i);
        if (v == i) continue;
        float *to = values + n * (size_t)v, *from = values + n * (size_t)i;
        seen[v]++;
        for (size_t k = 0; k < n; k++) // as differences, so that equal values stay equal
            to[k] += (from[k] - to[k]) / (float)seen[v];
    }
    for (int i = 0; i < s->mesh->vertex_count; i++)
        if (s->to[i] == i) memmove(values + n * (size_t)number[i], values + n * (size_t)i, n * sizeof *values);
}

static void put_together(const snap_job* s, int* number, shoal_surface_mesh* fields) {
    shoal_contour* m        = s->mesh;
    int            vertices = 0, triangles = 0;
    for (int i = 0; i < m->vertex_count; i++)
        if (s->to[i] == i) number[i] = vertices++;
    for (int t = 0; t < m->triangle_count; t++) {
        if (s->is_gone[t]) continue;
        for (int k = 0; k < 3; k++) m->triangles[3 * triangles + k] = number[find(s, m->triangles[3 * t + k])];
        triangles++;
    }
    for (int f = 0; f < fields->field_count; f++)
        gather(s, number, fields->fields[f].components, fields->fields[f].data);
    gather(s, number, 3, &m->normals->x);
    for (int i = 0; i < m->vertex_count; i++)
        if (s->to[i] == i) m->vertices[number[i]] = s->place[i];
    for (int i = 0; i < vertices; i++) {
        float length = shoal_v3_length(m->normals[i]);
        if (length > 0.0f) m->normals[i] = shoal_v3_scale(m->normals[i], 1.0f / length);
    }
    m->vertex_count   = vertices;
    m->triangle_count = triangles;
}

shoal_status surface_mesh_snap(const surface_work* w, shoal_contour* mesh, shoal_surface_mesh* fields) {
    if (w->params->snap == 0.0f || mesh->vertex_count == 0) return SHOAL_OK;
    size_t   v = (size_t)mesh->vertex_count, t = (size_t)mesh->triangle_count;
    int*     ints         = shoal_alloc(5 * v + 3 * t, sizeof *ints);
    snap_job s            = {.mesh    = mesh,
                             .corner  = shoal_alloc(v, sizeof *s.corner),
                             .place   = shoal_alloc(v, sizeof *s.place),
                             .is_gone = shoal_alloc(t, sizeof *s.is_gone)};
    bool     has_capacity = ints && s.corner && s.place && s.is_gone;
    if (has_capacity) {
        s.to    = ints;
        s.count = ints + v;
        s.head  = ints + 2 * v;
        s.tail  = ints + 3 * v;
        s.next  = ints + 5 * v;
        memcpy(s.place, mesh->vertices, v * sizeof *s.place);
        find_corners(w, &s);
        list_corners(&s);
        snap_all(&s);
        put_together(&s, ints + 4 * v, fields);
    }
    shoal_free(s.is_gone);
    shoal_free(s.place);
    shoal_free(s.corner);
    shoal_free(ints);
    return has_capacity ? SHOAL_OK : SHOAL_ERR_MEMORY;
}
