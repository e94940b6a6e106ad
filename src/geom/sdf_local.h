// SPDX-License-Identifier: MIT
// Shared by the files that make a distance field.
#ifndef SHOAL_SDF_LOCAL_H
#define SHOAL_SDF_LOCAL_H

#include "geom/sdf.h"

// Where the sign changes between two samples though no triangle is between them, a hole is being
// closed: makes the distances there those to the surface wrap = 1/2. Values are in cells; wrap is
// the winding number's size.
shoal_status sdf_close_holes(shoal_sdf* sdf, const float* wrap);

#endif
