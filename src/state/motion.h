// SPDX-License-Identifier: MIT
// Where things with keys of motion are, obstacles and taps: linear between two keys, turning at a constant rate, still
// before the first and after the last.
#ifndef SHOAL_MOTION_H
#define SHOAL_MOTION_H

#include "state/description.h"

// p_world = rotate(p_own) + at; velocity(x) = linear + angular x (x - at), of the stretch that begins at or holds the
// time.
typedef struct shoal_motion_pose {
    shoal_d3   at;
    shoal_quat rotation;
    shoal_d3   linear, angular; // m/s, rad/s
} shoal_motion_pose;

// Without keys: where the thing was given.
shoal_motion_pose shoal_motion_at(const shoal_motion_key* keys, int count, double t);

static inline shoal_d3 shoal_motion_place(const shoal_motion_pose* pose, shoal_d3 own) {
    return shoal_d3_add(shoal_quat_rotate(pose->rotation, own), pose->at);
}
static inline shoal_d3 shoal_motion_own(const shoal_motion_pose* pose, shoal_d3 place) {
    return shoal_quat_rotate(shoal_quat_conjugate(pose->rotation), shoal_d3_sub(place, pose->at));
}
static inline shoal_d3 shoal_motion_velocity(const shoal_motion_pose* pose, shoal_d3 place) {
    return shoal_d3_add(pose->linear, shoal_d3_cross(pose->angular, shoal_d3_sub(place, pose->at)));
}

// The turn that leads from one rotation to another, at most half a turn: axis times radians.
shoal_d3 shoal_turn_between(shoal_quat from, shoal_quat to);

// All places that what is in a box of the thing's own comes to: since it may turn, a ball about its origin stands for
// it. Without keys the box.
shoal_box shoal_motion_box(const shoal_motion_key* keys, int count, shoal_box own);
// The most that any part within a radius about its origin has from one time until another, m/s.
double shoal_motion_speed(const shoal_motion_key* keys, int count, double radius, double from, double until);
double shoal_box_radius(shoal_box box); // of a ball about the origin that holds it, m

#endif
