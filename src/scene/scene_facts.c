// SPDX-License-Identifier: MIT
// What a scene amounts to: particles, memory; and what only shows when the lattice is laid over it:
// bodies outside the domain, bodies that overlap, bodies without a particle.
#include "scene/scene_read.h"

#include "exec/exec.h"
#include "state/outlet.h"
#include "state/part.h"
#include "state/reach.h"
#include "state/sites.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double infinite    = 1e29;             // shape bounds beyond this have no end
static const double asked_most  = 2e5;              // sites looked at for a first guess
static const double glanced_at  = 1e7;              // from so many sites on a guess is worth its time
static const double steps_least = 32.0;             // of single precision within a spacing
static const double count_most  = INT_MAX - 1024.0; // particles are counted in int, with a few to spare

static const char* const wall_names[] = {"left", "right", "bottom", "top", "back", "front"};

static void with_commas(double value, char* out, size_t capacity) {
    char   digits[48];
    int    length = snprintf(digits, sizeof digits, "%.0f", value);
    size_t used   = 0;
    for (int k = 0; k < length && used + 2 < capacity; k++) {
        if (k > 0 && (length - k) % 3 == 0) out[used++] = ',';
        out[used++] = digits[k];
    }
    out[used] = 0;
}

// The bounds of a body, no farther than particles are kept: one domain length outside.
static shoal_box reach(const shoal_description* d, const shoal_shape* shape) {
    shoal_box box = shoal_shape_bounds(shape);
    if (!d->domain.is_given) return box;
    shoal_d3 min = d->domain.min, max = d->domain.max, length = shoal_d3_sub(max, min);
    min     = shoal_d3_sub(min, length);
    max     = shoal_d3_add(max, length);
    box.min = shoal_d3_make(fmax(box.min.x, min.x), fmax(box.min.y, min.y), fmax(box.min.z, min.z));
    box.max = shoal_d3_make(fmin(box.max.x, max.x), fmin(box.max.y, max.y), fmin(box.max.z, max.z));
    return box;
}

static double sites_in(shoal_box box, double spacing) {
    if (shoal_box_is_empty(box)) return 0.0;
    return ceil((box.max.x - box.min.x) / spacing + 1.0) * ceil((box.max.y - box.min.y) / spacing + 1.0) *
           ceil((box.max.z - box.min.z) / spacing + 1.0);
}

// About how many lattice sites of the box the shape holds, from a coarser lattice where there are
// many. With `found` it stops at the first and says where that is.
static double about_how_many(const shoal_description* d, const shoal_shape* shape, double spacing, shoal_box box,
                             shoal_d3* found) {
    double   sites = sites_in(box, spacing), hits = 0.0;
    shoal_d3 anchor = d->domain.min; // the origin where there is no domain
    if (sites == 0.0) return 0.0;
    double   stride = sites > asked_most ? ceil(cbrt(sites / asked_most)) : 1.0, h = stride * spacing;
    shoal_d3 first =
        shoal_d3_make(ceil((box.min.x - anchor.x) / spacing - 0.5), ceil((box.min.y - anchor.y) / spacing - 0.5),
                      ceil((box.min.z - anchor.z) / spacing - 0.5));
    first = shoal_d3_add(anchor, shoal_d3_scale(shoal_d3_add(first, shoal_d3_make(0.5, 0.5, 0.5)), spacing));
    // counted, not summed up to a limit: far out a spacing may be lost in the rounding
    int nx = (int)fmin(floor((box.max.x - first.x) / h) + 1.0, asked_most),
        ny = (int)fmin(floor((box.max.y - first.y) / h) + 1.0, asked_most),
        nz = (int)fmin(floor((box.max.z - first.z) / h) + 1.0, asked_most);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                shoal_d3 site = shoal_d3_add(first, shoal_d3_make(i * h, j * h, k * h));
                if (!shoal_lattice_site_is_in(d, shape, site)) continue;
                hits += 1.0;
                if (!found) continue;
                *found = site;
                return hits;
            }
    return hits * stride * stride * stride;
}

// Faults for walls that a body passes. A body without an end, like a plane, is meant to be cut off
// by them.
static bool passes_a_wall(scene_reader* r, const shoal_node* node, const shoal_shape* shape, double spacing) {
    const shoal_domain* domain = &r->d->domain;
    shoal_box           whole = shoal_shape_bounds(shape), box = whole;
    bool                passes = false;
    double*             low[]  = {&box.min.x, &box.min.y, &box.min.z};
    double*             high[] = {&box.max.x, &box.max.y, &box.max.z};
    if (!domain->is_given || shoal_box_is_empty(whole)) return false;
    for (int axis = 0; axis < 3; axis++) { // where it has no end, look no farther than the domain
        if (*low[axis] < -infinite) *low[axis] = shoal_d3_axis(domain->min, axis);
        if (*high[axis] > infinite) *high[axis] = shoal_d3_axis(domain->max, axis);
    }
    shoal_box inner = box;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        int    axis    = w / 2;
        bool   is_high = w % 2 == 1;
        double wall    = shoal_d3_axis(is_high ? domain->max : domain->min, axis),
               end     = shoal_d3_axis(is_high ? inner.max : inner.min, axis);
        if (domain->walls[w].kind == SHOAL_WALL_OPEN) continue;
        box = inner;
        if (is_high)
            *low[axis] = fmax(*low[axis], wall);
        else
            *high[axis] = fmin(*high[axis], wall);
        shoal_d3 site;
        if (about_how_many(r->d, shape, spacing, box, &site) == 0.0) continue;
        scene_error(r, node, "is outside the domain: it reaches %c = %g, beyond the %s wall at %g", 'x' + axis, end,
                    wall_names[w], wall);
        passes = true;
    }
    return passes;
}

// Counting the sites of one body.
typedef struct count_job {
    const shoal_description* d;
    const int*               earlier; // earlier bodies whose bounds meet this one's
    bool*                    overlaps;
    int                      other_count;
    shoal_d3*                places;
    double                   count, most;
    double                   held;   // of discs, m
    double                   opened; // places in openings of streams of other materials, which stay empty
    int                      opener; // the first of these
} count_job;

static bool count_site(void* user, int body, shoal_sphere place) {
    count_job* c    = user;
    shoal_d3   site = place.at;
    int        open = shoal_opening_at(c->d, c->d->bodies[body].material, c->held, site);
    if (open >= 0) {
        if (c->opened == 0.0) c->opener = open;
        c->opened += 1.0;
        return true;
    }
    for (int k = 0; k < c->other_count; k++) {
        if (c->overlaps[k]) continue;
        if (shoal_lattice_site_is_in(c->d, c->d->bodies[c->earlier[k]].shape, site)) {
            c->overlaps[k] = true;
            c->places[k]   = site;
        }
    }
    return ++c->count <= c->most;
}

static void report_overlaps(scene_reader* r, const shoal_node* node, const count_job* c) {
    for (int k = 0; k < c->other_count; k++)
        if (c->overlaps[k])
            scene_error(r, node, "overlaps bodies.%d: both fill the place (%.4g, %.4g, %.4g)", c->earlier[k],
                        c->places[k].x, c->places[k].y, c->places[k].z);
}

static int find_earlier(const shoal_description* d, int body, int* earlier) {
    shoal_box box   = shoal_shape_bounds(d->bodies[body].shape);
    int       count = 0;
    for (int k = 0; k < body; k++)
        if (d->bodies[k].shape && shoal_box_meets(box, shoal_shape_bounds(d->bodies[k].shape))) earlier[count++] = k;
    return count;
}

static bool meets_domain(const shoal_domain* domain, const shoal_shape* shape) {
    return !domain->is_given || shoal_box_meets((shoal_box){domain->min, domain->max}, shoal_shape_bounds(shape));
}

// A layer of particles keeps half a spacing off solids, so what fills a narrow vessel has less than its volume.
static void warn_volume(scene_reader* r, const shoal_node* node, double left, double beside, double spacing) {
    const double least = 0.95, volume = (left + beside) * pow(spacing, 3.0);
    if (r->type->matter || left == 0.0 || left >= least * (left + beside)) return; // a mesh goes up to the solids
    scene_warning(r, node,
                  "has %.3g m^3 of the %.3g m^3 that it has room for (%.0f %%): no particle begins within half a "
                  "spacing of a solid; a smaller spacing loses less",
                  left * pow(spacing, 3.0), volume, 100.0 * left / (left + beside));
}

static void warn_openings(scene_reader* r, const shoal_node* node, const count_job* c, double left) {
    char shown[64], all[64];
    if (c->opened == 0.0) return;
    with_commas(c->opened, shown, sizeof shown);
    with_commas(c->opened + left, all, sizeof all);
    scene_warning(r, node,
                  "%s of its %s places stay empty: they are in the opening of emitters.%d, which takes what is of its "
                  "own material alone",
                  shown, all, c->opener);
}

// Adds the particles of a body to *total; `most` is what memory allows in all.
static void count_body(scene_reader* r, const shoal_node* node, int body, count_job* c, double* total) {
    const shoal_description* d       = r->d;
    const shoal_shape*       shape   = d->bodies[body].shape;
    double                   spacing = shoal_spacing_of(d, d->bodies[body].material);
    double                   sites   = sites_in(reach(d, shape), spacing);
    if (sites > r->scene->sites_most) {
        char shown[64];
        snprintf(shown, sizeof shown, sites > 1e18 ? "no end" : "%.3g lattice sites", sites);
        scene_error(r, node,
                    "is too large to count: its box has %s (at most %.3g); make it smaller or the "
                    "spacing larger%s",
                    shown, r->scene->sites_most, d->domain.is_given ? "" : ", or give a domain");
        return;
    }
    const char* matter = r->type->matter ? "liquid" : "particle";
    bool        passes = passes_a_wall(r, node, shape, spacing);
    if (sites > glanced_at) { // refuse what is far too much without counting it all
        double about = about_how_many(d, shape, spacing, reach(d, shape), NULL);
        if (about > 2.0 * c->most) {
            *total += floor(0.9 * about);
            return;
        }
    }
    c->other_count = find_earlier(d, body, (int*)c->earlier);
    for (int k = 0; k < c->other_count; k++) c->overlaps[k] = false;
    c->count            = *total;
    c->opened           = 0.0;
    shoal_taken  lost   = {0};
    shoal_status status = shoal_body_sites(d, body, count_site, c, &lost);
    if (status == SHOAL_ERR_MEMORY)
        r->is_out_of_memory = true;
    else if (status != SHOAL_OK)
        scene_error(r, node, "%s", shoal_last_error());
    report_overlaps(r, node, c);
    double left = c->count - *total, taken = (double)(lost.within + lost.beside);
    if (status == SHOAL_OK && r->errors == 0) warn_openings(r, node, c, left);
    if (status == SHOAL_OK && r->errors == 0 && left > 0.0 && taken > left) {
        char shown[64], all[64];
        with_commas(taken, shown, sizeof shown);
        with_commas(taken + left, all, sizeof all);
        scene_warning(r, node, "obstacles take %s of its %s places (%.0f %%): are they where they should be?", shown,
                      all, 100.0 * taken / (taken + left));
    } else if (status == SHOAL_OK && r->errors == 0) {
        warn_volume(r, node, left, (double)lost.beside, spacing);
    }
    if (status == SHOAL_OK && left == 0.0 && taken > 0.0 && !passes) {
        char shown[64];
        with_commas(taken, shown, sizeof shown);
        scene_warning(r, node, "has no %s: obstacles take all of its %s places", matter, shown);
    } else if (status == SHOAL_OK && left == 0.0 && c->opened == 0.0 && !passes) {
        if (!meets_domain(&d->domain, shape))
            scene_error(r, node, "is outside the domain");
        else
            scene_warning(r, node, "has no %s: it is smaller than the spacing %g m", matter, spacing);
    }
    *total = c->count;
}

// How far from 0 an interval begins.
static double apart(double low, double high) { return fmax(fmax(low, -high), 0.0); }

static double ends_apart(double low, double high) {
    double farther = fmax(fabs(low), fabs(high));
    return farther < infinite ? farther : 0.0;
}

// Positions are single precision: far from the origin they fall on a lattice of their own, and
// where that is not much finer than the spacing, neighbours come to lie on one point.
static void check_resolution(scene_reader* r) {
    const shoal_description* d   = r->d;
    shoal_d3                 min = d->domain.min, max = d->domain.max;
    double                   far = fmax(apart(min.x, max.x), fmax(apart(min.y, max.y), apart(min.z, max.z)));
    for (int k = 0; k < d->body_count; k++) {
        if (!d->bodies[k].shape) continue;
        shoal_box box = reach(d, d->bodies[k].shape);
        far           = fmax(far, fmax(ends_apart(box.min.x, box.max.x),
                                       fmax(ends_apart(box.min.y, box.max.y), ends_apart(box.min.z, box.max.z))));
    }
    double step = far * (double)FLT_EPSILON;
    if (d->spacing >= steps_least * step) return;
    size_t mark = scene_enter(r, "spacing");
    scene_error(r, shoal_node_child(r->scene->root, "spacing"),
                "%g m is too fine %g m from the origin, where places are kept in steps of %.2g m; "
                "move the scene nearer to the origin or make the spacing at least %.2g",
                d->spacing, far, step, steps_least * step);
    scene_leave(r, mark);
}

// Particles an emitter may add within the run.
static double emitter_most(const shoal_description* d, const shoal_emitter* e) {
    double seconds = fmin(e->until, d->frames / d->fps) - e->from;
    if (!(seconds > 0.0)) return 0.0;
    double step  = shoal_spacing_of(d, e->material);
    double speed = (double)shoal_v3_length(e->velocity);
    if (e->kind == SHOAL_EMIT_RAIN) return ceil(e->rate * seconds);
    if (shoal_is_stream(e))
        return ceil(shoal_opening_area(&d->domain, e) * speed * seconds / shoal_volume_of(d, e->material));
    if (!e->shape) return 0.0;
    // refilled as often as its contents fall out of it
    shoal_box box = shoal_box_common(shoal_shape_bounds(e->shape), shoal_domain_extent(&d->domain));
    if (shoal_box_is_empty(box)) return 0.0;
    double extent = fmin(box.max.x - box.min.x, fmin(box.max.y - box.min.y, box.max.z - box.min.z));
    double fills  = 1.0 + seconds * sqrt(shoal_d3_length(d->gravity) * fabs(extent)) / fmax(extent, step);
    return fmin(shoal_shape_volume_estimate(e->shape) / (step * step * step), sites_in(box, step)) * fills;
}

// --- memory

// One index, key or place of sorting: order, key twice, key and index of the sort itself.
static const double sort_bytes = 4.0 + 2.0 * 8.0 + 12.0;
// Links of a front probe: point, place, owner, parent, rank, members, and their sort.
static const double front_bytes = 2.0 * 12.0 + 4.0 * 4.0 + 4.0 + 2.0 * 8.0 + 12.0;
// What every run holds, the program among it, and what each thread does: slabs of neighbour lists, counts of digits.
static const double bytes_at_rest = 8e6, bytes_per_thread = 0.4e6;

// Of an item of a set, bytes in a frame and in a checkpoint.
static void shown_bytes(const shoal_description* d, const shoal_set_def* set, double* frame, double* state) {
    const shoal_field_def* field;
    *frame = *state = 0.0;
    for (int k = 0; (field = shoal_set_field_at(set, k)); k++) {
        double size = (double)shoal_type_size(field->type) * (field->width > 1 ? field->width : 1);
        if (shoal_field_is_in_frames(d, set->name, field)) *frame += size;
        if (field->role != SHOAL_SCRATCH) *state += size;
    }
}

// Images across periodic walls, as a fraction of all particles.
static double image_fraction(const scene_reader* r) {
    const shoal_domain* domain  = &r->d->domain;
    double              support = r->scene->facts.support, fraction = 1.0;
    for (int axis = 0; axis < 3 && domain->is_given; axis++)
        if (domain->walls[2 * axis].kind == SHOAL_WALL_PERIODIC)
            fraction *= 1.0 + 2.0 * support / (shoal_d3_axis(domain->max, axis) - shoal_d3_axis(domain->min, axis));
    return fraction - 1.0;
}

// The set of the solver in which particles of a material live, by its place; the first where it has none for them.
static int home_of(const scene_reader* r, int material) {
    SHOAL_ASSERT(material >= 0 && material < r->d->material_count); // of bodies with a fault, too
    unsigned kind = 1u << r->d->materials[material].kind;
    for (int k = 0; r->type->sets[k].name; k++)
        if (r->type->sets[k].life == SHOAL_SORTED && (r->type->sets[k].kinds == 0 || (r->type->sets[k].kinds & kind)))
            return k;
    return 0;
}

// Bytes of the fields of a particle of a set, and of what frames and a checkpoint hold of it.
static double set_bytes(const scene_reader* r, int set, double* fields) {
    const shoal_set_def* def = &r->type->sets[set];
    double               frame, state;
    *fields = (double)shoal_set_bytes_per_particle(def->fields);
    shown_bytes(r->d, def, &frame, &state);
    // two frames, one of them being sorted (with a copy of its widest field), and a checkpoint
    return *fields + 2.0 * frame + sort_bytes + 16.0 + state;
}

// How many particles each set may come to hold.
typedef struct set_counts {
    double of[SHOAL_SETS_MOST];
} set_counts;

// Bytes per particle while a run computes a step and writes the frame and the checkpoint of before, with the particles
// shared out among the sets in this way.
static double bytes_each(const scene_reader* r, double particles, const set_counts* counts) {
    const shoal_solver_type* type = r->type;
    double                   all = 0.0, each = 0.0, fields = 0.0, images = image_fraction(r);
    for (int k = 0; k < SHOAL_SETS_MOST; k++) all += counts->of[k];
    for (int k = 0; type->sets[k].name; k++) {
        double own, fraction = all > 0.0 ? counts->of[k] / all : k == 0 ? 1.0 : 0.0;
        if (!(fraction > 0.0)) continue;
        each += fraction * set_bytes(r, k, &own);
        fields += fraction * own;
    }
    if (type->extra_bytes) each += type->extra_bytes(r->d, particles) / particles;
    for (int k = 0; k < r->d->probe_count; k++)
        if (r->d->probes[k].kind == SHOAL_PROBE_FRONT) {
            each += front_bytes;
            break;
        }
    // images have fields too, lists of twice their number, and cells of their own
    if (images > 0.0) each += 0.5 * fields + images * (2.0 * 48.0 + 1.25 * (sort_bytes + 4.0));
    return each;
}

static void check_memory(scene_reader* r, double start, double most, double each, double base, bool is_cut) {
    const shoal_node* node = shoal_node_child(r->scene->root, "spacing");
    const char*       what = r->type->matter ? "cubes of a spacing" : "particles";
    char              count[64];
    double            machine = r->scene->bytes_most, bytes = most * each + base;
    with_commas(most, count, sizeof count);
    if (most > count_most) {
        scene_error(r, node, "gives %s%s %s, the most there can be is %.0f; make the spacing larger",
                    is_cut ? "more than " : "", count, what, count_most);
    } else if (machine > 0.0 && bytes > machine) {
        bool drains = r->d->sink_count > 0 || !r->d->domain.is_given;
        for (int w = 0; w < SHOAL_WALL_COUNT; w++) drains |= r->d->domain.walls[w].kind == SHOAL_WALL_OPEN;
        // what emitters add may leave again
        if (start * each + base <= machine && drains)
            scene_warning(r, node,
                          "may need %.1f GB of memory for %s %s if none leave, this machine "
                          "has %.1f GB",
                          bytes / 1e9, count, what, machine / 1e9);
        else
            scene_error(r, node,
                        "needs %s %.1f GB of memory for %s%s %s, this machine has %.1f GB; "
                        "make the spacing larger",
                        is_cut ? "more than" : "about", bytes / 1e9, is_cut ? "more than " : "", count, what,
                        machine / 1e9);
    }
}

void scene_count(scene_reader* r) {
    shoal_description* d      = r->d;
    shoal_scene_facts* facts  = &r->scene->facts;
    const shoal_node*  nodes  = shoal_node_child(r->scene->root, "bodies");
    set_counts         counts = {{0.0}};
    double             each   = ceil(bytes_each(r, count_most, &counts)); // of a large scene
    double             base   = bytes_at_rest + bytes_per_thread * shoal_exec_cores() + r->mesh_bytes;
    double             memory = r->scene->bytes_most > 0.0 ? floor(r->scene->bytes_most / each) : count_most;
    count_job          c = {.d = d, .most = fmin(memory, count_most), .held = shoal_outlet_held(d, facts->support)};
    check_resolution(r);
    double total = 0.0;
    if (d->body_count > 0) {
        int* earlier = shoal_alloc((size_t)d->body_count, sizeof *earlier);
        c.overlaps   = shoal_alloc((size_t)d->body_count, sizeof *c.overlaps);
        c.places     = shoal_alloc((size_t)d->body_count, sizeof *c.places);
        c.earlier    = earlier;
        r->is_out_of_memory |= !earlier || !c.overlaps || !c.places;
        const shoal_node* node = nodes->first;
        for (int k = 0; k < d->body_count && total <= c.most && !r->is_out_of_memory; k++, node = node->next) {
            size_t mark = scene_enter(r, "bodies");
            scene_enter_place(r, k);
            double before = total;
            if (d->bodies[k].shape) count_body(r, node, k, &c, &total);
            counts.of[home_of(r, d->bodies[k].material)] += total - before;
            scene_leave(r, mark);
        }
        shoal_free(earlier);
        shoal_free(c.overlaps);
        shoal_free(c.places);
    }
    double added = 0.0;
    for (int k = 0; k < d->emitter_count; k++) {
        double own = emitter_most(d, &d->emitters[k]);
        counts.of[home_of(r, d->emitters[k].material)] += own;
        added += own;
    }
    double most = ceil(fmin(total + added, 9e15));

    each        = ceil(bytes_each(r, fmax(most, 1.0), &counts));
    size_t mark = scene_enter(r, "spacing");
    check_memory(r, total, most, each, base, total > c.most);
    scene_leave(r, mark);
    facts->particles          = (int64_t)total;
    facts->particles_most     = (int64_t)most;
    facts->bytes_per_particle = (int64_t)each;
    facts->is_mesh            = r->type->matter != NULL;
    facts->bytes              = (int64_t)fmin(most * each + base, 9e18);
}
