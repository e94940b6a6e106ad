// SPDX-License-Identifier: MIT
// Any bytes as a request to the viewer, in pieces as they may come: not yet whole, taken, or refused, and the mouse is
// somewhere.
#include "base/memory.h"
#include "view_request.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    char   in[VIEW_REQUEST_SIZE];
    size_t count = size < sizeof in - 1 ? size : sizeof in - 1;
    bool   ended = false;
    for (size_t part = count / 2; part <= count && !ended; part += count - count / 2 + (count == 0)) {
        if (part > 0) memcpy(in, data, part);
        in[part]       = 0;
        view_request r = view_request_read(in, part);
        SHOAL_ASSERT(strlen(r.body) <= VIEW_BODY_MOST && strlen(r.path) < sizeof r.path);
        SHOAL_ASSERT(!r.is_whole || r.refusal || (r.method[0] && r.path[0]));
        view_mouse m = {.width = 640, .height = 360};
        if (view_mouse_read(r.body, &m) || view_mouse_read(in, &m))
            SHOAL_ASSERT(m.x >= -1e5 && m.x <= 1e5 && m.y >= -1e5 && m.y <= 1e5 && m.width == 640);
        ended = r.is_whole || r.refusal;
    }
    return 0;
}
