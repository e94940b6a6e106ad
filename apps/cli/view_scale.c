// SPDX-License-Identifier: MIT
#include "view_scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool may_be_auto(const shoal_param_def* p) {
    return p->type == SHOAL_PARAM_AUTO_INT || p->type == SHOAL_PARAM_AUTO_FLOAT;
}

bool view_scale_is_auto(const shoal_param_def* p, double value) { return may_be_auto(p) && value == 0.0; }

static bool is_whole(const shoal_param_def* p) {
    return p->type == SHOAL_PARAM_INT || p->type == SHOAL_PARAM_AUTO_INT || p->type == SHOAL_PARAM_BOOL ||
           p->type == SHOAL_PARAM_WORD;
}

static int word_count(const shoal_param_def* p) {
    int count = 1;
    for (const char* at = p->unit; *at; at++) count += *at == '|';
    return count;
}

static double highest(const shoal_param_def* p) {
    return p->type == SHOAL_PARAM_BOOL ? 1.0 : p->type == SHOAL_PARAM_WORD ? word_count(p) - 1.0 : p->max;
}

static double lowest(const shoal_param_def* p) {
    return p->type == SHOAL_PARAM_BOOL || p->type == SHOAL_PARAM_WORD ? 0.0 : p->min;
}

bool view_scale_is_there(const shoal_param_def* p) { return isfinite(highest(p)) && isfinite(lowest(p)); }

// How a value goes with its fraction of the bar: evenly; by a power of it, where the range begins at zero and most of
// it is far above what is in use; or by decades.
typedef enum scale { EVEN, POWER, DECADES } scale;

static bool begins_at_zero(const shoal_param_def* p) { return p->min <= 1e-6 * p->max; }

static scale scale_of(const shoal_param_def* p) {
    if (is_whole(p)) return EVEN;
    if (!begins_at_zero(p)) return p->max > 1e3 * p->min ? DECADES : EVEN;
    if (p->value > 0.0) return p->value < 0.05 * p->max ? POWER : EVEN;
    return p->max <= 1.0 ? EVEN : p->max <= 100.0 ? POWER : DECADES;
}

// The default is in the middle; without one an eighth of the range is.
static double power_of(const shoal_param_def* p) {
    return p->value > 0.0 ? log((p->value - p->min) / (p->max - p->min)) / log(0.5) : 3.0;
}

static double first_decade(const shoal_param_def* p) { return begins_at_zero(p) ? 1e-6 * p->max : p->min; }

double view_scale_fraction(const shoal_param_def* p, double value) {
    double low = lowest(p), high = highest(p), even = high > low ? fmax(0.0, (value - low) / (high - low)) : 0.0;
    switch (scale_of(p)) {
    case POWER:
        return pow(even, 1.0 / power_of(p));
    case DECADES:
        return value > first_decade(p) ? log(value / first_decade(p)) / log(high / first_decade(p)) : 0.0;
    default:
        return even;
    }
}

static double rounded(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    return strtod(text, NULL);
}

static double value_at(const shoal_param_def* p, double fraction) {
    double low = lowest(p), high = highest(p);
    switch (scale_of(p)) {
    case POWER:
        return low + (high - low) * pow(fraction, power_of(p));
    case DECADES:
        return fraction > 0.0 ? first_decade(p) * pow(high / first_decade(p), fraction) : low;
    default:
        return low + (high - low) * fraction;
    }
}

double view_scale_value(const shoal_param_def* p, double fraction) {
    fraction = fmax(0.0, fmin(1.0, fraction));
    if (may_be_auto(p) && fraction == 0.0) return 0.0;
    double value = value_at(p, fraction);
    return fmax(lowest(p), fmin(highest(p), is_whole(p) ? floor(value + 0.5) : rounded(value)));
}

// By a quarter of the value where the scale is not even, from a fifth of the bar on; else by a fiftieth of the range.
double view_scale_step(const shoal_param_def* p, double value, int steps) {
    double low = lowest(p), high = highest(p), next = value + 0.02 * (high - low) * steps;
    if (p->type == SHOAL_PARAM_BOOL) return steps % 2 == 0 ? value : value != 0.0 ? 0.0 : 1.0;
    if (is_whole(p))
        next = value + steps;
    else if (scale_of(p) != EVEN && value == 0.0)
        next = steps > 0 ? view_scale_value(p, 0.2) : 0.0;
    else if (scale_of(p) != EVEN)
        next = value * pow(1.25, steps);
    return fmax(low, fmin(high, is_whole(p) ? next : rounded(next)));
}
