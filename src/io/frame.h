// SPDX-License-Identifier: MIT
// A frame: a copy of the particles at one moment, with named fields. What runs write, readers give
// and exporters take.
#ifndef SHOAL_FRAME_H
#define SHOAL_FRAME_H

#include "base/memory.h"
#include "math/vec.h"
#include "shoal/files.h"

enum { SHOAL_FRAME_FIELDS_MOST = 64, SHOAL_FRAME_NAME_ROOM = 64 };

typedef struct shoal_frame_array {
    char       name[SHOAL_FRAME_NAME_ROOM];
    shoal_type type;
    void*      data; // [count]
} shoal_frame_array;

struct shoal_frame {
    double            time; // s; NAN: not known
    int               count;
    int               field_count;
    shoal_frame_array fields[SHOAL_FRAME_FIELDS_MOST];
};

shoal_status shoal_frame_create(int count, double time, shoal_frame** out);
// A new field, copied from `data` ([count] of `type`). Fails when there are too many or the name is
// taken.
shoal_status shoal_frame_add(shoal_frame* frame, const char* name, shoal_type type,
                             const void* data);
// NULL: none.
const shoal_frame_array* shoal_frame_find(const shoal_frame* frame, const char* name);
// Puts the particles in the order of their field `id`, so that files do not depend on how they lay
// in memory.
shoal_status shoal_frame_sort(shoal_frame* frame);

size_t shoal_frame_type_size(shoal_type type);
int    shoal_frame_components(shoal_type type); // 1, 3 or 4
// Component c of item i, as a number.
double shoal_frame_value(const shoal_frame_array* field, int i, int c);

#endif
