// SPDX-License-Identifier: MIT
// Coarse sand and rock: water comes through it so fast that what pores take in and give out within a substep would be
// more than free water can follow. There water stays free, and its particles pass through, braked (porous_pool_drag).
#include <math.h>

#include "solvers/porous/porous_local.h"

// How far water that falls through full sand comes in a substep, in spacings: above the first sand becomes coarse,
// below the second fine again, so that substeps of varying length do not turn it to and fro.
#define COARSE_ABOVE 0.02
#define COARSE_BELOW 0.01

// The flux of water that falls through it, m/s: a q + b q^2 = rho g. Without weight, as on earth: it is pushed then.
static double falling(const porous* s, const porous_pores* pores) {
    const double earth = 9.81, own = shoal_d3_length(s->ctx->description->gravity);
    double       a, b, weight = s->wet.liquid.density * (own > 0.0 ? own : earth);
    porous_pores_drag(pores, pores->porosity, &a, &b);
    return 2.0 * weight / (a + sqrt(a * a + 4.0 * b * weight));
}

void porous_coarse_choose(porous* s, double dt) {
    const shoal_description* description = s->ctx->description;
    for (int m = 0; m < description->material_count && s->pool; m++) {
        if (description->materials[m].kind != SHOAL_GRANULAR || !description->materials[m].is_used) continue;
        double way   = falling(s, &s->wet.pores[m]) * dt / description->spacing;
        s->coarse[m] = way > (s->coarse[m] ? COARSE_BELOW : COARSE_ABOVE);
    }
    porous_coarse_tell(s);
}

void porous_coarse_tell(porous* s) {
    s->is_coarse = s->wet.is_fine = false;
    for (int m = 0; m < s->ctx->description->material_count; m++) {
        const shoal_material* own     = &s->ctx->description->materials[m];
        bool                  is_sand = own->kind == SHOAL_GRANULAR && own->is_used;
        s->wet.pores[m].is_coarse     = s->coarse[m] != 0;
        s->open[m]                    = s->coarse[m] ? (float)s->wet.pores[m].porosity : 0.0f;
        s->is_coarse |= s->coarse[m] != 0;
        s->wet.is_fine |= is_sand && !s->coarse[m];
    }
}
