// SPDX-License-Identifier: MIT
#ifndef SHOAL_PAPER_LOCAL_H
#define SHOAL_PAPER_LOCAL_H

#include "solvers/tetra_paper/paper_params.h"
#include "solvers/tetra_paper/tetra_paper.h"
#include "state/world.h"
#include "tet/liquid.h"

// clang-format off
// name       type role          unit    meaning
#define PAPER_VERTEX_FIELDS(X)                                                            \
    X(position, V3, SHOWN_OUTPUT, "m",   "where it is")                                   \
    X(velocity, V3, SHOWN_OUTPUT, "m/s", "mean of the tetrahedra around it")              \
    X(pressure, F1, SHOWN_OUTPUT, "Pa",  "of the liquid, above that of the air")          \
    X(material, U1, SHOWN_OUTPUT, "",    "index into the scene's materials")
#define PAPER_TET_FIELDS(X)                                                               \
    X(corners,  R4, OUTPUT,       "vertices", "its vertices")                             \
    X(velocity, V3, SHOWN_STATE,  "m/s", "of the liquid in it")                           \
    X(position, V3, OUTPUT,       "m",   "its middle")                                    \
    X(volume,   F1, SHOWN_OUTPUT, "m^3", "its volume")                                    \
    X(material, U1, OUTPUT,       "",    "index into the scene's materials")
#define PAPER_POINT_FIELDS(X)                                                             \
    X(position, V3, SHOWN_OUTPUT, "m",   "where it is")                                   \
    X(velocity, V3, SHOWN_OUTPUT, "m/s", "of the liquid there")                           \
    X(material, U1, SHOWN_OUTPUT, "",    "index into the scene's materials")
#define PAPER_FACE_FIELDS(X)                                                              \
    X(corners,  R3, OUTPUT,       "surface_vertices", "its corners, counter-clockwise seen from outside")
#define PAPER_ONCE_FIELDS(X)                                                              \
    X(state,      I1, STATE,      "",    "which of the two meshes is the current one")    \
    X(is_thick,   I1, STATE,      "",    "whether its thin parts are meshed as if they were thicker") \
    X(placed,     D1, STATE,      "s",   "time at which the obstacles are where the mesh has met them") \
    X(span,       D1, STATE,      "s",   "length of the step that led there")             \
    X(emitted,    D1, STATE,      "m^3", "volume that emitters have sent, by their rates") \
    X(drained,    D1, STATE,      "m^3", "volume that open walls have taken")             \
    X(divergence, D1, OUTPUT,     "m/s", "what is left of it in a tetrahedron, at most, as a speed") \
    X(iterations, I1, OUTPUT,     "",    "of the last solve for the pressure")
// clang-format on

enum { PAPER_VERTICES, PAPER_TETS, PAPER_POINTS, PAPER_SURFACE, PAPER_BAND, PAPER_ONCE, PAPER_SOLIDS, PAPER_SETS };

// What is there once.
typedef struct paper_once {
    PAPER_ONCE_FIELDS(SHOAL_FIELD_MEMBER)
} paper_once;

typedef struct paper {
    shoal_sim_context* ctx;
    paper_params       params;
    shoal_tet_liquid   liquid;
    shoal_world*       world; // its own, so that it can be put back to where a saved mesh has met it
    int                material;
    double             step;        // edge of a tetrahedron at the surface, m
    shoal_box          extent;      // beyond it, past open walls, liquid is gone
    double             from, until; // the step under way, s
    shoal_tet_solids   solids;      // as they are at its end
    shoal_d3*          seeds;       // of the nozzles
} paper;

paper_once paper_once_of(const paper* s);
// Which mesh is the current one is in the sets, so a step that has failed leaves the one that it began with.
void paper_recall(paper* s);

// paper_scene.c: what the scene says, as the mesher asks for it
shoal_status     paper_lay(paper* s);                         // frame and places, once
shoal_tet_solids paper_solids(paper* s, double t, double dt); // at time t, at the end of a step of dt
shoal_status     paper_begin_bodies(paper* s);
shoal_tet_drive  paper_drive(paper* s, double t, double dt);
double           paper_sent(const paper* s);    // m^3, by emitters in the step
double           paper_leaving(const paper* s); // m^3, past open walls in the step, before it is made
bool             paper_refuses(const shoal_description* description, char* buffer, size_t size);

// paper_state.c: the liquid as sets, and back
extern const shoal_set_def paper_sets[];
shoal_status               paper_show(paper* s, double dt, bool is_seen); // is_seen: the surface, too
void                       paper_show_solids(const paper* s);
shoal_status               paper_check(void* self);

// paper_probe.c
extern const shoal_column_def paper_columns[];
extern const shoal_matter     paper_matter;
void                          paper_report(const void* self, double* stats);

#endif
