// SPDX-License-Identifier: MIT
// The passes as loops, plain and wide.
#include "solvers/grains/grains_local.h"

static void advance_loop(const void* view, int begin, int end) {
    const grains_view* v       = view;
    int                block   = begin / GRAINS_BLOCK;
    double*            push    = v->block_push + (size_t)block * 3 * (size_t)v->world->collider_count;
    float              fastest = 0.0f, odd = 0.0f;
    for (size_t row = v->lists.row[begin / SHOAL_LANES]; row < v->lists.row[(end + SHOAL_LANES - 1) / SHOAL_LANES];
         row++)
        grains_waken(&v->lists, row);
    for (int i = begin; i < end; i++) grains_note(&fastest, &odd, grains_advance(v, i, push));
    v->block_speed2[block] = (double)(fastest + odd);
}

// Touching grains, deepest overlap and energy of the springs, for the fields; once per step.
static void gauge_loop(const void* view, int begin, int end) {
    const grains_view* v = view;
    for (int i = begin; i < end; i++) {
        float touching = 0.0f, deepest = 0.0f, energy = 0.0f;
        GRAINS_EACH_SLOT(v->lists, i, slot) {
            float overlap;
            int   j = v->lists.index[slot];
            grains_apart(v, i, j, &overlap);
            if (v->is_wet) energy += 0.5f * grains_bridge_energy(v, i, j, -overlap); // the other half is the partner's
            if (overlap <= 0.0f) continue;
            touching += 1.0f;
            deepest = fmaxf(deepest, overlap);
            energy += 0.5f * grains_spring_energy(v, overlap, v->lists.held[slot]);
        }
        for (int k = 0; k < v->lists.solids[i]; k++) {
            shoal_v3 normal;
            float    overlap = v->place[i].w - grains_solid_distance(v, i, grains_solid_of(v, i, k), &normal);
            if (overlap <= 0.0f) continue;
            touching += 1.0f;
            deepest = fmaxf(deepest, overlap);
            energy += grains_spring_energy(v, overlap, v->lists.held[v->lists.solid[i] + (size_t)k]);
        }
        v->coordination[i] = touching;
        v->overlap[i]      = deepest;
        v->elastic[i]      = energy;
    }
}

#define X(name) name##_loop,
static const shoal_loop plain[GRAINS_PASS_COUNT] = {GRAINS_PASSES(X)};
#undef X

const shoal_passes grains_passes = {.block = GRAINS_BLOCK,
                                    .loops = {{[SHOAL_ISA_PLAIN] = plain, SHOAL_WIDE_ROWS(grains_loops)}}};
