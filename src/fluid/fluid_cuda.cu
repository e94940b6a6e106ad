// SPDX-License-Identifier: MIT
// Images across walls and the viscosity of thick liquids as kernels.
#include "exec/tables_cuda.h"

extern "C" {
#include "fluid/thick.h"
}

#define TABLE halo
#define TABLE_VIEW shoal_halo_view
#define TABLE_ONE(name) shoal_halo_##name
#define TABLE_PASSES SHOAL_HALO_PASSES
#include "exec/table_cuda.h"

#define TABLE thick
#define TABLE_VIEW shoal_thick_view
#define TABLE_ONE(name) shoal_thick_##name
#define TABLE_PASSES SHOAL_THICK_PASSES
#define TABLE_SUMS SHOAL_THICK_SUMS
#include "exec/table_cuda.h"
