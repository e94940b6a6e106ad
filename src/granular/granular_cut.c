// SPDX-License-Identifier: MIT
// Cells that a solid cuts. Stress across the solid's surface acts on all of that surface; but what acts along it acts
// on as much of the cell as is sand. As if these cells were whole, sand in a tilted vessel would stand on stress
// in the steps that the vessel makes on the grid, most in its corners, where the pressure is largest: a column of
// 4 x 6 x 6 cells in the end of a smooth box that is turned by 37 degrees went 75 mm in place of 112.
#include "mac/mac_corner.h"
#include "granular/granular_friction_local.h"
#include "granular/granular_surfaces.h"

#include <string.h>

// A surface of less, in sides of a cell, has no direction.
static const float area_least = 1e-4f;

static bool is_cut(const shoal_mac* m, int at) {
    return shoal_mac_has(m->liquid, at) && m->fraction[at] < 1.0f &&
           shoal_v3_length(granular_solid_side(m, at)) > area_least;
}

// Not beside thin solids, whose cells may be divided: what presses there is not told by pushes either
// (granular_wall_traction.c).
static bool may_be_cut(const granular_friction_job* r, const shoal_mac* m, int block) {
    return r->f->is_active[block] && m->has_solid[block] && !m->has_thin[block];
}

static void count_cuts(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r     = ctx;
    int                          count = 0;
    for (int at = SHOAL_MAC_SAMPLES * block; may_be_cut(r, m, block) && at < SHOAL_MAC_SAMPLES * (block + 1); at++)
        count += is_cut(m, at);
    r->f->cut_start[block + 1] = count;
}

// The fraction of a cell below a plane that is so high under its centre, in cells.
static float fraction_below(shoal_d3 normal, double height) {
    mac_corner plane = {.count = 1};
    for (int k = 0; k < 8; k++)
        plane.distance[0][k] = (float)(height + (normal.x * ((k & 1) - 0.5) + normal.y * ((k >> 1 & 1) - 0.5)) +
                                       normal.z * ((k >> 2) - 0.5));
    return 1.0f - mac_corner_volume(&plane);
}

static shoal_granular_cut cut_of(const shoal_world* world, const shoal_mac* m, int at) {
    shoal_v3           side = granular_solid_side(m, at), centre = shoal_mac_place(m, at, 0.5f, 0.5f, 0.5f);
    float              area = shoal_v3_length(side);
    granular_surfaces  s    = granular_surfaces_at(world, m, centre, side);
    shoal_granular_cut cut  = {.at     = at,
                               .count  = 1,
                               .solid  = {1.0f - m->fraction[at]},
                               .normal = {{side.x / area, side.y / area, side.z / area}}};
    if (s.count < 2) return cut;
    cut.count = s.count;
    for (int k = 0; k < s.count; k++) {
        shoal_d3 normal = s.touch[k].normal;
        cut.solid[k] =
            fraction_below(normal, granular_surface_height(&s, k, shoal_d3_from(centre)) * (double)m->inverse);
        for (int axis = 0; axis < 3; axis++) cut.normal[k][axis] = (float)shoal_d3_axis(normal, axis);
    }
    return cut;
}

static void make_cuts(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r   = ctx;
    shoal_granular_friction*     f   = r->f;
    shoal_granular_cut*          cut = f->cuts + f->cut_start[block];
    f->has_cuts[block]               = 0;
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int near = m->near[block][n];
        if (near >= 0 && f->cut_start[near + 1] > f->cut_start[near]) f->has_cuts[block] = 1;
    }
    if (f->cut_start[block + 1] == f->cut_start[block]) return;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
        if (is_cut(m, at)) *cut++ = cut_of(r->world, m, at);
}

shoal_status granular_find_cuts(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    shoal_granular_friction* f = r->f;
    f->cut_start[0]            = 0;
    shoal_mac_each(m, exec, count_cuts, r);
    for (int b = 0; b < m->block_count; b++) f->cut_start[b + 1] += f->cut_start[b];
    SHOAL_TRY(shoal_reserve((void**)&f->cuts, &f->cut_capacity, f->cut_start[m->block_count], sizeof *f->cuts));
    shoal_mac_each(m, exec, make_cuts, r);
    return SHOAL_OK;
}

// The four edges along an axis around a cell; -1: there is none.
static void edges_of(const shoal_mac* m, int at, int along, int out[4]) {
    for (int n = 0; n < 4; n++) {
        out[n] = n & 1 ? shoal_mac_beside(m, at, (along + 1) % 3, 1) : at;
        if (out[n] >= 0 && n & 2) out[n] = shoal_mac_beside(m, out[n], (along + 2) % 3, 1);
    }
}

// Takes of a stress its part along a surface, (1 - n n) s (1 - n n), times a fraction.
static void take_along(float s[3][3], const float n[3], float fraction) {
    float across[3], twice; // s n, n s n
    for (int a = 0; a < 3; a++) across[a] = (s[a][0] * n[0] + s[a][1] * n[1]) + s[a][2] * n[2];
    twice = (across[0] * n[0] + across[1] * n[1]) + across[2] * n[2];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            s[a][b] -= fraction * (s[a][b] - (n[a] * across[b] + across[a] * n[b]) + twice * n[a] * n[b]);
}

// What a cut cell lacks of its stress, surface by surface: what acts across one is along the other, and in the edge
// between them along both. Shears as means of the four edges around.
static void lack_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    for (int k = f->cut_start[block]; k < f->cut_start[block + 1]; k++) {
        shoal_granular_cut* cut = &f->cuts[k];
        float               s[3][3], whole[SHOAL_GRANULAR_STRESSES];
        for (int e = 0; e < 3; e++) {
            int   a = (e + 1) % 3, b = (e + 2) % 3, edges[4];
            float shear = 0.0f;
            edges_of(m, cut->at, e, edges);
            for (int i = 0; i < 4; i++) shear += edges[i] >= 0 ? f->stress[3 + e][edges[i]] : 0.0f;
            s[e][e] = whole[e] = f->stress[e][cut->at];
            s[a][b] = s[b][a] = whole[3 + e] = 0.25f * shear;
        }
        for (int n = 0; n < cut->count; n++) take_along(s, cut->normal[n], cut->solid[n]);
        for (int e = 0; e < 3; e++) {
            cut->lack[e]     = whole[e] - s[e][e];
            cut->lack[3 + e] = whole[3 + e] - s[(e + 1) % 3][(e + 2) % 3];
        }
    }
}

// What acts in a block: the stress, less what cut cells lack, each a quarter of its shears on each of its edges.
static void act_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f    = ((granular_friction_job*)ctx)->f;
    size_t                   from = SHOAL_MAC_SAMPLES * (size_t)block;
    if (!f->has_cuts[block]) return;
    for (int c = 0; c < SHOAL_GRANULAR_STRESSES; c++)
        memcpy(f->acting[c] + from, f->stress[c] + from, SHOAL_MAC_SAMPLES * sizeof(float));
    for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
        int near = m->near[block][n];
        for (int k = near < 0 ? 0 : f->cut_start[near]; near >= 0 && k < f->cut_start[near + 1]; k++) {
            const shoal_granular_cut* cut = &f->cuts[k];
            for (int e = 0; e < 3; e++) {
                int edges[4];
                if (near == block) f->acting[e][cut->at] -= cut->lack[e];
                edges_of(m, cut->at, e, edges);
                for (int i = 0; i < 4; i++)
                    if (edges[i] >> 9 == block) f->acting[3 + e][edges[i]] -= 0.25f * cut->lack[3 + e];
            }
        }
    }
}

void granular_act(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    if (r->f->cut_start[m->block_count] == 0) return;
    shoal_mac_each(m, exec, lack_block, r);
    shoal_mac_each(m, exec, act_block, r);
}
