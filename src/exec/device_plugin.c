// SPDX-License-Identifier: MIT
// The plugin of a graphics card, loaded when one is asked for: one program runs with and without.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/device.h"

static void* load(const char* folder, char* why, size_t size) {
    char path[4096 + 64];
    snprintf(path, sizeof path, "%s%slibshoal_cuda.so", folder, *folder ? "/" : "");
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    snprintf(why, size, "%s", dlerror());
    if (*folder && access(path, F_OK) != 0) snprintf(why, size, "there is no plugin libshoal_cuda.so in %s", folder);
    return NULL;
}

// The folder of what this function is linked into: libshoal, or the program, whose name may be that of a command
// without its folder. Empty: not known; never the folder that the user happens to be in.
static void own_folder(char* folder, size_t size) {
    Dl_info     info;
    void*       here;
    char        program[4096];
    ssize_t     length               = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *file                 = NULL, *slash;
    program[length > 0 ? length : 0] = '\0';
    void (*own)(char*, size_t)       = own_folder;
    memcpy(&here, &own, sizeof here);
    if (dladdr(here, &info) && info.dli_fname) file = strchr(info.dli_fname, '/') ? info.dli_fname : program;
    slash = file ? strrchr(file, '/') : NULL;
    snprintf(folder, size, "%.*s", slash ? (int)(slash - file) : 0, slash ? file : "");
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
        if (*folder) library = load(beside, why, size);
        if (!library) library = load("", why, size);
        if (!library) snprintf(why, size, "%s, nor where libraries are (SHOAL_PLUGINS names its folder)", missing);
    }
    void* symbol = library ? dlsym(library, "shoal_cuda_open") : NULL;
    if (library && !symbol)
        snprintf(why, size, "the libshoal_cuda.so that was found is none of ours: it has no shoal_cuda_open");
    if (symbol) memcpy(&open, &symbol, sizeof open);
    return open;
}
