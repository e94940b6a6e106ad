// SPDX-License-Identifier: MIT
// What the sweeps over the stress and those over tractions share.
#ifndef SHOAL_MAC_FRICTION_LOCAL_H
#define SHOAL_MAC_FRICTION_LOCAL_H

#include <math.h>

#include "math/rheology.h"
#include "mac/mac_friction.h"

// Step of a sweep in units of rho dx^2 / dt. The limit is 1/4: dev D has at most 2/3 of the gradient's square, the grid
// at most 12 / dx^2 of that. Sweeps with momentum take half of it, since cutting back is no exact projection on this
// grid.
static const float mac_relax = 0.11f;

typedef struct mac_friction_job {
    shoal_mac_friction*   f;
    shoal_mac_projection* projection;
    const shoal_world*    world;
    const shoal_mac_sand* sand;
    shoal_v3              gravity; // m/s^2
    float                 dt;
} mac_friction_job;

// What mu(I) has above mu, I = 2 |D| d / sqrt(p / rho), for dx |D| and q, with p / rho = q dx / dt.
static inline float mac_rate_friction(const mac_friction_job* r, const shoal_mac* m, float strain, float q) {
    float inertia = 2.0f * strain * m->inverse * r->sand->grain_size / sqrtf(q * m->def.dx / r->dt);
    return shoal_friction_by_rate(inertia);
}

// mac_sweep.c: u from what it was before stress and pressure; bounds; u without stress; at most so many sweeps, until
// no stress changes by `enough`.
void mac_rate_block(void* ctx, shoal_mac* m, int block, int worker);
void mac_force_from_star(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void mac_strength_block(void* ctx, shoal_mac* m, int block, int worker);
void mac_bound_block(void* ctx, shoal_mac* m, int block, int worker);
void mac_force_to_base(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void mac_sweeps(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec, int most, float enough);

// mac_wall_traction.c: the faces beside solids; bounds of their tractions; new tractions, what cells beside feel of
// them, and taking them; those that have left the solid.
shoal_status mac_find_wall_faces(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void         mac_hold_block(void* ctx, shoal_mac* m, int block, int worker);
void         mac_wall_traction_block(void* ctx, shoal_mac* m, int block, int worker);
void         mac_wall_block(void* ctx, shoal_mac* m, int block, int worker);
void         mac_take_block(void* ctx, shoal_mac* m, int block, int worker);
void         mac_end_wall_faces(shoal_mac_friction* f, int block);
void         mac_let_go_block(void* ctx, shoal_mac* m, int block, int worker);

// One beyond the last entry of the face that has the entry n.
static inline int mac_wall_faces_end(const shoal_mac_friction* f, int n, int end) {
    const shoal_mac_wall_face* first = &f->wall_faces[n];
    while (n < end && f->wall_faces[n].at == first->at && f->wall_faces[n].axis == first->axis) n++;
    return n;
}

// mac_cut.c: the cells of sand that solids cut; what acts of the stress, from what it is now.
shoal_status mac_find_cuts(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void         mac_act(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);

// A stress in a block, as it acts.
static inline const float* mac_acting(const shoal_mac_friction* f, int component, int block) {
    return f->has_cuts[block] ? f->acting[component] : f->stress[component];
}
// How much of a cell's surface is solid, as a vector into the sand; 1 is a whole side.
static inline shoal_v3 mac_solid_side(const shoal_mac* m, int at) {
    float side[3];
    for (int axis = 0; axis < 3; axis++) {
        int next   = shoal_mac_beside(m, at, axis, 1);
        side[axis] = (next >= 0 ? m->open[axis][next] : 0.0f) - m->open[axis][at];
    }
    return shoal_v3_make(side[0], side[1], side[2]);
}

// mac_surface_shear.c: the faces at the free surface; what friction does to them, in addition to its effect on whole
// cells; whether a block has stresses that they feel so, and the step of these.
shoal_status mac_find_surface_faces(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);
bool         mac_has_surface_faces(const shoal_mac_friction* f, const shoal_mac* m, int block);
void         mac_surface_rate(const shoal_mac_friction* f, const shoal_mac* m, int block);
void         mac_surface_push(const shoal_mac_friction* f, int block, float* const u[3], float sign);

// The cell of sand beside a face; -1: there is none.
static inline int mac_sand_beside(const shoal_mac* m, int at, int axis) {
    int below = shoal_mac_beside(m, at, axis, -1);
    if (shoal_mac_has(m->liquid, at)) return at;
    return below >= 0 && shoal_mac_has(m->liquid, below) ? below : -1;
}

// mac_side.c: on which side of a thin solid the part of a cell is that it stands for, to `trial`, until there are
// trials; whether two cells are on one.
void mac_side_block(void* ctx, shoal_mac* m, int block, int worker);
bool mac_same_side(const shoal_mac_friction* f, const shoal_mac* m, int a, int b);

// mac_mass.c: what particles have on each face near solids, to `mass`; and on an open one, with those closed ones that
// follow it.
void  mac_mass_block(void* ctx, shoal_mac* m, int block, int worker);
float mac_mass(const shoal_mac_friction* f, const shoal_mac* m, int at, int axis);

// mac_ghost.c: the closed faces beside sand, once the others are known; their velocities; what stress does to them, and
// by them to others.
shoal_status           mac_find_ghosts(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void                   mac_move_ghosts(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);
void                   mac_push_ghosts(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec);
const shoal_mac_ghost* mac_ghost_at(const shoal_mac_friction* f, int at, int axis);   // NULL: it is none
float mac_push_at(const shoal_mac_friction* f, const shoal_mac* m, int at, int axis); // what stress does to a face
void  mac_ghost_push(const shoal_mac_friction* f, const shoal_mac* m, int block, float* const u[3], float sign);

// mac_unload.c: after the first projection of a step, stress that was kept and does work is cut back.
shoal_status mac_unload(mac_friction_job* r, shoal_mac* m, const shoal_exec* exec, const shoal_poisson_def* def);

#endif
