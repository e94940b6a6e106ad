// SPDX-License-Identifier: MIT
// Any bytes as a OBJ file: a mesh or a message, nothing else.
#include "io/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    shoal_mesh*  mesh   = NULL;
    shoal_status status = shoal_mesh_read_obj((const char*)data, size, "fuzz.obj", &mesh);
    SHOAL_ASSERT((status == SHOAL_OK) == (mesh != NULL));
    shoal_mesh_destroy(mesh);
    return 0;
}
