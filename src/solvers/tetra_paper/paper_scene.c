// SPDX-License-Identifier: MIT
// What the scene says, as the mesher and the tracked surface ask for it: solids, bodies, forces, nozzles, open walls.
#include "solvers/tetra_paper/paper_local.h"

#include "state/reach.h"

#include <math.h>
#include <stdio.h>

// Without a domain: how far from the scene liquid may fly, in steps, whichever way it is driven. It costs next to
// nothing; so far away places, which are kept in single precision, are known to a few hundredths of a step.
#define REACH 30000.0
// A nozzle is full so far before its disc, in edges of tetrahedra, or as far as its stream comes in a step.
#define NOZZLE_LENGTH 1.5

// --- solids

// How far a place is from a box, squared.
static double off_box2(shoal_box box, shoal_d3 at) {
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        double x = shoal_d3_axis(at, a), below = shoal_d3_axis(box.min, a) - x, above = x - shoal_d3_axis(box.max, a);
        double off = below > above ? below : above;
        if (off > 0.0) sum += off * off;
    }
    return sum;
}

// Whether a box is at least so far away; hardly ever is a root needed to tell.
#define SURELY (1.0 + 1e-12)
static bool is_box_beyond(shoal_box box, shoal_d3 at, double off) {
    double square = off_box2(box, at);
    return off <= 0.0 || square > SURELY * off * off || sqrt(square) >= off;
}

// The nearest of the closed walls; the first of equals; -1: there is none.
static int nearest_wall(const shoal_world* world, shoal_d3 at, double* best) {
    const shoal_d3 low = world->domain.min, high = world->domain.max;
    const double   off[SHOAL_WALL_COUNT] = {at.x - low.x,  high.x - at.x, at.y - low.y,
                                            high.y - at.y, at.z - low.z,  high.z - at.z};
    int            wall                  = -1;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        if (world->is_closed[w] && off[w] < *best) *best = off[w], wall = w;
    return wall;
}

// Of all closed walls and obstacles the nearest; the first of equals.
static double off_solids(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    const shoal_world* world = ctx;
    double             best  = 1e30;
    int                w     = nearest_wall(world, at, &best);
    if (wall) *wall = (shoal_tet_wall){.is_sticky = false};
    if (wall && w >= 0) {
        const shoal_roughness* rough = &world->rough[w][SHOAL_LIQUID];
        *wall                        = (shoal_tet_wall){.friction = rough->friction, .is_sticky = rough->is_sticky};
        shoal_v3_set_axis(&wall->normal, w / 2, w % 2 ? -1.0f : 1.0f);
    }
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        shoal_d3              normal;
        if (is_box_beyond(collider->bounds, at, best)) continue;
        double off = shoal_collider_distance(collider, at, wall ? &normal : NULL);
        if (!(off < best)) continue;
        best = off;
        if (wall)
            *wall = (shoal_tet_wall){.normal    = shoal_v3_from(normal),
                                     .velocity  = shoal_v3_from(shoal_collider_velocity(collider, at)),
                                     .friction  = collider->rough[SHOAL_LIQUID].friction,
                                     .is_sticky = collider->rough[SHOAL_LIQUID].is_sticky};
    }
    return best;
}

shoal_tet_solids paper_solids(paper* s, double t, double dt) {
    s->world->obstacles = s->ctx->world->obstacles; // as callers may have moved them
    shoal_world_move(s->world, t, dt);
    return (shoal_tet_solids){s->world, off_solids};
}

// How far a place is past the end of the kept zone beyond open walls; negative: it is kept.
static double beyond_extent(const paper* s, shoal_d3 at) {
    double most = -1e30;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        if (!s->world->is_closed[w])
            most = fmax(most, w % 2 ? shoal_d3_axis(at, w / 2) - shoal_d3_axis(s->extent.max, w / 2)
                                    : shoal_d3_axis(s->extent.min, w / 2) - shoal_d3_axis(at, w / 2));
    return most;
}

// --- bodies

static void off_bodies(void* ctx, const shoal_d3* at, int count, double* value) {
    const paper*             s = ctx;
    const shoal_description* d = s->ctx->description;
    for (int i = 0; i < count; i++) {
        value[i] = 1e30;
        for (int b = 0; b < d->body_count; b++) {
            const shoal_shape* shape  = d->bodies[b].shape;
            bool               is_off = !shoal_box_holds(shoal_shape_bounds(shape), at[i]);
            if (value[i] > 0.0 || !is_off) value[i] = fmin(value[i], shoal_shape_distance(shape, at[i]));
        }
        value[i] = fmax(value[i], beyond_extent(s, at[i])); // they may reach far past an open wall
    }
}

// That of the body which the place is deepest in.
static shoal_d3 first_velocity(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    const shoal_description* d    = ((const paper*)ctx)->ctx->description;
    double                   best = (double)INFINITY;
    for (int b = 0; b < d->body_count; b++) {
        const shoal_body* body = &d->bodies[b];
        double            off  = shoal_shape_distance(body->shape, at);
        if (!(off < best)) continue;
        shoal_box box    = shoal_shape_bounds(body->shape);
        shoal_d3  centre = shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5);
        best             = off;
        velocity         = shoal_d3_add(shoal_d3_from(body->velocity),
                                        shoal_d3_cross(shoal_d3_from(body->spin), shoal_d3_sub(at, centre)));
    }
    return velocity;
}

shoal_status paper_begin_bodies(paper* s) {
    shoal_tet_drive drive = {.ctx = s, .accelerate = first_velocity};
    return shoal_tet_liquid_begin(&s->liquid, s->extent, s->step, off_bodies, s, &s->solids, &drive,
                                  (double)s->params.tolerance, &s->ctx->exec);
}

// --- where liquid comes and goes

static double open_time(const paper* s, const shoal_emitter* e) {
    return fmax(0.0, fmin(s->until, e->until) - fmax(s->from, e->from));
}
static double speed_of(const shoal_emitter* e) { return (double)shoal_v3_length(e->velocity); }
static double nozzle_length(const paper* s, const shoal_emitter* e) {
    return fmax(NOZZLE_LENGTH * s->step, speed_of(e) * (s->until - s->from));
}
// The distance to the cylinder before a disc that is kept full, or less.
static double off_nozzle(const paper* s, const shoal_emitter* e, shoal_d3 at) {
    shoal_d3 way = shoal_d3_scale(shoal_d3_from(e->velocity), 1.0 / speed_of(e)), to = shoal_d3_sub(at, e->at);
    double   along = shoal_d3_dot(to, way), out = shoal_d3_length(shoal_d3_sub(to, shoal_d3_scale(way, along)));
    return fmax(out - e->radius, fmax(-along, along - nozzle_length(s, e)));
}

static double emit_and_drain(void* ctx, shoal_d3 at, double distance) {
    const paper*             s = ctx;
    const shoal_description* d = s->ctx->description;
    for (int e = 0; e < d->emitter_count; e++)
        if (open_time(s, &d->emitters[e]) > 0.0) distance = fmin(distance, off_nozzle(s, &d->emitters[e], at));
    return fmax(distance, beyond_extent(s, at));
}

// Gravity and forces; what is in a nozzle has its stream's velocity.
static shoal_d3 accelerate(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    const paper*             s    = ctx;
    const shoal_description* d    = s->ctx->description;
    shoal_v3                 gain = shoal_forces_gain(d, s->material, shoal_v3_from(at), s->from, s->until);
    velocity                      = shoal_d3_add(velocity, shoal_d3_scale(d->gravity, s->until - s->from));
    velocity                      = shoal_d3_add(velocity, shoal_d3_from(gain));
    for (int e = 0; e < d->emitter_count; e++)
        if (open_time(s, &d->emitters[e]) > 0.0 && off_nozzle(s, &d->emitters[e], at) <= 0.0)
            velocity = shoal_d3_from(d->emitters[e].velocity);
    return velocity;
}

// Places on the surfaces of nozzles: the middles of their ends.
static int lay_seeds(const paper* s) {
    int count = 0;
    for (int k = 0; k < s->ctx->description->emitter_count; k++) {
        const shoal_emitter* e   = &s->ctx->description->emitters[k];
        shoal_d3             end = shoal_d3_scale(shoal_d3_from(e->velocity), nozzle_length(s, e) / speed_of(e));
        s->seeds[count++]        = e->at;
        s->seeds[count++]        = shoal_d3_add(e->at, end);
    }
    return count;
}

double paper_sent(const paper* s) {
    double sum = 0.0;
    for (int k = 0; k < s->ctx->description->emitter_count; k++) {
        const shoal_emitter* e = &s->ctx->description->emitters[k];
        sum += SHOAL_PI * e->radius * e->radius * speed_of(e) * open_time(s, e);
    }
    return sum;
}

// Tetrahedra whose middles go past the end.
double paper_leaving(const paper* s) {
    const shoal_tet_state* now = shoal_tet_current(&s->liquid);
    double                 sum = 0.0;
    for (int t = 0; t < now->mesh.tet_count; t++) {
        shoal_d3 area[4], gone = shoal_d3_scale(shoal_d3_from(now->velocity[t]), s->until - s->from);
        if (beyond_extent(s, shoal_d3_add(shoal_tet_centroid(&now->mesh, t), gone)) > 0.0)
            sum += shoal_tet_areas(&now->mesh, t, area);
    }
    return sum;
}

shoal_tet_drive paper_drive(paper* s, double t, double dt) {
    s->from  = t;
    s->until = t + dt;
    return (shoal_tet_drive){.ctx            = s,
                             .accelerate     = accelerate,
                             .emit_and_drain = emit_and_drain,
                             .seeds          = s->seeds,
                             .seed_count     = lay_seeds(s)};
}

// --- places, once

static shoal_box with_box(shoal_box a, shoal_box b) {
    return shoal_box_is_empty(b) ? a : shoal_box_with(shoal_box_with(a, b.min), b.max);
}

// Where liquid is kept: within the domain, and as far beyond its open walls as particles are; without one as far as the
// lattice goes, whatever moves it and for however long.
static shoal_box extent_of(const shoal_description* d, double step) {
    shoal_box box = shoal_box_empty();
    if (d->domain.is_given) return shoal_domain_extent(&d->domain);
    for (int b = 0; b < d->body_count; b++) box = with_box(box, shoal_shape_bounds(d->bodies[b].shape));
    for (int e = 0; e < d->emitter_count; e++) box = with_box(box, shoal_emitter_box(&d->emitters[e]));
    if (shoal_box_is_empty(box)) box = shoal_box_with(box, shoal_d3_make(0.0, 0.0, 0.0));
    return shoal_box_grown(box, REACH * step);
}

shoal_status paper_lay(paper* s) {
    s->extent = extent_of(s->ctx->description, s->step);
    s->seeds  = shoal_alloc(2 * (size_t)s->ctx->description->emitter_count + 1, sizeof *s->seeds);
    if (!s->seeds) return SHOAL_ERR_MEMORY;
    return shoal_tet_liquid_frame(&s->liquid, s->extent, s->step);
}

// --- what cannot be done

static const shoal_material* used_material(const shoal_description* d, int k) {
    return &d->materials[k < d->body_count ? d->bodies[k].material : d->emitters[k - d->body_count].material];
}

// To three digits, and no less.
static double rounded_up(double x) {
    double unit = pow(10.0, floor(log10(x)) - 2.0);
    return ceil(x / unit * (1.0 - 1e-9)) * unit;
}

// The lattice has an end; without a domain what liquid may fly takes a part of it that is of no spacing.
static void refuse_size(const shoal_description* d, char* buffer, size_t size) {
    double    step   = (double)((const paper_params*)d->solver_params)->cell * d->spacing;
    double    flight = d->domain.is_given ? 0.0 : 2.0 * REACH, most = (1 << SHOAL_OCTREE_LEVELS) - 10.0 - flight;
    shoal_box box   = extent_of(d, step);
    shoal_d3  edge  = shoal_d3_sub(box.max, box.min);
    double    cells = ceil(fmax(edge.x, fmax(edge.y, edge.z)) / step - flight);
    if (cells > most)
        shoal_add_line(
            buffer, size,
            "the scene is %.0f cells of %g m long%s, where tetra-paper takes at most %.0f; make the spacing at "
            "least %.3g m",
            cells, step, d->domain.is_given ? ", open walls with a domain length beyond them" : "", most,
            rounded_up(d->spacing * cells / most));
}

bool paper_refuses(const shoal_description* d, char* buffer, size_t size) {
    for (int w = 0; w < SHOAL_WALL_COUNT && d->domain.is_given; w++)
        if (d->domain.walls[w].kind == SHOAL_WALL_PERIODIC) {
            shoal_add_line(buffer, size,
                           "domain.walls: a tetrahedral mesh does not go on across periodic walls; close or open them, "
                           "or take pbf, sph or flip");
            break;
        }
    for (int e = 0; e < d->emitter_count; e++)
        if (d->emitters[e].kind != SHOAL_EMIT_DISC || d->emitters[e].key_count > 0) {
            shoal_add_line(buffer, size,
                           "emitters.%d: tetra-paper takes discs that do not move; take one, or pbf, sph or flip", e);
            break;
        }
    if (d->sink_count > 0)
        shoal_add_line(buffer, size,
                       "sinks: tetra-paper has none; let liquid go past an open wall, or take pbf, sph or flip");
    for (int k = 1; k < d->body_count + d->emitter_count; k++)
        if (used_material(d, k) != used_material(d, 0)) {
            shoal_add_line(buffer, size,
                           "%s.%d: %s beside %s; tetra-paper takes one liquid; pbf, sph and flip take several",
                           k < d->body_count ? "bodies" : "emitters", k < d->body_count ? k : k - d->body_count,
                           used_material(d, k)->name, used_material(d, 0)->name);
            break;
        }
    refuse_size(d, buffer, size);
    return buffer[0] != '\0';
}
