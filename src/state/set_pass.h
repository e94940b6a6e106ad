// SPDX-License-Identifier: MIT
// What is done to all sets of particles, and asked of them in every substep, wherever they lie.
#ifndef SHOAL_SET_PASS_H
#define SHOAL_SET_PASS_H

#include <string.h>

#include "state/set.h"

// Item i becomes the one that was at order[i], in each of the fields.
typedef struct shoal_permute_view {
    const int* order;
    int        field_count;
    struct {
        const void* from;
        void*       to;
        int         size;
    } fields[SHOAL_FIELDS_MOST];
} shoal_permute_view;

#define SHOAL_PERMUTE(type)                                                                                            \
    ((type*)v->fields[f].to)[i] = ((const type*)v->fields[f].from)[k];                                                 \
    break

SHOAL_FN void shoal_permute_item(const shoal_permute_view* v, int i) {
    int k = v->order[i];
    for (int f = 0; f < v->field_count; f++) switch (v->fields[f].size) {
        case sizeof(uint8_t):
            SHOAL_PERMUTE(uint8_t);
        case sizeof(int32_t):
            SHOAL_PERMUTE(int32_t);
        case sizeof(shoal_v3):
            SHOAL_PERMUTE(shoal_v3);
        case sizeof(shoal_v4):
            SHOAL_PERMUTE(shoal_v4);
        default:
            for (int b = 0; b < v->fields[f].size; b++)
                ((char*)v->fields[f].to)[(size_t)i * (size_t)v->fields[f].size + (size_t)b] =
                    ((const char*)v->fields[f].from)[(size_t)k * (size_t)v->fields[f].size + (size_t)b];
        }
}
#undef SHOAL_PERMUTE

// Particles of any solver.
typedef struct shoal_particles_view {
    const shoal_v3 *position, *velocity;
    const uint8_t*  material;
    const float*    density;               // NULL: they have none
    const float *   own_mass, *own_volume; // kg, m^3; NULL: those of its material
    shoal_v3        min, max;              // of what closed walls leave
    shoal_v3        up;                    // along which heights are measured
    double          crushed;               // so many times as dense as at rest is the bound
    float           rest[256];             // kg/m^3 by material
    double          mass[256];             // kg of a particle by material
    shoal_d3        gravity;               // m/s^2
    double          floor;                 // J/kg where heights begin
} shoal_particles_view;

SHOAL_FN bool shoal_v3_is_finite(shoal_v3 a) {
    float none = (a.x + a.y + a.z) * 0.0f; // not a number where one of them is none, or without bounds
    return none == 0.0f;
}

SHOAL_FN bool shoal_particles_fault(const shoal_particles_view* v, int i) {
    shoal_v3 x = v->position[i];
    bool     is_in =
        x.x >= v->min.x && x.y >= v->min.y && x.z >= v->min.z && x.x <= v->max.x && x.y <= v->max.y && x.z <= v->max.z;
    return !is_in || !shoal_v3_is_finite(x) || !shoal_v3_is_finite(v->velocity[i]);
}
SHOAL_FN double shoal_particles_speed2(const shoal_particles_view* v, int i) {
    return (double)shoal_v3_dot(v->velocity[i], v->velocity[i]);
}
SHOAL_FN double shoal_particles_height(const shoal_particles_view* v, int i) {
    return (double)shoal_v3_dot(v->position[i], v->up);
}
SHOAL_FN double shoal_particles_depth(const shoal_particles_view* v, int i) { return -shoal_particles_height(v, i); }
// How many times as dense as at rest, less the bound.
SHOAL_FN double shoal_particles_excess(const shoal_particles_view* v, int i) {
    return (double)v->density[i] / (double)v->rest[v->material[i]] - v->crushed;
}

SHOAL_FN double shoal_particles_mass(const shoal_particles_view* v, int i) {
    if (v->own_mass) return (double)v->own_mass[i];
    return v->own_volume ? (double)v->rest[v->material[i]] * (double)v->own_volume[i] : v->mass[v->material[i]];
}
SHOAL_FN double shoal_particles_kinetic(const shoal_particles_view* v, int i) {
    shoal_d3 u = shoal_d3_from(v->velocity[i]);
    return 0.5 * shoal_d3_dot(u, u) * shoal_particles_mass(v, i);
}
// Of motion and height.
SHOAL_FN double shoal_particles_energy(const shoal_particles_view* v, int i) {
    shoal_d3 u = shoal_d3_from(v->velocity[i]), x = shoal_d3_from(v->position[i]);
    double   own = 0.5 * shoal_d3_dot(u, u) - shoal_d3_dot(v->gravity, x) - v->floor;
    return own * shoal_particles_mass(v, i);
}
SHOAL_FN double shoal_particles_moment_x(const shoal_particles_view* v, int i) {
    return shoal_particles_mass(v, i) * (double)v->position[i].x;
}
SHOAL_FN double shoal_particles_moment_y(const shoal_particles_view* v, int i) {
    return shoal_particles_mass(v, i) * (double)v->position[i].y;
}
SHOAL_FN double shoal_particles_moment_z(const shoal_particles_view* v, int i) {
    return shoal_particles_mass(v, i) * (double)v->position[i].z;
}
SHOAL_FN double shoal_particles_momentum_x(const shoal_particles_view* v, int i) {
    return shoal_particles_mass(v, i) * (double)v->velocity[i].x;
}
SHOAL_FN double shoal_particles_momentum_y(const shoal_particles_view* v, int i) {
    return shoal_particles_mass(v, i) * (double)v->velocity[i].y;
}
SHOAL_FN double shoal_particles_momentum_z(const shoal_particles_view* v, int i) {
    return shoal_particles_mass(v, i) * (double)v->velocity[i].z;
}

// clang-format off
// name, how they are taken together
#define SHOAL_PARTICLES_FOLDS(X) X(fault, FIRST) X(speed2, MOST) X(height, SUM) X(depth, MOST) X(excess, SUM) X(kinetic, SUM) X(energy, SUM) SHOAL_PARTICLES_MOTION(X)
// Of these a mass and its motion are made (shoal_set_motion).
#define SHOAL_PARTICLES_MOTION(X) X(mass, SUM) X(moment_x, SUM) X(moment_y, SUM) X(moment_z, SUM) X(momentum_x, SUM) X(momentum_y, SUM) X(momentum_z, SUM)
// clang-format on
#define X(name, how) SHOAL_PARTICLES_##name,
enum { SHOAL_PARTICLES_FOLDS(X) SHOAL_PARTICLES_FOLD_COUNT };
#undef X

// What was asked of a set on a device, and what came of it; good until the set changes.
typedef struct shoal_survey {
    bool                 is_good;
    int                  count;
    shoal_particles_view asked;
    double               answers[SHOAL_PARTICLES_FOLD_COUNT];
} shoal_survey;

extern const shoal_passes shoal_permute_passes, shoal_particles_passes;

// A field for passes that `exec` runs, to be read; NULL: the set has none of that name.
const void* shoal_set_seen(const shoal_set* set, const shoal_exec* exec, const char* name);

// Asks of a set; position, velocity, material and density are its own, the rest of `asked` the caller's.
double shoal_set_fold(const shoal_set* set, const shoal_exec* exec, int fold, const shoal_particles_view* asked);

// Mass, mass times place, and mass times velocity of all in a set.
typedef struct shoal_motion_sums {
    double   mass;             // kg
    shoal_d3 moment, momentum; // kg m, kg m/s
} shoal_motion_sums;
shoal_motion_sums shoal_set_motion(const shoal_set* set, const shoal_exec* exec, const shoal_particles_view* asked);

// Asks on a device what was asked the last time; the answers come with the next that are waited for.
void shoal_set_foresee(const shoal_set* set, const shoal_exec* exec);

#endif
