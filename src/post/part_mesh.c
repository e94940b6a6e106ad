// SPDX-License-Identifier: MIT
// Triangles and tetrahedra of frames as surface meshes.
#include "post/part_mesh.h"

#include "surface/surface.h"

#include <math.h>
#include <string.h>

static const struct shoal_surface_array* find(const shoal_surface_mesh* mesh, const char* name) {
    for (int f = 0; f < mesh->field_count; f++)
        if (strcmp(mesh->fields[f].name, name) == 0) return &mesh->fields[f];
    return NULL;
}

// Of the triangles around, by their areas.
static void find_normals(shoal_surface_mesh* mesh) {
    shoal_v3*       n = (shoal_v3*)mesh->normals;
    const shoal_v3* x = (const shoal_v3*)mesh->positions;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* c    = mesh->triangles + 3 * (size_t)t;
        shoal_v3   turn = shoal_v3_cross(shoal_v3_sub(x[c[1]], x[c[0]]), shoal_v3_sub(x[c[2]], x[c[0]]));
        for (int k = 0; k < 3; k++) n[c[k]] = shoal_v3_add(n[c[k]], turn);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        float length = shoal_v3_length(n[i]);
        n[i]         = length > 0.0f ? shoal_v3_scale(n[i], 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
    }
}

// ---------------------------------------------------------------------------------- one part

// Numbers or vectors; meshes carry no more.
static bool is_carried(const shoal_surface_mesh* mesh, const shoal_frame_array* field) {
    int n = shoal_frame_components(field);
    return (n == 1 || n == 3) && mesh->field_count < SHOAL_SURFACE_FIELDS_MOST && !find(mesh, field->name) &&
           strcmp(field->name, "position") != 0;
}

// The value of a field at a vertex of the mesh; `items` are what its vertices are of.
typedef double (*value_fn)(const shoal_frame* part, const int32_t* items, const shoal_frame_array* field, int vertex,
                           int component);

static double at_point(const shoal_frame* part, const int32_t* points, const shoal_frame_array* field, int vertex,
                       int component) {
    (void)part;
    return shoal_frame_value(field, points[vertex], component);
}

static shoal_status carry(const shoal_frame* part, const shoal_frame_table* from, const int32_t* items, value_fn value,
                          shoal_surface_mesh* mesh) {
    for (int f = 0; f < from->field_count; f++) {
        const shoal_frame_array* field = &from->fields[f];
        int                      n     = shoal_frame_components(field);
        float*                   to;
        if (!is_carried(mesh, field)) continue;
        SHOAL_TRY(shoal_surface_mesh_add(mesh, field->name, n, &to));
        for (int i = 0; i < mesh->vertex_count; i++)
            for (int c = 0; c < n; c++) *to++ = (float)value(part, items, field, i, c);
    }
    return SHOAL_OK;
}

// Means over the cells that a point is a corner of. `place` is the vertex of a point, -1: it has
// none.
static shoal_status carry_cells(const shoal_frame* part, const int32_t* place, shoal_surface_mesh* mesh) {
    int* around = shoal_alloc((size_t)mesh->vertex_count + 1, sizeof *around);
    if (!around) return SHOAL_ERR_MEMORY;
    size_t       corners = (size_t)part->corners * (size_t)part->cells.count;
    shoal_status status  = SHOAL_OK;
    for (size_t k = 0; k < corners; k++)
        if (place[part->cell_points[k]] >= 0) around[place[part->cell_points[k]]]++;
    for (int f = 0; f < part->cells.field_count && status == SHOAL_OK; f++) {
        const shoal_frame_array* field = &part->cells.fields[f];
        int                      n     = shoal_frame_components(field);
        float*                   to;
        if (!is_carried(mesh, field)) continue;
        status = shoal_surface_mesh_add(mesh, field->name, n, &to);
        for (size_t k = 0; k < corners && status == SHOAL_OK; k++) {
            int at = place[part->cell_points[k]];
            for (int c = 0; c < n && at >= 0; c++)
                to[n * at + c] +=
                    (float)shoal_frame_value(field, (int)(k / (size_t)part->corners), c) / (float)around[at];
        }
    }
    shoal_free(around);
    return status;
}

// The points that triangles have, in their order: `points` of the vertices, `place` of the points.
// Returns how many.
static int number_points(const int32_t* triangles, int count, int all, int32_t* place, int32_t* points) {
    int used = 0;
    for (int i = 0; i < all; i++) place[i] = -1;
    for (size_t k = 0; k < 3 * (size_t)count; k++) place[triangles[k]] = 0;
    for (int i = 0; i < all; i++)
        if (place[i] == 0) points[used] = i, place[i] = used++;
    return used;
}

static shoal_status make_mesh(const shoal_frame* part, const int32_t* triangles, int count, int32_t* place,
                              int32_t* points, shoal_surface_mesh** out) {
    const shoal_v3* x    = shoal_frame_find(part, "position")->data;
    int             used = number_points(triangles, count, part->points.count, place, points);
    SHOAL_TRY(shoal_surface_mesh_create(used, count, out));
    shoal_surface_mesh* mesh = *out;
    for (int i = 0; i < used; i++) {
        if (!isfinite(x[points[i]].x) || !isfinite(x[points[i]].y) || !isfinite(x[points[i]].z))
            return shoal_fail(SHOAL_ERR_INPUT, "point %d has a position that is not a number", (int)points[i]);
        memcpy(mesh->positions + 3 * (size_t)i, &x[points[i]], sizeof *x);
    }
    for (size_t k = 0; k < 3 * (size_t)count; k++) mesh->triangles[k] = place[triangles[k]];
    find_normals(mesh);
    SHOAL_TRY(carry(part, &part->points, points, at_point, mesh));
    return carry_cells(part, place, mesh);
}

static shoal_status mesh_of(const shoal_frame* part, shoal_surface_mesh** out) {
    int32_t*     triangles = NULL;
    int          count     = 0;
    size_t       all       = (size_t)part->points.count;
    int32_t *    place = shoal_alloc(all + 1, sizeof *place), *points = shoal_alloc(all + 1, sizeof *points);
    shoal_status status = place && points ? shoal_frame_boundary(part, &triangles, &count) : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) status = make_mesh(part, triangles, count, place, points, out);
    shoal_free(triangles);
    shoal_free(points);
    shoal_free(place);
    return status;
}

// ---------------------------------------------------------------------------------- tetrahedra, cut open

// Each face has three vertices of its own, and is flat.
static shoal_status lay_faces(const shoal_frame* part, const int32_t* triangles, int count, shoal_surface_mesh** out) {
    const shoal_v3* x = shoal_frame_find(part, "position")->data;
    SHOAL_TRY(shoal_surface_mesh_create(3 * count, count, out));
    shoal_surface_mesh* mesh = *out;
    for (int i = 0; i < 3 * count; i++) {
        mesh->triangles[i] = i;
        memcpy(mesh->positions + 3 * (size_t)i, &x[triangles[i]], sizeof *x);
    }
    find_normals(mesh);
    return SHOAL_OK;
}

static double volume_of(const shoal_v3* x, const int32_t* c) {
    shoal_d3 a = shoal_d3_from(x[c[0]]), ab = shoal_d3_sub(shoal_d3_from(x[c[1]]), a),
             ac = shoal_d3_sub(shoal_d3_from(x[c[2]]), a), ad = shoal_d3_sub(shoal_d3_from(x[c[3]]), a);
    return fabs(shoal_d3_dot(shoal_d3_cross(ab, ac), ad)) / 6.0;
}

// Of the tetrahedron that a face is of: its own value, or the mean of its four vertices.
static double of_owner(const shoal_frame* part, const int32_t* owners, const shoal_frame_array* field, int vertex,
                       int component) {
    (void)part;
    return shoal_frame_value(field, owners[vertex / 3], component);
}
static double mean_of_corners(const shoal_frame* part, const int32_t* owners, const shoal_frame_array* field,
                              int vertex, int component) {
    const int32_t* corners = part->cell_points + 4 * (size_t)owners[vertex / 3];
    double         sum     = 0.0;
    for (int k = 0; k < 4; k++) sum += shoal_frame_value(field, corners[k], component);
    return 0.25 * sum;
}

static shoal_status carry_owners(const shoal_frame* part, const int32_t* owners, shoal_surface_mesh* mesh) {
    const shoal_v3* x = shoal_frame_find(part, "position")->data;
    float *         size, *number;
    SHOAL_TRY(shoal_surface_mesh_add(mesh, "cell_size", 1, &size));
    SHOAL_TRY(shoal_surface_mesh_add(mesh, "number", 1, &number));
    for (int i = 0; i < mesh->vertex_count; i++) {
        size[i]   = (float)cbrt(12.0 * volume_of(x, part->cell_points + 4 * (size_t)owners[i / 3]));
        number[i] = (float)owners[i / 3];
    }
    SHOAL_TRY(carry(part, &part->cells, owners, of_owner, mesh));
    return carry(part, &part->points, owners, mean_of_corners, mesh); // those that the vertices alone have
}

static void leave_out(const shoal_frame* part, int axis, double at, uint8_t* is_out) {
    const shoal_v3* x = shoal_frame_find(part, "position")->data;
    for (int t = 0; t < part->cells.count; t++) {
        double middle = 0.0;
        for (int k = 0; k < 4; k++)
            middle += 0.25 * shoal_d3_axis(shoal_d3_from(x[part->cell_points[4 * (size_t)t + (size_t)k]]), axis);
        is_out[t] = (uint8_t) !(middle <= at);
    }
}

static shoal_status cutaway_of(const shoal_frame* part, int axis, double at, shoal_surface_mesh** out) {
    int32_t *triangles = NULL, *owners = NULL;
    int      count  = 0;
    uint8_t* is_out = shoal_alloc((size_t)part->cells.count + 1, 1);
    if (!is_out) return SHOAL_ERR_MEMORY;
    leave_out(part, axis, at, is_out);
    shoal_status status = shoal_frame_cut(part, is_out, &triangles, &owners, &count);
    if (status == SHOAL_OK && count > INT32_MAX / 9)
        status = shoal_fail(SHOAL_ERR_INPUT, "a cutaway with more corners than can be numbered");
    if (status == SHOAL_OK) status = lay_faces(part, triangles, count, out);
    if (status == SHOAL_OK) status = carry_owners(part, owners, *out);
    shoal_free(owners);
    shoal_free(triangles);
    shoal_free(is_out);
    return status;
}

// ---------------------------------------------------------------------------------- several

static bool all_have(const shoal_surface_mesh* const* meshes, int count, const struct shoal_surface_array* field) {
    for (int k = 0; k < count; k++) {
        const struct shoal_surface_array* own = meshes[k] ? find(meshes[k], field->name) : field;
        if (!own || own->components != field->components) return false;
    }
    return true;
}

static void join_geometry(const shoal_surface_mesh* const* meshes, int count, shoal_surface_mesh* out) {
    size_t vertices = 0, corners = 0;
    for (int k = 0; k < count; k++) {
        const shoal_surface_mesh* m = meshes[k];
        if (!m) continue;
        memcpy(out->positions + 3 * vertices, m->positions, 3 * (size_t)m->vertex_count * sizeof(float));
        memcpy(out->normals + 3 * vertices, m->normals, 3 * (size_t)m->vertex_count * sizeof(float));
        for (size_t c = 0; c < 3 * (size_t)m->triangle_count; c++)
            out->triangles[corners++] = m->triangles[c] + (int)vertices;
        vertices += (size_t)m->vertex_count;
    }
}

static shoal_status join_fields(const shoal_surface_mesh* const* meshes, int count, const shoal_surface_mesh* like,
                                shoal_surface_mesh* out) {
    for (int f = 0; f < like->field_count; f++) {
        const struct shoal_surface_array* field = &like->fields[f];
        float*                            to;
        if (!all_have(meshes, count, field)) continue;
        SHOAL_TRY(shoal_surface_mesh_add(out, field->name, field->components, &to));
        for (int k = 0; k < count; k++) {
            if (!meshes[k]) continue;
            size_t floats = (size_t)field->components * (size_t)meshes[k]->vertex_count;
            memcpy(to, find(meshes[k], field->name)->data, floats * sizeof *to);
            to += floats;
        }
    }
    return SHOAL_OK;
}

// One mesh of several, with the fields that all of them have; some may be NULL.
static shoal_status join(const shoal_surface_mesh* const* meshes, int count, shoal_surface_mesh** out) {
    int64_t                   vertices = 0, triangles = 0;
    const shoal_surface_mesh* like = NULL;
    *out                           = NULL;
    for (int k = 0; k < count; k++) {
        if (!meshes[k]) continue;
        if (!like) like = meshes[k];
        vertices += meshes[k]->vertex_count;
        triangles += meshes[k]->triangle_count;
    }
    if (!like) return SHOAL_OK;
    if (vertices > INT32_MAX / 3 || triangles > INT32_MAX / 3)
        return shoal_fail(SHOAL_ERR_INPUT, "a mesh with more corners than can be numbered");
    shoal_status status = shoal_surface_mesh_create((int)vertices, (int)triangles, out);
    if (status == SHOAL_OK) {
        join_geometry(meshes, count, *out);
        status = join_fields(meshes, count, like, *out);
    }
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_surface_mesh_destroy(*out);
    *out = NULL;
    return status;
}

static bool is_of(const post_frame* frame, int part, int material) {
    bool is_known = frame->materials[part] && frame->parts[part]->points.count > 0;
    return (is_known ? frame->materials[part][0] : 0) == material;
}

// `parts` are bits. Tetrahedra beside particles are a solver's mesh, not its liquid, whose surface is around these.
static shoal_status meshes_of(const post_frame* frame, int material, unsigned parts, shoal_surface_mesh** out) {
    shoal_surface_mesh* meshes[SHOAL_SETS_MOST] = {0};
    shoal_status        status                  = SHOAL_OK;
    int                 kind                    = 4;
    bool                has_particles           = false;
    *out                                        = NULL;
    for (int k = 0; k < frame->count; k++) {
        if (!is_of(frame, k, material)) parts &= ~(1u << k);
        if (frame->parts[k]->corners == 3 && (parts & 1u << k)) kind = 3;
        has_particles = has_particles || (frame->parts[k]->corners == 0 && frame->parts[k]->points.count > 0);
    }
    if (kind == 4 && has_particles) return SHOAL_OK;
    for (int k = 0; k < frame->count && status == SHOAL_OK; k++)
        if (frame->parts[k]->corners == kind && (parts & 1u << k)) status = mesh_of(frame->parts[k], &meshes[k]);
    if (status == SHOAL_OK) status = join((const shoal_surface_mesh* const*)meshes, frame->count, out);
    for (int k = 0; k < frame->count; k++) shoal_surface_mesh_destroy(meshes[k]);
    return status;
}

shoal_status post_part_meshes(const post_frame* frame, int material, shoal_surface_mesh** out) {
    return meshes_of(frame, material, ~0u, out);
}

shoal_status post_part_meshes_with(const post_source* source, const post_frame* frame, int material, const char* field,
                                   shoal_surface_mesh** out) {
    unsigned parts = 0;
    for (int k = 0, count; k < frame->count; k++)
        if (post_frame_find(source, frame, k, field, &count)) parts |= 1u << k;
    return meshes_of(frame, material, parts, out);
}

shoal_status post_part_cutaway(const post_frame* frame, int material, int axis, double at, shoal_surface_mesh** out) {
    shoal_surface_mesh* meshes[SHOAL_SETS_MOST] = {0};
    shoal_status        status                  = SHOAL_OK;
    *out                                        = NULL;
    for (int k = 0; k < frame->count && status == SHOAL_OK; k++)
        if (frame->parts[k]->corners == 4 && is_of(frame, k, material))
            status = cutaway_of(frame->parts[k], axis, at, &meshes[k]);
    if (status == SHOAL_OK) status = join((const shoal_surface_mesh* const*)meshes, frame->count, out);
    for (int k = 0; k < frame->count; k++) shoal_surface_mesh_destroy(meshes[k]);
    return status;
}

shoal_status post_material_surface(const shoal_surface_params* params, const post_material* material,
                                   const shoal_exec* exec, shoal_surface_mesh** out) {
    if (!material->mesh) return shoal_surface_build(params, &material->particles, exec, shoal_isa_best(), out);
    shoal_surface_mesh* around = NULL;
    if (material->particles.count > 0)
        SHOAL_TRY(shoal_surface_build(params, &material->particles, exec, shoal_isa_best(), &around));
    shoal_status status = join((const shoal_surface_mesh* const[]){material->mesh, around}, 2, out);
    shoal_surface_mesh_destroy(around);
    return status;
}
