// SPDX-License-Identifier: MIT
// Taps under water, or at a wall: what is due in the next step comes into being in the tetrahedra in them, as
// divergence that the pressure is asked to leave there. It moves the surface in the step after, so it is due, and in
// the balance, then. A closed part that is full takes nothing.
#include "tet/liquid_field_local.h"

#include "exec/pass.h"

enum { BLOCK = 256 };
#define SOURCE_MOST 1.08 // a source is at most so many times the volume due: it makes up for the rest

typedef struct tap_job {
    const shoal_tet_state* state;
    const shoal_tet_drive* drive;
    const uint8_t*         is_open; // [vertices] as of shoal_tet_projection
    float*                 source;
    int                    tap;
    double                 rate;    // by volume
    uint8_t*               is_seen; // [tets]
} tap_job;

// In the tap, and in a part that air is at.
static bool is_in_source(const tap_job* job, int t) {
    const shoal_tetmesh* mesh = &job->state->mesh;
    return job->is_open[mesh->tets[t][0]] &&
           job->drive->is_in_tap(job->drive->ctx, job->tap, shoal_tet_centroid(mesh, t));
}
static void source_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    tap_job* job = ctx;
    for (int t = begin; t < end; t++) job->is_seen[t] = is_in_source(job, t);
}
// The surface to the air of what hangs together with a tap, m^2, up to `enough`.
static double air_area(tap_job* job, double enough, int* list, const shoal_exec* exec) {
    const shoal_tet_state* s       = job->state;
    uint8_t*               is_seen = job->is_seen;
    double                 sum     = 0.0;
    int                    count   = 0;
    shoal_blocks(exec, s->mesh.tet_count, BLOCK, source_block, job);
    for (int t = 0; t < s->mesh.tet_count; t++)
        if (is_seen[t]) list[count++] = t;
    for (int i = 0; i < count && sum < enough; i++) {
        const int* v = s->mesh.tets[list[i]];
        shoal_d3   area[4];
        shoal_tet_areas(&s->mesh, list[i], area);
        for (int k = 0; k < 4; k++) {
            int next = s->mesh.neighbours[list[i]][k], airs = 0;
            if (next >= 0 && !is_seen[next]) is_seen[next] = 1, list[count++] = next;
            for (int c = 0; c < 4 && next < 0; c++) airs += c != k && s->is_air[v[c]];
            if (airs == 3) sum += shoal_d3_length(area[k]);
        }
    }
    return sum;
}
// A part in which the air has less surface than the opening of the tap counts as full: it would leave faster than the
// stream comes, and the last of it at any speed.
static shoal_status is_full(shoal_tet_liquid* l, tap_job* job, shoal_tet_tap* tap, const shoal_exec* exec) {
    size_t       mark = l->arena.used, tets = (size_t)job->state->mesh.tet_count;
    int*         list;
    shoal_status status = shoal_arena_make(&l->arena, (void**)&job->is_seen, tets, sizeof *job->is_seen);
    if (status == SHOAL_OK) status = shoal_arena_make(&l->arena, (void**)&list, tets, sizeof *list);
    if (status == SHOAL_OK) {
        tap->is_shut   = air_area(job, tap->opening, list, exec) < tap->opening;
        tap->has_place = true;
        tap->place     = shoal_tet_centroid(&job->state->mesh, list[0]);
    }
    shoal_arena_back(&l->arena, mark);
    return status;
}
static double tap_volume(void* ctx, int begin, int end) {
    const tap_job* job = ctx;
    double         sum = 0.0;
    for (int t = begin; t < end; t++) {
        shoal_d3 area[4];
        if (is_in_source(job, t)) sum += shoal_tet_areas(&job->state->mesh, t, area);
    }
    return sum;
}
static void tap_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    tap_job* job = ctx;
    for (int t = begin; t < end; t++)
        if (is_in_source(job, t)) job->source[t] += (float)job->rate;
}
// What taps bring is spread over the tetrahedra in them, and counts in the balance of the next step, in which it moves
// the surface; into a part that is full to its walls nothing can come.
shoal_status liquid_open_taps(shoal_tet_liquid* l, const shoal_tet_drive* drive, double dt, const shoal_exec* exec) {
    shoal_tet_state* s        = &l->states[l->current];
    bool             has_rate = false;
    l->source_state           = NULL;
    for (int k = 0; k < drive->tap_count; k++) has_rate |= drive->taps[k].rate > 0.0;
    if (!has_rate || s->mesh.tet_count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_reserve((void**)&l->source, &l->source_capacity, s->mesh.tet_count, sizeof *l->source));
    for (int t = 0; t < s->mesh.tet_count; t++) l->source[t] = 0.0f;
    l->source_state = s;
    for (int k = 0; k < drive->tap_count; k++) {
        tap_job job = {s, drive, l->projection.is_open, l->source, k, 0.0, NULL};
        double  all = drive->taps[k].rate > 0.0 ? shoal_sum(exec, s->mesh.tet_count, tap_volume, &job) : 0.0;
        if (!(drive->taps[k].rate > 0.0)) continue;
        drive->taps[k].is_shut = !(all > 0.0) && !(drive->taps[k].came > 0.0);
        if (all > 0.0) SHOAL_TRY(is_full(l, &job, &drive->taps[k], exec));
        if (drive->taps[k].is_shut || !(all > 0.0)) continue;
        double rate = drive->taps[k].rate, missing = (drive->taps[k].owed - drive->taps[k].came) / dt;
        drive->taps[k].sent = fmax(0.0, fmin(SOURCE_MOST * rate, rate + missing));
        job.rate            = drive->taps[k].sent / all;
        shoal_blocks(exec, s->mesh.tet_count, BLOCK, tap_block, &job);
    }
    return SHOAL_OK;
}
