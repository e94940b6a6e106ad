// SPDX-License-Identifier: MIT
// On which side of a thin solid cells are: the solid's normal where the part of a cell is that it
// stands for. What is on the other side has nothing to do with sand on this one.
#include "granular/granular_friction_local.h"

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

void granular_side_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    shoal_granular_friction*     f = r->f;
    if (!m->has_thin[block]) return;
    bool is_asked = is_near_sand(m, block);
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
        uint32_t    own   = is_asked ? mac_part_nodes(m, at) : 0;
        shoal_v3    place = middle_of(own ? own : MAC_THIN_ALL);
        shoal_touch touch = {0};
        bool        has_side =
            own && shoal_touch_at(r->world, m->kind, shoal_d3_from(shoal_mac_place(m, at, place.x, place.y, place.z)),
                                  reach * (double)m->def.dx, &touch);
        for (int axis = 0; axis < 3; axis++)
            f->thin_normal[axis][at] = has_side ? (float)shoal_d3_axis(touch.normal, axis) : 0.0f;
    }
}

// Cells from the part of one cell to that of another along an axis, the shorter way round.
static float way_between(const shoal_mac* m, int a, int b, int axis) {
    int period = m->def.period[axis];
    int way    = m->corner[b >> 9][axis] + (b >> (3 * axis) & 7) - m->corner[a >> 9][axis] - (a >> (3 * axis) & 7);
    if (period > 0 && 2 * way > period) way -= period;
    if (period > 0 && 2 * way < -period) way += period;
    return (float)way + shoal_v3_axis(middle_of(mac_part_nodes(m, b)), axis) -
           shoal_v3_axis(middle_of(mac_part_nodes(m, a)), axis);
}

// Across a solid its normal points away from the other side; across a channel, which has opposite
// normals as well, towards it.
bool granular_same_side(const shoal_granular_friction* f, const shoal_mac* m, int a, int b) {
    if (!m->has_thin[a >> 9] || !m->has_thin[b >> 9]) return true;
    float dot = 0.0f, from_a = 0.0f, from_b = 0.0f, square = 0.0f;
    for (int axis = 0; axis < 3; axis++) dot += f->thin_normal[axis][a] * f->thin_normal[axis][b];
    if (dot > opposite) return true;
    for (int axis = 0; axis < 3; axis++) {
        float way = way_between(m, a, b, axis);
        from_a += f->thin_normal[axis][a] * way;
        from_b -= f->thin_normal[axis][b] * way;
        square += way * way;
    }
    float least = 0.5f * sqrtf(square);
    return from_a > least && from_b > least;
}
