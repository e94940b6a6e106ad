// SPDX-License-Identifier: MIT
// The colour map.
#include "render/paint.h"

// viridis at nine even places, sRGB
static const double map[][3] = {
    {0.267, 0.005, 0.329},
    {0.279, 0.175, 0.483},
    {0.230, 0.322, 0.546},
    {0.173, 0.449, 0.558},
    {0.128, 0.567, 0.551},
    {0.158, 0.684, 0.502},
    {0.369, 0.789, 0.383},
    {0.678, 0.864, 0.190},
    {0.993, 0.906, 0.144}
};
enum { STEPS = sizeof map / sizeof map[0] - 1 };

static double linear(double x) { return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); }

shoal_v3 render_paint(double t) {
    double place = STEPS * fmin(1.0, fmax(0.0, t)); // what is not a number becomes 0
    int    low   = (int)fmin(place, STEPS - 1);
    double rest  = place - low, color[3];
    for (int k = 0; k < 3; k++)
        color[k] = linear((1.0 - rest) * map[low][k] + rest * map[low + 1][k]);
    return shoal_v3_make((float)color[0], (float)color[1], (float)color[2]);
}

// The least short number that is not below x.
static double round_up(double x) {
    static const double nice[] = {1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
    double              ten    = pow(10.0, floor(log10(x)));
    int                 k      = 0;
    while (k < 10 && nice[k] * ten < x * (1.0 - 1e-9))
        k++;
    return nice[k] * ten;
}

void render_paint_round(double* low, double* high, int steps) {
    double span = *high - *low;
    if (!(span > 1e-6 * fmax(fabs(*low), fabs(*high)))) span = fmax(1e-12, 0.1 * fabs(*low));
    for (double step = round_up(span / steps);; step = round_up(1.01 * step)) {
        double from = floor(*low / step + 1e-9) * step;
        if (from + steps * step < *high * (1.0 - 1e-12) && isfinite(step)) continue;
        *low  = from;
        *high = from + steps * step;
        return;
    }
}
