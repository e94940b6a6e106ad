// SPDX-License-Identifier: MIT
// What happens on faces that water and sand share.
#include "granular/granular_mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mac/mac_blocks.h"
#include "mac/mac_extend.h"
#include "mac/mac_project.h"
#include "math/drag.h"

// Sand at rest is as dense as it can be; the count of particles around a cell is not so exact. From this much on it is
// at rest.
static const float at_rest        = 0.9f;
static const float grains_most    = 0.95f; // where particles crowd
static const float least_mobility = 1e-4f; // bounds the condition of the sand's pressure system

const shoal_field_def shoal_granular_contact_fields[] = {
    SHOAL_MAC_STORED_FIELDS(3, "m/s^2", "what contact does to the sand, by axis")};

// ---------------------------------------------------------------------------------- memory

enum { LIQUID_ARRAYS = 3 + 7 * 3, SAND_ARRAYS = 1 + 4 * 3 };

static void liquid_arrays(shoal_granular_mixture* x, shoal_mac_array out[LIQUID_ARRAYS]) {
    int n    = 0;
    out[n++] = SHOAL_MAC_ARRAY(x->to_sand, 1);
    out[n++] = SHOAL_MAC_ARRAY(x->is_mixed, 1);
    out[n++] = SHOAL_MAC_ARRAY(x->grains, SHOAL_MAC_SAMPLES);
    for (int axis = 0; axis < 3; axis++) {
        out[n++] = SHOAL_MAC_ARRAY(x->water[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->wet[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->slip[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->pores[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->drag[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->mobility[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->star[axis], SHOAL_MAC_SAMPLES);
    }
}

static void sand_arrays(shoal_granular_mixture* x, shoal_mac_array out[SAND_ARRAYS]) {
    int n    = 0;
    out[n++] = SHOAL_MAC_ARRAY(x->to_liquid, 1);
    for (int axis = 0; axis < 3; axis++) {
        out[n++] = SHOAL_MAC_ARRAY(x->weight[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->sand_mobility[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->free[axis], SHOAL_MAC_SAMPLES);
        out[n++] = SHOAL_MAC_ARRAY(x->star_sand[axis], SHOAL_MAC_SAMPLES);
    }
}

void shoal_granular_mixture_free(shoal_granular_mixture* x) {
    shoal_mac_array of_liquid[LIQUID_ARRAYS], of_sand[SAND_ARRAYS];
    liquid_arrays(x, of_liquid);
    sand_arrays(x, of_sand);
    shoal_mac_release(of_liquid, LIQUID_ARRAYS, &x->liquid_capacity);
    shoal_mac_release(of_sand, SAND_ARRAYS, &x->sand_capacity);
    *x = (shoal_granular_mixture){0};
}

// ---------------------------------------------------------------------------------- which cells have which

shoal_status shoal_granular_mixture_pair(shoal_granular_mixture* x, const shoal_mac* liquid, const shoal_mac* sand) {
    shoal_mac_array of_liquid[LIQUID_ARRAYS], of_sand[SAND_ARRAYS];
    liquid_arrays(x, of_liquid);
    sand_arrays(x, of_sand);
    SHOAL_TRY(shoal_mac_reserve(of_liquid, LIQUID_ARRAYS, &x->liquid_capacity, liquid->block_count));
    SHOAL_TRY(shoal_mac_reserve(of_sand, SAND_ARRAYS, &x->sand_capacity, sand->block_count));
    for (int b = 0; b < sand->block_count; b++) x->to_liquid[b] = -1;
    for (int b = 0, other = 0; b < liquid->block_count; b++) {
        while (other < sand->block_count && shoal_mac_order(sand->corner[other], liquid->corner[b]) < 0) other++;
        bool is_there = other < sand->block_count && shoal_mac_order(sand->corner[other], liquid->corner[b]) == 0;
        x->to_sand[b] = is_there ? other : -1;
        if (is_there) x->to_liquid[other] = b;
    }
    for (int b = 0; b < liquid->block_count; b++) {
        x->is_mixed[b] = 0;
        for (int n = 0; n < SHOAL_MAC_NEAR; n++)
            x->is_mixed[b] |= liquid->near[b][n] >= 0 && x->to_sand[liquid->near[b][n]] >= 0;
    }
    return SHOAL_OK;
}

// The same sample on the other grid; -1: there is none.
static inline int over(const int* to, int at) {
    return at < 0 || to[at >> 9] < 0 ? -1 : (to[at >> 9] << 9) + (at & 511);
}

typedef struct mix_job {
    shoal_granular_mixture*           x;
    const shoal_granular_mixture_job* how;
    shoal_mac*                        sand;
    const shoal_mac*                  liquid;
} mix_job;

// ---------------------------------------------------------------------------------- pores

static void grains_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job* c = ctx;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        int   there      = over(c->x->to_sand, at);
        float full       = there < 0 ? 0.0f : fminf(c->sand->density[there] / at_rest, 1.0f);
        c->x->grains[at] = full * c->how->packing;
        m->density[at] /= fmaxf(1.0f - c->x->grains[at], 0.05f);
    }
}

// In the pores of a cell there are few particles, too few to tell a gap from chance: means over 27 cells, where they
// are of sand.
static void mean_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job*          c   = ctx;
    shoal_granular_mixture* x   = c->x;
    const float             bit = 0.25f * c->how->packing;
    if (!x->is_mixed[block]) return;
    float density[SHOAL_MAC_PAIRS], fraction[SHOAL_MAC_PAIRS];
    shoal_mac_rim(m, block, m->density, x->grains, density);
    shoal_mac_rim(m, block, m->fraction, NULL, fraction);
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int at = SHOAL_MAC_SAMPLES * block + s, k = 2 * (((s >> 6) + 1) * 100 + ((s >> 3 & 7) + 1) * 10 + (s & 7) + 1);
        float sum = 0.0f, all = 0.0f;
        x->slip[0][at] = m->density[at];
        if (x->grains[at] < bit) continue;
        for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
            int   way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, there = k + 2 * (way[2] * 100 + way[1] * 10 + way[0]);
            float weight = (float)(1 << (3 - abs(way[0]) - abs(way[1]) - abs(way[2])));
            if (fraction[there] < 0.5f || density[there + 1] < bit) continue;
            sum += weight * density[there];
            all += weight;
        }
        if (all > 0.0f) x->slip[0][at] += x->grains[at] / c->how->packing * (sum / all - x->slip[0][at]);
    }
}

static void take_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job* c = ctx;
    if (c->x->is_mixed[block])
        memcpy(m->density + SHOAL_MAC_SAMPLES * block, c->x->slip[0] + SHOAL_MAC_SAMPLES * block,
               SHOAL_MAC_SAMPLES * sizeof(float));
}

void shoal_granular_mixture_count(shoal_granular_mixture* x, shoal_mac* liquid, const shoal_mac* sand,
                                  const shoal_exec* exec, const shoal_granular_mixture_job* how) {
    mix_job c = {.x = x, .how = how, .sand = (shoal_mac*)(uintptr_t)sand};
    shoal_mac_each(liquid, exec, grains_block, &c);
    shoal_mac_each(liquid, exec, mean_block, &c);
    shoal_mac_each(liquid, exec, take_block, &c);
}

static void wet_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job* c = ctx;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        int   there = over(c->x->to_liquid, at);
        float full  = there < 0 ? 0.0f : fminf(c->liquid->density[there], 1.0f);
        m->wetness[at] += (1.0f - m->wetness[at]) * full;
    }
}

void shoal_granular_mixture_wet(const shoal_granular_mixture* x, const shoal_mac* liquid, shoal_mac* sand,
                                const shoal_exec* exec) {
    mix_job c = {.x = (shoal_granular_mixture*)(uintptr_t)x, .liquid = liquid};
    shoal_mac_each(sand, exec, wet_block, &c);
}

static void fraction_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_granular_mixture* x = ((mix_job*)ctx)->x;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
        m->fraction[at] *= 1.0f - x->grains[at];
}

void shoal_granular_mixture_fraction(shoal_granular_mixture* x, shoal_mac* liquid, const shoal_exec* exec) {
    mix_job c = {.x = x};
    shoal_mac_each(liquid, exec, fraction_block, &c);
}

// ---------------------------------------------------------------------------------- drag

// w - v at centres, of the velocities before forces.
static void slip_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job* c = ctx;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            float* slip = &c->x->slip[axis][at];
            *slip       = 0.0f;
            if (!c->x->is_mixed[block] || c->x->grains[at] == 0.0f) continue;
            int next = shoal_mac_beside(m, at, axis, 1), here = over(c->x->to_sand, at),
                there = over(c->x->to_sand, next);
            if (here >= 0) *slip += 0.5f * (m->old[axis][at] - c->sand->old[axis][here]);
            if (there >= 0) *slip += 0.5f * (m->old[axis][next] - c->sand->old[axis][there]);
        }
}

// |w - v| on the low face of `at`, of the mean over the cells on both sides and around them: particles of water in
// pores are few, and their noise is no flow.
static float slip_at(const shoal_granular_mixture* x, const shoal_mac* m, int at, int below) {
    float square = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float sum = 0.0f, all = 0.0f;
        for (int n = 0; n < 14; n++) {
            int middle = n < 7 ? at : below, cell = middle;
            if (middle >= 0 && n % 7 > 0) cell = shoal_mac_beside(m, middle, (n % 7 - 1) / 2, n % 2 == 0 ? 1 : -1);
            if (cell < 0 || x->grains[cell] == 0.0f) continue;
            sum += x->slip[axis][cell];
            all += 1.0f;
        }
        if (all > 0.0f) square += sum / all * (sum / all);
    }
    return sqrtf(square);
}

static void begin_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job*                    c      = ctx;
    shoal_granular_mixture*           x      = c->x;
    const shoal_granular_mixture_job* how    = c->how;
    const shoal_drag_liquid           liquid = {how->density, how->viscosity, how->grain_size};
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            int there = over(x->to_sand, at), below = x->is_mixed[block] ? shoal_mac_beside(m, at, axis, -1) : -1;
            // momentum is that of the grains that are there; drag knows that solids hide some of the others
            float grains = there >= 0 && below >= 0 ? fminf(how->packing * x->weight[axis][there], grains_most) : 0.0f;
            float dense  = below >= 0 ? 0.5f * (x->grains[at] + x->grains[below]) : 0.0f;
            x->star[axis][at]     = m->u[axis][at];
            x->pores[axis][at]    = 1.0f - grains;
            x->wet[axis][at]      = grains > 0.0f ? shoal_mac_wet_fraction(m, at, below) : 0.0f;
            x->drag[axis][at]     = 0.0f;
            x->mobility[axis][at] = 1.0f;
            if (grains > 0.0f && dense > 0.0f)
                x->drag[axis][at] =
                    how->dt * shoal_drag_gidaspow(&liquid, 1.0f - dense, slip_at(x, m, at, below)) / dense;
        }
}

// Both velocities of a face as functions of the pressure's jump across it, see the header; grains are not none.
typedef struct both {
    float w0, v0; // after drag
    float w, v;   // less per jump: rho cw, rho cv
} both;

// Drag is in proportion to the water that is there, `rate` times its mass.
static inline both both_of(const shoal_granular_mixture* x, const shoal_granular_mixture_job* how, int axis, int at,
                           float w, float v) {
    float n = x->pores[axis][at], a = how->density * x->water[axis][at], b = (1.0f - n) * how->grain_density;
    float rate = x->drag[axis][at] * (1.0f - n) / (n * how->density),
          push = how->density * (1.0f - n) * x->wet[axis][at];
    float all  = b + rate * (a + b);
    return (both){.w0 = ((b + rate * a) * w + rate * b * v) / all,
                  .v0 = ((1.0f + rate) * b * v + rate * a * w) / all,
                  .w  = (b + rate * (a + push)) / all,
                  .v  = ((1.0f + rate) * push + rate * a) / all};
}

static void mobility_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    (void)m;
    const mix_job*          c = ctx;
    shoal_granular_mixture* x = c->x;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            float n = x->pores[axis][at];
            if (n == 1.0f) continue;
            both of               = both_of(x, c->how, axis, at, 0.0f, 0.0f);
            x->mobility[axis][at] = n * of.w + (1.0f - n) * of.v;
        }
}

static void begin_sand_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job*                    c   = ctx;
    shoal_granular_mixture*           x   = c->x;
    const shoal_granular_mixture_job* how = c->how;
    for (int axis = 0; axis < 3; axis++) {
        const float* stored = shoal_mac_stored_at(x->contact, m->corner[block], axis);
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int   at = SHOAL_MAC_SAMPLES * block + s, there = over(x->to_liquid, at);
            float n           = there >= 0 ? x->pores[axis][there] : 1.0f;
            x->free[axis][at] = x->star_sand[axis][at] = m->u[axis][at];
            x->sand_mobility[axis][at]                 = 1.0f;
            if (stored) x->star_sand[axis][at] += how->dt * stored[s];
            if (n == 1.0f) continue;
            float a = how->density * x->water[axis][there], b = (1.0f - n) * how->grain_density;
            float rate                 = x->drag[axis][there] * (1.0f - n) / (n * how->density);
            x->sand_mobility[axis][at] = fmaxf(b * (1.0f + rate) / (b + rate * (a + b)), least_mobility);
        }
    }
}

void shoal_granular_mixture_begin(shoal_granular_mixture* x, shoal_mac* liquid, shoal_mac* sand, const shoal_exec* exec,
                                  const shoal_granular_mixture_job* how) {
    mix_job c = {.x = x, .how = how, .sand = sand};
    shoal_mac_each(liquid, exec, slip_block, &c);
    shoal_mac_each(liquid, exec, begin_block, &c);
    shoal_mac_each(liquid, exec, mobility_block, &c);
    shoal_mac_each(sand, exec, begin_sand_block, &c);
    for (int axis = 0; axis < 3; axis++) liquid->mobility[axis] = x->mobility[axis];
}

// ---------------------------------------------------------------------------------- drag and pressure

static void join_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job*                c = ctx;
    const shoal_granular_mixture* x = c->x;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            float n = x->pores[axis][at], w = x->star[axis][at];
            m->u[axis][at] = w;
            if (n == 1.0f) continue;
            both of        = both_of(x, c->how, axis, at, w, x->star_sand[axis][over(x->to_sand, at)]);
            m->u[axis][at] = n * of.w0 + (1.0f - n) * of.v0;
        }
}

void shoal_granular_mixture_join(shoal_granular_mixture* x, shoal_mac* liquid, const shoal_exec* exec,
                                 const shoal_granular_mixture_job* how) {
    mix_job c = {.x = x, .how = how};
    shoal_mac_each(liquid, exec, join_block, &c);
}

static void part_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job*                c = ctx;
    const shoal_granular_mixture* x = c->x;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            float n = x->pores[axis][at];
            if (n == 1.0f) continue;
            int   there    = over(x->to_sand, at);
            both  of       = both_of(x, c->how, axis, at, x->star[axis][at], x->star_sand[axis][there]);
            bool  is_wet   = shoal_mac_has(m->known[axis], at);
            float jump     = is_wet ? (n * of.w0 + (1.0f - n) * of.v0 - m->u[axis][at]) / x->mobility[axis][at] : 0.0f;
            m->u[axis][at] = is_wet ? of.w0 - of.w * jump : x->star[axis][at];
            c->sand->u[axis][there] = is_wet ? of.v0 - of.v * jump : x->star_sand[axis][there];
            if (is_wet) c->sand->known[axis][there >> 6] |= (uint64_t)1 << (there & 63);
        }
}

void shoal_granular_mixture_part(shoal_granular_mixture* x, shoal_mac* liquid, shoal_mac* sand, const shoal_exec* exec,
                                 const shoal_granular_mixture_job* how) {
    mix_job c = {.x = x, .how = how, .sand = sand};
    for (int axis = 0; axis < 3; axis++)
        memcpy(sand->u[axis], x->star_sand[axis], SHOAL_MAC_SAMPLES * (size_t)sand->block_count * sizeof(float));
    shoal_mac_each(liquid, exec, part_block, &c);
}

// ---------------------------------------------------------------------------------- contact

static void release_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_mixture* x = ((mix_job*)ctx)->x;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            m->u[axis][at] -= x->sand_mobility[axis][at] * (x->star_sand[axis][at] - x->free[axis][at]);
            x->star_sand[axis][at] = m->u[axis][at];
        }
}

void shoal_granular_mixture_release(shoal_granular_mixture* x, shoal_mac* sand, const shoal_exec* exec,
                                    const shoal_granular_mixture_job* how) {
    mix_job c = {.x = x, .how = how};
    shoal_mac_each(sand, exec, release_block, &c);
    for (int axis = 0; axis < 3; axis++) sand->mobility[axis] = x->sand_mobility[axis];
}

// What contact did to the faces of the body of sand, and of grains that fly alone.
static void push_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_granular_mixture* x = ((mix_job*)ctx)->x;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
            m->change[axis][at] = (m->u[axis][at] - x->star_sand[axis][at]) / x->sand_mobility[axis][at];
}

// Grains on the body, in cells less than half full, are carried as those below them: with the
// extended push. Left to themselves they would sink into it for ever.
static void touch_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mix_job*          c = ctx;
    shoal_granular_mixture* x = c->x;
    for (int axis = 0; axis < 3; axis++) {
        float* stored = shoal_mac_stored_at(x->contact, m->corner[block], axis);
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int  at = SHOAL_MAC_SAMPLES * block + s;
            bool is_carried =
                shoal_mac_has(m->next[axis], at) || (shoal_mac_has(m->known[axis], at) && m->open[axis][at] > 0.0f);
            float push             = is_carried ? m->change[axis][at] : 0.0f;
            stored[s]              = push / c->how->dt;
            x->star_sand[axis][at] = x->free[axis][at] + push;
        }
        // in air they go with the body, as dry sand does
        memcpy(m->known[axis] + 8 * block, m->next[axis] + 8 * block, 8 * sizeof(uint64_t));
    }
}

shoal_status shoal_granular_mixture_touch(shoal_granular_mixture* x, shoal_mac* sand, const shoal_exec* exec,
                                          const shoal_granular_mixture_job* how) {
    mix_job c = {.x = x, .how = how};
    SHOAL_TRY(shoal_mac_stored_renew(x->contact, sand, NULL));
    shoal_mac_each(sand, exec, push_block, &c);
    shoal_mac_extend(sand, exec, 1, false);
    shoal_mac_each(sand, exec, touch_block, &c);
    return SHOAL_OK;
}

void shoal_granular_mixture_lead(shoal_granular_mixture* x, const shoal_mac* sand) {
    for (int axis = 0; axis < 3; axis++)
        memcpy(x->star_sand[axis], sand->u[axis], SHOAL_MAC_SAMPLES * (size_t)sand->block_count * sizeof(float));
}
