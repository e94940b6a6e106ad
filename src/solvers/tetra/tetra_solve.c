// SPDX-License-Identifier: MIT
// Pressure at the vertices makes the velocity free of divergence. A second solve with the same matrix evens out the
// density: it moves places alone, since as a velocity it would make energy from nothing.
#include <math.h>
#include <string.h>

#include "solvers/tetra/tetra_local.h"

enum { BLOCK = 256 };
// Errors of the density beyond this are evened out at once, smaller ones bit by bit: they are partly how particles
// happen to lie. Beside the air only what is denser than liquid by more than AT_AIR is an error.
#define CROWDED 0.25
#define AT_AIR 0.1
// A tetrahedron is beside the air where fewer of the nodes around it are deep.
#define DEEP 0.6
// Of the density's solve; what it leaves is evened out in the next substep.
#define LOOSE 1e-2

typedef struct solve_job {
    tetra*   s;
    shoal_v3 push;
    double   gain, dt;
} solve_job;

static void force_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    solve_job* job = ctx;
    tetra*     s   = job->s;
    for (int t = begin; t < end; t++) s->velocity[t] = shoal_v3_add(s->start[t], job->push);
}

// What passes outwards through the faces at a vertex that is not at the air, a third of each: walls carry along what is
// on them. A face with a vertex at the air alone is no wall but the liquid's surface beside one: it passes what flows
// there. With gravity's push in that flow a pool at rest would drift.
static void outflow_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    tetra*               s    = ctx;
    const shoal_tetmesh* mesh = &s->mesh;
    for (int v = begin; v < end; v++) {
        double sum     = 0.0;
        s->pressure[v] = 0.0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1] && !s->is_air[v]; i++) {
            int t = mesh->incident[i] / 4, own = mesh->incident[i] % 4;
            for (int k = 0; k < 4; k++) {
                if (k == own || mesh->neighbours[t][k] >= 0) continue;
                shoal_d3 area[4], u = {0.0, 0.0, 0.0};
                bool     is_open = false;
                shoal_tet_areas(mesh, t, area);
                for (int l = 0; l < 4; l++) {
                    if (l == k) continue;
                    int o = mesh->tets[t][l];
                    is_open |= s->is_air[o] && !s->is_wall[o];
                    u = shoal_d3_add(u, shoal_d3_scale(shoal_d3_from(s->wall[o].velocity), 1.0 / 3.0));
                }
                if (is_open) u = shoal_d3_from(s->start[t]);
                sum += shoal_d3_dot(u, area[k]) / 3.0;
            }
        }
        s->outflow[v] = (float)sum;
    }
}

// What density asks for, as volume that comes into being, 1/s.
static double source_at(const solve_job* job, shoal_d3 at, tetra_finder* finder) {
    const tetra* s     = job->s;
    double       error = tetra_sample(s, s->even, at, 0.0, finder) - 1.0;
    if (tetra_sample(s, s->deep, at, 0.0, finder) < DEEP) error = fmax(0.0, error - AT_AIR);
    double usual = fmax(-CROWDED, fmin(error, CROWDED)), beyond = fmin(error, 1.5) - usual;
    return (job->gain * usual + beyond) / job->dt;
}

static void source_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    solve_job*   job    = ctx;
    tetra*       s      = job->s;
    tetra_finder finder = {.block = -1};
    for (int t = begin; t < end; t++) {
        s->source[t]     = (float)source_at(job, shoal_tet_centroid(&s->mesh, t), &finder);
        s->correction[t] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    }
}

static shoal_status press(tetra* s) {
    shoal_tet_boundary boundary = {.is_air = s->is_air, .outflow = s->outflow};
    SHOAL_TRY(shoal_tet_projection_assemble(&s->projection, &s->mesh, s->is_air, &s->ctx->exec));
    return shoal_tet_project(&s->projection, &s->mesh, &boundary, (double)s->params.tolerance, &s->ctx->exec,
                             s->velocity, s->pressure);
}

// Viscosity acts on the velocity that pressure has driven already, as in [Batty & Bridson 2008]: else what a substep's
// pressure drives is not held back in it, and a film goes too fast. The push is then given back, so that the projection
// that follows finds the whole pressure.
static shoal_status diffuse_driven(tetra* s, double kick) {
    size_t    bytes = (size_t)s->mesh.tet_count * sizeof(shoal_v3);
    shoal_v3* push;
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&push, (size_t)s->mesh.tet_count, sizeof *push));
    memcpy(push, s->velocity, bytes);
    SHOAL_TRY(press(s));
    for (int t = 0; t < s->mesh.tet_count; t++) push[t] = shoal_v3_sub(push[t], s->velocity[t]);
    SHOAL_TRY(tetra_diffuse(s, kick));
    for (int t = 0; t < s->mesh.tet_count; t++) s->velocity[t] = shoal_v3_add(s->velocity[t], push[t]);
    return SHOAL_OK;
}

shoal_status tetra_project(tetra* s, double dt, double kick) {
    const shoal_exec* exec  = &s->ctx->exec;
    shoal_d3          g     = shoal_d3_scale(s->ctx->description->gravity, kick);
    double            cells = fmax(s->speed * dt / s->edge, 1.0);
    solve_job         job   = {s, shoal_v3_from(g), 1.0 - pow(1.0 - (double)s->params.volume_control, cells), dt};
    shoal_blocks(exec, s->mesh.tet_count, BLOCK, force_block, &job);
    tetra_drag(s, kick);
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, outflow_block, s);
    if (s->params.viscosity && tetra_is_thick(s->ctx->description, &s->params, s->speed))
        SHOAL_TRY(diffuse_driven(s, kick));
    SHOAL_TRY(press(s));
    shoal_cg_end end = s->projection.end;
    shoal_blocks(exec, s->mesh.tet_count, BLOCK, source_block, &job);
    if (job.gain > 0.0) {
        shoal_tet_boundary density = {.is_air = s->is_air, .source = s->source};
        double*            rate;
        SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&rate, (size_t)s->mesh.vertex_count, sizeof *rate));
        for (int v = 0; v < s->mesh.vertex_count; v++) rate[v] = 0.0;
        SHOAL_TRY(shoal_tet_project(&s->projection, &s->mesh, &density, LOOSE, exec, s->correction, rate));
    }
    s->projection.end = end; // what the columns tell is of the pressure
    return SHOAL_OK;
}
