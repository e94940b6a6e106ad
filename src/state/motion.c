// SPDX-License-Identifier: MIT
#include "state/motion.h"

static double radians_of(double degrees) { return degrees * (SHOAL_PI / 180.0); }

static shoal_quat key_rotation(const shoal_motion_key* key) {
    return key->degrees == 0.0 ? shoal_quat_identity() : shoal_quat_turn(key->axis, radians_of(key->degrees));
}

shoal_d3 shoal_turn_between(shoal_quat from, shoal_quat to) {
    shoal_quat q = shoal_quat_mul(to, shoal_quat_conjugate(from));
    if (q.w < 0.0) q = shoal_quat_make(-q.w, -q.x, -q.y, -q.z);
    shoal_d3 v    = shoal_d3_make(q.x, q.y, q.z);
    double   sine = shoal_d3_length(v);
    if (sine < 1e-300) return shoal_d3_make(0.0, 0.0, 0.0);
    return shoal_d3_scale(v, 2.0 * atan2(sine, q.w) / sine);
}

// The same between two keys. About one axis the angles count, so several turns are possible; an
// unturned key has any axis.
static shoal_d3 key_turn(const shoal_motion_key* a, const shoal_motion_key* b) {
    if (a->degrees == 0.0) return shoal_d3_scale(b->axis, radians_of(b->degrees));
    if (b->degrees == 0.0) return shoal_d3_scale(a->axis, radians_of(-a->degrees));
    double along = shoal_d3_dot(a->axis, b->axis);
    if (fabs(along) > 1.0 - 1e-12) {
        double from = along > 0.0 ? a->degrees : -a->degrees;
        return shoal_d3_scale(b->axis, radians_of(b->degrees - from));
    }
    return shoal_turn_between(key_rotation(a), key_rotation(b));
}

// The key whose stretch holds t: the last one with key.t <= t; -1 before the first.
static int key_before(const shoal_motion_key* keys, int count, double t) {
    int k = count - 1;
    while (k >= 0 && keys[k].t > t) k--;
    return k;
}

shoal_motion_pose shoal_motion_at(const shoal_motion_key* keys, int count, double t) {
    shoal_motion_pose p = {.rotation = shoal_quat_identity()};
    if (count == 0) return p;
    int                     k = key_before(keys, count, t);
    const shoal_motion_key* a = &keys[k < 0 ? 0 : k];
    p.at                      = a->at;
    p.rotation                = key_rotation(a);
    if (k < 0 || k == count - 1) return p;

    const shoal_motion_key* b        = a + 1;
    double                  fraction = (t - a->t) / (b->t - a->t), rate = 1.0 / (b->t - a->t);
    shoal_d3                way = shoal_d3_sub(b->at, a->at), turn = key_turn(a, b);
    double                  angle = shoal_d3_length(turn);
    p.at                          = shoal_d3_add(a->at, shoal_d3_scale(way, fraction));
    if (angle > 0.0)
        p.rotation = shoal_quat_mul(shoal_quat_turn(shoal_d3_scale(turn, 1.0 / angle), fraction * angle), p.rotation);
    p.linear  = shoal_d3_scale(way, rate);
    p.angular = shoal_d3_scale(turn, rate);
    return p;
}

shoal_box shoal_motion_box(const shoal_motion_key* keys, int count, shoal_box own) {
    shoal_box all = shoal_box_empty();
    if (count == 0 || shoal_box_is_empty(own)) return own;
    for (int k = 0; k < count; k++) all = shoal_box_with(all, keys[k].at);
    return shoal_box_grown(all, shoal_box_radius(own));
}

double shoal_motion_speed(const shoal_motion_key* keys, int count, double radius, double from, double until) {
    double most = 0.0;
    for (int k = 0; k + 1 < count; k++) {
        const shoal_motion_key *a = &keys[k], *b = a + 1;
        if (b->t < from || a->t > until) continue;
        bool   is_same = shoal_d3_dot(a->axis, b->axis) > 0.0;
        double turn =
            SHOAL_PI / 180.0 * (is_same ? fabs(b->degrees - a->degrees) : fabs(a->degrees) + fabs(b->degrees));
        most = fmax(most, (shoal_d3_length(shoal_d3_sub(b->at, a->at)) + turn * radius) / (b->t - a->t));
    }
    return most;
}

double shoal_box_radius(shoal_box box) {
    shoal_d3 far = {fmax(fabs(box.min.x), fabs(box.max.x)), fmax(fabs(box.min.y), fabs(box.max.y)),
                    fmax(fabs(box.min.z), fabs(box.max.z))};
    return shoal_box_is_empty(box) ? 0.0 : shoal_d3_length(far);
}
