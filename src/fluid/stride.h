// SPDX-License-Identifier: MIT
// The stride: the time in which the fastest that a scene allows goes 0.4 d, about the longest
// substep of a particle fluid. What would act once per substep acts once per stride instead, so
// that the length of substeps does not change the liquid.
#ifndef SHOAL_STRIDE_H
#define SHOAL_STRIDE_H

#include <math.h>

#include "state/solver.h"

double shoal_obstacles_speed(const shoal_description* description); // of the fastest, m/s
// The largest speed that falling from the top of all liquid to the floor, forces, its own velocity,
// the fastest obstacle, or the pull between particles can give, which presses with 5 sigma/d
// (measured inside of drops, 4.8 for both pulls); m/s.
double shoal_liquid_speed(const shoal_description* description, bool has_tension);

// Adds a warning where liquids of the scene differ so much in density that a light one under a
// heavy one is thrown.
void shoal_density_warning(const shoal_description* description, char* buffer, size_t size);
// A refusal, where they differ so much that floats cannot hold both.
bool shoal_density_refuses(const shoal_description* description, char* buffer, size_t size);

// The same where a liquid that is said to be thicker than water flows as if it were far thicker
// still, since XSPH acts as a viscosity of `smoothing`, m^2/s.
void shoal_viscosity_warning(const shoal_description* description, double smoothing, char* buffer, size_t size);

static inline double shoal_stride(double d, double speed) { return 0.4 * d / speed; }

// The part in a substep of what takes the fraction c in a stride, however many substeps that is.
static inline double shoal_fraction_in(double c, double dt, double stride) { return 1.0 - pow(1.0 - c, dt / stride); }

#endif
