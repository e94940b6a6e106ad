// SPDX-License-Identifier: MIT
// Stress at the free surface. It vanishes where the level set does, not at the next edge or centre:
// a face h cells below the surface carries 1/2 + h of a cell on the edge beneath it, be it all of a
// thin layer on a solid, and one in the rim what is between the centre of its sand and the surface.
// Pressure knows that by its theta; here what friction does to the face is divided by it. As if it
// were a whole cell, a slope that is a little below its angle of repose would stand only where its
// surface lies on faces of cells, and flow elsewhere; and friction would have to hold the rims of a
// shallow slab on a tilted solid as well, which slid too far by 0.02 of its way without friction.
#include "granular/granular_friction_local.h"
#include "mac/mac_level.h"
#include "mac/mac_project.h"

// What a face may carry, in cells, on an edge and on a centre: less would make sweeps diverge; more
// is not there, the next face would be sand.
static const float carried_least = 0.5f, carried_most = 1.5f, centre_least = 0.35f;

static bool is_sand(const shoal_mac* m, int at) { return at >= 0 && shoal_mac_has(m->liquid, at); }

// Whether a cell of sand ends along an axis, in air or at a solid.
static bool is_below_air(const shoal_mac* m, int at, int axis, int way) {
    int next = shoal_mac_beside(m, at, axis, way);
    return next < 0 || (!shoal_mac_has(m->liquid, next) && m->open[axis][way > 0 ? next : at] > 0.0f);
}
static bool is_on_solid(const shoal_mac* m, int at, int axis, int way) {
    int next = shoal_mac_beside(m, at, axis, way), face = way > 0 ? next : at;
    return face >= 0 && m->open[axis][face] == 0.0f;
}

// Whether an edge across two axes has stress: three cells of sand around it.
static bool has_stress(const shoal_mac* m, int edge, int a, int b) {
    int count = 0;
    for (int n = 0, at = edge; n < 2 && at >= 0; n++, at = shoal_mac_beside(m, edge, a, -1))
        count += is_sand(m, at) + is_sand(m, shoal_mac_beside(m, at, b, -1));
    return count >= 3;
}

// How far the surface is from between two cells, along an axis, in cells; negative: it is behind.
static float height_above(const shoal_mac* m, int first, int second, int axis, int way) {
    int   cells[] = {first, second};
    float here = 0.0f, there = 0.0f;
    for (int n = 0; n < 2; n++) {
        int next = shoal_mac_beside(m, cells[n], axis, way);
        here += m->phi[cells[n]];
        there += next >= 0 ? m->phi[next] : 1.0f;
    }
    return there > here ? -here / (there - here) : 1.0f;
}

static float factor_of(float height) { return 1.0f / fminf(fmaxf(0.5f + height, carried_least), carried_most) - 1.0f; }

// What a face feels along another axis: by the last edge with stress, or on a layer of one cell by
// the solid.
static bool find_surface_face(const shoal_mac* m, int at, int below, int axis, int along,
                              shoal_granular_surface_face* out) {
    int high = shoal_mac_beside(m, at, along, 1), first = is_sand(m, at) ? at : below,
        second   = is_sand(m, below) ? below : at;
    bool has_low = has_stress(m, at, axis, along), has_high = high >= 0 && has_stress(m, high, axis, along);
    if (has_low && has_high) return false;
    for (int way = -1; way <= 1; way += 2) {
        if (!is_below_air(m, first, along, way) && !is_below_air(m, second, along, way)) continue;
        if (way > 0 ? has_low : has_high) {
            float factor = factor_of(height_above(m, at, below, along, way));
            *out         = (shoal_granular_surface_face){at, axis, 6 - axis - along, way > 0 ? at : high,
                                                 way > 0 ? -factor : factor};
            return true;
        }
        if (!has_low && !has_high && is_on_solid(m, first, along, -way)) {
            *out = (shoal_granular_surface_face){at, axis, SHOAL_GRANULAR_STRESSES + axis, at,
                                                 factor_of(height_above(m, first, second, along, way))};
            return true;
        }
    }
    return false;
}

// What a face between sand and air feels along its own axis, by the sand alone.
static bool find_rim(const shoal_mac* m, int at, int below, int axis, shoal_granular_surface_face* out) {
    float carried = fmaxf(shoal_mac_wet_fraction(m, at, below), centre_least), factor = 1.0f / carried - 1.0f;
    bool  is_above = is_sand(m, at);
    *out           = (shoal_granular_surface_face){at, axis, axis, is_above ? at : below, is_above ? factor : -factor};
    return factor > 0.0f;
}

// Faces of sand, but for those between two cells of which one has sand on all sides: their edges
// all have stress.
static void outer_faces(const shoal_mac* m, int block, int axis, uint64_t out[8]) {
    uint64_t inner[8];
    shoal_mac_shift(m, m->liquid, block, axis, -1, inner);
    for (int z = 0; z < 8; z++) inner[z] &= m->liquid[8 * block + z];
    for (int n = 0; n < 4; n++) {
        uint64_t beside[8];
        shoal_mac_shift(m, m->liquid, block, (axis + 1 + n / 2) % 3, n % 2 == 0 ? -1 : 1, beside);
        for (int z = 0; z < 8; z++) inner[z] &= beside[z];
    }
    shoal_mac_liquid_faces(m, block, axis, out);
    for (int z = 0; z < 8; z++) out[z] &= ~inner[z];
}

// All other forces on a face of sand.
static int surface_faces_at(const shoal_mac* m, int at, int axis, shoal_granular_surface_face out[3]) {
    int below = shoal_mac_beside(m, at, axis, -1), count = 0;
    if (below < 0) return 0;
    for (int k = 1; k < 3; k++) count += find_surface_face(m, at, below, axis, (axis + k) % 3, &out[count]);
    return count + find_rim(m, at, below, axis, &out[count]);
}

// Counts those of a block, and writes them where there is room.
static int surface_faces_of(const shoal_granular_friction* f, const shoal_mac* m, int block,
                            shoal_granular_surface_face* to) {
    int count = 0;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t faces[8];
        outer_faces(m, block, axis, faces);
        for (int z = 0; z < 8; z++)
            for (uint64_t left = faces[z]; left; left &= left - 1) {
                shoal_granular_surface_face own[3];
                int                         at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
                int found = f->inverse_mass[axis][at] != 0.0f ? surface_faces_at(m, at, axis, own) : 0;
                for (int k = 0; to && k < found; k++) to[count + k] = own[k];
                count += found;
            }
    }
    return count;
}

static void count_surface_faces(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f  = ((granular_friction_job*)ctx)->f;
    f->surface_start[block + 1] = f->is_active[block] ? surface_faces_of(f, m, block, NULL) : 0;
}

static void make_surface_faces(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    if (f->surface_start[block + 1] > f->surface_start[block])
        surface_faces_of(f, m, block, f->surface_faces + f->surface_start[block]);
}

shoal_status granular_find_surface_faces(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    shoal_granular_friction* f = r->f;
    f->surface_start[0]        = 0;
    shoal_mac_each(m, exec, count_surface_faces, r);
    for (int b = 0; b < m->block_count; b++) f->surface_start[b + 1] += f->surface_start[b];
    SHOAL_TRY(shoal_reserve((void**)&f->surface_faces, &f->surface_capacity, f->surface_start[m->block_count],
                            sizeof *f->surface_faces));
    shoal_mac_each(m, exec, make_surface_faces, r);
    return SHOAL_OK;
}

bool granular_has_surface_faces(const shoal_granular_friction* f, const shoal_mac* m, int block) {
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int near = m->near[block][n];
        if (near >= 0 && f->surface_start[near + 1] > f->surface_start[near]) return true;
    }
    return false;
}

// As if on whole cells, sweeps would go to and fro there, and poured heaps never freeze.
void granular_surface_rate(const shoal_granular_friction* f, const shoal_mac* m, int block) {
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int near = m->near[block][n];
        for (int k = near < 0 ? 0 : f->surface_start[near]; near >= 0 && k < f->surface_start[near + 1]; k++) {
            const shoal_granular_surface_face* c = &f->surface_faces[k];
            if (c->source >> 9 != block || c->component >= SHOAL_GRANULAR_STRESSES) continue;
            float *rate = &f->rate[c->component < 3 ? 0 : c->component - 2][c->source],
                  moves = f->inverse_mass[c->axis][c->at] * (1.0f + fabsf(c->factor));
            *rate       = fminf(*rate, granular_relax / moves);
        }
    }
}

void granular_surface_push(const shoal_granular_friction* f, int block, float* const u[3], float sign) {
    for (int n = f->surface_start[block]; n < f->surface_start[block + 1]; n++) {
        const shoal_granular_surface_face* c      = &f->surface_faces[n];
        const float*                       stress = c->component < SHOAL_GRANULAR_STRESSES
                                                        ? f->stress[c->component]
                                                        : f->traction[c->component - SHOAL_GRANULAR_STRESSES];
        u[c->axis][c->at] += sign * f->inverse_mass[c->axis][c->at] * c->factor * stress[c->source];
    }
}
