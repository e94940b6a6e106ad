// SPDX-License-Identifier: MIT
// What happens to one particle of free water: the passes, plain. It takes part in the sweeps of the
// sand (porous_pass.h) with its pressure alone, K = dt p / rho with rho of the first liquid; all
// water has the same h, and each particle a volume of its own.
#ifndef SHOAL_POROUS_POOL_PASS_H
#define SHOAL_POROUS_POOL_PASS_H

#include "solvers/porous/porous_pass.h"

// clang-format off
// name         type role     unit     meaning      (in addition to those of SPH, fluid/water.h)
#define POROUS_POOL_FIELDS(X)                                                            \
    X(content,           D1, STATE,   "m^3",    "the water that it stands for") \
    X(volume,            F1, OUTPUT,  "m^3",    "the same, shorter") \
    X(smoothed_pressure, F1, STATE,   "Pa",     "pressure as pores feel it: smoothed among neighbours and in time") \
    X(mean_pressure,     F1, SCRATCH, "Pa",     "mean of its pressure and that of its neighbours, where pores are near") \
    X(kick,              V4, SCRATCH, "m^2/s",  "what it pushes its own set with: K, and its volume over V") \
    X(doubled,           U1, SCRATCH, "",       "1: another one is in the same spot") \
    X(within,            F1, SCRATCH, "",       "fraction of sand where it is: half at the surface of a bed") \
    X(last_kappa,        F1, SCRATCH, "m^2/s",  "K of the sweep before") \
    X(rubbed,            V3, SCRATCH, "m/s",    "what the friction of solids gives it") \
    X(rim,               F1, SCRATCH, "",       "slope of the coarse sand around it (porous_rock): 0 within, 1 where it ends") \
    X(void_fraction,     F1, SCRATCH, "",       "fraction of the place that the grains of coarse sand leave open") \
    X(bed,               V4, SCRATCH, "",       "drag of the coarse sand around it: fraction of its velocity that it takes in the substep, linear and, s/m, squared; added mass of swerving water; sum of the unscaled kernel over them") \
    X(bed_motion,        V3, SCRATCH, "m/s",    "mean velocity of that sand") \
    X(lost,              V3, SCRATCH, "kg m/s", "what coarse sand took from it in this substep, over the sum of what the kernel, unscaled, is of each") \
    X(bar,               V4, SCRATCH, "",       "way out of the opening of an emitter that keeps it out; its companion is how far off that is, m") \
    POROUS_FACE_FIELDS(X)

// In the order of the step.
#define POROUS_POOL_PASSES(X) \
    X(set_volume) X(weigh) X(recede) X(face) X(equalize) X(shift) X(begin) X(state) X(push) X(apply_pressure) X(settle) X(average_pressure) X(smooth_pressure)
// clang-format on

typedef struct porous_pool_view {
    shoal_water_view   water;
    porous_guests      sand;        // as guests
    float              rest_volume; // of a particle at the start, m^3
    porous_sweep       sweep;
    porous_taps        taps;
    bool               has_bars;      // openings of emitters
    const shoal_image* images;        // of its own set
    const porous_sand* sands;         // by material
    const uint8_t*     sand_material; // [sand]
    float              stiff;         // of Tait's equation, as an impulse, m^2/s
    float              correction;    // of a compression, what this substep makes good
    float              closing;       // of a small lack of density, what this substep closes
    float              leftover;      // compression that it leaves, since the start has left it
    bool               is_coarse;     // some sand is
    POROUS_POOL_FIELDS(SHOAL_FIELD_MEMBER)
} porous_pool_view;

// What a substep begins with of the last one's pressure. Sand begins with all of it; particles of
// water change their places, and a pressure that belonged to another one throws them.
#define POROUS_POOL_WARM 0.95f
#define POROUS_POOL_WARM_COARSE 0.5f // of those among coarse sand

// Before the start there is no momentum, which would let sweeps go as far as they do.
#define POROUS_POOL_EQUALIZE 0.65f

// Pressure that pores feel: the part that comes new in a substep, and what those at a surface count, below this s.
// There pressure is cut off below zero; a mean of that drives water in here and out there.
#define POROUS_POOL_NEW 0.2f
#define POROUS_POOL_INNER 0.97f
#define POROUS_POOL_OUTER 0.05f

// Its volume beside its place.
SHOAL_FN void porous_pool_set_volume(const porous_pool_view* v, int i) {
    v->volume[i]        = (float)v->content[i];
    v->water.place[i].w = v->volume[i] / v->rest_volume;
}

// Coarse sand around it: its fraction of the place, with its pores; and the room that it leaves.
SHOAL_FN porous_rock porous_pool_rock(const porous_pool_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    float                   sum = 0.0f, interior = 0.0f, open = 0.0f, by = w->weight, r;
    if (!v->is_coarse || !v->sand.are_there) return porous_no_rock();
    SHOAL_FOR_NEAR(v->sand.near, i, j) {
        if (!(v->sand.open[j] > 0.0f)) continue;
        shoal_displacement(w->place[i], v->sand.place[j], i, j, w->h, &r);
        float weight = v->sand.place[j].w / (1.0f - v->sand.open[j]) * shoal_water_kernel(w->h, r);
        sum += weight, interior += v->sand.interior[j] * weight, open += v->sand.open[j] * weight;
    }
    porous_rock rock  = porous_rock_of(by * sum, by * interior, by * open, w->wall[i].w);
    float       there = rock.gain * by * sum; // compressed rock counts as if it were not
    if (sum > 0.0f) rock.void_fraction = 1.0f - (there < 1.0f ? there : 1.0f) * (1.0f - open / sum);
    return rock;
}
// Before its density is found, once.
SHOAL_FN porous_rock porous_pool_rock_around(const porous_pool_view* v, int i) {
    const shoal_water_view* w    = &v->water;
    porous_rock             rock = porous_pool_rock(v, i);
    v->rim[i]                    = rock.slope;
    v->void_fraction[i]          = rock.void_fraction;
    shoal_v4_set(&w->wall[i], shoal_v3_scale(shoal_v4_xyz(w->wall[i]), rock.wall));
    w->stream[i].w *= rock.wall;
    return rock;
}
SHOAL_FN void porous_pool_weigh(const porous_pool_view* v, int i) {
    porous_rock rock = porous_pool_rock_around(v, i);
    porous_count(&v->water, &v->sand, i, rock);
}

SHOAL_FN void porous_pool_recede(const porous_pool_view* v, int i) {
    if (porous_taps_hold(&v->taps, v->water.place[i])) v->water.stream[i].w -= porous_receding(&v->water, &v->sand, i);
}

SHOAL_FN void porous_pool_face(const porous_pool_view* v, int i) {
    porous_faces faces = POROUS_FACES_OF(v);
    porous_face_solids(&v->water, &faces, i);
}

// Its K, and what the walk over neighbours reads with it.
SHOAL_FN void porous_pool_publish_push(const porous_pool_view* v, int i) {
    v->kick[i] = shoal_v4_make(v->water.kappa[i], v->water.place[i].w, 0.0f, 0.0f);
}

// Before the start: gives way where packed sand presses.
SHOAL_FN void porous_pool_equalize(const porous_pool_view* v, int i) {
    const shoal_water_view* w      = &v->water;
    float                   excess = w->ratio[i] - 1.0f, most = 0.1f;
    excess      = excess > most ? most : excess < 0.0f ? 0.0f : excess;
    w->kappa[i] = POROUS_POOL_EQUALIZE * w->factor[i] * excess / w->dt;
    w->push[i]  = shoal_v3_make(0.0f, 0.0f, 0.0f);
    porous_pool_publish_push(v, i);
}
SHOAL_FN void porous_pool_shift(const porous_pool_view* v, int i) { porous_place(&v->water, i); }

// Coarse sand around a particle of water: fraction of the place, its means.
//     (1 + 0.34 c) du/dt = forces - c (a q + b q |q|) / rho
// with u relative to the grains, f the fraction that they leave free and q = f u the flux; water that swerves around
// rock counts as heavier. [Liu et al. 1999; van Gent 1995]
#define POROUS_ADDED_MASS 0.34f
SHOAL_FN void porous_pool_enter(const porous_pool_view* v, int i) {
    const shoal_water_view* w    = &v->water;
    float                   bump = 0.0f, open = 0.0f, linear = 0.0f, square = 0.0f, r;
    shoal_v3                velocity = {0.0f, 0.0f, 0.0f};
    v->bed[i]                        = shoal_v4_make(0.0f, 0.0f, 0.0f, 0.0f);
    v->bed_motion[i] = v->lost[i] = velocity;
    if (!v->is_coarse || !v->sand.are_there) return;
    SHOAL_FOR_NEAR(v->sand.near, i, j) {
        if (!(v->sand.open[j] > 0.0f)) continue;
        porous_sand sand = v->sands[v->sand_material[v->sand.source[j]]];
        shoal_displacement(w->place[i], v->sand.place[j], i, j, w->h, &r);
        float weight = shoal_water_kernel(w->h, r);
        bump += weight, open += weight * sand.open;
        linear += weight * sand.darcy_a, square += weight * sand.forchheimer_b;
        velocity = shoal_v3_add_scaled(velocity, shoal_v4_xyz(v->sand.motion[j]), weight);
    }
    if (!(bump > 0.0f)) return;
    float by = 1.0f / bump, c = w->weight * bump, there = c < 1.0f ? c : 1.0f;
    float f   = 1.0f - (1.0f - open * by) * there;
    v->bed[i] = shoal_v4_make(there * linear * by * f, there * square * by * f * f, POROUS_ADDED_MASS * there, bump);
    v->bed_motion[i] = shoal_v3_scale(velocity, by);
}

// A velocity as that sand leaves it, solved for the one at the end of the substep: in each sweep, so that pressure sees
// the drag. (Found after the sweeps, it brakes water that was to flow on, by more the longer the substep is.)
SHOAL_FN shoal_v3 porous_pool_drag(const porous_pool_view* v, int i, shoal_v3 motion) {
    const shoal_water_view* w   = &v->water;
    shoal_v4                bed = v->bed[i];
    if (!(bed.w > 0.0f)) return motion;
    float    a = 1.0f + bed.z + bed.x;
    shoal_v3 u = shoal_v3_sub(motion, v->bed_motion[i]), before = shoal_v3_sub(w->velocity[i], v->bed_motion[i]);
    shoal_v3 driven = shoal_v3_add_scaled(u, before, bed.z);
    float    by     = 2.0f / (a + sqrtf(a * a + 4.0f * bed.y * shoal_v3_length(driven)));
    shoal_v3 lost   = shoal_v3_add_scaled(u, driven, -by);
    v->lost[i]      = shoal_v3_scale(lost, w->liquids[w->material[i]].density * v->volume[i] / bed.w);
    return shoal_v3_sub(motion, lost);
}

// All forces but pressure have made `motion`; contact is found anew with each sweep.
SHOAL_FN void porous_pool_begin(const porous_pool_view* v, int i) {
    const shoal_water_view* w = &v->water;
    w->push[i]                = shoal_v3_sub(shoal_v4_xyz(w->motion[i]), w->touch[i]);
    if (w->holder[i] > 0) w->push[i] = shoal_v4_xyz(porous_drawn(w, i));
    porous_pool_enter(v, i);
    w->kappa[i] =
        (v->bed[i].w > 0.0f ? POROUS_POOL_WARM_COARSE : POROUS_POOL_WARM) * w->pressure_scale * w->pressure[i];
    v->last_kappa[i] = w->kappa[i];
    porous_pool_publish_push(v, i);
}

// p = B (s^7 - 1), never below zero.
SHOAL_FN void porous_pool_state(const porous_pool_view* v, int i) {
    v->water.kappa[i] = porous_tait(v->water.ratio[i], v->stiff);
    porous_pool_publish_push(v, i);
}

// `sum`: over the water near and the guests, of - vol_j (K_i + K_j) g.
SHOAL_FN void porous_pool_push_from(const porous_pool_view* v, int i, shoal_v3 sum) {
    const shoal_water_view* w = &v->water;
    sum                       = shoal_v3_add_scaled(sum, shoal_v4_xyz(w->wall[i]), -w->kappa[i]);
    float    light            = w->liquids[w->material[i]].light / (w->holder[i] > 0 ? POROUS_PUMP : 1.0f);
    shoal_v3 u                = shoal_v3_add_scaled(w->push[i], sum, light);
    u                         = porous_pool_drag(v, i, u);
    const shoal_v4* bar       = v->has_bars ? &v->bar[i] : NULL;
    porous_faces    faces     = POROUS_FACES_OF(v);
    w->touch[i] = v->rubbed[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    if (shoal_water_may_touch(w, i)) {
        shoal_v3 barred;
        w->touch[i] = porous_contact(w, &faces, bar, i, u, &barred);
        u           = shoal_v3_add(shoal_v3_add(u, w->touch[i]), barred);
    } else if (bar) {
        u = porous_barred(*bar, u, w->dt);
    }
    if (w->has_wall_drag && w->boundary.count[i] > 0)
        v->rubbed[i] = shoal_v3_sub(shoal_water_friction_by(w, i, u, w->kappa[i], w->touch[i]), u);
    shoal_v4_set(&w->motion[i], shoal_v3_add(u, v->rubbed[i]));
    w->motion[i].w = w->place[i].w;
}

SHOAL_FN shoal_v3 porous_pool_guests_push(const porous_pool_view* v, int i) {
    float own = v->water.kappa[i];
    return porous_guests_push(&v->water, &v->sand, v->sand.kappa, i, own, porous_rock_kappa(v->rim[i], own));
}

// v from all the pressure there is, and contact.
SHOAL_FN void porous_pool_push(const porous_pool_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    shoal_v3                sum = {0.0f, 0.0f, 0.0f};
    float                   r;
    SHOAL_FOR_NEAR(w->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(w->place, i, j, w->h, &r);
        float    k = w->place[j].w * (w->kappa[i] + w->kappa[j]);
        sum        = shoal_v3_add_scaled(sum, d, k * porous_slope(w, r));
    }
    porous_pool_push_from(v, i, shoal_v3_add(sum, porous_pool_guests_push(v, i)));
}

// Of a small lack of density a substep closes only a part: to let a whole pool down by a thousandth of its depth would
// take as many sweeps as it is deep.
#define POROUS_POOL_GAP 0.008f
#define POROUS_POOL_CLOSING 0.4
SHOAL_FN float porous_pool_gap(const porous_pool_view* v, int i) {
    const shoal_water_view* w    = &v->water;
    float                   lack = 1.0f - w->ratio[i];
    if (!(lack > 0.0f)) return 0.0f;
    return (1.0f - v->closing) * (lack < POROUS_POOL_GAP ? lack : POROUS_POOL_GAP) / w->dt;
}

// `sum`: over the water near, of vol_j slope/r v_ij . x_ij; `guests`: what guests have of Ds/Dt.
SHOAL_FN void porous_pool_apply_pressure_from(const porous_pool_view* v, int i, float sum, float guests) {
    const shoal_water_view* w = &v->water;
    float rate = porous_excess(w, i, 0.0f, v->leftover, v->correction, SHOAL_WATER_EXCESS) + porous_pool_gap(v, i) +
                 shoal_water_rate_from(w, i, sum) + guests;
    porous_compress(w, i, rate, v->sweep, v->last_kappa);
    porous_pool_publish_push(v, i);
}

// One more sweep: pressure by how fast it would be compressed.
SHOAL_FN void porous_pool_apply_pressure(const porous_pool_view* v, int i) {
    const shoal_water_view* w   = &v->water;
    float                   sum = 0.0f, r;
    SHOAL_FOR_NEAR(w->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(w->place, i, j, w->h, &r);
        shoal_v3 u = shoal_v3_sub(shoal_v4_xyz(w->motion[i]), shoal_v4_xyz(w->motion[j]));
        sum += w->place[j].w * shoal_water_slope(w->h, r) / r * shoal_v3_dot(u, d);
    }
    porous_pool_apply_pressure_from(v, i, sum, porous_guests_rate(w, &v->sand, i, v->rim[i]));
}

// The end of the sweeps: pressure in Pa; friction of solids, which they have reckoned with, and the way are those of
// SPH.
SHOAL_FN void porous_pool_settle(const porous_pool_view* v, int i) {
    const shoal_water_view* w = &v->water;
    w->pressure[i]            = w->kappa[i] / w->pressure_scale;
    w->motion[i].w            = 1.0f; // as SPH has it again
    shoal_v4_set(&w->motion[i], shoal_v3_sub(shoal_v4_xyz(w->motion[i]), v->rubbed[i]));
    shoal_water_settle(w, i);
    w->acceleration[i] = shoal_v3_length(shoal_v3_sub(w->course[i], w->velocity[i])) / w->dt;
}

// The mean of a pressure over it and its neighbours, each brought to its own height.
SHOAL_FN float porous_pool_mean(const porous_pool_view* v, int i, const float* pressure) {
    const shoal_water_view* w   = &v->water;
    float                   own = (w->ratio[i] < POROUS_POOL_INNER ? POROUS_POOL_OUTER : 1.0f) * w->place[i].w, r;
    float                   all = own * 0.5f * w->h * w->h2, sum = all * pressure[i];
    float                   density = w->liquids[w->material[i]].density;
    SHOAL_FOR_NEAR(w->near, i, j) {
        int      k      = j < w->count ? j : v->images[j - w->count].source;
        shoal_v3 d      = shoal_pair_displacement(w->place, i, j, w->h, &r);
        float    weight = w->place[j].w * shoal_water_kernel(w->h, r);
        if (w->ratio[k] < POROUS_POOL_INNER) weight *= POROUS_POOL_OUTER;
        sum += weight * (pressure[k] + density * shoal_v3_dot(w->gravity, d));
        all += weight;
    }
    return all > 0.0f && sum > 0.0f ? sum / all : 0.0f;
}

// What the pores around feel of its pressure: the mean of such means; and how deep in sand it is. One without pores
// around has its own until it comes there.
SHOAL_FN void porous_pool_average_pressure(const porous_pool_view* v, int i) {
    bool has_pores      = v->sand.are_there && v->sand.near.count[i] > 0;
    v->mean_pressure[i] = has_pores ? porous_pool_mean(v, i, v->water.pressure) : v->water.pressure[i];
}
SHOAL_FN void porous_pool_smooth_pressure(const porous_pool_view* v, int i) {
    const shoal_water_view* w         = &v->water;
    bool                    has_pores = v->sand.are_there && v->sand.near.count[i] > 0;
    float within = 0.0f, mean = has_pores ? porous_pool_mean(v, i, v->mean_pressure) : v->mean_pressure[i], r;
    v->smoothed_pressure[i] += POROUS_POOL_NEW * (mean - v->smoothed_pressure[i]);
    v->within[i] = 0.0f;
    if (!has_pores) return;
    SHOAL_FOR_NEAR(v->sand.near, i, j) {
        if (v->sand.open[j] > 0.0f) continue;
        shoal_displacement(w->place[i], v->sand.place[j], i, j, w->h, &r);
        within += shoal_water_kernel(w->h, r);
    }
    v->within[i] = w->weight * within;
}

#endif
