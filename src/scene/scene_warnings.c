// SPDX-License-Identifier: MIT
// Things of a scene that lie where they have no effect: emitters, sinks, forces and obstacles beyond
// the walls, emitters in obstacles, probes far from what they measure.
#include "scene/scene_read.h"

#include "geom/thickness.h"
#include "state/outlet.h"
#include "state/packing.h"
#include "state/reach.h"

#include <math.h>
#include <stdio.h>

static const double endless = 1e30;

// The axis along which a box lies beyond what the walls keep; -1: none.
static int axis_outside(const shoal_domain* domain, shoal_box box) {
    shoal_box extent = shoal_domain_extent(domain);
    for (int axis = 0; axis < 3 && !shoal_box_is_empty(box); axis++)
        if (shoal_d3_axis(box.max, axis) < shoal_d3_axis(extent.min, axis) ||
            shoal_d3_axis(box.min, axis) > shoal_d3_axis(extent.max, axis))
            return axis;
    return -1;
}

void scene_warn_box(scene_reader* r, const shoal_node* node, shoal_box box, const char* effect) {
    int       axis   = r->domain_is_wrong ? -1 : axis_outside(&r->d->domain, box);
    shoal_box extent = shoal_domain_extent(&r->d->domain);
    if (axis < 0) return;
    double low = shoal_d3_axis(box.min, axis), high = shoal_d3_axis(box.max, axis),
           from = shoal_d3_axis(extent.min, axis), to = shoal_d3_axis(extent.max, axis);
    bool is_below = high < from;
    scene_warning(r, node, "is outside the domain: it %s %c = %g, and the domain %s %g; %s",
                  is_below ? "ends at" : "begins at", 'x' + axis, is_below ? high : low,
                  is_below ? "begins at" : "ends at", is_below ? from : to, effect);
}

// How far a point is from the nearest closed wall or obstacle, m; 0 where one of them moves.
static double distance_to_solid(const shoal_world* world, shoal_d3 p) {
    double least = (double)INFINITY;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        const shoal_domain* domain = &world->domain;
        double              wall   = shoal_d3_axis(w % 2 ? domain->max : domain->min, w / 2);
        if (world->is_closed[w]) least = fmin(least, fabs(shoal_d3_axis(p, w / 2) - wall));
    }
    for (int c = 0; c < world->collider_count; c++) {
        if (world->colliders[c].moves) return 0.0;
        least = fmin(least, fabs(shoal_collider_distance(&world->colliders[c], p, NULL)));
    }
    return least;
}

static void warn_probe(scene_reader* r, const shoal_node* node, const shoal_probe* probe, const shoal_world* world) {
    const shoal_node* at     = shoal_node_child(node, "at");
    shoal_box         box    = {probe->at, probe->at};
    int               before = shoal_scene_fault_count(r->scene);
    if (probe->kind == SHOAL_PROBE_FRONT) return;
    if (probe->kind == SHOAL_PROBE_HEIGHT) {
        box.min.y = -endless;
        box.max.y = endless;
    }
    scene_warn_box(r, at, box, "there is nothing to measure");
    if (probe->kind == SHOAL_PROBE_HEIGHT || shoal_scene_fault_count(r->scene) > before) return;
    double away = distance_to_solid(world, probe->at), d = r->d->spacing;
    if (isinf(away))
        scene_warning(r, at, "there is no wall or obstacle; pressure is measured at one");
    else if (away > 2.0 * d)
        scene_warning(r, at,
                      "is %.3g m from the nearest wall or obstacle, more than two spacings "
                      "(%.3g m); pressure is measured at one",
                      away, 2.0 * d);
}

// Places of an emitter, and those of them that no wall or still obstacle takes.
typedef struct outlet {
    const shoal_world* world;
    double             spacing;
    int64_t            tried, there;
} outlet;

static bool try_place(void* user, shoal_d3 place) {
    outlet*  o = user;
    shoal_v3 p = shoal_v3_from(place);
    o->tried++;
    o->there += shoal_place_exists(o->world, o->spacing, true, &p);
    return true;
}

// Points of a sunflower over the disc, each with the way ahead of it.
static void try_disc(const shoal_emitter* e, outlet* o) {
    enum { POINTS = 400, STEPS = 8, WAY = 2 }; // spacings
    const double golden = SHOAL_PI * (3.0 - sqrt(5.0));
    shoal_d3     along  = shoal_d3_scale(shoal_d3_from(e->velocity), 1.0 / (double)shoal_v3_length(e->velocity)), u, w;
    shoal_across(along, &u, &w);
    for (int k = 0; k < POINTS; k++) {
        double   off = e->radius * sqrt((k + 0.5) / POINTS);
        shoal_d3 p   = shoal_d3_add(
              e->at, shoal_d3_add(shoal_d3_scale(u, off * cos(golden * k)), shoal_d3_scale(w, off * sin(golden * k))));
        int64_t before = o->there;
        for (int step = 0; step <= STEPS && o->there == before; step++)
            try_place(o, shoal_d3_add(p, shoal_d3_scale(along, WAY * o->spacing * step / STEPS)));
        o->tried = k + 1;
    }
}

static bool count_place(void* user, int body, shoal_d3 site) {
    (void)body, (void)site;
    ((outlet*)user)->there++;
    return true;
}

// A disc holds what comes in for two spacings: it is asked for on lines along that way. Rain is asked for on a lattice
// of 8000 points.
static void try_places(scene_reader* r, const shoal_emitter* e, outlet* o) {
    if (e->kind == SHOAL_EMIT_SHAPE) {
        shoal_taken  taken;
        shoal_status status = shoal_lattice_sites(r->d, e->shape, o->spacing, count_place, o, &taken);
        o->tried += o->there + taken.within + taken.beside;
        r->is_out_of_memory |= status == SHOAL_ERR_MEMORY;
        o->there += status == SHOAL_ERR_INPUT; // too many to walk
    } else if (e->kind == SHOAL_EMIT_DISC) {
        try_disc(e, o);
    } else {
        shoal_box box  = shoal_box_common((shoal_box){e->min, e->max}, shoal_domain_extent(&r->d->domain));
        shoal_d3  size = shoal_d3_sub(box.max, box.min);
        for (int k = 0; k < 8000 && !shoal_box_is_empty(box); k++)
            try_place(o, shoal_d3_make(box.min.x + size.x * (k % 20 + 0.5) / 20.0,
                                       box.min.y + size.y * (k / 20 % 20 + 0.5) / 20.0,
                                       box.min.z + size.z * (k / 400 + 0.5) / 20.0));
    }
}

// Rain of which no drop falls within the run, or more of it than can leave its box: that is a column of liquid, at the
// speed of its fall.
static void warn_rain(scene_reader* r, const shoal_node* node, const shoal_emitter* e) {
    double seconds = fmin(e->until, r->d->frames / r->d->fps) - e->from, drops = e->rate * seconds;
    if (e->kind != SHOAL_EMIT_RAIN || !(seconds > 0.0)) return;
    shoal_box box  = shoal_box_common((shoal_box){e->min, e->max}, shoal_domain_extent(&r->d->domain));
    shoal_d3  size = shoal_d3_sub(box.max, box.min),
             down  = shoal_d3_scale(r->d->gravity, 1.0 / fmax(shoal_d3_length(r->d->gravity), 1e-30));
    double g = shoal_d3_length(r->d->gravity), speed = (double)shoal_v3_length(e->velocity);
    double fall = fabs(down.x) * size.x + fabs(down.y) * size.y + fabs(down.z) * size.z;
    double area = fabs(down.x) * size.y * size.z + fabs(down.y) * size.x * size.z + fabs(down.z) * size.x * size.y;
    double most = area * sqrt(speed * speed + 2.0 * g * fall) / shoal_volume_of(r->d, e->material);
    if (drops < 1.0)
        scene_warning(r, node,
                      "nothing will come in: a drop of this spacing falls every %.3g s, and the run is %.3g s long",
                      1.0 / e->rate, seconds);
    else if (g > 0.0 && e->rate > most)
        scene_warning(r, node, "is more than can fall out of its box: at most about %.2g %% of it will come in",
                      100.0 * most / e->rate);
}

// Whether a place ahead of a disc is taken by what another sends, which blows against it or begins where it does.
static bool meets_stream(const shoal_description* d, const shoal_emitter* e, const outlet* o, shoal_d3 place) {
    for (int k = 0; k < d->emitter_count; k++) {
        const shoal_emitter* other = &d->emitters[k];
        if (other == e || other->kind != SHOAL_EMIT_DISC || other->key_count > 0 ||
            !(other->from < e->until && e->from < other->until))
            continue;
        double   speed = (double)shoal_v3_length(other->velocity), depth;
        shoal_d3 along = shoal_d3_scale(shoal_d3_from(other->velocity), 1.0 / speed), normal;
        if (shoal_v3_dot(e->velocity, other->velocity) < -0.5f * (float)speed * shoal_v3_length(e->velocity) &&
            shoal_outlet_way_out(other, along, 2.0 * o->spacing, 0.9 * o->spacing, place, &normal, &depth))
            return true;
    }
    return false;
}

// What leaves a disc needs room ahead: a radius at least, or it jams in the opening.
static void warn_way(scene_reader* r, const shoal_node* node, const shoal_emitter* e, const outlet* o) {
    enum { POINTS = 100, STEPS = 16 };
    const double golden = SHOAL_PI * (3.0 - sqrt(5.0)), way = 2.0 * o->spacing + e->radius;
    shoal_d3     along = shoal_d3_scale(shoal_d3_from(e->velocity), 1.0 / (double)shoal_v3_length(e->velocity)), u, w;
    int          met   = 0;
    shoal_across(along, &u, &w);
    for (int k = 0; k < POINTS; k++) {
        double   off = e->radius * sqrt((k + 0.5) / POINTS);
        shoal_d3 p   = shoal_d3_add(
              e->at, shoal_d3_add(shoal_d3_scale(u, off * cos(golden * k)), shoal_d3_scale(w, off * sin(golden * k))));
        bool was_free = false, meets = false; // a disc may lie in a wall, and send out of it
        for (int step = 0; step <= STEPS && !meets; step++) {
            shoal_d3 at      = shoal_d3_add(p, shoal_d3_scale(along, way * step / STEPS));
            shoal_v3 home    = shoal_v3_from(at);
            bool     is_free = shoal_place_exists(o->world, o->spacing, true, &home);
            meets            = (was_free && !is_free) || meets_stream(r->d, e, o, at);
            was_free         = was_free || is_free;
        }
        met += meets;
    }
    if (2 * met > POINTS)
        scene_warning(r, node,
                      "its way is blocked within a radius (%.3g m) ahead, by a wall, an obstacle or another stream: "
                      "less will come than it should give",
                      e->radius);
}

static void warn_emitter(scene_reader* r, const shoal_node* node, const shoal_emitter* e, const shoal_world* world) {
    int    before = shoal_scene_fault_count(r->scene);
    outlet o      = {.world = world, .spacing = shoal_spacing_of(r->d, e->material)};
    if (axis_outside(&r->d->domain, shoal_emitter_box(e)) >= 0) return; // told of as it was read
    if (!(e->from < r->d->frames / r->d->fps)) {
        scene_warning(r, node, "begins at %g s, and the scene ends at %g s; nothing will come in", e->from,
                      r->d->frames / r->d->fps);
        return;
    }
    if (e->kind == SHOAL_EMIT_DISC && r->type->matter && e->radius < o.spacing)
        scene_warning(r, node, "is narrower than two spacings of %g m: of so thin a stream the surface loses the most",
                      o.spacing);
    else if (e->kind == SHOAL_EMIT_DISC && e->radius <= 0.5 * o.spacing)
        scene_warning(r, node, "is narrower than the spacing of %g m: single particles will come, one every %.3g m",
                      o.spacing, shoal_volume_of(r->d, e->material) / (SHOAL_PI * e->radius * e->radius));
    warn_rain(r, node, e);
    if (shoal_scene_fault_count(r->scene) > before || e->key_count > 0) return; // where it comes to is not looked at
    try_places(r, e, &o);
    if (o.there == 0 && o.tried == 0)
        scene_warning(r, node, "nothing will come in: it holds no place of the lattice, whose spacing is %g m",
                      o.spacing);
    else if (o.there == 0)
        scene_warning(r, node,
                      "nothing will come in: all its places are in obstacles, or nearer than half a spacing (%.3g m) "
                      "to a wall or obstacle",
                      0.5 * o.spacing);
    else if (2 * o.there < o.tried)
        scene_warning(r, node, "walls and obstacles take %.0f %% of its places",
                      100.0 - 100.0 * (double)o.there / (double)o.tried);
    else if (e->kind == SHOAL_EMIT_DISC)
        warn_way(r, node, e, &o);
}

const shoal_node* scene_enter_entry(scene_reader* r, const char* key, int place, size_t* mark) {
    *mark = scene_enter(r, key);
    scene_enter_place(r, place);
    return shoal_node_at(shoal_node_child(r->scene->root, key), place);
}

// Faster than across the domain in a frame: likely the times of its keys are not in seconds.
static void warn_speed(scene_reader* r, const shoal_node* node, double speed) {
    const shoal_domain* domain = &r->d->domain;
    double              size   = shoal_d3_length(shoal_d3_sub(domain->max, domain->min));
    if (domain->is_given && speed / r->d->fps > size)
        scene_warning(r, node,
                      "moves with up to %.3g m/s, across the whole domain within a frame: are its times in seconds?",
                      speed);
}

// Particles slip through obstacles that are too thin for their solver, of whatever shape. Meshes thinner than a spacing
// have been reported, by their triangles.
static void warn_thin(scene_reader* r, const shoal_node* node, const shoal_obstacle* o) {
    const double    nearly     = 0.99; // a wall may be made just as thick as it must be
    const shoal_box everywhere = {{-endless, -endless, -endless}, {endless, endless, endless}};
    bool            moves      = o->key_count > 0;
    double   wanted = r->type->wall_least > 0.0 ? r->type->wall_least : 1.0, limit = nearly * wanted * r->d->spacing;
    shoal_d3 at;
    double   thin = shoal_shape_thinnest(o->shape, moves ? everywhere : shoal_domain_extent(&r->d->domain), limit, &at);
    if (!(thin < limit) || (thin < nearly * r->d->spacing && shoal_node_child(node, "mesh"))) return;
    char least[64] = "the spacing";
    if (wanted > 1.0) snprintf(least, sizeof least, "%g spacings,", wanted);
    scene_warning(r, node, "is %.3g m thin, less than %s %.3g m, at (%.4g, %.4g, %.4g)%s: %s may pass through", thin,
                  least, wanted * r->d->spacing, at.x, at.y, at.z, moves ? " before its motion" : "",
                  r->type->matter ? "the liquid" : "particles");
}

// The finest spacing of a body on the lattice that begins at the low wall and reaches the high one, 0: there is none.
static double spacing_across(const shoal_description* d, int axis) {
    double low = shoal_d3_axis(d->domain.min, axis), high = shoal_d3_axis(d->domain.max, axis), least = 0.0;
    for (int b = 0; b < d->body_count; b++) {
        double    spacing = shoal_spacing_of(d, d->bodies[b].material);
        shoal_box box     = shoal_shape_bounds(d->bodies[b].shape);
        if (d->bodies[b].arrangement != SHOAL_LATTICE) continue;
        if (shoal_d3_axis(box.min, axis) > low + 0.5 * spacing || shoal_d3_axis(box.max, axis) < high - 0.5 * spacing)
            continue;
        least = least > 0.0 ? fmin(least, spacing) : spacing;
    }
    return least;
}

// The lattice begins at the low walls: where the domain is no whole number of spacings long, what fills it leaves a
// slot at the high one, and falls into it. Narrower than a fifth of a spacing it is less than particles at rest stray.
static void warn_slots(scene_reader* r) {
    static const char* const walls[] = {"right", "top", "front"};
    const shoal_domain*      domain  = &r->d->domain;
    bool                     has_any = false; // particles; what has a mesh for its liquid leaves no slots
    for (int k = 0; r->type->sets[k].name; k++) has_any |= r->type->sets[k].life == SHOAL_SORTED;
    for (int axis = 0; axis < 3 && domain->is_given && has_any; axis++) {
        shoal_wall_kind low = domain->walls[2 * axis].kind, high = domain->walls[2 * axis + 1].kind;
        double          spacing = spacing_across(r->d, axis),
               length           = shoal_d3_axis(domain->max, axis) - shoal_d3_axis(domain->min, axis);
        if (!(spacing > 0.0) || low == SHOAL_WALL_OPEN || high == SHOAL_WALL_OPEN || high == SHOAL_WALL_PERIODIC)
            continue;
        double whole = floor(length / spacing + 1e-3), slot = length - whole * spacing,
               from = shoal_d3_axis(domain->min, axis);
        if (!(slot > 0.2 * spacing)) continue;
        size_t mark = scene_enter(r, "domain");
        scene_enter(r, "max");
        scene_warning(r, shoal_node_child(shoal_node_child(r->scene->root, "domain"), "max"),
                      "the domain is %g m along %c, %.4g spacings of %g m: a slot of %.3g m stays free at the %s wall; "
                      "let it end at "
                      "%g or %g m, or make the spacing %.6g m",
                      length, 'x' + axis, length / spacing, spacing, slot, walls[axis], from + whole * spacing,
                      from + (whole + 1.0) * spacing,
                      r->d->spacing / spacing * length / fmax(round(length / spacing), 1.0));
        scene_leave(r, mark);
    }
}

// Sand that cannot lie as its material says, or has no room to lie as a packing.
static void warn_packing(scene_reader* r, const shoal_node* node, const shoal_body* body) {
    const shoal_domain* domain = &r->d->domain;
    const double        least  = 3.0; // layers
    double fraction = (double)r->d->materials[body->material].packing, spacing = shoal_spacing_of(r->d, body->material);
    double has = fmin(fmax(fraction, SHOAL_PACKING_LOOSEST), SHOAL_PACKING_CLOSEST);
    if (!r->d->materials[body->material].is_continuum && fabs(has / fraction - 1.0) > 0.02)
        scene_warning(r, node,
                      "the packing of its material is %.3g, but spheres lie at %.2f to %.2f: its bulk density will be "
                      "%.4g kg/m^3 in place of %.4g",
                      fraction, SHOAL_PACKING_LOOSEST, SHOAL_PACKING_CLOSEST,
                      (double)r->d->materials[body->material].density * has / fraction,
                      (double)r->d->materials[body->material].density);
    for (int axis = 0; axis < 3 && domain->is_given; axis++) {
        double layers = (shoal_d3_axis(domain->max, axis) - shoal_d3_axis(domain->min, axis)) / spacing;
        if (layers >= least || domain->walls[2 * axis].kind == SHOAL_WALL_OPEN ||
            domain->walls[2 * axis + 1].kind == SHOAL_WALL_OPEN)
            continue;
        scene_warning(r, node,
                      "is a random packing between walls %.3g spacings apart, where spheres are crowded; `arrangement: "
                      "lattice` lays whole layers",
                      layers);
        return;
    }
}

// Whether any of a material will be there: of a body, an emitter, or of sand, whose pores may hold a liquid.
static bool will_be_there(const shoal_description* d, int material) {
    bool is_there = false;
    for (int k = 0; k < d->body_count + d->emitter_count; k++) {
        int of = k < d->body_count ? d->bodies[k].material : d->emitters[k - d->body_count].material;
        is_there |= of == material || d->materials[of].kind == SHOAL_GRANULAR;
    }
    return is_there;
}

void scene_warn_places(scene_reader* r) {
    const shoal_description* d = r->d;
    size_t                   mark;
    warn_slots(r);
    for (int k = 0; k < d->body_count; k++) {
        const shoal_node* node = scene_enter_entry(r, "bodies", k, &mark);
        if (d->bodies[k].arrangement == SHOAL_RANDOM) warn_packing(r, node, &d->bodies[k]);
        scene_leave(r, mark);
    }
    for (int k = 0; k < d->obstacle_count; k++) {
        const shoal_node* node = scene_enter_entry(r, "obstacles", k, &mark);
        warn_speed(r, node, shoal_obstacle_speed(&d->obstacles[k]));
        warn_thin(r, node, &d->obstacles[k]);
        scene_leave(r, mark);
    }
    for (int k = 0; k < d->force_count; k++) {
        const shoal_node* node = scene_enter_entry(r, "forces", k, &mark);
        if (!(d->forces[k].from < d->frames / d->fps))
            scene_warning(r, node, "begins at %g s, and the scene ends at %g s; nothing will feel it",
                          d->forces[k].from, d->frames / d->fps);
        if (d->forces[k].material >= 0 && !will_be_there(d, d->forces[k].material))
            scene_warning(r, node, "acts on %s, of which there is no body and no emitter; nothing will feel it",
                          d->materials[d->forces[k].material].name);
        scene_leave(r, mark);
    }
    if (d->probe_count + d->emitter_count == 0) return;
    shoal_world* world = NULL;
    if (shoal_world_create(d, &world) != SHOAL_OK) {
        r->is_out_of_memory = true;
        return;
    }
    for (int k = 0; k < d->emitter_count; k++) {
        const shoal_node* node = scene_enter_entry(r, "emitters", k, &mark);
        warn_emitter(r, node, &d->emitters[k], world);
        scene_leave(r, mark);
    }
    for (int k = 0; k < d->probe_count; k++) {
        const shoal_node* node = scene_enter_entry(r, "probes", k, &mark);
        warn_probe(r, node, &d->probes[k], world);
        scene_leave(r, mark);
    }
    shoal_world_destroy(world);
}
