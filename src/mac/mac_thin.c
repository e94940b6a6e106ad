// SPDX-License-Identifier: MIT
// The parts of a cell are what hangs together along the edges between its nodes: no solid thicker than half a cell fits
// between two.
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

// ---------------------------------------------------------------------------------- parts

// Nodes at the low end, and at the high end, of each axis.
static const uint32_t low_end[3] = {0x1249249u, 0x1C0E07u, 0x1FFu}, high_end[3] = {0x4924924u, 0x70381C0u, 0x7FC0000u};
static const int      step[3] = {1, 3, 9};

uint32_t mac_thin_open_nodes(const float node[MAC_THIN_NODES]) {
    uint32_t clear = 0;
    for (int k = 0; k < MAC_THIN_NODES; k++) clear |= (uint32_t)(node[k] >= 0.0f) << k;
    return clear;
}

uint32_t mac_thin_open_nodes_of_corners(const float corner[8]) {
    float node[MAC_THIN_NODES];
    for (int k = 0; k < MAC_THIN_NODES; k++) {
        int   x = k % 3, y = k / 3 % 3, z = k / 9;
        float sum = 0.0f;
        for (int n = 0; n < 8;
             n++) // the corners around a node, each as often as it takes: 0 is the low one, 2 the high one, 1 both
            sum += corner[(x + (n & 1) > 1) + 2 * (y + (n >> 1 & 1) > 1) + 4 * (z + (n >> 2) > 1)];
        node[k] = sum;
    }
    return mac_thin_open_nodes(node);
}

// What hangs together with the first of a set of nodes.
static uint32_t part_of(uint32_t set) {
    uint32_t part = set & (~set + 1u);
    for (uint32_t before = 0; before != part;) {
        before = part;
        for (int axis = 0; axis < 3; axis++)
            part |= ((part & ~high_end[axis]) << step[axis] | (part & ~low_end[axis]) >> step[axis]) & set;
    }
    return part;
}

int mac_thin_parts(uint32_t set, uint32_t part[MAC_THIN_PARTS]) {
    int count = 0;
    for (uint32_t left = set, next; left; left &= ~next) {
        next   = part_of(left);
        int at = count < MAC_THIN_PARTS ? count++ : MAC_THIN_PARTS;
        for (; at > 0 && __builtin_popcount(next) > __builtin_popcount(part[at - 1]); at--)
            if (at < MAC_THIN_PARTS) part[at] = part[at - 1];
        if (at < MAC_THIN_PARTS) part[at] = next;
    }
    return count;
}

float mac_thin_volume(uint32_t set) {
    int sum = 0;
    for (uint32_t left = set; left; left &= left - 1) {
        int k = __builtin_ctz(left);
        sum += 1 << ((k % 3 == 1) + (k / 3 % 3 == 1) + (k / 9 == 1));
    }
    return (float)sum / 64.0f;
}

bool mac_thin_joined(uint32_t part, uint32_t other, const int way[3]) {
    for (int axis = 0; axis < 3; axis++) {
        if (way[axis] == 0) continue;
        part  = way[axis] > 0 ? (part & high_end[axis]) >> 2 * step[axis] : part & low_end[axis];
        other = way[axis] > 0 ? other & low_end[axis] : (other & high_end[axis]) >> 2 * step[axis];
    }
    return (part & other) != 0;
}

// ---------------------------------------------------------------------------------- what is open

// The node at (a, b) of a face, side 0 or 1.
static int node_at(int axis, int side, int a, int b) {
    return 2 * side * step[axis] + a * step[(axis + 1) % 3] + b * step[(axis + 2) % 3];
}

static float face_open(const float node[MAC_THIN_NODES], int axis, int side) {
    float sum = 0.0f;
    for (int b = 0; b < 2; b++)
        for (int a = 0; a < 2; a++)
            sum += shoal_face_open(node[node_at(axis, side, a, b)], node[node_at(axis, side, a + 1, b)],
                                   node[node_at(axis, side, a + 1, b + 1)], node[node_at(axis, side, a, b + 1)]);
    return 0.25f * sum;
}

uint64_t mac_thin_faces(uint32_t part) {
    uint64_t bits = 0;
    for (int n = 0; n < 6; n++)
        for (int k = 0; k < 9; k++) bits |= (uint64_t)(part >> node_at(n / 2, n % 2, k % 3, k / 3) & 1u) << (9 * n + k);
    return bits;
}

// The distance at node k to the surface that a part of the cell has: beyond that surface the plane at the nearest nodes
// of the part goes on. (The distance itself would turn round in the middle of a thin solid, and a cell would seem to be
// open almost to its other side.)
static float own_distance(const mac_thin_nodes* nodes, uint32_t part, int k) {
    const float hidden = -1e-4f, deep = -1.0f;
    int         at[3] = {k % 3, k / 3 % 3, k / 9}, nearest = 4;
    float       best = deep;
    for (uint32_t left = part; left; left &= left - 1) {
        int   n = __builtin_ctz(left), way[3] = {at[0] - n % 3, at[1] - n / 3 % 3, at[2] - n / 9};
        int   far   = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        float there = nodes->distance[n];
        if (far > 3 || far > nearest) continue;
        for (int axis = 0; axis < 3; axis++) there += 0.5f * (float)way[axis] * nodes->normal[n][axis];
        best    = far < nearest ? there : fmaxf(best, there);
        nearest = far;
    }
    return fmaxf(fminf(best, hidden), deep);
}

// Each of the eight parts of a cell between its nodes as if cut by one plane.
float mac_thin_open(const float own[MAC_THIN_NODES]) {
    float sum = 0.0f;
    for (int n = 0; n < 8; n++) {
        int   first = (n & 1) + 3 * (n >> 1 & 1) + 9 * (n >> 2);
        float mean  = 0.0f;
        for (int c = 0; c < 8; c++) mean += own[first + (c & 1) + 3 * (c >> 1 & 1) + 9 * (c >> 2)];
        sum += fmaxf(fminf(0.25f * mean + 0.5f, 1.0f), 0.0f);
    }
    return 0.125f * sum;
}

void mac_thin_of(const mac_thin_nodes* nodes, uint32_t part, mac_thin* out) {
    float own[MAC_THIN_NODES];
    for (int k = 0; k < MAC_THIN_NODES; k++)
        own[k] = part >> k & 1u ? nodes->distance[k] : own_distance(nodes, part, k);
    out->fraction = mac_thin_open(own);
    out->open     = mac_thin_faces(part);
    for (int axis = 0; axis < 3; axis++) {
        out->low[axis]  = face_open(own, axis, 0);
        out->high[axis] = face_open(own, axis, 1);
    }
}
