// SPDX-License-Identifier: MIT
#include "tet/stuffing_local.h"

void shoal_stuffing_free(shoal_stuffing* w) {
    shoal_octree_free(&w->tree);
    shoal_morton_free(&w->corners);
    void* const arrays[] = {w->value,       w->place,     w->sign, w->cut_mask, w->first_cut,
                            w->cuts,        w->cut_place, w->keys, w->nearest,  w->number,
                            w->block_first, w->first_tet, w->away, w->asked,    w->answer};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) shoal_free(arrays[k]);
    *w = (shoal_stuffing){0};
}

void shoal_stuffing_lend(shoal_stuffing* from, shoal_stuffing* to) {
    shoal_stuffing lent = *from, own = *to;
    if (from->key_room <= to->key_room) return;
    *from = own, *to = lent;
    from->tree = lent.tree, from->first_tet = lent.first_tet, from->first_tet_room = lent.first_tet_room;
    to->tree = own.tree, to->first_tet = own.first_tet, to->first_tet_room = own.first_tet_room;
    from->tree.keys = own.tree.keys, from->tree.key_room = own.tree.key_room;
    to->tree.keys = lent.tree.keys, to->tree.key_room = lent.tree.key_room;
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

static const int around_middle[7][3] = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

enum { MARKS_MOST = 32 }; // parents that the octants marked by one can have: 4 x 4 x 4 octants and less

typedef struct marks {
    uint64_t keys[MARKS_MOST]; // one finest octant of each parent
    int      count, limit;
} marks;

static void mark(marks* m, int x, int y, int z) {
    if (x < 0 || y < 0 || z < 0 || x >= m->limit || y >= m->limit || z >= m->limit) return;
    uint64_t key = shoal_morton(x, y, z);
    for (int k = 0; k < m->count; k++)
        if (m->keys[k] >> 3 == key >> 3) return;
    m->keys[m->count++] = key;
}

// inside: bits of the eight corners, corner k at (k & 1, k >> 1 & 1, k >> 2).
static void mark_around(marks* m, const int at[3], unsigned inside, bool middle_is_inside) {
    bool middle_is_cut = inside != (middle_is_inside ? 0xffu : 0u);
    for (int k = 0; k < 8; k++) {
        bool here = inside >> k & 1, is_cut = here != middle_is_inside;
        for (int a = 0; a < 3; a++) is_cut |= here != (bool)(inside >> (k ^ 1 << a) & 1);
        if (!is_cut) continue;
        for (int n = 0; n < 8; n++)
            mark(m, at[0] + (k & 1) - (n & 1), at[1] + (k >> 1 & 1) - (n >> 1 & 1), at[2] + (k >> 2) - (n >> 2));
    }
    for (int n = 0; middle_is_cut && n < 7; n++)
        mark(m, at[0] + around_middle[n][0], at[1] + around_middle[n][1], at[2] + around_middle[n][2]);
    // an octant beside it with a middle of the other sign need not be crossed itself; then the four corners between are
    // of its sign
    for (int side = 0; side < 6; side++) {
        int      axis = side / 2, to[3] = {at[0], at[1], at[2]};
        unsigned face = 0;
        for (int k = 0; k < 8; k++)
            if ((k >> axis & 1) == side % 2) face |= 1u << k;
        if ((inside & face) != (middle_is_inside ? 0u : face)) continue;
        to[axis] += side % 2 ? 1 : -1;
        for (int n = 0; n < 7; n++)
            mark(m, to[0] + around_middle[n][0], to[1] + around_middle[n][1], to[2] + around_middle[n][2]);
    }
}

// Adds the corners of an octant to the lattice's.
static shoal_status add_corners(shoal_stuffing* w, const int at[3], int level) {
    uint64_t x[2], y[2], z[2];
    for (int k = 0; k < 2; k++) {
        x[k] = shoal_morton_spread((uint32_t)(at[0] + k) << level);
        y[k] = shoal_morton_spread((uint32_t)(at[1] + k) << level) << 1;
        z[k] = shoal_morton_spread((uint32_t)(at[2] + k) << level) << 2;
    }
    for (int k = 0; k < 8; k++) SHOAL_TRY(shoal_morton_add(&w->corners, x[k & 1] | y[k >> 1 & 1] | z[k >> 2]));
    return SHOAL_OK;
}

shoal_status stuffing_divide(shoal_stuffing* w, shoal_field_fn field, void* ctx, uint64_t* candidates, int count,
                             const shoal_exec* exec) {
    shoal_octree* tree = &w->tree;
    SHOAL_TRY(shoal_morton_begin(&w->corners, tree->levels + 1));
    for (int i = 0; i < count; i++) {
        int at[3];
        shoal_morton_split(candidates[i], at);
        SHOAL_TRY(add_corners(w, at, 0));
    }
    SHOAL_TRY(shoal_morton_end(&w->corners, exec));
    int asked = w->corners.count + count;
    SHOAL_TRY(shoal_make_room((void**)&w->asked, &w->asked_room, asked, sizeof *w->asked));
    SHOAL_TRY(shoal_make_room((void**)&w->answer, &w->answer_room, asked, sizeof *w->answer));
    for (int i = 0; i < asked; i++) {
        int  at[3];
        bool is_corner = i < w->corners.count;
        shoal_morton_split(is_corner ? w->corners.keys[i] : candidates[i - w->corners.count], at);
        w->asked[i] = is_corner ? shoal_octree_corner(tree, at) : shoal_octree_middle(tree, 0, at);
    }
    stuffing_ask(field, ctx, w->asked, asked, w->answer, exec);

    int   used = 0;
    marks m    = {.limit = 1 << tree->levels};
    for (int i = 0; i < count; i++) {
        int      at[3];
        unsigned inside = 0;
        bool     middle = w->answer[w->corners.count + i] > 0.0;
        shoal_morton_split(candidates[i], at);
        for (int k = 0; k < 8; k++) {
            int c = stuffing_corner(w, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2));
            inside |= (unsigned)(w->answer[c] > 0.0) << k;
        }
        if (inside == (middle ? 0xffu : 0u)) continue;
        m.count = 0;
        mark_around(&m, at, inside, middle);
        if (used + m.count > w->key_room) {
            int room = 2 * (used + m.count);
            SHOAL_TRY(shoal_realloc((void**)&w->keys, (size_t)used, (size_t)room, sizeof *w->keys));
            w->key_room = room;
        }
        for (int k = 0; k < m.count; k++) w->keys[used++] = m.keys[k];
    }
    return shoal_octree_build(tree, w->keys, used, exec);
}

// --- the whole

static void place_leaves(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_stuffing* w = ctx;
    for (int leaf = begin; leaf < end; leaf++) {
        int at[3], level = shoal_octree_place(&w->tree, leaf, at);
        w->place[stuffing_middle(w, leaf)] = shoal_octree_middle(&w->tree, level, at);
    }
}

static void place_corners(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_stuffing* w = ctx;
    for (int c = begin; c < end; c++) {
        int at[3];
        shoal_morton_split(w->corners.keys[c], at);
        w->place[c] = shoal_octree_corner(&w->tree, at);
    }
}

// The background lattice: its vertices, and the field there.
static shoal_status lay_lattice(shoal_stuffing* w, shoal_field_fn field, void* ctx, const shoal_exec* exec) {
    enum { BLOCK = 1024 };
    int leaves = w->tree.leaf_count;
    SHOAL_TRY(shoal_morton_begin(&w->corners, w->tree.levels + 1));
    for (int leaf = 0; leaf < leaves; leaf++) {
        int at[3], level = shoal_octree_place(&w->tree, leaf, at);
        SHOAL_TRY(add_corners(w, at, level));
    }
    SHOAL_TRY(shoal_morton_end(&w->corners, exec));
    w->vertex_count = w->corners.count + leaves;
    SHOAL_TRY(shoal_make_room((void**)&w->place, &w->place_room, w->vertex_count, sizeof *w->place));
    SHOAL_TRY(shoal_make_room((void**)&w->value, &w->value_room, w->vertex_count, sizeof *w->value));
    SHOAL_TRY(shoal_make_room((void**)&w->sign, &w->sign_room, w->vertex_count, sizeof *w->sign));
    shoal_blocks(exec, w->corners.count, BLOCK, place_corners, w);
    shoal_blocks(exec, leaves, BLOCK, place_leaves, w);
    stuffing_ask(field, ctx, w->place, w->vertex_count, w->value, exec);
    for (int v = 0; v < w->vertex_count; v++) w->sign[v] = w->value[v] > 0.0 ? 1 : -1;
    return SHOAL_OK;
}

shoal_status shoal_stuffing_make(shoal_stuffing* w, shoal_field_fn field, void* ctx, uint64_t* candidates, int count,
                                 int roots, const shoal_exec* exec, shoal_tetmesh* mesh) {
    SHOAL_TRY(stuffing_divide(w, field, ctx, candidates, count, exec));
    SHOAL_TRY(lay_lattice(w, field, ctx, exec));
    SHOAL_TRY(stuffing_cut_edges(w, field, ctx, roots, exec));
    SHOAL_TRY(stuffing_emit(w, exec, mesh));
    return shoal_tetmesh_join(mesh, exec);
}
