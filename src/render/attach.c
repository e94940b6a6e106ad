// SPDX-License-Identifier: MIT
// Vertices onto walls and into solids, and their normals with them.
#include "render/attach.h"

#include <string.h>

enum { BLOCK = 2048 };
#define REACH 0.8  // spacings; what is nearer to a wall touches it
#define SQUARE 0.5 // more for what faces it squarely: there is room for one particle, which is missing, not for air
#define BEYOND 1.0 // spacings; what is further outside has not come from this side of it
#define INTO 0.05  // spacings into the ground and into solids
#define LAYER 1e-3 // spacings between the layers of two materials
#define FACING 0.5 // cosine of the steepest normal that counts as the wall's own
#define AWAY -0.25 // and of the rim; beyond it is the other side of a film, which stays where it is

typedef struct attach_job {
    shoal_surface_mesh* mesh;
    const shoal_world*  world;
    double              spacing;
    double              into, onto; // m; into the ground and solids, and before the other walls
    uint8_t*            walls;      // [vertex_count] bits of the walls it was pressed on
    uint8_t*            is_flat;    // [triangle_count]
} attach_job;

// How near a vertex has to be to touch, spacings, by the cosine of its normal with the wall's.
static double reach_of(double facing) { return REACH + SQUARE * fmax(facing - FACING, 0.0) / (1.0 - FACING); }

// A vertex whose normal faces the wall gets the wall's; one at the rim keeps what is along the
// wall.
static void turn_normal(shoal_v3* normal, shoal_d3 wall) {
    shoal_d3 n      = shoal_d3_from(*normal);
    double   across = shoal_d3_dot(n, wall);
    n               = across > FACING ? wall : shoal_d3_sub(n, shoal_d3_scale(wall, across));
    double length   = shoal_d3_length(n);
    if (length > 1e-3) *normal = shoal_v3_from(shoal_d3_scale(n, 1.0 / length));
}

static uint8_t attach_to_walls(const attach_job* w, shoal_v3* place, shoal_v3* normal) {
    unsigned walls = 0;
    for (int side = 0; side < SHOAL_WALL_COUNT; side++) {
        if (!w->world->is_closed[side] || side == SHOAL_TOP) continue;
        int    axis    = side / 2;
        double out     = side % 2 ? 1.0 : -1.0;
        double wall    = shoal_d3_axis(side % 2 ? w->world->domain.max : w->world->domain.min, axis);
        double facing  = out * (double)shoal_v3_axis(*normal, axis);
        double outside = out * ((double)shoal_v3_axis(*place, axis) - wall);
        if (outside < -reach_of(facing) * w->spacing || outside > BEYOND * w->spacing || facing < AWAY) continue;
        double into = side == SHOAL_BOTTOM ? w->into : -w->onto;
        shoal_v3_set_axis(place, axis, (float)(wall + out * into));
        turn_normal(normal, shoal_d3_make(axis == 0 ? out : 0.0, axis == 1 ? out : 0.0, axis == 2 ? out : 0.0));
        walls |= 1u << side;
    }
    return (uint8_t)walls;
}

static void attach_to_solids(const attach_job* w, shoal_v3* place, shoal_v3* normal) {
    for (int k = 0; k < w->world->collider_count; k++) {
        const shoal_collider* c = &w->world->colliders[k];
        shoal_d3              p = shoal_d3_from(*place), away;
        if (!shoal_box_holds(shoal_box_grown(c->bounds, (REACH + SQUARE) * w->spacing), p)) continue;
        double   distance = shoal_collider_distance(c, p, &away);
        shoal_d3 wall     = shoal_d3_scale(away, -1.0);
        double   facing   = shoal_d3_dot(shoal_d3_from(*normal), wall);
        if (distance > reach_of(facing) * w->spacing || facing < FACING) continue;
        *place = shoal_v3_from(shoal_d3_add(p, shoal_d3_scale(wall, distance + w->into)));
        turn_normal(normal, wall);
    }
}

static void attach_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const attach_job* w = ctx;
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        shoal_v3 place, normal;
        memcpy(&place, w->mesh->positions + 3 * i, sizeof place);
        memcpy(&normal, w->mesh->normals + 3 * i, sizeof normal);
        attach_to_solids(w, &place, &normal);
        w->walls[i] = attach_to_walls(w, &place, &normal);
        memcpy(w->mesh->positions + 3 * i, &place, sizeof place);
        memcpy(w->mesh->normals + 3 * i, &normal, sizeof normal);
    }
}

static void flat_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const attach_job* w = ctx;
    for (size_t t = (size_t)begin; t < (size_t)end; t++) {
        const int* corner = w->mesh->triangles + 3 * t;
        w->is_flat[t]     = (w->walls[corner[0]] & w->walls[corner[1]] & w->walls[corner[2]]) != 0;
    }
}

shoal_status render_attach(shoal_surface_mesh* mesh, const shoal_world* world, double spacing, int layer,
                           const shoal_exec* exec, uint8_t** is_flat) {
    attach_job w = {.mesh    = mesh,
                    .world   = world,
                    .spacing = spacing,
                    .into    = (INTO - LAYER * layer) * spacing,
                    .onto    = LAYER * layer * spacing};
    *is_flat     = NULL;
    w.walls      = shoal_alloc((size_t)mesh->vertex_count + 1, sizeof *w.walls);
    w.is_flat    = shoal_alloc((size_t)mesh->triangle_count + 1, sizeof *w.is_flat);
    if (!w.walls || !w.is_flat) {
        shoal_free(w.is_flat);
        shoal_free(w.walls);
        return SHOAL_ERR_MEMORY;
    }
    shoal_blocks(exec, mesh->vertex_count, BLOCK, attach_block, &w);
    shoal_blocks(exec, mesh->triangle_count, BLOCK, flat_block, &w);
    shoal_free(w.walls);
    *is_flat = w.is_flat;
    return SHOAL_OK;
}
