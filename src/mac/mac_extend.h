// SPDX-License-Identifier: MIT
// Velocities beyond the liquid.
#ifndef SHOAL_MAC_EXTEND_H
#define SHOAL_MAC_EXTEND_H

#include "mac/mac.h"

// Carries u and change outwards from the known faces by so many layers, and known with them. With `keeps` faces whose
// old velocity is saved keep it and take but the change: what particles at the surface carry is not replaced by what is
// below them, so that momentum is kept where they take u itself.
void shoal_mac_extend(shoal_mac* mac, const shoal_exec* exec, int layers, bool keeps);

#endif
