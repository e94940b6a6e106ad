// SPDX-License-Identifier: MIT
// What a flowing liquid does to grains in it: each law once. Single precision, and powers of our own (math/power.h).
#ifndef SHOAL_DRAG_H
#define SHOAL_DRAG_H

#include "math/power.h"

// The liquid, and the grains in it.
typedef struct shoal_drag_liquid {
    float density, viscosity; // kg/m^3, Pa s
    float diameter;           // of the grains, m
} shoal_drag_liquid;

// Of the flow through the pores n past one grain; the liquid's fraction of the speed, as for a bed [Wen & Yu 1966].
SHOAL_FN float shoal_drag_reynolds(const shoal_drag_liquid* of, float pores, float speed) {
    return pores * of->density * speed * of->diameter / fmaxf(of->viscosity, 1e-9f);
}

// Of one sphere, N per m/s: Stokes' law bent to fit spheres up to a Reynolds number of 5000, C = 24/Re (1 + 0.11 sqrt
// Re)^2 [Abraham 1970], raised among others by n^-1.65 [Wen & Yu 1966].
SHOAL_FN float shoal_drag_sphere(const shoal_drag_liquid* of, float pores, float speed) {
    float bent = 1.0f + 0.11f * sqrtf(shoal_drag_reynolds(of, pores, speed));
    return 3.0f * (float)SHOAL_PI * of->viscosity * of->diameter * bent * bent *
           (float)shoal_power((double)pores, -1.65);
}

// Of all grains in a cubic metre, kg/(m^3 s): packed ones [Ergun 1952].
SHOAL_FN float shoal_drag_ergun(const shoal_drag_liquid* of, float pores, float speed) {
    float solid = 1.0f - pores, d = of->diameter;
    return 150.0f * solid * solid * of->viscosity / (pores * d * d) + 1.75f * solid * of->density * speed / d;
}

// The same of grains that are apart [Wen & Yu 1966], with Schiller and Naumann's coefficient, 0.44 beyond Re = 1000.
SHOAL_FN float shoal_drag_wen_yu(const shoal_drag_liquid* of, float pores, float speed) {
    float reynolds = shoal_drag_reynolds(of, pores, speed), d = of->diameter;
    float each = reynolds > 1000.0f
                     ? 0.75f * 0.44f * pores * of->density * speed / d
                     : 18.0f * of->viscosity / (d * d) * (1.0f + 0.15f * (float)shoal_power((double)reynolds, 0.687));
    return (1.0f - pores) * each * (float)shoal_power((double)pores, -2.65);
}

// The one for packed grains, the other for those apart. Gidaspow 1994 changes over at pores of 0.8; here from one to
// the other between 0.7 and 0.8, without a jump.
SHOAL_FN float shoal_drag_gidaspow(const shoal_drag_liquid* of, float pores, float speed) {
    const float packed = 0.7f, apart = 0.8f;
    float       fraction = fminf(fmaxf((pores - packed) / (apart - packed), 0.0f), 1.0f);
    if (fraction == 0.0f) return shoal_drag_ergun(of, pores, speed);
    return (1.0f - fraction) * shoal_drag_ergun(of, pores, speed) + fraction * shoal_drag_wen_yu(of, pores, speed);
}

#endif
