// SPDX-License-Identifier: MIT
// What happens to the pore water of one particle of sand: the passes, plain and in double. Each writes only its own
// index and never reads at another index what it writes. No function of the library but the square root, which is the
// same everywhere.
//
// Water is a volume w in the pores c of a particle, S = w / c. Its pressure u is one unknown for both zones:
// above zero where the pores are full, and the suction -P where they are not,
//     P = k_c (1 - S)^(1/2)
// A pair exchanges, from i to j, with d = x_i - x_j and e its direction,
//     T k_rel (u_i - u_j - rho g . d),   T = V_i V_j (k_i + k_j) (-W'/r) e . (B_i + B_j)/2 . e
// B, about the inverse of X = sum V_j (d (x) d) (-W'/r), makes up for neighbours that are missing at walls or lie
// unevenly.
#ifndef SHOAL_POROUS_PORE_PASS_H
#define SHOAL_POROUS_PORE_PASS_H

#include "fluid/halo.h"
#include "fluid/pairs.h"
#include "solvers/porous/porous_pore.h"

// Saturated counts from this much short of it.
#define PORE_FULL (1.0 - 1e-6)
// Those that had a pressure begin a step as full from here on: conjugate gradients leave them a little short of it, and
// would need a round to find that they fill up and another to find them full.
#define PORE_WAS_FULL 0.99
// What is left when a step has been solved is no reason to change sides: a suction, over that of dry sand, and an
// inflow above the capacity, over the pores.
#define PORE_SLACK 1e-3
// The law of suction is steep without bounds where pores are nearly full: 1 - S counts as at least this.
#define PORE_LEAST_AIR 0.01
// Of B: added to X, as a fraction of its trace, and the most of its trace. Full surroundings have 3.
#define PORE_REGULARISATION 0.005
#define PORE_MOST_TRACE 24.0
// One that would give more than it has gives this fraction of it.
#define PORE_MOST_OUT 0.9
// What sand closes of its pores under a load, 1/Pa: with a porosity of 0.4 it has a modulus of 25 MPa.
#define PORE_SOFT 1e-7
// The most that comes back in a step of what waits inside, over the pores: all that is more than fits flows on in the
// same step. With a hundredth a gram that mud had buried took two seconds.
#define PORE_BACK 0.03
// The least that is missing from the s of a particle at the surface: a flat one lacks 0.15, a gap that a packing leaves
// along an edge of its box up to 0.07.
#define PORE_OPEN 0.08
// What a surface lacks of s, over its gradient times d: surfaces that lie close up, until s is 1 there, but its
// gradient stays. Not beside solids, where a gap that a packing leaves has a gradient, too.
#define PORE_LACKS 0.25
// Where water is this fraction of what sand leaves free, or more, the air has no part: the little that an uneven
// packing leaves open would let a pool run out.
#define PORE_DROWNED 0.5
// Above this length of the gradient of s, in 1/d, a particle is at the surface of the sand. A flat one has 0.6.
#define PORE_SURFACE 0.3

// ---------------------------------------------------------------------------------- a pair

// From j to i, exactly the opposite for both: the place of an image is that of its source and the period, in double.
SHOAL_FN shoal_d3 pore_displacement(const porous_pore_view* v, int i, int j, int* source) {
    shoal_d3 by = {0.0, 0.0, 0.0};
    *source     = j;
    if (j >= v->count) {
        *source = v->images[j - v->count].source;
        by      = shoal_d3_from(v->images[j - v->count].offset);
    }
    shoal_v4 a = v->place[i], b = v->place[*source];
    return shoal_d3_make((double)a.x - ((double)b.x + by.x), (double)a.y - ((double)b.y + by.y),
                         (double)a.z - ((double)b.z + by.z));
}

// -W'/r; nothing of those in one place.
SHOAL_FN double pore_slope(const porous_pore_view* v, double r) {
    double t = v->h - r, u = 0.5 * v->h - r;
    if (!(t > 0.0) || !(r > 1e-6 * v->h)) return 0.0;
    if (u < 0.0) u = 0.0;
    return v->slope_scale * (t * t - 4.0 * u * u) / r;
}

// W.
SHOAL_FN double pore_kernel(const porous_pore_view* v, double r) {
    double t = v->h - r, u = 0.5 * v->h - r;
    if (!(t > 0.0)) return 0.0;
    if (u < 0.0) u = 0.0;
    return v->scale * (t * t * t - 4.0 * u * u * u);
}

// From a guest to i.
SHOAL_FN shoal_d3 pore_drop_displacement(const porous_pore_view* v, int i, int guest) {
    shoal_v4 a = v->place[i], b = v->drops.place[guest];
    return shoal_d3_make((double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z);
}
// The volume of a guest that exchanges; 0 of others, which are as walls.
SHOAL_FN double pore_drop_volume(const porous_pore_view* v, int guest) {
    int drop = v->drops.source[guest];
    return v->drops.is_mixed[drop] ? v->drops.content[drop] : 0.0;
}

SHOAL_FN void pore_sym_add(pore_sym* x, shoal_d3 d, double f) {
    x->xx += f * d.x * d.x, x->yy += f * d.y * d.y, x->zz += f * d.z * d.z;
    x->yz += f * d.y * d.z, x->xz += f * d.x * d.z, x->xy += f * d.x * d.y;
}

SHOAL_FN double pore_sym_along(pore_sym b, shoal_d3 d) {
    return b.xx * d.x * d.x + b.yy * d.y * d.y + b.zz * d.z * d.z +
           2.0 * (b.yz * d.y * d.z + b.xz * d.x * d.z + b.xy * d.x * d.y);
}
// e . B . e, never below zero: where neighbours are few and on one side, the correction of B may go too far, and no
// water flows uphill.
SHOAL_FN double pore_bend(pore_sym b, shoal_d3 d) {
    double along = pore_sym_along(b, d);
    return along > 0.0 ? along / shoal_d3_dot(d, d) : 0.0;
}
SHOAL_FN shoal_d3 pore_sym_times(pore_sym b, shoal_d3 d) {
    return shoal_d3_make(b.xx * d.x + b.xy * d.y + b.xz * d.z, b.xy * d.x + b.yy * d.y + b.yz * d.z,
                         b.xz * d.x + b.yz * d.y + b.zz * d.z);
}
SHOAL_FN pore_sym pore_sym_inverse(pore_sym s) {
    double   a = s.yy * s.zz - s.yz * s.yz, b = s.yz * s.xz - s.xy * s.zz, c = s.xy * s.yz - s.yy * s.xz;
    double   by = 1.0 / (s.xx * a + s.xy * b + s.xz * c);
    pore_sym i;
    i.xx = by * a, i.xy = by * b, i.xz = by * c;
    i.yy = by * (s.xx * s.zz - s.xz * s.xz), i.zz = by * (s.xx * s.yy - s.xy * s.xy);
    i.yz = by * (s.xy * s.xz - s.xx * s.yz);
    return i;
}

// -W'/r of the pairs of i, in the order of its list: kept where the entries of its row will be.
SHOAL_FN double* pore_slopes(const porous_pore_view* v, int i) { return v->matrix->value + v->matrix->start[i] + 1; }

// What falls from i to j by weight, as a pressure: rho g . d.
SHOAL_FN double pore_fall(const porous_pore_view* v, shoal_d3 d) { return v->density * shoal_d3_dot(v->gravity, d); }

// ---------------------------------------------------------------------------------- passes

// Grains keep their volume where sand is compressed; loose sand at a surface has no more pores than at rest.
SHOAL_FN double pore_compression(const porous_pore_view* v, int i) {
    return v->ratio[i] > 1.0f ? (double)v->ratio[i] : 1.0;
}
SHOAL_FN double pore_porosity(const porous_pore_view* v, int i) {
    double phi = 1.0 - (1.0 - v->pores[v->material[i]].porosity) * pore_compression(v, i);
    return phi < 0.05 ? 0.05 : phi > 0.95 ? 0.95 : phi;
}
SHOAL_FN double pore_volume(const porous_pore_view* v, int i) { return v->rest_volume / pore_compression(v, i); }
// What sand bears by its pressure K, the water in it included, Pa. Fixed sand does not give way.
SHOAL_FN double pore_load(const porous_pore_view* v, int i) {
    bool is_loaded = v->load && v->load[i] > 0.0f && !(v->fixed && v->fixed[i]);
    return is_loaded ? (double)v->load[i] : 0.0;
}
// What pores hold under a load p without a pressure u in them, m^3; with it they hold 1 + PORE_SOFT u times as much. So
// they give way to p - u, the load of the grains, and to a load that comes sooner than water can leave u answers with
// all of it: Terzaghi's consolidation (1925). They do not follow s. A kPa closes 1e-4 of them, but s is 1e-3 too large
// where sand moves, by what the sweeps leave, and would close 2.5e-3 of them: in sand of little permeability the pore
// pressure was ten times the load by that, so that grains floated, stirred, and renewed it. It boiled for ever.
SHOAL_FN double pore_capacity(const porous_pore_view* v, int i) {
    return v->pores[v->material[i]].porosity * v->rest_volume / (1.0 + PORE_SOFT * pore_load(v, i));
}

SHOAL_FN double pore_suction(const porous_pores* pores, double saturation) {
    return saturation < 1.0 ? pores->suction * sqrt(1.0 - saturation) : 0.0;
}

// What they had as a pressure in the step before.
SHOAL_FN double pore_pressed(const porous_pore_view* v, int i) {
    return v->pore_pressure[i] > 0.0f ? (double)v->pore_pressure[i] : 0.0;
}

// Pores, saturation and suction. What has seeped out and found no other place goes back where there is room.
SHOAL_FN void pore_measure(const porous_pore_view* v, int i) {
    const porous_pores* pores    = &v->pores[v->material[i]];
    double              capacity = pore_capacity(v, i), free_volume = capacity - v->water[i];
    if (v->pending[i] > 0.0 && free_volume > 0.0) {
        double back = free_volume < v->pending[i] ? free_volume : v->pending[i];
        v->water[i] += back;
        v->pending[i] -= back;
    }
    double saturation = v->water[i] / capacity, air = 1.0 - saturation;
    double wet       = saturation < 1.0 ? saturation : 1.0;
    v->volume[i]     = pore_volume(v, i);
    v->capacity[i]   = capacity;
    v->porosity[i]   = (float)pore_porosity(v, i);
    v->suction[i]    = pore_suction(pores, saturation);
    v->stiff[i]      = 0.5 * pores->suction / sqrt(air > PORE_LEAST_AIR ? air : PORE_LEAST_AIR);
    v->passage[i]    = wet * wet * wet;
    v->is_full[i]    = v->water[i] >= (v->pore_pressure[i] > 0.0f ? PORE_WAS_FULL : PORE_FULL) * capacity;
    v->is_filling[i] = 0;
    v->over[i]       = v->water[i] > capacity ? v->water[i] - capacity : 0.0;
    v->last[i]       = v->is_full[i] ? pore_pressed(v, i) : -v->suction[i];
}

// Whether anything may flow to it or from it. What may not costs nothing more: its row is its diagonal.
SHOAL_FN void pore_find_dry(const porous_pore_view* v, int i) {
    bool is_dry = !v->is_held && v->water[i] == 0.0 && !(v->drops.near && v->drops.near->count[i] > 0);
    if (is_dry) {
        SHOAL_FOR_NEAR(*v->near, i, n) {
            int j = n < v->count ? n : v->images[n - v->count].source;
            if (v->water[j] != 0.0) is_dry = false;
        }
    }
    v->is_dry[i] = is_dry;
}

// What B makes of a linear head is Y = sum V_j (d (x) d) (-W'/r) e . B . e, and should be one: it is so for its trace,
// but at a wall water would run along it too easily (a bed 12 spacings wide by 2 %), and to it too hardly. A change of
// B without trace changes Y by as much on the lattice, and by less where neighbours lie in all directions.
SHOAL_FN pore_sym pore_trued(const porous_pore_view* v, int i, pore_sym b) {
    pore_sym      y     = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double* slope = pore_slopes(v, i);
    int           j;
    SHOAL_FOR_NEAR(*v->near, i, n) {
        shoal_d3 d  = pore_displacement(v, i, n, &j);
        double   r2 = shoal_d3_dot(d, d), f = v->volume[j] * *slope++;
        if (!(f > 0.0)) continue;
        pore_sym_add(&y, d, f * pore_sym_along(b, d) / r2);
    }
    if (v->drops.near) {
        SHOAL_FOR_NEAR(*v->drops.near, i, n) {
            shoal_d3 d  = pore_drop_displacement(v, i, n);
            double   r2 = shoal_d3_dot(d, d), f = pore_drop_volume(v, n) * pore_slope(v, sqrt(r2));
            if (f > 0.0) pore_sym_add(&y, d, f * pore_sym_along(b, d) / r2);
        }
    }
    double mean = (y.xx + y.yy + y.zz) / 3.0, by = (b.xx + b.yy + b.zz) / 3.0;
    b.xx += by * (mean - y.xx), b.yy += by * (mean - y.yy), b.zz += by * (mean - y.zz);
    b.yz -= by * y.yz, b.xz -= by * y.xz, b.xy -= by * y.xy;
    return b;
}

// Coarse sand, which has no part in the flow: a surface of fine sand at it is one as in the air.
typedef struct pore_coarse {
    double fraction, pores; // of the place around, V W: with its grains, and where water has room
} pore_coarse;
SHOAL_FN bool pore_is_coarse(const porous_pore_view* v, int i) { return v->pores[v->material[i]].is_coarse; }

// What free water adds to X; and the fraction of air in what sand and solids leave open, and in the pores of coarse
// sand.
SHOAL_FN void pore_drown(const porous_pore_view* v, int i, pore_coarse coarse, pore_sym* x) {
    double wet = 0.0;
    if (v->drops.near) {
        SHOAL_FOR_NEAR(*v->drops.near, i, n) {
            shoal_d3 d = pore_drop_displacement(v, i, n);
            double   r = sqrt(shoal_d3_dot(d, d)), volume = pore_drop_volume(v, n);
            pore_sym_add(x, d, volume * pore_slope(v, r));
            wet += volume * pore_kernel(v, r);
        }
    }
    double open = 1.0 - (double)v->ratio[i] + wet, slanted = PORE_LACKS * v->d * shoal_d3_length(v->out[i]);
    if (slanted > open && !(v->wall && v->wall[i].w > 0.0f)) open = slanted;
    double volume = (open > 0.0 ? open : 0.0) + coarse.pores;
    double air    = open + coarse.fraction > PORE_OPEN ? 1.0 - wet / (PORE_DROWNED * volume) : 0.0;
    v->air[i]     = air > 0.0 ? air : 0.0;
}

// Out of the sand and not into a solid: a packing leaves gaps along walls, which are no surface.
SHOAL_FN shoal_d3 pore_out_of_solids(shoal_d3 out, shoal_v4 gradient) {
    shoal_d3 wall  = shoal_d3_make((double)gradient.x, (double)gradient.y, (double)gradient.z);
    double   slope = shoal_d3_dot(wall, wall);
    if (!(slope > 0.0)) return out;
    out           = shoal_d3_sub(out, wall);
    double inward = shoal_d3_dot(out, wall);
    return inward > 0.0 ? shoal_d3_sub(out, shoal_d3_scale(wall, inward / slope)) : out;
}

// B, and which way is out of the sand.
SHOAL_FN void pore_shape(const porous_pore_view* v, int i) {
    pore_sym    x     = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    shoal_d3    out   = {0.0, 0.0, 0.0};
    double*     slope = pore_slopes(v, i);
    int         j;
    pore_coarse coarse = {0.0, 0.0};
    if (v->is_dry[i]) {
        v->correction[i] = v->shape[i] = x;
        v->out[i]                      = out;
        v->air[i]                      = 0.0;
        return;
    }
    SHOAL_FOR_NEAR(*v->near, i, n) {
        shoal_d3 d = pore_displacement(v, i, n, &j);
        double   r = sqrt(shoal_d3_dot(d, d));
        *slope     = pore_is_coarse(v, j) ? 0.0 : pore_slope(v, r);
        if (pore_is_coarse(v, j)) {
            double fraction = v->volume[j] * pore_kernel(v, r);
            coarse.fraction += fraction;
            coarse.pores += fraction * v->pores[v->material[j]].porosity;
        }
        double f = v->volume[j] * *slope++;
        pore_sym_add(&x, d, f);
        out = shoal_d3_add(out, shoal_d3_scale(d, f));
    }
    if (v->wall) out = pore_out_of_solids(out, v->wall[i]);
    v->out[i] = out;
    pore_drown(v, i, coarse, &x);
    double trace = x.xx + x.yy + x.zz, more = PORE_REGULARISATION * trace;
    x.xx += more, x.yy += more, x.zz += more;
    pore_sym none = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, b = trace > 1e-6 ? pore_sym_inverse(x) : none;
    double   most = b.xx + b.yy + b.zz,
           by     = 1.0 + 3.0 * PORE_REGULARISATION; // what was added is no loss of full surroundings
    if (most * by > PORE_MOST_TRACE) by = PORE_MOST_TRACE / most;
    b.xx *= by, b.yy *= by, b.zz *= by, b.yz *= by, b.xz *= by, b.xy *= by;
    v->correction[i] = b;
    v->shape[i]      = pore_trued(v, i, b);
}

// What waits with a particle that mud has carried down from the surface has no way to the open there: it is pressed
// back into the full pores, and flows.
SHOAL_FN void pore_take_back(const porous_pore_view* v, int i) {
    double most = PORE_BACK * v->capacity[i], back = v->pending[i] < most ? v->pending[i] : most;
    if (!(back > 0.0) || v->is_dry[i] || shoal_d3_length(v->out[i]) * v->d >= PORE_SURFACE) return;
    v->water[i] += back;
    v->pending[i] -= back;
    v->over[i] += back;
}

// The gradient of u - rho g . x by least squares, Pa/m.
SHOAL_FN shoal_d3 pore_gradient(const porous_pore_view* v, int i, const double* u) {
    shoal_d3      sum   = {0.0, 0.0, 0.0};
    const double* slope = pore_slopes(v, i);
    int           j;
    SHOAL_FOR_NEAR(*v->near, i, n) {
        shoal_d3 d = pore_displacement(v, i, n, &j);
        double   f = v->volume[j] * *slope++;
        sum        = shoal_d3_add(sum, shoal_d3_scale(d, f * (u[i] - u[j] - pore_fall(v, d))));
    }
    if (v->drops.near) {
        SHOAL_FOR_NEAR(*v->drops.near, i, n) {
            shoal_d3 d = pore_drop_displacement(v, i, n);
            double   f = pore_drop_volume(v, n) * pore_slope(v, sqrt(shoal_d3_dot(d, d)));
            double   p = (double)v->drops.pressure[v->drops.source[n]];
            sum        = shoal_d3_add(sum, shoal_d3_scale(d, f * (u[i] - p - pore_fall(v, d))));
        }
    }
    return pore_sym_times(v->correction[i], sum);
}

// Darcy's, and in coarse sand Forchheimer's: the flux q of a gradient G is k G with a q + b q^2 = G, and both a and b
// grow as pores close [Kozeny, Carman; Engelund 1953 with van Gent's form of b].
SHOAL_FN void pore_find_mobility(const porous_pore_view* v, int i) {
    const porous_pores* pores = &v->pores[v->material[i]];
    double              a, b;
    v->mobility[i] = 0.0;
    if (v->is_dry[i]) return;
    porous_pores_drag(pores, pore_porosity(v, i), &a, &b);
    shoal_d3 g     = pore_gradient(v, i, v->last);
    v->mobility[i] = 2.0 / (a + sqrt(a * a + 4.0 * b * shoal_d3_length(g)));
}

// The row of the matrix: what pairs let through, by the side that the water came from last.
SHOAL_FN void pore_join(const porous_pore_view* v, int i) {
    int64_t at  = v->matrix->start[i] + 1; // the diagonal comes first
    double  sum = 0.0, weight = 0.0;
    int     j;
    v->matrix->column[at - 1] = i;
    v->sum[i] = v->weight[i] = 0.0;
    if (v->is_dry[i]) return;
    SHOAL_FOR_NEAR(*v->near, i, n) {
        shoal_d3 d    = pore_displacement(v, i, n, &j);
        double   fall = pore_fall(v, d), rise = v->last[i] - v->last[j] - fall;
        double   pass = rise > 0.0   ? v->passage[i]
                        : rise < 0.0 ? v->passage[j]
                                     : (v->passage[i] > v->passage[j] ? v->passage[i] : v->passage[j]);
        double   f    = v->matrix->value[at]; // the slope, until here
        if (pore_is_coarse(v, i)) f = 0.0;    // where j is, the slope is 0
        double bend           = f > 0.0 ? pore_bend(v->shape[i], d) + pore_bend(v->shape[j], d) : 0.0;
        double t              = v->volume[i] * v->volume[j] * (v->mobility[i] + v->mobility[j]) * f * 0.5 * bend * pass;
        v->matrix->column[at] = j;
        v->matrix->value[at]  = -t;
        v->fall[at]           = t * fall;
        sum += t;
        weight += t * fall;
        at++;
    }
    v->sum[i]    = sum;
    v->weight[i] = weight;
}

// Where the unknown begins: no pressure where pores are full, else the suction as it is.
SHOAL_FN double pore_base(const porous_pore_view* v, int i) { return v->is_full[i] ? 0.0 : -v->suction[i]; }

// Full pores take in no more than leaves them; others change their suction by what they take in.
SHOAL_FN void pore_balance(const porous_pore_view* v, int i) {
    int64_t first = v->matrix->start[i];
    double base = pore_base(v, i), right = v->weight[i] + v->link_pull[i] - (v->sum[i] + v->link_conductance[i]) * base;
    double storage = v->is_full[i] ? v->capacity[i] * PORE_SOFT : v->capacity[i] / v->stiff[i];
    for (int64_t k = first + 1; k < v->matrix->start[i + 1]; k++)
        right -= v->matrix->value[k] * pore_base(v, v->matrix->column[k]);
    if (v->is_full[i]) right += (v->water[i] - v->capacity[i]) / v->dt;
    v->matrix->value[first] = v->sum[i] + v->link_conductance[i] + storage / v->dt;
    v->right[i]             = right;
}

SHOAL_FN void pore_apply_pressure(const porous_pore_view* v, int i) { v->head[i] = pore_base(v, i) + v->change[i]; }

// Flows out of i by the k-th entry, m^3/s.
SHOAL_FN double pore_flux(const porous_pore_view* v, int i, int64_t k) {
    return -v->matrix->value[k] * (v->head[i] - v->head[v->matrix->column[k]]) - v->fall[k];
}

// Suction goes down to nothing as pores fill up. Along its tangent half of it would be left then: neither full pores,
// which have no suction, nor others that hold no more than fits would be a solution. So one that fills goes along the
// chord.
SHOAL_FN void pore_fill(const porous_pore_view* v, int i) {
    double air       = 1.0 - v->water[i] / v->capacity[i];
    v->is_filling[i] = 1;
    if (air > 0.0 && v->suction[i] > 0.0) v->stiff[i] = v->suction[i] / air;
}

// Those that change sides: full pores whose pressure is suction, and others that would take in more than they hold.
SHOAL_FN bool pore_review(const porous_pore_view* v, int i) {
    bool is_full = v->change[i] >= -PORE_SLACK * v->pores[v->material[i]].suction, begins = !is_full;
    if (!v->is_full[i]) {
        double in = v->link_pull[i] - v->link_conductance[i] * v->head[i];
        for (int64_t k = v->matrix->start[i] + 1; k < v->matrix->start[i + 1]; k++) in -= pore_flux(v, i, k);
        // an overfull pore that is draining is not becoming full
        double free_volume = v->water[i] < v->capacity[i] ? v->capacity[i] - v->water[i] : 0.0;
        bool   is_over     = v->dt * in > free_volume + PORE_SLACK * v->capacity[i];
        is_full            = is_over && v->is_filling[i];
        begins             = is_over && !v->is_filling[i];
    }
    if (begins) pore_fill(v, i);
    v->next_full[i] = is_full;
    if (is_full != v->is_full[i]) v->change[i] = 0.0;
    return begins || is_full != v->is_full[i];
}

// None gives more than it has and gets: true where it would, and then the fraction of what would leave that may.
SHOAL_FN bool pore_limit(const porous_pore_view* v, int i) {
    double out = v->link_out[i], in = v->link_in[i];
    for (int64_t k = v->matrix->start[i] + 1; k < v->matrix->start[i + 1]; k++) {
        double flux = pore_flux(v, i, k);
        if (flux > 0.0)
            out += flux;
        else
            in -= flux * v->outflow_fraction[v->matrix->column[k]];
    }
    double has          = v->water[i] / v->dt;
    v->next_fraction[i] = v->outflow_fraction[i];
    if (out * v->outflow_fraction[i] <= has + in) return false;
    v->next_fraction[i] = (PORE_MOST_OUT * has + in) / out;
    return true;
}

SHOAL_FN void pore_move(const porous_pore_view* v, int i) {
    double sum = 0.0;
    for (int64_t k = v->matrix->start[i] + 1; k < v->matrix->start[i + 1]; k++) {
        double flux = pore_flux(v, i, k);
        sum += flux * v->outflow_fraction[flux > 0.0 ? i : v->matrix->column[k]];
    }
    v->water[i] -= v->dt * sum;
}

// What is shown, and begun with in the next step. The mean flux in a particle is half of what flows to each neighbour
// times the way there, over its volume: so the sum over all is what has been moved.
SHOAL_FN void pore_store_results(const porous_pore_view* v, int i) {
    int64_t  k    = v->matrix->start[i] + 1;
    shoal_d3 flow = {0.0, 0.0, 0.0};
    int      j;
    if (!v->is_dry[i]) {
        SHOAL_FOR_NEAR(*v->near, i, n) {
            double   flux = pore_flux(v, i, k++);
            shoal_d3 d    = pore_displacement(v, i, n, &j);
            double   way  = -0.5 * flux * v->outflow_fraction[flux > 0.0 ? i : j];
            flow          = shoal_d3_add(flow, shoal_d3_scale(d, way));
        }
    }
    double s = v->water[i] / v->capacity[i], p = v->head[i] > 0.0 ? v->head[i] : 0.0;
    v->saturation[i]    = (float)s;
    v->pore_pressure[i] = (float)(v->is_full[i] ? p : -pore_suction(&v->pores[v->material[i]], s));
    v->pore_velocity[i] = shoal_v3_from(shoal_d3_scale(flow, 1.0 / v->capacity[i]));
}

// Water that flows from one particle to another has moved with the grains of the first.
SHOAL_FN void pore_carry(const porous_pore_view* v, int i) {
    shoal_d3 gain = {0.0, 0.0, 0.0};
    for (int64_t k = v->matrix->start[i] + 1; v->velocity && k < v->matrix->start[i + 1]; k++) {
        int    j  = v->matrix->column[k];
        double in = -pore_flux(v, i, k);
        if (!(in > 0.0)) continue;
        shoal_d3 faster = shoal_d3_sub(shoal_d3_from(v->velocity[j]), shoal_d3_from(v->velocity[i]));
        gain            = shoal_d3_add(gain, shoal_d3_scale(faster, v->dt * in * v->outflow_fraction[j]));
    }
    v->gain[i] = gain;
}

#endif
