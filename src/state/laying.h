// SPDX-License-Identifier: MIT
// The lattice that bodies are laid on, and regions kept full are filled from: sites of distance d, anchored at domain
// min + d/2, or the origin + d/2.
#ifndef SHOAL_LAYING_H
#define SHOAL_LAYING_H

#include "state/world.h"

// What solids do to the sites of a shape.
typedef struct shoal_taken {
    int64_t within;   // sites in a solid
    int64_t beside;   // left out, since a particle there would stand in one
    int64_t overfull; // given all the same, for the sake of the body's volume: they are to be parted (sites.h)
} shoal_taken;

// Calls emit for each site whose centre is inside the shape, within the closed or periodic walls and half a spacing off
// walls and obstacles as they stand at t = 0; z slowest, x fastest; stops when it returns false. Fails with
// SHOAL_ERR_INPUT when the shape's bounds hold too many sites to walk, and with SHOAL_ERR_MEMORY.
typedef bool (*shoal_site_fn)(void* user, int body, shoal_d3 site);
shoal_status shoal_lattice_sites(const shoal_description* description, const shoal_shape* shape, double d,
                                 shoal_site_fn emit, void* user, shoal_taken* taken);
// The same for a body, with its own distance. Where obstacles cut cells of a liquid so that its sites would miss its
// volume, it has as many places in these cells as they have room for, cells with the most room first; so it does where
// the packed body of a continuum cuts them, which has as many as its volume.
shoal_status shoal_lattice_body_sites(const shoal_description* description, int body, shoal_site_fn emit, void* user,
                                      shoal_taken* taken);
// The volume of a shape within the walls and out of obstacles as they stand at t = 0, m^3, by cells of distance d:
// exact where planes along the axes cut them. Fails as shoal_lattice_sites.
shoal_status shoal_lattice_volume(const shoal_description* description, const shoal_shape* shape, double d,
                                  double* volume);
// Calls emit for the cells around the bodies of liquids of this distance that obstacles are near to, as far as three
// distances: which fraction of each is dry, and about which place.
typedef bool (*shoal_dry_fn)(void* user, shoal_d3 at, double fraction);
shoal_status shoal_lattice_dry(const shoal_description* description, double d, double near, shoal_dry_fn emit,
                               void* user);
// Whether a lattice site belongs to a shape: half-open, so a site on the face of two touching shapes is in one only.
bool shoal_lattice_site_is_in(const shoal_description* description, const shoal_shape* shape, shoal_d3 site);

#endif
