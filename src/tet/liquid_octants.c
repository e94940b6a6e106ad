// SPDX-License-Identifier: MIT
// The finest octants at the surfaces of solids, where there is liquid. Floors and walls may go on for
// kilometres beside a litre of water, so none is looked at where none is: tiles of the blocks of the tracked surface,
// and of the inside between these, are walked down to the octants at a surface.
#include "tet/liquid_local.h"

// Octants are looked for in cubes of 16 of them along an edge, which are 4 x 4 x 4 blocks of the band.
enum { TILE_LEVEL = 4, TILE_BLOCKS = 4, TILE_OCTANTS = 1 << 3 * TILE_LEVEL, WORDS = TILE_OCTANTS / 64, BLOCK = 64 };

// The nodes of a word of bits, which say inside or outside, at its side towards lower x.
#define FIRST_IN_X 0x0101010101010101u

typedef struct octant_job {
    const shoal_tet_solids* solids;
    const shoal_tet_state*  state;
    const uint64_t*         tiles;
    uint8_t*                is_near; // [tiles] the surface may be in it
    uint64_t*               bits;    // [WORDS tiles] of its octants in Morton order: at the surface, and with liquid
} octant_job;

// Whether the surface may enter an octant.
static bool is_at_surface(const octant_job* job, int level, const int at[3]) {
    const shoal_octree* tree = &job->state->work.tree;
    double              half = 0.5 * sqrt(3.0) * tree->step * (double)(1 << level);
    double              off  = job->solids->distance(job->solids->ctx, shoal_octree_middle(tree, level, at), NULL);
    return fabs(off) <= half * (1.0 + 1e-9);
}
static void near_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    octant_job* job = ctx;
    for (int k = begin; k < end; k++) {
        int at[3];
        shoal_morton_split(job->tiles[k], at);
        job->is_near[k] = is_at_surface(job, TILE_LEVEL, at);
    }
}

static void walk(const octant_job* job, uint64_t key, int level, uint64_t* bits) {
    const shoal_octree* tree = &job->state->work.tree;
    int                 at[3];
    shoal_morton_split(key, at);
    if (level == 0 && !(shoal_band_distance(&job->state->band, shoal_octree_middle(tree, 0, at)) < tree->step)) return;
    if (level < TILE_LEVEL && !is_at_surface(job, level, at)) return;
    if (level == 0) {
        bits[key % TILE_OCTANTS / 64] |= (uint64_t)1 << key % 64;
        return;
    }
    for (uint64_t child = 0; child < 8; child++) walk(job, key << 3 | child, level - 1, bits);
}
static void walk_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    octant_job* job = ctx;
    for (int k = begin; k < end; k++) {
        uint64_t* bits = job->bits + (size_t)WORDS * (size_t)k;
        for (int w = 0; w < WORDS; w++) bits[w] = 0;
        walk(job, job->tiles[k], TILE_LEVEL, bits);
    }
}

// The tile that a block of the band is in, along an axis; the first block is the rim's. Below 0: in none.
static int tile_of(int block) { return block < 1 ? -1 : (block - 1) / TILE_BLOCKS; }

// The tiles where there may be liquid: of blocks, and of places between two of a row that are inside (as the next block
// says, shoal_band_distance).
static shoal_status find_tiles(shoal_morton_set* tiles, const shoal_band* band, const shoal_octree* tree,
                               const shoal_exec* exec) {
    const shoal_sparse* grid  = &band->grid;
    int                 limit = 1 << (tree->levels - TILE_LEVEL);
    uint64_t            nx = (uint64_t)grid->nx, ny = (uint64_t)grid->ny;
    SHOAL_TRY(shoal_morton_begin(tiles, tree->levels - TILE_LEVEL));
    for (int b = 0; b < grid->block_count; b++) {
        uint64_t key = grid->keys[b], row = key / nx, inside = 0;
        int      x = tile_of((int)(key % nx)), y = tile_of((int)(row % ny)), z = tile_of((int)(row / ny)), from = x;
        for (int w = 0; w < SHOAL_SPARSE_EDGE; w++) inside |= band->inside[SHOAL_SPARSE_EDGE * (size_t)b + (size_t)w];
        if (inside & FIRST_IN_X)
            from = b > 0 && grid->keys[b - 1] / nx == row ? tile_of((int)(grid->keys[b - 1] % nx)) : 0;
        if (y < 0 || z < 0 || y >= limit || z >= limit) continue;
        for (int tile = from < 0 ? 0 : from; tile <= x && tile < limit; tile++)
            SHOAL_TRY(shoal_morton_add(tiles, shoal_morton(tile, y, z)));
    }
    return shoal_morton_end(tiles, exec);
}

shoal_status liquid_find_solid_octants(shoal_tet_liquid* l, const shoal_tet_state* s, const shoal_tet_solids* solids,
                                       const shoal_exec* exec) {
    octant_job job  = {.solids = solids, .state = s};
    size_t     mark = l->arena.used;
    int        count, near = 0, found = 0;
    uint64_t*  tiles;
    SHOAL_ASSERT(s->work.tree.levels >= TILE_LEVEL); // its rim alone is ten octants
    l->solid_count = 0;
    SHOAL_TRY(find_tiles(&l->wet_tiles, &s->band, &s->work.tree, exec));
    count = l->wet_tiles.count;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&tiles, (size_t)count, sizeof *tiles));
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&job.is_near, (size_t)count, 1));
    job.tiles = l->wet_tiles.keys;
    shoal_blocks(exec, count, BLOCK, near_block, &job);
    for (int k = 0; k < count; k++)
        if (job.is_near[k]) tiles[near++] = l->wet_tiles.keys[k];
    job.tiles = tiles;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&job.bits, (size_t)near, WORDS * sizeof *job.bits));
    shoal_blocks(exec, near, 1, walk_block, &job);
    for (size_t w = 0; w < (size_t)WORDS * (size_t)near; w++) found += shoal_bit_count(job.bits[w]);
    SHOAL_TRY(shoal_reserve((void**)&l->solid_octants, &l->solid_capacity, found, sizeof *l->solid_octants));
    for (size_t w = 0; w < (size_t)WORDS * (size_t)near; w++) {
        uint64_t first = tiles[w / WORDS] * TILE_OCTANTS + 64 * (w % WORDS);
        for (uint64_t bit = 0, word = job.bits[w]; word; bit++, word >>= 1)
            if (word & 1) l->solid_octants[l->solid_count++] = first + bit;
    }
    shoal_arena_back(&l->arena, mark);
    return SHOAL_OK;
}
