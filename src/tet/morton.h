// SPDX-License-Identifier: MIT
// Sets of lattice places in Morton order [Morton 1966]: a sorted list of keys, and beside it an index by bricks of
// 8 x 8 x 8 places, each a bit, so that a place is found by a look into a table and a count of bits. The table is as
// large as the set asks for, however far its places are apart.
#ifndef SHOAL_MORTON_H
#define SHOAL_MORTON_H

#include "base/arena.h"
#include "exec/exec.h"
#include "math/vec.h"

enum { SHOAL_MORTON_BITS = 17 }; // of a coordinate at most

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
    uint64_t at;        // its place: what its keys have above their nine lowest bits
    int      first;     // how many keys come before this brick
    int      slot;      // of the table that it is in
    uint16_t before[8]; // and within it before each word
} shoal_morton_brick;

typedef struct shoal_morton_set {
    int                 count, bits; // coordinates are in [0, 2^bits)
    uint64_t*           keys;        // [count] increasing
    shoal_arena*        arena;       // that keys are of, until they are made anew; NULL: their own
    int                 brick_count;
    shoal_morton_brick* bricks;
    int*                brick_at;      // [2^(68 - slot_shift)] 1 + brick, 0: none
    shoal_morton_brick* brick_scratch; // scratch, as are these
    uint64_t*           places;
    int*                order;
    void*               sort_scratch;
    int slot_shift, key_capacity, brick_capacity, brick_scratch_capacity, place_capacity, order_capacity, sort_capacity;
} shoal_morton_set;

void shoal_morton_free(shoal_morton_set* set); // what it points to; zero-initialise before the first use

// Makes a set anew: what is in it, in any order and as often as may be, then its list and index. Places are bits of
// bricks, so that only bricks are sorted, not keys.
shoal_status shoal_morton_begin(shoal_morton_set* set, int bits);
shoal_status shoal_morton_end(shoal_morton_set* set, const shoal_exec* exec);
// Both, with the keys of a list between them.
shoal_status shoal_morton_collect(shoal_morton_set* set, int bits, const uint64_t* keys, int count,
                                  const shoal_exec* exec);

// Where the table has a brick, or would [Knuth 1973, multiplicative hashing]: 4 x 2 x 2 bricks side by side stand side
// by side, and what finds its slot taken goes on elsewhere, off those beside it.
enum { SHOAL_MORTON_SIDE_BITS = 4, SHOAL_MORTON_STRIDE = 17 };
SHOAL_FN int shoal_morton_slot(const shoal_morton_set* set, uint64_t at) {
    uint64_t spread = (at >> SHOAL_MORTON_SIDE_BITS) * 0x9e3779b97f4a7c15u >> set->slot_shift;
    unsigned last   = (1u << (64 + SHOAL_MORTON_SIDE_BITS - set->slot_shift)) - 1;
    unsigned slot   = (unsigned)spread << SHOAL_MORTON_SIDE_BITS | (unsigned)(at & ((1 << SHOAL_MORTON_SIDE_BITS) - 1));
    while (set->brick_at[slot] && set->bricks[set->brick_at[slot] - 1].at != at)
        slot = (slot + SHOAL_MORTON_STRIDE) & last;
    return (int)slot;
}

shoal_status          shoal_morton_add_brick(shoal_morton_set* set, uint64_t at);
SHOAL_FN shoal_status shoal_morton_add(shoal_morton_set* set, uint64_t key) {
    int brick = set->brick_at[shoal_morton_slot(set, key >> 9)];
    if (!brick) {
        SHOAL_TRY(shoal_morton_add_brick(set, key >> 9));
        brick = set->brick_count;
    }
    set->bricks[brick - 1].mask[key >> 6 & 7] |= (uint64_t)1 << (key & 63);
    return SHOAL_OK;
}

// Without the machine's own instruction, which not every build may use.
SHOAL_FN int shoal_bit_count(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(bits * 0x0101010101010101u >> 56);
}

// The brick that has the place of a key above its nine lowest bits; NULL: none.
SHOAL_FN const shoal_morton_brick* shoal_morton_brick_at(const shoal_morton_set* set, uint64_t at) {
    int brick = set->count ? set->brick_at[shoal_morton_slot(set, at)] : 0;
    return brick ? &set->bricks[brick - 1] : NULL;
}
// How many keys come before one that is in the set; -1: it is not.
SHOAL_FN int shoal_morton_rank_in(const shoal_morton_brick* brick, uint64_t key) {
    uint64_t word = brick->mask[key >> 6 & 7], bit = (uint64_t)1 << (key & 63);
    return word & bit ? brick->first + brick->before[key >> 6 & 7] + shoal_bit_count(word & (bit - 1)) : -1;
}
SHOAL_FN int shoal_morton_rank(const shoal_morton_set* set, uint64_t key) {
    const shoal_morton_brick* brick = shoal_morton_brick_at(set, key >> 9);
    return brick ? shoal_morton_rank_in(brick, key) : -1;
}
// Where a place is in the list, -1 where it is not in the set.
SHOAL_FN int shoal_morton_find(const shoal_morton_set* set, int x, int y, int z) {
    if ((unsigned)(x | y | z) >> set->bits) return -1; // negative ones too
    return shoal_morton_rank(set, shoal_morton(x, y, z));
}

#endif
