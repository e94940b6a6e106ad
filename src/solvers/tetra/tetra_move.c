// SPDX-License-Identifier: MIT
// Particles take their velocities from the mesh and go on through it; in the air they fly.
#include <math.h>
#include <string.h>

#include "mac/mac_stop.h"
#include "solvers/tetra/tetra_local.h"

enum { BLOCK = 4096 };
// Particles stay this far from solids, in edges.
#define MARGIN 0.01
// How far off the mesh a place within the liquid can be, in edges: where the surface meets a wall the mesh has a
// chamfer.
#define CHAMFER 1.0
// The density moves a particle no farther than this in a substep, in edges.
#define SHIFT_MOST 0.5
// Pairs nearer than this, in spacings, move apart by half of what they lack.
#define PAIR_LEAST 0.8f

// ---------------------------------------------------------------------------------- pairs

typedef struct part_job {
    tetra*          s;
    shoal_v3*       position;
    const shoal_v3* from;
    float           reach;
} part_job;

static shoal_v3 parted(const part_job* job, int i, int begin, int end) {
    shoal_v3 sum = {0.0f, 0.0f, 0.0f};
    for (int j = begin; j < end; j++) {
        shoal_v3 d  = shoal_v3_sub(job->from[i], job->from[j]);
        float    d2 = shoal_v3_dot(d, d);
        if (j == i || d2 >= job->reach * job->reach) continue;
        float length = sqrtf(d2) + 1e-6f * job->reach;
        sum          = shoal_v3_add(sum, shoal_v3_scale(d, 0.25f * (job->reach - length) / length));
    }
    return sum;
}

// Two particles that lie closer than they would by themselves: no mean over a tetrahedron sees it.
static void part_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    part_job*    job = ctx;
    const tetra* s   = job->s;
    double       r   = (double)job->reach;
    for (int i = begin; i < end; i++) {
        shoal_d3 at  = shoal_d3_from(job->from[i]);
        shoal_v3 sum = {0.0f, 0.0f, 0.0f};
        int      low[3], high[3];
        tetra_cell_of(s, shoal_d3_sub(at, shoal_d3_make(r, r, r)), low);
        tetra_cell_of(s, shoal_d3_add(at, shoal_d3_make(r, r, r)), high);
        int home = tetra_block_of(s, low), corner[3] = {low[0] >> 2, low[1] >> 2, low[2] >> 2};
        for (int z = low[2]; z <= high[2]; z++)
            for (int y = low[1]; y <= high[1]; y++)
                for (int x = low[0]; x <= high[0]; x++) {
                    int cell[3] = {x, y, z};
                    int block   = x >> 2 == corner[0] && y >> 2 == corner[1] && z >> 2 == corner[2]
                                      ? home
                                      : tetra_block_of(s, cell);
                    if (block < 0) continue;
                    const int* first = s->first + TETRA_IN * (size_t)block + ((z & 3) << 4 | (y & 3) << 2 | (x & 3));
                    sum              = shoal_v3_add(sum, parted(job, i, first[0], first[1]));
                }
        job->position[i] = shoal_v3_add(job->from[i], sum);
    }
}

shoal_status tetra_part_pairs(tetra* s) {
    shoal_set* set = s->ctx->particles;
    part_job   job = {s, shoal_set_data(set, "position"), NULL, PAIR_LEAST * (float)s->ctx->description->spacing};
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&s->came, (size_t)set->count, sizeof *s->came));
    memcpy(s->came, job.position, (size_t)set->count * sizeof *s->came);
    job.from = s->came;
    shoal_blocks(&s->ctx->exec, set->count, BLOCK, part_block, &job);
    tetra_push_out(s, &s->begin, s->came);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- out of solids

void tetra_push_out(tetra* s, const shoal_world* world, const shoal_v3* from) {
    shoal_set*          set     = s->ctx->particles;
    shoal_mac_particles view    = {.position = shoal_set_data(set, "position"),
                                   .velocity = shoal_set_data(set, "velocity"),
                                   .material = shoal_set_read(set, "material")};
    shoal_mac_passage   passage = {from, s->before, MAC_DEEP * s->edge, MAC_DEEP_THICK * s->edge};
    shoal_mac_push_out(&s->ctx->exec, world, SHOAL_LIQUID, &view, set->count, (float)(MARGIN * s->edge),
                       from && world->collider_count > 0 ? &passage : NULL);
}

// ---------------------------------------------------------------------------------- through the mesh

typedef struct move_job {
    tetra*    s;
    shoal_v3 *position, *velocity, *affine[3];
    float *   density, *pressure;
    double    to_pascals;     // from the pressure of the solve
    double    dt, rest, kept; // rest: kg/m^3; kept: see tetra_kept
    shoal_d3  push;
    int*      part;    // [tets] number of the part of the mesh that hangs together with it
    int*      part_of; // [particles] -1: it flies
    shoal_v3* bend;    // [particles] m/s; mean velocity over the way, less that of its beginning
    shoal_d3* drift;   // [parts] mean of it, of those that touch no solid
    uint8_t*  is_held; // [parts]
} move_job;

// The tetrahedron that a place of the liquid is in, or that is nearest where the mesh does not quite reach it; -1:
// none.
static int find(const tetra* s, shoal_d3 at, double b[4]) {
    int t = shoal_tet_locate(&s->flow, at, b);
    if (t < 0) return -1;
    shoal_d3 off = at;
    for (int k = 0; k < 4; k++) off = shoal_d3_sub(off, shoal_d3_scale(s->mesh.position[s->mesh.tets[t][k]], b[k]));
    return shoal_d3_dot(off, off) < CHAMFER * CHAMFER * s->edge * s->edge ? t : -1;
}

static shoal_d3 between(const tetra* s, int t, const double b[4], const shoal_v3* of) {
    shoal_d3 u = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++) u = shoal_d3_add(u, shoal_d3_scale(shoal_d3_from(of[s->mesh.tets[t][k]]), b[k]));
    return u;
}

static void fly(move_job* job, int i) {
    shoal_d3 at = shoal_d3_from(job->position[i]), v = shoal_d3_add(shoal_d3_from(job->velocity[i]), job->push);
    for (int a = 0; a < 3; a++) job->affine[a][i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    job->part_of[i]  = -1;
    job->pressure[i] = 0.0f;
    job->velocity[i] = shoal_v3_from(v);
    job->position[i] = shoal_v3_from(shoal_d3_add(at, shoal_d3_scale(v, job->dt)));
}

// Velocity and its gradient: those of the mesh, and some of its own with what has changed around it [Brackbill & Ruppel
// 1986]. Place: by the velocity of the mesh, and by what density asks for.
static void flow(move_job* job, int i, int t, const double b[4]) {
    const tetra* s  = job->s;
    shoal_d3     at = shoal_d3_from(job->position[i]), mean = between(s, t, b, s->mean);
    double       middle[4];
    shoal_d3 own = shoal_d3_add(shoal_d3_add(shoal_d3_from(job->velocity[i]), job->push), between(s, t, b, s->change));
    for (int a = 0; a < 3; a++)
        job->affine[a][i] =
            shoal_v3_from(shoal_d3_add(shoal_d3_scale(shoal_d3_from(job->affine[a][i]), job->kept),
                                       shoal_d3_scale(between(s, t, b, s->gradient[a]), 1.0 - job->kept)));
    int      half  = find(s, shoal_d3_add(at, shoal_d3_scale(mean, 0.5 * job->dt)), middle);
    shoal_d3 by    = half >= 0 ? between(s, half, middle, s->mean) : mean;
    shoal_d3 shift = shoal_d3_scale(between(s, t, b, s->shift), job->dt);
    double   far = shoal_d3_length(shift), limit = SHIFT_MOST * s->edge;
    job->part_of[i] = job->part[t];
    job->velocity[i] =
        shoal_v3_from(shoal_d3_add(shoal_d3_scale(own, job->kept), shoal_d3_scale(mean, 1.0 - job->kept)));
    job->bend[i]  = shoal_v3_from(shoal_d3_sub(by, mean));
    double pushed = 0.0;
    for (int k = 0; k < 4; k++) pushed += b[k] * s->pressure[s->mesh.tets[t][k]];
    job->pressure[i] = (float)(job->to_pascals * pushed);
    if (far > limit) shift = shoal_d3_scale(shift, limit / far);
    job->position[i] = shoal_v3_from(shoal_d3_add(shoal_d3_add(at, shoal_d3_scale(mean, job->dt)), shift));
}

static void move_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    move_job*    job    = ctx;
    tetra*       s      = job->s;
    tetra_finder finder = {.block = -1};
    for (int i = begin; i < end; i++) {
        double   b[4];
        shoal_d3 at     = shoal_d3_from(job->position[i]);
        bool     is_in  = s->mesh.tet_count > 0 && tetra_sample(s, s->level, at, (double)TETRA_DRY, &finder) > 0.0;
        int      t      = is_in ? find(s, at, b) : -1;
        job->density[i] = (float)(job->rest * tetra_sample(s, s->even, at, 0.0, &finder));
        if (t < 0)
            fly(job, i);
        else
            flow(job, i, t, b);
    }
}

// ---------------------------------------------------------------------------------- along the flow
//
// Flow bends the way of a particle: the velocity half of the way on, in a flow that stands still, is to second order
// the mean over its way. But liquid that flies and spins takes its flow along, and there the whole of it would drift
// off as no momentum says. So what bends ways moves no part of the liquid that flies as a whole.

// Numbers the parts of the mesh that hang together; returns how many there are. is_held: those that touch a solid.
static int number_parts(const tetra* s, int* part, int* list, uint8_t* is_held) {
    const shoal_tetmesh* mesh  = &s->mesh;
    int                  count = 0;
    for (int t = 0; t < mesh->tet_count; t++) part[t] = -1;
    for (int first = 0; first < mesh->tet_count; first++) {
        if (part[first] >= 0) continue;
        int end        = 0;
        list[end++]    = first;
        part[first]    = count;
        is_held[count] = 0;
        for (int i = 0; i < end; i++)
            for (int k = 0; k < 4; k++) {
                int o = mesh->neighbours[list[i]][k];
                is_held[count] |= s->is_wall[mesh->tets[list[i]][k]];
                if (o >= 0 && part[o] < 0) part[o] = count, list[end++] = o;
            }
        count++;
    }
    return count;
}

static void bend_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    move_job* job = ctx;
    for (int i = begin; i < end; i++) {
        if (job->part_of[i] < 0) continue;
        shoal_d3 by      = shoal_d3_sub(shoal_d3_from(job->bend[i]), job->drift[job->part_of[i]]);
        job->position[i] = shoal_v3_add(job->position[i], shoal_v3_from(shoal_d3_scale(by, job->dt)));
    }
}

static shoal_status bend_ways(move_job* job, int parts, int count) {
    tetra* s = job->s;
    int*   of;
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job->drift, (size_t)parts, sizeof *job->drift));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&of, (size_t)parts, sizeof *of));
    for (int p = 0; p < parts; p++) job->drift[p] = shoal_d3_make(0.0, 0.0, 0.0), of[p] = 0;
    s->free_count = 0;
    for (int i = 0; i < count; i++) {
        int p = job->part_of[i];
        s->free_count += p < 0;
        if (p >= 0) job->drift[p] = shoal_d3_add(job->drift[p], shoal_d3_from(job->bend[i])), of[p]++;
    }
    for (int p = 0; p < parts; p++)
        job->drift[p] = shoal_d3_scale(job->drift[p], job->is_held[p] || of[p] == 0 ? 0.0 : 1.0 / of[p]);
    shoal_blocks(&s->ctx->exec, count, BLOCK, bend_block, job);
    return SHOAL_OK;
}

shoal_status tetra_move(tetra* s, double dt, double kick) {
    shoal_set* set = s->ctx->particles;
    size_t     n   = (size_t)set->count;
    int*       list;
    move_job   job = {
          .s        = s,
          .position = shoal_set_data(set, "position"),
          .velocity = shoal_set_data(set, "velocity"),
          .affine = {shoal_set_data(set, "affine_x"), shoal_set_data(set, "affine_y"), shoal_set_data(set, "affine_z")},
          .density    = shoal_set_data(set, "density"),
          .pressure   = shoal_set_data(set, "pressure"),
          .to_pascals = kick > 0.0 ? (double)tetra_liquid(s->ctx->description)->density / kick : 0.0,
          .dt         = dt,
          .rest       = (double)tetra_liquid(s->ctx->description)->density,
          .kept       = tetra_kept(s, dt),
          .push       = shoal_d3_scale(s->ctx->description->gravity, kick)};
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.part, (size_t)s->mesh.tet_count, sizeof *job.part));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&list, (size_t)s->mesh.tet_count, sizeof *list));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.is_held, (size_t)s->mesh.tet_count, 1));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.part_of, n, sizeof *job.part_of));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.bend, n, sizeof *job.bend));
    memcpy(s->came, job.position, n * sizeof *s->came);
    int parts = number_parts(s, job.part, list, job.is_held);
    shoal_blocks(&s->ctx->exec, set->count, BLOCK, move_block, &job);
    SHOAL_TRY(bend_ways(&job, parts, set->count));
    tetra_push_out(s, &s->end, s->came);
    return SHOAL_OK;
}
