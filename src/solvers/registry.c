// SPDX-License-Identifier: MIT
#include "solvers/registry.h"

#include <string.h>

#include "solvers/flip/flip.h"
#include "solvers/grains/grains.h"
#include "solvers/minimal/minimal.h"
#include "solvers/pbf/pbf.h"
#include "solvers/porous/porous.h"
#include "solvers/sph/sph.h"
#include "solvers/tetra_paper/tetra_paper.h"

// A scene that names none gets the first that takes its materials.
const shoal_solver_type* const shoal_solver_types[] = {&pbf_type,    &flip_type,    &grains_type,      &sph_type,
                                                       &porous_type, &minimal_type, &tetra_paper_type, NULL};

const shoal_solver_type* shoal_solver_find(const char* name) {
    for (const shoal_solver_type* const* type = shoal_solver_types; *type; type++)
        if (strcmp((*type)->name, name) == 0) return *type;
    return NULL;
}
