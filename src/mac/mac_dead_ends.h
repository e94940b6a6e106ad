// SPDX-License-Identifier: MIT
// Slivers of cells along inner edges of solids that are dead ends: all of their faces but one are so small that they
// count as closed.
#ifndef SHOAL_MAC_DEAD_ENDS_H
#define SHOAL_MAC_DEAD_ENDS_H

#include "mac/mac.h"

// Closes that one, too. Overwrites the tiles.
void mac_close_dead_ends(shoal_mac* mac, const shoal_exec* exec);

#endif
