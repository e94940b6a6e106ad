// SPDX-License-Identifier: MIT
// Inside of shoal_sim, for sim/ only.
#ifndef SHOAL_SIM_LOCAL_H
#define SHOAL_SIM_LOCAL_H

#include "sim/measures.h"
#include "solvers/registry.h"

// What an emitter remembers between steps; saved with the state.
typedef struct shoal_emitter_state {
    double   due;   // rain: drops owed, with their fraction
    uint64_t drawn; // streams: points of the sample that have come so far; rain: random numbers used so far
} shoal_emitter_state;

// The clock and the totals: with the STATE fields, all that decides the future. Saved as bytes.
typedef struct shoal_clock {
    double  time;           // s
    double  interval, left; // of the advance under way, s; left = 0 between advances
    double  start;          // time at which it began, s
    int64_t steps;          // substeps since the start
    int64_t interval_steps; // of the advance under way, or the last one
    int64_t emitted;        // by emitters, since the start
    int64_t removed[SHOAL_REASON_COUNT];
    double  totals[SHOAL_TOTALS_MOST]; // of the solver, over the interval
    int32_t next_id;
    float   crushed;  // time for which liquids have been crushed without a break, s; keeps the struct free of padding
    double  unsolved; // time for which the solver's sweeps have failed without a break, s
    double  lowest;   // least energy of a span so far, with the inflow since, J
    double  highest;  // most energy of the span under way, J
    double  spanned;  // time at which it began, s
    double  tallied;  // mass that belongs to it, kg
    double  unexplained[3]; // way of the centre of mass that momentum does not explain, since the start, m
} shoal_clock;

// What the scene allows; made once.
typedef struct shoal_watch {
    double mass;          // kg at the start
    double drop;          // kg of an emitted particle, the heaviest
    double given;         // J/kg that anything can have got,
    double top;           // and of it what falls from the highest body or emitter give
    double budget;        // J that all had at the start, above the floor
    double floor;         // J/kg at the lowest corner of the domain
    double endless;       // m/s^2, gravity along axes without an end
    double diagonal;      // of the domain, m
    double sealed_volume; // m^3 of a sealed domain with emitters; 0: it is not one
    double full;          // fraction of it that is taken where streams stop,
    double limit;         // and that ends the run
    double first_dt;      // substep wanted at the start, s
} shoal_watch;

// clang-format off
// What a caller can do to a run, in the words of the functions without shoal_sim_.
#define SHOAL_TOUCHES(X) X(set_param) X(set_gravity) X(move_obstacle) X(emit) X(remove) X(set_force)
// clang-format on
#define X(name) SHOAL_TOUCH_##name,
enum { SHOAL_TOUCHES(X) SHOAL_TOUCH_COUNT };
#undef X

// What a caller has done that decides the future; saved as bytes, and hashed where there is anything.
typedef struct shoal_touched {
    double   last;         // time of the last touch that the watch over energy has to know, s; -1: none
    shoal_d3 gravity;      // as it is now, m/s^2
    double   lifted;       // what changes of gravity can have given, J/kg
    double   endless;      // most gravity along axes without an end, m/s^2
    double   driven;       // fastest speed of any part of an obstacle that was moved, m/s
    double   sent;         // most energy of what was emitted, J/kg
    double   forced;       // speed that forces can have given, m/s
    double   acceleration; // the most that the force has given in the last substep, m/s^2
    uint64_t poured[4];    // materials that were emitted, a bit for each
} shoal_touched;

// The caller's motion of an obstacle: from one pose to the other, and staying there.
typedef struct shoal_hold {
    int64_t          is_held; // else that of the scene
    shoal_motion_key keys[2];
} shoal_hold;

// What there is and how it moves, as the step of the solver finds it.
typedef struct sim_centre {
    bool              is_known; // it is as the last substep has left it
    int64_t           items;    // so many were there then
    shoal_motion_sums sums;     // momentum without the sets below
    shoal_d3          carried;  // momentum times time of sets that the solver moves in steps of its own, kg m
} sim_centre;

// All sets of what has mass: particles, and items of other sets that say of what kinds of material they are, as the
// cells of a mesh, which have the fields position, velocity, material and volume then.
#define SHOAL_EACH_MATTER(ctx, set)                                                                                    \
    for (shoal_set *const *set##_at = (ctx)->sets, *set; ((set) = *set##_at); set##_at++)                              \
        if ((set)->life == SHOAL_SORTED || (set)->kinds != 0)

struct shoal_sim {
    shoal_description*       description;
    bool                     is_lent; // the description
    shoal_world*             world;
    shoal_sim_context        ctx;
    const shoal_solver_type* type;
    void*                    params;
    void*                    self;
    shoal_clock              clock;
    shoal_plan               plan;            // of the substep
    shoal_emitter_state*     emitters;        // [description->emitter_count]
    shoal_clock              clock_before;    // as they were when the substep began
    shoal_emitter_state*     emitters_before; // [description->emitter_count]
    uint8_t*                 marks;           // [marks_capacity] scratch for removal
    int                      marks_capacity;
    struct shoal_emission*   emission;              // scratch of emit.c, made by shoal_sim_fill
    char (*obstacle_columns)[SHOAL_NAME_SIZE + 32]; // [obstacle_column_count] names
    int             obstacle_column_count;
    shoal_watch     watch;
    sim_centre      centre;
    shoal_stop_fn   stop;
    void*           stop_user;
    shoal_touched   touched, touched_before; // touch.c
    int64_t         touches[SHOAL_TOUCH_COUNT], touches_before[SHOAL_TOUCH_COUNT];
    shoal_hold*     holds;     // [description->obstacle_count]
    shoal_obstacle* obstacles; // [..] those of the scene, with the keys of the holds where they are held
    shoal_force_fn  force;
    void*           force_user;
    shoal_v3*       pushes; // [pushes_capacity] scratch of the force
    int             pushes_capacity;
    double          interval_seconds; // wall clock spent in the substeps of the last interval
};

// A simulation of a description, which it owns from now on, also on failure.
shoal_status shoal_sim_take(const shoal_sim_def* def, shoal_description* description, shoal_sim** out);
// The same, but it stays the caller's and must outlive the simulation.
shoal_status shoal_sim_lend(const shoal_sim_def* def, shoal_description* description, shoal_sim** out);

// emit.c
shoal_status shoal_sim_fill(shoal_sim* sim);        // room for emitters and the bodies, at the start
shoal_status shoal_sim_fill_bodies(shoal_sim* sim); // the bodies alone (fill.c)
shoal_status shoal_sim_emit_due(shoal_sim* sim, double t,
                                double dt); // rain and regions, before the substep from t to t + dt
// Why a solver does not run the scene on a device, with the parameters that it has now; false: it does.
bool         shoal_sim_stays_here(const shoal_sim* sim, char* why, size_t size);
shoal_status shoal_sim_announce(shoal_sim* sim);         // those that have come since the mark, to the solver
shoal_status shoal_sim_drain(shoal_sim* sim, double dt); // sinks, and what has left for good, after the substep
// Adds one particle; fields of the solver stay zero.
shoal_status shoal_sim_append(shoal_sim* sim, int material, shoal_v3 position, shoal_v3 velocity);
void         shoal_sim_emit_free(shoal_sim* sim); // frees emission; called by destroy

// stream.c
shoal_status shoal_sim_emit_streams(shoal_sim* sim, double t); // all that has come in until t
double       shoal_sim_streams_dt(const shoal_sim* sim);       // the longest substep for them, s
// Before the substep: cancels gravity on particles still inside stream openings; after it: puts them where the stream
// has carried them.
shoal_status shoal_sim_carry(shoal_sim* sim, double dt);
void         shoal_sim_hold(shoal_sim* sim, double dt);
// Whether the solver moves the set, and its streams, in steps of its own within that of the simulation.
bool shoal_sim_steps_within(const shoal_sim* sim, const shoal_set* set);
// The same for solvers that carry streams of a set themselves, in steps of their own.
shoal_streams shoal_sim_streams(shoal_sim* sim);

// Its matter is a mesh that the solver makes and moves, and no particles.
static inline bool shoal_sim_is_mesh(const shoal_sim* sim) { return sim->type && sim->type->matter; }

// advance.c: the time, from the start of a substep of dt, of whose forces the velocities are given ahead of it, s
void shoal_sim_kick(const shoal_sim* sim, double dt, double span[2]);

// centre.c: around the step of the solver
void shoal_sim_centre_before(shoal_sim* sim);
void shoal_sim_centre_after(shoal_sim* sim, double dt);
// Of sets that the solver moves in steps of its own: what has come for one of them, and when it has moved, by dt.
void shoal_sim_centre_came(shoal_sim* sim, const shoal_arrival* comes);
void shoal_sim_centre_carried(shoal_sim* sim, const shoal_set* set, double dt);

// touch.c
shoal_status shoal_sim_touch_begin(shoal_sim* sim); // once the world is there
void         shoal_sim_touch_free(shoal_sim* sim);
double       shoal_sim_touch_dt(const shoal_sim* sim);        // the longest substep for what callers move and push, s
shoal_status shoal_sim_touch_push(shoal_sim* sim, double dt); // the force of the caller, before the substep
bool         shoal_sim_touched_is_sane(const shoal_sim* sim, const shoal_touched* touched, const shoal_hold* holds);
void         shoal_sim_touch_take(shoal_sim* sim);       // touched and holds have been loaded
bool         shoal_sim_is_touched(const shoal_sim* sim); // in a way that decides the future
void         shoal_sim_touch_count(shoal_sim* sim, int touch, int64_t count);

// stats.c: names of the columns of obstacles, once the world is there
shoal_status shoal_sim_columns_make(shoal_sim* sim);

// watch.c
shoal_status shoal_sim_watch_begin(shoal_sim* sim);                  // once the particles are there
void         shoal_sim_watch_floor(shoal_sim* sim);                  // where heights begin, by the gravity of now
bool         shoal_sim_fits(const shoal_sim* sim, double more);      // whether a sealed domain takes so many m^3
shoal_status shoal_sim_watch(shoal_sim* sim, double dt);             // after a substep
shoal_status shoal_sim_watch_gain(shoal_sim* sim);                   // after an interval
bool         shoal_sim_is_full(const shoal_sim* sim);                // a closed domain that has no room for more
shoal_status shoal_sim_watch_steps(const shoal_sim* sim, double dt); // before one

#endif
