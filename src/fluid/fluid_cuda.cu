// SPDX-License-Identifier: MIT
// Images across walls and the viscosity of thick liquids as kernels.
#include "exec/tables_cuda.h"

extern "C" {
#include "fluid/thick.h"
}

#define X(name) CUDA_PASS(halo_##name, shoal_halo_view, shoal_halo_##name)
SHOAL_HALO_PASSES(X)
#undef X
#define X(name) halo_##name,
static const cuda_launch halo_passes[] = {SHOAL_HALO_PASSES(X)};
#undef X
extern const cuda_table cuda_halo = {"halo", sizeof(shoal_halo_view), halo_passes, NULL, 0, NULL};

#define X(name) CUDA_PASS(thick_##name, shoal_thick_view, shoal_thick_##name)
SHOAL_THICK_PASSES(X)
#undef X
#define X(name) CUDA_SUM(thick_##name, shoal_thick_view, shoal_thick_##name)
SHOAL_THICK_SUMS(X)
#undef X
#define X(name) thick_##name,
static const cuda_launch thick_passes[] = {SHOAL_THICK_PASSES(X)};
#undef X
#define X(name) {thick_##name, CUDA_SUM},
static const cuda_fold thick_folds[] = {SHOAL_THICK_SUMS(X)};
#undef X
extern const cuda_table cuda_thick = {"thick", sizeof(shoal_thick_view), thick_passes, thick_folds, CUDA_COUNT(thick_folds), NULL};
