// SPDX-License-Identifier: MIT
// The bar of a parameter: which value is where on it, by the range and the default of its table.
#ifndef SHOAL_CLI_VIEW_SCALE_H
#define SHOAL_CLI_VIEW_SCALE_H

#include "shoal/param.h"

bool   view_scale_is_there(const shoal_param_def* p);                      // it has two ends
bool   view_scale_is_auto(const shoal_param_def* p, double value);         // 0, where that is allowed: the left end
double view_scale_fraction(const shoal_param_def* p, double value);        // of the bar, 0 to 1
double view_scale_value(const shoal_param_def* p, double fraction);        // of three digits, within the range
double view_scale_step(const shoal_param_def* p, double value, int steps); // by keys: so many steps on

#endif
