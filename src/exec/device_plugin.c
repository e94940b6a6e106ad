// SPDX-License-Identifier: MIT
// The plugin of a graphics card, loaded when one is asked for: one program runs with and without.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/device.h"

static void* load(const char* folder, char* why, size_t size) {
    char path[4096 + 64];
    snprintf(path, sizeof path, "%s%slibshoal_cuda.so", folder, *folder ? "/" : "");
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(why, size, "%s", dlerror());
    return library;
}

// The folder of what this function is linked into: libshoal, or the program.
static void own_folder(char* folder, size_t size) {
    Dl_info     info;
    void*       here;
    const char* slash;
    void (*own)(char*, size_t) = own_folder;
    memcpy(&here, &own, sizeof here);
    snprintf(folder, size, ".");
    if (dladdr(here, &info) && info.dli_fname && (slash = strrchr(info.dli_fname, '/')))
        snprintf(folder, size, "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
}

shoal_cuda_open_fn shoal_cuda_plugin(char* why, size_t size) {
    char               folder[4096];
    const char*        asked = getenv("SHOAL_PLUGINS");
    shoal_cuda_open_fn open  = NULL;
    own_folder(folder, sizeof folder);
    void* library = load(asked && *asked ? asked : folder, why, size);
    if (!library && !(asked && *asked)) { // a program beside the folder of libraries, and where the system looks
        char missing[256], beside[4096 + 16];
        snprintf(missing, sizeof missing, "%s", why);
        snprintf(beside, sizeof beside, "%s/../lib", folder);
        library = load(beside, why, size);
        if (!library) library = load("", why, size);
        if (!library) snprintf(why, size, "%s", missing);
    }
    void* symbol = library ? dlsym(library, "shoal_cuda_open") : NULL;
    if (library && !symbol) snprintf(why, size, "libshoal_cuda.so has no shoal_cuda_open");
    if (symbol) memcpy(&open, &symbol, sizeof open);
    return open;
}
