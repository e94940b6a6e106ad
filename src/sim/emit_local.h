// SPDX-License-Identifier: MIT
// What the files of emission share, for sim/ only.
#ifndef SHOAL_EMIT_LOCAL_H
#define SHOAL_EMIT_LOCAL_H

#include "sim/sim_local.h"
#include "state/motion.h"
#include "state/outlet.h"

// Points in a box, with the images of others across periodic walls that are in it, hashed by cells of the size of the
// largest clearance asked for. The points of bucket b are heads[b] - 1, then next[..] - 1, until 0.
typedef struct sim_occupancy {
    const shoal_world* world;
    shoal_v3           min, max; // of the box
    double             cell;
    int                count, capacity;
    shoal_v3*          points;
    int*               next;
    int                head_count, head_capacity; // powers of two
    int*               heads;
} sim_occupancy;

// What became of an emitter's places since this process made or loaded the simulation.
typedef struct sim_emitter_totals {
    int64_t tried, buried, placed; // buried: in a solid; other places that were tried are taken
    double  since;                 // time of the first try, s
    bool    is_reported;
} sim_emitter_totals;

// Where a held particle was ahead of the substep.
typedef struct sim_held {
    int32_t  id; // 0 and `is_there` false: a free slot
    bool     is_there;
    shoal_v3 place;
} sim_held;

// All that is held of a set ahead of a substep, by a hash of their ids; `count` is a power of two.
typedef struct sim_slots {
    sim_held* at; // [count]
    int       count, capacity;
} sim_slots;

struct shoal_emission {
    sim_occupancy       near;
    sim_emitter_totals* emitter_totals; // [emitter_count]
    shoal_v3**          sites;          // [emitter_count] lattice sites of regions
    int*                site_counts;
    shoal_outlet*       outlets;     // [emitter_count] of streams
    double*             drawn_out;   // [emitter_count] rates at which streams are drawn out, 1/s; of one substep
    shoal_motion_pose * begin, *end; // [emitter_count] where streams are as a substep begins and ends
    double              held;        // way on which discs hold what they send, m
    sim_slots           slots[SHOAL_SETS_MOST]; // of each set
};

// occupancy.c: all particles that matter for places in the box.
shoal_status sim_occupancy_gather(sim_occupancy* near, const shoal_sim* sim, shoal_box box, double clearance);
shoal_status sim_occupancy_add(sim_occupancy* near, shoal_v3 p); // one more
bool         sim_occupancy_is_free(const sim_occupancy* near, shoal_v3 p,
                                   double clearance); // at most that of the gathering
void         sim_occupancy_free(sim_occupancy* near);

// An emitter that has put nothing anywhere for a second, or until its end, or that has given too little by then, is
// reported once.
void sim_tell_idle(shoal_sim* sim, int emitter, double t);

// emit.c: adds a particle of an emitter unless the place is taken or in a solid; *placed tells.
// `is_first`: of the tries for one.
shoal_status sim_place(shoal_sim* sim, const shoal_emitter* emitter, shoal_v3 at, shoal_v3 velocity, bool is_first,
                       bool* placed);

// emit.c: announces new particles to the solver.
shoal_status sim_admit(shoal_sim* sim, const shoal_arrival* comes);

shoal_status sim_reserve_marks(shoal_sim* sim, const shoal_set* set); // room for a mark of each of its particles

// stream.c
shoal_status sim_streams_make(shoal_sim* sim);

#endif
