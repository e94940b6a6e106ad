// SPDX-License-Identifier: MIT
// Grains and water particles that are near each other (grains_among_pass.h).
#include "solvers/grains/grains_local.h"

#include <string.h>

// ---------------------------------------------------------------------------------- neighbours

// Meetings by grain, in the order of the particles.
static void pair_up(grains* s) {
    grains_pairs* w     = &s->water->pairs;
    int           count = s->all.view.count, water = s->water->sph.view.count;
    memset(w->pair_first, 0, (size_t)(count + 1) * sizeof *w->pair_first);
    for (int i = 0; i < water; i++)
        for (int k = 0; k < w->meet_count[i]; k++) w->pair_first[w->meet[w->meet_first[i] + k].grain + 1]++;
    for (int g = 0; g < count; g++) w->pair_first[g + 1] += w->pair_first[g];
    for (int i = 0; i < water; i++)
        for (int k = 0; k < w->meet_count[i]; k++)
            w->pair_meet[w->pair_first[w->meet[w->meet_first[i] + k].grain]++] = w->meet_first[i] + k;
    for (int g = count; g > 0; g--) w->pair_first[g] = w->pair_first[g - 1];
    w->pair_first[0] = 0;
}

// The same on a device: sorted by grain, with room that no meeting has taken at the end.
static void pair_up_far(grains* s) {
    shoal_device* device = s->ctx->exec.device;
    grains_pairs* w      = &s->water->pairs;
    int           bits   = 64 - __builtin_clzll((uint64_t)s->all.view.count + 1);
    if (s->water->meets > 0) device->sort(device, w->keys, s->water->meets, bits, w->pair_meet, w->keys_sorted);
    grains_run_among(s, GRAINS_find_pairs, s->all.view.count + 1);
}

static shoal_status reserve(grains_water* w, shoal_device* device, size_t meets) {
    if (meets <= w->pair_capacity) return SHOAL_OK;
    size_t capacity  = meets + meets / 2;
    w->pair_capacity = 0;
    SHOAL_TRY(shoal_far_realloc(device, (void**)&w->pairs.meet, 0, capacity, sizeof *w->pairs.meet));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&w->pairs.pair_meet, 0, capacity, sizeof *w->pairs.pair_meet));
    if (device) {
        SHOAL_TRY(shoal_far_realloc(device, (void**)&w->pairs.keys, 0, capacity, sizeof *w->pairs.keys));
        SHOAL_TRY(shoal_far_realloc(device, (void**)&w->pairs.keys_sorted, 0, capacity, sizeof *w->pairs.keys_sorted));
    }
    w->pair_capacity = capacity;
    return SHOAL_OK;
}

shoal_status grains_meet_all(grains* s) {
    grains_water*     w    = s->water;
    shoal_water_view* v    = &w->sph.view;
    const shoal_exec* exec = &s->ctx->exec;
    grains_run_among(s, GRAINS_expect, v->count);
    size_t meets = shoal_pass_scan(exec, w->pairs.meet_first, v->count);
    SHOAL_TRY(shoal_device_check(exec->device));
    if (meets > INT32_MAX / 2)
        return shoal_fail(SHOAL_ERR_DIVERGE, "more than %d grains near water cannot be numbered", INT32_MAX / 2);
    SHOAL_TRY(reserve(w, exec->device, meets));
    w->meets = (int)meets;
    grains_run_among(s, GRAINS_meet_at, v->count);
    if (exec->device)
        pair_up_far(s);
    else
        pair_up(s);
    grains_run_among(s, GRAINS_slopes, s->all.view.count);
    grains_run_among(s, GRAINS_yield_to, v->count);
    v->compliance  = w->pairs.compliance;
    v->uncorrected = w->pairs.uncorrected;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- giving way

void grains_answer_water(void* self) {
    grains* s = self;
    grains_run_among(s, GRAINS_recoil, s->all.view.count);
    grains_run_among(s, GRAINS_flow_in, s->water->sph.view.count);
    grains_run_among(s, GRAINS_guess, s->water->sph.boundary_set->count);
}
