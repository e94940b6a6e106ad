// SPDX-License-Identifier: MIT
#include "tet/thicken.h"

#include <math.h>

enum { BLOCK = 256 };

// Of parts about to vanish the tracked distance half way is 0.37 of half of the thickness, and more.
#define SHORTEST 0.3
// Reach of a ball, in cells [Zhu & Bridson 2005].
#define REACH 2.0

void shoal_tet_thicken_free(shoal_tet_thicken* t) {
    shoal_tet_medials_free(&t->medials);
    shoal_free(t->given);
    *t = (shoal_tet_thicken){0};
}

typedef struct thin_job {
    shoal_tet_thicken*           t;
    const shoal_tet_thicken_def* def;
    const shoal_band*            band;
    shoal_tet_wet_fn             is_wet;
    shoal_tet_carry_fn           carry;
    void*                        ctx;
} thin_job;

// --- where it is thin, and gets to

static double distance_at(void* ctx, shoal_d3 at, shoal_clear* last) {
    (void)last;
    return shoal_band_distance(((const thin_job*)ctx)->band, at);
}
static bool is_wet_at(void* ctx, shoal_d3 at) {
    const thin_job* job = ctx;
    return job->is_wet(job->ctx, at);
}
static void carry_on(void* ctx, shoal_d3 way, shoal_tet_medial* m) {
    (void)way;
    const thin_job* job = ctx;
    m->at               = job->carry(job->ctx, m->at);
}

// --- radii

// Radii above a quarter of what counts as thin are less thin than others. [The paper's bound is the largest radius that
// a thin part can have, by which none would be less thin.]
static bool is_big(const thin_job* job, const shoal_tet_medial* m) {
    return m->radius > 0.25 * job->def->thin * job->t->medials.cell;
}

typedef struct count_job {
    const thin_job* job;
    int             count;
} count_job;
static void count_big(void* ctx, int i, double square) {
    (void)square;
    count_job* c = ctx;
    c->count += is_big(c->job, &c->job->t->medials.items[i]);
}
static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    thin_job* job = ctx;
    for (int i = begin; i < end; i++) {
        shoal_tet_medial* m = &job->t->medials.items[i];
        count_job         c = {job, 0};
        job->t->given[i]    = 0.0;
        if (!is_big(job, m))
            shoal_tet_medials_near(&job->t->medials, m->at, job->def->redistribute * job->t->medials.cell, count_big,
                                   &c);
        m->near = is_big(job, m) ? -1 : c.count;
    }
}

typedef struct gift_job {
    const shoal_tet_thicken* t;
    double                   sum;
} gift_job;
static void take_fraction(void* ctx, int i, double square) {
    (void)square;
    gift_job*               g = ctx;
    const shoal_tet_medial* m = &g->t->medials.items[i];
    if (m->near > 0) g->sum += m->radius / m->near;
}
static void distribute_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    thin_job* job = ctx;
    for (int i = begin; i < end; i++) {
        gift_job g = {job->t, 0.0};
        if (job->t->medials.items[i].near >= 0) continue;
        shoal_tet_medials_near(&job->t->medials, job->t->medials.items[i].at,
                               job->def->redistribute * job->t->medials.cell, take_fraction, &g);
        job->t->given[i] = g.sum;
    }
}

// Those that have given all are gone: they have no radius.
static void grow_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    thin_job* job = ctx;
    for (int i = begin; i < end; i++) {
        shoal_tet_medial* m    = &job->t->medials.items[i];
        double            cell = job->t->medials.cell, most = 0.5 * job->def->thin * cell;
        if (m->near < 0)
            m->radius = fmin(m->radius + job->t->given[i], most) + job->def->more_big * cell;
        else
            m->radius = m->near > 0 ? 0.0 : m->radius + job->def->more_small * cell;
    }
}

shoal_status shoal_tet_thicken_make(shoal_tet_thicken* t, const shoal_band* band, const shoal_octree* tree,
                                    const shoal_tet_thicken_def* def, shoal_tet_wet_fn is_wet, shoal_tet_carry_fn carry,
                                    void* ctx, const shoal_exec* exec) {
    thin_job             job  = {t, def, band, is_wet, carry, ctx};
    shoal_tet_medial_def thin = {SHORTEST, def->thin * band->grid.cell, distance_at, is_wet_at, carry_on, &job};
    SHOAL_TRY(shoal_tet_medials_find(&t->medials, band, tree, &thin, exec));
    int count = t->medials.count;
    SHOAL_TRY(shoal_reserve((void**)&t->given, &t->given_capacity, count, sizeof *t->given));
    shoal_blocks(exec, count, BLOCK, count_block, &job);
    shoal_blocks(exec, count, BLOCK, distribute_block, &job);
    shoal_blocks(exec, count, BLOCK, grow_block, &job);
    return SHOAL_OK;
}

// --- balls

typedef struct ball_job {
    const shoal_tet_thicken* t;
    shoal_d3                 at;
    double                   weight, radius;
} ball_job;
static void add_ball(void* ctx, int i, double square) {
    ball_job*               b = ctx;
    const shoal_tet_medial* m = &b->t->medials.items[i];
    double reach = REACH * b->t->medials.cell, rest = 1.0 - square / (reach * reach), w = rest * rest * rest;
    if (!(m->radius > 0.0)) return;
    b->weight += w;
    b->radius += w * m->radius;
    b->at = shoal_d3_add(b->at, shoal_d3_scale(m->at, w));
}

double shoal_tet_thickened(const shoal_tet_thicken* t, shoal_d3 at, double distance) {
    ball_job b = {t, {0.0, 0.0, 0.0}, 0.0, 0.0};
    if (!shoal_tet_medials_are_near(&t->medials, at)) return distance;
    shoal_tet_medials_near(&t->medials, at, REACH * t->medials.cell, add_ball, &b);
    if (!(b.weight > 0.0)) return distance;
    double ball = shoal_d3_length(shoal_d3_sub(at, shoal_d3_scale(b.at, 1.0 / b.weight))) - b.radius / b.weight;
    return ball < distance ? ball : distance;
}
