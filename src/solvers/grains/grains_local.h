// SPDX-License-Identifier: MIT
// Constants from the scene, lists with their memory, loops by instruction set; inside of grains/ only.
#ifndef SHOAL_GRAINS_LOCAL_H
#define SHOAL_GRAINS_LOCAL_H

#include "fluid/halo.h"
#include "solvers/grains/grains_passes.h"
#include "state/solver.h"

// What follows from the scene and the parameters before anything moves.
typedef struct grains_design {
    double radius;   // m, mean
    double lightest; // kg, dry
    double heaviest;
    double impact;         // m/s
    double pull;           // N, of the strongest bridge
    double stiffness;      // N/m
    double zeta;           // of two equal grains
    double contact_time;   // s, of the lightest two
    double dt;             // s, the longest substep
    double overlap_impact; // fraction of the diameter, at the impact speed
    double overlap_rest;   // and at the bottom of the sand
    bool   dents;          // a moving obstacle may press: contacts keep dents
    double yield, full;    // fractions of the diameter: overlap that leaves none; from which grains are hard
    double hard;           // stiffness of dented contacts and beyond `full` over that of others
    double sinks;          // s: time in which a contact dents
    double damping_most;   // the most damping, over that of dry grains, that a dense pack bears in such substeps
    bool   is_wet;         // there is, or may be, water
} grains_design;

#define GRAINS_EARTH 9.81 // m/s^2: cohesion is in weights there, since bridges pull without gravity as well

// What the springs must bear.
typedef struct grains_extent {
    double impact;  // m/s, grains against each other and against solids
    double load;    // Pa, under the heaviest column
    double bearing; // Pa, of sand before a moving obstacle
} grains_extent;

grains_extent grains_extent_of(const shoal_description* description);

grains_design grains_design_make(const shoal_description* description, const grains_params* params);
// Mass over that of a dry grain, with the water that a material brings.
double grains_wet_factor(const shoal_description* description, int material);
// Of what grains of a material are made of, kg/m^3; and the mass of one with radius r, kg.
double grains_solid_density(const shoal_material* material);
double grains_mass(const shoal_material* material, double radius);
// The rank of grain `id` where no packing gave it one.
float grains_rank(const shoal_description* description, int32_t id);

// Water in quanta, since the start.
typedef struct grains_balance {
    int64_t emitted, evaporated, removed, present; // present: in all grains and particles after the last step
} grains_balance;

// Free water (grains_water.c, grains_soak.c).
typedef struct grains_water {
    shoal_set*         set; // its particles, of the state
    shoal_water        sph;
    grains_pairs       pairs;
    int                meets; // room that meetings of this step take
    float              age;   // s of this step, for water that was born
    size_t             grain_capacity, water_capacity, pair_capacity;
    uint8_t*           drop; // [drop_capacity] 1: taken up, leaves before the next step; here
    size_t             drop_capacity;
    int                drop_count;
    int*               taken_here; // pairs.taken, cushions and what they lean on, here, where passes run elsewhere
    shoal_v4*          cushion_here;
    int*               lean_here;
    int                here_capacity[3];
    char*              fetched; // what births ask, from a device
    size_t             fetched_capacity;
    shoal_water_force* load; // [colliders]
} grains_water;

enum {
    GRAINS_GRAINS,
    GRAINS_WATER,
    GRAINS_CONTACTS,
    GRAINS_LOADS,
    GRAINS_ONCE,
    GRAINS_SETS
}; // of the state, in its order

typedef struct grains {
    shoal_sim_context* ctx;
    grains_design      design;
    grains_state       all;            // as passes see it: constants, working arrays, lists, the set's fields
    grains_solid*      solids;         // [GRAINS_WALLS + colliders]
    grains_stuff*      stuff;          // [materials]
    shoal_world        here;           // the world as it is in this substep
    shoal_collider*    here_colliders; // [colliders], with their tapes behind them
    shoal_world_far    far_world;      // copies of what passes ask, where they run
    shoal_far          far_solids, far_stuff;
    shoal_cells        cells;
    shoal_halo         halo;
    double *           block_speed2, *block_push; // where passes run
    int                block_capacity;
    double*            pushed;                  // [block_capacity][colliders][3] block_push here
    shoal_v4 *         near_place, *near_speed; // working arrays here, for forces
    int*               near_own;
    int                near_capacity[3];
    float              moved;     // m: the way of the fastest since the lists were made, at most
    double             end;       // of the step, s
    int64_t*           dem_steps; // since the start
    grains_balance*    balance;
    shoal_d3*          impulses; // [colliders] momentum given to each in this interval, kg m/s
    double             wet_dt;   // s
    grains_water*      water;    // NULL: the scene has none
} grains;

// grains_load.c
shoal_status grains_arrive(void* self, const shoal_arrival* arrival);
shoal_status
grains_check_water(grains* s); // that was loaded: whether each can have it, and all of it is in the balance
// The fields of the set, and what is not of one step, where `exec` runs passes.
void grains_bind(grains* s, const shoal_exec* exec);
// Wetness, state and mass of the set from its water.
void grains_show(grains* s);
void grains_show_water(grains* s); // radius and mass of water particles
// Counts in the balance the water of those that are marked and about to be removed.
void grains_leave(void* self, const shoal_set* set, const uint8_t* marks);
// All water of grains and particles, in quanta.
int64_t grains_present(grains* s);
// The working arrays from the sorted set, grains having grown for dt; and back.
void grains_load_set(grains* s, double dt);
void grains_store_set(grains* s);

// grains_sort.c
#define GRAINS_MARGIN_MOST 0.4f // diameters
// What is next becomes now; images follow.
void grains_swap(grains* s);
void grains_fill_halo(grains* s);
// The set in the order of cells, then the working arrays and the lists from it.
shoal_status grains_sort_set(grains* s, double dt);
// Whether a grain may have used up the margin; then new lists, within a step.
bool         grains_is_worn(grains* s);
shoal_status grains_sort_anew(grains* s, double fastest);

// grains_state.c, grains_report.c: parts of the solver type
extern const shoal_set_def    grains_sets[];
shoal_status                  grains_state_make(grains* s);
shoal_status                  grains_check(void* self);
void                          grains_report(const void* self, double* stats);
double                        grains_neighbours(const void* self);
extern const shoal_column_def grains_columns[], grains_obstacle_columns[];
void grains_impulses_begin(grains* s); // of a step; forgets what an interval that is over has left
void grains_impulses_end(grains* s, double dt);
void grains_add_impulse(grains* s, int collider, shoal_d3 push); // counts momentum that was given to a collider, kg m/s

// grains_lists.c
shoal_status grains_work_reserve(grains_work* work, shoal_device* device, int count);
void         grains_work_free(grains_work* work, shoal_device* device);
void         grains_lists_free(grains_lists* lists, shoal_device* device);
// Lists for the grains as they stand, springs taken from the kept contacts.
shoal_status grains_lists_build(grains* s, const shoal_cells_frame* frame);
// Whose wetness has changed: which teams are damp.
void grains_lists_dampen(grains* s);
// A substep is over: how far each may have gone.
void grains_lists_go(grains* s, double fastest);
void grains_contacts_bind(grains* s); // to where the set has them now
// The springs that are under load, as kept contacts; first and kept of each grain are given in the work arrays.
shoal_status grains_lists_keep(grains* s);

// grains_wet.c
double grains_water_mass(const shoal_description* description);     // of wetness 1, kg
double grains_liquid_density(const shoal_description* description); // of the first one, or water, kg/m^3
double grains_pore_volume(const shoal_description* description);    // of wetness 1, m^3
double grains_wet_dt(const grains* s); // the longest step that the flow between grains bears, s
// Water goes from grain to grain and into the air; exact, or fails.
shoal_status grains_wet_step(grains* s, double dt);

// grains_water.c
bool         grains_has_water(const shoal_description* description);
bool         grains_water_refuses(const shoal_description* description, char* buffer, size_t size);
shoal_status grains_water_make(grains* s); // nothing where the scene has no liquid
void         grains_water_free(grains* s);
void         grains_water_set_params(grains* s);
int32_t      grains_water_quanta(const shoal_description* description); // of one particle
double       grains_water_dt(grains* s);                                // the longest step it bears, s
shoal_status grains_water_begin(grains* s);                             // a step
// Those taken up leave, and streams have come on by the last part of a step, so far into it; with those that come in
// then.
shoal_status grains_water_hold(grains* s, double so_far, double part);
shoal_status grains_water_come(grains* s, double so_far, double part);
double       grains_water_part(const grains* s, double left); // of the rest of the step, in one step of the water
// Two corners of the box that holds the water, into `to`; returns how many.
int grains_water_corners(grains* s, shoal_v4* to);
// Moves the water through dt, with `left` to go to the end of the step, and leaves its force on the grains.
shoal_status grains_water_step(grains* s, double dt, double left);
// All of it as passes see it, where `exec` runs them, and passes on that.
void   grains_among_view(grains* s, const shoal_exec* exec, grains_among* out);
void   grains_run_among(grains* s, int pass, int count);
double grains_fold_among(grains* s, int fold, int count);
void   grains_ask_among(grains* s, int fold, int count, double* out); // to out[fold], see shoal_pass_ask

// grains_meet.c
shoal_status grains_meet_all(grains* s);      // neighbours
void         grains_answer_water(void* self); // grains give way while the pressure is being found

// grains_couple.c: on the water before its pressure is known, and on the grains after it
void         grains_couple_water(grains* s);
shoal_status grains_couple_grains(grains* s);

// grains_soak.c, in the order of a step
shoal_status grains_soak_begin(grains* s, double dt);
shoal_status grains_absorb(grains* s);
shoal_status grains_regenerate(grains* s);

extern const shoal_passes grains_passes, grains_state_passes, grains_among_passes;
SHOAL_WIDE_LOOPS(grains_loops)
void grains_thin_loop(const void* view, int begin, int end); // grains_lists.c
void grains_fill_loop(const void* view, int begin, int end);

// grains_cpu.c: passes on all of it, over `count` items.
void   grains_run_on(grains* s, int pass, int count);
double grains_fold(grains* s, int fold, int count);
void   grains_ask(grains* s, int fold, int count, double* out);
int    grains_block_count(const grains* s);
void   grains_copy(const shoal_exec* exec, void* to, const void* from, size_t bytes); // where passes run
void   grains_clear(const shoal_exec* exec, void* far, size_t bytes);

// The fastest of a block; `odd` becomes NaN with the first speed that is no number.
static inline void grains_note(float* fastest, float* odd, float speed2) {
    *fastest = fmaxf(*fastest, speed2);
    *odd += speed2 - speed2;
}

#endif
