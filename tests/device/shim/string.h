// SPDX-License-Identifier: MIT
// In the place of the C library's: a pass may copy the bits of a number.
#ifndef SHOAL_SHIM_STRING_H
#define SHOAL_SHIM_STRING_H

static __attribute__((host)) __attribute__((device)) inline void* memcpy(void* to, const void* from,
                                                                         unsigned long bytes) {
    return __builtin_memcpy(to, from, bytes);
}

// For the host.
void* memset(void*, int, unsigned long);

#endif
