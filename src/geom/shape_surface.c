// SPDX-License-Identifier: MIT
// Surfaces of shapes. Solids of revolution are rings around y, one piece of their outline after the
// other; of combined shapes, the surfaces of the parts are cut by the closed forms of the others.
#include "geom/shape_surface.h"

#include "base/memory.h"
#include "geom/shape_cut.h"
#include "geom/shape_stitch.h"
#include "geom/solids.h"

#include <math.h>

enum { AROUND = 128, ARC = 64 };                            // edges of a circle, of half a circle
static const double cells_least = 48.0, cells_most = 192.0; // along the longest side

// --- putting together

static shoal_status reserve(shoal_contour* out, int vertices, int triangles) {
    *out           = (shoal_contour){0};
    out->vertices  = shoal_alloc((size_t)vertices, sizeof *out->vertices);
    out->normals   = shoal_alloc((size_t)vertices, sizeof *out->normals);
    out->triangles = shoal_alloc((size_t)triangles, 3 * sizeof *out->triangles);
    if (out->vertices && out->normals && out->triangles) return SHOAL_OK;
    shoal_contour_free(out);
    return SHOAL_ERR_MEMORY;
}

static int add_vertex(shoal_contour* out, shoal_d3 place, shoal_d3 normal) {
    out->vertices[out->vertex_count] = shoal_v3_from(place);
    out->normals[out->vertex_count]  = shoal_v3_from(normal);
    return out->vertex_count++;
}

static void add_triangle(shoal_contour* out, int a, int b, int c) {
    int* t = out->triangles + 3 * (size_t)out->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

static shoal_status box_surface(shoal_box box, shoal_contour* out) {
    SHOAL_TRY(reserve(out, 24, 12));
    for (int side = 0; side < 6; side++) {
        int    axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, first = out->vertex_count;
        double low[3]    = {box.min.x, box.min.y, box.min.z};
        double high[3]   = {box.max.x, box.max.y, box.max.z};
        double normal[3] = {0.0, 0.0, 0.0};
        normal[axis]     = side % 2 ? 1.0 : -1.0;
        for (int k = 0; k < 4; k++) {
            double p[3];
            p[axis] = side % 2 ? high[axis] : low[axis];
            p[u]    = k == 1 || k == 2 ? high[u] : low[u];
            p[v]    = k >= 2 ? high[v] : low[v];
            add_vertex(out, shoal_d3_make(p[0], p[1], p[2]), shoal_d3_make(normal[0], normal[1], normal[2]));
        }
        int second = side % 2 ? 1 : 3; // counter-clockwise seen from outside
        add_triangle(out, first, first + second, first + 2);
        add_triangle(out, first, first + 2, first + 4 - second);
    }
    return SHOAL_OK;
}

// --- solids of revolution

// A point of the outline: distance from the axis, height, and the normal there.
typedef struct outline {
    double r, y, nr, ny;
} outline;

static int add_ring(shoal_contour* out, outline p) {
    if (p.r == 0.0)
        return add_vertex(out, shoal_d3_make(0.0, p.y, 0.0), shoal_d3_make(0.0, p.ny < 0.0 ? -1.0 : 1.0, 0.0));
    int first = out->vertex_count;
    for (int k = 0; k < AROUND; k++) {
        double angle = 2.0 * SHOAL_PI * k / AROUND, c = cos(angle), s = sin(angle);
        add_vertex(out, shoal_d3_make(p.r * c, p.y, p.r * s), shoal_d3_make(p.nr * c, p.ny, p.nr * s));
    }
    return first;
}

static void join_rings(shoal_contour* out, int low, bool low_is_pole, int high, bool high_is_pole) {
    for (int k = 0; k < AROUND; k++) {
        int next = (k + 1) % AROUND;
        int a = low_is_pole ? low : low + k, b = high_is_pole ? high : high + k;
        int c = low_is_pole ? low : low + next, d = high_is_pole ? high : high + next;
        if (!low_is_pole) add_triangle(out, a, b, c);
        if (!high_is_pole) add_triangle(out, c, b, d);
    }
}

// A smooth piece of outline, walked so that the solid lies to its left: up on the outer side.
static void add_piece(shoal_contour* out, const outline* points, int count, bool closes) {
    int first = 0, before = 0;
    for (int i = 0; i < count; i++) {
        int here = add_ring(out, points[i]);
        if (i == 0)
            first = here;
        else
            join_rings(out, before, points[i - 1].r == 0.0, here, points[i].r == 0.0);
        before = here;
    }
    if (closes) join_rings(out, before, false, first, false);
}

// Part of a circle in the outline, from one angle to another; angle 0 points away from the axis.
static int add_arc(outline* to, double r, double y, double radius, double from, double until, int steps) {
    for (int i = 0; i <= steps; i++) {
        double angle = from + (until - from) * i / steps, c = cos(angle), s = sin(angle);
        if (fabs(c) < 1e-12) c = 0.0, s = s < 0.0 ? -1.0 : 1.0; // a pole lies on the axis
        to[i] = (outline){r + radius * c, y + radius * s, c, s};
    }
    return steps + 1;
}

static void add_disc(shoal_contour* out, double radius, double y, bool faces_up) {
    outline middle = {0.0, y, 0.0, faces_up ? 1.0 : -1.0}, rim = {radius, y, 0.0, faces_up ? 1.0 : -1.0};
    add_piece(out, faces_up ? (outline[]){rim, middle} : (outline[]){middle, rim}, 2, false);
}

static shoal_status round_surface(const shoal_shape* s, shoal_contour* out) {
    double  r = s->primitive.round.radius, h = s->primitive.round.height, quarter = 0.5 * SHOAL_PI;
    outline line[2 * ARC + 4];
    int     count = 0;
    SHOAL_TRY(reserve(out, (2 * ARC + 4) * AROUND, 2 * (2 * ARC + 4) * AROUND));
    if (s->kind == SHOAL_SHAPE_SPHERE) {
        count = add_arc(line, 0.0, 0.0, r, -quarter, quarter, ARC);
        add_piece(out, line, count, false);
    } else if (s->kind == SHOAL_SHAPE_CAPSULE) {
        count = add_arc(line, 0.0, -0.5 * h, r, -quarter, 0.0, ARC / 2);
        count += add_arc(line + count, 0.0, 0.5 * h, r, 0.0, quarter, ARC / 2);
        add_piece(out, line, count, false);
    } else if (s->kind == SHOAL_SHAPE_TORUS) {
        count = add_arc(line, r, 0.0, h, 0.0, 4.0 * quarter, 2 * ARC) - 1; // the last is the first
        add_piece(out, line, count, true);
    } else if (s->kind == SHOAL_SHAPE_CYLINDER) {
        add_disc(out, r, -0.5 * h, false);
        add_piece(out, (outline[]){{r, -0.5 * h, 1.0, 0.0}, {r, 0.5 * h, 1.0, 0.0}}, 2, false);
        add_disc(out, r, 0.5 * h, true);
    } else {
        double length = sqrt(r * r + h * h);
        add_disc(out, r, 0.0, false);
        add_piece(out, (outline[]){{r, 0.0, h / length, r / length}, {0.0, h, 0.0, 1.0}}, 2, false);
    }
    return SHOAL_OK;
}

// --- meshes and placements

static shoal_status mesh_surface(const shoal_mesh* mesh, shoal_contour* out) {
    SHOAL_TRY(reserve(out, mesh->vertex_count, mesh->triangle_count));
    for (int i = 0; i < mesh->vertex_count; i++)
        add_vertex(out, shoal_d3_from(mesh->vertices[i]), shoal_d3_make(0.0, 0.0, 0.0));
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* c = mesh->triangles + 3 * (size_t)t;
        shoal_v3   a = mesh->vertices[c[0]], n;
        n            = shoal_v3_cross(shoal_v3_sub(mesh->vertices[c[1]], a), shoal_v3_sub(mesh->vertices[c[2]], a));
        for (int k = 0; k < 3; k++) out->normals[c[k]] = shoal_v3_add(out->normals[c[k]], n);
        add_triangle(out, c[0], c[1], c[2]);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        float length = shoal_v3_length(out->normals[i]);
        out->normals[i] =
            length > 0.0f ? shoal_v3_scale(out->normals[i], 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
    }
    return SHOAL_OK;
}

static void place_one(const placement* p, shoal_d3 v, shoal_d3 n, shoal_d3* at, shoal_d3* normal) {
    v             = shoal_d3_make(v.x * p->scale.x, v.y * p->scale.y, v.z * p->scale.z);
    n             = shoal_d3_make(n.x / p->scale.x, n.y / p->scale.y, n.z / p->scale.z);
    *at           = shoal_d3_add(shoal_quat_rotate(p->rotation, v), p->at);
    double length = shoal_d3_length(n);
    if (length > 0.0) *normal = shoal_quat_rotate(p->rotation, shoal_d3_scale(n, 1.0 / length));
}

static void place(const placement* p, shoal_contour* surface) {
    for (int i = 0; i < surface->vertex_count; i++) {
        shoal_d3 at, normal = shoal_d3_from(surface->normals[i]);
        place_one(p, shoal_d3_from(surface->vertices[i]), normal, &at, &normal);
        surface->vertices[i] = shoal_v3_from(at);
        surface->normals[i]  = shoal_v3_from(normal);
    }
    if (p->scale.x * p->scale.y * p->scale.z > 0.0) return;
    for (int t = 0; t < surface->triangle_count; t++) { // a mirror image
        int* c = surface->triangles + 3 * (size_t)t;
        int  b = c[1];
        c[1]   = c[2];
        c[2]   = b;
    }
}

// --- the rest

typedef struct sample_job {
    const shoal_shape* shape;
    shoal_box          clip;
    shoal_sparse       field;
    uint64_t*          keys;
    int                count, capacity;
} sample_job;

static double held_distance(const sample_job* s, shoal_d3 p, shoal_d3* normal) {
    shoal_d3 side;
    double   own = shoal_shape_distance_normal(s->shape, p, normal);
    double   cut = shoal_box_distance(s->clip, p, &side);
    if (!(cut > own)) return own;
    *normal = side;
    return cut;
}

static void sample_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    sample_job* s = ctx;
    for (int b = begin; b < end; b++) {
        shoal_d3 corner = shoal_sparse_corner(&s->field, b), normal;
        float*   to     = s->field.values + (size_t)SHOAL_SPARSE_SAMPLES * (size_t)b;
        for (int z = 0; z < SHOAL_SPARSE_EDGE; z++)
            for (int y = 0; y < SHOAL_SPARSE_EDGE; y++)
                for (int x = 0; x < SHOAL_SPARSE_EDGE; x++) {
                    shoal_d3 p = shoal_d3_make(corner.x + x * s->field.cell, corner.y + y * s->field.cell,
                                               corner.z + z * s->field.cell);
                    double   d = held_distance(s, p, &normal);
                    *to++      = (float)(d == 0.0 ? 1e-6 * s->field.cell : d);
                }
    }
}

// All blocks but those wholly outside: what lies inside must be known to be inside.
static shoal_status find_blocks(sample_job* s) {
    const shoal_sparse* f    = &s->field;
    double              edge = SHOAL_SPARSE_EDGE * f->cell, reach = 0.9 * edge; // half a diagonal
    s->capacity = (int)((f->nx - 2) * (f->ny - 2) * (f->nz - 2));
    s->keys     = shoal_alloc((size_t)s->capacity, sizeof *s->keys);
    if (!s->keys) return SHOAL_ERR_MEMORY;
    for (int64_t z = 1; z < f->nz - 1; z++)
        for (int64_t y = 1; y < f->ny - 1; y++)
            for (int64_t x = 1; x < f->nx - 1; x++) {
                shoal_d3 normal, middle = shoal_d3_make(f->origin.x + ((double)x + 0.5) * edge,
                                                        f->origin.y + ((double)y + 0.5) * edge,
                                                        f->origin.z + ((double)z + 0.5) * edge);
                if (held_distance(s, middle, &normal) > reach) continue;
                s->keys[s->count++] = (uint64_t)((z * f->ny + y) * f->nx + x);
            }
    return SHOAL_OK;
}

static shoal_status contour_surface(sample_job* s, double cell, const shoal_exec* exec, shoal_contour* out) {
    shoal_box b    = s->shape->bounds;
    shoal_d3  low  = shoal_d3_make(fmax(b.min.x, s->clip.min.x), fmax(b.min.y, s->clip.min.y),
                                   fmax(b.min.z, s->clip.min.z)),
             high  = shoal_d3_make(fmin(b.max.x, s->clip.max.x), fmin(b.max.y, s->clip.max.y),
                                   fmin(b.max.z, s->clip.max.z)),
             size  = shoal_d3_sub(high, low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    *out           = (shoal_contour){0};
    if (!(fmin(size.x, fmin(size.y, size.z)) > 0.0)) return SHOAL_OK;
    cell        = fmax(longest / cells_most, fmin(longest / cells_least, cell));
    double edge = SHOAL_SPARSE_EDGE * cell;
    // a block of room on each side, and the rim that must stay empty
    s->field = (shoal_sparse){.origin  = shoal_d3_make(low.x - 1.5 * edge, low.y - 1.5 * edge, low.z - 1.5 * edge),
                              .cell    = cell,
                              .nx      = (int64_t)(size.x / edge) + 4,
                              .ny      = (int64_t)(size.y / edge) + 4,
                              .nz      = (int64_t)(size.z / edge) + 4,
                              .outside = (float)edge};
    SHOAL_TRY(find_blocks(s));
    SHOAL_TRY(shoal_sparse_make(&s->field, exec, s->keys, s->count, NULL));
    shoal_blocks(exec, s->field.block_count, 1, sample_block, s);
    shoal_contour_seal(&s->field, exec);
    SHOAL_TRY(shoal_contour_make(&s->field, 0, exec, NULL, out));
    for (int i = 0; i < out->vertex_count; i++) {
        shoal_d3 normal;
        held_distance(s, shoal_d3_from(out->vertices[i]), &normal);
        out->normals[i] = shoal_v3_from(normal);
    }
    shoal_free(out->first);
    out->first          = NULL;
    out->first_capacity = 0;
    return SHOAL_OK;
}

// --- combinations

static bool is_cleared(const shoal_shape* s) {
    return s->kind == SHOAL_SHAPE_COMBINED && s->combined.how == SHOAL_CLEARED;
}

// Shapes whose outline crosses itself have no surface of triangles that could be cut.
static bool can_be_cut(const shoal_shape* s) {
    if (s->kind == SHOAL_SHAPE_TORUS) return s->primitive.round.height < s->primitive.round.radius;
    if (s->kind == SHOAL_SHAPE_PLACED) return can_be_cut(s->placed.child);
    if (is_cleared(s)) return can_be_cut(s->combined.children[0]);
    for (int k = 0; s->kind == SHOAL_SHAPE_COMBINED && k < s->combined.count; k++)
        if (!can_be_cut(s->combined.children[k])) return false;
    return true;
}

static bool is_single(const shoal_shape* s) {
    return s->kind == SHOAL_SHAPE_PLACED ? is_single(s->placed.child)
                                         : s->kind != SHOAL_SHAPE_PLANE && s->kind != SHOAL_SHAPE_COMBINED;
}

static shoal_status outline_surface(const shoal_shape* s, shoal_contour* out) {
    if (s->kind == SHOAL_SHAPE_BOX) return box_surface(s->primitive.box, out);
    if (s->kind == SHOAL_SHAPE_MESH) return mesh_surface(s->mesh, out);
    if (s->kind != SHOAL_SHAPE_PLACED) return round_surface(s, out);
    SHOAL_TRY(outline_surface(s->placed.child, out));
    place(&s->placed, out);
    return SHOAL_OK;
}

// How far the chords of a round one are from it.
static double chords_off(const shoal_shape* s) {
    double radius = s->kind == SHOAL_SHAPE_TORUS ? s->primitive.round.radius + s->primitive.round.height
                                                 : s->primitive.round.radius;
    return s->kind == SHOAL_SHAPE_BOX || s->kind == SHOAL_SHAPE_MESH ? 0.0 : radius * (1.0 - cos(SHOAL_PI / AROUND));
}

static shoal_status leaf_pieces(const shoal_shape* s, shape_pieces* out) {
    shoal_contour surface;
    SHOAL_TRY(outline_surface(s, &surface));
    for (int t = 0; t < surface.triangle_count; t++) {
        shape_piece piece = {.off = chords_off(s)};
        for (int k = 0; k < 3; k++) {
            int i           = surface.triangles[3 * (size_t)t + (size_t)k];
            piece.at[k]     = shoal_d3_from(surface.vertices[i]);
            piece.normal[k] = shoal_d3_from(surface.normals[i]);
        }
        shape_pieces_add(out, &piece);
    }
    shoal_contour_free(&surface);
    return SHOAL_OK;
}

// A square wider than all that is looked at.
static void plane_pieces(shoal_d3 normal, double offset, double reach, shape_pieces* out) {
    shoal_d3 axis = fabs(normal.x) < 0.6 ? shoal_d3_make(1.0, 0.0, 0.0) : shoal_d3_make(0.0, 1.0, 0.0);
    shoal_d3 u    = shoal_d3_cross(normal, axis), v, corner[4];
    double   half = 2.0 * reach + fabs(offset);
    u             = shoal_d3_scale(u, half / shoal_d3_length(u));
    v             = shoal_d3_cross(normal, u);
    for (int k = 0; k < 4; k++) {
        corner[k] = shoal_d3_add(shoal_d3_scale(normal, offset), shoal_d3_scale(u, k == 1 || k == 2 ? 1.0 : -1.0));
        corner[k] = shoal_d3_add(corner[k], shoal_d3_scale(v, k >= 2 ? 1.0 : -1.0));
    }
    for (int t = 0; t < 2; t++) {
        shape_piece piece = {{corner[0], corner[1 + t], corner[2 + t]}, {normal, normal, normal}, 0.0};
        shape_pieces_add(out, &piece);
    }
}

static void place_pieces(const placement* p, shape_pieces* pieces) {
    double largest = fmax(fabs(p->scale.x), fmax(fabs(p->scale.y), fabs(p->scale.z)));
    bool   mirrors = p->scale.x * p->scale.y * p->scale.z < 0.0;
    for (int i = 0; i < pieces->count; i++) {
        shape_piece from = pieces->items[i], *to = &pieces->items[i];
        for (int k = 0; k < 3; k++) {
            int of = mirrors ? 2 - k : k;
            place_one(p, from.at[of], from.normal[of], &to->at[k], &to->normal[k]);
        }
        to->off *= largest;
    }
}

// What is left of pieces after a shape has been taken away, or all but a shape.
static void keep(const shoal_shape* shape, bool inside, double shift, double reach, shape_pieces* pieces) {
    shape_pieces left = {0};
    shape_part(shape, pieces, shift, reach, inside ? &left : NULL, inside ? NULL : &left);
    shape_pieces_free(pieces);
    *pieces = left;
}

// Faces in one plane. What looks the same way stays with the first of a union or an intersection;
// what looks at each other is within a union, and nothing of an intersection. Of a difference,
// faces of the first stay where nothing is taken from behind them, those of the others where the
// first is on both sides.
static void keep_of_child(const combination* c, int i, double reach, shape_pieces* pieces) {
    for (int j = 0; j < c->count; j++) {
        const shoal_shape* other = c->children[j];
        if (j == i) continue;
        if (c->how == SHOAL_INTERSECT) {
            keep(other, true, -1.0, reach, pieces);
            if (j < i) keep(other, true, 1.0, reach, pieces);
        } else if (c->how == SHOAL_SUBTRACT && i == 0) {
            keep(other, false, -1.0, reach, pieces);
        } else if (c->how == SHOAL_SUBTRACT && j == 0) {
            keep(other, true, 1.0, reach, pieces);
            keep(other, true, -1.0, reach, pieces);
        } else {
            keep(other, false, 1.0, reach, pieces);
            if (j < i) keep(other, false, -1.0, reach, pieces);
        }
    }
}

static void turn_round(shape_pieces* pieces) {
    for (int i = 0; i < pieces->count; i++) {
        shape_piece from = pieces->items[i], *to = &pieces->items[i];
        for (int k = 0; k < 3; k++) {
            to->at[k]     = from.at[2 - k];
            to->normal[k] = shoal_d3_scale(from.normal[2 - k], -1.0);
        }
    }
}

// The surface of a shape, in its frame. `reach` is how far from its origin anything is looked at,
// m.
static shoal_status surface(const shoal_shape* s, double reach, shape_pieces* out) {
    if (s->kind == SHOAL_SHAPE_PLACED) {
        SHOAL_TRY(surface(s->placed.child, (reach + shoal_d3_length(s->placed.at)) / s->placed.least, out));
        place_pieces(&s->placed, out);
        return SHOAL_OK;
    }
    if (is_cleared(s)) return surface(s->combined.children[0], reach, out);
    if (s->kind == SHOAL_SHAPE_PLANE)
        plane_pieces(s->primitive.plane.normal, s->primitive.plane.offset, reach, out);
    else if (s->kind != SHOAL_SHAPE_COMBINED)
        return leaf_pieces(s, out);
    for (int i = 0; s->kind == SHOAL_SHAPE_COMBINED && i < s->combined.count; i++) {
        shape_pieces own    = {0};
        shoal_status status = surface(s->combined.children[i], reach, &own);
        if (status == SHOAL_OK) keep_of_child(&s->combined, i, reach, &own);
        if (s->combined.how == SHOAL_SUBTRACT && i > 0) turn_round(&own);
        for (int k = 0; k < own.count; k++) shape_pieces_add(out, &own.items[k]);
        out->failed |= own.failed;
        shape_pieces_free(&own);
        SHOAL_TRY(status);
    }
    return SHOAL_OK;
}

static shoal_status sew(const shape_pieces* pieces, double reach, shape_seamed* mesh) {
    const double weld = 4e-7; // of the reach: rounding of single precision
    double       off  = 0.0;
    mesh->vertices    = shoal_alloc(3 * (size_t)pieces->count + 1, sizeof *mesh->vertices);
    mesh->triangles   = shoal_alloc((size_t)pieces->count + 1, sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) return SHOAL_ERR_MEMORY;
    mesh->triangle_capacity = mesh->triangle_count = pieces->count;
    for (int i = 0; i < pieces->count; i++)
        for (int k = 0; k < 3; k++) {
            mesh->triangles[i].corner[k]         = mesh->vertex_count;
            mesh->triangles[i].normal[k]         = pieces->items[i].normal[k];
            mesh->vertices[mesh->vertex_count++] = pieces->items[i].at[k];
            off                                  = fmax(off, pieces->items[i].off);
        }
    // pieces were moved by what they are off while they were cut, and those of the other side as
    // well
    return shape_stitch(mesh, weld * reach, 4.0 * off + 8e-6 * reach);
}

static shoal_status cut_surface(const shoal_shape* s, double reach, shoal_contour* out) {
    shape_pieces pieces = {0};
    shape_seamed mesh   = {0};
    shoal_status status = surface(s, reach, &pieces);
    if (status == SHOAL_OK && pieces.failed) status = SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) status = sew(&pieces, reach, &mesh);
    if (status == SHOAL_OK) status = reserve(out, 3 * mesh.triangle_count + 1, mesh.triangle_count + 1);
    for (int i = 0; i < mesh.triangle_count && status == SHOAL_OK; i++) {
        const shape_seam_triangle* t     = &mesh.triangles[i];
        int                        first = out->vertex_count;
        for (int k = 0; k < 3; k++)
            add_vertex(out, mesh.vertices[t->corner[k]],
                       shoal_d3_scale(t->normal[k], 1.0 / fmax(shoal_d3_length(t->normal[k]), 1e-30)));
        add_triangle(out, first, first + 1, first + 2);
    }
    shape_pieces_free(&pieces);
    shoal_free(mesh.vertices);
    shoal_free(mesh.triangles);
    return status;
}

static double farthest(shoal_box b) {
    return shoal_d3_length(shoal_d3_make(fmax(fabs(b.min.x), fabs(b.max.x)), fmax(fabs(b.min.y), fabs(b.max.y)),
                                         fmax(fabs(b.min.z), fabs(b.max.z))));
}

static bool is_endless(shoal_box b) { return farthest(b) > 1e29; }

shoal_status shoal_shape_surface(const shoal_shape* shape, shoal_box clip, double cell, const shoal_exec* exec,
                                 shoal_contour* out) {
    *out = (shoal_contour){0};
    if (can_be_cut(shape) && is_single(shape)) return outline_surface(shape, out);
    if (can_be_cut(shape) && !is_endless(shape->bounds)) return cut_surface(shape, farthest(shape->bounds), out);
    if (can_be_cut(shape)) { // what has no end goes as far as the clip does, and ends in its sides
        shoal_shape  box     = {.kind = SHOAL_SHAPE_BOX, .depth = 1, .bounds = clip, .primitive.box = clip};
        shoal_shape* both[2] = {(shoal_shape*)(uintptr_t)shape, &box};
        shoal_shape  held    = {.kind     = SHOAL_SHAPE_COMBINED,
                                .bounds   = clip,
                                .combined = {.how = SHOAL_INTERSECT, .count = 2, .children = both}};
        return cut_surface(&held, farthest(clip), out);
    }
    sample_job   s      = {.shape = shape, .clip = clip};
    shoal_status status = contour_surface(&s, cell, exec, out);
    shoal_sparse_free(&s.field);
    shoal_free(s.keys);
    return status;
}
