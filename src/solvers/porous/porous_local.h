// SPDX-License-Identifier: MIT
// What the files of porous/ share.
#ifndef SHOAL_POROUS_LOCAL_H
#define SHOAL_POROUS_LOCAL_H

#include "solvers/porous/porous_params.h"
#include "solvers/porous/porous_pass.h"

#define X(name) POROUS_##name,
typedef enum porous_pass { POROUS_PASSES(X) POROUS_PASS_COUNT } porous_pass;
#undef X

typedef void (*porous_loop)(const porous_view* view, int begin, int end);
extern const porous_loop porous_loops_plain[POROUS_PASS_COUNT];

enum { POROUS_PARTICLES, POROUS_LOADS, POROUS_ONCE, POROUS_SETS }; // of the state, in its order

// Of the interval.
enum { POROUS_LEDGER_SECONDS, POROUS_LEDGER_STEPS, POROUS_LEDGER_SWEEPS, POROUS_LEDGER_UNSOLVED };

typedef struct porous {
    shoal_sim_context* ctx;
    porous_params      params;
    shoal_water        water; // lists, images, samples of solids
    porous_view        view;
    porous_sand*       sands;     // [materials]
    int                sweeps;    // of the last substep
    bool               is_solved; // whether they met the tolerance
    shoal_water_force* felt;      // [colliders] impulses of this interval, of the set of loads
    int64_t*           steps;     // substeps since the start, of the set `once`
} porous;

void                     porous_report(const void* self, double* stats); // porous_report.c
extern const char* const porous_stats[];

#endif
