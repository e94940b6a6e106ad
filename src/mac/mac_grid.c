// SPDX-License-Identifier: MIT
// Particles sorted by block and cell, and the blocks around them.
#include "mac/mac_blocks.h"

#include <limits.h>
#include <string.h>

enum { KEY_BLOCK = 4096, NEAR_BLOCK = 64, AXIS_BITS = 17, PARTS = 64, CELL_BITS = 9 };

// ---------------------------------------------------------------------------------- memory

enum { ARRAYS = 4 + 8 * 3 + 16 };

static void arrays_of(shoal_mac* m, shoal_mac_array a[ARRAYS]) {
    int n  = 0;
    a[n++] = SHOAL_MAC_ARRAY(m->corner, 1);
    a[n++] = SHOAL_MAC_ARRAY(m->near, 1);
    a[n++] = SHOAL_MAC_ARRAY(m->run, 1);
    a[n++] = SHOAL_MAC_ARRAY(m->full, 1);
    for (int axis = 0; axis < 3; axis++) {
        a[n++] = SHOAL_MAC_ARRAY(m->u[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(m->old[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(m->change[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(m->open[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(m->solid_u[axis], SHOAL_MAC_SAMPLES);
        a[n++] = SHOAL_MAC_ARRAY(m->known[axis], 8);
        a[n++] = SHOAL_MAC_ARRAY(m->saved[axis], 8);
        a[n++] = SHOAL_MAC_ARRAY(m->next[axis], 8);
    }
    a[n++] = SHOAL_MAC_ARRAY(m->marked, 8);
    a[n++] = SHOAL_MAC_ARRAY(m->liquid, 8);
    a[n++] = SHOAL_MAC_ARRAY(m->density, SHOAL_MAC_SAMPLES);
    a[n++] = SHOAL_MAC_ARRAY(m->wetness, SHOAL_MAC_SAMPLES);
    a[n++] = SHOAL_MAC_ARRAY(m->phi, SHOAL_MAC_SAMPLES);
    a[n++] = SHOAL_MAC_ARRAY(m->fraction, SHOAL_MAC_SAMPLES);
    a[n++] = SHOAL_MAC_ARRAY(m->pressure, SHOAL_MAC_SAMPLES);
    a[n++] = SHOAL_MAC_ARRAY(m->index, SHOAL_MAC_SAMPLES);
    a[n++] = SHOAL_MAC_ARRAY(m->has_solid, 1);
    a[n++] = SHOAL_MAC_ARRAY(m->moves, 1);
    a[n++] = SHOAL_MAC_ARRAY(m->retracts, 1);
    a[n++] = SHOAL_MAC_ARRAY(m->has_thin, 1);
    a[n++] = SHOAL_MAC_ARRAY(m->open_nodes, SHOAL_MAC_SAMPLES);
    a[n++] = SHOAL_MAC_ARRAY(m->part_nodes, SHOAL_MAC_SAMPLES);
    a[n++] = SHOAL_MAC_ARRAY(m->touched, 8);
    a[n++] = SHOAL_MAC_ARRAY(m->tile, SHOAL_MAC_TILE);
}

static void free_blocks(shoal_mac* m) {
    shoal_mac_array a[ARRAYS];
    arrays_of(m, a);
    shoal_mac_release(a, ARRAYS, &m->capacity);
    m->block_count = 0;
}

static shoal_status reserve_blocks(shoal_mac* m, int count) {
    shoal_mac_array a[ARRAYS];
    arrays_of(m, a);
    if (count > m->capacity) m->block_count = 0;
    return shoal_mac_reserve(a, ARRAYS, &m->capacity, count);
}

static void free_sort(uint64_t** keys, uint64_t** sorted, int** order, void** sort_scratch) {
    shoal_free(*keys);
    shoal_free(*sorted);
    shoal_free(*order);
    shoal_free(*sort_scratch);
    *keys = *sorted = NULL;
    *order          = NULL;
    *sort_scratch   = NULL;
}

static shoal_status reserve_sort(int* capacity, int count, uint64_t** keys, uint64_t** sorted, int** order,
                                 void** sort_scratch) {
    if (count <= *capacity) return SHOAL_OK;
    free_sort(keys, sorted, order, sort_scratch);
    *capacity     = 0;
    int    wanted = count + count / 4 + 64;
    size_t n      = (size_t)wanted;
    *keys         = shoal_alloc(n, sizeof **keys);
    *sorted       = shoal_alloc(n, sizeof **sorted);
    *order        = shoal_alloc(n, sizeof **order);
    *sort_scratch = shoal_alloc(1, shoal_sort_scratch(wanted));
    if (!*keys || !*sorted || !*order || !*sort_scratch) {
        free_sort(keys, sorted, order, sort_scratch);
        return SHOAL_ERR_MEMORY;
    }
    *capacity = wanted;
    return SHOAL_OK;
}

void shoal_mac_free(shoal_mac* m) {
    free_blocks(m);
    free_sort(&m->keys, &m->keys_sorted, &m->order, &m->sort_scratch);
    free_sort(&m->block_keys, &m->block_keys_sorted, &m->block_order, &m->block_sort_scratch);
    shoal_free(m->run_key);
    shoal_free(m->run_start);
    *m = (shoal_mac){0};
}

// ---------------------------------------------------------------------------------- where the grid lies

shoal_mac_def shoal_mac_def_for(const shoal_world* world, double dx) {
    shoal_mac_def  def      = {.dx = (float)dx};
    const shoal_d3 min      = world->domain.min;
    bool           is_given = world->domain.is_given;
    double         origin[3];
    for (int axis = 0; axis < 3; axis++) {
        double low = is_given ? shoal_d3_axis(min, axis) : 0.0, length = 0.0;
        if (is_given) length = shoal_d3_axis(world->domain.max, axis) - low;
        origin[axis]  = world->is_periodic[axis] ? low : low - dx;
        def.low[axis] = world->is_closed[2 * axis] ? 0 : INT_MIN;
        // farther out than particles can be numbered a wall limits nothing
        bool is_far    = length / dx > 0x1p24;
        def.high[axis] = world->is_closed[2 * axis + 1] && !is_far ? (int)ceil(length / dx - 1e-4) + 2 : INT_MAX;
        if (world->is_periodic[axis]) {
            def.period[axis] = (int)(length / dx + 0.5);
            def.low[axis]    = 0;
            def.high[axis]   = def.period[axis];
        }
    }
    def.origin = shoal_v3_make((float)origin[0], (float)origin[1], (float)origin[2]);
    return def;
}

// ---------------------------------------------------------------------------------- sorting

typedef struct key_job {
    const shoal_mac* mac;
    const shoal_v3*  position;
    uint64_t*        keys;
    int              part;
    float            low[PARTS][3], high[PARTS][3];
} key_job;

static void bound_part(void* ctx, int begin, int end, int worker) {
    (void)worker;
    key_job* k      = ctx;
    float    low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = begin; i < end; i++) {
        const float* x = &k->position[i].x;
        for (int axis = 0; axis < 3; axis++) {
            low[axis]  = x[axis] < low[axis] ? x[axis] : low[axis];
            high[axis] = x[axis] > high[axis] ? x[axis] : high[axis];
        }
    }
    memcpy(k->low[begin / k->part], low, sizeof low);
    memcpy(k->high[begin / k->part], high, sizeof high);
}

static int64_t block_of(float x, float origin, float inverse) { return (int64_t)floorf((x - origin) * inverse) >> 3; }

// The box of block coordinates around all particles, with a rim of two where it is not periodic.
static shoal_status number_blocks(shoal_mac* m, const key_job* k, int count) {
    const float* origin = &m->def.origin.x;
    for (int axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (int part = 0; part * k->part < count; part++) {
            low  = fminf(low, k->low[part][axis]);
            high = fmaxf(high, k->high[part][axis]);
        }
        if (count == 0) low = high = origin[axis];
        // beyond 2^22 cells floats no longer tell where in its cell a particle is
        const float most = 4194304.0f;
        if (!((low - origin[axis]) * m->inverse > -most) || !((high - origin[axis]) * m->inverse < most))
            return shoal_fail(SHOAL_ERR_DIVERGE,
                              "particles from %.3g to %.3g m along %c are too far out for cells of %.3g m", (double)low,
                              (double)high, "xyz"[axis], (double)m -> def.dx);
        int64_t from = block_of(low, origin[axis], m->inverse) - 2, to = block_of(high, origin[axis], m->inverse) + 3;
        if (to - from >= 1 << AXIS_BITS)
            return shoal_fail(SHOAL_ERR_DIVERGE,
                              "particles are spread over %.3g m along %c, too far for cells of %.3g m",
                              (double)(high - low), "xyz"[axis], (double)m -> def.dx);
        m->from[axis]   = m->def.period[axis] > 0 ? 0 : from;
        m->extent[axis] = m->def.period[axis] > 0 ? m->def.period[axis] / 8 : to - from;
    }
    return SHOAL_OK;
}

// floorf for what fits an int, without a call.
static inline int floor_of(float x) {
    int whole = (int)x;
    return whole - (x < (float)whole);
}

static uint64_t block_key(const shoal_mac* m, int64_t x, int64_t y, int64_t z) {
    return (uint64_t)(((z - m->from[2]) * m->extent[1] + (y - m->from[1])) * m->extent[0] + (x - m->from[0]));
}

static void key_particles(void* ctx, int begin, int end, int worker) {
    (void)worker;
    key_job*         k = ctx;
    const shoal_mac* m = k->mac;
    for (int i = begin; i < end; i++) {
        int cell[3], block[3], local = 0;
        for (int axis = 2; axis >= 0; axis--) {
            cell[axis] =
                floor_of((shoal_v3_axis(k->position[i], axis) - shoal_v3_axis(m->def.origin, axis)) * m->inverse);
            // a hair beyond the period by rounding is the last cell
            if (m->def.period[axis] > 0 && cell[axis] >= m->def.period[axis]) cell[axis] = m->def.period[axis] - 1;
            if (m->def.period[axis] > 0 && cell[axis] < 0) cell[axis] = 0;
            block[axis] = cell[axis] >> 3;
            local       = local << 3 | (cell[axis] & 7);
        }
        k->keys[i] = block_key(m, block[0], block[1], block[2]) << CELL_BITS | (uint64_t)local;
    }
}

static int bits_of(uint64_t count) { return count > 1 ? 64 - __builtin_clzll(count - 1) : 1; }

shoal_status shoal_mac_sort(shoal_mac* m, const shoal_exec* exec, const shoal_mac_def* def, const shoal_v3* position,
                            int count) {
    SHOAL_TRY(reserve_sort(&m->item_capacity, count, &m->keys, &m->keys_sorted, &m->order, &m->sort_scratch));
    m->def     = *def;
    m->inverse = 1.0f / def->dx;
    key_job k  = {.mac = m, .position = position, .keys = m->keys, .part = count / PARTS + 1};
    shoal_blocks(exec, count, k.part, bound_part, &k);
    SHOAL_TRY(number_blocks(m, &k, count));
    shoal_blocks(exec, count, KEY_BLOCK, key_particles, &k);
    int bits = bits_of((uint64_t)(m->extent[0] * m->extent[1] * m->extent[2])) + CELL_BITS;
    shoal_sort_keys(exec, m->keys, count, bits, m->order, m->keys_sorted, m->sort_scratch);

    m->full_count = 0;
    for (int i = 0; i < count; i++)
        m->full_count += i == 0 || m->keys_sorted[i] >> CELL_BITS != m->keys_sorted[i - 1] >> CELL_BITS;
    if (m->full_count >= m->run_capacity) {
        m->run_capacity = 0;
        shoal_free(m->run_key);
        shoal_free(m->run_start);
        size_t n     = (size_t)m->full_count + (size_t)m->full_count / 4 + 8;
        m->run_key   = shoal_alloc(n, sizeof *m->run_key);
        m->run_start = shoal_alloc(n, sizeof *m->run_start);
        if (!m->run_key || !m->run_start) return SHOAL_ERR_MEMORY;
        m->run_capacity = (int)n;
    }
    int runs = 0;
    for (int i = 0; i < count; i++) {
        uint64_t key = m->keys_sorted[i] >> CELL_BITS;
        if (i > 0 && key == m->run_key[runs - 1]) continue;
        m->run_key[runs]     = key;
        m->run_start[runs++] = i;
    }
    m->run_start[runs] = count;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- blocks

static void unkey(const shoal_mac* m, uint64_t key, int64_t block[3]) {
    block[0] = (int64_t)(key % (uint64_t)m->extent[0]) + m->from[0];
    key /= (uint64_t)m->extent[0];
    block[1] = (int64_t)(key % (uint64_t)m->extent[1]) + m->from[1];
    block[2] = (int64_t)(key / (uint64_t)m->extent[1]) + m->from[2];
}

// Wraps periodic coordinates; false where no block may be.
static bool settle(const shoal_mac* m, int64_t block[3]) {
    for (int axis = 0; axis < 3; axis++) {
        int64_t period = m->def.period[axis] / 8;
        if (period > 0) block[axis] = ((block[axis] % period) + period) % period;
        if (8 * block[axis] + 7 < m->def.low[axis] || 8 * block[axis] >= m->def.high[axis]) return false;
    }
    return true;
}

// Which of the 27 blocks around a run come within reach of its particles.
static void reach_of(const shoal_mac* m, int run, int reach, bool wanted[SHOAL_MAC_NEAR]) {
    int low[3] = {7, 7, 7}, high[3] = {0, 0, 0};
    for (int i = m->run_start[run]; i < m->run_start[run + 1]; i++)
        for (int axis = 0; axis < 3; axis++) {
            int c      = (int)(m->keys_sorted[i] >> (3 * axis) & 7);
            low[axis]  = c < low[axis] ? c : low[axis];
            high[axis] = c > high[axis] ? c : high[axis];
        }
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        wanted[n]  = true;
        for (int axis = 0; axis < 3; axis++)
            wanted[n] =
                wanted[n] && (way[axis] == 0 || (way[axis] < 0 ? low[axis] - reach < 0 : high[axis] + reach > 7));
    }
}

static int find_block(const shoal_mac* m, const uint64_t* keys, int64_t block[3]) {
    if (!settle(m, block)) return -1;
    for (int axis = 0; axis < 3; axis++)
        if (block[axis] < m->from[axis] || block[axis] >= m->from[axis] + m->extent[axis]) return -1;
    uint64_t key = block_key(m, block[0], block[1], block[2]);
    int      low = 0, high = m->block_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->block_count && keys[low] == key ? low : -1;
}

static void find_near(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_mac* m = ctx;
    for (int b = begin; b < end; b++)
        for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
            int64_t block[3] = {m->corner[b][0] / 8 + n % 3 - 1, m->corner[b][1] / 8 + n / 3 % 3 - 1,
                                m->corner[b][2] / 8 + n / 9 - 1};
            m->near[b][n]    = find_block(m, m->block_keys, block);
        }
}

shoal_status shoal_mac_build(shoal_mac* m, const shoal_exec* exec, int reach) {
    SHOAL_ASSERT(reach >= 1 && reach <= SHOAL_MAC_REACH);
    if (m->full_count > INT_MAX / SHOAL_MAC_NEAR / 8)
        return shoal_fail(SHOAL_ERR_MEMORY, "particles are spread over %d blocks of cells, too many", m->full_count);
    SHOAL_TRY(reserve_sort(&m->key_capacity, SHOAL_MAC_NEAR * m->full_count, &m->block_keys, &m->block_keys_sorted,
                           &m->block_order, &m->block_sort_scratch));
    int count = 0;
    for (int run = 0; run < m->full_count; run++) {
        bool    wanted[SHOAL_MAC_NEAR];
        int64_t here[3];
        reach_of(m, run, reach, wanted);
        unkey(m, m->run_key[run], here);
        for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
            int64_t block[3] = {here[0] + n % 3 - 1, here[1] + n / 3 % 3 - 1, here[2] + n / 9 - 1};
            if (n == SHOAL_MAC_HERE || (wanted[n] && settle(m, block)))
                m->block_keys[count++] = block_key(m, block[0], block[1], block[2]);
        }
    }
    int bits = bits_of((uint64_t)(m->extent[0] * m->extent[1] * m->extent[2]));
    shoal_sort_keys(exec, m->block_keys, count, bits, m->block_order, m->block_keys_sorted, m->block_sort_scratch);
    int blocks = 0;
    for (int k = 0; k < count; k++)
        if (k == 0 || m->block_keys_sorted[k] != m->block_keys_sorted[k - 1])
            m->block_keys[blocks++] = m->block_keys_sorted[k];
    if (blocks > INT_MAX / SHOAL_MAC_SAMPLES)
        return shoal_fail(SHOAL_ERR_MEMORY, "the grid would need %d blocks of cells, too many", blocks);
    SHOAL_TRY(reserve_blocks(m, blocks));
    m->block_count = blocks;
    for (int b = 0, run = 0; b < blocks; b++) {
        int64_t block[3];
        unkey(m, m->block_keys[b], block);
        for (int axis = 0; axis < 3; axis++) m->corner[b][axis] = (int)(8 * block[axis]);
        bool is_full   = run < m->full_count && m->run_key[run] == m->block_keys[b];
        m->run[b][0]   = is_full ? m->run_start[run] : 0;
        m->run[b][1]   = is_full ? m->run_start[run + 1] : 0;
        m->has_thin[b] = 0; // until solids are there
        if (is_full) m->full[run++] = b;
    }
    shoal_blocks(exec, blocks, NEAR_BLOCK, find_near, m);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- walks

typedef struct walk {
    shoal_mac*   mac;
    const int*   list;
    shoal_mac_fn fn;
    void*        ctx;
} walk;

static void walk_block(void* ctx, int begin, int end, int worker) {
    walk* w = ctx;
    for (int k = begin; k < end; k++) w->fn(w->ctx, w->mac, w->list ? w->list[k] : k, worker);
}

void shoal_mac_each(shoal_mac* m, const shoal_exec* exec, shoal_mac_fn fn, void* ctx) {
    walk w = {m, NULL, fn, ctx};
    shoal_blocks(exec, m->block_count, 4, walk_block, &w);
}

void shoal_mac_each_full(shoal_mac* m, const shoal_exec* exec, shoal_mac_fn fn, void* ctx) {
    walk w = {m, m->full, fn, ctx};
    shoal_blocks(exec, m->full_count, 1, walk_block, &w);
}

// ---------------------------------------------------------------------------------- sets of samples

void shoal_mac_shift(const shoal_mac* m, const uint64_t* set, int block, int axis, int way, uint64_t out[8]) {
    static const int      step[3] = {1, 3, 9};
    static const uint64_t none[8] = {0};
    const uint64_t        column  = 0x0101010101010101u;
    const uint64_t*       own     = set + 8 * block;
    int                   beside  = m->near[block][SHOAL_MAC_HERE + way * step[axis]];
    const uint64_t*       other   = beside < 0 ? none : set + 8 * beside;
    for (int z = 0; z < 8; z++)
        if (axis == 0 && way > 0)
            out[z] = (own[z] & ~column) >> 1 | (other[z] & column) << 7;
        else if (axis == 0)
            out[z] = (own[z] & ~(column << 7)) << 1 | (other[z] >> 7 & column);
        else if (axis == 1)
            out[z] = way > 0 ? own[z] >> 8 | other[z] << 56 : own[z] << 8 | other[z] >> 56;
        else if (way > 0)
            out[z] = z < 7 ? own[z + 1] : other[0];
        else
            out[z] = z > 0 ? own[z - 1] : other[7];
}

// ---------------------------------------------------------------------------------- tiles

void shoal_mac_rimmed(const shoal_mac* m, int block, const float* from, float out[SHOAL_MAC_RIMMED_CELLS]) {
    for (int z = -1; z <= 8; z++)
        for (int y = -1; y <= 8; y++) {
            int bz = z < 0 ? 0 : z > 7 ? 2 : 1, by = y < 0 ? 0 : y > 7 ? 2 : 1, row = shoal_mac_sample(0, y & 7, z & 7);
            const int* near = m->near[block] + (bz * 3 + by) * 3;
            float*     to   = out + ((z + 1) * SHOAL_MAC_RIMMED + y + 1) * SHOAL_MAC_RIMMED;
            to[0]           = near[0] >= 0 ? from[SHOAL_MAC_SAMPLES * near[0] + row + 7] : 0.0f;
            to[9]           = near[2] >= 0 ? from[SHOAL_MAC_SAMPLES * near[2] + row] : 0.0f;
            if (near[1] >= 0)
                memcpy(to + 1, from + SHOAL_MAC_SAMPLES * near[1] + row, 8 * sizeof *to);
            else
                memset(to + 1, 0, 8 * sizeof *to);
        }
}

static void rim_row(const float* first, const float* second, int at, int count, float* out) {
    for (int k = 0; k < count; k++) {
        out[2 * k]     = first[at + k];
        out[2 * k + 1] = second ? second[at + k] : 0.0f;
    }
}

void shoal_mac_rim(const shoal_mac* m, int block, const float* first, const float* second, float* pairs) {
    for (int z = -1; z <= 8; z++)
        for (int y = -1; y <= 8; y++) {
            int    bz = z < 0 ? 0 : z > 7 ? 2 : 1, by = y < 0 ? 0 : y > 7 ? 2 : 1;
            int    row = shoal_mac_sample(0, y & 7, z & 7);
            float* out = pairs + 2 * 10 * ((z + 1) * 10 + y + 1);
            for (int bx = 0; bx < 3; bx++) {
                static const int from[3] = {7, 0, 0}, count[3] = {1, 8, 1}, to[3] = {0, 1, 9};
                int              b = m->near[block][(bz * 3 + by) * 3 + bx];
                if (b >= 0)
                    rim_row(first, second, SHOAL_MAC_SAMPLES * b + row + from[bx], count[bx], out + 2 * to[bx]);
                else
                    memset(out + 2 * to[bx], 0, 2 * (size_t)count[bx] * sizeof(float));
            }
        }
}
