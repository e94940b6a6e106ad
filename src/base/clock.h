// SPDX-License-Identifier: MIT
// Wall-clock seconds from a steady clock, for timings only: no result may depend on them.
#ifndef SHOAL_CLOCK_H
#define SHOAL_CLOCK_H

double shoal_seconds(void);

#endif
