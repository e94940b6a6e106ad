// SPDX-License-Identifier: MIT
// Solids as distances at the corners of cells, shares of faces and volumes, and what they do to velocities.
#include "mac/mac_solid.h"

#include <math.h>
#include <string.h>

#include "grid/fraction.h"
#include "mac/mac_thin.h"

// Corners exactly on a wall count as inside: walls are this much thicker, in cells.
static const float hair = 1e-4f;
// Shares below are closed (tiny ones make the system stiff for nothing), those above 1 - `nearly` whole.
static const float least_share = 0.02f, nearly = 1e-3f;
// Nothing is near a solid at this many cells or more.
static const float far_away = 3.0f;

// ---------------------------------------------------------------------------------- the nearest solid

// The solids one by one: six walls, then colliders. False when this one is none, or farther away than `reach`.
static bool touch_of(const shoal_world* world, int solid, shoal_d3 p, double reach, shoal_touch* out) {
    if (solid < SHOAL_WALL_COUNT) {
        int    axis = solid / 2;
        double way  = solid % 2 == 0 ? 1.0 : -1.0, n[3] = {0.0, 0.0, 0.0};
        double face = shoal_d3_axis(solid % 2 == 0 ? world->domain.min : world->domain.max, axis);
        double depth = way * (shoal_d3_axis(p, axis) - face);
        if (!world->is_closed[solid] || depth >= reach) return false;
        const shoal_wall* wall = &world->domain.walls[solid];
        n[axis]                = way;
        *out = (shoal_touch){depth, {n[0], n[1], n[2]}, {0.0, 0.0, 0.0}, wall->kind == SHOAL_WALL_FRICTION ? (double)wall->friction : 0.0,
                             wall->kind == SHOAL_WALL_STICK, wall->kind == SHOAL_WALL_DEFAULT};
        return true;
    }
    const shoal_collider* collider = &world->colliders[solid - SHOAL_WALL_COUNT];
    shoal_d3              normal;
    if (!shoal_box_holds(shoal_box_grown(collider->bounds, fmax(reach, 0.0)), p)) return false;
    double distance = shoal_collider_distance(collider, p, &normal);
    if (distance >= reach) return false;
    *out = (shoal_touch){distance, normal, shoal_collider_velocity(collider, p), (double)collider->friction, collider->is_sticky,
                         collider->friction == 0.0f && !collider->is_sticky};
    return true;
}

bool shoal_touch_at(const shoal_world* world, shoal_d3 p, double reach, shoal_touch* out) {
    bool        found = false;
    shoal_touch touch;
    out->distance = reach;
    for (int solid = 0; solid < SHOAL_WALL_COUNT + world->collider_count; solid++) {
        if (!touch_of(world, solid, p, out->distance, &touch)) continue;
        *out  = touch;
        found = true;
    }
    return found;
}

shoal_d3 shoal_touch_rub(const shoal_touch* touch, shoal_d3 velocity, double pressing, bool may_leave) {
    shoal_d3 relative = shoal_d3_sub(velocity, touch->velocity);
    double   along    = shoal_d3_dot(relative, touch->normal);
    if (may_leave && along >= 0.0) return velocity;
    if (touch->is_sticky) return touch->velocity;
    shoal_d3 slide = shoal_d3_sub(relative, shoal_d3_scale(touch->normal, along));
    double   speed = shoal_d3_length(slide), lost = touch->friction * fmax(pressing, -along);
    if (touch->friction > 0.0) slide = shoal_d3_scale(slide, speed > lost ? 1.0 - lost / speed : 0.0);
    return shoal_d3_add(touch->velocity, slide);
}

// ---------------------------------------------------------------------------------- distances at corners

bool shoal_touch_roughest(const shoal_world* world, shoal_d3 p, double reach, double slack, shoal_touch* out) {
    shoal_touch touch;
    if (!shoal_touch_at(world, p, reach, out)) return false;
    double farthest = fmin(out->distance + slack, reach);
    for (int solid = 0; solid < SHOAL_WALL_COUNT + world->collider_count; solid++) {
        if (!touch_of(world, solid, p, farthest, &touch)) continue;
        if (!out->is_sticky && (touch.is_sticky || touch.friction > out->friction)) *out = touch;
    }
    return true;
}

typedef struct solids {
    const shoal_world* world;
    double             pressing;
} solids;

static shoal_box box_of(const shoal_mac* m, int block, double rim) {
    shoal_v3  low = shoal_mac_place(m, SHOAL_MAC_SAMPLES * block, 0.0f, 0.0f, 0.0f);
    double    dx  = (double)m->def.dx;
    shoal_box box = {shoal_d3_from(low), shoal_d3_add(shoal_d3_from(low), shoal_d3_make(8.0 * dx, 8.0 * dx, 8.0 * dx))};
    return shoal_box_grown(box, rim);
}

// Walls along one axis: whether the plane below each cell is free, and how much of the cell is.
typedef struct wall_row {
    float face[8], cell[8];
    bool  is_near;
} wall_row;

static wall_row wall_row_of(const shoal_world* world, const shoal_mac* m, int block, int axis) {
    double   dx = (double)m->def.dx, first = (double)shoal_v3_axis(m->def.origin, axis) / dx + m->corner[block][axis];
    double   low = (double)-INFINITY, high = (double)INFINITY;
    wall_row row;
    if (world->is_closed[2 * axis]) low = shoal_d3_axis(world->domain.min, axis) / dx - first;
    if (world->is_closed[2 * axis + 1]) high = shoal_d3_axis(world->domain.max, axis) / dx - first;
    for (int k = 0; k < 8; k++) {
        double part = fmin(high, k + 1.0) - fmax(low, k);
        row.face[k] = k > low + (double)hair && k < high - (double)hair ? 1.0f : 0.0f;
        row.cell[k] = part < (double)hair ? 0.0f : part > 1.0 - (double)nearly ? 1.0f : (float)part;
    }
    row.is_near = low > -(double)far_away || high < 8.0 + (double)far_away;
    return row;
}

static void add_collider(const shoal_mac* m, int block, const shoal_collider* collider, float* node) {
    double   dx    = (double)m->def.dx;
    shoal_d3 first = shoal_d3_from(shoal_mac_place(m, SHOAL_MAC_SAMPLES * block, 0.0f, 0.0f, 0.0f));
    for (int z = 0, s = 0; z < 9; z++)
        for (int y = 0; y < 9; y++)
            for (int x = 0; x < 9; x++, s++) {
                shoal_d3 p = shoal_d3_add(first, shoal_d3_make(x * dx, y * dx, z * dx));
                node[s]    = fminf(node[s], (float)(shoal_collider_distance(collider, p, NULL) / dx) - hair);
            }
}

static float clipped(float open) { return open < least_share ? 0.0f : open > 1.0f - nearly ? 1.0f : open; }

// Walls in closed form, so that edges and corners of the domain are exact.
static void wall_shares(shoal_mac* m, int block, const wall_row row[3]) {
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int at = SHOAL_MAC_SAMPLES * block + s, x = s & 7, y = s >> 3 & 7, z = s >> 6;
        m->open[0][at] = clipped(row[0].face[x] * row[1].cell[y] * row[2].cell[z]);
        m->open[1][at] = clipped(row[0].cell[x] * row[1].face[y] * row[2].cell[z]);
        m->open[2][at] = clipped(row[0].cell[x] * row[1].cell[y] * row[2].face[z]);
        m->share[at]   = row[0].cell[x] * row[1].cell[y] * row[2].cell[z];
    }
}

// What the colliders leave of a block's cells, in its tile: shares of low faces; of high ones and their nodes where a cell is divided.
enum { LOW_FACES = 0, HIGH_FACES = 3 * SHOAL_MAC_SAMPLES, FACE_NODES = 6 * SHOAL_MAC_SAMPLES };
enum { HAS_WALL = 1, HAS_COLLIDER = 2 }; // has_solid

static void set_nodes(float* tile, int s, uint64_t open) { memcpy(tile + FACE_NODES + 2 * s, &open, sizeof open); }
static uint64_t nodes_of(const float* tile, int s) {
    uint64_t open;
    memcpy(&open, tile + FACE_NODES + 2 * s, sizeof open);
    return open;
}

static bool is_divided(const shoal_mac* m, const shoal_world* world, int at, const float corner[8], mac_thin* out) {
    float    node[MAC_THIN_NODES];
    double   dx    = (double)m->def.dx;
    shoal_d3 first = shoal_d3_from(shoal_mac_place(m, at, 0.0f, 0.0f, 0.0f));
    if (!mac_is_bent(corner)) return false;
    for (int k = 0; k < MAC_THIN_NODES; k++) {
        int x = k % 3, y = k / 3 % 3, z = k / 9;
        if (x != 1 && y != 1 && z != 1) {
            node[k] = corner[2 * z + y + x / 2]; // 0 and 2 are the ends
            continue;
        }
        shoal_d3 p = shoal_d3_add(first, shoal_d3_make(0.5 * x * dx, 0.5 * y * dx, 0.5 * z * dx));
        node[k]    = far_away;
        for (int c = 0; c < world->collider_count; c++)
            if (shoal_box_holds(shoal_box_grown(world->colliders[c].bounds, 2.0 * dx), p))
                node[k] = fminf(node[k], (float)(shoal_collider_distance(&world->colliders[c], p, NULL) / dx) - hair);
    }
    return mac_thin_of(node, out);
}

static void collider_shares(shoal_mac* m, const shoal_world* world, int block, const float* node) {
    float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
        int          at = SHOAL_MAC_SAMPLES * block + s;
        const float* n  = node + ((s >> 6) * 9 + (s >> 3 & 7)) * 9 + (s & 7);
        const float  corner[8] = {n[0], n[1], n[9], n[10], n[81], n[82], n[90], n[91]};
        mac_thin     thin = {.low  = {shoal_face_open(n[0], n[9], n[90], n[81]), shoal_face_open(n[0], n[1], n[82], n[81]),
                                      shoal_face_open(n[0], n[1], n[10], n[9])},
                             .high = {1.0f, 1.0f, 1.0f},
                             .open = UINT64_MAX};
        float middle = 0.125f * (((n[0] + n[1]) + (n[9] + n[10])) + ((n[81] + n[82]) + (n[90] + n[91]))) + 0.5f + hair;
        thin.share   = middle < 0.0f ? 0.0f : middle > 1.0f ? 1.0f : middle;
        is_divided(m, world, at, corner, &thin);
        m->share[at] *= thin.share;
        for (int axis = 0; axis < 3; axis++) {
            tile[LOW_FACES + SHOAL_MAC_SAMPLES * axis + s]  = thin.low[axis];
            tile[HIGH_FACES + SHOAL_MAC_SAMPLES * axis + s] = thin.high[axis];
        }
        set_nodes(tile, s, thin.open);
    }
}

// A face is open as far as both of its cells say, and where it is the same part of each.
static void face_shares(shoal_mac* m, int block) {
    const float* tile = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int      at = SHOAL_MAC_SAMPLES * block + s, below = shoal_mac_beside(m, at, axis, -1);
            float    share = tile[LOW_FACES + SHOAL_MAC_SAMPLES * axis + s];
            uint64_t nodes = mac_thin_face(nodes_of(tile, s), axis, 0);
            if (below >= 0 && m->has_solid[below >> 9] == HAS_COLLIDER) {
                const float* other = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)(below >> 9);
                share              = fminf(share, other[HIGH_FACES + SHOAL_MAC_SAMPLES * axis + (below & 511)]);
                nodes &= mac_thin_face(nodes_of(other, below & 511), axis, 1);
            }
            m->open[axis][at] = nodes ? clipped(m->open[axis][at] * share) : 0.0f;
        }
}

static void solid_velocity(shoal_mac* m, const shoal_world* world, int block) {
    for (int axis = 0; axis < 3; axis++)
        for (int s = SHOAL_MAC_SAMPLES * block; s < SHOAL_MAC_SAMPLES * (block + 1); s++) {
            shoal_touch touch;
            bool        is_near = m->open[axis][s] < 1.0f &&
                           shoal_touch_at(world, shoal_d3_from(shoal_mac_face(m, s, axis)), 2.0 * (double)m->def.dx, &touch);
            m->solid_u[axis][s] = is_near ? (float)shoal_d3_axis(touch.velocity, axis) : 0.0f;
        }
}

static void solid_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const shoal_world* world = ((solids*)ctx)->world;
    shoal_box          box   = box_of(m, block, 2.0 * (double)m->def.dx);
    wall_row           row[3];
    for (int axis = 0; axis < 3; axis++) row[axis] = wall_row_of(world, m, block, axis);
    wall_shares(m, block, row);
    m->has_solid[block] = row[0].is_near || row[1].is_near || row[2].is_near ? HAS_WALL : 0;
    m->moves[block]     = 0;

    float node[SHOAL_MAC_NODES];
    bool  has_collider = false;
    for (int c = 0; c < world->collider_count; c++) {
        if (!shoal_box_meets(box, world->colliders[c].bounds)) continue;
        for (int k = 0; !has_collider && k < SHOAL_MAC_NODES; k++) node[k] = far_away;
        has_collider = true;
        add_collider(m, block, &world->colliders[c], node);
        if (world->colliders[c].moves) m->moves[block] = 1;
    }
    if (!has_collider) return;
    m->has_solid[block] = HAS_COLLIDER;
    collider_shares(m, world, block, node);
}

static void face_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    if (m->has_solid[block] == HAS_COLLIDER) face_shares(m, block);
    if (m->moves[block]) solid_velocity(m, ((solids*)ctx)->world, block);
}

void shoal_mac_solids(shoal_mac* m, const shoal_exec* exec, const shoal_world* world) {
    solids s = {world, 0.0};
    shoal_mac_each(m, exec, solid_block, &s);
    if (world->collider_count > 0) shoal_mac_each(m, exec, face_block, &s);
}

// ---------------------------------------------------------------------------------- velocities at solids

double shoal_mac_across(const shoal_mac* m, float* const u[3], int at, int own, int axis) {
    double sum = 0.0;
    int    count = 0, below = shoal_mac_beside(m, at, own, -1);
    int    cells[2] = {at, below};
    for (int k = 0; k < 2; k++) {
        if (cells[k] < 0) continue;
        int faces[2] = {cells[k], shoal_mac_beside(m, cells[k], axis, 1)};
        for (int f = 0; f < 2; f++) {
            if (faces[f] < 0 || !shoal_mac_has(m->known[axis], faces[f])) continue;
            sum += (double)u[axis][faces[f]];
            count++;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

// Between a solid and sand that falls to it: few grains at the face, and none that press on it, but a body behind.
static bool is_gap(const shoal_mac* m, int axis, int at) {
    int below = shoal_mac_beside(m, at, axis, -1);
    if (!m->torn || below < 0 || shoal_mac_has(m->liquid, at) || shoal_mac_has(m->liquid, below)) return false;
    float fall = shoal_v3_axis(m->fall, axis);
    int   solid = fall < 0.0f ? below : at, behind = shoal_mac_beside(m, fall < 0.0f ? at : below, axis, fall < 0.0f ? 1 : -1);
    return fabsf(fall) > 0.5f && behind >= 0 && shoal_mac_has(m->liquid, behind) && m->density[solid] < 0.5f;
}

// Closed faces that have a velocity, also those of cells that are closed all around.
static bool is_constrained(const shoal_mac* m, int axis, int at) {
    return m->open[axis][at] == 0.0f && (shoal_mac_has(m->known[axis], at) || shoal_mac_has(m->saved[axis], at)) && !is_gap(m, axis, at);
}

// Every solid that holds the place has its say, so that edges are right; outside of all, the nearest has.
static shoal_d3 velocity_at(const solids* c, shoal_d3 p, double dx, shoal_d3 v, bool may_leave) {
    shoal_touch touch;
    bool        is_inside = false;
    for (int solid = 0; solid < SHOAL_WALL_COUNT + c->world->collider_count; solid++) {
        if (!touch_of(c->world, solid, p, 1e-3 * dx, &touch)) continue;
        v         = shoal_touch_rub(&touch, v, c->pressing, may_leave);
        is_inside = true;
    }
    if (!is_inside && shoal_touch_at(c->world, p, dx, &touch)) v = shoal_touch_rub(&touch, v, c->pressing, may_leave);
    return v;
}

// Beside a cell that is torn.
static bool is_torn(const shoal_mac* m, int axis, int at) {
    int below = shoal_mac_beside(m, at, axis, -1);
    return m->torn && (shoal_mac_has(m->torn, at) || (below >= 0 && shoal_mac_has(m->torn, below)));
}

static void constrain_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const solids* c      = ctx;
    float*        result = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    if (!m->has_solid[block]) return;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int at = SHOAL_MAC_SAMPLES * block + s;
            if (!is_constrained(m, axis, at)) continue;
            double u[3];
            for (int a = 0; a < 3; a++) u[a] = a == axis ? (double)m->u[axis][at] : shoal_mac_across(m, m->u, at, axis, a);
            shoal_d3 v = {u[0], u[1], u[2]};
            v          = velocity_at(c, shoal_d3_from(shoal_mac_face(m, at, axis)), (double)m->def.dx, v, is_torn(m, axis, at));
            result[SHOAL_MAC_SAMPLES * axis + s] = (float)shoal_d3_axis(v, axis);
        }
}

static void apply_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    const float* result = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    if (!m->has_solid[block]) return;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int at = SHOAL_MAC_SAMPLES * block + s;
            if (!is_constrained(m, axis, at)) continue;
            m->u[axis][at]      = result[SHOAL_MAC_SAMPLES * axis + s];
            m->change[axis][at] = shoal_mac_has(m->saved[axis], at) ? m->u[axis][at] - m->old[axis][at] : 0.0f;
        }
}

void shoal_mac_constrain(shoal_mac* m, const shoal_exec* exec, const shoal_world* world, double pressing) {
    solids s = {world, pressing};
    shoal_mac_each(m, exec, constrain_block, &s);
    shoal_mac_each(m, exec, apply_block, &s);
}

// ---------------------------------------------------------------------------------- particles at solids

typedef struct pushing {
    const shoal_world*         world;
    const shoal_mac_particles* particles;
    float                      margin;
} pushing;

static bool is_clear(const shoal_world* world, shoal_v3 x, float margin) {
    const bool* closed = world->is_closed;
    if ((closed[0] && x.x < world->min.x + margin) || (closed[1] && x.x > world->max.x - margin) ||
        (closed[2] && x.y < world->min.y + margin) || (closed[3] && x.y > world->max.y - margin) ||
        (closed[4] && x.z < world->min.z + margin) || (closed[5] && x.z > world->max.z - margin))
        return false;
    for (int c = 0; c < world->collider_count; c++)
        if (shoal_box_holds(shoal_box_grown(world->colliders[c].bounds, (double)margin), shoal_d3_from(x))) return false;
    return true;
}

// Out of walls exactly, whatever colliders say: they win.
static void clamp_to_walls(const shoal_world* world, shoal_v3* x, float margin) {
    for (int axis = 0; axis < 3; axis++) {
        float at = shoal_v3_axis(*x, axis), low = shoal_v3_axis(world->min, axis), high = shoal_v3_axis(world->max, axis);
        if (world->is_closed[2 * axis] && at < low + margin) at = low + margin;
        if (world->is_closed[2 * axis + 1] && at > high - margin) at = high - margin;
        shoal_v3_set_axis(x, axis, at);
    }
}

static void push_particles(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const pushing* p = ctx;
    for (int i = begin; i < end; i++) {
        shoal_v3* x = &p->particles->position[i];
        *x          = shoal_world_wrap(p->world, *x);
        if (is_clear(p->world, *x, p->margin)) continue;
        // one solid after another: in a corner there are up to three
        for (int k = 0; k < 3; k++) {
            shoal_touch touch;
            if (!shoal_touch_at(p->world, shoal_d3_from(*x), (double)p->margin, &touch)) break;
            shoal_d3 v = shoal_d3_from(p->particles->velocity[i]);
            p->particles->velocity[i] = shoal_v3_from(shoal_touch_rub(&touch, v, 0.0, true));
            *x = shoal_v3_from(shoal_d3_add(shoal_d3_from(*x), shoal_d3_scale(touch.normal, (double)p->margin * 1.001 - touch.distance)));
        }
        clamp_to_walls(p->world, x, p->margin);
        *x = shoal_world_wrap(p->world, *x);
    }
}

void shoal_mac_push_out(const shoal_exec* exec, const shoal_world* world, const shoal_mac_particles* particles, int count, float margin) {
    pushing p = {world, particles, margin};
    shoal_blocks(exec, count, 4096, push_particles, &p);
}
