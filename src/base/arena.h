// SPDX-License-Identifier: MIT
// Memory for work whose parts take turns, as the stages of a step do: taken piece by piece, given back from a mark on,
// and kept for the next time. Pieces lie one behind the other in one block, which grows when all are given back; what
// does not fit until then stands beside it.
#ifndef SHOAL_ARENA_H
#define SHOAL_ARENA_H

#include "base/memory.h"

enum { SHOAL_ARENA_ALIGN = 64 }; // a piece takes up to so much more than its items

typedef struct shoal_arena {
    char*                     block;
    size_t                    size;   // of the block, bytes
    size_t                    used;   // by all pieces, those beside the block too
    size_t                    most;   // of `used` so far
    struct shoal_arena_piece* beside; // the last of them
} shoal_arena;

void shoal_arena_free(shoal_arena* arena); // what it points to; zero-initialise before the first use

// A piece for `count` items, whatever is in it; NULL when there is none (the last error is set).
void* shoal_arena_take(shoal_arena* arena, size_t count, size_t size);
// The same into *memory.
shoal_status shoal_arena_make(shoal_arena* arena, void** memory, size_t count, size_t size);
// Gives back what was taken since `used` was `mark`; 0: all.
void shoal_arena_back(shoal_arena* arena, size_t mark);
// Makes the block hold so many bytes, while nothing is taken: so many are there then whatever fails later, since the
// block never becomes smaller. On failure it is as before.
shoal_status shoal_arena_hold(shoal_arena* arena, size_t bytes);
// Gives back what was taken while `used` went from `from` to `to`: what was taken since, which is all of `pieces`,
// moves there.
void shoal_arena_drop(shoal_arena* arena, size_t from, size_t to, void** const* pieces, int count);

// As shoal_reserve, with a piece of the arena, as large as it must be; NULL: shoal_reserve itself. The owner of
// memory that is given back with the arena forgets both *memory and *capacity.
shoal_status shoal_arena_reserve(shoal_arena* arena, void** memory, int* capacity, int count, size_t size);
// As shoal_realloc; with an arena, what is behind the first `used` has no value.
shoal_status shoal_arena_grow(shoal_arena* arena, void** memory, size_t used, size_t count, size_t size);

#endif
