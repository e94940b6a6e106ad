// SPDX-License-Identifier: MIT
// Particles as PLY (binary, all fields), OBJ (positions only, the format has no more) and CSV (all
// fields). Vector fields become three columns: velocity_x, velocity_y, velocity_z; position is x,
// y, z.
#include "io/points_out.h"

#include "io/file.h"

#include <stdio.h>
#include <string.h>

static void column_name(const shoal_frame_array* field, int c, char* room, size_t size) {
    if (strcmp(field->name, "position") == 0)
        snprintf(room, size, "%c", "xyz"[c]);
    else if (shoal_frame_components(field->type) > 1)
        snprintf(room, size, "%s_%c", field->name, "xyzw"[c]);
    else
        snprintf(room, size, "%s", field->name);
}

static const char* ply_type(shoal_type type) {
    return type == SHOAL_I1 ? "int" : type == SHOAL_U1 ? "uchar" : "float";
}

static void put_ply(const shoal_frame* frame, shoal_out* out) {
    char name[SHOAL_FRAME_NAME_ROOM + 4];
    shoal_out_print(out, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", frame->count);
    for (int f = 0; f < frame->field_count; f++)
        for (int c = 0; c < shoal_frame_components(frame->fields[f].type); c++) {
            column_name(&frame->fields[f], c, name, sizeof name);
            shoal_out_print(out, "property %s %s\n", ply_type(frame->fields[f].type), name);
        }
    shoal_out_print(out, "end_header\n");
    for (int i = 0; i < frame->count; i++)
        for (int f = 0; f < frame->field_count; f++) {
            size_t size = shoal_frame_type_size(frame->fields[f].type);
            shoal_out_add(out, (const char*)frame->fields[f].data + (size_t)i * size, size);
        }
}

static void put_obj(const shoal_frame* frame, shoal_out* out) {
    const shoal_v3* p = shoal_frame_find(frame, "position")->data;
    for (int i = 0; i < frame->count; i++)
        shoal_out_print(out, "v %.9g %.9g %.9g\n", (double)p[i].x, (double)p[i].y, (double)p[i].z);
}

static void put_csv(const shoal_frame* frame, shoal_out* out) {
    char name[SHOAL_FRAME_NAME_ROOM + 4];
    for (int f = 0; f < frame->field_count; f++)
        for (int c = 0; c < shoal_frame_components(frame->fields[f].type); c++) {
            column_name(&frame->fields[f], c, name, sizeof name);
            shoal_out_print(out, "%s%s", f + c ? "," : "", name);
        }
    shoal_out_print(out, "\n");
    for (int i = 0; i < frame->count; i++) {
        for (int f = 0; f < frame->field_count; f++)
            for (int c = 0; c < shoal_frame_components(frame->fields[f].type); c++)
                shoal_out_print(out, frame->fields[f].type == SHOAL_I1 ? "%s%.0f" : "%s%.9g",
                                f + c ? "," : "", shoal_frame_value(&frame->fields[f], i, c));
        shoal_out_print(out, "\n");
    }
}

static shoal_status save_with(void (*put)(const shoal_frame*, shoal_out*), const shoal_frame* frame,
                              const char* path) {
    const shoal_frame_array* position = shoal_frame_find(frame, "position");
    if (!position || position->type != SHOAL_V3)
        return shoal_fail(SHOAL_ERR_INTERNAL, "%s: a frame without positions", path);
    shoal_out* out = shoal_alloc(1, sizeof *out);
    if (!out) return SHOAL_ERR_MEMORY;
    shoal_out_begin(out, path);
    put(frame, out);
    shoal_status status = shoal_out_end(out);
    shoal_free(out);
    return status;
}

static shoal_status save_ply(const shoal_frame* frame, const char* path) {
    return save_with(put_ply, frame, path);
}
static shoal_status save_obj(const shoal_frame* frame, const char* path) {
    return save_with(put_obj, frame, path);
}
static shoal_status save_csv(const shoal_frame* frame, const char* path) {
    return save_with(put_csv, frame, path);
}

const shoal_points_format* shoal_points_formats(void) {
    static const shoal_points_format formats[] = {
        {"ply", ".ply", save_ply},
        {"obj", ".obj", save_obj},
        {"csv", ".csv", save_csv},
        {NULL,  NULL,   NULL    }
    };
    return formats;
}
