// SPDX-License-Identifier: MIT
// What is at places: phi, pressure, velocity. Solvers whose matter is no particles answer themselves; of particles:
//
// phi       The fraction of space that is full, f = sum d^3 W(|x - x_j|) with the cubic spline of radius 2d, is 1/2 at
// a flat
//           surface by symmetry, whatever its place on the lattice, and falls there by 0.7 in d; phi = (1/2 - f) d /
//           0.7, a distance near the surface, and bounded away from it. Spray thinner than a layer is outside.
//           Particles are mirrored at closed walls.
// velocity  Their mean with the same weights; the mirrored flow has none through a wall.
// pressure  Mean over the particles within 2d of the place along the wall and d to 2.5 d from the wall, each carried to
// the
//           place by the weight of the liquid between.
#include "sim/sim_local.h"
#include "state/measure.h"

static const double disc_fraction = 2.0, layer_fraction = 1.0, deepest_layer = 2.5; // of the spacing
static const double slope = 0.7; // of f at a flat surface, per spacing: 2 pi times the integral of r W(r)

// ---------------------------------------------------------------------------------- phi and velocity

// Cubic spline of radius 2d times d^3; q = r / d. [Monaghan 1992]
static double filled_fraction(double q) {
    double a = fmax(2.0 - q, 0.0), b = fmax(1.0 - q, 0.0);
    return (0.25 * a * a * a - b * b * b) / SHOAL_PI;
}

// Places along an axis that stand for one: itself, across periodic walls, mirrored in closed ones.
static int images_along(const shoal_world* world, int axis, double x, double out[3]) {
    int    count = 0;
    double min = (double)shoal_v3_axis(world->min, axis), max = (double)shoal_v3_axis(world->max, axis);
    out[count++] = x;
    if (world->is_periodic[axis]) {
        out[count++] = x - (max - min);
        out[count++] = x + (max - min);
        return count;
    }
    if (world->is_closed[2 * axis]) out[count++] = 2.0 * min - x;
    if (world->is_closed[2 * axis + 1]) out[count++] = 2.0 * max - x;
    return count;
}

static bool is_near_domain(const shoal_world* world, int axis, double x, double reach) {
    return x > (double)shoal_v3_axis(world->min, axis) - reach && x < (double)shoal_v3_axis(world->max, axis) + reach;
}

// Places above one another, from below: their particles are found in one walk.
typedef struct column {
    const shoal_d3* places; // [count]
    int             count;
    double*         fraction;  // [count] that is full; NULL: only low and high are asked
    shoal_d3*       flow;      // [count] velocities by their weights; NULL: not asked
    double          low, high; // between which there is anything
} column;

// A particle of spacing d at height y.
static void column_feel(column* c, double d, double across2, double y, shoal_d3 velocity) {
    double reach = sqrt(4.0 * d * d - across2);
    int    first = 0, end = c->count;
    c->low  = fmin(c->low, y - reach);
    c->high = fmax(c->high, y + reach);
    if (!c->fraction) return;
    while (first < end) { // the lowest within reach
        int middle = first + (end - first) / 2;
        if (c->places[middle].y < y - reach)
            first = middle + 1;
        else
            end = middle;
    }
    for (int s = first; s < c->count && c->places[s].y <= y + reach; s++) {
        double up = c->places[s].y - y, weight = filled_fraction(sqrt(across2 + up * up) / d);
        c->fraction[s] += weight;
        if (c->flow) c->flow[s] = shoal_d3_add(c->flow[s], shoal_d3_scale(velocity, weight));
    }
}

// A particle's image at the places is the particle at an image of the places, at (x, z).
static void column_meet(const shoal_sim* sim, const shoal_set* set, column* c, double x, double z, shoal_d3 sign) {
    const shoal_v3 *position = shoal_set_read(set, "position"), *velocity = shoal_set_read(set, "velocity");
    shoal_measure   measure = shoal_measure_of(sim->description, set);
    bool            mirrors = !sim->world->is_periodic[1];
    for (int i = 0; i < set->count; i++) {
        double dx = (double)position[i].x - x, dz = (double)position[i].z - z;
        double d = shoal_measure_spacing(&measure, i); // water among grains is finer than these
        if (dx * dx + dz * dz >= 4.0 * d * d) continue;
        double   y[3];
        int      ys = images_along(sim->world, 1, (double)position[i].y, y);
        shoal_d3 v =
            shoal_d3_make(sign.x * (double)velocity[i].x, (double)velocity[i].y, sign.z * (double)velocity[i].z);
        for (int h = 0; h < ys; h++) {
            column_feel(c, d, dx * dx + dz * dz, y[h], v);
            if (mirrors && h == 0) v.y = -v.y;
        }
    }
}

static void column_walk(const shoal_sim* sim, column* c) {
    const shoal_world* world = sim->world;
    double             x[3], z[3], reach = 2.0 * sim->description->spacing;
    int                xs = images_along(world, 0, c->places[0].x, x), zs = images_along(world, 2, c->places[0].z, z);
    c->low = HUGE_VAL, c->high = -HUGE_VAL;
    for (int k = 0; k < zs; k++)
        for (int j = 0; j < xs; j++) {
            bool     is_image = j > 0 || k > 0;
            shoal_d3 sign     = shoal_d3_make(j > 0 && !world->is_periodic[0] ? -1.0 : 1.0, 1.0,
                                          k > 0 && !world->is_periodic[2] ? -1.0 : 1.0);
            if (is_image && !(is_near_domain(world, 0, x[j], reach) && is_near_domain(world, 2, z[k], reach))) continue;
            SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) column_meet(sim, set, c, x[j], z[k], sign);
        }
}

typedef struct fill_job {
    const shoal_sim* sim;
    const shoal_d3*  places;
    double*          fraction; // [count] of the places
    shoal_d3*        flow;     // [count], or NULL
    const int*       first;    // [columns + 1] of the places
} fill_job;

static void fill_columns(void* ctx, int begin, int end, int worker) {
    const fill_job* f = ctx;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int    at = f->first[k];
        column c  = {.places   = f->places + at,
                     .count    = f->first[k + 1] - at,
                     .fraction = f->fraction + at,
                     .flow     = f->flow ? f->flow + at : NULL};
        column_walk(f->sim, &c);
    }
}

// Each column by itself, so that threads do not matter.
static bool fill(const shoal_sim* sim, const shoal_d3* places, int count, double* fraction, shoal_d3* flow) {
    int *first = shoal_alloc((size_t)count + 1, sizeof *first), columns = 0;
    if (!first) return false;
    for (int i = 1; i < count; i++)
        if (places[i].x != places[i - 1].x || places[i].z != places[i - 1].z || places[i].y < places[i - 1].y)
            first[++columns] = i;
    first[++columns] = count;
    fill_job f       = {sim, places, fraction, flow, first};
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) { // threads find them fetched
        shoal_set_read(set, "position"), shoal_set_read(set, "velocity");
        shoal_measure_of(sim->description, set);
    }
    shoal_blocks(&sim->ctx.exec, columns, 1, fill_columns, &f);
    shoal_free(first);
    return true;
}

static void flow_at(const shoal_sim* sim, const shoal_d3* places, int count, double* phi, shoal_d3* velocity) {
    double* fraction = shoal_alloc((size_t)count, sizeof *fraction);
    for (int i = 0; i < count && velocity; i++) velocity[i] = shoal_d3_make(0.0, 0.0, 0.0);
    bool is_known = fraction && fill(sim, places, count, fraction, velocity);
    for (int i = 0; i < count; i++) {
        double full = is_known ? fraction[i] : (double)NAN;
        if (phi) phi[i] = (0.5 - full) * sim->description->spacing / slope;
        if (velocity && !(full <= 0.0)) velocity[i] = shoal_d3_scale(velocity[i], 1.0 / full);
    }
    shoal_free(fraction);
}

shoal_line shoal_sim_line(const shoal_sim* sim, shoal_d3 at) {
    const shoal_world* world = sim->world;
    if (shoal_sim_is_mesh(sim)) return sim->type->matter->line(sim->self, at);
    column c = {.places = &at, .count = 1};
    column_walk(sim, &c);
    // the mirrored and repeated liquid beyond the walls is not read
    if (world->is_closed[SHOAL_BOTTOM] || world->is_periodic[1]) c.low = fmax(c.low, (double)world->min.y);
    if (world->is_closed[SHOAL_TOP] || world->is_periodic[1]) c.high = fmin(c.high, (double)world->max.y);
    if (!(c.low < c.high)) return (shoal_line){0};
    const double finest = 0.125, most_samples = 1e6; // a line longer than 125,000 d is sampled more coarsely
    double       steps = fmin(ceil((c.high - c.low) / (finest * sim->description->spacing)), most_samples);
    return (shoal_line){.low = c.low, .step = (c.high - c.low) / steps, .count = (int)steps + 1};
}

// ---------------------------------------------------------------------------------- pressure

// Direction into the liquid at the closed wall or collider nearest to the point; false when none is
// within 2d.
static bool wall_normal(const shoal_sim* sim, shoal_d3 at, shoal_d3* normal) {
    const shoal_world* world   = sim->world;
    double             nearest = disc_fraction * sim->description->spacing;
    bool               found   = false;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        if (!world->is_closed[w]) continue;
        int    axis = w / 2;
        double wall = shoal_d3_axis(w % 2 ? world->domain.max : world->domain.min, axis);
        double away = fabs(shoal_d3_axis(at, axis) - wall), in = w % 2 ? -1.0 : 1.0;
        if (away >= nearest) continue;
        nearest = away;
        found   = true;
        *normal = shoal_d3_make(axis == 0 ? in : 0.0, axis == 1 ? in : 0.0, axis == 2 ? in : 0.0);
    }
    for (int c = 0; c < world->collider_count; c++) {
        shoal_d3 out;
        double   away = fabs(shoal_collider_distance(&world->colliders[c], at, &out));
        if (away >= nearest) continue;
        nearest = away;
        found   = true;
        *normal = out;
    }
    return found;
}

static double nearest_image(const shoal_world* world, int axis, double away) {
    if (!world->is_periodic[axis]) return away;
    double length = (double)shoal_v3_axis(world->max, axis) - (double)shoal_v3_axis(world->min, axis);
    return away - length * nearbyint(away / length);
}

// A mean of pressures carried to the probe along gravity.
typedef struct carried {
    double sum;
    int    count;
} carried;

typedef struct gather_job {
    const shoal_sim* sim;
    shoal_d3         at, normal; // normal: of the wall
    bool             has_wall;
    carried          first[2], behind[2]; // of the layer at the wall and those behind it; of liquids, of grains
} gather_job;

static void gather_pressure(gather_job* g, const shoal_set* set, const float* pressure) {
    const shoal_sim* sim      = g->sim;
    const shoal_v3*  position = shoal_set_read(set, "position");
    const uint8_t*   material = shoal_set_read(set, "material");
    double           d        = sim->description->spacing;
    for (int i = 0; i < set->count; i++) {
        shoal_d3 away = shoal_d3_sub(shoal_d3_from(position[i]), g->at);
        away          = shoal_d3_make(nearest_image(sim->world, 0, away.x), nearest_image(sim->world, 1, away.y),
                                      nearest_image(sim->world, 2, away.z));
        double across = g->has_wall ? shoal_d3_dot(away, g->normal) : 0.0;
        double along2 = shoal_d3_dot(away, away) - across * across;
        if (across < -d || across > deepest_layer * d || along2 > disc_fraction * disc_fraction * d * d) continue;
        const shoal_material* of    = &sim->description->materials[material[i]];
        int                   kind  = of->kind == SHOAL_GRANULAR;
        carried*              layer = across > layer_fraction * d ? &g->behind[kind] : &g->first[kind];
        layer->sum += (double)pressure[i] - (double)of->density * shoal_d3_dot(sim->description->gravity, away);
        layer->count++;
    }
}

// The layer at the wall carries the wall's fraction of the load and reads high beside walls (by up to 25 %), so the
// layers behind it are asked, and the first one only where the water is no deeper. In flooded sand the probe is the
// water's: grains are asked where there is no liquid.
static double pressure_at(const shoal_sim* sim, shoal_d3 at) {
    gather_job g = {.sim = sim, .at = at};
    g.has_wall   = wall_normal(sim, at, &g.normal);
    bool is_had  = false;
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        const shoal_field* pressure = shoal_set_find(set, "pressure");
        if (pressure) gather_pressure(&g, set, shoal_field_read(set, pressure));
        is_had |= pressure != NULL;
    }
    if (!is_had) return (double)NAN;
    for (int kind = 0; kind < 2; kind++) {
        if (g.behind[kind].count >= 4) return g.behind[kind].sum / g.behind[kind].count;
        if (g.first[kind].count > 0) return g.first[kind].sum / g.first[kind].count;
    }
    return 0.0;
}

// ---------------------------------------------------------------------------------- all

void shoal_sim_at(const shoal_sim* sim, const shoal_d3* places, int count, shoal_at out) {
    if (count <= 0) return;
    if (shoal_sim_is_mesh(sim)) {
        sim->type->matter->at(sim->self, places, count, out);
        return;
    }
    if (out.phi || out.velocity) flow_at(sim, places, count, out.phi, out.velocity);
    for (int i = 0; i < count && out.pressure; i++) out.pressure[i] = pressure_at(sim, places[i]);
}

void shoal_sim_sample(shoal_sim* sim, const double* places, int count, double* phi, double* pressure,
                      double* velocity) {
    // shoal_d3 is three doubles
    shoal_sim_at(sim, (const shoal_d3*)places, count, (shoal_at){phi, pressure, (shoal_d3*)velocity});
}
