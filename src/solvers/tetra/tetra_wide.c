// SPDX-License-Identifier: MIT
// Velocities of particles to tetrahedra, sixteen particles at a time. Compiled once per instruction set; all give the
// same bits (see math/wide.h).
#include "exec/pass.h"
#include "math/wide.h"
#include "solvers/tetra/tetra_local.h"

// Radius of the mean around the middle of a tetrahedron, in its edges: 0.85 holds about 20 particles.
#define RADIUS 0.85
// Volumes of two levels are a factor of eight apart; between them is its root.
#define BETWEEN_LEVELS 2.83
// With less weight a tetrahedron has no particles.
#define LEAST_WEIGHT 1e-4f

typedef struct sums {
    wide weight, velocity[3];
} sums;

// Ones, then zeros: the lanes of a group that belong to a row.
static const float taken[2 * SHOAL_LANES] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f,
                                             1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};

// Adds what a row of particles says of a place: (1 - r^2/R^2)^3 times velocity and gradient.
static inline void add_row(float* const* of, int from, int to, const wide at[3], wide per, sums* s) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f);
    for (int i = from; i < to; i += SHOAL_LANES) {
        wide d[3], r2 = zero;
        for (int a = 0; a < 3; a++) {
            d[a] = wide_sub(at[a], wide_load(of[a] + i));
            r2   = wide_add(r2, wide_mul(d[a], d[a]));
        }
        wide q = wide_max(wide_sub(one, wide_mul(r2, per)), zero);
        if (!wide_less(zero, q)) continue;
        int  left = to - i < SHOAL_LANES ? to - i : SHOAL_LANES;
        wide w    = wide_mul(wide_mul(wide_mul(q, q), q), wide_load(taken + SHOAL_LANES - left));
        s->weight = wide_add(s->weight, w);
        for (int a = 0; a < 3; a++) {
            float* const* row = of + 6 + 3 * a;
            wide          u   = wide_load(of[3 + a] + i);
            for (int b = 0; b < 3; b++) u = wide_add(u, wide_mul(wide_load(row[b] + i), d[b]));
            s->velocity[a] = wide_add(s->velocity[a], wide_mul(w, u));
        }
    }
}

static int most(int a, int b) { return a > b ? a : b; }
static int least(int a, int b) { return a < b ? a : b; }

// Of all particles in a box of cells.
static sums sums_at(const tetra_gather* g, shoal_d3 place, double radius) {
    const tetra* s = g->s;
    shoal_d3     r = shoal_d3_make(radius, radius, radius);
    int          low[3], high[3];
    const wide   zero = wide_set(0.0f), per = wide_set((float)(1.0 / (radius * radius)));
    const wide   at[3] = {wide_set((float)place.x), wide_set((float)place.y), wide_set((float)place.z)};
    sums         m     = {zero, {zero, zero, zero}};
    tetra_cell_of(s, shoal_d3_sub(place, r), low);
    tetra_cell_of(s, shoal_d3_add(place, r), high);
    for (int bz = low[2] >> 2; bz <= high[2] >> 2; bz++)
        for (int by = low[1] >> 2; by <= high[1] >> 2; by++)
            for (int bx = low[0] >> 2; bx <= high[0] >> 2; bx++) {
                int block = shoal_sparse_find(&s->nodes, bx, by, bz);
                if (block < 0) continue;
                const int* first = s->first + TETRA_IN * (size_t)block;
                int        x0 = most(low[0] - 4 * bx, 0), x1 = least(high[0] - 4 * bx, 3);
                for (int z = most(low[2] - 4 * bz, 0); z <= least(high[2] - 4 * bz, 3); z++)
                    for (int y = most(low[1] - 4 * by, 0); y <= least(high[1] - 4 * by, 3); y++) {
                        const int* row = first + (16 * z + 4 * y);
                        add_row(g->of, row[x0], row[x1 + 1], at, per, &m);
                    }
            }
    return m;
}

// The edge of the octants that a tetrahedron is of: a whole one has edge^3 / 12.
static double edge_of(double finest, double volume) {
    double edge = finest;
    while (12.0 * volume > BETWEEN_LEVELS * edge * edge * edge) edge *= 2.0;
    return edge;
}

static void gather_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const tetra_gather* g = ctx;
    tetra*              s = g->s;
    for (int t = begin; t < end; t++) {
        double edge   = edge_of(s->edge, s->volume[t]);
        sums   m      = sums_at(g, shoal_tet_centroid(&s->mesh, t), RADIUS * edge);
        float  weight = wide_sum(m.weight);
        g->known[t]   = weight > LEAST_WEIGHT;
        float one     = g->known[t] ? 1.0f / weight : 0.0f;
        s->start[t] =
            shoal_v3_make(wide_sum(m.velocity[0]) * one, wide_sum(m.velocity[1]) * one, wide_sum(m.velocity[2]) * one);
    }
}

const shoal_block_fn SHOAL_WIDE_NAME(tetra_wide) = gather_block;
