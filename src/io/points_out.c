// SPDX-License-Identifier: MIT
// Parts of frames as PLY (binary, all fields), OBJ (positions, the format has no more) and CSV (all
// fields of the points). Vector fields become three columns: velocity_x, velocity_y, velocity_z;
// position is x, y, z. PLY and OBJ hold the triangles of a mesh, and the faces on the outside of
// tetrahedra.
#include "io/points_out.h"

#include "io/file.h"

#include <stdio.h>
#include <string.h>

typedef struct point_faces {
    int      count;
    int32_t* points; // [3 * count]
} point_faces;

static void column_name(const shoal_frame_array* field, int c, char* buffer, size_t size) {
    char letter[8];
    shoal_frame_component_name(field, c, letter);
    if (strcmp(field->name, "position") == 0)
        snprintf(buffer, size, "%s", letter);
    else
        snprintf(buffer, size, "%s%s%s", field->name, *letter ? "_" : "", letter);
}

// The format has no whole numbers of 64 bits.
static const char* ply_type(shoal_type type) {
    switch (type) {
    case SHOAL_I1:
    case SHOAL_I3:
    case SHOAL_R1:
    case SHOAL_R3:
    case SHOAL_R4:
        return "int";
    case SHOAL_U1:
        return "uchar";
    case SHOAL_D1:
    case SHOAL_D3:
    case SHOAL_L1:
        return "double";
    default:
        return "float";
    }
}

static void put_ply_item(const shoal_frame_array* field, int i, shoal_out* out) {
    size_t size = shoal_frame_item_size(field);
    if (field->type != SHOAL_L1) {
        shoal_out_add(out, (const char*)field->data + (size_t)i * size, size);
        return;
    }
    for (int c = 0; c < shoal_frame_components(field); c++) {
        double value = shoal_frame_value(field, i, c);
        shoal_out_add(out, &value, sizeof value);
    }
}

static void put_ply(const shoal_frame* frame, const point_faces* faces, shoal_out* out) {
    const shoal_frame_table* points = &frame->points;
    char                     name[SHOAL_FRAME_NAME_SIZE + 8];
    shoal_out_print(out, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", points->count);
    for (int f = 0; f < points->field_count; f++)
        for (int c = 0; c < shoal_frame_components(&points->fields[f]); c++) {
            column_name(&points->fields[f], c, name, sizeof name);
            shoal_out_print(out, "property %s %s\n", ply_type(points->fields[f].type), name);
        }
    if (frame->corners > 0)
        shoal_out_print(out, "element face %d\nproperty list uchar int vertex_indices\n", faces->count);
    shoal_out_print(out, "end_header\n");
    for (int i = 0; i < points->count; i++)
        for (int f = 0; f < points->field_count; f++) put_ply_item(&points->fields[f], i, out);
    for (int t = 0; t < faces->count; t++) {
        char row[13] = {3};
        memcpy(row + 1, faces->points + 3 * (size_t)t, 12);
        shoal_out_add(out, row, sizeof row);
    }
}

static void put_obj(const shoal_frame* frame, const point_faces* faces, shoal_out* out) {
    const shoal_v3* p = shoal_frame_find(frame, "position")->data;
    for (int i = 0; i < frame->points.count; i++)
        shoal_out_print(out, "v %.9g %.9g %.9g\n", (double)p[i].x, (double)p[i].y, (double)p[i].z);
    for (int t = 0; t < faces->count; t++) {
        const int32_t* c = faces->points + 3 * (size_t)t;
        shoal_out_print(out, "f %d %d %d\n", (int)c[0] + 1, (int)c[1] + 1, (int)c[2] + 1);
    }
}

static void put_csv(const shoal_frame* frame, const point_faces* faces, shoal_out* out) {
    (void)faces;
    const shoal_frame_table* points = &frame->points;
    char                     name[SHOAL_FRAME_NAME_SIZE + 8];
    for (int f = 0; f < points->field_count; f++)
        for (int c = 0; c < shoal_frame_components(&points->fields[f]); c++) {
            column_name(&points->fields[f], c, name, sizeof name);
            shoal_out_print(out, "%s%s", f + c ? "," : "", name);
        }
    shoal_out_print(out, "\n");
    for (int i = 0; i < points->count; i++) {
        for (int f = 0; f < points->field_count; f++)
            for (int c = 0; c < shoal_frame_components(&points->fields[f]); c++)
                shoal_out_print(out, points->fields[f].type == SHOAL_I1 ? "%s%.0f" : "%s%.9g", f + c ? "," : "",
                                shoal_frame_value(&points->fields[f], i, c));
        shoal_out_print(out, "\n");
    }
}

static shoal_status save_with(void (*put)(const shoal_frame*, const point_faces*, shoal_out*), const shoal_frame* frame,
                              const char* path) {
    const shoal_frame_array* position = shoal_frame_find(frame, "position");
    if (!position || position->type != SHOAL_V3)
        return shoal_fail(SHOAL_ERR_INTERNAL, "%s: a frame without positions", path);
    point_faces faces;
    SHOAL_TRY(shoal_frame_boundary(frame, &faces.points, &faces.count));
    shoal_out*   out    = shoal_alloc(1, sizeof *out);
    shoal_status status = out ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) {
        shoal_out_begin(out, path);
        put(frame, &faces, out);
        status = shoal_out_end(out);
    }
    shoal_free(out);
    shoal_free(faces.points);
    return status;
}

static shoal_status save_ply(const shoal_frame* frame, const char* path) { return save_with(put_ply, frame, path); }
static shoal_status save_obj(const shoal_frame* frame, const char* path) { return save_with(put_obj, frame, path); }
static shoal_status save_csv(const shoal_frame* frame, const char* path) { return save_with(put_csv, frame, path); }

const shoal_points_format* shoal_points_formats(void) {
    static const shoal_points_format formats[] = {
        {"ply", ".ply", save_ply}, {"obj", ".obj", save_obj}, {"csv", ".csv", save_csv}, {NULL, NULL, NULL}};
    return formats;
}
