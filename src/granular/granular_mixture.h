// SPDX-License-Identifier: MIT
// Water in the pores of sand: two velocities on two grids, w and v, that share cells. With n the fraction of the pores,
// K the drag, and one pressure p of the water that presses on all:
//
//     div (n w + (1 - n) v) = 0                                   what grains leave, water fills
//     n rho dw/dt           = n rho g       - n grad p       - K (w - v)
//     (1 - n) rho_s dv/dt   = (1 - n) rho_s g - (1 - n) grad p + K (w - v) + contact of grains
//
// For a given contact, drag and pressure are found at once. Drag couples but the two velocities of a face, so both are
// linear in its grad p,
//
//     w = w0 - dt cw grad p,   v = v0 - dt cv grad p,
//
// and n w + (1 - n) v is a velocity like any other that is projected, with n cw + (1 - n) cv for 1 / rho: a symmetric
// system whose condition is that of water alone, however fine the grains are. It is the step of least change (in the
// masses' measure) that the dissipation by drag allows, so it takes energy and keeps momentum; large K is Darcy's law.
//
// Masses are those of the particles around a face: of water a, not n rho, so that pores which water has yet to fill
// drag nothing, and K is in proportion to a. Where the free surface passes a face, pressure acts on the fraction of the
// grains below it.
//
// The contact of grains is the sand's own solve, under what the water does to it, and is kept from step to step: a bed
// at rest is carried by what carried it before, and nothing is left for either solve to change.
#ifndef SHOAL_GRANULAR_MIXTURE_H
#define SHOAL_GRANULAR_MIXTURE_H

#include "mac/mac_stored.h"

typedef struct shoal_granular_mixture_job {
    float density, viscosity;                 // of the liquid: kg/m^3, Pa s
    float grain_density, packing, grain_size; // kg/m^3, fraction of grains in sand at rest, m
    float dt;
} shoal_granular_mixture_job;

typedef struct shoal_granular_mixture {
    int      liquid_capacity, sand_capacity; // blocks
    int *    to_sand, *to_liquid;            // [block] the other's block at the same place; -1: none
    uint8_t* is_mixed;                       // [liquid's block] there is sand in it or beside it

    // on the liquid's grid
    float* grains;      // fraction of the volume that is grains, at centres
    float* water[3];    // particles of liquid around a face over those of rest
    float* wet[3];      // fraction of a face that is below the liquid's surface
    float* slip[3];     // w - v at centres, m/s
    float* pores[3];    // n
    float* drag[3];     // K dt / (1 - n), kg/m^3
    float* mobility[3]; // rho (n cw + (1 - n) cv)
    float* star[3];     // w before pressure and drag

    // on the sand's
    float*     weight[3];        // particles around a face over those of rest
    float*     sand_mobility[3]; // how far a push on the grains moves v, at most 1: what water clings to is heavy
    float*     free[3];          // v before pressure, drag and contact
    float*     star_sand[3];     // v before pressure and drag
    shoal_set* contact;          // of shoal_granular_contact_fields, another's: what contact does to v
} shoal_granular_mixture;

extern const shoal_field_def shoal_granular_contact_fields[];

void shoal_granular_mixture_free(
    shoal_granular_mixture* mixture); // but for `contact`; zero-initialise the rest before the first use

// Once both grids are built: where each of the two lies. The weights may be given to shoal_mac_gather, for the sand,
// from then on.
shoal_status shoal_granular_mixture_pair(shoal_granular_mixture* mixture, const shoal_mac* liquid,
                                         const shoal_mac* sand);
// Between counting solids and the level set: counts grains into the liquid's density as if they were liquid.
void shoal_granular_mixture_count(shoal_granular_mixture* mixture, shoal_mac* liquid, const shoal_mac* sand,
                                  const shoal_exec* exec, const shoal_granular_mixture_job* how);

// After forces: keeps w and v as they are, with the contact of the step before in star_sand; finds pores, drag and
// mobility.
void shoal_granular_mixture_begin(shoal_granular_mixture* mixture, shoal_mac* liquid, shoal_mac* sand,
                                  const shoal_exec* exec, const shoal_granular_mixture_job* how);
// Before a pressure of the liquid: its u is n w0 + (1 - n) v0, from what was kept. After it: w and v, each on its own
// grid.
void shoal_granular_mixture_join(shoal_granular_mixture* mixture, shoal_mac* liquid, const shoal_exec* exec,
                                 const shoal_granular_mixture_job* how);
void shoal_granular_mixture_part(shoal_granular_mixture* mixture, shoal_mac* liquid, shoal_mac* sand,
                                 const shoal_exec* exec, const shoal_granular_mixture_job* how);
// Around the sand's own solve: takes the contact of before out of sand->u and sets sand->mobility; puts the new one
// into star_sand.
void         shoal_granular_mixture_release(shoal_granular_mixture* mixture, shoal_mac* sand, const shoal_exec* exec,
                                            const shoal_granular_mixture_job* how);
shoal_status shoal_granular_mixture_touch(shoal_granular_mixture* mixture, shoal_mac* sand, const shoal_exec* exec,
                                          const shoal_granular_mixture_job* how);
// Sand that moves as it does, whatever the water wants: in place of these two.
void shoal_granular_mixture_lead(shoal_granular_mixture* mixture, const shoal_mac* sand);

// After that: the liquid in the pores adds to the wetness of the sand, up to 1.
void shoal_granular_mixture_wet(const shoal_granular_mixture* mixture, const shoal_mac* liquid, shoal_mac* sand,
                                const shoal_exec* exec);

// The liquid's fraction of volume without the grains, for shoal_mac_volume.
void shoal_granular_mixture_fraction(shoal_granular_mixture* mixture, shoal_mac* liquid, const shoal_exec* exec);

#endif
