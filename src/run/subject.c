// SPDX-License-Identifier: MIT
#include "run/subject.h"

#include "state/reach.h"

// Of its height above the floor: how high a liquid goes that stands there and breaks against walls,
// since part of it gives its energy to the rest. What falls from above, and sand, come back no
// higher than they began, but for some grains and drops.
static const double splash = 1.3, bounce = 1.05;
// Of its height: what begins no farther than this above the floor stands there.
static const double stands = 0.25;
// The same: how far a column of sand runs out [Lube et al. 2004: 1.24 heights where it is not much
// higher than wide].
static const double run_out = 1.25;

// Where nothing falls down to a floor: how far what flies is followed, in sides of all that there is to begin with.
static const double sides_flown = 2.0;

static const double endless = 1e29; // m; shapes and walls beyond have no end

// What comes from bodies and emitters.
typedef struct sources {
    shoal_box box; // where they begin
    double    top; // m; how high what comes from them gets
    double throw;  // m; how far the fastest gets sideways while it falls to the floor
    bool is_wet;   // there is a liquid among them
} sources;

static shoal_box with_box(shoal_box a, shoal_box b) {
    return shoal_box_is_empty(b) ? a : shoal_box_with(shoal_box_with(a, b.min), b.max);
}

static bool has_end(shoal_box b) {
    return !shoal_box_is_empty(b) &&
           fmax(fmax(-b.min.x, b.max.x), fmax(fmax(-b.min.y, b.max.y), fmax(-b.min.z, b.max.z))) < endless;
}

static void add_source(const shoal_description* d, sources* s, shoal_box box, int material, shoal_v3 velocity) {
    box = shoal_box_common(box, shoal_domain_extent(&d->domain));
    if (!has_end(box)) return;
    double g = fmax(-d->gravity.y, 1e-3), up = fmax((double)velocity.y, 0.0), rise = up * up / (2.0 * g);
    double from   = d->domain.is_given ? d->domain.min.y : box.min.y,
           aside  = hypot((double)velocity.x, (double)velocity.z);
    double height = fmax(box.max.y + rise - from, 0.0);
    bool   is_wet = material >= 0 && d->materials[material].kind == SHOAL_LIQUID;
    bool   breaks = is_wet && box.min.y - from <= stands * (box.max.y - box.min.y);
    s->box        = with_box(s->box, box);
    s->top        = fmax(s->top, from + (breaks ? splash : bounce) * height);
    s->throw      = fmax(s->throw, aside * (up / g + sqrt(2.0 * height / g)));
    s->is_wet |= is_wet;
}

static sources find_sources(const shoal_description* d) {
    sources s = {.box = shoal_box_empty(), .top = -endless};
    for (int b = 0; b < d->body_count; b++)
        add_source(d, &s, shoal_shape_bounds(d->bodies[b].shape), d->bodies[b].material, d->bodies[b].velocity);
    for (int e = 0; e < d->emitter_count; e++)
        add_source(d, &s, shoal_emitter_box(&d->emitters[e]), d->emitters[e].material, d->emitters[e].velocity);
    return s;
}

// Whether the most of gravity is along -y.
static bool falls_down(const shoal_description* d) { return -d->gravity.y > 0.7 * shoal_d3_length(d->gravity); }

static shoal_box with_flight(const shoal_description* d, shoal_box all, shoal_box own, shoal_v3 velocity, double most) {
    double   t      = d->frames / d->fps;
    shoal_d3 way    = shoal_d3_add(shoal_d3_scale(shoal_d3_from(velocity), t), shoal_d3_scale(d->gravity, 0.5 * t * t));
    double   length = shoal_d3_length(way);
    if (!has_end(own)) return all;
    if (length > most) way = shoal_d3_scale(way, most / length);
    all = with_box(all, own);
    return with_box(all, (shoal_box){shoal_d3_add(own.min, way), shoal_d3_add(own.max, way)});
}

// Without a floor below: as far as all flies on in the time of the run, but no farther than what a picture shows well.
static shoal_box flight_box(const shoal_description* d, shoal_box begin) {
    shoal_d3  size = shoal_d3_sub(begin.max, begin.min);
    double    most = sides_flown * fmax(size.x, fmax(size.y, size.z));
    shoal_box all  = begin;
    for (int b = 0; b < d->body_count; b++)
        all = with_flight(d, all, shoal_shape_bounds(d->bodies[b].shape), d->bodies[b].velocity, most);
    for (int e = 0; e < d->emitter_count; e++)
        all = with_flight(d, all, shoal_emitter_box(&d->emitters[e]), d->emitters[e].velocity, most);
    return all;
}

shoal_box shoal_subject_box(const shoal_description* d) {
    shoal_box     domain = {d->domain.min, d->domain.max}, all;
    const sources s      = find_sources(d);
    // where nothing falls down, all of the room may be filled
    if (!falls_down(d) && d->domain.is_given) return domain;
    if (shoal_box_is_empty(s.box))
        all = d->domain.is_given ? domain : shoal_box_empty();
    else if (!falls_down(d))
        all = flight_box(d, s.box);
    else {
        // up as energy allows, sideways as far as it flows, and down to the floor
        bool   is_closed = d->domain.is_given && d->domain.walls[SHOAL_BOTTOM].kind != SHOAL_WALL_OPEN;
        double floor = is_closed ? domain.min.y : s.box.min.y, aside = s.throw +run_out * (s.top - floor);
        all       = s.box;
        all.min.y = floor;
        all.max.y = s.top;
        all.min.x -= aside, all.max.x += aside;
        all.min.z -= aside, all.max.z += aside;
        if (d->domain.is_given && s.is_wet) { // a liquid does not stop before the walls
            all.min.x = domain.min.x, all.max.x = domain.max.x;
            all.min.z = domain.min.z, all.max.z = domain.max.z;
        }
    }
    for (int k = 0; k < d->obstacle_count; k++) {
        shoal_box box = shoal_obstacle_box(&d->obstacles[k]);
        if (d->domain.is_given) box = shoal_box_common(box, domain);
        if (has_end(box)) all = with_box(all, box);
    }
    if (!d->domain.is_given) return all;
    double    top  = all.max.y; // splashes may leave a box that is open above
    shoal_box held = shoal_box_common(all, domain);
    if (d->domain.walls[SHOAL_TOP].kind == SHOAL_WALL_OPEN) held.max.y = top;
    return shoal_box_is_empty(held) ? domain : held;
}
