// SPDX-License-Identifier: MIT
// Water in the pores of sand: two velocities on two grids, w and v, that share cells. With n the share of the pores, a and b
// the masses of water and sand per volume, and K the drag:
//
//     div (n w + (1 - n) v) = 0                    n + what grains fill is the whole
//     a dw/dt = a g - n grad p         - K (w - v)
//     b dv/dt = b g - (1 - n) grad p   + K (w - v) + what sand does by itself
//
// To the water's pressure, grains are a moving solid that leaves the share n of each face open and lets a push
// through by 1 / (1 + beta), beta = K dt / (n rho): Darcy's law when beta is large. To the sand, water is weight
// that clings to it, and the gradient of its pressure. Drag is implicit and solved for both at once on each face, so any
// step is stable and what one loses the other gets.
#ifndef SHOAL_MAC_MIXTURE_H
#define SHOAL_MAC_MIXTURE_H

#include "mac/mac.h"

typedef struct shoal_mac_mixing {
    float density, viscosity;                // of the liquid: kg/m^3, Pa s
    float grain_density, packing, grain_size; // kg/m^3, share of grains in sand at rest, m
    float dt;
} shoal_mac_mixing;

typedef struct shoal_mac_mixture {
    int  liquid_capacity, sand_capacity; // blocks
    int *to_sand, *to_liquid;            // [block] the other's block at the same place; -1: none
    uint8_t* is_mixed;                   // [liquid's block] there is sand in it or beside it

    // on the liquid's grid
    float* grains;    // share of the volume that is grains, at centres
    float* slip;      // |w - v| at centres, m/s
    float* source;    // divergence of v times dx where sand is dense, m/s
    float* wall[3];   // flux of moving solids through their share of a face, m/s
    float* pores[3];  // n
    float* drag[3];   // beta
    float* ease[3];   // 1 / (1 + beta)
    float* star[3];   // w before pressure and drag
    float* fall[3];   // dt / rho grad p of the first pressure
    float* weight[3]; // particles around a face over those of rest

    // on the sand's
    float *sand_weight[3], *sand_ease[3];
    float* guess[3]; // v for the first pressure
} shoal_mac_mixture;

void shoal_mac_mixture_free(shoal_mac_mixture* mixture); // zero-initialise before the first use

// Once both grids are built: who lies where. The weights may be given to shoal_mac_gather from then on.
shoal_status shoal_mac_mixture_pair(shoal_mac_mixture* mixture, const shoal_mac* liquid, const shoal_mac* sand);
// Between counting solids and the level set: counts grains into the liquid's density as if they were liquid.
void shoal_mac_mixture_count(shoal_mac_mixture* mixture, shoal_mac* liquid, const shoal_mac* sand, const shoal_exec* exec, const shoal_mac_mixing* how);
// Once the level sets are there: the liquid's faces are open by their pores.
void shoal_mac_mixture_open(shoal_mac_mixture* mixture, shoal_mac* liquid, const shoal_exec* exec);

// After forces: keeps w as it is, and finds the drag from the velocities of before.
void shoal_mac_mixture_begin(shoal_mac_mixture* mixture, shoal_mac* liquid, const shoal_mac* sand, const shoal_exec* exec, const shoal_mac_mixing* how);
// Before each pressure of the liquid: w from what was kept and the drag of sand that moves by v (on the sand's grid). Dense sand does
// not change its volume: whatever of that is in v is taken for an error, and water need not flow for it.
void shoal_mac_mixture_drag(shoal_mac_mixture* mixture, shoal_mac* liquid, float* const v[3], const shoal_exec* exec, const shoal_mac_mixing* how);
// After the first pressure, found with v = mixture->guess: sand->u with the pressure's push and the drag, and sand->ease.
void shoal_mac_mixture_push(shoal_mac_mixture* mixture, const shoal_mac* liquid, shoal_mac* sand, const shoal_exec* exec, const shoal_mac_mixing* how);
// After the second pressure, found with v = sand->u: adds to the sand's u and change what that pressure is more than the first, as
// far as it does not turn the change of v.
void shoal_mac_mixture_answer(shoal_mac_mixture* mixture, const shoal_mac* liquid, shoal_mac* sand, const shoal_exec* exec, const shoal_mac_mixing* how);

// The liquid's share of volume without the grains, for shoal_mac_volume.
void shoal_mac_mixture_share(shoal_mac_mixture* mixture, shoal_mac* liquid, const shoal_exec* exec);

// K, kg/(m^3 s): the larger of Ergun 1952 (packed grains) and Wen & Yu 1966 (grains apart), for pores n and |w - v|.
float shoal_mac_drag(const shoal_mac_mixing* how, float pores, float speed);

#endif
