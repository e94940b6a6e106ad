// SPDX-License-Identifier: MIT
// Boundary samples in reach, and what solids feel of SPH water, as kernels.
#include "exec/tables_cuda.h"

extern "C" {
#include "fluid/load_pass.h"
#include "fluid/boundary_pass.h"
}

#define TABLE boundary
#define TABLE_VIEW shoal_boundary_view
#define TABLE_ONE(name) shoal_boundary_##name
#define TABLE_PASSES SHOAL_BOUNDARY_PASSES
#include "exec/table_cuda.h"

#define TABLE load
#define TABLE_VIEW shoal_load_view
#define TABLE_ONE(name) shoal_load_##name
#define TABLE_PASSES SHOAL_LOAD_PASSES
#include "exec/table_cuda.h"
