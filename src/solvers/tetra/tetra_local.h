// SPDX-License-Identifier: MIT
#ifndef SHOAL_TETRA_LOCAL_H
#define SHOAL_TETRA_LOCAL_H

#include "solvers/tetra/tetra.h"
#include "solvers/tetra/tetra_params.h"
#include "state/motion.h"
#include "state/world.h"
#include "tet/liquid.h"

// clang-format off
// name       type role          unit    meaning
#define TETRA_VERTEX_FIELDS(X)                                                            \
    X(position, V3, SHOWN_LENT_OUTPUT, "m",   "where it is")                              \
    X(velocity, V3, SHOWN_OUTPUT, "m/s", "mean of the tetrahedra around it")              \
    X(pressure, F1, SHOWN_OUTPUT, "Pa",  "of the liquid, above that of the air")          \
    X(material, U1, SHOWN_LENT_OUTPUT, "",    "index into the scene's materials")
#define TETRA_TET_FIELDS(X)                                                               \
    X(corners,  R4, LENT_OUTPUT,  "vertices", "its vertices")                             \
    X(velocity, V3, SHOWN_LENT_STATE, "m/s", "of the liquid in it")                           \
    X(position, V3, LENT_OUTPUT,  "m",   "its middle")                                    \
    X(volume,   F1, SHOWN_LENT_OUTPUT, "m^3", "volume of the liquid in it")                                       \
    X(material, U1, LENT_OUTPUT,  "",    "index into the scene's materials")
#define TETRA_POINT_FIELDS(X)                                                             \
    X(position, V3, SHOWN_LENT_OUTPUT, "m",   "where it is")                              \
    X(velocity, V3, SHOWN_LENT_OUTPUT, "m/s", "of the liquid there")                      \
    X(material, U1, SHOWN_LENT_OUTPUT, "",    "index into the scene's materials")
#define TETRA_FACE_FIELDS(X)                                                              \
    X(corners,  R3, LENT_OUTPUT,  "surface_vertices", "its corners, counter-clockwise seen from outside")
#define TETRA_ONCE_FIELDS(X)                                                              \
    X(state,           I1, STATE,        "",    "which of the two meshes is the current one")   \
    X(placed,          D1, STATE,        "s",   "time at which the obstacles are where the mesh has met them") \
    X(span,            D1, STATE,        "s",   "length of the step that led there")        \
    X(target_volume,   D1, STATE,        "m^3", "volume that there should be")              \
    X(drift,           D1, STATE,        "m^3", "volume that thickening adds in a step")    \
    X(volume_gain,     D1, STATE,        "",    "change of volume over what the surface is moved by") \
    X(last_correction, D1, STATE,        "m^3", "volume that the surface was moved by in the last step") \
    X(last_change,     D1, STATE,        "m^3", "change of volume in it")                   \
    X(emitted,         D1, STATE,        "m^3", "volume that emitters have sent")           \
    X(drained,         D1, STATE,        "m^3", "volume that sinks and open walls have taken") \
    X(iterations,      I1, OUTPUT,       "",    "of the last solve for the pressure")
#define TETRA_EMITTER_FIELDS(X)                                                           \
    X(due,      D1, STATE,        "m^3", "what of a stream or rain has not come yet")     \
    X(drawn,    L1, STATE,        "",    "random numbers used so far")                    \
    X(pace,     D1, STATE,        "",    "what a nozzle pushes over what its stream should be, less one")
// clang-format on

enum {
    TETRA_VERTICES,
    TETRA_TETS,
    TETRA_POINTS,
    TETRA_SURFACE,
    TETRA_BAND,
    TETRA_ONCE,
    TETRA_EMITTERS,
    TETRA_SOLIDS,
    TETRA_SETS
};

// What is there once.
typedef struct tetra_once {
    TETRA_ONCE_FIELDS(SHOAL_FIELD_MEMBER)
} tetra_once;

// A drop of rain that falls in a step.
typedef struct tetra_drop {
    shoal_d3 at;
    double   radius;
    shoal_v3 velocity;
} tetra_drop;

// A disc of an emitter in the step under way; of others `pose` alone.
typedef struct tetra_nozzle {
    shoal_motion_pose pose;    // of those that move, at the end of the step
    shoal_d3          at, way; // its middle, and the direction of its stream
    shoal_d3          out;     // across the planes that it begins and ends at: its way, or at a wall the way off that
    double            lean;    // the cosine of the two
    double            source;  // m; so far from the wall its stream comes into being; 0: at none
    double rear, front;        // from where to where before it the nozzle is full, m; none: front is not beyond rear
    double radius;             // m
    double due;                // m^3; in the step
    double pace;               // what it pushes over what its stream should be
    bool   is_first;           // nothing of the stream has arrived before this step
    bool   is_under_water;
} tetra_nozzle;

// What a disc has given in this call, for a report at its end.
typedef struct tetra_given {
    double since, due, volume; // s, m^3
    bool   is_reported;
} tetra_given;

// Output, which exists once: made anew where a step is undone. That of the mesh lies in the liquid's block of scratch,
// which rests between steps.
typedef struct tetra_shown {
    shoal_v3* middle;         // [tets]
    float*    volume;         // [tets]
    shoal_v3* position;       // [vertices]
    shoal_v3* point_velocity; // [vertices of the surface]
    uint8_t*  material;       // [tets or vertices of either kind, whichever are more]
    int       point_capacity, material_capacity;
    bool      is_surface_new; // it was made in the step under way, or may have been
} tetra_shown;

typedef struct tetra {
    shoal_sim_context* ctx;
    tetra_params       params;
    shoal_tet_liquid   liquid;
    tetra_shown        shown;
    shoal_world*       world; // its own, so that it can be put back to where a saved mesh has met it
    int                material;
    double             step;        // edge of a tetrahedron at the surface, m
    shoal_box          extent;      // beyond it, past open walls, liquid is gone
    double             from, until; // the step under way, s
    shoal_tet_solids   solids;      // as they are at its end
    double             left;        // of the interval, as it was when the step was chosen, s
    // where liquid comes, then where it goes, and places on the surfaces of these
    shoal_box* boxes; // [emitters + sinks + open walls]
    shoal_d3* seeds; // of regions that are kept full, then those of a step: of nozzles, of sinks where there is liquid,
                     // of drops
    shoal_d3*      sink_seeds;
    int            box_count, seed_count, emitter_seeds, sink_seed_count, seed_capacity;
    tetra_nozzle*  nozzles;          // [emitters]
    shoal_tet_tap* taps;             // [emitters]
    uint8_t*       is_shut_reported; // [emitters]
    tetra_given*   given;            // [emitters]
    tetra_drop*    drops;            // of the step under way
    int            drop_count, drop_capacity;
} tetra;

tetra_once tetra_once_of(const tetra* s);
// Which mesh is the current one is in the sets, so a step that has failed leaves the one that it began with.
void tetra_recall(tetra* s);

// tetra_scene.c: what the scene says, as the mesher asks for it
shoal_status     tetra_lay(tetra* s);                         // frame and places, once
shoal_tet_solids tetra_solids(tetra* s, double t, double dt); // at time t, at the end of a step of dt
shoal_status     tetra_begin_bodies(tetra* s, const shoal_tet_solids* solids);
shoal_status     tetra_drive(tetra* s, double t, double dt, shoal_tet_drive* out);
shoal_status     tetra_add_seed(tetra* s, shoal_d3 at);
shoal_box        tetra_region_box(const tetra* s, shoal_box box); // within which emitters and sinks are asked
double           tetra_drop_scale(void);
shoal_status     tetra_let_rain(tetra* s, double t, double dt);
bool             tetra_refuses(const shoal_description* description, char* buffer, size_t size);

// tetra_taps.c: regions that emitters keep full
double       tetra_off_emitter(const tetra* s, int emitter, shoal_d3 at);
bool         tetra_is_in_tap(const tetra* s, int emitter, shoal_d3 at); // where what has no surface comes into being
shoal_d3     tetra_stream_velocity(const tetra* s, int emitter, shoal_d3 at);
double       tetra_tap_speed(const tetra* s, int emitter, double from, double until); // m/s, at most
shoal_status tetra_open_taps(tetra* s, double t, double dt);                          // before a step
void         tetra_close_taps(tetra* s);                                              // after it

// tetra_state.c: the liquid as sets, and back
extern const shoal_set_def tetra_sets[];
shoal_status               tetra_show(tetra* s, double dt, bool is_seen); // is_seen: the surface, too
void                       tetra_show_solids(const tetra* s);
void                       tetra_undone(void* self);
shoal_status               tetra_check(void* self);

// tetra_probe.c
extern const shoal_column_def tetra_columns[];
extern const shoal_measures   tetra_measures;
void                          tetra_report(const void* self, double* stats);

#endif
