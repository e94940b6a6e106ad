// SPDX-License-Identifier: MIT
// Any bytes as a frame: refused with a message, or a frame whose arrays can be read to their end.
#include "base/hash.h"
#include "io/frame_vtk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    shoal_frame* frame;
    if (shoal_frame_parse((const char*)bytes, size, "fuzz.vtp", &frame) != SHOAL_OK) {
        if (strncmp(shoal_last_error(), "fuzz.vtp: ", 10) != 0) abort();
        return 0;
    }
    const shoal_frame_table* tables[] = {&frame->points, &frame->cells};
    for (int t = 0; t < 2; t++) // a sanitizer watches the reading
        for (int f = 0; f < tables[t]->field_count; f++)
            (void)shoal_hash(tables[t]->fields[f].data,
                             (size_t)tables[t]->count * shoal_frame_item_size(&tables[t]->fields[f]), 0);
    int32_t* boundary;
    int      count;
    if (shoal_frame_boundary(frame, &boundary, &count) == SHOAL_OK)
        for (int k = 0; k < 3 * count; k++)
            if (boundary[k] < 0 || boundary[k] >= frame->points.count) abort();
    shoal_free(boundary);
    shoal_frame_destroy(frame);
    return 0;
}
