// SPDX-License-Identifier: MIT
// Cubic between the nodes of a band: the same lines for every instruction set.
#ifndef SHOAL_BAND_CUBIC_H
#define SHOAL_BAND_CUBIC_H

#include <math.h>
#include <string.h>

#include "tet/band_local.h"

// Catmull-Rom
SHOAL_FN void band_cubic_weights(double t, double w[4]) {
    double t2 = t * t, t3 = t2 * t;
    w[0] = 0.5 * (-t + 2.0 * t2 - t3);
    w[1] = 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3);
    w[2] = 0.5 * (t + 4.0 * t2 - 3.0 * t3);
    w[3] = 0.5 * (t3 - t2);
}

typedef double band_quad __attribute__((vector_size(32)));
typedef float  band_quarter __attribute__((vector_size(16)));

// Rows of four nodes along x, of one block, or the first `left` of them of one and the others of the next.
typedef struct band_row_job {
    const float*    values;
    const uint64_t* known;
    int             left, begin;
    uint64_t        have, beyond; // bits of those in each
    uint64_t        lacks;        // not 0: some have no distance
} band_row_job;

// there: the block that a row begins in, and the next; layer, row: which it is in these, row in nodes.
SHOAL_FN band_quarter band_row(band_row_job* job, const int* there, int layer, int row) {
    const float* from = job->values + (BAND_NODES * (size_t)there[0] + (size_t)(64 * layer + row));
    band_quarter v;
    job->lacks |= ~(job->known[BAND_EDGE * there[0] + layer] >> (row + job->begin)) & job->have;
    if (job->left == 4) {
        memcpy(&v, from + job->begin, sizeof v);
        return v;
    }
    const float* next = job->values + (BAND_NODES * (size_t)there[1] + (size_t)(64 * layer + row));
    job->lacks |= ~(job->known[BAND_EDGE * there[1] + layer] >> row) & job->beyond;
    float second       = job->left > 1 ? from[job->left == 2 ? 7 : 6] : next[0],
          third        = job->left > 2 ? from[7] : next[2 - job->left];
    band_quarter split = {from[job->begin], second, third, next[3 - job->left]};
    return split;
}

// Cubic along one axis after the other, but not beyond the eight nodes of the cell at `at` of a block. False where not
// all of the 4 x 4 x 4 nodes around have a distance.
SHOAL_FN bool band_cubic(const shoal_band* band, int block, const int at[3], const double t[3], double* out) {
    int          first = at[0] - 1, left = first < 0 ? 1 : first > 4 ? 8 - first : 4; // most need one column of blocks
    const int*   near = band->grid.near + (size_t)BAND_NEAR * (size_t)block + ((first + 8) >> 3); // 0: before, 1: this
    band_row_job job  = {.values = band->grid.values,
                         .known  = band->known,
                         .left   = left,
                         .begin  = first & 7,
                         .have   = (1u << left) - 1u,
                         .beyond = (1u << (4 - left)) - 1u};
    int          y0 = at[1] - 1, beside0 = ((y0 >> 3) + 1) * 3, beside1 = (((y0 + 1) >> 3) + 1) * 3,
        beside2 = (((y0 + 2) >> 3) + 1) * 3, beside3 = (((y0 + 3) >> 3) + 1) * 3, row0 = 8 * (y0 & 7),
        row1 = 8 * ((y0 + 1) & 7), row2 = 8 * ((y0 + 2) & 7), row3 = 8 * ((y0 + 3) & 7);
    for (int z = -1; z <= 2; z += 3)
        for (int x = 0; x < 2 - (left == 4); x++)
            if (near[(((at[2] + z) >> 3) + 1) * 9 + beside0 + x] < 0 ||
                near[(((at[2] + z) >> 3) + 1) * 9 + beside3 + x] < 0)
                return false;

    double    w[3][4], sum = 0.0;
    band_quad zero = {0.0, 0.0, 0.0, 0.0}, plane0 = zero, plane1 = zero, plane2 = zero, plane3 = zero, line = zero;
    float     low = INFINITY, high = -INFINITY;
    for (int a = 0; a < 3; a++) band_cubic_weights(t[a], w[a]);
    for (int z = 0; z < 4; z++) {
        int          pz = at[2] + z - 1, layer = pz & 7;
        const int*   there = near + ((pz >> 3) + 1) * 9;
        band_quarter a = band_row(&job, there + beside0, layer, row0), b = band_row(&job, there + beside1, layer, row1),
                     c = band_row(&job, there + beside2, layer, row2), d = band_row(&job, there + beside3, layer, row3);
        plane0 += w[2][z] * __builtin_convertvector(a, band_quad);
        plane1 += w[2][z] * __builtin_convertvector(b, band_quad);
        plane2 += w[2][z] * __builtin_convertvector(c, band_quad);
        plane3 += w[2][z] * __builtin_convertvector(d, band_quad);
        if (z == 0 || z == 3) continue;
        float corners[4] = {b[1], b[2], c[1], c[2]};
        for (int k = 0; k < 4; k++) {
            low  = corners[k] < low ? corners[k] : low;
            high = corners[k] > high ? corners[k] : high;
        }
    }
    if (job.lacks) return false;
    line += w[1][0] * plane0;
    line += w[1][1] * plane1;
    line += w[1][2] * plane2;
    line += w[1][3] * plane3;
    for (int x = 0; x < 4; x++) sum += w[0][x] * line[x];
    *out = sum < (double)low ? (double)low : sum > (double)high ? (double)high : sum;
    return true;
}

#endif
