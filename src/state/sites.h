// SPDX-License-Identifier: MIT
// Where the particles of a body begin: on the lattice of the scene (laying.h), or as a settled
// random packing cut out by the shape.
#ifndef SHOAL_SITES_H
#define SHOAL_SITES_H

#include "state/laying.h"
#include "state/packing.h"

// Calls emit for each place of a body, until it returns false; *taken tells the places that are
// the shape's but for solids. A packed body holds the spheres of the packing whose
// centres are in its shape and not in, or all but in, a solid: obstacles as they stand at t = 0,
// walls, and bodies that are not of the same packing. Bodies of the same packing continue each
// other. On the lattice rank and overlap are 0. Fails with SHOAL_ERR_INPUT when there are too many
// places to walk, and with SHOAL_ERR_MEMORY.
typedef bool (*shoal_body_fn)(void* user, int body, shoal_sphere place);
shoal_status shoal_body_sites(const shoal_description* description, int body, shoal_body_fn emit, void* user,
                              shoal_taken* taken);

bool shoal_body_is_packed(const shoal_description* description, int body);

// One place of a packed body.
typedef struct shoal_packed {
    shoal_sphere sphere;
    int          body;
} shoal_packed;

// Packed places as they were emitted, of all bodies together, pushed out of solids and off their
// images across periodic walls. Only those near one move, so what is deep in a body stays as it
// settled; one that could not get free has an overlap.
shoal_status shoal_packed_settle(const shoal_description* description, shoal_packed* places, int count);

#endif
