// SPDX-License-Identifier: MIT
// The tetrahedra: isosurface stuffing of what is within the liquid's surface and outside of solids [Chentanez et al.
// 2007, 3.2], and what each vertex of its surface is: air, wall, or both.
#include <math.h>

#include "mac/mac_touch.h"
#include "solvers/tetra/tetra_local.h"

enum { VERTEX_BLOCK = 256, ROOTS = 24, RIM = 5 };
// Octants at whole blocks of so many edges, so that the lattice of coarse ones stays where it is as the liquid moves.
#define FRAME 16.0
// Half the diagonal of a cube over its edge: a plane farther from its middle does not cut it.
#define HALF_DIAGONAL 0.8661

typedef struct mesh_job {
    tetra*    s;
    uint64_t* cut; // [blocks] bits of cells that the surface may cross
} mesh_job;

// What is meshed: the nearer of the surface and the solids, m; positive within the liquid.
static double depth_at(const tetra* s, shoal_d3 at, tetra_finder* finder) {
    return s->node * fmin(tetra_sample(s, s->level, at, (double)TETRA_DRY, finder), 2.0);
}

static void within(void* ctx, const shoal_d3* at, int count, double* value) {
    const tetra* s      = ctx;
    tetra_finder finder = {.block = -1};
    for (int i = 0; i < count; i++) {
        value[i] = depth_at(s, at[i], &finder);
        if (finder.block < 0 || !s->has_solid[finder.block] || value[i] < (double)TETRA_DRY * 0.99 * s->node) continue;
        if (tetra_sample(s, s->off, at[i], (double)TETRA_UNKNOWN, &finder) < (double)TETRA_NEAR)
            value[i] = fmin(value[i], tetra_off_solids(s, at[i], NULL, NULL));
    }
}

// Cells with nodes on both sides of the surface, or that a solid may cut.
static void cut_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    enum { ROW = SHOAL_SPARSE_RIMMED };
    mesh_job* job = ctx;
    tetra*    s   = job->s;
    for (int b = begin; b < end; b++) {
        float    level[TETRA_TILE], off[TETRA_TILE];
        shoal_d3 low = shoal_sparse_corner(&s->nodes, b);
        job->cut[b]  = 0;
        tetra_rimmed(s, s->level, TETRA_DRY, b, level);
        tetra_rimmed(s, s->off, TETRA_UNKNOWN, b, off);
        for (int c = 0; c < TETRA_IN; c++) {
            int   at = ((1 + 2 * (c >> 4)) * ROW + 1 + 2 * (c >> 2 & 3)) * ROW + 1 + 2 * (c & 3);
            bool  in = false, out = false;
            float near = TETRA_UNKNOWN;
            for (int k = 0; k < 27; k++) {
                int n = at + ((k / 9) * ROW + k / 3 % 3) * ROW + k % 3;
                if (level[n] > 0.0f)
                    in = true;
                else
                    out = true;
                near = fminf(near, off[n]);
            }
            if (!in) continue;
            if (!out && near < 1.0f) {
                shoal_d3 middle =
                    shoal_d3_make(low.x + s->edge * ((c & 3) + 0.5), low.y + s->edge * ((c >> 2 & 3) + 0.5),
                                  low.z + s->edge * ((c >> 4) + 0.5));
                out = fabs(tetra_off_solids(s, middle, NULL, NULL)) <= HALF_DIAGONAL * s->edge;
            }
            if (out) job->cut[b] |= (uint64_t)1 << c;
        }
    }
}

// The octree around all blocks.
static shoal_status frame(tetra* s) {
    const shoal_sparse* n     = &s->nodes;
    shoal_box           box   = shoal_box_empty();
    double              block = TETRA_CELLS * s->edge, whole = FRAME * s->edge;
    for (int b = 0; b < n->block_count; b++) {
        shoal_d3 low = shoal_sparse_corner(n, b);
        box          = shoal_box_with(shoal_box_with(box, low), shoal_d3_add(low, shoal_d3_make(block, block, block)));
    }
    box.min = shoal_d3_make(whole * floor(box.min.x / whole), whole * floor(box.min.y / whole),
                            whole * floor(box.min.z / whole));
    box.max = shoal_d3_make(whole * ceil(box.max.x / whole), whole * ceil(box.max.y / whole),
                            whole * ceil(box.max.z / whole));
    return shoal_octree_frame(&s->work.tree, box, s->edge, RIM);
}

static shoal_status stuff(tetra* s) {
    const shoal_exec* exec   = &s->ctx->exec;
    int               blocks = s->nodes.block_count, count = 0;
    mesh_job          job = {.s = s};
    uint64_t*         keys;
    SHOAL_TRY(frame(s));
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&job.cut, (size_t)blocks, sizeof *job.cut));
    shoal_blocks(exec, blocks, 1, cut_block, &job);
    for (int b = 0; b < blocks; b++) count += shoal_bit_count(job.cut[b]);
    SHOAL_TRY(shoal_arena_make(&s->arena, (void**)&keys, (size_t)count, sizeof *keys));
    count = 0;
    for (int b = 0; b < blocks; b++) {
        shoal_d3 low = shoal_sparse_corner(&s->nodes, b), o = s->work.tree.origin;
        int      at[3] = {(int)lround((low.x - o.x) / s->edge), (int)lround((low.y - o.y) / s->edge),
                          (int)lround((low.z - o.z) / s->edge)};
        for (uint64_t cut = job.cut[b]; cut; cut &= cut - 1) {
            int c         = __builtin_ctzll(cut);
            keys[count++] = shoal_morton(at[0] + (c & 3), at[1] + (c >> 2 & 3), at[2] + (c >> 4));
        }
    }
    return shoal_stuffing_make(&s->work, within, s, keys, count, ROOTS, exec, &s->mesh);
}

// Pressure is given where the air is; nothing passes where a wall is. A vertex of the surface is where the nearer of
// the two is: one at neither would be a wall that stands in mid-air.
static void vertex_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    tetra*       s      = ctx;
    tetra_finder finder = {.block = -1};
    double       near   = SHOAL_STUFFING_TOUCH * s->edge;
    for (int v = begin; v < end; v++) {
        s->is_air[v] = s->is_wall[v] = 0;
        s->wall[v]                   = (tetra_wall){.friction = 0.0f};
        if (!s->mesh.is_on_surface[v]) continue;
        shoal_d3    at    = s->mesh.position[v];
        double      depth = depth_at(s, at, &finder), off = (double)INFINITY;
        shoal_touch touch;
        if (tetra_sample(s, s->off, at, (double)TETRA_UNKNOWN, &finder) < (double)TETRA_NEAR &&
            shoal_touch_at(&s->begin, SHOAL_LIQUID, at, (double)TETRA_NEAR * s->node, &touch))
            off = touch.distance;
        s->is_wall[v] = off < near || off < depth;
        s->is_air[v]  = depth < near || !s->is_wall[v];
        SHOAL_ASSERT(s->is_air[v] || s->is_wall[v]);
        if (s->is_wall[v])
            s->wall[v] = (tetra_wall){shoal_v3_from(touch.normal), shoal_v3_from(touch.velocity), (float)touch.friction,
                                      touch.is_sticky, touch.drags};
    }
}

static void volume_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    tetra* s = ctx;
    for (int t = begin; t < end; t++) {
        shoal_d3 area[4];
        s->volume[t] = shoal_tet_areas(&s->mesh, t, area);
    }
}

shoal_status tetra_make_mesh(tetra* s) {
    const shoal_exec* exec = &s->ctx->exec;
    shoal_tetmesh*    m    = &s->mesh;
    m->neighbours = NULL, m->neighbour_capacity = 0; // were of the arena
    m->has_neighbours = m->has_incident = false;
    SHOAL_TRY(stuff(s));
    SHOAL_TRY(shoal_tetmesh_find_neighbours(m, exec));
    const struct {
        void** at;
        size_t size;
        int    count;
    } arrays[] = {{(void**)&s->is_air, 1, m->vertex_count},
                  {(void**)&s->is_wall, 1, m->vertex_count},
                  {(void**)&s->wall, sizeof *s->wall, m->vertex_count},
                  {(void**)&s->mean, sizeof(shoal_v3), m->vertex_count},
                  {(void**)&s->change, sizeof(shoal_v3), m->vertex_count},
                  {(void**)&s->gradient[0], sizeof(shoal_v3), m->vertex_count},
                  {(void**)&s->gradient[1], sizeof(shoal_v3), m->vertex_count},
                  {(void**)&s->gradient[2], sizeof(shoal_v3), m->vertex_count},
                  {(void**)&s->shift, sizeof(shoal_v3), m->vertex_count},
                  {(void**)&s->pressure, sizeof(double), m->vertex_count},
                  {(void**)&s->outflow, sizeof(float), m->vertex_count},
                  {(void**)&s->volume, sizeof(double), m->tet_count},
                  {(void**)&s->start, sizeof(shoal_v3), m->tet_count},
                  {(void**)&s->velocity, sizeof(shoal_v3), m->tet_count},
                  {(void**)&s->correction, sizeof(shoal_v3), m->tet_count},
                  {(void**)&s->lost, sizeof(shoal_v3), m->tet_count},
                  {(void**)&s->source, sizeof(float), m->tet_count}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        SHOAL_TRY(shoal_arena_make(&s->arena, arrays[k].at, (size_t)arrays[k].count, arrays[k].size));
    shoal_blocks(exec, m->vertex_count, VERTEX_BLOCK, vertex_block, s);
    shoal_blocks(exec, m->tet_count, VERTEX_BLOCK, volume_block, s);
    s->flow = (shoal_tet_flow){.mesh = m, .tree = &s->work.tree, .first_tet = s->work.first_tet};
    return SHOAL_OK;
}
