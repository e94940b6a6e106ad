// SPDX-License-Identifier: MIT
// Smoothing the depth of a liquid, one pixel at a time; in the common ground of C17 and C++. Depths are positive,
// larger ones farther away, SCREEN_EMPTY where there is none. A pass reads one picture and writes another.
#ifndef SHOAL_SCREEN_FILTER_PASS_H
#define SHOAL_SCREEN_FILTER_PASS_H

#include "screen/screen_splat_pass.h"

enum { SCREEN_REACH_MOST = 24 }; // pixels to each side that a filter looks

typedef struct screen_depths {
    int          width, height;
    float        pixel_x, pixel_y; // m; width and height of a pixel at a depth of 1 m
    float        narrow;           // m; depths that are apart by more belong to something else
    float        behind;           // m; and count as being so far behind
    float        radius;           // m; of the narrow-range filter
    const float* from;
} screen_depths;

SHOAL_FN float screen_depth_at(const screen_depths* v, int x, int y) {
    return x < 0 || y < 0 || x >= v->width || y >= v->height ? SCREEN_EMPTY
                                                             : v->from[(size_t)y * (size_t)v->width + (size_t)x];
}

// (1 - s^2)^3: as wide a bell as a Gaussian of sigma = 1/3 of its reach, and zero at its end.
SHOAL_FN float screen_bell(float s2) {
    float t = 1.0f - s2;
    return t > 0.0f ? t * t * t : 0.0f;
}

// Where a surface ends to one side: the first of the next pixels, nearer than `reach`, that is apart from the one
// before by more than the range; `reach` where none is.
SHOAL_FN float screen_end(const screen_depths* v, int x, int y, int way_x, int way_y, float reach) {
    float last = screen_depth_at(v, x, y), end = reach;
    for (int k = 1; (float)k < reach; k++) {
        float next = screen_depth_at(v, x + k * way_x, y + k * way_y), step = next - last;
        int   ends = (step > v->narrow) | (step < -v->narrow);
        end        = (ends && (float)k < end) ? (float)k : end;
        last       = next;
    }
    return end;
}

// How far the filter looks. What ends to both sides within its reach, as a drop does, would be smoothed into a plane
// with corners by rows and columns: it is looked at to half of the nearer end.
SHOAL_FN float screen_narrow_reach(float reach, float back, float on) {
    float nearer   = back < on ? back : on;
    int   is_small = (back < reach) & (on < reach);
    return is_small ? 0.5f * nearer : reach;
}

// One way of the narrow-range filter [Truong & Yuksel 2018]: pairs of samples to both sides, from the middle outwards.
// What stands in front is left out with its twin; what is far behind counts as a little behind; the range grows with
// what has been taken, so that slopes are smoothed and steps are not.
SHOAL_FN float screen_narrow(const screen_depths* v, int x, int y, int way_x, int way_y) {
    float z = screen_depth_at(v, x, y);
    if (!(z < SCREEN_EMPTY)) return z;
    float pixel = way_x ? v->pixel_x : v->pixel_y, reach = v->radius / (pixel * z);
    reach     = reach > (float)SCREEN_REACH_MOST ? (float)SCREEN_REACH_MOST : reach;
    reach     = screen_narrow_reach(reach, screen_end(v, x, y, -way_x, -way_y, reach),
                                    screen_end(v, x, y, way_x, way_y, reach));
    float low = z - v->narrow, high = z + v->narrow, sum = z, weights = 1.0f, per2 = 1.0f / (reach * reach);
    for (int k = 1; (float)k < reach; k++) {
        float side[2] = {screen_depth_at(v, x - k * way_x, y - k * way_y),
                         screen_depth_at(v, x + k * way_x, y + k * way_y)};
        if (side[0] < low || side[1] < low) continue;
        float weight = screen_bell((float)(k * k) * per2), lower = low, upper = high;
        for (int s = 0; s < 2; s++) {
            if (side[s] > high) {
                side[s] = z + v->behind;
            } else {
                lower = side[s] - v->narrow < lower ? side[s] - v->narrow : lower;
                upper = side[s] + v->narrow > upper ? side[s] + v->narrow : upper;
            }
            sum += weight * side[s];
        }
        weights += 2.0f * weight;
        low  = lower;
        high = upper;
    }
    return sum / weights;
}

// A step of mean curvature flow [van der Laan et al. 2009, equations 3 to 8]. Theirs goes by a time in m; here a step
// is half the size of a pixel at that depth, the longest that is stable, so that a cup and a harbour are smoothed
// alike. Derivatives across a step in depth are zero. Their normal leaves out that rays spread: a tilted plane moves by
// 1e-6 of its depth.
SHOAL_FN float screen_curvature(const screen_depths* v, int x, int y) {
    float z = screen_depth_at(v, x, y);
    if (!(z < SCREEN_EMPTY)) return z;
    float at[3][3], cx = v->pixel_x, cy = v->pixel_y;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            float other = screen_depth_at(v, x + i - 1, y + j - 1), step = other - z;
            at[j][i] = step > v->narrow || step < -v->narrow ? z : other;
        }
    float zx = 0.5f * (at[1][2] - at[1][0]), zy = 0.5f * (at[2][1] - at[0][1]);
    float zxx = at[1][2] - 2.0f * z + at[1][0], zyy = at[2][1] - 2.0f * z + at[0][1];
    float zxy = 0.25f * (at[2][2] - at[2][0] - at[0][2] + at[0][0]);
    float d   = cy * cy * zx * zx + cx * cx * zy * zy + cx * cx * cy * cy * z * z;
    float dx  = 2.0f * (cy * cy * zx * zxx + cx * cx * zy * zxy + cx * cx * cy * cy * z * zx);
    float dy  = 2.0f * (cy * cy * zx * zxy + cx * cx * zy * zyy + cx * cx * cy * cy * z * zy);
    float ex = 0.5f * zx * dx - zxx * d, ey = 0.5f * zy * dy - zyy * d;
    float curvature = -0.5f * (cy * ex + cx * ey) / (d * sqrtf(d));
    float pixel     = (cx < cy ? cx : cy) * z;
    return z + 0.5f * pixel * curvature;
}

#endif
