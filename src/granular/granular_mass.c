// SPDX-License-Identifier: MIT
// How much sand a face beside a solid moves, in cells. Momentum is the particles': a push on a face
// reaches them by their hat weights, and by those of the closed faces that take its velocity.
// Friction that is equal and opposite on two faces must be divided by that, not by their open
// fractions, or a slope would take momentum from what slides along it without friction.
#include "granular/granular_friction_local.h"

// Fraction of the hat around a face that lies in each of the three cells along another axis; along its
// own it is a half in two.
static const float hat[3] = {0.125f, 0.75f, 0.125f};

// Beside a thin solid: what is on the side of the cell `own`.
static float thin_mass(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis, int own) {
    int   b = (axis + 1) % 3, c = (axis + 2) % 3, below = shoal_mac_beside(m, at, axis, -1);
    float mass = 0.0f;
    for (int n = 0; n < 18; n++) {
        int cell = n % 2 == 0 ? at : below, to_b = n / 2 % 3 - 1, to_c = n / 6 - 1;
        if (cell >= 0 && to_b != 0) cell = shoal_mac_beside(m, cell, b, to_b);
        if (cell >= 0 && to_c != 0) cell = shoal_mac_beside(m, cell, c, to_c);
        if (cell >= 0 && granular_same_side(f, m, own, cell))
            mass += 0.5f * hat[1 + to_b] * hat[1 + to_c] * m->fraction[cell];
    }
    return mass;
}

void granular_mass_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    float                    fraction[SHOAL_MAC_RIMMED_CELLS], along[SHOAL_MAC_RIMMED_CELLS];
    static const int         stride[3] = {1, 10, 100};
    if (m->has_solid[block] != SHOAL_MAC_HAS_COLLIDER) return;
    shoal_mac_rimmed(m, block, m->fraction, fraction);
    for (int axis = 0; axis < 3; axis++) {
        int b = stride[(axis + 1) % 3], c = stride[(axis + 2) % 3];
        for (int k = b; k < SHOAL_MAC_RIMMED_CELLS - b; k++)
            along[k] = hat[0] * (fraction[k - b] + fraction[k + b]) + hat[1] * fraction[k];
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int   k = ((s >> 6) + 1) * 100 + ((s >> 3 & 7) + 1) * 10 + (s & 7) + 1, below = k - stride[axis];
            float above = hat[0] * (along[k - c] + along[k + c]) + hat[1] * along[k];
            f->mass[axis][SHOAL_MAC_SAMPLES * block + s] =
                0.5f * (above + hat[0] * (along[below - c] + along[below + c]) + hat[1] * along[below]);
        }
    }
}

static bool is_moved(const shoal_mac* m, int at, int axis) {
    int below = shoal_mac_beside(m, at, axis, -1);
    return m->open[axis][at] > 0.0f &&
           (shoal_mac_has(m->liquid, at) || (below >= 0 && shoal_mac_has(m->liquid, below)));
}

static float mass_at(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis, int own) {
    return m->has_thin[at >> 9] ? thin_mass(f, m, at, axis, own) : f->mass[axis][at];
}

float granular_mass(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis) {
    const float least = 0.125f; // hats reach that far
    // walls lie along the grid
    if (m->has_solid[at >> 9] != SHOAL_MAC_HAS_COLLIDER) return fmaxf(m->open[axis][at], least);
    int   own  = granular_sand_beside(m, at, axis);
    float mass = mass_at(f, m, at, axis, own);
    for (int n = 0; n < 6; n++) {
        int face = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1), followed = 0;
        if (face < 0 || m->has_solid[face >> 9] != SHOAL_MAC_HAS_COLLIDER || m->open[axis][face] > 0.0f) continue;
        for (int k = 0; k < 6; k++) {
            int other = shoal_mac_beside(m, face, k / 2, k % 2 == 0 ? -1 : 1);
            followed += other >= 0 && is_moved(m, other, axis) &&
                        granular_same_side(f, m, own, granular_sand_beside(m, other, axis));
        }
        if (followed > 0) mass += mass_at(f, m, face, axis, own) / (float)followed;
    }
    return fmaxf(mass, least);
}
