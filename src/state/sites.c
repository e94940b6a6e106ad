// SPDX-License-Identifier: MIT
#include "state/sites.h"

#include <stdlib.h>

#include "base/memory.h"
#include "math/power.h"
#include "state/reach.h"
#include "state/spheres.h"

// How deep in a packing walls are felt, in diameters: spheres lie at a wall in a layer, the next
// ones in its hollows, so what has its centre within half a diameter of the wall must find room
// farther in. With 3 a bed of 15 layers sank by 0.05 of one more. Across the seam of a periodic
// axis two cuts of the packing meet, with as many spheres as there is room for.
static const double wall_reach = 5.0, seam_reach = 1.5;

bool shoal_body_is_packed(const shoal_description* d, int body) { return d->bodies[body].arrangement == SHOAL_RANDOM; }

// Points of a continuum lie as the table of packings has them, whatever the pores of their material.
static double fraction_of(const shoal_description* d, int body) {
    const shoal_material* m        = &d->materials[d->bodies[body].material];
    const double          table    = 0.6;
    double                fraction = m->is_continuum ? table : (double)m->packing;
    return fmin(fmax(fraction, SHOAL_PACKING_LOOSEST), SHOAL_PACKING_CLOSEST);
}

// Of the spheres of a packed body. They are the particles of a solver of spheres; those of a continuum
// are as many as the lattice has, so their spheres are somewhat larger than the spacing.
static double diameter_of(const shoal_description* d, int body) {
    int    material = d->bodies[body].material;
    double spacing = shoal_spacing_of(d, material), fraction = fraction_of(d, body);
    if (!d->materials[material].is_continuum) return spacing;
    return spacing * shoal_power(fraction * 6.0 / SHOAL_PI, 1.0 / 3.0);
}

// Spheres at a wall leave more pores than inside a packing: as if it stood an eighth of a diameter
// farther in. What has its centre there is left out where the packing is as close as can be; looser
// ones take some of it up, those below 0.58 all. So a body that is closed in on all sides, and
// seven diameters wide, has room for all that are not left out. In diameters.
static double shy_of(double fraction) { return fmax(0.13 - 2.7 * (SHOAL_PACKING_CLOSEST - fraction), 0.0); }

static bool is_same_packing(const shoal_description* d, int a, int b) {
    const shoal_material *ma = &d->materials[d->bodies[a].material], *mb = &d->materials[d->bodies[b].material];
    return shoal_body_is_packed(d, a) && shoal_body_is_packed(d, b) && fraction_of(d, a) == fraction_of(d, b) &&
           ma->spread == mb->spread && ma->spacing_fraction == mb->spacing_fraction;
}

// ---------------------------------------------------------------------------------- what is around

// How near a centre is to what it must keep off, at most `reach`.
typedef struct nearness {
    double wall, obstacle, other; // m, negative in it; other: bodies that are not of the same packing
    double seam;                  // m, to the nearer end of a periodic axis
} nearness;

// Whether body k is a solid to another one, and near p. A body with a fault has no shape.
static bool is_other(const shoal_description* d, int k, int body, shoal_d3 p, double reach) {
    const shoal_shape* shape = d->bodies[k].shape;
    return k != body && shape && !is_same_packing(d, k, body) &&
           shoal_box_holds(shoal_box_grown(shoal_shape_bounds(shape), reach), p);
}

static nearness nearness_of(const shoal_description* d, const shoal_world* world, int body, shoal_d3 p, double reach) {
    nearness n = {reach, reach, reach, reach};
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        double at = shoal_d3_axis(p, wall / 2), depth = wall % 2 == 0 ? at - shoal_d3_axis(world->domain.min, wall / 2)
                                                                      : shoal_d3_axis(world->domain.max, wall / 2) - at;
        if (world->is_closed[wall]) n.wall = fmin(n.wall, depth);
        if (world->is_periodic[wall / 2]) n.seam = fmin(n.seam, depth);
    }
    for (int c = 0; c < world->collider_count; c++)
        if (shoal_box_holds(shoal_box_grown(world->colliders[c].bounds, reach), p))
            n.obstacle = fmin(n.obstacle, shoal_collider_distance(&world->colliders[c], p, NULL));
    for (int k = 0; k < d->body_count; k++)
        if (is_other(d, k, body, p, reach)) n.other = fmin(n.other, shoal_shape_distance(d->bodies[k].shape, p));
    return n;
}

// ---------------------------------------------------------------------------------- the places of
// a body

typedef struct cut_job {
    const shoal_description* d;
    const shoal_world*       world;
    int                      body;
    double                   diameter, shy; // m
    double                   least;         // m: what is less deep in the body is left out
    shoal_body_fn            emit;
    void*                    user;
    shoal_taken*             taken;
} cut_job;

// How deep a place is in its body, m: below the surface, and off solids.
static double depth_of(const cut_job* c, const nearness* n, shoal_d3 p) {
    double below = -shoal_shape_distance(c->d->bodies[c->body].shape, p);
    return fmin(below, fmin(n->wall, n->obstacle));
}

// What lies in another body is not left out: the scene's check tells of it.
static bool cut_sphere(void* user, shoal_sphere sphere) {
    cut_job* c = user;
    if (!shoal_lattice_site_is_in(c->d, c->d->bodies[c->body].shape, sphere.at)) return true;
    nearness n = nearness_of(c->d, c->world, c->body, sphere.at, c->diameter);
    c->taken->within += n.obstacle < 0.0;
    if (fmin(n.wall, n.obstacle) < c->shy || (n.other >= 0.0 && n.other < c->shy)) return true;
    if (c->least > 0.0 && depth_of(c, &n, sphere.at) < c->least) return true;
    return c->emit(c->user, c->body, sphere);
}

typedef struct depths {
    cut_job*     cut;
    double*      of;
    size_t       count, capacity;
    shoal_status status;
} depths;

static bool note_depth(void* user, int body, shoal_sphere sphere) {
    depths* w = user;
    (void)body;
    if (w->count == w->capacity) {
        size_t capacity = w->capacity + w->capacity / 2 + 1024;
        w->status       = shoal_realloc((void**)&w->of, w->count, capacity, sizeof *w->of);
        if (w->status != SHOAL_OK) return false;
        w->capacity = capacity;
    }
    nearness n        = nearness_of(w->cut->d, w->cut->world, w->cut->body, sphere.at, w->cut->diameter);
    w->of[w->count++] = depth_of(w->cut, &n, sphere.at);
    return true;
}

static int by_depth(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// A shape cuts somewhat more or fewer points out of a packing than there is room for in it: of more, those at its
// surface are left out, since in a room that is closed on all sides they would be a pressure that nothing relieves.
static shoal_status leave_out(cut_job* c, const shoal_packing* packing, shoal_box box) {
    double       spacing = shoal_spacing_of(c->d, c->d->bodies[c->body].material), volume = 0.0;
    shoal_taken  ignored = {0};
    cut_job      all     = *c;
    depths       w       = {.cut = c};
    shoal_status status  = shoal_lattice_volume(c->d, c->d->bodies[c->body].shape, spacing, &volume);
    if (status != SHOAL_OK) return status;
    all.emit  = note_depth;
    all.user  = &w;
    all.taken = &ignored;
    shoal_packing_walk(packing, box, cut_sphere, &all);
    double places = fmax(floor(volume / (spacing * spacing * spacing) + 0.5), 1.0);
    if (w.status == SHOAL_OK && (double)w.count > places) {
        qsort(w.of, w.count, sizeof *w.of, by_depth);
        c->least = w.of[w.count - (size_t)places];
    }
    shoal_free(w.of);
    return w.status;
}

typedef struct lattice {
    shoal_body_fn emit;
    void*         user;
} lattice;

static bool lattice_site(void* user, int body, shoal_d3 site) {
    lattice* l = user;
    return l->emit(l->user, body, (shoal_sphere){site, 0.0, 0.0});
}

static shoal_status cut(const shoal_description* d, const shoal_world* world, int body, shoal_body_fn emit, void* user,
                        shoal_taken* taken) {
    const shoal_material* m    = &d->materials[d->bodies[body].material];
    const double          most = 0x1p33, farthest = 0x1p50; // as of the lattice
    double                diameter = diameter_of(d, body);
    // a continuum has no pores, and walls weigh in its density as its own particles do
    double    shy = m->is_continuum ? 0.0 : shy_of(fraction_of(d, body)) * diameter;
    cut_job   c   = {d, world, body, diameter, shy, 0.0, emit, user, taken};
    shoal_box box = shoal_box_common(shoal_shape_bounds(d->bodies[body].shape), shoal_domain_extent(&d->domain));
    if (shoal_box_is_empty(box)) return SHOAL_OK;
    shoal_d3 size  = shoal_d3_sub(box.max, box.min);
    double   sites = (size.x / diameter + 1.0) * (size.y / diameter + 1.0) * (size.z / diameter + 1.0), far = 0.0;
    for (int axis = 0; axis < 3; axis++)
        far = fmax(far, fmax(fabs(shoal_d3_axis(box.min, axis)), fabs(shoal_d3_axis(box.max, axis))) / diameter);
    if (!(sites <= most) || far > farthest)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "the bounds of the shape hold about %.3g places (allowed %.3g) or lie "
                          "too far out: make it smaller, the spacing "
                          "larger, or give a domain",
                          sites, most);
    shoal_packing* packing;
    SHOAL_TRY(shoal_packing_make(diameter, (double)m->spread, fraction_of(d, body), d->seed, &packing));
    shoal_status status = m->is_continuum ? leave_out(&c, packing, box) : SHOAL_OK;
    if (status == SHOAL_OK) shoal_packing_walk(packing, box, cut_sphere, &c);
    shoal_packing_free(packing);
    return status;
}

shoal_status shoal_body_sites(const shoal_description* d, int body, shoal_body_fn emit, void* user,
                              shoal_taken* taken) {
    *taken = (shoal_taken){0};
    if (!shoal_body_is_packed(d, body)) {
        lattice l = {emit, user};
        return shoal_lattice_body_sites(d, body, lattice_site, &l, taken);
    }
    shoal_world* world = NULL;
    SHOAL_TRY(shoal_world_create(d, &world));
    shoal_status status = cut(d, world, body, emit, user, taken);
    shoal_world_destroy(world);
    return status;
}

// ---------------------------------------------------------------------------------- settling

typedef struct settle_job {
    const shoal_description* d;
    const shoal_world*       world;
    const shoal_packed*      places;
    const double*            radius;
} settle_job;

static shoal_d3 push(shoal_d3 p, shoal_d3 normal, double by, double* depth) {
    if (by <= 0.0) return p;
    *depth = fmax(*depth, by);
    return shoal_d3_add(p, shoal_d3_scale(normal, by));
}

// Walls last, since they are what nothing passes.
static shoal_d3 hold(void* user, int i, shoal_d3 p, double* depth) {
    const settle_job*        s    = user;
    const shoal_description* d    = s->d;
    double                   r    = s->radius[i];
    int                      body = s->places[i].body;
    shoal_d3                 n;
    *depth = 0.0;
    for (int k = 0; k < d->body_count; k++) {
        if (!is_other(d, k, body, p, r)) continue;
        double distance = shoal_shape_distance_normal(d->bodies[k].shape, p, &n);
        p               = push(p, n, r - distance, depth);
    }
    for (int c = 0; c < s->world->collider_count; c++) {
        if (!shoal_box_holds(shoal_box_grown(s->world->colliders[c].bounds, r), p)) continue;
        double distance = shoal_collider_distance(&s->world->colliders[c], p, &n);
        p               = push(p, n, r - distance, depth);
    }
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        if (!s->world->is_closed[wall]) continue;
        int    axis = wall / 2;
        double sign = wall % 2 == 0 ? 1.0 : -1.0,
               at   = shoal_d3_axis(wall % 2 == 0 ? s->world->domain.min : s->world->domain.max, axis);
        n           = shoal_d3_make(axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0);
        p           = push(p, n, r - sign * (shoal_d3_axis(p, axis) - at), depth);
    }
    return p;
}

static void settle_all(settle_job* s, shoal_packed* places, shoal_spheres* spheres, double* radius, uint8_t* moves) {
    const shoal_description* d = s->d;
    for (int i = 0; i < spheres->count; i++) {
        const shoal_sphere*   sphere   = &places[i].sphere;
        const shoal_material* material = &d->materials[d->bodies[places[i].body].material];
        double                diameter = diameter_of(d, places[i].body);
        nearness              n        = nearness_of(d, s->world, places[i].body, sphere->at, wall_reach * diameter);
        radius[i]                      = 0.5 * diameter * (1.0 + (double)material->spread * sphere->rank);
        moves[i] = fmin(fmin(n.wall, n.obstacle), n.other) < wall_reach * diameter || n.seam < seam_reach * diameter;
        spheres->at[i]    = sphere->at;
        spheres->diameter = fmax(spheres->diameter, diameter);
    }
    for (int axis = 0; axis < 3; axis++)
        if (s->world->is_periodic[axis])
            spheres->period[axis] = shoal_d3_axis(d->domain.max, axis) - shoal_d3_axis(d->domain.min, axis);
}

shoal_status shoal_packed_settle(const shoal_description* d, shoal_packed* places, int count) {
    shoal_world* world = NULL;
    if (count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_world_create(d, &world));
    shoal_d3* at   = shoal_alloc((size_t)count, sizeof *at);
    double *radius = shoal_alloc((size_t)count, sizeof *radius), *overlap = shoal_alloc((size_t)count, sizeof *overlap);
    uint8_t*      moves   = shoal_alloc((size_t)count, sizeof *moves);
    settle_job    s       = {d, world, places, radius};
    shoal_spheres spheres = {
        .count = count, .at = at, .radius = radius, .moves = moves, .overlap = overlap, .hold = hold, .user = &s};
    shoal_status status = at && radius && overlap && moves ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) {
        settle_all(&s, places, &spheres, radius, moves);
        status = shoal_spheres_part(&spheres);
    }
    for (int i = 0; i < count && status == SHOAL_OK; i++) {
        if (!moves[i]) continue;
        places[i].sphere.at      = at[i];
        places[i].sphere.overlap = overlap[i];
    }
    shoal_free(at);
    shoal_free(radius);
    shoal_free(overlap);
    shoal_free(moves);
    shoal_world_destroy(world);
    return status;
}
