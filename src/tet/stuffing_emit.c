// SPDX-License-Identifier: MIT
// Tetrahedra of the octree's faces, and those of the finest lattice cut by the surface [Labelle & Shewchuk 2007].
//
// Every face of a leaf carries tetrahedra with the middles of the leaves on its two sides:
//   beside an equal leaf    one at each edge of the face, two where a finer leaf halves that edge
//   beside finer leaves     eight around the middle of the face
//   beside a coarser leaf   two halves of the pyramid below the face, cut along the diagonal to the middle of the
//   coarse face
#include "tet/stuffing_local.h"

#include <math.h>

// What a block of leaves makes; only counted where there is no room.
typedef struct sink {
    const shoal_stuffing* w;
    int (*tets)[4];
    uint8_t* shape;
    int      count;
} sink;

static shoal_d3 place_of(const shoal_stuffing* w, int v) {
    return v < w->vertex_count ? w->position[v] : w->cut_position[v - w->vertex_count];
}

static void put(sink* s, int a, int b, int c, int d, shoal_tet_shape shape) {
    if (s->tets) {
        const shoal_stuffing* w = s->w;
        bool mirrored = shoal_tet_volume(place_of(w, a), place_of(w, b), place_of(w, c), place_of(w, d)) < 0.0;
        int* tet      = s->tets[s->count];
        tet[0] = a, tet[1] = b, tet[2] = mirrored ? d : c, tet[3] = mirrored ? c : d;
        s->shape[s->count] = (uint8_t)shape;
    }
    s->count++;
}

// A tetrahedron of the lattice that the surface has not moved, of positive volume as it stands.
static void put_plain(sink* s, int a, int b, int c, int d) {
    if (s->tets) {
        int* tet = s->tets[s->count];
        tet[0] = a, tet[1] = b, tet[2] = c, tet[3] = d;
        s->shape[s->count] = SHOAL_TET_BCC;
    }
    s->count++;
}

// One of the coarser shapes: the surface does not come near, so that it is inside or not at all.
static void put_whole(sink* s, int a, int b, int c, int d, shoal_tet_shape shape) {
    const int8_t* sign = s->w->sign;
    if (sign[a] < 0 || sign[b] < 0 || sign[c] < 0 || sign[d] < 0) return;
    if (!sign[a] || !sign[b] || !sign[c] || !sign[d]) shape = SHOAL_TET_CUT;
    put(s, a, b, c, d, shape);
}

// --- stencils
//
// A tetrahedron of the lattice: 0 and 1 corners, 2 and 3 middles, so that the edges 01 and 23 are long. `at`: in half
// steps. `cut`: background numbers of the cuts of its edges.
typedef struct lattice_tet {
    int vertex[4], at[4][3], cut[4][4];
} lattice_tet;

static bool is_long(int a, int b) { return a + b == 1 || a + b == 5; }

// Whether the quad (a, b, cut of b-o, cut of a-o), over the uncut long edge ab, is divided by the diagonal from a. The
// rule is the same seen from both tetrahedra that share the quad, and from a and b.
static bool is_divided_from(const lattice_tet* t, int a, int o) {
    int n = 0;
    for (int k = 0; k < 3; k++) n += t->at[a][k] > t->at[o][k];
    return (n % 2 == 1) == (a < 2);
}

// The pyramid over the quad (a, b, cb, ca) with ca, cb the cuts towards o.
static void put_pyramid(sink* s, const lattice_tet* t, int a, int b, int o, int apex) {
    int va = t->vertex[a], vb = t->vertex[b], ca = t->cut[a][o], cb = t->cut[b][o];
    if (is_divided_from(t, a, o)) {
        put(s, va, vb, cb, apex, SHOAL_TET_CUT);
        put(s, va, cb, ca, apex, SHOAL_TET_CUT);
    } else {
        put(s, va, vb, ca, apex, SHOAL_TET_CUT);
        put(s, vb, cb, ca, apex, SHOAL_TET_CUT);
    }
}

static void put_two_and_one(sink* s, const lattice_tet* t, const int in[2], int out, int zero) {
    int a = in[0], b = in[1], z = t->vertex[zero];
    if (is_long(a, b)) {
        put_pyramid(s, t, a, b, out, z);
        return;
    }
    if (!is_long(out, a)) a = in[1], b = in[0]; // the diagonal ends at the cut of the long edge, which is that of a
    put(s, t->vertex[a], t->vertex[b], z, t->cut[a][out], SHOAL_TET_CUT);
    put(s, t->cut[a][out], t->vertex[b], z, t->cut[b][out], SHOAL_TET_CUT);
}

static void put_three(sink* s, const lattice_tet* t, int out) {
    int far = out ^ 1, a = out < 2 ? 2 : 0, b = a + 1; // out-far is long, and so is a-b
    put(s, t->vertex[a], t->vertex[far], t->vertex[b], t->cut[far][out], SHOAL_TET_CUT);
    put_pyramid(s, t, a, b, out, t->cut[far][out]);
}

static void put_two_and_two(sink* s, const lattice_tet* t, const int in[2], const int out[2]) {
    int i1 = in[0], i2 = in[1], o1 = out[0], o2 = out[1];
    int v1 = t->vertex[i1], v2 = t->vertex[i2];
    if (!is_long(i1, i2)) { // both long edges are cut
        if (!is_long(i1, o1)) o1 = out[1], o2 = out[0];
        int c11 = t->cut[i1][o1], c12 = t->cut[i1][o2], c21 = t->cut[i2][o1], c22 = t->cut[i2][o2];
        put(s, v1, c12, c22, c11, SHOAL_TET_CUT);
        put(s, v1, c22, v2, c11, SHOAL_TET_CUT);
        put(s, c11, c22, v2, c21, SHOAL_TET_CUT);
        return;
    }
    int c0 = t->cut[i1][o1], c1 = t->cut[i1][o2], c2 = t->cut[i2][o2], c3 = t->cut[i2][o1];
    if (is_divided_from(t, i1, o1)) {
        put(s, v1, c1, v2, c3, SHOAL_TET_CUT);
        put(s, c1, c2, v2, c3, SHOAL_TET_CUT);
        put(s, v1, c1, c3, c0, SHOAL_TET_CUT);
    } else {
        put(s, v1, c1, c2, c0, SHOAL_TET_CUT);
        put(s, v1, c2, v2, c0, SHOAL_TET_CUT);
        put(s, c0, c2, v2, c3, SHOAL_TET_CUT);
    }
}

// Whether a tetrahedron with all vertices on the surface, for which stuffing has no bounds, is within them.
static bool is_in_bounds(const shoal_stuffing* w, const int v[4]) {
    shoal_d3 a = w->position[v[0]], b = shoal_d3_sub(w->position[v[1]], a), c = shoal_d3_sub(w->position[v[2]], a),
             d       = shoal_d3_sub(w->position[v[3]], a);
    shoal_d3 area[4] = {{0.0, 0.0, 0.0}, shoal_d3_cross(d, c), shoal_d3_cross(b, d), shoal_d3_cross(c, b)};
    bool     is_good = true;
    for (int k = 1; k < 4; k++) area[0] = shoal_d3_sub(area[0], area[k]);
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            double dot = -shoal_d3_dot(area[i], area[j]), of = shoal_d3_length(area[i]) * shoal_d3_length(area[j]);
            is_good &= dot < SHOAL_STUFFING_SHARPEST * of && dot > SHOAL_STUFFING_FLATTEST * of;
        }
    return is_good;
}

static void put_lattice(sink* s, const lattice_tet* t) {
    const shoal_stuffing* w = s->w;
    int                   in[4], out[4], zero[4], ins = 0, outs = 0, zeros = 0;
    const int*            v = t->vertex;
    for (int k = 0; k < 4; k++) {
        if (w->sign[v[k]] > 0)
            in[ins++] = k;
        else if (w->sign[v[k]] < 0)
            out[outs++] = k;
        else
            zero[zeros++] = k;
    }
    // all on the surface: flat or nearly so, unless all were inside before they moved
    bool were_inside = w->value[v[0]] > 0.0 && w->value[v[1]] > 0.0 && w->value[v[2]] > 0.0 && w->value[v[3]] > 0.0;
    if (ins == 0 && !(zeros == 4 && were_inside && is_in_bounds(w, v))) return;
    if (outs == 0) {
        put(s, v[0], v[1], v[2], v[3], zeros ? SHOAL_TET_CUT : SHOAL_TET_BCC);
    } else if (ins == 1) {
        int to[4], i = in[0];
        for (int k = 0; k < 4; k++) to[k] = w->sign[v[k]] < 0 ? t->cut[i][k] : v[k];
        put(s, to[0], to[1], to[2], to[3], SHOAL_TET_CUT);
    } else if (ins == 2 && outs == 1) {
        put_two_and_one(s, t, in, out[0], zero[0]);
    } else if (ins == 3) {
        put_three(s, t, out[0]);
    } else {
        put_two_and_two(s, t, in, out);
    }
}

// --- faces

typedef struct leaf_at {
    int        level, at[3];
    int        middle; // background vertex
    const int* corner; // [8] the same
} leaf_at;

// The corners of the face of an octant towards axis, side, in a circle.
static void face_corners(int axis, int side, int k[4]) {
    int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
    k[0] = base, k[1] = base + u, k[2] = base + u + v, k[3] = base + v;
}

static int edge_cut(const shoal_stuffing* w, int vertex, int bit) {
    int cut = stuffing_cut(w, vertex, bit);
    return cut < 0 ? -1 : w->vertex_count + cut;
}

// Two finest leaves side by side along an axis; the edge from corner ka to kb of the first is one of their face.
static void put_finest(sink* s, const leaf_at* o, int beside, int axis, int ka, int kb) {
    const shoal_stuffing* w = s->w;
    int                   a = o->corner[ka], b = o->corner[kb], c = o->middle, d = stuffing_middle(w, beside);
    lattice_tet           t     = {.vertex = {a, b, c, d}};
    int                   signs = w->sign[a] + w->sign[b] + w->sign[c] + w->sign[d];
    if (signs == -4) return;
    if (signs == 4) {
        put_plain(s, a, b, c, d);
        return;
    }
    for (int k = 0; k < 3; k++) {
        t.at[0][k] = 2 * (o->at[k] + (ka >> k & 1));
        t.at[1][k] = 2 * (o->at[k] + (kb >> k & 1));
        t.at[2][k] = 2 * o->at[k] + 1;
        t.at[3][k] = 2 * o->at[k] + 1 + 2 * (k == axis);
    }
    int along = (ka ^ kb) == 1 ? 0 : (ka ^ kb) == 2 ? 1 : 2, other = 1 << axis;
    t.cut[0][1] = t.cut[1][0] = edge_cut(w, ka < kb ? a : b, along);
    t.cut[2][3] = t.cut[3][2] = edge_cut(w, c, axis);
    t.cut[0][2] = t.cut[2][0] = edge_cut(w, c, STUFFING_AXES + ka);
    t.cut[1][2] = t.cut[2][1] = edge_cut(w, c, STUFFING_AXES + kb);
    t.cut[0][3] = t.cut[3][0] = edge_cut(w, d, STUFFING_AXES + (ka ^ other));
    t.cut[1][3] = t.cut[3][1] = edge_cut(w, d, STUFFING_AXES + (kb ^ other));
    put_lattice(s, &t);
}

// The vertex half way between two corners of an octant of level 1 or more.
static int half_way(const shoal_stuffing* w, const leaf_at* o, int ka, int kb) {
    int at[3];
    for (int k = 0; k < 3; k++) at[k] = (2 * o->at[k] + (ka >> k & 1) + (kb >> k & 1)) << (o->level - 1);
    return stuffing_corner(w, at[0], at[1], at[2]);
}

// Whether a finer leaf halves an edge of the face towards `to`: one of the two octants across that edge is divided.
static bool is_halved(const shoal_stuffing* w, const leaf_at* o, const int to[3], int axis, int ka, int kb) {
    if (o->level == 0) return false;
    int across = 3 - axis - ((ka ^ kb) == 1 ? 0 : (ka ^ kb) == 2 ? 1 : 2), step = ka >> across & 1 ? 1 : -1;
    int p[3] = {o->at[0], o->at[1], o->at[2]}, q[3] = {to[0], to[1], to[2]};
    p[across] += step, q[across] += step;
    return shoal_octree_is_divided(&w->tree, o->level, p[0], p[1], p[2]) ||
           shoal_octree_is_divided(&w->tree, o->level, q[0], q[1], q[2]);
}

// The four tetrahedra of a face between two finest leaves; most faces have all vertices on one side of the surface.
static void put_finest_face(sink* s, const leaf_at* o, int beside, int axis, const int k[4]) {
    const int8_t* sign = s->w->sign;
    int           far = stuffing_middle(s->w, beside), all = sign[o->middle] + sign[far];
    for (int e = 0; e < 4; e++) all += sign[o->corner[k[e]]];
    if (all == -6) return;
    if (all == 6 && !s->tets) {
        s->count += 4;
        return;
    }
    for (int e = 0; e < 4; e++) put_finest(s, o, beside, axis, k[e], k[(e + 1) % 4]);
}

static void put_equal(sink* s, const leaf_at* o, const int to[3], int beside, int axis) {
    const shoal_stuffing* w = s->w;
    int                   k[4], far = stuffing_middle(w, beside);
    face_corners(axis, 1, k);
    if (o->level == 0) {
        put_finest_face(s, o, beside, axis, k);
        return;
    }
    for (int e = 0; e < 4; e++) {
        int ka = k[e], kb = k[(e + 1) % 4];
        if (!is_halved(w, o, to, axis, ka, kb)) {
            put_whole(s, o->corner[ka], o->corner[kb], o->middle, far, SHOAL_TET_BCC);
        } else {
            int m = half_way(w, o, ka, kb);
            put_whole(s, o->corner[ka], m, o->middle, far, SHOAL_TET_BISECTED);
            put_whole(s, m, o->corner[kb], o->middle, far, SHOAL_TET_BISECTED);
        }
    }
}

static void put_beside_finer(sink* s, const leaf_at* o, int axis, int side) {
    int k[4];
    face_corners(axis, side, k);
    int face = half_way(s->w, o, k[0], k[2]);
    for (int e = 0; e < 4; e++) {
        int ka = k[e], kb = k[(e + 1) % 4], m = half_way(s->w, o, ka, kb);
        put_whole(s, o->corner[ka], m, face, o->middle, SHOAL_TET_QUADRISECTED);
        put_whole(s, m, o->corner[kb], face, o->middle, SHOAL_TET_QUADRISECTED);
    }
}

static void put_beside_coarser(sink* s, const leaf_at* o, int axis, int side) {
    int k[4], first = 0;
    face_corners(axis, side, k);
    int u = (axis + 1) % 3, v = (axis + 2) % 3; // the middle of the coarse face has odd places along both
    for (int e = 0; e < 4; e++)
        if (((o->at[u] + (k[e] >> u & 1)) & 1) && ((o->at[v] + (k[e] >> v & 1)) & 1)) first = e;
    int a = o->corner[k[first]], b = o->corner[k[(first + 1) % 4]], c = o->corner[k[(first + 2) % 4]],
        d = o->corner[k[(first + 3) % 4]];
    put_whole(s, a, b, c, o->middle, SHOAL_TET_HALF_PYRAMID);
    put_whole(s, a, c, d, o->middle, SHOAL_TET_HALF_PYRAMID);
}

static void put_leaf(sink* s, int leaf) {
    const shoal_stuffing* w          = s->w;
    const shoal_octree*   tree       = &w->tree;
    leaf_at               o          = {.middle = stuffing_middle(w, leaf), .corner = w->corner[leaf]};
    bool                  is_outside = w->sign[o.middle] < 0;
    o.level                          = shoal_octree_place(tree, leaf, o.at);
    int limit                        = 1 << (tree->levels - o.level);
    if (o.level > 0 && is_outside) return; // wholly
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            int to[3] = {o.at[0], o.at[1], o.at[2]};
            to[axis] += side ? 1 : -1;
            if (to[axis] < 0 || to[axis] >= limit || (is_outside && !side)) continue;
            int beside = shoal_octree_beside(tree, leaf, o.level, o.at, axis, side);
            if (beside >= 0) {
                if (side) put_equal(s, &o, to, beside, axis); // once for both
            } else if (is_outside) {
                continue;
            } else if (shoal_octree_is_divided(tree, o.level, to[0], to[1], to[2])) {
                put_beside_finer(s, &o, axis, side);
            } else {
                put_beside_coarser(s, &o, axis, side);
            }
        }
}

// --- all of them

enum { LEAVES = 256 }; // of a block

typedef struct emit_job {
    const shoal_stuffing* w;
    int (*tets)[4]; // NULL: count
    uint8_t* shape;
    int*     first; // [blocks + 1] tetrahedra before each block
    int*     first_tet;
} emit_job;

static void emit_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    emit_job* job   = ctx;
    int       block = begin / LEAVES;
    sink      s     = {.w = job->w};
    if (job->tets) s.tets = job->tets + job->first[block], s.shape = job->shape + job->first[block];
    for (int leaf = begin; leaf < end; leaf++) {
        if (job->tets) job->first_tet[leaf] = job->first[block] + s.count;
        put_leaf(&s, leaf);
    }
    if (!job->tets) job->first[block + 1] = s.count;
}

typedef struct place_job {
    const shoal_stuffing* w;
    const int*            numbers; // -1: not used
    shoal_tetmesh*        mesh;
} place_job;

static void place_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const place_job* job = ctx;
    for (int v = begin; v < end; v++) {
        if (job->numbers[v] < 0) continue;
        job->mesh->position[job->numbers[v]]      = place_of(job->w, v);
        job->mesh->is_on_surface[job->numbers[v]] = v >= job->w->vertex_count || job->w->sign[v] == 0;
    }
}

// Vertices that no tetrahedron uses go; the others are numbered in the order in which the tetrahedra meet them, so that
// neighbours in space are neighbours in memory.
static shoal_status number_vertices(shoal_stuffing* w, const shoal_exec* exec, shoal_tetmesh* mesh) {
    int  all = w->vertex_count + w->cut_count, used = 0;
    int* numbers = shoal_arena_take(w->arena, (size_t)all, sizeof *numbers);
    if (!numbers) return SHOAL_ERR_MEMORY;
    for (int v = 0; v < all; v++) numbers[v] = -1;
    for (int t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 4; k++) {
            int* number = &numbers[mesh->tets[t][k]];
            if (*number < 0) *number = used++;
            mesh->tets[t][k] = *number;
        }
    int tets = mesh->tet_count;
    SHOAL_TRY(shoal_reserve((void**)&mesh->position, &mesh->vertex_capacity, used, sizeof *mesh->position));
    SHOAL_TRY(shoal_reserve((void**)&mesh->is_on_surface, &mesh->surface_capacity, used, sizeof *mesh->is_on_surface));
    mesh->vertex_count = used;
    mesh->tet_count    = tets;
    place_job job      = {w, numbers, mesh};
    shoal_blocks(exec, all, 4 * LEAVES, place_block, &job);
    return SHOAL_OK;
}

shoal_status stuffing_emit(shoal_stuffing* w, const shoal_exec* exec, shoal_tetmesh* mesh) {
    int  blocks = (w->tree.leaf_count + LEAVES - 1) / LEAVES;
    int* first  = shoal_arena_take(w->arena, (size_t)blocks + 1, sizeof *first);
    if (!first) return SHOAL_ERR_MEMORY;
    first[0] = 0;
    SHOAL_TRY(
        shoal_reserve((void**)&w->first_tet, &w->first_tet_capacity, w->tree.leaf_count + 1, sizeof *w->first_tet));
    emit_job job = {.w = w, .first = first, .first_tet = w->first_tet};
    shoal_blocks(exec, w->tree.leaf_count, LEAVES, emit_block, &job);
    for (int b = 0; b < blocks; b++) first[b + 1] += first[b];
    SHOAL_TRY(shoal_tetmesh_reserve(mesh, 0, first[blocks]));
    job.tets  = mesh->tets;
    job.shape = mesh->shape;
    shoal_blocks(exec, w->tree.leaf_count, LEAVES, emit_block, &job);
    w->first_tet[w->tree.leaf_count] = mesh->tet_count;
    return number_vertices(w, exec, mesh);
}
