// SPDX-License-Identifier: MIT
// Grains and water particles that are near each other, and how grains give way while the pressure of the water is being
// found.
//
// Water and grains take turns. Were a grain a wall to the water, with the speed it has, the pressure that turns the
// water away would throw the grain back, the more the lighter it is against the water it moves: from about equal masses
// on they throw each other ever faster, and water in pores is that heavy. So the solve moves the grains too, as free
// bodies. With M the mass of the water that a grain of mass m must move, f the impulse on it over m, c what drives the
// water: a free grain has f' = c / (1 + M/m), the exact one, at once; one that contacts hold (1 + M/m) f' = M/m f + c,
// which goes to the right force c without ringing, whatever the masses.
#include "solvers/grains/grains_local.h"

#include <string.h>

#include "fluid/water_pass.h"

enum { MEET_BLOCK = 256 };

// ---------------------------------------------------------------------------------- who is near whom

static void meet_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int i = begin; i < end; i++) {
        grains_meet* to    = w->meet + w->meet_first[i];
        int          count = 0;
        float        share = 0.0f;
        SHOAL_FOR_NEAR(v->shore, i, b) {
            int g = grains_of_shore(s, b);
            if (g < 0) continue;
            grains_meet* m = to + count++;
            shoal_v3     d = shoal_displacement(v->place[i], v->sample.place[b], i, b, v->h, &m->r);
            m->grain       = g;
            m->water       = i;
            m->shore       = b;
            m->slope       = shoal_v3_scale(d, -v->slope * v->sample.place[b].w * shoal_water_steep(v->h, m->r) / m->r);
            share += v->weight * v->sample.place[b].w * shoal_water_bump(v->h, m->r);
        }
        w->meet_count[i] = count;
        w->crowd[i]      = v->wall[i].w;
        w->inflow[i]     = v->stream[i].w;
        // where grains and solids alone are more than there is room for beside the particle itself, no pressure can
        // change it
        float over  = count > 0 ? fminf(fmaxf(v->self + v->wall[i].w - 1.0f, 0.0f), share) : 0.0f;
        w->spare[i] = v->is_explicit ? 0.0f : over;
        if (v->is_explicit) v->wall[i].w -= over;
    }
}

static void pair_up(grains* s) {
    grains_water* w     = s->water;
    int           count = s->all.view.count, water = w->sph.view.count;
    memset(w->pair_first, 0, (size_t)(count + 1) * sizeof *w->pair_first);
    for (int i = 0; i < water; i++)
        for (int k = 0; k < w->meet_count[i]; k++) w->pair_first[w->meet[w->meet_first[i] + k].grain + 1]++;
    for (int g = 0; g < count; g++) w->pair_first[g + 1] += w->pair_first[g];
    for (int i = 0; i < water; i++)
        for (int k = 0; k < w->meet_count[i]; k++)
            w->pair_meet[w->pair_first[w->meet[w->meet_first[i] + k].grain]++] = w->meet_first[i] + k;
    for (int g = count; g > 0; g--) w->pair_first[g] = w->pair_first[g - 1];
    w->pair_first[0] = 0;
}

// What a grain gives way to all that press on it: no more than if each pressed as this one does and in one line.
static void slopes_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*       s = ctx;
    grains_water* w = s->water;
    for (int g = begin; g < end; g++) {
        float sum = 0.0f;
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1]; k++)
            sum += shoal_v3_length(w->meet[w->pair_meet[k]].slope);
        w->given[g] = (shoal_v4){0.0f, 0.0f, 0.0f, sum};
    }
}

static float mass_share(const grains* s, int g) { // of a water particle's mass over the grain's
    const shoal_water_view* v = &s->water->sph.view;
    return v->liquids[s->water->sph.first].density * v->d * v->d * v->d * s->all.work.spin[0][g].w;
}

static void give_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*       s = ctx;
    grains_water* w = s->water;
    for (int i = begin; i < end; i++) {
        w->give[i] = 0.0f;
        for (int k = w->meet_first[i]; k < w->meet_first[i] + w->meet_count[i]; k++) {
            int g = w->meet[k].grain;
            w->give[i] += mass_share(s, g) * shoal_v3_length(w->meet[k].slope) * w->given[g].w;
        }
    }
}

static size_t total_pairs(void* ctx, int begin, int end) {
    const grains_water* w     = ctx;
    size_t              total = 0;
    for (int i = begin; i < end; i++) total += (size_t)w->sph.view.shore.count[i];
    return total;
}

static void put_pairs(void* ctx, int begin, int end, size_t at) {
    const grains_water* w = ctx;
    for (int i = begin; i < end; at += (size_t)w->sph.view.shore.count[i++]) w->meet_first[i] = (int)at;
}

shoal_status grains_meet_all(grains* s) {
    grains_water*     w     = s->water;
    shoal_water_view* v     = &w->sph.view;
    const shoal_exec* exec  = &s->ctx->exec;
    size_t            pairs = shoal_lay_out(exec, v->count, (shoal_layout){total_pairs, put_pairs}, w, 0);
    if (pairs > w->pair_room) {
        size_t room  = pairs + pairs / 2;
        w->pair_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&w->meet, 0, room, sizeof *w->meet));
        SHOAL_TRY(shoal_realloc((void**)&w->pair_meet, 0, room, sizeof *w->pair_meet));
        w->pair_room = room;
    }
    shoal_blocks(exec, v->count, MEET_BLOCK, meet_block, s);
    pair_up(s);
    shoal_blocks(exec, s->all.view.count, MEET_BLOCK, slopes_block, s);
    shoal_blocks(exec, v->count, MEET_BLOCK, give_block, s);
    v->give  = w->give;
    v->spare = w->spare;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- giving way

// K that a particle presses with so far: that of the solve under way, and of the divergence-free one before it.
static float push_of(const shoal_water_view* v, int i) {
    bool is_second = v->is_split && v->total != v->settling;
    return v->total[i] + (is_second ? v->press * v->settling[i] / (v->ratio[i] * v->ratio[i]) : 0.0f);
}

static void move_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*       s = ctx;
    grains_water* w = s->water;
    for (int g = begin; g < end; g++) {
        shoal_v3 sum = {0.0f, 0.0f, 0.0f};
        for (int k = w->pair_first[g]; k < w->pair_first[g + 1]; k++) {
            const grains_meet* m = w->meet + w->pair_meet[k];
            sum                  = shoal_v3_add_scaled(sum, m->slope, push_of(&w->sph.view, m->water));
        }
        shoal_v4_set(&w->given[g], shoal_v3_scale(sum, mass_share(s, g)));
    }
}

static void flow_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int i = begin; i < end; i++) {
        float sum = 0.0f;
        for (int k = w->meet_first[i]; k < w->meet_first[i] + w->meet_count[i]; k++)
            sum += shoal_v3_dot(w->meet[k].slope, grains_xyz(w->given[w->meet[k].grain]));
        v->stream[i].w = w->inflow[i] + sum;
    }
}

static void guess_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    grains*                 s = ctx;
    grains_water*           w = s->water;
    const shoal_water_view* v = &w->sph.view;
    for (int b = begin; b < end; b++) {
        int g = grains_of_shore(s, b);
        if (g < 0) continue;
        shoal_v3 u = shoal_v3_add(shoal_v4_xyz(v->sample.motion[b]), grains_xyz(w->given[g]));
        shoal_v4_set(&v->sample.guess[b], shoal_v3_add_scaled(shoal_v4_xyz(v->sample.place[b]), u, v->dt));
    }
}

void grains_give_way(void* self) {
    grains*           s    = self;
    const shoal_exec* exec = &s->ctx->exec;
    shoal_blocks(exec, s->all.view.count, MEET_BLOCK, move_block, s);
    shoal_blocks(exec, s->water->sph.view.count, MEET_BLOCK, flow_block, s);
    shoal_blocks(exec, s->water->sph.shore_set->count, MEET_BLOCK, guess_block, s);
}
