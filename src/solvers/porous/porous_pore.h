// SPDX-License-Identifier: MIT
// Water in the pores of sand: capillarity, gravity and the saturated zone in one implicit step, with what flows between
// two particles taken from one and given to the other [Lenaerts, Adams & Dutre 2008; the discretisation is ours].
#ifndef SHOAL_POROUS_PORE_H
#define SHOAL_POROUS_PORE_H

#include "fluid/halo.h"
#include "grid/near.h"
#include "linalg/cg.h"
#include "state/description.h"

// The water: that of the scene, or of the preset.
typedef struct porous_liquid {
    double density, viscosity; // kg/m^3, Pa s
} porous_liquid;

// What of a material the pores ask for.
typedef struct porous_pores {
    double porosity;      // at rest
    double permeability;  // at rest, m^2
    double suction;       // k_c, of dry sand, Pa
    double darcy_a;       // a of Darcy's law, over its (1 - phi)^2 / phi^3, Pa s/m^2
    double forchheimer_b; // b of Forchheimer's, over its (1 - phi) / phi^3, Pa s^2/m^3
    bool   is_coarse;     // free water passes through it: none is kept in its pores but what clings there
} porous_pores;

double porous_cohesion_wet(const shoal_material* material); // Pa
double porous_grain_size(const shoal_material* material);   // m
// a and b of the pressure a q + b q^2 per length by which the flux q passes at a porosity.
SHOAL_FN void porous_pores_drag(const porous_pores* pores, double porosity, double* a, double* b) {
    double solid = 1.0 - porosity, cube = porosity * porosity * porosity;
    *a = pores->darcy_a * solid * solid / cube;
    *b = pores->forchheimer_b * solid / cube;
}
porous_pores porous_pores_of(const shoal_material* material, porous_liquid liquid);

// Symmetric, in double.
typedef struct pore_sym {
    double xx, yy, zz, yz, xz, xy;
} pore_sym;

// What is outside of known pressure, that a particle exchanges water with.
typedef enum porous_boundary {
    POROUS_HELD, // gives and takes
    POROUS_FREE, // free water: gives what it has, and takes from full pores
    POROUS_AIR   // takes from full pores
} porous_boundary;

typedef struct porous_link {
    int             particle;
    porous_boundary boundary;
    int             free_particle; // of free water; of POROUS_FREE
    double          mobility;      // m^3/(Pa s) where the pores are full
    double          pressure;      // there, Pa
    shoal_d3        apart;         // from there to the particle, m
    bool            is_open;       // in this step
    bool            is_out;        // water flows out by it, if it is open
    double          given;         // what it got from the particle in this step, m^3; below 0: what it gave
} porous_link;

// Free water around the sand, as guests of it (porous_meet.h). NULL of `near`: there is none.
typedef struct porous_drops {
    const shoal_near* near;
    const shoal_v4*   place;    // [guests] m
    const int32_t*    source;   // [guests] its index among the free water
    int               count;    // of free water; by index:
    const uint8_t*    is_mixed; // it exchanges with pores
    const double*     content;  // what it has, m^3
    const float*      pressure; // smoothed, Pa
} porous_drops;

// clang-format off
// Scratch of a step, one for each particle: type, name, meaning.
#define POROUS_PORE_ARRAYS(X)                                                                \
    X(double,   volume)    /* V, m^3 */                                                     \
    X(double,   capacity)  /* phi V, m^3 */                                                 \
    X(double,   suction)   /* P, Pa */                                                      \
    X(double,   stiff)     /* |dP/dS|, Pa */                                                \
    X(double,   passage)   /* relative permeability, S^3 */                                 \
    X(double,   last)      /* u of the step before, Pa */                                   \
    X(double,   mobility)      /* flux per gradient, m^2/(Pa s) */                          \
    X(double,   sum)       /* of T over its neighbours, m^3/(Pa s) */                       \
    X(double,   weight)    /* what weight brings in, m^3/s */                               \
    X(double,   right)     /* of the equations, m^3/s */                                    \
    X(double,   change)    /* the unknown: pressure of full pores, change of u of others */ \
    X(double,   head)      /* u, Pa */                                                      \
    X(double,   outflow_fraction)     /* of what would leave that may */                    \
    X(double,   next_fraction)                                                              \
    X(double,   link_conductance) /* sums over its links: of conductance, */                       \
    X(double,   link_pull) /* of conductance times the pressure on their side, m^3/s, */           \
    X(double,   link_out)  /* and of what flows out by them, and in, m^3/s */               \
    X(double,   link_in)                                                                    \
    X(double,   over)      /* what it has more than fits when the step begins, m^3 */       \
    X(double,   air)       /* fraction of the missing surroundings that is air */             \
    X(pore_sym, correction) /* X^-1, which corrects gradients */                             \
    X(pore_sym, shape)     /* B */                                                          \
    X(shoal_d3, out)       /* gradient of s, pointing out of the sand, 1/m */               \
    X(shoal_d3, gain)      /* of momentum by the water that has come in, over the density of water, m^4/s */ \
    X(uint8_t,  is_full)   /* pores are full in this step */                                \
    X(uint8_t,  next_full)                                                                  \
    X(uint8_t,  is_filling) /* pores fill up, or nearly, in this step */                    \
    X(uint8_t,  is_dry)     /* it has no water, and none is near: nothing flows */
// clang-format on

// What a step needs, and what its passes see.
typedef struct porous_pore_view {
    int                 count;
    const shoal_near*   near;   // among particles and their images
    const shoal_image*  images; // those follow the particles
    const shoal_v4*     place;  // of the particles, m
    const shoal_v4*     wall;   // gradient of what solids have of s, 1/m; NULL: no solids
    const float*        ratio;  // s
    const uint8_t*      material;
    const porous_pores* pores;    // by material
    const float*        load;     // pressure that the sand bears, with the water in it, Pa; NULL: none
    const uint8_t*      fixed;    // 1: it does not give way to a load; NULL: all does
    const shoal_v3*     velocity; // of the grains, m/s; NULL: at rest
    double              dt, d, h;
    double              density;   // of the water, kg/m^3
    bool                is_closed; // nothing seeps out into the air
    bool                is_held;   // ends are given, which may wet any
    porous_drops        drops;
    shoal_d3            gravity;
    // state: water in the pores, and what has seeped out of them and waits, m^3; u, Pa
    double *  water, *pending;
    float*    pore_pressure;
    float *   saturation, *porosity;
    shoal_v3* pore_velocity;
    // set by the step
    double     slope_scale, rest_volume; // 3 times the kernel's scale; volume of a particle at rest, m^3
    shoal_csr* matrix;
    double     scale;         // of the kernel
    double*    fall;          // [entries] what weight brings from i to j, m^3/s
    double*    drop_fraction; // [drops] of what ends would take from it, what it has
#define X(type, name) type* name;
    POROUS_PORE_ARRAYS(X)
#undef X
} porous_pore_view;

// Kept from step to step as memory alone, and what the last step has done.
typedef struct porous_pore {
    int          array_capacity, link_capacity, drop_capacity;
    int64_t      entry_capacity;
    int*         lengths;       // [array_capacity]
    double*      fall;          // [entry_capacity]
    double*      drop_fraction; // [drop_capacity]
    shoal_csr    matrix;
    shoal_cg     cg;
    porous_link* links; // [link_count] ends given before the step, then free water and outlets to the air
    int          link_count;
    int          iterations, rounds; // of conjugate gradients; times that the set of full pores was changed and solved
    bool         is_solved;          // both came to their end
#define X(type, name) type* name;
    POROUS_PORE_ARRAYS(X)
#undef X
} porous_pore;

void porous_pore_free(porous_pore* pore); // zero-initialise before the first use
// Ends of this step; free water and outlets to the air are found by the step itself.
void         porous_pore_clear(porous_pore* pore);
shoal_status porous_pore_link(porous_pore* pore, porous_link link);
// Water flows for view->dt.
shoal_status porous_pore_step(porous_pore* pore, porous_pore_view* view, const shoal_exec* exec);

#endif
