// SPDX-License-Identifier: MIT
// Where sand and water meet. Each is a set of its own, with lists of its own; those of the other set
// within reach are its guests, once more a set: a copy made in each substep, of which motion and kappa
// are filled anew as the sweeps go on. What a pair does to one of them it does to the other, so
// momentum is kept:
//     s  += sum vol_j V W,   Ds/Dt += sum vol_j (v_i - v_j) . g,   v -= light sum vol_j (K_i + K_j) g
// Friction acts among sand alone: water would stick to it.
#ifndef SHOAL_POROUS_MEET_H
#define SHOAL_POROUS_MEET_H

#include "fluid/water_pass.h"
#include "solvers/porous/porous_contact.h"

// clang-format off
#define POROUS_GUEST_FIELDS(X)                                                              \
    X(place,      V4, SCRATCH, "m",     "where it is; its companion is its volume over V") \
    X(motion,     V4, SCRATCH, "m/s",   "velocity that the sweep has found") \
    X(kappa,      F1, SCRATCH, "m^2/s", "K, by the density of the set whose guest it is") \
    X(rock_kappa, F1, SCRATCH, "m^2/s", "of water: K as coarse sand feels it") \
    X(light,      F1, SCRATCH, "",      "rho of that set's first material over its own") \
    X(source,     I1, SCRATCH, "",      "who it is at home; of an image, whom it is of") \
    X(open,       F1, SCRATCH, "",      "fraction of it that water passes through: pores of coarse sand, else 0") \
    X(rock,       F1, SCRATCH, "",      "1: it is coarse sand, else 0") \
    X(interior,   F1, SCRATCH, "",      "1: and so is all around it") \
    X(drawn,      V4, SCRATCH, "m/s",   "velocity that an emitter which holds it gives it; its companion is 1 then, else 0")
// clang-format on

// What a pass sees of the guests of its set.
typedef struct porous_guests {
    bool       are_there, are_rock; // any of them, coarse sand
    shoal_near near;                // by their numbers in the arrays below
    float*     slopes;              // vol_j slope/r x_ij of all in these lists, x, y and z of 16 at a time: wide passes
    POROUS_GUEST_FIELDS(SHOAL_FIELD_MEMBER)
} porous_guests;

typedef struct porous_meet {
    shoal_water*       host; // whose guests they are
    const shoal_water* home; // the set that they are of
    porous_guests      guests;
    shoal_set*         set; // of the guests, in the order of their cells
    shoal_cells        cells;
    int                capacity;
    size_t             slope_capacity; // in groups of SHOAL_LANES
    shoal_v4*          place;          // [capacity] as they come
    int*               from;           // [capacity] where they stand at home, images included
    float              exchange;       // K here over K at home
    const float*       open;           // [materials] of the home: see the guests' field; NULL: none are
    const float*       water_kappa;    // [home] K of the water within those that are, by the density of their set
    const float*       interior;       // [home] see the guests' field; NULL: none are
    const float*       rim;            // [home] of water: slope of its rock (porous_rock); NULL: it is of sand
} porous_meet;

// Both are made of sets with the same spacing and kernel.
shoal_status porous_meet_make(porous_meet* meet, shoal_water* host, const shoal_water* home);
void         porous_meet_free(porous_meet* meet);
// Finds them, with their motion; once both sets are sorted and all have their volume beside their place.
shoal_status porous_meet_gather(porous_meet* meet);
// What has changed at home: K, and motion.
void porous_meet_update_pressure(porous_meet* meet);
void porous_meet_move(porous_meet* meet);

// ---------------------------------------------------------------------------------- of one particle

// f of a pair: g = -f x_ij.
SHOAL_FN float porous_slope(const shoal_water_view* w, float r) { return w->slope * shoal_water_slope(w->h, r) / r; }

// ---------------------------------------------------------------------------------- emitters

// What an emitter holds goes on with the velocity of its stream, whatever presses on it, as by a pump: here as if it
// were so many times as heavy. (With its own weight the sweeps had it give way, and then it was put where the stream
// leads, into the water before it: a tap in a pool compressed that by 140 % where it came out.)
#define POROUS_PUMP 100.0f

// The velocity that an emitter gives one which it holds, gravity of this substep included; its companion is 1 then.
SHOAL_FN shoal_v4 porous_drawn(const shoal_water_view* w, int i) {
    shoal_v4 drawn = {0.0f, 0.0f, 0.0f, 0.0f};
    if (w->holder[i] == 0) return drawn;
    shoal_v4_set(&drawn, shoal_v3_add_scaled(w->velocity[i], w->gravity, w->dt));
    drawn.w = 1.0f;
    return drawn;
}

// The opening of an emitter is as solid to others as its pipe would be, and what gets in is put out at the end of the
// substep (sim/stream.c). Sweeps that do not know that have particles at rest behind a tap move into it: what lies in
// the gap between a box and a floor below was believed to expand in every substep, was put back, and by and by was
// compressed to twice its density.
SHOAL_FN bool porous_bars(shoal_v4 bar, shoal_v3 u, float dt) {
    return bar.w + dt * shoal_v3_dot(u, shoal_v4_xyz(bar)) < 0.0f;
}
SHOAL_FN shoal_v3 porous_barred(shoal_v4 bar, shoal_v3 u, float dt) {
    return porous_bars(bar, u, dt)
               ? shoal_v3_add_scaled(u, shoal_v4_xyz(bar), -(bar.w / dt + shoal_v3_dot(u, shoal_v4_xyz(bar))))
               : u;
}

// Where what is held is, and as far around as it acts.
typedef struct porous_taps {
    bool     are_there;
    shoal_v3 min, max;
} porous_taps;

SHOAL_FN bool porous_taps_hold(const porous_taps* taps, shoal_v4 x) {
    return taps->are_there && x.x >= taps->min.x && x.y >= taps->min.y && x.z >= taps->min.z && x.x <= taps->max.x &&
           x.y <= taps->max.y && x.z <= taps->max.z;
}

// Of a pair of which one is held: the rate of s by which the stream goes away from the other one. New water follows
// there, so that nothing is drawn in behind an opening: a part of `rate`, which is taken out.
SHOAL_FN float porous_recedes(shoal_v4 own, shoal_v4 other, shoal_v3 d) {
    if (own.w == other.w) return 0.0f;
    float away = shoal_v3_dot(shoal_v3_sub(shoal_v4_xyz(own), shoal_v4_xyz(other)), d);
    return away > 0.0f ? away : 0.0f;
}
SHOAL_FN float porous_receding(const shoal_water_view* w, const porous_guests* guests, int i) {
    shoal_v4 own = porous_drawn(w, i);
    float    sum = 0.0f, r;
    SHOAL_FOR_NEAR(w->near, i, j) {
        if (j >= w->count) continue; // images: no tap draws through a wall
        shoal_v3 d = shoal_pair_displacement(w->place, i, j, w->h, &r);
        sum += w->place[j].w * porous_slope(w, r) * porous_recedes(own, porous_drawn(w, j), d);
    }
    if (!guests->are_there) return sum;
    SHOAL_FOR_NEAR(guests->near, i, j) {
        shoal_v3 d = shoal_displacement(w->place[i], guests->place[j], i, j, w->h, &r);
        sum += guests->place[j].w * porous_slope(w, r) * porous_recedes(own, guests->drawn[j], d);
    }
    return sum;
}

// ---------------------------------------------------------------------------------- of one particle, with guests

// Rock around a particle of water: what a part of its volume counts in s, and in the slope of s. A packing is uneven:
// its fraction c of the place is 1 only on average, and water whose s follows it lies in the hollows, held there by its
// own pressure as if by friction. (Through a packed bed of 0.1 m, 1 in 20 steep, came half of the flux, at half the
// spacing a third.) So inside rock c counts as 1:
//     c' = c + (1 - w - c) chi        w: fraction of walls; chi: fraction of that rock which is inside rock itself
// where walls have taken the place of rock, they take that of its grains alone: w (1 - (1 - phi) chi) in the slope.
typedef struct porous_rock {
    float gain, slope, wall; // c'/c, dc'/dc, what the slope of a wall counts
    float void_fraction;     // of the place, what its grains leave open
} porous_rock;

SHOAL_FN porous_rock porous_no_rock(void) {
    porous_rock none = {1.0f, 1.0f, 1.0f, 1.0f};
    return none;
}

#define POROUS_ROCK_RIM 0.8f
#define POROUS_ROCK_WHOLE 0.9f

// `interior`, `open`: sums as c, of the rock that is inside rock, and of porosities.
SHOAL_FN porous_rock porous_rock_of(float c, float interior, float open, float wall) {
    porous_rock rock  = porous_no_rock();
    float       whole = c + wall;
    if (!(c > 0.0f && whole > POROUS_ROCK_RIM)) return rock;
    float full = whole < POROUS_ROCK_WHOLE ? (whole - POROUS_ROCK_RIM) / (POROUS_ROCK_WHOLE - POROUS_ROCK_RIM) : 1.0f;
    float chi  = full * interior / c;
    rock.gain  = 1.0f + chi * (1.0f - whole) / c;
    rock.slope = 1.0f - chi;
    rock.wall  = 1.0f - (1.0f - open / c) * chi;
    return rock;
}

// Of the neighbours, by volume: kernel, slope/r x_ij, and squared slope by the inverse mass of what it moves; and the
// kernel over its own set alone.
typedef struct porous_sums {
    float    bump, slopes2;
    shoal_v3 slope;
    float    own;
} porous_sums;

// Of j, which is at `place`.
SHOAL_FN void porous_sums_add(porous_sums* sum, const shoal_water_view* w, int i, int j, shoal_v4 place, float light,
                              porous_rock rock) {
    float    r;
    shoal_v3 d = shoal_displacement(w->place[i], place, i, j, w->h, &r);
    float    f = shoal_water_slope(w->h, r), volume = rock.slope * place.w;
    sum->bump += rock.gain * place.w * shoal_water_kernel(w->h, r);
    sum->slope = shoal_v3_add_scaled(sum->slope, d, volume * f / r);
    sum->slopes2 += volume * f * f * light;
}

// Density and the change of K per error, from the sums over its own set and the guests: with itself.
//
// What it pushes is pushed by others of its set as well, and the sweeps are made for a lattice, on which one particle
// stands for all water around: its own volume is then the fraction of the place that its set has. Small ones that crowd
// (water that has gathered in the pores of coarse sand, first a fifth of a volume each, then several to a spacing) push
// as much together, each with a small part of it. So it counts with that fraction where this is more: by its own volume
// its sweeps would go too far by as many times as there are of them, and from twice on they grow.
SHOAL_FN void porous_count_from(const shoal_water_view* w, int i, porous_sums sum) {
    const float self = 0.5f * w->h * w->h2; // bump at r = 0
    float       own = w->place[i].w, all = w->weight * (sum.own + own * self);
    float       with = w->is_sized && all > own ? all : own;
    shoal_water_weigh_from(w, i, sum.bump + (own - 1.0f) * self, sum.slope, with * sum.slopes2, 0.0f);
}

// One value for rock, another for other guests.
SHOAL_FN float porous_of_rock(const porous_guests* guests, int j, float other, float rock) {
    return other + guests->rock[j] * (rock - other);
}

// `guests`: NULL counts none. `rock`: of those that are.
SHOAL_FN void porous_count(const shoal_water_view* w, const porous_guests* guests, int i, porous_rock rock) {
    const porous_rock whole = porous_no_rock();
    porous_sums       sum   = {0.0f, 0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
    SHOAL_FOR_NEAR(w->near, i, j) {
        porous_sums_add(&sum, w, i, j, w->place[j], w->liquids[w->material[j]].light, whole);
    }
    sum.own = sum.bump;
    if (guests && guests->are_there) {
        SHOAL_FOR_NEAR(guests->near, i, j) {
            porous_rock of = whole;
            of.gain        = porous_of_rock(guests, j, 1.0f, rock.gain);
            of.slope       = porous_of_rock(guests, j, 1.0f, rock.slope);
            porous_sums_add(&sum, w, i, j, guests->place[j], guests->light[j], of);
        }
    }
    porous_count_from(w, i, sum);
}

// Ds/Dt by the guests; `slope`: of rock.
SHOAL_FN float porous_guests_rate(const shoal_water_view* w, const porous_guests* guests, int i, float slope) {
    float sum = 0.0f, r;
    if (!guests->are_there) return sum;
    SHOAL_FOR_NEAR(guests->near, i, j) {
        shoal_v3 d = shoal_displacement(w->place[i], guests->place[j], i, j, w->h, &r);
        shoal_v3 u = shoal_v3_sub(shoal_v4_xyz(w->motion[i]), shoal_v4_xyz(guests->motion[j]));
        float    f = porous_of_rock(guests, j, 1.0f, slope) * porous_slope(w, r);
        sum -= guests->place[j].w * f * shoal_v3_dot(u, d);
    }
    return sum;
}

// K of water where rock is, beside that of the rock, K_r: with K + K_r the sum over a packing would push though all K
// are the same, and K_r - K is without that; so it is 2 slope K + (K_r - K).
SHOAL_FN float porous_rock_kappa(float slope, float k) { return (2.0f * slope - 1.0f) * k; }

// - sum vol_j (K + K_j) g; `kappa`: K_j of the guests; `rock`: K beside rock.
SHOAL_FN shoal_v3 porous_guests_push(const shoal_water_view* w, const porous_guests* guests, const float* kappa, int i,
                                     float own, float rock) {
    shoal_v3 sum = {0.0f, 0.0f, 0.0f};
    float    r;
    if (!guests->are_there) return sum;
    SHOAL_FOR_NEAR(guests->near, i, j) {
        shoal_v3 d = shoal_displacement(w->place[i], guests->place[j], i, j, w->h, &r);
        float    k = porous_of_rock(guests, j, own, rock) + kappa[j];
        sum        = shoal_v3_add_scaled(sum, d, guests->place[j].w * k * porous_slope(w, r));
    }
    return sum;
}

// Before the start, where packed bodies are made even: on to where they are pushed.
SHOAL_FN void porous_place(const shoal_water_view* w, int i) {
    shoal_v3 x     = shoal_v3_add_scaled(shoal_v4_xyz(w->place[i]), shoal_v4_xyz(w->motion[i]), w->dt);
    w->position[i] = shoal_world_wrap(w->solids.world, shoal_water_clear(w, x));
}

// ---------------------------------------------------------------------------------- of a sweep

// Faces within this of a particle, in spacings beyond contact, are kept: how far it may come in a substep and find
// them.
#define POROUS_FACES_REACH 1.0f

SHOAL_FN void porous_face_solids(const shoal_water_view* w, const porous_faces* faces, int i) {
    float    reach  = w->contact + POROUS_FACES_REACH * w->d;
    shoal_v3 place  = shoal_v4_xyz(w->place[i]);
    faces->count[i] = 0;
    if (!shoal_water_may_touch(w, i) || !shoal_solids_are_near(w->solids.world, place, reach)) return;
    porous_solids near = porous_solids_at(w->solids.world, place, w->contact, reach);
    porous_faces_keep(faces, i, &near);
}

// True if moving with u keeps the contact distance to all stored faces.
SHOAL_FN bool porous_is_clear(const shoal_water_view* w, const porous_faces* faces, int i, shoal_v3 u) {
    bool is_clear = true;
    for (int k = 0; k < faces->count[i]; k++) {
        shoal_v4 face = faces->base[k][i];
        is_clear      = is_clear && face.w + w->dt * shoal_v3_dot(u, shoal_v4_xyz(face)) >= 0.0f;
    }
    return is_clear;
}

// What contact adds to a velocity: no particle comes nearer to a solid than half a spacing, nor into an opening; what
// the opening adds, *barred, loads no solid. One squeezed between solids has no room to give, and carries no pressure:
// it would throw others about. Solids and the opening are met together: one after the other undo each other in the
// wedge between a floor and the edge of an opening. (Mud moved into it in each substep, was put back, and by and by was
// pressed to twice its density.) The opening yields where both leave no room, as in a slot of a spacing beside a wall.
SHOAL_FN shoal_v3 porous_contact(const shoal_water_view* w, const porous_faces* faces, const shoal_v4* bar, int i,
                                 shoal_v3 u, shoal_v3* barred) {
    float push[POROUS_SOLIDS_MOST], left, way = w->dt * shoal_v3_length(u);
    bool  is_stored = faces->count[i] <= POROUS_FACES_MOST && way <= POROUS_FACES_REACH * w->d;
    *barred         = shoal_v3_make(0.0f, 0.0f, 0.0f);
    if (is_stored && porous_is_clear(w, faces, i, u) && !(bar && porous_bars(*bar, u, w->dt))) return *barred;
    porous_solids near =
        is_stored ? porous_faces_stored(faces, i)
                  : porous_solids_at(w->solids.world, shoal_v4_xyz(w->place[i]), w->contact, w->contact + way);
    if (bar) porous_solids_lead(&near, bar->w, shoal_v4_xyz(*bar));
    shoal_v3 sum = porous_solids_push(&near, bar ? 1 : 0, u, w->dt, push, &left);
    if (left > 0.2f * w->contact) w->factor[i] = 0.0f;
    if (bar) *barred = shoal_v3_scale(shoal_v4_xyz(*bar), push[0]);
    return shoal_v3_sub(sum, *barred);
}

// What a substep makes good of a compression, as a rate of s: a part of it, and so much at most that
// those let out of a squeeze do not burst. Of sand that is closed in, the mean compression, `surplus`, has no way out;
// what is `leftover` of the start stays for now, but gets no more.
SHOAL_FN float porous_excess(const shoal_water_view* w, int i, float surplus, float leftover, float part, float most) {
    float excess = w->ratio[i] - 1.0f - surplus;
    if (!(excess > 0.0f)) return excess / w->dt;
    float partial = part * (excess > leftover ? excess - leftover : 0.0f);
    return (partial < most ? partial : most) / w->dt;
}

// K of Tait's equation.
SHOAL_FN float porous_tait(float s, float stiff) {
    float s2 = s * s, s4 = s2 * s2, k = stiff * (s4 * s2 * s - 1.0f);
    return k > 0.0f ? k : 0.0f;
}

// What a sweep makes of an error, and of the change of the sweep before: Chebyshev's, see porous.c.
typedef struct porous_sweep {
    float relax;    // steps, over those of omega
    float momentum; // fraction of the last sweep's change that this one repeats
} porous_sweep;

// K: no particle is denser than at rest at the end of the substep; `rate` is that of s with its excess.
// `error` becomes the change of s by it.
SHOAL_FN void porous_compress(const shoal_water_view* w, int i, float rate, porous_sweep sweep, float* last_kappa) {
    float k       = w->kappa[i];
    float next    = k + sweep.relax * w->factor[i] * rate + sweep.momentum * (k - last_kappa[i]);
    next          = next > 0.0f && w->factor[i] > 0.0f ? next : 0.0f;
    w->error[i]   = w->factor[i] > 0.0f ? fabsf(next - k) * w->dt / w->factor[i] : 0.0f;
    last_kappa[i] = k;
    w->kappa[i]   = next;
}

#endif
