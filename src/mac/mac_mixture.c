// SPDX-License-Identifier: MIT
// What happens on faces that water and sand share.
#include "mac/mac_mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sand at rest is as dense as it can be; the count of particles around a cell is not so exact. From this much on it is at rest.
static const float at_rest = 0.9f;
// A face with less of its material knows nothing.
static const float least_weight = 1e-6f;
// Finer sand drags no more than this: beyond, the two solves of a substep disagree on who carries whom, and energy grows.
static const float drag_most = 30.0f;
static const float least_ease = 1e-4f; // bounds the condition of the pressure systems

// ---------------------------------------------------------------------------------- memory

enum { LIQUID_ARRAYS = 3 + 7 * 3, SAND_ARRAYS = 3 * 3 };

static int liquid_arrays(shoal_mac_mixture* x, float** out[LIQUID_ARRAYS]) {
    int n    = 0;
    out[n++] = &x->grains;
    out[n++] = &x->slip;
    out[n++] = &x->source;
    for (int axis = 0; axis < 3; axis++) {
        out[n++] = &x->wall[axis];
        out[n++] = &x->pores[axis];
        out[n++] = &x->drag[axis];
        out[n++] = &x->ease[axis];
        out[n++] = &x->star[axis];
        out[n++] = &x->fall[axis];
        out[n++] = &x->weight[axis];
    }
    return n;
}

static int sand_arrays(shoal_mac_mixture* x, float** out[SAND_ARRAYS]) {
    int n = 0;
    for (int axis = 0; axis < 3; axis++) {
        out[n++] = &x->sand_weight[axis];
        out[n++] = &x->sand_ease[axis];
        out[n++] = &x->guess[axis];
    }
    return n;
}

static void free_arrays(float** arrays[], int count, int** map) {
    for (int k = 0; k < count; k++) {
        shoal_free(*arrays[k]);
        *arrays[k] = NULL;
    }
    shoal_free(*map);
    *map = NULL;
}

static shoal_status reserve_arrays(float** arrays[], int count, int** map, int* capacity, int blocks) {
    if (blocks <= *capacity) return SHOAL_OK;
    free_arrays(arrays, count, map);
    *capacity    = 0;
    size_t n     = (size_t)blocks + (size_t)blocks / 4 + 8;
    *map         = shoal_alloc(n, sizeof **map);
    bool has_all = *map != NULL;
    for (int k = 0; k < count; k++) {
        *arrays[k] = shoal_alloc(n * SHOAL_MAC_SAMPLES, sizeof(float));
        has_all    = has_all && *arrays[k];
    }
    if (!has_all) {
        free_arrays(arrays, count, map);
        return SHOAL_ERR_MEMORY;
    }
    *capacity = (int)n;
    return SHOAL_OK;
}

void shoal_mac_mixture_free(shoal_mac_mixture* x) {
    float** liquid[LIQUID_ARRAYS];
    float** sand[SAND_ARRAYS];
    free_arrays(liquid, liquid_arrays(x, liquid), &x->to_sand);
    free_arrays(sand, sand_arrays(x, sand), &x->to_liquid);
    shoal_free(x->is_mixed);
    *x = (shoal_mac_mixture){0};
}

// ---------------------------------------------------------------------------------- who lies where

shoal_status shoal_mac_mixture_pair(shoal_mac_mixture* x, const shoal_mac* liquid, const shoal_mac* sand) {
    float** of_liquid[LIQUID_ARRAYS];
    float** of_sand[SAND_ARRAYS];
    int     before = x->liquid_capacity;
    SHOAL_TRY(reserve_arrays(of_liquid, liquid_arrays(x, of_liquid), &x->to_sand, &x->liquid_capacity, liquid->block_count));
    SHOAL_TRY(reserve_arrays(of_sand, sand_arrays(x, of_sand), &x->to_liquid, &x->sand_capacity, sand->block_count));
    if (x->liquid_capacity > before || !x->is_mixed) {
        shoal_free(x->is_mixed);
        x->is_mixed = shoal_alloc((size_t)x->liquid_capacity, sizeof *x->is_mixed);
        if (!x->is_mixed) {
            x->liquid_capacity = 0;
            return SHOAL_ERR_MEMORY;
        }
    }
    for (int b = 0; b < sand->block_count; b++) x->to_liquid[b] = -1;
    for (int b = 0, other = 0; b < liquid->block_count; b++) {
        while (other < sand->block_count && shoal_mac_order(sand->corner[other], liquid->corner[b]) < 0) other++;
        bool is_there = other < sand->block_count && shoal_mac_order(sand->corner[other], liquid->corner[b]) == 0;
        x->to_sand[b] = is_there ? other : -1;
        if (is_there) x->to_liquid[other] = b;
    }
    for (int b = 0; b < liquid->block_count; b++) {
        x->is_mixed[b] = 0;
        for (int n = 0; n < SHOAL_MAC_NEAR; n++) x->is_mixed[b] |= liquid->near[b][n] >= 0 && x->to_sand[liquid->near[b][n]] >= 0;
    }
    return SHOAL_OK;
}

// The same sample on the other grid; -1: there is none.
static inline int over(const int* to, int at) { return at < 0 || to[at >> 9] < 0 ? -1 : (to[at >> 9] << 9) + (at & 511); }

typedef struct mixing {
    shoal_mac_mixture*      x;
    const shoal_mac_mixing* how;
    shoal_mac*              liquid;
    shoal_mac*              sand;
    float* const*           v;
} mixing;

// ---------------------------------------------------------------------------------- pores

static void grains_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mixing* c = ctx;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        int   there      = over(c->x->to_sand, at);
        float full       = there < 0 ? 0.0f : fminf(c->sand->density[there] / at_rest, 1.0f);
        c->x->grains[at] = full * c->how->packing;
        m->density[at] /= fmaxf(1.0f - c->x->grains[at], 0.05f);
    }
}

// In the pores of a cell there are few particles, too few to tell a gap from chance: means over 27 cells, where they are of sand.
static void mean_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mixing*      c   = ctx;
    shoal_mac_mixture* x   = c->x;
    const float        bit = 0.25f * c->how->packing;
    if (!x->is_mixed[block]) return;
    float density[SHOAL_MAC_PAIRS], share[SHOAL_MAC_PAIRS];
    shoal_mac_rim(m, block, m->density, x->grains, density);
    shoal_mac_rim(m, block, m->share, NULL, share);
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int   at = SHOAL_MAC_SAMPLES * block + s, k = 2 * (((s >> 6) + 1) * 100 + ((s >> 3 & 7) + 1) * 10 + (s & 7) + 1);
        float sum = 0.0f, all = 0.0f;
        x->slip[at] = m->density[at];
        if (x->grains[at] < bit) continue;
        for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
            int   way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, there = k + 2 * (way[2] * 100 + way[1] * 10 + way[0]);
            float weight = (float)(1 << (3 - abs(way[0]) - abs(way[1]) - abs(way[2])));
            if (share[there] < 0.5f || density[there + 1] < bit) continue;
            sum += weight * density[there];
            all += weight;
        }
        if (all > 0.0f) x->slip[at] += x->grains[at] / c->how->packing * (sum / all - x->slip[at]);
    }
}

static void take_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mixing* c = ctx;
    if (c->x->is_mixed[block])
        memcpy(m->density + SHOAL_MAC_SAMPLES * block, c->x->slip + SHOAL_MAC_SAMPLES * block, SHOAL_MAC_SAMPLES * sizeof(float));
}

void shoal_mac_mixture_count(shoal_mac_mixture* x, shoal_mac* liquid, const shoal_mac* sand, const shoal_exec* exec, const shoal_mac_mixing* how) {
    mixing c = {.x = x, .how = how, .sand = (shoal_mac*)(uintptr_t)sand};
    shoal_mac_each(liquid, exec, grains_block, &c);
    shoal_mac_each(liquid, exec, mean_block, &c);
    shoal_mac_each(liquid, exec, take_block, &c);
}

static void open_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_mixture* x = ((mixing*)ctx)->x;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            int   below        = x->is_mixed[block] ? shoal_mac_beside(m, at, axis, -1) : -1;
            float grains       = x->grains[at];
            x->pores[axis][at] = 1.0f - (below >= 0 ? 0.5f * (grains + x->grains[below]) : grains);
            x->wall[axis][at]  = m->moves[block] ? (1.0f - m->open[axis][at]) * m->solid_u[axis][at] : 0.0f;
            m->open[axis][at] *= x->pores[axis][at];
        }
    if (x->is_mixed[block]) m->moves[block] = 1;
}

void shoal_mac_mixture_open(shoal_mac_mixture* x, shoal_mac* liquid, const shoal_exec* exec) {
    mixing c = {.x = x};
    shoal_mac_each(liquid, exec, open_block, &c);
}

static void share_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_mixture* x = ((mixing*)ctx)->x;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) m->share[at] *= 1.0f - x->grains[at];
}

void shoal_mac_mixture_share(shoal_mac_mixture* x, shoal_mac* liquid, const shoal_exec* exec) {
    mixing c = {.x = x};
    shoal_mac_each(liquid, exec, share_block, &c);
}

// ---------------------------------------------------------------------------------- drag

// Square roots have the same bits everywhere, powers have not. Reynolds^0.6875 stands for
// the printed 0.687, n^2.65625 for 2.65.
static float power_0_6875(float x) {
    float half = sqrtf(x), eighth = sqrtf(sqrtf(half));
    return half * eighth * sqrtf(eighth);
}
static float power_2_65625(float x) {
    float half = sqrtf(x), eighth = sqrtf(sqrtf(half));
    return x * x * half * eighth * sqrtf(sqrtf(eighth));
}

float shoal_mac_drag(const shoal_mac_mixing* how, float pores, float speed) {
    float grains = 1.0f - pores, d = how->grain_size, reynolds = pores * how->density * speed * d / fmaxf(how->viscosity, 1e-9f);
    float ergun  = 150.0f * grains * grains * how->viscosity / (pores * d * d) + 1.75f * grains * how->density * speed / d;
    float stokes = 18.0f * how->viscosity / (d * d) * (1.0f + 0.15f * power_0_6875(reynolds));
    if (reynolds > 1000.0f) stokes = 0.75f * 0.44f * pores * how->density * speed / d;
    return fmaxf(ergun, grains * stokes / power_2_65625(pores));
}

// |w - v| at centres, of the velocities before forces.
static void slip_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mixing* c = ctx;
    if (!c->x->is_mixed[block]) return;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        float square = 0.0f;
        for (int axis = 0; axis < 3 && c->x->grains[at] > 0.0f; axis++) {
            float sum  = 0.0f;
            int   next = shoal_mac_beside(m, at, axis, 1), here = over(c->x->to_sand, at), there = over(c->x->to_sand, next);
            if (here >= 0) sum += m->old[axis][at] - c->sand->old[axis][here];
            if (there >= 0) sum += m->old[axis][next] - c->sand->old[axis][there];
            square += 0.25f * sum * sum;
        }
        c->x->slip[at] = sqrtf(square);
    }
}

static void begin_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mixing*           c   = ctx;
    shoal_mac_mixture*      x   = c->x;
    const shoal_mac_mixing* how = c->how;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            float pores        = x->pores[axis][at], drag = 0.0f;
            int   there        = over(x->to_sand, at);
            x->star[axis][at]  = m->u[axis][at];
            if (pores < 1.0f && there >= 0) {
                int   below = shoal_mac_beside(m, at, axis, -1);
                float speed = below >= 0 ? 0.5f * (x->slip[at] + x->slip[below]) : x->slip[at];
                drag        = how->dt * shoal_mac_drag(how, pores, speed) / (pores * how->density);
                // centres reach further than faces; in corners a face has a quarter of its particles
                drag *= fminf(1.0f, 4.0f * how->packing * x->sand_weight[axis][there] / (1.0f - pores));
            }
            // at its fringe sand moves as the sand inside does, whatever it weighs: it must not take water along
            float fringe      = fminf(2.0f * (1.0f - pores) / how->packing, 1.0f);
            drag              = fminf(drag, drag_most);
            x->drag[axis][at] = drag = drag > 1.0f ? 1.0f + (drag - 1.0f) * fringe * fringe : drag;
            x->ease[axis][at] = fmaxf(1.0f / (1.0f + drag), least_ease);
        }
}

void shoal_mac_mixture_begin(shoal_mac_mixture* x, shoal_mac* liquid, const shoal_mac* sand, const shoal_exec* exec, const shoal_mac_mixing* how) {
    mixing c = {.x = x, .how = how, .sand = (shoal_mac*)(uintptr_t)sand};
    shoal_mac_each(liquid, exec, slip_block, &c);
    shoal_mac_each(liquid, exec, begin_block, &c);
    for (int axis = 0; axis < 3; axis++) liquid->ease[axis] = x->ease[axis];
}

// w with the drag of sand that moves by v, before pressure.
static inline float dragged(const shoal_mac_mixture* x, int axis, int at, float v) {
    return (x->star[axis][at] + x->drag[axis][at] * v) * (1.0f / (1.0f + x->drag[axis][at]));
}

static void drag_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mixing*            c = ctx;
    const shoal_mac_mixture* x = c->x;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            int   there    = over(x->to_sand, at);
            float v        = there >= 0 ? c->v[axis][there] : 0.0f;
            m->u[axis][at] = dragged(x, axis, at, v);
            if (!x->is_mixed[block]) continue;
            // grains and solids together: what their share of the face brings through
            float closed         = 1.0f - m->open[axis][at], flux = x->wall[axis][at] + m->open[axis][at] / x->pores[axis][at] * (1.0f - x->pores[axis][at]) * v;
            m->solid_u[axis][at] = closed > 0.0f ? flux / closed : 0.0f;
        }
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        float sum = 0.0f, dense = x->is_mixed[block] ? x->grains[at] / c->how->packing : 0.0f, drag = 0.0f;
        for (int axis = 0; axis < 3 && dense > 0.0f; axis++) {
            int above = shoal_mac_beside(m, at, axis, 1), here = over(x->to_sand, at), there = over(x->to_sand, above);
            if (here >= 0) sum -= m->open[axis][at] / x->pores[axis][at] * c->v[axis][here];
            if (there >= 0) sum += m->open[axis][above] / x->pores[axis][above] * c->v[axis][there];
            sum += above >= 0 ? x->wall[axis][above] - x->wall[axis][at] : 0.0f;
            drag = fmaxf(drag, fmaxf(x->drag[axis][at], above >= 0 ? x->drag[axis][above] : 0.0f));
        }
        x->source[at] = fmaxf(dense, drag / (1.0f + drag)) * sum;
    }
}

void shoal_mac_mixture_drag(shoal_mac_mixture* x, shoal_mac* liquid, float* const v[3], const shoal_exec* exec, const shoal_mac_mixing* how) {
    mixing c = {.x = x, .how = how, .v = v};
    shoal_mac_each(liquid, exec, drag_block, &c);
    liquid->source = x->source;
}

// ---------------------------------------------------------------------------------- sand

// dt / rho grad p that the liquid's last pressure had on a face, found with sand that moved by v.
static inline float fall_of(const shoal_mac_mixture* x, const shoal_mac* liquid, int axis, int at, float v) {
    if (!shoal_mac_has(liquid->known[axis], at)) return 0.0f;
    return (dragged(x, axis, at, v) - liquid->u[axis][at]) / x->ease[axis][at];
}

// kg/m^3 of the water (a) and the sand (b) around a face, `at` on the sand's grid and `there` on the water's.
typedef struct masses {
    float a, b;
} masses;

static inline masses masses_of(const mixing* c, int axis, int at, int there) {
    const shoal_mac_mixing* how = c->how;
    return (masses){how->density * c->x->weight[axis][there], how->grain_density * how->packing * c->x->sand_weight[axis][at]};
}

// Both velocities after the pressure's push w' and v' share their momentum by drag: the mean, and the difference over
// 1 + beta (1 + a / b). A push on the sand alone then moves it as if it weighed (a + b) / (1 + a / (b (1 + kappa))).
static void push_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mixing*           c   = ctx;
    shoal_mac_mixture*      x   = c->x;
    const shoal_mac_mixing* how = c->how;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            int   there             = over(x->to_liquid, at);
            x->sand_ease[axis][at]  = 1.0f;
            if (there < 0) continue;
            float fall           = fall_of(x, c->liquid, axis, there, x->guess[axis][at]);
            x->fall[axis][there] = fall;
            if (x->sand_weight[axis][at] < least_weight) continue;
            masses mass = masses_of(c, axis, at, there);
            float  a    = x->weight[axis][there] < least_weight ? 0.0f : mass.a, b = mass.b;
            float w = x->star[axis][there] - fall, v = m->u[axis][at] - fall * how->density / how->grain_density;
            float kappa            = x->drag[axis][there] * (1.0f + a / b), all = a + b;
            m->u[axis][at]         = (a * w + b * v) / all - a / all * (w - v) / (1.0f + kappa);
            x->sand_ease[axis][at] = fmaxf((b + a / (1.0f + kappa)) / all, least_ease);
        }
}

void shoal_mac_mixture_push(shoal_mac_mixture* x, const shoal_mac* liquid, shoal_mac* sand, const shoal_exec* exec, const shoal_mac_mixing* how) {
    mixing c = {.x = x, .how = how, .liquid = (shoal_mac*)(uintptr_t)liquid};
    shoal_mac_each(sand, exec, push_block, &c);
    for (int axis = 0; axis < 3; axis++) sand->ease[axis] = x->sand_ease[axis];
}

static void answer_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mixing*           c   = ctx;
    shoal_mac_mixture*      x   = c->x;
    const shoal_mac_mixing* how = c->how;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            int there = over(x->to_liquid, at);
            if (there < 0 || x->sand_weight[axis][at] < least_weight) continue;
            float more = fall_of(x, c->liquid, axis, there, m->u[axis][at]) - x->fall[axis][there], beta = x->drag[axis][there];
            masses mass = masses_of(c, axis, at, there);
            float  kick = -more * (mass.a / mass.b * beta / (1.0f + beta) + how->density / how->grain_density), gain = fabsf(m->u[axis][at] - x->guess[axis][at]);
            // a heavy body of water answers to a change of v by more than that: its inertia slows the change, and cannot turn it
            if (gain > 0.0f) kick *= gain / (gain + fabsf(kick));
            else kick = 0.0f;
            m->u[axis][at] += kick;
            m->change[axis][at] += kick;
        }
}

void shoal_mac_mixture_answer(shoal_mac_mixture* x, const shoal_mac* liquid, shoal_mac* sand, const shoal_exec* exec, const shoal_mac_mixing* how) {
    mixing c = {.x = x, .how = how, .liquid = (shoal_mac*)(uintptr_t)liquid};
    shoal_mac_each(sand, exec, answer_block, &c);
}
