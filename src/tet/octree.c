// SPDX-License-Identifier: MIT
#include "tet/octree.h"

#include <math.h>

void shoal_octree_free(shoal_octree* tree) {
    for (int k = 0; k <= SHOAL_OCTREE_LEVELS; k++) {
        shoal_morton_free(&tree->divided[k]);
        shoal_morton_free(&tree->leaves[k]);
    }
    shoal_free(tree->keys);
    *tree = (shoal_octree){0};
}

shoal_status shoal_octree_frame(shoal_octree* tree, shoal_box box, double step, int rim) {
    shoal_d3 middle = shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5), size = shoal_d3_sub(box.max, box.min);
    double   edges  = ceil(fmax(size.x, fmax(size.y, size.z)) / step) + 2.0 * rim;
    int      levels = 1;
    while (levels <= SHOAL_OCTREE_LEVELS && (double)(1 << levels) < edges) levels++;
    if (!(step > 0.0) || !isfinite(edges) || levels > SHOAL_OCTREE_LEVELS)
        return shoal_fail(SHOAL_ERR_PARAM, "octree: %g cells of %g m along the longest side, at most %d", edges, step,
                          1 << SHOAL_OCTREE_LEVELS);
    // on the lattice of whole steps, so that a box that moves meets the same lattice
    double half  = 0.5 * (double)(1 << levels);
    tree->origin = shoal_d3_make(step * (floor(middle.x / step) - half), step * (floor(middle.y / step) - half),
                                 step * (floor(middle.z / step) - half));
    tree->step   = step;
    tree->levels = levels;
    return SHOAL_OK;
}

// Adds the octants one size up that hold an octant and its neighbours by face and edge: an octant lies at one corner of
// its parent, so that half of its neighbours share that parent.
static shoal_status add_parents(const int at[3], int limit, shoal_morton_set* to_set) {
    int parent[3], beyond[3];
    for (int a = 0; a < 3; a++) {
        parent[a] = at[a] >> 1;
        beyond[a] = parent[a] + (at[a] & 1 ? 1 : -1);
    }
    for (int sides = 0; sides < 7; sides++) { // all but the one across the corner
        int to[3];
        for (int a = 0; a < 3; a++) to[a] = sides >> a & 1 ? beyond[a] : parent[a];
        if (to[0] < 0 || to[1] < 0 || to[2] < 0 || to[0] >= limit || to[1] >= limit || to[2] >= limit) continue;
        SHOAL_TRY(shoal_morton_add(to_set, shoal_morton(to[0], to[1], to[2])));
    }
    return SHOAL_OK;
}

static shoal_status divide(shoal_octree* tree, uint64_t* finest, int count, const shoal_exec* exec) {
    for (int i = 0; i < count; i++) finest[i] >>= 3;
    SHOAL_TRY(shoal_morton_collect(&tree->divided[1], tree->levels - 1, finest, count, exec));
    for (int k = 1; k < tree->levels; k++) {
        const shoal_morton_set* here = &tree->divided[k];
        SHOAL_TRY(shoal_morton_begin(&tree->divided[k + 1], tree->levels - k - 1));
        for (int i = 0; i < here->count; i++) {
            int at[3];
            shoal_morton_split(here->keys[i], at);
            SHOAL_TRY(add_parents(at, 1 << (tree->levels - k - 1), &tree->divided[k + 1]));
        }
        SHOAL_TRY(shoal_morton_end(&tree->divided[k + 1], exec));
    }
    return SHOAL_OK;
}

shoal_status shoal_octree_build(shoal_octree* tree, uint64_t* finest, int count, const shoal_exec* exec) {
    SHOAL_TRY(divide(tree, finest, count, exec));
    tree->first_leaf[0] = 0;
    for (int k = 0; k < tree->levels; k++) {
        const shoal_morton_set* above = &tree->divided[k + 1];
        SHOAL_TRY(shoal_morton_begin(&tree->leaves[k], tree->levels - k));
        for (int i = 0; i < above->count; i++)
            for (uint64_t child = above->keys[i] << 3, last = child + 8; child < last; child++)
                if (k == 0 || shoal_morton_rank(&tree->divided[k], child) < 0)
                    SHOAL_TRY(shoal_morton_add(&tree->leaves[k], child));
        SHOAL_TRY(shoal_morton_end(&tree->leaves[k], exec));
        tree->first_leaf[k + 1] = tree->first_leaf[k] + tree->leaves[k].count;
    }
    tree->leaf_count = tree->first_leaf[tree->levels];
    for (int k = tree->levels + 1; k < SHOAL_OCTREE_LEVELS + 2; k++) tree->first_leaf[k] = tree->leaf_count;
    return SHOAL_OK;
}

// --- near a surface

enum { ASKED = 256 }; // points at a time

typedef struct near_job {
    const shoal_octree* tree;
    shoal_field_fn      field;
    void*               ctx;
    double              reach; // the zero set is not in an octant whose middle has more
    int                 level;
    uint64_t*           keys; // ~0: not near
} near_job;

static void near_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    near_job* job       = ctx;
    shoal_d3  at[ASKED] = {{0.0, 0.0, 0.0}};
    double    value[ASKED];
    for (int i = begin; i < end; i++) {
        int place[3];
        shoal_morton_split(job->keys[i], place);
        at[i - begin] = shoal_octree_middle(job->tree, job->level, place);
    }
    job->field(job->ctx, at, end - begin, value);
    for (int i = begin; i < end; i++)
        if (!(fabs(value[i - begin]) <= job->reach)) job->keys[i] = ~(uint64_t)0;
}

shoal_status shoal_octree_near(shoal_octree* tree, shoal_field_fn field, void* ctx, double slope,
                               const shoal_exec* exec, uint64_t** keys, int* capacity, int* count) {
    SHOAL_TRY(shoal_reserve((void**)keys, capacity, 1, sizeof **keys));
    (*keys)[0] = 0;
    *count     = 1;
    for (int level = tree->levels;; level--) {
        double   half = 0.5 * sqrt(3.0) * tree->step * (double)(1 << level);
        near_job job  = {tree, field, ctx, slope * half * (1.0 + 1e-9), level, *keys};
        shoal_blocks(exec, *count, ASKED, near_block, &job);
        int left = 0;
        for (int i = 0; i < *count; i++)
            if ((*keys)[i] != ~(uint64_t)0) (*keys)[left++] = (*keys)[i];
        *count = left;
        if (level == 0) return SHOAL_OK;
        // their eight parts each, in order
        SHOAL_TRY(shoal_reserve((void**)&tree->keys, &tree->key_capacity, left, sizeof *tree->keys));
        for (int i = 0; i < left; i++) tree->keys[i] = (*keys)[i];
        SHOAL_TRY(shoal_reserve((void**)keys, capacity, 8 * left, sizeof **keys));
        *count = 8 * left;
        for (int i = 0; i < *count; i++) (*keys)[i] = tree->keys[i / 8] << 3 | (uint64_t)(i % 8);
    }
}
