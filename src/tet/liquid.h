// SPDX-License-Identifier: MIT
// A liquid that is a tracked surface and a mesh of tetrahedra within it, made anew for every step [Chentanez et al.
// 2007]: the flow carries the surface, the mesh fills it outside of the solids, velocities come over from the last
// mesh, and pressure makes them free of divergence.
#ifndef SHOAL_TET_LIQUID_H
#define SHOAL_TET_LIQUID_H

#include "tet/faces.h"
#include "tet/thicken.h"

// The solids, where they are at the end of a step. Distance of a point to the nearest of them, m, positive outside of
// all; with `wall`: which way out is, and how that solid moves there.
typedef struct shoal_tet_solids {
    void* ctx;
    double (*distance)(void* ctx, shoal_d3 at, shoal_tet_wall* wall);
} shoal_tet_solids;

// What a step does in addition to the flow.
typedef struct shoal_tet_drive {
    void* ctx;
    // The velocity at a place after forces have acted on the one that was carried there, m/s; in nozzles, the stream's.
    shoal_d3 (*accelerate)(void* ctx, shoal_d3 at, shoal_d3 velocity);
    // The distance to the surface at a place, negative inside, after nozzles have added liquid there and what has left
    // is removed, given the distance before. NULL: nothing comes or goes.
    double (*emit_and_drain)(void* ctx, shoal_d3 at, double distance);
    const shoal_d3* seeds; // places on the surface of the liquid that is added, in each part of it one at least
    int             seed_count;
} shoal_tet_drive;

// What a vertex on the surface of the mesh is at; on the contact line it is at both.
enum { SHOAL_TET_AIR = 1, SHOAL_TET_WALL = 2 };

// Stages of a step, for their times.
enum {
    SHOAL_TET_STAGE_TRACK,
    SHOAL_TET_STAGE_MESH,
    SHOAL_TET_STAGE_ADVECT,
    SHOAL_TET_STAGE_PRESSURE,
    SHOAL_TET_STAGES
};

typedef struct shoal_tet_options {
    double                tolerance; // of the pressure, as of shoal_amg_full_cycles
    shoal_tet_thicken_def thicken;
} shoal_tet_options;

// A mesh with all that was made for it. There are two; the one that a step begins with is whole until the step ends.
typedef struct shoal_tet_state {
    shoal_stuffing  work;
    shoal_tetmesh   mesh;
    shoal_arena     arena; // of the mesh's neighbours
    shoal_band      band;
    shoal_contour   surface;         // the tracked one, cut at the solids (shoal_tet_liquid_surface)
    shoal_v3*       velocity;        // [tets]
    shoal_v3*       vertex_velocity; // [vertices]
    double*         pressure;        // [vertices] times dt / density, m^2/s
    uint8_t*        sides;           // [vertices] bits SHOAL_TET_AIR and SHOAL_TET_WALL; 0: not on the surface
    shoal_tet_wall* wall;            // [vertices]
    uint8_t*        at_air;          // [tets] bits of the faces at the air, as of shoal_tet_faces_assemble
    int at_air_capacity, velocity_capacity, vertex_velocity_capacity, pressure_capacity, sides_capacity, wall_capacity;
} shoal_tet_state;

typedef struct shoal_tet_liquid {
    shoal_tet_state   states[2];
    int               current; // which of them
    shoal_arena       arena;   // scratch
    shoal_tet_faces   faces;
    shoal_tet_thicken thicken;
    bool              meshes_thin;   // thin parts are meshed as if they were thicker; set by the owner
    shoal_tet_thicken thin;          // those, while a mesh is made
    shoal_morton_set  wet_tiles;     // scratch: where there is liquid, and
    uint64_t*         solid_octants; // the finest octants at solids there, in Morton order
    int               solid_count, solid_capacity;
    double            seconds[SHOAL_TET_STAGES]; // of the last step, by the clock
} shoal_tet_liquid;

void shoal_tet_liquid_free(shoal_tet_liquid* liquid); // what it points to; zero-initialise before the first use

// The liquid where `field` is negative, within `box`, in tetrahedra of edges of about `step` at its surface, with the
// velocities that drive->accelerate makes of rest, as far as pressure lets it have them.
shoal_status shoal_tet_liquid_begin(shoal_tet_liquid* liquid, shoal_box box, double step, shoal_field_fn field,
                                    void* ctx, const shoal_tet_solids* solids, const shoal_tet_drive* drive,
                                    double tolerance, const shoal_exec* exec);
shoal_status shoal_tet_liquid_step(shoal_tet_liquid* liquid, double dt, const shoal_tet_solids* solids,
                                   const shoal_tet_drive* drive, const shoal_tet_options* options,
                                   const shoal_exec* exec);
// For a state that comes back: lays the lattice; and, once the blocks of states[current].band are there
// (shoal_band_restore), makes the mesh that belongs to them; and, once its velocities are there, what is made of these.
shoal_status shoal_tet_liquid_frame(shoal_tet_liquid* liquid, shoal_box box, double step);
shoal_status shoal_tet_liquid_remesh(shoal_tet_liquid* liquid, const shoal_tet_solids* solids, const shoal_exec* exec);
void         shoal_tet_liquid_settle(shoal_tet_liquid* liquid, const shoal_exec* exec);

SHOAL_FN const shoal_tet_state* shoal_tet_current(const shoal_tet_liquid* liquid) {
    return &liquid->states[liquid->current];
}
shoal_tet_flow shoal_tet_liquid_flow(const shoal_tet_liquid* liquid); // as it is now
// Makes the surface of the liquid as it is now: where it is not at the air, that of the solids.
shoal_status shoal_tet_liquid_surface(shoal_tet_liquid* liquid, const shoal_tet_solids* solids, const shoal_exec* exec);
double       shoal_tet_surface_volume(const shoal_tet_state* state, const shoal_exec* exec); // within it, m^3
double       shoal_tet_fastest(const shoal_tet_liquid* liquid, const shoal_exec* exec);      // m/s

#endif
