// SPDX-License-Identifier: MIT
// Water particles become wetness and back (Rungjiratananon et al. 2008, section 4.3, and the regeneration that their
// section 7 leaves open). In whole quanta, which are only handed on.
//
// Who takes which particle is found by asking, never by writing at another's place: a grain that is not overwet chooses
// the nearest particle it touches, by number where two are equally near; a particle that was chosen gives itself in
// equal parts to all such grains around it. So a grain takes part in few particles at a time, and a flood is soaked up
// over some steps.
#include "solvers/grains/grains_local.h"

#include <string.h>

#include "fluid/water_pass.h"

enum { SOAK_BLOCK = 256 };

// Nearer than this to its surface a particle touches a grain, in spacings of the water: half its own size.
static const float touch_share = 0.5f;

static bool takes(const grains* s, int g) { return grains_takes(&s->all, s->all.work.water[g]); }

// A particle that sees less than this share of the grains around, because there is no room for it, is water of their
// pores: they take it up, overwet or not.
static bool is_enclosed(const grains* s, int i) { return s->water->crowd[i] > 1.0f; }

// Up to half of what a saved state may say (grains_load.c), so that what comes in a step still fits; then it waits.
static bool has_room(const grains* s, int g) { return s->all.work.water[g] < 32 * GRAINS_QUANTA; }
static bool shares(const grains* s, int i, int g) { return (is_enclosed(s, i) && has_room(s, g)) || takes(s, g); }

static bool touches(const grains* s, const grains_meet* m) {
    return m->r < s->all.work.place[0][m->grain].w + touch_share * s->water->sph.view.d;
}

// Water in the opening of an emitter is not there yet for anybody to drink.
static bool is_free(const grains* s, int i) { return s->water->sph.view.holder[i] == 0; }

// Whether the grain gets a part of the particle that it meets, if that is taken up.
static bool joins(const grains* s, const grains_meet* m) {
    return is_free(s, m->water) && shares(s, m->water, m->grain) && touches(s, m);
}

// ---------------------------------------------------------------------------------- absorption

static void choose_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s     = ctx;
    grains_water*           w     = s->water;
    const shoal_water_view* v     = &w->sph.view;
    const float*            fresh = shoal_set_data(w->set, "fresh");
    for (int g = begin; g < end; g++) {
        float nearest = 0.0f;
        int   best    = -1;
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1] && takes(s, g); k++) {
            const grains_meet* m = w->meet + w->pair_meet[k];
            if (fresh[m->water] > 0.0f || !is_free(s, m->water) || !touches(s, m)) continue;
            if (best >= 0 && (m->r > nearest || (m->r == nearest && v->id[m->water] > v->id[best]))) continue;
            best    = m->water;
            nearest = m->r;
        }
        w->choice[g] = best;
    }
}

// How many grains share particle i; 0: it stays.
static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*       s = ctx;
    grains_water* w = s->water;
    for (int i = begin; i < end; i++) {
        int  count     = 0;
        bool is_chosen = is_enclosed(s, i);
        for (int k = w->meet_first[i]; k < w->meet_first[i] + w->meet_count[i]; k++) {
            if (!joins(s, w->meet + k)) continue;
            count++;
            is_chosen = is_chosen || w->choice[w->meet[k].grain] == i;
        }
        w->taken[i] = is_chosen ? count : 0;
    }
}

// What the particle gives to the grain of one meeting: what does not go evenly goes to the first of its list.
static int32_t part_of(const grains* s, int meet, int32_t quanta) {
    const grains_water* w = s->water;
    int                 i = w->meet[meet].water, rank = 0, share = w->taken[i];
    for (int k = w->meet_first[i]; k < meet; k++) rank += joins(s, w->meet + k);
    return quanta / share + (rank < quanta % share);
}

// With the water comes its momentum; it does not spin.
static void drink_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s      = ctx;
    grains_water*           w      = s->water;
    const shoal_water_view* v      = &w->sph.view;
    const int32_t*          quanta = shoal_set_data(w->set, "quanta");
    double                  each   = grains_water_mass(s->ctx->description) / GRAINS_QUANTA;
    for (int g = begin; g < end; g++) {
        s->all.work.water_next[g] = s->all.work.water[g];
        shoal_v4 u                = s->all.work.speed[0][g];
        double   mass = (double)u.w * (double)u.w, more = 0.0;
        shoal_d3 sum = shoal_d3_scale(shoal_d3_from(grains_xyz(u)), mass);
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1]; k++) {
            int i = w->meet[w->pair_meet[k]].water;
            if (w->taken[i] == 0 || !joins(s, w->meet + w->pair_meet[k])) continue;
            int32_t part = part_of(s, w->pair_meet[k], quanta[i]);
            s->all.work.water_next[g] += part;
            more += part * each;
            sum = shoal_d3_add(sum, shoal_d3_scale(shoal_d3_from(v->velocity[i]), part * each));
        }
        if (more == 0.0) continue;
        double   all            = mass + more;
        shoal_v3 now            = shoal_v3_from(shoal_d3_scale(sum, 1.0 / all));
        s->all.work.speed[0][g] = (shoal_v4){now.x, now.y, now.z, (float)sqrt(all)};
        float light             = s->all.work.spin[0][g].w; // less than 1/mass of who an opening holds
        float reach             = s->all.work.place[0][g].w * (float)sqrt(mass / all);
        grains_turn(&s->all, g, s->all.work.water_next[g],
                    shoal_v3_scale(grains_xyz(s->all.work.spin[0][g]), reach * reach), &s->all.work.spin[0][g]);
        s->all.work.spin[0][g].w = light * (float)(mass / all);
    }
}

shoal_status grains_absorb(grains* s) {
    grains_water*     w     = s->water;
    const shoal_exec* exec  = &s->ctx->exec;
    int               count = w->set->count;
    if (!s->all.params.absorption || count == 0) return SHOAL_OK;
    s->all.wet_threshold = grains_threshold(&s->all.params);
    shoal_blocks(exec, s->all.view.count, SOAK_BLOCK, choose_block, s);
    shoal_blocks(exec, count, SOAK_BLOCK, count_block, s);
    shoal_blocks(exec, s->all.view.count, SOAK_BLOCK, drink_block, s);

    const int32_t* quanta = shoal_set_data(w->set, "quanta");
    int64_t        given  = 0;
    for (int i = 0; i < count; i++) {
        if (w->taken[i] == 0) continue;
        w->drop[i] = 1;
        w->drop_count++;
        given += quanta[i];
    }
    int64_t got = (int64_t)(grains_fold(s, GRAINS_water_next_of, s->all.view.count) -
                            grains_fold(s, GRAINS_water_of, s->all.view.count));
    if (got != given)
        return shoal_fail(SHOAL_ERR_INTERNAL, "absorption: %lld quanta of water went astray", (long long)(got - given));
    int32_t* swap          = s->all.work.water;
    s->all.work.water      = s->all.work.water_next;
    s->all.work.water_next = swap;
    grains_share(s);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- regeneration

// Grain k, its neighbours and theirs, each once; images by their index.
enum { AROUND_MOST = 192 };
typedef struct around {
    int who[AROUND_MOST], count;
} around;

static void note(around* a, int i) {
    for (int n = 0; n < a->count; n++)
        if (a->who[n] == i) return;
    if (a->count < AROUND_MOST) a->who[a->count++] = i;
}

static void gather_around(const grains* s, int k, around* a) {
    a->count = 0;
    note(a, k);
    GRAINS_EACH_SLOT(s->all.view.lists, k, slot) note(a, s->all.view.lists.index[slot]);
    int nearest = a->count;
    for (int n = 1; n < nearest; n++) {
        if (a->who[n] >= s->all.view.count) continue;
        GRAINS_EACH_SLOT(s->all.view.lists, a->who[n], slot) note(a, s->all.view.lists.index[slot]);
    }
}

// Whether a particle may be born at x before grain k: outside of all grains, no water, new or old, nearer than this
// share of its spacing, and all of them together, with the solids, leave it room: a particle that is born squeezed
// would burst.
static const float free_share = 0.8f;

static bool is_clear(const grains* s, int k, const around* a, shoal_v3 x, int first_new) {
    const grains_water*     w        = s->water;
    const shoal_v3*         position = shoal_set_data(w->set, "position");
    const float*            size     = shoal_set_data(s->ctx->particles, "size");
    const shoal_water_view* v        = &w->sph.view;
    float                   least = free_share * v->d, sum = 0.0f, volume = (float)w->sph.lattice.volume;
    for (int n = 0; n < a->count; n++) {
        shoal_v4 other = s->all.work.place[0][a->who[n]];
        float    r     = shoal_v3_length(shoal_v3_sub(x, grains_xyz(other)));
        if (a->who[n] != k && r < other.w) return false;
        if (r < v->h) sum += grains_volume(s, size, a->who[n]) / volume * shoal_water_bump(v->h, r);
    }
    bool has_pairs = first_new > 0; // there was water in this step
    int  g         = has_pairs ? w->seen[s->all.work.own[k]] : 0;
    for (int p = w->pair_first[g]; has_pairs && p < w->pair_first[g + 1]; p++) {
        int   i = w->meet[w->pair_meet[p]].water;
        float r = shoal_v3_length(shoal_v3_sub(x, position[i]));
        if (w->drop[i]) continue;
        if (r < least) return false;
        sum += shoal_water_bump(v->h, r);
    }
    for (int i = first_new; i < w->set->count; i++) {
        float r = shoal_v3_length(shoal_v3_sub(x, position[i]));
        if (r < least) return false;
        sum += shoal_water_bump(v->h, r);
    }
    float solids = shoal_solids_are_near(v->solids.world, x, v->h)
                       ? shoal_solid_share_at(&v->solids, x, v->h, SHOAL_KERNEL_CUBIC).density
                       : 0.0f;
    return v->self + v->weight * sum + solids <= 1.0f;
}

// Of a particle that is about to be born: who gives how much.
typedef struct pool {
    int      who[AROUND_MOST];
    int32_t  part[AROUND_MOST];
    int      count;
    int32_t  missing;
    shoal_d3 momentum; // over the mass of a quantum
} pool;

static void draw_from(grains* s, pool* p, int i) {
    int     k    = i < s->all.view.count ? i : s->halo.images[i - s->all.view.count].source;
    int32_t part = s->all.work.pending[k] < p->missing ? s->all.work.pending[k] : p->missing;
    if (part == 0) return;
    s->all.work.pending[k] -= part;
    p->who[p->count]    = k;
    p->part[p->count++] = part;
    p->missing -= part;
    p->momentum = shoal_d3_add(p->momentum, shoal_d3_scale(shoal_d3_from(grains_xyz(s->all.work.speed[0][k])), part));
}

// A whole particle out of what waits in grain k, its neighbours and theirs: one grain alone would rarely have it. All
// or nothing.
static bool pool_up(grains* s, const around* a, int32_t whole, pool* p) {
    *p = (pool){.missing = whole};
    for (int n = 0; n < a->count && p->missing > 0; n++) draw_from(s, p, a->who[n]);
    if (p->missing == 0) return true;
    for (int n = 0; n < p->count; n++) s->all.work.pending[p->who[n]] += p->part[n];
    return false;
}

// Water that waits becomes particles; in the order of the set, so that numbers are given in one order.
static shoal_status bear(grains* s) {
    grains_water* w     = s->water;
    shoal_set*    set   = w->set;
    int32_t       whole = grains_water_quanta(s->ctx->description);
    int           first = set->count;
    for (int k = 0; k < s->all.view.count; k++) w->choice[s->all.work.own[k]] = k;
    for (int g = 0; g < s->all.view.count; g++) {
        int      k = w->choice[g];
        shoal_v3 out;
        pool     p;
        around   a;
        if (s->all.work.pending[k] == 0 || grains_exposure(&s->all, k, &out) <= 0.0) continue;
        shoal_v4 at    = s->all.work.place[0][k];
        shoal_v3 place = shoal_v3_add_scaled(grains_xyz(at), out, at.w + 0.5f * w->sph.view.d);
        place = shoal_world_wrap(w->sph.solids.world, shoal_solid_clear(&w->sph.solids, place, 0.5f * w->sph.view.d));
        gather_around(s, k, &a);
        if (!is_clear(s, k, &a, place, first) || *s->ctx->next_id == INT32_MAX || !pool_up(s, &a, whole, &p)) continue;
        SHOAL_TRY(shoal_set_append(set, *s->ctx->next_id, w->sph.first, place,
                                   shoal_v3_from(shoal_d3_scale(p.momentum, 1.0 / whole))));
        ++*s->ctx->next_id;
        ((int32_t*)shoal_set_data(set, "quanta"))[set->count - 1] = whole;
        ((float*)shoal_set_data(set, "fresh"))[set->count - 1]    = s->all.params.fresh_time;
        grains_show_water(s, set->count - 1);
    }
    return SHOAL_OK;
}

typedef struct ageing {
    float* fresh; // s
    float  dt;
} ageing;

static void age_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const ageing* a = ctx;
    for (int i = begin; i < end; i++) a->fresh[i] = fmaxf(a->fresh[i] - a->dt, 0.0f);
}

shoal_status grains_soak_begin(grains* s, double dt) {
    SHOAL_TRY(grains_water_begin(s));
    ageing a = {shoal_set_data(s->water->set, "fresh"), (float)dt};
    shoal_blocks(&s->ctx->exec, s->water->set->count, SOAK_BLOCK, age_block, &a);
    return SHOAL_OK;
}

shoal_status grains_regenerate(grains* s) {
    if (!(s->all.params.regeneration > 0.0f)) return SHOAL_OK;
    s->all.wet_out = 1.0 - exp(-(double)s->all.params.regeneration * s->wet_dt);
    s->all.when    = (uint64_t)*s->dem_steps;
    grains_run_on(s, GRAINS_release, s->all.view.count);
    return bear(s);
}
