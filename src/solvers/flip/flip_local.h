// SPDX-License-Identifier: MIT
// What the parts of the step share; inside of flip/ only.
#ifndef SHOAL_FLIP_LOCAL_H
#define SHOAL_FLIP_LOCAL_H

#include "mac/mac_density_correction.h"
#include "granular/granular_friction.h"
#include "granular/granular_mixture.h"
#include "granular/granular_plastic.h"
#include "mac/mac_project.h"
#include "mac/mac_rigid.h"
#include "mac/mac_transfer.h"
#include "mac/mac_viscosity.h"
#include "solvers/flip/flip_params.h"
#include "state/solver.h"

// clang-format off
// name, type, role, unit, meaning
#define FLIP_FIELDS(X)                                                                      \
    X(density,  F1, SHOWN_OUTPUT, "kg/m^3", "density from the particles around")                  \
    X(pressure, F1, OUTPUT, "Pa",     "pressure of the last substep")                       \
    X(wetness,  F1, SAND_OUTPUT, "",       "sand: water in its pores, 0 dry to 1 full; 1 of liquids where there is sand") \
    X(affine_x, V3, STATE,  "1/s",    "gradient of the velocity along x (apic)")            \
    X(affine_y, V3, STATE,  "1/s",    "gradient of the velocity along y (apic)")            \
    X(affine_z, V3, STATE,  "1/s",    "gradient of the velocity along z (apic)")
// clang-format on

// All of one kind: its particles, and the grid around them.
typedef struct flip_phase {
    const shoal_material* material; // what it is made of; the first of its kind
    bool                  is_sand;
    int                   transfer;     // FLIP_TRANSFER_FLIP, FLIP_TRANSFER_PIC or FLIP_TRANSFER_APIC
    bool                  is_damped;    // APIC that becomes PIC as substeps get as long as a stride
    int                   begin, count; // its particles in the set
    shoal_mac             mac;
    shoal_mac_projection  projection;
    shoal_mac_particles   view;
} flip_phase;

enum { FLIP_PHASES = 2 }; // a liquid, then sand

// What hangs together on the grids and touches no solid (flip_free.c).
typedef struct flip_body {
    shoal_rigid        before, now;           // sums over its particles, masses over the volume of one
    double             square_before, square; // of mass x velocity^2
    shoal_rigid_motion motion;                // what it is to get
} flip_body;

// Particles in a row that are summed by themselves.
typedef struct flip_chunk {
    int         body; // of the first that is free; -1: none
    bool        has_other_materials;
    shoal_rigid sum;
    double      square;
} flip_chunk;

typedef struct flip_bodies {
    int         capacity, root_capacity, count, body_capacity;
    uint64_t *  near, *held; // [blocks of all grids] cells with particles around; those that hang together with a solid
    int*        root;        // [samples of all grids] of free cells: one of the same body, or -1 less its number
    flip_body*  bodies;
    bool        has_free; // some are not held
    int         particle_capacity;
    int*        owner; // [particles] the body of each; -1: held
    flip_chunk* chunks;
} flip_bodies;

enum { FLIP_PARTICLES, FLIP_STRESS, FLIP_CONTACT, FLIP_ONCE, FLIP_SETS }; // of the state, in its order

typedef struct flip {
    shoal_sim_context*      ctx;
    flip_params             params; // with every auto resolved but substeps and transfer
    double                  dx;
    shoal_mac_def           grid;
    int                     phase_count;
    flip_phase              phases[FLIP_PHASES];
    flip_phase*             sand; // NULL: there is none
    shoal_mac_viscosity     viscosity;
    shoal_poisson_def       solve, loose, thick; // of the pressure; of the density; of viscosity
    uint8_t*                is_sand;             // [materials]
    shoal_collider *        before, *after;      // [colliders] at the start of the substep and at its end
    shoal_world             begin, end;          // with these
    bool*                   is_thin;             // [colliders] thinner than two cells somewhere
    bool                    has_thin;            // some collider is
    int                     came_capacity;
    shoal_v3*               came_from;  // [particles] where they were before they moved, if there are colliders
    float*                  wetness_of; // [materials] wetness of sand
    shoal_granular_friction friction;
    shoal_granular_plastic  plastic;
    shoal_granular_mixture  mixture;
    bool                    is_mixed;  // a liquid and sand are there and feel each other
    double*                 dt_before; // of the last substep, s; 0: there was none
    flip_bodies             bodies;
    double                  speed; // of the fastest particle at the start of the substep, m/s
    int                     sort_capacity;
    int *                   place, *order; // [sort_capacity] particles by phase; the order of the grids
    shoal_v3*               sorted;        // [sort_capacity] positions by phase
} flip;

#define ALL_PHASES(s, p) for (flip_phase* p = (s)->phases; p < (s)->phases + (s)->phase_count; p++)
// Those with particles, once they are sorted.
#define PHASES(s, p)                                                                                                   \
    ALL_PHASES(s, p)                                                                                                   \
    if (p->count > 0)

// The first material of a kind that bodies or emitters are of; NULL: there is none.
const shoal_material*           flip_first_of(const shoal_description* description, shoal_material_kind kind);
extern const shoal_material_use flip_uses[];
bool flip_has_damp(const shoal_description* description); // sand that bridges of water hold together
// flip_thick.c: what viscosity takes, along walls and inside. Before the projection.
shoal_status flip_diffuse(flip* s, flip_phase* p, double dt);
bool         flip_holds(const shoal_description* description, const char* phrase);
// Whether the viscosity of a liquid that moves with up to `speed`, m/s, is felt.
bool flip_is_thick(const shoal_description* description, const shoal_material* liquid, double speed);
bool flip_warns(const shoal_description* description, char* buffer, size_t size);
bool flip_remarks(const shoal_description* description, char* buffer, size_t size);
// The bodies as the parameters want them: moved off the lattice (flip_seed.c).
void         flip_seed(flip* s);
shoal_status flip_arrive(void* self, const shoal_arrival* arrival); // emitted sand likewise

// flip_solids.c: colliders and their thin ones; where solids are at both ends of a substep; particles kept out of them,
// on their way too.
shoal_status flip_solids_create(flip* s);
void         flip_solids_free(flip* s);
void         flip_find_solids(flip* s, double dt);
shoal_status flip_remember_places(flip* s); // before they move, for those that thin solids stop
void         flip_push_out(flip* s, flip_phase* p);
void         flip_push_out_all(flip* s, const shoal_mac_particles* all); // at the very start

// Beyond the liquid, and into solids (flip.c).
void flip_extend(flip* s, flip_phase* p, double dt, int reach);

// flip_report.c: the columns of stats.csv, of the state as it starts, of a substep, and of the interval
extern const shoal_column_def flip_columns[];
void                          flip_begin_totals(flip* s);
void                          flip_add_totals(flip* s);
void                          flip_report(const void* self, double* values);

// flip_pace.c
enum { FLIP_REACH_LEAST = 4 }; // cells of grid that are always there around particles
// Cells that the fastest may cross in a substep by default.
#define FLIP_CELLS_LIQUID 5.0
#define FLIP_CELLS_SAND 0.5
double           flip_stride(const flip*       s,
                             const flip_phase* p); // s in which the fastest crosses half a cell: what damping is measured by
double           flip_kick(const flip* s, double dt); // s for which forces act in a substep
double           flip_normal_load(const flip* s, const flip_phase* p, double dt);
shoal_mac_motion flip_motion(const flip* s, const flip_phase* p, double dt, double kick, int reach);
int              flip_reach(const flip* s, double dt); // cells of grid that the particles of this substep can need
shoal_status     flip_plan(void* self, shoal_plan* plan);

// flip_free.c: bodies without contact keep their momentum under gravity for dt: around what happens on the grid; and
// their spin: once they have moved.
shoal_status flip_free_begin(flip* s);
void         flip_free_pushed(flip* s, double dt);
void         flip_free_moved(flip* s);
void         flip_bodies_free(flip_bodies* bodies);

// flip_mix.c
shoal_granular_mixture_job flip_mixing_of(const flip* s, double dt);
shoal_status flip_mix(flip* s, double dt, int reach); // both phases at once, from forces to the velocities beyond
float        flip_held(const flip* s, const shoal_material* sand); // wetness that does not leave it
shoal_status flip_fill_pores(flip* s);                             // the liquid in wet sand at the start

// flip_sand.c
shoal_status flip_solve_friction(flip* s, flip_phase* p, double dt); // friction and pressure
float        flip_grain_size(const shoal_material* sand);            // m
double       flip_bridges(const shoal_material* sand); // Pa, the greatest cohesion by water between its grains
void         flip_wet(flip* s);                        // how wet sand is, on its grid; and the liquid
double       flip_rest_speed(const flip* s, const flip_phase* p); // m/s; slower sand stays where it is
shoal_mac_density_correction flip_sand_evening(const flip* s, const flip_phase* p,
                                               double dt); // how its density is evened out

#endif
