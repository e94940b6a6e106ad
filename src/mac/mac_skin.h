// SPDX-License-Identifier: MIT
// Skin friction: what the boundary layer at a wall, thinner than a cell, takes from the liquid beside it.
#ifndef SHOAL_MAC_SKIN_H
#define SHOAL_MAC_SKIN_H

#include "mac/mac.h"

// Shear at a smooth wall over density, m^2/s^2, where the liquid `y` (m) away moves with `speed` (m/s); `viscosity` in
// m^2/s. Linear up to y+ = 11.8, beyond u+ = 8.3 y+^(1/7) [Werner & Wengle 1991], the law of Blasius.
float shoal_skin_shear(float speed, float y, float viscosity);

// Faces of liquid along walls and obstacles that drag (shoal_touch.drags) lose of u what their old velocity loses in `dt`.
void shoal_mac_skin(shoal_mac* mac, const shoal_exec* exec, const shoal_world* world, float viscosity, float dt);

#endif
