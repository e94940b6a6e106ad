// SPDX-License-Identifier: MIT
// Water that touches a wall. A surface around particles ends about half a spacing before what holds
// them, rounded and bumpy; seen through glass that is a gap full of lenses. Here it is pressed on.
#ifndef SHOAL_RENDER_PRESS_H
#define SHOAL_RENDER_PRESS_H

#include "exec/exec.h"
#include "shoal/surface.h"
#include "state/world.h"

// Moves vertices near closed walls and colliders onto them: onto the sides of the domain, and a
// little into the ground and colliders, so that nothing but water is between. `spacing` in metres.
void render_press(shoal_surface_mesh* mesh, const shoal_world* world, double spacing,
                  const shoal_exec* exec);

#endif
