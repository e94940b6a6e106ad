// SPDX-License-Identifier: MIT
// A running simulation: made from a checked scene, moved forward in time, looked at through views.
#ifndef SHOAL_SIM_H
#define SHOAL_SIM_H

#include "shoal/base.h"
#include "shoal/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_sim shoal_sim;

// Settings of the machine, not of the physics: none of them changes a result beyond rounding.
typedef struct shoal_sim_def {
    int         threads; // 0: all cores
    const char* solver;  // overrides the scene's; NULL: as the scene says
    const char* isa;     // "avx512", "avx2", "sse2", "generic", "plain" (the oracle); NULL: the best here
    const char* device; // where passes run: "cpu", "cuda", "cuda:N", "mirror" (a device in plain C, for tests); "auto":
                        // a card where there is one and the solver can use it; NULL: "cpu". The bits are the same.
    unsigned made_by_default; // set by shoal_sim_def_default, asked for by create
} shoal_sim_def;
SHOAL_API shoal_sim_def shoal_sim_def_default(void);

// Checks the scene if that was not done, then allocates and fills everything. The scene may be
// destroyed afterwards.
SHOAL_API shoal_status shoal_sim_create(const shoal_sim_def* def, shoal_scene* scene, shoal_sim** out);
SHOAL_API void         shoal_sim_destroy(shoal_sim* sim); // may be NULL

// Moves on by `seconds` (one frame of animation, one tick of a game) in as many substeps as the solver
// wants. On failure the state is that of the last good substep, without what was emitted since.
SHOAL_API shoal_status shoal_sim_advance(shoal_sim* sim, double seconds);

// Called between substeps; return true to stop. advance then returns SHOAL_ERR_INTERRUPTED; calling it
// again with the same seconds goes on with the rest of the interval that was cut short.
typedef bool (*shoal_stop_fn)(void* user);
SHOAL_API void shoal_sim_set_stop(shoal_sim* sim, shoal_stop_fn stop, void* user);

SHOAL_API double      shoal_sim_time(const shoal_sim* sim);           // s since the start
SHOAL_API int64_t     shoal_sim_steps(const shoal_sim* sim);          // substeps since the start
SHOAL_API int64_t     shoal_sim_interval_steps(const shoal_sim* sim); // of the last advance, or the one cut short
SHOAL_API int64_t     shoal_sim_count(const shoal_sim* sim);          // particles now
SHOAL_API int         shoal_sim_threads(const shoal_sim* sim);        // threads in use
SHOAL_API const char* shoal_sim_isa(const shoal_sim* sim);            // instruction set in use
SHOAL_API const char* shoal_sim_device(const shoal_sim* sim);         // "cpu", "cuda:0 (NVIDIA H200)", "mirror"
SHOAL_API const char* shoal_sim_solver(const shoal_sim* sim);
// The name of a material of the scene, and the distance of its particles at rest, m (may be NULL); NULL: there is
// no such.
SHOAL_API const char* shoal_sim_material(const shoal_sim* sim, int index, double* spacing);
// A hash of everything that decides the future: equal hashes, equal runs.
SHOAL_API uint64_t shoal_sim_hash(const shoal_sim* sim);

// The sets that the state is made of, by the solver's list: particles, contacts, vertices of a mesh, cells, ...
typedef struct shoal_set_view {
    const char* name;        // "particles", ...
    int64_t     count;       // items now
    int         field_count; // that are there between steps
} shoal_set_view;
SHOAL_API int          shoal_sim_set_count(const shoal_sim* sim);
SHOAL_API shoal_status shoal_sim_set_at(const shoal_sim* sim, int set, shoal_set_view* out);

// The fields of a set, in the order its items lie in memory, without a copy. Pointers are valid
// until the next call that changes the simulation.
// One item of a field: float, 3 and 4 floats, int32_t, uint8_t, double, 3 doubles, int64_t, 3 int32_t; 3, 4 and one
// int32_t that are places in the set that is named instead of a unit, -1: none (R3 and R4 are corners of triangles and
// tetrahedra); a symmetric tensor of 6 floats: xx, yy, zz, xy, yz, xz.
typedef enum shoal_type {
    SHOAL_F1,
    SHOAL_V3,
    SHOAL_V4,
    SHOAL_I1,
    SHOAL_U1,
    SHOAL_D1,
    SHOAL_D3,
    SHOAL_L1,
    SHOAL_I3,
    SHOAL_R3,
    SHOAL_R4,
    SHOAL_R1,
    SHOAL_S6
} shoal_type;
typedef struct shoal_field_view {
    const char* name; // "position", "velocity", "density", ...
    const char* unit;
    const char* help;
    shoal_type  type;
    int64_t     count; // items
    const void* data;
    int         width; // values of `type` per item
    const char* set;   // whose field it is; "" of frames
} shoal_field_view;
SHOAL_API shoal_status shoal_sim_field_at(const shoal_sim* sim, int set, int index, shoal_field_view* out);
// By FIELD or SET.FIELD. A name that several sets have is SHOAL_ERR_PARAM, and the message names them.
SHOAL_API shoal_status shoal_sim_field(const shoal_sim* sim, const char* name, shoal_field_view* out);

// The same, but it stays: a copy of the field as it is now, readable from any thread whatever the simulation does,
// until it is released. For pictures and bindings.
SHOAL_API shoal_status shoal_sim_field_hold(const shoal_sim* sim, const char* name, shoal_field_view* out);
SHOAL_API void         shoal_sim_field_release(shoal_field_view* view); // also one that was released

// ---- The hand of the caller. Each of these acts from the next substep on, whatever the scene says, is saved with the
// state, so that a resumed run goes on bit for bit, and is counted: see shoal_sim_touches.

// Solver parameters while it runs, by the words of the scene ("iterations"); 0 is auto where that is allowed,
// words go by their place in the list. Those that count only when bodies are laid are refused.
SHOAL_API shoal_status shoal_sim_set_param(shoal_sim* sim, const char* name, double value);
SHOAL_API shoal_status shoal_sim_get_param(const shoal_sim* sim, const char* name, double* out);

// What a solver derives from gravity, as springs of grains and a speed of sound, follows it.
SHOAL_API shoal_status shoal_sim_set_gravity(shoal_sim* sim, const double gravity[3]); // m/s^2
SHOAL_API void         shoal_sim_gravity(const shoal_sim* sim, double out[3]);

// An obstacle's own frame in the world: turned by `degrees` about `axis` (any length, right-handed), then put `at`.
typedef struct shoal_pose {
    double at[3]; // m
    double axis[3];
    double degrees;
} shoal_pose;
typedef struct shoal_obstacle_view {
    const char* name;
    shoal_pose  pose;
    double      min[3], max[3]; // a box around it now, m; infinite for what has no end
    bool        can_move;       // it has `motion` or `movable: true` in the scene
} shoal_obstacle_view;
SHOAL_API int          shoal_sim_obstacle_count(const shoal_sim* sim);
SHOAL_API shoal_status shoal_sim_obstacle_at(const shoal_sim* sim, int index, shoal_obstacle_view* out);
// From where it is now straight to a pose, there `seconds` from now, where it stays until it is moved again; it turns
// the shorter way round. What it touches feels the velocity of this motion. The motion of the scene counts no more.
SHOAL_API shoal_status shoal_sim_move_obstacle(shoal_sim* sim, const char* name, const shoal_pose* to, double seconds);

// Puts particles of a material at places (x, y, z each, m) with velocities (m/s; NULL: at rest), but for those that
// would be in a solid, outside closed walls, or nearer than 0.9 spacings to another; *placed (may be NULL) tells
// how many were put.
SHOAL_API shoal_status shoal_sim_emit(shoal_sim* sim, const char* material, int64_t count, const float* positions,
                                      const float* velocities, int64_t* placed);

// Takes out the particles of a material (NULL: of all) within a sphere or a box; *removed as above.
typedef struct shoal_region {
    double centre[3]; // m
    double radius;    // m; 0: a box
    double size[3];   // of the box, edge by edge, m
} shoal_region;
SHOAL_API shoal_status shoal_sim_remove(shoal_sim* sim, const shoal_region* region, const char* material,
                                        int64_t* removed);

// A force of your own: called once in a substep for each set of particles that has any, on the thread of advance, to
// add to `acceleration`, which is zero. Particles move in memory; `id` follows them. NULL: none. It is code, so it is
// not saved: set it again after a load. It must give the same for the same arguments if a run is to be the same.
typedef struct shoal_push {
    double         time; // s
    const char*    set;  // "particles", ...
    int64_t        count;
    const float*   position; // x, y, z each, m
    const float*   velocity; // m/s
    const int32_t* id;
    const uint8_t* material;     // index into the scene's materials
    float*         acceleration; // x, y, z each, m/s^2
} shoal_push;
typedef void (*shoal_force_fn)(const shoal_push* push, void* user);
SHOAL_API shoal_status shoal_sim_set_force(shoal_sim* sim, shoal_force_fn force, void* user);

// How often a run was touched by each of these since its start, resumed or not: names ("set_param", "move_obstacle",
// ...) and counts, of emit and remove particles, of the force substeps in which it did something. Returns how many
// names.
SHOAL_API int shoal_sim_touches(const shoal_sim* sim, const char** names, int64_t* counts, int capacity);

// Scalars by name, all in SI units: the columns of stats.csv after `particles`, then the solver's own.
// Computed when asked for.
SHOAL_API int         shoal_sim_stat_count(const shoal_sim* sim);
SHOAL_API const char* shoal_sim_stat_name(const shoal_sim* sim, int index);
SHOAL_API void        shoal_sim_stats(shoal_sim* sim, double* values); // stat_count of them
SHOAL_API int         shoal_sim_probe_count(const shoal_sim* sim);
SHOAL_API const char* shoal_sim_probe_name(const shoal_sim* sim, int index);
SHOAL_API void        shoal_sim_probes(shoal_sim* sim, double* values); // probe_count of them

// What is at `count` places (x, y, z of each, m): `phi`, m, below 0 in matter and above outside, a distance near its
// surface and bounded away from it; `pressure`, Pa, 0 where there is nothing, NaN where the solver knows none;
// `velocity`, m/s, 3 of each, 0 where there is nothing. What is NULL is not asked. All NaN: memory was short. Places
// above one another, listed from below, are found in one walk over the particles.
SHOAL_API void shoal_sim_sample(shoal_sim* sim, const double* places, int count, double* phi, double* pressure,
                                double* velocity);

// Wall-clock seconds by stage since the last reset, for benchmarks.
typedef struct shoal_stage_time {
    const char* name;
    double      seconds;
} shoal_stage_time;
SHOAL_API int     shoal_sim_stages(const shoal_sim* sim, shoal_stage_time* out, int capacity); // returns how many
SHOAL_API void    shoal_sim_stages_reset(shoal_sim* sim);
SHOAL_API double  shoal_sim_neighbours(const shoal_sim* sim);         // mean per particle, last substep
SHOAL_API int64_t shoal_sim_bytes_per_particle(const shoal_sim* sim); // measured: all memory / particles

// Why particles were removed: names and counts ("left", "sink").
SHOAL_API int shoal_sim_removed(const shoal_sim* sim, const char** reasons, int64_t* counts, int capacity);

// The whole state as bytes (for checkpoints) and back. Loading into a sim made from the same scene gives
// a run that goes on bit for bit. The bytes are the caller's: free them with shoal_bytes_free.
SHOAL_API shoal_status shoal_sim_save(shoal_sim* sim, void** bytes, size_t* size);
SHOAL_API shoal_status shoal_sim_load(shoal_sim* sim, const void* bytes, size_t size);

// The solvers there are, ended by a NULL name.
typedef struct shoal_solver_info {
    const char* name;
    const char* summary;
    const char* materials; // "water" ...
} shoal_solver_info;
SHOAL_API const shoal_solver_info* shoal_solvers(void);
// All that the lists of the solvers say, as JSON: of each its sets with their fields (type, width, unit, whether frames
// hold it), columns of stats.csv and parameters. Free with shoal_bytes_free(text, strlen(text) + 1).
SHOAL_API shoal_status shoal_solvers_json(char** text);
// The columns of stats.csv, those of all solvers and each one's own, as tables in Markdown; to be freed likewise.
SHOAL_API shoal_status shoal_columns_markdown(char** text);

#ifdef __cplusplus
}
#endif
#endif
