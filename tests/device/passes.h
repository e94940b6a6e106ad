// SPDX-License-Identifier: MIT
// All passes of all solvers, and the laws per item of flip, whose passes go by blocks of samples: PASS(name, view, one)
// for each, where one(const view*, int) is what happens to item i.
//
// Not here, since they are no passes over items: *_wide.c (passes on vectors of 16 floats), what mac/, granular/ and
// grid/ do by blocks of samples (transfers, projection, sweeps, multigrid), searches, sorting, and matrices.
#include "fluid/load_pass.h"
#include "fluid/boundary_pass.h"
#include "fluid/thick.h"
#include "fluid/water_pass.h"
#include "grid/grid_pass.h"
#include "math/drag.h"
#include "screen/screen_view_pass.h"
#include "solvers/grains/grains_passes.h"
#include "solvers/minimal/minimal_pass.h"
#include "solvers/pbf/pbf_pass.h"
#include "solvers/porous/porous_pass.h"
#include "solvers/porous/porous_pool_pass.h"
#include "solvers/porous/porous_pore_pass.h"
#include "state/set_pass.h"
#include "surface/surface_far_pass.h"

PASS(minimal_does_fly, minimal_view, minimal_fly)
PASS(minimal_does_bounce, minimal_view, minimal_bounce)

#define X(name) PASS(pbf_does_##name, pbf_view, pbf_##name)
PBF_PASSES(X)
#undef X

#define X(name) PASS(grid_does_##name, shoal_grid_view, shoal_grid_##name)
SHOAL_GRID_PASSES(X)
#undef X

#define X(name) PASS(halo_does_##name, shoal_halo_view, shoal_halo_##name)
SHOAL_HALO_PASSES(X)
#undef X

#define X(name) PASS(thick_does_##name, shoal_thick_view, shoal_thick_##name)
SHOAL_THICK_PASSES(X)
#undef X

PASS(set_does_permute, shoal_permute_view, shoal_permute_item)

#define X(name) PASS(water_does_##name, shoal_water_view, shoal_water_##name)
SHOAL_WATER_PASSES(X)
#undef X

#define X(name) PASS(boundary_does_##name, shoal_boundary_view, shoal_boundary_##name)
SHOAL_BOUNDARY_PASSES(X)
#undef X

#define X(name) PASS(load_does_##name, shoal_load_view, shoal_load_##name)
SHOAL_LOAD_PASSES(X)
#undef X

#define X(name) PASS(porous_does_##name, porous_view, porous_##name)
POROUS_PASSES(X)
#undef X

#define X(name) PASS(pool_does_##name, porous_pool_view, porous_pool_##name)
POROUS_POOL_PASSES(X)
#undef X

PASS(pore_does_measure, porous_pore_view, pore_measure)
PASS(pore_does_shape, porous_pore_view, pore_shape)
PASS(pore_does_find_mobility, porous_pore_view, pore_find_mobility)
PASS(pore_does_join, porous_pore_view, pore_join)
PASS(pore_does_balance, porous_pore_view, pore_balance)
PASS(pore_does_apply_pressure, porous_pore_view, pore_apply_pressure)
PASS(pore_does_review, porous_pore_view, pore_review)
PASS(pore_does_limit, porous_pore_view, pore_limit)
PASS(pore_does_move, porous_pore_view, pore_move)
PASS(pore_does_store_results, porous_pore_view, pore_store_results)
PASS(pore_does_carry, porous_pore_view, pore_carry)

SHOAL_FN void grains_advance_one(const grains_view* v, int i) {
    v->block_speed2[i] = (double)grains_advance(v, i);
    grains_feel(v, i);
}
PASS(grains_does_advance, grains_view, grains_advance_one)
PASS(grains_does_gauge, grains_view, grains_gauge)
#define X(name) PASS(grains_does_##name, grains_state, grains_##name)
GRAINS_ITEM_PASSES(X)
X(thin)
X(fill_solids)
#undef X
#define X(name) PASS(among_does_##name, grains_among, grains_##name)
GRAINS_AMONG_PASSES(X)
#undef X

typedef struct drag_view {
    shoal_drag_liquid liquid;
    const float *     pores, *speed;
    float *           bed, *sphere;
} drag_view;
SHOAL_FN void drag_one(const drag_view* v, int i) {
    v->bed[i]    = shoal_drag_gidaspow(&v->liquid, v->pores[i], v->speed[i]);
    v->sphere[i] = shoal_drag_sphere(&v->liquid, v->pores[i], v->speed[i]);
}
PASS(drag_does_act, drag_view, drag_one)

#define X(name) PASS(screen_does_##name, screen_view, screen_##name)
SCREEN_PASSES(X)
#undef X

#define X(name) PASS(surface_does_##name, surface_far_view, surface_far_##name)
SURFACE_FAR_PASSES(X)
#undef X
