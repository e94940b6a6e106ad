// SPDX-License-Identifier: MIT
// The parts of a cell are what hangs together along the edges between its nodes: no solid thicker than half a cell fits between two.
#include "mac/mac_thin.h"

#include <math.h>

#include "grid/fraction.h"

// No place of a cell is farther from a corner than half its diagonal.
static const float near_enough = 0.87f;
// One plane has a gradient of 1, and the same sum at both ends of each diagonal.
static const float steep_enough = 0.9f, even_enough = 0.2f;

bool mac_is_bent(const float corner[8]) {
    float least = INFINITY, low = INFINITY, high = -INFINITY, square = 0.0f;
    for (int k = 0; k < 8; k++) least = fminf(least, fabsf(corner[k]));
    if (least > near_enough) return false;
    for (int k = 0; k < 4; k++) {
        float sum = corner[k] + corner[7 - k];
        low       = fminf(low, sum);
        high      = fmaxf(high, sum);
    }
    for (int axis = 0; axis < 3; axis++) {
        float rise = 0.0f;
        for (int k = 0; k < 8; k++) rise += k >> axis & 1 ? corner[k] : -corner[k];
        square += 0.0625f * rise * rise;
    }
    return square < steep_enough * steep_enough || high - low > even_enough;
}

// Nodes at the low end, and at the high end, of each axis.
static const uint32_t low_end[3] = {0x1249249u, 0x1C0E07u, 0x1FFu}, high_end[3] = {0x4924924u, 0x70381C0u, 0x7FC0000u};
static const int      step[3]    = {1, 3, 9};

// What hangs together with the first of a set of nodes.
static uint32_t part_of(uint32_t set) {
    uint32_t part = set & (~set + 1u);
    for (uint32_t before = 0; before != part;) {
        before = part;
        for (int axis = 0; axis < 3; axis++) part |= ((part & ~high_end[axis]) << step[axis] | (part & ~low_end[axis]) >> step[axis]) & set;
    }
    return part;
}

// The node at (a, b) of a face, side 0 or 1.
static int node_at(int axis, int side, int a, int b) { return 2 * side * step[axis] + a * step[(axis + 1) % 3] + b * step[(axis + 2) % 3]; }

static float face_open(const float node[MAC_THIN_NODES], int axis, int side) {
    float sum = 0.0f;
    for (int b = 0; b < 2; b++)
        for (int a = 0; a < 2; a++)
            sum += shoal_face_open(node[node_at(axis, side, a, b)], node[node_at(axis, side, a + 1, b)], node[node_at(axis, side, a + 1, b + 1)],
                                   node[node_at(axis, side, a, b + 1)]);
    return 0.25f * sum;
}

static uint64_t face_bits(uint32_t part, int axis, int side) {
    uint64_t bits = 0;
    for (int k = 0; k < 9; k++) bits |= (uint64_t)(part >> node_at(axis, side, k % 3, k / 3) & 1u) << k;
    return bits;
}

bool mac_thin_of(const float node[MAC_THIN_NODES], mac_thin* out) {
    uint32_t clear = 0, largest = 0;
    for (int k = 0; k < MAC_THIN_NODES; k++) clear |= (uint32_t)(node[k] >= 0.0f) << k;
    for (uint32_t left = clear; left;) {
        uint32_t part = part_of(left);
        if (__builtin_popcount(part) > __builtin_popcount(largest)) largest = part;
        left &= ~part;
    }
    if (largest == clear) return false;
    float own[MAC_THIN_NODES], sum = 0.0f;
    for (int k = 0; k < MAC_THIN_NODES; k++) {
        int middles = (k % 3 == 1) + (k / 3 % 3 == 1) + (k / 9 == 1);
        own[k]      = largest >> k & 1u ? node[k] : -fabsf(node[k]);
        sum += (float)(1 << middles) * fmaxf(fminf(2.0f * own[k] + 0.5f, 1.0f), 0.0f);
    }
    out->share = sum / 64.0f;
    out->open  = 0;
    for (int axis = 0; axis < 3; axis++) {
        out->low[axis]  = face_open(own, axis, 0);
        out->high[axis] = face_open(own, axis, 1);
        for (int side = 0; side < 2; side++) out->open |= face_bits(largest, axis, side) << (9 * (2 * axis + side));
    }
    return true;
}
