// SPDX-License-Identifier: MIT
// Any bytes as a checkpoint, once as they are and once with a checksum that is made right, since no
// fuzzer finds one by chance.
#include "base/hash.h"
#include "io/checkpoint.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

static void parse(const char* bytes, size_t size) {
    shoal_checkpoint c;
    if (shoal_checkpoint_parse(bytes, size, "fuzz.shoal", &c) != SHOAL_OK) {
        if (strncmp(shoal_last_error(), "fuzz.shoal: ", 12) != 0) abort();
        return;
    }
    (void)shoal_hash(c.scene, strlen(c.scene), 0); // a sanitizer watches the reading
    (void)shoal_hash(c.state, c.state_size, 0);
    shoal_checkpoint_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    parse((const char*)bytes, size);
    if (size < 80) return 0;
    char* copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, bytes, size);
    uint64_t scene_size, sum = shoal_hash(copy, 72, 0), rest = size - 80;
    memcpy(&scene_size, copy + 56, sizeof scene_size);
    if (scene_size <= rest) {
        sum = shoal_hash(copy + 72, scene_size, sum);
        sum = shoal_hash(copy + 72 + scene_size, rest - scene_size, sum);
        memcpy(copy + size - 8, &sum, sizeof sum);
        parse(copy, size);
    }
    free(copy);
    return 0;
}
