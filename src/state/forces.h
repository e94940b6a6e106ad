// SPDX-License-Identifier: MIT
// What the forces of a scene, which act within shapes and times of their own, do to particles;
// gravity is the solvers' affair, but counts where the strongest of all is asked for.
#ifndef SHOAL_FORCES_H
#define SHOAL_FORCES_H

#include "state/description.h"
#include "state/set.h"

bool shoal_forces_act(const shoal_description* description, double from,
                      double until); // any of them, between these times, s
// The velocity that a particle there gains between these times, m/s.
shoal_v3 shoal_forces_gain(const shoal_description* description, int material, shoal_v3 x, double from, double until);
// The same for all particles of a set.
void shoal_forces_push(const shoal_description* description, const shoal_exec* exec, const shoal_set* set, double from,
                       double until);

// Bounds: gravity, a caller's force and all forces that act between these times, m/s^2; the speed that they can have
// given until t, m/s; and, for what is made for the fastest of the whole scene, the square of the
// speed that they give where walls end their way, m^2/s^2.
double shoal_forces_most(const shoal_description* description, double from, double until);
double shoal_forces_speed(const shoal_description* description, double t);
double shoal_forces_speed2(const shoal_description* description);

#endif
