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
    double rate;    // m^3/s that are due in the next step, and for which a source comes into being; 0: none
    double owed;    // m^3; what should have come by the end of this step, but for what comes with a surface in it
    double flowing; // m^3/s; the source of the step before, which moves the surface in this one
    double sent;    // m^3/s; a step writes the source for the next
    double opening; // m^2; that of one with a rate
    double scale;   // by which the volume that is measured in its box is multiplied
    double came;    // m^3; a step writes the volume that arrived in its box with a surface of its own
    double brought; // m^3; and this with what came of the source
    bool   is_shut; // a step writes whether there is no room for `rate`
    // and a place in the liquid where it comes into being
    bool     has_place;
    shoal_d3 place;
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
    // Whether what is removed at a place is lost, and in no sink (shoal_tet_liquid.lost). NULL: nothing is.
    bool (*is_lost)(void* ctx, shoal_d3 at);
    // Where in the liquid the `rate` of a tap comes into being.
    bool (*is_in_tap)(void* ctx, int tap, shoal_d3 at);
    // The solids where they are at its beginning, as they move in it; NULL: as they did in the step before.
    const shoal_tet_solids* before;
} shoal_tet_drive;

// Where vertices around thin parts are: not beyond the surface of the liquid, or that of a sheet, or of a film on a
// solid.
enum { SHOAL_TET_BEYOND_NONE, SHOAL_TET_BEYOND_SHEET, SHOAL_TET_BEYOND_FILM };

// Stages of a step, for their times.
enum {
    SHOAL_TET_STAGE_TRACK,
    SHOAL_TET_STAGE_MESH,
    SHOAL_TET_STAGE_ADVECT,
    SHOAL_TET_STAGE_PRESSURE,
    SHOAL_TET_STAGES
};

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

// A part of the liquid that hangs together, as it is shown.
typedef struct shoal_tet_part {
    double volume, area; // m^3, and m^2 to the air
    double hanging;      // m^2 of that on films below solids
    double thick;        // m^2 of it with much liquid behind it (liquid_thickness)
    int    balance;      // which of them it is in
} shoal_tet_part;

typedef struct shoal_tet_parts {
    int*            of; // [vertices of the surface]
    shoal_tet_part* part;
    int             count;
    uint64_t*       keys; // of the blocks that the vertices are in, as of shoal_contour.first
    int             block_count, of_capacity, part_capacity, key_capacity;
} shoal_tet_parts;

// The balance of the volume of a part and its fragments. That of the first is for small parts of no other.
typedef struct shoal_tet_balance {
    double due;                // m^3; the volume that there should be
    double drift;              // m^3; what thickening adds in a step, a mean over the last ones
    double gain;               // change of volume over the volume that the surface is moved by
    double correction, change; // m^3; both of these, in the last step
} shoal_tet_balance;

// What a step does with the parts before and after it (liquid_balances.c).
typedef struct shoal_tet_sum {
    double volume, area, hanging, thick; // as of the parts in a balance; then area: what `grow` is to be multiplied by
    double drained;                      // m^3; in the step
    double grow, grow_thin;              // m; by so much its surface is moved, where it is thick, and where not
    double left;                         // m^3; of the parts that something has come of
    shoal_box wet;                       // of several: around its surface
    int       parts;
    int       heir; // the balance that it goes on as; -1: not known
} shoal_tet_sum;

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
    uint8_t*        is_loose;             // [vertices] not 0: on a solid that the liquid comes off; as those at the air
    bool            has_loose;            // some are
    uint8_t*        flying;               // [vertices] at the air: 255: the liquid flies there, 0: it does not
    double          surface_volume, area; // m^3 within the surface for people to see, m^2 of that to the air
    double          hanging, thick;       // m^2 of that, as of parts
    int             velocity_capacity, wall_of_capacity, wall_capacity, air_capacity, beyond_capacity, loose_capacity,
        flying_capacity;
} shoal_tet_state;

// Finest octants, in Morton order.
typedef struct shoal_tet_octants {
    uint64_t* keys;
    int       count, capacity;
} shoal_tet_octants;

// What octants are looked for at: a surface, by its signed distance, which changes by no more than `slope` per metre,
// where the middle of the octant is in the liquid, or nearer to that than `within`, less than the band's `far`.
typedef struct shoal_tet_near {
    void* ctx;
    double (*distance)(void* ctx, shoal_d3 at);
    double slope, within;
} shoal_tet_near;

typedef struct shoal_tet_liquid {
    shoal_tet_state        states[2];
    int                    current; // which of them
    shoal_arena            arena;   // neighbours, what a flow has, and scratch of all that takes turns in a step
    size_t                 held;    // bytes of it that are no scratch
    size_t                 shown_by_tet, shown_by_vertex; // that the owner keeps there between steps; set by it
    shoal_contour          surface;                       // as it is shown, of
    const shoal_tet_state* surface_state;                 // this one; NULL: of none
    shoal_tet_flow         flow;                          // its mesh is NULL: of none
    double                 sharpness;                     // with which it was made
    shoal_tet_projection   projection;
    shoal_tet_faces        faces; // where pressure is in the tetrahedra
    shoal_tet_thicken      thicken;
    shoal_d3               down;        // the way of gravity, of length one, or zero; set by the owner
    bool                   meshes_thin; // thin parts get tetrahedra as if they were thicker; set by the owner
    shoal_tet_medials      thin;        // those, while a mesh is made
    double*                pressure;    // [vertices] times dt / density, m^2/s
    shoal_tet_parts        parts;       // of `surface`
    shoal_tet_balance*     balances;    // of the current state; the first is there always
    int                    balance_count;
    double                 emitted, drained, lost; // m^3; in the last step; lost: of what was drained
    double                 corrected; // m^3; by so much it has moved the surface to the volume that is due, + outwards
    // of a step: balances and parts before it, their sums, and the next balances
    shoal_tet_part*    part_before;
    shoal_tet_sum*     sums;
    shoal_tet_balance* next_balances;
    int*               kin; // [parts before and after] those that something of one is in the other of
    int part_before_count, part_before_capacity, balance_capacity, sum_capacity, next_balance_capacity, kin_capacity;
    shoal_tet_octants      solid_octants;       // that surfaces of solids may enter, where there is liquid of
    const shoal_tet_state* solid_octants_state; // this one; NULL: of none
    shoal_morton_set       wet_tiles;           // scratch: where that is
    shoal_v3*              wall;                // scratch: [vertices] velocities, where some move
    shoal_v3*              struck;              // [tets] velocities, and
    shoal_tet_wall*        struck_wall;  // walls, as those of the state, where solids strike the liquid in a step
    float*                 outflow;      // [vertices] as of shoal_tet_boundary
    float*                 source;       // [tets] as of shoal_tet_boundary, of
    const shoal_tet_state* source_state; // this one; NULL: there is none
    int                    source_capacity;
    double                 seconds[SHOAL_TET_STAGES]; // of the last step, by the clock
    int  pressure_capacity, wall_scratch_capacity, outflow_capacity, struck_capacity, struck_wall_capacity;
    bool is_struck; // `struck` and `struck_wall` are those of the step under way
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
// Once its is_loose is there: those vertices are off the solid. `flying` is as it was.
void shoal_tet_let_go(shoal_tet_state* state);

// Gives back what is in the arena, but for the neighbours.
void shoal_tet_liquid_rest(shoal_tet_liquid* liquid);
// The flow of the liquid as it is now, for paths and velocities at the vertices (liquid->flow).
shoal_status shoal_tet_liquid_flow(shoal_tet_liquid* liquid, double sharpness, const shoal_exec* exec);
// The surface as it is shown, liquid->surface: the tracked one and that of the solids where there is liquid beside
// them. A step has made it; afterwards it is made only if another state is the current one.
shoal_status shoal_tet_liquid_surface(shoal_tet_liquid* liquid, const shoal_tet_solids* solids, const shoal_exec* exec);
// Boundary conditions of the mesh, and the neighbours in it; valid until the next step.
shoal_status shoal_tet_liquid_boundary(shoal_tet_liquid* liquid, const shoal_exec* exec, shoal_tet_boundary* boundary);

// Those that the surface may enter; what is far from the liquid is not looked at.
shoal_status shoal_tet_wet_octants(shoal_tet_liquid* liquid, const shoal_tet_state* state, const shoal_tet_near* near,
                                   const shoal_exec* exec, shoal_tet_octants* out);

// The volume of the liquid in a tetrahedron: all of its own, but around thin parts.
double shoal_tet_held(const shoal_tet_state* state, int tet);
double shoal_tet_liquid_volume(const shoal_tet_liquid* liquid, const shoal_exec* exec); // of all of them, m^3

SHOAL_FN const shoal_tet_state* shoal_tet_current(const shoal_tet_liquid* liquid) {
    return &liquid->states[liquid->current];
}
double shoal_tet_fastest(const shoal_tet_liquid* liquid, const shoal_exec* exec); // m/s
// How many tetrahedra are faster.
int shoal_tet_faster(const shoal_tet_liquid* liquid, double speed, const shoal_exec* exec);
// The volume that the flow would carry from the air into solids in a time dt, before pressure stops it, over that of
// the liquid in its balance, at most (small parts of no other are held against all there is); the flow is that of
// shoal_tet_liquid_flow, the surface that of shoal_tet_liquid_surface.
shoal_status shoal_tet_into_solids(shoal_tet_liquid* liquid, const shoal_tet_solids* solids, double dt,
                                   const shoal_exec* exec, double* most);

#endif
