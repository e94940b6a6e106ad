// SPDX-License-Identifier: MIT
// A folder of its own for each test program, under the system's place for such things.
#ifndef SCRATCH_H
#define SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch[64];

static inline int scratch_make(void** state) {
    (void)state;
    snprintf(scratch, sizeof scratch, "/tmp/shoal-test-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int scratch_drop(const char* path, const struct stat* info, int flag, struct FTW* walk) {
    (void)info, (void)flag, (void)walk;
    return remove(path);
}

static inline int scratch_remove(void** state) {
    (void)state;
    return nftw(scratch, scratch_drop, 16, FTW_DEPTH | FTW_PHYS);
}

// A path in the folder; valid until the fourth next call.
static inline const char* scratch_path(const char* name) {
    static char paths[4][256];
    static int  next;
    char*       path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

#endif
