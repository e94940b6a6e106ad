// SPDX-License-Identifier: MIT
// Coarse sand and rock: water comes through it so fast that what pores take in and give out within a substep would be
// more than free water can follow. There water stays free, and its particles pass through, braked (porous_pool_drag).
#include <math.h>
#include <stdio.h>

#include "solvers/porous/porous_local.h"

// How far water that falls through full sand may come in a substep, in spacings, so that free water can follow. Where
// substeps would have to be less than half of those at rest for that, sand is coarse, and fine again below half of it.
// Neither depends on what moves just now: water that comes out of all pores at once, or goes into them, throws the sand
// about.
#define WAY_MOST 0.02
#define COARSE_BELOW 0.01
#define SHORTEST 0.5

double porous_gravity(const shoal_description* description) {
    const double earth = 9.81, own = shoal_d3_length(description->gravity);
    return own > 0.0 ? own : earth;
}

// The flux of water that falls through it, m/s: a q + b q^2 = rho g.
static double falling(const shoal_description* description, porous_liquid liquid, const porous_pores* pores) {
    double a, b, weight = liquid.density * porous_gravity(description);
    porous_pores_drag(pores, pores->porosity, &a, &b);
    return 2.0 * weight / (a + sqrt(a * a + 4.0 * b * weight));
}

static bool is_sand(const shoal_description* description, int m) {
    return description->materials[m].kind == SHOAL_GRANULAR && description->materials[m].is_used;
}

// The shortest substep that sand may ask for, s; `given`: by the scene.
static double shortest_of(const shoal_description* description, const porous_params* params, double spacing,
                          double given) {
    return params->substeps > 0 ? given : SHORTEST * porous_dt_beside_obstacles(description, params, spacing);
}

// ---------------------------------------------------------------------------------- what is said of it

// How far water that falls through it comes in a substep at the start, in spacings.
static double way_at(const shoal_description* description, int m, double spacing) {
    const porous_params* params = description->solver_params;
    const porous_liquid  liquid = porous_liquid_of(description);
    const porous_pores   pores  = porous_pores_of(&description->materials[m], liquid);
    double               given  = 1.0 / (description->fps * (params->substeps > 0 ? (double)params->substeps : 1.0));
    return falling(description, liquid, &pores) * shortest_of(description, params, spacing, given) / spacing;
}

// The spacing above which it is fine, and below which coarse, m: the way falls with the spacing.
static double turning_point(const shoal_description* description, int m) {
    double low = 1e-9 * description->spacing, high = 1e9 * description->spacing;
    for (int k = 0; k < 100; k++) {
        double middle = sqrt(low * high);
        if (way_at(description, m, middle) > WAY_MOST)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool porous_coarse_remarks(const shoal_description* description, char* buffer, size_t size) {
    const double far = 100.0; // spacings so far away are of no use
    char         turn[64];
    size_t       used = 0;
    if (!porous_has_liquid(description)) return false;
    for (int m = 0; m < description->material_count; m++) {
        if (!is_sand(description, m) || used >= size) continue;
        double at = turning_point(description, m), by = at / description->spacing;
        snprintf(turn, sizeof turn, " (at a spacing %s %.2g m it is %s)", by > 1.0 ? "above" : "below", at,
                 by > 1.0 ? "fine" : "coarse");
        int added =
            snprintf(buffer + used, size - used, "%s%s is %s%s", used > 0 ? "; " : "", description->materials[m].name,
                     by > 1.0 ? "coarse: water passes through it as particles" : "fine: it holds water in its pores",
                     by < far && by > 1.0 / far ? turn : "");
        used += added > 0 ? (size_t)added : 0;
    }
    return used > 0;
}

bool porous_coarse_warns(const shoal_description* description, char* buffer, size_t size) {
    const double near = 2.0; // spacings that a scene is made at and tried at
    if (!porous_has_liquid(description)) return false;
    for (int m = 0; m < description->material_count; m++) {
        if (!is_sand(description, m)) continue;
        double at = turning_point(description, m), by = at / description->spacing;
        if (by > near || by < 1.0 / near) continue;
        shoal_add_line(
            buffer, size,
            by > 1.0 ? "materials.%s: is coarse at this spacing, water passes through it as particles; above %.2g m it "
                       "is fine, holds water in its pores, and moves otherwise: keep the spacing, or change %s"
                     : "materials.%s: is fine at this spacing, it holds water in its pores; below %.2g m it is coarse, "
                       "water passes through it as particles, and it moves otherwise: keep the spacing, or change %s",
            description->materials[m].name, at,
            description->materials[m].permeability > 0.0f ? "permeability" : "grain_size");
    }
    return buffer[0] != '\0';
}

// ---------------------------------------------------------------------------------- the choice

// The pressure that sand begins the next substep with: of coarse sand that of its grains, of fine sand that of its
// water, too.
static void turn_pressure(porous* s, int m) {
    const porous_view* v = &s->view;
    for (int i = 0; i < v->water.count; i++) {
        if (v->water.material[i] != m) continue;
        float water = s->coarse[m] ? -fmaxf(v->pore_pressure[i], 0.0f) : v->water_kappa[i] / v->water.pressure_scale;
        v->water.pressure[i] = fmaxf(v->water.pressure[i] + water, 0.0f);
    }
}

// As guests of the water, which is absorbed by what has become fine before the next substep: among its grains it would
// throw them.
static void turn_guests(porous* s) {
    porous_guests* guests = &s->pool->sand.guests;
    for (int k = 0; k < s->pool->sand.set->count; k++)
        guests->open[k] = s->open[s->view.water.material[guests->source[k]]];
}

// Whether the sand m is coarse from now on, where substeps are those of `dt`.
static bool is_coarse_now(const porous* s, int m, double dt) {
    const shoal_description* description = s->ctx->description;
    double                   d = description->spacing, shortest = shortest_of(description, &s->params, d, dt);
    return falling(description, s->wet.liquid, &s->wet.pores[m]) * shortest / d >
           (s->coarse[m] ? COARSE_BELOW : WAY_MOST);
}

void porous_coarse_choose(porous* s, double dt) {
    for (int m = 0; m < s->ctx->description->material_count && s->pool; m++)
        if (is_sand(s->ctx->description, m)) s->coarse[m] = is_coarse_now(s, m, dt);
    porous_coarse_apply(s);
}

void porous_coarse_turn(porous* s, double dt) {
    bool has_turned = false;
    for (int m = 0; m < s->ctx->description->material_count && s->pool; m++) {
        if (!is_sand(s->ctx->description, m) || is_coarse_now(s, m, dt) == (s->coarse[m] != 0)) continue;
        s->coarse[m] = !s->coarse[m];
        has_turned   = true;
        turn_pressure(s, m);
    }
    porous_coarse_apply(s);
    if (has_turned) turn_guests(s);
}

double porous_dt_of_pores(const porous* s) {
    double most = 0.0;
    for (int m = 0; m < s->ctx->description->material_count && s->pool; m++)
        if (is_sand(s->ctx->description, m) && !s->coarse[m])
            most = fmax(most, falling(s->ctx->description, s->wet.liquid, &s->wet.pores[m]));
    return WAY_MOST * s->ctx->description->spacing / (most + 1e-30);
}

void porous_coarse_apply(porous* s) {
    s->is_coarse = s->wet.is_fine = false;
    for (int m = 0; m < s->ctx->description->material_count; m++) {
        s->wet.pores[m].is_coarse = s->coarse[m] != 0;
        s->open[m]                = s->coarse[m] ? (float)s->wet.pores[m].porosity : 0.0f;
        s->is_coarse |= s->coarse[m] != 0;
        s->wet.is_fine |= is_sand(s->ctx->description, m) && !s->coarse[m];
    }
}
