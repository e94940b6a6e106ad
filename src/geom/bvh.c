// SPDX-License-Identifier: MIT
// Built top down, splitting by the surface-area heuristic over bins of centroids; searched with a
// stack.
#include "geom/bvh.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

enum {
    BINS        = 12,
    LEAF_MOST   = 4,
    DEPTH_TIRED = 45, // from here halve by count, so that the depth stays below SHOAL_BVH_DEPTH
};

typedef struct bounds {
    float min[3], max[3];
} bounds;

typedef struct range {
    int node, begin, end, depth;
} range;

typedef struct builder {
    shoal_bvh* bvh;
    bounds*    boxes;    // of each triangle, by the mesh's number
    float (*centres)[3]; // of its box
} builder;

static bounds bounds_empty(void) { return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static void bounds_add(bounds* b, const float min[3], const float max[3]) {
    for (int k = 0; k < 3; k++) {
        if (min[k] < b->min[k]) b->min[k] = min[k];
        if (max[k] > b->max[k]) b->max[k] = max[k];
    }
}

static float bounds_area(const bounds* b) {
    float x = b->max[0] - b->min[0], y = b->max[1] - b->min[1], z = b->max[2] - b->min[2];
    return x < 0.0f ? 0.0f : x * y + y * z + z * x;
}

static int bin_of(float centre, float low, float scale) {
    int bin = (int)((centre - low) * scale);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

// The cheapest plane along one axis: triangles of bins below *plane go left.
static float best_plane(const builder* b, range r, int axis, float low, float scale, int* plane) {
    bounds boxes[BINS];
    int    counts[BINS] = {0};
    for (int k = 0; k < BINS; k++) boxes[k] = bounds_empty();
    for (int i = r.begin; i < r.end; i++) {
        int id  = b->bvh->ids[i];
        int bin = bin_of(b->centres[id][axis], low, scale);
        counts[bin]++;
        bounds_add(&boxes[bin], b->boxes[id].min, b->boxes[id].max);
    }

    float  right_cost[BINS];
    bounds right = bounds_empty();
    int    count = 0;
    for (int k = BINS - 1; k > 0; k--) {
        bounds_add(&right, boxes[k].min, boxes[k].max);
        count += counts[k];
        right_cost[k] = (float)count * bounds_area(&right);
    }
    float  best       = INFINITY;
    bounds left       = bounds_empty();
    int    left_count = 0;
    for (int k = 1; k < BINS; k++) {
        bounds_add(&left, boxes[k - 1].min, boxes[k - 1].max);
        left_count += counts[k - 1];
        float cost = (float)left_count * bounds_area(&left) + right_cost[k];
        if (left_count > 0 && left_count < r.end - r.begin && cost < best) best = cost, *plane = k;
    }
    return best;
}

// Orders ids[begin, end) into a left and a right part and returns where the right one begins.
static int split(const builder* b, range r) {
    int    middle = r.begin + (r.end - r.begin) / 2;
    bounds spread = bounds_empty();
    for (int i = r.begin; i < r.end; i++) {
        const float* centre = b->centres[b->bvh->ids[i]];
        bounds_add(&spread, centre, centre);
    }
    if (r.depth >= DEPTH_TIRED) return middle;

    float best = INFINITY, best_low = 0.0f, best_scale = 0.0f;
    int   best_axis = -1, best_at = 0;
    for (int axis = 0; axis < 3; axis++) {
        float width = spread.max[axis] - spread.min[axis];
        float scale = (float)BINS / width;
        if (!(width > 0.0f) || !(scale < INFINITY)) continue;
        int   plane = 0;
        float cost  = best_plane(b, r, axis, spread.min[axis], scale, &plane);
        if (cost < best) {
            best = cost, best_axis = axis, best_at = plane;
            best_low = spread.min[axis], best_scale = scale;
        }
    }
    if (best_axis < 0) return middle; // all centroids in one place

    int* ids = b->bvh->ids;
    int  i = r.begin, j = r.end;
    while (i < j) {
        if (bin_of(b->centres[ids[i]][best_axis], best_low, best_scale) < best_at) {
            i++;
        } else {
            int swap = ids[--j];
            ids[j]   = ids[i];
            ids[i]   = swap;
        }
    }
    return i;
}

static void build(builder* b) {
    shoal_bvh* bvh = b->bvh;
    range      stack[SHOAL_BVH_DEPTH];
    int        waiting = 0;
    bvh->node_count    = 1;
    stack[waiting++]   = (range){0, 0, bvh->triangle_count, 0};
    while (waiting > 0) {
        range           r    = stack[--waiting];
        shoal_bvh_node* node = &bvh->nodes[r.node];
        bounds          box  = bounds_empty();
        for (int i = r.begin; i < r.end; i++) {
            const bounds* t = &b->boxes[bvh->ids[i]];
            bounds_add(&box, t->min, t->max);
        }
        for (int k = 0; k < 3; k++) node->min[k] = box.min[k], node->max[k] = box.max[k];
        if (r.end - r.begin <= LEAF_MOST) {
            node->first = r.begin;
            node->count = r.end - r.begin;
            continue;
        }
        int middle = split(b, r);
        int child  = bvh->node_count;
        bvh->node_count += 2;
        node->first = child;
        node->count = 0;
        SHOAL_ASSERT(waiting + 2 <= SHOAL_BVH_DEPTH);
        stack[waiting++] = (range){child + 1, middle, r.end, r.depth + 1};
        stack[waiting++] = (range){child, r.begin, middle, r.depth + 1};
    }
}

// A triangle flatter than rounding is its longest side, there and back: its distances are then
// sound.
static shoal_bvh_triangle triangle_of(shoal_v3 a, shoal_v3 b, shoal_v3 c) {
    shoal_bvh_triangle t  = {a, shoal_v3_sub(b, a), shoal_v3_sub(c, a)};
    shoal_v3           bc = shoal_v3_sub(c, b), normal = shoal_v3_cross(t.ab, t.ac);
    float              ab2 = shoal_v3_dot(t.ab, t.ab), ac2 = shoal_v3_dot(t.ac, t.ac), bc2 = shoal_v3_dot(bc, bc);
    float              most = ab2 > ac2 ? ab2 : ac2;
    if (bc2 > most) most = bc2;
    if (shoal_v3_length(normal) > 1e-4f * most) return t;
    if (most == bc2) t.a = b, t.ab = bc;
    if (most == ac2) t.a = a, t.ab = t.ac;
    t.ac = t.ab;
    return t;
}

// --- copies

typedef struct twin_key {
    shoal_v3 corner[3];
} twin_key;

// The corners from the least on, so that a triangle is the same whichever corner comes first.
static twin_key key_of(const shoal_v3* vertices, const int* corner) {
    int first = 0;
    for (int k = 1; k < 3; k++) {
        shoal_v3 a = vertices[corner[k]], b = vertices[corner[first]];
        if (a.x < b.x || (a.x == b.x && (a.y < b.y || (a.y == b.y && a.z < b.z)))) first = k;
    }
    twin_key key;
    for (int k = 0; k < 3; k++) key.corner[k] = vertices[corner[(first + k) % 3]];
    return key;
}

// Numbers of the triangles into `ids`, of those that are the same only the first: no tree can part
// them, and each search would look at all. Gives how many; -1: no memory.
static int list_distinct(const shoal_v3* vertices, const int* triangles, int count, int* ids) {
    size_t capacity = 64;
    int    left     = 0;
    while (capacity < 2 * (size_t)count) capacity *= 2;
    int* slots = shoal_alloc(capacity, sizeof *slots); // number + 1; 0: free
    if (!slots) return -1;
    for (int t = 0; t < count; t++) {
        twin_key key    = key_of(vertices, &triangles[3 * t]);
        size_t   at     = (size_t)shoal_hash(&key, sizeof key, 0) & (capacity - 1);
        bool     is_new = true;
        for (; slots[at] != 0 && is_new; at = (at + 1) & (capacity - 1)) {
            twin_key other = key_of(vertices, &triangles[3 * (slots[at] - 1)]);
            is_new         = memcmp(&key, &other, sizeof key) != 0;
        }
        if (!is_new) continue;
        slots[at]   = t + 1;
        ids[left++] = t;
    }
    shoal_free(slots);
    return left;
}

shoal_status shoal_bvh_create(const shoal_v3* vertices, const int* triangles, int triangle_count, shoal_bvh** out) {
    SHOAL_ASSERT(triangle_count > 0);
    size_t     count = (size_t)triangle_count;
    shoal_bvh* bvh   = shoal_alloc(1, sizeof *bvh);
    if (!bvh) return SHOAL_ERR_MEMORY;
    builder b           = {bvh, shoal_alloc(count, sizeof *b.boxes), NULL};
    b.centres           = shoal_alloc(count, sizeof *b.centres);
    bvh->triangle_count = triangle_count;
    bvh->nodes          = shoal_alloc(2 * count, sizeof *bvh->nodes);
    bvh->triangles      = shoal_alloc(count, sizeof *bvh->triangles);
    bvh->ids            = shoal_alloc(count, sizeof *bvh->ids);
    shoal_status status = SHOAL_ERR_MEMORY;
    if (!b.boxes || !b.centres || !bvh->nodes || !bvh->triangles || !bvh->ids) goto done;

    bvh->triangle_count = list_distinct(vertices, triangles, triangle_count, bvh->ids);
    if (bvh->triangle_count < 0) goto done;
    for (int t = 0; t < triangle_count; t++) {
        bounds box = bounds_empty();
        for (int k = 0; k < 3; k++) {
            shoal_v3 v         = vertices[triangles[3 * t + k]];
            float    corner[3] = {v.x, v.y, v.z};
            bounds_add(&box, corner, corner);
        }
        for (int k = 0; k < 3; k++) b.centres[t][k] = 0.5f * (box.min[k] + box.max[k]);
        b.boxes[t] = box;
    }
    build(&b);
    for (int i = 0; i < bvh->triangle_count; i++) {
        const int* corner = &triangles[3 * bvh->ids[i]];
        bvh->triangles[i] = triangle_of(vertices[corner[0]], vertices[corner[1]], vertices[corner[2]]);
    }
    status = SHOAL_OK;
done:
    shoal_free(b.centres);
    shoal_free(b.boxes);
    if (status != SHOAL_OK) {
        shoal_bvh_destroy(bvh);
        return status;
    }
    *out = bvh;
    return SHOAL_OK;
}

void shoal_bvh_destroy(shoal_bvh* bvh) {
    if (!bvh) return;
    shoal_free(bvh->ids);
    shoal_free(bvh->triangles);
    shoal_free(bvh->nodes);
    shoal_free(bvh);
}

// By the region of the triangle's plane that p falls over [Ericson 2005, Real-Time Collision
// Detection, 5.1.5]; collapsed triangles fall into an edge or a corner.
float shoal_bvh_triangle_distance2(const shoal_bvh_triangle* t, shoal_v3 p) {
    shoal_v3 ap = shoal_v3_sub(p, t->a);
    float    d1 = shoal_v3_dot(t->ab, ap), d2 = shoal_v3_dot(t->ac, ap);
    if (d1 <= 0.0f && d2 <= 0.0f) return shoal_v3_dot(ap, ap);
    shoal_v3 bp = shoal_v3_sub(ap, t->ab);
    float    d3 = shoal_v3_dot(t->ab, bp), d4 = shoal_v3_dot(t->ac, bp);
    if (d3 >= 0.0f && d4 <= d3) return shoal_v3_dot(bp, bp);
    shoal_v3 cp = shoal_v3_sub(ap, t->ac);
    float    d5 = shoal_v3_dot(t->ab, cp), d6 = shoal_v3_dot(t->ac, cp);
    if (d6 >= 0.0f && d5 <= d6) return shoal_v3_dot(cp, cp);

    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f && d1 > d3) {
        shoal_v3 q = shoal_v3_add_scaled(ap, t->ab, -d1 / (d1 - d3));
        return shoal_v3_dot(q, q);
    }
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f && d2 > d6) {
        shoal_v3 q = shoal_v3_add_scaled(ap, t->ac, -d2 / (d2 - d6));
        return shoal_v3_dot(q, q);
    }
    float va = d3 * d6 - d5 * d4, past_b = d4 - d3, past_c = d5 - d6, sum = va + vb + vc;
    if ((va <= 0.0f || !(sum > 0.0f)) && past_b >= 0.0f && past_c >= 0.0f && past_b + past_c > 0.0f) {
        shoal_v3 bc = shoal_v3_sub(t->ac, t->ab);
        shoal_v3 q  = shoal_v3_add_scaled(bp, bc, -past_b / (past_b + past_c));
        return shoal_v3_dot(q, q);
    }
    if (!(sum > 0.0f)) return shoal_v3_dot(ap, ap);
    // held within the triangle, since far from a small one v and w are mostly rounding
    float v = vb / sum, w = vc / sum;
    v          = v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
    w          = w < 0.0f ? 0.0f : w > 1.0f - v ? 1.0f - v : w;
    shoal_v3 q = shoal_v3_add_scaled(shoal_v3_add_scaled(ap, t->ab, -v), t->ac, -w);
    return shoal_v3_dot(q, q);
}

static inline float beyond(float low, float high, float x) {
    float a = low - x, b = x - high;
    float d = a > b ? a : b;
    return d > 0.0f ? d : 0.0f;
}

static inline float box_distance2(const shoal_bvh_node* n, shoal_v3 p) {
    float x = beyond(n->min[0], n->max[0], p.x), y = beyond(n->min[1], n->max[1], p.y),
          z = beyond(n->min[2], n->max[2], p.z);
    return x * x + y * y + z * z;
}

float shoal_bvh_nearest(const shoal_bvh* bvh, shoal_v3 p, int* nearest) {
    struct {
        int   node;
        float distance2;
    } stack[SHOAL_BVH_DEPTH];
    int   found   = *nearest;
    float best    = found >= 0 ? shoal_bvh_triangle_distance2(&bvh->triangles[found], p) : INFINITY;
    int   waiting = 0, at = 0;
    for (;;) {
        const shoal_bvh_node* node = &bvh->nodes[at];
        if (node->count > 0) {
            for (int i = node->first; i < node->first + node->count; i++) {
                float d = shoal_bvh_triangle_distance2(&bvh->triangles[i], p);
                if (d < best) best = d, found = i;
            }
        } else {
            int   left = node->first, right = left + 1;
            float dl = box_distance2(&bvh->nodes[left], p), dr = box_distance2(&bvh->nodes[right], p);
            int   near = left, far = right;
            if (dr < dl) {
                float swap = dl;
                dl = dr, dr = swap;
                near = right, far = left;
            }
            if (dr < best) {
                stack[waiting].node        = far;
                stack[waiting++].distance2 = dr;
            }
            if (dl < best) {
                at = near;
                continue;
            }
        }
        do {
            if (waiting == 0) {
                *nearest = found;
                return best;
            }
            waiting--;
        } while (stack[waiting].distance2 >= best);
        at = stack[waiting].node;
    }
}

// Whether the ray meets the box before `most`; written so that 0 * infinity (a ray along a face) is
// ignored.
static bool ray_meets(const shoal_bvh_node* n, const float from[3], const float inverse[3], float most) {
    float in = 0.0f, out = most;
    for (int k = 0; k < 3; k++) {
        float a = (n->min[k] - from[k]) * inverse[k], b = (n->max[k] - from[k]) * inverse[k];
        float low = a < b ? a : b, high = a < b ? b : a;
        if (low > in) in = low;
        if (high < out) out = high;
    }
    return in <= out;
}

// Moeller and Trumbore 1997; INFINITY when missed or not leaving through it.
static float ray_exit(const shoal_bvh_triangle* t, shoal_v3 from, shoal_v3 direction, float facing) {
    shoal_v3 normal = shoal_v3_cross(t->ab, t->ac);
    float    length = shoal_v3_length(normal), cosine = shoal_v3_dot(normal, direction) * facing;
    if (!(cosine > 0.5f * length)) return INFINITY;
    shoal_v3 h   = shoal_v3_cross(direction, t->ac);
    float    det = shoal_v3_dot(t->ab, h);
    shoal_v3 s   = shoal_v3_sub(from, t->a);
    float    u   = shoal_v3_dot(s, h) / det;
    shoal_v3 q   = shoal_v3_cross(s, t->ab);
    float    v   = shoal_v3_dot(direction, q) / det;
    if (!(u >= 0.0f && v >= 0.0f && u + v <= 1.0f)) return INFINITY;
    return shoal_v3_dot(t->ac, q) / det;
}

static bool has_common_corner(const int a[3], const int b[3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (a[i] == b[k]) return true;
    return false;
}

// Twice the way from the middle of a to that of b, along the direction.
static float ahead(const shoal_bvh_node* a, const shoal_bvh_node* b, shoal_v3 direction) {
    return (b->min[0] + b->max[0] - a->min[0] - a->max[0]) * direction.x +
           (b->min[1] + b->max[1] - a->min[1] - a->max[1]) * direction.y +
           (b->min[2] + b->max[2] - a->min[2] - a->max[2]) * direction.z;
}

// Where the ray of a triangle begins; *inward is its direction, zero when the triangle has none.
static shoal_v3 ray_of(const shoal_bvh_triangle* own, float facing, shoal_v3* inward) {
    shoal_v3 normal = shoal_v3_cross(own->ab, own->ac);
    float    length = shoal_v3_length(normal);
    *inward         = shoal_v3_scale(normal, length > 0.0f ? -facing / length : 0.0f);
    return shoal_v3_add_scaled(own->a, shoal_v3_add(own->ab, own->ac), 1.0f / 3.0f);
}

shoal_v3 shoal_bvh_inward(const shoal_bvh* bvh, int place, float facing, float length) {
    shoal_v3 inward, from = ray_of(&bvh->triangles[place], facing, &inward);
    return shoal_v3_add_scaled(from, inward, length);
}

float shoal_bvh_wall(const shoal_bvh* bvh, int place, const int* corners, float facing, float beyond) {
    const int* mine = &corners[3 * bvh->ids[place]];
    shoal_v3   inward, from = ray_of(&bvh->triangles[place], facing, &inward);
    if (!(shoal_v3_dot(inward, inward) > 0.0f)) return INFINITY;
    const float start[3]   = {from.x, from.y, from.z};
    const float inverse[3] = {1.0f / inward.x, 1.0f / inward.y, 1.0f / inward.z};

    int   stack[SHOAL_BVH_DEPTH], waiting = 0;
    float best       = INFINITY;
    stack[waiting++] = 0;
    while (waiting > 0) {
        const shoal_bvh_node* node = &bvh->nodes[stack[--waiting]];
        if (!ray_meets(node, start, inverse, best)) continue;
        if (node->count == 0) { // the nearer child is opened first
            int swap         = ahead(&bvh->nodes[node->first], &bvh->nodes[node->first + 1], inward) > 0.0f;
            stack[waiting++] = node->first + swap;
            stack[waiting++] = node->first + 1 - swap;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++) {
            float t = ray_exit(&bvh->triangles[i], from, inward, facing);
            if (t > beyond && t < best && !has_common_corner(mine, &corners[3 * bvh->ids[i]])) best = t;
        }
    }
    return best;
}
