// SPDX-License-Identifier: MIT
// What walls that move push through the faces at the border of a mesh. A face on a wall takes part in its motion. Where
// two walls meet, a vertex has the velocity of one of them, and the edge between them is cut off by faces that lie on
// neither: what passes there is what both let pass, or a load that is lifted between walls would be held at its edges.
#include "tet/liquid_local.h"

#include <math.h>

enum { BLOCK = 256 };

#define LEAST_ALONE 0.05 // of the square of a normal that those before it have not
#define SAME_WALL 0.9    // a cosine: of so like normals the walls are one

typedef struct boundary_job {
    const shoal_tet_state* state;
    const shoal_tet_walls* walls;
    float*                 outflow; // [vertices]
} boundary_job;

// Changes u as little as possible so that along each of up to three normals it is as given. Of walls that face each
// other across a gap, or normals in one plane, those that come first count.
static shoal_d3 constrained(shoal_d3 u, const shoal_d3* normal, const double* speed, int count) {
    shoal_d3 own[3]; // normals, each without those before it
    int      owned = 0;
    for (int i = 0; i < count; i++) {
        shoal_d3 rest = normal[i];
        for (int j = 0; j < owned; j++)
            rest = shoal_d3_sub(rest,
                                shoal_d3_scale(own[j], shoal_d3_dot(normal[i], own[j]) / shoal_d3_dot(own[j], own[j])));
        double alone = shoal_d3_dot(rest, normal[i]);
        if (alone < LEAST_ALONE) continue;
        u            = shoal_d3_add(u, shoal_d3_scale(rest, (speed[i] - shoal_d3_dot(u, normal[i])) / alone));
        own[owned++] = rest;
    }
    return u;
}

// The volume that passes outwards through face k of a tetrahedron, by time.
static double through_face(const boundary_job* job, int t, int k, shoal_d3 area) {
    const shoal_tet_state* s   = job->state;
    shoal_d3               sum = {0.0, 0.0, 0.0}, normal[3];
    double                 speed[3];
    int                    count = 0, on_walls = 0;
    for (int l = 0; l < 4; l++) {
        int w = l == k ? -1 : job->walls->of[s->mesh.tets[t][l]];
        if (w < 0) continue;
        shoal_d3 n = shoal_d3_from(job->walls->wall[w].normal), u = shoal_d3_from(job->walls->wall[w].velocity);
        bool     is_new = true;
        on_walls++;
        sum = shoal_d3_add(sum, u);
        for (int i = 0; i < count; i++) is_new &= shoal_d3_dot(n, normal[i]) < SAME_WALL;
        if (!is_new || !(shoal_d3_dot(n, n) > 0.25)) continue;
        normal[count]  = n;
        speed[count++] = shoal_d3_dot(u, n);
    }
    if (on_walls < 3 || count < 2) return shoal_d3_dot(sum, area) / 3.0;
    return shoal_d3_dot(constrained(shoal_d3_make(0.0, 0.0, 0.0), normal, speed, count), area);
}

static void through_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    boundary_job*        job  = ctx;
    const shoal_tetmesh* mesh = &job->state->mesh;
    for (int v = begin; v < end; v++) {
        double sum = 0.0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            int      t = mesh->incident[i] / 4, own = mesh->incident[i] % 4;
            shoal_d3 area[4];
            bool     is_known = false;
            for (int k = 0; k < 4; k++) {
                if (k == own || mesh->neighbours[t][k] >= 0 || job->state->is_air[v]) continue;
                if (!is_known) shoal_tet_areas(mesh, t, area);
                is_known = true;
                sum += through_face(job, t, k, area[k]) / 3.0;
            }
        }
        job->outflow[v] = (float)sum;
    }
}

static shoal_status let_through(shoal_tet_liquid* l, const shoal_tet_walls* walls, const shoal_exec* exec) {
    shoal_tet_state* s = &l->states[l->current];
    SHOAL_TRY(liquid_find_neighbours(l, s, false, exec));
    SHOAL_TRY(shoal_reserve((void**)&l->outflow, &l->outflow_capacity, s->mesh.vertex_count, sizeof *l->outflow));
    boundary_job job = {s, walls, l->outflow};
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, through_block, &job);
    return SHOAL_OK;
}

shoal_status liquid_boundary_by(shoal_tet_liquid* l, const shoal_tet_walls* walls, const shoal_exec* exec,
                                shoal_tet_boundary* boundary) {
    const shoal_tet_state* s         = shoal_tet_current(l);
    bool                   is_moving = false;
    for (int v = 0; v < s->mesh.vertex_count; v++) {
        shoal_v3 u = liquid_velocity_of_wall(walls, v);
        is_moving |= shoal_v3_dot(u, u) > 0.0f;
    }
    if (is_moving) {
        SHOAL_TRY(shoal_reserve((void**)&l->wall, &l->wall_scratch_capacity, s->mesh.vertex_count, sizeof *l->wall));
        for (int v = 0; v < s->mesh.vertex_count; v++) l->wall[v] = liquid_velocity_of_wall(walls, v);
        SHOAL_TRY(let_through(l, walls, exec));
    }
    *boundary = (shoal_tet_boundary){
        .is_air = s->is_air, .wall = is_moving ? l->wall : NULL, .outflow = is_moving ? l->outflow : NULL};
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_boundary(shoal_tet_liquid* l, const shoal_exec* exec, shoal_tet_boundary* boundary) {
    const shoal_tet_state* s = shoal_tet_current(l);
    SHOAL_TRY(liquid_boundary_by(l, &s->walls, exec, boundary));
    boundary->source = l->source_state == s ? l->source : NULL;
    return SHOAL_OK;
}
