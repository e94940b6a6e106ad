// SPDX-License-Identifier: MIT
// Solids that move otherwise than in the step before strike the liquid, whose velocities pressure has made to fit how
// they moved. Carried by these the surface would let a floor that begins to rise swallow what it goes in a step (a
// tenth of a pool of ten spacings), and one that stops leave a gap. So an impulse of pressure comes first [Batchelor
// 1967, 6.10]: a flow without divergence that is at the walls what their velocities have changed by. It is added to
// copies: a step that fails has changed nothing.
#include "tet/liquid_local.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256 };

// Walls that change by less in a step, in cells of the surface, are left as they are.
#define STRIKE_LEAST 0.02

typedef struct strike_job {
    shoal_tet_liquid*       l;
    const shoal_tet_solids* before;
    double                  dt;
} strike_job;

// What the walls of the vertices change by; the largest way of it that the liquid takes part in.
static double change_block(void* ctx, int begin, int end) {
    const strike_job*      job  = ctx;
    const shoal_tet_state* s    = shoal_tet_current(job->l);
    double                 most = 0.0;
    for (int v = begin; v < end; v++) {
        int            w = s->walls.of[v];
        shoal_tet_wall now;
        if (w < 0) continue;
        job->before->distance(job->before->ctx, s->mesh.position[v], &now);
        shoal_tet_wall* wall = &job->l->struck_wall[w];
        *wall                = s->walls.wall[w];
        wall->velocity       = shoal_v3_sub(now.velocity, wall->velocity);
        shoal_d3 u           = shoal_d3_from(wall->velocity);
        double   along = wall->is_sticky ? shoal_d3_length(u) : fabs(shoal_d3_dot(u, shoal_d3_from(wall->normal)));
        most           = fmax(most, along * job->dt);
    }
    return most;
}

// The flow that the change brings about, to `struck`; the largest solve of a step, in the scratch of its last one.
static shoal_status push(shoal_tet_liquid* l, const shoal_tet_walls* change, double tolerance, const shoal_exec* exec) {
    const shoal_tet_state* s = shoal_tet_current(l);
    shoal_tet_boundary     boundary;
    double*                pressure;
    SHOAL_TRY(shoal_arena_make(&l->arena, (void**)&pressure, (size_t)s->mesh.vertex_count, sizeof *pressure));
    for (int v = 0; v < s->mesh.vertex_count; v++) pressure[v] = 0.0;
    memset(l->struck, 0, (size_t)s->mesh.tet_count * sizeof *l->struck);
    SHOAL_TRY(shoal_tet_projection_assemble(&l->projection, &s->mesh, s->is_air, exec));
    SHOAL_TRY(liquid_boundary_by(l, change, exec, &boundary));
    return shoal_tet_project(&l->projection, &s->mesh, &boundary, tolerance, exec, l->struck, pressure);
}

static void add_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_tet_liquid*      l = ctx;
    const shoal_tet_state* s = shoal_tet_current(l);
    for (int t = begin; t < end; t++) l->struck[t] = shoal_v3_add(s->velocity[t], l->struck[t]);
}

shoal_status liquid_strike(shoal_tet_liquid* l, const shoal_tet_solids* before, double dt, double tolerance,
                           const shoal_exec* exec) {
    shoal_tet_state* s     = &l->states[l->current];
    strike_job       job   = {l, before, dt};
    int              count = 0;
    for (int v = 0; v < s->mesh.vertex_count; v++)
        if (s->walls.of[v] >= count) count = s->walls.of[v] + 1;
    if (count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_reserve((void**)&l->struck_wall, &l->struck_wall_capacity, count, sizeof *l->struck_wall));
    double most = shoal_max(exec, s->mesh.vertex_count, change_block, &job);
    if (!(most > STRIKE_LEAST * s->band.grid.cell)) return SHOAL_OK;
    SHOAL_TRY(shoal_reserve((void**)&l->struck, &l->struck_capacity, s->mesh.tet_count, sizeof *l->struck));
    SHOAL_TRY(liquid_find_neighbours(l, s, false, exec));
    shoal_tet_walls change = {s->walls.of, l->struck_wall};
    shoal_status    status = push(l, &change, tolerance, exec);
    shoal_tet_liquid_rest(l);
    SHOAL_TRY(status);
    shoal_blocks(exec, s->mesh.tet_count, BLOCK, add_block, l);
    for (int v = 0; v < s->mesh.vertex_count; v++) {
        int w = s->walls.of[v];
        if (w >= 0) l->struck_wall[w].velocity = shoal_v3_add(s->walls.wall[w].velocity, l->struck_wall[w].velocity);
    }
    l->is_struck = true;
    return SHOAL_OK;
}
