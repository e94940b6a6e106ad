// SPDX-License-Identifier: MIT
// The eye and the lights of a picture. A camera without a place stands in front of the domain, a
// little to the side and above, as near as all of it is seen.
#include "render/view.h"

#include "render/optics.h"

#define DEGREE (SHOAL_PI / 180.0)

// Where the default camera stands, about the middle of what it sees.
static const double default_side = 24.0 * DEGREE, default_rise = 13.0 * DEGREE;
// Without a domain there is no floor to see by, and things stand in vessels that would hide them.
static const double open_rise = 30.0 * DEGREE;
static const double margin    = 1.06; // of the picture about the domain

static shoal_v3 or_else(shoal_v3 given, float r, float g, float b) {
    return isfinite(given.x) ? given : shoal_v3_make(r, g, b);
}

// The least distance from `at` along `back` at which all corners are within the picture.
static double distance_to_see(shoal_box box, shoal_d3 at, const shoal_d3 axes[3], double across, double along) {
    double far = 0.0;
    for (int k = 0; k < 8; k++) {
        shoal_d3 corner =
            shoal_d3_make(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
        shoal_d3 d = shoal_d3_sub(corner, at);
        double   x = fabs(shoal_d3_dot(d, axes[0])), y = fabs(shoal_d3_dot(d, axes[1])),
               z = shoal_d3_dot(d, axes[2]); // towards the eye
        far      = fmax(far, z + margin * fmax(x / across, y / along));
    }
    return far;
}

// How far the middle of the corners' bounds is from the middle of the picture, at the distance of
// `at`.
static void off_centre(shoal_box box, shoal_d3 at, double far, const shoal_d3 axes[3], double out[2]) {
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    for (int k = 0; k < 8; k++) {
        shoal_d3 corner =
            shoal_d3_make(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
        shoal_d3 d = shoal_d3_sub(corner, at);
        double   z = fmax(far - shoal_d3_dot(d, axes[2]), 1e-3 * far);
        for (int a = 0; a < 2; a++) {
            low[a]  = fmin(low[a], shoal_d3_dot(d, axes[a]) / z);
            high[a] = fmax(high[a], shoal_d3_dot(d, axes[a]) / z);
        }
    }
    for (int a = 0; a < 2; a++) out[a] = 0.5 * (low[a] + high[a]) * far;
}

static void make_axes(shoal_d3 back, shoal_d3 axes[3]) {
    shoal_d3 up    = fabs(back.y) > 0.999 * shoal_d3_length(back) ? shoal_d3_make(0, 0, -1) : shoal_d3_make(0, 1, 0);
    axes[2]        = shoal_d3_scale(back, 1.0 / shoal_d3_length(back));
    shoal_d3 right = shoal_d3_cross(up, axes[2]);
    axes[0]        = shoal_d3_scale(right, 1.0 / shoal_d3_length(right));
    axes[1]        = shoal_d3_cross(axes[2], axes[0]);
}

static shoal_d3 between(shoal_d3 a, shoal_d3 b, double fraction) {
    return shoal_d3_add(a, shoal_d3_scale(shoal_d3_sub(b, a), fraction));
}

// Where a moving camera is: linear between two views, still before the first and after the last.
static shoal_camera_params camera_at(const shoal_render_settings* s, double time, shoal_d3 middle) {
    shoal_camera_params out = s->camera;
    int                 k   = 0;
    if (s->view_count == 0) return out;
    while (k < s->view_count - 1 && s->views[k + 1].t <= time) k++;
    const shoal_view_params *a = &s->views[k], *b = &s->views[k < s->view_count - 1 ? k + 1 : k];
    double                   fraction = b->t > a->t ? fmax(0.0, (time - a->t) / (b->t - a->t)) : 0.0;
    shoal_d3                 from = isfinite(a->at.x) ? a->at : middle, to = isfinite(b->at.x) ? b->at : middle;
    out.from = between(a->from, b->from, fraction);
    out.at   = between(from, to, fraction);
    out.fov  = (float)((double)a->fov + fraction * (double)(b->fov - a->fov));
    return out;
}

render_camera render_camera_make(const shoal_render_settings* settings, double time, shoal_box seen, double aspect,
                                 bool is_open) {
    shoal_d3                  middle = shoal_d3_scale(shoal_d3_add(seen.min, seen.max), 0.5);
    const shoal_camera_params now = camera_at(settings, time, middle), *p = &now;
    double                    along = tan(0.5 * (double)p->fov * DEGREE), across = along * aspect;
    shoal_d3                  at = isfinite(p->at.x) ? p->at : middle, from = p->from, axes[3];
    if (isfinite(from.x)) {
        make_axes(shoal_d3_sub(from, at), axes);
    } else {
        double rise = is_open ? open_rise : default_rise;
        make_axes(shoal_d3_make(sin(default_side) * cos(rise), sin(rise), cos(default_side) * cos(rise)), axes);
        double far = distance_to_see(seen, at, axes, across, along);
        // what is near looks larger: the middle of the box is not that of its picture
        for (int k = 0; k < 6 && !isfinite(p->at.x); k++) {
            double off[2];
            off_centre(seen, at, far, axes, off);
            at  = shoal_d3_add(at, shoal_d3_add(shoal_d3_scale(axes[0], off[0]), shoal_d3_scale(axes[1], off[1])));
            far = distance_to_see(seen, at, axes, across, along);
        }
        from = shoal_d3_add(at, shoal_d3_scale(axes[2], far));
    }
    double focus = p->focus > 0.0f ? (double)p->focus : shoal_d3_length(shoal_d3_sub(at, from));
    return (render_camera){.eye     = shoal_v3_from(from),
                           .right   = shoal_v3_from(axes[0]),
                           .up      = shoal_v3_from(axes[1]),
                           .forward = shoal_v3_from(shoal_d3_scale(axes[2], -1.0)),
                           .across  = (float)across,
                           .along   = (float)along,
                           .lens    = 0.5f * p->aperture,
                           .focus   = (float)focus};
}

// Times what a white surface in the light of all of them shows: with the lights that are the
// default about 12.
static const float most_of_white = 4.5f;

static float brightest(shoal_v3 a) { return fmaxf(a.x, fmaxf(a.y, a.z)); }

// Sky, sun, and lamps as they light what they shine at.
static float white_in(const render_lights* l, const shoal_render_settings* s) {
    float sky = fmaxf(brightest(l->zenith), fmaxf(brightest(l->horizon), brightest(l->nadir)));
    float sum = sky * fmaxf(1.0f, l->sky_strength) + brightest(l->sun_light) / (float)SHOAL_PI;
    for (int k = 0; k < l->lamp_count; k++) {
        const render_lamp* lamp = &l->lamps[k];
        double             far  = shoal_d3_length(shoal_d3_sub(s->lamps[k].at, s->lamps[k].toward));
        double             seen = 4.0 * (double)(lamp->half * lamp->half) / (SHOAL_PI * far * far);
        sum += brightest(lamp->light) * (float)fmin(1.0, seen);
    }
    return sum;
}

static render_lamp lamp_make(const shoal_lamp_params* p) {
    shoal_d3 axes[3];
    make_axes(shoal_d3_sub(p->at, p->toward), axes);
    return (render_lamp){.at      = shoal_v3_from(p->at),
                         .right   = shoal_v3_from(axes[0]),
                         .up      = shoal_v3_from(axes[1]),
                         .forward = shoal_v3_from(shoal_d3_scale(axes[2], -1.0)),
                         .half    = 0.5f * p->edge,
                         .light   = shoal_v3_scale(or_else(p->color, 1.0f, 1.0f, 1.0f), p->strength)};
}

render_lights render_lights_make(const shoal_render_settings* s) {
    static const float         sun_irradiance = 5.0f; // beside a sky of radiance about 1
    const shoal_lights_params* p              = &s->lights;
    render_lights              out            = {.zenith       = or_else(s->background.zenith, 0.19f, 0.36f, 0.72f),
                                                 .horizon      = or_else(s->background.horizon, 0.66f, 0.86f, 1.10f),
                                                 .nadir        = or_else(s->background.nadir, 0.30f, 0.29f, 0.28f),
                                                 .sky_strength = p->sky_strength,
                                                 .lamp_count   = s->lamp_count};
    shoal_d3                   sun            = isfinite(p->sun.x) ? p->sun : shoal_d3_make(-0.6, 0.65, -0.65);
    out.sun                                   = shoal_v3_from(shoal_d3_scale(sun, 1.0 / shoal_d3_length(sun)));
    out.sun_cosine                            = (float)cos(0.5 * (double)p->sun_size * DEGREE);
    out.sun_light = shoal_v3_scale(or_else(p->sun_color, 1.0f, 0.95f, 0.86f), sun_irradiance * p->sun_strength);
    for (int k = 0; k < s->lamp_count; k++) out.lamps[k] = lamp_make(&s->lamps[k]);
    out.most = most_of_white * white_in(&out, s);
    return out;
}
