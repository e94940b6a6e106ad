// SPDX-License-Identifier: MIT
#include "sim/shown.h"

#include "sim/sim_local.h"

int shoal_sim_parts(const shoal_sim* sim, shoal_part out[SHOAL_SETS_MOST]) {
    return shoal_parts_of(sim->type->sets, out);
}

const shoal_set* shoal_sim_set(const shoal_sim* sim, int index) { return sim->ctx.sets[index]; }

bool shoal_sim_shows(const shoal_sim* sim, const shoal_set* set, const shoal_field* field) {
    return shoal_field_is_in_frames(sim->description, set->name, &field->def);
}
