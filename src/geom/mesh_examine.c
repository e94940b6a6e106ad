// SPDX-License-Identifier: MIT
// What is doubtful in a mesh. Edges are sorted by their two welded ends, so the uses of one edge
// lie side by side; wall thickness is measured by rays.
#include "base/memory.h"
#include "exec/exec.h"
#include "geom/bvh.h"
#include "geom/mesh.h"
#include "geom/winding.h"

enum { RAYS_MOST = 100000 };

// Uses of edges by triangles, sorted: key = low end * stride + high end. A use is 2 * (3 * triangle
// + side) + 1 when walked from the high end to the low one.
typedef struct edges {
    int       count;
    uint64_t* keys;
    int*      order; // place in `uses` of each key
    int64_t*  uses;
} edges;

static void edges_free(edges* e) {
    shoal_free(e->uses);
    shoal_free(e->order);
    shoal_free(e->keys);
}

// The corners of the triangles with vertices at the same place made one; *distinct of them (NULL:
// not wanted).
static shoal_status welded_corners(const shoal_mesh* mesh, int** out, int* distinct) {
    int  places  = 0;
    int* map     = shoal_alloc((size_t)mesh->vertex_count, sizeof *map);
    int* corners = shoal_alloc(3 * (size_t)mesh->triangle_count, sizeof *corners);
    if (!map || !corners || shoal_mesh_weld(mesh->vertices, mesh->vertex_count, map, &places) != SHOAL_OK) {
        shoal_free(corners);
        shoal_free(map);
        return SHOAL_ERR_MEMORY;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) corners[i] = map[mesh->triangles[i]];
    shoal_free(map);
    if (distinct) *distinct = places;
    *out = corners;
    return SHOAL_OK;
}

// Triangles with two corners in one place are left out: their neighbours meet each other across
// them.
static void edges_collect(int triangle_count, const int* corners, uint64_t stride, uint64_t* keys, edges* e) {
    for (int t = 0; t < triangle_count; t++) {
        const int* corner = &corners[3 * t];
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
        for (int k = 0; k < 3; k++) {
            int  from = corner[k], to = corner[(k + 1) % 3];
            bool back           = from > to;
            keys[e->count]      = (uint64_t)(back ? to : from) * stride + (uint64_t)(back ? from : to);
            e->uses[e->count++] = 2 * (3 * (int64_t)t + k) + back;
        }
    }
}

static shoal_status edges_make(const shoal_mesh* mesh, edges* e) {
    int  distinct = 0;
    int* corners  = NULL;
    SHOAL_TRY(welded_corners(mesh, &corners, &distinct));
    size_t capacity      = 3 * (size_t)mesh->triangle_count;
    *e                   = (edges){0, shoal_alloc(capacity, sizeof(uint64_t)), shoal_alloc(capacity, sizeof(int)),
                                   shoal_alloc(capacity, sizeof(int64_t))};
    uint64_t*    keys    = shoal_alloc(capacity, sizeof *keys);
    void*        scratch = shoal_alloc(shoal_sort_scratch((int)capacity), 1);
    shoal_status status  = SHOAL_ERR_MEMORY;
    if (e->keys && e->order && e->uses && keys && scratch) {
        uint64_t stride = (uint64_t)distinct;
        int      bits   = 1;
        while (bits < 63 && stride * stride >> bits != 0) bits++;
        edges_collect(mesh->triangle_count, corners, stride, keys, e);
        shoal_exec exec = shoal_exec_make(1);
        shoal_sort_keys(&exec, keys, e->count, bits, e->order, e->keys, scratch);
        status = SHOAL_OK;
    }
    shoal_free(scratch);
    shoal_free(keys);
    shoal_free(corners);
    if (status != SHOAL_OK) edges_free(e);
    return status;
}

// The end of the run of equal keys that begins at i, and how many uses go backwards.
static int run_end(const edges* e, int i, int* backward) {
    int end = i;
    for (*backward = 0; end < e->count && e->keys[end] == e->keys[i]; end++)
        *backward += (int)(e->uses[e->order[end]] & 1);
    return end;
}

shoal_status shoal_mesh_is_closed(const shoal_mesh* mesh, bool* closed) {
    edges e;
    SHOAL_TRY(edges_make(mesh, &e));
    *closed = e.count > 0;
    for (int i = 0, backward; i < e.count && *closed;) {
        int end = run_end(&e, i, &backward);
        *closed = 2 * backward == end - i;
        i       = end;
    }
    edges_free(&e);
    return SHOAL_OK;
}

static shoal_d3 edge_middle(const shoal_mesh* mesh, int64_t use) {
    int      place = (int)(use / 2), triangle = place / 3, side = place % 3;
    shoal_d3 a = shoal_d3_from(mesh->vertices[mesh->triangles[3 * triangle + side]]);
    shoal_d3 b = shoal_d3_from(mesh->vertices[mesh->triangles[3 * triangle + (side + 1) % 3]]);
    return shoal_d3_scale(shoal_d3_add(a, b), 0.5);
}

static void note(int* count, shoal_d3* at, shoal_d3 place) {
    if ((*count)++ == 0) *at = place;
}

static shoal_status examine_edges(const shoal_mesh* mesh, shoal_mesh_quality* q) {
    edges e;
    SHOAL_TRY(edges_make(mesh, &e));
    for (int i = 0, backward; i < e.count;) {
        int      end = run_end(&e, i, &backward), uses = end - i;
        shoal_d3 at = edge_middle(mesh, e.uses[e.order[i]]);
        if (uses == 1) note(&q->open_edges, &q->open_at, at);
        if (uses > 2) note(&q->nonmanifold_edges, &q->nonmanifold_at, at);
        if (uses == 2 && backward != 1) note(&q->flipped_edges, &q->flipped_at, at);
        i = end;
    }
    edges_free(&e);
    return SHOAL_OK;
}

// Height below a millionth of the longest side: single precision holds no normal for it.
static bool is_degenerate(const shoal_d3 corner[3]) {
    shoal_d3 ab = shoal_d3_sub(corner[1], corner[0]), ac = shoal_d3_sub(corner[2], corner[0]),
             bc     = shoal_d3_sub(corner[2], corner[1]);
    double longest2 = fmax(shoal_d3_dot(ab, ab), fmax(shoal_d3_dot(ac, ac), shoal_d3_dot(bc, bc)));
    return shoal_d3_length(shoal_d3_cross(ab, ac)) <= 1e-6 * longest2;
}

static void examine_triangles(const shoal_mesh* mesh, shoal_mesh_quality* q) {
    for (int t = 0; t < mesh->triangle_count; t++) {
        shoal_d3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = shoal_d3_from(mesh->vertices[mesh->triangles[3 * t + k]]);
        if (is_degenerate(corner)) note(&q->degenerate_triangles, &q->degenerate_at, corner[0]);
    }
}

// Rays run in a frame where the mesh has size 1 about the origin.
typedef struct cast_job {
    const shoal_bvh*     bvh;
    const shoal_winding* winding;
    const int*           corners;
    float                facing;
} cast_job;

// So near to a face is beside it, in sizes of the mesh.
static const float beside = 1e-4f;

// Parts of a mesh may overlap, and a face of one lie inside of another: nothing begins or ends
// there.
static bool is_buried(const cast_job* c, int place, float length) {
    return (double)c->facing * shoal_winding_at(c->winding, shoal_bvh_inward(c->bvh, place, c->facing, length)) > 0.5;
}

// From the middle of a triangle inwards to where the ray comes out of the mesh, if that is less
// than `most`; else INFINITY.
static float wall_at(const cast_job* c, int place, float most) {
    float wall = shoal_bvh_wall(c->bvh, place, c->corners, c->facing, 0.0f);
    if (!(wall < most) || is_buried(c, place, -beside)) return INFINITY;
    while (wall < most && is_buried(c, place, wall + beside))
        wall = shoal_bvh_wall(c->bvh, place, c->corners, c->facing, wall);
    return wall < most ? wall : INFINITY;
}

static shoal_status cast_rays(const shoal_mesh* mesh, const int* corners, shoal_mesh_quality* q) {
    shoal_box box    = shoal_mesh_bounds(mesh);
    shoal_d3  extent = shoal_d3_sub(box.max, box.min);
    shoal_d3  middle = shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5);
    double    size   = fmax(extent.x, fmax(extent.y, extent.z));
    if (!(size > 0.0)) return SHOAL_OK;
    shoal_v3*     unit    = NULL;
    shoal_bvh*    bvh     = NULL;
    shoal_winding winding = {0};
    SHOAL_TRY(shoal_mesh_framed(mesh, middle, 1.0 / size, &unit));
    shoal_status status = shoal_bvh_create(unit, mesh->triangles, mesh->triangle_count, &bvh);
    shoal_free(unit);
    if (status == SHOAL_OK) status = shoal_winding_create(bvh, &winding);

    cast_job c      = {bvh, &winding, corners, q->is_inside_out ? -1.0f : 1.0f};
    int      stride = status == SHOAL_OK ? bvh->triangle_count / RAYS_MOST + 1 : 1;
    float    least  = INFINITY;
    for (int t = 0; status == SHOAL_OK && t < bvh->triangle_count; t += stride) {
        float wall = wall_at(&c, t, least);
        if (!(wall < least)) continue;
        least       = wall;
        q->thinnest = (double)wall * size;
        q->thin_at  = shoal_d3_from(mesh->vertices[mesh->triangles[3 * bvh->ids[t]]]);
    }
    shoal_winding_free(&winding);
    shoal_bvh_destroy(bvh);
    return status;
}

static shoal_status examine_walls(const shoal_mesh* mesh, shoal_mesh_quality* q) {
    q->thinnest  = (double)INFINITY;
    int* corners = NULL;
    SHOAL_TRY(welded_corners(mesh, &corners, NULL));
    shoal_status status = cast_rays(mesh, corners, q);
    shoal_free(corners);
    return status;
}

shoal_status shoal_mesh_examine(const shoal_mesh* mesh, shoal_mesh_quality* out) {
    *out               = (shoal_mesh_quality){0};
    out->is_inside_out = shoal_mesh_volume(mesh) < 0.0;
    examine_triangles(mesh, out);
    SHOAL_TRY(examine_edges(mesh, out));
    return examine_walls(mesh, out);
}
