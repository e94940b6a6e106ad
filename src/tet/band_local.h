// SPDX-License-Identifier: MIT
#ifndef SHOAL_BAND_LOCAL_H
#define SHOAL_BAND_LOCAL_H

#include "tet/band.h"

enum { BAND_EDGE = SHOAL_SPARSE_EDGE, BAND_NODES = SHOAL_SPARSE_SAMPLES, BAND_NEAR = SHOAL_SPARSE_NEAR };

// A node that the surface all but touches is outside, in cells: else rounding would choose for each node of a level
// surface by itself, and triangles collapse.
#define BAND_TOUCH 1e-6

// The bits of a block with those of one node around it: bit x + 1 of row [z + 1][y + 1]. Missing blocks have none.
typedef struct band_window {
    uint16_t row[BAND_EDGE + 2][BAND_EDGE + 2];
} band_window;
void band_gather(const shoal_sparse* grid, const uint64_t* bits, int block, band_window* out);
// Sets the block's row (z, y) of a set of bits.
SHOAL_FN void band_put_row(uint64_t* bits, int block, int z, int y, unsigned row) {
    uint64_t* word = &bits[BAND_EDGE * block + z];
    *word          = (*word & ~((uint64_t)0xff << 8 * y)) | (uint64_t)(row & 0xff) << 8 * y;
}
// out: all nodes beside one of `in`, and these. Whole sets of all blocks; not in place.
void band_widen(const shoal_sparse* grid, const uint64_t* in, uint64_t* out, const shoal_exec* exec);

// Node (x, y, z) of a block, each from -8 to 15: its number; -1 where its block is missing.
SHOAL_FN int band_node(const shoal_sparse* grid, int block, int x, int y, int z) {
    int near = ((z >> 3) + 1) * 9 + ((y >> 3) + 1) * 3 + (x >> 3) + 1;
    int b    = grid->near[(size_t)BAND_NEAR * (size_t)block + (size_t)near];
    return b < 0 ? -1 : BAND_NODES * b + (z & 7) * 64 + (y & 7) * 8 + (x & 7);
}
shoal_d3 band_place(const shoal_sparse* grid, int node);
// Makes room for the bits of the band's blocks, all 0.
shoal_status band_bits(shoal_band* band);

// Measures the nodes of the rings around those at the surface.
shoal_status band_rings(shoal_band* band, shoal_arena* scratch, const shoal_exec* exec);

#endif
