// SPDX-License-Identifier: MIT
// What the springs of a scene must bear, from its bodies, emitters and moving obstacles: the fastest impact, the
// heaviest column of sand and water, and what a tool that goes into sand presses with.
#include "math/rheology.h"
#include "solvers/grains/grains_local.h"
#include "state/forces.h"
#include "state/outlet.h"
#include "state/reach.h"

// Up and two directions across it.
typedef struct frame {
    shoal_d3 up, across[2];
    double   g;
} frame;

static frame frame_of(shoal_d3 acceleration) {
    frame f = {.up = {0.0, 1.0, 0.0}, .g = shoal_d3_length(acceleration)};
    if (f.g > 0.0) f.up = shoal_d3_scale(acceleration, -1.0 / f.g);
    shoal_d3 side = fabs(f.up.x) < 0.6 ? shoal_d3_make(1.0, 0.0, 0.0) : shoal_d3_make(0.0, 1.0, 0.0);
    side          = shoal_d3_sub(side, shoal_d3_scale(f.up, shoal_d3_dot(side, f.up)));
    f.across[0]   = shoal_d3_scale(side, 1.0 / shoal_d3_length(side));
    f.across[1]   = shoal_d3_cross(f.up, f.across[0]);
    return f;
}

typedef struct span {
    double low, high;
} span;

static span span_of(shoal_box box, shoal_d3 along) {
    span s = {(double)INFINITY, (double)-INFINITY};
    for (int corner = 0; corner < 8; corner++) {
        shoal_d3 p = shoal_d3_make(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                                   corner & 4 ? box.max.z : box.min.z);
        s.low  = fmin(s.low, shoal_d3_dot(p, along));
        s.high = fmax(s.high, shoal_d3_dot(p, along));
    }
    return s;
}

static double length_of(span s) { return s.high - s.low < 1e20 ? fmax(s.high - s.low, 0.0) : 0.0; }

// ---------------------------------------------------------------------------------- the heaviest column

enum { COLUMNS = 64 }; // along each side of what the bodies cover

typedef struct columns {
    span   over[2];
    double mass[COLUMNS][COLUMNS]; // kg/m^2
} columns;

// The columns that a span covers, the nearest one at least.
static void covered(span over, span s, int* first, int* last) {
    double step = fmax(over.high - over.low, 1e-12) / COLUMNS;
    *first      = (int)ceil(fmin(fmax((s.low - over.low) / step - 0.5, 0.0), COLUMNS - 1.0));
    *last       = (int)floor(fmin(fmax((s.high - over.low) / step - 0.5, 0.0), COLUMNS - 1.0));
    if (*last < *first) *first = *last;
}

static void pile_up(columns* c, const frame* f, shoal_box box, double density) {
    int    first[2], last[2];
    double mass = density * length_of(span_of(box, f->up));
    for (int k = 0; k < 2; k++) covered(c->over[k], span_of(box, f->across[k]), &first[k], &last[k]);
    for (int a = first[0]; a <= last[0]; a++)
        for (int b = first[1]; b <= last[1]; b++) c->mass[a][b] += mass;
}

// kg/m^3 as poured, with the water that it brings.
static double density_of(const shoal_description* d, int material) {
    return (double)d->materials[material].density * grains_wet_factor(d, material);
}

// kg/m^2 under all bodies that stand above one another.
static double heaviest_column(const shoal_description* d, const frame* f) {
    columns c = {.over = {{(double)INFINITY, (double)-INFINITY}, {(double)INFINITY, (double)-INFINITY}}};
    for (int b = 0; b < d->body_count; b++)
        for (int k = 0; k < 2; k++) {
            span s         = span_of(shoal_shape_bounds(d->bodies[b].shape), f->across[k]);
            c.over[k].low  = fmin(c.over[k].low, s.low);
            c.over[k].high = fmax(c.over[k].high, s.high);
        }
    double most = 0.0;
    for (int b = 0; b < d->body_count; b++)
        pile_up(&c, f, shoal_shape_bounds(d->bodies[b].shape), density_of(d, d->bodies[b].material));
    for (int a = 0; a < COLUMNS; a++)
        for (int b = 0; b < COLUMNS; b++) most = fmax(most, c.mass[a][b]);
    return most;
}

// ---------------------------------------------------------------------------------- emitters

// m^3 that come in during the scene, as they lie at rest.
static double poured(const shoal_description* d, const frame* f, const shoal_emitter* e) {
    double seconds = fmax(fmin(e->until, d->frames / d->fps) - e->from, 0.0),
           speed   = (double)shoal_v3_length(e->velocity);
    if (e->kind == SHOAL_EMIT_RAIN) return e->rate * shoal_volume_of(d, e->material) * seconds;
    if (shoal_is_stream(e)) return shoal_opening_area(&d->domain, e) * speed * seconds;
    shoal_box box  = shoal_shape_bounds(e->shape); // it leaves as fast as it falls
    double    high = length_of(span_of(box, f->up)),
           area    = length_of(span_of(box, f->across[0])) * length_of(span_of(box, f->across[1]));
    return area * sqrt(2.0 * f->g * high) * seconds;
}

// kg/m^2 that an emitter adds: a layer on the whole floor, or for sand a heap at its friction angle where that is
// higher, but never higher than where it comes from.
static double poured_column(const shoal_description* d, const frame* f, const shoal_emitter* e, double floor) {
    const shoal_material* m      = &d->materials[e->material];
    double                volume = poured(d, f, e), slope = shoal_friction_slope((double)m->friction_angle), high = 0.0;
    shoal_box             domain = {d->domain.min, d->domain.max};
    double                area   = length_of(span_of(domain, f->across[0])) * length_of(span_of(domain, f->across[1]));
    if (d->domain.is_given && area > 0.0) high = volume / area;
    if (m->kind == SHOAL_GRANULAR) high = fmax(high, cbrt(3.0 / SHOAL_PI * volume * slope * slope));
    return density_of(d, e->material) * fmin(high, fmax(span_of(shoal_emitter_box(e), f->up).high - floor, 0.0));
}

// ---------------------------------------------------------------------------------- obstacles

// Whether it goes downwards or turns, not only along.
static bool digs(const shoal_obstacle* obstacle, const frame* f) {
    for (int k = 0; k + 1 < obstacle->key_count; k++) {
        const shoal_motion_key *a = &obstacle->keys[k], *b = a + 1;
        if (a->degrees != b->degrees || shoal_d3_dot(shoal_d3_sub(b->at, a->at), f->up) < 0.0) return true;
    }
    return false;
}

// How much more than the weight above it sand resists with, for the steepest friction angle: below a tool that goes
// down Prandtl's exp(pi tan phi) tan^2(45 + phi/2), before one that goes along Rankine's tan^2(45 + phi/2). Half as
// much again, since sand does not share it evenly: in scenes/shovel.yaml the deepest contact bore 2.2 times the mean.
static double resistance(const shoal_description* d, bool goes_down) {
    double phi = 0.0;
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == SHOAL_GRANULAR && d->materials[m].is_used)
            phi = fmax(phi, (double)d->materials[m].friction_angle * (SHOAL_PI / 180.0));
    phi            = fmin(phi, 0.7); // 40 degrees
    double passive = pow(tan(0.25 * SHOAL_PI + 0.5 * phi), 2.0);
    return 1.5 * (goes_down ? exp(SHOAL_PI * tan(phi)) * passive : passive);
}

// ---------------------------------------------------------------------------------- all of it

static double densest(const shoal_description* d) {
    double most = 0.0;
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == SHOAL_GRANULAR && d->materials[m].is_used) most = fmax(most, density_of(d, m));
    return most;
}

// A body or an emitter.
typedef struct source {
    shoal_box box;
    shoal_v3  velocity;
    double    turning; // of its rim against its middle, m/s
    bool      is_water;
} source;

static source source_of(const shoal_description* d, int k) {
    if (k >= d->body_count) {
        const shoal_emitter* e = &d->emitters[k - d->body_count];
        return (source){shoal_emitter_box(e), e->velocity,
                        shoal_emitter_speed(e) - (double)shoal_v3_length(e->velocity),
                        d->materials[e->material].kind == SHOAL_LIQUID};
    }
    const shoal_body* body = &d->bodies[k];
    shoal_box         box  = shoal_shape_bounds(body->shape);
    double            half = 0.5 * shoal_d3_length(shoal_d3_sub(box.max, box.min));
    return (source){box, body->velocity, half < 1e6 ? half * (double)shoal_v3_length(body->spin) : 0.0,
                    d->materials[body->material].kind == SHOAL_LIQUID};
}

// The fastest that sand meets sand, all of them as fast as at the start.
static double closing_speed(const shoal_description* d) {
    double most = 0.0;
    for (int i = 0; i < d->body_count + d->emitter_count; i++)
        for (int k = 0; k < i; k++) {
            source a = source_of(d, i), b = source_of(d, k);
            if (a.is_water || b.is_water) continue;
            most = fmax(most, (double)shoal_v3_length(shoal_v3_sub(a.velocity, b.velocity)) + a.turning + b.turning);
        }
    return most;
}

// What a kind of matter does: its speeds, and how far it may fall.
typedef struct motion {
    span   up;
    double fastest;
} motion;

static void join(motion* m, span up, double speed) {
    if (up.high - up.low < 1e20) m->up.low = fmin(m->up.low, up.low), m->up.high = fmax(m->up.high, up.high);
    m->fastest = fmax(m->fastest, speed);
}

static double impact_of(const motion* m, double low, double g) {
    double fall = m->up.high > low && low > -1e20 ? m->up.high - low : 0.0;
    return sqrt(m->fastest * m->fastest + 2.0 * g * fall);
}

// How far down closed walls let things fall; along a periodic axis nothing is lower than another.
static double lowest_corner(const shoal_description* d, const frame* f) {
    const shoal_wall* walls = d->domain.walls;
    shoal_box         box   = {d->domain.min, d->domain.max};
    if (!d->domain.is_given || walls[SHOAL_BOTTOM].kind == SHOAL_WALL_OPEN) return (double)INFINITY;
    if (walls[SHOAL_LEFT].kind == SHOAL_WALL_PERIODIC) box.max.x = box.min.x;
    if (walls[SHOAL_BOTTOM].kind == SHOAL_WALL_PERIODIC) box.max.y = box.min.y;
    if (walls[SHOAL_BACK].kind == SHOAL_WALL_PERIODIC) box.max.z = box.min.z;
    double low = span_of(box, f->up).low;
    return low > -1e20 ? low : (double)INFINITY;
}

grains_extent grains_extent_of(const shoal_description* d) {
    // grains are carried by water that is lighter than they and flows round them: under a jet of 10 m/s they met as
    // they do at 4.4 m/s
    const double carried = 0.5;
    frame        f       = frame_of(d->gravity);
    motion       all[2]  = {{{(double)INFINITY, (double)-INFINITY}, 0.0},
                            {{(double)INFINITY, (double)-INFINITY}, 0.0}}; // sand, water
    for (int k = 0; k < d->body_count + d->emitter_count; k++) {
        source from = source_of(d, k);
        join(&all[from.is_water], span_of(from.box, f.up), (double)shoal_v3_length(from.velocity) + from.turning);
    }

    double tool      = 0.0;
    bool   goes_down = false;
    for (int k = 0; k < d->obstacle_count; k++) {
        tool      = fmax(tool, shoal_obstacle_speed(&d->obstacles[k]));
        goes_down = goes_down || digs(&d->obstacles[k], &f);
    }
    all[0].fastest = fmax(all[0].fastest + tool, closing_speed(d));

    double        low    = fmin(fmin(all[0].up.low, all[1].up.low), lowest_corner(d, &f));
    grains_extent out    = {.impact = fmax(impact_of(&all[0], low, f.g), carried * impact_of(&all[1], low, f.g))};
    double        forced = shoal_forces_speed2(d);
    if (forced > 0.0) out.impact = sqrt(out.impact * out.impact + forced);
    // a grain that falls through its own height, or is pushed without weight, must be stopped too
    out.impact = fmax(out.impact, fmax(sqrt(2.0 * f.g * d->spacing), 0.1 * sqrt(GRAINS_EARTH * d->spacing)));

    double column = fmax(heaviest_column(d, &f), densest(d) * d->spacing);
    for (int k = 0; k < d->emitter_count; k++) column += poured_column(d, &f, &d->emitters[k], low);
    out.load = column * f.g;
    for (int k = 0; k < d->force_count; k++) {
        frame along = frame_of(d->forces[k].acceleration);
        out.load += along.g * fmax(heaviest_column(d, &along), densest(d) * d->spacing);
    }
    out.bearing = tool > 0.0 ? resistance(d, goes_down) * out.load : 0.0;
    return out;
}
