// SPDX-License-Identifier: MIT
// What the files of porous/ share.
#ifndef SHOAL_POROUS_LOCAL_H
#define SHOAL_POROUS_LOCAL_H

#include "fluid/overturn.h"
#include "solvers/porous/porous_params.h"
#include "solvers/porous/porous_pass.h"
#include "solvers/porous/porous_pool_pass.h"
#include "solvers/porous/porous_wet.h"

#define X(name) POROUS_POOL_##name,
typedef enum porous_pool_pass { POROUS_POOL_PASSES(X) POROUS_POOL_PASS_COUNT } porous_pool_pass;
#undef X

#define X(name) POROUS_##name,
typedef enum porous_pass { POROUS_PASSES(X) POROUS_PASS_COUNT } porous_pass;
#undef X

extern const shoal_passes porous_passes, porous_pool_passes;
SHOAL_WIDE_LOOPS(porous_loops) // of the passes that walk over neighbours
SHOAL_WIDE_LOOPS(porous_pool_loops)

enum {
    POROUS_PARTICLES,
    POROUS_POOL,
    POROUS_LOADS,
    POROUS_SANDS,
    POROUS_ONCE,
    POROUS_SETS
}; // of the state, in its order

enum { POROUS_BINS = 10000 }; // of the compression, in steps of 0.01 %

// Of the interval.
enum {
    POROUS_TOTAL_SECONDS,
    POROUS_TOTAL_STEPS,
    POROUS_TOTAL_SWEEPS,
    POROUS_TOTAL_UNSOLVED,
    POROUS_TOTAL_PORE_STEPS,
    POROUS_TOTAL_PORE_ITERATIONS,
    POROUS_TOTAL_PORE_UNSOLVED,
    POROUS_TOTAL_OVERTURNED,
    POROUS_TOTAL_COUNT
};
_Static_assert((int)POROUS_TOTAL_COUNT <= (int)SHOAL_TOTALS_MOST, "the totals have an entry for each of these");

// Water that is to be a particle of its own.
typedef struct porous_birth {
    shoal_v3 position, velocity;
    double   content;           // m^3
    float    smoothed_pressure; // Pa
} porous_birth;

// Scratch of the exchange between pores and free water.
typedef struct porous_exchange {
    int           capacity, birth_capacity, birth_count;
    uint8_t*      is_mixed; // [capacity] exchanges with pores: of the liquid that they hold, and no emitter holds it
    uint8_t*      is_gone;  // [capacity]
    shoal_d3*     gain;     // [capacity] of momentum by the water that has come, over the density, m^4/s
    porous_birth* births;   // [birth_capacity]
} porous_exchange;

// Free water, where the scene has a liquid.
typedef struct porous_pool {
    shoal_water            sph;
    porous_pool_view       view;
    porous_meet            sand, water; // sand as guests of the water, water as guests of the sand
    porous_exchange        exchange;
    shoal_overturn_scratch films;
} porous_pool;

// A particle of a rigid cluster at a solid.
typedef struct porous_touch {
    int      particle;
    float    gap; // m, to the distance that contact keeps
    shoal_v3 normal;
} porous_touch;

// Scratch of the clusters.
typedef struct porous_clusters {
    int           capacity, touch_capacity;
    int*          queue;  // [capacity] members, as they are found
    shoal_v3*     offset; // [capacity] from the first of its cluster to a particle, across periodic walls, m
    porous_touch* touches;
} porous_clusters;

typedef struct porous {
    shoal_sim_context* ctx;
    porous_params      params;
    shoal_water        water; // of the sand: lists, images, samples of solids
    porous_pool*       pool;  // NULL: no liquid
    porous_view        view;
    porous_sand*       sands;     // [materials]
    float*             open;      // [materials] porosity of those that water passes through, else 0
    uint8_t*           coarse;    // [materials] whether it does, of the set of sands
    bool               is_coarse; // any
    porous_wet         wet;       // the water in its pores
    porous_clusters    clusters;
    int                sweeps;        // of the last substep
    bool               is_solved;     // whether they met the tolerance
    int*               bins;          // [threads][POROUS_BINS + 1] scratch of the report
    shoal_water_force* impulses;      // [colliders] impulses of this interval, of the set of loads
    int64_t*           steps;         // substeps since the start, of the set `once`
    double*            leftover;      // compression that the start has left, of that set, too
    double*            leftover_time; // and the time over which it is let out, s
} porous;

double porous_omega(const shoal_water* water, bool has_friction);
bool   porous_is_explicit(const porous* s); // pressure by Tait's equation

// porous_pool.c
shoal_status porous_pool_make(porous* s);
void         porous_pool_free(porous* s);
void         porous_pool_set_params(porous* s);
shoal_status porous_pool_check(const porous* s);
shoal_status porous_pool_gather(porous* s, double dt); // once the sand is; with its density
void         porous_pool_run(porous_pool* pool, porous_pool_pass pass);
porous_taps  porous_taps_of(const porous* s);
float porous_leftover(const porous* s, double dt); // compression that a substep leaves, for the start has left it
void  porous_pool_publish_kappa(porous* s);        // K of all water, to its images and to the sand
void  porous_pool_move(porous* s);
shoal_status porous_pool_advance(porous* s);

// porous_substep.c
double       porous_depth(const porous* s);         // of the free water, m
double       porous_dt(porous* s, double interval); // of a substep, s
shoal_status porous_plan(void* self, shoal_plan* plan);
double       porous_dt_of_weight(const shoal_description* description, const porous_params* params,
                                 double spacing); // the longest by cfl of what rests
double       porous_dt_of_water(const porous* s); // that by the speed of the water as a whole
double       porous_dt_beside_obstacles(const shoal_description* description, const porous_params* params,
                                        double spacing); // the same, with the fastest obstacle of the whole run
bool porous_steps_warn(const shoal_description* description, char* buffer, size_t size); // of substeps that are given

// porous_cluster.c
void         porous_clusters_free(porous_clusters* clusters);
shoal_status porous_cluster(porous* s); // members; with the paper's friction they then move as rigid bodies

// porous_exchange.c
void         porous_exchange_free(porous_exchange* exchange);
shoal_status porous_exchange_clear(porous* s);
shoal_status porous_exchange_step(porous* s, double dt); // pore water flows, and passes between pores and free water
shoal_status porous_tidy(porous* s);    // porous_tidy.c: particles of free water come, go, split and join
shoal_status porous_release(porous* s); // and what coarse sand had in its pores becomes such
// porous_overturn.c: films of water under what is heavier
void         porous_overturn_free(porous_pool* pool);
shoal_status porous_overturn(porous* s);
// porous_coarse.c: which sand is coarse, where substeps are given those of dt; what follows from that; and the longest
// substep in which free water can follow the pores of the rest
void   porous_coarse_choose(porous* s, double dt); // before the first substep
void   porous_coarse_turn(porous* s, double dt);   // after one: pressures and guests follow
void   porous_coarse_apply(porous* s);
double porous_dt_of_pores(const porous* s);
bool   porous_coarse_remarks(const shoal_description* description, char* buffer, size_t size); // which sand is what
bool   porous_coarse_warns(const shoal_description* description, char* buffer, size_t size); // and which might be both
double porous_water_speed(const porous* s);                                                  // m/s, rms
double porous_way(const porous* s); // how far water comes in a substep, in d: rms over sand and water
double porous_gravity(
    const shoal_description* description); // m/s^2; where the scene has none, as on earth: water is pushed then

void                          porous_report(const void* self, double* stats); // porous_report.c
extern const shoal_column_def porous_columns[];

#endif
