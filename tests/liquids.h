// SPDX-License-Identifier: MIT
// Liquids for the pressure solver, in the shapes they really have and worse ones; for its test and
// its bench.
#ifndef SHOAL_LIQUIDS_H
#define SHOAL_LIQUIDS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid/poisson.h"

typedef struct liquid {
    int count, period[3];
    int (*cell)[3];
    float * plus[3], *anchor;
    double *rhs, *pressure;
} liquid;

static uint64_t      state = 1;
static inline double random_unit(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static inline void* list_for(int count, size_t size) {
    void* memory = calloc((size_t)count + 1, size);
    if (!memory) abort();
    return memory;
}

static inline liquid liquid_make(int capacity) {
    liquid l = {.cell = list_for(capacity, sizeof *l.cell)};
    for (int a = 0; a < 3; a++) l.plus[a] = list_for(capacity, sizeof(float));
    l.anchor   = list_for(capacity, sizeof(float));
    l.rhs      = list_for(capacity, sizeof(double));
    l.pressure = list_for(capacity, sizeof(double));
    return l;
}

static inline void liquid_free(liquid* l) {
    free(l->cell);
    for (int a = 0; a < 3; a++) free(l->plus[a]);
    free(l->anchor);
    free(l->rhs);
    free(l->pressure);
}

static inline shoal_poisson_system system_of(const liquid* l) {
    shoal_poisson_system s = {.count  = l->count,
                              .cell   = (const int(*)[3])l->cell,
                              .plus_x = l->plus[0],
                              .plus_y = l->plus[1],
                              .plus_z = l->plus[2],
                              .anchor = l->anchor};
    memcpy(s.period, l->period, sizeof s.period);
    return s;
}

// Shapes in a box of side^3 cells with walls around, open above.
typedef enum shape { BLOCK, CLOSED, FREE, BLOBS, SHEET, SPRAY, DUST } shape;
typedef enum weights { EVEN, GHOST, ROUGH } weights; // 1; theta down to 1e-3; cut faces down to 1e-6 too

static inline bool is_inside(shape s, int side, int x, int y, int z) {
    double u = (x + 0.5) / side, v = (y + 0.5) / side, w = (z + 0.5) / side;
    switch (s) {
    case BLOBS:
        return sin(17 * u) * sin(13 * v + 2) * sin(19 * w + 1) + 0.4 * sin(47 * u + 31 * v) * sin(53 * w) > 0;
    case SHEET:
        return fabs(v - 0.5 - 0.2 * sin(9 * u) * sin(7 * w)) * side < 1;
    case SPRAY:
        return v < 0.3 + 0.05 * sin(11 * u + 5 * w) || random_unit() < 0.02;
    case DUST:
        return random_unit() < 0.35;
    default:
        return true;
    }
}

static inline float weight_of(weights kind) {
    if (kind != ROUGH) return 1;
    double w = random_unit();
    return w < 0.1 ? 0.0f : w < 0.15 ? 1e-6f : (float)w;
}

static inline float anchor_of(weights kind) {
    return kind == EVEN ? 1.0f : weight_of(kind) / (float)fmax(random_unit() * random_unit(), 1e-3);
}

static inline liquid pour(shape s, int side, weights kind) {
    liquid l     = liquid_make(side * side * side);
    int*   index = list_for(side * side * side, sizeof *index);
    state        = 77;
    for (int c = 0; c < side * side * side; c++) {
        int x = c % side, y = c / side % side, z = c / side / side;
        index[c] = is_inside(s, side, x, y, z) ? l.count : -1;
        if (index[c] < 0) continue;
        int* at = l.cell[l.count++];
        at[0]   = x - side / 3;
        at[1]   = y - 5;
        at[2]   = z + 3;
    }
    const int stride[3] = {1, side, side * side};
    for (int c = 0, i = 0; c < side * side * side; c++) {
        if (index[c] < 0) continue;
        const int at[3] = {c % side, c / side % side, c / side / side};
        for (int a = 0; a < 3; a++)
            for (int up = 0; up < 2; up++) {
                bool is_wall = up ? at[a] == side - 1 : at[a] == 0;
                bool is_open = s == FREE || (s != CLOSED && a == 1 && up);
                if (is_wall && is_open) l.anchor[i] += anchor_of(kind);
                if (is_wall) continue;
                int near = index[c + (up ? stride[a] : -stride[a])];
                if (near < 0)
                    l.anchor[i] += anchor_of(kind);
                else if (up)
                    l.plus[a][i] = weight_of(kind);
            }
        l.rhs[i++] = random_unit() - 0.5;
    }
    free(index);
    return l;
}

#endif
