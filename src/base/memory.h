// SPDX-License-Identifier: MIT
// Heap memory: 64-byte aligned, zeroed unless it is asked for as it is, counted, replaceable by the user. Products are
// checked here, once.
#ifndef SHOAL_MEMORY_H
#define SHOAL_MEMORY_H

#include "base/status.h"

// Memory for `count` items of `size` bytes, all zero; NULL when there is none (the last error is set).
void* shoal_alloc(size_t count, size_t size);
// The same, not cleared: for memory that is overwritten completely. Zeroing a large copy of the state would touch its
// pages on the simulation thread and cost as much as the copy.
void* shoal_alloc_unset(size_t count, size_t size);
void  shoal_free(void* memory); // may be NULL

// Makes *memory hold `count` items; the first `used` keep their bytes, the rest are zero. On failure
// *memory is as before.
shoal_status shoal_realloc(void** memory, size_t used, size_t count, size_t size);

// Makes *memory hold at least `count` items for scratch: none keep their bytes when it grows, and it grows with a
// sixteenth to spare. *capacity is how many fit; 0, and *memory is NULL, on failure.
shoal_status shoal_reserve(void** memory, int* capacity, int count, size_t size);
// The same, but on failure *memory is as before.
shoal_status shoal_reserve_safely(void** memory, int* capacity, int count, size_t size);

char* shoal_strdup(const char* text); // free with shoal_free
char* shoal_strndup(const char* text, size_t length);

// Growing text, for messages and small files. Zero-initialise; `bytes` is always ended by a zero.
// On lack of memory the text stays as it is and `failed` is set: check once at the end.
typedef struct shoal_text {
    char*  bytes;
    size_t length, capacity;
    bool   failed;
} shoal_text;
void shoal_text_add(shoal_text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
void shoal_text_add_bytes(shoal_text* text, const void* bytes, size_t length);
void shoal_text_free(shoal_text* text);

#endif
