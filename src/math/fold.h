// SPDX-License-Identifier: MIT
// The sixteen lanes of a sum (math/wide.h) on a team of 1, 2, 4, 8 or 16 threads: thread q of T has the lanes q, q + T,
// q + 2 T, ..., adds its own by halves, and then the team adds by T/2, ..., 1. Bits are those of wide_sum for any T.
#ifndef SHOAL_FOLD_H
#define SHOAL_FOLD_H

#include "math/vec.h"

// The own lanes of a thread, of which there are a power of two; they are lost.
SHOAL_FN float shoal_fold_lanes(float* lanes, int count) {
    for (int half = count / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
    return lanes[0];
}

#endif
