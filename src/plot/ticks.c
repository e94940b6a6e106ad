// SPDX-License-Identifier: MIT
// Choice of ticks and their labels.
#include "plot/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Values beyond this are as good as infinite; what is left can be added and divided safely.
static const double value_most = 1e30;

double shoal_round_step(double least) {
    double power    = pow(10.0, floor(log10(least)));
    double fraction = least / power;
    return power * (fraction <= 1.0 + 1e-9 ? 1.0 : fraction <= 2.0 + 1e-9 ? 2.0 : fraction <= 5.0 + 1e-9 ? 5.0 : 10.0);
}

// Units that take a prefix, and the exponents of it.
static bool takes_prefix(const char* unit) {
    static const char* const units[] = {"J", "m", "s", "Pa", "N", "W", "m/s", NULL};
    for (const char* const* u = units; *u; u++)
        if (strcmp(*u, unit) == 0) return true;
    return false;
}

typedef struct prefix {
    int         exponent;
    const char* sign;
} prefix;
static const prefix prefixes[] = {
    {-9, "n"}, {-6, "µ"}, {-3, "m"}, {0, ""}, {3, "k"}, {6, "M"}, {9, "G"}, {12, "T"},
};
enum { PREFIX_COUNT = sizeof prefixes / sizeof *prefixes, PLAIN = 3 };

// Plain from 0.01 to 10000, so that usual numbers stay as they are.
static const prefix* prefix_for(double most) {
    if (!(most > 0.0) || (most >= 0.01 && most < 10000.0)) return &prefixes[PLAIN];
    int exponent = (int)floor(log10(most) / 3.0) * 3;
    for (int i = 0; i < PREFIX_COUNT; i++)
        if (prefixes[i].exponent == exponent) return &prefixes[i];
    return NULL;
}

// A number with a true minus sign, and no minus before zero.
static void label_plain(double value, int decimals, const char* after, char* out) {
    char text[SHOAL_TICK_SIZE];
    snprintf(text, sizeof text, "%.*f", decimals, fabs(value));
    bool is_zero = strspn(text, "0.") == strlen(text);
    snprintf(out, SHOAL_TICK_SIZE, "%s%.20s%.4s", value < 0.0 && !is_zero ? "−" : "", is_zero ? "0" : text,
             is_zero ? "" : after);
}

static void label_power(double value, char* out) {
    char text[SHOAL_TICK_SIZE];
    if (value == 0.0) {
        snprintf(out, SHOAL_TICK_SIZE, "0");
        return;
    }
    snprintf(text, sizeof text, "%.4g", fabs(value));
    snprintf(out, SHOAL_TICK_SIZE, "%s%.20s", value < 0.0 ? "−" : "", text);
}

static void label_all(shoal_axis* a, const char* unit) {
    double        most      = fmax(fabs(a->low), fabs(a->high));
    bool          is_number = unit[0] == 0; // counts take the prefix themselves: 250k
    const prefix* p         = is_number || takes_prefix(unit)    ? prefix_for(most)
                              : most >= 0.001 && most < 100000.0 ? &prefixes[PLAIN]
                                                                 : NULL;
    if (p && is_number && p->exponent < 0) p = most >= 1e-6 ? &prefixes[PLAIN] : NULL;
    double scale    = p ? pow(10.0, p->exponent) : 1.0;
    int    decimals = (int)fmin(fmax(-floor(log10(a->step / scale) + 1e-9), 0.0), 9.0);
    for (int i = 0; i < a->count; i++) {
        double value = fabs(a->ticks[i]) < 1e-9 * a->step ? 0.0 : a->ticks[i];
        if (p)
            label_plain(value / scale, decimals, is_number ? p->sign : "", a->labels[i]);
        else
            label_power(value, a->labels[i]);
    }
    snprintf(a->unit, sizeof a->unit, "%.4s%.24s", p && !is_number ? p->sign : "", unit);
}

// The upper end of a widened axis: zero stays, else the next tick, or a little room where that
// would lie on the values or waste a third of the height.
static double end_above(double high, double range, double step) {
    if (high == 0.0) return 0.0;
    double tick = ceil(high / step - 1e-6) * step, gap = tick - high;
    return gap < 0.03 * range || gap > 0.33 * range ? high + 0.05 * range : tick;
}

shoal_axis shoal_axis_make(double low, double high, int wanted, bool is_widened, const char* unit) {
    shoal_axis a = {0};
    if (wanted < 1) wanted = 1;
    if (wanted > SHOAL_TICKS_MOST / 4) wanted = SHOAL_TICKS_MOST / 4;
    if (!(low <= high)) low = 0.0, high = 1.0;
    low  = fmin(fmax(low, -value_most), value_most);
    high = fmin(fmax(high, -value_most), value_most);
    // a constant, and what differs only by rounding, is shown with some room around it
    double size = fmax(fabs(low), fabs(high)), least = size > 0.0 ? 1e-6 * size : 1.0;
    if (high - low < least) {
        double middle = 0.5 * (low + high), tick_margin = size > 0.0 ? 0.1 * size : 0.5;
        low  = low >= 0.0 ? fmax(middle - tick_margin, 0.0) : middle - tick_margin;
        high = high <= 0.0 && size > 0.0 ? fmin(middle + tick_margin, 0.0) : middle + tick_margin;
    }
    a.step = shoal_round_step((high - low) / wanted);
    if (a.step > 0.5 * (high - low)) a.step = shoal_round_step(a.step / 2.5); // two ticks at least
    a.low        = is_widened ? -end_above(-low, high - low, a.step) : low;
    a.high       = is_widened ? end_above(high, high - low, a.step) : high;
    double first = ceil(a.low / a.step - 1e-6), last = floor(a.high / a.step + 1e-6);
    for (double k = first; k <= last && a.count < SHOAL_TICKS_MOST; k += 1.0) a.ticks[a.count++] = k * a.step;
    label_all(&a, unit);
    return a;
}
