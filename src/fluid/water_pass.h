// SPDX-License-Identifier: MIT
// What happens to one particle of SPH water: the passes, plain. Each writes only its own index and never reads at
// another index what it writes.
#ifndef SHOAL_WATER_PASS_H
#define SHOAL_WATER_PASS_H

#include "fluid/water.h"
#include "math/boundary_layer.h"

// Below this density ratio a particle is at the surface and may come nearer to others without pressure. A flat surface
// has 0.85 on the lattice, the next layer 0.99 and more.
#define SHOAL_WATER_SURFACE 0.9f

// Below this part of h a pair's distance no longer counts in the artificial viscosity, which would grow without bounds.
#define SHOAL_WATER_BLUR 0.1f

// The most compression that one sweep makes good: those let out of a squeeze do not burst.
#define SHOAL_WATER_EXCESS 0.1f

// Above this density ratio a particle has others all around it.
#define SHOAL_WATER_INNER 0.98f

// The cubic spline and its slope -dW/dr, both without their scales.
SHOAL_FN float shoal_water_kernel(float h, float r) {
    float t = h - r, u = 0.5f * h - r;
    if (t < 0.0f) t = 0.0f;
    if (u < 0.0f) u = 0.0f;
    return t * t * t - 4.0f * u * u * u;
}
SHOAL_FN float shoal_water_slope(float h, float r) {
    float t = h - r, u = 0.5f * h - r;
    if (t < 0.0f) t = 0.0f;
    if (u < 0.0f) u = 0.0f;
    return t * t - 4.0f * u * u;
}

// ---------------------------------------------------------------------------------- positions

SHOAL_FN void shoal_water_stand(const shoal_water_view* v, int i) {
    shoal_v4_set(&v->place[i], shoal_world_wrap(v->solids.world, v->position[i]));
    shoal_v4_set(&v->motion[i], v->velocity[i]);
    v->place[i].w = v->motion[i].w = 0.0f;
    v->touch[i]                    = shoal_v3_make(0.0f, 0.0f, 0.0f);
}

SHOAL_FN shoal_v3 shoal_water_clear(const shoal_water_view* v, shoal_v3 x) {
    return shoal_solids_are_near(v->solids.world, x, v->contact) ? shoal_solid_clear(&v->solids, x, v->contact) : x;
}

// The same for one that comes `from` a place.
SHOAL_FN shoal_v3 shoal_water_arrive(const shoal_water_view* v, shoal_v3 from, shoal_v3 x) {
    return shoal_water_clear(v, shoal_solid_walk(v->solids.world, from, x, v->contact, v->dt));
}

// Samples of walls end soon behind open sides, the walls do not.
SHOAL_FN bool shoal_water_may_touch(const shoal_water_view* v, int i) {
    shoal_v4 x = v->place[i];
    return v->boundary.count[i] > 0 || (v->reflects && shoal_mirrors_are_near(&v->solids, shoal_v4_xyz(x), v->h)) ||
           (v->solids.world->domain.is_given &&
            (x.x < v->solids.world->min.x || x.x > v->solids.world->max.x || x.y < v->solids.world->min.y ||
             x.y > v->solids.world->max.y || x.z < v->solids.world->min.z || x.z > v->solids.world->max.z));
}

// Changes the velocity. Solids let no particle nearer than half a spacing: what contact adds is found anew with each
// change, so that what it gave too much it takes back. Samples alone are too weak: a wall answers with K_i, where a
// fluid would with K_i + K_j. (Mirroring K_i is no way out: it drives currents along the walls for ever.)
SHOAL_FN void shoal_water_change(const shoal_water_view* v, int i, shoal_v3 change) {
    shoal_v3 u = shoal_v3_add(shoal_v4_xyz(v->motion[i]), change);
    if (shoal_water_may_touch(v, i)) {
        u             = shoal_v3_sub(u, v->touch[i]);
        shoal_v3 from = shoal_v4_xyz(v->place[i]), x = shoal_v3_add_scaled(from, u, v->dt);
        v->touch[i] = shoal_v3_scale(shoal_v3_sub(shoal_water_arrive(v, from, x), x), 1.0f / v->dt);
        u           = shoal_v3_add(u, v->touch[i]);
    }
    shoal_v4_set(&v->motion[i], u);
}

// Sums over the samples near, each by its volume over V. [Akinci et al. 2012]
typedef struct shoal_water_boundary {
    float    fraction; // of kernel
    shoal_v3 slope;    // of slope/r x_ib
    float    inflow;   // of slope/r x_ib . v_b
    shoal_v3 stream;   // of kernel v_b
    float    friction; // of kernel times friction
    float    hold;     // of h - r, those that stick
    float    layer;    // of kernel, those that drag by their boundary layer
} shoal_water_boundary;

// What solids add to s, its gradient, and how they move and their friction. A solid that sticks drags by viscosity as
// if the flow behind its surface were the mirrored one [Morris 1997]: samples lie d/2 behind.
SHOAL_FN void shoal_water_solids_from(const shoal_water_view* v, int i, shoal_water_boundary sum) {
    shoal_v4_set(&v->wall[i], shoal_v3_scale(sum.slope, -v->slope));
    v->wall[i].w = v->weight * sum.fraction;
    float mean   = sum.fraction > 0.0f ? 1.0f / sum.fraction : 0.0f;
    shoal_v4_set(&v->stream[i], shoal_v3_scale(sum.stream, mean));
    v->stream[i].w = -v->slope * sum.inflow;
    v->friction[i] = sum.friction * mean;
    v->layer[i]    = sum.layer * mean;
    v->hold[i]     = 0.0f;
    if (sum.hold > 0.0f) {
        // solids stand at the end of the substep already; samples of one that turns, d/2 behind its surface, do not
        // move as that does; and pairs that pull along their line take what turns with it for still
        shoal_v3 u;
        float    y = shoal_sticky_distance(
               &v->solids, shoal_v3_add_scaled(shoal_v4_xyz(v->place[i]), shoal_v4_xyz(v->stream[i]), v->dt), v->h,
               v->thick != NULL, &u);
        shoal_v4_set(&v->stream[i], u);
        v->hold[i] = sum.hold * (1.0f + 0.5f * v->d / (y > 0.25f * v->d ? y : 0.25f * v->d));
    }
}

SHOAL_FN void shoal_water_solids(const shoal_water_view* v, int i) {
    shoal_water_boundary sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f, {0.0f, 0.0f, 0.0f}, 0.0f, 0.0f, 0.0f};
    SHOAL_FOR_NEAR(v->boundary, i, b) {
        float    r;
        shoal_v3 d      = shoal_displacement(v->place[i], v->sample.place[b], i, b, v->h, &r);
        shoal_v3 u      = shoal_v4_xyz(v->sample.motion[b]);
        float    volume = v->sample.place[b].w, wall_friction = v->sample.motion[b].w;
        float    kernel = volume * shoal_water_kernel(v->h, r), slope = volume * shoal_water_slope(v->h, r) / r;
        sum.fraction += kernel;
        sum.slope = shoal_v3_add_scaled(sum.slope, d, slope);
        sum.inflow += slope * shoal_v3_dot(d, u);
        sum.stream = shoal_v3_add_scaled(sum.stream, u, kernel);
        sum.layer += kernel * v->sample.layer[b];
        if (wall_friction > 0.0f) sum.friction += kernel * wall_friction;
        if (wall_friction < 0.0f && r < v->h) sum.hold += volume * (v->h - r);
    }
    shoal_water_solids_from(v, i, sum);
}

// ---------------------------------------------------------------------------------- a liquid, not a crystal (lean.h)

SHOAL_FN void shoal_water_lean_from(const shoal_water_view* v, int i, shoal_v3 slope, shoal_lean sum) {
    shoal_v3           x      = shoal_v4_xyz(v->place[i]);
    shoal_solid_moment solids = shoal_solid_moment_none();
    if (shoal_solids_are_near(v->solids.world, x, v->h))
        solids = shoal_solid_moment_at(&v->solids, x, v->h, v->d, v->layers);
    shoal_v3 own      = shoal_v3_add_scaled(solids.slope, slope, -v->slope);
    float    fraction = shoal_lean_fraction(shoal_v3_length(own) * v->d, v->surface_slant, solids.fraction, v->layers),
          k           = v->pressure_scale * v->pressure[i];
    shoal_lean lean =
        shoal_lean_of(shoal_lean_sum(sum, v->slope, solids.moment), k > 0.0f ? v->melt * fraction * k : 0.0f);
    v->lean[i]    = shoal_v4_make(lean.xx, lean.yy, lean.xy, lean.xz);
    v->lean_yz[i] = lean.yz;
}

SHOAL_FN void shoal_water_lean(const shoal_water_view* v, int i) {
    shoal_lean sum   = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    shoal_v3   slope = {0.0f, 0.0f, 0.0f};
    float      r;
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(v->place, i, j, v->h, &r);
        float    f = shoal_water_slope(v->h, r) / r;
        slope      = shoal_v3_add_scaled(slope, d, f);
        shoal_lean_add(&sum, d, f);
    }
    shoal_water_lean_from(v, i, slope, sum);
}

SHOAL_FN void shoal_water_level_from(const shoal_water_view* v, int i, shoal_v3 sum) {
    v->level[i] = shoal_v3_scale(sum, -v->slope * v->liquids[v->material[i]].light);
}

SHOAL_FN void shoal_water_level(const shoal_water_view* v, int i) {
    shoal_v3 sum = {0.0f, 0.0f, 0.0f};
    float    r;
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_v3 d     = shoal_pair_displacement(v->place, i, j, v->h, &r);
        shoal_v3 own   = shoal_lean_times(v->lean[i], v->lean_yz[i], d),
                 other = shoal_lean_times(v->lean[j], v->lean_yz[j], d);
        sum            = shoal_v3_add_scaled(sum, shoal_v3_add(own, other), shoal_water_slope(v->h, r) / r);
    }
    shoal_water_level_from(v, i, sum);
}

// ---------------------------------------------------------------------------------- density

SHOAL_FN void shoal_water_density_from(const shoal_water_view* v, int i, float sum) {
    float s       = v->weight * sum + v->self + v->wall[i].w;
    v->ratio[i]   = s;
    v->density[i] = v->liquids[v->material[i]].density * s;
    v->factor[i]  = v->omega / (v->gradient_sum * v->liquids[v->material[i]].light);
}

// s = sum_j V W
SHOAL_FN void shoal_water_density(const shoal_water_view* v, int i) {
    float sum = 0.0f, r;
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_pair_displacement(v->place, i, j, v->h, &r);
        sum += shoal_water_kernel(v->h, r);
    }
    shoal_water_density_from(v, i, sum);
}

// Ds/Dt from its sum over the neighbours of slope/r v_ij . x_ij
SHOAL_FN float shoal_water_rate_from(const shoal_water_view* v, int i, float sum) {
    return shoal_v3_dot(shoal_v4_xyz(v->motion[i]), shoal_v4_xyz(v->wall[i])) - v->stream[i].w - v->slope * sum;
}

SHOAL_FN void shoal_water_weigh_from(const shoal_water_view* v, int i, float sum, shoal_v3 slope, float slopes2,
                                     float along) {
    shoal_water_density_from(v, i, sum);
    float compression =
        v->ratio[i] < SHOAL_WATER_SURFACE || !v->is_split ? 0.0f : v->dt * shoal_water_rate_from(v, i, along);
    v->error[i]    = compression > 0.0f ? compression : 0.0f;
    shoal_v3 own   = shoal_v3_add_scaled(shoal_v4_xyz(v->wall[i]), slope, -v->slope);
    float    light = v->liquids[v->material[i]].light;
    v->slant[i]    = shoal_v3_length(own) * v->d;
    float all      = light * (shoal_v3_dot(own, own) + v->epsilon) + v->slope * v->slope * slopes2;
    v->factor[i]   = v->omega / (v->compliance ? all + v->omega * v->compliance[i] : all);
}

// p = B (s^7 - 1) [Becker & Teschner 2007]
SHOAL_FN void shoal_water_state(const shoal_water_view* v, int i) {
    float s = v->ratio[i], s2 = s * s, s4 = s2 * s2, p = v->stiffness * (s4 * s2 * s - 1.0f);
    if (p < 0.0f) p *= v->negative_pressure;
    v->pressure[i] = p;
    v->kappa[i]    = v->is_mueller ? 0.5f * v->pressure_scale * p / s : v->pressure_scale * p / s2;
}

// ---------------------------------------------------------------------------------- forces other than pressure

// 2 m_j / (m_i + m_j): keeps momentum when masses differ
SHOAL_FN float shoal_water_mass_factor(shoal_water_liquid i, shoal_water_liquid j) {
    return 2.0f * i.light / (i.light + j.light);
}

// What a pair has of its own drag: the harmonic mean of the viscosities, so that both feel the same force
SHOAL_FN float shoal_water_drag(shoal_water_liquid i, shoal_water_liquid j) {
    float own = i.viscous / i.light, other = j.viscous / j.light;
    return own > 0.0f ? 2.0f * other / (own + other) : 0.0f;
}

// Pull of a pair along x_ij, without its scale: W, at least a spacing away [Becker & Teschner 2007], or the cohesion
// spline over r [Akinci et al. 2013]
SHOAL_FN float shoal_water_pull(const shoal_water_view* v, float r) {
    if (v->tension == SHOAL_WATER_TENSION_BECKER) return shoal_water_kernel(v->h, r > v->d ? r : v->d);
    float t = v->h - r, product = t * t * t * r * r * r, h3 = v->h * v->h2;
    return (2.0f * r > v->h ? product : 2.0f * product - h3 * h3 / 64.0f) / r;
}

// What solids that stick take from the velocity by viscosity.
SHOAL_FN shoal_v3 shoal_water_drag_of_solids(const shoal_water_view* v, int i) {
    shoal_v3 slip = shoal_v3_sub(shoal_v4_xyz(v->stream[i]), shoal_v4_xyz(v->motion[i]));
    return shoal_v3_scale(slip, v->hold[i] * v->liquids[v->material[i]].viscous);
}

SHOAL_FN void shoal_water_forces_from(const shoal_water_view* v, int i, shoal_v3 smooth, shoal_v3 drag,
                                      shoal_v3 brake) {
    shoal_v3 slip = shoal_v3_sub(shoal_v4_xyz(v->stream[i]), shoal_v4_xyz(v->motion[i]));
    shoal_v3 sum  = shoal_v3_add_scaled(shoal_v3_scale(smooth, v->smooth), shoal_v3_add_scaled(drag, slip, v->hold[i]),
                                        v->liquids[v->material[i]].viscous);
    v->push[i]    = shoal_v3_add_scaled(sum, brake, v->artificial);
    v->acceleration[i] = shoal_v3_length(shoal_v3_add_scaled(v->push[i], v->gravity, v->dt)) / v->dt;
}

// XSPH, viscosity of the material, artificial viscosity of approaching pairs [Monaghan 1992]. Each counts by its
// volume, where volumes differ: by fractions of the density alone a pair would not keep its momentum.
SHOAL_FN void shoal_water_forces(const shoal_water_view* v, int i) {
    shoal_v3           smooth = {0.0f, 0.0f, 0.0f}, drag = smooth, brake = smooth;
    shoal_water_liquid own  = v->liquids[v->material[i]];
    shoal_v3           here = shoal_v4_xyz(v->motion[i]);
    SHOAL_FOR_NEAR(v->near, i, j) {
        float    r;
        shoal_v3 d = shoal_pair_displacement(v->place, i, j, v->h, &r);
        if (r >= v->h) continue;
        shoal_v3           u      = shoal_v3_sub(shoal_v4_xyz(v->motion[j]), here);
        shoal_water_liquid other  = v->liquids[v->material[j]];
        float              volume = v->is_sized ? v->place[j].w : 1.0f;
        float fraction = volume * shoal_water_mass_factor(own, other), away = shoal_v3_dot(u, d); // > 0: they approach
        smooth    = shoal_v3_add_scaled(smooth, u, shoal_water_kernel(v->h, r) * fraction);
        drag      = shoal_v3_add_scaled(drag, u, volume * (v->h - r) * shoal_water_drag(own, other));
        float gap = r > SHOAL_WATER_BLUR * v->h ? r : SHOAL_WATER_BLUR * v->h;
        if (away > 0.0f)
            brake = shoal_v3_add_scaled(brake, d, away * shoal_water_slope(v->h, r) / r * fraction / (gap * gap));
    }
    shoal_water_forces_from(v, i, smooth, drag, brake);
}

// All forces and the pressure at once, for one liquid with explicit pressure.
SHOAL_FN void shoal_water_act_from(const shoal_water_view* v, int i, shoal_v3 smooth, shoal_v3 drag, shoal_v3 along) {
    shoal_water_forces_from(v, i, smooth, drag, shoal_v3_make(0.0f, 0.0f, 0.0f));
    v->push[i] = shoal_v3_add(v->push[i], shoal_v3_add_scaled(along, shoal_v4_xyz(v->wall[i]), -v->place[i].w));
}

SHOAL_FN void shoal_water_act(const shoal_water_view* v, int i) {
    shoal_v3 along = {0.0f, 0.0f, 0.0f};
    float    r;
    shoal_water_forces(v, i);
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(v->place, i, j, v->h, &r);
        along =
            shoal_v3_add_scaled(along, d, v->slope * (v->place[i].w + v->place[j].w) * shoal_water_slope(v->h, r) / r);
    }
    v->push[i] = shoal_v3_add(v->push[i], shoal_v3_add_scaled(along, shoal_v4_xyz(v->wall[i]), -v->place[i].w));
}

// s, and what it takes to change it: by K_i the rate of s changes by K_i times the sum of squared gradients, each by
// the inverse mass of what it moves [Bender & Koschier 2015, eq. 8]; and how much it would be compressed if all went on
// as they do. Where pressure is known to begin with, it acts in the same walk, and so do the forces.
SHOAL_FN void shoal_water_weigh(const shoal_water_view* v, int i) {
    float    sum = 0.0f, slopes2 = 0.0f, along = 0.0f, r;
    shoal_v3 slope = {0.0f, 0.0f, 0.0f};
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(v->place, i, j, v->h, &r);
        float    f = shoal_water_slope(v->h, r);
        sum += shoal_water_kernel(v->h, r);
        slope = shoal_v3_add_scaled(slope, d, f / r);
        slopes2 += f * f * v->liquids[v->material[j]].light;
        along += f / r * shoal_v3_dot(shoal_v3_sub(shoal_v4_xyz(v->motion[i]), shoal_v4_xyz(v->motion[j])), d);
    }
    shoal_water_weigh_from(v, i, sum, slope, slopes2, along);
    if (v->is_begun) shoal_water_act(v, i);
}

// The nearest whole number, even in the middle; for less than 2^22.
SHOAL_FN float shoal_water_whole(float a) {
    const float even = 12582912.0f; // 1.5 2^23
    return (a + even) - even;
}

// Keeps the slopes of pairs, which wide passes have 16 at a time, one by one: two in one spot have too little for a
// grain, and get one, each its own way. "nobody", which fills up the list, has none.
SHOAL_FN void shoal_water_keep_slopes(const shoal_water_view* v, int i) {
    const int* list     = v->near.index + (size_t)SHOAL_LANES * v->near.start[i];
    int16_t*   stored   = v->pairs + (size_t)3 * SHOAL_LANES * v->near.start[i];
    int        capacity = (v->near.count[i] + SHOAL_LANES - 1) / SHOAL_LANES * SHOAL_LANES;
    for (int k = 0; k < capacity; k++) {
        float    r = 1.0f, f = 0.0f;
        shoal_v3 d = {0.0f, 0.0f, 0.0f};
        if (k < v->near.count[i]) {
            d = shoal_pair_displacement(v->place, i, list[SHOAL_NEAR_PLACE(k)], v->h, &r);
            f = r <= 1e-6f * v->h ? 1.0f / r : shoal_water_slope(v->h, r) / (r * v->grain);
        }
        int16_t* to         = stored + 3 * (k - k % SHOAL_LANES) + SHOAL_NEAR_PLACE(k) % SHOAL_LANES;
        to[0]               = (int16_t)shoal_water_whole(f * d.x);
        to[SHOAL_LANES]     = (int16_t)shoal_water_whole(f * d.y);
        to[2 * SHOAL_LANES] = (int16_t)shoal_water_whole(f * d.z);
    }
}

// Surface tension: pull on its like, along x_ij.
SHOAL_FN void shoal_water_cohere(const shoal_water_view* v, int i) {
    shoal_v3 pull = {0.0f, 0.0f, 0.0f};
    float    r;
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(v->place, i, j, v->h, &r);
        if (r < v->h && v->material[i] == v->material[j]) pull = shoal_v3_add_scaled(pull, d, shoal_water_pull(v, r));
    }
    pull       = shoal_v3_scale(pull, -v->liquids[v->material[i]].tension);
    v->push[i] = shoal_v3_add(v->push[i], pull);
    v->acceleration[i] += shoal_v3_length(pull) / v->dt;
}

SHOAL_FN void shoal_water_accelerate(const shoal_water_view* v, int i) {
    shoal_v3 push = shoal_v3_add_scaled(v->push[i], v->gravity, v->dt);
    if (v->melt > 0.0f) push = shoal_v3_add(push, v->level[i]);
    v->motion[i].w = 1.0f / v->ratio[i];
    if (v->hold[i] > 0.0f) v->drag[i] = shoal_water_drag_of_solids(v, i);
    shoal_water_change(v, i, push);
    // one squeezed between solids has no room to give: its pressure would throw its neighbours about
    shoal_v3 touch = v->touch[i];
    if (touch.x == 0.0f && touch.y == 0.0f && touch.z == 0.0f) return;
    shoal_v3 x = shoal_v3_add_scaled(shoal_v4_xyz(v->place[i]), shoal_v4_xyz(v->motion[i]), v->dt);
    if (shoal_solid_is_tight(v->solids.world, x, 0.8f * v->contact)) v->factor[i] = 0.0f;
}

// Ahead of the solve for viscosity, and what it has changed.
SHOAL_FN void shoal_water_keep(const shoal_water_view* v, int i) { v->push[i] = shoal_v4_xyz(v->motion[i]); }
SHOAL_FN void shoal_water_thicken(const shoal_water_view* v, int i) {
    shoal_v3 solved = shoal_v4_xyz(v->motion[i]);
    if (v->hold[i] > 0.0f)
        v->drag[i] = shoal_v3_scale(shoal_v3_sub(shoal_v4_xyz(v->stream[i]), solved),
                                    v->hold[i] * v->thick[v->material[i]].fraction);
    shoal_v4_set(&v->motion[i], v->push[i]);
    shoal_water_change(v, i, shoal_v3_sub(solved, v->push[i]));
}

// ---------------------------------------------------------------------------------- sweeps

// Begins a solve with a fraction of the last pressure, as if s were 1, which is not known yet. That of both solves of
// the last substep lies in `pressure`.
SHOAL_FN void shoal_water_begin(const shoal_water_view* v, int i) {
    float last  = v->is_split && v->total == v->pressure ? v->pressure[i] - v->settling[i] : v->total[i];
    v->kappa[i] = v->warm * v->pressure_scale * last;
    v->total[i] = v->kappa[i];
}

// An excess as an error: one below zero counts as far as K can still give way, so that a warm start that has pressed
// too hard is not taken for a solution.
SHOAL_FN float shoal_water_error(const shoal_water_view* v, int i, float excess) {
    if (v->factor[i] == 0.0f) return 0.0f;
    float uncorrected = v->total[i] * v->dt / v->factor[i];
    return excess > 0.0f ? excess : -excess < uncorrected ? -excess : uncorrected;
}

// One more sweep: K by the error and with Chebyshev's momentum, never below zero.
SHOAL_FN void shoal_water_sweep(const shoal_water_view* v, int i, float change) {
    float all   = v->total[i] + v->momentum * v->relax * change + (v->momentum - 1.0f) * v->kappa[i];
    all         = all > 0.0f && v->factor[i] > 0.0f ? all : 0.0f;
    v->kappa[i] = all - v->total[i];
    v->total[i] = all;
}

SHOAL_FN float shoal_water_rate(const shoal_water_view* v, int i) {
    float sum = 0.0f, r;
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(v->place, i, j, v->h, &r);
        shoal_v3 u = shoal_v3_sub(shoal_v4_xyz(v->motion[i]), shoal_v4_xyz(v->motion[j]));
        sum += shoal_water_slope(v->h, r) / r * shoal_v3_dot(u, d);
    }
    return shoal_water_rate_from(v, i, sum);
}

// Divergence-free: no density may grow, but at the surface.
SHOAL_FN void shoal_water_diverge_from(const shoal_water_view* v, int i, float rate) {
    bool is_surface = v->ratio[i] < SHOAL_WATER_SURFACE;
    v->error[i]     = is_surface ? 0.0f : shoal_water_error(v, i, rate * v->dt);
    shoal_water_sweep(v, i, is_surface ? -v->total[i] : v->factor[i] * rate);
}
SHOAL_FN void shoal_water_diverge(const shoal_water_view* v, int i) {
    shoal_water_diverge_from(v, i, shoal_water_rate(v, i));
}

// How far s may be above 1 at the end of the substep: what is left of a compression that was there before.
SHOAL_FN float shoal_water_leave(const shoal_water_view* v, int i) {
    float uncorrected = v->uncorrected ? v->uncorrected[i] : 0.0f, excess = v->ratio[i] - 1.0f - uncorrected;
    return uncorrected + (excess > 0.0f ? excess * (1.0f - v->correction) : 0.0f);
}

// Constant density: no density may be above rest at the end of the substep.
SHOAL_FN void shoal_water_compress_from(const shoal_water_view* v, int i, float rate) {
    float excess = v->ratio[i] - 1.0f + v->dt * rate - shoal_water_leave(v, i);
    v->error[i]  = shoal_water_error(v, i, excess);
    shoal_water_sweep(v, i, v->factor[i] * (excess < SHOAL_WATER_EXCESS ? excess : SHOAL_WATER_EXCESS) / v->dt);
}
SHOAL_FN void shoal_water_compress(const shoal_water_view* v, int i) {
    shoal_water_compress_from(v, i, shoal_water_rate(v, i));
}

// PCISPH: where it will be.
SHOAL_FN void shoal_water_foresee(const shoal_water_view* v, int i) {
    shoal_v4_set(&v->guess[i], shoal_v3_add_scaled(shoal_v4_xyz(v->place[i]), shoal_v4_xyz(v->motion[i]), v->dt));
    v->guess[i].w = 0.0f;
}

// The density there.
SHOAL_FN void shoal_water_predict_from(const shoal_water_view* v, int i, float sum) {
    float excess = v->weight * sum + v->self - 1.0f - shoal_water_leave(v, i);
    if (v->ratio[i] > SHOAL_WATER_INNER) excess += v->even;
    v->error[i] = shoal_water_error(v, i, excess);
    shoal_water_sweep(v, i, v->factor[i] * (excess < SHOAL_WATER_EXCESS ? excess : SHOAL_WATER_EXCESS) / v->dt);
}

SHOAL_FN void shoal_water_predict(const shoal_water_view* v, int i) {
    float sum = 0.0f, r;
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_pair_displacement(v->guess, i, j, v->h, &r);
        sum += shoal_water_kernel(v->h, r);
    }
    SHOAL_FOR_NEAR(v->boundary, i, b) {
        r = shoal_v3_length(shoal_v3_sub(shoal_v4_xyz(v->guess[i]), shoal_v4_xyz(v->sample.guess[b])));
        sum += v->sample.guess[b].w * shoal_water_kernel(v->h, r);
    }
    shoal_water_predict_from(v, i, sum);
}

// The last change is not pressed: what solids and grains feel is what the liquid has felt.
SHOAL_FN void shoal_water_retract(const shoal_water_view* v, int i) { v->total[i] -= v->kappa[i]; }

// For the pass where pressure and forces act at once, beside the place; and back, after another solve.
SHOAL_FN void shoal_water_tell(const shoal_water_view* v, int i) { v->place[i].w = v->kappa[i]; }
SHOAL_FN void shoal_water_recall(const shoal_water_view* v, int i) { v->kappa[i] = v->place[i].w; }

SHOAL_FN void shoal_water_apply_pressure_from(const shoal_water_view* v, int i, shoal_v3 sum) {
    shoal_v3 push = shoal_v3_add_scaled(shoal_v3_scale(sum, v->slope), shoal_v4_xyz(v->wall[i]), -v->kappa[i]);
    shoal_water_change(v, i, shoal_v3_scale(push, v->liquids[v->material[i]].light));
}

// v_i -= light_i (sum_j V (K_i + K_j) grad W + K_i G_i). Mueller's form counts each K_j by the neighbour's 1/s.
SHOAL_FN void shoal_water_apply_pressure(const shoal_water_view* v, int i) {
    shoal_v3 sum = {0.0f, 0.0f, 0.0f};
    float    r;
    SHOAL_FOR_NEAR(v->near, i, j) {
        shoal_v3 d = shoal_pair_displacement(v->place, i, j, v->h, &r);
        float    k = v->kappa[i] + v->kappa[j];
        if (v->is_mueller) k = v->kappa[i] * v->motion[j].w + v->kappa[j] * v->motion[i].w;
        sum = shoal_v3_add_scaled(sum, d, k * shoal_water_slope(v->h, r) / r);
    }
    shoal_water_apply_pressure_from(v, i, sum);
}

// K of a solve as a pressure.
SHOAL_FN void shoal_water_finish(const shoal_water_view* v, int i) {
    v->total[i] = v->total[i] * v->ratio[i] * v->ratio[i] / v->pressure_scale;
    if (v->is_split && v->total == v->pressure) v->pressure[i] += v->settling[i];
}

// Skin friction: the layer beside a smooth solid, d thick with its middle at d/2, loses the shear
// of the boundary layer, which is thinner. Those farther away belong to that layer as far as they
// see of the solid. `slip`: velocity along it, `layer`: fraction of smooth solids, `fraction`: of those in
// sight, over what the first layer sees.
SHOAL_FN shoal_v3 shoal_water_shear(const shoal_water_view* v, int i, shoal_v3 u, shoal_v3 slip, float layer,
                                    float fraction) {
    float speed = shoal_v3_length(slip);
    if (!(speed > 0.0f)) return u;
    float shear = shoal_boundary_layer_shear(speed, 0.5f * v->d, v->liquids[v->material[i]].thin);
    float part  = v->dt * layer * (fraction < 1.0f ? fraction : 1.0f) * shear / (speed * v->d);
    return shoal_v3_add_scaled(u, slip, -part / (1.0f + part));
}

// Of walls that reflect, which have no samples; what a layer sees of them in closed form.
SHOAL_FN shoal_v3 shoal_water_skim_mirrors(const shoal_water_view* v, int i, shoal_v3 u) {
    shoal_v3 x = shoal_v4_xyz(v->place[i]);
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        if (!v->skims[wall]) continue;
        int   axis = wall / 2;
        float y    = wall % 2 == 0 ? shoal_v3_axis(x, axis) - shoal_v3_axis(v->solids.world->min, axis)
                                   : shoal_v3_axis(v->solids.world->max, axis) - shoal_v3_axis(x, axis);
        if (y >= v->h) continue;
        shoal_v3 slip = u;
        shoal_v3_set_axis(&slip, axis, 0.0f);
        u = shoal_water_shear(v, i, u, slip, 1.0f,
                              v->wall_factor * shoal_kernel_behind(y / v->h, SHOAL_KERNEL_CUBIC) / v->first_fraction);
    }
    return u;
}

SHOAL_FN shoal_v3 shoal_water_skim(const shoal_water_view* v, int i, shoal_v3 u) {
    shoal_v3 wall = shoal_v4_xyz(v->wall[i]), slip = shoal_v3_sub(u, shoal_v4_xyz(v->stream[i]));
    float    length2 = shoal_v3_dot(wall, wall);
    if (!(v->layer[i] > 0.0f) || !(length2 > 0.0f)) return u;
    slip = shoal_v3_add_scaled(slip, wall, -shoal_v3_dot(slip, wall) / length2);
    return shoal_water_shear(v, i, u, slip, v->layer[i], v->wall[i].w / v->first_fraction);
}

// Coulomb friction: along the surface solids take no more than friction times what their pressure and contact have
// given: K, and `touch`.
SHOAL_FN shoal_v3 shoal_water_friction_by(const shoal_water_view* v, int i, shoal_v3 u, float k, shoal_v3 touch) {
    shoal_v3 push   = shoal_v3_add_scaled(touch, shoal_v4_xyz(v->wall[i]), -k * v->liquids[v->material[i]].light);
    float    length = shoal_v3_length(push);
    if (!(v->friction[i] > 0.0f) || !(length > 0.0f)) return u;
    shoal_v3 slip = shoal_v3_sub(u, shoal_v4_xyz(v->stream[i]));
    slip          = shoal_v3_add_scaled(slip, push, -shoal_v3_dot(slip, push) / (length * length));
    float speed = shoal_v3_length(slip), most = v->friction[i] * length;
    return shoal_v3_add_scaled(u, slip, speed > most ? -most / speed : -1.0f);
}
SHOAL_FN shoal_v3 shoal_water_friction(const shoal_water_view* v, int i, shoal_v3 u) {
    float k = v->pressure_scale * v->pressure[i] * v->motion[i].w * v->motion[i].w;
    return shoal_water_friction_by(v, i, u, k, v->course_touch[i]);
}

SHOAL_FN void shoal_water_settle(const shoal_water_view* v, int i) {
    v->course[i]       = shoal_v4_xyz(v->motion[i]);
    v->course_touch[i] = v->touch[i];
}

// x += dt v, and the shift
SHOAL_FN void shoal_water_advance(const shoal_water_view* v, int i) {
    shoal_v3 u = v->course[i], shift = shoal_v3_sub(shoal_v4_xyz(v->motion[i]), u);
    if (v->has_wall_drag && v->boundary.count[i] > 0) u = shoal_water_skim(v, i, shoal_water_friction(v, i, u));
    if (v->reflects && shoal_mirrors_are_near(&v->solids, shoal_v4_xyz(v->place[i]), v->h))
        u = shoal_water_skim_mirrors(v, i, u);
    shoal_v3 from = shoal_v4_xyz(v->place[i]);
    shoal_v3 x    = shoal_water_arrive(v, from, shoal_v3_add_scaled(from, shoal_v3_add(u, shift), v->dt));
    if (v->is_explicit) v->acceleration[i] = shoal_v3_length(shoal_v3_sub(u, v->velocity[i])) / v->dt;
    v->velocity[i] = u;
    v->position[i] = shoal_world_wrap(v->solids.world, x);
}

// ---------------------------------------------------------------------------------- of all

// A particle where the gradient of s is steeper than this, per d, is at a free surface. (s itself does not tell: at
// rest the particles of a surface close up until theirs is 1.)
#define SHOAL_WATER_SLANT 0.3f

SHOAL_FN double shoal_water_errors(const shoal_water_view* v, int i) { return (double)v->error[i]; }
SHOAL_FN double shoal_water_excess(const shoal_water_view* v, int i) { return fmax((double)v->ratio[i] - 1.0, 0.0); }
SHOAL_FN double shoal_water_surface(const shoal_water_view* v, int i) {
    return v->slant[i] > SHOAL_WATER_SLANT ? 1.0 : 0.0;
}
SHOAL_FN double shoal_water_overfull(const shoal_water_view* v, int i) {
    return fmax((double)v->density[i] / (double)v->liquids[v->material[i]].density - 1.0, 0.0);
}
SHOAL_FN double shoal_water_pushed(const shoal_water_view* v, int i) { return (double)v->acceleration[i]; }

#endif
