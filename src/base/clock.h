// SPDX-License-Identifier: MIT
// Wall-clock seconds from a steady clock, for timings only: no result may depend on them.
#ifndef SHOAL_CLOCK_H
#define SHOAL_CLOCK_H

double shoal_seconds(void);
double shoal_thread_seconds(void); // that the processor spent on this thread

#endif
