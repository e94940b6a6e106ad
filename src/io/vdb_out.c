// SPDX-License-Identifier: MIT
// The layout of file version 224: a head, then for each grid a descriptor, its metadata, its
// transform, the topology of its tree and the values of its leaves. The tree is root - 32^3 - 16^3
// - 8^3, z fastest at every level. The places of all parts stand in the descriptor, so each part is
// written twice: once to measure it.
#include "io/vdb_out.h"

#include "io/file.h"
#include "shoal/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_VERSION    = 224,
    LIBRARY_MAJOR   = 10, // whose layout this is
    ACTIVE_MASK     = 2,  // compression flag: inactive values are left out
    NO_INACTIVE     = 0,  // all inactive values are the background
    MASK_OF_SIGN    = 3,  // a mask tells which of them are +background, the others -background
    LEAF_LOG2       = 3,
    LOWER_LOG2      = 4, // children of a lower node along an edge
    UPPER_LOG2      = 5,
    LOWER_CHILDREN  = 1 << 3 * LOWER_LOG2,
    UPPER_CHILDREN  = 1 << 3 * UPPER_LOG2,
    LOWER_VOXELS    = 1 << (LEAF_LOG2 + LOWER_LOG2), // along an edge
    UPPER_VOXELS    = 1 << (LEAF_LOG2 + LOWER_LOG2 + UPPER_LOG2),
    SAMPLES         = SHOAL_SPARSE_SAMPLES,
    MASK_WORDS_MOST = UPPER_CHILDREN / 64
};

// A leaf and where it stands in the tree.
typedef struct leaf {
    int      block;
    int      root[3];      // index of the first voxel of its upper node
    int      lower, child; // place of its lower node in the upper, its own in the lower
    bool     is_tile;      // wholly inside: a value of the lower node in place of a leaf
    uint64_t active[SAMPLES / 64];
} leaf;

typedef struct sink {
    shoal_out* out; // NULL: only measured
    int64_t    at;
} sink;

typedef struct vdb_tree {
    const shoal_vdb_grid* grid;
    leaf*                 leaves; // in the order of the file
    int                   count;
} vdb_tree;

static void put(sink* s, const void* bytes, size_t size) {
    if (s->out) shoal_out_add(s->out, bytes, size);
    s->at += (int64_t)size;
}
static void put_int(sink* s, uint32_t value) { put(s, &value, sizeof value); }
static void put_long(sink* s, int64_t value) { put(s, &value, sizeof value); }
static void put_byte(sink* s, char value) { put(s, &value, 1); }
static void put_float(sink* s, float value) { put(s, &value, sizeof value); }
static void put_text(sink* s, const char* text) {
    put_int(s, (uint32_t)strlen(text));
    put(s, text, strlen(text));
}
static void put_text_entry(sink* s, const char* key, const char* value) {
    put_text(s, key);
    put_text(s, "string");
    put_text(s, value);
}
static void put_v3(sink* s, double value) {
    for (int k = 0; k < 3; k++) put(s, &value, sizeof value);
}

// --- the tree

static int compare(const void* a, const void* b) {
    const leaf *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->root[k] != y->root[k]) return x->root[k] < y->root[k] ? -1 : 1;
    if (x->lower != y->lower) return x->lower < y->lower ? -1 : 1;
    return (x->child > y->child) - (x->child < y->child);
}

// Sample (x, y, z) of a block, in its order and in that of the file.
static int sample_of(int voxel) {
    int x = voxel >> 6, y = voxel >> 3 & 7, z = voxel & 7;
    return (z << 3 | y) << 3 | x;
}

static void place_leaf(const shoal_sparse* f, leaf* l) {
    shoal_d3 corner = shoal_sparse_corner(f, l->block);
    int      first[3];
    for (int k = 0; k < 3; k++) {
        first[k]   = (int)floor(shoal_d3_axis(corner, k) / f->cell + 0.5);
        l->root[k] = first[k] & ~(UPPER_VOXELS - 1);
        int lower  = (first[k] - l->root[k]) / LOWER_VOXELS;
        int child  = (first[k] & (LOWER_VOXELS - 1)) >> LEAF_LOG2;
        l->lower   = l->lower << UPPER_LOG2 | lower;
        l->child   = l->child << LOWER_LOG2 | child;
    }
}

// Finds the active voxels; false: the leaf is all background.
static bool fill_leaf(const shoal_vdb_grid* grid, leaf* l) {
    const float* v       = grid->distance->values + (size_t)SAMPLES * (size_t)l->block;
    float        outside = grid->distance->outside;
    int          active = 0, inside = 0;
    for (int i = 0; i < SAMPLES; i++) {
        float d     = v[sample_of(i)];
        bool  is_on = grid->vectors ? d < outside : d < outside && d > -outside;
        active += is_on;
        inside += d < 0.0f;
        l->active[i / 64] |= (uint64_t)is_on << i % 64;
    }
    l->is_tile = !grid->vectors && active == 0 && inside == SAMPLES;
    return active > 0 || (!grid->vectors && inside > 0);
}

static shoal_status tree_make(vdb_tree* t, const shoal_vdb_grid* grid) {
    const shoal_sparse* f = grid->distance;
    *t                    = (vdb_tree){.grid = grid};
    t->leaves             = shoal_alloc((size_t)f->block_count + 1, sizeof *t->leaves);
    if (!t->leaves) return SHOAL_ERR_MEMORY;
    for (int b = 0; b < f->block_count; b++) {
        leaf* l = &t->leaves[t->count];
        *l      = (leaf){.block = b};
        if (!fill_leaf(grid, l)) continue;
        place_leaf(f, l);
        t->count++;
    }
    qsort(t->leaves, (size_t)t->count, sizeof *t->leaves, compare);
    return SHOAL_OK;
}

static bool same_root(const leaf* a, const leaf* b) { return memcmp(a->root, b->root, sizeof a->root) == 0; }

static int lower_end(const vdb_tree* t, int begin) {
    int end = begin;
    while (end < t->count && same_root(&t->leaves[end], &t->leaves[begin]) &&
           t->leaves[end].lower == t->leaves[begin].lower)
        end++;
    return end;
}

static int root_end(const vdb_tree* t, int begin) {
    int end = begin;
    while (end < t->count && same_root(&t->leaves[end], &t->leaves[begin])) end++;
    return end;
}

static void put_lower(const vdb_tree* t, sink* s, int begin, int end) {
    uint64_t children[LOWER_CHILDREN / 64] = {0}, none[LOWER_CHILDREN / 64] = {0}, above[LOWER_CHILDREN / 64];
    bool     has_tiles = false;
    memset(above, 0xff, sizeof above);
    for (int i = begin; i < end; i++) {
        const leaf* l   = &t->leaves[i];
        uint64_t    bit = (uint64_t)1 << l->child % 64;
        if (l->is_tile)
            above[l->child / 64] &= ~bit;
        else
            children[l->child / 64] |= bit;
        has_tiles |= l->is_tile;
    }
    put(s, children, sizeof children);
    put(s, none, sizeof none); // tiles are not active
    put_byte(s, has_tiles ? MASK_OF_SIGN : NO_INACTIVE);
    if (has_tiles) put(s, above, sizeof above);
    for (int i = begin; i < end; i++)
        if (!t->leaves[i].is_tile) put(s, t->leaves[i].active, sizeof t->leaves[i].active);
}

static void put_upper(const vdb_tree* t, sink* s, int begin, int end) {
    uint64_t children[MASK_WORDS_MOST] = {0}, none[MASK_WORDS_MOST] = {0};
    for (int i = begin; i < end; i++) children[t->leaves[i].lower / 64] |= (uint64_t)1 << t->leaves[i].lower % 64;
    put(s, children, sizeof children);
    put(s, none, sizeof none);
    put_byte(s, NO_INACTIVE);
    for (int i = begin; i < end; i = lower_end(t, i)) put_lower(t, s, i, lower_end(t, i));
}

static void put_topology(const vdb_tree* t, sink* s) {
    uint32_t roots = 0;
    for (int i = 0; i < t->count; i = root_end(t, i)) roots++;
    put_int(s, 1); // buffers
    if (t->grid->vectors)
        for (int k = 0; k < 3; k++) put_float(s, 0.0f);
    else
        put_float(s, t->grid->distance->outside);
    put_int(s, 0); // tiles
    put_int(s, roots);
    for (int i = 0; i < t->count; i = root_end(t, i)) {
        for (int k = 0; k < 3; k++) put_int(s, (uint32_t)t->leaves[i].root[k]);
        put_upper(t, s, i, root_end(t, i));
    }
}

static void put_leaf(const vdb_tree* t, sink* s, const leaf* l) {
    const size_t first    = (size_t)SAMPLES * (size_t)l->block;
    const float* distance = t->grid->distance->values + first;
    const float* vectors  = t->grid->vectors ? t->grid->vectors + 3 * first : NULL;
    float        values[3 * SAMPLES];
    uint64_t     above[SAMPLES / 64] = {0};
    size_t       count               = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int at = sample_of(i);
        above[i / 64] |= (uint64_t)(distance[at] > 0.0f) << i % 64;
        if (!(l->active[i / 64] >> i % 64 & 1)) continue;
        if (vectors)
            memcpy(values + 3 * count, vectors + 3 * at, 3 * sizeof *values);
        else
            values[count] = distance[at];
        count++;
    }
    put(s, l->active, sizeof l->active);
    put_byte(s, vectors ? NO_INACTIVE : MASK_OF_SIGN);
    if (!vectors) put(s, above, sizeof above);
    put(s, values, count * (vectors ? 3 : 1) * sizeof *values);
}

static void put_leaves(const vdb_tree* t, sink* s) {
    for (int i = 0; i < t->count; i++)
        if (!t->leaves[i].is_tile) put_leaf(t, s, &t->leaves[i]);
}

// --- the file

static void put_head(sink* s, int grids) {
    put_long(s, 0x56444220); // "VDB " and four zeros
    put_int(s, FILE_VERSION);
    put_int(s, LIBRARY_MAJOR);
    put_int(s, 0);
    put_byte(s, 1);                                     // grids can be jumped to
    put(s, "00000000-0000-0000-0000-000000000000", 36); // the same bytes for the same grids
    put_int(s, 1);
    put_text_entry(s, "creator", "shoal " SHOAL_VERSION);
    put_int(s, (uint32_t)grids);
}

static void put_head_of_grid(const vdb_tree* t, sink* s) {
    double cell = t->grid->distance->cell;
    put_int(s, ACTIVE_MASK);
    put_int(s, 4);
    put_text_entry(s, "class", t->grid->vectors ? "unknown" : "level set");
    put_text_entry(s, "name", t->grid->name);
    put_text_entry(s, "vector_type", t->grid->vectors ? "contravariant relative" : "invariant");
    put_text(s, "is_saved_as_half_float");
    put_text(s, "bool");
    put_int(s, 1);
    put_byte(s, 0);
    put_text(s, "UniformScaleMap");
    put_v3(s, cell);
    put_v3(s, cell);
    put_v3(s, 1.0 / cell);
    put_v3(s, 1.0 / (cell * cell));
    put_v3(s, 0.5 / cell);
}

static shoal_status put_grid(const shoal_vdb_grid* grid, sink* s) {
    vdb_tree     t;
    shoal_status status = tree_make(&t, grid);
    if (status == SHOAL_OK) {
        sink measured = {0};
        put_text(s, grid->name);
        put_text(s, grid->vectors ? "Tree_vec3s_5_4_3" : "Tree_float_5_4_3");
        put_text(s, ""); // shares no tree with another
        int64_t begin = s->at + 3 * (int64_t)sizeof(int64_t);
        put_head_of_grid(&t, &measured);
        put_topology(&t, &measured);
        int64_t leaves = measured.at;
        put_leaves(&t, &measured);
        put_long(s, begin);
        put_long(s, begin + leaves);
        put_long(s, begin + measured.at);
        put_head_of_grid(&t, s);
        put_topology(&t, s);
        put_leaves(&t, s);
    }
    shoal_free(t.leaves);
    return status;
}

shoal_status shoal_vdb_save(const shoal_vdb_grid* grids, int count, const char* path) {
    sink s = {.out = shoal_alloc(1, sizeof *s.out)};
    if (!s.out) return SHOAL_ERR_MEMORY;
    shoal_out_begin(s.out, path);
    put_head(&s, count);
    shoal_status made = SHOAL_OK;
    for (int i = 0; i < count && made == SHOAL_OK; i++) made = put_grid(&grids[i], &s);
    if (made != SHOAL_OK) s.out->error = ENOMEM; // the file is not to appear
    shoal_status written = shoal_out_end(s.out);
    shoal_free(s.out);
    return made != SHOAL_OK ? made : written;
}
