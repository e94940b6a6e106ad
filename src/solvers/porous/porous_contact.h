// SPDX-License-Identifier: MIT
// Contact with solids as it stands within a substep: how near each solid is at the particle's
// place, and where it points, are asked there once; what a velocity would make of the gap is linear
// in it. So a velocity that a sweep has made too large leads out of a solid on the side it came
// from, where a place deep in the solid could be nearest to another side.
#ifndef SHOAL_POROUS_CONTACT_H
#define SHOAL_POROUS_CONTACT_H

#include "state/world.h"

enum { POROUS_SOLIDS_MOST = 8, POROUS_CONTACT_ROUNDS = 4, POROUS_FACES_MOST = 3 };

// clang-format off
// The faces of solids near a particle, kept for all sweeps of a substep.
#define POROUS_FACE_FIELDS(X)                                                                                   \
    X(faces,   U1, SCRATCH, "",  "faces of solids near it; POROUS_FACES_MOST + 1: more than are kept")          \
    X(face_1,  V4, SCRATCH, "",  "normal of the first; its companion is the gap to the distance that contact keeps, m") \
    X(face_2,  V4, SCRATCH, "",  "of the second")                                                               \
    X(face_3,  V4, SCRATCH, "",  "of the third")
// clang-format on
typedef struct porous_faces {
    uint8_t*  count;
    shoal_v4* base[POROUS_FACES_MOST];
} porous_faces;
#define POROUS_FACES_OF(v)                                                                                             \
    {                                                                                                                  \
        (v)->faces, { (v)->face_1, (v)->face_2, (v)->face_3 }                                                          \
    }

typedef struct porous_solids {
    int      count;
    float    gap[POROUS_SOLIDS_MOST]; // m, to the distance that contact keeps
    shoal_v3 normal[POROUS_SOLIDS_MOST];
} porous_solids;

SHOAL_FN void porous_solids_add(porous_solids* near, float gap, shoal_v3 normal) {
    if (near->count == POROUS_SOLIDS_MOST) return; // no place for a particle
    near->gap[near->count]      = gap;
    near->normal[near->count++] = normal;
}

// The faces of one collider. Its distance knows of the nearest alone, but in a corner of a vessel there are up to
// three, and two in a slot: the next is the nearest one, as flat as it is there, from where the last is out of reach.
// None is nearer than the nearest: that bounds planes of round solids, and distances of shapes that are scaled by axis,
// which are too short off them. (Planes behind a particle on an ear of 1.4 spacings threw it off with 100 m/s.)
SHOAL_FN void porous_solids_add_faces(porous_solids* near, const shoal_collider* collider, shoal_d3 x, double contact,
                                      double reach) {
    shoal_d3 p       = x, normal;
    double   nearest = 0.0;
    for (int face = 0; face < POROUS_FACES_MOST; face++) {
        double distance = shoal_collider_distance(collider, p, &normal);
        if (!(distance < reach)) return;
        double gap = distance - shoal_d3_dot(normal, shoal_d3_sub(p, x));
        if (face == 0) nearest = distance;
        porous_solids_add(near, (float)(fmax(gap, nearest) - contact), shoal_v3_from(normal));
        p = shoal_d3_add(p, shoal_d3_scale(normal, 1.001 * (reach - distance)));
    }
}

// The solids as they stand at the end of the substep, seen from x, within `reach` of it.
SHOAL_FN porous_solids porous_solids_at(const shoal_world* world, shoal_v3 x, float contact, float reach) {
    porous_solids near;
    near.count = 0;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        int   axis = wall / 2;
        float sign = wall % 2 == 0 ? 1.0f : -1.0f;
        float gap  = sign * (shoal_v3_axis(x, axis) - shoal_v3_axis(wall % 2 == 0 ? world->min : world->max, axis));
        if (!world->is_closed[wall] || gap > reach) continue;
        shoal_v3 normal = shoal_v3_make(0.0f, 0.0f, 0.0f);
        shoal_v3_set_axis(&normal, axis, sign);
        porous_solids_add(&near, gap - contact, normal);
    }
    for (int c = 0; c < world->collider_count; c++) {
        shoal_d3 p = shoal_d3_from(x);
        if (!shoal_box_holds(shoal_box_grown(world->colliders[c].bounds, (double)reach), p)) continue;
        porous_solids_add_faces(&near, &world->colliders[c], p, (double)contact, (double)reach);
    }
    return near;
}

// One that yields where there is no room for all: before the others, which have the last word.
SHOAL_FN void porous_solids_lead(porous_solids* near, float gap, shoal_v3 normal) {
    int last = near->count < POROUS_SOLIDS_MOST ? near->count++ : POROUS_SOLIDS_MOST - 1;
    for (int k = last; k > 0; k--) near->gap[k] = near->gap[k - 1], near->normal[k] = near->normal[k - 1];
    near->gap[0]    = gap;
    near->normal[0] = normal;
}

SHOAL_FN void porous_faces_keep(const porous_faces* faces, int i, const porous_solids* near) {
    faces->count[i] = (uint8_t)(near->count <= POROUS_FACES_MOST ? near->count : POROUS_FACES_MOST + 1);
    for (int k = 0; k < near->count && k < POROUS_FACES_MOST; k++) {
        shoal_v4_set(&faces->base[k][i], near->normal[k]);
        faces->base[k][i].w = near->gap[k];
    }
}
SHOAL_FN porous_solids porous_faces_stored(const porous_faces* faces, int i) {
    porous_solids near;
    near.count = 0;
    for (int k = 0; k < faces->count[i]; k++)
        porous_solids_add(&near, faces->base[k][i].w, shoal_v4_xyz(faces->base[k][i]));
    return near;
}

// What all of them together add to u so that no gap closes within dt; `push`: how much each of them does. *left: the
// deepest that is left, m, where those from `first` on leave no room.
SHOAL_FN shoal_v3 porous_solids_push(const porous_solids* near, int first, shoal_v3 u, float dt,
                                     float push[POROUS_SOLIDS_MOST], float* left) {
    shoal_v3 sum    = {0.0f, 0.0f, 0.0f};
    int      rounds = near->count > 1 ? POROUS_CONTACT_ROUNDS : near->count;
    for (int k = 0; k < near->count; k++) push[k] = 0.0f;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < near->count; k++) {
            float gap  = near->gap[k] + dt * shoal_v3_dot(shoal_v3_add(u, sum), near->normal[k]);
            float more = push[k] - gap / dt;
            more       = more > 0.0f ? more : 0.0f;
            sum        = shoal_v3_add_scaled(sum, near->normal[k], more - push[k]);
            push[k]    = more;
        }
    *left = 0.0f;
    for (int k = first; k < near->count; k++) {
        float gap = near->gap[k] + dt * shoal_v3_dot(shoal_v3_add(u, sum), near->normal[k]);
        if (-gap > *left) *left = -gap;
    }
    return sum;
}

#endif
