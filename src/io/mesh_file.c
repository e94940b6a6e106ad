// SPDX-License-Identifier: MIT
// The reader of a mesh file by its ending.
#include "io/mesh_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file.h"

typedef shoal_status (*reader)(const char* bytes, size_t size, const char* name, shoal_mesh** out);

static const struct {
    const char* suffix;
    reader      read;
} formats[] = {{".obj", shoal_mesh_read_obj}, {".ply", shoal_mesh_read_ply}, {".stl", shoal_mesh_read_stl}};

shoal_status shoal_mesh_load(const char* path, shoal_mesh** out) {
    reader read = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (shoal_path_has_suffix(path, formats[i].suffix)) read = formats[i].read;
    if (!read) return shoal_fail(SHOAL_ERR_INPUT, "%s: not a mesh file; known are .obj, .ply and .stl", path);

    struct stat info;
    if (stat(path, &info) != 0) return shoal_fail(SHOAL_ERR_FILE, "%s: %s", path, strerror(errno));
    if (info.st_size > INT32_MAX)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: %.1f GB is too large for a mesh; at most 2 GB are read", path,
                          (double)info.st_size / 1e9);
    char*  bytes = NULL;
    size_t size  = 0;
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_status status = read(bytes, size, path, out);
    shoal_free(bytes);
    return status;
}
