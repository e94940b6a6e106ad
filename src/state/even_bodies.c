// SPDX-License-Identifier: MIT
#include "state/even_bodies.h"

#include "base/memory.h"
#include "state/spheres.h"

// How far from obstacles places move, and how far they feel each other, spacings.
static const double wall_reach = 5.0, reach = 2.5;

// In nooks narrower than a spacing nothing is half a spacing off all solids, and all their places end in one spot, as
// two that were 0.015 spacings apart between the feet of the rabbit in a bath: at 200 mm they were thrown with 97 m/s.
// Elsewhere no two end nearer than 0.55 (that bath at 120 to 200 mm; in nooks 0.01 to 0.5).
static const double least_apart = 0.5; // spacings

typedef struct points {
    const shoal_description* d;
    const shoal_world*       world;
    double                   spacing;
    int                      places; // of bodies, the first of them
    int                      count, capacity;
    shoal_d3*                at;
    double *                 radius, *fraction;
    uint8_t*                 moves;
    shoal_status             status;
} points;

static void points_free(points* p) {
    shoal_free(p->at);
    shoal_free(p->radius);
    shoal_free(p->fraction);
    shoal_free(p->moves);
}

static shoal_status reserve(points* p, int capacity) {
    size_t used = (size_t)p->count, most = (size_t)capacity;
    SHOAL_TRY(shoal_realloc((void**)&p->at, used, most, sizeof *p->at));
    SHOAL_TRY(shoal_realloc((void**)&p->radius, used, most, sizeof *p->radius));
    SHOAL_TRY(shoal_realloc((void**)&p->fraction, used, most, sizeof *p->fraction));
    SHOAL_TRY(shoal_realloc((void**)&p->moves, used, most, sizeof *p->moves));
    p->capacity = capacity;
    return SHOAL_OK;
}

static bool add(points* p, shoal_d3 at, double fraction, bool moves) {
    if (p->count == p->capacity) p->status = reserve(p, p->capacity + p->capacity / 2 + 1024);
    if (p->status != SHOAL_OK) return false;
    p->at[p->count]       = at;
    p->radius[p->count]   = 0.5 * reach * p->spacing;
    p->fraction[p->count] = fraction;
    p->moves[p->count]    = moves;
    p->count++;
    return true;
}

static bool add_dry(void* user, shoal_d3 at, double fraction) { return add(user, at, fraction, false); }

static bool is_near(const points* p, shoal_d3 at) {
    double most = wall_reach * p->spacing;
    for (int c = 0; c < p->world->collider_count; c++) {
        const shoal_collider* collider = &p->world->colliders[c];
        if (shoal_box_holds(shoal_box_grown(collider->bounds, most), at) &&
            shoal_collider_distance(collider, at, NULL) < most)
            return true;
    }
    return false;
}

// Walls last, since they are what nothing passes.
static shoal_d3 hold(void* user, int i, shoal_d3 at, double* depth) {
    const points* p   = user;
    double        off = 0.5 * p->spacing;
    *depth            = 0.0;
    (void)i;
    for (int c = 0; c < p->world->collider_count; c++) {
        shoal_d3 n;
        if (!shoal_box_holds(shoal_box_grown(p->world->colliders[c].bounds, off), at)) continue;
        double in = off - shoal_collider_distance(&p->world->colliders[c], at, &n);
        if (in > 0.0) at = shoal_d3_add(at, shoal_d3_scale(n, in));
    }
    double* axes[] = {&at.x, &at.y, &at.z};
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        if (!p->world->is_closed[wall]) continue;
        if (wall % 2 == 0)
            *axes[wall / 2] = fmax(*axes[wall / 2], shoal_d3_axis(p->world->domain.min, wall / 2) + off);
        else
            *axes[wall / 2] = fmin(*axes[wall / 2], shoal_d3_axis(p->world->domain.max, wall / 2) - off);
    }
    return at;
}

static shoal_status even(points* p, uint8_t* gone) {
    shoal_spheres s = {.count    = p->count,
                       .diameter = p->spacing,
                       .at       = p->at,
                       .radius   = p->radius,
                       .moves    = p->moves,
                       .hold     = hold,
                       .user     = p};
    for (int axis = 0; axis < 3; axis++)
        if (p->world->is_periodic[axis])
            s.period[axis] = shoal_d3_axis(p->d->domain.max, axis) - shoal_d3_axis(p->d->domain.min, axis);
    SHOAL_TRY(shoal_spheres_even(&s, p->fraction));
    s.count = p->places; // dry space is none
    return shoal_spheres_thin(&s, least_apart * p->spacing, gone);
}

shoal_status shoal_bodies_even(const shoal_description* d, shoal_packed* places, int* places_count) {
    shoal_world* world = NULL;
    int          count = *places_count, stored = 0;
    if (count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_world_create(d, &world));
    uint8_t* gone = shoal_alloc((size_t)count, sizeof *gone);
    points   p    = {
             .d = d, .world = world, .places = count, .spacing = shoal_spacing_of(d, d->bodies[places[0].body].material)};
    shoal_status status = gone ? reserve(&p, count) : SHOAL_ERR_MEMORY;
    for (int i = 0; i < count && status == SHOAL_OK; i++)
        add(&p, places[i].sphere.at, 1.0, is_near(&p, places[i].sphere.at));
    if (status == SHOAL_OK) status = shoal_lattice_dry(d, p.spacing, (wall_reach + reach) * p.spacing, add_dry, &p);
    if (status == SHOAL_OK) status = p.status;
    if (status == SHOAL_OK) status = even(&p, gone);
    for (int i = 0; i < count && status == SHOAL_OK; i++) {
        if (p.moves[i]) places[i].sphere.at = p.at[i];
        if (!gone[i]) places[stored++] = places[i];
    }
    if (status == SHOAL_OK) *places_count = stored;
    shoal_free(gone);
    points_free(&p);
    shoal_world_destroy(world);
    return status;
}
