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
        snprintf(out->texts[k], sizeof out->texts[k], "%s%.40s%s", is_only ? "" : ".",
                 is_only ? "" : sets[part->set].name, shoal_frame_suffix(part->corners));
        out->endings[k] = out->texts[k];
    }
}

shoal_status run_frame_path(const run* r, int frame, const char* ending, char out[SHOAL_PATH_SIZE]) {
    return shoal_path_make(out, "%s/frames/%s_%06d%s", r->folder, r->stem, frame, ending);
}

// A field that frames show, but for corners, which are the cells, and places of these: points have places.
static bool is_in_frames(const shoal_sim* sim, const shoal_set* set, const shoal_field* field, bool are_points) {
    const char* name = field->def.name;
    if (strcmp(name, "position") == 0) return are_points;
    return strcmp(name, "corners") != 0 && shoal_sim_shows(sim, set, field);
}

static shoal_status copy_fields(const shoal_sim* sim, const shoal_set* set, bool are_points, shoal_parcels* parcels,
                                shoal_frame_table* out) {
    for (int f = 0; f < set->field_count; f++) {
        const shoal_field*     field = &set->fields[f];
        const shoal_field_def* def   = &field->def;
        if (!is_in_frames(sim, set, field, are_points)) continue;
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

shoal_status run_far_part_make(const shoal_sim* sim, const shoal_part* part, double time, run_far_part* far_part,
                               shoal_frame** out) {
    const shoal_set* set = shoal_sim_set(sim, part->points);
    SHOAL_TRY(shoal_frame_create(set->count, time, out));
    for (int f = 0; f < set->field_count; f++) {
        const shoal_field*     field = &set->fields[f];
        const shoal_field_def* def   = &field->def;
        if (!is_in_frames(sim, set, field, true)) continue;
        SHOAL_TRY(
            shoal_frame_add(&(*out)->points, &(shoal_frame_source){def->name, def->unit, def->type, def->width, NULL}));
        void*       here = (*out)->points.fields[(*out)->points.field_count - 1].data;
        const void* far  = shoal_field_far(set, field);
        size_t      size = (size_t)set->count * field->size;
        if (!far) { // it is here alone
            shoal_field_copy(set, field, here, NULL);
            continue;
        }
        void* own = shoal_far_alloc(far_part->device, 1, size);
        if (!own) return SHOAL_ERR_MEMORY;
        far_part->fields[far_part->count++] = (struct run_far_part_field){def->name, own, here, size};
    }
    far_part->device->settle(far_part->device); // what was taken is there for the other queue
    for (int k = 0; k < far_part->count; k++) {
        const shoal_field* field = shoal_set_find(set, far_part->fields[k].name);
        set->device->copy(set->device, far_part->fields[k].far, shoal_field_far(set, field), far_part->fields[k].bytes);
    }
    set->device->settle(set->device);
    SHOAL_TRY(shoal_device_check(far_part->device));
    return shoal_device_check(set->device);
}

shoal_status run_far_part_fetch(run_far_part* far_part) {
    for (int k = 0; k < far_part->count && !far_part->is_here; k++)
        far_part->device->fetch(far_part->device, far_part->fields[k].here, far_part->fields[k].far,
                                far_part->fields[k].bytes);
    far_part->is_here = true;
    return shoal_device_check(far_part->device);
}

const void* run_far_part_find(const run_far_part* far_part, const char* name) {
    for (int k = 0; k < far_part->count; k++)
        if (strcmp(far_part->fields[k].name, name) == 0) return far_part->fields[k].far;
    return NULL;
}

void run_far_part_free(run_far_part* far_part) {
    for (int k = 0; k < far_part->count; k++) shoal_far_free(far_part->device, far_part->fields[k].far);
    far_part->count   = 0;
    far_part->is_here = false;
}
