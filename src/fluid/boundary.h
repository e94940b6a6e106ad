// SPDX-License-Identifier: MIT
// What a fluid particle feels of walls and colliders: the density they add in closed form (no samples, no lists), and
// contact with Coulomb friction. Shared by the particle fluids.
#ifndef SHOAL_BOUNDARY_H
#define SHOAL_BOUNDARY_H

#include "fluid/lean.h"
#include "math/kernels.h"
#include "state/world.h"

// Density share D of the solids around and the gradient of D (1/m). Several solids meet as if independent:
// D = 1 - prod(1 - D_k); off by at most 0.003 in an edge and 0.007 in a corner.
typedef struct shoal_solid_share {
    float    density;
    shoal_v3 gradient;
} shoal_solid_share;

static inline void shoal_solid_add(shoal_solid_share* sum, float distance, shoal_v3 normal, float h, int kernel) {
    if (distance >= h) return;
    float q    = distance > 0.0f ? distance / h : 0.0f;
    float here = shoal_kernel_behind(q, kernel), slope = shoal_kernel_behind_slope(q, kernel) / h;
    float rest    = 1.0f - sum->density;
    sum->gradient = shoal_v3_add_scaled(shoal_v3_scale(sum->gradient, 1.0f - here), normal, slope * rest);
    sum->density  = 1.0f - rest * (1.0f - here);
}

// Whether anything solid can be nearer than `reach` to x.
static inline bool shoal_solids_are_near(const shoal_world* world, shoal_v3 x, float reach) {
    const bool* closed = world->is_closed;
    if ((closed[0] && x.x < world->min.x + reach) || (closed[1] && x.x > world->max.x - reach) ||
        (closed[2] && x.y < world->min.y + reach) || (closed[3] && x.y > world->max.y - reach) ||
        (closed[4] && x.z < world->min.z + reach) || (closed[5] && x.z > world->max.z - reach))
        return true;
    for (int k = 0; k < world->collider_count; k++) {
        const shoal_box* b = &world->colliders[k].bounds;
        double           r = (double)reach;
        if ((double)x.x > b->min.x - r && (double)x.x < b->max.x + r && (double)x.y > b->min.y - r &&
            (double)x.y < b->max.y + r && (double)x.z > b->min.z - r && (double)x.z < b->max.z + r)
            return true;
    }
    return false;
}

// Walls that reflect the liquid (halo.h) push by its image; contact is only a guard there, at half
// the distance: where flow thins the layer beside a wall it comes nearer than a spacing's half.
#define SHOAL_MIRROR_GUARD 0.5f

static inline bool shoal_mirrors_are_near(const shoal_world* world, shoal_v3 x, float reach) {
    const bool* mirror = world->is_mirror;
    return (mirror[0] && x.x < world->min.x + reach) || (mirror[1] && x.x > world->max.x - reach) ||
           (mirror[2] && x.y < world->min.y + reach) || (mirror[3] && x.y > world->max.y - reach) ||
           (mirror[4] && x.z < world->min.z + reach) || (mirror[5] && x.z > world->max.z - reach);
}

// Moves `x` out of walls that reflect, where nobody may meet its own image; `radius` is that of
// contact.
shoal_v3 shoal_mirror_clear(const shoal_world* world, shoal_v3 x, float radius);

shoal_solid_share shoal_solid_share_at(const shoal_world* world, shoal_v3 x, float h, int kernel);

// What the solids around add to M (see lean.h), with the gradient of s that goes with it, 1/m: as if the lattice went
// on behind them.
typedef struct shoal_solid_moment {
    shoal_lean moment;
    shoal_v3   slope;
    float      share;
} shoal_solid_moment;
shoal_solid_moment shoal_solid_moment_at(const shoal_world* world, shoal_v3 x, float h, float d,
                                         const shoal_layers* layers);

bool shoal_solids_stick(const shoal_world* world); // any of them
// Distance to the nearest solid that sticks, at most `reach`, m, and its velocity there (NULL: not
// asked for).
float shoal_sticky_distance(const shoal_world* world, shoal_v3 x, float reach, shoal_v3* velocity);

// Moves `x` out of the solids to a distance of `radius`, without friction.
shoal_v3 shoal_solid_clear(const shoal_world* world, shoal_v3 x, float radius);

// Whether x is nearer than `radius` to a collider: where clear has put it there, solids leave no room.
bool shoal_solid_is_tight(const shoal_world* world, shoal_v3 x, float radius);

// Moves `x` out of the solids to a distance of `radius` and applies friction to the way it went:
// `travel` is how far it has come in this step including the way to x (m), `pressed` how far the
// density of the walls has pushed it besides (m), dt the step. `sticks`: solids that stick hold
// what touches them; a thick liquid is held by its viscosity. Returns the new place.
shoal_v3 shoal_solid_contact(const shoal_world* world, shoal_v3 x, shoal_v3 travel, float radius, float pressed,
                             float dt, bool sticks);

#endif
