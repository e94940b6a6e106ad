// SPDX-License-Identifier: MIT
#include "tet/morton.h"

void shoal_morton_free(shoal_morton_set* set) {
    void* const all[] = {set->arena ? NULL : set->keys,
                         set->bricks,
                         set->brick_at,
                         set->brick_scratch,
                         set->places,
                         set->order,
                         set->sort_scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_free(all[k]);
    *set = (shoal_morton_set){0};
}

// A table of 2^bits slots, with all bricks in it.
static shoal_status make_table(shoal_morton_set* set, int bits) {
    int* table = shoal_alloc((size_t)1 << bits, sizeof *table);
    if (!table) return SHOAL_ERR_MEMORY;
    shoal_free(set->brick_at);
    set->brick_at   = table;
    set->slot_shift = 64 + SHOAL_MORTON_SIDE_BITS - bits;
    for (int b = 0; b < set->brick_count; b++) {
        set->bricks[b].slot                = shoal_morton_slot(set, set->bricks[b].at);
        set->brick_at[set->bricks[b].slot] = b + 1;
    }
    return SHOAL_OK;
}

shoal_status shoal_morton_begin(shoal_morton_set* set, int bits) {
    enum { SLOT_BITS_LEAST = 8 };
    SHOAL_ASSERT(bits <= SHOAL_MORTON_BITS);
    if (set->arena) set->keys = NULL, set->key_capacity = 0;
    // only what the last set has written is cleared
    for (int b = 0; b < set->brick_count; b++) set->brick_at[set->bricks[b].slot] = 0;
    set->count = set->brick_count = 0;
    set->bits                     = bits;
    return set->brick_at ? SHOAL_OK : make_table(set, SLOT_BITS_LEAST);
}

// A table has eight slots for each brick or more, so that few stand behind each other.
shoal_status shoal_morton_add_brick(shoal_morton_set* set, uint64_t at) {
    if (set->brick_count == set->brick_capacity) {
        int capacity = 2 * set->brick_capacity + 64;
        SHOAL_TRY(shoal_realloc((void**)&set->bricks, (size_t)set->brick_count, (size_t)capacity, sizeof *set->bricks));
        set->brick_capacity = capacity;
    }
    int bits = 64 + SHOAL_MORTON_SIDE_BITS - set->slot_shift;
    if (8 * ((int64_t)set->brick_count + 1) > (int64_t)1 << bits) SHOAL_TRY(make_table(set, bits + 1));
    int slot                      = shoal_morton_slot(set, at);
    set->bricks[set->brick_count] = (shoal_morton_brick){.at = at, .slot = slot};
    set->brick_at[slot]           = ++set->brick_count;
    return SHOAL_OK;
}

static shoal_status sort_bricks(shoal_morton_set* set, const shoal_exec* exec) {
    int n = set->brick_count;
    SHOAL_TRY(shoal_reserve((void**)&set->places, &set->place_capacity, 2 * n, sizeof *set->places));
    SHOAL_TRY(shoal_reserve((void**)&set->order, &set->order_capacity, n, sizeof *set->order));
    SHOAL_TRY(shoal_reserve(&set->sort_scratch, &set->sort_capacity, (int)((shoal_sort_scratch(n) + 7) / 8), 8));
    if (set->brick_scratch_capacity < set->brick_capacity) {
        SHOAL_TRY(
            shoal_realloc((void**)&set->brick_scratch, 0, (size_t)set->brick_capacity, sizeof *set->brick_scratch));
        set->brick_scratch_capacity = set->brick_capacity;
    }
    uint64_t differ = 1; // bits that are not the same in all
    for (int b = 0; b < n; b++) {
        set->places[b] = set->bricks[b].at;
        differ |= set->places[b] ^ set->places[0];
    }
    shoal_sort_keys(exec, set->places, n, 64 - __builtin_clzll(differ), set->order, set->places + n, set->sort_scratch);
    for (int b = 0; b < n; b++) set->brick_scratch[b] = set->bricks[set->order[b]];
    shoal_morton_brick* sorted       = set->brick_scratch;
    int                 sort_scratch = set->brick_scratch_capacity;
    set->brick_scratch = set->bricks, set->brick_scratch_capacity = set->brick_capacity;
    set->bricks = sorted, set->brick_capacity = sort_scratch;
    for (int b = 0; b < n; b++) set->brick_at[set->bricks[b].slot] = b + 1;
    return SHOAL_OK;
}

shoal_status shoal_morton_end(shoal_morton_set* set, const shoal_exec* exec) {
    int  count    = 0;
    bool is_right = true;
    for (int b = 1; b < set->brick_count; b++) is_right &= set->bricks[b - 1].at < set->bricks[b].at;
    if (!is_right) SHOAL_TRY(sort_bricks(set, exec));
    for (int b = 0; b < set->brick_count; b++) {
        shoal_morton_brick* brick = &set->bricks[b];
        brick->first              = count;
        for (int word = 0; word < 8; word++) {
            brick->before[word] = (uint16_t)(count - brick->first);
            count += shoal_bit_count(brick->mask[word]);
        }
    }
    SHOAL_TRY(shoal_arena_reserve(set->arena, (void**)&set->keys, &set->key_capacity, count, sizeof *set->keys));
    for (int b = 0, k = 0; b < set->brick_count; b++)
        for (int word = 0; word < 8; word++)
            for (uint64_t m = set->bricks[b].mask[word]; m; m &= m - 1)
                set->keys[k++] = set->bricks[b].at << 9 | (uint64_t)(64 * word + __builtin_ctzll(m));
    set->count = count;
    return SHOAL_OK;
}

shoal_status shoal_morton_collect(shoal_morton_set* set, int bits, const uint64_t* keys, int count,
                                  const shoal_exec* exec) {
    SHOAL_TRY(shoal_morton_begin(set, bits));
    for (int k = 0; k < count; k++) SHOAL_TRY(shoal_morton_add(set, keys[k]));
    return shoal_morton_end(set, exec);
}
