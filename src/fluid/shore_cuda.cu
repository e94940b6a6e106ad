// SPDX-License-Identifier: MIT
// Boundary samples in reach, and what solids feel of SPH water, as kernels.
#include "exec/tables_cuda.h"

extern "C" {
#include "fluid/load_pass.h"
#include "fluid/shore_pass.h"
}

#define X(name) CUDA_PASS(shore_##name, shoal_shore_view, shoal_shore_##name)
SHOAL_SHORE_PASSES(X)
#undef X
#define X(name) shore_##name,
static const cuda_launch shore_passes[] = {SHOAL_SHORE_PASSES(X)};
#undef X
extern const cuda_table cuda_shore = {"shore", sizeof(shoal_shore_view), shore_passes, NULL, 0, NULL};

#define X(name) CUDA_PASS(load_##name, shoal_load_view, shoal_load_##name)
SHOAL_LOAD_PASSES(X)
#undef X
#define X(name) load_##name,
static const cuda_launch load_passes[] = {SHOAL_LOAD_PASSES(X)};
#undef X
extern const cuda_table cuda_load = {"load", sizeof(shoal_load_view), load_passes, NULL, 0, NULL};
