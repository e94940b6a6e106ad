// SPDX-License-Identifier: MIT
// Writers of surfaces: VTK PolyData with appended raw binary, binary PLY, OBJ, binary STL.
#include "io/mesh_out.h"

#include "io/file.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "meshes are little endian, copied as they lie");

enum { CHUNK = 2048 }; // vertices or triangles put together at a time

// --- vtp

static void head_array(shoal_text* head, const char* name, const char* type, int components, size_t bytes,
                       uint64_t* offset) {
    shoal_text_add(head,
                   "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                   "format=\"appended\" offset=\"%llu\"/>\n",
                   type, name, components, (unsigned long long)*offset);
    *offset += sizeof(uint64_t) + bytes;
}

static void vtp_head(const shoal_surface_mesh* mesh, double time_s, shoal_text* head) {
    uint64_t offset = 0;
    size_t   v = (size_t)mesh->vertex_count * sizeof(float), t = (size_t)mesh->triangle_count * sizeof(int32_t);
    shoal_text_add(head,
                   "<?xml version=\"1.0\"?>\n"
                   "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                   "header_type=\"UInt64\">\n"
                   "  <PolyData>\n    <FieldData>\n"
                   "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                   "format=\"ascii\">%.17g</DataArray>\n"
                   "    </FieldData>\n"
                   "    <Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                   "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n"
                   "      <PointData Normals=\"Normals\">\n",
                   time_s, mesh->vertex_count, mesh->triangle_count);
    head_array(head, "Normals", "Float32", 3, 3 * v, &offset);
    for (int f = 0; f < mesh->field_count; f++)
        head_array(head, mesh->fields[f].name, "Float32", mesh->fields[f].components,
                   (size_t)mesh->fields[f].components * v, &offset);
    shoal_text_add(head, "      </PointData>\n      <Points>\n");
    head_array(head, "Points", "Float32", 3, 3 * v, &offset);
    shoal_text_add(head, "      </Points>\n      <Polys>\n");
    head_array(head, "connectivity", "Int32", 1, 3 * t, &offset);
    head_array(head, "offsets", "Int32", 1, t, &offset);
    shoal_text_add(head, "      </Polys>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _");
}

static void put_array(shoal_out* out, const void* data, size_t bytes) {
    uint64_t size = bytes;
    shoal_out_add(out, &size, sizeof size);
    shoal_out_add(out, data, bytes);
}

static void vtp_put(shoal_out* out, const shoal_surface_mesh* mesh) {
    size_t v = (size_t)mesh->vertex_count * sizeof(float), t = (size_t)mesh->triangle_count * sizeof(int32_t);
    put_array(out, mesh->normals, 3 * v);
    for (int f = 0; f < mesh->field_count; f++)
        put_array(out, mesh->fields[f].data, (size_t)mesh->fields[f].components * v);
    put_array(out, mesh->positions, 3 * v);
    put_array(out, mesh->triangles, 3 * t);
    uint64_t size = t;
    shoal_out_add(out, &size, sizeof size);
    for (int first = 0; first < mesh->triangle_count; first += CHUNK) {
        int32_t ends[CHUNK];
        int     count = mesh->triangle_count - first < CHUNK ? mesh->triangle_count - first : CHUNK;
        for (int k = 0; k < count; k++) ends[k] = 3 * (first + k + 1);
        shoal_out_add(out, ends, (size_t)count * sizeof *ends);
    }
    shoal_out_print(out, "\n  </AppendedData>\n</VTKFile>\n");
}

// --- ply

// Programs know the parts of a vector by these names: x y z, nx ny nz; others are NAME_x ...
static void ply_head(const shoal_surface_mesh* mesh, double time_s, shoal_text* head) {
    shoal_text_add(head,
                   "ply\nformat binary_little_endian 1.0\ncomment time %.17g\nelement vertex %d\n"
                   "property float x\nproperty float y\nproperty float z\n"
                   "property float nx\nproperty float ny\nproperty float nz\n",
                   time_s, mesh->vertex_count);
    for (int f = 0; f < mesh->field_count; f++)
        for (int c = 0; c < mesh->fields[f].components; c++) {
            if (mesh->fields[f].components == 1)
                shoal_text_add(head, "property float %s\n", mesh->fields[f].name);
            else if (strcmp(mesh->fields[f].name, "velocity") == 0)
                shoal_text_add(head, "property float v%c\n",
                               "xyz"[c]); // as Houdini and others have it
            else
                shoal_text_add(head, "property float %s_%c\n", mesh->fields[f].name, "xyz"[c]);
        }
    shoal_text_add(head, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", mesh->triangle_count);
}

static void ply_put(shoal_out* out, const shoal_surface_mesh* mesh) {
    for (int i = 0; i < mesh->vertex_count; i++) {
        float row[6 + 3 * SHOAL_SURFACE_FIELDS_MOST];
        int   count = 6;
        memcpy(row, mesh->positions + 3 * (size_t)i, 3 * sizeof *row);
        memcpy(row + 3, mesh->normals + 3 * (size_t)i, 3 * sizeof *row);
        for (int f = 0; f < mesh->field_count; f++) {
            int n = mesh->fields[f].components;
            memcpy(row + count, mesh->fields[f].data + (size_t)n * (size_t)i, (size_t)n * sizeof *row);
            count += n;
        }
        shoal_out_add(out, row, (size_t)count * sizeof *row);
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        char row[13] = {3};
        memcpy(row + 1, mesh->triangles + 3 * (size_t)t, 12);
        shoal_out_add(out, row, sizeof row);
    }
}

// --- obj, stl

static void obj_put(shoal_out* out, const shoal_surface_mesh* mesh, double time_s) {
    shoal_out_print(out, "# time %.17g\n", time_s);
    for (int i = 0; i < mesh->vertex_count; i++) {
        const float* p = mesh->positions + 3 * (size_t)i;
        shoal_out_print(out, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        const float* n = mesh->normals + 3 * (size_t)i;
        shoal_out_print(out, "vn %.4f %.4f %.4f\n", (double)n[0], (double)n[1], (double)n[2]);
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* c = mesh->triangles + 3 * (size_t)t;
        shoal_out_print(out, "f %d//%d %d//%d %d//%d\n", c[0] + 1, c[0] + 1, c[1] + 1, c[1] + 1, c[2] + 1, c[2] + 1);
    }
}

static void stl_put(shoal_out* out, const shoal_surface_mesh* mesh, double time_s) {
    char     head[80] = {0};
    uint32_t count    = (uint32_t)mesh->triangle_count;
    snprintf(head, sizeof head, "shoal surface, time %.17g s", time_s);
    shoal_out_add(out, head, sizeof head);
    shoal_out_add(out, &count, sizeof count);
    for (int t = 0; t < mesh->triangle_count; t++) {
        float    row[12];
        char     bytes[50] = {0};
        shoal_v3 p[3];
        for (int k = 0; k < 3; k++) {
            const float* v = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
            p[k]           = shoal_v3_make(v[0], v[1], v[2]);
        }
        shoal_v3 n      = shoal_v3_cross(shoal_v3_sub(p[1], p[0]), shoal_v3_sub(p[2], p[0]));
        float    length = shoal_v3_length(n);
        n               = length > 0.0f ? shoal_v3_scale(n, 1.0f / length) : shoal_v3_make(0.0f, 0.0f, 0.0f);
        memcpy(row, &n, sizeof n);
        memcpy(row + 3, p, sizeof p);
        memcpy(bytes, row, sizeof row);
        shoal_out_add(out, bytes, sizeof bytes);
    }
}

// --- all of them

typedef enum format_kind { VTP, PLY, OBJ, STL } format_kind;

static shoal_status save(const shoal_surface_mesh* mesh, double time_s, const char* path, format_kind kind) {
    shoal_text head = {0};
    shoal_out* out  = shoal_alloc(1, sizeof *out);
    if (kind == VTP) vtp_head(mesh, time_s, &head);
    if (kind == PLY) ply_head(mesh, time_s, &head);
    shoal_status status = out && !head.failed ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) {
        shoal_out_begin(out, path);
        shoal_out_add(out, head.bytes, head.length);
        if (kind == VTP) vtp_put(out, mesh);
        if (kind == PLY) ply_put(out, mesh);
        if (kind == OBJ) obj_put(out, mesh, time_s);
        if (kind == STL) stl_put(out, mesh, time_s);
        status = shoal_out_end(out);
    }
    shoal_free(out);
    shoal_text_free(&head);
    return status;
}

#define SAVE(name, kind)                                                                                               \
    static shoal_status save_##name(const shoal_surface_mesh* mesh, double time_s, const char* path) {                 \
        return save(mesh, time_s, path, kind);                                                                         \
    }
SAVE(vtp, VTP)
SAVE(ply, PLY)
SAVE(obj, OBJ)
SAVE(stl, STL)
#undef SAVE

const shoal_mesh_format* shoal_mesh_formats(void) {
    static const shoal_mesh_format formats[] = {
        {"vtp", ".vtp", save_vtp}, {"ply", ".ply", save_ply}, {"obj", ".obj", save_obj}, {"stl", ".stl", save_stl}, {0},
    };
    return formats;
}

shoal_status shoal_surface_mesh_save(const shoal_surface_mesh* mesh, double time_s, const char* path) {
    for (const shoal_mesh_format* f = shoal_mesh_formats(); f->name; f++)
        if (shoal_path_has_suffix(path, f->suffix)) return f->save(mesh, time_s, path);
    return shoal_fail(SHOAL_ERR_INPUT, "%s: its ending is none of .vtp, .ply, .obj, .stl", path);
}
