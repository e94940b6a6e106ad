// SPDX-License-Identifier: MIT
#include "sim/shown.h"

#include "exec/device.h"
#include "sim/sim_local.h"

#include <stdio.h>
#include <string.h>

int shoal_sim_parts(const shoal_sim* sim, shoal_part out[SHOAL_SETS_MOST]) {
    return shoal_parts_of(sim->type->sets, sim->description, out);
}

const shoal_set* shoal_sim_set(const shoal_sim* sim, int index) { return sim->ctx.sets[index]; }

const shoal_world* shoal_sim_world(const shoal_sim* sim) { return sim->world; }

bool shoal_sim_far_memory(const shoal_sim* sim, const char** name, size_t* free, size_t* all, size_t* used) {
    const shoal_device* device = sim->ctx.exec.device;
    if (!device) return false;
    *name = device->name;
    device->memory(device, free, all, used);
    return true;
}

// Far sides have room for a 32nd more than there are.
double shoal_sim_far_bytes(const shoal_sim* sim, double particles) {
    const shoal_set* set  = sim->ctx.particles;
    double           each = 0.0;
    for (int f = 0; f < set->field_count; f++)
        each += (double)set->fields[f].size * (set->fields[f].def.role == SHOAL_SCRATCH ? 1.0 : 2.0);
    double extra = sim->type->extra_bytes ? sim->type->extra_bytes(sim->description, fmax(particles, 1.0)) : 0.0;
    return each * particles * 33.0 / 32.0 + extra;
}

shoal_status shoal_sim_fetched(const shoal_sim* sim) { return shoal_device_check(sim->ctx.exec.device); }

bool shoal_sim_shows(const shoal_sim* sim, const shoal_set* set, const shoal_field* field) {
    return shoal_field_is_in_frames(sim->description, set->name, &field->def);
}

// ---------------------------------------------------------------------------------- views

static bool is_stored(const shoal_field* field) { return field->def.role != SHOAL_SCRATCH; }

static shoal_field_view view_of(const shoal_set* set, const shoal_field* field) {
    const shoal_field_def* def = &field->def;
    return (shoal_field_view){def->name,
                              def->unit,
                              def->help,
                              def->type,
                              set->count,
                              shoal_field_read(set, field),
                              def->width > 0 ? def->width : 1,
                              set->name};
}

int shoal_sim_set_count(const shoal_sim* sim) {
    int count = 0;
    while (sim->ctx.sets[count]) count++;
    return count;
}

// NULL: there is none.
static const shoal_set* set_at(const shoal_sim* sim, int index) {
    return index >= 0 && index < shoal_sim_set_count(sim) ? sim->ctx.sets[index] : NULL;
}

shoal_status shoal_sim_set_at(const shoal_sim* sim, int index, shoal_set_view* out) {
    const shoal_set* set = set_at(sim, index);
    if (!set) return shoal_fail(SHOAL_ERR_PARAM, "set %d: there are %d", index, shoal_sim_set_count(sim));
    *out = (shoal_set_view){.name = set->name, .count = set->count};
    for (int f = 0; f < set->field_count; f++) out->field_count += is_stored(&set->fields[f]);
    return SHOAL_OK;
}

shoal_status shoal_sim_field_at(const shoal_sim* sim, int set_index, int index, shoal_field_view* out) {
    const shoal_set* set = set_at(sim, set_index);
    int              at  = 0;
    if (!set) return shoal_fail(SHOAL_ERR_PARAM, "set %d: there are %d", set_index, shoal_sim_set_count(sim));
    for (int f = 0; f < set->field_count; f++) {
        if (!is_stored(&set->fields[f]) || at++ != index) continue;
        *out = view_of(set, &set->fields[f]);
        return shoal_sim_fetched(sim); // it may have had to be fetched
    }
    return shoal_fail(SHOAL_ERR_PARAM, "field %d of %s: there are %d", index, set->name, at);
}

shoal_status shoal_sim_field(const shoal_sim* sim, const char* name, shoal_field_view* out) {
    char sets[256] = "";
    int  count     = 0;
    for (int k = 0; sim->ctx.sets[k]; k++) {
        const shoal_set* set       = sim->ctx.sets[k];
        bool             is_by_set = strchr(name, '.') != NULL;
        if (!is_by_set && !shoal_set_is_used(set->kinds, sim->description)) continue;
        for (int f = 0; f < set->field_count; f++) {
            if (!is_stored(&set->fields[f]) || !shoal_word_names(name, set->name, set->fields[f].def.name)) continue;
            size_t used = strlen(sets);
            snprintf(sets + used, sizeof sets - used, "%s%s.%s", count++ ? ", " : "", set->name,
                     set->fields[f].def.name);
            *out = view_of(set, &set->fields[f]);
        }
    }
    if (count == 1) return shoal_sim_fetched(sim);
    if (count == 0) return shoal_fail(SHOAL_ERR_PARAM, "there is no field '%s'", name);
    return shoal_fail(SHOAL_ERR_PARAM, "'%s' is a field of several sets; say which: %s", name, sets);
}

// A copy: memory of fields moves when they grow, and the next sort writes over what was there before the last.
shoal_status shoal_sim_field_hold(const shoal_sim* sim, const char* name, shoal_field_view* out) {
    shoal_field_view now;
    SHOAL_TRY(shoal_sim_field(sim, name, &now));
    size_t size = (size_t)now.count * (size_t)now.width * shoal_type_size(now.type);
    void*  copy = shoal_alloc(size + 1, 1);
    if (!copy) return SHOAL_ERR_MEMORY;
    if (size > 0) memcpy(copy, now.data, size);
    *out      = now;
    out->data = copy;
    return SHOAL_OK;
}

void shoal_sim_field_release(shoal_field_view* view) {
    shoal_free((void*)(uintptr_t)view->data);
    *view = (shoal_field_view){0};
}
