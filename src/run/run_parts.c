// SPDX-License-Identifier: MIT
// The parts of a run's frames: their names, and their contents from the sets of the simulation.
#include "run/run_local.h"

#include "sim/shown.h"
#include "solvers/registry.h"

#include <stdio.h>
#include <string.h>

void run_parts_name(const shoal_description* description, run_parts* out) {
    const shoal_set_def* sets = shoal_solver_find(description->solver)->sets;
    *out                      = (run_parts){0};
    out->count                = shoal_parts_of(sets, description, out->parts);
    for (int k = 0; k < out->count; k++) {
        const shoal_part* part    = &out->parts[k];
        bool              is_only = out->count == 1;
        snprintf(out->rooms[k], sizeof out->rooms[k], "%s%.40s%s", is_only ? "" : ".",
                 is_only ? "" : sets[part->set].name, shoal_frame_suffix(part->corners));
        out->endings[k] = out->rooms[k];
    }
}

shoal_status run_frame_path(const run* r, int frame, const char* ending, char out[SHOAL_PATH_ROOM]) {
    return shoal_path_make(out, "%s/frames/%s_%06d%s", r->folder, r->stem, frame, ending);
}

// The fields of a set that frames show, but for corners, which are the cells, and places of these: points have places.
static shoal_status copy_fields(const shoal_sim* sim, const shoal_set* set, bool are_points, shoal_parcels* parcels,
                                shoal_frame_table* out) {
    for (int f = 0; f < set->field_count; f++) {
        const shoal_field*     field = &set->fields[f];
        const shoal_field_def* def   = &field->def;
        bool is_place = strcmp(def->name, "position") == 0, are_corners = strcmp(def->name, "corners") == 0;
        if (is_place ? !are_points : are_corners || !shoal_sim_shows(sim, set, field)) continue;
        SHOAL_TRY(shoal_frame_add(out, &(shoal_frame_source){def->name, def->unit, def->type, def->width, NULL}));
        shoal_field_copy(set, field, out->fields[out->field_count - 1].data, parcels);
    }
    return shoal_device_check(set->device); // what it could not fetch
}

shoal_status run_copy_part(const shoal_sim* sim, const shoal_part* part, double time, shoal_parcels* parcels,
                           shoal_frame** out) {
    const shoal_set *points = shoal_sim_set(sim, part->points), *cells = shoal_sim_set(sim, part->set);
    SHOAL_TRY(shoal_frame_create(points->count, time, out));
    SHOAL_TRY(copy_fields(sim, points, true, parcels, &(*out)->points));
    if (part->corners == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_frame_add_cells(*out, part->corners, cells->count, shoal_set_read(cells, "corners")));
    return copy_fields(sim, cells, false, parcels, &(*out)->cells);
}
