// SPDX-License-Identifier: MIT
// The water that sand of `porous` carries: how it arrives, when it flows, and its totals.
#ifndef SHOAL_POROUS_WET_H
#define SHOAL_POROUS_WET_H

#include "fluid/water.h"
#include "solvers/porous/porous_pore.h"

// clang-format off
// Of sand. name      type role          unit   meaning
#define POROUS_WET_FIELDS(X)                                                                                  \
    X(water,         D1, STATE,       "m^3", "water in its pores")                                            \
    X(pending,       D1, STATE,       "m^3", "water that has seeped out of it and waits at its surface")      \
    X(pore_pressure, F1, STATE,       "Pa",  "pressure of the water in its pores; below 0: suction")          \
    X(pore_velocity, V3, STATE,       "m/s", "how the water moves through its pores, relative to the grains") \
    X(fixed,         U1, STATE,       "",    "1: of a body that stays where it is")                           \
    X(saturation,    F1, SAND_OUTPUT, "",    "fraction of its pores that is water")                              \
    X(porosity,      F1, OUTPUT,      "",    "fraction of its volume that is pores")                             \
    X(mass,          F1, OUTPUT,      "kg",  "of its grains and its water")

// Once. name         type role   unit   meaning
#define POROUS_WET_ONCE(X)                                                       \
    X(wait,          D1, STATE, "s",   "time for which pore water has not flowed yet")  \
    X(pace,          D1, STATE, "1/s", "steps that the flux of its last step asks for in a second") \
    X(water_come,    D1, STATE, "m^3", "water that bodies and emitters have brought") \
    X(water_gone,    D1, STATE, "m^3", "water that particles took with them when they left") \
    X(engulfed,      L1, STATE, "",    "particles of water that were absorbed because they had got into sand") \
    X(divided,       L1, STATE, "",    "particles of water that have split")              \
    X(merged,        L1, STATE, "",    "particles of water that have joined others")     \
    X(settled,       L1, STATE, "",    "1: bodies have come to lie, and pores follow the load")
// clang-format on

typedef struct porous_wet {
    shoal_sim_context* ctx;
    shoal_set *        set, *free, *once; // of the sand, of free water, of single values
    int                material;          // of the water; -1: the scene has no liquid
    porous_liquid      liquid;
    porous_pores*      pores; // [materials]
    porous_pore        pore;
    porous_pore_view   view;    // of the last step
    bool               flowed;  // in this substep
    bool               is_fine; // some sand of the scene keeps water in its pores
    POROUS_WET_ONCE(SHOAL_FIELD_MEMBER)
} porous_wet;

shoal_status porous_wet_make(porous_wet* wet, shoal_sim_context* ctx, shoal_set* set, shoal_set* free, shoal_set* once);
void         porous_wet_free(porous_wet* wet);
void         porous_wet_arrive(porous_wet* wet, const shoal_arrival* arrival);
shoal_status porous_wet_check(const porous_wet* wet); // what a state that was loaded has of it
void         porous_wet_leave(porous_wet* wet, const shoal_set* set, const uint8_t* marks);
// Pores of bodies are filled to their saturation, as pores without a load.
void porous_wet_begin(porous_wet* wet, const shoal_water* sand);
// Each substep, at its end: now and then the water flows, for as long as it has waited. `drops`: free water near;
// `way`: how far it comes in a substep, in spacings.
shoal_status porous_wet_step(porous_wet* wet, const shoal_water* sand, porous_drops drops, double dt, int64_t step,
                             double way);
// Saturation, porosity and mass as they are: once the density is known, and when the water has flowed.
void   porous_wet_survey(porous_wet* wet, const shoal_water* sand);
double porous_wet_mass(const porous_wet* wet, int material, double water); // of a particle with so much water, kg
double porous_wet_sum(const porous_wet* wet, const char* field);           // of the sand, m^3
double porous_wet_free_sum(const porous_wet* wet);                         // of free water, m^3
double porous_wet_balance(const porous_wet* wet);                          // what has got lost, over all there was

// Whether there may be water in the sand of the scene: its own, or a liquid's.
bool porous_is_wet(const shoal_description* description);
bool porous_pores_warn(const shoal_description* description, char* buffer, size_t size); // of pores that no sand has
// Whether it has one at all; without one there is no free water, and no sand is coarse.
bool porous_has_liquid(const shoal_description* description);
// The water of the pores.
porous_liquid porous_liquid_of(const shoal_description* description);

#endif
