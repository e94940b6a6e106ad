// SPDX-License-Identifier: MIT
// SPH water: what solids feel, by collider.
#include "fluid/water_pass.h"

// Blocks are as long as needed for no more than this many of them, so that room does not grow with particles times
// colliders.
enum { LOAD_BLOCKS = 64, LOAD_LEAST = 512 };

// A solid near a particle: a collider, or all walls of one number. A particle has rarely more than three.
enum { NEAR_MOST = 8 };

typedef struct neighbour {
    int      body;
    shoal_d3 away;             // sum of V_b steep/r x_ib: where its pressure pushes
    double   push;             // its part in the contact: touch = sum of push times away
    double   coulomb, viscous; // its part in friction, the first with that of boundary layers
} neighbour;

static int neighbours_of(const shoal_water* w, int i, neighbour* near) {
    const shoal_water_view*  v     = &w->view;
    const shoal_sample_view* s     = &v->sample;
    int                      count = 0;
    SHOAL_FOR_NEAR(v->shore, i, b) {
        float    r;
        shoal_v3 d      = shoal_displacement(v->place[i], s->place[b], i, b, v->h, &r);
        double   volume = (double)s->place[b].w, grip = (double)s->motion[b].w;
        int      body = s->body[b], k = 0;
        if (body < SHOAL_WATER_OTHER) body = SHOAL_WATER_OTHER; // all of the others as one
        while (k < count && near[k].body != body) k++;
        if (k == NEAR_MOST) continue;
        if (k == count) near[count++] = (neighbour){.body = body};
        near[k].away = shoal_d3_add(
            near[k].away, shoal_d3_scale(shoal_d3_from(d), volume * (double)shoal_water_steep(v->h, r) / (double)r));
        near[k].coulomb += volume * (double)shoal_water_bump(v->h, r) * (fmax(grip, 0.0) + (double)s->skin[b]);
        if (grip < 0.0 && r < v->h) near[k].viscous += volume * (double)(v->h - r);
    }
    return count;
}

// Parts of the contact: the shares, not below zero, that come nearest to it. In a corner each solid gets what is along
// its own normal.
static void share_contact(neighbour* near, int count, shoal_d3 touch) {
    enum { ROUNDS = 20 };
    shoal_d3 left = touch;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < count; k++) {
            double length2 = shoal_d3_dot(near[k].away, near[k].away);
            if (!(length2 > 0.0)) continue;
            double push  = fmax(near[k].push + shoal_d3_dot(left, near[k].away) / length2, 0.0);
            left         = shoal_d3_add(left, shoal_d3_scale(near[k].away, near[k].push - push));
            near[k].push = push;
        }
}

// What a particle gives the solids near: its pressure, m_i light K V_b grad W, its contact and its friction.
static void load_of(const shoal_water* w, int i, shoal_water_force* sum) {
    const shoal_water_view* v = &w->view;
    neighbour               near[NEAR_MOST];
    int                     count = neighbours_of(w, i, near), colliders = w->ctx->world->collider_count;
    bool                    is_felt = false;
    double                  coulomb = 0.0, viscous = 0.0;
    for (int k = 0; k < count; k++) {
        is_felt = is_felt || (near[k].body >= 0 && near[k].body < colliders);
        coulomb += near[k].coulomb, viscous += near[k].viscous;
    }
    if (!is_felt) return;

    double   cube   = w->volumes ? (double)w->volumes[i] : pow((double)v->d, 3.0);
    double   mass   = w->masses ? (double)w->masses[i] : (double)w->liquids[v->material[i]].density * cube;
    double   k_i    = (double)v->press * (double)v->pressure[i] * pow((double)v->motion[i].w, 2.0);
    double   press  = (double)w->liquids[0].density * cube * k_i * (double)v->slope;
    shoal_d3 rubbed = shoal_d3_sub(shoal_d3_from(v->velocity[i]), shoal_d3_from(v->course[i]));
    shoal_d3 none = {0.0, 0.0, 0.0}, drag = v->hold[i] > 0.0f ? shoal_d3_from(v->drag[i]) : none;
    share_contact(near, count, shoal_d3_from(v->course_touch[i]));
    for (int k = 0; k < count; k++) {
        if (near[k].body < 0 || near[k].body >= colliders) continue;
        shoal_water_force* f = &sum[near[k].body];
        f->pressure          = shoal_d3_add(f->pressure, shoal_d3_scale(near[k].away, -press - mass * near[k].push));
        if (coulomb > 0.0)
            f->friction = shoal_d3_add(f->friction, shoal_d3_scale(rubbed, -mass * near[k].coulomb / coulomb));
        if (viscous > 0.0)
            f->friction = shoal_d3_add(f->friction, shoal_d3_scale(drag, -mass * near[k].viscous / viscous));
    }
}

static int block_length(int count) {
    int length = (count + LOAD_BLOCKS - 1) / LOAD_BLOCKS;
    return length > LOAD_LEAST ? length : LOAD_LEAST;
}

static void load_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_water*       w         = ctx;
    int                colliders = w->ctx->world->collider_count;
    shoal_water_force* sum       = w->load + (size_t)(begin / block_length(w->view.count)) * (size_t)colliders;
    for (int c = 0; c < colliders; c++) sum[c] = (shoal_water_force){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = begin; i < end; i++)
        if (w->view.shore.count[i] > 0) load_of(w, i, sum);
}

shoal_status shoal_water_load(shoal_water* w, shoal_water_force* by_collider) {
    int colliders = w->ctx->world->collider_count, length = block_length(w->view.count);
    if (colliders == 0) return SHOAL_OK;
    size_t room = (size_t)LOAD_BLOCKS * (size_t)colliders;
    if (room > w->load_room) {
        w->load_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&w->load, 0, room, sizeof *w->load));
        w->load_room = room;
    }
    shoal_blocks(&w->ctx->exec, w->view.count, length, load_block, w);
    for (int b = 0; b * length < w->view.count; b++)
        for (int c = 0; c < colliders; c++) {
            const shoal_water_force* one = &w->load[(size_t)b * (size_t)colliders + (size_t)c];
            by_collider[c].pressure      = shoal_d3_add(by_collider[c].pressure, one->pressure);
            by_collider[c].friction      = shoal_d3_add(by_collider[c].friction, one->friction);
        }
    return SHOAL_OK;
}
