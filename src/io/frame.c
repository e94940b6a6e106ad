// SPDX-License-Identifier: MIT
// Frames in memory: fields added by name, put in id order, looked at through views; the boundary of
// cells.
#include "io/frame.h"

#include "base/memory.h"
#include "exec/exec.h"
#include "state/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int components_of(shoal_type type) {
    switch (type) {
    case SHOAL_V3:
    case SHOAL_D3:
    case SHOAL_I3:
    case SHOAL_R3:
        return 3;
    case SHOAL_V4:
    case SHOAL_R4:
        return 4;
    case SHOAL_S6:
        return 6;
    default:
        return 1;
    }
}

int    shoal_frame_components(const shoal_frame_array* field) { return components_of(field->type) * field->width; }
size_t shoal_frame_item_size(const shoal_frame_array* field) {
    return shoal_type_size(field->type) * (size_t)field->width;
}

void shoal_frame_component_name(const shoal_frame_array* field, int c, char out[8]) {
    static const char* const sides[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
    int                      count   = shoal_frame_components(field);
    if (field->type == SHOAL_S6 && count == 6)
        snprintf(out, 8, "%s", sides[c]);
    else if (count > 4)
        snprintf(out, 8, "%d", c % 1000);
    else
        snprintf(out, 8, "%.1s", count > 1 ? &"xyzw"[c] : "");
}

double shoal_frame_value(const shoal_frame_array* field, int i, int c) {
    size_t at = (size_t)i * (size_t)shoal_frame_components(field) + (size_t)c;
    switch (field->type) {
    case SHOAL_U1:
        return ((const uint8_t*)field->data)[at];
    case SHOAL_I1:
    case SHOAL_I3:
    case SHOAL_R1:
    case SHOAL_R3:
    case SHOAL_R4:
        return ((const int32_t*)field->data)[at];
    case SHOAL_L1:
        return (double)((const int64_t*)field->data)[at];
    case SHOAL_D1:
    case SHOAL_D3:
        return ((const double*)field->data)[at];
    default:
        return (double)((const float*)field->data)[at];
    }
}

shoal_status shoal_frame_create(int count, double time, shoal_frame** out) {
    *out = shoal_alloc(1, sizeof **out);
    if (!*out) return SHOAL_ERR_MEMORY;
    (*out)->points.count = count;
    (*out)->time         = time;
    return SHOAL_OK;
}

static void free_table(shoal_frame_table* table) {
    for (int f = 0; f < table->field_count; f++) shoal_free(table->fields[f].data);
}

void shoal_frame_destroy(shoal_frame* frame) {
    if (!frame) return;
    free_table(&frame->points);
    free_table(&frame->cells);
    shoal_free(frame->cell_points);
    shoal_free(frame);
}

static const shoal_frame_array* find(const shoal_frame_table* table, const char* name) {
    for (int f = 0; f < table->field_count; f++)
        if (strcmp(table->fields[f].name, name) == 0) return &table->fields[f];
    return NULL;
}

const shoal_frame_array* shoal_frame_find(const shoal_frame* frame, const char* name) {
    return find(&frame->points, name);
}

shoal_status shoal_frame_add(shoal_frame_table* table, const shoal_frame_source* source) {
    size_t length = strlen(source->name);
    if (length == 0 || length >= SHOAL_FRAME_NAME_SIZE)
        return shoal_fail(SHOAL_ERR_INPUT, "field name \"%.80s\" has %zu letters, allowed are 1 to %d", source->name,
                          length, SHOAL_FRAME_NAME_SIZE - 1);
    if (find(table, source->name)) return shoal_fail(SHOAL_ERR_INPUT, "field \"%s\" is there twice", source->name);
    if (table->field_count == SHOAL_FRAME_FIELDS_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "more than %d fields", SHOAL_FRAME_FIELDS_MOST);

    shoal_frame_array* field = &table->fields[table->field_count];
    *field      = (shoal_frame_array){.type = source->type, .width = source->width > 0 ? source->width : 1};
    field->data = shoal_alloc_unset((size_t)table->count, shoal_frame_item_size(field));
    if (!field->data) return SHOAL_ERR_MEMORY;
    if (table->count > 0 && source->data)
        memcpy(field->data, source->data, (size_t)table->count * shoal_frame_item_size(field));
    memcpy(field->name, source->name, length + 1);
    snprintf(field->unit, sizeof field->unit, "%s", source->unit ? source->unit : "");
    table->field_count++;
    return SHOAL_OK;
}

shoal_status shoal_frame_add_cells(shoal_frame* frame, int corners, int count, const int32_t* points) {
    size_t all = (size_t)count * (size_t)corners;
    for (size_t k = 0; k < all; k++)
        if (points[k] < 0 || points[k] >= frame->points.count)
            return shoal_fail(SHOAL_ERR_INPUT, "cell %zu has a corner that is not there (%d of %d points)",
                              k / (size_t)corners, (int)points[k], frame->points.count);
    frame->cell_points = shoal_alloc(all + 1, sizeof *frame->cell_points);
    if (!frame->cell_points) return SHOAL_ERR_MEMORY;
    if (all > 0) memcpy(frame->cell_points, points, all * sizeof *points);
    frame->corners     = corners;
    frame->cells.count = count;
    return SHOAL_OK;
}

static void gather(void* to, const void* from, const int* order, int count, size_t size) {
    char*       t = to;
    const char* f = from;
    for (int i = 0; i < count; i++) memcpy(t + (size_t)i * size, f + (size_t)order[i] * size, size);
}

// Each field goes to the memory of the one before, the widest first: so that of a field is never too small for the
// next.
static void sort_fields(shoal_frame_table* points, const int* order, void** other) {
    bool is_sorted[SHOAL_FRAME_FIELDS_MOST] = {false};
    for (int n = 0; n < points->field_count; n++) {
        int    widest = -1;
        size_t size   = 0;
        for (int f = 0; f < points->field_count; f++)
            if (!is_sorted[f] && shoal_frame_item_size(&points->fields[f]) > size)
                widest = f, size = shoal_frame_item_size(&points->fields[f]);
        void* from = points->fields[widest].data;
        gather(*other, from, order, points->count, size);
        points->fields[widest].data = *other;
        *other                      = from;
        is_sorted[widest]           = true;
    }
}

shoal_status shoal_frame_sort(shoal_frame* frame) {
    shoal_frame_table*       points = &frame->points;
    const shoal_frame_array* id     = find(points, "id");
    if (!id || id->type != SHOAL_I1 || id->width != 1 || frame->corners > 0) return SHOAL_OK;
    const int32_t* ids   = id->data;
    size_t         count = (size_t)points->count, widest = 1;
    for (int f = 0; f < points->field_count; f++) {
        size_t size = shoal_frame_item_size(&points->fields[f]);
        widest      = size > widest ? size : widest;
    }
    uint64_t*    keys    = shoal_alloc(count, 2 * sizeof *keys);
    int*         order   = shoal_alloc(count, sizeof *order);
    void*        scratch = shoal_alloc(shoal_sort_scratch(points->count), 1);
    void*        sorted  = shoal_alloc(count, widest);
    shoal_status status  = keys && order && scratch && sorted ? SHOAL_OK : SHOAL_ERR_MEMORY;

    if (status == SHOAL_OK && count > 0) {
        shoal_exec exec = {.threads = 1}; // the background thread leaves the cores to the next step
        for (size_t i = 0; i < count; i++) keys[i] = (uint32_t)ids[i];
        shoal_sort_keys(&exec, keys, points->count, 32, order, keys + count, scratch);
        sort_fields(points, order, &sorted);
    }
    shoal_free(sorted);
    shoal_free(scratch);
    shoal_free(order);
    shoal_free(keys);
    return status;
}

// ---------------------------------------------------------------------------------- boundary

// A face of a tetrahedron, as it turns and by its points in rising order, which both of its
// tetrahedra share.
typedef struct face {
    int32_t key[3], corner[3], cell;
} face;

static int compare_faces(const void* a, const void* b) {
    const face *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->key[k] != q->key[k]) return p->key[k] < q->key[k] ? -1 : 1;
    return memcmp(p->corner, q->corner, sizeof p->corner);
}

static face face_of(int32_t a, int32_t b, int32_t c, int32_t cell) {
    face    f       = {.corner = {a, b, c}, .key = {a, b, c}, .cell = cell};
    int32_t swapped = 0;
#define ORDER(i, j)                                                                                                    \
    if (f.key[i] > f.key[j]) swapped = f.key[i], f.key[i] = f.key[j], f.key[j] = swapped
    ORDER(0, 1);
    ORDER(1, 2);
    ORDER(0, 1);
#undef ORDER
    return f;
}

// Six times the volume: above 0 where the first three corners turn counter-clockwise seen from
// outside, away from the fourth.
static double turn_of(const shoal_v3* x, const int32_t* t) {
    shoal_d3 a = shoal_d3_from(x[t[0]]), b = shoal_d3_sub(shoal_d3_from(x[t[1]]), a),
             c = shoal_d3_sub(shoal_d3_from(x[t[2]]), a), d = shoal_d3_sub(shoal_d3_from(x[t[3]]), a);
    return -shoal_d3_dot(shoal_d3_cross(b, c), d);
}

// Of all that are not left out; how many.
static size_t take_faces(const shoal_frame* frame, const shoal_v3* x, const uint8_t* is_out, face* out) {
    static const int sides[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    face*            next        = out;
    for (int t = 0; t < frame->cells.count; t++) {
        const int32_t* c    = frame->cell_points + 4 * (size_t)t;
        bool           back = turn_of(x, c) < 0.0;
        for (int s = 0; s < 4 && !(is_out && is_out[t]); s++)
            *next++ = face_of(c[sides[s][0]], c[sides[s][back ? 2 : 1]], c[sides[s][back ? 1 : 2]], t);
    }
    return (size_t)(next - out);
}

static shoal_status boundary_of_tets(const shoal_frame* frame, const uint8_t* is_out, int32_t** triangles,
                                     int32_t** owners, int* count) {
    size_t cells = (size_t)frame->cells.count, swapped = 0;
    face*  all = cells > INT32_MAX / 4 ? NULL : shoal_alloc(4 * cells + 1, sizeof *all);
    if (cells > INT32_MAX / 4) return shoal_fail(SHOAL_ERR_INPUT, "more tetrahedra than their faces can be numbered");
    if (!all) return SHOAL_ERR_MEMORY;
    size_t faces = take_faces(frame, shoal_frame_find(frame, "position")->data, is_out, all);
    qsort(all, faces, sizeof *all, compare_faces);
    for (size_t k = 0, end; k < faces; k = end) {
        for (end = k + 1; end < faces && memcmp(all[end].key, all[k].key, sizeof all[k].key) == 0; end++) {
        }
        if (end - k == 1) all[swapped++] = all[k];
    }
    *triangles = shoal_alloc(3 * swapped + 1, sizeof **triangles);
    *owners    = shoal_alloc(swapped + 1, sizeof **owners);
    for (size_t k = 0; k < swapped && *triangles && *owners; k++) {
        memcpy(*triangles + 3 * k, all[k].corner, sizeof all[k].corner);
        (*owners)[k] = all[k].cell;
    }
    *count = (int)swapped;
    shoal_free(all);
    return *triangles && *owners ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

shoal_status shoal_frame_cut(const shoal_frame* frame, const uint8_t* is_out, int32_t** triangles, int32_t** owners,
                             int* count) {
    *triangles = *owners = NULL;
    *count               = 0;
    if (frame->corners != 4 || !shoal_frame_find(frame, "position")) return SHOAL_OK;
    shoal_status status = boundary_of_tets(frame, is_out, triangles, owners, count);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_free(*triangles);
    shoal_free(*owners);
    *triangles = *owners = NULL;
    return status;
}

shoal_status shoal_frame_boundary(const shoal_frame* frame, int32_t** triangles, int* count) {
    size_t   cells  = (size_t)frame->cells.count;
    int32_t* owners = NULL;
    *triangles      = NULL;
    *count          = 0;
    if (frame->corners != 3) {
        shoal_status status = shoal_frame_cut(frame, NULL, triangles, &owners, count);
        shoal_free(owners);
        return status;
    }
    *triangles = shoal_alloc(3 * cells + 1, sizeof **triangles);
    if (!*triangles) return SHOAL_ERR_MEMORY;
    *count = (int)cells;
    if (cells > 0) memcpy(*triangles, frame->cell_points, 3 * cells * sizeof **triangles);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- views

int64_t shoal_frame_count(const shoal_frame* frame) { return frame->points.count; }
int     shoal_frame_field_count(const shoal_frame* frame) { return frame->points.field_count; }
double  shoal_frame_time(const shoal_frame* frame) { return frame->time; }

static shoal_field_view view_of(const shoal_frame_table* table, int index) {
    const shoal_frame_array* field = &table->fields[index];
    return (shoal_field_view){field->name, field->unit, "", field->type, table->count, field->data, field->width, ""};
}

shoal_status shoal_frame_field_at(const shoal_frame* frame, int index, shoal_field_view* out) {
    if (index < 0 || index >= frame->points.field_count)
        return shoal_fail(SHOAL_ERR_PARAM, "field %d is not in the frame, it has %d", index, frame->points.field_count);
    *out = view_of(&frame->points, index);
    return SHOAL_OK;
}

static shoal_status find_view(const shoal_frame_table* table, const char* name, shoal_field_view* out) {
    const shoal_frame_array* field = find(table, name);
    if (field) {
        *out = view_of(table, (int)(field - table->fields));
        return SHOAL_OK;
    }
    char   names[512] = "";
    size_t used       = 0;
    for (int f = 0; f < table->field_count && used < sizeof names; f++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", f ? ", " : "", table->fields[f].name);
    return shoal_fail(SHOAL_ERR_PARAM, "field \"%s\" is not in the frame, it has %s", name, names);
}

shoal_status shoal_frame_field(const shoal_frame* frame, const char* name, shoal_field_view* out) {
    return find_view(&frame->points, name, out);
}

int64_t        shoal_frame_cell_count(const shoal_frame* frame) { return frame->cells.count; }
int            shoal_frame_cell_corners(const shoal_frame* frame) { return frame->corners; }
const int32_t* shoal_frame_cells(const shoal_frame* frame) { return frame->cell_points; }

shoal_status shoal_frame_cell_field(const shoal_frame* frame, const char* name, shoal_field_view* out) {
    return find_view(&frame->cells, name, out);
}
