// SPDX-License-Identifier: MIT
// Rigid clusters of sand: particles that do not yield, connected within `cluster_reach`, found anew in each substep.
// With the paper's friction they move as rigid bodies, with impulses and friction at solids [Lenaerts & Dutre 2009,
// section 3; Keiser et al. 2006]; else they are only shown.
#include <math.h>

#include "solvers/porous/porous_local.h"
#include "solvers/porous/porous_pore_pass.h"

// Fewer are no body.
enum { CLUSTER_LEAST = 4 };
// Impulses of a cluster, one after another at the particle that is deepest in a solid; and what of the distance that
// contact keeps is deep enough to matter.
enum { IMPULSES_MOST = 64 };
#define CLUSTER_DEEP 1e-3

// Of clusters that are only shown, in spacings.
static const float shown_reach = 1.3f;

void porous_clusters_free(porous_clusters* c) {
    shoal_free(c->queue);
    shoal_free(c->offset);
    shoal_free(c->touches);
    *c = (porous_clusters){0};
}

static shoal_status reserve(porous_clusters* c, int count) {
    if (count <= c->capacity) return SHOAL_OK;
    size_t capacity = (size_t)count + (size_t)count / 4;
    c->capacity     = 0;
    SHOAL_TRY(shoal_realloc((void**)&c->queue, 0, capacity, sizeof *c->queue));
    SHOAL_TRY(shoal_realloc((void**)&c->offset, 0, capacity, sizeof *c->offset));
    c->capacity = (int)capacity;
    return SHOAL_OK;
}

// A cluster as a body; all in double.
typedef struct body {
    double   mass;
    shoal_d3 centre;                  // from its first particle, m
    shoal_d3 velocity, turning, spin; // m/s; angular momentum, kg m^2/s; 1/s
    pore_sym inertia, inverse;
    bool     is_fixed, is_endless; // of fixed sand; reaches itself across a periodic wall: it cannot turn
} body;

// ---------------------------------------------------------------------------------- members

enum { UNSEEN = -2, NONE = -1 };

// All that are connected with `first`, into the queue; returns how many. cluster[] of those is the place of `first`.
static int grow(porous* s, int first, bool* is_endless) {
    const porous_view*      v     = &s->view;
    const shoal_water_view* w     = &v->water;
    porous_clusters*        c     = &s->clusters;
    const float             reach = (v->is_local ? s->params.cluster_reach : shown_reach) * w->d;
    int                     count = 0;
    *is_endless                   = false;
    c->queue[count++]             = first;
    c->offset[first]              = shoal_v3_make(0.0f, 0.0f, 0.0f);
    v->cluster[first]             = first;
    for (int k = 0; k < count; k++) {
        int   i = c->queue[k];
        float r;
        SHOAL_FOR_NEAR(w->near, i, j) {
            int      other = j < w->count ? j : s->water.halo.images[j - w->count].source;
            shoal_v3 d     = shoal_pair_displacement(w->place, i, j, w->h, &r);
            if (r > reach || v->yield[other] >= 1.0f) continue;
            shoal_v3 offset = shoal_v3_sub(c->offset[i], d);
            if (v->cluster[other] == first) {
                *is_endless |= shoal_v3_length(shoal_v3_sub(offset, c->offset[other])) > 0.5f * w->d;
                continue;
            }
            if (v->cluster[other] != UNSEEN) continue; // of a cluster before: of fewer than make a body
            v->cluster[other] = first;
            c->offset[other]  = offset;
            c->queue[count++] = other;
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------- a rigid body

static void set_spin(body* b) {
    b->spin = b->is_fixed || b->is_endless ? shoal_d3_make(0.0, 0.0, 0.0) : pore_sym_times(b->inverse, b->turning);
}

// Mass, momentum and angular momentum of its particles.
static body body_of(const porous* s, int count, bool is_endless) {
    const porous_view*     v = &s->view;
    const porous_clusters* c = &s->clusters;
    body                   b = {.is_endless = is_endless};
    for (int k = 0; k < count; k++) {
        int    i    = c->queue[k];
        double mass = (double)s->water.masses[i];
        b.mass += mass;
        b.centre   = shoal_d3_add(b.centre, shoal_d3_scale(shoal_d3_from(c->offset[i]), mass));
        b.velocity = shoal_d3_add(b.velocity, shoal_d3_scale(shoal_d3_from(shoal_v4_xyz(v->water.motion[i])), mass));
        b.is_fixed |= v->fixed[i] != 0;
    }
    b.centre   = shoal_d3_scale(b.centre, 1.0 / b.mass);
    b.velocity = b.is_fixed ? shoal_d3_make(0.0, 0.0, 0.0) : shoal_d3_scale(b.velocity, 1.0 / b.mass);
    for (int k = 0; k < count; k++) {
        int      i    = c->queue[k];
        double   mass = (double)s->water.masses[i];
        shoal_d3 r    = shoal_d3_sub(shoal_d3_from(c->offset[i]), b.centre);
        double   all  = mass * shoal_d3_dot(r, r);
        b.turning     = shoal_d3_add(
                b.turning,
                shoal_d3_scale(shoal_d3_cross(r, shoal_d3_sub(shoal_d3_from(shoal_v4_xyz(v->water.motion[i])), b.velocity)),
                               mass));
        pore_sym_add(&b.inertia, r, -mass);
        b.inertia.xx += all, b.inertia.yy += all, b.inertia.zz += all;
    }
    // a row of particles can turn about itself without any momentum: so much more that it does not matter
    double more = 1e-6 * (b.inertia.xx + b.inertia.yy + b.inertia.zz);
    b.inertia.xx += more, b.inertia.yy += more, b.inertia.zz += more;
    b.inverse = pore_sym_inverse(b.inertia);
    set_spin(&b);
    return b;
}

static shoal_d3 velocity_at(const body* b, shoal_d3 r) { return shoal_d3_add(b->velocity, shoal_d3_cross(b->spin, r)); }

// How much an impulse along n at r changes the velocity there along n, 1/kg.
static double compliance_at(const body* b, shoal_d3 r, shoal_d3 n) {
    if (b->is_endless) return 1.0 / b->mass;
    shoal_d3 turned = pore_sym_times(b->inverse, shoal_d3_cross(r, n));
    return 1.0 / b->mass + shoal_d3_dot(n, shoal_d3_cross(turned, r));
}

static void hit(body* b, shoal_d3 r, shoal_d3 impulse) {
    b->velocity = shoal_d3_add(b->velocity, shoal_d3_scale(impulse, 1.0 / b->mass));
    b->turning  = shoal_d3_add(b->turning, shoal_d3_cross(r, impulse));
    set_spin(b);
}

// ---------------------------------------------------------------------------------- at solids

static shoal_status find_touches(porous* s, int count, int* found) {
    const shoal_water_view* w = &s->view.water;
    porous_clusters*        c = &s->clusters;
    *found                    = 0;
    for (int k = 0; k < count; k++) {
        int      i     = c->queue[k];
        shoal_v3 place = shoal_v4_xyz(w->place[i]), u = shoal_v4_xyz(w->motion[i]);
        float    reach = w->contact + w->dt * shoal_v3_length(u) + w->d;
        if (!shoal_water_may_touch(w, i) || !shoal_solids_are_near(w->solids.world, place, reach)) continue;
        porous_solids near = porous_solids_at(w->solids.world, place, w->contact, reach);
        if (*found + near.count > c->touch_capacity) {
            int capacity      = 2 * c->touch_capacity + 256;
            c->touch_capacity = 0;
            SHOAL_TRY(shoal_realloc((void**)&c->touches, (size_t)*found, (size_t)capacity, sizeof *c->touches));
            c->touch_capacity = capacity;
        }
        for (int n = 0; n < near.count; n++) c->touches[(*found)++] = (porous_touch){i, near.gap[n], near.normal[n]};
    }
    return SHOAL_OK;
}

static shoal_d3 arm_of(const porous* s, const body* b, int i) {
    return shoal_d3_sub(shoal_d3_from(s->clusters.offset[i]), b->centre);
}

// One impulse where the body would be deepest in a solid at the end of the substep, without a rebound, and Coulomb's
// friction with it. False: nowhere deep enough.
static bool resolve_deepest(porous* s, body* b, int touches) {
    const porous_view* v    = &s->view;
    const double       dt   = (double)v->water.dt;
    double             most = CLUSTER_DEEP * (double)v->water.contact;
    int                best = -1;
    for (int k = 0; k < touches; k++) {
        const porous_touch* t = &s->clusters.touches[k];
        double              deep =
            -(double)t->gap - dt * shoal_d3_dot(velocity_at(b, arm_of(s, b, t->particle)), shoal_d3_from(t->normal));
        if (deep > most) most = deep, best = k;
    }
    if (best < 0) return false;
    int      i = s->clusters.touches[best].particle;
    shoal_d3 r = arm_of(s, b, i), n = shoal_d3_from(s->clusters.touches[best].normal);
    double   push    = most / (dt * compliance_at(b, r, n));
    shoal_d3 impulse = shoal_d3_scale(n, push);
    shoal_d3 slip    = shoal_d3_sub(velocity_at(b, r), shoal_d3_from(v->solid_velocity[i]));
    slip             = shoal_d3_sub(slip, shoal_d3_scale(n, shoal_d3_dot(slip, n)));
    double speed     = shoal_d3_length(slip);
    if (speed > 0.0 && v->friction_gradient[i].w > 0.0f) {
        shoal_d3 along = shoal_d3_scale(slip, 1.0 / speed);
        double   stop = speed / compliance_at(b, r, along), limit = (double)v->friction_gradient[i].w * push;
        impulse = shoal_d3_sub(impulse, shoal_d3_scale(along, stop < limit ? stop : limit));
    }
    hit(b, r, impulse);
    shoal_v3 change   = shoal_v3_from(shoal_d3_scale(impulse, 1.0 / (double)s->water.masses[i]));
    v->water.touch[i] = shoal_v3_add(v->water.touch[i], change); // what solids feel: fluid/water_load.c
    return true;
}

// Cayley's rotation, which needs no sine: by twice the arc tangent of the length of `half`.
static shoal_d3 rotated(shoal_d3 half, shoal_d3 r) {
    shoal_d3 across = shoal_d3_cross(half, r);
    double   by     = 2.0 / (1.0 + shoal_d3_dot(half, half));
    return shoal_d3_add(r, shoal_d3_scale(shoal_d3_add(across, shoal_d3_cross(half, across)), by));
}

// Its particles go with it. Afterwards it lies otherwise, and turns otherwise with the same angular momentum.
static void carry(porous* s, const body* b, int count) {
    const shoal_water_view* w    = &s->view.water;
    const double            dt   = (double)w->dt;
    shoal_d3                half = shoal_d3_scale(b->spin, 0.5 * dt), back = shoal_d3_scale(half, -1.0), spin = b->spin;
    if (!b->is_fixed && !b->is_endless) spin = rotated(half, pore_sym_times(b->inverse, rotated(back, b->turning)));
    for (int k = 0; k < count; k++) {
        int      i = s->clusters.queue[k];
        shoal_d3 r = arm_of(s, b, i), to = rotated(half, r);
        shoal_d3 way = shoal_d3_scale(shoal_d3_sub(to, r), 1.0 / dt);
        shoal_v4_set(&w->motion[i], shoal_v3_from(shoal_d3_add(b->velocity, way)));
        s->view.carried[i] = shoal_v3_from(shoal_d3_add(b->velocity, shoal_d3_cross(spin, to)));
    }
}

// Contact is the body's now, and the friction by it; what is left is friction by the pressure on solids.
static void loosen(porous* s, int i) {
    const porous_view*      v    = &s->view;
    const shoal_water_view* w    = &v->water;
    float                   most = porous_effective(v, i, w->kappa[i]) * v->inverse_mass[i] *
                 shoal_v3_length(shoal_v4_xyz(v->friction_gradient[i]));
    float    wall_friction = shoal_v3_length(v->wall_friction[i]);
    shoal_v3 left =
        wall_friction > most ? shoal_v3_scale(v->wall_friction[i], most / wall_friction) : v->wall_friction[i];
    shoal_v3 gone = shoal_v3_add(w->touch[i], shoal_v3_sub(v->wall_friction[i], left));
    if (!v->fixed[i]) shoal_v4_set(&w->motion[i], shoal_v3_sub(shoal_v4_xyz(w->motion[i]), gone));
    w->touch[i]         = shoal_v3_make(0.0f, 0.0f, 0.0f);
    v->wall_friction[i] = left;
}

static shoal_status move(porous* s, int count, bool is_endless) {
    int touches;
    for (int k = 0; k < count; k++) loosen(s, s->clusters.queue[k]);
    body b = body_of(s, count, is_endless);
    SHOAL_TRY(find_touches(s, count, &touches));
    for (int k = 0; k < IMPULSES_MOST && !b.is_fixed && resolve_deepest(s, &b, touches); k++) {
    }
    carry(s, &b, count);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- all

shoal_status porous_cluster(porous* s) {
    const porous_view* v     = &s->view;
    const int          count = v->water.count;
    const int32_t*     id    = shoal_set_data(s->ctx->particles, "id");
    SHOAL_TRY(reserve(&s->clusters, count));
    for (int i = 0; i < count; i++) v->cluster[i] = v->yield[i] < 1.0f ? UNSEEN : NONE;
    for (int i = 0; i < count; i++) {
        bool is_endless;
        if (v->cluster[i] != UNSEEN) continue;
        int members = grow(s, i, &is_endless), label = NONE;
        if (members >= CLUSTER_LEAST) {
            label = id[s->clusters.queue[0]];
            for (int k = 1; k < members; k++)
                if (id[s->clusters.queue[k]] < label) label = id[s->clusters.queue[k]];
            if (v->is_local) SHOAL_TRY(move(s, members, is_endless));
        }
        // below NONE, so that no place is taken for a label until all are found
        for (int k = 0; k < members; k++) v->cluster[s->clusters.queue[k]] = label < 0 ? NONE : -3 - label;
    }
    for (int i = 0; i < count; i++)
        if (v->cluster[i] < UNSEEN) v->cluster[i] = -3 - v->cluster[i];
    return SHOAL_OK;
}
