// SPDX-License-Identifier: MIT
#ifndef SHOAL_PAPER_LOCAL_H
#define SHOAL_PAPER_LOCAL_H

#include "solvers/tetra_paper/tetra_paper.h"
#include "solvers/tetra_paper/paper_params.h"
#include "state/motion.h"
#include "state/world.h"
#include "tet/liquid.h"

// clang-format off
// name       type role          unit    meaning
#define PAPER_VERTEX_FIELDS(X)                                                            \
    X(position, V3, SHOWN_LENT_OUTPUT, "m",   "where it is")                              \
    X(velocity, V3, SHOWN_LENT_OUTPUT, "m/s", "mean of the tetrahedra around it")         \
    X(pressure, F1, SHOWN_OUTPUT, "Pa",  "of the liquid, above that of the air")          \
    X(material, U1, SHOWN_LENT_OUTPUT, "",    "index into the scene's materials")          \
    X(loose,    U1, LENT_STATE, "",    "not 0: on a solid that what hangs from it comes off") \
    X(flying,   U1, LENT_STATE, "",    "at the air, 255: nothing holds the liquid there; 0: pressure does")
#define PAPER_TET_FIELDS(X)                                                               \
    X(corners,  R4, LENT_OUTPUT,  "vertices", "its vertices")                             \
    X(velocity, V3, SHOWN_LENT_STATE, "m/s", "of the liquid in it")                           \
    X(position, V3, LENT_OUTPUT,  "m",   "its middle")                                    \
    X(volume,   F1, SHOWN_LENT_OUTPUT, "m^3", "volume of the liquid in it")                                       \
    X(material, U1, LENT_OUTPUT,  "",    "index into the scene's materials")
#define PAPER_POINT_FIELDS(X)                                                             \
    X(position, V3, SHOWN_LENT_OUTPUT, "m",   "where it is")                              \
    X(velocity, V3, SHOWN_LENT_OUTPUT, "m/s", "of the liquid there")                      \
    X(material, U1, SHOWN_LENT_OUTPUT, "",    "index into the scene's materials")
#define PAPER_FACE_FIELDS(X)                                                              \
    X(corners,  R3, LENT_OUTPUT,  "surface_vertices", "its corners, counter-clockwise seen from outside")
#define PAPER_ONCE_FIELDS(X)                                                              \
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
#define PAPER_BALANCE_FIELDS(X)                                                              \
    X(due,        D1, STATE,      "m^3", "volume that parts of the liquid should have")   \
    X(drift,      D1, STATE,      "m^3", "volume that thickening adds in a step")         \
    X(gain,       D1, STATE,      "",    "change of volume over what the surface is moved by") \
    X(correction, D1, STATE,      "m^3", "volume that the surface was moved by in the last step") \
    X(volume_change,     D1, STATE,      "m^3", "change of volume in it")
#define PAPER_EMITTER_FIELDS(X)                                                           \
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
#define PAPER_REACH 30000.0
// So deep within a wall, in edges of tetrahedra, a disc sends from its surface.
#define PAPER_BEHIND_WALL 2.0

enum {
    PAPER_VERTICES,
    PAPER_TETS,
    PAPER_POINTS,
    PAPER_SURFACE,
    PAPER_BAND,
    PAPER_ONCE,
    PAPER_EMITTERS,
    PAPER_SOLIDS,
    PAPER_PARTS,
    PAPER_BALANCES,
    PAPER_SETS
};

// What is there once.
typedef struct paper_once {
    PAPER_ONCE_FIELDS(SHOAL_FIELD_MEMBER)
} paper_once;

// A drop of rain that falls in a step.
typedef struct paper_drop {
    shoal_d3 at;
    double   radius;
    shoal_v3 velocity;
} paper_drop;

// A stream in the step under way, out of a disc or through a shape; of other emitters `pose` alone.
typedef struct paper_nozzle {
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
} paper_nozzle;

// A line along the stream through a shape.
typedef struct paper_ray {
    shoal_d3 rear;   // where it comes into it
    double   length; // m; to where it leaves it first
} paper_ray;

// A shape with a velocity. Of other emitters `section` alone.
typedef struct paper_opening {
    double     section; // m^2; across its velocity, as far as closed walls leave it; 0: nothing is due
    shoal_d3   way;
    paper_ray* rays; // [ray_count] spread evenly over the section
    int        ray_count;
    double     longest, mean; // of them, m
} paper_opening;

// Output, which exists once: made anew where a step is undone. That of the mesh lies in the liquid's block of scratch,
// which rests between steps.
typedef struct paper_shown {
    shoal_v3* middle;         // [tets]
    float*    volume;         // [tets]
    shoal_v3* position;       // [vertices]
    shoal_v3* point_velocity; // [vertices of the surface]
    uint8_t*  material;       // [tets or vertices of either kind, whichever are more]
    int       point_capacity, material_capacity;
    bool      is_surface_new; // it was made in the step under way, or may have been
} paper_shown;

typedef struct paper {
    shoal_sim_context* ctx;
    paper_params       params;
    shoal_tet_liquid   liquid;
    paper_shown        shown;
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
    paper_opening*    openings;                             // [emitters]
    paper_nozzle*     nozzles;                              // [emitters]
    shoal_tet_tap*    taps;                                 // [emitters]
    uint8_t *         is_shut_reported, *is_given_reported; // [emitters]
    paper_drop*       drops;                                // of the step under way
    bool              is_pressed_reported, is_corrected_reported, is_missing_reported;
    int               drop_count, drop_capacity;
} paper;

paper_once   paper_once_of(const paper* s);
shoal_status paper_show_balances(const paper* s);
// Which mesh is the current one is in the sets, so a step that has failed leaves the one that it began with.
void paper_recall(paper* s);

// paper_scene.c: what the scene says, as the mesher asks for it
shoal_status     paper_lay(paper* s);                         // frame and places, once
shoal_tet_solids paper_solids(paper* s, double t, double dt); // at time t, at the end of a step of dt
// Where the mesh has met them, at time t, as they move until t + dt; NULL: as they did until then.
const shoal_tet_solids* paper_solids_before(paper* s, double t, double dt);
shoal_status            paper_begin_bodies(paper* s, const shoal_tet_solids* solids);
shoal_status            paper_drive(paper* s, double t, double dt, shoal_tet_drive* out);
shoal_status            paper_add_seed(paper* s, shoal_d3 at);
shoal_box               paper_region_box(const paper* s, shoal_box box); // within which emitters and sinks are asked
double                  paper_drop_scale(void);
shoal_status            paper_let_rain(paper* s, double t, double dt);
shoal_box               paper_wet_box(const paper* s); // around the liquid
void                    paper_count_lost(paper* s);    // after a step
bool                    paper_refuses(const shoal_description* description, char* buffer, size_t size);

// paper_taps.c: regions that emitters keep full
double       paper_off_emitter(const paper* s, int emitter, shoal_d3 at);
bool         paper_is_in_tap(const paper* s, int emitter, shoal_d3 at); // where what has no surface comes into being
shoal_d3     paper_stream_velocity(const paper* s, int emitter, shoal_d3 at);
double       paper_tap_speed(const paper* s, int emitter, double from, double until); // m/s, at most
shoal_status paper_open_taps(paper* s, double t, double dt);                          // before a step
void         paper_close_taps(paper* s);                                              // after it
void         paper_report_given(paper* s, bool is_over); // what taps have given, at their end or that of the run
void         paper_report_pressed(paper* s, double dt);  // solids that press liquid without air

// paper_shapes.c: those of shapes with a velocity, by an emitter's number
shoal_status paper_lay_stream(paper* s, int emitter);                             // once
double       paper_off_stream(const paper* s, int emitter, shoal_d3 at);          // the distance to what is kept full
bool         paper_is_in_stream_source(const paper* s, int emitter, shoal_d3 at); // as paper_is_in_tap
double       paper_stream_rise(const paper* s, int emitter, shoal_d3 at); // its velocity over that of the stream
// What is around it before a step: fractions of its section, and the hindmost place of its rear.
typedef struct paper_rear {
    double   open, closed, wet; // no solid blocks it; of that a wall or liquid is behind; and liquid is at its end
    shoal_d3 rear;
} paper_rear;
paper_rear paper_find_rear(const paper* s, int emitter);

// paper_state.c: the liquid as sets, and back
extern const shoal_set_def paper_sets[];
shoal_status               paper_show(paper* s, double dt, bool is_seen); // is_seen: the surface, too
void                       paper_show_solids(const paper* s);
void                       paper_undone(void* self);
shoal_status               paper_check(void* self);

// paper_probe.c
extern const shoal_column_def paper_columns[];
extern const shoal_measures   paper_measures;
void                          paper_report(const void* self, double* stats);
void                          paper_report_corrected(paper* s, bool is_over); // at the end of a run
void                          paper_report_missing(paper* s, bool is_over);   // there, too
void                          paper_report_lost(paper* s);                    // there, too

#endif
