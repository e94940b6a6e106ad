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
    for (int f = 0; f < frame->points.field_count; f++) // a sanitizer watches the reading
        (void)shoal_hash(frame->points.fields[f].data,
                         (size_t)frame->points.count * shoal_frame_item_size(&frame->points.fields[f]), 0);
    shoal_frame_destroy(frame);
    return 0;
}
