// SPDX-License-Identifier: MIT
// Within tet/: how the parts of a liquid share its meshes.
#ifndef SHOAL_TET_LIQUID_LOCAL_H
#define SHOAL_TET_LIQUID_LOCAL_H

#include "tet/liquid.h"

// Makes the mesh of a stage, once its band is there.
shoal_status liquid_make_mesh(shoal_tet_liquid* liquid, shoal_tet_stage* stage, const shoal_tet_solids* solids,
                              const shoal_exec* exec);
// Says who is beside whom in the mesh of a stage, if that is not known: in the memory of the other's, of which it is
// not known any more, unless both must be.
shoal_status liquid_join_mesh(shoal_tet_liquid* liquid, shoal_tet_stage* stage, bool are_both, const shoal_exec* exec);

#endif
