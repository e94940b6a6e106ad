// SPDX-License-Identifier: MIT
// A sample along axis a at r from the centre sees V_a + (w x r)_a = (e_a, r x e_a) . (V, w): six unknowns, in double.
#include "mac/mac_rigid.h"
#include "math/cholesky.h"

void shoal_rigid_add(shoal_rigid* s, int axis, const double x[3], double mass, double velocity) {
    s->mass[axis] += mass;
    s->push[axis] += mass * velocity;
    for (int k = 0; k < 3; k++) {
        s->place[axis][k] += mass * x[k];
        s->turn[axis][k] += mass * velocity * x[k];
        s->square[axis][k] += mass * x[k] * x[k];
        s->square[axis][3 + k] += mass * x[k] * x[(k + 1) % 3];
    }
}

// Sums over the samples of one axis about the centre: masses, first and second moments of r, push and its first moment.
typedef struct about {
    double mass, first[3], second[3][3], push, turn[3];
} about;

static about about_centre(const shoal_rigid* s, int axis, const double c[3]) {
    about a = {.mass = s->mass[axis], .push = s->push[axis]};
    for (int k = 0; k < 3; k++) {
        a.first[k] = s->place[axis][k] - a.mass * c[k];
        a.turn[k]  = s->turn[axis][k] - a.push * c[k];
    }
    for (int k = 0; k < 3; k++) {
        int n          = (k + 1) % 3;
        a.second[k][k] = s->square[axis][k] - 2 * c[k] * s->place[axis][k] + a.mass * c[k] * c[k];
        double mixed =
            s->square[axis][3 + k] - c[n] * s->place[axis][k] - c[k] * s->place[axis][n] + a.mass * c[k] * c[n];
        a.second[k][n] = mixed;
        a.second[n][k] = mixed;
    }
    return a;
}

// r x e_axis has two entries: +r[minor] at `major` and -r[major] at `minor`, with axis, major, minor in cyclic order.
static void add_axis(const about* a, int axis, double m[6][6], double rhs[6]) {
    int major = (axis + 1) % 3, minor = (axis + 2) % 3;
    m[axis][axis] += a->mass;
    m[3 + major][axis] += a->first[minor];
    m[3 + minor][axis] -= a->first[major];
    m[3 + major][3 + major] += a->second[minor][minor];
    m[3 + minor][3 + minor] += a->second[major][major];
    m[3 + major][3 + minor] -= a->second[major][minor];
    m[3 + minor][3 + major] -= a->second[major][minor];
    rhs[axis] += a->push;
    rhs[3 + major] += a->turn[minor];
    rhs[3 + minor] -= a->turn[major];
}

shoal_rigid_motion shoal_rigid_fit(const shoal_rigid* s) {
    shoal_rigid_motion motion = {0};
    double             mass = s->mass[0] + s->mass[1] + s->mass[2], m[6][6] = {0}, x[6] = {0}, whole = 0;
    if (!(mass > 0)) return motion;
    for (int k = 0; k < 3; k++) motion.centre[k] = (s->place[0][k] + s->place[1][k] + s->place[2][k]) / mass;
    for (int axis = 0; axis < 3; axis++) {
        about a = about_centre(s, axis, motion.centre);
        add_axis(&a, axis, m, x);
    }
    for (int k = 0; k < 6; k++) whole += m[k][k];
    shoal_cholesky_factor(m[0], 6, 6, 0.0, 1e-13 * whole); // a group that cannot turn about an axis does not
    shoal_cholesky_solve(m[0], 6, 6, x);
    for (int k = 0; k < 3; k++) {
        motion.velocity[k] = x[k];
        motion.spin[k]     = x[3 + k];
    }
    return motion;
}

double shoal_rigid_at(const shoal_rigid_motion* motion, int axis, const double x[3]) {
    int major = (axis + 1) % 3, minor = (axis + 2) % 3;
    return motion->velocity[axis] + motion->spin[major] * (x[minor] - motion->centre[minor]) -
           motion->spin[minor] * (x[major] - motion->centre[major]);
}
