// SPDX-License-Identifier: MIT
// Instruments: how far the front has come, how high the liquid stands on a line, what a wall feels.
//
// front     Particles closer than 1.5 d are linked; the largest linked crowd is the bulk, and drops
//           that have broken off do not count. Ties go to the crowd met first.
// height    The share of space that is full, f(y) = sum d^3 W(|x - x_j|) with the cubic spline of
//           radius 2d, along the line; liquid is where f > 1/2. A flat surface lies exactly there by
//           symmetry, whatever the line's place on the lattice; spray thinner than a layer reads 0.
//           Particles are mirrored at closed walls.
// pressure  Mean over the particles within 2d of the point along the wall and d to 2.5 d from the
//           wall, each carried to the point by the weight of the liquid between.
#include "sim/sim_local.h"
#include "state/measure.h"

#include <string.h>

static const double link_share = 1.5, disc_share = 2.0, layer_share = 1.0, deepest_layer = 2.5; // of the spacing

int shoal_sim_probe_count(const shoal_sim* sim) { return sim->description->probe_count; }

const char* shoal_sim_probe_name(const shoal_sim* sim, int index) {
    bool is_known = index >= 0 && index < sim->description->probe_count;
    return is_known ? sim->description->probes[index].name : "";
}

// --- front

// Particles and their images, sorted by cells of the link length: z slowest, x fastest. Cell
// numbers start at 1 and a row has one number more than cells, so that the cells before and after
// always have a key of their own. Everything but `points` and `owners` is in sorted order.
typedef struct links {
    int       own, count; // particles of all sets, one after the other; with images
    shoal_v3* position;   // [own]
    shoal_v3* points;     // [count] the particles, then the images
    int*      owners;     // [count] the particle a point belongs to
    uint64_t* keys;       // [count] unsorted
    uint64_t* sorted;     // [count]
    int*      order;      // [count] the k-th point
    shoal_v3* at;         // [count] its place
    int*      parents;    // [count] union-find; a root is its own parent and the smallest of its crowd
    int*      ranks;      // [own] place of a particle in the order
    int*      members;    // [count] particles of each root's crowd
    void*     room;       // for the sort
    uint64_t  row, slab;  // key steps to the next y and z
} links;

enum { CELL_LAST = (1 << 20) - 2 };

static void links_free(links* l) {
    shoal_free(l->room);
    shoal_free(l->members);
    shoal_free(l->ranks);
    shoal_free(l->parents);
    shoal_free(l->at);
    shoal_free(l->order);
    shoal_free(l->sorted);
    shoal_free(l->keys);
    shoal_free(l->owners);
    shoal_free(l->points);
    shoal_free(l->position);
}

// Images of what lies at the upper end of periodic axes, put before the lower end: each pair across
// meets once. Called with points == NULL to count.
static int add_images(const shoal_sim* sim, const links* l, double reach, shoal_v3* points, int* owners) {
    const shoal_world* world = sim->world;
    int                count = 0;
    if (!world->is_periodic[0] && !world->is_periodic[1] && !world->is_periodic[2]) return 0;
    for (int i = 0; i < l->own; i++)
        for (int image = 1; image < 8; image++) {
            shoal_v3 p       = l->position[i];
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

static bool links_alloc(const shoal_sim* sim, links* l, double reach) {
    l->position = shoal_alloc((size_t)shoal_sim_count(sim), sizeof *l->position);
    if (!l->position) return false;
    SHOAL_EACH_CROWD(&sim->ctx, set) {
        if (set->count > 0)
            memcpy(l->position + l->own, shoal_set_read(set, "position"), (size_t)set->count * sizeof *l->position);
        l->own += set->count;
    }
    l->count     = l->own + add_images(sim, l, reach, NULL, NULL);
    size_t count = (size_t)l->count;
    l->points    = shoal_alloc(count, sizeof *l->points);
    l->owners    = shoal_alloc(count, sizeof *l->owners);
    l->keys      = shoal_alloc(count, sizeof *l->keys);
    l->sorted    = shoal_alloc(count, sizeof *l->sorted);
    l->order     = shoal_alloc(count, sizeof *l->order);
    l->at        = shoal_alloc(count, sizeof *l->at);
    l->parents   = shoal_alloc(count, sizeof *l->parents);
    l->ranks     = shoal_alloc((size_t)l->own, sizeof *l->ranks);
    l->members   = shoal_alloc(count, sizeof *l->members);
    l->room      = shoal_alloc(shoal_sort_room(l->count), 1);
    return l->points && l->owners && l->keys && l->sorted && l->order && l->at && l->parents && l->ranks &&
           l->members && l->room;
}

// Far outliers share the last cell; they are still told apart by their distance.
static uint64_t cell_number(float x, float min, double reach) {
    double cell = floor(((double)x - (double)min) / reach) + 1.0;
    return cell < CELL_LAST ? (uint64_t)cell : CELL_LAST;
}

static void links_sort(const shoal_sim* sim, links* l, double reach) {
    for (int i = 0; i < l->own; i++) l->points[i] = l->position[i], l->owners[i] = i;
    add_images(sim, l, reach, l->points + l->own, l->owners + l->own);
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
    while (end >> bits) bits++;
    for (int i = 0; i < l->count; i++) {
        shoal_v3 p = l->points[i];
        l->keys[i] = cell_number(p.z, min.z, reach) * l->slab + cell_number(p.y, min.y, reach) * l->row +
                     cell_number(p.x, min.x, reach);
    }
    shoal_sort_keys(&sim->ctx.exec, l->keys, l->count, bits, l->order, l->sorted, l->room);
    for (int k = 0; k < l->count; k++) {
        l->at[k] = l->points[l->order[k]];
        if (l->order[k] < l->own) l->ranks[l->order[k]] = k;
    }
}

static int root_of(int* parents, int k) {
    int root = k;
    while (parents[root] != root) root = parents[root];
    while (parents[k] != root) {
        int next   = parents[k];
        parents[k] = root;
        k          = next;
    }
    return root;
}

static int join(int* parents, int a, int b) {
    int i = root_of(parents, a), j = root_of(parents, b);
    parents[i > j ? i : j] = i < j ? i : j;
    return i < j ? i : j;
}

// Joins point a with those of a run of cells, from `b` on up to key `last`.
static void join_run(links* l, int a, int b, uint64_t last, float reach2) {
    int root = root_of(l->parents, a);
    for (; b < l->count && l->sorted[b] <= last; b++) {
        if (l->parents[b] == root) continue; // most are: one crowd holds nearly everything
        shoal_v3 away = shoal_v3_sub(l->at[a], l->at[b]);
        if (shoal_v3_dot(away, away) <= reach2) root = join(l->parents, a, b);
    }
}

static void links_join(links* l, double reach) {
    for (int k = 0; k < l->count; k++) l->parents[k] = k;
    for (int k = 0; k < l->count; k++)
        if (l->order[k] >= l->own) join(l->parents, k, l->ranks[l->owners[l->order[k]]]);

    // rows after a cell's own: next y, and all three y of the next z; each from one x before to one
    // x after
    const uint64_t rows[]   = {l->row, l->slab - l->row, l->slab, l->slab + l->row};
    int            start[4] = {0};
    float          reach2   = (float)(reach * reach);
    for (int a = 0; a < l->count; a++) {
        uint64_t key = l->sorted[a];
        join_run(l, a, a + 1, key + 1, reach2);
        for (int r = 0; r < 4; r++) {
            uint64_t middle = key + rows[r];
            while (start[r] < l->count && l->sorted[start[r]] < middle - 1) start[r]++;
            join_run(l, a, start[r], middle + 1, reach2);
        }
    }
    for (int k = 0; k < l->count; k++) {
        int root = root_of(l->parents, k);
        if (l->order[k] < l->own) l->members[root]++;
    }
}

// Front along each axis; NaN where memory was short, the domain's lower end where there is nothing.
static void find_fronts(const shoal_sim* sim, double front[3]) {
    double reach = link_share * sim->description->spacing;
    for (int axis = 0; axis < 3; axis++)
        front[axis] = sim->world->domain.is_given ? shoal_d3_axis(sim->world->domain.min, axis) : 0.0;
    if (shoal_sim_count(sim) == 0) return;

    links l = {0};
    if (!links_alloc(sim, &l, reach)) {
        front[0] = front[1] = front[2] = (double)NAN;
        links_free(&l);
        return;
    }
    links_sort(sim, &l, reach);
    links_join(&l, reach);

    int bulk = 0;
    for (int k = 1; k < l.count; k++)
        if (l.members[k] > l.members[bulk]) bulk = k;
    front[0] = front[1] = front[2] = -HUGE_VAL;
    const shoal_v3* position       = l.position; // of the set at hand
    const int*      ranks          = l.ranks;
    SHOAL_EACH_CROWD(&sim->ctx, set) {
        shoal_measure measure = shoal_measure_of(sim->description, set);
        for (int i = 0; i < set->count; i++) {
            if (l.parents[ranks[i]] != bulk) continue;
            double half = 0.5 * shoal_measure_spacing(&measure, i);
            for (int axis = 0; axis < 3; axis++)
                front[axis] = fmax(front[axis], (double)shoal_v3_axis(position[i], axis) + half);
        }
        position += set->count;
        ranks += set->count;
    }
    links_free(&l);
}

// --- height

// Cubic spline of radius 2d times d^3; q = r / d. [Monaghan 1992]
static double filled_share(double q) {
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

// The line as samples: share[s] belongs to height low + s * step.
typedef struct gauge {
    double  x, z, d;
    double  low, high, step;
    int     count;
    double* share; // NULL: only find low and high
} gauge;

// A particle of spacing d at height y.
static void gauge_feel(gauge* g, double d, double across2, double y) {
    double reach = sqrt(4.0 * d * d - across2);
    if (!g->share) {
        g->low  = fmin(g->low, y - reach);
        g->high = fmax(g->high, y + reach);
        return;
    }
    double first = ceil((y - reach - g->low) / g->step), last = floor((y + reach - g->low) / g->step);
    int    end = (int)fmin(last, g->count - 1);
    for (int s = (int)fmax(first, 0.0); s <= end; s++) {
        double up = g->low + s * g->step - y;
        g->share[s] += filled_share(sqrt(across2 + up * up) / d);
    }
}

// A particle's image at the line is the particle at an image of the line.
static void gauge_pass_line(const shoal_sim* sim, const shoal_set* set, gauge* g, double x, double z) {
    const shoal_v3* position = shoal_set_read(set, "position");
    shoal_measure   measure  = shoal_measure_of(sim->description, set);
    for (int i = 0; i < set->count; i++) {
        double dx = (double)position[i].x - x, dz = (double)position[i].z - z;
        double d = shoal_measure_spacing(&measure, i); // water among grains is finer than these
        if (dx * dx + dz * dz >= 4.0 * d * d) continue;
        double y[3];
        int    ys = images_along(sim->world, 1, (double)position[i].y, y);
        for (int h = 0; h < ys; h++) gauge_feel(g, d, dx * dx + dz * dz, y[h]);
    }
}

static bool is_near_domain(const shoal_world* world, int axis, double x, double reach) {
    return x > (double)shoal_v3_axis(world->min, axis) - reach && x < (double)shoal_v3_axis(world->max, axis) + reach;
}

static void gauge_pass(const shoal_sim* sim, gauge* g) {
    double x[3], z[3], reach = 2.0 * g->d;
    int    xs = images_along(sim->world, 0, g->x, x), zs = images_along(sim->world, 2, g->z, z);
    for (int k = 0; k < zs; k++)
        for (int j = 0; j < xs; j++) {
            bool is_image = j > 0 || k > 0;
            if (is_image && !(is_near_domain(sim->world, 0, x[j], reach) && is_near_domain(sim->world, 2, z[k], reach)))
                continue;
            SHOAL_EACH_CROWD(&sim->ctx, set) gauge_pass_line(sim, set, g, x[j], z[k]);
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
    gauge              g = {.x = at.x, .z = at.z, .d = sim->description->spacing, .low = HUGE_VAL, .high = -HUGE_VAL};
    gauge_pass(sim, &g);
    // the mirrored and repeated liquid beyond the walls is not read
    if (world->is_closed[SHOAL_BOTTOM] || world->is_periodic[1]) g.low = fmax(g.low, (double)world->min.y);
    if (world->is_closed[SHOAL_TOP] || world->is_periodic[1]) g.high = fmin(g.high, (double)world->max.y);
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
    double length = (double)shoal_v3_axis(world->max, axis) - (double)shoal_v3_axis(world->min, axis);
    return away - length * nearbyint(away / length);
}

// A mean of pressures carried to the probe along gravity.
typedef struct carried {
    double sum;
    int    count;
} carried;

typedef struct gathering {
    const shoal_sim* sim;
    shoal_d3         at, normal; // normal: of the wall
    bool             has_wall;
    carried          first[2], behind[2]; // of the layer at the wall and those behind it; of liquids, of grains
} gathering;

static void gather_pressure(gathering* g, const shoal_set* set, const float* pressure) {
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
        if (across < -d || across > deepest_layer * d || along2 > disc_share * disc_share * d * d) continue;
        const shoal_material* of    = &sim->description->materials[material[i]];
        int                   kind  = of->kind == SHOAL_GRANULAR;
        carried*              layer = across > layer_share * d ? &g->behind[kind] : &g->first[kind];
        layer->sum += (double)pressure[i] - (double)of->density * shoal_d3_dot(sim->description->gravity, away);
        layer->count++;
    }
}

// The layer at the wall carries the wall's share of the load and reads high beside walls (by up to 25 %), so the layers
// behind it are asked, and the first one only where the water is no deeper. In flooded sand the probe is the water's:
// grains are asked where there is no liquid.
static double pressure_at(const shoal_sim* sim, shoal_d3 at) {
    gathering g = {.sim = sim, .at = at};
    g.has_wall  = wall_normal(sim, at, &g.normal);
    bool is_had = false;
    SHOAL_EACH_CROWD(&sim->ctx, set) {
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

void shoal_sim_probes(shoal_sim* sim, double* values) {
    const shoal_description* description = sim->description;
    double                   front[3];
    bool                     has_front = false;
    shoal_probe_fn           own       = shoal_solver_probe(sim->type);
    for (int p = 0; p < description->probe_count && own; p++) values[p] = own(sim->self, &description->probes[p]);
    if (own) return;
    for (int p = 0; p < description->probe_count; p++)
        has_front = has_front || description->probes[p].kind == SHOAL_PROBE_FRONT;
    if (has_front) find_fronts(sim, front);

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
            values[p] = pressure_at(sim, probe->at);
            break;
        }
    }
}
