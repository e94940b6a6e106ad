// SPDX-License-Identifier: MIT
// Each block spreads its own particles over its tile; then each block adds up what the tiles around say about its
// samples, in fixed order. No sample is ever written by two threads, and no particle is visited twice.
#include "mac/mac_transfer.h"

#include "mac/mac_beside.h"

// ---------------------------------------------------------------------------------- to the grid

static inline void spread(float* pairs, mac_stencil t, float value) {
    float* p  = pairs + 2 * t.offset;
    float  y0 = 1.0f - t.y, z0 = 1.0f - t.z, x0 = 1.0f - t.x;
    mac_f4 w = {x0, x0 * value, t.x, t.x * value};
    mac_store(p, mac_load(p) + w * mac_all(y0 * z0));
    mac_store(p + MAC_PAIR_ROW, mac_load(p + MAC_PAIR_ROW) + w * mac_all(t.y * z0));
    mac_store(p + MAC_PAIR_LAYER, mac_load(p + MAC_PAIR_LAYER) + w * mac_all(y0 * t.z));
    mac_store(p + MAC_PAIR_LAYER + MAC_PAIR_ROW, mac_load(p + MAC_PAIR_LAYER + MAC_PAIR_ROW) + w * mac_all(t.y * t.z));
}

// The value differs from sample to sample by the gradient `c`, per cell.
static inline void spread_affine(float* pairs, mac_stencil t, float value, shoal_v3 c) {
    float* p  = pairs + 2 * t.offset;
    float  y0 = 1.0f - t.y, z0 = 1.0f - t.z, x0 = 1.0f - t.x;
    float  base = value - (c.x * t.x + c.y * t.y + c.z * t.z);
    mac_f4 w = {x0, x0, t.x, t.x}, v = {1.0f, base, 1.0f, base + c.x}, y = {0.0f, c.y, 0.0f, c.y},
           z = {0.0f, c.z, 0.0f, c.z};
    mac_store(p, mac_load(p) + w * mac_all(y0 * z0) * v);
    mac_store(p + MAC_PAIR_ROW, mac_load(p + MAC_PAIR_ROW) + w * mac_all(t.y * z0) * (v + y));
    mac_store(p + MAC_PAIR_LAYER, mac_load(p + MAC_PAIR_LAYER) + w * mac_all(y0 * t.z) * (v + z));
    mac_store(p + MAC_PAIR_LAYER + MAC_PAIR_ROW,
              mac_load(p + MAC_PAIR_LAYER + MAC_PAIR_ROW) + w * mac_all(t.y * t.z) * (v + y + z));
}

static void spread_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_particles* p        = ctx;
    float*                     tile     = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    uint64_t*                  mark     = m->marked + 8 * block;
    bool                       has_thin = p->world && m->has_thin[block];
    memset(tile, 0, SHOAL_MAC_TILE * sizeof *tile);
    for (int i = m->run[block][0]; i < m->run[block][1]; i++) {
        mac_f4    g = mac_local(m, m->corner[block], p->position[i]);
        mac_sight sight;
        if (has_thin && mac_sight_from(m, p->world, block, g, p->position[i], &sight)) {
            mac_spread_beside(m, p, i, block, &sight);
            continue;
        }
        mac_spot spot = mac_spot_at(g);
        for (int axis = 0; axis < 3; axis++) {
            mac_stencil t     = mac_stencil_of(&spot, axis);
            float       u     = shoal_v3_axis(p->velocity[i], axis);
            float*      pairs = tile + axis * SHOAL_MAC_PAIRS;
            if (p->affine[axis])
                spread_affine(pairs, t, u, shoal_v3_scale(p->affine[axis][i], m->def.dx));
            else
                spread(pairs, t, u);
        }
        spread(tile + 3 * SHOAL_MAC_PAIRS, mac_stencil_of(&spot, 3),
               p->wetness_of ? p->wetness_of[p->material[i]] : 0.0f);
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
                m->wetness[at + s] = sum[2 * s + 1] > 0.0f ? sum[2 * s + 1] / sum[2 * s] : 0.0f;
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
    memset(m->touched, 0, 8 * (size_t)m->block_count * sizeof *m->touched);
    shoal_mac_each_full(m, exec, spread_block, (void*)particles);
    shoal_mac_each(m, exec, collect_block, (void*)particles);
}

// ---------------------------------------------------------------------------------- back to the particles

// The gradient, per cell.
static inline shoal_v3 slope(const float* tile, mac_stencil t) {
    mac_f4 low = mac_four(tile + t.offset), high = mac_four(tile + t.offset + MAC_LAYER), rise = high - low;
    mac_f4 level = low + rise * mac_all(t.z);
    float  y0 = 1.0f - t.y, x0 = 1.0f - t.x;
    return shoal_v3_make((level[1] - level[0]) * y0 + (level[3] - level[2]) * t.y,
                         (level[2] - level[0]) * x0 + (level[3] - level[1]) * t.x,
                         (rise[0] * x0 + rise[1] * t.x) * y0 + (rise[2] * x0 + rise[3] * t.x) * t.y);
}

typedef struct return_job {
    const shoal_mac_particles* particles;
    const shoal_mac_motion*    motion;
} return_job;

// What comes back to a particle: of the velocities on faces and of their change, or of both in one field where all keep
// the same fraction of it.
typedef struct comeback {
    float velocity[3][SHOAL_MAC_RIMMED_CELLS], change[3][SHOAL_MAC_RIMMED_CELLS];
    float pressure[SHOAL_MAC_RIMMED_CELLS], density[SHOAL_MAC_RIMMED_CELLS], wetness[SHOAL_MAC_RIMMED_CELLS];
} comeback;

static void comeback_of(const shoal_mac* m, int block, const shoal_mac_motion* motion, bool has_wetness,
                        comeback* back) {
    for (int axis = 0; axis < 3; axis++) {
        shoal_mac_rimmed(m, block, m->u[axis], back->velocity[axis]);
        if (motion->pace == 0.0f && motion->flip == 0.0f) continue;
        shoal_mac_rimmed(m, block, m->change[axis], back->change[axis]);
        for (int k = 0; motion->pace == 0.0f && k < SHOAL_MAC_RIMMED_CELLS; k++)
            back->velocity[axis][k] =
                motion->flip * back->change[axis][k] + (1.0f - motion->flip) * back->velocity[axis][k];
    }
    shoal_mac_rimmed(m, block, m->pressure, back->pressure);
    shoal_mac_rimmed(m, block, m->density, back->density);
    if (!has_wetness) return;
    shoal_mac_rimmed(m, block, m->wetness, back->wetness);
    for (int k = 0; k < SHOAL_MAC_RIMMED_CELLS; k++) back->wetness[k] *= back->density[k];
}

// Velocity and gradient of one particle.
static inline void return_velocity(const shoal_mac* m, const shoal_mac_particles* p, const shoal_mac_motion* motion,
                                   const comeback* back, const mac_spot* spot, float pressure, int i) {
    bool  is_own   = motion->pace > 0.0f;
    float touching = shoal_mac_touching(motion, pressure), flip = shoal_mac_flip_fraction(motion, p->velocity[i]),
          loss  = shoal_mac_damped(motion, flip, touching);
    mac_f4 flow = mac_flow(back->velocity[0], spot);
    if (is_own) flow = mac_all(flip) * mac_flow(back->change[0], spot) + mac_all(1.0f - flip) * flow;
    float* v = &p->velocity[i].x;
    for (int axis = 0; axis < 3; axis++) {
        v[axis] = flip * v[axis] + flow[axis];
        if (!p->affine[axis]) continue;
        mac_stencil t   = mac_stencil_of(spot, axis);
        shoal_v3    now = slope(back->velocity[axis], t);
        if (is_own) now = shoal_v3_add_scaled(shoal_v3_scale(now, 1.0f - flip), slope(back->change[axis], t), flip);
        p->affine[axis][i] =
            shoal_v3_scale(shoal_v3_add_scaled(shoal_v3_scale(now, m->inverse), p->affine[axis][i], flip), 1.0f - loss);
    }
}

static void return_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_mac_particles* p      = ((return_job*)ctx)->particles;
    const shoal_mac_motion*    motion = ((return_job*)ctx)->motion;
    comeback                   back;
    bool                       has_thin = p->world && m->has_thin[block];
    comeback_of(m, block, motion, p->wetness, &back);
    for (int i = m->run[block][0]; i < m->run[block][1]; i++) {
        mac_f4    g = mac_local(m, m->corner[block], p->position[i]);
        mac_sight sight;
        if (has_thin && mac_sight_from(m, p->world, block, g, p->position[i], &sight)) {
            mac_return_beside(m, p, motion, i, &sight);
            continue;
        }
        mac_spot    spot = mac_spot_at(g);
        mac_stencil t    = mac_stencil_of(&spot, 3);
        mac_f4      rest = mac_all(1.0f) - spot.centre_part;
        mac_f4      w    = mac_along(spot.centre_part, rest) * mac_across(spot.centre_part, rest);
        mac_f4      wet  = p->wetness ? mac_between(back.wetness, t.offset, t.z) * w : w;
        mac_f4      sums =
            mac_sums(mac_between(back.pressure, t.offset, t.z) * w, mac_between(back.density, t.offset, t.z) * w, wet);
        return_velocity(m, p, motion, &back, &spot, sums[0], i);
        if (p->pressure) p->pressure[i] = sums[0] * p->pressure_scale;
        if (p->density) p->density[i] = sums[1] * p->density_scale;
        if (p->wetness) p->wetness[i] = sums[1] > 0.0f ? sums[2] / sums[1] : 0.0f;
    }
}

void shoal_mac_return(shoal_mac* m, const shoal_exec* exec, const shoal_mac_particles* particles,
                      const shoal_mac_motion* motion) {
    return_job r = {particles, motion};
    shoal_mac_each_full(m, exec, return_block, &r);
}

// ---------------------------------------------------------------------------------- moving

static void flow_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    for (int axis = 0; axis < 3; axis++) shoal_mac_rimmed(m, block, m->u[axis], tile + axis * SHOAL_MAC_RIMMED_CELLS);
}

// What asks for velocities, and what for; beside thin solids it matters.
typedef struct flow_job {
    const shoal_mac_particles* particles;
    const shoal_mac_motion*    motion;
    int                        i;
    bool has_thin; // known when compiled: what is told apart below costs nothing where there is no thin solid
} flow_job;
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Velocity in cells per unit of `scale`, at g cells from the corner of `block`; false where there is no grid.
ALWAYS_INLINE bool flow_at(const flow_job* who, const shoal_mac* m, int block, mac_f4 g, float scale, mac_f4* out) {
    // 1, 2, 3: below, here, above; a hair below a border may count as above it
    mac_i4 way = __builtin_convertvector(g + mac_all(16.0f), mac_i4) >> 3;
    int    x = way[0] - 1, y = way[1] - 1, z = way[2] - 1;
    if ((x | y | z) < 0 || x > 2 || y > 2 || z > 2) return false;
    int b = m->near[block][(z * 3 + y) * 3 + x];
    if (b < 0) return false;
    mac_f4 there = g - mac_all(8.0f) * __builtin_convertvector(way - (mac_i4){2, 2, 2, 2}, mac_f4);
    if (who->has_thin && m->has_thin[b] &&
        mac_flow_beside(m, who->particles, who->motion, who->i, block, g, b, there, out)) {
        *out *= mac_all(scale);
        return true;
    }
    mac_spot spot = mac_spot_at(there);
    *out          = mac_flow(m->tile + (size_t)SHOAL_MAC_TILE * (size_t)b, &spot) * mac_all(scale);
    return true;
}

// Cells of one Runge-Kutta step at most; on a circle of 15 cells two of them stray 0.01 cells in a turn.
static const float stride = 2.0f;

static inline float length_of(mac_f4 v) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// The way of one Runge-Kutta step from g, where the velocity is k1: midpoint, or Ralston's of third order. What leaves
// the grid goes on as it was.
ALWAYS_INLINE mac_f4 runge_kutta(const flow_job* who, const shoal_mac* m, int block, mac_f4 g, mac_f4 k1, float scale,
                                 int order) {
    mac_f4 k2, k3;
    if (!flow_at(who, m, block, g + mac_all(0.5f) * k1, scale, &k2)) k2 = k1;
    if (order == 2) return k2;
    if (!flow_at(who, m, block, g + mac_all(0.75f) * k2, scale, &k3)) k3 = k2;
    return (mac_all(2.0f) * k1 + mac_all(3.0f) * k2 + mac_all(4.0f) * k3) * mac_all(1.0f / 9.0f);
}

static inline void calm(const shoal_mac_particles* p, int i, float fraction) {
    p->velocity[i] = shoal_v3_scale(p->velocity[i], fraction);
    for (int axis = 0; axis < 3; axis++)
        if (p->affine[axis]) p->affine[axis][i] = shoal_v3_scale(p->affine[axis][i], fraction);
}

ALWAYS_INLINE void move_particles(const shoal_mac_particles* p, const shoal_mac_motion* motion, const shoal_mac* m,
                                  int block, bool has_thin) {
    for (int i = m->run[block][0]; i < m->run[block][1]; i++) {
        float    scale = motion->dt * m->inverse;
        mac_f4   from = mac_local(m, m->corner[block], p->position[i]), k, gone = mac_all(0.0f);
        flow_job who = {p, motion, i, has_thin};
        if (!flow_at(&who, m, block, from, scale, &k)) continue;
        float length = length_of(k);
        if (length * m->def.dx < motion->still * motion->dt) {
            calm(p, i, 1.0f - motion->calm);
            continue;
        }
        float fraction = length > motion->move_most ? motion->move_most / length : 1.0f;
        int   steps    = (int)ceilf(fminf(length, motion->move_most) * (1.0f / stride));
        if (steps > 1) fraction /= (float)steps;
        scale *= fraction;
        k *= mac_all(fraction);
        for (int s = 0; s == 0 || s < steps; s++) {
            mac_f4 g = from + gone;
            if (s > 0 && !flow_at(&who, m, block, g, scale, &k)) break;
            gone += runge_kutta(&who, m, block, g, k, scale, motion->order);
        }
        p->position[i] = shoal_v3_add_scaled(p->position[i], shoal_v3_make(gone[0], gone[1], gone[2]), m->def.dx);
    }
}

static void move_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const return_job* r = ctx;
    if (r->particles->world)
        move_particles(r->particles, r->motion, m, block, true);
    else
        move_particles(r->particles, r->motion, m, block, false);
}

void shoal_mac_move(shoal_mac* m, const shoal_exec* exec, const shoal_mac_particles* particles,
                    const shoal_mac_motion* motion) {
    return_job r = {particles, motion};
    shoal_mac_each(m, exec, flow_block, NULL);
    shoal_mac_each_full(m, exec, move_block, &r);
}
