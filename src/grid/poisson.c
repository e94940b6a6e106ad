// SPDX-License-Identifier: MIT
// A system is checked, sorted, and made ready to be solved. Conjugate gradients are in
// poisson_cg.c.
#include "grid/poisson_local.h"

#include <math.h>
#include <string.h>

enum { DOUBLE_ARRAYS = 5, COUNT_MOST = 1 << 28 };

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
    for (int k = 0; k < POISSON_LEVELS; k++) poisson_level_free(&p->levels[k]);
    poisson_sorting_free(p->sorting);
    void* all[] = {p->order, p->run, p->parent, p->size, p->mean, p->doubles, p->mic_doubles, p->parts};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_free(all[k]);
    shoal_free(p);
}

double poisson_scale(double most) {
    if (!(most > 0)) return 1.0;
    int power = ilogb(most);
    return ldexp(1.0, power < -1000 ? 1000 : -power);
}

shoal_status poisson_grow(void** memory, int* capacity, int count, size_t size) {
    if (count <= *capacity) return SHOAL_OK;
    size_t more = (size_t)count + (size_t)count / 4 + 64;
    *capacity   = 0;
    SHOAL_TRY(shoal_realloc(memory, 0, more, size));
    *capacity = (int)(more < INT32_MAX ? more : INT32_MAX);
    return SHOAL_OK;
}

const poisson_loops* poisson_loops_for(shoal_isa_kind isa) {
    static const shoal_by_isa loops = {{SHOAL_WIDE_ROWS(poisson_loops)}};
    return shoal_isa_choose(&loops, isa);
}

// Arrays of doubles with a rim, as the floats of a level.
static shoal_status doubles_reserve(double** memory, size_t capacity, double** const* arrays, int count) {
    size_t step = POISSON_RIM + capacity + SHOAL_LANES;
    SHOAL_TRY(shoal_realloc((void**)memory, 0, (size_t)count * step, sizeof(double)));
    for (int a = 0; a < count; a++) *arrays[a] = *memory + (size_t)a * step + POISSON_RIM;
    return SHOAL_OK;
}

static shoal_status reserve(shoal_poisson* p, int count, shoal_poisson_method method) {
    size_t capacity = ((size_t)count + (size_t)count / 4 + SHOAL_LANES) / SHOAL_LANES * SHOAL_LANES;
    if (count > p->cell_capacity || !p->doubles) {
        double** const arrays[DOUBLE_ARRAYS] = {&p->solution, &p->residual, &p->search, &p->image, &p->rhs};
        p->cell_capacity                     = 0;
        SHOAL_TRY(shoal_realloc((void**)&p->order, 0, capacity, sizeof *p->order));
        SHOAL_TRY(shoal_realloc((void**)&p->run, 0, capacity, sizeof *p->run));
        SHOAL_TRY(doubles_reserve(&p->doubles, capacity, arrays, DOUBLE_ARRAYS));
        p->cell_capacity = (int)capacity;
    }
    memset(p->solution + count, 0, SHOAL_LANES * sizeof *p->solution);
    memset(p->search + count, 0, SHOAL_LANES * sizeof *p->search);
    if (method != SHOAL_POISSON_MIC) return SHOAL_OK;
    if (count > p->mic_capacity || !p->mic_doubles) {
        double** const arrays[2] = {&p->mic, &p->half};
        p->mic_capacity          = 0;
        SHOAL_TRY(doubles_reserve(&p->mic_doubles, capacity, arrays, 2));
        p->mic_capacity = (int)capacity;
    }
    memset(p->half + count, 0, SHOAL_LANES * sizeof *p->half);
    return SHOAL_OK;
}

// The bits of floats that are neither negative nor infinite nor NaN are in the order of their
// values, and below all others'.
enum { BITS_INFINITE = 0x7f800000 };
static const uint32_t BITS_NEGATIVE = 0x80000000u;

static double largest_bits(void* ctx, int begin, int end) {
    const shoal_poisson_system* s         = ctx;
    const float* const          values[4] = {s->plus_x, s->plus_y, s->plus_z, s->anchor};
    uint32_t                    most      = 0;
    for (int a = 0; a < 4; a++)
        for (int i = begin; i < end; i++) {
            float    value = values[a][i] + 0.0f; // -0 becomes 0
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            most = bits > most ? bits : most;
        }
    return most;
}

static shoal_status check(const shoal_exec* exec, const shoal_poisson_system* system, double* most) {
    *most = 0;
    if (system->count < 0 || system->count > COUNT_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "pressure: %d cells; 0 to %d can be solved for", system->count, COUNT_MOST);
    if (system->count == 0) return SHOAL_OK;
    uint32_t bits = (uint32_t)shoal_max(exec, system->count, largest_bits, (void*)(uintptr_t)system);
    float    value;
    memcpy(&value, &bits, sizeof value);
    if ((bits & ~BITS_NEGATIVE) >= BITS_INFINITE)
        return shoal_fail(SHOAL_ERR_DIVERGE, "pressure: a weight is not finite");
    if (bits > BITS_NEGATIVE) return shoal_fail(SHOAL_ERR_INPUT, "pressure: a weight is negative (%g)", (double)value);
    *most = (double)value;
    return SHOAL_OK;
}

static shoal_status prepare(shoal_poisson* p, const shoal_exec* exec, const shoal_poisson_def* def,
                            const shoal_poisson_system* system) {
    poisson_level* l    = &p->levels[0];
    double         most = 0;
    int            n    = system->count;
    SHOAL_TRY(check(exec, system, &most));
    SHOAL_TRY(reserve(p, n, def->method));
    SHOAL_TRY(poisson_level_reserve(l, n));
    p->scale = poisson_scale(most);
    SHOAL_TRY(poisson_sort(p, exec, system));
    poisson_wrap_find(l);
    SHOAL_TRY(poisson_pieces_find(l, exec));
    int astray = poisson_weight_astray(l, exec);
    if (astray >= 0) {
        const int* c = system->cell[p->order[astray]];
        return shoal_fail(SHOAL_ERR_INPUT,
                          "pressure: cell (%d, %d, %d) has a weight towards a neighbour that is not there", c[0], c[1],
                          c[2]);
    }
    SHOAL_TRY(poisson_closed_find(p));
    int parts = l->task_count > n / POISSON_BLOCK + 1 ? l->task_count : n / POISSON_BLOCK + 1;
    return poisson_grow((void**)&p->parts, &p->part_capacity, parts, POISSON_SUMS * sizeof *p->parts);
}

shoal_status shoal_poisson_set(shoal_poisson* p, const shoal_exec* exec, const shoal_poisson_def* def,
                               const shoal_poisson_system* system) {
    p->level_count = 0;
    p->method      = def->method;
    SHOAL_TRY(prepare(p, exec, def, system));
    if (def->method == SHOAL_POISSON_MULTIGRID) return multigrid_build(p, exec, poisson_loops_for(def->isa));
    mic_build(p);
    p->level_count = 1;
    return SHOAL_OK;
}
