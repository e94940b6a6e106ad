// SPDX-License-Identifier: MIT
// A part of a frame: points at one moment with named fields, and perhaps triangles or tetrahedra
// between them, with fields of their own. Particles are points alone. What runs write, readers give
// and exporters take. A frame is one part or several.
#ifndef SHOAL_FRAME_H
#define SHOAL_FRAME_H

#include "base/memory.h"
#include "math/vec.h"
#include "shoal/files.h"

enum { SHOAL_FRAME_FIELDS_MOST = 64, SHOAL_FRAME_NAME_SIZE = 64, SHOAL_FRAME_WIDTH_MOST = 64 };

typedef struct shoal_frame_array {
    char       name[SHOAL_FRAME_NAME_SIZE];
    char       unit[SHOAL_FRAME_NAME_SIZE]; // "": none, or not known
    shoal_type type;
    int        width; // values of `type` per item
    void*      data;  // [width * count]
} shoal_frame_array;

// Fields of the same number of items.
typedef struct shoal_frame_table {
    int               count;
    int               field_count;
    shoal_frame_array fields[SHOAL_FRAME_FIELDS_MOST];
} shoal_frame_table;

struct shoal_frame {
    double            time; // s; NAN: not known
    shoal_frame_table points;
    int               corners; // of a cell: 3 of triangles, 4 of tetrahedra; 0: there are none
    shoal_frame_table cells;
    int32_t*          cell_points; // [corners * cells.count] each in [0, points.count)
};

shoal_status shoal_frame_create(int count, double time, shoal_frame** out);
// Cells of `corners` points each, copied from `points` ([corners * count]); refuses points that are
// not there.
shoal_status shoal_frame_add_cells(shoal_frame* frame, int corners, int count, const int32_t* points);
// A new field of the points, or of the cells, copied from `data` ([width * count] of `type`; NULL: zero, to be filled
// later). Fails when there are too many or the name is taken.
typedef struct shoal_frame_source {
    const char* name;
    const char* unit;
    shoal_type  type;
    int         width;
    const void* data;
} shoal_frame_source;
shoal_status shoal_frame_add(shoal_frame_table* table, const shoal_frame_source* source);
// A field of the points; NULL: none.
const shoal_frame_array* shoal_frame_find(const shoal_frame* frame, const char* name);
// Puts particles in the order of their field `id`, so that files do not depend on how they lay in
// memory. Points of cells, and those without ids, stay.
shoal_status shoal_frame_sort(shoal_frame* frame);

size_t shoal_frame_item_size(const shoal_frame_array* field);  // bytes
int    shoal_frame_components(const shoal_frame_array* field); // 1, 3, ...: numbers of an item
// "x" to "w" of vectors, "0" ... of wider ones, "" of a single number.
void shoal_frame_component_name(const shoal_frame_array* field, int c, char out[8]);
// Component c of item i, as a number.
double shoal_frame_value(const shoal_frame_array* field, int i, int c);

// The boundary of tetrahedra: the triangles that only one of them has, as points of the frame,
// counter-clockwise seen from outside. Of triangles: they themselves. [3 * *count], to be freed;
// NULL where there are none.
shoal_status shoal_frame_boundary(const shoal_frame* frame, int32_t** triangles, int* count);
// The same of those tetrahedra alone that are not left out ([cells] not 0), and which one each triangle is of
// ([*count], to be freed).
shoal_status shoal_frame_cut(const shoal_frame* frame, const uint8_t* is_out, int32_t** triangles, int32_t** owners,
                             int* count);

#endif
