// SPDX-License-Identifier: MIT
// Particles to grid and back [Zhu & Bridson 2005; Jiang et al. 2015], and particles moved through the grid.
#ifndef SHOAL_MAC_TRANSFER_H
#define SHOAL_MAC_TRANSFER_H

#include "mac/mac.h"

// Raw arrays of the particles, in the order of the sort.
typedef struct shoal_mac_particles {
    shoal_v3*      position;
    shoal_v3*      velocity;
    const uint8_t* material;
    shoal_v3*      affine[3]; // rows of the velocity gradient, 1/s; NULL: without (PIC, FLIP)
    float*         pressure;  // receives pressure x pressure_scale; NULL: not wanted
    float* weight[3]; // [sample] of the grid: receives the particles around a face over those of rest; NULL: not wanted
    float* density;   // receives density x density_scale; NULL: not wanted
    float* wetness;   // receives that of the grid; NULL: not wanted
    float  pressure_scale, density_scale;
    const float* wetness_of; // [material]; NULL: dry
    float        rest;       // particles per cell at rest
    const shoal_world*
        world; // with thin solids, beside which particles see one side alone (mac_sight.h); NULL: there are none
} shoal_mac_particles;

// Weighted averages of velocity on faces (u, known), particles per rest around centres (density;
// solids not yet counted in) and their wetness, marked cells. Needs nothing of the grid but its
// blocks; overwrites the tiles.
void shoal_mac_gather(shoal_mac* mac, const shoal_exec* exec, const shoal_mac_particles* particles);

// How velocities come back: flip x (own + change) + (1 - flip) x u; affine rows likewise, by gradients,
// times 1 - gradient_loss [Fei et al. 2021].
typedef struct shoal_mac_motion {
    float    flip;
    float    gradient_loss; // fraction of the gradient that affine rows lose; 1: PIC
    float    pace; // s/m; above 0 each has its own `flip`, 1 - pace (speed + wave); `gradient_loss` of the rest
    float    wave; // m/s
    float    held; // m/s; above 0 grains with less pressure around touch less, and lose as much less of their gradient
    float    dt;
    int      order;       // of the Runge-Kutta scheme, 2 or 3
    float    move_most;   // cells; at most SHOAL_MAC_REACH - 1
    float    still;       // m/s; slower than this stays where it is,
    float    calm;        // and loses this fraction of its velocity
    float    normal_load; // m/s that the substep presses onto solids
    shoal_v3 push;        // m/s by gravity
} shoal_mac_motion;

// How much grains touch, by the pressure around.
static inline float shoal_mac_touching(const shoal_mac_motion* motion, float pressure) {
    return motion->held > 0.0f ? fminf(fabsf(pressure) / motion->held, 1.0f) : 1.0f;
}

// The fraction of its own velocity that a particle keeps.
static inline float shoal_mac_flip_fraction(const shoal_mac_motion* motion, shoal_v3 velocity) {
    if (motion->pace == 0.0f) return motion->flip;
    return fmaxf(1.0f - motion->pace * (shoal_v3_length(velocity) + motion->wave), 0.0f);
}

// The fraction of its gradient that a particle loses that keeps so much of its own velocity.
static inline float shoal_mac_damped(const shoal_mac_motion* motion, float own_fraction, float touching) {
    return motion->pace == 0.0f ? motion->gradient_loss : motion->gradient_loss * (1.0f - own_fraction) * touching;
}

// Velocities, pressure, density and wetness; then moves the particles through u in substeps of at
// most two cells, overwriting the tiles. Affine rows need particles->affine.
void shoal_mac_return(shoal_mac* mac, const shoal_exec* exec, const shoal_mac_particles* particles,
                      const shoal_mac_motion* motion);
void shoal_mac_move(shoal_mac* mac, const shoal_exec* exec, const shoal_mac_particles* particles,
                    const shoal_mac_motion* motion);

#endif
