// SPDX-License-Identifier: MIT
// Sand against solids: each face beside one has a traction along it, at most the solid's friction times what presses on
// it.
#include "granular/granular_friction_local.h"
#include "granular/granular_surfaces.h"

static bool is_wall_face(const shoal_granular_friction* f, const shoal_mac* m, int at, int axis) {
    if (f->inverse_mass[axis][at] == 0.0f) return false;
    int   below  = shoal_mac_beside(m, at, axis, -1);
    float across = 0.0f;
    for (int n = 0; n < 2; n++) {
        int cell = n == 0 ? at : below;
        if (cell < 0 || !shoal_mac_has(m->liquid, cell)) continue;
        shoal_v3 side = granular_solid_side(m, cell);
        shoal_v3_set_axis(&side, axis, 0.0f);
        across += shoal_v3_dot(side, side);
    }
    return across > 1e-6f;
}

// How much solid surface the cells beside a face have.
static shoal_v3 solid_beside(const shoal_mac* m, int at, int axis) {
    shoal_v3 sum   = shoal_v3_make(0.0f, 0.0f, 0.0f);
    int      below = shoal_mac_beside(m, at, axis, -1);
    if (shoal_mac_has(m->liquid, at)) sum = shoal_v3_add(sum, granular_solid_side(m, at));
    if (below >= 0 && shoal_mac_has(m->liquid, below)) sum = shoal_v3_add(sum, granular_solid_side(m, below));
    return sum;
}

static granular_surfaces surfaces_at(const shoal_world* world, const shoal_mac* m, int at, int axis) {
    return granular_surfaces_at(world, m, shoal_mac_face(m, at, axis), solid_beside(m, at, axis));
}

// A vector that picks one surface's part of their sum: 1 with its own normal, 0 with those of the others.
static shoal_v3 dual_of(const granular_surfaces* s, int k) {
    if (s->count == 1) return shoal_v3_from(s->touch[0].normal);
    shoal_d3 a = s->touch[(k + 1) % s->count].normal, n = s->touch[k].normal;
    shoal_d3 b     = s->count == 3 ? s->touch[(k + 2) % 3].normal : shoal_d3_cross(n, a);
    shoal_d3 picks = shoal_d3_cross(a, b);
    return shoal_v3_from(shoal_d3_scale(picks, 1.0 / shoal_d3_dot(picks, n)));
}

static void count_wall_faces(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    shoal_granular_friction*     f = r->f;
    int                          n = 0;
    if (f->is_active[block] && m->has_solid[block])
        for (int axis = 0; axis < 3; axis++)
            for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
                int at = SHOAL_MAC_SAMPLES * block + s;
                if (is_wall_face(f, m, at, axis)) n += surfaces_at(r->world, m, at, axis).count;
            }
    f->wall_face_start[block + 1] = n;
}

// Where the solid's side meets the face: the traction is the shear there.
static void find_edge(shoal_granular_wall_face* g, const shoal_mac* m) {
    int across = (g->axis + 1) % 3, other = (g->axis + 2) % 3;
    if (fabsf(g->normal[other]) > fabsf(g->normal[across])) {
        across = other;
        other  = (g->axis + 1) % 3;
    }
    g->shear = other;
    g->edge  = g->normal[across] > 0.0f ? g->at : g->normal[across] < 0.0f ? shoal_mac_beside(m, g->at, across, 1) : -1;
}

static shoal_granular_wall_face wall_face_of(const shoal_mac* m, int at, int axis, const granular_surfaces* s, int k) {
    const shoal_touch*       touch = &s->touch[k];
    shoal_granular_wall_face g     = {
            .at = at, .axis = axis, .friction = touch->is_sticky ? INFINITY : (float)touch->friction};
    shoal_v3 dual = dual_of(s, k);
    for (int a = 0; a < 3; a++) {
        g.normal[a]         = (float)shoal_d3_axis(touch->normal, a);
        g.solid_velocity[a] = (float)shoal_d3_axis(touch->velocity, a);
        g.dual[a]           = shoal_v3_axis(dual, a);
    }
    for (int n = 0; n < 2; n++) {
        int cell = n == 0 ? at : shoal_mac_beside(m, at, axis, -1);
        if (cell < 0 || !shoal_mac_has(m->liquid, cell)) continue;
        shoal_d3 centre = shoal_d3_from(shoal_mac_place(m, cell, 0.5f, 0.5f, 0.5f));
        double   height = granular_surface_height(s, k, centre);
        g.area[n]       = fabsf(shoal_v3_dot(granular_solid_side(m, cell), dual));
        g.depth[n]      = s->count == 1 ? m->fraction[cell] - 0.5f : (float)height * m->inverse;
    }
    find_edge(&g, m);
    return g;
}

static void make_wall_faces(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    shoal_granular_friction*     f = r->f;
    shoal_granular_wall_face*    g = f->wall_faces + f->wall_face_start[block];
    if (f->wall_face_start[block + 1] == f->wall_face_start[block]) return;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int at = SHOAL_MAC_SAMPLES * block + s;
            if (!is_wall_face(f, m, at, axis)) continue;
            granular_surfaces beside = surfaces_at(r->world, m, at, axis);
            for (int k = 0; k < beside.count; k++) *g++ = wall_face_of(m, at, axis, &beside, k);
        }
}

shoal_status granular_find_wall_faces(granular_friction_job* r, shoal_mac* m, const shoal_exec* exec) {
    shoal_granular_friction* f = r->f;
    f->wall_face_start[0]      = 0;
    shoal_mac_each(m, exec, count_wall_faces, r);
    for (int b = 0; b < m->block_count; b++) f->wall_face_start[b + 1] += f->wall_face_start[b];
    SHOAL_TRY(shoal_reserve((void**)&f->wall_faces, &f->wall_face_capacity, f->wall_face_start[m->block_count],
                            sizeof *f->wall_faces));
    shoal_mac_each(m, exec, make_wall_faces, r);
    return SHOAL_OK;
}

// Stress across a solid's surface, n . s . n, in a cell.
static float stress_across(const shoal_granular_friction* f, const shoal_mac* m, int at, const float normal[3]) {
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

// What a surface takes of a push on a closed face, as far as the sand that the face follows does not.
static float held_by(const shoal_granular_friction* f, const shoal_granular_wall_face* g, int face, int axis) {
    const shoal_granular_ghost* ghost = face >= 0 ? granular_ghost_at(f, face, axis) : NULL;
    if (!ghost) return g->dual[axis];
    return (g->dual[0] * ghost->held[0] + g->dual[1] * ghost->held[1]) + g->dual[2] * ghost->held[2];
}

// What the shear on an edge in a tilted surface presses on it: what it does to those of the four faces around the edge
// that have solid on both sides. Divided evenly among the cells of sand around the edge.
static float edge_load(const shoal_granular_friction* f, const shoal_mac* m, const shoal_granular_wall_face* g,
                       int edge, int e) {
    int   a = (e + 1) % 3, b = (e + 2) % 3, sand = 0;
    int   low_a = shoal_mac_beside(m, edge, a, -1), low_b = shoal_mac_beside(m, edge, b, -1);
    int   cells[4] = {edge, low_a, low_b, low_a < 0 ? -1 : shoal_mac_beside(m, low_a, b, -1)};
    bool  has[4];
    float sum = 0.0f;
    for (int n = 0; n < 4; n++) sand += has[n] = cells[n] >= 0 && shoal_mac_has(m->liquid, cells[n]);
    if (!has[0] && !has[1]) sum += held_by(f, g, edge, a);
    if (!has[2] && !has[3]) sum -= held_by(f, g, low_b, a);
    if (!has[0] && !has[2]) sum += held_by(f, g, edge, b);
    if (!has[1] && !has[3]) sum -= held_by(f, g, low_a, b);
    return sand > 0 ? sum * granular_acting(f, 3 + e, edge >> 9)[edge] / (float)sand : 0.0f;
}

// What the stress in a cell of sand presses on a surface, in m/s: what it does to closed faces of the cell, and by
// edges in the surface to those beyond, as far as the solid holds them. In sum over the cells this is what the solid
// takes of the sand's momentum, whatever steps it makes on the grid. (n . s . n at the centres of cells that a solid
// cuts is not: where a belt across the grid drags sand, it had two thirds of that.)
static float stress_load(const shoal_granular_friction* f, const shoal_mac* m, const shoal_granular_wall_face* g,
                         int at) {
    float sum = 0.0f;
    for (int n = 0; n < 6; n++) {
        int axis = n / 2, face = n % 2 == 0 ? at : shoal_mac_beside(m, at, axis, 1);
        if (face >= 0 && m->open[axis][face] == 0.0f)
            sum -= held_by(f, g, face, axis) * granular_push_at(f, m, face, axis);
    }
    for (int e = 0; e < 3; e++)
        for (int n = 0; n < 4; n++) {
            int edge = n & 1 ? shoal_mac_beside(m, at, (e + 1) % 3, 1) : at;
            if (edge >= 0 && n & 2) edge = shoal_mac_beside(m, edge, (e + 2) % 3, 1);
            if (edge >= 0 && shoal_mac_has(f->tilted_edges[e], edge)) sum += edge_load(f, m, g, edge, e);
        }
    return sum;
}

// What the pressure in a cell presses on a surface, in m/s: that at its centre times the surface, and what it does
// beyond that to the sand that the faces of the cell move. A face moves what particles have there, not what is open of
// it: on a floor along the grid that is half a cell more, and so continues the pressure down to the floor.
static float pressure_load(const shoal_granular_friction* f, const shoal_mac* m, const shoal_granular_wall_face* g,
                           int at, int n) {
    float sum = m->pressure[at] * g->area[n], own = shoal_v3_length(granular_solid_side(m, at));
    for (int k = 0; k < 6; k++) {
        int axis = k / 2, beside = shoal_mac_beside(m, at, axis, k % 2 == 0 ? -1 : 1), face = k % 2 == 0 ? at : beside;
        if (beside < 0 || !shoal_mac_has(m->liquid, beside) || f->inverse_mass[axis][face] == 0.0f) continue;
        float mobility = m->mobility[axis] ? m->mobility[axis][face] : 1.0f,
              mass     = mobility / f->inverse_mass[axis][face];
        float fall     = (k % 2 == 0 ? 1.0f : -1.0f) * (m->pressure[beside] - m->pressure[at]);
        float ours =
            own / (own + shoal_v3_length(granular_solid_side(m, beside))); // of what both cells press by this face
        sum += ours * (mass - m->open[axis][face]) * fall * g->dual[axis];
    }
    return sum;
}

// The same by a thin layer, and at walls, whose faces move what is open of them: the pressure, continued from the
// centre to the surface. A single cell presses with its weight at least, `least`, though as a fluid it would flow off
// to its sides.
static float thin_load(const granular_friction_job* r, const shoal_mac* m, const shoal_granular_wall_face* g, int at,
                       int n, float* least) {
    float q = m->pressure[at], wall = q, depth = g->depth[n];
    for (int axis = 0; axis < 3; axis++) {
        float component = fabsf(g->normal[axis]);
        int   way       = g->normal[axis] > 0.0f ? 1 : -1;
        if (component < 0.01f) continue;
        int next = shoal_mac_beside(m, at, axis, way);
        if (next >= 0 && shoal_mac_has(m->liquid, next)) {
            wall += depth * component * (q - m->pressure[next]);
        } else {
            float fall = next >= 0 ? m->phi[next] - m->phi[at] : 0.0f;
            float theta =
                fall > 1e-3f ? -m->phi[at] / fall : 1.0f; // how far the surface is, of the way to the next cell
            wall += depth * component * q / fmaxf(theta, 0.01f);
            if (component > 0.7f)
                *least = -(depth + fminf(theta, 1.0f)) * r->dt * g->area[n] *
                         shoal_v3_dot(r->gravity, shoal_v3_make(g->normal[0], g->normal[1], g->normal[2]));
        }
    }
    return wall * g->area[n];
}

// Whether the sand goes on above a cell, along each axis that the normal has much of.
static bool has_sand_above(const shoal_mac* m, const shoal_granular_wall_face* g, int at) {
    const float much = 0.3f;
    for (int axis = 0; axis < 3; axis++) {
        if (fabsf(g->normal[axis]) < much) continue;
        int next = shoal_mac_beside(m, at, axis, g->normal[axis] > 0.0f ? 1 : -1);
        if (next < 0 || !shoal_mac_has(m->liquid, next)) return false;
    }
    return true;
}

// What presses on a surface in the cell above (0) or below (1) a face, in m/s: the pressure, and the stress across the
// surface, by which a steep side stands on more than its pressure. That of one cell may be negative; in sum over a
// solid both are its reaction, the weight of what lies on it.
static float load_of(const granular_friction_job* r, const shoal_mac* m, const shoal_granular_wall_face* g, int at,
                     int n) {
    // A surface that a face lies in does not rub along the face's axis. (By 0.99 one that is tilted by up to 8 degrees
    // did not either, and each sweep took the square of its slope of the traction along the others, as if that went
    // into the solid: beds that must stick crept by 5 to 60 mm/s.)
    const float across = 0.9999f;
    if (g->area[n] == 0.0f || fabsf(g->normal[g->axis]) > across) return 0.0f;
    int   block = at >> 9;
    float least = -INFINITY, pressure, stress;
    if (m->has_solid[block] == SHOAL_MAC_HAS_COLLIDER && !m->has_thin[block] && has_sand_above(m, g, at))
        pressure = pressure_load(r->f, m, g, at, n);
    else
        pressure = thin_load(r, m, g, at, n, &least);
    // closed faces of a thin solid may have sand on both sides
    if (m->has_thin[block])
        stress = -stress_across(r->f, m, at, g->normal) * g->area[n];
    else
        stress = stress_load(r->f, m, g, at);
    return fmaxf(pressure + stress, least);
}

// The fraction of a cell's load that one of its two faces along an axis takes, by open area.
static float load_fraction(const shoal_mac* m, int cell, int face, int axis) {
    int   above = shoal_mac_beside(m, cell, axis, 1);
    float both  = m->open[axis][cell] + (above >= 0 ? m->open[axis][above] : 0.0f);
    return m->open[axis][face] / both;
}

static bool is_air(const shoal_mac* m, int at) { return !shoal_mac_has(m->liquid, at) && m->fraction[at] > 0.5f; }

// What of its face's traction a surface may have: as much as it rubs, of all of them.
static float claim_of(const shoal_granular_wall_face* g, bool is_stuck) {
    return is_stuck ? (isinf(g->friction) ? 1.0f : 0.0f) : g->friction * g->load;
}

// The traction of a face was kept from the step before as a whole: what its surfaces do not have yet is distributed by
// their friction limits.
static void distribute_traction(const shoal_granular_friction* f, int from, int end) {
    float rest = f->traction[f->wall_faces[from].axis][f->wall_faces[from].at], claims = 0.0f;
    bool  is_stuck = false;
    for (int n = from; n < end; n++) is_stuck = is_stuck || isinf(f->wall_faces[n].friction);
    for (int n = from; n < end; n++) {
        rest -= f->wall_faces[n].last;
        claims += claim_of(&f->wall_faces[n], is_stuck);
    }
    for (int n = from; n < end; n++) {
        shoal_granular_wall_face* g = &f->wall_faces[n];
        if (claims > 0.0f) g->last += rest * (claim_of(g, is_stuck) / claims);
        g->traction = g->last;
    }
}

void granular_wall_load_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const granular_friction_job* r = ctx;
    shoal_granular_friction*     f = r->f;
    for (int n = f->wall_face_start[block], end = f->wall_face_start[block + 1], next; n < end; n = next) {
        float load = 0.0f;
        next       = granular_wall_faces_end(f, n, end);
        for (int k = n; k < next; k++) {
            shoal_granular_wall_face* g        = &f->wall_faces[k];
            int                       below    = shoal_mac_beside(m, g->at, g->axis, -1);
            bool                      has_both = below >= 0 && !is_air(m, g->at) && !is_air(m, below);
            float                     above = load_of(r, m, g, g->at, 0), under = load_of(r, m, g, below, 1);
            // a face at the rim of the sand has the inertia of all others
            if (has_both)
                g->load =
                    load_fraction(m, g->at, g->at, g->axis) * above + load_fraction(m, below, g->at, g->axis) * under;
            else
                g->load = above + under;
            g->load = fmaxf(g->load, 0.0f);
            if (g->friction > 0.0f) load += g->load;
        }
        distribute_traction(f, n, next);
        f->load[f->wall_faces[n].axis][f->wall_faces[n].at] = load;
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

static around around_face(const shoal_granular_friction* f, const shoal_mac* m, const shoal_granular_wall_face* g,
                          int other) {
    int    faces[4], count = 0;
    float  tractions = 0.0f, loads = 0.0f;
    around mean = {0.0f, 0.0f};
    faces_beside(m, g->at, g->axis, other, faces);
    for (int n = 0; n < 4; n++) {
        if (faces[n] < 0 || f->inverse_mass[other][faces[n]] == 0.0f) continue;
        mean.u += m->u[other][faces[n]];
        tractions += f->traction[other][faces[n]];
        loads += f->load[other][faces[n]];
        count++;
    }
    mean.u        = count > 0 ? mean.u / (float)count : g->solid_velocity[other];
    mean.traction = loads > 0.0f ? tractions / loads : 0.0f;
    return mean;
}

// What the tractions around a cell have across a surface, over the load there; 0 where they lie in it, or an axis has
// none. Times the lightest load, over that along the face's own axis: so that taking half of it off the tractions of
// both cells of a face is symmetric, and shortens them whatever their pattern is.
static float across_at(const shoal_granular_friction* f, const shoal_mac* m, const shoal_granular_wall_face* g,
                       int cell) {
    const float much   = 0.02f; // of the normal
    float       across = 0.0f, own = 0.0f, least = INFINITY;
    if (cell < 0 || !shoal_mac_has(m->liquid, cell)) return 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        int   next = shoal_mac_beside(m, cell, axis, 1);
        float load = f->load[axis][cell] + (next >= 0 ? f->load[axis][next] : 0.0f);
        float pull = f->traction[axis][cell] + (next >= 0 ? f->traction[axis][next] : 0.0f);
        if (axis == g->axis) own = load;
        if (fabsf(g->normal[axis]) < much) continue;
        if (load == 0.0f) return 0.0f;
        across += g->normal[axis] * pull / load;
        least = fminf(least, load);
    }
    return own > 0.0f ? across * (least / own) : 0.0f;
}

// The traction before it is cut back, as a vector: along the other axes by those around, over what presses there, times
// what presses here. So a face of small load rubs against the motion as others do, and not along its axis alone, which
// lifts what slides on a slope. It grows along the solid alone, and loses what it comes to have across. (That of its
// own component and the means around, taken off as a whole, let some patterns grow where all three axes have a part in
// the normal, and tractions at their bound in any direction held a third of a bed that must stick.)
void granular_wall_traction_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    for (int n = f->wall_face_start[block]; n < f->wall_face_start[block + 1]; n++) {
        shoal_granular_wall_face* g = &f->wall_faces[n];
        g->trial = g->trial_other_square = 0.0f;
        if (g->friction == 0.0f) continue;
        float slip[3], trial[3], inward = 0.0f, rate = granular_relax / fmaxf(f->inverse_mass[g->axis][g->at], 1.0f);
        for (int axis = 0; axis < 3; axis++) {
            around mean = {m->u[axis][g->at], 0.0f};
            if (axis != g->axis) mean = around_face(f, m, g, axis);
            slip[axis]  = mean.u - g->solid_velocity[axis];
            trial[axis] = axis == g->axis ? g->traction : mean.traction * g->load;
            inward += slip[axis] * g->normal[axis];
        }
        // along the solid: what goes into it is the pressure's business
        for (int axis = 0; axis < 3; axis++) {
            trial[axis] -= rate * (slip[axis] - inward * g->normal[axis]);
            if (axis != g->axis) g->trial_other_square += trial[axis] * trial[axis];
        }
        int   below  = shoal_mac_beside(m, g->at, g->axis, -1);
        float across = 0.5f * (across_at(f, m, g, g->at) + across_at(f, m, g, below));
        g->trial     = trial[g->axis] - across * g->load * g->normal[g->axis];
    }
}

// What the solid rubs, the cells beside it cannot bear in addition: tractions stand among the trial shears, on edges
// that have no stress of their own. A solid above a cell has its edge in the block above.
void granular_wall_shear_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f     = ((granular_friction_job*)ctx)->f;
    const int                own[] = {SHOAL_MAC_HERE, SHOAL_MAC_HERE - 1, SHOAL_MAC_HERE - 3, SHOAL_MAC_HERE - 9};
    for (int k = 0; k < 4; k++) {
        int from = m->near[block][own[k]];
        for (int n = from < 0 ? 0 : f->wall_face_start[from]; from >= 0 && n < f->wall_face_start[from + 1]; n++) {
            const shoal_granular_wall_face* g = &f->wall_faces[n];
            if (g->edge < 0 || g->edge >> 9 != block || f->bound[1 + g->shear][g->edge] > 0.0f) continue;
            f->trial[3 + g->shear][g->edge] = g->last;
        }
    }
}

// Cut back by the length of the whole vector, so that friction acts against the motion whatever its direction on the
// grid.
void granular_wall_return_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    (void)m;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    for (int n = f->wall_face_start[block], end = f->wall_face_start[block + 1], next; n < end; n = next) {
        float sum = 0.0f;
        next      = granular_wall_faces_end(f, n, end);
        for (int k = n; k < next; k++) {
            shoal_granular_wall_face* g   = &f->wall_faces[k];
            float                     now = g->trial;
            if (g->load == 0.0f && !isinf(g->friction))
                now = 0.0f;
            else if (!isinf(g->friction))
                now *= shoal_friction_fraction(g->friction * g->load, g->trial * g->trial + g->trial_other_square);
            float delta          = now - g->last;
            f->change_max[block] = fmaxf(f->change_max[block], fabsf(delta));
            f->restart_sum[block] += (double)((g->traction - now) * delta);
            g->traction = now + f->momentum * delta;
            g->last     = now;
            sum += g->traction;
        }
        f->traction[f->wall_faces[n].axis][f->wall_faces[n].at] = sum;
    }
}

void granular_end_wall_faces(shoal_granular_friction* f, int block) {
    for (int n = f->wall_face_start[block], end = f->wall_face_start[block + 1], next; n < end; n = next) {
        float sum = 0.0f;
        next      = granular_wall_faces_end(f, n, end);
        for (int k = n; k < next; k++) sum += f->wall_faces[k].last;
        f->traction[f->wall_faces[n].axis][f->wall_faces[n].at] = sum;
    }
}

// No tractions on faces that have left the solid.
void granular_clear_wall_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    shoal_granular_friction* f = ((granular_friction_job*)ctx)->f;
    if (!f->is_active[block]) return;
    int n = f->wall_face_start[block], end = f->wall_face_start[block + 1];
    for (int axis = 0; axis < 3; axis++)
        for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++)
            if (n < end && f->wall_faces[n].axis == axis && f->wall_faces[n].at == at)
                n = granular_wall_faces_end(f, n, end);
            else
                f->traction[axis][at] = f->load[axis][at] = 0.0f;
    (void)m;
}
