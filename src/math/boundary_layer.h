// SPDX-License-Identifier: MIT
// Skin friction: what a boundary layer too thin to be resolved takes from the liquid beside a smooth wall.
#ifndef SHOAL_BOUNDARY_LAYER_H
#define SHOAL_BOUNDARY_LAYER_H

#include "math/vec.h"

// Shear at a smooth wall over density, m^2/s^2, where the liquid `y` (m) away moves with `speed` (m/s); `viscosity` in
// m^2/s. Linear up to y+ = 11.8, beyond u+ = 8.3 y+^(1/7) [Werner & Wengle 1991], the law of Blasius.
SHOAL_FN float shoal_boundary_layer_shear(float speed, float y, float viscosity) {
    const float sublayer = 11.81f, power = 8.3f;
    if (speed * y <= sublayer * sublayer * viscosity) return viscosity * speed / y;
    float x = speed / power, root = sqrtf(x);
    return x * root * sqrtf(root) * sqrtf(sqrtf(viscosity / y));
}

#endif
