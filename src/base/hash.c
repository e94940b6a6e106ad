// SPDX-License-Identifier: MIT
// Four independent multiply-mix lanes of 8 bytes, so that the multiplier's latency is hidden.
#include "base/hash.h"

#include <string.h>

static uint64_t read64(const unsigned char* at) {
    uint64_t word; // little-endian hosts only, as the file formats are
    memcpy(&word, at, sizeof word);
    return word;
}

uint64_t shoal_hash(const void* bytes, size_t size, uint64_t seed) {
    const unsigned char* at = bytes;
    uint64_t             lane[4];
    for (int k = 0; k < 4; k++) lane[k] = shoal_mix64(seed + (uint64_t)k);

    size_t left = size;
    for (; left >= 32; left -= 32, at += 32)
        for (int k = 0; k < 4; k++) {
            lane[k] = (lane[k] ^ read64(at + 8 * k)) * 0x9fb21c651e98df25u;
            lane[k] ^= lane[k] >> 32;
        }
    unsigned char tail[32] = {0};
    if (left > 0) memcpy(tail, at, left);
    uint64_t sum = (uint64_t)size;
    for (int k = 0; k < 4; k++) sum = shoal_mix64(sum ^ lane[k] ^ shoal_mix64(read64(tail + 8 * k)));
    return sum;
}
