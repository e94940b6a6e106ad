// SPDX-License-Identifier: MIT
// The solvers of the program `toys`, in the place of those of Shoal.
#include "toys.h"

#include "solvers/registry.h"

#include <string.h>

const shoal_solver_type* const shoal_solver_types[] = {&mesh_toy_type, &pair_toy_type, NULL};

const shoal_solver_type* shoal_solver_find(const char* name) {
    for (const shoal_solver_type* const* type = shoal_solver_types; *type; type++)
        if (strcmp((*type)->name, name) == 0) return *type;
    return NULL;
}
