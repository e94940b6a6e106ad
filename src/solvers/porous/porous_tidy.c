// SPDX-License-Identifier: MIT
// Particles of free water after an exchange with the pores: one that has got into the sand is absorbed, one nearly
// empty gives its rest away, small ones join, large ones split, and what has seeped out of full pores becomes free
// water. Each drop that one loses another gets, with its momentum.
#include <math.h>

#include "solvers/porous/porous_local.h"
#include "solvers/porous/porous_pore_pass.h"

// Fraction of sand around a particle of water that is inside of it; at the surface of a bed it is half.
#define TIDY_ENGULFED 0.62f
// Volumes, over that of the start: below the first a rest is given away; a particle joins another within TIDY_NEAR as
// long as both together are not above the second, so the smaller is at most half of that; above the last it splits.
#define TIDY_REST 0.1
#define TIDY_JOINED 1.1
#define TIDY_LARGE 1.5
// In the pores of coarse sand it splits above this much of the room that grains leave there, and joins no other: water
// of a few large particles, too far apart to push each other, would find its place by high pressures alone, which throw
// the sand.
#define TIDY_VOID 2.6
// Distances, in spacings.
#define TIDY_NEAR 0.6
#define TIDY_SPLIT 0.25
// What has seeped out comes to light so far from its particle of sand, goes to free water within TIDY_BESIDE of there
// that is below TIDY_FILLED, or becomes a particle of its own, of TIDY_BORN at least, where s will be no more than
// TIDY_FULL.
#define TIDY_OUT 0.9
#define TIDY_BESIDE 0.8
#define TIDY_FILLED 1.2
#define TIDY_BORN 0.5
#define TIDY_FULL 1.05

typedef struct tidy_job {
    porous*                 s;
    porous_pool*            pool;
    const porous_pool_view* v;
    porous_exchange*        e;
    const porous_pore_view* pores;
    double                  rest_volume, d; // of a particle at the start, m^3; spacing, m
} tidy_job;

// ---------------------------------------------------------------------------------- giving

// So much water that moved as `velocity` comes to a particle of sand, or to one of free water.
static void to_sand(const tidy_job* t, int i, double amount, shoal_v3 velocity) {
    const porous_pore_view* p = t->pores;
    p->water[i] += amount;
    if (t->s->view.fixed[i]) return;
    double    mass = porous_wet_mass(&t->s->wet, p->material[i], p->water[i] + p->pending[i]);
    shoal_v3* own  = &t->s->view.water.velocity[i];
    *own = shoal_v3_add_scaled(*own, shoal_v3_sub(velocity, *own), (float)(amount * t->s->wet.liquid.density / mass));
}
static void to_water(const tidy_job* t, int k, double amount, shoal_v3 velocity) {
    t->v->content[k] += amount;
    shoal_v3* own = &t->v->water.velocity[k];
    *own          = shoal_v3_add_scaled(*own, shoal_v3_sub(velocity, *own), (float)(amount / t->v->content[k]));
}

static int sand_of(const tidy_job* t, int guest) { return t->v->sand.source[guest]; }
static int own_of(const tidy_job* t, int j) {
    return j < t->v->water.count ? j : t->v->images[j - t->v->water.count].source;
}
static bool may_take(const tidy_job* t, int k) { return t->e->is_mixed[k] && !t->e->is_gone[k]; }

// To the sand near, by its weight for each, of which there is `all`; the last gets what is left, so that nothing is
// lost.
static void to_sands(const tidy_job* t, int k, double (*weight)(const tidy_job*, int, int), double all) {
    double   content = t->v->content[k], left = content;
    shoal_v3 velocity = t->v->water.velocity[k];
    int      last     = -1;
    SHOAL_FOR_NEAR(t->v->sand.near, k, g) {
        double part = weight(t, k, g);
        if (!(part > 0.0)) continue;
        if (last >= 0) {
            double amount = content * weight(t, k, last) / all;
            amount        = amount < left ? amount : left;
            to_sand(t, sand_of(t, last), amount, velocity);
            left -= amount;
        }
        last = g;
    }
    to_sand(t, sand_of(t, last), left, velocity);
    t->e->is_gone[k] = 1;
}

static double sum_sands(const tidy_job* t, int k, double (*weight)(const tidy_job*, int, int)) {
    double sum = 0.0;
    if (!t->v->sand.are_there) return sum;
    SHOAL_FOR_NEAR(t->v->sand.near, k, g) sum += weight(t, k, g);
    return sum;
}

static double nearness(const tidy_job* t, int k, int guest) {
    float r;
    if (t->v->sand.open[guest] > 0.0f) return 0.0;
    shoal_displacement(t->v->water.place[k], t->v->sand.place[guest], k, guest, t->v->water.h, &r);
    return (double)shoal_water_kernel(t->v->water.h, r);
}

// Pores that are empty.
static double emptiness(const tidy_job* t, int k, int guest) {
    (void)k;
    int    i           = sand_of(t, guest);
    double free_volume = t->pores->capacity[i] - t->pores->water[i] - t->pores->pending[i];
    if (t->v->sand.open[guest] > 0.0f) return 0.0;
    return free_volume > 0.0 ? free_volume : 0.0;
}

// ---------------------------------------------------------------------------------- one particle of free water

static bool absorb(const tidy_job* t, int k) {
    if (!(t->v->within[k] > TIDY_ENGULFED)) return false;
    double all = sum_sands(t, k, nearness);
    if (!(all > 0.0)) return false;
    to_sands(t, k, nearness, all);
    ++*t->s->wet.engulfed;
    return true;
}

// The largest volume that a particle may have where k is.
static double most_at(const tidy_job* t, int k) {
    return t->rest_volume * fmin(TIDY_LARGE, fmax(TIDY_VOID * (double)t->v->void_fraction[k], TIDY_REST));
}

// The nearest within `reach` that may take all of k, both together not above `most`; -1: none. `offset`: from k to it.
static int nearest(const tidy_job* t, int k, double reach, double most, shoal_v3* offset) {
    const shoal_water_view* w    = &t->v->water;
    int                     best = -1;
    float                   r, least = (float)reach;
    SHOAL_FOR_NEAR(w->near, k, j) {
        int      other = own_of(t, j);
        shoal_v3 apart = shoal_pair_displacement(w->place, k, j, w->h, &r);
        if (other == k || r >= least || !may_take(t, other)) continue;
        if (t->v->content[k] + t->v->content[other] > fmin(most, most_at(t, other))) continue;
        best    = other;
        least   = r;
        *offset = shoal_v3_scale(apart, -1.0f);
    }
    return best;
}

// One moves to where both have their mass.
static void join(const tidy_job* t, int k, int other, shoal_v3 offset) {
    shoal_v3* x     = &t->v->water.position[other];
    double    part  = t->v->content[k] / (t->v->content[k] + t->v->content[other]);
    shoal_v3  place = shoal_v3_add_scaled(*x, offset, (float)-part);
    *x              = shoal_world_wrap(t->v->water.solids.world, shoal_water_clear(&t->v->water, place));
    to_water(t, other, t->v->content[k], t->v->water.velocity[k]);
    t->e->is_gone[k] = 1;
    ++*t->s->wet.merged;
}

static bool distribute(const tidy_job* t, int k) {
    double   content = t->v->content[k];
    shoal_v3 offset;
    if (content >= TIDY_REST * t->rest_volume) return false;
    double free_volume = sum_sands(t, k, emptiness);
    if (free_volume > 2.0 * content) {
        to_sands(t, k, emptiness, free_volume);
        return true;
    }
    int other = nearest(t, k, (double)t->v->water.h, TIDY_LARGE * t->rest_volume, &offset);
    if (other < 0) return false;
    join(t, k, other, offset);
    return true;
}

static bool grow(const tidy_job* t, int k) {
    const double most = TIDY_JOINED * t->rest_volume;
    shoal_v3     offset;
    if (t->v->content[k] >= 0.5 * most || t->v->void_fraction[k] < 1.0f) return false;
    int other = nearest(t, k, TIDY_NEAR * t->d, most, &offset);
    if (other < 0) return false;
    join(t, k, other, offset);
    return true;
}

// How much a particle at `place` is in the way along each axis.
static shoal_v3 occupied_by(const shoal_water_view* w, int k, int j, shoal_v4 place) {
    float    r;
    shoal_v3 d      = shoal_displacement(w->place[k], place, k, j, w->h, &r);
    float    weight = place.w * shoal_water_kernel(w->h, r) / (r * r);
    return shoal_v3_make(weight * d.x * d.x, weight * d.y * d.y, weight * d.z * d.z);
}

// The axis along which the fewest are.
static shoal_v3 free_axis(const tidy_job* t, int k) {
    const shoal_water_view* w        = &t->v->water;
    shoal_v3                occupied = {0.0f, 0.0f, 0.0f}, axis = occupied;
    SHOAL_FOR_NEAR(w->near, k, j) occupied = shoal_v3_add(occupied, occupied_by(w, k, j, w->place[j]));
    if (t->v->sand.are_there) {
        SHOAL_FOR_NEAR(t->v->sand.near, k, g)
        occupied = shoal_v3_add(occupied, occupied_by(w, k, g, t->v->sand.place[g]));
    }
    int least = occupied.x <= occupied.y ? 0 : 1;
    if (occupied.z < shoal_v3_axis(occupied, least)) least = 2;
    shoal_v3_set_axis(&axis, least, 1.0f);
    return axis;
}

static shoal_status create_drop(porous_exchange* e, porous_birth birth) {
    if (e->birth_count == e->birth_capacity) {
        int capacity      = 2 * e->birth_capacity + 64;
        e->birth_capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&e->births, (size_t)e->birth_count, (size_t)capacity, sizeof *e->births));
        e->birth_capacity = capacity;
    }
    e->births[e->birth_count++] = birth;
    return SHOAL_OK;
}

// Whether there is a number left for one more.
static bool has_id(const tidy_job* t) { return *t->s->ctx->next_id < INT32_MAX - t->e->birth_count; }

static shoal_v3 clear_place(const tidy_job* t, shoal_v3 x) {
    return shoal_world_wrap(t->v->water.solids.world, shoal_water_clear(&t->v->water, x));
}

static shoal_status split(const tidy_job* t, int k) {
    if (t->v->content[k] <= most_at(t, k) || !has_id(t)) return SHOAL_OK;
    shoal_v3* x    = &t->v->water.position[k];
    shoal_v3  by   = shoal_v3_scale(free_axis(t, k), (float)(TIDY_SPLIT * t->d));
    double    half = 0.5 * t->v->content[k];
    SHOAL_TRY(create_drop(t->e, (porous_birth){clear_place(t, shoal_v3_sub(*x, by)), t->v->water.velocity[k], half,
                                               t->v->smoothed_pressure[k]}));
    *x               = clear_place(t, shoal_v3_add(*x, by));
    t->v->content[k] = half;
    ++*t->s->wet.divided;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- what has seeped out

// What V W of a volume at `at` is at x.
static double fraction_at(const tidy_job* t, shoal_v3 x, shoal_v3 at, double volume) {
    return volume * pore_kernel(t->pores, (double)shoal_v3_length(shoal_v3_sub(x, at)));
}

// s at x, beside the sand i: solids as i has them, sand (of coarse sand its grains), free water, and arrivals of this
// step. What has gone is still there. Without solids a gap that a packing leaves in a corner would be room for a drop.
static double occupied_at(const tidy_job* t, int i, shoal_v3 x) {
    const porous_pore_view* p   = t->pores;
    double                  sum = (double)p->wall[i].w + fraction_at(t, x, shoal_v4_xyz(p->place[i]), p->rest_volume);
    SHOAL_FOR_NEAR(*p->near, i, j) {
        const porous_pores* pores = &p->pores[p->material[j < p->count ? j : p->images[j - p->count].source]];
        double              grain = pores->is_coarse ? 1.0 - pores->porosity : 1.0;
        sum += fraction_at(t, x, shoal_v4_xyz(p->place[j]), grain * p->rest_volume);
    }
    if (p->drops.near) {
        SHOAL_FOR_NEAR(*p->drops.near, i, g) {
            sum += fraction_at(t, x, shoal_v4_xyz(p->drops.place[g]), t->v->content[p->drops.source[g]]);
        }
    }
    for (int k = 0; k < t->e->birth_count; k++)
        sum += fraction_at(t, x, t->e->births[k].position, t->e->births[k].content);
    return sum;
}

static shoal_status seep(const tidy_job* t, int i) {
    const porous_pore_view* p     = t->pores;
    double                  slant = shoal_d3_length(p->out[i]);
    if (!(p->pending[i] > 0.0) || slant * t->d < PORE_SURFACE) return SHOAL_OK;
    shoal_v3 velocity = t->s->view.water.velocity[i];
    shoal_v3 wished =
        shoal_v3_add(shoal_v4_xyz(p->place[i]), shoal_v3_from(shoal_d3_scale(p->out[i], TIDY_OUT * t->d / slant)));
    shoal_v3 spot = shoal_water_clear(&t->v->water, wished);
    if (shoal_v3_length(shoal_v3_sub(spot, wished)) > (float)(TIDY_SPLIT * t->d)) return SHOAL_OK;
    float least = (float)(TIDY_BESIDE * t->d);
    int   best  = -1;
    if (p->drops.near) {
        SHOAL_FOR_NEAR(*p->drops.near, i, g) {
            int   k = p->drops.source[g];
            float r = shoal_v3_length(shoal_v3_sub(shoal_v4_xyz(p->drops.place[g]), spot));
            if (r >= least || !may_take(t, k) || t->v->content[k] >= TIDY_FILLED * t->rest_volume) continue;
            best  = k;
            least = r;
        }
    }
    if (best >= 0) {
        double amount = fmin(p->pending[i], TIDY_LARGE * t->rest_volume - t->v->content[best]);
        p->pending[i] -= amount;
        to_water(t, best, amount, velocity);
        return SHOAL_OK;
    }
    double amount = fmin(p->pending[i], t->rest_volume);
    if (!has_id(t) || amount < TIDY_BORN * t->rest_volume ||
        occupied_at(t, i, spot) + amount * pore_kernel(p, 0.0) > TIDY_FULL)
        return SHOAL_OK;
    p->pending[i] -= amount;
    return create_drop(t->e, (porous_birth){shoal_world_wrap(t->v->water.solids.world, spot), velocity, amount, 0.0f});
}

// The little that clings to coarse sand goes to the free water that fills its pores, once they are filled.
static void return_film(const tidy_job* t, int i, double amount) {
    const porous_pore_view* p    = t->pores;
    const shoal_water_view* w    = &t->s->view.water;
    double                  fill = (double)w->wall[i].w;
    float                   r, least = INFINITY;
    int                     best = -1;
    if (!(amount > 0.0) || !p->drops.near) return;
    SHOAL_FOR_NEAR(*p->drops.near, i, g) {
        int k = p->drops.source[g];
        if (!may_take(t, k)) continue;
        shoal_displacement(w->place[i], p->drops.place[g], i, g, w->h, &r);
        fill += t->v->content[k] / t->rest_volume * (double)(w->weight * shoal_water_kernel(w->h, r));
        if (r < least && t->v->content[k] < TIDY_FILLED * t->rest_volume) best = k, least = r;
    }
    if (best < 0 || fill < PORE_DROWNED * p->pores[p->material[i]].porosity) return;
    to_water(t, best, amount, t->s->view.water.velocity[i]);
    p->water[i] = p->pending[i] = 0.0;
}

// ---------------------------------------------------------------------------------- all

static shoal_status come_and_go(const tidy_job* t) {
    shoal_set* set  = t->pool->sph.set;
    int        gone = 0;
    for (int k = 0; k < set->count; k++) gone += t->e->is_gone[k];
    if (gone > 0) shoal_set_remove(set, &t->pool->sph.ctx->exec, t->e->is_gone);
    int first = set->count;
    for (int k = 0; k < t->e->birth_count; k++) {
        porous_birth born = t->e->births[k];
        SHOAL_TRY(shoal_set_append(set, (*t->s->ctx->next_id)++, t->s->wet.material, born.position, born.velocity));
        ((double*)shoal_set_data(set, "content"))[first + k]          = born.content;
        ((float*)shoal_set_data(set, "smoothed_pressure"))[first + k] = born.smoothed_pressure;
    }
    const double* content = shoal_set_data(set, "content");
    float*        volume  = shoal_set_data(set, "volume");
    for (int k = 0; k < set->count; k++) volume[k] = (float)content[k];
    return SHOAL_OK;
}

// Water in the pores of coarse sand, where it is enough for a particle: beside the grains, not in one spot with them.
static shoal_status release(const tidy_job* t) {
    const porous_pore_view* p     = t->pores;
    const shoal_v3          aside = shoal_v3_scale(shoal_v3_make(0.53f, 0.62f, 0.58f), 0.1f * (float)t->d);
    for (int i = 0; i < p->count; i++) {
        double amount = p->water[i] + p->pending[i];
        if (!p->pores[p->material[i]].is_coarse) continue;
        p->pore_pressure[i] = 0.0f;
        p->pore_velocity[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
        if (amount < TIDY_REST * t->rest_volume) return_film(t, i, amount);
        if (amount < TIDY_REST * t->rest_volume || !has_id(t)) continue;
        shoal_v3 place = shoal_v3_add(t->s->view.water.position[i], aside);
        SHOAL_TRY(create_drop(t->e, (porous_birth){clear_place(t, place), t->s->view.water.velocity[i], amount, 0.0f}));
        p->water[i] = p->pending[i] = 0.0;
    }
    return SHOAL_OK;
}

static tidy_job tidying_of(porous* s) {
    porous_pool* pool = s->pool;
    return (tidy_job){.s           = s,
                      .pool        = pool,
                      .v           = &pool->view,
                      .e           = &pool->exchange,
                      .pores       = &s->wet.view,
                      .rest_volume = (double)pool->view.rest_volume,
                      .d           = pool->sph.spacing};
}

shoal_status porous_release(porous* s) {
    const tidy_job t = tidying_of(s);
    SHOAL_TRY(porous_exchange_clear(s));
    SHOAL_TRY(release(&t));
    return come_and_go(&t);
}

shoal_status porous_tidy(porous* s) {
    const tidy_job t          = tidying_of(s);
    const bool     is_changed = s->wet.flowed || s->is_coarse; // volumes, or the room for them
    for (int k = 0; k < t.v->water.count; k++) {
        if (!may_take(&t, k) || absorb(&t, k) || !is_changed) continue;
        if ((s->wet.flowed && distribute(&t, k)) || grow(&t, k)) continue;
        SHOAL_TRY(split(&t, k));
    }
    for (int i = 0; s->wet.flowed && i < t.pores->count; i++) SHOAL_TRY(seep(&t, i));
    if (s->is_coarse) SHOAL_TRY(release(&t));
    return come_and_go(&t);
}
