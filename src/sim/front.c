// SPDX-License-Identifier: MIT
// How far matter has come. Particles closer than 1.5 d are linked; the largest linked cluster is the bulk, and drops
// that have broken off do not count. Ties go to the cluster met first.
#include "sim/sim_local.h"
#include "base/disjoint.h"
#include "state/measure.h"

#include <string.h>

static const double link_fraction = 1.5; // of the spacing

// Particles and their images, sorted by cells of the link length: z slowest, x fastest. Cell
// numbers start at 1 and a row has one number more than cells, so that the cells before and after
// always have a key of their own. Everything but `points` and `owners` is in sorted order.
typedef struct links {
    int       own, count;   // particles of all sets, one after the other; with images
    shoal_v3* position;     // [own]
    shoal_v3* points;       // [count] the particles, then the images
    int*      owners;       // [count] the particle a point belongs to
    uint64_t* keys;         // [count] unsorted
    uint64_t* sorted;       // [count]
    int*      order;        // [count] the k-th point
    shoal_v3* at;           // [count] its place
    int*      parents;      // [count] union-find; a root is its own parent and the smallest of its cluster
    int*      ranks;        // [own] place of a particle in the order
    int*      members;      // [count] particles of each root's cluster
    void*     sort_scratch; // for the sort
    uint64_t  row, slab;    // key steps to the next y and z
} links;

enum { CELL_LAST = (1 << 20) - 2 };

static void links_free(links* l) {
    shoal_free(l->sort_scratch);
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
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        if (set->count > 0)
            memcpy(l->position + l->own, shoal_set_read(set, "position"), (size_t)set->count * sizeof *l->position);
        l->own += set->count;
    }
    l->count        = l->own + add_images(sim, l, reach, NULL, NULL);
    size_t count    = (size_t)l->count;
    l->points       = shoal_alloc(count, sizeof *l->points);
    l->owners       = shoal_alloc(count, sizeof *l->owners);
    l->keys         = shoal_alloc(count, sizeof *l->keys);
    l->sorted       = shoal_alloc(count, sizeof *l->sorted);
    l->order        = shoal_alloc(count, sizeof *l->order);
    l->at           = shoal_alloc(count, sizeof *l->at);
    l->parents      = shoal_alloc(count, sizeof *l->parents);
    l->ranks        = shoal_alloc((size_t)l->own, sizeof *l->ranks);
    l->members      = shoal_alloc(count, sizeof *l->members);
    l->sort_scratch = shoal_alloc(shoal_sort_scratch(l->count), 1);
    return l->points && l->owners && l->keys && l->sorted && l->order && l->at && l->parents && l->ranks &&
           l->members && l->sort_scratch;
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
    shoal_sort_keys(&sim->ctx.exec, l->keys, l->count, bits, l->order, l->sorted, l->sort_scratch);
    for (int k = 0; k < l->count; k++) {
        l->at[k] = l->points[l->order[k]];
        if (l->order[k] < l->own) l->ranks[l->order[k]] = k;
    }
}

// Joins point a with those of a run of cells, from `b` on up to key `last`.
static void join_run(links* l, int a, int b, uint64_t last, float reach2) {
    int root = shoal_disjoint_root(l->parents, a);
    for (; b < l->count && l->sorted[b] <= last; b++) {
        if (l->parents[b] == root) continue; // most are: one cluster holds nearly everything
        shoal_v3 away = shoal_v3_sub(l->at[a], l->at[b]);
        if (shoal_v3_dot(away, away) <= reach2) root = shoal_disjoint_join(l->parents, a, b);
    }
}

static void links_join(links* l, double reach) {
    for (int k = 0; k < l->count; k++) l->parents[k] = k;
    for (int k = 0; k < l->count; k++)
        if (l->order[k] >= l->own) shoal_disjoint_join(l->parents, k, l->ranks[l->owners[l->order[k]]]);

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
        int root = shoal_disjoint_root(l->parents, k);
        if (l->order[k] < l->own) l->members[root]++;
    }
}

void shoal_sim_fronts(const shoal_sim* sim, double front[3]) {
    if (shoal_sim_is_mesh(sim)) {
        for (int axis = 0; axis < 3; axis++) front[axis] = sim->type->matter->front(sim->self, axis);
        return;
    }
    double reach = link_fraction * sim->description->spacing;
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
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
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
