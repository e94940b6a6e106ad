// SPDX-License-Identifier: MIT
// What a scene costs, by trying: small models of it are simulated for a moment on the machine at
// hand.
#ifndef SHOAL_TRIAL_H
#define SHOAL_TRIAL_H

#include "shoal/sim.h"
#include "state/description.h"

typedef struct shoal_trial {
    double substeps; // that a frame takes
    double seconds;  // of one thread for a substep of as many particles as there are in the mean
} shoal_trial;

// Told of a model while it is there, which has the fields of the scene's particles.
typedef shoal_status (*shoal_trial_fn)(void* user, shoal_sim* model);

// Of a scene with so many particles at the start, and so many that emitters will have added in the
// mean. Fails with SHOAL_ERR_INPUT where the scene has nothing to simulate.
shoal_status shoal_trial_make(const shoal_sim_def* def, const shoal_description* scene, double particles,
                              double emitted, shoal_trial_fn tell, void* user, shoal_trial* out);

// The particles of a model; of a liquid that has none as many as would fill its volume.
double shoal_trial_count(const shoal_sim* model);

#endif
