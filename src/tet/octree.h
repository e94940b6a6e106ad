// SPDX-License-Identifier: MIT
// A linear octree: for each size the octants in Morton order, no pointers. Finest octants are asked for one by one; the
// rest of the cube is filled with octants as large as the balance allows: such that share a face or an edge
// differ by a factor of two at most [Labelle & Shewchuk 2007, weak balance].
#ifndef SHOAL_OCTREE_H
#define SHOAL_OCTREE_H

#include "tet/morton.h"

enum { SHOAL_OCTREE_LEVELS = SHOAL_MORTON_BITS - 1 };

// An octant of level k has the edge 2^k steps; its place counts such edges from the corner of the cube.
typedef struct shoal_octree {
    shoal_d3         origin;                           // of the cube, m
    double           step;                             // edge of a finest octant, m
    int              levels;                           // the cube has the edge 2^levels steps
    shoal_morton_set divided[SHOAL_OCTREE_LEVELS + 1]; // [1 ... levels]
    shoal_morton_set leaves[SHOAL_OCTREE_LEVELS + 1];  // [0 ... levels - 1]
    int       first_leaf[SHOAL_OCTREE_LEVELS + 2]; // leaves are numbered finest first, in Morton order within a level
    int       leaf_count;
    uint64_t* keys; // scratch
    int       key_capacity;
} shoal_octree;

void shoal_octree_free(shoal_octree* tree); // what it points to; zero-initialise before the first use

// The smallest cube of whole octants around `box` and a rim of `rim` steps; fails where it would have more than
// 2^SHOAL_OCTREE_LEVELS of them along an edge.
shoal_status shoal_octree_frame(shoal_octree* tree, shoal_box box, double step, int rim);

// Divides down to the octants named by `finest`, Morton keys of level 0 within the cube, in any order, which are used
// up. One pass upwards balances all: an octant that is divided divides the one that holds it and its 18 neighbours by
// face and edge.
shoal_status shoal_octree_build(shoal_octree* tree, uint64_t* finest, int count, const shoal_exec* exec);

// A function of space, asked for many points at a time and from several threads at once.
typedef void (*shoal_field_fn)(void* ctx, const shoal_d3* at, int count, double* value);

// The finest octants that the zero set of `field` may enter, for fields that nowhere change by more than `slope` per
// metre: *keys, [*count], of the caller, kept with *room (shoal_reserve).
shoal_status shoal_octree_near(shoal_octree* tree, shoal_field_fn field, void* ctx, double slope,
                               const shoal_exec* exec, uint64_t** keys, int* capacity, int* count);

// The middle of an octant.
SHOAL_FN shoal_d3 shoal_octree_middle(const shoal_octree* tree, int level, const int at[3]) {
    double edge = tree->step * (double)(1 << level);
    return shoal_d3_make(tree->origin.x + edge * (at[0] + 0.5), tree->origin.y + edge * (at[1] + 0.5),
                         tree->origin.z + edge * (at[2] + 0.5));
}
// A corner of finest octants.
SHOAL_FN shoal_d3 shoal_octree_corner(const shoal_octree* tree, const int at[3]) {
    return shoal_d3_make(tree->origin.x + tree->step * at[0], tree->origin.y + tree->step * at[1],
                         tree->origin.z + tree->step * at[2]);
}
// The number of the leaf of this level and place, -1 where there is none; outside of the cube there is none.
SHOAL_FN int shoal_octree_leaf(const shoal_octree* tree, int level, int x, int y, int z) {
    int k = level < tree->levels ? shoal_morton_find(&tree->leaves[level], x, y, z) : -1;
    return k < 0 ? -1 : tree->first_leaf[level] + k;
}
// The leaf as large as this one beside it; outside of the cube there is none. Finest leaves come by eights, those of a
// parent in Morton order, so that half of them are found without a look into the index.
SHOAL_FN int shoal_octree_beside(const shoal_octree* tree, int leaf, int level, const int at[3], int axis, int side) {
    int to[3] = {at[0], at[1], at[2]};
    if (level == 0 && (at[axis] & 1) != side) return leaf ^ 1 << axis;
    to[axis] += side ? 1 : -1;
    return shoal_octree_leaf(tree, level, to[0], to[1], to[2]);
}
SHOAL_FN int shoal_octree_is_divided(const shoal_octree* tree, int level, int x, int y, int z) {
    return level > 0 && level <= tree->levels && shoal_morton_find(&tree->divided[level], x, y, z) >= 0;
}
// The level of a leaf, and its place.
SHOAL_FN int shoal_octree_place(const shoal_octree* tree, int leaf, int at[3]) {
    int level = 0;
    while (leaf >= tree->first_leaf[level + 1]) level++;
    shoal_morton_split(tree->leaves[level].keys[leaf - tree->first_leaf[level]], at);
    return level;
}

#endif
