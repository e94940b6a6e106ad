// SPDX-License-Identifier: MIT
// Velocities beyond the liquid.
#ifndef SHOAL_MAC_EXTEND_H
#define SHOAL_MAC_EXTEND_H

#include "mac/mac.h"

// Carries u and change outwards from the known faces by so many layers, and known with them.
void shoal_mac_extend(shoal_mac* mac, const shoal_exec* exec, int layers);

#endif
