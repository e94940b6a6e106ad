// SPDX-License-Identifier: MIT
// Marching cubes [Lorensen & Cline 1987] by blocks. Signs are handled as bits, a row of samples at
// a time. A vertex belongs to the lower end of its edge: the block that holds that sample makes it,
// and its neighbours ask there.
#include "geom/contour.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <threads.h>

enum { EDGE = SHOAL_SPARSE_EDGE, SAMPLES = SHOAL_SPARSE_SAMPLES, RIMMED = SHOAL_SPARSE_RIMMED };
enum { CORNERS = EDGE + 1, ROWS = 3 * EDGE * EDGE, LOOP_MOST = 12, TRIANGLES_MOST = 5 };

// Vertices keep this far from the ends of their edge, in edges, so that no triangle collapses; far
// from the origin, where floats lie apart, at least so many of their steps, and never more than
// END_MOST.
#define END_GAP 0.01f
#define END_STEPS 4.0
#define END_MOST 0.25f

// --- the table

// corners counted as 0(0,0,0) 1(1,0,0) 2(1,1,0) 3(0,1,0) 4..7 the same at z = 1
static const int corner_at[8][3]  = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int edge_ends[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                     {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
// corners counter-clockwise seen from outside
static const int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

typedef struct cube_edge {
    int x, y, z, axis; // lower end, and the way it goes
} cube_edge;

typedef struct cube_case {
    int count; // triangles
    int edges[3 * TRIANGLES_MOST];
} cube_case;

static cube_edge cube_edges[12];
static cube_case cube_cases[256];
static unsigned  edge_faces[12]; // bits: the two faces an edge lies on
static once_flag table_once = ONCE_FLAG_INIT;

static int edge_between(int a, int b) {
    for (int e = 0; e < 12; e++)
        if ((edge_ends[e][0] == a && edge_ends[e][1] == b) || (edge_ends[e][0] == b && edge_ends[e][1] == a)) return e;
    return -1;
}

// next[e] is the edge where the segment that starts at e ends; -1 where none does.
static void find_segments(int inside, int next[12]) {
    for (int e = 0; e < 12; e++) next[e] = -1;
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 4; k++) {
            int before = faces[f][(k + 3) % 4], here = faces[f][k];
            if ((inside >> before & 1) || !(inside >> here & 1)) continue; // not where a run begins
            int end = k;
            while (inside >> faces[f][(end + 1) % 4] & 1) end++;
            next[edge_between(before, here)] = edge_between(faces[f][end % 4], faces[f][(end + 1) % 4]);
        }
}

// A fan whose inner edges do not lie in a face, where the cube beyond it might draw the same line.
static int fan_start(const int* loop, int length) {
    for (int start = 0; start < length; start++) {
        bool is_clear = true;
        for (int k = 2; k < length - 1; k++)
            is_clear &= !(edge_faces[loop[start]] & edge_faces[loop[(start + k) % length]]);
        if (is_clear) return start;
    }
    return 0;
}

static void make_case(int inside, cube_case* out) {
    int  next[12], loop[LOOP_MOST];
    bool is_done[12] = {false};
    find_segments(inside, next);
    for (int e = 0; e < 12; e++) {
        if (next[e] < 0 || is_done[e]) continue;
        int length = 0;
        for (int at = e; !is_done[at]; at = next[at]) {
            is_done[at]    = true;
            loop[length++] = at;
        }
        int start = fan_start(loop, length);
        for (int k = 1; k + 1 < length; k++) {
            int* t = out->edges + 3 * out->count++;
            t[0]   = loop[start];
            t[1]   = loop[(start + k) % length];
            t[2]   = loop[(start + k + 1) % length];
        }
    }
}

static void make_table(void) {
    for (int e = 0; e < 12; e++) {
        const int *a = corner_at[edge_ends[e][0]], *b = corner_at[edge_ends[e][1]];
        cube_edges[e] = (cube_edge){a[0] & b[0], a[1] & b[1], a[2] & b[2], a[0] != b[0] ? 0 : a[1] != b[1] ? 1 : 2};
        for (int f = 0; f < 6; f++)
            for (int k = 0; k < 4; k++)
                if (edge_between(faces[f][k], faces[f][(k + 1) % 4]) == e) edge_faces[e] |= 1u << f;
    }
    for (int inside = 0; inside < 256; inside++) make_case(inside, &cube_cases[inside]);
}

// --- blocks

// The vertices of a block, by rows: of row (axis, z, y) those at the bits of mask, numbered from
// base.
typedef struct block_edges {
    uint16_t base[ROWS];
    uint8_t  mask[ROWS];
} block_edges;

typedef struct walk {
    const shoal_sparse* field;
    shoal_contour*      out;
    int*                slot;           // [block_count] into edges; -1: no vertices there
    block_edges*        edges;          // of the blocks that have vertices
    int*                triangle_count; // [block_count], then the first of each
    float               gap;            // to the ends of an edge, in edges
    bool                has_normals, has_cubes;
} walk;

// Of the blocks that there are: the lattice may go on far beyond them.
static float end_gap(const shoal_sparse* f) {
    double far = 0.0, edge = EDGE * f->cell;
    for (int b = 0; b < f->block_count; b++)
        for (int axis = 0; axis < 3; axis++) {
            double from = shoal_d3_axis(shoal_sparse_corner(f, b), axis);
            far         = fmax(far, fmax(fabs(from), fabs(from + edge)));
        }
    float gap = (float)(END_STEPS * (double)FLT_EPSILON * far / f->cell);
    return gap < END_GAP ? END_GAP : gap > END_MOST ? END_MOST : gap;
}

// Bits of the corners inside, one row of 9 in x for each (z, y).
typedef struct signs {
    uint16_t rows[CORNERS][CORNERS];
} signs;

static unsigned is_inside(const shoal_sparse* field, int block, int z, int y, int x) {
    return field->values[(size_t)SAMPLES * (size_t)block + (size_t)((z * EDGE + y) * EDGE + x)] < 0.0f;
}

// What is missing is like the sample of this block beside it.
static void find_signs(const shoal_sparse* field, int block, signs* out) {
    const int* near = field->near + (size_t)SHOAL_SPARSE_NEAR * (size_t)block;
    for (int z = 0; z < CORNERS; z++)
        for (int y = 0; y < CORNERS; y++) {
            int      at      = 13 + (z == EDGE) * 9 + (y == EDGE) * 3; // 13: the block itself
            int      last[2] = {z < EDGE ? z : EDGE - 1, y < EDGE ? y : EDGE - 1};
            unsigned bits    = 0;
            for (int x = 0; x < EDGE; x++)
                bits |= (near[at] >= 0 ? is_inside(field, near[at], z % EDGE, y % EDGE, x)
                                       : is_inside(field, block, last[0], last[1], x))
                        << x;
            bits |= (near[at + 1] >= 0 ? is_inside(field, near[at + 1], z % EDGE, y % EDGE, 0)
                                       : is_inside(field, block, last[0], last[1], EDGE - 1))
                    << EDGE;
            out->rows[z][y] = (uint16_t)bits;
        }
}

// Edges that leave the samples of row (z, y) along an axis and cross the surface.
static unsigned crossings(const signs* s, int z, int y, int axis) {
    unsigned here  = s->rows[z][y];
    unsigned there = axis == 0 ? here >> 1 : axis == 1 ? s->rows[z][y + 1] : s->rows[z + 1][y];
    return (here ^ there) & 0xffu;
}

// Cubes of row (z, y) that the surface passes through.
static unsigned mixed(const signs* s, int z, int y) {
    unsigned a = s->rows[z][y], b = s->rows[z][y + 1], c = s->rows[z + 1][y], d = s->rows[z + 1][y + 1];
    unsigned any = a | b | c | d, all = a & b & c & d;
    return (any | any >> 1) & ~(all & all >> 1) & 0xffu;
}

static int cube_at(const signs* s, int z, int y, int x) {
    unsigned a = s->rows[z][y] >> x & 3u, b = s->rows[z][y + 1] >> x & 3u;
    unsigned c = s->rows[z + 1][y] >> x & 3u, d = s->rows[z + 1][y + 1] >> x & 3u;
    // corners 3 and 2 (7 and 6) stand the other way round
    b = b >> 1 | (b & 1u) << 1;
    d = d >> 1 | (d & 1u) << 1;
    return (int)(a | b << 2 | c << 4 | d << 6);
}

static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    walk* w = ctx;
    for (int b = begin; b < end; b++) {
        signs s;
        int   vertices = 0, triangles = 0;
        find_signs(w->field, b, &s);
        for (int z = 0; z < EDGE; z++)
            for (int y = 0; y < EDGE; y++) {
                for (int axis = 0; axis < 3; axis++) vertices += __builtin_popcount(crossings(&s, z, y, axis));
                for (unsigned m = mixed(&s, z, y); m; m &= m - 1)
                    triangles += cube_cases[cube_at(&s, z, y, __builtin_ctz(m))].count;
            }
        w->out->first[b]     = vertices;
        w->triangle_count[b] = triangles;
    }
}

static shoal_v3 gradient_at(const float* v) {
    return shoal_v3_make(v[1] - v[-1], v[RIMMED] - v[-RIMMED], v[RIMMED * RIMMED] - v[-RIMMED * RIMMED]);
}

static shoal_v3 unit(shoal_v3 v) {
    float length = shoal_v3_length(v);
    return length > 0.0f ? shoal_v3_scale(v, 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
}

// The vertex on the edge from sample (x, y, z) along an axis.
static void put_vertex(const walk* w, const float* rimmed, shoal_d3 corner, int x, int y, int z, int axis, int to) {
    static const int strides[3] = {1, RIMMED, RIMMED * RIMMED};
    const float*     low        = rimmed + ((z + 1) * RIMMED + y + 1) * RIMMED + x + 1;
    const float*     high       = low + strides[axis];
    float            t          = *low / (*low - *high);
    t                           = t < w->gap ? w->gap : t > 1.0f - w->gap ? 1.0f - w->gap : t;
    double at[3] = {x, y, z}, cell = w->field->cell;
    at[axis] += (double)t;
    w->out->vertices[to] = shoal_v3_make((float)(corner.x + cell * at[0]), (float)(corner.y + cell * at[1]),
                                         (float)(corner.z + cell * at[2]));
    if (!w->has_normals) return;
    shoal_v3 a = gradient_at(low), b = gradient_at(high);
    w->out->normals[to] = unit(shoal_v3_add_scaled(a, shoal_v3_sub(b, a), t));
}

static void vertex_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    walk* w = ctx;
    for (int b = begin; b < end; b++) {
        if (w->slot[b] < 0) continue;
        block_edges* e = &w->edges[w->slot[b]];
        signs        s;
        float        rimmed[RIMMED * RIMMED * RIMMED];
        shoal_d3     corner = shoal_sparse_corner(w->field, b);
        int          count  = 0;
        find_signs(w->field, b, &s);
        shoal_sparse_rimmed(w->field, w->field->values, b, rimmed);
        for (int row = 0; row < ROWS; row++) {
            int axis = row / (EDGE * EDGE), z = row / EDGE % EDGE, y = row % EDGE;
            e->mask[row] = (uint8_t)crossings(&s, z, y, axis);
            e->base[row] = (uint16_t)count;
            for (unsigned m = e->mask[row]; m; m &= m - 1)
                put_vertex(w, rimmed, corner, __builtin_ctz(m), y, z, axis, w->out->first[b] + count++);
        }
    }
}

static int vertex_of(const walk* w, int block, const cube_edge* e, int x, int y, int z) {
    x += e->x, y += e->y, z += e->z;
    int near = 13 + (z == EDGE) * 9 + (y == EDGE) * 3 + (x == EDGE);
    int b    = w->field->near[(size_t)SHOAL_SPARSE_NEAR * (size_t)block + (size_t)near];
    SHOAL_ASSERT(b >= 0 && w->slot[b] >= 0); // the field was sealed
    const block_edges* edges = &w->edges[w->slot[b]];
    int                row   = (e->axis * EDGE + z % EDGE) * EDGE + y % EDGE;
    unsigned           below = edges->mask[row] & ((1u << (x % EDGE)) - 1u);
    return w->out->first[b] + edges->base[row] + __builtin_popcount(below);
}

static void triangle_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    walk* w = ctx;
    for (int b = begin; b < end; b++) {
        if (w->triangle_count[b] == w->triangle_count[b + 1]) continue;
        int*  to   = w->out->triangles + 3 * (size_t)w->triangle_count[b];
        int*  cube = w->has_cubes ? w->out->cubes + w->triangle_count[b] : NULL;
        signs s;
        find_signs(w->field, b, &s);
        for (int z = 0; z < EDGE; z++)
            for (int y = 0; y < EDGE; y++)
                for (unsigned m = mixed(&s, z, y); m; m &= m - 1) {
                    int              x = __builtin_ctz(m);
                    const cube_case* c = &cube_cases[cube_at(&s, z, y, x)];
                    for (int k = 0; cube && k < c->count; k++) *cube++ = SAMPLES * b + (z * EDGE + y) * EDGE + x;
                    for (int k = 0; k < 3 * c->count; k++) *to++ = vertex_of(w, b, &cube_edges[c->edges[k]], x, y, z);
                }
    }
}

// Counts become first places; returns the sum, or -1 when it is too large for an int.
static int64_t add_up(int* counts, int count) {
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        int here  = counts[i];
        counts[i] = (int)sum;
        sum += here;
        if (sum > INT_MAX / 3) return -1;
    }
    counts[count] = (int)sum;
    return sum;
}

static shoal_status reserve(walk* w, shoal_arena* scratch, int slots) {
    shoal_contour* out      = w->out;
    int            vertices = out->vertex_count, triangles = out->triangle_count;
    SHOAL_TRY(shoal_arena_make(scratch, (void**)&w->edges, (size_t)slots, sizeof *w->edges));
    SHOAL_TRY(shoal_reserve((void**)&out->vertices, &out->vertex_capacity, vertices, sizeof *out->vertices));
    if (w->has_normals)
        SHOAL_TRY(shoal_reserve((void**)&out->normals, &out->normal_capacity, vertices, sizeof *out->normals));
    SHOAL_TRY(shoal_reserve((void**)&out->triangles, &out->triangle_capacity, triangles, 3 * sizeof *out->triangles));
    return w->has_cubes ? shoal_reserve((void**)&out->cubes, &out->cube_capacity, triangles, sizeof *out->cubes)
                        : SHOAL_OK;
}

static shoal_status make(walk* w, shoal_arena* scratch, const shoal_exec* exec) {
    shoal_contour* out    = w->out;
    int            blocks = w->field->block_count, slots = 0;
    SHOAL_TRY(shoal_reserve((void**)&out->first, &out->first_capacity, blocks + 1, sizeof *out->first));
    SHOAL_TRY(shoal_arena_make(scratch, (void**)&w->triangle_count, (size_t)blocks + 1, sizeof *w->triangle_count));
    SHOAL_TRY(shoal_arena_make(scratch, (void**)&w->slot, (size_t)blocks, sizeof *w->slot));

    shoal_blocks(exec, blocks, 16, count_block, w);
    for (int b = 0; b < blocks; b++) w->slot[b] = out->first[b] > 0 ? slots++ : -1;
    int64_t vertices = add_up(out->first, blocks), triangles = add_up(w->triangle_count, blocks);
    if (vertices < 0 || triangles < 0)
        return shoal_fail(SHOAL_ERR_INPUT, "the surface has more than %d triangles; take a larger cell", INT_MAX / 3);
    out->vertex_count   = (int)vertices;
    out->triangle_count = (int)triangles;
    SHOAL_TRY(reserve(w, scratch, slots));
    shoal_blocks(exec, blocks, 16, vertex_block, w);
    shoal_blocks(exec, blocks, 16, triangle_block, w);
    return SHOAL_OK;
}

shoal_status shoal_contour_make(const shoal_sparse* field, int kind, const shoal_exec* exec, shoal_arena* scratch,
                                shoal_contour* out) {
    call_once(&table_once, make_table);
    shoal_arena own = {0}, *arena = scratch ? scratch : &own;
    size_t      mark  = arena->used;
    walk        w     = {.field       = field,
                         .out         = out,
                         .gap         = kind & SHOAL_CONTOUR_EXACT ? 0.0f : end_gap(field),
                         .has_normals = kind == 0,
                         .has_cubes   = !(kind & SHOAL_CONTOUR_PLAIN)};
    out->vertex_count = out->triangle_count = 0;
    shoal_status status                     = make(&w, arena, exec);
    shoal_arena_back(arena, mark);
    shoal_arena_free(&own);
    if (status != SHOAL_OK) shoal_contour_free(out);
    return status;
}

void shoal_contour_free(shoal_contour* contour) {
    shoal_free(contour->vertices);
    shoal_free(contour->normals);
    shoal_free(contour->triangles);
    shoal_free(contour->cubes);
    shoal_free(contour->first);
    *contour = (shoal_contour){0};
}

static void seal_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_sparse* field = ctx;
    for (int b = begin; b < end; b++)
        for (int n = 0; n < SHOAL_SPARSE_NEAR; n++) {
            if (field->near[(size_t)SHOAL_SPARSE_NEAR * (size_t)b + (size_t)n] >= 0) continue;
            int from[3], to[3], side[3] = {n % 3, n / 3 % 3, n / 9};
            for (int k = 0; k < 3; k++) {
                from[k] = side[k] == 2 ? EDGE - 1 : 0;
                to[k]   = side[k] == 0 ? 1 : EDGE;
            }
            float* v = field->values + (size_t)SAMPLES * (size_t)b;
            for (int z = from[2]; z < to[2]; z++)
                for (int y = from[1]; y < to[1]; y++)
                    for (int x = from[0]; x < to[0]; x++) {
                        float* value = &v[(z * EDGE + y) * EDGE + x];
                        if (!(*value > 0.0f)) *value = field->outside;
                    }
        }
}

void shoal_contour_seal(shoal_sparse* field, const shoal_exec* exec) {
    shoal_blocks(exec, field->block_count, 16, seal_block, field);
}
