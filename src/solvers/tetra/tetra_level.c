// SPDX-License-Identifier: MIT
// The surface of the liquid: where the density that the particles around have falls to half of that at rest. Density is
// a cubic B-spline of the particles at nodes one spacing apart, over the part of that kernel which solids leave: beside
// a wall, and in corners, a level pool is level, and no radius of particles has to be chosen.
#include <math.h>
#include <string.h>

#include "solvers/tetra/tetra_local.h"

// The level is (density - 1/2) / (3/4): by the slope of the density at a plane it is a distance there.
#define HALF 0.5f
#define PER_DENSITY (4.0f / 3.0f)
// Within solids the liquid continues as it is at this distance from them, in nodes; nearer, the kernel is cut off.
#define ALONG 1.0
// Distances to solids are asked for so much farther than they matter, in nodes.
#define ASKED (TETRA_NEAR + 1.0f)
// Of a kernel: what has less room says nothing.
#define LEAST_ROOM 0.02f

typedef struct level_job {
    tetra*          s;
    const shoal_v3* position;
    const int*      full;      // [full_count] blocks with particles
    int*            tile_of;   // [blocks] their place in `full`; -1: none are in it
    float*          tiles;     // [full_count][TETRA_TILE]
    float*          solid;     // [512 blocks] distance to the nearest collider, nodes
    float*          open;      // [512 blocks] part of the volume around a node that colliders leave
    float *         rho, *dry; // [512 blocks] density and level, before they go on into solids
    float           volume;    // of a particle, node^3
} level_job;

// ---------------------------------------------------------------------------------- solids

// Of a closed wall, to the inside.
static double off_wall(const shoal_world* w, int k, shoal_d3 at) {
    return k % 2 ? shoal_d3_axis(w->domain.max, k / 2) - shoal_d3_axis(at, k / 2)
                 : shoal_d3_axis(at, k / 2) - shoal_d3_axis(w->domain.min, k / 2);
}

double tetra_off_walls(const shoal_world* w, shoal_d3 at, shoal_d3* normal) {
    double best = 1e30;
    for (int k = 0; k < SHOAL_WALL_COUNT; k++) {
        double off = w->is_closed[k] ? off_wall(w, k, at) : 1e30, n[3] = {0.0, 0.0, 0.0};
        if (off >= best) continue;
        best     = off;
        n[k / 2] = k % 2 ? -1.0 : 1.0;
        if (normal) *normal = shoal_d3_make(n[0], n[1], n[2]);
    }
    return best;
}

// The nearest collider, where one is nearer than `best`; which is returned where none is.
double tetra_off_colliders(const shoal_world* w, shoal_d3 at, double best, shoal_d3* normal, shoal_d3* velocity) {
    for (int c = 0; c < w->collider_count; c++) {
        const shoal_collider* o = &w->colliders[c];
        if (best > 0.0 && !shoal_box_holds(shoal_box_grown(o->bounds, best), at)) continue;
        shoal_d3 out;
        double   off = shoal_collider_distance(o, at, normal ? &out : NULL);
        if (off >= best) continue;
        best = off;
        if (normal) *normal = out;
        if (velocity) *velocity = shoal_collider_velocity(o, at);
    }
    return best;
}

double tetra_off_solids(const tetra* s, shoal_d3 at, shoal_d3* normal, shoal_d3* velocity) {
    if (velocity) *velocity = shoal_d3_make(0.0, 0.0, 0.0);
    return tetra_off_colliders(&s->begin, at, tetra_off_walls(&s->begin, at, normal), normal, velocity);
}

// The part of a quadratic B-spline of unit nodes that is within a half space, whose plane is so far away. A point that
// is seen by a cubic one is a cube of the liquid, as large as its share, that is seen by a quadratic one; so cubes that
// fill what solids leave have the density of rest, up to the walls.
static float half_space(float x) {
    if (x <= -1.5f) return 0.0f;
    if (x >= 1.5f) return 1.0f;
    if (x > 0.5f) return 1.0f - half_space(-x);
    float y = 1.5f + x;
    return x <= -0.5f ? y * y * y / 6.0f : 0.5f + 0.75f * x - x * x * x / 3.0f;
}

// The part of the kernel that closed walls leave: a product, which is exact at edges and corners of the domain too.
static float room_at_walls(const tetra* s, shoal_d3 at) {
    float room = 1.0f;
    for (int k = 0; k < SHOAL_WALL_COUNT; k++)
        if (s->begin.is_closed[k]) room *= half_space((float)(off_wall(&s->begin, k, at) / s->node));
    return room;
}

// ---------------------------------------------------------------------------------- density

// Weights of the cubic B-spline at four nodes, t beyond the second of them.
static void spline(float t, float w[4]) {
    float r = 1.0f - t, t2 = t * t, t3 = t2 * t;
    w[0] = r * r * r / 6.0f;
    w[1] = (4.0f - 6.0f * t2 + 3.0f * t3) / 6.0f;
    w[3] = t3 / 6.0f;
    w[2] = 1.0f - w[0] - w[1] - w[3];
}

static void splat_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    enum { ROW = SHOAL_SPARSE_RIMMED };
    level_job*   job = ctx;
    const tetra* s   = job->s;
    for (int k = begin; k < end; k++) {
        int      block = job->full[k];
        shoal_d3 low   = shoal_sparse_corner(&s->nodes, block);
        float*   tile  = job->tiles + (size_t)k * TETRA_TILE;
        memset(tile, 0, TETRA_TILE * sizeof *tile);
        for (int i = s->first[TETRA_IN * block]; i < s->first[TETRA_IN * (block + 1)]; i++) {
            double q[3] = {((double)job->position[i].x - low.x) / s->node,
                           ((double)job->position[i].y - low.y) / s->node,
                           ((double)job->position[i].z - low.z) / s->node};
            int    at[3];
            float  w[3][4];
            for (int a = 0; a < 3; a++) {
                at[a] = (int)q[a];
                at[a] = at[a] < 0 ? 0 : at[a] > 7 ? 7 : at[a]; // a hair beyond the block by rounding
                spline((float)(q[a] - at[a]), w[a]);
            }
            for (int z = 0; z < 4; z++)
                for (int y = 0; y < 4; y++) {
                    float* row = tile + ((at[2] + z) * ROW + at[1] + y) * ROW + at[0];
                    float  wzy = w[2][z] * w[1][y] * job->volume;
                    for (int x = 0; x < 4; x++) row[x] += wzy * w[0][x];
                }
        }
    }
}

// Adds what the tile of a block `way` from here says of nodes here.
static void add_tile(const float* tile, const int way[3], float* sum) {
    enum { ROW = SHOAL_SPARSE_RIMMED };
    int from[3], to[3], shift[3];
    for (int a = 0; a < 3; a++) {
        from[a]  = way[a] > 0 ? 7 : 0; // one node below its own, two above
        to[a]    = way[a] < 0 ? 2 : 8;
        shift[a] = 1 - 8 * way[a];
    }
    for (int z = from[2]; z < to[2]; z++)
        for (int y = from[1]; y < to[1]; y++) {
            const float* row = tile + ((z + shift[2]) * ROW + y + shift[1]) * ROW + shift[0];
            float*       out = sum + (z << 6 | y << 3);
            for (int x = from[0]; x < to[0]; x++) out[x] += row[x];
        }
}

static void collect_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    level_job* job = ctx;
    tetra*     s   = job->s;
    for (int b = begin; b < end; b++)
        for (int n = 0; n < SHOAL_SPARSE_NEAR; n++) {
            int near = s->nodes.near[SHOAL_SPARSE_NEAR * b + n], way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
            if (near < 0 || job->tile_of[near] < 0) continue;
            add_tile(job->tiles + (size_t)job->tile_of[near] * TETRA_TILE, way, job->rho + (size_t)b * TETRA_SAMPLES);
        }
}

// ---------------------------------------------------------------------------------- room

static int tile_at(int sample) {
    return ((1 + (sample >> 6)) * SHOAL_SPARSE_RIMMED + 1 + (sample >> 3 & 7)) * SHOAL_SPARSE_RIMMED + 1 + (sample & 7);
}
static int tile_step(int x, int y, int z) { return (z * SHOAL_SPARSE_RIMMED + y) * SHOAL_SPARSE_RIMMED + x; }

static bool sees_particles(const float* rho) {
    float sum = 0.0f;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) sum += rho[tile_step(x, y, z)];
    return sum > 0.0f;
}

static bool may_meet_solids(const tetra* s, int block, double reach) {
    shoal_d3  low  = shoal_sparse_corner(&s->nodes, block);
    double    edge = TETRA_NODES * s->node;
    shoal_box box  = {low, shoal_d3_add(low, shoal_d3_make(edge, edge, edge))};
    box            = shoal_box_grown(box, reach);
    for (int k = 0; k < SHOAL_WALL_COUNT; k++) {
        if (!s->begin.is_closed[k]) continue;
        if (k % 2 ? shoal_d3_axis(box.max, k / 2) > shoal_d3_axis(s->begin.domain.max, k / 2)
                  : shoal_d3_axis(box.min, k / 2) < shoal_d3_axis(s->begin.domain.min, k / 2))
            return true;
    }
    for (int c = 0; c < s->begin.collider_count; c++)
        if (shoal_box_meets(s->begin.colliders[c].bounds, box)) return true;
    return false;
}

// Distances to solids, and to colliders alone, where they matter: at nodes that see particles, and beside such nodes,
// which balls reach.
static void off_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    level_job* job = ctx;
    tetra*     s   = job->s;
    double     far = (double)ASKED * s->node, most = (double)TETRA_UNKNOWN;
    for (int b = begin; b < end; b++) {
        float *off = s->off + (size_t)b * TETRA_SAMPLES, *solid = job->solid + (size_t)b * TETRA_SAMPLES;
        float  rho[TETRA_TILE];
        for (int k = 0; k < TETRA_SAMPLES; k++) off[k] = solid[k] = TETRA_UNKNOWN;
        s->has_solid[b] = may_meet_solids(s, b, far);
        if (!s->has_solid[b]) continue;
        shoal_clear last = {.off = -(double)INFINITY};
        tetra_rimmed(s, job->rho, 0.0f, b, rho);
        for (int k = 0; k < TETRA_SAMPLES; k++) {
            if (!sees_particles(rho + tile_at(k))) continue;
            shoal_d3 at    = tetra_node_place(s, b, k);
            double   walls = tetra_off_walls(&s->begin, at, NULL) / s->node;
            if (shoal_clear_off(&last, at) < far) {
                last     = (shoal_clear){at, tetra_off_colliders(&s->begin, at, 1e30, NULL, NULL)};
                solid[k] = (float)fmax(fmin(last.off / s->node, most), -most);
            }
            off[k] = fminf((float)fmin(walls, most), solid[k]);
        }
    }
}

static float clamp01(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

// The part of the volume around a node that colliders leave, by distances between it and its neighbours.
static float open_around(const float* off) {
    float sum = 0.0f;
    for (int k = 0; k < 8; k++) {
        int   x = k & 1 ? 1 : -1, y = k & 2 ? 1 : -1, z = k & 4 ? 1 : -1;
        float here = 0.0f;
        for (int c = 0; c < 8; c++)
            here += (c & 1 ? 0.25f : 0.75f) * (c & 2 ? 0.25f : 0.75f) * (c & 4 ? 0.25f : 0.75f) *
                    off[tile_step(c & 1 ? x : 0, c & 2 ? y : 0, c & 4 ? z : 0)];
        sum += clamp01(0.5f + 2.0f * here);
    }
    return sum / 8.0f;
}

static void open_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    level_job* job = ctx;
    tetra*     s   = job->s;
    for (int b = begin; b < end; b++) {
        float* open = job->open + (size_t)b * TETRA_SAMPLES;
        float  off[TETRA_TILE];
        for (int k = 0; k < TETRA_SAMPLES; k++) open[k] = 1.0f;
        if (!s->has_solid[b] || s->begin.collider_count == 0) continue;
        tetra_rimmed(s, job->solid, TETRA_UNKNOWN, b, off);
        for (int k = 0; k < TETRA_SAMPLES; k++) {
            const float* here = off + tile_at(k);
            open[k]           = *here > 1.0f ? 1.0f : *here < -1.0f ? 0.0f : open_around(here);
        }
    }
}

// Weights of the kernel at whole nodes.
static float node_weight(int x) { return x ? 1.0f / 8.0f : 6.0f / 8.0f; }

// The part of the kernel that colliders leave: exact beside a plane; at edges and where they are curved by how much
// less is open around than at a plane.
static float room_at_colliders(float off, const float* open) {
    if (off >= 1.5f) return 1.0f;
    float sum = 0.0f, plane = 0.0f;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                sum += node_weight(x) * node_weight(y) * node_weight(z) * open[tile_step(x, y, z)];
    for (int x = -1; x <= 1; x++) plane += node_weight(x) * clamp01(0.5f + off + (float)x);
    return half_space(off) * fminf(1.0f, sum / fmaxf(plane, LEAST_ROOM));
}

static void level_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    level_job* job = ctx;
    tetra*     s   = job->s;
    for (int b = begin; b < end; b++) {
        size_t from = (size_t)b * TETRA_SAMPLES;
        float  open[TETRA_TILE];
        if (s->has_solid[b]) tetra_rimmed(s, job->open, 1.0f, b, open);
        for (int k = 0; k < TETRA_SAMPLES; k++) {
            float off = s->off[from + (size_t)k], *rho = &job->rho[from + (size_t)k];
            if (s->has_solid[b] && *rho > 0.0f && off < 1.5f && off > -1.0f) {
                float room = room_at_walls(s, tetra_node_place(s, b, k)) *
                             room_at_colliders(job->solid[from + (size_t)k], open + tile_at(k));
                *rho /= fmaxf(room, LEAST_ROOM);
            }
            job->dry[from + (size_t)k] = *rho > 0.0f ? (*rho - HALF) * PER_DENSITY : TETRA_DRY;
        }
    }
}

// The place beside solids that a place within them stands for.
static shoal_d3 off_to(const tetra* s, shoal_d3 at, double off) {
    for (int k = 0; k < 2; k++) {
        shoal_d3 normal;
        double   here = tetra_off_solids(s, at, &normal, NULL);
        if (here >= off) break;
        at = shoal_d3_add(at, shoal_d3_scale(normal, off - here));
    }
    const shoal_domain* d    = &s->begin.domain;
    double              p[3] = {at.x, at.y, at.z};
    for (int a = 0; a < 3; a++) {
        if (s->begin.is_closed[2 * a]) p[a] = fmax(p[a], shoal_d3_axis(d->min, a) + off);
        if (s->begin.is_closed[2 * a + 1]) p[a] = fmin(p[a], shoal_d3_axis(d->max, a) - off);
    }
    return shoal_d3_make(p[0], p[1], p[2]);
}

// On into solids: what is beside them, in the direction out of them.
static void into_solids_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    level_job* job = ctx;
    tetra*     s   = job->s;
    for (int b = begin; b < end; b++) {
        size_t       from   = (size_t)b * TETRA_SAMPLES;
        tetra_finder finder = {.block = -1};
        memcpy(s->nodes.values + from, job->rho + from, TETRA_SAMPLES * sizeof(float));
        memcpy(s->level + from, job->dry + from, TETRA_SAMPLES * sizeof(float));
        for (int k = 0; k < TETRA_SAMPLES && s->has_solid[b]; k++) {
            size_t n = from + (size_t)k;
            if (!(s->off[n] < 0.0f && s->off[n] > -(float)TETRA_NEAR)) continue;
            shoal_d3 at        = off_to(s, tetra_node_place(s, b, k), ALONG * s->node);
            s->level[n]        = (float)tetra_sample(s, job->dry, at, (double)TETRA_DRY, &finder);
            s->nodes.values[n] = (float)tetra_sample(s, job->rho, at, 0.0, &finder);
        }
    }
}

// ---------------------------------------------------------------------------------- density as pressure sees it

// Whether all nodes around are within the liquid, or within a solid.
static bool has_no_air(const float* level, const float* off) {
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                int at = tile_step(x, y, z);
                if (!(level[at] > 0.0f || off[at] < -0.6f)) return false;
            }
    return true;
}

static void deep_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    level_job* job = ctx;
    tetra*     s   = job->s;
    for (int b = begin; b < end; b++) {
        float level[TETRA_TILE], off[TETRA_TILE];
        tetra_rimmed(s, s->level, TETRA_DRY, b, level);
        tetra_rimmed(s, s->off, TETRA_UNKNOWN, b, off);
        for (int k = 0; k < TETRA_SAMPLES; k++)
            job->open[(size_t)b * TETRA_SAMPLES + (size_t)k] =
                level[tile_at(k)] > 0.0f && has_no_air(level + tile_at(k), off + tile_at(k)) ? 1.0f : 0.0f;
    }
}

// The mean over the nodes around: what single nodes have is how particles happen to lie. Where no air is beside, over
// such nodes alone, since the kernel of the others reaches into the air.
static void even_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    level_job* job = ctx;
    tetra*     s   = job->s;
    for (int b = begin; b < end; b++) {
        float deep[TETRA_TILE], rho[TETRA_TILE], off[TETRA_TILE], level[TETRA_TILE];
        tetra_rimmed(s, job->open, 0.0f, b, deep);
        tetra_rimmed(s, s->nodes.values, 0.0f, b, rho);
        tetra_rimmed(s, s->off, TETRA_UNKNOWN, b, off);
        tetra_rimmed(s, s->level, TETRA_DRY, b, level);
        for (int k = 0; k < TETRA_SAMPLES; k++) {
            size_t n    = (size_t)b * TETRA_SAMPLES + (size_t)k;
            int    here = tile_at(k);
            s->deep[n]  = deep[here];
            s->even[n]  = rho[here];
            float sum = 0.0f, all = 0.0f;
            for (int z = -1; z <= 1 && level[here] > 0.0f; z++)
                for (int y = -1; y <= 1; y++)
                    for (int x = -1; x <= 1; x++) {
                        int at = here + tile_step(x, y, z);
                        if (deep[at] < deep[here] || !(level[at] > 0.0f) || off[at] < 0.0f) continue;
                        float w = (x ? 0.25f : 0.5f) * (y ? 0.25f : 0.5f) * (z ? 0.25f : 0.5f);
                        sum += w * rho[at], all += w;
                    }
            if (all > 0.0f) s->even[n] = sum / all;
        }
    }
}

// ---------------------------------------------------------------------------------- all of it

static shoal_status make_fields(tetra* s, level_job* job) {
    size_t blocks = (size_t)s->nodes.block_count, samples = blocks * TETRA_SAMPLES;
    int *  full, *tile_of, count = 0;
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&s->off, samples, sizeof *s->off));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&s->level, samples, sizeof *s->level));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&s->even, samples, sizeof *s->even));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&s->deep, samples, sizeof *s->deep));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&s->has_solid, blocks, 1));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job->solid, samples, sizeof *job->solid));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job->open, samples, sizeof *job->open));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job->rho, samples, sizeof *job->rho));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job->dry, samples, sizeof *job->dry));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&full, blocks, sizeof *full));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&tile_of, blocks, sizeof *tile_of));
    for (int b = 0; b < s->nodes.block_count; b++) {
        bool is_full = s->first[TETRA_IN * (b + 1)] > s->first[TETRA_IN * b];
        tile_of[b]   = is_full ? count : -1;
        if (is_full) full[count++] = b;
    }
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job->tiles, (size_t)count * TETRA_TILE, sizeof *job->tiles));
    memset(job->rho, 0, samples * sizeof *job->rho);
    job->full = full, job->tile_of = tile_of;
    job->volume = (float)pow(s->ctx->description->spacing / s->node, 3.0);
    shoal_blocks(&s->ctx->exec, count, 1, splat_block, job);
    return SHOAL_OK;
}

shoal_status tetra_find_level(tetra* s) {
    const shoal_exec* exec = &s->ctx->exec;
    int               n    = s->nodes.block_count;
    level_job         job  = {.s = s, .position = shoal_set_data(s->ctx->particles, "position")};
    SHOAL_TRY(make_fields(s, &job));
    shoal_blocks(exec, n, 1, collect_block, &job);
    shoal_blocks(exec, n, 1, off_block, &job);
    shoal_blocks(exec, n, 1, open_block, &job);
    shoal_blocks(exec, n, 1, level_block, &job);
    shoal_blocks(exec, n, 1, into_solids_block, &job);
    SHOAL_TRY(tetra_fill_pockets(s));
    shoal_blocks(exec, n, 1, deep_block, &job);
    shoal_blocks(exec, n, 1, even_block, &job);
    return tetra_add_balls(s);
}
