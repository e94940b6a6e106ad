// SPDX-License-Identifier: MIT
// Friction inside of sand and against solids, solved over the whole grid: the stress s that brings the sand to rest as
// far as its strength allows, sqrt(J2) <= mu p + c, found by projected sweeps that alternate with pressure solves. It
// is kept from step to step: a pile is carried by the stress of the step before, which a few sweeps from nothing cannot
// build up.
//
// Diagonal parts lie at centres, the others on edges: yz on the edge along x at the low y and z of a cell, and so on.
// Against solids each face has a traction, at most the solid's friction times the pressure on it.
// While solving, stresses are s dt / (rho dx), velocities like the pressure; kept ones are s / rho in m^2/s^2.
#ifndef SHOAL_GRANULAR_FRICTION_H
#define SHOAL_GRANULAR_FRICTION_H

#include "mac/mac_stored.h"
#include "granular/granular_separation.h"

enum { SHOAL_GRANULAR_STRESSES = 6, SHOAL_GRANULAR_STORED = 9 }; // xx yy zz yz xz xy; those and three tractions

// What the sand is like.
typedef struct shoal_granular_sand {
    float                   friction; // mu of slow flow
    shoal_granular_cohesion cohesion;
    float grain_size;     // m; above 0 friction grows with the rate of shear, mu(I) of Jop, Forterre & Pouliquen 2006
    int   rounds, sweeps; // pressure solves before the last, sweeps after each
    float still;          // m/s; what is slower is at rest
} shoal_granular_sand;

// A face beside the surface of a solid. In a corner it is beside several, and has one of these for each of them.
typedef struct shoal_granular_wall_face {
    int at, axis;
    int edge, shear; // the edge at the solid's side of the cell, and which of yz, xz, xy lies there; -1: there is none
    float normal[3]; // out of the solid
    float dual[3];   // picks its fraction of a force on all surfaces that meet there: 1 with its normal, 0 with theirs
    float solid_velocity[3];  // of the solid, m/s
    float friction;           // INFINITY: material sticks to it
    float area[2];            // of the surface in the cell above and below, in sides of a cell
    float depth[2];           // how far the surface is below their centres, cells
    float load;               // what presses on its fraction of the solid, m/s
    float traction;           // its part of the face's
    float last;               // that as cut last
    float trial;              // traction before it is cut back
    float trial_other_square; // square of what it has along the other axes, before it is cut
} shoal_granular_wall_face;

// A cell of sand that solids cut, in a corner by up to three surfaces.
typedef struct shoal_granular_cut {
    int   at, count;
    float solid[3];                      // fraction of the cell beyond each surface
    float normal[3][3];                  // out of the solid
    float lack[SHOAL_GRANULAR_STRESSES]; // stress along the surfaces that has no sand to act on
} shoal_granular_cut;

// A face at the free surface that carries more or less than a whole cell.
typedef struct shoal_granular_surface_face {
    int   at, axis;
    int   component, source; // the stress or traction it is held by, as they are kept, and its sample
    float factor;            // of that, in addition to its effect on a whole cell
} shoal_granular_surface_face;

// A closed face beside sand: its velocity is that of the sand around, but for what would go into the solid.
typedef struct shoal_granular_ghost {
    int   at, axis;
    float solid;   // the solid's part of its velocity, m/s
    float held[3]; // what the solid takes of a push along its axis; the rest goes to those it follows
    float push;    // what stress would do to it
} shoal_granular_ghost;

// What a ghost has of a face.
typedef struct shoal_granular_link {
    int   ghost, at, axis;
    float weight;
} shoal_granular_link;

typedef struct shoal_granular_friction {
    int    capacity; // blocks
    float* stress[SHOAL_GRANULAR_STRESSES];
    float* acting[SHOAL_GRANULAR_STRESSES]; // what moves faces: `stress` less what cut cells lack; only where has_cuts
    float* last[SHOAL_GRANULAR_STRESSES];   // as cut last; `stress` goes beyond it while sweeping
    union {                                 // one memory, in the order of the stages (granular_friction_local.h)
        float* thin_normal[3]; // at centres beside thin solids: out of the solid on the side where the cell is; 0: none
        float* magnitude;      // at centres near solids that leave: sqrt(J2) of the stress of the step before
        float* trial[SHOAL_GRANULAR_STRESSES]; // stress before it is cut back
    };
    float*    strength;                          // at centres
    float*    bound[4];                          // at centres; on edges yz, xz, xy
    float*    traction[3];                       // on faces
    float*    mass[3];                           // on faces near solids: what particles have there, cells
    float*    load[3];                           // on faces: what presses on a solid there, m/s
    float*    rate[4];                           // step of a sweep at centres; on edges; only where is_cut
    uint64_t* tilted_edges[3];                   // edges yz, xz, xy in the surface of a solid that is tilted about them
    uint8_t*  is_cut;                            // [block] solids cut some face in it or beside it
    float*    star[3];                           // velocity before stress and pressure
    float*    inverse_mass[3];                   // how far stress moves u; 0 where it does not
    uint8_t*  is_active;                         // [block] sand is near
    uint8_t (*span)[4];                          // [block] rows that take part: from, to along y; along z
    float*                       change_max;     // [block] largest change of stress and traction in a sweep
    double*                      restart_sum;    // [block] above 0 in sum: the momentum has led uphill
    int*                         face_count;     // [block] faces of sand along an axis,
    int*                         started;        // [block] and how many of them were at rest and move now
    uint8_t*                     does_work;      // [block] somewhere stress kept from the step before does work
    float                        pace, momentum; // t and (t - 1) / t' of Nesterov's sequence
    int                          start_capacity;
    int*                         wall_face_start; // [block + 1]
    int                          wall_face_capacity;
    shoal_granular_wall_face*    wall_faces;
    int*                         cut_start; // [block + 1]
    uint8_t*                     has_cuts;  // [block] there are some in it or beside it
    int                          cut_capacity;
    shoal_granular_cut*          cuts;
    int*                         surface_start; // [block + 1]
    int                          surface_capacity;
    shoal_granular_surface_face* surface_faces;
    int*                         ghost_start; // [block + 1]
    int*                         link_start;  // [block + 1] links to the ghosts of a block
    int*                         back_start;  // [block + 1] links of the faces of a block
    int                          ghost_capacity, link_capacity, back_capacity;
    shoal_granular_ghost*        ghosts;
    shoal_granular_link *        links, *back;
    int                          sweeps; // of the last solve
    shoal_granular_separation    separation;

    shoal_set*
        stored; // of shoal_granular_stress_fields, another's: stresses and tractions; empty before the first step
} shoal_granular_friction;

extern const shoal_field_def shoal_granular_stress_fields[];

void shoal_granular_friction_free(
    shoal_granular_friction* friction); // but for `stored`; zero-initialise the rest before the first use

// In place of shoal_mac_projection_set and shoal_mac_project: makes u free of divergence under pressure and friction.
shoal_status shoal_granular_solve_friction(shoal_granular_friction* friction, shoal_mac_projection* projection,
                                           shoal_mac* mac, const shoal_exec* exec, const shoal_world* world,
                                           const shoal_poisson_def* def, const shoal_granular_sand* sand,
                                           shoal_v3 gravity, float dt);

#endif
