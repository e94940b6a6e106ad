// SPDX-License-Identifier: MIT
// Free water among the grains (Rungjiratananon et al. 2008, section 4.3), of one grain or one particle: neighbours,
// how grains give way while the pressure is being found, equations 9 and 10, and water that is taken up.
//
// Water and grains take turns. Were a grain a wall to the water, with the speed it has, the pressure that turns the
// water away would throw the grain back, the more the lighter it is against the water it moves: from about equal masses
// on they throw each other ever faster, and water in pores is that heavy. So the solve moves the grains too, as free
// bodies. With M the mass of the water that a grain of mass m must move, f the impulse on it over m, c what drives the
// water: a free grain has f' = c / (1 + M/m), the exact one, at once; one that contacts hold (1 + M/m) f' = M/m f + c,
// which goes to the right force c without ringing, whatever the masses.
#ifndef SHOAL_GRAINS_AMONG_PASS_H
#define SHOAL_GRAINS_AMONG_PASS_H

#include "fluid/water_pass.h"
#include "math/drag.h"
#include "solvers/grains/grains_wet_pass.h"

// A grain near a water particle.
typedef struct grains_meet {
    int      grain, water, sample; // sample: that which the grain, or its image, is to the water
    float    r;                    // m
    shoal_v3 slope;                // of its fraction of s at the particle, 1/m
} grains_meet;

// Neighbours, and what they do to each other. Where passes run.
typedef struct grains_pairs {
    float*       volume; // [grains and images] m^3
    grains_meet* meet;   // grains near particle i: [meet_first[i], meet_first[i] + meet_count[i])
    int *        meet_first, *meet_count;
    int *        pair_first, *pair_meet; // water near grain g: [pair_first[g], pair_first[g + 1])
    uint64_t *   keys, *keys_sorted;     // grains of all meetings, on a device
    float*       drag;                   // [grains] over (h - r), kg/(m s)
    float *      slowed, *slows;         // [water], [grains] rate at which drag takes a difference, 1/s
    shoal_v4*    even;                   // [grains] what each gives back to the water around, over kernel, N
    shoal_v4*    cushion;                // [grains] force of the water between it and a solid, N
    shoal_v4*    given;    // [grains] velocity by the pressure found so far, m/s; sum of the slopes' lengths, 1/m
    float*       occupied; // [water] fraction of the space around that grains and solids take
    float *compliance, *uncorrected, *inflow; // [water] as in the water's view; inflow of solids as they were, 1/s
    int*   choice;                            // [grains] the particle it wants, or the obstacle that it leans on
    int*   taken;                             // [water] how many grains share it
    int*   seen; // [grains, as in the set] where it was in the work arrays when the pairs were made
} grains_pairs;

// All of it, as passes of the water and of grains in it see it.
typedef struct grains_among {
    grains_state     all;
    grains_pairs     pairs;
    shoal_water_view water;
    int              count, meets;       // of water particles, and of meetings
    int              first;              // material of the water
    float            density, viscosity; // of it, kg/m^3, Pa s
    float            half, pore;         // m, half its spacing; m^3, of wetness 1
    float            age;                // s of this step
    const shoal_v3*  position;
    GRAINS_AMONG_FIELDS(SHOAL_FIELD_MEMBER)
} grains_among;

SHOAL_FN float grains_drop_mass(const grains_among* s) { // of a water particle, kg
    const shoal_water_view* v = &s->water;
    return v->liquids[s->first].density * v->d * v->d * v->d;
}

// Radius and mass of water particle i, from its water.
SHOAL_FN void grains_show_drop(const grains_among* s, int i) {
    s->radius[i] = s->half;
    s->mass[i]   = grains_wetness(s->quanta[i]) * s->pore * s->density;
}
SHOAL_FN double grains_quanta_of(const grains_among* s, int i) { return (double)s->quanta[i]; }

// Born water grows old.
SHOAL_FN void grains_grow_old(const grains_among* s, int i) { s->fresh[i] = fmaxf(s->fresh[i] - s->age, 0.0f); }

// The box around the water, as maxima: low corners, with their sign, and high ones.
#define GRAINS_SIDE(name, side)                                                                                        \
    SHOAL_FN double grains_##name(const grains_among* s, int i) {                                                      \
        shoal_v3 x = shoal_world_wrap(s->all.view.world, s->position[i]);                                              \
        return (double)(side);                                                                                         \
    }
GRAINS_SIDE(low_x, -x.x)
GRAINS_SIDE(low_y, -x.y)
GRAINS_SIDE(low_z, -x.z)
GRAINS_SIDE(high_x, x.x)
GRAINS_SIDE(high_y, x.y)
GRAINS_SIDE(high_z, x.z)
#undef GRAINS_SIDE

// ---------------------------------------------------------------------------------- neighbours

// The grain that a sample of the water's boundary is; -1: none.
SHOAL_FN int grains_of_sample(const grains_among* s, int b) {
    int body = s->water.sample.body[b];
    if (body > SHOAL_WATER_OTHER) return -1;
    int other = SHOAL_WATER_OTHER - body;
    return other < s->all.view.count ? other : s->all.images[other - s->all.view.count].source;
}

// A grain takes up its own volume and that of the water in its pores, as far as they hold it: sand with full pores
// leaves no room for free water, and the excess water of overwet sand takes none. As printed, equation 9 is that of a
// grain of a quarter of its volume: the water must see the volume that it presses on, or its pressure could never make
// room. Of a grain or an image, m^3.
SHOAL_FN float grains_volume_of(const grains_among* s, int i) {
    int   k    = i < s->all.view.count ? i : s->all.images[i - s->all.view.count].source;
    float r    = s->all.size[s->all.work.own[k]];
    float full = fminf(grains_wetness((int64_t)s->all.work.water[k] + s->all.work.pending[k]), 1.0f);
    float all  = (float)(4.0 / 3.0 * SHOAL_PI) * r * r * r + s->pore * full;
    return s->all.params.coupling == GRAINS_COUPLING_PRINTED ? 0.25f * all : all;
}
SHOAL_FN void grains_swell(const grains_among* s, int i) { s->pairs.volume[i] = grains_volume_of(s, i); }
SHOAL_FN void grains_see(const grains_among* s, int k) { s->pairs.seen[s->all.work.own[k]] = k; }

// Room for the meetings of particle i; summed up, where they end.
SHOAL_FN void grains_expect(const grains_among* s, int i) { s->pairs.meet_first[i] = s->water.boundary.count[i]; }

SHOAL_FN void grains_meet_at(const grains_among* s, int i) {
    const grains_pairs*     w     = &s->pairs;
    const shoal_water_view* v     = &s->water;
    int                     first = w->meet_first[i] - v->boundary.count[i], count = 0;
    float                   fraction = 0.0f;
    w->meet_first[i]                 = first;
    SHOAL_FOR_NEAR(v->boundary, i, b) {
        int g = grains_of_sample(s, b);
        if (g < 0) continue;
        grains_meet* m = w->meet + first + count++;
        shoal_v3     d = shoal_displacement(v->place[i], v->sample.place[b], i, b, v->h, &m->r);
        m->grain       = g;
        m->water       = i;
        m->sample      = b;
        m->slope       = shoal_v3_scale(d, -v->slope * v->sample.place[b].w * shoal_water_slope(v->h, m->r) / m->r);
        fraction += v->weight * v->sample.place[b].w * shoal_water_kernel(v->h, m->r);
    }
    if (w->keys) // sorted by these, meetings of a grain are in the order of the particles
        for (int k = 0; k < v->boundary.count[i]; k++)
            w->keys[first + k] = (uint64_t)(k < count ? w->meet[first + k].grain : s->all.view.count);
    w->meet_count[i] = count;
    w->occupied[i]   = v->wall[i].w;
    w->inflow[i]     = v->stream[i].w;
    // where grains and solids alone are more than there is room for beside the particle itself, no pressure can
    // change it
    float over        = count > 0 ? fminf(fmaxf(v->self + v->wall[i].w - 1.0f, 0.0f), fraction) : 0.0f;
    w->uncorrected[i] = v->is_explicit ? 0.0f : over;
    if (v->is_explicit) v->wall[i].w -= over;
}

// The first meeting of grain g among those sorted; a pass over the grains, and one more.
SHOAL_FN void grains_find_pairs(const grains_among* s, int g) {
    int low = 0, high = s->meets;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->pairs.keys_sorted[middle] < (uint64_t)g)
            low = middle + 1;
        else
            high = middle;
    }
    s->pairs.pair_first[g] = low;
}

// The meetings of particle i, and those of grain g: `m` is each of them.
#define GRAINS_EACH_MEET(s, i, m)                                                                                      \
    for (const grains_meet *m = (s)->pairs.meet + (s)->pairs.meet_first[i], *m##_end = m + (s)->pairs.meet_count[i];   \
         m < m##_end; m++)
#define GRAINS_EACH_PAIR(s, g, k) for (int k = (s)->pairs.pair_first[g]; k < (s)->pairs.pair_first[(g) + 1]; k++)
SHOAL_FN const grains_meet* grains_paired(const grains_among* s, int k) {
    return s->pairs.meet + s->pairs.pair_meet[k];
}

// What a grain gives way to all that press on it: no more than if each pressed as this one does and in one line.
SHOAL_FN void grains_slopes(const grains_among* s, int g) {
    float sum = 0.0f;
    GRAINS_EACH_PAIR(s, g, k) sum += shoal_v3_length(grains_paired(s, k)->slope);
    s->pairs.given[g] = shoal_v4_make(0.0f, 0.0f, 0.0f, sum);
}

SHOAL_FN float grains_mass_fraction(const grains_among* s, int g) { // of a water particle's mass over the grain's
    return grains_drop_mass(s) * s->all.work.spin[0][g].w;
}

SHOAL_FN void grains_yield_to(const grains_among* s, int i) {
    s->pairs.compliance[i] = 0.0f;
    GRAINS_EACH_MEET(s, i, m)
    s->pairs.compliance[i] +=
        grains_mass_fraction(s, m->grain) * shoal_v3_length(m->slope) * s->pairs.given[m->grain].w;
}

// ---------------------------------------------------------------------------------- giving way

// K that a particle presses with so far: that of the solve under way, and of the divergence-free one before it.
SHOAL_FN float grains_push_of(const shoal_water_view* v, int i) {
    bool is_second = v->is_split && v->total != v->settling;
    return v->total[i] + (is_second ? v->pressure_scale * v->settling[i] / (v->ratio[i] * v->ratio[i]) : 0.0f);
}

SHOAL_FN void grains_recoil(const grains_among* s, int g) {
    shoal_v3 sum = shoal_v3_make(0.0f, 0.0f, 0.0f);
    GRAINS_EACH_PAIR(s, g, k) {
        const grains_meet* m = grains_paired(s, k);
        sum                  = shoal_v3_add_scaled(sum, m->slope, grains_push_of(&s->water, m->water));
    }
    shoal_v4_set(&s->pairs.given[g], shoal_v3_scale(sum, grains_mass_fraction(s, g)));
}

SHOAL_FN void grains_flow_in(const grains_among* s, int i) {
    float sum = 0.0f;
    GRAINS_EACH_MEET(s, i, m) sum += shoal_v3_dot(m->slope, grains_xyz(s->pairs.given[m->grain]));
    s->water.stream[i].w = s->pairs.inflow[i] + sum;
}

// Where a sample that is a grain will be; a pass over the samples.
SHOAL_FN void grains_guess(const grains_among* s, int b) {
    const shoal_sample_view* to = &s->water.sample;
    int                      g  = grains_of_sample(s, b);
    if (g < 0) return;
    shoal_v3 u = shoal_v3_add(shoal_v4_xyz(to->motion[b]), grains_xyz(s->pairs.given[g]));
    shoal_v4_set(&to->guess[b], shoal_v3_add_scaled(shoal_v4_xyz(to->place[b]), u, s->water.dt));
}

// ---------------------------------------------------------------------------------- equation 10

// F = sum c (v_i - v_g), c = b (h - r) in the shape of the Laplacian that equation 10 has. As printed b is mu V_i V_g /
// 2 times its scale. Water is so thin that such grains would meet no resistance but that of the pressure, so by default
// b is what gives the sphere its drag among other grains (math/drag.h).
SHOAL_FN float grains_drag_of(const grains_among* s, int g, float weights, shoal_v3 stream, float voids) {
    const shoal_water_view* v        = &s->water;
    float                   diameter = 2.0f * s->all.work.place[0][g].w;
    if (s->all.params.drag == GRAINS_DRAG_PAPER) {
        float h3 = v->h * v->h2, cube = v->d * v->d * v->d;
        return 0.5f * s->viscosity * cube * s->pairs.volume[g] * 45.0f / ((float)SHOAL_PI * h3 * h3);
    }
    shoal_drag_liquid of     = {s->density, s->viscosity, diameter};
    float             speed  = shoal_v3_length(shoal_v3_sub(stream, grains_xyz(s->all.work.speed[0][g])));
    float             sphere = shoal_drag_sphere(&of, voids, speed);
    return sphere / weights;
}

SHOAL_FN void grains_drag(const grains_among* s, int g) {
    const grains_pairs*     w       = &s->pairs;
    const shoal_water_view* v       = &s->water;
    shoal_v3                stream  = shoal_v3_make(0.0f, 0.0f, 0.0f);
    float                   weights = 0.0f, other_sum = 0.0f;
    GRAINS_EACH_PAIR(s, g, k) {
        const grains_meet* m = grains_paired(s, k);
        float              t = fmaxf(v->h - m->r, 0.0f);
        weights += t;
        other_sum +=
            t * fmaxf(w->occupied[m->water] - v->weight * v->sample.place[m->sample].w * shoal_water_kernel(v->h, m->r),
                      0.0f);
        stream = shoal_v3_add_scaled(stream, shoal_v4_xyz(v->motion[m->water]), t);
    }
    w->drag[g] = w->slows[g] = 0.0f;
    if (!(weights > 1e-3f * v->h)) return;
    float voids = fminf(fmaxf(1.0f - other_sum / weights, 0.3f), 1.0f);
    w->drag[g]  = grains_drag_of(s, g, weights, shoal_v3_scale(stream, 1.0f / weights), voids);
    w->slows[g] = w->drag[g] * weights * s->all.work.spin[0][g].w;
}

// Of one pair, kg/s, for the whole step: c / (1 + dt (sum c / m_i + sum c / m_g)), the sums over all that either meets.
// So the rates of any two that meet add up to less than 2 / dt, which is the most that an exchange of all with all,
// each for itself, bears without gain of energy; and what one loses the other gets.
SHOAL_FN float grains_drag_between(const grains_among* s, const grains_meet* m) {
    const grains_pairs*     w = &s->pairs;
    const shoal_water_view* v = &s->water;
    return w->drag[m->grain] * fmaxf(v->h - m->r, 0.0f) / (1.0f + v->dt * (w->slowed[m->water] + w->slows[m->grain]));
}

// What the grains take from the water's velocity; from everyone's velocity before, which stays in `velocity`.
SHOAL_FN void grains_slow(const grains_among* s, int i) {
    const grains_pairs*     w    = &s->pairs;
    const shoal_water_view* v    = &s->water;
    float                   mass = grains_drop_mass(s);
    shoal_v3                sum  = shoal_v3_make(0.0f, 0.0f, 0.0f);
    w->slowed[i]                 = 0.0f;
    GRAINS_EACH_MEET(s, i, m) w->slowed[i] += w->drag[m->grain] * fmaxf(v->h - m->r, 0.0f) / mass;
    GRAINS_EACH_MEET(s, i, n)
    sum = shoal_v3_add_scaled(sum, shoal_v3_sub(grains_xyz(s->all.work.speed[0][n->grain]), v->velocity[i]),
                              grains_drag_between(s, n));
    shoal_v4_set(&v->motion[i], shoal_v3_add_scaled(v->velocity[i], sum, v->dt / mass));
}

// ---------------------------------------------------------------------------------- equation 9

// As printed, a quarter of p_i + p_g: that of p_i is in the volume of the grains, and p_g pushes by itself.
SHOAL_FN void grains_print(const grains_among* s, int i) {
    const shoal_water_view* v       = &s->water;
    float                   push    = s->all.params.grain_pressure * v->pressure_scale;
    shoal_v3                slope   = shoal_v3_make(0.0f, 0.0f, 0.0f);
    GRAINS_EACH_MEET(s, i, m) slope = shoal_v3_add(slope, m->slope);
    shoal_v4_set(&v->motion[i],
                 shoal_v3_add_scaled(shoal_v4_xyz(v->motion[i]), slope, -push * v->liquids[v->material[i]].light));
}

// Water between a grain and a solid, too narrow for particles, has the pressure of the water around: without it the
// grain would be pressed to the floor by all that is above. `push` is what a pressure of 1 all around does, m^2: taken
// back is its part towards the solid, as far as the solid is the cause.
SHOAL_FN shoal_v3 grains_cushion(const grains_among* s, int g, shoal_v3 push) {
    const shoal_water_view* v    = &s->water;
    shoal_v3                none = shoal_v3_make(0.0f, 0.0f, 0.0f), x = grains_xyz(s->all.work.place[0][g]);
    if (!shoal_solids_are_near(v->solids.world, x, v->h)) return none;
    shoal_v3 slope  = shoal_solid_fraction_at(&v->solids, x, v->h, SHOAL_KERNEL_CUBIC).gradient;
    float    length = shoal_v3_length(slope);
    if (!(length > 0.0f)) return none;
    float towards = shoal_v3_dot(push, slope) / length, most = s->pairs.volume[g] * length;
    return shoal_v3_scale(slope, -fminf(fmaxf(towards, 0.0f), most) / length);
}

// What the water around a grain does to it.
typedef struct grains_shell {
    shoal_v3 pressure_force, drag; // forces, N
    shoal_v3 push;                 // of a pressure of 1 all around, m^2
    shoal_v3 gain;                 // mean acceleration, m/s^2
    float    push_length;          // the sum of the lengths of push's parts, m^2
    float    weights, weights2;    // of kernel, and of its square
    float    pressure;             // mean, Pa
    float    mass;                 // mean of a particle's, kg
    float    occupied;             // mean fraction of other grains and of solids where the water is
} grains_shell;

SHOAL_FN grains_shell grains_shell_of(const grains_among* s, int g) {
    const shoal_water_view* v    = &s->water;
    shoal_v3                none = shoal_v3_make(0.0f, 0.0f, 0.0f), own = grains_xyz(s->all.work.speed[0][g]);
    grains_shell            sum  = {none, none, none, none, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    float                   mass = grains_drop_mass(s), scale = mass / v->dt * v->pressure_scale;
    float fixed = s->all.params.coupling == GRAINS_COUPLING_PRINTED ? s->all.params.grain_pressure : 0.0f;
    GRAINS_EACH_PAIR(s, g, k) {
        const grains_meet* m    = grains_paired(s, k);
        int                i    = m->water;
        float              part = v->motion[i].w * v->motion[i].w, kernel = shoal_water_kernel(v->h, m->r);
        sum.pressure_force = shoal_v3_add_scaled(sum.pressure_force, m->slope, scale * (part * v->pressure[i] + fixed));
        sum.push           = shoal_v3_add_scaled(sum.push, m->slope, scale * part);
        sum.push_length += scale * part * shoal_v3_length(m->slope);
        sum.drag = shoal_v3_add_scaled(sum.drag, shoal_v3_sub(v->velocity[i], own), grains_drag_between(s, m));
        sum.gain = shoal_v3_add_scaled(sum.gain, shoal_v3_sub(shoal_v4_xyz(v->motion[i]), v->velocity[i]), kernel);
        sum.weights += kernel;
        sum.weights2 += kernel * kernel;
        sum.pressure += kernel * v->pressure[i];
        sum.mass += kernel * mass;
        sum.occupied += kernel * fmaxf(s->pairs.occupied[i] - v->weight * v->sample.place[m->sample].w * kernel, 0.0f);
    }
    if (!(sum.weights > 0.0f)) return sum;
    sum.gain = shoal_v3_scale(sum.gain, 1.0f / (sum.weights * v->dt));
    sum.pressure /= sum.weights;
    sum.mass /= sum.weights;
    sum.occupied /= sum.weights;
    return sum;
}

// 1 up to `from`, 0 beyond `to`.
SHOAL_FN float grains_fade(float x, float from, float to) { return fminf(fmaxf((to - x) / (to - from), 0.0f), 1.0f); }

SHOAL_FN bool grains_is_alone(const grains_among* s, int g) {
    GRAINS_EACH_SLOT(s->all.view.lists, g, slot)
    if (grains_is_close(&s->all, g, slot)) return false;
    return true;
}

// The pressure that all water around a grain has in common does nothing to it, but the sum over a few particles makes
// of it a force that grows with depth and holds every grain in its place. So what counts for a grain within the water
// is the gradient of pressure that the water as a whole answers to, rho (Du/Dt - g), on its volume. Du/Dt is that of
// the particles around at the end of the step, with what they get back of the sum by `grains_settle`: F (1 + rho V / M)
// = rho V (Du/Dt - g + P / M) for the sum P. Where a side is without water, because of air, solids or other grains, or
// there is little of it, the sum is no error and stays. `lean` is 1/2 for a half space, and up to 0.3 by chance, of the
// few particles around a grain that moves through them; but on a bed, where grains lean on others, a lean of 0.3 is a
// side without water.
SHOAL_FN shoal_v3 grains_pressure_on(const grains_among* s, int g, const grains_shell* a) {
    float lean = shoal_v3_length(a->push) / a->push_length, within = s->density * s->pairs.volume[g];
    float around   = a->mass * a->weights * a->weights / a->weights2;
    float fraction = grains_fade(a->occupied, 0.05f, 0.2f) * grains_fade(within / around, 0.6f, 1.0f);
    if (fraction > 0.0f)
        fraction *= grains_is_alone(s, g) ? grains_fade(lean, 0.35f, 0.5f) : grains_fade(lean, 0.15f, 0.35f);
    if (s->all.params.coupling == GRAINS_COUPLING_PRINTED) return a->pressure_force;
    shoal_v3 behind     = shoal_v3_scale(grains_cushion(s, g, a->push), a->pressure * (1.0f - fraction));
    s->pairs.cushion[g] = shoal_v4_make(behind.x, behind.y, behind.z, 0.0f);
    if (!(fraction > 0.0f)) return shoal_v3_add(a->pressure_force, behind);
    shoal_v3 fall = shoal_v3_add_scaled(shoal_v3_sub(a->gain, s->water.gravity), a->pressure_force, 1.0f / around);
    shoal_v3 free = shoal_v3_scale(fall, within / (1.0f + within / around));
    return shoal_v3_add_scaled(shoal_v3_add_scaled(behind, a->pressure_force, 1.0f - fraction), free, fraction);
}

// The force of the water on each grain, opposite to what each pair has given the water: pressure, mirrored in the
// grain, and drag.
SHOAL_FN void grains_force(const grains_among* s, int g) {
    const grains_pairs* w = &s->pairs;
    grains_shell        a = grains_shell_of(s, g);
    w->even[g] = w->cushion[g] = s->all.work.outer[g] = shoal_v4_make(0.0f, 0.0f, 0.0f, 0.0f);
    if (!(a.push_length > 0.0f)) return;
    shoal_v3 pressure_force = grains_pressure_on(s, g, &a), force = shoal_v3_add(pressure_force, a.drag);
    shoal_v3 even        = shoal_v3_sub(shoal_v3_add(a.pressure_force, grains_xyz(w->cushion[g])), pressure_force);
    even                 = shoal_v3_scale(even, 1.0f / a.weights);
    s->all.work.outer[g] = shoal_v4_make(force.x, force.y, force.z, 0.0f);
    w->even[g]           = shoal_v4_make(even.x, even.y, even.z, 0.0f);
}

// What the sums over pairs have in excess goes to the water around each grain, by kernel.
SHOAL_FN void grains_settle(const grains_among* s, int i) {
    const shoal_water_view* v   = &s->water;
    shoal_v3                sum = shoal_v3_make(0.0f, 0.0f, 0.0f);
    GRAINS_EACH_MEET(s, i, m)
    sum = shoal_v3_add_scaled(sum, grains_xyz(s->pairs.even[m->grain]), shoal_water_kernel(v->h, m->r));
    shoal_v4_set(&v->motion[i], shoal_v3_add_scaled(shoal_v4_xyz(v->motion[i]), sum, v->dt / grains_drop_mass(s)));
}

// The cushion of a grain at an obstacle presses on that as well: the one that it leans on most; below 0: none.
SHOAL_FN void grains_lean_on(const grains_among* s, int g) {
    shoal_v3 push = grains_xyz(s->pairs.cushion[g]), normal;
    int      best = -1;
    float    most = 0.0f;
    for (int k = 0; k < s->all.view.lists.solids[g] && (push.x != 0.0f || push.y != 0.0f || push.z != 0.0f); k++) {
        int   solid = grains_solid_of(&s->all.view, g, k);
        float along =
            grains_solid_distance(&s->all.view, g, solid, &normal) < s->water.h ? shoal_v3_dot(normal, push) : 0.0f;
        if (along <= most) continue;
        most = along;
        best = solid - GRAINS_WALLS;
    }
    s->pairs.choice[g] = best;
}

// ---------------------------------------------------------------------------------- absorption

// Nearer than this to its surface a particle touches a grain, in spacings of the water: half its own size.
SHOAL_FN bool grains_touches(const grains_among* s, const grains_meet* m) {
    const float fraction = 0.5f;
    return m->r < s->all.work.place[0][m->grain].w + fraction * s->water.d;
}

// A particle that sees less than this fraction of the grains around, because there is no room for it, is water of their
// pores: they take it up, overwet or not.
SHOAL_FN bool grains_is_enclosed(const grains_among* s, int i) { return s->pairs.occupied[i] > 1.0f; }

// Up to half of what a saved state may say (grains_load.c), so that what comes in a step still fits; then it waits.
SHOAL_FN bool grains_may_hold(const grains_among* s, int g) { return s->all.work.water[g] < 32 * GRAINS_QUANTA; }
SHOAL_FN bool grains_drinks(const grains_among* s, int g) { return grains_takes(&s->all, s->all.work.water[g]); }

// Water in the opening of an emitter is not there yet for anybody to drink.
SHOAL_FN bool grains_is_free(const grains_among* s, int i) { return s->water.holder[i] == 0; }

// Whether the grain gets a part of the particle that it meets, if that is taken up.
SHOAL_FN bool grains_joins(const grains_among* s, const grains_meet* m) {
    bool takes_part = (grains_is_enclosed(s, m->water) && grains_may_hold(s, m->grain)) || grains_drinks(s, m->grain);
    return grains_is_free(s, m->water) && takes_part && grains_touches(s, m);
}

SHOAL_FN void grains_choose(const grains_among* s, int g) {
    const shoal_water_view* v       = &s->water;
    float                   nearest = 0.0f;
    int                     best    = -1;
    bool                    drinks  = grains_drinks(s, g);
    GRAINS_EACH_PAIR(s, g, k) {
        const grains_meet* m = grains_paired(s, k);
        if (!drinks || s->fresh[m->water] > 0.0f || !grains_is_free(s, m->water) || !grains_touches(s, m)) continue;
        if (best >= 0 && (m->r > nearest || (m->r == nearest && v->id[m->water] > v->id[best]))) continue;
        best    = m->water;
        nearest = m->r;
    }
    s->pairs.choice[g] = best;
}

// How many grains share particle i; 0: it stays.
SHOAL_FN void grains_split(const grains_among* s, int i) {
    int  count     = 0;
    bool is_chosen = grains_is_enclosed(s, i);
    GRAINS_EACH_MEET(s, i, m) {
        if (!grains_joins(s, m)) continue;
        count++;
        is_chosen = is_chosen || s->pairs.choice[m->grain] == i;
    }
    s->pairs.taken[i] = is_chosen ? count : 0;
}

// What the particle gives to the grain of one meeting: what does not go evenly goes to the first of its list.
SHOAL_FN int32_t grains_sip(const grains_among* s, const grains_meet* meet, int32_t quanta) {
    int i = meet->water, rank = 0, fraction = s->pairs.taken[i];
    for (const grains_meet* m = s->pairs.meet + s->pairs.meet_first[i]; m < meet; m++) rank += grains_joins(s, m);
    return quanta / fraction + (rank < quanta % fraction);
}

// With the water comes its momentum; it does not spin. The grains that share are found before any water changes.
SHOAL_FN void grains_drink(const grains_among* s, int g) {
    const grains_work* w    = &s->all.work;
    double             each = s->all.water_mass / GRAINS_QUANTA;
    shoal_v4           u    = w->speed[0][g];
    double             mass = (double)u.w * (double)u.w, more = 0.0;
    shoal_d3           sum = shoal_d3_scale(shoal_d3_from(grains_xyz(u)), mass);
    w->water_next[g]       = w->water[g];
    GRAINS_EACH_PAIR(s, g, k) {
        const grains_meet* m = grains_paired(s, k);
        if (s->pairs.taken[m->water] == 0 || !grains_joins(s, m)) continue;
        int32_t part = grains_sip(s, m, s->quanta[m->water]);
        w->water_next[g] += part;
        more += part * each;
        sum = shoal_d3_add(sum, shoal_d3_scale(shoal_d3_from(s->water.velocity[m->water]), part * each));
    }
    if (more == 0.0) return;
    double   all   = mass + more;
    shoal_v3 now   = shoal_v3_from(shoal_d3_scale(sum, 1.0 / all));
    w->speed[0][g] = shoal_v4_make(now.x, now.y, now.z, (float)sqrt(all));
    float light    = w->spin[0][g].w; // less than 1/mass for a grain that an opening holds
    float reach    = w->place[0][g].w * (float)sqrt(mass / all);
    grains_turn(&s->all, g, w->water_next[g], shoal_v3_scale(grains_xyz(w->spin[0][g]), reach * reach), &w->spin[0][g]);
    w->spin[0][g].w = light * (float)(mass / all);
}

// How many are taken up, and the water that these are, quanta.
SHOAL_FN double grains_taken_of(const grains_among* s, int i) { return s->pairs.taken[i] > 0 ? 1.0 : 0.0; }
SHOAL_FN double grains_given_of(const grains_among* s, int i) {
    return s->pairs.taken[i] > 0 ? (double)s->quanta[i] : 0.0;
}

// The obstacle that the cushion of a grain presses (GRAINS_lean_on); -1: none.
SHOAL_FN double grains_leans_of(const grains_among* s, int g) { return s->pairs.choice[g]; }

#endif
