// SPDX-License-Identifier: MIT
// Skin friction: what the boundary layer at a wall, thinner than a cell, takes from the liquid beside it.
#ifndef SHOAL_MAC_BOUNDARY_LAYER_H
#define SHOAL_MAC_BOUNDARY_LAYER_H

#include "mac/mac.h"
#include "math/boundary_layer.h"

// Faces of liquid along walls and obstacles that drag (shoal_touch.drags) lose of u what their old velocity loses in
// `dt`.
void shoal_mac_boundary_layer(shoal_mac* mac, const shoal_exec* exec, const shoal_world* world, float viscosity,
                              float dt);

#endif
