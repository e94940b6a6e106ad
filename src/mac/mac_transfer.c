// SPDX-License-Identifier: MIT
// Each block spreads its own particles over its tile; then each block adds up what the tiles around say about its
// samples, in fixed order. No sample is ever written by two threads, and no particle is visited twice.
#include "mac/mac_transfer.h"

#include "mac/mac_sample.h"

// ---------------------------------------------------------------------------------- to the grid

static inline void spread(float* tile, mac_stencil t, float value) {
    float* p  = tile + t.offset;
    float  y0 = 1.0f - t.y, z0 = 1.0f - t.z, x0 = 1.0f - t.x;
    mac_f4 w  = {x0, x0 * value, t.x, t.x * value};
    mac_store(p, mac_load(p) + w * mac_all(y0 * z0));
    mac_store(p + MAC_ROW, mac_load(p + MAC_ROW) + w * mac_all(t.y * z0));
    mac_store(p + MAC_LAYER, mac_load(p + MAC_LAYER) + w * mac_all(y0 * t.z));
    mac_store(p + MAC_LAYER + MAC_ROW, mac_load(p + MAC_LAYER + MAC_ROW) + w * mac_all(t.y * t.z));
}

// The value differs from sample to sample by the gradient `c`, per cell.
static inline void spread_affine(float* tile, mac_stencil t, float value, shoal_v3 c) {
    float* p    = tile + t.offset;
    float  y0   = 1.0f - t.y, z0 = 1.0f - t.z, x0 = 1.0f - t.x;
    float  base = value - (c.x * t.x + c.y * t.y + c.z * t.z);
    mac_f4 w = {x0, x0, t.x, t.x}, v = {1.0f, base, 1.0f, base + c.x}, y = {0.0f, c.y, 0.0f, c.y}, z = {0.0f, c.z, 0.0f, c.z};
    mac_store(p, mac_load(p) + w * mac_all(y0 * z0) * v);
    mac_store(p + MAC_ROW, mac_load(p + MAC_ROW) + w * mac_all(t.y * z0) * (v + y));
    mac_store(p + MAC_LAYER, mac_load(p + MAC_LAYER) + w * mac_all(y0 * t.z) * (v + z));
    mac_store(p + MAC_LAYER + MAC_ROW, mac_load(p + MAC_LAYER + MAC_ROW) + w * mac_all(t.y * t.z) * (v + y + z));
}

static void spread_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_particles* p    = ctx;
    float*                     tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    uint64_t*                  mark = m->marked + 8 * block;
    memset(tile, 0, SHOAL_MAC_TILE * sizeof *tile);
    for (int i = m->run[block][0]; i < m->run[block][1]; i++) {
        float g[3];
        mac_local(m, m->corner[block], p->position[i], g);
        mac_spot spot = mac_spot_at(g);
        for (int axis = 0; axis < 3; axis++) {
            mac_stencil t = mac_stencil_of(&spot, axis);
            float       u = shoal_v3_axis(p->velocity[i], axis);
            if (p->affine[axis]) spread_affine(tile, t, u, shoal_v3_scale(p->affine[axis][i], m->def.dx));
            else spread(tile, t, u);
        }
        spread(tile, mac_stencil_of(&spot, 3), p->is_sand[p->material[i]] ? 1.0f : 0.0f);
        mark[spot.face[2] - 1] |= (uint64_t)1 << (8 * (spot.face[1] - 1) + spot.face[0] - 1);
    }
}

// What the tile of a neighbour says about samples of this block; ways are -1, 0, 1 from here to there.
static void add_tile(const float* pairs, const int way[3], float* sum) {
    int from[3], to[3], shift[3];
    for (int axis = 0; axis < 3; axis++) {
        from[axis]  = way[axis] > 0 ? 7 : 0;
        to[axis]    = way[axis] < 0 ? 1 : 8;
        shift[axis] = 1 - 8 * way[axis]; // its tile coordinate of our sample 0
    }
    for (int z = from[2]; z < to[2]; z++)
        for (int y = from[1]; y < to[1]; y++) {
            const float* row = pairs + 2 * (((z + shift[2]) * 10 + y + shift[1]) * 10 + shift[0]);
            float*       out = sum + 2 * shoal_mac_sample(0, y, z);
            for (int x = 2 * from[0]; x < 2 * to[0]; x++) out[x] += row[x];
        }
}

static void collect_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_particles* p     = ctx;
    const float                least = 1e-6f; // a face with less weight than this knows nothing
    for (int q = 0; q < 4; q++) {
        float sum[2 * SHOAL_MAC_SAMPLES] = {0};
        for (int n = 0; n < SHOAL_MAC_NEAR; n++) {
            int near = m->near[block][n], way[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
            if (near < 0 || m->run[near][0] == m->run[near][1]) continue;
            add_tile(m->tile + (size_t)SHOAL_MAC_TILE * (size_t)near + q * SHOAL_MAC_PAIRS, way, sum);
        }
        int at = SHOAL_MAC_SAMPLES * block;
        if (q == 3) {
            for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
                m->density[at + s] = sum[2 * s] / p->rest;
                m->sand[at + s]    = sum[2 * s + 1] / p->rest;
            }
            continue;
        }
        for (int z = 0; z < 8; z++) {
            uint64_t known = 0;
            for (int s = 64 * z; s < 64 * (z + 1); s++) {
                bool is_known   = sum[2 * s] > least;
                m->u[q][at + s] = is_known ? sum[2 * s + 1] / sum[2 * s] : 0.0f;
                known |= (uint64_t)is_known << (s & 63);
            }
            m->known[q][8 * block + z] = known;
        }
        for (int s = 0; p->weight[q] && s < SHOAL_MAC_SAMPLES; s++) p->weight[q][at + s] = sum[2 * s] / p->rest;
    }
}

void shoal_mac_gather(shoal_mac* m, const shoal_exec* exec, const shoal_mac_particles* particles) {
    memset(m->marked, 0, 8 * (size_t)m->block_count * sizeof *m->marked);
    shoal_mac_each_full(m, exec, spread_block, (void*)particles);
    shoal_mac_each(m, exec, collect_block, (void*)particles);
}

// ---------------------------------------------------------------------------------- back to the particles

// The gradient of the first member, per cell.
static inline shoal_v3 slope(const float* tile, mac_stencil t) {
    const float* p  = tile + t.offset;
    float        y0 = 1.0f - t.y, z0 = 1.0f - t.z, x0 = 1.0f - t.x;
    mac_f4       a = mac_load(p), b = mac_load(p + MAC_ROW), c = mac_load(p + MAC_LAYER), d = mac_load(p + MAC_LAYER + MAC_ROW);
    mac_f4       x = (a * mac_all(y0 * z0) + b * mac_all(t.y * z0)) + (c * mac_all(y0 * t.z) + d * mac_all(t.y * t.z));
    mac_f4       y = (b - a) * mac_all(z0) + (d - c) * mac_all(t.z), z = (c - a) * mac_all(y0) + (d - b) * mac_all(t.y);
    return shoal_v3_make(x[2] - x[0], y[0] * x0 + y[2] * t.x, z[0] * x0 + z[2] * t.x);
}

typedef struct returning {
    const shoal_mac_particles* particles;
    const shoal_mac_motion*    motion;
} returning;

static void return_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_particles* p    = ((returning*)ctx)->particles;
    float                      flip = ((returning*)ctx)->motion->flip;
    const float*               tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    for (int i = m->run[block][0]; i < m->run[block][1]; i++) {
        float g[3], pair[2];
        mac_local(m, m->corner[block], p->position[i], g);
        mac_spot spot = mac_spot_at(g);
        float*   v    = &p->velocity[i].x;
        for (int axis = 0; axis < 3; axis++) {
            mac_stencil t = mac_stencil_of(&spot, axis);
            mac_sample(tile, t, pair);
            v[axis] = p->affine[axis] ? pair[0] : flip * (v[axis] + pair[1]) + (1.0f - flip) * pair[0];
            if (p->affine[axis]) p->affine[axis][i] = shoal_v3_scale(slope(tile, t), m->inverse);
        }
        mac_sample(tile, mac_stencil_of(&spot, 3), pair);
        if (p->pressure) p->pressure[i] = pair[0] * p->pressure_scale;
        if (p->density) p->density[i] = pair[1] * p->density_scale;
    }
}

void shoal_mac_return(shoal_mac* m, const shoal_exec* exec, const shoal_mac_particles* particles,
                      const shoal_mac_motion* motion) {
    returning r = {particles, motion};
    shoal_mac_each_full(m, exec, return_block, &r);
}

// ---------------------------------------------------------------------------------- moving

// Velocity in cells per unit of `scale`, at g cells from the corner of `block`; false where there is no grid.
static inline bool flow_at(const shoal_mac* m, int block, const float g[3], float scale, float out[3]) {
    float here[3];
    int   near = SHOAL_MAC_HERE;
    static const int step[3] = {1, 3, 9};
    for (int axis = 0; axis < 3; axis++) {
        int way = g[axis] < 0.0f ? -1 : g[axis] >= 8.0f ? 1 : 0;
        near += way * step[axis];
        here[axis] = g[axis] - 8.0f * (float)way;
        if (!(here[axis] >= 0.0f && here[axis] < 8.0f)) return false; // also a hair below 0 that rounds to 8
    }
    int b = m->near[block][near];
    if (b < 0) return false;
    const float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)b;
    mac_spot     spot = mac_spot_at(here);
    for (int axis = 0; axis < 3; axis++) {
        float pair[2];
        mac_sample(tile, mac_stencil_of(&spot, axis), pair);
        out[axis] = pair[0] * scale;
    }
    return true;
}

// Cells of one Runge-Kutta step at most; on a circle of 15 cells two of them stray 0.01 cells in a turn.
static const float stride = 2.0f;

static inline float length_of(const float v[3]) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// The way of one Runge-Kutta step from g, where the velocity is k1: midpoint, or Ralston's of third order. What leaves the
// grid goes on as it was.
static inline void runge_kutta(const shoal_mac* m, int block, const float g[3], const float k1[3], float scale, int order, float way[3]) {
    float k2[3], k3[3], at[3];
    for (int a = 0; a < 3; a++) at[a] = g[a] + 0.5f * k1[a];
    if (!flow_at(m, block, at, scale, k2)) memcpy(k2, k1, sizeof k2);
    if (order == 2) {
        memcpy(way, k2, sizeof k2);
        return;
    }
    for (int a = 0; a < 3; a++) at[a] = g[a] + 0.75f * k2[a];
    if (!flow_at(m, block, at, scale, k3)) memcpy(k3, k2, sizeof k3);
    for (int a = 0; a < 3; a++) way[a] = (2.0f * k1[a] + 3.0f * k2[a] + 4.0f * k3[a]) * (1.0f / 9.0f);
}

static void move_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_particles* p      = ((returning*)ctx)->particles;
    const shoal_mac_motion*    motion = ((returning*)ctx)->motion;
    for (int i = m->run[block][0]; i < m->run[block][1]; i++) {
        float from[3], k[3] = {0.0f, 0.0f, 0.0f}, scale = motion->dt * m->inverse;
        mac_local(m, m->corner[block], p->position[i], from);
        if (!flow_at(m, block, from, scale, k)) continue;
        float length = length_of(k);
        if (length * m->def.dx < motion->still * motion->dt) continue;
        float share = length > motion->move_most ? motion->move_most / length : 1.0f;
        int   steps  = (int)ceilf(fminf(length, motion->move_most) * (1.0f / stride));
        if (steps > 1) share /= (float)steps;
        scale *= share;
        for (int a = 0; a < 3; a++) k[a] *= share;
        float gone[3] = {0.0f, 0.0f, 0.0f};
        for (int s = 0; s == 0 || s < steps; s++) {
            float g[3], way[3];
            for (int a = 0; a < 3; a++) g[a] = from[a] + gone[a];
            if (s > 0 && !flow_at(m, block, g, scale, k)) break;
            runge_kutta(m, block, g, k, scale, motion->order, way);
            for (int a = 0; a < 3; a++) gone[a] += way[a];
        }
        p->position[i] = shoal_v3_add_scaled(p->position[i], shoal_v3_make(gone[0], gone[1], gone[2]), m->def.dx);
    }
}

void shoal_mac_move(shoal_mac* m, const shoal_exec* exec, const shoal_mac_particles* particles, const shoal_mac_motion* motion) {
    returning r = {particles, motion};
    shoal_mac_each_full(m, exec, move_block, &r);
}
