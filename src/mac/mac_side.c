// SPDX-License-Identifier: MIT
// On which side of a thin solid cells are: the solid's normal where the part of a cell is that it
// stands for. What is on the other side has nothing to do with sand on this one.
#include "mac/mac_friction_local.h"

#include "mac/mac_sight.h"
#include "mac/mac_solid.h"

// Farther from a solid than this, in cells, there are no sides.
static const double reach = 3.0;

// Normals of the two sides of a solid have no more than this in common; solids that meet in a
// corner have 0.
static const float opposite = -0.5f;

// The middle of a set of nodes, in cells from the corner of the cell.
static shoal_v3 middle_of(uint32_t nodes) {
    float sum[3] = {0.0f, 0.0f, 0.0f}, count = (float)__builtin_popcount(nodes);
    for (uint32_t left = nodes; left; left &= left - 1) {
        int k = __builtin_ctz(left);
        sum[0] += 0.5f * (float)(k % 3);
        sum[1] += 0.5f * (float)(k / 3 % 3);
        sum[2] += 0.5f * (float)(k / 9);
    }
    return shoal_v3_make(sum[0] / count, sum[1] / count, sum[2] / count);
}

static bool is_near_sand(const shoal_mac* m, int block) {
    for (int n = 0; n < SHOAL_MAC_NEAR; n++)
        for (int z = 0; m->near[block][n] >= 0 && z < 8; z++)
            if (m->liquid[8 * m->near[block][n] + z]) return true;
    return false;
}

void mac_side_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mac_rubbing*  r = ctx;
    shoal_mac_friction* f = r->f;
    if (!m->has_thin[block]) return;
    bool is_asked = is_near_sand(m, block);
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        uint32_t    own   = is_asked ? mac_own(m, at) : 0;
        shoal_v3    place = middle_of(own ? own : MAC_THIN_ALL);
        shoal_touch touch = {0};
        bool        has_side =
            own && shoal_touch_at(r->world,
                                  shoal_d3_from(shoal_mac_place(m, at, place.x, place.y, place.z)),
                                  reach * (double)m->def.dx, &touch);
        for (int axis = 0; axis < 3; axis++)
            f->trial[axis][at] = has_side ? (float)shoal_d3_axis(touch.normal, axis) : 0.0f;
    }
}

bool mac_same_side(const shoal_mac_friction* f, const shoal_mac* m, int a, int b) {
    if (!m->has_thin[a >> 9] || !m->has_thin[b >> 9]) return true;
    float dot = 0.0f;
    for (int axis = 0; axis < 3; axis++)
        dot += f->trial[axis][a] * f->trial[axis][b];
    return dot > opposite;
}
