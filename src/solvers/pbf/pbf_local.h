// SPDX-License-Identifier: MIT
// What the files of pbf/ share.
#ifndef SHOAL_PBF_LOCAL_H
#define SHOAL_PBF_LOCAL_H

#include "fluid/lattice.h"
#include "fluid/overturn.h"
#include "fluid/thick.h"
#include "solvers/pbf/pbf_pass.h"
#include "state/solver.h"

#define X(name) PBF_##name,
typedef enum pbf_pass { PBF_PASSES(X) PBF_PASS_COUNT } pbf_pass;
#undef X
#define X(name) PBF_sum_##name,
enum { PBF_SUMS(X) PBF_SUM_COUNT };
#undef X

extern const shoal_passes pbf_passes;
SHOAL_WIDE_LOOPS(pbf_loops) // of the passes that walk over neighbours

// What follows from the scene (pbf_design.c).
shoal_lattice pbf_lattice(const pbf_params* p, double d);
double        pbf_under_relaxation(const pbf_params* p);
int           pbf_sweeps_wanted(const pbf_params* p);
double        pbf_sweep_gain(const pbf_params* p);
double        pbf_support(const void* params, double spacing);
double        pbf_stride(const pbf_params* p, const shoal_description* description); // s
double        pbf_smoothing(const pbf_params*        p,
                            const shoal_description* description); // of XSPH, as a viscosity, m^2/s
bool          pbf_warns(const shoal_description* description, char* buffer, size_t size);
bool          pbf_refuses(const shoal_description* description, char* buffer, size_t size);

// What liquids do that are thick, or of unlike weight (pbf_liquids.c). After the pass `hold`, whose scale is that
// of pbf_hold_scale.
double pbf_hold_scale(double d, double h);
void   pbf_thicken(const shoal_exec* exec, const pbf_view* view, shoal_thick* thick, const shoal_halo* halo,
                   const shoal_thickness* liquids, double laplacian);
// After `commit`.
shoal_status pbf_overturn(pbf_view* view, const shoal_description* description, const shoal_exec* exec,
                          shoal_overturn_scratch* scratch, double* pairs);

// One sweep of coloured Gauss-Seidel over all constraints; leaves x* without contacts (pbf_sweep.c).
typedef struct pbf_colours {
    shoal_cells cells; // edge 2h: constraints of two cells of one colour share no particle
    int*        cell[8];
    int         cell_count[8];
    int         capacity;
} pbf_colours;
void         pbf_colours_free(pbf_colours* colours);
shoal_status pbf_colours_build(pbf_colours* colours, const shoal_exec* exec, const pbf_view* view);
void         pbf_sweep(const pbf_colours* colours, const shoal_exec* exec, const pbf_view* view);

#endif
