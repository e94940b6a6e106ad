// SPDX-License-Identifier: MIT
// What the lattice cannot see: bubbles that only how particles lie has made, and liquid thinner than an edge.
#include <math.h>

#include "solvers/tetra/tetra_local.h"

// Air shut in by no more than so many nodes is liquid: random places leave holes of a few nodes, which pressure would
// take for air. [Particles of a jittered pool leave some of 5; larger ones are bubbles.]
enum { POCKET_MOST = 60 };
// A node with less density is open air; and how deep nodes are filled, in nodes.
#define AIR 0.02f
#define FILLED 0.1f
// Of balls around particles where the liquid is thin, in nodes: each then holds a vertex of the lattice, no place being
// farther than 1.12 nodes from one. They stand so far off solids.
#define BALL 1.5
#define OFF_SOLIDS 1.0
// Particles get one where no node around is deeper, m; and one as large below the lower.
#define THICK 0.6f
#define THIN 0.4f

// ---------------------------------------------------------------------------------- pockets

// The node beside one along an axis; -1: there is none.
static int64_t beside(const tetra* s, int64_t node, int axis, int way) {
    static const int near_step[3] = {1, 3, 9};
    int              shift = 3 * axis, here = (int)(node >> shift & 7), next = here + way;
    if (next >= 0 && next < 8) return node + way * ((int64_t)1 << shift);
    int block = s->nodes.near[SHOAL_SPARSE_NEAR * (node >> 9) + 13 + way * near_step[axis]];
    return block < 0 ? -1 : ((int64_t)block << 9 | (node & 511)) - way * ((int64_t)7 << shift);
}

static bool is_gap(const tetra* s, int64_t n) { return !(s->level[n] > 0.0f) && s->off[n] >= -0.5f; }

// What a sink has emptied is air, however small it is.
static bool is_in_sink(const tetra* s, int64_t n) {
    const shoal_description* d = s->ctx->description;
    if (d->sink_count == 0) return false;
    shoal_d3 at = tetra_node_place(s, (int)(n >> 9), (int)(n & 511));
    for (int k = 0; k < d->sink_count; k++)
        if (shoal_box_holds(shoal_shape_bounds(d->sinks[k].shape), at) &&
            shoal_shape_distance(d->sinks[k].shape, at) < 0.0)
            return true;
    return false;
}

shoal_status tetra_fill_pockets(tetra* s) {
    int64_t  samples = (int64_t)s->nodes.block_count * TETRA_SAMPLES, *list;
    uint8_t* is_seen;
    size_t   mark = s->arena.used;
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&list, (size_t)samples, sizeof *list));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&is_seen, (size_t)samples, 1));
    for (int64_t n = 0; n < samples; n++) is_seen[n] = !is_gap(s, n) || s->nodes.values[n] < AIR;
    for (int64_t n = 0; n < samples; n++) {
        if (is_seen[n]) continue;
        int64_t count   = 0;
        bool    is_open = false;
        list[count++]   = n;
        is_seen[n]      = 1;
        for (int64_t i = 0; i < count; i++)
            for (int k = 0; k < 6; k++) {
                int64_t m = beside(s, list[i], k / 2, k % 2 ? 1 : -1);
                if (m < 0 || (is_gap(s, m) && s->nodes.values[m] < AIR)) is_open = true;
                if (m < 0 || is_seen[m]) continue;
                is_seen[m]    = 1;
                list[count++] = m;
            }
        for (int64_t i = 0; i < count && !is_open && count <= POCKET_MOST; i++) is_open = is_in_sink(s, list[i]);
        for (int64_t i = 0; i < count && !is_open && count <= POCKET_MOST; i++) s->level[list[i]] = FILLED;
    }
    shoal_arena_back(&s->arena, mark);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- balls

typedef struct ball {
    shoal_d3 at;
    float    radius; // nodes
} ball;

typedef struct ball_job {
    tetra*          s;
    const shoal_v3* position;
    ball*           balls;    // [particles]; of radius 0 where the liquid is thick
    uint8_t*        has_ball; // [blocks]
} ball_job;

static void ball_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    ball_job*    job = ctx;
    const tetra* s   = job->s;
    for (int b = begin; b < end; b++) {
        job->has_ball[b] = 0;
        if (s->first[TETRA_IN * b] == s->first[TETRA_IN * (b + 1)]) continue;
        float    level[TETRA_TILE], off[TETRA_TILE];
        shoal_d3 low = shoal_sparse_corner(&s->nodes, b);
        tetra_rimmed(s, s->level, TETRA_DRY, b, level);
        tetra_rimmed(s, s->off, TETRA_UNKNOWN, b, off);
        for (int i = s->first[TETRA_IN * b]; i < s->first[TETRA_IN * (b + 1)]; i++) {
            shoal_d3 at = shoal_d3_from(job->position[i]), q = shoal_d3_scale(shoal_d3_sub(at, low), 1.0 / s->node),
                     away;
            int   p[3]    = {(int)q.x, (int)q.y, (int)q.z};
            float deepest = TETRA_DRY;
            for (int a = 0; a < 3; a++) p[a] = p[a] < 0 ? 0 : p[a] > 7 ? 7 : p[a];
            for (int k = 0; k < 64 && deepest < THICK; k++) {
                int n = ((p[2] + (k >> 4)) * SHOAL_SPARSE_RIMMED + p[1] + (k >> 2 & 3)) * SHOAL_SPARSE_RIMMED + p[0] +
                        (k & 3);
                if (off[n] > 0.7f) deepest = fmaxf(deepest, level[n]);
            }
            float radius  = (float)BALL * fminf((THICK - deepest) / (THICK - THIN), 1.0f);
            job->balls[i] = (ball){at, radius >= 0.5f ? radius : 0.0f};
            job->has_ball[b] |= job->balls[i].radius > 0.0f;
            if (job->balls[i].radius == 0.0f || !s->has_solid[b]) continue;
            double lift = OFF_SOLIDS * s->node - tetra_off_solids(s, at, &away, NULL);
            if (lift > 0.0) job->balls[i].at = shoal_d3_add(at, shoal_d3_scale(away, lift));
        }
    }
}

// What a ball makes of the nodes of a block.
static void put_ball(tetra* s, int block, shoal_d3 low, const ball* one) {
    double q[3] = {(one->at.x - low.x) / s->node, (one->at.y - low.y) / s->node, (one->at.z - low.z) / s->node};
    int    from[3], to[3];
    for (int a = 0; a < 3; a++) {
        if (!(q[a] > -2.0 && q[a] < 9.0)) return;
        from[a] = (int)floor(q[a]) - 1;
        to[a]   = from[a] + 3;
        from[a] = from[a] < 0 ? 0 : from[a];
        to[a]   = to[a] > 7 ? 7 : to[a];
    }
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++) {
                size_t n  = (size_t)block * TETRA_SAMPLES + (size_t)(z << 6 | y << 3 | x);
                double dx = x - q[0], dy = y - q[1], dz = z - q[2];
                float  in = one->radius - (float)sqrt(dx * dx + dy * dy + dz * dz);
                if (in > s->level[n]) s->level[n] = in;
            }
}

static void put_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    ball_job* job = ctx;
    tetra*    s   = job->s;
    for (int b = begin; b < end; b++) {
        shoal_d3 low = shoal_sparse_corner(&s->nodes, b);
        for (int n = 0; n < SHOAL_SPARSE_NEAR; n++) {
            int near = s->nodes.near[SHOAL_SPARSE_NEAR * b + n];
            if (near < 0 || !job->has_ball[near]) continue;
            for (int i = s->first[TETRA_IN * near]; i < s->first[TETRA_IN * (near + 1)]; i++)
                if (job->balls[i].radius > 0.0f) put_ball(s, b, low, &job->balls[i]);
        }
    }
}

shoal_status tetra_add_balls(tetra* s) {
    const shoal_set* set  = s->ctx->particles;
    ball_job         job  = {.s = s, .position = shoal_set_read(set, "position")};
    size_t           mark = s->arena.used;
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.balls, (size_t)set->count, sizeof *job.balls));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.has_ball, (size_t)s->nodes.block_count, 1));
    shoal_blocks(&s->ctx->exec, s->nodes.block_count, 1, ball_block, &job);
    shoal_blocks(&s->ctx->exec, s->nodes.block_count, 1, put_block, &job);
    shoal_arena_back(&s->arena, mark);
    return SHOAL_OK;
}
