// SPDX-License-Identifier: MIT
// Bodies of liquids on the lattice that have places too near to obstacles, for the sake of their volume, are made even.
#ifndef SHOAL_EVEN_BODIES_H
#define SHOAL_EVEN_BODIES_H

#include "state/sites.h"

// All places of liquids on the lattice; those near obstacles move: half a spacing off them, and where all around is
// alike, the space beyond the body being taken for as full as it is. Of places that have not found room for both one is
// left out; *count becomes smaller by these.
shoal_status shoal_bodies_even(const shoal_description* description, shoal_packed* places, int* count);

#endif
