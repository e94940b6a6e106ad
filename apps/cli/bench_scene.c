// SPDX-License-Identifier: MIT
#include "bench_scene.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

// scenes/NAME.yaml here, where it was installed with this program, or in the tree that it was built in.
shoal_status cli_bench_scene(const char* name, shoal_scene** out) {
    char path[4096];
    snprintf(path, sizeof path, "scenes/%s.yaml", name);
    if (access(path, R_OK) != 0) {
        char    self[2048];
        ssize_t length                = readlink("/proc/self/exe", self, sizeof self - 1);
        self[length > 0 ? length : 0] = '\0';
        char* slash                   = strrchr(self, '/');
        if (slash) *slash = '\0';
        static const char* const places[] = {"../share/shoal/scenes", "../../scenes"};
        for (int k = 0; k < 2; k++) {
            char other[4096];
            snprintf(other, sizeof other, "%s/%s/%s.yaml", self, places[k], name);
            if (access(other, R_OK) == 0) memcpy(path, other, sizeof path);
        }
    }
    return shoal_scene_load(path, out);
}

shoal_status cli_bench_text(shoal_scene** out, const char* format, ...) {
    char    text[8192];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= sizeof text) return SHOAL_ERR_INTERNAL;
    return shoal_scene_parse(text, (size_t)length, "bench", out);
}
