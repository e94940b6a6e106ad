// SPDX-License-Identifier: MIT
// Sight is a ray through the distances of thin solids: it steps by the distance where it is, and
// ends where it is deep inside.
#include "mac/mac_sight.h"

#include <math.h>

#include "mac/mac_stop.h"

// Rays go this far at least from one look to the next, in cells.
static const double least_step = 0.1;

static double thin_distance(const shoal_world* world, shoal_d3 p, double dx) {
    double least = 4.0 * dx;
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        if (collider->is_thin && shoal_box_holds(shoal_box_grown(collider->bounds, 2.0 * dx), p))
            least = fmin(least, shoal_collider_distance(collider, p, NULL));
    }
    return least;
}

static bool is_hidden(const shoal_world* world, shoal_d3 from, shoal_d3 to, double distance, double dx) {
    shoal_d3 way    = shoal_d3_sub(to, from);
    double   length = shoal_d3_length(way);
    for (double gone = fmax(distance, least_step * dx); gone < length;) {
        double here = thin_distance(world, shoal_d3_add(from, shoal_d3_scale(way, gone / length)), dx);
        if (here < -MAC_DEEP * dx) return true;
        gone += fmax(here, least_step * dx);
    }
    return false;
}

// The node of a set that is nearest to a place, both in cells from the corner of the set's cell;
// how far it is from there.
static shoal_d3 towards_nearest(uint32_t set, const float place[3]) {
    float    best = INFINITY;
    shoal_d3 way  = {0.0, 0.0, 0.0};
    for (uint32_t left = set; left; left &= left - 1) {
        int   k = __builtin_ctz(left);
        float x = 0.5f * (float)(k % 3) - place[0], y = 0.5f * (float)(k / 3 % 3) - place[1],
              z      = 0.5f * (float)(k / 9) - place[2];
        float square = x * x + y * y + z * z;
        if (square >= best) continue;
        best = square;
        way  = shoal_d3_make((double)x, (double)y, (double)z);
    }
    return way;
}

static bool sees(const shoal_world* world, shoal_d3 from, uint32_t set, const float place[3], double distance,
                 double dx) {
    return set &&
           !is_hidden(world, from, shoal_d3_add(from, shoal_d3_scale(towards_nearest(set, place), dx)), distance, dx);
}

static void find_cells(const shoal_mac* m, int block, mac_f4 g, mac_sight* s) {
    for (int axis = 0; axis < 3; axis++) {
        s->at[axis]   = (int)g[axis];
        s->part[axis] = g[axis] - (float)s->at[axis];
        s->way[axis]  = s->part[axis] < 0.5f ? -1 : 1;
        s->next[axis] = fabsf(s->part[axis] - 0.5f);
    }
    s->cell[0] = SHOAL_MAC_SAMPLES * block + shoal_mac_sample(s->at[0], s->at[1], s->at[2]);
    for (int k = 1; k < MAC_SIGHT_CELLS; k++) {
        int axis = k >= 4 ? 2 : k >= 2 ? 1 : 0, from = s->cell[k & ~(1 << axis)];
        s->cell[k] = from < 0 ? -1 : shoal_mac_beside(m, from, axis, s->way[axis]);
    }
}

bool mac_sight_from(const shoal_mac* m, const shoal_world* world, int block, mac_f4 g, shoal_v3 x, mac_sight* s) {
    bool is_cut = false;
    find_cells(m, block, g, s);
    for (int k = 0; k < MAC_SIGHT_CELLS; k++) is_cut = is_cut || (s->cell[k] >= 0 && mac_is_cut(m, s->cell[k]));
    if (!is_cut) return false;
    double   dx       = (double)m->def.dx;
    shoal_d3 from     = shoal_d3_from(x);
    double   distance = thin_distance(world, from, dx);
    s->distance       = (float)(distance / dx);
    s->seen = s->closed = 0;
    for (int k = 0; k < MAC_SIGHT_CELLS; k++) {
        if (s->cell[k] < 0) continue;
        uint32_t own = mac_part_nodes(m, s->cell[k]);
        float    place[3];
        for (int axis = 0; axis < 3; axis++) place[axis] = s->part[axis] - (float)(k >> axis & 1 ? s->way[axis] : 0);
        if (own == 0)
            s->closed |= 1u << k;
        else if (sees(world, from, own, place, distance, dx))
            s->seen |= 1u << k;
    }
    return true;
}

int mac_sight_part(const shoal_world* world, double dx, mac_f4 g, shoal_v3 x, const uint32_t* part, int count) {
    shoal_d3 from     = shoal_d3_from(x);
    double   distance = thin_distance(world, from, dx);
    float    place[3];
    for (int axis = 0; axis < 3; axis++) place[axis] = g[axis] - floorf(g[axis]);
    for (int k = 0; k < count; k++)
        if (sees(world, from, part[k], place, distance, dx)) return k;
    return -1;
}

uint64_t mac_joined(const shoal_mac* m, int block, int z, int n) {
    uint64_t joined = 0;
    int      way[3] = {0, 0, 0};
    way[n / 2]      = n % 2 == 0 ? -1 : 1;
    for (int s = 64 * z; s < 64 * (z + 1); s++) {
        int at = SHOAL_MAC_SAMPLES * block + s, beside = shoal_mac_beside(m, at, n / 2, way[n / 2]);
        joined |= (uint64_t)(beside >= 0 && mac_thin_joined(mac_part_nodes(m, at), mac_part_nodes(m, beside), way))
                  << (s & 63);
    }
    return joined;
}
