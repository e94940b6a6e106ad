// SPDX-License-Identifier: MIT
// A band found by going on from cell to cell: the nodes of the cells that are to be looked at are asked, and where a
// face of one has nodes inside and outside, the cell beyond it is looked at next. Sets of nodes and cells are bits, a
// row of eight at a time; a cell has the place of its lowest node.
#include "tet/band_local.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 16, ASKED = 256, WORDS = 8 }; // blocks and nodes at a time; words of a block

typedef struct flood {
    shoal_band*    band;
    shoal_arena*   arena;
    shoal_field_fn field;
    void*          ctx;
    // bits: cells looked at and to be looked at next, nodes to be asked
    uint64_t *cells, *front, *queried, *scratch;
    int *     first, *list; // [blocks + 1] of the list of nodes that are queried
    int       list_capacity;
    uint64_t* keys; // of blocks to be added
    int       key_count, key_capacity;
} flood;

// --- bits

void band_gather(const shoal_sparse* grid, const uint64_t* bits, int block, band_window* out) {
    const int* near = grid->near + (size_t)BAND_NEAR * (size_t)block;
    for (int z = -1; z <= BAND_EDGE; z++)
        for (int y = -1; y <= BAND_EDGE; y++) {
            const int* b   = near + ((z >> 3) + 1) * 9 + ((y >> 3) + 1) * 3;
            unsigned   row = 0, part[3];
            for (int k = 0; k < 3; k++)
                part[k] = b[k] < 0 ? 0 : (unsigned)(bits[WORDS * b[k] + (z & 7)] >> 8 * (y & 7)) & 0xff;
            row                    = part[0] >> 7 | part[1] << 1 | (part[2] & 1) << 9;
            out->row[z + 1][y + 1] = (uint16_t)row;
        }
}

typedef struct widen_job {
    const shoal_sparse* grid;
    const uint64_t*     in;
    uint64_t*           out;
} widen_job;

static void widen_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    widen_job* job = ctx;
    for (int b = begin; b < end; b++) {
        band_window w;
        band_gather(job->grid, job->in, b, &w);
        for (int z = 1; z <= 8; z++)
            for (int y = 1; y <= 8; y++) {
                unsigned row = 0;
                for (int k = 0; k < 9; k++) row |= w.row[z + k / 3 - 1][y + k % 3 - 1];
                band_put_row(job->out, b, z - 1, y - 1, (row | row << 1 | row >> 1) >> 1);
            }
    }
}
void band_widen(const shoal_sparse* grid, const uint64_t* in, uint64_t* out, const shoal_exec* exec) {
    widen_job job = {grid, in, out};
    shoal_blocks(exec, grid->block_count, BLOCK, widen_block, &job);
}

// The corners of cells.
static void corner_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    widen_job* job = ctx;
    for (int b = begin; b < end; b++) {
        band_window w;
        band_gather(job->grid, job->in, b, &w);
        for (int z = 1; z <= 8; z++)
            for (int y = 1; y <= 8; y++) {
                unsigned row = w.row[z][y] | w.row[z - 1][y] | w.row[z][y - 1] | w.row[z - 1][y - 1];
                band_put_row(job->out, b, z - 1, y - 1, (row | row << 1) >> 1);
            }
    }
}
static void corners_of(const shoal_sparse* grid, const uint64_t* cells, uint64_t* out, const shoal_exec* exec) {
    widen_job job = {grid, cells, out};
    shoal_blocks(exec, grid->block_count, BLOCK, corner_block, &job);
}

// --- looking at cells

// Nodes of a face that are all known, some of them inside and some not: `all` and `any` are rows of those inside.
static unsigned mixed(unsigned known, unsigned any, unsigned all) { return known & any & ~all; }

// The cells that a mixed face belongs to, and of those that have all their nodes the ones that the surface passes.
static void visit_row(const band_window* k, const band_window* i, int z, int y, unsigned* beside, unsigned* passed) {
    unsigned       k00 = k->row[z][y], k01 = k->row[z][y + 1], k10 = k->row[z + 1][y], k11 = k->row[z + 1][y + 1];
    unsigned       i00 = i->row[z][y], i01 = i->row[z][y + 1], i10 = i->row[z + 1][y], i11 = i->row[z + 1][y + 1];
    unsigned       face        = 0, known, any, all;
    const unsigned pairs[4][4] = {
        {k00, k01, i00, i01}, {k10, k11, i10, i11}, {k00, k10, i00, i10}, {k01, k11, i01, i11}};
    for (int f = 0; f < 4; f++) { // below and above, before and behind
        known = pairs[f][0] & pairs[f][1], any = pairs[f][2] | pairs[f][3], all = pairs[f][2] & pairs[f][3];
        face |= mixed(known & known >> 1, any | any >> 1, all & all >> 1);
    }
    known = k00 & k01 & k10 & k11, any = i00 | i01 | i10 | i11, all = i00 & i01 & i10 & i11;
    unsigned side = mixed(known, any, all);
    *beside       = face | side | side >> 1;
    *passed       = mixed(known & known >> 1, any | any >> 1, all & all >> 1);
}

typedef struct visit_job {
    const shoal_band* band;
    uint64_t *        beside, *passed; // either may be NULL
} visit_job;

static void visit_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    visit_job* job = ctx;
    for (int b = begin; b < end; b++) {
        band_window k, i;
        band_gather(&job->band->grid, job->band->known, b, &k);
        band_gather(&job->band->grid, job->band->inside, b, &i);
        for (int z = 0; z < 8; z++)
            for (int y = 0; y < 8; y++) {
                unsigned beside, passed;
                visit_row(&k, &i, z + 1, y + 1, &beside, &passed);
                if (job->beside) band_put_row(job->beside, b, z, y, beside >> 1);
                if (job->passed) band_put_row(job->passed, b, z, y, passed >> 1);
            }
    }
}
static void mark_beside(const shoal_band* band, uint64_t* beside, uint64_t* passed, const shoal_exec* exec) {
    visit_job job = {band, beside, passed};
    shoal_blocks(exec, band->grid.block_count, BLOCK, visit_block, &job);
}

// --- asking nodes

static void list_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    flood* f = ctx;
    for (int b = begin; b < end; b++) {
        int at = f->first[b];
        for (int w = 0; w < WORDS; w++)
            for (uint64_t m = f->queried[WORDS * b + w]; m; m &= m - 1)
                f->list[at++] = BAND_NODES * b + 64 * w + __builtin_ctzll(m);
    }
}

static void ask_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    flood*   f         = ctx;
    shoal_d3 at[ASKED] = {{0.0, 0.0, 0.0}};
    double   value[ASKED], cell = f->band->grid.cell;
    for (int i = begin; i < end; i++) at[i - begin] = band_place(&f->band->grid, f->list[i]);
    f->field(f->ctx, at, end - begin, value);
    for (int i = begin; i < end; i++) {
        double v                         = value[i - begin];
        f->band->grid.values[f->list[i]] = (float)(fabs(v) < BAND_TOUCH * cell ? BAND_TOUCH * cell : v);
    }
}

static void learn_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    flood* f = ctx;
    for (int w = WORDS * begin; w < WORDS * end; w++) {
        f->band->known[w] |= f->queried[w];
        for (uint64_t m = f->queried[w]; m; m &= m - 1) {
            int bit = __builtin_ctzll(m);
            if (f->band->grid.values[(size_t)64 * (size_t)w + (size_t)bit] < 0.0f)
                f->band->inside[w] |= (uint64_t)1 << bit;
        }
    }
}

// The nodes of `queried`, in order.
static shoal_status list_asked(flood* f, const shoal_exec* exec, int* count) {
    int blocks = f->band->grid.block_count, sum = 0;
    for (int b = 0; b < blocks; b++) {
        f->first[b] = sum;
        for (int w = 0; w < WORDS; w++) sum += shoal_bit_count(f->queried[WORDS * b + w]);
    }
    f->first[blocks] = *count = sum;
    SHOAL_TRY(shoal_arena_reserve(f->arena, (void**)&f->list, &f->list_capacity, sum, sizeof *f->list));
    shoal_blocks(exec, blocks, BLOCK, list_block, f);
    return SHOAL_OK;
}

// Asks the corners of the cells in `front`, which are looked at now.
static shoal_status ask_front(flood* f, const shoal_exec* exec) {
    shoal_band* band  = f->band;
    int         words = WORDS * band->grid.block_count, count;
    corners_of(&band->grid, f->front, f->queried, exec);
    for (int w = 0; w < words; w++) {
        f->queried[w] &= ~band->known[w];
        f->cells[w] |= f->front[w];
    }
    SHOAL_TRY(list_asked(f, exec, &count));
    shoal_blocks(exec, count, ASKED, ask_block, f);
    shoal_blocks(exec, band->grid.block_count, BLOCK, learn_block, f);
    return SHOAL_OK;
}

// Goes on until no face leads further. Seeds that the surface has missed by a cell look around themselves first.
static shoal_status spread(flood* f, bool are_seeds, const shoal_exec* exec) {
    int words = WORDS * f->band->grid.block_count;
    for (;; are_seeds = false) {
        bool is_any = false;
        SHOAL_TRY(ask_front(f, exec));
        if (are_seeds) {
            mark_beside(f->band, NULL, f->scratch, exec);
            for (int w = 0; w < words; w++) f->scratch[w] = f->front[w] & ~f->scratch[w];
            band_widen(&f->band->grid, f->scratch, f->queried, exec);
        }
        mark_beside(f->band, f->front, NULL, exec);
        for (int w = 0; w < words; w++) {
            f->front[w] = (f->front[w] | (are_seeds ? f->queried[w] : 0)) & ~f->cells[w];
            is_any |= f->front[w] != 0;
        }
        if (!is_any) return SHOAL_OK;
    }
}

// --- blocks

static shoal_status add_key(flood* f, int64_t x, int64_t y, int64_t z) {
    const shoal_sparse* grid = &f->band->grid;
    if (x < 1 || y < 1 || z < 1 || x >= grid->nx - 1 || y >= grid->ny - 1 || z >= grid->nz - 1) return SHOAL_OK;
    uint64_t key = (uint64_t)((z * grid->ny + y) * grid->nx + x);
    if (f->key_count > 0 && f->keys[f->key_count - 1] == key) return SHOAL_OK;
    if (f->key_count == f->key_capacity) {
        int capacity = 2 * f->key_capacity + 64;
        SHOAL_TRY(
            shoal_arena_grow(f->arena, (void**)&f->keys, (size_t)f->key_count, (size_t)capacity, sizeof *f->keys));
        f->key_capacity = capacity;
    }
    f->keys[f->key_count++] = key;
    return SHOAL_OK;
}

static void cell_of(const shoal_sparse* grid, shoal_d3 at, int64_t cell[3]) {
    for (int a = 0; a < 3; a++) {
        double x = (shoal_d3_axis(at, a) - shoal_d3_axis(grid->origin, a)) / grid->cell;
        cell[a]  = x > 0.0 && x < 1e9 ? (int64_t)x : 0;
    }
}

// The blocks that hold a seed's cell, those around it, and their corners.
static shoal_status key_seeds(flood* f, const shoal_d3* seeds, int count) {
    int64_t before[6] = {-1};
    for (int i = 0; i < count; i++) {
        int64_t c[3], ends[6], *low = ends, *high = ends + 3;
        cell_of(&f->band->grid, seeds[i], c);
        for (int a = 0; a < 3; a++) low[a] = (c[a] - 1) >> 3, high[a] = (c[a] + 2) >> 3;
        if (memcmp(ends, before, sizeof ends) == 0) continue; // seeds come in the order of the surface
        memcpy(before, ends, sizeof ends);
        for (int64_t z = low[2]; z <= high[2]; z++)
            for (int64_t y = low[1]; y <= high[1]; y++)
                for (int64_t x = low[0]; x <= high[0]; x++) SHOAL_TRY(add_key(f, x, y, z));
    }
    return SHOAL_OK;
}

static void put_seeds(flood* f, const shoal_d3* seeds, int count) {
    const shoal_sparse* grid    = &f->band->grid;
    int                 block   = -1;
    int64_t             last[3] = {-1, -1, -1};
    for (int i = 0; i < count; i++) {
        int64_t c[3];
        cell_of(grid, seeds[i], c);
        if (block < 0 || c[0] >> 3 != last[0] || c[1] >> 3 != last[1] || c[2] >> 3 != last[2]) {
            for (int a = 0; a < 3; a++) last[a] = c[a] >> 3;
            block = shoal_sparse_find(grid, last[0], last[1], last[2]);
        }
        if (block >= 0) f->front[WORDS * block + (c[2] & 7)] |= (uint64_t)1 << (8 * (c[1] & 7) + (c[0] & 7));
    }
}

// Ends of edges that the surface crosses.
static void ends_of(const shoal_band* band, int block, uint64_t out[WORDS]) {
    band_window k, i;
    band_gather(&band->grid, band->known, block, &k);
    band_gather(&band->grid, band->inside, block, &i);
    for (int z = 1; z <= 8; z++)
        for (int y = 1; y <= 8; y++) {
            unsigned here = i.row[z][y], ends = 0;
            unsigned along = (here ^ here >> 1) & k.row[z][y] & k.row[z][y] >> 1;
            ends |= along | along << 1;
            const int beside[4][2] = {{z - 1, y}, {z + 1, y}, {z, y - 1}, {z, y + 1}};
            for (int n = 0; n < 4; n++)
                ends |= (here ^ i.row[beside[n][0]][beside[n][1]]) & k.row[z][y] & k.row[beside[n][0]][beside[n][1]];
            band_put_row(out, 0, z - 1, y - 1, ends >> 1);
        }
}

// The nodes of a block that a neighbour's band may begin within, by where that neighbour is: -1, 0, 1.
static uint64_t columns_near(int side) { // bits of x in a row
    enum { REACH = SHOAL_BAND_RINGS + 1 };
    return side < 0 ? (1u << REACH) - 1 : side > 0 ? (0xffu << (8 - REACH)) & 0xffu : 0xffu;
}

// Blocks that are missing though the band reaches into them, or the surface may.
static shoal_status key_missing(flood* f) {
    const shoal_sparse* grid = &f->band->grid;
    for (int b = 0; b < grid->block_count; b++) {
        const int* near = grid->near + (size_t)BAND_NEAR * (size_t)b;
        uint64_t   ends[WORDS], any = 0;
        bool       is_complete = true;
        for (int n = 0; n < BAND_NEAR; n++) is_complete &= near[n] >= 0;
        if (is_complete) continue;
        ends_of(f->band, b, ends);
        for (int w = 0; w < WORDS; w++) any |= ends[w];
        if (!any) continue;
        int64_t key = (int64_t)grid->keys[b];
        for (int n = 0; n < BAND_NEAR; n++) {
            if (near[n] >= 0) continue;
            int      side[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
            uint64_t rows = columns_near(side[1]), layers = columns_near(side[2]), within = 0, met = 0;
            for (int y = 0; y < 8; y++)
                if (rows >> y & 1) within |= columns_near(side[0]) << 8 * y;
            for (int z = 0; z < WORDS; z++)
                if (layers >> z & 1) met |= ends[z] & within;
            if (met)
                SHOAL_TRY(add_key(f, key % grid->nx + side[0], key / grid->nx % grid->ny + side[1],
                                  key / grid->nx / grid->ny + side[2]));
        }
    }
    return SHOAL_OK;
}

static shoal_status make_bits(flood* f) {
    size_t           blocks = (size_t)f->band->grid.block_count;
    uint64_t** const sets[] = {&f->cells, &f->front, &f->queried, &f->scratch};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        SHOAL_TRY(shoal_arena_make(f->arena, (void**)sets[k], WORDS * blocks, sizeof **sets[k]));
        memset(*sets[k], 0, WORDS * blocks * sizeof **sets[k]);
    }
    SHOAL_TRY(shoal_arena_make(f->arena, (void**)&f->first, blocks + 1, sizeof *f->first));
    return band_bits(f->band);
}

// The blocks that are there before some are added, with their bits.
typedef struct laid {
    int       count;
    uint64_t *keys, *known, *inside, *cells;
    float*    values;
} laid;

static shoal_status put_aside(const flood* f, laid* old) {
    const shoal_band* band = f->band;
    size_t            n    = (size_t)band->grid.block_count;
    old->count             = (int)n;
    if (n == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_arena_make(f->arena, (void**)&old->keys, n, sizeof *old->keys));
    SHOAL_TRY(shoal_arena_make(f->arena, (void**)&old->known, WORDS * n, sizeof *old->known));
    SHOAL_TRY(shoal_arena_make(f->arena, (void**)&old->inside, WORDS * n, sizeof *old->inside));
    SHOAL_TRY(shoal_arena_make(f->arena, (void**)&old->values, BAND_NODES * n, sizeof *old->values));
    old->cells = f->cells;
    memcpy(old->keys, band->grid.keys, n * sizeof *old->keys);
    memcpy(old->known, band->known, WORDS * n * sizeof *old->known);
    memcpy(old->inside, band->inside, WORDS * n * sizeof *old->inside);
    memcpy(old->values, band->grid.values, BAND_NODES * n * sizeof *old->values);
    return SHOAL_OK;
}

// Lays the blocks of `keys`, beside those that are there, whose nodes keep what they have.
static shoal_status lay(flood* f, const shoal_exec* exec) {
    shoal_band* band = f->band;
    laid        old  = {0};
    SHOAL_TRY(put_aside(f, &old));
    for (int b = 0; b < old.count; b++) {
        int64_t key = (int64_t)old.keys[b], nx = band->grid.nx, ny = band->grid.ny;
        SHOAL_TRY(add_key(f, key % nx, key / nx % ny, key / nx / ny));
    }
    SHOAL_TRY(shoal_sparse_make(&band->grid, exec, f->keys, f->key_count, f->arena));
    SHOAL_TRY(make_bits(f));
    for (int b = 0, at = 0; b < old.count; b++) {
        while (band->grid.keys[at] < old.keys[b]) at++;
        memcpy(band->grid.values + (size_t)BAND_NODES * (size_t)at, old.values + (size_t)BAND_NODES * (size_t)b,
               BAND_NODES * sizeof *old.values);
        memcpy(band->known + WORDS * at, old.known + WORDS * b, WORDS * sizeof *band->known);
        memcpy(band->inside + WORDS * at, old.inside + WORDS * b, WORDS * sizeof *band->inside);
        memcpy(f->cells + WORDS * at, old.cells + WORDS * b, WORDS * sizeof *f->cells);
    }
    f->key_count = 0;
    return SHOAL_OK;
}

// --- the whole

// Nodes without a distance are far, on their side.
static void far_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const shoal_band* band = ((flood*)ctx)->band;
    for (size_t w = (size_t)WORDS * (size_t)begin; w < (size_t)WORDS * (size_t)end; w++)
        for (uint64_t m = ~band->known[w]; m; m &= m - 1) {
            int bit                                 = __builtin_ctzll(m);
            band->grid.values[64 * w + (size_t)bit] = (float)(band->inside[w] >> bit & 1 ? -band->far : band->far);
        }
}

// Only the corners of cells that the surface passes keep their distance. A node that has not been asked is on the same
// side as those beside it, so sides are handed on until all have one.
static void settle_sides(flood* f, const shoal_exec* exec) {
    shoal_band* band  = f->band;
    int         words = WORDS * band->grid.block_count;
    uint64_t *  known = f->cells, *wide = f->front, *in = f->scratch;
    if (words == 0) return; // no liquid, and no memory for any
    memcpy(known, band->known, (size_t)words * sizeof *known);
    for (bool is_any = true; is_any;) {
        is_any = false;
        band_widen(&band->grid, known, wide, exec);
        band_widen(&band->grid, band->inside, in, exec);
        for (int w = 0; w < words; w++) {
            uint64_t fresh = wide[w] & ~known[w];
            band->inside[w] |= in[w] & fresh;
            known[w] |= fresh;
            is_any |= fresh != 0;
        }
    }
    mark_beside(band, NULL, f->front, exec);
    corners_of(&band->grid, f->front, band->known, exec);
    shoal_blocks(exec, band->grid.block_count, BLOCK, far_block, f);
}

static shoal_status go_on(flood* f, const shoal_d3* seeds, int seed_count, const shoal_exec* exec) {
    SHOAL_TRY(key_seeds(f, seeds, seed_count));
    SHOAL_TRY(lay(f, exec));
    put_seeds(f, seeds, seed_count);
    for (bool are_seeds = true;; are_seeds = false) {
        SHOAL_TRY(spread(f, are_seeds, exec));
        SHOAL_TRY(key_missing(f));
        if (f->key_count == 0) break;
        SHOAL_TRY(lay(f, exec));
        // cells beside new ones had nodes that could not be asked
        mark_beside(f->band, f->front, NULL, exec);
    }
    settle_sides(f, exec);
    return SHOAL_OK;
}

static shoal_status make(flood* f, const shoal_d3* seeds, int seed_count, const shoal_exec* exec) {
    shoal_band* band  = f->band;
    size_t      mark  = f->arena->used;
    band->has_surface = false;
    SHOAL_TRY(go_on(f, seeds, seed_count, exec));
    shoal_arena_back(f->arena, mark);
    SHOAL_TRY(shoal_contour_make(&band->grid, SHOAL_CONTOUR_EXACT, exec, f->arena, &band->surface));
    band->has_surface = true;
    SHOAL_TRY(band_rings(band, f->arena, exec));
    shoal_arena_back(f->arena, mark);
    return shoal_contour_make(&band->grid, SHOAL_CONTOUR_EXACT, exec, f->arena, &band->surface); // of what they are now
}

shoal_status shoal_band_make(shoal_band* band, shoal_field_fn field, void* ctx, const shoal_d3* seeds, int seed_count,
                             const shoal_exec* exec) {
    shoal_arena own        = {0};
    flood       f          = {.band = band, .arena = band->arena ? band->arena : &own, .field = field, .ctx = ctx};
    size_t      mark       = f.arena->used;
    band->grid.block_count = 0;
    shoal_status status    = make(&f, seeds, seed_count, exec);
    shoal_arena_back(f.arena, mark);
    shoal_arena_free(&own);
    return status;
}
