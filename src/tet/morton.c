// SPDX-License-Identifier: MIT
#include "tet/morton.h"

#include <string.h>

void shoal_morton_free(shoal_morton_set* set) {
    void* const all[] = {set->keys,   set->bricks, set->brick_at,    set->brick_scratch,
                         set->places, set->order,  set->sort_scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_free(all[k]);
    *set = (shoal_morton_set){0};
}

shoal_status shoal_morton_begin(shoal_morton_set* set, int bits) {
    SHOAL_ASSERT(bits <= SHOAL_MORTON_BITS);
    // the table is as large as the domain, so only what the last set has written is cleared
    for (int b = 0; b < set->brick_count; b++) set->brick_at[set->bricks[b].at] = 0;
    set->count = set->brick_count = 0;
    set->bits                     = bits;
    int table                     = bits > 3 ? 1 << 3 * (bits - 3) : 1;
    if (set->table_capacity < table) {
        SHOAL_TRY(shoal_reserve((void**)&set->brick_at, &set->table_capacity, table, sizeof *set->brick_at));
        memset(set->brick_at, 0, (size_t)set->table_capacity * sizeof *set->brick_at);
    }
    return SHOAL_OK;
}

shoal_status shoal_morton_add_brick(shoal_morton_set* set, int at) {
    if (set->brick_count == set->brick_capacity) {
        int sort_scratch = 2 * set->brick_capacity + 64;
        SHOAL_TRY(
            shoal_realloc((void**)&set->bricks, (size_t)set->brick_count, (size_t)sort_scratch, sizeof *set->bricks));
        set->brick_capacity = sort_scratch;
    }
    set->bricks[set->brick_count] = (shoal_morton_brick){.at = at};
    set->brick_at[at]             = ++set->brick_count;
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
    for (int b = 0; b < n; b++) set->places[b] = (uint64_t)set->bricks[b].at;
    shoal_sort_keys(exec, set->places, n, 3 * SHOAL_MORTON_BITS - 9, set->order, set->places + n, set->sort_scratch);
    for (int b = 0; b < n; b++) set->brick_scratch[b] = set->bricks[set->order[b]];
    shoal_morton_brick* sorted       = set->brick_scratch;
    int                 sort_scratch = set->brick_scratch_capacity;
    set->brick_scratch = set->bricks, set->brick_scratch_capacity = set->brick_capacity;
    set->bricks = sorted, set->brick_capacity = sort_scratch;
    for (int b = 0; b < n; b++) set->brick_at[set->bricks[b].at] = b + 1;
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
    SHOAL_TRY(shoal_reserve((void**)&set->keys, &set->key_capacity, count, sizeof *set->keys));
    for (int b = 0, k = 0; b < set->brick_count; b++)
        for (int word = 0; word < 8; word++)
            for (uint64_t m = set->bricks[b].mask[word]; m; m &= m - 1)
                set->keys[k++] = (uint64_t)set->bricks[b].at << 9 | (uint64_t)(64 * word + __builtin_ctzll(m));
    set->count = count;
    return SHOAL_OK;
}

shoal_status shoal_morton_collect(shoal_morton_set* set, int bits, const uint64_t* keys, int count,
                                  const shoal_exec* exec) {
    SHOAL_TRY(shoal_morton_begin(set, bits));
    for (int k = 0; k < count; k++) SHOAL_TRY(shoal_morton_add(set, keys[k]));
    return shoal_morton_end(set, exec);
}
