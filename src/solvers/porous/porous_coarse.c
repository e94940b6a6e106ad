// SPDX-License-Identifier: MIT
// Coarse sand and rock: water comes through it so fast that what pores take in and give out within a substep would be
// more than free water can follow. There water stays free, and its particles pass through, braked (porous_pool_drag).
#include <math.h>

#include "solvers/porous/porous_local.h"

// How far water that falls through full sand may come in a substep, in spacings, so that free water can follow. Where
// substeps would have to be less than half of those at rest for that, sand is coarse, and fine again below half of it.
// Neither depends on what moves just now: water that comes out of all pores at once, or goes into them, throws the sand
// about.
#define WAY_MOST 0.02
#define COARSE_BELOW 0.01
#define SHORTEST 0.5

double porous_gravity(const porous* s) {
    const double earth = 9.81, own = shoal_d3_length(s->ctx->description->gravity);
    return own > 0.0 ? own : earth;
}

// The flux of water that falls through it, m/s: a q + b q^2 = rho g.
static double falling(const porous* s, const porous_pores* pores) {
    double a, b, weight = s->wet.liquid.density * porous_gravity(s);
    porous_pores_drag(pores, pores->porosity, &a, &b);
    return 2.0 * weight / (a + sqrt(a * a + 4.0 * b * weight));
}

static bool is_sand(const porous* s, int m) {
    const shoal_material* own = &s->ctx->description->materials[m];
    return own->kind == SHOAL_GRANULAR && own->is_used;
}

void porous_coarse_choose(porous* s, double dt) {
    const shoal_description* description = s->ctx->description;
    double                   shortest    = s->params.substeps > 0 ? dt : SHORTEST * porous_dt_at_rest(s);
    for (int m = 0; m < description->material_count && s->pool; m++) {
        if (!is_sand(s, m)) continue;
        double way   = falling(s, &s->wet.pores[m]) * shortest / description->spacing;
        s->coarse[m] = way > (s->coarse[m] ? COARSE_BELOW : WAY_MOST);
    }
    porous_coarse_apply(s);
}

double porous_dt_of_pores(const porous* s) {
    double most = 0.0;
    for (int m = 0; m < s->ctx->description->material_count && s->pool; m++)
        if (is_sand(s, m) && !s->coarse[m]) most = fmax(most, falling(s, &s->wet.pores[m]));
    return WAY_MOST * s->ctx->description->spacing / (most + 1e-30);
}

void porous_coarse_apply(porous* s) {
    s->is_coarse = s->wet.is_fine = false;
    for (int m = 0; m < s->ctx->description->material_count; m++) {
        s->wet.pores[m].is_coarse = s->coarse[m] != 0;
        s->open[m]                = s->coarse[m] ? (float)s->wet.pores[m].porosity : 0.0f;
        s->is_coarse |= s->coarse[m] != 0;
        s->wet.is_fine |= is_sand(s, m) && !s->coarse[m];
    }
}
