// SPDX-License-Identifier: MIT
// Axes at round numbers: steps of 1, 2 or 5 times a power of ten, and units with a prefix where
// numbers would be long.
#ifndef SHOAL_TICKS_H
#define SHOAL_TICKS_H

#include "shoal/base.h"

enum { SHOAL_TICKS_MOST = 40, SHOAL_TICK_SIZE = 32 };

typedef struct shoal_axis {
    double low, high; // ends of the axis, in the unit of the data
    double step;
    int    count; // of ticks
    double ticks[SHOAL_TICKS_MOST];
    char   labels[SHOAL_TICKS_MOST][SHOAL_TICK_SIZE];
    char   unit[SHOAL_TICK_SIZE]; // "kJ"; "" none
} shoal_axis;

// An axis for values from `low` to `high` (NAN, or low > high: none) with about `wanted` ticks. A
// widened axis leaves room above and below the values, to the next tick if it is near; zero stays.
// Else it begins and ends at the values themselves.
shoal_axis shoal_axis_make(double low, double high, int wanted, bool is_widened, const char* unit);

// The round number of 1, 2 and 5 times a power of ten that is nearest above `least`, > 0.
double shoal_round_step(double least);

#endif
