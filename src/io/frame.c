// SPDX-License-Identifier: MIT
// Frames in memory: fields added by name, put in id order, looked at through views.
#include "io/frame.h"

#include "exec/exec.h"

#include <stdio.h>
#include <string.h>

int shoal_frame_components(shoal_type type) {
    return type == SHOAL_V3 ? 3 : type == SHOAL_V4 ? 4 : 1;
}

size_t shoal_frame_type_size(shoal_type type) {
    return (size_t)shoal_frame_components(type) *
           (type == SHOAL_U1 ? sizeof(uint8_t) : sizeof(float));
}

double shoal_frame_value(const shoal_frame_array* field, int i, int c) {
    if (field->type == SHOAL_U1) return ((const uint8_t*)field->data)[i];
    if (field->type == SHOAL_I1) return ((const int32_t*)field->data)[i];
    size_t components = (size_t)shoal_frame_components(field->type);
    return (double)((const float*)field->data)[(size_t)i * components + (size_t)c];
}

shoal_status shoal_frame_create(int count, double time, shoal_frame** out) {
    *out = shoal_alloc(1, sizeof **out);
    if (!*out) return SHOAL_ERR_MEMORY;
    (*out)->count = count;
    (*out)->time  = time;
    return SHOAL_OK;
}

void shoal_frame_destroy(shoal_frame* frame) {
    if (!frame) return;
    for (int f = 0; f < frame->field_count; f++)
        shoal_free(frame->fields[f].data);
    shoal_free(frame);
}

const shoal_frame_array* shoal_frame_find(const shoal_frame* frame, const char* name) {
    for (int f = 0; f < frame->field_count; f++)
        if (strcmp(frame->fields[f].name, name) == 0) return &frame->fields[f];
    return NULL;
}

shoal_status shoal_frame_add(shoal_frame* frame, const char* name, shoal_type type,
                             const void* data) {
    size_t length = strlen(name);
    if (length == 0 || length >= SHOAL_FRAME_NAME_ROOM)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "field name \"%.80s\" has %zu letters, allowed are 1 to %d", name, length,
                          SHOAL_FRAME_NAME_ROOM - 1);
    if (shoal_frame_find(frame, name))
        return shoal_fail(SHOAL_ERR_INPUT, "field \"%s\" is there twice", name);
    if (frame->field_count == SHOAL_FRAME_FIELDS_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "more than %d fields", SHOAL_FRAME_FIELDS_MOST);

    shoal_frame_array* field = &frame->fields[frame->field_count];
    field->data              = shoal_alloc((size_t)frame->count, shoal_frame_type_size(type));
    if (!field->data) return SHOAL_ERR_MEMORY;
    if (frame->count > 0)
        memcpy(field->data, data, (size_t)frame->count * shoal_frame_type_size(type));
    memcpy(field->name, name, length + 1);
    field->type = type;
    frame->field_count++;
    return SHOAL_OK;
}

static void gather(void* to, const void* from, const int* order, int count, size_t size) {
    char*       t = to;
    const char* f = from;
    for (int i = 0; i < count; i++)
        memcpy(t + (size_t)i * size, f + (size_t)order[i] * size, size);
}

shoal_status shoal_frame_sort(shoal_frame* frame) {
    const shoal_frame_array* id = shoal_frame_find(frame, "id");
    if (!id || id->type != SHOAL_I1) return shoal_fail(SHOAL_ERR_INTERNAL, "a frame without ids");
    const int32_t* ids    = id->data;
    size_t         count  = (size_t)frame->count;
    uint64_t*      keys   = shoal_alloc(count, 2 * sizeof *keys);
    int*           order  = shoal_alloc(count, sizeof *order);
    void*          room   = shoal_alloc(shoal_sort_room(frame->count), 1);
    void*          sorted = shoal_alloc(count, sizeof(shoal_v4));
    shoal_status   status = keys && order && room && sorted ? SHOAL_OK : SHOAL_ERR_MEMORY;

    if (status == SHOAL_OK && count > 0) {
        shoal_exec exec = {1}; // the background thread leaves the cores to the next step
        for (size_t i = 0; i < count; i++)
            keys[i] = (uint32_t)ids[i];
        shoal_sort_keys(&exec, keys, frame->count, 32, order, keys + count, room);
        for (int f = 0; f < frame->field_count; f++) {
            size_t size = shoal_frame_type_size(frame->fields[f].type);
            gather(sorted, frame->fields[f].data, order, frame->count, size);
            memcpy(frame->fields[f].data, sorted, count * size);
        }
    }
    shoal_free(sorted);
    shoal_free(room);
    shoal_free(order);
    shoal_free(keys);
    return status;
}

int64_t shoal_frame_count(const shoal_frame* frame) { return frame->count; }
int     shoal_frame_field_count(const shoal_frame* frame) { return frame->field_count; }
double  shoal_frame_time(const shoal_frame* frame) { return frame->time; }

shoal_status shoal_frame_field_at(const shoal_frame* frame, int index, shoal_field_view* out) {
    if (index < 0 || index >= frame->field_count)
        return shoal_fail(SHOAL_ERR_PARAM, "field %d is not in the frame, it has %d", index,
                          frame->field_count);
    const shoal_frame_array* field = &frame->fields[index];
    *out = (shoal_field_view){field->name, "", "", field->type, frame->count, field->data};
    return SHOAL_OK;
}

shoal_status shoal_frame_field(const shoal_frame* frame, const char* name, shoal_field_view* out) {
    const shoal_frame_array* field = shoal_frame_find(frame, name);
    if (field) return shoal_frame_field_at(frame, (int)(field - frame->fields), out);
    char   names[512] = "";
    size_t used       = 0;
    for (int f = 0; f < frame->field_count && used < sizeof names; f++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", f ? ", " : "",
                                 frame->fields[f].name);
    return shoal_fail(SHOAL_ERR_PARAM, "field \"%s\" is not in the frame, it has %s", name, names);
}
