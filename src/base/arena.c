// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include <string.h>

// The head of a piece beside the block; its items follow.
typedef struct shoal_arena_piece {
    struct shoal_arena_piece* before;
    size_t                    at; // what was used before it
    char                      rest[SHOAL_ARENA_ALIGN - 2 * sizeof(size_t)];
} shoal_arena_piece;

static void free_beside(shoal_arena* arena, size_t mark) {
    while (arena->beside && arena->beside->at >= mark) {
        shoal_arena_piece* piece = arena->beside;
        arena->beside            = piece->before;
        shoal_free(piece);
    }
}

void shoal_arena_free(shoal_arena* arena) {
    free_beside(arena, 0);
    shoal_free(arena->block);
    *arena = (shoal_arena){0};
}

void* shoal_arena_take(shoal_arena* arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / 4 / size) {
        shoal_fail(SHOAL_ERR_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
        return NULL;
    }
    size_t bytes = (count * size / SHOAL_ARENA_ALIGN + 1) * SHOAL_ARENA_ALIGN, at = arena->used;
    char*  memory;
    if (at + bytes <= arena->size) {
        memory = arena->block + at;
    } else {
        shoal_arena_piece* piece = shoal_alloc(1, sizeof *piece + bytes);
        if (!piece) return NULL;
        piece->before = arena->beside;
        piece->at     = at;
        arena->beside = piece;
        memory        = (char*)(piece + 1);
    }
    arena->used = at + bytes;
    if (arena->most < arena->used) arena->most = arena->used;
    return memory;
}

shoal_status shoal_arena_make(shoal_arena* arena, void** memory, size_t count, size_t size) {
    *memory = shoal_arena_take(arena, count, size);
    return *memory ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shoal_arena_back(shoal_arena* arena, size_t mark) {
    free_beside(arena, mark);
    arena->used = mark;
    if (mark > 0 || arena->most <= arena->size) return;
    // without memory for it pieces will tell
    (void)shoal_arena_hold(arena, arena->most);
}

shoal_status shoal_arena_hold(shoal_arena* arena, size_t bytes) {
    SHOAL_ASSERT(arena->used == 0);
    if (bytes <= arena->size) return SHOAL_OK;
    size_t size   = bytes + bytes / 32; // a little more, so that what grows slowly seldom asks
    char*  larger = shoal_alloc_unset(1, size);
    if (!larger) return SHOAL_ERR_MEMORY;
    shoal_free(arena->block);
    arena->block = larger;
    arena->size  = size;
    return SHOAL_OK;
}

void shoal_arena_drop(shoal_arena* arena, size_t from, size_t to, void** const* pieces, int count) {
    size_t end = arena->used < arena->size ? arena->used : arena->size;
    for (shoal_arena_piece** next = &arena->beside; *next && (*next)->at >= from;) {
        shoal_arena_piece* piece = *next;
        if (piece->at >= to) {
            piece->at -= to - from;
            next = &piece->before;
        } else {
            *next = piece->before;
            shoal_free(piece);
        }
    }
    for (int k = 0; k < count; k++) {
        char* at = *pieces[k];
        if (at >= arena->block && at < arena->block + arena->size) *pieces[k] = at - (to - from);
    }
    if (to < end) memmove(arena->block + from, arena->block + to, end - to);
    arena->used -= to - from;
}

shoal_status shoal_arena_reserve(shoal_arena* arena, void** memory, int* capacity, int count, size_t size) {
    if (!arena) return shoal_reserve(memory, capacity, count, size);
    if (count <= *capacity) return SHOAL_OK;
    *capacity = 0;
    *memory   = shoal_arena_take(arena, (size_t)count, size);
    if (!*memory) return SHOAL_ERR_MEMORY;
    *capacity = count;
    return SHOAL_OK;
}

shoal_status shoal_arena_grow(shoal_arena* arena, void** memory, size_t used, size_t count, size_t size) {
    if (!arena) return shoal_realloc(memory, used, count, size);
    void* larger = shoal_arena_take(arena, count, size);
    if (!larger) return SHOAL_ERR_MEMORY;
    if (used > 0) memcpy(larger, *memory, used * size);
    *memory = larger;
    return SHOAL_OK;
}
