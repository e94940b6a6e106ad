// SPDX-License-Identifier: MIT
// Velocities of particles to tetrahedra, as means with the gradients that particles carry [Jiang et al. 2015], and of
// tetrahedra to vertices.
#include <string.h>

#include "exec/pass.h"
#include "math/lanes.h"

#include "mac/mac_touch.h"
#include "solvers/tetra/tetra_local.h"

enum { BLOCK = 256, SPREAD_MOST = 6 };
// Of what the means at the vertices have lost, what they get back. A wave of 25 edges loses 6 % of its height in a
// period without, 3 % with one half; with all of it short waves grow.
#define SHARPNESS 0.5

typedef struct gather_job {
    tetra_gather g;
    uint8_t*     next; // [tets] what is known once more have got theirs
} gather_job;

// The arrays of the particles one by one, so that rows of them can be read sixteen at a time.
typedef struct spread_out_job {
    const shoal_v3* from[TETRA_GATHERED / 3];
    float* const*   to;
} spread_out_job;

static void spread_out_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const spread_out_job* job = ctx;
    for (int k = 0; k < TETRA_GATHERED / 3; k++)
        for (int i = begin; i < end; i++) {
            job->to[3 * k][i]     = job->from[k][i].x;
            job->to[3 * k + 1][i] = job->from[k][i].y;
            job->to[3 * k + 2][i] = job->from[k][i].z;
        }
}

// Tetrahedra without particles get the velocity of those beside them.
static void spread_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    gather_job*    job   = ctx;
    tetra*         s     = job->g.s;
    const uint8_t* known = job->g.known;
    for (int t = begin; t < end; t++) {
        job->next[t] = known[t];
        if (known[t]) continue;
        shoal_v3 sum   = {0.0f, 0.0f, 0.0f};
        int      count = 0;
        for (int k = 0; k < 4; k++) {
            int o = s->mesh.neighbours[t][k];
            if (o >= 0 && known[o]) sum = shoal_v3_add(sum, s->start[o]), count++;
        }
        if (count > 0) s->start[t] = shoal_v3_scale(sum, 1.0f / (float)count), job->next[t] = 1;
    }
}

SHOAL_ISA_SETS(TETRA_WIDE_LOOP_ROW, tetra_wide)

static shoal_block_fn gather_of(shoal_isa_kind isa) {
    static const shoal_by_isa loops = {{SHOAL_WIDE_ROWS(tetra_wide)}};
    return *(const shoal_block_fn*)shoal_isa_choose(&loops, isa);
}

shoal_status tetra_gather_velocities(tetra* s) {
    static const char* const names[TETRA_GATHERED / 3] = {"position", "velocity", "affine_x", "affine_y", "affine_z"};
    const shoal_set*         set                       = s->ctx->particles;
    int                      tets                      = s->mesh.tet_count;
    gather_job               job                       = {.g = {.s = s}};
    spread_out_job           out                       = {.to = job.g.of};
    size_t                   mark                      = s->arena.used;
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.g.known, (size_t)tets, 1));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.next, (size_t)tets, 1));
    for (int k = 0; k < TETRA_GATHERED; k++)
        SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.g.of[k], (size_t)set->count + SHOAL_LANES, sizeof(float)));
    for (int k = 0; k < TETRA_GATHERED; k++)
        memset(job.g.of[k] + set->count, 0, SHOAL_LANES * sizeof(float)); // read, and not taken
    for (int k = 0; k < TETRA_GATHERED / 3; k++) out.from[k] = shoal_set_read(set, names[k]);
    shoal_blocks(&s->ctx->exec, set->count, 4096, spread_out_block, &out);
    shoal_blocks(&s->ctx->exec, tets, BLOCK, gather_of(s->ctx->isa), &job.g);
    for (int round = 0; round < SPREAD_MOST; round++) {
        int unknown = 0;
        for (int t = 0; t < tets; t++) unknown += !job.g.known[t];
        if (unknown == 0) break;
        shoal_blocks(&s->ctx->exec, tets, BLOCK, spread_block, &job);
        uint8_t* known = job.g.known;
        job.g.known = job.next, job.next = known;
    }
    shoal_arena_back(&s->arena, mark);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- vertices

typedef struct slope_job {
    tetra*    s;
    shoal_v3* slope; // [tets][3] m^3/s
    double    load;  // m/s that a substep presses onto solids
    shoal_v3  push;  // m/s by gravity
} slope_job;

// A velocity on a solid, without what goes into it. Where there is air as well it may leave.
static shoal_v3 along_wall(shoal_v3 u, shoal_v3 wall, shoal_v3 normal, bool may_leave) {
    float off = shoal_v3_dot(shoal_v3_sub(u, wall), normal);
    return may_leave && off > 0.0f ? u : shoal_v3_sub(u, shoal_v3_scale(normal, off));
}

// Means over the tetrahedra around, by volume.
static void mean_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const slope_job*     job  = ctx;
    tetra*               s    = job->s;
    const shoal_tetmesh* mesh = &s->mesh;
    for (int v = begin; v < end; v++) {
        shoal_d3 mean = {0.0, 0.0, 0.0}, shift = mean, before = mean;
        double   all = 0.0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            int    t = mesh->incident[i] / 4;
            double w = s->volume[t];
            mean     = shoal_d3_add(mean, shoal_d3_scale(shoal_d3_from(s->velocity[t]), w));
            shift    = shoal_d3_add(shift, shoal_d3_scale(shoal_d3_from(s->correction[t]), w));
            before   = shoal_d3_add(before, shoal_d3_scale(shoal_d3_from(s->start[t]), w));
            all += w;
        }
        s->mean[v]   = shoal_v3_from(shoal_d3_scale(mean, 1.0 / all));
        s->shift[v]  = shoal_v3_from(shoal_d3_scale(shift, 1.0 / all));
        s->change[v] = shoal_v3_sub(shoal_v3_from(shoal_d3_scale(shoal_d3_sub(mean, before), 1.0 / all)), job->push);
        if (!s->is_wall[v]) continue;
        s->mean[v]  = along_wall(s->mean[v], s->wall[v].velocity, s->wall[v].normal, s->is_air[v]);
        s->shift[v] = along_wall(s->shift[v], shoal_v3_make(0.0f, 0.0f, 0.0f), s->wall[v].normal, false);
    }
}

// What a tetrahedron has more than the means at its vertices say.
static void lost_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    tetra* s = ctx;
    for (int t = begin; t < end; t++)
        s->lost[t] =
            shoal_v3_from(shoal_d3_sub(shoal_d3_from(s->velocity[t]), shoal_tet_vertex_mean(&s->mesh, t, s->mean)));
}

// What touching its solid leaves of a velocity.
static shoal_v3 rubbed(shoal_v3 u, const tetra_wall* wall, double load, bool may_leave) {
    shoal_touch touch = {
        .normal = shoal_d3_from(wall->normal), .friction = (double)wall->friction, .is_sticky = wall->is_sticky};
    shoal_d3 rest = shoal_touch_friction(&touch, shoal_d3_from(shoal_v3_sub(u, wall->velocity)), load, may_leave);
    return shoal_v3_add(wall->velocity, shoal_v3_from(rest));
}

static void sharpen_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const slope_job*     job  = ctx;
    tetra*               s    = job->s;
    const shoal_tetmesh* mesh = &s->mesh;
    for (int v = begin; v < end; v++) {
        shoal_d3 sum = {0.0, 0.0, 0.0};
        double   all = 0.0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1] && !s->is_air[v]; i++) {
            int t = mesh->incident[i] / 4;
            sum   = shoal_d3_add(sum, shoal_d3_scale(shoal_d3_from(s->lost[t]), s->volume[t]));
            all += s->volume[t];
        }
        if (all > 0.0) s->mean[v] = shoal_v3_add(s->mean[v], shoal_v3_from(shoal_d3_scale(sum, SHARPNESS / all)));
        if (s->is_wall[v]) s->mean[v] = rubbed(s->mean[v], &s->wall[v], job->load, s->is_air[v]);
    }
}

// Times its volume: the gradient of the velocity in a tetrahedron, a row for each component.
static void slope_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    slope_job* job = ctx;
    tetra*     s   = job->s;
    for (int t = begin; t < end; t++) {
        shoal_d3 area[4], g[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        shoal_tet_areas(&s->mesh, t, area);
        for (int k = 0; k < 4; k++) {
            shoal_v3 u = s->mean[s->mesh.tets[t][k]];
            g[0]       = shoal_d3_add(g[0], shoal_d3_scale(area[k], -(double)u.x / 3.0));
            g[1]       = shoal_d3_add(g[1], shoal_d3_scale(area[k], -(double)u.y / 3.0));
            g[2]       = shoal_d3_add(g[2], shoal_d3_scale(area[k], -(double)u.z / 3.0));
        }
        for (int a = 0; a < 3; a++) job->slope[3 * t + a] = shoal_v3_from(g[a]);
    }
}

// By volume: that of a sliver at the surface is as large as it is thin.
static void gradient_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const slope_job*     job  = ctx;
    tetra*               s    = job->s;
    const shoal_tetmesh* mesh = &s->mesh;
    for (int v = begin; v < end; v++) {
        shoal_d3 sum[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        double   all    = 0.0;
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            int t = mesh->incident[i] / 4;
            all += s->volume[t];
            for (int a = 0; a < 3; a++) sum[a] = shoal_d3_add(sum[a], shoal_d3_from(job->slope[3 * t + a]));
        }
        for (int a = 0; a < 3; a++) s->gradient[a][v] = shoal_v3_from(shoal_d3_scale(sum[a], 1.0 / all));
    }
}

shoal_status tetra_find_means(tetra* s, double kick) {
    const shoal_exec* exec = &s->ctx->exec;
    shoal_d3          g    = shoal_d3_scale(s->ctx->description->gravity, kick);
    slope_job         job  = {.s = s, .load = shoal_d3_length(g), .push = shoal_v3_from(g)};
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.slope, 3 * (size_t)s->mesh.tet_count, sizeof *job.slope));
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, mean_block, &job);
    shoal_blocks(exec, s->mesh.tet_count, BLOCK, lost_block, s);
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, sharpen_block, &job);
    shoal_blocks(exec, s->mesh.tet_count, BLOCK, slope_block, &job);
    shoal_blocks(exec, s->mesh.vertex_count, BLOCK, gradient_block, &job);
    return SHOAL_OK;
}
