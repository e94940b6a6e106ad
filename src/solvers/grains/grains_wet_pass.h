// SPDX-License-Identifier: MIT
// Wetness from grain to grain (Rungjiratananon et al. 2008, sections 4.4 and 4.5), with diffusion, drainage and drying
// on top. Water is counted in whole quanta and only ever handed on, so that not one of them is lost, whatever the
// number of threads.
#ifndef SHOAL_GRAINS_WET_PASS_H
#define SHOAL_GRAINS_WET_PASS_H

#include "base/hash.h"
#include "solvers/grains/grains_state_pass.h"

// What whole quanta by chance are for.
typedef enum grains_flow { GRAINS_SPREADS, GRAINS_SEEPS, GRAINS_DRIES, GRAINS_RELEASES } grains_flow;

// ---------------------------------------------------------------------------------- spreading

SHOAL_FN bool grains_is_overwet(const grains_state* s, int32_t water) { return water > s->wet_threshold; }

// Whole quanta of x: chance decides on the rest, so that on average slow rates in short steps move what they should. A
// function of grain and step: the same for both of a pair, on any number of threads and after a pause.
SHOAL_FN double grains_whole(const grains_state* s, double x, grains_flow flow, int32_t a, int32_t b) {
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    uint64_t stream = high << 32 | low, when = s->when << 2 | (uint64_t)flow;
    return floor(x + shoal_random(s->seed, stream, when));
}

// Whether a slot is near enough for water to pass. Both partners must say the same, so an image is measured from its
// source, in double.
SHOAL_FN bool grains_is_close(const grains_state* s, int i, size_t slot) {
    int      j      = s->view.lists.index[slot];
    shoal_d3 offset = {0.0, 0.0, 0.0};
    if (j >= s->view.count) {
        offset = shoal_d3_from(s->images[j - s->view.count].offset);
        j      = s->images[j - s->view.count].source;
    }
    shoal_v4 a = s->view.place[i], b = s->view.place[j];
    shoal_d3 d     = shoal_d3_sub(shoal_d3_sub(shoal_d3_from(grains_xyz(a)), shoal_d3_from(grains_xyz(b))), offset);
    double   reach = 1.05 * (double)(a.w + b.w);
    return shoal_d3_dot(d, d) < reach * reach;
}

// A grain that has handed on all but a hundredth takes again: an excess that goes as exp(-k_p t) is never gone, and
// would shut off all that lies behind it.
SHOAL_FN bool grains_takes(const grains_state* s, int32_t water) {
    return (double)water <= 1.01 * (double)s->wet_threshold;
}

// How strongly receiver j draws on donor i: all alike, or, with drainage, more the lower they lie. Then overwet ones
// below draw as well, as far as there is room up to wet_max: so a heap that is overwet all through drains.
SHOAL_FN double grains_draw(const grains_state* s, int i, int j) {
    shoal_v3 g      = s->view.gravity;
    float    length = shoal_v3_length(g);
    bool     takes  = grains_takes(s, s->work.water[j]);
    if (s->params.drainage == 0.0f || length == 0.0f) return takes ? 1.0 : 0.0;
    shoal_v3 down = shoal_v3_sub(grains_xyz(s->view.place[j]), grains_xyz(s->view.place[i]));
    double   low  = (double)s->params.drainage * (double)shoal_v3_dot(down, g) / ((double)length * 2.0 * s->half);
    if (takes) return fmax(0.0, 1.0 + low);
    double most = (double)s->params.wet_max * GRAINS_QUANTA, free_water = most - (double)s->work.water[j];
    return fmax(low, 0.0) * fmax(free_water, 0.0) / fmax(most - (double)s->wet_threshold, 1.0);
}

// The excess goes as exp(-k_p t), equation 14 solved; nothing where no grain can take it, and less where they hardly
// draw.
SHOAL_FN void grains_offer(const grains_state* s, int i) {
    double sum       = 0.0;
    s->work.offer[i] = 0;
    if (!grains_is_overwet(s, s->work.water[i])) return;
    GRAINS_EACH_SLOT(s->view.lists, i, slot) {
        int j = s->view.lists.index[slot];
        if (grains_is_close(s, i, slot)) sum += grains_draw(s, i, j);
    }
    if (!(sum > 0.0)) return;
    double excess = (double)(s->work.water[i] - s->wet_threshold), out = excess * s->wet_fraction * fmin(sum, 1.0);
    s->work.offer[i] = (int32_t)fmin(grains_whole(s, out, GRAINS_SPREADS, s->work.id[i], s->work.id[i]), excess);
}

// What donor i gives to the grain with this id: the rounding is that of running sums, so the parts add up to the offer.
SHOAL_FN int32_t grains_part_of(const grains_state* s, int i, int32_t id) {
    double sum = 0.0, so_far = 0.0;
    for (int round = 0; round < 2; round++) GRAINS_EACH_SLOT(s->view.lists, i, slot) {
            int j = s->view.lists.index[slot];
            if (!grains_is_close(s, i, slot)) continue;
            double pull = grains_draw(s, i, j);
            if (round == 0) {
                sum += pull;
                continue;
            }
            double before = so_far;
            so_far += pull;
            if (s->work.id[j] != id) continue;
            double offer = (double)s->work.offer[i];
            return (int32_t)(floor(offer * (so_far / sum)) - floor(offer * (before / sum)));
        }
    return 0;
}

// More neighbours than this no grain has, be it three times as large as they are: to none goes more than such a
// fraction.
#define GRAINS_NEIGHBOURS_MOST 64.0
// The flow between two neighbours, in fractions of their difference, over the rate that the scene gives.
#define GRAINS_SEEP_FRACTION (1.0 / 16.0)

// Equal and opposite between two: a fraction of what the wetter one has more.
SHOAL_FN int32_t grains_seep(const grains_state* s, int i, int j) {
    double more = (double)s->work.water[j] - (double)s->work.water[i], all = fabs(more);
    double flow = fmin(grains_whole(s, all * s->wet_seep, GRAINS_SEEPS, s->work.id[i], s->work.id[j]),
                       floor(all / GRAINS_NEIGHBOURS_MOST));
    return (int32_t)(more > 0.0 ? flow : -flow);
}

// Spin times the square of the radius: of each kg, in the same units for all.
SHOAL_FN shoal_d3 grains_turning(const grains_state* s, int i) {
    double r = (double)s->work.place[0][i].w;
    return shoal_d3_scale(shoal_d3_from(grains_xyz(s->work.spin[0][i])), r * r);
}

// The spin of a grain whose kg have this turning, once it has the radius that its water gives it.
SHOAL_FN void grains_turn(const grains_state* s, int i, int32_t water, shoal_v3 turning_now, shoal_v4* spin) {
    float size = grains_wet_radius(&s->params, 1.0f, grains_wetness(water)) /
                 grains_wet_radius(&s->params, 1.0f, grains_wetness(s->work.water[i]));
    float    r = s->work.place[0][i].w * size;
    shoal_v3 q = shoal_v3_scale(turning_now, 1.0f / (r * r));
    *spin      = shoal_v4_make(q.x, q.y, q.z, spin->w);
}

// With the water goes its momentum and its spin, m r^2 w; velocities to come are in speed[1], spins in spin[1].
SHOAL_FN void grains_receive(const grains_state* s, int i) {
    double   each  = s->water_mass / GRAINS_QUANTA;
    int32_t  water = s->work.water[i] - s->work.offer[i];
    bool     takes = grains_takes(s, s->work.water[i]) || s->params.drainage > 0.0f;
    shoal_v4 u     = s->work.speed[0][i];
    double   mass = (double)u.w * (double)u.w - s->work.offer[i] * each, more = 0.0;
    shoal_d3 sum = {0.0, 0.0, 0.0}, turn = sum;
    GRAINS_EACH_SLOT(s->view.lists, i, slot) {
        int j = s->view.lists.index[slot], donor = j < s->view.count ? j : s->images[j - s->view.count].source;
        if (s->work.offer[donor] == 0 && s->work.water[donor] == s->work.water[i]) continue;
        if (!grains_is_close(s, i, slot)) continue;
        int32_t part = takes && s->work.offer[donor] > 0 ? grains_part_of(s, donor, s->work.id[i]) : 0;
        int32_t flow = s->wet_seep > 0.0 ? grains_seep(s, i, j) : 0;
        water += part + flow;
        if (flow < 0)
            mass += flow * each;
        else
            part += flow;
        more += part * each;
        sum  = shoal_d3_add(sum, shoal_d3_scale(shoal_d3_from(grains_xyz(s->work.speed[0][donor])), part * each));
        turn = shoal_d3_add(turn, shoal_d3_scale(grains_turning(s, donor), part * each));
    }
    s->work.water_next[i] = water;
    s->work.spin[1][i]    = s->work.spin[0][i];
    if (water != s->work.water[i]) {
        turn = shoal_d3_add(turn, shoal_d3_scale(grains_turning(s, i), mass));
        grains_turn(s, i, water, shoal_v3_from(shoal_d3_scale(turn, 1.0 / (mass + more))), &s->work.spin[1][i]);
    }
    if (more > 0.0) {
        shoal_d3 own = shoal_d3_scale(shoal_d3_from(grains_xyz(u)), mass);
        shoal_v3 now = shoal_v3_from(shoal_d3_scale(shoal_d3_add(own, sum), 1.0 / (mass + more)));
        u            = shoal_v4_make(now.x, now.y, now.z, u.w);
    }
    s->work.speed[1][i] = u;
}

// ---------------------------------------------------------------------------------- exposure

// What stands around a grain: the sum of the ways from all that is near, and how far it closes the side that they leave
// open.
typedef struct grains_outlook {
    shoal_v3 sum, out; // out: of unit length, once it is known
    float    cover;    // cosine of the angle between out and the nearest to it
    bool     is_known;
} grains_outlook;

SHOAL_FN void grains_sight(grains_outlook* o, shoal_v3 way) { // from what is seen
    if (!o->is_known)
        o->sum = shoal_v3_add(o->sum, way);
    else
        o->cover = fmaxf(o->cover, -shoal_v3_dot(way, o->out));
}

// Grain i sees the list of `of`, or of its image, which stands `shift` from it.
SHOAL_FN void grains_scan(const grains_state* s, int i, int of, shoal_v3 shift, grains_outlook* o) {
    const float far = 2.0f; // in mean diameters of the two: the next but one is seen as well
    shoal_v4    x   = s->view.place[i];
    GRAINS_EACH_SLOT(s->view.lists, of, slot) {
        shoal_v4 y   = s->view.place[s->view.lists.index[slot]];
        shoal_v3 way = shoal_v3_sub(shoal_v3_sub(grains_xyz(x), grains_xyz(y)), shift);
        float    r   = shoal_v3_length(way);
        if (r > 0.1f * x.w && r < far * (x.w + y.w)) grains_sight(o, shoal_v3_scale(way, 1.0f / r)); // not itself
    }
}

// Neighbours alone would not do: within sand many a grain is touched from one side only, and is behind others all the
// same.
SHOAL_FN void grains_scan_around(const grains_state* s, int i, grains_outlook* o) {
    const shoal_v3 none = {0.0f, 0.0f, 0.0f};
    grains_scan(s, i, i, none, o);
    GRAINS_EACH_SLOT(s->view.lists, i, slot) {
        int j = s->view.lists.index[slot];
        if (j < s->view.count)
            grains_scan(s, i, j, none, o);
        else if (j < s->view.nobody)
            grains_scan(s, i, s->images[j - s->view.count].source, s->images[j - s->view.count].offset, o);
    }
    for (int k = 0; k < s->view.lists.solids[i]; k++) {
        shoal_v3 normal;
        grains_solid_distance(&s->view, i, grains_solid_of(&s->view, i, k), &normal);
        grains_sight(o, normal);
    }
}

// Away from all that is near a grain is open as far as nothing stands there: nothing in a cone of 66 degrees about it
// is open sky, a grain at 53 none.
SHOAL_FN double grains_exposure(const grains_state* s, int i, shoal_v3* out) {
    grains_outlook o = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, -1.0f, false};
    grains_scan_around(s, i, &o);
    float length = shoal_v3_length(o.sum);
    o.out        = length > 0.0f ? shoal_v3_scale(o.sum, 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
    o.is_known   = true;
    grains_scan_around(s, i, &o);
    if (out) *out = o.out;
    return fmin(fmax((0.6 - (double)o.cover) / 0.2, 0.0), 1.0);
}

// ---------------------------------------------------------------------------------- the step

// Open grains dry, but not under water.
SHOAL_FN void grains_dry(const grains_state* s, int i) {
    int g = s->seen ? s->seen[s->work.own[i]] : -1;
    if (g >= 0 && s->pair_first[g] < s->pair_first[g + 1]) return;
    if (s->work.water_next[i] == 0) return;
    double dried =
        grains_whole(s, s->wet_loss * grains_exposure(s, i, NULL), GRAINS_DRIES, s->work.id[i], s->work.id[i]);
    int32_t loss = (int32_t)fmin(dried, (double)s->work.water_next[i]);
    s->work.water_next[i] -= loss;
}

// Water beyond `wet_release` leaves a grain that has room before it, and waits until it makes a particle.
SHOAL_FN void grains_release(const grains_state* s, int i) {
    int32_t release = (int32_t)((double)s->params.wet_release * GRAINS_QUANTA);
    if (s->work.water[i] <= release || grains_exposure(s, i, NULL) <= 0.0) return;
    double  more = (double)(s->work.water[i] - release);
    int32_t out =
        (int32_t)fmin(grains_whole(s, more * s->wet_out, GRAINS_RELEASES, s->work.id[i], s->work.id[i]), more);
    s->work.water[i] -= out;
    s->work.pending[i] += out;
}

SHOAL_FN double grains_water_of(const grains_state* s, int i) { return (double)s->work.water[i]; }
SHOAL_FN double grains_pending_of(const grains_state* s, int i) { return (double)s->work.pending[i]; }
SHOAL_FN double grains_water_next_of(const grains_state* s, int i) { return (double)s->work.water_next[i]; }

#endif
