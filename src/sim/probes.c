// SPDX-License-Identifier: MIT
// Instruments: how far the front has come, how high the liquid stands on a line, what a wall feels.
//
// front     Particles closer than 1.5 d are linked; the largest linked crowd is the bulk, and drops
// that have
//           broken off do not count. Ties go to the crowd met first.
// height    The share of space that is full, f(y) = sum d^3 W(|x - x_j|) with the cubic spline of
// radius 2d, along
//           the line; liquid is where f > 1/2. A flat surface lies exactly there by symmetry,
//           whatever the line's place on the lattice; spray thinner than a layer reads 0. Particles
//           are mirrored at closed walls.
// pressure  Mean over the particles within 2d of the point along the wall and within d of it
// across.
#include "sim/sim_local.h"

static const double link_share = 1.5, disc_share = 2.0, layer_share = 1.0; // of the spacing

int shoal_sim_probe_count(const shoal_sim* sim) { return sim->description->probe_count; }

const char* shoal_sim_probe_name(const shoal_sim* sim, int index) {
    bool is_known = index >= 0 && index < sim->description->probe_count;
    return is_known ? sim->description->probes[index].name : "";
}

// --- front

// Particles and their images, sorted by cells of the link length: z slowest, x fastest. Cell
// numbers start at 1 so that the row before always has a key.
typedef struct links {
    int       count;     // with images
    shoal_v3* points;    // [count]
    int*      owners;    // [count] the particle a point belongs to
    uint64_t* keys;      // [count] of the points
    uint64_t* sorted;    // [count] the same in order
    int*      order;     // [count] k-th point of the order
    int*      parents;   // [particles] union-find; a root is its own parent
    int*      members;   // [particles] count of each root's crowd
    void*     room;      // for the sort
    uint64_t  row, slab; // key steps to the next y and z
} links;

enum { CELL_LAST = (1 << 20) - 2 };

static void links_free(links* l) {
    shoal_free(l->room);
    shoal_free(l->members);
    shoal_free(l->parents);
    shoal_free(l->order);
    shoal_free(l->sorted);
    shoal_free(l->keys);
    shoal_free(l->owners);
    shoal_free(l->points);
}

// Images of what lies at the upper end of periodic axes, put before the lower end: each pair across
// meets once. Called with points == NULL to count.
static int add_images(const shoal_sim* sim, double reach, const shoal_v3* position,
                      shoal_v3* points, int* owners) {
    const shoal_world* world = sim->world;
    int                count = 0, own = sim->ctx.particles->count;
    for (int i = 0; i < own; i++)
        for (int image = 0; image < 8; image++) {
            shoal_v3 p       = position[i];
            bool     is_made = true;
            for (int axis = 0; axis < 3; axis++) {
                if (!(image >> axis & 1)) continue;
                float min = shoal_v3_axis(world->min, axis), max = shoal_v3_axis(world->max, axis);
                float x = shoal_v3_axis(p, axis);
                is_made = is_made && world->is_periodic[axis] && (double)(max - x) <= reach;
                shoal_v3_set_axis(&p, axis, x - (max - min));
            }
            if (!is_made) continue;
            if (points) points[count] = p, owners[count] = i;
            count++;
        }
    return count;
}

static bool links_alloc(const shoal_sim* sim, links* l, double reach, const shoal_v3* position) {
    size_t own   = (size_t)sim->ctx.particles->count;
    l->count     = add_images(sim, reach, position, NULL, NULL);
    size_t count = (size_t)l->count;
    l->points    = shoal_alloc(count, sizeof *l->points);
    l->owners    = shoal_alloc(count, sizeof *l->owners);
    l->keys      = shoal_alloc(count, sizeof *l->keys);
    l->sorted    = shoal_alloc(count, sizeof *l->sorted);
    l->order     = shoal_alloc(count, sizeof *l->order);
    l->parents   = shoal_alloc(own, sizeof *l->parents);
    l->members   = shoal_alloc(own, sizeof *l->members);
    l->room      = shoal_alloc(shoal_sort_room(l->count), 1);
    return l->points && l->owners && l->keys && l->sorted && l->order && l->parents && l->members &&
           l->room;
}

// Far outliers share the last cell; they are still told apart by their distance.
static uint64_t cell_number(float x, float min, double reach) {
    double cell = floor(((double)x - (double)min) / reach) + 1.0;
    return cell < CELL_LAST ? (uint64_t)cell : CELL_LAST;
}

static void links_sort(const shoal_sim* sim, links* l, double reach, const shoal_v3* position) {
    add_images(sim, reach, position, l->points, l->owners);
    shoal_v3 min = l->points[0], max = min;
    for (int i = 1; i < l->count; i++) {
        shoal_v3 p = l->points[i];
        min        = shoal_v3_make(fminf(min.x, p.x), fminf(min.y, p.y), fminf(min.z, p.z));
        max        = shoal_v3_make(fmaxf(max.x, p.x), fmaxf(max.y, p.y), fmaxf(max.z, p.z));
    }
    l->row        = cell_number(max.x, min.x, reach) + 2;
    l->slab       = l->row * (cell_number(max.y, min.y, reach) + 2);
    uint64_t end  = l->slab * (cell_number(max.z, min.z, reach) + 2);
    int      bits = 1;
    while (end >> bits)
        bits++;
    for (int i = 0; i < l->count; i++) {
        shoal_v3 p = l->points[i];
        l->keys[i] = cell_number(p.z, min.z, reach) * l->slab +
                     cell_number(p.y, min.y, reach) * l->row + cell_number(p.x, min.x, reach);
    }
    shoal_sort_keys(&sim->ctx.exec, l->keys, l->count, bits, l->order, l->sorted, l->room);
}

static int root_of(int* parents, int i) {
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

static void join_if_near(links* l, int a, int b, float reach2) {
    shoal_v3 away = shoal_v3_sub(l->points[a], l->points[b]);
    if (shoal_v3_dot(away, away) > reach2) return;
    int i = root_of(l->parents, l->owners[a]), j = root_of(l->parents, l->owners[b]);
    if (i < j) l->parents[j] = i;
    if (j < i) l->parents[i] = j;
}

static void links_join(links* l, double reach) {
    // rows after a cell's own: next y, and all three y of the next z; each from one x before to one
    // x after
    const uint64_t rows[] = {l->row, l->slab - l->row, l->slab, l->slab + l->row};
    int            at[4]  = {0};
    float          reach2 = (float)(reach * reach);
    for (int a = 0; a < l->count; a++) {
        uint64_t key = l->sorted[a];
        for (int b = a + 1; b < l->count && l->sorted[b] <= key + 1; b++)
            join_if_near(l, l->order[a], l->order[b], reach2);
        for (int r = 0; r < 4; r++) {
            uint64_t middle = key + rows[r];
            while (at[r] < l->count && l->sorted[at[r]] < middle - 1)
                at[r]++;
            for (int b = at[r]; b < l->count && l->sorted[b] <= middle + 1; b++)
                join_if_near(l, l->order[a], l->order[b], reach2);
        }
    }
}

// Front along each axis; NaN where memory was short, the domain's lower end where there is nothing.
static void find_fronts(const shoal_sim* sim, double front[3]) {
    const shoal_set* set      = sim->ctx.particles;
    const shoal_v3*  position = shoal_set_data(set, "position");
    double           d = sim->description->spacing, reach = link_share * d;
    for (int axis = 0; axis < 3; axis++)
        front[axis] =
            sim->world->domain.is_given ? shoal_d3_axis(sim->world->domain.min, axis) : 0.0;
    if (set->count == 0) return;

    links l = {0};
    if (!links_alloc(sim, &l, reach, position)) {
        front[0] = front[1] = front[2] = (double)NAN;
        links_free(&l);
        return;
    }
    for (int i = 0; i < set->count; i++)
        l.parents[i] = i;
    links_sort(sim, &l, reach, position);
    links_join(&l, reach);

    int bulk = 0;
    for (int i = 0; i < set->count; i++)
        l.members[root_of(l.parents, i)]++;
    for (int i = 1; i < set->count; i++)
        if (l.members[i] > l.members[bulk]) bulk = i;
    front[0] = front[1] = front[2] = -HUGE_VAL;
    for (int i = 0; i < set->count; i++) {
        if (root_of(l.parents, i) != bulk) continue;
        for (int axis = 0; axis < 3; axis++)
            front[axis] = fmax(front[axis], (double)shoal_v3_axis(position[i], axis) + 0.5 * d);
    }
    links_free(&l);
}

// --- height

// Cubic spline of radius 2d times d^3; q = r / d. [Monaghan 1992]
static double filled_share(double q) {
    double a = fmax(2.0 - q, 0.0), b = fmax(1.0 - q, 0.0);
    return (0.25 * a * a * a - b * b * b) / SHOAL_PI;
}

// Where else along an axis a particle is felt: itself, across periodic walls, mirrored in closed
// ones.
static int images_along(const shoal_world* world, int axis, float at, double out[3]) {
    int    count = 0;
    double x     = (double)at;
    out[count++] = x;
    double min   = (double)shoal_v3_axis(world->min, axis),
           max   = (double)shoal_v3_axis(world->max, axis);
    if (world->is_periodic[axis]) {
        out[count++] = x - (max - min);
        out[count++] = x + (max - min);
        return count;
    }
    if (world->is_closed[2 * axis]) out[count++] = 2.0 * min - x;
    if (world->is_closed[2 * axis + 1]) out[count++] = 2.0 * max - x;
    return count;
}

// The line as samples: share[s] belongs to height low + s * step.
typedef struct gauge {
    double  x, z, d;
    double  low, high, step;
    int     count;
    double* share; // NULL: only find low and high
} gauge;

static void gauge_feel(gauge* g, double across2, double y) {
    double reach = sqrt(4.0 * g->d * g->d - across2);
    if (!g->share) {
        g->low  = fmin(g->low, y - reach);
        g->high = fmax(g->high, y + reach);
        return;
    }
    double first = ceil((y - reach - g->low) / g->step),
           last  = floor((y + reach - g->low) / g->step);
    int end      = (int)fmin(last, g->count - 1);
    for (int s = (int)fmax(first, 0.0); s <= end; s++) {
        double up = g->low + s * g->step - y;
        g->share[s] += filled_share(sqrt(across2 + up * up) / g->d);
    }
}

static void gauge_pass(const shoal_sim* sim, gauge* g) {
    const shoal_set* set      = sim->ctx.particles;
    const shoal_v3*  position = shoal_set_data(set, "position");
    double           reach2   = 4.0 * g->d * g->d;
    for (int i = 0; i < set->count; i++) {
        double x[3], y[3], z[3];
        int    xs = images_along(sim->world, 0, position[i].x, x);
        int    zs = images_along(sim->world, 2, position[i].z, z);
        for (int k = 0; k < zs; k++)
            for (int j = 0; j < xs; j++) {
                double across2 = (x[j] - g->x) * (x[j] - g->x) + (z[k] - g->z) * (z[k] - g->z);
                if (across2 >= reach2) continue;
                int ys = images_along(sim->world, 1, position[i].y, y);
                for (int h = 0; h < ys; h++)
                    gauge_feel(g, across2, y[h]);
            }
    }
}

// Length over which the share is above one half, its ends found between the samples.
static double gauge_length(const gauge* g) {
    double length = 0.0;
    for (int s = 0; s + 1 < g->count; s++) {
        double a = g->share[s] - 0.5, b = g->share[s + 1] - 0.5;
        if (a > 0.0 && b > 0.0) length += g->step;
        if (a > 0.0 && b <= 0.0) length += g->step * a / (a - b);
        if (a <= 0.0 && b > 0.0) length += g->step * b / (b - a);
    }
    return length;
}

static double height_at(const shoal_sim* sim, shoal_d3 at) {
    const shoal_world* world = sim->world;
    gauge              g     = {
                         .x = at.x, .z = at.z, .d = sim->description->spacing, .low = HUGE_VAL, .high = -HUGE_VAL};
    gauge_pass(sim, &g);
    // the mirrored and repeated liquid beyond the walls is not read
    if (world->is_closed[SHOAL_BOTTOM] || world->is_periodic[1])
        g.low = fmax(g.low, (double)world->min.y);
    if (world->is_closed[SHOAL_TOP] || world->is_periodic[1])
        g.high = fmin(g.high, (double)world->max.y);
    if (!(g.low < g.high)) return 0.0;

    const double finest       = 0.125,
                 most_samples = 1e6; // a line longer than 125,000 d is sampled more coarsely
    double steps              = fmin(ceil((g.high - g.low) / (finest * g.d)), most_samples);
    g.count                   = (int)steps + 1;
    g.step                    = (g.high - g.low) / steps;
    g.share                   = shoal_alloc((size_t)g.count, sizeof *g.share);
    if (!g.share) return (double)NAN;
    gauge_pass(sim, &g);
    double length = gauge_length(&g);
    shoal_free(g.share);
    return length;
}

// --- pressure

// Direction into the liquid at the closed wall or collider nearest to the point; false when none is
// within 2d.
static bool wall_normal(const shoal_sim* sim, shoal_d3 at, shoal_d3* normal) {
    const shoal_world* world   = sim->world;
    double             nearest = disc_share * sim->description->spacing;
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
    double length =
        (double)shoal_v3_axis(world->max, axis) - (double)shoal_v3_axis(world->min, axis);
    return away - length * nearbyint(away / length);
}

static double pressure_at(const shoal_sim* sim, shoal_d3 at, const float* pressure) {
    const shoal_set* set      = sim->ctx.particles;
    const shoal_v3*  position = shoal_set_data(set, "position");
    double           d = sim->description->spacing, sum = 0.0;
    shoal_d3         normal   = {0.0, 0.0, 0.0};
    bool             has_wall = wall_normal(sim, at, &normal);
    int              count    = 0;
    for (int i = 0; i < set->count; i++) {
        shoal_d3 away = shoal_d3_sub(shoal_d3_from(position[i]), at);
        away          = shoal_d3_make(nearest_image(sim->world, 0, away.x),
                                      nearest_image(sim->world, 1, away.y),
                                      nearest_image(sim->world, 2, away.z));
        double across = has_wall ? shoal_d3_dot(away, normal) : 0.0;
        double along2 = shoal_d3_dot(away, away) - across * across;
        if (fabs(across) > layer_share * d || along2 > disc_share * disc_share * d * d) continue;
        sum += (double)pressure[i];
        count++;
    }
    return count > 0 ? sum / count : 0.0;
}

void shoal_sim_probes(shoal_sim* sim, double* values) {
    const shoal_description* description = sim->description;
    const float*             pressure    = NULL;
    double                   front[3];
    bool                     has_front = false, has_pressure = false;
    for (int p = 0; p < description->probe_count; p++) {
        has_front    = has_front || description->probes[p].kind == SHOAL_PROBE_FRONT;
        has_pressure = has_pressure || description->probes[p].kind == SHOAL_PROBE_PRESSURE;
    }
    if (has_front) find_fronts(sim, front);
    if (has_pressure && sim->type->pressure) pressure = sim->type->pressure(sim->self);

    for (int p = 0; p < description->probe_count; p++) {
        const shoal_probe* probe = &description->probes[p];
        switch (probe->kind) {
        case SHOAL_PROBE_FRONT:
            values[p] = front[probe->axis];
            break;
        case SHOAL_PROBE_HEIGHT:
            values[p] = height_at(sim, probe->at);
            break;
        case SHOAL_PROBE_PRESSURE:
            values[p] = pressure ? pressure_at(sim, probe->at, pressure) : (double)NAN;
            break;
        }
    }
}
