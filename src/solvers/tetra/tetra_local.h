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
    X(velocity, V3, SHOWN_LENT_OUTPUT, "m/s", "mean of the tetrahedra around it")         \
    X(pressure, F1, SHOWN_OUTPUT, "Pa",  "of the liquid, above that of the air")          \
    X(material, U1, SHOWN_LENT_OUTPUT, "",    "index into the scene's materials")          \
    X(loose,    U1, LENT_STATE, "",    "not 0: on a solid that what hangs from it comes off") \
    X(flying,   U1, LENT_STATE, "",    "at the air, 255: nothing holds the liquid there; 0: pressure does")
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
    X(emitted,         D1, STATE,        "m^3", "volume that emitters have sent")           \
    X(drained,         D1, STATE,        "m^3", "volume that sinks and open walls have taken") \
    X(corrected,       D1, STATE,        "m^3", "volume that the surface was moved by for the volume to be kept") \
    X(volume_most,     D1, STATE,        "m^3", "volume that there was, at most")          \
    X(volume_first,    D1, STATE,        "m^3", "volume at the start")                     \
    X(pressed,         D1, STATE,        "m^3", "volume of liquid without air that solids have taken the room of") \
    X(past_end,        D1, STATE,        "m^3", "volume that went past the end of the lattice, without a domain") \
    X(past_end_since,  D1, STATE,        "s",   "time at which the first of it did")        \
    X(iterations,      I1, OUTPUT,       "",    "of the last solve for the pressure")
#define TETRA_BALANCE_FIELDS(X)                                                              \
    X(due,        D1, STATE,      "m^3", "volume that parts of the liquid should have")   \
    X(drift,      D1, STATE,      "m^3", "volume that thickening adds in a step")         \
    X(gain,       D1, STATE,      "",    "change of volume over what the surface is moved by") \
    X(correction, D1, STATE,      "m^3", "volume that the surface was moved by in the last step") \
    X(volume_change,     D1, STATE,      "m^3", "change of volume in it")
#define TETRA_EMITTER_FIELDS(X)                                                           \
    X(due,      D1, STATE,        "m^3", "what of a stream or rain has not come yet")     \
    X(drawn,    L1, STATE,        "",    "random numbers used so far")                    \
    X(source,   D1, STATE,        "m^3/s", "what comes into being without a surface in the next step") \
    X(pace,     D1, STATE,        "",    "what a nozzle pushes over what its stream should be, less one") \
    X(wanted,   D1, STATE,        "m^3", "volume of a stream that was due so far")        \
    X(given,    D1, STATE,        "m^3", "volume of it that has come")                    \
    X(shut,     D1, STATE,        "s",   "time for which it had no room, in all")
// clang-format on

// Without a domain: how far from the scene liquid may fly, in steps, whichever way it is driven. It costs next to
// nothing; so far away places, which are kept in single precision, are known to a few hundredths of a step.
#define TETRA_REACH 30000.0
// So deep within a wall, in edges of tetrahedra, a disc sends from its surface.
#define TETRA_BEHIND_WALL 2.0

enum {
    TETRA_VERTICES,
    TETRA_TETS,
    TETRA_POINTS,
    TETRA_SURFACE,
    TETRA_BAND,
    TETRA_ONCE,
    TETRA_EMITTERS,
    TETRA_SOLIDS,
    TETRA_PARTS,
    TETRA_BALANCES,
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

// A stream in the step under way, out of a disc or through a shape; of other emitters `pose` alone.
typedef struct tetra_nozzle {
    shoal_motion_pose pose;    // of those that move, at the end of the step
    shoal_d3          at, way; // its middle, and the direction of its stream
    shoal_d3          out;     // across the planes that it begins and ends at: its way, or at a wall the way off that
    double            lean;    // the cosine of the two
    double            source;  // m; so far from the wall its stream comes into being; 0: at none
    double rear, front;        // from where to where before it the nozzle is full, m; none: front is not beyond rear
    double radius;             // m; of a disc
    double due, next;          // m^3; in the step, and in one as long after it
    double pace;               // what it pushes over what its stream should be
    double longer;             // m; of a shape, by so much it is kept full beyond its front, in so many copies
    int    copies;
    bool   is_first; // nothing of the stream has arrived before this step
    bool   is_under_water;
} tetra_nozzle;

// A line along the stream through a shape.
typedef struct tetra_ray {
    shoal_d3 rear;   // where it comes into it
    double   length; // m; to where it leaves it first
} tetra_ray;

// A shape with a velocity. Of other emitters `section` alone.
typedef struct tetra_opening {
    double     section; // m^2; across its velocity, as far as closed walls leave it; 0: nothing is due
    shoal_d3   way;
    tetra_ray* rays; // [ray_count] spread evenly over the section
    int        ray_count;
    double     longest, mean; // of them, m
} tetra_opening;

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
    double             step;             // edge of a tetrahedron at the surface, m
    shoal_box          extent;           // beyond it, past open walls, liquid is gone
    double             from, until;      // the step under way, s
    shoal_tet_solids   solids;           // as they are at its end
    shoal_world        world_before;     // where they were at its beginning, moving as in it, with these
    shoal_collider*    colliders_before; // [colliders]
    shoal_tet_solids   solids_before;
    double             left;   // of the interval, as it was when the step was chosen, s
    shoal_status       chosen; // whether there was memory to choose it; the step fails without
    // where liquid comes, then where it goes, and places on the surfaces of these
    shoal_box* boxes; // [emitters + sinks + open walls]
    shoal_d3* seeds; // of regions that are kept full, then those of a step: of nozzles, of sinks where there is liquid,
                     // of drops
    shoal_tet_octants sink_octants; // scratch: of one sink
    int               box_count, seed_count, emitter_seeds, seed_capacity;
    tetra_opening*    openings;                             // [emitters]
    tetra_nozzle*     nozzles;                              // [emitters]
    shoal_tet_tap*    taps;                                 // [emitters]
    uint8_t *         is_shut_reported, *is_given_reported; // [emitters]
    tetra_drop*       drops;                                // of the step under way
    bool              is_pressed_reported, is_corrected_reported, is_missing_reported;
    int               drop_count, drop_capacity;
} tetra;

tetra_once   tetra_once_of(const tetra* s);
shoal_status tetra_show_balances(const tetra* s);
// Which mesh is the current one is in the sets, so a step that has failed leaves the one that it began with.
void tetra_recall(tetra* s);

// tetra_scene.c: what the scene says, as the mesher asks for it
shoal_status     tetra_lay(tetra* s);                         // frame and places, once
shoal_tet_solids tetra_solids(tetra* s, double t, double dt); // at time t, at the end of a step of dt
// Where the mesh has met them, at time t, as they move until t + dt; NULL: as they did until then.
const shoal_tet_solids* tetra_solids_before(tetra* s, double t, double dt);
shoal_status            tetra_begin_bodies(tetra* s, const shoal_tet_solids* solids);
shoal_status            tetra_drive(tetra* s, double t, double dt, shoal_tet_drive* out);
shoal_status            tetra_add_seed(tetra* s, shoal_d3 at);
shoal_box               tetra_region_box(const tetra* s, shoal_box box); // within which emitters and sinks are asked
double                  tetra_drop_scale(void);
shoal_status            tetra_let_rain(tetra* s, double t, double dt);
shoal_box               tetra_wet_box(const tetra* s); // around the liquid
void                    tetra_count_lost(tetra* s);    // after a step
bool                    tetra_refuses(const shoal_description* description, char* buffer, size_t size);

// tetra_taps.c: regions that emitters keep full
double       tetra_off_emitter(const tetra* s, int emitter, shoal_d3 at);
bool         tetra_is_in_tap(const tetra* s, int emitter, shoal_d3 at); // where what has no surface comes into being
shoal_d3     tetra_stream_velocity(const tetra* s, int emitter, shoal_d3 at);
double       tetra_tap_speed(const tetra* s, int emitter, double from, double until); // m/s, at most
shoal_status tetra_open_taps(tetra* s, double t, double dt);                          // before a step
void         tetra_close_taps(tetra* s);                                              // after it
void         tetra_report_given(tetra* s, bool is_over); // what taps have given, at their end or that of the run
void         tetra_report_pressed(tetra* s, double dt);  // solids that press liquid without air

// tetra_shapes.c: those of shapes with a velocity, by an emitter's number
shoal_status tetra_lay_stream(tetra* s, int emitter);                             // once
double       tetra_off_stream(const tetra* s, int emitter, shoal_d3 at);          // the distance to what is kept full
bool         tetra_is_in_stream_source(const tetra* s, int emitter, shoal_d3 at); // as tetra_is_in_tap
double       tetra_stream_rise(const tetra* s, int emitter, shoal_d3 at); // its velocity over that of the stream
// What is around it before a step: fractions of its section, and the hindmost place of its rear.
typedef struct tetra_rear {
    double   open, closed, wet; // no solid blocks it; of that a wall or liquid is behind; and liquid is at its end
    shoal_d3 rear;
} tetra_rear;
tetra_rear tetra_find_rear(const tetra* s, int emitter);

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
void                          tetra_report_corrected(tetra* s, bool is_over); // at the end of a run
void                          tetra_report_missing(tetra* s, bool is_over);   // there, too
void                          tetra_report_lost(tetra* s);                    // there, too

#endif
