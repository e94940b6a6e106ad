// SPDX-License-Identifier: MIT
// What a run will take of time and disk, from a small model of its scene (sim/trial.h): its cost,
// its substeps, and the bytes of its frame and state per particle.
#include "run/run_local.h"

#include "exec/exec.h"
#include "scene/scene_access.h"
#include "sim/shown.h"
#include "sim/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHECKPOINTS_MOST = 2 };
// Of a substep, what threads share: two are 1.65 to 2.16 times as fast as one in `shoal bench
// pbf-100k`, 1.84 in the median.
static const double shared = 0.91;
// Each particle is a vertex by itself in a .vtp: its number twice.
static const double vertex_bytes = 2.0 * sizeof(int32_t);
static const double head_bytes   = 1500.0; // of a .vtp, and its rows in tables and lists

typedef struct sizes {
    double frame, state; // bytes per particle
    double most;         // particles
    char   device[128];  // name of it, bytes that all of them take there, and that are free
    double far, far_free;
} sizes;

// Bytes of a part of a frame on disk.
static double part_bytes(const shoal_frame* part) {
    const shoal_frame_table* tables[] = {&part->points, &part->cells};
    double                   bytes    = part->corners ? (part->corners + 1.25) * sizeof(int32_t) * part->cells.count
                                                      : vertex_bytes * part->points.count;
    for (int t = 0; t < 2; t++)
        for (int f = 0; f < tables[t]->field_count; f++)
            bytes += (double)shoal_frame_item_size(&tables[t]->fields[f]) * tables[t]->count;
    return bytes;
}

static shoal_status measure(void* user, shoal_sim* model) {
    sizes*       s      = user;
    void*        bytes  = NULL;
    size_t       size   = 0;
    double       count  = fmax(shoal_trial_count(model), 1.0);
    shoal_status status = SHOAL_OK;
    shoal_part   parts[SHOAL_SETS_MOST];
    s->frame = 0.0;
    const char* name;
    size_t      free, all, used;
    if (shoal_sim_far_memory(model, &name, &free, &all, &used)) {
        snprintf(s->device, sizeof s->device, "%s", name);
        s->far      = shoal_sim_far_bytes(model, s->most);
        s->far_free = (double)(free + used);
    }
    for (int k = 0, parts_all = shoal_sim_parts(model, parts); k < parts_all && status == SHOAL_OK; k++) {
        shoal_frame* part = NULL;
        status            = run_copy_part(model, &parts[k], 0.0, NULL, &part);
        if (status == SHOAL_OK) s->frame += part_bytes(part) / count;
        shoal_frame_destroy(part);
    }
    if (status == SHOAL_OK) status = shoal_sim_save(model, &bytes, &size);
    s->state = (double)size / count;
    shoal_bytes_free(bytes, size);
    return status;
}

shoal_status shoal_run_forecast(const shoal_run_def* def, shoal_scene* scene, shoal_forecast* out) {
    *out = (shoal_forecast){0};
    if (def->sim.solver) SHOAL_TRY(shoal_scene_set_text(scene, "solver", def->sim.solver));
    shoal_description* d = NULL;
    SHOAL_TRY(shoal_scene_describe(scene, &d));
    shoal_scene_facts facts = shoal_scene_get_facts(scene);
    double            start = (double)facts.particles, emitted = 0.5 * (double)(facts.particles_most - facts.particles);
    sizes             each = {.most = (double)facts.particles_most};
    shoal_trial       trial;
    SHOAL_TRY(shoal_trial_make(&def->sim, d, start, emitted, measure, &each, &trial));

    int    last = def->last < 0 ? facts.frames : def->last, first = def->first < 0 ? 0 : def->first;
    double written     = floor((double)last / d->output.every) - ceil((double)first / d->output.every) + 1.0;
    double checkpoints = fmin(ceil((double)last / d->output.checkpoint), CHECKPOINTS_MOST);
    out->device_bytes  = each.far;
    out->device_free   = each.far_free;
    memcpy(out->device, each.device, sizeof out->device);
    out->threads   = shoal_exec_make(def->sim.threads).threads;
    out->particles = start + emitted;
    out->substeps  = trial.substeps;
    out->seconds_per_frame =
        trial.seconds * trial.substeps * (*each.device ? 1.0 : 1.0 - shared + shared / out->threads);
    out->seconds         = out->seconds_per_frame * last;
    out->bytes_per_frame = each.frame * out->particles + head_bytes;
    out->bytes = fmax(written, 0.0) * out->bytes_per_frame + checkpoints * each.state * (start + 2.0 * emitted);
    return SHOAL_OK;
}
