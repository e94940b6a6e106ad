// SPDX-License-Identifier: MIT
// Water particles become wetness and back (Rungjiratananon et al. 2008, section 4.3, and the regeneration that their section 7
// leaves open). In whole quanta, which are only handed on.
//
// Who takes which particle is found by asking, never by writing at another's place: a grain that is not overwet chooses the
// nearest particle it touches, by number where two are equally near; a particle that was chosen gives itself in equal parts to
// all such grains around it. So a grain takes part in few particles at a time, and a flood is soaked up over some steps.
#include "solvers/grains/grains_local.h"

#include <string.h>

#include "fluid/water_pass.h"

enum { SOAK_BLOCK = 256 };

// Nearer than this to its surface a particle touches a grain, in spacings of the water: half its own size.
static const float touch_share = 0.5f;

static bool takes(const grains* s, int g) { return s->work.water[g] <= s->wet_threshold; }

static bool touches(const grains* s, int i, int b, int g, float* r) {
    const shoal_water_view* v = &s->water->sph.view;
    shoal_apart(v->place, i, b, v->h, r);
    return *r < s->work.place[0][g].w + touch_share * v->d;
}

// ---------------------------------------------------------------------------------- absorption

static void choose_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s     = ctx;
    grains_water*           w     = s->water;
    const shoal_water_view* v     = &w->sph.view;
    const int32_t*          from  = shoal_set_data(w->ctx.particles, "from");
    const float*            fresh = (const float*)shoal_set_data(s->ctx->particles, "fresh") + s->grain_count;
    for (int g = begin; g < end; g++) {
        float nearest = 0.0f, r;
        int   best    = -1;
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1] && takes(s, g); k++) {
            int i = w->pair_water[k];
            if (fresh[from[i]] > 0.0f || !touches(s, i, w->pair_shore[k], g, &r)) continue;
            if (best >= 0 && (r > nearest || (r == nearest && v->id[i] > v->id[best]))) continue;
            best    = i;
            nearest = r;
        }
        w->choice[g] = best;
    }
}

// How many grains share particle i; 0: it stays.
static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int i = begin; i < end; i++) {
        int   count     = 0;
        bool  is_chosen = false;
        float r;
        SHOAL_FOR_NEAR(v->shore, i, b) {
            int g = grains_of_shore(s, b);
            if (g < 0 || !takes(s, g) || !touches(s, i, b, g, &r)) continue;
            count++;
            is_chosen = is_chosen || w->choice[g] == i;
        }
        w->taken[i] = is_chosen ? count : 0;
    }
}

// What the particle gives to the grain that it meets as sample `mine`: what does not go evenly goes to the first of its list.
static int32_t part_of(const grains* s, int i, int mine, int32_t quanta) {
    const grains_water*     w    = s->water;
    const shoal_water_view* v    = &w->sph.view;
    int                     rank = 0, share = w->taken[i];
    float                   r;
    SHOAL_FOR_NEAR(v->shore, i, b) {
        int g = grains_of_shore(s, b);
        if (b == mine) return quanta / share + (rank < quanta % share);
        rank += g >= 0 && takes(s, g) && touches(s, i, b, g, &r);
    }
    return 0;
}

// With the water comes its momentum.
static void drink_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s      = ctx;
    grains_water*           w      = s->water;
    const shoal_water_view* v      = &w->sph.view;
    const int32_t *         from   = shoal_set_data(w->ctx.particles, "from"),
                  *         quanta = (const int32_t*)shoal_set_data(s->ctx->particles, "water") + s->grain_count;
    double                  each   = grains_water_mass(s->ctx->description) / GRAINS_QUANTA;
    for (int g = begin; g < end; g++) {
        s->work.water_next[g] = s->work.water[g];
        if (!takes(s, g)) continue;
        shoal_v4 u    = s->work.speed[0][g];
        double   mass = (double)u.w * (double)u.w, more = 0.0;
        shoal_d3 sum  = shoal_d3_scale(shoal_d3_from(grains_xyz(u)), mass);
        float    r;
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1]; k++) {
            int i = w->pair_water[k], b = w->pair_shore[k];
            if (w->taken[i] == 0 || !touches(s, i, b, g, &r)) continue;
            int32_t part = part_of(s, i, b, quanta[from[i]]);
            s->work.water_next[g] += part;
            more += part * each;
            sum = shoal_d3_add(sum, shoal_d3_scale(shoal_d3_from(v->velocity[i]), part * each));
        }
        if (more == 0.0) continue;
        double   all = mass + more;
        shoal_v3 now = shoal_v3_from(shoal_d3_scale(sum, 1.0 / all));
        s->work.speed[0][g]  = (shoal_v4){now.x, now.y, now.z, (float)sqrt(all)};
        s->work.spin[0][g].w = (float)(1.0 / all);
    }
}

shoal_status grains_absorb(grains* s) {
    grains_water*     w     = s->water;
    const shoal_exec* exec  = &s->ctx->exec;
    int               count = w->ctx.particles->count;
    uint8_t*          gone  = w->gone;
    if (!s->params.absorption || count == 0) return SHOAL_OK;
    s->wet_threshold = grains_threshold(&s->params);
    shoal_blocks(exec, s->view.count, SOAK_BLOCK, choose_block, s);
    shoal_blocks(exec, count, SOAK_BLOCK, count_block, s);
    shoal_blocks(exec, s->view.count, SOAK_BLOCK, drink_block, s);

    const int32_t* from   = shoal_set_data(w->ctx.particles, "from");
    const int32_t* quanta = (const int32_t*)shoal_set_data(s->ctx->particles, "water") + s->grain_count;
    int64_t        given  = 0;
    for (int i = 0; i < count; i++) {
        if (w->taken[i] == 0) continue;
        gone[s->grain_count + from[i]] = w->drop[i] = 1;
        w->drop_count++;
        given += quanta[from[i]];
        w->gone_count++;
    }
    int64_t got = grains_water_total(s, s->work.water_next, s->view.count) - grains_water_total(s, s->work.water, s->view.count);
    if (got != given)
        return shoal_fail(SHOAL_ERR_INTERNAL, "absorption: %lld quanta of water went astray", (long long)(got - given));
    int32_t* swap      = s->work.water;
    s->work.water      = s->work.water_next;
    s->work.water_next = swap;
    grains_share(s);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- regeneration

// Water beyond `wet_release` leaves a grain that has room before it, and waits until it makes a particle.
static void release_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains* s       = ctx;
    int32_t release = (int32_t)((double)s->params.wet_release * GRAINS_QUANTA);
    double  share   = 1.0 - exp(-(double)s->params.regeneration * s->wet_dt);
    for (int i = begin; i < end; i++) {
        if (s->work.water[i] <= release || grains_exposure(s, i, NULL) <= 0.0) continue;
        int32_t out = (int32_t)floor((double)(s->work.water[i] - release) * share);
        s->work.water[i] -= out;
        s->work.pending[i] += out;
    }
}

// Whether a particle may be born at x before grain i: no other grain there, and no water, new or old, nearer than this share of
// its spacing.
static const float free_share = 0.8f;

static bool is_free(const grains* s, int k, shoal_v3 x, int first_new) {
    const grains_water* w        = s->water;
    const shoal_set*    set      = s->ctx->particles;
    const shoal_v3*     position = shoal_set_data(set, "position");
    float               d = w->sph.view.d, least = free_share * d;
    GRAINS_EACH_SLOT(s->lists, k, slot) {
        shoal_v4 other = s->work.place[0][s->lists.index[slot]];
        if (shoal_v3_length(shoal_v3_sub(x, grains_xyz(other))) < other.w) return false;
    }
    bool           has_pairs = w->ctx.particles->count > 0;
    int            g         = has_pairs ? w->seen[s->work.own[k]] : 0;
    const int32_t* from      = shoal_set_data(w->ctx.particles, "from");
    for (int p = w->pair_first[g]; has_pairs && p < w->pair_first[g + 1]; p++) {
        int i = s->grain_count + from[w->pair_water[p]];
        if (!w->gone[i] && shoal_v3_length(shoal_v3_sub(x, position[i])) < least) return false;
    }
    for (int i = first_new; i < set->count; i++)
        if (shoal_v3_length(shoal_v3_sub(x, position[i])) < least) return false;
    return true;
}

// Water that waits becomes particles; in the order of the set, so that numbers are given in one order.
static shoal_status bear(grains* s) {
    grains_water* w     = s->water;
    shoal_set*    set   = s->ctx->particles;
    int32_t       whole = grains_water_quanta(s->ctx->description);
    int           first = set->count;
    for (int k = 0; k < s->view.count; k++) w->choice[s->work.own[k]] = k;
    for (int g = 0; g < s->view.count; g++) {
        int      k = w->choice[g];
        shoal_v3 out;
        if (s->work.pending[k] < whole || grains_exposure(s, k, &out) <= 0.0) continue;
        shoal_v4 at    = s->work.place[0][k];
        shoal_v3 place = shoal_v3_add_scaled(grains_xyz(at), out, at.w + 0.5f * w->sph.view.d);
        place          = shoal_world_wrap(&w->world, shoal_solid_clear(&w->world, place, 0.5f * w->sph.view.d));
        if (!is_free(s, k, place, first) || *s->ctx->next_id == INT32_MAX) continue;
        SHOAL_TRY(shoal_set_append(set, *s->ctx->next_id, w->liquid, place, grains_xyz(s->work.speed[0][k])));
        ++*s->ctx->next_id;
        s->work.pending[k] -= whole;
        ((int32_t*)shoal_set_data(set, "water"))[set->count - 1] = whole;
        ((float*)shoal_set_data(set, "fresh"))[set->count - 1]   = s->params.fresh_time;
        grains_show_water(s, set->count - 1);
    }
    return SHOAL_OK;
}

static shoal_status reserve_gone(grains* s) {
    grains_water* w     = s->water;
    size_t        count = (size_t)s->ctx->particles->capacity;
    if (count > w->gone_room) {
        w->gone_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&w->gone, 0, count, sizeof *w->gone));
        w->gone_room = count;
    }
    memset(w->gone, 0, count);
    w->gone_count = 0;
    return SHOAL_OK;
}

shoal_status grains_soak_begin(grains* s, double dt) {
    float* fresh = shoal_set_data(s->ctx->particles, "fresh");
    for (int i = s->grain_count; i < s->ctx->particles->count; i++) fresh[i] = fmaxf(fresh[i] - (float)dt, 0.0f);
    SHOAL_TRY(reserve_gone(s));
    return grains_water_begin(s);
}

shoal_status grains_regenerate(grains* s) {
    if (!(s->params.regeneration > 0.0f)) return SHOAL_OK;
    shoal_blocks(&s->ctx->exec, s->view.count, SOAK_BLOCK, release_block, s);
    return bear(s);
}

// Those taken in leave the set; the marks of those just born are none.
shoal_status grains_soak_end(grains* s) {
    grains_water* w = s->water;
    if (w->gone_count == 0) return SHOAL_OK;
    if ((size_t)s->ctx->particles->count > w->gone_room) {
        size_t kept = w->gone_room, room = (size_t)s->ctx->particles->capacity;
        SHOAL_TRY(shoal_realloc((void**)&w->gone, kept, room, sizeof *w->gone));
        memset(w->gone + kept, 0, room - kept);
        w->gone_room = room;
    }
    shoal_set_remove(s->ctx->particles, w->gone);
    return SHOAL_OK;
}
