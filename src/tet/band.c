// SPDX-License-Identifier: MIT
// A band asked for distances, carried, and measured.
#include "tet/band_local.h"

#include <math.h>

void shoal_band_free(shoal_band* band) {
    shoal_sparse_free(&band->grid);
    shoal_contour_free(&band->surface);
    shoal_free(band->known);
    shoal_free(band->inside);
    *band = (shoal_band){.arena = band->arena};
}

void shoal_band_frame(shoal_band* band, const shoal_octree* tree) {
    shoal_sparse* grid = &band->grid;
    double        edge;
    grid->cell   = 0.5 * tree->step;
    edge         = BAND_EDGE * grid->cell; // a rim of one block, since the outermost ones must stay empty
    grid->origin = shoal_d3_sub(tree->origin, shoal_d3_make(edge, edge, edge));
    grid->nx = grid->ny = grid->nz = ((1 << (tree->levels + 1)) + BAND_EDGE) / BAND_EDGE + 2;
    band->far                      = (SHOAL_BAND_RINGS + 1) * grid->cell;
    grid->outside                  = (float)band->far;
}

shoal_status band_bits(shoal_band* band) {
    int          blocks = band->grid.block_count;
    const size_t size   = BAND_EDGE * sizeof(uint64_t);
    SHOAL_TRY(shoal_reserve((void**)&band->known, &band->known_capacity, blocks, size));
    SHOAL_TRY(shoal_reserve((void**)&band->inside, &band->inside_capacity, blocks, size));
    for (int w = 0; w < BAND_EDGE * blocks; w++) band->known[w] = band->inside[w] = 0;
    return SHOAL_OK;
}

shoal_d3 band_place(const shoal_sparse* grid, int node) {
    shoal_d3 corner = shoal_sparse_corner(grid, node / BAND_NODES);
    int      s      = node % BAND_NODES;
    return shoal_d3_add(corner, shoal_d3_scale(shoal_d3_make(s % 8, s / 8 % 8, s / 64), grid->cell));
}

// --- distances

static double sign_of(const shoal_band* band, int node) {
    return band->inside[node >> 6] >> (node & 63) & 1 ? -1.0 : 1.0;
}

// Beyond the blocks only a sign is known: that of the next block of the row in x, at whose side the surface is not, or
// outside where there is none.
static double sign_beyond(const shoal_band* band, const int64_t node[3]) {
    const shoal_sparse* grid = &band->grid;
    int64_t             b[3] = {node[0] >> 3, node[1] >> 3, node[2] >> 3};
    if (b[0] < 0 || b[1] < 0 || b[2] < 0 || b[0] >= grid->nx || b[1] >= grid->ny || b[2] >= grid->nz) return 1.0;
    uint64_t row = (uint64_t)((b[2] * grid->ny + b[1]) * grid->nx), key = row + (uint64_t)b[0];
    int      low = 0, high = grid->block_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (grid->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == grid->block_count || grid->keys[low] >= row + (uint64_t)grid->nx) return 1.0;
    return sign_of(band, BAND_NODES * low + 64 * (int)(node[2] & 7) + 8 * (int)(node[1] & 7));
}

// A place so near to a node is on it, in cells: far more than rounding, far less than anything that is seen.
#define ON_NODE 1e-9

static int clamped(int x) { return x < 0 ? 0 : x > 7 ? 7 : x; }

// The value of a node of a block or beside it; a missing block has that of the node next to it.
static double node_value(const shoal_band* band, int block, int x, int y, int z) {
    int n = band_node(&band->grid, block, x, y, z);
    if (n < 0) n = band_node(&band->grid, block, clamped(x), clamped(y), clamped(z));
    return (double)band->grid.values[n];
}

// Trilinear between the eight nodes of a cell.
static double linear(const shoal_band* band, int block, const int at[3], const double t[3]) {
    double sum = 0.0, value[8];
    if (at[0] < 7 && at[1] < 7 && at[2] < 7) { // most cells are in one block
        const float* v = band->grid.values + (size_t)BAND_NODES * (size_t)block + 64 * at[2] + 8 * at[1] + at[0];
        for (int k = 0; k < 8; k++) value[k] = (double)v[64 * (k >> 2) + 8 * (k >> 1 & 1) + (k & 1)];
    } else {
        for (int k = 0; k < 8; k++)
            value[k] = node_value(band, block, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2));
    }
    for (int k = 0; k < 8; k++) {
        int x = k & 1, y = k >> 1 & 1, z = k >> 2;
        sum += (x ? t[0] : 1.0 - t[0]) * (y ? t[1] : 1.0 - t[1]) * (z ? t[2] : 1.0 - t[2]) * value[k];
    }
    return sum;
}

// Catmull-Rom
static void cubic_weights(double t, double w[4]) {
    double t2 = t * t, t3 = t2 * t;
    w[0] = 0.5 * (-t + 2.0 * t2 - t3);
    w[1] = 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3);
    w[2] = 0.5 * (t + 4.0 * t2 - 3.0 * t3);
    w[3] = 0.5 * (t3 - t2);
}

// Cubic along one axis after the other, but not beyond the eight nodes of the cell. False where not all of the 4 x 4 x
// 4 nodes around have a distance.
static bool cubic(const shoal_band* band, int block, const int at[3], const double t[3], double* out) {
    double w[3][4], sum = 0.0, low = (double)INFINITY, high = -low;
    for (int a = 0; a < 3; a++) cubic_weights(t[a], w[a]);
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 4; y++) {
            double line = 0.0;
            for (int x = 0; x < 4; x++) {
                int n = band_node(&band->grid, block, at[0] + x - 1, at[1] + y - 1, at[2] + z - 1);
                if (n < 0 || !(band->known[n >> 6] >> (n & 63) & 1)) return false;
                double value = (double)band->grid.values[n];
                line += w[0][x] * value;
                bool is_near = (x == 1 || x == 2) && (y == 1 || y == 2) && (z == 1 || z == 2);
                if (is_near) low = fmin(low, value), high = fmax(high, value);
            }
            sum += w[2][z] * w[1][y] * line;
        }
    *out = fmax(low, fmin(high, sum));
    return true;
}

// The cell that a place is in, as a node and fractions of a cell beyond it; whether it is on that node.
typedef struct spot {
    int64_t node[3];
    int     within[3];
    double  t[3];
    bool    is_node;
} spot;

// As floor, of what an integer holds.
static int64_t floor_of(double x) {
    int64_t whole = (int64_t)x;
    return whole - (x < (double)whole);
}
static inline spot spot_of(const shoal_sparse* grid, shoal_d3 at) {
    spot   s        = {.is_node = true};
    double per_cell = 1.0 / grid->cell;
    for (int a = 0; a < 3; a++) {
        double x = (shoal_d3_axis(at, a) - shoal_d3_axis(grid->origin, a)) * per_cell;
        x        = x > -1e9 && x < 1e9 ? x : -1.0;
        // a place on a node, as most are that a mesher asks for, has the node's own value
        int64_t below = floor_of(x);
        double  t     = x - (double)below;
        bool    is_up = 1.0 - t < ON_NODE, is_on = is_up || t < ON_NODE;
        s.node[a]   = below + is_up;
        s.t[a]      = is_on ? 0.0 : t;
        s.within[a] = (int)(s.node[a] & 7);
        s.is_node &= is_on;
    }
    return s;
}
static int block_of(const shoal_sparse* grid, const spot* s) {
    return shoal_sparse_find(grid, s->node[0] >> 3, s->node[1] >> 3, s->node[2] >> 3);
}

double shoal_band_distance(const shoal_band* band, shoal_d3 at) {
    double value;
    spot   s     = spot_of(&band->grid, at);
    int    block = block_of(&band->grid, &s);
    if (block < 0) return sign_beyond(band, s.node) * band->far;
    if (s.is_node) return node_value(band, block, s.within[0], s.within[1], s.within[2]);
    return cubic(band, block, s.within, s.t, &value) ? value // linear where the band is too thin for more
                                                     : linear(band, block, s.within, s.t);
}

bool shoal_band_gradient(const shoal_band* band, shoal_d3 at, shoal_d3* gradient) {
    const shoal_sparse* grid  = &band->grid;
    spot                s     = spot_of(grid, at);
    int                 block = block_of(grid, &s);
    *gradient                 = shoal_d3_make(0.0, 0.0, 0.0);
    if (block < 0) return false;
    bool is_own = s.within[0] < 7 && s.within[1] < 7 && s.within[2] < 7; // as most cells, in one block
    int  own    = BAND_NODES * block + 64 * s.within[2] + 8 * s.within[1] + s.within[0];
    for (int k = 0; k < 8; k++) {
        int    x = k & 1, y = k >> 1 & 1, z = k >> 2;
        int    n  = is_own ? own + 64 * z + 8 * y + x
                           : band_node(grid, block, s.within[0] + x, s.within[1] + y, s.within[2] + z);
        double wx = x ? s.t[0] : 1.0 - s.t[0], wy = y ? s.t[1] : 1.0 - s.t[1], wz = z ? s.t[2] : 1.0 - s.t[2];
        if (n < 0 || !(band->known[n >> 6] >> (n & 63) & 1)) return false;
        double value = (double)grid->values[n] / grid->cell;
        gradient->x += (x ? wy : -wy) * wz * value;
        gradient->y += (y ? wx : -wx) * wz * value;
        gradient->z += (z ? wx : -wx) * wy * value;
    }
    return true;
}

// --- a surface that moves

enum { MOVED = 256 }; // points at a time

typedef struct move_job {
    const shoal_band* from;
    shoal_move_fn     move;
    void*             ctx;
    shoal_d3*         to;
} move_job;

static void move_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    move_job* job       = ctx;
    shoal_d3  at[MOVED] = {{0.0, 0.0, 0.0}};
    for (int i = begin; i < end; i++) at[i - begin] = shoal_d3_from(job->from->surface.vertices[i]);
    job->move(job->ctx, at, end - begin, job->to + begin);
}

shoal_status shoal_band_follow(shoal_band* from, shoal_field_fn field, shoal_move_fn move, void* ctx,
                               const shoal_d3* seeds, int seed_count, const shoal_exec* exec, shoal_band* to) {
    shoal_arena own = {0}, *before = to->arena;
    int         count = from->surface.vertex_count;
    if (!before) to->arena = &own;
    size_t       mark   = to->arena->used;
    shoal_d3*    all    = shoal_arena_take(to->arena, (size_t)(count + seed_count), sizeof *all);
    shoal_status status = all ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (all) {
        move_job job = {from, move, ctx, all};
        shoal_blocks(exec, count, MOVED, move_block, &job);
        for (int i = 0; i < seed_count; i++) all[count + i] = seeds[i];
        shoal_contour_free(&to->surface);
        to->surface       = from->surface;
        from->surface     = (shoal_contour){0};
        from->has_surface = false;
        status            = shoal_band_make(to, field, ctx, all, count + seed_count, exec);
    }
    shoal_arena_back(to->arena, mark);
    to->arena = before;
    shoal_arena_free(&own);
    return status;
}

// --- a state that comes back

shoal_status shoal_band_contour(shoal_band* band, const shoal_exec* exec) {
    band->has_surface = false;
    SHOAL_TRY(shoal_contour_make(&band->grid, SHOAL_CONTOUR_EXACT, exec, band->arena, &band->surface));
    band->has_surface = true;
    return SHOAL_OK;
}

// Each node has the side that its distance says, and only those of the band have one.
static bool are_sides_right(const shoal_band* band) {
    for (size_t w = 0; w < (size_t)BAND_EDGE * (size_t)band->grid.block_count; w++)
        for (int bit = 0; bit < 64; bit++) {
            float value     = band->grid.values[64 * w + (size_t)bit];
            bool  is_inside = band->inside[w] >> bit & 1, is_known = band->known[w] >> bit & 1;
            if (is_inside != (value < 0.0f) || (!is_known && fabsf(value) != (float)band->far)) return false;
        }
    return true;
}

static bool are_keys_right(const shoal_sparse* grid, int count, const uint64_t* keys) {
    uint64_t nx = (uint64_t)grid->nx;
    for (int b = 0; b < count; b++) {
        uint64_t at[3] = {keys[b] % nx, keys[b] / nx % nx, keys[b] / nx / nx};
        if (b > 0 && keys[b] <= keys[b - 1]) return false;
        for (int a = 0; a < 3; a++)
            if (at[a] < 1 || at[a] >= nx - 1) return false;
    }
    return true;
}

shoal_status shoal_band_restore(shoal_band* band, int block_count, const uint64_t* keys, const float* values,
                                const uint64_t* known, const uint64_t* inside, const shoal_exec* exec) {
    size_t    blocks = (size_t)block_count, words = BAND_EDGE * blocks;
    uint64_t* own = NULL;
    if (!are_keys_right(&band->grid, block_count, keys))
        return shoal_fail(SHOAL_ERR_INPUT, "blocks of the surface are out of order");
    own = shoal_alloc(blocks + 1, sizeof *own);
    if (!own) return SHOAL_ERR_MEMORY;
    for (size_t b = 0; b < blocks; b++) own[b] = keys[b];
    shoal_status status = shoal_sparse_make(&band->grid, exec, own, block_count, NULL);
    shoal_free(own);
    SHOAL_TRY(status);
    SHOAL_TRY(band_bits(band));
    for (size_t i = 0; i < BAND_NODES * blocks; i++) band->grid.values[i] = values[i];
    for (size_t w = 0; w < words; w++) band->known[w] = known[w], band->inside[w] = inside[w];
    if (!are_sides_right(band)) return shoal_fail(SHOAL_ERR_INPUT, "sides of the surface are out of order");
    return shoal_band_contour(band, exec);
}
