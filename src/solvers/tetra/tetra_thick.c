// SPDX-License-Identifier: MIT
// Viscosity: along smooth walls, by a boundary layer thinner than a tetrahedron, and inside liquids that are thick.
#include <math.h>

#include "math/boundary_layer.h"
#include "solvers/tetra/tetra_local.h"

enum { BLOCK = 256 };
// Reynolds number of an edge beyond which viscosity does less than the transfers do: half a percent in the time in
// which an edge is crossed.
#define EDGE_REYNOLDS 100.0
// How far off its wall the liquid is whose velocity is that of a tetrahedron there, in edges: the mean of the particles
// around it.
#define FROM_WALL 0.35f
#define TOLERANCE 1e-5
// Eigenvalue of the Laplacian over a tetrahedron of the lattice, times edge^2: waves as long as its height, edge /
// sqrt(2).
#define ACROSS 79.0

static double viscosity_of(const tetra* s) {
    const shoal_material* liquid = tetra_liquid(s->ctx->description);
    return (double)liquid->viscosity / (double)liquid->density;
}

bool tetra_is_thick(const shoal_description* d, const tetra_params* params, double speed) {
    const shoal_material* liquid = tetra_liquid(d);
    double                edge = (double)params->cell * d->spacing, wave = sqrt(shoal_d3_length(d->gravity) * edge);
    return (speed + wave) * edge <= EDGE_REYNOLDS * (double)liquid->viscosity / (double)liquid->density;
}

// ---------------------------------------------------------------------------------- along walls

typedef struct drag_job {
    tetra* s;
    float  viscosity, dt;
} drag_job;

// The area of the faces on walls that drag, m^2, and the velocity of these.
static double area_on_walls(const tetra* s, int t, shoal_d3* velocity) {
    shoal_d3 area[4];
    double   all = 0.0;
    *velocity    = shoal_d3_make(0.0, 0.0, 0.0);
    shoal_tet_areas(&s->mesh, t, area);
    for (int k = 0; k < 4; k++) {
        if (s->mesh.neighbours[t][k] >= 0) continue;
        bool     is_wall = true;
        double   a       = shoal_d3_length(area[k]);
        shoal_d3 u       = {0.0, 0.0, 0.0};
        for (int l = 0; l < 4; l++) {
            const tetra_wall* wall = &s->wall[s->mesh.tets[t][l]];
            if (l == k) continue;
            is_wall = is_wall && s->is_wall[s->mesh.tets[t][l]] && wall->drags;
            u       = shoal_d3_add(u, shoal_d3_scale(shoal_d3_from(wall->velocity), 1.0 / 3.0));
        }
        if (!is_wall) continue;
        *velocity = shoal_d3_add(*velocity, shoal_d3_scale(u, a));
        all += a;
    }
    if (all > 0.0) *velocity = shoal_d3_scale(*velocity, 1.0 / all);
    return all;
}

static void drag_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const drag_job* job = ctx;
    tetra*          s   = job->s;
    for (int t = begin; t < end; t++) {
        bool is_beside = false;
        for (int k = 0; k < 4; k++) is_beside = is_beside || s->is_wall[s->mesh.tets[t][k]];
        if (!is_beside) continue;
        shoal_d3 wall;
        double   area = area_on_walls(s, t, &wall);
        if (area == 0.0) continue;
        // it is the velocity before forces that slides: what weight adds, pressure takes away
        shoal_v3 slide = shoal_v3_sub(s->start[t], shoal_v3_from(wall));
        float    speed = shoal_v3_length(slide);
        if (!(speed > 0.0f)) continue;
        float shear    = shoal_boundary_layer_shear(speed, FROM_WALL * (float)s->edge, job->viscosity);
        float part     = job->dt * shear * (float)(area / s->volume[t]) / speed;
        s->velocity[t] = shoal_v3_sub(s->velocity[t], shoal_v3_scale(slide, part / (1.0f + part)));
    }
}

void tetra_drag(tetra* s, double dt) {
    drag_job job = {s, (float)viscosity_of(s), (float)dt};
    if (s->params.boundary_layer && job.viscosity > 0.0f)
        shoal_blocks(&s->ctx->exec, s->mesh.tet_count, BLOCK, drag_block, &job);
}

// ---------------------------------------------------------------------------------- inside

shoal_status tetra_diffuse(tetra* s, double dt) {
    const shoal_tetmesh* mesh = &s->mesh;
    size_t               n    = (size_t)mesh->vertex_count;
    shoal_v3 *           at, *before;
    uint8_t*             held;
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&at, n, sizeof *at));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&before, n, sizeof *before));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&held, n, 1));
    for (int v = 0; v < mesh->vertex_count; v++) {
        shoal_d3 sum = {0.0, 0.0, 0.0};
        double   all = 0.0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            int t = mesh->incident[i] / 4;
            sum   = shoal_d3_add(sum, shoal_d3_scale(shoal_d3_from(s->velocity[t]), s->volume[t]));
            all += s->volume[t];
        }
        before[v] = shoal_v3_from(shoal_d3_scale(sum, 1.0 / all));
        held[v]   = s->is_wall[v] && s->wall[v].is_sticky;
        at[v]     = held[v] ? s->wall[v].velocity : before[v];
    }
    SHOAL_TRY(shoal_tet_diffuse(&s->projection, mesh, held, viscosity_of(s) * dt, TOLERANCE, &s->ctx->exec, at));
    // what differs within a tetrahedron diffuses across it
    double left = 1.0 / (1.0 + ACROSS * viscosity_of(s) * dt / (s->edge * s->edge));
    for (int t = 0; t < mesh->tet_count; t++) {
        shoal_d3 own   = shoal_d3_sub(shoal_d3_from(s->velocity[t]), shoal_tet_vertex_mean(mesh, t, before));
        s->velocity[t] = shoal_v3_from(shoal_d3_add(shoal_tet_vertex_mean(mesh, t, at), shoal_d3_scale(own, left)));
    }
    return SHOAL_OK;
}
