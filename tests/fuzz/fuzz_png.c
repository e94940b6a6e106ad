// SPDX-License-Identifier: MIT
// Any bytes as a PNG file: pixels or a message, nothing else.
#include "base/status.h"
#include "picture/png.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    shoal_pixels pixels;
    shoal_status status = shoal_png_parse((const char*)data, size, "fuzz.png", &pixels);
    SHOAL_ASSERT((status == SHOAL_OK) == (pixels.bytes != NULL));
    shoal_pixels_free(&pixels);
    return 0;
}
