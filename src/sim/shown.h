// SPDX-License-Identifier: MIT
// What a simulation has to show in a frame: views of its sets by the lists (state/part.h). For
// run/.
#ifndef SHOAL_SHOWN_H
#define SHOAL_SHOWN_H

#include "exec/device.h"
#include "shoal/sim.h"
#include "state/part.h"

// Returns how many parts there are.
int shoal_sim_parts(const shoal_sim* sim, shoal_part out[SHOAL_SETS_MOST]);
// A set of the simulation, by its place in the list.
const shoal_set* shoal_sim_set(const shoal_sim* sim, int index);
// Its solids, where they are now.
const struct shoal_world* shoal_sim_world(const shoal_sim* sim);
bool                      shoal_sim_shows(const shoal_sim* sim, const shoal_set* set, const shoal_field* field);

// Bytes that so many particles would take on the device, if there is one: an estimate of the kind of those of a scene.
double shoal_sim_far_bytes(const shoal_sim* sim, double particles);
// Name of the device, and its bytes: those that are free, all, and those that this simulation has taken. False: it runs
// on the CPU.
bool shoal_sim_far_memory(const shoal_sim* sim, const char** name, size_t* free, size_t* all, size_t* used);

// shoal_sim_save, but what lies on a device is only posted: the bytes are whole once the parcels are received, and may
// not be freed before that. NULL: fetched.
shoal_status shoal_sim_post(shoal_sim* sim, shoal_parcels* parcels, void** bytes, size_t* size);

// At the end of a run, whichever frame it ends with: warns of emitters that delivered too little and have not been
// reported yet, and of what the solver has to say.
void shoal_sim_tell_end(const shoal_sim* sim);

// Whether all that was asked for could be fetched from the device, if there is one.
shoal_status shoal_sim_fetched(const shoal_sim* sim);

#endif
