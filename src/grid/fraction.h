// SPDX-License-Identifier: MIT
// How much of a square face lies outside of a solid, from signed distances at its corners (marching squares).
#ifndef SHOAL_FRACTION_H
#define SHOAL_FRACTION_H

#include <stdbool.h>

// Fraction of the edge from a to b that is inside (negative).
static inline float shoal_edge_inside(float a, float b) {
    if (a < 0.0f && b < 0.0f) return 1.0f;
    if (a < 0.0f) return a / (a - b);
    if (b < 0.0f) return b / (b - a);
    return 0.0f;
}

// The open fraction of a face; corners in cyclic order, solid where negative.
static inline float shoal_face_open(float a, float b, float c, float d) {
    float v[4]  = {a, b, c, d};
    int   count = (a < 0.0f) + (b < 0.0f) + (c < 0.0f) + (d < 0.0f);
    if (count == 0) return 1.0f;
    if (count == 4) return 0.0f;
    if (count == 2) {
        bool is_opposite = (a < 0.0f) == (c < 0.0f);
        if (!is_opposite) {
            // two adjacent ones: the mean of the two cut edges
            float sum = 0.0f;
            for (int k = 0; k < 4; k++)
                if ((v[k] < 0.0f) != (v[(k + 1) % 4] < 0.0f)) sum += shoal_edge_inside(v[k], v[(k + 1) % 4]);
            return 1.0f - 0.5f * sum;
        }
        // joined when the middle is inside: then the two outside corners are cut off
        bool  is_joined = a + b + c + d < 0.0f;
        float cut       = 0.0f;
        for (int k = 0; k < 4; k++) {
            float before = shoal_edge_inside(v[k], v[(k + 3) % 4]), after = shoal_edge_inside(v[k], v[(k + 1) % 4]);
            if (is_joined && v[k] >= 0.0f) cut += 0.5f * (1.0f - before) * (1.0f - after);
            if (!is_joined && v[k] < 0.0f) cut += 0.5f * before * after;
        }
        return is_joined ? cut : 1.0f - cut;
    }
    for (int k = 0; k < 4; k++) {
        bool is_odd = count == 1 ? v[k] < 0.0f : v[k] >= 0.0f;
        if (!is_odd) continue;
        float before = shoal_edge_inside(v[k], v[(k + 3) % 4]), after = shoal_edge_inside(v[k], v[(k + 1) % 4]);
        return count == 1 ? 1.0f - 0.5f * before * after : 0.5f * (1.0f - before) * (1.0f - after);
    }
    return 1.0f;
}

#endif
