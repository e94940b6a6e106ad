// SPDX-License-Identifier: MIT
#include "tet/flow.h"

#include <math.h>

enum { BLOCK = 256 };

typedef struct vertex_job {
    const shoal_tetmesh*  mesh;
    const shoal_v3*       velocity;
    const shoal_tet_wall* wall;
    shoal_v3*             vertex_velocity;
} vertex_job;

static shoal_d3 at_wall(const shoal_tet_wall* w, shoal_d3 u) {
    shoal_d3 normal = shoal_d3_from(w->normal), wall = shoal_d3_from(w->velocity);
    if (shoal_d3_dot(normal, normal) == 0.0) return u;
    if (w->is_sticky) return wall;
    // what comes towards the wall is stopped, and takes of the slip along it what Coulomb's law says
    shoal_d3 relative = shoal_d3_sub(u, wall);
    double   towards  = -shoal_d3_dot(relative, normal);
    shoal_d3 slip     = shoal_d3_add(relative, shoal_d3_scale(normal, towards));
    double   most = (double)w->friction * fmax(towards, 0.0), length = shoal_d3_length(slip);
    return shoal_d3_add(wall, shoal_d3_scale(slip, most < length ? 1.0 - most / length : length > 0.0 ? 0.0 : 1.0));
}

static void vertex_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const vertex_job*    job  = ctx;
    const shoal_tetmesh* mesh = job->mesh;
    for (int v = begin; v < end; v++) {
        shoal_d3 u   = {0.0, 0.0, 0.0};
        double   all = 0.0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            shoal_d3 area[4];
            double   volume = shoal_tet_areas(mesh, mesh->incident[i] / 4, area);
            u = shoal_d3_add(u, shoal_d3_scale(shoal_d3_from(job->velocity[mesh->incident[i] / 4]), volume));
            all += volume;
        }
        if (all > 0.0) u = shoal_d3_scale(u, 1.0 / all);
        job->vertex_velocity[v] = shoal_v3_from(job->wall ? at_wall(&job->wall[v], u) : u);
    }
}

void shoal_tet_vertex_velocities(const shoal_tetmesh* mesh, const shoal_v3* velocity, const shoal_tet_wall* wall,
                                 const shoal_exec* exec, shoal_v3* vertex_velocity) {
    vertex_job job = {mesh, velocity, wall, vertex_velocity};
    shoal_blocks(exec, mesh->vertex_count, BLOCK, vertex_block, &job);
}
