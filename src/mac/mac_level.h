// SPDX-License-Identifier: MIT
// Where the liquid is: cells, a signed distance, and its volume.
#ifndef SHOAL_MAC_LEVEL_H
#define SHOAL_MAC_LEVEL_H

#include "mac/mac.h"
#include "state/description.h"

// After gather and solids: counts solids into the density.
void shoal_mac_count_solids(shoal_mac* mac, const shoal_exec* exec, bool is_liquid);
typedef enum shoal_mac_surface {
    SHOAL_MAC_GHOST,  // marked cells are liquid, but for those with less than half of their particles beside one with
                      // more: there the surface is below the centre
    SHOAL_MAC_MARKED, // marked cells alone are liquid (phi = -1/2 inside, +1/2 outside: the free surface lies on faces)
    SHOAL_MAC_LOOSE, // cells that are at least half full: grains farther apart do not touch; nor those above a gap at a
                     // solid
    SHOAL_MAC_SOAKED // the same of grains in a liquid, which fills such gaps
} shoal_mac_surface;
// Then fills phi and liquid.
void shoal_mac_level(shoal_mac* mac, const shoal_exec* exec, shoal_mac_surface surface);
// Makes liquid of a few cells of air that liquid and solids enclose (mac_gap.c).
void shoal_mac_fill_gaps(shoal_mac* mac, const shoal_exec* exec);
// And takes out what lies in sinks (mac_vent.c).
void shoal_mac_vent(shoal_mac* mac, const shoal_exec* exec, const shoal_description* description);

// Whether grains have met the solid below or above cell `at`, beyond its closed face along an axis to cell `solid`.
bool shoal_mac_is_met(const shoal_mac* mac, int at, int solid, int axis);

// The faces of a block along an axis that belong to a liquid cell and are not closed.
void shoal_mac_liquid_faces(const shoal_mac* mac, int block, int axis, uint64_t out[8]);

// Volume inside phi < 0 and outside solids, m^3.
double shoal_mac_volume(shoal_mac* mac, const shoal_exec* exec);

#endif
