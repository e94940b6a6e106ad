// SPDX-License-Identifier: MIT
// Sand against solids: each face beside one has a traction along it, at most the solid's friction times what presses on
// it.
#include "mac/mac_friction_local.h"
#include "mac/mac_solid.h"

// How much of a cell's surface is solid, as a vector into the sand; 1 is a whole side.
static shoal_v3 solid_side(const shoal_mac* m, int at) {
    float side[3];
    for (int axis = 0; axis < 3; axis++) {
        int next   = shoal_mac_beside(m, at, axis, 1);
        side[axis] = (next >= 0 ? m->open[axis][next] : 0.0f) - m->open[axis][at];
    }
    return shoal_v3_make(side[0], side[1], side[2]);
}

static bool is_grip(const shoal_mac_friction* f, const shoal_mac* m, int at, int axis) {
    if (f->face[axis][at] == 0.0f) return false;
    int   below  = shoal_mac_beside(m, at, axis, -1);
    float across = 0.0f;
    for (int n = 0; n < 2; n++) {
        int cell = n == 0 ? at : below;
        if (cell < 0 || !shoal_mac_has(m->liquid, cell)) continue;
        shoal_v3 side = solid_side(m, cell);
        shoal_v3_set_axis(&side, axis, 0.0f);
        across += shoal_v3_dot(side, side);
    }
    return across > 1e-6f;
}

static void count_grips(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_friction* f = ((mac_rubbing*)ctx)->f;
    int                 n = 0;
    if (f->is_active[block] && m->has_solid[block])
        for (int axis = 0; axis < 3; axis++)
            for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) n += is_grip(f, m, SHOAL_MAC_SAMPLES * block + s, axis);
    f->grip_start[block + 1] = n;
}

// Where the solid's side meets the face: the traction is the shear there.
static void find_edge(shoal_mac_grip* g, const shoal_mac* m) {
    int across = (g->axis + 1) % 3, other = (g->axis + 2) % 3;
    if (fabsf(g->normal[other]) > fabsf(g->normal[across])) {
        across = other;
        other  = (g->axis + 1) % 3;
    }
    g->shear = other;
    g->edge  = g->normal[across] > 0.0f ? g->at : g->normal[across] < 0.0f ? shoal_mac_beside(m, g->at, across, 1) : -1;
}

static void make_grips(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mac_rubbing*  r = ctx;
    shoal_mac_friction* f = r->f;
    shoal_mac_grip*     g = f->grips + f->grip_start[block];
    if (f->grip_start[block + 1] == f->grip_start[block]) return;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int at = SHOAL_MAC_SAMPLES * block + s;
            if (!is_grip(f, m, at, axis)) continue;
            shoal_touch touch;
            shoal_d3    place = shoal_d3_from(shoal_mac_face(m, at, axis));
            *g                = (shoal_mac_grip){.at = at, .axis = axis};
            if (shoal_touch_roughest(r->world, place, 2.0 * (double)m->def.dx, 0.25 * (double)m->def.dx, &touch)) {
                for (int a = 0; a < 3; a++) {
                    g->normal[a] = (float)shoal_d3_axis(touch.normal, a);
                    g->solid[a]  = (float)shoal_d3_axis(touch.velocity, a);
                }
                g->friction = touch.is_sticky ? INFINITY : (float)touch.friction;
            }
            find_edge(g, m);
            g++;
        }
}

shoal_status mac_find_grips(mac_rubbing* r, shoal_mac* m, const shoal_exec* exec) {
    shoal_mac_friction* f = r->f;
    f->grip_start[0]      = 0;
    shoal_mac_each(m, exec, count_grips, r);
    for (int b = 0; b < m->block_count; b++) f->grip_start[b + 1] += f->grip_start[b];
    SHOAL_TRY(shoal_make_room((void**)&f->grips, &f->grip_capacity, f->grip_start[m->block_count], sizeof *f->grips));
    shoal_mac_each(m, exec, make_grips, r);
    return SHOAL_OK;
}

// Stress across a solid's surface, n . s . n, in a cell.
static float stress_across(const shoal_mac_friction* f, const shoal_mac* m, int at, const float normal[3]) {
    float sum = 0.0f;
    for (int e = 0; e < 3; e++) {
        int   a = (e + 1) % 3, b = (e + 2) % 3, count = 0;
        float across = 2.0f * normal[a] * normal[b], shear = 0.0f;
        sum += normal[e] * normal[e] * f->stress[e][at];
        for (int n = 0; fabsf(across) > 1e-3f && n < 4; n++) {
            int edge = n & 1 ? shoal_mac_beside(m, at, a, 1) : at;
            if (edge >= 0 && n & 2) edge = shoal_mac_beside(m, edge, b, 1);
            if (edge < 0 || f->bound[1 + e][edge] == 0.0f) continue;
            shear += f->stress[3 + e][edge];
            count++;
        }
        if (count > 0) sum += across * shear / (float)count;
    }
    return sum;
}

// What presses on the solid beside a cell, times the area, in m/s: the pressure, continued from the centre to the
// surface, and the stress across it, by which a steep side stands on more than its pressure. A single cell presses with
// its weight at least, though as a fluid it would flow off to its sides.
static float load_of(const mac_rubbing* r, const shoal_mac* m, int at, const float normal[3]) {
    if (at < 0 || !shoal_mac_has(m->liquid, at)) return 0.0f;
    float q = m->pressure[at], wall = q, least = 0.0f,
          depth = m->share[at] - 0.5f; // of the surface below the centre, cells
    for (int axis = 0; axis < 3; axis++) {
        float share = fabsf(normal[axis]);
        int   way   = normal[axis] > 0.0f ? 1 : -1;
        if (share < 0.01f) continue;
        int next = shoal_mac_beside(m, at, axis, way);
        if (next >= 0 && shoal_mac_has(m->liquid, next)) {
            wall += depth * share * (q - m->pressure[next]);
        } else {
            float theta = next >= 0 ? m->phi[at] / (m->phi[at] - m->phi[next]) : 1.0f;
            wall += depth * share * q / fmaxf(theta, 0.01f);
            if (share > 0.7f)
                least = -(depth + fminf(theta, 1.0f)) * r->dt *
                        shoal_v3_dot(r->gravity, shoal_v3_make(normal[0], normal[1], normal[2]));
        }
    }
    // only what belongs to the solid that is touched: beside a floor there may be a wall
    float area = fabsf(shoal_v3_dot(solid_side(m, at), shoal_v3_make(normal[0], normal[1], normal[2])));
    return fmaxf(fmaxf(wall - stress_across(r->f, m, at, normal), 0.0f), least) * area;
}

// Of what presses beside a cell, the share of one of its faces along an axis: as it is open.
static float share_of(const shoal_mac* m, int cell, int face, int axis) {
    int   above = shoal_mac_beside(m, cell, axis, 1);
    float both  = m->open[axis][cell] + (above >= 0 ? m->open[axis][above] : 0.0f);
    return m->open[axis][face] / both;
}

static bool is_air(const shoal_mac* m, int at) { return !shoal_mac_has(m->liquid, at) && m->share[at] > 0.5f; }

void mac_hold_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const mac_rubbing*  r = ctx;
    shoal_mac_friction* f = r->f;
    for (int n = f->grip_start[block]; n < f->grip_start[block + 1]; n++) {
        shoal_mac_grip* g        = &f->grips[n];
        int             below    = shoal_mac_beside(m, g->at, g->axis, -1);
        bool            has_both = below >= 0 && !is_air(m, g->at) && !is_air(m, below);
        float           load = load_of(r, m, g->at, g->normal), load_below = load_of(r, m, below, g->normal);
        // a face at the rim of the sand has the inertia of all others
        if (has_both)
            g->load = share_of(m, g->at, g->at, g->axis) * load + share_of(m, below, g->at, g->axis) * load_below;
        else
            g->load = load + load_below;
        g->last                 = f->traction[g->axis][g->at];
        f->load[g->axis][g->at] = g->friction > 0.0f ? g->load : 0.0f;
    }
}

// The four faces along another axis that are nearest to a face; -1: there is none.
static void faces_beside(const shoal_mac* m, int at, int axis, int other, int out[4]) {
    for (int n = 0; n < 4; n++) {
        out[n] = n & 1 ? shoal_mac_beside(m, at, axis, -1) : at;
        if (out[n] >= 0 && n & 2) out[n] = shoal_mac_beside(m, out[n], other, 1);
    }
}

// What sand has along another axis around a face: its velocity there, and its traction over what presses.
typedef struct around {
    float u, traction;
} around;

static around around_face(const shoal_mac_friction* f, const shoal_mac* m, const shoal_mac_grip* g, int other) {
    int    faces[4], count = 0;
    float  tractions = 0.0f, loads = 0.0f;
    around mean = {0.0f, 0.0f};
    faces_beside(m, g->at, g->axis, other, faces);
    for (int n = 0; n < 4; n++) {
        if (faces[n] < 0 || f->face[other][faces[n]] == 0.0f) continue;
        mean.u += m->u[other][faces[n]];
        tractions += f->traction[other][faces[n]];
        loads += f->load[other][faces[n]];
        count++;
    }
    mean.u        = count > 0 ? mean.u / (float)count : g->solid[other];
    mean.traction = loads > 0.0f ? tractions / loads : 0.0f;
    return mean;
}

// The traction before it is cut back, as a vector: along the other axes by those around, over what presses there, times
// what presses here. So a face of small load rubs against the motion as others do, and not along its axis alone, which
// lifts what slides on a slope.
void mac_grip_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_friction* f = ((mac_rubbing*)ctx)->f;
    for (int n = f->grip_start[block]; n < f->grip_start[block + 1]; n++) {
        shoal_mac_grip* g       = &f->grips[n];
        f->pull[g->axis][g->at] = g->aside = 0.0f;
        if (g->friction == 0.0f) continue;
        float slip[3], pull[3], inward = 0.0f, rate = mac_relax / fmaxf(f->face[g->axis][g->at], 1.0f);
        for (int axis = 0; axis < 3; axis++) {
            around mean = {m->u[axis][g->at], 0.0f};
            if (axis != g->axis) mean = around_face(f, m, g, axis);
            slip[axis] = mean.u - g->solid[axis];
            pull[axis] = axis == g->axis ? f->traction[axis][g->at] : mean.traction * g->load;
            inward += slip[axis] * g->normal[axis];
        }
        // along the solid: what goes into it is the pressure's business
        for (int axis = 0; axis < 3; axis++) {
            pull[axis] -= rate * (slip[axis] - inward * g->normal[axis]);
            if (axis != g->axis) g->aside += pull[axis] * pull[axis];
        }
        f->pull[g->axis][g->at] = pull[g->axis];
    }
}

// What the solid rubs, the cells beside it cannot bear besides: tractions stand among the trial shears, on edges that
// have no stress of their own. A solid above a cell has its edge in the block above.
void mac_wall_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_friction* f     = ((mac_rubbing*)ctx)->f;
    const int           own[] = {SHOAL_MAC_HERE, SHOAL_MAC_HERE - 1, SHOAL_MAC_HERE - 3, SHOAL_MAC_HERE - 9};
    for (int k = 0; k < 4; k++) {
        int from = m->near[block][own[k]];
        for (int n = from < 0 ? 0 : f->grip_start[from]; from >= 0 && n < f->grip_start[from + 1]; n++) {
            const shoal_mac_grip* g = &f->grips[n];
            if (g->edge < 0 || g->edge >> 9 != block || f->bound[1 + g->shear][g->edge] > 0.0f) continue;
            f->trial[3 + g->shear][g->edge] = g->last;
        }
    }
}

// Cut back by the length of the whole vector, so that friction acts against the motion whatever its direction on the
// grid.
void mac_take_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    (void)m;
    shoal_mac_friction* f = ((mac_rubbing*)ctx)->f;
    for (int n = f->grip_start[block]; n < f->grip_start[block + 1]; n++) {
        shoal_mac_grip* g        = &f->grips[n];
        float*          traction = &f->traction[g->axis][g->at];
        float           pull = f->pull[g->axis][g->at], next = pull;
        if (g->load == 0.0f && !isinf(g->friction))
            next = 0.0f;
        else if (!isinf(g->friction))
            next *= mac_cut(g->friction * g->load, pull * pull + g->aside);
        float delta     = next - g->last;
        f->moved[block] = fmaxf(f->moved[block], fabsf(delta));
        f->turned[block] += (double)((*traction - next) * delta);
        *traction = next + f->momentum * delta;
        g->last   = next;
    }
}

void mac_end_grips(shoal_mac_friction* f, int block) {
    for (int n = f->grip_start[block]; n < f->grip_start[block + 1]; n++)
        f->traction[f->grips[n].axis][f->grips[n].at] = f->grips[n].last;
}

// No tractions on faces that have left the solid.
void mac_let_go_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_mac_friction* f = ((mac_rubbing*)ctx)->f;
    if (!f->is_active[block]) return;
    int n = f->grip_start[block], end = f->grip_start[block + 1];
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
            if (n < end && f->grips[n].axis == axis && f->grips[n].at == at)
                n++;
            else
                f->traction[axis][at] = f->pull[axis][at] = f->load[axis][at] = 0.0f;
    (void)m;
}
