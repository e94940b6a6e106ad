// SPDX-License-Identifier: MIT
// The passes of sand and water that walk over neighbours, quick: what a pair does, on `num` (math/num.h), and what
// follows. The plain ones are their oracle. Compiled once per instruction set; all give the same bits.
//
// Slopes are kept for the sweeps. Of sand f = slope/r alone, in 16 bits, beside the places: all passes see the same f,
// so that M, D and the force of q stay made for each other, and a rigid turning is without a strain whatever f is
// rounded to. Of water the whole vector, as SPH keeps it, and of guests, those of the other set, in float and with the
// volume of the guest.
#include "fluid/walk.h"
#include "fluid/water_pairs.h"
#include "solvers/porous/porous_local.h"

// What a pair adds to the sums of a pass; `view`, `self` and the rest as in shoal_pair_fn. The companion of a place is
// the volume of j over V.
#define PAIR(name)                                                                                                     \
    NUM_FN void name(const void* view, const void* self, const num_pair* g, int i, const int* j, size_t slot,          \
                     int kind, num* s)
#define UNUSED_PAIR (void)view, (void)self, (void)g, (void)i, (void)j, (void)slot, (void)kind, (void)s

// Where the x of slot begins in lists of x, y and z of sixteen each.
static inline size_t kept_at(size_t slot) { return 3 * (slot - slot % SHOAL_LANES) + slot % SHOAL_LANES; }

NUM_FN num  dot(num4 a, num4 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }
NUM_FN num4 minus(num4 a, num4 b) { return (num4){a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
NUM_FN num4 plus(num4 a, num4 b) { return (num4){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

static inline shoal_v3 scaled(const float* s, float scale) {
    return shoal_v3_make(scale * s[0], scale * s[1], scale * s[2]);
}

// The inverse masses of j, where liquids or sands differ.
NUM_FN num lights(const shoal_water_view* w, const int* j) {
    float light[NUM_LANES];
    for (int m = 0; m < NUM_LANES; m++) light[m] = w->liquids[w->material[j[m]]].light;
    return num_load(light);
}

// ---------------------------------------------------------------------------------- guests

// What a walk over guests needs: the particle, and two of what `rock` makes different.
typedef struct guest_own {
    const porous_guests* guests;
    num4                 motion;
    num                  other;       // of guests that are no rock
    float                rock, slope; // of those that are: what is asked, and of their slopes
    const float*         kappa;
} guest_own;

// porous_of_rock of the guests j.
NUM_FN num of_rock(const porous_guests* guests, const int* j, num other, float rock) {
    if (!guests->are_rock) return other;
    return other + num_gather1(guests->rock, j) * (rock - other);
}

PAIR(guest_counts) { // kernel, squares of slopes, slope
    const shoal_water_view* w   = view;
    const guest_own*        own = self;
    UNUSED_PAIR;
    num f = water_slope(g, w->h), volume = of_rock(own->guests, j, own->other, own->slope) * g->companion;
    s[0] += (of_rock(own->guests, j, own->other, own->rock) * g->companion) * water_kernel(g, w->h);
    s[1] += num_gather1(own->guests->light, j) * (volume * (f * f));
    num_pair_add(s + 2, volume * (f * g->inverse), g->dx, g->dy, g->dz);
}

static void guests_count(const shoal_water_view* w, const porous_guests* guests, int i, porous_rock rock,
                         porous_sums* to) {
    guest_own own = {.guests = guests, .other = num_set(1.0f), .rock = rock.gain, .slope = rock.slope};
    float     s[5];
    shoal_walk(w, &guests->near, guests->place, num4_of(&w->place[i]), w->h, 0.0f, i, guest_counts, &own, 0, 5, s);
    to->bump += s[0];
    to->slopes2 += s[1];
    to->slope = shoal_v3_add(to->slope, num_sum_v3(s + 2));
}

PAIR(guest_keeps) {
    const shoal_water_view* w   = view;
    const guest_own*        own = self;
    UNUSED_PAIR;
    num    f  = g->companion * (water_slope(g, w->h) * g->inverse);
    float* to = own->guests->slopes + kept_at(slot);
    num_store(to, f * g->dx), num_store(to + SHOAL_LANES, f * g->dy), num_store(to + 2 * SHOAL_LANES, f * g->dz);
}

// Keeps their slopes; whether one of them is in the same spot.
static bool guests_keep(const shoal_water_view* w, const porous_guests* guests, int i) {
    if (!guests->are_there || guests->near.count[i] == 0) return false;
    guest_own own = {.guests = guests};
    float     none;
    return shoal_walk(w, &guests->near, guests->place, num4_of(&w->place[i]), w->h, num_pair_limit2(w->h2), i,
                      guest_keeps, &own, 0, 0, &none);
}

NUM_FN num4 guest_slope(const porous_guests* guests, size_t slot) {
    const float* from = guests->slopes + kept_at(slot);
    return (num4){num_load(from), num_load(from + SHOAL_LANES), num_load(from + 2 * SHOAL_LANES), num_set(0.0f)};
}

PAIR(guest_moves) {
    const guest_own* own = self;
    UNUSED_PAIR;
    num along = dot(minus(own->motion, num_gather4(own->guests->motion, j)), guest_slope(own->guests, slot));
    if (own->guests->are_rock) along *= of_rock(own->guests, j, own->other, own->slope);
    s[0] += along;
}

static float guests_rate(const shoal_water_view* w, const porous_guests* guests, int i, float slope) {
    if (!guests->are_there || guests->near.count[i] == 0) return 0.0f;
    guest_own own = {.guests = guests, .motion = num4_of(&w->motion[i]), .other = num_set(1.0f), .slope = slope};
    float     sum;
    shoal_walk_kept(w, &guests->near, i, guest_moves, &own, 0, 1, &sum);
    return -w->slope * sum;
}

PAIR(guest_pushes) {
    const guest_own* own = self;
    UNUSED_PAIR;
    num4 slope = guest_slope(own->guests, slot);
    num_pair_add(s, of_rock(own->guests, j, own->other, own->rock) + num_gather1(own->kappa, j), slope.x, slope.y,
                 slope.z);
}

static shoal_v3 guests_push(const shoal_water_view* w, const porous_guests* guests, const float* kappa, int i,
                            float k_own, float k_rock) {
    if (!guests->are_there || guests->near.count[i] == 0) return shoal_v3_make(0.0f, 0.0f, 0.0f);
    guest_own own = {.guests = guests, .other = num_set(k_own), .rock = k_rock, .kappa = kappa};
    float     s[3];
    shoal_walk_kept(w, &guests->near, i, guest_pushes, &own, 0, 3, s);
    return scaled(s, w->slope);
}

// ---------------------------------------------------------------------------------- sand

// f = slope/r is 2 h at most, at r = 0: so much is one of its 16 bits' steps.
static inline float grain_of(const shoal_water_view* w) { return 2.0f * w->h / (float)INT16_MAX; }

// Kernel, squares of slopes, slope; of L xx, yy, zz and yz, xz, xy.
PAIR(sand_weighs) {
    const shoal_water_view* w = &((const porous_view*)view)->water;
    UNUSED_PAIR;
    num slope = water_slope(g, w->h), slope2 = slope * slope;
    if (w->is_uneven) slope2 *= lights(w, j);
    num_store16(w->pairs + slot, (slope * g->inverse) * *(const num*)self);
    num f = num_load16(w->pairs + slot), fx = f * g->dx, fy = f * g->dy, fz = f * g->dz;
    s[0] += water_kernel(g, w->h);
    s[1] += slope2;
    s[2] += fx, s[3] += fy, s[4] += fz;
    s[5] += fx * g->dx, s[6] += fy * g->dy, s[7] += fz * g->dz;
    s[8] += fy * g->dz, s[9] += fx * g->dz, s[10] += fx * g->dy;
}

// Density, and f and L for the sweeps.
static void weigh_one(const porous_view* v, int i) {
    const shoal_water_view* w      = &v->water;
    const float             grain  = grain_of(w);
    const num               grains = num_set(1.0f / grain);
    float                   s[11];
    bool                    is_doubled = guests_keep(w, &v->pool, i);
    v->doubled[i] = shoal_walk(v, &w->near, w->place, num4_of(&w->place[i]), w->h, num_pair_limit2(w->h2), i,
                               sand_weighs, &grains, 0, 11, s) ||
                    is_doubled;
    if (v->doubled[i]) {
        porous_weigh(v, i);
        return;
    }
    float       light = w->is_uneven ? 1.0f : w->liquids[w->material[i]].light;
    porous_sums sum   = {s[0], light * s[1], scaled(s + 2, grain), s[0]};
    if (v->pool.are_there && v->pool.near.count[i] > 0 && !(porous_open(v, i) > 0.0f))
        guests_count(w, &v->pool, i, porous_no_rock(), &sum);
    porous_count_from(w, i, sum);
    porous_sym m = porous_sym_load(scaled(s + 5, grain * w->slope), scaled(s + 8, grain * w->slope));
    porous_sym_store(porous_correction(m), &v->correction[i], &v->correction_off[i]);
}

SHOAL_LOOP(weigh_loop, porous_view, weigh_one)

// Place and motion of i, and three rows of a matrix.
typedef struct sand_own {
    num4 place, motion, x, y, z;
} sand_own;

// Corrected gradient, its square by the inverse mass of j; the same of those that may move.
enum { FREE, FIXED };
PAIR(sand_shapes) {
    const porous_view* v   = view;
    const sand_own*    own = self;
    UNUSED_PAIR;
    num  f = num_load16(v->water.pairs + slot);
    num4 d = minus(own->place, num_gather4(v->water.place, j)), a;
    a.x = f * dot(own->x, d), a.y = f * dot(own->y, d), a.z = f * dot(own->z, d), a.w = f;
    num square = num_gather1(v->inverse_mass, j) * dot(a, a);
    s[0] += a.x, s[1] += a.y, s[2] += a.z;
    s[3] += square;
    if (kind == FREE) return;
    float movable[NUM_LANES]; // one by one: only once in a substep, and beside fixed sand alone
    for (int m = 0; m < NUM_LANES; m++) movable[m] = v->fixed[j[m]] ? 0.0f : 1.0f;
    s[4] += num_load(movable) * square;
}

NUM_FN void shape_any(const porous_view* v, int i, int kind) {
    const shoal_water_view* w    = &v->water;
    const porous_sym        l    = porous_sym_load(v->correction[i], v->correction_off[i]);
    const num               none = num_set(0.0f);
    const num xx = num_set(l.xx), yy = num_set(l.yy), zz = num_set(l.zz), yz = num_set(l.yz), xz = num_set(l.xz),
              xy = num_set(l.xy);
    sand_own own = {
        .place = num4_of(&w->place[i]), .x = {xx, xy, xz, none}, .y = {xy, yy, yz, none}, .z = {xz, yz, zz, none}};
    float s[5];
    shoal_walk_kept(v, &w->near, i, sand_shapes, &own, kind, kind == FREE ? 4 : 5, s);
    const float unit = grain_of(w) * w->slope;
    porous_sum_gradients_from(v, i, scaled(s, unit), unit * unit * s[3], kind == FIXED && s[4] > 0.0f);
}

static void shape_one(const porous_view* v, int i) {
    if (v->fixed[i])
        shape_any(v, i, FIXED);
    else
        shape_any(v, i, FREE);
}

static void sum_gradients_loop(const void* view, int begin, int end) {
    const porous_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i])
            porous_sum_gradients(v, i);
        else
            shape_one(v, i);
}

PAIR(sand_pushes) {
    const porous_view* v   = view;
    const sand_own*    own = self;
    UNUSED_PAIR;
    num  f = num_load16(v->water.pairs + slot);
    num4 x = num_gather4(v->row_x, j), y = num_gather4(v->row_y, j), z = num_gather4(v->row_z, j);
    num4 d = {f * (own->x.w - x.w), f * (own->y.w - y.w), f * (own->z.w - z.w), f}; // the place is the fourth column
    s[0] += dot(plus(own->x, x), d), s[1] += dot(plus(own->y, y), d), s[2] += dot(plus(own->z, z), d);
}

static void push_one(const porous_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    const sand_own          own = {.x = num4_of(&v->row_x[i]), .y = num4_of(&v->row_y[i]), .z = num4_of(&v->row_z[i])};
    float                   s[3];
    shoal_walk_kept(v, &w->near, i, sand_pushes, &own, 0, 3, s);
    float    own_kappa = porous_own_kappa(v, i);
    shoal_v3 guests    = guests_push(w, &v->pool, porous_pool_kappa(v, i), i, own_kappa, own_kappa);
    porous_push_from(v, i, shoal_v3_add_scaled(scaled(s, grain_of(w) * w->slope), guests, 1.0f - porous_open(v, i)));
}

static void push_loop(const void* view, int begin, int end) {
    const porous_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i] || (v->fixed[i] && v->is_laid))
            porous_push(v, i);
        else
            push_one(v, i);
}

PAIR(sand_yields) {
    const shoal_water_view* w   = &((const porous_view*)view)->water;
    const sand_own*         own = self;
    UNUSED_PAIR;
    num  f = num_load16(w->pairs + slot);
    num4 d = minus(own->place, num_gather4(w->place, j)), u = minus(own->motion, num_gather4(w->motion, j));
    d.x *= f, d.y *= f, d.z *= f;
    num_pair_add(s, u.x, d.x, d.y, d.z);
    num_pair_add(s + 3, u.y, d.x, d.y, d.z);
    num_pair_add(s + 6, u.z, d.x, d.y, d.z);
}

static void yield_one(const porous_view* v, int i) {
    const shoal_water_view* w    = &v->water;
    const sand_own          own  = {.place = num4_of(&w->place[i]), .motion = num4_of(&w->motion[i])};
    const float             unit = grain_of(w) * w->slope;
    float                   s[9];
    shoal_walk_kept(v, &w->near, i, sand_yields, &own, 0, 9, s);
    porous_yield_from(v, i, (porous_mat){scaled(s, unit), scaled(s + 3, unit), scaled(s + 6, unit)},
                      guests_rate(w, &v->pool, i, 1.0f));
}

static void yield_loop(const void* view, int begin, int end) {
    const porous_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i] || porous_is_idle(v, i))
            porous_yield(v, i);
        else
            yield_one(v, i);
}

// ---------------------------------------------------------------------------------- water

// Kernel, squares of slopes, slope, by volumes.
PAIR(pool_weighs) {
    const shoal_water_view* w = &((const porous_pool_view*)view)->water;
    UNUSED_PAIR;
    num slope = water_slope(g, w->h), slope2 = g->companion * (slope * slope), f = slope * g->inverse;
    if (w->is_uneven) slope2 *= lights(w, j);
    s[0] += g->companion * water_kernel(g, w->h);
    s[1] += slope2;
    num_pair_add(s + 2, g->companion * f, g->dx, g->dy, g->dz);
    f *= *(const num*)self;
    water_keep(w->pairs + kept_at(slot), f * g->dx, f * g->dy, f * g->dz);
}

// Density, and slopes for the sweeps, in whole grains.
static void pool_weigh_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w      = &v->water;
    const num               grains = num_set(1.0f / w->grain);
    float                   s[5];
    bool                    is_doubled = guests_keep(w, &v->sand, i);
    v->doubled[i] = shoal_walk(v, &w->near, w->place, num4_of(&w->place[i]), w->h, num_pair_limit2(w->h2), i,
                               pool_weighs, &grains, 0, 5, s) ||
                    is_doubled;
    if (v->doubled[i]) {
        porous_pool_weigh(v, i);
        return;
    }
    float       light = w->is_uneven ? 1.0f : w->liquids[w->material[i]].light;
    porous_sums sum   = {s[0], light * s[1], num_sum_v3(s + 2), s[0]};
    porous_rock rock  = porous_pool_rock_around(v, i);
    if (v->sand.are_there && v->sand.near.count[i] > 0) guests_count(w, &v->sand, i, rock, &sum);
    porous_count_from(w, i, sum);
}

SHOAL_LOOP(pool_weigh_loop, porous_pool_view, pool_weigh_one)

PAIR(pool_pushes) {
    const porous_pool_view* v = view;
    UNUSED_PAIR;
    num4 kick = num_gather4(v->kick, j), slope = water_kept(v->water.pairs + kept_at(slot)); // kappa and volume of j
    num_pair_add(s, kick.y * (*(const num*)self + kick.x), slope.x, slope.y, slope.z);
}

static void pool_push_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    const num               own = num_set(w->kappa[i]);
    float                   s[3];
    shoal_walk_kept(v, &w->near, i, pool_pushes, &own, 0, 3, s);
    shoal_v3 guests =
        guests_push(w, &v->sand, v->sand.kappa, i, w->kappa[i], porous_rock_kappa(v->rim[i], w->kappa[i]));
    porous_pool_push_from(v, i, shoal_v3_add(scaled(s, w->grain * w->slope), guests));
}

static void pool_push_loop(const void* view, int begin, int end) {
    const porous_pool_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i])
            porous_pool_push(v, i);
        else
            pool_push_one(v, i);
}

PAIR(pool_rates) {
    const shoal_water_view* w = &((const porous_pool_view*)view)->water;
    UNUSED_PAIR;
    num4 u = num_gather4(w->motion, j); // its companion is the volume
    s[0] += u.w * dot(minus(*(const num4*)self, u), water_kept(w->pairs + kept_at(slot)));
}

static void pool_apply_pressure_one(const porous_pool_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    const num4              own = num4_of(&w->motion[i]);
    float                   sum;
    shoal_walk_kept(v, &w->near, i, pool_rates, &own, 0, 1, &sum);
    porous_pool_apply_pressure_from(v, i, w->grain * sum, guests_rate(w, &v->sand, i, v->rim[i]));
}

static void pool_apply_pressure_loop(const void* view, int begin, int end) {
    const porous_pool_view* v = view;
    for (int i = begin; i < end; i++)
        if (v->doubled[i])
            porous_pool_apply_pressure(v, i);
        else
            pool_apply_pressure_one(v, i);
}

const shoal_loop SHOAL_WIDE_NAME(porous_loops)[POROUS_PASS_COUNT]           = {[POROUS_weigh]         = weigh_loop,
                                                                               [POROUS_sum_gradients] = sum_gradients_loop,
                                                                               [POROUS_push]          = push_loop,
                                                                               [POROUS_yield]         = yield_loop};
const shoal_loop SHOAL_WIDE_NAME(porous_pool_loops)[POROUS_POOL_PASS_COUNT] = {
    [POROUS_POOL_weigh]          = pool_weigh_loop,
    [POROUS_POOL_push]           = pool_push_loop,
    [POROUS_POOL_apply_pressure] = pool_apply_pressure_loop};
