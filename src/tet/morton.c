// SPDX-License-Identifier: MIT
#include "tet/morton.h"

#include <string.h>

void shoal_morton_free(shoal_morton_set* set) {
    shoal_free(set->keys);
    shoal_free(set->bricks);
    shoal_free(set->brick_at);
    *set = (shoal_morton_set){0};
}

void shoal_morton_scratch_free(shoal_morton_scratch* scratch) {
    shoal_free(scratch->sorted);
    shoal_free(scratch->order);
    shoal_free(scratch->room);
    *scratch = (shoal_morton_scratch){0};
}

// The table is as large as the domain, so only what the last set has written is cleared.
static void forget(shoal_morton_set* set) {
    for (int b = 0; b < set->brick_count; b++) set->brick_at[set->keys[set->bricks[b].first] >> 9] = 0;
    set->count = set->brick_count = 0;
}

shoal_status shoal_morton_index(shoal_morton_set* set, int bits, const uint64_t* keys, int count) {
    SHOAL_ASSERT(bits <= SHOAL_MORTON_BITS);
    forget(set);
    set->bits = bits;
    SHOAL_TRY(shoal_make_room((void**)&set->keys, &set->key_room, count, sizeof *set->keys));
    int table = bits > 3 ? 1 << 3 * (bits - 3) : 1, bricks = 0;
    if (set->table_room < table) {
        SHOAL_TRY(shoal_make_room((void**)&set->brick_at, &set->table_room, table, sizeof *set->brick_at));
        memset(set->brick_at, 0, (size_t)set->table_room * sizeof *set->brick_at);
    }
    for (int k = 0; k < count; k++) bricks += k == 0 || keys[k] >> 9 != keys[k - 1] >> 9;
    SHOAL_TRY(shoal_make_room((void**)&set->bricks, &set->brick_room, bricks, sizeof *set->bricks));
    for (int k = 0; k < count; k++) {
        if (k == 0 || keys[k] >> 9 != keys[k - 1] >> 9) {
            set->bricks[set->brick_count] = (shoal_morton_brick){.first = k};
            set->brick_at[keys[k] >> 9]   = ++set->brick_count;
        }
        set->bricks[set->brick_count - 1].mask[keys[k] >> 6 & 7] |= (uint64_t)1 << (keys[k] & 63);
        set->keys[k] = keys[k];
    }
    for (int b = 0; b < bricks; b++)
        for (int word = 1; word < 8; word++)
            set->bricks[b].before[word] =
                (uint16_t)(set->bricks[b].before[word - 1] + shoal_bit_count(set->bricks[b].mask[word - 1]));
    set->count = count;
    return SHOAL_OK;
}

shoal_status shoal_morton_collect(shoal_morton_set* set, int bits, uint64_t* keys, int count, const shoal_exec* exec,
                                  shoal_morton_scratch* scratch) {
    SHOAL_TRY(shoal_make_room((void**)&scratch->sorted, &scratch->sorted_room, count, sizeof *scratch->sorted));
    SHOAL_TRY(shoal_make_room((void**)&scratch->order, &scratch->order_room, count, sizeof *scratch->order));
    SHOAL_TRY(shoal_make_room(&scratch->room, &scratch->room_room, (int)((shoal_sort_room(count) + 7) / 8), 8));
    shoal_sort_keys(exec, keys, count, 3 * bits, scratch->order, scratch->sorted, scratch->room);
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (k == 0 || scratch->sorted[k] != scratch->sorted[k - 1]) keys[kept++] = scratch->sorted[k];
    return shoal_morton_index(set, bits, keys, kept);
}
