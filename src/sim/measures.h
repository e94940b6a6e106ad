// SPDX-License-Identifier: MIT
// What is asked of the matter of a simulation, whatever its solver: stats, probes and the watch go by these alone.
// Solvers answer by their sets (state/field_words.h), or by functions of their own where they have no particles
// (shoal_matter).
#ifndef SHOAL_MEASURES_H
#define SHOAL_MEASURES_H

#include "exec/pass.h"
#include "shoal/sim.h"
#include "state/set_pass.h"
#include "state/solver.h"

#define SHOAL_CRUSHED 2.0 // so many times as dense as at rest is more than anything bears for long

// One of them all.
typedef struct sim_particle {
    const shoal_set* set;
    int              index;
} sim_particle;

// measures.c: of a material, or of all with -1
double shoal_sim_mass(const shoal_sim* sim, int material);                 // kg
double shoal_sim_kinetic(const shoal_sim* sim, int material, double most); // J; of a particle not more than `most` J/kg
double shoal_sim_kinetic_far(const shoal_sim* sim); // of all, J, where the device knows; else without bound
double shoal_sim_energy(const shoal_sim* sim,
                        double           floor);             // of motion and height of all, J, heights from `floor`, J/kg
double shoal_sim_volume(const shoal_sim* sim);     // that all take on their lattice, m^3
shoal_d3 shoal_sim_momentum(const shoal_sim* sim); // kg m/s
shoal_d3 shoal_sim_moment(const shoal_sim* sim);   // sum of mass times place, kg m
double   shoal_sim_head(const shoal_sim* sim);     // of the highest particle, J/kg above the watch's floor; 0 of none
// The largest speed, m/s; 0 of none: in double, and as passes find it, wherever particles lie, in float.
double       shoal_sim_speed_max(const shoal_sim* sim);
double       shoal_sim_fastest_speed(const shoal_sim* sim);
sim_particle shoal_sim_fastest(const shoal_sim* sim, double* speed); // the first of the fastest; index 0 of none
// Density error: max(rho/rho_0 - 1, 0) in %, of particles on average and the largest; false: it is unknown how dense it
// is.
bool   shoal_sim_compression(const shoal_sim* sim, double* mean, double* most);
double shoal_sim_crush(const shoal_sim* sim); // sum over particles of rho/rho_0 - SHOAL_CRUSHED
// What is asked of particles, all in one, so that it is asked once.
shoal_particles_view shoal_sim_asked(const shoal_sim* sim);

// measure_at.c
void       shoal_sim_at(const shoal_sim* sim, const shoal_d3* places, int count, shoal_at out);
shoal_line shoal_sim_line(const shoal_sim* sim, shoal_d3 at);
// front.c: along each axis; NaN where memory was short, the domain's lower end where there is nothing
void shoal_sim_fronts(const shoal_sim* sim, double front[3]);

#endif
