// SPDX-License-Identifier: MIT
#include "state/description.h"

#include "base/memory.h"

void shoal_description_free(shoal_description* description) {
    if (!description) return;
    for (int k = 0; k < description->body_count; k++)
        shoal_shape_destroy(description->bodies[k].shape);
    for (int k = 0; k < description->obstacle_count; k++) {
        shoal_shape_destroy(description->obstacles[k].shape);
        shoal_free(description->obstacles[k].keys);
    }
    for (int k = 0; k < description->emitter_count; k++)
        shoal_shape_destroy(description->emitters[k].shape);
    for (int k = 0; k < description->sink_count; k++)
        shoal_shape_destroy(description->sinks[k].shape);
    shoal_free(description->materials);
    shoal_free(description->bodies);
    shoal_free(description->obstacles);
    shoal_free(description->emitters);
    shoal_free(description->sinks);
    shoal_free(description->probes);
    shoal_free(description->solver_params);
    *description = (shoal_description){0};
}
