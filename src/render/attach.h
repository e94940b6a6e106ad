// SPDX-License-Identifier: MIT
// Water that touches a wall. A surface around particles ends about half a spacing before what holds
// them, rounded and bumpy; seen through glass that is a gap full of lenses. Here it is pressed on.
#ifndef SHOAL_RENDER_ATTACH_H
#define SHOAL_RENDER_ATTACH_H

#include "exec/exec.h"
#include "shoal/surface.h"
#include "state/world.h"

// Moves vertices near closed walls and colliders onto them: onto the sides of the domain, and a
// little into the ground and colliders, so that nothing but water is between. `spacing` in metres.
// Each mesh of a picture has a layer of its own, 0, 1, ...: a hair's breadth apart, so that no ray
// meets two faces at once. *is_flat ([triangle_count], free with shoal_free): 1 for triangles that
// lie on a wall.
shoal_status render_attach(shoal_surface_mesh* mesh, const shoal_world* world, double spacing, int layer,
                           const shoal_exec* exec, uint8_t** is_flat);

#endif
