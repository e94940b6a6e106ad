// SPDX-License-Identifier: MIT
#include "state/laying.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "state/reach.h"

// Of its sites: a body that misses less of its volume stays as the lattice has it, since that is calmer.
static const double missed_most = 0.01;
// Of the cells that the surface of a packed body cuts: if what lies beside it misses less of their volume, it stays,
// too. (Some few more fill the gaps between a packing and a lattice: without them a beach took 25 J to close these,
// for 8.)
static const double shared_most = 0.05;
// Of what cells at the surface hold, where their particles are parted: an even liquid is denser to a kernel than a
// lattice, by half a percent, and would start with that pressure.
static const double left_free = 0.02;

// Sites are asked about a hair's breadth away from where they are, always in the same direction:
// what lies exactly on a face falls to the side of its greater coordinates, whatever the rounding
// of the distance. The three offsets differ so that no plane along a diagonal is missed.
static shoal_d3 asked_at(const shoal_description* description, shoal_d3 site) {
    double hair = 1e-6 * description->spacing;
    return shoal_d3_add(site, shoal_d3_make(hair, 0.71 * hair, 0.53 * hair));
}

bool shoal_lattice_site_is_in(const shoal_description* description, const shoal_shape* shape, shoal_d3 site) {
    return shoal_shape_distance(shape, asked_at(description, site)) < 0.0;
}

// How far a place is from the walls, m, at most `most`.
static double walls_at(const shoal_world* world, double most, shoal_d3 p) {
    double clearance = most;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        // as the scene has them: far from the origin their floats are off by more than the clearance allows
        double at = shoal_d3_axis(p, wall / 2), low = shoal_d3_axis(world->domain.min, wall / 2),
               high = shoal_d3_axis(world->domain.max, wall / 2), depth = wall % 2 == 0 ? at - low : high - at;
        // beyond the wall is another fault, told by the scene's check
        if (world->is_closed[wall] && depth > 0.0) clearance = fmin(clearance, depth);
    }
    return clearance;
}

static double obstacles_at(const shoal_world* world, double most, shoal_d3 p) {
    double clearance = most;
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        if (shoal_box_holds(shoal_box_grown(collider->bounds, most), p))
            clearance = fmin(clearance, shoal_collider_distance(collider, p, NULL));
    }
    return clearance;
}

// ---------------------------------------------------------------------------------- walking

// The places of a lattice along an axis: anchor + (k + 1/2) spacings, k from first to last.
typedef struct lattice_range {
    double anchor, first, last;
} lattice_range;

typedef struct lattice {
    const shoal_description* description;
    const shoal_shape*       shape;
    shoal_world*             world;
    double                   d, clearance;
    lattice_range            along[3];
    int                      body;
    shoal_site_fn            emit;
    void*                    user;
    shoal_taken*             taken;
} lattice;

// Where the lattice of a range of whole spacings begins, if that is not the scene's: within a spacing above `anchor`.
static double own_anchor(double anchor, double spacing, double low, double high) {
    const double whole = 1e-3;
    double       count = (high - low) / spacing, off = (low - anchor) / spacing;
    off -= floor(off + whole);
    return fabs(count - floor(count + 0.5)) < whole && off > whole ? anchor + off * spacing : anchor;
}

// Those within [low, high]. Closed and periodic walls cut it off; beyond open ones it goes on as far as particles are
// kept, one domain length. With a lattice of its own a shape of whole spacings is filled the same wherever it stands;
// on that of the scene its particles would lie up to half a spacing to one side.
static lattice_range range_along(const shoal_world* world, int axis, double spacing, shoal_box bounds, bool has_own) {
    shoal_box extent = shoal_box_common(bounds, shoal_domain_extent(&world->domain));
    double    low = shoal_d3_axis(extent.min, axis), high = shoal_d3_axis(extent.max, axis);
    double    anchor = world->domain.is_given ? shoal_d3_axis(world->domain.min, axis) : 0.0;
    if (has_own) anchor = own_anchor(anchor, spacing, low, high);
    // a site on the upper bound itself is out by the half-open rule; on the lower bound it is in
    return (lattice_range){anchor, ceil((low - anchor) / spacing - 0.5 - 1e-6),
                           ceil((high - anchor) / spacing - 0.5 - 1e-6) - 1.0};
}

static double place_along(const lattice* l, int axis, int64_t k) {
    return l->along[axis].anchor + ((double)k + 0.5) * l->d;
}

// Sample k of a cell.
enum { SAMPLES = 27 };
static shoal_d3 sample_of(const lattice* l, shoal_d3 site, int k) {
    return shoal_d3_add(site, shoal_d3_scale(shoal_d3_make(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1), l->d / 3.0));
}

// Calls fn for the sites of the lattice, `around` of them beyond either end, until it returns false; they are numbered
// as they come.
typedef bool (*walk_fn)(void* user, int64_t number, shoal_d3 site);
static void walk(const lattice* l, int around, walk_fn fn, void* user) {
    int64_t first[3], last[3], number = 0;
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = (int64_t)l->along[axis].first - around;
        last[axis]  = (int64_t)l->along[axis].last + around;
    }
    for (int64_t k = first[2]; k <= last[2]; k++)
        for (int64_t j = first[1]; j <= last[1]; j++)
            for (int64_t i = first[0]; i <= last[0]; i++)
                if (!fn(user, number++,
                        shoal_d3_make(place_along(l, 0, i), place_along(l, 1, j), place_along(l, 2, k))))
                    return;
}

static shoal_status lattice_make(lattice* l, bool is_scattered) {
    // more than any machine's memory holds particles for; infinite shapes end here too
    const double most_sites = 0x1p33, farthest_site = 0x1p50;
    double       sites = 1.0, farthest = 0.0;
    l->clearance = is_scattered ? 0.0 : SHOAL_CLEARANCE * l->d;
    *l->taken    = (shoal_taken){0, 0, 0};
    SHOAL_TRY(shoal_world_create(l->description, &l->world));
    for (int axis = 0; axis < 3; axis++) {
        lattice_range* r = &l->along[axis];
        *r               = range_along(l->world, axis, l->d, shoal_shape_bounds(l->shape), is_scattered);
        sites *= fmax(r->last - r->first + 1.0, 0.0);
        farthest = fmax(farthest, fmax(fabs(r->first), fabs(r->last)));
    }
    if (sites == 0.0) l->along[0] = (lattice_range){0.0, 0.0, -2.0}; // nothing, nor around it
    if (sites == 0.0 || (sites <= most_sites && farthest <= farthest_site)) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_INPUT,
                      "the bounds of the shape hold %.3g lattice sites (allowed %.3g) or lie too "
                      "far out: make it smaller, the spacing larger, or give a domain",
                      sites, most_sites);
}

// Whether the lattice puts a particle there; tells what takes it otherwise.
static bool is_laid(const lattice* l, shoal_d3 site, shoal_taken* taken) {
    if (!shoal_lattice_site_is_in(l->description, l->shape, site)) return false;
    shoal_d3 p         = asked_at(l->description, site);
    double   clearance = obstacles_at(l->world, walls_at(l->world, l->clearance, p), p);
    taken->within += clearance < 0.0;
    taken->beside += clearance >= 0.0 && clearance < l->clearance;
    return clearance >= l->clearance;
}

static bool lay_site(void* user, int64_t number, shoal_d3 site) {
    lattice* l = user;
    (void)number;
    return !is_laid(l, site, l->taken) || l->emit(l->user, l->body, site);
}

shoal_status shoal_lattice_sites(const shoal_description* description, const shoal_shape* shape, double d,
                                 shoal_site_fn emit, void* user, shoal_taken* taken) {
    lattice l = {
        .description = description, .shape = shape, .d = d, .body = -1, .emit = emit, .user = user, .taken = taken};
    shoal_status status = lattice_make(&l, false);
    if (status == SHOAL_OK) walk(&l, 0, lay_site, &l);
    shoal_world_destroy(l.world);
    return status;
}

// ---------------------------------------------------------------------------------- cells that obstacles and packed
// bodies cut

// A cell with the surface of the body in it.
typedef struct cut_cell {
    int64_t  number;
    double   fraction;  // of its volume that the body has
    shoal_d3 place;     // of the body in it, nearest to the site
    bool     touches;   // the surface of an obstacle is in it,
    bool     is_shared; // that of a packed body
    bool     is_filled;
} cut_cell;

typedef struct survey {
    lattice*     l;
    cut_cell*    cells; // in the order of the walk
    size_t       count, capacity, next;
    double       volume; // of the body in them, cells
    double       missed; // of that by the sites of cells that obstacles cut,
    double       shared; // of cells that packed bodies cut
    double       laid;   // sites of the body, all of them
    shoal_status status;
} survey;

// Whether a body is a packing of points, as many as its volume has room for: what lies beside it must not have more.
static bool is_packed(const lattice* l, int k) {
    const shoal_body* b = &l->description->bodies[k];
    return k != l->body && b->shape && b->arrangement == SHOAL_RANDOM &&
           l->description->materials[b->material].is_continuum;
}

// How far a place is from packed bodies, m, at most `most`.
static double packed_at(const lattice* l, double most, shoal_d3 p) {
    double clearance = most;
    for (int k = 0; k < l->description->body_count; k++) {
        const shoal_shape* shape = l->description->bodies[k].shape;
        if (is_packed(l, k) && shoal_box_holds(shoal_box_grown(shoal_shape_bounds(shape), most), p))
            clearance = fmin(clearance, shoal_shape_distance(shape, p));
    }
    return clearance;
}

// Fractions of a cell by 3^3 samples, each for a third of it along each axis: exact where a plane along the axes cuts
// it.
static void measure_cell(const lattice* l, shoal_d3 site, cut_cell* cell) {
    const double third   = l->d / 3.0;
    double       nearest = 2.0 * l->d;
    for (int k = 0; k < SAMPLES; k++) {
        shoal_d3 p = sample_of(l, site, k), asked = asked_at(l->description, p);
        double   clearance = obstacles_at(l->world, l->d, asked),
               depth       = fmin(clearance, -shoal_shape_distance(l->shape, asked)),
               away        = shoal_d3_length(shoal_d3_sub(p, site));
        cell->touches      = cell->touches || clearance < 0.499 * third;
        cell->is_shared    = cell->is_shared || packed_at(l, l->d, asked) < 0.499 * third;
        cell->fraction += fmin(fmax(depth / third + 0.5, 0.0), 1.0) / SAMPLES;
        if (depth > 0.0 && away < nearest) {
            nearest     = away;
            cell->place = p;
        }
    }
    if (nearest > l->d) cell->fraction = 0.0;
}

static bool survey_site(void* user, int64_t number, shoal_d3 site) {
    survey*     s       = user;
    lattice*    l       = s->l;
    shoal_taken ignored = {0};
    cut_cell    cell    = {.number = number};
    bool        laid    = is_laid(l, site, &ignored);
    s->laid += laid;
    if (fabs(shoal_shape_distance(l->shape, site)) > l->d && obstacles_at(l->world, l->d, site) >= l->d) return true;
    if (shoal_shape_distance(l->shape, site) > l->d || !shoal_box_holds(shoal_domain_extent(&l->world->domain), site) ||
        walls_at(l->world, l->clearance, asked_at(l->description, site)) < l->clearance)
        return true;
    measure_cell(l, site, &cell);
    if (cell.fraction == 0.0 || (!cell.touches && cell.fraction > 0.999)) return true;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity + s->capacity / 2 + 1024;
        s->status       = shoal_realloc((void**)&s->cells, s->capacity, capacity, sizeof *s->cells);
        if (s->status != SHOAL_OK) return false;
        s->capacity = capacity;
    }
    s->cells[s->count++] = cell;
    s->volume += cell.fraction;
    s->missed += cell.touches ? cell.fraction - laid : 0.0;
    s->shared += cell.is_shared ? cell.fraction - laid : 0.0;
    return true;
}

// Of the cells those that packed bodies cut.
static void keep_shared(survey* s) {
    size_t stored = 0;
    s->volume     = 0.0;
    for (size_t k = 0; k < s->count; k++) {
        if (!s->cells[k].is_shared) continue;
        s->volume += s->cells[k].fraction;
        s->cells[stored++] = s->cells[k];
    }
    s->count = stored;
}

// Those with the most of the body in them first, of equal ones any, but the same ones everywhere.
static int by_fraction(const void* a, const void* b) {
    const cut_cell *x = a, *y = b;
    double          fraction_x = floor(x->fraction * 1e6 + 0.5), fraction_y = floor(y->fraction * 1e6 + 0.5);
    if (fraction_x != fraction_y) return fraction_x > fraction_y ? -1 : 1;
    uint64_t key_x = shoal_mix64((uint64_t)x->number), key_y = shoal_mix64((uint64_t)y->number);
    return key_x < key_y ? -1 : key_x > key_y;
}

static int by_number(const void* a, const void* b) {
    const cut_cell *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool lay_place(void* user, int64_t number, shoal_d3 site) {
    survey*  s = user;
    lattice* l = s->l;
    if (s->next == s->count || s->cells[s->next].number != number) return lay_site(l, number, site);
    const cut_cell* cell = &s->cells[s->next++];
    l->taken->within += !cell->is_filled && shoal_lattice_site_is_in(l->description, l->shape, site);
    if (!cell->is_filled) return true;
    l->taken->overfull += obstacles_at(l->world, l->clearance, asked_at(l->description, cell->place)) < l->clearance;
    return l->emit(l->user, l->body, cell->place);
}

// Places in cells, as many as they have room for but for the part that is left free.
static void lay_cells(survey* s, double left) {
    size_t extent = (size_t)fmin(floor((1.0 - left) * s->volume + 0.5), (double)s->count);
    qsort(s->cells, s->count, sizeof *s->cells, by_fraction);
    for (size_t k = 0; k < extent; k++) s->cells[k].is_filled = true;
    qsort(s->cells, s->count, sizeof *s->cells, by_number);
    walk(s->l, 1, lay_place, s);
}

static double shared_cells(const survey* s) {
    double count = 0.0;
    for (size_t k = 0; k < s->count; k++) count += s->cells[k].is_shared;
    return count;
}

static shoal_status lay_by_volume(lattice* l) {
    survey s = {.l = l};
    walk(l, 1, survey_site, &s);
    if (s.status == SHOAL_OK && fabs(s.missed) > missed_most * s.laid) {
        lay_cells(&s, l->clearance > 0.0 ? left_free : 0.0);
    } else if (s.status == SHOAL_OK && fabs(s.shared) > shared_most * shared_cells(&s)) {
        keep_shared(&s);
        lay_cells(&s, 0.0);
    } else if (s.status == SHOAL_OK) {
        walk(l, 0, lay_site, l);
    }
    shoal_free(s.cells);
    return s.status;
}

static bool meets_obstacles(const lattice* l) {
    shoal_box bounds = shoal_box_grown(shoal_shape_bounds(l->shape), l->d);
    for (int c = 0; c < l->world->collider_count; c++)
        if (shoal_box_meets(l->world->colliders[c].bounds, bounds)) return true;
    return false;
}

static bool meets_packed(const lattice* l) {
    shoal_box bounds = shoal_box_grown(shoal_shape_bounds(l->shape), l->d);
    for (int k = 0; k < l->description->body_count; k++)
        if (is_packed(l, k) && shoal_box_meets(shoal_shape_bounds(l->description->bodies[k].shape), bounds))
            return true;
    return false;
}

shoal_status shoal_lattice_body_sites(const shoal_description* description, int body, shoal_site_fn emit, void* user,
                                      shoal_taken* taken) {
    const shoal_body*     b = &description->bodies[body];
    const shoal_material* m =
        b->material >= 0 && b->material < description->material_count ? &description->materials[b->material] : NULL;
    lattice      l            = {.description = description,
                                 .shape       = b->shape,
                                 .d           = shoal_spacing_of(description, b->material),
                                 .body        = body,
                                 .emit        = emit,
                                 .user        = user,
                                 .taken       = taken};
    shoal_status status       = lattice_make(&l, m && m->is_at_walls);
    bool         is_by_volume = m && (((m->kind == SHOAL_LIQUID || m->is_at_walls) && meets_obstacles(&l)) ||
                              (m->is_continuum && meets_packed(&l)));
    if (status == SHOAL_OK && is_by_volume)
        status = lay_by_volume(&l);
    else if (status == SHOAL_OK)
        walk(&l, 0, lay_site, &l);
    shoal_world_destroy(l.world);
    return status;
}

// ---------------------------------------------------------------------------------- what a shape holds

typedef struct volume_job {
    const lattice* l;
    shoal_box      extent;
    double         cells;
} volume_job;

// How deep a place is in what a shape has for itself, m; no more than a spacing off obstacles.
static double depth_at(const volume_job* r, shoal_d3 p) {
    double depth = fmin(-shoal_shape_distance(r->l->shape, p), obstacles_at(r->l->world, r->l->d, p));
    for (int axis = 0; axis < 3; axis++) {
        double at = shoal_d3_axis(p, axis);
        depth     = fmin(depth, at - shoal_d3_axis(r->extent.min, axis));
        depth     = fmin(depth, shoal_d3_axis(r->extent.max, axis) - at);
    }
    return depth;
}

static bool add_cell(void* user, int64_t number, shoal_d3 site) {
    volume_job*    r     = user;
    const lattice* l     = r->l;
    const double   third = l->d / 3.0;
    double         depth = depth_at(r, site);
    (void)number;
    if (depth >= l->d) r->cells += 1.0;
    for (int k = 0; k < SAMPLES && fabs(depth) < l->d; k++)
        r->cells += fmin(fmax(depth_at(r, sample_of(l, site, k)) / third + 0.5, 0.0), 1.0) / SAMPLES;
    return true;
}

shoal_status shoal_lattice_volume(const shoal_description* description, const shoal_shape* shape, double d,
                                  double* volume) {
    shoal_taken  ignored;
    lattice      l      = {.description = description, .shape = shape, .d = d, .body = -1, .taken = &ignored};
    volume_job   r      = {.l = &l, .extent = shoal_domain_extent(&description->domain)};
    shoal_status status = lattice_make(&l, false);
    if (status == SHOAL_OK) walk(&l, 1, add_cell, &r);
    shoal_world_destroy(l.world);
    *volume = r.cells * d * d * d;
    return status;
}

// ---------------------------------------------------------------------------------- what is dry

typedef struct dry_job {
    lattice      l;
    double       near;
    shoal_dry_fn emit;
    void*        user;
    bool         is_ended;
} dry_job;

static bool is_wet_body(const shoal_description* description, int body, double d) {
    const shoal_body* b = &description->bodies[body];
    return b->arrangement == SHOAL_LATTICE && description->materials[b->material].kind == SHOAL_LIQUID &&
           shoal_spacing_of(description, b->material) == d;
}

// How deep a place is in the liquid, m; negative outside of it. No more than `most` off obstacles.
static double wetness_at(const lattice* l, double most, shoal_d3 p) {
    double depth = -(double)INFINITY, clearance = obstacles_at(l->world, most, p);
    for (int b = 0; b < l->description->body_count; b++)
        if (is_wet_body(l->description, b, l->d))
            depth = fmax(depth, -shoal_shape_distance(l->description->bodies[b].shape, p));
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        double at = shoal_d3_axis(p, wall / 2);
        if (l->world->is_closed[wall])
            clearance = fmin(clearance, wall % 2 == 0 ? at - shoal_d3_axis(l->world->domain.min, wall / 2)
                                                      : shoal_d3_axis(l->world->domain.max, wall / 2) - at);
    }
    return fmin(depth, clearance);
}

// Bodies are walked around one after the other; a cell belongs to the first.
static bool is_done(const dry_job* w, shoal_d3 site) {
    for (int b = 0; b < w->l.body; b++) {
        shoal_box box = shoal_box_grown(shoal_shape_bounds(w->l.description->bodies[b].shape), 2.0 * w->l.d);
        if (is_wet_body(w->l.description, b, w->l.d) && shoal_box_holds(box, site)) return true;
    }
    return false;
}

static bool is_beyond_a_seam(const lattice* l, shoal_d3 site) {
    for (int axis = 0; axis < 3; axis++) {
        double at = shoal_d3_axis(site, axis);
        if (l->world->is_periodic[axis] &&
            (at < shoal_d3_axis(l->world->domain.min, axis) || at > shoal_d3_axis(l->world->domain.max, axis)))
            return true;
    }
    return false;
}

static bool dry_site(void* user, int64_t number, shoal_d3 site) {
    dry_job*       w     = user;
    const lattice* l     = &w->l;
    const double   third = l->d / 3.0;
    (void)number;
    if (obstacles_at(l->world, w->near, site) >= w->near || is_done(w, site) || is_beyond_a_seam(l, site)) return true;
    double wet = wetness_at(l, w->near, site), dry = 1.0;
    if (wet > l->d) return true;
    shoal_d3 at = site;
    if (wet > -l->d) {
        dry = 0.0;
        at  = shoal_d3_make(0.0, 0.0, 0.0);
        for (int k = 0; k < SAMPLES; k++) {
            shoal_d3 p        = sample_of(l, site, k);
            double   fraction = fmin(fmax(0.5 - wetness_at(l, w->near, p) / third, 0.0), 1.0) / SAMPLES;
            dry += fraction;
            at = shoal_d3_add(at, shoal_d3_scale(p, fraction));
        }
        if (dry < 0.01) return true;
        at = shoal_d3_scale(at, 1.0 / dry);
    }
    w->is_ended = !w->emit(w->user, at, dry);
    return !w->is_ended;
}

shoal_status shoal_lattice_dry(const shoal_description* description, double d, double near, shoal_dry_fn emit,
                               void* user) {
    shoal_status status = SHOAL_OK;
    shoal_taken  taken;
    dry_job      w = {.near = near, .emit = emit, .user = user};
    for (int b = 0; b < description->body_count && status == SHOAL_OK && !w.is_ended; b++) {
        if (!is_wet_body(description, b, d)) continue;
        w.l = (lattice){
            .description = description, .shape = description->bodies[b].shape, .d = d, .body = b, .taken = &taken};
        status = lattice_make(&w.l, false);
        if (status == SHOAL_OK) walk(&w.l, 3, dry_site, &w);
        shoal_world_destroy(w.l.world);
    }
    return status;
}
