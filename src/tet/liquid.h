// SPDX-License-Identifier: MIT
// A liquid that is a tracked surface and a mesh of tetrahedra within it, made anew for every step [Chentanez et al.
// 2007]: the surface is carried by the flow, the mesh fills it outside of the solids,
// velocities come over from the last mesh, and pressure makes them free of divergence.
#ifndef SHOAL_TET_LIQUID_H
#define SHOAL_TET_LIQUID_H

#include "tet/band.h"
#include "tet/faces.h"
#include "tet/flow.h"
#include "tet/projection.h"
#include "tet/thicken.h"

// The solids, where they are at the end of a step. Distance of a point to the nearest of them, m, positive outside of
// all; with `wall`: which way out is, and how that solid moves there.
typedef struct shoal_tet_solids {
    void* ctx;
    double (*distance)(void* ctx, shoal_d3 at, shoal_tet_wall* wall);
    bool have_moved; // since the last step
} shoal_tet_solids;

// An emitter.
typedef struct shoal_tet_tap {
    double rate;    // m^3/s under water: what of it has no surface of its own comes without one; 0: it is not
    double opening; // m^2; that of one with a rate
    double scale;   // by which the volume that is measured in its box is multiplied
    double came;    // m^3; a step writes the volume that arrived in its box with a surface of its own
    bool   is_shut; // a step writes whether there is no room for `rate`
} shoal_tet_tap;

// What a step does in addition to the flow.
typedef struct shoal_tet_drive {
    void* ctx;
    // The velocity at a place after forces have acted on the one that was carried there, m/s; in nozzles, the stream's.
    shoal_d3 (*accelerate)(void* ctx, shoal_d3 at, shoal_d3 velocity);
    // The distance to the surface at a place, negative inside, after emitters have added liquid there and sinks removed
    // it, given the distance before. It acts within `boxes` alone. NULL: there are none.
    double (*emit_and_drain)(void* ctx, shoal_d3 at, double distance);
    const shoal_box* boxes;
    int              box_count; // the first are those of taps, the others only remove
    // Places in cells that surfaces of added or removed liquid pass, or beside them: in each part of them one at least.
    const shoal_d3* seeds;
    int             seed_count;
    shoal_tet_tap*  taps;
    int             tap_count;
    // Where in the liquid the `rate` of a tap comes into being.
    bool (*is_in_tap)(void* ctx, int tap, shoal_d3 at);
} shoal_tet_drive;

// Where vertices around thin parts are: not beyond the surface of the liquid, or that of a sheet, or of a film on a
// solid.
enum { SHOAL_TET_BEYOND_NONE, SHOAL_TET_BEYOND_SHEET, SHOAL_TET_BEYOND_FILM };

// Parts of a step, for their times.
enum { SHOAL_TET_TRACK, SHOAL_TET_MESH, SHOAL_TET_ADVECT, SHOAL_TET_PRESSURE, SHOAL_TET_PARTS };

typedef struct shoal_tet_options {
    double                sharpness;           // as of shoal_tet_flow_make
    double                core;                // as of shoal_tet_flow
    bool                  is_sharp;            // as of shoal_tet_advect
    double                tolerance;           // of the pressure, as of shoal_cg_def
    bool                  is_redistanced;      // as of shoal_band
    bool                  has_face_velocities; // pressure in the tetrahedra and velocities through faces (tet/faces.h)
    bool                  keeps_volume;        // the volume: what tracking loses or adds is given back
    shoal_tet_thicken_def thicken;
} shoal_tet_options;

// A mesh with all that was made for it. There are two; one at a time has its neighbours.
typedef struct shoal_tet_state {
    shoal_stuffing  work;
    shoal_tetmesh   mesh;
    shoal_band      band;
    shoal_v3*       velocity; // [tets]
    shoal_tet_walls walls;
    uint8_t*        is_air;               // [vertices] pressure is zero
    uint8_t*        beyond;               // [vertices] SHOAL_TET_BEYOND_...: outside of the liquid, around a thin part
    bool            has_film;             // some are around a film
    double          volume;               // m^3; of the liquid in the tetrahedra
    double          surface_volume, area; // m^3 within the surface for people to see, m^2 of that to the air
    double          hanging;              // m^2 of that on films below solids
    int             velocity_capacity, wall_of_capacity, wall_capacity, air_capacity, beyond_capacity;
} shoal_tet_state;

typedef struct shoal_tet_liquid {
    shoal_tet_state        states[2];
    int                    current;       // which of them
    shoal_arena            arena;         // scratch of all that takes turns in a step
    shoal_contour          surface;       // as it is shown, of
    const shoal_tet_state* surface_state; // this one; NULL: of none
    shoal_tet_flow         flow;          // its mesh is NULL: of none
    double                 sharpness;     // with which it was made
    shoal_tet_projection   projection;
    shoal_tet_faces        faces; // where pressure is in the tetrahedra
    shoal_tet_thicken      thicken;
    shoal_d3               down;          // the way of gravity, of length one, or zero; set by the owner
    bool                   meshes_thin;   // thin parts get tetrahedra as if they were thicker; set by the owner
    shoal_tet_medials      thin;          // those, while a mesh is made
    double*                pressure;      // [vertices] times dt / density, m^2/s
    double                 target_volume; // m^3; the volume that there should be
    double                 drift;         // m^3; what thickening adds in a step, a mean over the last ones
    double                 volume_gain;   // change of volume over the volume that the surface is moved by
    double                 last_correction, last_change; // m^3; both of these, in the last step
    double                 emitted, drained;             // m^3; in the last step
    uint64_t*              solid_octants;                // finest octants that surfaces of solids may enter
    shoal_v3*              wall;                         // scratch: [vertices] velocities
    float*                 outflow;                      // [vertices] as of shoal_tet_boundary
    float*                 source;                       // [tets] as of shoal_tet_boundary, of
    const shoal_tet_state* source_state;                 // this one; NULL: there is none
    int                    source_capacity;
    double                 seconds[SHOAL_TET_PARTS]; // of the last step, by the clock
    int  solid_octant_count, solid_octant_capacity, pressure_capacity, wall_scratch_capacity, outflow_capacity;
    bool has_solid_octants; // `solid_octants` is made
} shoal_tet_liquid;

void shoal_tet_liquid_free(shoal_tet_liquid* liquid); // what it points to; zero-initialise before the first use

// The liquid where `field` is negative, at rest, within `box`, in tetrahedra of edges of about `step` at its surface.
shoal_status shoal_tet_liquid_begin(shoal_tet_liquid* liquid, shoal_box box, double step, shoal_field_fn field,
                                    void* ctx, const shoal_tet_solids* solids, const shoal_exec* exec);
// Gives it the velocities that `accelerate` makes of rest, as far as pressure lets it have them.
shoal_status shoal_tet_liquid_start(shoal_tet_liquid* liquid, const shoal_tet_drive* drive, double tolerance,
                                    const shoal_exec* exec);
shoal_status shoal_tet_liquid_step(shoal_tet_liquid* liquid, double dt, const shoal_tet_solids* solids,
                                   const shoal_tet_drive* drive, const shoal_tet_options* options,
                                   const shoal_exec* exec);
// For a state that comes back: lays the lattice; and, once the blocks of states[current].band are there
// (shoal_band_restore), makes the mesh that belongs to them. Velocities are the caller's to bring.
shoal_status shoal_tet_liquid_frame(shoal_tet_liquid* liquid, shoal_box box, double step);
shoal_status shoal_tet_liquid_remesh(shoal_tet_liquid* liquid, const shoal_tet_solids* solids, const shoal_exec* exec);

// The flow of the liquid as it is now, for paths and velocities at the vertices (liquid->flow).
shoal_status shoal_tet_liquid_flow(shoal_tet_liquid* liquid, double sharpness, const shoal_exec* exec);
// The surface as it is shown, liquid->surface: the tracked one and that of the solids where there is liquid beside
// them. A step has made it; afterwards it is made only if another state is the current one.
shoal_status shoal_tet_liquid_surface(shoal_tet_liquid* liquid, const shoal_tet_solids* solids, const shoal_exec* exec);
// Boundary conditions of the mesh, and the neighbours in it; valid until the next step.
shoal_status shoal_tet_liquid_boundary(shoal_tet_liquid* liquid, const shoal_exec* exec, shoal_tet_boundary* boundary);

// The volume of the liquid in a tetrahedron: all of its own, but around thin parts.
double shoal_tet_held(const shoal_tet_state* state, int tet);

SHOAL_FN const shoal_tet_state* shoal_tet_current(const shoal_tet_liquid* liquid) {
    return &liquid->states[liquid->current];
}
double shoal_tet_fastest(const shoal_tet_liquid* liquid, const shoal_exec* exec); // m/s

#endif
