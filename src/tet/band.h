// SPDX-License-Identifier: MIT
// A surface that is tracked: signed distances, negative inside, at the nodes of a lattice in a band around it, and the
// triangles on which they are zero [Bargteil et al. 2006, semi-Lagrangian contouring].
//
// The nodes around a new surface, and those at it, are measured from its triangles. That cuts off every convex part by
// a chord, step after step, as in the paper.
#ifndef SHOAL_BAND_H
#define SHOAL_BAND_H

#include "geom/contour.h"
#include "tet/octree.h"

// Of nodes beyond those at the surface: the support of a cubic around a point near it.
enum { SHOAL_BAND_RINGS = 3 };

typedef struct shoal_band {
    shoal_sparse  grid;    // its values: distances in the band, beyond it +- far
    shoal_contour surface; // where they are zero, if it has one; without normals
    double        far;     // m
    bool          has_surface;
    // [8 blocks] a bit for each node, bit 8 y + x of word z: it has a distance; it is inside
    uint64_t*    known;
    uint64_t*    inside;
    int          known_capacity, inside_capacity;
    shoal_arena* arena; // for scratch; NULL: none is kept
} shoal_band;

void shoal_band_free(shoal_band* band); // what it owns; zero-initialise before the first use

// Lays the lattice: with nodes on those of an octree's frame (shoal_octree_frame) and between them, two to a step.
void shoal_band_frame(shoal_band* band, const shoal_octree* tree);

// Takes the surface on which `field` is zero, found by going on from cell to cell: it must pass through one of the
// cells that hold `seeds`, or a cell beside one, in each of its parts. The same bits for any number of threads.
shoal_status shoal_band_make(shoal_band* band, shoal_field_fn field, void* ctx, const shoal_d3* seeds, int seed_count,
                             const shoal_exec* exec);

// Signed distance at a point: cubic in the band, but never beyond the nodes around it; +- far elsewhere.
double shoal_band_distance(const shoal_band* band, shoal_d3 at);
// Its gradient there, trilinear between the eight nodes around it; false where they have no distance.
bool shoal_band_gradient(const shoal_band* band, shoal_d3 at, shoal_d3* gradient);

// Takes the surface on which `field` is zero, to which that of `from` has moved: `move` says where its points have
// gone, which need not be exact. Both have the same frame. `seeds`: where to look as well. `from` hands the memory of
// its triangles over, and has none then.
typedef void (*shoal_move_fn)(void* ctx, const shoal_d3* at, int count, shoal_d3* to);
shoal_status shoal_band_follow(shoal_band* from, shoal_field_fn field, shoal_move_fn move, void* ctx,
                               const shoal_d3* seeds, int seed_count, const shoal_exec* exec, shoal_band* to);

// Makes the triangles of a band that has none.
shoal_status shoal_band_contour(shoal_band* band, const shoal_exec* exec);

// Takes blocks that a band with this frame has had, by their keys, which increase, values and bits: the band is as it
// was. SHOAL_ERR_INPUT: they are no band's.
shoal_status shoal_band_restore(shoal_band* band, int block_count, const uint64_t* keys, const float* values,
                                const uint64_t* known, const uint64_t* inside, const shoal_exec* exec);

#endif
