// SPDX-License-Identifier: MIT
// The solver interface: what a solver provides, and what it is given.
#ifndef SHOAL_SOLVER_H
#define SHOAL_SOLVER_H

#include "base/clock.h"
#include "exec/device.h"
#include "state/column.h"
#include "state/description.h"
#include "state/forces.h"
#include "state/reach.h"
#include "state/set.h"
#include "state/sites.h"

// Time by stage, in the words of the paper's Table 2.
enum {
    SHOAL_STAGE_INTEGRATE,
    SHOAL_STAGE_GRID,
    SHOAL_STAGE_NEIGHBOURS,
    SHOAL_STAGE_SOLVE,
    SHOAL_STAGE_VELOCITY,
    SHOAL_STAGE_OTHER,
    SHOAL_STAGE_COUNT
};

enum { SHOAL_TOTALS_MOST = 8 };

// clang-format off
// Why items are taken out.
#define SHOAL_REASONS(X) X(left) X(sink)
// clang-format on
#define X(name) SHOAL_REASON_##name,
enum { SHOAL_REASONS(X) SHOAL_REASON_COUNT };
#undef X

// Streams of a set whose particles the solver moves in several steps within one substep (see `streams_within`).
// Around each of them, from t to t + dt: `come` puts in all until t, and announces it; `carry`, before, cancels gravity
// on particles still inside the openings; `hold`, after it, puts them where the stream has carried them.
typedef struct shoal_streams {
    struct shoal_sim* sim;
    shoal_status (*come)(struct shoal_sim* sim, shoal_set* set, double t);
    shoal_status (*carry)(struct shoal_sim* sim, shoal_set* set, double t, double dt);
    void (*hold)(struct shoal_sim* sim, shoal_set* set, double t, double dt);
    // Whether no item of a set is nearer than `margin`, m, to where streams of other sets come out.
    bool (*are_clear)(const struct shoal_sim* sim, const shoal_set* set, double margin);
    // What openings keep out in the substep of dt that begins, by item: which way is out of the nearest opening, and,
    // as its companion, how far off that is, m; below 0 what `hold` will put it out by. 0 of those that none within
    // `beyond`, m, keeps out. false: there are no streams.
    bool (*bars)(const struct shoal_sim* sim, const shoal_set* set, double dt, double beyond, shoal_v4* bar);
} shoal_streams;

// When the forces of scene and callers get into the velocities.
typedef enum shoal_kick {
    SHOAL_KICK_AHEAD,  // those of a whole substep, ahead of it
    SHOAL_KICK_MIDDLE, // from the middle of the substep before to the middle of this one, ahead of it: leapfrog
    SHOAL_KICK_WITHIN  // those of the scene bit by bit, by the solver itself
} shoal_kick;

typedef struct shoal_plan {
    double interval; // to cross, s
    double dt;       // the longest substep it takes now, s; set by the solver, and at most `interval` before
    double lag;      // KICK_MIDDLE: time by which velocities are older than places, s; set by the solver, 0 before
} shoal_plan;

typedef struct shoal_sim_context {
    const shoal_description* description;
    const shoal_world*       world;                 // walls and colliders, where they are now
    shoal_set*               sets[SHOAL_SETS_MOST]; // in the order of the solver's list; NULL after the last
    shoal_set*               particles;             // the first of them, for solvers with one set of particles
    shoal_exec               exec;
    shoal_isa_kind           isa;
    int32_t*                 next_id; // of a particle that the solver makes; counted up by the taker
    double*    totals;           // [SHOAL_TOTALS_MOST] of the solver's own, zero at the start of each interval, saved
    double     time;             // at the start of the substep, s
    bool       is_last;          // the substep is the last one of its interval, after which everything is shown
    shoal_kick kick;             // set by `create`
    bool       is_by_mean;       // set by `create`: places go by the mean of the velocities before and after a step, as
                                 // its momentum says; else by those after it
    bool          has_exchanged; // set by a step that lets matter in or out by itself
    shoal_streams streams;
    double        stage_seconds[SHOAL_STAGE_COUNT];
    double        stage_began; // on the CPU; a device has marks in its queue instead
} shoal_sim_context;

// What has been done since the last call is time of this stage; SHOAL_STAGE_COUNT: of none. Times of a device are known
// after its tally (exec/device.h).
static inline void shoal_stage(shoal_sim_context* ctx, int which) {
    double* seconds = which < SHOAL_STAGE_COUNT ? &ctx->stage_seconds[which] : NULL;
    if (ctx->exec.device) {
        ctx->exec.device->mark(ctx->exec.device, seconds);
        return;
    }
    double now = shoal_seconds();
    if (seconds) *seconds += now - ctx->stage_began;
    ctx->stage_began = now;
}

// All sets of particles, one after the other.
#define SHOAL_EACH_PARTICLE_SET(ctx, set)                                                                              \
    for (shoal_set *const *set##_at = (ctx)->sets, *set; ((set) = *set##_at); set##_at++)                              \
        if ((set)->life == SHOAL_SORTED)

// The set in which particles of a material live.
static inline shoal_set* shoal_home_of(const shoal_sim_context* ctx, int material) {
    unsigned kind =
        material < ctx->description->material_count ? 1u << ctx->description->materials[material].kind : ~0u;
    SHOAL_EACH_PARTICLE_SET(ctx, set)
    if (set->kinds == 0 || (set->kinds & kind)) return set;
    return ctx->particles;
}

// Largest acceleration by gravity and forces within the frame that begins, m/s^2; it sets the length of substeps.
static inline double shoal_acceleration_now(const shoal_sim_context* ctx) {
    return shoal_forces_most(ctx->description, ctx->time, ctx->time + 1.0 / ctx->description->fps);
}

// Largest speed of any part of an obstacle within that frame, by its motion, m/s.
static inline double shoal_obstacle_speed_now(const shoal_sim_context* ctx) {
    const shoal_description* d    = ctx->description;
    double                   most = 0.0, until = ctx->time + 1.0 / d->fps;
    for (int k = 0; k < d->obstacle_count; k++)
        most = fmax(most, shoal_obstacle_speed_within(&d->obstacles[k], ctx->time, until));
    return most;
}

// New items: the last `count` items of a set, from `first` on.
typedef struct shoal_arrival {
    shoal_set*          set;
    int                 first, count;
    const shoal_body*   body;   // of the scene that they are; NULL: emitters have sent them
    const shoal_packed* packed; // [count] spheres of a packing; NULL: they do not lie in one
} shoal_arrival;

// A key of materials that a solver uses. A scene that gives another one, or an idle one, gets a warning.
typedef struct shoal_material_use {
    const char*         key;  // as in the scene
    shoal_material_kind kind; // of materials of this kind
    // NULL: it always has an effect; or why it has none for this material in this scene, NULL where it has.
    const char* (*idle)(const shoal_description* description, int material);
} shoal_material_use;

// How the bodies of a solver lie, and what they may be.
enum {
    SHOAL_BODIES_SPHERES   = 1, // sand is hard spheres: bodies are random packings of them
    SHOAL_BODIES_CONTINUUM = 2, // sand is points of a continuum: random packings of one to a cube of the spacing
    SHOAL_BODIES_FIXED     = 4, // sand may be fixed where it is
    // The solver moves its bodies off the lattice by the seed itself, and does not heed the scene's jitter; they have
    // sites right up to the solids, so that a body in a tilted vessel has all of its volume.
    SHOAL_BODIES_SCATTERED = 8
};

// Writes what a solver has to say about a scene to the empty `buffer`, a sentence per line (shoal_add_line); false:
// nothing.
typedef bool (*shoal_verdict_fn)(const shoal_description* description, char* buffer, size_t size);
enum {
    SHOAL_REFUSAL, // what it cannot do
    SHOAL_WARNING, // steps longer than it likes
    SHOAL_REMARK,  // what follows from the scene, for `shoal check`
    SHOAL_HERE,    // why the scene runs on the CPU alone, though the solver has passes for a device
    SHOAL_VERDICT_COUNT
};

// What is asked at places; NULL: it is not.
typedef struct shoal_at {
    double*   phi;      // m, below 0 in matter: a distance near its surface
    double*   pressure; // Pa
    shoal_d3* velocity; // m/s
} shoal_at;

// Places on a vertical line, low + k step, that bound all matter on it; count 0: there is none.
typedef struct shoal_line {
    double low, step; // m
    int    count;
} shoal_line;

// Matter that is no particles but a mesh of the solver's own: `begin` makes it of the bodies of the scene, and what
// emitters bring and sinks take, it brings and takes in its steps. What stats and probes ask of it:
typedef struct shoal_matter {
    void (*at)(const void* self, const shoal_d3* places, int count, shoal_at out);
    shoal_line (*line)(const void* self, shoal_d3 at); // through a place, as finely as there is something to see
    double (*front)(const void* self, int axis);       // how far it has come, m; drops that broke off do not count
} shoal_matter;

typedef struct shoal_solver_type {
    const char*               name;           // the word in scene files
    const char*               summary;        // one line for `shoal solvers`
    unsigned                  material_kinds; // bits 1 << shoal_material_kind
    const shoal_material_use* material_uses;  // ended by a NULL key; NULL: none
    const shoal_param_def*    params;
    size_t                    params_size;
    const char* const* laid_by;     // parameters by which bodies and grids are laid: fixed for the run; ended by NULL
    const shoal_param_preset* fine; // what `quality: fine` sets; NULL: nothing
    const shoal_set_def*      sets; // what its state is made of; its particles come first
    const shoal_column_def*   columns; // its own of stats.csv, after the common ones; NULL: none
    // Columns of every obstacle that has a name in the scene, after the solver's own: NAME_ and the name here; NULL:
    // none.
    const shoal_column_def* obstacle_columns;
    // Tables of passes that a device must have in addition to those of every set, ended by NULL. NULL: it runs on the
    // CPU alone.
    const shoal_passes* const* device_passes;
    // Bits SHOAL_BODIES_...; none: they lie on the lattice. Spheres are equal, or as the parameter `spread` says.
    unsigned bodies;
    // Radius within which particles see each other, m; NULL: they do not.
    double (*support)(const void* params, double spacing);
    // Memory in addition to the fields (neighbour lists, sorting, grids, samples of walls), bytes in all, for
    // estimates.
    double (*extra_bytes)(const shoal_description* description, double particles);
    const shoal_matter* matter; // what it simulates; NULL: particles
    // Obstacles hold its particles where they are at least so thick, in spacings; 0: one.
    double wall_least;
    // NULL, or values of the block `surface` in place of its defaults.
    const shoal_param_preset* surface;
    // NULL, or whether a phrase of its own in what its parameters need holds (shoal_param_def.needs).
    bool (*holds)(const shoal_description* description, const char* phrase);
    shoal_verdict_fn verdicts[SHOAL_VERDICT_COUNT]; // NULL: it has none of that kind
    shoal_status (*create)(shoal_sim_context* ctx, const void* params, void** self);
    void (*destroy)(void* self);
    // NULL, or told of the particles that have come, all their fields but the common ones zero: those of a body at
    // once, before `begin`, those of emitters ahead of the step that is their first; and of those that are about to
    // leave, with marks above 0.
    shoal_status (*arrive)(void* self, const shoal_arrival* arrival);
    void (*leave)(void* self, const shoal_set* set, const uint8_t* marks);
    // Once the particles are there: fields that frame 0 shows (density). NULL: nothing to do.
    shoal_status (*begin)(void* self);
    void (*set_params)(void* self, const void* params); // changed while running
    // Plans the substep that begins: `plan` says what there is to cross, and gets what the solver wants. Ahead of the
    // step, and once ahead of the first frame, to tell how long substeps will be. It may fail.
    shoal_status (*plan)(void* self, shoal_plan* plan);
    shoal_status (*step)(void* self, double dt);
    // Bits 1 << shoal_material_kind: of these it carries the streams itself, by its context, in each step of its own.
    unsigned streams_within;
    // The fraction of the particles for which the last substep's solve did not end within its tolerance. NULL: it has
    // no solve that can fail.
    double (*unsolved)(const void* self);
    // The volume within its particles that others may take, as pores of rock, m^3. NULL: none.
    double (*open_volume)(const void* self);
    void (*report)(const void* self, double* columns); // their values, in their order; NULL: it has none
    double (*neighbours)(const void* self);            // mean per particle; NULL: has none
    // A state has been loaded: types, sizes and finite numbers are checked; whether the rest is one that a step may
    // begin from. NULL: any is.
    shoal_status (*check)(void* self);
} shoal_solver_type;

static inline bool shoal_solver_says(const shoal_solver_type* type, int verdict, const shoal_description* description,
                                     char* buffer, size_t size) {
    buffer[0] = '\0';
    return type->verdicts[verdict] && type->verdicts[verdict](description, buffer, size);
}

#endif
