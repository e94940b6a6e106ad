// SPDX-License-Identifier: MIT
// A staggered (MAC) grid in blocks of 8 x 8 x 8 cells that exist only around particles: cost and memory follow the
// liquid, and the domain has no bounds. Velocities lie on faces, everything else at centres.
//
// Sample s of block b is at 512 b + s, x fastest; face arrays hold the face at the low side of that cell along their
// axis. Sets of samples are bits: word 8 b + z, bit 8 y + x. A tile is a block with a rim of one sample on each side,
// so that a particle of the block needs nothing else: one float per sample, or a pair.
//
// Everything is gathered: blocks are written by one thread each, in fixed order, so results do not depend on threads.
#ifndef SHOAL_MAC_H
#define SHOAL_MAC_H

#include "exec/exec.h"
#include "state/world.h"

enum {
    SHOAL_MAC_EDGE         = 8,
    SHOAL_MAC_SAMPLES      = 512,
    SHOAL_MAC_NEAR         = 27,
    SHOAL_MAC_HERE         = 13,  // a block among its own neighbours
    SHOAL_MAC_NODES        = 729, // corners of a block's cells
    SHOAL_MAC_RIMMED       = 10,
    SHOAL_MAC_RIMMED_CELLS = 1000,                       // samples of one quantity in a tile
    SHOAL_MAC_PAIRS        = 2 * SHOAL_MAC_RIMMED_CELLS, // floats of one quantity of pairs
    SHOAL_MAC_TILE         = 4 * SHOAL_MAC_PAIRS,        // floats of a tile
    SHOAL_MAC_REACH        = 8                           // most cells around particles that can be asked for
};

enum { SHOAL_MAC_HAS_WALL = 1, SHOAL_MAC_HAS_COLLIDER = 2 }; // what a block has of solids

typedef struct shoal_mac_def {
    float    dx;              // m
    shoal_v3 origin;          // corner of cell (0, 0, 0)
    int      low[3], high[3]; // cells [low, high) can exist; INT_MIN and INT_MAX: no limit
    int      period[3];       // cells, a multiple of 8; 0: not periodic. Then particles are in [0, period)
} shoal_mac_def;

// The grid that fits a world: anchored one cell beyond the walls at min, cut off one cell beyond closed walls.
shoal_mac_def shoal_mac_def_for(const shoal_world* world, double dx);

typedef struct shoal_mac {
    shoal_mac_def       def;
    float               inverse;           // 1 / dx
    shoal_material_kind kind;              // of the material on the grid: the friction of solids is that for this kind
    shoal_v3            gravity_direction; // where loose grains fall to; 0: none
    int                 block_count, full_count; // blocks; those that hold particles
    int                 capacity;                // blocks there is room for
    int (*corner)[3];                            // [block] coordinates of the first cell
    int (*near)[SHOAL_MAC_NEAR];                 // [block] blocks around, x fastest; -1: none
    int (*run)[2];                               // [block] particles [begin, end)
    int* full;                                   // [full_count] blocks with particles

    float*       u[3];         // velocity, m/s
    float*       old[3];       // before forces
    float*       change[3];    // by forces
    float*       open[3];      // open fraction of a face
    const float* mobility[3];  // how far a push moves a face, at most 1: what clings to it is heavy; NULL: 1 everywhere
    float*       solid_u[3];   // velocity of the solid, only where moves[block]
    uint64_t*    known[3];     // faces whose u is known
    uint64_t*    saved[3];     // faces whose old is known
    uint64_t*    next[3];      // scratch of the extension
    uint64_t*    marked;       // cells with particles
    uint64_t*    liquid;       // cells of the pressure system
    const uint64_t* separated; // cells without pressure that may leave solids; NULL: none
    float*          density;   // particles around a cell over those of rest, hat weights, as if solids were liquid
    float*          wetness;   // mean of the particles around; 0 where there are none
    float*          phi;       // signed distance of the liquid, in cells
    float*          fraction;  // open fraction of the volume
    float*          pressure;  // p dt / (rho dx), m/s; 0 where there is no liquid
    int*            index;     // number of a liquid cell; -1: none
    uint8_t*  has_solid;  // [block] some sample is near a solid: SHOAL_MAC_HAS_WALL or _COLLIDER, perhaps also a wall
    uint8_t*  moves;      // [block] near a moving one
    uint8_t*  retracts;   // [block] near one that moves away from what it touches, not just along itself
    uint8_t*  has_thin;   // [block] near a thin one
    uint32_t* open_nodes; // [sample] nodes of a cell (mac_thin.h) outside of solids, only where has_thin[block]
    uint32_t* part_nodes; // [sample] those of the part that the cell is: a thin solid may divide it
    uint64_t* touched;    // cells with particles close to a thin solid, only where has_thin[block]
    float*    tile;       // [SHOAL_MAC_TILE block] scratch of the transfers

    // sorting
    int       item_capacity, key_capacity;
    uint64_t *keys, *keys_sorted;
    int*      order; // [items] the particle that comes k-th
    void*     sort_scratch;
    uint64_t *block_keys, *block_keys_sorted;
    int*      block_order;
    void*     block_sort_scratch;
    int       run_capacity;
    uint64_t* run_key; // [full_count] keys of blocks with particles
    int*      run_start;
    int64_t   from[3], extent[3]; // box of block coordinates that are numbered
} shoal_mac;

void shoal_mac_free(shoal_mac* mac); // what it points to; zero-initialise before the first use

// Sorts particles by block, then cell: fills mac->order. Bring them into that order before the next call.
// Fails with SHOAL_ERR_DIVERGE when places are too far apart to be numbered.
shoal_status shoal_mac_sort(shoal_mac* mac, const shoal_exec* exec, const shoal_mac_def* def, const shoal_v3* position,
                            int count);
// Makes the blocks within `reach` cells of a particle.
shoal_status shoal_mac_build(shoal_mac* mac, const shoal_exec* exec, int reach);

// Samples of a block whose neighbour (way = +1 or -1 along an axis) is in the set.
void shoal_mac_shift(const shoal_mac* mac, const uint64_t* set, int block, int axis, int way, uint64_t out[8]);

// What happens to one block, for all of them (or those with particles).
typedef void (*shoal_mac_fn)(void* ctx, shoal_mac* mac, int block, int worker);
void shoal_mac_each(shoal_mac* mac, const shoal_exec* exec, shoal_mac_fn fn, void* ctx);
void shoal_mac_each_full(shoal_mac* mac, const shoal_exec* exec, shoal_mac_fn fn, void* ctx);

// The samples of a block and of its rim, x fastest; 0 where there is no block.
void shoal_mac_rimmed(const shoal_mac* mac, int block, const float* from, float out[SHOAL_MAC_RIMMED_CELLS]);
// The same of two arrays, as pairs; `second` may be NULL (0).
void shoal_mac_rim(const shoal_mac* mac, int block, const float* first, const float* second, float* pairs);

// Which of two corners of blocks comes first in a grid: z, then y, then x.
static inline int shoal_mac_order(const int a[3], const int b[3]) {
    for (int axis = 2; axis >= 0; axis--)
        if (a[axis] != b[axis]) return a[axis] < b[axis] ? -1 : 1;
    return 0;
}
static inline int  shoal_mac_sample(int x, int y, int z) { return (z * 8 + y) * 8 + x; }
static inline bool shoal_mac_has(const uint64_t* set, int at) {
    return set[at >> 6] >> (at & 63) & 1u; // 512 b + 64 z + 8 y + x
}

// The sample one further along an axis (way = +1 or -1); -1: there is none.
static inline int shoal_mac_beside(const shoal_mac* mac, int at, int axis, int way) {
    static const int near_step[3] = {1, 3, 9};
    int              shift = 3 * axis, stride = 1 << shift, here = at >> shift & 7, next = here + way;
    if (next >= 0 && next < 8) return at + way * stride;
    int block = mac->near[at >> 9][SHOAL_MAC_HERE + way * near_step[axis]];
    return block < 0 ? -1 : (block << 9) + (at & 511) - way * 7 * stride;
}

static inline shoal_v3 shoal_mac_place(const shoal_mac* mac, int at, float ox, float oy, float oz) {
    const int* corner = mac->corner[at >> 9];
    float      dx     = mac->def.dx;
    return shoal_v3_make(mac->def.origin.x + dx * ((float)(corner[0] + (at & 7)) + ox),
                         mac->def.origin.y + dx * ((float)(corner[1] + (at >> 3 & 7)) + oy),
                         mac->def.origin.z + dx * ((float)(corner[2] + (at >> 6 & 7)) + oz));
}
// Centre of the low face along an axis.
static inline shoal_v3 shoal_mac_face(const shoal_mac* mac, int at, int axis) {
    return shoal_mac_place(mac, at, axis == 0 ? 0.0f : 0.5f, axis == 1 ? 0.0f : 0.5f, axis == 2 ? 0.0f : 0.5f);
}

#endif
