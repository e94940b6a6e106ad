// SPDX-License-Identifier: MIT
// Seams of cut surfaces. The two sides of a seam have corners of their own on it, since each is cut
// by the other's closed form; each gets those of the other, so that every edge has its twin and the
// mesh is closed.
#include "geom/shape_stitch.h"
#include "base/disjoint.h"

#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 6, POINTS_MOST = 256, RING_MOST = 8 };

typedef struct open_corner {
    shoal_d3 at;
    double   along; // m; its place along an odd way, on which few corners of a shape meet
    int      vertex;
} open_corner;

static double along_of(shoal_d3 p) {
    static const shoal_d3 way = {0.6743, 0.5231, 0.5212}; // no longer than 1
    return shoal_d3_dot(p, way);
}

typedef struct stitch_job {
    shape_seamed* mesh;
    double        tolerance;
    uint64_t*     edges; // hash table of directed edges, a << 32 | b, plus one; 0: free
    size_t        edge_capacity;
    open_corner*  open; // sorted by their place along
    int           open_count;
    int*          same; // for each vertex, the one it becomes
} stitch_job;

// --- corners

static int by_place(const void* a, const void* b) {
    const open_corner *p = a, *q = b;
    if (p->along != q->along) return p->along < q->along ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// The first of the sorted list at a place along or behind.
static int first_from(const stitch_job* s, double along) {
    int low = 0, high = s->open_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->open[middle].along < along)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Corners of the list that are nearer than the distance become the one of the least number.
static void merge(stitch_job* s, double distance) {
    for (int i = 0; i < s->open_count; i++)
        for (int j = i + 1; j < s->open_count && s->open[j].along - s->open[i].along <= distance; j++) {
            if (shoal_d3_length(shoal_d3_sub(s->open[j].at, s->open[i].at)) > distance) continue;
            shoal_disjoint_join(s->same, s->open[i].vertex, s->open[j].vertex);
        }
    shape_seamed* m    = s->mesh;
    int           left = 0;
    for (int t = 0; t < m->triangle_count; t++) {
        shape_seam_triangle now = m->triangles[t];
        for (int e = 0; e < 3; e++) now.corner[e] = shoal_disjoint_root(s->same, now.corner[e]);
        if (now.corner[0] == now.corner[1] || now.corner[1] == now.corner[2] || now.corner[2] == now.corner[0])
            continue;
        m->triangles[left++] = now;
    }
    m->triangle_count = left;
}

static shoal_status list_corners(stitch_job* s, const uint8_t* is_open) {
    shape_seamed* m = s->mesh;
    shoal_free(s->open);
    s->open = shoal_alloc((size_t)m->vertex_count + 1, sizeof *s->open);
    if (!s->open) return SHOAL_ERR_MEMORY;
    s->open_count = 0;
    for (int v = 0; v < m->vertex_count; v++)
        if (!is_open || is_open[v])
            s->open[s->open_count++] = (open_corner){m->vertices[v], along_of(m->vertices[v]), v};
    qsort(s->open, (size_t)s->open_count, sizeof *s->open, by_place);
    return SHOAL_OK;
}

// --- edges

static uint64_t* edge_slot(const stitch_job* s, int a, int b) {
    uint64_t key = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + 1;
    size_t   at  = (size_t)shoal_mix64(key) & (s->edge_capacity - 1);
    while (s->edges[at] != 0 && s->edges[at] != key) at = (at + 1) & (s->edge_capacity - 1);
    return &s->edges[at];
}

static shoal_status list_edges(stitch_job* s) {
    const shape_seamed* m = s->mesh;
    s->edge_capacity      = 64;
    while (s->edge_capacity < 8 * (size_t)m->triangle_count) s->edge_capacity *= 2;
    shoal_free(s->edges);
    s->edges = shoal_alloc(s->edge_capacity, sizeof *s->edges);
    if (!s->edges) return SHOAL_ERR_MEMORY;
    for (int t = 0; t < m->triangle_count; t++)
        for (int e = 0; e < 3; e++) {
            int a = m->triangles[t].corner[e], b = m->triangles[t].corner[(e + 1) % 3];
            *edge_slot(s, a, b) = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + 1;
        }
    return SHOAL_OK;
}

static bool is_open_edge(const stitch_job* s, const shape_seam_triangle* t, int e) {
    return *edge_slot(s, t->corner[(e + 1) % 3], t->corner[e]) == 0;
}

static shoal_status find_open(stitch_job* s) {
    const shape_seamed* m       = s->mesh;
    uint8_t*            is_open = shoal_alloc((size_t)m->vertex_count + 1, 1);
    shoal_status        status  = is_open ? list_edges(s) : SHOAL_ERR_MEMORY;
    for (int t = 0; t < m->triangle_count && status == SHOAL_OK; t++)
        for (int e = 0; e < 3; e++)
            if (is_open_edge(s, &m->triangles[t], e))
                is_open[m->triangles[t].corner[e]] = is_open[m->triangles[t].corner[(e + 1) % 3]] = 1;
    if (status == SHOAL_OK) status = list_corners(s, is_open);
    shoal_free(is_open);
    return status;
}

// --- seams

typedef struct on_edge {
    double fraction;
    int    vertex;
} on_edge;

static int by_fraction(const void* a, const void* b) {
    const on_edge *p = a, *q = b;
    return (p->fraction > q->fraction) - (p->fraction < q->fraction);
}

// Open corners that lie on an edge, from its begin to its end.
static int corners_on(const stitch_job* s, int a, int b, on_edge* out) {
    shoal_d3 from = s->mesh->vertices[a], way = shoal_d3_sub(s->mesh->vertices[b], from);
    double   length = shoal_d3_length(way), begin = along_of(from), end = begin + along_of(way);
    double   high  = fmax(begin, end) + s->tolerance;
    int      count = 0;
    if (!(length > s->tolerance)) return 0;
    for (int k = first_from(s, fmin(begin, end) - s->tolerance);
         k < s->open_count && s->open[k].along <= high && count < POINTS_MOST; k++) {
        int v = s->open[k].vertex;
        if (v == a || v == b) continue;
        shoal_d3 off      = shoal_d3_sub(s->open[k].at, from);
        double   fraction = shoal_d3_dot(off, way) / (length * length);
        if (!(fraction > 0.0 && fraction < 1.0)) continue;
        if (shoal_d3_length(shoal_d3_sub(off, shoal_d3_scale(way, fraction))) <= s->tolerance)
            out[count++] = (on_edge){fraction, v};
    }
    qsort(out, (size_t)count, sizeof *out, by_fraction);
    return count;
}

static shoal_d3 blend(shoal_d3 a, shoal_d3 b, double t) {
    return shoal_d3_add(a, shoal_d3_scale(shoal_d3_sub(b, a), t));
}

static shoal_status add_triangle(shape_seamed* m, const shape_seam_triangle* t) {
    if (m->triangle_count == m->triangle_capacity) {
        int capacity = 2 * m->triangle_capacity + 64;
        SHOAL_TRY(
            shoal_realloc((void**)&m->triangles, (size_t)m->triangle_count, (size_t)capacity, sizeof *m->triangles));
        m->triangle_capacity = capacity;
    }
    m->triangles[m->triangle_count++] = *t;
    return SHOAL_OK;
}

// A triangle becomes a fan from the corner across its edge e.
static shoal_status fan(shape_seamed* m, int which, int e, const on_edge* points, int count) {
    shape_seam_triangle whole = m->triangles[which], part = whole;
    int                 b = (e + 1) % 3;
    for (int k = 0; k <= count; k++) {
        bool is_last   = k == count;
        part.corner[b] = is_last ? whole.corner[b] : points[k].vertex;
        part.normal[b] = is_last ? whole.normal[b] : blend(whole.normal[e], whole.normal[b], points[k].fraction);
        int third      = whole.corner[(e + 2) % 3];
        if (part.corner[e] != third && part.corner[b] != third) {
            if (k == 0)
                m->triangles[which] = part;
            else
                SHOAL_TRY(add_triangle(m, &part));
        }
        part.corner[e] = part.corner[b];
        part.normal[e] = part.normal[b];
    }
    return SHOAL_OK;
}

static shoal_status split_open(stitch_job* s, int* splits) {
    shape_seamed* m     = s->mesh;
    int           count = m->triangle_count;
    on_edge       points[POINTS_MOST];
    for (int t = 0; t < count; t++)
        for (int e = 0; e < 3; e++) {
            if (!is_open_edge(s, &m->triangles[t], e)) continue;
            int on = corners_on(s, m->triangles[t].corner[e], m->triangles[t].corner[(e + 1) % 3], points);
            if (on == 0) continue;
            SHOAL_TRY(fan(m, t, e, points, on));
            *splits += on;
            break; // its other edges in the next round
        }
    return SHOAL_OK;
}

// --- holes

typedef struct leave_job {
    int      to; // where the open edge that leaves a vertex ends; -1: there is none
    shoal_d3 normal;
} leave_job;

// A ring of few open edges, as where corners of both sides did not find their order, becomes a fan
// seen from the other side.
static shoal_status fill_ring(shape_seamed* m, leave_job* leave, int first) {
    int ring[RING_MOST], count = 0;
    for (int v = first; v >= 0 && count < RING_MOST; v = leave[v].to) {
        if (count > 0 && v == first) break;
        ring[count++] = v;
    }
    if (count < 3 || leave[ring[count - 1]].to != first) return SHOAL_OK;
    for (int k = 1; k + 1 < count; k++) {
        shape_seam_triangle t = {{first, ring[k + 1], ring[k]},
                                 {leave[first].normal, leave[ring[k + 1]].normal, leave[ring[k]].normal}};
        SHOAL_TRY(add_triangle(m, &t));
    }
    for (int k = 0; k < count; k++) leave[ring[k]].to = -1;
    return SHOAL_OK;
}

static shoal_status fill_holes(stitch_job* s) {
    shape_seamed* m = s->mesh;
    SHOAL_TRY(find_open(s));
    if (s->open_count == 0) return SHOAL_OK;
    leave_job* leave = shoal_alloc((size_t)m->vertex_count + 1, sizeof *leave);
    if (!leave) return SHOAL_ERR_MEMORY;
    for (int v = 0; v < m->vertex_count; v++) leave[v].to = -1;
    for (int t = 0; t < m->triangle_count; t++)
        for (int e = 0; e < 3; e++)
            if (is_open_edge(s, &m->triangles[t], e))
                leave[m->triangles[t].corner[e]] =
                    (leave_job){m->triangles[t].corner[(e + 1) % 3], m->triangles[t].normal[e]};
    shoal_status status = SHOAL_OK;
    for (int v = 0; v < m->vertex_count && status == SHOAL_OK; v++)
        if (leave[v].to >= 0) status = fill_ring(m, leave, v);
    shoal_free(leave);
    return status;
}

static shoal_status stitch(stitch_job* s, double weld) {
    shape_seamed* m = s->mesh;
    s->same         = shoal_alloc((size_t)m->vertex_count + 1, sizeof *s->same);
    if (!s->same) return SHOAL_ERR_MEMORY;
    for (int v = 0; v < m->vertex_count; v++) s->same[v] = v;
    SHOAL_TRY(list_corners(s, NULL));
    merge(s, weld);
    SHOAL_TRY(find_open(s));
    merge(s, s->tolerance);
    for (int round = 0; round < ROUNDS_MOST; round++) {
        int splits = 0;
        SHOAL_TRY(find_open(s));
        SHOAL_TRY(split_open(s, &splits));
        if (splits == 0) break;
    }
    return fill_holes(s);
}

shoal_status shape_stitch(shape_seamed* mesh, double weld, double tolerance) {
    stitch_job   s      = {.mesh = mesh, .tolerance = tolerance};
    shoal_status status = stitch(&s, weld);
    shoal_free(s.edges);
    shoal_free(s.open);
    shoal_free(s.same);
    return status;
}
