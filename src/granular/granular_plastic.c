// SPDX-License-Identifier: MIT
// Everything in units of one step: dx times the strain rate D is a difference of velocities, the stopping stress over
// rho is dx^2/dt D (eq 3 of the paper, with the sign that slows), and its effect on a face is dx D. Normal components
// of D lie at centres, shear at edges; shear is averaged to centres for the test, strength to edges for the stress.
//
// Deviations from the print: the flowing stress lies on the yield surface by default (eq 2 lies at 2.1 times
// it), and is at most a quarter of the stopping stress. All of it at once is explicit diffusion beyond its limit: the
// largest eigenvalue of the deviatoric operator is 8 strength / dt, so a quarter is where energy stops growing for
// certain.
#include "granular/granular_plastic.h"
#include "base/disjoint.h"

#include <math.h>
#include <string.h>

#include "mac/mac_blocks.h"
#include "mac/mac_solid.h"

static const float strength_most = 0.25f;

// ---------------------------------------------------------------------------------- memory

enum { ARRAYS = 6 };

static void arrays_of(shoal_granular_plastic* p, shoal_mac_array a[ARRAYS]) {
    for (int axis = 0; axis < 3; axis++) a[axis] = SHOAL_MAC_ARRAY(p->inner[axis], SHOAL_MAC_SAMPLES);
    a[3] = SHOAL_MAC_ARRAY(p->strength, SHOAL_MAC_SAMPLES);
    a[4] = SHOAL_MAC_ARRAY(p->rigid, 8);
    a[5] = SHOAL_MAC_ARRAY(p->group, SHOAL_MAC_SAMPLES);
}

void shoal_granular_plastic_free(shoal_granular_plastic* p) {
    shoal_mac_array a[ARRAYS];
    arrays_of(p, a);
    shoal_mac_release(a, ARRAYS, &p->capacity);
    shoal_free(p->groups);
    *p = (shoal_granular_plastic){0};
}

static shoal_status reserve(shoal_granular_plastic* p, int blocks) {
    shoal_mac_array a[ARRAYS];
    arrays_of(p, a);
    return shoal_mac_reserve(a, ARRAYS, &p->capacity, blocks);
}

static shoal_status reserve_group(shoal_granular_plastic* p) {
    if (p->group_count < p->group_capacity) return SHOAL_OK;
    int capacity = p->group_capacity + p->group_capacity / 2 + 64;
    SHOAL_TRY(shoal_realloc((void**)&p->groups, (size_t)p->group_count, (size_t)capacity, sizeof *p->groups));
    p->group_capacity = capacity;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- strain and strength

typedef struct plastic_job {
    shoal_granular_plastic* plastic;
    const shoal_world*      world;
    float                   pressure_factor,
        cohesion;  // bound on dx q: pressure_factor max(pressure, 0) + cohesion, m/s,
    float bridges; // and this where sand is damp, at its best
    float flow;    // the factor in cells that flow
} plastic_job;

// Mean of the known open faces beside a face, along its own axis; false: there are none.
static bool mean_beside(const shoal_mac* m, int at, int axis, double* out) {
    double sum   = 0.0;
    int    count = 0;
    for (int n = 0; n < 6; n++) {
        int face = shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1);
        if (face < 0 || m->open[axis][face] == 0.0f || !shoal_mac_has(m->known[axis], face)) continue;
        sum += (double)m->u[axis][face];
        count++;
    }
    *out = count > 0 ? sum / count : 0.0;
    return count > 0;
}

// What strain sees of a closed face: the solid; but along one that is tilted the sand slides, and steps of the grid do
// not hold it.
static float beyond(const plastic_job* s, const shoal_mac* m, int at, int axis) {
    float  solid = m->moves[at >> 9] ? m->solid_u[axis][at] : 0.0f;
    double slide[3], rest, own;
    int    below = shoal_mac_beside(m, at, axis, -1);
    if (m->has_solid[at >> 9] != SHOAL_MAC_HAS_COLLIDER) return solid;
    if (!shoal_mac_has(m->liquid, at) && !(below >= 0 && shoal_mac_has(m->liquid, below))) return solid;
    if (!shoal_touch_slide(s->world, shoal_d3_from(shoal_mac_face(m, at, axis)), (double)m->def.dx, axis, slide, &rest))
        return solid;
    if (slide[axis] < 1e-3 || !mean_beside(m, at, axis, &own)) return solid; // its length is the root of that
    for (int a = 0; a < 3; a++) rest += slide[a] * (a == axis ? own : shoal_mac_across(m, m->u, at, axis, a));
    return (float)rest;
}

// What the two kinds of strain see of a face: normal ones (change) the solid where it is closed, shear (inner) nothing
// there, since what a wall does along itself is wall friction.
static void mark_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const plastic_job*      s = ctx;
    shoal_granular_plastic* p = s->plastic;
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) {
            bool is_closed = m->open[axis][at] == 0.0f, is_known = !is_closed && shoal_mac_has(m->known[axis], at);
            p->inner[axis][at]  = is_known ? m->u[axis][at] : NAN;
            m->change[axis][at] = is_closed ? beyond(s, m, at, axis) : m->u[axis][at];
        }
}

// A block with its rim, pairs as shoal_mac_rim makes them.
typedef struct near_block {
    float face[3][SHOAL_MAC_PAIRS]; // (normal, shear) view of the velocity
    float strength[SHOAL_MAC_PAIRS];
} near_block;

static const int step_of[3] = {2, 20, 200}; // in pairs, along each axis

// dx D_aa of the cell at k.
static float stretch(const near_block* b, int k, int a) { return b->face[a][k + step_of[a]] - b->face[a][k]; }

// dx D_ab at the edge through the low corner of k; 0 where a face around it is unknown, as at a free surface or wall.
static float shear(const near_block* b, int k, int a, int c) {
    float d = 0.5f * ((b->face[a][k + 1] - b->face[a][k - step_of[c] + 1]) +
                      (b->face[c][k + 1] - b->face[c][k - step_of[a] + 1]));
    return d == d ? d : 0.0f;
}

static void load_faces(const plastic_job* s, const shoal_mac* m, int block, near_block* b) {
    for (int axis = 0; axis < 3; axis++)
        shoal_mac_rim(m, block, m->change[axis], s->plastic->inner[axis], b->face[axis]);
}

static int pair_of(int s) { return 2 * (((s >> 6) + 1) * 100 + ((s >> 3 & 7) + 1) * 10 + (s & 7) + 1); }

// dx sqrt(3/2) |dev D| of the cell at k, with shear averaged from its four edges along each axis.
static float deformation(const near_block* b, int k) {
    float d[3], trace = 0.0f, sum = 0.0f;
    for (int a = 0; a < 3; a++) trace += d[a] = stretch(b, k, a);
    for (int a = 0; a < 3; a++) {
        int   c = (a + 1) % 3, i = step_of[a], j = step_of[c];
        float mean =
            0.25f * ((shear(b, k, a, c) + shear(b, k + i, a, c)) + (shear(b, k + j, a, c) + shear(b, k + i + j, a, c)));
        float dev = d[a] - trace / 3.0f;
        sum += dev * dev + 2.0f * mean * mean;
    }
    return sqrtf(1.5f * sum);
}

static void test_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const plastic_job*      s = ctx;
    shoal_granular_plastic* p = s->plastic;
    near_block              b;
    bool                    is_loaded = false;
    for (int z = 0; z < 8; z++) {
        uint64_t rigid = 0;
        memset(p->strength + SHOAL_MAC_SAMPLES * (size_t)block + 64 * z, 0, 64 * sizeof *p->strength);
        for (uint64_t left = m->liquid[8 * block + z]; left; left &= left - 1) {
            int bit = __builtin_ctzll(left), at = SHOAL_MAC_SAMPLES * block + 64 * z + bit;
            if (!is_loaded) load_faces(s, m, block, &b);
            is_loaded      = true;
            float pressure = fmaxf(m->pressure[at], 0.0f), q = deformation(&b, pair_of(64 * z + bit));
            float cohesion = s->cohesion + s->bridges * shoal_granular_bridges(m->wetness[at]);
            if (q < s->pressure_factor * pressure + cohesion)
                rigid |= (uint64_t)1 << bit;
            else if (q > 0.0f)
                p->strength[at] = fminf((s->flow * pressure + cohesion) / q, strength_most);
        }
        p->rigid[8 * block + z] = rigid;
    }
}

// ---------------------------------------------------------------------------------- friction

static float normal_stress(const near_block* b, int k, int a) {
    if (b->strength[k] == 0.0f) return 0.0f;
    float trace = (stretch(b, k, 0) + stretch(b, k, 1)) + stretch(b, k, 2);
    return b->strength[k] * (stretch(b, k, a) - trace / 3.0f);
}

static float shear_stress(const near_block* b, int k, int a, int c) {
    int   i = step_of[a], j = step_of[c];
    float mean = 0.25f * ((b->strength[k] + b->strength[k - i]) + (b->strength[k - j] + b->strength[k - i - j]));
    return mean == 0.0f ? 0.0f : mean * shear(b, k, a, c);
}

static void friction_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const plastic_job* s = ctx;
    near_block         b;
    shoal_mac_rim(m, block, s->plastic->strength, NULL, b.strength);
    bool is_flowing = false;
    for (int k = 0; k < SHOAL_MAC_PAIRS; k += 2) is_flowing = is_flowing || b.strength[k] > 0.0f;
    if (!is_flowing) return;
    load_faces(s, m, block, &b);
    for (int a = 0; a < 3; a++)
        for (int z = 0; z < 8; z++)
            for (uint64_t left = m->known[a][8 * block + z]; left; left &= left - 1) {
                int at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left), k = pair_of(at & 511),
                    c = (a + 1) % 3, d = (a + 2) % 3;
                if (m->open[a][at] == 0.0f) continue;
                float push = normal_stress(&b, k, a) - normal_stress(&b, k - step_of[a], a);
                push += shear_stress(&b, k + step_of[c], a, c) - shear_stress(&b, k, a, c);
                push += shear_stress(&b, k + step_of[d], a, d) - shear_stress(&b, k, a, d);
                m->u[a][at] += push;
            }
}

// ---------------------------------------------------------------------------------- solids

static bool is_rigid(const shoal_granular_plastic* p, int at) { return at >= 0 && shoal_mac_has(p->rigid, at); }

// Pressure half a cell further, at the wall: from the next cell inwards, or from the free surface where that is nearer.
static double wall_pressure(const shoal_mac* m, int cell, int axis, int up) {
    int    inner = shoal_mac_beside(m, cell, axis, up ? -1 : 1);
    double here = (double)m->pressure[cell], theta = fmin(fmax(-(double)m->phi[cell], 0.1), 1.0);
    if (inner >= 0 && shoal_mac_has(m->liquid, inner)) return here + 0.5 * (here - (double)m->pressure[inner]);
    return here * (1.0 + 0.5 / theta);
}

// What a face of sand that flows along a solid keeps of its velocity: Coulomb's law under the pressure there [Bridson,
// Fedkiw & Anderson 2002].
static float after_friction(const shoal_world* world, const shoal_mac* m, int at, int axis) {
    float own = m->u[axis][at];
    for (int n = 0; n < 8; n++) {
        int cell = n & 1 ? shoal_mac_beside(m, at, axis, -1) : at, across = (axis + (n & 2 ? 1 : 2)) % 3, up = n >> 2;
        if (cell < 0 || !shoal_mac_has(m->liquid, cell)) continue;
        int         face = up ? shoal_mac_beside(m, cell, across, 1) : cell;
        shoal_touch touch;
        if (face < 0 || m->open[across][face] > 0.0f) continue;
        if (!shoal_touch_at(world, m->kind, shoal_d3_from(shoal_mac_face(m, face, across)), (double)m->def.dx, &touch))
            continue;
        double u[3];
        for (int a = 0; a < 3; a++)
            u[a] = a == axis ? (double)m->change[axis][at] : shoal_mac_across(m, m->change, at, axis, a);
        shoal_d3 slide = shoal_d3_sub(shoal_d3_make(u[0], u[1], u[2]), touch.velocity);
        slide          = shoal_d3_sub(slide, shoal_d3_scale(touch.normal, shoal_d3_dot(slide, touch.normal)));
        double area    = fabs(shoal_d3_axis(touch.normal, across)); // of the surface, for a step of the grid
        double speed   = shoal_d3_length(slide),
               lost    = 0.5 * touch.friction * area * fmax(wall_pressure(m, cell, across, up), 0.0);
        if (speed > 0.0) own -= (float)(shoal_d3_axis(slide, axis) * (touch.is_sticky ? 0.5 : fmin(lost / speed, 0.5)));
    }
    return own;
}

typedef struct walls {
    const shoal_granular_plastic* plastic;
    const shoal_world*            world;
} walls;

static void wall_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const walls* w = ctx;
    if (!m->has_solid[block]) return;
    for (int axis = 0; axis < 3; axis++)
        for (int z = 0; z < 8; z++)
            for (uint64_t left = m->known[axis][8 * block + z]; left; left &= left - 1) {
                int at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left);
                if (m->open[axis][at] == 0.0f || is_rigid(w->plastic, at) ||
                    is_rigid(w->plastic, shoal_mac_beside(m, at, axis, -1)))
                    continue;
                m->u[axis][at] = after_friction(w->world, m, at, axis);
            }
}

// ---------------------------------------------------------------------------------- rigid groups

// Whether a step from one cell to the next leads around a periodic axis.
static bool is_seam(const shoal_mac* m, int at, int next, int axis) {
    return m->corner[next >> 9][axis] < m->corner[at >> 9][axis];
}

// The rigid cells of all blocks in order, with a body that sees `at`.
#define RIGID_CELLS(p, m, at)                                                                                          \
    for (int block = 0; block < (m)->block_count; block++)                                                             \
        for (int z = 0; z < 8; z++)                                                                                    \
            for (uint64_t left_ = (p)->rigid[8 * block + z]; left_; left_ &= left_ - 1)                                \
                for (int at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

static shoal_granular_group* group_of(const shoal_granular_plastic* p, int at) {
    int root = p->group[at];
    return &p->groups[-1 - (root < 0 ? root : p->group[root])];
}

static shoal_status join_cells(shoal_granular_plastic* p, const shoal_mac* m) {
    RIGID_CELLS(p, m, at) p->group[at] = at;
    RIGID_CELLS(p, m, at)
    for (int axis = 0; axis < 3; axis++) {
        int next = shoal_mac_beside(m, at, axis, 1);
        if (!is_rigid(p, next) || m->open[axis][next] == 0.0f) continue;
        shoal_disjoint_join(p->group, at, next); // the first cell is the root
    }
    RIGID_CELLS(p, m, at) p->group[at] = shoal_disjoint_root(p->group, at);
    p->group_count                     = 0;
    RIGID_CELLS(p, m, at) {
        if (p->group[at] != at) continue;
        SHOAL_TRY(reserve_group(p));
        shoal_granular_group* g = &p->groups[p->group_count];
        *g                      = (shoal_granular_group){0};
        for (int k = 0; k < 3; k++) g->corner[k] = m->corner[at >> 9][k] + (at >> (3 * k) & 7);
        p->group[at] = -1 - p->group_count++;
    }
    RIGID_CELLS(p, m, at) group_of(p, at)->cells++;
    return SHOAL_OK;
}

// Middle of the low face of a cell, or of its high one, in cells from the corner of its group.
static void face_place(const shoal_granular_group* g, const shoal_mac* m, int at, int axis, int up, double x[3]) {
    for (int k = 0; k < 3; k++)
        x[k] = m->corner[at >> 9][k] + (at >> (3 * k) & 7) - g->corner[k] + (k == axis ? up : 0.5);
}

// The open faces of each group once (of two rigid cells the upper one has it), and the closed ones.
typedef void (*face_fn)(void* ctx, shoal_mac* m, shoal_granular_group* g, int cell, int face, int axis, int up);
static void each_face(const shoal_granular_plastic* p, shoal_mac* m, face_fn open, face_fn closed, void* ctx) {
    RIGID_CELLS(p, m, at) {
        shoal_granular_group* g = group_of(p, at);
        for (int axis = 0; axis < 3; axis++) {
            int next = shoal_mac_beside(m, at, axis, 1);
            if (m->open[axis][at] > 0.0f)
                open(ctx, m, g, at, at, axis, 0);
            else if (closed)
                closed(ctx, m, g, at, at, axis, 0);
            if (next < 0) continue;
            if (m->open[axis][next] == 0.0f) {
                if (closed) closed(ctx, m, g, at, next, axis, 1);
            } else if (!is_rigid(p, next))
                open(ctx, m, g, at, next, axis, 1);
            else if (is_seam(m, at, next, axis))
                g->is_round = true;
        }
    }
}

static void add_face(void* ctx, shoal_mac* m, shoal_granular_group* g, int cell, int face, int axis, int up) {
    (void)ctx;
    double x[3];
    face_place(g, m, cell, axis, up, x);
    shoal_rigid_add(&g->sum, axis, x, 1.0, (double)m->u[axis][face]);
}

static void add_contact(void* ctx, shoal_mac* m, shoal_granular_group* g, int cell, int face, int axis, int up) {
    shoal_touch touch;
    double      normal_load = wall_pressure(m, cell, axis, up);
    if (!(normal_load > 0.0)) return;
    if (!shoal_touch_at(ctx, m->kind, shoal_d3_from(shoal_mac_face(m, face, axis)), (double)m->def.dx, &touch)) return;
    normal_load *= fabs(shoal_d3_axis(touch.normal, axis)); // of the surface, for a step of the grid
    g->friction_limit += touch.friction * normal_load;
    g->is_stuck = g->is_stuck || touch.is_sticky;
    g->hold_weight += normal_load;
    for (int k = 0; k < 3; k++) g->hold[k] += normal_load * shoal_d3_axis(touch.velocity, k);
}

// The best rigid motion, then what solids hold: all of it when the momentum relative to them is below the limit of
// friction.
static void settle(shoal_granular_group* g) {
    if (g->is_round)
        for (int a = 0; a < 3; a++) {
            memset(g->sum.turn[a], 0, sizeof g->sum.turn[a]);
            memset(g->sum.place[a], 0, sizeof g->sum.place[a]);
            memset(g->sum.square[a], 0, sizeof g->sum.square[a]);
        }
    g->motion = shoal_rigid_fit(&g->sum);
    if (!g->is_stuck && g->friction_limit == 0.0) return;
    double push = 0.0;
    for (int k = 0; k < 3; k++) {
        g->hold[k] /= g->hold_weight;
        double relative = g->sum.mass[k] > 0.0 ? g->cells * (g->sum.push[k] / g->sum.mass[k] - g->hold[k]) : 0.0;
        push += relative * relative;
    }
    double left =
        g->is_stuck || push <= g->friction_limit * g->friction_limit ? 0.0 : 1.0 - g->friction_limit / sqrt(push);
    for (int k = 0; k < 3; k++) {
        g->motion.velocity[k] = g->hold[k] + left * (g->motion.velocity[k] - g->hold[k]);
        g->motion.spin[k] *= left;
    }
}

static void set_face(void* ctx, shoal_mac* m, shoal_granular_group* g, int cell, int face, int axis, int up) {
    (void)ctx;
    double x[3];
    face_place(g, m, cell, axis, up, x);
    m->u[axis][face] = (float)shoal_rigid_at(&g->motion, axis, x);
}

shoal_status shoal_granular_solve_plastic(shoal_granular_plastic* p, shoal_mac* m, const shoal_exec* exec,
                                          const shoal_world* world, float yield, float flow,
                                          shoal_granular_cohesion cohesion, float dt) {
    float       scale = dt / m->def.dx;
    plastic_job s     = {p, world, yield, cohesion.dry * scale, cohesion.bridges * scale, flow * yield};
    SHOAL_TRY(reserve(p, m->block_count));
    shoal_mac_each(m, exec, mark_block, &s);
    shoal_mac_each(m, exec, test_block, &s);
    shoal_mac_each(m, exec, friction_block, &s);
    walls w = {p, world};
    shoal_mac_each(m, exec, wall_block, &w);
    SHOAL_TRY(join_cells(p, m));
    each_face(p, m, add_face, add_contact, (void*)(uintptr_t)world);
    for (int k = 0; k < p->group_count; k++) settle(&p->groups[k]);
    each_face(p, m, set_face, NULL, NULL);
    return SHOAL_OK;
}
