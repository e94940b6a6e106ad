// SPDX-License-Identifier: MIT
// Everything of libshoal, the simulation core. Files and runs on disk: shoal/files.h.
#ifndef SHOAL_SHOAL_H
#define SHOAL_SHOAL_H

#include "shoal/base.h"
#include "shoal/param.h"
#include "shoal/scene.h"
#include "shoal/sim.h"

#endif
