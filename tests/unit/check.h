// SPDX-License-Identifier: MIT
// What every cmocka test file needs, in the order cmocka wants it.
#ifndef SHOAL_CHECK_H
#define SHOAL_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shoal/base.h"

#define CHECK_OK(call)                                                                                                 \
    do {                                                                                                               \
        if ((call) != SHOAL_OK) fail_msg("%s: %s", #call, shoal_last_error());                                         \
    } while (0)

#define CHECK_NEAR(value, wanted, tolerance)                                                                           \
    do {                                                                                                               \
        double value_ = (value), wanted_ = (wanted), tolerance_ = (tolerance);                                         \
        if (!(fabs(value_ - wanted_) <= tolerance_))                                                                   \
            fail_msg("%s = %.9g, wanted %.9g +- %.3g", #value, value_, wanted_, tolerance_);                           \
    } while (0)

#define CHECK_BELOW(value, limit)                                                                                      \
    do {                                                                                                               \
        double value_ = (value), limit_ = (limit);                                                                     \
        if (!(value_ < limit_)) fail_msg("%s = %.9g, must be below %.9g", #value, value_, limit_);                     \
    } while (0)

#endif
