// SPDX-License-Identifier: MIT
// What the files of streams share: a substep of holding, and an opening as others meet it.
#ifndef SHOAL_STREAM_LOCAL_H
#define SHOAL_STREAM_LOCAL_H

#include "sim/emit_local.h"

// What is left of the usual room at solids for particles that are there already, since grids have particles
// nearer to them, and for those that are put out of an opening.
#define SIM_BESIDE 0.2

// An opening is as it was made in the frame of its tap: a place there, of one in the world.
static inline shoal_d3 sim_own_place(const shoal_emitter* emitter, const shoal_motion_pose* pose, shoal_v3 place) {
    shoal_d3 at = shoal_d3_from(place);
    return emitter->key_count > 0 ? shoal_motion_own(pose, at) : at;
}

// In the world, of a direction of its own frame.
static inline shoal_d3 sim_turned(const shoal_emitter* emitter, const shoal_motion_pose* pose, shoal_d3 own) {
    return emitter->key_count > 0 ? shoal_quat_rotate(pose->rotation, own) : own;
}

typedef struct sim_hold_job {
    const shoal_sim* sim;
    const sim_slots* slots;
    double           dt, now; // length and end of the substep
    const int32_t*   id;
    const uint8_t*   material;
    shoal_v3 *       position, *velocity;
    uint8_t*         holder;
} sim_hold_job;

// opening.c: how far pressure pushes what is in an opening in a substep, m.
double sim_borne_by(const sim_hold_job* h, double spacing);
// Another particle in an opening, or so near that no place beside is free: part of the stream where
// that begins, or where it goes along within it, else put out, no faster than the stream moves and
// pressure pushes in.
void sim_meet_stranger(const sim_hold_job* h, int i);
// The nearest of the openings that keep out item i, which `hold` asks again at the end of the substep: see `bars` of
// state/solver.h.
shoal_v4 sim_bar_of(const sim_hold_job* h, int i, double beyond);

#endif
