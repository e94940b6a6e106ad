// SPDX-License-Identifier: MIT
// Sets of lattice places in Morton order [Morton 1966]: a sorted list of keys, and beside it an index by bricks of
// 8 x 8 x 8 places, each a bit, so that a place is found by one look into a table and a count of bits.
#ifndef SHOAL_MORTON_H
#define SHOAL_MORTON_H

#include "exec/exec.h"
#include "math/vec.h"

enum { SHOAL_MORTON_BITS = 11 }; // of a coordinate at most: the table of bricks has 8^(bits - 3) entries

// Coordinates of up to 21 bits, x in the lowest of every three.
SHOAL_FN uint64_t shoal_morton_spread(uint32_t x) {
    uint64_t k = x & 0x1fffff;
    k          = (k | k << 32) & 0x1f00000000ffffu;
    k          = (k | k << 16) & 0x1f0000ff0000ffu;
    k          = (k | k << 8) & 0x100f00f00f00f00fu;
    k          = (k | k << 4) & 0x10c30c30c30c30c3u;
    return (k | k << 2) & 0x1249249249249249u;
}
SHOAL_FN int shoal_morton_gather(uint64_t k) {
    k &= 0x1249249249249249u;
    k = (k | k >> 2) & 0x10c30c30c30c30c3u;
    k = (k | k >> 4) & 0x100f00f00f00f00fu;
    k = (k | k >> 8) & 0x1f0000ff0000ffu;
    k = (k | k >> 16) & 0x1f00000000ffffu;
    return (int)((k | k >> 32) & 0x1fffff);
}
SHOAL_FN uint64_t shoal_morton(int x, int y, int z) {
    return shoal_morton_spread((uint32_t)x) | shoal_morton_spread((uint32_t)y) << 1 |
           shoal_morton_spread((uint32_t)z) << 2;
}
SHOAL_FN void shoal_morton_split(uint64_t key, int at[3]) {
    for (int a = 0; a < 3; a++) at[a] = shoal_morton_gather(key >> a);
}

typedef struct shoal_morton_brick {
    uint64_t mask[8];   // a bit for each place, in Morton order
    int      at;        // its place: what its keys have above their nine lowest bits
    int      first;     // how many keys come before this brick
    uint16_t before[8]; // and within it before each word
} shoal_morton_brick;

typedef struct shoal_morton_set {
    int                 count, bits; // coordinates are in [0, 2^bits)
    uint64_t*           keys;        // [count] increasing
    int                 brick_count;
    shoal_morton_brick* bricks;
    int*                brick_at;      // [8^(bits - 3)] 1 + brick, 0: none
    shoal_morton_brick* brick_scratch; // scratch, as are these
    uint64_t*           places;
    int*                order;
    void*               sort_scratch;
    int key_capacity, brick_capacity, table_capacity, brick_scratch_capacity, place_capacity, order_capacity,
        sort_capacity;
} shoal_morton_set;

void shoal_morton_free(shoal_morton_set* set); // what it points to; zero-initialise before the first use

// Makes a set anew: what is in it, in any order and as often as may be, then its list and index. Places are bits of
// bricks, so that only bricks are sorted, not keys.
shoal_status shoal_morton_begin(shoal_morton_set* set, int bits);
shoal_status shoal_morton_end(shoal_morton_set* set, const shoal_exec* exec);
// Both, with the keys of a list between them.
shoal_status shoal_morton_collect(shoal_morton_set* set, int bits, const uint64_t* keys, int count,
                                  const shoal_exec* exec);

shoal_status          shoal_morton_add_brick(shoal_morton_set* set, int at);
SHOAL_FN shoal_status shoal_morton_add(shoal_morton_set* set, uint64_t key) {
    int* brick = &set->brick_at[key >> 9];
    if (!*brick) SHOAL_TRY(shoal_morton_add_brick(set, (int)(key >> 9)));
    set->bricks[*brick - 1].mask[key >> 6 & 7] |= (uint64_t)1 << (key & 63);
    return SHOAL_OK;
}

// Without the machine's own instruction, which not every build may use.
SHOAL_FN int shoal_bit_count(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(bits * 0x0101010101010101u >> 56);
}

SHOAL_FN int shoal_morton_rank(const shoal_morton_set* set, uint64_t key) {
    if (!set->count) return -1;
    int brick = set->brick_at[key >> 9] - 1;
    if (brick < 0) return -1;
    const shoal_morton_brick* b    = &set->bricks[brick];
    uint64_t                  word = b->mask[key >> 6 & 7], bit = (uint64_t)1 << (key & 63);
    if (!(word & bit)) return -1;
    return b->first + b->before[key >> 6 & 7] + shoal_bit_count(word & (bit - 1));
}
// How many of the 4 x 4 x 4 places around one are in the set; they are in the list from *first on.
SHOAL_FN int shoal_morton_count_around(const shoal_morton_set* set, int x, int y, int z, int* first) {
    if ((unsigned)(x | y | z) >> set->bits || !set->count) return 0;
    uint64_t key   = shoal_morton(x, y, z);
    int      brick = set->brick_at[key >> 9] - 1;
    if (brick < 0) return 0;
    *first = set->bricks[brick].first + set->bricks[brick].before[key >> 6 & 7];
    return shoal_bit_count(set->bricks[brick].mask[key >> 6 & 7]);
}
// Where a place is in the list, -1 where it is not in the set.
SHOAL_FN int shoal_morton_find(const shoal_morton_set* set, int x, int y, int z) {
    if ((unsigned)(x | y | z) >> set->bits) return -1; // negative ones too
    return shoal_morton_rank(set, shoal_morton(x, y, z));
}

#endif
