// SPDX-License-Identifier: MIT
// Where emitters put particles.
#ifndef SHOAL_OUTLET_H
#define SHOAL_OUTLET_H

#include "state/world.h"

// Brings a place across periodic walls back into the domain; false where nothing can be: too near to a closed wall or a
// collider. `is_still`: those that move do not count.
bool shoal_place_exists(const shoal_world* world, double spacing, bool is_still, shoal_v3* p);

// Calls fn for each place of a layer of a disc whose centre is now there, until it returns false.
typedef bool (*shoal_outlet_fn)(void* user, shoal_d3 place);
void shoal_disc_places(const shoal_emitter* emitter, double spacing, shoal_d3 centre, shoal_outlet_fn fn, void* user);

#endif
