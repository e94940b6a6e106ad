// SPDX-License-Identifier: MIT
// The colour map.
#include "render/paint.h"

// viridis at nine even places, sRGB
static const double map[][3] = {{0.267, 0.005, 0.329}, {0.279, 0.175, 0.483}, {0.230, 0.322, 0.546},
                                {0.173, 0.449, 0.558}, {0.128, 0.567, 0.551}, {0.158, 0.684, 0.502},
                                {0.369, 0.789, 0.383}, {0.678, 0.864, 0.190}, {0.993, 0.906, 0.144}};
enum { STEPS = sizeof map / sizeof map[0] - 1 };

static double linear(double x) { return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); }

static shoal_v3 linear_v3(const double c[3]) {
    return shoal_v3_make((float)linear(c[0]), (float)linear(c[1]), (float)linear(c[2]));
}

shoal_v3 render_paint(double t) {
    static const double grey[3] = {0.55, 0.55, 0.55};
    if (isnan(t)) return linear_v3(grey);
    double place = STEPS * fmin(1.0, fmax(0.0, t));
    int    low   = (int)fmin(place, STEPS - 1);
    double rest  = place - low, color[3];
    for (int k = 0; k < 3; k++) color[k] = (1.0 - rest) * map[low][k] + rest * map[low + 1][k];
    return linear_v3(color);
}

shoal_v3 render_paint_value(double value, double low, double high) {
    if (high > low || isnan(value)) return render_paint((value - low) / (high - low));
    return render_paint(0.5);
}

shoal_v3 render_paint_name(int index) {
    static const double colors[][3] = {{0.000, 0.447, 0.698}, {0.902, 0.624, 0.000}, {0.000, 0.620, 0.451},
                                       {0.835, 0.369, 0.000}, {0.800, 0.475, 0.655}, {0.337, 0.706, 0.914},
                                       {0.941, 0.894, 0.259}};
    enum { COLORS = sizeof colors / sizeof colors[0] };
    return linear_v3(colors[index % COLORS]);
}

// Twentieths of the span, rounded to 1, 2 or 5 times a power of ten, are as fine as one reads a
// bar.
void render_paint_round(double* low, double* high) {
    double span = *high - *low;
    if (!isfinite(span)) return;
    if (!(span > 1e-7 * fmax(fabs(*low), fabs(*high)))) { // no more than the rounding of floats
        *high = *low;
        return;
    }
    double about = span / 20.0, ten = pow(10.0, floor(log10(about))), rest = about / ten;
    double step = ten * (rest < 1.5 ? 1.0 : rest < 3.5 ? 2.0 : rest < 7.5 ? 5.0 : 10.0);
    *low        = floor(*low / step + 1e-6) * step;
    *high       = ceil(*high / step - 1e-6) * step;
}
