// SPDX-License-Identifier: MIT
#include "tet/band.h"
#include "tet/flow.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS_MOST = 300, RINGS_MOST = 6 };

// A barycentric coordinate this little below zero is negative by rounding alone.
#define ROUNDING 1e-9
// What is taken to the surface goes so far into the mesh, whose faces are chords of it, in steps; and does not where
// the slope is so small: between two surfaces it says nothing of the way.
#define WITHIN 0.02
#define SLOPE_LEAST 0.5

// --- where a point is

// One of the tetrahedra that a leaf has made, the one at `fraction` of them; -1: none.
static int any_of(const shoal_tet_flow* flow, int leaf, double fraction) {
    if (leaf < 0) return -1;
    int first = flow->first_tet[leaf], count = flow->first_tet[leaf + 1] - first;
    return count > 0 ? first + (int)(fraction * count) : -1;
}

// A leaf makes four tetrahedra for each of its three upper faces, one at each edge, in this order (stuffing_emit.c),
// where nothing is cut and its neighbours are as large: `beside` tells which leaf has that of a place, and the fraction
// which of them it is. q: from the middle of the leaf, in its edges.
static double guess(const double q[3], int beside[3]) {
    int    axis = fabs(q[0]) > fabs(q[1]) ? (fabs(q[0]) > fabs(q[2]) ? 0 : 2) : (fabs(q[1]) > fabs(q[2]) ? 1 : 2);
    double u = q[(axis + 1) % 3], v = q[(axis + 2) % 3];
    int    edge = fabs(u) > fabs(v) ? (u > 0.0 ? 1 : 3) : (v > 0.0 ? 2 : 0);
    if (q[axis] < 0.0) beside[axis]--;
    return (4 * axis + edge + 0.5) / 12.0;
}

// Where a point is among the finest octants, and which of them that is, as far as there are some.
static void place_of(const shoal_octree* tree, shoal_d3 at, double x[3], int p[3]) {
    double per_step = 1.0 / tree->step;
    int    limit    = (1 << tree->levels) - 1;
    for (int a = 0; a < 3; a++) {
        x[a] = (shoal_d3_axis(at, a) - shoal_d3_axis(tree->origin, a)) * per_step;
        p[a] = x[a] > 0.0 ? (x[a] < limit ? (int)x[a] : limit) : 0;
    }
}

// The leaf of a level that a finest octant is in, by the key of that; -1: none.
static int leaf_of(const shoal_octree* tree, int level, uint64_t key) {
    int k = shoal_morton_rank(&tree->leaves[level], key >> 3 * level);
    return k < 0 ? -1 : tree->first_leaf[level] + k;
}

// The tetrahedron that a point of the mesh is likely in; -1: none there.
static int likely_at(const shoal_tet_flow* flow, const double x[3], const int p[3]) {
    const shoal_octree* tree = flow->tree;
    uint64_t            key  = shoal_morton(p[0], p[1], p[2]);
    for (int level = 0; level < tree->levels; level++) {
        int leaf = leaf_of(tree, level, key);
        if (leaf < 0) continue;
        int    own[3] = {p[0] >> level, p[1] >> level, p[2] >> level}, to[3] = {own[0], own[1], own[2]};
        double edge = 1.0 / (double)(1 << level), q[3];
        for (int a = 0; a < 3; a++) q[a] = x[a] * edge - own[a] - 0.5;
        double fraction = guess(q, to);
        int    other    = to[0] == own[0] && to[1] == own[1] && to[2] == own[2]
                              ? leaf
                              : shoal_octree_leaf(tree, level, to[0], to[1], to[2]);
        int    t        = any_of(flow, other, fraction);
        return t >= 0 ? t : any_of(flow, leaf, fraction);
    }
    return -1;
}

// Which of the 4 x 4 x 4 groups of 4 x 4 x 4 finest octants around one have made tetrahedra, a bit for each, from `low`
// on. Eight of them are a brick of the index.
static uint64_t groups_around(const shoal_tet_flow* flow, const int p[3], int low[3]) {
    const shoal_morton_set* leaves = &flow->tree->leaves[0];
    uint64_t                bits   = 0, key[3][3];
    for (int a = 0; a < 3; a++) {
        low[a] = (p[a] - RINGS_MOST) >> 2;
        for (int k = 0; k < 3; k++) key[a][k] = shoal_morton_spread((uint32_t)((low[a] >> 1) + k)) << a;
    }
    for (int k = 0; k < 27 && leaves->count > 0; k++) {
        int at[3] = {(low[0] >> 1) + k % 3, (low[1] >> 1) + k / 3 % 3, (low[2] >> 1) + k / 9};
        if (at[0] < 0 || at[1] < 0 || at[2] < 0 || (8 * (at[0] | at[1] | at[2])) >> leaves->bits) continue;
        const shoal_morton_brick* brick =
            shoal_morton_brick_at(leaves, key[0][k % 3] | key[1][k / 3 % 3] | key[2][k / 9]);
        for (int word = 0; word < 8 && brick; word++) {
            int x = 2 * at[0] + (word & 1) - low[0], y = 2 * at[1] + (word >> 1 & 1) - low[1],
                z = 2 * at[2] + (word >> 2) - low[2];
            if (!brick->mask[word] || (unsigned)(x | y | z) > 3) continue;
            int first = brick->first + brick->before[word], count = shoal_bit_count(brick->mask[word]);
            if (flow->first_tet[first + count] > flow->first_tet[first]) bits |= (uint64_t)1 << (16 * z + 4 * y + x);
        }
    }
    return bits;
}

// The ring around an octant that the nearest of these groups begins in.
static int nearest_ring(uint64_t groups, const int low[3], const int p[3]) {
    int least = RINGS_MOST + 1;
    for (; groups; groups &= groups - 1) {
        int k = __builtin_ctzll(groups), ring = 1;
        for (int a = 0; a < 3; a++) {
            int first = 4 * (low[a] + (k >> 2 * a & 3)), off = p[a] < first ? first - p[a] : p[a] - first - 3;
            if (off > ring) ring = off;
        }
        if (ring < least) least = ring;
    }
    return least;
}

// For a point outside of the mesh a tetrahedron to begin with: one that the leaf around it has made, or a leaf near to
// it. -1: none is near.
static int start_at(const shoal_tet_flow* flow, const int p[3]) {
    const shoal_octree* tree = flow->tree;
    uint64_t            key  = shoal_morton(p[0], p[1], p[2]);
    for (int level = 0; level < tree->levels; level++) {
        int t = any_of(flow, leaf_of(tree, level, key), 0.0);
        if (t >= 0) return t;
    }
    // outside of the liquid leaves are empty, and so are most groups of them
    int      low[3];
    uint64_t groups = groups_around(flow, p, low);
    for (int ring = nearest_ring(groups, low, p); ring <= RINGS_MOST; ring++)
        for (int z = p[2] - ring; z <= p[2] + ring; z++)
            for (int y = p[1] - ring; y <= p[1] + ring; y++) {
                int row    = 16 * ((z >> 2) - low[2]) + 4 * ((y >> 2) - low[1]);
                int stride = abs(z - p[2]) == ring || abs(y - p[1]) == ring ? 1 : 2 * ring;
                for (int x = p[0] - ring; x <= p[0] + ring; x += stride) {
                    if (!(groups >> (row + (x >> 2) - low[0]) & 1)) continue;
                    int t = any_of(flow, shoal_octree_leaf(tree, 0, x, y, z), 0.0);
                    if (t >= 0) return t;
                }
            }
    return -1;
}

static void barycentric_in(const shoal_tetmesh* mesh, int t, shoal_d3 at, double barycentric[4]) {
    const int* v = mesh->tets[t];
    shoal_d3   a = mesh->position[v[0]], b = shoal_d3_sub(mesh->position[v[1]], a),
             c = shoal_d3_sub(mesh->position[v[2]], a), d = shoal_d3_sub(mesh->position[v[3]], a),
             p = shoal_d3_sub(at, a), cd = shoal_d3_cross(c, d);
    double one     = 1.0 / shoal_d3_dot(b, cd); // of six volumes
    barycentric[1] = one * shoal_d3_dot(p, cd);
    barycentric[2] = one * shoal_d3_dot(p, shoal_d3_cross(d, b));
    barycentric[3] = one * shoal_d3_dot(p, shoal_d3_cross(b, c));
    barycentric[0] = 1.0 - barycentric[1] - barycentric[2] - barycentric[3];
}

// Walks from a tetrahedron to the one that a point is in, or to where it can get no nearer; its coordinates there.
// Whether it has come there.
static bool walk(const shoal_tetmesh* mesh, shoal_d3 at, int* tet, double barycentric[4]) {
    int t = *tet, before = -1;
    barycentric_in(mesh, t, at, barycentric);
    for (int step = 0; step < STEPS_MOST; step++) {
        int  next = -1, least = 4;
        bool is_in = true;
        for (int k = 0; k < 4; k++) { // through the face that it is farthest beyond, and that has a neighbour
            if (!(barycentric[k] < -ROUNDING)) continue;
            is_in = false;
            if (mesh->neighbours[t][k] >= 0 && mesh->neighbours[t][k] != before &&
                (least == 4 || barycentric[k] < barycentric[least]))
                least = k, next = mesh->neighbours[t][k];
        }
        if (next < 0) {
            *tet = t;
            return is_in;
        }
        before = t;
        t      = next;
        barycentric_in(mesh, t, at, barycentric);
    }
    *tet = t;
    return false;
}

// Takes a point outside of the surface to the nearest one on it, as far as distances around it tell. *is_between: they
// do not, since it is between two.
static bool onto_surface(const shoal_tet_flow* flow, shoal_d3* at, bool* is_between) {
    shoal_d3 slope;
    double   distance = flow->band ? shoal_band_distance(flow->band, *at) : 0.0;
    *is_between       = false;
    if (!(distance > 0.0) || !shoal_band_gradient(flow->band, *at, &slope)) return false;
    double length2 = shoal_d3_dot(slope, slope);
    *is_between    = length2 < SLOPE_LEAST * SLOPE_LEAST;
    if (*is_between) return false;
    *at = shoal_d3_sub(*at, shoal_d3_scale(slope, (distance + WITHIN * flow->tree->step) / length2));
    return true;
}

// The end of a walk for a point outside, its coordinates cut off at zero; how far that is from the point, squared.
static double end_of_walk(const shoal_tetmesh* mesh, shoal_d3 at, int* tet, double barycentric[4]) {
    shoal_d3 off = at;
    double   sum = 0.0;
    walk(mesh, at, tet, barycentric);
    for (int k = 0; k < 4; k++) sum += barycentric[k] = barycentric[k] > 0.0 ? barycentric[k] : 0.0;
    for (int k = 0; k < 4; k++) {
        barycentric[k] /= sum;
        off = shoal_d3_sub(off, shoal_d3_scale(mesh->position[mesh->tets[*tet][k]], barycentric[k]));
    }
    return shoal_d3_dot(off, off);
}

// What is found depends on where a walk begins. A leaf makes the tetrahedra on its upper sides: between two bodies that
// is one of them always, and the liquid that they meet in would go with that one. There walks begin on all sides, and
// the one that has come nearest counts.
static int nearest_of_walks(const shoal_tet_flow* flow, shoal_d3 at, const int p[3], bool is_between,
                            double barycentric[4]) {
    int best = start_at(flow, p);
    if (best < 0) return -1;
    double least = end_of_walk(flow->mesh, at, &best, barycentric);
    for (int side = 0; side < 6 && is_between; side++) {
        int    to[3] = {p[0], p[1], p[2]};
        double other[4];
        to[side / 2] += side % 2 ? 1 : -1;
        int t = any_of(flow, shoal_octree_leaf(flow->tree, 0, to[0], to[1], to[2]), 0.0);
        if (t < 0) continue;
        double off = end_of_walk(flow->mesh, at, &t, other);
        if (!(off < least)) continue;
        least = off, best = t;
        for (int k = 0; k < 4; k++) barycentric[k] = other[k];
    }
    return best;
}

int shoal_tet_locate(const shoal_tet_flow* flow, shoal_d3 at, double barycentric[4]) {
    const shoal_tetmesh* mesh = flow->mesh;
    double               x[3];
    int                  p[3];
    if (mesh->tet_count == 0) return -1;
    place_of(flow->tree, at, x, p);
    int t = likely_at(flow, x, p);
    if (t >= 0 && walk(mesh, at, &t, barycentric)) return t;
    // A surface that advances goes by what is outside of the mesh. Coordinates in the last tetrahedron of a walk, cut
    // off at zero, are those of a point to one side of the nearest one, by up to two steps: ridges grew out of that.
    bool is_between;
    if (onto_surface(flow, &at, &is_between)) {
        place_of(flow->tree, at, x, p);
        t = likely_at(flow, x, p);
        if (t >= 0 && walk(mesh, at, &t, barycentric)) return t;
    }
    return nearest_of_walks(flow, at, p, is_between, barycentric);
}

// --- what flows there

static shoal_d3 between(const shoal_tetmesh* mesh, int t, const double barycentric[4], const shoal_v3* at_vertex) {
    shoal_d3 u = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++)
        u = shoal_d3_add(u, shoal_d3_scale(shoal_d3_from(at_vertex[mesh->tets[t][k]]), barycentric[k]));
    return u;
}

shoal_d3 shoal_tet_mean_velocity(const shoal_tet_flow* flow, shoal_d3 at) {
    double barycentric[4];
    int    t = shoal_tet_locate(flow, at, barycentric);
    return t < 0 ? shoal_d3_make(0.0, 0.0, 0.0) : between(flow->mesh, t, barycentric, flow->vertex_velocity);
}

// Linear in the four parts into which the middle divides a tetrahedron: its own velocity there, those of the vertices
// at them. Like the generalised barycentric interpolation over cells around vertices [Warren et al. 2004] it is
// continuous, and exact at the middles, so that nothing is damped.
shoal_d3 shoal_tet_sharp_velocity(const shoal_tet_flow* flow, shoal_d3 at) {
    double b[4];
    int    t = shoal_tet_locate(flow, at, b);
    if (t < 0) return shoal_d3_make(0.0, 0.0, 0.0);
    double   least = fmin(fmin(b[0], b[1]), fmin(b[2], b[3]));
    shoal_d3 beyond =
        shoal_d3_sub(shoal_d3_from(flow->velocity[t]), shoal_tet_vertex_mean(flow->mesh, t, flow->vertex_velocity));
    return shoal_d3_add(between(flow->mesh, t, b, flow->vertex_velocity), shoal_d3_scale(beyond, 4.0 * least));
}

shoal_d3 shoal_tet_trace_back(const shoal_tet_flow* flow, shoal_d3 at, double dt) {
    shoal_d3 middle = shoal_d3_sub(at, shoal_d3_scale(shoal_tet_mean_velocity(flow, at), 0.5 * dt));
    return shoal_d3_sub(at, shoal_d3_scale(shoal_tet_mean_velocity(flow, middle), dt));
}
