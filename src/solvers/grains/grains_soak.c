// SPDX-License-Identifier: MIT
// Water particles become wetness and back (Rungjiratananon et al. 2008, section 4.3, and the regeneration that their
// section 7 leaves open). In whole quanta, which are only handed on.
//
// Which grain takes which particle is found by asking, never by writing at another's place: a grain that is not overwet
// chooses the nearest particle it touches, by number where two are equally near; a particle that was chosen gives
// itself in equal parts to all such grains around it. So a grain takes part in few particles at a time, and a flood is
// soaked up over some steps.
#include "solvers/grains/grains_local.h"

#include <string.h>

// ---------------------------------------------------------------------------------- absorption

// A particle that is taken up leaves the set before the next step; that is done here, wherever the passes run.
static shoal_status mark_drops(grains* s) {
    grains_water* w      = s->water;
    shoal_device* device = s->ctx->exec.device;
    int           count  = w->set->count;
    const int*    taken  = w->pairs.taken;
    if (device) {
        SHOAL_TRY(shoal_reserve((void**)&w->taken_here, &w->here_capacity[2], count, sizeof *w->taken_here));
        device->fetch(device, w->taken_here, taken, (size_t)count * sizeof *taken);
        SHOAL_TRY(shoal_device_check(device));
        taken = w->taken_here;
    }
    for (int i = 0; i < count; i++) {
        if (taken[i] == 0) continue;
        w->drop[i] = 1;
        w->drop_count++;
    }
    return SHOAL_OK;
}

shoal_status grains_absorb(grains* s) {
    grains_water* w     = s->water;
    int           count = w->set->count, sand = s->all.view.count;
    if (!s->all.params.absorption || count == 0) return SHOAL_OK;
    s->all.wet_threshold = grains_threshold(&s->all.params);
    grains_run_among(s, GRAINS_choose, sand);
    grains_run_among(s, GRAINS_split, count);
    grains_run_among(s, GRAINS_drink, sand);

    // one answer for all
    shoal_device* device = s->ctx->exec.device;
    double        among[GRAINS_AMONG_FOLD_COUNT], own[GRAINS_FOLD_COUNT];
    grains_ask_among(s, GRAINS_taken_of, count, among);
    grains_ask_among(s, GRAINS_given_of, count, among);
    grains_ask(s, GRAINS_water_next_of, sand, own);
    grains_ask(s, GRAINS_water_of, sand, own);
    if (device) device->settle(device);
    SHOAL_TRY(shoal_device_check(device));
    int64_t given = (int64_t)among[GRAINS_given_of];
    int64_t got   = (int64_t)(own[GRAINS_water_next_of] - own[GRAINS_water_of]);
    if (among[GRAINS_taken_of] > 0.0) SHOAL_TRY(mark_drops(s));
    if (got != given)
        return shoal_fail(SHOAL_ERR_INTERNAL, "absorption: %lld quanta of water went astray", (long long)(got - given));
    int32_t* swap          = s->all.work.water;
    s->all.work.water      = s->all.work.water_next;
    s->all.work.water_next = swap;
    grains_fill_halo(s);
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

static void gather_around(const grains_among* s, int k, around* a) {
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
// fraction of its spacing, and all of them together, with the solids, leave it room: a particle that is born squeezed
// would burst.
static const float free_fraction = 0.8f;

static bool is_clear(const grains* s, const grains_among* l, int k, const around* a, shoal_v3 x, int first_new) {
    const grains_water*     w        = s->water;
    const shoal_v3*         position = shoal_set_read(w->set, "position");
    const shoal_water_view* v        = &w->sph.view;
    float                   least = free_fraction * v->d, sum = 0.0f, volume = (float)w->sph.lattice.volume;
    for (int n = 0; n < a->count; n++) {
        shoal_v4 other = l->all.work.place[0][a->who[n]];
        float    r     = shoal_v3_length(shoal_v3_sub(x, grains_xyz(other)));
        if (a->who[n] != k && r < other.w) return false;
        if (r < v->h) sum += grains_volume_of(l, a->who[n]) / volume * shoal_water_kernel(v->h, r);
    }
    bool has_pairs = first_new > 0; // there was water in this step
    int  g         = has_pairs ? l->pairs.seen[l->all.work.own[k]] : 0;
    for (int p = has_pairs ? l->pairs.pair_first[g] : 0; has_pairs && p < l->pairs.pair_first[g + 1]; p++) {
        int   i = grains_paired(l, p)->water;
        float r = shoal_v3_length(shoal_v3_sub(x, position[i]));
        if (w->drop[i]) continue;
        if (r < least) return false;
        sum += shoal_water_kernel(v->h, r);
    }
    for (int i = first_new; i < w->set->count; i++) {
        float r = shoal_v3_length(shoal_v3_sub(x, position[i]));
        if (r < least) return false;
        sum += shoal_water_kernel(v->h, r);
    }
    float solids = shoal_solids_are_near(w->sph.solids.world, x, v->h)
                       ? shoal_solid_fraction_at(&w->sph.solids, x, v->h, SHOAL_KERNEL_CUBIC).density
                       : 0.0f;
    return v->self + v->weight * sum + solids <= 1.0f;
}

// Of a particle that is about to be born: which grains give how much.
typedef struct pool {
    int      who[AROUND_MOST];
    int32_t  part[AROUND_MOST];
    int      count;
    int32_t  missing;
    shoal_d3 momentum; // over the mass of a quantum
} pool;

static void draw_from(const grains_among* s, pool* p, int i) {
    int     k    = i < s->all.view.count ? i : s->all.images[i - s->all.view.count].source;
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
static bool pool_up(const grains_among* s, const around* a, int32_t whole, pool* p) {
    *p = (pool){.missing = whole};
    for (int n = 0; n < a->count && p->missing > 0; n++) draw_from(s, p, a->who[n]);
    if (p->missing == 0) return true;
    for (int n = 0; n < p->count; n++) s->all.work.pending[p->who[n]] += p->part[n];
    return false;
}

// What births ask, here: they are found one after the other, each with those before it. Whatever lies on a device is
// fetched.
static shoal_status survey_here(grains* s, grains_among* l) {
    const shoal_exec here   = {.threads = s->ctx->exec.threads};
    shoal_device*    device = s->ctx->exec.device;
    grains_water*    w      = s->water;
    grains_among_view(s, &here, l);
    l->all.size       = shoal_set_data(s->ctx->particles, "size");
    l->all.view.world = &s->here;
    if (!device) return SHOAL_OK;
    const grains_lists* lists = &s->all.view.lists;
    size_t count = (size_t)s->all.view.count, all = (size_t)s->all.view.nobody + 1, meets = (size_t)w->meets;
    size_t slots = lists->slot_capacity, pairs = w->pairs.seen && w->meets > 0 ? count : 0;
    const struct {
        void*  at; // of the pointer
        size_t bytes;
    } parts[] = {{&l->all.work.place[0], all * sizeof(shoal_v4)},
                 {&l->all.work.fine[0], all * sizeof(shoal_v4)},
                 {&l->all.work.speed[0], all * sizeof(shoal_v4)},
                 {&l->all.work.own, count * sizeof(int)},
                 {&l->all.work.water, count * sizeof(int32_t)},
                 {&l->all.work.pending, count * sizeof(int32_t)},
                 {&l->all.images, (size_t)s->halo.count * sizeof(shoal_image)},
                 {&l->all.view.lists.first, count * sizeof *lists->first},
                 {&l->all.view.lists.count, count * sizeof *lists->count},
                 {&l->all.view.lists.solid, count * sizeof *lists->solid},
                 {&l->all.view.lists.solids, count * sizeof *lists->solids},
                 {&l->all.view.lists.index, slots * sizeof *lists->index},
                 {&l->pairs.seen, pairs * sizeof(int)},
                 {&l->pairs.pair_first, (pairs > 0 ? pairs + 1 : 0) * sizeof(int)},
                 {&l->pairs.pair_meet, meets * sizeof(int)},
                 {&l->pairs.meet, meets * sizeof(grains_meet)}};
    enum { PARTS = sizeof parts / sizeof *parts, EVEN = 64 };
    size_t bytes = 0;
    for (int k = 0; k < PARTS; k++) bytes += (parts[k].bytes + EVEN - 1) / EVEN * EVEN;
    if (bytes > w->fetched_capacity) {
        w->fetched_capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&w->fetched, 0, bytes + bytes / 4, 1));
        w->fetched_capacity = bytes + bytes / 4;
    }
    char* to = w->fetched;
    for (int k = 0; k < PARTS; k++) {
        void* from;
        memcpy(&from, parts[k].at, sizeof from);
        if (parts[k].bytes > 0) device->fetch(device, to, from, parts[k].bytes);
        from = to;
        memcpy(parts[k].at, &from, sizeof from);
        to += (parts[k].bytes + EVEN - 1) / EVEN * EVEN;
    }
    l->all.view.place = l->all.work.place[0];
    l->all.view.fine  = l->all.work.fine[0];
    return shoal_device_check(device);
}

// Water that waits becomes particles; in the order of the set, so that numbers are given in one order.
static shoal_status release_water(grains* s) {
    grains_water* w      = s->water;
    shoal_device* device = s->ctx->exec.device;
    shoal_set*    set    = w->set;
    int32_t       whole  = grains_water_quanta(s->ctx->description);
    int           first = set->count, count = s->all.view.count;
    grains_among  l;
    if (grains_fold(s, GRAINS_pending_of, count) < (double)whole) return SHOAL_OK; // not one
    SHOAL_TRY(survey_here(s, &l));
    SHOAL_TRY(shoal_reserve((void**)&w->lean_here, &w->here_capacity[1], count, sizeof *w->lean_here));
    for (int k = 0; k < count; k++) w->lean_here[l.all.work.own[k]] = k;
    for (int g = 0; g < count; g++) {
        int      k = w->lean_here[g];
        shoal_v3 out;
        pool     p;
        around   a;
        if (l.all.work.pending[k] == 0 || grains_exposure(&l.all, k, &out) <= 0.0) continue;
        shoal_v4 at    = l.all.work.place[0][k];
        shoal_v3 place = shoal_v3_add_scaled(grains_xyz(at), out, at.w + 0.5f * w->sph.view.d);
        place = shoal_world_wrap(w->sph.solids.world, shoal_solid_clear(&w->sph.solids, place, 0.5f * w->sph.view.d));
        gather_around(&l, k, &a);
        if (!is_clear(s, &l, k, &a, place, first) || *s->ctx->next_id == INT32_MAX || !pool_up(&l, &a, whole, &p))
            continue;
        SHOAL_TRY(shoal_set_append(set, *s->ctx->next_id, w->sph.first, place,
                                   shoal_v3_from(shoal_d3_scale(p.momentum, 1.0 / whole))));
        ++*s->ctx->next_id;
        ((int32_t*)shoal_set_data(set, "quanta"))[set->count - 1] = whole;
        ((float*)shoal_set_data(set, "fresh"))[set->count - 1]    = s->all.params.fresh_time;
    }
    if (device) device->send(device, s->all.work.pending, l.all.work.pending, (size_t)count * sizeof(int32_t));
    return SHOAL_OK;
}

shoal_status grains_soak_begin(grains* s, double dt) {
    SHOAL_TRY(grains_water_begin(s));
    s->water->age = (float)dt;
    grains_run_among(s, GRAINS_grow_old, s->water->set->count);
    return SHOAL_OK;
}

shoal_status grains_regenerate(grains* s) {
    if (!(s->all.params.regeneration > 0.0f)) return SHOAL_OK;
    s->all.wet_out = 1.0 - exp(-(double)s->all.params.regeneration * s->wet_dt);
    s->all.when    = (uint64_t)*s->dem_steps;
    grains_run_on(s, GRAINS_release, s->all.view.count);
    return release_water(s);
}
