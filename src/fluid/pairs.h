// SPDX-License-Identifier: MIT
// Walking over the neighbours of one particle, plainly.
#ifndef SHOAL_PAIRS_H
#define SHOAL_PAIRS_H

#include "grid/near.h"

#if defined(__CUDA_ARCH__)
#define SHOAL_FOR_NEAR(near, i, j)                                                                                     \
    for (int near_k_ = 0; near_k_ < (near).count[i]; near_k_++)                                                        \
        for (int j        = (near).index[(size_t)SHOAL_LANES * (near).start[i] + (size_t)SHOAL_NEAR_PLACE(near_k_)],   \
                 once_    = 1;                                                                                         \
             once_; once_ = 0)
#else
#define SHOAL_FOR_NEAR(near, i, j)                                                                                     \
    for (const int *near_at_  = (near).index + (size_t)SHOAL_LANES * (near).start[i],                                  \
                   *near_end_ = near_at_ + (near).count[i];                                                            \
         near_at_ < near_end_; near_at_++)                                                                             \
        for (int j = *near_at_, once_ = 1; once_; once_ = 0)
#endif

// From y, which j has, to x, which i has, and the distance; coincident ones get a direction from their indices,
// opposite for the two.
SHOAL_FN shoal_v3 shoal_displacement(shoal_v4 x, shoal_v4 y, int i, int j, float h, float* r) {
    shoal_v3 d = shoal_v3_make(x.x - y.x, x.y - y.y, x.z - y.z);
    *r         = shoal_v3_length(d);
    if (*r > 1e-6f * h) return d;
    int      a = i < j ? i : j, b = i < j ? j : i;
    unsigned bits = (unsigned)a * 2654435761u ^ (unsigned)b * 2246822519u;
    float    tiny = 1e-6f * h, sign = i < j ? tiny : -tiny;
    *r = tiny;
    switch (bits >> 30) {
    case 0:
        return shoal_v3_make(sign, 0.0f, 0.0f);
    case 1:
        return shoal_v3_make(0.0f, sign, 0.0f);
    case 2:
        return shoal_v3_make(0.0f, 0.0f, sign);
    default:
        return shoal_v3_make(-sign, 0.0f, 0.0f);
    }
}

// Of two of one array.
SHOAL_FN shoal_v3 shoal_pair_displacement(const shoal_v4* place, int i, int j, float h, float* r) {
    return shoal_displacement(place[i], place[j], i, j, h, r);
}

#endif
