// SPDX-License-Identifier: MIT
#include "tet/stuffing_local.h"

void shoal_stuffing_free(shoal_stuffing* w) {
    shoal_octree_free(&w->tree);
    shoal_morton_free(&w->corners);
    shoal_free(w->first_tet);
    *w = (shoal_stuffing){.arena = w->arena};
}

// The scratch was given back.
static void forget(shoal_stuffing* w) {
    w->corners.keys         = NULL;
    w->corners.key_capacity = 0;
    *w                      = (shoal_stuffing){.tree               = w->tree,
                                               .first_tet          = w->first_tet,
                                               .first_tet_capacity = w->first_tet_capacity,
                                               .corners            = w->corners,
                                               .arena              = w->arena};
}

// --- asking the field

enum { ASKED = 256 }; // points at a time

typedef struct ask_job {
    shoal_field_fn  field;
    void*           ctx;
    const shoal_d3* at;
    double*         value;
} ask_job;

static void ask_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    ask_job* job = ctx;
    job->field(job->ctx, job->at + begin, end - begin, job->value + begin);
}

void stuffing_ask(shoal_field_fn field, void* ctx, const shoal_d3* at, int count, double* value,
                  const shoal_exec* exec) {
    ask_job job = {field, ctx, at, value};
    shoal_blocks(exec, count, ASKED, ask_block, &job);
}

// --- the octree
//
// The surface may cut and warp only tetrahedra of the plain lattice. So all octants around a vertex at the end of a cut
// edge are finest: for a corner the eight that share it, for a middle its own and the six beside it.

// Only their parents matter, since an octant is divided as a whole. Those of octants up to two away are the 3 x 3 x 3
// around its own parent: a set of them is 27 bits, x fastest, and along an axis three.
enum { MARKS_MOST = 27, MARK_REACH = 2 };

typedef struct marks {
    unsigned along[3][2 * MARK_REACH + 1]; // by axis: the parent of octants so far away, from -MARK_REACH on
    unsigned parents;
} marks;

static marks marks_at(const int at[3]) {
    marks m = {.parents = 0};
    for (int a = 0; a < 3; a++)
        for (int n = 0; n <= 2 * MARK_REACH; n++) m.along[a][n] = 1u << (((at[a] & 1) + n) >> 1);
    return m;
}
// All that are in these sets along the axes.
static void mark_box(marks* m, unsigned x, unsigned y, unsigned z) {
    unsigned plane = x * ((y & 1u) | (y & 2u) << 2 | (y & 4u) << 4);
    m->parents |= plane * ((z & 1u) | (z & 2u) << 8 | (z & 4u) << 16);
}
// The octants that share a corner, which lies so far from the first corner of the octant that marks belong to.
static void mark_corner(marks* m, const int corner[3]) {
    unsigned on[3];
    for (int a = 0; a < 3; a++) on[a] = m->along[a][corner[a] + MARK_REACH - 1] | m->along[a][corner[a] + MARK_REACH];
    mark_box(m, on[0], on[1], on[2]);
}
// An octant so far away, and the six beside it.
static void mark_middle(marks* m, const int to[3]) {
    unsigned on[3], around[3];
    for (int a = 0; a < 3; a++) {
        const unsigned* along = &m->along[a][to[a] + MARK_REACH];
        on[a]                 = along[0];
        around[a]             = along[-1] | along[0] | along[1];
    }
    mark_box(m, around[0], on[1], on[2]);
    mark_box(m, on[0], around[1], on[2]);
    mark_box(m, on[0], on[1], around[2]);
}

// inside: bits of the eight corners, corner k at (k & 1, k >> 1 & 1, k >> 2).
static void mark_around(marks* m, unsigned inside, bool middle_is_inside) {
    static const int own[3]        = {0, 0, 0};
    bool             middle_is_cut = inside != (middle_is_inside ? 0xffu : 0u);
    for (int k = 0; k < 8; k++) {
        bool here = inside >> k & 1, is_cut = here != middle_is_inside;
        for (int a = 0; a < 3; a++) is_cut |= here != (bool)(inside >> (k ^ 1 << a) & 1);
        if (is_cut) mark_corner(m, (int[3]){k & 1, k >> 1 & 1, k >> 2});
    }
    if (middle_is_cut) mark_middle(m, own);
    // an octant beside it with a middle of the other sign need not be crossed itself; then the four corners between are
    // of its sign
    for (int side = 0; side < 6; side++) {
        static const unsigned faces[6] = {0x55, 0xaa, 0x33, 0xcc, 0x0f, 0xf0}; // corners of each
        int                   to[3]    = {0, 0, 0};
        if ((inside & faces[side]) != (middle_is_inside ? 0u : faces[side])) continue;
        to[side / 2] = side % 2 ? 1 : -1;
        mark_middle(m, to);
    }
}

// Octants with their corners: one, or the eight finest ones of a parent, which lie one behind the other in the list of
// leaves. keys: of corner (x, y, z) at (z edges + y) edges + x, edges being one more than there are octants.
enum { CORNERS_MOST = 27 };
static void corner_keys(const int at[3], int level, int edges, uint64_t keys[CORNERS_MOST]) {
    uint64_t x[3], y[3], z[3];
    for (int k = 0; k < edges; k++) {
        x[k] = shoal_morton_spread((uint32_t)(at[0] + k) << level);
        y[k] = shoal_morton_spread((uint32_t)(at[1] + k) << level) << 1;
        z[k] = shoal_morton_spread((uint32_t)(at[2] + k) << level) << 2;
    }
    for (int k = 0, n = 0; k < edges; k++)
        for (int j = 0; j < edges; j++)
            for (int i = 0; i < edges; i++) keys[n++] = x[i] | y[j] | z[k];
}

// Adds the corners of octants to the lattice's.
static shoal_status add_corners(shoal_stuffing* w, const int at[3], int level, int edges) {
    uint64_t keys[CORNERS_MOST];
    corner_keys(at, level, edges, keys);
    for (int k = 0; k < edges * edges * edges; k++) SHOAL_TRY(shoal_morton_add(&w->corners, keys[k]));
    return SHOAL_OK;
}

// What is asked of candidates: where their corners and middles are, and of which sides these are.
typedef struct candidate_job {
    const shoal_stuffing* w;
    const uint64_t*       candidates;
    shoal_d3*             queried; // [corners, candidates]
    const double*         answer;  // the same
    uint16_t*             sides;   // [candidates] bits of corners that are inside, and bit 8: the middle is
    int*                  before;  // [blocks] candidates that are crossed before each block
    int*                  marked;  // [blocks] keys that it has
    uint64_t*             keys;    // [MARKS_MOST for each that is crossed]
} candidate_job;

static bool is_crossed(unsigned sides) { return sides != 0 && sides != 0x1ff; }

static void place_asked(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const candidate_job*  job = ctx;
    const shoal_stuffing* w   = job->w;
    for (int i = begin; i < end; i++) {
        int  at[3];
        bool is_corner = i < w->corners.count;
        shoal_morton_split(is_corner ? w->corners.keys[i] : job->candidates[i - w->corners.count], at);
        job->queried[i] = is_corner ? shoal_octree_corner(&w->tree, at) : shoal_octree_middle(&w->tree, 0, at);
    }
}
static void find_sides(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const candidate_job*  job = ctx;
    const shoal_stuffing* w   = job->w;
    for (int i = begin; i < end; i++) {
        int      at[3];
        unsigned sides = job->answer[w->corners.count + i] > 0.0 ? 0x100u : 0u;
        shoal_morton_split(job->candidates[i], at);
        for (int k = 0; k < 8; k++) {
            int c = stuffing_corner(w, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2));
            sides |= (unsigned)(job->answer[c] > 0.0) << k;
        }
        job->sides[i] = (uint16_t)sides;
    }
}
static void mark_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const candidate_job* job  = ctx;
    uint64_t*            keys = job->keys + (size_t)MARKS_MOST * (size_t)job->before[begin / ASKED];
    int                  used = 0, limit = 1 << (job->w->tree.levels - 1);
    for (int i = begin; i < end; i++) {
        int at[3];
        if (!is_crossed(job->sides[i])) continue;
        shoal_morton_split(job->candidates[i], at);
        marks m = marks_at(at);
        mark_around(&m, job->sides[i] & 0xffu, job->sides[i] >> 8);
        for (int k = 0; k < MARKS_MOST; k++) {
            int x = (at[0] >> 1) + k % 3 - 1, y = (at[1] >> 1) + k / 3 % 3 - 1, z = (at[2] >> 1) + k / 9 - 1;
            if (!(m.parents >> k & 1) || x < 0 || y < 0 || z < 0 || x >= limit || y >= limit || z >= limit) continue;
            keys[used++] = shoal_morton(x, y, z) << 3;
        }
    }
    job->marked[begin / ASKED] = used;
}

// One finest octant of each parent that is to be divided, once or more often.
static shoal_status mark_crossed(candidate_job* job, int count, const shoal_exec* exec, int* all) {
    shoal_arena* arena  = job->w->arena;
    int          blocks = (count + ASKED - 1) / ASKED, crossed = 0;
    *all = 0;
    SHOAL_TRY(shoal_arena_make(arena, (void**)&job->before, (size_t)blocks, sizeof *job->before));
    SHOAL_TRY(shoal_arena_make(arena, (void**)&job->marked, (size_t)blocks, sizeof *job->marked));
    for (int i = 0; i < count; i++) {
        if (i % ASKED == 0) job->before[i / ASKED] = crossed;
        crossed += is_crossed(job->sides[i]);
    }
    SHOAL_TRY(shoal_arena_make(arena, (void**)&job->keys, MARKS_MOST * (size_t)crossed, sizeof *job->keys));
    shoal_blocks(exec, count, ASKED, mark_block, job);
    for (int b = 0; b < blocks; b++) {
        const uint64_t* keys = job->keys + (size_t)MARKS_MOST * (size_t)job->before[b];
        for (int k = 0; k < job->marked[b]; k++) job->keys[(*all)++] = keys[k];
    }
    return SHOAL_OK;
}

shoal_status stuffing_divide(shoal_stuffing* w, shoal_field_fn field, void* ctx, uint64_t* candidates, int count,
                             const shoal_exec* exec) {
    shoal_octree* tree = &w->tree;
    SHOAL_TRY(shoal_morton_begin(&w->corners, tree->levels + 1));
    for (int i = 0; i < count; i++) {
        int at[3];
        shoal_morton_split(candidates[i], at);
        SHOAL_TRY(add_corners(w, at, 0, 2));
    }
    SHOAL_TRY(shoal_morton_end(&w->corners, exec));
    int           all    = w->corners.count + count;
    candidate_job job    = {.w = w, .candidates = candidates};
    double*       answer = shoal_arena_take(w->arena, (size_t)all, sizeof *answer);
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&job.sides, (size_t)count, sizeof *job.sides));
    size_t mark = w->arena->used;
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&job.queried, (size_t)all, sizeof *job.queried));
    if (!answer) return SHOAL_ERR_MEMORY;
    job.answer = answer;
    shoal_blocks(exec, all, ASKED, place_asked, &job);
    stuffing_ask(field, ctx, job.queried, all, answer, exec);
    shoal_arena_back(w->arena, mark);
    shoal_blocks(exec, count, ASKED, find_sides, &job);

    int marked;
    SHOAL_TRY(mark_crossed(&job, count, exec, &marked));
    return shoal_octree_build(tree, job.keys, marked, exec);
}

// --- the whole

// The corners of leaves that have keys, as of corner_keys: of one, or of eight.
static void number_corners(shoal_stuffing* w, int leaf, const int at[3], int level, int edges) {
    uint64_t keys[CORNERS_MOST];
    int      number[CORNERS_MOST];
    corner_keys(at, level, edges, keys);
    for (int k = 0; k < edges * edges * edges; k++) number[k] = shoal_morton_rank(&w->corners, keys[k]);
    for (int child = 0; child < (edges - 1) * (edges - 1) * (edges - 1); child++)
        for (int k = 0; k < 8; k++) {
            int x = (child & 1) + (k & 1), y = (child >> 1 & 1) + (k >> 1 & 1), z = (child >> 2) + (k >> 2);
            w->corner[leaf + child][k] = number[(z * edges + y) * edges + x];
        }
}
static void place_leaves(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_stuffing* w = ctx;
    for (int leaf = begin; leaf < end; leaf++) {
        int at[3], level = shoal_octree_place(&w->tree, leaf, at);
        w->position[stuffing_middle(w, leaf)] = shoal_octree_middle(&w->tree, level, at);
        if (level > 0)
            number_corners(w, leaf, at, level, 2);
        else if (leaf % 8 == 0)
            number_corners(w, leaf, at, level, 3);
    }
}

static void place_corners(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_stuffing* w = ctx;
    for (int c = begin; c < end; c++) {
        int at[3];
        shoal_morton_split(w->corners.keys[c], at);
        w->position[c] = shoal_octree_corner(&w->tree, at);
    }
}

// The background lattice: its vertices, and the field there.
static shoal_status lay_lattice(shoal_stuffing* w, shoal_field_fn field, void* ctx, const shoal_exec* exec) {
    enum { BLOCK = 1024 };
    int leaves = w->tree.leaf_count;
    SHOAL_TRY(shoal_morton_begin(&w->corners, w->tree.levels + 1));
    for (int leaf = 0; leaf < leaves; leaf++) {
        int at[3], level = shoal_octree_place(&w->tree, leaf, at);
        SHOAL_TRY(add_corners(w, at, level, level > 0 ? 2 : 3));
        if (level == 0) leaf += 7;
    }
    SHOAL_TRY(shoal_morton_end(&w->corners, exec));
    w->vertex_count = w->corners.count + leaves;
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&w->corner, (size_t)leaves, sizeof *w->corner));
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&w->position, (size_t)w->vertex_count, sizeof *w->position));
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&w->value, (size_t)w->vertex_count, sizeof *w->value));
    SHOAL_TRY(shoal_arena_make(w->arena, (void**)&w->sign, (size_t)w->vertex_count, sizeof *w->sign));
    shoal_blocks(exec, w->corners.count, BLOCK, place_corners, w);
    shoal_blocks(exec, leaves, BLOCK, place_leaves, w);
    stuffing_ask(field, ctx, w->position, w->vertex_count, w->value, exec);
    for (int v = 0; v < w->vertex_count; v++) w->sign[v] = w->value[v] > 0.0 ? 1 : -1;
    return SHOAL_OK;
}

static shoal_status stuff(shoal_stuffing* w, shoal_field_fn field, void* ctx, uint64_t* candidates, int count,
                          int roots, const shoal_exec* exec, shoal_tetmesh* mesh) {
    size_t mark = w->arena->used;
    SHOAL_TRY(stuffing_divide(w, field, ctx, candidates, count, exec));
    shoal_arena_back(w->arena, mark);
    SHOAL_TRY(lay_lattice(w, field, ctx, exec));
    SHOAL_TRY(stuffing_cut_edges(w, field, ctx, roots, exec));
    return stuffing_emit(w, exec, mesh);
}

shoal_status shoal_stuffing_make(shoal_stuffing* w, shoal_field_fn field, void* ctx, uint64_t* candidates, int count,
                                 int roots, const shoal_exec* exec, shoal_tetmesh* mesh) {
    shoal_arena own = {0}, *before = w->arena;
    if (!before) w->arena = &own;
    w->corners.arena    = w->arena;
    size_t       mark   = w->arena->used;
    shoal_status status = stuff(w, field, ctx, candidates, count, roots, exec, mesh);
    shoal_arena_back(w->arena, mark);
    forget(w);
    w->arena = w->corners.arena = before;
    shoal_arena_free(&own);
    return status;
}
