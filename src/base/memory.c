// SPDX-License-Identifier: MIT
// Each allocation carries a 64-byte head with its size, so that free needs no size and the counts balance.
#include "base/memory.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD = 64 };

// Large arrays ask for large pages: neighbours lie in other pages, and a million particles outgrow the table of small
// ones.
static void* default_alloc(size_t bytes, void* user) {
    (void)user;
    const size_t large = (size_t)2 << 20;
    if (bytes < 2 * large) return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    void* memory = aligned_alloc(large, (bytes + large - 1) & ~(large - 1));
#if defined(MADV_HUGEPAGE)
    if (memory) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

static void default_free(void* memory, size_t bytes, void* user) {
    (void)bytes, (void)user;
    free(memory);
}

static shoal_allocator      allocator = {default_alloc, default_free, NULL};
static atomic_size_t        in_use;
static atomic_int_least64_t calls;

void shoal_set_allocator(const shoal_allocator* a) {
    allocator = a ? *a : (shoal_allocator){default_alloc, default_free, NULL};
}

size_t  shoal_memory_in_use(void) { return atomic_load(&in_use); }
int64_t shoal_memory_calls(void) { return atomic_load(&calls); }

void* shoal_alloc_unset(size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 2 - HEAD) / size) {
        shoal_fail(SHOAL_ERR_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
        return NULL;
    }
    size_t bytes = count * size + HEAD;
    char*  head  = allocator.alloc(bytes, allocator.user);
    if (!head) {
        shoal_fail(SHOAL_ERR_MEMORY, "out of memory: %zu bytes more were needed, %zu MB are in use", count * size,
                   shoal_memory_in_use() >> 20);
        return NULL;
    }
    memcpy(head, &bytes, sizeof bytes);
    atomic_fetch_add(&in_use, bytes);
    atomic_fetch_add(&calls, 1);
    return head + HEAD;
}

void* shoal_alloc(size_t count, size_t size) {
    void* memory = shoal_alloc_unset(count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void shoal_free(void* memory) {
    if (!memory) return;
    char*  head = (char*)memory - HEAD;
    size_t bytes;
    memcpy(&bytes, head, sizeof bytes);
    atomic_fetch_sub(&in_use, bytes);
    allocator.free(head, bytes, allocator.user);
}

shoal_status shoal_realloc(void** memory, size_t used, size_t count, size_t size) {
    void* larger = shoal_alloc(count, size);
    if (!larger) return SHOAL_ERR_MEMORY;
    if (used > 0) memcpy(larger, *memory, used * size);
    shoal_free(*memory);
    *memory = larger;
    return SHOAL_OK;
}

static int with_slack(int count) {
    int slack = count / 16 + 64;
    return count > INT_MAX - slack ? INT_MAX : count + slack;
}

shoal_status shoal_reserve(void** memory, int* capacity, int count, size_t size) {
    if (count <= *capacity) return SHOAL_OK;
    shoal_free(*memory);
    *capacity = 0;
    *memory   = shoal_alloc((size_t)with_slack(count), size);
    if (!*memory) return SHOAL_ERR_MEMORY;
    *capacity = with_slack(count);
    return SHOAL_OK;
}

shoal_status shoal_reserve_safely(void** memory, int* capacity, int count, size_t size) {
    if (count <= *capacity) return SHOAL_OK;
    SHOAL_TRY(shoal_realloc(memory, 0, (size_t)with_slack(count), size));
    *capacity = with_slack(count);
    return SHOAL_OK;
}

char* shoal_strndup(const char* text, size_t length) {
    char* copy = shoal_alloc(length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char* shoal_strdup(const char* text) { return shoal_strndup(text, strlen(text)); }

void shoal_bytes_free(void* bytes, size_t size) {
    (void)size;
    shoal_free(bytes);
}

static bool text_reserve(shoal_text* text, size_t more) {
    if (text->failed) return false;
    size_t need = text->length + more + 1;
    if (need <= text->capacity) return true;
    size_t capacity = need < 256 ? 256 : need + need / 2;
    if (shoal_realloc((void**)&text->bytes, text->length, capacity, 1) != SHOAL_OK) {
        text->failed = true;
        return false;
    }
    text->capacity = capacity;
    return true;
}

void shoal_text_add_bytes(shoal_text* text, const void* bytes, size_t length) {
    if (!text_reserve(text, length)) return;
    if (length > 0) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void shoal_text_add(shoal_text* text, const char* format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0 && text_reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void shoal_text_free(shoal_text* text) {
    shoal_free(text->bytes);
    *text = (shoal_text){0};
}
