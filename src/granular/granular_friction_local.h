// SPDX-License-Identifier: MIT
// clang-format off
// The stages of one solve of friction, in the order in which shoal_granular_solve_friction (granular_friction.c) calls
// them. A stage reads what it needs and changes what stands here, of the job's shoal_granular_friction `f` and the grid
// `m`.
//
//     stage                          file           changes
//     granular_side_block            side           f->thin_normal
//     granular_mass_block            mass           f->mass
//     begin_block                    friction       f->is_active, stress, traction, star, inverse_mass
//     granular_find_wall_faces       wall_traction  f->wall_faces
//     granular_find_cuts             cut            f->cuts, has_cuts
//     granular_find_surface_faces    surface_shear  f->surface_faces
//     granular_find_ghosts           ghost          f->ghosts, links, back, tilted_edges
//     granular_rate_block            sweep          f->is_cut, rate
//     granular_clear_wall_block      wall_traction  f->traction, load: 0 on faces that have left the solid
//   each round
//     granular_force_from_star       sweep          m->u, after f->acting and the pushes on ghosts
//     shoal_mac_project              mac            m->u, pressure
//     granular_unload                unload         f->magnitude, strength, stress, traction, m->u, pressure; first round only
//     separate                       friction       m->liquid, separated, u, pressure; first round only
//     granular_move_ghosts           ghost          m->u of closed faces
//     granular_strength_block        sweep          f->strength
//     granular_bound_block           sweep          f->bound, span, last, trial; f->stress where there is no bound
//     granular_act                   cut            f->acting
//     granular_wall_load_block       wall_traction  f->load, tractions of f->wall_faces
//     granular_force_to_base         sweep          m->change: u without stress
//     granular_sweeps                sweep          f->stress, traction, last, trial, m->u
// clang-format on
#ifndef SHOAL_GRANULAR_FRICTION_LOCAL_H
#define SHOAL_GRANULAR_FRICTION_LOCAL_H

#include <math.h>

#include "math/rheology.h"
#include "granular/granular_friction.h"

// Step of a sweep in units of rho dx^2 / dt. The limit is 1/4: dev D has at most 2/3 of the gradient's square, the grid
// at most 12 / dx^2 of that. Sweeps with momentum take half of it, since cutting back is no exact projection on this
// grid.
static const float granular_relax = 0.11f;

typedef struct granular_friction_job {
    shoal_granular_friction*   f;
    shoal_mac_projection*      projection;
    const shoal_world*         world;
    const shoal_granular_sand* sand;
    shoal_v3                   gravity; // m/s^2
    float                      dt;
} granular_friction_job;

// What mu(I) has above mu, I = 2 |D| d / sqrt(p / rho), for dx |D| and q, with p / rho = q dx / dt.
static inline float granular_rate_friction(const granular_friction_job* r, const shoal_mac* m, float strain, float q) {
    float inertia = 2.0f * strain * m->inverse * r->sand->grain_size / sqrtf(q * m->def.dx / r->dt);
    return shoal_friction_by_rate(inertia);
}

// granular_sweep.c: u from what it was before stress and pressure; bounds; u without stress; at most so many sweeps,
// until no stress changes by `enough`.
void granular_rate_block(void* ctx, shoal_mac* m, int block, int worker);
void granular_force_from_star(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void granular_strength_block(void* ctx, shoal_mac* m, int block, int worker);
void granular_bound_block(void* ctx, shoal_mac* m, int block, int worker);
void granular_force_to_base(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void granular_sweeps(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec, int most, float enough);

// granular_wall_traction.c: the faces beside solids; bounds of their tractions; new tractions, what cells beside feel
// of them, and taking them; those that have left the solid.
shoal_status granular_find_wall_faces(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void         granular_wall_load_block(void* ctx, shoal_mac* m, int block, int worker);
void         granular_wall_traction_block(void* ctx, shoal_mac* m, int block, int worker);
void         granular_wall_shear_block(void* ctx, shoal_mac* m, int block, int worker);
void         granular_wall_return_block(void* ctx, shoal_mac* m, int block, int worker);
void         granular_end_wall_faces(shoal_granular_friction* f, int block);
void         granular_clear_wall_block(void* ctx, shoal_mac* m, int block, int worker);

// One beyond the last entry of the face that has the entry n.
static inline int granular_wall_faces_end(const shoal_granular_friction* f, int n, int end) {
    const shoal_granular_wall_face* first = &f->wall_faces[n];
    while (n < end && f->wall_faces[n].at == first->at && f->wall_faces[n].axis == first->axis) n++;
    return n;
}

// granular_cut.c: the cells of sand that solids cut; what acts of the stress, from what it is now.
shoal_status granular_find_cuts(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void         granular_act(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);

// A stress in a block, as it acts.
static inline const float* granular_acting(const shoal_granular_friction* f, int component, int block) {
    return f->has_cuts[block] ? f->acting[component] : f->stress[component];
}
// How much of a cell's surface is solid, as a vector into the sand; 1 is a whole side.
static inline shoal_v3 granular_solid_side(const shoal_mac* m, int at) {
    float side[3];
    for (int axis = 0; axis < 3; axis++) {
        int next   = shoal_mac_beside(m, at, axis, 1);
        side[axis] = (next >= 0 ? m->open[axis][next] : 0.0f) - m->open[axis][at];
    }
    return shoal_v3_make(side[0], side[1], side[2]);
}

// granular_surface_shear.c: the faces at the free surface; what friction does to them, in addition to its effect on
// whole cells; whether a block has stresses that they feel so, and the step of these.
shoal_status granular_find_surface_faces(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);
bool         granular_has_surface_faces(const shoal_granular_friction* f, const shoal_mac* m, int block);
void         granular_surface_rate(const shoal_granular_friction* f, const shoal_mac* m, int block);
void         granular_surface_push(const shoal_granular_friction* f, int block, float* const u[3], float sign);

// The cell of sand beside a face; -1: there is none.
static inline int granular_sand_beside(const shoal_mac* m, int at, int axis) {
    int below = shoal_mac_beside(m, at, axis, -1);
    if (shoal_mac_has(m->liquid, at)) return at;
    return below >= 0 && shoal_mac_has(m->liquid, below) ? below : -1;
}

// granular_side.c: on which side of a thin solid the part of a cell is that it stands for; whether two cells are on
// one.
void granular_side_block(void* ctx, shoal_mac* m, int block, int worker);
bool granular_same_side(const shoal_granular_friction* f, const shoal_mac* m, int a, int b);

// granular_mass.c: what particles have on each face near solids, to `mass`; and on an open one, with those closed ones
// that follow it.
void  granular_mass_block(void* ctx, shoal_mac* m, int block, int worker);
float granular_mass(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis);

// granular_ghost.c: the closed faces beside sand, once the others are known; their velocities; what stress does to
// them, and by them to others.
shoal_status                granular_find_ghosts(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void                        granular_move_ghosts(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void                        granular_push_ghosts(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec);
const shoal_granular_ghost* granular_ghost_at(const shoal_granular_friction* f, int at, int axis); // NULL: it is none
float                       granular_push_at(const shoal_granular_friction* f, const shoal_mac* m, int at,
                                             int axis); // what stress does to a face
void granular_ghost_push(const shoal_granular_friction* f, const shoal_mac* m, int block, float* const u[3],
                         float sign);

// granular_unload.c: after the first projection of a step, stress that was kept and does work is cut back.
shoal_status granular_unload(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec,
                             const shoal_poisson_def* def);

#endif
