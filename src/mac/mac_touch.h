// SPDX-License-Identifier: MIT
// What a point touches of walls and obstacles, and what that does to a velocity there: m, m/s.
#ifndef SHOAL_MAC_TOUCH_H
#define SHOAL_MAC_TOUCH_H

#include "mac/mac.h"

// The nearest solid at a point.
typedef struct shoal_touch {
    double   distance; // m; negative inside
    shoal_d3 normal;   // out of the solid
    shoal_d3 velocity;
    double   friction;
    bool     is_sticky;
    bool     drags; // by its boundary layer: a wall that the scene does not call slippery, an obstacle without friction
} shoal_touch;
// As materials of a kind feel it. False when there is none nearer than `reach`.
bool shoal_touch_at(const shoal_world* world, shoal_material_kind kind, shoal_d3 p, double reach, shoal_touch* out);
// The roughest of those at most `slack` farther than the nearest: between a rough floor and a slick wall it is the
// floor with friction.
bool shoal_touch_roughest(const shoal_world* world, shoal_material_kind kind, shoal_d3 p, double reach, double slack,
                          shoal_touch* out);

// What becomes of a velocity's component along an axis at or inside of solids when nothing goes into them and it slides
// along: slide . velocity + rest. False where none is nearer than `reach`.
bool shoal_touch_slide(const shoal_world* world, shoal_d3 p, double reach, int axis, double slide[3], double* rest);

// Velocity relative to a solid after touching it: what goes in (`normal_load`, m/s, at least the inward part of v
// itself) is stopped, and friction acts on the rest.
shoal_d3 shoal_touch_friction(const shoal_touch* touch, shoal_d3 velocity, double normal_load, bool may_leave);

// The solids one by one: six walls, then colliders. False when this one is none, or farther away than `reach`.
bool mac_touch_of(const shoal_world* world, shoal_material_kind kind, int solid, shoal_d3 p, double reach,
                  shoal_touch* out);

#endif
