// SPDX-License-Identifier: MIT
// A particle that crosses a collider within a substep, or comes more than half through it, is on its other side at the
// end, or nearer to it, and would be pushed out there. Its way is followed in the frame of the collider, which may have
// moved as well.
#ifndef SHOAL_MAC_STOP_H
#define SHOAL_MAC_STOP_H

#include "mac/mac_solid.h"

// A particle this deep inside of a solid has hit it, in cells: less than half of a wall of 1.3
// spacings, but more than a chord of a cell is below a surface with a radius of a cell.
#define MAC_DEEP 0.15
// The same of one that is two cells thick or more: the nearest surface is surely the one it came through.
#define MAC_DEEP_THICK 0.5

// Between a wall and a solid that stands flush with it both push a particle to and fro, since there the solid's nearest
// surface is in the wall. If it is in such a seam after all: where a particle that comes along its way, but a cell away
// from walls, goes into the solid, as a touch by which it comes out; false if not.
bool mac_seam(const shoal_world* world, shoal_material_kind kind, const shoal_mac_passage* passage, shoal_v3 place,
              int i, double margin, shoal_touch* out);

void mac_stop_crossing(const shoal_world* world, shoal_material_kind kind, const shoal_mac_passage* passage,
                       const shoal_mac_particles* particles, int i, double margin);

#endif
