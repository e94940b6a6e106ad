// SPDX-License-Identifier: MIT
// Particles to a closed mesh, with the checked parameters of the block `surface`.
#ifndef SHOAL_SURFACE_BUILD_H
#define SHOAL_SURFACE_BUILD_H

#include "exec/exec.h"
#include "shoal/surface.h"
#include "state/surface_params.h"

// As shoal_surface_make; `isa` never changes a bit of the result.
shoal_status shoal_surface_build(const shoal_surface_params*    params,
                                 const shoal_surface_particles* particles, const shoal_exec* exec,
                                 shoal_isa_kind isa, shoal_surface_mesh** out);

#endif
