// SPDX-License-Identifier: MIT
// Takes a system in the caller's order, sorts and scales it. Conjugate gradients are in
// poisson_cg.c.
#include "grid/poisson_local.h"

#include <math.h>
#include <string.h>

enum { DOUBLE_ARRAYS = 7, COUNT_MOST = 1 << 28, COORDINATE_MOST = 1 << 30 };

shoal_poisson_def shoal_poisson_def_default(void) {
    shoal_poisson_def def = {SHOAL_POISSON_MULTIGRID, shoal_isa_best(), 1e-5, 0, 200};
    return def;
}

shoal_status shoal_poisson_create(shoal_poisson** out) {
    *out = shoal_alloc(1, sizeof **out);
    return *out ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shoal_poisson_destroy(shoal_poisson* p) {
    if (!p) return;
    for (int k = 0; k < POISSON_LEVELS; k++)
        poisson_level_free(&p->levels[k]);
    void* all[] = {p->order,  p->keys, p->keys_sorted, p->sort_room, p->run,
                   p->parent, p->size, p->mean,        p->doubles,   p->parts};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        shoal_free(all[k]);
    shoal_free(p);
}

double poisson_scale(double most) {
    if (!(most > 0)) return 1.0;
    int power = ilogb(most);
    return ldexp(1.0, power < -1000 ? 1000 : -power);
}

const poisson_loops* poisson_loops_for(shoal_isa_kind isa) {
    switch (isa) {
#define X(kind, suffix)                                                                            \
    case SHOAL_ISA_##kind:                                                                         \
        return &poisson_loops_##suffix;
        SHOAL_ISA_SETS(X)
#undef X
#if defined(__x86_64__)
    default:
        return &poisson_loops_sse2;
#else
    default:
        return &poisson_loops_generic;
#endif
    }
}

static shoal_status reserve(shoal_poisson* p, int count) {
    if (count > p->cell_room || !p->doubles) {
        size_t room = ((size_t)count + (size_t)count / 4 + SHOAL_LANES) / SHOAL_LANES * SHOAL_LANES;
        size_t step = POISSON_RIM + room + SHOAL_LANES;
        p->cell_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&p->order, 0, room, sizeof *p->order));
        SHOAL_TRY(shoal_realloc((void**)&p->keys, 0, room, sizeof *p->keys));
        SHOAL_TRY(shoal_realloc((void**)&p->keys_sorted, 0, room, sizeof *p->keys_sorted));
        SHOAL_TRY(shoal_realloc((void**)&p->sort_room, 0, shoal_sort_room((int)room), 1));
        SHOAL_TRY(shoal_realloc((void**)&p->run, 0, room, sizeof *p->run));
        SHOAL_TRY(shoal_realloc((void**)&p->doubles, 0, DOUBLE_ARRAYS * step, sizeof(double)));
        double** arrays[DOUBLE_ARRAYS] = {&p->solution, &p->residual, &p->search, &p->image,
                                          &p->rhs,      &p->mic,      &p->half};
        for (int a = 0; a < DOUBLE_ARRAYS; a++)
            *arrays[a] = p->doubles + (size_t)a * step + POISSON_RIM;
        p->cell_room = (int)room;
    }
    double* read_beyond[] = {p->solution, p->search, p->half};
    for (int a = 0; a < 3; a++)
        memset(read_beyond[a] + count, 0, SHOAL_LANES * sizeof(double));
    return SHOAL_OK;
}

// ---- sorting ----

// Coordinates are made unsigned by adding 2^31; a key holds z, y, x above the lowest corner in as
// many bits as they need.
typedef struct sorting {
    const shoal_poisson_system* system;
    shoal_poisson*              poisson;
    uint32_t                    low[3];
    int                         bits[3];
} sorting;

static uint32_t biased(int coordinate) { return (uint32_t)coordinate ^ 0x80000000u; }

static double coordinate_most(void* ctx, int begin, int end) {
    const int* c    = ((const shoal_poisson_system*)ctx)->cell[0];
    int64_t    most = 0;
    for (int64_t k = 3 * (int64_t)begin; k < 3 * (int64_t)end; k++) {
        int64_t size = c[k] < 0 ? -(int64_t)c[k] : c[k];
        if (size > most) most = size;
    }
    return (double)most;
}

static shoal_status box_find(sorting* s) {
    const shoal_poisson_system* system  = s->system;
    uint32_t                    high[3] = {0};
    for (int a = 0; a < 3; a++)
        s->low[a] = UINT32_MAX;
    for (int i = 0; i < system->count; i++)
        for (int a = 0; a < 3; a++) {
            uint32_t c = biased(system->cell[i][a]);
            if (c < s->low[a]) s->low[a] = c;
            if (c > high[a]) high[a] = c;
        }
    int all = 0;
    for (int a = 0; a < 3; a++) {
        s->bits[a] = high[a] > s->low[a] ? 32 - __builtin_clz(high[a] - s->low[a]) : 0;
        all += s->bits[a];
    }
    if (all > 63)
        return shoal_fail(SHOAL_ERR_DIVERGE,
                          "pressure: the cells are so far apart that they cannot be numbered (2^%d "
                          "x 2^%d x 2^%d)",
                          s->bits[0], s->bits[1], s->bits[2]);
    return SHOAL_OK;
}

static void make_keys(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const sorting* s = ctx;
    for (int i = begin; i < end; i++) {
        const int* c = s->system->cell[i];
        uint64_t   x = biased(c[0]) - s->low[0], y = biased(c[1]) - s->low[1],
                 z          = biased(c[2]) - s->low[2];
        s->poisson->keys[i] = (z << s->bits[1] | y) << s->bits[0] | x;
    }
}

static shoal_status rows_find(const sorting* s) {
    poisson_level*  l    = &s->poisson->levels[0];
    const uint64_t* keys = s->poisson->keys_sorted;
    int             n = s->system->count, rows = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && keys[i] == keys[i - 1]) {
            const int* c = s->system->cell[s->poisson->order[i]];
            return shoal_fail(SHOAL_ERR_INPUT, "pressure: cell (%d, %d, %d) is given twice", c[0],
                              c[1], c[2]);
        }
        rows += i == 0 || keys[i] >> s->bits[0] != keys[i - 1] >> s->bits[0];
    }
    SHOAL_TRY(poisson_grow((void**)&l->rows, &l->row_room, rows + 1, sizeof *l->rows));
    l->row_count = 0;
    for (int i = 0; i < n; i++) {
        uint64_t row = keys[i] >> s->bits[0];
        l->x[i]      = (uint32_t)(keys[i] - (row << s->bits[0])) + s->low[0];
        if (i > 0 && row == keys[i - 1] >> s->bits[0]) continue;
        uint64_t z = row >> s->bits[1], y = row - (z << s->bits[1]);
        l->rows[l->row_count++] = (poisson_row){(z + s->low[2]) << 32 | (y + s->low[1]), i};
    }
    l->rows[l->row_count] = (poisson_row){UINT64_MAX, n};
    return SHOAL_OK;
}

// ---- the matrix ----

// Largest of the values; INFINITY when one is not finite.
typedef struct worth {
    const float* values[4];
} worth;

static double largest(void* ctx, int begin, int end) {
    const worth* w         = ctx;
    float        most      = 0;
    bool         is_finite = true;
    for (int a = 0; a < 4; a++)
        for (int i = begin; i < end; i++) {
            is_finite = is_finite && w->values[a][i] - w->values[a][i] == 0.0f;
            most      = w->values[a][i] > most ? w->values[a][i] : most;
        }
    return is_finite ? (double)most : (double)INFINITY;
}

static double most_negative(void* ctx, int begin, int end) {
    const worth* w     = ctx;
    float        least = 0;
    for (int a = 0; a < 4; a++)
        for (int i = begin; i < end; i++)
            least = w->values[a][i] < least ? w->values[a][i] : least;
    return -(double)least;
}

static void take_weights(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const sorting*              s     = ctx;
    const shoal_poisson_system* from  = s->system;
    poisson_level*              l     = &s->poisson->levels[0];
    double                      scale = s->poisson->scale;
    for (int k = begin; k < end; k++) {
        int i        = s->poisson->order[k];
        l->plus_x[k] = (float)(scale * (double)from->plus_x[i]);
        l->plus_y[k] = (float)(scale * (double)from->plus_y[i]);
        l->plus_z[k] = (float)(scale * (double)from->plus_z[i]);
        l->anchor[k] = (float)(scale * (double)from->anchor[i]);
    }
}

static shoal_status check(const shoal_exec* exec, const shoal_poisson_system* system,
                          double* most) {
    if (system->count < 0 || system->count > COUNT_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "pressure: %d cells; 0 to %d can be solved for",
                          system->count, COUNT_MOST);
    if (shoal_max(exec, system->count, coordinate_most, (void*)(uintptr_t)system) >=
        COORDINATE_MOST)
        return shoal_fail(SHOAL_ERR_DIVERGE, "pressure: a cell has a coordinate beyond +-2^30");
    worth w = {
        {system->plus_x, system->plus_y, system->plus_z, system->anchor}
    };
    *most = shoal_max(exec, system->count, largest, &w);
    if (isinf(*most) && system->count > 0)
        return shoal_fail(SHOAL_ERR_DIVERGE, "pressure: a weight is not finite");
    if (shoal_max(exec, system->count, most_negative, &w) > 0)
        return shoal_fail(SHOAL_ERR_INPUT, "pressure: a weight is negative");
    return SHOAL_OK;
}

shoal_status shoal_poisson_set(shoal_poisson* p, const shoal_exec* exec,
                               const shoal_poisson_def* def, const shoal_poisson_system* system) {
    double most    = 0;
    int    n       = system->count;
    p->level_count = 0;
    SHOAL_TRY(check(exec, system, &most));
    SHOAL_TRY(reserve(p, n));
    poisson_level* l = &p->levels[0];
    SHOAL_TRY(poisson_level_reserve(l, n));
    sorting s = {.system = system, .poisson = p};
    if (n > 0) SHOAL_TRY(box_find(&s));
    shoal_blocks(exec, n, POISSON_BLOCK, make_keys, &s);
    shoal_sort_keys(exec, p->keys, n, s.bits[0] + s.bits[1] + s.bits[2], p->order, p->keys_sorted,
                    p->sort_room);
    SHOAL_TRY(rows_find(&s));

    p->scale = n > 0 ? poisson_scale(most) : 1.0;
    shoal_blocks(exec, n, POISSON_BLOCK, take_weights, &s);
    SHOAL_TRY(poisson_pieces_find(l, exec));
    int astray = poisson_weight_astray(l);
    if (astray >= 0) {
        const int* c = system->cell[p->order[astray]];
        return shoal_fail(
            SHOAL_ERR_INPUT,
            "pressure: cell (%d, %d, %d) has a weight towards a neighbour that is not there", c[0],
            c[1], c[2]);
    }
    SHOAL_TRY(poisson_closed_find(p));
    int parts = l->task_count > n / POISSON_BLOCK + 1 ? l->task_count : n / POISSON_BLOCK + 1;
    SHOAL_TRY(
        poisson_grow((void**)&p->parts, &p->part_room, parts, POISSON_SUMS * sizeof *p->parts));
    p->method      = def->method;
    p->level_count = 1;
    if (def->method == SHOAL_POISSON_MIC) {
        mic_build(p);
        return SHOAL_OK;
    }
    return multigrid_build(p, exec, poisson_loops_for(def->isa));
}
