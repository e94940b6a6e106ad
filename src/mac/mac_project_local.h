// SPDX-License-Identifier: MIT
// The free surface as the pressure's system sees it; inside of mac/ only.
#ifndef SHOAL_MAC_PROJECT_LOCAL_H
#define SHOAL_MAC_PROJECT_LOCAL_H

#include "mac/mac_project.h"

// The surface is never nearer to a liquid centre than this, in cells: it bounds the condition of the system.
static const float mac_theta_least = 0.01f;

// Distance of the free surface from the centre of liquid cell `at` towards air cell `air`, in cells.
static inline float mac_theta(const shoal_mac* m, int at, int air) {
    float theta = m->phi[at] / (m->phi[at] - m->phi[air]);
    return theta < mac_theta_least ? mac_theta_least : theta;
}

static inline bool mac_is_liquid(const shoal_mac* m, int at) { return at >= 0 && shoal_mac_has(m->liquid, at); }

static inline float mac_mobility(const shoal_mac* m, int axis, int face) {
    return m->mobility[axis] ? m->mobility[axis][face] : 1.0f;
}

// Difference of q across the low face of `at`; at least one side is liquid.
static inline double mac_jump(const shoal_mac_projection* p, const shoal_mac* m, int at, int below) {
    bool   has_at = mac_is_liquid(m, at), has_below = mac_is_liquid(m, below);
    double q = has_at ? p->pressure[m->index[at]] : 0.0, q_below = has_below ? p->pressure[m->index[below]] : 0.0;
    if (has_at && has_below) return q - q_below;
    return has_at ? q / (double)mac_theta(m, at, below) : -q_below / (double)mac_theta(m, below, at);
}

#endif
