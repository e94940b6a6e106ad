// SPDX-License-Identifier: MIT
// Making, looking at and taking down a simulation.
#include "shoal/sim.h"

#include <stdio.h>
#include <string.h>

#include "exec/device.h"
#include "grid/grid_pass.h"
#include "param/param.h"
#include "scene/scene_access.h"
#include "sim/shown.h"
#include "sim/sim_local.h"

enum { MADE_BY_DEFAULT = 0x5110a1 };

shoal_sim_def shoal_sim_def_default(void) {
    shoal_sim_def def = {.made_by_default = MADE_BY_DEFAULT};
    return def;
}

static shoal_status check_def(const shoal_sim_def* def) {
    if (def->made_by_default != MADE_BY_DEFAULT)
        return shoal_fail(SHOAL_ERR_PARAM, "shoal_sim_def was not made by shoal_sim_def_default");
    if (def->threads < 0 || def->threads > 1024)
        return shoal_fail(SHOAL_ERR_PARAM, "threads = %d is outside [0, 1024]", def->threads);
    return SHOAL_OK;
}

bool shoal_sim_stays_here(const shoal_sim* sim, char* why, size_t size) {
    if (!sim->type->device_passes) {
        snprintf(why, size, "solver %s has no passes for a device", sim->type->name);
        return true;
    }
    return shoal_solver_says(sim->type, SHOAL_HERE, sim->description, why, size);
}

static shoal_status choose_device(shoal_sim* sim, const char* name) {
    shoal_device** device  = &sim->ctx.exec.device;
    bool           is_auto = strcmp(name, "auto") == 0;
    char           why[256];
    if (strcmp(name, "cpu") == 0) return SHOAL_OK;
    if (is_auto && shoal_sim_stays_here(sim, why, sizeof why)) {
        shoal_log(SHOAL_LOG_INFO, "device auto is the CPU here: %s", why);
        return SHOAL_OK;
    }
    SHOAL_TRY(shoal_device_open(name, device));
    if (!*device) { // opened for `auto`, which never fails
        shoal_log(SHOAL_LOG_INFO, "device auto is the CPU here: %s", shoal_last_error());
        return SHOAL_OK;
    }
    if (shoal_sim_stays_here(sim, why, sizeof why))
        return shoal_fail(SHOAL_ERR_PARAM, "--device %.40s: %s; --device cpu does it", name, why);
    const shoal_passes* const shared[] = {&shoal_permute_passes, &shoal_particles_passes, &shoal_grid_passes, NULL};
    for (int k = 0; k < 2; k++)
        for (const shoal_passes* const* p = k == 0 ? shared : sim->type->device_passes; *p; p++)
            if (!(*device)->has(*device, *p))
                return shoal_fail(SHOAL_ERR_PARAM,
                                  "--device %.40s: its plugin does not have the passes '%s' of this build", name,
                                  (*p)->name);
    return SHOAL_OK;
}

// Before anything is computed there.
static shoal_status check_memory(const shoal_sim* sim) {
    const char* name;
    size_t      free, all, used;
    double      wanted = shoal_sim_far_bytes(sim, (double)sim->ctx.particles->count);
    if (!shoal_sim_far_memory(sim, &name, &free, &all, &used) || wanted <= (double)free) return SHOAL_OK;
    return shoal_fail(
        SHOAL_ERR_MEMORY,
        "device %s: about %.3g GB are wanted for %d particles, and %.3g of %.3g GB are free; take a larger "
        "spacing, or --device cpu",
        name, 1e-9 * wanted, sim->ctx.particles->count, 1e-9 * (double)free, 1e-9 * (double)all);
}

// Everything after the description: world, particles, solver.
static shoal_status build(shoal_sim* sim, const shoal_sim_def* def) {
    const shoal_description* description = sim->description;
    sim->type                            = shoal_solver_find(description->solver);
    SHOAL_ASSERT(sim->type);
    sim->ctx.description = description;
    sim->ctx.totals      = sim->clock.totals;
    sim->ctx.next_id     = &sim->clock.next_id;
    sim->ctx.streams     = shoal_sim_streams(sim);
    sim->ctx.exec        = shoal_exec_make(def->threads);
    sim->ctx.isa         = shoal_isa_best();
    if (def->isa) SHOAL_TRY(shoal_isa_by_name(def->isa, &sim->ctx.isa));
    SHOAL_TRY(choose_device(sim, def->device ? def->device : "cpu"));

    SHOAL_TRY(shoal_world_create(description, &sim->world));
    SHOAL_TRY(shoal_sim_touch_begin(sim));
    SHOAL_TRY(shoal_sim_columns_make(sim));
    shoal_world_move(sim->world, 0.0, 0.0);
    sim->ctx.world = sim->world;
    for (int k = 0; sim->type->sets[k].name; k++) {
        SHOAL_ASSERT(k < SHOAL_SETS_MOST - 1);
        SHOAL_TRY(shoal_set_create(&sim->type->sets[k], &sim->ctx.sets[k]));
        if (sim->ctx.exec.device) shoal_set_move_to(sim->ctx.sets[k], sim->ctx.exec.device);
    }
    SHOAL_TRY(shoal_sets_join(sim->ctx.sets));
    sim->ctx.particles   = sim->ctx.sets[0];
    sim->params          = shoal_alloc(1, sim->type->params_size);
    sim->emitters        = shoal_alloc((size_t)description->emitter_count + 1, sizeof *sim->emitters);
    sim->emitters_before = shoal_alloc((size_t)description->emitter_count + 1, sizeof *sim->emitters_before);
    if (!sim->params || !sim->emitters || !sim->emitters_before) return SHOAL_ERR_MEMORY;
    memcpy(sim->params, description->solver_params, sim->type->params_size);
    SHOAL_TRY(sim->type->create(&sim->ctx, sim->params, &sim->self));
    SHOAL_TRY(shoal_sim_fill(sim));
    SHOAL_TRY(check_memory(sim));
    if (sim->type->begin) SHOAL_TRY(sim->type->begin(sim->self));
    shoal_sim_stages_reset(sim); // they are those of substeps
    SHOAL_TRY(shoal_sim_watch_begin(sim));
    return SHOAL_OK;
}

shoal_status shoal_sim_create(const shoal_sim_def* def, shoal_scene* scene, shoal_sim** out) {
    *out = NULL;
    SHOAL_TRY(check_def(def));
    if (def->solver) SHOAL_TRY(shoal_scene_set_text(scene, "solver", def->solver));
    shoal_description* description;
    SHOAL_TRY(shoal_scene_take_description(scene, &description));
    return shoal_sim_take(def, description, out);
}

shoal_status shoal_sim_lend(const shoal_sim_def* def, shoal_description* description, shoal_sim** out) {
    *out           = NULL;
    shoal_sim* sim = shoal_alloc(1, sizeof *sim);
    if (!sim) return SHOAL_ERR_MEMORY;
    sim->description    = description;
    sim->is_lent        = true;
    shoal_status status = build(sim, def);
    if (status != SHOAL_OK)
        shoal_sim_destroy(sim);
    else
        *out = sim;
    return status;
}

shoal_status shoal_sim_take(const shoal_sim_def* def, shoal_description* description, shoal_sim** out) {
    shoal_status status = shoal_sim_lend(def, description, out);
    if (status == SHOAL_OK) {
        (*out)->is_lent = false;
    } else {
        shoal_description_free(description);
        shoal_free(description);
    }
    return status;
}

void shoal_sim_destroy(shoal_sim* sim) {
    if (!sim) return;
    if (sim->self) sim->type->destroy(sim->self);
    shoal_free(sim->obstacle_columns);
    shoal_free(sim->marks);
    shoal_sim_emit_free(sim);
    shoal_sim_touch_free(sim);
    shoal_free(sim->emitters_before);
    shoal_free(sim->emitters);
    shoal_free(sim->params);
    for (int k = 0; k < SHOAL_SETS_MOST; k++) shoal_set_destroy(sim->ctx.sets[k]);
    shoal_device_close(sim->ctx.exec.device);
    shoal_world_destroy(sim->world);
    if (!sim->is_lent) {
        shoal_description_free(sim->description);
        shoal_free(sim->description);
    }
    shoal_free(sim);
}

void shoal_sim_set_stop(shoal_sim* sim, shoal_stop_fn stop, void* user) {
    sim->stop      = stop;
    sim->stop_user = user;
}

double      shoal_sim_time(const shoal_sim* sim) { return sim->clock.time; }
int64_t     shoal_sim_steps(const shoal_sim* sim) { return sim->clock.steps; }
int64_t     shoal_sim_interval_steps(const shoal_sim* sim) { return sim->clock.interval_steps; }
int         shoal_sim_threads(const shoal_sim* sim) { return sim->ctx.exec.threads; }
const char* shoal_sim_isa(const shoal_sim* sim) { return shoal_isa_name(sim->ctx.isa); }
const char* shoal_sim_device(const shoal_sim* sim) { return sim->ctx.exec.device ? sim->ctx.exec.device->name : "cpu"; }
const char* shoal_sim_solver(const shoal_sim* sim) { return sim->type->name; }

const char* shoal_sim_material(const shoal_sim* sim, int index, double* spacing) {
    if (index < 0 || index >= sim->description->material_count) return NULL;
    if (spacing) *spacing = shoal_spacing_of(sim->description, index);
    return sim->description->materials[index].name;
}

int64_t shoal_sim_count(const shoal_sim* sim) {
    int64_t count = 0;
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) count += set->count;
    return count;
}

// ---------------------------------------------------------------------------------- parameters

static shoal_status find_param(const shoal_sim* sim, const char* name, const shoal_param_def** out) {
    *out = shoal_param_find(sim->type->params, name);
    if (*out) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_PARAM, "solver %s has no parameter '%s'", sim->type->name, name);
}

static shoal_status store(const shoal_param_def* def, void* params, double value) {
    bool may_be_auto = def->type == SHOAL_PARAM_AUTO_INT || def->type == SHOAL_PARAM_AUTO_FLOAT;
    if (may_be_auto && value == 0.0) return shoal_param_set_word(def, params, "auto");
    if (def->type != SHOAL_PARAM_WORD) return shoal_param_set_numbers(def, params, &value, 1);
    char        buffer[64];
    const char* word = value >= 0.0 && value < 64.0 ? shoal_param_word(def, (int)value, buffer, sizeof buffer) : NULL;
    if (!word) return shoal_fail(SHOAL_ERR_PARAM, "%s has no word number %g; it takes %s", def->name, value, def->unit);
    return shoal_param_set_word(def, params, word);
}

shoal_status shoal_sim_set_param(shoal_sim* sim, const char* name, double value) {
    const shoal_param_def* def;
    SHOAL_TRY(find_param(sim, name, &def));
    for (int k = 0; sim->type->laid_by && sim->type->laid_by[k]; k++)
        if (strcmp(def->name, sim->type->laid_by[k]) == 0)
            return shoal_fail(SHOAL_ERR_PARAM, "%s.%s cannot change while it runs: bodies were laid by it",
                              sim->type->name, def->name);
    char   buffer[256];
    double before = shoal_param_get(def, sim->params, 0);
    SHOAL_TRY(store(def, sim->params, value));
    memcpy(sim->description->solver_params, sim->params, sim->type->params_size);
    if ((sim->ctx.exec.device && shoal_sim_stays_here(sim, buffer, sizeof buffer)) ||
        shoal_solver_says(sim->type, SHOAL_REFUSAL, sim->description, buffer, sizeof buffer)) {
        store(def, sim->params, before);
        memcpy(sim->description->solver_params, sim->params, sim->type->params_size);
        return shoal_fail(SHOAL_ERR_PARAM, "%s", buffer);
    }
    sim->type->set_params(sim->self, sim->params);
    shoal_sim_touch_count(sim, SHOAL_TOUCH_set_param, 1);
    return SHOAL_OK;
}

shoal_status shoal_sim_get_param(const shoal_sim* sim, const char* name, double* out) {
    const shoal_param_def* def;
    SHOAL_TRY(find_param(sim, name, &def));
    *out = shoal_param_get(def, sim->params, 0);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- timings and totals

int shoal_sim_stages(const shoal_sim* sim, shoal_stage_time* out, int capacity) {
    static const char* const names[SHOAL_STAGE_COUNT] = {"integrate", "grid",     "neighbours",
                                                         "solve",     "velocity", "other"};
    if (sim->ctx.exec.device) sim->ctx.exec.device->tally(sim->ctx.exec.device);
    for (int k = 0; k < SHOAL_STAGE_COUNT && k < capacity; k++)
        out[k] = (shoal_stage_time){names[k], sim->ctx.stage_seconds[k]};
    return SHOAL_STAGE_COUNT;
}

void shoal_sim_stages_reset(shoal_sim* sim) {
    if (sim->ctx.exec.device) sim->ctx.exec.device->tally(sim->ctx.exec.device); // what is still to be added goes, too
    memset(sim->ctx.stage_seconds, 0, sizeof sim->ctx.stage_seconds);
}

double shoal_sim_neighbours(const shoal_sim* sim) {
    return sim->type->neighbours ? sim->type->neighbours(sim->self) : 0.0;
}

int64_t shoal_sim_bytes_per_particle(const shoal_sim* sim) {
    int64_t count = shoal_sim_count(sim);
    return count > 0 ? (int64_t)(shoal_memory_in_use() / (size_t)count) : 0;
}

int shoal_sim_removed(const shoal_sim* sim, const char** reasons, int64_t* counts, int capacity) {
#define X(name) #name,
    static const char* const names[] = {SHOAL_REASONS(X)};
#undef X
    for (int k = 0; k < SHOAL_REASON_COUNT && k < capacity; k++) {
        reasons[k] = names[k];
        counts[k]  = sim->clock.removed[k];
    }
    return SHOAL_REASON_COUNT;
}
